// SPDX-License-Identifier: MIT
// tool.h -- the verbs that ken offers: one registry, called by MCP, HTTP and the command line
// alike.
//
// A tool is a spec (specs/<name>.json: texts, parameters, annotations, limits) and a function. A
// call checks its arguments against the spec before the function sees them: unknown names are
// refused with the nearest known one, strings are trimmed, nulls dropped, aliases resolved. What
// comes back is one JSON object, or with `format: "text"` a JSON string, at most `max_bytes` long:
// whole trailing results are dropped and a hint says how to narrow.
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
#include "base/str.h"

enum {
    KEN_TOOL_BYTES_MAX = 24900
}; // of a result as text, unless a call says otherwise

typedef struct ken_toolset ken_toolset;

typedef struct ken_tool_progress {
    double done, total; // of anything; total 0 = unknown
    const char *message;
} ken_tool_progress;

typedef void ken_tool_progress_fn(void *ctx, const ken_tool_progress *p);

// All-zero is a call without limits on time, without progress, on any project.
typedef struct ken_tool_ctx {
    const ken_cancel *cancel;
    ken_tool_progress_fn *on_progress; // on the calling thread, as often as the work reports it
    void *progress_ctx;
    ken_str cwd;     // absolute folder: relative paths start here, and so does the search for "the"
                     // project when none is named; empty = neither
    ken_str project; // id of the one project that may be touched; empty = any
    bool is_read_only;        // indexes are not written either
    bool is_reading;          // no folder becomes a project by this call, not even that of `cwd`
    size_t max_bytes;         // of the result as text; 0 = KEN_TOOL_BYTES_MAX, SIZE_MAX = no limit
    const ken_toolset *tools; // NULL = every built-in tool
} ken_tool_ctx;

// Calls a tool. `args`: an object, or NULL for none; it is not changed.
ken_status ken_tool_call(ken_app *app, const char *name, const json_t *args,
                         const ken_tool_ctx *ctx, json_t **out, ken_err *err) KEN_MUST_USE;

// "Error: " and the message, with what to do next: how every surface shows a failed call.
void ken_tool_error_text(const ken_err *err, ken_buf *out);

// ---- sets of tools ---------------------------------------------------------------------------
// What a tool's function gets beside its arguments.
// What could not be read is said with the answer.
typedef struct ken_tool_missed {
    char unread[720]; // "" = nothing
    ken_err failure;  // of reading, which leaves no answer; KEN_OK = none
} ken_tool_missed;

typedef struct ken_tool_env {
    ken_app *app;
    const ken_tool_ctx *ctx; // never NULL; max_bytes is set
    ken_arena *arena;        // of this call
    ken_tool_missed *missed; // never NULL
} ken_tool_env;

typedef ken_status ken_tool_fn(const ken_tool_env *env, const json_t *args, json_t **out,
                               ken_err *err);
// The compact listing of a result.
typedef void ken_tool_text_fn(const json_t *result, ken_buf *out);

typedef struct ken_tool_def {
    const char *spec; // JSON text
    ken_tool_fn *run;
    ken_tool_text_fn *to_text; // NULL: format "text" is not offered
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
bool ken_toolset_has(const ken_toolset *t, ken_str name);
const char *ken_toolset_nearest(const ken_toolset *t, ken_str name); // NULL when none is near
uint64_t ken_toolset_timeout_ms(const ken_toolset *t, ken_str name); // 0 = none
// The JSON array of `tools/list`.
void ken_toolset_list(const ken_toolset *t, ken_buf *out);

#endif
