// SPDX-License-Identifier: MIT
// The history of the work tree, read on demand: from memory, else from the value in the index,
// else git. Whether it is of the present commit is seen from git's own files, without a process.
#include <stdio.h>

#include "base/alloc.h"
#include "query/query_priv.h"
#include "scan/scan.h"

static const ken_str value_name = { "history", 7 };

void ken_snapshot_set_keeper(ken_snapshot *s, ken_snapshot_keep_fn *keep, void *ctx)
{
    s->history.keep = keep;
    s->history.keep_ctx = ctx;
}

static void hold(query_history *h, ken_history *it)
{
    ken_history_free(h->it);
    h->it = it;
}

void ken_query__close_history(query_history *h)
{
    hold(h, NULL);
    ken_free(h->head);
    h->head = NULL;
}

// A shallow clone may have got its older commits without a new one.
static bool is_of(const ken_history *it, ken_str head)
{
    ken_history_info info = ken_history_get_info(it);
    return head.len && !info.is_shallow && ken_str_eq(info.head, head);
}

// One folder whose history is asked for, and the value that keeps it.
typedef struct place {
    ken_snapshot *s;
    query_history *h;
    ken_str root, value;
    bool may_keep;
    const ken_cancel *cancel;
} place;

// Takes what is kept, if it is of this commit or nothing is held. Bytes that cannot be read are
// made anew.
static void load_kept(const place *p, ken_str head, ken_arena *arena)
{
    ken_str packed;
    ken_history *kept = NULL;
    if (ken_store_load_value(p->s->store, p->value, arena, &packed, NULL) ||
        ken_history_unpack(packed, &kept, NULL))
        return;
    if (!p->h->it || is_of(kept, head))
        hold(p->h, kept);
    else
        ken_history_free(kept);
}

static void save_history(const place *p)
{
    const query_history *h = p->h;
    if (!h->keep || !ken_history_get_info(h->it).head.len)
        return;
    ken_buf packed = { 0 };
    ken_history_pack(h->it, &packed);
    if (!packed.is_over)
        h->keep(h->keep_ctx, p->value, ken_buf_str(&packed));
    ken_buf_release(&packed);
}

// Whose history it is; empty = of what is checked out.
static ken_str commit_of(const ken_snapshot *s)
{
    return s->revision ? ken_revision_id(s->revision) : KEN_STR("");
}

static ken_status refresh(const place *p, ken_str head, ken_arena *arena, ken_err *err)
{
    query_history *h = p->h;
    load_kept(p, head, arena);
    if (h->it && is_of(h->it, head))
        return KEN_OK;
    ken_history *fresh = NULL;
    const ken_history_opts opts = { .commit = commit_of(p->s) };
    ken_status st =
        ken_history_read(ken_arena_dup(arena, p->root).ptr, h->it, &opts, p->cancel, &fresh, err);
    if (st || !fresh)
        return st;
    hold(h, fresh);
    if (p->may_keep)
        save_history(p);
    return KEN_OK;
}

// `*out_is_same`: what is held was right.
static ken_status follow(const place *p, bool *out_is_same, ken_err *err)
{
    query_history *h = p->h;
    ken_arena scratch;
    ken_arena_init(&scratch, 0);
    ken_str head = p->s->revision ? commit_of(p->s) : ken_scan_head(p->root, &scratch);
    ken_status st = KEN_OK;
    *out_is_same =
        h->it && h->head && ken_str_eq_c(head, h->head) && !ken_history_get_info(h->it).is_shallow;
    if (!*out_is_same)
        st = refresh(p, head, &scratch, err);
    if (!st && !*out_is_same) {
        ken_free(h->head);
        h->head = ken_strndup(head.ptr, head.len);
    }
    ken_arena_release(&scratch);
    return st;
}

// ---- several roots ------------------------------------------------------------------------------

static void forget_joined(query_histories *h)
{
    ken_history_free(h->joined);
    h->joined = NULL;
}

