// SPDX-License-Identifier: MIT
// The jobs of the catalog. What is queued or has ended is durable when the call returns; how far one that
// runs has come need not be.
#include "base/utf8.h"
#include "store/jobs.h"
#include "store/sqlite/sqlite_catalog_priv.h"

static ken_status read_job(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out, ken_err *err)
{
    bool is_bad = false;
    ken_job j = {
        .kind = ken_job_kind_of(ken_store__sq_text(st, 1)),
        .state = ken_job_state_of(ken_store__sq_text(st, 2)),
        .has_project = ken_store__sq_blob(st, 3).len > 0,
        .params = ken_store__sq_keep(st, 4, arena),
        .is_cancel_wanted = sqlite3_column_int64(st, 5) != 0,
        .n_tries = (uint32_t)ken_store__sq_u64(st, 6, UINT32_MAX, &is_bad),
        .n_done = ken_store__sq_u64(st, 7, INT64_MAX, &is_bad),
        .n_total = ken_store__sq_u64(st, 8, INT64_MAX, &is_bad),
        .milli_rate = ken_store__sq_u64(st, 9, INT64_MAX, &is_bad),
        .created_at_ms = sqlite3_column_int64(st, 10),
        .started_at_ms = sqlite3_column_int64(st, 11),
        .ended_at_ms = sqlite3_column_int64(st, 12),
        .message = ken_store__sq_keep(st, 13, arena),
        .error = ken_store__sq_keep(st, 14, arena),
    };
    if (is_bad || !j.kind || !j.state ||
        !ken_store__sq_fixed(st, 0, j.id.bytes, sizeof j.id.bytes) ||
        (j.has_project && !ken_store__sq_fixed(st, 3, j.project.bytes, sizeof j.project.bytes)))
        return SQ_CORRUPT(q, err, "a job has no usable id, kind, state or number");
    *(ken_job *)out = j;
    return KEN_OK;
}

static ken_sq_value project_of(const ken_job *j)
{
    return SQ_BLOB(j->project.bytes, j->has_project ? sizeof j->project.bytes : 0);
}

// Commits, and makes it durable.
static ken_status end_durably(ken_sq_catalog *c, ken_status st, ken_err *err)
{
    st = ken_store__catalog_end(c, st, err);
    return !st && c->q.is_wal ? ken_store__sq_sync_log(&c->q, err) : st;
}

ken_status ken_store__catalog_find_job(ken_catalog_backend *b, ken_uuid id, ken_arena *arena,
                                       ken_job *out, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_JOB_GET, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_BYTES(id)));
    return ken_store__sq_one(&c->q, st, read_job, arena, out, err);
}

ken_status ken_store__catalog_list_jobs(ken_catalog_backend *b, const ken_job_filter *f,
                                        ken_arena *arena, ken_job **out, size_t *out_n,
                                        ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    sqlite3_stmt *st = NULL;
    ken_job_state state = f->is_expired ? KEN_JOB_RUNNING : f->state;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_JOB_LIST, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(
        st, SQ_VALUES(f->project ? SQ_BYTES(*f->project) : SQ_NULL,
                      SQ_TEXT(ken_str_c(state ? ken_job_state_word(state) : "")),
                      SQ_INT(f->limit < KEN_JOBS_LISTED_MAX ? f->limit : KEN_JOBS_LISTED_MAX)));
    return SQ_ROWS(&c->q, st, read_job, arena, out, out_n, err);
}

typedef struct count_row {
    ken_job_kind kind;
    uint64_t n_queued, n_running;
} count_row;

static ken_status read_count(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out, ken_err *err)
{
    (void)arena;
    bool is_bad = false;
    const count_row r = { ken_job_kind_of(ken_store__sq_text(st, 0)),
                          ken_store__sq_u64(st, 1, INT64_MAX, &is_bad),
                          ken_store__sq_u64(st, 2, INT64_MAX, &is_bad) };
    *(count_row *)out = r;
    return r.kind && !is_bad ? KEN_OK : SQ_CORRUPT(q, err, "a job has no usable kind");
}

ken_status ken_store__catalog_count_jobs(ken_catalog_backend *b, const ken_uuid *project,
                                         ken_job_counts *out, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    sqlite3_stmt *st = NULL;
    ken_arena arena;
    count_row *rows = NULL;
    size_t n = 0;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_JOB_COUNT, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(project ? SQ_BYTES(*project) : SQ_NULL));
    ken_arena_init(&arena, 1024);
    s = SQ_ROWS(&c->q, st, read_count, &arena, &rows, &n, err);
    if (!s)
        *out = (ken_job_counts){ { 0 }, { 0 } };
    for (size_t i = 0; !s && i < n; i++) {
        out->n_queued[rows[i].kind] = rows[i].n_queued;
        out->n_running[rows[i].kind] = rows[i].n_running;
    }
    ken_arena_release(&arena);
    return s;
}

