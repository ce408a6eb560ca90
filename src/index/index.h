// SPDX-License-Identifier: MIT
// index.h -- the pipeline: discover, compare, read, parse, chunk, tokenise, commit one generation.
//
// ken_index_run brings a project's index up to date with its folder. Unchanged files (size, mtime
// and inode agree, and mtime is older than the run before) are not even read; content that is
// already known is not parsed again. Readers see the old generation until the new one is committed.
// What was learnt is kept in batches on the way, so a run that is stopped or killed goes on where
// it was.
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
#include "scan/scan.h"
#include "store/store.h"

typedef struct ken_index_progress {
    const char *stage;        // static: "scanning", "indexing", "committing"
    uint64_t n_done, n_total; // files
    uint64_t bytes_done, bytes_total;
} ken_index_progress;

typedef void ken_index_progress_fn(void *ctx, const ken_index_progress *p);

typedef struct ken_index_opts {
    ken_scan_opts scan;
    bool is_forced;                     // reads and parses everything again
    uint32_t n_jobs;                    // 0 = one per core
    uint64_t memory_limit;              // bytes the run may use, 0 = 512 MiB
    ken_index_progress_fn *on_progress; // on the caller's thread, at most every 50 ms; may be NULL
    void *progress_ctx;
} ken_index_opts;

typedef struct ken_issue {
    ken_str path;
    ken_str text;
} ken_issue;

typedef struct ken_index_report {
    uint64_t generation;
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
    int64_t duration_ms;
} ken_index_report;

// `root`: absolute real path of the project's folder.
ken_status ken_index_run(ken_store *store, const char *root, const ken_index_opts *opts,
                         const ken_cancel *cancel, ken_arena *arena, ken_index_report *out,
                         ken_err *err) KEN_MUST_USE;

#endif
