// SPDX-License-Identifier: MIT
// fs.h -- files and folders; the only open() of the tree. Everything is O_CLOEXEC.
#ifndef KEN_BASE_FS_H
#define KEN_BASE_FS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

typedef enum ken_fs_kind {
    KEN_FS_UNKNOWN = 0,
    KEN_FS_FILE,
    KEN_FS_DIR,
    KEN_FS_LINK,
    KEN_FS_OTHER, // device, socket, pipe
} ken_fs_kind;

// One state of a file: it has not changed when all four agree. A stamp of all zeros is of no file.
typedef struct ken_fs_stamp {
    uint64_t size;    // bytes
    int64_t mtime_ns; // since the epoch; who writes may set it
    int64_t ctime_ns; // of the last change to content or attributes; nobody can set it
    uint64_t inode;   // 0 where the file system has none
} ken_fs_stamp;

// Which file or folder it is, whatever it is called.
typedef struct ken_fs_id {
    uint64_t device, inode;
} ken_fs_id;

typedef struct ken_fs_info {
    ken_fs_kind kind;
    ken_fs_stamp stamp;
    ken_fs_id id;
    uint32_t mode;
    uint64_t n_links; // names that it has
} ken_fs_info;

static inline bool ken_fs_stamp_eq(ken_fs_stamp a, ken_fs_stamp b)
{
    return a.size == b.size && a.mtime_ns == b.mtime_ns && a.ctime_ns == b.ctime_ns &&
           a.inode == b.inode;
}

static inline bool ken_fs_stamp_is_set(ken_fs_stamp s)
{
    return s.size || s.mtime_ns || s.ctime_ns || s.inode;
}

static inline bool ken_fs_id_eq(ken_fs_id a, ken_fs_id b)
{
    return a.device == b.device && a.inode == b.inode;
}

// Makes sure that descriptors 0, 1 and 2 are taken, before anything else is opened: a file that got one
// of them would be written to as output. A closed input is empty, writing to a closed output fails,
// what goes to closed errors is dropped. False when that cannot be.
bool ken_fs_hold_standard(void) KEN_MUST_USE;

// `dir_fd` as for openat: a folder, or KEN_FS_CWD. Does not follow a link at the end of the path.
#define KEN_FS_CWD (-100)
ken_status ken_fs_stat(int dir_fd, const char *path, ken_fs_info *out, ken_err *err) KEN_MUST_USE;
// The same of what a link leads to.
ken_status ken_fs_stat_target(const char *path, ken_fs_info *out, ken_err *err) KEN_MUST_USE;
bool ken_fs_exists(const char *path);

// Opens a folder for the *at functions; ken_fs_close it.
ken_status ken_fs_open_dir(const char *path, int *out_fd, ken_err *err) KEN_MUST_USE;
void ken_fs_close(int fd);

// Reads a whole regular file of at most `max_bytes` into `out` (cleared first). Never follows a
// link at the end of `path`, never blocks on a pipe. KEN_ELIMIT when larger. `out_stamp` may be
// NULL.
ken_status ken_fs_read(int dir_fd, const char *path, size_t max_bytes, ken_buf *out,
                       ken_fs_stamp *out_stamp, ken_err *err) KEN_MUST_USE;
// Opens a regular file below `root_fd`; no part of the path may be a link or "..": what is read
// really lies inside. Close with ken_fs_close.
ken_status ken_fs_open_under(int root_fd, ken_str path, int *out_fd, ken_fs_stamp *out_stamp,
                             ken_err *err) KEN_MUST_USE;
// The same for a folder, "" being the root itself. -1 and errno on failure, because a scan
// opens very many.
int ken_fs_open_dir_under(int root_fd, ken_str path);
// A folder by its absolute path, without following a link anywhere on the way; -1 when there is none.
int ken_fs_open_real(ken_str path);
// A descriptor under which nothing is found (KEN_ENOTFOUND); -1 when there is none to be had.
int ken_fs_open_nothing(void);
ken_status ken_fs_read_fd(int fd, size_t max_bytes, ken_buf *out, ken_err *err) KEN_MUST_USE;
// Up to n bytes from `at`; how many there were.
size_t ken_fs_read_at(int fd, uint64_t at, void *into, size_t n);
// Opens, reads and closes.
ken_status ken_fs_read_under(int root_fd, ken_str path, size_t max_bytes, ken_buf *out,
                             ken_fs_stamp *out_stamp, ken_err *err) KEN_MUST_USE;
