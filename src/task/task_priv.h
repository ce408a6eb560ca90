// SPDX-License-Identifier: MIT
// task_priv.h -- what the files of this folder share.
#ifndef KEN_TASK_TASK_PRIV_H
#define KEN_TASK_TASK_PRIV_H

#include "task/task.h"

typedef struct ken_task__memory ken_task__memory;
typedef struct ken_task__order ken_task__order;

struct ken_tasks {
    ken_catalog *catalog;
    ken_arena arena; // of the statuses
    ken_str *statuses;
    size_t n_statuses;
    ken_task__memory *memory; // NULL until the first question
    ken_task__order *order;   // NULL until the second page far down
    bool has_been_deep;
};

// ---- task_check.c: inputs ----------------------------------------------------------------------
// `field` stands first in the message.
ken_status ken_task__check_line(const char *field, ken_str text, size_t min, size_t max,
                                ken_err *err) KEN_MUST_USE;
ken_status ken_task__check_text(const char *field, ken_str text, size_t min, size_t max,
                                ken_err *err) KEN_MUST_USE;
ken_status ken_task__check_status(const ken_tasks *t, ken_str status, ken_err *err) KEN_MUST_USE;
ken_status ken_task__check_branch(ken_str name, ken_err *err) KEN_MUST_USE;
ken_status ken_task__check_references(const ken_task_reference *refs, size_t n, ken_err *err)
    KEN_MUST_USE;
// The first and the last id that begins so.
ken_status ken_task__parse_prefix(ken_str text, ken_uuid *out_first, ken_uuid *out_last,
                                  ken_err *err) KEN_MUST_USE;
ken_status ken_task__parse_id(ken_str text, ken_uuid *out, ken_err *err) KEN_MUST_USE;
// 40 digits, or at least the first KEN_TASK_COMMIT_MIN. `out`: in small letters, in the arena.
ken_status ken_task__parse_commit(ken_str text, ken_arena *arena, ken_str *out, ken_err *err)
    KEN_MUST_USE;
ken_status ken_task__parse_time(ken_str text, int64_t *out_ms, ken_err *err) KEN_MUST_USE;

// A project as a key, "" for none; borrowed.
static inline ken_str ken_task__project_bytes(const ken_uuid *project)
{
    return project ? ken_str_n((const char *)project->bytes, sizeof project->bytes) : KEN_STR("");
}

// ---- task_search.c -----------------------------------------------------------------------------
ken_status ken_task__search(ken_tasks *t, const ken_task_query *q, ken_arena *arena,
                            ken_task_page *out, ken_err *err) KEN_MUST_USE;
void ken_task__memory_free(ken_task__memory *m);

// ---- task_order.c ------------------------------------------------------------------------------
// A page as ken_tasks_list gives it, without stepping over what is before it; *out_is_whole is
// false, and there is none, when others change tasks all the time.
ken_status ken_task__list_deep(ken_tasks *t, const ken_task_query *q, ken_arena *arena,
                               ken_task_page *out, bool *out_is_whole, ken_err *err) KEN_MUST_USE;
void ken_task__order_drop(ken_tasks *t, int64_t id); // that was deleted
void ken_task__order_free(ken_task__order *o);

// ---- task_links.c ------------------------------------------------------------------------------
// No branch and no hash begins with '-': before one it takes the link away.
static inline bool ken_task__is_lost(ken_str link)
{
    return ken_str_starts(link, KEN_STR("-"));
}

static inline ken_str ken_task__linked(ken_str link)
{
    return ken_task__is_lost(link) ? ken_str_sub(link, 1, link.len) : link;
}

// Gives `e` whole hashes, and remarks on what no repository has; `e` has the branch already. To be called
// before the transaction: git is asked, and others wait for that.
ken_status ken_task__prepare_links(ken_tasks *t, ken_uuid uuid, const ken_task_input *in,
                                   ken_arena *arena, ken_task_edit *e, ken_err *err) KEN_MUST_USE;

// ---- task_git.c ------------------------------------------------------------------------------
// What the repository of `root` says; NOT_ASKED when it is none or git cannot be asked.
typedef enum ken_task__known {
    KEN_TASK__NOT_ASKED,
    KEN_TASK__UNKNOWN,
    KEN_TASK__KNOWN,
} ken_task__known;

// The one commit whose hash begins with these digits, which are checked, and its subject.
ken_task__known ken_task__find_commit(const char *root, ken_str digits, const ken_cancel *cancel,
                                      ken_arena *arena, ken_task_commit *out);
// Whether there is such a branch, here or at a remote as it was last seen.
ken_task__known ken_task__find_branch(const char *root, ken_str branch, const ken_cancel *cancel,
                                      ken_arena *arena);

#endif
