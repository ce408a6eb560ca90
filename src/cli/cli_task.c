// SPDX-License-Identifier: MIT
// ken task: what is to be done. Each action is one call of a tool.
#include <string.h>

#include "cli/cli_print_priv.h"
#include "json/json.h"
#include "task/task.h"

typedef ken_status action_fn(cli *x, json_t *args, ken_err *err);

// ---- showing -----------------------------------------------------------------------------------

static void show_names(const cli *x, const json_t *task, const char *key, const char *title)
{
    const json_t *list = json_object_get(task, key);
    for (size_t i = 0; i < json_array_size(list); i++) {
        ken_cli__paint(x, CLI_DIM, "%s", i ? ", " : title);
        ken_cli__print_text(ken_json_text(json_array_get(list, i)));
    }
    if (json_array_size(list))
        ken_cli__print("\n");
}

static void show_text(const cli *x, const json_t *task, const char *key)
{
    ken_str text = ken_cli__member(task, key), line;
    if (!text.len)
        return;
    ken_cli__print_head(x, key);
    while (ken_str_line_next(&text, &line)) {
        ken_cli__print("  ");
        ken_cli__print_text(line);
        ken_cli__print("\n");
    }
}

static void show_event(const cli *x, const json_t *e)
{
    ken_str from = ken_cli__member(e, "from"), to = ken_cli__member(e, "to"),
            more = ken_cli__member(e, "message");
    if (!more.len)
        more = ken_cli__member(e, "reference_type");
    ken_cli__paint(x, CLI_DIM, "  " KEN_STR_FMT "  ", KEN_STR_ARG(ken_cli__member(e, "at")));
    ken_cli__print("%-9s  ", json_string_value(json_object_get(e, "event")));
    ken_cli__print_text(from);
    ken_cli__print("%s", from.len ? " -> " : "");
    ken_cli__print_text(to);
    ken_cli__print_text(ken_cli__member(e, "name"));
    if (more.len) {
        ken_cli__print("  ");
        ken_cli__paint_text(x, CLI_DIM, more);
    }
    ken_cli__print("\n");
}

static void show_task(const cli *x, const json_t *task)
{
    const json_t *history = json_object_get(task, "history");
    ken_str project = ken_cli__member(json_object_get(task, "project"), "root");
    ken_cli__paint_text(x, CLI_BOLD, ken_cli__member(task, "title"));
    ken_cli__print("\n");
    ken_cli__paint_text(x, CLI_NAME, ken_cli__member(task, "id"));
    ken_cli__print("  [");
    ken_cli__print_text(ken_cli__member(task, "status"));
    ken_cli__print("]\n");
    if (project.len) {
        ken_cli__paint(x, CLI_DIM, "project ");
        ken_cli__paint_text(x, CLI_PATH, project);
        ken_cli__print("\n");
    }
    show_names(x, task, "planning_references", "planned in ");
    show_names(x, task, "branches", "on ");
    show_text(x, task, "description");
    show_text(x, task, "notes");
    ken_cli__print_head(x, "history");
    for (size_t i = 0; i < json_array_size(history); i++)
        show_event(x, json_array_get(history, i));
}

static void show_list(cli *x, const json_t *answer)
{
    const json_t *list = json_object_get(answer, "tasks");
    cli_text_table t = ken_cli__table_new(&x->arena, "id|status|title|project");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *task = json_array_get(list, i);
        ken_cli__table_add(&t, ken_cli__member(task, "id"));
        ken_cli__table_add(&t, ken_cli__member(task, "status"));
        ken_cli__table_add(&t, ken_cli__member(task, "title"));
        ken_cli__table_add(&t, ken_cli__member(json_object_get(task, "project"), "name"));
    }
    if (json_array_size(list))
        ken_cli__table_print(x, &t);
    else
        ken_cli__note(x, "no tasks; to make one: ken task new TITLE");
    if (json_object_get(answer, "next_offset"))
        ken_cli__note(x, "there are more; --offset %lld shows them",
                      ken_cli__number(answer, "next_offset"));
}

// ---- actions -----------------------------------------------------------------------------------

// Calls a tool, which takes `args`. With --json its answer is printed, and *out stays NULL.
static ken_status call(cli *x, const char *tool, json_t *args, json_t **out, ken_err *err)
{
    ken_cli__set_arg(x, args, "project", "project");
    *out = NULL;
    if (x->is_json)
        return ken_cli__print_tool(x, tool, NULL, args, err);
    return ken_cli__call_tool(x, tool, NULL, args, out, err);
}

// The words after the action are one text, or none.
static ken_str words_after_action(cli *x)
{
    ken_buf text = KEN_BUF_INIT(0);
    for (size_t i = 1; i < x->args.n_words; i++)
        ken_buf_printf(&text, "%s%s", i > 1 ? " " : "", x->args.words[i]);
    ken_str kept = ken_arena_dup(&x->arena, ken_buf_str(&text));
    ken_buf_release(&text);
    return kept;
}

static void set_references(cli *x, json_t *args)
{
    const char **paths = NULL;
    size_t n = ken_cli__args_list(&x->args, "ref", &x->arena, &paths);
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        ken_json_append(list, ken_json_str(ken_str_c(paths[i])));
    if (n)
        ken_json_set(args, "planning_references", list);
    else
        json_decref(list);
}

static void set_texts(cli *x, json_t *args)
{
    ken_cli__set_arg(x, args, "description", "description");
    ken_cli__set_arg(x, args, "notes", "notes");
    ken_cli__set_arg(x, args, "status", "status");
    set_references(x, args);
}

