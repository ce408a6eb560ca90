// SPDX-License-Identifier: MIT
// What a planned change must obey: rules of constraints and of patterns, and code that does such a
// thing already.
#include "base/utf8.h"
#include "recall/recall.h"
#include "rulebook/rulebook_priv.h"

enum {
    SEARCH_MAX = 50, // what a search gives at most
    PAGES_MAX = 4,   // of them, when few results are of the codebase
    BYTES_PER_TOKEN = 4,
    CODE_RANKED = 3, // examples that tell where the change is, however few are shown
};

static size_t count_chars(ken_str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++)
        n += ((unsigned char)s.ptr[i] & 0xc0) != 0x80;
    return n;
}

static ken_status check_description(ken_str s, ken_err *err)
{
    size_t n = count_chars(s);
    if (!ken_utf8_is_valid(s))
        return KEN_FAIL(err, KEN_EINVAL, "change_description: must be UTF-8 text");
    if (n < KEN_RULEBOOK_QUERY_MIN || n > KEN_RULEBOOK_QUERY_MAX)
        return KEN_FAIL(
            err, KEN_EINVAL,
            "change_description: must have %d to %d characters, got %zu ('" KEN_STR_FMT "')",
            KEN_RULEBOOK_QUERY_MIN, KEN_RULEBOOK_QUERY_MAX, n, KEN_STR_ARG(ken_utf8_clip(s, 60)));
    return KEN_OK;
}

// .rag/config.json may say how many there are, and how many there may be.
static ken_status check_results(const ken_rulebook *b, size_t *n, ken_err *err)
{
    uint32_t most = b->config.max_results;
    if (*n == KEN_RULEBOOK_AS_SET)
        *n = b->config.default_results < most ? b->config.default_results : most;
    return *n && *n <= most
               ? KEN_OK
               : KEN_FAIL(err, KEN_EINVAL, "num_results: must be 1 to %u, got %zu", most, *n);
}

// Prose is no example, wherever it lies.
static bool may_be_example(const ken_rulebook *b, const ken_hit *h)
{
    return !ken_str_eq(h->language, KEN_STR("markdown")) &&
           ken_rulebook__is_in_codebase(&b->config, h->path, h->language);
}

static bool is_example(const ken_rulebook_advice *a, ken_str path)
{
    for (size_t i = 0; i < a->n_examples; i++)
        if (ken_str_eq(a->examples[i].path, path))
            return true;
    return false;
}

// Adds what a search in this mode finds, a page at a time until there are enough.
static ken_status add_examples(ken_rulebook *b, ken_str description, ken_search_mode mode, size_t n,
                               const ken_cancel *cancel, ken_arena *arena, ken_rulebook_advice *out,
                               ken_err *err)
{
    size_t limit = 2 * n + 10;
    ken_search_opts opts = { .mode = mode,
                             .limit = limit < SEARCH_MAX ? (uint32_t)limit : SEARCH_MAX,
                             .is_verbatim = true,
                             .wants_content = true };
    for (int page = 0; page < PAGES_MAX && out->n_examples < n; page++) {
        ken_search_result found = { 0 };
        ken_status st = ken_search(b->snapshot, description, &opts, cancel, arena, &found, err);
        if (st)
            return st;
        for (size_t i = 0; i < found.n_hits && out->n_examples < n; i++) {
            const ken_hit *h = &found.hits[i];
            if (!may_be_example(b, h) || is_example(out, h->path))
                continue;
            out->relevances[out->n_examples] = ken_recall_relevance(h->similarity);
            out->examples[out->n_examples++] = *h;
        }
        if (found.note.len)
            out->note = found.note;
        if (found.n_hits < opts.limit)
            break;
        opts.offset += opts.limit;
        opts.limit = SEARCH_MAX;
    }
    return KEN_OK;
}

// Code that has the words of the change, then code that only means the same. Tests come late by
// themselves.
static ken_status find_examples(ken_rulebook *b, ken_str description, size_t n,
                                const ken_cancel *cancel, ken_arena *arena,
                                ken_rulebook_advice *out, ken_err *err)
{
    out->examples = KEN_ARENA_ARRAY(arena, ken_hit, n + 1);
    out->relevances = KEN_ARENA_ARRAY(arena, double, n + 1);
    ken_status st = add_examples(b, description, KEN_SEARCH_AUTO, n, cancel, arena, out, err);
    if (!st && out->n_examples < n)
        st = add_examples(b, description, KEN_SEARCH_SEMANTIC, n, cancel, arena, out, err);
    return st;
}

ken_status ken_rulebook_check(ken_rulebook *b, ken_str description, size_t n,
                              const ken_cancel *cancel, ken_arena *arena, ken_rulebook_advice *out,
                              ken_err *err)
{
    ken_rulebook_advice found = { .note = KEN_STR("") };
    description = ken_str_trim(description);
    ken_status st = check_description(description, err);
    if (!st)
        st = ken_rulebook_refresh(b, err);
    if (!st)
        st = check_results(b, &n, err);
    if (!st)
        st = find_examples(b, description, n < CODE_RANKED ? CODE_RANKED : n, cancel, arena, &found,
                           err);
    if (st)
        return st;
    const ken_hit *code = found.examples;
    size_t n_code = found.n_examples < CODE_RANKED ? found.n_examples : CODE_RANKED;
    found.n_examples = found.n_examples < n ? found.n_examples : n;
    found.n_constraints = ken_rulebook__rank(b, description, KEN_RULE_CONSTRAINT, code, n_code, n,
                                             arena, &found.constraints);
    found.n_patterns = ken_rulebook__rank(b, description, KEN_RULE_PATTERN, code, n_code, n, arena,
                                          &found.patterns);
    found.example_bytes = (size_t)b->config.chunk_size * BYTES_PER_TOKEN;
    *out = found;
    return KEN_OK;
}
