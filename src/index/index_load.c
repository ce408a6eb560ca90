// SPDX-License-Identifier: MIT
// index_load.c -- what the newest generation has, and whether it can be trusted.
#include "index/index_run_priv.h"

ken_str ken_index__feature_text(index_run *r)
{
    return ken_index__format_feature(r->job.feature, r->n_forced, r->arena);
}

// A forced run takes the keys of contents away from those that files have. Until a tree has been read again, a file
// that is new to it would get another content than its equals: so it trusts nothing that was there before.
static ken_status load_feature(index_run *r, ken_str *out, ken_err *err)
{
    ken_status st = ken_store_load_value(r->store, KEN_STR(INDEX_FEATURE), r->arena, out, err);
    if (st && st != KEN_ENOTFOUND)
        return st;
    return ken_index__load_forced(r->store, r->arena, &r->n_forced, err);
}

static ken_status load_seen(index_run *r, const ken_generation *g, ken_err *err)
{
    ken_str text = { NULL, 0 };
    uint64_t ms = 0;
    ken_status st = ken_store_load_value(r->store, KEN_STR(INDEX_SEEN), r->arena, &text, err);
    if (st && st != KEN_ENOTFOUND)
        return st;
    r->seen_ms = !st && ken_str_parse_u64(text, &ms) && ms < INT64_MAX ? (int64_t)ms : g->at_ms;
    if (r->seen_ms > r->now_ms) // the clock was put back
        r->seen_ms = r->now_ms;
    return KEN_OK;
}

// Nobody else writes while a run has the index: the generation that is loaded is that of the rows.
static ken_status load_old_files(index_run *r, const ken_generation *g, index_old_files *old,
                                 ken_err *err)
{
    const ken_held_files *held = &r->opts->held;
    if (held->generation && held->generation == g->number && held->at_ms == g->at_ms) {
        old->rows = held->rows;
        old->n = held->n;
        return KEN_OK;
    }
    ken_file_row *rows = NULL;
    ken_status st = ken_store_load_files(r->store, r->arena, &rows, &old->n, NULL, err);
    old->rows = rows;
    return st;
}

ken_status ken_index__load_old(index_run *r, ken_err *err)
{
    index_old_files *old = &r->old;
    ken_generation *g = &r->before;
    // A look's files come from a snapshot, whose pin comes before anything is read.
    ken_status st = r->files ? r->files(r->files_ctx, &old->rows, &old->n, err) : KEN_OK;
    if (!st)
        st = ken_store_load_generation(r->store, r->arena, g, err);
    if (!st && !r->files)
        st = load_old_files(r, g, old, err);
    if (st)
        return st;
    ken_str feature = { NULL, 0 };
    st = load_feature(r, &feature, err);
    if (st)
        return st;
    char active[KEN_EMBED_NAME_MAX + 1];
    st = ken_index__load_name(r->store, KEN_VECTOR_ACTIVE, r->arena, active, err);
    if (st)
        return st;
    r->job.wants_vectors = !*active;
    st = ken_partial_load(r->store, r->arena, &r->partial.before, err);
    if (st)
        return st;
    r->partial.is_marked = r->partial.before.is_partial;
    r->partial.is_first = r->partial.is_marked ? r->partial.before.is_first : !g->number;
    r->number = g->number;
    old->is_kept = KEN_ARENA_ARRAY(r->arena, bool, old->n + 1);
    st = ken_index__load_late(r->store, r->arena, &old->late, &old->n_late, err);
    if (!st)
        st = ken_index__load_skips_key(r->store, r->arena, &old->skips_key, err);
    if (!st)
        st = load_seen(r, g, err);
    if (st)
        return st;
    // A scope that another run has changed since it was read is that of another generation.
    r->trusts_old = !r->opts->is_forced && ken_str_eq(feature, ken_index__feature_text(r)) &&
                    (!r->files || g->number == r->scope_generation);
    return KEN_OK;
}
