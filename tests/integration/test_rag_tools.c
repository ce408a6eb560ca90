// SPDX-License-Identifier: MIT
// The rag_ tools on a real app: the current project, what they answer, what they refuse.
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "integration/rag_lab.h"

static const char *root;

static void make_shop(void)
{
    ktest_write("shop/src/auth.js", "export function requireAuth(req, res, next) {\n"
                                    "  if (!req.headers.authorization) return res.end();\n"
                                    "  next();\n}\n");
    ktest_write("shop/src/orders.js", "import express from 'express';\n"
                                      "import { requireAuth } from './auth.js';\n\n"
                                      "const router = express.Router();\n"
                                      "router.post('/orders', requireAuth, (req, res) => {\n"
                                      "  res.json(req.body);\n});\nexport default router;\n");
    ktest_write("shop/ARCHITECTURE.yml", "version: 1\nconstraints:\n"
                                         "  - id: auth\n"
                                         "    rule: ALL endpoints MUST call requireAuth first.\n"
                                         "    applies_to: [\"src/orders.js\"]\n");
    ktest_write("shop/docs/patterns/api.md",
                "# Endpoints\n\nAn endpoint is a route of the router.\n");
    root = ktest_path("shop");
}

static void make_rag(void)
{
    (void)mkdir(ktest_path("shop/.rag"), 0755);
}

static void setup(void)
{
    make_shop();
    make_rag();
    start_app();
}

static json_t *try_call(const char *tool, const char *args, ken_err *err)
{
    json_t *in = NULL;
    kt_ok_err(ken_json_parse(ken_str_c(args), &in, err), err);
    return try_tool(tool, in, err);
}

static json_t *call(const char *tool, const char *args)
{
    ken_err err = { 0 };
    json_t *out = try_call(tool, args, &err);
    kt_ok_err(err.status, &err);
    return out;
}

static void fails(const char *tool, const char *args, const char *part)
{
    ken_err err = { 0 };
    kt_null(try_call(tool, args, &err));
    kt_has_str(err.msg, part);
}

static json_t *index_shop(void)
{
    char args[500];
    snprintf(args, sizeof args, "{\"project_root\": \"%s\"}", root);
    return call("rag_index", args);
}

static ken_str text(const json_t *v, const char *key)
{
    return ken_json_text(json_object_get(v, key));
}

static json_int_t number(const json_t *v, const char *object, const char *key)
{
    return json_integer_value(json_object_get(object ? json_object_get(v, object) : v, key));
}

static const json_t *first(const json_t *v, const char *list)
{
    return json_array_get(json_object_get(v, list), 0);
}

static bool is_true(const json_t *v, const char *key)
{
    return json_is_true(json_object_get(v, key));
}

KEN_TEST(without_a_project_each_tool_says_what_to_call)
{
    start_app();
    json_t *v = call("rag_status", "{}");
    kt_eq_text(text(v, "status"), "success");
    kt_false(is_true(v, "initialized"));
    kt_true(json_is_null(json_object_get(v, "projectRoot")));
    kt_eq_i(number(v, "collectionCounts", "codebase"), 0);
    json_decref(v);
    fails("rag_index", "{}", "no project context. Call rag_setup with project_root first");
    fails("rag_health_check", "{}", "no project context");
    fails("rag_check_constraints", "{\"change_description\": \"add a route\"}",
          "no project context");
    fails("rag_query_impact", "{\"file_path\": \"a.js\"}", "no project context");
    stop_app();
}

// S3-7: as its document has them.
KEN_TEST(annotations_of_the_six_tools_are_those_asked_for)
{
    static const struct {
        const char *name, *title;
        bool is_read, is_destructive;
    } asked[] = {
        { "rag_setup", "Initialize RAG Project", false, false },
        { "rag_index", "Index Codebase Into RAG Collections", false, true },
        { "rag_check_constraints", "Check Constraints for a Planned Change", true, false },
        { "rag_query_impact", "Analyze Change Impact (Blast Radius)", true, false },
        { "rag_health_check", "Check RAG System Health", true, false },
        { "rag_status", "Quick RAG Status Check", true, false },
    };
    size_t n = 0;
    const ken_tool_spec *spec;
    for (size_t i = 0; (spec = ken_tool_spec_at(i)) != NULL; i++) {
        for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
            if (strcmp(spec->name, asked[k].name) != 0)
                continue;
            json_t *tool = json_loads(spec->listing, 0, NULL);
            const json_t *is = json_object_get(tool, "annotations");
            kt_eq_text(text(tool, "title"), asked[k].title);
            kt_eq_u(is_true(is, "readOnlyHint"), asked[k].is_read);
            kt_eq_u(is_true(is, "destructiveHint"), asked[k].is_destructive);
            kt_true(is_true(is, "idempotentHint"));
            kt_true(json_is_false(json_object_get(is, "openWorldHint")));
            json_decref(tool);
            n++;
        }
    }
    kt_eq_u(n, sizeof asked / sizeof *asked);
}

