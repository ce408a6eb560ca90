// SPDX-License-Identifier: MIT
// Reading: where the work tree is, whether what is kept is of an ancestor, git's log of the rest,
// then what is kept behind it.
#include "history/history.h"

#include <stdio.h>

#include "base/alloc.h"
#include "history/history_priv.h"

enum {
    MAX_MS = 20000,
    MAX_BYTES = 64 << 20,
    SMALL_MS = 10000,
};

ken_history *ken_history__new(void)
{
    ken_history *h = ken_zalloc(sizeof *h);
    ken_arena_init(&h->arena, 0);
    h->head = h->reason = KEN_STR("");
    return h;
}

void ken_history_free(ken_history *h)
{
    if (!h)
        return;
    ken_arena_release(&h->arena);
    ken_free(h);
}

ken_history_info ken_history_get_info(const ken_history *h)
{
    return (ken_history_info){ .head = h->head,
                               .reason = h->reason,
                               .n_commits = h->n_entries,
                               .n_files = h->n_files,
                               .n_authors = h->n_authors,
                               .is_shallow = h->is_shallow };
}

// The state of one call of ken_history_read.
typedef struct job {
    const char *root;
    const ken_history *kept; // NULL: read everything
    const ken_cancel *cancel;
    uint32_t max_commits;
    uint32_t max_ms;
    size_t max_bytes;
    ken_arena scratch;
    history_tree tree;
    const char *cut; // why older commits are not there; NULL = they are
} job;

// Without a head, so that it is not taken for what the commit has.
static ken_history *make_empty(const char *reason)
{
    ken_history *h = ken_history__new();
    h->reason = ken_history__words(&h->arena, ken_str_c(reason), HISTORY_MAX_REASON);
    ken_history__derive(h);
    return h;
}

// Runs a git that prints little; `*out_r` is to be released.
static ken_status run_small(const job *j, const char *const *argv, ken_proc_result *out_r,
                            ken_err *err)
{
    return ken_git_run(
        &(ken_proc_opts){
            .argv = argv, .cwd = j->root, .timeout_ms = SMALL_MS, .cancel = j->cancel },
        out_r, err);
}

// Whether the commits that are kept lie behind today's.
static ken_status is_ancestor(const job *j, bool *out, ken_err *err)
{
    const char *argv[] = { "merge-base", "--is-ancestor", j->kept->head.ptr, j->tree.head.ptr,
                           NULL };
    ken_proc_result r;
    ken_status st = run_small(j, argv, &r, err);
    if (st)
        return st;
    *out = r.exit_code == 0;
    ken_proc_result_release(&r);
    return KEN_OK;
}

static ken_str range_of(job *j)
{
    if (!j->kept)
        return j->tree.head;
    return ken_arena_printf(&j->scratch, KEN_STR_FMT ".." KEN_STR_FMT, KEN_STR_ARG(j->kept->head),
                            KEN_STR_ARG(j->tree.head));
}

// Whether the new commits are one row on top of those that are kept. With a merge among them git, which goes by time, prints
// some between those, or those in another order.
static ken_status is_row(job *j, bool *out, ken_err *err)
{
    const char *argv[] = { "rev-list", "--merges", "--max-count=1", range_of(j).ptr, NULL };
    ken_proc_result r;
    ken_status st = run_small(j, argv, &r, err);
    if (st)
        return st;
    *out = r.exit_code == 0 && !ken_buf_str(&r.out).len;
    ken_proc_result_release(&r);
    return KEN_OK;
}

// Runs git with these arguments into a builder. What stops it short (time, size) sets j->cut.
static ken_status run_into(job *j, const char *const *argv, history_builder *b, int *out_exit,
                           ken_err *err)
{
    ken_proc_result r = { 0 };
    ken_err inner = { 0 };
    ken_status st = ken_history__run_lines(&(ken_proc_opts){ .argv = argv,
                                                             .cwd = j->root,
                                                             .timeout_ms = j->max_ms,
                                                             .max_out_bytes = j->max_bytes,
                                                             .cancel = j->cancel },
                                           ken_history__builder_line, b, &r, &inner);
    *out_exit = r.exit_code;
    ken_proc_result_release(&r);
    if ((st == KEN_ETIMEOUT || st == KEN_ELIMIT) && !ken_cancel_check(j->cancel, NULL)) {
        j->cut = st == KEN_ETIMEOUT ? "its time was up while reading; older commits are missing"
                                    : "the log is over the size limit; older commits are missing";
        return KEN_OK;
    }
    return st ? KEN_FAIL(err, st, "%s", inner.msg) : KEN_OK;
}

