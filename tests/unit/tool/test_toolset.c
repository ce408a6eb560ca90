// SPDX-License-Identifier: MIT
// The registry: built-in specs, sets, read-only, names; and how arguments reach a tool.
#include <string.h>

#include "json/json.h"
#include "ktest.h"
#include "tool/tool_priv.h"

static ken_status echo(const ken_tool_env *env, const void *args, json_t **out, ken_err *err)
{
    (void)args;
    (void)err;
    *out = json_deep_copy(env->given);
    return KEN_OK;
}

static const ken_tool_alias aliases[] = { { "max_results", "limit" }, { "path", "repo_path" } };

static const ken_tool_spec spec = {
    .name = "echo",
    .set = "lab",
    .is_read_only = true,
    .aliases = aliases,
    .n_aliases = 2,
    .listing = "{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\",\"properties\":{"
               "\"query\":{\"type\":\"string\",\"minLength\":1},"
               "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":50},"
               "\"types\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
               "\"path\":{\"type\":\"string\"},\"repo_path\":{\"type\":\"string\"}},"
               "\"additionalProperties\":false}}",
};

static const ken_tool_def defs[] = { { &spec, echo, NULL } };

static ken_toolset *lab_set(void)
{
    ken_toolset *t = NULL;
    ken_err err = { 0 };
    kt_ok_err(ken_toolset_new(&(ken_toolset_opts){ .defs = defs, .n_defs = 1 }, &t, &err), &err);
    return t;
}

// Calls echo; what it got as JSON text, or the error's message.
static void passes(const char *args, const char *want)
{
    ken_toolset *t = lab_set();
    json_t *in = NULL, *out = NULL;
    ken_err err = { 0 };
    ken_buf text = KEN_BUF_INIT(0);
    kt_ok_err(ken_json_parse(ken_str_c(args), &in, &err), &err);
    ken_status st = ken_tool_call(NULL, "echo", in, &(ken_tool_ctx){ .tools = t }, &out, &err);
    if (st)
        ken_buf_puts(&text, err.msg);
    else
        ken_json_dump(out, &text);
    kt_eq_text(ken_buf_str(&text), want);
    ken_buf_release(&text);
    json_decref(in);
    json_decref(out);
    ken_toolset_free(t);
}

KEN_TEST(arguments_are_made_ready)
{
    passes("{}", "{}");
    passes("{\"query\":\"  x y \\n\",\"limit\":null}", "{\"query\":\"x y\"}");
    passes("{\"max_results\":5}", "{\"limit\":5}");
    passes("{\"max_results\":5,\"limit\":5}", "{\"limit\":5}");
    passes("{\"path\":\"/x\"}", "{\"repo_path\":\"/x\"}");
    passes("{\"limit\":5.0}", "{\"limit\":5}");
    passes("{\"types\":\" a \"}", "{\"types\":[\"a\"]}");
    passes("{\"types\":[\" a\",\"b\"]}", "{\"types\":[\"a\",\"b\"]}");
}

KEN_TEST(arguments_are_refused_with_a_reason)
{
    passes("[]", "arguments must be an object");
    passes("{\"query\":\"  \"}", "args.query must not be empty");
    passes("{\"max_results\":5,\"limit\":6}",
           "args.limit and another name for it hold different values; give one of them");
    passes("{\"max_results\":99}", "args.limit: 99 is over 50");
    passes("{\"types\":[1]}", "args.types[0]: 1 is not of type string");
    passes("{\"qery\":\"x\"}", "args: unknown name 'qery'; did you mean 'query'?");
    passes("{\"limit\":5.5}", "args.limit: 5.5 is not of type integer");
    passes("{\"limit\":\"5\"}", "args.limit: \"5\" is not of type integer");
}

KEN_TEST(unknown_tools_are_named)
{
    ken_toolset *t = lab_set();
    json_t *out = NULL;
    ken_err err = { 0 };
    ken_tool_ctx ctx = { .tools = t };
    kt_status(ken_tool_call(NULL, "ehco", NULL, &ctx, &out, &err), KEN_ENOTFOUND);
    kt_eq_str(err.msg, "unknown tool 'ehco'; did you mean 'echo'?");
    kt_status(ken_tool_call(NULL, "zzzzzzzzz", NULL, &ctx, &out, &err), KEN_ENOTFOUND);
    kt_eq_str(err.msg, "unknown tool 'zzzzzzzzz'");
    ken_toolset_free(t);
}

