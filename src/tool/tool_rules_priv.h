// SPDX-License-Identifier: MIT
// tool_rules_priv.h -- what the rag_ tools share: the project that is meant, and a few shapes.
#ifndef KEN_TOOL_TOOL_RULES_PRIV_H
#define KEN_TOOL_TOOL_RULES_PRIV_H

#include "rulebook/rulebook.h"
#include "tool/tool_priv.h"
#include "tool_specs.h"

// The project that `ref` names; else the one of a bound endpoint; else the one that was set up or
// indexed last, which outlives a restart; else the one around the client's folder. KEN_ENOTFOUND
// says what to call first.
ken_status ken_tool__find_rules_project(const ken_tool_env *env, ken_str ref, ken_project_info *out,
                                        ken_err *err) KEN_MUST_USE;
// That project, open, with its rulebook; indexed first when it never was.
ken_status ken_tool__open_rules(const ken_tool_env *env, ken_str ref, ken_tool__scope *out,
                                ken_rulebook **out_book, ken_err *err) KEN_MUST_USE;
// The project is meant from now on when none is named; that it could not be written is no failure.
void ken_tool__set_rules_project(const ken_tool_env *env, const ken_project_info *project);

// Sets `projectRoot`, and `projectNote` when nobody named the project and the client works elsewhere.
void ken_tool__tell_rules_project(const ken_tool_env *env, const ken_project_info *project,
                                  ken_str ref, json_t *o);
void ken_tool__put_rules_project(const json_t *answer, ken_paint *out);

bool ken_tool__has_rag_folder(const ken_tool_env *env, ken_str root);
// {status: "success"}
json_t *ken_tool__success_json(void);
// {codebase, constraints, patterns}
json_t *ken_tool__collections_json(const ken_rulebook_counts *c);
void ken_tool__put_counts(const json_t *collections, ken_paint *out);
// "3 constraints", "1 pattern"
void ken_tool__put_count(ken_buf *out, size_t n, const char *noun);
json_t *ken_tool__texts_json(const ken_str *items, size_t n);

// ---- tool_rag_violations.c ---------------------------------------------------------------------
// Adds `violations` to the constraints (an array, one for each) whose rules can be checked.
ken_status ken_tool__set_findings(const ken_tool_env *env, ken_rulebook *book,
                                  const ken_rulebook_advice *a, json_t *constraints, ken_err *err)
    KEN_MUST_USE;
// Adds what a diff does against the rules.
ken_status ken_tool__set_diff(const ken_tool_env *env, ken_snapshot *s, const ken_rulebook *book,
                              ken_str diff, json_t *result, ken_err *err) KEN_MUST_USE;

#endif
