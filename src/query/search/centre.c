// SPDX-License-Identifier: MIT
// Which definition of a chunk a result is about. Small neighbours share a chunk, and a chunk may begin
// with the end of a longer definition: the words of the question, weighted by rarity, are looked for
// in the names of the chunk's definitions and in the text of each, where a word counts for the
// innermost definition around it. The best one labels the result. Its lines alone are shown when the
// question says its name: whatever else it says, its words are not enough to leave lines out (a quarter
// of the right places was lost so, see docs/retrieval.md, words withheld).
#include <math.h>

#include "base/sorted.h"
#include "query/query_priv.h"

enum {
    MAX_DEFINITIONS = 32, // of a chunk that are looked at
    TAIL_MAX = 5,         // letters that may follow the stem of a word: "s", "ing", "ation"
};

// A name says more than the text, and the name of the owner something.
static const double of_name = 2, of_meant_name = 4, of_owner = 0.25;
// So much more than the second best has a definition that is shown alone.
static const double clear_lead = 1.5;

typedef struct definition {
    uint32_t symbol;
    ken_span span; // with its comment
    bool is_open;  // it begins before the chunk
    uint8_t counts[KEN_QUERY_TERMS];
    uint32_t first_word; // byte of the first word in it; UINT32_MAX = none
    double score;
} definition;

typedef struct centring {
    const query_text *t;
    const ken_chunk *chunk;
    const query_wanted *w;
    definition all[MAX_DEFINITIONS];
    size_t n;
    uint32_t first_outside; // byte of the first word in no definition; UINT32_MAX = none
    uint8_t initial[256];   // 1 = a word of the question begins so
    double all_words;       // weights of all words of the question
} centring;

static bool is_definition(const ken_symbol *s)
{
    return !ken_symbol_is_variable(s->kind) || s->last_line > s->first_line + 2;
}

// The first symbol that begins at or behind a byte; they are in order.
static uint32_t first_from(const ken_facts *facts, uint32_t byte)
{
    return (uint32_t)KEN_FIRST_U32(ken_symbol, span.start, facts->symbols, facts->n_symbols, byte);
}

uint32_t ken_view_chunk_symbols(const ken_facts *facts, uint32_t chunk, uint32_t max, uint32_t *out)
{
    ken_span span = facts->chunks[chunk].span;
    uint32_t n = 0;
    for (uint32_t i = first_from(facts, span.start);
         i < facts->n_symbols && facts->symbols[i].span.start < span.end && n < max; i++)
        if (is_definition(&facts->symbols[i]))
            out[n++] = i;
    return n;
}

static ken_span whole_span(const ken_symbol *s)
{
    bool has_comment = s->doc.end > s->doc.start && s->doc.start < s->span.start;
    return (ken_span){ has_comment ? s->doc.start : s->span.start, s->span.end };
}

// The innermost definition among those before symbol `end` that reaches over a byte; -1 = none.
static int64_t innermost(const ken_facts *facts, uint32_t end, uint32_t byte)
{
    for (int64_t at = (int64_t)end - 1; at >= 0; at = facts->symbols[at].parent)
        if (facts->symbols[at].span.end > byte && is_definition(&facts->symbols[at]))
            return at;
    return -1;
}

int64_t ken_query__definition_at(const ken_facts *facts, uint32_t byte)
{
    return innermost(facts, first_from(facts, byte + 1), byte);
}

static bool is_meant(const query_wanted *w, ken_str name)
{
    if (w->name.len || ken_str_eq(name, w->text))
        return ken_str_eq(name, w->name.len ? w->name : w->text);
    for (uint32_t i = 0; i < w->q->n_names; i++)
        if (w->q->names[i].is_strong && !w->q->names[i].is_scope &&
            ken_str_eq(name, w->q->names[i].text))
            return true;
    return false;
}

static void add_definition(centring *f, const ken_facts *facts, uint32_t symbol)
{
    f->all[f->n++] = (definition){ .symbol = symbol,
                                   .span = whole_span(&facts->symbols[symbol]),
                                   .first_word = UINT32_MAX };
}

// With a variable only when the question names it.
static void collect(centring *f, const ken_facts *facts)
{
    ken_span span = f->chunk->span;
    int64_t open = innermost(facts, first_from(facts, span.start), span.start);
    if (open >= 0) // the chunk begins inside of it
        f->all[f->n++] = (definition){
            .symbol = (uint32_t)open, .span = span, .is_open = true, .first_word = UINT32_MAX
        };
    for (uint32_t i = first_from(facts, span.start);
         i < facts->n_symbols && facts->symbols[i].span.start < span.end; i++) {
        const ken_symbol *s = &facts->symbols[i];
        if (f->n < MAX_DEFINITIONS && (is_definition(s) || is_meant(f->w, s->name)))
            add_definition(f, facts, i);
    }
}

// ---- words -------------------------------------------------------------------------------------

