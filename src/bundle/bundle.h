// SPDX-License-Identifier: MIT
// bundle.h -- the file that an index travels in: a header for people and programs, then compressed blocks.
//
// Knows nothing of what is inside (the payload, a file): README.md has the format. Written beside its
// place and renamed, so that it is whole or not there. Read in blocks of 1 MiB, with every size bounded
// before memory or disk is taken; what came out is the payload that was packed, or nothing.
//
// Ownership: texts of an info are borrowed from its bundle. Threads: a bundle belongs to one. Errors:
// KEN_ECORRUPT for what is no bundle, cut off or changed; KEN_EVERSION for a newer format;
// KEN_ELIMIT for sizes that no index has; KEN_ENOSPC; else those of files.
#ifndef KEN_BUNDLE_BUNDLE_H
#define KEN_BUNDLE_BUNDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cancel.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/str.h"

enum {
    KEN_BUNDLE_FORMAT = 1,
    KEN_BUNDLE_BLOCK = 1 << 20,        // bytes of every block of the payload but the last
    KEN_BUNDLE_HEADER_MAX = 64 * 1024, // bytes of the header
    KEN_BUNDLE_TEXT_MAX = 4096,        // bytes of a text in it
    KEN_BUNDLE_MAX_RATIO = 64,         // of payload to bundle; those of indexes are below 10
};

#define KEN_BUNDLE_PAYLOAD_MAX ((uint64_t)1 << 40)

typedef struct ken_bundle_info {
    ken_str kind;     // of the payload: "sqlite"
    ken_str program;  // version of the ken that made it
    uint64_t schema;  // version of the payload's tables
    uint64_t feature; // of the extractor (ken_index_feature)
    ken_str project;  // name
    ken_str commit, branch;
    ken_str remote; // without user and password
    ken_str model;  // whose vectors it has
    int64_t made_at_ms;
    uint64_t n_files, n_contents, n_chunks, n_symbols, n_checkpoints;
    uint64_t n_source_bytes; // of the files
    // of the payload; set by who writes the bundle
    uint64_t n_bytes;
    ken_sha256 sha;
} ken_bundle_info;

typedef void ken_bundle_progress_fn(void *ctx, uint64_t done_bytes, uint64_t total_bytes);

typedef struct ken_bundle_job {
    ken_bundle_progress_fn *on_progress; // of the payload, once a block; may be NULL
    void *progress_ctx;
    const ken_cancel *cancel; // may be NULL
} ken_bundle_job;

// Packs the file `payload` into the file `path`, which is replaced. `*out_bytes` (may be NULL): of the bundle.
ken_status ken_bundle_write(const char *payload, const ken_bundle_info *info, const char *path,
                            const ken_bundle_job *job, uint64_t *out_bytes, ken_err *err)
    KEN_MUST_USE;

typedef struct ken_bundle ken_bundle;

// Reads the header. The file may be anything.
ken_status ken_bundle_open(const char *path, ken_bundle **out, ken_err *err) KEN_MUST_USE;
void ken_bundle_close(ken_bundle *b); // NULL is fine
const ken_bundle_info *ken_bundle_info_of(const ken_bundle *b);
uint64_t ken_bundle_bytes(const ken_bundle *b); // of the file
// Unpacks the payload into the file `path`, which is made; when that fails, it is removed.
ken_status ken_bundle_unpack(ken_bundle *b, const char *path, const ken_bundle_job *job,
                             ken_err *err) KEN_MUST_USE;

#endif
