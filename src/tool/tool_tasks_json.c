// SPDX-License-Identifier: MIT
// Tasks as answers.
#include "base/utf8.h"
#include "tool/tool_graph_priv.h"
#include "tool/tool_tasks_priv.h"
#include "tool_specs.h"

enum {
    LISTED_BYTES = 2000, // of a description or of notes in a list
    KEPT_BYTES = 200,    // of each of them, however small an answer must be
};

// ---- JSON ------------------------------------------------------------------------------------

// null when there is none.
static void set_text(json_t *o, const char *key, ken_str text)
{
    if (text.ptr)
        ken_json_set_str(o, key, text);
    else
        ken_json_set(o, key, NULL);
}

static void set_long_text(json_t *o, const char *key, ken_str text, bool is_listed)
{
    bool is_clipped = is_listed && text.len > LISTED_BYTES;
    set_text(o, key, is_clipped ? ken_utf8_clip(text, LISTED_BYTES) : text);
    if (is_clipped)
        ken_json_set_bool(o, "truncated", true);
}

static json_t *event_json(const ken_task_event *e)
{
    json_t *o = json_object();
    ken_json_set_time_ms(o, "at", e->at_ms);
    ken_json_set_str(o, "event", ken_str_c(ken_task_event_word(e->kind)));
    if (e->kind == KEN_TASK_EVENT_STATUS) {
        set_text(o, "from", e->from);
        ken_json_set_str(o, "to", e->to);
        return o;
    }
    ken_json_set_str(o, "name", e->name);
    if (e->kind == KEN_TASK_EVENT_COMMIT)
        set_text(o, "message", e->detail);
    if (e->kind == KEN_TASK_EVENT_REFERENCE)
        ken_json_set_str(o, "reference_type", e->detail);
    return o;
}

static json_t *history_json(const ken_task *t, ken_arena *arena)
{
    ken_task_event *events = NULL;
    size_t n = 0;
    json_t *list = json_array();
    ken_task_events(t, arena, &events, &n);
    for (size_t i = 0; i < n; i++)
        ken_json_append(list, event_json(&events[i]));
    return list;
}

// A project that was removed since has its id only.
static json_t *project_json(ken_uuid id, const ken_tool__projects *projects)
{
    char text[KEN_UUID_TEXT];
    for (size_t i = 0; i < projects->n; i++)
        if (ken_uuid_eq(projects->ptr[i].id, id))
            return ken_tool__project_json(&projects->ptr[i]);
    json_t *o = json_object();
    ken_uuid_format(id, text);
    ken_json_set_str(o, "id", ken_str_c(text));
    return o;
}

json_t *ken_tool__task_json(const ken_task *t, const ken_tool__projects *projects, bool is_listed,
                            ken_arena *arena)
{
    char id[KEN_UUID_TEXT];
    json_t *o = json_object(), *paths = json_array(), *branches = json_array(),
           *commits = json_array();
    for (size_t i = 0; i < t->n_references; i++)
        ken_json_append(paths, ken_json_str(t->references[i].path));
    for (size_t i = 0; i < t->n_branches; i++)
        ken_json_append(branches, ken_json_str(t->branches[i].name));
    for (size_t i = 0; i < t->n_commits; i++)
        ken_json_append(commits, ken_json_str(t->commits[i].hash));
    ken_uuid_format(t->uuid, id);
    ken_json_set_str(o, "id", ken_str_c(id));
    ken_json_set_str(o, "title", t->title);
    set_long_text(o, "description", t->description, is_listed);
    set_long_text(o, "notes", t->notes, is_listed);
    ken_json_set_str(o, "status", t->status);
    ken_json_set_time_ms(o, "created_at", t->created_at_ms);
    ken_json_set_time_ms(o, "updated_at", t->updated_at_ms);
    ken_json_set(o, "planning_references", paths);
    ken_json_set(o, "branches", branches);
    ken_json_set(o, "commits", commits);
    if (t->has_project)
        ken_json_set(o, "project", project_json(t->project, projects));
    if (!is_listed)
        ken_json_set(o, "history", history_json(t, arena));
    return o;
}

// A character may take more bytes in JSON than in the text, so it may need more than one step.
static void clip_member(json_t *o, const char *key, size_t over)
{
    ken_str text = ken_json_text(json_object_get(o, key));
    if (text.len <= KEPT_BYTES)
        return;
    size_t keep = text.len > over + KEPT_BYTES ? text.len - over : KEPT_BYTES;
    ken_json_set(o, key, ken_json_str(ken_utf8_clip(text, keep)));
}

void ken_tool__fit_task(json_t *task, size_t max_bytes)
{
    static const char *const longest_first[] = { "notes", "description" };
    static const char *const lists[] = { "history", "commits", "planning_references", "branches" };
    static const char whole[] = "get_task has it whole";
    size_t size = ken_json_dump_size(task);
    if (size <= max_bytes)
        return;
    ken_json_set_bool(task, "truncated", true);
    ken_json_set_str(task, "hint", ken_str_c(whole));
    for (size_t i = 0; i < sizeof longest_first / sizeof *longest_first; i++) {
        size = ken_json_dump_size(task);
        if (size > max_bytes)
            clip_member(task, longest_first[i], size - max_bytes);
    }
    ken_tool__fit_lists(task, lists, sizeof lists / sizeof *lists, max_bytes, whole);
}

