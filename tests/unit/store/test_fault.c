// SPDX-License-Identifier: MIT
// Failing the 1st, 2nd, … n-th call of a run: whatever fails, the last generation stays whole, the
// same store goes on, and the run succeeds when tried again.
#include "conformance/store/store_scenario.h"
#include "ktest.h"
#include "store/store_debug.h"
#include "store/store_ops.h"

static ken_err err;

static ken_store *open_store(const char *path)
{
    ken_store *s = NULL;
    kt_ok_err(ken_store_open(&(ken_store_opts){ .path = path }, &s, &err), &err);
    return s;
}

static uint64_t check(ken_store *s)
{
    uint64_t g = 0;
    const char *wrong = NULL;
    kt_ok_err(scn_check(s, &g, &wrong, &err), &err);
    kt_eq_str(wrong, NULL);
    return g;
}

// Writes generations with every call failing in turn; returns how many calls one takes.
static uint64_t fail_each_call(ken_store_fault plan)
{
    ken_store *s = open_store(ktest_path("p.db"));
    ken_store_fault now_plan = { 0 }, *f = &now_plan;
    kt_ok_err(scn_write(s, 1, &err), &err);
    ken_store_add_fault(s, f);
    uint64_t g = 1, n = 0;
    for (bool was_reached = true; was_reached;) {
        *f = plan;
        f->fail_at = ++n;
        ken_status st = scn_write(s, g + 1, &err);
        bool has_failed = st != KEN_OK; // not when the answer was a failure anyway
        was_reached = f->n_calls >= n;
        if (has_failed) {
            kt_status(st, plan.status ? plan.status : KEN_EIO);
            kt_not_null(f->name);
        }
        // A checkpoint comes after the commit, and an answer may be lost once the work is done.
        bool may_move = !has_failed || plan.is_after || !strcmp(f->name, "checkpoint");
        *f = (ken_store_fault){ 0 };
        uint64_t now = check(s);
        kt_true(now == g || (now == g + 1 && may_move));
        g = now;
        if (n % 3 == 0) { // from time to time a run gets through
            kt_ok_err(scn_write(s, g + 1, &err), &err);
            g++;
            kt_eq_u(check(s), g);
        }
    }
    kt_ok_err(ken_store_verify(s, &err), &err);
    ken_store_close(s);
    s = open_store(ktest_path("p.db"));
    kt_eq_u(check(s), g);
    kt_ok_err(ken_store_verify(s, &err), &err);
    ken_store_close(s);
    return n;
}

KEN_TEST(each_call_fails_once)
{
    kt_true(fail_each_call((ken_store_fault){ 0 }) > 50);
}

KEN_TEST(each_call_fails_and_all_after_it)
{
    kt_true(fail_each_call((ken_store_fault){ .is_sticky = true, .status = KEN_ENOSPC }) > 50);
}

KEN_TEST(each_answer_is_lost_once)
{
    kt_true(fail_each_call((ken_store_fault){ .is_after = true, .status = KEN_EBUSY }) > 50);
}

// ---- the decorator itself --------------------------------------------------------------------

typedef struct lines {
    char text[4096];
    size_t len;
} lines;

static void keep_line(void *ctx, ken_str line)
{
    lines *l = ctx;
    size_t n = line.len < sizeof l->text - 2 - l->len ? line.len : 0;
    memcpy(l->text + l->len, line.ptr, n);
    l->len += n;
    l->text[l->len++] = '\n';
    l->text[l->len] = '\0';
}

KEN_TEST(trace_names_calls_arguments_and_failures)
{
    lines l = { .len = 0 };
    ken_store_fault plan = { .fail_at = 3 };
    ken_store *s = open_store(ktest_path("p.db"));
    ken_store_add_fault(s, &plan);
    ken_store_add_trace(s, keep_line, &l);
    kt_ok(ken_store_begin_write(s, &err));
    kt_ok(ken_store_put_value(s, KEN_STR("settings"), KEN_STR("abc"), &err));
    kt_status(ken_store_put_generation(s, &(ken_generation){ .number = 7 }, &err), KEN_EIO);
    kt_status(ken_store_commit(s, &err), KEN_EIO);
    ken_store_close(s);
    kt_has_str(l.text, "begin_write: ok, ");
    kt_has_str(l.text, "put_value 'settings' 3: ok, ");
    kt_has_str(l.text, "put_generation 7: input/output error, ");
    kt_has_str(l.text, "put_generation failed, as asked for at call 3");
    kt_eq_u(plan.n_calls, 3); // the commit of a spoiled transaction never reaches the backend
}

KEN_TEST(catalogs_have_the_same_decorators)
{
    lines l = { .len = 0 };
    ken_store_fault plan = { .fail_at = 2 };
    ken_catalog *c = NULL;
    ken_arena arena;
    ken_str value;
    ken_catalog_row row;
    ken_arena_init(&arena, 0);
    kt_ok_err(ken_catalog_open(ktest_path("config/projects.db"), false, &c, &err), &err);
    ken_catalog_add_fault(c, &plan);
    ken_catalog_add_trace(c, keep_line, &l);
    kt_ok_err(ken_catalog_put_value(c, KEN_STR("a"), KEN_STR("xyz"), &err), &err);
    kt_status(ken_catalog_add(c, KEN_STR("/some/where"), KEN_STR(""), 1, &arena, &row, &err),
              KEN_EIO);
    kt_ok_err(ken_catalog_add(c, KEN_STR("/some/where"), KEN_STR(""), 1, &arena, &row, &err), &err);
    kt_ok_err(ken_catalog_load_value(c, KEN_STR("a"), &arena, &value, &err), &err);
    kt_true(ken_str_eq_c(value, "xyz"));
    kt_true(ken_catalog_is_current(c));
    // Refused before it reaches a backend.
    kt_status(ken_catalog_put_value(c, KEN_STR(""), KEN_STR("x"), &err), KEN_EINVAL);
    kt_status(ken_catalog_add(c, KEN_STR("relative"), KEN_STR(""), 1, &arena, &row, &err),
              KEN_EINVAL);
    kt_status(ken_catalog_put_model(c, &(ken_model_record){ .id = KEN_STR("../x") }, &err),
              KEN_EINVAL);
    kt_eq_u(plan.n_calls, 4);
    ken_catalog_close(c);
    kt_has_str(l.text, "change_value 'a': ok, ");
    kt_has_str(l.text, "add '/some/where': input/output error, ");
    kt_has_str(l.text, "load_value 'a': ok, ");
    ken_arena_release(&arena);
}

KEN_TEST(a_backend_without_a_slot_is_refused)
{
    static const ken_store_ops store_ops = { .name = "half" };
    static const ken_catalog_ops catalog_ops = { .name = "half" };
    ken_store_backend b = { &store_ops };
    ken_catalog_backend cb = { &catalog_ops };
    ken_store *s = NULL;
    ken_catalog *c = NULL;
    kt_status(ken_store__wrap(&b, &s, &err), KEN_EINTERNAL);
    kt_status(ken_catalog__wrap(&cb, &c, &err), KEN_EINTERNAL);
    kt_has_str(err.msg, "'half' lacks a slot");
    kt_status(ken_catalog_open("postgres://u:secret@h/d", false, &c, &err), KEN_EUNSUPPORTED);
    kt_true(!strstr(err.msg, "secret"));
}
