// SPDX-License-Identifier: MIT
// A vocabulary (until the first NUL) and a text, both from anywhere.
#include "base/assert.h"
#include "base/buf.h"
#include "embed/embed_token.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum {
        MAX = 64
    };
    ken_str all = ken_str_n((const char *)data, size), vocab, text;
    size_t cut = ken_str_find_char(all, '\0');
    vocab = ken_str_sub(all, 0, cut);
    text = ken_str_sub(all, cut == SIZE_MAX ? 0 : cut + 1, size);
    ken_buf b = KEN_BUF_INIT(1 << 20);
    ken_wordpiece *t = NULL;
    if (vocab.len && vocab.ptr[0] != '{')
        ken_buf_puts(&b, "[PAD]\n[UNK]\n[CLS]\n[SEP]\n");
    ken_buf_put_str(&b, vocab);
    if (!ken_wordpiece_parse(ken_buf_str(&b), "fuzz", &t, NULL)) {
        int64_t ids[MAX];
        for (size_t max = 2; max <= MAX; max += 31) {
            size_t n = ken_wordpiece_run(t, text, ids, max);
            KEN_ASSERT(n >= 2 && n <= max);
            for (size_t i = 0; i < n; i++)
                KEN_ASSERT(ids[i] >= 0 && (size_t)ids[i] < ken_wordpiece_size(t));
        }
    }
    ken_wordpiece_free(t);
    ken_buf_release(&b);
    return 0;
}
