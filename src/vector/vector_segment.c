// SPDX-License-Identifier: MIT
// A segment: header, contents, scales, values, each from a multiple of 64 bytes on.
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/vec.h"
#include "vector/vector.h"

enum {
    MAGIC = 0x43564e4b, // "KNVC"
    FORMAT = 1,
    HEADER_BYTES = 128,
    CONTENT_BYTES = 16,
    ALIGN = 64,
    MAX_ROWS = 1 << 28,
};

// Offsets in the header.
enum {
    AT_MAGIC = 0,
    AT_FORMAT = 4,
    AT_CONTENTS = 8,
    AT_ROWS = 12,
    AT_DIMS = 16,
    AT_NAME = 64
};

struct ken_vector_builder {
    ken_vector_model model;
    KEN_VEC(ken_vector_content) contents;
    KEN_VEC(int8_t) values;
    KEN_VEC(float) scales;
};

bool ken_vector_model_eq(const ken_vector_model *a, const ken_vector_model *b)
{
    return a->n_dims == b->n_dims && !strcmp(a->name, b->name);
}

static uint64_t aligned(uint64_t n)
{
    return (n + ALIGN - 1) / ALIGN * ALIGN;
}

// ---- building ----------------------------------------------------------------------------------

ken_vector_builder *ken_vector_builder_new(const ken_vector_model *model)
{
    ken_vector_builder *b = ken_zalloc(sizeof *b);
    b->model = *model;
    return b;
}

static void clear(ken_vector_builder *b)
{
    ken_vec_release(&b->contents);
    ken_vec_release(&b->values);
    ken_vec_release(&b->scales);
}

void ken_vector_builder_free(ken_vector_builder *b)
{
    if (!b)
        return;
    clear(b);
    ken_free(b);
}

void ken_vector_builder_add(ken_vector_builder *b, int64_t content, const int8_t *values,
                            const float *scales, uint32_t n)
{
    size_t n_values = ken_mul_size(n, b->model.n_dims);
    ken_vec_push(&b->contents, ((ken_vector_content){ content, (uint32_t)b->scales.len, n }));
    ken_vec_reserve(&b->values, b->values.len + n_values);
    ken_vec_reserve(&b->scales, b->scales.len + n);
    if (n) {
        memcpy(b->values.ptr + b->values.len, values, n_values);
        memcpy(b->scales.ptr + b->scales.len, scales, n * sizeof *scales);
    }
    b->values.len += n_values;
    b->scales.len += n;
}

size_t ken_vector_builder_bytes(const ken_vector_builder *b)
{
    return b->values.cap + b->scales.cap * sizeof *b->scales.ptr +
           b->contents.cap * sizeof *b->contents.ptr;
}

uint32_t ken_vector_builder_n_contents(const ken_vector_builder *b)
{
    return (uint32_t)b->contents.len;
}

int64_t ken_vector_builder_at(const ken_vector_builder *b, uint32_t i, const int8_t **out_values,
                              const float **out_scales, uint32_t *out_n)
{
    const ken_vector_content *c = &b->contents.ptr[i];
    *out_values = b->values.ptr + (size_t)c->first_row * b->model.n_dims;
    *out_scales = b->scales.ptr + c->first_row;
    *out_n = c->n_rows;
    return c->id;
}

const ken_vector_model *ken_vector_builder_model(const ken_vector_builder *b)
{
    return &b->model;
}

static void pad(ken_block_cutter *out)
{
    static const uint8_t zeros[ALIGN];
    ken_block_cutter_put(out, zeros, (size_t)(aligned(out->n_bytes) - out->n_bytes));
}

static void put_header(const ken_vector_model *model, uint32_t n_contents, uint32_t n_rows,
                       ken_block_cutter *out)
{
    uint8_t h[HEADER_BYTES] = { 0 };
    ken_put32(h + AT_MAGIC, MAGIC);
    ken_put32(h + AT_FORMAT, FORMAT);
    ken_put32(h + AT_CONTENTS, n_contents);
    ken_put32(h + AT_ROWS, n_rows);
    ken_put32(h + AT_DIMS, model->n_dims);
    memcpy(h + AT_NAME, model->name, sizeof model->name);
    ken_block_cutter_put(out, h, sizeof h);
}

