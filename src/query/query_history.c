// SPDX-License-Identifier: MIT
// The history of the work tree, read on demand: from memory, else from the value in the index,
// else git. Whether it is of the present commit is seen from git's own files, without a process.
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

// Takes what is kept, if it is of this commit or nothing is held. Bytes that cannot be read are
// made anew.
static void load_kept(ken_snapshot *s, ken_str head, ken_arena *arena)
{
    ken_str packed;
    ken_history *kept = NULL;
    if (ken_store_load_value(s->store, value_name, arena, &packed, NULL) ||
        ken_history_unpack(packed, &kept, NULL))
        return;
    if (!s->history.it || is_of(kept, head))
        hold(&s->history, kept);
    else
        ken_history_free(kept);
}

static void save_history(const query_history *h)
{
    if (!h->keep || !ken_history_get_info(h->it).head.len)
        return;
    ken_buf packed = { 0 };
    ken_history_pack(h->it, &packed);
    if (!packed.is_over)
        h->keep(h->keep_ctx, value_name, ken_buf_str(&packed));
    ken_buf_release(&packed);
}

static ken_status refresh(ken_snapshot *s, bool may_keep, ken_str head, ken_arena *arena,
                          const ken_cancel *cancel, ken_err *err)
{
    query_history *h = &s->history;
    load_kept(s, head, arena);
    if (h->it && is_of(h->it, head))
        return KEN_OK;
    ken_history *fresh = NULL;
    ken_status st = ken_history_read(s->info.root.ptr, h->it, NULL, cancel, &fresh, err);
    if (st || !fresh)
        return st;
    hold(h, fresh);
    if (may_keep)
        save_history(h);
    return KEN_OK;
}

ken_status ken_snapshot_history(ken_snapshot *s, bool may_keep, const ken_cancel *cancel,
                                ken_history **out, ken_err *err)
{
    query_check_pin(s);
    query_history *h = &s->history;
    ken_arena scratch;
    ken_arena_init(&scratch, 0);
    ken_str head = ken_scan_head(s->info.root, &scratch);
    ken_status st = KEN_OK;
    bool is_current =
        h->it && h->head && ken_str_eq_c(head, h->head) && !ken_history_get_info(h->it).is_shallow;
    if (!is_current)
        st = refresh(s, may_keep, head, &scratch, cancel, err);
    if (!st && !is_current) {
        ken_free(h->head);
        h->head = ken_strndup(head.ptr, head.len);
    }
    ken_arena_release(&scratch);
    if (!st)
        *out = h->it;
    return st;
}

ken_status ken_snapshot_touches(ken_snapshot *s, ken_str path, uint32_t first, uint32_t last,
                                const ken_cancel *cancel, ken_arena *arena,
                                ken_history_touches *out, ken_err *err)
{
    ken_str relative = ken_query__relative_path(s, path, arena);
    if (!relative.ptr || ken_query__file_index(s, relative) < 0)
        return KEN_FAIL(err, KEN_ENOTFOUND, "file_path: '%.*s' is not in the index",
                        (int)(path.len < 200 ? path.len : 200), path.ptr);
    return ken_history_of_lines(s->info.root.ptr, relative, first, last, cancel, arena, out, err);
}

ken_status ken_snapshot_changes(ken_snapshot *s, ken_str rev, const ken_cancel *cancel,
                                ken_arena *arena, ken_changes *out, ken_err *err)
{
    query_check_pin(s);
    return ken_history_diff(s->info.root.ptr, rev, cancel, arena, out, err);
}
