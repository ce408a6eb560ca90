// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "app/app_priv.h"
#include "app/tokens.h"
#include "base/clock.h"
#include "ktest.h"

static ken_config *config;
static ken_arena arena;
static ken_err err;

static ken_app *open_app(void)
{
    ken_app *app = NULL;
    kt_ok_err(ken_app_open(config, &app, &err), &err);
    return app;
}

static ken_app *setup(void)
{
    setenv("HOME", ktest_dir(), 1);
    setenv("KEN_DATA_DIR", ktest_path("data"), 1);
    ken_arena_init(&arena, 0);
    kt_ok_err(ken_config_load(NULL, &config, &err), &err);
    return open_app();
}

static void teardown(ken_app *app)
{
    ken_app_close(app);
    ken_config_free(config);
    ken_arena_release(&arena);
}

static ken_str add(ken_app *app, ken_app_token_opts o)
{
    ken_access_token t;
    ken_str secret = { 0 };
    if (!o.scopes)
        o.scopes = KEN_SCOPE_F_READ;
    kt_ok_err(ken_app_add_token(app, &o, &arena, &t, &secret, &err), &err);
    return secret;
}

static ken_status check(ken_app *app, ken_str secret, ken_grant *out)
{
    err = (ken_err){ 0 };
    return ken_app_check_token(app, secret, out, &err);
}

KEN_TEST(a_token_grants_what_it_was_made_for)
{
    ken_app *app = setup();
    ken_grant g;
    kt_status(check(app, KEN_STR(""), &g), KEN_EPERM); // there is no catalog yet
    ken_str all =
        add(app, (ken_app_token_opts){ .name = KEN_STR("all"), .scopes = KEN_SCOPES_ALL });
    const ken_uuid p = { { 1, 2 } };
    ken_str one =
        add(app, (ken_app_token_opts){ .name = KEN_STR("one"), .is_bound = true, .project = p });
    kt_eq_u(all.len, 47);
    kt_true(ken_app_is_token(all));
    kt_ok_err(check(app, all, &g), &err);
    kt_eq_str(g.name, "all");
    kt_eq_u(g.scopes, KEN_SCOPES_ALL);
    kt_false(g.is_bound);
    kt_ok_err(check(app, one, &g), &err);
    kt_eq_str(g.name, "one");
    kt_true(g.is_bound && ken_uuid_eq(g.project, p));
    teardown(app);
}

KEN_TEST(other_texts_grant_nothing)
{
    ken_app *app = setup();
    ken_grant g;
    ken_str right = add(app, (ken_app_token_opts){ .name = KEN_STR("a") });
    char wrong[64];
    for (size_t i = 0; i < right.len; i++) {
        snprintf(wrong, sizeof wrong, KEN_STR_FMT, KEN_STR_ARG(right));
        wrong[i] = wrong[i] == 'A' ? 'B' : 'A';
        kt_status(check(app, ken_str_c(wrong), &g), KEN_EPERM);
        kt_null(strstr(err.msg, wrong + 4));
    }
    kt_status(check(app, ken_str_sub(right, 0, right.len - 1), &g), KEN_EPERM);
    kt_status(check(app, ken_str_sub(right, 4, right.len), &g), KEN_EPERM);
    kt_status(check(app, KEN_STR("ken_"), &g), KEN_EPERM);
    char *large = memset(ken_arena_alloc(&arena, 1 << 20), 'a', 1 << 20);
    kt_status(check(app, ken_str_n(large, 1 << 20), &g), KEN_EPERM);
    kt_false(ken_app_is_token(KEN_STR("eyJhbGciOiJSUzI1NiJ9.e30.x")));
    teardown(app);
}

KEN_TEST(names_and_times_are_checked)
{
    static const char *const bad[] = { "",    "a b",      "a/b",
                                       "a\n", "\xc3\xa9", "2b9edfdc-1879-4cac-9f3d-e6c6ab350cd3" };
    ken_app *app = setup();
    ken_access_token t;
    ken_str secret;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ken_app_token_opts o = { .name = ken_str_c(bad[i]), .scopes = KEN_SCOPE_F_READ };
        kt_status(ken_app_add_token(app, &o, &arena, &t, &secret, &err), KEN_EINVAL);
        kt_has_str(err.msg, "name:");
    }
    ken_app_token_opts old = { .name = KEN_STR("old"), .scopes = 1, .expires_at_ms = 1 };
    kt_status(ken_app_add_token(app, &old, &arena, &t, &secret, &err), KEN_EINVAL);
    kt_has_str(err.msg, "expires:");
    teardown(app);
}

static void wait_ms(long ms)
{
    const struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
    (void)nanosleep(&t, NULL);
}

KEN_TEST(an_expired_token_grants_nothing)
{
    ken_app *app = setup();
    ken_grant g;
    ken_str s = add(app, (ken_app_token_opts){ .name = KEN_STR("short"),
                                               .expires_at_ms = ken_clock_wall_ms() + 300 });
    kt_ok_err(check(app, s, &g), &err);
    wait_ms(350);
    kt_status(check(app, s, &g), KEN_EPERM); // although the list is that of before
    teardown(app);
}

// A second process is a second app: it has its own catalog and its own list.
KEN_TEST(what_another_process_adds_or_revokes_counts_within_a_second)
{
    ken_app *app = setup(), *other = open_app();
    ken_access_token t;
    ken_grant g;
    ken_str mine = add(app, (ken_app_token_opts){ .name = KEN_STR("mine") });
    kt_ok_err(check(app, mine, &g), &err);
    ken_str theirs = add(other, (ken_app_token_opts){ .name = KEN_STR("theirs") });
    kt_ok_err(ken_app_revoke_token(other, KEN_STR("mine"), &arena, &t, &err), &err);
    wait_ms(1000);
    kt_ok_err(check(app, theirs, &g), &err);
    kt_status(check(app, mine, &g), KEN_EPERM);
    char id[KEN_UUID_TEXT];
    ken_uuid_format(g.token, id);
    kt_ok_err(ken_app_revoke_token(app, ken_str_c(id), &arena, &t, &err), &err);
    kt_eq_text(t.name, "theirs");
    kt_status(check(app, theirs, &g), KEN_EPERM); // at once, of its own
    kt_status(ken_app_revoke_token(app, theirs, &arena, &t, &err), KEN_ENOTFOUND);
    kt_true(ken_str_find(ken_str_c(err.msg), theirs) == SIZE_MAX);
    ken_app_close(other);
    teardown(app);
}

// Neither the secret nor what it is made of is in any file.
KEN_TEST(the_secret_is_kept_nowhere)
{
    static const char *const files[] = { "data/config/projects.db",
                                         "data/config/projects.db.writes" };
    ken_app *app = setup();
    ken_str s = add(app, (ken_app_token_opts){ .name = KEN_STR("findme") });
    ken_str part = ken_str_sub(s, 4, s.len);
    ken_app_close(app); // the log goes into the database
    for (size_t i = 0; i < 2; i++) {
        ken_str text = ktest_read(ktest_path(files[i]));
        kt_true(ken_str_find(text, KEN_STR("findme")) != SIZE_MAX);
        kt_true(ken_str_find(text, part) == SIZE_MAX);
    }
    teardown(NULL);
}