static void put_content(int64_t id, uint32_t first_row, uint32_t n_rows, ken_block_cutter *out)
{
    uint8_t c[CONTENT_BYTES];
    ken_put64(c, (uint64_t)id);
    ken_put32(c + 8, first_row);
    ken_put32(c + 12, n_rows);
    ken_block_cutter_put(out, c, sizeof c);
}

static void put_scales(const float *scales, size_t n, ken_block_cutter *out)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t s[4];
        uint32_t bits;
        memcpy(&bits, &scales[i], sizeof bits);
        ken_put32(s, bits);
        ken_block_cutter_put(out, s, sizeof s);
    }
}

static ken_status end_segment(ken_block_cutter *out, uint64_t n_rows, ken_err *err)
{
    ken_status st = ken_block_cutter_end(out, err);
    if (st || n_rows <= MAX_ROWS)
        return st;
    return KEN_FAIL(err, KEN_ELIMIT, "a segment of %llu vectors is too large",
                    (unsigned long long)n_rows);
}

ken_status ken_vector_builder_finish(ken_vector_builder *b, const ken_block_sink *sink,
                                     ken_err *err)
{
    ken_block_cutter out;
    size_t n_rows = b->scales.len;
    ken_block_cutter_init(&out, sink);
    put_header(&b->model, (uint32_t)b->contents.len, (uint32_t)n_rows, &out);
    for (size_t i = 0; i < b->contents.len; i++)
        put_content(b->contents.ptr[i].id, b->contents.ptr[i].first_row, b->contents.ptr[i].n_rows,
                    &out);
    pad(&out);
    put_scales(b->scales.ptr, n_rows, &out);
    pad(&out);
    ken_block_cutter_put(&out, b->values.ptr, b->values.len);
    clear(b);
    return end_segment(&out, n_rows, err);
}

// ---- reading -----------------------------------------------------------------------------------

struct ken_vector_segment {
    ken_block_source source;
    ken_vector_model model;
    uint64_t values_at;
    uint32_t n_contents, n_rows;
    ken_vector_content *contents;
    float *scales;
    uint8_t *block; // the one read last
    uint32_t block_no;
    size_t block_len; // 0 = none yet
    KEN_VEC(int8_t) values;
};

static ken_status no_memory(uint32_t n, const char *what, ken_err *err)
{
    return KEN_FAIL(err, KEN_ENOMEM, "no memory for the %u %s of a vector segment", n, what);
}

static ken_status load_block(ken_vector_segment *s, uint32_t block, ken_err *err)
{
    if (s->block_len && s->block_no == block)
        return KEN_OK;
    s->block_len = 0;
    size_t n = 0;
    ken_status st = s->source.read(s->source.ctx, s->source.segment, block, s->block, &n, err);
    if (st)
        return st;
    uint64_t start = (uint64_t)block * s->source.block_bytes;
    uint64_t want = s->source.n_bytes - start;
    if (want > s->source.block_bytes)
        want = s->source.block_bytes;
    if (n != want)
        return KEN_FAIL(err, KEN_ECORRUPT, "block %u of a vector segment is cut short", block);
    s->block_no = block;
    s->block_len = n;
    return KEN_OK;
}

static ken_status read_at(ken_vector_segment *s, uint64_t at, void *into, size_t n, ken_err *err)
{
    uint8_t *to = into;
    if (at + n > s->source.n_bytes)
        return KEN_FAIL(err, KEN_ECORRUPT, "a vector segment is cut short");
    while (n) {
        ken_status st = load_block(s, (uint32_t)(at / s->source.block_bytes), err);
        if (st)
            return st;
        size_t from = at % s->source.block_bytes, part = s->block_len - from;
        if (part > n)
            part = n;
        memcpy(to, s->block + from, part);
        to += part;
        at += part;
        n -= part;
    }
    return KEN_OK;
}

