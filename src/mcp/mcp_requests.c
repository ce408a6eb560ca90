// SPDX-License-Identifier: MIT
// Requests that take time: how they wait, run and end.
//
// A request belongs to its session from the moment it is accepted until its answer is sent. It
// waits in a queue, in the order of arrival, until a worker has time for it; workers take from
// there one after the other. So no call is ever refused because others are running: who feeds the
// session stops when ken_mcp_session_is_full says so, and what it has read by then has found its
// place. While the client does not take answers (`is_held`) no call is begun.
//
// What waits at the end of a long queue is kept as the text that it came as, an eighth of what it
// is as a tree, and parsed again when its turn comes.
//
// A cancelled request that waits is gone at once; one that runs stays until its worker has noticed,
// and is then dropped without an answer. The session's lock is a leaf: nothing is sent and no tool
// runs under it.
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "mcp/mcp_priv.h"
#include "metrics/metrics.h"

enum {
    TREES_MAX = 64,           // requests in the queue that stay parsed
    WAITING_MAX = 64 * 1024,  // requests in the queue; then the session is full
    WAITING_BYTES = 16 << 20, // of their texts, the same way
    HELD_MAX = 256,           // requests that wait for nothing but their cancellation
    ANSWER_MAX = 64 * 1024 * 1024,
};

static size_t bucket_of(const char *id)
{
    return ken_hash_str(ken_str_c(id)) % KEN_MCP__BUCKETS;
}

// The lock is held.
static ken_mcp__request *find(const ken_mcp_session *s, const char *id)
{
    ken_mcp__request *r = s->buckets[bucket_of(id)];
    while (r && strcmp(r->msg.id, id) != 0)
        r = r->next_in_bucket;
    return r;
}

// The lock is held. Its id is free again; whoever looks for it does not find it any more.
static void free_id(ken_mcp_session *s, ken_mcp__request *r)
{
    ken_mcp__request **at = &s->buckets[bucket_of(r->msg.id)];
    if (r->has_no_id)
        return;
    while (*at != r)
        at = &(*at)->next_in_bucket;
    *at = r->next_in_bucket;
    r->has_no_id = true;
}

// The lock is held.
static void leave(ken_mcp_session *s, ken_mcp__request *r)
{
    free_id(s, r);
    if (r->is_held)
        s->n_held--;
    else
        s->n_calls--;
    pthread_cond_broadcast(&s->one_ended);
}

static bool enter(ken_mcp_session *s, ken_mcp__request *r, const char **out_why)
{
    pthread_mutex_lock(&s->lock);
    bool is_free = s->opts.is_shared || !find(s, r->msg.id);
    bool has_room = !r->is_held || s->n_held < HELD_MAX;
    if (is_free && has_room) {
        size_t bucket = bucket_of(r->msg.id);
        r->next_in_bucket = s->buckets[bucket];
        s->buckets[bucket] = r;
        if (r->is_held)
            s->n_held++;
        else
            s->n_calls++;
    }
    pthread_mutex_unlock(&s->lock);
    *out_why = !is_free ? "a request with this id is still running" : "too many subscriptions";
    return is_free && has_room;
}

void ken_mcp__request_free(ken_mcp__request *r)
{
    ken_mcp__message_release(&r->msg);
    ken_free(r->text);
    ken_free(r->request_id);
    ken_free(r->trace);
    ken_free(r->client);
    ken_free(r->seen);
    ken_free(r);
}

// ---- the queue ---------------------------------------------------------------------------------

// Both with the lock held.
static void queue_put(ken_mcp_session *s, ken_mcp__request *r)
{
    r->previous = s->last_waiting;
    r->next = NULL;
    if (r->previous)
        r->previous->next = r;
    else
        s->first_waiting = r;
    s->last_waiting = r;
    r->queued_ns = ken_clock_mono_ns();
    s->n_waiting++;
    s->waiting_bytes += r->text_bytes;
}

static void queue_remove(ken_mcp_session *s, ken_mcp__request *r)
{
    *(r->previous ? &r->previous->next : &s->first_waiting) = r->next;
    *(r->next ? &r->next->previous : &s->last_waiting) = r->previous;
    s->n_waiting--;
    s->waiting_bytes -= r->text_bytes;
    r->has_begun = true;
}

