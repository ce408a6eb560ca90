// SPDX-License-Identifier: MIT
// What checks of rules find, for rag_check_constraints: of the rules that are returned in the tree
// as it is, and of all rules in a diff.
#include "base/alloc.h"
#include "rulebook/rulebook_verify.h"
#include "tool/tool_rules_priv.h"

enum {
    SHOWN_MAX = 50 // violations of a diff
};

static json_t *example_json(const ken_rule_example *e)
{
    json_t *o = json_object();
    ken_json_set_str(o, "filePath", e->path);
    ken_json_set_u64(o, "line", e->line + 1u);
    if (e->symbol.len)
        ken_json_set_str(o, "symbol", e->symbol);
    return o;
}

static json_t *violation_json(const ken_violation *v)
{
    json_t *o = json_object();
    ken_json_set_str(o, "filePath", v->path);
    ken_json_set_u64(o, "startLine", v->first_line + 1u);
    ken_json_set_u64(o, "endLine", v->last_line + 1u);
    if (v->symbol.len)
        ken_json_set_str(o, "symbol", v->symbol);
    ken_json_set_str(o, "message", v->message);
    if (v->example.path.len)
        ken_json_set(o, "obeys", example_json(&v->example));
    return o;
}

// ---- rules that are returned --------------------------------------------------------------------

static json_t *finding_json(const ken_rule_finding *f)
{
    json_t *o = json_object(), *first = json_array();
    for (uint32_t i = 0; i < f->n_first; i++)
        ken_json_append(first, violation_json(&f->first[i]));
    ken_json_set_u64(o, "count", f->outcome.n_found);
    ken_json_set(o, "first", first);
    if (f->outcome.n_undecided)
        ken_json_set_u64(o, "undecided", f->outcome.n_undecided);
    if (f->outcome.note.len)
        ken_json_set_str(o, "note", f->outcome.note);
    return o;
}

ken_status ken_tool__set_findings(const ken_tool_env *env, ken_rulebook *book,
                                  const ken_rulebook_advice *a, json_t *constraints, ken_err *err)
{
    const ken_rule_finding **found;
    const ken_rule **rules = KEN_ARENA_ARRAY(env->arena, const ken_rule *, a->n_constraints + 1);
    for (size_t i = 0; i < a->n_constraints; i++)
        rules[i] = a->constraints[i].rule;
    ken_status st = ken_rulebook_find_violations(book, rules, a->n_constraints, env->ctx->cancel,
                                                 env->arena, &found, err);
    for (size_t i = 0; !st && i < a->n_constraints; i++)
        if (found[i])
            ken_json_set(json_array_get(constraints, i), "violations", finding_json(found[i]));
    return st;
}

// ---- a diff -------------------------------------------------------------------------------------

static size_t find_checks(const ken_rulebook *book, ken_arena *arena, ken_rule **out)
{
    size_t n_docs, n = 0, most = 1;
    const ken_rulebook_document *docs = ken_rulebook_documents(book, &n_docs);
    for (size_t i = 0; i < n_docs; i++)
        most += docs[i].n_rules;
    *out = KEN_ARENA_ARRAY(arena, ken_rule, most);
    for (size_t i = 0; i < n_docs; i++)
        for (size_t k = 0; k < docs[i].n_rules; k++)
            if (docs[i].rules[k].check.kind != KEN_CHECK_NONE)
                (*out)[n++] = docs[i].rules[k];
    return n;
}

ken_status ken_tool__set_diff(const ken_tool_env *env, ken_snapshot *s, const ken_rulebook *book,
                              ken_str diff, json_t *result, ken_err *err)
{
    ken_rule *rules;
    ken_verification found;
    size_t n = find_checks(book, env->arena, &rules);
    ken_verify_opts o = { .wants_diff = true, .max = SHOWN_MAX };
    if (!ken_str_eq(diff, KEN_STR("uncommitted")))
        o.diff = diff;
    ken_status st = ken_verify_rules(s, rules, n, &o, env->ctx->cancel, env->arena, &found, err);
    if (st)
        return ken_err_wrap(err, "diff");
    json_t *list = json_array();
    for (size_t i = 0; i < found.n; i++) {
        const ken_rule *rule = &rules[found.violations[i].rule];
        json_t *v = violation_json(&found.violations[i]);
        ken_json_set_str(v, "rule", ken_rule_label(rule, env->arena));
        ken_json_set_str(v, "severity", ken_str_c(ken_rule_severity_word(rule->severity)));
        ken_json_append(list, v);
    }
    ken_json_set(result, "violations", list);
    ken_json_set_u64(result, "violationsTotal", found.n_found);
    ken_json_set_u64(result, "checkedRules", found.n_checked);
    ken_json_set_u64(result, "checkedFiles", found.n_files);
    return KEN_OK;
}
