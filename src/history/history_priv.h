// SPDX-License-Identifier: MIT
// history_priv.h -- what the files of this folder share.
#ifndef KEN_HISTORY_HISTORY_PRIV_H
#define KEN_HISTORY_HISTORY_PRIV_H

#include "base/hash.h"
#include "base/id.h"
#include "base/map.h"
#include "base/vec.h"
#include "history/history.h"
#include "history/history_state.h"
#include "proc/proc_git.h"

enum {
    HISTORY_MAX_COMMITS = 5000,
    HISTORY_MAX_PATH = 4096,
    HISTORY_MAX_NAME = 100, // bytes of an author's name
    HISTORY_MAX_SUBJECT = 200,
    HISTORY_MAX_REASON = 500,
    HISTORY_MAX_ID = 64, // digits of a commit's id
    HISTORY_WIDE = 30,   // a commit that changed more files does not count for pairs
    HISTORY_RECENT_S = 90 * 24 * 3600,
};
#define HISTORY_MAX_TIME_S INT64_C(253402300799) // the year 9999

// ---- history_text.c --------------------------------------------------------------------------
// Cuts what comes piece by piece into lines. Of a line that is very long only the start is kept.
typedef struct history_lines {
    void (*on_line)(void *ctx, ken_str line); // without its end
    void *ctx;
    ken_buf rest; // start of a line that has not ended yet
} history_lines;

void ken_history__lines_init(history_lines *l, void (*on_line)(void *ctx, ken_str line), void *ctx);
void ken_history__lines_add(void *lines, ken_str part); // fits ken_proc_opts.on_out
void ken_history__lines_end(history_lines *l);          // the last line may lack its end
void ken_history__lines_release(history_lines *l);
// ken_git_run that gives what git prints to `on_line`, a line at a time. A run that was cut off gives no part of a line.
ken_status ken_history__run_lines(const ken_proc_opts *opts,
                                  void (*on_line)(void *ctx, ken_str line), void *ctx,
                                  ken_proc_result *out, ken_err *err) KEN_MUST_USE;

// A path as git prints it, in quotes where it has odd bytes. The result is in the arena, or the
// text itself; NULL ptr when it is malformed, too long, not UTF-8 or leads elsewhere.
ken_str ken_history__path(ken_arena *arena, ken_str text);
// Whether it is what ken_history__path gives: relative, without ".", "..", NUL and broken UTF-8.
bool ken_history__is_path(ken_str path);
// One line of words of people: cut, repaired, without control characters.
ken_str ken_history__words(ken_arena *arena, ken_str text, size_t max_bytes);
// Takes the text before `c` off the front; all of it when there is none.
ken_str ken_history__take(ken_str *rest, char c);

// ---- history_git.c ---------------------------------------------------------------------------
typedef struct history_tree {
    ken_str head;   // empty: no commit yet
    ken_str prefix; // of the root in its work tree, empty at the top
    bool is_shallow;
} history_tree;

// Looks at the work tree. KEN_EUNSUPPORTED, with a message, when there is none to be had.
ken_status ken_history__tree_open(const char *root, const ken_cancel *cancel, ken_arena *arena,
                                  history_tree *out, ken_err *err) KEN_MUST_USE;

// ---- history_log.c ---------------------------------------------------------------------------
typedef struct history_author {
    uint64_t key; // hash of the mail address
    ken_str name;
} history_author;

typedef struct history_detail {
    ken_str id, subject;
} history_detail;

typedef struct history_entry {
    int64_t time_s;
    uint32_t author;
    uint32_t first, n; // in `touched`
    int32_t detail;    // only of commits that are some file's last; else -1
    bool is_wide;
} history_entry;

// The commits as they are, which is what is packed, and what follows from them.
struct ken_history {
    ken_arena arena;
    ken_str head, reason;
    bool is_shallow;
    history_entry *entries; // newest first
    uint32_t n_entries;
    ken_str *paths; // sorted
    uint32_t n_files;
    history_author *authors;
    uint32_t n_authors;
    history_detail *details;
    uint32_t *touched; // numbers of files, ascending within an entry
    uint32_t n_touched;
    // history_file.c
    uint32_t *first_of; // by file, and one more: in `entries_of`
    uint32_t *entries_of;
    uint32_t *n_recent, *n_authors_of; // by file
    uint32_t *together;                // by file: scratch, all 0
};

ken_history *ken_history__new(void);

// Takes commits, newest first, and follows the names of files back through them.
typedef struct history_builder history_builder;

history_builder *ken_history__builder_new(uint32_t max_commits, bool is_shallow);
void ken_history__builder_free(history_builder *b);
// One line of git's log, in HISTORY_FORMAT.
void ken_history__builder_line(void *b, ken_str line);
// Whether `max_commits` are there.
bool ken_history__builder_is_full(const history_builder *b);
// One commit of another history, older than those there are; `mark` is put before its paths.
void ken_history__builder_add(history_builder *b, const ken_history *old, uint32_t entry,
                              ken_str mark);
// All commits of a history older than what there is.
void ken_history__builder_replay(history_builder *b, const ken_history *old);
// Moves what was built into `h`, without what only deleted files had.
void ken_history__builder_finish(history_builder *b, ken_history *h);

#define HISTORY_FORMAT "--format=c %H %ct %p%ne %aE%nn %aN%ns %s"

// ---- history_file.c --------------------------------------------------------------------------
// Computes the counts of each file over the commits. After this `h` is complete.
void ken_history__derive(ken_history *h);

// ---- history_state.c -------------------------------------------------------------------------
typedef struct history_state_job {
    ken_arena *arena;
    ken_work_state state;
    KEN_VEC(ken_str) paths; // that are not as committed
} history_state_job;

// One line of what `git status --porcelain=v2` prints.
void ken_history__state_line(void *job, ken_str line);
// Sorts the paths, of which `out` has the first `max_dirty`. They are in the arena.
void ken_history__state_finish(history_state_job *j, size_t max_dirty, ken_work_state *out);

// ---- history_lines.c -------------------------------------------------------------------------
typedef struct history_blamed {
    ken_history_touch touch;
    bool is_edge;   // it has no parents
    uint32_t place; // among commits of its second, the newest first
} history_blamed;

typedef struct history_blame {
    ken_arena *arena;
    ken_map by_id; // id -> its index in `commits`
    KEN_VEC(history_blamed) commits;
    uint32_t n_placed;
    bool has_edges;
    uint32_t n_uncommitted, n_beyond;
    int64_t at; // the one whose lines follow; -1 = none
} history_blame;

void ken_history__blame_init(history_blame *b, ken_arena *arena);
void ken_history__blame_release(history_blame *b);
// One line of what `git blame --porcelain` prints.
void ken_history__blame_line(void *blame, ken_str line);
// The newest first; in the arena.
void ken_history__blame_finish(history_blame *b, ken_history_touches *out);

// ---- history_patch.c -------------------------------------------------------------------------
typedef struct history_patch history_patch;

// Reads what `git diff -U0` prints, line by line, into the arena.
history_patch *ken_history__patch_new(ken_arena *arena);
void ken_history__patch_free(history_patch *p);
void ken_history__patch_line(void *p, ken_str line);
void ken_history__patch_add(history_patch *p, ken_str path, ken_change_kind kind);
// Sorted by path. The files are in the arena.
void ken_history__patch_finish(history_patch *p, ken_changes *out);

#endif
