// SPDX-License-Identifier: MIT
// The built-in model: its file, its words, and what vectors are made of.
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "embed/embed_static.h"
#include "ktest.h"

enum {
    DIMS = 64,
    N_WORDS = 5,
};

static const char *const words[N_WORDS] = { "retry", "backoff", "socket", "parse", "utf" };

// A model in which word i points along dimension i, as models/README.md lays it out.
typedef struct made {
    _Alignas(64) unsigned char bytes[1024];
    size_t len;
    ken_static_model *model;
} made;

static int by_hash(const void *a, const void *b)
{
    uint64_t x = ken_hash_str(ken_str_c(*(const char *const *)a));
    uint64_t y = ken_hash_str(ken_str_c(*(const char *const *)b));
    return (x > y) - (x < y);
}

static void pad(made *m)
{
    while (m->len % 64)
        m->bytes[m->len++] = 0;
}

static void put(made *m, const void *p, size_t n)
{
    memcpy(m->bytes + m->len, p, n);
    m->len += n;
}

static void make(made *m)
{
    const char *sorted[N_WORDS];
    memset(m, 0, sizeof *m);
    memcpy(sorted, words, sizeof words);
    qsort(sorted, N_WORDS, sizeof *sorted, by_hash);
    uint32_t numbers[] = { 2, N_WORDS, DIMS };
    float factors[6] = { 0.75F, 0.5F, 0.4F, 0.25F, 1, 0.6F };
    char name[32] = "made-64-1";
    put(m, "KENM", 4);
    put(m, numbers, sizeof numbers);
    put(m, name, sizeof name);
    put(m, factors, sizeof factors);
    pad(m);
    for (int i = 0; i < N_WORDS; i++) {
        uint64_t hash = ken_hash_str(ken_str_c(sorted[i]));
        put(m, &hash, sizeof hash);
    }
    pad(m);
    for (int i = 0; i < N_WORDS; i++) {
        float scale = 1.0F / 127;
        put(m, &scale, sizeof scale);
    }
    pad(m);
    for (int i = 0; i < N_WORDS; i++)
        for (int w = 0; w < N_WORDS; w++)
            if (sorted[i] == words[w])
                m->bytes[m->len + (size_t)i * DIMS + (size_t)w] = 127;
    m->len += (size_t)N_WORDS * DIMS;
    kt_ok(ken_static_open(ken_str_n((const char *)m->bytes, m->len), &m->model, NULL));
}

static void near(float got, float want)
{
    if (fabsf(got - want) > 0.01F)
        kt_fail("%f is not %f", (double)got, (double)want);
}

KEN_TEST(a_model_says_what_it_is)
{
    made m;
    make(&m);
    kt_eq_u(ken_static_n_dims(m.model), DIMS);
    kt_eq_text(ken_str_c(ken_static_name(m.model)), "made-64-1");
    float along[DIMS];
    ken_static_embed_path(m.model, KEN_STR("src/socket.c"), NULL, along);
    near(along[2], 1);
    ken_static_close(m.model);
}

KEN_TEST(a_path_is_the_name_of_its_file_and_its_folder)
{
    made m;
    make(&m);
    float along[DIMS];
    ken_static_embed_path(m.model, KEN_STR("retry/backoff/socket.c"), NULL, along);
    near(along[0], 0.6F * sqrtf(0.5F));
    near(along[1], 0.6F * sqrtf(0.5F));
    near(along[2], 1);
    ken_static_embed_path(m.model, KEN_STR("parse"), NULL, along);
    near(along[3], 1);
    near(along[2], 0);
    ken_static_close(m.model);
}

KEN_TEST(each_known_word_is_found_and_no_other)
{
    made m;
    make(&m);
    ken_vocabulary v = ken_static_vocabulary(m.model);
    bool seen[N_WORDS] = { false };
    kt_eq_u(v.n_words, N_WORDS);
    for (int i = 0; i < N_WORDS; i++) {
        uint32_t at = v.find(v.ctx, ken_str_c(words[i]));
        kt_true(at < N_WORDS && !seen[at]);
        seen[at] = true;
    }
    kt_true(v.find(v.ctx, KEN_STR("retries")) == KEN_WORD_NONE);
    kt_true(v.find(v.ctx, KEN_STR("")) == KEN_WORD_NONE);
    ken_static_close(m.model);
}

KEN_TEST(a_question_is_the_direction_of_its_words)
{
    made m;
    make(&m);
    float v[DIMS];
    kt_true(ken_static_embed_words(m.model, KEN_STR("retrySocket and retry_socket"), v));
    near(v[0], sqrtf(0.5F));
    near(v[2], sqrtf(0.5F));
    near(v[1], 0);
    kt_false(ken_static_embed_words(m.model, KEN_STR("nothing known, ever"), v));
    near(v[0], 0);
    kt_false(ken_static_embed_words(m.model, KEN_STR(""), v));
    ken_static_close(m.model);
}

