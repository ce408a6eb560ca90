// SPDX-License-Identifier: MIT
// The catalog in a database: opening, transactions, projects. The server's log is its journal.
#include <string.h>

#include "base/alloc.h"
#include "base/path.h"
#include "store/postgres/postgres_catalog_priv.h"

enum {
    NAME_BYTES = KEN_UUID_TEXT + 16, // of an index
};

#define LOCKS INT64_C(5424460342) // the first of them

// ---- transactions ------------------------------------------------------------------------------

static ken_status end(ken_pg *p, ken_err *err)
{
    ken_status st = ken_store__pg_end(p, err);
    if (!st || p->failure != KEN_PG_LOST)
        return st;
    p->failure = KEN_PG_REFUSED; // done again it might be done twice
    return KEN_FAIL(err, KEN_EIO,
                    "the connection to %s was lost while a change was being committed: it is not "
                    "known whether it was kept; look before you try again",
                    ken_database_name(p->db));
}

static ken_status try_once(ken_pg_catalog *c, ken_pg_tx tx, ken_pg_work_fn *work, void *ctx,
                           ken_err *err)
{
    c->p.failure = KEN_PG_REFUSED;
    ken_store__pg_begin(&c->p, tx);
    ken_status st = work(c, ctx, err);
    if (!st)
        st = end(&c->p, err);
    ken_store__pg_rollback(&c->p);
    return st;
}

static ken_status run(ken_pg_catalog *c, ken_pg_tx tx, ken_pg_work_fn *work, void *ctx,
                      ken_err *err)
{
    ken_err why = { 0 };
    ken_status st = try_once(c, tx, work, ctx, &why);
    for (int n = 1; st && c->p.failure && ken_store__wait_again(n); n++) {
        why = (ken_err){ 0 };
        st = try_once(c, tx, work, ctx, &why);
    }
    if (st && err && why.status)
        *err = why;
    return st;
}

ken_status ken_store__pg_change(ken_pg_catalog *c, ken_pg_work_fn *work, void *ctx, ken_err *err)
{
    if (c->is_read_only)
        return KEN_FAIL(err, KEN_EPERM, "the project list in %s is opened for reading only",
                        ken_database_name(c->p.db));
    return run(c, KEN_PG_TX_WRITE, work, ctx, err);
}

ken_status ken_store__pg_ask(ken_pg_catalog *c, ken_pg_work_fn *work, void *ctx, ken_err *err)
{
    return run(c, KEN_PG_TX_READ, work, ctx, err);
}

static ken_status change_row(ken_pg_catalog *c, void *ctx, ken_err *err)
{
    const ken_pg_query *q = ctx;
    uint64_t n = 0;
    ken_status st = ken_store__pg_write(&c->p, q->which, q->values, q->n, &n, err);
    return st || n ? st : KEN_ENOTFOUND;
}

ken_status ken_store__pg_change_row(ken_pg_catalog *c, const ken_pg_query *q, ken_err *err)
{
    ken_pg_query own = *q;
    return ken_store__pg_change(c, change_row, &own, err);
}

ken_status ken_store__pg_lock(ken_pg_catalog *c, int64_t what, ken_err *err)
{
    return ken_store__pg_write(&c->p, KEN_PG_CATALOG_LOCK, PG_VALUES(PG_INT(LOCKS + what)), NULL,
                               err);
}

// ---- values ------------------------------------------------------------------------------------

ken_str ken_store__pg_as_kept(ken_str s, ken_arena *arena)
{
    ken_buf kept = { 0 };
    if (!s.ptr)
        return s;
    ken_store__pg_put(&kept, &PG_TEXT(s));
    s = ken_arena_dup(arena, ken_str_n(kept.ptr, kept.len));
    ken_buf_release(&kept);
    return s;
}

ken_str ken_store__pg_keep_some(ken_pg_row *row, int col, ken_arena *arena)
{
    const ken_str none = { 0 };
    return ken_store__pg_is_null(row, col) ? none : ken_store__pg_keep(row, col, arena);
}

bool ken_store__pg_uuid(ken_pg_row *row, int col, ken_uuid *out)
{
    if (ken_store__pg_is_null(row, col))
        return false;
    ken_store__pg_fixed(row, col, out->bytes, sizeof out->bytes);
    return true;
}

// ---- projects ----------------------------------------------------------------------------------

// What SQLite's files are called, too.
static ken_str index_name(ken_uuid id, ken_arena *arena)
{
    char text[KEN_UUID_TEXT];
    ken_uuid_format(id, text);
    return ken_arena_printf(arena, "project-%s", text);
}

