// SPDX-License-Identifier: MIT
// A layer under SQLite that notices damage: every page that comes from the disk is what was written.
//
//   database   The last 8 bytes of each page are reserved for us. They hold XXH3-64 of the rest, less
//              a multiple of the page's number, so that a page in a wrong place is noticed, too. They
//              are made in xWrite, on a copy, and checked in xRead and, where pages are mapped, in
//              xFetch.
//   log        SQLite gives each frame a checksum over all frames before it and checks it only when
//              it recovers a log. Here every frame that is read is checked: from the sum in the
//              header of the frame before. Nothing is added to the log.
//
// A database without reserved bytes (byte 20 of its header) is read as it is: older versions made it,
// and ken_store__sq_connect converts it. Plain SQLite reads our files, and must not write them.
//
// A mapped page that cannot be read, because the file was cut or the disk fails, is damage like any
// other (sqlite_mapped.c): the connection that met it does nothing more.
//
// Not detected: a page that the disk never wrote, or returned in an older state.
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "store/sqlite/sqlite_mapped_priv.h"
#include "store/sqlite/sqlite_vfs_priv.h"
#include "store/store.h"

enum {
    MIN_PAGE = 512,
    MAX_PAGE = 65536,
    HEADER_BYTES = 100,
    RESERVED_AT = 20, // in the header of the database
    COUNT_AT = 28,    // pages that it has
    FRAME_HEADER = 24,
    LOG_HEADER = 32,
    FCNTL_GET_DAMAGE = 0x4b454e01, // out: ken_sq_damage
    FCNTL_HAS_SUMS = 0x4b454e02,   // out: int
};

static const uint64_t page_factor = 0x9e3779b97f4a7c15u;

typedef struct sum {
    uint32_t a, b;
} sum;

typedef struct shim_file {
    sqlite3_file base;
    sqlite3_file *real;     // behind this struct
    struct shim_file *main; // of a log: the database's; else itself
    ken_sq_damage damage;   // of the database's: the last page that was not as written
    unsigned char *copy;    // one page with its sum; at first need
    size_t copy_bytes;
    // of a database
    bool has_sums;
    atomic_bool is_lost; // a mapping of it or of its log's shared memory
    const char *mapped;  // where it is mapped, and how many bytes of that are valid
    size_t mapped_bytes;
    sqlite3_int64 map_limit; // what SQLite may map of it
    // of a log
    int64_t framed_at;    // where the data of the frame begins whose header was written last
    int64_t end_at;       // behind the data that was appended last
    int64_t unsettled_at; // data from here on was written again, and its sums not yet; or -1
    bool is_log;
    const char *name; // of the database's: SQLite's text, as long as the file is open
} shim_file;

// The last damage that this thread met and did not forget since.
static _Thread_local struct {
    uint64_t page; // 0 = nothing
    bool is_in_log;
    bool is_lost; // not a page, but what was mapped
    char path[PATH_MAX];
} met;

static shim_file *shim_of(sqlite3_file *f)
{
    return (shim_file *)(void *)f;
}

static bool is_page(int n, sqlite3_int64 at)
{
    return n >= MIN_PAGE && n <= MAX_PAGE && !(n & (n - 1)) && at % n == 0;
}

static uint64_t sum_of_page(const unsigned char *page, int n, sqlite3_int64 at)
{
    uint64_t number = (uint64_t)(at / n) + 1;
    return ken_hash64(page, (size_t)n - KEN_SQ_RESERVED) - number * page_factor;
}

static int note_damage(shim_file *f, uint64_t page)
{
    f->main->damage = (ken_sq_damage){ .page = page ? page : 1,
                                       .is_in_log = f->is_log,
                                       .is_lost = atomic_load(&f->main->is_lost) };
    met.page = f->main->damage.page;
    met.is_in_log = f->is_log;
    met.is_lost = f->main->damage.is_lost;
    snprintf(met.path, sizeof met.path, "%s", f->main->name ? f->main->name : "");
    return SQLITE_IOERR_DATA;
}

