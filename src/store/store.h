// SPDX-License-Identifier: MIT
// store.h -- where a project's files, facts and search segments are kept.
//
// One ken_store is one open database. It keeps three kinds of things (README.md has the tables and
// what each query costs):
//   contents   the facts and references of the bytes of a file, by SHA-256 and language;
//   files      which path holds which content now: the newest generation;
//   segments   immutable search structures over contents, cut into blocks.
// A generation becomes visible with one commit. Contents and segments may be committed before it:
// until a file of a generation has them they are invisible, and a run that was killed finds them again.
//
// Ownership: what is loaded lives in the arena passed. Threads: one store per thread; several
// processes may read while one writes. Errors: KEN_ENOTFOUND for absent rows, KEN_EBUSY when locked
// too long, KEN_EVERSION for a newer schema, KEN_ECORRUPT, KEN_ENOSPC, else KEN_EIO.
#ifndef KEN_STORE_STORE_H
#define KEN_STORE_STORE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/id.h"
#include "blocks/blocks.h"
#include "model/facts.h"
#include "model/skip.h"
#include "store/database.h"
#include "store/store_facts.h" // the packed forms that ken_store_add_content takes
#include "store/store_refs.h"

typedef struct ken_store ken_store;

enum {
    KEN_SEGMENT_BLOCK = 64 * 1024
}; // bytes of every block of a segment but its last

#define KEN_STORE_MAP_NOTHING UINT64_MAX

typedef struct ken_store_opts {
    const char *path;       // of a SQLite file; with a database, the name of the index there
    ken_database *database; // NULL: SQLite
    bool is_read_only;      // KEN_ENOTFOUND when there is no database
    bool may_ask_replica;   // for read transactions; of PostgreSQL, read only
    uint64_t cache_bytes;   // page cache; 0 = 8 MiB
    // Of the file at most so many bytes are mapped, from its start; those that were read count as
    // resident. 0 = the most, 256 MiB; or KEN_STORE_MAP_NOTHING.
    uint64_t map_bytes;
    // What others have added since it was opened may be said not to be there: many look-ups cost one.
    bool is_glance;
    uint32_t busy_ms; // how long to wait for another writer; 0 = 5,000
    // The id of the project whose tree is meant; all zeros = the first tree. One that is not there is made by
    // who writes, and is KEN_ENOTFOUND for who reads.
    ken_uuid tree;
    // Of a database: the run that writes (workers.h), or zeros. When it has lost its lease nothing is committed,
    // and that is KEN_EBUSY.
    ken_uuid run;
} ken_store_opts;

// Creates or migrates the database. Read-only, it is only migrated, where that may be written.
ken_status ken_store_open(const ken_store_opts *opts, ken_store **out, ken_err *err) KEN_MUST_USE;
void ken_store_close(ken_store *s);
// The version of the tables of a SQLite file that this program makes; it reads older ones.
int32_t ken_store_sqlite_schema(void);
// Where it is: another store on the same data can be opened with these, and with what else is wanted.
ken_store_opts ken_store_place(const ken_store *s);
// Of the index that `opts` names: another one of that name has another number. KEN_ENOTFOUND without a message
// when there is none.
ken_status ken_store_identify(const ken_store_opts *opts, uint64_t *out, ken_err *err) KEN_MUST_USE;
// Removes it with all that is beside it, notes included; fine when it is not there. Nobody has it open.
ken_status ken_store_erase(const ken_store_opts *opts, ken_err *err) KEN_MUST_USE;

// ---- damage ----------------------------------------------------------------------------------
// Whether this thread read a damaged page of any database since ken_store_forget_damage: then its
// results may be incomplete, even when the calls in between succeeded.
// KEN_ECORRUPT names the page; `*out_path` is the database.
ken_status ken_store_find_damage(ken_arena *arena, ken_str *out_path, ken_err *err) KEN_MUST_USE;
void ken_store_forget_damage(void);

