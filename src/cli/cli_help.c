// SPDX-License-Identifier: MIT
// The table of commands, and the help that is made from it.
#include "cli/cli_clients_priv.h"
#include "cli/cli_print_priv.h"
#include "model/job.h"

#define MODES   "hybrid|lexical|semantic|symbol|text|regex|similar"
#define OPTS(a) (a), sizeof(a) / sizeof *(a)

// "indexing.jobs|…", each setting.
#define X(id, name, type, def, min, max, words, env, trust, text) "|" name
#define SETTINGS                                                  (&(KEN_CONFIG_KEYS(X))[1])

static const cli_opt model_opts[] = {
    { "source", 0, CLI_VALUE, "URI", "add: model.onnx, as https://, file:// or a path", NULL },
    { "tokenizer", 0, CLI_VALUE, "URI", "add: its tokenizer.json or vocab.txt", NULL },
    { "label", 0, CLI_VALUE, "TEXT", "add: what it is, in a few words", NULL },
    { "pooling", 0, CLI_VALUE, "HOW", "add: mean or cls (default: as its name tells)", "mean|cls" },
    { "sha256", 0, CLI_VALUE, "HEX", "add: checksum of model.onnx", NULL },
    { "max-tokens", 0, CLI_VALUE, "N", "add: longer texts are cut (default 512)", NULL },
    { "document-prefix", 0, CLI_VALUE, "TEXT", "add: what it wants before code", NULL },
    { "query-prefix", 0, CLI_VALUE, "TEXT", "add: what it wants before questions", NULL },
    { "url", 0, CLI_VALUE, "URL", "use: the server, for ollama:, openai: and tei: models", NULL },
    { "now", 0, CLI_FLAG, NULL, "use: index, and make its vectors", NULL },
};

static const cli_opt token_add_opts[] = {
    { "scope", 0, CLI_LIST, "SCOPE", "read (default), write, admin; each includes those before it",
      NULL },
    { "expires", 0, CLI_VALUE, "WHEN", "90d, 12h or 2027-01-31 (default: never)", NULL },
};

// Every state of a job.
#define J(id, word) "|" word
static const cli_opt jobs_list_opts[] = {
    { "limit", 'k', CLI_VALUE, "N", "number of jobs, 1 to 1000 (default 20)", NULL },
    { "state", 0, CLI_VALUE, "STATE", "only those that are so: running, failed, …",
      &(KEN_JOB_STATE_TABLE(J))[1] },
};
#undef J

static const cli_opt sql_opts[] = {
    { "limit", 'k', CLI_VALUE, "N", "number of rows, 1 to 100000 (default 1000)", NULL },
    { "timeout", 0, CLI_VALUE, "MS", "time it may take, 1 to 600000 (default 5000)", NULL },
    { "no-index", 0, CLI_FLAG, NULL, "fail instead of indexing an unknown folder", NULL },
};

static const cli_opt eval_opts[] = {
    { "root", 0, CLI_VALUE, "DIR", "the one checkout that the datasets ask about", NULL },
    { "roots", 0, CLI_VALUE, "DIR", "a folder with one checkout per dataset, by name", NULL },
    { "whole", 0, CLI_FLAG, NULL, "index the whole checkouts, not only the datasets' roots", NULL },
    { "mode", 'm', CLI_VALUE, "MODE", "how to search (default hybrid)", MODES },
    { "without", 0, CLI_VALUE, "LIST", "signals that count nothing: meaning,best-chunk,comments",
      NULL },
    { "tokens", 0, CLI_FLAG, NULL, "count the tokens of an answer until the first right file",
      NULL },
    { "failures", 0, CLI_FLAG, NULL, "print the queries below 0.5 and what ranked instead", NULL },
    { "category", 0, CLI_VALUE, "NAME", "only the queries of this category", NULL },
    { "force", 'f', CLI_FLAG, NULL, "index everything again", NULL },
    { "own-data", 0, CLI_FLAG, NULL, "use the normal data folder, not one of its own", NULL },
};

static const cli_opt doctor_opts[] = {
    { "deep", 0, CLI_FLAG, NULL, "read and check every page of every index", NULL },
};

static const cli_opt restore_opts[] = {
    { "from", 0, CLI_VALUE, "FILE", "a journal instead of the one beside projects.db", NULL },
    { "dry-run", 0, CLI_FLAG, NULL, "say what would be done, change nothing", NULL },
};

