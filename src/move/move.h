// SPDX-License-Identifier: MIT
// move.h -- exact copies of an index and of a catalog in another place, and sums that tell whether two places hold the
// same. Through the interfaces of the store alone: it does not matter what keeps the two.
//
// An index is copied with the ids of its contents and segments, whose blocks are the same bytes; with all its trees,
// values, checkpoints with their revs, and documents of rules. A catalog with all its rows. What is left out: contents
// that no file has, and what a run holds of the rows that it changed.
//
// Ownership: reports are plain values. Threads: a call belongs to one thread. Errors: those of the store;
// KEN_ECANCELLED.
#ifndef KEN_MOVE_MOVE_H
#define KEN_MOVE_MOVE_H

#include "base/cancel.h"
#include "base/hash.h"
#include "store/catalog.h"
#include "store/store.h"

// id, what they are called, what one is called
#define KEN_MOVE_PARTS(X)                                  \
    X(PROJECTS, "projects", "project")                     \
    X(REMOTES, "remotes", "remote")                        \
    X(SETTINGS, "settings", "setting")                     \
    X(MODELS, "models", "model")                           \
    X(TOKENS, "access tokens", "access token")             \
    X(TASKS, "tasks", "task")                              \
    X(JOBS, "jobs", "job")                                 \
    X(INDEXES, "indexes", "index")                         \
    X(TREES, "trees", "tree")                              \
    X(FILES, "files", "file")                              \
    X(SKIPS, "skipped paths", "skipped path")              \
    X(VALUES_OF, "values of indexes", "value of an index") \
    X(CONTENTS, "contents", "content")                     \
    X(SEGMENTS, "segments", "segment")                     \
    X(CHECKPOINTS, "checkpoints", "checkpoint")            \
    X(DOCUMENTS, "documents of rules", "document of rules")

typedef enum ken_move_part {
#define X(id, word, one) KEN_MOVE_##id,
    KEN_MOVE_PARTS(X)
#undef X
    KEN_MOVE_PART_COUNT
} ken_move_part;

const char *ken_move_word(ken_move_part part);                // borrowed static text
const char *ken_move_word_of(ken_move_part part, uint64_t n); // "index" of 1

// How many there are, of how many bytes, and a SHA-256 over all of them in their order.
typedef struct ken_move_sum {
    uint64_t n, n_bytes;
    ken_sha256 hash;
} ken_move_sum;

typedef struct ken_move_sums {
    ken_move_sum parts[KEN_MOVE_PART_COUNT];
} ken_move_sums;

// Adds the sums of another place behind these. The first part in which two differ; KEN_MOVE_PART_COUNT when none.
void ken_move_join(ken_move_sums *sums, const ken_move_sums *more);
ken_move_part ken_move_compare(const ken_move_sums *a, const ken_move_sums *b);
ken_sha256 ken_move_digest(const ken_move_sums *sums); // one hash of all parts

typedef void ken_move_progress_fn(void *ctx, uint64_t done, uint64_t total);

typedef struct ken_move_job {
    ken_move_progress_fn *on_progress; // of contents; may be NULL
    void *ctx;
    const ken_cancel *cancel;
} ken_move_job;

// ---- an index ----------------------------------------------------------------------------------
// What the index has. KEN_ENOTFOUND without a message when it is not there.
ken_status ken_move_sum_index(const ken_store_opts *at, const ken_move_job *job, ken_move_sums *out,
                              ken_err *err) KEN_MUST_USE;
// A number that another generation of a tree, checkpoint, content or segment changes.
ken_status ken_move_stamp_index(const ken_store_opts *at, uint64_t *out, ken_err *err) KEN_MUST_USE;
// Makes it anew at `to`, in the place of what is there, which nobody has open.
ken_status ken_move_index(const ken_store_opts *from, const ken_store_opts *to,
                          const ken_move_job *job, ken_err *err) KEN_MUST_USE;

// ---- a catalog ---------------------------------------------------------------------------------
// Values whose names begin with this are of a move itself: they are neither copied nor summed.
#define KEN_MOVE_VALUES "move."

ken_status ken_move_sum_catalog(ken_catalog *c, const ken_move_job *job, ken_move_sums *out,
                                ken_err *err) KEN_MUST_USE;
// Makes the rows of `to` those of `from`: what is there already stays, what is not in `from` goes.
ken_status ken_move_catalog(ken_catalog *from, ken_catalog *to, const ken_move_job *job,
                            ken_err *err) KEN_MUST_USE;

#endif
