// SPDX-License-Identifier: MIT
// Three passes over the lines of a file:
//   1. cut: the definitions, as a tree, divide the file into pieces. A piece that fits the target
//      is left whole; a larger one is divided by the definitions directly inside it; one without
//      any is divided before statements (children of syntax nodes that begin a line).
//   2. join: neighbours of which one is under the minimum become one, while the target allows. The
//      first part of a divided definition never joins another definition before it.
//   3. label: each chunk's type and main symbol.
// All borders are line starts, so two definitions on one line never part. Costs O(symbols + pieces)
// plus, for long functions only, a look at their statements.
#include <stdlib.h>

#include "base/assert.h"
#include "base/sorted.h"
#include "base/vec.h"
#include "chunk/chunk_priv.h"

typedef struct unit {
    uint32_t first, end; // lines [first, end), documentation included
    int32_t symbol;
    uint32_t depth;
} unit;

typedef struct piece {
    uint32_t first, end; // lines [first, end)
    int32_t symbol;      // the definition it is, or is part of; -1 = none
    bool is_unit;        // a whole definition
    bool is_head;        // the first part of a definition that was divided
} piece;

typedef struct cutter {
    const ken_chunk_input *in;
    ken_chunk_opts o;
    unit *units; // ordered by first line, outer before inner
    uint32_t n_units;
    KEN_VEC(piece) pieces;
    uint32_t nesting;         // of cut_range
    KEN_VEC(uint32_t) breaks; // statement starts (lines) of the piece being divided
} cutter;

static uint32_t line_byte(const ken_chunk_input *in, uint32_t line)
{
    return line < in->n_lines ? in->line_starts[line] : (uint32_t)in->text.len;
}

static uint32_t tokens_of(const cutter *c, uint32_t first, uint32_t end)
{
    return ken_token_estimate(line_byte(c->in, end) - line_byte(c->in, first));
}

static int unit_order(const void *a, const void *b)
{
    const unit *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    return x->symbol < y->symbol ? -1 : 1;
}

// A macro that stands for nothing, or for itself: a header's guard. It says nothing of the code around it.
static bool is_mark(ken_str text, const ken_symbol *s)
{
    return s->kind == KEN_SYMBOL_MACRO &&
           ken_str_ends(ken_str_trim(ken_str_sub(text, s->span.start, s->span.end)), s->name);
}

// Definitions worth a border: those of two lines or more, and single-line ones that hold no other.
static bool is_border(ken_str text, const ken_symbol *s)
{
    if (ken_symbol_is_variable(s->kind))
        return s->last_line > s->first_line + 2;
    return !is_mark(text, s);
}

static void collect_units(cutter *c, ken_arena *arena)
{
    const ken_chunk_input *in = c->in;
    c->units = KEN_ARENA_ARRAY(arena, unit, in->n_symbols + 1);
    for (uint32_t i = 0; i < in->n_symbols; i++) {
        const ken_symbol *s = &in->symbols[i];
        if (!is_border(in->text, s))
            continue;
        uint32_t first = s->first_line;
        if (s->doc.end > s->doc.start && s->doc.start < s->span.start) {
            uint32_t line = ken_line_of(in->line_starts, in->n_lines, s->doc.start);
            first = line < first ? line : first;
        }
        c->units[c->n_units++] = (unit){ first, s->last_line + 1, (int32_t)i, s->depth };
    }
    qsort(c->units, c->n_units, sizeof *c->units, unit_order);
}

static void add_piece(cutter *c, uint32_t first, uint32_t end, int32_t symbol, bool is_unit)
{
    if (first < end)
        ken_vec_push(&c->pieces, ((piece){ first, end, symbol, is_unit, false }));
}

// ---- dividing a long piece at statements -----------------------------------------------------