// The next one to run; NULL when there is none, or nothing may begin now: then this worker is done.
static ken_mcp__request *next_to_run(ken_mcp_session *s)
{
    pthread_mutex_lock(&s->lock);
    ken_mcp__request *r = s->is_held ? NULL : s->first_waiting;
    if (r)
        queue_remove(s, r);
    else if (!--s->n_workers)
        pthread_cond_broadcast(&s->one_ended);
    pthread_mutex_unlock(&s->lock);
    return r;
}

// The message of a request whose tree was given back.
static void parse_again(ken_mcp__request *r)
{
    if (r->msg.json)
        return;
    ken_mcp__message m;
    ken_mcp__message_parse(ken_str_n(r->text, r->text_bytes), &m);
    r->msg.json = m.json;
    r->msg.method = m.method;
    r->msg.params = m.params;
    m.json = NULL;
    ken_mcp__message_release(&m);
}

static void set_deadline(ken_mcp__request *r)
{
    ken_str name = ken_json_text(json_object_get(r->msg.params, "name"));
    uint64_t ms = ken_toolset_timeout_ms(r->server->tools, name);
    r->last_progress_ns = ken_clock_mono_ns();
    if (ms)
        r->cancel.deadline_ns = r->last_progress_ns + (int64_t)ms * 1000000;
}

static bool is_dropped(ken_mcp__request *r)
{
    pthread_mutex_lock(&r->session->lock);
    bool dropped = r->is_dropped;
    pthread_mutex_unlock(&r->session->lock);
    return dropped;
}

// Claims the right to answer; a request is answered at most once. Who has the answer may use the id again.
static bool take_answer(ken_mcp__request *r)
{
    pthread_mutex_lock(&r->session->lock);
    bool is_ours = !r->is_dropped;
    r->is_dropped = true;
    free_id(r->session, r);
    pthread_mutex_unlock(&r->session->lock);
    return is_ours;
}

static void run_request(ken_mcp_session *s, ken_mcp__request *r)
{
    ken_buf out = KEN_BUF_INIT(ANSWER_MAX);
    ken_metrics_time(KEN_METRIC_MCP_WAIT_SECONDS, ken_clock_mono_ns() - r->queued_ns, NULL);
    parse_again(r);
    set_deadline(r);
    if (!is_dropped(r))
        r->run(r, &out);
    if (out.is_over)
        ken_mcp__answer_error(r, KEN_MCP__INTERNAL,
                              "the answer is larger than 64 MiB: ask for less of it",
                              (ken_str){ NULL, 0 }, &out);
    if (take_answer(r)) {
        if (!r->code)
            ken_mcp__keep_seen(r);
        ken_mcp__answer(r, &out);
    } else if (!r->is_abandoned)
        ken_mcp__answer_nothing(s, r->tag);
    ken_buf_release(&out);
    pthread_mutex_lock(&s->lock);
    leave(s, r);
    pthread_mutex_unlock(&s->lock);
    ken_mcp__request_free(r);
}

static void run_waiting(void *ctx, size_t worker)
{
    (void)worker;
    ken_mcp_session *s = ctx;
    ken_mcp__request *r = next_to_run(s);
    for (; r; r = next_to_run(s))
        run_request(s, r);
}

// Wakes as many workers as there is work for. The pool is asked without the lock: without threads
// it runs the calls right here.
static void call_workers(ken_mcp_session *s)
{
    for (;;) {
        pthread_mutex_lock(&s->lock);
        bool is_wanted =
            !s->is_held && s->n_waiting > 0 && s->n_workers < ken_mcp__n_workers(s->server);
        bool is_first = !s->n_workers;
        s->n_workers += is_wanted;
        pthread_mutex_unlock(&s->lock);
        if (!is_wanted)
            return;
        ken_pool *pool = ken_mcp__pool(s->server);
        if (ken_pool_try_submit(pool, run_waiting, s))
            continue;
        if (is_first) { // other sessions keep the pool busy; this one must not be forgotten
            ken_pool_submit(pool, run_waiting, s);
            continue;
        }
        pthread_mutex_lock(&s->lock);
        s->n_workers--;
        pthread_mutex_unlock(&s->lock);
        return;
    }
}

// ---- from outside ------------------------------------------------------------------------------

