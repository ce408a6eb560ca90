// SPDX-License-Identifier: MIT
// Subscribers: who hears of changes of jobs.
#include <string.h>

#include "base/clock.h"
#include "job/job_priv.h"

void ken_job__copy_entry(const job_entry *e, job_copy *out)
{
    out->job = e->job;
    memcpy(out->message, e->message, sizeof out->message);
    memcpy(out->error, e->error, sizeof out->error);
    out->job.message = ken_str_c(out->message);
    out->job.error = ken_str_c(out->error);
}

static void tell_all(ken_jobs *j, const ken_job *job)
{
    for (size_t i = 0; i < j->listeners.len; i++)
        j->listeners.ptr[i].fn(j->listeners.ptr[i].ctx, job);
}

bool ken_job__has_listeners(ken_jobs *j)
{
    pthread_mutex_lock(&j->listeners_lock);
    bool has = j->listeners.len > 0;
    pthread_mutex_unlock(&j->listeners_lock);
    return has;
}

void ken_job__tell(ken_jobs *j, const ken_job *row)
{
    pthread_mutex_lock(&j->listeners_lock);
    tell_all(j, row);
    pthread_mutex_unlock(&j->listeners_lock);
}

// The copy is made under the lock of listeners, so that each hears of changes in their order.
void ken_job__publish(job_entry *e)
{
    ken_jobs *j = e->owner;
    job_copy now;
    pthread_mutex_lock(&j->listeners_lock);
    pthread_mutex_lock(&j->lock);
    e->published_ns = ken_clock_mono_ns();
    ken_job__copy_entry(e, &now);
    pthread_mutex_unlock(&j->lock);
    tell_all(j, &now.job);
    pthread_mutex_unlock(&j->listeners_lock);
}

uint64_t ken_jobs_subscribe(ken_jobs *j, ken_jobs_fn *fn, void *ctx)
{
    pthread_mutex_lock(&j->listeners_lock);
    const job_listener l = { ++j->n_listeners, fn, ctx };
    ken_vec_push(&j->listeners, l);
    pthread_mutex_unlock(&j->listeners_lock);
    return l.number;
}

void ken_jobs_unsubscribe(ken_jobs *j, uint64_t number)
{
    size_t kept = 0;
    pthread_mutex_lock(&j->listeners_lock);
    for (size_t i = 0; i < j->listeners.len; i++)
        if (j->listeners.ptr[i].number != number)
            j->listeners.ptr[kept++] = j->listeners.ptr[i];
    j->listeners.len = kept;
    pthread_mutex_unlock(&j->listeners_lock);
}
