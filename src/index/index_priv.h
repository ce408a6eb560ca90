// SPDX-License-Identifier: MIT
// index_priv.h -- the parts of a run: one file's work, the run itself, segment upkeep.
#ifndef KEN_INDEX_INDEX_PRIV_H
#define KEN_INDEX_INDEX_PRIV_H

#include "base/buf.h"
#include "embed/embed_static.h"
#include "index/index.h"
#include "lang/lang.h"
#include "learn/learn.h"
#include "lexical/lexical.h"
#include "mention/mention.h"
#include "vector/vector.h"

// Version of everything that turns bytes into facts and terms. Raising it makes every index be
// learnt again at its next run. 1: first. 2: plurals of capitals, case outside ASCII. 3: further
// declarators, constructors of C++, visibility by name in Ruby. 4: vectors. 5: another model. 6:
// references. 8: ends of literals. 9: functions that are put into fields. 10, 11: Kotlin, Scala,
// Lua, Zig, shell. 12: C++ behind macros. 16: what functions take; objects that are arguments.
// 18: what is masked. 19: `export =`, calls of what `require(…)` gives. 20: C's
// prototypes behind macros. 21: Python's types in quotes and `__all__`, functions of one line.
// 22: TypeScript that its grammar rejects. 23: structs that C only declares. 27: what overloads
// are called with; members of Go's named types. 28: generated code. 29: owners of nested classes.
// 30: what is divided begins a chunk. 31: macros of Rust. 32: yacc,
// lex, m4, jq and the like are code. 33: elements of JSX. 34: annotations without arguments, routes
// without a text. 35: parameters of C++ functions that give pointers or references.
// 36: what C++ functions take and are called with. 37: the same of four languages.
// 38: "discovery" and "discover" are one term. 39: chunks of comments. 42: conversions and friends of C++.
// 45: what stands in macros of Rust. 46: what Java calls is no variable.
// 47: names in macros of Rust that are no macros. 48: what stands in macros of Rust in macros.
enum {
    KEN_EXTRACTION_VERSION = 48 // below 256
};

// The buffers of a worker, reused from file to file. One per worker thread.
typedef struct index_worker {
    ken_learner *learner;
    ken_tokenizer *tokenizer;
    ken_refs_packer *packer;
    ken_zip *zip;
    uint64_t made_for;                     // size of the largest file since it was renewed
    uint64_t identifier_bytes, keep_bytes; // of the caches of the tokenizer and the parser
} index_worker;

// One file on its way from the disk to the writer. Slots are recycled with their memory.
typedef struct index_slot {
    size_t file; // index among the scanned files
    ken_arena arena;
    ken_buf text, packed, packed_refs;
    ken_lex_doc doc;
    bool is_generated;
    bool has_vectors;
    ken_mentions mentions;   // names that it refers to
    ken_static_rows vectors; // of its chunks, by the built-in model
    // results
    ken_skip_reason skip; // not NONE: the file is left out
    ken_fs_stamp stamp;   // of what was read
    ken_content_key key;
    ken_content_info
        known; // id 0 = its content is new, and facts, packed, packed_refs and doc are set
    ken_facts facts;
    ken_refs refs;
    ken_status failure; // KEN_OK, or why the run must stop
    ken_err err;        // of that, or of reading what is left out as unreadable
    uint64_t made_for;  // size of the largest file since it was renewed
    struct index_slot *next;
} index_slot;

typedef struct index_job {
    ken_roots roots;        // open during a run
    ken_revision *revision; // whose files are read; NULL = the folder's
    uint64_t max_file_bytes;
    const ken_cancel *cancel;
    bool wants_vectors; // of the built-in model
    bool only_likely;   // of likely files
    bool wants_secrets; // files that are secrets are no skips
    ken_chunk_opts chunks;
    uint32_t feature; // version of what is extracted: of the program and of these sizes
} index_job;

// ---- what extracted contents --------------------------------------------------------------------
// A text of both, which equals that of a generation whose contents have their keys.
ken_str ken_index__format_feature(uint32_t feature, uint64_t n_forced, ken_arena *arena);
// How many forced runs the index has seen.
ken_status ken_index__load_forced(ken_store *store, ken_arena *arena, uint64_t *out, ken_err *err)
    KEN_MUST_USE;
ken_status ken_index__put_forced(ken_store *store, uint64_t n, ken_err *err) KEN_MUST_USE;

// ---- memory -------------------------------------------------------------------------------------
enum {
    INDEX_PARSE_FACTOR = 64,      // memory per byte of a file during extraction, about
    INDEX_LARGE_FILE = 256 << 10, // what a larger one took is given back at once
    INDEX_MEDIUM_FILE = 64 << 10, // what a larger one took is given back before much smaller ones
    INDEX_MEMORY_DEFAULT = 512 << 20, // of a limit of 0
    INDEX_MEMORY_LEAST = 32 << 20,    // beside what grows with the number of files
    INDEX_GAUGED = 1 << 20,        // bytes that a file may take, before memory is looked at for it
    INDEX_CACHE_MOST = 8 << 20,    // of pages of the database
    INDEX_SEGMENT_LEAST = 1 << 20, // in builders, before it is worth a segment
    INDEX_WORKER_BYTES = 8 << 20   // that a worker and its slots keep, at least
};