static const cli_opt setup_opts[] = {
    { "list", 0, CLI_FLAG, NULL, "the clients, which are here and where ken is registered", NULL },
    { "print", 0, CLI_FLAG, NULL, "show what would be written, and write nothing", NULL },
    { "remove", 0, CLI_FLAG, NULL, "take ken out of the client's settings", NULL },
    { "yes", 'y', CLI_FLAG, NULL, "write without asking", NULL },
    { "name", 0, CLI_VALUE, "NAME", "what the client calls the server (default ken)", NULL },
    { "env", 0, CLI_LIST, "NAME=VALUE", "a variable for the server; may be repeated", NULL },
    { "file", 0, CLI_VALUE, "FILE", "the client's settings file, when it is elsewhere", NULL },
};

static const cli_opt mcp_opts[] = {
    { "toolsets", 0, CLI_LIST, "SET", "sets of tools to offer; may be repeated", NULL },
    { "read-only", 0, CLI_FLAG, NULL, "offer only tools that change nothing", NULL },
    { "format", 0, CLI_VALUE, "FORM", "of answers, when a call does not say it: text or json",
      "text|json" },
};

static const cli_opt serve_opts[] = {
    { "host", 0, CLI_VALUE, "ADDRESS", "to listen on (default 127.0.0.1; another needs a token)",
      NULL },
    { "port", 0, CLI_VALUE, "N", "to listen on (default 7420; 0 = one that is free)", NULL },
    { "tls-cert", 0, CLI_VALUE, "FILE", "certificate, PEM; read again on SIGHUP", NULL },
    { "tls-key", 0, CLI_VALUE, "FILE", "its private key, PEM", NULL },
    { "sandbox", 0, CLI_VALUE, "HOW", "auto, on or off: give up what is not needed (on: or fail)",
      "auto|on|off" },
    { "toolsets", 0, CLI_LIST, "SET", "sets of tools to offer agents; may be repeated", NULL },
    { "read-only", 0, CLI_FLAG, NULL, "offer only tools that change nothing", NULL },
    { "format", 0, CLI_VALUE, "FORM", "of answers to agents, when a call does not say it",
      "text|json" },
};

