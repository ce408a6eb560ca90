// SPDX-License-Identifier: MIT
// A job that runs: what is known of it in memory, from its row being taken until the row says how it ended.
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "job/job_priv.h"

enum {
    PUBLISH_MS = 100, // at most ten times a second
    RATE_MS = 300,    // of a stage, before its rate is told
};

#define NS_PER_MS INT64_C(1000000)

job_entry *ken_job__new_entry(ken_jobs *j, const ken_job *row)
{
    job_entry *e = ken_zalloc(sizeof *e);
    ken_arena_init(&e->arena, 256);
    e->owner = j;
    e->began_ns = ken_clock_mono_ns();
    e->job = *row;
    e->job.params = ken_arena_dup(&e->arena, row->params);
    e->job.worker = ken_arena_dup(&e->arena, row->worker);
    e->job.message = e->job.error = KEN_STR("");
    return e;
}

void ken_job__free_entry(job_entry *e)
{
    if (!e)
        return;
    ken_arena_release(&e->arena);
    ken_free(e);
}

job_entry *ken_job__find_entry(const job_entries *list, ken_uuid id)
{
    for (size_t i = 0; i < list->len; i++)
        if (ken_uuid_eq(list->ptr[i]->job.id, id))
            return list->ptr[i];
    return NULL;
}

void ken_job__remove_entry(job_entries *list, const job_entry *e)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->len; i++)
        if (list->ptr[i] != e)
            list->ptr[kept++] = list->ptr[i];
    list->len = kept;
}

void ken_job__cancel_entry(job_entry *e)
{
    e->is_cancelled = true;
    e->job.is_cancel_wanted = true;
    ken_cancel_set(&e->cancel);
}

bool ken_job__pause(job_entry *e, int64_t ms)
{
    ken_jobs *j = e->owner;
    int64_t end_ns = ken_clock_mono_ns() + ms * NS_PER_MS;
    pthread_mutex_lock(&j->lock);
    while (!ken_cancel_is_set(&e->cancel) && ken_clock_mono_ns() < end_ns)
        ken_job__wait_until(j, end_ns);
    bool goes_on = !ken_cancel_is_set(&e->cancel);
    pthread_mutex_unlock(&j->lock);
    return goes_on;
}

// ---- progress ----------------------------------------------------------------------------------

static void set_text(char *to, ken_str text)
{
    text = ken_utf8_clip(text, KEN_JOB_TEXT_MAX);
    if (text.len)
        memcpy(to, text.ptr, text.len);
    to[text.len] = '\0';
}

// The rate is that of the stage: scanning and parsing have nothing in common.
static uint64_t rate_of(const job_entry *e, uint64_t n_done, int64_t now_ns)
{
    int64_t ns = now_ns - e->stage_ns;
    if (ns < RATE_MS * NS_PER_MS || n_done <= e->stage_done)
        return 0;
    return (uint64_t)((double)(n_done - e->stage_done) * 1000 * 1e9 / (double)ns);
}

void ken_job__set_progress(job_entry *e, const char *stage, uint64_t n_done, uint64_t n_total)
{
    ken_jobs *j = e->owner;
    int64_t now_ns = ken_clock_mono_ns();
    pthread_mutex_lock(&j->lock);
    if (e->stage != stage) {
        e->stage = stage;
        e->stage_ns = now_ns;
        e->stage_done = n_done;
        set_text(e->message, ken_str_c(stage));
    }
    e->job.n_done = n_done;
    e->job.n_total = n_total;
    e->job.milli_rate = rate_of(e, n_done, now_ns);
    bool is_due = now_ns - e->published_ns >= PUBLISH_MS * NS_PER_MS;
    pthread_mutex_unlock(&j->lock);
    if (is_due)
        ken_job__publish(e);
}

// ---- the end -----------------------------------------------------------------------------------

// With a database what is in the way may not be so on another machine, or a little later. What a remote does not
// answer is tried again by its timer (app/remotes.h).
static bool may_pass(const job_entry *e, ken_status st)
{
    bool is_here = st == KEN_EBUSY || st == KEN_ENOSPC || st == KEN_ENOMEM ||
                   (st == KEN_EIO && e->job.kind != KEN_JOB_SYNC);
    return is_here && e->owner->db && ken_job_resumes(e->job.kind);
}

static ken_job_end failure(const job_entry *e, ken_status st, const ken_err *err, ken_arena *arena)
{
    const char *why = err->msg[0] ? err->msg : ken_status_name(st);
    unsigned n = (unsigned)e->job.n_tries + 1;
    ken_job_end end = { .state = KEN_JOB_FAILED, .error = ken_str_c(why) };
    if (!may_pass(e, st))
        return end;
    end.is_tried_again = n < JOB_TRIES_MAX;
    end.counts = true;
    end.wait_ms = ken_job__wait_ms(&e->job);
    end.error = end.is_tried_again
                    ? ken_arena_printf(arena, "%s; it is tried again (run %u of %d failed)", why, n,
                                       JOB_TRIES_MAX)
                    : ken_arena_printf(arena, "%s; given up after %u runs", why, n);
    return end;
}

static ken_job_end end_of(const job_entry *e, ken_status st, const ken_err *err, ken_arena *arena)
{
    if (!st)
        return (ken_job_end){ .state = KEN_JOB_DONE };
    if (!ken_cancel_is_set(&e->cancel) || st != KEN_ECANCELLED)
        return failure(e, st, err, arena);
    if (e->is_cancelled)
        return (ken_job_end){ .state = KEN_JOB_CANCELLED };
    return ken_job__interruption(&e->job, true, arena);
}

void ken_job__set_end(job_entry *e, ken_status st, ken_str message, const ken_err *err)
{
    ken_jobs *j = e->owner;
    ken_arena a;
    ken_arena_init(&a, 512);
    pthread_mutex_lock(&j->lock);
    e->end = end_of(e, st, err, &a);
    e->end.at_ms = ken_clock_wall_ms();
    if (!st)
        set_text(e->message, message);
    set_text(e->error, e->end.error);
    e->end.message = ken_str_c(e->message);
    e->end.error = ken_str_c(e->error);
    e->job.state = e->end.is_tried_again ? KEN_JOB_QUEUED : e->end.state;
    e->job.ended_at_ms = e->end.is_tried_again ? 0 : e->end.at_ms;
    e->job.milli_rate = 0;
    e->is_over = true;
    j->counts.n_ended[e->end.state]++;
    pthread_mutex_unlock(&j->lock);
    ken_arena_release(&a);
}
