// SPDX-License-Identifier: MIT
// What a file, a definition or a use says of itself: naming, placement, max, forbid_symbol.
#include "base/path.h"
#include "rulebook/rulebook_verify_priv.h"

// ---- files --------------------------------------------------------------------------------------

static void add_file(verifier *v, verify_rule *r, const ken_file_fact *f, ken_str message)
{
    ken_violation x = { .path = f->path, .message = message };
    ken_rulebook__verify_add(v, r, &x);
}

static ken_str stem_of(ken_str path)
{
    return ken_path_stem(ken_path_base(path));
}

// The message of a file that does not obey; empty when it does.
static ken_str judge_file(verifier *v, verify_rule *r, const ken_file_fact *f)
{
    const ken_rule_check *c = r->check;
    ken_str_list under = { (ken_str *)(uintptr_t)&c->under, 1 };
    if (c->kind == KEN_CHECK_PLACEMENT && !ken_globs_match(&under, f->path))
        return ken_arena_printf(v->arena, "lies outside of '" KEN_STR_FMT "', where it belongs",
                                KEN_STR_ARG(c->under));
    if (c->kind == KEN_CHECK_MAX && f->n_lines > c->value)
        return ken_arena_printf(v->arena, "has %u lines; at most %u are allowed", f->n_lines,
                                c->value);
    if (c->kind == KEN_CHECK_NAMING &&
        !ken_rulebook__verify_matches(v, r, r->pattern, stem_of(f->path)) && !r->is_off)
        return ken_arena_printf(v->arena,
                                "file name '" KEN_STR_FMT "' does not match '" KEN_STR_FMT "'",
                                KEN_STR_ARG(stem_of(f->path)), KEN_STR_ARG(c->pattern));
    return KEN_STR("");
}

static bool is_of_files(const ken_rule_check *c)
{
    return c->kind == KEN_CHECK_PLACEMENT || (c->kind == KEN_CHECK_NAMING && c->is_of_files) ||
           (c->kind == KEN_CHECK_MAX && c->measure == KEN_MEASURE_FILE_LINES);
}

ken_status ken_rulebook__verify_files(verifier *v, ken_err *err)
{
    for (size_t i = 0; i < v->n; i++) {
        verify_rule *r = &v->rules[i];
        if (!is_of_files(r->check))
            continue;
        for (size_t f = 0; f < v->n_files && !r->is_off; f++) {
            if (!r->covers[f])
                continue;
            ken_str message = judge_file(v, r, &v->files[f]);
            r->outcome->n_seen += v->is_reported[f];
            if (!message.len)
                ken_rulebook__verify_add_good(v, r, v->files[f].path, 0, KEN_STR(""));
            else if (v->is_reported[f])
                add_file(v, r, &v->files[f], message);
        }
        if (ken_cancel_check(v->cancel, err))
            return KEN_ECANCELLED;
    }
    return KEN_OK;
}

// ---- definitions --------------------------------------------------------------------------------

static bool is_of_definitions(const ken_rule_check *c)
{
    return (c->kind == KEN_CHECK_NAMING || c->kind == KEN_CHECK_MAX) && !is_of_files(c);
}

static uint32_t measured(const ken_rule_check *c, const ken_definition_fact *d, const char **out)
{
    switch (c->measure) {
    case KEN_MEASURE_FUNCTION_LINES:
        *out = "lines";
        return d->last_line - d->first_line + 1;
    case KEN_MEASURE_PARAMETERS:
        *out = "parameters";
        return d->max_params;
    case KEN_MEASURE_COMPLEXITY:
        *out = "paths through it (complexity)";
        return d->complexity;
    case KEN_MEASURE_NONE:
    case KEN_MEASURE_FILE_LINES:
        break;
    }
    *out = "";
    return 0;
}

static bool is_meant(const ken_rule_check *c, const ken_definition_fact *d)
{
    if (c->kind == KEN_CHECK_MAX)
        return ken_symbol_is_callable(d->kind) && d->kind != KEN_SYMBOL_MACRO;
    bool is_code = ken_symbol_is_callable(d->kind) || ken_symbol_is_type(d->kind) ||
                   ken_symbol_is_variable(d->kind);
    return d->name.len && (c->symbol == KEN_SYMBOL_UNKNOWN ? is_code : d->kind == c->symbol);
}

static ken_str judge_definition(verifier *v, verify_rule *r, const ken_definition_fact *d)
{
    const ken_rule_check *c = r->check;
    const char *unit, *kind = ken_symbol_kind_word(d->kind);
    if (c->kind == KEN_CHECK_NAMING) {
        if (ken_rulebook__verify_matches(v, r, r->pattern, d->name) || r->is_off)
            return KEN_STR("");
        return ken_arena_printf(v->arena,
                                "name of %s '" KEN_STR_FMT "' does not match '" KEN_STR_FMT "'",
                                kind, KEN_STR_ARG(d->name), KEN_STR_ARG(c->pattern));
    }
    uint32_t value = measured(c, d, &unit);
    if (value <= c->value)
        return KEN_STR("");
    return ken_arena_printf(v->arena, "%s '" KEN_STR_FMT "' has %u %s; at most %u are allowed",
                            kind, KEN_STR_ARG(d->name), value, unit, c->value);
}

