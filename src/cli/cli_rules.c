// SPDX-License-Identifier: MIT
// ken rules: what a change must obey. Each action but check is one call of a tool.
#include <string.h>

#include "cli/cli_print_priv.h"
#include "cli/cli_rules_priv.h"
#include "json/json.h"

typedef ken_status action_fn(cli *x, ken_err *err);

// ---- showing -----------------------------------------------------------------------------------

static void print_place(const cli *x, const json_t *o)
{
    ken_cli__paint_text(x, CLI_PATH, ken_cli__member(o, "filePath"));
    ken_cli__print(":");
    ken_cli__paint(x, CLI_LINE, "%lld", ken_cli__number(o, "startLine"));
}

static void show_rules(const cli *x, const json_t *list, const char *head)
{
    if (json_array_size(list))
        ken_cli__print_head(x, head);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *r = json_array_get(list, i);
        ken_str heading = ken_cli__member(r, "heading"), content = ken_cli__member(r, "content"),
                line;
        ken_cli__print("  ");
        print_place(x, r);
        if (heading.len) {
            ken_cli__print("  ");
            ken_cli__paint_text(x, CLI_DIM, heading);
        }
        ken_cli__print("\n");
        while (ken_str_line_next(&content, &line)) {
            ken_cli__print("    ");
            ken_cli__print_text(line);
            ken_cli__print("\n");
        }
    }
}

static void show_examples(const cli *x, const json_t *list)
{
    if (json_array_size(list))
        ken_cli__print_head(x, "examples");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *e = json_array_get(list, i);
        ken_cli__print("  ");
        print_place(x, e);
        ken_cli__print("  ");
        ken_cli__paint_text(x, CLI_NAME, ken_cli__member(e, "symbol"));
        ken_cli__print("\n");
    }
}

static void show_advice(const cli *x, const json_t *answer)
{
    ken_cli__print_summary(x, answer);
    ken_cli__print_list(x, json_object_get(answer, "problems"), "documents that cannot be read");
    show_rules(x, json_object_get(answer, "constraints"), "constraints");
    show_rules(x, json_object_get(answer, "patterns"), "patterns");
    show_examples(x, json_object_get(answer, "examples"));
}

static void show_files(const cli *x, const json_t *list, const char *head)
{
    if (json_array_size(list))
        ken_cli__print_head(x, head);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *f = json_array_get(list, i), *imports = json_object_get(f, "imports");
        ken_cli__print("  ");
        ken_cli__paint_text(x, CLI_PATH, ken_cli__member(f, "filePath"));
        for (size_t k = 0; k < json_array_size(imports); k++) {
            ken_cli__print("  ");
            ken_cli__paint_text(x, CLI_DIM, ken_json_text(json_array_get(imports, k)));
        }
        ken_cli__print("\n");
    }
}

static void show_impact(const cli *x, const json_t *answer)
{
    ken_cli__print_summary(x, answer);
    ken_cli__print_list(x, json_object_get(answer, "exports"), "exports");
    ken_cli__print_list(x, json_object_get(answer, "apiEndpoints"), "API endpoints");
    ken_cli__print_list(x, json_object_get(answer, "websocketEvents"), "WebSocket events");
    show_files(x, json_object_get(answer, "dependents"), "dependents");
    show_files(x, json_object_get(answer, "similarFiles"), "similar files");
}

static void show_run(const cli *x, const json_t *answer)
{
    const json_t *errors = json_object_get(answer, "errors"),
                 *stats = json_object_get(answer, "collectionStats");
    ken_cli__print_text(ken_cli__member(answer, "message"));
    ken_cli__print("\n%lld of the code, %lld constraints, %lld patterns\n",
                   ken_cli__number(stats, "codebase"), ken_cli__number(stats, "constraints"),
                   ken_cli__number(stats, "patterns"));
    for (size_t i = 0; i < json_array_size(errors); i++)
        ken_cli__note(x, KEN_STR_FMT,
                      KEN_STR_ARG(ken_cli__member(json_array_get(errors, i), "error")));
}

static void show_health(const cli *x, const json_t *answer)
{
    bool is_healthy = json_is_true(json_object_get(answer, "healthy"));
    ken_cli__paint(x, CLI_BOLD, "%s", is_healthy ? "healthy" : "not healthy");
    ken_cli__print("\ntest query " KEN_STR_FMT "\n",
                   KEN_STR_ARG(ken_cli__member(answer, "queryTest")));
    ken_cli__print_list(x, json_object_get(answer, "issues"), "issues");
    ken_cli__print_list(x, json_object_get(answer, "warnings"), "warnings");
}

