// SPDX-License-Identifier: MIT
// Where lines of the log go: stderr, or a file that is renamed when it is full. Several processes may
// write the same file: one of them renames it, under a lock, and the others notice when what they
// write to is full and no longer the file of that name.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/path.h"
#include "obs/log.h"
#include "obs/obs_priv.h"

enum {
    PATH_MAX_BYTES = 3800
};

static struct {
    pthread_mutex_t lock; // guards all below
    int fd;               // -1 = stderr
    char path[PATH_MAX_BYTES + 1];
    uint64_t max_bytes, n_bytes; // of the file, as far as we know
    unsigned keep;
    uint64_t n_missed; // lines since the file was written last
    bool is_torn;      // it ends with a part of a line
} sink = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };

static ken_status open_sink(const char *path, ken_err *err)
{
    int fd = -1;
    uint64_t size = 0;
    ken_status st = ken_fs_open_append(path, false, &fd, &size, err);
    if (st)
        return st;
    if (sink.fd >= 0)
        ken_fs_close(sink.fd);
    sink.fd = fd;
    sink.n_bytes = size;
    sink.is_torn = false;
    return KEN_OK;
}

static void numbered(unsigned i, char out[PATH_MAX_BYTES + 16])
{
    snprintf(out, PATH_MAX_BYTES + 16, "%s.%u", sink.path, i);
}

// "log" to "log.1", that to "log.2" …; the last one goes.
static ken_status rename_all(void)
{
    char from[PATH_MAX_BYTES + 16], to[PATH_MAX_BYTES + 16];
    if (!sink.keep)
        return ken_fs_remove(sink.path, NULL);
    for (unsigned i = sink.keep; i > 1; i--) {
        numbered(i - 1, from);
        numbered(i, to);
        ken_status st = ken_fs_exists(from) ? ken_fs_rename(from, to, NULL) : KEN_OK;
        if (st)
            return st;
    }
    numbered(1, to);
    return ken_fs_rename(sink.path, to, NULL);
}

// The size of the file that has the name now; 0 when there is none.
static uint64_t size_of_named(void)
{
    ken_fs_info info;
    return ken_fs_stat(KEN_FS_CWD, sink.path, &info, NULL) ? 0 : info.stamp.size;
}

// What fails here costs no line: they go on into the file that is open.
static void rotate(void)
{
    char lock_path[PATH_MAX_BYTES + 16];
    int lock = -1;
    snprintf(lock_path, sizeof lock_path, "%s.lock", sink.path);
    sink.n_bytes = 0; // asked again when as much has been written once more
    if (ken_fs_lock(lock_path, &lock, NULL))
        return;
    if (size_of_named() < sink.max_bytes || !rename_all())
        (void)open_sink(sink.path, NULL);
    ken_fs_unlock(lock);
}

// How much was written; -1 = nothing.
static ssize_t write_once(int fd, ken_str line)
{
    ssize_t n;
    do {
        n = write(fd, line.ptr, line.len);
    } while (n < 0 && errno == EINTR);
    return n;
}

// The file's part of a line that did not fit any more is ended first. False: errno says why.
static bool write_file(ken_str line)
{
    if (sink.is_torn && write_once(sink.fd, KEN_STR("\n")) != 1)
        return false;
    sink.is_torn = false;
    ssize_t n = write_once(sink.fd, line);
    if (n == (ssize_t)line.len)
        return true;
    sink.is_torn = n > 0;
    if (n >= 0)
        errno = ENOSPC;
    return false;
}

obs_put ken_obs__log_put(ken_str line)
{
    obs_put told = { 0 };
    pthread_mutex_lock(&sink.lock);
    if (sink.fd < 0) {
        (void)write_once(STDERR_FILENO, line);
    } else if (write_file(line)) {
        told.n_missed = sink.n_missed;
        sink.n_missed = 0;
        sink.n_bytes += line.len;
        if (sink.n_bytes >= sink.max_bytes)
            rotate();
    } else {
        told.error = sink.n_missed++ ? 0 : errno;
        (void)write_once(STDERR_FILENO, line);
    }
    pthread_mutex_unlock(&sink.lock);
    return told;
}

ken_status ken_log_open_file(const char *path, uint64_t max_bytes, unsigned keep, ken_err *err)
{
    size_t n = strlen(path);
    char dir[PATH_MAX_BYTES + 1];
    if (n > PATH_MAX_BYTES || path[0] != '/')
        return KEN_FAIL(err, KEN_EINVAL, "'%.200s' is no absolute path of at most %d bytes", path,
                        PATH_MAX_BYTES);
    ken_str above = ken_path_dir(ken_str_c(path));
    snprintf(dir, sizeof dir, KEN_STR_FMT, KEN_STR_ARG(above));
    ken_status st = ken_fs_make_dirs(dir, 0700, err);
    pthread_mutex_lock(&sink.lock);
    if (!st)
        st = open_sink(path, err);
    if (!st) {
        memcpy(sink.path, path, n + 1);
        sink.max_bytes = max_bytes;
        sink.keep = keep;
    }
    pthread_mutex_unlock(&sink.lock);
    return st;
}

void ken_log_close_file(void)
{
    pthread_mutex_lock(&sink.lock);
    if (sink.fd >= 0)
        ken_fs_close(sink.fd);
    sink.fd = -1;
    pthread_mutex_unlock(&sink.lock);
}