// How a run divides its memory limit. Memory in use (the lists of files and rows) is subtracted first; the
// rest after these shares is for the other buffers of workers and the cache of the database.
typedef struct index_memory {
    uint64_t limit;       // of all together
    uint64_t builders;    // postings, names and vectors not yet written, together
    uint64_t in_work;     // files in extraction
    uint64_t identifiers; // caches of the tokenizers, together
    uint64_t kept;        // what parsers keep from file to file, together
    uint32_t n_workers;   // at most
} index_memory;

// `held`: bytes in use. At least INDEX_MEMORY_LEAST is divided, however large it is.
index_memory ken_index__split_memory(uint64_t limit, uint64_t held);
// The least memory for a run that holds `held` bytes and extracts files of up to `largest_file` bytes.
uint64_t ken_index__memory_needed(uint64_t held, uint64_t largest_file);

// Its share of the memory that is divided among so many.
void ken_index__worker_init(index_worker *w, const index_memory *m, size_t n_workers);
// Frees what grew with the size of files; the cache of its tokenizer stays.
void ken_index__worker_renew(index_worker *w);
// And that cache.
void ken_index__worker_empty(index_worker *w);
// Whether memory that was made for a file of `made_for` bytes is given back before one of `next`:
// files come largest first, and the small ones are many.
bool ken_index__is_outgrown(uint64_t made_for, uint64_t next);
void ken_index__slot_init(index_slot *s);
void ken_index__slot_renew(index_slot *s);
void ken_index__worker_release(index_worker *w);
void ken_index__slot_release(index_slot *s);
ken_vector_model ken_index__builtin_model(void);

// Whether a question more likely wants a file of that path than one of the others: code, but no tests, examples,
// documents and copies. It depends on nothing else, so that a run over a change chooses as one over the whole.
bool ken_index__is_likely(ken_str path);

// Reads and identifies: sets skip, stamp, key. False when the file is left out.
bool ken_index__file_read(const index_job *job, ken_str path, index_slot *s);
// Learns facts and terms of the text that was read.
void ken_index__file_learn(const index_job *job, index_worker *w, ken_str path, index_slot *s);

// ---- files left out for what is in them ---------------------------------------------------------
typedef struct index_late {
    ken_str path;
    ken_fs_stamp stamp;
    ken_skip_reason reason;
} index_late;

// Sorted by path; none when there is no list yet.
ken_status ken_index__load_late(ken_store *store, ken_arena *arena, index_late **out, size_t *out_n,
                                ken_err *err) KEN_MUST_USE;
// The same list as before is not written again.
ken_status ken_index__put_late(ken_store *store, const index_late *items, size_t n, ken_err *err)
    KEN_MUST_USE;
// A hash of the whole list of skips; 0 = none was stored.
ken_status ken_index__load_skips_key(ken_store *store, ken_arena *arena, uint64_t *out,
                                     ken_err *err) KEN_MUST_USE;
ken_status ken_index__put_skips_key(ken_store *store, uint64_t key, ken_err *err) KEN_MUST_USE;

// ---- segments -----------------------------------------------------------------------------------
// Write what a builder holds as a segment of the open transaction; fine when it is empty. Words are
// sorted by n_jobs threads when they are many.
ken_status ken_index__flush_words(ken_store *store, ken_lex_builder *b, uint32_t n_jobs,
                                  ken_err *err) KEN_MUST_USE;
ken_status ken_index__flush_mentions(ken_store *store, ken_mention_builder *b, ken_err *err)
    KEN_MUST_USE;
ken_status ken_index__flush_vectors(ken_store *store, ken_vector_builder *b, ken_err *err)
    KEN_MUST_USE;
// The ids of contents that files have, of any tree, sorted. Most runs need no list of them: it is read from `store`
// once, for the first that does. Neither of both = all there are.
typedef struct index_alive {
    const int64_t *ids;
    size_t n;
    ken_store *store;
    ken_arena *arena; // of the list
} index_alive;

// Joins segments when there are many, and leaves out contents that no file has when they are many.
// Inside the transaction of a generation. `n_lost`: files that lost their content since the
// generation before; UINT64_MAX = not known.
ken_status ken_index__tidy(ken_store *store, index_alive *alive, uint64_t n_lost, ken_err *err)
    KEN_MUST_USE;
// The same for vectors alone, all of which are alive.
ken_status ken_index__tidy_vectors(ken_store *store, ken_err *err) KEN_MUST_USE;
// Joins those of a kind until there are at most `most`, in the open transaction.
ken_status ken_index__join(ken_store *store, ken_segment_kind kind, size_t most, index_alive *alive,
                           ken_err *err) KEN_MUST_USE;
// Of segments of these sizes, largest first: the first of those that are joined; n = none are.
size_t ken_index__plan_join(const uint64_t *sizes, size_t n, size_t most);

