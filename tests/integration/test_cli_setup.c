// SPDX-License-Identifier: MIT
// ken setup: what it writes into the settings files of MCP clients, and what it leaves alone.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "json/json.h"
#include "ktest.h"
#include "proc/proc.h"

enum {
    WORDS_MAX = 24
};

typedef struct run {
    int code;
    char out[32 * 1024], err[8 * 1024];
} run;

static const char *const *sandbox_env(void)
{
    static char home[600], data[600];
    static const char *env[] = { home, data, "XDG_CONFIG_HOME", "KEN_DATA_DIR", "TERM=dumb", NULL };
    snprintf(home, sizeof home, "HOME=%s/home", ktest_dir());
    snprintf(data, sizeof data, "XDG_DATA_HOME=%s/data", ktest_dir());
    return env;
}

static void copy_text(char *to, size_t max, const ken_buf *from)
{
    snprintf(to, max, "%.*s", (int)from->len, from->len ? from->ptr : "");
}

static run *ken(const char *line)
{
    static run r;
    static char words[4096];
    const char *argv[WORDS_MAX] = { KEN_BINARY };
    size_t n = 1;
    ken_err err = { 0 };
    ken_proc_result result;
    snprintf(words, sizeof words, "%s", line);
    for (char *w = strtok(words, " "); w && n < WORDS_MAX - 1; w = strtok(NULL, " "))
        argv[n++] = w;
    ken_proc_opts opts = { .argv = argv, .cwd = ktest_dir(), .env = ktest_env(sandbox_env()) };
    kt_ok_err(ken_proc_run(&opts, &result, &err), &err);
    r.code = result.exit_code;
    copy_text(r.out, sizeof r.out, &result.out);
    copy_text(r.err, sizeof r.err, &result.errors);
    ken_proc_result_release(&result);
    return &r;
}

static const char *ken_ok(const char *line)
{
    run *r = ken(line);
    if (r->code)
        kt_fail("ken %s: exit code %d\n%s%s", line, r->code, r->out, r->err);
    return r->out;
}

static void ken_fails(const char *line, int code, const char *part)
{
    run *r = ken(line);
    if (r->code != code)
        kt_fail("ken %s: exit code %d, not %d\n%s%s", line, r->code, code, r->out, r->err);
    kt_has_str(r->err, part);
}

static const char *text_of(const char *path)
{
    static char text[32 * 1024];
    ken_buf b = KEN_BUF_INIT(sizeof text - 1);
    ken_err err = { 0 };
    kt_ok_err(ken_fs_read_own(ktest_path(path), sizeof text - 1, &b, &err), &err);
    copy_text(text, sizeof text, &b);
    ken_buf_release(&b);
    return text;
}

// The member a.b.c of the JSON in the file.
static json_t *member(const char *path, const char *names)
{
    json_t *top = NULL;
    ken_err err = { 0 };
    kt_ok_err(ken_json_parse(ken_str_c(text_of(path)), &top, &err), &err);
    json_t *at = top;
    ken_str rest = ken_str_c(names), name;
    while (at && ken_str_split_next(&rest, '.', &name))
        at = json_object_getn(at, name.ptr, name.len);
    json_t *copy = json_deep_copy(at);
    json_decref(top);
    if (!copy)
        kt_fail("%s has no %s:\n%s", path, names, text_of(path));
    return copy;
}

static void has_words(const char *path, const char *names, const char *wanted)
{
    json_t *value = member(path, names);
    ken_buf b = KEN_BUF_INIT(0);
    ken_json_dump(value, &b);
    kt_has_str(b.ptr, wanted);
    ken_buf_release(&b);
    json_decref(value);
}

// Each client's own file has the entry in the form that the client reads.
KEN_TEST(every_client_gets_its_own_form)
{
    ken_ok("setup claude-code");
    has_words("home/.claude.json", "mcpServers.ken", "\"type\":\"stdio\",\"command\":\"/");
    has_words("home/.claude.json", "mcpServers.ken.args", "[\"mcp\"]");
    ken_ok("setup claude-desktop");
    has_words("home/.config/Claude/claude_desktop_config.json", "mcpServers.ken.args", "[\"mcp\"]");
    ken_ok("setup cursor");
    has_words("home/.cursor/mcp.json", "mcpServers.ken", "\"command\":\"/");
    ken_ok("setup vscode");
    has_words("home/.config/Code/User/mcp.json", "servers.ken.type", "\"stdio\"");
    ken_ok("setup gemini");
    has_words("home/.gemini/settings.json", "mcpServers.ken.args", "[\"mcp\"]");
    ken_ok("setup zed");
    has_words("home/.config/zed/settings.json", "context_servers.ken.args", "[\"mcp\"]");
    ken_ok("setup windsurf");
    has_words("home/.codeium/windsurf/mcp_config.json", "mcpServers.ken.args", "[\"mcp\"]");
    ken_ok("setup copilot");
    has_words("home/.copilot/mcp-config.json", "mcpServers.ken.tools", "[\"*\"]");
    ken_ok("setup opencode");
    has_words("home/.config/opencode/opencode.json", "mcp.ken.command", "ken\",\"mcp\"]");
    ken_ok("setup codex");
    kt_has_str(text_of("home/.codex/config.toml"), "[mcp_servers.ken]\ncommand = \"/");
    const char *list = ken_ok("setup --list");
    kt_null(strstr(list, " no "));
}

