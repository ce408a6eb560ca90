// SPDX-License-Identifier: MIT
// The jobs of the catalog. Any number of servers change them: a row goes from state to state by one
// UPDATE that names the state it must be in, and the fence of who runs it.
#include "base/utf8.h"
#include "store/jobs.h"
#include "store/postgres/postgres_catalog_priv.h"

static ken_status read_job(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    ken_job j = {
        .kind = ken_job_kind_of(ken_store__pg_bytes(row, 1)),
        .state = ken_job_state_of(ken_store__pg_bytes(row, 2)),
        .params = ken_store__pg_keep(row, 4, arena),
        .is_cancel_wanted = ken_store__pg_i64(row, 5) != 0,
        .n_tries = (uint32_t)ken_store__pg_u64(row, 6, UINT32_MAX),
        .n_done = ken_store__pg_u64(row, 7, INT64_MAX),
        .n_total = ken_store__pg_u64(row, 8, INT64_MAX),
        .milli_rate = ken_store__pg_u64(row, 9, INT64_MAX),
        .created_at_ms = ken_store__pg_ms(row, 10),
        .started_at_ms = ken_store__pg_ms(row, 11),
        .ended_at_ms = ken_store__pg_ms(row, 12),
        .message = ken_store__pg_keep(row, 13, arena),
        .error = ken_store__pg_keep(row, 14, arena),
        .fence = ken_store__pg_u64(row, 15, INT64_MAX),
        .worker = ken_store__pg_keep(row, 16, arena),
        .due_at_ms = ken_store__pg_ms(row, 17),
        .changed_at_ms = ken_store__pg_ms(row, 18),
    };
    ken_store__pg_fixed(row, 0, j.id.bytes, sizeof j.id.bytes);
    j.has_project = ken_store__pg_uuid(row, 3, &j.project);
    if (!j.kind || !j.state)
        return PG_CORRUPT(p, err, "a job has no usable kind or state");
    *(ken_job *)out = j;
    return KEN_OK;
}

static ken_pg_value project_of(const ken_job *j)
{
    return PG_IF(j->has_project, PG_UUID(j->project));
}

static ken_pg_value word_of(const char *word)
{
    return PG_TEXT(ken_str_c(word));
}

ken_status ken_store__pg_catalog_find_job(ken_catalog_backend *b, ken_uuid id, ken_arena *arena,
                                          ken_job *out, ken_err *err)
{
    ken_pg_catalog *c = ken_pg_catalog_of(b);
    return ken_store__pg_one(&c->p, PG_QUERY(JOB_GET, PG_UUID(id)), read_job, arena, out, err);
}

ken_status ken_store__pg_catalog_list_jobs(ken_catalog_backend *b, const ken_job_filter *f,
                                           ken_arena *arena, ken_job **out, size_t *out_n,
                                           ken_err *err)
{
    ken_pg_catalog *c = ken_pg_catalog_of(b);
    static const ken_uuid none;
    const ken_uuid *project = f->project ? f->project : &none;
    size_t limit = f->limit < KEN_JOBS_LISTED_MAX ? f->limit : KEN_JOBS_LISTED_MAX;
    return PG_ROWS(&c->p,
                   PG_QUERY(JOB_LIST, PG_IF(f->project, PG_UUID(*project)),
                            word_of(f->state ? ken_job_state_word(f->state) : ""), PG_INT(limit),
                            PG_INT(f->is_expired), PG_TIME_IF(f->changed_at_ms)),
                   read_job, arena, out, out_n, err);
}

typedef struct count_row {
    ken_job_kind kind;
    uint64_t n_queued, n_running;
} count_row;

static ken_status read_count(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)arena;
    *(count_row *)out =
        (count_row){ ken_job_kind_of(ken_store__pg_bytes(row, 0)),
                     ken_store__pg_u64(row, 1, INT64_MAX), ken_store__pg_u64(row, 2, INT64_MAX) };
    return ((count_row *)out)->kind ? KEN_OK : PG_CORRUPT(p, err, "a job has no usable kind");
}

