// SPDX-License-Identifier: MIT
// The table is searched by the hash of a word: hashes are sorted and evenly spread, so the place
// is guessed from the value, and again from how far the guess is off.
#include "embed/embed_static.h"

#include <math.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/attr.h"
#include "base/hash.h"
#include "embed_builtin.h"
#include "simd/simd.h"
#include "token/token.h"

enum {
    HEADER_BYTES = 72,
    FORMAT = 2,
    MAX_WORDS = 1 << 20,
    NAME_BYTES = 32,
    ALIGN = 64,
    BAG_MAX = 4096, // distinct words of one bag; what follows is left out
};

// Weights of the parts of a chunk's vector, relative to its code.
enum {
    OF_COMMENTS,
    OF_NAMES,
    OF_OWNERS,
    OF_FILE,
    OF_FILE_NAME, // the last part of the path
    OF_FOLDER,    // what is before it
    FACTORS
};

struct ken_static_model {
    char name[NAME_BYTES + 1];
    uint32_t n_words, n_dims;
    float factors[FACTORS];
    const uint64_t *hashes; // ascending
    const float *scales;
    const int8_t *rows;
};

typedef struct header {
    char magic[4];
    uint32_t format, n_words, n_dims;
    char name[NAME_BYTES];
    float factors[FACTORS];
} header;

_Static_assert(sizeof(header) == HEADER_BYTES, "the header is written as it stands");

static size_t aligned(size_t n)
{
    return (n + ALIGN - 1) / ALIGN * ALIGN;
}

static bool are_factors(const float *f)
{
    for (int i = 0; i < FACTORS; i++)
        if (!(f[i] >= 0 && f[i] <= 10))
            return false;
    return true;
}

ken_status ken_static_open(ken_str bytes, ken_static_model **out, ken_err *err)
{
    header h;
    if (bytes.len < sizeof h)
        return KEN_FAIL(err, KEN_ECORRUPT, "a model of %zu bytes has no header", bytes.len);
    memcpy(&h, bytes.ptr, sizeof h);
    if (memcmp(h.magic, "KENM", 4) || h.format != FORMAT)
        return KEN_FAIL(err, KEN_ECORRUPT, "not a model of format %d", FORMAT);
    if (!h.n_words || h.n_words > MAX_WORDS || !h.n_dims || h.n_dims % 64 ||
        h.n_dims > KEN_SIMD_MAX_DIMS || !are_factors(h.factors))
        return KEN_FAIL(err, KEN_ECORRUPT, "a model of %u words and %u dimensions is not possible",
                        h.n_words, h.n_dims);
    size_t hashes = aligned(sizeof h), scales = aligned(hashes + h.n_words * sizeof(uint64_t)),
           rows = aligned(scales + h.n_words * sizeof(float)),
           end = rows + (size_t)h.n_words * h.n_dims;
    if (bytes.len < end)
        return KEN_FAIL(err, KEN_ECORRUPT, "a model of %zu bytes is cut short: %zu are needed",
                        bytes.len, end);
    ken_static_model *m = ken_zalloc(sizeof *m);
    memcpy(m->name, h.name, NAME_BYTES);
    m->n_words = h.n_words;
    m->n_dims = h.n_dims;
    memcpy(m->factors, h.factors, sizeof h.factors);
    m->hashes = (const uint64_t *)(const void *)(bytes.ptr + hashes);
    m->scales = (const float *)(const void *)(bytes.ptr + scales);
    m->rows = (const int8_t *)(const void *)(bytes.ptr + rows);
    *out = m;
    return KEN_OK;
}

static ken_static_model *builtin;

KEN_CONSTRUCTOR static void open_builtin(void)
{
    const ken_embed_file *f = &ken_embed_builtin_table[0];
    ken_status st = ken_static_open(ken_str_n((const char *)f->data, f->len), &builtin, NULL);
    KEN_ASSERT(st == KEN_OK);
}

void ken_static_close(ken_static_model *m)
{
    ken_free(m);
}

const char *ken_static_name(const ken_static_model *m)
{
    return m->name;
}

uint32_t ken_static_n_dims(const ken_static_model *m)
{
    return m->n_dims;
}

const ken_static_model *ken_static_builtin(void)
{
    return builtin;
}

// ---- words -------------------------------------------------------------------------------------

