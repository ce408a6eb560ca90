// SPDX-License-Identifier: MIT
// store_ops.h -- what a backend of the store must do, slot by slot.
//
// A backend is a struct that begins with a ken_store_backend, and one const ken_store_ops. Callers
// never see it: store.c checks arguments and the state of the transaction first, so that a slot may
// rely on what its comment says. Decorators (store_debug.h) are backends around a backend.
//
// Every slot is required. All run on one thread at a time. `where` of an error names the backend.
#ifndef KEN_STORE_STORE_OPS_H
#define KEN_STORE_STORE_OPS_H

#include "store/checkpoints.h"
#include "store/rule_documents.h"
#include "store/store.h"

typedef struct ken_store_ops ken_store_ops;

typedef struct ken_store_backend {
    const ken_store_ops *ops;
} ken_store_backend;

// ---- connection and transactions -------------------------------------------------------------
typedef struct ken_store_conn_ops {
    // Frees everything, `b` included; an open transaction is rolled back.
    void (*close)(ken_store_backend *b);
    // From here to commit or rollback all reads see one state. No transaction is open.
    ken_status (*begin_read)(ken_store_backend *b, ken_err *err);
    // Waits up to opts->busy_ms (0 = KEN_STORE_BUSY_MS) for other writers, then KEN_EBUSY. No
    // transaction is open.
    ken_status (*begin_write)(ken_store_backend *b, ken_err *err);
    // Ends the open transaction. When it fails nothing of it is kept, and it is still to be rolled
    // back. `is_durable`: on disk before it returns; without, it may be lost (whole) with the
    // power.
    ken_status (*commit)(ken_store_backend *b, bool is_durable, ken_err *err);
    // Cannot fail; may be called when the database has rolled back by itself.
    void (*rollback)(ken_store_backend *b);
    // Upkeep after a large commit; no transaction is open. Busy readers are not an error.
    ken_status (*checkpoint)(ken_store_backend *b, ken_err *err);
    // Bytes that the database takes on disk.
    ken_status (*get_size)(ken_store_backend *b, uint64_t *out_bytes, ken_err *err);
    // Reads and checks everything, facts, refs and segments included. KEN_ECORRUPT says what is
    // wrong.
    ken_status (*verify)(ken_store_backend *b, ken_err *err);
} ken_store_conn_ops;

// ---- contents --------------------------------------------------------------------------------
typedef struct ken_store_content_ops {
    // KEN_ENOTFOUND without a message when there is none.
    ken_status (*find)(ken_store_backend *b, const ken_content_key *key, ken_content_info *out,
                       ken_err *err);
    // Adds a row (info->id is not looked at). A row with the same key stays for the files that have
    // it, and is not found by key any more. The id is above all ids there ever were.
    ken_status (*add)(ken_store_backend *b, const ken_content_key *key,
                      const ken_content_info *info, const ken_packed *packed, int64_t *out_id,
                      ken_err *err);
    // The facts given to `add`. KEN_ENOTFOUND without a message.
    ken_status (*load_packed)(ken_store_backend *b, int64_t id, ken_arena *arena, ken_str *out,
                              ken_err *err);
    // The refs given to `add`; empty when there were none, or no such row.
    ken_status (*load_packed_refs)(ken_store_backend *b, int64_t id, ken_arena *arena, ken_str *out,
                                   ken_err *err);
    // The row with that id. KEN_ENOTFOUND without a message.
    ken_status (*load_info)(ken_store_backend *b, int64_t id, ken_content_info *out, ken_err *err);
    // The hash given to `add`. KEN_ENOTFOUND without a message.
    ken_status (*load_sha)(ken_store_backend *b, int64_t id, ken_sha256 *out, ken_err *err);
    // Removes the rows that no file of any tree has, and their refs.
    ken_status (*collect)(ken_store_backend *b, uint64_t *out_removed, ken_err *err);
    // Removes one row, and its refs, unless a file of any tree has it; fine when it is not there.
    ken_status (*collect_one)(ken_store_backend *b, int64_t id, ken_err *err);
} ken_store_content_ops;

// ---- files and skips of the tree ---------------------------------------------------------------
typedef struct ken_store_file_ops {
    // Sorted by path, byte order. `out_contents` may be NULL. A read transaction is open.
    ken_status (*load)(ken_store_backend *b, ken_arena *arena, ken_file_row **out, size_t *out_n,
                       ken_content_info **out_contents, ken_err *err);
    // id 0 inserts; else the row must be there, or KEN_ENOTFOUND. Two rows of one path: KEN_EEXIST.
    // A content that is not there: KEN_EINVAL.
    ken_status (*put)(ken_store_backend *b, const ken_file_row *row, ken_err *err);
    // KEN_ENOTFOUND when it is not there.
    ken_status (*remove)(ken_store_backend *b, int64_t id, ken_err *err);
    // The whole list; a path that comes twice with one reason is kept once.
    ken_status (*replace_skips)(ken_store_backend *b, const ken_skip_row *rows, size_t n,
                                ken_err *err);
    // By reason, then path. KEN_SKIP_NONE = all reasons.
    ken_status (*load_skips)(ken_store_backend *b, ken_skip_reason reason, size_t limit,
                             ken_arena *arena, ken_skip_row **out, size_t *out_n, ken_err *err);
} ken_store_file_ops;

