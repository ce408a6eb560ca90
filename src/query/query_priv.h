// SPDX-License-Identifier: MIT
// query_priv.h -- a snapshot from the inside, for the files of this folder.
#ifndef KEN_QUERY_QUERY_PRIV_H
#define KEN_QUERY_QUERY_PRIV_H

#include "base/assert.h"
#include "base/quota.h"
#include "base/roots.h"
#include "base/vec.h"
#include "lang/lang.h"
#include "learn/learn.h"
#include "lexical/lexical_score.h"
#include "query/query.h"
#include "rank/rank.h"
#include "store/partial.h"
#include "vector/vector.h"

// A cache of unpacked facts of contents that were quoted. A slot holds one content; a newer one replaces
// it. Large ones have a few slots of their own: unpacking one takes as long as all the rest of a
// question.
enum {
    QUERY_CACHE_SLOTS = 512,
    QUERY_CACHE_ENTRY_MAX = 64 << 10,
    QUERY_CACHE_LARGE_SLOTS = 32,
    QUERY_CACHE_LARGE_MAX = 1 << 20
};

typedef struct query_cache_slot {
    int64_t content; // 0 = empty
    ken_facts facts;
    ken_arena arena;
} query_cache_slot;

typedef struct query_cache {
    query_cache_slot slots[QUERY_CACHE_SLOTS + QUERY_CACHE_LARGE_SLOTS]; // large ones last
} query_cache;

// The vectors of all chunks, with the keys by which a newer generation takes over the rows that did not
// change.
typedef struct query_vectors {
    bool is_loaded;
    char model[KEN_VECTOR_MODEL_MAX + 1]; // whose they are
    ken_vector_matrix matrix;             // no dimensions: the index has none of this model
    uint64_t *keys;                       // by file of the matrix: its path and content
} query_vectors;

// A cache of the vectors of questions, for a model that is not built in.
enum {
    QUERY_EMBEDDED = 8
};

typedef struct query_embedded {
    char *text; // NULL = empty
    size_t len;
    ken_vector_query vector;
} query_embedded;

typedef struct query_embedder {
    ken_snapshot_embedder_fn *open;
    void *ctx;
    ken_embedder *embedder; // NULL = not opened yet
    query_embedded last[QUERY_EMBEDDED];
    uint32_t next; // slot that the next question takes
} query_embedder;

// The git history; it outlives the generation.
typedef struct query_history {
    ken_history *it; // NULL = not read yet
    char *head;      // the commit of the work tree then, "" = none; NULL = not read yet
    ken_snapshot_keep_fn *keep;
    void *keep_ctx;
} query_history;

// That of a project with several roots: those of all, and what they make together.
typedef struct query_histories {
    struct query_further {
        ken_str name, path; // of the root, ours
        query_history history;
    } * more; // in the order of the roots
    size_t n;
    ken_history *joined; // NULL = not yet, or one has changed
} query_histories;

// Imports of all files: those of file f are files[starts[f]] to files[starts[f + 1]], in order.
typedef struct query_import_graph {
    uint32_t *starts, *files; // NULL until a question needs them
    uint32_t *n_unknown;      // by file: imports that lead nowhere in the tree
} query_import_graph;

// The results of ken_snapshot_check and ken_snapshot_unread for one question.
typedef struct query_unread {
    ken_err failure;   // the first that fails the question; KEN_OK = none
    uint8_t *denied;   // one bit for each file that may not be read; in the snapshot's arena
    uint32_t n_denied; // files
    uint32_t n_left; // files and folders of the generation that could not be read when it was made
    const char *why_left; // static: of the first of these
    char first[200];      // path of the first of them
    char other[240];      // the first of any other reason
    const char *partial;  // that the generation is; of the snapshot, "" = it is not
    char behind[240];     // what the index does not have yet
    char gone[320];       // further roots that are not there
    char damaged[320];    // which files with syntax errors could have changed the answer
    char text[1180];      // what is told; "" = nothing
    bool is_cut;          // the question was over while a file was read
} query_unread;