ken_status ken_store__pg_catalog_count_jobs(ken_catalog_backend *b, const ken_uuid *project,
                                            ken_job_counts *out, ken_err *err)
{
    ken_pg_catalog *c = ken_pg_catalog_of(b);
    static const ken_uuid none;
    const ken_uuid *of = project ? project : &none;
    ken_arena arena;
    count_row *rows = NULL;
    size_t n = 0;
    ken_arena_init(&arena, 1024);
    ken_status st = PG_ROWS(&c->p, PG_QUERY(JOB_COUNT, PG_IF(project, PG_UUID(*of))), read_count,
                            &arena, &rows, &n, err);
    if (!st)
        *out = (ken_job_counts){ { 0 }, { 0 } };
    for (size_t i = 0; !st && i < n; i++) {
        out->n_queued[rows[i].kind] = rows[i].n_queued;
        out->n_running[rows[i].kind] = rows[i].n_running;
    }
    ken_arena_release(&arena);
    return st;
}

// ---- queueing ----------------------------------------------------------------------------------

typedef struct queueing {
    const ken_job *job;
    ken_arena *arena;
    ken_job row;
    bool is_new;
} queueing;

static ken_status insert(ken_pg_catalog *c, const ken_job *j, ken_err *err)
{
    int64_t n = 0;
    ken_status st =
        ken_store__pg_number(&c->p, &(ken_pg_query){ .which = KEN_PG_JOB_COUNT_QUEUED }, &n, err);
    if (!st && n >= KEN_JOBS_QUEUED_MAX)
        st = KEN_FAIL(err, KEN_ELIMIT,
                      "%d jobs are queued, and no more are taken; wait, or cancel some with: ken "
                      "jobs cancel ID",
                      KEN_JOBS_QUEUED_MAX);
    return st ? st
              : ken_store__pg_write(&c->p, KEN_PG_JOB_ADD,
                                    PG_VALUES(PG_UUID(j->id), word_of(ken_job_kind_word(j->kind)),
                                              project_of(j), PG_TEXT(j->params), PG_INT(j->n_tries),
                                              PG_TIME(j->created_at_ms)),
                                    NULL, err);
}

static ken_status queue(ken_pg_catalog *c, void *ctx, ken_err *err)
{
    queueing *q = ctx;
    ken_status st =
        ken_store__pg_write(&c->p, KEN_PG_JOB_TURN_LOCK, PG_VALUES(project_of(q->job)), NULL, err);
    if (st)
        return st;
    st = ken_store__pg_one(&c->p,
                           PG_QUERY(JOB_QUEUED_SAME, word_of(ken_job_kind_word(q->job->kind)),
                                    project_of(q->job), PG_TEXT(q->job->params)),
                           read_job, q->arena, &q->row, err);
    q->is_new = st == KEN_ENOTFOUND;
    if (!q->is_new)
        return st;
    st = insert(c, q->job, err);
    return st ? st : ken_store__pg_catalog_find_job(&c->base, q->job->id, q->arena, &q->row, err);
}

ken_status ken_store__pg_catalog_add_job(ken_catalog_backend *b, const ken_job *j, ken_arena *arena,
                                         ken_job *out, bool *out_is_new, ken_err *err)
{
    queueing q = { .job = j, .arena = arena };
    ken_status st = ken_store__pg_change(ken_pg_catalog_of(b), queue, &q, err);
    if (st)
        return st;
    *out = q.row;
    *out_is_new = q.is_new;
    return KEN_OK;
}

