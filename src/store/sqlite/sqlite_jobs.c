// SPDX-License-Identifier: MIT
// The jobs of the catalog. What is queued or has ended is durable when the call returns; how far one that
// runs has come need not be.
#include "base/utf8.h"
#include "base/vec.h"
#include "store/jobs.h"
#include "store/sqlite/sqlite_catalog_priv.h"

typedef KEN_VEC(ken_job) job_vec;

static ken_status read_job(ken_sq_catalog *c, sqlite3_stmt *st, ken_arena *arena, ken_job *out,
                           ken_err *err)
{
    ken_str uuid = ken_store__sq_blob(st, 0), project = ken_store__sq_blob(st, 3);
    bool is_bad = uuid.len != sizeof out->id.bytes ||
                  (project.len && project.len != sizeof out->project.bytes);
    ken_job j = {
        .kind = ken_job_kind_of(ken_store__sq_text(st, 1)),
        .state = ken_job_state_of(ken_store__sq_text(st, 2)),
        .has_project = project.len > 0,
        .params = ken_arena_dup(arena, ken_store__sq_text(st, 4)),
        .is_cancel_wanted = sqlite3_column_int64(st, 5) != 0,
        .n_tries = (uint32_t)ken_store__sq_u64(st, 6, UINT32_MAX, &is_bad),
        .n_done = ken_store__sq_u64(st, 7, INT64_MAX, &is_bad),
        .n_total = ken_store__sq_u64(st, 8, INT64_MAX, &is_bad),
        .milli_rate = ken_store__sq_u64(st, 9, INT64_MAX, &is_bad),
        .created_at_ms = sqlite3_column_int64(st, 10),
        .started_at_ms = sqlite3_column_int64(st, 11),
        .ended_at_ms = sqlite3_column_int64(st, 12),
        .message = ken_arena_dup(arena, ken_store__sq_text(st, 13)),
        .error = ken_arena_dup(arena, ken_store__sq_text(st, 14)),
    };
    if (is_bad || !j.kind || !j.state)
        return SQ_CORRUPT(&c->q, err, "a job has no usable id, kind, state or number");
    memcpy(j.id.bytes, uuid.ptr, sizeof j.id.bytes);
    if (project.len)
        memcpy(j.project.bytes, project.ptr, sizeof j.project.bytes);
    *out = j;
    return KEN_OK;
}

static void bind_project(sqlite3_stmt *st, int at, const ken_job *j)
{
    ken_store__sq_bind_blob(st, at, j->project.bytes, j->has_project ? sizeof j->project.bytes : 0);
}

static void bind_id(sqlite3_stmt *st, ken_uuid *id)
{
    ken_store__sq_bind_blob(st, 1, id->bytes, sizeof id->bytes);
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
    bind_id(st, &id);
    s = SQ_ROW(&c->q, st, NULL, err);
    if (!s)
        s = read_job(c, st, arena, out, err);
    ken_store__sq_done(st);
    return s;
}

ken_status ken_store__catalog_list_jobs(ken_catalog_backend *b, const ken_job_filter *f,
                                        ken_arena *arena, ken_job **out, size_t *out_n,
                                        ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_JOB_LIST, &st, err);
    if (s)
        return s;
    if (f->project)
        ken_store__sq_bind_blob(st, 1, f->project->bytes, sizeof f->project->bytes);
    ken_store__sq_bind_text(st, 2,
                            f->state ? ken_str_c(ken_job_state_word(f->state)) : KEN_STR(""));
    sqlite3_bind_int64(st, 3, f->is_oldest_first ? 1 : -1);
    sqlite3_bind_int64(st, 4,
                       f->limit < KEN_JOBS_LISTED_MAX ? (int64_t)f->limit : KEN_JOBS_LISTED_MAX);
    job_vec rows = { 0 };
    int rc = sqlite3_step(st);
    for (; !s && rc == SQLITE_ROW; rc = sqlite3_step(st)) {
        ken_job j;
        s = read_job(c, st, arena, &j, err);
        if (!s)
            ken_vec_push(&rows, j);
    }
    if (!s && rc != SQLITE_DONE)
        s = SQ_FAIL(&c->q, rc, err, "reading");
    if (!s) {
        *out = ken_arena_copy(arena, rows.ptr, rows.len, sizeof **out);
        *out_n = rows.len;
    }
    ken_store__sq_done(st);
    ken_vec_release(&rows);
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
    ken_store__sq_bind_text(st, 1, ken_str_c(ken_job_kind_word(j->kind)));
    bind_project(st, 2, j);
    ken_store__sq_bind_text(st, 3, j->params);
    s = SQ_ROW(&c->q, st, NULL, err);
    if (!s)
        s = read_job(c, st, arena, out, err);
    ken_store__sq_done(st);
    return s;
}

