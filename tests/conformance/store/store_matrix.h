// SPDX-License-Identifier: MIT
// store_matrix.h -- the backends that every test of the conformance suite runs on, and its steps.
#ifndef KEN_TESTS_STORE_MATRIX_H
#define KEN_TESTS_STORE_MATRIX_H

#include "conformance/store/store_scenario.h"
#include "ktest.h"
#include "postgres_lab.h"
#include "store/store_debug.h"

typedef struct backend {
    const char *name;
    void (*decorate)(ken_store *s);
    bool is_postgres;
} backend;

static ken_store_fault no_fault;
static size_t n_traced;

static void count_line(void *ctx, ken_str line)
{
    (void)ctx;
    n_traced += line.len != 0;
}

static void decorate_not(ken_store *s)
{
    (void)s;
}

static void decorate_trace(ken_store *s)
{
    ken_store_add_trace(s, count_line, NULL);
}

static void decorate_both(ken_store *s)
{
    ken_store_add_fault(s, &no_fault);
    ken_store_add_trace(s, count_line, NULL);
}

static const backend backends[] = {
    { "sqlite", decorate_not, false },
    { "sqlite-traced", decorate_trace, false },
    { "sqlite-faulty-traced", decorate_both, false },
    { "postgres", decorate_not, true },
    { "postgres-faulty-traced", decorate_both, true },
};

static ken_err err;
static ken_arena arena;
static const backend *now;

static ken_store *open_store(bool is_read_only)
{
    ken_store *s = NULL;
    kt_ok_err(
        ken_store_open(&(ken_store_opts){ .path = ktest_path(now->name),
                                          .database = now->is_postgres ? lab_database() : NULL,
                                          .is_read_only = is_read_only },
                       &s, &err),
        &err);
    now->decorate(s);
    return s;
}

// The body of one test, on a new store of every backend.
static void on_each(void (*body)(ken_store *s))
{
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
        now = &backends[i];
        if (now->is_postgres && !lab_has_postgres())
            continue;
        ken_arena_init(&arena, 0);
        ken_store *s = open_store(false);
        body(s);
        ken_store_close(s);
        ken_arena_release(&arena);
    }
}

#define STORE_TEST(name)                   \
    static void body_##name(ken_store *s); \
    KEN_TEST(name)                         \
    {                                      \
        on_each(body_##name);              \
    }                                      \
    static void body_##name(ken_store *s)

static void begin(ken_store *s)
{
    kt_ok_err(ken_store_begin_write(s, &err), &err);
}

static void commit(ken_store *s)
{
    kt_ok_err(ken_store_commit(s, &err), &err);
}

#endif
