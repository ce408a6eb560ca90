// SPDX-License-Identifier: MIT
// index_commit.c -- files, skips and the generation, in one transaction.
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "index/index_run_priv.h"
#include "store/store_edits.h"

// A new file with the content of one that is gone is that file, renamed: it keeps its row.
static ken_status find_renames(index_run *r, ken_err *err)
{
    index_old_files *old = &r->old;
    ken_status st = KEN_OK;
    ken_map gone;
    ken_map_init(&gone);
    for (size_t o = 0; o < old->n; o++)
        if (!old->is_kept[o])
            ken_map_put(&gone, ken_str_n((const char *)&old->rows[o].content, sizeof(int64_t)), o,
                        NULL);
    for (size_t i = 0; gone.len && i < r->scan.n_files && !st; i++) {
        index_planned *p = &r->plan[i];
        if (p->row_id || !p->is_changed || !p->content)
            continue;
        uint64_t *at = ken_map_find(&gone, ken_str_n((const char *)&p->content, sizeof(int64_t)));
        if (!at || old->is_kept[*at])
            continue;
        old->is_kept[*at] = true;
        ken_index__note_rename(&r->changes, old->rows[*at].path, r->scan.files[i].path);
        p->row_id = old->rows[*at].id;
        p->changed_at_ms = old->rows[*at].changed_at_ms;
        r->report->n_renamed++;
        st = ken_index__count_lost(r, p->content, err);
    }
    ken_map_release(&gone);
    return st;
}

static ken_status put_file(index_run *r, size_t i, ken_err *err)
{
    index_planned *p = &r->plan[i];
    ken_file_row row = { p->row_id, r->scan.files[i].path, p->content, p->stamp, p->changed_at_ms };
    ken_status st = ken_store_put_file(r->store, &row, err);
    if (!p->row_id)
        r->report->n_added++;
    else
        ken_vec_push(&r->edits, row);
    if (!p->row_id || p->is_modified)
        ken_index__note_event(&r->changes, p->row_id ? KEN_FILE_MODIFIED : KEN_FILE_ADDED,
                              row.path);
    p->is_changed = false;
    return st;
}

ken_status ken_index__put_done_files(index_run *r, ken_err *err)
{
    ken_status st = find_renames(r, err);
    if (!st)
        st = ken_index__settle_past(r, err);
    for (size_t i = 0; i < r->scan.n_files && !st; i++)
        if (r->plan[i].content && r->plan[i].is_changed)
            st = put_file(r, i, err);
    return st;
}

static ken_status remove_file(index_run *r, int64_t row, ken_str path, ken_err *err)
{
    ken_index__note_event(&r->changes, KEN_FILE_DELETED, path);
    r->report->n_removed++;
    return ken_store_remove_file(r->store, row, err);
}

static ken_status put_files(index_run *r, ken_err *err)
{
    const index_old_files *old = &r->old;
    ken_status st = ken_index__keep_renamed(r, err);
    if (!st)
        st = find_renames(r, err);
    for (size_t o = 0; o < old->n && !st; o++) {
        if (old->is_kept[o])
            continue;
        st = ken_index__count_lost(r, old->rows[o].content, err);
        if (!st)
            st = remove_file(r, old->rows[o].id, old->rows[o].path, err);
    }
    if (!st)
        st = ken_index__settle_past(r, err);
    for (size_t i = 0; i < r->scan.n_files && !st; i++) {
        const index_planned *p = &r->plan[i];
        r->report->n_files += p->content != 0;
        if (p->content && p->is_changed)
            st = put_file(r, i, err);
        else if (!p->content && p->row_id) // became binary, too large …
            st = remove_file(r, p->row_id, r->scan.files[i].path, err);
    }
    return st;
}

static uint64_t key_of_skip(ken_str path, ken_skip_reason reason)
{
    uint64_t part[2] = { ken_hash_str(path), (uint64_t)reason };
    return ken_hash64(part, sizeof part);
}

