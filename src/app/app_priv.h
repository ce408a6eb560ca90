// SPDX-License-Identifier: MIT
// app_priv.h -- what the files of this folder share.
#ifndef KEN_APP_APP_PRIV_H
#define KEN_APP_APP_PRIV_H

#include <pthread.h>

#include "app/catalog.h"
#include "base/hash.h"
#include "base/pool.h"
#include "base/vec.h"
#include "metrics/metrics.h"
#include "model/grant.h"

enum {
    APP_IDLE_SNAPSHOTS = 8, // kept open over all projects, whatever they hold
    APP_OPEN_AT_ONCE = 128, // of one question, whatever they hold
    APP_OPEN_MOST = 4096,   // as long as they hold no more than cache.open_size
    APP_IDLE_CATALOGS = 2,
    APP_IDLE_TASKS = 2,         // each may have all texts in memory
    APP_WRITER_BUSY_MS = 30000, // another run may be writing a batch
};

// One open index, idle or lent. Lent, it is pinned: whoever borrowed it sees one generation.
typedef struct app_handle {
    ken_app *app;
    ken_project_info info; // in the arena
    ken_arena arena;
    ken_uuid project;
    ken_store *store; // of the reader; a read transaction is open while it is lent
    ken_reader *reader;
    ken_snapshot *snapshot;       // of the pin; NULL while it is idle
    pthread_t lent_to;            // while it is lent
    ken_checkpoints *checkpoints; // app_checkpoints.c; this and the next two NULL until needed
    ken_store *notes;             // checkpoints are read through it: they are never pinned
    ken_store *writer;
    ken_rulebook *rulebook; // app_rules.c; NULL until it is asked for
    uint64_t identity;      // of the index: another one of that name has another
    uint64_t used_at;       // larger = later
    size_t graph_bytes;     // that its graph took when it was last given back
    size_t held_bytes;      // about what it held then
    ken_revision *revision; // whose files the reader shows; NULL = those of the folder
    bool is_lent;
    atomic_uint n_sharers; // open handles of its project, which share one bound for their graphs
} app_handle;

// An access token as requests are compared with it (app_tokens.c).
typedef struct app_token {
    ken_sha256 hash;
    int64_t expires_at_ms; // 0 = never
    ken_grant grant;
} app_token;

typedef struct app_first app_first; // app_first.c: a run behind the questions
typedef struct app_step app_step;   // app_step.c: how far the index of a project follows its folder
typedef struct app_follower app_follower; // app_follow.c
typedef struct app_lock app_lock;         // app_lease.c: of an index that is being written

struct ken_app {
    const ken_config *config; // borrowed, outlives us
    ken_arena arena;          // of the paths below
    ken_str catalog_path, index_dir, repos_dir;
    pthread_mutex_t database_lock; // held while it is opened
    ken_database *database;        // NULL = not opened yet, or there is none
    pthread_mutex_t leases_lock;   // guards the next four; held while leases are prolonged
    pthread_cond_t leases_changed;
    KEN_VEC(app_lock *) leases;
    ken_pool *lease_keeper; // one thread, made with the first of them
    bool ends_leases;
    pthread_mutex_t lock; // guards all below; a leaf, never held during I/O
    KEN_VEC(app_handle *) handles;
    KEN_VEC(ken_catalog *) catalogs; // idle ones
    KEN_VEC(ken_tasks *) tasks;      // idle ones
    KEN_VEC(app_step *) steps;       // one for each project that was asked
    KEN_VEC(app_token) known_tokens;
    int64_t tokens_at_ns; // when they were read; 0 = must be again
    uint64_t n_uses;
    bool is_serving;
    bool leaves_syncs;           // jobs do them
    ken_pool *syncs;             // one thread, made when it is first needed
    ken_cancel syncs_end;        // set when the app closes
    int64_t next_syncs_ns;       // when it is looked again whether one is due
    app_follower *follower;      // NULL unless watch.enabled says so; it has a lock of its own
    KEN_VEC(app_first *) firsts; // that are at work
    ken_pool *helpers;           // of questions to several projects; made when first needed
    ken_pool *
        builds; // of what a database has beside the indexes: a thread for each kind, made when first needed
    atomic_bool is_building; // one is at HNSW indexes
    atomic_bool is_telling;  // the other at words
    atomic_size_t told_from; // with which of the projects without words it begins
    ken_cancel builds_end;   // set when the app closes
    ken_pool *first_runs;    // made when the first of them begins
    ken_pool *warming;       // one thread, made by ken_app_warm
    atomic_bool is_warming;  // it is at it; guards the next
    int64_t warmed_ms;       // what was indexed after this was not looked at yet
    ken_cancel warming_end;  // set when the app closes
    bool is_closing;
};