static ken_status new_task(cli *x, json_t *args, ken_err *err)
{
    json_t *task = NULL;
    ken_json_set_str(args, "title", words_after_action(x));
    set_texts(x, args);
    ken_status st = call(x, "create_task", args, &task, err);
    if (!st && task) {
        ken_cli__print_text(ken_cli__member(task, "id"));
        ken_cli__print("\n");
    }
    json_decref(task);
    return st;
}

static ken_status show(cli *x, json_t *args, ken_err *err)
{
    json_t *task = NULL;
    ken_status st = call(x, "get_task", args, &task, err);
    if (!st && task)
        show_task(x, task);
    json_decref(task);
    return st;
}

static ken_status set(cli *x, json_t *args, ken_err *err)
{
    json_t *task = NULL;
    ken_cli__set_arg(x, args, "title", "title");
    ken_cli__set_arg(x, args, "branch", "branch");
    ken_cli__set_arg(x, args, "commit", "commit");
    ken_cli__set_arg(x, args, "if-updated-at", "if_updated_at");
    set_texts(x, args);
    ken_status st = call(x, "update_task", args, &task, err);
    if (!st && task)
        show_task(x, task);
    json_decref(task);
    return st;
}

static ken_status delete_task(cli *x, json_t *args, ken_err *err)
{
    json_t *task = NULL;
    ken_status st = call(x, "delete_task", args, &task, err);
    if (!st && task)
        ken_cli__note(x, "deleted '" KEN_STR_FMT "'", KEN_STR_ARG(ken_cli__member(task, "title")));
    json_decref(task);
    return st;
}

static ken_status list(cli *x, json_t *args, ken_err *err)
{
    json_t *answer = NULL;
    if (x->args.n_words > 1)
        ken_json_set_str(args, "query", words_after_action(x));
    ken_cli__set_arg(x, args, "status", "status");
    ken_cli__set_arg(x, args, "branch", "branch");
    ken_status st = ken_cli__set_number(x, args, "limit", "limit", 1, 100, err);
    if (!st)
        st = ken_cli__set_number(x, args, "offset", "offset", 0, 1000000, err);
    if (st) {
        json_decref(args);
        return st;
    }
    st = call(x, "list_tasks", args, &answer, err);
    if (!st && answer)
        show_list(x, answer);
    json_decref(answer);
    return st;
}

// ---- which task --------------------------------------------------------------------------------

enum {
    CANDIDATES = 10 // shown of those that are meant
};

static ken_status refuse_candidates(const cli *x, const char *word, const ken_task *tasks, size_t n,
                                    ken_err *err)
{
    for (size_t i = 0; i < n && i < CANDIDATES; i++) {
        char id[KEN_UUID_TEXT];
        ken_uuid_format(tasks[i].uuid, id);
        ken_cli__note(x, "%s  " KEN_STR_FMT, id, KEN_STR_ARG(tasks[i].title));
    }
    return KEN_FAIL(err, KEN_EINVAL, "'%.60s' is the beginning of %s%zu ids; say more of the one",
                    word, n > CANDIDATES ? "more than " : "", n > CANDIDATES ? CANDIDATES : n);
}

// The id that begins with a word, as with git's commits. Whole ids are the tools' to refuse.
static ken_status find_id(cli *x, const char *word, ken_str *out, ken_err *err)
{
    ken_tasks *tasks = NULL;
    ken_task *found = NULL;
    size_t n = 0;
    char id[KEN_UUID_TEXT];
    ken_uuid whole;
    *out = ken_str_c(word);
    if (ken_uuid_parse(*out, &whole))
        return KEN_OK;
    ken_status st = ken_app_borrow_tasks(x->app, &tasks, err);
    if (st)
        return st;
    st = ken_tasks_find(tasks, ken_str_c(word), CANDIDATES + 1, &x->arena, &found, &n, err);
    ken_app_give_back_tasks(x->app, tasks);
    if (st)
        return st;
    if (n > 1)
        return refuse_candidates(x, word, found, n, err);
    if (!n)
        return KEN_FAIL(err, KEN_ENOTFOUND, "no task has an id that begins with '%.60s'", word);
    ken_uuid_format(found[0].uuid, id);
    *out = ken_arena_dup(&x->arena, ken_str_c(id));
    return KEN_OK;
}

static const struct {
    const char *name;
    action_fn *run;
    bool wants_id; // exactly one word after it
} actions[] = {
    { "new", new_task, false }, { "list", list, false },         { "show", show, true },
    { "set", set, true },       { "delete", delete_task, true },
};

ken_status ken_cli__run_task(cli *x, ken_err *err)
{
    const char *action = x->args.n_words ? x->args.words[0] : "list";
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        if (strcmp(action, actions[i].name) != 0)
            continue;
        if (actions[i].wants_id && x->args.n_words != 2)
            return KEN_FAIL(err, KEN_EINVAL, "say which task: ken task %s ID", action);
        ken_str id = { "", 0 };
        ken_status st = actions[i].wants_id ? find_id(x, x->args.words[1], &id, err) : KEN_OK;
        if (st)
            return st;
        json_t *args = json_object();
        if (actions[i].wants_id)
            ken_json_set_str(args, "task_id", id);
        return actions[i].run(x, args, err);
    }
    return KEN_FAIL(err, KEN_EINVAL,
                    "'ken task' does not take '%.60s': new, list, show, set or delete", action);
}
