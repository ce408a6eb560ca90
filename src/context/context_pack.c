// SPDX-License-Identifier: MIT
// The pack: pieces in order of priority, each tried in at most three forms (its lines, its head or
// its signature), each form by what the whole would cost with it.
//
// What is taken is kept as runs of lines of a file. A new piece becomes one run with those it
// touches; the cost of that run less the cost of those is what must fit. A run costs what it is
// printed as, header and blank line included, and one token more: headers begin a new piece for
// every tokenizer, so the whole costs the sum of its parts but for rounding, for which the one is.
#include "context/context_pack.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "context/context_priv.h"
#include "model/facts.h"
#include "token/token_count.h"

enum {
    JOIN_LINES = 3,      // between two pieces: cheaper than another header, and easier to read
    MIN_CUT_LINES = 5,   // of a head that is worth showing
    MAX_TOKEN_BYTES = 96 // a text of more bytes a token of the budget is not even counted
};

static const char *const kind_words[KEN_CONTEXT_KIND_COUNT] = { [KEN_CONTEXT_NONE] = "",
#define X(name, word) [KEN_CONTEXT_##name] = (word),
                                                                KEN_CONTEXT_KIND_TABLE(X)
#undef X
};

const char *ken_context_kind_word(ken_context_kind kind)
{
    return kind > KEN_CONTEXT_NONE && kind < KEN_CONTEXT_KIND_COUNT ? kind_words[kind] : "";
}

// Where the lines of a file begin; one more for its end.
typedef struct line_table {
    uint32_t *starts;
    uint32_t n;
    bool is_made;
} line_table;

typedef struct run {
    uint32_t file, first, last, n_cut;
    uint32_t priority, kinds;
    ken_context_form form;
    ken_str symbol, signature;
    uint32_t cost;
    uint32_t rank; // of its file, in the end
} run;

typedef struct pack {
    const ken_context_input *in;
    line_table *lines; // of each file
    run *runs;         // one for each piece at most
    size_t n_runs;
    uint32_t max_tokens, used;
    context_seen seen;
    ken_arena *arena;
    ken_buf scratch;
} pack;

// ---- lines -------------------------------------------------------------------------------------

static const line_table *lines_of(pack *k, uint32_t file)
{
    line_table *t = &k->lines[file];
    if (t->is_made)
        return t;
    ken_str text = k->in->files[file].text;
    t->n = text.len ? ken_line_starts(text, NULL, 0) : 0;
    t->starts = KEN_ARENA_ARRAY(k->arena, uint32_t, (size_t)t->n + 1);
    if (t->n)
        ken_line_starts(text, t->starts, t->n);
    t->starts[t->n] = (uint32_t)text.len;
    t->is_made = true;
    return t;
}

static ken_str text_of(pack *k, const run *r)
{
    const line_table *t = lines_of(k, r->file);
    return ken_str_sub(k->in->files[r->file].text, t->starts[r->first], t->starts[r->last + 1]);
}

// The piece as a run within its file; false when there is no such line.
static bool run_of(pack *k, const ken_context_piece *p, run *out)
{
    const line_table *t = lines_of(k, p->file);
    if (p->first_line >= t->n || p->last_line < p->first_line)
        return false;
    *out = (run){ .file = p->file,
                  .first = p->first_line,
                  .last = p->last_line < t->n ? p->last_line : t->n - 1,
                  .priority = p->priority,
                  .kinds = 1u << p->kind,
                  .symbol = p->symbol,
                  .signature = p->signature };
    return true;
}

// ---- printing and cost -------------------------------------------------------------------------

// A path or a name on one line, whatever is in it.
static void put_plain(ken_buf *b, ken_str s)
{
    for (size_t i = 0; i < s.len; i++)
        ken_buf_putc(b, (unsigned char)s.ptr[i] < ' ' ? '?' : s.ptr[i]);
}

