// SPDX-License-Identifier: MIT
// index.h -- the pipeline: discover, compare, read, parse, chunk, tokenise, commit one generation.
//
// ken_index_run brings a project's index up to date with its folder. Unchanged files (size, mtime,
// ctime and inode agree, and both times are older than the run before) are not even read; content that is
// already known is not parsed again. Readers see the old generation until the new one is committed.
// Results are stored in batches on the way, so a run that is stopped or killed goes on where
// it was. A long run that has no generation to begin with, or one that lacks much of the folder, commits
// partial generations on its way (store/partial.h): the files that people will want first are read first.
//
// Threads: the caller's thread writes; `n_jobs` workers of the run's own read and parse, and one
// scans before.
// Errors: KEN_EBUSY when another process writes this index; KEN_ECANCELLED; KEN_ENOSPC. Problems of
// single files are skips or issues, never errors.
#ifndef KEN_INDEX_INDEX_H
#define KEN_INDEX_INDEX_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/err.h"
#include "chunk/chunk.h"
#include "embed/embed.h"
#include "scan/scan.h"
#include "store/store.h"

typedef struct ken_index_progress {
    const char
        *stage; // static: "scanning", "indexing", "committing", "embedding"; of who waits "waiting"
    uint64_t n_done, n_total; // files
    uint64_t bytes_done, bytes_total;
    int64_t left_ms; // of reading and parsing, at its pace so far; 0 = not known
} ken_index_progress;

typedef void ken_index_progress_fn(void *ctx, const ken_index_progress *p);

// Which parts of `scan` a caller gave, beyond settings, to limit the index to. The index remembers them,
// and a later run that is given none keeps to them.
typedef struct ken_index_scope {
    bool has_include, has_exclude, has_max_bytes;
    bool is_cleared; // what the index remembers is forgotten: settings count
    bool may_shrink; // else KEN_EINVAL, and nothing done, when more files are taken away than added
} ken_index_scope;

typedef struct ken_index_opts {
    ken_scan_opts scan;
    ken_index_scope scope;
    ken_str scope_lines; // the scope (ken_index_load_scope) of an index that remembers none
    bool is_forced;      // reads and parses everything again
    bool is_strict;      // KEN_EIO, and no new generation, for a file that cannot be
                         // read; otherwise it is left out, as an issue
    bool reads_doubtful; // of ken_index_look: what is doubtful is read, up to some megabytes
    uint32_t n_jobs;     // 0 = one per core
    bool
        only_likely; // files whose path promises code get vectors of the built-in model, others none
    ken_chunk_opts chunks; // sizes: with others every file is extracted again
    // Bytes that the run may use of its own, 0 = 512 MiB; beside them at most ken_index_map_bytes of the
    // database are resident, as pages that the kernel may take back.
    uint64_t memory_limit;
    uint32_t first_files; // of the first partial generation; 0 = as fits a run of some seconds
    ken_index_progress_fn *on_progress; // on the caller's thread, at most every 50 ms; may be NULL
    void *progress_ctx;
    ken_held_files held; // outlive the run, which does not load them while they are the newest
} ken_index_opts;

typedef struct ken_issue {
    ken_str path;
    ken_str text;
} ken_issue;

typedef struct ken_index_report {
    uint64_t generation;
    int64_t at_ms;    // when that was made
    uint64_t n_files; // in the index now
    // By content: a file that was only touched is unchanged. All but the removed make n_files.
    uint64_t n_added, n_modified, n_removed, n_renamed, n_unchanged;
    uint64_t n_parsed; // contents that were parsed by this run
    uint64_t n_chunks; // in the index now
    uint64_t n_symbols;
    uint64_t bytes_parsed;
    uint64_t n_skipped;
    uint64_t skips[KEN_SKIP_COUNT];
    ken_issue *issues; // at most 1,000, in the arena
    size_t n_issues;
    ken_str scope; // that the index has: lines of ken_index_load_scope, in the arena
    int64_t duration_ms;
    int64_t scan_ns, read_ns,
        commit_ns; // of the stages: comparing, reading and parsing, committing
    // When the limit is below what these files take at least: the limit, and about what they need.
    // The run takes as little as it can, which is more than it may.
    uint64_t memory_limit, memory_needed;
    // Of the index that this one replaced because it was damaged: set by who replaces it.
    uint64_t n_checkpoints_kept, n_checkpoints_lost;
} ken_index_report;