// ---- which contents have vectors ----------------------------------------------------------------
typedef struct index_live {
    int64_t id;
    size_t first, end; // of the order: the files that have it
    uint32_t n_chunks;
    bool has_vectors;
    bool is_likely; // one of the files is
} index_live;

typedef struct index_cover {
    bool
        only_likely; // of likely files vectors are wanted, but those of others count where they are

    ken_file_row *rows; // sorted by path
    size_t *order;      // rows by content
    index_live *items;  // contents with chunks, by id
    size_t n_items;
    size_t n_wanted;                  // items that are to have vectors
    size_t n_done;                    // of these, with vectors
    uint64_t n_chunks, n_chunks_done; // of all
    uint32_t n_dims;                  // of the segments that were counted
    uint64_t n_bytes;
    bool has_others; // there are segments of other models
} index_cover;

// The names of values: the model that answers (KEN_VECTOR_ACTIVE), what it was chosen as, the one
// that is being made.
#define INDEX_ACTIVE_RECORD "embed.active_record"
#define INDEX_NEXT          "embed.next"
#define INDEX_MADE          "embed.made_ms"
// "likely" when vectors of the built-in model were left out of other files.
#define INDEX_CHOSEN "embed.files"
// And, with the name of a model behind it, what its vectors have taken: "TEXTS MILLISECONDS".
#define INDEX_COST "embed.cost "

// Contents of the newest generation; nothing has vectors yet.
ken_status ken_index__load_live(ken_store *store, ken_arena *arena, index_cover *out, ken_err *err)
    KEN_MUST_USE;
ken_status ken_index__load_cost(ken_store *store, const char *model, ken_arena *arena,
                                ken_index_cost *out, ken_err *err) KEN_MUST_USE;
// NULL forgets it.
ken_status ken_index__put_cost(ken_store *store, const char *model, const ken_index_cost *cost,
                               ken_arena *arena, ken_err *err) KEN_MUST_USE;
// Counts what has vectors of a model of that name.
ken_status ken_index__mark_covered(ken_store *store, const char *model, ken_arena *arena,
                                   index_cover *cover, ken_err *err) KEN_MUST_USE;
// Removes the segments of all other models, in the open transaction.
ken_status ken_index__drop_others(ken_store *store, const char *model, ken_arena *arena,
                                  ken_err *err) KEN_MUST_USE;
// A value as a text of at most KEN_EMBED_NAME_MAX bytes; "" when it is not there.
ken_status ken_index__load_name(ken_store *store, const char *key, ken_arena *arena,
                                char out[KEN_EMBED_NAME_MAX + 1], ken_err *err) KEN_MUST_USE;

// ---- index_scope.c ----
#define INDEX_SCOPE "index.scope" // the value it is kept in
bool ken_index__is_scope_given(const ken_index_scope *s);
// The scope that the index has, and the one that it will have: the one that `opts` give, else the same,
// which then becomes that of `opts`. Texts are in the arena.
ken_status ken_index__take_scope(ken_store *store, ken_arena *arena, ken_index_opts *opts,
                                 ken_str *out_before, ken_str *out, ken_err *err);
ken_status ken_index__put_scope(ken_store *store, ken_str text, ken_err *err);

// ---- index_roots.c ----
// Opens the folder and the further roots of the job. `more` (may be NULL) is copied into the arena.
ken_status ken_index__open_roots(index_job *job, const char *root, const ken_roots *more,
                                 ken_arena *arena, ken_err *err) KEN_MUST_USE;
void ken_index__close_roots(index_job *job);

// ---- index_sizes.c ----------------------------------------------------------------------------
// Files and their bytes by language, as ken_lang_id.
typedef struct index_langs {
    bool is_known;
    uint64_t n_files[KEN_LANG_COUNT], n_bytes[KEN_LANG_COUNT];
} index_langs;

void ken_index__count_lang(index_langs *l, const ken_content_info *info);

typedef struct index_sizing {
    const ken_generation *made;       // by the open transaction, which has put all its files
    const ken_generation *before;     // what its files are made of, without files = nothing,
    const index_langs *gained, *lost; // and with these; NULL = none
} index_sizing;

// Adds the sizes of a generation to those there are, within the bound.
ken_status ken_index__put_sizes(ken_store *store, const index_sizing *s, ken_err *err) KEN_MUST_USE;

// ---- index_events.c ---------------------------------------------------------------------------
// What a run has found to note, until it commits.
typedef struct index_events {
    uint64_t generation; // that the run makes; the first has no events
    int64_t at_ms;
    bool is_first; // every file is new: none are noted
    ken_buf lines;
} index_events;

void ken_index__note_event(index_events *c, ken_file_event_kind kind, ken_str path);
void ken_index__note_rename(index_events *c, ken_str old_path, ken_str path);
// Keeps them behind those there are, within the bound.
ken_status ken_index__put_events(ken_store *store, index_events *c, ken_arena *arena, ken_err *err)
    KEN_MUST_USE;

#endif
