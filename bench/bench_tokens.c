// SPDX-License-Identifier: MIT
// How fast tokens are counted, and how many there are: bench_tokens FILE...
//
// One line a file: bytes, tokens, path; then the speed over all of them, best of five rounds.
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "bench.h"
#include "token/token_count.h"

static const char help[] =
    "bench_tokens FILE...\n  tokens of each file, and how fast they are counted";

enum {
    MAX_FILE_BYTES = 64 << 20,
    ROUNDS = 5
};

BENCH_MAIN(tokens)
{
    if (argc < 2) {
        (void)fprintf(stderr, "%s\n", help);
        return 2;
    }
    uint64_t n_bytes = 0, best = UINT64_MAX;
    ken_buf all = KEN_BUF_INIT(1u << 30);
    for (int i = 1; i < argc; i++) {
        ken_buf text = KEN_BUF_INIT(MAX_FILE_BYTES);
        ken_err err = { 0 };
        bench_check(ken_fs_read_own(argv[i], MAX_FILE_BYTES, &text, &err), &err);
        printf("%zu\t%u\t%s\n", text.len, ken_count_tokens(ken_buf_str(&text)), argv[i]);
        ken_buf_put_str(&all, ken_buf_str(&text));
        n_bytes += text.len;
        ken_buf_release(&text);
    }
    uint32_t n_tokens = 0;
    for (int i = 0; i < ROUNDS; i++) {
        int64_t start = ken_clock_mono_ns();
        n_tokens = ken_count_tokens(ken_buf_str(&all));
        uint64_t took = (uint64_t)(ken_clock_mono_ns() - start);
        best = took < best ? took : best;
    }
    ken_buf_release(&all);
    (void)fprintf(stderr, "%llu bytes, %u tokens, %.0f MB/s\n", (unsigned long long)n_bytes,
                  n_tokens, (double)n_bytes * 1e3 / (double)best);
    return 0;
}