// How much of its database a run under that limit should have mapped (ken_store_opts.map_bytes).
uint64_t ken_index_map_bytes(uint64_t memory_limit);
// And how much of it as pages of its own, which count (ken_store_opts.cache_bytes).
uint64_t ken_index_cache_bytes(uint64_t memory_limit);
// That the limit did not hold, and what would; empty when it did.
ken_str ken_index_memory_note(const ken_index_report *r, ken_arena *arena);
// Brings the index in `store` up to date with the folder `root` (absolute real path). `*out` is set on
// success only; its texts live in `arena`.
ken_status ken_index_run(ken_store *store, const char *root, const ken_index_opts *opts,
                         const ken_cancel *cancel, ken_arena *arena, ken_index_report *out,
                         ken_err *err) KEN_MUST_USE;

// The scope of the index: a line for each "include GLOB", "exclude GLOB", "max_file_bytes N"; empty
// when it follows from the settings.
ken_status ken_index_load_scope(ken_store *store, ken_arena *arena, ken_str *out, ken_err *err)
    KEN_MUST_USE;

// The same as lists; 0 = none, or as the settings say.
typedef struct ken_index_limits {
    const ken_str *include, *exclude; // globs
    size_t n_include, n_exclude;
    uint64_t max_file_bytes;
} ken_index_limits;

// The lists are in the arena, their texts borrowed from `lines`.
void ken_index_parse_limits(ken_str lines, ken_arena *arena, ken_index_limits *out);
// In the open write transaction; what the next run keeps to. All zero: the settings count again.
ken_status ken_index_put_limits(ken_store *store, const ken_index_limits *limits, ken_arena *arena,
                                ken_err *err) KEN_MUST_USE;

// The further roots that the index was made of, as ken_roots_format writes them; empty = none.
ken_status ken_index_load_roots(ken_store *store, ken_arena *arena, ken_str *out, ken_err *err)
    KEN_MUST_USE;

// Which files came, changed and went, by generation: the newest 1,000 at most, oldest first. The first generation,
// which adds all its files, has none. Renamed is a file whose content
// is the same under another path, or alike enough for git, which tracks both.
typedef enum ken_file_event_kind {
    KEN_FILE_NONE = 0,
    KEN_FILE_ADDED,
    KEN_FILE_MODIFIED,
    KEN_FILE_DELETED,
    KEN_FILE_RENAMED,
} ken_file_event_kind;

const char *ken_file_event_word(ken_file_event_kind k); // "added"

typedef struct ken_file_event {
    uint64_t generation;
    int64_t at_ms;
    ken_str path;
    ken_str old_path; // of RENAMED, else empty
    ken_file_event_kind kind;
} ken_file_event;

#define KEN_INDEX_EVENTS "index.events" // the value they are kept in
ken_status ken_index_load_events(ken_store *store, ken_arena *arena, ken_file_event **out,
                                 size_t *out_n, ken_err *err) KEN_MUST_USE;

// How large the index was after a generation, which was complete.
typedef struct ken_index_lang_size {
    const char *language; // static
    uint64_t n_files, n_bytes;
} ken_index_lang_size;

typedef struct ken_index_sizes {
    uint64_t generation;
    int64_t at_ms; // of the generation
    uint64_t n_files, n_chunks, n_symbols, n_lines;
    uint64_t n_bytes;           // of the files
    uint64_t segment_bytes;     // of what is searched in
    uint64_t store_bytes;       // of its file, other trees included; 0 = not known, in a database
    ken_index_lang_size *langs; // most files first; none where they are not known
    size_t n_langs;
} ken_index_sizes;

