// SPDX-License-Identifier: MIT
// The project list.
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/path.h"
#include "store/sqlite/sqlite_catalog_priv.h"

// ---- opening ---------------------------------------------------------------------------------

// <data>/config/projects.db -> <data>/<name>/
static ken_str find_folder(ken_sq_catalog *c, const char *path, const char *name)
{
    ken_str config = ken_path_dir(ken_str_c(path));
    ken_str data = config.len ? ken_path_dir(config) : KEN_STR("..");
    return ken_arena_printf(&c->memory, KEN_STR_FMT "%s%s/", KEN_STR_ARG(data),
                            data.len || path[0] == '/' ? "/" : "", name);
}

static void catalog_close(ken_catalog_backend *b)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_store__sq_release(&c->q);
    ken_arena_release(&c->memory);
    ken_free(c);
}

static bool catalog_is_current(ken_catalog_backend *b)
{
    const ken_sq_catalog *c = ken_sq_catalog_of(b);
    int has_moved = 0;
    if (!c->q.db || sqlite3_file_control(c->q.db, NULL, SQLITE_FCNTL_HAS_MOVED, &has_moved) ||
        has_moved)
        return false;
    return !c->q.is_read_only || access(c->q.path, W_OK) != 0;
}

static bool catalog_is_behind(ken_catalog_backend *b)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    int64_t seq = 0;
    ken_sq_journal_end end = { 0 };
    char *path = ken_store__sq_journal_path(c->q.path);
    bool is_known = !ken_store__sq_journal_seq(&c->q, &seq, NULL) &&
                    !ken_store__sq_look_at_end(path, &end, NULL);
    ken_free(path);
    return !is_known || (end.exists && (!seq || !end.is_whole || end.seq > seq));
}

static const ken_catalog_ops catalog_ops = { .name = "sqlite",
                                             .close = catalog_close,
                                             .is_current = catalog_is_current,
                                             .is_behind = catalog_is_behind,
#define X(slot, door, params, args, shown) .slot = ken_store__catalog_##slot,
                                             KEN_CATALOG_SLOTS(X)
#undef X
};

ken_status ken_store__sqlite_open_catalog(const char *path, bool is_read_only,
                                          ken_catalog_backend **out, ken_err *err)
{
    ken_sq_catalog *c = ken_zalloc(sizeof *c);
    c->base.ops = &catalog_ops;
    ken_arena_init(&c->memory, 1024);
    const ken_store_opts opts = { .path = path,
                                  .is_read_only = is_read_only,
                                  .cache_bytes = 256 * 1024 };
    ken_status st = ken_store__sq_connect(&c->q, &ken_store__sq_catalog_schema, &opts, err);
    if (st) {
        catalog_close(&c->base);
        return st;
    }
    c->indexes = find_folder(c, path, "indexes");
    c->models = find_folder(c, path, "models");
    *out = &c->base;
    return KEN_OK;
}

enum {
    FILE_BYTES = KEN_UUID_TEXT + 16 // the name of an index
};

// ---- rows ------------------------------------------------------------------------------------

// A name of a file, nothing that leads elsewhere: the list may have been changed by hand.
static bool is_file_name(ken_str s)
{
    return s.len && s.ptr[0] != '.' && ken_str_find_char(s, '/') == SIZE_MAX &&
           !memchr(s.ptr, '\0', s.len);
}

// The file of the index that was made for a project.
static void format_file(ken_uuid id, char out[FILE_BYTES])
{
    char text[KEN_UUID_TEXT];
    ken_uuid_format(id, text);
    sqlite3_snprintf(FILE_BYTES, out, "project-%s.db", text);
}