// ---- transactions ----------------------------------------------------------------------------
// Writes need begin_write; reads need nothing, but see one state only between begin_read and
// commit. A write that fails spoils its transaction: later writes and the commit fail with the same
// status. Whatever commit answers, the transaction is over. One that names a generation, or writes
// a checkpoint, is on disk when it returns; others are safe from kill -9, and from a power cut once
// such a one followed.
ken_status ken_store_begin_read(ken_store *s, ken_err *err) KEN_MUST_USE;
// The next read transaction is a part of `in`, of the store's database, which is borrowed until it ends: its state is
// the one that `in` sees. NULL does nothing, and is all that a store in a file takes.
ken_status ken_store_share_read(ken_store *s, ken_database_reading *in, ken_err *err) KEN_MUST_USE;
ken_status ken_store_begin_write(ken_store *s, ken_err *err) KEN_MUST_USE;
ken_status ken_store_commit(ken_store *s, ken_err *err) KEN_MUST_USE;
void ken_store_rollback(ken_store *s); // fine when nothing is open

// A write transaction of its own: `work`, then the commit, or the rollback of what failed. Where a database let
// another transaction through in its place it is done again, a few times, so `work` sets anew all that it gives.
typedef ken_status ken_store_write_fn(ken_store *s, void *ctx, ken_err *err);
ken_status ken_store_write(ken_store *s, ken_store_write_fn *work, void *ctx, ken_err *err)
    KEN_MUST_USE;
ken_status ken_store_write_value(ken_store *s, ken_str name, ken_str value, ken_err *err)
    KEN_MUST_USE; // as ken_store_put_value

// ---- contents --------------------------------------------------------------------------------
typedef struct ken_content_key {
    ken_sha256 sha;
    uint16_t lang;
    uint32_t feature; // version of what extracts facts; others are not found
} ken_content_key;

typedef struct ken_content_info {
    int64_t id;
    uint64_t n_bytes;
    uint32_t n_lines, n_chunks, n_symbols, n_error_bytes;
    uint16_t lang;
    bool is_fallback, is_generated;
} ken_content_info;

ken_status ken_store_find_content(ken_store *s, const ken_content_key *key, ken_content_info *out,
                                  ken_err *err) KEN_MUST_USE;
// The facts and references of a content in their stored form.
typedef struct ken_packed {
    ken_str facts; // ken_facts_pack's bytes
    ken_str refs;  // ken_refs_pack's, empty = none
    // What a database keeps beside them, for SQL and for machines without the folder. None is needed:
    const ken_refs *plain_refs; // what `refs` is of; NULL = it is unpacked
    ken_str text;               // the file's, masked; ptr NULL = not at hand, and not kept then
    ken_str language;           // its name
} ken_packed;

// Facts and refs come together. The id is above all ids there ever were. A content of the same
// key (a forced run reads everything again) stays for the files that have it, and is not found any
// more. Add a content and the segment that covers it in one transaction: then whatever is found by
// key can be searched too, and a killed run leaves nothing half done.
ken_status ken_store_add_content(ken_store *s, const ken_content_key *key, const ken_facts *facts,
                                 const ken_packed *packed, int64_t *out_id, ken_err *err)
    KEN_MUST_USE;
// The packed bytes as they are: for many threads to unpack.
ken_status ken_store_load_packed(ken_store *s, int64_t content, ken_arena *arena, ken_str *out,
                                 ken_err *err) KEN_MUST_USE;
// The same for references: for ken_refs_unpack with the content's facts. Empty when there are none or
// when there is no such content.
ken_status ken_store_load_packed_refs(ken_store *s, int64_t content, ken_arena *arena, ken_str *out,
                                      ken_err *err) KEN_MUST_USE;
// The text that its facts are of, masked. KEN_ENOTFOUND without a message where it is not kept: in files it never is.
ken_status ken_store_load_text(ken_store *s, int64_t content, ken_arena *arena, ken_str *out,
                               ken_err *err) KEN_MUST_USE;
// The same for who copies contents: no text, as files have none, is not an error, and `*out` stays as it was.
ken_status ken_store_copy_text(ken_store *s, int64_t content, ken_arena *arena, ken_str *out,
                               ken_err *err) KEN_MUST_USE;
// Its row, without facts and references. KEN_ENOTFOUND without a message.
ken_status ken_store_load_info(ken_store *s, int64_t content, ken_content_info *out, ken_err *err)
    KEN_MUST_USE;
// The hash of its bytes. KEN_ENOTFOUND without a message.
ken_status ken_store_load_sha(ken_store *s, int64_t content, ken_sha256 *out, ken_err *err)
    KEN_MUST_USE;
// Both of many contents, parallel to the ids. One that is not there has the id 0.
typedef struct ken_content_mark {
    ken_content_info info;
    ken_sha256 sha;
} ken_content_mark;