// Lines within (first, end) on which a child of a node begins; descends where a child is itself
// long.
static void find_breaks(cutter *c, TSNode node, uint32_t first, uint32_t end, int depth)
{
    uint32_t n = ts_node_named_child_count(node);
    TSTreeCursor cursor = ts_tree_cursor_new(node);
    bool has_child = n && ts_tree_cursor_goto_first_child(&cursor);
    for (; has_child; has_child = ts_tree_cursor_goto_next_sibling(&cursor)) {
        TSNode child = ts_tree_cursor_current_node(&cursor);
        uint32_t row = ts_node_start_point(child).row, last = ts_node_end_point(child).row;
        if (last < first || !ts_node_is_named(child))
            continue;
        if (row >= end)
            break;
        uint32_t line = line_byte(c->in, row);
        ken_str indent = ken_str_sub(c->in->text, line, ts_node_start_byte(child));
        if (row > first && !ken_str_trim(indent).len &&
            (!c->breaks.len || c->breaks.ptr[c->breaks.len - 1] < row))
            ken_vec_push(&c->breaks, row);
        uint32_t last_line = last + 1 < end ? last + 1 : end;
        if (depth < 40 && last > row &&
            tokens_of(c, row > first ? row : first, last_line) > c->o.target)
            find_breaks(c, child, first, end, depth + 1);
    }
    ts_tree_cursor_delete(&cursor);
}

// Lines [first, end) as pieces of at most `max` tokens, each near the target, cut at `breaks`; under
// the minimum only where the next statement does not fit.
static void divide(cutter *c, uint32_t first, uint32_t end, int32_t symbol)
{
    uint32_t from = first;
    size_t b = 0;
    while (from < end && tokens_of(c, from, end) > c->o.max) {
        uint32_t best = 0;
        for (; b < c->breaks.len; b++) {
            uint32_t line = c->breaks.ptr[b];
            if (line <= from)
                continue;
            uint32_t size = tokens_of(c, from, line);
            if (size > c->o.max ||
                (best && size > c->o.target && tokens_of(c, from, best) >= c->o.min))
                break;
            best = line;
        }
        if (!best) { // no statement begins in reach: as many lines as the target takes
            best = from + 1;
            while (best < end && tokens_of(c, from, best + 1) <= c->o.target)
                best++;
        }
        add_piece(c, from, best, symbol, false);
        from = best;
    }
    add_piece(c, from, end, symbol, false);
}

static void cut_statements(cutter *c, uint32_t first, uint32_t end, int32_t symbol)
{
    ken_vec_clear(&c->breaks);
    if (c->in->tree) {
        uint32_t to = line_byte(c->in, end);
        TSNode root = ts_tree_root_node(c->in->tree);
        TSNode node = ts_node_descendant_for_byte_range(root, line_byte(c->in, first), to - 1);
        find_breaks(c, ts_node_is_null(node) ? root : node, first, end, 0);
    } else {
        for (uint32_t line = first + 1; line < end; line++) {
            ken_str before =
                ken_str_sub(c->in->text, line_byte(c->in, line - 1), line_byte(c->in, line));
            if (!ken_str_trim(before).len)
                ken_vec_push(&c->breaks, line);
        }
    }
    divide(c, first, end, symbol);
}

static void cut_plain(cutter *c, uint32_t first, uint32_t end, int32_t symbol)
{
    if (first >= end)
        return;
    if (tokens_of(c, first, end) <= c->o.max)
        add_piece(c, first, end, symbol, false);
    else
        cut_statements(c, first, end, symbol);
}

// ---- dividing by definitions -----------------------------------------------------------------

enum {
    MAX_NESTING = 64
}; // of definitions that are each larger than the target; a crafted file has more

// Cuts lines [first, end) by the units [from, to), all of which begin inside.
static void cut_range(cutter *c, uint32_t first, uint32_t end, int32_t symbol, uint32_t from,
                      uint32_t to)
{
    uint32_t at = first;
    c->nesting++;
    while (from < to) {
        const unit *u = &c->units[from];
        uint32_t next = from + 1;
        uint32_t u_first = u->first > at ? u->first : at, u_end = u->end < end ? u->end : end;
        while (next < to && c->units[next].first < u_end)
            next++;
        if (u_first >= u_end) {
            from++;
            continue;
        }
        cut_plain(c, at, u_first, symbol);
        bool is_small = tokens_of(c, u_first, u_end) <= c->o.target;
        bool has_inner = next > from + 1;
        size_t head = c->pieces.len;
        if (is_small || (!has_inner && tokens_of(c, u_first, u_end) <= c->o.max))
            add_piece(c, u_first, u_end, u->symbol, true);
        else if (has_inner && c->nesting < MAX_NESTING)
            cut_range(c, u_first, u_end, u->symbol, from + 1, next);
        else
            cut_statements(c, u_first, u_end, u->symbol);
        if (c->pieces.len > head + 1)
            c->pieces.ptr[head].is_head = true;
        at = u_end;
        from = next;
    }
    cut_plain(c, at, end, symbol);
    c->nesting--;
}

