// SPDX-License-Identifier: MIT
// The table of commands, and the help that is made from it.
#include "cli/cli_print_priv.h"

#define MODES   "hybrid|lexical|semantic|symbol|text|regex|similar"
#define OPTS(a) (a), sizeof(a) / sizeof *(a)

static const cli_opt index_opts[] = {
    { "force", 'f', CLI_FLAG, NULL, "read and parse everything again; replaces a damaged index",
      NULL },
    { "name", 0, CLI_VALUE, "NAME", "name of the project (default: the folder's)", NULL },
    { "include", 0, CLI_LIST, "GLOB", "index only matching files, from now on; may be repeated",
      NULL },
    { "exclude", 0, CLI_LIST, "GLOB", "leave matching files out, from now on; may be repeated",
      NULL },
    { "max-file-size", 0, CLI_VALUE, "SIZE",
      "skip larger files, from now on (default 1MiB, at most 10MiB)", NULL },
    { "only", 0, CLI_FLAG, NULL, "with these three: even if most files are taken out by it", NULL },
    { "all", 0, CLI_FLAG, NULL, "forget what these three limited the index to", NULL },
    { "jobs", 'j', CLI_VALUE, "N", "worker threads (default: one per core)", NULL },
    { "memory-limit", 0, CLI_VALUE, "SIZE",
      "memory that the run may use (default 512MiB); it says when that is too little", NULL },
};

static const cli_opt search_opts[] = {
    { "mode", 'm', CLI_VALUE, "MODE",
      "hybrid, lexical, semantic, symbol, text or regex (default hybrid)", MODES },
    { "like", 0, CLI_FLAG, NULL, "QUERY is FILE:LINE: find code like what is there", NULL },
    { "type", 't', CLI_VALUE, "EXT", "only files with this extension", NULL },
    { "dir", 'd', CLI_VALUE, "DIR", "only files below this folder of the project", NULL },
    { "glob", 'g', CLI_VALUE, "GLOB", "only files whose path matches", NULL },
    { "lang", 'l', CLI_VALUE, "NAME", "only files in this language", NULL },
    { "since", 0, CLI_VALUE, "TIME", "only files modified since: 2026-01-31, 7d, 36h", NULL },
    { "min-size", 0, CLI_VALUE, "N", "only files of at least so many bytes", NULL },
    { "max-size", 0, CLI_VALUE, "N", "only files of at most so many bytes", NULL },
    { "kind", 0, CLI_VALUE, "KIND", "only this kind of symbol or chunk: function, class, ...",
      NULL },
    { "threshold", 0, CLI_VALUE, "X", "drop results below this score, 0 to 1", NULL },
    { "limit", 'k', CLI_VALUE, "N", "number of results, 1 to 50 (default 10)", NULL },
    { "offset", 0, CLI_VALUE, "N", "pass over the first N results", NULL },
    { "context", 'C', CLI_VALUE, "N", "show whole results with N lines before and after", NULL },
    { "explain", 0, CLI_FLAG, NULL, "show each score, term by term", NULL },
    { "case", 's', CLI_FLAG, NULL, "text and regex: letters must have the same case", NULL },
    { "no-index", 0, CLI_FLAG, NULL, "fail instead of indexing an unknown folder", NULL },
};

static const cli_opt def_opts[] = {
    { "file", 0, CLI_VALUE, "PART", "prefer definitions in paths that hold this", NULL },
    { "limit", 'k', CLI_VALUE, "N", "number of definitions, 1 to 20 (default 10)", NULL },
    { "no-index", 0, CLI_FLAG, NULL, "fail instead of indexing an unknown folder", NULL },
};

