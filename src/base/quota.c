// SPDX-License-Identifier: MIT
#include "base/quota.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"

enum {
    CLOCK_EVERY = 8,  // checks between two reads of the clock
    FINISH_SHARE = 8, // of time and steps, left for an answer in part
    FINISH_BYTES = 4, // of memory likewise: what was found has to be shown
    NS_PER_MS = 1000000,
};

static _Thread_local ken_quota *now;

static uint64_t without(uint64_t limit, uint64_t share)
{
    return limit - limit / share;
}

void ken_quota_begin(ken_quota *b, const ken_quota_limits *limits, const ken_cancel *cancel)
{
    *b = (ken_quota){ .limits = *limits, .cancel = cancel };
    ken_alloc_refill();
    b->began_ns = ken_clock_mono_ns();
    if (limits->ms)
        b->stop_ns = b->began_ns + (int64_t)without(limits->ms * NS_PER_MS, FINISH_SHARE);
    b->stop_steps = without(limits->steps, FINISH_SHARE);
    b->account.limit_bytes = (size_t)without(limits->bytes, FINISH_BYTES);
    b->account.max_bytes = (size_t)limits->bytes;
    b->outer = now;
    b->outer_account = ken_account_enter(&b->account);
    now = b;
}

void ken_quota_end(ken_quota *b)
{
    ken_account_settle(&b->account);
    if (b->jobs && b->stopped)
        atomic_store(&b->jobs->stopped, (int)b->stopped);
    now = b->outer;
    ken_account_enter(b->outer_account);
    ken_alloc_refill();
}

ken_quota *ken_quota_now(void)
{
    return now;
}

// ---- checking ----------------------------------------------------------------------------------

static ken_status over_time(ken_quota *b, ken_err *err)
{
    b->over = KEN_QUOTA_TIME;
    return KEN_FAIL(err, KEN_ETIMEOUT,
                    "this question took longer than %.3g s; ask about less, or raise "
                    "query.timeout_seconds",
                    (double)b->limits.ms / 1000);
}

static ken_status over_memory(ken_quota *b, ken_err *err)
{
    b->over = KEN_QUOTA_MEMORY;
    return KEN_FAIL(err, KEN_ELIMIT,
                    "this question needed more than %.3g MiB of memory; ask about less, or raise "
                    "query.memory_limit",
                    (double)b->limits.bytes / (1 << 20));
}

static ken_status over_steps(ken_quota *b, ken_err *err)
{
    b->over = KEN_QUOTA_STEPS;
    return KEN_FAIL(err, KEN_ELIMIT, "this question needed more than %llu steps; ask about less",
                    (unsigned long long)b->limits.steps);
}

static ken_status starved(ken_err *err)
{
    return KEN_FAIL(err, KEN_ENOMEM, "the system has no more memory for this");
}

static ken_status find_over(ken_quota *b, ken_err *err)
{
    if (b->account.is_starved)
        return starved(err);
    if (ken_cancel_is_set(b->cancel) || (b->cancel_at && b->n_steps >= b->cancel_at))
        return KEN_FAIL(err, KEN_ECANCELLED, "cancelled");
    if (b->account.is_over)
        return over_memory(b, err);
    if (b->stop_steps && b->n_steps > b->stop_steps)
        return over_steps(b, err);
    if (b->n_steps % CLOCK_EVERY == 0 && b->stop_ns && ken_clock_mono_ns() > b->stop_ns)
        return over_time(b, err);
    return KEN_OK;
}

// Repeats the message of the check that stopped it.
static KEN_COLD ken_status say_again(ken_quota *b, ken_err *err)
{
    if (b->status == KEN_ENOMEM)
        return starved(err);
    switch (b->over) {
    case KEN_QUOTA_TIME:
        return over_time(b, err);
    case KEN_QUOTA_MEMORY:
        return over_memory(b, err);
    case KEN_QUOTA_STEPS:
        return over_steps(b, err);
    case KEN_QUOTA_NONE:
    default:
        return KEN_FAIL(err, KEN_ECANCELLED, "cancelled");
    }
}

ken_status ken_quota_check(ken_err *err)
{
    ken_quota *b = now;
    if (!b)
        return KEN_OK;
    if (b->status)
        return say_again(b, err);
    b->n_steps++;
    b->status = find_over(b, err);
    return b->status;
}

bool ken_quota_is_over(void)
{
    return ken_quota_check(NULL) != KEN_OK;
}

ken_status ken_quota_verdict(ken_status st, ken_err *err)
{
    // What ran out may have been refused below, before any check met it.
    bool is_refused = now && (st == KEN_ENOMEM || st == KEN_ELIMIT);
    ken_status over = !st || is_refused || (now && now->status) ? ken_quota_check(err) : KEN_OK;
    return over ? over : st;
}

// ---- answers in part ---------------------------------------------------------------------------

void ken_quota_offer_part(void)
{
    if (now)
        now->may_settle = true;
}

bool ken_quota_is_settled(void)
{
    return now && now->stopped;
}

void ken_quota_say(const char *fmt, ...)
{
    if (!now)
        return;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(now->said, sizeof now->said, fmt, ap);
    va_end(ap);
}