static ken_status read_row(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out, ken_err *err)
{
    ken_str file = ken_store__sq_text(st, 3);
    ken_str folder = ken_sq_catalog_with(q)->indexes;
    ken_catalog_row row = {
        .name = ken_store__sq_keep(st, 1, arena),
        .root = ken_store__sq_keep(st, 2, arena),
        .notes_path = ken_arena_printf(arena, KEN_STR_FMT KEN_STR_FMT, KEN_STR_ARG(folder),
                                       KEN_STR_ARG(file)),
        .created_at_ms = sqlite3_column_int64(st, 4),
        .indexed_at_ms = sqlite3_column_int64(st, 5),
        .is_active = sqlite3_column_int(st, 6) != 0,
    };
    if (!ken_store__sq_fixed(st, 0, row.id.bytes, sizeof row.id.bytes) || !is_file_name(file))
        return SQ_CORRUPT(q, err, "a project has no usable id or file name");
    row.db_path = row.notes_path;
    row.index_of = row.id;
    if (ken_store__sq_fixed(st, 7, row.index_of.bytes, sizeof row.index_of.bytes)) {
        char shared[FILE_BYTES];
        format_file(row.index_of, shared);
        row.db_path = ken_arena_printf(arena, KEN_STR_FMT "%s", KEN_STR_ARG(folder), shared);
    }
    *(ken_catalog_row *)out = row;
    return KEN_OK;
}

ken_status ken_store__catalog_get(ken_sq_catalog *c, ken_sq_stmt which, sqlite3_stmt **out,
                                  ken_err *err)
{
    ken_status s = c->q.is_immutable ? ken_store__sq_refresh(&c->q, err) : KEN_OK;
    return s ? s : ken_store__sq_get(&c->q, which, out, err);
}

ken_status ken_store__catalog_list(ken_catalog_backend *b, ken_arena *arena, ken_catalog_row **out,
                                   size_t *out_n, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_PROJECT_LIST, &st, err);
    return s ? s : SQ_ROWS(&c->q, st, read_row, arena, out, out_n, err);
}

ken_status ken_store__catalog_find_by_root(ken_catalog_backend *b, ken_str root, ken_arena *arena,
                                           ken_catalog_row *out, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_PROJECT_BY_ROOT, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_TEXT(root)));
    return ken_store__sq_one(&c->q, st, read_row, arena, out, err);
}

ken_status ken_store__catalog_find_by_id(ken_catalog_backend *b, ken_uuid id, ken_arena *arena,
                                         ken_catalog_row *out, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_PROJECT_BY_ID, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_BYTES(id)));
    return ken_store__sq_one(&c->q, st, read_row, arena, out, err);
}

// ---- changes ---------------------------------------------------------------------------------

ken_status ken_store__catalog_note_project(ken_sq_catalog *c, ken_uuid id, ken_err *err)
{
    return ken_store__sq_note(&c->q, "project",
                              ken_store__sq_key_of_blob(id.bytes, sizeof id.bytes), err);
}

static ken_status insert(ken_sq_catalog *c, ken_uuid id, ken_str root, ken_str name, int64_t now_ms,
                         ken_err *err)
{
    char file[FILE_BYTES];
    format_file(id, file);
    ken_str base = ken_path_base(root);
    if (!name.len)
        name = base.len ? base : root;
    ken_status s = ken_store__sq_write(&c->q, KEN_SQ_PROJECT_ADD,
                                       SQ_VALUES(SQ_BYTES(id), SQ_TEXT(name), SQ_TEXT(root),
                                                 SQ_TEXT(ken_str_c(file)), SQ_INT(now_ms)),
                                       err);
    return s ? s : ken_store__catalog_note_project(c, id, err);
}

static ken_status rename_project(ken_sq_catalog *c, ken_uuid id, ken_str name, ken_err *err)
{
    ken_status s = ken_store__sq_write(&c->q, KEN_SQ_PROJECT_RENAME,
                                       SQ_VALUES(SQ_BYTES(id), SQ_TEXT(name)), err);
    return s ? s : ken_store__catalog_note_project(c, id, err);
}

// In a write transaction.
static ken_status get_or_insert(ken_sq_catalog *c, ken_str root, ken_str name, int64_t now_ms,
                                ken_arena *arena, ken_catalog_row *out, ken_err *err)
{
    ken_status st = ken_store__catalog_find_by_root(&c->base, root, arena, out, err);
    if (st == KEN_ENOTFOUND) {
        st = insert(c, ken_uuid_random(), root, name, now_ms, err);
    } else if (!st && name.len && !ken_str_eq(name, out->name)) {
        st = rename_project(c, out->id, name, err);
    } else {
        return st;
    }
    return st ? st : ken_store__catalog_find_by_root(&c->base, root, arena, out, err);
}