KEN_TEST(built_in_tools_are_complete)
{
    static const char *const names[] = {
        "search_code",       "search",
        "get_definition",    "find_usages",
        "explain_code",      "trace_execution",
        "get_architecture",  "query_impact",
        "build_context",     "outline",
        "nodeSource",        "index_repository",
        "get_repo_status",   "list_projects",
        "sync_repository",   "create_task",
        "get_task",          "list_tasks",
        "update_task",       "delete_task",
        "checkpoint_save",   "checkpoint_search",
        "checkpoint_list",   "checkpoint_get",
        "checkpoint_delete", "rag_setup",
        "rag_index",         "rag_check_constraints",
        "rag_query_impact",  "rag_health_check",
        "rag_status",
    };
    ken_toolset *t = NULL;
    ken_err err = { 0 };
    kt_ok_err(ken_toolset_new(&(ken_toolset_opts){ 0 }, &t, &err), &err);
    kt_eq_u(ken_toolset_count(t), sizeof names / sizeof *names);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        kt_eq_str(ken_toolset_name(t, i), names[i]);
        kt_true(ken_toolset_has(t, ken_str_c(names[i])));
        kt_true(ken_toolset_timeout_ms(t, ken_str_c(names[i])) > 0);
    }
    kt_eq_str(ken_toolset_nearest(t, KEN_STR("searchcode")), "search_code");
    kt_eq_str(ken_toolset_nearest(t, KEN_STR("node_source")), "nodeSource");
    kt_null(ken_toolset_nearest(t, KEN_STR("make_coffee")));
    ken_toolset_free(t);
}

// The seeds' parameter names are all taken.
KEN_TEST(parameters_of_every_source_are_known)
{
    static const struct {
        const char *tool, *names[8];
    } rows[] = {
        { "search_code", { "query", "repository_id", "file_type", "directory", "limit" } },
        { "search_code", { "search_type", "max_results", "file_filter", "similarity_threshold" } },
        { "index_repository", { "repo_path", "force_reindex" } },
        { "index_repository", { "path", "include_patterns", "exclude_patterns", "max_file_size" } },
        { "get_definition", { "symbol_name", "file_hint" } },
        { "find_usages", { "symbol_name", "include_context" } },
        { "explain_code", { "file_path", "line_start", "line_end" } },
        { "trace_execution", { "entry_point", "max_depth" } },
        { "get_architecture", { "focus_area" } },
        { "sync_repository", { "force" } },
        { "checkpoint_search", { "query", "project_path", "tags" } },
        { "checkpoint_list", { "project_path", "limit" } },
    };
    ken_toolset *t = NULL;
    ken_buf list = KEN_BUF_INIT(0);
    json_t *tools = NULL;
    kt_ok(ken_toolset_new(&(ken_toolset_opts){ 0 }, &t, NULL));
    ken_toolset_list(t, &list);
    kt_ok(ken_json_parse(ken_buf_str(&list), &tools, NULL));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t k = 0; k < json_array_size(tools); k++) {
            const json_t *tool = json_array_get(tools, k);
            if (!ken_str_eq_c(ken_json_text(json_object_get(tool, "name")), rows[i].tool))
                continue;
            const json_t *props =
                json_object_get(json_object_get(tool, "inputSchema"), "properties");
            for (size_t n = 0; rows[i].names[n]; n++)
                kt_not_null(json_object_get(props, rows[i].names[n]));
        }
    }
    json_decref(tools);
    ken_buf_release(&list);
    ken_toolset_free(t);
}

static size_t count_of(const char *set, bool is_read_only)
{
    ken_str name = ken_str_c(set);
    ken_toolset *t = NULL;
    ken_err err = { 0 };
    ken_toolset_opts opts = { .sets = &name, .n_sets = 1, .is_read_only = is_read_only };
    kt_ok_err(ken_toolset_new(&opts, &t, &err), &err);
    size_t n = ken_toolset_count(t);
    ken_toolset_free(t);
    return n;
}

KEN_TEST(sets_and_read_only_choose)
{
    kt_eq_u(count_of("search", false), 11);
    kt_eq_u(count_of("index", false), 4);
    kt_eq_u(count_of("index", true), 2);
    kt_eq_u(count_of("tasks", false), 5);
    kt_eq_u(count_of("tasks", true), 2);
    kt_eq_u(count_of("checkpoints", false), 5);
    kt_eq_u(count_of("checkpoints", true), 3);
    kt_eq_u(count_of("rules", false), 6);
    kt_eq_u(count_of("rules", true), 4);
    kt_eq_u(count_of("all", false), 31);
    ken_str bad = KEN_STR("serch");
    ken_toolset *t = NULL;
    ken_err err = { 0 };
    kt_status(ken_toolset_new(&(ken_toolset_opts){ .sets = &bad, .n_sets = 1 }, &t, &err),
              KEN_EINVAL);
    kt_eq_str(err.msg, "toolset 'serch' is none of all, search, index, tasks, checkpoints, rules");
}

