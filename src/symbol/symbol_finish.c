// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "symbol/symbol.h"

static int by_start(const void *a, const void *b)
{
    const ken_span *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end < y->end) - (x->end > y->end); // the longer one first
}

static void order_comments(ken_extraction *x)
{
    size_t n = x->comments.len;
    bool is_ordered = true;
    for (size_t i = 1; i < n && is_ordered; i++)
        is_ordered = x->comments.ptr[i - 1].end <= x->comments.ptr[i].start;
    if (is_ordered)
        return;
    qsort(x->comments.ptr, n, sizeof *x->comments.ptr, by_start);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!kept || x->comments.ptr[i].start >= x->comments.ptr[kept - 1].end)
            x->comments.ptr[kept++] = x->comments.ptr[i];
    x->comments.len = kept;
}

void ken_symbol_finish(ken_extraction *x, ken_str text, const uint32_t *line_starts,
                       uint32_t n_lines)
{
    order_comments(x);
    for (size_t i = 0; i < x->symbols.len; i++) {
        ken_symbol *s = &x->symbols.ptr[i];
        if (s->span.end > text.len)
            s->span.end = (uint32_t)text.len;
        // Some grammars end a definition behind the line break that follows it.
        while (s->span.end > s->span.start + 1 && ken_is_space(text.ptr[s->span.end - 1]))
            s->span.end--;
        s->first_line = ken_line_of(line_starts, n_lines, s->span.start);
        s->last_line = ken_line_of(line_starts, n_lines, s->span.end ? s->span.end - 1 : 0);
    }
}