// Which file has a content: the first, in the order of paths.
typedef struct query_owners {
    uint32_t *slots; // open addressing: index of the file + 1; 0 = free
    uint32_t mask;
} query_owners;

// The same of a question to several snapshots, with what they have together (wide.c).
typedef struct query_widened {
    ken_arena arena; // of the next two; only while there is `size`
    ken_lex_corpus corpus;
    float *size; // NULL = there are none
    ken_lex_totals whole;
    uint32_t most_lines;
} query_widened;

struct ken_snapshot {
    ken_store *store; // borrowed; a read transaction of it is open while this is pinned
    bool is_pinned;
    uint64_t generation;
    ken_generation info;
    ken_partial partial;      // how much of the folder the generation has
    const char *partial_text; // in `arena`; "" = it has all
    ken_arena arena;          // everything that lives as long as the generation is shown
    ken_arena
        file_arena; // of the next two: the next generation takes over those of which only rows changed
    ken_file_row *rows;         // sorted by path
    ken_content_info *contents; // by file
    uint32_t n_files;
    query_owners owners;
    float *size;         // by file: ln(1 + lines) / ln(1 + most lines)
    uint32_t most_lines; // of a program
    ken_lex_corpus corpus;
    query_widened widened;
    int64_t *segment_ids; // that there were of all kinds, in order
    size_t n_segment_ids;
    // Derived from the list of paths alone; the next generation takes it over when its paths are the same.
    ken_path_index *paths;
    uint32_t *path_bits; // by file: KEN_PATH_*
    bool is_about_tests; // some code outside of tests is named for testing
    uint32_t n_paths;
    uint64_t paths_key;
    ken_lex_scores scores;
    char model[KEN_VECTOR_MODEL_MAX + 1]; // whose vectors answer; "" = the built-in model
    query_vectors vectors;                // loaded when a question first needs them
    query_embedder embedder;
    query_history history;
    query_histories histories; // only with further roots
    ken_learner *learner;      // this and the next two are made when a changed file is first met
    ken_tokenizer *tokenizer;
    uint32_t feature; // version of the extraction (KEN_EXTRACTION_VERSION)
    query_cache cache;
    query_import_graph imports;
    struct query_graph *graph;           // query_graph_priv.h; NULL until a question needs it
    const struct query_overlay *overlay; // query_base_priv.h; NULL but for a base
    size_t graph_bytes;                  // that it may hold between questions; 0 = the usual
    const atomic_uint *graph_sharers; // how many share them; borrowed, outlives us; NULL = nobody
    const char *root;                 // that was opened; in `arena`
    // Open, with the further ones; the first one's fd is -1 when it is gone, or files are a commit's.
    ken_roots roots;
    ken_revision
        *revision;  // the commit whose files these are; NULL = the folder's. Borrowed, outlives us
    bool is_stored; // where there is no folder, the database has texts
    const struct query_ahead
        *ahead; // texts that were read together; borrowed from who reads files in their order
    ken_fs_id root_id;         // zero = it is gone
    uint32_t n_unreadable;     // files and folders that the generation was made without
    ken_str unreadable;        // the first of them
    bool is_unreadable_denied; // permission is what it lacks
    query_unread unread;       // what this question could not read
};

// Every question begins with it: without a pin the generation could change under the question.
static inline void query_check_pin(const ken_snapshot *s)
{
    KEN_ASSERT(s->is_pinned);
}

// How large each file is, beside a program of `most` lines; in the arena.
float *ken_query__sizes(const ken_snapshot *s, uint32_t most, ken_arena *arena);
void ken_query__forget_widened(ken_snapshot *s);

// KEN_ENOTFOUND for a path that no file of the generation has: why, as far as can be told.
ken_status ken_query__fail_unknown(const ken_snapshot *s, ken_str path, ken_arena *arena,
                                   ken_err *err);

