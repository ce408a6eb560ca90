// SPDX-License-Identifier: MIT
// Who left a range of lines, from git's blame: it takes the file as it is on disk, follows renames,
// and needs half the time of `git log -L`, which would also name commits whose lines are gone.
#include <stdlib.h>

#include "history/history_priv.h"

enum {
    BLAME_MS = 5000,
    BLAME_BYTES = 64 << 20,
};

void ken_history__blame_init(history_blame *b, ken_arena *arena)
{
    *b = (history_blame){ .arena = arena, .at = -1 };
    ken_map_init(&b->by_id);
}

void ken_history__blame_release(history_blame *b)
{
    ken_map_release(&b->by_id);
    ken_vec_release(&b->touches);
    ken_vec_release(&b->is_edge);
}

// Takes out the commits that end a shallow clone: what they seem to have added may be older.
static void drop_edges(history_blame *b)
{
    size_t n = 0;
    for (size_t i = 0; i < b->touches.len; i++)
        if (!b->is_edge.ptr[i])
            b->touches.ptr[n++] = b->touches.ptr[i];
        else
            b->n_beyond += b->touches.ptr[i].n_lines;
    b->touches.len = n;
}

static bool is_zero(ken_str id)
{
    for (size_t i = 0; i < id.len; i++)
        if (id.ptr[i] != '0')
            return false;
    return true;
}

// "<id> <line then> <line now> [<lines>]" begins each line of the file.
static void begin_line(history_blame *b, ken_str id)
{
    b->at = -1;
    if (is_zero(id)) {
        b->n_uncommitted++;
        return;
    }
    bool is_new = false;
    uint64_t *slot = ken_map_put(&b->by_id, id, b->touches.len, &is_new);
    if (is_new) {
        ken_str empty = KEN_STR("");
        ken_history_touch t = { .commit = { ken_arena_dup(b->arena, id), empty, empty, 0 } };
        ken_vec_push(&b->touches, t);
        ken_vec_push(&b->is_edge, false);
    }
    b->at = (int64_t)*slot;
    b->touches.ptr[b->at].n_lines++;
}

void ken_history__blame_line(void *blame, ken_str line)
{
    history_blame *b = blame;
    if (line.len && line.ptr[0] == '\t') // the line itself
        return;
    ken_str word = ken_history__take(&line, ' ');
    if (ken_history__is_id(word)) {
        begin_line(b, word);
        return;
    }
    if (b->at < 0)
        return;
    if (ken_str_eq(word, KEN_STR("boundary"))) {
        b->is_edge.ptr[b->at] = true;
        b->has_edges = true;
    }
    ken_history_commit *c = &b->touches.ptr[b->at].commit;
    uint64_t time_s = 0;
    if (ken_str_eq(word, KEN_STR("author")))
        c->author = ken_history__words(b->arena, line, HISTORY_MAX_NAME);
    else if (ken_str_eq(word, KEN_STR("summary")))
        c->subject = ken_history__words(b->arena, line, HISTORY_MAX_SUBJECT);
    else if (ken_str_eq(word, KEN_STR("committer-time")) && ken_str_parse_u64(line, &time_s) &&
             time_s <= HISTORY_MAX_TIME_S)
        c->time_s = (int64_t)time_s;
}

static int by_time(const void *x, const void *y)
{
    const ken_history_touch *a = x, *b = y;
    if (a->commit.time_s != b->commit.time_s)
        return a->commit.time_s < b->commit.time_s ? 1 : -1;
    return ken_str_cmp(a->commit.id, b->commit.id);
}

void ken_history__blame_finish(history_blame *b, ken_history_touches *out)
{
    size_t n = b->touches.len;
    if (n)
        qsort(b->touches.ptr, n, sizeof *b->touches.ptr, by_time);
    out->n_commits = n;
    out->n_touches = n < KEN_HISTORY_AUTHORS ? n : KEN_HISTORY_AUTHORS;
    out->touches = ken_arena_copy(b->arena, b->touches.ptr, out->n_touches, sizeof *out->touches);
    out->n_uncommitted = b->n_uncommitted;
    out->n_beyond = b->n_beyond;
}