// The answer is what was found until then.
static void stop(ken_quota *b, ken_quota_what over)
{
    b->stopped = over;
    b->over = KEN_QUOTA_NONE;
    b->status = KEN_OK;
    // The rest is what was kept back, counted from here: what stopped it may have come late.
    if (b->limits.ms)
        b->stop_ns = ken_clock_mono_ns() + (int64_t)(b->limits.ms * NS_PER_MS / FINISH_SHARE);
    b->stop_steps = b->limits.steps ? b->n_steps + b->limits.steps / FINISH_SHARE + 1 : 0;
    b->account.limit_bytes = b->account.max_bytes;
    b->account.is_over =
        b->account.max_bytes && ken_account_used(&b->account) > b->account.max_bytes;
}

bool ken_quota_settle(ken_status st, ken_err *err)
{
    ken_quota *b = now;
    if (!b || !b->may_settle || !st || st != b->status || !b->over || b->stopped)
        return false;
    stop(b, b->over);
    if (err)
        *err = (ken_err){ 0 };
    return true;
}

const char *ken_quota_word(const ken_quota *b)
{
    static const char *const words[] = { NULL, "time", "memory", "steps" };
    return words[b->stopped];
}

// "10 s (query.timeout_seconds)"
static void limit_text(const ken_quota *b, char *out, size_t n_out)
{
    if (b->stopped == KEN_QUOTA_TIME)
        snprintf(out, n_out, "%.3g s (query.timeout_seconds)", (double)b->limits.ms / 1000);
    else if (b->stopped == KEN_QUOTA_MEMORY)
        snprintf(out, n_out, "%.3g MiB of memory (query.memory_limit)",
                 (double)b->limits.bytes / (1 << 20));
    else
        snprintf(out, n_out, "%llu steps", (unsigned long long)b->limits.steps);
}

void ken_quota_text(const ken_quota *b, char *out, size_t n_out)
{
    char limit[80];
    if (n_out)
        out[0] = '\0';
    if (!b->stopped)
        return;
    limit_text(b, limit, sizeof limit);
    snprintf(
        out, n_out,
        "stopped after %s%s%s; what was found until then is shown, and every count is a least one",
        limit, b->said[0] ? ": " : "", b->said);
}

ken_status ken_quota_fail_empty(ken_err *err)
{
    char limit[80] = "";
    ken_quota *b = now;
    if (!b || !b->stopped)
        return KEN_FAIL(err, KEN_EINTERNAL, "a question was stopped without a limit");
    limit_text(b, limit, sizeof limit);
    return KEN_FAIL(err, b->stopped == KEN_QUOTA_TIME ? KEN_ETIMEOUT : KEN_ELIMIT,
                    "stopped after %s%s%s; nothing was found until then, which does not mean that "
                    "there is nothing: ask about less, or raise the limit",
                    limit, b->said[0] ? ": " : "", b->said);
}

// ---- jobs of a question ------------------------------------------------------------------------

void ken_quota_open_jobs(ken_quota_jobs *j, const ken_cancel *cancel)
{
    *j = (ken_quota_jobs){ .of = now, .cancel = cancel };
    if (!now)
        return;
    j->limits = now->limits;
    if (now->stop_ns) { // what is left: pauses do not count
        int64_t left_ns = now->stop_ns - ken_clock_mono_ns();
        j->limits.ms = left_ns > NS_PER_MS ? (uint64_t)(left_ns / NS_PER_MS) : 1;
    }
    atomic_store(&j->used_bytes, now->account.used_bytes);
}

void ken_quota_begin_job(ken_quota *b, ken_quota_jobs *j)
{
    ken_quota_begin(b, &j->limits, j->cancel);
    if (!j->of)
        return;
    b->jobs = j;
    b->account.limit_bytes = j->of->account.limit_bytes;
    b->account.max_bytes = j->of->account.max_bytes;
    b->account.total = &j->used_bytes;
}

void ken_quota_close_jobs(ken_quota_jobs *j)
{
    ken_quota *b = j->of;
    if (!b)
        return;
    b->account.used_bytes = atomic_load(&j->used_bytes);
    if (b->account.used_bytes > b->account.peak_bytes)
        b->account.peak_bytes = b->account.used_bytes;
    if (atomic_load(&j->stopped) && !b->stopped)
        stop(b, (ken_quota_what)atomic_load(&j->stopped));
}

// ---- what is no cost of a question -------------------------------------------------------------

ken_quota *ken_quota_pause(void)
{
    ken_quota *b = now;
    if (!b)
        return NULL;
    b->paused_ns = ken_clock_mono_ns();
    now = NULL;
    ken_account_enter(NULL);
    return b;
}

void ken_quota_resume(ken_quota *b)
{
    if (!b)
        return;
    now = b;
    ken_account_enter(&b->account);
    if (b->stop_ns)
        b->stop_ns += ken_clock_mono_ns() - b->paused_ns;
}

ken_account *ken_quota_exempt(void)
{
    return ken_account_enter(NULL);
}

void ken_quota_count(ken_account *a)
{
    ken_account_enter(a);
}