// Of all paths that are left out, with their reasons, in whatever order they were met.
uint64_t ken_index__skips_key(const index_run *r)
{
    uint64_t key = 1;
    for (size_t i = 0; i < r->scan.n_skips; i++)
        key += key_of_skip(r->scan.skips[i].path, r->scan.skips[i].reason);
    for (size_t i = 0; i < r->scan.n_files; i++)
        if (r->late_skip[i])
            key += key_of_skip(r->scan.files[i].path, r->late_skip[i]);
    return key;
}

static ken_status put_skips(index_run *r, ken_generation *g, ken_err *err)
{
    size_t most = 0, n = 0, n_late = 0;
    for (size_t i = 0; i < r->scan.n_files; i++)
        most += r->late_skip[i] != KEN_SKIP_NONE;
    index_late *late = KEN_ARENA_ARRAY(r->arena, index_late, most + 1);
    ken_skip_row *rows = KEN_ARENA_ARRAY(r->arena, ken_skip_row, r->scan.n_skips + most + 1);
    for (size_t i = 0; i < r->scan.n_skips; i++)
        rows[n++] = (ken_skip_row){ r->scan.skips[i].path, r->scan.skips[i].reason };
    for (size_t i = 0; i < r->scan.n_files; i++) {
        if (!r->late_skip[i])
            continue;
        const ken_scan_file *f = &r->scan.files[i];
        rows[n++] = (ken_skip_row){ f->path, r->late_skip[i] };
        late[n_late++] = (index_late){ f->path, f->stamp, r->late_skip[i] };
    }
    for (size_t i = 0; i < n; i++)
        g->skips[rows[i].reason]++;
    r->report->n_skipped = n;
    memcpy(r->report->skips, g->skips, sizeof g->skips);
    ken_status st = ken_store_replace_skips(r->store, rows, n, err);
    if (!st)
        st = ken_index__put_skips_key(r->store, ken_index__skips_key(r), err);
    return st ? st : ken_index__put_late(r->store, late, n_late, err);
}

// What the counts of a run are added to.
static const ken_generation *counted_from(const index_run *r)
{
    static const ken_generation none = { 0 };
    return r->trusts_old ? &r->before : &none;
}

// The sums of the new generation: those of the one before and the difference, so that a small change
// reads no row of an unchanged file.
static ken_status sum_generation(const index_run *r, ken_generation *g, ken_err *err)
{
    const ken_generation *base = counted_from(r);
    const struct {
        uint64_t before, gained, lost, *out;
    } sums[] = {
        { base->n_files, r->gained.n_files, r->lost.n_files, &g->n_files },
        { base->n_chunks, r->gained.n_chunks, r->lost.n_chunks, &g->n_chunks },
        { base->n_symbols, r->gained.n_symbols, r->lost.n_symbols, &g->n_symbols },
        { base->n_bytes, r->gained.n_bytes, r->lost.n_bytes, &g->n_bytes },
        { base->n_lines, r->gained.n_lines, r->lost.n_lines, &g->n_lines },
    };
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        if (sums[i].lost > sums[i].before + sums[i].gained)
            return KEN_FAIL(err, KEN_ECORRUPT,
                            "the counts of generation %llu are wrong: run ken index --force",
                            (unsigned long long)r->before.number);
        *sums[i].out = sums[i].before + sums[i].gained - sums[i].lost;
    }
    return KEN_OK;
}

static ken_status put_seen(index_run *r, ken_err *err)
{
    ken_str text = ken_arena_printf(r->arena, "%lld", (long long)r->now_ms);
    return ken_store_put_value(r->store, KEN_STR(INDEX_SEEN), text, err);
}

// Nothing has changed, but files had to be read to see that; the next run need not. If this cannot be
// kept, it does.
void ken_index__commit_seen(index_run *r)
{
    if (ken_store_begin_write(r->store, NULL))
        return;
    if (put_seen(r, NULL) || ken_store_commit(r->store, NULL))
        ken_store_rollback(r->store);
}

