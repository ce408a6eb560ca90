// SPDX-License-Identifier: MIT
// ken migrate
#include <inttypes.h>

#include "app/migrate.h"
#include "cli/cli_print_priv.h"
#include "json/json.h"

enum {
    DIGITS_SHOWN = 12
};

static json_t *sum_json(const ken_move_sum *sum)
{
    char hex[2 * sizeof sum->hash + 1];
    json_t *o = json_object();
    ken_hex_into(sum->hash.bytes, sizeof sum->hash.bytes, hex);
    ken_json_set_u64(o, "count", sum->n);
    ken_json_set_u64(o, "bytes", sum->n_bytes);
    ken_json_set_str(o, "sha256", ken_str_c(hex));
    return o;
}

static json_t *indexes_json(const ken_migrate_report *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->n_indexes; i++) {
        const ken_migrate_index *x = &r->indexes[i];
        json_t *o = json_object();
        ken_json_set_str(o, "project", x->project);
        ken_json_set_str(o, "index", x->name);
        ken_json_set_u64(o, "bytes", x->n_bytes);
        ken_json_set_u64(o, "trees", x->n_trees);
        ken_json_set_u64(o, "files", x->n_files);
        ken_json_set_bool(o, "was_there", x->is_kept);
        json_array_append_new(list, o);
    }
    return list;
}

static void print_json(const ken_migrate_report *r, bool is_dry_run)
{
    json_t *o = json_object(), *parts = json_object();
    ken_json_set_bool(o, "dry_run", is_dry_run);
    ken_json_set_str(o, "from", r->from);
    ken_json_set_str(o, "to", r->to);
    ken_json_set_bool(o, "went_on", r->goes_on);
    ken_json_set_bool(o, "was_whole", r->was_whole);
    for (int i = 0; i < KEN_MOVE_PART_COUNT; i++) {
        json_t *part = json_object();
        ken_json_set(part, "source", sum_json(&r->source.parts[i]));
        ken_json_set(part, "target", is_dry_run ? NULL : sum_json(&r->target.parts[i]));
        ken_json_set(parts, ken_move_word((ken_move_part)i), part);
    }
    ken_json_set(o, "parts", parts);
    ken_json_set(o, "indexes", indexes_json(r));
    ken_cli__print_json(o);
}

static void print_parts(cli *x, const ken_move_sums *sums)
{
    for (int i = 0; i < KEN_MOVE_PART_COUNT; i++) {
        const ken_move_sum *s = &sums->parts[i];
        char hex[2 * sizeof s->hash + 1];
        if (!s->n)
            continue;
        ken_hex_into(s->hash.bytes, sizeof s->hash.bytes, hex);
        ken_cli__print("  %10" PRIu64 "  %-20s %10s  %.*s\n", s->n,
                       ken_move_word_of((ken_move_part)i, s->n),
                       ken_figure_size(&x->arena, s->n_bytes).ptr, DIGITS_SHOWN, hex);
    }
}

static void print_text(cli *x, const ken_migrate_report *r, bool is_dry_run)
{
    ken_cli__print("from " KEN_STR_FMT "\nto   " KEN_STR_FMT "\n", KEN_STR_ARG(r->from),
                   KEN_STR_ARG(r->to));
    for (size_t i = 0; i < r->n_indexes; i++) {
        const ken_migrate_index *p = &r->indexes[i];
        ken_cli__print("  index of " KEN_STR_FMT ": " KEN_STR_FMT ", " KEN_STR_FMT "%s\n",
                       KEN_STR_ARG(p->project), KEN_STR_ARG(ken_figure_size(&x->arena, p->n_bytes)),
                       KEN_STR_ARG(ken_figure_n(&x->arena, p->n_files, "file")),
                       p->is_kept ? ", was there" : "");
    }
    print_parts(x, &r->source);
    if (is_dry_run) {
        ken_cli__print("%s; nothing was changed\n",
                       r->was_whole ? "it was moved before"
                       : r->goes_on ? "what is whole there would not be moved again"
                                    : "all of it would be moved");
        return;
    }
    ken_cli__print("both sides hold the same%s\n", r->was_whole ? ", as before" : "");
    ken_cli__note(x, "the source was not changed; what is used from now on is what the settings "
                     "name (database.url)");
}

static ken_status run_migrate(cli *x, ken_err *err)
{
    ken_migrate_report report;
    cli_progress progress;
    const char *from = ken_cli__args_get(&x->args, "from"), *to = ken_cli__args_get(&x->args, "to");
    if (!from && !to) {
        x->is_usage_error = true;
        return KEN_FAIL(err, KEN_EINVAL, "say --to PLACE or --from PLACE: 'files', or a URL");
    }
    ken_cli__progress_init(&progress, x);
    const ken_migrate_opts opts = { .from = ken_str_c(from ? from : ""),
                                    .to = ken_str_c(to ? to : ""),
                                    .is_dry_run = ken_cli__args_has(&x->args, "dry-run"),
                                    .on_progress = ken_cli__progress_show,
                                    .progress_ctx = &progress };
    ken_status st = ken_app_migrate(x->app, &opts, x->cancel, &x->arena, &report, err);
    ken_cli__progress_end(&progress);
    if (st)
        return st;
    if (x->is_json)
        print_json(&report, opts.is_dry_run);
    else
        print_text(x, &report, opts.is_dry_run);
    return KEN_OK;
}

static const cli_opt migrate_opts[] = {
    { "to", 0, CLI_VALUE, "PLACE", "where it goes; default: what the settings name", NULL },
    { "from", 0, CLI_VALUE, "PLACE", "where it is; default: what the settings name", NULL },
    { "dry-run", 0, CLI_FLAG, NULL, "say what would be moved, change nothing", NULL },
};

const cli_command ken_cli__migrate_command = {
    "migrate",
    "",
    "move everything between files and a PostgreSQL database",
    "PLACE is 'files', those of the data folder, or postgres://USER@HOST/NAME. Projects, settings,\n"
    "models, access tokens, tasks, jobs, checkpoints, rules and indexes are copied, and both sides\n"
    "compared. The source is only read. After an interruption the same command goes on where it\n"
    "was; until all is there, the target is refused for everything else. A password on the command\n"
    "line is seen by others: set DATABASE_URL and say --from files instead, or use ~/.pgpass.",
    OPTS(migrate_opts),
    0,
    0,
    true,
    false,
    run_migrate,
    NULL,
    0,
    NULL
};
