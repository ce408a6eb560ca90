// SPDX-License-Identifier: MIT
// The stage after a run: vectors of a model that is not made on the way.
//
//   missing   contents of the generation without vectors of the model    (index_cover.c)
//   read      the first file that still has those bytes
//   group     chunks as texts until there are enough for a transaction
//   keep      their vectors as a segment, in one transaction
//   switch    once none is missing: the model answers, in a new generation
//
// The built-in model goes the same way when it is chosen again; its texts are bags of words.
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "chunk/chunk_header.h"
#include "index/index_priv.h"
#include "secret/secret.h"
#include "simd/simd.h"

enum {
    BATCH_TEXTS = 256,
    BATCH_CONTENTS = 1000,
    PROGRESS_EVERY_NS = 50000000,
    TOKENS_UNKNOWN = 2048, // input limit of a model that does not state one
    TOKENS_MAX = 8192,     // of a text, whatever it takes: chunks are smaller
    BYTES_PER_TOKEN = 3,   // of code, as tokenizers of such models cut it
};

typedef struct grouped {
    int64_t content;
    uint32_t n; // chunks
} grouped;

typedef struct stage {
    ken_store *store;
    ken_embedder *embedder; // NULL = the built-in model
    const ken_index_embed_opts *opts;
    const ken_cancel *cancel;
    ken_index_embed_report *report;
    ken_arena arena; // as long as the stage
    ken_vector_model model;
    size_t n_dims, max_bytes; // of the embedder
    index_cover cover;
    index_job job;
    index_worker worker;
    index_slot slot;
    ken_vector_builder *builder;
    ken_arena texts_arena; // as long as a group
    KEN_VEC(ken_str) texts;
    KEN_VEC(uint8_t) parts; // of each chunk: how many texts it is
    KEN_VEC(grouped) group;
    bool is_filling;                        // vectors of the built-in model were left out
    size_t n_grouped;                       // chunks, those of the built-in model counted
    char answering[KEN_EMBED_NAME_MAX + 1]; // the model that answered when the stage began
    ken_index_cost cost;
    int64_t progress_ns, spent_ns;
} stage;

static void say(stage *s)
{
    int64_t now = ken_clock_mono_ns();
    if (!s->opts->on_progress || (s->progress_ns && now - s->progress_ns < PROGRESS_EVERY_NS))
        return;
    s->progress_ns = now;
    ken_index_progress p = { .stage = "embedding",
                             .n_done = s->cover.n_done,
                             .n_total = s->cover.n_wanted };
    s->opts->on_progress(s->opts->progress_ctx, &p);
}

// ---- start -------------------------------------------------------------------------------------

static ken_status set_model(stage *s, ken_err *err)
{
    if (!s->embedder) {
        s->model = ken_index__builtin_model();
        return KEN_OK;
    }
    ken_status st = ken_embedder_probe(s->embedder, s->cancel, &s->n_dims, err);
    s->report->has_model_failed = st != KEN_OK && st != KEN_ECANCELLED;
    if (st)
        return st;
    s->model.n_dims =
        (uint32_t)((s->n_dims + KEN_VECTOR_DIMS - 1) / KEN_VECTOR_DIMS * KEN_VECTOR_DIMS);
    s->report->has_model_failed = s->model.n_dims > KEN_VECTOR_MAX_DIMS;
    if (s->report->has_model_failed)
        return KEN_FAIL(err, KEN_ELIMIT, "vectors of %zu dimensions: at most %d can be kept",
                        s->n_dims, KEN_VECTOR_MAX_DIMS);
    ken_embedder_name(s->embedder, s->model.name);
    size_t tokens = ken_embedder_info(s->embedder).max_tokens;
    tokens = !tokens ? TOKENS_UNKNOWN : tokens < TOKENS_MAX ? tokens : TOKENS_MAX;
    s->max_bytes = tokens * BYTES_PER_TOKEN;
    return KEN_OK;
}

// ---- one content -------------------------------------------------------------------------------

