// SPDX-License-Identifier: MIT
// query.h -- from words to places in the code.
//
// A ken_reader is an open index. A question pins it: that gives a ken_snapshot, the latest complete
// generation, which answers every question of this header and stays as it is until it is unpinned,
// whatever is written to the index meanwhile. Between pins a reader holds no transaction; it keeps
// what the next question would otherwise load again.
// Quoted text always comes from the disk, and is checked against the index first (see ken_hit).
//
// Ownership: results live in the arena passed; what is borrowed of a snapshot is valid until the
// pin ends. Threads: a reader and its snapshot belong to one thread at a time.
// Errors: KEN_EINVAL for a bad request (names the field), KEN_ENOTFOUND for absent files or
// symbols.
#ifndef KEN_QUERY_QUERY_H
#define KEN_QUERY_QUERY_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/err.h"
#include "base/id.h"
#include "base/roots.h"
#include "embed/embed.h"
#include "history/history.h"
#include "model/facts.h"
#include "model/skip.h"
#include "rank/rank.h"
#include "revision/revision.h"
#include "store/store.h"

typedef struct ken_reader ken_reader;
typedef struct ken_snapshot ken_snapshot;

// `store` is borrowed and must outlive the reader. While the reader is pinned the store has a read
// transaction open, so nothing is written through it and what others read through it is of the same
// state.
ken_reader *ken_reader_new(ken_store *store) KEN_MUST_USE;
void ken_reader_free(ken_reader *r); // not pinned; NULL is fine
// Its index is of that commit: files are read as it has them, not from the folder. Before the first pin;
// borrowed, outlives the reader.
void ken_reader_set_revision(ken_reader *r, ken_revision *revision);
// Begins a question: the newest generation, until ken_reader_unpin. A few microseconds when it is
// that of the question before. One pin at a time. KEN_ENOTFOUND when nothing was indexed yet; other
// errors are the store's, and those of opening the root. After an error nothing is pinned.
ken_status ken_reader_pin(ken_reader *r, ken_snapshot **out, ken_err *err) KEN_MUST_USE;
void ken_reader_unpin(ken_reader *r);
// The rows that a reader has in memory, pinned or not: until it is pinned the next time.
void ken_reader_list_held(const ken_reader *r, ken_held_files *out);
// False when the root is another folder than when the generation was loaded, or is gone:
// a new reader sees what is there now.
bool ken_reader_is_current(const ken_reader *r);
// Whether a run has committed it on its way, so that files of the folder are missing: the text of
// ken_snapshot_unread begins with that.
bool ken_snapshot_is_partial(const ken_snapshot *s);
uint64_t ken_snapshot_generation(const ken_snapshot *s);
// The roots that the generation was made of, open; while it is pinned.
const ken_roots *ken_snapshot_roots(const ken_snapshot *s);
// The store that the reader was given: between pin and unpin it shows this generation.
ken_store *ken_snapshot_store(const ken_snapshot *s);
// To be checked before an answer is shown. Fails when this question could not read something because
// the process or the machine is short of it (KEN_ENOMEM: memory, descriptors) or the disk is broken
// (KEN_EIO): the answer would lack an unknown part. `err` names the first file and the reason.
ken_status ken_snapshot_check(const ken_snapshot *s, ken_err *err) KEN_MUST_USE;
// The files that this question could not read for other reasons, with the first reason: "2 files cannot be read:
// permission denied, first 'a.c'"; empty when there is nothing. The answer lacks them. Files
// gone from the disk do not count. Borrowed until the next pin.
ken_str ken_snapshot_unread(const ken_snapshot *s);
// For an index that could not be brought up to date: a text on what is missing, put before that of
// ken_snapshot_unread. At most 239 bytes; empty = nothing. Until the pin ends.
void ken_snapshot_set_behind(ken_snapshot *s, ken_str text);
// The files of the generation, by path; borrowed until the pin ends.
size_t ken_snapshot_list_files(const ken_snapshot *s, const ken_file_row **out);

// Opens an embedder of the model whose vectors answer, when it is not the built-in one and a
// question first needs it; the snapshot closes it. Called on the thread of the question. Without a way to
// open one such questions are answered by words alone.
typedef ken_status ken_snapshot_embedder_fn(void *ctx, ken_embedder **out, ken_err *err);
void ken_snapshot_set_embedder(ken_snapshot *s, ken_snapshot_embedder_fn *open, void *ctx);

