// SPDX-License-Identifier: MIT
// query_intent.h -- what was typed: the filters in a question, and what the question wants.
//
// A question may hold filters among its words:
//
//     retry path:src/net lang:go kind:function "exact words" -deprecated
//
// `path:` is a part of the path or a glob, also as `-path:`; `"…"` must stand in the file, `-word`
// and `-"…"` must not stand in the hit; `symbol:x` finds definitions of x. What only looks like
// one (`path::Path`, `--flag`, `-rf`, an open quote) is a word as any other.
//
// Ownership: texts are borrowed from the question or live in the arena. Threads: any. Errors:
// KEN_EINVAL names the filter that cannot be.
#ifndef KEN_QUERY_QUERY_INTENT_H
#define KEN_QUERY_QUERY_INTENT_H

#include "query/query.h"

// `given` and what the filters in `typed` add to it; they go together, and a filter that says
// something else than `given` is an error. `*out_text` are the words to search for: all of `typed`
// when there are no filters in it.
ken_status ken_query_parse(ken_str typed, const ken_search_opts *given, ken_arena *arena,
                           ken_str *out_text, ken_search_opts *out, ken_err *err) KEN_MUST_USE;

// name, word: what a question wants, the most particular first
#define KEN_INTENT_TABLE(X)               \
    X(FIND_SIMILAR, "find_similar")       \
    X(FIND_USAGE, "find_usage")           \
    X(TRACE_FLOW, "trace_flow")           \
    X(FIND_DEFINITION, "find_definition") \
    X(ARCHITECTURAL, "architectural")     \
    X(EXPLAIN_FUNCTION, "explain_function")

typedef enum ken_intent_kind {
    KEN_INTENT_NONE = 0, // places that have to do with its words
#define X(name, word) KEN_INTENT_##name,
    KEN_INTENT_TABLE(X)
#undef X
    KEN_INTENT_COUNT
} ken_intent_kind;

const char *ken_intent_word(ken_intent_kind k); // "" for NONE
ken_intent_kind ken_intent_parse(ken_str word); // NONE when it is none of the words

typedef struct ken_intent {
    ken_intent_kind kind;
    uint32_t all;    // 1 << kind: a question may want several things
    ken_str subject; // the name it is about, as far as it gives one; borrowed from the question
    ken_str to;      // of "from … to …"
} ken_intent;

void ken_query_intent(ken_str question, ken_intent *out);

// What a question is about, without the words that only make it a request: "retries" of "find the
// code that handles retries", "show me where retries are handled" and "retries". A part of the
// question, never empty unless the question is.
ken_str ken_query_core(ken_str question);
// Whether tests are asked for ("which tests cover the scanner", "test that files are skipped", "where is
// the queue tested"), and what they are to be about, a part of the question. "Test client" and "how is a
// test run" ask for no tests.
bool ken_query_asks_for_tests(ken_str question, ken_str *out_about);
// The name that such a core is nothing but: "Response", also of "class Response"; "" when it has
// further words.
ken_str ken_query_sole_name(ken_str core);

#endif
