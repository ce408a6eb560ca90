// SPDX-License-Identifier: MIT
// scan.h -- file discovery: which files exist below a root, and which of them belong in an index.
//
// In a git work tree the candidates are git's own (tracked, and untracked that are not ignored);
// elsewhere the tree is walked with full .gitignore semantics. Every file that is left out is
// reported with its reason, except what no --include selects. Links are never followed; outside of
// the root only git's own files and ignore files are read. README.md has the exact rules.
//
// Ownership: all results live in the arena. Threads: pure functions of their input.
// Errors: KEN_ENOTFOUND / KEN_EPERM / KEN_EINVAL for the root itself; below it problems are skips.
#ifndef KEN_SCAN_SCAN_H
#define KEN_SCAN_SCAN_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/roots.h"
#include "model/skip.h"
#include "revision/revision.h"

// Receives everything that the result of a scan depends
// on, each before it is read; on the thread that scans. Paths are borrowed for the call.
typedef struct ken_scan_watcher {
    // A folder whose entries count, relative to the root ("" = the root).
    // `mark`: "@NAME" for a further root, whose descriptor it is then; else empty.
    void (*on_folder)(void *ctx, int root_fd, ken_str mark, ken_str path);
    // A file. One that has several names may be changed under another.
    void (*on_file)(void *ctx, int root_fd, ken_str mark, ken_str path, const ken_fs_info *info);
    // A file outside of these folders, absolute, which need not exist. `is_identity`: only whether it is
    // there and which one it is.
    void (*on_control)(void *ctx, const char *path, bool is_identity);
    void *ctx;
    // on_folder is called for every folder, also one without files; costs a walk through git's trees.
    bool wants_folders;
} ken_scan_watcher;

// The result of the last scan, for a caller that can name every change since: the next scan examines
// these names only. A caller that cannot be sure forgets it first. One scan at a time.
typedef struct ken_scan_memory ken_scan_memory;
ken_scan_memory *ken_scan_memory_new(void);
void ken_scan_memory_free(ken_scan_memory *m);
// The next scan is a whole one.
void ken_scan_memory_forget(ken_scan_memory *m);
// A file came, went or changed, relative to the root. Folders cannot be told.
void ken_scan_memory_tell(ken_scan_memory *m, ken_str path);

typedef struct ken_scan_opts {
    const ken_str *include; // globs; when any is given only matching files are indexed
    size_t n_include;
    const ken_str *exclude; // globs; win over include
    size_t n_exclude;
    uint64_t max_file_bytes; // 0 = 1 MiB
    bool wants_secrets;      // do not skip files that may hold secrets
    bool wants_ignored; // report what git ignores, too; costs one more process. Walks always do
    bool without_git;   // walk even in a git work tree
    ken_str own_dir;    // absolute: ken's own data, never scanned; empty = not below the root
    const char *home;   // whose git settings (core.excludesFile) count; NULL = $HOME
    // The further roots of the project, which are scanned too; NULL = none. Globs are of paths with their
    // marks ("@NAME/src/**"); one without a mark is of the first root, unless it begins with a wildcard
    // that the mark fits or has no '/'.
    const ken_roots *roots;
    ken_str mark;                    // of the root that is scanned, set by a scan of all
    const ken_scan_watcher *watcher; // may be NULL; is told of all only by a whole scan
    // May be NULL. Then the result's paths live in it, until it is forgotten.
    ken_scan_memory *memory;
    ken_revision
        *revision; // the files of this commit, not those of the folder; NULL = the folder's
} ken_scan_opts;

typedef struct ken_scan_file {
    ken_str path; // relative to the root, '/' separated, valid UTF-8, NUL-terminated
    ken_fs_stamp stamp;
} ken_scan_file;

typedef struct ken_scan_skip {
    ken_str path; // as above; bytes that are not UTF-8 are replaced. A skipped folder ends in '/'
    ken_skip_reason reason;
    bool is_git_ignored; // reported for wants_ignored alone
} ken_scan_skip;

