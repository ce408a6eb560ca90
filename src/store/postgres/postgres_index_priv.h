// SPDX-License-Identifier: MIT
// postgres_index_priv.h -- an index in a database, as the files of its slots share it.
#ifndef KEN_STORE_POSTGRES_POSTGRES_INDEX_PRIV_H
#define KEN_STORE_POSTGRES_POSTGRES_INDEX_PRIV_H

#include "base/hash_set.h"
#include "base/vec.h"
#include "store/postgres/postgres_priv.h"
#include "store/store_zip.h"

enum {
    KEN_PG_ALL_TREES = 0,        // whose values are shared
    KEN_PG_FIRST_TREE = 1,       // of the project that the index was made for
    KEN_PG_COPY_BYTES = 1 << 18, // of a table, that are gathered before they are sent
    KEN_PG_AHEAD_MAX = 16,       // blocks of one question
    KEN_PG_HINTS = 8             // lists of contents at once: who walks one makes others on the way
};

// The highest ids there ever were, and the state of the checkpoints. A write transaction has them alone.
typedef struct ken_pg_last {
    int64_t content, segment, file, checkpoint, rev, n_checkpoints;
} ken_pg_last;

typedef KEN_VEC(ken_content_key) ken_pg_keys;

// The tables that have rows of contents (postgres_relations.c).
typedef enum ken_pg_relation {
    KEN_PG_SYMBOLS,
    KEN_PG_CHUNKS,
    KEN_PG_IMPORTS,
    KEN_PG_REFS,
    KEN_PG_TEXTS,
    KEN_PG_RELATIONS
} ken_pg_relation;

// Blocks that were read before they were asked for, in a read transaction: segments are read in order.
typedef struct ken_pg_ahead {
    int64_t segment;
    uint32_t first, n; // what is here
    uint32_t next;     // the block that continues the last question, and
    uint32_t n_wanted; // how many are read with it
    size_t at[KEN_PG_AHEAD_MAX + 1];
    ken_buf bytes;
} ken_pg_ahead;

// Contents that will be loaded in a read transaction (postgres_expected.c).
typedef struct ken_pg_expected_row {
    int64_t content;
    ken_str facts, refs, text; // in the arena; without a pointer: not fetched, or not there
} ken_pg_expected_row;

// One list of them, and what was last fetched of it.
typedef struct ken_pg_hint {
    KEN_VEC(int64_t) contents;
    size_t next;   // the first of them that was not fetched
    unsigned what; // KEN_EXPECT_
    uint64_t used_at;
    ken_arena arena;
    ken_pg_expected_row *rows; // by content
    size_t n_rows;
} ken_pg_hint;

typedef struct ken_pg_expected {
    ken_pg_hint hints[KEN_PG_HINTS];
    uint64_t n_uses;
} ken_pg_expected;

// Hashes of what an index has, in a write transaction (postgres_known.c).
typedef struct ken_pg_known {
    ken_hash_set hashes;
    uint32_t n_asked;
    bool is_whole; // all were loaded
} ken_pg_known;

typedef struct ken_pg_index {
    ken_store_backend backend;
    ken_pg p;
    int64_t id, tree;        // rows of ken.index and ken.tree
    ken_uuid project;        // whose tree it is
    ken_uuid run;            // under which it writes; zeros = none
    bool has_news;           // a generation was put in this transaction
    bool is_glance;          // ken_store_opts
    int64_t generation;      // in a read transaction
    int64_t made;            // the generation that this write transaction puts; 0 = none
    ken_database *home;      // the primary; p.db is the replica while that is read
    ken_pg_replica *replica; // where read transactions may go; NULL = none
    ken_pg_last last, was;   // in a write transaction: now, and as its row has them
    ken_pg_copy contents, files, blocks; // written in it, and not sent yet
    int64_t first_gathered, first_file;  // ids of the first of these contents and files
    KEN_VEC(ken_file_row) edits;         // files that change; their paths are in
    ken_arena edit_paths;                // this
    KEN_VEC(int64_t) removed;            // ids of files that go
    uint32_t n_edits, n_removed;         // of this transaction, sent or not
    ken_pg_copy relations[KEN_PG_RELATIONS];
    ken_pg_known known_contents, known_paths;
    ken_pg_copy vectors; // and those, whose contents go first
    struct {
        int64_t id; // of its row; 0 = none yet
        uint32_t n_dims;
        char name[64];
    } vector_model;    // whose vectors are written
    ken_pg_keys keys;  // of those contents
    bool may_be_taken; // one of these keys, by a row that is there or gathered
    ken_pg_ahead ahead;
    ken_pg_expected expected;
    ken_zip *zip;
    ken_buf zipped; // the block being written
} ken_pg_index;