static const cli_opt refs_opts[] = {
    { "role", 0, CLI_VALUE, "LIST", "only call, new, read, write, type, inherit, import, decorate",
      NULL },
    { "tests", 0, CLI_FLAG, NULL, "only uses in tests", NULL },
    { "file", 0, CLI_VALUE, "PART", "of several definitions the one whose path holds this", NULL },
    { "limit", 'k', CLI_VALUE, "N", "number of uses, 1 to 1000 (default 100)", NULL },
    { "offset", 0, CLI_VALUE, "N", "pass over the first N uses", NULL },
    { "context", 'C', CLI_VALUE, "N", "show N lines before and after, at most 20", NULL },
    { "no-index", 0, CLI_FLAG, NULL, "fail instead of indexing an unknown folder", NULL },
};

static const cli_opt trace_opts[] = {
    { "depth", 'd', CLI_VALUE, "N", "how deep, 1 to 10 (default 3)", NULL },
    { "callers", 0, CLI_FLAG, NULL, "who calls it, instead of what it calls", NULL },
    { "to", 0, CLI_VALUE, "SYMBOL", "only the shortest path to SYMBOL", NULL },
    { "external", 0, CLI_FLAG, NULL, "show calls that leave the project", NULL },
    { "file", 0, CLI_VALUE, "PART", "of several definitions the one whose path holds this", NULL },
    { "limit", 'k', CLI_VALUE, "N", "number of lines, 1 to 1000 (default 100)", NULL },
    { "no-index", 0, CLI_FLAG, NULL, "fail instead of indexing an unknown folder", NULL },
};

static const cli_opt impact_opts[] = {
    { "diff", 0, CLI_MAYBE, "REV", "what changed since REV, or in A..B (default: uncommitted)",
      NULL },
    { "depth", 'd', CLI_VALUE, "N", "how far, 1 to 5 (default 3)", NULL },
    { "file", 0, CLI_VALUE, "PART", "of several definitions the one whose path holds this", NULL },
    { "limit", 'k', CLI_VALUE, "N", "number of dependents, 1 to 200 (default 30)", NULL },
    { "no-index", 0, CLI_FLAG, NULL, "fail instead of indexing an unknown folder", NULL },
};

static const cli_opt rules_opts[] = {
    { "diff", 0, CLI_MAYBE, "REV",
      "check: only what changed since REV, or in A..B (default: uncommitted)", NULL },
    { "rule", 0, CLI_LIST, "ID", "check: only this rule; may be repeated", NULL },
    { "sarif", 0, CLI_FLAG, NULL, "check: print SARIF 2.1.0, for code scanning", NULL },
    { "frontend", 0, CLI_VALUE, "DIR", "setup: the front end, instead of what is found", NULL },
    { "backend", 0, CLI_VALUE, "DIR", "setup: the back end", NULL },
    { "force", 'f', CLI_FLAG, NULL, "setup: merge what is new into files that are there", NULL },
    { "limit", 'k', CLI_VALUE, "N", "for, impact: results of each kind, 1 to 20 (default 5)",
      NULL },
    { "no-index", 0, CLI_FLAG, NULL, "take the index as it is", NULL },
};

static const cli_opt arch_opts[] = {
    { "focus", 0, CLI_VALUE, "AREA", "full, backend or frontend (default full)",
      "full|backend|frontend" },
    { "no-index", 0, CLI_FLAG, NULL, "fail instead of indexing an unknown folder", NULL },
};

static const cli_opt context_opts[] = {
    { "max-tokens", 0, CLI_VALUE, "N", "at most so many tokens, 200 to 50000 (default 8000)",
      NULL },
    { "seen", 0, CLI_VALUE, "HANDLE", "leave out what the context with this handle held", NULL },
    { "no-index", 0, CLI_FLAG, NULL, "fail instead of indexing an unknown folder", NULL },
};

static const cli_opt list_opts[] = {
    { "limit", 'k', CLI_VALUE, "N", "number of lines, 1 to 1000 (default 20)", NULL },
    { "no-index", 0, CLI_FLAG, NULL, "fail instead of indexing an unknown folder", NULL },
};