KEN_TEST(all_else_stays_and_the_old_file_is_kept)
{
    static const char mine[] = "// mine\n{\n  \"editor.fontSize\": 14, // large\n  \"servers\": {\n"
                               "    \"other\": { \"command\": \"x\" },\n  },\n}\n";
    ktest_write("home/.config/Code/User/mcp.json", mine);
    kt_true(chmod(ktest_path("home/.config/Code/User/mcp.json"), 0640) == 0);
    kt_has_str(ken_ok("setup vscode"), "is registered now in ");
    const char *now = text_of("home/.config/Code/User/mcp.json");
    kt_has_str(now, "// mine\n{\n  \"editor.fontSize\": 14, // large\n");
    kt_has_str(now, "    \"other\": { \"command\": \"x\" },\n    \"ken\": {\n");
    struct stat s;
    kt_true(stat(ktest_path("home/.config/Code/User/mcp.json"), &s) == 0);
    kt_eq_u(s.st_mode & 0777, 0640);
    kt_has_str(ken_ok("setup vscode"), "'ken' is registered in ");
    kt_has_str(ken_ok("setup vscode --remove"), "is not registered any more in ");
    kt_eq_str(text_of("home/.config/Code/User/mcp.json"), mine);
    kt_has_str(ken_ok("setup vscode --remove"), "is not registered in ");
}

KEN_TEST(toml_tables_are_put_in_and_taken_out)
{
    static const char mine[] =
        "model = \"x\" # mine\n\n[mcp_servers.other]\ncommand = \"o\"\n"
        "args = [\n  \"a\",\n]\n\n# the last\n[profiles.p]\nt = '''\n[mcp_servers.ken]\n'''\n";
    ktest_write("home/.codex/config.toml", mine);
    ken_ok("setup codex --env A=b");
    const char *now = text_of("home/.codex/config.toml");
    kt_true(strncmp(now, mine, strlen(mine)) == 0);
    kt_has_str(now, "\n[mcp_servers.ken]\ncommand = \"/");
    kt_has_str(now, "args = [\"mcp\"]\nenv = { A = \"b\" }\n");
    ken_ok("setup codex");
    kt_null(strstr(text_of("home/.codex/config.toml"), "env ="));
    ken_ok("setup codex --remove");
    kt_eq_str(text_of("home/.codex/config.toml"), mine);
    ktest_write("home/.codex/config.toml", "[mcp_servers]\nken = { command = \"k\" }\n");
    ken_fails("setup codex", 2, "change it by hand");
}

KEN_TEST(a_project_gets_a_file_that_others_can_use)
{
    ktest_write("p/a.c", "int a;\n");
    ken_ok("setup claude-code --project p");
    has_words("p/.mcp.json", "mcpServers.ken.command", "\"ken\"");
    ken_ok("setup vscode --project p");
    has_words("p/.vscode/mcp.json", "servers.ken.command", "\"ken\"");
    ken_fails("setup windsurf --project p", 2, "has no settings of a project");
    ktest_write("q/a.c", "int a;\n");
    ktest_write("outside.json", "{}\n");
    kt_true(symlink("../outside.json", ktest_path("q/.mcp.json")) == 0);
    kt_true(ken("setup claude-code --project q")->code != 0);
    kt_eq_str(text_of("outside.json"), "{}\n");
}

// The name, the place and the variables that the seed gives.
KEN_TEST(a_server_has_a_name_a_file_and_an_environment)
{
    ken_ok("setup claude-desktop --name codebase-rag --env KEN_DATA_DIR=/x "
           "--file home/.claude/claude_desktop_config.json");
    has_words("home/.claude/claude_desktop_config.json", "mcpServers.codebase-rag.env",
              "{\"KEN_DATA_DIR\":\"/x\"}");
    ken_fails("setup cursor --name a.b", 2, "--name: 'a.b'");
    ken_fails("setup cursor --env A", 2, "NAME=VALUE");
}

KEN_TEST(nothing_is_written_without_being_wanted)
{
    kt_has_str(ken_ok("setup cursor --print"), "\"mcpServers\": {");
    kt_false(ken_fs_exists(ktest_path("home/.cursor/mcp.json")));
    ktest_write("home/.cursor/mcp.json", "{ \"mcpServers\": { ]\n");
    ken_fails("setup cursor", 2, "mcp.json: line 1, column 19: not valid JSON");
    kt_eq_str(text_of("home/.cursor/mcp.json"), "{ \"mcpServers\": { ]\n");
    ken_fails("setup", 2, "ken setup --list");
    ken_fails("setup cursr", 2, "did you mean 'cursor'?");
}