// Begins one that is not answered before it is cancelled, unless it cannot begin.
static void hold_request(ken_mcp_session *s, ken_mcp__request *r)
{
    ken_buf out = KEN_BUF_INIT(64 * 1024);
    r->run(r, &out);
    bool is_refused = r->code != 0;
    if (is_refused) {
        ken_mcp__answer(r, &out);
        pthread_mutex_lock(&s->lock);
        leave(s, r);
        pthread_mutex_unlock(&s->lock);
        ken_mcp__request_free(r);
    }
    ken_buf_release(&out);
}

void ken_mcp__accept(ken_mcp_session *s, ken_mcp__request *r, ken_str text)
{
    const char *why;
    if (!enter(s, r, &why)) {
        ken_mcp__refuse(r, KEN_MCP__INVALID_REQUEST, why);
        ken_mcp__request_free(r);
        return;
    }
    if (r->is_held) {
        hold_request(s, r);
        return;
    }
    r->text_bytes = text.len;
    pthread_mutex_lock(&s->lock);
    bool is_far = s->n_waiting >= TREES_MAX;
    pthread_mutex_unlock(&s->lock);
    if (is_far) {
        r->text = ken_strndup(text.ptr, text.len);
        json_decref(r->msg.json);
        r->msg.json = NULL;
        r->msg.params = NULL;
        r->msg.method = (ken_str){ NULL, 0 };
    }
    pthread_mutex_lock(&s->lock);
    queue_put(s, r);
    pthread_mutex_unlock(&s->lock);
    call_workers(s);
}

// The lock is held. The request, out of its places, when it is not running: its owner is the caller then.
static ken_mcp__request *cancel_found(ken_mcp_session *s, ken_mcp__request *r)
{
    if (!r)
        return NULL;
    if (!r->is_held && r->has_begun) {
        r->is_dropped = true;
        ken_cancel_set(&r->cancel);
        return NULL;
    }
    if (!r->is_held)
        queue_remove(s, r);
    leave(s, r);
    return r;
}

static void end_cancelled(ken_mcp_session *s, ken_mcp__request *r)
{
    if (!r)
        return;
    if (r->is_held)
        ken_mcp__unsubscribe_all(s, r);
    ken_mcp__answer_nothing(s, r->tag);
    ken_mcp__request_free(r);
}

void ken_mcp__cancel(ken_mcp_session *s, const char *id)
{
    pthread_mutex_lock(&s->lock);
    ken_mcp__request *r = cancel_found(s, s->opts.is_shared ? NULL : find(s, id));
    pthread_mutex_unlock(&s->lock);
    end_cancelled(s, r);
}

void ken_mcp_session_cancel(ken_mcp_session *s, void *tag)
{
    ken_mcp__request *r = NULL;
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < KEN_MCP__BUCKETS && !r; i++)
        for (r = s->buckets[i]; r && r->tag != tag;)
            r = r->next_in_bucket;
    r = cancel_found(s, r);
    pthread_mutex_unlock(&s->lock);
    end_cancelled(s, r);
}

bool ken_mcp_session_is_full(ken_mcp_session *s)
{
    pthread_mutex_lock(&s->lock);
    bool is_full = s->n_waiting >= WAITING_MAX || s->waiting_bytes >= WAITING_BYTES;
    pthread_mutex_unlock(&s->lock);
    return is_full;
}

void ken_mcp_session_hold(ken_mcp_session *s, bool is_held)
{
    pthread_mutex_lock(&s->lock);
    bool is_new = s->is_held != is_held;
    s->is_held = is_held;
    pthread_mutex_unlock(&s->lock);
    if (is_new && !is_held)
        call_workers(s);
}

size_t ken_mcp_session_n_waiting(ken_mcp_session *s)
{
    pthread_mutex_lock(&s->lock);
    size_t n = s->n_waiting;
    pthread_mutex_unlock(&s->lock);
    return n;
}

size_t ken_mcp_session_n_running(ken_mcp_session *s)
{
    pthread_mutex_lock(&s->lock);
    size_t n = s->n_calls;
    pthread_mutex_unlock(&s->lock);
    return n;
}

