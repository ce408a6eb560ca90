// SPDX-License-Identifier: MIT
// catalog_matrix.h -- the catalogs that a test of the conformance suite runs on: each backend, and each
// decorator around it.
#ifndef KEN_TESTS_CATALOG_MATRIX_H
#define KEN_TESTS_CATALOG_MATRIX_H

#include <stdio.h>

#include "base/arena.h"
#include "ktest.h"
#include "postgres_lab.h"
#include "store/catalog.h"
#include "store/store_debug.h"

typedef enum catalog_kind {
    CATALOG_SQLITE = 0,
    CATALOG_TRACED,
    CATALOG_FAULTY_TRACED,
    CATALOG_POSTGRES,
    CATALOG_POSTGRES_FAULTY_TRACED,
    CATALOG_KINDS,
} catalog_kind;

static ken_err err;
static ken_arena arena;
static catalog_kind now;
static ken_store_fault no_fault;
static size_t n_traced;

static void count_line(void *ctx, ken_str line)
{
    (void)ctx;
    n_traced += line.len != 0;
}

static ken_database *database; // of PostgreSQL, for one test
static char database_url[600];

static inline bool is_postgres(void)
{
    return now >= CATALOG_POSTGRES;
}

// Without decorators, which have no limits of their own.
static inline bool is_bare(void)
{
    return now == CATALOG_SQLITE || now == CATALOG_POSTGRES;
}

static inline const char *catalog_path(void)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%d/config/projects.db", ktest_dir(), (int)now);
    return path;
}

static inline ken_catalog *open_catalog_as(bool is_read_only)
{
    ken_catalog *c = NULL;
    kt_ok_err(is_postgres() ? ken_catalog_open_in(database, is_read_only, &c, &err)
                            : ken_catalog_open(catalog_path(), is_read_only, &c, &err),
              &err);
    if (now == CATALOG_FAULTY_TRACED || now == CATALOG_POSTGRES_FAULTY_TRACED)
        ken_catalog_add_fault(c, &no_fault);
    if (!is_bare())
        ken_catalog_add_trace(c, count_line, NULL);
    return c;
}

static inline ken_catalog *open_catalog(void)
{
    return open_catalog_as(false);
}

// In a child: with connections of its own.
static inline ken_status open_catalog_in_child(ken_catalog **out)
{
    if (!is_postgres())
        return ken_catalog_open(catalog_path(), false, out, &err);
    ken_status st = ken_database_open(&(ken_database_opts){ .url = database_url }, &database, &err);
    return st ? st : ken_catalog_open_in(database, false, out, &err);
}

static inline void run_on(catalog_kind kind, void (*body)(void))
{
    now = kind;
    err = (ken_err){ .msg = "" };
    if (is_postgres() && !lab_has_postgres())
        return;
    if (is_postgres()) {
        snprintf(database_url, sizeof database_url, "%s", lab_new_migrated_url());
        database = lab_open(database_url);
    }
    ken_arena_init(&arena, 0);
    body();
    ken_arena_release(&arena);
    ken_database_close(database);
    database = NULL;
}

#define CATALOG_TEST(name)                               \
    static void body_##name(void);                       \
    KEN_TEST(name)                                       \
    {                                                    \
        for (int kind = 0; kind < CATALOG_KINDS; kind++) \
            run_on((catalog_kind)kind, body_##name);     \
    }                                                    \
    static void body_##name(void)

#endif
