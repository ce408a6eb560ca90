// SPDX-License-Identifier: MIT
// check_rules: verifies the rules that a machine can check.
#include "base/alloc.h"
#include "tool/tool_check_priv.h"
#include "tool/tool_graph_priv.h"
#include "tool/tool_rules_priv.h"

// ---- what is checked ----------------------------------------------------------------------------

typedef struct asked_rules {
    const json_t *ids;
    bool *is_found; // by id
    size_t n;       // 0 = all rules
} asked_rules;

static bool is_asked(const asked_rules *a, const ken_rule *rule)
{
    bool is_one = !a->n;
    for (size_t i = 0; i < a->n; i++)
        if (ken_str_eq(rule->id, ken_json_text(json_array_get(a->ids, i))))
            is_one = a->is_found[i] = true;
    return is_one;
}

// A name that was mistyped must not pass for a rule that is obeyed.
static ken_status check_asked(const asked_rules *a, ken_err *err)
{
    for (size_t i = 0; i < a->n; i++)
        if (!a->is_found[i])
            return KEN_FAIL(err, KEN_EINVAL, "rule: '%.100s' is no rule with a check",
                            json_string_value(json_array_get(a->ids, i)));
    return KEN_OK;
}

static void add_document(const asked_rules *a, const ken_rulebook_document *d, ken_tool__check *out)
{
    for (size_t i = 0; i < d->n_rules; i++)
        if (d->rules[i].check.kind != KEN_CHECK_NONE && is_asked(a, &d->rules[i]))
            out->rules[out->n++] = d->rules[i];
    for (size_t i = 0; i < d->n_issues; i++)
        out->issues[out->n_issues++] = d->issues[i].message;
    if (d->error.len)
        out->issues[out->n_issues++] = d->error;
}

static ken_status find_rules(ken_arena *arena, const json_t *ids, ken_rulebook *book,
                             ken_tool__check *out, ken_err *err)
{
    size_t n, n_rules = 1, n_issues = 1;
    asked_rules asked = { .ids = ids, .n = json_array_size(ids) };
    ken_status st = ken_rulebook_refresh(book, err);
    if (st)
        return st;
    asked.is_found = ken_arena_zalloc(arena, (asked.n + 1) * sizeof *asked.is_found);
    const ken_rulebook_document *docs = ken_rulebook_documents(book, &n);
    for (size_t i = 0; i < n; i++) {
        n_rules += docs[i].n_rules;
        n_issues += docs[i].n_issues + 1;
    }
    out->rules = KEN_ARENA_ARRAY(arena, ken_rule, n_rules);
    out->issues = KEN_ARENA_ARRAY(arena, ken_str, n_issues);
    for (size_t i = 0; i < n; i++)
        add_document(&asked, &docs[i], out);
    return check_asked(&asked, err);
}

// ---- JSON ---------------------------------------------------------------------------------------

static json_t *violation_json(const ken_tool__check *c, const ken_violation *v, ken_arena *arena)
{
    const ken_rule *rule = &c->rules[v->rule];
    json_t *o = json_object();
    ken_json_set_str(o, "rule", ken_rule_label(rule, arena));
    ken_json_set_str(o, "severity", ken_str_c(ken_rule_severity_word(rule->severity)));
    ken_json_set_str(o, "file_path", v->path);
    ken_json_set_u64(o, "start_line", v->first_line + 1u);
    ken_json_set_u64(o, "end_line", v->last_line + 1u);
    ken_json_set_u64(o, "column", v->column + 1u);
    if (v->symbol.len)
        ken_json_set_str(o, "symbol", v->symbol);
    ken_json_set_str(o, "message", v->message);
    if (v->example.path.len) {
        json_t *e = json_object();
        ken_json_set_str(e, "file_path", v->example.path);
        ken_json_set_u64(e, "line", v->example.line + 1u);
        if (v->example.symbol.len)
            ken_json_set_str(e, "symbol", v->example.symbol);
        ken_json_set(o, "example", e);
    }
    return o;
}

