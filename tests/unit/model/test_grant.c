// SPDX-License-Identifier: MIT
#include "ktest.h"
#include "model/grant.h"

static unsigned parse(const char *text)
{
    unsigned flags = 0;
    return ken_scopes_parse(ken_str_c(text), &flags) ? flags : 0;
}

KEN_TEST(scopes_include_those_before_them)
{
    kt_eq_u(parse("read"), KEN_SCOPE_F_READ);
    kt_eq_u(parse("write"), KEN_SCOPE_F_READ | KEN_SCOPE_F_WRITE);
    kt_eq_u(parse("admin"), KEN_SCOPES_ALL);
    kt_eq_u(parse("read,write"), KEN_SCOPE_F_READ | KEN_SCOPE_F_WRITE);
    kt_eq_u(parse(" write  read,"), KEN_SCOPE_F_READ | KEN_SCOPE_F_WRITE);
    static const char *const bad[] = { "", " ", ",", "Read", "reads", "read;write", "read,all" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (parse(bad[i]))
            kt_fail("'%s' was taken", bad[i]);
    ken_arena a;
    ken_arena_init(&a, 0);
    kt_eq_text(ken_scopes_format(KEN_SCOPES_ALL, &a), "read,write,admin");
    kt_eq_text(ken_scopes_format(0, &a), "");
    ken_arena_release(&a);
}

KEN_TEST(a_bound_grant_reaches_no_other_project)
{
    const ken_uuid mine = { { 1 } }, other = { { 2 } };
    ken_grant g = { .scopes = KEN_SCOPE_F_READ, .is_bound = true, .project = mine };
    kt_true(ken_grant_allows(&g, KEN_SCOPE_F_READ, &mine));
    kt_false(ken_grant_allows(&g, KEN_SCOPE_F_READ, &other));
    kt_false(ken_grant_allows(&g, KEN_SCOPE_F_READ, NULL)); // what is of all of them
    kt_false(ken_grant_allows(&g, KEN_SCOPE_F_WRITE, &mine));
    g.is_bound = false;
    kt_true(ken_grant_allows(&g, KEN_SCOPE_F_READ, &other));
    kt_true(ken_grant_allows(&g, KEN_SCOPE_F_READ, NULL));
}
