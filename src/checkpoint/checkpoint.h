// SPDX-License-Identifier: MIT
// checkpoint.h -- where work stood: notes that are saved, listed, found again and gone on from.
//
// A checkpoint is what somebody wrote (summary, description, context, tags) and where the work tree
// stood then. Those of a project are in its index (store/checkpoints.h). The files of the index are
// checkpoints, too: virtual ones, made when they are asked for and never stored, with the tags
// "indexed", "repository" and their extension.
//
// Tags and revisions are held in memory from the first list or search on, texts (recall.h) from the
// first search on; both follow what other processes write.
//
// Ownership: results live in the arena. Threads: an object belongs to one thread at a time, that of
// its snapshot. Errors: KEN_EINVAL names the field, the rule and the value; KEN_ENOTFOUND;
// KEN_EEXIST when a checkpoint was changed since `if_updated_at_ms`; those of the store.
#ifndef KEN_CHECKPOINT_CHECKPOINT_H
#define KEN_CHECKPOINT_CHECKPOINT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/err.h"
#include "base/id.h"
#include "history/history_state.h"
#include "query/query.h"
#include "store/checkpoints.h"

enum {
    KEN_CHECKPOINT_SUMMARY_MAX = 500, // characters
    KEN_CHECKPOINT_DESCRIPTION_MAX = 100000,
    KEN_CHECKPOINT_TAG_MAX = 64,
    KEN_CHECKPOINT_CONTEXT_BYTES = 64 * 1024,
    KEN_CHECKPOINT_DIRTY_MAX = 200, // files
    KEN_CHECKPOINT_SEARCH_MAX = 50, // results
    KEN_CHECKPOINT_LIST_MAX = 200,
};

typedef struct ken_checkpoints ken_checkpoints;

// The index opened for writing, borrowed until the next call; asked for by every write.
typedef ken_status ken_checkpoints_writer_fn(void *ctx, ken_store **out, ken_err *err);

typedef struct ken_checkpoints_opts {
    ken_snapshot *snap; // this and the next are borrowed and outlive it; both are of one thread
    ken_store *store;   // what it reads
    const char *root;   // of the project; borrowed, outlives it
    ken_checkpoints_writer_fn *open_writer;
    void *writer_ctx;
} ken_checkpoints_opts;

ken_checkpoints *ken_checkpoints_new(const ken_checkpoints_opts *opts) KEN_MUST_USE;
void ken_checkpoints_free(ken_checkpoints *c);

typedef struct ken_checkpoint {
    ken_uuid id;
    ken_str summary, description;
    ken_str context;     // a JSON object
    const ken_str *tags; // in byte order
    size_t n_tags;
    uint64_t token_count; // of summary, description and context; of a file in a list by its size
    int64_t created_at_ms, updated_at_ms;
    ken_str git_branch, git_commit;
    ken_str git_dirty; // a JSON list of paths
    ken_str path;      // of a virtual one, which has no git state; else empty
    double score;      // of a search, 0 to 1
} ken_checkpoint;

// ---- writing -----------------------------------------------------------------------------------
typedef struct ken_checkpoint_draft {
    bool is_update; // of `id`: what has no pointer stays as it is
    ken_uuid id;
    ken_str summary, description, context;
    const ken_str *tags; // each may hold several, with commas between them; NULL: none, or as it is
    size_t n_tags;
    int64_t if_updated_at_ms; // 0 = whatever happened since
    int64_t now_ms;
} ken_checkpoint_draft;

// On disk when it returns. The state of the work tree is what git says now; without git it is
// empty.
ken_status ken_checkpoints_save(ken_checkpoints *c, const ken_checkpoint_draft *draft,
                                const ken_cancel *cancel, ken_arena *arena, ken_checkpoint *out,
                                ken_err *err) KEN_MUST_USE;
// KEN_EINVAL for a virtual one, which goes with its file.
ken_status ken_checkpoints_remove(ken_checkpoints *c, ken_uuid id, ken_arena *arena, ken_err *err)
    KEN_MUST_USE;

// ---- reading -----------------------------------------------------------------------------------
// A virtual one has the text of its file as it is now, secrets masked.
ken_status ken_checkpoints_load(ken_checkpoints *c, ken_uuid id, ken_arena *arena,
                                ken_checkpoint *out, ken_err *err) KEN_MUST_USE;

// Tags are compared as they are. In `all`, one that begins with '!' is one of `none`.
typedef struct ken_checkpoint_filter {
    const ken_str *all, *any, *none;
    size_t n_all, n_any, n_none;
} ken_checkpoint_filter;

typedef struct ken_checkpoint_query {
    ken_checkpoint_filter filter;
    size_t limit, offset; // offset: of lists
    bool wants_indexed;   // files, too
    size_t n_description; // bytes of each description to give at most
} ken_checkpoint_query;

typedef struct ken_checkpoint_page {
    ken_checkpoint *items;
    size_t n;
    uint64_t n_total;      // that passed the filter, of a list
    uint64_t n_indexed;    // of those, files; counted although they were not wanted
    const char *file_note; // static: why a search has no files in it; NULL = it looked at them
} ken_checkpoint_page;

// Those saved last first, then files by path.
ken_status ken_checkpoints_list(ken_checkpoints *c, const ken_checkpoint_query *query,
                                ken_arena *arena, ken_checkpoint_page *out, ken_err *err)
    KEN_MUST_USE;
// Best first, by words and meaning.
ken_status ken_checkpoints_search(ken_checkpoints *c, ken_str text,
                                  const ken_checkpoint_query *query, const ken_cancel *cancel,
                                  ken_arena *arena, ken_checkpoint_page *out, ken_err *err)
    KEN_MUST_USE;

// ---- going on ----------------------------------------------------------------------------------
typedef struct ken_checkpoint_resume {
    ken_work_state now;
    ken_history_since since; // commits that came after
    ken_str *changed;        // files that differ from the checkpoint's commit now; by path
    size_t n_changed, n_changed_all;
    ken_str *still_dirty; // of the files that were not committed then
    size_t n_still_dirty;
} ken_checkpoint_resume;

// What happened since. Virtual checkpoints, and those without a commit, have only `now`.
ken_status ken_checkpoints_resume(ken_checkpoints *c, const ken_checkpoint *checkpoint,
                                  const ken_cancel *cancel, ken_arena *arena,
                                  ken_checkpoint_resume *out, ken_err *err) KEN_MUST_USE;

#endif