ken_status ken_store_load_marks(ken_store *s, const int64_t *contents, size_t n,
                                ken_content_mark *out, ken_err *err) KEN_MUST_USE;
ken_status ken_store_load_facts(ken_store *s, int64_t content, ken_arena *arena, ken_facts *out,
                                ken_err *err) KEN_MUST_USE;
// `facts` are those of the same content and live as long as what is loaded. A content that was
// extracted before there were references has none.
ken_status ken_store_load_refs(ken_store *s, int64_t content, const ken_facts *facts,
                               ken_arena *arena, ken_refs *out, ken_err *err) KEN_MUST_USE;

// Whether a read is a round trip to another process, so that hints are worth making.
bool ken_store_is_remote(const ken_store *s);
// A hint: the facts of these contents will be loaded next, about in this order, and what else `what` says. Where each would
// be a round trip several come with the first that is loaded, until the read transaction ends. Some hints are in force
// at once.
enum {
    KEN_EXPECT_REFS = 1,
    KEN_EXPECT_TEXT = 2
};

ken_status ken_store_expect_contents(ken_store *s, const int64_t *contents, size_t n, unsigned what,
                                     ken_err *err) KEN_MUST_USE;

// ---- files of the newest generation ----------------------------------------------------------
typedef struct ken_file_row {
    int64_t id;
    ken_str path;
    int64_t content;
    ken_fs_stamp stamp;
    int64_t changed_at_ms; // when its content last changed
} ken_file_row;

// The rows of a generation that somebody has in memory.
typedef struct ken_held_files {
    uint64_t generation;      // 0 = none
    int64_t at_ms;            // when it was made
    const ken_file_row *rows; // sorted by path
    size_t n;
} ken_held_files;

// Sorted by path. `out_contents`, parallel to the rows, may be NULL.
ken_status ken_store_load_files(ken_store *s, ken_arena *arena, ken_file_row **out, size_t *out_n,
                                ken_content_info **out_contents, ken_err *err) KEN_MUST_USE;
// Inserts (id 0) or updates (by id) a row. A path is held by one row at a time (KEN_EEXIST): remove
// and rename away before what takes the place. KEN_EINVAL when the content is not there.
ken_status ken_store_put_file(ken_store *s, const ken_file_row *row, ken_err *err) KEN_MUST_USE;
ken_status ken_store_remove_file(ken_store *s, int64_t id, ken_err *err) KEN_MUST_USE;

// The ids of contents that a file of any tree has, in order.
ken_status ken_store_list_live(ken_store *s, ken_arena *arena, int64_t **out, size_t *out_n,
                               ken_err *err) KEN_MUST_USE;

typedef struct ken_skip_row {
    ken_str path;
    ken_skip_reason reason;
} ken_skip_row;

// The whole list, in a stable order: the same list again costs one hash of it.
ken_status ken_store_replace_skips(ken_store *s, const ken_skip_row *rows, size_t n, ken_err *err)
    KEN_MUST_USE;
// By reason, then path. Reason KEN_SKIP_NONE = all.
ken_status ken_store_load_skips(ken_store *s, ken_skip_reason reason, size_t limit,
                                ken_arena *arena, ken_skip_row **out, size_t *out_n, ken_err *err)
    KEN_MUST_USE;

// ---- segments --------------------------------------------------------------------------------
typedef enum ken_segment_kind { // stored: numbers stay
    KEN_SEGMENT_WORDS = 1,
    KEN_SEGMENT_VECTORS = 2,
    KEN_SEGMENT_MENTIONS = 3, // the name index
} ken_segment_kind;

typedef struct ken_segment_info {
    int64_t id;
    uint64_t n_bytes;
    uint32_t n_contents;
} ken_segment_info;

ken_status ken_store_add_segment(ken_store *s, ken_segment_kind kind, ken_str bytes,
                                 uint32_t n_contents, int64_t *out_id, ken_err *err) KEN_MUST_USE;
// The same block by block, for what need not be in memory: open, write through the sink, close. All
// in one transaction; until it is closed nobody can read it.
typedef struct ken_segment_writer {
    ken_store *store;
    int64_t id;
    uint32_t n_blocks;
    uint64_t n_bytes;
} ken_segment_writer;

ken_status ken_store_open_segment(ken_store *s, ken_segment_kind kind, ken_segment_writer *out,
                                  ken_err *err) KEN_MUST_USE;
