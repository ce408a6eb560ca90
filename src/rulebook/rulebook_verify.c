// SPDX-License-Identifier: MIT
// Verification as a whole: which rules look at which files, then one pass for each kind of facts,
// whatever the number of rules that need them; then every violation gets an example.
#include "rulebook/rulebook_verify.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/path.h"
#include "base/sorted.h"
#include "rulebook/rulebook_verify_priv.h"

enum {
    NOTE_MAX = 400
};

ken_str ken_rule_label(const ken_rule *rule, ken_arena *arena)
{
    if (rule->id.len)
        return rule->id;
    return ken_arena_printf(arena, KEN_STR_FMT ":%u", KEN_STR_ARG(rule->path),
                            rule->first_line + 1);
}

// ---- for the checks -----------------------------------------------------------------------------

bool ken_rulebook__verify_has(const verifier *v, ken_rule_check_kind kind)
{
    for (size_t i = 0; i < v->n; i++)
        if (v->rules[i].check->kind == kind)
            return true;
    return false;
}

void ken_rulebook__verify_add(verifier *v, verify_rule *r, const ken_violation *violation)
{
    r->outcome->n_found++;
    if (v->found.len >= v->max)
        return;
    ken_vec_push(&v->found, *violation);
    v->found.ptr[v->found.len - 1].rule = r->number;
}

static ken_str good_key(char out[600], uint32_t rule, ken_str folder)
{
    int n = snprintf(out, 600, "%u/" KEN_STR_FMT, rule, KEN_STR_ARG(ken_str_sub(folder, 0, 500)));
    return ken_str_n(out, (size_t)n);
}

void ken_rulebook__verify_add_good(verifier *v, verify_rule *r, ken_str path, uint32_t line,
                                   ken_str symbol)
{
    char key[600];
    bool is_new;
    if (r->last_good.ptr == path.ptr)
        return;
    r->last_good = path;
    (void)ken_map_put(&v->good_of, good_key(key, r->number, ken_path_dir(path)), v->goods.len,
                      &is_new);
    if (!is_new)
        return;
    verify_good good = { { path, line, ken_arena_dup(v->arena, symbol) }, r->number };
    ken_vec_push(&v->goods, good);
}

void ken_rulebook__verify_note(verifier *v, verify_rule *r, const char *fmt, ...)
{
    char text[NOTE_MAX];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    size_t len = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    ken_str old = r->outcome->note;
    r->outcome->note = ken_arena_printf(v->arena, KEN_STR_FMT "%s%.*s", KEN_STR_ARG(old),
                                        old.len ? "; " : "", (int)len, text);
}

bool ken_rulebook__verify_matches(verifier *v, verify_rule *r, ken_rules_regex *regex, ken_str text)
{
    bool is_match = false;
    ken_err why = { 0 };
    if (!r->is_off && ken_rules_regex_matches(regex, text, &is_match, &why)) {
        r->is_off = true;
        r->outcome->is_checked = false;
        r->outcome->n_undecided++;
        ken_rulebook__verify_note(v, r, "'%.*s': %s", text.len < 60 ? (int)text.len : 60, text.ptr,
                                  why.msg);
    }
    return is_match;
}

size_t ken_rulebook__verify_file(const verifier *v, ken_str path)
{
    size_t lo = KEN_FIRST_STR(ken_file_fact, path, v->files, v->n_files, path);
    return lo < v->n_files && ken_str_eq(v->files[lo].path, path) ? lo : SIZE_MAX;
}

ken_facts_scope ken_rulebook__verify_scope(verifier *v, uint32_t kinds)
{
    uint8_t *wanted = ken_arena_zalloc(v->arena, v->n_files + 1);
    for (size_t i = 0; i < v->n; i++)
        for (size_t f = 0; (kinds >> v->rules[i].check->kind & 1) && f < v->n_files; f++)
            wanted[f] |= v->rules[i].covers[f] & v->is_reported[f];
    ken_facts_scope scope = { .only.items = KEN_ARENA_ARRAY(v->arena, ken_str, v->n_files + 1) };
    for (size_t f = 0; f < v->n_files; f++)
        if (wanted[f])
            scope.only.items[scope.only.n++] = v->files[f].path;
    return scope;
}

// ---- which files --------------------------------------------------------------------------------