static ken_status put(ken_pg_catalog *c, void *ctx, ken_err *err)
{
    const ken_job *j = *(const ken_job **)ctx;
    ken_status st =
        ken_store__pg_write(&c->p, KEN_PG_JOB_TURN_LOCK, PG_VALUES(project_of(j)), NULL, err);
    return st ? st
              : ken_store__pg_write(
                    &c->p, KEN_PG_JOB_PUT,
                    PG_VALUES(PG_UUID(j->id), word_of(ken_job_kind_word(j->kind)),
                              word_of(ken_job_state_word(j->state)), project_of(j),
                              PG_TEXT(j->params), PG_INT(j->n_tries), PG_INT(j->n_done),
                              PG_INT(j->n_total), PG_INT(j->milli_rate), PG_TIME(j->created_at_ms),
                              PG_TIME_IF(j->started_at_ms), PG_TIME_IF(j->ended_at_ms),
                              PG_TEXT(ken_utf8_clip(j->message, KEN_JOB_TEXT_MAX)),
                              PG_TEXT(ken_utf8_clip(j->error, KEN_JOB_TEXT_MAX))),
                    NULL, err);
}

ken_status ken_store__pg_catalog_put_job(ken_catalog_backend *b, const ken_job *j, ken_err *err)
{
    return ken_store__pg_change(ken_pg_catalog_of(b), put, &j, err);
}

// ---- from state to state -----------------------------------------------------------------------

static ken_status read_uuid(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)arena, (void)err;
    ken_store__pg_fixed(row, 0, ((ken_uuid *)out)->bytes, sizeof(ken_uuid));
    return KEN_OK;
}

typedef struct claiming {
    const ken_job_claim *how;
    ken_arena *arena;
    ken_job row;
    bool is_late; // somebody else was faster: there may be another
} claiming;

static ken_status claim(ken_pg_catalog *c, void *ctx, ken_err *err)
{
    claiming *x = ctx;
    ken_uuid project;
    ken_status st = ken_store__pg_one(&c->p, &(ken_pg_query){ .which = KEN_PG_JOB_NEXT_TURN },
                                      read_uuid, NULL, &project, err);
    x->is_late = false;
    if (st)
        return st;
    st = ken_store__pg_one(&c->p,
                           PG_QUERY(JOB_CLAIM, PG_UUID(project), PG_TIME(x->how->now_ms),
                                    PG_TEXT(x->how->worker), PG_INT(x->how->lease_ms)),
                           read_job, x->arena, &x->row, err);
    x->is_late = st == KEN_ENOTFOUND;
    return st ? st
              : ken_store__pg_write(&c->p, KEN_PG_JOB_SERVED, PG_VALUES(PG_UUID(project)), NULL,
                                    err);
}

ken_status ken_store__pg_catalog_claim_job(ken_catalog_backend *b, const ken_job_claim *how,
                                           ken_arena *arena, ken_job *out, ken_err *err)
{
    claiming x = { .how = how, .arena = arena };
    ken_status st = KEN_OK;
    do
        st = ken_store__pg_change(ken_pg_catalog_of(b), claim, &x, err);
    while (st && x.is_late);
    if (!st)
        *out = x.row;
    return st;
}

typedef struct noting {
    const ken_job *job;
    uint32_t lease_ms;
    int64_t is_cancel_wanted;
} noting;

// How far it has come need not be on disk.
static ken_status note(ken_pg_catalog *c, void *ctx, ken_err *err)
{
    noting *n = ctx;
    const ken_job *j = n->job;
    ken_status st =
        ken_store__pg_write(&c->p, KEN_PG_SET_SYNC, PG_VALUES(word_of("off")), NULL, err);
    return st ? st
              : ken_store__pg_number(&c->p,
                                     PG_QUERY(JOB_NOTE, PG_UUID(j->id), PG_INT(j->fence),
                                              PG_INT(j->n_done), PG_INT(j->n_total),
                                              PG_INT(j->milli_rate),
                                              PG_TEXT(ken_utf8_clip(j->message, KEN_JOB_TEXT_MAX)),
                                              PG_INT(n->lease_ms)),
                                     &n->is_cancel_wanted, err);
}

ken_status ken_store__pg_catalog_note_job(ken_catalog_backend *b, const ken_job *j,
                                          uint32_t lease_ms, bool *out_is_cancel_wanted,
                                          ken_err *err)
{
    noting n = { .job = j, .lease_ms = lease_ms };
    ken_status st = ken_store__pg_change(ken_pg_catalog_of(b), note, &n, err);
    if (!st)
        *out_is_cancel_wanted = n.is_cancel_wanted != 0;
    return st;
}

