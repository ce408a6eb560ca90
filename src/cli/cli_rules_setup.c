// SPDX-License-Identifier: MIT
// ken rules setup: what the code does by habit, written down; and what became of each file.
#include "cli/cli_print_priv.h"
#include "cli/cli_rules_priv.h"
#include "json/json.h"

static void show_diff(const cli *x, ken_str diff)
{
    ken_str line;
    while (ken_str_line_next(&diff, &line)) {
        char first = line.len ? line.ptr[0] : ' ';
        ken_cli__print("    ");
        ken_cli__paint_text(x, first == '+' ? CLI_NAME : first == '-' ? CLI_BAD : CLI_DIM, line);
        ken_cli__print("\n");
    }
}

static void show_side(const cli *x, const json_t *answer, const char *key, const char *head)
{
    ken_str path = ken_cli__member(answer, key);
    ken_cli__print("%s ", head);
    if (path.len)
        ken_cli__paint_text(x, CLI_PATH, path);
    else
        ken_cli__print("none found");
    ken_cli__print("\n");
}

static void show_setup(const cli *x, const json_t *answer)
{
    const json_t *files = json_object_get(answer, "files");
    show_side(x, answer, "frontendDetected", "front end");
    show_side(x, answer, "backendDetected", "back end ");
    ken_cli__print("%lld rules have enough evidence\n\n", ken_cli__number(answer, "rulesFound"));
    for (size_t i = 0; i < json_array_size(files); i++) {
        const json_t *f = json_array_get(files, i);
        ken_str note = ken_cli__member(f, "note");
        ken_cli__print(KEN_STR_FMT " ", KEN_STR_ARG(ken_cli__member(f, "action")));
        ken_cli__paint_text(x, CLI_PATH, ken_cli__member(f, "path"));
        if (note.len) {
            ken_cli__print(": ");
            ken_cli__paint_text(x, CLI_DIM, note);
        }
        ken_cli__print("\n");
        show_diff(x, ken_cli__member(f, "diff"));
    }
}

static void set_option(const cli *x, json_t *args, const char *option, const char *key)
{
    const char *value = ken_cli__args_get(&x->args, option);
    if (value)
        ken_json_set_str(args, key, ken_str_c(value));
}

ken_status ken_cli__set_up_rules(cli *x, ken_err *err)
{
    cli_place place = { 0 };
    json_t *answer = NULL;
    const char *path = x->args.n_words > 1 ? x->args.words[1] : NULL;
    ken_status st = ken_cli__find_place(x, path, &place, err);
    if (st)
        return st;
    json_t *args = json_object();
    ken_json_set_str(args, "project_root", place.project.root);
    set_option(x, args, "frontend", "frontend_path");
    set_option(x, args, "backend", "backend_path");
    ken_json_set_bool(args, "force", ken_cli__args_has(&x->args, "force"));
    st = ken_cli__call_tool(x, "rag_setup", NULL, args, &answer, err);
    if (st)
        return st;
    if (x->is_json) {
        ken_cli__print_json(answer);
        return KEN_OK;
    }
    show_setup(x, answer);
    json_decref(answer);
    return KEN_OK;
}