// ---- queueing ----------------------------------------------------------------------------------

static ken_status find_same(ken_sq_catalog *c, const ken_job *j, ken_arena *arena, ken_job *out,
                            ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_JOB_QUEUED_SAME, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_TEXT(ken_str_c(ken_job_kind_word(j->kind))), project_of(j),
                                     SQ_TEXT(j->params)));
    return ken_store__sq_one(&c->q, st, read_job, arena, out, err);
}

static ken_status insert(ken_sq_catalog *c, const ken_job *j, ken_err *err)
{
    int64_t n = 0;
    ken_status s = ken_store__sq_ask(&c->q, KEN_SQ_JOB_COUNT_QUEUED, NULL, &n, err);
    if (!s && n >= KEN_JOBS_QUEUED_MAX)
        s = KEN_FAIL(err, KEN_ELIMIT,
                     "%d jobs are queued, and no more are taken; wait, or cancel some with: ken "
                     "jobs cancel ID",
                     KEN_JOBS_QUEUED_MAX);
    if (s)
        return s;
    return ken_store__sq_write(
        &c->q, KEN_SQ_JOB_ADD,
        SQ_VALUES(SQ_BYTES(j->id), SQ_TEXT(ken_str_c(ken_job_kind_word(j->kind))), project_of(j),
                  SQ_TEXT(j->params), SQ_INT(j->n_tries), SQ_INT(j->created_at_ms)),
        err);
}

ken_status ken_store__catalog_add_job(ken_catalog_backend *b, const ken_job *j, ken_arena *arena,
                                      ken_job *out, bool *out_is_new, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_job row = { .kind = KEN_JOB_NONE };
    ken_status st = ken_store__catalog_begin(c, err);
    if (st)
        return st;
    st = find_same(c, j, arena, &row, err);
    bool is_new = st == KEN_ENOTFOUND;
    if (is_new)
        st = insert(c, j, err);
    if (!st && is_new)
        st = ken_store__catalog_find_job(b, j->id, arena, &row, err);
    st = end_durably(c, st, err);
    if (st)
        return st;
    *out = row;
    *out_is_new = is_new;
    return KEN_OK;
}

ken_status ken_store__catalog_put_job(ken_catalog_backend *b, const ken_job *j, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_status st = ken_store__catalog_begin(c, err);
    if (st)
        return st;
    st = ken_store__sq_write(
        &c->q, KEN_SQ_JOB_PUT,
        SQ_VALUES(SQ_BYTES(j->id), SQ_TEXT(ken_str_c(ken_job_kind_word(j->kind))),
                  SQ_TEXT(ken_str_c(ken_job_state_word(j->state))), project_of(j),
                  SQ_TEXT(j->params), SQ_INT(j->n_tries), SQ_INT(j->n_done), SQ_INT(j->n_total),
                  SQ_INT(j->milli_rate), SQ_INT(j->created_at_ms), SQ_INT(j->started_at_ms),
                  SQ_INT(j->ended_at_ms), SQ_TEXT(ken_utf8_clip(j->message, KEN_JOB_TEXT_MAX)),
                  SQ_TEXT(ken_utf8_clip(j->error, KEN_JOB_TEXT_MAX))),
        err);
    return end_durably(c, st, err);
}

// ---- from state to state -----------------------------------------------------------------------

// KEN_ENOTFOUND when a statement changed no row.
static ken_status check_changed(ken_sq_catalog *c, ken_status s)
{
    return s || sqlite3_changes(c->q.db) > 0 ? s : KEN_ENOTFOUND;
}

static ken_status change_at(ken_sq_catalog *c, ken_sq_stmt which, ken_uuid id, int64_t now_ms,
                            ken_err *err)
{
    return check_changed(
        c, ken_store__sq_write(&c->q, which, SQ_VALUES(SQ_BYTES(id), SQ_INT(now_ms)), err));
}

static ken_status claim(ken_sq_catalog *c, const ken_job_claim *claim, ken_arena *arena,
                        ken_job *out, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_JOB_NEXT, &st, err);
    if (!s)
        s = ken_store__sq_one(&c->q, st, read_job, arena, out, err);
    if (!s)
        s = change_at(c, KEN_SQ_JOB_START, out->id, claim->now_ms, err);
    out->state = KEN_JOB_RUNNING;
    out->started_at_ms = claim->now_ms;
    out->error = KEN_STR("");
    return s;
}

