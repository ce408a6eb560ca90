// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "base/patience.h"
#include "base/url.h"
#include "ktest.h"

static void has_parts(const char *text, const char *want)
{
    ken_url u;
    char got[400];
    kt_true(ken_url_parse(ken_str_c(text), &u));
    snprintf(got, sizeof got,
             KEN_STR_FMT " " KEN_STR_FMT " " KEN_STR_FMT " " KEN_STR_FMT " " KEN_STR_FMT,
             KEN_STR_ARG(u.protocol), KEN_STR_ARG(u.user), KEN_STR_ARG(u.host), KEN_STR_ARG(u.port),
             KEN_STR_ARG(u.path));
    kt_eq_text(ken_str_c(got), want);
}

KEN_TEST(a_url_has_the_parts_that_git_sees)
{
    has_parts("https://example.org/o/r.git", "https  example.org  /o/r.git");
    has_parts("https://u:p@w@example.org:8443/o", "https u:p@w example.org 8443 /o");
    has_parts("ssh://git@[::1]:22/r", "ssh git [::1] 22 /r");
    has_parts("ssh://[::1]/r", "ssh  [::1]  /r");
    has_parts("git@example.org:o/r", "ssh git example.org  o/r");
    has_parts("/srv/git/r.git", "file    /srv/git/r.git");
    has_parts("file:///srv/r", "file    /srv/r");
    ken_url u;
    static const char *const odd[] = { "",   "r",  "o/r",      "o/r:x", "ext::sh -c x",
                                       ":x", "x:", "a-b://x/y" };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        kt_false(ken_url_parse(ken_str_c(odd[i]), &u));
    kt_eq_text(ken_url_repository(KEN_STR("/o/r.git/")), "o/r");
    kt_eq_text(ken_url_repository(KEN_STR("o/r/.git")), "o/r");
    kt_eq_text(ken_url_repository(KEN_STR("/.git/")), "");
}

static void count(void *ctx)
{
    ++*(int *)ctx;
}

KEN_TEST(users_of_urls_are_masked_wherever_they_stand)
{
    ken_arena a;
    ken_arena_init(&a, 0);
    kt_eq_text(ken_url_masked(KEN_STR("no 'https://u:p@x/y@z' and ssh://git@h/p, a@b"), &a),
               "no 'https://***@x/y@z' and ssh://***@h/p, a@b");
    kt_eq_text(ken_url_masked(KEN_STR("://"), &a), "://");
    kt_eq_text(ken_url_masked(KEN_STR(""), &a), "");
    ken_arena_release(&a);
}

KEN_TEST(patience_ends_with_the_time_with_a_cancel_and_with_anything_else)
{
    int n = 0;
    ken_cancel cancel = { .is_set = false };
    ken_err err = { .status = KEN_EBUSY, .msg = "held" };
    ken_patience p = { .max_ms = 10, .on_wait = count, .ctx = &n };
    ken_status st = KEN_OK;
    kt_false(ken_patience_tries_again(&p, &st, &cancel, &err));
    st = KEN_EIO;
    kt_false(ken_patience_tries_again(&p, &st, &cancel, &err));
    kt_eq_i(st, KEN_EIO);
    st = KEN_EBUSY;
    kt_true(ken_patience_tries_again(&p, &st, &cancel, &err));
    kt_eq_text(ken_str_c(err.msg), ""); // of the try before
    kt_false(ken_patience_tries_again(&p, &st, &cancel, &err));
    kt_eq_i(st, KEN_EBUSY);
    kt_eq_i(n, 1);
    p = (ken_patience){ .max_ms = 100000, .on_wait = count, .ctx = &n };
    ken_cancel_set(&cancel);
    kt_false(ken_patience_tries_again(&p, &st, &cancel, &err));
    kt_eq_i(st, KEN_ECANCELLED);
    kt_eq_i(n, 1);
}