typedef enum ken_search_mode {
    KEN_SEARCH_AUTO = 0, // ranked by words and meaning, "hybrid" to users; the default
    KEN_SEARCH_LEXICAL,  // ranked by words alone
    KEN_SEARCH_SEMANTIC, // ranked by meaning alone: the cosine of a file's best chunk
    KEN_SEARCH_SYMBOL,   // definitions by name: exact, any case, prefix, fuzzy, in that order
    KEN_SEARCH_TEXT,     // a literal string
    KEN_SEARCH_REGEX,    // PCRE2
    KEN_SEARCH_SIMILAR,  // chunks that mean what the one at "path:line" means
} ken_search_mode;

enum {
    KEN_FILTER_TEXTS = 8
};

typedef struct ken_filter {
    ken_str texts[KEN_FILTER_TEXTS];
    size_t n;
} ken_filter;

typedef struct ken_search_opts {
    ken_search_mode mode;
    uint32_t limit;                // hits, 1 to 50; 0 = 10
    uint32_t offset;               // results to pass over, for paging
    uint32_t context_lines;        // before and after, 0 to 100
    ken_str file_type;             // extension without dot
    ken_str directory;             // relative to the root
    ken_str glob;                  // of the path
    ken_str language;              // name of a language
    uint32_t chunk_types;          // of the hit: 1 << ken_chunk_type; 0 = any
    ken_symbol_kind kind;          // of the hit's symbol; UNKNOWN = any
    int64_t since_ms, until_ms;    // last modified at this time or later, or earlier; 0 = any
    uint64_t min_bytes, max_bytes; // of the file; 0 = any
    uint32_t without;              // features that count nothing: 1 << ken_rank_feature
    double threshold;              // drops hits with a lower score, 0 to 1
    ken_filter paths, other_paths; // parts or globs: the path has them all, and none of the others
    ken_filter phrases;            // texts that the file contains
    ken_filter excluded;           // texts that the hit does not contain
    bool is_verbatim;              // filters in the query (query_intent.h) are words like others
    bool is_case_sensitive;        // text and regex, phrases and what is excluded
    bool wants_content;
    bool wants_explain;
    bool wants_chunks; // ranked: each chunk that fits is a hit of its own, not one for a file
} ken_search_opts;

typedef struct ken_score_term {
    const char *name; // static: "best chunk", "file name", …
    double value;     // of the feature
    double weight;
    double points; // value * weight
} ken_score_term;

enum {
    KEN_SEARCH_MAX = 1000, // hits of one search
    KEN_LINES_MAX = 20     // of one file that text and regex tell
};

// A further place of the same file.
typedef struct ken_place {
    uint32_t first_line, last_line; // 0-based, inclusive
    ken_str symbol;                 // the definition that it is, or that the line stands in
    ken_str text;                   // the matching line, for text and regex
    // What matched in `text`: from and to, in characters, n_marks of both; matches that touch are one.
    const uint32_t *marks;
    size_t n_marks;
} ken_place;

// A definition that begins in a hit's chunk.
typedef struct ken_hit_symbol {
    ken_str name; // qualified
    ken_symbol_kind kind;
    uint32_t first_line, last_line; // 0-based, inclusive
} ken_hit_symbol;

// A hit is a chunk, or of a chunk with several definitions the one that fits the question best.
typedef struct ken_hit {
    ken_str path; // relative to the root
    ken_str language;
    ken_uuid chunk_id;
    uint32_t chunk_index, n_chunks; // of the file, from 0; of how many
    uint32_t first_line, last_line; // on disk now; 0-based, inclusive
    ken_span span;                  // of the content, on disk now
    ken_chunk_type chunk_type;
    ken_symbol_kind kind; // of `symbol`
    int32_t symbol_index; // in the facts of the file now; -1 = none
    ken_str symbol;       // qualified with its parents: "Parser.parse"; may be empty
    ken_str signature;
    ken_str content; // when wanted; secrets masked, repaired to UTF-8
    ken_str context_before, context_after;
    double score;          // orders the result; only comparable within it
    double similarity;     // 0 to 1, the best possible match being 1
    ken_score_term *terms; // when explained
    size_t n_terms;
    ken_place *places; // further places in this file, best first
    size_t n_places;
    ken_hit_symbol
        *symbols; // all definitions of the chunk, with the content, when there are several
    size_t n_symbols;
    bool is_refreshed; // the file changed after indexing: lines were found again on disk
    uint32_t member;   // of a question to several snapshots: the number of its own (query_wide.h)
} ken_hit;