static void cover(verifier *v, verify_rule *r)
{
    r->covers = ken_arena_zalloc(v->arena, v->n_files + 1);
    bool has_any = false;
    for (size_t f = 0; f < v->n_files; f++) {
        ken_str path = v->files[f].path;
        bool is_in = !r->check->in.n || ken_globs_match(&r->check->in, path);
        if (!is_in || v->files[f].is_generated || ken_globs_match(&r->check->except, path) ||
            !ken_rules_applies_to(r->rule, path))
            continue;
        has_any = true;
        r->covers[f] = 1;
        r->outcome->n_files += v->is_reported[f];
    }
    if (!has_any)
        ken_rulebook__verify_note(v, r, "no file is looked at: its globs match none");
}

static ken_status read_diff(verifier *v, const ken_verify_opts *o, ken_map *out, ken_err *err)
{
    ken_changes changes;
    ken_status st = ken_snapshot_changes(v->s, o->diff, v->cancel, v->arena, &changes, err);
    for (size_t i = 0; !st && i < changes.n_files; i++)
        ken_map_put(out, changes.files[i].path, 1, NULL);
    return st;
}

static ken_status choose_files(verifier *v, const ken_verify_opts *o, ken_err *err)
{
    ken_map touched;
    ken_map_init(&touched);
    ken_status st = ken_globs_check(&o->paths, err);
    if (!st)
        st = ken_list_files(v->s, &(ken_facts_scope){ .with_generated = true }, v->arena, &v->files,
                            &v->n_files, err); // places are numbers
    if (!st && o->wants_diff)
        st = read_diff(v, o, &touched, err);
    v->is_reported = ken_arena_zalloc(v->arena, v->n_files + 1);
    for (size_t f = 0; !st && f < v->n_files; f++)
        v->is_reported[f] = !v->files[f].is_generated &&
                            (!o->paths.n || ken_globs_match(&o->paths, v->files[f].path)) &&
                            (!o->wants_diff || ken_map_find(&touched, v->files[f].path));
    ken_map_release(&touched);
    return st;
}

// ---- which rules --------------------------------------------------------------------------------

static ken_status compile(verifier *v, verify_rule *r, ken_str pattern, ken_rules_regex **out,
                          ken_err *err)
{
    ken_err why = { 0 };
    if (!pattern.len)
        return KEN_OK;
    ken_status st = ken_rules_regex_new(pattern, out, &why);
    if (st == KEN_EINVAL) {
        r->is_off = true;
        ken_rulebook__verify_note(v, r, "%s", why.msg);
        return KEN_OK;
    }
    return st ? KEN_FAIL(err, st, "%s", why.msg) : KEN_OK;
}

// Names are asked for together, and one that is none, or one too many, would stop all.
static ken_status check_names(verifier *v, const ken_rule_check *check, ken_err *err)
{
    if (check->kind != KEN_CHECK_FORBID_SYMBOL)
        return KEN_OK;
    if (check->names.n > KEN_NAMES_MAX - v->n_names)
        return KEN_FAIL(err, KEN_ELIMIT, "the rules forbid over %d names", KEN_NAMES_MAX);
    ken_status st = ken_names_check(&check->names, err);
    v->n_names += st ? 0 : check->names.n;
    return st;
}

// What is wrong in the check itself becomes a note of its rule.
static ken_status check_texts(verifier *v, verify_rule *r)
{
    const ken_str_list *lists[] = { &r->check->in, &r->check->except, &r->check->to,
                                    &r->check->layers };
    ken_str_list under = { (ken_str *)(uintptr_t)&r->check->under, r->check->under.len > 0 };
    ken_err why = { 0 };
    ken_status st = ken_globs_check(&under, &why);
    for (size_t i = 0; !st && i < sizeof lists / sizeof *lists; i++)
        st = ken_globs_check(lists[i], &why);
    if (!st)
        st = check_names(v, r->check, &why);
    if (st)
        ken_rulebook__verify_note(v, r, "%s", why.msg);
    return st;
}

static ken_status add_rule(verifier *v, const ken_rule *rule, uint32_t number,
                           ken_rule_outcome *outcome, ken_err *err)
{
    verify_rule *r = &v->rules[v->n];
    *r = (verify_rule){ .rule = rule, .check = &rule->check, .number = number, .outcome = outcome };
    if (check_texts(v, r))
        return KEN_OK;
    v->n++;
    ken_status st = compile(v, r, rule->check.pattern, &r->pattern, err);
    if (!st)
        st = compile(v, r, rule->check.before, &r->before, err);
    outcome->is_checked = !r->is_off;
    if (!st)
        cover(v, r);
    return st;
}

