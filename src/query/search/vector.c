// SPDX-License-Identifier: MIT
// The vectors of a generation, in memory. Segments are read from end to end, each content's rows
// put where the files that have it want them, with what their paths say. Which model's they are the
// index says; question vectors come from the same one (search/embed.c). A file that the matrix of
// the generation before has with the same path and content is copied from there.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/quota.h"
#include "base/sorted.h"
#include "embed/embed_static.h"
#include "query/query_priv.h"

typedef struct content_file {
    int64_t content;
    uint32_t file;
} content_file;

typedef struct loading {
    ken_snapshot *s;
    query_vectors *old, *v;
    content_file *by_content; // sorted
    ken_segment_info *infos;
    ken_vector_segment **segments; // of our model
    size_t n_segments;
    uint32_t *n_rows; // by file
    bool *is_done;    // by file
    ken_static_folders folders;
} loading;

void ken_query__release_vectors(query_vectors *v)
{
    ken_vector_matrix_release(&v->matrix);
    ken_free(v->keys);
    *v = (query_vectors){ 0 };
}

static int by_content(const void *a, const void *b)
{
    const content_file *x = a, *y = b;
    if (x->content != y->content)
        return x->content < y->content ? -1 : 1;
    return (x->file > y->file) - (x->file < y->file);
}

// The first of the files that have a content; NULL = none.
static const content_file *files_of(const loading *l, int64_t content)
{
    size_t lo = KEN_FIRST_I64(content_file, content, l->by_content, l->s->n_files, content);
    return lo < l->s->n_files && l->by_content[lo].content == content ? &l->by_content[lo] : NULL;
}

static bool is_more(const loading *l, const content_file *f, int64_t content)
{
    return f < l->by_content + l->s->n_files && f->content == content;
}

static bool is_builtin(const ken_snapshot *s)
{
    return !*s->model;
}

static bool is_ours(const ken_snapshot *s, const ken_vector_segment *segment)
{
    const ken_static_model *m = ken_static_builtin();
    const ken_vector_model *model = ken_vector_segment_model(segment);
    if (!is_builtin(s))
        return !strcmp(model->name, s->model);
    return model->n_dims == ken_static_n_dims(m) && !strcmp(model->name, ken_static_name(m));
}

// One model has one number of dimensions: those of the first segment, when there is any.
static uint32_t dims_of(const loading *l)
{
    if (is_builtin(l->s))
        return ken_static_n_dims(ken_static_builtin());
    return l->n_segments ? ken_vector_segment_model(l->segments[0])->n_dims : KEN_VECTOR_DIMS;
}

static ken_status open_segments(loading *l, ken_arena *arena, ken_err *err)
{
    size_t n;
    ken_status st =
        ken_store_list_segments(l->s->store, KEN_SEGMENT_VECTORS, arena, &l->infos, &n, err);
    if (st)
        return st;
    l->segments = KEN_ARENA_ARRAY(arena, ken_vector_segment *, n + 1);
    for (size_t i = 0; i < n && !st; i++) {
        ken_block_source source = ken_store_source(l->s->store, &l->infos[i]);
        ken_vector_segment *segment = NULL;
        st = ken_vector_segment_open(&source, &segment, err);
        if (!st && is_ours(l->s, segment) &&
            (!l->n_segments || ken_vector_model_eq(ken_vector_segment_model(segment),
                                                   ken_vector_segment_model(l->segments[0]))))
            l->segments[l->n_segments++] = segment;
        else
            ken_vector_segment_close(segment);
    }
    return st;
}

// Rows are chunks: a content whose numbers differ is left out.
static void count_rows(loading *l)
{
    for (size_t i = 0; i < l->n_segments; i++) {
        uint32_t n;
        const ken_vector_content *c = ken_vector_segment_contents(l->segments[i], &n);
        for (uint32_t k = 0; k < n; k++)
            for (const content_file *f = files_of(l, c[k].id); f && is_more(l, f, c[k].id); f++)
                if (l->s->contents[f->file].n_chunks == c[k].n_rows)
                    l->n_rows[f->file] = c[k].n_rows;
    }
}

static ken_status copy_old(loading *l, ken_err *err)
{
    const ken_vector_matrix *old = &l->old->matrix;
    ken_status st = KEN_OK;
    if (old->n_dims != l->v->matrix.n_dims || strcmp(l->old->model, l->v->model) != 0)
        return KEN_OK;
    ken_map by_key;
    ken_map_init(&by_key);
    for (uint32_t f = 0; f < old->n_files; f++)
        ken_map_put(&by_key, ken_str_n((const char *)&l->old->keys[f], sizeof(uint64_t)), f, NULL);
    for (uint32_t f = 0; f < l->s->n_files && !st; f++) {
        st = ken_quota_check(err);
        uint64_t *at =
            ken_map_find(&by_key, ken_str_n((const char *)&l->v->keys[f], sizeof(uint64_t)));
        if (!at || old->first_row[*at + 1] - old->first_row[*at] != l->n_rows[f])
            continue;
        ken_vector_matrix_copy(&l->v->matrix, f, old, (uint32_t)*at);
        l->is_done[f] = true;
    }
    ken_map_release(&by_key);
    return st;
}

