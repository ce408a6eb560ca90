// SPDX-License-Identifier: MIT
// Answers that stay within a size.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "ktest.h"
#include "tool/tool_priv.h"

static json_t *results(size_t n, size_t bytes)
{
    char text[2048];
    memset(text, 'x', bytes);
    json_t *o = json_object(), *list = json_array();
    for (size_t i = 0; i < n; i++)
        ken_json_append(list, ken_json_str(ken_str_n(text, bytes)));
    ken_json_set(o, "results", list);
    return o;
}

KEN_TEST(whole_results_are_dropped_from_the_end)
{
    for (size_t max = 300; max < 12000; max += 97) {
        json_t *o = results(100, 100);
        size_t kept = ken_tool__fit(o, "results", max, "ask for less");
        kt_eq_u(kept, json_array_size(json_object_get(o, "results")));
        kt_true(ken_json_dump_size(o) <= max);
        kt_eq_u(json_is_true(json_object_get(o, "truncated")), kept < 100);
        kt_eq_u(json_object_get(o, "hint") != NULL, kept < 100);
        kt_true(kept == 100 || (kept + 4) * 103 > max - 200);
        json_decref(o);
    }
}

// The same tree gets the same answer, however often it was indexed.
KEN_TEST(a_generation_takes_no_result)
{
    static const uint64_t generations[] = { 1, 9, 10, 26, 99999 };
    for (size_t max = 1000; max < 1300; max++) {
        size_t first = 0;
        for (size_t i = 0; i < sizeof generations / sizeof *generations; i++) {
            json_t *o = results(100, 50), *index = json_object();
            ken_json_set_u64(index, "generation", generations[i]);
            ken_json_set(o, "index", index);
            size_t kept = ken_tool__fit(o, "results", max, "ask for less");
            first = i ? first : kept;
            kt_eq_u(kept, first);
            kt_true(ken_json_dump_size(o) <= max);
            json_decref(o);
        }
    }
}

KEN_TEST(lines_are_cut_whole)
{
    ken_str t = KEN_STR("one\ntwo\nthree\n");
    kt_eq_text(ken_tool__clip_lines(t, 100, false), "one\ntwo\nthree\n");
    kt_eq_text(ken_tool__clip_lines(t, 9, false), "one\ntwo\n");
    kt_eq_text(ken_tool__clip_lines(t, 9, true), "three\n");
    kt_eq_text(ken_tool__clip_lines(KEN_STR("\u00e9\u00e9\u00e9"), 3, false), "\u00e9");
    kt_eq_text(ken_tool__clip_lines(KEN_STR("\u00e9\u00e9\u00e9"), 3, true), "\u00e9");
}

// ---- long answers of a tool ---------------------------------------------------------------------

static ken_status many(const ken_tool_env *env, const void *args, json_t **out, ken_err *err)
{
    (void)args;
    (void)err;
    json_t *o = results(100, 1000);
    ken_tool__fit(o, "results", env->ctx->max_bytes, "ask for less");
    *out = o;
    return KEN_OK;
}

static void many_text(const json_t *answer, ken_paint *out)
{
    const json_t *list = json_object_get(answer, "results");
    for (size_t i = 0; i < json_array_size(list); i++) {
        ken_paint_str(out, KEN_STYLE_PLAIN, ken_json_text(json_array_get(list, i)));
        ken_paint_puts(out, "\n");
    }
}

static const ken_tool_spec spec = {
    .name = "many",
    .set = "lab",
    .is_read_only = true,
    .list = "results",
    .listing = "{\"name\":\"many\",\"inputSchema\":{\"type\":\"object\",\"properties\":{"
               "\"format\":{\"type\":\"string\"},\"max_tokens\":{\"type\":\"integer\"}}}}",
};

static size_t answer_bytes(const char *args_text, size_t max_bytes)
{
    ken_tool_def def = { &spec, many, many_text };
    ken_toolset *t = NULL;
    json_t *args = NULL, *out = NULL;
    ken_err err = { 0 };
    kt_ok(ken_toolset_new(&(ken_toolset_opts){ .defs = &def, .n_defs = 1 }, &t, NULL));
    kt_ok(ken_json_parse(ken_str_c(args_text), &args, NULL));
    ken_tool_ctx ctx = { .tools = t, .max_bytes = max_bytes };
    kt_ok_err(ken_tool_call(NULL, "many", args, &ctx, &out, &err), &err);
    size_t n = json_is_string(out) ? json_string_length(out) : ken_json_dump_size(out);
    json_decref(args);
    json_decref(out);
    ken_toolset_free(t);
    return n;
}

KEN_TEST(an_answer_has_at_most_25000_characters)
{
    size_t n = answer_bytes("{}", 0);
    kt_true(n > 20000 && n < 25000);
    n = answer_bytes("{\"format\":\"text\"}", 0);
    kt_true(n > 20000 && n < 25000);
    n = answer_bytes("{\"max_tokens\":1000}", 0);
    kt_true(n > 2000 && n <= 4000);
    n = answer_bytes("{\"max_tokens\":100000}", 0);
    kt_true(n < 25000);
    n = answer_bytes("{\"format\":\"text\",\"max_tokens\":1000}", 0);
    kt_true(n > 2000 && n <= 4000);
    kt_true(answer_bytes("{}", SIZE_MAX) > 100000);
    kt_true(answer_bytes("{\"format\":\"text\"}", SIZE_MAX) > 100000);
}

