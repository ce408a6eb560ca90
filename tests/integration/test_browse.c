// SPDX-License-Identifier: MIT
// Operations by which a person looks through a project, on a real app with real indexes: folders, lines, which
// project is selected, what a scan would take, the graph.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "tool_lab.h"

// Whatever an answer has, it fits.
static void open_whole(lab *l, const char *cwd)
{
    lab_open(l, cwd);
    l->ctx.max_bytes = SIZE_MAX;
}

static const char *fmt(const char *f, ...) __attribute__((format(printf, 1, 2)));
static const char *fmt(const char *f, ...)
{
    static char texts[4][2048];
    static size_t at;
    va_list ap;
    at = (at + 1) % 4;
    va_start(ap, f);
    vsnprintf(texts[at], sizeof texts[at], f, ap);
    va_end(ap);
    return texts[at];
}

static const json_t *at(const json_t *v, const char *list, size_t i)
{
    return json_array_get(json_object_get(v, list), i);
}

static long long number(const json_t *v, const char *key)
{
    kt_true(json_is_integer(json_object_get(v, key)));
    return (long long)json_integer_value(json_object_get(v, key));
}

static bool is_true(const json_t *v, const char *key)
{
    return json_is_true(json_object_get(v, key));
}

// ---- folders ------------------------------------------------------------------------------------

static void index_shop(lab *l)
{
    ktest_write("shop/README.md", "# Shop\n\nSells apples.\n");
    ktest_write("shop/src/main.c", "int main(void)\n{\n    return 0;\n}\n");
    ktest_write("shop/src/net/Retry.c", "int retry(int n)\n{\n    return n - 1;\n}\n");
    ktest_write("shop/src/net/dial.c", "int dial(void)\n{\n    return 1;\n}\n");
    ktest_write("shop/src-more/x.py", "def x():\n    return 1\n");
    ktest_write("shop/src.py", "def y():\n    return 2\n");
    open_whole(l, ktest_path("shop"));
    json_decref(call(l, "index_repository", "{\"repo_path\":\".\"}"));
}

KEN_TEST(a_folder_lists_folders_first_and_what_they_hold)
{
    lab l;
    index_shop(&l);
    json_t *v = call(&l, "list_files", "{}");
    kt_eq_i(number(v, "total"), 4);
    kt_eq_i(number(v, "folders"), 2);
    kt_eq_i(number(json_object_get(v, "totals"), "files"), 6);
    kt_eq_text(text(at(v, "entries", 0), "name"), "src-more");
    kt_eq_text(text(at(v, "entries", 1), "name"), "src");
    kt_eq_text(text(at(v, "entries", 1), "kind"), "folder");
    kt_eq_text(text(at(v, "entries", 1), "language"), "c");
    kt_eq_i(number(at(v, "entries", 1), "files"), 3);
    kt_eq_i(number(at(v, "entries", 1), "lines"), 12);
    kt_true(number(at(v, "entries", 1), "symbols") >= 3);
    kt_eq_text(text(at(v, "entries", 2), "name"), "README.md");
    kt_eq_text(text(at(v, "entries", 3), "kind"), "file");
    kt_null(json_object_get(v, "truncated"));
    json_decref(v);
    v = call(&l, "list_files", "{\"directory\":\"./src/net/\"}");
    kt_eq_text(text(v, "directory"), "src/net");
    kt_eq_i(number(v, "total"), 2);
    kt_eq_text(text(at(v, "entries", 0), "path"), "src/net/Retry.c");
    kt_true(json_is_false(json_object_get(at(v, "entries", 0), "has_syntax_errors")));
    json_decref(v);
    fails(&l, "list_files", "{\"directory\":\"src/nothing\"}", KEN_ENOTFOUND, "below");
    fails(&l, "list_files", "{\"directory\":\"../x\"}", KEN_EINVAL, "leads out");
    fails(&l, "list_files", "{\"limit\":5001}", KEN_EINVAL, "5001");
    lab_close(&l);
}

KEN_TEST(a_filter_finds_files_at_any_depth_and_lists_are_paged)
{
    lab l;
    index_shop(&l);
    json_t *v = call(&l, "list_files", "{\"filter\":\"RETRY\"}");
    kt_eq_i(number(v, "total"), 1);
    kt_eq_text(text(at(v, "entries", 0), "path"), "src/net/Retry.c");
    json_decref(v);
    v = call(&l, "list_files", "{\"filter\":\".c\",\"limit\":2}");
    kt_eq_i(number(v, "total"), 3);
    kt_true(is_true(v, "truncated"));
    kt_eq_i(number(v, "next_offset"), 2);
    json_decref(v);
    v = call(&l, "list_files", "{\"filter\":\".c\",\"limit\":2,\"offset\":2}");
    kt_eq_u(json_array_size(json_object_get(v, "entries")), 1);
    kt_null(json_object_get(v, "truncated"));
    json_decref(v);
    v = call(&l, "list_files", "{\"limit\":3}");
    kt_eq_i(number(v, "next_offset"), 3);
    json_decref(v);
    v = call(&l, "list_files", "{\"offset\":3}");
    kt_eq_text(text(at(v, "entries", 0), "name"), "src.py");
    json_decref(v);
    v = call(&l, "list_files", "{\"filter\":\"zebra\"}");
    kt_eq_i(number(v, "total"), 0);
    kt_true(text(v, "note").len > 0);
    json_decref(v);
    lab_close(&l);
}

// ---- lines --------------------------------------------------------------------------------------