// As ken_fs_read, following links: for settings and data of our own.
ken_status ken_fs_read_own(const char *path, size_t max_bytes, ken_buf *out, ken_err *err)
    KEN_MUST_USE;

// Writes a temporary file beside `path`, syncs it and renames it over: all or nothing.
ken_status ken_fs_write_atomic(const char *path, ken_str data, ken_err *err) KEN_MUST_USE;
// The same for a file of a person that others write too: a link is followed, and an existing file keeps
// its permissions.
ken_status ken_fs_replace(const char *path, ken_str data, ken_err *err) KEN_MUST_USE;
// The same below `root_fd`, for folders that are not ours: folders on the way are made, none of
// them and not the file itself may be a link (KEN_EPERM). An existing file keeps its permissions.
ken_status ken_fs_write_under(int root_fd, ken_str path, ken_str data, ken_err *err) KEN_MUST_USE;
// Makes folders below `root_fd`; existing ones are fine.
ken_status ken_fs_make_dirs_under(int root_fd, ken_str path, ken_err *err) KEN_MUST_USE;

// Opens a file of our own for reading, links followed. Close with ken_fs_close.
ken_status ken_fs_open_own(const char *path, int *out_fd, ken_err *err) KEN_MUST_USE;
// A file that is written piece by piece, for what is too large for memory. Made when it is absent;
// writing goes on behind what is there, unless `is_truncated`. `out_size` (bytes that were there
// and are kept) may be NULL. Close with ken_fs_close.
ken_status ken_fs_open_append(const char *path, bool is_truncated, int *out_fd, uint64_t *out_size,
                              ken_err *err) KEN_MUST_USE;
// The same of a file that is there: KEN_ENOTFOUND when it is not, KEN_EINVAL when it is no regular file.
ken_status ken_fs_open_append_old(const char *path, int *out_fd, uint64_t *out_size, ken_err *err)
    KEN_MUST_USE;
ken_status ken_fs_append(int fd, ken_str data, ken_err *err) KEN_MUST_USE;
ken_status ken_fs_sync(int fd, ken_err *err) KEN_MUST_USE;
// The bytes and what is needed to read them, not the times.
ken_status ken_fs_sync_data(int fd, ken_err *err) KEN_MUST_USE;
// An empty file of our own, to be written at any place. Close with ken_fs_close.
ken_status ken_fs_create_own(const char *path, int *out_fd, ken_err *err) KEN_MUST_USE;
// Makes the name `path` durable: syncs its folder.
ken_status ken_fs_sync_name(const char *path, ken_err *err) KEN_MUST_USE;
ken_status ken_fs_rename(const char *from, const char *to, ken_err *err) KEN_MUST_USE;

ken_status ken_fs_make_dirs(const char *path, uint32_t mode, ken_err *err) KEN_MUST_USE;
ken_status ken_fs_remove(const char *path, ken_err *err) KEN_MUST_USE; // absent is fine
void ken_fs_remove_empty(const char *folder); // one that is not empty stays
// The same of a folder with all that is in it; links are removed, not followed.
ken_status ken_fs_remove_tree(const char *path, ken_err *err) KEN_MUST_USE;
// The files of a folder whose names begin with `prefix` and end with `suffix`. What cannot be removed stays.
void ken_fs_remove_named(const char *folder, const char *prefix, const char *suffix);
// Names in a folder; 0 when it cannot be read.
size_t ken_fs_count_entries(const char *path);

// An exclusive lock on a file (created when absent), held until ken_fs_unlock or the process ends.
// KEN_EBUSY when another process has it; the message names its pid when known.
ken_status ken_fs_lock(const char *path, int *out_fd, ken_err *err) KEN_MUST_USE;
void ken_fs_unlock(int fd);
// What the holder of a lock does, beside its pid: at most 80 bytes. A courtesy: what fails is passed over.
void ken_fs_note_lock(int fd, const char *note);
// Whether the lock is held now, by whom, and what was noted.
bool ken_fs_peek_lock(const char *path, int *out_pid, char out_note[static 96]);

#endif
