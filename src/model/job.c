// SPDX-License-Identifier: MIT
#include "model/job.h"

static const struct {
    const char *word;
    bool is_of_project, resumes;
} kinds[KEN_JOB_KIND_COUNT] = { { "none", false, false },
#define X(id, word, is_of_project, resumes) { word, is_of_project, resumes },
                                KEN_JOB_KIND_TABLE(X)
#undef X
};

static const char *const states[KEN_JOB_STATE_COUNT] = { "unknown",
#define X(id, word) word,
                                                         KEN_JOB_STATE_TABLE(X)
#undef X
};

const char *ken_job_kind_word(ken_job_kind k)
{
    return kinds[k].word;
}

const char *ken_job_state_word(ken_job_state s)
{
    return states[s];
}

ken_job_kind ken_job_kind_of(ken_str word)
{
    for (int k = 1; k < KEN_JOB_KIND_COUNT; k++)
        if (ken_str_eq_c(word, kinds[k].word))
            return (ken_job_kind)k;
    return KEN_JOB_NONE;
}

ken_job_state ken_job_state_of(ken_str word)
{
    for (int s = 1; s < KEN_JOB_STATE_COUNT; s++)
        if (ken_str_eq_c(word, states[s]))
            return (ken_job_state)s;
    return KEN_JOB_UNKNOWN;
}

bool ken_job_is_of_project(ken_job_kind k)
{
    return kinds[k].is_of_project;
}

bool ken_job_resumes(ken_job_kind k)
{
    return kinds[k].resumes;
}

bool ken_job_has_ended(ken_job_state s)
{
    return s != KEN_JOB_QUEUED && s != KEN_JOB_RUNNING;
}

int64_t ken_job_eta_ms(const ken_job *j)
{
    if (j->state != KEN_JOB_RUNNING || !j->n_total || !j->milli_rate)
        return -1;
    double left = j->n_total > j->n_done ? (double)(j->n_total - j->n_done) : 0;
    double ms = left * 1e6 / (double)j->milli_rate;
    return ms < 1e15 ? (int64_t)ms : -1;
}
