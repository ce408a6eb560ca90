// SPDX-License-Identifier: MIT
// A project of several folders, as somebody at a command line has it: two git repositories and a plain folder.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fs.h"
#include "git_lab.h"

static char out[64 * 1024];
static int exit_code;

// Runs ken in the folder that holds all roots; what it printed is in `out`.
static void ken(const char *first, ...)
{
    char data[500], home[500];
    const char *argv[16] = { KEN_BINARY, first };
    va_list ap;
    va_start(ap, first);
    for (size_t i = 2; i < 15 && argv[i - 1]; i++)
        argv[i] = va_arg(ap, const char *);
    va_end(ap);
    snprintf(data, sizeof data, "KEN_DATA_DIR=%s/data", ktest_dir());
    snprintf(home, sizeof home, "HOME=%s", ktest_dir());
    const char *const env[] = { data, home, "NO_COLOR=1", "TERM=dumb", NULL };
    ken_proc_result r;
    ken_err err = { 0 };
    kt_ok_err(
        ken_proc_run(&(ken_proc_opts){ .argv = argv, .cwd = ktest_dir(), .env = env }, &r, &err),
        &err);
    snprintf(out, sizeof out, "%.*s%.*s", (int)r.out.len, r.out.ptr ? r.out.ptr : "",
             (int)r.errors.len, r.errors.ptr ? r.errors.ptr : "");
    exit_code = r.exit_code;
    ken_proc_result_release(&r);
}

static void has(const char *part)
{
    if (!strstr(out, part))
        kt_fail("'%s' is not in:\n%s", part, out);
}

static void has_not(const char *part)
{
    if (strstr(out, part))
        kt_fail("'%s' is in:\n%s", part, out);
}

static void commit(const char *folder, const char *message)
{
    GIT_IN(ktest_path(folder), NULL, "add", "-A");
    GIT_IN(ktest_path(folder), NULL, "commit", "-q", "-m", message);
}

static void make_roots(void)
{
    ktest_write("app/main.py",
                "from shared.util import helper\n\n\ndef main():\n    return helper(2)\n");
    ktest_write("lib/shared/__init__.py", "");
    ktest_write("lib/shared/util.py", "def helper(x):\n    return x + 1\n");
    ktest_write("lib/.gitignore", "built/\n");
    ktest_write("lib/built/out.py", "def made_by_a_build():\n    pass\n");
    ktest_write("plain/notes.md", "# Notes\n\nThe helper adds one.\n");
    GIT_IN(ktest_path("app"), NULL, "init", "-q");
    GIT_IN(ktest_path("lib"), NULL, "init", "-q");
    commit("app", "application");
    commit("lib", "library");
    ken("index", "app", "--add-root", "lib", "--add-root", "docs=plain", NULL);
    kt_eq_i(exit_code, 0);
}

KEN_TEST(files_of_all_roots_are_found_and_open_as_shown)
{
    make_roots();
    ken("search", "helper", "--project", "app", NULL);
    has("app/main.py:1");
    has("lib/shared/util.py:1");
    has("plain/notes.md:1");
    ken("search", "helper", "--project", "app", "--json", NULL);
    has("\"file_path\": \"@lib/shared/util.py\"");
    has("\"@docs\": \"");
    ken("search", "made_by_a_build", "--mode", "text", "--project", "app", NULL);
    has("nothing found"); // each root keeps to its own ignore files
    ken("status", "app", NULL);
    has("@lib ");
    has("state      ready");
}

KEN_TEST(a_path_is_taken_as_it_is_shown_and_as_it_opens)
{
    make_roots();
    ken("outline", "@lib/shared/util.py", "--project", "app", NULL);
    has("def helper(x)");
    ken("outline", ktest_path("lib/shared/util.py"), "--project", "app", NULL);
    has("def helper(x)");
    ken("search", "helper", "@lib", "--project", "app", NULL);
    has("1 result");
    ken("search", "helper", "--glob", "@docs/**", "--project", "app", NULL);
    has("notes.md");
    has_not("util.py");
    ken("outline", "@lib/../../data/config/projects.db", "--project", "app", NULL);
    kt_true(exit_code != 0);
}