// ---- text ------------------------------------------------------------------------------------

static void put_event(const json_t *e, ken_paint *out)
{
    ken_str from = ken_tool__member(e, "from"), more = ken_tool__member(e, "message");
    if (!more.len)
        more = ken_tool__member(e, "reference_type");
    ken_paint_printf(out, KEN_STYLE_DIM, "  " KEN_STR_FMT "  ",
                     KEN_STR_ARG(ken_tool__member(e, "at")));
    ken_paint_printf(out, KEN_STYLE_PLAIN, KEN_STR_FMT " ",
                     KEN_STR_ARG(ken_tool__member(e, "event")));
    ken_paint_str(out, KEN_STYLE_PLAIN, from);
    ken_paint_puts(out, from.len ? " -> " : "");
    ken_paint_str(out, KEN_STYLE_PLAIN, ken_tool__member(e, "to"));
    ken_paint_str(out, KEN_STYLE_PLAIN, ken_tool__member(e, "name"));
    ken_paint_puts(out, more.len ? "  " : "");
    ken_paint_str(out, KEN_STYLE_DIM, more);
    ken_paint_puts(out, "\n");
}

static void put_long_text(const json_t *task, const char *key, ken_paint *out)
{
    ken_str text = ken_tool__member(task, key), line;
    if (!text.len)
        return;
    ken_paint_printf(out, KEN_STYLE_BOLD, "%s:\n", key);
    while (ken_str_line_next(&text, &line)) {
        ken_paint_puts(out, "  ");
        ken_paint_str(out, KEN_STYLE_PLAIN, line);
        ken_paint_puts(out, "\n");
    }
}

void ken_tool__get_task_text(const json_t *task, ken_paint *out)
{
    ken_str project = ken_tool__member(json_object_get(task, "project"), "root");
    const json_t *history = json_object_get(task, "history");
    ken_paint_str(out, KEN_STYLE_BOLD, ken_tool__member(task, "title"));
    ken_paint_puts(out, "\n");
    ken_paint_str(out, KEN_STYLE_NAME, ken_tool__member(task, "id"));
    ken_paint_printf(out, KEN_STYLE_PLAIN, "  [" KEN_STR_FMT "]  updated " KEN_STR_FMT "\n",
                     KEN_STR_ARG(ken_tool__member(task, "status")),
                     KEN_STR_ARG(ken_tool__member(task, "updated_at")));
    if (project.len) {
        ken_paint_puts(out, "project ");
        ken_paint_str(out, KEN_STYLE_PATH, project);
        ken_paint_puts(out, "\n");
    }
    ken_tool__put_texts(json_object_get(task, "planning_references"), "planned in ", ", ", "\n",
                        out);
    ken_tool__put_texts(json_object_get(task, "branches"), "on ", ", ", "\n", out);
    put_long_text(task, "description", out);
    put_long_text(task, "notes", out);
    ken_tool__put_head(history, "history", out);
    for (size_t i = 0; i < json_array_size(history); i++)
        put_event(json_array_get(history, i), out);
}

void ken_tool__create_task_text(const json_t *task, ken_paint *out)
{
    ken_paint_str(out, KEN_STYLE_NAME, ken_tool__member(task, "id"));
    ken_paint_puts(out, "\n");
}

void ken_tool__update_task_text(const json_t *task, ken_paint *out)
{
    ken_tool__get_task_text(task, out);
}

void ken_tool__delete_task_text(const json_t *task, ken_paint *out)
{
    ken_paint_puts(out, "deleted '");
    ken_paint_str(out, KEN_STYLE_BOLD, ken_tool__member(task, "title"));
    ken_paint_puts(out, "'\n");
}

void ken_tool__list_tasks_text(const json_t *answer, ken_paint *out)
{
    const json_t *list = json_object_get(answer, "tasks");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *t = json_array_get(list, i);
        ken_str project = ken_tool__member(json_object_get(t, "project"), "name");
        ken_paint_str(out, KEN_STYLE_NAME, ken_tool__member(t, "id"));
        ken_paint_printf(out, KEN_STYLE_PLAIN, "  [" KEN_STR_FMT "]  ",
                         KEN_STR_ARG(ken_tool__member(t, "status")));
        ken_paint_str(out, KEN_STYLE_PLAIN, ken_tool__member(t, "title"));
        if (project.len)
            ken_paint_printf(out, KEN_STYLE_DIM, "  (" KEN_STR_FMT ")", KEN_STR_ARG(project));
        ken_paint_puts(out, "\n");
        ken_tool__put_texts(json_object_get(t, "branches"), "    on ", ", ", "\n", out);
    }
    if (!json_array_size(list))
        ken_paint_puts(out, "no tasks\n");
    ken_tool__put_tail(answer, out);
}