// Fills in the numbers of the header, when they are possible in so many bytes.
static ken_status read_header(ken_vector_segment *s, uint64_t *out_scales_at, ken_err *err)
{
    uint8_t h[HEADER_BYTES] = { 0 };
    ken_status st = read_at(s, 0, h, sizeof h, err);
    if (st)
        return st;
    if (ken_get32(h + AT_MAGIC) != MAGIC || ken_get32(h + AT_FORMAT) != FORMAT)
        return KEN_FAIL(err, KEN_ECORRUPT, "not a vector segment of format %d", FORMAT);
    s->n_contents = ken_get32(h + AT_CONTENTS);
    s->n_rows = ken_get32(h + AT_ROWS);
    s->model.n_dims = ken_get32(h + AT_DIMS);
    memcpy(s->model.name, h + AT_NAME, KEN_VECTOR_MODEL_MAX);
    *out_scales_at = aligned(HEADER_BYTES + (uint64_t)s->n_contents * CONTENT_BYTES);
    s->values_at = aligned(*out_scales_at + (uint64_t)s->n_rows * sizeof(float));
    uint32_t n_dims = s->model.n_dims;
    if (!n_dims || n_dims % KEN_VECTOR_DIMS || n_dims > KEN_VECTOR_MAX_DIMS ||
        s->n_rows > MAX_ROWS || s->values_at + (uint64_t)s->n_rows * n_dims != s->source.n_bytes)
        return KEN_FAIL(err, KEN_ECORRUPT,
                        "a vector segment of %u rows, %u dimensions cannot have %llu bytes",
                        s->n_rows, n_dims, (unsigned long long)s->source.n_bytes);
    return KEN_OK;
}

static ken_status read_contents(ken_vector_segment *s, ken_err *err)
{
    s->contents = ken_try_alloc(ken_mul_size(s->n_contents + (size_t)1, sizeof *s->contents));
    if (!s->contents)
        return no_memory(s->n_contents, "contents", err);
    uint32_t row = 0;
    for (uint32_t i = 0; i < s->n_contents; i++) {
        uint8_t c[CONTENT_BYTES] = { 0 };
        ken_status st = read_at(s, HEADER_BYTES + (uint64_t)i * CONTENT_BYTES, c, sizeof c, err);
        if (st)
            return st;
        ken_vector_content *content = &s->contents[i];
        *content =
            (ken_vector_content){ (int64_t)ken_get64(c), ken_get32(c + 8), ken_get32(c + 12) };
        if (content->first_row != row || content->n_rows > s->n_rows - row)
            return KEN_FAIL(err, KEN_ECORRUPT, "a content of a vector segment is out of order");
        row += content->n_rows;
    }
    return KEN_OK;
}

static ken_status read_scales(ken_vector_segment *s, uint64_t at, ken_err *err)
{
    s->scales = ken_try_alloc(ken_mul_size(s->n_rows + (size_t)1, sizeof *s->scales));
    if (!s->scales)
        return no_memory(s->n_rows, "rows", err);
    ken_status st = read_at(s, at, s->scales, s->n_rows * sizeof *s->scales, err);
    for (uint32_t i = 0; i < s->n_rows && !st; i++) {
        uint8_t bytes[4];
        memcpy(bytes, &s->scales[i], sizeof bytes);
        uint32_t bits = ken_get32(bytes);
        memcpy(&s->scales[i], &bits, sizeof bits);
        if (!(s->scales[i] >= 0 && s->scales[i] < 1e6F))
            st = KEN_FAIL(err, KEN_ECORRUPT, "a vector has an impossible scale");
    }
    return st;
}

ken_status ken_vector_segment_open(const ken_block_source *source, ken_vector_segment **out,
                                   ken_err *err)
{
    ken_vector_segment *s = ken_zalloc(sizeof *s);
    s->source = *source;
    s->block = ken_alloc(source->block_bytes);
    uint64_t scales_at = 0;
    ken_status st = read_header(s, &scales_at, err);
    if (!st)
        st = read_contents(s, err);
    if (!st)
        st = read_scales(s, scales_at, err);
    if (st)
        ken_vector_segment_close(s);
    else
        *out = s;
    return st;
}