KEN_TEST(what_a_name_leads_to_in_another_root_is_no_more_than_inferred)
{
    make_roots();
    ken("refs", "helper", "--project", "app", NULL);
    has("app/main.py");
    has("inferred");
}

// "../app" of a library is beside it on the disk, and a root's name is no folder.
KEN_TEST(paths_lead_out_of_no_root)
{
    ktest_write("app/base.h", "int in_first_root(void);\n");
    ktest_write("app/tsconfig.json", "{ \"compilerOptions\": { \"baseUrl\": \".\" } }\n");
    ktest_write("app/a.ts", "import { shown } from \"@lib/x\";\nexport const a = shown();\n");
    ktest_write("lib/x.ts", "export function shown() { return 1; }\n");
    ktest_write("lib/m.c", "#include \"../base.h\"\nint m(void) { return in_first_root(); }\n");
    ktest_write("lib/y.ts", "import { shown } from \"./x\";\nexport const y = shown();\n");
    ken("index", "app", "--add-root", "lib", NULL);
    ken("refs", "shown", "--project", "app", NULL);
    has("lib/y.ts");
    has_not("app/a.ts");
    ken("refs", "in_first_root", "--project", "app", "--json", NULL);
    has_not("\"resolution\": \"imported\"");
    has_not("\"resolution\": \"exact\"");
}

KEN_TEST(each_repository_has_its_own_commits)
{
    ken_arena a;
    ken_arena_init(&a, 0);
    make_roots();
    ken_str head = GIT_IN(ktest_path("lib"), &a, "rev-parse", "HEAD");
    ken("def", "helper", "--project", "app", "--json", NULL);
    has(ken_arena_printf(&a, "\"commit_hash\": \"" KEN_STR_FMT, KEN_STR_ARG(head)).ptr);
    ktest_write("lib/shared/util.py", "def helper(x):\n    return x + 2\n");
    ken("impact", "--diff", "HEAD", "--project", "app", NULL);
    has("helper");
    has("lib/shared/util.py");
    has("main"); // who uses it
    commit("lib", "two");
    ken("impact", "--diff", "HEAD~1..HEAD", "--project", "app", NULL);
    has("helper"); // the first repository has no such commit
    ken_arena_release(&a);
}

KEN_TEST(a_commit_is_asked_of_a_project_of_its_folder_alone)
{
    make_roots();
    ken("def", "helper", "--project", "app", "--at", "HEAD", NULL);
    has("a commit belongs to one repository");
    kt_true(exit_code != 0);
    ken("index", "lib", NULL); // a root may be a project, too
    ken("def", "helper", "--project", "lib", "--at", "HEAD", NULL);
    has("shared/util.py:1");
    has("at HEAD");
    ken("index", "app", "--remove-root", "lib", "--remove-root", "docs", NULL);
    ken("def", "main", "--project", "app", "--at", "HEAD", NULL);
    has("main.py:4");
}

KEN_TEST(code_that_changes_often_is_known_of_each_repository)
{
    make_roots();
    for (int i = 0; i < 6; i++) {
        char text[2000], message[20];
        int n = snprintf(text, sizeof text, "def often(x):\n");
        for (int k = 0; k < 12; k++)
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "    if x == %d and x > %d:\n        return %d\n", k, i, k);
        ktest_write("lib/often.py", text);
        snprintf(message, sizeof message, "change %d", i);
        commit("lib", message);
    }
    ken("hotspots", "--project", "app", NULL);
    has("lib/often.py");
    ken("hotspots", "--project", "app", "--json", NULL);
    has("\"@lib/often.py");
}

KEN_TEST(a_root_that_is_gone_is_said_and_comes_back)
{
    make_roots();
    kt_ok_err(ken_fs_rename(ktest_path("lib"), ktest_path("away"), NULL), NULL);
    ktest_write("app/fresh.py", "def fresh():\n    pass\n");
    ken("def", "fresh", "--project", "app", NULL);
    has("app/fresh.py:1"); // the others are kept in step
    has("incomplete: the folder of root '@lib' is gone");
    ken("status", "app", NULL);
    has("(gone)");
    ken("index", "app", "--force", NULL);
    has("--remove-root lib");
    kt_true(exit_code != 0);
    kt_ok_err(ken_fs_rename(ktest_path("away"), ktest_path("lib"), NULL), NULL);
    ken("def", "helper", "--project", "app", NULL);
    has("lib/shared/util.py:1");
    has_not("incomplete");
}