static bool is_letter(char c)
{
    return ken_is_alpha(c) || (unsigned char)c >= 0x80;
}

// A word begins here: behind no letter, or at a capital of a compound.
static bool is_start(const char *from, const char *at, const char *end)
{
    if (at == from || !is_letter(at[-1]))
        return true;
    return ken_is_upper(*at) &&
           (!ken_is_upper(at[-1]) || (at + 1 < end && at[1] >= 'a' && at[1] <= 'z'));
}

// The word has the stem of the term: the last letter of a stem may be another ("retri", "retry"), and
// an ending may follow.
static bool fits(const ken_query_term *term, const char *at, const char *end)
{
    uint32_t n = term->len >= 5 ? term->len - 1 : term->len, tail = 0;
    if ((size_t)(end - at) < n)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (ken_lower(at[i]) != term->text[i])
            return false;
    for (const char *p = at + n; p < end && is_letter(*p) && tail <= TAIL_MAX; p++, tail++)
        if (ken_is_upper(*p) && !ken_is_upper(p[-1]))
            break;
    return tail <= (term->len < 4 ? 1 : TAIL_MAX);
}

static void weigh_words(centring *f)
{
    const ken_lex_query *q = f->w->q;
    for (uint32_t i = 0; i < q->n_terms; i++) {
        unsigned char c = (unsigned char)q->terms[i].text[0];
        f->all_words += f->w->idf[i];
        if (q->terms[i].is_whole)
            continue;
        f->initial[c] = 1;
        if (c >= 'a' && c <= 'z')
            f->initial[c - 'a' + 'A'] = 1;
    }
}

// The words of the question in a name, as their weights.
static double weigh_name(const centring *f, ken_str name)
{
    const ken_lex_query *q = f->w->q;
    const char *end = name.ptr + name.len;
    double sum = 0;
    for (uint32_t i = 0; i < q->n_terms; i++) {
        for (const char *p = name.ptr; p < end && !q->terms[i].is_whole; p++) {
            if (f->initial[(unsigned char)*p] && is_start(name.ptr, p, end) &&
                fits(&q->terms[i], p, end)) {
                sum += f->w->idf[i];
                break;
            }
        }
    }
    return sum;
}

static void count_word(centring *f, uint32_t byte, uint32_t term)
{
    for (size_t i = f->n; i > 0; i--) {
        definition *d = &f->all[i - 1];
        if (byte < d->span.start || byte >= d->span.end)
            continue;
        if (d->counts[term] < UINT8_MAX)
            d->counts[term]++;
        if (d->first_word == UINT32_MAX)
            d->first_word = byte;
        return;
    }
    if (f->first_outside == UINT32_MAX)
        f->first_outside = byte;
}

static void count_words(centring *f, ken_str text)
{
    const ken_lex_query *q = f->w->q;
    const char *end = text.ptr + text.len;
    for (const char *p = text.ptr; p < end; p++) {
        if (!f->initial[(unsigned char)*p] || !is_start(text.ptr, p, end))
            continue;
        for (uint32_t i = 0; i < q->n_terms; i++)
            if (!q->terms[i].is_whole && fits(&q->terms[i], p, end))
                count_word(f, f->chunk->span.start + (uint32_t)(p - text.ptr), i);
    }
}

// ---- the best ----------------------------------------------------------------------------------

static double name_points(const centring *f, ken_str name)
{
    return of_name * weigh_name(f, name) +
           (is_meant(f->w, name) ? of_meant_name * f->all_words : 0);
}

static void score(const centring *f, definition *d)
{
    const ken_facts *facts = &f->t->facts;
    const ken_symbol *s = &facts->symbols[d->symbol];
    for (uint32_t i = 0; i < f->w->q->n_terms; i++)
        d->score += f->w->idf[i] * d->counts[i] / (d->counts[i] + 1.0);
    if (d->is_open) // its name stands for all its chunks
        return;
    d->score += name_points(f, s->name);
    if (s->parent >= 0)
        d->score += of_owner * name_points(f, facts->symbols[s->parent].name);
}

static uint32_t count_breaks(ken_str text, size_t from, size_t to)
{
    uint32_t n = 0;
    for (size_t i = from; i < to; i++)
        n += text.ptr[i] == '\n';
    return n;
}

// The definition's whole lines, as far as they are the chunk's.
static void narrow(const centring *f, const definition *d, ken_str text, query_centre *out)
{
    ken_span chunk = f->chunk->span;
    size_t from = d->span.start > chunk.start ? d->span.start - chunk.start : 0;
    size_t to = d->span.end < chunk.end ? d->span.end - chunk.start : text.len;
    while (from && text.ptr[from - 1] != '\n')
        from--;
    while (to < text.len && (!to || text.ptr[to - 1] != '\n'))
        to++;
    out->span = (ken_span){ chunk.start + (uint32_t)from, chunk.start + (uint32_t)to };
    out->first_line = f->chunk->first_line + count_breaks(text, 0, from);
    out->last_line = out->first_line + count_breaks(text, from, to - 1);
}

