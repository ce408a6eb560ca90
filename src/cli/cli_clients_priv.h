// SPDX-License-Identifier: MIT
// cli_clients_priv.h -- MCP clients: where each keeps its servers, and in which form. A client is one row.
#ifndef KEN_CLI_CLI_CLIENTS_PRIV_H
#define KEN_CLI_CLI_CLIENTS_PRIV_H

#include <jansson.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

typedef enum cli_form {
    CLI_FORM_PLAIN = 1, // {"command", "args", "env"}
    CLI_FORM_TYPED,     // {"type": "stdio", …}
    CLI_FORM_LOCAL,     // {"type": "local", "tools": ["*"], …}
    CLI_FORM_ONE_LIST,  // {"type": "local", "command": [words], "environment"}
    CLI_FORM_TOML,      // [<key>.<name>]
} cli_form;

// Columns: id, what people call it, the user's file, the file of a project ("" = it has none), the member of that file
// that holds the servers, form. "~/" is the home folder, "^/" the folder of settings ($XDG_CONFIG_HOME, ~/.config).
// A client is here when the folder of its user's file is.
#define CLI_CLIENTS(X)                                                                             \
    X("claude-code", "Claude Code", "~/.claude.json", ".mcp.json", "mcpServers", TYPED)            \
    X("claude-desktop", "Claude Desktop", "^/Claude/claude_desktop_config.json", "", "mcpServers", \
      PLAIN)                                                                                       \
    X("codex", "Codex", "~/.codex/config.toml", ".codex/config.toml", "mcp_servers", TOML)         \
    X("copilot", "Copilot CLI", "~/.copilot/mcp-config.json", "", "mcpServers", LOCAL)             \
    X("cursor", "Cursor", "~/.cursor/mcp.json", ".cursor/mcp.json", "mcpServers", PLAIN)           \
    X("gemini", "Gemini CLI", "~/.gemini/settings.json", ".gemini/settings.json", "mcpServers",    \
      PLAIN)                                                                                       \
    X("opencode", "opencode", "^/opencode/opencode.json", "opencode.json", "mcp", ONE_LIST)        \
    X("vscode", "VS Code", "^/Code/User/mcp.json", ".vscode/mcp.json", "servers", TYPED)           \
    X("windsurf", "Windsurf", "~/.codeium/windsurf/mcp_config.json", "", "mcpServers", PLAIN)      \
    X("zed", "Zed", "^/zed/settings.json", ".zed/settings.json", "context_servers", PLAIN)

#define CLI_CLIENT_IDS_ROW(id, title, user, project, key, form) "|" id
// "claude-code|…"
#define CLI_CLIENT_IDS (&(CLI_CLIENTS(CLI_CLIENT_IDS_ROW))[1])

typedef struct cli_client {
    const char *id, *title, *user, *project, *key;
    cli_form form;
} cli_client;

// What a client is told of ken.
typedef struct cli_entry {
    const char *name;       // "ken"
    const char *command;    // the program
    const char *const *env; // "NAME=value"
    size_t n_env;
} cli_entry;

const cli_client *ken_cli__client_at(size_t i); // NULL after the last
// The user's file, absolute; KEN_ENOTFOUND without a home folder.
ken_status ken_cli__client_path(const cli_client *c, ken_arena *a, ken_str *out, ken_err *err)
    KEN_MUST_USE;
bool ken_cli__client_is_here(const cli_client *c, ken_arena *a);

// What is put into the client's file, alone: a whole file with nothing else in it.
void ken_cli__client_show(const cli_client *c, const cli_entry *e, ken_buf *out);
// The file's text with the entry (`is_removal`: without it). `*out_had`: there was one of that name. Errors
// name what is wrong in the text.
ken_status ken_cli__client_edit(const cli_client *c, const cli_entry *e, bool is_removal,
                                ken_str text, ken_buf *out, bool *out_had, ken_err *err)
    KEN_MUST_USE;

// [<key>.<name>] of a TOML file: cli_clients_toml.c.
void ken_cli__toml_show(const cli_client *c, const cli_entry *e, ken_buf *out);
ken_status ken_cli__toml_edit(const cli_client *c, const cli_entry *e, bool is_removal,
                              ken_str text, ken_buf *out, bool *out_had, ken_err *err) KEN_MUST_USE;

#endif