static void put_file(loading *l, uint32_t file, const int8_t *values, const float *scales)
{
    const ken_static_model *m = ken_static_builtin();
    float path[KEN_VECTOR_MAX_DIMS];
    bool has_path = is_builtin(l->s); // other models have read it before the code
    if (has_path)
        ken_static_embed_path(m, l->s->rows[file].path, &l->folders, path);
    ken_vector_matrix_put(&l->v->matrix, file, values, scales, has_path ? path : NULL);
    l->is_done[file] = true;
}

static ken_status put_content(loading *l, ken_vector_segment *segment, const ken_vector_content *c,
                              ken_err *err)
{
    const int8_t *values = NULL;
    const float *scales = NULL;
    for (const content_file *f = files_of(l, c->id); f && is_more(l, f, c->id); f++) {
        if (l->is_done[f->file] || l->n_rows[f->file] != c->n_rows)
            continue;
        ken_status st =
            values ? KEN_OK : ken_vector_segment_rows(segment, c, &values, &scales, err);
        if (st)
            return st;
        put_file(l, f->file, values, scales);
    }
    return KEN_OK;
}

static ken_status fill(loading *l, ken_err *err)
{
    const ken_snapshot *s = l->s;
    if (!ken_vector_matrix_init(&l->v->matrix, dims_of(l), l->n_rows, s->n_files))
        return KEN_FAIL(err, KEN_ENOMEM, "loading the vectors of %u files", s->n_files);
    l->v->keys = ken_alloc(ken_mul_size(s->n_files + (size_t)1, sizeof *l->v->keys));
    for (uint32_t f = 0; f < s->n_files; f++)
        l->v->keys[f] =
            ken_hash_str(s->rows[f].path) ^ (uint64_t)s->rows[f].content * 0x9e3779b97f4a7c15ULL;
    ken_status st = l->old->keys ? copy_old(l, err) : KEN_OK;
    for (size_t i = 0; i < l->n_segments && !st; i++) {
        uint32_t n;
        const ken_vector_content *c = ken_vector_segment_contents(l->segments[i], &n);
        for (uint32_t k = 0; k < n && !st; k++) {
            st = ken_quota_check(err);
            if (!st)
                st = put_content(l, l->segments[i], &c[k], err);
        }
    }
    return st;
}

static ken_status load(loading *l, ken_arena *arena, ken_err *err)
{
    uint32_t n_files = l->s->n_files;
    l->by_content = KEN_ARENA_ARRAY(arena, content_file, n_files + 1);
    l->n_rows = KEN_ARENA_ARRAY(arena, uint32_t, n_files + 1);
    l->is_done = KEN_ARENA_ARRAY(arena, bool, n_files + 1);
    for (uint32_t f = 0; f < n_files; f++)
        l->by_content[f] = (content_file){ l->s->rows[f].content, f };
    if (n_files)
        qsort(l->by_content, n_files, sizeof *l->by_content, by_content);
    ken_status st = open_segments(l, arena, err);
    if (st)
        return st;
    count_rows(l);
    return fill(l, err);
}

static ken_status load_all(ken_snapshot *s, ken_err *err)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    query_vectors fresh = { .is_loaded = true };
    memcpy(fresh.model, s->model, sizeof fresh.model);
    loading l = { .s = s, .old = &s->vectors, .v = &fresh };
    ken_static_folders_init(&l.folders);
    ken_status st = load(&l, &arena, err);
    for (size_t i = 0; i < l.n_segments; i++)
        ken_vector_segment_close(l.segments[i]);
    ken_static_folders_release(&l.folders);
    ken_arena_release(&arena);
    if (st) {
        ken_query__release_vectors(&fresh);
        return st;
    }
    ken_query__release_vectors(&s->vectors);
    s->vectors = fresh;
    return KEN_OK;
}

ken_status ken_snapshot_warm(ken_snapshot *s, ken_err *err)
{
    query_check_pin(s);
    return ken_query__load_vectors(s, err);
}

// They are as large as the index, and stay: no cost of the question that needs them first.
ken_status ken_query__load_vectors(ken_snapshot *s, ken_err *err)
{
    if (s->vectors.is_loaded)
        return KEN_OK;
    ken_account *counted = ken_quota_exempt();
    ken_status st = load_all(s, err);
    ken_quota_count(counted);
    return st;
}
