// SPDX-License-Identifier: MIT
// A disk that is full, fails, or loses what was not synced. A VFS of SQLite around the real one
// counts writes and syncs, fails the n-th, and keeps what each file looked like when it was last
// synced.
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <sqlite3.h>

#include "conformance/store/store_scenario.h"
#include "ktest.h"
#include "store/catalog.h"
#include "store/sqlite/sqlite_catalog_priv.h"
#include "store/sqlite/sqlite_vfs_priv.h"
#include "store/tasks.h"

// ---- the disk --------------------------------------------------------------------------------

typedef struct disk_file {
    sqlite3_file base;
    char synced[600]; // where the last synced state is kept; "" = not kept
    char name[600];
    // the real file follows
} disk_file;

static struct {
    sqlite3_vfs vfs, *real;
    int n_changes;  // writes, syncs and truncations so far
    int fail_at;    // 0 = never; that one and all after it fail
    int rc;         // with what; SQLITE_FULL = only writes fail
    int lock_error; // errno of every lock of shared memory; 0 = they work
    int n_locks;    // that failed
    bool keeps_synced;
    char snapshot_dir[500]; // where synced states go
} disk;

static sqlite3_file *real_of(sqlite3_file *f)
{
    return (sqlite3_file *)(void *)((disk_file *)(void *)f + 1);
}

static bool is_failing(void)
{
    disk.n_changes++;
    return disk.fail_at && disk.n_changes >= disk.fail_at;
}

static int disk_close(sqlite3_file *f)
{
    return real_of(f)->pMethods ? real_of(f)->pMethods->xClose(real_of(f)) : SQLITE_OK;
}

static int disk_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at)
{
    return real_of(f)->pMethods->xRead(real_of(f), p, n, at);
}

static int disk_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
    if (is_failing())
        return disk.rc == SQLITE_FULL ? SQLITE_FULL : SQLITE_IOERR_WRITE;
    return real_of(f)->pMethods->xWrite(real_of(f), p, n, at);
}

static int disk_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    return is_failing() && disk.rc != SQLITE_FULL
               ? SQLITE_IOERR_TRUNCATE
               : real_of(f)->pMethods->xTruncate(real_of(f), size);
}

static void copy_file(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    static char buf[1 << 16];
    size_t n;
    if (!in || !out)
        abort();
    while ((n = fread(buf, 1, sizeof buf, in)) > 0)
        if (fwrite(buf, 1, n, out) != n)
            abort();
    fclose(in);
    if (fclose(out))
        abort();
}

static int disk_sync(sqlite3_file *f, int flags)
{
    const disk_file *d = (disk_file *)(void *)f;
    if (is_failing() && disk.rc != SQLITE_FULL)
        return SQLITE_IOERR_FSYNC;
    if (disk.keeps_synced && d->synced[0])
        copy_file(d->name, d->synced);
    return real_of(f)->pMethods->xSync(real_of(f), flags);
}

static int disk_size(sqlite3_file *f, sqlite3_int64 *out)
{
    return real_of(f)->pMethods->xFileSize(real_of(f), out);
}

static int disk_lock(sqlite3_file *f, int level)
{
    return real_of(f)->pMethods->xLock(real_of(f), level);
}

static int disk_unlock(sqlite3_file *f, int level)
{
    return real_of(f)->pMethods->xUnlock(real_of(f), level);
}

static int disk_check_lock(sqlite3_file *f, int *out)
{
    return real_of(f)->pMethods->xCheckReservedLock(real_of(f), out);
}

static int disk_control(sqlite3_file *f, int op, void *arg)
{
    return real_of(f)->pMethods->xFileControl(real_of(f), op, arg);
}

static int disk_sector(sqlite3_file *f)
{
    return real_of(f)->pMethods->xSectorSize(real_of(f));
}

static int disk_traits(sqlite3_file *f)
{
    return real_of(f)->pMethods->xDeviceCharacteristics(real_of(f));
}

static int disk_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
    return real_of(f)->pMethods->xShmMap(real_of(f), page, size, extend, out);
}

// As SQLite's own: whatever the system answers, the lock is called busy.
static int disk_shm_lock(sqlite3_file *f, int from, int n, int flags)
{
    if (disk.lock_error && flags & SQLITE_SHM_LOCK) {
        errno = disk.lock_error;
        disk.n_locks++;
        return SQLITE_BUSY;
    }
    return real_of(f)->pMethods->xShmLock(real_of(f), from, n, flags);
}

static void disk_shm_barrier(sqlite3_file *f)
{
    real_of(f)->pMethods->xShmBarrier(real_of(f));
}

static int disk_shm_unmap(sqlite3_file *f, int is_last)
{
    return real_of(f)->pMethods->xShmUnmap(real_of(f), is_last);
}

