// SPDX-License-Identifier: MIT
// fuzz_mention -- a segment of names in an index that came from somebody else.
//
// Whatever its bytes are, it is refused with a reason, or every name can be looked up and the whole
// be joined into another.
#include <stdint.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "mention/mention.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    BLOCK = 512,
    MAX_INPUT = 1 << 18
};

static ken_status read_block(void *ctx, int64_t segment, uint32_t block, void *into, size_t *out_n,
                             ken_err *err)
{
    const ken_str *bytes = ctx;
    (void)segment;
    ken_str part = ken_str_sub(*bytes, (size_t)block * BLOCK, (size_t)(block + 1) * BLOCK);
    if (!part.len)
        return KEN_FAIL(err, KEN_ENOTFOUND, "no such block");
    memcpy(into, part.ptr, part.len);
    *out_n = part.len;
    return KEN_OK;
}

static void read_all(ken_mention_segment *s)
{
    uint32_t n = ken_mention_segment_n_contents(s);
    ken_mentions found = { 0 };
    ken_err err = { 0 };
    for (uint32_t i = 0; i < 64; i++) {
        ken_vec_clear(&found);
        ken_status st = ken_mention_find(s, i * 0x04000000U, &found, &err);
        KEN_ASSERT(!st || (st == KEN_ECORRUPT && err.msg[0]));
        for (size_t k = 0; k < found.len; k++)
            KEN_ASSERT(found.ptr[k] < n);
    }
    ken_vec_release(&found);
    bool *is_live = ken_zalloc((size_t)n + 1);
    for (uint32_t i = 0; i < n; i++)
        is_live[i] = i % 2;
    ken_buf out = KEN_BUF_INIT(0);
    ken_block_sink sink = ken_block_sink_of(&out, BLOCK);
    ken_mention_input input = { s, is_live, NULL };
    ken_status st = ken_mention_merge(&input, 1, &sink, &err);
    KEN_ASSERT(!st || (err.msg[0] && (st == KEN_ECORRUPT || st == KEN_ELIMIT)));
    ken_buf_release(&out);
    ken_free(is_live);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > MAX_INPUT)
        return 0;
    ken_str bytes = ken_str_n((const char *)data, size);
    ken_block_source source = { read_block, &bytes, 1, size, BLOCK };
    ken_mention_segment *s = NULL;
    ken_err err = { 0 };
    ken_status st = ken_mention_segment_open(&source, &s, &err);
    KEN_ASSERT(!st || (st == KEN_ECORRUPT && err.msg[0]) || st == KEN_ENOTFOUND);
    if (!st)
        read_all(s);
    ken_mention_segment_close(s);
    return 0;
}