// The oldest first: at most 128, of which the older ones are further apart.
#define KEN_INDEX_SIZES "index.sizes" // the value they are kept in
ken_status ken_index_load_sizes(ken_store *store, ken_arena *arena, ken_index_sizes **out,
                                size_t *out_n, ken_err *err) KEN_MUST_USE;

// How far an index is behind its folder.
typedef struct ken_index_look_report {
    uint64_t generation; // 0 = nothing has been indexed yet
    bool is_current;     // a run would change nothing, and would not read any file
    uint64_t n_added, n_modified, n_removed; // files, by path and stamp
    uint64_t n_doubtful; // written around the time of the last run, and not read: a run would
} ken_index_look_report;

// Begins a read transaction on the store that is compared, and lists the files of its generation
// (ken_store_load_files). Whoever gave the function ends the transaction. Without a generation:
// KEN_ENOTFOUND.
typedef ken_status ken_index_files_fn(void *ctx, const ken_file_row **out, size_t *out_n,
                                      ken_err *err);

// Looks and writes nothing: any reader's store will do, and no lock is needed. A thread of its own
// scans; `files` is called meanwhile on this one, and the comparison is with the generation that it
// fixed. Before it, the store has no transaction.
ken_status ken_index_look(ken_store *store, const char *root, const ken_index_opts *opts,
                          ken_index_files_fn *files, void *files_ctx, const ken_cancel *cancel,
                          ken_arena *arena, ken_index_look_report *out, ken_err *err) KEN_MUST_USE;

// Why an index has no files, by counts of reasons, and what to do; empty when it has some.
ken_str ken_index_empty_note(const ken_index_report *r, const ken_index_opts *opts,
                             ken_arena *arena);

// What extracts facts: the version of the program with the sizes of chunks. What another one has extracted
// is extracted again by the next run.
uint32_t ken_index_feature(const ken_chunk_opts *chunks, ken_arena *arena);

// ---- copying ---------------------------------------------------------------------------------
typedef struct ken_index_copy_opts {
    ken_str root;  // of the generation that is made
    ken_str roots; // its further roots, as ken_roots_format writes them; empty = none
    ken_index_progress_fn *on_progress; // stage "copying", in contents; may be NULL
    void *progress_ctx;
} ken_index_copy_opts;

typedef struct ken_index_copy_report {
    uint64_t generation;
    uint64_t n_files, n_chunks, n_symbols, n_bytes;
    uint64_t n_added, n_shared; // contents that the target had not, and had
} ken_index_copy_report;

// Makes the newest generation of `from` that of `to` (index_copy.c says what comes along), in the open write
// transaction of `to`, which is the caller's to end. `from` has no transaction; it may be anybody's:
// KEN_ECORRUPT for what is not sound. Checkpoints and rules of `to` stay, as does what else is of
// persons. Both were extracted by the same version: which, is for the caller to check.
ken_status ken_index_copy(ken_store *from, ken_store *to, const ken_index_copy_opts *opts,
                          const ken_cancel *cancel, ken_index_copy_report *out, ken_err *err)
    KEN_MUST_USE;
// The feature that made the newest generation; KEN_ENOTFOUND without a message when there is none.
ken_status ken_index_load_feature(ken_store *store, uint32_t *out, ken_err *err) KEN_MUST_USE;

// ---- rows of a database ----------------------------------------------------------------------
typedef struct ken_index_fill_report {
    uint64_t n_filled;  // contents that have their rows now
    uint64_t n_left;    // of which no file has the bytes any more
    uint64_t n_vectors; // contents that have rows of vectors now
} ken_index_fill_report;

