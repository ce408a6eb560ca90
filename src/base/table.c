// SPDX-License-Identifier: MIT
#include "base/table.h"

#include <string.h>

#include "base/alloc.h"

void ken_table_init(ken_table *t, ken_arena *arena, const char *heads)
{
    ken_str rest = ken_str_c(heads), head;
    *t = (ken_table){ .arena = arena };
    while (t->n_columns < KEN_TABLE_COLUMNS && ken_str_split_next(&rest, '|', &head)) {
        if (head.len && head.ptr[0] == '>') {
            t->is_right[t->n_columns] = true;
            head = ken_str_sub(head, 1, head.len);
        }
        t->n_columns++;
        ken_table_add(t, head);
    }
}

void ken_table_add(ken_table *t, ken_str cell)
{
    if (t->n_cells == t->cap) {
        size_t cap = t->cap ? t->cap * 2 : 64;
        ken_str *cells = KEN_ARENA_ARRAY(t->arena, ken_str, cap);
        if (t->n_cells)
            memcpy(cells, t->cells, t->n_cells * sizeof *cells);
        t->cells = cells;
        t->cap = cap;
    }
    t->cells[t->n_cells++] = cell;
}

static size_t width_of(ken_str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++)
        n += ((unsigned char)s.ptr[i] & 0xc0) != 0x80;
    return n;
}

static void pad(ken_paint *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ken_paint_puts(out, " ");
}

// The row whose cells begin at `from`; without blanks at its end.
static void paint_row(const ken_table *t, size_t from, const size_t *widths, ken_paint *out)
{
    size_t n = t->n_columns;
    while (n && !t->cells[from + n - 1].len)
        n--;
    for (size_t c = 0; c < n; c++) {
        ken_str cell = t->cells[from + c];
        size_t missing = widths[c] - width_of(cell);
        pad(out, t->is_right[c] ? missing : 0);
        ken_paint_str(out, from ? KEN_STYLE_PLAIN : KEN_STYLE_BOLD, cell);
        pad(out, !t->is_right[c] && c + 1 < n ? missing : 0);
        ken_paint_puts(out, c + 1 < n ? "  " : "");
    }
    ken_paint_puts(out, "\n");
}

void ken_table_paint(const ken_table *t, ken_paint *out)
{
    size_t widths[KEN_TABLE_COLUMNS] = { 0 };
    for (size_t i = 0; i < t->n_cells; i++) {
        size_t w = width_of(t->cells[i]);
        if (w > widths[i % t->n_columns])
            widths[i % t->n_columns] = w;
    }
    for (size_t i = 0; i < t->n_cells; i += t->n_columns)
        paint_row(t, i, widths, out);
}