KEN_TEST(an_indexed_project_is_current_even_after_a_restart)
{
    setup();
    json_t *v = index_shop();
    kt_eq_text(text(v, "status"), "success");
    kt_eq_text(text(v, "projectRoot"), root);
    kt_eq_i(number(v, NULL, "filesIndexed"), 4);
    kt_eq_i(number(v, "collectionStats", "constraints"), 1);
    kt_eq_i(number(v, "collectionStats", "patterns"), 1);
    json_int_t n_chunks = number(v, NULL, "chunksCreated");
    kt_eq_i(n_chunks, number(v, "collectionStats", "codebase") + 2);
    kt_has_str(text(v, "message").ptr, "Indexed 4 files (");
    kt_has_str(text(v, "message").ptr, " chunks). Use rag_check_constraints to query.");
    kt_eq_u(json_array_size(json_object_get(v, "errors")), 0);
    json_decref(v);
    stop_app();
    start_app();
    v = call("rag_status", "{}");
    kt_true(is_true(v, "initialized") && is_true(v, "indexed"));
    kt_eq_text(text(v, "projectRoot"), root);
    kt_eq_i(number(v, NULL, "totalChunks"), n_chunks);
    json_decref(v);
    v = call("rag_index", "{}");
    kt_eq_text(text(v, "projectRoot"), root);
    json_decref(v);
    stop_app();
}

KEN_TEST(a_planned_change_is_answered_in_three_collections)
{
    setup();
    json_decref(index_shop());
    json_t *v = call("rag_check_constraints",
                     "{\"change_description\": \"  add a new REST API endpoint  \"}");
    kt_eq_text(text(v, "query"), "add a new REST API endpoint");
    const json_t *c = first(v, "constraints"), *p = first(v, "patterns"), *e = first(v, "examples");
    kt_eq_text(text(c, "content"), "ALL endpoints MUST call requireAuth first.");
    kt_eq_text(text(c, "filePath"), "ARCHITECTURE.yml");
    kt_eq_text(text(c, "type"), "constraint");
    kt_eq_text(text(c, "id"), "auth");
    kt_eq_text(ken_json_text(first(c, "keyRules")), "MUST call requireAuth first");
    double relevance = json_number_value(json_object_get(c, "relevance"));
    kt_true(relevance > 0 && relevance <= 1);
    kt_eq_text(text(p, "type"), "pattern");
    kt_eq_text(text(e, "type"), "code");
    kt_has_str(text(v, "summary").ptr, "Found 1 constraint, 1 pattern, ");
    json_decref(v);
    v = call("rag_check_constraints",
             "{\"change_description\": \"add an endpoint\", \"format\": \"text\"}");
    kt_has_str(ken_json_text(v).ptr, "ARCHITECTURE.yml:3");
    json_decref(v);
    stop_app();
}

KEN_TEST(what_breaks_a_rule_is_said_with_it)
{
    setup();
    ktest_write("shop/src/open.js", "import express from 'express';\n\n"
                                    "const router = express.Router();\n"
                                    "router.get('/open', (req, res) => {\n  res.end();\n});\n");
    ktest_write("shop/ARCHITECTURE.yml",
                "version: 1\nconstraints:\n  - id: auth\n"
                "    rule: ALL endpoints MUST call requireAuth first.\n    check:\n"
                "      require_call: { of: handlers, call: requireAuth }\n");
    json_decref(index_shop());
    for (int round = 0; round < 2; round++) { // made, then kept
        json_t *v = call("rag_check_constraints", "{\"change_description\": \"an endpoint\"}");
        const json_t *found = json_object_get(first(v, "constraints"), "violations");
        kt_eq_i(number(found, NULL, "count"), 1);
        kt_eq_text(text(first(found, "first"), "filePath"), "src/open.js");
        kt_eq_i(number(first(found, "first"), NULL, "startLine"), 4);
        kt_eq_text(text(first(found, "first"), "message"),
                   "handler of GET …/open does not call 'requireAuth'");
        kt_eq_text(text(json_object_get(first(found, "first"), "obeys"), "filePath"),
                   "src/orders.js");
        kt_null(json_object_get(v, "violations"));
        json_decref(v);
    }
    json_t *v = call("rag_check_constraints",
                     "{\"change_description\": \"an endpoint\", \"format\": \"text\"}");
    kt_has_str(ken_json_text(v).ptr, "    broken: src/open.js:4 handler of GET …/open");
    json_decref(v);
    fails("rag_check_constraints", "{\"change_description\": \"abc\", \"diff\": \"HEAD\"}", "diff");
    stop_app();
}

