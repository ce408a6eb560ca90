// SPDX-License-Identifier: MIT
// The tools on a real app with real indexes: scope, first use, read-only, paging, freshness, size.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/map.h"
#include "model/skip.h"
#include "tool_lab.h"

static const json_t *first(const json_t *v, const char *list)
{
    return json_array_get(json_object_get(v, list), 0);
}

// A folder with one C file that defines `name`; its path.
static const char *make_tree(const char *dir, const char *name)
{
    char rel[200], body[400];
    snprintf(rel, sizeof rel, "%s/src/%s.c", dir, name);
    snprintf(body, sizeof body,
             "// Counts the %s of a basket.\nint %s(int a)\n{\n    return a + 1;\n}\n", name, name);
    ktest_write(rel, body);
    return ktest_path(dir);
}

KEN_TEST(projects_never_meet)
{
    const char *a = make_tree("a", "apples"), *b = make_tree("b", "bananas");
    lab l;
    lab_open(&l, "");
    char args[2][400];
    snprintf(args[0], sizeof args[0], "{\"path\":\"%s\"}", a);
    snprintf(args[1], sizeof args[1], "{\"repo_path\":\"%s\",\"name\":\"bee\"}", b);
    json_t *one = call(&l, "index_repository", args[0]);
    json_t *two = call(&l, "index_repository", args[1]);
    kt_eq_text(text(one, "status"), "success");
    kt_eq_i(json_integer_value(json_object_get(one, "files_indexed")), 1);
    // Several projects, none named.
    fails(&l, "search_code", "{\"query\":\"basket\"}", KEN_EINVAL, "bee");
    json_t *v = call(&l, "search_code", "{\"query\":\"basket\",\"project\":\"bee\"}");
    kt_eq_u(json_array_size(json_object_get(v, "results")), 1);
    kt_eq_text(text(first(v, "results"), "file_path"), "src/bananas.c");
    json_decref(v);
    v = call(&l, "search_code", "{\"query\":\"basket\",\"project\":\"*\"}");
    kt_eq_u(json_array_size(json_object_get(v, "results")), 2);
    kt_true(text(first(v, "results"), "project").len > 0);
    json_decref(v);
    // Bound to one, the other is not there.
    l.ctx.project = text(one, "repository_id");
    v = call(&l, "search_code", "{\"query\":\"basket\"}");
    kt_eq_text(text(first(v, "results"), "file_path"), "src/apples.c");
    json_decref(v);
    fails(&l, "search_code", "{\"query\":\"x\",\"project\":\"bee\"}", KEN_EPERM, "only");
    fails(&l, "search_code", "{\"query\":\"x\",\"project\":\"nowhere\"}", KEN_EPERM, "only");
    fails(&l, "search_code", "{\"query\":\"x\",\"project\":\"*\"}", KEN_EPERM, "one project");
    fails(&l, "index_repository", args[1], KEN_EPERM, "only");
    v = call(&l, "list_projects", "{}");
    kt_eq_u(json_array_size(json_object_get(v, "projects")), 1);
    json_decref(v);
    json_decref(call(&l, "index_repository", args[0]));
    json_decref(one);
    json_decref(two);
    lab_close(&l);
}

KEN_TEST(a_work_tree_is_indexed_on_first_use)
{
    const char *dir = make_tree("tree", "cherries");
    ktest_write("tree/.git/HEAD", "ref: refs/heads/main\n");
    lab l;
    lab_open(&l, ktest_path("tree/src/x"));
    l.ctx.is_read_only = true;
    fails(&l, "search_code", "{\"query\":\"basket\"}", KEN_ENOTFOUND, "index_repository");
    l.ctx.is_read_only = false;
    l.ctx.is_reading = true; // as a resource
    fails(&l, "search_code", "{\"query\":\"basket\"}", KEN_ENOTFOUND, "index_repository");
    l.ctx.is_reading = false;
    json_t *v = call(&l, "search_code", "{\"query\":\"basket\"}");
    kt_eq_text(text(first(v, "results"), "file_path"), "src/cherries.c");
    kt_eq_i(json_integer_value(json_object_get(json_object_get(v, "index"), "generation")), 1);
    json_decref(v);
    lab_close(&l);
    // Another folder does not become a project by being asked about.
    lab_open(&l, "");
    char args[400];
    const char *other = make_tree("other", "dates");
    snprintf(args, sizeof args, "{\"symbol_name\":\"dates\",\"project\":\"%s\"}", other);
    fails(&l, "get_definition", args, KEN_ENOTFOUND, "index_repository");
    char named[400];
    snprintf(named, sizeof named, "{\"repo_path\":\"%s\"}", other);
    json_decref(call(&l, "index_repository", named));
    v = call(&l, "get_definition", args);
    kt_eq_text(text(first(v, "definitions"), "symbol_name"), "dates");
    json_decref(v);
    lab_close(&l);
    (void)dir;
}

