// SPDX-License-Identifier: MIT
// An index and its sums.
//
// The copy is made in several transactions: contents, segments and the first tree in one; each further tree; what
// people and documents said. Until the last is committed it is not whole, and whoever lists it says so: the next try
// begins anew. Everything is read in one order, by ids, so that both sides of a comparison see the same.
#include <stdlib.h>

#include "base/vec.h"
#include "lang/lang.h"
#include "move/move_priv.h"
#include "store/checkpoints.h"
#include "store/move.h"
#include "store/rows.h"
#include "store/rule_documents.h"
#include "store/store_edits.h"
#include "store/store_facts.h"
#include "store/store_refs.h"
#include "store/store_zip.h"

typedef KEN_VEC(int64_t) id_vec;

typedef struct source {
    ken_store_opts at;
    ken_store *store; // of the first tree, in a read transaction
    ken_arena arena;  // of what is listed below
    ken_tree_info *trees;
    size_t n_trees;  // that have a generation
    bool has_others; // there are trees without one
    id_vec contents; // that files of them have, in order
    ken_zip *zip;
    const ken_move_job *job;
} source;

typedef struct segment {
    ken_segment_info info;
    ken_segment_kind kind;
} segment;

static const ken_segment_kind kinds[] = { KEN_SEGMENT_WORDS, KEN_SEGMENT_VECTORS,
                                          KEN_SEGMENT_MENTIONS };

// ---- reading what there is ---------------------------------------------------------------------

