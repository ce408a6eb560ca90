// SPDX-License-Identifier: MIT
// query_folder.h -- what a folder of the index holds, and lines of a file: for those who look through a
// project instead of asking it.
//
// Ownership: results live in the arena passed, paths are borrowed of the snapshot. Threads: those of the
// snapshot (query.h). Errors: KEN_EINVAL for a path that leads out of the project, KEN_ENOTFOUND for one
// that the index does not have.
#ifndef KEN_QUERY_QUERY_FOLDER_H
#define KEN_QUERY_QUERY_FOLDER_H

#include "query/query.h"

typedef struct ken_folder_entry {
    ken_str path, name; // relative to the root; its last part
    bool is_folder;
    uint64_t n_files; // of a file 1
    uint64_t n_chunks, n_symbols, n_lines, n_bytes;
    ken_str language;       // of a folder the one with most lines
    uint64_t n_with_errors; // files that were not parsed as a whole
} ken_folder_entry;

typedef struct ken_folder_opts {
    ken_str directory; // empty = the root
    ken_str
        filter; // a part of the path below it, in any case: files at any depth; empty = what is in it
    size_t limit, offset;
} ken_folder_opts;

typedef struct ken_folder {
    ken_str path; // empty = the root
    ken_folder_entry *entries;
    size_t n, n_total;      // of this page; on all pages
    size_t n_folders;       // of n_total; they come first
    ken_folder_entry whole; // all that is below, filter or not
} ken_folder;

// Folders first, then files, each by name in the order of bytes; with a filter files by path.
ken_status ken_list_folder(ken_snapshot *s, const ken_folder_opts *o, const ken_cancel *cancel,
                           ken_arena *arena, ken_folder *out, ken_err *err) KEN_MUST_USE;

typedef struct ken_lines_opts {
    ken_str path;
    uint32_t first, last; // from 1, inclusive; 0 = from the beginning, to the end
    size_t max_bytes;
} ken_lines_opts;

typedef struct ken_lines {
    ken_str path, language;
    uint32_t first, last; // what is there, from 1; last < first: none
    uint32_t n_lines;     // of the file
    ken_str text;         // on disk now, secrets masked; with the breaks of its lines
    bool is_cut;          // there was no room for the rest of what was asked for
    bool is_line_cut;     // the last line itself is longer than there was room for
    bool is_refreshed;    // the file has changed since it was indexed
    bool is_masked;       // it has secrets
    uint32_t n_error_bytes;
} ken_lines;

// Reads no more of an unchanged file without secrets than its first `last` lines. KEN_EINVAL for lines that
// are not there.
ken_status ken_read_lines(ken_snapshot *s, const ken_lines_opts *o, ken_arena *arena,
                          ken_lines *out, ken_err *err) KEN_MUST_USE;

#endif