// ---- app_database.c ----
bool ken_app__has_database(const ken_app *app); // settings name one
// The one of that URL, or of the settings where it is empty; the caller's.
ken_status ken_app__open_database(ken_app *app, ken_str named, bool is_schema_left,
                                  ken_database **out, ken_err *err) KEN_MUST_USE;
// NULL without one.
ken_status ken_app__get_database(ken_app *app, ken_database **out, ken_err *err) KEN_MUST_USE;
bool ken_app__has_catalog(const ken_app *app); // there may be projects
ken_status ken_app__open_catalog(ken_app *app, bool is_read_only, ken_catalog **out, ken_err *err)
    KEN_MUST_USE;
// The index of a project, or what people wrote, opened as `how` says; where they are is filled in.
ken_status ken_app__open_index(const ken_project_info *p, const ken_store_opts *how,
                               ken_store **out, ken_err *err) KEN_MUST_USE;
ken_status ken_app__open_notes_of(const ken_project_info *p, const ken_store_opts *how,
                                  ken_store **out, ken_err *err) KEN_MUST_USE;
bool ken_app__has_index(const ken_project_info *p);
bool ken_app__has_notes(const ken_project_info *p);
// Of the index: another one of that name has another. KEN_ENOTFOUND without a message.
ken_status ken_app__identify(const ken_project_info *p, uint64_t *out, ken_err *err) KEN_MUST_USE;
// Whether the folder is not on this machine, but what a database has of it is: another machine indexed it.
bool ken_app__is_elsewhere(const ken_project_info *p);
uint64_t ken_app__identity(const ken_project_info *p); // 0 = there is none, or it cannot be asked
// The file that runs on this machine lock.
ken_str ken_app__lock_path(const ken_app *app, const ken_database *database, ken_str name,
                           ken_arena *arena);

// ---- app_project.c ----
ken_project_info ken_app__project_of(const ken_catalog_row *row); // without further roots
// The same with texts of its own, in `arena`.
ken_project_info ken_app__dup_project(const ken_project_info *project, ken_arena *arena);
// The real path of a folder that can be read.
ken_status ken_app__check_folder(ken_str path, ken_arena *arena, ken_str *out, ken_err *err)
    KEN_MUST_USE;

// ---- app_selected.c ----
// No project is selected any more, when it is this one.
ken_status ken_app__unselect(ken_catalog *c, ken_uuid project, ken_err *err) KEN_MUST_USE;

// ---- app_further.c ----
// Sets project->further.
ken_status ken_app__load_further(ken_catalog *c, ken_project_info *project, ken_arena *arena,
                                 ken_err *err) KEN_MUST_USE;
ken_status ken_app__forget_further(ken_catalog *c, ken_uuid project, ken_err *err) KEN_MUST_USE;
// Those of an index that the project takes up (`text`, of the index) become the project's. One that cannot lie beside
// its first root is told in the log.
ken_status ken_app__restore_further(ken_app *app, ken_catalog *catalog, ken_project_info *project,
                                    ken_str text, ken_arena *arena, ken_err *err) KEN_MUST_USE;

static inline bool ken_app__is_host(const ken_project_info *p)
{
    return ken_uuid_eq(p->tree, (ken_uuid){ { 0 } });
}

// ---- app_share.c ----
// A new project that is a worktree or a clone of a repository of which another is indexed: its files go into that index,
// where settings allow it. `row` is read again.
ken_status ken_app__share_index(ken_app *app, ken_catalog *c, ken_arena *arena,
                                ken_catalog_row *row, ken_err *err) KEN_MUST_USE;
// Before a model is used that others of a shared index do not use: from now on the index is the project's alone.
// `*out` is the project as it then is; its index may have to be made.
ken_status ken_app__unshare(ken_app *app, const ken_project_info *project, ken_arena *arena,
                            ken_project_info *out, ken_err *err) KEN_MUST_USE;