static inline ken_pg_index *ken_pg_index_of(ken_store_backend *b)
{
    return (ken_pg_index *)(void *)b;
}

// The slots: ken_store__pg_<slot>, each in the file of its kind of rows.
#define X(slot, door, params, args, shown) \
    ken_status ken_store__pg_##slot(ken_store_backend *b, KEN_SLOT_LIST params) KEN_MUST_USE;
KEN_STORE_SLOTS(X)
#undef X

// Whether the run is still the one that may write the index (postgres_workers.c); it stays so until the
// transaction ends. KEN_EBUSY.
ken_status ken_store__pg_check_run(ken_pg_index *x, ken_err *err) KEN_MUST_USE;
// What is gathered goes to the database, so that it can be read there.
ken_status ken_store__pg_flush(ken_pg_index *x, ken_err *err) KEN_MUST_USE;
ken_status ken_store__pg_flush_files(ken_pg_index *x, ken_err *err) KEN_MUST_USE;
ken_status ken_store__pg_flush_edits(ken_pg_index *x, ken_err *err) KEN_MUST_USE;
ken_status ken_store__pg_flush_removed(ken_pg_index *x, ken_err *err) KEN_MUST_USE;
void ken_store__pg_drop_edits(ken_pg_index *x);
ken_status ken_store__pg_flush_contents(ken_pg_index *x, ken_err *err) KEN_MUST_USE;
// Gathers the rows of a content that is added, and sends those of a table of which there are many.
ken_status ken_store__pg_put_relations(ken_pg_index *x, int64_t id, const ken_facts *facts,
                                       const ken_packed *packed, ken_err *err) KEN_MUST_USE;
// Those of which there are at least `bytes`.
ken_status ken_store__pg_flush_relations(ken_pg_index *x, size_t bytes, ken_err *err) KEN_MUST_USE;
void ken_store__pg_drop_relations(ken_pg_index *x);
void ken_store__pg_forget_ahead(ken_pg_index *x);
ken_pg_read_fn ken_store__pg_read_segment; // of rows of SEGMENT_SCAN, a ken_segment_info
// What was expected of a content, fetched now with others where it was not yet; NULL when it was not expected with
// all of `what`.
const ken_pg_expected_row *ken_store__pg_take_expected(ken_pg_index *x, int64_t content,
                                                       unsigned what);
void ken_store__pg_forget_expected(ken_pg_index *x);
// False in `*out`: there is none of that hash. `all` asks for all that there are, and `read` makes hashes of
// them, an int64_t each: that is done once there were several such questions in a transaction.
ken_status ken_store__pg_may_have(ken_pg_index *x, ken_pg_known *k, const ken_pg_query *all,
                                  ken_pg_read_fn *read, uint64_t hash, bool *out, ken_err *err)
    KEN_MUST_USE;
void ken_store__pg_know(ken_pg_known *k, uint64_t hash); // there is one now
void ken_store__pg_forget(ken_pg_known *k);
ken_pg_read_fn ken_store__pg_read_info; // of rows of KEN_PG_CONTENT_GET

#endif
