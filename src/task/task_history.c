// SPDX-License-Identifier: MIT
// What happened to a task, of all its lists together.
#include "base/alloc.h"
#include "task/task_priv.h"

const char *ken_task_event_word(ken_task_event_kind k)
{
    static const char *const words[] = { "", "status", "reference", "branch", "commit" };
    return words[k];
}

// Each list is in the order of its times already; among equal times the kinds are in theirs, and of
// one kind what came first in memory stays first.
static bool is_before(const ken_task_event *x, const ken_task_event *y)
{
    return x->at_ms != y->at_ms ? x->at_ms < y->at_ms : x->kind < y->kind;
}

static void sort(ken_task_event *events, size_t n)
{
    for (size_t i = 1; i < n; i++) { // nearly sorted as it is
        ken_task_event e = events[i];
        size_t at = i;
        for (; at && is_before(&e, &events[at - 1]); at--)
            events[at] = events[at - 1];
        events[at] = e;
    }
}

void ken_task_events(const ken_task *t, ken_arena *arena, ken_task_event **out, size_t *out_n)
{
    size_t n = 0, most = t->n_changes + t->n_references + t->n_branches + t->n_commits;
    ken_task_event *e = KEN_ARENA_ARRAY(arena, ken_task_event, most + 1);
    for (size_t i = 0; i < t->n_changes; i++)
        e[n++] = (ken_task_event){ .kind = KEN_TASK_EVENT_STATUS,
                                   .at_ms = t->changes[i].at_ms,
                                   .from = t->changes[i].from,
                                   .to = t->changes[i].to };
    for (size_t i = 0; i < t->n_references; i++)
        e[n++] = (ken_task_event){ .kind = KEN_TASK_EVENT_REFERENCE,
                                   .at_ms = t->references[i].at_ms,
                                   .name = t->references[i].path,
                                   .detail = t->references[i].type };
    for (size_t i = 0; i < t->n_branches; i++)
        e[n++] = (ken_task_event){ .kind = KEN_TASK_EVENT_BRANCH,
                                   .at_ms = t->branches[i].at_ms,
                                   .name = t->branches[i].name };
    for (size_t i = 0; i < t->n_commits; i++)
        e[n++] = (ken_task_event){ .kind = KEN_TASK_EVENT_COMMIT,
                                   .at_ms = t->commits[i].at_ms,
                                   .name = t->commits[i].hash,
                                   .detail = t->commits[i].message };
    sort(e, n);
    *out = e;
    *out_n = n;
}
