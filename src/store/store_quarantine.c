// SPDX-License-Identifier: MIT
// Moving a damaged database out of the way, with its log, so that a new one can be made. Nothing is
// ever deleted but the shared memory, which holds no data.
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "store/store.h"

enum {
    MAX_KEPT = 1000,
    NAME_MAX_BYTES = 64 * 1024
};

// Never over a file that is there.
static ken_status rename_new(const char *from, const char *to, ken_err *err)
{
    if (link(from, to)) { // unlike rename, refuses an existing target on every kernel
        // A folder has no second name, nor has anything on some file systems.
        if ((errno != EPERM && errno != EOPNOTSUPP && errno != EMLINK) || ken_fs_exists(to) ||
            rename(from, to))
            return KEN_FAIL_ERRNO(err, errno, "moving '%s' to '%s'", from, to);
        return KEN_OK;
    }
    if (unlink(from))
        return KEN_FAIL_ERRNO(err, errno, "moving '%s' to '%s'", from, to);
    return KEN_OK;
}

static void format_name(ken_buf *out, const char *path, unsigned n, const char *suffix)
{
    ken_buf_clear(out);
    ken_buf_puts(out, path);
    if (n)
        ken_buf_printf(out, ".damaged-%u", n);
    ken_buf_puts(out, suffix);
}

// Its number; 0 when there is none. What was moved first may have been removed since.
static unsigned find_last(const char *path)
{
    ken_buf name = KEN_BUF_INIT(NAME_MAX_BYTES);
    unsigned n = MAX_KEPT;
    for (; n; n--) {
        format_name(&name, path, n, "");
        if (!name.is_over && ken_fs_exists(name.ptr))
            break;
    }
    ken_buf_release(&name);
    return n;
}

ken_str ken_store_last_quarantined(const char *path, ken_arena *arena)
{
    unsigned n = find_last(path);
    return n ? ken_arena_printf(arena, "%s.damaged-%u", path, n) : KEN_STR("");
}

ken_status ken_store_keep(const char *path, ken_err *err)
{
    ken_buf to = KEN_BUF_INIT(NAME_MAX_BYTES);
    ken_status st = KEN_EEXIST;
    for (unsigned n = find_last(path) + 1; st == KEN_EEXIST && n <= MAX_KEPT; n++) {
        format_name(&to, path, n, "");
        if (to.is_over)
            st = KEN_FAIL(err, KEN_EINVAL, "the path of a journal is too long");
        else if (!link(path, to.ptr) || errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK)
            st = KEN_OK;
        else
            st = KEN_FAIL_ERRNO(err, errno, "keeping '%s' as '%s'", path, to.ptr);
    }
    ken_buf_release(&to);
    return st;
}

ken_status ken_store_quarantine(const char *path, ken_arena *arena, ken_str *out_path, ken_err *err)
{
    ken_buf from = KEN_BUF_INIT(NAME_MAX_BYTES), to = KEN_BUF_INIT(NAME_MAX_BYTES);
    ken_status st = KEN_EEXIST;
    unsigned n = find_last(path);
    while (st == KEN_EEXIST && n < MAX_KEPT) {
        format_name(&to, path, ++n, "");
        st = to.is_over ? KEN_FAIL(err, KEN_EINVAL, "the path of an index is too long")
                        : rename_new(path, to.ptr, err);
    }
    if (st)
        goto out;
    *out_path = ken_arena_dup(arena, ken_buf_str(&to));
    // The log belongs to the file. A crash before this is harmless: a log without its database is
    // not taken for another's, its salt would not agree.
    format_name(&from, path, 0, "-wal");
    format_name(&to, path, n, "-wal");
    if (ken_fs_exists(from.ptr))
        st = rename_new(from.ptr, to.ptr, err);
    format_name(&from, path, 0, "-shm");
    if (!st)
        st = ken_fs_remove(from.ptr, err);
out:
    ken_buf_release(&from);
    ken_buf_release(&to);
    return st;
}