// For whoever holds the rows of the generation before.
static ken_status put_edits(const index_run *r, uint64_t number, ken_err *err)
{
    const ken_index_report *done = r->report;
    bool is_known = r->trusts_old && r->number == r->before.number && r->edits.ptr &&
                    !done->n_added && !done->n_removed && !done->n_renamed;
    return ken_store_put_edits(r->store, &r->before, number, is_known ? r->edits.ptr : NULL,
                               r->edits.len, err);
}

ken_status ken_index__next_generation(const index_run *r, ken_generation *out, ken_err *err)
{
    *out = (ken_generation){ .number = r->number + 1,
                             .at_ms = r->now_ms,
                             .git_head = r->scan.git_head,
                             .git_branch = r->scan.git_branch,
                             .root = ken_str_c(r->root) };
    return sum_generation(r, out, err);
}

static ken_status put_made_by(index_run *r, ken_err *err)
{
    ken_status st =
        ken_store_put_value(r->store, KEN_STR(INDEX_FEATURE), ken_index__feature_text(r), err);
    if (!st)
        st = ken_store_put_value(r->store, KEN_STR(KEN_INDEX_CHUNKS),
                                 r->chunks.len ? r->chunks : (ken_str){ NULL, 0 }, err);
    if (!st && r->job.only_likely && r->job.wants_vectors)
        st = ken_store_put_value(r->store, KEN_STR(INDEX_CHOSEN), KEN_STR("likely"), err);
    return st ? st : ken_index__put_scope(r->store, r->scope, err);
}

void ken_index__begin_events(index_run *r)
{
    r->changes = (index_events){ .generation = r->number + 1,
                                 .at_ms = r->now_ms,
                                 .is_first = r->partial.is_first };
}

static ken_status put_sizes(const index_run *r, const ken_generation *g, ken_err *err)
{
    const index_sizing s = {
        .made = g, .before = counted_from(r), .gained = &r->gained.langs, .lost = &r->lost.langs
    };
    return ken_index__put_sizes(r->store, &s, err);
}

ken_status ken_index__put_generation(index_run *r, const ken_generation *g, const ken_partial *mark,
                                     ken_err *err)
{
    ken_status st = put_made_by(r, err);
    if (!st)
        st = ken_store_put_value(r->store, KEN_STR(KEN_ROOTS_KEPT),
                                 r->roots_text.len ? r->roots_text : (ken_str){ NULL, 0 }, err);
    if (!st)
        st = ken_index__put_events(r->store, &r->changes, r->arena, err);
    if (!st && (mark->is_partial || r->partial.is_marked))
        st = ken_partial_put(r->store, mark, r->arena, err);
    if (!st && !mark->is_partial &&
        !r->opts->scan.revision) // a commit that is asked about has no past
        st = put_sizes(r, g, err);
    return st ? st : ken_store_put_generation(r->store, g, err);
}

static ken_status put_all(index_run *r, ken_generation *g, ken_err *err)
{
    index_alive alive = { .store = r->store, .arena = r->arena };
    ken_index__begin_events(r);
    ken_status st = put_files(r, err);
    if (!st)
        st = ken_index__next_generation(r, g, err);
    if (!st)
        st = put_skips(r, g, err);
    if (!st)
        st = ken_index__tidy(r->store, &alive, r->trusts_old ? r->lost.n_files : UINT64_MAX, err);
    if (!st)
        st = put_edits(r, g->number, err);
    if (!st)
        st = put_seen(r, err);
    return st ? st : ken_index__put_generation(r, g, &(ken_partial){ .is_partial = false }, err);
}

ken_status ken_index__commit(index_run *r, ken_err *err)
{
    ken_generation g = { 0 };
    ken_index__ask_renames(r); // which takes a moment, before others wait
    ken_status st = ken_store_begin_write(r->store, err);
    if (st)
        return st;
    st = put_all(r, &g, err);
    ken_buf_release(&r->changes.lines);
    if (st)
        ken_store_rollback(r->store);
    else
        st = ken_store_commit(r->store, err);
    r->report->generation = g.number;
    r->report->at_ms = g.at_ms;
    r->report->n_chunks = g.n_chunks;
    r->report->n_symbols = g.n_symbols;
    return st;
}
