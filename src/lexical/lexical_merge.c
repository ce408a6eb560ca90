// SPDX-License-Identifier: MIT
// Joining segments side by side: all of them are walked in the order of terms, then of names, and
// their posting lists are written at once. Contents get their ordinals segment by segment, so a list of
// the joined segment is the lists of its parts one behind the other, less what is dead; a head is
// written anew, the counts behind it are copied. Memory: some blocks of each segment, 4 bytes a
// content, and the postings of one term.
#include "base/alloc.h"
#include "lexical/lexical_priv.h"

typedef struct input {
    ken_lex_segment *s;
    uint32_t *ordinals; // by ordinal in the input; UINT32_MAX = dead
    seg_terms terms;
    seg_names names;
    bool is_done; // with the terms, later with the names
} input;

typedef struct merge {
    input *in;
    size_t n;
    seg_writer w;
    ken_buf list;
} merge;

// ---- contents ----------------------------------------------------------------------------------

static ken_status put_contents(merge *m, const ken_lex_input *from, ken_err *err)
{
    uint32_t ordinal = 0;
    for (size_t k = 0; k < m->n; k++) {
        ken_lex_segment *s = from[k].segment;
        const ken_lex_content *c = ken_lex_segment_contents(s);
        uint32_t n = ken_lex_segment_n_contents(s);
        m->in[k].ordinals = ken_alloc(ken_mul_size(n + (size_t)1, sizeof(uint32_t)));
        for (uint32_t i = 0; i < n; i++) {
            bool is_live = !from[k].is_live || from[k].is_live[i];
            m->in[k].ordinals[i] = is_live ? ordinal++ : UINT32_MAX;
            if (is_live)
                ken_lex__put_content(&m->w, from[k].ids ? from[k].ids[i] : c[i].id, c[i].n_chunks,
                                     c[i].len);
        }
    }
    for (size_t k = 0; k < m->n; k++) {
        const ken_lex_content *c = ken_lex_segment_contents(m->in[k].s);
        for (uint32_t i = 0; i < ken_lex_segment_n_contents(m->in[k].s); i++) {
            const uint8_t *raw = NULL;
            size_t row = KEN_FIELD_COUNT * 2;
            if (m->in[k].ordinals[i] == UINT32_MAX)
                continue;
            ken_lex__forget(m->in[k].s, SEG_CHUNK_LENS, c[i].first_chunk * row);
            ken_status st = ken_lex_segment_raw_lens(m->in[k].s, i, &raw, err);
            if (st)
                return st;
            ken_lex__put_lens(&m->w, raw, c[i].n_chunks * row);
        }
    }
    return KEN_OK;
}

// ---- terms -------------------------------------------------------------------------------------

// As many as there are at most: those of dead contents count.
static ken_status count_postings(const merge *m, uint64_t *out, ken_err *err)
{
    ken_status st = KEN_OK;
    *out = 0;
    for (size_t k = 0; k < m->n; k++) {
        seg_terms t = { .s = m->in[k].s, .has_no_lists = true };
        while (!st && ken_lex__next_term(&t, &st, err))
            *out += t.list.n_chunks;
    }
    return st;
}

static uint8_t *add_varint(uint8_t *to, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *to++ = (uint8_t)(v | 0x80);
    *to++ = (uint8_t)v;
    return to;
}

// The chunks of the content at hand are there and are its own.
static bool count_chunks(const input *in, const ken_lex_cursor *c, uint32_t *n)
{
    uint32_t most = ken_lex_segment_contents(in->s)[c->content].n_chunks;
    uint32_t chunk = 0, tf[KEN_FIELD_COUNT];
    const uint8_t *pos = NULL;
    for (; ken_lex_cursor_chunk(c, &pos, &chunk, tf); ++*n)
        if (chunk >= most)
            return false;
    return true;
}

typedef struct joined {
    uint32_t last, n_contents, n_chunks; // the last ordinal
} joined;

// One input's postings of a term. They are removed afterwards, so what cannot be read whole must not
// pass for all.
static bool add_list(merge *m, const input *in, joined *j)
{
    const ken_lex_list *list = &in->terms.list;
    uint32_t n_contents = 0, n_chunks = 0, before = 0;
    // A head takes five bytes at most.
    if (!ken_buf_reserve(&m->list, (size_t)(list->end - list->at) + 5 * (size_t)list->n_contents))
        return false;
    uint8_t *to = (uint8_t *)m->list.ptr + m->list.len;
    ken_lex_cursor c;
    ken_lex_cursor_init(&c, list);
    for (const uint8_t *at = c.at; n_contents < list->n_contents && ken_lex_cursor_next(&c);
         at = c.at) {
        uint32_t n = 0;
        bool has_several = *at & 1;
        if (c.content >= ken_lex_segment_n_contents(in->s) || (n_contents && c.content <= before) ||
            !count_chunks(in, &c, &n))
            return false;
        before = c.content;
        n_contents++;
        n_chunks += n;
        uint32_t ordinal = in->ordinals[c.content];
        if (ordinal == UINT32_MAX)
            continue;
        while (*at & 0x80)
            at++;
        at++;
        to = add_varint(to, (uint64_t)(ordinal - j->last) << 1 | has_several);
        memcpy(to, at, (size_t)(c.at - at));
        to += c.at - at;
        j->last = ordinal;
        j->n_contents++;
        j->n_chunks += n;
    }
    m->list.len = (size_t)(to - (uint8_t *)m->list.ptr);
    return n_contents == list->n_contents && n_chunks == list->n_chunks && c.at == c.end;
}

