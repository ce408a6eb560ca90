// SPDX-License-Identifier: MIT
// app.h -- the owner of everything that lives long: settings, projects, open indexes.
//
// Opening an app opens nothing else: the catalog of projects is opened with the first question
// about projects, a project's index with the first question to it. Commands and tools get
// everything through it.
//
// Ownership: results live in the arena passed. Threads: safe from any thread. A ken_snapshot is
// used by the thread that borrowed it, until it gives it back; a second borrower gets a second one.
// Locks: one mutex guards the catalog, one the idle snapshots; both are leaves. A project's step
// (app_step.c) has one that is held while index and folder are compared, with leaves under it.
// Errors: KEN_ENOTFOUND for unknown projects and indexes that were never made, KEN_EINVAL for a
// reference that is not clear, KEN_EBUSY while another run writes the same index, KEN_ECORRUPT for
// a damaged index (the message says how to rebuild it).
#ifndef KEN_APP_APP_H
#define KEN_APP_APP_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/err.h"
#include "base/id.h"
#include "base/quota.h"
#include "base/roots.h"
#include "checkpoint/checkpoint.h"
#include "config/config.h"
#include "embed/embed.h"
#include "index/index.h"
#include "json/json.h"
#include "model/model_record.h"
#include "query/query.h"
#include "rulebook/rulebook.h"
#include "task/task.h"

typedef struct ken_app ken_app;

// `config` is borrowed and must outlive the app.
ken_status ken_app_open(const ken_config *config, ken_app **out, ken_err *err) KEN_MUST_USE;
void ken_app_close(ken_app *app); // all snapshots must have been given back
const ken_config *ken_app_config(const ken_app *app);
// Logs which settings have no effect, and why; where a run or a server begins.
void ken_app_log_notes(const ken_app *app);

// The end of what a caller is told, on the thread that worked it out. When a damaged page was met on the
// way and the answer does not say so already, the answer is that: KEN_ECORRUPT, with the command that
// mends it. Otherwise `st` and `err` stay.
ken_status ken_app_end_answer(ken_app *app, ken_status st, ken_err *err);

// ---- projects ----
typedef struct ken_project_info {
    ken_uuid id;
    ken_str name;           // base name of the root unless set
    ken_str root;           // absolute real path
    ken_database *database; // where the next and notes_path are, by name; NULL = they are files
    ken_str db_path;        // its index, which worktrees and clones of one repository share
    ken_str further;        // its further roots (ken_app_roots); empty = none
    ken_str notes_path;     // what people wrote; the same when the index was made for it
    ken_uuid tree;          // which files of the index are its own; zeros = those of its first tree
    // Of a project as a commit has it (ken_app_find_revision): the full id, and the tree of its folder.
    ken_str commit; // empty = as its folder has it
    ken_uuid work_tree;
    int64_t indexed_at_ms; // 0 = never completely
    bool root_exists;
    bool
        is_archived; // its index is kept and left alone: KEN_EPERM for who asks it or would index it
} ken_project_info;

// All known projects, by name.
ken_status ken_app_list_projects(ken_app *app, ken_arena *arena, ken_project_info **out,
                                 size_t *out_n, ken_err *err) KEN_MUST_USE;

// Finds a project by id, name or path (of its root, or below it: then the deepest root counts).
// Empty `ref`: the project around `cwd` (absolute; may be empty), else the only project there is.
// KEN_EINVAL that lists the projects when that is not clear.
ken_status ken_app_find_project(ken_app *app, ken_str ref, ken_str cwd, ken_arena *arena,
                                ken_project_info *out, ken_err *err) KEN_MUST_USE;

// The project whose root is the folder `path` (absolute or relative to the working directory),
// registered when it was unknown. `name` may be empty; otherwise it is set. KEN_ENOTFOUND,
// KEN_EINVAL (a file), KEN_EPERM for a bad path, or one outside of
// projects.roots.
ken_status ken_app_add_project(ken_app *app, ken_str path, ken_str name, ken_arena *arena,
                               ken_project_info *out, ken_err *err) KEN_MUST_USE;

// The same for a client of the server, which may not name every folder (app_roots.c). KEN_EPERM says
// why. A project that is known already is given back in any case.
ken_status ken_app_add_client_project(ken_app *app, ken_str path, ken_str name, ken_arena *arena,
                                      ken_project_info *out, ken_err *err) KEN_MUST_USE;
