// SPDX-License-Identifier: MIT
// scan_priv.h -- what the files of this folder share.
#ifndef KEN_SCAN_SCAN_PRIV_H
#define KEN_SCAN_SCAN_PRIV_H

#include "base/vec.h"
#include "scan/scan.h"

enum {
    SCAN_CANCEL_EVERY = 256,    // entries between two checks of the cancel flag
    SCAN_MAX_PATH = 4000,       // bytes below the root: longer paths could not be opened by name
    SCAN_MAX_IGNORE = 4 << 20,  // bytes of one .gitignore
    SCAN_MAX_GLOB = 1024,       // bytes of one glob
    SCAN_MAX_ALTERNATIVES = 64, // after {a,b} is written out
    SCAN_MAX_GROUPS = 16,       // '{' in one glob
};

// ---- scan_wild.c: the matcher below both globs and .gitignore ---------------------------------

// One segment: * ? [classes] \escapes against text that holds no '/'.
bool ken_scan__wild_name(ken_str pattern, ken_str text);
// Whole paths: as above between the slashes, and ** across them.
bool ken_scan__wild_path(ken_str pattern, ken_str text);
// NULL, or what is wrong with it; a wrong pattern never matches.
const char *ken_scan__wild_fault(ken_str pattern);
// Length of the front that holds no special character.
size_t ken_scan__wild_literal(ken_str pattern);

// ---- scan_glob.c ------------------------------------------------------------------------------
typedef struct scan_glob {
    ken_str pattern;      // without {}, without leading and trailing '/'
    bool is_base_name;    // no '/': matches the last name of a path
    bool is_below_folder; // ended in '/': matches what is below that folder
} scan_glob;

typedef struct scan_globs {
    const scan_glob *ptr;
    size_t len;
} scan_globs;

ken_status ken_scan__globs(ken_arena *a, const ken_str *patterns, size_t n, scan_globs *out,
                           ken_err *err) KEN_MUST_USE;
// The globs of paths in the further root of that mark, as globs of paths below it. One that fits none
// of them stays as one that fits nothing.
void ken_scan__globs_below(ken_arena *a, ken_str mark, scan_globs *globs);
// True when a glob matches the path itself or a folder above it.
bool ken_scan__globs_match(scan_globs globs, ken_str path);
// True when a glob matches the folder itself.
bool ken_scan__globs_match_folder(scan_globs globs, ken_str folder);
// True when a glob spells out `name` as one of its segments: it was asked for.
bool ken_scan__globs_name(scan_globs globs, ken_str name);
// Whether a glob of --include spells out a path that ignore rules leave out, which is then wanted all the same.
typedef enum scan_spelt {
    SCAN_SPELT_NOT = 0,
    SCAN_SPELT_BELOW,  // something below this folder
    SCAN_SPELT_ITSELF, // it, with all below it
} scan_spelt;
scan_spelt ken_scan__globs_spell(scan_globs globs, ken_str path);
bool ken_scan__globs_spell_any(scan_globs globs); // whether any path is spelt out

// ---- scan.c: one scan under way ---------------------------------------------------------------
typedef KEN_VEC(ken_scan_file) scan_file_vec;
typedef KEN_VEC(ken_scan_skip) scan_skip_vec;

typedef struct scan_job {
    const ken_scan_opts *opts;
    const ken_cancel *cancel;
    ken_arena *arena; // results
    ken_arena scratch;
    ken_str root; // absolute, links resolved
    int root_fd;
    ken_str own; // folder of ken's own data below the root, relative; empty = none
    uint64_t max_file_bytes;
    scan_globs include, exclude;
    scan_file_vec files;
    scan_skip_vec skips;
    bool is_for_folders; // a walk that only tells the watcher of folders
    ken_err fault;       // of the process, not of a file: the scan fails; KEN_OK = none
} scan_job;

// The skip reason for an errno of open or stat. NONE: it is gone, or a link by now.
// Without descriptors or memory the scan fails at its end: nothing that it leaves out is left out
// for a reason of its own.
ken_skip_reason ken_scan__judge_errno(scan_job *job, int sys_errno, ken_str path);
// `path` must live in the results' arena; a folder's ends in '/'.
void ken_scan__skip(scan_job *job, ken_str path, ken_skip_reason reason);
// NONE, or why this folder (no '/' at its end) is not entered. `is_untracked`: git tracks nothing
// below it, or is not asked. UNREADABLE: its path is too long.
ken_skip_reason ken_scan__judge_folder(const scan_job *job, ken_str folder, bool is_untracked);
// Stats one candidate by its base name in `dir_fd` and puts it into files or skips. A file that is
// gone, or that no --include asks for, goes nowhere. `path` must live in the results' arena.
void ken_scan__take(scan_job *job, int dir_fd, ken_str path, bool is_ignored);