// In the handler of a signal: nothing that takes a lock or memory.
static void note_lost(const char *path)
{
    size_t n = strnlen(path, sizeof met.path - 1);
    met.page = 1;
    met.is_lost = true;
    memcpy(met.path, path, n);
    met.path[n] = '\0';
}

// The answer of every call that would believe what is mapped, or write by it, once it is lost.
static int check_mapped(shim_file *f)
{
    return atomic_load_explicit(&f->main->is_lost, memory_order_relaxed) ? note_damage(f, 0)
                                                                         : SQLITE_OK;
}

static int check_page(shim_file *f, const unsigned char *page, int n, sqlite3_int64 at)
{
    return ken_get64(page + n - KEN_SQ_RESERVED) == sum_of_page(page, n, at)
               ? SQLITE_OK
               : note_damage(f, (uint64_t)(at / n) + 1);
}

// ---- the log -----------------------------------------------------------------------------------

static uint32_t get_big32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

// SQLite's own sum; its words are of the machine that began the log.
static void add_to_sum(sum *s, const unsigned char *bytes, int n, bool is_big)
{
    for (int i = 0; i < n; i += 8) {
        s->a += (is_big ? get_big32(bytes + i) : ken_get32(bytes + i)) + s->b;
        s->b += (is_big ? get_big32(bytes + i + 4) : ken_get32(bytes + i + 4)) + s->a;
    }
}

static sum read_sum(const unsigned char *p)
{
    return (sum){ get_big32(p), get_big32(p + 4) };
}

// A read that the system refuses (EIO) is no damage of the file: SQLite would call it that.
static int read_real(shim_file *f, void *into, int n, sqlite3_int64 at)
{
    int rc = f->real->pMethods->xRead(f->real, into, n, at);
    return rc == SQLITE_IOERR_CORRUPTFS ? SQLITE_IOERR_READ : rc;
}

// The data of a frame is read: does it give the sum in its header, from that of the frame before?
static int check_frame(shim_file *f, const unsigned char *data, int n, sqlite3_int64 at)
{
    unsigned char header[FRAME_HEADER], before[8], magic[4];
    bool is_first = at == LOG_HEADER + FRAME_HEADER;
    sqlite3_int64 sum_at = is_first ? LOG_HEADER - 8 : at - FRAME_HEADER - n - 8;
    int rc = read_real(f, magic, sizeof magic, 0);
    if (!rc)
        rc = read_real(f, header, sizeof header, at - FRAME_HEADER);
    if (!rc)
        rc = read_real(f, before, sizeof before, sum_at);
    if (rc)
        return rc;
    sum s = read_sum(before), said = read_sum(header + 16);
    bool is_big = magic[3] & 1; // 0x377f0682, or ..83
    add_to_sum(&s, header, 8, is_big);
    add_to_sum(&s, data, n, is_big);
    return s.a == said.a && s.b == said.b ? SQLITE_OK : note_damage(f, get_big32(header));
}

static bool is_frame_data(const shim_file *f, int n, sqlite3_int64 at)
{
    return n >= MIN_PAGE && !(n & (n - 1)) &&
           (at - LOG_HEADER - FRAME_HEADER) % (n + FRAME_HEADER) == 0 &&
           (f->unsettled_at < 0 || at < f->unsettled_at);
}

// A transaction that spills a page twice writes it into the frame it has, and all sums from there on
// when it ends, with one header after the other.
static void note_log_write(shim_file *f, int n, sqlite3_int64 at)
{
    if (n == FRAME_HEADER) {
        f->framed_at = at + FRAME_HEADER;
        if (f->unsettled_at >= 0 && f->end_at > at && f->end_at - at <= MAX_PAGE + FRAME_HEADER)
            f->unsettled_at = -1; // the header of the last frame
    } else if (n >= MIN_PAGE && at == f->framed_at) {
        f->end_at = at + n;
        f->framed_at = -1;
    } else if (n >= MIN_PAGE && (f->unsettled_at < 0 || at < f->unsettled_at)) {
        f->unsettled_at = at;
    }
}

// ---- one file ----------------------------------------------------------------------------------

