// SPDX-License-Identifier: MIT
// ken explain
#include "cli/cli_print_priv.h"
#include "json/json.h"

static void show_notes(const cli *x, const json_t *list, const char *head)
{
    if (json_array_size(list))
        ken_cli__print_head(x, head);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *n = json_array_get(list, i);
        ken_str at = ken_cli__member(n, "at"), role = ken_cli__member(n, "role");
        ken_cli__print("  ");
        ken_cli__paint_text(x, CLI_NAME, ken_cli__member(n, "name"));
        ken_cli__print(at.len ? "  " : "");
        ken_cli__print_at(x, at);
        if (role.len)
            ken_cli__paint(x, CLI_DIM, "  " KEN_STR_FMT, KEN_STR_ARG(role));
        ken_cli__print_class(x, n);
        ken_cli__print("\n");
    }
}

static void show_explanation(const cli *x, const json_t *answer)
{
    const json_t *symbol = json_object_get(answer, "symbol");
    if (json_is_object(symbol))
        ken_cli__show_definition(x, symbol);
    ken_cli__print_summary(x, answer);
    ken_str doc = ken_cli__member(answer, "doc"), line;
    while (ken_str_line_next(&doc, &line)) {
        ken_cli__paint_text(x, CLI_DIM, line);
        ken_cli__print("\n");
    }
    ken_cli__print_numbered(x, ken_cli__member(answer, "code"),
                            ken_cli__number(answer, "start_line"));
    show_notes(x, json_object_get(answer, "callers"), "callers");
    show_notes(x, json_object_get(answer, "callees"), "callees");
    show_notes(x, json_object_get(answer, "types"), "types");
    show_notes(x, json_object_get(answer, "tests"), "tests");
}

// "src/a.c:10-20", "src/a.c:10".
static ken_status parse_range(ken_str word, ken_str *path, uint64_t *first, uint64_t *last,
                              ken_err *err)
{
    size_t colon = ken_str_rfind_char(word, ':');
    ken_str lines = colon == SIZE_MAX ? KEN_STR("") : ken_str_sub(word, colon + 1, word.len);
    size_t dash = ken_str_find_char(lines, '-');
    *path = ken_str_sub(word, 0, colon);
    bool is_range = ken_str_parse_u64(ken_str_sub(lines, 0, dash), first);
    *last = *first;
    if (is_range && dash != SIZE_MAX)
        is_range = ken_str_parse_u64(ken_str_sub(lines, dash + 1, lines.len), last);
    if (is_range && path->len && *first >= 1 && *last >= *first)
        return KEN_OK;
    return KEN_FAIL(err, KEN_EINVAL, "'%.200s' is not FILE:LINE or FILE:FIRST-LAST", word.ptr);
}

ken_status ken_cli__run_explain(cli *x, ken_err *err)
{
    cli_place place = { 0 };
    ken_str path;
    uint64_t first = 0, last = 0;
    ken_status st = parse_range(ken_str_c(x->args.words[0]), &path, &first, &last, err);
    if (st) {
        x->is_usage_error = true;
        return st;
    }
    st = ken_cli__find_file(x, ken_arena_dup(&x->arena, path).ptr, &place, err);
    if (st)
        return st;
    if (!place.below.len)
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "'" KEN_STR_FMT "' is outside of the project, whose root is '" KEN_STR_FMT
                        "'",
                        KEN_STR_ARG(path), KEN_STR_ARG(place.project.root));
    json_t *args = json_object();
    ken_json_set_str(args, "file_path", place.below);
    ken_json_set_u64(args, "line_start", first);
    ken_json_set_u64(args, "line_end", last);
    return ken_cli__answer(x, &place, "explain_code", args, show_explanation, err);
}