// When ranking began and what its stages took, one after the other; all 0 where nothing is ranked.
typedef struct ken_search_times {
    int64_t began_ns;
    int64_t words_ns;     // files that have the words, and the definitions of names
    int64_t embedding_ns; // the vector of the question
    int64_t vectors_ns;   // chunks that are near
    int64_t ranking_ns;
    int64_t quoting_ns;
} ken_search_times;

typedef struct ken_search_result {
    ken_hit *hits;
    size_t n_hits;
    size_t n_total;       // hits on all pages, filters and threshold obeyed
    bool is_at_least;     // n_total is no more than a lower bound: counting would mean reading on
    const char *strategy; // static: how the question was understood
    bool is_truncated;    // there is more
    size_t n_removed;     // hits left out because their file is gone from the disk
    ken_str
        note; // what is not as it was asked for: vectors left out, a path for a symbol; or empty
    bool has_confidence; // words and meaning ranked it: `confidence` is set
    double confidence;   // the share of such answers that held the right file (rank.h)
    bool fits_nothing;   // it is so low that probably no hit is right
    ken_search_times times;
} ken_search_result;

ken_status ken_search(ken_snapshot *s, ken_str query, const ken_search_opts *opts,
                      const ken_cancel *cancel, ken_arena *arena, ken_search_result *out,
                      ken_err *err) KEN_MUST_USE;

// The candidates of ranked search, for fitting the weights: best first, with their
// features (rank.h).
typedef struct ken_candidate {
    ken_str path;
    ken_rank_vector features;
    double score;
} ken_candidate;

ken_status ken_rank_candidates(ken_snapshot *s, ken_str query, ken_arena *arena,
                               ken_candidate **out, size_t *out_n, ken_err *err) KEN_MUST_USE;

// ---- symbols ---------------------------------------------------------------------------------
typedef struct ken_definition {
    ken_str path, language;
    ken_str name, qualified; // "parse", "Parser.parse"
    ken_symbol_kind kind;
    ken_visibility visibility;
    uint32_t first_line, last_line;
    ken_span span;
    ken_str signature, doc, content;
    bool is_exact; // the name is equal, letter by letter
    bool is_refreshed;
} ken_definition;

typedef struct ken_definition_result {
    ken_definition *defs; // exact names first, then any case; best first
    size_t n_defs;
    size_t n_total;
    ken_str *suggestions; // near names, when there is no definition
    size_t n_suggestions;
    ken_str missed_scope; // the qualifier, when nothing of that name is in what it names
    ken_str is_path;      // why there is none: the name is a path, "it is a file, 'src/a.c'; ..."
} ken_definition_result;

typedef struct ken_definition_opts {
    ken_str name;      // may be qualified: a.b, a::b, a#b, a/b
    ken_str file_hint; // prefers (never demands) paths that hold it
    size_t limit;      // 0 = as many as there are, at most 50
    size_t offset;     // definitions to pass over
} ken_definition_opts;

ken_status ken_find_definition(ken_snapshot *s, const ken_definition_opts *o, ken_arena *arena,
                               ken_definition_result *out, ken_err *err) KEN_MUST_USE;

// "; near names: a, b" or what the path is, to go on a message with, or empty.
ken_str ken_definition_near(const ken_definition_result *r, ken_arena *arena);

// The path of the file that a text names, whole or absolute; empty when it names none.
ken_str ken_snapshot_find_path(const ken_snapshot *s, ken_str text, ken_arena *arena);

// ---- one file --------------------------------------------------------------------------------
typedef struct ken_file_view {
    ken_str path, language;
    ken_str text;        // on disk now, secrets masked
    ken_facts *facts;    // of that text
    ken_uuid *chunk_ids; // one per chunk
    bool is_refreshed;   // parsed again, for it changed after indexing
} ken_file_view;

// `path` relative to the root (or absolute below it). KEN_ENOTFOUND names near paths.
ken_status ken_view_file(ken_snapshot *s, ken_str path, ken_arena *arena, ken_file_view *out,
                         ken_err *err) KEN_MUST_USE;

// The package, namespace or module that the file declares (ken_refs.package); may be empty.
ken_status ken_view_package(ken_snapshot *s, const ken_file_view *view, ken_arena *arena,
                            ken_str *out, ken_err *err) KEN_MUST_USE;
// The definitions that begin in a chunk, in order, without small variables; at most `max`.
uint32_t ken_view_chunk_symbols(const ken_facts *facts, uint32_t chunk, uint32_t max,
                                uint32_t *out);