KEN_TEST(lines_of_a_file_are_read_in_parts)
{
    lab l;
    index_shop(&l);
    json_t *v = call(&l, "read_file", "{\"file_path\":\"src/main.c\"}");
    kt_eq_text(text(v, "content"), "int main(void)\n{\n    return 0;\n}\n");
    kt_eq_text(text(v, "language"), "c");
    kt_eq_i(number(v, "lines"), 4);
    kt_eq_i(number(v, "start_line"), 1);
    kt_eq_i(number(v, "end_line"), 4);
    kt_null(json_object_get(v, "changed_since_index"));
    json_decref(v);
    v = call(&l, "read_file", "{\"file_path\":\"src/main.c\",\"line_start\":2,\"line_end\":3}");
    kt_eq_text(text(v, "content"), "{\n    return 0;\n");
    kt_null(json_object_get(v, "truncated"));
    json_decref(v);
    v = call(&l, "read_file", "{\"file_path\":\"src/main.c\",\"line_start\":4,\"line_end\":900}");
    kt_eq_i(number(v, "end_line"), 4);
    json_decref(v);
    fails(&l, "read_file", "{\"file_path\":\"src/main.c\",\"line_start\":5}", KEN_EINVAL,
          "behind the last line, 4");
    fails(&l, "read_file", "{\"file_path\":\"src/main.c\",\"line_start\":3,\"line_end\":2}",
          KEN_EINVAL, "line_end");
    fails(&l, "read_file", "{\"file_path\":\"../other.c\"}", KEN_ENOTFOUND, "traversal");
    fails(&l, "read_file", "{\"file_path\":\"src/nothing.c\"}", KEN_ENOTFOUND, "not in the index");
    lab_close(&l);
}

KEN_TEST(what_has_no_room_is_said_and_can_be_read_on)
{
    ken_buf code = KEN_BUF_INIT(0);
    lab l;
    for (int i = 1; i <= 20000; i++)
        ken_buf_printf(&code, "int f%d(void) { return %d; }\n", i, i);
    ktest_write("long/a.c", code.ptr);
    open_whole(&l, ktest_path("long"));
    json_decref(call(&l, "index_repository", "{\"repo_path\":\".\"}"));
    size_t n = 0, n_calls = 0;
    for (long long next = 1; next; n_calls++) {
        json_t *v =
            call(&l, "read_file",
                 fmt("{\"file_path\":\"a.c\",\"line_start\":%lld,\"max_bytes\":100000}", next));
        ken_str part = text(v, "content");
        kt_true(part.len <= 100000 && n + part.len <= code.len);
        kt_true(!memcmp(part.ptr, code.ptr + n, part.len));
        n += part.len;
        kt_eq_u(is_true(v, "truncated"), n < code.len);
        next = n < code.len ? number(v, "next_line") : 0;
        json_decref(v);
    }
    kt_eq_u(n, code.len);
    kt_true(n_calls > 5);
    json_t *v =
        call(&l, "read_file", "{\"file_path\":\"a.c\",\"line_start\":19999,\"line_end\":20000}");
    kt_eq_text(text(v, "content"),
               "int f19999(void) { return 19999; }\nint f20000(void) { return 20000; }\n");
    json_decref(v);
    ken_buf_release(&code);
    lab_close(&l);
}

KEN_TEST(a_line_longer_than_the_room_is_cut_between_characters)
{
    ken_buf line = KEN_BUF_INIT(0);
    lab l;
    ken_buf_puts(&line, "# first\n#");
    for (int i = 0; i < 600; i++)
        ken_buf_puts(&line, "äöü");
    ken_buf_puts(&line, "\n");
    for (int i = 0; i < 200; i++) // or it would be taken for minified
        ken_buf_printf(&line, "x%d = %d\n", i, i);
    ken_buf_puts(&line, "# last");
    ktest_write("wide/a.py", line.ptr);
    open_whole(&l, ktest_path("wide"));
    json_decref(call(&l, "index_repository", "{\"repo_path\":\".\"}"));
    json_t *v = call(&l, "read_file", "{\"file_path\":\"a.py\",\"max_bytes\":1024}");
    kt_eq_text(text(v, "content"), "# first\n");
    kt_eq_i(number(v, "next_line"), 2);
    json_decref(v);
    v = call(&l, "read_file", "{\"file_path\":\"a.py\",\"max_bytes\":1024,\"line_start\":2}");
    kt_eq_u(text(v, "content").len, 1023);
    kt_true(is_true(v, "line_cut") && is_true(v, "truncated"));
    kt_eq_i(number(v, "end_line"), 2);
    kt_eq_i(number(v, "next_line"), 3);
    json_decref(v);
    v = call(&l, "read_file", "{\"file_path\":\"a.py\",\"line_start\":202}");
    kt_eq_text(text(v, "content"), "x199 = 199\n# last");
    json_decref(v);
    ken_buf_release(&line);
    lab_close(&l);
}

KEN_TEST(secrets_are_masked_and_changes_are_told)
{
    lab l;
    ktest_write("vault/conf.py", "NAME = 'x'\nAWS_KEY = 'AKIAQYLPMN5HFIQR7XYA'\n");
    ktest_write("vault/plain.py", "a = 1\n");
    open_whole(&l, ktest_path("vault"));
    json_decref(call(&l, "index_repository", "{\"repo_path\":\".\"}"));
    json_t *v = call(&l, "read_file", "{\"file_path\":\"conf.py\"}");
    kt_true(is_true(v, "has_secrets"));
    kt_null(strstr(text(v, "content").ptr, "AKIAQYLPMN5HFIQR7XYA"));
    kt_eq_i(number(v, "lines"), 2);
    json_decref(v);
    v = call(&l, "read_file", "{\"file_path\":\"conf.py\",\"line_start\":2,\"line_end\":2}");
    kt_null(strstr(text(v, "content").ptr, "AKIAQYLPMN5HFIQR7XYA"));
    json_decref(v);
    ktest_write("vault/plain.py", "a = 1\nkey = 'AKIAQYLPMN5HFIQR7XYA'\n");
    l.ctx.is_read_only = true; // so that the index stays behind
    v = call(&l, "read_file", "{\"file_path\":\"plain.py\"}");
    kt_true(is_true(v, "changed_since_index"));
    kt_null(strstr(text(v, "content").ptr, "AKIAQYLPMN5HFIQR7XYA"));
    kt_eq_i(number(v, "lines"), 2);
    json_decref(v);
    lab_close(&l);
}

// ---- projects -----------------------------------------------------------------------------------

static const json_t *project_named(const json_t *v, const char *name)
{
    const json_t *list = json_object_get(v, "projects");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (ken_str_eq_c(text(json_array_get(list, i), "name"), name))
            return json_array_get(list, i);
    kt_fail("no project %s", name);
    return NULL;
}

