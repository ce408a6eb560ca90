// SPDX-License-Identifier: MIT
// history.h -- what version control knows of the files: how often they change, who changes them,
// which change together, who wrote these lines, what is different now.
//
// A ken_history is made of the newest commits below a folder (merges apart), newest first; a file's
// commits under earlier names count. It is kept as bytes, and grows by the commits that are new.
//
// Ownership: a ken_history owns what it shows; results of the other functions live in the arena.
// Threads: an object belongs to one thread at a time. Errors: no git, no work tree, no commit or a
// shallow clone is an empty history with a reason; KEN_ECANCELLED and KEN_ETIMEOUT of the cancel;
// KEN_ECORRUPT for bytes that are not a history; ken_history_diff has more.
#ifndef KEN_HISTORY_HISTORY_H
#define KEN_HISTORY_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/cancel.h"
#include "base/err.h"

typedef struct ken_history ken_history;

enum {
    KEN_HISTORY_NEIGHBOURS = 10, // files that are named as changing with one
    KEN_HISTORY_TOGETHER = 3,    // commits that two files must share to be neighbours
    KEN_HISTORY_AUTHORS = 5,     // commits that are named for a range of lines
};

typedef struct ken_history_opts {
    ken_str commit;       // the newest commit, by its full id; empty = the one that is checked out
    uint32_t max_commits; // 0 = 5,000
    uint32_t max_ms;      // what reading may take; 0 = 20,000
    size_t max_bytes;     // that git may print; 0 = 64 MiB
} ken_history_opts;

// Reads the history of the folder `root` (absolute). With `kept` (may be NULL) whose commit is an
// ancestor of today's, only the commits since then are read. *out is NULL when `kept` is right as
// it is. What the limits cut off are older commits.
ken_status ken_history_read(const char *root, const ken_history *kept, const ken_history_opts *opts,
                            const ken_cancel *cancel, ken_history **out, ken_err *err) KEN_MUST_USE;
void ken_history_free(ken_history *h);

// The histories of several folders as one: its commits by time, the paths of each behind its mark and a '/'.
// Head and reason are those of the first that has any; it is shallow when one is.
typedef struct ken_history_part {
    ken_str mark; // "@NAME"; empty = the paths as they are
    const ken_history *history;
} ken_history_part;
ken_history *ken_history_join(const ken_history_part *parts, size_t n);

typedef struct ken_history_info {
    ken_str head;   // the commit it belongs to; empty: there is no history
    ken_str reason; // why it is empty, or reaches back less than it could; else empty
    uint32_t n_commits, n_files, n_authors;
    bool is_shallow; // the clone lacks older commits
} ken_history_info;

ken_history_info ken_history_get_info(const ken_history *h);

typedef struct ken_history_commit {
    ken_str id;      // hexadecimal
    ken_str author;  // name; valid UTF-8 without control characters, as the subject
    ken_str subject; // first line of the message, cut at 200 bytes
    int64_t time_s;  // when it was committed
} ken_history_commit;

typedef struct ken_history_file {
    uint32_t number; // 0 to n_files - 1, in the order of paths
    ken_str path;    // relative to the root
    uint32_t n_commits;
    uint32_t n_recent; // of those, in the 90 days up to the newest commit of all
    uint32_t n_authors;
    ken_history_commit last;
} ken_history_file;

// Files that a commit of the history changed and that none deleted since.
ken_history_file ken_history_at(const ken_history *h, uint32_t number);
bool ken_history_find(const ken_history *h, ken_str path, ken_history_file *out);

typedef struct ken_history_neighbour {
    uint32_t number;     // of the file
    uint32_t n_together; // commits that changed both; those that changed over 30 files do not count
    double confidence;   // of the commits of the one with fewer, which part changed both
} ken_history_neighbour;

// The files that changed together with one, best (confidence times commits) first. Worked out here,
// from the commits of that file alone.
size_t ken_history_neighbours(ken_history *h, uint32_t number,
                              ken_history_neighbour out[KEN_HISTORY_NEIGHBOURS]);

// Its bytes, to be kept: "version 1", not meant for other programs.
void ken_history_pack(const ken_history *h, ken_buf *out);
ken_status ken_history_unpack(ken_str packed, ken_history **out, ken_err *err) KEN_MUST_USE;

// ---- lines -----------------------------------------------------------------------------------
typedef struct ken_history_touch {
    ken_history_commit commit;
    uint32_t n_lines; // of the range that are as it left them
} ken_history_touch;

typedef struct ken_history_touches {
    ken_history_touch *touches; // newest first, at most KEN_HISTORY_AUTHORS
    size_t n_touches;
    size_t n_commits;       // all there are
    uint32_t n_uncommitted; // lines that no commit has yet
    // Lines of the oldest commit of a shallow clone, or of one before it: nobody knows here. They are in no touch.
    uint32_t n_beyond;
    bool lacks_contents; // a partial clone has no earlier contents of the file
    ken_str reason;      // why there is nothing, or not all; else empty
} ken_history_touches;