// Finds a chunk by its id: its file and index.
ken_status ken_find_chunk(ken_snapshot *s, ken_uuid id, ken_arena *arena, ken_str *out_path,
                          uint32_t *out_index, ken_err *err) KEN_MUST_USE;

// The signature or doc of a symbol as one line (white space collapsed), or unchanged.
ken_str ken_view_line(ken_arena *arena, ken_str text, ken_span span);
// "Parent.name"
ken_str ken_view_qualified(ken_arena *arena, const ken_facts *facts, uint32_t symbol);

// ---- version control -------------------------------------------------------------------------
// Keeps a value beside the index, for the next process; may fail without a word. Called on the
// thread of the question. Without a keeper such values live as long as the snapshot.
typedef void ken_snapshot_keep_fn(void *ctx, ken_str name, ken_str value);
void ken_snapshot_set_keeper(ken_snapshot *s, ken_snapshot_keep_fn *keep, void *ctx);
// The limit of the caches of units and resolved references between questions, in bytes; 0 = 96 MiB.
// Answers do not depend on it. Several snapshots may share it: each has its part, by the current
// value of `n_sharers` (borrowed; NULL = it has all).
void ken_snapshot_limit_graph(ken_snapshot *s, size_t max_bytes, const atomic_uint *n_sharers);
size_t ken_snapshot_graph_bytes(const ken_snapshot *s); // what is held
// Loads what the first question by meaning would wait for. Vectors stay, as those of a question do.
ken_status ken_snapshot_warm(ken_snapshot *s, ken_err *err) KEN_MUST_USE;
// About all that it holds in memory, its graph apart. Cheap.
size_t ken_snapshot_held_bytes(const ken_snapshot *s);

// The history of the work tree (history.h), as of its present commit. The first question for it
// reads git's log, which may take a second; later ones read what is new. `may_keep`: what was read
// is given to the keeper. *out is the snapshot's, until the next call of this or its end. Without
// version control it is empty and has a reason.
ken_status ken_snapshot_history(ken_snapshot *s, bool may_keep, const ken_cancel *cancel,
                                ken_history **out, ken_err *err) KEN_MUST_USE;
// ken_history_of_lines of a file of the index; KEN_ENOTFOUND for others.
ken_status ken_snapshot_touches(ken_snapshot *s, ken_str path, uint32_t first, uint32_t last,
                                const ken_cancel *cancel, ken_arena *arena,
                                ken_history_touches *out, ken_err *err) KEN_MUST_USE;
// ken_history_diff of the snapshot's root.
ken_status ken_snapshot_changes(ken_snapshot *s, ken_str rev, const ken_cancel *cancel,
                                ken_arena *arena, ken_changes *out, ken_err *err) KEN_MUST_USE;

// ---- the index itself ------------------------------------------------------------------------
typedef struct ken_lang_count {
    ken_str language;
    uint64_t n_files, n_lines, n_bytes;
} ken_lang_count;

// What it is an answer of: known without looking at anything.
typedef struct ken_snapshot_head {
    uint64_t generation;
    int64_t indexed_at_ms;
    ken_str git_head, git_branch; // borrowed from the snapshot
} ken_snapshot_head;

ken_snapshot_head ken_snapshot_get_head(const ken_snapshot *s);

typedef struct ken_snapshot_stats {
    uint64_t generation;
    uint64_t n_files, n_chunks, n_symbols, n_lines, n_bytes;
    uint64_t n_segments, segment_bytes; // of all kinds: words, vectors, names
    uint64_t store_bytes;
    uint64_t n_error_files;    // syntax errors somewhere
    uint64_t n_fallback_files; // cut by lines
    ken_lang_count *langs;     // most files first
    size_t n_langs;
    int64_t indexed_at_ms;
    ken_str git_head, git_branch;
    uint64_t skips[KEN_SKIP_COUNT]; // by reason
} ken_snapshot_stats;

// Counts all files, and asks the store for sizes: for who wants to know that, not for each question.
ken_status ken_snapshot_get_stats(ken_snapshot *s, ken_arena *arena, ken_snapshot_stats *out,
                                  ken_err *err) KEN_MUST_USE;
// The skipped files of the generation; reason KEN_SKIP_NONE = all.
ken_status ken_snapshot_list_skips(ken_snapshot *s, ken_skip_reason reason, size_t limit,
                                   ken_arena *arena, ken_skip_row **out, size_t *out_n,
                                   ken_err *err) KEN_MUST_USE;

#endif
