// SPDX-License-Identifier: MIT
// Who writes an index. On one machine that is a lock of a file, which ends with its process. With a database
// other machines write, too: beside the lock a run has a lease there. One thread of the app prolongs all leases
// of this process. A run whose lease was lost is told to stop, and what it would still commit is refused by the
// database itself (store/workers.h), however late it notices.
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "app/app_priv.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/patience.h"
#include "base/quota.h"
#include "obs/log.h"
#include "store/workers.h"

enum {
    NOTE_BYTES = 128,
    NS_PER_MS = 1000000,
    PER_LEASE = 3,      // a lease is prolonged so many times before it would run out
    END_WAIT_MS = 5000, // for a run that is about to end
};

struct app_lock {
    int fd;                // of the file
    ken_database *db;      // NULL: there is no lease
    ken_index_lease lease; // the next two are its texts
    char *index;
    char place[NOTE_BYTES];
    // Guarded by app->leases_lock, but for is_lost:
    char note[NOTE_BYTES];
    pthread_mutex_t *notes; // that lock
    ken_cancel *on_lost;
    atomic_bool is_lost;
};

// ---- names -------------------------------------------------------------------------------------

static char process_name[96];

static void make_name(void)
{
    char host[64] = "";
    if (gethostname(host, sizeof host - 1))
        host[0] = '\0';
    for (char *c = host; *c; c++)
        if (!ken_is_word(*c) && *c != '-' && *c != '.')
            *c = '-';
    snprintf(process_name, sizeof process_name, "%s:%d", host[0] ? host : "localhost",
             (int)getpid());
}

const char *ken_app_process_name(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_name);
    return process_name;
}

// Which file this is, for who can only have locked the same one: of this boot, on this device. "" when that
// cannot be told.
static void name_place(int fd, char out[NOTE_BYTES])
{
    struct stat s;
    ken_buf boot = KEN_BUF_INIT(64);
    out[0] = '\0';
    if (!ken_fs_read(KEN_FS_CWD, "/proc/sys/kernel/random/boot_id", 64, &boot, NULL, NULL) &&
        boot.len >= 36 && !fstat(fd, &s))
        snprintf(out, NOTE_BYTES, "%.36s %llx:%llx", boot.ptr, (unsigned long long)s.st_dev,
                 (unsigned long long)s.st_ino);
    ken_buf_release(&boot);
}

// ---- prolonging --------------------------------------------------------------------------------

static void lose(app_lock *l)
{
    atomic_store(&l->is_lost, true);
    if (l->on_lost)
        ken_cancel_set(l->on_lost);
    KEN_LOG_WARNING("index",
                    "another process has taken over '%s': nothing was heard of this one in time",
                    l->index);
}

// With the lock. What cannot be asked now is asked again; meanwhile the lease may run out, and then the
// database says so.
static void keep_all(const ken_app *app)
{
    for (size_t i = 0; i < app->leases.len; i++) {
        app_lock *l = app->leases.ptr[i];
        if (!atomic_load(&l->is_lost) &&
            ken_database_keep_run(l->db, &l->lease, ken_str_c(l->note), NULL) == KEN_ENOTFOUND)
            lose(l);
    }
}

static void keep_until_end(void *ctx, size_t worker)
{
    ken_app *app = ctx;
    (void)worker;
    int64_t step_ns =
        (int64_t)ken_config_u64(app->config, KEN_CFG_LEASE) * 1000 * NS_PER_MS / PER_LEASE;
    int64_t at =
        0; // when they are prolonged; 0 = there are none. A lease more or less does not move it.
    pthread_mutex_lock(&app->leases_lock);
    while (!app->ends_leases) {
        if (!app->leases.len) {
            at = 0;
            pthread_cond_wait(&app->leases_changed, &app->leases_lock);
            continue;
        }
        if (!at)
            at = ken_clock_mono_ns() + step_ns;
        const struct timespec t = { at / 1000000000, (long)(at % 1000000000) };
        if (!pthread_cond_timedwait(&app->leases_changed, &app->leases_lock, &t))
            continue;
        keep_all(app);
        at = ken_clock_mono_ns() + step_ns;
    }
    pthread_mutex_unlock(&app->leases_lock);
}

static ken_status add_lease(ken_app *app, app_lock *l, ken_err *err)
{
    pthread_mutex_lock(&app->leases_lock);
    bool is_first = !app->lease_keeper;
    if (is_first)
        app->lease_keeper = ken_pool_new(1, 1, 0);
    bool has_thread = ken_pool_n_workers(app->lease_keeper) > 0;
    if (has_thread) {
        if (is_first)
            ken_pool_submit(app->lease_keeper, keep_until_end, app);
        ken_vec_push(&app->leases, l);
        pthread_cond_signal(&app->leases_changed);
    }
    pthread_mutex_unlock(&app->leases_lock);
    return has_thread ? KEN_OK : KEN_FAIL(err, KEN_ENOMEM, "no thread for leases can be started");
}

