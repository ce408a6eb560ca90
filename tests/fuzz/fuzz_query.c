// SPDX-License-Identifier: MIT
// fuzz_query -- any bytes as a question: its words, its names, what it forgives, and, on a path
// index of a few files, what paths say to it. Nothing may crash; what comes out must be in its
// limits.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "lexical/lexical_path.h"
#include "lexical/lexical_query.h"
#include "rank/rank.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const paths[] = {
    "src/retry_policy.py",  "src/net/HTTPServer.go",
    "lib/clientSession.ts", "docs/a/b/c/d.md",
    "tests/test_queue.py",  "main.c",
    ".gitignore",           "x",
};
enum {
    N_PATHS = sizeof paths / sizeof *paths
};

static void check_terms(const ken_lex_query *q)
{
    KEN_ASSERT(q->n_terms <= KEN_QUERY_TERMS);
    for (uint32_t i = 0; i < q->n_terms; i++) {
        const ken_query_term *t = &q->terms[i];
        KEN_ASSERT(t->len > 0 && t->len < KEN_QUERY_WORD && t->text[t->len] == '\0');
        KEN_ASSERT(t->n_lookups >= 1 && t->n_lookups <= 2);
        KEN_ASSERT(t->weight > 0 && t->weight <= 1);
        for (uint32_t k = 0; k < t->n_lookups; k++)
            KEN_ASSERT(t->lookup[k] >> 40 == 0);
    }
    KEN_ASSERT(q->n_file_names <= 2 * KEN_QUERY_TERMS);
    for (uint32_t i = 0; i < q->n_file_names; i++)
        KEN_ASSERT(strlen(q->file_names[i]) >= 2);
}

static void check_names(const ken_lex_query *q, ken_str text)
{
    KEN_ASSERT(q->n_names <= KEN_QUERY_NAMES);
    for (uint32_t i = 0; i < q->n_names; i++) {
        ken_str name = q->names[i].text;
        KEN_ASSERT(name.len > 0 && name.ptr >= text.ptr &&
                   name.ptr + name.len <= text.ptr + text.len);
    }
}

static void check_paths(const ken_lex_query *q)
{
    static ken_path_index *index;
    static ken_path_match match;
    if (!index) {
        ken_str list[N_PATHS];
        for (int i = 0; i < N_PATHS; i++)
            list[i] = ken_str_c(paths[i]);
        if (ken_path_index_new(list, N_PATHS, &index, NULL))
            abort();
    }
    double weights[KEN_QUERY_TERMS];
    for (int i = 0; i < KEN_QUERY_TERMS; i++)
        weights[i] = 1;
    ken_path_index_match(index, q, &match);
    ken_path_match_weigh(&match, q, weights);
    for (int i = 0; i < N_PATHS; i++)
        KEN_ASSERT(match.name_fit[i] >= 0 && match.name_fit[i] <= 1.001F &&
                   match.name_precision[i] <= 1.001F && match.folder_fit[i] <= 1.001F);
    for (uint32_t t = 0; t < q->n_terms; t++)
        for (int i = 0; match.file_name[t] && i < N_PATHS; i++)
            KEN_ASSERT(match.file_name[t][i] >= 0 && match.file_name[t][i] <= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ken_str text = ken_str_n((const char *)data, size);
    ken_lex_query q;
    ken_lex_query_parse(text, &q);
    check_terms(&q);
    check_names(&q, text);
    check_paths(&q);
    uint32_t all = KEN_PATH_DATA * 2 - 1;
    KEN_ASSERT(!(ken_rank_waived(text) & ~(all | KEN_WAIVED_HALF_TEST)));
    KEN_ASSERT(!(ken_rank_path(text, "test_*.py *_test.c", false, false) & ~all));
    ken_str rest = text, token;
    size_t n = 0;
    while (ken_token_next(&rest, &token)) {
        ken_token_parts parts;
        ken_token_split(token, &parts);
        KEN_ASSERT(parts.n_parts <= KEN_TOKEN_PARTS && strlen(parts.text) <= KEN_TOKEN_MAX);
        n += token.len;
    }
    KEN_ASSERT(n <= size);
    return 0;
}
