// SPDX-License-Identifier: MIT
// table.h -- a table of text whose columns are as wide as they need to be.
//
// Ownership: cells are borrowed; the list of them lives in the arena passed. One thread at a time.
#ifndef KEN_BASE_TABLE_H
#define KEN_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/paint.h"
#include "base/str.h"

enum {
    KEN_TABLE_COLUMNS = 8
};

typedef struct ken_table {
    ken_arena *arena;
    ken_str *cells; // row after row; the heads are the first
    size_t n_cells, cap, n_columns;
    bool is_right[KEN_TABLE_COLUMNS]; // for numbers
} ken_table;

// `heads`: names separated by '|'; one that starts with '>' is aligned right.
void ken_table_init(ken_table *t, ken_arena *arena, const char *heads);
void ken_table_add(ken_table *t, ken_str cell);
void ken_table_paint(const ken_table *t, ken_paint *out);

#endif
