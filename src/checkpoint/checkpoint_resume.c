// SPDX-License-Identifier: MIT
// What happened since a checkpoint, as git tells it. Each question to git ends by itself in time.
#include <fcntl.h>
#include <stdlib.h>

#include "base/fs.h"
#include "base/path.h"
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

typedef struct paths {
    ken_str *ptr; // in order
    size_t n;
} paths;

// The files that were dirty when the checkpoint was saved.
static paths read_dirty(ken_str was, ken_arena *arena)
{
    paths out = { 0 };
    json_t *list = NULL;
    if (!ken_json_parse(was, &list, NULL) && json_is_array(list)) {
        out.ptr = KEN_ARENA_ARRAY(arena, ken_str, json_array_size(list) + 1);
        for (size_t i = 0; i < json_array_size(list); i++)
            out.ptr[out.n++] = ken_arena_dup(arena, ken_json_text(json_array_get(list, i)));
        if (out.n)
            qsort(out.ptr, out.n, sizeof *out.ptr, path_order);
    }
    json_decref(list);
    return out;
}

// Of these, those that are dirty now.
static void compare_dirty(paths was, const ken_work_state *now, ken_arena *arena,
                          ken_checkpoint_resume *out)
{
    out->still_dirty = KEN_ARENA_ARRAY(arena, ken_str, was.n + 1);
    for (size_t i = 0; i < was.n; i++)
        if (is_in(now->dirty, now->n_dirty, was.ptr[i]))
            out->still_dirty[out->n_still_dirty++] = was.ptr[i];
}

// A file that was dirty then and was not written since.
static bool is_as_it_was(const char *root, ken_str path, int64_t saved_ms, ken_arena *arena)
{
    ken_fs_info info;
    ken_str whole = ken_path_join(arena, ken_str_c(root), path);
    if (ken_fs_stat(AT_FDCWD, whole.ptr, &info, NULL))
        return false;
    return info.stamp.ctime_ns / 1000000 <= saved_ms;
}

// Since the checkpoint: what differs from its commit, but for what was changed before it and still waits
// for a commit. The names alone.
static ken_status add_changed(ken_checkpoints *c, const ken_checkpoint *checkpoint, paths was,
                              const ken_cancel *cancel, ken_arena *arena,
                              ken_checkpoint_resume *out, ken_err *err)
{
    ken_changes changes = { 0 };
    ken_err tried = { 0 };
    ken_status st =
        ken_history_diff(c->opts.root, checkpoint->git_commit, cancel, arena, &changes, &tried);
    if (st) { // the reason stands with the commits
        ken_status asked = ken_cancel_check(cancel, err);
        return asked;
    }
    out->changed = KEN_ARENA_ARRAY(arena, ken_str, FILES_MAX);
    for (size_t i = 0; i < changes.n_files; i++) {
        ken_str path = changes.files[i].path;
        if (is_in(was.ptr, was.n, path) && is_in(out->now.dirty, out->now.n_dirty, path) &&
            is_as_it_was(c->opts.root, path, checkpoint->updated_at_ms, arena))
            continue;
        if (out->n_changed < FILES_MAX)
            out->changed[out->n_changed++] = path;
        out->n_changed_all++;
    }
    return KEN_OK;
}

ken_status ken_checkpoints_resume(ken_checkpoints *c, const ken_checkpoint *checkpoint,
                                  const ken_cancel *cancel, ken_arena *arena,
                                  ken_checkpoint_resume *out, ken_err *err)
{
    ken_checkpoint_resume r = { .since = { .reason = { "", 0 } } };
    paths was = read_dirty(checkpoint->git_dirty, arena);
    // All of them, so that none of those that were dirty is missed.
    ken_status st = ken_history_state(c->opts.root, SIZE_MAX, cancel, arena, &r.now, err);
    if (!st && checkpoint->git_commit.len)
        st = ken_history_list_since(c->opts.root, checkpoint->git_commit, COMMITS_MAX, cancel,
                                    arena, &r.since, err);
    if (!st && checkpoint->git_commit.len && !r.since.reason.len)
        st = add_changed(c, checkpoint, was, cancel, arena, &r, err);
    if (st)
        return st;
    compare_dirty(was, &r.now, arena, &r);
    if (r.now.n_dirty > KEN_CHECKPOINT_DIRTY_MAX)
        r.now.n_dirty = KEN_CHECKPOINT_DIRTY_MAX;
    *out = r;
    return KEN_OK;
}
