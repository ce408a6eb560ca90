// SPDX-License-Identifier: MIT
// ranked_priv.h -- one ranked question to one snapshot, as ranked.c (files), shown.c (results) and wide.c (several
// snapshots) share it.
#ifndef KEN_QUERY_SEARCH_RANKED_PRIV_H
#define KEN_QUERY_SEARCH_RANKED_PRIV_H

#include "query/query_priv.h"

enum {
    QUERY_CHOSEN = 300 // files whose chunks are scored
};

// A file without a word of the question is no answer unless its cosine reaches this: vectors of
// what has nothing to do with a question stay below 0.23.
#define QUERY_RELATED 0.25F

typedef struct query_search query_search;

typedef struct query_ranked_file {
    query_search *of; // the question to its snapshot
    uint32_t file;
    double score;
    ken_rank_vector v;
} query_ranked_file;

// Files that define a name of the question, until it is known how many there are in all snapshots.
typedef struct query_defining {
    uint32_t name, file;
    float value;
} query_defining;

// The files that define the name that the question is nothing but.
typedef struct query_named {
    uint32_t n_main, n_aside; // aside are those of tests, examples and the like
    uint32_t main, aside;     // one of each
    bool has_variants;        // a type or function differs from it in case alone, not nested
} query_named;

// What several snapshots tell each other of a question; NULL in `query_search` when there is one.
typedef struct query_wide {
    KEN_VEC(query_defining) defining;
    query_named named;
} query_wide;

struct query_search {
    ken_snapshot *s;
    uint32_t number;              // of the snapshot, where there are several
    const ken_lex_corpus *corpus; // of the snapshot, or as all snapshots together have it
    const float *size;            // by file
    query_wide *wide;
    const ken_search_opts *o;
    const ken_lex_query *q;
    ken_arena *arena;
    ken_str text;      // what it is about
    ken_str name;      // that the question is nothing but; empty when it has more words
    ken_str request;   // the first word, when it only makes the question a request
    float *definition; // by file, NULL when the question names nothing
    float *named;      // by file, NULL when nothing is called `name`
    uint32_t waived;
    bool has_meaning; // `meaning` and `near` are set
    ken_vector_query meaning;
    float *near;          // by file: cosine of its best near chunk, -1 = none is near
    uint32_t *near_files; // those
    size_t n_near_files;
    float far; // about the most that a file without a near chunk reaches
    ken_str note;
    ken_search_times times;
};

// Files in order, and what is shown of them.
typedef struct query_ranking {
    query_ranked_file *files;
    size_t n_files;
    const ken_search_opts *o;
    ken_arena *arena; // of the hits
    // Makes ready the question to a file's snapshot, before the file is opened; NULL = they all are.
    bool (*bring)(void *ctx, query_search *of);
    void *ctx;
} query_ranking;

typedef struct query_candidate {
    double score;
    uint32_t file, at; // `at`: whose it is
} query_candidate;

// ---- ranked.c ----
// Takes the filters out of what was typed and checks all of them: `*query` is what is left, `out` what holds.
ken_status ken_query__read_search(ken_str *query, const ken_search_opts *opts, ken_arena *arena,
                                  ken_search_opts *out, ken_err *err) KEN_MUST_USE;
// Its words, its names and what it forgives; returns what it is about. Without a
// snapshot nothing that is one's own counts.
ken_str ken_query__read_question(query_search *x, ken_str query, ken_lex_query *q);
// Files that define names of the question; with `wide` they are only found.
ken_status ken_query__find_definitions(query_search *x, ken_err *err) KEN_MUST_USE;
ken_status ken_query__find_named(query_search *x, ken_err *err) KEN_MUST_USE;
// What follows from those that were found: `n_defining[name]` files define it in all snapshots.
void ken_query__settle_definitions(query_search *x, const uint32_t *n_defining);
// The one file that is the definition asked for, as `main` or `aside` has it; -1 = none is.
int64_t ken_query__named_file(const query_named *n);
void ken_query__set_named(query_search *x, uint32_t file);
// Looks for near chunks with x->meaning, then counts in the files that have one.
void ken_query__find_near(query_search *x);
void ken_query__touch_near(query_search *x);
// The best of the files that words, paths or meaning brought up, in no order; returns how many.
size_t ken_query__choose(query_search *x, query_candidate out[QUERY_CHOSEN]);
// Scores the chosen files, `out` in their order.
ken_status ken_query__rank_chosen(query_search *x, const uint32_t *chosen, size_t n,
                                  query_ranked_file *out, ken_err *err) KEN_MUST_USE;
// Of words and meaning together, from the first file.
void ken_query__set_confidence(const query_ranking *r, ken_search_result *out);
const char *ken_query__strategy(const ken_search_opts *o);

// ---- shown.c ----
// Reads the first files from the disk until enough have something to show: into out->hits, which has room for a page.
ken_status ken_query__show(const query_ranking *r, ken_search_result *out, ken_err *err)
    KEN_MUST_USE;

#endif