static int by_id(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void sort_ids(id_vec *ids)
{
    size_t n = 0;
    if (ids->len)
        qsort(ids->ptr, ids->len, sizeof *ids->ptr, by_id);
    for (size_t i = 0; i < ids->len; i++)
        if (!n || ids->ptr[n - 1] != ids->ptr[i])
            ids->ptr[n++] = ids->ptr[i];
    ids->len = n;
}

// The store of one tree, in a read transaction; the first one's is open.
static ken_status open_tree(source *s, const ken_tree_info *t, ken_store **out, ken_err *err)
{
    ken_store_opts at = s->at;
    *out = s->store;
    if (t->is_first)
        return KEN_OK;
    at.tree = t->project;
    ken_status st = ken_store_open(&at, out, err);
    if (!st)
        st = ken_store_begin_read(*out, err);
    if (st)
        ken_store_close(*out);
    return st;
}

static void close_tree(const source *s, ken_store *tree)
{
    if (tree == s->store)
        return;
    ken_store_rollback(tree);
    ken_store_close(tree);
}

static ken_status gather_contents(source *s, const ken_tree_info *t, ken_err *err)
{
    ken_arena arena;
    ken_store *tree = NULL;
    ken_file_row *rows = NULL;
    size_t n = 0;
    ken_status st = open_tree(s, t, &tree, err);
    if (st)
        return st;
    ken_arena_init(&arena, 0);
    st = ken_store_load_files(tree, &arena, &rows, &n, NULL, err);
    for (size_t i = 0; !st && i < n; i++)
        ken_vec_push(&s->contents, rows[i].content);
    ken_arena_release(&arena);
    close_tree(s, tree);
    return st;
}

// Where all trees have a generation, those of all files.
static ken_status list_live(source *s, ken_err *err)
{
    int64_t *ids = NULL;
    size_t n = 0;
    ken_status st = ken_store_list_live(s->store, &s->arena, &ids, &n, err);
    for (size_t i = 0; !st && i < n; i++)
        ken_vec_push(&s->contents, ids[i]);
    return st;
}

static ken_status list_trees(source *s, ken_err *err)
{
    ken_tree_info *all = NULL;
    size_t n = 0;
    ken_status st = ken_store_begin_read(s->store, err);
    if (!st)
        st = ken_store_list_trees(s->store, &s->arena, &all, &n, err);
    s->trees = KEN_ARENA_ARRAY(&s->arena, ken_tree_info, n + 1);
    for (size_t i = 0; !st && i < n; i++)
        if (all[i].generation)
            s->trees[s->n_trees++] = all[i];
    s->has_others = s->n_trees < n;
    return st;
}

static ken_status gather(source *s, ken_err *err)
{
    ken_status st = s->has_others ? KEN_OK : list_live(s, err);
    for (size_t i = 0; !st && s->has_others && i < s->n_trees; i++)
        st = gather_contents(s, &s->trees[i], err);
    sort_ids(&s->contents);
    return st;
}

static void close_source(source *s)
{
    if (s->store)
        ken_store_rollback(s->store);
    ken_store_close(s->store);
    ken_zip_free(s->zip);
    ken_vec_release(&s->contents);
    ken_arena_release(&s->arena);
}

static ken_status open_source(const ken_store_opts *at, const ken_move_job *job, source *s,
                              ken_err *err)
{
    uint64_t identity;
    *s = (source){ .at = *at, .job = job, .zip = ken_zip_new() };
    s->at.is_read_only = true;
    s->at.tree = (ken_uuid){ { 0 } };
    ken_arena_init(&s->arena, 0);
    ken_status st = ken_store_identify(&s->at, &identity, err);
    if (!st)
        st = ken_store_open(&s->at, &s->store, err);
    if (!st)
        st = list_trees(s, err);
    if (st)
        close_source(s);
    return st;
}

static int by_segment(const void *a, const void *b)
{
    const segment *x = a, *y = b;
    return (x->info.id > y->info.id) - (x->info.id < y->info.id);
}

static ken_status list_segments(source *s, segment **out, size_t *out_n, ken_err *err)
{
    ken_segment_info *infos[sizeof kinds / sizeof *kinds];
    size_t counts[sizeof kinds / sizeof *kinds] = { 0 }, n = 0;
    ken_status st = KEN_OK;
    for (size_t k = 0; !st && k < sizeof kinds / sizeof *kinds; k++) {
        st = ken_store_list_segments(s->store, kinds[k], &s->arena, &infos[k], &counts[k], err);
        n += counts[k];
    }
    if (st)
        return st;
    segment *all = KEN_ARENA_ARRAY(&s->arena, segment, n + 1);
    n = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t i = 0; i < counts[k]; i++)
            all[n++] = (segment){ infos[k][i], kinds[k] };
    qsort(all, n, sizeof *all, by_segment);
    *out = all;
    *out_n = n;
    return KEN_OK;
}

static uint32_t n_blocks(const segment *g)
{
    return (uint32_t)((g->info.n_bytes + KEN_SEGMENT_BLOCK - 1) / KEN_SEGMENT_BLOCK);
}

static ken_status read_block(ken_store *store, const segment *g, uint32_t block, char *into,
                             size_t *out_n, ken_err *err)
{
    ken_status st = ken_store_read_block(store, g->info.id, block, into, out_n, err);
    return st == KEN_ENOTFOUND ? KEN_FAIL(err, KEN_ECORRUPT, "segment %lld has no block %u",
                                          (long long)g->info.id, block)
                               : st;
}

typedef struct content {
    ken_content_key key;
    ken_content_info info;
    ken_packed packed;
} content;

static ken_status load_content(ken_store *store, int64_t id, ken_arena *arena, content *out,
                               ken_err *err)
{
    out->packed = (ken_packed){ .facts = { NULL, 0 } };
    ken_status st = ken_store_load_key(store, id, &out->key, err);
    if (!st)
        st = ken_store_load_info(store, id, &out->info, err);
    if (!st)
        st = ken_store_load_packed(store, id, arena, &out->packed.facts, err);
    if (!st)
        st = ken_store_load_packed_refs(store, id, arena, &out->packed.refs, err);
    return st == KEN_ENOTFOUND
               ? KEN_FAIL(err, KEN_ECORRUPT, "a file has content %lld, which is not there",
                          (long long)id)
               : st;
}