static int disk_fetch(sqlite3_file *f, sqlite3_int64 at, int n, void **out)
{
    return real_of(f)->pMethods->xFetch(real_of(f), at, n, out);
}

static int disk_unfetch(sqlite3_file *f, sqlite3_int64 at, void *p)
{
    return real_of(f)->pMethods->xUnfetch(real_of(f), at, p);
}

static const sqlite3_io_methods disk_methods = {
    3,
    disk_close,
    disk_read,
    disk_write,
    disk_truncate,
    disk_sync,
    disk_size,
    disk_lock,
    disk_unlock,
    disk_check_lock,
    disk_control,
    disk_sector,
    disk_traits,
    disk_shm_map,
    disk_shm_lock,
    disk_shm_barrier,
    disk_shm_unmap,
    disk_fetch,
    disk_unfetch,
};

static int disk_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out_flags)
{
    (void)vfs;
    disk_file *d = (disk_file *)(void *)f;
    memset(d, 0, sizeof *d + (size_t)disk.real->szOsFile);
    int rc = disk.real->xOpen(disk.real, name, real_of(f), flags, out_flags);
    if (real_of(f)->pMethods)
        f->pMethods = &disk_methods;
    if (!rc && name) {
        const char *base = strrchr(name, '/');
        snprintf(d->name, sizeof d->name, "%s", name);
        snprintf(d->synced, sizeof d->synced, "%s%s", disk.snapshot_dir, base ? base : name);
    }
    return rc;
}

// Between the layer of checksums and the real disk. SQLite looks for a VFS when a file is opened, so
// one that is open goes on with the methods it has.
static void put_between(sqlite3_vfs *vfs)
{
    ken_store__sq_vfs_init();
    ken_store__sq_vfs_over(vfs);
}

static void use_disk(void)
{
    if (!disk.real) {
        disk.real = sqlite3_vfs_find(NULL);
        disk.vfs = *disk.real;
        disk.vfs.zName = "test-disk";
        disk.vfs.szOsFile = (int)sizeof(disk_file) + disk.real->szOsFile;
        disk.vfs.xOpen = disk_open;
    }
    disk.n_changes = disk.fail_at = disk.lock_error = disk.n_locks = 0;
    disk.keeps_synced = false;
    snprintf(disk.snapshot_dir, sizeof disk.snapshot_dir, "%s", ktest_dir());
    put_between(&disk.vfs);
}

static void leave_disk(void)
{
    disk.fail_at = 0;
    disk.keeps_synced = false;
    put_between(disk.real);
}

// ---- helpers ---------------------------------------------------------------------------------

static ken_err err;

static sqlite3 *db_of(ken_catalog *c)
{
    return ken_sq_catalog_of(ken_catalog__backend(c))->q.db;
}

static ken_store *must_open(const char *path, bool is_read_only)
{
    ken_store *s = NULL;
    const ken_store_opts opts = { .path = path, .is_read_only = is_read_only };
    kt_ok_err(ken_store_open(&opts, &s, &err), &err);
    return s;
}

static uint64_t check(ken_store *s)
{
    uint64_t g = 0;
    const char *wrong = NULL;
    kt_ok_err(scn_check(s, &g, &wrong, &err), &err);
    kt_eq_str(wrong, NULL);
    return g;
}

// Writes generations on a disk that fails from the n-th change on, for growing n, until a whole run
// gets through. The same store, and others, always see a whole generation.
static void fail_each_change(int rc, ken_status want)
{
    const char *path = ktest_path("p.db");
    use_disk();
    disk.rc = rc;
    ken_store *s = must_open(path, false);
    kt_ok_err(scn_write(s, 1, &err), &err);
    uint64_t g = 1;
    int n_failed = 0;
    for (int n = 1;; n += 1 + n / 8) {
        disk.n_changes = 0;
        disk.fail_at = n;
        ken_status st = scn_write(s, g + 1, &err);
        bool was_reached = disk.n_changes >= n;
        if (st) {
            ktest_status(st, want, &err, "writing", __FILE__, __LINE__);
            kt_has_str(err.msg, path);
            n_failed++;
        }
        uint64_t now = check(s); // still full: reading goes on
        kt_true(now == g || now == g + 1);
        g = now;
        disk.fail_at = 0;
        ken_store *other = must_open(path, true);
        kt_eq_u(check(other), g);
        ken_store_close(other);
        if (!was_reached)
            break;
    }
    kt_true(n_failed > 8);
    kt_ok_err(scn_write(s, g + 1, &err), &err);
    kt_ok_err(ken_store_verify(s, &err), &err);
    ken_store_close(s);
    leave_disk();
    s = must_open(path, true);
    kt_eq_u(check(s), g + 1);
    ken_store_close(s);
}

// ---- tests -----------------------------------------------------------------------------------