static ken_status insert(ken_sq_catalog *c, const ken_job *j, ken_err *err)
{
    int64_t n = 0;
    sqlite3_stmt *st = NULL;
    ken_uuid id = j->id;
    ken_status s = ken_store__sq_ask(&c->q, KEN_SQ_JOB_COUNT_QUEUED, NULL, &n, err);
    if (!s && n >= KEN_JOBS_QUEUED_MAX)
        s = KEN_FAIL(err, KEN_ELIMIT,
                     "%d jobs are queued, and no more are taken; wait, or cancel some with: ken "
                     "jobs cancel ID",
                     KEN_JOBS_QUEUED_MAX);
    if (!s)
        s = ken_store__catalog_get(c, KEN_SQ_JOB_ADD, &st, err);
    if (s)
        return s;
    bind_id(st, &id);
    ken_store__sq_bind_text(st, 2, ken_str_c(ken_job_kind_word(j->kind)));
    bind_project(st, 3, j);
    ken_store__sq_bind_text(st, 4, j->params);
    sqlite3_bind_int64(st, 5, j->n_tries);
    sqlite3_bind_int64(st, 6, j->created_at_ms);
    return ken_store__sq_run(&c->q, st, "writing to", err);
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

// ---- from state to state -----------------------------------------------------------------------

// Runs a statement whose first parameter is the id; KEN_ENOTFOUND when it changed no row.
static ken_status change(ken_sq_catalog *c, sqlite3_stmt *st, ken_uuid id, ken_err *err)
{
    bind_id(st, &id);
    ken_status s = ken_store__sq_run(&c->q, st, "writing to", err);
    return s || sqlite3_changes(c->q.db) > 0 ? s : KEN_ENOTFOUND;
}

static ken_status change_at(ken_sq_catalog *c, ken_sq_stmt which, ken_uuid id, int64_t now_ms,
                            ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__catalog_get(c, which, &st, err);
    if (s)
        return s;
    if (sqlite3_bind_parameter_count(st) > 1)
        sqlite3_bind_int64(st, 2, now_ms);
    return change(c, st, id, err);
}

ken_status ken_store__catalog_start_job(ken_catalog_backend *b, ken_uuid id, int64_t now_ms,
                                        ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_status st = ken_store__catalog_begin(c, err);
    return st ? st
              : ken_store__catalog_end(c, change_at(c, KEN_SQ_JOB_START, id, now_ms, err), err);
}

static ken_status note(ken_sq_catalog *c, const ken_job *j, bool *out_is_cancel_wanted,
                       ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_uuid id = j->id;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_JOB_NOTE, &st, err);
    if (s)
        return s;
    bind_id(st, &id);
    sqlite3_bind_int64(st, 2, (int64_t)j->n_done);
    sqlite3_bind_int64(st, 3, (int64_t)j->n_total);
    sqlite3_bind_int64(st, 4, (int64_t)j->milli_rate);
    ken_store__sq_bind_text(st, 5, ken_utf8_clip(j->message, KEN_JOB_TEXT_MAX));
    s = SQ_ROW(&c->q, st, NULL, err);
    if (!s)
        *out_is_cancel_wanted = sqlite3_column_int64(st, 0) != 0;
    ken_store__sq_done(st);
    return s;
}

ken_status ken_store__catalog_note_job(ken_catalog_backend *b, const ken_job *j,
                                       bool *out_is_cancel_wanted, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_status st = ken_store__catalog_begin(c, err);
    return st ? st : ken_store__catalog_end(c, note(c, j, out_is_cancel_wanted, err), err);
}

static ken_status end_one(ken_sq_catalog *c, ken_uuid id, const ken_job_end *e, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_uuid next = e->next;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_JOB_END, &st, err);
    if (s)
        return s;
    ken_store__sq_bind_text(st, 2, ken_str_c(ken_job_state_word(e->state)));
    sqlite3_bind_int64(st, 3, e->at_ms);
    ken_store__sq_bind_text(st, 4, ken_utf8_clip(e->message, KEN_JOB_TEXT_MAX));
    ken_store__sq_bind_text(st, 5, ken_utf8_clip(e->error, KEN_JOB_TEXT_MAX));
    s = change(c, st, id, err);
    if (s || !e->is_tried_again)
        return s;
    s = ken_store__catalog_get(c, KEN_SQ_JOB_ADD_AGAIN, &st, err);
    if (s)
        return s;
    bind_id(st, &id);
    ken_store__sq_bind_blob(st, 2, next.bytes, sizeof next.bytes);
    sqlite3_bind_int64(st, 3, e->at_ms);
    return ken_store__sq_run(&c->q, st, "writing to", err);
}

ken_status ken_store__catalog_end_job(ken_catalog_backend *b, ken_uuid id, const ken_job_end *e,
                                      ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_status st = ken_store__catalog_begin(c, err);
    return st ? st : end_durably(c, end_one(c, id, e, err), err);
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
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__catalog_begin(c, err);
    if (s)
        return s;
    s = ken_store__catalog_get(c, KEN_SQ_JOB_PRUNE, &st, err);
    if (!s) {
        sqlite3_bind_int64(st, 1, before_ms);
        sqlite3_bind_int64(st, 2, (int64_t)keep);
        s = ken_store__sq_run(&c->q, st, "writing to", err);
    }
    return ken_store__catalog_end(c, s, err);
}