void ken_vector_segment_close(ken_vector_segment *s)
{
    if (!s)
        return;
    ken_free(s->contents);
    ken_free(s->scales);
    ken_free(s->block);
    ken_vec_release(&s->values);
    ken_free(s);
}

const ken_vector_model *ken_vector_segment_model(const ken_vector_segment *s)
{
    return &s->model;
}

const ken_vector_content *ken_vector_segment_contents(const ken_vector_segment *s, uint32_t *out_n)
{
    *out_n = s->n_contents;
    return s->contents;
}

ken_status ken_vector_segment_rows(ken_vector_segment *s, const ken_vector_content *c,
                                   const int8_t **out_values, const float **out_scales,
                                   ken_err *err)
{
    size_t n = ken_mul_size(c->n_rows, s->model.n_dims);
    int8_t *values = ken_vec_try_grow(s->values.ptr, &s->values.cap, n + 1, sizeof *values);
    if (!values)
        return no_memory(c->n_rows, "rows of a content", err);
    s->values.ptr = values;
    ken_status st =
        read_at(s, s->values_at + (uint64_t)c->first_row * s->model.n_dims, s->values.ptr, n, err);
    if (!st && memchr(s->values.ptr, (uint8_t)INT8_MIN, n)) // the kernels count on -127..127
        st = KEN_FAIL(err, KEN_ECORRUPT, "a vector has an impossible value");
    *out_values = s->values.ptr;
    *out_scales = s->scales + c->first_row;
    return st;
}

// ---- merging -----------------------------------------------------------------------------------

static bool is_live(const ken_vector_input *in, uint32_t i)
{
    return !in->is_live || in->is_live[i];
}

static ken_status put_values(const ken_vector_input *in, ken_block_cutter *out, ken_err *err)
{
    ken_status st = KEN_OK;
    for (uint32_t i = 0; i < in->segment->n_contents && !st; i++) {
        const ken_vector_content *c = &in->segment->contents[i];
        const int8_t *values = NULL;
        const float *scales = NULL;
        if (!is_live(in, i))
            continue;
        st = ken_vector_segment_rows(in->segment, c, &values, &scales, err);
        if (!st)
            ken_block_cutter_put(out, values, (size_t)c->n_rows * in->segment->model.n_dims);
    }
    return st;
}

ken_status ken_vector_merge(const ken_vector_input *inputs, size_t n, const ken_block_sink *sink,
                            ken_err *err)
{
    ken_block_cutter out;
    uint32_t n_contents = 0, row = 0;
    uint64_t n_rows = 0;
    for (size_t k = 0; k < n; k++) {
        for (uint32_t i = 0; i < inputs[k].segment->n_contents; i++) {
            n_contents += is_live(&inputs[k], i);
            n_rows += is_live(&inputs[k], i) ? inputs[k].segment->contents[i].n_rows : 0;
        }
    }
    if (n_rows > MAX_ROWS)
        return KEN_FAIL(err, KEN_ELIMIT, "a segment of %llu vectors is too large",
                        (unsigned long long)n_rows);
    ken_block_cutter_init(&out, sink);
    put_header(&inputs[0].segment->model, n_contents, (uint32_t)n_rows, &out);
    for (size_t k = 0; k < n; k++) {
        for (uint32_t i = 0; i < inputs[k].segment->n_contents; i++) {
            const ken_vector_content *c = &inputs[k].segment->contents[i];
            if (is_live(&inputs[k], i)) {
                put_content(inputs[k].ids ? inputs[k].ids[i] : c->id, row, c->n_rows, &out);
                row += c->n_rows;
            }
        }
    }
    pad(&out);
    for (size_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < inputs[k].segment->n_contents; i++)
            if (is_live(&inputs[k], i))
                put_scales(inputs[k].segment->scales + inputs[k].segment->contents[i].first_row,
                           inputs[k].segment->contents[i].n_rows, &out);
    pad(&out);
    ken_status st = KEN_OK;
    for (size_t k = 0; k < n && !st; k++)
        st = put_values(&inputs[k], &out, err);
    ken_status end = ken_block_cutter_end(&out, st ? NULL : err);
    return st ? st : end;
}