KEN_TEST(full_disk_keeps_the_last_generation)
{
    fail_each_change(SQLITE_FULL, KEN_ENOSPC);
}

KEN_TEST(failing_disk_keeps_the_last_generation)
{
    fail_each_change(SQLITE_IOERR, KEN_EIO);
}

KEN_TEST(full_disk_makes_no_index)
{
    use_disk();
    disk.rc = SQLITE_FULL;
    for (int n = 1; n < 40; n++) {
        const char *path = ktest_path("new.db");
        disk.n_changes = 0;
        disk.fail_at = n;
        ken_store *s = NULL;
        ken_status st = ken_store_open(&(ken_store_opts){ .path = path }, &s, &err);
        if (!st)
            ken_store_close(s);
        else
            kt_true(st == KEN_ENOSPC || st == KEN_EIO);
        disk.fail_at = 0;
        s = must_open(path, false);
        kt_eq_u(check(s), 0);
        ken_store_close(s);
        kt_ok(ken_fs_remove(path, &err));
    }
    leave_disk();
}

// A file system without locks is no writer that one could wait for.
KEN_TEST(a_lock_that_fails_is_not_tried_again)
{
    const char *path = ktest_path("p.db");
    use_disk();
    ken_store *s = must_open(path, false);
    kt_ok_err(scn_write(s, 1, &err), &err);
    ken_store_close(s);
    ken_store *reader = must_open(path, true);
    s = must_open(path, false);
    static const struct {
        int error;
        ken_status want;
    } cases[] = { { EIO, KEN_EIO }, { ENOLCK, KEN_ENOMEM } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t g = 0;
        disk.lock_error = cases[i].error;
        disk.n_locks = 0;
        kt_eq_i(ken_store_get_generation(reader, &g, &err), cases[i].want);
        kt_eq_i(scn_write(s, 2, &err), cases[i].want);
        kt_true(disk.n_locks > 0 && disk.n_locks < 10);
        disk.lock_error = 0;
        kt_eq_u(check(reader), 1);
    }
    kt_ok_err(scn_write(s, 2, &err), &err);
    ken_store_close(s);
    ken_store_close(reader);
    leave_disk();
}

// The disk as it is after the power failed: of each file only what was synced.
static void check_after_power_cut(uint64_t at_least, uint64_t at_most)
{
    leave_disk();
    char from[600], to[600];
    static const char *const suffixes[] = { "", "-wal", "-shm" };
    for (int i = 0; i < 3; i++) {
        snprintf(from, sizeof from, "%s/disk/p.db%s", ktest_dir(), suffixes[i]);
        snprintf(to, sizeof to, "%s/after/p.db%s", ktest_dir(), suffixes[i]);
        kt_ok(ken_fs_remove(to, &err));
        if (i < 2 && ken_fs_exists(from))
            copy_file(from, to);
    }
    snprintf(to, sizeof to, "%s/after/p.db", ktest_dir());
    ken_store *s = must_open(to, false);
    uint64_t g = check(s);
    kt_true(g >= at_least && g <= at_most);
    kt_ok_err(ken_store_verify(s, &err), &err);
    ken_store_close(s);
    put_between(&disk.vfs);
    disk.keeps_synced = true;
}

KEN_TEST(power_cut_keeps_committed_generations)
{
    const char *path = ktest_path("p.db");
    (void)ktest_path("after/x");
    use_disk();
    snprintf(disk.snapshot_dir, sizeof disk.snapshot_dir, "%s", ktest_path("disk"));
    (void)ktest_path("disk/x");
    disk.keeps_synced = true;
    ken_store *s = must_open(path, false);
    for (uint64_t g = 1; g <= 12; g++) {
        ken_arena arena;
        ken_arena_init(&arena, 0);
        int64_t *contents = KEN_ARENA_ARRAY(&arena, int64_t, scn_n_files(g));
        kt_ok_err(scn_put_contents(s, g, &arena, contents, &err), &err);
        check_after_power_cut(g - 1, g - 1); // batches may be lost, the generation not
        kt_ok(ken_store_begin_write(s, &err));
        kt_ok(scn_put_files(s, g, contents, &arena, &err));
        if (g % SCN_MERGE_EVERY == 0)
            kt_ok(scn_merge(s, g, contents, &arena, &err));
        kt_ok(scn_put_generation(s, g, &err));
        kt_ok(ken_store_commit(s, &err));
        check_after_power_cut(g, g);
        if (g % 3 == 0) {
            kt_ok(ken_store_checkpoint(s, &err));
            check_after_power_cut(g, g);
        }
        ken_arena_release(&arena);
    }
    ken_store_close(s);
    check_after_power_cut(12, 12);
    leave_disk();
}

