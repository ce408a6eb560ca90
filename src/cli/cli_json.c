// SPDX-License-Identifier: MIT
// --json: what a command prints is what the tool of the same meaning returns.
#include "base/path.h"
#include "cli/cli_print_priv.h"
#include "json/json.h"
#include "tool/tool.h"

static void show_progress(void *ctx, const ken_tool_progress *p)
{
    ken_cli__progress_show_part(ctx, p->message, p->total > 0 ? p->done / p->total : 0);
}

ken_status ken_cli__call_tool(cli *x, const char *tool, const ken_project_info *project,
                              json_t *args, json_t **out, ken_err *err)
{
    char id[KEN_UUID_TEXT] = "";
    cli_progress progress;
    ken_tool_ctx ctx = {
        .cancel = x->cancel,
        .on_progress = show_progress,
        .progress_ctx = &progress,
        .max_bytes = SIZE_MAX,
    };
    if (project) {
        ken_uuid_format(project->id, id);
        ctx.project = ken_str_c(id);
    }
    ken_status st = ken_path_real(&x->arena, KEN_STR("."), &ctx.cwd, err);
    if (!st) {
        ken_cli__progress_init(&progress, x);
        st = ken_tool_call(x->app, tool, args, &ctx, out, err);
        ken_cli__progress_end(&progress);
    }
    json_decref(args);
    const char *lacks = st ? NULL : json_string_value(json_object_get(*out, "incomplete"));
    if (lacks)
        ken_cli__warn("the answer may be incomplete: %s", lacks);
    return st;
}

ken_status ken_cli__print_tool(cli *x, const char *tool, const ken_project_info *project,
                               json_t *args, ken_err *err)
{
    json_t *result = NULL;
    ken_status st = ken_cli__call_tool(x, tool, project, args, &result, err);
    if (!st)
        ken_cli__print_json(result);
    return st;
}
