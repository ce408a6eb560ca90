// SPDX-License-Identifier: MIT
#include "watch/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "base/map.h"
#include "base/path.h"
#include "base/vec.h"

enum {
    EVENT_BYTES = 16 * 1024,
    MAX_PATH = 4096,
    MAX_SPARE = 8192,    // files with one name that are watched by themselves, in the whole process
    SPARE_SHARE = 16,    // of what one user may watch
    MAX_NAMES = 1024,    // names kept between two polls
    MAX_ENDED = 1 << 17, // watches of files that were replaced
    WATCHES_ADVISED = 524288,
    INSTANCES_ADVISED = 1024,
};

static const uint32_t mask = IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE |
                             IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF |
                             IN_DONT_FOLLOW | IN_EXCL_UNLINK;
static const uint32_t control_mask =
    IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF | IN_MASK_ADD;

// The target of a watch descriptor. The kernel counts descriptors up and does not reuse them.
typedef struct watched {
    ken_str key;     // in `paths`, the copy is the watch's; ptr NULL = nothing any more
    size_t path_len; // of the key's front
    bool is_file;
    bool is_shared;  // one file under several names
    bool is_control; // of the tree or not, it decides about it
} watched;

// How a path is watched. What is spare is the first to be left out.
enum {
    ENDED = 0,
    WATCHED,
    SPARE,
};

// A server has a watch for each project, and all of them one limit.
static atomic_size_t spare; // taken by all watches

struct ken_watch {
    int fd;    // -1 = none
    int whole; // an epoll instance with `fd` in it, whichever that is at the time; -1 = none yet
    ken_watch_decides_fn *decides;
    ken_map paths;            // relative to the root, of files with the inode, to how it is watched
    ken_arena arena;          // of their names
    KEN_VEC(watched) numbers; // by the kernel's number
    size_t n_ended;           // of these
    ken_map names;            // of files that events named
    bool has_unnamed;         // an event named nothing that is known
    size_t n_spare, max_spare; // of `spare`: taken here, and how many may be
    uint64_t last_type;        // of the file system that was last found to be local
    ken_watch_news news;
    char why[240];
};

// 0 when it cannot be read.
static uint64_t read_limit(const char *path)
{
    uint64_t limit = 0;
    ken_buf b = KEN_BUF_INIT(8192);
    if (ken_fs_read_own(path, 64, &b, NULL) ||
        !ken_str_parse_u64(ken_str_trim(ken_buf_str(&b)), &limit))
        limit = 0;
    ken_buf_release(&b);
    return limit;
}

// Others of this user watch, too: editors do.
static size_t read_max_spare(void)
{
    uint64_t most = read_limit("/proc/sys/fs/inotify/max_user_watches") / SPARE_SHARE;
    return most < MAX_SPARE ? (size_t)most : MAX_SPARE;
}

static bool take_spare(ken_watch *w)
{
    if (atomic_fetch_add(&spare, 1) >= w->max_spare) {
        atomic_fetch_sub(&spare, 1);
        return false;
    }
    w->n_spare++;
    return true;
}

static void give_back_spare(ken_watch *w, size_t n)
{
    w->n_spare -= n;
    atomic_fetch_sub(&spare, n);
}

ken_watch *ken_watch_new(ken_watch_decides_fn *decides)
{
    ken_watch *w = ken_zalloc(sizeof *w);
    w->fd = w->whole = -1;
    w->decides = decides;
    w->max_spare = read_max_spare();
    w->news = KEN_WATCH_BLIND;
    ken_map_init(&w->paths);
    ken_map_init(&w->names);
    ken_arena_init(&w->arena, 0);
    return w;
}

static void end_fd(ken_watch *w)
{
    if (w->fd >= 0)
        close(w->fd);
    w->fd = -1;
    give_back_spare(w, w->n_spare);
}