static void git(const char *words)
{
    char line[600];
    snprintf(line, sizeof line,
             "cd '%s' && git -c user.name=a -c user.email=a@b -c init.defaultBranch=main %s "
             ">/dev/null 2>&1",
             root, words);
    kt_eq_i(system(line), 0);
}

KEN_TEST(a_diff_is_checked_against_all_rules)
{
    setup();
    ktest_write("shop/ARCHITECTURE.yml",
                "version: 1\nconstraints:\n  - id: names\n    rule: Functions are in lower case.\n"
                "    severity: warning\n    check:\n"
                "      naming: { kind: function, pattern: \"^[a-z]+$\" }\n");
    git("init");
    git("add -A");
    git("commit -m first");
    json_decref(index_shop());
    ktest_write("shop/src/new.js", "export function BadName() {}\n"); // and is not indexed
    json_t *v = call("rag_check_constraints",
                     "{\"change_description\": \"anything\", \"diff\": \"uncommitted\"}");
    const json_t *found = first(v, "violations");
    kt_eq_u(json_array_size(json_object_get(v, "violations")), 1);
    kt_eq_i(number(v, NULL, "violationsTotal"), 1);
    kt_eq_i(number(v, NULL, "checkedRules"), 1);
    kt_eq_text(text(found, "rule"), "names");
    kt_eq_text(text(found, "severity"), "warning");
    kt_eq_text(text(found, "filePath"), "src/new.js");
    kt_eq_text(text(found, "symbol"), "BadName");
    json_decref(v);
    stop_app();
}

KEN_TEST(bad_arguments_name_field_rule_and_value)
{
    setup();
    json_decref(index_shop());
    fails("rag_check_constraints", "{\"change_description\": \"ab\"}", "change_description");
    fails("rag_check_constraints", "{\"change_description\": \"abc\", \"num_results\": 0}",
          "num_results");
    fails("rag_check_constraints", "{\"change_description\": \"abc\", \"num_results\": 21}",
          "num_results");
    fails("rag_check_constraints", "{}", "change_description");
    fails("rag_check_constraints", "{\"change_description\": \"abc\", \"colour\": 1}", "colour");
    fails("rag_query_impact", "{\"file_path\": \"../x.js\"}", "must lie inside the project root");
    fails("rag_query_impact", "{\"file_path\": \"src/none.js\"}",
          "not found in index. Run rag_index or check the path");
    fails("rag_query_impact", "{\"file_path\": \"src/auth.js\", \"num_similar\": 21}",
          "num_similar");
    char args[2200] = "{\"change_description\": \"";
    size_t n = strlen(args);
    memset(args + n, 'a', 2001);
    memcpy(args + n + 2001, "\"}", 3);
    fails("rag_check_constraints", args, "change_description");
    stop_app();
}

KEN_TEST(the_impact_of_a_file_is_shown_as_it_is)
{
    setup();
    json_decref(index_shop());
    json_t *v = call("rag_query_impact", "{\"file_path\": \"src/auth.js\"}");
    kt_eq_text(text(v, "filePath"), "src/auth.js");
    kt_eq_text(ken_json_text(first(v, "exports")), "requireAuth");
    kt_eq_text(text(first(v, "dependents"), "filePath"), "src/orders.js");
    kt_eq_text(ken_json_text(first(first(v, "dependents"), "imports")), "./auth.js");
    kt_has_str(text(v, "summary").ptr, "1 export, 0 API endpoints, 1 dependent, ");
    json_decref(v);
    v = call("rag_query_impact", "{\"file_path\": \"src/orders.js\"}");
    kt_eq_text(ken_json_text(first(v, "apiEndpoints")), "POST …/orders");
    json_decref(v);
    stop_app();
}

