// SPDX-License-Identifier: MIT
#include <string.h>

#include "store/sqlite/sqlite_priv.h"

// Bits of column is_fallback.
enum {
    MARK_FALLBACK = 1,
    MARK_GENERATED = 2
};

static void bind_key(sqlite3_stmt *st, const ken_content_key *key)
{
    ken_store__sq_bind_blob(st, 1, key->sha.bytes, sizeof key->sha.bytes);
    sqlite3_bind_int64(st, 2, key->lang);
    sqlite3_bind_int64(st, 3, key->feature);
}

// The columns of KEN_SQ_CONTENT_INFO.
bool ken_store__sq_read_info(sqlite3_stmt *st, ken_content_info *out)
{
    bool is_bad = false;
    uint64_t marks = ken_store__sq_u64(st, 7, MARK_FALLBACK | MARK_GENERATED, &is_bad);
    *out = (ken_content_info){
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
    return !is_bad && out->id > 0;
}

// The statement is bound.
static ken_status get_info(ken_sq *q, sqlite3_stmt *st, ken_content_info *out, ken_err *err)
{
    ken_status s = KEN_OK;
    ken_content_info info;
    int rc = sqlite3_step(st);
    if (rc == SQLITE_DONE)
        s = KEN_ENOTFOUND;
    else if (rc != SQLITE_ROW)
        s = SQ_FAIL(q, rc, err, "reading");
    else if (!ken_store__sq_read_info(st, &info))
        s = SQ_CORRUPT(q, err, "a content has numbers out of range");
    else
        *out = info;
    ken_store__sq_done(st);
    return s;
}

ken_status ken_store__sq_find_content(ken_store_backend *b, const ken_content_key *key,
                                      ken_content_info *out, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_CONTENT_FIND, &st, err);
    if (s)
        return s;
    bind_key(st, key);
    return get_info(q, st, out, err);
}

ken_status ken_store__sq_load_info(ken_store_backend *b, int64_t id, ken_content_info *out,
                                   ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_CONTENT_GET, &st, err);
    if (s)
        return s;
    sqlite3_bind_int64(st, 1, id);
    return get_info(q, st, out, err);
}

static ken_status supersede(ken_sq *q, const ken_content_key *key, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_CONTENT_SUPERSEDE, &st, err);
    if (s)
        return s;
    bind_key(st, key);
    return ken_store__sq_run(q, st, "writing to", err);
}

static ken_status insert(ken_sq *q, const ken_content_key *key, const ken_content_info *info,
                         ken_str facts, ken_err *err, bool *out_is_taken)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_CONTENT_ADD, &st, err);
    if (s)
        return s;
    bind_key(st, key);
    sqlite3_bind_int64(st, 4, (int64_t)info->n_bytes);
    sqlite3_bind_int64(st, 5, info->n_lines);
    sqlite3_bind_int64(st, 6, info->n_chunks);
    sqlite3_bind_int64(st, 7, info->n_symbols);
    sqlite3_bind_int64(st, 8, info->n_error_bytes);
    sqlite3_bind_int64(
        st, 9, (info->is_fallback ? MARK_FALLBACK : 0) | (info->is_generated ? MARK_GENERATED : 0));
    ken_store__sq_bind_blob(st, 10, facts.ptr, facts.len);
    int rc = sqlite3_step(st);
    *out_is_taken = rc == SQLITE_CONSTRAINT_UNIQUE;
    if (rc != SQLITE_DONE && !*out_is_taken)
        s = SQ_FAIL(q, rc, err, "writing to");
    ken_store__sq_done(st);
    return s;
}

static ken_status insert_refs(ken_sq *q, int64_t id, ken_str refs, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = refs.len ? ken_store__sq_get(q, KEN_SQ_REFS_ADD, &st, err) : KEN_OK;
    if (s || !refs.len)
        return s;
    sqlite3_bind_int64(st, 1, id);
    ken_store__sq_bind_blob(st, 2, refs.ptr, refs.len);
    return ken_store__sq_run(q, st, "writing to", err);
}

ken_status ken_store__sq_add_content(ken_store_backend *b, const ken_content_key *key,
                                     const ken_content_info *info, const ken_packed *packed,
                                     int64_t *out_id, ken_err *err)
{
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

static ken_status load_blob(ken_sq *q, ken_sq_stmt which, int64_t id, ken_arena *arena,
                            ken_str *out, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, which, &st, err);
    if (s)
        return s;
    sqlite3_bind_int64(st, 1, id);
    s = SQ_ROW(q, st, NULL, err);
    if (!s)
        *out = ken_arena_dup(arena, ken_store__sq_blob(st, 0));
    ken_store__sq_done(st);
    return s;
}

ken_status ken_store__sq_load_packed(ken_store_backend *b, int64_t id, ken_arena *arena,
                                     ken_str *out, ken_err *err)
{
    return load_blob(ken_sq_of(b), KEN_SQ_CONTENT_FACTS, id, arena, out, err);
}

ken_status ken_store__sq_load_packed_refs(ken_store_backend *b, int64_t id, ken_arena *arena,
                                          ken_str *out, ken_err *err)
{
    ken_status s = load_blob(ken_sq_of(b), KEN_SQ_REFS_GET, id, arena, out, err);
    if (s != KEN_ENOTFOUND)
        return s;
    *out = KEN_STR("");
    return KEN_OK;
}

ken_status ken_store__sq_load_sha(ken_store_backend *b, int64_t id, ken_sha256 *out, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_CONTENT_SHA, &st, err);
    if (s)
        return s;
    sqlite3_bind_int64(st, 1, id);
    int rc = sqlite3_step(st);
    ken_str sha = rc == SQLITE_ROW ? ken_store__sq_blob(st, 0) : (ken_str){ NULL, 0 };
    if (rc == SQLITE_DONE)
        s = KEN_ENOTFOUND;
    else if (rc != SQLITE_ROW)
        s = SQ_FAIL(q, rc, err, "reading");
    else if (sha.len != sizeof out->bytes)
        s = SQ_CORRUPT(q, err, "the hash of a content has the wrong length");
    else
        memcpy(out->bytes, sha.ptr, sizeof out->bytes);
    ken_store__sq_done(st);
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

ken_status ken_store__sq_collect_one(ken_store_backend *b, int64_t id, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_CONTENT_COLLECT_ONE, &st, err);
    if (s)
        return s;
    sqlite3_bind_int64(st, 1, id);
    return ken_store__sq_run(q, st, "writing to", err);
}
