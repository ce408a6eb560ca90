// SPDX-License-Identifier: MIT
// lexical_query.h -- a question in words, ready to be looked up.
//
// Stop words are dropped, weak words weigh less, early words weigh more ("how THING does
// PURPOSE"). A compound asks for its parts and for itself. Terms are in the order of the question.
//
// Ownership: a plain value. Threads: pure.
#ifndef KEN_LEXICAL_LEXICAL_QUERY_H
#define KEN_LEXICAL_LEXICAL_QUERY_H

#include "lexical/lexical.h"

enum {
    KEN_QUERY_TERMS = 32,
    KEN_QUERY_NAMES = 16,
    KEN_QUERY_WORD = KEN_TOKEN_MAX + 1
};

typedef struct ken_query_term {
    char text[KEN_QUERY_WORD]; // stemmed, or the whole compound in lower case
    uint32_t len;
    ken_term lookup[2]; // their counts add up
    uint32_t n_lookups;
    bool is_whole;
    double weight;     // of the word itself and its position; idf comes on top
    uint32_t position; // among the content words
} ken_query_term;

// A name that the question may mean letter by letter.
typedef struct ken_query_name {
    ken_str text;   // points into the question
    bool is_strong; // looks like an identifier
    bool is_scope;  // qualifies the name behind it: `A` of "A::b"
} ken_query_name;

typedef struct ken_lex_query {
    ken_query_term terms[KEN_QUERY_TERMS];
    uint32_t n_terms;
    ken_query_name names[KEN_QUERY_NAMES];
    uint32_t n_names;
    // What a file may be called, without its extension: words as typed in lower case, compounds, and
    // neighbours written as one. They are no stems of words; those are `terms`.
    char file_names[2 * KEN_QUERY_TERMS][KEN_QUERY_WORD];
    uint32_t n_file_names;
} ken_lex_query;

// `text` must outlive `out`. At most KEN_QUERY_TERMS terms are kept.
void ken_lex_query_parse(ken_str text, ken_lex_query *out);

#endif