static const cli_opt dead_opts[] = {
    { "all", 0, CLI_FLAG, NULL,
      "also what may be alive: exported, implementations, registered, twins, named elsewhere",
      NULL },
    { "limit", 'k', CLI_VALUE, "N", "number of lines, 1 to 1000 (default 20)", NULL },
    { "no-index", 0, CLI_FLAG, NULL, "fail instead of indexing an unknown folder", NULL },
};

static const cli_opt outline_opts[] = {
    { "imports", 0, CLI_FLAG, NULL, "what it imports, and who imports it, instead of symbols",
      NULL },
    { "no-index", 0, CLI_FLAG, NULL, "fail instead of indexing an unknown folder", NULL },
};

static const cli_opt file_opts[] = {
    { "no-index", 0, CLI_FLAG, NULL, "fail instead of indexing an unknown folder", NULL },
};

static const cli_opt chunks_opts[] = {
    { "text", 0, CLI_FLAG, NULL, "print the text of every chunk too", NULL },
    { "no-index", 0, CLI_FLAG, NULL, "fail instead of indexing an unknown folder", NULL },
};

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

static const cli_opt checkpoint_opts[] = {
    { "description", 'd', CLI_VALUE, "TEXT", "save: all that is needed to go on", NULL },
    { "tag", 't', CLI_LIST, "TAG", "save: a tag; list, search: it must be there (!TAG: not)",
      NULL },
    { "any", 0, CLI_LIST, "TAG", "list, search: at least one of these must be there", NULL },
    { "not", 0, CLI_LIST, "TAG", "list, search: must not be there", NULL },
    { "context", 0, CLI_VALUE, "JSON", "save: an object, given back as it is", NULL },
    { "update", 0, CLI_VALUE, "ID", "save: that checkpoint again", NULL },
    { "if-updated-at", 0, CLI_VALUE, "TIME", "save: fail when it was changed since", NULL },
    { "files", 0, CLI_FLAG, NULL, "list: files of the index, too", NULL },
    { "no-files", 0, CLI_FLAG, NULL, "search: no files of the index", NULL },
    { "resume", 0, CLI_FLAG, NULL, "show: what was committed and changed since", NULL },
    { "limit", 'k', CLI_VALUE, "N", "list: 1 to 200 (default 50); search: 1 to 50 (default 10)",
      NULL },
    { "offset", 0, CLI_VALUE, "N", "list: pass over the first N", NULL },
    { "no-index", 0, CLI_FLAG, NULL, "fail instead of indexing an unknown folder", NULL },
};

static const cli_opt task_opts[] = {
    { "title", 0, CLI_VALUE, "TEXT", "set: another title, 1 to 200 characters", NULL },
    { "description", 'd', CLI_VALUE, "TEXT", "new, set: what is to be done, and why", NULL },
    { "notes", 'n', CLI_VALUE, "TEXT", "new, set: whatever else is worth keeping", NULL },
    { "status", 's', CLI_VALUE, "STATUS", "its status; list: only these", NULL },
    { "ref", 0, CLI_LIST, "PATH", "new, set: a file that planned it; may be repeated", NULL },
    { "branch", 'b', CLI_VALUE, "NAME", "set: link a branch; list: only what is linked to it",
      NULL },
    { "commit", 'c', CLI_VALUE, "HASH", "set: link a commit, 40 hexadecimal digits", NULL },
    { "if-updated-at", 0, CLI_VALUE, "TIME", "set: fail when it was changed since", NULL },
    { "limit", 'k', CLI_VALUE, "N", "list: number of tasks, 1 to 100 (default 20)", NULL },
    { "offset", 0, CLI_VALUE, "N", "list: pass over the first N tasks", NULL },
};

#define SKIP_WORD(name, word, text) "|" word
static const cli_opt status_opts[] = {
    { "skipped", 0, CLI_MAYBE, "REASON", "list the files that are not in the index, and why",
      "all" KEN_SKIP_TABLE(SKIP_WORD) },
    { "limit", 'k', CLI_VALUE, "N", "number of skipped files to list (default 1000)", NULL },
};