typedef struct ending {
    const ken_job *job;
    const ken_job_end *end;
} ending;

// 0 rows: it may not be, or is another's by now.
static ken_status queue_again(ken_pg_catalog *c, const ending *x, uint64_t *out_n, ken_err *err)
{
    const ken_job_end *e = x->end;
    int64_t n_locked = 0;
    ken_status st = ken_store__pg_number(&c->p, PG_QUERY(JOB_TURN_LOCK_OF, PG_UUID(x->job->id)),
                                         &n_locked, err);
    return st ? st
              : ken_store__pg_write(&c->p, KEN_PG_JOB_AGAIN,
                                    PG_VALUES(PG_UUID(x->job->id), PG_INT(x->job->fence),
                                              PG_INT(e->counts),
                                              PG_TEXT(ken_utf8_clip(e->error, KEN_JOB_TEXT_MAX)),
                                              PG_INT(e->wait_ms), PG_INT(e->needs_expired)),
                                    out_n, err);
}

static ken_status end_job(ken_pg_catalog *c, void *ctx, ken_err *err)
{
    const ending *x = ctx;
    const ken_job_end *e = x->end;
    uint64_t n = 0;
    ken_status st = e->is_tried_again ? queue_again(c, x, &n, err) : KEN_OK;
    if (st || n)
        return st;
    // One that was not queued again may have been by somebody else, who found it lost, too: that stays.
    bool may_wait = !e->is_tried_again && !e->needs_expired;
    st = ken_store__pg_write(&c->p, KEN_PG_JOB_END,
                             PG_VALUES(PG_UUID(x->job->id), PG_INT(x->job->fence),
                                       word_of(ken_job_state_word(e->state)), PG_TIME(e->at_ms),
                                       PG_TEXT(ken_utf8_clip(e->message, KEN_JOB_TEXT_MAX)),
                                       PG_TEXT(ken_utf8_clip(e->error, KEN_JOB_TEXT_MAX)),
                                       PG_INT(e->needs_expired), PG_INT(may_wait)),
                             &n, err);
    return st || n ? st : KEN_ENOTFOUND;
}

ken_status ken_store__pg_catalog_end_job(ken_catalog_backend *b, const ken_job *j,
                                         const ken_job_end *e, ken_err *err)
{
    ending x = { .job = j, .end = e };
    return ken_store__pg_change(ken_pg_catalog_of(b), end_job, &x, err);
}

typedef struct cancelling {
    ken_uuid id;
    int64_t now_ms;
    ken_arena *arena;
    ken_job row;
} cancelling;

static ken_status cancel(ken_pg_catalog *c, void *ctx, ken_err *err)
{
    cancelling *x = ctx;
    ken_status st = ken_store__pg_write(&c->p, KEN_PG_JOB_CANCEL,
                                        PG_VALUES(PG_UUID(x->id), PG_TIME(x->now_ms)), NULL, err);
    return st ? st : ken_store__pg_catalog_find_job(&c->base, x->id, x->arena, &x->row, err);
}

ken_status ken_store__pg_catalog_cancel_job(ken_catalog_backend *b, ken_uuid id, int64_t now_ms,
                                            ken_arena *arena, ken_job *out, ken_err *err)
{
    cancelling x = { .id = id, .now_ms = now_ms, .arena = arena };
    ken_status st = ken_store__pg_change(ken_pg_catalog_of(b), cancel, &x, err);
    if (!st)
        *out = x.row;
    return st;
}

ken_status ken_store__pg_catalog_prune_jobs(ken_catalog_backend *b, int64_t before_ms, size_t keep,
                                            ken_err *err)
{
    const ken_pg_query *q =
        PG_QUERY(JOB_PRUNE, PG_TIME(before_ms), PG_INT(keep < INT64_MAX ? keep : INT64_MAX));
    ken_status st = ken_store__pg_change_row(ken_pg_catalog_of(b), q, err);
    return st == KEN_ENOTFOUND ? KEN_OK : st;
}
