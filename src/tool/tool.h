// SPDX-License-Identifier: MIT
// tool.h -- the operations that ken offers: one registry, called by MCP and the command line, and made
// so that an HTTP API can use it.
//
// A tool is a specification (specs/<name>.json: texts, parameters, command, limits), a function and a
// text form of its answer. A call checks its arguments against the specification before the function
// sees them as a struct: unknown names are refused with the nearest known one, strings are trimmed,
// nulls dropped, other names resolved, defaults filled in. The answer is one JSON object, or as text a
// JSON string, at most `max_bytes` long: whole trailing results are dropped and a hint says how to
// narrow.
//
// Ownership: results are the caller's to json_decref. Threads: a toolset is immutable; calls run on
// any thread at the same time. Errors: KEN_EINVAL for arguments, KEN_ENOTFOUND for what is not
// there (an unknown tool too), else what the services say; messages tell what to do next.
#ifndef KEN_TOOL_TOOL_H
#define KEN_TOOL_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "app/app.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/cancel.h"
#include "base/err.h"
#include "base/id.h"
#include "base/paint.h"
#include "base/str.h"
#include "otel/otel.h"

enum {
    KEN_TOOL_BYTES_MAX = 24900, // of a result as text, unless a call says otherwise
    KEN_TOOL_ABOUT_NAME = 84,   // bytes of a project's name that are kept, with the NUL
};

typedef struct ken_toolset ken_toolset;

typedef struct ken_tool_progress {
    double done, total; // of anything; total 0 = unknown
    const char *message;
    const ken_index_progress *indexing; // of an index run; else NULL
} ken_tool_progress;

typedef void ken_tool_progress_fn(void *ctx, const ken_tool_progress *p);

// What an operation that judges found (check_rules).
typedef enum ken_tool_verdict {
    KEN_VERDICT_NONE = 0,
    KEN_VERDICT_PASS,
    KEN_VERDICT_FAIL,
    KEN_VERDICT_UNKNOWN, // not everything could be judged
} ken_tool_verdict;

// The project that a call turned out to be about; all empty = none.
typedef struct ken_tool_about {
    char project_id[KEN_UUID_TEXT];
    char project[KEN_TOOL_ABOUT_NAME]; // its name
} ken_tool_about;

// All-zero is a call without limits on time, without progress, on any project.
typedef struct ken_tool_ctx {
    const ken_cancel *cancel;
    ken_tool_progress_fn *on_progress; // on the calling thread, as often as the work reports it
    void *progress_ctx;
    ken_str cwd;     // absolute folder: relative paths start here, and so does the search for "the"
                     // project when none is named; empty = neither
    ken_str project; // id of the one project that may be touched; empty = any
    bool is_read_only; // indexes are not written either
    bool is_reading;   // no folder becomes a project by this call, not even that of `cwd`
    size_t max_bytes;  // of the result as text; 0 = KEN_TOOL_BYTES_MAX, SIZE_MAX = no limit
    bool is_text;      // the answer is text unless `format` says otherwise
    bool is_command; // a person's own process makes this one call: any folder may become a project,
                     // and the process gives up what a job does not need
    bool has_color;  // of text: for a terminal
    ken_str here;    // of text: where the reader stands, absolute; empty = at the root
    const ken_toolset *tools;      // NULL = every built-in operation, with all its parameters
    ken_tool_verdict *out_verdict; // of operations that judge; may be NULL, untouched by others
    // For callers that remember for their client what it was sent: the handle of that (ptr NULL: nobody remembers),
    // which a call that gives none goes by, and where the handle with what the answer holds is put; may be NULL.
    ken_str seen;
    ken_buf *out_seen;
    // Who asks, for the log: of the transport, and the name that the client gives itself. May be empty.
    ken_str request_id, client;
    const ken_otel_context *trace; // that the request carried; NULL = none, or the thread's
    ken_tool_about *out_about;     // may be NULL
} ken_tool_ctx;

// Calls a tool. `args`: an object, or NULL for none; it is not changed.
ken_status ken_tool_call(ken_app *app, const char *name, const json_t *args,
                         const ken_tool_ctx *ctx, json_t **out, ken_err *err) KEN_MUST_USE;

// Whether a built-in operation takes these arguments; KEN_EINVAL says what is wrong.
ken_status ken_tool_check(const char *name, const json_t *args, ken_err *err) KEN_MUST_USE;

// "Error: " and the message, with what to do next: how every surface shows a failed call.
void ken_tool_error_text(const ken_err *err, ken_buf *out);

