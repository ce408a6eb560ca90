// SPDX-License-Identifier: MIT
// Lists and searches: notes from memory and the store, files from the index.
#include <stdlib.h>

#include "base/utf8.h"
#include "checkpoint/checkpoint_priv.h"

enum {
    QUERY_MAX_BYTES = 2000,
    FILES_LOOKED_AT = 50, // by a search whose filter drops some of them
};

// Brings memory up to date in a read transaction, which stays open on success.
static ken_status begin(ken_checkpoints *c, bool wants_texts, ken_err *err)
{
    ken_status st = ken_store_begin_read(c->opts.store, err);
    if (st)
        return st;
    st = ken_checkpoint__memory_sync(&c->memory, c->opts.store, wants_texts, err);
    if (st)
        ken_store_rollback(c->opts.store);
    return st;
}

static ken_status check_query(const ken_checkpoint_query *q, size_t max, ken_arena *arena,
                              ken_checkpoint_filter *out, ken_err *err)
{
    if (!q->limit || q->limit > max)
        return KEN_FAIL(err, KEN_EINVAL, "limit: %zu is not from 1 to %zu", q->limit, max);
    return ken_checkpoint__check_filter(&q->filter, arena, out, err);
}

// ---- lists -------------------------------------------------------------------------------------

// The page's part of the notes that pass, newest first.
static size_t pick_notes(const checkpoint_memory *m, const ken_checkpoint_filter *f,
                         const ken_checkpoint_query *q, ken_uuid *ids, uint64_t *out_total)
{
    checkpoint_sieve sieve = ken_checkpoint__sieve_of(m, f);
    uint64_t n_passed = 0;
    size_t n = 0;
    for (size_t i = m->marks.len; i-- > 0;) {
        const checkpoint_mark *mark = &m->marks.ptr[i];
        if (!mark->id || !ken_checkpoint__sieve_passes(&sieve, i))
            continue;
        if (n_passed++ >= q->offset && n < q->limit)
            ids[n++] = mark->uuid;
    }
    *out_total = n_passed;
    return n;
}

// What is left of the page is for files, which come after all notes.
static void add_files(ken_checkpoints *c, const ken_checkpoint_filter *f,
                      const ken_checkpoint_query *q, ken_arena *arena, ken_checkpoint_page *page)
{
    const ken_file_row *files = NULL;
    size_t n_files = ken_snapshot_list_files(c->opts.snap, &files);
    uint64_t n_notes = page->n_total, at = n_notes;
    for (size_t i = 0; i < n_files; i++) {
        if (!ken_checkpoint__file_passes(files[i].path, f))
            continue;
        if (q->wants_indexed && at >= q->offset && page->n < q->limit)
            page->items[page->n++] = ken_checkpoint__of_file(&files[i], arena);
        at++;
    }
    page->n_indexed = at - n_notes;
    if (q->wants_indexed)
        page->n_total = at;
}

ken_status ken_checkpoints_list(ken_checkpoints *c, const ken_checkpoint_query *query,
                                ken_arena *arena, ken_checkpoint_page *out, ken_err *err)
{
    ken_checkpoint_filter f = { 0 };
    ken_checkpoint_page page = { 0 };
    ken_status st = check_query(query, KEN_CHECKPOINT_LIST_MAX, arena, &f, err);
    if (!st)
        st = begin(c, false, err);
    if (st)
        return st;
    ken_uuid *ids = KEN_ARENA_ARRAY(arena, ken_uuid, query->limit);
    page.items = KEN_ARENA_ARRAY(arena, ken_checkpoint, query->limit);
    size_t n = pick_notes(&c->memory, &f, query, ids, &page.n_total);
    st =
        ken_checkpoint__load_rows(c, ids, n, query->n_description, arena, page.items, &page.n, err);
    ken_store_rollback(c->opts.store); // it only read
    if (st)
        return st;
    add_files(c, &f, query, arena, &page);
    *out = page;
    return KEN_OK;
}

// ---- searches ----------------------------------------------------------------------------------

// The best notes, of which no more is known than id and score: files may come before them.
static ken_status find_notes(ken_checkpoints *c, ken_str text, const ken_checkpoint_filter *f,
                             const ken_checkpoint_query *q, ken_arena *arena,
                             ken_checkpoint_page *page, ken_err *err)
{
    ken_status st = begin(c, true, err);
    if (st)
        return st;
    ken_recall_hit *hits = NULL;
    ken_recall_filter filter = ken_checkpoint__recall_filter(&c->memory, f, arena);
    bool has_filter = f->n_all || f->n_any || f->n_none;
    size_t n = ken_recall_search(c->memory.recall, text, has_filter ? &filter : NULL, q->limit,
                                 arena, &hits);
    for (size_t i = 0; i < n; i++) {
        const checkpoint_mark *mark = ken_checkpoint__memory_find(&c->memory, hits[i].id);
        if (mark)
            page->items[page->n++] =
                (ken_checkpoint){ .id = mark->uuid, .path = KEN_STR(""), .score = hits[i].score };
    }
    ken_store_rollback(c->opts.store); // it only read
    return KEN_OK;
}