bool ken_mcp_session_wait(ken_mcp_session *s, int64_t timeout_ms)
{
    int64_t end = ken_clock_mono_ns() + timeout_ms * 1000000;
    struct timespec at = { .tv_sec = end / 1000000000, .tv_nsec = end % 1000000000 };
    int rc = 0;
    pthread_mutex_lock(&s->lock);
    while (!rc && (s->n_calls || s->n_workers))
        rc = pthread_cond_timedwait(&s->one_ended, &s->lock, &at);
    bool is_idle = !s->n_calls && !s->n_workers;
    pthread_mutex_unlock(&s->lock);
    return is_idle;
}

// ---- the end -----------------------------------------------------------------------------------

// Takes everything that waits out of the queue; a list by `next`.
static ken_mcp__request *take_waiting(ken_mcp_session *s)
{
    pthread_mutex_lock(&s->lock);
    ken_mcp__request *all = s->first_waiting;
    for (ken_mcp__request *r = all; r; r = r->next) {
        r->has_begun = true;
        leave(s, r);
    }
    s->first_waiting = s->last_waiting = NULL;
    s->n_waiting = s->waiting_bytes = 0;
    pthread_mutex_unlock(&s->lock);
    return all;
}

static void end_waiting(ken_mcp_session *s, bool is_answered)
{
    ken_mcp__request *r = take_waiting(s);
    while (r) {
        ken_mcp__request *next = r->next;
        if (is_answered)
            ken_mcp__refuse(r, KEN_MCP__INTERNAL,
                            "not run: the server was asked to end; send it to the next one");
        else
            ken_mcp__answer_nothing(s, r->tag);
        ken_mcp__request_free(r);
        r = next;
    }
}

// One that waits for its end; NULL when there is none.
static ken_mcp__request *take_held(ken_mcp_session *s)
{
    ken_mcp__request *r = NULL;
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < KEN_MCP__BUCKETS && !r; i++)
        for (r = s->buckets[i]; r && !r->is_held;)
            r = r->next_in_bucket;
    if (r)
        leave(s, r);
    pthread_mutex_unlock(&s->lock);
    return r;
}

// Subscriptions end as they should: with a result.
static void end_held(ken_mcp_session *s)
{
    ken_mcp__request *r;
    while ((r = take_held(s))) {
        ken_buf out = KEN_BUF_INIT(64 * 1024);
        ken_mcp__unsubscribe_all(s, r);
        ken_mcp__begin_result(r, &out);
        ken_mcp__end_result(&out);
        ken_mcp__answer(r, &out);
        ken_buf_release(&out);
        ken_mcp__request_free(r);
    }
}

static void cancel_running(ken_mcp_session *s, bool is_answered)
{
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < KEN_MCP__BUCKETS; i++) {
        for (ken_mcp__request *r = s->buckets[i]; r; r = r->next_in_bucket) {
            r->is_dropped |= !is_answered;
            ken_cancel_set(&r->cancel);
        }
    }
    pthread_mutex_unlock(&s->lock);
}

void ken_mcp_session_stop(ken_mcp_session *s)
{
    end_waiting(s, true);
    end_held(s);
    cancel_running(s, true);
}

void ken_mcp_session_cancel_all(ken_mcp_session *s)
{
    end_waiting(s, false);
    cancel_running(s, false);
}

// What is left of a call that nobody has answered yet, enough to answer it; its worker must not do it
// any more. False when there is none.
static bool take_unanswered(ken_mcp_session *s, ken_mcp__request *out)
{
    ken_mcp__request *r = NULL;
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < KEN_MCP__BUCKETS && !r; i++)
        for (r = s->buckets[i]; r && (r->is_dropped || r->is_held);)
            r = r->next_in_bucket;
    if (r) {
        r->is_dropped = r->is_abandoned = true;
        *out = (ken_mcp__request){ .session = s, .server = s->server, .tag = r->tag };
        out->msg.id = ken_strdup(r->msg.id);
    }
    pthread_mutex_unlock(&s->lock);
    return r != NULL;
}

void ken_mcp_session_abandon(ken_mcp_session *s)
{
    ken_mcp__request left;
    while (take_unanswered(s, &left)) {
        ken_mcp__refuse(&left, KEN_MCP__INTERNAL,
                        "the server ended before this call did: what it was to change may be "
                        "done or not, look before you repeat it");
        ken_free(left.msg.id);
    }
}