// ---- files: query_source.c ---------------------------------------------------------------------
// Whether there is something to read files from: the folder, a commit, or the database.
bool ken_query__has_files(const ken_snapshot *s, ken_str path);
// Texts of several files of a database, read with one question: while `ahead` of the snapshot is this, they are not asked
// for singly.
typedef struct query_ahead {
    ken_arena arena;
    int64_t *contents;
    ken_str *texts; // without a pointer: there is none
    size_t n;
} query_ahead;
bool ken_query__is_stored(const ken_snapshot *s, ken_str path); // read from the database
ken_status ken_query__read_ahead(ken_snapshot *s, const int64_t *contents, size_t n,
                                 query_ahead *out, ken_err *err) KEN_MUST_USE;
// Reads a whole file, no link, into `out` (cleared first). KEN_ELIMIT when it is larger.
ken_status ken_query__read_file(ken_snapshot *s, ken_str path, size_t max_bytes, ken_buf *out,
                                ken_err *err) KEN_MUST_USE;
// What is at that path; it need not be in the index.
ken_status ken_query__stat_file(ken_snapshot *s, ken_str path, ken_fs_info *out, ken_err *err)
    KEN_MUST_USE;

// Keeps why the file of this path could not be read, unless it is gone or no file any more.
void ken_query__set_damaged(ken_snapshot *s, ken_str name, ken_str path, uint32_t line, uint32_t n);
void ken_query__set_unread(ken_snapshot *s, ken_str path, const ken_err *why);

// ---- vectors ---------------------------------------------------------------------------------
// Loads the vectors, if they are not; a matrix without rows when there are none.
ken_status ken_query__load_vectors(ken_snapshot *s, ken_err *err) KEN_MUST_USE;
void ken_query__release_vectors(query_vectors *v);
// Reads which model's vectors are searched.
ken_status ken_query__load_model(ken_snapshot *s, ken_err *err) KEN_MUST_USE;
// The vector of a question; *out_has is false when it has no known word, or the index no vectors.
ken_status ken_query__embed(ken_snapshot *s, ken_str query, const ken_cancel *cancel, bool *out_has,
                            ken_vector_query *out, ken_err *err) KEN_MUST_USE;
void ken_query__close_embedder(ken_snapshot *s);
void ken_query__close_history(query_history *h);
void ken_query__close_histories(query_histories *h);

// ---- query_files.c: the files of the generation ----
// Loads rows and contents, unless they are there.
ken_status ken_query__load_files(ken_snapshot *s, ken_err *err) KEN_MUST_USE;
// Makes the rows that are there those of generation `newest`, when what has changed is known to be little; else lets go
// of them.
ken_status ken_query__follow_files(ken_snapshot *s, uint64_t newest, ken_err *err) KEN_MUST_USE;
void ken_query__forget_files(ken_snapshot *s);
// Fills `owners`, and `next`, one of each file, with the next of the same content or -1.
void ken_query__link_contents(ken_snapshot *s, int32_t *next);
// The first file that has the content, or -1.
int32_t ken_query__first_with(const ken_snapshot *s, int64_t content);

// Index of the row with this path, or -1.
int64_t ken_query__file_index(const ken_snapshot *s, ken_str path);
// Path of the question made relative to the root: "./a", absolute paths below the root. NULL ptr
// when it leads outside.
ken_str ken_query__relative_path(const ken_snapshot *s, ken_str path, ken_arena *arena);

// ---- files on disk ---------------------------------------------------------------------------
typedef struct query_text {
    ken_facts facts; // of the text as it is now; those of an unchanged file are the snapshot's
    bool is_refreshed;
    ken_str text; // all of it, secrets masked; ptr NULL until ken_query__need_text
    int fd;       // -1 once the text is read
    ken_arena *arena;
    ken_snapshot *snapshot; // told when something cannot be read
    ken_str path;           // relative to the root
} query_text;

// KEN_ENOTFOUND when the file is gone or is no text any more, else why it cannot be read. Ends with
// ken_query__close_text. An unchanged file is not read here: quote with ken_query__slice, or ask for all of it.
ken_status ken_query__load_text(ken_snapshot *s, uint32_t file, ken_arena *arena, query_text *out,
                                ken_err *err) KEN_MUST_USE;