static int shim_close(sqlite3_file *file)
{
    shim_file *f = shim_of(file);
    ken_store__sq_forget_mappings(&f->is_lost, false);
    ken_store__sq_forget_mappings(&f->is_lost, true);
    ken_free(f->copy);
    f->copy = NULL;
    return f->real->pMethods->xClose(f->real);
}

// A page behind the end is read as zeros. That is right for one that the open transaction adds, and
// wrong for one that the file's own header counts.
static bool is_cut_off(shim_file *f, int n, sqlite3_int64 at)
{
    unsigned char count[4];
    sqlite3_int64 size = 0;
    return f->real->pMethods->xFileSize(f->real, &size) || size > at ||
           (size && (read_real(f, count, sizeof count, COUNT_AT) || get_big32(count) > at / n));
}

// Page 1 of a file that another process was making when this one opened it, or had left half made.
static void look_at_header(shim_file *f, const unsigned char *page, int n, sqlite3_int64 at)
{
    if (!at && is_page(n, at) && page[RESERVED_AT] == KEN_SQ_RESERVED)
        f->has_sums = true;
}

static int shim_read(sqlite3_file *file, void *into, int n, sqlite3_int64 at)
{
    shim_file *f = shim_of(file);
    int rc = check_mapped(f);
    if (!rc)
        rc = read_real(f, into, n, at);
    if (f->is_log)
        return !rc && is_frame_data(f, n, at) ? check_frame(f, into, n, at) : rc;
    if (!rc)
        look_at_header(f, into, n, at);
    if (!f->has_sums || !is_page(n, at))
        return rc;
    if (rc == SQLITE_IOERR_SHORT_READ)
        return is_cut_off(f, n, at) ? note_damage(f, (uint64_t)(at / n) + 1) : rc;
    return rc ? rc : check_page(f, into, n, at);
}

static int shim_write(sqlite3_file *file, const void *from, int n, sqlite3_int64 at)
{
    shim_file *f = shim_of(file);
    int rc = check_mapped(f);
    if (rc)
        return rc;
    if (f->is_log)
        note_log_write(f, n, at);
    else
        look_at_header(f, from, n, at);
    if (f->is_log || !f->has_sums || !is_page(n, at))
        return f->real->pMethods->xWrite(f->real, from, n, at);
    if (f->copy_bytes < (size_t)n) {
        ken_free(f->copy);
        f->copy = ken_alloc((size_t)n);
        f->copy_bytes = (size_t)n;
    }
    memcpy(f->copy, from, (size_t)n - KEN_SQ_RESERVED);
    ken_put64(f->copy + n - KEN_SQ_RESERVED, sum_of_page(from, n, at));
    return f->real->pMethods->xWrite(f->real, f->copy, n, at);
}

static void note_mapping(shim_file *f, const void *page, int n, sqlite3_int64 at)
{
    const char *base = (const char *)page - at;
    size_t end = (size_t)at + (size_t)n;
    sqlite3_int64 size = 0;
    if (base == f->mapped && end <= f->mapped_bytes)
        return;
    // SQLite maps as much as it may at once.
    if (!f->real->pMethods->xFileSize(f->real, &size) && (size_t)size > end) {
        size_t most = (size_t)(size < f->map_limit ? size : f->map_limit);
        end = most > end ? most : end;
    }
    f->mapped = base;
    f->mapped_bytes = end;
    ken_store__sq_note_mapping(&f->is_lost, f->name, base, end, false);
}

static int shim_fetch(sqlite3_file *file, sqlite3_int64 at, int n, void **out)
{
    shim_file *f = shim_of(file);
    int rc = f->real->pMethods->xFetch(f->real, at, n, out);
    if (rc || !*out)
        return rc;
    note_mapping(f, *out, n, at);
    if (f->has_sums && is_page(n, at))
        rc = check_page(f, *out, n, at);
    if (!rc)
        rc = check_mapped(f);
    if (rc) {
        (void)f->real->pMethods->xUnfetch(f->real, at, *out);
        *out = NULL;
    }
    return rc;
}

static int shim_unfetch(sqlite3_file *file, sqlite3_int64 at, void *page)
{
    shim_file *f = shim_of(file);
    if (!page) { // the whole mapping goes
        ken_store__sq_forget_mappings(&f->is_lost, false);
        f->mapped_bytes = 0;
    }
    return f->real->pMethods->xUnfetch(f->real, at, page);
}