static const cli_opt secrets_opts[] = {
    { "limit", 'k', CLI_VALUE, "N", "number of places to list (default 1000)", NULL },
    { "no-index", 0, CLI_FLAG, NULL, "fail instead of indexing an unknown folder", NULL },
};

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

static const cli_opt projects_opts[] = {
    { "yes", 'y', CLI_FLAG, NULL, "remove: do not ask", NULL },
};

static const cli_opt mcp_opts[] = {
    { "toolsets", 0, CLI_LIST, "SET", "sets of tools to offer; may be repeated", NULL },
    { "read-only", 0, CLI_FLAG, NULL, "offer only tools that change nothing", NULL },
};

const cli_command ken_cli__commands[] = {
    { "index", "[PATH]", "bring the index of a project up to date",
      "Only what changed is read and parsed. PATH becomes a project of its own.", OPTS(index_opts),
      0, 1, true, false, ken_cli__run_index },
    { "search", "QUERY [PATH]", "find places in the code by words, names, text or pattern",
      "QUERY may be a plain sentence, a name or part of one. PATH narrows the search to a folder, or\n"
      "names a folder that was never indexed, which is then indexed first.\n\n"
      "  ken search \"where are retries handled\"\n"
      "  ken search parse_config src --type c -k 5\n"
      "  ken search --mode regex 'TODO\\(.*\\)'\n\n"
      "Among the words: path:PART, -path:PART, lang:NAME, kind:KIND, symbol:NAME, \"exact words\"\n"
      "that stand in the file, -word that does not stand in the result.",
      OPTS(search_opts), 1, 2, true, true, ken_cli__run_search },
    { "def", "SYMBOL [PATH]", "show where a symbol is defined",
      "SYMBOL may be qualified: Parser.parse, ns::name, Class#method.", OPTS(def_opts), 1, 2, true,
      true, ken_cli__run_def },
    { "refs", "SYMBOL [PATH]", "show every use of a symbol, and how surely it is one",
      "SYMBOL is a name, qualified or not (Parser.parse), or FILE:LINE for the definition there.\n"
      "Uses are found through scopes, imports and the types of receivers; a name alone makes none.\n"
      "Places that use the name and could not be resolved are counted and shown apart.",
      OPTS(refs_opts), 1, 2, true, true, ken_cli__run_refs },
    { "trace", "ENTRY [PATH]", "draw what a function calls, or who calls it",
      "  ken trace main --depth 2\n"
      "  ken trace deliver --callers\n"
      "  ken trace main --to check_password\n"
      "ENTRY is a name, qualified or not, or FILE:LINE for the definition there.",
      OPTS(trace_opts), 1, 2, true, true, ken_cli__run_trace },
    { "impact", "[FILE | FILE:LINE | SYMBOL]", "show what a change may break",
      "  ken impact src/net/retry.c\n"
      "  ken impact RetryPolicy\n"
      "  ken impact --diff            what is not committed\n"
      "  ken impact --diff HEAD~3     what changed since then",
      OPTS(impact_opts), 0, 1, true, true, ken_cli__run_impact },
    { "explain", "FILE:FIRST-LAST", "show code with its symbol, callers, callees and tests", NULL,
      OPTS(file_opts), 1, 1, true, true, ken_cli__run_explain },
    { "arch", "[PATH]", "show modules, layers, entry points and key types", NULL, OPTS(arch_opts),
      0, 1, true, true, ken_cli__run_arch },
    { "context", "QUERY [PATH]", "print what is worth reading for a question, within a budget",
      "The definitions that the question is about, what they call, their types and callers, then\n"
      "imports, further finds, documents and tests. What does not fit is there by its signature.",
      OPTS(context_opts), 1, 2, true, true, ken_cli__run_context },
    { "tests-for", "SYMBOL | FILE", "list the tests that reach a symbol or a file", NULL,
      OPTS(list_opts), 1, 1, true, true, ken_cli__run_tests_for },
    { "dead", "[PATH]", "list code that nothing uses", NULL, OPTS(dead_opts), 0, 1, true, true,
      ken_cli__run_dead },
    { "hotspots", "[PATH]", "list complex code that changes often", NULL, OPTS(list_opts), 0, 1,
      true, true, ken_cli__run_hotspots },
    { "routes", "[FILTER]", "list routes and events with their handlers", NULL, OPTS(list_opts), 0,
      1, true, true, ken_cli__run_routes },
    { "rules", "for CHANGE | check [PATH] | impact FILE | setup [PATH] | index | health | status",
      "what a change must obey: ask before it, check after it",
      "  ken rules for \"add a POST endpoint for refunds\"\n"
      "  ken rules check --diff main --sarif >rules.sarif\n"
      "  ken rules impact src/routes/orders.js\n"
      "  ken rules setup             write down what the code does: ARCHITECTURE.yml\n"
      "  ken rules index             read all code and documents of rules again\n"
      "  ken rules health            what is missing, broken or old\n\n"
      "Exit status of check: 0: nothing of severity error; 1: something; 2: a rule could not be\n"
      "read. docs/rules.md says what can be checked.",
      OPTS(rules_opts), 1, 100, true, true, ken_cli__run_rules },
    { "outline", "FILE", "list the symbols of a file, or its imports", NULL, OPTS(outline_opts), 1,
      1, true, true, ken_cli__run_outline },
    { "chunks", "FILE", "show how a file was cut into chunks", NULL, OPTS(chunks_opts), 1, 1, true,
      true, ken_cli__run_chunks },
    { "checkpoint", "[list | save SUMMARY | search QUERY | show ID | delete ID]",
      "keep where work stood, to go on from there later",
      "  ken checkpoint save \"retries: backoff done, tests missing\" -t retries -t wip\n"
      "  ken checkpoint search \"how far did the retries get\"\n"
      "  ken checkpoint show ID --resume\n",
      OPTS(checkpoint_opts), 0, 100, true, true, ken_cli__run_checkpoint },
    { "task", "[list [QUERY] | new TITLE | show ID | set ID | delete ID]",
      "keep what is to be done: tasks, their status, branches and commits",
      "  ken task new \"Retry uploads that time out\" --project . --ref docs/plan.md\n"
      "  ken task set ID --status in-progress --branch feature/retry\n"
      "  ken task list uploads --status in-progress\n\n"
      "Tasks are those of all projects; --project links one, and lists one project's. An empty\n"
      "--description, --notes or --project takes away what was there. Of an ID the first digits\n"
      "that no other has will do, at least four.",
      OPTS(task_opts), 0, 100, true, true, ken_cli__run_task },
    { "status", "[PATH]", "show what is indexed, since when, and what was skipped", NULL,
      OPTS(status_opts), 0, 1, true, true, ken_cli__run_status },
    { "secrets", "[PATH]", "list where secrets are masked, and files left out for them",
      "A line is a place and a kind, never a value. Files are read as they are now.",
      OPTS(secrets_opts), 0, 1, true, true, ken_cli__run_secrets },
    { "stats", "[PATH]", "show languages, sizes and counts", NULL, OPTS(file_opts), 0, 1, true,
      true, ken_cli__run_stats },
    { "sql", "[SELECT [PATH]]", "ask what the index knows with SQL, for reading only",
      "  ken sql \"SELECT kind, count(*) FROM symbols GROUP BY kind\"\n"
      "  ken sql \"SELECT file_path, line_start, symbol_name FROM chunks WHERE token_count > 700\"\n"
      "Without a query the tables and their columns are listed. One SELECT is run, in memory, on\n"
      "tables that are made of the index as it is read: nothing can be changed. docs/sql.md\n"
      "describes the tables.",
      OPTS(sql_opts), 0, 2, true, true, ken_cli__run_sql },
    { "projects", "[list | remove PROJECT]", "list the known projects, or forget one", NULL,
      OPTS(projects_opts), 0, 2, true, true, ken_cli__run_projects },
    { "model", "[list | add ID | download ID | use ID | remove ID | bench ID]",
      "the models that make vectors of code, and which one a project uses",
      "add needs --source and --tokenizer. use takes an id of the list, or a model of a server as\n"
      "ollama:NAME, openai:NAME or tei:NAME: then, and only then, code is sent away.\n",
      OPTS(model_opts), 0, 2, true, false, ken_cli__run_model },
    { "config", "[show]", "show every setting and where it came from", NULL, NULL, 0, 0, 1, true,
      false, ken_cli__run_config },
    { "doctor", "", "check folders, settings and indexes", NULL, OPTS(doctor_opts), 0, 0, true,
      false, ken_cli__run_doctor },
    { "restore", "", "make projects, tasks and settings whole again from their journal",
      "Each change of a task, project, value or model is also a line of projects.db.writes. A damaged\n"
      "projects.db is moved away and made anew of it; a sound one gets what it lacks. Checkpoints of an\n"
      "index come back by themselves with 'ken index --force'.",
      OPTS(restore_opts), 0, 0, true, false, ken_cli__run_restore },
    { "eval", "DATASET.json... --root DIR | --roots DIR", "measure how well search finds things",
      "A dataset is {\"name\", \"root\", \"queries\": [{\"query\", \"category\", \"relevant\": [path],\n"
      "\"secondary\": [path]}]}; a path may end in :first-last. NDCG@10, the reciprocal rank of the\n"
      "first relevant place and the latency of a search are printed.",
      OPTS(eval_opts), 1, 1000, false, false, ken_cli__run_eval },
    { "mcp", "[PATH]", "serve the Model Context Protocol on stdin and stdout",
      "Bound to the project of PATH or --project; without them the client names one.",
      OPTS(mcp_opts), 0, 1, true, false, ken_cli__run_mcp },
    { "version", "", "show the version", NULL, NULL, 0, 0, 0, false, false, ken_cli__run_version },
    { "help", "[COMMAND]", "show help", NULL, NULL, 0, 0, 1, false, false, ken_cli__run_help },
};