ken_status ken_store__catalog_begin(ken_sq_catalog *c, ken_err *err)
{
    if (c->q.is_read_only)
        return KEN_FAIL(err, KEN_EPERM, "the project list is opened for reading only");
    int rc = ken_store__sq_try(&c->q, KEN_SQ_BEGIN_WRITE, NULL);
    if (rc)
        return SQ_FAIL(&c->q, rc, err, "writing to");
    ken_status st = ken_store__sq_catch_up(&c->q, err);
    return st ? ken_store__catalog_end(c, st, err) : KEN_OK;
}

ken_status ken_store__catalog_end(ken_sq_catalog *c, ken_status st, ken_err *err)
{
    if (!st)
        st = ken_store__sq_record(&c->q, err);
    if (!st) {
        int rc = ken_store__sq_try(&c->q, KEN_SQ_COMMIT, NULL);
        if (rc)
            st = SQ_FAIL(&c->q, rc, err, "writing to");
    }
    if (st)
        ken_store__sq_undo(&c->q);
    ken_store__sq_recorded(&c->q, !st);
    return st;
}

ken_status ken_store__catalog_add(ken_catalog_backend *b, ken_str root, ken_str name,
                                  int64_t now_ms, ken_arena *arena, ken_catalog_row *out,
                                  ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_catalog_row row = { .name = { NULL, 0 } };
    // Most calls find the project as it is, which takes no lock.
    ken_status st = ken_store__catalog_find_by_root(&c->base, root, arena, &row, err);
    if (st && st != KEN_ENOTFOUND)
        return st;
    if (st || (name.len && !ken_str_eq(name, row.name))) {
        st = ken_store__catalog_begin(c, err);
        if (st)
            return st;
        st = ken_store__catalog_end(c, get_or_insert(c, root, name, now_ms, arena, &row, err), err);
        if (st)
            return st;
    }
    *out = row;
    return KEN_OK;
}

ken_status ken_store__catalog_add_as(ken_catalog_backend *b, ken_uuid id, ken_str root,
                                     ken_str name, int64_t now_ms, ken_arena *arena,
                                     ken_catalog_row *out, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_status st = ken_store__catalog_begin(c, err);
    if (st)
        return st;
    st = ken_store__catalog_end(c, insert(c, id, root, name, now_ms, err), err);
    return st ? st : ken_store__catalog_find_by_id(b, id, arena, out, err);
}

// One UPDATE or DELETE of one project: a transaction by itself. What is recorded is durable by its
// line in the journal, which is synced before the commit; the rest by the log.
static ken_status change(ken_sq_catalog *c, ken_sq_stmt which, ken_uuid id, int64_t value,
                         bool is_recorded, ken_err *err)
{
    ken_status s = ken_store__catalog_begin(c, err);
    if (s)
        return s;
    s = ken_store__sq_write(&c->q, which, SQ_VALUES(SQ_BYTES(id), SQ_INT(value)), err);
    bool is_there = !s && sqlite3_changes(c->q.db) > 0;
    if (is_there && is_recorded)
        s = ken_store__catalog_note_project(c, id, err);
    s = ken_store__catalog_end(c, s, err);
    if (!s && !is_recorded && c->q.is_wal)
        s = ken_store__sq_sync_log(&c->q, err);
    return s || is_there ? s : KEN_ENOTFOUND;
}

ken_status ken_store__catalog_set_indexed(ken_catalog_backend *b, ken_uuid id, int64_t at_ms,
                                          ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    return change(c, KEN_SQ_PROJECT_SET_INDEXED, id, at_ms, false,
                  err); // the next run records it again
}

ken_status ken_store__catalog_set_active(ken_catalog_backend *b, ken_uuid id, bool is_active,
                                         ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    return change(c, KEN_SQ_PROJECT_SET_ACTIVE, id, is_active, true, err);
}