// ---- joining and labelling -------------------------------------------------------------------

static bool is_blank(const cutter *c, const piece *p)
{
    ken_str s = ken_str_sub(c->in->text, line_byte(c->in, p->first), line_byte(c->in, p->end));
    for (size_t i = 0; i < s.len; i++)
        if (ken_is_word(s.ptr[i]) || (unsigned char)s.ptr[i] >= 0x80)
            return false;
    return true;
}

// The piece that names the joined one: a whole definition before a part, the larger before the
// smaller.
static int32_t main_symbol(const cutter *c, const piece *a, const piece *b)
{
    if (a->symbol < 0 || b->symbol < 0)
        return a->symbol < 0 ? b->symbol : a->symbol;
    if (a->is_unit != b->is_unit)
        return a->is_unit ? a->symbol : b->symbol;
    return tokens_of(c, b->first, b->end) > 2 * tokens_of(c, a->first, a->end) ? b->symbol
                                                                               : a->symbol;
}

// Two parts of one definition, neither of which is a definition of its own.
static bool are_parts_of_one(const piece *a, const piece *b)
{
    return a->symbol >= 0 && a->symbol == b->symbol && !a->is_unit && !b->is_unit;
}

static bool is_inside(const cutter *c, int32_t symbol, int32_t outer)
{
    while (symbol >= 0 && symbol != outer)
        symbol = c->in->symbols[symbol].parent;
    return symbol >= 0;
}

// `b` begins a divided definition, and `a` is of one that it is no part of.
static bool is_neighbour(const cutter *c, const piece *a, const piece *b)
{
    return b->is_head && a->symbol >= 0 && (a->is_unit || !is_inside(c, b->symbol, a->symbol));
}

static bool can_join(const cutter *c, const piece *a, const piece *b)
{
    uint32_t x = tokens_of(c, a->first, a->end), y = tokens_of(c, b->first, b->end);
    uint32_t sum = tokens_of(c, a->first, b->end);
    if (sum > c->o.max)
        return false;
    if (is_blank(c, a) || is_blank(c, b)) // brackets and blank lines never stand alone
        return true;
    if (is_neighbour(c, a, b) || (x >= c->o.min && y >= c->o.min))
        return false;
    return sum <= c->o.target || are_parts_of_one(a, b);
}

static void join_pieces(cutter *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->pieces.len; i++) {
        piece *p = &c->pieces.ptr[i];
        piece *last = kept ? &c->pieces.ptr[kept - 1] : NULL;
        if (last && can_join(c, last, p)) {
            last->symbol = main_symbol(c, last, p);
            last->is_unit = last->is_unit || p->is_unit;
            last->is_head = last->is_head || p->is_head;
            last->end = p->end;
        } else {
            c->pieces.ptr[kept++] = *p;
        }
    }
    c->pieces.len = kept;
}

static ken_chunk_type type_of_kind(ken_symbol_kind k)
{
    if (ken_symbol_is_callable(k) || k == KEN_SYMBOL_TEST)
        return KEN_CHUNK_FUNCTION;
    if (k == KEN_SYMBOL_MODULE || k == KEN_SYMBOL_NAMESPACE)
        return KEN_CHUNK_MODULE;
    if (ken_symbol_is_type(k) || k == KEN_SYMBOL_IMPL)
        return KEN_CHUNK_CLASS;
    return k == KEN_SYMBOL_SECTION ? KEN_CHUNK_SECTION : KEN_CHUNK_BLOCK;
}

