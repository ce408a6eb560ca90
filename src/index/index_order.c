// SPDX-License-Identifier: MIT
// In which order a long first run reads: somebody waits for it, and asks of what he works on.
//   1  what was changed since the tree was written: newer than most of it, the newest first
//   2  code near an entry point: small files that stand in few folders below a manifest, or below the root
//   3  other code
//   4  tests, examples, generated and vendored code, prose and data
// The first two are small files, in that order. In the others the largest come first: a large file that is
// met last would be waited for.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/path.h"
#include "index/index_run_priv.h"
#include "lang/lang.h"
#include "manifest/manifest.h"
#include "rank/rank.h"

enum {
    NS_PER_S = 1000000000,
    NEWER_S = 600, // than most files: a checkout takes less
    RECENT_FILES = 250,
    NEAR_FILES = 1000,
    NEAR_BYTES = 4 << 20,
    SMALL_BYTES = 64 << 10,
};

typedef enum order_group {
    ORDER_RECENT,
    ORDER_NEAR,
    ORDER_CODE,
    ORDER_REST
} order_group;

typedef struct order_item {
    size_t file;
    uint64_t size;
    int64_t mtime_ns;
    uint32_t n_steps; // folders between it and the nearest manifest above it
    order_group group;
    size_t place; // in one of the first two groups
} order_item;

static int by_time(const void *a, const void *b)
{
    int64_t x = ((const order_item *)a)->mtime_ns, y = ((const order_item *)b)->mtime_ns;
    return (x < y) - (x > y);
}

// Nearest first; of those the smallest, for more of them are done sooner.
static int by_steps(const void *a, const void *b)
{
    const order_item *x = a, *y = b;
    if (x->group != y->group)
        return (x->group > y->group) - (x->group < y->group);
    if (x->n_steps != y->n_steps)
        return (x->n_steps > y->n_steps) - (x->n_steps < y->n_steps);
    return (x->size > y->size) - (x->size < y->size);
}

static int by_group(const void *a, const void *b)
{
    const order_item *x = a, *y = b;
    if (x->group != y->group)
        return (x->group > y->group) - (x->group < y->group);
    if (x->place != y->place)
        return (x->place > y->place) - (x->place < y->place);
    if (x->size != y->size)
        return (x->size < y->size) - (x->size > y->size);
    return (x->file > y->file) - (x->file < y->file);
}

static void find_manifests(const index_run *r, ken_map *folders)
{
    for (size_t i = 0; i < r->scan.n_files; i++)
        if (ken_manifest_kind_of(r->scan.files[i].path))
            ken_map_put(folders, ken_path_dir(r->scan.files[i].path), 1, NULL);
}

static uint32_t count_steps(const ken_map *manifests, ken_str path)
{
    uint32_t n = 0;
    for (ken_str dir = ken_path_dir(path); dir.len; dir = ken_path_dir(dir), n++)
        if (ken_map_find(manifests, dir))
            break;
    return n;
}

static order_group group_of(ken_str path)
{
    const ken_language *lang = ken_lang_at((uint16_t)ken_lang_of(path, KEN_STR("")));
    bool is_code = lang->role == KEN_LANG_ROLE_CODE;
    uint32_t bits = ken_rank_path(path, lang->test_names, !is_code, false);
    return bits & (KEN_PATH_TEST | KEN_PATH_EXAMPLE | KEN_PATH_COMPAT | KEN_PATH_DOC) ? ORDER_REST
                                                                                      : ORDER_CODE;
}

bool ken_index__is_likely(ken_str path)
{
    return group_of(path) == ORDER_CODE;
}

static void describe(const index_run *r, order_item *items)
{
    ken_map manifests;
    ken_map_init(&manifests);
    find_manifests(r, &manifests);
    for (size_t i = 0; i < r->n_work; i++) {
        const ken_scan_file *f = &r->scan.files[r->work[i]];
        items[i] = (order_item){ .file = r->work[i],
                                 .size = f->stamp.size,
                                 .mtime_ns = f->stamp.mtime_ns,
                                 .n_steps = count_steps(&manifests, f->path),
                                 .group = group_of(f->path) };
    }
    ken_map_release(&manifests);
}

// A time to come is no time of a change.
static void take_recent(const index_run *r, order_item *items)
{
    const size_t n = r->n_work;
    const int64_t now_ns = r->now_ms * (NS_PER_S / 1000);
    qsort(items, n, sizeof *items, by_time);
    const int64_t since = items[n / 2].mtime_ns + (int64_t)NEWER_S * NS_PER_S;
    size_t n_taken = 0;
    for (size_t i = 0; i < n && n_taken < RECENT_FILES && items[i].mtime_ns > since; i++) {
        if (items[i].mtime_ns > now_ns || items[i].size > SMALL_BYTES)
            continue;
        items[i].group = ORDER_RECENT;
        items[i].place = n_taken++;
    }
}

static void take_near(const index_run *r, order_item *items)
{
    uint64_t bytes = 0;
    size_t n_taken = 0;
    qsort(items, r->n_work, sizeof *items, by_steps);
    for (size_t i = 0; i < r->n_work && n_taken < NEAR_FILES && bytes < NEAR_BYTES; i++) {
        if (items[i].group != ORDER_CODE || items[i].size > SMALL_BYTES)
            continue;
        items[i].group = ORDER_NEAR;
        items[i].place = n_taken++;
        bytes += items[i].size;
    }
}

void ken_index__order_work(index_run *r)
{
    if (!r->n_work)
        return;
    order_item *items = ken_try_alloc(ken_mul_size(r->n_work, sizeof *items));
    if (!items) // any order will do
        return;
    describe(r, items);
    take_recent(r, items);
    take_near(r, items);
    qsort(items, r->n_work, sizeof *items, by_group);
    for (size_t i = 0; i < r->n_work; i++)
        r->work[i] = items[i].file;
    ken_free(items);
}
