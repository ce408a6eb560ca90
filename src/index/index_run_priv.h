// SPDX-License-Identifier: MIT
// index_run_priv.h -- the state of one run and its stages. One thread owns a run; workers share what
// its lock guards.
#ifndef KEN_INDEX_INDEX_RUN_PRIV_H
#define KEN_INDEX_INDEX_RUN_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/hash_set.h"
#include "base/vec.h"
#include "index/index_priv.h"
#include "store/partial.h"

// The stored value: when the last run began that saw every file.
#define INDEX_SEEN "index.seen_ms"
// And: what extracted the contents of the generation: ken_index_feature, and after a point how many forced runs have begun to
// extract them again, when there were some.
#define INDEX_FEATURE "index.feature"

// The plan for a scanned file.
typedef struct index_planned {
    int64_t content;       // 0 = not in the index
    int64_t row_id;        // row of the generation before, 0 = none
    int64_t changed_at_ms; // of that row
    ken_fs_stamp stamp;
    ken_skip_reason skip_before; // it was left out for this, and has the same stamp
    bool is_changed;             // its row must be written
    bool is_modified;            // it has other bytes than in the generation before
} index_planned;

// Of the contents of files, each as often as files have it.
typedef struct index_counts {
    uint64_t n_files, n_chunks, n_symbols, n_bytes, n_lines;
    index_langs langs;
} index_counts;

// A content that a file had before (index_past.c).
typedef struct index_past {
    int64_t content;
    int64_t file;   // scanned file whose bytes may be other ones now; -1 = none is meant
    ken_sha256 sha; // of that file's bytes
    bool is_lost;   // it is subtracted
} index_past;

// A long run commits partial generations on its way (index_partial.c).
typedef struct index_partial {
    ken_partial before;              // the mark that an earlier run has left
    bool is_first;                   // no complete generation was before
    bool is_on;                      // this run commits some
    bool is_marked;                  // the newest generation is one
    uint64_t n_kept, bytes_kept;     // files since the last
    uint64_t next_files, next_bytes; // and how many make the next one
} index_partial;

// The files of the newest generation.
typedef struct index_old_files {
    const ken_file_row *rows; // sorted by path
    size_t n;
    bool *is_kept;
    index_late *late; // sorted by path
    size_t n_late;
    uint64_t skips_key; // of the list of skips; 0 = unknown
} index_old_files;

typedef struct index_rename {
    size_t from, to; // places in the old rows and in the plan
} index_rename;

typedef struct index_run {
    ken_store *store;
    const char *root;
    ken_index_opts effective;   // opts, limited to the index's scope
    const ken_index_opts *opts; // these
    ken_str scope_before, scope;
    ken_str roots_before, roots_text; // further roots of the index, and those that it will have
    ken_str chunks;                   // sizes as they are kept
    const ken_cancel *cancel;
    ken_arena *arena;
    ken_index_report *report;
    ken_index_files_fn *files; // of a comparison: lists the indexed files; NULL = they are loaded
    void *files_ctx;
    uint64_t scope_generation; // of a comparison: the generation of the scope
    index_old_files old;       // of the generation that the run began with
    ken_generation before;     // that generation
    index_rename *renames;     // as git says
    size_t n_renames;
    uint64_t number; // of the newest one; grows with each partial one
    index_partial partial;
    ken_arena scan_arena; // of `scan`, for as long as the run
    ken_scan_result scan;
    ken_status scan_status;
    ken_err scan_err;
    index_planned *plan;        // one per scanned file
    ken_skip_reason *late_skip; // one per scanned file: found when it was read
    size_t *work;               // scanned files to extract, as workers take them
    size_t n_work;
    index_job job;
    uint32_t n_jobs;
    atomic_size_t next_work;
    atomic_bool is_stopping;
    pthread_mutex_t lock;
    pthread_cond_t has_free, has_done, has_room;
    uint64_t in_work; // bytes that the files at hand may take, under the lock
    uint32_t n_at_work;
    index_slot *free_slots, *done_head, *done_tail;
    index_slot *slots;
    index_worker *workers;
    ken_store *known; // for look-ups by content, under the lock; NULL = no content yet
    bool
        is_known_lost; // one failed, after seconds of waiting for a lock perhaps: the rest is parsed
    ken_lex_builder *builder;
    ken_mention_builder *mentions;
    ken_vector_builder *vectors;
    index_memory memory;
    int gauge_fd;     // of what the kernel counts; -1 = none
    uint64_t others;  // what the process held before, for others than this run
    bool wants_flush; // a worker waits for the batch to be written, under the lock
    bool is_alone;    // this thread does the work of workers, too
    uint32_t n_in_batch;
    uint64_t n_forced;   // forced runs that the index has seen, of any of its trees
    int64_t first_added; // the first content of this run, which has the smallest id; 0 = none yet
    ken_hash_set added;  // of a forced run: hashes of the contents that it has added
    KEN_VEC(index_past) past; // what is still to be asked for
    bool is_in_batch;
    int64_t started_ns, progress_ns, now_ms;
    int64_t learn_ns; // when extraction began
    int64_t seen_ms;  // now_ms of the run that last saw every file
    bool is_look;     // only compares: reads no content, writes nothing
    bool has_changed; // a file that was read differs from the generation before
    bool trusts_old;  // unchanged files are not read
    index_counts gained,
        lost; // by files since the generation before; all that is gained, when it is not trusted
    uint64_t bytes_done, bytes_total, n_done;
    index_events changes;        // of the commit
    KEN_VEC(ken_file_row) edits; // of it: rows of files that stay where they are
    KEN_VEC(ken_issue) issues;
} index_run;