// ---- segments --------------------------------------------------------------------------------
typedef struct ken_store_segment_ops {
    // A segment without blocks. The id is above all ids there ever were.
    ken_status (*open)(ken_store_backend *b, ken_segment_kind kind, int64_t *out_id, ken_err *err);
    // Blocks come in order, from 0; all but the last are full.
    ken_status (*put_block)(ken_store_backend *b, int64_t id, uint32_t block, ken_str bytes,
                            ken_err *err);
    // From here on it is listed, with these numbers.
    ken_status (*end)(ken_store_backend *b, int64_t id, uint64_t n_bytes, uint32_t n_contents,
                      ken_err *err);
    // KEN_ENOTFOUND when it is not there.
    ken_status (*remove)(ken_store_backend *b, int64_t id, ken_err *err);
    // By id. Sizes are true: as many bytes can be read. A read transaction is open.
    ken_status (*list)(ken_store_backend *b, ken_segment_kind kind, ken_arena *arena,
                       ken_segment_info **out, size_t *out_n, ken_err *err);
    // At most KEN_SEGMENT_BLOCK bytes; KEN_ENOTFOUND without a message.
    ken_status (*read_block)(ken_store_backend *b, int64_t segment, uint32_t block, void *into,
                             size_t *out_n, ken_err *err);
} ken_store_segment_ops;

// ---- the generation, and values by name --------------------------------------------------------
typedef struct ken_store_meta_ops {
    // Number 0 when there is none yet. A read transaction is open.
    ken_status (*load_generation)(ken_store_backend *b, ken_arena *arena, ken_generation *out,
                                  ken_err *err);
    // The number is above the one that is there, or KEN_EINVAL.
    ken_status (*put_generation)(ken_store_backend *b, const ken_generation *g, ken_err *err);
    ken_status (*get_generation)(ken_store_backend *b, uint64_t *out, ken_err *err);
    // KEN_ENOTFOUND without a message.
    ken_status (*load_value)(ken_store_backend *b, ken_str key, ken_arena *arena, ken_str *out,
                             ken_err *err);
    // An empty value (ptr NULL) removes it.
    ken_status (*put_value)(ken_store_backend *b, ken_str key, ken_str value, ken_err *err);
} ken_store_meta_ops;

// ---- checkpoints -----------------------------------------------------------------------------
typedef struct ken_store_checkpoint_ops {
    // KEN_ENOTFOUND without a message.
    ken_status (*load)(ken_store_backend *b, ken_uuid uuid, ken_arena *arena,
                       ken_checkpoint_row *out, ken_err *err);
    // The row with the smallest id above; KEN_ENOTFOUND without a message. A damaged row fails
    // alone.
    ken_status (*next)(ken_store_backend *b, int64_t after_id, ken_arena *arena,
                       ken_checkpoint_row *out, ken_err *err);
    // Rows with a rev above, in its order, at most `limit`. Without texts only id, uuid, rev and
    // tags are set. A read transaction is open.
    ken_status (*list)(ken_store_backend *b, uint64_t since_rev, size_t limit, bool with_texts,
                       ken_arena *arena, ken_checkpoint_row **out, size_t *out_n, ken_err *err);
    // id 0 inserts (KEN_EEXIST when the uuid is there); else the row must be there, or
    // KEN_ENOTFOUND. Sets id and rev, which is above all there ever were.
    ken_status (*put)(ken_store_backend *b, ken_checkpoint_row *row, ken_err *err);
    // KEN_ENOTFOUND when it is not there. Raises the newest rev, too.
    ken_status (*remove)(ken_store_backend *b, int64_t id, ken_err *err);
    ken_status (*load_state)(ken_store_backend *b, ken_checkpoint_state *out, ken_err *err);
} ken_store_checkpoint_ops;

// ---- documents of rules ----------------------------------------------------------------------
typedef struct ken_store_rule_ops {
    // The whole list. Two rows of one path: KEN_EEXIST.
    ken_status (*replace)(ken_store_backend *b, const ken_rule_document_row *rows, size_t n,
                          ken_err *err);
    // By path, without the rules themselves. A read transaction is open.
    ken_status (*load)(ken_store_backend *b, ken_arena *arena, ken_rule_document_row **out,
                       size_t *out_n, ken_err *err);
} ken_store_rule_ops;

struct ken_store_ops {
    const char *name; // "sqlite"
    const ken_store_conn_ops *conn;
    const ken_store_content_ops *content;
    const ken_store_file_ops *file;
    const ken_store_segment_ops *segment;
    const ken_store_meta_ops *meta;
    const ken_store_checkpoint_ops *checkpoint;
    const ken_store_rule_ops *rule;
};

enum {
    KEN_STORE_BUSY_MS = 5000
};

// Opens of the backends. `opts` is complete.
ken_status ken_store__sqlite_open(const ken_store_opts *opts, ken_store_backend **out, ken_err *err)
    KEN_MUST_USE;
ken_status ken_store__postgres_open(const ken_store_opts *opts, ken_store_backend **out,
                                    ken_err *err) KEN_MUST_USE;

// The store around a backend, which it then owns. KEN_EINTERNAL when a slot is missing: the backend
// is the caller's still.
ken_status ken_store__wrap(ken_store_backend *b, ken_store **out, ken_err *err) KEN_MUST_USE;
// Puts `outer`, a decorator around the present backend, in its place.
ken_store_backend *ken_store__backend(ken_store *s);
void ken_store__set_backend(ken_store *s, ken_store_backend *outer);

#endif