// Reads a file that has the bytes of the content; *out_path stays without a pointer when none does.
static ken_status read_any(stage *s, const index_live *item, ken_str *out_path, ken_err *err)
{
    ken_sha256 sha;
    ken_status st = ken_store_load_sha(s->store, item->id, &sha, err);
    for (size_t i = item->first; !st && i < item->end && !out_path->ptr; i++) {
        ken_str path = s->cover.rows[s->cover.order[i]].path;
        if (ken_index__file_read(&s->job, path, &s->slot) &&
            memcmp(&s->slot.key.sha, &sha, sizeof sha) == 0)
            *out_path = path;
    }
    return st;
}

static void add_texts(stage *s, const ken_chunk_place *place)
{
    ken_str parts[KEN_CHUNK_PARTS_MAX];
    for (uint32_t c = 0; c < place->facts->n_chunks; c++) {
        uint32_t n = ken_chunk_enrich_parts(place, c, s->max_bytes, &s->texts_arena, parts);
        for (uint32_t i = 0; i < n; i++)
            ken_vec_push(&s->texts, parts[i]);
        ken_vec_push(&s->parts, (uint8_t)n);
    }
}

static void add_bags(stage *s, int64_t content, ken_str text, const ken_facts *facts)
{
    index_slot *slot = &s->slot;
    ken_tokenize(s->worker.tokenizer, text, facts, NULL, 0, &slot->doc);
    ken_static_embed_bags(ken_static_builtin(), &slot->doc.bags, &slot->vectors);
    ken_vector_builder_add(s->builder, content, slot->vectors.values.ptr, slot->vectors.scales.ptr,
                           (uint32_t)slot->vectors.scales.len);
}

static ken_status add_content(stage *s, index_live *item, ken_err *err)
{
    ken_str path = { NULL, 0 };
    ken_facts facts;
    ken_refs refs = { 0 };
    ken_status st = read_any(s, item, &path, err);
    if (!st && !path.ptr) {
        s->report->n_left++;
        return KEN_OK;
    }
    if (!st)
        st = ken_store_load_facts(s->store, item->id, &s->texts_arena, &facts, err);
    if (!st && s->embedder)
        st = ken_store_load_refs(s->store, item->id, &facts, &s->texts_arena, &refs, err);
    if (st)
        return st;
    ken_secret_mask(s->slot.text.ptr, s->slot.text.len);
    ken_str text = ken_buf_str(&s->slot.text);
    ken_chunk_place place = { .path = path,
                              .lang = ken_str_c(ken_lang_name((ken_lang_id)facts.lang)),
                              .text = text,
                              .facts = &facts,
                              .package = refs.package };
    if (s->embedder)
        add_texts(s, &place);
    else
        add_bags(s, item->id, text, &facts);
    ken_vec_push(&s->group, ((grouped){ item->id, facts.n_chunks }));
    s->n_grouped += facts.n_chunks;
    item->has_vectors = true;
    return KEN_OK;
}

// ---- one group ---------------------------------------------------------------------------------

// The direction of the sum of a chunk's texts, which are unit vectors.
static void mean_of(const float *vectors, size_t n, size_t n_dims, float *out)
{
    float squares = 0;
    memcpy(out, vectors, n_dims * sizeof *out);
    if (n < 2)
        return;
    for (size_t i = 1; i < n; i++)
        for (size_t d = 0; d < n_dims; d++)
            out[d] += vectors[i * n_dims + d];
    for (size_t d = 0; d < n_dims; d++)
        squares += out[d] * out[d];
    for (size_t d = 0; d < n_dims && squares > 0; d++)
        out[d] /= sqrtf(squares);
}

