// SPDX-License-Identifier: MIT
// Several histories as one. Each has its commits newest first; the newest of those at the fronts is next.
#include "base/alloc.h"
#include "history/history_priv.h"

// The part whose next commit is the newest; SIZE_MAX when all are used up.
static size_t next_part(const ken_history_part *parts, const uint32_t *at, size_t n)
{
    size_t best = SIZE_MAX;
    int64_t time_s = 0;
    for (size_t i = 0; i < n; i++) {
        if (at[i] == parts[i].history->n_entries)
            continue;
        int64_t own = parts[i].history->entries[at[i]].time_s;
        if (best != SIZE_MAX && own <= time_s)
            continue;
        best = i;
        time_s = own;
    }
    return best;
}

static void describe(const ken_history_part *part, ken_history *h)
{
    const ken_history *from = part->history;
    h->is_shallow = h->is_shallow || from->is_shallow;
    if (!h->head.len)
        h->head = ken_arena_dup(&h->arena, from->head);
    if (!h->reason.len && from->reason.len)
        h->reason =
            ken_arena_printf(&h->arena, KEN_STR_FMT "%s" KEN_STR_FMT, KEN_STR_ARG(part->mark),
                             part->mark.len ? ": " : "", KEN_STR_ARG(from->reason));
}

ken_history *ken_history_join(const ken_history_part *parts, size_t n)
{
    ken_history *h = ken_history__new();
    history_builder *b = ken_history__builder_new(UINT32_MAX, false);
    uint32_t *at = ken_zalloc(ken_mul_size(n + 1, sizeof *at));
    for (size_t i = next_part(parts, at, n); i != SIZE_MAX; i = next_part(parts, at, n))
        ken_history__builder_add(b, parts[i].history, at[i]++, parts[i].mark);
    ken_history__builder_finish(b, h);
    ken_history__builder_free(b);
    ken_free(at);
    for (size_t i = 0; i < n; i++)
        describe(&parts[i], h);
    return h;
}