// After a run: trees of guests that are gone are removed from the index. It is no failure when that fails.
void ken_app__drop_trees(ken_app *app, ken_store *store);
// Removes what a project, whose row is gone, has on disk. The lock of its index is held.
ken_status ken_app__remove_index(ken_app *app, const ken_project_info *project, ken_err *err)
    KEN_MUST_USE;

// ---- app_worktree.c ----
// The folder that the repository of a work tree has in common with its other worktrees, as its real path; empty when
// `root` is not the top of a work tree.
ken_str ken_app__common_dir(ken_str root, ken_arena *arena);
// The commit that a name of its repository has, such as refs/remotes/origin/HEAD; empty when there is none.
ken_str ken_app__read_ref(ken_str root, ken_str name, ken_arena *arena);

// ---- app_revision.c ----
// Whether a tree of an index is a commit's.
bool ken_app__is_revision(ken_uuid tree);
// ken_app_ask of what ken_app_find_revision gave.
ken_status ken_app__ask_revision(ken_app *app, const ken_project_info *revision,
                                 const ken_app_asking *how, ken_snapshot **out, ken_err *err)
    KEN_MUST_USE;
// Of these trees of `store` the commits' that nobody has asked for lately, or that are too many; `out` has room
// for all.
size_t ken_app__unused_revisions(const ken_app *app, ken_store *store, const ken_tree_info *trees,
                                 size_t n, ken_arena *arena, ken_uuid *out);

// ---- app_remotes.c ----
// After a question in a process that stays: a clone whose time has come is synced behind it.
void ken_app__sync_if_due(ken_app *app, const ken_project_info *project);
bool ken_app__has_clone(const ken_app *app, const ken_project_info *project);
void ken_app__end_syncs(ken_app *app); // waits for the one that runs, which ends soon

// ---- app_adopt.c ----
// Whether the repository of the folder `root` has the commit; false where git cannot be asked.
bool ken_app__has_commit(ken_str root, ken_str commit, ken_arena *arena);
// The row of `root`, which has none, for the index in the data folder that was made of it and that no
// project has. KEN_ENOTFOUND without a message when there is none.
ken_status ken_app__take_up(ken_app *app, ken_catalog *c, ken_str root, ken_str name,
                            ken_arena *arena, ken_catalog_row *out, ken_err *err) KEN_MUST_USE;

// ---- app_roots.c ----
// KEN_EPERM when the folder (its real path) may not become a project.
ken_status ken_app__check_root(ken_app *app, ken_str root, bool is_for_client, ken_arena *arena,
                               ken_err *err) KEN_MUST_USE;

// ---- app.c ----
// The handle that a lent snapshot belongs to.
app_handle *ken_app__handle_of(ken_app *app, const ken_snapshot *s);
// An open index of the project that nobody else uses until it is given back. Not pinned yet. The
// errors are the store's: KEN_ENOTFOUND when there is no index.
ken_status ken_app__take_handle(ken_app *app, const ken_project_info *project, app_handle **out,
                                ken_err *err) KEN_MUST_USE;
// One that is open, for the rows that it has in memory, which are the newest generation's mostly; NULL = none.
app_handle *ken_app__take_idle(ken_app *app, const ken_project_info *project, ken_held_files *out);
void ken_app__give_idle(ken_app *app, app_handle *h);
// Begins its question, as ken_reader_pin; then it has a snapshot.
ken_status ken_app__pin_handle(app_handle *h, ken_err *err) KEN_MUST_USE;
// Ends it. One that was never pinned is closed.
void ken_app__give_handle(ken_app *app, app_handle *h);
// Before what others would miss is written: an index that was removed must not come back for it,
// and what goes into one that was moved away is lost.
ken_status ken_app__check_is_current(const app_handle *h, ken_err *err) KEN_MUST_USE;
// Puts what the project's name and what to do about it into the message of a failed store call.
ken_status ken_app__explain(const ken_project_info *project, ken_status st, ken_err *err);
// Closes what is idle of a project.
void ken_app__drop_idle(ken_app *app, ken_uuid project);
// A run of a project, noted in its lock file for other processes (app_runs.c).
typedef struct app_run {
    const ken_index_opts *asked;
    ken_index_opts opts; // the same, with progress that is noted
    app_lock *lock;      // of the index
    int turn_fd;
    char project[KEN_UUID_TEXT]; // as text
} app_run;

