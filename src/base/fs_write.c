// SPDX-License-Identifier: MIT
// Files written into a folder that is somebody else's: every step of the path is opened beneath the
// one before, so that no link leads the write out of the root.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/path.h"

enum {
    NAME_MAX_BYTES = 232, // of a part of the path: the temporary name is longer
    TEMPORARY_MAX = 1000
};

// A part of a path as a C string; false for what is no name of a file.
static bool name_of(ken_str part, char into[NAME_MAX_BYTES + 1])
{
    if (!part.len || part.len > NAME_MAX_BYTES || memchr(part.ptr, '\0', part.len) ||
        ken_str_eq(part, KEN_STR(".")) || ken_str_eq(part, KEN_STR("..")))
        return false;
    memcpy(into, part.ptr, part.len);
    into[part.len] = '\0';
    return true;
}

static ken_status bad_path(ken_str path, ken_err *err)
{
    return KEN_FAIL(err, KEN_EINVAL, "'" KEN_STR_FMT "' is no path below a folder",
                    KEN_STR_ARG(ken_str_sub(path, 0, 200)));
}

// Opens folder `path` below the root, making what is missing. *out_fd is the caller's to close.
static ken_status open_made(int root_fd, ken_str path, int *out_fd, ken_err *err)
{
    int fd = ken_fs_open_dir_under(root_fd, KEN_STR(""));
    ken_str rest = path, part;
    while (fd >= 0 && rest.len && ken_str_split_next(&rest, '/', &part)) {
        char name[NAME_MAX_BYTES + 1];
        if (!name_of(part, name)) {
            ken_fs_close(fd);
            return bad_path(path, err);
        }
        int next = -1;
        if (!mkdirat(fd, name, 0777) || errno == EEXIST)
            next = ken_fs_open_dir_under(fd, part);
        int e = errno;
        ken_fs_close(fd);
        errno = e;
        fd = next;
    }
    if (fd < 0 && (errno == ELOOP || errno == ENOTDIR))
        return KEN_FAIL(err, KEN_EPERM, "'" KEN_STR_FMT "' leads through what is no folder",
                        KEN_STR_ARG(path));
    if (fd < 0)
        return KEN_FAIL_ERRNO(err, errno, "making folder '" KEN_STR_FMT "'", KEN_STR_ARG(path));
    *out_fd = fd;
    return KEN_OK;
}

ken_status ken_fs_make_dirs_under(int root_fd, ken_str path, ken_err *err)
{
    int fd = -1;
    ken_status st = open_made(root_fd, path, &fd, err);
    if (!st)
        ken_fs_close(fd);
    return st;
}

// Makes "<name>.<pid>-<n>.tmp", which was not there: what another thread writes, a run that was
// killed has left, or somebody has put there as a link is not touched.
static int open_new(int dir, const char *name, mode_t mode, char *tmp, size_t tmp_bytes)
{
    int fd = -1;
    for (int i = 0; fd < 0 && i < TEMPORARY_MAX; i++) {
        snprintf(tmp, tmp_bytes, "%s.%d-%d.tmp", name, (int)getpid(), i);
        fd = openat(dir, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    return fd;
}

// Writes a file of its own and renames it over `name`, whose permissions it takes over.
static ken_status write_in(int dir, const char *name, ken_str data, ken_err *err)
{
    char tmp[NAME_MAX_BYTES + 32];
    struct stat s;
    bool is_there = !fstatat(dir, name, &s, AT_SYMLINK_NOFOLLOW);
    if (is_there && !S_ISREG(s.st_mode))
        return KEN_FAIL(err, KEN_EPERM, "'%s' is not a regular file", name);
    int fd = open_new(dir, name, is_there ? s.st_mode & 0777 : 0666, tmp, sizeof tmp);
    if (fd < 0)
        return KEN_FAIL_ERRNO(err, errno, "creating '%s'", tmp);
    ken_status st = KEN_OK;
    if (is_there && fchmod(fd, s.st_mode & 0777))
        st = KEN_FAIL_ERRNO(err, errno, "setting the permissions of '%s'", tmp);
    if (!st)
        st = ken_fs_append(fd, data, err);
    if (!st)
        st = ken_fs_sync(fd, err);
    if (close(fd) && !st)
        st = KEN_FAIL_ERRNO(err, errno, "closing '%s'", tmp);
    if (!st && renameat(dir, tmp, dir, name))
        st = KEN_FAIL_ERRNO(err, errno, "renaming '%s' to '%s'", tmp, name);
    if (st)
        unlinkat(dir, tmp, 0);
    return st;
}

ken_status ken_fs_write_under(int root_fd, ken_str path, ken_str data, ken_err *err)
{
    size_t slash = ken_str_rfind_char(path, '/');
    ken_str folder = slash == SIZE_MAX ? KEN_STR("") : ken_str_sub(path, 0, slash);
    ken_str base = slash == SIZE_MAX ? path : ken_str_sub(path, slash + 1, path.len);
    char name[NAME_MAX_BYTES + 1];
    int dir = -1;
    bool has_gap = slash != SIZE_MAX && (!slash || path.ptr[slash - 1] == '/');
    if (has_gap || !name_of(base, name))
        return bad_path(path, err);
    ken_status st = open_made(root_fd, folder, &dir, err);
    if (st)
        return st;
    st = write_in(dir, name, data, err);
    ken_fs_close(dir);
    return st ? ken_err_wrap(err, "'" KEN_STR_FMT "'", KEN_STR_ARG(path)), st : KEN_OK;
}

ken_status ken_fs_replace(const char *path, ken_str data, ken_err *err)
{
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_str real = ken_str_c(path);
    if (!ken_fs_exists(path)) {
        ken_arena_release(&a);
        return ken_fs_write_atomic(path, data, err);
    }
    int dir = -1;
    ken_status st = ken_path_real(&a, real, &real, err);
    if (!st)
        st = ken_fs_open_dir(ken_arena_dup(&a, ken_path_dir(real)).ptr, &dir, err);
    if (!st)
        st = write_in(dir, ken_arena_dup(&a, ken_path_base(real)).ptr, data, err);
    ken_fs_close(dir);
    ken_arena_release(&a);
    return st;
}