// Commands that are no operations; the others are in src/tool/specs.
static const cli_command own_commands[] = {
    { "sql", "[SELECT [PATH]]", "ask what the index knows with SQL, for reading only",
      "  ken sql \"SELECT kind, count(*) FROM symbols GROUP BY kind\"\n"
      "  ken sql \"SELECT file_path, line_start, symbol_name FROM chunks WHERE token_count > 700\"\n"
      "Without a query the tables and their columns are listed. One SELECT is run, in memory, on\n"
      "tables that are made of the index as it is read: nothing can be changed. docs/sql.md\n"
      "describes the tables.",
      OPTS(sql_opts), 0, 2, true, true, ken_cli__run_sql, NULL, 0, NULL },
    { "model", "[list | add ID | download ID | use ID | remove ID | bench ID]",
      "the models that make vectors of code, and which one a project uses",
      "add needs --source and --tokenizer. use takes an id of the list, or a model of a server as\n"
      "ollama:NAME, openai:NAME or tei:NAME: then, and only then, code is sent away.\n",
      OPTS(model_opts), 0, 2, true, false, ken_cli__run_model, NULL, 0,
      "list|add|download|use|remove|bench" },
    { "jobs list", "", "list what the server does, will do and has done, newest first",
      "With --project only the jobs of that project. The last 500 of 30 days are kept.",
      OPTS(jobs_list_opts), 0, 0, true, false, ken_cli__run_jobs_list, NULL, 0, NULL },
    { "jobs show", "ID", "show a job: how far it is, what it did or why it failed", NULL, NULL, 0,
      1, 1, true, false, ken_cli__run_jobs_show, NULL, 0, NULL },
    { "jobs cancel", "ID", "take a job out of the queue, or stop it", NULL, NULL, 0, 1, 1, true,
      false, ken_cli__run_jobs_cancel, NULL, 0, NULL },
    { "jobs wait", "ID", "wait until a job has ended; exit code 1 unless it is done", NULL, NULL, 0,
      1, 1, true, false, ken_cli__run_jobs_wait, NULL, 0, NULL },
    { "token add", "NAME", "make an access token of the server, and print its secret once",
      "With --project it opens that project alone. The secret is kept nowhere, its hash is.\n\n"
      "  ken token add ci --scope read,write --project . --expires 90d",
      OPTS(token_add_opts), 1, 1, true, false, ken_cli__run_token_add, NULL, 0, NULL },
    { "token list", "", "list the access tokens, without their secrets", NULL, NULL, 0, 0, 0, true,
      false, ken_cli__run_token_list, NULL, 0, NULL },
    { "token revoke", "NAME|ID", "take an access token back; a running server notices", NULL, NULL,
      0, 1, 1, true, false, ken_cli__run_token_revoke, NULL, 0, NULL },
    { "config show", "", "show every setting and where it came from", NULL, NULL, 0, 0, 0, true,
      false, ken_cli__run_config_show, NULL, 0, NULL },
    { "config set", "KEY VALUE",
      "set a setting in your settings file, or with --project in a project's",
      "Comments, order and all else in the file stay. Elements of a list are separated by commas.\n\n"
      "  ken config set indexing.max_file_size 2MiB\n"
      "  ken config set indexing.exclude 'gen/**,*.min.js' --project .",
      NULL, 0, 2, 2, true, false, ken_cli__run_config_set, NULL, 0, SETTINGS },
    { "config unset", "KEY", "take a setting out of the file again", NULL, NULL, 0, 1, 1, true,
      false, ken_cli__run_config_unset, NULL, 0, SETTINGS },
    { "config edit", "", "open the settings file in an editor, and check what was written",
      "The editor is VISUAL, else EDITOR, else vi. A file that is wrong is not taken: the next\n"
      "'ken config edit' goes on with it.",
      NULL, 0, 0, 0, false, false, ken_cli__run_config_edit, NULL, 0, NULL },
    { "doctor", "", "check folders, settings and indexes", NULL, OPTS(doctor_opts), 0, 0, true,
      false, ken_cli__run_doctor, NULL, 0, NULL },
    { "restore", "", "make projects, tasks and settings whole again from their journal",
      "Each change of a task, project, value, model or access token is also a line of\n"
      "projects.db.writes. A damaged projects.db is moved away and made anew of it; a sound one gets\n"
      "what it lacks. Checkpoints of an index come back by themselves with 'ken index --force'.",
      OPTS(restore_opts), 0, 0, true, false, ken_cli__run_restore, NULL, 0, NULL },
    { "eval", "DATASET.json... --root DIR | --roots DIR", "measure how well search finds things",
      "A dataset is {\"name\", \"root\", \"queries\": [{\"query\", \"category\", \"relevant\": [path],\n"
      "\"secondary\": [path]}]}; a path may end in :first-last. NDCG@10, the reciprocal rank of the\n"
      "first relevant place and the latency of a search are printed.",
      OPTS(eval_opts), 1, 1000, false, false, ken_cli__run_eval, NULL, 0, NULL },
    { "mcp", "[PATH]", "serve the Model Context Protocol on stdin and stdout",
      "Bound to the project of PATH or --project; without them the client names one.",
      OPTS(mcp_opts), 0, 1, true, false, ken_cli__run_mcp, NULL, 0, NULL },
    { "serve", "", "serve MCP over HTTP, the API and metrics, for many clients and projects",
      "At 127.0.0.1:7420 unless the settings say otherwise. MCP is at /mcp and, bound to one project,\n"
      "at /mcp/PROJECT; the API at /api/v1; /healthz, /readyz and /metrics are for who operates it.\n"
      "SIGTERM lets what runs end (server.drain_seconds), SIGHUP reads the certificate again.\n"
      "docs/operations.md has more.",
      OPTS(serve_opts), 0, 0, true, false, ken_cli__run_serve, NULL, 0, NULL },
    { "setup", "CLIENT | --list", "register ken with an MCP client, in its own settings file",
      "'ken setup --list' names the clients. What will be written is shown first; all else in the\n"
      "file stays, comments too, and the file as it was is kept. With --project it is the file in a\n"
      "project's folder.\n\n"
      "  ken setup claude-code\n"
      "  ken setup vscode --project .",
      OPTS(setup_opts), 0, 1, true, false, ken_cli__run_setup, NULL, 0, CLI_CLIENT_IDS },
    { "completion", "bash|zsh|fish", "print the script that completes words in a shell",
      "'./dev install' and 'cmake --install' put these scripts where shells look for them. By hand:\n\n"
      "  bash   source <(ken completion bash)             in ~/.bashrc\n"
      "  zsh    source <(ken completion zsh)              in ~/.zshrc, after compinit\n"
      "  fish   ken completion fish | source              in ~/.config/fish/config.fish\n\n"
      "They ask 'ken completion words -- WORD...' what may stand in place of the last word.",
      NULL, 0, 1, SIZE_MAX, true, false, ken_cli__run_completion, NULL, 0, "bash|zsh|fish|words" },
    { "version", "", "show the version", NULL, NULL, 0, 0, 0, false, false, ken_cli__run_version,
      NULL, 0, NULL },
    { "help", "[COMMAND]", "show help", NULL, NULL, 0, 0, 2, false, false, ken_cli__run_help, NULL,
      0, NULL },
};

