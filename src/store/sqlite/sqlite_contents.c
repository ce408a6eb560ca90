// SPDX-License-Identifier: MIT
#include <string.h>

#include "store/sqlite/sqlite_priv.h"

// Bits of column is_fallback.
enum {
    MARK_FALLBACK = 1,
    MARK_GENERATED = 2
};

#define SQ_KEY(key) SQ_BYTES((key)->sha), SQ_INT((key)->lang), SQ_INT((key)->feature)

// The columns of KEN_SQ_CONTENT_INFO.
ken_status ken_store__sq_read_info(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out,
                                   ken_err *err)
{
    (void)arena;
    bool is_bad = false;
    uint64_t marks = ken_store__sq_u64(st, 7, MARK_FALLBACK | MARK_GENERATED, &is_bad);
    ken_content_info info = {
        .id = sqlite3_column_int64(st, 0),
        .n_bytes = ken_store__sq_u64(st, 1, UINT32_MAX, &is_bad),
        .n_lines = (uint32_t)ken_store__sq_u64(st, 2, UINT32_MAX, &is_bad),
        .n_chunks = (uint32_t)ken_store__sq_u64(st, 3, UINT32_MAX, &is_bad),
        .n_symbols = (uint32_t)ken_store__sq_u64(st, 4, UINT32_MAX, &is_bad),
        .n_error_bytes = (uint32_t)ken_store__sq_u64(st, 5, UINT32_MAX, &is_bad),
        .lang = (uint16_t)ken_store__sq_u64(st, 6, UINT16_MAX, &is_bad),
        .is_fallback = (marks & MARK_FALLBACK) != 0,
        .is_generated = (marks & MARK_GENERATED) != 0,
    };
    if (is_bad || info.id <= 0)
        return SQ_CORRUPT(q, err, "a content has numbers out of range");
    *(ken_content_info *)out = info;
    return KEN_OK;
}

ken_status ken_store__sq_find_content(ken_store_backend *b, const ken_content_key *key,
                                      ken_content_info *out, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_CONTENT_FIND, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_KEY(key)));
    return ken_store__sq_one(q, st, ken_store__sq_read_info, NULL, out, err);
}

// The row of one content.
static ken_status load_one(ken_sq *q, ken_sq_stmt which, int64_t id, ken_sq_read_fn *read,
                           ken_arena *arena, void *out, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, which, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_INT(id)));
    return ken_store__sq_one(q, st, read, arena, out, err);
}

ken_status ken_store__sq_load_info(ken_store_backend *b, int64_t id, ken_content_info *out,
                                   ken_err *err)
{
    return load_one(ken_sq_of(b), KEN_SQ_CONTENT_GET, id, ken_store__sq_read_info, NULL, out, err);
}

static ken_status supersede(ken_sq *q, const ken_content_key *key, ken_err *err)
{
    return ken_store__sq_write(q, KEN_SQ_CONTENT_SUPERSEDE, SQ_VALUES(SQ_KEY(key)), err);
}

static ken_status insert(ken_sq *q, const ken_content_key *key, const ken_content_info *info,
                         ken_str facts, ken_err *err, bool *out_is_taken)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_CONTENT_ADD, &st, err);
    if (s)
        return s;
    int marks = (info->is_fallback ? MARK_FALLBACK : 0) | (info->is_generated ? MARK_GENERATED : 0);
    ken_store__sq_bind(st, SQ_VALUES(SQ_KEY(key), SQ_INT(info->n_bytes), SQ_INT(info->n_lines),
                                     SQ_INT(info->n_chunks), SQ_INT(info->n_symbols),
                                     SQ_INT(info->n_error_bytes), SQ_INT(marks),
                                     SQ_BLOB(facts.ptr, facts.len)));
    int rc = sqlite3_step(st);
    *out_is_taken = rc == SQLITE_CONSTRAINT_UNIQUE;
    if (rc != SQLITE_DONE && !*out_is_taken)
        s = SQ_FAIL(q, rc, err, "writing to");
    ken_store__sq_done(st);
    return s;
}

static ken_status insert_refs(ken_sq *q, int64_t id, ken_str refs, ken_err *err)
{
    return refs.len ? ken_store__sq_write(q, KEN_SQ_REFS_ADD,
                                          SQ_VALUES(SQ_INT(id), SQ_BLOB(refs.ptr, refs.len)), err)
                    : KEN_OK;
}