// `renames`: how they are found; by content takes the contents, which a partial clone may lack, and
// costs the square of how many there are, so -l bounds it. At the top of the work tree no path is
// asked for: that would cost a comparison for each commit passed over.
static ken_status run_log(job *j, const char *renames, history_builder *b, int *out_exit,
                          ken_err *err)
{
    ken_str n = ken_arena_printf(&j->scratch, "--max-count=%u", j->max_commits);
    const char *argv[] = { "log",
                           n.ptr,
                           "--no-merges",
                           "--root",
                           "--name-status",
                           renames,
                           "-l200",
                           "--relative",
                           "--full-history",
                           "--ignore-submodules=all",
                           "--encoding=UTF-8",
                           HISTORY_FORMAT,
                           range_of(j).ptr,
                           "--",
                           j->tree.prefix.len ? "." : NULL,
                           NULL };
    return run_into(j, argv, b, out_exit, err);
}

// The commits of the range.
static ken_status read_log(job *j, history_builder **out, ken_err *err)
{
    static const char *const ways[] = { "-M", "-M100%" };
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        history_builder *b = ken_history__builder_new(j->max_commits, j->tree.is_shallow);
        int exit_code = 0;
        ken_status st = run_log(j, ways[i], b, &exit_code, err);
        if (!st && exit_code == 0) {
            *out = b;
            return KEN_OK;
        }
        ken_history__builder_free(b);
        if (st)
            return st;
    }
    return KEN_FAIL(err, KEN_EUNSUPPORTED, "git cannot read its log here");
}

// The new commits, then those that are kept.
static ken_status build(job *j, history_builder **out, ken_err *err)
{
    ken_status st = read_log(j, out, err);
    if (!st && j->kept && !j->cut)
        ken_history__builder_replay(*out, j->kept);
    return st;
}

static ken_str reason_of(const job *j, const ken_history *h)
{
    if (j->tree.is_shallow)
        return h->n_entries ? KEN_STR("a shallow clone: older commits are not here")
                            : KEN_STR("a shallow clone: its commits are not here");
    if (j->cut)
        return ken_str_c(j->cut);
    return j->kept ? j->kept->reason : KEN_STR("");
}

// There is a work tree with a commit.
static ken_status read_tree(job *j, ken_history **out, ken_err *err)
{
    const ken_history *kept = j->kept;
    bool is_usable = kept && kept->head.len && kept->is_shallow == j->tree.is_shallow;
    if (is_usable && ken_str_eq(kept->head, j->tree.head))
        return KEN_OK;
    ken_status st = KEN_OK;
    if (is_usable)
        st = is_ancestor(j, &is_usable, err);
    if (!st && is_usable)
        st = is_row(j, &is_usable, err);
    if (!is_usable)
        j->kept = NULL;
    history_builder *b = NULL;
    if (!st)
        st = build(j, &b, err);
    if (st)
        return st;
    ken_history *h = ken_history__new();
    ken_history__builder_finish(b, h);
    ken_history__builder_free(b);
    h->head = ken_arena_dup(&h->arena, j->tree.head);
    h->is_shallow = j->tree.is_shallow;
    h->reason = ken_arena_dup(&h->arena, reason_of(j, h));
    *out = h;
    return KEN_OK;
}

ken_status ken_history_read(const char *root, const ken_history *kept, const ken_history_opts *opts,
                            const ken_cancel *cancel, ken_history **out, ken_err *err)
{
    static const ken_history_opts none;
    const ken_history_opts *o = opts ? opts : &none;
    job j = { .root = root,
              .kept = kept,
              .cancel = cancel,
              .max_commits = o->max_commits ? o->max_commits : HISTORY_MAX_COMMITS,
              .max_ms = o->max_ms ? o->max_ms : MAX_MS,
              .max_bytes = o->max_bytes ? o->max_bytes : MAX_BYTES,
              .tree = { KEN_STR(""), KEN_STR(""), false } };
    ken_arena_init(&j.scratch, 1024);
    ken_history *h = NULL;
    ken_err inner = { 0 };
    ken_status st = o->commit.len && !ken_is_object_id(o->commit)
                        ? KEN_FAIL(&inner, KEN_EINVAL, "'commit' is no full id")
                        : ken_history__tree_open(root, cancel, &j.scratch, &j.tree, &inner);
    if (!st && o->commit.len)
        j.tree.head = o->commit;
    if (!st && !j.tree.head.len)
        h = make_empty("no commit yet");
    else if (!st)
        st = read_tree(&j, &h, &inner);
    if (st && !ken_cancel_check(cancel, NULL)) { // whatever keeps git from answering is no error
        h = make_empty(inner.msg);
        st = KEN_OK;
    }
    ken_arena_release(&j.scratch);
    if (st)
        return KEN_FAIL(err, st, "%s", inner.msg);
    *out = h;
    return KEN_OK;
}
