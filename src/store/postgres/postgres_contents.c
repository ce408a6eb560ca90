// SPDX-License-Identifier: MIT
// Contents: facts and references of bytes. New ones are gathered and sent together.
#include <stdlib.h>
#include <string.h>

#include "store/postgres/postgres_index_priv.h"

// Bits of column marks.
enum {
    MARK_FALLBACK = 1,
    MARK_GENERATED = 2,
    COLLECTED_AT_ONCE = 5000
};

#define PG_KEY(key) PG_SHA((key)->sha), PG_INT((key)->lang), PG_INT((key)->feature)

ken_status ken_store__pg_read_info(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out,
                                   ken_err *err)
{
    (void)p, (void)arena, (void)err;
    uint64_t marks = ken_store__pg_u64(row, 7, MARK_FALLBACK | MARK_GENERATED);
    *(ken_content_info *)out = (ken_content_info){
        .id = (int64_t)ken_store__pg_u64(row, 0, INT64_MAX),
        .n_bytes = ken_store__pg_u64(row, 1, UINT32_MAX),
        .n_lines = (uint32_t)ken_store__pg_u64(row, 2, UINT32_MAX),
        .n_chunks = (uint32_t)ken_store__pg_u64(row, 3, UINT32_MAX),
        .n_symbols = (uint32_t)ken_store__pg_u64(row, 4, UINT32_MAX),
        .n_error_bytes = (uint32_t)ken_store__pg_u64(row, 5, UINT32_MAX),
        .lang = (uint16_t)ken_store__pg_u64(row, 6, UINT16_MAX),
        .is_fallback = (marks & MARK_FALLBACK) != 0,
        .is_generated = (marks & MARK_GENERATED) != 0,
    };
    return KEN_OK;
}

// ---- reading -----------------------------------------------------------------------------------

// The contents that were gathered have the last ids: only for one of them must they be sent first.
static ken_status load_one(ken_store_backend *b, int64_t id, const ken_pg_query *q,
                           ken_pg_read_fn *read, ken_arena *arena, void *out, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    bool is_gathered = x->contents.n && id >= x->first_gathered;
    ken_status st = is_gathered ? ken_store__pg_flush_contents(x, err) : KEN_OK;
    return st ? st : ken_store__pg_one(&x->p, q, read, arena, out, err);
}

#define LOAD_ONE(b, name, content, read, arena, out, err)                                     \
    load_one((b), (content), PG_QUERY(name, PG_INT(ken_pg_index_of(b)->id), PG_INT(content)), \
             (read), (arena), (out), (err))

static ken_status read_hash(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)arena, (void)err;
    ken_store__pg_fixed(row, 0, out, sizeof(int64_t));
    return KEN_OK;
}

static ken_status may_have(ken_pg_index *x, const ken_content_key *key, bool *out, ken_err *err)
{
    return ken_store__pg_may_have(x, &x->known_contents, PG_QUERY(CONTENT_HASHES, PG_INT(x->id)),
                                  read_hash, ken_sha256_short(&key->sha), out, err);
}

// A forced run asks for keys that are all there: rows that were gathered need not be sent for that.
static bool is_gathered(const ken_pg_index *x, const ken_content_key *key)
{
    for (size_t i = 0; i < x->keys.len; i++) {
        const ken_content_key *k = &x->keys.ptr[i];
        if (!memcmp(&k->sha, &key->sha, sizeof key->sha) && k->lang == key->lang &&
            k->feature == key->feature)
            return true;
    }
    return false;
}

// Writers, and who reads ahead of them, ask for each content before it is added, most often for one that is not
// there.
ken_status ken_store__pg_find_content(ken_store_backend *b, const ken_content_key *key,
                                      ken_content_info *out, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    bool may_be = true;
    ken_status st =
        x->p.tx == KEN_PG_TX_WRITE || x->is_glance ? may_have(x, key, &may_be, err) : KEN_OK;
    if (st || !may_be)
        return st ? st : KEN_ENOTFOUND;
    int64_t last = is_gathered(x, key) ? INT64_MAX : 0;
    return load_one(b, last, PG_QUERY(CONTENT_FIND, PG_INT(x->id), PG_KEY(key)),
                    ken_store__pg_read_info, NULL, out, err);
}

ken_status ken_store__pg_load_info(ken_store_backend *b, int64_t id, ken_content_info *out,
                                   ken_err *err)
{
    return LOAD_ONE(b, CONTENT_GET, id, ken_store__pg_read_info, NULL, out, err);
}

ken_status ken_store__pg_load_packed(ken_store_backend *b, int64_t id, ken_arena *arena,
                                     ken_str *out, ken_err *err)
{
    const ken_pg_expected_row *e = ken_store__pg_take_expected(ken_pg_index_of(b), id, 0);
    if (!e)
        return LOAD_ONE(b, CONTENT_FACTS, id, ken_store__pg_read_bytes, arena, out, err);
    *out = ken_arena_dup(arena, e->facts);
    return KEN_OK;
}

