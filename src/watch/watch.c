// SPDX-License-Identifier: MIT
#include "watch/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "base/map.h"
#include "base/path.h"

enum {
    EVENT_BYTES = 16 * 1024,
    MAX_PATH = 4096,
    MAX_FILES = 8192,
    FILES_SHARE = 16, // of what one user may watch
};

static const uint32_t mask = IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE |
                             IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF |
                             IN_DONT_FOLLOW | IN_EXCL_UNLINK;

struct ken_watch {
    int fd; // -1 = none
    ken_watch_decides_fn *decides;
    ken_map paths;             // watched, relative to the root
    size_t n_files, max_files; // watched by themselves
    uint64_t last_type;        // of the file system that was last found to be local
    ken_watch_news news;
    char why[200];
};

// Others of this user watch, too: editors do.
static size_t read_max_files(void)
{
    uint64_t most = 0;
    ken_buf b = KEN_BUF_INIT(8192);
    if (ken_fs_read_own("/proc/sys/fs/inotify/max_user_watches", 64, &b, NULL) ||
        !ken_str_parse_u64(ken_str_trim(ken_buf_str(&b)), &most))
        most = 0;
    ken_buf_release(&b);
    most /= FILES_SHARE;
    return most < MAX_FILES ? (size_t)most : MAX_FILES;
}

ken_watch *ken_watch_new(ken_watch_decides_fn *decides)
{
    ken_watch *w = ken_zalloc(sizeof *w);
    w->fd = -1;
    w->decides = decides;
    w->max_files = read_max_files();
    w->news = KEN_WATCH_BLIND;
    ken_map_init(&w->paths);
    return w;
}

void ken_watch_free(ken_watch *w)
{
    if (!w)
        return;
    if (w->fd >= 0)
        close(w->fd);
    ken_map_release(&w->paths);
    ken_free(w);
}

static void go_blind(ken_watch *w, const char *why)
{
    w->news = KEN_WATCH_BLIND;
    if (!w->why[0])
        snprintf(w->why, sizeof w->why, "%s", why);
}

ken_status ken_watch_begin(ken_watch *w, ken_err *err)
{
    if (w->fd >= 0)
        close(w->fd);
    ken_map_release(&w->paths);
    ken_map_init(&w->paths);
    w->news = KEN_WATCH_QUIET;
    w->why[0] = '\0';
    w->last_type = 0;
    w->n_files = 0;
    w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (w->fd >= 0)
        return KEN_OK;
    int e = errno;
    go_blind(w, e == EMFILE ? "no more inotify instances: fs.inotify.max_user_instances"
                            : "the kernel has no inotify");
    return KEN_FAIL(err, e == EMFILE || e == ENFILE ? KEN_ELIMIT : KEN_EUNSUPPORTED, "%s", w->why);
}

// ---- adding ------------------------------------------------------------------------------------

