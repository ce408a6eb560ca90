// SPDX-License-Identifier: MIT
// ken restore
#include <inttypes.h>

#include "cli/cli_print_priv.h"
#include "json/json.h"

static void print_json(const ken_restore_report *r, bool is_dry_run)
{
    json_t *o = json_object();
    ken_json_set_bool(o, "dry_run", is_dry_run);
    ken_json_set_bool(o, "sound", r->found == KEN_OK);
    ken_json_set(o, "wrong", r->found ? ken_json_str(r->wrong) : NULL);
    ken_json_set_bool(o, "rebuilt", r->was_rebuilt);
    ken_json_set_u64(o, "records", r->n_records);
    ken_json_set_u64(o, "damaged_records", r->n_damaged);
    ken_json_set_bool(o, "cut_off", r->is_cut_off);
    ken_json_set_u64(o, "put_in", r->n_applied);
    ken_json_set_u64(o, "projects", r->n_projects);
    ken_json_set_u64(o, "tasks", r->n_tasks);
    ken_json_set_u64(o, "indexes", r->n_indexes);
    ken_json_set(o, "kept", r->kept.len ? ken_json_str(r->kept) : NULL);
    ken_cli__print_json(o);
}

static void print_text(const ken_restore_report *r, const char *from, bool is_dry_run)
{
    if (!r->found)
        ken_cli__print("projects.db is sound\n");
    else
        ken_cli__print(KEN_STR_FMT "\n", KEN_STR_ARG(r->wrong));
    ken_cli__print("%s has %" PRIu64 " records", from ? from : "its journal", r->n_records);
    if (r->n_damaged)
        ken_cli__print(", and %" PRIu64 " damaged ones, which are passed over", r->n_damaged);
    if (r->is_cut_off)
        ken_cli__print("; its last one is cut off");
    ken_cli__print("\n");
    if (is_dry_run && from) {
        ken_cli__print("to make a new projects.db of it: ken restore --from '%s'\n", from);
        return;
    }
    if (is_dry_run) {
        ken_cli__print(r->found ? "to make a new projects.db of it: ken restore\n"
                                : "nothing was changed\n");
        return;
    }
    if (r->was_rebuilt)
        ken_cli__print("made a new projects.db of it: %" PRIu64 " projects, %" PRIu64 " tasks\n",
                       r->n_projects, r->n_tasks);
    else if (r->n_applied)
        ken_cli__print("put in %" PRIu64 " changes that were not in projects.db\n", r->n_applied);
    else
        ken_cli__print("nothing to restore\n");
    if (r->n_indexes)
        ken_cli__print("made %" PRIu64 " damaged journals of indexes anew\n", r->n_indexes);
    if (r->kept.len)
        ken_cli__print("the old file is kept as " KEN_STR_FMT "\n", KEN_STR_ARG(r->kept));
}

static ken_status run_restore(cli *x, ken_err *err)
{
    ken_restore_report report = { 0 };
    const char *from = ken_cli__args_get(&x->args, "from");
    const ken_restore_opts opts = { .from = from ? ken_str_c(from) : KEN_STR(""),
                                    .is_dry_run = ken_cli__args_has(&x->args, "dry-run") };
    ken_status st = ken_app_restore(x->app, &opts, &x->arena, &report, err);
    if (st)
        return st;
    if (x->is_json)
        print_json(&report, opts.is_dry_run);
    else
        print_text(&report, from, opts.is_dry_run);
    return KEN_OK;
}

static const cli_opt restore_opts[] = {
    { "from", 0, CLI_VALUE, "FILE", "a journal instead of the one beside projects.db", NULL },
    { "dry-run", 0, CLI_FLAG, NULL, "say what would be done, change nothing", NULL },
};

const cli_command ken_cli__restore_command = {
    "restore",
    "",
    "make projects, tasks and settings whole again from their journal",
    "Each change of a task, project, value, model or access token is also a line of\n"
    "projects.db.writes. A damaged projects.db is moved away and made anew of it; a sound one gets\n"
    "what it lacks. Checkpoints of an index come back by themselves with 'ken index --force'.",
    OPTS(restore_opts),
    0,
    0,
    true,
    false,
    run_restore,
    NULL,
    0,
    NULL
};