// The further roots of a project, not opened.
ken_roots ken_app_roots(const ken_project_info *project, ken_arena *arena);

typedef struct ken_app_roots_change {
    const ken_str *add; // "DIR", or "NAME=DIR" with another name than the folder's; absolute
    size_t n_add;
    const ken_str *remove; // names
    size_t n_remove;
    bool is_for_client; // which may not name every folder (app_roots.c)
} ken_app_roots_change;
// Takes roots out of a project, then adds some: the next run indexes what they hold. Nothing is changed when one of
// them is refused: KEN_EINVAL for one that overlaps with another or has no good name, KEN_EEXIST for a name that is
// taken, KEN_ENOTFOUND, KEN_EPERM. `project` is brought up to date.
ken_status ken_app_change_roots(ken_app *app, ken_project_info *project,
                                const ken_app_roots_change *asked, ken_arena *arena, ken_err *err)
    KEN_MUST_USE;

// The folders of projects.roots, real paths, those that exist; how many. 0 = no such setting, or none
// of them exists.
size_t ken_app_list_roots(ken_app *app, ken_arena *arena, ken_str **out);

// Gives up what the process will not need (sandbox.h), as security.sandbox says; before any thread is
// started. `only`: the one project that will be worked on, NULL = any. `is_index`: nothing but indexes
// will be written; else what rag_setup may write too. KEN_EUNSUPPORTED when the setting is "on" and the
// kernel cannot do it.
ken_status ken_app_enter_sandbox(ken_app *app, const ken_project_info *only, bool is_index,
                                 ken_err *err) KEN_MUST_USE;

// Forgets a project and removes its index. A run that ends is waited for a moment; KEN_EBUSY while one goes on.
ken_status ken_app_remove_project(ken_app *app, const ken_project_info *project, ken_err *err)
    KEN_MUST_USE;
// Sets it aside, or takes it up again; `project` is brought up to date.
ken_status ken_app_archive_project(ken_app *app, ken_project_info *project, bool is_archived,
                                   ken_err *err) KEN_MUST_USE;

// The commit that the work tree of `root` is at now, without running git; empty when it has none or
// it cannot be told. Compare it with the generation's git_head.
ken_str ken_app_read_head(ken_str root, ken_arena *arena);

// The project as the commit has it that `name` (a branch, a tag, an id, main~3) means now. It is asked, borrowed and
// given back as a project; nothing is checked out, and its files come from git's objects. The first question
// indexes it, by the project's present settings. KEN_EINVAL for a name of no commit, or of several; KEN_EUNSUPPORTED
// without a repository, and for a project of several folders; KEN_ENOTFOUND when the project was never indexed.
ken_status ken_app_find_revision(ken_app *app, const ken_project_info *project, ken_str name,
                                 const ken_cancel *cancel, ken_arena *arena, ken_project_info *out,
                                 ken_err *err) KEN_MUST_USE;

// The settings of a project, its .ken.yaml included. ken_config_free it.
ken_status ken_app_load_settings(ken_app *app, const ken_project_info *project, ken_config **out,
                                 ken_err *err) KEN_MUST_USE;

// A value as JSON has it: a number, a truth, a list or a text; "(set)" for a secret.
json_t *ken_app_setting_json(const ken_config *settings, ken_config_key key, ken_arena *arena);
// What they say without effect: {key, value, source, text} of each.
json_t *ken_app_setting_notes_json(const ken_config *settings);

// ---- embedding ----
// What settings say about vectors. Texts are borrowed from `settings`.
ken_embed_opts ken_app_embed_opts(const ken_config *settings);

// The models of the catalog, the built-in one first; files that are gone make a model `missing`.
ken_status ken_app_list_models(ken_app *app, ken_arena *arena, ken_model_record **out,
                               size_t *out_n, ken_err *err) KEN_MUST_USE;
// KEN_ENOTFOUND names the command that lists them.
ken_status ken_app_find_model(ken_app *app, ken_str id, ken_arena *arena, ken_model_record *out,
                              ken_err *err) KEN_MUST_USE;
