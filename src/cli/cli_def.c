// SPDX-License-Identifier: MIT
// ken def
#include <inttypes.h>

#include "base/utf8.h"
#include "cli/cli_print_priv.h"
#include "json/json.h"

enum {
    BODY_LINES = 12,
    DEFS_SHOWN = 10,
};

static void print_definition(cli *x, const ken_definition *d)
{
    ken_cli__paint_text(x, CLI_PATH, d->path);
    ken_cli__print(":");
    ken_cli__paint(x, CLI_LINE, "%" PRIu32 "-%" PRIu32, d->first_line + 1, d->last_line + 1);
    ken_cli__print("  %s ", ken_symbol_kind_word(d->kind));
    ken_cli__paint_text(x, CLI_NAME, d->qualified);
    if (d->visibility)
        ken_cli__paint(x, CLI_DIM, "  %s", ken_visibility_word(d->visibility));
    ken_cli__print("\n");
    ken_str text = d->content, line;
    uint32_t n_lines = d->last_line - d->first_line + 1;
    for (uint32_t n = 0; ken_str_line_next(&text, &line); n++) {
        // One line more costs as much as saying that there is one more.
        if (n == BODY_LINES && n_lines > BODY_LINES + 1 && !x->is_verbose) {
            ken_cli__paint(x, CLI_DIM, "         and %" PRIu32 " more lines; -v shows all\n",
                           n_lines - n);
            break;
        }
        ken_cli__print("  ");
        ken_cli__paint(x, CLI_LINE, "%5" PRIu32, d->first_line + n + 1);
        ken_cli__print("  ");
        ken_cli__print_line(x, line, &d->name, 1, 160);
        ken_cli__print("\n");
    }
}

static ken_status def_json(cli *x, cli_place *place, ken_str name, ken_str hint, uint64_t limit,
                           ken_err *err)
{
    ken_snapshot *s = NULL; // opening indexes first what never was
    ken_status st =
        ken_cli__open_place(x, place, !ken_cli__args_has(&x->args, "no-index"), &s, err);
    ken_cli__close_place(x, place, s);
    if (st)
        return st;
    json_t *args = json_object();
    ken_json_set_str(args, "symbol_name", name);
    ken_json_set_u64(args, "limit", limit);
    if (hint.len)
        ken_json_set_str(args, "file_hint", hint);
    return ken_cli__print_tool(x, "get_definition", &place->project, args, err);
}

// One question, of one generation.
static ken_status find(cli *x, cli_place *place, ken_str name, ken_str hint, uint64_t limit,
                       ken_definition_result *out, ken_err *err)
{
    ken_snapshot *s = NULL;
    ken_status st =
        ken_cli__open_place(x, place, !ken_cli__args_has(&x->args, "no-index"), &s, err);
    if (!st)
        st = ken_find_definition(s, name, hint, (size_t)limit, &x->arena, out, err);
    st = ken_cli__check_answer(s, st, err);
    ken_cli__close_place(x, place, s);
    return st;
}

static ken_status def_text(cli *x, cli_place *place, ken_str name, ken_str hint, uint64_t limit,
                           ken_err *err)
{
    ken_definition_result r = { 0 };
    ken_status st = find(x, place, name, hint, limit, &r, err);
    if (st)
        return st;
    if (!r.n_defs)
        return KEN_FAIL(err, KEN_ENOTFOUND, "no definition of '" KEN_STR_FMT "'" KEN_STR_FMT,
                        KEN_STR_ARG(ken_utf8_clip(name, 100)),
                        KEN_STR_ARG(ken_definition_near(&r, &x->arena)));
    for (size_t i = 0; i < r.n_defs; i++) {
        ken_cli__print(i ? "\n" : "");
        print_definition(x, &r.defs[i]);
    }
    if (r.missed_scope.len)
        ken_cli__note(x, "nothing of that name is in '" KEN_STR_FMT "'; this has the name alone",
                      KEN_STR_ARG(ken_utf8_clip(r.missed_scope, 60)));
    if (r.n_total > r.n_defs)
        ken_cli__note(x, "%zu of %zu definitions; -k shows more", r.n_defs, r.n_total);
    return KEN_OK;
}

ken_status ken_cli__run_def(cli *x, ken_err *err)
{
    cli_place place = { 0 };
    uint64_t limit = DEFS_SHOWN;
    ken_str name = ken_str_c(x->args.words[0]);
    const char *file = ken_cli__args_get(&x->args, "file");
    ken_status st = ken_cli__args_u64(&x->args, "limit", 1, 20, DEFS_SHOWN, &limit, err);
    if (!st)
        st = ken_cli__find_place(x, x->args.n_words > 1 ? x->args.words[1] : NULL, &place, err);
    ken_str hint = file ? ken_str_c(file) : place.below;
    if (!st && !x->is_json)
        st = def_text(x, &place, name, hint, limit, err);
    if (!st && x->is_json)
        st = def_json(x, &place, name, hint, limit, err);
    return st;
}