// Waits for a turn when the run reads everything.
ken_status ken_app__begin_run(ken_app *app, const ken_project_info *project,
                              const ken_index_opts *asked, app_lock *lock, const ken_cancel *cancel,
                              app_run *out, ken_err *err) KEN_MUST_USE;
void ken_app__end_run(app_run *run);

// ---- app_lease.c ----
// The lock of a project's writer: on this machine "<db>.lock", whose folders are made; with a database a lease as
// well, which other machines see and a thread of the app prolongs until it is given back. KEN_EBUSY.
ken_status ken_app__lock_index(ken_app *app, const ken_project_info *project, app_lock **out,
                               ken_err *err) KEN_MUST_USE;
// The same for a change that somebody makes: a run that ends is waited for a moment, one with much to do is not.
ken_status ken_app__await_index(ken_app *app, const ken_project_info *project, app_lock **out,
                                ken_err *err) KEN_MUST_USE;
void ken_app__unlock_index(ken_app *app, app_lock *lock); // NULL is fine
// What its holder does, for others.
void ken_app__note_lock(app_lock *lock, const char *note);
// Under which an index is opened by who writes much; zeros without a lease.
ken_uuid ken_app__run_of(const app_lock *lock);
// `cancel` is set when the lease is lost; until the lock is given back.
void ken_app__watch_lock(app_lock *lock, ken_cancel *cancel);
// KEN_EBUSY in the place of what a lost lease brought about.
ken_status ken_app__explain_lost(const app_lock *lock, ken_status st, ken_err *err);
void ken_app__end_leases(ken_app *app); // all have been given back

// ---- app_warm.c ----
void ken_app__end_warming(ken_app *app);

// ---- app_first.c ----
// Begins a run of the project on a thread of the app, unless one is at work. False when there is no thread.
bool ken_app__begin_first(ken_app *app, const ken_project_info *project);
// Waits for that run, where there is one, until it ends or, after a moment, has something to show. Fails as
// a run that has ended did.
ken_status ken_app__await_first(ken_app *app, const ken_project_info *project,
                                const ken_app_asking *how, bool *out_is_running, ken_err *err)
    KEN_MUST_USE;
// Until it has ended, however it did.
ken_status ken_app__await_end(ken_app *app, const ken_project_info *project,
                              const ken_app_asking *how, ken_err *err) KEN_MUST_USE;
void ken_app__stop_first(ken_app *app, const ken_project_info *project);
void ken_app__end_firsts(ken_app *app);
// Whether some process is at a run of the project that nobody waits for.
bool ken_app__is_long_run(const ken_app *app, const ken_project_info *project, ken_arena *arena,
                          ken_app_run *out);

// KEN_EPERM, with what takes it up again, when it is archived.
ken_status ken_app__check_active(const ken_project_info *project, ken_err *err) KEN_MUST_USE;
// ken_app_index, which waits for no run of this app.
ken_status ken_app__index(ken_app *app, const ken_project_info *project, const ken_index_opts *opts,
                          const ken_cancel *cancel, ken_arena *arena, ken_index_report *out,
                          ken_err *err) KEN_MUST_USE;

// The time of the index, for lists.
void ken_app__note_indexed(ken_app *app, const ken_project_info *project, int64_t at_ms);

// ---- app_checkpoints.c ----
// The checkpoints of another index that `store` has not, in its open write transaction. What makes no
// sense is passed over.
ken_status ken_app__copy_checkpoints(ken_store *store, ken_store *from, uint64_t *out_n,
                                     ken_err *err) KEN_MUST_USE;
// Opens what people wrote for reading: h->notes.
ken_status ken_app__open_notes(app_handle *h, ken_err *err) KEN_MUST_USE;
// Into an index that was just made in place of a damaged one: the checkpoints that can be read of
// the damaged file, once. `out` says how many.
ken_status ken_app__salvage(ken_store *store, ken_str db_path, ken_arena *arena,
                            ken_index_report *out, ken_err *err);