// ---- permalinks ---------------------------------------------------------------------------------

static ken_config *settings; // of the tests of links

static void links_to(const char *remote, const char *want)
{
    char config[400];
    snprintf(config, sizeof config,
             "[core]\n\tbare = false\n[remote \"up\"]\n\turl = x\n"
             "[remote \"origin\"]\n\turl = %s\n\tfetch = +refs\n",
             remote);
    ktest_write(".git/config", config);
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_tool__link link =
        ken_tool__find_link(settings, &a, &(ken_project_info){ .root = ken_str_c(ktest_dir()) });
    json_t *url = ken_tool__url(&link, KEN_STR("abc"), KEN_STR("src/a b.c"), 4, 6);
    kt_eq_text(ken_json_text(url), want);
    json_decref(url);
    ken_arena_release(&a);
}

// The settings of a test that says this of hosts.
static void set_hosts(const char *hosts)
{
    ken_err err = { 0 };
    ken_config_free(settings);
    settings = NULL;
    setenv("HOME", ktest_dir(), 1);
    setenv("KEN_REPOSITORY_HOSTS", hosts, 1);
    kt_ok_err(ken_config_load(&(ken_config_load_opts){ 0 }, &settings, &err), &err);
    unsetenv("KEN_REPOSITORY_HOSTS");
}

KEN_TEST(permalinks_are_made_for_known_hosts)
{
    set_hosts("");
    links_to("git@github.com:o/r.git", "https://github.com/o/r/blob/abc/src/a%20b.c#L5-L7");
    links_to("https://user:secret@github.com/o/r",
             "https://github.com/o/r/blob/abc/src/a%20b.c#L5-L7");
    links_to("ssh://git@gitlab.example.com:22/g/s/r.git",
             "https://gitlab.example.com/g/s/r/-/blob/abc/src/a%20b.c#L5-7");
    links_to("https://bitbucket.org/o/r.git",
             "https://bitbucket.org/o/r/src/abc/src/a%20b.c#lines-5:7");
    links_to("https://example.com/o/r.git", "");
    links_to("/srv/git/github/r.git", "");
    links_to("file:///srv/github/r.git", "");
    links_to("github.com", "");
    links_to("", "");
    links_to("https://codeberg.org/o/r.git",
             "https://codeberg.org/o/r/src/commit/abc/src/a%20b.c#L5-L7");
    links_to("ssh://git@forgejo.example.com:2222/o/r.git",
             "https://forgejo.example.com/o/r/src/commit/abc/src/a%20b.c#L5-L7");
    links_to("http://gitea.lan:3000/o/r",
             "http://gitea.lan:3000/o/r/src/commit/abc/src/a%20b.c#L5-L7");
    ken_config_free(settings);
    settings = NULL;
}

KEN_TEST(permalinks_follow_what_is_said_of_a_host)
{
    set_hosts(
        "git.example.com=gitea, code.example.com=gitlab,bb.example.com=bitbucket,hub.example.com=github");
    links_to("git@git.example.com:o/r.git",
             "https://git.example.com/o/r/src/commit/abc/src/a%20b.c#L5-L7");
    links_to("https://GIT.example.com:3000/o/r.git/",
             "https://GIT.example.com:3000/o/r/src/commit/abc/src/a%20b.c#L5-L7");
    links_to("https://code.example.com/g/s/r.git",
             "https://code.example.com/g/s/r/-/blob/abc/src/a%20b.c#L5-7");
    links_to("https://hub.example.com/o/r.git",
             "https://hub.example.com/o/r/blob/abc/src/a%20b.c#L5-L7");
    links_to("https://other.example.com/o/r.git", "");
    ken_config_free(settings);
    settings = NULL;
}

KEN_TEST(permalinks_of_bitbucket_data_center)
{
    set_hosts("bb.example.com=bitbucket");
    const char *want = "https://bb.example.com/projects/PRJ/repos/r/browse/src/a%20b.c?at=abc#5-7";
    links_to("https://bb.example.com/scm/PRJ/r.git", want);
    links_to("ssh://git@bb.example.com:7999/PRJ/r.git", want);
    links_to("https://bitbucket.example.org:8443/scm/~ann/r.git",
             "https://bitbucket.example.org:8443/users/ann/repos/r/browse/src/a%20b.c?at=abc#5-7");
    links_to("https://bb.example.com/other/PRJ/r.git", "");
    links_to("ssh://git@bb.example.com:7999/r.git", "");
    ken_config_free(settings);
    settings = NULL;
}

KEN_TEST(a_second_work_tree_finds_its_remote)
{
    set_hosts("");
    ktest_write("main/.git/config", "[remote \"origin\"]\n\turl = git@github.com:o/r.git\n");
    ktest_write("main/.git/worktrees/w/commondir", "../..\n");
    ktest_write("w/.git", "gitdir: ../main/.git/worktrees/w\n");
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_tool__link link = ken_tool__find_link(
        settings, &a, &(ken_project_info){ .root = ken_str_c(ktest_path("w")) });
    kt_eq_text(link.base, "https://github.com/o/r");
    link = ken_tool__find_link(settings, &a,
                               &(ken_project_info){ .root = ken_str_c(ktest_path("none")) });
    kt_eq_u(link.base.len, 0);
    ken_config_free(settings);
    settings = NULL;
    ken_arena_release(&a);
}
