// SPDX-License-Identifier: MIT
// Rows of a database for contents that came without them: from a file, a bundle, or under other settings. Texts are those of
// the first file that still has the bytes, masked; vectors those of the segments. Kept in transactions of some hundred
// contents, so that one who is stopped goes on where he was.
#include <stdlib.h>

#include "base/vec.h"
#include "index/index_parts_priv.h"
#include "secret/secret.h"
#include "store/rows.h"

enum {
    BATCH_CONTENTS = 256,
    BATCH_BYTES = 8 << 20,
};

typedef struct filling {
    ken_store *store;
    const ken_cancel *cancel;
    ken_index_fill_report *report;
    ken_arena arena, batch_arena;
    ken_store_lacking lacking;
    index_job job;
    index_slot slot;
    KEN_VEC(ken_store_rows) batch;
    size_t n_bytes; // of its texts
} filling;

// ---- texts and what is made of them ------------------------------------------------------------

static ken_status write_batch(filling *f, ken_err *err)
{
    if (!f->batch.len)
        return KEN_OK;
    ken_status st = ken_cancel_check(f->cancel, err);
    if (!st)
        st = ken_store_begin_write(f->store, err);
    if (st)
        return st;
    st = ken_store_put_rows(f->store, f->batch.ptr, f->batch.len, err);
    if (!st)
        st = ken_store_commit(f->store, err);
    else
        ken_store_rollback(f->store);
    f->report->n_filled += st ? 0 : f->batch.len;
    ken_vec_clear(&f->batch);
    f->n_bytes = 0;
    ken_arena_reset(&f->batch_arena);
    return st;
}

static ken_status add(filling *f, int64_t id, uint16_t lang, ken_err *err)
{
    ken_arena *a = &f->batch_arena;
    ken_store_rows r = { .content = id };
    ken_status st = ken_store_load_facts(f->store, id, a, &r.facts, err);
    if (!st)
        st = ken_store_load_packed_refs(f->store, id, a, &r.packed.refs, err);
    if (st)
        return st;
    ken_secret_mask(f->slot.text.ptr, f->slot.text.len);
    r.packed.text = ken_arena_dup(a, ken_buf_str(&f->slot.text));
    r.packed.language = ken_str_c(ken_lang_name((ken_lang_id)lang));
    ken_vec_push(&f->batch, r);
    f->n_bytes += r.packed.text.len;
    bool is_full = f->batch.len >= BATCH_CONTENTS || f->n_bytes >= BATCH_BYTES;
    return is_full ? write_batch(f, err) : KEN_OK;
}

// Rows by content; the first file that has its bytes still.
static bool read_any(filling *f, const ken_file_row *const *rows, size_t n, const ken_sha256 *sha)
{
    for (size_t i = 0; i < n; i++)
        if (ken_index__file_read(&f->job, rows[i]->path, &f->slot) &&
            !memcmp(&f->slot.key.sha, sha, sizeof *sha))
            return true;
    return false;
}

static int by_content(const void *a, const void *b)
{
    const ken_file_row *x = *(const ken_file_row *const *)a, *y = *(const ken_file_row *const *)b;
    return (x->content > y->content) - (x->content < y->content);
}

static ken_status fill_content(filling *f, const ken_file_row *const *rows, size_t n, ken_err *err)
{
    ken_sha256 sha;
    ken_content_info info;
    int64_t id = rows[0]->content;
    ken_status st = ken_store_load_sha(f->store, id, &sha, err);
    if (!st)
        st = ken_store_load_info(f->store, id, &info, err);
    if (st)
        return st;
    if (read_any(f, rows, n, &sha))
        return add(f, id, info.lang, err);
    f->report->n_left++;
    return f->slot.failure;
}