// The rows of each content, filled up with zeros to the dimensions that are kept.
static void add_rows(stage *s, const float *vectors)
{
    const ken_simd_ops *simd = ken_simd();
    const uint8_t *parts = s->parts.ptr;
    float padded[KEN_VECTOR_MAX_DIMS] = { 0 };
    KEN_VEC(int8_t) values = { 0 };
    KEN_VEC(float) scales = { 0 };
    for (size_t i = 0; i < s->group.len; i++) {
        uint32_t n = s->group.ptr[i].n;
        ken_vec_reserve(&values, ken_mul_size(n, s->model.n_dims));
        ken_vec_reserve(&scales, n);
        for (uint32_t k = 0; k < n; k++) {
            mean_of(vectors, *parts, s->n_dims, padded);
            vectors += *parts++ * s->n_dims;
            scales.ptr[k] =
                simd->quantise(padded, s->model.n_dims, values.ptr + (size_t)k * s->model.n_dims);
        }
        ken_vector_builder_add(s->builder, s->group.ptr[i].content, values.ptr, scales.ptr, n);
    }
    ken_vec_release(&values);
    ken_vec_release(&scales);
}

static ken_status embed_texts(stage *s, ken_err *err)
{
    size_t n = s->texts.len;
    float *vectors = ken_alloc(ken_mul_size(ken_mul_size(n + 1, s->n_dims), sizeof *vectors));
    int64_t started_ns = ken_clock_mono_ns();
    ken_status st = ken_embedder_embed(s->embedder, KEN_EMBED_DOCUMENT, s->texts.ptr, n, vectors,
                                       s->cancel, err);
    s->spent_ns += ken_clock_mono_ns() - started_ns;
    s->report->has_model_failed = st != KEN_OK && st != KEN_ECANCELLED;
    if (!st)
        add_rows(s, vectors);
    ken_free(vectors);
    return st;
}

static ken_status store_batch(stage *s, ken_err *err)
{
    ken_index_cost cost = { s->cost.n_texts + s->report->n_texts + s->n_grouped,
                            s->cost.n_ms + (uint64_t)(s->spent_ns / 1000000) };
    ken_status st = ken_store_begin_write(s->store, err);
    if (st)
        return st;
    st = ken_index__flush_vectors(s->store, s->builder, err);
    if (!st && s->embedder)
        st = ken_index__put_cost(s->store, s->model.name, &cost, &s->texts_arena, err);
    if (!st && !s->report->is_active)
        st = ken_store_put_value(s->store, KEN_STR(INDEX_NEXT), ken_str_c(s->model.name), err);
    if (!st)
        return ken_store_commit(s->store, err);
    ken_store_rollback(s->store);
    return st;
}

static ken_status end_group(stage *s, ken_err *err)
{
    if (!s->group.len)
        return KEN_OK;
    ken_status st = ken_cancel_check(s->cancel, err);
    if (!st && s->embedder)
        st = embed_texts(s, err);
    if (!st)
        st = store_batch(s, err);
    if (!st) {
        s->report->n_embedded += s->group.len;
        s->report->n_texts += s->n_grouped;
        s->cover.n_done += s->group.len;
        say(s);
    }
    ken_vec_clear(&s->group);
    ken_vec_clear(&s->texts);
    ken_vec_clear(&s->parts);
    ken_arena_reset(&s->texts_arena);
    s->n_grouped = 0;
    return st;
}

// The order of what is missing: what is likely wanted, then what changed last.
static int by_promise(const void *a, const void *b, void *ctx)
{
    const index_cover *c = ctx;
    const index_live *x = &c->items[*(const size_t *)a], *y = &c->items[*(const size_t *)b];
    const ken_file_row *p = &c->rows[c->order[x->first]], *q = &c->rows[c->order[y->first]];
    if (x->is_likely != y->is_likely)
        return x->is_likely ? -1 : 1;
    if (p->changed_at_ms != q->changed_at_ms)
        return p->changed_at_ms > q->changed_at_ms ? -1 : 1;
    return ken_str_cmp(p->path, q->path);
}

