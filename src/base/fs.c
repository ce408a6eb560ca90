// SPDX-License-Identifier: MIT
#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"

_Static_assert(KEN_FS_CWD == AT_FDCWD, "KEN_FS_CWD mirrors AT_FDCWD");

static ken_fs_kind kind_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return KEN_FS_FILE;
    case S_IFDIR:
        return KEN_FS_DIR;
    case S_IFLNK:
        return KEN_FS_LINK;
    default:
        return KEN_FS_OTHER;
    }
}

static ken_fs_stamp stamp_of(const struct stat *s)
{
    return (ken_fs_stamp){
        .size = (uint64_t)s->st_size,
        .mtime_ns = (int64_t)s->st_mtim.tv_sec * 1000000000 + s->st_mtim.tv_nsec,
        .ctime_ns = (int64_t)s->st_ctim.tv_sec * 1000000000 + s->st_ctim.tv_nsec,
        .inode = s->st_ino,
    };
}

static ken_status stat_at(int dir_fd, const char *path, int flags, ken_fs_info *out, ken_err *err)
{
    struct stat s;
    if (fstatat(dir_fd, path, &s, flags))
        return KEN_FAIL_ERRNO(err, errno, "path '%s'", path);
    *out = (ken_fs_info){ .kind = kind_of(s.st_mode),
                          .stamp = stamp_of(&s),
                          .id = { s.st_dev, s.st_ino },
                          .mode = s.st_mode,
                          .n_links = s.st_nlink };
    return KEN_OK;
}

bool ken_fs_hold_standard(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) >= 0)
            continue;
        // The lowest free descriptor is this one. Not closed on exec: children get their own anyway.
        if (errno != EBADF || open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return false;
    }
    return true;
}

ken_status ken_fs_stat(int dir_fd, const char *path, ken_fs_info *out, ken_err *err)
{
    return stat_at(dir_fd, path, AT_SYMLINK_NOFOLLOW, out, err);
}

ken_status ken_fs_stat_target(const char *path, ken_fs_info *out, ken_err *err)
{
    return stat_at(KEN_FS_CWD, path, 0, out, err);
}

bool ken_fs_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

ken_status ken_fs_open_dir(const char *path, int *out_fd, ken_err *err)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return KEN_FAIL_ERRNO(err, errno, "opening folder '%s'", path);
    *out_fd = fd;
    return KEN_OK;
}

void ken_fs_close(int fd)
{
    if (fd >= 0)
        close(fd);
}