// A model of one's own, to be downloaded: an ONNX file. KEN_EEXIST when there is one of that id; KEN_EINVAL names the
// field, its rule and its value.
ken_status ken_app_add_model(ken_app *app, const ken_model_record *m, ken_err *err) KEN_MUST_USE;
// Fetches the model and its tokenizer into the data folder, going on with what an earlier try left,
// and checks them. Sources are https:, http: and file: URIs, or absolute paths. KEN_EBUSY while
// another process does the same.
typedef void ken_app_bytes_fn(void *ctx, uint64_t done_bytes, uint64_t total_bytes);
ken_status ken_app_download_model(ken_app *app, ken_str id, ken_app_bytes_fn *progress, void *ctx,
                                  const ken_cancel *cancel, ken_arena *arena, ken_model_record *out,
                                  ken_err *err) KEN_MUST_USE;
// Removes the files; the row too unless it came with ken, which `*out_is_listed` tells. KEN_EBUSY names the projects that
// use it, or says that it is being downloaded.
ken_status ken_app_remove_model(ken_app *app, ken_str id, const ken_cancel *cancel,
                                bool *out_is_listed, ken_err *err) KEN_MUST_USE;

// Chooses the model of a project and keeps a whole snapshot of its record in the project's index.
// `ref` is an id of the catalog, or a server's model as "ollama:NAME", "openai:NAME", "tei:NAME"
// (then `url` may say where; empty = the provider's default): only that sends code away.
// KEN_EINVAL for a model that was not downloaded.
ken_status ken_app_use_model(ken_app *app, const ken_project_info *project, ken_str ref,
                             ken_str url, ken_arena *arena, ken_model_record *out, ken_err *err)
    KEN_MUST_USE;
// The model of a project: the one chosen, else what `settings` say. A snapshot whose model this
// catalog does not know, because the project was moved here, adds it.
ken_status ken_app_project_model(ken_app *app, const ken_project_info *project,
                                 const ken_config *settings, ken_arena *arena,
                                 ken_model_record *out, ken_err *err) KEN_MUST_USE;
// Makes the vectors of a project's model, after a run; nothing to do while the built-in one is
// chosen and answers. A model that cannot be had leaves the vectors there are: then `note` says
// why, or it is an error, as the setting embedding.on_unavailable wants. KEN_EBUSY as for
// ken_app_index.
typedef struct ken_app_embedding {
    ken_model_record model;
    ken_index_embed_report report;
    bool was_needed; // false: the index has its vectors by itself
    ken_str note;
    ken_status failed; // what `note` is about
} ken_app_embedding;

ken_status ken_app_embed(ken_app *app, const ken_project_info *project, const ken_config *settings,
                         ken_index_progress_fn *on_progress, void *progress_ctx,
                         const ken_cancel *cancel, ken_arena *arena, ken_app_embedding *out,
                         ken_err *err) KEN_MUST_USE;
// Why the last try to make a project's vectors came to nothing; KEN_OK when it did not.
ken_status ken_app_load_embed_failure(ken_app *app, const ken_project_info *project,
                                      ken_arena *arena, ken_str *out_text);
// As JSON has it, and in one line for people; empty when nothing needs saying.
json_t *ken_app_embedding_json(const ken_app_embedding *e);
ken_str ken_app_embedding_text(const ken_app_embedding *e, ken_arena *arena);
// Which vectors a project's index has.
ken_status ken_app_load_vectors(ken_app *app, const ken_project_info *project, ken_arena *arena,
                                ken_index_vectors *out, ken_err *err) KEN_MUST_USE;
// What opens it. Texts are borrowed from `settings` and `m`.
ken_embed_opts ken_app_model_opts(const ken_config *settings, const ken_model_record *m);
// The members of a record, path and url included, as `ken model list --json` has them.
json_t *ken_app_model_json(const ken_model_record *m);
// Whether its files are there, and nothing that runs them: `why` says what is missing.
bool ken_app_lacks_runtime(const ken_app *app, const ken_model_record *m, ken_err *why);
// The same members, with "no runtime" and the reason as its status then.
json_t *ken_app_listed_model_json(const ken_app *app, const ken_model_record *m);

// ---- indexing ----
// What settings say about indexing. The lists are borrowed from `settings`.
ken_index_opts ken_app_index_opts(const ken_config *settings);

