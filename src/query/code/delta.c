// SPDX-License-Identifier: MIT
// Compares the definitions of changed files: added, removed, renamed, moved or changed.
//
// Definitions of both sides are matched from the outside in: by owner and name; then, within one
// owner, the rest by their text without the name (renamed). The rest at the top level of a file is
// searched for in the other files (moved). Texts are compared by words: white space and
// commas before closing brackets do not count, nor does the definition's own name.
#include <stdlib.h>

#include "base/alloc.h"
#include "query/query_base_priv.h"

enum {
    LEVELS_MAX = 12,
    LEFT_MAX = 100,      // unmatched definitions of one side that are compared by text
    LINES_MAX = 400,     // of a text that are compared one by one
    LINES_MIN = 3,       // so many it must have to be known by some of them
    DECLARED_MAX = 1000, // bytes of a declaration
};
static const double alike_from = 0.6; // share of lines that two texts of one thing have in common

// ---- texts --------------------------------------------------------------------------------------

static bool is_word(char c)
{
    return ken_is_alpha(c) || ken_is_digit(c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static uint64_t mix(uint64_t hash, const char *ptr, size_t n)
{
    uint64_t part[2] = { hash, ken_hash_str(ken_str_n(ptr, n)) };
    return ken_hash64(part, sizeof part);
}

// One word or sign of a text from `at` on; *at is moved behind it. Empty at the end.
static ken_str next_word(ken_str text, size_t *at)
{
    size_t i = *at;
    while (i < text.len && ken_is_space(text.ptr[i]))
        i++;
    size_t from = i;
    while (i < text.len && is_word(text.ptr[i]))
        i++;
    if (i == from && i < text.len)
        i++;
    *at = i;
    return ken_str_sub(text, from, i);
}

static bool is_closing(ken_str word)
{
    return word.len == 1 && (word.ptr[0] == ')' || word.ptr[0] == ']' || word.ptr[0] == '}');
}

// Of the words of a text; its own name counts as any name.
static uint64_t hash_words(uint64_t hash, ken_str text, ken_str name)
{
    size_t at = 0;
    ken_str word = next_word(text, &at);
    while (word.len) {
        ken_str next = next_word(text, &at);
        bool is_trailing = word.len == 1 && word.ptr[0] == ',' && is_closing(next);
        if (!is_trailing && ken_str_eq(word, name))
            hash = mix(hash, "\1", 1);
        else if (!is_trailing)
            hash = mix(hash, word.ptr, word.len);
        word = next;
    }
    return hash;
}

// ---- one side -----------------------------------------------------------------------------------

typedef struct side {
    const query_version *v;
    ken_unit_text unit;
    uint32_t n;        // symbols, then implied ones
    int64_t *match;    // on the other side, -1 = none yet
    uint64_t *head;    // what users of it see: signature, kind, visibility
    uint64_t *body;    // all of its own text
    uint64_t *rest;    // of its text behind the signature, with its own name as any word
    uint64_t *told_by; // owner's name, where that is said apart (Go), and whether it only declares
    uint8_t *level;    // how many hold it
    bool *is_outer;    // others can name it
} side;

static bool is_symbol(const side *s, uint32_t i)
{
    return i < s->v->facts.n_symbols;
}

static ken_str text_of(const side *s, ken_span span)
{
    return ken_str_sub(s->v->text, span.start, span.end);
}

// A prototype from the start of its line to its end.
static ken_str declared_text(const side *s, uint32_t i)
{
    ken_str text = s->v->text;
    size_t from = ken_graph_byte(&s->unit, i), to = from;
    while (from && text.ptr[from - 1] != '\n')
        from--;
    while (to < text.len && to - from < DECLARED_MAX && text.ptr[to] != ';' && text.ptr[to] != '{')
        to++;
    return ken_str_sub(text, from, to);
}

static void hash_head(side *s, uint32_t i)
{
    ken_symbol_kind kind = ken_graph_kind(&s->unit, i);
    ken_str name = ken_graph_name(&s->unit, i);
    const ken_def_info *info = i < s->v->refs.n_defs ? &s->v->refs.defs[i] : NULL;
    uint64_t said[3] = { (uint64_t)kind, 0,
                         info ? info->flags & (KEN_DEF_EXPORTED | KEN_DEF_STATIC) : 0 };
    if (is_symbol(s, i))
        said[1] = (uint64_t)s->v->facts.symbols[i].visibility;
    s->head[i] = ken_hash64(said, sizeof said);
    if (!is_symbol(s, i)) {
        if (s->v->refs.implied[i - s->v->facts.n_symbols].is_declaration)
            s->head[i] = hash_words(s->head[i], declared_text(s, i), name);
    } else if (!ken_symbol_is_variable(kind)) { // a variable's ends with its value
        s->head[i] = hash_words(s->head[i], text_of(s, s->v->facts.symbols[i].signature), name);
    }
}

// The text of a definition without that of what others can name inside it.
static void hash_body(side *s, uint32_t i)
{
    const ken_facts *f = &s->v->facts;
    if (!is_symbol(s, i)) {
        s->body[i] = s->head[i];
        return;
    }
    ken_span span = f->symbols[i].span;
    ken_str name = f->symbols[i].name;
    uint32_t at = span.start;
    bool has_parts = !ken_symbol_is_callable(f->symbols[i].kind);
    for (uint32_t k = i + 1; has_parts && k < f->n_symbols && f->symbols[k].span.start < span.end;
         k++) {
        if (f->symbols[k].parent != (int32_t)i || f->symbols[k].span.start < at)
            continue;
        s->body[i] =
            hash_words(s->body[i], text_of(s, (ken_span){ at, f->symbols[k].span.start }), name);
        at = f->symbols[k].span.end;
    }
    s->body[i] = hash_words(s->body[i], text_of(s, (ken_span){ at, span.end }), name);
    uint32_t behind = f->symbols[i].signature.end;
    if (behind > span.start && behind < span.end)
        s->rest[i] = hash_words(0, text_of(s, (ken_span){ behind, span.end }), KEN_STR("")) | 1;
}

static void tell_owners(side *s)
{
    const ken_refs *r = &s->v->refs;
    for (uint32_t i = 0; i < r->n_bases; i++)
        if (r->bases[i].kind == KEN_BASE_OWNER && r->bases[i].def < s->n &&
            r->bases[i].expr < r->n_exprs)
            s->told_by[r->bases[i].def] = ken_hash_str(r->exprs[r->bases[i].expr].name) | 1;
    for (uint32_t i = s->v->facts.n_symbols; i < s->n; i++)
        s->told_by[i] += r->implied[i - s->v->facts.n_symbols].is_declaration ? 2 : 0;
}

// What is written inside a function, other than `F.prototype.m = …` or `this.x = …`, which others
// can name.
static bool is_written_in(const side *s, uint32_t i, uint32_t owner)
{
    if (!is_symbol(s, i) || !is_symbol(s, owner))
        return false;
    ken_span inner = s->v->facts.symbols[i].span, outer = s->v->facts.symbols[owner].span;
    return ken_symbol_is_callable(s->v->facts.symbols[owner].kind) && inner.start >= outer.start &&
           inner.end <= outer.end;
}

static void place(side *s, uint32_t i)
{
    ken_symbol_kind kind = ken_graph_kind(&s->unit, i);
    int32_t owner = ken_graph_owner(&s->unit, i);
    bool is_inside = false;
    for (int32_t o = owner; o >= 0 && s->level[i] < LEVELS_MAX;
         o = ken_graph_owner(&s->unit, (ken_def_id)o)) {
        s->level[i]++;
        is_inside = is_inside || is_written_in(s, i, (uint32_t)o);
    }
    s->is_outer[i] = !is_inside && kind < KEN_SYMBOL_TEST && kind != KEN_SYMBOL_UNKNOWN;
}

static void open_side(side *s, const query_version *v, ken_str path)
{
    *s = (side){ .v = v, .unit = { &v->facts, &v->refs, path, v->facts.lang } };
    bool has_refs = v->refs.n_defs >= v->facts.n_symbols;
    s->n = has_refs ? v->facts.n_symbols + v->refs.n_implied : v->facts.n_symbols;
    size_t n = s->n + (size_t)1;
    s->match = ken_zalloc(ken_mul_size(n, sizeof *s->match));
    s->head = ken_zalloc(ken_mul_size(n, sizeof *s->head));
    s->body = ken_zalloc(ken_mul_size(n, sizeof *s->body));
    s->rest = ken_zalloc(ken_mul_size(n, sizeof *s->rest));
    s->told_by = ken_zalloc(ken_mul_size(n, sizeof *s->told_by));
    s->level = ken_zalloc(n);
    s->is_outer = ken_zalloc(n);
    if (has_refs)
        tell_owners(s);
    for (uint32_t i = 0; i < s->n; i++) {
        s->match[i] = -1;
        place(s, i);
        hash_head(s, i);
        hash_body(s, i);
    }
}

static void close_side(side *s)
{
    ken_free(s->match);
    ken_free(s->head);
    ken_free(s->body);
    ken_free(s->rest);
    ken_free(s->told_by);
    ken_free(s->level);
    ken_free(s->is_outer);
}

// ---- matched by name ----------------------------------------------------------------------------

typedef struct sides {
    side old, now;
    ken_map by_name; // of `now`: owner and name -> first + 1, then `next`
    uint32_t *next;
} sides;

typedef struct name_key {
    int64_t owner; // on the newer side
    uint64_t name, told_by;
} name_key;

static name_key key_of(const side *s, uint32_t i, int64_t owner)
{
    return (name_key){ owner, ken_hash_str(ken_graph_name(&s->unit, i)), s->told_by[i] };
}

static ken_str key_text(const name_key *k)
{
    return ken_str_n((const char *)k, sizeof *k);
}

static void index_now(sides *m)
{
    ken_map_init(&m->by_name);
    m->next = ken_zalloc(ken_mul_size(m->now.n + (size_t)1, sizeof *m->next));
    for (uint32_t i = m->now.n; i-- > 0;) { // so that each list is in order
        name_key k = key_of(&m->now, i, ken_graph_owner(&m->now.unit, i));
        uint64_t *at = ken_map_put(&m->by_name, key_text(&k), 0, NULL);
        m->next[i] = (uint32_t)*at;
        *at = i + (uint64_t)1;
    }
}

static void join(sides *m, uint32_t old, uint32_t now)
{
    m->old.match[old] = now;
    m->now.match[now] = old;
}

// The match of the owner: -1 = it has no owner, -2 = the owner is gone.
static int64_t owner_now(const sides *m, uint32_t old)
{
    int32_t owner = ken_graph_owner(&m->old.unit, old);
    if (owner < 0)
        return -1;
    return m->old.match[owner] < 0 ? -2 : m->old.match[owner];
}

static bool is_of_kind(const sides *m, uint32_t old, uint32_t now)
{
    ken_symbol_kind a = ken_graph_kind(&m->old.unit, old), b = ken_graph_kind(&m->now.unit, now);
    return a == b || (ken_symbol_is_callable(a) && ken_symbol_is_callable(b)) ||
           (ken_symbol_is_type(a) && ken_symbol_is_type(b)) ||
           (ken_symbol_is_variable(a) && ken_symbol_is_variable(b));
}

typedef enum closeness {
    SAME_TEXT,
    SAME_HEAD,
    SAME_KIND,
    SAME_NAME
} closeness;

static bool is_close(const sides *m, uint32_t old, uint32_t now, closeness how)
{
    switch (how) {
    case SAME_TEXT:
        return m->old.head[old] == m->now.head[now] && m->old.body[old] == m->now.body[now];
    case SAME_HEAD:
        return m->old.head[old] == m->now.head[now];
    case SAME_KIND:
        return is_of_kind(m, old, now);
    case SAME_NAME:
    default:
        return true;
    }
}

static void match_by_name(sides *m, uint8_t level, closeness how)
{
    for (uint32_t i = 0; i < m->old.n; i++) {
        if (m->old.level[i] != level || m->old.match[i] >= 0)
            continue;
        int64_t owner = owner_now(m, i);
        name_key k = key_of(&m->old, i, owner);
        const uint64_t *at = owner == -2 ? NULL : ken_map_find(&m->by_name, key_text(&k));
        for (uint64_t c = at ? *at : 0; c; c = m->next[c - 1]) {
            if (m->now.match[c - 1] >= 0 || !is_close(m, i, (uint32_t)c - 1, how))
                continue;
            join(m, i, (uint32_t)c - 1);
            break;
        }
    }
}

// ---- matched by text ----------------------------------------------------------------------------

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Hashes of the lines of a text, without those of brackets only.
static uint32_t hash_lines(ken_str text, ken_str name, uint64_t *out)
{
    uint32_t n = 0;
    ken_str line;
    while (n < LINES_MAX && ken_str_line_next(&text, &line)) {
        line = ken_str_trim(line);
        if (line.len > 2)
            out[n++] = hash_words(0, line, name);
    }
    if (n)
        qsort(out, n, sizeof *out, by_number);
    return n;
}

static double share_of_lines(const side *a, uint32_t i, const side *b, uint32_t k)
{
    uint64_t x[LINES_MAX], y[LINES_MAX];
    if (!is_symbol(a, i) || !is_symbol(b, k))
        return 0;
    ken_str text_a = text_of(a, a->v->facts.symbols[i].span),
            text_b = text_of(b, b->v->facts.symbols[k].span);
    if (text_a.len > 3 * text_b.len || text_b.len > 3 * text_a.len)
        return 0;
    uint32_t nx = hash_lines(text_a, ken_graph_name(&a->unit, i), x);
    uint32_t ny = hash_lines(text_b, ken_graph_name(&b->unit, k), y);
    uint32_t n_same = 0;
    for (uint32_t p = 0, q = 0; p < nx && q < ny;) {
        n_same += x[p] == y[q];
        uint64_t at = x[p] < y[q] ? x[p] : y[q];
        p += x[p] == at;
        q += y[q] == at;
    }
    uint32_t most = nx > ny ? nx : ny;
    return nx < LINES_MIN || ny < LINES_MIN ? 0 : (double)n_same / most;
}

// How well a definition of another name, or of another file, may be the same thing: 0 to 1.
static double likeness(const side *a, uint32_t i, const side *b, uint32_t k)
{
    if (a->head[i] == b->head[k] &&
        (a->body[i] == b->body[k] || (a->rest[i] && a->rest[i] == b->rest[k])))
        return 1;
    double share = share_of_lines(a, i, b, k);
    return share >= alike_from ? share : 0;
}

static bool may_be_renamed(const side *s, uint32_t i, uint8_t level)
{
    return s->level[i] == level && s->match[i] < 0 && s->is_outer[i];
}

static void match_by_text(sides *m, uint8_t level)
{
    uint32_t n_looked_at = 0;
    for (uint32_t i = 0; i < m->old.n && n_looked_at < LEFT_MAX; i++) {
        int64_t owner = owner_now(m, i), best = -1;
        double most = 0;
        if (!may_be_renamed(&m->old, i, level) || owner == -2)
            continue;
        n_looked_at++;
        for (uint32_t k = 0, n = 0; k < m->now.n && n < LEFT_MAX; k++) {
            if (!may_be_renamed(&m->now, k, level) || m->old.told_by[i] != m->now.told_by[k] ||
                ken_graph_owner(&m->now.unit, k) != owner || !is_of_kind(m, i, k))
                continue;
            double like = likeness(&m->old, i, &m->now, k);
            n++;
            if (like <= most)
                continue;
            most = like;
            best = k;
        }
        if (best >= 0)
            join(m, i, (uint32_t)best);
    }
}

static void match_all(sides *m)
{
    for (int n = 0; n <= LEVELS_MAX; n++) {
        const uint8_t level = (uint8_t)n;
        for (closeness how = SAME_TEXT; how <= SAME_NAME; how++)
            match_by_name(m, level, how);
        match_by_text(m, level);
    }
}

static void open_sides(sides *m, const query_version *old, const query_version *now, ken_str path)
{
    open_side(&m->old, old, path);
    open_side(&m->now, now, path);
    index_now(m);
    match_all(m);
}

static void close_sides(sides *m)
{
    close_side(&m->old);
    close_side(&m->now);
    ken_map_release(&m->by_name);
    ken_free(m->next);
}

// ---- what became of them ------------------------------------------------------------------------

static bool is_shown(const side *s, uint32_t i)
{
    return s->is_outer[i] && ken_graph_kind(&s->unit, i) != KEN_SYMBOL_IMPL;
}

// Whether its owner has no counterpart: then the owner is reported instead.
static bool is_part(const side *s, uint32_t i)
{
    int32_t owner = ken_graph_owner(&s->unit, i);
    return owner >= 0 && s->match[owner] < 0;
}

// A member that every implementation of the type must have.
static bool is_demand(const side *s, uint32_t i)
{
    int32_t owner = ken_graph_owner(&s->unit, i);
    return owner >= 0 && s->match[owner] >= 0 && i < s->v->refs.n_defs &&
           (s->v->refs.defs[i].flags & KEN_DEF_ABSTRACT) != 0;
}

static void add_old(const sides *m, uint32_t i, const query_base_file *f, query_deltas *out)
{
    query_delta d = { .change = KEN_DELTA_REMOVED,
                      .file = f,
                      .to = f,
                      .old_def = i,
                      .new_def = m->old.match[i],
                      .name = ken_graph_name(&m->old.unit, i),
                      .is_part = is_part(&m->old, i) };
    if (d.new_def >= 0) {
        uint32_t k = (uint32_t)d.new_def;
        bool has_head = m->old.head[i] == m->now.head[k];
        if (!ken_str_eq(d.name, ken_graph_name(&m->now.unit, k)))
            d.change = KEN_DELTA_RENAMED;
        else if (has_head && m->old.body[i] == m->now.body[k])
            return;
        else
            d.change = has_head ? KEN_DELTA_BODY : KEN_DELTA_SIGNATURE;
    }
    ken_vec_push(out, d);
}

// A new required member of an interface is a change for all its implementations.
static void raise_owner(const sides *m, uint32_t added, const query_base_file *f, size_t first,
                        query_deltas *out)
{
    int64_t owner = ken_graph_owner(&m->now.unit, added);
    for (size_t i = first; i < out->len; i++) {
        query_delta *d = &out->ptr[i];
        if (d->new_def != owner || d->change == KEN_DELTA_ADDED)
            continue;
        if (d->change == KEN_DELTA_BODY)
            d->change = KEN_DELTA_SIGNATURE;
        return;
    }
    query_delta d = { .change = KEN_DELTA_SIGNATURE,
                      .file = f,
                      .to = f,
                      .old_def = m->now.match[owner],
                      .new_def = owner,
                      .name = ken_graph_name(&m->now.unit, (ken_def_id)owner) };
    ken_vec_push(out, d);
}

static void compare_definitions(const query_base_file *f, query_deltas *out)
{
    sides m;
    size_t first = out->len;
    open_sides(&m, &f->old, &f->now, f->path);
    for (uint32_t i = 0; i < m.old.n; i++)
        if (is_shown(&m.old, i))
            add_old(&m, i, f, out);
    for (uint32_t i = 0; i < m.now.n; i++) {
        if (!is_shown(&m.now, i) || m.now.match[i] >= 0)
            continue;
        query_delta d = { .change = KEN_DELTA_ADDED,
                          .file = f,
                          .to = f,
                          .old_def = -1,
                          .new_def = i,
                          .name = ken_graph_name(&m.now.unit, i),
                          .is_part = is_part(&m.now, i) };
        ken_vec_push(out, d);
        if (is_demand(&m.now, i))
            raise_owner(&m, i, f, first, out);
    }
    close_sides(&m);
}

// ---- what was passed on -------------------------------------------------------------------------

static bool passes_on(const query_version *v, const ken_bind *b)
{
    bool may = (b->flags & KEN_BIND_EXPORTED) || ken_lang_at(v->facts.lang)->exports_imports;
    return may && b->local.len && b->kind != KEN_BIND_ALL;
}

static bool has_name(const query_version *v, ken_str name)
{
    for (uint32_t i = 0; i < v->facts.n_symbols; i++)
        if (v->facts.symbols[i].parent < 0 && ken_str_eq(v->facts.symbols[i].name, name))
            return true;
    for (uint32_t i = 0; i < v->refs.n_binds; i++)
        if (ken_str_eq(v->refs.binds[i].local, name))
            return true;
    return false;
}

// Names that a file had from elsewhere and offered to others, and that it does not have any more.
static void compare_passed_on(const query_base_file *f, query_deltas *out)
{
    for (uint32_t i = 0; i < f->old.refs.n_binds; i++) {
        const ken_bind *b = &f->old.refs.binds[i];
        if (!passes_on(&f->old, b) || has_name(&f->now, b->local))
            continue;
        query_delta d = { .change = KEN_DELTA_REMOVED,
                          .file = f,
                          .to = f,
                          .old_def = -1,
                          .new_def = -1,
                          .name = b->local,
                          .is_passed_on = true };
        ken_vec_push(out, d);
    }
}

// ---- moved --------------------------------------------------------------------------------------

static bool is_top(const query_version *v, int64_t def)
{
    return def >= 0 && def < v->facts.n_symbols && v->facts.symbols[def].parent < 0;
}

static bool is_like_elsewhere(const query_delta *gone, const query_delta *added)
{
    const ken_symbol *a = &gone->file->old.facts.symbols[gone->old_def],
                     *b = &added->file->now.facts.symbols[added->new_def];
    return a->kind == b->kind && gone->file != added->file &&
           gone->file->old.facts.lang == added->file->now.facts.lang;
}

// Removed in one file and added in another under the same name: it was moved.
static void find_moved(query_deltas *out)
{
    ken_map added; // name -> number + 1
    ken_map_init(&added);
    for (size_t i = 0; i < out->len; i++) {
        const query_delta *d = &out->ptr[i];
        if (d->change == KEN_DELTA_ADDED && is_top(&d->file->now, d->new_def))
            ken_map_put(&added, d->name, i + (uint64_t)1, NULL);
    }
    for (size_t i = 0; i < out->len; i++) {
        query_delta *d = &out->ptr[i];
        uint64_t *at = d->change == KEN_DELTA_REMOVED && is_top(&d->file->old, d->old_def)
                           ? ken_map_find(&added, d->name)
                           : NULL;
        if (!at || !*at || !is_like_elsewhere(d, &out->ptr[*at - 1]))
            continue;
        d->change = KEN_DELTA_MOVED;
        d->to = out->ptr[*at - 1].file;
        d->new_def = out->ptr[*at - 1].new_def;
        out->ptr[*at - 1].change = KEN_DELTA_NONE; // reported by this one
        *at = 0;
    }
    ken_map_release(&added);
    size_t n = 0;
    for (size_t i = 0; i < out->len; i++)
        if (out->ptr[i].change != KEN_DELTA_NONE)
            out->ptr[n++] = out->ptr[i];
    out->len = n;
}

ken_status ken_query__find_deltas(const query_base *b, const ken_cancel *cancel, query_deltas *out,
                                  ken_err *err)
{
    ken_status st = KEN_OK;
    for (size_t i = 0; i < b->n_files && !st; i++) {
        if (!b->files[i].is_known)
            continue;
        compare_definitions(&b->files[i], out);
        compare_passed_on(&b->files[i], out);
        st = ken_cancel_check(cancel, err);
    }
    if (!st)
        find_moved(out);
    return st;
}

// ---- one definition -----------------------------------------------------------------------------

void ken_query__match(const query_version *old, const query_version *now, ken_arena *arena,
                      int64_t **out, bool **out_reads_same)
{
    sides m;
    open_sides(&m, old, now, KEN_STR(""));
    *out = KEN_ARENA_ARRAY(arena, int64_t, m.old.n + (size_t)1);
    *out_reads_same = KEN_ARENA_ARRAY(arena, bool, m.old.n + (size_t)1);
    for (uint32_t i = 0; i < m.old.n; i++) {
        (*out)[i] = m.old.match[i];
        (*out_reads_same)[i] = m.old.match[i] >= 0 && m.old.body[i] == m.now.body[m.old.match[i]];
    }
    close_sides(&m);
}
