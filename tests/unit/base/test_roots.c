// SPDX-License-Identifier: MIT
#include <unistd.h>

#include "base/roots.h"
#include "ktest.h"

static ken_arena arena;

static ken_roots two(void)
{
    ken_arena_init(&arena, 0);
    return ken_roots_parse(
        ken_arena_printf(&arena, "lib %s\nbad/name /x\nrelative x\na.b /none\n", ktest_path("lib")),
        &arena);
}

KEN_TEST(lines_that_name_no_root_are_passed_over)
{
    const ken_roots r = two();
    kt_eq_u(r.n, 2);
    kt_eq_text(r.more[0].name, "a.b");
    kt_eq_text(r.more[1].name, "lib");
    kt_false(ken_root_is_name(KEN_STR("")));
    kt_false(ken_root_is_name(KEN_STR(".hidden")));
    kt_false(ken_root_is_name(KEN_STR("a/b")));
    ken_arena_release(&arena);
}

KEN_TEST(a_path_is_of_the_root_that_it_names)
{
    ken_str below = KEN_STR("");
    const ken_roots r = two();
    kt_true(ken_roots_find(&r, KEN_STR("@lib/a/b.c"), &below) == &r.more[1]);
    kt_eq_text(below, "a/b.c");
    kt_null(ken_roots_find(&r, KEN_STR("@lib"), &below));
    kt_null(ken_roots_find(&r, KEN_STR("@libs/a"), &below));
    kt_null(ken_roots_find(&r, KEN_STR("src/@lib/a"), &below));
    kt_eq_text(ken_roots_relative(&r, KEN_STR("/none/x.c"), &arena), "@a.b/x.c");
    kt_null(ken_roots_relative(&r, KEN_STR("/nonesuch/x.c"), &arena).ptr);
    ken_arena_release(&arena);
}

KEN_TEST(nothing_is_found_in_a_root_that_is_gone_or_a_link)
{
    ktest_write("lib/a.c", "int a;\n");
    ktest_write("other/b.c", "int b;\n");
    ken_fs_info info;
    ken_roots r = two();
    ken_roots_open(&r);
    kt_false(r.more[1].is_gone);
    kt_true(r.more[0].is_gone);
    kt_eq_i(ken_fs_stat(r.more[0].fd, "x.c", &info, NULL), KEN_ENOTFOUND);
    kt_true(ken_roots_are_current(&r));
    kt_ok_err(ken_fs_rename(ktest_path("lib"), ktest_path("away"), NULL), NULL);
    kt_false(ken_roots_are_current(&r));
    ken_roots_close(&r);
    kt_eq_i(symlink(ktest_path("other"), ktest_path("lib")), 0);
    ken_roots_open(&r);
    kt_true(r.more[1].is_gone);
    kt_eq_i(ken_fs_stat(r.more[1].fd, "b.c", &info, NULL), KEN_ENOTFOUND);
    ken_roots_close(&r);
    ken_arena_release(&arena);
}