// Moves `at` by the number of words that an even spread has between its hash and `hash`.
static uint32_t approach(const ken_static_model *m, uint32_t at, uint64_t hash)
{
    uint64_t there = m->hashes[at];
    bool is_below = there < hash;
    uint64_t gap = is_below ? hash - there : there - hash;
    uint32_t step = (uint32_t)((gap >> 32) * m->n_words >> 32);
    if (is_below)
        return step < m->n_words - at ? at + step : m->n_words - 1;
    return step < at ? at - step : 0;
}

static uint32_t find(const void *ctx, ken_str word)
{
    const ken_static_model *m = ctx;
    uint64_t hash = ken_hash_str(word);
    uint32_t at = (uint32_t)((hash >> 32) * m->n_words >> 32);
    at = approach(m, at, hash);
    at = approach(m, at, hash);
    while (at && m->hashes[at] > hash)
        at--;
    while (at + 1 < m->n_words && m->hashes[at] < hash)
        at++;
    return m->hashes[at] == hash ? at : KEN_WORD_NONE;
}

ken_vocabulary ken_static_vocabulary(const ken_static_model *m)
{
    return (ken_vocabulary){ find, m, m->n_words };
}

// ---- bags --------------------------------------------------------------------------------------

typedef struct bag {
    uint32_t rows[BAG_MAX];
    float weights[BAG_MAX];
    size_t n;
} bag;

// Rows lie anywhere in the table: each is asked for when its word is put, to be near when all are
// added up.
static void put(const ken_static_model *m, bag *b, uint32_t word, float g)
{
    if (b->n == BAG_MAX)
        return;
    const int8_t *row = m->rows + (size_t)word * m->n_dims;
    for (uint32_t d = 0; d < m->n_dims; d += ALIGN)
        KEN_PREFETCH(row + d);
    b->rows[b->n] = word;
    b->weights[b->n++] = g * m->scales[word];
}

static bool has_word(const bag *b, uint32_t word)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->rows[i] == word)
            return true;
    return false;
}

// Writes the direction of the weighted sum; false and zeros when there is none.
static bool direction(const ken_static_model *m, const bag *b, float *out)
{
    const ken_simd_ops *simd = ken_simd();
    simd->bag_i8(m->rows, m->n_dims, b->rows, b->weights, b->n, out);
    float square = simd->dot_f32(out, out, m->n_dims);
    float factor = square > 0 ? 1 / sqrtf(square) : 0;
    ken_simd_scale(out, factor, m->n_dims);
    return square > 0;
}

enum {
    TEXT_WORDS_MAX = 256 // of a question or a path
};

bool ken_static_embed_words(const ken_static_model *m, ken_str text, float *out)
{
    bag b;
    b.n = 0;
    ken_str token;
    ken_token_parts parts;
    while (b.n < TEXT_WORDS_MAX && ken_token_next(&text, &token)) {
        ken_token_split(token, &parts);
        for (uint32_t i = 0; i < parts.n_parts; i++) {
            uint32_t word = find(m, ken_str_n(parts.text + parts.part[i].start, parts.part[i].len));
            if (word != KEN_WORD_NONE && !has_word(&b, word))
                put(m, &b, word, 1);
        }
    }
    return direction(m, &b, out);
}

void ken_static_folders_init(ken_static_folders *f)
{
    *f = (ken_static_folders){ 0 };
    ken_map_init(&f->by_path);
}

void ken_static_folders_release(ken_static_folders *f)
{
    ken_map_release(&f->by_path);
    ken_vec_release(&f->vectors);
}

// `scratch` has n_dims places.
static const float *folder_vector(const ken_static_model *m, ken_str path, ken_static_folders *all,
                                  float *scratch)
{
    bool is_new = true;
    size_t at = 0;
    if (all)
        at = *ken_map_put(&all->by_path, path, all->vectors.len, &is_new);
    if (!is_new)
        return all->vectors.ptr + at;
    (void)ken_static_embed_words(m, path, scratch);
    if (!all)
        return scratch;
    ken_vec_reserve(&all->vectors, at + m->n_dims);
    all->vectors.len = at + m->n_dims;
    return memcpy(all->vectors.ptr + at, scratch, m->n_dims * sizeof *scratch);
}

void ken_static_embed_path(const ken_static_model *m, ken_str path, ken_static_folders *folders,
                           float *out)
{
    size_t slash = ken_str_rfind_char(path, '/'), name = slash == SIZE_MAX ? 0 : slash + 1;
    float scratch[KEN_SIMD_MAX_DIMS];
    (void)ken_static_embed_words(m, ken_str_sub(path, name, path.len), out);
    const float *folder = folder_vector(m, ken_str_sub(path, 0, name), folders, scratch);
    ken_simd_scale(out, m->factors[OF_FILE_NAME], m->n_dims);
    ken_simd_add(out, m->factors[OF_FOLDER], folder, m->n_dims);
}

