// SPDX-License-Identifier: MIT
// ken arch
#include "cli/cli_print_priv.h"
#include "json/json.h"

static void show_modules(const cli *x, const json_t *list)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    cli_text_table t = ken_cli__table_new(&arena, "MODULE|>FILES|>LINES|>LAYER|>USED BY|CYCLE");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *m = json_array_get(list, i);
        ken_cli__table_add(&t, ken_cli__member(m, "path"));
        static const char *const numbers[] = { "files", "lines", "layer", "used_by" };
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
            ken_cli__table_add(
                &t, ken_cli__format_count(&arena, (uint64_t)ken_cli__number(m, numbers[n])));
        ken_cli__table_add(&t, json_object_get(m, "cycle") ? KEN_STR("yes") : KEN_STR(""));
    }
    if (json_array_size(list)) {
        ken_cli__print("\n");
        ken_cli__table_print(x, &t);
    }
    ken_arena_release(&arena);
}

static void show_places(const cli *x, const json_t *list, const char *head, const char *count,
                        const char *unit)
{
    if (json_array_size(list))
        ken_cli__print_head(x, head);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *p = json_array_get(list, i);
        ken_cli__print("  ");
        ken_cli__paint_text(x, CLI_NAME, ken_cli__member(p, "name"));
        ken_cli__print("  ");
        ken_cli__print_at(x, ken_cli__member(p, "at"));
        if (count)
            ken_cli__paint(x, CLI_DIM, "  %lld %s", ken_cli__number(p, count), unit);
        ken_cli__print("\n");
    }
}

static void show_architecture(const cli *x, const json_t *answer)
{
    ken_cli__print_summary(x, answer);
    show_modules(x, json_object_get(answer, "modules"));
    ken_cli__print_list(x, json_object_get(answer, "dependencies"),
                        "dependencies (files that import)");
    show_places(x, json_object_get(answer, "entry_points"), "entry points", NULL, NULL);
    ken_cli__show_routes(x, json_object_get(answer, "routes"));
    show_places(x, json_object_get(answer, "key_types"), "key types", "used_by", "files");
    show_places(x, json_object_get(answer, "hot_spots"), "hot spots", "commits", "commits");
    ken_cli__print_list(x, json_object_get(answer, "test_folders"), "tests");
    ken_cli__print_list(x, json_object_get(answer, "build"), "build");
    ken_cli__print_list(x, json_object_get(answer, "docs"), "docs");
}

ken_status ken_cli__run_arch(cli *x, ken_err *err)
{
    cli_place place = { 0 };
    ken_status st = ken_cli__find_place(x, x->args.n_words ? x->args.words[0] : NULL, &place, err);
    if (st)
        return st;
    json_t *args = json_object();
    ken_cli__set_arg(x, args, "focus", "focus_area");
    if (place.below.len)
        ken_json_set_str(args, "directory", place.below);
    return ken_cli__answer(x, &place, "get_architecture", args, show_architecture, err);
}
