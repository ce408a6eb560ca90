// SPDX-License-Identifier: MIT
// What is different between the commit before and the one now. Both trees are in the clone, so nothing is
// checked out for it; `git diff -M` tells renames with edits too.
#include <stdlib.h>

#include "base/utf8.h"
#include "base/vec.h"
#include "sync/sync_priv.h"

typedef KEN_VEC(ken_sync_change) change_vec;

// Entries end with NUL: "M\0path\0", "R087\0old\0new\0". False when it is cut off.
static bool read_changes(ken_str text, change_vec *out)
{
    ken_str word, path;
    while (ken_str_split_next(&text, '\0', &word)) {
        if (!word.len)
            break; // behind the last NUL
        ken_sync_change c = { .kind = KEN_SYNC_MODIFIED };
        if (!ken_str_split_next(&text, '\0', &path))
            return false;
        if (word.ptr[0] == 'R' || word.ptr[0] == 'C') {
            c.kind = word.ptr[0] == 'R' ? KEN_SYNC_RENAMED : KEN_SYNC_ADDED;
            c.old_path = word.ptr[0] == 'R' ? path : KEN_STR("");
            if (!ken_str_split_next(&text, '\0', &path))
                return false;
        } else if (word.ptr[0] == 'A') {
            c.kind = KEN_SYNC_ADDED;
        } else if (word.ptr[0] == 'D') {
            c.kind = KEN_SYNC_DELETED;
        }
        c.path = path;
        ken_vec_push(out, c);
    }
    return true;
}

static int order_of(ken_sync_change_kind k)
{
    return k == KEN_SYNC_DELETED ? 0 : k == KEN_SYNC_RENAMED ? 1 : 2;
}

static int compare(const void *a, const void *b)
{
    const ken_sync_change *x = a, *y = b;
    if (order_of(x->kind) != order_of(y->kind))
        return order_of(x->kind) - order_of(y->kind);
    return ken_str_cmp(x->path, y->path);
}

ken_status ken_sync__list_changes(sync_job *j, ken_sync_report *r, ken_err *err)
{
    const char *check[] = {
        "rev-parse", "--verify", "--quiet",
        ken_arena_printf(j->arena, KEN_STR_FMT "^{tree}", KEN_STR_ARG(r->from)).ptr, NULL
    };
    const char *diff[] = { "diff",      "--name-status", "-z", "--find-renames",
                           r->from.ptr, r->commit.ptr,   "--", NULL };
    ken_str tree, text;
    change_vec changes = { .len = 0 };
    ken_status st = ken_sync__ask(j, check, &tree, err);
    if (!st && !tree.len)
        return KEN_ENOTFOUND;
    if (!st)
        st = ken_sync__git(j, diff, &text, err);
    if (!st && !read_changes(text, &changes))
        st = KEN_FAIL(err, KEN_EIO, "git diff ends in the middle of a change");
    if (!st && changes.len)
        qsort(changes.ptr, changes.len, sizeof *changes.ptr, compare);
    if (!st) {
        r->changes = KEN_ARENA_ARRAY(j->arena, ken_sync_change, changes.len + 1);
        for (size_t i = 0; i < changes.len; i++)
            r->changes[i] = changes.ptr[i];
        r->n_changes = changes.len;
        r->knows_changes = true;
    }
    ken_vec_release(&changes);
    return st;
}