// Brings a project's index up to date. Not while this thread has a snapshot of it. `opts` may be NULL
// for what its settings say. A forced run moves a damaged database out of the way
// ("….db.damaged-<n>") and starts a new one, with the checkpoints that can still be read. A run that
// reads everything waits while indexing.runs others do, in stage "waiting".
ken_status ken_app_index(ken_app *app, const ken_project_info *project, const ken_index_opts *opts,
                         const ken_cancel *cancel, ken_arena *arena, ken_index_report *out,
                         ken_err *err) KEN_MUST_USE;

// What callers say of a run; the rest is as the project's settings have it.
typedef struct ken_app_indexing {
    bool is_forced;
    ken_index_progress_fn *on_progress; // may be NULL
    void *progress_ctx;
} ken_app_indexing;

ken_status ken_app_index_as_set(ken_app *app, const ken_project_info *project,
                                const ken_app_indexing *how, const ken_cancel *cancel,
                                ken_arena *arena, ken_index_report *out, ken_err *err) KEN_MUST_USE;

// A run of a project that some process is at. Another worktree's is none of it, even where they share an index.
typedef struct ken_app_run {
    int pid;
    ken_str stage;
    uint64_t n_done, n_total; // files
    int64_t left_ms;          // about; 0 = not known
} ken_app_run;

bool ken_app_find_run(const ken_app *app, const ken_project_info *project, ken_arena *arena,
                      ken_app_run *out);
// ", about 40 s left"; empty when that is not known.
ken_str ken_app_left_text(const ken_app_run *run, ken_arena *arena);

// ---- asking ----
// What one question may cost, as settings say (base/quota.h).
ken_quota_limits ken_app_question_limits(const ken_app *app);

// How a question may bring the index up to date (app_step.c).
typedef struct ken_app_asking {
    bool may_index; // else what differs is counted, and said
    const ken_cancel *cancel;
    ken_index_progress_fn *on_progress; // may be NULL
    void *progress_ctx;
    int64_t *out_catch_up_ns; // what comparing and bringing up to date took; may be NULL
} ken_app_asking;

// Begins a question about what the project's folder holds at this moment: compares the index with it,
// brings it up to date where they differ, for at most query.catch_up_seconds, and borrows a snapshot.
// What could not be looked at is told with the answer (ken_snapshot_unread). KEN_ECANCELLED and
// KEN_ETIMEOUT of `how`, and what ken_app_borrow fails with. Not while this thread has a snapshot of it.
ken_status ken_app_ask(ken_app *app, const ken_project_info *project, const ken_app_asking *how,
                       ken_snapshot **out, ken_err *err) KEN_MUST_USE;
// Sends traces and metrics from here on, where settings name a collector; after the sandbox. What cannot
// be begun is in the log and no error: who starts a server wants answers first.
void ken_app_start_telemetry(const ken_app *app, const char *version);
void ken_app_stop_telemetry(void); // sends what is left, for a second at most

// This process stays: the kernel is asked to tell of changes, so that questions need not compare. Before
// any thread asks.
void ken_app_serve(ken_app *app);
// Opens indexes before somebody asks, on a thread of its own: the selected project's and those that were indexed last, up
// to cache.warm of them. Asked again, those that were indexed since then (not of a database). Nothing is indexed by
// it. In a process that stays, after the sandbox; any thread. What cannot be opened is in the log.
void ken_app_warm(ken_app *app);

// The same of the index as it is: a snapshot of the project's newest generation, pinned for this thread
// until it is given back. Nothing of it changes meanwhile, and nothing that was borrowed of it is valid
// after. A question is short: give it back before anything that waits. KEN_ENOTFOUND when it was
// never indexed.
ken_status ken_app_borrow(ken_app *app, const ken_project_info *project, ken_snapshot **out,
                          ken_err *err) KEN_MUST_USE;
void ken_app_give_back(ken_app *app, const ken_project_info *project, ken_snapshot *s);

// The checkpoints of the project whose snapshot this is; used and ended with the snapshot. They are
// those of the moment, not of the snapshot's.
ken_status ken_app_checkpoints(ken_app *app, ken_snapshot *snapshot, ken_checkpoints **out,
                               ken_err *err) KEN_MUST_USE;