// Nothing but comments, and white space between them.
static bool is_comment(const ken_chunk_input *in, uint32_t start, uint32_t end)
{
    bool has_any = false;
    size_t at = KEN_FIRST_U32(ken_span, end, in->comments, in->n_comments, start + 1);
    while (start < end) {
        if (ken_is_space(in->text.ptr[start])) {
            start++;
            continue;
        }
        while (at < in->n_comments && in->comments[at].end <= start)
            at++;
        if (at == in->n_comments || in->comments[at].start > start)
            return false;
        start = in->comments[at].end;
        has_any = true;
    }
    return has_any;
}

static ken_chunk label(const cutter *c, const piece *p)
{
    const ken_chunk_input *in = c->in;
    uint32_t start = line_byte(in, p->first), end = line_byte(in, p->end);
    ken_chunk_type type = KEN_CHUNK_BLOCK;
    if (p->symbol >= 0)
        type = type_of_kind(in->symbols[p->symbol].kind);
    else if (is_comment(in, start, end))
        type = KEN_CHUNK_COMMENT;
    else if (p->first == 0)
        type = KEN_CHUNK_MODULE;
    return (ken_chunk){ .span = { start, end },
                        .first_line = p->first,
                        .last_line = p->end - 1,
                        .n_tokens = ken_token_estimate(end - start),
                        .type = type,
                        .symbol = p->symbol };
}

// A line over the maximum (minified text, data) is cut inside, at UTF-8 borders.
static void put_chunk(const cutter *c, ken_chunk chunk, ken_chunk *out, uint32_t *n)
{
    uint32_t step = c->o.max * 4;
    while (chunk.span.end - chunk.span.start > step) {
        uint32_t at = chunk.span.start + step;
        for (int back = 0; back < 3 && ((unsigned char)c->in->text.ptr[at] & 0xc0) == 0x80; back++)
            at--;
        ken_chunk part = chunk;
        part.span.end = at;
        part.n_tokens = ken_token_estimate(at - part.span.start);
        out[(*n)++] = part;
        chunk.span.start = at;
    }
    chunk.n_tokens = ken_token_estimate(chunk.span.end - chunk.span.start);
    out[(*n)++] = chunk;
}

static uint32_t emit(cutter *c, ken_arena *arena, ken_chunk **out)
{
    // Each cut inside a line takes at least a step less the part of a character.
    size_t most = c->pieces.len + c->in->text.len / ((size_t)c->o.max * 4 - 3) + 1;
    *out = KEN_ARENA_ARRAY(arena, ken_chunk, most);
    uint32_t n = 0;
    for (size_t i = 0; i < c->pieces.len; i++)
        put_chunk(c, label(c, &c->pieces.ptr[i]), *out, &n);
    KEN_DASSERT(n <= most);
    return n;
}

uint32_t ken_chunk_tree(const ken_chunk_input *in, const ken_chunk_opts *opts, ken_arena *arena,
                        ken_chunk **out)
{
    if (!in->n_lines)
        return 0;
    cutter c = { .in = in, .o = ken_chunk__complete(opts) };
    collect_units(&c, arena);
    cut_range(&c, 0, in->n_lines, -1, 0, c.n_units);
    join_pieces(&c);
    uint32_t n = emit(&c, arena, out);
    ken_vec_release(&c.pieces);
    ken_vec_release(&c.breaks);
    return n;
}

uint32_t ken_chunk_lines(const ken_chunk_input *in, const ken_chunk_opts *opts, ken_arena *arena,
                         ken_chunk **out)
{
    if (!in->n_lines)
        return 0;
    cutter c = { .in = in, .o = ken_chunk__complete(opts) };
    uint32_t first = 0, end = 0;
    while (end < in->n_lines) {
        end = first + 1;
        while (end < in->n_lines && end - first < c.o.lines &&
               tokens_of(&c, first, end + 1) <= c.o.max)
            end++;
        add_piece(&c, first, end, -1, false);
        uint32_t back = end - first > c.o.overlap ? c.o.overlap : 0;
        first = end - back;
    }
    uint32_t n = emit(&c, arena, out);
    for (uint32_t i = 0; i < n; i++)
        (*out)[i].type = KEN_CHUNK_LINES;
    ken_vec_release(&c.pieces);
    return n;
}