void ken_watch_free(ken_watch *w)
{
    if (!w)
        return;
    end_fd(w);
    if (w->whole >= 0)
        close(w->whole);
    ken_map_release(&w->paths);
    ken_map_release(&w->names);
    ken_vec_release(&w->numbers);
    ken_arena_release(&w->arena);
    ken_free(w);
}

// What is watched is of no use then, and counts against the limits of the user.
static void go_blind(ken_watch *w, const char *why)
{
    w->news = KEN_WATCH_BLIND;
    end_fd(w);
    if (!w->why[0])
        snprintf(w->why, sizeof w->why, "%s", why);
}

static void forget_names(ken_watch *w)
{
    ken_map_release(&w->names);
    ken_map_init(&w->names);
    w->has_unnamed = false;
}

// A limit of the kernel was met: which, and the command that raises it.
static void go_blind_at_limit(ken_watch *w, const char *what, const char *name, uint64_t advised)
{
    char path[80], why[240];
    snprintf(path, sizeof path, "/proc/sys/fs/inotify/%s", name);
    uint64_t limit = read_limit(path);
    snprintf(why, sizeof why,
             "this user has no more inotify %s (fs.inotify.%s is %" PRIu64
             "); to raise it: sudo sysctl fs.inotify.%s=%" PRIu64,
             what, name, limit, name, limit * 4 > advised ? limit * 4 : advised);
    go_blind(w, why);
}

static void wait_for_fd(const ken_watch *w)
{
    struct epoll_event e = { .events = EPOLLIN };
    if (w->whole >= 0 && w->fd >= 0)
        (void)epoll_ctl(w->whole, EPOLL_CTL_ADD, w->fd, &e); // closing it takes it out again
}

int ken_watch_fd(ken_watch *w)
{
    if (w->whole < 0) {
        w->whole = epoll_create1(EPOLL_CLOEXEC);
        wait_for_fd(w);
    }
    return w->whole;
}

// The process may have as many descriptors as it can, and then it is not inotify that lacks some.
static bool has_descriptors(void)
{
    int fd = dup(STDERR_FILENO);
    if (fd >= 0)
        close(fd);
    return fd >= 0 || errno != EMFILE;
}