KEN_TEST(read_only_calls_change_nothing)
{
    json_t *out = NULL;
    ken_err err = { 0 };
    kt_status(ken_tool_call(NULL, "index_repository", NULL, &(ken_tool_ctx){ .is_read_only = true },
                            &out, &err),
              KEN_EPERM);
}

KEN_TEST(broken_specs_are_refused)
{
    static const char *const bad[] = {
        "{",
        "{\"name\":\"x\"}",
        "{\"name\":\"x\",\"inputSchema\":{\"oneOf\":[]}}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const ken_tool_spec broken = { .name = "x", .set = "lab", .listing = bad[i] };
        ken_tool_def def = { &broken, echo, NULL };
        ken_toolset *t = NULL;
        kt_true(ken_toolset_new(&(ken_toolset_opts){ .defs = &def, .n_defs = 1 }, &t, NULL) != 0);
        kt_null(t);
    }
}

// The struct that a tool gets has what was given and the defaults of the specification.
KEN_TEST(arguments_fill_a_struct)
{
    typedef struct answer_args {
        ken_str name, mode;
        uint64_t limit;
        double threshold;
        bool is_wide, has_limit;
        const json_t *tags;
    } answer_args;
    static const ken_tool_arg args[] = {
        { "name", KEN_ARG_STR, offsetof(answer_args, name), SIZE_MAX, { .number = 0 } },
        { "mode", KEN_ARG_STR, offsetof(answer_args, mode), SIZE_MAX, { .text = "hybrid" } },
        { "limit",
          KEN_ARG_U64,
          offsetof(answer_args, limit),
          offsetof(answer_args, has_limit),
          { .number = 10 } },
        { "threshold",
          KEN_ARG_REAL,
          offsetof(answer_args, threshold),
          SIZE_MAX,
          { .number = 0.5 } },
        { "wide", KEN_ARG_BOOL, offsetof(answer_args, is_wide), SIZE_MAX, { .number = 1 } },
        { "tags", KEN_ARG_JSON, offsetof(answer_args, tags), SIZE_MAX, { .number = 0 } },
    };
    const ken_tool_spec s = { .args = args, .n_args = 6, .args_size = sizeof(answer_args) };
    answer_args a;
    json_t *given = json_object();
    ken_tool__read_args(&s, given, &a);
    kt_null(a.name.ptr);
    kt_eq_text(a.mode, "hybrid");
    kt_eq_u(a.limit, 10);
    kt_true(a.threshold > 0.49 && a.threshold < 0.51 && a.is_wide && !a.has_limit && !a.tags);
    json_decref(given);
    kt_ok(ken_json_parse(KEN_STR("{\"name\":\"\",\"limit\":3,\"wide\":false,\"tags\":[1],"
                                 "\"threshold\":1}"),
                         &given, NULL));
    ken_tool__read_args(&s, given, &a);
    kt_true(a.name.ptr && !a.name.len && a.has_limit && !a.is_wide && json_is_array(a.tags));
    kt_eq_u(a.limit, 3);
    kt_true(a.threshold > 0.99);
    json_decref(given);
}

KEN_TEST(errors_say_what_to_do)
{
    ken_buf b = KEN_BUF_INIT(0);
    ken_err err = { 0 };
    (void)KEN_FAIL(&err, KEN_EBUSY, "index 'x' is being written");
    ken_tool_error_text(&err, &b);
    kt_eq_text(ken_buf_str(&b), "Error: index 'x' is being written. Try again in a moment.");
    ken_buf_clear(&b);
    (void)KEN_FAIL(&err, KEN_ENOTFOUND, "no such thing; try another");
    ken_tool_error_text(&err, &b);
    kt_eq_text(ken_buf_str(&b), "Error: no such thing; try another");
    ken_buf_clear(&b);
    ken_tool_error_text(&(ken_err){ .status = KEN_EIO }, &b);
    kt_eq_text(ken_buf_str(&b), "Error: input/output error");
    ken_buf_release(&b);
}
