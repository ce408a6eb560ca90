// SPDX-License-Identifier: MIT
// The vector of a question, from the model whose vectors answer. Other models than the built-in one
// may be slow or far away, so the last few questions are remembered.
#include "base/alloc.h"
#include "embed/embed_static.h"
#include "metrics/metrics.h"
#include "query/query_priv.h"

void ken_snapshot_set_embedder(ken_snapshot *s, ken_snapshot_embedder_fn *open, void *ctx)
{
    ken_query__close_embedder(s);
    s->embedder.open = open;
    s->embedder.ctx = ctx;
}

// What was opened and remembered; the way to open stays.
static void forget(query_embedder *e)
{
    ken_embedder_close(e->embedder);
    e->embedder = NULL;
    for (int i = 0; i < QUERY_EMBEDDED; i++) {
        ken_free(e->last[i].text);
        e->last[i].text = NULL;
    }
}

void ken_query__close_embedder(ken_snapshot *s)
{
    forget(&s->embedder);
}

ken_status ken_query__load_model(ken_snapshot *s, ken_err *err)
{
    char before[sizeof s->model];
    ken_str name = { "", 0 };
    memcpy(before, s->model, sizeof before);
    ken_status st =
        ken_store_load_value(s->store, KEN_STR(KEN_VECTOR_ACTIVE), &s->arena, &name, err);
    if (st && st != KEN_ENOTFOUND)
        return st;
    size_t n = st ? 0 : name.len < KEN_VECTOR_MODEL_MAX ? name.len : KEN_VECTOR_MODEL_MAX;
    memcpy(s->model, name.ptr, n);
    s->model[n] = '\0';
    if (strcmp(before, s->model) != 0)
        forget(&s->embedder);
    return KEN_OK;
}

// Opens it once, and makes sure that it is the model of the index.
static ken_status need_embedder(ken_snapshot *s, const ken_cancel *cancel, ken_err *err)
{
    query_embedder *e = &s->embedder;
    char name[KEN_EMBED_NAME_MAX + 1];
    size_t dims;
    if (!e->open)
        return KEN_FAIL(err, KEN_EUNSUPPORTED, "the model '%s' cannot be asked here", s->model);
    ken_status st = e->embedder ? KEN_OK : e->open(e->ctx, &e->embedder, err);
    if (!st)
        st = ken_embedder_probe(e->embedder, cancel, &dims, err);
    if (st)
        return st;
    ken_embedder_name(e->embedder, name);
    if (!strcmp(name, s->model))
        return KEN_OK;
    forget(e); // what it is now the next question sees
    return KEN_FAIL(err, KEN_EVERSION,
                    "the vectors are of '%s', the model is '%s' now; to make them anew: ken index",
                    s->model, name);
}

static ken_status ask(ken_snapshot *s, ken_str query, const ken_cancel *cancel,
                      query_embedded *slot, ken_err *err)
{
    float unit[KEN_VECTOR_MAX_DIMS] = { 0 };
    size_t n_dims = s->vectors.matrix.n_dims;
    ken_status st = need_embedder(s, cancel, err);
    if (st)
        return st;
    if (ken_embedder_info(s->embedder.embedder).dims > n_dims)
        return KEN_FAIL(err, KEN_ECORRUPT, "the vectors of '%s' have %zu dimensions", s->model,
                        n_dims);
    st = ken_embedder_embed(s->embedder.embedder, KEN_EMBED_QUERY, &query, 1, unit, cancel, err);
    if (st)
        return st;
    ken_vector_query_init(&slot->vector, unit, (uint32_t)n_dims);
    ken_free(slot->text);
    slot->text = ken_alloc(query.len + 1);
    memcpy(slot->text, query.ptr, query.len);
    slot->len = query.len;
    return KEN_OK;
}

static ken_status embed_elsewhere(ken_snapshot *s, ken_str query, const ken_cancel *cancel,
                                  ken_vector_query *out, ken_err *err)
{
    query_embedder *e = &s->embedder;
    for (int i = 0; i < QUERY_EMBEDDED; i++)
        if (e->last[i].text && ken_str_eq(ken_str_n(e->last[i].text, e->last[i].len), query)) {
            *out = e->last[i].vector;
            ken_metrics_add(KEN_METRIC_CACHE_HITS, 1, KEN_LABELS("question"));
            return KEN_OK;
        }
    ken_metrics_add(KEN_METRIC_CACHE_MISSES, 1, KEN_LABELS("question"));
    query_embedded *slot = &e->last[e->next];
    ken_status st = ask(s, query, cancel, slot, err);
    if (st)
        return st;
    e->next = (e->next + 1) % QUERY_EMBEDDED;
    *out = slot->vector;
    return KEN_OK;
}

ken_status ken_query__embed(ken_snapshot *s, ken_str query, const ken_cancel *cancel, bool *out_has,
                            ken_vector_query *out, ken_err *err)
{
    const ken_static_model *m = ken_static_builtin();
    float unit[KEN_VECTOR_MAX_DIMS];
    *out_has = false;
    if (!s->vectors.matrix.n_rows)
        return KEN_OK;
    if (*s->model) {
        ken_status st = embed_elsewhere(s, query, cancel, out, err);
        *out_has = !st;
        return st;
    }
    if (!ken_static_embed_words(m, query, unit))
        return KEN_OK;
    ken_vector_query_init(out, unit, ken_static_n_dims(m));
    *out_has = true;
    return KEN_OK;
}