ken_status ken_watch_begin(ken_watch *w, ken_err *err)
{
    end_fd(w);
    ken_map_release(&w->paths);
    ken_map_init(&w->paths);
    ken_vec_release(&w->numbers);
    ken_arena_reset(&w->arena);
    w->n_ended = 0;
    forget_names(w);
    w->news = KEN_WATCH_QUIET;
    w->why[0] = '\0';
    w->last_type = 0;
    w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    wait_for_fd(w);
    if (w->fd >= 0)
        return KEN_OK;
    int e = errno;
    if (e == EMFILE && has_descriptors())
        go_blind_at_limit(w, "instances", "max_user_instances", INSTANCES_ADVISED);
    else
        go_blind(w, e == EMFILE || e == ENFILE ? "no more file descriptors (ulimit -n)"
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

// False makes it blind.
static bool check_local(ken_watch *w, int fd)
{
    struct statfs s;
    if (fstatfs(fd, &s) || (uint64_t)s.f_type == w->last_type)
        return true;
    if (is_local((uint64_t)s.f_type)) {
        w->last_type = (uint64_t)s.f_type;
        return true;
    }
    char why[80];
    snprintf(why, sizeof why, "a file system of type %" PRIx64 " may be changed by others",
             (uint64_t)s.f_type);
    go_blind(w, why);
    return false;
}

static watched *at_number(ken_watch *w, int number)
{
    const watched none = { 0 };
    while (w->numbers.len <= (size_t)number)
        ken_vec_push(&w->numbers, none);
    return &w->numbers.ptr[number];
}

static void note_number(ken_watch *w, int number, ken_str key, size_t path_len)
{
    watched *x = at_number(w, number);
    if (x->key.ptr) {
        x->is_shared = true;
        return;
    }
    x->key = ken_arena_dup(&w->arena, key);
    x->path_len = path_len;
    x->is_file = path_len < key.len;
}

static ken_watch_news end_number(ken_watch *w, watched *x)
{
    if (!x || !x->key.ptr)
        return KEN_WATCH_QUIET;
    uint64_t *how = x->is_file ? ken_map_find(&w->paths, x->key) : NULL;
    if (how && *how == SPARE)
        give_back_spare(w, 1);
    if (how)
        *how = ENDED;
    *x = (watched){ 0 };
    return ++w->n_ended < MAX_ENDED ? KEN_WATCH_QUIET : KEN_WATCH_TREE; // makes the numbers anew
}

// What stands before the path of a file.
static size_t front_of(ken_str mark)
{
    return mark.len ? mark.len + 1 : 0;
}

// The mark and the path, as the name of a file or folder; its length.
static size_t join(char *into, ken_str mark, ken_str path)
{
    size_t n = mark.len;
    if (n)
        memcpy(into, mark.ptr, n);
    if (n && path.len)
        into[n++] = '/';
    if (path.len)
        memcpy(into + n, path.ptr, path.len);
    return n + path.len;
}

// By its descriptor: what is watched is what was opened, whatever is moved meanwhile.
// `key` begins with the mark and the path, together `path_len` bytes, and is NUL-terminated there.
static void add_one(ken_watch *w, int root_fd, ken_str mark, ken_str key, size_t path_len)
{
    const char *path = key.ptr + (mark.len < path_len ? front_of(mark) : path_len);
    char name[40];
    int fd = openat(root_fd, *path ? path : ".", O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
            go_blind(w, "a folder cannot be opened");
        return;
    }
    if (!check_local(w, fd)) {
        close(fd);
        return;
    }
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    // The link in /proc is followed, what it leads to is no link.
    int number = inotify_add_watch(w->fd, name, mask & ~(uint32_t)IN_DONT_FOLLOW);
    if (number >= 0) {
        note_number(w, number, key, path_len);
    } else {
        if (errno == ENOSPC)
            go_blind_at_limit(w, "watches", "max_user_watches", WATCHES_ADVISED);
        else if (errno != ENOENT && errno != EACCES) // without entries that could be read
            go_blind(w, "a folder cannot be watched");
    }
    close(fd);
}

// One call for each of very many. Where a folder above has become a link meanwhile, another file is watched, and told as
// one that may have changed. False when it is not.
static bool add_spare(ken_watch *w, int root_fd, ken_str mark, ken_str key, size_t path_len)
{
    char name[MAX_PATH + 40];
    snprintf(name, sizeof name, "/proc/self/fd/%d/%s", root_fd, key.ptr + front_of(mark));
    int number = inotify_add_watch(w->fd, name, mask);
    if (number >= 0)
        note_number(w, number, key, path_len);
    return number >= 0;
}

bool ken_watch_add_control(ken_watch *w, const char *path)
{
    struct statfs s;
    if (w->fd < 0 || w->news == KEN_WATCH_BLIND || statfs(path, &s) ||
        !is_local((uint64_t)s.f_type))
        return false;
    int number = inotify_add_watch(w->fd, path, control_mask);
    if (number >= 0)
        at_number(w, number)->is_control = true;
    return number >= 0;
}

void ken_watch_add(ken_watch *w, int root_fd, ken_str mark, ken_str path)
{
    char text[MAX_PATH + 1];
    bool is_new = false;
    if (w->fd < 0 || w->news == KEN_WATCH_BLIND)
        return;
    if (path.len + front_of(mark) > MAX_PATH) {
        go_blind(w, "a path is too long");
        return;
    }
    ken_str whole = ken_str_n(text, join(text, mark, path));
    for (;; whole = ken_path_dir(whole)) { // most of those above are known
        (void)ken_map_put(&w->paths, whole, WATCHED, &is_new);
        if (!is_new)
            return;
        text[whole.len] = '\0';
        add_one(w, root_fd, mark, whole, whole.len);
        if (whole.len <= mark.len)
            return;
    }
}

void ken_watch_add_file(ken_watch *w, int root_fd, ken_str mark, ken_str path, uint64_t inode,
                        bool must)
{
    char key[MAX_PATH + 1 + sizeof inode];
    if (w->fd < 0 || w->news == KEN_WATCH_BLIND || path.len + front_of(mark) > MAX_PATH ||
        (!must && atomic_load(&spare) >= w->max_spare))
        return;
    size_t len = join(key, mark, path);
    key[len] = '\0'; // in no path of a folder
    memcpy(key + len + 1, &inode, sizeof inode);
    ken_str whole = ken_str_n(key, len + 1 + sizeof inode);
    uint64_t *how = ken_map_put(&w->paths, whole, ENDED, NULL);
    if (*how != ENDED || (!must && !take_spare(w)))
        return;
    *how = must ? WATCHED : SPARE;
    if (must) {
        add_one(w, root_fd, mark, whole, len);
    } else if (!add_spare(w, root_fd, mark, whole, len)) {
        *how = ENDED;
        give_back_spare(w, 1);
    }
}

// ---- news --------------------------------------------------------------------------------------

static void note_name(ken_watch *w, ken_str name)
{
    if (w->names.len >= MAX_NAMES)
        w->has_unnamed = true;
    else
        (void)ken_map_put(&w->names, name, 1, NULL);
}

static void name_file(ken_watch *w, const watched *x, const struct inotify_event *e)
{
    char text[MAX_PATH + NAME_MAX + 2];
    if (!x || !x->key.ptr || x->is_shared || x->is_file != !e->len) {
        w->has_unnamed = true;
    } else if (x->is_file) {
        note_name(w, ken_str_n(x->key.ptr, x->path_len));
    } else {
        int n = snprintf(text, sizeof text, "%.*s%s%s", (int)x->path_len, x->key.ptr,
                         x->path_len ? "/" : "", e->name);
        note_name(w, ken_str_n(text, (size_t)n));
    }
}

static ken_watch_news judge(ken_watch *w, const struct inotify_event *e)
{
    const uint32_t moves = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;
    watched *x = e->wd >= 0 && (size_t)e->wd < w->numbers.len ? &w->numbers.ptr[e->wd] : NULL;
    if (e->mask & IN_Q_OVERFLOW)
        return KEN_WATCH_TREE;
    if (e->mask & IN_IGNORED) // its removal was handled before
        return end_number(w, x);
    if (x && x->is_control)
        return KEN_WATCH_TREE;
    bool is_end = e->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT);
    if (is_end && (!x || !x->is_file || e->mask & IN_UNMOUNT))
        return KEN_WATCH_TREE;
    if ((e->mask & IN_ISDIR) && (e->mask & (moves | IN_ATTRIB)))
        return KEN_WATCH_TREE;
    if (e->len && w->decides(ken_str_c(e->name)))
        return KEN_WATCH_TREE;
    name_file(w, x, e);
    return KEN_WATCH_FILES;
}

ken_watch_news ken_watch_look(ken_watch *w)
{
    union {
        char bytes[EVENT_BYTES];
        struct inotify_event align;
    } buf;
    while (w->fd >= 0) {
        ssize_t n = read(w->fd, buf.bytes, sizeof buf.bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            break;
        if (n <= 0) {
            go_blind(w, "reading from inotify failed");
            break;
        }
        for (ssize_t at = 0;
             at < n && w->news < KEN_WATCH_TREE;) { // what comes after changes nothing
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
    forget_names(w);
}

bool ken_watch_name(const ken_watch *w, ken_watch_name_fn *on_name, void *ctx)
{
    for (size_t i = 0; i < w->names.n_slots; i++)
        if (w->names.slots[i].key.ptr)
            on_name(ctx, w->names.slots[i].key);
    return !w->has_unnamed && w->news <= KEN_WATCH_FILES;
}

ken_str ken_watch_why(const ken_watch *w)
{
    return ken_str_c(w->why);
}

uint32_t ken_watch_n(const ken_watch *w)
{
    return (uint32_t)w->paths.len;
}