// ---- app_notes.c ----
// One record in the log for each run; `report` of one that has ended well.
void ken_app__log_run(const ken_project_info *project, ken_status st,
                      const ken_index_report *report, const ken_err *err);
void ken_app__log_embedding(const ken_project_info *project, ken_status st,
                            const ken_app_embedding *made, const ken_err *err);

// ---- app_metrics.c ----
// The same in the metrics; `report` of a run that has ended well.
void ken_app__count_run(ken_status st, const ken_index_report *report, int64_t ns);
// A ken_metrics_read_fn; `ctx` is an app.
void ken_app__read_metrics(void *ctx, ken_metrics_sink *sink);

// ---- app_keep.c ----
// A ken_snapshot_keep_fn: writes into the index, unless something else writes it now or settings
// say that nothing may. `ctx` is an app_handle.
void ken_app__keep(void *ctx, ken_str name, ken_str value);

// ---- app_step.c ----
void ken_app__free_step(app_step *s);                       // NULL is fine
app_step *ken_app__step_of(ken_app *app, ken_uuid project); // lives as long as the app

// What a follower needs of a step.
typedef struct app_unasked_opts {
    const ken_cancel *stop;
    ken_index_progress_fn *on_progress; // may be NULL
    void *progress_ctx;
} app_unasked_opts;

typedef struct app_unasked {
    bool was_run;            // else nothing differed
    ken_index_report report; // of the run
    int64_t ns, look_ns;     // all of it; of it comparing, where nothing is told
    ken_str why;             // the kernel does not tell of all changes; in the arena
    uint32_t n_watched;      // folders and files
} app_unasked;

// Opens the index of a project that nobody has asked yet, and compares its folder with it: nothing is indexed or synced.
// `out_held`: the bytes that it holds open; 0 where a question has opened it.
ken_status ken_app__open_unasked(ken_app *app, const ken_project_info *project,
                                 const ken_cancel *cancel, size_t *out_held, ken_err *err)
    KEN_MUST_USE;
// Brings the index up to date though nobody asks. KEN_ECANCELLED when a question wants to do it instead,
// KEN_EBUSY when one does, or another process.
ken_status ken_app__update_step(ken_app *app, const ken_project_info *project, app_step *step,
                                const app_unasked_opts *how, ken_arena *arena, app_unasked *out,
                                ken_err *err) KEN_MUST_USE;
// Readable when the kernel has news; stays the same until ken_app__rest_step. -1 = none yet.
int ken_app__step_fd(app_step *s);
// Takes the news, and keeps it.
void ken_app__drain_step(app_step *s);
// Whether a question or a git command is at work on it.
bool ken_app__is_step_busy(app_step *s);
// Questions that leave it behind say so (ken_app__tell_follower).
void ken_app__follow_step(app_step *s, bool is_followed);
// Ends its watch; a question would begin it again.
void ken_app__rest_step(ken_app *app, ken_uuid project);
// Waits until nothing runs that nobody asked for.
void ken_app__settle_step(ken_app *app, ken_uuid project);

// ---- app_follow.c ----
void ken_app__begin_following(ken_app *app); // where settings say so
void ken_app__end_following(ken_app *app);
void ken_app__sort_newest(ken_project_info *list, size_t n);               // indexed last first
void ken_app__follow_asked(ken_app *app, const ken_project_info *project); // of a question
void ken_app__tell_follower(ken_app *app, ken_uuid project); // it has been left behind
// A project is about to be removed, or was archived: nothing watches it any more.
void ken_app__unfollow(ken_app *app, ken_uuid project);
void ken_app__read_followed(ken_app *app, ken_metrics_sink *sink);

// ---- app_hnsw.c ----
// After a run in a process that stays.
void ken_app__tend_vectors(ken_app *app, const ken_project_info *project);
ken_pool *ken_app__builds(ken_app *app); // NULL = none can be had

// ---- app_tasks.c ----
void ken_app__close_tasks(ken_app *app);

// ---- app_vectors.c ----
bool ken_app__only_likely(
    const ken_config *settings); // files that promise code get vectors, others none
// A ken_snapshot_embedder_fn: the model whose vectors answer. `ctx` is an app_handle.
ken_status ken_app__open_active(void *ctx, ken_embedder **out, ken_err *err);

#endif
