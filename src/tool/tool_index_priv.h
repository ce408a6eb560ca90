// SPDX-License-Identifier: MIT
// tool_index_priv.h -- the parts of index_repository.
#ifndef KEN_TOOL_TOOL_INDEX_PRIV_H
#define KEN_TOOL_TOOL_INDEX_PRIV_H

#include "app/bundles.h"
#include "tool/tool_priv.h"

// Globs of the argument `key`, checked. Outputs stay as they are when the list is NULL or empty.
ken_status ken_tool__read_patterns(const ken_tool_env *env, const json_t *list, const char *key,
                                   ken_str **out, size_t *out_n, ken_err *err) KEN_MUST_USE;

// ---- tool_projects.c: what an index is limited to -----------------------------------------------
// include_patterns, exclude_patterns, max_file_size.
void ken_tool__set_limits(json_t *o, const ken_index_limits *limits);
// What a caller gives for these; NULL leaves a part as it is, an empty list takes it away.
ken_status ken_tool__change_limits(const ken_tool_env *env, const json_t *include,
                                   const json_t *exclude, ken_index_limits *limits,
                                   bool *out_has_changed, ken_err *err) KEN_MUST_USE;

// The bundle that a run was told to begin with.
typedef struct ken_tool__bundle {
    ken_str from; // empty = none
    ken_app_bundle *bundle;
    json_t *told; // what became of it; NULL = nothing was asked
} ken_tool__bundle;

// Before the sandbox: opens or fetches it. That it cannot be had is told in `out` and no error.
ken_status ken_tool__open_from(const ken_tool_env *env, const ken_project_info *project,
                               ken_str from, ken_tool__bundle *out, ken_err *err) KEN_MUST_USE;
// Imports it. That it does not fit is told and no error; KEN_ECANCELLED and KEN_ETIMEOUT are.
ken_status ken_tool__take_from(const ken_tool_env *env, ken_project_info *project,
                               ken_index_progress_fn *on_progress, void *progress_ctx,
                               const ken_cancel *cancel, ken_tool__bundle *b, ken_err *err)
    KEN_MUST_USE;
void ken_tool__close_from(ken_tool__bundle *b);
void ken_tool__put_from(const json_t *told, ken_paint *out); // as text; NULL = nothing

#endif