static ken_status read_project(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out,
                               ken_err *err)
{
    (void)p, (void)err;
    ken_catalog_row r = {
        .name = ken_store__pg_keep(row, 1, arena),
        .root = ken_store__pg_keep(row, 2, arena),
        .created_at_ms = ken_store__pg_ms(row, 3),
        .indexed_at_ms = ken_store__pg_ms(row, 4),
        .is_active = ken_store__pg_i64(row, 5) != 0,
    };
    ken_store__pg_fixed(row, 0, r.id.bytes, sizeof r.id.bytes);
    if (!ken_store__pg_uuid(row, 6, &r.index_of))
        r.index_of = r.id;
    r.notes_path = index_name(r.id, arena);
    r.database = p->db;
    r.db_path = index_name(r.index_of, arena);
    *(ken_catalog_row *)out = r;
    return KEN_OK;
}

ken_status ken_store__pg_catalog_list(ken_catalog_backend *b, ken_arena *arena,
                                      ken_catalog_row **out, size_t *out_n, ken_err *err)
{
    ken_pg_catalog *c = ken_pg_catalog_of(b);
    return PG_ROWS(&c->p, &(ken_pg_query){ .which = KEN_PG_PROJECT_LIST }, read_project, arena, out,
                   out_n, err);
}

ken_status ken_store__pg_catalog_find_by_root(ken_catalog_backend *b, ken_str root,
                                              ken_arena *arena, ken_catalog_row *out, ken_err *err)
{
    ken_pg_catalog *c = ken_pg_catalog_of(b);
    return ken_store__pg_one(&c->p, PG_QUERY(PROJECT_BY_ROOT, PG_BYTES(root)), read_project, arena,
                             out, err);
}

ken_status ken_store__pg_catalog_find_by_id(ken_catalog_backend *b, ken_uuid id, ken_arena *arena,
                                            ken_catalog_row *out, ken_err *err)
{
    ken_pg_catalog *c = ken_pg_catalog_of(b);
    return ken_store__pg_one(&c->p, PG_QUERY(PROJECT_BY_ID, PG_UUID(id)), read_project, arena, out,
                             err);
}

// ---- adding projects ---------------------------------------------------------------------------

typedef struct addition {
    ken_uuid id;
    ken_str root, name;
    int64_t now_ms;
    ken_arena *arena;
    ken_catalog_row row; // as it is then
} addition;

// `*out_n` is 0 when there is one of that id or root.
static ken_status insert(ken_pg_catalog *c, const addition *a, uint64_t *out_n, ken_err *err)
{
    ken_str base = ken_path_base(a->root), name = a->name;
    if (!name.len)
        name = base.len ? base : a->root;
    return ken_store__pg_write(
        &c->p, KEN_PG_PROJECT_ADD,
        PG_VALUES(PG_UUID(a->id), PG_TEXT(name), PG_BYTES(a->root), PG_TIME(a->now_ms)), out_n,
        err);
}

static ken_status find_added(ken_pg_catalog *c, addition *a, ken_err *err)
{
    return ken_store__pg_catalog_find_by_root(&c->base, a->root, a->arena, &a->row, err);
}

static bool is_renamed(const addition *a)
{
    return a->name.len && !ken_str_eq(a->name, a->row.name);
}

static ken_status get_or_insert(ken_pg_catalog *c, void *ctx, ken_err *err)
{
    addition *a = ctx;
    uint64_t n = 0;
    ken_status st = insert(c, a, &n, err);
    if (!st)
        st = find_added(c, a, err);
    if (st || !is_renamed(a))
        return st;
    st = ken_store__pg_write(&c->p, KEN_PG_PROJECT_RENAME,
                             PG_VALUES(PG_UUID(a->row.id), PG_TEXT(a->name)), NULL, err);
    return st ? st : find_added(c, a, err);
}

ken_status ken_store__pg_catalog_add(ken_catalog_backend *b, ken_str root, ken_str name,
                                     int64_t now_ms, ken_arena *arena, ken_catalog_row *out,
                                     ken_err *err)
{
    ken_pg_catalog *c = ken_pg_catalog_of(b);
    addition a = { .id = ken_uuid_random(),
                   .root = root,
                   .name = ken_store__pg_as_kept(name, arena),
                   .now_ms = now_ms,
                   .arena = arena };
    ken_status st = find_added(c, &a, err); // most calls change nothing
    if (st == KEN_ENOTFOUND || (!st && is_renamed(&a)))
        st = ken_store__pg_change(c, get_or_insert, &a, err);
    if (!st)
        *out = a.row;
    return st;
}

static ken_status insert_new(ken_pg_catalog *c, void *ctx, ken_err *err)
{
    addition *a = ctx;
    uint64_t n = 0;
    ken_status st = insert(c, a, &n, err);
    if (!st && !n)
        return KEN_FAIL(err, KEN_EEXIST,
                        "there is a project with the root '" KEN_STR_FMT
                        "', or one whose index that is, in %s",
                        KEN_STR_ARG(a->root), ken_database_name(c->p.db));
    return st ? st : find_added(c, a, err);
}

