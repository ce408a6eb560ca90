// SPDX-License-Identifier: MIT
// ken rules check: verifies the rules that a machine can check.
#include <inttypes.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "cli/cli_rules_priv.h"
#include "json/json.h"
#include "query/query_facts.h"
#include "rulebook/rulebook.h"

// ---- what is checked ----------------------------------------------------------------------------

typedef struct asked_rules {
    const char **ids;
    bool *is_found; // by id
    size_t n;       // 0 = all rules
} asked_rules;

static asked_rules read_asked(cli *x)
{
    asked_rules a;
    a.n = ken_cli__args_list(&x->args, "rule", &x->arena, &a.ids);
    a.is_found = ken_arena_zalloc(&x->arena, (a.n + 1) * sizeof *a.is_found);
    return a;
}

static bool is_asked(const asked_rules *a, const ken_rule *rule)
{
    bool is_one = !a->n;
    for (size_t i = 0; i < a->n; i++)
        if (ken_str_eq_c(rule->id, a->ids[i]))
            is_one = a->is_found[i] = true;
    return is_one;
}

// A name that was mistyped must not pass for a rule that is obeyed.
static ken_status check_asked(cli *x, const asked_rules *a, ken_err *err)
{
    for (size_t i = 0; i < a->n; i++) {
        if (a->is_found[i])
            continue;
        x->is_usage_error = true;
        return KEN_FAIL(err, KEN_EINVAL, "rule: '%.100s' is no rule with a check", a->ids[i]);
    }
    return KEN_OK;
}

static void add_document(const asked_rules *a, const ken_rulebook_document *d, cli_rules *out)
{
    for (size_t i = 0; i < d->n_rules; i++)
        if (d->rules[i].check.kind != KEN_CHECK_NONE && is_asked(a, &d->rules[i]))
            out->rules[out->n++] = d->rules[i];
    for (size_t i = 0; i < d->n_issues; i++)
        out->issues[out->n_issues++] = d->issues[i].message;
    if (d->error.len)
        out->issues[out->n_issues++] = d->error;
}

static ken_status find_rules(cli *x, ken_rulebook *book, cli_rules *out, ken_err *err)
{
    size_t n, n_rules = 1, n_issues = 1;
    ken_status st = ken_rulebook_refresh(book, err);
    if (st)
        return st;
    asked_rules asked = read_asked(x);
    const ken_rulebook_document *docs = ken_rulebook_documents(book, &n);
    for (size_t i = 0; i < n; i++) {
        n_rules += docs[i].n_rules;
        n_issues += docs[i].n_issues + 1;
    }
    out->rules = KEN_ARENA_ARRAY(&x->arena, ken_rule, n_rules);
    out->issues = KEN_ARENA_ARRAY(&x->arena, ken_str, n_issues);
    for (size_t i = 0; i < n; i++)
        add_document(&asked, &docs[i], out);
    return check_asked(x, &asked, err);
}

// `--diff REV`, as well as `--diff=REV`: a word that is no path.
static ken_status read_words(cli *x, ken_verify_opts *o, const char **out_path, ken_err *err)
{
    const char *rev = ken_cli__args_get(&x->args, "diff");
    size_t n = x->args.n_words;
    o->wants_diff = ken_cli__args_has(&x->args, "diff");
    if (o->wants_diff && !rev && n > 0 && !ken_fs_exists(x->args.words[n - 1]))
        rev = x->args.words[--n];
    o->diff = ken_str_c(rev ? rev : "");
    *out_path = n ? x->args.words[0] : NULL;
    if (n < 2)
        return KEN_OK;
    x->is_usage_error = true;
    return KEN_FAIL(err, KEN_EINVAL, "'ken rules check' does not take '%.60s' as well",
                    x->args.words[1]);
}

// ---- text ---------------------------------------------------------------------------------------

static void print_violation(cli *x, const cli_rules *r, const ken_violation *v)
{
    const ken_rule *rule = &r->rules[v->rule];
    bool is_error = rule->severity == KEN_RULE_ERROR;
    ken_cli__paint_text(x, KEN_STYLE_PATH, v->path);
    ken_cli__print(":%" PRIu32 ":%" PRIu32 ": ", v->first_line + 1, v->column + 1);
    ken_cli__paint(x, is_error ? KEN_STYLE_BAD : KEN_STYLE_NOTE,
                   "%s: ", ken_rule_severity_word(rule->severity));
    ken_cli__print_text(v->message);
    ken_cli__paint(x, KEN_STYLE_DIM, " [" KEN_STR_FMT "]\n",
                   KEN_STR_ARG(ken_rule_label(rule, &x->arena)));
    ken_cli__print("    rule: ");
    ken_cli__print_text(rule->text);
    if (v->example.path.len) {
        ken_cli__print("\n    obeys: ");
        ken_cli__paint_text(x, KEN_STYLE_PATH, v->example.path);
        if (v->example.symbol.len) {
            ken_cli__print(":%" PRIu32 " ", v->example.line + 1);
            ken_cli__print_text(v->example.symbol);
        }
    }
    ken_cli__print("\n");
}