static void show_status(const cli *x, const json_t *answer)
{
    const json_t *counts = json_object_get(answer, "collectionCounts");
    ken_str when = ken_cli__member(answer, "lastIndexed");
    ken_cli__paint_text(x, CLI_PATH, ken_cli__member(answer, "projectRoot"));
    ken_cli__print("\n%s\n", json_is_true(json_object_get(answer, "initialized"))
                                 ? "set up"
                                 : "not set up: rag_setup makes .rag");
    if (when.len)
        ken_cli__print("indexed " KEN_STR_FMT "\n", KEN_STR_ARG(when));
    ken_cli__print("%lld chunks of code, %lld constraints, %lld patterns\n",
                   ken_cli__number(counts, "codebase"), ken_cli__number(counts, "constraints"),
                   ken_cli__number(counts, "patterns"));
}

// ---- asking ------------------------------------------------------------------------------------

static ken_str words_of(cli *x)
{
    ken_buf text = KEN_BUF_INIT(64 << 10);
    for (size_t i = 1; i < x->args.n_words; i++) {
        ken_buf_puts(&text, i > 1 ? " " : "");
        ken_buf_puts(&text, x->args.words[i]);
    }
    ken_str out = ken_arena_dup(&x->arena, ken_buf_str(&text));
    ken_buf_release(&text);
    return out;
}

static ken_status ask_for(cli *x, ken_err *err)
{
    cli_place place = { 0 };
    json_t *args = json_object();
    ken_json_set_str(args, "change_description", words_of(x));
    ken_status st = ken_cli__set_number(x, args, "limit", "num_results", 1, 20, err);
    if (!st)
        st = ken_cli__find_place(x, NULL, &place, err);
    if (st) {
        json_decref(args);
        return st;
    }
    return ken_cli__answer(x, &place, "rag_check_constraints", args, show_advice, err);
}

static ken_status ask_impact(cli *x, ken_err *err)
{
    cli_place place = { 0 };
    json_t *args = json_object();
    ken_status st = ken_cli__set_number(x, args, "limit", "num_similar", 1, 20, err);
    if (!st && x->args.n_words != 2)
        st = KEN_FAIL(err, KEN_EINVAL, "say which file: ken rules impact FILE");
    if (!st)
        st = ken_cli__find_file(x, x->args.words[1], &place, err);
    if (st) {
        json_decref(args);
        return st;
    }
    // A path that leads to no file of the project is refused by its name.
    ken_json_set_str(args, "file_path",
                     place.below.len ? place.below : ken_str_c(x->args.words[1]));
    return ken_cli__answer(x, &place, "rag_query_impact", args, show_impact, err);
}

// About the project as a whole.
static ken_status ask_project(cli *x, const char *tool, ken_cli__show_fn *show, ken_err *err)
{
    cli_place place = { 0 };
    ken_status st = ken_cli__find_place(x, NULL, &place, err);
    return st ? st : ken_cli__answer(x, &place, tool, json_object(), show, err);
}

static ken_status index_rules(cli *x, ken_err *err)
{
    return ask_project(x, "rag_index", show_run, err);
}

static ken_status ask_health(cli *x, ken_err *err)
{
    return ask_project(x, "rag_health_check", show_health, err);
}

static ken_status ask_status(cli *x, ken_err *err)
{
    return ask_project(x, "rag_status", show_status, err);
}

static const struct {
    const char *name;
    action_fn *run;
    size_t max_words; // its own name is one
} actions[] = {
    { "for", ask_for, SIZE_MAX },
    { "check", ken_cli__check_rules, 3 }, // a revision may be one
    { "impact", ask_impact, 2 },
    { "index", index_rules, 1 },
    { "health", ask_health, 1 },
    { "status", ask_status, 1 },
    { "setup", ken_cli__set_up_rules, 2 },
};

static ken_status run_action(cli *x, size_t i, ken_err *err)
{
    if (x->args.n_words > actions[i].max_words)
        return ken_cli__refuse_rules_word(x, x->args.words[actions[i].max_words], err);
    return actions[i].run(x, err);
}

ken_status ken_cli__refuse_rules_word(cli *x, const char *word, ken_err *err)
{
    x->is_usage_error = true;
    return KEN_FAIL(err, KEN_EINVAL, "'ken rules %s' does not take '%.60s' as well",
                    x->args.words[0], word);
}

ken_status ken_cli__run_rules(cli *x, ken_err *err)
{
    const char *action = x->args.words[0];
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (!strcmp(action, actions[i].name))
            return run_action(x, i, err);
    x->is_usage_error = true;
    return KEN_FAIL(
        err, KEN_EINVAL,
        "'ken rules' does not take '%.60s': for, check, impact, index, setup, health or status",
        action);
}