static ken_status read_fd(int fd, const char *path, size_t max_bytes, ken_buf *out,
                          ken_fs_stamp *out_stamp, ken_err *err)
{
    struct stat s;
    if (fstat(fd, &s))
        return KEN_FAIL_ERRNO(err, errno, "reading '%s'", path);
    if (kind_of(s.st_mode) != KEN_FS_FILE)
        return KEN_FAIL(err, KEN_EINVAL, "'%s' is not a regular file", path);
    size_t size = (size_t)s.st_size;
    if (size > max_bytes)
        return KEN_FAIL(err, KEN_ELIMIT, "'%s' has %zu bytes, over the limit of %zu", path, size,
                        max_bytes);
    ken_buf_clear(out);
    // Reading one byte more than the size shows whether the file grew; /proc files have size 0
    // and are read to the end.
    for (;;) {
        if (!ken_buf_reserve(out, size + 1 > out->len ? size + 1 - out->len : 4096))
            return KEN_FAIL(err, KEN_ENOMEM, "reading '%s' (%zu bytes)", path, size);
        ssize_t n = read(fd, out->ptr + out->len, out->cap - 1 - out->len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return KEN_FAIL_ERRNO(err, errno, "reading '%s'", path);
        if (n == 0)
            break;
        out->len += (size_t)n;
        if (out->len > max_bytes)
            return KEN_FAIL(err, KEN_ELIMIT, "'%s' grew over the limit of %zu bytes", path,
                            max_bytes);
    }
    out->ptr[out->len] = '\0';
    if (out_stamp)
        *out_stamp = stamp_of(&s);
    return KEN_OK;
}

ken_status ken_fs_read(int dir_fd, const char *path, size_t max_bytes, ken_buf *out,
                       ken_fs_stamp *out_stamp, ken_err *err)
{
    int fd = openat(dir_fd, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return KEN_FAIL_ERRNO(err, errno, "opening '%s'", path);
    ken_status st = read_fd(fd, path, max_bytes, out, out_stamp, err);
    close(fd);
    return st;
}

// Opens the path step by step, where the kernel has no openat2.
static int open_by_steps(int root_fd, ken_str path, int flags)
{
    int fd = root_fd;
    for (;;) {
        size_t slash = ken_str_find_char(path, '/');
        ken_str part = ken_str_sub(path, 0, slash);
        char name[256];
        int next = -1;
        errno = ENOENT;
        if (part.len && part.len < sizeof name && !ken_str_eq(part, KEN_STR(".."))) {
            memcpy(name, part.ptr, part.len);
            name[part.len] = '\0';
            next =
                openat(fd, name,
                       slash == SIZE_MAX ? flags : O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        }
        int e = errno;
        if (fd != root_fd)
            close(fd);
        errno = e;
        if (next < 0 || slash == SIZE_MAX)
            return next;
        fd = next;
        path = ken_str_sub(path, slash + 1, path.len);
    }
}

static int open_beneath(int root_fd, ken_str path, int flags)
{
    char text[PATH_MAX];
    if (!path.len || path.len >= sizeof text || memchr(path.ptr, '\0', path.len)) {
        errno = EINVAL;
        return -1;
    }
    memcpy(text, path.ptr, path.len);
    text[path.len] = '\0';
    if (!memchr(text, '/', path.len) && !ken_str_eq(path, KEN_STR("..")))
        return openat(root_fd, text, flags); // not through a link: O_NOFOLLOW
    struct open_how how = { .flags = (unsigned)flags,
                            .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS };
    int fd = (int)syscall(SYS_openat2, root_fd, text, &how, sizeof how);
    if (fd < 0 && (errno == ENOSYS || errno == EPERM || errno == EINVAL || errno == EAGAIN))
        fd = open_by_steps(root_fd, path, flags);
    return fd;
}

int ken_fs_open_dir_under(int root_fd, ken_str path)
{
    int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    return path.len ? open_beneath(root_fd, path, flags) : openat(root_fd, ".", flags);
}

int ken_fs_open_real(ken_str path)
{
    int top = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    int fd = top < 0 ? -1 : ken_fs_open_dir_under(top, ken_str_sub(path, 1, path.len));
    ken_fs_close(top);
    return fd;
}

int ken_fs_open_nothing(void)
{
    return open("/dev/null", O_PATH | O_CLOEXEC); // no folder
}

ken_status ken_fs_open_under(int root_fd, ken_str path, int *out_fd, ken_fs_stamp *out_stamp,
                             ken_err *err)
{
    int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
    int fd = open_beneath(root_fd, path, flags);
    if (fd < 0)
        return KEN_FAIL_ERRNO(err, errno, "opening '" KEN_STR_FMT "'", KEN_STR_ARG(path));
    struct stat s;
    if (fstat(fd, &s)) {
        int e = errno;
        close(fd);
        return KEN_FAIL_ERRNO(err, e, "looking at '" KEN_STR_FMT "'", KEN_STR_ARG(path));
    }
    if (kind_of(s.st_mode) != KEN_FS_FILE) {
        close(fd);
        return KEN_FAIL(err, KEN_EINVAL, "'" KEN_STR_FMT "' is not a regular file",
                        KEN_STR_ARG(path));
    }
    *out_fd = fd;
    *out_stamp = stamp_of(&s);
    return KEN_OK;
}

ken_status ken_fs_read_fd(int fd, size_t max_bytes, ken_buf *out, ken_err *err)
{
    return read_fd(fd, "file", max_bytes, out, NULL, err);
}

size_t ken_fs_read_at(int fd, uint64_t at, void *into, size_t n)
{
    size_t got = 0;
    while (got < n) {
        ssize_t k = pread(fd, (char *)into + got, n - got, (off_t)(at + got));
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            break;
        got += (size_t)k;
    }
    return got;
}

ken_status ken_fs_read_under(int root_fd, ken_str path, size_t max_bytes, ken_buf *out,
                             ken_fs_stamp *out_stamp, ken_err *err)
{
    int fd = -1;
    ken_fs_stamp stamp = { 0 };
    ken_status st = ken_fs_open_under(root_fd, path, &fd, &stamp, err);
    if (st)
        return st;
    st = read_fd(fd, "file", max_bytes, out, out_stamp, err);
    close(fd);
    return st;
}

ken_status ken_fs_read_own(const char *path, size_t max_bytes, ken_buf *out, ken_err *err)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return KEN_FAIL_ERRNO(err, errno, "opening '%s'", path);
    ken_status st = read_fd(fd, path, max_bytes, out, NULL, err);
    close(fd);
    return st;
}

ken_status ken_fs_open_own(const char *path, int *out_fd, ken_err *err)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return KEN_FAIL_ERRNO(err, errno, "opening '%s'", path);
    *out_fd = fd;
    return KEN_OK;
}

ken_status ken_fs_open_append(const char *path, bool is_truncated, int *out_fd, uint64_t *out_size,
                              ken_err *err)
{
    int fd =
        open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (is_truncated ? O_TRUNC : 0), 0600);
    struct stat s;
    if (fd < 0)
        return KEN_FAIL_ERRNO(err, errno, "opening '%s'", path);
    if (fstat(fd, &s)) {
        int e = errno;
        close(fd);
        return KEN_FAIL_ERRNO(err, e, "looking at '%s'", path);
    }
    if (out_size)
        *out_size = (uint64_t)s.st_size;
    *out_fd = fd;
    return KEN_OK;
}

