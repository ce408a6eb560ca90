// SPDX-License-Identifier: MIT
// Counts of each file over the commits. They are computed once, when a history is made or
// unpacked, in one pass over what was touched; neighbours when they are asked for, from the commits
// of one file, so that no table of pairs is ever held.
#include <stdlib.h>

#include "base/sorted.h"
#include "history/history_priv.h"

// The commits of each file, newest first.
static void list_entries(ken_history *h)
{
    h->first_of = KEN_ARENA_ARRAY(&h->arena, uint32_t, (size_t)h->n_files + 2);
    h->entries_of = KEN_ARENA_ARRAY(&h->arena, uint32_t, (size_t)h->n_touched + 1);
    uint32_t *at = h->first_of + 1; // moves on to the end of each file's list while it is filled
    for (uint32_t i = 0; i < h->n_touched; i++)
        if (h->touched[i] + 1 < h->n_files)
            at[h->touched[i] + 1]++;
    for (uint32_t f = 1; f < h->n_files; f++)
        at[f] += at[f - 1];
    for (uint32_t i = 0; i < h->n_entries; i++)
        for (uint32_t k = 0; k < h->entries[i].n; k++)
            h->entries_of[at[h->touched[h->entries[i].first + k]]++] = i;
}

static void count(ken_history *h)
{
    h->n_recent = KEN_ARENA_ARRAY(&h->arena, uint32_t, (size_t)h->n_files + 1);
    h->n_authors_of = KEN_ARENA_ARRAY(&h->arena, uint32_t, (size_t)h->n_files + 1);
    h->together = KEN_ARENA_ARRAY(&h->arena, uint32_t, (size_t)h->n_files + 1);
    uint32_t *seen_for = KEN_ARENA_ARRAY(&h->arena, uint32_t, (size_t)h->n_authors + 1);
    int64_t since = h->n_entries ? h->entries[0].time_s - HISTORY_RECENT_S : 0;
    for (uint32_t f = 0; f < h->n_files; f++) {
        for (uint32_t k = h->first_of[f]; k < h->first_of[f + 1]; k++) {
            const history_entry *e = &h->entries[h->entries_of[k]];
            h->n_recent[f] += e->time_s >= since;
            h->n_authors_of[f] += seen_for[e->author] != f + 1;
            seen_for[e->author] = f + 1;
        }
    }
}

void ken_history__derive(ken_history *h)
{
    list_entries(h);
    count(h);
}

// ---- asking ------------------------------------------------------------------------------------

static ken_history_commit commit_of(const ken_history *h, const history_entry *e)
{
    ken_history_commit c = { .time_s = e->time_s, .author = h->authors[e->author].name };
    if (e->detail >= 0) {
        c.id = h->details[e->detail].id;
        c.subject = h->details[e->detail].subject;
    }
    return c;
}

ken_history_file ken_history_at(const ken_history *h, uint32_t number)
{
    uint32_t first = h->first_of[number], end = h->first_of[number + 1];
    ken_history_file f = { .number = number,
                           .path = h->paths[number],
                           .n_commits = end - first,
                           .n_recent = h->n_recent[number],
                           .n_authors = h->n_authors_of[number] };
    if (end > first)
        f.last = commit_of(h, &h->entries[h->entries_of[first]]);
    return f;
}

bool ken_history_find(const ken_history *h, ken_str path, ken_history_file *out)
{
    uint32_t lo = (uint32_t)ken_first_str(h->paths, h->n_files, sizeof path, path);
    if (lo == h->n_files || !ken_str_eq(h->paths[lo], path))
        return false;
    *out = ken_history_at(h, lo);
    return true;
}

static uint32_t n_commits(const ken_history *h, uint32_t file)
{
    return h->first_of[file + 1] - h->first_of[file];
}

static double weight(const ken_history_neighbour *n)
{
    return n->confidence * n->n_together;
}

// Keeps `out` in order, best first.
static size_t insert(ken_history_neighbour *out, size_t n, ken_history_neighbour it)
{
    size_t at = n;
    while (at && (weight(&out[at - 1]) < weight(&it) ||
                  (weight(&out[at - 1]) == weight(&it) && out[at - 1].number > it.number)))
        at--;
    if (at == KEN_HISTORY_NEIGHBOURS)
        return n;
    if (n == KEN_HISTORY_NEIGHBOURS)
        n--;
    memmove(out + at + 1, out + at, (n - at) * sizeof *out);
    out[at] = it;
    return n + 1;
}

typedef KEN_VEC(uint32_t) number_vec;

// Counts how often each other file changed with this one; notes which did.
static void count_together(ken_history *h, uint32_t file, number_vec *others)
{
    for (uint32_t k = h->first_of[file]; k < h->first_of[file + 1]; k++) {
        const history_entry *e = &h->entries[h->entries_of[k]];
        for (uint32_t i = 0; !e->is_wide && i < e->n; i++) {
            uint32_t other = h->touched[e->first + i];
            if (other != file && !h->together[other]++)
                ken_vec_push(others, other);
        }
    }
}

size_t ken_history_neighbours(ken_history *h, uint32_t number,
                              ken_history_neighbour out[KEN_HISTORY_NEIGHBOURS])
{
    size_t n = 0;
    number_vec others = { 0 };
    count_together(h, number, &others);
    for (size_t i = 0; i < others.len; i++) {
        uint32_t other = others.ptr[i], n_together = h->together[other];
        uint32_t a = n_commits(h, number), b = n_commits(h, other);
        h->together[other] = 0;
        if (n_together >= KEN_HISTORY_TOGETHER)
            n = insert(out, n,
                       (ken_history_neighbour){ other, n_together,
                                                (double)n_together / (double)(a < b ? a : b) });
    }
    ken_vec_release(&others);
    return n;
}