// A commit without parents is the first one, or where a shallow clone ends.
static void look_at_edges(history_blame *b, const char *root, const ken_cancel *cancel)
{
    history_tree tree = { .is_shallow = false };
    if (b->has_edges && !ken_history__tree_open(root, cancel, b->arena, &tree, NULL) &&
        tree.is_shallow)
        drop_edges(b);
}

static ken_str reason_of(const ken_proc_result *r, const ken_history_touches *t, ken_arena *arena)
{
    if (t->lacks_contents)
        return KEN_STR("a partial clone: earlier contents of the file are not here");
    if (r->exit_code)
        return ken_history__words(arena, ken_proc_complaint(r), HISTORY_MAX_REASON);
    if (!t->n_beyond)
        return KEN_STR("");
    return ken_arena_printf(arena,
                            "a shallow clone: %u line%s of its oldest commit or of an earlier one, "
                            "which is not here",
                            t->n_beyond, t->n_beyond == 1 ? " is" : "s are");
}

// Git's words where a content is missing that a partial clone would fetch.
static bool is_partial(const ken_proc_result *r)
{
    return ken_str_find(ken_buf_str(&r->errors), KEN_STR("promisor remote")) != SIZE_MAX ||
           ken_str_find(ken_buf_str(&r->errors), KEN_STR("lazy fetching disabled")) != SIZE_MAX;
}

static ken_status run_blame(history_blame *b, const char *root, const char *const *argv,
                            const ken_cancel *cancel, ken_proc_result *out, ken_err *err)
{
    history_lines lines;
    ken_history__lines_init(&lines, ken_history__blame_line, b);
    ken_status st = ken_git_run(&(ken_proc_opts){ .argv = argv,
                                                  .cwd = root,
                                                  .timeout_ms = BLAME_MS,
                                                  .max_out_bytes = BLAME_BYTES,
                                                  .cancel = cancel,
                                                  .on_out = ken_history__lines_add,
                                                  .out_ctx = &lines },
                                out, err);
    ken_history__lines_release(&lines);
    return st;
}

ken_status ken_history_of_lines(const char *root, ken_str path, uint32_t first, uint32_t last,
                                const ken_cancel *cancel, ken_arena *arena,
                                ken_history_touches *out, ken_err *err)
{
    ken_history_touches result = { .reason = KEN_STR("") };
    if (!ken_history__is_path(path))
        return KEN_FAIL(err, KEN_EINVAL, "file_path: expected a path below the root, got '%.*s'",
                        (int)(path.len < 200 ? path.len : 200), path.ptr);
    if (first > last || last == UINT32_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "lines: %u to %u is no range", first, last);
    ken_str range = ken_arena_printf(arena, "-L%u,%u", first + 1, last + 1);
    const char *argv[] = { "blame",
                           "--porcelain",
                           "--no-root",
                           "--ignore-revs-file=",
                           "--encoding=UTF-8",
                           range.ptr,
                           "--",
                           ken_arena_dup(arena, path).ptr,
                           NULL };
    history_blame b;
    ken_history__blame_init(&b, arena);
    ken_proc_result r = { 0 };
    ken_err inner = { 0 };
    ken_status st = run_blame(&b, root, argv, cancel, &r, &inner);
    if (st && ken_cancel_check(cancel, NULL)) {
        st = KEN_FAIL(err, st, "%s", inner.msg);
        goto out;
    }
    if (st)
        result.reason = ken_history__words(arena, ken_str_c(inner.msg), HISTORY_MAX_REASON);
    result.lacks_contents = !st && r.exit_code && is_partial(&r);
    if (!st && !r.exit_code) {
        look_at_edges(&b, root, cancel);
        ken_history__blame_finish(&b, &result);
    }
    if (!st)
        result.reason = reason_of(&r, &result, arena);
    *out = result;
    st = KEN_OK;
out:
    ken_proc_result_release(&r);
    ken_history__blame_release(&b);
    return st;
}