#undef X

static void insert_command(cli_commands *all, cli_command c)
{
    size_t at = all->n++;
    for (; at && all->items[at - 1].order > c.order; at--)
        all->items[at] = all->items[at - 1];
    all->items[at] = c;
}

cli_commands ken_cli__list_commands(ken_arena *arena)
{
    const size_t n_own = sizeof own_commands / sizeof *own_commands;
    size_t n = n_own;
    for (size_t i = 0; ken_tool_spec_at(i); i++)
        n += ken_tool_spec_at(i)->command != NULL;
    cli_commands all = { KEN_ARENA_ARRAY(arena, cli_command, n), 0 };
    for (size_t i = 0; ken_tool_spec_at(i); i++)
        if (ken_tool_spec_at(i)->command)
            insert_command(&all, ken_cli__make_command(ken_tool_spec_at(i), arena));
    for (size_t i = 0; i < n_own; i++)
        all.items[all.n++] = own_commands[i];
    return all;
}

// ---- groups: commands of two words -------------------------------------------------------------

static const struct {
    const char *name, *summary, *fallback; // fallback: what the word alone stands for
} groups[] = {
    { "task", "keep what is to be done: tasks, their status, branches and commits", "list" },
    { "checkpoint", "keep where work stood, to go on from there later", "list" },
    { "rules", "what a change must obey: ask before it, check after it", NULL },
    { "config", "show settings and where each came from, or change them", "show" },
    { "jobs", "what the server does on its own: indexing, vectors, downloads", "list" },
    { "token", "access tokens of the server: make, list or revoke them", "list" },
    { "projects", "list the known projects, or forget one", "list" },
};

static size_t find_group(const char *word)
{
    size_t i = 0;
    while (i < sizeof groups / sizeof *groups && strcmp(groups[i].name, word) != 0)
        i++;
    return i;
}

static bool is_group(size_t i)
{
    return i < sizeof groups / sizeof *groups;
}

bool ken_cli__is_group(const char *word)
{
    return is_group(find_group(word));
}

const char *ken_cli__group_name(size_t i)
{
    return is_group(i) ? groups[i].name : NULL;
}

const char *ken_cli__group_summary(size_t i)
{
    return groups[i].summary;
}

// "task new" of "task": "new"; NULL of another group's command.
static const char *name_in_group(const cli_command *c, const char *group)
{
    size_t len = strlen(group);
    return !strncmp(c->name, group, len) && c->name[len] == ' ' ? c->name + len + 1 : NULL;
}

static const cli_command *find_in_group(const cli_commands *all, const char *group,
                                        const char *word)
{
    for (size_t i = 0; word && i < all->n; i++) {
        const char *name = name_in_group(&all->items[i], group);
        if (name && !strcmp(name, word))
            return &all->items[i];
    }
    return NULL;
}

const cli_command *ken_cli__find_command(const cli_commands *all, const char *first,
                                         const char *second, size_t *out_used)
{
    size_t g = find_group(first);
    *out_used = 1;
    for (size_t i = 0; !is_group(g) && i < all->n; i++)
        if (!strcmp(all->items[i].name, first))
            return &all->items[i];
    if (!is_group(g))
        return NULL;
    if (!second)
        return find_in_group(all, first, groups[g].fallback);
    *out_used = 2;
    return find_in_group(all, first, second);
}

// "list, new, show, set, delete"
static void print_group_names(const cli_commands *all, const char *group)
{
    bool is_first = true;
    for (size_t i = 0; i < all->n; i++) {
        const char *name = name_in_group(&all->items[i], group);
        if (!name)
            continue;
        ken_cli__print("%s%s", is_first ? "" : ", ", name);
        is_first = false;
    }
}

