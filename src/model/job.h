// SPDX-License-Identifier: MIT
// job.h -- a job: what a server does on its own, and how far it is. A row of the catalog.
//
// Texts are borrowed; an absent one is empty.
#ifndef KEN_MODEL_JOB_H
#define KEN_MODEL_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/id.h"
#include "base/str.h"

// id, word, whether it is of one project, whether a run that was stopped goes on where it was
#define KEN_JOB_KIND_TABLE(X)                        \
    X(INDEX, "index", true, true)                    \
    X(EMBED, "embed", true, true)                    \
    X(MODEL_DOWNLOAD, "model_download", false, true) \
    X(RULES_SETUP, "rules_setup", true, false)       \
    X(SYNC, "sync", true, true)

typedef enum ken_job_kind {
    KEN_JOB_NONE = 0,
#define X(id, word, is_of_project, resumes) KEN_JOB_##id,
    KEN_JOB_KIND_TABLE(X)
#undef X
    KEN_JOB_KIND_COUNT
} ken_job_kind;

// id, word
#define KEN_JOB_STATE_TABLE(X) \
    X(QUEUED, "queued")        \
    X(RUNNING, "running")      \
    X(DONE, "done")            \
    X(FAILED, "failed")        \
    X(CANCELLED, "cancelled")  \
    X(INTERRUPTED, "interrupted") /* the server ended before it */

typedef enum ken_job_state {
    KEN_JOB_UNKNOWN = 0,
#define X(id, word) KEN_JOB_##id,
    KEN_JOB_STATE_TABLE(X)
#undef X
    KEN_JOB_STATE_COUNT
} ken_job_state;

const char *ken_job_kind_word(ken_job_kind k); // borrowed static text
const char *ken_job_state_word(ken_job_state s);
ken_job_kind ken_job_kind_of(ken_str word);   // NONE when unknown
ken_job_state ken_job_state_of(ken_str word); // UNKNOWN
bool ken_job_is_of_project(ken_job_kind k);
bool ken_job_resumes(ken_job_kind k);
bool ken_job_has_ended(ken_job_state s);

typedef struct ken_job {
    ken_uuid id;
    ken_job_kind kind;
    ken_job_state state;
    ken_uuid project; // where has_project; its row may be gone
    bool has_project;
    bool is_cancel_wanted;    // while it runs
    uint32_t n_tries;         // runs that were interrupted before this one
    uint64_t n_done, n_total; // of its stage; n_total 0 = not known
    uint64_t milli_rate;      // thousandths of that a second; 0 = not known
    int64_t created_at_ms, started_at_ms, ended_at_ms; // 0 = not yet
    ken_str params;                                    // a JSON object
    ken_str message; // the stage; of one that has ended, what it did
    ken_str error;   // why it failed, was interrupted, or is queued again
    // Of a database, whose workers are many; else 0 and empty.
    uint64_t fence;    // grows each time that somebody begins it: who has an older one has lost it
    ken_str worker;    // who runs it, or ended it
    int64_t due_at_ms; // not before; 0 = at once
    int64_t changed_at_ms; // by the clock of the database
} ken_job;

// At the present rate; -1 = not known.
int64_t ken_job_eta_ms(const ken_job *j);

#endif