static void put_header(ken_buf *b, ken_str path, const run *r)
{
    ken_buf_puts(b, "== ");
    put_plain(b, path);
    ken_buf_printf(b, ":%u-%u", r->first + 1, r->last + 1);
    const char *between = " ";
    for (ken_context_kind kind = KEN_CONTEXT_NONE + 1; kind < KEN_CONTEXT_KIND_COUNT; kind++) {
        if (!(r->kinds >> kind & 1))
            continue;
        ken_buf_printf(b, "%s%s", between, kind_words[kind]);
        between = ", ";
    }
    if (r->symbol.len) {
        ken_buf_puts(b, ": ");
        put_plain(b, r->symbol);
    }
    if (r->form == KEN_CONTEXT_SIGNATURE)
        ken_buf_puts(b, " [signature only]");
    if (r->form == KEN_CONTEXT_SEEN)
        ken_buf_puts(b, " [unchanged, sent above]");
    if (r->n_cut)
        ken_buf_printf(b, " [%u more lines]", r->n_cut);
    ken_buf_putc(b, '\n');
}

static void put_run(pack *k, ken_buf *b, const run *r)
{
    put_header(b, k->in->files[r->file].path, r);
    if (r->form == KEN_CONTEXT_SIGNATURE) {
        put_plain(b, r->signature);
        ken_buf_putc(b, '\n');
    }
    if (r->form == KEN_CONTEXT_LINES) {
        ken_str text = text_of(k, r);
        ken_buf_put_str(b, text);
        if (!ken_str_ends(text, KEN_STR("\n")))
            ken_buf_putc(b, '\n');
    }
    ken_buf_putc(b, '\n');
}

static uint32_t cost_of(pack *k, const run *r)
{
    if (r->form == KEN_CONTEXT_LINES && text_of(k, r).len / MAX_TOKEN_BYTES > k->max_tokens)
        return UINT32_MAX;
    ken_buf_clear(&k->scratch);
    put_run(k, &k->scratch, r);
    if (k->scratch.is_over)
        return UINT32_MAX;
    return ken_count_tokens(ken_buf_str(&k->scratch)) + 1;
}

// ---- runs that meet ----------------------------------------------------------------------------

static bool covers(const run *a, const run *b)
{
    return a->file == b->file && a->first <= b->first && a->last >= b->last;
}

// `a` takes in `old` when their lines overlap or nearly touch. Of a signature only the line that it
// repeats counts; a reference to lines sent before gives way to lines around it.
static bool is_taken_in(const run *a, const run *old)
{
    if (a->file != old->file)
        return false;
    switch (old->form) {
    case KEN_CONTEXT_SIGNATURE:
        return a->first <= old->first && old->first <= a->last;
    case KEN_CONTEXT_SEEN:
        return covers(a, old);
    case KEN_CONTEXT_LINES:
        break;
    }
    return a->first <= old->last + 1 + JOIN_LINES && old->first <= a->last + 1 + JOIN_LINES;
}

static void join(run *a, const run *old)
{
    if (old->priority <= a->priority) { // what was there is better, or as good and earlier
        a->priority = old->priority;
        a->symbol = old->symbol;
    }
    a->kinds |= old->kinds;
    if (old->form != KEN_CONTEXT_LINES)
        return;
    if (old->last >= a->last) {
        a->n_cut = old->last > a->last || old->n_cut < a->n_cut ? old->n_cut : a->n_cut;
        a->last = old->last;
    }
    a->first = old->first < a->first ? old->first : a->first;
}

// Makes `a` one with all it meets, which are marked in `taken`; returns what those cost.
static uint32_t join_all(const pack *k, run *a, bool *taken)
{
    uint32_t cost = 0;
    memset(taken, 0, k->n_runs * sizeof *taken);
    for (bool has_grown = true; has_grown;) {
        has_grown = false;
        for (size_t i = 0; i < k->n_runs; i++) {
            if (taken[i] || !is_taken_in(a, &k->runs[i]))
                continue;
            join(a, &k->runs[i]);
            taken[i] = has_grown = true;
            cost += k->runs[i].cost;
        }
    }
    return cost;
}

// Puts `a` in the place of what it took in, when there is room for it.
static bool take(pack *k, run a)
{
    bool *taken = KEN_ARENA_ARRAY(k->arena, bool, k->n_runs + 1);
    uint32_t freed = a.form == KEN_CONTEXT_LINES ? join_all(k, &a, taken) : 0;
    a.cost = cost_of(k, &a);
    if (a.cost > k->max_tokens - k->used + freed)
        return false;
    size_t n = 0;
    for (size_t i = 0; i < k->n_runs; i++)
        if (!taken[i])
            k->runs[n++] = k->runs[i];
    k->runs[n++] = a;
    k->n_runs = n;
    k->used += a.cost - freed;
    return true;
}

