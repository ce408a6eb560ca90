// SPDX-License-Identifier: MIT
// fuzz_tokenizer -- a tokenizer.json that came with somebody else's model. The first byte says what
// the harness writes around the input: 1 = the input is only the vocabulary, 2 = only the normalizer.
// What is accepted cuts any text into numbers that its vocabulary has.
#include <stdint.h>

#include "base/assert.h"
#include "base/buf.h"
#include "embed/embed_token.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    MAX = 64
};

#define SPECIALS "\"[PAD]\":0,\"[UNK]\":1,\"[CLS]\":2,\"[SEP]\":3"
#define CUTTER   "\"pre_tokenizer\":{\"type\":\"BertPreTokenizer\"}"

static void check_run(const ken_wordpiece *t, ken_str text)
{
    int64_t ids[MAX];
    for (size_t max = 2; max <= MAX; max += 31) {
        size_t n = ken_wordpiece_run(t, text, ids, max);
        KEN_ASSERT(n >= 2 && n <= max);
        for (size_t i = 0; i < n; i++)
            KEN_ASSERT(ids[i] >= 0 && (size_t)ids[i] < ken_wordpiece_size(t));
    }
    KEN_ASSERT(ken_wordpiece_pad(t) >= 0 && (size_t)ken_wordpiece_pad(t) < ken_wordpiece_size(t));
}

static void put_file(unsigned flags, ken_str input, ken_buf *out)
{
    if (flags & 1) {
        ken_buf_puts(out, "{\"model\":{\"type\":\"WordPiece\",\"vocab\":{" SPECIALS ",");
        ken_buf_put_str(out, input);
        ken_buf_puts(out, "}},\"normalizer\":{\"type\":\"BertNormalizer\"}," CUTTER "}");
    } else if (flags & 2) {
        ken_buf_puts(out, "{\"model\":{\"vocab\":{" SPECIALS ",\"a\":4,\"##b\":5}}," CUTTER
                          ",\"normalizer\":{\"type\":\"BertNormalizer\",");
        ken_buf_put_str(out, input);
        ken_buf_puts(out, "}}");
    } else {
        ken_buf_putc(out, '{');
        ken_buf_put_str(out, input);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    ken_str input = ken_str_n((const char *)data + 1, size - 1);
    ken_buf b = KEN_BUF_INIT(1 << 20);
    ken_wordpiece *t = NULL;
    ken_err err = { 0 };
    put_file(data[0], input, &b);
    if (ken_wordpiece_parse(ken_buf_str(&b), "fuzz", &t, &err)) {
        KEN_ASSERT(err.msg[0] && !t);
    } else {
        check_run(t, input);
        check_run(t, KEN_STR("Ab caf\xc3\xa9 \xe4\xb8\xad [CLS] x"));
    }
    ken_wordpiece_free(t);
    ken_buf_release(&b);
    return 0;
}