ken_status ken_store__sq_add_content(ken_store_backend *b, const ken_content_key *key,
                                     const ken_content_info *info, const ken_facts *facts,
                                     const ken_packed *packed, int64_t *out_id, ken_err *err)
{
    (void)facts;
    ken_sq *q = ken_sq_of(b);
    bool is_taken = false;
    ken_status s = insert(q, key, info, packed->facts, err, &is_taken);
    if (!s && is_taken) { // rare: only forced runs
        s = supersede(q, key, err);
        if (!s)
            s = insert(q, key, info, packed->facts, err, &is_taken);
        if (!s && is_taken)
            s = SQ_CORRUPT(q, err, "the index of contents");
    }
    int64_t id = sqlite3_last_insert_rowid(q->db);
    if (!s)
        s = insert_refs(q, id, packed->refs, err);
    if (!s)
        *out_id = id;
    return s;
}

// A file keeps no rows beside its own.
ken_status ken_store__sq_find_lacking(ken_store_backend *b, ken_arena *arena,
                                      ken_store_lacking *out, ken_err *err)
{
    (void)b, (void)arena, (void)err;
    *out = (ken_store_lacking){ .is_known = true };
    return KEN_OK;
}

ken_status ken_store__sq_note_rows(ken_store_backend *b, ken_err *err)
{
    (void)b, (void)err;
    return KEN_OK;
}

ken_status ken_store__sq_put_rows(ken_store_backend *b, const ken_store_rows *rows, size_t n,
                                  ken_err *err)
{
    (void)b, (void)rows, (void)n, (void)err;
    return KEN_OK;
}

ken_status ken_store__sq_load_texts(ken_store_backend *b, const int64_t *contents, size_t n,
                                    ken_arena *arena, ken_str *out, ken_err *err)
{
    (void)b, (void)contents, (void)arena, (void)err;
    for (size_t i = 0; i < n; i++)
        out[i] = (ken_str){ NULL, 0 };
    return KEN_OK;
}

// Whoever has the file has the folder.
ken_status ken_store__sq_load_text(ken_store_backend *b, int64_t id, ken_arena *arena, ken_str *out,
                                   ken_err *err)
{
    (void)b, (void)id, (void)arena, (void)out, (void)err;
    return KEN_ENOTFOUND;
}

ken_status ken_store__sq_load_packed(ken_store_backend *b, int64_t id, ken_arena *arena,
                                     ken_str *out, ken_err *err)
{
    return load_one(ken_sq_of(b), KEN_SQ_CONTENT_FACTS, id, ken_store__sq_read_bytes, arena, out,
                    err);
}

ken_status ken_store__sq_load_packed_refs(ken_store_backend *b, int64_t id, ken_arena *arena,
                                          ken_str *out, ken_err *err)
{
    ken_status s =
        load_one(ken_sq_of(b), KEN_SQ_REFS_GET, id, ken_store__sq_read_bytes, arena, out, err);
    if (s != KEN_ENOTFOUND)
        return s;
    *out = KEN_STR("");
    return KEN_OK;
}

static ken_status read_sha(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out, ken_err *err)
{
    (void)arena;
    return ken_store__sq_fixed(st, 0, out, sizeof(ken_sha256))
               ? KEN_OK
               : SQ_CORRUPT(q, err, "the hash of a content has the wrong length");
}

ken_status ken_store__sq_load_sha(ken_store_backend *b, int64_t id, ken_sha256 *out, ken_err *err)
{
    return load_one(ken_sq_of(b), KEN_SQ_CONTENT_SHA, id, read_sha, NULL, out, err);
}

// Each is found without a round trip.
ken_status ken_store__sq_expect_contents(ken_store_backend *b, const int64_t *contents, size_t n,
                                         unsigned what, ken_err *err)
{
    (void)b, (void)contents, (void)n, (void)what, (void)err;
    return KEN_OK;
}

ken_status ken_store__sq_load_marks(ken_store_backend *b, const int64_t *contents, size_t n,
                                    ken_content_mark *out, ken_err *err)
{
    ken_status s = KEN_OK;
    for (size_t i = 0; i < n && !s; i++) {
        out[i] = (ken_content_mark){ 0 };
        s = ken_store__sq_load_info(b, contents[i], &out[i].info, err);
        if (!s)
            s = ken_store__sq_load_sha(b, contents[i], &out[i].sha, err);
        s = s == KEN_ENOTFOUND ? KEN_OK : s;
    }
    return s;
}

ken_status ken_store__sq_collect(ken_store_backend *b, uint64_t *out_removed, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    ken_status s = ken_store__sq_do(q, KEN_SQ_CONTENT_COLLECT, "writing to", err);
    if (!s)
        *out_removed = (uint64_t)sqlite3_changes64(q->db);
    return s;
}

ken_status ken_store__sq_collect_some(ken_store_backend *b, const int64_t *ids, size_t n,
                                      ken_err *err)
{
    ken_status s = KEN_OK;
    for (size_t i = 0; i < n && !s; i++)
        s = ken_store__sq_write(ken_sq_of(b), KEN_SQ_CONTENT_COLLECT_ONE, SQ_VALUES(SQ_INT(ids[i])),
                                err);
    return s;
}