ken_status ken_store__catalog_share(ken_catalog_backend *b, ken_uuid id, ken_uuid host,
                                    ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    const ken_sq_value none = SQ_NULL, its = SQ_BYTES(host);
    ken_status s = ken_store__catalog_begin(c, err);
    if (s)
        return s;
    s = ken_store__sq_write(&c->q, KEN_SQ_PROJECT_SHARE,
                            SQ_VALUES(SQ_BYTES(id), ken_uuid_eq(id, host) ? none : its), err);
    bool is_there = !s && sqlite3_changes(c->q.db) > 0;
    if (is_there)
        s = ken_store__catalog_note_project(c, id, err);
    s = ken_store__catalog_end(c, s, err);
    return s || is_there ? s : KEN_ENOTFOUND;
}

ken_status ken_store__catalog_remove(ken_catalog_backend *b, ken_uuid id, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    return change(c, KEN_SQ_PROJECT_REMOVE, id, 0, true, err);
}

// ---- the journal -----------------------------------------------------------------------------

bool ken_catalog_has_journal(const char *path)
{
    char *journal = ken_store__sq_journal_path(path);
    bool has = ken_fs_exists(journal);
    ken_free(journal);
    return has;
}

static ken_catalog_journal journal_of(const ken_sq_journal_report *r)
{
    return (ken_catalog_journal){ .n_records = r->n_lines,
                                  .n_damaged = r->n_damaged,
                                  .n_applied = r->n_applied,
                                  .exists = r->exists,
                                  .is_cut_off = r->is_torn };
}

ken_status ken_catalog_read_journal(const char *path, ken_catalog_journal *out, ken_err *err)
{
    char *journal = ken_store__sq_journal_path(path);
    ken_status st = ken_catalog_check_journal(journal, out, err);
    ken_free(journal);
    return st;
}

ken_status ken_catalog_check_journal(const char *journal, ken_catalog_journal *out, ken_err *err)
{
    ken_sq_journal_report report = { 0 };
    ken_status st =
        ken_store__sq_journal_check(&ken_store__sq_catalog_schema, journal, &report, err);
    if (!st)
        *out = journal_of(&report);
    return st;
}

// The write lock, where the file is sound enough to have one.
static ken_status lock_old(ken_sq *q, ken_err *err)
{
    ken_err wrong = { 0 };
    ken_status st = ken_store__sq_open_file(q, &wrong);
    if (!st)
        st = ken_store__sq_exec(q, KEN_SQ_BEGIN_WRITE, &wrong);
    if (st == KEN_EBUSY && err)
        *err = wrong;
    return st == KEN_EBUSY ? st : KEN_OK;
}

ken_status ken_catalog_move_away(const char *path, ken_arena *arena, ken_str *out_path,
                                 ken_err *err)
{
    ken_sq *q = ken_zalloc(sizeof *q);
    q->schema = &ken_store__sq_catalog_schema;
    q->path = ken_strdup(path);
    q->busy_ms = KEN_STORE_BUSY_MS;
    ken_status st = lock_old(q, err);
    if (!st)
        st = ken_store_quarantine(path, arena, out_path, err);
    if (q->db) // what is moved away stays as it is
        sqlite3_db_config(q->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    ken_store__sq_release(q);
    ken_free(q);
    ken_store_forget_damage();
    return st;
}

ken_status ken_store__catalog_settle(ken_catalog_backend *b, ken_catalog_journal *out, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_sq_journal_report report = { 0 };
    ken_status st = ken_store__sq_settle(&c->q, &report, err);
    if (st)
        return st;
    *out = journal_of(&report);
    return KEN_OK;
}

ken_status ken_store__catalog_verify(ken_catalog_backend *b, bool *out_agrees, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    bool needs = false;
    ken_status st = ken_store__sq_check_pages(&c->q, err);
    if (!st)
        st = ken_store__sq_needs_settling(&c->q, &needs, err);
    if (!st)
        *out_agrees = !needs;
    return st;
}

ken_status ken_store__catalog_count(ken_catalog_backend *b, uint64_t *out_projects,
                                    uint64_t *out_tasks, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    int64_t projects = 0, tasks = 0;
    ken_status st = ken_store__sq_ask(&c->q, KEN_SQ_PROJECT_COUNT, NULL, &projects, err);
    if (!st)
        st = ken_store__sq_ask(&c->q, KEN_SQ_TASK_COUNT, NULL, &tasks, err);
    if (st)
        return st;
    *out_projects = (uint64_t)projects;
    *out_tasks = (uint64_t)tasks;
    return KEN_OK;
}
