// SPDX-License-Identifier: MIT
// index_renames.c -- files that were renamed and edited keep their rows, as those that were only renamed do
// (index_commit.c). The index has no texts to compare; git has those of the commit of before, so it is asked, when
// files are gone and others are new.
#include "base/map.h"
#include "index/index_run_priv.h"

static ken_str key_of(const int64_t *content)
{
    return ken_str_n((const char *)content, sizeof *content);
}

// By path. `out_gone` is of the rows that are not kept, `out_new` of the planned files without one that no commit of
// this run has put; false when one of them is empty, or each new file has the content of one that is gone.
static bool list_both(const index_run *r, ken_map *out_gone, ken_map *out_new)
{
    const index_old_files *old = &r->old;
    ken_map contents;
    bool is_any_edited = false;
    ken_map_init(&contents);
    for (size_t o = 0; o < old->n; o++) {
        if (old->is_kept[o])
            continue;
        ken_map_put(out_gone, old->rows[o].path, o, NULL);
        ken_map_put(&contents, key_of(&old->rows[o].content), o, NULL);
    }
    for (size_t i = 0; out_gone->len && i < r->scan.n_files; i++) {
        const index_planned *p = &r->plan[i];
        if (p->row_id || !p->is_changed || !p->content)
            continue;
        ken_map_put(out_new, r->scan.files[i].path, i, NULL);
        is_any_edited |= ken_map_find(&contents, key_of(&p->content)) == NULL;
    }
    ken_map_release(&contents);
    return is_any_edited;
}

void ken_index__ask_renames(index_run *r)
{
    ken_map gone, fresh;
    ken_scan_rename *renames = NULL;
    size_t n = 0;
    ken_map_init(&gone);
    ken_map_init(&fresh);
    if (r->before.git_head.len && list_both(r, &gone, &fresh))
        ken_scan_find_renames(r->root, r->before.git_head, r->cancel, r->arena, &renames, &n);
    r->renames = KEN_ARENA_ARRAY(r->arena, index_rename, n + 1);
    for (size_t i = 0; i < n; i++) {
        const uint64_t *from = ken_map_find(&gone, renames[i].from),
                       *to = ken_map_find(&fresh, renames[i].to);
        if (from && to)
            r->renames[r->n_renames++] = (index_rename){ (size_t)*from, (size_t)*to };
    }
    ken_map_release(&gone);
    ken_map_release(&fresh);
}

ken_status ken_index__keep_renamed(index_run *r, ken_err *err)
{
    index_old_files *old = &r->old;
    ken_status st = KEN_OK;
    for (size_t i = 0; i < r->n_renames && !st; i++) {
        const ken_file_row *row = &old->rows[r->renames[i].from];
        index_planned *p = &r->plan[r->renames[i].to];
        old->is_kept[r->renames[i].from] = true;
        ken_index__note_rename(&r->changes, row->path, r->scan.files[r->renames[i].to].path);
        p->row_id = row->id;
        if (p->content == row->content)
            p->changed_at_ms = row->changed_at_ms;
        r->report->n_renamed++;
        st = ken_index__count_lost(r, row->content, err);
    }
    return st;
}