// Those of the tree, and with the first one those of all.
static bool is_of_tree(ken_str key, const ken_tree_info *t)
{
    return !ken_str_eq_c(key, KEN_STORE_EDITS) && !ken_str_eq_c(key, KEN_STORE_ROWS_KEPT) &&
           (!ken_store_is_shared_value(key) || t->is_first);
}

// ---- sums --------------------------------------------------------------------------------------

static void add_file(ken_move_sum *sum, const ken_file_row *f)
{
    move_row r;
    ken_move__begin(&r, sum);
    ken_move__bytes(&r, f->path);
    ken_move__number(&r, (uint64_t)f->content);
    ken_move__number(&r, f->stamp.size);
    ken_move__number(&r, (uint64_t)f->stamp.mtime_ns);
    ken_move__number(&r, (uint64_t)f->stamp.ctime_ns);
    ken_move__number(&r, f->stamp.inode);
    ken_move__number(&r, (uint64_t)f->changed_at_ms);
    ken_move__end(&r);
}

static void add_generation(ken_move_sum *sum, const ken_tree_info *t, const ken_generation *g)
{
    move_row r;
    ken_move__begin(&r, sum);
    ken_move__uuid(&r, t->project);
    ken_move__number(&r, g->number);
    ken_move__number(&r, (uint64_t)g->at_ms);
    ken_move__bytes(&r, g->git_head);
    ken_move__bytes(&r, g->git_branch);
    ken_move__bytes(&r, g->root);
    const uint64_t counts[] = { g->n_files, g->n_chunks, g->n_symbols, g->n_bytes, g->n_lines };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        ken_move__number(&r, counts[i]);
    for (size_t i = 0; i < KEN_SKIP_COUNT; i++)
        ken_move__number(&r, g->skips[i]);
    ken_move__end(&r);
}

static ken_status sum_values(ken_store *tree, const ken_tree_info *t, ken_arena *arena,
                             ken_move_sum *sum, ken_err *err)
{
    ken_value_info *infos = NULL;
    size_t n = 0;
    ken_status st = ken_store_list_values(tree, arena, &infos, &n, err);
    for (size_t i = 0; !st && i < n; i++) {
        ken_str value;
        move_row r;
        if (!is_of_tree(infos[i].key, t))
            continue;
        st = ken_store_load_value(tree, infos[i].key, arena, &value, err);
        if (st)
            return st;
        ken_move__begin(&r, sum);
        ken_move__bytes(&r, infos[i].key);
        ken_move__bytes(&r, value);
        ken_move__end(&r);
    }
    return st;
}

static ken_status sum_skips(ken_store *tree, ken_arena *arena, ken_move_sum *sum, ken_err *err)
{
    ken_skip_row *rows = NULL;
    size_t n = 0;
    ken_status st = ken_store_load_skips(tree, KEN_SKIP_NONE, SIZE_MAX >> 1, arena, &rows, &n, err);
    for (size_t i = 0; !st && i < n; i++) {
        move_row r;
        ken_move__begin(&r, sum);
        ken_move__number(&r, rows[i].reason);
        ken_move__bytes(&r, rows[i].path);
        ken_move__end(&r);
    }
    return st;
}

static ken_status sum_tree(source *s, const ken_tree_info *t, ken_move_sums *out, ken_err *err)
{
    ken_arena arena;
    ken_store *tree = NULL;
    ken_generation g;
    ken_file_row *rows = NULL;
    size_t n = 0;
    ken_status st = open_tree(s, t, &tree, err);
    if (st)
        return st;
    ken_arena_init(&arena, 0);
    st = ken_store_load_generation(tree, &arena, &g, err);
    if (!st)
        st = ken_store_load_files(tree, &arena, &rows, &n, NULL, err);
    if (!st)
        add_generation(&out->parts[KEN_MOVE_TREES], t, &g);
    for (size_t i = 0; !st && i < n; i++)
        add_file(&out->parts[KEN_MOVE_FILES], &rows[i]);
    if (!st)
        st = sum_skips(tree, &arena, &out->parts[KEN_MOVE_SKIPS], err);
    if (!st)
        st = sum_values(tree, t, &arena, &out->parts[KEN_MOVE_VALUES_OF], err);
    ken_arena_release(&arena);
    close_tree(s, tree);
    return st;
}