KEN_TEST(health_and_a_missing_rag_folder)
{
    make_shop();
    start_app();
    char args[500];
    snprintf(args, sizeof args, "{\"project_root\": \"%s\"}", root);
    fails("rag_index", args, "has no .rag folder. Run rag_setup first");
    make_rag();
    json_decref(index_shop());
    json_t *v = call("rag_health_check", "{}");
    kt_true(is_true(v, "healthy"));
    kt_eq_text(text(v, "queryTest"), "passed");
    kt_eq_text(ken_json_text(first(v, "warnings")), "Missing constraint file: CONSTRAINTS.md");
    kt_true(is_true(json_object_get(v, "constraintFiles"), "ARCHITECTURE.yml"));
    kt_true(number(json_object_get(v, "collections"), "codebase", "chunks") > 0);
    kt_eq_u(text(v, "lastIndexed").len, strlen("2026-02-20T14:30:00.000Z"));
    json_decref(v);
    ktest_write("shop/ARCHITECTURE.yml", "constraints:\n  - rule: [a\n");
    v = call("rag_health_check", "{}");
    kt_false(is_true(v, "healthy"));
    kt_has_str(ken_json_text(first(v, "issues")).ptr, "ARCHITECTURE.yml:3:1: not valid YAML");
    json_decref(v);
    v = index_shop();
    kt_eq_text(text(first(v, "errors"), "file"), "ARCHITECTURE.yml");
    json_decref(v);
    stop_app();
}

KEN_TEST(a_project_that_has_gone_is_named)
{
    setup();
    json_decref(index_shop());
    kt_eq_i(rename(root, ktest_path("away")), 0);
    fails("rag_check_constraints", "{\"change_description\": \"add a route\"}", "is gone");
    fails("rag_index", "{}", "is gone");
    fails("rag_health_check", "{}", "is gone");
    json_decref(call("rag_status", "{}"));
    stop_app();
}

// S3-32, S3-119: what was set up last is meant, wherever the client works; T10: before that, where it works.
KEN_TEST(the_folder_served_is_meant_until_a_project_is_set_up)
{
    make_shop();
    git("init");
    ktest_write("other/a.js", "export const a = 1;\n");
    ktest_write("other/CLAUDE.md", "- Handlers never sleep in the other project.\n");
    (void)mkdir(ktest_path("other/.rag"), 0755);
    start_app();
    ctx.cwd = ken_str_c(ktest_path("shop/src"));
    json_t *v = call("rag_check_constraints", "{\"change_description\": \"add an endpoint\"}");
    kt_eq_text(text(v, "projectRoot"), root);
    kt_null(json_object_get(v, "projectNote"));
    kt_eq_text(text(first(v, "constraints"), "content"),
               "ALL endpoints MUST call requireAuth first.");
    json_decref(v);
    fails("rag_index", "{}", "has no .rag folder. Run rag_setup first");
    char args[500];
    const char *other = ktest_path("other");
    snprintf(args, sizeof args, "{\"project_root\": \"%s\"}", other);
    json_decref(call("rag_index", args));
    v = call("rag_index", "{}");
    kt_eq_text(text(v, "projectRoot"), other);
    json_decref(v);
    v = call("rag_check_constraints", "{\"change_description\": \"add a handler\"}");
    kt_eq_text(text(v, "projectRoot"), other);
    kt_has_str(text(v, "projectNote").ptr, "the project that was set up or indexed last");
    json_decref(v);
    snprintf(args, sizeof args, "{\"change_description\": \"add it\", \"project\": \"%s\"}", root);
    v = call("rag_check_constraints", args);
    kt_eq_text(text(v, "projectRoot"), root);
    kt_null(json_object_get(v, "projectNote"));
    json_decref(v);
    stop_app();
}

