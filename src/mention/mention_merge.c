// SPDX-License-Identifier: MIT
// Writing lists in order, and joining segments side by side: the lists of one hash, one behind the
// other, are the list of the joined segment.
#include "base/alloc.h"
#include "mention/mention_priv.h"

void ken_mention__writer_init(mention_writer *w, const ken_block_sink *sink)
{
    *w = (mention_writer){ 0 };
    ken_sections_writer_init(&w->out, sink, MENTION_SECTIONS);
}

void ken_mention__put_id(mention_writer *w, int64_t id)
{
    uint8_t bytes[MENTION_ID_BYTES];
    ken_put64(bytes, (uint64_t)id);
    ken_sections_put(&w->out, MENTION_CONTENTS, bytes, sizeof bytes);
    w->n_contents++;
}

static uint8_t *add_varint(uint8_t *to, uint32_t v)
{
    for (; v >= 0x80; v >>= 7)
        *to++ = (uint8_t)(v | 0x80);
    *to++ = (uint8_t)v;
    return to;
}

void ken_mention__put_list(mention_writer *w, uint32_t hash, uint32_t n, ken_str ordinals)
{
    if (w->n_names++ % MENTION_STRIDE == 0) {
        uint8_t entry[MENTION_ENTRY_BYTES];
        ken_put32(entry, hash);
        ken_put32(entry + 4, (uint32_t)w->out.len[MENTION_LISTS]);
        ken_sections_put(&w->out, MENTION_DIRECTORY, entry, sizeof entry);
        w->last_hash = hash;
    }
    uint8_t head[10], *to = add_varint(add_varint(head, hash - w->last_hash), n);
    ken_sections_put(&w->out, MENTION_LISTS, head, (size_t)(to - head));
    ken_sections_put(&w->out, MENTION_LISTS, ordinals.ptr, ordinals.len);
    w->last_hash = hash;
}

ken_status ken_mention__writer_end(mention_writer *w, ken_err *err)
{
    uint8_t head[MENTION_HEAD_BYTES];
    bool is_over = w->out.len[MENTION_LISTS] > UINT32_MAX;
    ken_put32(head + MENTION_AT_MAGIC, MENTION_MAGIC);
    ken_put32(head + MENTION_AT_FORMAT, MENTION_FORMAT);
    ken_put32(head + MENTION_AT_CONTENTS, w->n_contents);
    ken_put32(head + MENTION_AT_NAMES, w->n_names);
    ken_status st = ken_sections_writer_end(&w->out, head, sizeof head, err);
    if (st || !is_over)
        return st;
    return KEN_FAIL(err, KEN_ELIMIT, "a segment of %u names is too large", w->n_names);
}

// ---- merging -----------------------------------------------------------------------------------

typedef struct input {
    mention_walk walk;
    uint32_t *ordinals; // by ordinal in the input; UINT32_MAX = dead
    bool is_done;
} input;

static void put_ids(mention_writer *w, input *in, const ken_mention_input *from, size_t n)
{
    uint32_t ordinal = 0;
    for (size_t k = 0; k < n; k++) {
        uint32_t n_contents = ken_mention_segment_n_contents(from[k].segment);
        const int64_t *ids = ken_mention_segment_contents(from[k].segment);
        in[k].ordinals = ken_alloc(ken_mul_size(n_contents + (size_t)1, sizeof(uint32_t)));
        for (uint32_t i = 0; i < n_contents; i++) {
            bool is_live = !from[k].is_live || from[k].is_live[i];
            in[k].ordinals[i] = is_live ? ordinal++ : UINT32_MAX;
            if (is_live)
                ken_mention__put_id(w, from[k].ids ? from[k].ids[i] : ids[i]);
        }
    }
}

static ken_status step(input *in, ken_err *err)
{
    ken_status st = KEN_OK;
    in->is_done = !ken_mention__next(&in->walk, &st, err);
    return st;
}

// Appends the contents with the input's current name; returns how many.
static uint32_t add_list(const input *in, uint32_t *last, ken_buf *list)
{
    uint32_t n = 0;
    for (size_t i = 0; i < in->walk.ordinals.len; i++) {
        uint32_t ordinal = in->ordinals[in->walk.ordinals.ptr[i]];
        if (ordinal == UINT32_MAX)
            continue;
        ken_buf_put_varint(list, ordinal - *last);
        *last = ordinal;
        n++;
    }
    return n;
}

static ken_status put_lists(mention_writer *w, input *in, size_t n, ken_buf *list, ken_err *err)
{
    ken_status st = KEN_OK;
    for (size_t k = 0; k < n && !st; k++)
        st = step(&in[k], err);
    while (!st && !ken_sections_has_failed(&w->out)) {
        bool has_any = false;
        uint32_t least = UINT32_MAX, n_contents = 0, last = 0;
        for (size_t k = 0; k < n; k++) {
            if (in[k].is_done)
                continue;
            has_any = true;
            least = in[k].walk.hash < least ? in[k].walk.hash : least;
        }
        if (!has_any)
            break;
        ken_buf_clear(list);
        for (size_t k = 0; k < n && !st; k++) {
            if (in[k].is_done || in[k].walk.hash != least)
                continue;
            n_contents += add_list(&in[k], &last, list);
            st = step(&in[k], err);
        }
        if (n_contents)
            ken_mention__put_list(w, least, n_contents, ken_buf_str(list));
    }
    return st;
}

ken_status ken_mention_merge(const ken_mention_input *inputs, size_t n, const ken_block_sink *sink,
                             ken_err *err)
{
    mention_writer w;
    input *in = ken_zalloc(ken_mul_size(n + 1, sizeof *in));
    ken_buf list = KEN_BUF_INIT((size_t)1 << 30);
    ken_mention__writer_init(&w, sink);
    put_ids(&w, in, inputs, n);
    for (size_t k = 0; k < n; k++)
        in[k].walk.s = inputs[k].segment;
    ken_status st = put_lists(&w, in, n, &list, err);
    if (!st && list.is_over)
        st = KEN_FAIL(err, KEN_ENOMEM, "joining %zu segments of names", n);
    ken_status end = ken_mention__writer_end(&w, st ? NULL : err);
    for (size_t k = 0; k < n; k++) {
        ken_free(in[k].ordinals);
        ken_vec_release(&in[k].walk.ordinals);
    }
    ken_free(in);
    ken_buf_release(&list);
    return st ? st : end;
}
