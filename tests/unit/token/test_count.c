// SPDX-License-Identifier: MIT
// Tokens of a text, against what a real tokenizer counts.
#include <stdio.h>

#include "ktest.h"
#include "token/token_count.h"

static uint32_t count(const char *text)
{
    return ken_count_tokens(ken_str_c(text));
}

// ---- the whole ---------------------------------------------------------------------------------

enum {
    WHOLE_CONTEXT = 400 // tokens; the promise begins at 500
};

typedef struct reference {
    ken_str file;
    uint64_t n_bytes, n_tokens;
} reference;

// A line of tests/golden/tokens/counts.tsv; tests/clients/tokens.test.mjs made it.
static reference parse_reference(ken_str line)
{
    reference r;
    ken_str bytes, tokens;
    kt_true(ken_str_split_next(&line, '\t', &r.file));
    kt_true(ken_str_split_next(&line, '\t', &bytes) && ken_str_parse_u64(bytes, &r.n_bytes));
    kt_true(ken_str_split_next(&line, '\t', &tokens) && ken_str_parse_u64(tokens, &r.n_tokens));
    return r;
}

static uint64_t count_as_tokenizer(const reference *r)
{
    char path[512];
    (void)snprintf(path, sizeof path, "../../" KEN_STR_FMT, KEN_STR_ARG(r->file));
    ken_str text = ktest_read(ktest_data(path));
    if (text.len != r->n_bytes)
        kt_fail("'" KEN_STR_FMT "' has changed; node tests/clients/tokens.test.mjs write",
                KEN_STR_ARG(r->file));
    uint64_t n = ken_count_tokens(text);
    double off = (double)n / (double)r->n_tokens - 1;
    if (r->n_tokens >= WHOLE_CONTEXT && (off > 0.05 || off < -0.05))
        kt_fail("'" KEN_STR_FMT "': %llu tokens, counted as %llu (%+.1f %%)", KEN_STR_ARG(r->file),
                (unsigned long long)r->n_tokens, (unsigned long long)n, 100 * off);
    return n;
}

KEN_TEST(whole_contexts_are_counted_within_five_percent_and_all_within_two)
{
    ken_str rest = ktest_read(ktest_data("../golden/tokens/counts.tsv")), line;
    kt_true(ken_str_line_next(&rest, &line)); // names of the columns
    uint64_t real = 0, counted = 0;
    uint32_t n_files = 0, n_whole = 0;
    while (ken_str_line_next(&rest, &line)) {
        reference r = parse_reference(line);
        counted += count_as_tokenizer(&r);
        real += r.n_tokens;
        n_files++;
        n_whole += r.n_tokens >= WHOLE_CONTEXT;
    }
    kt_true(n_files > 40 && n_whole > 35);
    kt_near((double)counted / (double)real, 1.0, 0.02);
}

// ---- the pieces --------------------------------------------------------------------------------

KEN_TEST(nothing_is_no_token_and_common_words_are_one_each)
{
    kt_eq_u(ken_count_tokens((ken_str){ NULL, 0 }), 0);
    kt_eq_u(count(""), 0);
    kt_eq_u(count("return"), 1);
    kt_eq_u(count("The file is not in the list"), 7);
    kt_eq_u(count("    return"), 2); // three spaces, and the word with its own
    kt_eq_u(count("getElementById"), 4);
}

KEN_TEST(digits_go_by_three)
{
    kt_eq_u(count("123"), 1);
    kt_eq_u(count("1234567"), 3);
}

KEN_TEST(a_long_run_of_one_thing_is_cheap_and_never_free)
{
    char spaces[1001] = { 0 }, dashes[1001] = { 0 };
    memset(spaces, ' ', 1000);
    memset(dashes, '-', 1000);
    kt_true(count(spaces) > 5 && count(spaces) < 60);
    kt_true(count(dashes) > 5 && count(dashes) < 120);
}

// A context is cut at lines: what it costs is what its lines cost.
KEN_TEST(lines_add_up)
{
    ken_str text = ktest_read(ktest_data("../golden/tokens/prose.md")), rest = text, line;
    uint64_t sum = 0;
    while (rest.len) {
        size_t end = ken_str_find_char(rest, '\n') + 1;
        line = ken_str_sub(rest, 0, end);
        rest = ken_str_sub(rest, end, rest.len);
        sum += ken_count_tokens(line);
    }
    kt_near((double)sum / ken_count_tokens(text), 1.0, 0.05);
}

KEN_TEST(any_bytes_have_a_count)
{
    unsigned char bytes[2048];
    uint32_t state = 1;
    for (int round = 0; round < 200; round++) {
        for (size_t i = 0; i < sizeof bytes; i++) {
            state = state * 1664525u + 1013904223u;
            bytes[i] = (unsigned char)(state >> 24);
        }
        for (size_t n = 1; n < sizeof bytes; n = n * 3 / 2 + 1) {
            ken_str text = ken_str_n((const char *)bytes, n);
            kt_true(ken_count_tokens(text) >= 1 && ken_count_tokens(text) <= 4 * n);
        }
    }
}