ken_status ken_fs_open_append_old(const char *path, int *out_fd, uint64_t *out_size, ken_err *err)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return KEN_FAIL_ERRNO(err, errno, "opening '%s'", path);
    struct stat s;
    ken_status st = KEN_OK;
    if (fstat(fd, &s))
        st = KEN_FAIL_ERRNO(err, errno, "looking at '%s'", path);
    else if (!S_ISREG(s.st_mode))
        st = KEN_FAIL(err, KEN_EINVAL, "'%s' is not a regular file", path);
    if (st) {
        close(fd);
        return st;
    }
    *out_size = (uint64_t)s.st_size;
    *out_fd = fd;
    return KEN_OK;
}

ken_status ken_fs_append(int fd, ken_str data, ken_err *err)
{
    while (data.len) {
        ssize_t n = write(fd, data.ptr, data.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return KEN_FAIL_ERRNO(err, errno, "writing");
        data = ken_str_sub(data, (size_t)n, data.len);
    }
    return KEN_OK;
}

ken_status ken_fs_sync(int fd, ken_err *err)
{
    return fsync(fd) ? KEN_FAIL_ERRNO(err, errno, "syncing") : KEN_OK;
}

ken_status ken_fs_sync_data(int fd, ken_err *err)
{
    return fdatasync(fd) ? KEN_FAIL_ERRNO(err, errno, "syncing") : KEN_OK;
}

ken_status ken_fs_create_own(const char *path, int *out_fd, ken_err *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return KEN_FAIL_ERRNO(err, errno, "making '%s'", path);
    *out_fd = fd;
    return KEN_OK;
}

ken_status ken_fs_sync_name(const char *path, ken_err *err)
{
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) : 0;
    char *dir = slash ? ken_strndup(path, len ? len : 1) : ken_strdup(".");
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ken_status st = fd < 0 || fsync(fd) ? KEN_FAIL_ERRNO(err, errno, "syncing '%s'", dir) : KEN_OK;
    if (fd >= 0)
        close(fd);
    ken_free(dir);
    return st;
}

ken_status ken_fs_rename(const char *from, const char *to, ken_err *err)
{
    return rename(from, to) ? KEN_FAIL_ERRNO(err, errno, "renaming '%s' to '%s'", from, to)
                            : KEN_OK;
}

static ken_status write_all(int fd, const char *path, ken_str data, ken_err *err)
{
    ken_status st = ken_fs_append(fd, data, err);
    if (!st)
        st = ken_fs_sync(fd, err);
    if (st)
        (void)ken_err_wrap(err, "'%s'", path);
    return st;
}