static ken_status sum_contents(source *s, ken_move_sum *sum, ken_err *err)
{
    ken_arena arena;
    ken_status st = KEN_OK;
    ken_arena_init(&arena, 0);
    for (size_t i = 0; !st && i < s->contents.len; i++) {
        content c = { .key = { .lang = 0 } };
        move_row r;
        ken_arena_reset(&arena);
        st = ken_move__tell(s->job, i, s->contents.len, err);
        if (!st)
            st = load_content(s->store, s->contents.ptr[i], &arena, &c, err);
        if (st)
            break;
        ken_move__begin(&r, sum);
        ken_move__number(&r, (uint64_t)s->contents.ptr[i]);
        ken_move__bytes(&r, ken_str_n((const char *)c.key.sha.bytes, sizeof c.key.sha.bytes));
        const uint64_t numbers[] = {
            c.key.lang,           c.key.feature,      c.info.n_bytes,
            c.info.n_lines,       c.info.n_chunks,    c.info.n_symbols,
            c.info.n_error_bytes, c.info.is_fallback, c.info.is_generated
        };
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            ken_move__number(&r, numbers[k]);
        ken_move__bytes(&r, c.packed.facts);
        ken_move__bytes(&r, c.packed.refs);
        ken_move__end(&r);
    }
    ken_arena_release(&arena);
    return st;
}

static ken_status sum_segment(const source *s, const segment *g, char *block, ken_move_sum *sum,
                              ken_err *err)
{
    move_row r;
    size_t n = 0;
    ken_status st = KEN_OK;
    ken_move__begin(&r, sum);
    ken_move__number(&r, (uint64_t)g->info.id);
    ken_move__number(&r, g->kind);
    ken_move__number(&r, g->info.n_contents);
    for (uint32_t i = 0; !st && i < n_blocks(g); i++) {
        st = read_block(s->store, g, i, block, &n, err);
        ken_sha256 hash = ken_sha256_of(block, st ? 0 : n);
        ken_move__bytes(&r, ken_str_n((const char *)hash.bytes, sizeof hash.bytes));
    }
    ken_move__end(&r);
    sum->n_bytes += g->info.n_bytes;
    return st;
}

static ken_status sum_segments(source *s, ken_move_sum *sum, ken_err *err)
{
    segment *all = NULL;
    size_t n = 0;
    char *block = ken_arena_alloc(&s->arena, KEN_SEGMENT_BLOCK);
    ken_status st = list_segments(s, &all, &n, err);
    for (size_t i = 0; !st && i < n; i++) {
        st = ken_cancel_check(s->job->cancel, err);
        if (!st)
            st = sum_segment(s, &all[i], block, sum, err);
    }
    return st;
}

static void add_checkpoint(ken_move_sum *sum, const ken_checkpoint_row *c)
{
    move_row r;
    ken_move__begin(&r, sum);
    ken_move__uuid(&r, c->uuid);
    const uint64_t numbers[] = { c->rev, (uint64_t)c->created_at_ms, (uint64_t)c->updated_at_ms,
                                 c->token_count, c->n_tags };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ken_move__number(&r, numbers[i]);
    const ken_str texts[] = { c->git_branch, c->git_commit, c->summary,
                              c->git_dirty,  c->context,    c->description };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ken_move__text(&r, texts[i]);
    for (size_t i = 0; i < c->n_tags; i++)
        ken_move__text(&r, c->tags[i]);
    ken_move__end(&r);
}