bool ken_cli__print_group_help(const cli *x, const char *word)
{
    size_t g = find_group(word);
    if (!is_group(g))
        return false;
    ken_cli__print("usage: ken %s ACTION [OPTIONS]\n\n%c%s.\n\nactions:\n", groups[g].name,
                   groups[g].summary[0] - 32, groups[g].summary + 1);
    for (size_t i = 0; i < x->commands.n; i++) {
        const cli_command *c = &x->commands.items[i];
        const char *name = name_in_group(c, groups[g].name);
        if (!name)
            continue;
        ken_cli__print("  ");
        ken_cli__paint(x, KEN_STYLE_LINE, "%-11s", name);
        ken_cli__print("%s\n", c->summary);
    }
    ken_cli__print("\nken %s ACTION --help says more.\n", groups[g].name);
    return true;
}

static void print_opts(const cli *x, cli_table table)
{
    for (size_t i = 0; i < table.n_opts; i++) {
        const cli_opt *o = &table.opts[i];
        char left[80];
        snprintf(left, sizeof left, "%s%c%s --%s%s%s%s", o->letter ? "-" : " ",
                 o->letter ? o->letter : ' ', o->letter ? "," : " ", o->name,
                 o->type == CLI_MAYBE ? " [" : (o->value ? " " : ""), o->value ? o->value : "",
                 o->type == CLI_MAYBE ? "]" : "");
        ken_cli__print("  ");
        ken_cli__paint(x, KEN_STYLE_LINE, "%-26s", left);
        ken_cli__print("  %s\n", o->text);
    }
}

void ken_cli__print_help(const cli *x)
{
    ken_cli__print(
        "ken finds things in code: it indexes a folder once and answers in milliseconds.\n\n");
    ken_cli__print("usage: ken COMMAND [OPTIONS]\n\ncommands:\n");
    for (size_t i = 0; i < x->commands.n; i++) {
        if (strchr(x->commands.items[i].name, ' '))
            continue;
        ken_cli__print("  ");
        ken_cli__paint(x, KEN_STYLE_LINE, "%-11s", x->commands.items[i].name);
        ken_cli__print("%s\n", x->commands.items[i].summary);
    }
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        ken_cli__print("  ");
        ken_cli__paint(x, KEN_STYLE_LINE, "%-11s", groups[i].name);
        ken_cli__print("%s (", groups[i].summary);
        print_group_names(&x->commands, groups[i].name);
        ken_cli__print(")\n");
    }
    ken_cli__print("\noptions of every command:\n");
    print_opts(x, ken_cli__global_table());
    ken_cli__print(
        "\nA path may stand wherever a project is expected. ken COMMAND --help says more.\n"
        "Exit codes: 0 ok, 1 failed, 2 usage, 130 interrupted.\n");
}

void ken_cli__print_command_help(const cli *x, const cli_command *c)
{
    ken_cli__print("usage: ken %s%s%s [OPTIONS]\n\n%c%s.\n", c->name, c->usage[0] ? " " : "",
                   c->usage, c->summary[0] - 32, c->summary + 1);
    if (c->details)
        ken_cli__print("\n%s\n", c->details);
    if (c->n_opts) {
        ken_cli__print("\noptions:\n");
        print_opts(x, (cli_table){ c->opts, c->n_opts });
    }
    ken_cli__print("\noptions of every command:\n");
    print_opts(x, ken_cli__global_table());
}

ken_status ken_cli__run_help(cli *x, ken_err *err)
{
    const char *const *words = x->args.words;
    size_t n_used = 0;
    if (!x->args.n_words) {
        ken_cli__print_help(x);
        return KEN_OK;
    }
    const char *second = x->args.n_words > 1 ? words[1] : NULL;
    if (!second && ken_cli__print_group_help(x, words[0]))
        return KEN_OK;
    const cli_command *c = ken_cli__find_command(&x->commands, words[0], second, &n_used);
    if (!c)
        return KEN_FAIL(err, KEN_EINVAL, "unknown command '%.60s%s%.60s'; ken --help lists all",
                        words[0], second ? " " : "", second ? second : "");
    ken_cli__print_command_help(x, c);
    return KEN_OK;
}
