// SPDX-License-Identifier: MIT
// ken secrets: where something is masked, and which files were left out because of secrets. Never a
// value, nor a part of one.
#include <inttypes.h>

#include "cli/cli_print_priv.h"
#include "json/json.h"
#include "query/query_secrets.h"

enum {
    PLACES_SHOWN = 1000
};

typedef struct secrets_answer {
    ken_masked masked;
    ken_scan_skip *skips;
    size_t n_skips;
} secrets_answer;

static void set_kinds(json_t *top, const ken_masked *m)
{
    json_t *kinds = json_array();
    for (size_t i = 1; i < KEN_SECRET_COUNT; i++) {
        if (!m->of_kind[i])
            continue;
        json_t *o = json_object();
        ken_json_set_str(o, "kind", ken_str_c(ken_secret_word((ken_secret_kind)i)));
        ken_json_set_str(o, "title", ken_str_c(ken_secret_title((ken_secret_kind)i)));
        ken_json_set_u64(o, "count", m->of_kind[i]);
        ken_json_append(kinds, o);
    }
    ken_json_set(top, "kinds", kinds);
}

static void print_json(const cli_place *place, const secrets_answer *a)
{
    json_t *top = json_object(), *list = json_array(), *skips = json_array();
    ken_cli__json_set_project(top, &place->project);
    ken_json_set_u64(top, "total", a->masked.n_all);
    ken_json_set_u64(top, "files", a->masked.n_files);
    set_kinds(top, &a->masked);
    for (size_t i = 0; i < a->masked.n_places; i++) {
        const ken_masked_place *p = &a->masked.places[i];
        json_t *o = json_object();
        ken_json_set_str(o, "file_path", p->path);
        ken_json_set_u64(o, "line", p->line);
        ken_json_set_str(o, "kind", ken_str_c(ken_secret_word(p->kind)));
        ken_json_append(list, o);
    }
    ken_json_set(top, "masked", list);
    for (size_t i = 0; i < a->n_skips; i++)
        ken_json_append(skips, ken_json_str(a->skips[i].path));
    ken_json_set(top, "files_skipped", skips);
    ken_cli__print_json(top);
}

static void print_text(cli *x, const secrets_answer *a)
{
    for (size_t i = 0; i < a->masked.n_places; i++) {
        const ken_masked_place *p = &a->masked.places[i];
        ken_cli__paint_text(x, KEN_STYLE_PATH, p->path);
        ken_cli__print(":%" PRIu32 "  %s\n", p->line, ken_secret_title(p->kind));
    }
    if (a->masked.n_all)
        ken_cli__print("\n");
    for (size_t i = 1; i < KEN_SECRET_COUNT; i++)
        if (a->masked.of_kind[i])
            ken_cli__print("  %6" PRIu64 "  %s\n", a->masked.of_kind[i],
                           ken_secret_title((ken_secret_kind)i));
    if (!a->masked.n_all)
        ken_cli__note(x, "nothing is masked in the indexed files");
    else if (a->masked.n_all > a->masked.n_places)
        ken_cli__note(x, "the first %zu; -k shows more", a->masked.n_places);
    if (a->n_skips)
        ken_cli__paint(x, KEN_STYLE_BOLD, "%sleft out, because they may hold secrets\n",
                       a->masked.n_all ? "\n" : "");
    for (size_t i = 0; i < a->n_skips; i++) {
        ken_cli__print("  ");
        ken_cli__print_text(a->skips[i].path);
        ken_cli__print("\n");
    }
}

ken_status ken_cli__run_secrets(cli *x, ken_err *err)
{
    cli_place place = { 0 };
    ken_snapshot *s = NULL;
    secrets_answer a = { 0 };
    uint64_t limit = PLACES_SHOWN;
    ken_status st = ken_cli__args_u64(&x->args, "limit", 1, 1000000, PLACES_SHOWN, &limit, err);
    if (!st)
        st = ken_cli__find_place(x, x->args.n_words ? x->args.words[0] : NULL, &place, err);
    if (!st)
        st = ken_cli__open_place(x, &place, !ken_cli__args_has(&x->args, "no-index"), &s, err);
    if (!st)
        st = ken_snapshot_find_masked(s, (size_t)limit, x->cancel, &x->arena, &a.masked, err);
    st = ken_cli__check_answer(s, st, err);
    ken_cli__close_place(x, &place, s);
    if (!st)
        st = ken_app_list_skips(x->app, &place.project, KEN_SKIP_SECRET, (size_t)limit, &x->arena,
                                &a.skips, &a.n_skips, err);
    if (st)
        return st;
    if (x->is_json)
        print_json(&place, &a);
    else
        print_text(x, &a);
    return KEN_OK;
}
