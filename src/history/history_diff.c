// SPDX-License-Identifier: MIT
// Changes between two commits, or up to the work tree. The names that somebody gives are
// turned into commit ids first; only ids are handed on.
#include "history/history_priv.h"

enum {
    DIFF_MS = 30000,
    DIFF_BYTES = 128 << 20,
    SMALL_MS = 10000,
    MAX_REV = 250,
};

static const char *const change_words[KEN_CHANGE_KIND_COUNT] = {
#define X(name, word) [KEN_CHANGE_##name] = (word),
    KEN_CHANGE_KIND_TABLE(X)
#undef X
};

const char *ken_change_kind_word(ken_change_kind k)
{
    return k < KEN_CHANGE_KIND_COUNT ? change_words[k] : change_words[KEN_CHANGE_NONE];
}

// One call of ken_history_diff.
typedef struct diff_job {
    const char *root;
    const ken_cancel *cancel;
    ken_arena *arena;
    history_tree tree;
    ken_str from, to; // ids
    history_patch *patch;
} diff_job;

// ---- which commits -----------------------------------------------------------------------------

// The id that git prints for a question; empty when it ends with something else than 0.
static ken_status ask_id(const diff_job *j, const char *const *argv, ken_str *out, ken_err *err)
{
    ken_proc_result r;
    ken_status st = ken_git_run(
        &(ken_proc_opts){
            .argv = argv, .cwd = j->root, .timeout_ms = SMALL_MS, .cancel = j->cancel },
        &r, err);
    if (st)
        return st;
    ken_str id = ken_str_trim(ken_buf_str(&r.out));
    bool is_id = r.exit_code == 0 && ken_is_object_id(id);
    *out = is_id ? ken_arena_dup(j->arena, id) : KEN_STR("");
    ken_proc_result_release(&r);
    return KEN_OK;
}

// One side of a rev; empty = HEAD.
static ken_status resolve(const diff_job *j, ken_str name, ken_str *out, ken_err *err)
{
    if (!name.len)
        name = KEN_STR("HEAD");
    bool is_odd = name.ptr[0] == '-' || name.ptr[0] == '^';
    for (size_t i = 0; i < name.len; i++)
        is_odd |= (unsigned char)name.ptr[i] < ' ';
    if (is_odd)
        return KEN_FAIL(err, KEN_EINVAL,
                        "rev: expected a commit, A..B or A...B, got '" KEN_STR_FMT "'",
                        KEN_STR_ARG(name));
    const char *argv[] = {
        "rev-parse", "--verify", "--quiet",
        ken_arena_printf(j->arena, KEN_STR_FMT "^{commit}", KEN_STR_ARG(name)).ptr, NULL
    };
    ken_status st = ask_id(j, argv, out, err);
    if (!st && !out->len)
        st = KEN_FAIL(err, KEN_EINVAL, "rev: '" KEN_STR_FMT "' names no commit", KEN_STR_ARG(name));
    return st;
}

// A...B begins where both parted.
static ken_status find_base(diff_job *j, ken_str rev, ken_err *err)
{
    const char *argv[] = { "merge-base", j->from.ptr, j->to.ptr, NULL };
    ken_status st = ask_id(j, argv, &j->from, err);
    if (!st && !j->from.len)
        st = KEN_FAIL(err, KEN_EINVAL, "rev: the sides of '" KEN_STR_FMT "' have no common commit",
                      KEN_STR_ARG(rev));
    return st;
}

static ken_status resolve_rev(diff_job *j, ken_str rev, ken_err *err)
{
    if (rev.len > MAX_REV)
        return KEN_FAIL(err, KEN_EINVAL, "rev: %zu bytes are over %d", rev.len, MAX_REV);
    j->from = j->tree.head;
    j->to = KEN_STR("");
    if (!rev.len)
        return KEN_OK;
    size_t dots = ken_str_find(rev, KEN_STR(".."));
    if (dots == SIZE_MAX)
        return resolve(j, rev, &j->from, err);
    bool is_from_base = ken_str_starts(ken_str_sub(rev, dots, rev.len), KEN_STR("..."));
    ken_status st = resolve(j, ken_str_sub(rev, 0, dots), &j->from, err);
    if (!st)
        st = resolve(j, ken_str_sub(rev, dots + (is_from_base ? 3 : 2), rev.len), &j->to, err);
    if (!st && is_from_base)
        st = find_base(j, rev, err);
    return st;
}

// ---- what changed ------------------------------------------------------------------------------

static ken_status run(const diff_job *j, const char *const *argv, void (*on_line)(void *, ken_str),
                      void *ctx, ken_err *err)
{
    ken_proc_result r;
    ken_status st = ken_history__run_lines(&(ken_proc_opts){ .argv = argv,
                                                             .cwd = j->root,
                                                             .timeout_ms = DIFF_MS,
                                                             .max_out_bytes = DIFF_BYTES,
                                                             .cancel = j->cancel },
                                           on_line, ctx, &r, err);
    if (st)
        return st;
    if (r.exit_code) {
        ken_str why = ken_history__words(j->arena, ken_proc_complaint(&r), 200);
        st = KEN_FAIL(err, KEN_EUNSUPPORTED, "git ended with %d: " KEN_STR_FMT, r.exit_code,
                      KEN_STR_ARG(why));
    }
    ken_proc_result_release(&r);
    return st;
}

// `from` is an id or, before the first commit, that of the empty tree.
static ken_status run_diff(const diff_job *j, ken_str from, ken_err *err)
{
    const char *argv[] = { "diff",
                           "--patch",
                           "-U0",
                           "--inter-hunk-context=0",
                           "--find-renames",
                           "-l400",
                           "--src-prefix=a/",
                           "--dst-prefix=b/",
                           "--relative",
                           from.ptr,
                           j->to.len ? j->to.ptr : "--",
                           j->to.len ? "--" : NULL,
                           NULL };
    return run(j, argv, ken_history__patch_line, j->patch, err);
}

static void add_untracked(void *ctx, ken_str line)
{
    const diff_job *j = ctx;
    ken_str path = ken_history__path(j->arena, line);
    if (path.ptr)
        ken_history__patch_add(j->patch, path, KEN_CHANGE_UNTRACKED);
}

static ken_status list_untracked(diff_job *j, ken_err *err)
{
    static const char *const argv[] = { "ls-files", "--others", "--exclude-standard", NULL };
    return run(j, argv, add_untracked, j, err);
}

static ken_status compare(diff_job *j, ken_err *err)
{
    static const char *const empty_tree[] = { "hash-object", "-t", "tree", "--stdin", NULL };
    ken_str from = j->from;
    ken_status st = KEN_OK;
    if (!from.len)
        st = ask_id(j, empty_tree, &from, err);
    if (!st)
        st = run_diff(j, from, err);
    if (!st && !j->to.len)
        st = list_untracked(j, err);
    return st;
}

ken_status ken_history_diff(const char *root, ken_str rev, const ken_cancel *cancel,
                            ken_arena *arena, ken_changes *out, ken_err *err)
{
    diff_job j = { .root = root, .cancel = cancel, .arena = arena };
    ken_status st = ken_history__tree_open(root, cancel, arena, &j.tree, err);
    if (!st)
        st = resolve_rev(&j, rev, err);
    if (st)
        return st;
    j.patch = ken_history__patch_new(arena);
    st = compare(&j, err);
    if (!st) {
        ken_changes c = { .from = j.from, .to = j.to };
        ken_history__patch_finish(j.patch, &c);
        *out = c;
    }
    ken_history__patch_free(j.patch);
    return st;
}