// The extension that all files must have; whether no file can have all of the tags.
static ken_str wanted_type(const ken_checkpoint_filter *f, bool *out_is_none)
{
    ken_str type = { "", 0 };
    for (size_t i = 0; i < f->n_all; i++) {
        ken_str tag = f->all[i];
        if (tag.ptr[0] == '.')
            type = ken_str_sub(tag, 1, tag.len);
        else if (!ken_str_eq(tag, KEN_STR("indexed")) && !ken_str_eq(tag, KEN_STR("repository")))
            *out_is_none = true;
    }
    for (size_t i = 0; i < f->n_none; i++)
        *out_is_none |= ken_str_eq(f->none[i], KEN_STR("indexed")) ||
                        ken_str_eq(f->none[i], KEN_STR("repository"));
    return type;
}

static int path_order(const void *key, const void *row)
{
    return ken_str_cmp(*(const ken_str *)key, ((const ken_file_row *)row)->path);
}

static void add_hit(ken_checkpoints *c, const ken_hit *hit, size_t n_description, ken_arena *arena,
                    ken_checkpoint_page *page)
{
    const ken_file_row *files = NULL;
    size_t n = ken_snapshot_list_files(c->opts.snap, &files);
    const ken_file_row *file = n ? bsearch(&hit->path, files, n, sizeof *files, path_order) : NULL;
    if (!file)
        return;
    ken_checkpoint found = ken_checkpoint__of_file(file, arena);
    found.description = ken_utf8_clip(hit->content, n_description);
    found.score = hit->similarity;
    page->items[page->n++] = found;
}

// What a file must have to be among the results: when there are notes enough, more than the last of
// them, and then no text of a worse one is read.
static double least_score(const ken_checkpoint_page *notes, size_t limit)
{
    return notes->n == limit ? notes->items[limit - 1].score : 0;
}

static ken_status find_files(ken_checkpoints *c, ken_str text, const ken_checkpoint_filter *f,
                             const ken_checkpoint_query *q, const ken_cancel *cancel,
                             ken_arena *arena, ken_checkpoint_page *page, ken_err *err)
{
    bool is_none = false, is_filtered = f->n_any || f->n_none;
    ken_search_result found;
    ken_search_opts opts = {
        .limit = is_filtered ? FILES_LOOKED_AT : (uint32_t)q->limit,
        .file_type = wanted_type(f, &is_none),
        .threshold = least_score(page, q->limit),
        .is_verbatim = true,
        .wants_content = q->n_description > 0,
    };
    if (is_none) {
        page->file_note = "no file of the index has these tags";
        return KEN_OK;
    }
    ken_status st = ken_search(c->opts.snap, text, &opts, cancel, arena, &found, err);
    if (st)
        return st;
    size_t most = page->n + q->limit;
    for (size_t i = 0; i < found.n_hits && page->n < most; i++)
        if (ken_checkpoint__file_passes(found.hits[i].path, f))
            add_hit(c, &found.hits[i], q->n_description, arena, page);
    return KEN_OK;
}

// The best of both, notes before files of one score; each kind is in order already.
static void merge(ken_checkpoint_page *page, size_t n_notes, size_t limit, ken_arena *arena)
{
    ken_checkpoint *best = KEN_ARENA_ARRAY(arena, ken_checkpoint, limit);
    const ken_checkpoint *items = page->items;
    size_t note = 0, file = n_notes, n = 0;
    for (; n < limit && (note < n_notes || file < page->n); n++) {
        bool is_file = note == n_notes || (file < page->n && items[file].score > items[note].score);
        page->n_indexed += is_file;
        best[n] = items[is_file ? file++ : note++];
    }
    page->items = best;
    page->n = n;
}

// All that is known of the notes. One that somebody removed in the meantime is left out.
static ken_status load_notes(ken_checkpoints *c, size_t n_description, ken_arena *arena,
                             ken_checkpoint_page *page, ken_err *err)
{
    size_t n = 0;
    ken_status st = ken_store_begin_read(c->opts.store, err);
    if (st)
        return st;
    for (size_t i = 0; !st && i < page->n; i++) {
        ken_checkpoint *item = &page->items[n], from = page->items[i];
        size_t n_found = 1;
        *item = from;
        if (!from.path.len)
            st = ken_checkpoint__load_rows(c, &from.id, 1, n_description, arena, item, &n_found,
                                           err);
        item->score = from.score;
        n += n_found;
    }
    ken_store_rollback(c->opts.store); // it only read
    page->n = n;
    return st;
}

ken_status ken_checkpoints_search(ken_checkpoints *c, ken_str text,
                                  const ken_checkpoint_query *query, const ken_cancel *cancel,
                                  ken_arena *arena, ken_checkpoint_page *out, ken_err *err)
{
    ken_checkpoint_filter f = { 0 };
    ken_checkpoint_page page = { 0 };
    text = ken_str_trim(text);
    if (!text.len || text.len > QUERY_MAX_BYTES)
        return KEN_FAIL(err, KEN_EINVAL, "query: %zu bytes are not from 1 to %d", text.len,
                        QUERY_MAX_BYTES);
    ken_status st = check_query(query, KEN_CHECKPOINT_SEARCH_MAX, arena, &f, err);
    if (st)
        return st;
    page.items = KEN_ARENA_ARRAY(arena, ken_checkpoint, 2 * query->limit);
    st = find_notes(c, text, &f, query, arena, &page, err);
    size_t n_notes = page.n;
    if (!st && query->wants_indexed)
        st = find_files(c, text, &f, query, cancel, arena, &page, err);
    if (st)
        return st;
    merge(&page, n_notes, query->limit, arena);
    st = load_notes(c, query->n_description, arena, &page, err);
    if (st)
        return st;
    page.n_total = page.n;
    *out = page;
    return KEN_OK;
}
