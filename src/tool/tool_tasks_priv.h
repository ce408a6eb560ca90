// SPDX-License-Identifier: MIT
// tool_tasks_priv.h -- tasks as JSON and as text.
#ifndef KEN_TOOL_TOOL_TASKS_PRIV_H
#define KEN_TOOL_TOOL_TASKS_PRIV_H

#include "task/task.h"
#include "tool/tool_priv.h"

// The projects that tasks are linked to, by name.
typedef struct ken_tool__projects {
    ken_project_info *ptr;
    size_t n;
} ken_tool__projects;

// A task as the tools answer; a listed one has no history, and the beginnings of its texts.
json_t *ken_tool__task_json(const ken_task *t, const ken_tool__projects *projects, bool is_listed,
                            ken_arena *arena);
// Takes from the texts of one task, then from its lists, what makes it larger than `max_bytes`, and
// says so.
void ken_tool__fit_task(json_t *task, size_t max_bytes);

#endif
