// SPDX-License-Identifier: MIT
// The tables as SQLite's virtual tables: one module for all of them, eponymous, for reading only. Rows of
// one file are found by its id or path, a row by its own id; everything else is a scan of all files.
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/sorted.h"
#include "sql/sql_priv.h"

enum {
    PLAN_ALL = 0,
    PLAN_ID,
    PLAN_FILE,
    PLAN_PATH,
};

typedef struct table {
    sqlite3_vtab base;
    sql_door *door;
    const sql_table *of;
} table;

// What a module is registered with: freed with the connection.
typedef struct maker {
    sql_door *door;
    const sql_table *of;
} maker;

bool ken_sql__may_go_on(sql_door *door)
{
    if (!door->err.status)
        (void)!ken_cancel_check(door->cancel, &door->err);
    if (!door->err.status && ken_clock_mono_ns() > door->stop_ns)
        KEN_FAIL(&door->err, KEN_ETIMEOUT,
                 "the query took too long: ask for less, or for one file (file_id = …)");
    if (!door->err.status && sqlite3_memory_used() - door->had_bytes > door->max_bytes)
        KEN_FAIL(&door->err, KEN_ELIMIT, "the query needs more memory than it may have");
    return !door->err.status;
}

static int fail(sqlite3_vtab *v, sql_door *door, const ken_err *err)
{
    if (!door->err.status)
        door->err = *err;
    sqlite3_free(v->zErrMsg);
    v->zErrMsg = sqlite3_mprintf("%s", door->err.msg);
    return SQLITE_ERROR;
}

// ---- the table ---------------------------------------------------------------------------------

static void put_schema(ken_buf *out, const ken_sql_table *t)
{
    ken_buf_puts(out, "CREATE TABLE x(");
    for (size_t i = 0; i < t->n_columns; i++)
        ken_buf_printf(out, "%s\"%s\" %s", i ? ", " : "", t->columns[i].name, t->columns[i].type);
    ken_buf_putc(out, ')');
}

static int sql_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                       sqlite3_vtab **out, char **out_msg)
{
    (void)argc;
    (void)argv;
    (void)out_msg;
    const maker *m = aux;
    ken_buf schema = KEN_BUF_INIT(16 * 1024);
    put_schema(&schema, &m->of->shown);
    int rc = sqlite3_declare_vtab(db, schema.ptr);
    ken_buf_release(&schema);
    if (rc)
        return rc;
    // Reading facts harms nobody: views may use it.
    (void)sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    table *t = ken_zalloc(sizeof *t);
    t->door = m->door;
    t->of = m->of;
    *out = &t->base;
    return SQLITE_OK;
}

static int sql_disconnect(sqlite3_vtab *v)
{
    ken_free(v);
    return SQLITE_OK;
}

static int plan_of(const sql_table *t, int column)
{
    if (column < 0 || column == t->id_column)
        return PLAN_ID;
    if (column == t->file_column)
        return PLAN_FILE;
    return column == t->path_column ? PLAN_PATH : PLAN_ALL;
}

static int sql_best_index(sqlite3_vtab *v, sqlite3_index_info *info)
{
    const table *t = (const table *)(const void *)v;
    int plan = PLAN_ALL, at = -1;
    for (int i = 0; !t->of->is_flat && i < info->nConstraint; i++) {
        int p = plan_of(t->of, info->aConstraint[i].iColumn);
        if (!info->aConstraint[i].usable || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ ||
            !p || (plan && p >= plan))
            continue;
        plan = p;
        at = i;
    }
    if (at >= 0)
        info->aConstraintUsage[at].argvIndex = 1; // SQLite compares once more
    double files = (double)t->door->n_files + 1, per_file = t->of->file_column < 0 ? 1 : 50;
    info->idxNum = plan;
    info->estimatedRows = (sqlite3_int64)(plan == PLAN_ID ? 1 : plan ? per_file : files * per_file);
    info->estimatedCost = plan == PLAN_ID ? 20 : plan ? 20 + per_file : files * (20 + per_file);
    return SQLITE_OK;
}

// ---- the cursor --------------------------------------------------------------------------------

static int sql_open(sqlite3_vtab *v, sqlite3_vtab_cursor **out)
{
    const table *t = (const table *)(const void *)v;
    sql_cursor *c = ken_zalloc(sizeof *c);
    c->door = t->door;
    c->table = t->of;
    c->loaded_file = SIZE_MAX;
    ken_arena_init(&c->arena, 0);
    *out = &c->base;
    return SQLITE_OK;
}

static sql_cursor *cursor_of(sqlite3_vtab_cursor *base)
{
    return (sql_cursor *)(void *)base;
}

