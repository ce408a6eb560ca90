// SPDX-License-Identifier: MIT
// context.h -- what one should have read to answer a question, within a budget of tokens.
//
// The question is searched for; the definitions it is about go first, then what they call, the
// types they use and who calls them, as far as the graph knows, then imports, further finds,
// documents and tests. context_pack.h says how that becomes a text. Lines are those on the disk
// now.
//
// Ownership: results live in the arena passed. Threads: as the snapshot's. Errors: KEN_EINVAL names
// the field; a graph that cannot answer only leaves out what it would have added.
#ifndef KEN_CONTEXT_CONTEXT_H
#define KEN_CONTEXT_CONTEXT_H

#include "context/context_pack.h"
#include "query/query.h"

enum {
    KEN_CONTEXT_TOKENS = 8000, // when nothing is said
    KEN_CONTEXT_TOKENS_MIN = 200,
    KEN_CONTEXT_TOKENS_MAX = 200000
};

typedef struct ken_context_opts {
    uint32_t max_tokens;           // 0 = KEN_CONTEXT_TOKENS
    ken_str seen;                  // of an earlier answer, or empty
    const ken_search_opts *search; // mode and filters of the search; NULL = all files
    bool is_priority_order;        // parts best first, not by file and line
} ken_context_opts;

typedef struct ken_context_answer {
    ken_context context;
    const char *strategy; // static: how the question was understood
    ken_str note;         // of the search
    size_t n_unresolved;  // places that might have added callers or callees
} ken_context_answer;

ken_status ken_build_context(ken_snapshot *s, ken_str question, const ken_context_opts *opts,
                             const ken_cancel *cancel, ken_arena *arena, ken_context_answer *out,
                             ken_err *err) KEN_MUST_USE;

#endif
