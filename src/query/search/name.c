// SPDX-License-Identifier: MIT
// Names: equal in any case, by prefix, by edit distance. Segments keep names in folded order, so
// the first two are a binary search; for the last they offer what has about the length and the
// letters, and the distance is measured here.
#include <stdlib.h>

#include "base/path.h"
#include "query/query_priv.h"

typedef struct name_walk {
    ken_snapshot *s;
    const ken_lex_part *part;
    ken_str wanted;
    ken_arena *arena;
    query_names *out;
    size_t enough; // `out` need not be longer; names are taken whole
    size_t max_distance;
    uint64_t letters; // of `wanted`
} name_walk;

ken_str ken_query__last_name(ken_str q, ken_str *out_scope)
{
    size_t end = q.len, at = end;
    while (at && (ken_is_word(q.ptr[at - 1]) || (unsigned char)q.ptr[at - 1] >= 0x80 ||
                  memchr("$?!@-", q.ptr[at - 1], 5)))
        at--;
    ken_str name = ken_str_sub(q, at, end);
    size_t to = at;
    while (to && memchr(".:#/>-\\", q.ptr[to - 1], 7))
        to--;
    size_t from = to;
    while (from && ken_is_word(q.ptr[from - 1]))
        from--;
    *out_scope = ken_str_sub(q, from, to);
    return name.len ? name : q;
}

enum {
    MAX_NAMES = 20000 // postings of one walk
};

static void add_postings(name_walk *w, ken_str text, const ken_name_posting *p, uint32_t n,
                         int closeness, double order)
{
    ken_str copy = { NULL, 0 };
    for (uint32_t i = 0; i < n; i++) {
        int32_t file = w->part->first_file[p[i].content];
        for (; file >= 0 && w->out->len < MAX_NAMES; file = w->s->corpus.next_file[file]) {
            if (!copy.ptr)
                copy = ken_arena_dup(w->arena, text);
            ken_vec_push(w->out, ((query_name){ copy, (uint32_t)file, p[i].symbol, p[i].kind,
                                                p[i].depth, closeness, order, false }));
        }
    }
}

static bool add_equal(void *ctx, ken_str text, const ken_name_posting *p, uint32_t n)
{
    name_walk *w = ctx;
    add_postings(w, text, p, n, ken_str_eq(text, w->wanted) ? 0 : 1, 0);
    return w->out->len < w->enough;
}

static bool add_prefix(void *ctx, ken_str text, const ken_name_posting *p, uint32_t n)
{
    name_walk *w = ctx;
    if (text.len > w->wanted.len)
        add_postings(w, text, p, n, 2, (double)text.len);
    return w->out->len < w->enough;
}

static uint64_t letters_of(ken_str s)
{
    uint64_t set = 0;
    for (size_t i = 0; i < s.len; i++) {
        char c = ken_lower(s.ptr[i]);
        if (c >= 'a' && c <= 'z')
            set |= (uint64_t)1 << (c - 'a');
        else if (ken_is_digit(c))
            set |= (uint64_t)1 << (26 + c - '0');
    }
    return set;
}

// Optimal string alignment (edits and swaps of neighbours), folded; more than `max` counts as max
// + 1.
static size_t distance(ken_str a, ken_str b, size_t max)
{
    enum {
        MOST = 64
    };
    size_t rows[3][MOST + 1];
    if (a.len > MOST || b.len > MOST || (a.len > b.len ? a.len - b.len : b.len - a.len) > max)
        return max + 1;
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= b.len; j++)
        last[j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t least = now[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            char x = ken_lower(a.ptr[i - 1]), y = ken_lower(b.ptr[j - 1]);
            size_t best = last[j - 1] + (x != y);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && x == ken_lower(b.ptr[j - 2]) && y == ken_lower(a.ptr[i - 2]) &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
            least = best < least ? best : least;
        }
        if (least > max)
            return max + 1;
        size_t *swap = before;
        before = last;
        last = now;
        now = swap;
    }
    return last[b.len];
}

