// SPDX-License-Identifier: MIT
// A file that cannot be read is not one that is gone.
#include <sys/resource.h>

#include "unit/query/calls_lab.h"

static void start_three(void)
{
    start("lib.c", "int work_once(int n)\n{\n    return n;\n}\n");
    lab_write(&l, "use.c",
              "int work_once(int);\nint use_it(void)\n{\n    return work_once(1);\n}\n");
    lab_write(&l, "more.c", "int more(void)\n{\n    return 3;\n}\n");
    go();
}

// From here on the process gets no further descriptor.
static struct rlimit take_descriptors(void)
{
    struct rlimit before;
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    kt_true(fd >= 0);
    kt_eq_i(close(fd), 0);
    kt_eq_i(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct rlimit none = { (rlim_t)fd, before.rlim_max };
    kt_eq_i(setrlimit(RLIMIT_NOFILE, &none), 0);
    return before;
}

typedef enum asking {
    ASK_RANKED,
    ASK_SYMBOL,
    ASK_TEXT,
    ASK_REGEX,
    ASK_DEFINITION,
    ASK_USAGES,
    N_ASKINGS
} asking;

// What it finds.
static size_t ask(asking how)
{
    static const ken_search_mode modes[] = { KEN_SEARCH_AUTO, KEN_SEARCH_SYMBOL, KEN_SEARCH_TEXT,
                                             KEN_SEARCH_REGEX };
    ken_str name = KEN_STR("work_once");
    if (how == ASK_DEFINITION) {
        ken_definition_result d;
        kt_ok_err(ken_find_definition(snap, &(ken_definition_opts){ .name = name, .limit = 5 },
                                      &l.arena, &d, &l.err),
                  &l.err);
        return d.n_defs;
    }
    if (how == ASK_USAGES) {
        ken_usages u = { 0 };
        ken_usages_opts o = { .name = name, .limit = 50 };
        ken_status st = ken_find_usages(snap, &o, NULL, &l.arena, &u, &l.err);
        return st ? 0 : u.n_total;
    }
    ken_search_result r;
    ken_search_opts o = { .mode = modes[how] };
    kt_ok_err(ken_search(snap, name, &o, NULL, &l.arena, &r, &l.err), &l.err);
    return r.n_hits;
}

KEN_TEST(x10_without_descriptors_no_question_has_an_answer)
{
    for (int how = 0; how < N_ASKINGS; how++) {
        start_three();
        struct rlimit before = take_descriptors();
        ask((asking)how);
        kt_eq_i(setrlimit(RLIMIT_NOFILE, &before), 0);
        kt_status(ken_snapshot_check(snap, &l.err), KEN_ENOMEM);
        kt_has_str(l.err.msg, "Too many open files");
        lab_again(&l, snap); // the next question is another one
        kt_true(ask((asking)how) >= 1);
        kt_ok(ken_snapshot_check(snap, &l.err));
        kt_eq_u(ken_snapshot_unread(snap).len, 0);
        end();
    }
}

// Who may read everything asks as nobody: the index and the root are open already.
KEN_TEST(x10_files_that_may_not_be_read_are_counted_and_told)
{
    enum {
        NOBODY = 65534
    };
    static const char *const closed[] = { "lib.c", "more.c" };
    char path[4096];
    bool is_root = geteuid() == 0;
    start_three();
    for (size_t i = 0; i < 2; i++) {
        lab_path(&l, closed[i], path);
        kt_eq_i(chmod(path, 0), 0);
    }
    if (is_root)
        kt_eq_i(seteuid(NOBODY), 0);
    size_t n_text = ask(ASK_TEXT), n_defs = ask(ASK_DEFINITION);
    ken_file_view v;
    ken_status viewed = ken_view_file(snap, KEN_STR("lib.c"), &l.arena, &v, &l.err);
    if (is_root)
        kt_eq_i(seteuid(0), 0);
    kt_eq_u(n_text, 1);
    kt_eq_u(n_defs, 0);
    kt_status(viewed, KEN_EPERM);
    kt_ok(ken_snapshot_check(snap, &l.err));
    kt_eq_str(ken_snapshot_unread(snap).ptr,
              "2 files cannot be read: permission denied, first 'lib.c'");
    lab_remove(&l, "more.c"); // gone is not refused
    lab_path(&l, "lib.c", path);
    kt_eq_i(chmod(path, 0644), 0);
    lab_again(&l, snap);
    ask(ASK_TEXT);
    kt_eq_u(ken_snapshot_unread(snap).len, 0);
    end();
}

// Errors of syntax that could have changed an answer are told with it.
KEN_TEST(g19_a_name_in_what_could_not_be_parsed_is_told)
{
    start("lib.ts", "export function workOnce() {}\nexport function other() {}\n");
    lab_write(&l, "use.ts", "import { workOnce } from './lib'\nworkOnce()\n");
    lab_write(&l, "bad.ts",
              "import { other } from './lib'\n// workOnce\nother()\nconst s = 'workOnce'\n"
              "class { ] ) workOnce() = = }\n");
    go();
    ken_usages u;
    ken_usages_opts o = { .name = KEN_STR("workOnce"), .limit = 50 };
    kt_ok_err(ken_find_usages(snap, &o, NULL, &l.arena, &u, &l.err), &l.err);
    kt_eq_text(ken_snapshot_unread(snap),
               "'workOnce' stands where a file could not be parsed: bad.ts:5");
    lab_again(&l, snap);
    o.name = KEN_STR("other");
    kt_ok_err(ken_find_usages(snap, &o, NULL, &l.arena, &u, &l.err), &l.err);
    kt_eq_u(ken_snapshot_unread(snap).len, 0);
    end();
}
