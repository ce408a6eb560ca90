// SPDX-License-Identifier: MIT
// ken context
#include "cli/cli_print_priv.h"
#include "json/json.h"

static void show_context(const cli *x, const json_t *answer)
{
    ken_str text = ken_cli__member(answer, "context"), line;
    while (ken_str_line_next(&text, &line)) {
        ken_cli__print_text(line);
        ken_cli__print("\n");
    }
    ken_cli__note(x, "%lld of %lld tokens in %zu parts", ken_cli__number(answer, "tokens"),
                  ken_cli__number(answer, "max_tokens"),
                  json_array_size(json_object_get(answer, "parts")));
    if (json_object_get(answer, "left_out"))
        ken_cli__note(x, "no room for %lld more; --max-tokens makes some",
                      ken_cli__number(answer, "left_out"));
    if (x->is_verbose)
        ken_cli__note(x, "seen: " KEN_STR_FMT, KEN_STR_ARG(ken_cli__member(answer, "seen")));
}

ken_status ken_cli__run_context(cli *x, ken_err *err)
{
    cli_place place = { 0 };
    json_t *args = json_object();
    ken_json_set_str(args, "query", ken_str_c(x->args.words[0]));
    ken_cli__set_arg(x, args, "seen", "seen");
    ken_status st = ken_cli__set_number(x, args, "max-tokens", "max_tokens", 200, 50000, err);
    if (!st)
        st = ken_cli__find_place(x, x->args.n_words > 1 ? x->args.words[1] : NULL, &place, err);
    if (st) {
        json_decref(args);
        return st;
    }
    if (place.below.len)
        ken_json_set_str(args, "directory", place.below);
    return ken_cli__answer(x, &place, "build_context", args, show_context, err);
}
