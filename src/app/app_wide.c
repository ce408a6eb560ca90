// SPDX-License-Identifier: MIT
// Jobs of one question, several at once. The question's thread works, too, so it never waits for a thread that
// is not there; helpers come when they are free and take what is left.
#include "app/app_priv.h"
#include "app/wide.h"
#include "base/alloc.h"

enum {
    HELPERS_QUEUED = 64 // calls for help; when there are more, the question does without
};

// Lives until the last helper has looked at it, which may be after the end of the question.
typedef struct batch {
    pthread_mutex_t lock; // guards what follows
    pthread_cond_t is_done;
    size_t n, next, n_done, n_users;
    ken_app_job *job;
    void *arg;
} batch;

static bool take_job(batch *b, size_t *out)
{
    pthread_mutex_lock(&b->lock);
    bool has = b->next < b->n;
    *out = b->next;
    b->next += has;
    pthread_mutex_unlock(&b->lock);
    return has;
}

static void end_job(batch *b)
{
    pthread_mutex_lock(&b->lock);
    if (++b->n_done == b->n)
        pthread_cond_signal(&b->is_done);
    pthread_mutex_unlock(&b->lock);
}

static void leave(batch *b)
{
    pthread_mutex_lock(&b->lock);
    bool is_last = --b->n_users == 0;
    pthread_mutex_unlock(&b->lock);
    if (!is_last)
        return;
    pthread_mutex_destroy(&b->lock);
    pthread_cond_destroy(&b->is_done);
    ken_free(b);
}

static void run_jobs(batch *b)
{
    size_t i;
    while (take_job(b, &i)) {
        b->job(b->arg, i);
        end_job(b);
    }
}

static void help(void *ctx, size_t worker)
{
    (void)worker;
    run_jobs(ctx);
    leave(ctx);
}

static ken_pool *helpers_of(ken_app *app)
{
    size_t n = ken_pool_cores() - 1;
    pthread_mutex_lock(&app->lock);
    if (!app->helpers && n && !app->is_closing)
        app->helpers = ken_pool_new(n, HELPERS_QUEUED, 0);
    ken_pool *p = app->helpers;
    pthread_mutex_unlock(&app->lock);
    return p && ken_pool_n_workers(p) ? p : NULL;
}

static void call_helpers(ken_app *app, batch *b)
{
    ken_pool *p = b->n > 1 ? helpers_of(app) : NULL;
    size_t n = p ? ken_pool_n_workers(p) : 0;
    for (size_t i = 0; i < n && i + 1 < b->n; i++) {
        pthread_mutex_lock(&b->lock);
        b->n_users++;
        pthread_mutex_unlock(&b->lock);
        if (!ken_pool_try_submit(p, help, b)) {
            leave(b);
            return;
        }
    }
}

void ken_app_each(ken_app *app, size_t n, ken_app_job *job, void *arg)
{
    batch *b = ken_zalloc(sizeof *b);
    *b = (batch){ .n = n, .n_users = 1, .job = job, .arg = arg };
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->is_done, NULL);
    call_helpers(app, b);
    run_jobs(b);
    pthread_mutex_lock(&b->lock);
    while (b->n_done < b->n)
        pthread_cond_wait(&b->is_done, &b->lock);
    pthread_mutex_unlock(&b->lock);
    leave(b);
}

void ken_app_hand_over(ken_app *app, const ken_snapshot *s, pthread_t thread)
{
    app_handle *h = ken_app__handle_of(app, s);
    pthread_mutex_lock(&app->lock);
    h->lent_to = thread;
    pthread_mutex_unlock(&app->lock);
}

void ken_app_forget(ken_app *app, const ken_project_info *project)
{
    ken_app__drop_idle(app, project->id);
}
