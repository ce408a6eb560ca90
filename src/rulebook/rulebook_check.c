// SPDX-License-Identifier: MIT
// What a planned change must obey: rules of constraints and of patterns, and code that does such a
// thing already.
#include "base/utf8.h"
#include "recall/recall.h"
#include "rulebook/rulebook_priv.h"

enum {
    SEARCH_MAX = 50, // what a search gives at most
};

static size_t count_chars(ken_str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++)
        n += ((unsigned char)s.ptr[i] & 0xc0) != 0x80;
    return n;
}

static ken_status check_description(ken_str s, size_t n_results, ken_err *err)
{
    size_t n = count_chars(s);
    if (!ken_utf8_is_valid(s))
        return KEN_FAIL(err, KEN_EINVAL, "change_description: must be UTF-8 text");
    if (n < KEN_RULEBOOK_QUERY_MIN || n > KEN_RULEBOOK_QUERY_MAX)
        return KEN_FAIL(
            err, KEN_EINVAL,
            "change_description: must have %d to %d characters, got %zu ('" KEN_STR_FMT "')",
            KEN_RULEBOOK_QUERY_MIN, KEN_RULEBOOK_QUERY_MAX, n, KEN_STR_ARG(ken_utf8_clip(s, 60)));
    if (!n_results || n_results > KEN_RULEBOOK_RESULTS_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "num_results: must be 1 to %d, got %zu",
                        KEN_RULEBOOK_RESULTS_MAX, n_results);
    return KEN_OK;
}

static bool is_document(ken_str path, ken_str language)
{
    return ken_rules_kind_of(path, NULL) != KEN_RULE_NONE ||
           ken_str_eq(language, KEN_STR("markdown"));
}

// Code that means what the change is about; documents are no examples. Tests come late by
// themselves.
static ken_status find_examples(ken_rulebook *b, ken_str description, size_t n,
                                const ken_cancel *cancel, ken_arena *arena,
                                ken_rulebook_advice *out, ken_err *err)
{
    ken_search_result found = { 0 };
    ken_search_opts opts = { .limit = SEARCH_MAX < 2 * n + 10 ? SEARCH_MAX : (uint32_t)(2 * n + 10),
                             .is_verbatim = true,
                             .wants_content = true };
    ken_status st = ken_search(b->snapshot, description, &opts, cancel, arena, &found, err);
    if (st)
        return st;
    out->examples = KEN_ARENA_ARRAY(arena, ken_hit, n + 1);
    out->relevances = KEN_ARENA_ARRAY(arena, double, n + 1);
    for (size_t i = 0; i < found.n_hits && out->n_examples < n; i++) {
        if (is_document(found.hits[i].path, found.hits[i].language))
            continue;
        out->relevances[out->n_examples] = ken_recall_relevance(found.hits[i].similarity);
        out->examples[out->n_examples++] = found.hits[i];
    }
    out->note = found.note;
    return KEN_OK;
}

ken_status ken_rulebook_check(ken_rulebook *b, ken_str description, size_t n,
                              const ken_cancel *cancel, ken_arena *arena, ken_rulebook_advice *out,
                              ken_err *err)
{
    ken_rulebook_advice found = { .note = KEN_STR("") };
    description = ken_str_trim(description);
    ken_status st = check_description(description, n, err);
    if (!st)
        st = ken_rulebook_refresh(b, err);
    if (!st)
        st = find_examples(b, description, n, cancel, arena, &found, err);
    if (st)
        return st;
    found.n_constraints =
        ken_rulebook__rank(b, description, KEN_RULE_CONSTRAINT, n, arena, &found.constraints);
    found.n_patterns =
        ken_rulebook__rank(b, description, KEN_RULE_PATTERN, n, arena, &found.patterns);
    *out = found;
    return KEN_OK;
}