ken_status ken_store__pg_load_packed_refs(ken_store_backend *b, int64_t id, ken_arena *arena,
                                          ken_str *out, ken_err *err)
{
    const ken_pg_expected_row *e =
        ken_store__pg_take_expected(ken_pg_index_of(b), id, KEN_EXPECT_REFS);
    if (e) {
        *out = ken_arena_dup(arena, e->refs);
        return KEN_OK;
    }
    ken_status st = LOAD_ONE(b, CONTENT_REFS, id, ken_store__pg_read_bytes, arena, out, err);
    if (st != KEN_ENOTFOUND)
        return st;
    *out = KEN_STR("");
    return KEN_OK;
}

ken_status ken_store__pg_load_text(ken_store_backend *b, int64_t id, ken_arena *arena, ken_str *out,
                                   ken_err *err)
{
    const ken_pg_expected_row *e =
        ken_store__pg_take_expected(ken_pg_index_of(b), id, KEN_EXPECT_TEXT);
    if (e && e->text.ptr) {
        *out = ken_arena_dup(arena, e->text);
        return KEN_OK;
    }
    ken_status st = ken_store__pg_flush_relations(ken_pg_index_of(b), 1, err);
    return st ? st : LOAD_ONE(b, TEXT_GET, id, ken_store__pg_read_bytes, arena, out, err);
}

static ken_status read_sha(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)arena, (void)err;
    ken_store__pg_fixed(row, 0, ((ken_sha256 *)out)->bytes, sizeof(ken_sha256));
    return KEN_OK;
}

ken_status ken_store__pg_load_sha(ken_store_backend *b, int64_t id, ken_sha256 *out, ken_err *err)
{
    return LOAD_ONE(b, CONTENT_SHA, id, read_sha, NULL, out, err);
}

static ken_status read_mark(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    ken_content_mark *m = out;
    ken_store__pg_fixed(row, 8, m->sha.bytes, sizeof m->sha.bytes);
    return ken_store__pg_read_info(p, row, arena, &m->info, err);
}

static int by_content(const void *a, const void *b)
{
    const ken_content_mark *x = a, *y = b;
    return (x->info.id > y->info.id) - (x->info.id < y->info.id);
}

static ken_status flush_marked(ken_pg_index *x, const int64_t *contents, size_t n, ken_err *err)
{
    for (size_t i = 0; x->contents.n && i < n; i++)
        if (contents[i] >= x->first_gathered)
            return ken_store__pg_flush_contents(x, err);
    return KEN_OK;
}

ken_status ken_store__pg_load_marks(ken_store_backend *b, const int64_t *contents, size_t n,
                                    ken_content_mark *out, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    ken_arena arena;
    ken_content_mark *marks = NULL;
    size_t n_marks = 0;
    ken_arena_init(&arena, 0);
    ken_status st = flush_marked(x, contents, n, err);
    if (!st)
        st = PG_ROWS(&x->p, PG_QUERY(CONTENT_MARKS, PG_INT(x->id), PG_INTS(contents, n)), read_mark,
                     &arena, &marks, &n_marks, err);
    if (!st && n_marks)
        qsort(marks, n_marks, sizeof *marks, by_content);
    for (size_t i = 0; i < n && !st; i++) {
        const ken_content_mark key = { .info.id = contents[i] };
        const ken_content_mark *m =
            n_marks ? bsearch(&key, marks, n_marks, sizeof *marks, by_content) : NULL;
        out[i] = m ? *m : (ken_content_mark){ 0 };
    }
    ken_arena_release(&arena);
    return st;
}

// ---- adding ------------------------------------------------------------------------------------

ken_status ken_store__pg_add_content(ken_store_backend *b, const ken_content_key *key,
                                     const ken_content_info *info, const ken_facts *facts,
                                     const ken_packed *packed, int64_t *out_id, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    bool may_be = true;
    ken_status st = may_have(x, key, &may_be, err);
    if (st)
        return st;
    x->may_be_taken = x->may_be_taken || may_be;
    int marks = (info->is_fallback ? MARK_FALLBACK : 0) | (info->is_generated ? MARK_GENERATED : 0);
    int64_t id = ++x->last.content;
    x->first_gathered = x->contents.n ? x->first_gathered : id;
    ken_store__pg_copy_row(
        &x->contents,
        PG_VALUES(PG_INT(x->id), PG_INT(id), PG_KEY(key), PG_INT(info->n_bytes),
                  PG_INT(info->n_lines), PG_INT(info->n_chunks), PG_INT(info->n_symbols),
                  PG_INT(info->n_error_bytes), PG_INT(marks), PG_BYTES(packed->facts),
                  PG_IF(packed->refs.len, PG_BYTES(packed->refs)), PG_TEXT(packed->language)));
    ken_vec_push(&x->keys, *key);
    ken_store__pg_know(&x->known_contents, ken_sha256_short(&key->sha));
    *out_id = id;
    st = ken_store__pg_put_relations(x, id, facts, packed, err);
    return st || x->contents.rows.len < KEN_PG_COPY_BYTES ? st
                                                          : ken_store__pg_flush_contents(x, err);
}