static ken_status sum_checkpoints(source *s, ken_move_sum *sum, ken_err *err)
{
    ken_checkpoint_row *rows = NULL;
    size_t n = 0;
    ken_status st =
        ken_store_list_checkpoints(s->store, 0, SIZE_MAX >> 1, true, &s->arena, &rows, &n, err);
    for (size_t i = 0; !st && i < n; i++)
        add_checkpoint(sum, &rows[i]);
    return st;
}

static void add_document(ken_move_sum *sum, const ken_rule_document_row *d)
{
    move_row r;
    ken_move__begin(&r, sum);
    ken_move__bytes(&r, d->path);
    ken_move__bytes(&r, ken_str_n((const char *)d->sha.bytes, sizeof d->sha.bytes));
    const uint64_t numbers[] = { d->kind, d->n_bytes, (uint64_t)d->mtime_ns,
                                 (uint64_t)d->indexed_at_ms, d->n_rules };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        ken_move__number(&r, numbers[i]);
    ken_move__bytes(&r, ken_str_n((const char *)&d->weight, sizeof d->weight));
    for (size_t i = 0; i < d->n_rules; i++) {
        ken_move__number(&r, d->rules[i].first_line);
        ken_move__number(&r, d->rules[i].last_line);
        ken_move__text(&r, d->rules[i].heading);
        ken_move__text(&r, d->rules[i].text);
    }
    ken_move__end(&r);
}

static ken_status load_documents(source *s, ken_rule_document_row **out, size_t *out_n,
                                 ken_err *err)
{
    ken_status st = ken_store_load_rule_documents(s->store, &s->arena, out, out_n, err);
    for (size_t i = 0; !st && i < *out_n; i++) {
        ken_rule *rules = NULL;
        st = ken_store_load_rules(s->store, (*out)[i].path, &s->arena, &rules, &(*out)[i].n_rules,
                                  err);
        (*out)[i].rules = rules;
    }
    return st;
}

static ken_status sum_documents(source *s, ken_move_sum *sum, ken_err *err)
{
    ken_rule_document_row *rows = NULL;
    size_t n = 0;
    ken_status st = load_documents(s, &rows, &n, err);
    for (size_t i = 0; !st && i < n; i++)
        add_document(sum, &rows[i]);
    return st;
}

static const ken_store_clock clocks[] = { KEN_STORE_CONTENT_IDS, KEN_STORE_SEGMENT_IDS,
                                          KEN_STORE_CHECKPOINT_REVS };

static ken_status sum_clocks(source *s, ken_move_sum *sum, ken_err *err)
{
    move_row r;
    int64_t last = 0;
    ken_status st = KEN_OK;
    ken_move__begin(&r, sum);
    for (size_t i = 0; !st && i < sizeof clocks / sizeof *clocks; i++) {
        st = ken_store_load_last(s->store, clocks[i], &last, err);
        ken_move__number(&r, (uint64_t)last);
    }
    ken_move__end(&r);
    return st;
}

ken_status ken_move_sum_index(const ken_store_opts *at, const ken_move_job *job, ken_move_sums *out,
                              ken_err *err)
{
    source s;
    *out = (ken_move_sums){ 0 };
    ken_status st = open_source(at, job, &s, err);
    if (st)
        return st;
    st = gather(&s, err);
    for (size_t i = 0; !st && i < s.n_trees; i++)
        st = sum_tree(&s, &s.trees[i], out, err);
    if (!st)
        st = sum_contents(&s, &out->parts[KEN_MOVE_CONTENTS], err);
    if (!st)
        st = sum_segments(&s, &out->parts[KEN_MOVE_SEGMENTS], err);
    if (!st)
        st = sum_checkpoints(&s, &out->parts[KEN_MOVE_CHECKPOINTS], err);
    if (!st)
        st = sum_documents(&s, &out->parts[KEN_MOVE_DOCUMENTS], err);
    if (!st)
        st = sum_clocks(&s, &out->parts[KEN_MOVE_INDEXES], err);
    close_source(&s);
    return st;
}

