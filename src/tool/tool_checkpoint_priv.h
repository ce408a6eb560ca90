// SPDX-License-Identifier: MIT
// tool_checkpoint_priv.h -- what the tools of checkpoints share.
#ifndef KEN_TOOL_TOOL_CHECKPOINT_PRIV_H
#define KEN_TOOL_TOOL_CHECKPOINT_PRIV_H

#include "checkpoint/checkpoint.h"
#include "tool/tool_priv.h"
#include "tool_specs.h"

// The project that `ref` means, indexed when it never was, and its checkpoints.
ken_status ken_tool__open_checkpoints(const ken_tool_env *env, ken_str ref, ken_tool__scope *scope,
                                      ken_checkpoints **out, ken_err *err) KEN_MUST_USE;
ken_status ken_tool__read_checkpoint_id(ken_str text, ken_uuid *out, ken_err *err) KEN_MUST_USE;
// A list of texts, borrowed from `list`; NULL when that is NULL.
const ken_str *ken_tool__read_texts(const ken_tool_env *env, const json_t *list, size_t *out_n);
// A context may be larger than an answer: one of more than `max_bytes` becomes the beginning of its
// text, `context_cut`.
void ken_tool__shorten_context(json_t *o, size_t max_bytes);
// The record. `shown`: bytes of the description; longer ones are cut and say so.
json_t *ken_tool__checkpoint_json(const ken_tool__scope *scope, const ken_checkpoint *c,
                                  size_t shown, bool with_dirty);
// One checkpoint as a listing has it.
void ken_tool__put_checkpoint_line(const json_t *c, ken_paint *out);

#endif
