// SPDX-License-Identifier: MIT
// What upkeep of segments writes, and how many it leaves, on stores of any size: the words, names and
// vectors of contents that nobody has read from a file.
#include <stdio.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "index/index_priv.h"
#include "ktest.h"

enum {
    TERMS = 40,  // of a content
    WORDS = 5000 // there are
};

typedef struct bed {
    ken_store *store;
    ken_lex_builder *words;
    ken_mention_builder *mentions;
    ken_vector_builder *vectors;
    KEN_VEC(int64_t) alive;
    int64_t next;
    uint64_t written; // bytes of all segments there ever were
    int64_t seen;     // the last segment counted
    size_t n_most;    // of any kind, after upkeep
} bed;

static ken_err err;

static const ken_segment_kind kinds[] = { KEN_SEGMENT_WORDS, KEN_SEGMENT_MENTIONS,
                                          KEN_SEGMENT_VECTORS };

static void open_bed(bed *b)
{
    ken_store_opts opts = { .path = ktest_path("segments.db") };
    ken_vector_model model = ken_index__builtin_model();
    *b = (bed){ .words = ken_lex_builder_new(), .mentions = ken_mention_builder_new(), .next = 1 };
    b->vectors = ken_vector_builder_new(&model);
    kt_ok_err(ken_store_open(&opts, &b->store, &err), &err);
}

static void close_bed(bed *b)
{
    ken_lex_builder_free(b->words);
    ken_mention_builder_free(b->mentions);
    ken_vector_builder_free(b->vectors);
    ken_vec_release(&b->alive);
    ken_store_close(b->store);
}

// A content of one chunk, with words that its number says.
static void add_content(bed *b)
{
    int8_t values[KEN_VECTOR_MAX_DIMS];
    float scale = 1;
    ken_lex_doc doc = { .n_chunks = 1 };
    uint32_t hashes[TERMS];
    char name[32];
    int64_t id = b->next++;
    for (int f = 0; f < KEN_FIELD_COUNT; f++)
        ken_vec_push(&doc.lens, TERMS);
    for (uint32_t i = 0; i < TERMS; i++) {
        uint64_t seed[2] = { (uint64_t)id, i };
        uint64_t word = ken_hash64(seed, sizeof seed) % WORDS;
        hashes[i] = (uint32_t)ken_hash64(&word, sizeof word);
        ken_posting p = { .key = (uint64_t)hashes[i] << 32, .tf = { 1, 0, 0 } };
        ken_vec_push(&doc.postings, p);
    }
    snprintf(name, sizeof name, "name_of_%lld", (long long)id);
    ken_symbol symbol = { .name = ken_str_c(name), .kind = KEN_SYMBOL_FUNCTION, .parent = -1 };
    ken_lex_builder_add(b->words, id, &doc, &symbol, 1);
    ken_mention_builder_add(b->mentions, id, hashes, TERMS);
    uint32_t n_dims = ken_index__builtin_model().n_dims;
    for (uint32_t d = 0; d < n_dims; d++)
        values[d] = (int8_t)((id * 31 + d * 7) % 255 - 127);
    ken_vector_builder_add(b->vectors, id, values, &scale, 1);
    ken_lex_doc_release(&doc);
    ken_vec_push(&b->alive, id);
}

static size_t list(bed *b, ken_segment_kind kind, ken_arena *arena, ken_segment_info **out)
{
    size_t n;
    kt_ok_err(ken_store_list_segments(b->store, kind, arena, out, &n, &err), &err);
    return n;
}

// Adds the bytes of the segments that are new since the last call.
static void count_written(bed *b)
{
    ken_arena arena;
    int64_t last = b->seen;
    ken_arena_init(&arena, 0);
    for (int k = 0; k < 3; k++) {
        ken_segment_info *infos;
        size_t n = list(b, kinds[k], &arena, &infos);
        for (size_t i = 0; i < n; i++) {
            if (infos[i].id > b->seen)
                b->written += infos[i].n_bytes;
            last = infos[i].id > last ? infos[i].id : last;
        }
    }
    b->seen = last;
    ken_arena_release(&arena);
}

// What is in the builders becomes segments; `with_upkeep`: as at the end of a run.
static void commit(bed *b, bool with_upkeep)
{
    kt_ok_err(ken_store_begin_write(b->store, &err), &err);
    kt_ok_err(ken_index__flush_words(b->store, b->words, 1, &err), &err);
    kt_ok_err(ken_index__flush_mentions(b->store, b->mentions, &err), &err);
    kt_ok_err(ken_index__flush_vectors(b->store, b->vectors, &err), &err);
    count_written(b);
    if (with_upkeep) {
        index_alive alive = { .ids = b->alive.ptr, .n = b->alive.len };
        kt_ok_err(ken_index__tidy(b->store, &alive, UINT64_MAX, &err), &err);
        count_written(b);
    }
    kt_ok_err(ken_store_commit(b->store, &err), &err);
    ken_arena arena;
    ken_arena_init(&arena, 0);
    for (int k = 0; k < 3 && with_upkeep; k++) {
        ken_segment_info *infos;
        size_t n = list(b, kinds[k], &arena, &infos);
        b->n_most = n > b->n_most ? n : b->n_most;
    }
    ken_arena_release(&arena);
}