// S3-45, S3-113: what is missing is a line on stderr, and no failure.
KEN_TEST(an_empty_collection_is_a_warning_on_stderr)
{
    char said[4000] = "";
    int ends[2], saved = dup(STDERR_FILENO);
    setup();
    kt_eq_i(unlink(ktest_path("shop/docs/patterns/api.md")), 0);
    ktest_write("shop/ARCHITECTURE.yml", "constraints: [a\n");
    json_decref(index_shop());
    kt_eq_i(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    json_t *v = call("rag_check_constraints", "{\"change_description\": \"add a route\"}");
    dup2(saved, STDERR_FILENO);
    close(saved);
    close(ends[1]);
    kt_true(read(ends[0], said, sizeof said - 1) > 0);
    close(ends[0]);
    kt_eq_text(text(v, "status"), "success");
    kt_has_str(said, "[codebase_rag_mcp] Warning: collection 'patterns' has nothing");
    kt_has_str(said, "[codebase_rag_mcp] Warning: ARCHITECTURE.yml:2:1");
    json_decref(v);
    stop_app();
}

// S3-11: rules are what cannot be found by searching.
KEN_TEST(what_does_not_fit_is_code_first_and_the_summary_counts_what_is_there)
{
    setup();
    char line[200];
    ken_buf rules = KEN_BUF_INIT(8000);
    ken_buf_puts(&rules, "version: 1\nconstraints:\n");
    for (int i = 0; i < 12; i++) {
        ken_buf_printf(
            &rules,
            "  - id: order-%d\n    rule: Orders of kind %d MUST be checked by their route.\n", i,
            i);
        snprintf(line, sizeof line, "shop/src/order%d.js", i);
        ktest_write(line, "export function checkOrder(order) {\n  // orders are checked by routes\n"
                          "  return order.kind && order.route && order.total > 0;\n}\n");
    }
    ktest_write("shop/ARCHITECTURE.yml", rules.ptr);
    ken_buf_release(&rules);
    json_decref(index_shop());
    ctx.max_bytes = 6000;
    json_t *v = call("rag_check_constraints",
                     "{\"change_description\": \"check orders by route\", \"num_results\": 12}");
    size_t n_examples = json_array_size(json_object_get(v, "examples"));
    kt_eq_u(json_array_size(json_object_get(v, "constraints")), 12);
    kt_true(n_examples < 12);
    kt_true(is_true(v, "truncated"));
    snprintf(line, sizeof line, " %zu of 12 examples are shown.", n_examples);
    kt_has_str(text(v, "summary").ptr, "Found 12 constraints, 1 pattern, 12 examples");
    kt_has_str(text(v, "summary").ptr, line);
    kt_true(ken_json_dump_size(v) <= 6000);
    json_decref(v);
    stop_app();
}

// S3-68, S3-114, S3-81: what is in no collection is told by file; what is in one says where it stands.
KEN_TEST(files_that_are_no_text_are_errors_and_examples_say_which_chunk_they_are)
{
    setup();
    ktest_write("shop/src/latin.js", "// caf\xe9 \xe9t\xe9 na\xefve \xfc\xf6\xe4\nconst a = 1;\n");
    json_t *v = index_shop();
    kt_eq_u(json_array_size(json_object_get(v, "errors")), 1);
    kt_eq_text(text(first(v, "errors"), "file"), "src/latin.js");
    kt_has_str(text(first(v, "errors"), "error").ptr, "is not UTF-8 text");
    kt_eq_i(number(v, NULL, "filesIndexed"), 4);
    json_decref(v);
    v = call("rag_check_constraints", "{\"change_description\": \"requireAuth of a route\"}");
    const json_t *e = first(v, "examples");
    kt_eq_text(text(e, "language"), "javascript");
    kt_eq_i(number(e, NULL, "chunkIndex"), 0);
    kt_eq_i(number(e, NULL, "totalChunks"), 1);
    kt_eq_text(text(e, "header"), "# File: src/auth.js (chunk 1/1)");
    json_decref(v);
    stop_app();
}

KEN_TEST(code_is_explained_with_the_rules_that_speak_of_it)
{
    setup();
    json_decref(index_shop());
    json_t *v = call("explain_code",
                     "{\"file_path\": \"src/orders.js\", \"line_start\": 5, \"line_end\": 7}");
    kt_eq_u(json_array_size(json_object_get(v, "rules")), 1);
    kt_eq_text(text(first(v, "rules"), "rule"), "ALL endpoints MUST call requireAuth first.");
    kt_eq_text(text(first(v, "rules"), "at"), "ARCHITECTURE.yml:3");
    json_decref(v);
    v = call("explain_code",
             "{\"file_path\": \"src/auth.js\", \"line_start\": 1, \"line_end\": 2}");
    kt_null(json_object_get(v, "rules"));
    json_decref(v);
    stop_app();
}

KEN_TEST(index_repository_makes_a_project_current)
{
    setup();
    char args[500];
    snprintf(args, sizeof args, "{\"repo_path\": \"%s\"}", root);
    json_decref(call("index_repository", args));
    json_t *v = call("rag_status", "{}");
    kt_eq_text(text(v, "projectRoot"), root);
    kt_false(is_true(v, "indexed"));
    json_decref(v);
    stop_app();
}
