// SPDX-License-Identifier: MIT
// Partial generations: what a long run has done so far, for whoever asks meanwhile. A batch of contents is
// committed with the rows of its files, the next number, and a mark that says how far the run is
// (store/partial.h); the last commit of the run removes the mark.
//
// Only where that shows more than there was: not over rows of another version, for these are all that
// there is of their files, not for a run that takes a moment, and not in a tree that shares a list of files
// with others: that begins with the files of another tree, and what it has to read is what differs. The first one comes soon, and each
// after it when there is four times as much, so that there are few segments and few commits more.
#include <string.h>

#include "index/index_run_priv.h"

enum {
    LONG_FILES = 3000, // a run with less to do takes a second or two
    LONG_BYTES = 16 << 20,
    NEW_SHARE = 4,     // of all bytes must be new or changed, where there is a complete generation
    FIRST_FILES = 250, // of the first partial generation
    FIRST_BYTES = 2 << 20,
    GROWTH = 4,
};

static uint64_t all_bytes(const index_run *r)
{
    uint64_t n = 0;
    for (size_t i = 0; i < r->scan.n_files; i++)
        n += r->scan.files[i].stamp.size;
    return n;
}

// Of files that are new or have another stamp: the others are only read to be sure.
static uint64_t changed_bytes(const index_run *r)
{
    uint64_t n = 0;
    for (size_t i = 0; i < r->n_work; i++) {
        const size_t file = r->work[i];
        const index_planned *p = &r->plan[file];
        if (!p->row_id || !ken_fs_stamp_eq(p->stamp, r->scan.files[file].stamp))
            n += r->scan.files[file].stamp.size;
    }
    return n;
}

static bool is_long(const index_run *r)
{
    if (r->opts->first_files)
        return r->n_work > r->opts->first_files;
    return r->n_work > LONG_FILES || r->bytes_total > LONG_BYTES;
}

void ken_index__plan_partial(index_run *r)
{
    index_partial *p = &r->partial;
    if (r->opts->scan.revision) // nobody would look again whether it was finished
        return;
    const bool has_complete = r->before.number && !p->before.is_partial;
    if (r->old.n && !r->trusts_old) // a forced run, or another version: what is there answers
        return;
    if (r->before.is_based) // the store may give its rows other ids at the end of a generation
        return;
    if (has_complete && changed_bytes(r) * NEW_SHARE < all_bytes(r))
        return;
    p->is_on = p->before.is_partial || is_long(r);
    p->next_files = r->opts->first_files ? r->opts->first_files : FIRST_FILES;
    p->next_bytes = FIRST_BYTES;
    if (p->is_on)
        ken_index__order_work(r);
}

// Begins a batch when none is open: rows may be all that there is to commit.
static ken_status commit_now(index_run *r, ken_err *err)
{
    ken_status st = r->is_in_batch ? KEN_OK : ken_store_begin_write(r->store, err);
    if (st)
        return st;
    r->is_in_batch = true;
    return ken_index__end_batch(r, err);
}

ken_status ken_index__commit_if_due(index_run *r, size_t file, ken_err *err)
{
    index_partial *p = &r->partial;
    p->n_kept++;
    p->bytes_kept += r->scan.files[file].stamp.size;
    bool is_due = p->n_kept >= p->next_files || p->bytes_kept >= p->next_bytes;
    if (!p->is_on || !is_due || r->n_done >= r->n_work)
        return KEN_OK; // the last ones are committed with all there is
    p->next_files *= GROWTH;
    p->next_bytes *= GROWTH;
    return commit_now(r, err);
}

void ken_index__commit_stopped(index_run *r)
{
    if (r->is_in_batch || (r->partial.is_on && r->partial.n_kept))
        (void)commit_now(r, NULL); // a failure leaves what was committed before
}

ken_status ken_index__put_partial(index_run *r, ken_err *err)
{
    index_partial *p = &r->partial;
    ken_generation g;
    const uint64_t all = all_bytes(r);
    const ken_partial mark = { .is_partial = true,
                               .is_first = p->is_first,
                               .n_done = r->scan.n_files - r->n_work + r->n_done,
                               .n_total = r->scan.n_files,
                               .bytes_done = all - r->bytes_total + r->bytes_done,
                               .bytes_total = all };
    ken_index__begin_events(r);
    ken_status st = ken_index__put_done_files(r, err);
    if (!st)
        st = ken_index__next_generation(r, &g, err);
    if (!st) {
        memcpy(g.skips, r->before.skips, sizeof g.skips);
        st = ken_index__put_generation(r, &g, &mark, err);
    }
    ken_buf_release(&r->changes.lines);
    if (st)
        return st;
    r->number = g.number;
    p->is_marked = true;
    p->n_kept = p->bytes_kept = 0;
    return KEN_OK;
}
