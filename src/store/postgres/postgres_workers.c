// SPDX-License-Identifier: MIT
// Rows of workers and of runs that write indexes.
#include "store/postgres/postgres_catalog_priv.h"
#include "store/postgres/postgres_index_priv.h"
#include "store/workers.h"

// A session for one question or change.
static void open_session(ken_pg *p, ken_database *db, const char *what)
{
    ken_store__pg_init(p, db, what, "ken", 0);
    p->idle_ms = KEN_PG_BRIEF_MS;
}

static ken_status change_once(ken_pg *p, const ken_pg_query *q, uint64_t *out_n, ken_err *err)
{
    p->failure = KEN_PG_REFUSED;
    ken_store__pg_begin(p, KEN_PG_TX_WRITE);
    ken_status st =
        ken_store__pg_write(p, KEN_PG_SET_SYNC, PG_VALUES(PG_TEXT(KEN_STR("off"))), NULL, err);
    if (!st)
        st = ken_store__pg_write(p, q->which, q->values, q->n, out_n, err);
    if (!st)
        st = ken_store__pg_end(p, err);
    ken_store__pg_rollback(p);
    return st;
}

// It need not be on disk: whoever has lost a lease in a crash of the server commits nothing more. What was refused
// for another transaction is done again; what a lost connection left is not known, and the caller's to judge.
static ken_status change(ken_database *db, const char *what, const ken_pg_query *q, uint64_t *out_n,
                         ken_err *err)
{
    ken_pg p;
    ken_err why = { 0 };
    open_session(&p, db, what);
    ken_status st = change_once(&p, q, out_n, &why);
    for (int n = 1; st && p.failure == KEN_PG_CONFLICT && ken_store__wait_again(n); n++) {
        why = (ken_err){ 0 };
        st = change_once(&p, q, out_n, &why);
    }
    ken_store__pg_release(&p);
    if (st && err && why.status)
        *err = why;
    return st;
}

// ---- workers -----------------------------------------------------------------------------------

ken_status ken_database_put_worker(ken_database *db, const ken_worker *w, uint32_t lease_ms,
                                   ken_err *err)
{
    const ken_pg_query *put =
        PG_QUERY(WORKER_PUT, PG_UUID(w->id), PG_TEXT(w->name), PG_TEXT(w->kind),
                 PG_TEXT(w->version), PG_INT(w->max_running), PG_INT(w->n_running),
                 PG_INT(w->n_done), PG_INT(w->n_failed), PG_INT(lease_ms));
    ken_status st = change(db, "workers", put, NULL, err);
    return st ? st
              : change(db, "workers", &(ken_pg_query){ .which = KEN_PG_WORKER_PRUNE }, NULL, err);
}

ken_status ken_database_remove_worker(ken_database *db, ken_uuid id, ken_err *err)
{
    return change(db, "workers", PG_QUERY(WORKER_REMOVE, PG_UUID(id)), NULL, err);
}

static ken_status read_worker(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)err;
    ken_worker w = {
        .name = ken_store__pg_keep(row, 1, arena),
        .kind = ken_store__pg_keep(row, 2, arena),
        .version = ken_store__pg_keep(row, 3, arena),
        .max_running = (uint32_t)ken_store__pg_u64(row, 4, UINT32_MAX),
        .n_running = (uint32_t)ken_store__pg_u64(row, 5, UINT32_MAX),
        .n_done = ken_store__pg_u64(row, 6, INT64_MAX),
        .n_failed = ken_store__pg_u64(row, 7, INT64_MAX),
        .started_at_ms = ken_store__pg_ms(row, 8),
        .seen_at_ms = ken_store__pg_ms(row, 9),
        .is_alive = ken_store__pg_i64(row, 10) != 0,
    };
    ken_store__pg_fixed(row, 0, w.id.bytes, sizeof w.id.bytes);
    *(ken_worker *)out = w;
    return KEN_OK;
}

ken_status ken_database_list_workers(ken_database *db, ken_arena *arena, ken_worker **out,
                                     size_t *out_n, ken_err *err)
{
    ken_pg p;
    open_session(&p, db, "workers");
    ken_status st = PG_ROWS(&p, &(ken_pg_query){ .which = KEN_PG_WORKER_LIST }, read_worker, arena,
                            out, out_n, err);
    ken_store__pg_release(&p);
    return st;
}

ken_status ken_database_count_workers(ken_database *db, int64_t *out, ken_err *err)
{
    ken_pg p;
    open_session(&p, db, "workers");
    ken_status st =
        ken_store__pg_number(&p, &(ken_pg_query){ .which = KEN_PG_WORKER_COUNT }, out, err);
    ken_store__pg_release(&p);
    return st;
}

// ---- runs --------------------------------------------------------------------------------------