// At most every 50 ms, unless forced.
void ken_index__progress(index_run *r, const char *stage, bool is_forced);
void ken_index__add_issue(index_run *r, ken_str path, const char *text);

// ---- index_load.c: the newest generation ----
ken_status ken_index__load_old(index_run *r, ken_err *err) KEN_MUST_USE;
ken_str ken_index__feature_text(index_run *r);

// ---- index_compare.c ----
// Matches the lists of the folder and of the newest generation; new files and those with another
// stamp become work, largest first.
void ken_index__compare(index_run *r);
// Of further roots that are gone the files stay as the newest generation has them, and are issues. KEN_ENOTFOUND
// when everything must be read again.
ken_status ken_index__hold_gone(index_run *r, const index_old_files *old, ken_err *err)
    KEN_MUST_USE;
// Whether a file of the work has the stamp that the newest generation has of it.
bool ken_index__is_doubtful(const index_run *r, size_t file);
// Reads such files, as far as that is little, and takes those out of the work that have the same bytes. In a
// transaction.
void ken_index__read_doubtful(index_run *r);
bool ken_index__is_held(const index_run *r, ken_str path);
// A scope that removes more files from the index than it adds is refused unless it was confirmed.
ken_status ken_index__check_scope(const index_run *r, ken_err *err) KEN_MUST_USE;
// True when nothing at all is different from the newest generation.
bool ken_index__is_same(const index_run *r);

// ---- index_order.c ----
// Puts the work in the order in which people will want it: what was changed lately and what is near an
// entry point, then other code, then the rest.
void ken_index__order_work(index_run *r);

// ---- index_partial.c ----
// Decides whether the run commits partial generations; then its work is put in another order.
void ken_index__plan_partial(index_run *r);
// After a file was kept: commits what there is, when that is enough.
ken_status ken_index__commit_if_due(index_run *r, size_t file, ken_err *err) KEN_MUST_USE;
// The run stops: what it has done is committed.
void ken_index__commit_stopped(index_run *r);
// The files so far and their generation, in the open transaction.
ken_status ken_index__put_partial(index_run *r, ken_err *err) KEN_MUST_USE;

// ---- index_gauge.c ----
void ken_index__gauge_open(index_run *r);
void ken_index__gauge_close(index_run *r);
// Whether so many bytes more are within the limit of the run, as far as can be told.
bool ken_index__has_room(const index_run *r, uint64_t bytes);
// Whether little is left of it.
bool ken_index__is_pressed(const index_run *r);

// ---- index_learn.c ----
// Workers read and extract the files; this thread stores the results.
ken_status ken_index__learn(index_run *r, ken_err *err) KEN_MUST_USE;

// ---- index_keep.c ----
// Puts one extracted file into the store and the builders.
ken_status ken_index__keep(index_run *r, index_slot *s, ken_err *err) KEN_MUST_USE;
// What they hold.
uint64_t ken_index__builder_bytes(const index_run *r);
// Writes the builders as segments and commits the open batch; fine when none is open.
ken_status ken_index__end_batch(index_run *r, ken_err *err) KEN_MUST_USE;
void ken_index__count(index_counts *c, const ken_content_info *info);

// ---- index_past.c ----
// Subtracts the content that a file had before; a run that trusts no old row counts from zero.
ken_status ken_index__count_lost(index_run *r, int64_t content, ken_err *err) KEN_MUST_USE;
// The file of the slot had this content: whether it has other bytes now, and what that means for its row, stands in its
// plan after ken_index__settle_past. The content is subtracted, too.
ken_status ken_index__compare_past(index_run *r, const index_slot *s, int64_t content, ken_err *err)
    KEN_MUST_USE;
// Asks for what was gathered by both; before rows are written and counts are read.
ken_status ken_index__settle_past(index_run *r, ken_err *err) KEN_MUST_USE;

// ---- index_renames.c ----
// Which files that are gone git takes for which new ones, edits aside, since the commit of the generation before.
void ken_index__ask_renames(index_run *r);
// Gives these the rows of those.
ken_status ken_index__keep_renamed(index_run *r, ken_err *err) KEN_MUST_USE;

// ---- index_commit.c ----
// Writes files, skips and the new generation in one transaction.
ken_status ken_index__commit(index_run *r, ken_err *err) KEN_MUST_USE;
// The rows of new and changed files that were extracted since these were written last.
ken_status ken_index__put_done_files(index_run *r, ken_err *err) KEN_MUST_USE;
// The one that comes next, with the sums of the files so far and no skips.
ken_status ken_index__next_generation(const index_run *r, ken_generation *out, ken_err *err)
    KEN_MUST_USE;
// Before its files are put.
void ken_index__begin_events(index_run *r);
// With its mark, its events, and what it was made with, after its files.
ken_status ken_index__put_generation(index_run *r, const ken_generation *g, const ken_partial *mark,
                                     ken_err *err) KEN_MUST_USE;
// Records only that this run saw every file: the next need not read them again.
void ken_index__commit_seen(index_run *r);
// A hash of all skipped paths with their reasons, independent of their order.
uint64_t ken_index__skips_key(const index_run *r);

#endif