static void print_outcomes(cli *x, const cli_rules *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const ken_rule_outcome *o = &r->found.outcomes[i];
        ken_str label = ken_rule_label(&r->rules[i], &x->arena);
        if (o->note.len)
            ken_cli__note(x, KEN_STR_FMT ": " KEN_STR_FMT, KEN_STR_ARG(label),
                          KEN_STR_ARG(o->note));
        if (o->n_undecided)
            ken_cli__note(x, KEN_STR_FMT ": %" PRIu32 " of what it looks at could not be decided",
                          KEN_STR_ARG(label), o->n_undecided);
    }
    if (r->found.is_truncated)
        ken_cli__note(x, "%zu of %" PRIu32 " violations are shown", r->found.n, r->found.n_found);
    ken_cli__print("%s, %s checked in %s\n",
                   ken_cli__format_n(&x->arena, r->found.n_found, "violation").ptr,
                   ken_cli__format_n(&x->arena, r->found.n_checked, "rule").ptr,
                   ken_cli__format_n(&x->arena, r->found.n_files, "file").ptr);
}

static void print_text(cli *x, const cli_rules *r)
{
    for (size_t i = 0; i < r->found.n; i++)
        print_violation(x, r, &r->found.violations[i]);
    print_outcomes(x, r);
}

// ---- JSON ---------------------------------------------------------------------------------------

static json_t *violation_json(cli *x, const cli_rules *r, const ken_violation *v)
{
    const ken_rule *rule = &r->rules[v->rule];
    json_t *o = json_object();
    ken_json_set_str(o, "rule", ken_rule_label(rule, &x->arena));
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

static json_t *outcome_json(cli *x, const ken_rule *rule, const ken_rule_outcome *outcome)
{
    json_t *o = json_object();
    ken_json_set_str(o, "id", ken_rule_label(rule, &x->arena));
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

static void print_json(cli *x, const cli_place *place, const cli_rules *r)
{
    json_t *top = json_object(), *violations = json_array(), *rules = json_array(),
           *issues = json_array();
    for (size_t i = 0; i < r->found.n; i++)
        ken_json_append(violations, violation_json(x, r, &r->found.violations[i]));
    for (size_t i = 0; i < r->n; i++)
        ken_json_append(rules, outcome_json(x, &r->rules[i], &r->found.outcomes[i]));
    for (size_t i = 0; i < r->n_issues; i++)
        ken_json_append(issues, ken_json_str(r->issues[i]));
    ken_cli__json_set_project(top, &place->project);
    ken_json_set(top, "violations", violations);
    ken_json_set_u64(top, "total", r->found.n_found);
    ken_json_set_u64(top, "files", r->found.n_files);
    ken_json_set(top, "rules", rules);
    ken_json_set(top, "issues", issues);
    ken_cli__print_json(top);
}

// ---- ken rules check ----------------------------------------------------------------------------

// 0: nothing of severity error; 1: something; 2: a rule could not be read, or its check not done.
static int exit_code_of(const cli_rules *r)
{
    bool has_error = false;
    if (r->n_issues || r->found.n_checked < r->n)
        return 2;
    for (size_t i = 0; i < r->n; i++)
        has_error = has_error ||
                    (r->rules[i].severity == KEN_RULE_ERROR && r->found.outcomes[i].n_found > 0);
    return has_error;
}

static void show(cli *x, const cli_place *place, const cli_rules *r)
{
    for (size_t i = 0; i < r->n_issues; i++)
        ken_cli__note(x, KEN_STR_FMT, KEN_STR_ARG(r->issues[i]));
    if (ken_cli__args_has(&x->args, "sarif"))
        ken_cli__print_sarif(x, r);
    else if (x->is_json)
        print_json(x, place, r);
    else if (r->n)
        print_text(x, r);
    else
        ken_cli__print("no rule with a check: see docs/rules.md\n");
}

// A run of CI must not judge yesterday's tree.
static ken_status bring_up_to_date(cli *x, const cli_place *place, ken_err *err)
{
    ken_config *settings = NULL;
    ken_index_report report;
    if (!place->is_known || ken_cli__args_has(&x->args, "no-index"))
        return KEN_OK;
    ken_status st = ken_app_load_settings(x->app, &place->project, &settings, err);
    if (!st)
        st = ken_cli__index(x, &place->project, ken_app_index_opts(settings), &report, err);
    ken_config_free(settings);
    return st;
}

ken_status ken_cli__run_rules_check(cli *x, ken_err *err)
{
    cli_place place = { 0 };
    ken_snapshot *snap = NULL;
    cli_rules r = { 0 };
    ken_verify_opts o = { .max = KEN_VIOLATIONS_MAX };
    const char *path = NULL;
    ken_status st = read_words(x, &o, &path, err);
    if (!st)
        st = ken_cli__find_place(x, path, &place, err);
    if (!st)
        st = bring_up_to_date(x, &place, err);
    if (!st)
        st = ken_cli__open_place(x, &place, !ken_cli__args_has(&x->args, "no-index"), &snap, err);
    if (!st)
        st = find_rules(x, ken_app_rulebook(x->app, snap), &r, err);
    if (place.below.len)
        o.paths = (ken_str_list){ &place.below, 1 };
    if (!st)
        st = ken_verify_rules(snap, r.rules, r.n, &o, x->cancel, &x->arena, &r.found, err);
    st = ken_cli__check_answer(snap, st, err);
    if (!st) {
        show(x, &place, &r);
        x->exit_code = exit_code_of(&r);
    }
    ken_cli__close_place(x, &place, snap);
    return st;
}
