// SPDX-License-Identifier: MIT
// index_compare.c -- the files of the folder against those of the newest generation.
#include <stdlib.h>

#include "index/index_run_priv.h"

enum {
    CLOCK_STEP_MS = 2000,  // the coarsest time stamps of a file system
    DOUBT_BYTES = 8 << 20, // that a comparison reads at most
};

static int by_size_down(const void *a, const void *b, void *ctx)
{
    const ken_scan_file *files = ctx;
    uint64_t x = files[*(const size_t *)a].stamp.size, y = files[*(const size_t *)b].stamp.size;
    return (x < y) - (x > y);
}

// True for a file that may have been written again within the same clock step after it was read: an equal
// stamp then proves nothing. A time in the future cannot be that of a write. The modification time
// counts, too: some file systems have no change time.
static bool is_fresh(const index_run *r, ken_fs_stamp stamp)
{
    int64_t m = stamp.mtime_ns / 1000000, c = stamp.ctime_ns / 1000000;
    int64_t from = r->seen_ms - CLOCK_STEP_MS, to = r->now_ms + CLOCK_STEP_MS;
    return (m >= from && m <= to) || (c >= from && c <= to);
}

// The stamp of an unreadable file proves nothing: a run reads it again, a comparison tries to open it.
static bool can_trust_skip(const index_run *r, ken_str path, ken_skip_reason reason)
{
    int fd = -1;
    ken_fs_stamp stamp;
    if (reason != KEN_SKIP_UNREADABLE)
        return true;
    int root_fd = ken_roots_at(&r->job.roots, &path);
    if (!r->is_look || ken_fs_open_under(root_fd, path, &fd, &stamp, NULL) == KEN_EPERM)
        return r->is_look;
    ken_fs_close(fd);
    return false;
}

// Merges both sorted lists; new files and those with another stamp become work.
void ken_index__compare(index_run *r)
{
    index_old_files *old = &r->old;
    const bool trusts_old = r->trusts_old;
    r->plan = KEN_ARENA_ARRAY(r->arena, index_planned, r->scan.n_files + 1);
    r->work = KEN_ARENA_ARRAY(r->arena, size_t, r->scan.n_files + 1);
    r->late_skip = KEN_ARENA_ARRAY(r->arena, ken_skip_reason, r->scan.n_files + 1);
    size_t o = 0, l = 0;
    for (size_t i = 0; i < r->scan.n_files; i++) {
        const ken_scan_file *f = &r->scan.files[i];
        while (l < old->n_late && ken_str_cmp(old->late[l].path, f->path) < 0)
            l++;
        while (o < old->n && ken_str_cmp(old->rows[o].path, f->path) < 0)
            o++;
        index_planned *p = &r->plan[i];
        p->stamp = f->stamp;
        if (o < old->n && ken_str_eq(old->rows[o].path, f->path)) {
            const ken_file_row *row = &old->rows[o];
            *p = (index_planned){ .content = row->content,
                                  .row_id = row->id,
                                  .changed_at_ms = row->changed_at_ms,
                                  .stamp = row->stamp };
            old->is_kept[o] = true;
            if (trusts_old && ken_fs_stamp_eq(row->stamp, f->stamp) &&
                (!is_fresh(r, f->stamp) || ken_index__is_held(r, f->path))) {
                r->report->n_unchanged++;
                continue;
            }
        }
        if (trusts_old && l < old->n_late && ken_str_eq(old->late[l].path, f->path) &&
            ken_fs_stamp_eq(old->late[l].stamp, f->stamp)) {
            p->skip_before = old->late[l].reason;
            if (!is_fresh(r, f->stamp) && can_trust_skip(r, f->path, p->skip_before)) {
                r->late_skip[i] = p->skip_before;
                continue;
            }
        }
        r->work[r->n_work++] = i;
        r->bytes_total += f->stamp.size;
    }
    qsort_r(r->work, r->n_work, sizeof *r->work, by_size_down, r->scan.files);
}

bool ken_index__is_doubtful(const index_run *r, size_t file)
{
    const index_planned *p = &r->plan[file];
    return p->skip_before || (p->row_id && ken_fs_stamp_eq(p->stamp, r->scan.files[file].stamp));
}

// By the bytes that are there now, whose stamp is that of the scan.
static bool has_same_bytes(index_run *r, size_t file, index_slot *s)
{
    const index_planned *p = &r->plan[file];
    ken_content_info info;
    s->failure = KEN_OK;
    bool is_read = ken_index__file_read(&r->job, r->scan.files[file].path, s);
    if (s->failure || !ken_fs_stamp_eq(s->stamp, r->scan.files[file].stamp))
        return false;
    if (!is_read || p->skip_before)
        return !is_read && s->skip == p->skip_before;
    return !ken_store_find_content(r->store, &s->key, &info, NULL) && info.id == p->content;
}

void ken_index__read_doubtful(index_run *r)
{
    index_slot slot = { .file = 0 };
    uint64_t n_bytes = 0;
    size_t n_left = 0;
    ken_index__slot_init(&slot);
    for (size_t i = 0; i < r->n_work; i++) {
        size_t file = r->work[i];
        uint64_t size = r->scan.files[file].stamp.size;
        bool is_same = ken_index__is_doubtful(r, file) && n_bytes + size <= DOUBT_BYTES &&
                       !ken_cancel_is_set(r->cancel);
        n_bytes += is_same ? size : 0;
        if (!is_same || !has_same_bytes(r, file, &slot))
            r->work[n_left++] = file;
        else
            r->late_skip[file] = r->plan[file].skip_before;
    }
    r->n_work = n_left;
    ken_index__slot_release(&slot);
}

// A scope that empties an index is refused unless it was confirmed.
ken_status ken_index__check_scope(const index_run *r, ken_err *err)
{
    const index_old_files *old = &r->old;
    size_t n_removed = 0, n_added = 0;
    if (!ken_index__is_scope_given(&r->opts->scope) || r->opts->scope.may_shrink || !old->n)
        return KEN_OK;
    for (size_t o = 0; o < old->n; o++)
        n_removed += !old->is_kept[o];
    for (size_t i = 0; i < r->n_work; i++)
        n_added += !r->plan[r->work[i]].row_id;
    if (n_removed <= n_added)
        return KEN_OK;
    return KEN_FAIL(err, KEN_EINVAL,
                    "this scope would take %zu of %zu files out of the index and add %zu; to mean "
                    "that, give --only (in a tool call: only=true)",
                    n_removed, old->n, n_added);
}

bool ken_index__is_same(const index_run *r)
{
    const index_old_files *old = &r->old;
    const ken_generation *g = &r->before;
    if (!g->number || r->has_changed || r->partial.is_marked ||
        !ken_str_eq(r->scope, r->scope_before) || !ken_str_eq(r->roots_text, r->roots_before) ||
        !ken_str_eq(g->git_head, r->scan.git_head) ||
        !ken_str_eq(g->git_branch, r->scan.git_branch))
        return false;
    for (size_t o = 0; o < old->n; o++)
        if (!old->is_kept[o])
            return false;
    return old->skips_key == ken_index__skips_key(r);
}