static void remove_lease(ken_app *app, const app_lock *l)
{
    size_t kept = 0;
    pthread_mutex_lock(&app->leases_lock);
    for (size_t i = 0; i < app->leases.len; i++)
        if (app->leases.ptr[i] != l)
            app->leases.ptr[kept++] = app->leases.ptr[i];
    app->leases.len = kept;
    pthread_mutex_unlock(&app->leases_lock);
}

void ken_app__end_leases(ken_app *app)
{
    pthread_mutex_lock(&app->leases_lock);
    app->ends_leases = true;
    pthread_cond_signal(&app->leases_changed);
    pthread_mutex_unlock(&app->leases_lock);
    ken_pool_free(app->lease_keeper);
    ken_vec_release(&app->leases);
}

// ---- taking and giving back --------------------------------------------------------------------

static ken_status take_lease(ken_app *app, const ken_project_info *project, app_lock *l,
                             ken_err *err)
{
    l->index = ken_strdup(project->db_path.ptr);
    l->notes = &app->leases_lock;
    name_place(l->fd, l->place);
    l->lease = (ken_index_lease){ .index = ken_str_c(l->index),
                                  .run = ken_uuid_random(),
                                  .holder = ken_str_c(ken_app_process_name()),
                                  .place = ken_str_c(l->place),
                                  .lease_ms =
                                      (uint32_t)ken_config_u64(app->config, KEN_CFG_LEASE) * 1000 };
    ken_status st = ken_database_take_run(project->database, &l->lease, err);
    if (st)
        return st;
    l->db = project->database;
    return add_lease(app, l, err);
}

static ken_status lock_file(ken_app *app, const ken_project_info *project, app_lock *l,
                            ken_err *err)
{
    ken_arena a;
    ken_arena_init(&a, 1024);
    ken_status st = ken_fs_make_dirs(app->index_dir.ptr, 0700, err);
    if (!st)
        st = ken_fs_lock(ken_app__lock_path(app, project->database, project->db_path, &a).ptr,
                         &l->fd, err);
    ken_arena_release(&a);
    return st;
}

ken_status ken_app__lock_index(ken_app *app, const ken_project_info *project, app_lock **out,
                               ken_err *err)
{
    app_lock *l = ken_zalloc(sizeof *l);
    l->fd = -1;
    ken_status st = lock_file(app, project, l, err);
    if (!st && project->database)
        st = take_lease(app, project, l, err);
    if (!st) {
        *out = l;
        return KEN_OK;
    }
    ken_app__unlock_index(app, l);
    (void)ken_err_wrap(err, "project '" KEN_STR_FMT "'", KEN_STR_ARG(project->name));
    return st;
}

static bool is_long_run(const ken_app *app, const ken_project_info *project)
{
    ken_app_run run;
    ken_arena a;
    ken_arena_init(&a, 1024);
    bool is_long = ken_app__is_long_run(app, project, &a, &run);
    ken_arena_release(&a);
    return is_long;
}

ken_status ken_app__await_index(ken_app *app, const ken_project_info *project, app_lock **out,
                                ken_err *err)
{
    ken_patience p = { .max_ms = END_WAIT_MS };
    ken_err tried = { 0 };
    ken_status st;
    ken_quota *paused = ken_quota_pause(); // what somebody else does is no cost of the call
    do
        st = ken_app__lock_index(app, project, out, &tried);
    while (!(st == KEN_EBUSY && is_long_run(app, project)) &&
           ken_patience_tries_again(&p, &st, NULL, &tried));
    ken_quota_resume(paused);
    if (st == KEN_EBUSY)
        return KEN_FAIL(err, st, "%s; try again once it has ended", tried.msg);
    if (st && err)
        *err = tried;
    return st;
}

void ken_app__unlock_index(ken_app *app, app_lock *l)
{
    if (!l)
        return;
    if (l->db) {
        remove_lease(app, l);
        (void)!ken_database_end_run(l->db, &l->lease, NULL); // else it runs out
    }
    ken_fs_unlock(l->fd);
    ken_free(l->index);
    ken_free(l);
}

void ken_app__note_lock(app_lock *l, const char *note)
{
    ken_fs_note_lock(l->fd, note);
    if (!l->db || pthread_mutex_trylock(l->notes))
        return; // leases are being prolonged: the next note is near
    snprintf(l->note, sizeof l->note, "%s", note);
    pthread_mutex_unlock(l->notes);
}

ken_uuid ken_app__run_of(const app_lock *l)
{
    return l && l->db ? l->lease.run : (ken_uuid){ { 0 } };
}

void ken_app__watch_lock(app_lock *l, ken_cancel *cancel)
{
    if (!l || !l->db)
        return;
    pthread_mutex_lock(l->notes);
    l->on_lost = cancel;
    pthread_mutex_unlock(l->notes);
}

ken_status ken_app__explain_lost(const app_lock *l, ken_status st, ken_err *err)
{
    if (!l || !atomic_load(&l->is_lost) || st != KEN_ECANCELLED)
        return st;
    return KEN_FAIL(
        err, KEN_EBUSY,
        "another process has taken over this index, as nothing was heard of this run for "
        "longer than jobs.lease_seconds; it stops, and keeps what it had committed");
}