static int count_bits(uint64_t v)
{
    int n = 0;
    for (; v; v &= v - 1)
        n++;
    return n;
}

// Each edit takes away or adds at most one kind of letter on either side.
static bool add_fuzzy(void *ctx, ken_str text, const ken_name_posting *p, uint32_t n)
{
    name_walk *w = ctx;
    if (ken_str_eq_fold(ken_str_sub(text, 0, w->wanted.len), w->wanted))
        return true; // equal, or found by prefix
    uint64_t letters = letters_of(text);
    int most = (int)w->max_distance;
    if (count_bits(letters & ~w->letters) > most || count_bits(w->letters & ~letters) > most)
        return true;
    size_t d = distance(text, w->wanted, w->max_distance);
    bool holds =
        text.len > w->wanted.len && w->wanted.len >= 4 && ken_str_find(text, w->wanted) != SIZE_MAX;
    if (d > 0 && (d <= w->max_distance || holds))
        add_postings(w, text, p, n, 3, (double)d);
    return w->out->len < w->enough;
}

// Segments differ with the history of an index; the order of their names may not be seen.
static int by_text(const void *a, const void *b)
{
    const query_name *x = a, *y = b;
    int d = ken_str_cmp_fold(x->text, y->text);
    d = d ? d : ken_str_cmp(x->text, y->text);
    d = d ? d : (x->file > y->file) - (x->file < y->file);
    return d ? d : (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

static int by_order(const void *a, const void *b)
{
    const query_name *x = a, *y = b;
    int d = (x->order > y->order) - (x->order < y->order);
    return d ? d : by_text(a, b);
}

// Puts what a walk has added behind `before` in order, and keeps the first `max` of it.
static void settle(query_names *names, size_t before, size_t max,
                   int (*compare)(const void *a, const void *b))
{
    size_t n = names->len - before;
    if (n)
        qsort(names->ptr + before, n, sizeof *names->ptr, compare);
    if (n > max)
        names->len = before + max;
}

ken_status ken_query__names_equal(ken_snapshot *s, ken_str name, ken_arena *arena, query_names *out,
                                  ken_err *err)
{
    size_t before = out->len;
    name_walk w = { .s = s, .wanted = name, .arena = arena, .out = out, .enough = MAX_NAMES };
    ken_status st = KEN_OK;
    for (uint32_t p = 0; p < s->corpus.n_parts && !st; p++) {
        w.part = &s->corpus.parts[p];
        st = ken_lex_names_equal(w.part->segment, name, add_equal, &w, err);
    }
    settle(out, before, MAX_NAMES, by_text);
    return st;
}

// The first `max` of each segment hold the first `max` of all.
ken_status ken_query__names_prefix(ken_snapshot *s, ken_str name, size_t max, ken_arena *arena,
                                   query_names *out, ken_err *err)
{
    size_t before = out->len;
    ken_status st = KEN_OK;
    for (uint32_t p = 0; p < s->corpus.n_parts && !st; p++) {
        name_walk w = { .s = s,
                        .part = &s->corpus.parts[p],
                        .wanted = name,
                        .arena = arena,
                        .out = out,
                        .enough = out->len + max };
        st = ken_lex_names_prefix(w.part->segment, name, add_prefix, &w, err);
    }
    settle(out, before, max, by_text);
    return st;
}

ken_status ken_query__names_fuzzy(ken_snapshot *s, ken_str name, size_t max, ken_arena *arena,
                                  query_names *out, ken_err *err)
{
    size_t before = out->len;
    name_walk w = { .s = s,
                    .wanted = name,
                    .arena = arena,
                    .out = out,
                    .enough = before + MAX_NAMES,
                    .max_distance = name.len < 4 ? 1 : 2,
                    .letters = letters_of(name) };
    ken_status st = KEN_OK;
    for (uint32_t p = 0; p < s->corpus.n_parts && !st; p++) {
        w.part = &s->corpus.parts[p];
        st =
            ken_lex_names_near(w.part->segment, name, (uint32_t)w.max_distance, add_fuzzy, &w, err);
    }
    settle(out, before, max, by_order);
    return st;
}