static size_t *list_missing(stage *s, size_t *out_n)
{
    const index_cover *c = &s->cover;
    size_t *list = KEN_ARENA_ARRAY(&s->arena, size_t, c->n_items + 1);
    size_t n = 0;
    for (size_t i = 0; i < c->n_items; i++)
        if (!c->items[i].has_vectors && (c->items[i].is_likely || !c->only_likely))
            list[n++] = i;
    if (n)
        qsort_r(list, n, sizeof *list, by_promise, &s->cover);
    *out_n = n;
    return list;
}

static ken_status embed_missing(stage *s, ken_err *err)
{
    size_t batch = s->opts->batch ? s->opts->batch : BATCH_TEXTS, n;
    const size_t *missing = list_missing(s, &n);
    ken_status st = KEN_OK;
    say(s);
    for (size_t i = 0; !st && i < n; i++) {
        st = add_content(s, &s->cover.items[missing[i]], err);
        if (!st && (s->n_grouped >= batch || s->group.len >= BATCH_CONTENTS))
            st = end_group(s, err);
    }
    return st ? st : end_group(s, err);
}

// ---- the switch --------------------------------------------------------------------------------

static ken_status put_active(stage *s, ken_err *err)
{
    ken_str none = { NULL, 0 };
    ken_str name = s->embedder ? ken_str_c(s->model.name) : none;
    ken_str record = s->embedder && s->opts->record.len ? s->opts->record : none;
    ken_status st = ken_store_put_value(s->store, KEN_STR(KEN_VECTOR_ACTIVE), name, err);
    if (!st)
        st = ken_store_put_value(s->store, KEN_STR(INDEX_ACTIVE_RECORD), record, err);
    if (!st)
        st = ken_store_put_value(s->store, KEN_STR(INDEX_NEXT), none, err);
    if (!st && strcmp(s->answering, s->model.name) != 0)
        st = ken_index__put_cost(s->store, s->answering, NULL, &s->arena, err);
    if (!st)
        st = ken_store_put_value(s->store, KEN_STR(INDEX_CHOSEN),
                                 s->opts->only_likely ? KEN_STR("likely") : none, err);
    return st ? st : ken_index__drop_others(s->store, s->model.name, &s->arena, err);
}

static ken_status put_time(stage *s, ken_err *err)
{
    ken_str now = { NULL, 0 }; // runs make those of the built-in model from now on
    if (s->embedder)
        now = ken_arena_printf(&s->arena, "%lld", (long long)ken_clock_wall_ms());
    return ken_store_put_value(s->store, KEN_STR(INDEX_MADE), now, err);
}

// Readers see vectors with the generation that follows them.
static ken_status put_generation(stage *s, ken_err *err)
{
    ken_generation g;
    ken_status st = ken_store_load_generation(s->store, &s->arena, &g, err);
    g.number++;
    if (!st)
        st = ken_index__put_sizes(s->store, &(index_sizing){ .made = &g, .before = &g }, err);
    if (!st)
        st = ken_store_put_generation(s->store, &g, err);
    if (!st)
        s->report->generation = g.number;
    return st;
}

static ken_status publish(stage *s, bool is_whole, ken_err *err)
{
    ken_status st = ken_store_begin_write(s->store, err);
    if (st)
        return st;
    if (is_whole)
        st = put_active(s, err);
    if (!st)
        st = put_time(s, err);
    if (!st)
        st = ken_index__tidy_vectors(s->store, err);
    if (!st)
        st = put_generation(s, err);
    if (!st)
        return ken_store_commit(s->store, err);
    ken_store_rollback(s->store);
    return st;
}

