// SPDX-License-Identifier: MIT
// ken mcp
#include <signal.h>

#include "app/catalog.h"
#include "base/path.h"
#include "cli/cli_print_priv.h"
#include "mcp/mcp.h"
#include "mcp/mcp_roster.h"
#include "obs/log.h"
#include "proc/proc.h"

// The project that is named, as an id; a folder that is not known yet is registered, and indexed
// with the first request to it. Nothing is named: the client says which.
static ken_status find_bound(cli *x, ken_str *out, ken_err *err)
{
    cli_place place;
    const char *path = x->args.n_words ? x->args.words[0] : NULL;
    if (!path && !ken_cli__args_get(&x->args, "project"))
        return KEN_OK;
    ken_status st = ken_cli__find_place(x, path, &place, err);
    if (!st && !place.is_known)
        st = ken_app_add_project(x->app, place.project.root, KEN_STR(""), &x->arena, &place.project,
                                 err);
    if (st)
        return st;
    char *id = ken_arena_alloc(&x->arena, KEN_UUID_TEXT);
    ken_uuid_format(place.project.id, id);
    *out = ken_str_c(id);
    return KEN_OK;
}

// Some clients start servers elsewhere and name the folder they work in.
static ken_str client_folder(ken_arena *arena)
{
    const char *named = ken_proc_env("CLAUDE_PROJECT_DIR");
    ken_str folder = { "", 0 };
    if ((!named || ken_path_real(arena, ken_str_c(named), &folder, NULL)) &&
        ken_path_real(arena, KEN_STR("."), &folder, NULL))
        return KEN_STR("");
    return folder;
}

// `bound`: the id of the one project, empty = any.
static ken_status enter_sandbox(cli *x, ken_str bound, ken_err *err)
{
    ken_project_info only;
    if (!bound.len)
        return ken_app_enter_sandbox(x->app, NULL, false, err);
    ken_status st = ken_app_find_project(x->app, bound, KEN_STR(""), &x->arena, &only, err);
    return st ? st : ken_app_enter_sandbox(x->app, &only, false, err);
}

typedef struct tools_off {
    ken_arena *arena;
    ken_str *lines;
} tools_off;

static ken_status load_off(ken_catalog *c, void *ctx, ken_err *err)
{
    const tools_off *t = ctx;
    return ken_catalog_load_value(c, KEN_STR(KEN_MCP_TOOLS_OFF), t->arena, t->lines, err);
}

// The tools that were switched off on a page are not offered here either; NULL when there are none. Who lists tools
// before a list of projects can be read is offered all.
static ken_mcp_roster *make_roster(cli *x)
{
    ken_str lines = KEN_STR("");
    ken_err why = { 0 };
    ken_status st =
        ken_app_with_catalog(x->app, false, load_off, &(tools_off){ &x->arena, &lines }, &why);
    if (st && st != KEN_ENOTFOUND)
        KEN_LOG_WARNING("mcp", "which tools are switched off cannot be read: %s", why.msg);
    if (!lines.len)
        return NULL;
    ken_mcp_roster *r = ken_mcp_roster_new(NULL, NULL);
    ken_mcp_roster_set_off(r, lines);
    return r;
}

static ken_status run_mcp(cli *x, ken_err *err)
{
    ken_mcp_opts opts = { .version = KEN_VERSION };
    ken_status st = find_bound(x, &opts.project, err);
    if (!st)
        opts.cwd = client_folder(&x->arena);
    if (!st)
        st = enter_sandbox(x, opts.project, err);
    if (st)
        return st;
    ken_app_log_notes(x->app);
    ken_app_serve(x->app);
    ken_app_start_telemetry(x->app, KEN_VERSION);
    // The server takes signals itself; until it does they end a process that has nothing to lose.
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    opts.transport = "stdio";
    opts.roster = make_roster(x);
    x->exit_code = ken_mcp_stdio_run(x->app, &opts);
    ken_mcp_roster_free(opts.roster);
    ken_app_stop_telemetry();
    return KEN_OK;
}

static const cli_opt mcp_opts[] = {
    { "toolsets", 0, CLI_LIST, "SET", "sets of tools to offer; may be repeated", NULL },
    { "read-only", 0, CLI_FLAG, NULL, "offer only tools that change nothing", NULL },
    { "format", 0, CLI_VALUE, "FORM", "of answers, when a call does not say it: text or json",
      "text|json" },
    { "watch", 0, CLI_FLAG, NULL, "bring indexes up to date when a file is saved, too", NULL },
};

const cli_command ken_cli__mcp_command = {
    "mcp",
    "[PATH]",
    "serve the Model Context Protocol on stdin and stdout",
    "Bound to the project of PATH or --project; without them the client names one.",
    OPTS(mcp_opts),
    0,
    1,
    true,
    false,
    run_mcp,
    NULL,
    0,
    NULL
};