// ---- completion ----
typedef enum ken_tool_complete_kind {
    KEN_COMPLETE_NOTHING = 0,
    KEN_COMPLETE_PROJECT, // names
    KEN_COMPLETE_PATH,    // of indexed files, relative to the root
    KEN_COMPLETE_SYMBOL,
} ken_tool_complete_kind;

enum {
    KEN_TOOL_COMPLETION_MAX = 100
};

typedef struct ken_tool_completion {
    ken_str *values; // at most KEN_TOOL_COMPLETION_MAX
    size_t n, n_total;
    bool has_more;
} ken_tool_completion;

// What may be meant by something that begins with `start`, in a project (id, name or path; empty = as
// calls without one). No folder becomes a project when ctx->is_reading.
ken_status ken_tool_complete(ken_app *app, ken_tool_complete_kind kind, ken_str start,
                             ken_str project, const ken_tool_ctx *ctx, ken_arena *arena,
                             ken_tool_completion *out, ken_err *err) KEN_MUST_USE;

// The text of a file as it is on disk now, secrets masked; it lives in `arena`.
ken_status ken_tool_read_file(ken_app *app, ken_str project, ken_str path, const ken_tool_ctx *ctx,
                              ken_arena *arena, ken_str *out, ken_err *err) KEN_MUST_USE;

// Of the git work tree at `root`: the path of its remote ("owner/name"), and the branch that is checked
// out, empty when there is none. False: it has no remote.
bool ken_tool_find_remote(ken_arena *arena, ken_str root, ken_str *out_path, ken_str *out_branch);

// Numbers that change when an answer may: with the project's index, which is brought up to date first
// (path empty), with a file of it, or with the list of projects.
ken_status ken_tool_state(ken_app *app, ken_str project, ken_str path, const ken_tool_ctx *ctx,
                          uint64_t *out, ken_err *err) KEN_MUST_USE;
ken_status ken_tool_projects_state(ken_app *app, uint64_t *out, ken_err *err) KEN_MUST_USE;

// ---- specifications: made of specs/*.json at each build (tools/gen_specs.py) --------------------
typedef enum ken_tool_arg_type {
    KEN_ARG_STR = 1, // ken_str, borrowed from the call's arguments; ptr NULL when it was not given
    KEN_ARG_U64,     // uint64_t
    KEN_ARG_REAL,    // double
    KEN_ARG_BOOL,    // bool
    KEN_ARG_JSON,    // const json_t *, borrowed; NULL when it was not given
} ken_tool_arg_type;

// A member of the struct that a tool's function gets.
typedef struct ken_tool_arg {
    const char *name;
    ken_tool_arg_type type;
    size_t offset, given_offset; // of the member, and of a bool: it was given; SIZE_MAX = none
    union {
        const char *text;
        double number;
    } fallback;
} ken_tool_arg;

typedef struct ken_tool_alias {
    const char *name, *leads_to;
} ken_tool_alias;

// An option of the command line, and the parameter that it fills.
typedef struct ken_tool_option {
    const char *name;  // without dashes
    char letter;       // 0 = none
    const char *param; // NULL: of a setting, which the command line knows by the option's name
    const char *value; // what help calls its value; NULL = a flag
    const char *text;
    const char *words; // allowed words, separated by '|'; NULL = any
    const char *means; // what a flag stands for; NULL = true
    const char *bare;  // what it stands for without a value, when it may be without
    bool is_maybe, is_list;
    ken_tool_arg_type type;
} ken_tool_option;

typedef enum ken_word_kind {
    KEN_WORD_TEXT = 1, // one word
    KEN_WORD_REST,     // all that are left, as one text
    KEN_WORD_PLACE,    // a folder: names the project, its part below the root is the argument
    KEN_WORD_ROOT,     // the same; the root of the project is the argument
    KEN_WORD_FOLDER,   // a path, which is the argument; without it the root of the project around
    KEN_WORD_FILE,     // a file of a project
    KEN_WORD_TARGET,   // FILE, FILE:LINE (both file_path) or a symbol
    KEN_WORD_RANGE,    // FILE:FIRST-LAST: file_path, line_start, line_end
} ken_word_kind;

typedef struct ken_tool_word {
    const char *name, *param; // param: may be NULL
    ken_word_kind kind;
    bool is_optional;
} ken_tool_word;

typedef struct ken_tool_command {
    const char *name; // "refs", "task new"
    const char *usage, *summary, *details;
    const ken_tool_option *options;
    size_t n_options;
    const ken_tool_word *words;
    size_t n_words;
    const char *ask; // what a terminal is asked before it is done; NULL = nothing
    unsigned order;  // its place in help
    bool is_bound;   // to one project, which is indexed first when it never was
} ken_tool_command;

