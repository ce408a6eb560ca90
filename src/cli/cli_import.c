// SPDX-License-Identifier: MIT
// ken import
#include <inttypes.h>

#include "app/bundles.h"
#include "cli/cli_bundle_priv.h"
#include "cli/cli_print_priv.h"
#include "json/json.h"

static void print_json(const ken_app_import_report *r, const ken_bundle_info *info)
{
    json_t *o = json_object();
    ken_cli__json_set_project(o, &r->project);
    ken_json_set_u64(o, "generation", r->copied.generation);
    ken_json_set_u64(o, "files", r->copied.n_files);
    ken_json_set_u64(o, "symbols", r->copied.n_symbols);
    ken_json_set_u64(o, "contents_added", r->copied.n_added);
    ken_json_set_u64(o, "contents_shared", r->copied.n_shared);
    ken_json_set_u64(o, "checkpoints_added", r->n_checkpoints);
    ken_json_set_real(o, "duration_seconds", (double)(r->unpack_ms + r->copy_ms) / 1000);
    ken_json_set(o, "bundle", ken_cli__bundle_json(info));
    ken_cli__print_json(o);
}

static void print_text(cli *x, const ken_app_import_report *r, const ken_bundle_info *info)
{
    ken_cli__paint_text(x, KEN_STYLE_NAME, r->project.name);
    ken_cli__print("  ");
    ken_cli__paint_text(x, KEN_STYLE_PATH, r->project.root);
    ken_cli__print("\n  " KEN_STR_FMT ", " KEN_STR_FMT,
                   KEN_STR_ARG(ken_figure_n(&x->arena, r->copied.n_files, "file")),
                   KEN_STR_ARG(ken_figure_n(&x->arena, r->copied.n_symbols, "symbol")));
    if (r->n_checkpoints)
        ken_cli__print(", " KEN_STR_FMT,
                       KEN_STR_ARG(ken_figure_n(&x->arena, r->n_checkpoints, "checkpoint")));
    if (info->commit.len)
        ken_cli__print(" of commit " KEN_STR_FMT, KEN_STR_ARG(ken_str_sub(info->commit, 0, 12)));
    ken_cli__print(" in " KEN_STR_FMT "\n",
                   KEN_STR_ARG(ken_figure_duration(&x->arena, r->unpack_ms + r->copy_ms)));
    ken_cli__print("  what differs here is read by the next question, or by: ken index\n");
    if (info->n_checkpoints && !r->n_checkpoints && !ken_cli__args_has(&x->args, "with-notes"))
        ken_cli__note(x, "the bundle has %" PRIu64 " checkpoints, which --with-notes takes in",
                      info->n_checkpoints);
}

static ken_status import_bundle(cli *x, ken_app_bundle *bundle, ken_err *err)
{
    cli_place place;
    cli_progress progress;
    ken_app_import_report report;
    const char *name = ken_cli__args_get(&x->args, "name");
    ken_status st =
        ken_cli__find_place(x, x->args.n_words > 1 ? x->args.words[1] : NULL, &place, err);
    if (!st)
        st = ken_app_enter_sandbox(x->app, &place.project, true, err);
    if (st)
        return st;
    ken_cli__progress_init(&progress, x);
    const ken_app_import_opts opts = { .replaces = ken_cli__args_has(&x->args, "force"),
                                       .is_any_commit = ken_cli__args_has(&x->args, "any-commit"),
                                       .with_notes = ken_cli__args_has(&x->args, "with-notes"),
                                       .on_progress = ken_cli__progress_show,
                                       .progress_ctx = &progress };
    st = ken_app_import(x->app, place.project.root, name ? ken_str_c(name) : KEN_STR(""), bundle,
                        &opts, x->cancel, &x->arena, &report, err);
    ken_cli__progress_end(&progress);
    if (st)
        return st;
    const ken_bundle_info *info = ken_app_bundle_info(bundle);
    if (x->is_json)
        print_json(&report, info);
    else
        print_text(x, &report, info);
    return KEN_OK;
}

static ken_status run_import(cli *x, ken_err *err)
{
    ken_app_bundle *bundle = NULL;
    ken_status st = ken_app_open_bundle(x->app, ken_str_c(x->args.words[0]), NULL, NULL, x->cancel,
                                        &bundle, err);
    if (!st)
        st = import_bundle(x, bundle, err);
    ken_app_close_bundle(bundle);
    return st;
}

static const cli_opt import_opts[] = {
    { "force", 'f', CLI_FLAG, NULL, "replace the index that the project has", NULL },
    { "any-commit", 0, CLI_FLAG, NULL, "even if the repository does not have its commit", NULL },
    { "with-notes", 0, CLI_FLAG, NULL, "take in its checkpoints, too", NULL },
    { "name", 0, CLI_VALUE, "NAME", "name of the project (default: the folder's)", NULL },
};

const cli_command ken_cli__import_command = {
    "import",
    "FILE|URL [PATH]",
    "take in an index that another machine has exported",
    "PATH is a clone of the repository (default: the one around the working directory), at any\n"
    "commit. A bundle that does not fit is refused, and nothing is changed. Checkpoints and tasks\n"
    "of one's own stay. From then on only what differs is parsed. A URL is fetched by https; a\n"
    "token for its host may stand in KEN_GIT_TOKEN_<HOST>.",
    OPTS(import_opts),
    1,
    2,
    true,
    false,
    run_import,
    NULL,
    0,
    NULL
};