static ken_status next_term(input *in, ken_err *err)
{
    ken_status st = KEN_OK;
    in->is_done = !ken_lex__next_term(&in->terms, &st, err);
    return st;
}

static ken_status put_terms(merge *m, ken_err *err)
{
    uint64_t n_postings;
    ken_status st = count_postings(m, &n_postings, err);
    ken_lex__begin_terms(&m->w, n_postings);
    for (size_t k = 0; k < m->n && !st; k++) {
        m->in[k].terms = (seg_terms){ .s = m->in[k].s };
        st = next_term(&m->in[k], err);
    }
    while (!st && !ken_sections_has_failed(&m->w.out)) {
        const ken_term none = UINT64_MAX;
        ken_term least = none;
        for (size_t k = 0; k < m->n; k++)
            if (!m->in[k].is_done && m->in[k].terms.term < least)
                least = m->in[k].terms.term;
        if (least == none)
            break;
        joined j = { 0 };
        ken_buf_clear(&m->list);
        for (size_t k = 0; k < m->n && !st; k++) {
            input *in = &m->in[k];
            if (in->is_done || in->terms.term != least)
                continue;
            st = add_list(m, in, &j) ? next_term(in, err)
                                     : ken_lex__damaged(in->s, "its postings are damaged", err);
        }
        if (j.n_contents)
            ken_lex__put_term(&m->w, least, j.n_contents, j.n_chunks, ken_buf_str(&m->list));
    }
    ken_lex__end_terms(&m->w);
    return st;
}

// ---- names -------------------------------------------------------------------------------------

static ken_status next_name(input *in, ken_err *err)
{
    ken_status st = KEN_OK;
    in->is_done = !ken_lex__next_name(&in->names, &st, err);
    return st;
}

static ken_str name_of(const input *in)
{
    return ken_str_n(in->names.text, in->names.len);
}

// Appends where the input's name is defined; `last`: the ordinal before.
static uint32_t add_places(merge *m, const input *in, uint32_t *last)
{
    uint32_t n = 0;
    for (size_t i = 0; i < in->names.places.len; i++) {
        const ken_name_posting *p = &in->names.places.ptr[i];
        uint32_t ordinal = in->ordinals[p->content];
        if (ordinal == UINT32_MAX)
            continue;
        ken_buf_put_varint(&m->list, ordinal - *last);
        ken_buf_put_varint(&m->list, p->symbol);
        ken_buf_putc(&m->list, (char)p->kind);
        ken_buf_putc(&m->list, (char)p->depth);
        *last = ordinal;
        n++;
    }
    return n;
}

static ken_status put_names(merge *m, ken_err *err)
{
    ken_status st = KEN_OK;
    for (size_t k = 0; k < m->n && !st; k++) {
        m->in[k].names.s = m->in[k].s;
        st = next_name(&m->in[k], err);
    }
    while (!st && !ken_sections_has_failed(&m->w.out)) {
        const input *least = NULL;
        for (size_t k = 0; k < m->n; k++)
            if (!m->in[k].is_done &&
                (!least || ken_lex__name_cmp(name_of(&m->in[k]), name_of(least)) < 0))
                least = &m->in[k];
        if (!least)
            break;
        char text[SEG_NAME_MAX];
        ken_str name = name_of(least);
        memcpy(text, name.ptr, name.len);
        name.ptr = text;
        uint32_t n_places = 0, last = 0;
        ken_buf_clear(&m->list);
        for (size_t k = 0; k < m->n && !st; k++) {
            if (m->in[k].is_done || !ken_str_eq(name_of(&m->in[k]), name))
                continue;
            n_places += add_places(m, &m->in[k], &last);
            st = next_name(&m->in[k], err);
        }
        if (n_places)
            ken_lex__put_name(&m->w, name, n_places, ken_buf_str(&m->list));
    }
    return st;
}

ken_status ken_lex_merge(const ken_lex_input *inputs, size_t n, const ken_block_sink *sink,
                         ken_err *err)
{
    merge m = { .in = ken_zalloc(ken_mul_size(n + 1, sizeof *m.in)),
                .n = n,
                .list = KEN_BUF_INIT((size_t)2 << 30) };
    ken_lex__writer_init(&m.w, sink);
    for (size_t k = 0; k < n; k++)
        m.in[k].s = inputs[k].segment;
    ken_status st = put_contents(&m, inputs, err);
    if (!st)
        st = put_terms(&m, err);
    if (!st)
        st = put_names(&m, err);
    if (!st && m.list.is_over)
        st = KEN_FAIL(err, KEN_ENOMEM, "joining %zu search segments", n);
    ken_status end = ken_lex__writer_end(&m.w, st ? NULL : err);
    for (size_t k = 0; k < n; k++) {
        ken_free(m.in[k].ordinals);
        ken_lex__names_release(&m.in[k].names);
    }
    ken_buf_release(&m.list);
    ken_free(m.in);
    return st ? st : end;
}