static json_t *outcome_json(const ken_rule *rule, const ken_rule_outcome *outcome, ken_arena *arena)
{
    json_t *o = json_object();
    ken_json_set_str(o, "id", ken_rule_label(rule, arena));
    ken_json_set_str(o, "rule", rule->text);
    ken_json_set_str(o, "document", rule->path);
    ken_json_set_u64(o, "line", rule->first_line + 1u);
    ken_json_set_str(o, "severity", ken_str_c(ken_rule_severity_word(rule->severity)));
    ken_json_set_str(o, "check", ken_str_c(ken_rule_check_word(rule->check.kind)));
    ken_json_set_bool(o, "checked", outcome->is_checked);
    ken_json_set_u64(o, "files", outcome->n_files);
    ken_json_set_u64(o, "seen", outcome->n_seen);
    ken_json_set_u64(o, "violations", outcome->n_found);
    ken_json_set_u64(o, "undecided", outcome->n_undecided);
    if (outcome->note.len)
        ken_json_set_str(o, "note", outcome->note);
    return o;
}

static const char *verdict_word(ken_tool_verdict v)
{
    return v == KEN_VERDICT_PASS ? "pass" : v == KEN_VERDICT_FAIL ? "fail" : "unknown";
}

static json_t *check_json(const ken_tool__check *c, ken_tool_verdict verdict, ken_arena *arena)
{
    json_t *o = json_object(), *violations = json_array(), *rules = json_array();
    for (size_t i = 0; i < c->found.n; i++)
        ken_json_append(violations, violation_json(c, &c->found.violations[i], arena));
    for (size_t i = 0; i < c->n; i++)
        ken_json_append(rules, outcome_json(&c->rules[i], &c->found.outcomes[i], arena));
    ken_json_set_str(o, "verdict", ken_str_c(verdict_word(verdict)));
    ken_json_set(o, "violations", violations);
    ken_json_set_u64(o, "total", c->found.n_found);
    ken_json_set_u64(o, "checked", c->found.n_checked);
    ken_json_set_u64(o, "files", c->found.n_files);
    ken_json_set(o, "rules", rules);
    ken_json_set(o, "issues", ken_tool__texts_json(c->issues, c->n_issues));
    if (c->found.is_truncated)
        ken_json_set_str(o, "hint",
                         ken_arena_printf(arena, "%zu of %u violations are shown", c->found.n,
                                          c->found.n_found));
    return o;
}

// ---- the check ----------------------------------------------------------------------------------

static ken_tool_verdict judge(const ken_tool__check *c)
{
    if (c->n_issues || c->found.n_checked < c->n)
        return KEN_VERDICT_UNKNOWN;
    for (size_t i = 0; i < c->n; i++)
        if (c->rules[i].severity == KEN_RULE_ERROR && c->found.outcomes[i].n_found)
            return KEN_VERDICT_FAIL;
    return KEN_VERDICT_PASS;
}

// A run of CI must not judge yesterday's tree.
static ken_status open_current(const ken_tool_env *env, ken_str ref, ken_tool__scope *out,
                               ken_err *err)
{
    ken_project_info project;
    ken_status st = ken_tool__find_project(env, ref, &project, err);
    if (!st)
        st = ken_tool__index_now(env, &project, err);
    return st ? st : ken_tool__open_project(env, &project, out, err);
}

static ken_status run_check(const ken_tool_env *env, const ken_args_check_rules *a, ken_snapshot *s,
                            ken_tool__check *out, ken_err *err)
{
    ken_str directory = a->directory;
    ken_verify_opts o = { .wants_diff = a->diff.len > 0, .max = KEN_VIOLATIONS_MAX };
    if (!ken_str_eq(a->diff, KEN_STR("uncommitted")))
        o.diff = a->diff;
    if (directory.len)
        o.paths = (ken_str_list){ &directory, 1 };
    ken_status st = find_rules(env->arena, a->rules, ken_app_rulebook(env->app, s), out, err);
    if (st)
        return st;
    return ken_verify_rules(s, out->rules, out->n, &o, env->ctx->cancel, env->arena, &out->found,
                            err);
}

ken_status ken_tool__check_rules(const ken_tool_env *env, const void *args, json_t **out,
                                 ken_err *err)
{
    const ken_args_check_rules *a = args;
    ken_tool__scope scope;
    ken_tool__check check = { .n = 0 };
    ken_status st = open_current(env, a->project, &scope, err);
    if (st)
        return st;
    st = run_check(env, a, scope.snap, &check, err);
    if (!st) {
        ken_tool_verdict verdict = judge(&check);
        if (env->ctx->out_verdict)
            *env->ctx->out_verdict = verdict;
        if (ken_str_eq(a->format, KEN_STR("sarif"))) {
            *out = ken_tool__sarif_json(&check, env->arena);
        } else {
            *out = check_json(&check, verdict, env->arena);
            ken_tool__set_scope(*out, &scope);
            ken_tool__fit(*out, "violations", env->ctx->max_bytes,
                          "more violations than fit here; a {directory} shows a part");
        }
    }
    ken_tool__close(env, &scope);
    return st;
}

