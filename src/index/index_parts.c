// SPDX-License-Identifier: MIT
// index_parts.c -- segments that are read, and written as one.
#include "base/alloc.h"
#include "base/sorted.h"
#include "index/index_parts_priv.h"

static bool is_alive(const index_alive *a, int64_t id)
{
    size_t lo = ken_first_i64(a->ids, a->n, sizeof *a->ids, id);
    return lo < a->n && a->ids[lo] == id;
}

int64_t ken_index__part_id(const index_part *p, uint32_t i)
{
    uint32_t n;
    if (p->words)
        return ken_lex_segment_contents(p->words)[i].id;
    if (p->mentions)
        return ken_mention_segment_contents(p->mentions)[i];
    return ken_vector_segment_contents(p->vectors, &n)[i].id;
}

void ken_index__close_part(index_part *p)
{
    ken_lex_segment_close(p->words);
    ken_mention_segment_close(p->mentions);
    ken_vector_segment_close(p->vectors);
    ken_free(p->is_live);
    ken_free(p->ids);
    *p = (index_part){ 0 };
}

ken_status ken_index__open_part(ken_store *store, ken_segment_kind kind,
                                const ken_segment_info *info, const index_alive *alive,
                                index_part *out, ken_err *err)
{
    ken_block_source source = ken_store_source(store, info);
    ken_status st;
    index_part p = { .info = *info };
    if (kind == KEN_SEGMENT_WORDS) {
        st = ken_lex_segment_open(&source, &p.words, err);
        p.n = st ? 0 : ken_lex_segment_n_contents(p.words);
    } else if (kind == KEN_SEGMENT_MENTIONS) {
        st = ken_mention_segment_open(&source, &p.mentions, err);
        p.n = st ? 0 : ken_mention_segment_n_contents(p.mentions);
    } else {
        st = ken_vector_segment_open(&source, &p.vectors, err);
        if (!st)
            (void)ken_vector_segment_contents(p.vectors, &p.n);
    }
    if (!st && alive->ids) {
        p.is_live = ken_zalloc(p.n + (size_t)1);
        for (uint32_t i = 0; i < p.n; i++) {
            p.is_live[i] = is_alive(alive, ken_index__part_id(&p, i));
            p.n_dead += !p.is_live[i];
        }
    }
    *out = p;
    return st;
}

static ken_status merge_words(const index_part *parts, size_t n, const ken_block_sink *sink,
                              ken_err *err)
{
    ken_lex_input inputs[INDEX_PARTS_MAX];
    for (size_t i = 0; i < n; i++)
        inputs[i] = (ken_lex_input){ parts[i].words, parts[i].is_live, parts[i].ids };
    return ken_lex_merge(inputs, n, sink, err);
}

static ken_status merge_mentions(const index_part *parts, size_t n, const ken_block_sink *sink,
                                 ken_err *err)
{
    ken_mention_input inputs[INDEX_PARTS_MAX];
    for (size_t i = 0; i < n; i++)
        inputs[i] = (ken_mention_input){ parts[i].mentions, parts[i].is_live, parts[i].ids };
    return ken_mention_merge(inputs, n, sink, err);
}

static ken_status merge_vectors(const index_part *parts, size_t n, const ken_block_sink *sink,
                                ken_err *err)
{
    ken_vector_input inputs[INDEX_PARTS_MAX];
    for (size_t i = 0; i < n; i++)
        inputs[i] = (ken_vector_input){ parts[i].vectors, parts[i].is_live, parts[i].ids };
    return ken_vector_merge(inputs, n, sink, err);
}

ken_status ken_index__write_parts(ken_store *store, ken_segment_kind kind, const index_part *parts,
                                  size_t n, ken_err *err)
{
    ken_segment_writer w;
    uint32_t n_contents = 0;
    for (size_t i = 0; i < n; i++)
        n_contents += parts[i].n - parts[i].n_dead;
    if (!n_contents)
        return KEN_OK;
    ken_status st = ken_store_open_segment(store, kind, &w, err);
    if (st)
        return st;
    ken_block_sink sink = ken_store_sink(&w);
    st = kind == KEN_SEGMENT_WORDS      ? merge_words(parts, n, &sink, err)
         : kind == KEN_SEGMENT_MENTIONS ? merge_mentions(parts, n, &sink, err)
                                        : merge_vectors(parts, n, &sink, err);
    return st ? st : ken_store_close_segment(&w, n_contents, err);
}

size_t ken_index__group_parts(index_part *parts, size_t n)
{
    size_t n_same = 1;
    for (size_t i = 1; parts[0].vectors && i < n; i++) {
        index_part moved = parts[i];
        if (!ken_vector_model_eq(ken_vector_segment_model(moved.vectors),
                                 ken_vector_segment_model(parts[0].vectors)))
            continue;
        parts[i] = parts[n_same];
        parts[n_same++] = moved;
    }
    return parts[0].vectors ? n_same : n;
}