// Two of these have the same key: one after the other. Rare.
static ken_status add_singly(ken_pg_index *x, ken_pg_copy *all, ken_err *err)
{
    ken_status st = KEN_OK;
    ken_str left = ken_buf_str(&all->rows);
    ken_pg_copy one = { 0 };
    for (size_t i = 0; !st && i < x->keys.len; i++) {
        size_t n = ken_store__pg_copy_length(left);
        st = ken_store__pg_write(&x->p, KEN_PG_CONTENT_SUPERSEDE,
                                 PG_VALUES(PG_INT(x->id), PG_KEY(&x->keys.ptr[i])), NULL, err);
        ken_buf_put(&one.rows, left.ptr, n);
        one.n = 1;
        if (!st)
            st = ken_store__pg_copy_send(&x->p, KEN_PG_CONTENT_COPY, &one, err);
        left = ken_str_sub(left, n, left.len);
    }
    ken_store__pg_copy_drop(&one);
    return st;
}

static int by_hash(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Two of the gathered have one key, or seem to.
static bool has_twins(const ken_pg_index *x, ken_arena *arena)
{
    size_t n = x->keys.len;
    uint64_t *hashes = KEN_ARENA_ARRAY(arena, uint64_t, n + 1);
    for (size_t i = 0; i < n; i++)
        hashes[i] = ken_sha256_short(&x->keys.ptr[i].sha);
    qsort(hashes, n, sizeof *hashes, by_hash);
    for (size_t i = 1; i < n; i++)
        if (hashes[i - 1] == hashes[i])
            return true;
    return false;
}

static ken_status supersede_all(ken_pg_index *x, ken_arena *arena, ken_err *err)
{
    size_t n = x->keys.len;
    ken_str *shas = KEN_ARENA_ARRAY(arena, ken_str, n + 1);
    int64_t *langs = KEN_ARENA_ARRAY(arena, int64_t, n + 1),
            *features = KEN_ARENA_ARRAY(arena, int64_t, n + 1);
    for (size_t i = 0; i < n; i++) {
        const ken_content_key *k = &x->keys.ptr[i];
        shas[i] = ken_str_n((const char *)k->sha.bytes, sizeof k->sha.bytes);
        langs[i] = k->lang;
        features[i] = k->feature;
    }
    return ken_store__pg_write(
        &x->p, KEN_PG_CONTENT_SUPERSEDE_MANY,
        PG_VALUES(PG_INT(x->id), PG_BLOBS(shas, n), PG_INTS(langs, n), PG_INTS(features, n)), NULL,
        err);
}

// Rows that are there give up their keys first, as all of a forced run do.
static ken_status add_carefully(ken_pg_index *x, ken_pg_copy *all, ken_err *err)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_status st = KEN_OK;
    if (has_twins(x, &arena)) {
        st = add_singly(x, all, err);
    } else {
        st = supersede_all(x, &arena, err);
        if (!st)
            st = ken_store__pg_copy_send(&x->p, KEN_PG_CONTENT_COPY, all, err);
    }
    ken_arena_release(&arena);
    return st;
}

ken_status ken_store__pg_flush_contents(ken_pg_index *x, ken_err *err)
{
    if (!x->contents.n)
        return KEN_OK;
    ken_pg_copy all = x->contents; // what is run below must not flush them again
    x->contents = (ken_pg_copy){ 0 };
    ken_status st = x->may_be_taken
                        ? add_carefully(x, &all, err)
                        : ken_store__pg_copy_send(&x->p, KEN_PG_CONTENT_COPY, &all, err);
    ken_store__pg_copy_drop(&all);
    ken_vec_clear(&x->keys);
    x->may_be_taken = false;
    return st;
}

// ---- collecting --------------------------------------------------------------------------------

ken_status ken_store__pg_collect(ken_store_backend *b, uint64_t *out_removed, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    int64_t n = 0;
    ken_status st = ken_store__pg_flush(x, err);
    if (!st)
        st = ken_store__pg_number(&x->p, PG_QUERY(CONTENT_COLLECT, PG_INT(x->id)), &n, err);
    if (!st && out_removed)
        *out_removed = (uint64_t)n;
    return st;
}

ken_status ken_store__pg_collect_some(ken_store_backend *b, const int64_t *ids, size_t n,
                                      ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    ken_status st = ken_store__pg_flush(x, err);
    for (size_t i = 0; i < n && !st; i += COLLECTED_AT_ONCE)
        st = ken_store__pg_write(
            &x->p, KEN_PG_CONTENT_COLLECT_SOME,
            PG_VALUES(PG_INT(x->id),
                      PG_INTS(ids + i, n - i < COLLECTED_AT_ONCE ? n - i : COLLECTED_AT_ONCE)),
            NULL, err);
    return st;
}