void ken_query__close_text(query_text *t);
bool ken_query__need_text(query_text *t); // false when it cannot be read any more
// Bytes of the file, in the arena or in the text.
ken_str ken_query__slice(query_text *t, ken_span span);
// Up to n whole lines before (after) a line start (end).
ken_str ken_query__lines_before(query_text *t, uint32_t byte, uint32_t n);
ken_str ken_query__lines_after(query_text *t, uint32_t byte, uint32_t n);
// The signature of a symbol as one line.
ken_str ken_query__signature(query_text *t, uint32_t symbol);
// Valid UTF-8, copied only when it has to be.
ken_str ken_query__repaired(ken_arena *arena, ken_str text);

// These files will be loaded next, in this order, as far as they are in the index (ken_store_expect_contents).
void ken_query__expect_files(ken_snapshot *s, const uint32_t *files, size_t n);
// The facts of the file in the index; the snapshot's, or in the arena.
ken_status ken_query__stored_facts(ken_snapshot *s, uint32_t file, ken_arena *arena, ken_facts *out,
                                   ken_err *err) KEN_MUST_USE;
// The definition of `now` that was number `symbol` in `old`; -1 when it is gone.
int64_t ken_query__same_symbol(const ken_facts *old, uint32_t symbol, const ken_facts *now);
// Scores of the chunks of a changed file, by chunk, to be compared with each other only. After
// ken_lex_score_files. With a `meaning`, its cosine with each chunk as well.
double *ken_query__score_fresh(ken_snapshot *s, const ken_lex_query *q, const query_text *t,
                               ken_str path, const ken_vector_query *meaning, ken_arena *arena,
                               float **out_cosines);

// ---- filters ---------------------------------------------------------------------------------
ken_status ken_query__check_opts(const ken_search_opts *o, ken_err *err) KEN_MUST_USE;
// The folder without ".."; KEN_EINVAL when that leads out of the project.
ken_status ken_query__clean_directory(ken_search_opts *o, ken_arena *arena, ken_err *err)
    KEN_MUST_USE;
bool ken_query__file_passes(const ken_snapshot *s, uint32_t file, const ken_search_opts *o);
bool ken_query__is_bundled(ken_str path); // other people's code, by its folder
bool ken_query__type_passes(ken_chunk_type type, const ken_search_opts *o);
bool ken_query__chunk_passes(const ken_facts *facts, uint32_t chunk, const ken_search_opts *o);
bool ken_query__has_words(const ken_search_opts *o);
// The file holds every phrase, and the span nothing that is excluded.
bool ken_query__words_pass(query_text *t, ken_span span, const ken_search_opts *o);
size_t ken_query__count_phrases(query_text *t, ken_span span, const ken_search_opts *o);

// ---- hits ------------------------------------------------------------------------------------
// The part of a chunk that a result shows: the definition that names it, and lines.
typedef struct query_centre {
    int32_t symbol; // -1 = none
    uint32_t first_line, last_line;
    ken_span span;
} query_centre;

// What a question matches within a chunk.
typedef struct query_wanted {
    const ken_lex_query *q;
    const double *idf;    // of its terms, with their weights
    ken_str text;         // without filters
    ken_str name;         // when it is nothing but a name; else empty
    ken_symbol_kind kind; // of the definition; UNKNOWN = any
    bool is_quoted;       // it quotes what the lines must hold: all are shown
} query_wanted;

// The innermost definition around a byte, small variables apart; -1 = none.
int64_t ken_query__definition_at(const ken_facts *facts, uint32_t byte);
// All of the chunk, by the name it has; of a kind by the first definition of that kind.
void ken_query__centre_chunk(const query_text *t, uint32_t chunk, ken_symbol_kind kind,
                             query_centre *out);
// By the definition that the words of a question fit best, its lines alone when it leads clearly.
void ken_query__centre_question(query_text *t, uint32_t chunk, const query_wanted *w,
                                query_centre *out);
// Fills in everything of `hit` that follows from its file, chunk and focus.
void ken_query__fill_hit(ken_snapshot *s, uint32_t file, query_text *t, uint32_t chunk,
                         const query_centre *centre, const ken_search_opts *o, ken_arena *arena,
                         ken_hit *hit);