ken_block_sink ken_store_sink(ken_segment_writer *w); // as long as `w` stays where it is
ken_status ken_store_close_segment(ken_segment_writer *w, uint32_t n_contents, ken_err *err)
    KEN_MUST_USE;
ken_status ken_store_remove_segment(ken_store *s, int64_t id, ken_err *err) KEN_MUST_USE;

// The vectors of a content's chunks, scale * values each, as a segment of the same transaction has them.
typedef struct ken_store_vectors {
    const char *model;
    uint32_t n_dims;
    int64_t content;
    const int8_t *values; // n x n_dims
    const float *scales;  // n
    uint32_t n;
} ken_store_vectors;

// Rows for a database that searches vectors by itself (ken_database_get_vectors); elsewhere nothing is done.
ken_status ken_store_put_vectors(ken_store *s, const ken_store_vectors *v, ken_err *err)
    KEN_MUST_USE;
// Takes out those of all models but this one.
ken_status ken_store_drop_vectors(ken_store *s, const char *keep, ken_err *err) KEN_MUST_USE;
// For a database in which many indexes are looked through at once (ken_database_find_words): segments of words, and what
// words they have, as ken_lex_entry() numbers them. Those that were not told yet; elsewhere none.
ken_status ken_store_list_untold(ken_store *s, ken_arena *arena, ken_segment_info **out,
                                 size_t *out_n, ken_err *err) KEN_MUST_USE;
// Fine when the segment is gone, or was told already.
ken_status ken_store_put_words(ken_store *s, int64_t segment, const int64_t *entries, size_t n,
                               ken_err *err) KEN_MUST_USE;
// Those of one kind, oldest first.
ken_status ken_store_list_segments(ken_store *s, ken_segment_kind kind, ken_arena *arena,
                                   ken_segment_info **out, size_t *out_n, ken_err *err)
    KEN_MUST_USE;
// How many of all kinds there are, and their bytes: what is searched in.
ken_status ken_store_sum_segments(ken_store *s, ken_arena *arena, uint64_t *out_n,
                                  uint64_t *out_bytes, ken_err *err) KEN_MUST_USE;
// The ids of all kinds, in order.
ken_status ken_store_list_segment_ids(ken_store *s, ken_arena *arena, int64_t **out, size_t *out_n,
                                      ken_err *err) KEN_MUST_USE;
// A reader without an open transaction may find a segment merged away: KEN_ENOTFOUND, then it loads
// the newer generation. Ids are never used again, so it never gets other bytes. Copies one block
// into `into` (KEN_SEGMENT_BLOCK bytes); `*out_n` bytes were there. `store` is a ken_store: this is
// what a segment's source calls.
ken_status ken_store_read_block(void *store, int64_t segment, uint32_t block, void *into,
                                size_t *out_n, ken_err *err) KEN_MUST_USE;
// A segment as its readers take it.
ken_block_source ken_store_source(ken_store *s, const ken_segment_info *info);

// ---- the generation --------------------------------------------------------------------------
typedef struct ken_generation {
    uint64_t number; // 0 = none yet
    int64_t at_ms;
    ken_str git_head, git_branch;
    ken_str root; // absolute path when it was made
    uint64_t n_files, n_chunks, n_symbols, n_bytes, n_lines;
    uint64_t skips[KEN_SKIP_COUNT];
    bool is_based; // when it is loaded: its tree shares a list of files with others; nobody sets it
} ken_generation;

ken_status ken_store_load_generation(ken_store *s, ken_arena *arena, ken_generation *out,
                                     ken_err *err) KEN_MUST_USE;
// Makes all files of this transaction the newest generation. KEN_EINVAL unless the number grows.
ken_status ken_store_put_generation(ken_store *s, const ken_generation *g, ken_err *err)
    KEN_MUST_USE;
// Its number alone: one row read. 0 = none.
ken_status ken_store_get_generation(ken_store *s, uint64_t *out, ken_err *err) KEN_MUST_USE;

// ---- trees -----------------------------------------------------------------------------------
// Worktrees of one repository share an index: its contents, segments and the values whose names begin with
// "embed." or "store." are those of all its trees, all else is of the tree that a store was opened for. A
// new tree begins with the files of the one that was indexed last, with times that no file has: then its first
// generation writes what differs. Files that no tree has otherwise are kept once for all.
typedef struct ken_tree_info {
    ken_uuid project; // zeros when it is the first
    ken_str root;
    uint64_t generation, n_files;
    int64_t at_ms;
    bool is_first;
    bool is_based; // on a list of files that it shares
} ken_tree_info;