static int sql_close(sqlite3_vtab_cursor *base)
{
    sql_cursor *c = cursor_of(base);
    ken_arena_release(&c->arena);
    ken_free(c);
    return SQLITE_OK;
}

// To the first file from here on that has a row.
static int settle(sql_cursor *c)
{
    ken_err err = { 0 };
    while (c->file < c->end_file) {
        if (!ken_sql__may_go_on(c->door))
            return fail(c->base.pVtab, c->door, &c->door->err);
        if (!c->table->is_flat)
            ken_sql__enter_file(c);
        c->n_items = 0;
        if (c->table->count(c, &c->n_items, &err))
            return fail(c->base.pVtab, c->door, &err);
        c->item = c->only_item >= 0 ? (uint32_t)c->only_item : 0;
        if (c->item < c->n_items)
            return SQLITE_OK;
        c->file++;
    }
    return SQLITE_OK;
}

static size_t file_by_id(const sql_door *d, int64_t id)
{
    size_t at = KEN_FIRST_I64(sql_file_id, id, d->by_id, d->n_files, id);
    return at < d->n_files && d->by_id[at].id == id ? d->by_id[at].file : SIZE_MAX;
}

size_t ken_sql__file_at(const sql_door *d, ken_str path)
{
    size_t at = KEN_FIRST_STR(ken_file_row, path, d->rows, d->n_files, path);
    return at < d->n_files && ken_str_eq(d->rows[at].path, path) ? at : SIZE_MAX;
}

// The one file that is meant; SIZE_MAX = none.
static size_t find_file(sql_cursor *c, int plan, sqlite3_value *value)
{
    if (plan == PLAN_PATH) {
        const char *p = (const char *)sqlite3_value_text(value);
        return p ? ken_sql__file_at(c->door, ken_str_n(p, (size_t)sqlite3_value_bytes(value)))
                 : SIZE_MAX;
    }
    int64_t id = sqlite3_value_int64(value);
    bool is_item = plan == PLAN_ID && c->table->file_column >= 0;
    if (is_item && id >= 0)
        c->only_item = id & ((1 << SQL_ITEM_BITS) - 1);
    return file_by_id(c->door, is_item ? id >> SQL_ITEM_BITS : id);
}

static int sql_filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
                      sqlite3_value **argv)
{
    (void)text;
    sql_cursor *c = cursor_of(base);
    c->only_item = -1;
    c->file = 0;
    c->end_file = c->table->is_flat ? 1 : c->door->n_files;
    if (plan != PLAN_ALL && argc == 1) {
        c->file = find_file(c, plan, argv[0]);
        c->end_file = c->file == SIZE_MAX ? 0 : c->file + 1;
    }
    return settle(c);
}

static int sql_next(sqlite3_vtab_cursor *base)
{
    sql_cursor *c = cursor_of(base);
    if (c->only_item < 0 && c->item + 1 < c->n_items) {
        c->item++;
        return SQLITE_OK;
    }
    c->file++;
    return settle(c);
}

static int sql_eof(sqlite3_vtab_cursor *base)
{
    const sql_cursor *c = cursor_of(base);
    return c->file >= c->end_file;
}

static int sql_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int column)
{
    sql_cursor *c = cursor_of(base);
    ken_err err = { 0 };
    return c->table->column(c, column, ctx, &err) ? fail(base->pVtab, c->door, &err) : SQLITE_OK;
}

static int sql_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    const sql_cursor *c = cursor_of(base);
    if (c->table->is_flat)
        *out = (int64_t)c->item + 1;
    else if (c->table->file_column < 0)
        *out = ken_sql__row(c)->id;
    else
        *out = ken_sql__item_id(c, c->item);
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .iVersion = 1,
    .xConnect = sql_connect, // no xCreate: eponymous only
    .xBestIndex = sql_best_index,
    .xDisconnect = sql_disconnect,
    .xDestroy = sql_disconnect,
    .xOpen = sql_open,
    .xClose = sql_close,
    .xFilter = sql_filter,
    .xNext = sql_next,
    .xEof = sql_eof,
    .xColumn = sql_column,
    .xRowid = sql_rowid,
};

int ken_sql__register(sqlite3 *db, sql_door *door)
{
    int rc = SQLITE_OK;
    for (size_t i = 0; !rc && i < ken_sql__n_tables; i++) {
        maker *m = KEN_ARENA_NEW(&door->arena, maker);
        *m = (maker){ door, &ken_sql__tables[i] };
        rc = sqlite3_create_module_v2(db, ken_sql__tables[i].shown.name, &module, m, NULL);
    }
    return rc;
}
