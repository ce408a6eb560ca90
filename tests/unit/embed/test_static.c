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
    uint32_t numbers[] = { 1, N_WORDS, DIMS }, reserved[2] = { 0 };
    float factors[4] = { 1, 0.5F, 0.25F, 0 };
    char name[32] = "made-64-1";
    put(m, "KENM", 4);
    put(m, numbers, sizeof numbers);
    put(m, name, sizeof name);
    put(m, factors, sizeof factors);
    put(m, reserved, sizeof reserved);
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
    ken_static_embed_path(m.model, KEN_STR("src/socket.c"), along);
    near(along[2], 1);
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

// Two chunks: one of "retry" four times that defines `backoff`, one of "socket".
KEN_TEST(a_chunk_is_its_text_its_names_and_its_file)
{
    made m;
    make(&m);
    ken_vocabulary voc = ken_static_vocabulary(m.model);
    ken_bags bags = { 0 };
    uint32_t retry = voc.find(voc.ctx, KEN_STR("retry")),
             backoff = voc.find(voc.ctx, KEN_STR("backoff")),
             socket = voc.find(voc.ctx, KEN_STR("socket"));
    ken_vec_push(&bags.words, ((ken_word_count){ retry, 4, 0 }));
    ken_vec_push(&bags.words, ((ken_word_count){ backoff, 0, 1 }));
    ken_vec_push(&bags.ends, 2);
    ken_vec_push(&bags.words, ((ken_word_count){ socket, 1, 0 }));
    ken_vec_push(&bags.ends, 3);
    ken_static_rows rows = { 0 };
    ken_static_embed_bags(m.model, &bags, &rows);
    kt_eq_u(rows.scales.len, 2);
    kt_eq_u(rows.values.len, (size_t)2 * DIMS);
    float file = 0.25F * sqrtf(0.5F);
    near(rows.scales.ptr[0] * (float)rows.values.ptr[0], 1 + file);
    near(rows.scales.ptr[0] * (float)rows.values.ptr[1], 0.5F);
    near(rows.scales.ptr[0] * (float)rows.values.ptr[2], file);
    near(rows.scales.ptr[1] * (float)rows.values.ptr[DIMS + 2], 1 + file);
    near(rows.scales.ptr[1] * (float)rows.values.ptr[DIMS + 1], 0);
    ken_bags_clear(&bags);
    ken_static_embed_bags(m.model, &bags, &rows); // a file without chunks
    kt_eq_u(rows.scales.len, 0);
    ken_static_rows_release(&rows);
    ken_bags_release(&bags);
    ken_static_close(m.model);
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
        { 0, 'X' }, { 4, 2 }, { 8, 0 }, { 11, 0xff }, { 12, 1 }, { 14, 9 }, { 51, 0x7f }
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
