// SPDX-License-Identifier: MIT
// Opening, transactions, upkeep.
//
// The log is a WAL: readers and one writer do not wait for each other. `synchronous` is NORMAL, so
// commits are not synced one by one; what must be durable is: after COMMIT the log file is synced
// (ken_store__sq_sync_log), or before it the journal was, of which the next writer puts in what the
// log has lost (sqlite_journal.c). Until then a power cut may take whole commits from the end of the log, in order, and
// never a part of one. kill -9 takes nothing that was committed.
//
// A read-only database in a folder that cannot be written has nowhere to put the log's shared
// memory. When there is no log either, nobody is writing, and the file is opened as immutable;
// should a writer with more rights come later, the next transaction sees that the file changed and
// opens it again.
#include <stdio.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/path.h"
#include "json/json.h"
#include "store/sqlite/sqlite_based_priv.h"

enum {
    DEFAULT_CACHE = 8 * 1024 * 1024,
    AUTO_CHECKPOINT_PAGES = 4096, // 16 MiB of log, 32 in older files
    LOG_KEPT_BYTES = 32 * 1024 * 1024,
    PAGE_BYTES = 8192,      // the largest that was ever in use
    HEADER_BYTES = 512,     // the smallest page there is
    SHRINK_MIN_PAGES = 256, // 1 MiB, 2 in older files
};

// ---- opening ---------------------------------------------------------------------------------

// "file:<path, escaped>?mode=..": a plain path that begins with "file:" would be taken for a URI.
void ken_store__sq_format_uri(const char *path, const char *query, ken_buf *out)
{
    static const char digits[] = "0123456789ABCDEF";
    ken_buf_puts(out, "file:");
    for (const char *p = path; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (ken_is_word(*p) || c >= 0x80 || *p == '/' || *p == '.' || *p == '-') {
            ken_buf_putc(out, *p);
        } else {
            ken_buf_putc(out, '%');
            ken_buf_putc(out, digits[c >> 4]);
            ken_buf_putc(out, digits[c & 15]);
        }
    }
    ken_buf_printf(out, "?%s", query);
}