// The first one first.
ken_status ken_store_list_trees(ken_store *s, ken_arena *arena, ken_tree_info **out, size_t *out_n,
                                ken_err *err) KEN_MUST_USE;
// With its files and values; fine when it is not there. The first stays, with no generation. Its contents are
// left for ken_store_collect.
ken_status ken_store_remove_tree(ken_store *s, ken_uuid project, ken_err *err) KEN_MUST_USE;

// Small values that travel with the index, such as the settings it was made with. A value without
// a pointer removes the name. At most 16 MiB.
ken_status ken_store_load_value(ken_store *s, ken_str key, ken_arena *arena, ken_str *out,
                                ken_err *err) KEN_MUST_USE;
ken_status ken_store_put_value(ken_store *s, ken_str key, ken_str value, ken_err *err) KEN_MUST_USE;
bool ken_store_is_shared_value(ken_str key); // it is of all trees
// The names that have a value, in byte order.
typedef struct ken_value_info {
    ken_str key;
    uint64_t n_bytes;
} ken_value_info;

ken_status ken_store_list_values(ken_store *s, ken_arena *arena, ken_value_info **out,
                                 size_t *out_n, ken_err *err) KEN_MUST_USE;

// ---- upkeep ----------------------------------------------------------------------------------
// Removes contents that no file has, and returns their ids' number.
ken_status ken_store_collect(ken_store *s, uint64_t *out_removed, ken_err *err) KEN_MUST_USE;
// Of those with the ids `ids` only.
ken_status ken_store_collect_some(ken_store *s, const int64_t *ids, size_t n, ken_err *err)
    KEN_MUST_USE;
ken_status ken_store_checkpoint(ken_store *s, ken_err *err) KEN_MUST_USE; // after a large commit
// On disk. In a write transaction of a file: what it will be by its pages, once they are all in it.
ken_status ken_store_get_size(ken_store *s, uint64_t *out_bytes, ken_err *err) KEN_MUST_USE;
// Reads every page; KEN_ECORRUPT names the damage.
ken_status ken_store_verify(ken_store *s, ken_err *err) KEN_MUST_USE;

// After KEN_ECORRUPT: moves the closed database at `path` to "<path>.damaged-<n>", with its log, so
// that ken_store_open makes a new one. Nothing is deleted. KEN_ENOTFOUND when it is not there. Of
// several the last has the largest number.
ken_status ken_store_quarantine(const char *path, ken_arena *arena, ken_str *out_path, ken_err *err)
    KEN_MUST_USE;
// User data in it is recorded a second time, in a journal beside the database (README.md).
typedef struct ken_store_journal {
    uint64_t n_records, n_damaged; // lines; a damaged one is passed over
    bool exists;
} ken_store_journal;

// Reads all of the journal of the index at `path`, which may be gone, and changes nothing. KEN_EINVAL
// when it is that of another kind of database.
ken_status ken_store_read_journal(const char *path, ken_store_journal *out, ken_err *err)
    KEN_MUST_USE;
// Opens the index, puts in what it lacks, and makes a journal with damaged lines anew of it; the
// damaged one is kept.
ken_status ken_store_settle_journal(const char *path, ken_err *err) KEN_MUST_USE;

// A second name for the file at `path`, "<path>.damaged-<n>", before another takes its place. On a file
// system where a file has one name only, nothing is done.
ken_status ken_store_keep(const char *path, ken_err *err) KEN_MUST_USE;
// Where the last one went; empty when there is none.
ken_str ken_store_last_quarantined(const char *path, ken_arena *arena);

