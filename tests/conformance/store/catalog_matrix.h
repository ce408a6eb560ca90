// SPDX-License-Identifier: MIT
// catalog_matrix.h -- the catalogs that a test of the conformance suite runs on: each backend, and each
// decorator around it.
#ifndef KEN_TESTS_CATALOG_MATRIX_H
#define KEN_TESTS_CATALOG_MATRIX_H

#include <stdio.h>

#include "base/arena.h"
#include "ktest.h"
#include "store/catalog.h"
#include "store/store_debug.h"

typedef enum catalog_kind {
    CATALOG_SQLITE = 0,
    CATALOG_TRACED,
    CATALOG_FAULTY_TRACED,
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

static const char *catalog_path(void)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%d/config/projects.db", ktest_dir(), (int)now);
    return path;
}

static ken_catalog *open_catalog(void)
{
    ken_catalog *c = NULL;
    kt_ok_err(ken_catalog_open(catalog_path(), false, &c, &err), &err);
    if (now == CATALOG_FAULTY_TRACED)
        ken_catalog_add_fault(c, &no_fault);
    if (now != CATALOG_SQLITE)
        ken_catalog_add_trace(c, count_line, NULL);
    return c;
}

#define CATALOG_TEST(name)                                 \
    static void body_##name(void);                         \
    KEN_TEST(name)                                         \
    {                                                      \
        for (int kind = 0; kind < CATALOG_KINDS; kind++) { \
            now = (catalog_kind)kind;                      \
            ken_arena_init(&arena, 0);                     \
            body_##name();                                 \
            ken_arena_release(&arena);                     \
        }                                                  \
    }                                                      \
    static void body_##name(void)

#endif