static ken_status start(stage *s, bool *out_has_next, ken_err *err)
{
    char next[KEN_EMBED_NAME_MAX + 1];
    ken_status st = set_model(s, err);
    if (!st)
        st = ken_index__load_name(s->store, KEN_VECTOR_ACTIVE, &s->arena, s->answering, err);
    if (!st)
        st = ken_index__load_name(s->store, INDEX_NEXT, &s->arena, next, err);
    if (!st)
        st = ken_store_get_generation(s->store, &s->report->generation, err);
    if (!st)
        st = ken_index__load_live(s->store, &s->arena, &s->cover, err);
    s->cover.only_likely = s->opts->only_likely;
    if (!st)
        st = ken_index__mark_covered(s->store, s->model.name, &s->arena, &s->cover, err);
    if (!st && !s->embedder)
        st = ken_index_lacks_vectors(s->store, s->opts->only_likely, &s->is_filling, err);
    if (!st && s->embedder)
        st = ken_index__load_cost(s->store, s->model.name, &s->arena, &s->cost, err);
    if (st)
        return st;
    s->builder = ken_vector_builder_new(&s->model);
    s->report->n_contents = s->cover.n_wanted;
    s->report->is_active = s->embedder ? !strcmp(s->answering, s->model.name) : !*s->answering;
    *out_has_next = *next;
    return KEN_OK;
}

// Vectors that came with another index (index_copy.c) answer here only once what opens their model is known.
static ken_status find_record(stage *s, bool *out_is_lacking, ken_err *err)
{
    ken_str record = { "", 0 };
    ken_status st =
        ken_store_load_value(s->store, KEN_STR(INDEX_ACTIVE_RECORD), &s->arena, &record, err);
    *out_is_lacking = s->embedder && s->opts->record.len && !record.len;
    return st == KEN_ENOTFOUND ? KEN_OK : st;
}

static ken_status run(stage *s, ken_err *err)
{
    bool has_next = false, lacks_record = false;
    ken_status st = start(s, &has_next, err);
    if (!st)
        st = find_record(s, &lacks_record, err);
    if (!st && s->report->generation)
        st = embed_missing(s, err);
    if (st || !s->report->generation)
        return st;
    bool is_whole = s->cover.n_done == s->cover.n_wanted;
    // Of a model that was not gone through with, or came with another index.
    bool has_rest = has_next || s->cover.has_others || lacks_record || s->is_filling;
    if (s->report->is_active ? !s->report->n_embedded && !(is_whole && has_rest) : !is_whole)
        return KEN_OK;
    st = publish(s, is_whole, err);
    s->report->is_active = s->report->is_active || (!st && is_whole);
    return st;
}

ken_status ken_index_embed(ken_store *store, const char *root, ken_embedder *embedder,
                           const ken_index_embed_opts *opts, const ken_cancel *cancel,
                           ken_index_embed_report *out, ken_err *err)
{
    int64_t started_ns = ken_clock_mono_ns();
    stage s = { .store = store,
                .embedder = embedder,
                .opts = opts,
                .cancel = cancel,
                .report = out,
                .job = { .roots = { .fd = -1 },
                         .wants_secrets = true, // what is in the index was let in
                         .max_file_bytes = opts->max_file_bytes ? opts->max_file_bytes : 1 << 20,
                         .cancel = cancel } };
    *out = (ken_index_embed_report){ 0 };
    ken_arena_init(&s.arena, 0);
    ken_arena_init(&s.texts_arena, 0);
    ken_arena_init(&s.slot.arena, 0);
    const index_memory memory = ken_index__split_memory(0, 0);
    ken_index__worker_init(&s.worker, &memory, 1);
    ken_str text;
    ken_status st = ken_index_load_roots(store, &s.arena, &text, err);
    if (!st) {
        const ken_roots more = ken_roots_parse(text, &s.arena);
        st = ken_index__open_roots(&s.job, root, &more, &s.arena, err);
    }
    if (!st)
        st = run(&s, err);
    ken_index__close_roots(&s.job);
    ken_vector_builder_free(s.builder);
    ken_vec_release(&s.texts);
    ken_vec_release(&s.parts);
    ken_vec_release(&s.group);
    ken_index__worker_release(&s.worker);
    ken_index__slot_release(&s.slot);
    ken_arena_release(&s.texts_arena);
    ken_arena_release(&s.arena);
    out->duration_ms = (ken_clock_mono_ns() - started_ns) / 1000000;
    return st;
}