typedef struct ken_tool_spec {
    const char *name, *set; // set "": for the command line and the API only
    const char *listing; // its member of tools/list, JSON; the schema of its arguments is in there
    const char *full;    // the same with what agents are not offered; NULL = there is no more
    const char
        *api; // for programs, JSON: title, description, and the schemas of `arguments` and `answer`
    const char *list; // the member of answers that is cut at its end; NULL = none
    uint64_t timeout_ms;
    uint64_t max_bytes;        // what an answer may have unless a call says otherwise; 0 = as all
    bool is_read_only, is_job; // a job takes as long as it takes, within timeout_ms
    bool needs_admin;          // over the API: a grant of scope admin, for all projects
    bool is_of_project;        // about one project
    bool takes_several;        // or about several: "*", "a,b"
    bool is_of_index;          // its answer follows from the arguments and the index alone
    const char *project_arg;   // the parameter that names the project; NULL = none
    const ken_tool_arg *args;
    size_t n_args, args_size;
    const ken_tool_alias *aliases;
    size_t n_aliases;
    const ken_tool_command *command; // NULL = none
} ken_tool_spec;

// A number that is another when the answer to these arguments may be, made of the index, which is compared with the
// folder and brought up to date first. Ask before and after a call: what it answered between two equal numbers is what
// the number stands for. False: it cannot be told (spec->is_of_index, an index that could not be brought up to date).
bool ken_tool_answer_state(ken_app *app, const ken_tool_spec *spec, const json_t *args,
                           const ken_tool_ctx *ctx, uint64_t *out);

// ---- sets of tools ---------------------------------------------------------------------------
// What could not be read, which is told with the answer.
typedef struct ken_tool_missed {
    char unread[720]; // "" = nothing
    char at[400];     // the commit that the answer is about, as a text; "" = none was named
    char commit[72];  // its id
    ken_err failure;  // of reading, which leaves no answer; KEN_OK = none
} ken_tool_missed;

// What a tool's function gets beside its arguments.
typedef struct ken_tool_env {
    ken_app *app;
    const ken_tool_ctx *ctx;       // never NULL; max_bytes is set
    ken_arena *arena;              // of this call
    ken_tool_missed *missed;       // never NULL
    const json_t *given;           // the arguments as they were given, names resolved; an object
    bool is_text;                  // the answer will be shown as text
    struct ken_tool__notes *notes; // where the time goes; NULL = nobody wants to know
} ken_tool_env;

// `args`: the tool's struct of arguments, ken_args_<name> of tool_specs.h.
typedef ken_status ken_tool_fn(const ken_tool_env *env, const void *args, json_t **out,
                               ken_err *err);
// The answer as text, for agents and people.
typedef void ken_tool_text_fn(const json_t *answer, ken_paint *out);

typedef struct ken_tool_def {
    const ken_tool_spec *spec;
    ken_tool_fn *run;
    ken_tool_text_fn *to_text;
} ken_tool_def;

typedef struct ken_toolset_opts {
    const ken_str *sets; // names of sets; none = all of them
    size_t n_sets;
    bool is_read_only;        // only tools whose readOnlyHint is true
    const ken_tool_def *defs; // NULL = the built-in tools
    size_t n_defs;
} ken_toolset_opts;

// Errors: an unknown set (the message lists those there are), a spec that is not as it should be.
ken_status ken_toolset_new(const ken_toolset_opts *opts, ken_toolset **out, ken_err *err)
    KEN_MUST_USE;
void ken_toolset_free(ken_toolset *t);

size_t ken_toolset_count(const ken_toolset *t);
const char *ken_toolset_name(const ken_toolset *t, size_t i); // borrowed, in listing order
// The built-in operations, those without a set too; the i-th of them in order.
const ken_tool_spec *ken_tool_spec_at(size_t i);  // NULL past the end
extern const char *const ken_tool_shared_answers; // schemas that answers refer to, JSON, by name
const ken_tool_spec *ken_tool_spec_find(ken_str name); // NULL: there is none
// The project that arguments name: its id, name or path; empty: none, and the call is about one. ptr NULL: it is
// about none, or about several. Borrowed from `args`, which may be NULL.
ken_str ken_tool_named_project(const ken_tool_spec *spec, const json_t *args);
const char *ken_toolset_listing(const ken_toolset *t, size_t i); // its member of tools/list, JSON
bool ken_toolset_has(const ken_toolset *t, ken_str name);
const char *ken_toolset_nearest(const ken_toolset *t, ken_str name); // NULL when none is near
uint64_t ken_toolset_timeout_ms(const ken_toolset *t, ken_str name); // 0 = none
// The JSON array of `tools/list`.
void ken_toolset_list(const ken_toolset *t, ken_buf *out);

#endif