// ---- the list of projects ----------------------------------------------------------------------
// What is acknowledged is durable by its line in the journal, which is synced before the commit; the log
// is not synced after it. So a power cut may take the log's end, or all of it, and nothing is lost.

// The power fails now: of the database what was synced, of its log the first `kept` bytes (of those that
// were written, or UINT64_MAX: of those that were synced), then maybe zeros; all of the journal.
static void cut_power(uint64_t kept, bool has_zeros)
{
    char command[2600];
    const char *dir = ktest_dir();
    snprintf(
        command, sizeof command,
        "cd '%s' && rm -rf after && mkdir -p after/config && cp disk/config/projects.db.writes "
        "after/config && if [ -e synced/projects.db ]; then cp synced/projects.db after/config; "
        "fi",
        dir);
    kt_eq_i(system(command), 0);
    if (kept == UINT64_MAX)
        snprintf(command, sizeof command,
                 "cd '%s' && if [ -e synced/projects.db-wal ]; then cp synced/projects.db-wal "
                 "after/config; fi",
                 dir);
    else
        snprintf(
            command, sizeof command,
            "cd '%s' && head -c %llu disk/config/projects.db-wal > after/config/projects.db-wal "
            "&& head -c %d /dev/zero >> after/config/projects.db-wal",
            dir, (unsigned long long)kept, has_zeros ? 5000 : 0);
    kt_eq_i(system(command), 0);
}

// All that was acknowledged is there: values as they were put last, tasks by their titles.
static void check_list(int n_done, const char *what)
{
    leave_disk();
    ken_catalog *c = NULL;
    ken_arena arena;
    ken_arena_init(&arena, 0);
    kt_ok_err(ken_catalog_open(ktest_path("after/config/projects.db"), false, &c, &err), &err);
    ken_str value = { 0 };
    char want[40];
    snprintf(want, sizeof want, "value %d", n_done);
    kt_ok_err(ken_catalog_load_value(c, KEN_STR("last"), &arena, &value, &err), &err);
    if (!ken_str_eq(value, ken_str_c(want)))
        kt_fail("%s: %s is acknowledged, and " KEN_STR_FMT " is there", what, want,
                KEN_STR_ARG(value));
    uint64_t n_projects = 0, n_tasks = 0;
    kt_ok_err(ken_catalog_count(c, &n_projects, &n_tasks, &err), &err);
    kt_eq_u(n_tasks, (uint64_t)n_done);
    bool agrees = false;
    kt_ok_err(ken_catalog_verify(c, &agrees, &err), &err);
    kt_true(agrees);
    ken_catalog_close(c);
    ken_arena_release(&arena);
}

static void write_once(ken_catalog *c, ken_arena *arena, int n)
{
    char text[40];
    snprintf(text, sizeof text, "value %d", n);
    ken_task out = { 0 }, t = { .uuid = ken_uuid_random(),
                                .title = ken_str_c(text),
                                .status = KEN_STR("todo"),
                                .created_at_ms = n };
    kt_ok_err(ken_catalog_add_task(c, &t, arena, &out, &err), &err);
    kt_ok_err(ken_catalog_put_value(c, KEN_STR("last"), ken_str_c(text), &err), &err);
}

KEN_TEST(power_cut_takes_no_acknowledged_task)
{
    enum {
        WRITES = 10,
        CUTS = 3,
    };
    uint64_t random = 4711, n_short = 0;
    ken_arena arena;
    ken_catalog *c = NULL;
    ken_arena_init(&arena, 0);
    (void)ktest_path("synced/x");
    use_disk();
    disk.keeps_synced = true;
    snprintf(disk.snapshot_dir, sizeof disk.snapshot_dir, "%s/synced", ktest_dir());
    kt_ok_err(ken_catalog_open(ktest_path("disk/config/projects.db"), false, &c, &err), &err);
    for (int n = 1; n <= WRITES; n++) {
        write_once(c, &arena, n);
        if (n % 4 == 0) // the log goes into the database, and begins again
            kt_eq_i(
                sqlite3_wal_checkpoint_v2(db_of(c), NULL, SQLITE_CHECKPOINT_RESTART, NULL, NULL),
                SQLITE_OK);
        ken_fs_info log;
        kt_ok_err(ken_fs_stat_target(ktest_path("disk/config/projects.db-wal"), &log, &err), &err);
        for (int k = 0; k <= CUTS; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            uint64_t kept = k ? (random >> 20) % (log.stamp.size + 1) : UINT64_MAX;
            cut_power(kept, k % 2);
            n_short += kept < log.stamp.size;
            check_list(n, k ? "a part of the log" : "what was synced of the log");
            put_between(&disk.vfs);
            disk.keeps_synced = true;
        }
    }
    kt_true(n_short > WRITES);
    ken_catalog_close(c);
    leave_disk();
    ken_arena_release(&arena);
}
