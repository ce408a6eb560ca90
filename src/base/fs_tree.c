// SPDX-License-Identifier: MIT
// Folders as a whole. Links are never followed: what is below a folder is reached by descriptors.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"

enum {
    DEPTH_MAX = 200, // descriptors that removing holds; git and file systems stay far below
};

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static int remove_entries(int fd, int depth);

// 0, or errno. A folder that may not be written is made so: read-only ones come with some packages.
static int remove_entry(int dir_fd, const char *name, int depth)
{
    if (!unlinkat(dir_fd, name, 0) || errno == ENOENT)
        return 0;
    if (errno != EISDIR && errno != EPERM && errno != EACCES)
        return errno;
    int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno;
    int rc = depth < DEPTH_MAX ? remove_entries(fd, depth + 1) : ELOOP;
    if (!rc && unlinkat(dir_fd, name, AT_REMOVEDIR) && errno != ENOENT)
        rc = errno;
    return rc;
}

// Closes `fd`.
static int remove_entries(int fd, int depth)
{
    int rc = 0;
    fchmod(fd, 0700);
    DIR *d = fdopendir(fd);
    if (!d) {
        rc = errno;
        close(fd);
        return rc;
    }
    for (struct dirent *e; !rc && (e = readdir(d)) != NULL;)
        if (!is_dots(e->d_name))
            rc = remove_entry(fd, e->d_name, depth);
    closedir(d);
    return rc;
}

ken_status ken_fs_remove_tree(const char *path, ken_err *err)
{
    int rc = remove_entry(AT_FDCWD, path, 0);
    return rc ? KEN_FAIL_ERRNO(err, rc, "removing '%s'", path) : KEN_OK;
}

void ken_fs_remove_empty(const char *folder)
{
    (void)rmdir(folder);
}

void ken_fs_remove_named(const char *folder, const char *prefix, const char *suffix)
{
    DIR *d = opendir(folder);
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        ken_str name = ken_str_c(e->d_name);
        if (ken_str_starts(name, ken_str_c(prefix)) && ken_str_ends(name, ken_str_c(suffix)))
            (void)unlinkat(dirfd(d), e->d_name, 0);
    }
    closedir(d);
}

size_t ken_fs_count_entries(const char *path)
{
    size_t n = 0;
    DIR *d = opendir(path);
    if (!d)
        return 0;
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        n += !is_dots(e->d_name);
    closedir(d);
    return n;
}