KEN_TEST(nothing_is_indexed_says_so)
{
    lab l;
    lab_open(&l, "");
    fails(&l, "search_code", "{\"query\":\"x\"}", KEN_ENOTFOUND, "index_repository");
    fails(&l, "get_repo_status", "{\"project\":\"x\"}", KEN_ENOTFOUND, "list_projects");
    json_t *v = call(&l, "list_projects", "{}");
    kt_has_str(text(v, "hint").ptr, "index_repository");
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(equal_files_count_each_as_users_of_a_type)
{
    lab l;
    lab_open(&l, "");
    char args[400];
    const char *dir = make_tree("twins", "figs");
    ktest_write("twins/src/shape.py", "class Shape:\n    pass\n");
    ktest_write("twins/src/a.py", "from shape import Shape\nround = Shape()\n");
    ktest_write("twins/src/b.py", "from shape import Shape\nround = Shape()\n");
    snprintf(args, sizeof args, "{\"path\":\"%s\"}", dir);
    json_decref(call(&l, "index_repository", args));
    for (int i = 0; i < 2; i++) {
        json_t *v = call(&l, "get_architecture", "{}");
        const json_t *type = first(v, "key_types");
        kt_eq_text(text(type, "name"), "Shape");
        kt_eq_i(json_integer_value(json_object_get(type, "used_by")), 2);
        json_decref(v);
        snprintf(args, sizeof args, "{\"path\":\"%s\",\"force_reindex\":true}", dir);
        json_decref(call(&l, "index_repository", args));
    }
    lab_close(&l);
}

KEN_TEST(answers_follow_the_disk)
{
    lab l;
    lab_open(&l, "");
    char args[400];
    const char *dir = make_tree("fresh", "figs");
    snprintf(args, sizeof args, "{\"path\":\"%s\"}", dir);
    json_decref(call(&l, "index_repository", args));
    ktest_write("fresh/src/figs.c", "\n\n\n// Counts the figs of a basket.\nint figs(int a)\n{\n"
                                    "    return a + 2;\n}\n");
    json_t *v = call(&l, "get_definition", "{\"symbol_name\":\"figs\"}");
    const json_t *d = first(v, "definitions");
    kt_eq_i(json_integer_value(json_object_get(d, "start_line")), 5);
    kt_has_str(text(d, "content").ptr, "a + 2");
    kt_null(json_object_get(d, "changed_since_index"));
    json_decref(v);
    v = call(&l, "search_code", "{\"query\":\"basket figs\",\"context_lines\":0}");
    kt_has_str(text(first(v, "results"), "content").ptr, "a + 2");
    kt_null(json_object_get(json_object_get(v, "index"), "stale"));
    json_decref(v);
    ktest_write("fresh/src/figs.c", "int dates;\n");
    v = call(&l, "get_repo_status", "{}"); // looks, and leaves it as it is
    kt_eq_text(text(v, "status"), "stale");
    const json_t *p = json_object_get(v, "pending_changes");
    kt_eq_i(json_integer_value(json_object_get(p, "modified")), 1);
    kt_eq_i(json_integer_value(json_object_get(p, "total")), 1);
    json_decref(v);
    ktest_write("fresh/src/new.c", "int plums;\n");
    unlink(ktest_path("fresh/src/figs.c"));
    v = call(&l, "get_repo_status", "{}");
    p = json_object_get(v, "pending_changes");
    kt_eq_i(json_integer_value(json_object_get(p, "added")), 1);
    kt_eq_i(json_integer_value(json_object_get(p, "removed")), 1);
    json_decref(v);
    json_decref(call(&l, "index_repository", args));
    v = call(&l, "get_repo_status", "{}");
    kt_eq_text(text(v, "status"), "ready");
    json_decref(v);
    lab_close(&l);
}

// T11: a path from where the client is, a file for the project that holds it.
KEN_TEST(t11_a_file_or_a_relative_path_names_its_project)
{
    const char *dir = make_tree("tree", "cherries");
    lab l;
    lab_open(&l, dir);
    json_t *v = call(&l, "index_repository", "{\"repo_path\":\".\"}");
    ken_str id = text(v, "repository_id");
    json_t *of_file = call(&l, "index_repository", "{\"repo_path\":\"src/cherries.c\"}");
    kt_eq_text(text(of_file, "repository_id"), id.ptr);
    kt_eq_i(json_integer_value(json_object_get(of_file, "files_indexed")), 1);
    json_decref(of_file);
    json_decref(v);
    // Of no project, and in no work tree: its folder is to be named.
    ktest_write("loose/a.c", "int a;\n");
    char args[400];
    snprintf(args, sizeof args, "{\"repo_path\":\"%s\"}", ktest_path("loose/a.c"));
    fails(&l, "index_repository", args, KEN_EINVAL, "name its folder");
    ktest_write("loose/.git/HEAD", "ref: refs/heads/main\n");
    v = call(&l, "index_repository", args);
    kt_eq_text(text(json_object_get(v, "project"), "name"), "loose");
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(t11_folders_that_cannot_be_read_are_errors)
{
    const char *dir = make_tree("tree", "cherries");
    const bool is_root = !geteuid();
    lab l;
    ken_err err = { 0 };
    ktest_write("data/x/.keep", "");
    ktest_write("config/.keep", "");
    setenv("XDG_CONFIG_HOME", ktest_path("config"), 1);
    ktest_write("tree/closed/a.c", "int a;\n");
    kt_eq_i(chmod(ktest_dir(), 0755), 0);
    kt_eq_i(chmod(ktest_path("data/x"), 0777), 0);
    kt_eq_i(chmod(ktest_path("tree/closed"), 0), 0);
    lab_open(&l, dir);
    if (is_root && seteuid(65534)) // root may read everything
        kt_skip("user", "root cannot become another user");
    json_t *v = try_call(&l, "index_repository", "{\"repo_path\":\".\"}", &err);
    if (is_root)
        kt_eq_i(seteuid(0), 0);
    lab_close(&l);
    kt_ok_err(err.status, &err);
    kt_eq_i(chmod(ktest_path("tree/closed"), 0755), 0);
    kt_eq_text(text(v, "status"), "partial");
    kt_eq_text(text(first(v, "errors"), "file_path"), "closed/");
    json_decref(v);
}

// S4-9, C50: a call ends when its time is over, says how far it got, and the next one goes on.
KEN_TEST(s4_8_a_run_says_how_many_files_by_which_patterns_and_when)
{
    lab l;
    lab_open(&l, "");
    ktest_write("scoped/a.py", "a = 1\n");
    ktest_write("scoped/b.py", "b = 1\n");
    ktest_write("scoped/c.md", "# c\n");
    char args[500];
    snprintf(args, sizeof args,
             "{\"path\":\"%s\",\"include_patterns\":[\"*.py\"],\"exclude_patterns\":[\"b.*\"]}",
             ktest_path("scoped"));
    json_t *v = call(&l, "index_repository", args);
    kt_eq_i(json_integer_value(json_object_get(v, "files_indexed")), 1);
    kt_eq_text(ken_json_text(json_array_get(json_object_get(v, "include_patterns"), 0)), "*.py");
    kt_eq_text(ken_json_text(json_array_get(json_object_get(v, "exclude_patterns"), 0)), "b.*");
    kt_true(json_object_get(v, "timestamp") != NULL);
    json_decref(v);
    // The texts of the seed.
    snprintf(args, sizeof args, "{\"path\":\"%s\",\"include_patterns\":[\"[\"]}",
             ktest_path("scoped"));
    fails(&l, "index_repository", args, KEN_EINVAL, "include_patterns[0]: glob '['");
    fails(&l, "index_repository", args, KEN_EINVAL, "(invalid pattern)");
    fails(&l, "index_repository", "{\"path\":\"/dev/null\"}", KEN_EINVAL,
          "invalid path: '/dev/null' is not a folder");
    snprintf(args, sizeof args, "{\"project\":\"%s\",\"file_path\":\"../x\"}",
             ktest_path("scoped"));
    fails(&l, "outline", args, KEN_ENOTFOUND, "path traversal detected: '../x'");
    lab_close(&l);
}

KEN_TEST(s4_18_files_in_a_list_have_an_estimate_of_their_tokens)
{
    lab l;
    ktest_write("noted/a.py", "def a():\n    return 12345678\n");
    lab_open(&l, ktest_path("noted"));
    json_decref(call(&l, "index_repository", "{\"path\":\".\"}"));
    json_t *v = call(&l, "checkpoint_list", "{\"include_indexed\":true}");
    kt_eq_text(text(first(v, "checkpoints"), "summary"), "Indexed file: a.py");
    kt_eq_i(json_integer_value(json_object_get(first(v, "checkpoints"), "token_count")), 8);
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(t11_a_call_has_a_time_limit)
{
    char rel[80];
    ken_buf body = KEN_BUF_INIT(0);
    lab l;
    for (int k = 0; k < 300; k++)
        ken_buf_printf(&body, "int function_%d(int a)\n{\n    return a * %d;\n}\n\n", k, k);
    for (int i = 0; i < 500; i++) {
        snprintf(rel, sizeof rel, "big/d%d/f%d.c", i % 40, i);
        ken_buf_printf(&body, "// %d\n", i);
        ktest_write(rel, body.ptr);
    }
    ken_buf_release(&body);
    lab_open(&l, ktest_path("big"));
    json_t *v = call(&l, "index_repository", "{\"repo_path\":\".\",\"timeout_seconds\":1}");
    bool is_over = json_is_true(json_object_get(v, "timed_out"));
    kt_eq_text(text(v, "status"), is_over ? "partial" : "success");
    if (is_over) {
        kt_has_str(text(v, "note").ptr, "the next run goes on from there");
        kt_eq_i(json_integer_value(json_object_get(v, "files_total")), 500);
    }
    json_decref(v);
    v = call(&l, "index_repository", "{\"repo_path\":\".\"}");
    kt_eq_text(text(v, "status"), "success");
    kt_eq_i(json_integer_value(json_object_get(v, "files_indexed")), 500);
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(t12_a_directory_outside_is_refused_by_name)
{
    static const struct {
        const char *tool, *args;
    } calls[] = {
        { "search_code", "{\"query\":\"cherries\",\"directory\":\"../..\"}" },
        { "search_code",
          "{\"query\":\"cherries\",\"search_type\":\"text\",\"directory\":\"src/../..\"}" },
        { "build_context", "{\"query\":\"cherries\",\"directory\":\"..\"}" },
        { "get_architecture", "{\"directory\":\"../..\"}" },
        { "dead_code", "{\"directory\":\"../..\"}" },
        { "list_routes", "{\"directory\":\"../..\"}" },
    };
    lab l;
    lab_open(&l, make_tree("tree", "cherries"));
    json_decref(call(&l, "index_repository", "{\"repo_path\":\".\"}"));
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        fails(&l, calls[i].tool, calls[i].args, KEN_EINVAL, "args.directory: '");
    lab_close(&l);
}

// "src/.." is the root and "src/../src" is src, in every operation that takes a folder or a file.
KEN_TEST(a_path_that_stays_inside_may_have_dots)
{
    static const struct {
        const char *tool, *args;
    } calls[] = {
        { "search_code", "{\"query\":\"cherries\",\"directory\":\"src/../src\"}" },
        { "search", "{\"query\":\"cherries\",\"path\":\"src/..\"}" },
        { "build_context", "{\"query\":\"cherries\",\"directory\":\"src/..\"}" },
        { "get_architecture", "{\"directory\":\"src/../src\"}" },
        { "list_routes", "{\"directory\":\"src/..\"}" },
        { "outline", "{\"file_path\":\"src/../src/cherries.c\"}" },
        { "list_chunks", "{\"file_path\":\"src/../src/cherries.c\"}" },
    };
    lab l;
    lab_open(&l, make_tree("tree", "cherries"));
    json_decref(call(&l, "index_repository", "{\"repo_path\":\".\"}"));
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        json_t *v = call(&l, calls[i].tool, calls[i].args), *list = json_object_get(v, "results");
        kt_true(!list || json_array_size(list) > 0);
        json_decref(v);
    }
    fails(&l, "search", "{\"query\":\"cherries\",\"path\":\"..\"}", KEN_EINVAL, "directory: '..'");
    lab_close(&l);
}

// What only the command line and the API have: the same shapes, and nothing of it for agents.
KEN_TEST(operations_that_agents_are_not_offered)
{
    static const struct {
        const char *tool, *args, *list;
    } calls[] = {
        { "tests_for", "{\"symbol\":\"cherries\"}", "tests" },
        { "tests_for", "{\"file_path\":\"src/cherries.c\"}", "tests" },
        { "dead_code", "{\"all\":true}", "dead" },
        { "hotspots", "{}", "hotspots" },
        { "list_routes", "{}", "routes" },
        { "list_chunks", "{\"file_path\":\"src/cherries.c\",\"content\":true}", "chunks" },
        { "stats", "{}", "languages" },
        { "list_secrets", "{}", "masked" },
        { "check_rules", "{}", "violations" },
        { "check_rules", "{\"format\":\"sarif\"}", "runs" },
        { "get_repo_status", "{\"skipped\":\"all\"}", "skipped" },
    };
    lab l;
    ken_err err = { 0 };
    ken_toolset *listed = NULL;
    json_t *out = NULL;
    lab_open(&l, make_tree("tree", "cherries"));
    json_decref(call(&l, "index_repository", "{\"repo_path\":\".\"}"));
    kt_ok_err(ken_toolset_new(&(ken_toolset_opts){ 0 }, &listed, &err), &err);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        json_t *v = call(&l, calls[i].tool, calls[i].args), *args = NULL;
        if (!json_is_array(json_object_get(v, calls[i].list)))
            kt_fail("%s %s: no list '%s'", calls[i].tool, calls[i].args, calls[i].list);
        json_decref(v);
        ken_tool_ctx ctx = l.ctx;
        ctx.tools = listed;
        kt_ok_err(ken_json_parse(ken_str_c(calls[i].args), &args, &err), &err);
        kt_true(ken_tool_call(l.app, calls[i].tool, args, &ctx, &out, &err) != KEN_OK);
        json_decref(args);
    }
    ken_toolset_free(listed);
    fails(&l, "tests_for", "{}", KEN_EINVAL, "give one of symbol and file_path");
    fails(&l, "check_rules", "{\"rules\":[\"nmaes\"]}", KEN_EINVAL, "no rule with a check");
    fails(&l, "remove_project", "{\"project\":\"tree\"}", KEN_EINVAL, "confirm");
    json_t *v = call(&l, "get_repo_status", "{\"root\":\"/nowhere/at/all\"}");
    kt_eq_text(text(v, "status"), "not_indexed");
    json_decref(v);
    json_decref(call(&l, "remove_project", "{\"project\":\"tree\",\"confirm\":true}"));
    v = call(&l, "list_projects", "{}");
    kt_eq_u(json_array_size(json_object_get(v, "projects")), 0);
    json_decref(v);
    lab_close(&l);
}

// Every reason has its word among those that are accepted.
KEN_TEST(skipped_files_are_listed_by_every_reason)
{
    lab l;
    char args[100];
    lab_open(&l, make_tree("tree", "cherries"));
    json_decref(call(&l, "index_repository", "{\"repo_path\":\".\"}"));
    for (int i = 1; i < KEN_SKIP_COUNT; i++) {
        snprintf(args, sizeof args, "{\"skipped\":\"%s\"}", ken_skip_word((ken_skip_reason)i));
        json_decref(call(&l, "get_repo_status", args));
    }
    lab_close(&l);
}

KEN_TEST(what_a_reader_may_not_bring_in_is_told)
{
    static const char told[] = "2 changed files are not in the index yet (1 new, 1 removed)";
    lab l;
    lab_open(&l, "");
    char args[400];
    snprintf(args, sizeof args, "{\"path\":\"%s\"}", make_tree("told", "figs"));
    json_decref(call(&l, "index_repository", args));
    ktest_write("told/src/new.c", "int plums(int a)\n{\n    return a;\n}\n");
    unlink(ktest_path("told/src/figs.c"));
    l.ctx.is_read_only = true;
    json_t *v = call(&l, "search_code", "{\"query\":\"plums\"}");
    kt_has_str(text(v, "incomplete").ptr, told);
    json_decref(v);
    fails(&l, "get_definition", "{\"symbol_name\":\"plums\"}", KEN_ENOTFOUND, told);
    l.ctx.is_read_only = false;
    v = call(&l, "get_definition", "{\"symbol_name\":\"plums\"}");
    kt_null(json_object_get(v, "incomplete"));
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(long_answers_are_cut_between_results)
{
    lab l;
    lab_open(&l, "");
    for (int i = 0; i < 40; i++) {
        char rel[60], body[6000];
        snprintf(rel, sizeof rel, "big/src/part%d.c", i);
        size_t n = (size_t)snprintf(body, 80, "// basket %d\nint part%d(int a)\n{\n", i, i);
        for (int k = 0; k < 40; k++)
            n += (size_t)snprintf(body + n, 60, "    a = a * %d + \"\\\\\\t\"[a];\n", k);
        snprintf(body + n, 30, "    return a;\n}\n");
        ktest_write(rel, body);
    }
    char args[400];
    snprintf(args, sizeof args, "{\"path\":\"%s\"}", ktest_path("big"));
    json_decref(call(&l, "index_repository", args));
    json_t *v = call(&l, "search_code", "{\"query\":\"basket\",\"limit\":40}");
    size_t n = json_array_size(json_object_get(v, "results"));
    kt_true(ken_json_dump_size(v) < 25000);
    kt_true(n > 3 && n < 40);
    kt_true(json_is_true(json_object_get(v, "truncated")));
    kt_has_str(text(v, "hint").ptr, "limit");
    kt_eq_i(json_integer_value(json_object_get(v, "next_offset")), (json_int_t)n);
    // Going on from there gives others.
    snprintf(args, sizeof args, "{\"query\":\"basket\",\"limit\":40,\"offset\":%zu}", n);
    json_t *next = call(&l, "search_code", args);
    ken_str path = text(first(next, "results"), "file_path");
    kt_true(path.len > 0);
    for (size_t i = 0; i < n; i++)
        kt_false(
            ken_str_eq(path, text(json_array_get(json_object_get(v, "results"), i), "file_path")));
    json_decref(next);
    json_decref(v);
    v = call(&l, "search_code", "{\"query\":\"basket\",\"limit\":40,\"format\":\"text\"}");
    kt_true(json_is_string(v) && json_string_length(v) < 6000 && json_string_length(v) > 2000);
    json_decref(v);
    v = call(&l, "search_code", "{\"query\":\"basket\",\"limit\":40,\"max_tokens\":1500}");
    kt_true(ken_json_dump_size(v) <= 6000);
    json_decref(v);
    // However little room there is, the best is shown, and going on gets further.
    v = call(&l, "search_code", "{\"query\":\"basket\",\"limit\":40,\"max_tokens\":200}");
    kt_eq_u(json_array_size(json_object_get(v, "results")), 1);
    kt_true(text(first(v, "results"), "content").len >= 100);
    kt_true(json_is_true(json_object_get(first(v, "results"), "content_truncated")));
    kt_eq_i(json_integer_value(json_object_get(v, "next_offset")), 1);
    json_decref(v);
    // Lines around the results give way before results do.
    v = call(&l, "search_code", "{\"query\":\"basket\",\"limit\":40,\"context_lines\":20}");
    kt_eq_u(json_array_size(json_object_get(v, "results")), n);
    json_decref(v);
    lab_close(&l);
}

static size_t count_nodes(const json_t *list, ken_map *seen)
{
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *node = json_array_get(list, i);
        bool is_new;
        ken_map_put(seen, text(node, "id"), 1, &is_new);
        kt_true(is_new);
        n += 1 + count_nodes(json_object_get(node, "children"), seen);
    }
    return n;
}

static bool lists_symbol(const json_t *chunk, const char *name)
{
    const json_t *symbols = json_object_get(chunk, "symbols");
    for (size_t i = 0; i < json_array_size(symbols); i++)
        if (ken_str_eq_c(text(json_array_get(symbols, i), "name"), name))
            return true;
    return false;
}

// Reads a list page by page as it says where to go on: every item once, as many as `total`.
static void walk(lab *l, const char *tool, const char *args, const char *list)
{
    ken_map seen;
    json_int_t offset = 0, total = 0;
    size_t n_pages = 0;
    ken_map_init(&seen);
    do {
        char page[500];
        snprintf(page, sizeof page, "{%s\"offset\":%lld}", args, (long long)offset);
        json_t *v = call(l, tool, page);
        const json_t *items = json_object_get(v, list);
        offset = json_integer_value(json_object_get(v, "next_offset"));
        total = json_integer_value(json_object_get(v, "total"));
        kt_eq_u(json_is_true(json_object_get(v, "truncated")), offset > 0);
        for (size_t i = 0; i < json_array_size(items); i++) {
            ken_buf one = KEN_BUF_INIT(0);
            bool is_new;
            ken_json_dump(json_array_get(items, i), &one);
            ken_map_put(&seen, ken_buf_str(&one), 1, &is_new);
            kt_true(is_new);
            ken_buf_release(&one);
        }
        json_decref(v);
    } while (++n_pages < 100 && offset);
    kt_eq_u(seen.len, (uint64_t)total);
    kt_true(n_pages > 1);
    ken_map_release(&seen);
}

KEN_TEST(t4_every_list_is_paged_to_its_end)
{
    lab l;
    char rel[60], args[400];
    ken_buf body = KEN_BUF_INIT(0);
    for (int i = 0; i < 6; i++) {
        snprintf(rel, sizeof rel, "many/keys%d.tfvars", i);
        ktest_write(rel, "x = 1\n");
        ken_buf_printf(&body, "const char *t%d = \"gh%s%d\";\n", i,
                       "p_9fQ2kX7bLm4ZtR8sWv3YcN6dHj1GpA5eUo0", i);
    }
    ktest_write("many/tokens.c", body.ptr);
    ken_buf_clear(&body);
    for (int i = 0; i < 20; i++) {
        ken_buf_printf(&body, "int part%d(int a)\n{\n", i);
        for (int k = 0; k < 40; k++)
            ken_buf_printf(&body, "    a = a * %d + other_part_of_it(a, %d);\n", k, i);
        ken_buf_puts(&body, "    return a;\n}\n\n");
    }
    ktest_write("many/parts.c", body.ptr);
    ken_buf_release(&body);
    lab_open(&l, "");
    for (int i = 0; i < 8; i++) {
        char name[20];
        snprintf(name, sizeof name, "small%d", i);
        snprintf(args, sizeof args, "{\"path\":\"%s\"}", make_tree(name, name));
        json_decref(call(&l, "index_repository", args));
    }
    snprintf(args, sizeof args, "{\"path\":\"%s\"}", ktest_path("many"));
    json_decref(call(&l, "index_repository", args));
    snprintf(args, sizeof args, "\"project\":\"%s\",\"limit\":4,", ktest_path("many"));
    walk(&l, "list_secrets", args, "masked");
    snprintf(args, sizeof args, "\"project\":\"%s\",\"skipped\":\"all\",\"limit\":4,",
             ktest_path("many"));
    walk(&l, "get_repo_status", args, "skipped");
    l.ctx.max_bytes = 1200; // what fits is the page
    walk(&l, "list_projects", "", "projects");
    snprintf(args, sizeof args, "\"project\":\"%s\",\"file_path\":\"parts.c\",",
             ktest_path("many"));
    walk(&l, "list_chunks", args, "chunks");
    lab_close(&l);
}

// Two small definitions share a chunk: a result and a list of chunks name both, and say of the main one what a
// chunk store says.
KEN_TEST(chunks_say_what_they_belong_to)
{
    lab l;
    lab_open(&l, "");
    ktest_write("shop/till.java", "package org.shop;\n\nimport java.util.List;\n\n"
                                  "/** Counts the coins. */\nprivate class Till {\n"
                                  "    int coins() { return 1; }\n}\n\n"
                                  "public class Purse {\n    int notes() { return 2; }\n}\n");
    char args[400];
    snprintf(args, sizeof args, "{\"path\":\"%s\"}", ktest_path("shop"));
    json_decref(call(&l, "index_repository", args));

    json_t *v = call(&l, "search", "{\"query\":\"counts the coins of a Till\",\"embedded\":true}");
    const json_t *hit = first(v, "results");
    kt_eq_text(text(hit, "symbol_name"), "Till");
    kt_eq_text(text(hit, "visibility"), "private");
    kt_eq_text(text(hit, "package_name"), "org.shop");
    kt_eq_text(text(hit, "doc_string"), "/** Counts the coins. */");
    kt_true(json_is_false(json_object_get(hit, "is_collapsed")));
    kt_eq_i(json_integer_value(json_object_get(hit, "total_chunks")), 1);
    kt_true(lists_symbol(hit, "Till") && lists_symbol(hit, "Purse"));
    kt_true(ken_str_starts(text(hit, "embedded_text"),
                           KEN_STR("till.java (java)\npackage org.shop\nprivate class Till\n")));
    json_decref(v);

    v = call(&l, "list_chunks", "{\"file_path\":\"till.java\"}");
    const json_t *chunk = first(v, "chunks");
    kt_eq_text(text(chunk, "package_name"), "org.shop");
    kt_true(lists_symbol(chunk, "Till") && lists_symbol(chunk, "Purse"));
    kt_null(json_object_get(chunk, "embedded_text"));
    json_decref(v);

    // A file that changed since is read again, with its package.
    ktest_write("shop/till.java", "package org.mall;\n\n/** Counts the coins. */\n"
                                  "protected class Till {\n    int coins() { return 1; }\n}\n");
    v = call(&l, "list_chunks", "{\"file_path\":\"till.java\",\"embedded\":true}");
    chunk = first(v, "chunks");
    kt_eq_text(text(chunk, "package_name"), "org.mall");
    kt_eq_text(text(chunk, "visibility"), "protected");
    kt_has_str(text(chunk, "embedded_text").ptr, "package org.mall\nprotected class Till\n");
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(what_runs_changed_is_listed)
{
    lab l;
    const char *dir = make_tree("tree", "cherries");
    char args[400];
    lab_open(&l, "");
    snprintf(args, sizeof args, "{\"path\":\"%s\"}", dir);
    json_decref(call(&l, "index_repository", args));
    json_t *v = call(&l, "get_repo_status", "{\"changes\":true}");
    kt_eq_u(json_array_size(json_object_get(v, "changes")), 0);
    json_decref(v);
    ktest_write("tree/src/dates.c", "int dates(void);\n");
    json_decref(call(&l, "index_repository", args));
    kt_eq_i(unlink(ktest_path("tree/src/dates.c")), 0);
    json_decref(call(&l, "index_repository", args));
    v = call(&l, "get_repo_status", "{\"changes\":true,\"limit\":1}");
    kt_eq_u(json_array_size(json_object_get(v, "changes")), 1);
    kt_eq_text(text(first(v, "changes"), "file_path"), "src/dates.c");
    kt_eq_text(text(first(v, "changes"), "event"), "deleted");
    kt_eq_i(json_integer_value(json_object_get(first(v, "changes"), "generation")), 3);
    json_decref(v);
    lab_close(&l);
}

// The sizes of a project's settings: plain text by 500 lines, without overlap.
KEN_TEST(sizes_of_chunks_are_settings)
{
    lab l;
    char args[400];
    ken_buf code = KEN_BUF_INIT(0);
    for (int i = 0; i < 600; i++)
        ken_buf_printf(&code, "line %d\n", i);
    ken_buf_putc(&code, '\0');
    lab_open(&l, "");
    ktest_write("sized/.ken.yaml", "indexing:\n  chunk_size_lines: 500\n  chunk_overlap_lines: 0\n"
                                   "  chunk_max_tokens: 8000\n");
    ktest_write("sized/a.txt", code.ptr);
    snprintf(args, sizeof args, "{\"path\":\"%s\"}", ktest_path("sized"));
    json_decref(call(&l, "index_repository", args));
    json_t *v = call(&l, "list_chunks", "{\"file_path\":\"a.txt\"}");
    const json_t *chunks = json_object_get(v, "chunks");
    kt_eq_u(json_array_size(chunks), 2);
    kt_eq_i(json_integer_value(json_object_get(json_array_get(chunks, 0), "end_line")), 500);
    kt_eq_i(json_integer_value(json_object_get(json_array_get(chunks, 1), "start_line")), 501);
    json_decref(v);
    ken_buf_release(&code);
    lab_close(&l);
}

// An embedded script comes behind all else in the facts, and stands in the outline where it is in the file.
KEN_TEST(an_outline_is_in_the_order_of_the_file)
{
    lab l;
    lab_open(&l, "");
    ktest_write("page/a.html",
                "<script>\nfunction first() {}\n</script>\n<style>\n.b { top: 1px }\n"
                "</style>\n<p>x</p>\n");
    ktest_write("page/a.php", "<b>x</b>\n<?php\nfunction second() {}\n?>\n<i>y</i>\n");
    char args[400];
    snprintf(args, sizeof args, "{\"path\":\"%s\"}", ktest_path("page"));
    json_decref(call(&l, "index_repository", args));
    json_t *v = call(&l, "outline", "{\"file_path\":\"a.html\"}");
    const json_t *roots = json_object_get(v, "symbols");
    kt_eq_u(json_array_size(roots), 3);
    kt_eq_text(text(first(json_array_get(roots, 0), "children"), "name"), "first");
    kt_eq_text(text(first(json_array_get(roots, 1), "children"), "name"), ".b");
    kt_eq_text(text(json_array_get(roots, 2), "name"), "p");
    json_decref(v);
    v = call(&l, "outline", "{\"file_path\":\"a.php\"}");
    long long line = 0;
    const json_t *node;
    size_t i;
    json_array_foreach(json_object_get(v, "symbols"), i, node)
    {
        long long at = (long long)json_integer_value(json_object_get(node, "start_line"));
        kt_true(at >= line);
        line = at;
    }
    kt_true(i > 0);
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(s2_42_s2_43_code_blocks_and_links_stand_under_their_heading)
{
    lab l;
    ktest_write("md/read.md",
                "[top](a.md)\n\n# One\n\n```sh\nmake\n```\n\n## Two\n\nSee [b](b.md).\n\n"
                "# Three\n\n[c](c.md)\n");
    lab_open(&l, ktest_path("md"));
    json_decref(call(&l, "index_repository", "{\"path\":\".\"}"));
    json_t *v =
        call(&l, "outline", "{\"file_path\":\"read.md\",\"links\":true,\"format\":\"text\"}");
    kt_eq_str(json_string_value(v), "read.md (markdown, 15 lines)\n"
                                    "1 top -> a.md\n"
                                    "3-11 # One\n"
                                    "  5-7 code sh\n"
                                    "  9-11 ## Two\n"
                                    "    11 b -> b.md\n"
                                    "13-15 # Three\n"
                                    "  15 c -> c.md\n");
    json_decref(v);
    v = call(&l, "outline", "{\"file_path\":\"read.md\"}");
    kt_null(json_object_get(first(v, "symbols"), "code_blocks"));
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(an_outline_can_be_paged_to_its_end)
{
    lab l;
    lab_open(&l, "");
    ken_buf code = KEN_BUF_INIT(0);
    for (int k = 0; k < 60; k++) {
        ken_buf_printf(&code, "class Shelf%d:\n", k);
        for (int i = 0; i < 20; i++)
            ken_buf_printf(&code, "    def lamp_%d(self, colour, size):\n        pass\n", i);
    }
    ken_buf_putc(&code, '\0');
    ktest_write("long/a.py", code.ptr);
    char args[400];
    snprintf(args, sizeof args, "{\"path\":\"%s\"}", ktest_path("long"));
    json_decref(call(&l, "index_repository", args));
    ken_map seen;
    ken_map_init(&seen);
    size_t n = 0, n_pages = 0;
    for (long long offset = 0; offset >= 0 && n_pages < 100; n_pages++) {
        snprintf(args, sizeof args, "{\"file_path\":\"a.py\",\"offset\":%lld}", offset);
        json_t *v = call(&l, "outline", args);
        kt_true(ken_json_dump_size(v) < 25000);
        n += count_nodes(json_object_get(v, "symbols"), &seen);
        const json_t *next = json_object_get(v, "next_offset");
        offset = next ? (long long)json_integer_value(next) : -1;
        json_decref(v);
    }
    kt_eq_u(n, 60 * 21);
    kt_true(n_pages > 3 && n_pages < 100);
    ken_map_release(&seen);
    ken_buf_release(&code);
    lab_close(&l);
}

KEN_TEST(every_id_of_an_outline_is_found)
{
    lab l;
    lab_open(&l, "");
    ktest_write("out/page.html", "<html><body><div><div>a</div><div>b</div></div></body></html>\n");
    ktest_write("out/a.py", "class A:\n    def f(self):\n        pass\n    def f(self):\n"
                            "        return 1\n\nclass A:\n    def f(self):\n        return 2\n");
    char args[500];
    snprintf(args, sizeof args, "{\"path\":\"%s\"}", ktest_path("out"));
    json_decref(call(&l, "index_repository", args));
    static const char *const files[] = { "page.html", "a.py" };
    for (size_t i = 0; i < 2; i++) {
        snprintf(args, sizeof args, "{\"file_path\":\"%s\"}", files[i]);
        json_t *v = call(&l, "outline", args);
        const json_t *stack[64];
        size_t depth = 0, n = 0;
        kt_true(json_array_size(json_object_get(v, "symbols")) > 0);
        for (size_t k = 0; k < json_array_size(json_object_get(v, "symbols")); k++)
            stack[depth++] = json_array_get(json_object_get(v, "symbols"), k);
        while (depth) {
            const json_t *node = stack[--depth];
            json_t *in = json_object(), *out = NULL;
            ken_err err = { 0 };
            ken_json_set_str(in, "id", text(node, "id"));
            kt_ok_err(ken_tool_call(l.app, "nodeSource", in, &l.ctx, &out, &err), &err);
            kt_eq_i(json_integer_value(json_object_get(out, "end_line")),
                    json_integer_value(json_object_get(node, "end_line")));
            json_decref(out);
            json_decref(in);
            n++;
            const json_t *list = json_object_get(node, "children");
            for (size_t k = 0; k < json_array_size(list) && depth < 64; k++)
                stack[depth++] = json_array_get(list, k);
        }
        kt_eq_i((json_int_t)n, json_integer_value(json_object_get(v, "total")));
        json_decref(v);
    }
    json_t *v = call(&l, "outline", "{\"file_path\":\"a.py\",\"depth\":1}");
    kt_null(json_object_get(first(v, "symbols"), "children"));
    json_decref(v);
    fails(&l, "outline", "{\"file_path\":\"../x\"}", KEN_ENOTFOUND, "");
    lab_close(&l);
}

KEN_TEST(chunk_types_and_kinds_filter)
{
    lab l;
    lab_open(&l, "");
    ktest_write("mix/a.py", "class Basket:\n    \"\"\"A basket.\"\"\"\n    def weigh(self):\n"
                            "        return 1\n");
    ktest_write("mix/b.md", "# Basket\n\nA basket of things.\n");
    char args[400];
    snprintf(args, sizeof args, "{\"path\":\"%s\"}", ktest_path("mix"));
    json_decref(call(&l, "index_repository", args));
    json_t *v = call(&l, "search_code", "{\"query\":\"basket\",\"file_type\":\"md\"}");
    kt_eq_u(json_array_size(json_object_get(v, "results")), 1);
    kt_eq_text(text(first(v, "results"), "file_path"), "b.md");
    json_decref(v);
    v = call(&l, "search_code", "{\"query\":\"basket\",\"chunk_type\":[\"class\",\"function\"]}");
    for (size_t i = 0; i < json_array_size(json_object_get(v, "results")); i++)
        kt_eq_text(text(json_array_get(json_object_get(v, "results"), i), "file_path"), "a.py");
    json_decref(v);
    v = call(&l, "search_code", "{\"query\":\"basket\",\"directory\":\"none\"}");
    kt_eq_u(json_array_size(json_object_get(v, "results")), 0);
    kt_has_str(text(v, "hint").ptr, "filters");
    json_decref(v);
    v = call(&l, "search_code", "{\"query\":\"weigh\",\"explain\":true}");
    kt_true(json_array_size(json_object_get(first(v, "results"), "explain")) > 0);
    json_decref(v);
    lab_close(&l);
}

// ---- what a question wants ----------------------------------------------------------------------

static void make_shop(void)
{
    ktest_write("shop/src/basket.py",
                "def add_item(basket, item):\n    basket.append(item)\n\n\n"
                "class Checkout:\n    def pay(self, basket):\n        add_item(basket, 1)\n");
    ktest_write("shop/src/other.py", "def helper(basket):\n    return len(basket)\n");
}

KEN_TEST(a_question_is_answered_by_its_intent)
{
    make_shop();
    lab l;
    lab_open(&l, "");
    char args[400];
    snprintf(args, sizeof args, "{\"path\":\"%s\"}", ktest_path("shop"));
    json_decref(call(&l, "index_repository", args));
    json_t *v = call(&l, "search_code", "{\"query\":\"where is add_item defined\"}");
    kt_eq_text(text(v, "intent"), "find_definition");
    kt_eq_text(text(v, "strategy"), "symbol lookup, dependency traversal, hybrid");
    kt_eq_text(text(first(v, "definitions"), "file_path"), "src/basket.py");
    kt_eq_text(text(first(v, "definitions"), "signature"), "def add_item(basket, item):");
    kt_eq_text(text(json_object_get(v, "next"), "tool"), "get_definition");
    kt_true(json_array_size(json_object_get(v, "results")) > 0);
    json_decref(v);
    // As the caller says, or not at all.
    v = call(&l, "search_code", "{\"query\":\"add_item\",\"intent\":\"find_similar\"}");
    kt_eq_text(text(v, "intent"), "find_similar");
    kt_eq_text(text(json_object_get(json_object_get(v, "next"), "arguments"), "query"),
               "src/basket.py:1");
    json_decref(v);
    static const char *const plain[] = {
        "{\"query\":\"where is add_item defined\",\"intent\":\"none\"}",
        "{\"query\":\"where is add_item defined\",\"search_type\":\"hybrid\"}",
        "{\"query\":\"basket items\"}",
        "{\"query\":\"symbol:add_item\"}",
    };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        v = call(&l, "search_code", plain[i]);
        kt_null(json_object_get(v, "intent"));
        kt_null(json_object_get(v, "next"));
        json_decref(v);
    }
    fails(&l, "search_code", "{\"query\":\"x\",\"intent\":\"find\"}", KEN_EINVAL, "find_usage");
    v = call(&l, "search_code", "{\"query\":\"explain Checkout.pay\",\"format\":\"text\"}");
    kt_has_str(json_string_value(v), "src/basket.py:6-7 method Checkout.pay\n");
    json_decref(v);
    lab_close(&l);
}

// The text answers of a tool, each asked for from where the one before says to go on. `seen[i]` counts the
// lines that hold `mark` and then the number i.
static void page_through(lab *l, const char *tool, const char *arguments, const char *mark,
                         unsigned *seen)
{
    long offset = 0;
    for (int n_pages = 0; n_pages < 200; n_pages++) {
        char args[300];
        snprintf(args, sizeof args, "{%s,\"format\":\"text\",\"offset\":%ld}", arguments, offset);
        json_t *v = call(l, tool, args);
        ken_str rest = ken_json_text(v), line;
        long next = 0;
        while (ken_str_line_next(&rest, &line)) {
            char buf[200];
            snprintf(buf, sizeof buf, KEN_STR_FMT, KEN_STR_ARG(ken_str_sub(line, 0, 190)));
            const char *at = strstr(buf, mark);
            if (at)
                seen[strtol(at + strlen(mark), NULL, 10)]++;
            if (!strncmp(buf, "more: offset ", 13))
                next = strtol(buf + 13, NULL, 10);
        }
        json_decref(v);
        if (!next)
            return;
        kt_true(next > offset);
        offset = next;
    }
    kt_fail("%s: the pages do not end", tool);
}

// However small a page is: nothing is passed over.
KEN_TEST(pages_of_text_lead_through_everything)
{
    enum {
        N = 30
    };
    static const struct {
        const char *tool, *arguments, *mark;
        bool is_once; // a result with code stands on two lines
    } rows[] = {
        { "search_code", "\"query\":\"packs a basket\",\"limit\":7", "many/basket_", false },
        { "search_code", "\"query\":\"packs a basket\",\"limit\":20,\"max_tokens\":200",
          "many/basket_", false },
        { "search_code",
          "\"query\":\"packs a basket\",\"limit\":20,\"max_tokens\":200,\"context_lines\":20",
          "many/basket_", true },
        { "search_code", "\"query\":\"pack(items\",\"search_type\":\"text\",\"limit\":4",
          "many/basket_", true },
        { "find_usages", "\"symbol_name\":\"pack\",\"role\":\"call\",\"limit\":7", "7 in basket_",
          true },
        { "search", "\"query\":\"packs a basket\",\"topK\":7", "many/basket_", true },
        { "search_code",
          "\"query\":\"packs a basket\",\"limit\":4,\"chunk_type\":[\"function\",\"lines\"],"
          "\"context_lines\":0",
          "many/basket_", true },
    };
    lab l;
    char path[60], body[300];
    for (int i = 0; i < N; i++) {
        snprintf(path, sizeof path, "paged/many/basket_%d.py", i);
        snprintf(body, sizeof body,
                 "from core import pack\n\n\ndef basket_%d(items):\n"
                 "    # Packs a basket, and again a basket, so that the code\n"
                 "    # is longer than a line or two.\n    return pack(items, %d)\n",
                 i, i);
        ktest_write(path, body);
    }
    ktest_write("paged/core.py", "def pack(items, n):\n    return items[:n]\n");
    lab_open(&l, ktest_path("paged"));
    json_decref(call(&l, "index_repository", "{\"path\":\".\"}"));
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        unsigned seen[N] = { 0 };
        page_through(&l, rows[r].tool, rows[r].arguments, rows[r].mark, seen);
        for (int i = 0; i < N; i++)
            if (!seen[i] || (rows[r].is_once && seen[i] > 1))
                kt_fail("%s {%s}: %d is seen %u times", rows[r].tool, rows[r].arguments, i,
                        seen[i]);
    }
    lab_close(&l);
}

KEN_TEST(s0_113_s2_124_an_archived_project_is_left_alone)
{
    const char *a = make_tree("a", "apples");
    char args[300];
    lab l;
    lab_open(&l, "");
    snprintf(args, sizeof args, "{\"path\":\"%s\"}", a);
    json_decref(call(&l, "index_repository", args));
    snprintf(args, sizeof args, "{\"path\":\"%s\"}", make_tree("b", "bananas"));
    json_decref(call(&l, "index_repository", args));
    json_t *v = call(&l, "archive_project", "{\"project\":\"a\"}");
    kt_true(json_is_false(json_object_get(v, "is_active")));
    json_decref(v);
    v = call(&l, "list_projects", "{}");
    kt_eq_text(text(first(v, "projects"), "status"), "archived");
    kt_true(json_is_false(json_object_get(first(v, "projects"), "is_active")));
    json_decref(v);
    // The other one is the only one now, and all there is.
    v = call(&l, "search_code", "{\"query\":\"basket\"}");
    kt_eq_text(text(first(v, "results"), "file_path"), "src/bananas.c");
    json_decref(v);
    v = call(&l, "search_code", "{\"query\":\"basket\",\"project\":\"*\"}");
    kt_eq_u(json_array_size(json_object_get(v, "results")), 1);
    json_decref(v);
    fails(&l, "search_code", "{\"query\":\"basket\",\"project\":\"a\"}", KEN_EPERM,
          "'ken projects archive --undo a' takes it up again");
    snprintf(args, sizeof args, "{\"path\":\"%s\"}", a);
    fails(&l, "index_repository", args, KEN_EPERM, "is archived");
    json_decref(call(&l, "archive_project", "{\"project\":\"a\",\"undo\":true}"));
    v = call(&l, "search_code", "{\"query\":\"basket\",\"project\":\"a\"}");
    kt_eq_text(text(first(v, "results"), "file_path"), "src/apples.c");
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(s2_161_statistics_of_all_projects)
{
    char args[300];
    lab l;
    lab_open(&l, "");
    for (int i = 0; i < 3; i++) {
        snprintf(args, sizeof args, "{\"path\":\"%s\"}",
                 make_tree(i == 0   ? "a"
                           : i == 1 ? "b"
                                    : "c",
                           i == 0 ? "apples" : "bananas"));
        json_decref(call(&l, "index_repository", args));
    }
    json_decref(call(&l, "archive_project", "{\"project\":\"c\"}"));
    json_t *v = call(&l, "stats", "{\"all\":true}");
    kt_eq_u(json_array_size(json_object_get(v, "projects")), 2);
    kt_eq_i(json_integer_value(json_object_get(v, "files")), 2);
    kt_eq_i(json_integer_value(json_object_get(v, "lines")), 10);
    kt_eq_i(json_integer_value(json_object_get(first(v, "projects"), "lines")), 5);
    kt_true(json_integer_value(json_object_get(v, "index_bytes")) >
            json_integer_value(json_object_get(first(v, "projects"), "index_bytes")));
    kt_has_str(text(first(v, "without_index"), "reason").ptr, "is archived");
    json_decref(v);
    v = call(&l, "stats", "{\"project\":\"*\",\"format\":\"text\"}");
    kt_has_str(json_string_value(v), "\nall ");
    json_decref(v);
    lab_close(&l);
}

// As in one project: each result of both is on one page, and the best come first.
KEN_TEST(t4_a_search_over_all_projects_is_paged)
{
    lab l;
    char name[40], body[200], args[200];
    lab_open(&l, "");
    for (int p = 0; p < 2; p++) {
        for (int i = 0; i < 8; i++) {
            snprintf(name, sizeof name, "all%d/pack_%d%d.py", p, p, i);
            snprintf(body, sizeof body, "# Packs a basket.\ndef pack_%d%d():\n    return %d\n", p,
                     i, i);
            ktest_write(name, body);
        }
        snprintf(args, sizeof args, "{\"path\":\"%s\"}", ktest_path(p ? "all1" : "all0"));
        json_decref(call(&l, "index_repository", args));
    }
    static const char *const modes[] = { "hybrid", "text", "lexical" };
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        json_int_t offset = 0;
        double last = 2;
        ken_map seen;
        ken_map_init(&seen);
        do {
            snprintf(args, sizeof args,
                     "{\"query\":\"packs a basket\",\"project\":\"*\",\"search_type\":\"%s\","
                     "\"limit\":3,\"offset\":%d}",
                     modes[m], (int)offset);
            json_t *v = call(&l, "search_code", args), *list = json_object_get(v, "results");
            kt_eq_i(json_integer_value(json_object_get(v, "total")) >= 16 ||
                        json_is_true(json_object_get(v, "total_is_at_least")),
                    1);
            for (size_t i = 0; i < json_array_size(list); i++) {
                const json_t *hit = json_array_get(list, i);
                double score = json_number_value(json_object_get(hit, "similarity_score"));
                kt_true(score <= last);
                last = score;
                bool is_new;
                ken_map_put(&seen, text(hit, "file_path"), 1, &is_new);
                kt_true(is_new);
            }
            offset = json_integer_value(json_object_get(v, "next_offset"));
            json_decref(v);
        } while (offset);
        kt_eq_u(seen.len, 16);
        ken_map_release(&seen);
    }
    fails(&l, "search_code", "{\"query\":\"x\",\"project\":\"*\",\"offset\":5000}", KEN_EINVAL,
          "over all projects");
    lab_close(&l);
}

KEN_TEST(c2_lines_of_several_functions_stand_under_their_file)
{
    lab l;
    ken_buf code = KEN_BUF_INIT(0);
    for (int i = 0; i < 9; i++)
        ken_buf_printf(&code, "def use_%d():\n    return needle(%d)\n\n\n", i, i);
    ktest_write("c2/a.py", ken_buf_str(&code).ptr);
    ken_buf_release(&code);
    lab_open(&l, ktest_path("c2"));
    json_decref(call(&l, "index_repository", "{\"path\":\".\"}"));
    json_t *v = call(&l, "search_code",
                     "{\"query\":\"needle\",\"search_type\":\"text\",\"format\":\"text\"}");
    kt_eq_str(json_string_value(v), "a.py\n"
                                    "  2 in use_0: return needle(0)\n"
                                    "  6 in use_1: return needle(1)\n"
                                    "  10 in use_2: return needle(2)\n"
                                    "  14 in use_3: return needle(3)\n"
                                    "  18 in use_4: return needle(4)\n"
                                    "  and 4 more lines\n"
                                    "1 result, text\n");
    json_decref(v);
    v = call(&l, "search_code",
             "{\"query\":\"needle\",\"search_type\":\"text\",\"format\":\"json\"}");
    const json_t *places = json_object_get(first(v, "results"), "places");
    kt_eq_u(json_array_size(places), 9);
    kt_eq_text(text(json_array_get(places, 8), "symbol_name"), "use_8");
    json_decref(v);
    lab_close(&l);
}

// A member of one of two types is as sure as which of them it is of, and the same reason stands with it.
KEN_TEST(a_member_of_what_may_be_one_of_two_says_why_it_is_not_sure)
{
    lab l;
    ktest_write("either/fast.py", "class Box:\n    def open(self):\n        return 1\n");
    ktest_write("either/box.py", "try:\n    from fast import Box\nexcept ImportError:\n"
                                 "    class Box:\n        def open(self):\n            return 2\n");
    ktest_write("either/use.py", "from box import Box\n\n\ndef run():\n    Box().open()\n");
    lab_open(&l, ktest_path("either"));
    json_decref(call(&l, "index_repository", "{\"path\":\".\"}"));
    static const char *const files[] = { "fast.py", "box.py" };
    for (size_t i = 0; i < 2; i++) {
        char args[120];
        snprintf(args, sizeof args,
                 "{\"symbol_name\":\"open\",\"file_hint\":\"%s\",\"format\":\"text\"}", files[i]);
        json_t *v = call(&l, "find_usages", args);
        kt_has_str(json_string_value(v), "5 in run [inferred: one of several of this name");
        json_decref(v);
    }
    lab_close(&l);
}

// A large file among small ones, as a chunk store shows it.
KEN_TEST(s2_26_search_has_several_chunks_of_a_file)
{
    lab l;
    ken_buf body = KEN_BUF_INIT(0);
    for (int i = 0; i < 8; i++) {
        ken_buf_printf(&body, "def weigh_basket_%d(basket):\n", i);
        for (int k = 0; k < 30; k++)
            ken_buf_printf(&body, "    basket.weigh(%d, 'a line that is long')\n", 100 * i + k);
        ken_buf_puts(&body, "\n\n");
    }
    ktest_write("scales/weigh.py", body.ptr);
    ktest_write("scales/other.py", "def basket():\n    return 1\n");
    ken_buf_release(&body);
    lab_open(&l, ktest_path("scales"));
    json_decref(call(&l, "index_repository", "{\"path\":\".\"}"));
    json_t *v = call(&l, "search", "{\"query\":\"weigh basket\",\"topK\":50}");
    const json_t *results = json_object_get(v, "results");
    size_t n = json_array_size(results), n_of_large = 0;
    for (size_t i = 0; i < n; i++)
        n_of_large += ken_str_eq_c(text(json_array_get(results, i), "file_path"), "weigh.py");
    kt_true(n_of_large >= 8);
    kt_eq_u((size_t)json_integer_value(json_object_get(v, "total")), n);
    kt_null(json_object_get(v, "total_is_at_least"));
    kt_null(json_object_get(v, "next_offset"));
    json_decref(v);
    v = call(&l, "search", "{\"query\":\"weigh basket\",\"topK\":2}");
    kt_true(json_is_true(json_object_get(v, "total_is_at_least")));
    kt_eq_i(json_integer_value(json_object_get(v, "next_offset")), 2);
    json_decref(v);
    v = call(&l, "search_code", "{\"query\":\"weigh basket\",\"format\":\"text\"}");
    kt_has_str(ken_json_text(v).ptr, "2 results, hybrid, confidence ");
    json_decref(v);
    lab_close(&l);
}

static void run_git(const char *dir, const char *command)
{
    char all[600];
    snprintf(
        all, sizeof all,
        "cd '%s' && GIT_COMMITTER_DATE='2026-01-0%dT00:00:00Z' git -c user.name='%s' -c user.email=a@b "
        "-c commit.gpgsign=false %s",
        ktest_path(dir), strstr(command, "second") ? 2 : 1,
        strstr(command, "second") ? "Bob" : "Ann", command);
    kt_eq_i(system(all), 0);
}

KEN_TEST(s1_28_who_changed_the_lines_of_a_result)
{
    lab l;
    ktest_write("owned/pay.py", "def pay(basket):\n    return basket.sum\n");
    run_git("owned", "init -q");
    run_git("owned", "add .");
    run_git("owned", "commit -q -m 'pay at all'");
    ktest_write("owned/pay.py", "def pay(basket):\n    return basket.total\n");
    run_git("owned", "commit -q -a -m 'second thoughts'");
    lab_open(&l, ktest_path("owned"));
    json_decref(call(&l, "index_repository", "{\"path\":\".\"}"));
    json_t *v = call(&l, "search_code", "{\"query\":\"pay\",\"history\":true}");
    const json_t *h = json_object_get(first(v, "results"), "history");
    kt_eq_text(text(json_object_get(h, "last"), "author"), "Bob");
    kt_eq_text(text(json_object_get(h, "last"), "subject"), "second thoughts");
    kt_eq_u(json_array_size(json_object_get(h, "authors")), 2);
    json_decref(v);
    v = call(&l, "search_code", "{\"query\":\"pay\",\"history\":true,\"format\":\"text\"}");
    kt_has_str(ken_json_text(v).ptr, " by Bob, ");
    kt_has_str(ken_json_text(v).ptr, "(2 commits, also Ann)");
    json_decref(v);
    v = call(&l, "search_code", "{\"query\":\"pay\"}");
    kt_null(json_object_get(first(v, "results"), "history"));
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(s0_159_files_until_a_time)
{
    lab l;
    ktest_write("times/old.py", "def parcel_old():\n    return 1\n");
    ktest_write("times/new.py", "def parcel_new():\n    return 1\n");
    const struct timespec then[2] = { { 946684800, 0 }, { 946684800, 0 } }; // the year 2000
    kt_eq_i(utimensat(AT_FDCWD, ktest_path("times/old.py"), then, 0), 0);
    lab_open(&l, ktest_path("times"));
    json_decref(call(&l, "index_repository", "{\"path\":\".\"}"));
    json_t *v = call(&l, "search_code", "{\"query\":\"parcel\",\"until\":\"2001-01-01\"}");
    kt_eq_u(json_array_size(json_object_get(v, "results")), 1);
    kt_eq_text(text(first(v, "results"), "file_path"), "old.py");
    json_decref(v);
    v = call(&l, "search_code", "{\"query\":\"parcel\",\"since\":\"2001-01-01\"}");
    kt_eq_text(text(first(v, "results"), "file_path"), "new.py");
    json_decref(v);
    fails(&l, "search_code", "{\"query\":\"parcel\",\"until\":\"soon\"}", KEN_EINVAL, "args.until");
    fails(&l, "search_code",
          "{\"query\":\"parcel\",\"since\":\"2002-01-01\",\"until\":\"2001-01-01\"}", KEN_EINVAL,
          "before since");
    lab_close(&l);
}

KEN_TEST(filters_may_stand_in_the_question)
{
    make_shop();
    lab l;
    lab_open(&l, "");
    char args[400];
    snprintf(args, sizeof args, "{\"path\":\"%s\"}", ktest_path("shop"));
    json_decref(call(&l, "index_repository", args));
    json_t *v = call(&l, "search_code", "{\"query\":\"basket path:other\"}");
    kt_eq_u(json_array_size(json_object_get(v, "results")), 1);
    kt_eq_text(text(first(v, "results"), "file_path"), "src/other.py");
    json_decref(v);
    v = call(&l, "search_code", "{\"query\":\"symbol:pay\"}");
    kt_eq_text(text(v, "strategy"), "symbol");
    kt_eq_text(text(first(v, "results"), "symbol_name"), "Checkout.pay");
    json_decref(v);
    fails(&l, "search_code", "{\"query\":\"x kind:klass\"}", KEN_EINVAL, "kind:klass");
    lab_close(&l);
}

// ---- who uses what ------------------------------------------------------------------------------

static void write_mail(void)
{
    ktest_write("mail/queue.py", "class Queue:\n    def pop(self):\n        return None\n\n"
                                 "    def push(self, item):\n        self.last = item\n");
    ktest_write("mail/sender.py",
                "from queue_of import nothing\nfrom mail_queue import Queue\n\n\n"
                "class Sender:\n    def __init__(self):\n        self.queue = Queue()\n\n"
                "    def run_once(self):\n        item = self.queue.pop()\n"
                "        self.deliver(item)\n\n"
                "    def deliver(self, item):\n        if item is None:\n"
                "            return self.run_once()\n        print(item)\n");
    ktest_write("mail/mail_queue.py", "class Queue:\n    def pop(self):\n        return 1\n\n\n"
                                      "def guess(thing):\n    return thing.pop()\n");
    ktest_write("mail/main.py", "from sender import Sender\n\n\ndef main():\n"
                                "    Sender().run_once()\n\n\n"
                                "if __name__ == \"__main__\":\n    main()\n");
    ktest_write("mail/tests/test_sender.py", "from sender import Sender\n\n\ndef test_run_once():\n"
                                             "    assert Sender().run_once() is None\n");
}

static void index_mail(lab *l)
{
    char args[400];
    write_mail();
    lab_open(l, ktest_path("mail"));
    snprintf(args, sizeof args, "{\"path\":\"%s\"}", ktest_path("mail"));
    json_decref(call(l, "index_repository", args));
}

static const json_t *file_of(const json_t *v, const char *path)
{
    const json_t *files = json_object_get(v, "files");
    for (size_t i = 0; i < json_array_size(files); i++)
        if (ken_str_eq_c(text(json_array_get(files, i), "file_path"), path))
            return json_array_get(files, i);
    return NULL;
}

KEN_TEST(usages_are_resolved_and_not_guessed)
{
    lab l;
    index_mail(&l);
    json_t *v = call(&l, "find_usages", "{\"symbol_name\":\"run_once\"}");
    kt_eq_text(text(first(v, "definitions"), "name"), "Sender.run_once");
    kt_eq_i(json_integer_value(json_object_get(v, "total")), 3);
    const json_t *use = first(file_of(v, "main.py"), "calls");
    kt_eq_i(json_integer_value(json_object_get(use, "line")), 5);
    kt_eq_text(text(use, "in"), "main");
    kt_eq_text(text(use, "text"), "Sender().run_once()");
    kt_eq_text(text(use, "resolution"), "imported");
    kt_eq_text(text(first(file_of(v, "sender.py"), "calls"), "resolution"), "exact");
    kt_true(json_is_true(json_object_get(file_of(v, "tests/test_sender.py"), "is_test")));
    kt_has_str(text(v, "summary").ptr, "3 usages of run_once: 3 calls; 1 in tests");
    json_decref(v);
    // The name alone makes no usage; it is counted.
    v = call(&l, "find_usages", "{\"symbol_name\":\"Queue.pop\",\"file_hint\":\"mail_queue\"}");
    kt_eq_text(text(first(v, "definitions"), "file_path"), "mail_queue.py");
    kt_eq_i(json_integer_value(json_object_get(v, "total")), 1);
    kt_not_null(file_of(v, "sender.py"));
    kt_eq_i(json_integer_value(json_object_get(json_object_get(v, "unresolved"), "total")), 1);
    kt_has_str(text(v, "summary").ptr, "1 more place uses this name and could not be resolved");
    // Who has chosen a file is not offered the others.
    kt_null(json_object_get(v, "other_definitions"));
    kt_null(json_object_get(v, "hint"));
    json_decref(v);
    v = call(&l, "find_usages", "{\"symbol_name\":\"Queue.pop\"}");
    kt_not_null(json_object_get(v, "other_definitions"));
    kt_has_str(text(v, "hint").ptr, "choose one with file_hint, such as '");
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(usages_are_narrowed_and_paged)
{
    lab l;
    index_mail(&l);
    json_t *v = call(&l, "find_usages",
                     "{\"symbol_name\":\"Sender\",\"role\":\"imports\",\"include_context\":false}");
    kt_eq_i(json_integer_value(json_object_get(v, "total")), 2);
    kt_null(json_object_get(first(file_of(v, "main.py"), "imports"), "text"));
    kt_null(json_object_get(file_of(v, "main.py"), "calls"));
    json_decref(v);
    v = call(&l, "find_usages", "{\"symbol_name\":\"run_once\",\"limit\":1}");
    kt_eq_i(json_integer_value(json_object_get(v, "next_offset")), 1);
    kt_true(json_is_true(json_object_get(v, "truncated")));
    json_decref(v);
    v = call(&l, "find_usages", "{\"symbol_name\":\"run_once\",\"limit\":1,\"offset\":2}");
    kt_not_null(file_of(v, "tests/test_sender.py"));
    kt_null(json_object_get(v, "next_offset"));
    json_decref(v);
    v = call(&l, "find_usages", "{\"symbol_name\":\"run_once\",\"format\":\"text\"}");
    kt_has_str(json_string_value(v), "main.py\n  5 in main: Sender().run_once()\n");
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(what_cannot_be_asked_of_the_graph_says_what_to_do)
{
    lab l;
    index_mail(&l);
    fails(&l, "find_usages", "{\"symbol_name\":\"run_onse\"}", KEN_ENOTFOUND, "run_once");
    fails(&l, "find_usages", "{\"symbol_name\":\"Sender\",\"role\":\"cal\"}", KEN_EINVAL,
          "none of call, new");
    fails(&l, "trace_execution", "{\"entry_point\":\"mian\"}", KEN_ENOTFOUND, "main");
    fails(&l, "trace_execution", "{\"entry_point\":\"main\",\"max_depth\":11}", KEN_EINVAL, "10");
    fails(&l, "trace_execution", "{\"entry_point\":\"main\",\"to\":\"nowhere\"}", KEN_ENOTFOUND,
          "nowhere");
    fails(&l, "explain_code", "{\"file_path\":\"../x.py\",\"line_start\":1,\"line_end\":2}",
          KEN_ENOTFOUND, "outside");
    fails(&l, "explain_code", "{\"file_path\":\"sendr.py\",\"line_start\":1,\"line_end\":2}",
          KEN_ENOTFOUND, "not in the index");
    fails(&l, "explain_code", "{\"file_path\":\"main.py\",\"line_start\":3,\"line_end\":2}",
          KEN_EINVAL, "line_end");
    fails(&l, "explain_code", "{\"file_path\":\"main.py\",\"line_start\":30,\"line_end\":99}",
          KEN_EINVAL, "line");
    fails(&l, "query_impact", "{}", KEN_EINVAL, "give one of symbol, file_path and diff");
    fails(&l, "query_impact", "{\"symbol\":\"main\",\"file_path\":\"main.py\"}", KEN_EINVAL,
          "give only one");
    fails(&l, "query_impact", "{\"symbol\":\"mian\"}", KEN_ENOTFOUND, "main");
    fails(&l, "get_architecture", "{\"focus_area\":\"all\"}", KEN_EINVAL, "full");
    lab_close(&l);
}

KEN_TEST(traces_draw_calls_and_mark_cycles)
{
    lab l;
    index_mail(&l);
    json_t *v = call(&l, "trace_execution", "{\"entry_point\":\"run_once\",\"format\":\"text\"}");
    kt_eq_str(json_string_value(v),
              "run_once: 2 callees found, 2 symbols down to depth 2, 1 cycle\n"
              "Sender.run_once sender.py:9\n"
              "  Queue.pop mail_queue.py:2\n"
              "  Sender.deliver sender.py:13\n"
              "    Sender.run_once sender.py:9 (cycle)\n");
    json_decref(v);
    v = call(&l, "trace_execution", "{\"entry_point\":\"main\",\"to\":\"deliver\"}");
    kt_true(json_is_true(json_object_get(v, "has_path")));
    kt_eq_text(text(v, "summary"), "main: reaches deliver in 2 calls");
    kt_eq_u(json_array_size(json_object_get(v, "steps")), 3);
    json_decref(v);
    v = call(&l, "trace_execution", "{\"entry_point\":\"deliver\",\"direction\":\"callers\"}");
    kt_has_str(text(v, "summary").ptr, "deliver: 1 caller found");
    json_decref(v);
    v = call(&l, "trace_execution", "{\"entry_point\":\"guess\",\"direction\":\"callers\"}");
    kt_eq_text(text(v, "summary"), "guess: 0 callers found");
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(lines_are_explained_by_their_neighbours)
{
    lab l;
    index_mail(&l);
    json_t *v =
        call(&l, "explain_code", "{\"file_path\":\"sender.py\",\"line_start\":9,\"line_end\":11}");
    kt_eq_text(text(json_object_get(v, "symbol"), "name"), "Sender.run_once");
    kt_has_str(text(v, "code").ptr, "item = self.queue.pop()");
    kt_eq_u(json_array_size(json_object_get(v, "callees")), 2);
    kt_true(json_array_size(json_object_get(v, "callers")) > 0);
    kt_true(json_array_size(json_object_get(v, "tests")) > 0);
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(t14_an_explanation_counts_tests_and_fits)
{
    lab l;
    ken_buf body = KEN_BUF_INIT(0);
    ken_buf_puts(&body, "def inner(x):\n");
    for (int i = 0; i < 500; i++)
        ken_buf_printf(&body, "    x = x + %d  # a line of a long function\n", i);
    ken_buf_puts(&body, "    return x\n\n\ndef outer(x):\n    return inner(x)\n");
    ktest_write("deep/core.py", body.ptr);
    ktest_write("deep/test_core.py",
                "from core import outer\n\n\ndef test_outer():\n    assert outer(1)\n");
    ken_buf_release(&body);
    lab_open(&l, ktest_path("deep"));
    json_decref(call(&l, "index_repository", "{\"path\":\".\"}"));
    json_t *v =
        call(&l, "explain_code", "{\"file_path\":\"core.py\",\"line_start\":1,\"line_end\":2}");
    kt_eq_i(json_integer_value(json_object_get(v, "tests_total")), 0);
    kt_eq_i(json_integer_value(json_object_get(v, "tests_through_total")), 1);
    kt_eq_text(text(first(v, "tests_through"), "name"), "test_outer");
    kt_has_str(text(v, "summary").ptr, "0 tests (1 test reaches it through others)");
    json_decref(v);
    v = call(&l, "explain_code", "{\"file_path\":\"core.py\",\"line_start\":505,\"line_end\":506}");
    kt_eq_i(json_integer_value(json_object_get(v, "tests_total")), 1);
    kt_null(json_object_get(v, "tests_through"));
    json_decref(v);
    // Fewer tokens: lists stay, code is cut and says where to go on.
    static const char *const sizes[] = { "200", "500", "2000" };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char args[200];
        snprintf(args, sizeof args,
                 "{\"file_path\":\"core.py\",\"line_start\":1,\"line_end\":400,\"max_tokens\":%s,"
                 "\"format\":\"text\"}",
                 sizes[i]);
        v = call(&l, "explain_code", args);
        kt_true(ken_json_text(v).len <= 4 * strtoul(sizes[i], NULL, 10));
        kt_has_str(ken_json_text(v).ptr, "code cut to fit; ask for lines from ");
        kt_has_str(ken_json_text(v).ptr, "callers:\n  outer core.py:505");
        json_decref(v);
    }
    // More lines than are shown at once, with all the room there is.
    v = call(&l, "explain_code",
             "{\"file_path\":\"core.py\",\"line_start\":1,\"line_end\":501,\"format\":\"text\"}");
    kt_has_str(ken_json_text(v).ptr, "lines 1 to 400 are explained; go on from 401");
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(a_change_names_dependents_and_tests)
{
    lab l;
    index_mail(&l);
    json_t *v = call(&l, "query_impact", "{\"symbol\":\"Sender.deliver\"}");
    kt_true(ken_json_dump_size(v) <= 4500);
    kt_eq_text(text(first(v, "changed"), "name"), "Sender.deliver");
    kt_eq_text(text(first(v, "dependents"), "name"), "Sender.run_once");
    kt_eq_text(text(first(v, "dependents"), "resolution"), "exact");
    kt_eq_text(text(first(v, "tests"), "name"), "test_run_once");
    json_decref(v);
    v = call(&l, "query_impact", "{\"file_path\":\"mail_queue.py\",\"format\":\"text\"}");
    kt_has_str(json_string_value(v), "sender.py");
    json_decref(v);
    lab_close(&l);
}

static size_t n_in(const json_t *v, const char *list)
{
    return json_array_size(json_object_get(v, list));
}

KEN_TEST(t9_tests_are_left_out_of_traces_and_impacts_or_alone)
{
#define CALLERS "{\"entry_point\":\"run_once\",\"direction\":\"callers\",\"format\":\"text\","
    lab l;
    index_mail(&l);
    json_t *v = call(&l, "trace_execution", CALLERS "\"tests\":\"exclude\"}");
    kt_eq_str(json_string_value(v),
              "run_once: 2 callers found by 2 usages, 2 symbols up to depth 2, "
              "1 cycle\n"
              "Sender.run_once sender.py:9\n"
              "  main main.py:4\n"
              "  Sender.deliver sender.py:13\n"
              "    Sender.run_once sender.py:9 (cycle)\n");
    json_decref(v);
    v = call(&l, "trace_execution", CALLERS "\"tests\":\"only\"}");
    kt_has_str(json_string_value(v), "test_run_once tests/test_sender.py:4");
    kt_null(strstr(json_string_value(v), "main.py"));
    json_decref(v);
    fails(&l, "trace_execution", "{\"entry_point\":\"main\",\"to\":\"deliver\",\"tests\":\"only\"}",
          KEN_EINVAL, "'only' is for trees");

    json_t *all = call(&l, "query_impact", "{\"symbol\":\"Sender.deliver\"}");
    v = call(&l, "query_impact", "{\"symbol\":\"Sender.deliver\",\"tests\":\"exclude\"}");
    kt_eq_u(n_in(v, "tests"), 0);
    kt_eq_u(n_in(v, "dependents"), n_in(all, "dependents"));
    kt_eq_u(n_in(v, "files"), n_in(all, "files") - 1);
    kt_eq_text(text(v, "summary"), text(all, "summary").ptr); // what is left out is not denied
    json_decref(v);
    v = call(&l, "query_impact", "{\"symbol\":\"Sender.deliver\",\"tests\":\"only\"}");
    kt_eq_text(text(first(v, "tests"), "name"), "test_run_once");
    kt_eq_u(n_in(v, "dependents"), 0);
    kt_eq_u(n_in(v, "files"), 1);
    json_decref(v);
    json_decref(all);
    lab_close(&l);
}

// 25 functions call one, 25 tests another; 25 classes define a method of one name.
static void write_pages(void)
{
    ken_buf users = KEN_BUF_INIT(0), tests = KEN_BUF_INIT(0), boxes = KEN_BUF_INIT(0);
    ken_buf_puts(&users, "from core import pack\n");
    ken_buf_puts(&tests, "from core import pack\n");
    for (int i = 0; i < 25; i++) {
        ken_buf_printf(&users, "def use_%02d():\n    pack(%d)\n", i, i);
        ken_buf_printf(&tests, "def test_%02d():\n    pack(%d)\n", i, i);
        ken_buf_printf(&boxes, "class Box%02d:\n    def seal(self):\n        return %d\n", i, i);
    }
    ktest_write("pages/core.py", "def pack(x):\n    return x\n");
    ktest_write("pages/users.py", ken_buf_str(&users).ptr);
    ktest_write("pages/test_core.py", ken_buf_str(&tests).ptr);
    ktest_write("pages/boxes.py", ken_buf_str(&boxes).ptr);
    ken_buf_release(&users);
    ken_buf_release(&tests);
    ken_buf_release(&boxes);
}

KEN_TEST(lists_of_the_graph_can_be_paged_to_their_end)
{
    static const struct {
        const char *tool, *arguments, *list, *total, *member;
    } rows[] = {
        { "query_impact", "\"symbol\":\"pack\"", "dependents", "dependents_total", "at" },
        { "query_impact", "\"symbol\":\"pack\",\"tests\":\"only\"", "tests", "tests_total", "at" },
        { "get_definition", "\"symbol_name\":\"seal\"", "definitions", "total", "qualified_name" },
        { "tests_for", "\"symbol\":\"pack\"", "tests", "total", "name" },
        { "dead_code", "\"all\":true", "dead", "total", "name" },
    };
    lab l;
    char args[300];
    write_pages();
    lab_open(&l, ktest_path("pages"));
    json_decref(call(&l, "index_repository", "{\"path\":\".\"}"));
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        ken_map seen;
        json_int_t offset = 0, total = 0;
        ken_map_init(&seen);
        do {
            snprintf(args, sizeof args, "{%s,\"limit\":9,\"offset\":%d}", rows[r].arguments,
                     (int)offset);
            json_t *v = call(&l, rows[r].tool, args);
            total = json_integer_value(json_object_get(v, rows[r].total));
            kt_true(total >= 25);
            for (size_t i = 0; i < n_in(v, rows[r].list); i++) {
                const json_t *item = json_array_get(json_object_get(v, rows[r].list), i);
                bool is_new;
                ken_map_put(&seen, text(item, rows[r].member), 1, &is_new);
                kt_true(is_new);
            }
            json_int_t next = json_integer_value(json_object_get(v, "next_offset"));
            kt_true(!next || next == offset + 9);
            offset = next;
            json_decref(v);
        } while (offset);
        kt_eq_u(seen.len, (uint64_t)total);
        ken_map_release(&seen);
        snprintf(args, sizeof args, "{%s,\"limit\":9,\"offset\":9,\"format\":\"text\"}",
                 rows[r].arguments);
        json_t *page = call(&l, rows[r].tool, args);
        kt_has_str(json_string_value(page), "showing 10-18 of ");
        kt_has_str(json_string_value(page), ", next: offset 18");
        json_decref(page);
        snprintf(args, sizeof args, "{%s,\"offset\":900,\"format\":\"text\"}", rows[r].arguments);
        page = call(&l, rows[r].tool, args);
        kt_has_str(json_string_value(page), "nothing is left at offset 900");
        json_decref(page);
    }
    lab_close(&l);
}

KEN_TEST(g14_imports_of_a_file_are_told_both_ways)
{
    lab l;
    index_mail(&l);
    json_t *v = call(&l, "outline", "{\"file_path\":\"sender.py\",\"imports\":true}");
    kt_null(json_object_get(v, "symbols"));
    const json_t *imports = json_object_get(v, "imports");
    bool is_there = false;
    for (size_t i = 0; i < json_array_size(imports); i++)
        is_there =
            is_there || ken_str_eq_c(ken_json_text(json_array_get(
                                         json_object_get(json_array_get(imports, i), "files"), 0)),
                                     "mail_queue.py");
    kt_true(is_there);
    kt_eq_u((size_t)json_integer_value(json_object_get(v, "imports_total")),
            json_array_size(imports));
    json_decref(v);
    v = call(&l, "outline", "{\"file_path\":\"mail_queue.py\",\"imports\":true}");
    kt_true(json_array_size(json_object_get(v, "imported_by")) > 0);
    kt_has_str(text(first(v, "imported_by"), "at").ptr, ".py:");
    json_decref(v);
    v = call(&l, "outline", "{\"file_path\":\"sender.py\",\"imports\":true,\"format\":\"text\"}");
    kt_has_str(json_string_value(v), "-> mail_queue.py");
    json_decref(v);
    lab_close(&l);
}

// What a new hire wants of a repository with packages, tests, examples and other people's code.
KEN_TEST(t13_an_overview_shows_what_the_project_is_made_of)
{
    static const char *const files[][2] = {
        { "repo/packages/core/src/run.ts",
          "import { parse } from './parse'\nimport { load } from './load'\n"
          "export class Runner {}\n"
          "export function main(text: string) {\n  return walk(parse(text))\n}\n"
          "function walk(x: string) {\n  return load(x)\n}\n" },
        { "repo/packages/core/src/parse.ts",
          "import { load } from './load'\nexport class Parser {}\n"
          "export function parse(t: string) {\n  return load(t)\n}\n" },
        { "repo/packages/core/src/load.ts",
          "export class Loader {}\nexport function load(t: string) {\n  return open(t)\n}\n"
          "function open(t: string) {\n  return t\n}\n" },
        { "repo/packages/core/src/log.ts",
          "import { load } from './load'\nexport function log(t: string) {\n  load(t)\n}\n" },
        { "repo/packages/web/src/page.ts", "import { parse } from '../../core/src/parse'\n"
                                           "export function page() {\n  return parse('x')\n}\n" },
        { "repo/packages/web/src/view.ts", "import { parse } from '../../core/src/parse'\n"
                                           "export function view() {\n  return parse('y')\n}\n" },
        { "repo/deps/other/big.c", "int other(void)\n{\n    return 1;\n}\n" },
        { "repo/deps/other/main.c", "int main(void)\n{\n    return 1;\n}\n" },
        { "repo/deps/third/lib.c", "int third(void)\n{\n    return 1;\n}\n" },
        { "repo/tests/run.test.ts",
          "import { main } from '../packages/core/src/run'\ntest('a', () => main('x'))\n" },
        { "repo/examples/hello/hello.ts", "console.log('hello')\n" },
        { "repo/tools/deploy.py", "def deploy():\n    return 1\n" },
    };
    lab l;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        ktest_write(files[i][0], files[i][1]);
    lab_open(&l, ktest_path("repo"));
    json_decref(call(&l, "index_repository", "{\"path\":\".\"}"));
    json_t *v = call(&l, "get_architecture", "{\"format\":\"text\"}");
    const char *out = ken_json_text(v).ptr;
    kt_has_str(out, "\nMODULE ");
    kt_has_str(out, "\npackages/core");
    kt_has_str(out, "\npackages/web");
    kt_has_str(out, "\nbundled (files): deps/other 2, deps/third 1\n");
    kt_has_str(out, "\nexamples (files): examples 1\n");
    kt_has_str(out, "\ntests (1 file): tests\n");
    kt_has_str(out, "USED BY\npackages/core/src/");
    kt_has_str(out, "main packages/core/src/run.ts:4 calls walk (load), parse (load)\n");
    kt_null(strstr(out, "deps/other/main.c"));
    json_decref(v);
    // A focus is obeyed by summary and languages, too.
    v = call(&l, "get_architecture", "{\"focus_area\":\"backend\",\"directory\":\"tools\"}");
    kt_eq_text(text(v, "summary"), "1 file of python; 1 module");
    kt_eq_u(json_array_size(json_object_get(v, "languages")), 1);
    json_decref(v);
    // Who asks for what is beside sees it.
    v = call(&l, "get_architecture", "{\"directory\":\"deps\"}");
    kt_eq_text(text(first(v, "entry_points"), "at"), "deps/other/main.c:1");
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(an_overview_fits_in_its_budget)
{
    lab l;
    index_mail(&l);
    json_t *v = call(&l, "get_architecture", "{}");
    kt_true(ken_json_dump_size(v) <= 6000);
    kt_eq_text(text(first(v, "languages"), "language"), "python");
    kt_eq_text(text(first(v, "entry_points"), "at"), "main.py:4");
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(a_context_is_built_within_its_tokens)
{
    lab l;
    index_mail(&l);
    json_t *v = call(&l, "build_context", "{\"query\":\"explain run_once\",\"max_tokens\":300}");
    kt_true(json_integer_value(json_object_get(v, "tokens")) <= 300);
    kt_has_str(text(v, "context").ptr, "item = self.queue.pop()");
    const json_t *kinds = json_object_get(first(v, "parts"), "kinds");
    kt_eq_text(ken_json_text(json_array_get(kinds, 0)), "definition");
    char args[2000];
    snprintf(args, sizeof args,
             "{\"query\":\"explain run_once\",\"max_tokens\":300,\"seen\":\"%s\"}",
             text(v, "seen").ptr);
    json_t *again = call(&l, "build_context", args);
    kt_true(json_integer_value(json_object_get(again, "tokens")) <
            json_integer_value(json_object_get(v, "tokens")));
    json_decref(again);
    json_decref(v);
    fails(&l, "build_context", "{\"query\":\"x\",\"seen\":\"?\"}", KEN_EINVAL, "seen");
    fails(&l, "build_context", "{\"query\":\"x\",\"max_tokens\":10}", KEN_EINVAL, "200");
    lab_close(&l);
}

static size_t n_projects(lab *l)
{
    json_t *v = call(l, "list_projects", "{}");
    size_t n = json_array_size(json_object_get(v, "projects"));
    json_decref(v);
    return n;
}

// Whatever an agent was told to do with them: folders of the system, homes and keys are no projects.
KEN_TEST(folders_that_are_no_projects_are_refused)
{
    static const char *const refused[] = { "/",          "/etc",  "/etc/ssl", "/proc",
                                           "/usr/share", "/home", "/var/log" };
    setenv("HOME", ktest_path("home"), 1);
    kt_ok(ken_fs_make_dirs(ktest_path("home/.ssh"), 0700, NULL));
    kt_ok(ken_fs_make_dirs(ktest_path("home/work"), 0700, NULL));
    lab l;
    lab_open(&l, "");
    char args[400];
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (access(refused[i], F_OK))
            continue;
        snprintf(args, sizeof args, "{\"repo_path\":\"%s\"}", refused[i]);
        fails(&l, "index_repository", args, KEN_EPERM, refused[i]);
        snprintf(args, sizeof args, "{\"project_root\":\"%s\"}", refused[i]);
        fails(&l, "rag_setup", args, KEN_EPERM, refused[i]);
        fails(&l, "rag_index", args, KEN_EPERM, refused[i]);
        snprintf(args, sizeof args, "{\"query\":\"root\",\"project\":\"%s\"}", refused[i]);
        fails(&l, "search_code", args, KEN_ENOTFOUND, "index_repository");
    }
    snprintf(args, sizeof args, "{\"repo_path\":\"%s\"}", ktest_path("home"));
    fails(&l, "index_repository", args, KEN_EPERM, "home");
    snprintf(args, sizeof args, "{\"repo_path\":\"%s\"}", ktest_path("home/.ssh"));
    fails(&l, "index_repository", args, KEN_EPERM, "keys");
    kt_eq_u(n_projects(&l), 0);
    snprintf(args, sizeof args, "{\"repo_path\":\"%s\"}", ktest_path("home/work"));
    json_decref(call(&l, "index_repository", args));
    kt_eq_u(n_projects(&l), 1);
    lab_close(&l);
}

KEN_TEST(only_allowed_roots_become_projects)
{
    const char *in = make_tree("allowed/a", "apples"), *out = make_tree("elsewhere", "pears");
    setenv("KEN_ALLOWED_ROOTS", ktest_path("allowed"), 1);
    // A link that leads out is what it leads to.
    kt_eq_i(symlink(out, ktest_path("allowed/link")), 0);
    lab l;
    lab_open(&l, "");
    char args[400];
    snprintf(args, sizeof args, "{\"repo_path\":\"%s\"}", out);
    fails(&l, "index_repository", args, KEN_EPERM, "projects.roots");
    snprintf(args, sizeof args, "{\"repo_path\":\"%s\"}", ktest_path("allowed/link"));
    fails(&l, "index_repository", args, KEN_EPERM, "projects.roots");
    snprintf(args, sizeof args, "{\"repo_path\":\"%s\"}", in);
    json_decref(call(&l, "index_repository", args));
    kt_eq_u(n_projects(&l), 1);
    lab_close(&l);
    unsetenv("KEN_ALLOWED_ROOTS");
}

static void stop_when_begun(void *ctx, const ken_tool_progress *p)
{
    if (p->indexing && p->indexing->n_total)
        ken_cancel_set(ctx);
}

// An interrupted run says what is left of it.
KEN_TEST(a_cancelled_run_says_what_it_has_kept)
{
    lab l;
    ken_err err = { 0 };
    ken_cancel cancel = { 0 };
    json_t *out = NULL, *args = json_object();
    char path[64];
    lab_open(&l, "");
    for (int i = 0; i < 400; i++) {
        snprintf(path, sizeof path, "proj/src/f%d.c", i);
        ktest_write(path, "int f(int a) { return a; }\n");
    }
    ken_json_set_str(args, "repo_path", ken_str_c(ktest_path("proj")));
    ken_tool_ctx ctx = { .cancel = &cancel,
                         .on_progress = stop_when_begun,
                         .progress_ctx = &cancel,
                         .max_bytes = SIZE_MAX };
    kt_status(ken_tool_call(l.app, "index_repository", args, &ctx, &out, &err), KEN_ECANCELLED);
    kt_null(out);
    kt_has_str(err.msg, " of 400 files done; what was parsed is kept and the next run goes on");
    json_decref(args);
    lab_close(&l);
}

static void *unlock_soon(void *fd)
{
    usleep(200 * 1000);
    ken_fs_unlock(*(int *)fd);
    return NULL;
}

// What brings the index up to date first does not fail because another question is at that.
KEN_TEST(rules_are_checked_after_the_run_that_is_at_it)
{
    make_tree("proj", "apples");
    lab l;
    ken_err err = { 0 };
    ken_arena arena;
    ken_project_info p;
    pthread_t other;
    int fd = -1;
    ken_arena_init(&arena, 0);
    lab_open(&l, ktest_path("proj"));
    json_decref(call(&l, "index_repository", "{\"repo_path\":\".\"}"));
    kt_ok_err(ken_app_find_project(l.app, KEN_STR("proj"), KEN_STR(""), &arena, &p, &err), &err);
    kt_ok_err(ken_fs_lock(ken_arena_printf(&arena, "%s.lock", p.db_path.ptr).ptr, &fd, &err), &err);
    make_tree("proj", "pears");
    kt_eq_i(pthread_create(&other, NULL, unlock_soon, &fd), 0);
    json_t *v = call(&l, "check_rules", "{}");
    kt_true(json_is_array(json_object_get(v, "violations")));
    kt_eq_i(pthread_join(other, NULL), 0);
    // Who gives up is told so.
    kt_ok_err(ken_fs_lock(ken_arena_printf(&arena, "%s.lock", p.db_path.ptr).ptr, &fd, &err), &err);
    ken_cancel cancel = { 0 };
    ken_cancel_set(&cancel);
    l.ctx.cancel = &cancel;
    kt_null(try_call(&l, "check_rules", "{}", &err));
    kt_status(err.status, KEN_ECANCELLED);
    ken_fs_unlock(fd);
    json_decref(v);
    lab_close(&l);
    ken_arena_release(&arena);
}
