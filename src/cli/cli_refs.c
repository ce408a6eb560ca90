// SPDX-License-Identifier: MIT
// ken refs
#include "cli/cli_print_priv.h"
#include "json/json.h"

enum {
    LINE_COLUMNS = 160
};

static long long count_lines(ken_str text)
{
    ken_str line;
    long long n = 0;
    while (ken_str_line_next(&text, &line))
        n++;
    return n;
}

static void show_usage(const cli *x, const json_t *u, const char *group, const ken_str *name)
{
    long long line = ken_cli__number(u, "line");
    ken_str before = ken_cli__member(u, "before"), in = ken_cli__member(u, "in");
    ken_cli__print_numbered(x, before, line - count_lines(before));
    ken_cli__print("  ");
    ken_cli__paint(x, CLI_LINE, "%5lld", line);
    ken_cli__print("  ");
    ken_cli__print_line(x, ken_cli__member(u, "text"), name, name->len ? 1 : 0, LINE_COLUMNS);
    ken_cli__paint(x, CLI_DIM, "  %.*s", (int)strlen(group) - 1, group);
    if (in.len) {
        ken_cli__paint(x, CLI_DIM, " in ");
        ken_cli__paint_text(x, CLI_DIM, in);
    }
    ken_cli__print_class(x, u);
    ken_cli__print("\n");
    ken_cli__print_numbered(x, ken_cli__member(u, "after"), line + 1);
}

static void show_file(const cli *x, const json_t *file, const ken_str *name)
{
    ken_cli__print("\n");
    ken_cli__paint_text(x, CLI_PATH, ken_cli__member(file, "file_path"));
    if (json_is_true(json_object_get(file, "is_test")))
        ken_cli__paint(x, CLI_DIM, "  test");
    if (json_is_true(json_object_get(file, "is_generated")))
        ken_cli__paint(x, CLI_DIM, "  generated");
    ken_cli__print("\n");
    json_t *members = (json_t *)(uintptr_t)file; // iterating does not change it
    for (void *it = json_object_iter(members); it; it = json_object_iter_next(members, it)) {
        const json_t *list = json_object_iter_value(it);
        for (size_t i = 0; i < json_array_size(list); i++)
            show_usage(x, json_array_get(list, i), json_object_iter_key(it), name);
    }
}

static void show_refs(const cli *x, const json_t *answer)
{
    const json_t *defs = json_object_get(answer, "definitions"),
                 *files = json_object_get(answer, "files"),
                 *unresolved = json_object_get(json_object_get(answer, "unresolved"), "places");
    ken_str name = ken_cli__member(json_array_get(defs, 0), "name");
    if (!name.len) // nothing defines it
        name = ken_str_c(x->args.words[0]);
    size_t dot = ken_str_rfind_char(name, '.');
    if (dot != SIZE_MAX)
        name = ken_str_sub(name, dot + 1, name.len);
    for (size_t i = 0; i < json_array_size(defs); i++)
        ken_cli__show_definition(x, json_array_get(defs, i));
    ken_cli__print_summary(x, answer);
    for (size_t i = 0; i < json_array_size(files); i++)
        show_file(x, json_array_get(files, i), &name);
    if (json_array_size(unresolved))
        ken_cli__print_head(x, "could not be resolved:");
    for (size_t i = 0; i < json_array_size(unresolved); i++) {
        const json_t *p = json_array_get(unresolved, i);
        ken_cli__print("  ");
        ken_cli__print_at(x, ken_cli__member(p, "at"));
        ken_cli__print("  ");
        ken_cli__print_line(x, ken_cli__member(p, "text"), &name, 1, LINE_COLUMNS);
        ken_cli__print("\n");
    }
}

ken_status ken_cli__run_refs(cli *x, ken_err *err)
{
    cli_place place = { 0 };
    json_t *args = json_object();
    ken_json_set_str(args, "symbol_name", ken_str_c(x->args.words[0]));
    ken_cli__set_arg(x, args, "role", "role");
    if (ken_cli__args_has(&x->args, "tests"))
        ken_json_set_bool(args, "tests_only", true);
    ken_status st = ken_cli__set_number(x, args, "limit", "limit", 1, 1000, err);
    if (!st)
        st = ken_cli__set_number(x, args, "offset", "offset", 0, 1000000, err);
    if (!st)
        st = ken_cli__set_number(x, args, "context", "context_lines", 0, 20, err);
    if (!st)
        st = ken_cli__find_place(x, x->args.n_words > 1 ? x->args.words[1] : NULL, &place, err);
    if (st) {
        json_decref(args);
        return st;
    }
    if (place.below.len)
        ken_json_set_str(args, "file_hint", place.below);
    ken_cli__set_arg(x, args, "file", "file_hint");
    return ken_cli__answer(x, &place, "find_usages", args, show_refs, err);
}