// The best and how far it leads; of equal ones that which the chunk is named after, else the first.
static const definition *best_of(centring *f, bool *out_is_clear)
{
    const definition *best = NULL;
    double second = 0;
    for (size_t i = 0; i < f->n; i++) {
        definition *d = &f->all[i];
        score(f, d);
        bool is_first = !best || d->score > best->score ||
                        (!(d->score < best->score) && (int64_t)d->symbol == f->chunk->symbol);
        second = fmax(second, is_first ? best ? best->score : 0 : d->score);
        if (is_first)
            best = d;
    }
    *out_is_clear = best && best->score >= clear_lead * second;
    return best && best->score > 0 ? best : NULL;
}

void ken_query__centre_chunk(const query_text *t, uint32_t chunk, ken_symbol_kind kind,
                             query_centre *out)
{
    const ken_chunk *c = &t->facts.chunks[chunk];
    *out = (query_centre){ c->symbol, c->first_line, c->last_line, c->span };
    if (!kind || (c->symbol >= 0 && t->facts.symbols[c->symbol].kind == kind))
        return;
    uint32_t symbols[MAX_DEFINITIONS],
        n = ken_view_chunk_symbols(&t->facts, chunk, MAX_DEFINITIONS, symbols);
    for (uint32_t i = n; i > 0; i--)
        if (t->facts.symbols[symbols[i - 1]].kind == kind)
            out->symbol = (int32_t)symbols[i - 1];
}

static uint32_t lines_of(const centring *f, const definition *d)
{
    const ken_symbol *s = &f->t->facts.symbols[d->symbol];
    return s->last_line - s->first_line + 1;
}

// Leaves those of the kind that is asked for.
static void keep_kind(centring *f, ken_symbol_kind kind)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->n; i++)
        if (f->t->facts.symbols[f->all[i].symbol].kind == kind)
            f->all[kept++] = f->all[i];
    f->n = kept;
}

void ken_query__centre_question(query_text *t, uint32_t chunk, const query_wanted *w,
                                query_centre *out)
{
    centring f = { .t = t, .chunk = &t->facts.chunks[chunk], .w = w, .first_outside = UINT32_MAX };
    ken_query__centre_chunk(t, chunk, w->kind, out);
    collect(&f, &t->facts);
    if (f.n < 2)
        return;
    ken_str text = ken_query__slice(t, f.chunk->span);
    bool is_whole = text.len == f.chunk->span.end - f.chunk->span.start, is_clear;
    weigh_words(&f);
    if (is_whole)
        count_words(&f, text);
    if (w->kind)
        keep_kind(&f, w->kind);
    const definition *best = best_of(&f, &is_clear);
    if (!best || (best->is_open && !is_clear))
        return;
    out->symbol = (int32_t)best->symbol;
    bool is_named = is_clear && is_meant(w, t->facts.symbols[best->symbol].name);
    if (is_named && is_whole && lines_of(&f, best) > 1 && !best->is_open && !w->is_quoted)
        narrow(&f, best, text, out);
}

// ---- further places ------------------------------------------------------------------------------

static uint32_t line_of(const centring *f, ken_str text, uint32_t byte)
{
    return f->chunk->first_line + count_breaks(text, 0, byte - f->chunk->span.start);
}

// Of one that begins before the chunk, where its words stand.
static void set_lines(const centring *f, const definition *d, ken_str text, ken_place *out)
{
    const ken_symbol *s = &f->t->facts.symbols[d->symbol];
    if (d->is_open && d->first_word != UINT32_MAX)
        out->first_line = line_of(f, text, d->first_word);
    if (d->is_open)
        return;
    out->first_line = s->first_line;
    out->last_line = s->last_line < out->last_line ? s->last_line : out->last_line;
}

ken_place ken_query__place(query_text *t, uint32_t chunk, const query_wanted *w, ken_arena *arena)
{
    const ken_chunk *c = &t->facts.chunks[chunk];
    centring f = { .t = t, .chunk = c, .w = w, .first_outside = UINT32_MAX };
    ken_place out = { .first_line = c->first_line, .last_line = c->last_line };
    int64_t symbol = c->symbol;
    bool ignored;
    collect(&f, &t->facts);
    ken_str text = ken_query__slice(t, c->span);
    weigh_words(&f);
    if (text.len == c->span.end - c->span.start)
        count_words(&f, text);
    if (w->kind)
        keep_kind(&f, w->kind);
    const definition *best = best_of(&f, &ignored);
    if (best) {
        symbol = best->symbol;
        set_lines(&f, best, text, &out);
    } else if (f.first_outside != UINT32_MAX) {
        out.first_line = line_of(&f, text, f.first_outside);
        symbol = ken_query__definition_at(&t->facts, f.first_outside);
    }
    if (symbol >= 0)
        out.symbol = ken_view_qualified(arena, &t->facts, (uint32_t)symbol);
    return out;
}