// How many are selected, and which.
static size_t count_selected(lab *l, const char *want)
{
    size_t n = 0;
    json_t *v = call(l, "list_projects", "{}");
    for (size_t i = 0; i < json_array_size(json_object_get(v, "projects")); i++)
        n += is_true(at(v, "projects", i), "is_selected");
    if (want)
        kt_true(is_true(project_named(v, want), "is_selected"));
    json_decref(v);
    return n;
}

static void index_two(lab *l)
{
    ktest_write("one/a.c", "int one(void) { return 1; }\n");
    ktest_write("two/b.py", "def two():\n    return 2\n");
    open_whole(l, "");
    json_decref(call(l, "index_repository", fmt("{\"path\":\"%s\"}", ktest_path("one"))));
    json_decref(call(l, "index_repository", fmt("{\"path\":\"%s\"}", ktest_path("two"))));
}

KEN_TEST(one_project_is_selected_until_it_goes)
{
    lab l;
    index_two(&l);
    kt_eq_u(count_selected(&l, NULL), 0);
    json_decref(call(&l, "select_project", "{\"project\":\"one\"}"));
    kt_eq_u(count_selected(&l, "one"), 1);
    json_decref(call(&l, "select_project", "{\"project\":\"two\"}"));
    kt_eq_u(count_selected(&l, "two"), 1);
    fails(&l, "select_project", "{\"project\":\"three\"}", KEN_ENOTFOUND, "three");
    lab_close(&l);
    open_whole(&l, ""); // another process
    kt_eq_u(count_selected(&l, "two"), 1);
    json_decref(call(&l, "archive_project", "{\"project\":\"two\"}"));
    kt_eq_u(count_selected(&l, NULL), 0);
    fails(&l, "select_project", "{\"project\":\"two\"}", KEN_EPERM, "archived");
    json_decref(call(&l, "archive_project", "{\"project\":\"two\",\"undo\":true}"));
    kt_eq_u(count_selected(&l, NULL), 0);
    json_decref(call(&l, "select_project", "{\"project\":\"one\"}"));
    json_decref(call(&l, "remove_project", "{\"project\":\"one\",\"confirm\":true}"));
    kt_eq_u(count_selected(&l, NULL), 0);
    // Who serves one project does not choose for all.
    json_t *v = call(&l, "list_projects", "{}");
    char id[KEN_UUID_TEXT];
    snprintf(id, sizeof id, "%s", text(at(v, "projects", 0), "id").ptr);
    json_decref(v);
    l.ctx.project = ken_str_c(id);
    fails(&l, "select_project", "{\"project\":\"two\"}", KEN_EPERM, "one project");
    fails(&l, "add_project", "{\"path\":\"/tmp\"}", KEN_EPERM, "one project");
    fails(&l, "update_project", "{\"project\":\"two\",\"name\":\"x\"}", KEN_EPERM, "one project");
    fails(&l, "list_folders", "{}", KEN_EPERM, "one project");
    fails(&l, "preview_scope", "{\"path\":\"/tmp\"}", KEN_EPERM, "one project");
    lab_close(&l);
}

