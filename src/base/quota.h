// SPDX-License-Identifier: MIT
// quota.h -- what one question may cost: time, memory, steps; and that it can be cancelled.
//
// The entry point of a question begins a quota on the thread that answers it, and ends it with the
// answer. From then on everything that this thread allocates is counted, and every loop that input
// can lengthen calls ken_quota_check (or ken_cancel_check, which calls it too). A check is a step.
//
// A quota is over when a check finds it so: KEN_ECANCELLED, KEN_ETIMEOUT, KEN_ELIMIT (memory or
// steps), KEN_ENOMEM (the system has none). It stays over, and the question unwinds. A service whose
// answer means something in part may settle once (ken_quota_settle) and answer with what it has
// found; for that the first limits are a little lower than the real ones. The caller that began the quota
// marks such an answer with ken_quota_text.
//
// Threads: a quota belongs to the thread that began it; only its ken_cancel is shared, and ken_quota_jobs.
#ifndef KEN_BASE_QUOTA_H
#define KEN_BASE_QUOTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/cancel.h"
#include "base/err.h"

typedef enum ken_quota_what {
    KEN_QUOTA_NONE = 0,
    KEN_QUOTA_TIME,
    KEN_QUOTA_MEMORY,
    KEN_QUOTA_STEPS,
} ken_quota_what;

enum {
    KEN_QUOTA_TEXT = 320 // bytes of the text of ken_quota_text
};

typedef struct ken_quota_limits {
    uint64_t ms, bytes, steps; // 0 = no limit
} ken_quota_limits;

typedef struct ken_quota_jobs ken_quota_jobs;

typedef struct ken_quota {
    ken_quota_limits limits;
    const ken_cancel *cancel; // borrowed, outlives the quota; may be NULL
    ken_account account;
    uint64_t n_steps;          // checks so far
    uint64_t cancel_at;        // for tests: the check from which on it is cancelled; 0 = none
    int64_t began_ns, stop_ns; // monotonic; stop_ns 0 = no limit
    uint64_t stop_steps;
    ken_status status;       // what the checks answer since it is over
    ken_quota_what over;     // by which limit
    ken_quota_what stopped;  // the limit that an answer in part was settled on
    bool may_settle;         // ken_quota_offer_part was called
    char said[120];          // how far it came
    int64_t paused_ns;       // when ken_quota_pause was called
    struct ken_quota *outer; // that was the thread's before
    ken_quota_jobs *jobs;    // it is of one of them
    ken_account *outer_account;
} ken_quota;

// Jobs of one question, on several threads: each has a quota of its own, and all take memory from what the question has.
struct ken_quota_jobs {
    ken_quota *of; // NULL = the thread has no quota, and its jobs no limits
    const ken_cancel *cancel;
    ken_quota_limits limits;
    atomic_size_t used_bytes; // of the question and its jobs
    atomic_int stopped;       // ken_quota_what of a job that settled for a part
};

// Makes `b` the quota of this thread. `cancel` may be NULL.
void ken_quota_begin(ken_quota *b, const ken_quota_limits *limits, const ken_cancel *cancel);
void ken_quota_end(ken_quota *b); // in the reverse order of beginning
ken_quota *ken_quota_now(void);   // of this thread; NULL = none

// On the thread of the question, which has to wait for its jobs between these. What they keep counts as its own then,
// and so does a part that one of them settled for.
void ken_quota_open_jobs(ken_quota_jobs *j, const ken_cancel *cancel);
void ken_quota_close_jobs(ken_quota_jobs *j);
// On the thread of a job; ended by ken_quota_end.
void ken_quota_begin_job(ken_quota *b, ken_quota_jobs *j);

// KEN_OK, or why the question has to stop, with a message. Cheap: the clock is read every few
// calls.
ken_status ken_quota_check(ken_err *err) KEN_MUST_USE;
// True when the quota is over or the next check will find it so: for loops that cannot fail.
bool ken_quota_is_over(void);
// The status of a question that has ended with `st`: stopped, when a check found it so on the way,
// whatever it came to then. A loop that broke off may have ended in "not found".
ken_status ken_quota_verdict(ken_status st, ken_err *err) KEN_MUST_USE;

// From now on the answer may be partial. Called at the begin by services whose partial answers mean
// something.
void ken_quota_offer_part(void);
// After `st` failed: true when that is because a limit was met and the answer may be what was found
// until then. From here on the checks allow what is left up to the real limits. Once for a quota;
// never for cancelled questions or when the system has no memory. `err` is made empty.
bool ken_quota_settle(ken_status st, ken_err *err) KEN_MUST_USE;
// Whether that happened: what is not needed for an answer is left out.
bool ken_quota_is_settled(void);
// How far it came: "12 of 40 files were searched". Goes into ken_quota_text.
void ken_quota_say(const char *fmt, ...) KEN_PRINTF(1, 2);
// Of a settled question that has found nothing to show: the failure that it was, with a message.
ken_status ken_quota_fail_empty(ken_err *err) KEN_COLD;
// Which limit an answer in part was settled on, as a word ("time", "memory", "steps"), NULL when
// none was; and as a sentence with what to do, "" when none was.
const char *ken_quota_word(const ken_quota *b);
void ken_quota_text(const ken_quota *b, char *out, size_t n_out); // KEN_QUOTA_TEXT bytes will do

// Work that serves more than this question (indexing, opening an index) is not charged to it: between these
// the thread has no quota, and its clock is stopped. Fine without a quota; they nest.
ken_quota *ken_quota_pause(void);
void ken_quota_resume(ken_quota *b); // what ken_quota_pause returned
// Memory alone, for what stays with an index as long as it is open: time goes on, and it can be
// cancelled.
ken_account *ken_quota_exempt(void);
void ken_quota_count(ken_account *a); // what ken_quota_exempt returned

#endif