ken_status ken_store__pg_catalog_add_as(ken_catalog_backend *b, ken_uuid id, ken_str root,
                                        ken_str name, int64_t now_ms, ken_arena *arena,
                                        ken_catalog_row *out, ken_err *err)
{
    ken_pg_catalog *c = ken_pg_catalog_of(b);
    addition a = { .id = id, .root = root, .name = name, .now_ms = now_ms, .arena = arena };
    ken_status st = ken_store__pg_change(c, insert_new, &a, err);
    if (!st)
        *out = a.row;
    return st;
}

// ---- changing projects -------------------------------------------------------------------------

ken_status ken_store__pg_catalog_set_indexed(ken_catalog_backend *b, ken_uuid id, int64_t at_ms,
                                             ken_err *err)
{
    return ken_store__pg_change_row(
        ken_pg_catalog_of(b), PG_QUERY(PROJECT_SET_INDEXED, PG_UUID(id), PG_TIME_IF(at_ms)), err);
}

ken_status ken_store__pg_catalog_set_active(ken_catalog_backend *b, ken_uuid id, bool is_active,
                                            ken_err *err)
{
    return ken_store__pg_change_row(
        ken_pg_catalog_of(b), PG_QUERY(PROJECT_SET_ACTIVE, PG_UUID(id), PG_BOOL(is_active)), err);
}

ken_status ken_store__pg_catalog_share(ken_catalog_backend *b, ken_uuid id, ken_uuid host,
                                       ken_err *err)
{
    return ken_store__pg_change_row(
        ken_pg_catalog_of(b),
        PG_QUERY(PROJECT_SHARE, PG_UUID(id), PG_IF(!ken_uuid_eq(id, host), PG_UUID(host))), err);
}

ken_status ken_store__pg_catalog_remove(ken_catalog_backend *b, ken_uuid id, ken_err *err)
{
    return ken_store__pg_change_row(ken_pg_catalog_of(b), PG_QUERY(PROJECT_REMOVE, PG_UUID(id)),
                                    err);
}

// ---- the whole ---------------------------------------------------------------------------------

ken_status ken_store__pg_catalog_settle(ken_catalog_backend *b, ken_catalog_journal *out,
                                        ken_err *err)
{
    (void)b, (void)err;
    *out = (ken_catalog_journal){ 0 };
    return KEN_OK;
}

ken_status ken_store__pg_catalog_verify(ken_catalog_backend *b, bool *out_agrees, ken_err *err)
{
    ken_status st = ken_database_check_schema(ken_pg_catalog_of(b)->p.db, err);
    if (!st)
        *out_agrees = true;
    return st;
}

typedef struct counts {
    uint64_t projects, tasks;
} counts;

static ken_status read_counts(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)arena, (void)err;
    *(counts *)out =
        (counts){ ken_store__pg_u64(row, 0, INT64_MAX), ken_store__pg_u64(row, 1, INT64_MAX) };
    return KEN_OK;
}

ken_status ken_store__pg_catalog_count(ken_catalog_backend *b, uint64_t *out_projects,
                                       uint64_t *out_tasks, ken_err *err)
{
    ken_pg_catalog *c = ken_pg_catalog_of(b);
    counts n = { 0, 0 };
    ken_status st = ken_store__pg_one(&c->p, &(ken_pg_query){ .which = KEN_PG_CATALOG_COUNT },
                                      read_counts, NULL, &n, err);
    if (st)
        return st;
    *out_projects = n.projects;
    *out_tasks = n.tasks;
    return KEN_OK;
}

// ---- opening -----------------------------------------------------------------------------------

static void catalog_close(ken_catalog_backend *b)
{
    ken_pg_catalog *c = ken_pg_catalog_of(b);
    ken_store__pg_release(&c->p);
    ken_free(c);
}

// There is no file that could be moved away, and no journal beside it.
static bool catalog_is_current(ken_catalog_backend *b)
{
    (void)b;
    return true;
}

static bool catalog_is_behind(ken_catalog_backend *b)
{
    (void)b;
    return false;
}

static const ken_catalog_ops catalog_ops = { .name = "postgres",
                                             .close = catalog_close,
                                             .is_current = catalog_is_current,
                                             .is_behind = catalog_is_behind,
#define X(slot, door, params, args, shown) .slot = ken_store__pg_catalog_##slot,
                                             KEN_CATALOG_SLOTS(X)
#undef X
};

ken_catalog_backend *ken_store__postgres_open_catalog(ken_database *db, bool is_read_only)
{
    ken_pg_catalog *c = ken_zalloc(sizeof *c);
    c->base.ops = &catalog_ops;
    c->is_read_only = is_read_only;
    ken_store__pg_init(&c->p, db, "catalog", "ken", 0);
    c->p.idle_ms = KEN_PG_BRIEF_MS;
    return &c->base;
}