const size_t ken_cli__n_commands = sizeof ken_cli__commands / sizeof *ken_cli__commands;

const cli_command *ken_cli__find_command(ken_str name)
{
    for (size_t i = 0; i < ken_cli__n_commands; i++)
        if (ken_str_eq_c(name, ken_cli__commands[i].name))
            return &ken_cli__commands[i];
    return NULL;
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
        ken_cli__paint(x, CLI_LINE, "%-26s", left);
        ken_cli__print("  %s\n", o->text);
    }
}

void ken_cli__print_help(const cli *x)
{
    ken_cli__print(
        "ken finds things in code: it indexes a folder once and answers in milliseconds.\n\n");
    ken_cli__print("usage: ken COMMAND [OPTIONS]\n\ncommands:\n");
    for (size_t i = 0; i < ken_cli__n_commands; i++) {
        ken_cli__print("  ");
        ken_cli__paint(x, CLI_LINE, "%-11s", ken_cli__commands[i].name);
        ken_cli__print("%s\n", ken_cli__commands[i].summary);
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
    if (!x->args.n_words) {
        ken_cli__print_help(x);
        return KEN_OK;
    }
    const cli_command *c = ken_cli__find_command(ken_str_c(x->args.words[0]));
    if (!c)
        return KEN_FAIL(err, KEN_EINVAL, "unknown command '%.60s'; ken --help lists all",
                        x->args.words[0]);
    ken_cli__print_command_help(x, c);
    return KEN_OK;
}