ken_status ken_fs_write_atomic(const char *path, ken_str data, ken_err *err)
{
    ken_buf tmp = KEN_BUF_INIT(8192);
    ken_buf_printf(&tmp, "%s.%d.tmp", path, (int)getpid());
    if (tmp.is_over) {
        ken_buf_release(&tmp);
        return KEN_FAIL(err, KEN_EINVAL, "path '%.80s…' is too long", path);
    }
    int fd = open(tmp.ptr, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ken_status st = fd < 0 ? KEN_FAIL_ERRNO(err, errno, "creating '%s'", tmp.ptr)
                           : write_all(fd, tmp.ptr, data, err);
    if (fd >= 0 && close(fd) && !st)
        st = KEN_FAIL_ERRNO(err, errno, "closing '%s'", tmp.ptr);
    if (!st && rename(tmp.ptr, path))
        st = KEN_FAIL_ERRNO(err, errno, "renaming '%s' to '%s'", tmp.ptr, path);
    if (st && fd >= 0)
        unlink(tmp.ptr);
    ken_buf_release(&tmp);
    return st;
}

ken_status ken_fs_make_dirs(const char *path, uint32_t mode, ken_err *err)
{
    ken_buf b = KEN_BUF_INIT(8192);
    ken_status st = KEN_OK;
    for (const char *p = path;; p++) {
        if ((*p == '/' && b.len) || !*p) {
            if (mkdir(b.ptr, mode) && errno != EEXIST) {
                st = KEN_FAIL_ERRNO(err, errno, "creating folder '%s'", b.ptr);
                break;
            }
        }
        if (!*p)
            break;
        ken_buf_putc(&b, *p);
    }
    ken_buf_release(&b);
    return st;
}

ken_status ken_fs_remove(const char *path, ken_err *err)
{
    if (unlink(path) && errno != ENOENT)
        return KEN_FAIL_ERRNO(err, errno, "removing '%s'", path);
    return KEN_OK;
}

enum {
    LOCK_TEXT = 128 // "pid note"
};

void ken_fs_note_lock(int fd, const char *note)
{
    char text[LOCK_TEXT];
    int n = snprintf(text, sizeof text, "%d %.80s\n", (int)getpid(), note);
    if (pwrite(fd, text, (size_t)n, 0) == n && ftruncate(fd, n))
        (void)0;
}

bool ken_fs_peek_lock(const char *path, int *out_pid, char out_note[static 96])
{
    char text[LOCK_TEXT] = { 0 };
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : pread(fd, text, sizeof text - 1, 0);
    // Who ended without unlocking has left a text, and no lock; only then the lock is tried.
    bool is_held = n > 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    if (!is_held)
        return false;
    ken_str rest = ken_str_trim(ken_str_n(text, (size_t)n)), pid;
    uint64_t number = 0;
    if (ken_str_split_next(&rest, ' ', &pid))
        (void)ken_str_parse_u64(pid, &number);
    *out_pid = (int)number;
    snprintf(out_note, 96, KEN_STR_FMT,
             KEN_STR_ARG(ken_str_sub(rest, 0, rest.len < 90 ? rest.len : 90)));
    return true;
}

ken_status ken_fs_lock(const char *path, int *out_fd, ken_err *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return KEN_FAIL_ERRNO(err, errno, "opening lock '%s'", path);
    char text[32] = { 0 };
    if (flock(fd, LOCK_EX | LOCK_NB)) {
        int e = errno;
        ssize_t n = pread(fd, text, sizeof text - 1, 0);
        close(fd);
        text[strcspn(text, " \n")] = 0; // the pid
        if (e != EWOULDBLOCK)
            return KEN_FAIL_ERRNO(err, e, "locking '%s'", path);
        uint64_t pid = 0;
        if (ken_str_parse_u64(ken_str_c(text), &pid) && pid == (uint64_t)getpid())
            return KEN_FAIL(err, KEN_EBUSY, "another run of this process is writing this index");
        return KEN_FAIL(err, KEN_EBUSY, "another process%s%s is writing this index",
                        n > 0 ? " with pid " : "", n > 0 ? text : "");
    }
    int n = snprintf(text, sizeof text, "%d", (int)getpid());
    if (ftruncate(fd, 0) || pwrite(fd, text, (size_t)n, 0) != n)
        (void)0; // the pid is a courtesy; the lock is what counts
    *out_fd = fd;
    return KEN_OK;
}

void ken_fs_unlock(int fd)
{
    if (fd < 0)
        return;
    if (ftruncate(fd, 0))
        (void)0;
    flock(fd, LOCK_UN); // a child that ends may have it open still
    close(fd);
}
