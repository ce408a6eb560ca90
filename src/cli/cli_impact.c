// SPDX-License-Identifier: MIT
// ken impact
#include <inttypes.h>

#include "base/fs.h"
#include "cli/cli_print_priv.h"
#include "json/json.h"

// " line 12, broken (uses what is removed)"
static void show_use(const json_t *d)
{
    ken_str uses = ken_cli__member(d, "uses");
    if (json_object_get(d, "line"))
        ken_cli__print(" line %lld", ken_cli__number(d, "line"));
    if (json_is_true(json_object_get(d, "broken")))
        ken_cli__print(" BROKEN");
    if (uses.len)
        ken_cli__print(" (uses what %s" KEN_STR_FMT ")",
                       ken_str_eq(uses, KEN_STR("signature")) ? "has another " : "is ",
                       KEN_STR_ARG(uses));
}

// Of a diff: what became of each definition.
static void show_changed(const cli *x, const json_t *list)
{
    bool has_head = false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *c = json_array_get(list, i);
        ken_str change = ken_cli__member(c, "change"), was = ken_cli__member(c, "was");
        if (!change.len)
            continue;
        if (!has_head)
            ken_cli__print_head(x, "changed definitions");
        has_head = true;
        ken_cli__print("  " KEN_STR_FMT "  ", KEN_STR_ARG(change));
        ken_cli__paint_text(x, CLI_NAME, ken_cli__member(c, "name"));
        if (was.len) {
            ken_cli__print(" (was ");
            ken_cli__print_text(was);
            ken_cli__print(")");
        }
        ken_cli__print("  ");
        ken_cli__print_at(x, ken_cli__member(c, "at"));
        if (json_object_get(c, "used_at"))
            ken_cli__print("  used at %lld place%s outside of the diff, %lld broken",
                           ken_cli__number(c, "used_at"),
                           ken_cli__number(c, "used_at") == 1 ? "" : "s",
                           ken_cli__number(c, "broken_at"));
        ken_cli__print("\n");
    }
}

static void show_dependents(const cli *x, const json_t *list, const char *head)
{
    if (json_array_size(list))
        ken_cli__print_head(x, head);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *d = json_array_get(list, i);
        ken_str name = ken_cli__member(d, "name");
        ken_cli__print("  ");
        ken_cli__paint(x, CLI_LINE, "%lld", ken_cli__number(d, "distance"));
        ken_cli__print("  ");
        ken_cli__paint_text(x, CLI_NAME, name.len ? name : KEN_STR("(top of the file)"));
        ken_cli__print("  ");
        ken_cli__print_at(x, ken_cli__member(d, "at"));
        show_use(d);
        ken_cli__print_class(x, d);
        ken_cli__print("\n");
    }
}

static void show_paths(const cli *x, const json_t *list, const char *head)
{
    if (json_array_size(list))
        ken_cli__print_head(x, head);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *p = json_array_get(list, i);
        ken_cli__print("  ");
        ken_cli__paint_text(x, CLI_PATH,
                            json_is_string(p) ? ken_json_text(p) : ken_cli__member(p, "file_path"));
        ken_cli__print("\n");
    }
}

static void show_impact(const cli *x, const json_t *answer)
{
    const json_t *reasons = json_object_get(json_object_get(answer, "risk"), "reasons");
    ken_cli__print_summary(x, answer);
    for (size_t i = 0; i < json_array_size(reasons); i++) {
        ken_cli__print("  - ");
        ken_cli__print_text(ken_json_text(json_array_get(reasons, i)));
        ken_cli__print("\n");
    }
    show_changed(x, json_object_get(answer, "changed"));
    show_paths(x, json_object_get(answer, "not_compared"), "not compared with the base");
    show_dependents(x, json_object_get(answer, "dependents"), "dependents");
    show_dependents(x, json_object_get(answer, "tests"), "tests that reach it");
    show_dependents(x, json_object_get(answer, "maybe"),
                    "maybe: they say the name, and it is not known what is meant");
    ken_cli__show_routes(x, json_object_get(answer, "routes"));
    show_paths(x, json_object_get(answer, "change_together"), "changed in the same commits");
    show_paths(x, json_object_get(answer, "similar"), "similar files");
}

// What FILE|SYMBOL names: a file that is there or looks like one, else a symbol.
static ken_status find_target(cli *x, const char *word, cli_place *place, json_t *args,
                              ken_err *err)
{
    ken_str all = ken_str_c(word), path = all;
    uint64_t line = 0;
    size_t colon = ken_str_rfind_char(all, ':');
    if (colon != SIZE_MAX && ken_str_parse_u64(ken_str_sub(all, colon + 1, all.len), &line))
        path = ken_str_sub(all, 0, colon);
    const char *file = ken_arena_dup(&x->arena, path).ptr;
    bool is_file = line || ken_fs_exists(file) || ken_str_find_char(path, '/') != SIZE_MAX;
    ken_status st = is_file ? ken_cli__find_file(x, file, place, err)
                            : ken_cli__find_place(x, NULL, place, err);
    if (st)
        return st;
    if (!is_file)
        ken_json_set_str(args, "symbol", all);
    else if (line)
        ken_json_set_str(
            args, "file_path",
            ken_arena_printf(&x->arena, KEN_STR_FMT ":%" PRIu64, KEN_STR_ARG(place->below), line));
    else
        ken_json_set_str(args, "file_path", place->below);
    return KEN_OK;
}

static ken_status impact_args(cli *x, cli_place *place, json_t *args, ken_err *err)
{
    bool has_diff = ken_cli__args_has(&x->args, "diff"), has_word = x->args.n_words > 0;
    const char *rev = ken_cli__args_get(&x->args, "diff");
    if (has_diff && !rev && has_word) { // `--diff REV`, as well as `--diff=REV`
        rev = x->args.words[0];
        has_word = false;
    }
    if (has_diff == has_word) {
        x->is_usage_error = true;
        return KEN_FAIL(err, KEN_EINVAL, "say FILE, SYMBOL or --diff, one of them");
    }
    ken_cli__set_arg(x, args, "file", "file_hint");
    ken_status st = ken_cli__set_number(x, args, "depth", "max_depth", 1, 5, err);
    if (!st)
        st = ken_cli__set_number(x, args, "limit", "limit", 1, 200, err);
    if (st)
        return st;
    if (!has_diff)
        return find_target(x, x->args.words[0], place, args, err);
    ken_json_set_str(args, "diff", ken_str_c(rev ? rev : "uncommitted"));
    return ken_cli__find_place(x, NULL, place, err);
}

ken_status ken_cli__run_impact(cli *x, ken_err *err)
{
    cli_place place = { 0 };
    json_t *args = json_object();
    ken_status st = impact_args(x, &place, args, err);
    if (st) {
        json_decref(args);
        return st;
    }
    return ken_cli__answer(x, &place, "query_impact", args, show_impact, err);
}