// ---- forms of a piece --------------------------------------------------------------------------

// Its lines are there already, or were sent: only the reason is added, when there is room for it.
static bool take_covered(pack *k, const run *a)
{
    for (size_t i = 0; i < k->n_runs; i++) {
        run *old = &k->runs[i];
        if (old->form == KEN_CONTEXT_SIGNATURE || !covers(old, a))
            continue;
        run both = *old;
        both.kinds |= a->kinds;
        uint32_t cost = cost_of(k, &both);
        if (cost <= k->max_tokens - k->used + old->cost) {
            k->used += cost - old->cost;
            both.cost = cost;
            *old = both;
        }
        return true;
    }
    return false;
}

// Cuts off lines at either end that were sent before; false when none are left.
static bool leave_seen(const pack *k, run *a)
{
    for (bool has_cut = true; has_cut;) {
        has_cut = false;
        for (size_t i = 0; i < k->n_runs; i++) {
            const run *old = &k->runs[i];
            if (old->form != KEN_CONTEXT_SEEN || old->file != a->file)
                continue;
            bool has_first = old->first <= a->first && a->first <= old->last;
            bool has_last = old->first <= a->last && a->last <= old->last;
            if (has_first && has_last)
                return false;
            if (has_first)
                a->first = old->last + 1;
            else if (has_last)
                a->last = old->first - 1;
            has_cut = has_cut || has_first || has_last;
        }
    }
    return true;
}

static bool is_clear(const pack *k, const run *a)
{
    for (size_t i = 0; i < k->n_runs; i++)
        if (is_taken_in(a, &k->runs[i]))
            return false;
    return true;
}

// As many of its first lines as fit into `room`.
static bool take_head(pack *k, run a, uint32_t room)
{
    if (!is_clear(k, &a))
        return false;
    uint32_t n_lines = a.last - a.first + 1, first = a.first, low = 0, high = n_lines;
    while (high - low > 1) {
        uint32_t mid = (low + high) / 2;
        a.last = first + mid - 1;
        a.n_cut = n_lines - mid;
        *(cost_of(k, &a) <= room ? &low : &high) = mid;
    }
    if (low < MIN_CUT_LINES)
        return false;
    a.last = first + low - 1;
    a.n_cut = n_lines - low;
    return take(k, a);
}

static bool take_signature(pack *k, run a)
{
    for (size_t i = 0; i < k->n_runs; i++) {
        const run *old = &k->runs[i];
        bool has_line = old->file == a.file && old->first <= a.first && a.first <= old->last;
        if (has_line && (old->form != KEN_CONTEXT_SIGNATURE || old->first == a.first))
            return true; // it is there
    }
    a.form = KEN_CONTEXT_SIGNATURE;
    return take(k, a);
}

static bool take_piece(pack *k, const ken_context_piece *p)
{
    run a;
    if (!run_of(k, p, &a))
        return true; // the file has no such lines: nothing is missing
    if (take_covered(k, &a))
        return true;
    if (ken_context__seen_has(&k->seen,
                              ken_context__seen_mark(k->in->files[a.file].path, text_of(k, &a)))) {
        a.form = KEN_CONTEXT_SEEN;
        return take(k, a);
    }
    if (!leave_seen(k, &a) || take(k, a))
        return true;
    uint32_t room = k->max_tokens - k->used, half = k->max_tokens / 2;
    if (cost_of(k, &a) > k->max_tokens && take_head(k, a, room < half ? room : half))
        return true;
    return a.signature.len ? take_signature(k, a) : take_head(k, a, room);
}

// ---- the whole ---------------------------------------------------------------------------------

typedef struct turn {
    uint32_t priority;
    size_t piece;
} turn;

static int by_turn(const void *x, const void *y)
{
    const turn *a = x, *b = y;
    if (a->priority != b->priority)
        return a->priority < b->priority ? -1 : 1;
    return (a->piece > b->piece) - (a->piece < b->piece);
}