// ---- the result ---------------------------------------------------------------------------------

static const verify_good *nearest_good(const verifier *v, const ken_violation *found)
{
    char key[600];
    const verify_good *any = NULL;
    for (ken_str folder = ken_path_dir(found->path);; folder = ken_path_dir(folder)) {
        const uint64_t *at = ken_map_find(&v->good_of, good_key(key, found->rule, folder));
        if (at)
            return &v->goods.ptr[*at];
        if (!folder.len || ken_str_eq(folder, KEN_STR(".")))
            break;
    }
    const verify_good *goods = v->goods.ptr;
    for (size_t i = 0; goods && i < v->goods.len && !any; i++)
        if (goods[i].rule == found->rule)
            any = &goods[i];
    return any;
}

static void give_examples(verifier *v, const ken_rule *rules)
{
    for (size_t i = 0; i < v->found.len; i++) {
        ken_violation *x = &v->found.ptr[i];
        const verify_good *good = nearest_good(v, x);
        if (rules[x->rule].example.len)
            x->example.path = rules[x->rule].example;
        else if (good)
            x->example = good->place;
    }
}

static int by_place(const void *a, const void *b)
{
    const ken_violation *x = a, *y = b;
    int path = ken_str_cmp(x->path, y->path);
    if (path)
        return path;
    if (x->first_line != y->first_line)
        return x->first_line < y->first_line ? -1 : 1;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return (x->rule > y->rule) - (x->rule < y->rule);
}

static void finish(verifier *v, const ken_rule *rules, size_t n, ken_verification *out)
{
    give_examples(v, rules);
    if (v->found.len)
        qsort(v->found.ptr, v->found.len, sizeof *v->found.ptr, by_place);
    out->n = v->found.len;
    out->violations = ken_arena_copy(v->arena, v->found.ptr, out->n, sizeof *out->violations);
    for (size_t i = 0; i < n; i++) {
        out->n_found += out->outcomes[i].n_found;
        out->n_checked += out->outcomes[i].is_checked;
    }
    for (size_t f = 0; f < v->n_files; f++)
        out->n_files += v->is_reported[f];
    out->is_truncated = out->n_found > out->n;
}

static ken_status run(verifier *v, ken_err *err)
{
    ken_status st = ken_rulebook__verify_imports(v, err);
    if (!st)
        st = ken_rulebook__verify_files(v, err);
    if (!st)
        st = ken_rulebook__verify_definitions(v, err);
    if (!st)
        st = ken_rulebook__verify_symbols(v, err);
    return st ? st : ken_rulebook__verify_calls(v, err);
}

ken_status ken_verify_rules(ken_snapshot *s, const ken_rule *rules, size_t n,
                            const ken_verify_opts *o, const ken_cancel *cancel, ken_arena *arena,
                            ken_verification *out, ken_err *err)
{
    verifier v = { .s = s, .cancel = cancel, .arena = arena };
    v.max = o->max ? o->max : KEN_VIOLATIONS_DEFAULT;
    if (v.max > KEN_VIOLATIONS_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "max: expected 1 to %d, got %u", KEN_VIOLATIONS_MAX,
                        v.max);
    ken_verification result = { .outcomes = KEN_ARENA_ARRAY(arena, ken_rule_outcome, n + 1) };
    ken_map_init(&v.good_of);
    v.rules = KEN_ARENA_ARRAY(arena, verify_rule, n + 1);
    ken_status st = choose_files(&v, o, err);
    for (size_t i = 0; !st && i < n; i++)
        if (rules[i].check.kind != KEN_CHECK_NONE)
            st = add_rule(&v, &rules[i], (uint32_t)i, &result.outcomes[i], err);
    if (!st && v.n)
        st = run(&v, err);
    if (!st) {
        finish(&v, rules, n, &result);
        *out = result;
    }
    for (size_t i = 0; i < v.n; i++) {
        ken_rules_regex_free(v.rules[i].pattern);
        ken_rules_regex_free(v.rules[i].before);
    }
    ken_map_release(&v.good_of);
    ken_vec_release(&v.found);
    ken_vec_release(&v.goods);
    return st;
}