// Tells the watcher, when there is one.
void ken_scan__watch(const scan_job *job, ken_str path);

// ---- scan_git.c -------------------------------------------------------------------------------
typedef struct scan_git {
    ken_str top;        // of the work tree, absolute
    ken_str git_dir;    // of this work tree
    ken_str common_dir; // of the repository
} scan_git;

typedef struct scan_candidate {
    ken_str path; // relative to the root; ends in '/' for a repository of its own
    bool is_tracked;
} scan_candidate;

typedef struct scan_candidates {
    scan_candidate *ptr; // sorted by path, no doubles; ken_free it
    size_t len;
} scan_candidates;

// Looks upwards for a work tree. False when there is none. Results in the scratch arena.
bool ken_scan__git_find(ken_arena *a, ken_str root, scan_git *out);
// A bare repository, or the inside of one.
bool ken_scan__git_is_bare(int dir_fd);
// The reference that HEAD names, NUL-terminated; empty when it names none.
ken_str ken_scan__git_ref(ken_arena *a, const scan_git *git);
void ken_scan__git_head(ken_arena *a, const scan_git *git, ken_str *out_head, ken_str *out_branch);
// Asks git for its files, or for what it ignores (a folder once, with a '/' at its end). Paths are in
// the results' arena.
// KEN_EUNSUPPORTED when git is absent or refuses; then walk.
ken_status ken_scan__git_list(scan_job *job, bool is_of_ignored, scan_candidates *out, ken_err *err)
    KEN_MUST_USE;
// The same of these paths alone, each taken as it is written.
ken_status ken_scan__git_list_some(scan_job *job, const ken_str *paths, size_t n,
                                   scan_candidates *out, ken_err *err) KEN_MUST_USE;
// The same for what `git ls-files -z -t` printed; paths are borrowed from `text`.
void ken_scan__git_parse_list(ken_str text, scan_candidates *out);

// ---- scan_controls.c --------------------------------------------------------------------------

// Tells the watcher of all files outside of the walked folders that the result depends on. `git`: NULL
// outside of a work tree.
void ken_scan__tell_controls(scan_job *job, const scan_git *git);

// ---- scan_memory.c ----------------------------------------------------------------------------

// The result that follows from the one before and what was told since; false when a whole scan is needed.
bool ken_scan__again(scan_job *job, ken_scan_result *out);
// Keeps the result of a whole scan in the job's memory.
void ken_scan__remember(const scan_job *job, const ken_scan_result *r);

// ---- scan_walk.c ------------------------------------------------------------------------------

// `git` is NULL outside of a work tree.
ken_status ken_scan__walk(scan_job *job, const scan_git *git, ken_err *err) KEN_MUST_USE;
// Walks one folder that git ignores and that --include spells out, or something below it. `folder`: relative to
// the root, in the results' arena.
ken_status ken_scan__walk_ignored(scan_job *job, const scan_git *git, ken_str folder, ken_err *err)
    KEN_MUST_USE;

// ---- scan_excludes.c --------------------------------------------------------------------------

// The patterns that count everywhere: core.excludesFile and info/exclude. Either may be NULL.
typedef struct scan_excludes {
    ken_ignore *user, *repository;
    KEN_VEC(const char *)
    sources; // absolute paths of all files that were asked, those that are absent too
} scan_excludes;
// `home`: the user's home folder, NULL = $HOME.
scan_excludes ken_scan__excludes(ken_arena *a, const char *home, const scan_git *git);
void ken_scan__excludes_release(scan_excludes *x);

// ---- scan_classify.c --------------------------------------------------------------------------

// How a folder's name alone speaks.
typedef enum scan_folder_kind {
    SCAN_FOLDER_ORDINARY = 0,
    SCAN_FOLDER_NEVER,    // caches, environments, .git
    SCAN_FOLDER_VENDORED, // other people's code
    SCAN_FOLDER_OUTPUT,   // build output, unless git tracks something in it
} scan_folder_kind;
scan_folder_kind ken_scan__folder_kind(ken_str name);
bool ken_scan__is_bad_name(ken_str name); // not UTF-8, or control characters
bool ken_scan__is_secret_folder(ken_str name);
// A file that marks its folder as a virtual environment or a cache.
bool ken_scan__is_marker(ken_str name);
// SECRET, GENERATED or BINARY by the base name (and the folder it is in), else NONE.
ken_skip_reason ken_scan__judge_name(ken_str path, bool is_code, bool wants_secrets);

#endif
