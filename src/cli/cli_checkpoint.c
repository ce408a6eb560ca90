// SPDX-License-Identifier: MIT
// ken checkpoint: where work stood. Each action is one call of a tool.
#include <string.h>

#include "cli/cli_print_priv.h"
#include "json/json.h"

// What a tool printed for people.
static void show_text(const cli *x, const json_t *answer)
{
    (void)x;
    ken_str text = ken_json_text(answer), line;
    while (ken_str_line_next(&text, &line)) {
        ken_cli__print_text(line);
        ken_cli__print("\n");
    }
}

static void show_saved(const cli *x, const json_t *answer)
{
    ken_cli__print_text(ken_cli__member(answer, "id"));
    ken_cli__print("\n");
    ken_cli__note(x, "%s", json_string_value(json_object_get(answer, "status")));
}

static void show_deleted(const cli *x, const json_t *answer)
{
    ken_cli__note(x, "deleted " KEN_STR_FMT, KEN_STR_ARG(ken_cli__member(answer, "id")));
}

static void show_tags(const cli *x, const json_t *tags)
{
    for (size_t i = 0; i < json_array_size(tags); i++) {
        ken_cli__paint(x, CLI_DIM, "%s", i ? ", " : "  ");
        ken_cli__paint_text(x, CLI_DIM, ken_json_text(json_array_get(tags, i)));
    }
    ken_cli__print("\n");
}

static void show_list(const cli *x, const json_t *answer)
{
    const json_t *list = json_object_get(answer, "checkpoints");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *c = json_array_get(list, i);
        ken_cli__paint_text(x, CLI_NAME, ken_cli__member(c, "id"));
        ken_cli__print("  ");
        ken_cli__paint_text(x, CLI_DIM, ken_str_sub(ken_cli__member(c, "updated_at"), 0, 16));
        ken_cli__print("  ");
        ken_cli__print_text(ken_cli__member(c, "summary"));
        show_tags(x, json_object_get(c, "tags"));
    }
    if (!json_array_size(list))
        ken_cli__note(x, "no checkpoints; to make one: ken checkpoint save SUMMARY");
    if (json_object_get(answer, "next_offset"))
        ken_cli__note(x, "there are more; --offset %lld shows them",
                      ken_cli__number(answer, "next_offset"));
}

// ---- actions -----------------------------------------------------------------------------------

static void set_list(cli *x, json_t *args, const char *option, const char *key)
{
    const char **values = NULL;
    size_t n = ken_cli__args_list(&x->args, option, &x->arena, &values);
    if (!n)
        return;
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        ken_json_append(list, ken_json_str(ken_str_c(values[i])));
    ken_json_set(args, key, list);
}

static ken_status set_context(cli *x, json_t *args, ken_err *err)
{
    const char *text = ken_cli__args_get(&x->args, "context");
    json_t *value = NULL;
    if (!text)
        return KEN_OK;
    ken_status st = ken_json_parse(ken_str_c(text), &value, err);
    if (st)
        return ken_err_wrap(err, "--context");
    ken_json_set(args, "context", value);
    return KEN_OK;
}

// The words after the action are one text.
static void set_words(cli *x, json_t *args, const char *key)
{
    ken_buf text = KEN_BUF_INIT(0);
    for (size_t i = 1; i < x->args.n_words; i++)
        ken_buf_printf(&text, "%s%s", i > 1 ? " " : "", x->args.words[i]);
    if (text.len)
        ken_json_set_str(args, key, ken_buf_str(&text));
    ken_buf_release(&text);
}

static ken_status set_save(cli *x, json_t *args, ken_err *err)
{
    set_words(x, args, "summary");
    ken_cli__set_arg(x, args, "description", "description");
    ken_cli__set_arg(x, args, "update", "checkpoint_id");
    ken_cli__set_arg(x, args, "if-updated-at", "if_updated_at");
    set_list(x, args, "tag", "tags");
    return set_context(x, args, err);
}

static ken_status set_list_of(cli *x, json_t *args, uint64_t max, ken_err *err)
{
    set_list(x, args, "tag", "tags");
    set_list(x, args, "any", "any_tags");
    set_list(x, args, "not", "not_tags");
    if (ken_cli__args_has(&x->args, "files"))
        ken_json_set_bool(args, "include_indexed", true);
    if (ken_cli__args_has(&x->args, "no-files"))
        ken_json_set_bool(args, "include_indexed", false);
    return ken_cli__set_number(x, args, "limit", "limit", 1, max, err);
}

static ken_status set_search(cli *x, json_t *args, ken_err *err)
{
    set_words(x, args, "query");
    return set_list_of(x, args, 50, err);
}

static ken_status set_page(cli *x, json_t *args, ken_err *err)
{
    ken_status st = set_list_of(x, args, 200, err);
    return st ? st : ken_cli__set_number(x, args, "offset", "offset", 0, 100000000, err);
}

static ken_status set_id(cli *x, json_t *args, ken_err *err)
{
    if (x->args.n_words != 2)
        return KEN_FAIL(err, KEN_EINVAL, "say which checkpoint: ken checkpoint %s ID",
                        x->args.words[0]);
    ken_json_set_str(args, "checkpoint_id", ken_str_c(x->args.words[1]));
    return KEN_OK;
}

static ken_status set_show(cli *x, json_t *args, ken_err *err)
{
    ken_status st = set_id(x, args, err);
    if (ken_cli__args_has(&x->args, "resume"))
        ken_json_set_bool(args, "resume", true);
    if (!x->is_json)
        ken_json_set_str(args, "format", KEN_STR("text"));
    return st;
}

static const struct {
    const char *name, *tool;
    ken_status (*set)(cli *x, json_t *args, ken_err *err);
    ken_cli__show_fn *show;
} actions[] = {
    { "save", "checkpoint_save", set_save, show_saved },
    { "search", "checkpoint_search", set_search, show_list },
    { "list", "checkpoint_list", set_page, show_list },
    { "show", "checkpoint_get", set_show, show_text },
    { "delete", "checkpoint_delete", set_id, show_deleted },
};

ken_status ken_cli__run_checkpoint(cli *x, ken_err *err)
{
    const char *action = x->args.n_words ? x->args.words[0] : "list";
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        if (strcmp(action, actions[i].name) != 0)
            continue;
        cli_place place = { 0 };
        json_t *args = json_object();
        ken_status st = actions[i].set(x, args, err);
        if (!st)
            st = ken_cli__find_place(x, NULL, &place, err);
        if (!st)
            return ken_cli__answer(x, &place, actions[i].tool, args, actions[i].show, err);
        json_decref(args);
        return st;
    }
    return KEN_FAIL(err, KEN_EINVAL,
                    "'ken checkpoint' does not take '%.60s': save, search, list, show or delete",
                    action);
}
