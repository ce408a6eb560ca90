// SPDX-License-Identifier: MIT
// What happened since a checkpoint, as git tells it. Each question to git ends by itself in time.
#include <stdlib.h>

#include "checkpoint/checkpoint_priv.h"
#include "json/json.h"

enum {
    COMMITS_MAX = 50,
    FILES_MAX = 200,
};

static int path_order(const void *a, const void *b)
{
    return ken_str_cmp(*(const ken_str *)a, *(const ken_str *)b);
}

static bool is_in(const ken_str *paths, size_t n, ken_str path)
{
    return n && bsearch(&path, paths, n, sizeof *paths, path_order);
}

// Of the files that were dirty then, those that are now.
static void compare_dirty(ken_str was, const ken_work_state *now, ken_arena *arena,
                          ken_checkpoint_resume *out)
{
    json_t *list = NULL;
    if (ken_json_parse(was, &list, NULL) || !json_is_array(list)) {
        json_decref(list);
        return;
    }
    size_t n = json_array_size(list);
    out->still_dirty = KEN_ARENA_ARRAY(arena, ken_str, n + 1);
    for (size_t i = 0; i < n; i++) {
        ken_str path = ken_json_text(json_array_get(list, i));
        if (is_in(now->dirty, now->n_dirty, path))
            out->still_dirty[out->n_still_dirty++] = ken_arena_dup(arena, path);
    }
    json_decref(list);
}

// Two commits, or a commit and the work tree: the names alone.
static ken_status add_changed(ken_checkpoints *c, ken_str commit, const ken_cancel *cancel,
                              ken_arena *arena, ken_checkpoint_resume *out, ken_err *err)
{
    ken_changes changes = { 0 };
    ken_err tried = { 0 };
    ken_status st = ken_history_diff(c->opts.root, commit, cancel, arena, &changes, &tried);
    if (st) { // the reason stands with the commits
        ken_status asked = ken_cancel_check(cancel, err);
        return asked;
    }
    size_t n = changes.n_files < FILES_MAX ? changes.n_files : FILES_MAX;
    out->changed = KEN_ARENA_ARRAY(arena, ken_str, n + 1);
    for (size_t i = 0; i < n; i++)
        out->changed[i] = changes.files[i].path;
    out->n_changed = n;
    out->n_changed_all = changes.n_files;
    return KEN_OK;
}

ken_status ken_checkpoints_resume(ken_checkpoints *c, const ken_checkpoint *checkpoint,
                                  const ken_cancel *cancel, ken_arena *arena,
                                  ken_checkpoint_resume *out, ken_err *err)
{
    ken_checkpoint_resume r = { .since = { .reason = { "", 0 } } };
    // All of them, so that none of those that were dirty is missed.
    ken_status st = ken_history_state(c->opts.root, SIZE_MAX, cancel, arena, &r.now, err);
    if (!st && checkpoint->git_commit.len)
        st = ken_history_list_since(c->opts.root, checkpoint->git_commit, COMMITS_MAX, cancel,
                                    arena, &r.since, err);
    if (!st && checkpoint->git_commit.len && !r.since.reason.len)
        st = add_changed(c, checkpoint->git_commit, cancel, arena, &r, err);
    if (st)
        return st;
    compare_dirty(checkpoint->git_dirty, &r.now, arena, &r);
    if (r.now.n_dirty > KEN_CHECKPOINT_DIRTY_MAX)
        r.now.n_dirty = KEN_CHECKPOINT_DIRTY_MAX;
    *out = r;
    return KEN_OK;
}
