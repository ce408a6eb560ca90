// SPDX-License-Identifier: MIT
// task.h -- what is to be done: the one service behind the tools and `ken task`.
//
// A task has a title, texts, a status with its history, files that planned it, and links to the
// branches and commits that it was done on. Tasks belong to all projects together; one may be
// linked to a project. Every change is one durable transaction. `updated_at` grows with every
// change of a task, so it says which state somebody has read: who gives it with a change is refused
// when somebody else was faster.
//
// Texts are counted in code points. They are valid UTF-8 without control characters; those of more
// than one line may have tabs and line ends.
//
// Ownership: what is returned lives in the arena passed; inputs are borrowed. Threads: a ken_tasks
// belongs to one thread at a time. Errors: KEN_EINVAL for an input that is not as it should be, a
// status or a commit hash that is none (the message names field, rule and value); KEN_ENOTFOUND for
// a task that is not there; KEN_EEXIST when it was changed since; KEN_ELIMIT; else as the store.
#ifndef KEN_TASK_TASK_H
#define KEN_TASK_TASK_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/err.h"
#include "base/id.h"
#include "store/tasks.h"

enum {
    KEN_TASK_TITLE_MAX = 200, // code points, as all that follow but what says bytes
    KEN_TASK_TEXT_MAX = 100000,
    KEN_TASK_REFERENCES_MAX = 100,
    KEN_TASK_PATH_MAX = 4096,  // bytes
    KEN_TASK_BRANCH_MAX = 255, // bytes
    KEN_TASK_STATUSES_MAX = 32,
    KEN_TASK_STATUS_MAX = 50,
    KEN_TASK_LIMIT = 20, // of a list, when none is asked for
    KEN_TASK_LIMIT_MAX = 100,
    KEN_TASK_OFFSET_MAX = 1000000,
    KEN_TASK_PREFIX_MIN = 4, // digits
    KEN_TASK_QUERY_MAX = 1000,
    KEN_TASK_COMMIT_DIGITS = 40,
    KEN_TASK_COMMIT_MIN = 7, // digits that git may make a whole hash of
};

#define KEN_TASK_REFERENCE_TYPES "document, spec, plan, design, code, other" // the first by default

typedef struct ken_tasks ken_tasks;

typedef struct ken_tasks_opts {
    const char *path;       // of the catalog, when it is a file
    ken_database *database; // else where it is
    bool is_read_only;
    const ken_str *statuses; // the first is what a task begins with; at least one
    size_t n_statuses;
} ken_tasks_opts;

ken_status ken_tasks_open(const ken_tasks_opts *opts, ken_tasks **out, ken_err *err) KEN_MUST_USE;
void ken_tasks_close(ken_tasks *t);
// ken_catalog_is_behind: what it answers would lack tasks.
bool ken_tasks_is_behind(ken_tasks *t);
bool ken_tasks_is_current(const ken_tasks *t); // as ken_catalog_is_current

// What a caller gives; a text without a pointer is not given.
typedef struct ken_task_input {
    ken_str title, description, notes, status;
    bool sets_references;
    const ken_task_reference *references; // of each: path, and type when it has one
    size_t n_references;
    bool sets_project;
    const ken_uuid *project; // NULL = none
    // Of a change only:
    ken_str branch;        // linked; behind a '-': not linked any more
    ken_str commit;        // the same, 40 hexadecimal digits, or the first that no other commit has
    ken_str if_updated_at; // what the caller believes it to be
    const char *root;      // of a repository that may know them, beside the task's; or NULL
    ken_str *out_remark;   // on what is linked now and that no known repository has; may be NULL
    const ken_cancel *cancel;
    int64_t now_ms;
} ken_task_input;

ken_status ken_tasks_create(ken_tasks *t, const ken_task_input *in, ken_arena *arena, ken_task *out,
                            ken_err *err) KEN_MUST_USE;
ken_status ken_tasks_get(ken_tasks *t, ken_str id, ken_arena *arena, ken_task *out, ken_err *err)
    KEN_MUST_USE;
// Only what is given changes; a link that is there already is no change.
ken_status ken_tasks_update(ken_tasks *t, ken_str id, const ken_task_input *in, ken_arena *arena,
                            ken_task *out, ken_err *err) KEN_MUST_USE;
// `out`: as it was.
ken_status ken_tasks_delete(ken_tasks *t, ken_str id, ken_arena *arena, ken_task *out, ken_err *err)
    KEN_MUST_USE;

// The tasks whose id begins with some hexadecimal digits (dashes do not count), at most `limit`, by
// id; without links and history. KEN_EINVAL names what is no beginning of at least
// KEN_TASK_PREFIX_MIN digits.
ken_status ken_tasks_find(ken_tasks *t, ken_str prefix, size_t limit, ken_arena *arena,
                          ken_task **out, size_t *out_n, ken_err *err) KEN_MUST_USE;

typedef struct ken_task_query {
    ken_str status, branch;  // ptr NULL = any
    const ken_uuid *project; // NULL = any
    ken_str text;            // a question about titles, descriptions and notes; ptr NULL = none
    uint64_t limit;          // 0 = KEN_TASK_LIMIT
    uint64_t offset;
} ken_task_query;

typedef struct ken_task_page {
    ken_task *tasks; // without their history
    double *scores;  // parallel to them, 0 to 1; NULL without a question
    size_t n;
    uint64_t total; // without limit and offset; not known of a question
    bool has_more;
} ken_task_page;

// The last changed first; for a question the best first, by words and meaning (recall.h). The first
// question takes all tasks into memory, later ones what changed since.
ken_status ken_tasks_list(ken_tasks *t, const ken_task_query *q, ken_arena *arena,
                          ken_task_page *out, ken_err *err) KEN_MUST_USE;

// ---- history ---------------------------------------------------------------------------------
typedef enum ken_task_event_kind {
    KEN_TASK_EVENT_STATUS = 1, // from, to
    KEN_TASK_EVENT_REFERENCE,  // name, detail = its type
    KEN_TASK_EVENT_BRANCH,     // name
    KEN_TASK_EVENT_COMMIT,     // name, detail = its message
} ken_task_event_kind;

typedef struct ken_task_event {
    ken_task_event_kind kind;
    int64_t at_ms;
    ken_str from, to;     // ptr NULL: from nothing
    ken_str name, detail; // ptr NULL: not known
} ken_task_event;

const char *ken_task_event_word(ken_task_event_kind k);
// What happened to a task, in the order of time.
void ken_task_events(const ken_task *t, ken_arena *arena, ken_task_event **out, size_t *out_n);

#endif