// Makes the rows that contents of the newest generation lack (store/rows.h): of one that came from a file, a bundle, or
// under other settings. For files nothing is done, and what was done once is found by one question. `max_file_bytes` 0 = 1 MiB.
ken_status ken_index_fill(ken_store *store, const char *root, uint64_t max_file_bytes,
                          const ken_cancel *cancel, ken_index_fill_report *out, ken_err *err)
    KEN_MUST_USE;
// Tells a database which words the segments have of which it does not know that yet (ken_database_find_words). For files
// nothing is done.
ken_status ken_index_tell_words(ken_store *store, const ken_cancel *cancel, ken_err *err)
    KEN_MUST_USE;

// ---- vectors of another model ----------------------------------------------------------------
// ken_index_run makes vectors of the built-in model on its way, while these are the ones that
// answer. All others are made by this stage, after a run: of every content of the newest generation
// that the model has no vectors of yet, from the file and the stored facts, without parsing. What
// was made is kept in transactions of a few hundred texts, so that a stage that is stopped goes on
// where it was. Once all contents have vectors the model becomes the one that answers, and the
// vectors of all others are dropped, in one transaction and as a new generation; until then the
// old ones answer.
typedef struct ken_index_embed_opts {
    uint64_t max_file_bytes; // as of the run; 0 = 1 MiB
    size_t batch;            // texts of a transaction, about; 0 = 256
    ken_str record;          // kept with the index for whoever asks with this model; may be empty
    bool only_likely;        // as in ken_index_opts
    ken_index_progress_fn *on_progress; // stage "embedding", in contents; may be NULL
    void *progress_ctx;
} ken_index_embed_opts;

typedef struct ken_index_embed_report {
    uint64_t generation;
    uint64_t n_contents;   // of the generation, those without chunks left out
    uint64_t n_embedded;   // by this stage
    uint64_t n_texts;      // chunks of these
    uint64_t n_left;       // have no vectors: their files have changed since the run
    bool is_active;        // the model answers now
    bool has_model_failed; // the error is the embedder's: the index is fine
    int64_t duration_ms;
} ken_index_embed_report;

// `embedder` NULL = the built-in model. `*out` is set on failure as well. The store's only writer,
// as for ken_index_run.
ken_status ken_index_embed(ken_store *store, const char *root, ken_embedder *embedder,
                           const ken_index_embed_opts *opts, const ken_cancel *cancel,
                           ken_index_embed_report *out, ken_err *err) KEN_MUST_USE;

// Whether vectors of the built-in model are left out of files that are to have them now.
ken_status ken_index_lacks_vectors(ken_store *store, bool only_likely, bool *out, ken_err *err)
    KEN_MUST_USE;
// Whether the index has, or uses, vectors of another model than the built-in one.
ken_status ken_index_has_others(ken_store *store, bool *out, ken_err *err) KEN_MUST_USE;

// The cost of the vectors of a model so far, with stopped runs, without failed requests.
typedef struct ken_index_cost {
    uint64_t n_texts, n_ms;
} ken_index_cost;

// The vectors of an index.
typedef struct ken_index_vectors {
    char active[KEN_EMBED_NAME_MAX + 1];   // the model that answers
    char next[KEN_EMBED_NAME_MAX + 1];     // the one that is to replace it; "" = none
    bool is_builtin;                       // `active` is
    uint32_t n_dims;                       // of `active` as stored; 0 = there are none
    uint64_t n_contents, n_active, n_next; // with vectors
    uint64_t n_chunks, n_active_chunks;    // the same in chunks
    uint64_t n_bytes;                      // of the active ones in the store, before compression
    ken_index_cost cost, next_cost;        // nothing for the built-in model: runs make those
    int64_t made_at_ms;                    // when the last were made; 0 = by runs, on their way
    ken_str record;                        // of the active one, as it was given; in the arena
} ken_index_vectors;

ken_status ken_index_load_vectors(ken_store *store, ken_arena *arena, ken_index_vectors *out,
                                  ken_err *err) KEN_MUST_USE;

#endif