// ---- text: as compilers print -------------------------------------------------------------------

static const json_t *rule_of(const json_t *answer, ken_str id)
{
    const json_t *rules = json_object_get(answer, "rules");
    for (size_t i = 0; i < json_array_size(rules); i++)
        if (ken_str_eq(ken_tool__member(json_array_get(rules, i), "id"), id))
            return json_array_get(rules, i);
    return NULL;
}

static void put_violation(const json_t *answer, const json_t *v, ken_paint *out)
{
    ken_str rule = ken_tool__member(v, "rule"), severity = ken_tool__member(v, "severity");
    const json_t *example = json_object_get(v, "example");
    bool is_error = ken_str_eq(severity, KEN_STR("error"));
    ken_paint_path(out, ken_tool__member(v, "file_path"));
    ken_paint_printf(out, KEN_STYLE_PLAIN, ":%lld:%lld: ", ken_tool__number(v, "start_line"),
                     ken_tool__number(v, "column"));
    ken_paint_printf(out, is_error ? KEN_STYLE_BAD : KEN_STYLE_NOTE, KEN_STR_FMT ": ",
                     KEN_STR_ARG(severity));
    ken_paint_str(out, KEN_STYLE_PLAIN, ken_tool__member(v, "message"));
    ken_paint_printf(out, KEN_STYLE_DIM, " [" KEN_STR_FMT "]\n", KEN_STR_ARG(rule));
    ken_paint_puts(out, "    rule: ");
    ken_paint_str(out, KEN_STYLE_PLAIN, ken_tool__member(rule_of(answer, rule), "rule"));
    if (example) {
        ken_str symbol = ken_tool__member(example, "symbol");
        ken_paint_puts(out, "\n    obeys: ");
        ken_paint_path(out, ken_tool__member(example, "file_path"));
        if (symbol.len)
            ken_paint_printf(out, KEN_STYLE_PLAIN, ":%lld " KEN_STR_FMT,
                             ken_tool__number(example, "line"), KEN_STR_ARG(symbol));
    }
    ken_paint_puts(out, "\n");
}

static void put_outcome(const json_t *rule, ken_paint *out)
{
    ken_str id = ken_tool__member(rule, "id"), note = ken_tool__member(rule, "note");
    long long n = ken_tool__number(rule, "undecided");
    if (note.len)
        ken_paint_printf(out, KEN_STYLE_NOTE, KEN_STR_FMT ": " KEN_STR_FMT "\n", KEN_STR_ARG(id),
                         KEN_STR_ARG(note));
    if (n)
        ken_paint_printf(out, KEN_STYLE_NOTE,
                         KEN_STR_FMT ": %lld of what it looks at could not be decided\n",
                         KEN_STR_ARG(id), n);
}

static void put_count(ken_paint *out, const json_t *answer, const char *key, const char *noun)
{
    long long n = ken_tool__number(answer, key);
    ken_paint_printf(out, KEN_STYLE_PLAIN, "%lld %s%s", n, noun, n == 1 ? "" : "s");
}

void ken_tool__check_rules_text(const json_t *answer, ken_paint *out)
{
    const json_t *violations = json_object_get(answer, "violations"),
                 *rules = json_object_get(answer, "rules"),
                 *issues = json_object_get(answer, "issues");
    for (size_t i = 0; i < json_array_size(issues); i++) {
        ken_paint_str(out, KEN_STYLE_BAD, ken_json_text(json_array_get(issues, i)));
        ken_paint_puts(out, "\n");
    }
    if (!json_array_size(rules)) {
        ken_paint_puts(out, "no rule with a check: see docs/rules.md\n");
        return;
    }
    for (size_t i = 0; i < json_array_size(violations); i++)
        put_violation(answer, json_array_get(violations, i), out);
    for (size_t i = 0; i < json_array_size(rules); i++)
        put_outcome(json_array_get(rules, i), out);
    put_count(out, answer, "total", "violation");
    ken_paint_puts(out, ", ");
    put_count(out, answer, "checked", "rule");
    ken_paint_puts(out, " checked in ");
    put_count(out, answer, "files", "file");
    ken_paint_puts(out, "\n");
    ken_tool__put_tail(answer, out);
}