// File systems on which every change is made by this kernel. Of others (network, FUSE) it may not know.
static bool is_local(uint64_t type)
{
    static const uint64_t types[] = {
        0xEF53,     // ext2, ext3, ext4
        0x58465342, // XFS
        0x9123683E, // Btrfs
        0x01021994, // tmpfs
        0x858458F6, // ramfs
        0xF2F52010, // F2FS
        0x2FC12FC1, // ZFS
        0xCA451A4E, // bcachefs
        0x794C7630, // overlayfs
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (type == types[i])
            return true;
    return false;
}

static void check_local(ken_watch *w, int fd)
{
    struct statfs s;
    if (fstatfs(fd, &s) || (uint64_t)s.f_type == w->last_type)
        return;
    if (is_local((uint64_t)s.f_type)) {
        w->last_type = (uint64_t)s.f_type;
        return;
    }
    char why[80];
    snprintf(why, sizeof why, "a file system of type %" PRIx64 " may be changed by others",
             (uint64_t)s.f_type);
    go_blind(w, why);
}

// By its descriptor: what is watched is what was opened, whatever is moved meanwhile.
static void add_one(ken_watch *w, int root_fd, const char *path)
{
    char name[40];
    int fd = openat(root_fd, *path ? path : ".", O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
            go_blind(w, "a folder cannot be opened");
        return;
    }
    check_local(w, fd);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    // The link in /proc is followed, what it leads to is no link.
    if (inotify_add_watch(w->fd, name, mask & ~(uint32_t)IN_DONT_FOLLOW) < 0) {
        if (errno == ENOSPC)
            go_blind(w, "no more inotify watches: fs.inotify.max_user_watches");
        else if (errno != ENOENT && errno != EACCES) // without entries that could be read
            go_blind(w, "a folder cannot be watched");
    }
    close(fd);
}

void ken_watch_add(ken_watch *w, int root_fd, ken_str path)
{
    char text[MAX_PATH + 1];
    bool is_new = false;
    if (w->fd < 0 || w->news == KEN_WATCH_BLIND)
        return;
    if (path.len > MAX_PATH) {
        go_blind(w, "a path is too long");
        return;
    }
    for (ken_str p = path;; p = ken_path_dir(p)) { // most of those above are known
        (void)ken_map_put(&w->paths, p, 1, &is_new);
        if (!is_new)
            return;
        memcpy(text, p.ptr, p.len);
        text[p.len] = '\0';
        add_one(w, root_fd, text);
        if (!p.len)
            return;
    }
}

void ken_watch_add_file(ken_watch *w, int root_fd, ken_str path, uint64_t inode, bool must)
{
    char key[MAX_PATH + 1 + sizeof inode];
    bool is_new = false;
    if (w->fd < 0 || w->news == KEN_WATCH_BLIND || (!must && w->n_files >= w->max_files) ||
        path.len > MAX_PATH)
        return;
    memcpy(key, path.ptr, path.len);
    key[path.len] = '\0'; // in no path of a folder
    memcpy(key + path.len + 1, &inode, sizeof inode);
    (void)ken_map_put(&w->paths, ken_str_n(key, path.len + 1 + sizeof inode), 1, &is_new);
    if (!is_new)
        return;
    w->n_files++;
    add_one(w, root_fd, key);
}

// ---- news --------------------------------------------------------------------------------------

static ken_watch_news judge(const ken_watch *w, const struct inotify_event *e)
{
    const uint32_t moves = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;
    if (e->mask & IN_Q_OVERFLOW)
        return KEN_WATCH_TREE;
    if (e->mask & IN_IGNORED) // its end was told before
        return KEN_WATCH_QUIET;
    if (e->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT))
        return KEN_WATCH_TREE;
    if ((e->mask & IN_ISDIR) && (e->mask & (moves | IN_ATTRIB)))
        return KEN_WATCH_TREE;
    if (e->len && w->decides(ken_str_c(e->name)))
        return KEN_WATCH_TREE;
    return KEN_WATCH_FILES;
}

ken_watch_news ken_watch_look(ken_watch *w)
{
    union {
        char bytes[EVENT_BYTES];
        struct inotify_event align;
    } buf;
    while (w->fd >= 0 && w->news < KEN_WATCH_TREE) {
        ssize_t n = read(w->fd, buf.bytes, sizeof buf.bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            break;
        if (n <= 0) {
            go_blind(w, "reading from inotify failed");
            break;
        }
        for (ssize_t at = 0; at < n;) {
            const struct inotify_event *e = (const void *)(buf.bytes + at);
            ken_watch_news news = judge(w, e);
            w->news = news > w->news ? news : w->news;
            at += (ssize_t)sizeof *e + e->len;
        }
    }
    return w->news;
}

void ken_watch_forget(ken_watch *w)
{
    if (w->news == KEN_WATCH_FILES)
        w->news = KEN_WATCH_QUIET;
}

ken_str ken_watch_why(const ken_watch *w)
{
    return ken_str_c(w->why);
}

uint32_t ken_watch_n(const ken_watch *w)
{
    return (uint32_t)w->paths.len;
}