static size_t take_pieces(pack *k)
{
    size_t n = k->in->n_pieces, n_left_out = 0;
    turn *turns = KEN_ARENA_ARRAY(k->arena, turn, n + 1);
    for (size_t i = 0; i < n; i++)
        turns[i] = (turn){ k->in->pieces[i].priority, i };
    qsort(turns, n, sizeof *turns, by_turn);
    for (size_t i = 0; i < n; i++)
        n_left_out += !take_piece(k, &k->in->pieces[turns[i].piece]);
    return n_left_out;
}

static int by_priority(const void *x, const void *y)
{
    const run *a = x, *b = y;
    if (a->priority != b->priority)
        return a->priority < b->priority ? -1 : 1;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

static int by_place(const void *x, const void *y)
{
    const run *a = x, *b = y;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

static void put_in_order(pack *k, bool is_priority_order)
{
    qsort(k->runs, k->n_runs, sizeof *k->runs, by_priority);
    if (is_priority_order)
        return;
    uint32_t *ranks = KEN_ARENA_ARRAY(k->arena, uint32_t, k->in->n_files + 1), n = 0;
    for (size_t i = 0; i < k->n_runs; i++) {
        uint32_t *rank = &ranks[k->runs[i].file];
        if (!*rank)
            *rank = ++n;
        k->runs[i].rank = *rank;
    }
    qsort(k->runs, k->n_runs, sizeof *k->runs, by_place);
}

static ken_context_part part_of(pack *k, const run *r)
{
    return (ken_context_part){ .path = k->in->files[r->file].path,
                               .first_line = r->first,
                               .last_line = r->last,
                               .n_cut_lines = r->n_cut,
                               .priority = r->priority,
                               .kinds = r->kinds,
                               .form = r->form,
                               .symbol = r->symbol,
                               .text = r->form == KEN_CONTEXT_LINES       ? text_of(k, r)
                                       : r->form == KEN_CONTEXT_SIGNATURE ? r->signature
                                                                          : KEN_STR(""),
                               .n_tokens = r->cost - 1 };
}

// Whole pieces whose lines are there are known from now on.
static void remember(pack *k)
{
    for (size_t i = 0; i < k->in->n_pieces; i++) {
        run a;
        if (!run_of(k, &k->in->pieces[i], &a))
            continue;
        for (size_t j = 0; j < k->n_runs; j++) {
            if (k->runs[j].form != KEN_CONTEXT_LINES || !covers(&k->runs[j], &a))
                continue;
            ken_str path = k->in->files[a.file].path;
            ken_context__seen_add(&k->seen, ken_context__seen_mark(path, text_of(k, &a)));
        }
    }
}

static void finish(pack *k, bool is_priority_order, ken_context *out)
{
    put_in_order(k, is_priority_order);
    out->parts = KEN_ARENA_ARRAY(k->arena, ken_context_part, k->n_runs + 1);
    ken_buf_clear(&k->scratch);
    for (size_t i = 0; i < k->n_runs; i++) {
        out->parts[i] = part_of(k, &k->runs[i]);
        put_run(k, &k->scratch, &k->runs[i]);
    }
    out->n_parts = k->n_runs;
    out->text = ken_arena_dup(k->arena, ken_buf_str(&k->scratch));
    out->n_tokens = ken_count_tokens(out->text);
    remember(k);
    out->seen = ken_context__seen_format(&k->seen, k->arena);
}

ken_status ken_context_pack(const ken_context_input *in, const ken_context_pack_opts *opts,
                            ken_arena *arena, ken_context *out, ken_err *err)
{
    pack k = { .in = in, .max_tokens = opts->max_tokens, .arena = arena };
    ken_status st = ken_context__seen_parse(opts->seen, &k.seen, err);
    if (st)
        return st;
    k.lines = KEN_ARENA_ARRAY(arena, line_table, in->n_files + 1);
    k.runs = KEN_ARENA_ARRAY(arena, run, in->n_pieces + 1);
    ken_context result = { .n_left_out = take_pieces(&k) };
    finish(&k, opts->is_priority_order, &result);
    ken_buf_release(&k.scratch);
    *out = result;
    return KEN_OK;
}
