// SPDX-License-Identifier: MIT
// Who left a range of lines, from git's blame: it takes the file as it is on disk, follows renames,
// and needs half the time of `git log -L`, which would also name commits whose lines are gone.
#include <inttypes.h>
#include <stdlib.h>

#include "history/history_priv.h"

enum {
    BLAME_MS = 5000,
    BLAME_BYTES = 64 << 20,
    PLACED = 500, // commits whose order is asked for
};

void ken_history__blame_init(history_blame *b, ken_arena *arena)
{
    *b = (history_blame){ .arena = arena, .at = -1 };
    ken_map_init(&b->by_id);
}

void ken_history__blame_release(history_blame *b)
{
    ken_map_release(&b->by_id);
    ken_vec_release(&b->commits);
}

// Takes out the commits that end a shallow clone: what they seem to have added may be older.
static void drop_edges(history_blame *b)
{
    size_t n = 0;
    for (size_t i = 0; i < b->commits.len; i++)
        if (!b->commits.ptr[i].is_edge)
            b->commits.ptr[n++] = b->commits.ptr[i];
        else
            b->n_beyond += b->commits.ptr[i].touch.n_lines;
    b->commits.len = n;
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
    uint64_t *slot = ken_map_put(&b->by_id, id, b->commits.len, &is_new);
    if (is_new) {
        ken_str empty = KEN_STR("");
        history_blamed t = { .touch.commit = { ken_arena_dup(b->arena, id), empty, empty, 0 } };
        ken_vec_push(&b->commits, t);
    }
    b->at = (int64_t)*slot;
    b->commits.ptr[b->at].touch.n_lines++;
}

void ken_history__blame_line(void *blame, ken_str line)
{
    history_blame *b = blame;
    if (line.len && line.ptr[0] == '\t') // the line itself
        return;
    ken_str word = ken_history__take(&line, ' ');
    if (ken_is_object_id(word)) {
        begin_line(b, word);
        return;
    }
    if (b->at < 0)
        return;
    if (ken_str_eq(word, KEN_STR("boundary"))) {
        b->commits.ptr[b->at].is_edge = true;
        b->has_edges = true;
    }
    ken_history_commit *c = &b->commits.ptr[b->at].touch.commit;
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
    const history_blamed *a = x, *b = y;
    if (a->touch.commit.time_s != b->touch.commit.time_s)
        return a->touch.commit.time_s < b->touch.commit.time_s ? 1 : -1;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return ken_str_cmp(a->touch.commit.id, b->touch.commit.id);
}

static void sort(history_blame *b)
{
    if (b->commits.len)
        qsort(b->commits.ptr, b->commits.len, sizeof *b->commits.ptr, by_time);
}

void ken_history__blame_finish(history_blame *b, ken_history_touches *out)
{
    size_t n = b->commits.len;
    sort(b);
    out->n_commits = n;
    out->n_touches = n < KEN_HISTORY_AUTHORS ? n : KEN_HISTORY_AUTHORS;
    out->touches = KEN_ARENA_ARRAY(b->arena, ken_history_touch, out->n_touches);
    for (size_t i = 0; i < out->n_touches; i++)
        out->touches[i] = b->commits.ptr[i].touch;
    out->n_uncommitted = b->n_uncommitted;
    out->n_beyond = b->n_beyond;
}

static ken_status run_git(const char *root, const char *const *argv,
                          void (*on_line)(void *ctx, ken_str line), history_blame *b,
                          const ken_cancel *cancel, ken_proc_result *out, ken_err *err)
{
    return ken_history__run_lines(&(ken_proc_opts){ .argv = argv,
                                                    .cwd = root,
                                                    .timeout_ms = BLAME_MS,
                                                    .max_out_bytes = BLAME_BYTES,
                                                    .cancel = cancel },
                                  on_line, b, out, err);
}

// ---- commits of one second ----
// A rebase makes many of them. git's own order is asked for: no commit comes before one that was made of it.