ken_status ken_move_stamp_index(const ken_store_opts *at, uint64_t *out, ken_err *err)
{
    const ken_move_job job = { NULL, NULL, NULL };
    ken_move_sum sum = { 0 };
    source s;
    ken_status st = open_source(at, &job, &s, err);
    if (st)
        return st;
    for (size_t i = 0; i < s.n_trees; i++) {
        move_row r;
        ken_move__begin(&r, &sum);
        ken_move__uuid(&r, s.trees[i].project);
        ken_move__number(&r, s.trees[i].generation);
        ken_move__end(&r);
    }
    st = sum_clocks(&s, &sum, err);
    close_source(&s);
    *out = ken_hash64(sum.hash.bytes, sizeof sum.hash.bytes);
    return st;
}

// ---- copying -----------------------------------------------------------------------------------

static ken_status unpack(source *s, int64_t id, const content *c, ken_arena *arena,
                         ken_facts *facts, ken_refs *refs, ken_err *err)
{
    ken_status st = ken_facts_unpack(s->zip, c->packed.facts, arena, facts, err);
    if (!st)
        st = ken_refs_unpack(s->zip, c->packed.refs, facts, arena, refs, err);
    if (st)
        ken_err_wrap(err, "content %lld", (long long)id);
    return st;
}

// Facts and references are unpacked first: what is not sound does not come in.
static ken_status copy_content(source *s, ken_store *to, int64_t id, ken_arena *arena, ken_err *err)
{
    content c = { .key = { .lang = 0 } };
    ken_facts facts;
    ken_refs refs;
    int64_t made = 0;
    ken_status st = load_content(s->store, id, arena, &c, err);
    if (!st)
        st = unpack(s, id, &c, arena, &facts, &refs, err);
    if (!st)
        st = ken_store_copy_text(s->store, id, arena, &c.packed.text, err);
    c.packed.plain_refs = &refs;
    c.packed.language = ken_str_c(ken_lang_name((ken_lang_id)c.key.lang));
    if (!st)
        st = ken_store_skip_to(to, KEN_STORE_CONTENT_IDS, id - 1, err);
    if (!st)
        st = ken_store_add_content(to, &c.key, &facts, &c.packed, &made, err);
    return st || made == id ? st
                            : KEN_FAIL(err, KEN_EINTERNAL, "content %lld became %lld",
                                       (long long)id, (long long)made);
}

static ken_status copy_contents(source *s, ken_store *to, ken_err *err)
{
    ken_arena arena;
    ken_status st = KEN_OK;
    ken_arena_init(&arena, 0);
    for (size_t i = 0; !st && i < s->contents.len; i++) {
        ken_arena_reset(&arena);
        st = ken_move__tell(s->job, i, s->contents.len, err);
        if (!st)
            st = copy_content(s, to, s->contents.ptr[i], &arena, err);
    }
    ken_arena_release(&arena);
    return st;
}

static ken_status copy_segment(source *s, ken_store *to, const segment *g, char *block,
                               ken_err *err)
{
    ken_segment_writer w;
    size_t n = 0;
    ken_status st = ken_store_skip_to(to, KEN_STORE_SEGMENT_IDS, g->info.id - 1, err);
    if (!st)
        st = ken_store_open_segment(to, g->kind, &w, err);
    if (!st && w.id != g->info.id)
        st = KEN_FAIL(err, KEN_EINTERNAL, "segment %lld became %lld", (long long)g->info.id,
                      (long long)w.id);
    if (st)
        return st;
    ken_block_sink sink = ken_store_sink(&w);
    for (uint32_t i = 0; !st && i < n_blocks(g); i++) {
        st = read_block(s->store, g, i, block, &n, err);
        if (!st)
            st = sink.write(sink.ctx, block, n, err);
    }
    return st ? st : ken_store_close_segment(&w, g->info.n_contents, err);
}