KEN_TEST(sizes_of_all_projects_are_listed)
{
    lab l;
    index_two(&l);
    json_t *v = call(&l, "list_projects", "{\"counts\":true}");
    kt_eq_i(number(project_named(v, "one"), "files"), 1);
    kt_eq_i(number(project_named(v, "two"), "lines"), 2);
    kt_eq_text(text(at(project_named(v, "two"), "languages", 0), "language"), "python");
    json_decref(v);
    v = call(&l, "list_projects", "{\"limit\":1}");
    kt_eq_i(number(v, "total"), 2);
    kt_eq_i(number(v, "next_offset"), 1);
    kt_null(json_object_get(at(v, "projects", 0), "files"));
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(a_folder_is_added_with_patterns_that_its_first_run_keeps_to)
{
    lab l;
    ktest_write("new/src/a.c", "int a(void) { return 1; }\n");
    ktest_write("new/src/b_gen.c", "int b(void) { return 1; }\n");
    ktest_write("new/doc/c.md", "# C\n");
    open_whole(&l, "");
    json_t *v = call(&l, "add_project",
                     fmt("{\"path\":\"%s\",\"name\":\"fresh\",\"include_patterns\":[\"src/**\"],"
                         "\"exclude_patterns\":[\"*_gen.c\"]}",
                         ktest_path("new")));
    kt_true(is_true(v, "needs_index"));
    kt_eq_text(text(json_object_get(v, "project"), "name"), "fresh");
    json_decref(v);
    v = call(&l, "list_projects", "{}");
    kt_eq_text(text(at(v, "projects", 0), "status"), "not_indexed");
    json_decref(v);
    fails(&l, "add_project", fmt("{\"path\":\"%s\"}", ktest_path("new")), KEN_EEXIST, "fresh");
    fails(&l, "add_project", fmt("{\"path\":\"%s\"}", ktest_path("new/src/a.c")), KEN_EINVAL,
          "not a folder");
    fails(&l, "add_project", fmt("{\"path\":\"%s\"}", ktest_path("nowhere")), KEN_ENOTFOUND,
          "nowhere");
    fails(&l, "add_project", "{\"path\":\"/etc\"}", KEN_EPERM, "belongs to the system");
    fails(&l, "add_project", "{\"path\":\"src\"}", KEN_EINVAL, "absolute");
    fails(&l, "add_project",
          fmt("{\"path\":\"%s\",\"include_patterns\":[\"a[\"]}", ktest_path("new/src")), KEN_EINVAL,
          "include_patterns");
    v = call(&l, "index_repository", fmt("{\"path\":\"%s\"}", ktest_path("new")));
    kt_eq_i(number(v, "files_indexed"), 1);
    json_decref(v);
    v = call(&l, "list_files", "{\"filter\":\".\"}");
    kt_eq_text(text(at(v, "entries", 0), "path"), "src/a.c");
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(names_and_patterns_of_a_project_are_changed)
{
    lab l;
    ktest_write("old/a.c", "int a(void) { return 1; }\n");
    ktest_write("old/b.py", "def b():\n    return 1\n");
    open_whole(&l, ktest_path("old"));
    json_decref(call(&l, "index_repository", "{\"repo_path\":\".\",\"max_file_size\":5000}"));
    json_t *v = call(&l, "update_project",
                     "{\"project\":\"old\",\"name\":\"orders\",\"exclude_patterns\":[\"*.py\"]}");
    kt_true(is_true(v, "needs_index"));
    kt_eq_i(number(v, "max_file_size"), 5000);
    kt_eq_text(text(json_object_get(v, "project"), "name"), "orders");
    json_decref(v);
    v = call(&l, "list_files", "{}"); // a question keeps to it, too
    kt_eq_i(number(v, "total"), 1);
    json_decref(v);
    v = call(&l, "update_project", "{\"project\":\"orders\",\"exclude_patterns\":[\"*.py\"]}");
    kt_true(!is_true(v, "needs_index"));
    json_decref(v);
    v = call(&l, "update_project", "{\"project\":\"orders\",\"exclude_patterns\":[]}");
    kt_true(is_true(v, "needs_index"));
    kt_eq_i(number(v, "max_file_size"), 5000);
    json_decref(v);
    v = call(&l, "list_files", "{}");
    kt_eq_i(number(v, "total"), 2);
    json_decref(v);
    fails(&l, "update_project", "{\"project\":\"orders\"}", KEN_EINVAL, "nothing to change");
    fails(&l, "update_project", "{\"project\":\"orders\",\"name\":\"a\\u0007b\"}", KEN_EINVAL,
          "plain");
    lab_close(&l);
}

KEN_TEST(folders_are_shown_to_choose_from)
{
    lab l;
    index_two(&l);
    ktest_write("two/.git/HEAD", "ref: refs/heads/main\n");
    ktest_write("three/x", "");
    ktest_write(".quiet/x", "");
    ktest_write(".ssh/x", "");
    kt_eq_i(symlink(ktest_path("one"), ktest_path("link")), 0);
    json_t *v = call(&l, "list_folders", fmt("{\"path\":\"%s\"}", ktest_dir()));
    // data, one, three, two
    kt_eq_i(number(v, "total"), 4);
    kt_eq_text(text(at(v, "folders", 1), "name"), "one");
    kt_true(is_true(at(v, "folders", 1), "is_project"));
    kt_true(!is_true(at(v, "folders", 1), "is_repository"));
    kt_true(is_true(at(v, "folders", 3), "is_repository"));
    kt_true(is_true(at(v, "folders", 2), "is_allowed"));
    kt_true(text(v, "parent").len > 0);
    json_decref(v);
    v = call(&l, "list_folders",
             fmt("{\"path\":\"%s\",\"hidden\":true,\"offset\":4}", ktest_dir()));
    kt_eq_text(text(at(v, "folders", 0), "name"), ".quiet");
    kt_eq_i(number(v, "total"), 5); // never .ssh
    json_decref(v);
    fails(&l, "list_folders", "{\"path\":\"/etc\"}", KEN_EPERM, "system");
    fails(&l, "list_folders", fmt("{\"path\":\"%s\"}", ktest_path(".ssh")), KEN_EPERM, "keys");
    fails(&l, "list_folders", fmt("{\"path\":\"%s\"}", ktest_path("one/a.c")), KEN_EINVAL,
          "not a folder");
    fails(&l, "list_folders", "{\"path\":\"x/y\"}", KEN_EINVAL, "absolute");
    l.ctx.is_read_only = true;
    fails(&l, "list_folders", "{}", KEN_EPERM, "only read");
    lab_close(&l);
}

KEN_TEST(nothing_outside_of_the_allowed_roots_is_shown)
{
    lab l;
    ken_err err = { 0 };
    ktest_write("in/a/x", "");
    ktest_write("out/b/x", "");
    kt_eq_i(symlink(ktest_path("out"), ktest_path("in/way")), 0);
    setenv("KEN_ALLOWED_ROOTS", ktest_path("in"), 1);
    open_whole(&l, "");
    json_t *v = call(&l, "list_folders", "{}");
    kt_eq_text(text(v, "path"), "");
    kt_eq_i(number(v, "total"), 1);
    kt_eq_text(text(at(v, "folders", 0), "name"), "in");
    json_decref(v);
    v = call(&l, "list_folders", fmt("{\"path\":\"%s\"}", ktest_path("in")));
    kt_eq_text(text(at(v, "folders", 0), "name"), "a");
    kt_eq_i(number(v, "total"), 1);
    kt_null(json_object_get(v, "parent"));
    json_decref(v);
    fails(&l, "list_folders", fmt("{\"path\":\"%s\"}", ktest_path("out")), KEN_EPERM,
          "projects.roots");
    fails(&l, "list_folders", fmt("{\"path\":\"%s\"}", ktest_path("in/way")), KEN_EPERM,
          "projects.roots");
    fails(&l, "list_folders", fmt("{\"path\":\"%s\"}", ktest_path("in/../out")), KEN_EPERM,
          "projects.roots");
    fails(&l, "list_folders", fmt("{\"path\":\"%s\"}", ktest_path("not/there")), KEN_EPERM,
          "projects.roots");
    kt_null(try_call(&l, "preview_scope", fmt("{\"path\":\"%s\"}", ktest_path("out")), &err));
    kt_status(err.status, KEN_EPERM);
    lab_close(&l);
    unsetenv("KEN_ALLOWED_ROOTS");
}

static const json_t *skip_of(const json_t *v, const char *reason)
{
    const json_t *list = json_object_get(v, "skipped");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (ken_str_eq_c(text(json_array_get(list, i), "reason"), reason))
            return json_array_get(list, i);
    return NULL;
}

KEN_TEST(a_scope_is_shown_before_it_is_kept)
{
    lab l;
    ktest_write("pre/.gitignore", "out/\n");
    ktest_write("pre/out/x.c", "int x;\n");
    ktest_write("pre/src/a.c", "int a(void) { return 1; }\n");
    ktest_write("pre/src/b.py", "def b():\n    return 1\n");
    ktest_write("pre/pic.png", "x");
    ktest_write("pre/node_modules/m/i.js", "x = 1\n");
    open_whole(&l, "");
    json_t *v = call(&l, "preview_scope", fmt("{\"path\":\"%s\"}", ktest_path("pre")));
    kt_eq_i(number(v, "files"), 3);
    kt_true(number(skip_of(v, "ignored"), "count") == 1);
    kt_eq_text(ken_json_text(at(skip_of(v, "binary"), "examples", 0)), "pic.png");
    kt_true(skip_of(v, "folder") || skip_of(v, "vendored"));
    json_decref(v);
    v = call(
        &l, "preview_scope",
        fmt("{\"path\":\"%s\",\"exclude_patterns\":[\"*.py\",\".gitignore\"]}", ktest_path("pre")));
    kt_eq_i(number(v, "files"), 1);
    kt_null(json_object_get(v, "in_index"));
    kt_eq_text(text(at(v, "languages", 0), "language"), "c");
    kt_eq_text(ken_json_text(at(v, "examples", 0)), "src/a.c");
    json_decref(v);
    // Nothing was kept, and nothing became a project.
    v = call(&l, "list_projects", "{}");
    kt_eq_i(number(v, "total"), 0);
    json_decref(v);
    fails(&l, "preview_scope", "{\"path\":\"/etc\"}", KEN_EPERM, "system");
    fails(&l, "preview_scope", "{\"path\":\"/\"}", KEN_EPERM, "more than one project");
    json_decref(
        call(&l, "index_repository",
             fmt("{\"path\":\"%s\",\"include_patterns\":[\"src/**\"]}", ktest_path("pre"))));
    v = call(&l, "preview_scope", "{\"project\":\"pre\"}"); // as the index remembers it
    kt_eq_i(number(v, "files"), 2);
    json_decref(v);
    v = call(&l, "preview_scope", "{\"project\":\"pre\",\"include_patterns\":[]}");
    kt_eq_i(number(v, "files"), 3);
    json_decref(v);
    lab_close(&l);
}

// Each file that is found is in the index, was left out as it was read, or is new: the numbers add up.
KEN_TEST(a_scope_is_compared_with_the_index)
{
    lab l;
    ktest_write("cmp/src/a.c", "int a(void) { return 1; }\n");
    ktest_write("cmp/src/b.c", "int b(void) { return 1; }\n");
    ktest_write("cmp/latin.txt", "caf\xe9 au lait, and no more of it\n");
    ktest_write("cmp/pic.png", "x");
    open_whole(&l, "");
    json_decref(call(&l, "index_repository", fmt("{\"path\":\"%s\"}", ktest_path("cmp"))));
    ktest_write("cmp/src/c.c", "int c(void) { return 1; }\n");
    json_t *v = call(&l, "preview_scope", "{\"project\":\"cmp\"}");
    const json_t *index = json_object_get(v, "in_index");
    kt_eq_i(number(v, "files"), 4);
    kt_eq_i(number(index, "files"), 2);
    kt_eq_i(number(index, "skipped_total"), 1);
    kt_eq_i(number(skip_of(index, "encoding"), "count"), 1);
    kt_eq_i(number(index, "unread"), 1);
    kt_eq_i(number(index, "not_found"), 0);
    kt_eq_i(number(v, "git_ignored"), 0);
    json_t *status = call(&l, "get_repo_status", "{\"project\":\"cmp\"}");
    const json_t *skipped = json_object_get(status, "skipped");
    kt_eq_i(number(skipped, "encoding") + number(skipped, "binary"),
            number(v, "skipped_total") + number(index, "skipped_total"));
    kt_not_null(json_string_value(json_object_get(status, "checked_at")));
    json_decref(status);
    json_decref(v);
    v = call(&l, "preview_scope", "{\"project\":\"cmp\",\"exclude_patterns\":[\"src/b.c\"]}");
    index = json_object_get(v, "in_index");
    kt_eq_i(number(index, "files"), 1);
    kt_eq_i(number(index, "not_found"), 1);
    json_decref(v);
    lab_close(&l);
}

// ---- the graph ----------------------------------------------------------------------------------

static const json_t *node_named(const json_t *v, const char *name)
{
    const json_t *list = json_object_get(v, "nodes");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (ken_str_eq_c(text(json_array_get(list, i), "name"), name))
            return json_array_get(list, i);
    return NULL;
}

static const json_t *edge_between(const json_t *v, const char *from, const char *to)
{
    const json_t *a = node_named(v, from), *b = node_named(v, to);
    const json_t *list = json_object_get(v, "edges");
    for (size_t i = 0; a && b && i < json_array_size(list); i++) {
        const json_t *e = json_array_get(list, i);
        if (ken_str_eq(text(e, "from"), text(a, "id")) && ken_str_eq(text(e, "to"), text(b, "id")))
            return e;
    }
    return NULL;
}

static void index_graph(lab *l)
{
    ktest_write(
        "g/app/main.py",
        "from lib.a import first\nfrom lib.b import Derived\n\n\n"
        "def main(thing):\n    thing.go()\n    first()\n    first()\n    Derived().run()\n    nothing_here()\n");
    ktest_write("g/lib/a.py", "from lib.b import second\n\n\ndef first():\n    second()\n");
    ktest_write(
        "g/lib/b.py",
        "from lib import a\n\n\nclass Base:\n    def run(self):\n        pass\n\n\n"
        "class Derived(Base):\n    pass\n\n\n"
        "def second():\n    a.first()\n\n\nclass One:\n    def go(self):\n        pass\n\n\n"
        "class Two:\n    def go(self):\n        pass\n");
    ktest_write("g/lib/__init__.py", "\"\"\"Parts.\"\"\"\n");
    ktest_write("g/tests/test_a.py",
                "from lib.a import first\n\n\ndef test_first():\n    first()\n");
    open_whole(l, ktest_path("g"));
    json_decref(call(l, "index_repository", "{\"repo_path\":\".\"}"));
}

KEN_TEST(a_graph_around_a_symbol_goes_both_ways)
{
    lab l;
    index_graph(&l);
    json_t *v = call(&l, "symbol_graph", "{\"symbol_name\":\"first\"}");
    kt_eq_text(text(v, "level"), "symbol");
    kt_eq_text(text(at(v, "nodes", 0), "name"), "first");
    kt_eq_text(text(at(v, "nodes", 0), "id"), "lib/a.py#first");
    kt_eq_i(number(at(v, "nodes", 0), "line"), 4);
    kt_eq_i(number(edge_between(v, "main", "first"), "sites"), 2);
    kt_eq_text(text(edge_between(v, "main", "first"), "resolution"), "imported");
    kt_not_null(edge_between(v, "first", "second"));
    kt_not_null(edge_between(v, "second", "first"));
    kt_not_null(edge_between(v, "test_first", "first"));
    kt_true(is_true(node_named(v, "test_first"), "is_test"));
    kt_eq_i(number(v, "cycles"), 1);
    kt_true(number(node_named(v, "first"), "cycle") == number(node_named(v, "second"), "cycle"));
    kt_null(json_object_get(node_named(v, "main"), "cycle"));
    kt_null(json_object_get(v, "truncated"));
    json_decref(v);
    v = call(
        &l, "symbol_graph",
        "{\"symbol_name\":\"first\",\"direction\":\"callers\",\"tests\":\"exclude\",\"max_depth\":1}");
    kt_null(node_named(v, "test_first"));
    kt_not_null(edge_between(v, "main", "first"));
    json_decref(v);
    v = call(&l, "symbol_graph",
             "{\"symbol_name\":\"main\",\"direction\":\"callees\",\"external\":true}");
    kt_eq_text(text(node_named(v, "nothing_here"), "kind"), "external");
    kt_eq_i(number(node_named(v, "main"), "unresolved"), 1); // thing.go
    kt_true(number(v, "unresolved") >= 1);
    json_decref(v);
    v = call(&l, "symbol_graph", "{\"symbol_name\":\"Derived\",\"max_depth\":1}");
    kt_eq_text(text(edge_between(v, "Derived", "Base"), "kind"), "inherit");
    json_decref(v);
    v = call(&l, "symbol_graph", "{\"symbol_name\":\"Base\",\"direction\":\"callers\"}");
    kt_eq_text(text(edge_between(v, "Derived", "Base"), "kind"), "inherit");
    kt_null(json_object_get(v, "note"));
    json_decref(v);
    v = call(&l, "symbol_graph", "{\"symbol_name\":\"first\",\"file_hint\":\"tests/\"}");
    kt_eq_text(text(v, "note"), "nothing of that name is in 'tests/', this is first");
    json_decref(v);
    fails(&l, "symbol_graph", "{\"symbol_name\":\"nobody\"}", KEN_ENOTFOUND, "nobody");
    fails(&l, "symbol_graph", "{\"level\":\"symbol\"}", KEN_EINVAL, "symbol_name");
    fails(&l, "symbol_graph", "{\"symbol_name\":\"a\",\"directory\":\"lib\"}", KEN_EINVAL,
          "directory");
    fails(&l, "symbol_graph", "{\"max_nodes\":5001}", KEN_EINVAL, "5001");
    lab_close(&l);
}

KEN_TEST(a_graph_of_files_shows_imports_around_one_or_below_a_folder)
{
    lab l;
    index_graph(&l);
    json_t *v = call(&l, "symbol_graph", "{\"file_path\":\"lib/a.py\",\"max_depth\":1}");
    kt_eq_text(text(v, "level"), "file");
    kt_eq_text(text(at(v, "nodes", 0), "id"), "lib/a.py");
    kt_not_null(edge_between(v, "main.py", "a.py"));
    kt_not_null(edge_between(v, "a.py", "b.py"));
    kt_eq_text(text(edge_between(v, "a.py", "b.py"), "kind"), "import");
    kt_eq_i(number(v, "cycles"), 1);
    json_decref(v);
    v = call(&l, "symbol_graph",
             "{\"file_path\":\"lib/a.py\",\"direction\":\"callees\",\"max_depth\":1}");
    kt_null(node_named(v, "main.py"));
    json_decref(v);
    v = call(&l, "symbol_graph", "{\"level\":\"file\",\"directory\":\"lib\"}");
    kt_not_null(edge_between(v, "b.py", "a.py"));
    kt_null(node_named(v, "main.py"));
    kt_eq_i(number(v, "total"), 3);
    json_decref(v);
    // A module's own files, and not those of the modules below its folder.
    v = call(&l, "symbol_graph", "{\"module\":\".\"}");
    kt_eq_i(number(v, "total"), 0);
    json_decref(v);
    v = call(&l, "symbol_graph", "{\"module\":\"lib\"}");
    kt_eq_text(text(v, "level"), "file");
    kt_eq_i(number(v, "total"), 3);
    json_decref(v);
    fails(&l, "symbol_graph", "{\"module\":\"li\"}", KEN_ENOTFOUND,
          "module: 'li' is none of those that level module lists");
    fails(&l, "symbol_graph", "{\"module\":\"lib\",\"directory\":\"lib\"}", KEN_EINVAL, "module");
    fails(&l, "symbol_graph", "{\"module\":\"lib\",\"level\":\"module\"}", KEN_EINVAL, "module");
    v = call(&l, "symbol_graph", "{\"level\":\"file\",\"max_nodes\":2}");
    kt_true(is_true(v, "truncated"));
    kt_eq_u(json_array_size(json_object_get(v, "nodes")), 2);
    kt_eq_i(number(v, "total"), 5);
    json_decref(v);
    fails(&l, "symbol_graph", "{\"file_path\":\"lib/zebra.py\"}", KEN_ENOTFOUND, "zebra");
    lab_close(&l);
}

KEN_TEST(a_graph_of_modules_is_the_architecture)
{
    lab l;
    index_graph(&l);
    json_t *v = call(&l, "symbol_graph", "{}");
    kt_eq_text(text(v, "level"), "module");
    const json_t *app = node_named(v, "app"), *lib = node_named(v, "lib");
    kt_true(number(app, "layer") > number(lib, "layer"));
    kt_eq_text(text(lib, "kind"), "module");
    kt_eq_i(number(edge_between(v, "app", "lib"), "sites"), 1);
    kt_eq_text(text(node_named(v, "tests"), "aside"), "tests");
    json_decref(v);
    v = call(&l, "symbol_graph", "{\"tests\":\"exclude\"}");
    kt_null(node_named(v, "tests"));
    json_decref(v);
    lab_close(&l);
}

// Of which module they are is said, and one that is left out has none. Several names of one module that is
// not known are one.
KEN_TEST(imports_that_lead_nowhere_are_counted_by_module)
{
    lab l;
    index_graph(&l);
    ktest_write("g/app/more.py",
                "from .gone import a, b\nfrom lib.a import first\nfrom .gone import c\n");
    ktest_write("g/tests/test_b.py", "from .lost import a\nfrom .away import b\n");
    json_decref(call(&l, "index_repository", "{\"repo_path\":\".\"}"));
    json_t *v = call(&l, "symbol_graph", "{\"level\":\"module\"}");
    kt_eq_i(number(v, "unresolved"), 3);
    kt_eq_i(number(node_named(v, "app"), "unresolved"), 1);
    kt_eq_i(number(node_named(v, "tests"), "unresolved"), 2);
    kt_null(json_object_get(node_named(v, "lib"), "unresolved"));
    json_decref(v);
    v = call(&l, "symbol_graph", "{\"level\":\"module\",\"tests\":\"exclude\"}");
    kt_eq_i(number(v, "unresolved"), 1);
    json_decref(v);
    lab_close(&l);
}

// A hub with more callers than have room: what is left out is counted, and no edge leads to nothing.
KEN_TEST(a_graph_that_is_too_large_is_cut_and_says_so)
{
    lab l;
    ken_buf code = KEN_BUF_INIT(0);
    ken_buf_puts(&code, "def hub():\n    pass\n\n\n");
    for (int i = 0; i < 400; i++)
        ken_buf_printf(&code, "def user%d():\n    hub()\n\n\n", i);
    ktest_write("hub/a.py", code.ptr);
    open_whole(&l, ktest_path("hub"));
    json_decref(call(&l, "index_repository", "{\"repo_path\":\".\"}"));
    json_t *v = call(&l, "symbol_graph", "{\"symbol_name\":\"hub\",\"max_nodes\":50}");
    kt_eq_u(json_array_size(json_object_get(v, "nodes")), 50);
    kt_eq_u(json_array_size(json_object_get(v, "edges")), 49);
    kt_eq_i(number(v, "total"), 401);
    kt_true(is_true(v, "truncated") && is_true(v, "at_least"));
    kt_true(is_true(at(v, "nodes", 0), "is_cut"));
    json_decref(v);
    v = call(&l, "symbol_graph", "{\"symbol_name\":\"hub\",\"max_nodes\":5000}");
    kt_eq_u(json_array_size(json_object_get(v, "edges")), 400);
    kt_null(json_object_get(v, "truncated"));
    json_decref(v);
    ken_buf_release(&code);
    lab_close(&l);
}

// ---- settings and models ------------------------------------------------------------------------

static const json_t *setting_of(const json_t *v, const char *key)
{
    const json_t *list = json_object_get(v, "settings");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (ken_str_eq_c(text(json_array_get(list, i), "key"), key))
            return json_array_get(list, i);
    return NULL;
}

static void open_at_home(lab *l)
{
    setenv("HOME", ktest_dir(), 1);
    setenv("XDG_CONFIG_HOME", ktest_path("conf"), 1);
    open_whole(l, "");
}

KEN_TEST(settings_are_listed_changed_and_taken_back)
{
    lab l;
    ktest_write("svc/a.c", "int a(void) { return 1; }\n");
    setenv("DATABASE_URL", "", 1);
    open_at_home(&l);
    json_decref(call(&l, "index_repository", fmt("{\"path\":\"%s\"}", ktest_path("svc"))));
    json_t *v = call(&l, "list_settings", "{}");
    const json_t *s = setting_of(v, "indexing.max_file_size");
    kt_eq_i(number(s, "value"), 1048576);
    kt_eq_text(text(s, "default"), "1MiB");
    kt_eq_text(text(s, "type"), "size");
    kt_eq_i(number(s, "max"), 10485760);
    kt_eq_text(text(s, "source_kind"), "default");
    kt_eq_text(ken_json_text(at(setting_of(v, "mcp.format"), "words", 0)), "text");
    kt_eq_text(text(setting_of(v, "data.dir"), "source_kind"), "flag");
    json_decref(v);
    v = call(&l, "change_setting", "{\"key\":\"indexing.max_file_size\",\"value\":\"2MiB\"}");
    kt_eq_text(text(v, "result"), "set");
    kt_true(is_true(v, "is_pending"));
    json_decref(v);
    v = call(&l, "list_settings", "{}");
    kt_eq_i(number(setting_of(v, "indexing.max_file_size"), "value"), 2097152);
    kt_eq_text(text(setting_of(v, "indexing.max_file_size"), "source_kind"), "user_file");
    json_decref(v);
    json_decref(call(&l, "change_setting",
                     "{\"key\":\"indexing.exclude\",\"value\":\"gen/**,*.min.js\","
                     "\"project\":\"svc\"}"));
    v = call(&l, "list_settings", "{\"project\":\"svc\"}");
    s = setting_of(v, "indexing.exclude");
    kt_eq_u(json_array_size(json_object_get(s, "value")), 2);
    kt_eq_text(text(s, "source_kind"), "project_file");
    json_decref(v);
    v = call(&l, "change_setting", "{\"key\":\"indexing.max_file_size\",\"value\":null}");
    kt_eq_text(text(v, "result"), "unset");
    kt_true(!is_true(v, "is_pending"));
    json_decref(v);
    v = call(&l, "change_setting", "{\"key\":\"indexing.max_file_size\"}");
    kt_eq_text(text(v, "result"), "not set");
    json_decref(v);
    fails(&l, "change_setting", "{\"key\":\"indexing.max_file_size\",\"value\":\"1TiB\"}",
          KEN_EINVAL, "max_file_size");
    fails(&l, "change_setting", "{\"key\":\"indexing.max_file_sise\",\"value\":\"1\"}", KEN_EINVAL,
          "max_file_size");
    fails(&l, "change_setting",
          "{\"key\":\"mcp.read_only\",\"value\":\"true\",\"project\":\"svc\"}", KEN_EINVAL,
          "mcp.read_only");
    l.ctx.is_read_only = true;
    fails(&l, "change_setting", "{\"key\":\"indexing.jobs\",\"value\":\"1\"}", KEN_EPERM,
          "read-only");
    lab_close(&l);
}

KEN_TEST(secrets_among_settings_are_never_told)
{
    lab l;
    open_at_home(&l);
    json_decref(call(&l, "change_setting",
                     "{\"key\":\"webhooks.secret\",\"value\":\"open sesame, really\"}"));
    json_t *v = call(&l, "list_settings", "{}");
    ken_buf all = KEN_BUF_INIT(0);
    ken_json_dump(v, &all);
    kt_null(strstr(all.ptr, "sesame"));
    kt_eq_text(text(setting_of(v, "webhooks.secret"), "value"), "(set)");
    ken_buf_release(&all);
    json_decref(v);
    lab_close(&l);
}

KEN_TEST(who_serves_one_project_sees_its_settings_alone)
{
    lab l;
    char id[KEN_UUID_TEXT];
    ktest_write("svc/a.c", "int a(void) { return 1; }\n");
    open_at_home(&l);
    json_t *v = call(&l, "index_repository", fmt("{\"path\":\"%s\"}", ktest_path("svc")));
    snprintf(id, sizeof id, "%s", text(v, "repository_id").ptr);
    json_decref(v);
    l.ctx.project = ken_str_c(id);
    v = call(&l, "list_settings", "{}");
    kt_not_null(setting_of(v, "indexing.exclude"));
    kt_null(setting_of(v, "webhooks.secret"));
    kt_null(setting_of(v, "data.dir"));
    kt_null(json_object_get(v, "user_file"));
    json_decref(v);
    fails(&l, "change_setting", "{\"key\":\"indexing.jobs\",\"value\":\"1\"}", KEN_EPERM,
          "one project");
    lab_close(&l);
}

KEN_TEST(models_are_listed_and_one_is_chosen)
{
    lab l;
    ktest_write("svc/a.c", "int a(void) { return 1; }\n");
    open_at_home(&l);
    json_decref(call(&l, "index_repository", fmt("{\"path\":\"%s\"}", ktest_path("svc"))));
    json_t *v = call(&l, "list_models", "{\"project\":\"svc\"}");
    kt_eq_text(text(at(v, "models", 0), "id"), "builtin");
    kt_eq_text(text(json_object_get(v, "chosen"), "id"), "builtin");
    json_decref(v);
    v = call(&l, "list_models", "{}");
    kt_null(json_object_get(v, "chosen"));
    json_decref(v);
    v = call(&l, "use_model", "{\"model\":\"builtin\",\"project\":\"svc\"}");
    kt_true(!is_true(v, "needs_embed"));
    kt_null(json_object_get(v, "sends_code_to"));
    json_decref(v);
    fails(&l, "use_model", "{\"model\":\"zebra\",\"project\":\"svc\"}", KEN_ENOTFOUND, "zebra");
    lab_close(&l);
}

KEN_TEST(a_model_is_added_refused_and_removed)
{
    lab l;
    ktest_write("svc/a.c", "int a(void) { return 1; }\n");
    open_at_home(&l);
    json_decref(call(&l, "index_repository", fmt("{\"path\":\"%s\"}", ktest_path("svc"))));
    static const char add[] =
        "{\"id\":\"mine\",\"source\":\"https://models.example.org/m.onnx\",\"tokenizer_source\":"
        "\"/srv/vocab.txt\",\"license\":\"Apache-2.0\",\"dims\":384,\"code_quality\":\"good\"}";
    json_t *v = call(&l, "add_model", add);
    const json_t *m = json_object_get(v, "model");
    kt_eq_text(text(m, "id"), "mine");
    kt_eq_text(text(m, "status"), "pending");
    kt_eq_text(text(m, "license"), "Apache-2.0");
    kt_eq_i(number(m, "dims"), 384);
    kt_eq_i(number(m, "max_tokens"), 512);
    kt_true(!is_true(m, "is_preloaded"));
    json_decref(v);
    fails(&l, "add_model", add, KEN_EEXIST, "id: there is a model 'mine' already");
    fails(&l, "add_model", "{\"id\":\"b\",\"source\":\"m.onnx\",\"tokenizer_source\":\"/v.txt\"}",
          KEN_EINVAL, "source: must be an https:, http: or file:///");
    fails(&l, "add_model",
          "{\"id\":\"b\",\"source\":\"/m\",\"tokenizer_source\":\"/v.txt\",\"dims\":5000}",
          KEN_EINVAL, "args.dims");
    fails(&l, "add_model", "{\"id\":\"b\",\"source\":\"/m\"}", KEN_EINVAL, "tokenizer_source");
    fails(&l, "remove_model", "{\"model\":\"mine\"}", KEN_EINVAL, "args.confirm");
    fails(&l, "remove_model", "{\"model\":\"zebra\",\"confirm\":true}", KEN_ENOTFOUND, "zebra");
    fails(&l, "remove_model", "{\"model\":\"builtin\",\"confirm\":true}", KEN_EINVAL,
          "a part of ken");
    lab_close(&l);
    setenv("KEN_EMBEDDING_PROVIDER", "onnx", 1);
    setenv("KEN_EMBEDDING_MODEL", "mine", 1);
    open_at_home(&l);
    fails(&l, "remove_model", "{\"model\":\"mine\",\"confirm\":true}", KEN_EBUSY,
          "used by the project 'svc'");
    lab_close(&l);
    unsetenv("KEN_EMBEDDING_PROVIDER");
    unsetenv("KEN_EMBEDDING_MODEL");
    open_at_home(&l);
    v = call(&l, "remove_model", "{\"model\":\"mine\",\"confirm\":true}");
    kt_true(!is_true(v, "is_listed"));
    json_decref(v);
    v = call(&l, "remove_model", "{\"model\":\"nomic-embed-text\",\"confirm\":true}");
    kt_true(is_true(v, "is_listed"));
    json_decref(v);
    v = call(&l, "list_models", "{}");
    kt_eq_i(number(v, "total"), 5);
    json_decref(v);
    lab_close(&l);
}
