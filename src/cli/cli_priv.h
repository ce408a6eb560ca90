// SPDX-License-Identifier: MIT
// cli_priv.h -- what the files of this folder share: the running command, and printing.
#ifndef KEN_CLI_CLI_PRIV_H
#define KEN_CLI_CLI_PRIV_H

#include "app/app.h"
#include "base/cancel.h"
#include "cli/cli_args_priv.h"
#include "tool/tool.h"

typedef struct cli cli;

typedef struct cli_command {
    const char *name;
    const char *usage;   // its arguments: "QUERY [PATH]"
    const char *summary; // one line
    const char *details; // more lines for --help; may be NULL
    const cli_opt *opts;
    size_t n_opts;
    size_t min_words, max_words;
    bool needs_app, is_question; // questions have limits of time and memory (base/quota.h)
    ken_status (*run)(cli *x, ken_err *err);
    const ken_tool_spec *spec; // of a command that is an operation; else NULL
    unsigned order;            // of operations: their place in help
    const char *words;         // what the first argument must be one of: "a|b"; NULL = anything
} cli_command;

// All commands: operations, in the order of their specifications, and those that are none (cli_help.c).
typedef struct cli_commands {
    cli_command *items;
    size_t n;
} cli_commands;

// One run of the program.
struct cli {
    cli_commands commands;
    const cli_command *command;
    cli_args args;
    ken_config *config;
    ken_app *app;
    ken_arena arena; // of the run
    ken_cancel *cancel;
    bool is_json;
    bool has_color; // on stdout
    bool is_verbose;
    bool is_usage_error; // what fails now is how the command was typed
    int exit_code;       // when the command ran but its answer is "no" (doctor); 0 otherwise
};

cli_commands ken_cli__list_commands(ken_arena *arena);
// The command that the words at the front name, "refs" or "task new"; `*out_used` is how many of them.
// A group alone ("task") is its list. NULL when there is none.
const cli_command *ken_cli__find_command(const cli_commands *all, const char *first,
                                         const char *second, size_t *out_used);

bool ken_cli__is_group(const char *word);
// Of the group at `i`; NULL after the last.
const char *ken_cli__group_name(size_t i);
const char *ken_cli__group_summary(size_t i);

// ---- operations: cli_tool.c ----
cli_command ken_cli__make_command(const ken_tool_spec *spec, ken_arena *arena);
ken_status ken_cli__run_tool(cli *x, ken_err *err);

// ---- commands that are no operations ----
// In the order of help. Each is a ken_cli__<name>_command in the file that runs it.
#define CLI_OWN_COMMANDS(X) \
    X(export)               \
    X(import)               \
    X(migrate)              \
    X(sql)                  \
    X(model)                \
    X(jobs_list)            \
    X(jobs_show)            \
    X(jobs_cancel)          \
    X(jobs_wait)            \
    X(token_add)            \
    X(token_list)           \
    X(token_revoke)         \
    X(config_show)          \
    X(config_set)           \
    X(config_unset)         \
    X(config_edit)          \
    X(doctor)               \
    X(restore)              \
    X(eval)                 \
    X(watch)                \
    X(mcp)                  \
    X(serve)                \
    X(worker)               \
    X(setup)                \
    X(completion)           \
    X(version)              \
    X(help)

#define X(name) extern const cli_command ken_cli__##name##_command;
CLI_OWN_COMMANDS(X)
#undef X

#define OPTS(a) (a), sizeof(a) / sizeof *(a) // of a command: its table of options, and their number

cli_table ken_cli__global_table(void); // options that every command takes

// ---- help: cli_help.c ----
void ken_cli__print_help(const cli *x);
void ken_cli__print_command_help(const cli *x, const cli_command *c);
// The actions of a group of commands; false when `word` is none.
bool ken_cli__print_group_help(const cli *x, const char *word);

// ---- projects: cli_project.c ----
typedef struct cli_place {
    ken_project_info project; // only root and name when it is not known
    bool is_known;
    ken_str below; // the folder or file inside the project that the path named; "" for its root
} cli_place;

// A path below a root of the project, as a real path: "src", "@lib/src", or where it is.
ken_status ken_cli__resolve_in(cli *x, const ken_project_info *project, ken_str path, ken_str *out,
                               ken_err *err) KEN_MUST_USE;
// The project that `path` names: a folder, or below one that is known. NULL: --project, else the
// project around the working directory.
ken_status ken_cli__find_place(cli *x, const char *path, cli_place *out, ken_err *err) KEN_MUST_USE;
// As above for a file, given relative to the working directory or to the project's root.
ken_status ken_cli__find_file(cli *x, const char *file, cli_place *out, ken_err *err) KEN_MUST_USE;
// Brings the index up to date and borrows a snapshot; a project that was never indexed is indexed first.
// `may_index` false (`--no-index`): neither; what has changed since is told when the snapshot is closed.
ken_status ken_cli__open_place(cli *x, cli_place *place, bool may_index, ken_snapshot **out,
                               ken_err *err) KEN_MUST_USE;
// Indexes a project that is not known yet, unless --no-index says otherwise. Its snapshot is closed again: the operation
// opens its own.
ken_status ken_cli__index_unknown(cli *x, cli_place *place, ken_err *err) KEN_MUST_USE;
// After a question, before its answer is shown: `st`, or why there is no answer to show.
ken_status ken_cli__check_answer(const ken_snapshot *s, ken_status st, ken_err *err) KEN_MUST_USE;
void ken_cli__close_place(cli *x, const cli_place *place, ken_snapshot *s); // NULL is fine
// Brings the index up to date with a progress bar.
ken_status ken_cli__index(cli *x, const ken_project_info *project, ken_index_opts opts,
                          ken_index_report *out, ken_err *err) KEN_MUST_USE;

#endif