void ken_query__close_histories(query_histories *h)
{
    for (size_t i = 0; i < h->n; i++) {
        ken_query__close_history(&h->more[i].history);
        ken_free((char *)(uintptr_t)h->more[i].name.ptr);
        ken_free((char *)(uintptr_t)h->more[i].path.ptr);
    }
    ken_free(h->more);
    forget_joined(h);
    *h = (query_histories){ 0 };
}

static bool is_of_roots(const query_histories *h, const ken_roots *r)
{
    bool is = h->n == r->n;
    for (size_t i = 0; i < h->n && is; i++)
        is = ken_str_eq(h->more[i].name, r->more[i].name) &&
             ken_str_eq(h->more[i].path, r->more[i].path);
    return is;
}

static ken_str own_copy(ken_str s)
{
    return ken_str_n(ken_strndup(s.ptr, s.len), s.len);
}

static void take_roots(ken_snapshot *s)
{
    query_histories *h = &s->histories;
    if (is_of_roots(h, &s->roots))
        return;
    ken_query__close_histories(h);
    h->n = s->roots.n;
    h->more = ken_zalloc(ken_mul_size(h->n, sizeof *h->more));
    for (size_t i = 0; i < h->n; i++) {
        h->more[i].name = own_copy(s->roots.more[i].name);
        h->more[i].path = own_copy(s->roots.more[i].path);
    }
}

static void join_all(ken_snapshot *s)
{
    query_histories *h = &s->histories;
    ken_arena scratch;
    ken_arena_init(&scratch, 1024);
    ken_history_part *parts = KEN_ARENA_ARRAY(&scratch, ken_history_part, h->n + 1);
    parts[0] = (ken_history_part){ KEN_STR(""), s->history.it };
    for (size_t i = 0; i < h->n; i++)
        parts[i + 1] = (ken_history_part){ ken_arena_printf(&scratch, "@" KEN_STR_FMT,
                                                            KEN_STR_ARG(h->more[i].name)),
                                           h->more[i].history.it };
    h->joined = ken_history_join(parts, h->n + 1);
    ken_arena_release(&scratch);
}

static ken_status follow_further(ken_snapshot *s, bool may_keep, const ken_cancel *cancel,
                                 bool *is_same, ken_err *err)
{
    query_histories *h = &s->histories;
    ken_status st = KEN_OK;
    for (size_t i = 0; i < h->n && !st; i++) {
        char value[KEN_ROOT_NAME_MAX + 16];
        int n = snprintf(value, sizeof value, "history@" KEN_STR_FMT, KEN_STR_ARG(h->more[i].name));
        bool is_own_same = true;
        h->more[i].history.keep = s->history.keep;
        h->more[i].history.keep_ctx = s->history.keep_ctx;
        const place p = {
            s, &h->more[i].history, h->more[i].path, ken_str_n(value, (size_t)n), may_keep, cancel
        };
        st = follow(&p, &is_own_same, err);
        *is_same = *is_same && is_own_same;
    }
    return st;
}

ken_status ken_snapshot_history(ken_snapshot *s, bool may_keep, const ken_cancel *cancel,
                                ken_history **out, ken_err *err)
{
    query_check_pin(s);
    bool is_same = true;
    const place first = { s, &s->history, s->info.root, value_name, may_keep, cancel };
    ken_status st = follow(&first, &is_same, err);
    if (st)
        return st;
    if (!s->roots.n) {
        *out = s->history.it;
        return KEN_OK;
    }
    take_roots(s);
    st = follow_further(s, may_keep, cancel, &is_same, err);
    if (!is_same)
        forget_joined(&s->histories);
    if (st)
        return st;
    if (!s->histories.joined)
        join_all(s);
    *out = s->histories.joined;
    return KEN_OK;
}

ken_status ken_snapshot_touches(ken_snapshot *s, ken_str path, uint32_t first, uint32_t last,
                                const ken_cancel *cancel, ken_arena *arena,
                                ken_history_touches *out, ken_err *err)
{
    ken_str relative = ken_query__relative_path(s, path, arena);
    if (!relative.ptr || ken_query__file_index(s, relative) < 0)
        return ken_query__fail_unknown(s, ken_str_sub(path, 0, 200), arena, err);
    const ken_root *root = ken_roots_find(&s->roots, relative, &relative);
    return ken_history_of_lines(root ? root->path.ptr : s->info.root.ptr, commit_of(s), relative,
                                first, last, cancel, arena, out, err);
}