// How many files and folders git ignores now: an index does not list these as skipped. A folder counts
// once. 0 where git was not asked, for then they are listed.
ken_status ken_app_count_ignored(const ken_project_info *project, const ken_cancel *cancel,
                                 ken_arena *arena, uint64_t *out, ken_err *err) KEN_MUST_USE;
// The skipped files of the newest generation; reason KEN_SKIP_NONE = all.
ken_status ken_app_list_skips(ken_app *app, const ken_project_info *project, ken_skip_reason reason,
                              size_t limit, ken_arena *arena, ken_scan_skip **out, size_t *out_n,
                              ken_err *err) KEN_MUST_USE;

// ---- tasks ----
// The tasks of these data, for this thread until they are given back. Made when there are none,
// opened for reading only where nothing may be written.
ken_status ken_app_borrow_tasks(ken_app *app, ken_tasks **out, ken_err *err) KEN_MUST_USE;
void ken_app_give_back_tasks(ken_app *app, ken_tasks *t);

// ---- rules ----
// The rules of the project that `s` was borrowed of: the app's, for the thread that has `s`, until
// `s` is given back.
ken_rulebook *ken_app_rulebook(ken_app *app, ken_snapshot *s);
// ken_rulebook_index into that project's index. Waits up to 30 seconds for another writer.
ken_status ken_app_index_rules(ken_app *app, ken_snapshot *s, ken_rulebook_counts *out,
                               ken_err *err) KEN_MUST_USE;
// The project whose rules are meant when none is named; it outlives the process. KEN_ENOTFOUND
// without a message when there is none, or it was removed.
ken_status ken_app_load_rules_project(ken_app *app, ken_arena *arena, ken_project_info *out,
                                      ken_err *err) KEN_MUST_USE;
ken_status ken_app_set_rules_project(ken_app *app, const ken_project_info *project, ken_err *err)
    KEN_MUST_USE;

// ---- restoring ----
typedef struct ken_restore_opts {
    ken_str from;    // a journal instead of the one beside the database; empty = that one
    bool is_dry_run; // look only
} ken_restore_opts;

typedef struct ken_restore_report {
    ken_status found;              // KEN_OK: the database is sound
    ken_str wrong;                 // else why it is not
    uint64_t n_records, n_damaged; // lines of that journal
    bool is_cut_off;               // its last line has no end
    bool was_rebuilt;              // a new database was made of the journal
    ken_str kept;                  // where the old one is now; empty = there was none
    uint64_t n_applied;            // changes that a sound database lacked
    uint64_t n_projects, n_tasks;  // there are now
    uint64_t n_indexes;            // whose journal was damaged and is made anew
} ken_restore_report;

// Makes the list of projects, with tasks, values and models, whole again: a damaged database is
// replaced by what its journal has, a sound one gets what it lacks; damaged journals of sound indexes
// are made anew. No tasks are borrowed. With `from` even a sound database is replaced by what that
// journal has: any journal of a list of projects, of these data or others, whole or damaged; what is
// in its lines that are whole is what there will be. KEN_EINVAL, and nothing is touched, when it has
// no such line. What is replaced is kept. KEN_ENOTFOUND when there is no journal to restore from,
// KEN_EBUSY while another process restores or writes; a shortage or a missing right is no damage and
// is what is returned.
ken_status ken_app_restore(ken_app *app, const ken_restore_opts *opts, ken_arena *arena,
                           ken_restore_report *out, ken_err *err) KEN_MUST_USE;

// ---- health ----
typedef enum ken_health {
    KEN_HEALTH_UNKNOWN = 0,
    KEN_HEALTH_OK,
    KEN_HEALTH_WARN, // works, but something should be looked at
    KEN_HEALTH_FAIL,
} ken_health;

typedef struct ken_health_check {
    const char *name; // static: "data folder"
    ken_health health;
    ken_str text; // what was found, and what to do
} ken_health_check;

const char *ken_health_word(ken_health h);

// Looks at folders, settings, the catalog and every index; `is_deep` reads every page of them.
ken_status ken_app_check_health(ken_app *app, bool is_deep, const ken_cancel *cancel,
                                ken_arena *arena, ken_health_check **out, size_t *out_n,
                                ken_err *err) KEN_MUST_USE;

#endif