// ---- the slots of a backend (store_ops.h) ------------------------------------------------------
// X(slot, door, (parameters), (arguments), trace: the values that it shows)
// clang-format off
#define KEN_STORE_CONN_SLOTS(X)                                                                  \
    /* No transaction is open. */                                                                \
    X(begin_read, OWN, (ken_err *err), (err), NOTHING)                                           \
    /* No transaction is open. */                                                                \
    X(share_read, PLAIN, (ken_database_reading *in, ken_err *err), (in, err), NOTHING)           \
    /* Waits up to opts->busy_ms (0 = KEN_STORE_BUSY_MS) for other writers, then KEN_EBUSY. No   \
       transaction is open. */                                                                   \
    X(begin_write, OWN, (ken_err *err), (err), NOTHING)                                          \
    /* When it fails nothing is kept, and the transaction is still to be rolled back.            \
       is_durable: on disk before it returns. */                                                 \
    X(commit, OWN, (bool is_durable, ken_err *err), (is_durable, err), NUMBER(is_durable))       \
    /* No transaction is open. Busy readers are not an error. */                                 \
    X(checkpoint, OWN, (ken_err *err), (err), NOTHING)                                           \
    X(get_size, PLAIN, (uint64_t *out_bytes, ken_err *err), (out_bytes, err), NOTHING)           \
    /* Facts, refs and segments included. */                                                     \
    X(verify, READ, (ken_err *err), (err), NOTHING)
#define KEN_STORE_CONTENT_SLOTS(X)                                                               \
    /* KEN_ENOTFOUND without a message when there is none. */                                    \
    X(find_content, PLAIN, (const ken_content_key *key, ken_content_info *out, ken_err *err),    \
      (key, out, err), NUMBER(key->lang))                                                        \
    /* info->id is not looked at. The older row of the same key is not found by it any more.     \
       */                                                                                        \
    X(add_content, OWN, (const ken_content_key *key, const ken_content_info *info, const         \
      ken_facts *facts, const ken_packed *packed, int64_t *out_id, ken_err *err), (key, info,    \
      facts, packed, out_id, err),                                                               \
      NUMBER(info->n_bytes))                                                                     \
    /* KEN_ENOTFOUND without a message. */                                                       \
    X(load_packed, PLAIN, (int64_t content, ken_arena *arena, ken_str *out, ken_err *err),       \
      (content, arena, out, err), NUMBER(content))                                               \
    X(load_packed_refs, PLAIN, (int64_t content, ken_arena *arena, ken_str *out, ken_err         \
      *err), (content, arena, out, err), NUMBER(content))                                        \
    X(load_text, PLAIN, (int64_t content, ken_arena *arena, ken_str *out, ken_err *err),         \
      (content, arena, out, err), NUMBER(content))                                               \
    X(load_info, PLAIN, (int64_t content, ken_content_info *out, ken_err *err), (content, out,   \
      err), NUMBER(content))                                                                     \
    X(load_sha, PLAIN, (int64_t content, ken_sha256 *out, ken_err *err), (content, out, err),    \
      NUMBER(content))                                                                           \
    X(expect_contents, PLAIN, (const int64_t *contents, size_t n, unsigned what, ken_err *err),  \
      (contents, n, what, err), NUMBER(n))                                                  \
    X(load_marks, READ, (const int64_t *contents, size_t n, ken_content_mark *out, ken_err       \
      *err), (contents, n, out, err), NUMBER(n))                                                 \
    /* Their refs, too. */                                                                       \
    X(collect, WRITE, (uint64_t *out_removed, ken_err *err), (out_removed, err), NOTHING)        \
    /* Unless a file of any tree has it; fine when it is not there. */                           \
    X(collect_some, WRITE, (const int64_t *ids, size_t n, ken_err *err), (ids, n, err),          \
      NUMBER(n))
#define KEN_STORE_FILE_SLOTS(X)                                                                  \
    X(load_files, READ, (ken_arena *arena, ken_file_row **out, size_t *out_n, ken_content_info   \
      **out_contents, ken_err *err), (arena, out, out_n, out_contents, err), NOTHING)            \
    /* id 0 inserts; else the row must be there, or KEN_ENOTFOUND: of many that a call after it     \
       tells, the commit at the latest. */                                                       \
    X(put_file, OWN, (const ken_file_row *row, ken_err *err), (row, err), TEXT(row->path,        \
      row->content))                                                                             \
    /* KEN_ENOTFOUND when it is not there. */                                                    \
    X(remove_file, WRITE, (int64_t id, ken_err *err), (id, err), NUMBER(id))                     \
    X(list_live, READ, (ken_arena *arena, int64_t **out, size_t *out_n, ken_err *err), (arena,   \
      out, out_n, err), NOTHING)                                                                 \
    /* A path that comes twice with one reason is kept once. */                                  \
    X(replace_skips, OWN, (const ken_skip_row *rows, size_t n, ken_err *err), (rows, n, err),    \
      NUMBER(n))                                                                                 \
    X(load_skips, OWN, (ken_skip_reason reason, size_t limit, ken_arena *arena, ken_skip_row     \
      **out, size_t *out_n, ken_err *err), (reason, limit, arena, out, out_n, err),              \
      TEXT(ken_str_c(ken_skip_word(reason)), limit))
