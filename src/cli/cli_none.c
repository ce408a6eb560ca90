// SPDX-License-Identifier: MIT
// The twin of cli_json.c and cli_mcp.c for a build without tools.
#include "cli/cli_print_priv.h"

ken_status ken_cli__print_tool(cli *x, const char *tool, const ken_project_info *project,
                               json_t *args, ken_err *err)
{
    (void)x;
    (void)project;
    json_decref(args);
    return KEN_FAIL(err, KEN_EUNSUPPORTED, "this build has no tools, so no JSON of '%s'", tool);
}

ken_status ken_cli__run_mcp(cli *x, ken_err *err)
{
    (void)x;
    return KEN_FAIL(err, KEN_EUNSUPPORTED, "this build has no MCP server");
}