// An index may come from elsewhere: nothing in its schema may run, no trigger, view or function.
static void distrust_schema(sqlite3 *db)
{
    static const int settings[][2] = {
        { SQLITE_DBCONFIG_DEFENSIVE, 1 },      { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
        { SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 }, { SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
        { SQLITE_DBCONFIG_ENABLE_FKEY, 1 },
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        sqlite3_db_config(db, settings[i][0], settings[i][1], NULL);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 2 * KEN_FACTS_MAX_BYTES); // nothing of ours is larger
}

ken_status ken_store__sq_open_file(ken_sq *q, ken_err *err)
{
    ken_buf uri = KEN_BUF_INIT(64 * 1024);
    ken_store__sq_vfs_init();
    ken_store__sq_format_uri(q->path,
                             q->is_immutable   ? "mode=ro&immutable=1"
                             : q->is_read_only ? "mode=ro"
                                               : "mode=rwc",
                             &uri);
    int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    flags |= q->is_read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    int rc = uri.is_over ? SQLITE_TOOBIG : sqlite3_open_v2(uri.ptr, &q->db, flags, KEN_SQ_VFS);
    ken_buf_release(&uri);
    if (rc)
        return SQ_FAIL(q, rc, err, "opening");
    sqlite3_busy_timeout(q->db, q->busy_ms);
    distrust_schema(q->db);
    ken_fs_info info;
    if (!q->is_read_only && !ken_fs_stat_target(q->path, &info, NULL) && !info.stamp.size)
        (void)chmod(q->path, 0600); // just made; log and shared memory take its mode
    return KEN_OK;
}

static ken_status set_pragmas(ken_sq *q, ken_err *err)
{
    char cache[24], map[24], log[24];
    snprintf(cache, sizeof cache, "%llu", (unsigned long long)(q->cache_bytes / 1024));
    snprintf(map, sizeof map, "%llu", (unsigned long long)q->map_bytes);
    snprintf(log, sizeof log, "%lld", (long long)LOG_KEPT_BYTES);
    const ken_sq_word words[] = {
        { "cache_kib", cache }, { "map_bytes", map }, { "log_bytes", log }, { NULL, NULL }
    };
    return ken_store__sq_exec_filled(q, KEN_SQ_SET_PRAGMAS, words, err);
}

static ken_status use_log(ken_sq *q, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(q->db, ken_store__sq_text_of(KEN_SQ_USE_LOG), -1, &st, NULL);
    // SQLite does not wait by itself here when two processes create one file.
    for (int waited = 0; !rc && waited < q->busy_ms; waited += 5) {
        rc = sqlite3_step(st);
        if (rc != SQLITE_BUSY)
            break;
        sqlite3_reset(st);
        sqlite3_sleep(5);
        rc = 0;
    }
    ken_status s = KEN_OK;
    if (rc == SQLITE_ROW)
        q->is_wal = ken_str_eq_c(ken_store__sq_text(st, 0), "wal");
    else
        s = SQ_FAIL(q, rc ? rc : SQLITE_BUSY, err, "opening");
    sqlite3_finalize(st);
    if (!s && !q->is_wal) // a file system without shared memory: a journal, synced at each commit
        s = ken_store__sq_exec(q, KEN_SQ_SYNC_FULLY, err);
    return s;
}

// Bytes of the database file itself (suffix ""), its log or its journal; 0 when it is absent.
static uint64_t size_of(const ken_sq *q, const char *suffix)
{
    ken_buf path = KEN_BUF_INIT(64 * 1024);
    ken_buf_printf(&path, "%s%s", q->path, suffix);
    ken_fs_info info = { 0 };
    if (path.is_over || ken_fs_stat_target(path.ptr, &info, NULL))
        info.stamp.size = 0;
    ken_buf_release(&path);
    return info.stamp.size;
}

static ken_status refuse_old(ken_sq *q, int32_t version, ken_err *err)
{
    if (!version)
        return KEN_FAIL(err, KEN_ENOTFOUND, "%s '%s' is empty", q->schema->what, q->path);
    q->is_outdated = true;
    return KEN_FAIL(err, KEN_EPERM,
                    "%s '%s' has schema version %d and must be brought to %d: run 'ken index'",
                    q->schema->what, q->path, version, q->schema->version);
}

// Of an empty file. auto_vacuum ends the choice of what a page is.
static ken_status lay_out(ken_sq *q, ken_err *err)
{
    ken_status st = ken_store__sq_exec(q, KEN_SQ_SET_PAGE_SIZE, err);
    int rc = st ? SQLITE_OK : ken_store__sq_reserve(q->db);
    if (rc)
        return SQ_FAIL(q, rc, err, "opening");
    return st ? st : ken_store__sq_exec(q, KEN_SQ_SET_AUTO_VACUUM, err);
}

static ken_status wants_sums(ken_sq *q, ken_err *err)
{
    q->is_bare = true;
    return KEN_FAIL(err, KEN_EBUSY, "%s '%s' was made by an older ken: try again", q->schema->what,
                    q->path);
}

static ken_status set_up(ken_sq *q, ken_err *err)
{
    uint64_t size = size_of(q, "");
    if (size && size < HEADER_BYTES) // SQLite would take it for an empty file and write over it
        return SQ_CORRUPT(q, err, "it is no database");
    ken_status st = set_pragmas(q, err);
    int32_t version = 0;
    if (!st)
        st = ken_store__sq_check(q, &version, err); // before anything of it is changed
    if (st)
        return st;
    if (q->is_read_only)
        return version == q->schema->version ? KEN_OK : refuse_old(q, version, err);
    if (!version)
        st = lay_out(q, err);
    else if (!ken_store__sq_has_sums(q->db))
        return wants_sums(q, err);
    if (!st)
        st = use_log(q, err);
    sqlite3_wal_autocheckpoint(q->db, AUTO_CHECKPOINT_PAGES);
    if (!st && version != q->schema->version)
        st = ken_store__sq_upgrade(q, err);
    bool needs = false;
    if (!st)
        st = ken_store__sq_needs_settling(q, &needs, err);
    return st || !needs ? st : ken_store__sq_settle(q, NULL, err);
}

void ken_store__sq_disconnect(ken_sq *q)
{
    for (int i = 0; i < KEN_SQ_COUNT; i++) {
        sqlite3_finalize(q->stmts[i]);
        q->stmts[i] = NULL;
    }
    for (int i = 0; i < KEN_SQ_GROUPS * KEN_SQ_GROUP_PARTS; i++) {
        sqlite3_stmt **st = &q->recorded[i / KEN_SQ_GROUP_PARTS][i % KEN_SQ_GROUP_PARTS];
        sqlite3_finalize(*st);
        *st = NULL;
    }
    sqlite3_close(q->db);
    q->db = NULL;
}

static ken_status connect_immutable(ken_sq *q, ken_err *err)
{
    ken_store__sq_disconnect(q);
    ken_fs_info info;
    ken_status st = ken_fs_stat_target(q->path, &info, err);
    if (st)
        return st;
    if (size_of(q, "-wal") || size_of(q, "-journal"))
        return KEN_FAIL(err, KEN_EPERM,
                        "%s '%s' has changes in its log, and its folder cannot be written: "
                        "let its owner run 'ken status' once, or copy both files",
                        q->schema->what, q->path);
    q->stamp = info.stamp;
    q->is_immutable = true;
    st = ken_store__sq_open_file(q, err);
    return st ? st : set_up(q, err);
}

static bool wants_immutable(const ken_sq *q)
{
    int rc = q->db ? sqlite3_errcode(q->db) & 0xff : 0;
    return q->is_read_only && q->db && (rc == SQLITE_CANTOPEN || rc == SQLITE_READONLY) &&
           ken_fs_exists(q->path);
}

// A process was killed while it made the file: one page, and the journal that takes it back. Who
// may write does so by opening it; for who may only read there is nothing yet.
static bool is_half_made(const ken_sq *q)
{
    return q->is_read_only && size_of(q, "") <= PAGE_BYTES && size_of(q, "-journal") > 0;
}

static ken_status connect_any(ken_sq *q, ken_err *err)
{
    ken_err first = { 0 };
    q->is_immutable = false;
    ken_status st = ken_store__sq_open_file(q, &first);
    if (!st)
        st = set_up(q, &first);
    if (st && is_half_made(q))
        st = KEN_FAIL(&first, KEN_ENOTFOUND, "%s '%s' is empty", q->schema->what, q->path);
    else if (st && wants_immutable(q))
        st = connect_immutable(q, &first);
    if (!st)
        return KEN_OK;
    ken_store__sq_disconnect(q);
    if (err)
        *err = first;
    return st;
}

static ken_status make_folder(const char *path, ken_err *err)
{
    ken_str dir = ken_path_dir(ken_str_c(path));
    if (!dir.len)
        return KEN_OK;
    char *text = ken_strndup(dir.ptr, dir.len);
    ken_status st = ken_fs_make_dirs(text, 0700, err);
    ken_free(text);
    return st;
}

// As often as another process has another file of that name in between.
static ken_status connect_as_is_wanted(ken_sq *q, ken_err *err)
{
    enum {
        TRIES = 3
    };
    ken_status st = connect_any(q, err);
    for (int i = 0; st && q->is_bare && i < TRIES; i++) {
        q->is_bare = false;
        st = ken_store__sq_convert(q, err);
        if (!st)
            st = connect_any(q, err);
    }
    return st;
}

// A reader met an older schema: opening as a writer brings it up to date, where that may be done.
static bool bring_up_to_date(ken_sq *q)
{
    q->is_read_only = false;
    ken_status st = connect_as_is_wanted(q, NULL);
    ken_store__sq_disconnect(q);
    q->is_read_only = true;
    return !st;
}

ken_status ken_store__sq_connect(ken_sq *q, const ken_sq_schema *schema, const ken_store_opts *opts,
                                 ken_err *err)
{
    q->schema = schema;
    q->path = ken_strdup(opts->path);
    q->is_read_only = opts->is_read_only;
    q->cache_bytes = opts->cache_bytes ? opts->cache_bytes : DEFAULT_CACHE;
    q->map_bytes = opts->map_bytes ? opts->map_bytes : KEN_SQ_MMAP_BYTES;
    if (q->map_bytes == KEN_STORE_MAP_NOTHING)
        q->map_bytes = 0;
    if (q->map_bytes > KEN_SQ_MMAP_BYTES)
        q->map_bytes = KEN_SQ_MMAP_BYTES;
    q->busy_ms = KEN_STORE_BUSY_MS;
    q->noted = KEN_BUF_INIT(KEN_JSON_BYTES_MAX - 64); // a line is a little longer
    if (opts->busy_ms)
        q->busy_ms = opts->busy_ms > INT32_MAX ? INT32_MAX : (int)opts->busy_ms;
    ken_status st = q->is_read_only ? KEN_OK : make_folder(q->path, err);
    ken_err first = { 0 };
    if (!st)
        st = connect_as_is_wanted(q, &first);
    if (st && q->is_outdated && bring_up_to_date(q))
        st = connect_any(q, &first);
    if (st && err && first.status)
        *err = first;
    if (st)
        ken_store__sq_release(q);
    return st;
}

ken_status ken_store__sq_refresh(ken_sq *q, ken_err *err)
{
    ken_fs_info info;
    ken_status st = ken_fs_stat_target(q->path, &info, err);
    if (st || (ken_fs_stamp_eq(info.stamp, q->stamp) && !size_of(q, "-wal")))
        return st;
    ken_store__sq_disconnect(q);
    return connect_any(q, err);
}

void ken_store__sq_release(ken_sq *q)
{
    ken_store__sq_disconnect(q);
    ken_store__sq_forget_based(q);
    ken_zip_free(q->zip);
    ken_buf_release(&q->noted);
    ken_buf_release(&q->zipped);
    ken_free(q->path);
    q->zip = NULL;
    q->path = NULL;
}

static void sq_close(ken_store_backend *b)
{
    ken_store__sq_release(ken_sq_of(b));
    ken_free(b);
}

// ---- transactions ----------------------------------------------------------------------------

ken_status ken_store__sq_begin_read(ken_store_backend *b, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    ken_store__sq_forget_based(q);
    ken_status st = q->is_immutable ? ken_store__sq_refresh(q, err) : KEN_OK;
    if (!st && !q->db)
        st = connect_any(q, err); // a refresh failed before
    if (!st)
        st = ken_store__sq_do(q, KEN_SQ_BEGIN_READ, "reading", err);
    return st ? st : ken_store__sq_check_tree(q, err);
}

ken_status ken_store__sq_begin_write(ken_store_backend *b, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    ken_store__sq_forget_based(q);
    ken_status st = ken_store__sq_do(q, KEN_SQ_BEGIN_WRITE, "writing to", err);
    if (!st)
        st = ken_store__sq_catch_up(q, err);
    return st ? st : ken_store__sq_check_tree(q, err);
}

ken_status ken_store__sq_sync_log(ken_sq *q, ken_err *err)
{
    sqlite3_file *log = NULL;
    int rc = sqlite3_file_control(q->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (!rc && log && log->pMethods)
        rc = log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
    return rc ? SQ_FAIL(q, rc, err, "syncing") : KEN_OK;
}

ken_status ken_store__sq_commit(ken_store_backend *b, bool is_durable, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    ken_status st = ken_store__sq_record(q, err);
    if (!st) {
        st = ken_store__sq_do(q, KEN_SQ_COMMIT, "committing to", err);
        if (!st) // else who rolls back
            ken_store__sq_recorded(q, true);
    }
    return st || !is_durable || !q->is_wal ? st : ken_store__sq_sync_log(q, err);
}

static void sq_rollback(ken_store_backend *b)
{
    ken_sq *q = ken_sq_of(b);
    if (q->db)
        ken_store__sq_undo(q);
    ken_store__sq_recorded(q, false);
}

// ---- upkeep ----------------------------------------------------------------------------------

static bool is_busy(int rc)
{
    return (rc & 0xff) == SQLITE_BUSY || (rc & 0xff) == SQLITE_LOCKED;
}

// Gives free pages back to the file system once they are a quarter of the file: what merged
// segments leave is used again by the next ones, and moving pages is work.
static ken_status shrink(ken_sq *q, ken_err *err)
{
    int64_t n_pages = 0, n_free = 0;
    ken_status st = ken_store__sq_ask(q, KEN_SQ_PAGE_COUNT, NULL, &n_pages, err);
    if (!st)
        st = ken_store__sq_ask(q, KEN_SQ_FREE_PAGES, NULL, &n_free, err);
    if (st || n_free < SHRINK_MIN_PAGES || n_free < n_pages / 4)
        return st;
    int rc = ken_store__sq_try(q, KEN_SQ_SHRINK, NULL);
    return rc && !is_busy(rc) ? SQ_FAIL(q, rc, err, "shrinking") : KEN_OK;
}

ken_status ken_store__sq_checkpoint(ken_store_backend *b, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_busy_timeout(q->db, 0); // what readers or a writer are in the way of is done next time
    ken_status st = shrink(q, err);
    if (!st && q->is_wal) {
        int rc = sqlite3_wal_checkpoint_v2(q->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
        if (rc && !is_busy(rc))
            st = SQ_FAIL(q, rc, err, "writing to");
    }
    sqlite3_busy_timeout(q->db, q->busy_ms);
    return st;
}

ken_status ken_store__sq_share_read(ken_store_backend *b, ken_database_reading *in, ken_err *err)
{
    (void)b;
    return in ? KEN_FAIL(err, KEN_EINVAL, "a file takes no part in a database's transaction")
              : KEN_OK;
}

// What is compared are the segments.
ken_status ken_store__sq_put_vectors(ken_store_backend *b, const ken_store_vectors *v, ken_err *err)
{
    (void)b, (void)v, (void)err;
    return KEN_OK;
}

ken_status ken_store__sq_drop_vectors(ken_store_backend *b, const char *keep, ken_err *err)
{
    (void)b, (void)keep, (void)err;
    return KEN_OK;
}

// Nobody looks through several files at once.
ken_status ken_store__sq_list_untold(ken_store_backend *b, ken_arena *arena, ken_segment_info **out,
                                     size_t *out_n, ken_err *err)
{
    (void)b, (void)arena, (void)err;
    *out = NULL;
    *out_n = 0;
    return KEN_OK;
}

ken_status ken_store__sq_put_words(ken_store_backend *b, int64_t segment, const int64_t *entries,
                                   size_t n, ken_err *err)
{
    (void)b, (void)segment, (void)entries, (void)n, (void)err;
    return KEN_OK;
}

static ken_status size_of_pages(ken_sq *q, uint64_t *out_bytes, ken_err *err)
{
    int64_t n_pages = 0, page_bytes = 0;
    ken_status st = ken_store__sq_ask(q, KEN_SQ_PAGE_COUNT, NULL, &n_pages, err);
    if (!st)
        st = ken_store__sq_ask(q, KEN_SQ_PAGE_SIZE, NULL, &page_bytes, err);
    if (!st)
        *out_bytes = (uint64_t)(n_pages * page_bytes);
    return st;
}

ken_status ken_store__sq_get_size(ken_store_backend *b, uint64_t *out_bytes, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    ken_fs_info info;
    if (sqlite3_txn_state(q->db, NULL) == SQLITE_TXN_WRITE)
        return size_of_pages(q, out_bytes, err);
    ken_status st = ken_fs_stat_target(q->path, &info, err);
    if (!st)
        *out_bytes = info.stamp.size + size_of(q, "-wal");
    return st;
}

// A file that cannot be looked at is none: who opens it is told why.
ken_status ken_store__sqlite_identify(const ken_store_opts *opts, uint64_t *out, ken_err *err)
{
    (void)err;
    ken_fs_info info = { 0 };
    if (ken_fs_stat(KEN_FS_CWD, opts->path, &info, NULL))
        return KEN_ENOTFOUND;
    *out = info.stamp.inode;
    return KEN_OK;
}

ken_status ken_store__sqlite_erase(const ken_store_opts *opts, ken_err *err)
{
    static const char *const suffixes[] = { "-wal", "-shm", "", ".writes" };
    ken_status st = KEN_OK;
    for (size_t i = 0; !st && i < sizeof suffixes / sizeof *suffixes; i++) {
        ken_buf path = { 0 };
        ken_buf_printf(&path, "%s%s", opts->path, suffixes[i]);
        st = ken_fs_remove(path.ptr, err);
        ken_buf_release(&path);
    }
    return st;
}

static const ken_store_ops sqlite_ops = { .name = "sqlite",
                                          .close = sq_close,
                                          .rollback = sq_rollback,
#define X(slot, door, params, args, shown) .slot = ken_store__sq_##slot,
                                          KEN_STORE_SLOTS(X)
#undef X
};

ken_status ken_store__sqlite_open(const ken_store_opts *opts, ken_store_backend **out, ken_err *err)
{
    ken_sq *q = ken_zalloc(sizeof *q);
    q->backend.ops = &sqlite_ops;
    ken_status st = ken_store__sq_connect(q, &ken_store__sq_index_schema, opts, err);
    if (!st) {
        st = ken_store__sq_choose_tree(q, opts->tree, err);
        if (st)
            ken_store__sq_release(q);
    }
    if (st) {
        ken_free(q);
        return st;
    }
    *out = &q->backend;
    return KEN_OK;
}
