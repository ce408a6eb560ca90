// SPDX-License-Identifier: MIT
// Reads and checks everything, up to the first damage.
#include <stdio.h>

#include "store/sqlite/sqlite_priv.h"

// SQLite reports a page that it could not read as if it were wrong: with the code of what happened.
static int code_of_failed_read(ken_str text)
{
    const ken_str mark = KEN_STR("error code=");
    size_t at = ken_str_find(text, mark);
    int code = 0;
    if (at == SIZE_MAX)
        return SQLITE_OK;
    for (at += mark.len; at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9' && code < 9999;
         at++)
        code = 10 * code + (text.ptr[at] - '0');
    return code;
}

ken_status ken_store__sq_check_pages(ken_sq *q, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(q->db, ken_store__sq_text_of(KEN_SQ_CHECK_PAGES), -1, &st, NULL);
    if (!rc)
        rc = sqlite3_step(st);
    ken_status s;
    if (rc != SQLITE_ROW) {
        s = SQ_FAIL(q, rc, err, "checking");
    } else {
        ken_str text = ken_store__sq_text(st, 0);
        char what[160];
        snprintf(what, sizeof what, KEN_STR_FMT, KEN_STR_ARG(text));
        rc = code_of_failed_read(text);
        if (rc)
            s = SQ_FAIL(q, rc, err, "checking");
        else
            s = ken_str_eq_c(text, "ok") ? KEN_OK : SQ_CORRUPT(q, err, what);
    }
    sqlite3_finalize(st);
    if (s)
        return s;
    rc = sqlite3_prepare_v2(q->db, ken_store__sq_text_of(KEN_SQ_CHECK_KEYS), -1, &st, NULL);
    if (!rc)
        rc = sqlite3_step(st);
    if (rc == SQLITE_ROW)
        s = SQ_CORRUPT(q, err, "a row names another that is not there");
    else if (rc != SQLITE_DONE)
        s = SQ_FAIL(q, rc, err, "checking");
    sqlite3_finalize(st);
    return s;
}

// The part of a content that does not unpack; NULL = none.
static const char *find_wrong(sqlite3_stmt *st, ken_zip *zip, ken_arena *arena)
{
    ken_facts f;
    ken_refs r;
    if (ken_facts_unpack(zip, ken_store__sq_blob(st, 1), arena, &f, NULL) ||
        (int64_t)f.n_bytes != sqlite3_column_int64(st, 2))
        return "facts";
    return ken_refs_unpack(zip, ken_store__sq_blob(st, 3), &f, arena, &r, NULL) ? "refs" : NULL;
}

static ken_status check_contents(ken_sq *q, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_CONTENT_FACTS_SCAN, &st, err);
    if (s)
        return s;
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_zip *zip = ken_zip_new();
    while (ken_store__sq_next(q, st, &s, err)) {
        ken_arena_reset(&arena);
        const char *wrong = find_wrong(st, zip, &arena);
        if (wrong) {
            char what[80];
            snprintf(what, sizeof what, "%s of content %lld", wrong,
                     (long long)sqlite3_column_int64(st, 0));
            s = SQ_CORRUPT(q, err, what);
        }
    }
    ken_store__sq_done(st);
    ken_zip_free(zip);
    ken_arena_release(&arena);
    return s;
}

static ken_status count_blocks(ken_sq *q, int64_t segment, int64_t *out, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_BLOCK_COUNT, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_INT(segment << 24), SQ_INT((segment + 1) << 24)));
    return ken_store__sq_load_number(q, st, "the blocks of a segment", out, err);
}

// Every block is there and can be taken apart, and there is none beside them.
static ken_status check_segment(ken_store_backend *b, const ken_segment_info *g, void *block,
                                ken_err *err)
{
    int64_t n = 0;
    uint64_t at = 0;
    ken_status s = count_blocks(ken_sq_of(b), g->id, &n, err);
    for (uint32_t i = 0; !s && i < n && at < g->n_bytes; i++) {
        size_t got = 0;
        s = b->ops->read_block(b, g->id, i, block, &got, err);
        at += got;
    }
    if (s && s != KEN_ENOTFOUND)
        return s;
    if (!s && at == g->n_bytes && (uint64_t)n == (at + KEN_SEGMENT_BLOCK - 1) / KEN_SEGMENT_BLOCK)
        return KEN_OK;
    char what[80];
    snprintf(what, sizeof what, "blocks of segment %lld", (long long)g->id);
    return SQ_CORRUPT(ken_sq_of(b), err, what);
}

static ken_status check_segments(ken_store_backend *b, ken_segment_kind kind, ken_err *err)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    void *block = ken_arena_alloc(&arena, KEN_SEGMENT_BLOCK);
    ken_segment_info *segments = NULL;
    size_t n = 0;
    ken_status st = b->ops->list_segments(b, kind, &arena, &segments, &n, err);
    for (size_t i = 0; !st && i < n; i++)
        st = check_segment(b, &segments[i], block, err);
    ken_arena_release(&arena);
    return st;
}

// Rows that no writer of ours makes, table by table. The rows that name others were checked with
// the pages.
static ken_status check_memory(ken_sq *q, ken_err *err)
{
    static const struct {
        ken_sq_stmt which; // how many are wrong
        const char *what;
    } checks[] = {
        { KEN_SQ_CHECK_CHECKPOINTS, "a checkpoint" },
        { KEN_SQ_CHECK_CHECKPOINT_STATE, "the state of the checkpoints" },
        { KEN_SQ_CHECK_RULE_DOCUMENTS, "a document of rules" },
        { KEN_SQ_CHECK_RULES, "a rule" },
    };
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        int64_t n_wrong = 0;
        ken_status st = ken_store__sq_ask(q, checks[i].which, NULL, &n_wrong, err);
        if (st)
            return st;
        if (n_wrong)
            return SQ_CORRUPT(q, err, checks[i].what);
    }
    return KEN_OK;
}

ken_status ken_store__sq_verify(ken_store_backend *b, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    ken_status st = ken_store__sq_check_pages(q, err);
    if (!st)
        st = check_contents(q, err);
    if (!st)
        st = check_memory(q, err);
    if (!st)
        st = check_segments(b, KEN_SEGMENT_WORDS, err);
    if (!st)
        st = check_segments(b, KEN_SEGMENT_VECTORS, err);
    return st ? st : check_segments(b, KEN_SEGMENT_MENTIONS, err);
}