// Judges each definition as it comes by; none has to be kept.
static bool look_at_definition(void *ctx, const ken_definition_fact *d)
{
    verifier *v = ctx;
    for (size_t i = 0; i < v->n; i++) {
        verify_rule *r = &v->rules[i];
        if (!is_of_definitions(r->check) || r->is_off || !r->covers[d->part.file] ||
            !is_meant(r->check, d))
            continue;
        r->outcome->n_seen++;
        ken_str message = judge_definition(v, r, d);
        if (!message.len) {
            ken_rulebook__verify_add_good(v, r, d->path, d->first_line, d->name);
            continue;
        }
        ken_violation x = { .path = d->path,
                            .first_line = d->first_line,
                            .last_line = d->last_line,
                            .symbol = ken_arena_dup(v->arena, d->name),
                            .message = message };
        ken_rulebook__verify_add(v, r, &x);
    }
    return false;
}

ken_status ken_rulebook__verify_definitions(verifier *v, ken_err *err)
{
    bool has_any = false;
    for (size_t i = 0; i < v->n; i++)
        has_any = has_any || is_of_definitions(v->rules[i].check);
    if (!has_any)
        return KEN_OK;
    ken_definitions none;
    ken_definitions_query q = { .scope = ken_rulebook__verify_scope(v, 1u << KEN_CHECK_NAMING |
                                                                           1u << KEN_CHECK_MAX),
                                .keeps = look_at_definition,
                                .ctx = v };
    if (!q.scope.only.n)
        return KEN_OK;
    return ken_list_definitions(v->s, &q, v->cancel, v->arena, &none, err);
}

// ---- uses ---------------------------------------------------------------------------------------

typedef struct symbol_check {
    ken_str_list names;
    uint32_t *rules; // by name
} symbol_check;

static void add_use(verifier *v, verify_rule *r, const ken_name_use *use, ken_str name)
{
    bool is_same = ken_str_eq(use->written, name);
    ken_str as =
        is_same ? KEN_STR("")
                : ken_arena_printf(v->arena, " (as '" KEN_STR_FMT "')", KEN_STR_ARG(use->written));
    ken_violation x = { .path = use->path,
                        .first_line = use->at.line,
                        .last_line = use->at.line,
                        .column = use->at.column,
                        .symbol = use->written,
                        .message = ken_arena_printf(v->arena,
                                                    "uses '" KEN_STR_FMT "'" KEN_STR_FMT
                                                    ", which is forbidden here",
                                                    KEN_STR_ARG(name), KEN_STR_ARG(as)) };
    ken_rulebook__verify_add(v, r, &x);
}

static void judge_uses(verifier *v, const symbol_check *c, const ken_name_uses *uses)
{
    for (size_t i = 0; i < uses->n; i++) {
        const ken_name_use *use = &uses->items[i];
        verify_rule *r = &v->rules[c->rules[use->name]];
        size_t f = ken_rulebook__verify_file(v, use->path);
        if (f == SIZE_MAX || !r->covers[f])
            continue;
        r->outcome->n_seen++;
        add_use(v, r, use, c->names.items[use->name]);
    }
}

static ken_status check_symbols(verifier *v, symbol_check *c, ken_err *err)
{
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++)
        n += v->rules[i].check->kind == KEN_CHECK_FORBID_SYMBOL ? v->rules[i].check->names.n : 0;
    c->names.items = KEN_ARENA_ARRAY(v->arena, ken_str, n + 1);
    c->rules = KEN_ARENA_ARRAY(v->arena, uint32_t, n + 1);
    for (size_t i = 0; i < v->n; i++) {
        const ken_rule_check *check = v->rules[i].check;
        for (size_t k = 0; check->kind == KEN_CHECK_FORBID_SYMBOL && k < check->names.n; k++) {
            c->rules[c->names.n] = (uint32_t)i;
            c->names.items[c->names.n++] = check->names.items[k];
        }
    }
    ken_name_uses uses;
    ken_facts_scope scope = ken_rulebook__verify_scope(v, 1u << KEN_CHECK_FORBID_SYMBOL);
    if (!scope.only.n)
        return KEN_OK;
    ken_status st = ken_list_name_uses(v->s, &scope, &c->names, v->cancel, v->arena, &uses, err);
    if (!st)
        judge_uses(v, c, &uses);
    return st;
}

ken_status ken_rulebook__verify_symbols(verifier *v, ken_err *err)
{
    symbol_check c = { .rules = NULL };
    return ken_rulebook__verify_has(v, KEN_CHECK_FORBID_SYMBOL) ? check_symbols(v, &c, err)
                                                                : KEN_OK;
}