static ken_status copy_segments(source *s, ken_store *to, ken_err *err)
{
    segment *all = NULL;
    size_t n = 0;
    char *block = ken_arena_alloc(&s->arena, KEN_SEGMENT_BLOCK);
    ken_status st = list_segments(s, &all, &n, err);
    for (size_t i = 0; !st && i < n; i++) {
        st = ken_cancel_check(s->job->cancel, err);
        if (!st)
            st = copy_segment(s, to, &all[i], block, err);
    }
    return st;
}

static bool is_same_file(const ken_file_row *a, const ken_file_row *b)
{
    return a->content == b->content && a->stamp.size == b->stamp.size &&
           a->stamp.mtime_ns == b->stamp.mtime_ns && a->stamp.ctime_ns == b->stamp.ctime_ns &&
           a->stamp.inode == b->stamp.inode && a->changed_at_ms == b->changed_at_ms;
}

// A further tree begins with the files of another: what it does not have goes first. Both lists are by path.
static ken_status copy_files(ken_store *from, ken_store *to, ken_arena *arena, ken_err *err)
{
    ken_file_row *rows = NULL, *old = NULL;
    size_t n = 0, n_old = 0;
    ken_status st = ken_store_load_files(from, arena, &rows, &n, NULL, err);
    if (!st)
        st = ken_store_load_files(to, arena, &old, &n_old, NULL, err);
    for (size_t i = 0, o = 0; !st && o < n_old; o++) {
        while (i < n && ken_str_cmp(rows[i].path, old[o].path) < 0)
            i++;
        if (i == n || !ken_str_eq(rows[i].path, old[o].path))
            st = ken_store_remove_file(to, old[o].id, err);
    }
    for (size_t i = 0, o = 0; !st && i < n; i++) {
        while (o < n_old && ken_str_cmp(old[o].path, rows[i].path) < 0)
            o++;
        bool is_there = o < n_old && ken_str_eq(old[o].path, rows[i].path);
        ken_file_row put = rows[i];
        put.id = is_there ? old[o].id : 0;
        if (!is_there || !is_same_file(&rows[i], &old[o]))
            st = ken_store_put_file(to, &put, err);
    }
    return st;
}

static ken_status copy_values(ken_store *from, ken_store *to, const ken_tree_info *t,
                              ken_arena *arena, ken_err *err)
{
    ken_value_info *infos = NULL;
    size_t n = 0;
    ken_status st = ken_store_list_values(from, arena, &infos, &n, err);
    for (size_t i = 0; !st && i < n; i++) {
        ken_str value;
        if (!is_of_tree(infos[i].key, t))
            continue;
        st = ken_store_load_value(from, infos[i].key, arena, &value, err);
        if (!st)
            st = ken_store_put_value(to, infos[i].key, value, err);
    }
    return st;
}

static ken_status copy_skips(ken_store *from, ken_store *to, ken_arena *arena, ken_err *err)
{
    ken_skip_row *rows = NULL;
    size_t n = 0;
    ken_status st = ken_store_load_skips(from, KEN_SKIP_NONE, SIZE_MAX >> 1, arena, &rows, &n, err);
    return st ? st : ken_store_replace_skips(to, rows, n, err);
}

// In the open write transaction of `to`, which is opened for that tree.
static ken_status copy_tree(source *s, ken_store *to, const ken_tree_info *t, ken_err *err)
{
    ken_arena arena;
    ken_store *from = NULL;
    ken_generation g;
    ken_status st = open_tree(s, t, &from, err);
    if (st)
        return st;
    ken_arena_init(&arena, 0);
    st = ken_store_load_generation(from, &arena, &g, err);
    if (!st)
        st = copy_files(from, to, &arena, err);
    if (!st)
        st = copy_skips(from, to, &arena, err);
    if (!st)
        st = copy_values(from, to, t, &arena, err);
    if (!st)
        st = ken_store_put_generation(to, &g, err);
    ken_arena_release(&arena);
    close_tree(s, from);
    return st;
}