static void place_commit(void *blame, ken_str id)
{
    history_blame *b = blame;
    const uint64_t *at = ken_map_find(&b->by_id, id);
    if (at)
        b->commits.ptr[*at].place = b->n_placed++;
}

// Of the sorted commits: how many are shown, or of one second with one that is.
static size_t count_shown(const history_blame *b, bool *out_are_some_equal)
{
    size_t n = 0;
    for (; n < b->commits.len; n++) {
        bool is_equal =
            n && b->commits.ptr[n].touch.commit.time_s == b->commits.ptr[n - 1].touch.commit.time_s;
        if (n >= KEN_HISTORY_AUTHORS && !is_equal)
            break;
        *out_are_some_equal |= is_equal;
    }
    return n;
}

// What git cannot tell in its time stays in the order of ids.
static void place_equal(history_blame *b, const char *root, const ken_cancel *cancel)
{
    sort(b);
    bool are_some_equal = false;
    size_t n = count_shown(b, &are_some_equal);
    if (!are_some_equal)
        return;
    if (n > PLACED)
        n = PLACED;
    const char **argv = KEN_ARENA_ARRAY(b->arena, const char *, n + 4);
    ken_map_release(&b->by_id);
    ken_map_init(&b->by_id);
    argv[0] = "rev-list";
    argv[1] = "--topo-order";
    argv[2] =
        ken_arena_printf(b->arena, "--max-age=%" PRId64, b->commits.ptr[n - 1].touch.commit.time_s)
            .ptr;
    for (size_t i = 0; i < n; i++) {
        ken_map_put(&b->by_id, b->commits.ptr[i].touch.commit.id, i, NULL);
        b->commits.ptr[i].place = UINT32_MAX;
        argv[3 + i] = b->commits.ptr[i].touch.commit.id.ptr;
    }
    argv[3 + n] = NULL;
    ken_proc_result r = { 0 };
    (void)run_git(root, argv, place_commit, b, cancel, &r, NULL);
    ken_proc_result_release(&r);
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

ken_status ken_history_of_lines(const char *root, ken_str commit, ken_str path, uint32_t first,
                                uint32_t last, const ken_cancel *cancel, ken_arena *arena,
                                ken_history_touches *out, ken_err *err)
{
    ken_history_touches result = { .reason = KEN_STR("") };
    if (!ken_history__is_path(path))
        return KEN_FAIL(err, KEN_EINVAL, "file_path: expected a path below the root, got '%.*s'",
                        (int)(path.len < 200 ? path.len : 200), path.ptr);
    if (commit.len && !ken_is_object_id(commit))
        return KEN_FAIL(err, KEN_EINVAL, "commit: expected its full id");
    if (first > last || last == UINT32_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "lines: %u to %u is no range", first, last);
    ken_str range = ken_arena_printf(arena, "-L%u,%u", first + 1, last + 1);
    const char *argv[] = { "blame",
                           "--porcelain",
                           "--no-root",
                           "--ignore-revs-file=",
                           "--encoding=UTF-8",
                           range.ptr,
                           NULL,
                           NULL,
                           NULL,
                           NULL };
    size_t n = 6;
    if (commit.len)
        argv[n++] = ken_arena_dup(arena, commit).ptr;
    argv[n++] = "--";
    argv[n] = ken_arena_dup(arena, path).ptr;
    history_blame b;
    ken_history__blame_init(&b, arena);
    ken_proc_result r = { 0 };
    ken_err inner = { 0 };
    ken_status st = run_git(root, argv, ken_history__blame_line, &b, cancel, &r, &inner);
    if (st && ken_cancel_check(cancel, NULL)) {
        st = KEN_FAIL(err, st, "%s", inner.msg);
        goto out;
    }
    if (st)
        result.reason = ken_history__words(arena, ken_str_c(inner.msg), HISTORY_MAX_REASON);
    result.lacks_contents = !st && r.exit_code && is_partial(&r);
    if (!st && !r.exit_code) {
        look_at_edges(&b, root, cancel);
        place_equal(&b, root, cancel);
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