// ---- files -------------------------------------------------------------------------------------

static float root_of(uint16_t n)
{
    static const float roots[] = { 0,        1,         1.414214F, 1.732051F, 2,        2.236068F,
                                   2.44949F, 2.645751F, 2.828427F, 3,         3.162278F };
    return n < sizeof roots / sizeof *roots ? roots[n] : sqrtf(n);
}

typedef struct words { // of one chunk
    const ken_word_count *ptr;
    size_t n;
} words;

// Adds the direction of one bag of a chunk to `base`; `scratch` has n_dims places.
static void add_bag(const ken_static_model *m, words w, ken_bag which, float factor, float *base,
                    float *scratch)
{
    bag b;
    b.n = 0;
    for (size_t i = 0; i < w.n; i++)
        if (w.ptr[i].n[which])
            put(m, &b, w.ptr[i].word, root_of(w.ptr[i].n[which]));
    if (b.n && direction(m, &b, scratch))
        ken_simd_add(base, factor, scratch, m->n_dims);
}

// Writes each chunk's own vector, and their sum behind them.
static void embed_chunks(const ken_static_model *m, const ken_bags *bags, float *bases)
{
    size_t n = bags->ends.len, from = 0, n_dims = m->n_dims;
    float *sum = bases + n * n_dims, *scratch = sum + n_dims;
    memset(bases, 0, (n + 1) * n_dims * sizeof *bases);
    for (size_t c = 0; c < n; c++) {
        size_t n_words = bags->ends.ptr[c] - from;
        words w = { n_words ? bags->words.ptr + from : NULL, n_words };
        float *base = bases + c * n_dims;
        add_bag(m, w, KEN_BAG_CODE, 1, base, scratch);
        add_bag(m, w, KEN_BAG_COMMENT, m->factors[OF_COMMENTS], base, scratch);
        add_bag(m, w, KEN_BAG_NAME, m->factors[OF_NAMES], base, scratch);
        ken_simd_add(sum, 1, base, m->n_dims);
        add_bag(m, w, KEN_BAG_OWNER, m->factors[OF_OWNERS], base, scratch);
        from = bags->ends.ptr[c];
    }
}

void ken_static_embed_bags(const ken_static_model *m, const ken_bags *bags, ken_static_rows *out)
{
    const ken_simd_ops *simd = ken_simd();
    size_t n = bags->ends.len, n_dims = m->n_dims;
    out->values.len = n * n_dims;
    out->scales.len = n;
    ken_vec_reserve(&out->values, n * n_dims);
    ken_vec_reserve(&out->scales, n);
    ken_vec_reserve(&out->scratch, (n + 2) * n_dims);
    float *bases = out->scratch.ptr, *sum = bases + n * n_dims;
    if (!n)
        return;
    embed_chunks(m, bags, bases);
    float square = simd->dot_f32(sum, sum, n_dims);
    float factor = square > 0 ? m->factors[OF_FILE] / sqrtf(square) : 0;
    for (size_t c = 0; c < n; c++) {
        float *base = bases + c * n_dims;
        ken_simd_add(base, factor, sum, m->n_dims);
        out->scales.ptr[c] = simd->quantise(base, n_dims, out->values.ptr + c * n_dims);
    }
}

void ken_static_embed_titled(const ken_static_model *m, const ken_bags *bags, float title_factor,
                             ken_static_rows *out)
{
    words w = { bags->words.ptr, bags->words.len };
    float row[KEN_SIMD_MAX_DIMS] = { 0 }, scratch[KEN_SIMD_MAX_DIMS];
    out->values.len = m->n_dims;
    out->scales.len = 1;
    ken_vec_reserve(&out->values, m->n_dims);
    ken_vec_reserve(&out->scales, 1);
    add_bag(m, w, KEN_BAG_CODE, 1, row, scratch);
    add_bag(m, w, KEN_BAG_NAME, title_factor, row, scratch);
    out->scales.ptr[0] = ken_simd()->quantise(row, m->n_dims, out->values.ptr);
}

void ken_static_rows_release(ken_static_rows *rows)
{
    ken_vec_release(&rows->values);
    ken_vec_release(&rows->scales);
    ken_vec_release(&rows->scratch);
}
