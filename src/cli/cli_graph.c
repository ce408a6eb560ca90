// SPDX-License-Identifier: MIT
// What the commands share that show answers of the graph.
#include "cli/cli_print_priv.h"
#include "json/json.h"

enum {
    LINE_COLUMNS = 160
};

ken_status ken_cli__answer(cli *x, cli_place *place, const char *tool, json_t *args,
                           ken_cli__show_fn *show, ken_err *err)
{
    ken_snapshot *s = NULL;
    json_t *answer = NULL;
    ken_status st =
        ken_cli__open_place(x, place, !ken_cli__args_has(&x->args, "no-index"), &s, err);
    ken_cli__close_place(x, place, s);
    if (st) {
        json_decref(args);
        return st;
    }
    st = ken_cli__call_tool(x, tool, &place->project, args, &answer, err);
    if (st)
        return st;
    if (x->is_json) {
        ken_cli__print_json(answer);
        return KEN_OK;
    }
    show(x, answer);
    ken_cli__note_tail(x, answer);
    json_decref(answer);
    return KEN_OK;
}

ken_str ken_cli__member(const json_t *o, const char *key)
{
    return ken_json_text(json_object_get(o, key));
}

long long ken_cli__number(const json_t *o, const char *key)
{
    return (long long)json_integer_value(json_object_get(o, key));
}

void ken_cli__print_at(const cli *x, ken_str at)
{
    size_t colon = ken_str_rfind_char(at, ':');
    ken_cli__paint_text(x, CLI_PATH, ken_str_sub(at, 0, colon));
    if (colon == SIZE_MAX)
        return;
    ken_cli__print(":");
    ken_cli__paint_text(x, CLI_LINE, ken_str_sub(at, colon + 1, at.len));
}

void ken_cli__print_class(const cli *x, const json_t *edge)
{
    ken_str class = ken_cli__member(edge, "resolution"), why = ken_cli__member(edge, "evidence");
    if (class.len)
        ken_cli__paint(x, CLI_DIM, "  [" KEN_STR_FMT "%s" KEN_STR_FMT "]", KEN_STR_ARG(class),
                       why.len ? ": " : "", KEN_STR_ARG(why));
}

void ken_cli__print_summary(const cli *x, const json_t *answer)
{
    ken_cli__paint_text(x, CLI_BOLD, ken_cli__member(answer, "summary"));
    ken_cli__print("\n");
}

void ken_cli__note_tail(const cli *x, const json_t *answer)
{
    const json_t *others = json_object_get(answer, "other_definitions");
    for (size_t i = 0; i < json_array_size(others); i++) {
        const json_t *o = json_array_get(others, i);
        ken_str name = ken_cli__member(o, "name"), at = ken_cli__member(o, "at");
        ken_cli__note(x, "not meant: " KEN_STR_FMT " at " KEN_STR_FMT "; --file chooses",
                      KEN_STR_ARG(name), KEN_STR_ARG(at));
    }
    if (json_is_true(json_object_get(answer, "truncated")))
        ken_cli__note(x, "there is more; -k shows more, --json says what was left out");
}

void ken_cli__set_arg(const cli *x, json_t *args, const char *option, const char *key)
{
    const char *value = ken_cli__args_get(&x->args, option);
    if (value)
        ken_json_set_str(args, key, ken_str_c(value));
}

ken_status ken_cli__set_number(const cli *x, json_t *args, const char *option, const char *key,
                               uint64_t min, uint64_t max, ken_err *err)
{
    uint64_t n = 0;
    if (!ken_cli__args_has(&x->args, option))
        return KEN_OK;
    ken_status st = ken_cli__args_u64(&x->args, option, min, max, 0, &n, err);
    if (!st)
        ken_json_set_u64(args, key, n);
    return st;
}

void ken_cli__print_head(const cli *x, const char *text)
{
    ken_cli__print("\n");
    ken_cli__paint(x, CLI_BOLD, "%s", text);
    ken_cli__print("\n");
}

void ken_cli__print_list(const cli *x, const json_t *texts, const char *head)
{
    if (json_array_size(texts))
        ken_cli__print_head(x, head);
    for (size_t i = 0; i < json_array_size(texts); i++) {
        ken_cli__print("  ");
        ken_cli__print_text(ken_json_text(json_array_get(texts, i)));
        ken_cli__print("\n");
    }
}

void ken_cli__show_definition(const cli *x, const json_t *d)
{
    ken_cli__paint_text(x, CLI_PATH, ken_cli__member(d, "file_path"));
    ken_cli__print(":");
    ken_cli__paint(x, CLI_LINE, "%lld-%lld", ken_cli__number(d, "start_line"),
                   ken_cli__number(d, "end_line"));
    ken_cli__print("  " KEN_STR_FMT " ", KEN_STR_ARG(ken_cli__member(d, "kind")));
    ken_cli__paint_text(x, CLI_NAME, ken_cli__member(d, "name"));
    if (json_is_true(json_object_get(d, "is_generated")))
        ken_cli__paint(x, CLI_DIM, "  generated");
    ken_cli__print("\n");
}

void ken_cli__print_numbered(const cli *x, ken_str text, long long first)
{
    ken_str line;
    while (ken_str_line_next(&text, &line)) {
        ken_cli__paint(x, CLI_DIM, "  %5lld  ", first++);
        ken_cli__print_line(x, line, NULL, 0, LINE_COLUMNS);
        ken_cli__print("\n");
    }
}

void ken_cli__show_routes(const cli *x, const json_t *list)
{
    if (json_array_size(list))
        ken_cli__print_head(x, "routes and events");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *r = json_array_get(list, i);
        ken_str method = ken_cli__member(r, "method");
        ken_cli__print("  ");
        ken_cli__print_text(method.len ? method : ken_cli__member(r, "event"));
        ken_cli__print(" ");
        ken_cli__paint_text(x, CLI_NAME, ken_cli__member(r, "path"));
        ken_cli__print("  ");
        ken_cli__print_at(x, ken_cli__member(r, "at"));
        ken_cli__print("\n");
    }
}