ken_status ken_store__catalog_claim_job(ken_catalog_backend *b, const ken_job_claim *how,
                                        ken_arena *arena, ken_job *out, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_job row = { .kind = KEN_JOB_NONE };
    ken_status st = ken_store__catalog_begin(c, err);
    if (!st)
        st = ken_store__catalog_end(c, claim(c, how, arena, &row, err), err);
    if (!st)
        *out = row;
    return st;
}

static ken_status note(ken_sq_catalog *c, const ken_job *j, bool *out_is_cancel_wanted,
                       ken_err *err)
{
    sqlite3_stmt *st = NULL;
    int64_t is_wanted = 0;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_JOB_NOTE, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_BYTES(j->id), SQ_INT(j->n_done), SQ_INT(j->n_total),
                                     SQ_INT(j->milli_rate),
                                     SQ_TEXT(ken_utf8_clip(j->message, KEN_JOB_TEXT_MAX))));
    s = ken_store__sq_load_number(&c->q, st, NULL, &is_wanted, err);
    if (!s)
        *out_is_cancel_wanted = is_wanted != 0;
    return s;
}

ken_status ken_store__catalog_note_job(ken_catalog_backend *b, const ken_job *j, uint32_t lease_ms,
                                       bool *out_is_cancel_wanted, ken_err *err)
{
    (void)lease_ms;
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_status st = ken_store__catalog_begin(c, err);
    return st ? st : ken_store__catalog_end(c, note(c, j, out_is_cancel_wanted, err), err);
}

static ken_status end_one(ken_sq_catalog *c, ken_uuid id, const ken_job_end *e, ken_err *err)
{
    const ken_sq_value error = SQ_TEXT(ken_utf8_clip(e->error, KEN_JOB_TEXT_MAX));
    ken_status s = KEN_ENOTFOUND;
    if (e->is_tried_again)
        s = check_changed(c, ken_store__sq_write(&c->q, KEN_SQ_JOB_AGAIN,
                                                 SQ_VALUES(SQ_BYTES(id), SQ_INT(e->counts), error),
                                                 err));
    if (s != KEN_ENOTFOUND)
        return s;
    return check_changed(
        c, ken_store__sq_write(
               &c->q, KEN_SQ_JOB_END,
               SQ_VALUES(SQ_BYTES(id), SQ_TEXT(ken_str_c(ken_job_state_word(e->state))),
                         SQ_INT(e->at_ms), SQ_TEXT(ken_utf8_clip(e->message, KEN_JOB_TEXT_MAX)),
                         error),
               err));
}

ken_status ken_store__catalog_end_job(ken_catalog_backend *b, const ken_job *j,
                                      const ken_job_end *e, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_status st = ken_store__catalog_begin(c, err);
    return st ? st : end_durably(c, end_one(c, j->id, e, err), err);
}

static ken_status cancel(ken_sq_catalog *c, ken_uuid id, int64_t now_ms, ken_arena *arena,
                         ken_job *out, ken_err *err)
{
    ken_status st = change_at(c, KEN_SQ_JOB_CANCEL_QUEUED, id, now_ms, err);
    if (st == KEN_ENOTFOUND)
        st = change_at(c, KEN_SQ_JOB_CANCEL_RUNNING, id, now_ms, err);
    return st && st != KEN_ENOTFOUND ? st
                                     : ken_store__catalog_find_job(&c->base, id, arena, out, err);
}

ken_status ken_store__catalog_cancel_job(ken_catalog_backend *b, ken_uuid id, int64_t now_ms,
                                         ken_arena *arena, ken_job *out, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_job row = { .kind = KEN_JOB_NONE };
    ken_status st = ken_store__catalog_begin(c, err);
    if (!st)
        st = end_durably(c, cancel(c, id, now_ms, arena, &row, err), err);
    if (!st)
        *out = row;
    return st;
}

ken_status ken_store__catalog_prune_jobs(ken_catalog_backend *b, int64_t before_ms, size_t keep,
                                         ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_status s = ken_store__catalog_begin(c, err);
    if (s)
        return s;
    s = ken_store__sq_write(&c->q, KEN_SQ_JOB_PRUNE, SQ_VALUES(SQ_INT(before_ms), SQ_INT(keep)),
                            err);
    return ken_store__catalog_end(c, s, err);
}