KEN_TEST(a_root_that_became_a_link_is_not_followed)
{
    make_roots();
    ktest_write("other/secret.py", "def elsewhere():\n    pass\n");
    kt_ok_err(ken_fs_rename(ktest_path("lib"), ktest_path("away"), NULL), NULL);
    kt_eq_i(symlink(ktest_path("other"), ktest_path("lib")), 0);
    ken("def", "elsewhere", "--project", "app", NULL);
    has_not("secret.py");
    ken("search", "elsewhere", "--project", "app", NULL);
    has("is gone");
    has_not("secret.py");
}

KEN_TEST(a_root_is_taken_out)
{
    make_roots();
    ken("index", "app", "--remove-root", "docs", NULL);
    has("1 removed");
    ken("search", "helper", "--glob", "*.md", "--project", "app", NULL);
    has("nothing found");
    ken("status", "app", NULL);
    has_not("@docs");
    ken("index", "app", "--remove-root", "docs", NULL);
    has("no further root 'docs'; it has 'lib'");
}

KEN_TEST(roots_that_overlap_or_share_a_name_are_refused)
{
    make_roots();
    ktest_write("app/@data/x.py", "x = 1\n");
    ktest_write("data2/x.py", "x = 1\n");
    ktest_write("more/lib/x.py", "x = 1\n");
    const struct {
        const char *root, *says;
    } bad[] = {
        { "lib/shared", "root @lib" },
        { "app/sub", "No such file" },
        { ".", "first root" },
        { "more/lib", "already; give another name" },
        { "data=data2", "would have its paths" },
        { "nothing", "No such file" },
        { "lib/shared/util.py", "not a folder" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ken("index", "app", "--add-root", bad[i].root, NULL);
        has(bad[i].says);
        kt_true(exit_code != 0);
    }
    ken("status", "app", NULL); // nothing was changed
    has("files      4");
}

KEN_TEST(an_exported_index_binds_roots_by_their_names)
{
    make_roots();
    ken("export", "team.kb", "--project", "app", NULL);
    kt_eq_i(exit_code, 0);
    ken("projects", "remove", "app", "--yes", NULL);
    ken("import", "team.kb", "app", NULL);
    has("--add-root docs=DIR");
    kt_true(exit_code != 0);
    ken("index", "app", "--add-root", "lib", "--add-root", "docs=plain", NULL);
    ken("import", "team.kb", "app", "--force", NULL);
    kt_eq_i(exit_code, 0);
    ken("search", "helper", "--project", "app", NULL);
    has("plain/notes.md:1");
}

KEN_TEST(globs_of_the_scope_name_roots)
{
    make_roots();
    ken("index", "app", "--only", "--exclude", "@lib/shared/**", NULL);
    ken("search", "helper", "--project", "app", NULL);
    has_not("util.py");
    has("main.py");
    ken("index", "app", "--all", NULL);
    ken("search", "helper", "--project", "app", NULL);
    has("util.py");
}

// The list of projects is lost, or the index is one of a backup.
KEN_TEST(an_index_that_is_taken_up_keeps_its_roots)
{
    make_roots();
    static const char *const files[] = { "data/config/projects.db", "data/config/projects.db-wal",
                                         "data/config/projects.db-shm",
                                         "data/config/projects.db.writes" };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(ktest_path(files[i]));
    kt_ok_err(ken_fs_rename(ktest_path("plain"), ktest_path("away"), NULL), NULL);
    ken("index", "app", NULL);
    kt_eq_i(exit_code, 0);
    has_not("removed");
    ken("def", "helper", "--project", "app", NULL);
    has("lib/shared/util.py:1");
    has("incomplete: the folder of root '@docs' is gone");
}