typedef struct two_chunks {
    made m;
    ken_static_rows rows;
} two_chunks;

static float value_of(const two_chunks *t, size_t chunk, size_t dim)
{
    return t->rows.scales.ptr[chunk] * (float)t->rows.values.ptr[chunk * DIMS + dim];
}

static void count_in(ken_bags *bags, const ken_static_model *m, const char *word, ken_bag bag,
                     uint16_t n)
{
    ken_vocabulary v = ken_static_vocabulary(m);
    ken_word_count c = { .word = v.find(v.ctx, ken_str_c(word)) };
    c.n[bag] = n;
    ken_vec_push(&bags->words, c);
}

// The first says "retry" four times and defines `backoff`; the second belongs to `utf` and has
// "socket" in a comment.
static void embed_two(two_chunks *t)
{
    ken_bags bags = { 0 };
    *t = (two_chunks){ 0 };
    make(&t->m);
    count_in(&bags, t->m.model, "retry", KEN_BAG_CODE, 4);
    count_in(&bags, t->m.model, "backoff", KEN_BAG_NAME, 1);
    ken_vec_push(&bags.ends, 2);
    count_in(&bags, t->m.model, "socket", KEN_BAG_COMMENT, 1);
    count_in(&bags, t->m.model, "utf", KEN_BAG_OWNER, 1);
    ken_vec_push(&bags.ends, 4);
    ken_static_embed_bags(t->m.model, &bags, &t->rows);
    kt_eq_u(t->rows.scales.len, 2);
    kt_eq_u(t->rows.values.len, (size_t)2 * DIMS);
    ken_bags_release(&bags);
}

static void release_two(two_chunks *t)
{
    ken_static_rows_release(&t->rows);
    ken_static_close(t->m.model);
}

KEN_TEST(a_chunk_is_its_code_its_comments_and_its_names)
{
    two_chunks t;
    embed_two(&t);
    near(value_of(&t, 0, 3), 0);
    near(value_of(&t, 0, 0) - value_of(&t, 1, 0), 1); // once, however often; less the file's share
    near(value_of(&t, 0, 1) - value_of(&t, 1, 1), 0.5F);
    near(value_of(&t, 1, 2) - value_of(&t, 0, 2), 0.75F);
    near(value_of(&t, 1, 4), 0.4F);
    near(value_of(&t, 0, 4), 0); // who owns one chunk says nothing of the others
    release_two(&t);
}

KEN_TEST(a_chunk_has_a_share_of_its_whole_file)
{
    two_chunks t;
    embed_two(&t);
    float length = sqrtf(1 + 0.25F + 0.75F * 0.75F); // of code, names and comments together
    near(value_of(&t, 1, 0), 0.25F / length);
    near(value_of(&t, 1, 1), 0.25F * 0.5F / length);
    near(value_of(&t, 0, 2), 0.25F * 0.75F / length);
    ken_bags none = { 0 };
    ken_static_embed_bags(t.m.model, &none, &t.rows); // a file without chunks
    kt_eq_u(t.rows.scales.len, 0);
    release_two(&t);
}

KEN_TEST(damaged_models_are_refused)
{
    made m;
    make(&m);
    ken_static_close(m.model);
    ken_static_model *got = NULL;
    for (size_t len = 0; len < m.len; len += 13)
        kt_eq_i(ken_static_open(ken_str_n((const char *)m.bytes, len), &got, NULL), KEN_ECORRUPT);
    static const struct {
        size_t at;
        unsigned char value;
    } damage[] = {
        { 0, 'X' }, { 4, 1 }, { 8, 0 }, { 11, 0xff }, { 12, 1 }, { 14, 9 }, { 51, 0x7f }
    };
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        made copy = m;
        copy.bytes[damage[i].at] = damage[i].value;
        kt_eq_i(ken_static_open(ken_str_n((const char *)copy.bytes, copy.len), &got, NULL),
                KEN_ECORRUPT);
    }
}

KEN_TEST(the_model_compiled_in_knows_the_words_of_programs)
{
    const ken_static_model *m = ken_static_builtin();
    float v[4096];
    kt_true(ken_static_n_dims(m) >= 64);
    kt_true(ken_static_embed_words(m, KEN_STR("where are failed requests sent again"), v));
}

KEN_TEST(a_titled_text_is_its_text_and_its_title)
{
    two_chunks t = { 0 };
    ken_bags bags = { 0 };
    make(&t.m);
    count_in(&bags, t.m.model, "retry", KEN_BAG_CODE, 4);
    count_in(&bags, t.m.model, "socket", KEN_BAG_NAME, 1);
    ken_vec_push(&bags.ends, 2);
    ken_static_embed_titled(t.m.model, &bags, 0.5F, &t.rows);
    kt_eq_u(t.rows.scales.len, 1);
    near(value_of(&t, 0, 0), 1);
    near(value_of(&t, 0, 2), 0.5F);
    near(value_of(&t, 0, 1), 0);
    ken_bags_release(&bags);
    release_two(&t);
}