static int by_id(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool has(const int64_t *ids, size_t n, int64_t id)
{
    return n && bsearch(&id, ids, n, sizeof id, by_id) != NULL;
}

static ken_status fill_contents(filling *f, ken_err *err)
{
    ken_file_row *rows = NULL;
    size_t n = 0, n_lacking = 0;
    ken_status st =
        f->lacking.n_contents ? ken_store_load_files(f->store, &f->arena, &rows, &n, NULL, err) : 0;
    const ken_file_row **list = KEN_ARENA_ARRAY(&f->arena, const ken_file_row *, n + 1);
    for (size_t i = 0; !st && i < n; i++)
        if (has(f->lacking.contents, f->lacking.n_contents, rows[i].content))
            list[n_lacking++] = &rows[i];
    if (n_lacking)
        qsort(list, n_lacking, sizeof *list, by_content);
    for (size_t i = 0, end; !st && i < n_lacking; i = end) {
        for (end = i + 1; end < n_lacking && list[end]->content == list[i]->content;)
            end++;
        st = fill_content(f, list + i, end - i, err);
    }
    return st ? st : write_batch(f, err);
}

// ---- vectors -----------------------------------------------------------------------------------

static ken_status put_vectors(filling *f, const index_part *p, ken_err *err)
{
    const ken_vector_model *model = ken_vector_segment_model(p->vectors);
    uint32_t n;
    const ken_vector_content *list = ken_vector_segment_contents(p->vectors, &n);
    ken_status st = KEN_OK;
    for (uint32_t i = 0; !st && i < n; i++) {
        ken_store_vectors v = { .model = model->name,
                                .n_dims = model->n_dims,
                                .content = list[i].id,
                                .n = list[i].n_rows };
        if (!has(f->lacking.vectors, f->lacking.n_vectors, v.content))
            continue;
        st = ken_cancel_check(f->cancel, err);
        if (!st)
            st = ken_vector_segment_rows(p->vectors, &list[i], &v.values, &v.scales, err);
        if (!st)
            st = ken_store_put_vectors(f->store, &v, err);
        f->report->n_vectors += !st;
    }
    return st;
}

// Those of the model that answers: each segment in a transaction.
static ken_status fill_segment(filling *f, const ken_segment_info *info, const char *model,
                               ken_err *err)
{
    index_part part;
    const index_alive all = { 0 };
    ken_status st = ken_store_begin_write(f->store, err);
    if (st)
        return st;
    st = ken_index__open_part(f->store, KEN_SEGMENT_VECTORS, info, &all, &part, err);
    if (!st) {
        if (!strcmp(ken_vector_segment_model(part.vectors)->name, model))
            st = put_vectors(f, &part, err);
        ken_index__close_part(&part);
    }
    if (!st)
        return ken_store_commit(f->store, err);
    ken_store_rollback(f->store);
    return st;
}

static ken_status fill_vectors(filling *f, ken_err *err)
{
    char active[KEN_EMBED_NAME_MAX + 1];
    ken_segment_info *infos = NULL;
    size_t n = 0;
    if (!f->lacking.n_vectors)
        return KEN_OK;
    ken_status st = ken_index__load_name(f->store, KEN_VECTOR_ACTIVE, &f->arena, active, err);
    if (!st)
        st = ken_store_list_segments(f->store, KEN_SEGMENT_VECTORS, &f->arena, &infos, &n, err);
    const ken_vector_model builtin = ken_index__builtin_model();
    for (size_t i = 0; !st && i < n; i++)
        st = fill_segment(f, &infos[i], *active ? active : builtin.name, err);
    return st;
}

// ---- all of it ---------------------------------------------------------------------------------

static ken_status note(filling *f, ken_err *err)
{
    ken_status st = ken_store_begin_write(f->store, err);
    if (st)
        return st;
    st = ken_store_note_rows(f->store, err);
    if (!st)
        return ken_store_commit(f->store, err);
    ken_store_rollback(f->store);
    return st;
}

static ken_status open_roots(filling *f, const char *root, ken_err *err)
{
    ken_str text;
    ken_status st = ken_index_load_roots(f->store, &f->arena, &text, err);
    if (st)
        return st;
    const ken_roots more = ken_roots_parse(text, &f->arena);
    return ken_index__open_roots(&f->job, root, &more, &f->arena, err);
}

static ken_status fill(filling *f, const char *root, ken_err *err)
{
    ken_status st = ken_store_find_lacking(f->store, &f->arena, &f->lacking, err);
    if (st || f->lacking.is_known)
        return st;
    if (f->lacking.n_contents)
        st = open_roots(f, root, err);
    if (!st)
        st = fill_contents(f, err);
    if (!st)
        st = fill_vectors(f, err);
    return st ? st : note(f, err);
}

ken_status ken_index_fill(ken_store *store, const char *root, uint64_t max_file_bytes,
                          const ken_cancel *cancel, ken_index_fill_report *out, ken_err *err)
{
    filling f = { .store = store,
                  .cancel = cancel,
                  .report = out,
                  .job = { .roots = { .fd = -1 },
                           .wants_secrets = true, // what is in the index was let in
                           .max_file_bytes = max_file_bytes ? max_file_bytes : 1 << 20,
                           .cancel = cancel } };
    *out = (ken_index_fill_report){ 0 };
    ken_arena_init(&f.arena, 0);
    ken_arena_init(&f.batch_arena, 0);
    ken_index__slot_init(&f.slot);
    ken_status st = fill(&f, root, err);
    ken_index__close_roots(&f.job);
    ken_vec_release(&f.batch);
    ken_index__slot_release(&f.slot);
    ken_arena_release(&f.batch_arena);
    ken_arena_release(&f.arena);
    return st;
}
