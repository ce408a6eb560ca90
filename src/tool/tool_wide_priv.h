// SPDX-License-Identifier: MIT
// tool_wide_priv.h -- a search over several projects: "*" for all that are indexed, or a list, "a,b".
//
// A project that cannot answer is told with its reason, and the others answer. The scopes belong to the
// question; they are closed with it.
#ifndef KEN_TOOL_TOOL_WIDE_PRIV_H
#define KEN_TOOL_TOOL_WIDE_PRIV_H

#include "tool/tool_graph_priv.h"

typedef struct ken_tool__wide ken_tool__wide;

// `*out` is NULL when `ref` means one project, or none. KEN_EPERM on an endpoint of one project, KEN_EINVAL for a
// list that is none.
ken_status ken_tool__find_several(const ken_tool_env *env, ken_str ref, ken_tool__wide **out,
                                  ken_err *err) KEN_MUST_USE;
void ken_tool__close_several(ken_tool__wide *w); // NULL is fine
// As ken_search; `member` of a hit says whose it is. Fails when no project could answer.
ken_status ken_tool__search_several(ken_tool__wide *w, ken_str query, const ken_search_opts *opts,
                                    ken_search_result *out, ken_err *err) KEN_MUST_USE;
// The project of a hit, open. NULL when its index has changed since.
const ken_tool__scope *ken_tool__scope_of(ken_tool__wide *w, uint32_t member);
// Its project and the commit of its index; `snap` may be closed.
const ken_tool__scope *ken_tool__head_of(const ken_tool__wide *w, uint32_t member);
// Adds how many projects were searched, which were left out and why, and of which the answer may lack
// something. Once, at the end.
void ken_tool__tell_several(ken_tool__wide *w, json_t *out);
// The same as text.
void ken_tool__several_text(const json_t *answer, ken_paint *out);

#endif