// Who left the lines first to last (0-based, inclusive) of a file as they are on disk now, or in `commit`
// (its full id) when that is not empty. `path` is relative to the root.
ken_status ken_history_of_lines(const char *root, ken_str commit, ken_str path, uint32_t first,
                                uint32_t last, const ken_cancel *cancel, ken_arena *arena,
                                ken_history_touches *out, ken_err *err) KEN_MUST_USE;

// ---- the remote's branch -----------------------------------------------------------------------
typedef struct ken_history_distance {
    ken_str ref;                // "origin/main"
    uint64_t n_ahead, n_behind; // commits that only HEAD has, and only the branch
} ken_history_distance;

// How far HEAD is from `ref` ("refs/remotes/origin/main"; NULL: what its branch follows), as it was fetched
// last; nothing is fetched. False when there is none, or no commit that both have.
bool ken_history_upstream(const char *root, const char *ref, const ken_cancel *cancel,
                          ken_arena *arena, ken_history_distance *out);

// ---- changes ---------------------------------------------------------------------------------
// name, word
#define KEN_CHANGE_KIND_TABLE(X) \
    X(NONE, "none")              \
    X(ADDED, "added")            \
    X(MODIFIED, "modified")      \
    X(DELETED, "deleted")        \
    X(RENAMED, "renamed")        \
    X(UNTRACKED, "untracked")

typedef enum ken_change_kind {
#define X(name, word) KEN_CHANGE_##name,
    KEN_CHANGE_KIND_TABLE(X)
#undef X
    KEN_CHANGE_KIND_COUNT
} ken_change_kind;

const char *ken_change_kind_word(ken_change_kind k);

// n_old_lines from old_first on became n_lines from first on. One of both may be 0: then it stands
// before that line.
typedef struct ken_line_change {
    uint32_t first, n_lines;
    uint32_t old_first, n_old_lines;
} ken_line_change;

typedef struct ken_changed_file {
    ken_str path;     // now; of a deleted file, before
    ken_str old_path; // of a renamed file, else empty
    ken_change_kind kind;
    bool is_binary;           // has no lines
    ken_line_change *changes; // in order; none for untracked files, of which every line is new
    size_t n_changes;
} ken_changed_file;

// A further root of a project, compared for itself.
typedef struct ken_changed_root {
    ken_str mark;     // "@NAME"
    ken_str from, to; // as of ken_changes
} ken_changed_root;

typedef struct ken_changes {
    ken_changed_file *files; // by path
    size_t n_files;
    ken_changed_root
        *more; // further roots whose files are among these, when more than one was asked
    size_t n_more;
    ken_str from,
        to; // commits, of the first root; `to` is empty for the work tree, `from` before the first commit
    bool is_truncated; // there are more than are held: 20,000 files, 200,000 changes
} ken_changes;

// Lists the changes below the root. `rev` empty: from HEAD to the work tree, "A": from A to the work
// tree, untracked files included; "A..B": from A to B, "A...B": from where they parted to B; a side
// left out is HEAD. KEN_EINVAL for a rev that names no commit, KEN_EUNSUPPORTED without git or a
// work tree, or when git fails.
ken_status ken_history_diff(const char *root, ken_str rev, const ken_cancel *cancel,
                            ken_arena *arena, ken_changes *out, ken_err *err) KEN_MUST_USE;

// ---- files as they were ------------------------------------------------------------------------
// name, word
#define KEN_HISTORY_TEXT_TABLE(X)                       \
    X(THERE, "is there")                                \
    X(ABSENT, "is not in that commit")                  \
    X(OTHER, "is a link, a submodule or no plain file") \
    X(LARGE, "is too large")                            \
    X(LEFT, "is beyond what is read of one commit")

typedef enum ken_history_text_state {
#define X(name, word) KEN_HISTORY_TEXT_##name,
    KEN_HISTORY_TEXT_TABLE(X)
#undef X
} ken_history_text_state;

const char *ken_history_text_word(ken_history_text_state s);

typedef struct ken_history_text {
    ken_history_text_state state;
    ken_str text; // the bytes as they were committed, secrets masked; of those that are there
} ken_history_text;

enum {
    KEN_HISTORY_TEXTS_MAX = 2000,       // files of one question
    KEN_HISTORY_TEXT_BYTES = 1 << 20,   // of one file
    KEN_HISTORY_TEXTS_BYTES = 32 << 20, // of all of them
};

// The files of these paths (relative to the root) as commit `id` has them; *out has n. What is over
// a bound is marked. KEN_EINVAL when `id` is no id as ken_history_diff gives them, KEN_EUNSUPPORTED
// when git fails, as it does when the clone lacks the contents.
ken_status ken_history_read_texts(const char *root, ken_str id, const ken_str *paths, size_t n,
                                  const ken_cancel *cancel, ken_arena *arena,
                                  ken_history_text **out, ken_err *err) KEN_MUST_USE;

#endif