typedef struct run_row {
    ken_str holder, note, session;
    bool is_over; // its lease is
} run_row;

static ken_status read_run(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)err;
    *(run_row *)out = (run_row){ .holder = ken_store__pg_keep(row, 0, arena),
                                 .note = ken_store__pg_keep(row, 1, arena),
                                 .is_over = ken_store__pg_i64(row, 2) != 0,
                                 .session = ken_store__pg_keep(row, 3, arena) };
    return KEN_OK;
}

static ken_status find_row(ken_database *db, ken_str index, ken_str place, ken_arena *arena,
                           run_row *out, ken_err *err)
{
    ken_pg p;
    open_session(&p, db, "runs");
    ken_status st = ken_store__pg_one(&p, PG_QUERY(RUN_FIND, PG_TEXT(index), PG_TEXT(place)),
                                      read_run, arena, out, err);
    ken_store__pg_release(&p);
    return st;
}

// What a process that is gone, or sleeps, left open. Where we may not end it, it ends by itself.
static void evict(ken_database *db, const run_row *was, uint32_t silent_ms)
{
    const ken_pg_query *q = PG_QUERY(RUN_EVICT, PG_TEXT(was->session), PG_INT(silent_ms));
    (void)!change(db, "runs", q, NULL, NULL);
}

static ken_status refuse(const ken_database *db, const ken_index_lease *l, const run_row *by,
                         ken_err *err)
{
    return KEN_FAIL(err, KEN_EBUSY,
                    "'" KEN_STR_FMT "' is writing the index '" KEN_STR_FMT "' in %s",
                    KEN_STR_ARG(by->holder), KEN_STR_ARG(l->index), ken_database_name(db));
}

static ken_status take(ken_database *db, const ken_index_lease *l, ken_arena *arena, ken_err *err)
{
    uint64_t n = 0;
    run_row was = { .is_over = false };
    ken_status st = find_row(db, l->index, l->place, arena, &was, err);
    if (st && st != KEN_ENOTFOUND)
        return st;
    if (!st && !was.is_over)
        return refuse(db, l, &was, err);
    if (!st)
        evict(db, &was, l->lease_ms / 2);
    const ken_pg_query *q = PG_QUERY(
        RUN_TAKE, PG_TEXT(l->index), PG_TEXT(l->place), PG_UUID(l->run), PG_TEXT(l->holder),
        PG_TEXT(ken_str_c(ken_store__pg_session_name(db))), PG_INT(l->lease_ms));
    st = change(db, "runs", q, &n, err);
    return st || n ? st : refuse(db, l, &(run_row){ .holder = KEN_STR("another process") }, err);
}

ken_status ken_database_take_run(ken_database *db, const ken_index_lease *l, ken_err *err)
{
    ken_arena arena;
    ken_arena_init(&arena, 1024);
    ken_status st = take(db, l, &arena, err);
    ken_arena_release(&arena);
    return st;
}

ken_status ken_database_keep_run(ken_database *db, const ken_index_lease *l, ken_str note,
                                 ken_err *err)
{
    uint64_t n = 0;
    ken_status st = change(
        db, "runs",
        PG_QUERY(RUN_KEEP, PG_TEXT(l->index), PG_UUID(l->run), PG_TEXT(note), PG_INT(l->lease_ms)),
        &n, err);
    return st || n ? st : KEN_ENOTFOUND;
}

ken_status ken_database_end_run(ken_database *db, const ken_index_lease *l, ken_err *err)
{
    return change(db, "runs", PG_QUERY(RUN_END, PG_TEXT(l->index), PG_UUID(l->run)), NULL, err);
}

ken_status ken_database_find_run(ken_database *db, ken_str index, ken_arena *arena,
                                 ken_str *out_holder, ken_str *out_note, ken_err *err)
{
    run_row row = { .is_over = false };
    ken_status st = find_row(db, index, KEN_STR(""), arena, &row, err);
    if (st || row.is_over)
        return st ? st : KEN_ENOTFOUND;
    *out_holder = row.holder;
    *out_note = row.note;
    return KEN_OK;
}

// In the transaction that commits, after all else.
ken_status ken_store__pg_check_run(ken_pg_index *x, ken_err *err)
{
    int64_t n = 0;
    if (ken_uuid_eq(x->run, (ken_uuid){ { 0 } }))
        return KEN_OK;
    ken_status st = ken_store__pg_number(
        &x->p, PG_QUERY(RUN_CHECK, PG_TEXT(ken_str_c(x->p.name)), PG_UUID(x->run)), &n, err);
    if (st || n)
        return st;
    return KEN_FAIL(
        err, KEN_EBUSY,
        "another process has taken over the index '%s', as nothing was heard of this run for "
        "longer than jobs.lease_seconds: what it would have written was not kept",
        x->p.name);
}