#define KEN_STORE_SEGMENT_SLOTS(X)                                                               \
    /* Without blocks. The id is above all ids there ever were. */                               \
    X(open_segment, OWN, (ken_segment_kind kind, int64_t *out_id, ken_err *err), (kind,          \
      out_id, err), NUMBER(kind))                                                                \
    /* Blocks come in order, from 0; all but the last are full. */                               \
    X(put_block, OWN, (int64_t segment, uint32_t block, ken_str bytes, ken_err *err),            \
      (segment, block, bytes, err), NUMBER(bytes.len))                                           \
    /* From here on it is listed, with these numbers. */                                         \
    X(end_segment, OWN, (int64_t segment, uint64_t n_bytes, uint32_t n_contents, ken_err         \
      *err), (segment, n_bytes, n_contents, err), NUMBER(n_bytes))                               \
    /* Where a database searches vectors by itself they are its rows, too; else nothing is done. \
       KEN_EINVAL when the model has vectors of other dimensions. */                             \
    X(put_vectors, WRITE, (const ken_store_vectors *v, ken_err *err), (v, err),                  \
      NUMBER(v->content))                                                                        \
    /* Those of all models but this one. */                                                      \
    X(drop_vectors, WRITE, (const char *keep, ken_err *err), (keep, err), NOTHING)               \
    /* Of words; none where no database looks through them. */                                   \
    X(list_untold, READ, (ken_arena *arena, ken_segment_info **out, size_t *out_n, ken_err       \
      *err), (arena, out, out_n, err), NOTHING)                                                  \
    X(put_words, WRITE, (int64_t segment, const int64_t *entries, size_t n, ken_err *err),       \
      (segment, entries, n, err), NUMBER(n))                                                     \
    /* KEN_ENOTFOUND when it is not there. */                                                    \
    X(remove_segment, WRITE, (int64_t segment, ken_err *err), (segment, err), NUMBER(segment))   \
    /* By id. Sizes are true: as many bytes can be read. */                                      \
    X(list_segments, READ, (ken_segment_kind kind, ken_arena *arena, ken_segment_info **out,     \
      size_t *out_n, ken_err *err), (kind, arena, out, out_n, err), NOTHING)                     \
    X(list_segment_ids, READ, (ken_arena *arena, int64_t **out, size_t *out_n, ken_err *err),    \
      (arena, out, out_n, err), NOTHING)                                                         \
    /* KEN_ENOTFOUND without a message. */                                                       \
    X(read_block, OWN, (int64_t segment, uint32_t block, void *into, size_t *out_n, ken_err      \
      *err), (segment, block, into, out_n, err), NUMBER(segment << 24 | block))
#define KEN_STORE_META_SLOTS(X)                                                                  \
    X(load_generation, READ, (ken_arena *arena, ken_generation *out, ken_err *err), (arena,      \
      out, err), NOTHING)                                                                        \
    X(put_generation, DURABLE, (const ken_generation *g, ken_err *err), (g, err),                \
      NUMBER(g->number))                                                                         \
    X(get_generation, PLAIN, (uint64_t *out, ken_err *err), (out, err), NOTHING)                 \
    X(list_trees, READ, (ken_arena *arena, ken_tree_info **out, size_t *out_n, ken_err *err),    \
      (arena, out, out_n, err), NOTHING)                                                         \
    X(remove_tree, WRITE, (ken_uuid project, ken_err *err), (project, err), NOTHING)             \
    /* KEN_ENOTFOUND without a message. */                                                       \
    X(load_value, OWN, (ken_str key, ken_arena *arena, ken_str *out, ken_err *err), (key,        \
      arena, out, err), TEXT(key, 0))                                                            \
    X(put_value, OWN, (ken_str key, ken_str value, ken_err *err), (key, value, err), TEXT(key,   \
      value.len))                                                                                \
    X(list_values, READ, (ken_arena *arena, ken_value_info **out, size_t *out_n, ken_err         \
      *err), (arena, out, out_n, err), NOTHING)
// clang-format on

#endif