static int shim_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    shim_file *f = shim_of(file);
    if (!size) // what comes next is a new database
        f->has_sums = true;
    return f->real->pMethods->xTruncate(f->real, size);
}

static int shim_sync(sqlite3_file *file, int flags)
{
    shim_file *f = shim_of(file);
    return f->real->pMethods->xSync(f->real, flags);
}

static int shim_size(sqlite3_file *file, sqlite3_int64 *out)
{
    shim_file *f = shim_of(file);
    return f->real->pMethods->xFileSize(f->real, out);
}

static int shim_lock(sqlite3_file *file, int level)
{
    shim_file *f = shim_of(file);
    return f->real->pMethods->xLock(f->real, level);
}

static int shim_unlock(sqlite3_file *file, int level)
{
    shim_file *f = shim_of(file);
    return f->real->pMethods->xUnlock(f->real, level);
}

static int shim_is_reserved(sqlite3_file *file, int *out)
{
    shim_file *f = shim_of(file);
    return f->real->pMethods->xCheckReservedLock(f->real, out);
}

static int shim_control(sqlite3_file *file, int op, void *arg)
{
    shim_file *f = shim_of(file);
    if (op == FCNTL_GET_DAMAGE) {
        *(ken_sq_damage *)arg = f->main->damage;
        return SQLITE_OK;
    }
    if (op == FCNTL_HAS_SUMS) {
        *(int *)arg = f->has_sums;
        return SQLITE_OK;
    }
    if (op == SQLITE_FCNTL_MMAP_SIZE && *(const sqlite3_int64 *)arg >= 0)
        f->map_limit = *(const sqlite3_int64 *)arg; // below SQLite's own limit
    return f->real->pMethods->xFileControl(f->real, op, arg);
}

static int shim_sector(sqlite3_file *file)
{
    shim_file *f = shim_of(file);
    return f->real->pMethods->xSectorSize(f->real);
}

static int shim_traits(sqlite3_file *file)
{
    shim_file *f = shim_of(file);
    return f->real->pMethods->xDeviceCharacteristics(f->real);
}

static int shim_shm_map(sqlite3_file *file, int region, int n, int may_extend, void volatile **out)
{
    shim_file *f = shim_of(file);
    int rc = f->real->pMethods->xShmMap(f->real, region, n, may_extend, out);
    if (!rc && *out)
        ken_store__sq_note_mapping(&f->is_lost, f->name, (const void *)(uintptr_t)*out, (size_t)n,
                                   true);
    return rc ? rc : check_mapped(f);
}

// SQLite calls every lock of shared memory that it does not get busy, and tries again for 10 to 30
// seconds, each statement anew. Where locking itself fails (ENOLCK, EIO) that is an error at once.
static bool is_lock_fault(int error)
{
    return error && error != EAGAIN && error != EACCES && error != EINTR;
}

static int shim_shm_lock(sqlite3_file *file, int offset, int n, int flags)
{
    shim_file *f = shim_of(file);
    int rc = flags & SQLITE_SHM_LOCK ? check_mapped(f) : SQLITE_OK;
    if (rc)
        return rc;
    errno = 0; // stays so where another connection of this process is in the way
    rc = f->real->pMethods->xShmLock(f->real, offset, n, flags);
    return rc == SQLITE_BUSY && is_lock_fault(errno) ? SQLITE_IOERR_SHMLOCK : rc;
}

static void shim_shm_barrier(sqlite3_file *file)
{
    shim_file *f = shim_of(file);
    f->real->pMethods->xShmBarrier(f->real);
}

static int shim_shm_unmap(sqlite3_file *file, int wants_removal)
{
    shim_file *f = shim_of(file);
    ken_store__sq_forget_mappings(&f->is_lost, true);
    return f->real->pMethods->xShmUnmap(f->real, wants_removal);
}