static ken_status copy_checkpoints(source *s, ken_store *to, ken_err *err)
{
    ken_checkpoint_row *rows = NULL;
    size_t n = 0;
    ken_status st =
        ken_store_list_checkpoints(s->store, 0, SIZE_MAX >> 1, true, &s->arena, &rows, &n, err);
    for (size_t i = 0; !st && i < n; i++) {
        st = ken_store_skip_to(to, KEN_STORE_CHECKPOINT_REVS, (int64_t)rows[i].rev - 1, err);
        rows[i].id = 0;
        if (!st)
            st = ken_store_put_checkpoint(to, &rows[i], err);
    }
    return st;
}

static ken_status copy_notes(source *s, ken_store *to, ken_err *err)
{
    ken_rule_document_row *rows = NULL;
    size_t n = 0;
    ken_status st = copy_checkpoints(s, to, err);
    if (!st)
        st = load_documents(s, &rows, &n, err);
    return st ? st : ken_store_replace_rule_documents(to, rows, n, err);
}

static ken_status copy_clocks(source *s, ken_store *to, ken_err *err)
{
    ken_status st = KEN_OK;
    for (size_t i = 0; !st && i < sizeof clocks / sizeof *clocks; i++) {
        int64_t last = 0;
        st = ken_store_load_last(s->store, clocks[i], &last, err);
        if (!st)
            st = ken_store_skip_to(to, clocks[i], last, err);
    }
    return st;
}

static ken_status copy_first(source *s, ken_store *to, const ken_tree_info *t, ken_err *err)
{
    ken_status st = copy_contents(s, to, err);
    if (!st)
        st = copy_segments(s, to, err);
    if (!st && s->n_trees && s->trees[0].is_first)
        st = copy_tree(s, to, &s->trees[0], err);
    (void)t;
    return st;
}

static ken_status copy_last(source *s, ken_store *to, const ken_tree_info *t, ken_err *err)
{
    (void)t;
    ken_status st = copy_notes(s, to, err);
    return st ? st : copy_clocks(s, to, err);
}

typedef ken_status step_fn(source *s, ken_store *to, const ken_tree_info *t, ken_err *err);

// One transaction in the copy. `t` NULL: of the first tree.
static ken_status run_step(source *s, const ken_store_opts *at, const ken_tree_info *t,
                           step_fn *step, ken_err *err)
{
    ken_store_opts opts = *at;
    ken_store *to = NULL;
    opts.tree = t ? t->project : (ken_uuid){ { 0 } };
    ken_status st = ken_store_open(&opts, &to, err);
    if (!st)
        st = ken_store_begin_write(to, err);
    if (!st) {
        st = step(s, to, t, err);
        if (st)
            ken_store_rollback(to);
        else
            st = ken_store_commit(to, err);
    }
    if (!st)
        st = ken_store_checkpoint(to, err);
    ken_store_close(to);
    return st;
}

ken_status ken_move_index(const ken_store_opts *from, const ken_store_opts *to,
                          const ken_move_job *job, ken_err *err)
{
    source s;
    ken_status st = open_source(from, job, &s, err);
    if (st)
        return st;
    st = gather(&s, err);
    if (!st)
        st = ken_store_erase(to, err);
    if (!st)
        st = run_step(&s, to, NULL, copy_first, err);
    for (size_t i = 0; !st && i < s.n_trees; i++)
        if (!s.trees[i].is_first)
            st = run_step(&s, to, &s.trees[i], copy_tree, err);
    if (!st)
        st = run_step(&s, to, NULL, copy_last, err);
    close_source(&s);
    return st;
}