// A chunk as a further place of its file: the definition in it that the words fit best, or the first line with
// one of them; without such, the chunk.
ken_place ken_query__place(query_text *t, uint32_t chunk, const query_wanted *w, ken_arena *arena);
uint32_t ken_query__limit(const ken_search_opts *o);

// After a search broke off: an answer in part when a limit was met and something was found.
ken_status ken_query__settle_search(ken_status st, ken_search_result *out, ken_err *err)
    KEN_MUST_USE;

ken_status ken_query__ranked(ken_snapshot *s, ken_str query, const ken_search_opts *o,
                             const ken_cancel *cancel, ken_arena *arena, ken_search_result *out,
                             ken_err *err) KEN_MUST_USE;
ken_status ken_query__symbols(ken_snapshot *s, ken_str query, const ken_search_opts *o,
                              const ken_cancel *cancel, ken_arena *arena, ken_search_result *out,
                              ken_err *err) KEN_MUST_USE;
ken_status ken_query__similar(ken_snapshot *s, ken_str place, const ken_search_opts *o,
                              const ken_cancel *cancel, ken_arena *arena, ken_search_result *out,
                              ken_err *err) KEN_MUST_USE;
ken_status ken_query__text_search(ken_snapshot *s, ken_str query, const ken_search_opts *o,
                                  const ken_cancel *cancel, ken_arena *arena,
                                  ken_search_result *out, ken_err *err) KEN_MUST_USE;

// ---- names -----------------------------------------------------------------------------------
typedef struct query_name {
    ken_str text; // in the arena
    uint32_t file, symbol;
    ken_symbol_kind kind;
    uint32_t depth;
    int closeness;    // 0 exact, 1 any case, 2 prefix, 3 fuzzy
    double order;     // smaller is better, within one closeness
    bool lacks_scope; // a qualifier was given, and nothing of that name is in what it names
} query_name;

typedef KEN_VEC(query_name) query_names;

// The qualifier of `name` that fits none of the names that were found for it; a part of `name`,
// empty when it fits or there is none.
ken_str ken_query__missed_scope(const query_names *names, ken_str name);

// Appends all definitions called `name` in any case, by text, path and place.
ken_status ken_query__names_equal(ken_snapshot *s, ken_str name, ken_arena *arena, query_names *out,
                                  ken_err *err) KEN_MUST_USE;
// Appends the first `max` whose name begins so and goes on, in the same order.
ken_status ken_query__names_prefix(ken_snapshot *s, ken_str name, size_t max, ken_arena *arena,
                                   query_names *out, ken_err *err) KEN_MUST_USE;
// Appends names within a small edit distance (Damerau, at most 2), nearest first.
ken_status ken_query__names_fuzzy(ken_snapshot *s, ken_str name, size_t max, ken_arena *arena,
                                  query_names *out, ken_err *err) KEN_MUST_USE;
// How a definition fits the qualifier of a name.
typedef enum query_fit {
    QUERY_FIT_NONE = 0,
    QUERY_FIT_PATH,        // its file or folder is called so
    QUERY_FIT_OWNER,       // it belongs to a definition of that name, in any case
    QUERY_FIT_EXACT_OWNER, // letter by letter
} query_fit;

// One for each name. An empty scope fits none.
ken_status ken_query__find_owned(ken_snapshot *s, const query_names *names, ken_str scope,
                                 ken_arena *arena, query_fit **out, ken_err *err) KEN_MUST_USE;
// What `name` is when it is a path rather than a symbol: "it is a file, 'src/a.c'; ...", to go on a
// message with; empty when it is none. `fit`: the best of the definitions by its last part.
ken_str ken_query__say_path(const ken_snapshot *s, ken_str name, query_fit fit, ken_arena *arena);
// All definitions of a name that may be qualified, in the order in which they are shown; those that
// fit its scope alone, when there are any. Of a path there are none.
ken_status ken_query__find_names(ken_snapshot *s, ken_str name, ken_str file_hint, ken_arena *arena,
                                 query_names *out, ken_err *err) KEN_MUST_USE;
// "a.b::c" -> "c"; out_scope "b" or empty.
ken_str ken_query__last_name(ken_str qualified, ken_str *out_scope);

#endif