typedef struct ken_scan_result {
    ken_scan_file *files; // sorted by path, byte order
    size_t n_files;
    ken_scan_skip *skips; // sorted by path
    size_t n_skips;
    ken_str git_head;   // commit id, empty without git
    ken_str git_branch; // empty when detached or without git
    bool is_git;        // the root lies in a git work tree
    // Further roots that cannot be opened; their files are not among `files`.
    const ken_root **gone;
    size_t n_gone;
    bool is_walked; // files come from a walk: no work tree, no git, git refuses or lists nothing
} ken_scan_result;

// Discovers the files below `root`, an absolute, existing folder, and in the further roots of `opts`, each
// with git's list where it is a work tree of its own. Commit and branch are those of `root`.
ken_status ken_scan(const char *root, const ken_scan_opts *opts, const ken_cancel *cancel,
                    ken_arena *arena, ken_scan_result *out, ken_err *err) KEN_MUST_USE;

// Whether a file or folder of that name decides what a scan does with others beside or below it.
bool ken_scan_decides(ken_str name);

// The commit that the work tree around `root` is at, nearly always without running git; empty when
// there is none.
ken_str ken_scan_head(ken_str root, ken_arena *arena);

// Files that git takes for renamed, edits aside, between a commit and the work tree; those that git does not track are
// not among them. Paths are relative to the root. None where git cannot say.
typedef struct ken_scan_rename {
    ken_str from, to;
} ken_scan_rename;

void ken_scan_find_renames(const char *root, ken_str commit, const ken_cancel *cancel,
                           ken_arena *arena, ken_scan_rename **out, size_t *out_n);

// The skip reason that follows from the path alone: FOLDER, SECRET, VENDORED, GENERATED (lock
// files, *.min.js …, and what is
// no code of *.pb.go …), BINARY by extension, NAME, IGNORED by --exclude; else NONE. Folders of
// build output are not decided here, that takes git's list. `is_code`: the caller knows the
// extension as source code, which the two word patterns of the secret list spare; extensions known
// here count anyway. `opts` may be NULL.
ken_skip_reason ken_scan_classify_path(ken_str path, bool is_code, const ken_scan_opts *opts);
// Whether the name marks the file as generated: `x.pb.go`, `y.generated.ts`.
bool ken_scan_is_generated_path(ken_str path);
// The skip reason that follows from the content: BINARY (NUL bytes), ENCODING (broken UTF-8,
// UTF-16), GENERATED (minified,
// "@generated", "DO NOT EDIT" marks near the top), EMPTY, SECRET (the
// key of a service account); else NONE. A UTF-8 BOM is fine.
ken_skip_reason ken_scan_classify_content(ken_str path, ken_str content);
// The same of what is to be indexed: generated code is NONE unless it is packed for machines
// (minified, bundled), for it defines what others use. *out_is_generated: it is such code.
ken_skip_reason ken_scan_admit_content(ken_str path, bool is_code, ken_str content,
                                       bool *out_is_generated);

// ---- globs ------------------------------------------------------------------------------------

// `*` and `?` within a segment, `**` across segments, [classes], {a,b}; a pattern without '/'
// matches the base name anywhere; a pattern that ends in '/' matches everything below that folder.
ken_status ken_glob_check(ken_str pattern, ken_err *err) KEN_MUST_USE; // names what is wrong
bool ken_glob_match(ken_str pattern, ken_str path);
// As people name files: one without a wildcard is a file, or a folder with all that lies below it;
// "." is everything.
bool ken_glob_means(ken_str pattern, ken_str path);

// ---- .gitignore -------------------------------------------------------------------------------
typedef struct ken_ignore ken_ignore; // the patterns of one file, in an arena
// `dir`: the folder of the file relative to the root, "" for the root. Never fails: what git would
// not understand is passed over.
ken_ignore *ken_ignore_parse(ken_arena *a, ken_str dir, ken_str text);
// +1 ignored, -1 re-included by '!', 0 no pattern matches.
int ken_ignore_match(const ken_ignore *ig, ken_str path, bool is_dir);

#endif