static const sqlite3_io_methods shim_methods = {
    .iVersion = 3,
    .xClose = shim_close,
    .xRead = shim_read,
    .xWrite = shim_write,
    .xTruncate = shim_truncate,
    .xSync = shim_sync,
    .xFileSize = shim_size,
    .xLock = shim_lock,
    .xUnlock = shim_unlock,
    .xCheckReservedLock = shim_is_reserved,
    .xFileControl = shim_control,
    .xSectorSize = shim_sector,
    .xDeviceCharacteristics = shim_traits,
    .xShmMap = shim_shm_map,
    .xShmLock = shim_shm_lock,
    .xShmBarrier = shim_shm_barrier,
    .xShmUnmap = shim_shm_unmap,
    .xFetch = shim_fetch,
    .xUnfetch = shim_unfetch,
};

// ---- opening -----------------------------------------------------------------------------------

static sqlite3_vfs *real_vfs; // set before the shim is registered

// An empty file will be one of ours.
static int find_sums(shim_file *f)
{
    unsigned char header[HEADER_BYTES] = { 0 };
    sqlite3_int64 size = 0;
    int rc = f->real->pMethods->xFileSize(f->real, &size);
    if (!rc && size >= HEADER_BYTES)
        rc = read_real(f, header, HEADER_BYTES, 0);
    f->has_sums = !size || header[RESERVED_AT] == KEN_SQ_RESERVED;
    return rc;
}

static int shim_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
    (void)vfs;
    if (!(flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL))) // journals and temporary files are read
        return real_vfs->xOpen(real_vfs, name, file, flags, out); // by SQLite's own rules
    shim_file *f = shim_of(file);
    *f =
        (shim_file){ .real = (sqlite3_file *)(void *)(f + 1), .unsettled_at = -1, .framed_at = -1 };
    f->is_log = flags & SQLITE_OPEN_WAL;
    f->main = f->is_log ? shim_of(sqlite3_database_file_object(name)) : f;
    f->name = name;
    int rc = real_vfs->xOpen(real_vfs, name, f->real, flags, out);
    if (!f->real->pMethods)
        return rc;
    f->base.pMethods = &shim_methods;
    return rc || f->is_log ? rc : find_sums(f);
}

static sqlite3_vfs shim_vfs;

void ken_store__sq_vfs_over(sqlite3_vfs *real)
{
    real_vfs = real;
    shim_vfs = *real; // what is not about opening is the real one's
    shim_vfs.pNext = NULL;
    shim_vfs.szOsFile = (int)sizeof(shim_file) + real->szOsFile;
    shim_vfs.zName = KEN_SQ_VFS;
    shim_vfs.xOpen = shim_open;
    (void)sqlite3_vfs_register(&shim_vfs, 0);
}

static void register_shim(void)
{
    sqlite3_vfs *real = sqlite3_vfs_find(NULL);
    ken_store__sq_guard_mappings(note_lost);
    if (real)
        ken_store__sq_vfs_over(real);
}

void ken_store__sq_vfs_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_shim);
}

// ---- for the store -----------------------------------------------------------------------------

ken_sq_damage ken_store__sq_damage_of(sqlite3 *db)
{
    ken_sq_damage d = { 0 };
    if (db)
        (void)sqlite3_file_control(db, "main", FCNTL_GET_DAMAGE, &d);
    return d;
}

bool ken_store__sq_has_sums(sqlite3 *db)
{
    int has = 0;
    return !sqlite3_file_control(db, "main", FCNTL_HAS_SUMS, &has) && has;
}

int ken_store__sq_reserve(sqlite3 *db)
{
    int n = KEN_SQ_RESERVED;
    return sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &n);
}

ken_status ken_store_find_damage(ken_arena *arena, ken_str *out_path, ken_err *err)
{
    if (!met.page)
        return KEN_OK;
    *out_path = ken_arena_dup(arena, ken_str_c(met.path));
    if (met.is_lost)
        return KEN_FAIL(err, KEN_ECORRUPT, "'%s' " KEN_SQ_LOST, met.path);
    return KEN_FAIL(err, KEN_ECORRUPT, "'%s' is damaged: page %llu%s is not what was written",
                    met.path, (unsigned long long)met.page, met.is_in_log ? " in its log" : "");
}

void ken_store_forget_damage(void)
{
    met.page = 0;
}