// Of a commit the newer side is that commit where a work tree has its files.
static ken_str range_of(const ken_snapshot *s, ken_str rev, ken_arena *arena)
{
    ken_str at = commit_of(s), dots = KEN_STR("..");
    if (!at.len)
        return rev;
    size_t from = ken_str_find(rev, dots);
    if (from == SIZE_MAX)
        return ken_arena_printf(arena, KEN_STR_FMT ".." KEN_STR_FMT,
                                KEN_STR_ARG(rev.len ? rev : at), KEN_STR_ARG(at));
    return ken_arena_printf(arena, KEN_STR_FMT KEN_STR_FMT KEN_STR_FMT,
                            KEN_STR_ARG(from ? KEN_STR("") : at), KEN_STR_ARG(rev),
                            KEN_STR_ARG(ken_str_ends(rev, dots) ? at : KEN_STR("")));
}

// Files of another root's changes go behind those there are; they keep their order by path.
static void add_changes(ken_changes *all, const ken_root *root, const ken_changes *own,
                        ken_arena *arena)
{
    ken_changed_file *files =
        KEN_ARENA_ARRAY(arena, ken_changed_file, all->n_files + own->n_files + 1);
    size_t n = 0, at = 0;
    ken_str mark = ken_root_path(root, KEN_STR(""), arena);
    while (at < all->n_files && ken_str_cmp(all->files[at].path, mark) < 0)
        files[n++] = all->files[at++];
    for (size_t i = 0; i < own->n_files; i++) {
        ken_changed_file f = own->files[i];
        f.path = ken_root_path(root, f.path, arena);
        f.old_path = f.old_path.len ? ken_root_path(root, f.old_path, arena) : f.old_path;
        files[n++] = f;
    }
    while (at < all->n_files)
        files[n++] = all->files[at++];
    all->files = files;
    all->n_files = n;
    all->is_truncated = all->is_truncated || own->is_truncated;
    all->more[all->n_more++] = (ken_changed_root){ .mark = ken_str_sub(mark, 0, mark.len - 1),
                                                   .from = own->from,
                                                   .to = own->to };
}

static bool has_no_changes(ken_status st)
{
    return st == KEN_EINVAL || st == KEN_EUNSUPPORTED;
}

// Each root is compared for itself. One that has no such commits, or no repository, has no changes to show;
// when that is so of all, the first one's error says why.
ken_status ken_snapshot_changes(ken_snapshot *s, ken_str rev, const ken_cancel *cancel,
                                ken_arena *arena, ken_changes *out, ken_err *err)
{
    query_check_pin(s);
    ken_changes all = { .n_files = 0 };
    ken_err first = { 0 };
    rev = range_of(s, rev, arena);
    ken_status st = ken_history_diff(s->info.root.ptr, rev, cancel, arena, &all, &first);
    bool has_any = !st;
    if (st && !has_no_changes(st)) {
        if (err)
            *err = first;
        return st;
    }
    all.more = KEN_ARENA_ARRAY(arena, ken_changed_root, s->roots.n + 1);
    for (size_t i = 0; i < s->roots.n; i++) {
        ken_changes own;
        ken_status more = ken_cancel_check(cancel, err);
        if (more)
            return more;
        ken_err e = { 0 };
        more = ken_history_diff(s->roots.more[i].path.ptr, rev, cancel, arena, &own, &e);
        if (has_no_changes(more))
            continue;
        if (more) {
            if (err)
                *err = e;
            return more;
        }
        add_changes(&all, &s->roots.more[i], &own, arena);
        if (!has_any)
            all.to = own.to;
        has_any = true;
    }
    if (!has_any) {
        if (err)
            *err = first;
        return st;
    }
    *out = all;
    return KEN_OK;
}
