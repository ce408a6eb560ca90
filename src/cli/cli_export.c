// SPDX-License-Identifier: MIT
// ken export
#include <inttypes.h>

#include "app/bundles.h"
#include "cli/cli_bundle_priv.h"
#include "cli/cli_print_priv.h"
#include "json/json.h"

json_t *ken_cli__bundle_json(const ken_bundle_info *i)
{
    json_t *o = json_object();
    ken_json_set_str(o, "kind", i->kind);
    ken_json_set_str(o, "ken", i->program);
    ken_json_set_u64(o, "schema", i->schema);
    ken_json_set_u64(o, "feature", i->feature);
    ken_json_set_str(o, "project", i->project);
    ken_json_set(o, "commit", i->commit.len ? ken_json_str(i->commit) : NULL);
    ken_json_set(o, "branch", i->branch.len ? ken_json_str(i->branch) : NULL);
    ken_json_set(o, "remote", i->remote.len ? ken_json_str(i->remote) : NULL);
    ken_json_set_str(o, "model", i->model);
    ken_json_set_time(o, "made_at", i->made_at_ms);
    ken_json_set_u64(o, "files", i->n_files);
    ken_json_set_u64(o, "chunks", i->n_chunks);
    ken_json_set_u64(o, "symbols", i->n_symbols);
    ken_json_set_u64(o, "checkpoints", i->n_checkpoints);
    return o;
}

static void print_report(cli *x, const char *path, const ken_app_export_report *r)
{
    if (x->is_json) {
        json_t *o = json_object();
        ken_json_set_str(o, "file", ken_str_c(path));
        ken_json_set_u64(o, "bytes", r->n_bytes);
        ken_json_set_u64(o, "index_bytes", r->n_index_bytes);
        ken_json_set(o, "bundle", ken_cli__bundle_json(&r->info));
        ken_cli__print_json(o);
        return;
    }
    ken_cli__paint_text(x, KEN_STYLE_PATH, ken_str_c(path));
    ken_cli__print("  " KEN_STR_FMT ", of an index of " KEN_STR_FMT "\n",
                   KEN_STR_ARG(ken_figure_size(&x->arena, r->n_bytes)),
                   KEN_STR_ARG(ken_figure_size(&x->arena, r->n_index_bytes)));
    ken_cli__print("  " KEN_STR_FMT ", " KEN_STR_FMT,
                   KEN_STR_ARG(ken_figure_n(&x->arena, r->info.n_files, "file")),
                   KEN_STR_ARG(ken_figure_n(&x->arena, r->info.n_symbols, "symbol")));
    if (r->info.n_checkpoints)
        ken_cli__print(", " KEN_STR_FMT,
                       KEN_STR_ARG(ken_figure_n(&x->arena, r->info.n_checkpoints, "checkpoint")));
    if (r->info.commit.len)
        ken_cli__print(" of commit " KEN_STR_FMT, KEN_STR_ARG(ken_str_sub(r->info.commit, 0, 12)));
    ken_cli__print("\n  on another machine, in a clone: ken import FILE\n");
}

static ken_status run_export(cli *x, ken_err *err)
{
    cli_place place;
    cli_progress progress;
    ken_app_export_report report;
    ken_status st = ken_cli__find_place(x, NULL, &place, err);
    if (!st && !place.is_known)
        st = KEN_FAIL(err, KEN_ENOTFOUND, "'" KEN_STR_FMT "' is not indexed yet; run: ken index",
                      KEN_STR_ARG(place.project.root));
    if (st)
        return st;
    ken_cli__progress_init(&progress, x);
    const ken_app_export_opts opts = { .path = ken_str_c(x->args.words[0]),
                                       .program = ken_str_c(KEN_VERSION),
                                       .with_notes = ken_cli__args_has(&x->args, "with-notes"),
                                       .on_progress = ken_cli__progress_show,
                                       .progress_ctx = &progress };
    st = ken_app_export(x->app, &place.project, &opts, x->cancel, &x->arena, &report, err);
    ken_cli__progress_end(&progress);
    if (!st)
        print_report(x, x->args.words[0], &report);
    return st;
}

static const cli_opt export_opts[] = {
    { "with-notes", 0, CLI_FLAG, NULL, "checkpoints too, which are personal", NULL },
};

const cli_command ken_cli__export_command = {
    "export",
    "FILE",
    "pack the index of a project into a file for other machines",
    "What was learnt of the files goes in, at the commit that was indexed: no source, no absolute\n"
    "path, and no checkpoint unless it is asked for. 'ken import' takes it in, in any clone that has\n"
    "that commit. 'head -2 FILE' shows what it is.",
    OPTS(export_opts),
    1,
    1,
    true,
    false,
    run_export,
    NULL,
    0,
    NULL
};