static uint64_t contents_of(bed *b, ken_segment_kind kind, uint64_t *out_bytes)
{
    ken_arena arena;
    ken_segment_info *infos;
    uint64_t sum = 0;
    *out_bytes = 0;
    ken_arena_init(&arena, 0);
    size_t n = list(b, kind, &arena, &infos);
    for (size_t i = 0; i < n; i++) {
        sum += infos[i].n_contents;
        *out_bytes += infos[i].n_bytes;
    }
    ken_arena_release(&arena);
    return sum;
}

// The file at hand gets a new content, the one before is dead.
static void change(bed *b, size_t file)
{
    memmove(b->alive.ptr + file, b->alive.ptr + file + 1,
            (b->alive.len - file - 1) * sizeof *b->alive.ptr);
    b->alive.len--;
    add_content(b);
}

static void change_again_and_again(uint32_t n_contents, uint32_t n_flushes, uint32_t n_changes)
{
    bed b;
    open_bed(&b);
    for (uint32_t f = 0; f < n_flushes; f++) {
        for (uint32_t i = 0; i < n_contents / n_flushes; i++)
            add_content(&b);
        commit(&b, f + 1 == n_flushes);
    }
    uint64_t whole = b.written, bytes;
    b.written = 0;
    b.n_most = 0;
    for (uint32_t i = 0; i < n_changes; i++) {
        change(&b, (i * 7919) % b.alive.len);
        commit(&b, true);
    }
    // Each content is written once and rewritten at most log(whole / one) / log(4 / 3) times; and
    // there are few of them when the smallest segments are joined with each other.
    uint64_t one = whole / n_contents;
    kt_true(b.written < n_changes * (one + 2048) * 30);
    kt_true(b.n_most <= 8);
    for (int k = 0; k < 3; k++)
        kt_true(contents_of(&b, kinds[k], &bytes) >= b.alive.len);
    close_bed(&b);
}

KEN_TEST(small_changes_write_little_in_a_large_index)
{
    change_again_and_again(20000, 15, 500); // many segments of one size, as a first run leaves them
}

KEN_TEST(small_changes_write_little_in_a_small_index)
{
    change_again_and_again(200, 1, 300);
}

KEN_TEST(one_file_changed_for_ever_leaves_little_behind)
{
    bed b;
    uint64_t bytes;
    open_bed(&b);
    for (int i = 0; i < 100; i++)
        add_content(&b);
    commit(&b, true);
    for (int i = 0; i < 400; i++) {
        change(&b, b.alive.len - 1);
        commit(&b, true);
    }
    for (int k = 0; k < 3; k++)
        kt_true(contents_of(&b, kinds[k], &bytes) < 200);
    close_bed(&b);
}

KEN_TEST(what_is_dead_is_left_out_segment_by_segment)
{
    bed b;
    uint64_t bytes, before;
    open_bed(&b);
    for (int part = 0; part < 4; part++) {
        for (int i = 0; i < 3000; i++)
            add_content(&b);
        commit(&b, false);
    }
    contents_of(&b, KEN_SEGMENT_WORDS, &before);
    b.alive.len -= 5000; // the last segment is all dead, the third nearly
    commit(&b, true);
    for (int k = 0; k < 3; k++)
        kt_eq_u(contents_of(&b, kinds[k], &bytes), b.alive.len);
    contents_of(&b, KEN_SEGMENT_WORDS, &bytes);
    kt_true(bytes < before * 2 / 3);
    close_bed(&b);
}

// ---- the plan ----------------------------------------------------------------------------------

KEN_TEST(a_plan_takes_whatever_is_near_in_size)
{
    static const uint64_t few[] = { 900, 5, 4 };
    kt_eq_u(ken_index__plan_join(few, 3, 8), 3); // nothing to do
    const uint64_t mb = 1 << 20;
    const uint64_t tail[] = { 4000 * mb, 600 * mb, 100 * mb, 5 * mb, 4 * mb, 3 * mb, mb, mb, mb };
    kt_eq_u(ken_index__plan_join(tail, 9, 8),
            3); // 5 MB and below; 100 MB is far more than three times
    const uint64_t same[] = { mb, mb, mb, mb, mb, mb, mb, mb, mb };
    kt_eq_u(ken_index__plan_join(same, 9, 8), 0);
    const uint64_t steep[] = { 1 << 30, 1 << 28, 1 << 25, 1 << 22, 1 << 19 };
    kt_eq_u(ken_index__plan_join(steep, 5, 4), 3); // there must be one less: the two smallest
}

// From one content to millions: never more than there may be, and no byte written too often.
KEN_TEST(a_plan_keeps_few_segments_at_any_size)
{
    enum {
        MOST = 8,
        STEPS = 200000,
        ONE = 20000 // bytes of a change
    };
    uint64_t sizes[MOST + 2] = { 0 }, written = 0;
    size_t n = 0;
    for (int step = 0; step < STEPS; step++) {
        sizes[n++] = ONE;
        written += ONE;
        size_t first = ken_index__plan_join(sizes, n, MOST);
        for (size_t i = first + 1; i < n; i++)
            sizes[first] += sizes[i];
        if (first < n) {
            written += sizes[first];
            n = first + 1;
        }
        kt_true(n <= MOST);
        for (size_t i = n - 1; i && sizes[i] > sizes[i - 1]; i--) { // largest first
            uint64_t swap = sizes[i];
            sizes[i] = sizes[i - 1];
            sizes[i - 1] = swap;
        }
    }
    kt_true(written < (uint64_t)STEPS * ONE * 30);
}
