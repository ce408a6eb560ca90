// SPDX-License-Identifier: MIT
// require_call: handlers of routes, or functions, call one of some names, before others perhaps.
#include "rulebook/rulebook_verify_priv.h"

// What is asked of one handler or function.
typedef struct call_subject {
    verify_rule *r;
    ken_str path, what; // "function 'save'"
    ken_str name;
    uint32_t first_line, last_line;
    ken_code_part body;
    const ken_guard *guards;
    size_t n_guards;
} call_subject;

typedef struct call_check {
    verifier *v;
    KEN_VEC(call_subject) subjects;
} call_check;

// ---- names --------------------------------------------------------------------------------------

static bool ends_with_name(ken_str full, ken_str name)
{
    return name.len && ken_str_ends(full, name) &&
           (full.len == name.len || memchr(".:>", full.ptr[full.len - name.len - 1], 3));
}

// `requireAuth`, `auth.required`, or `src/auth.ts:requireAuth`, which is that file's.
static bool is_call_of(ken_str asked, ken_str written, ken_str to_path, ken_str to_name)
{
    size_t colon = ken_str_rfind_char(asked, ':');
    if (colon == SIZE_MAX || !colon || asked.ptr[colon - 1] == ':')
        return ends_with_name(written, asked) || ends_with_name(to_name, asked);
    return ken_str_eq(to_path, ken_str_sub(asked, 0, colon)) &&
           ends_with_name(to_name, ken_str_sub(asked, colon + 1, asked.len));
}

static bool is_required(const ken_rule_check *c, ken_str written, ken_str to_path, ken_str to_name)
{
    for (size_t i = 0; i < c->names.n; i++)
        if (is_call_of(c->names.items[i], written, to_path, to_name))
            return true;
    return false;
}

static bool is_guarded(const call_subject *s)
{
    for (size_t i = 0; i < s->n_guards; i++)
        if (is_required(s->r->check, s->guards[i].name, s->guards[i].to_path, s->guards[i].to_name))
            return true;
    return false;
}

// ---- judging ------------------------------------------------------------------------------------

static ken_str asked_names(verifier *v, const ken_rule_check *c)
{
    ken_str out = c->names.items[0];
    for (size_t i = 1; i < c->names.n && i < 4; i++)
        out = ken_arena_printf(v->arena, KEN_STR_FMT "' or '" KEN_STR_FMT, KEN_STR_ARG(out),
                               KEN_STR_ARG(c->names.items[i]));
    return out;
}

// `late`: the call that must come after it; NULL when there is none.
static void add(verifier *v, const call_subject *s, const ken_call_fact *late, bool has_call)
{
    ken_str names = asked_names(v, s->r->check);
    ken_violation x = {
        .path = s->path, .first_line = s->first_line, .last_line = s->last_line, .symbol = s->name
    };
    if (late) {
        x.first_line = x.last_line = late->at.line;
        x.column = late->at.column;
        x.message = ken_arena_printf(v->arena,
                                     KEN_STR_FMT " calls '" KEN_STR_FMT "' %s '" KEN_STR_FMT
                                                 "', which must come first",
                                     KEN_STR_ARG(s->what), KEN_STR_ARG(late->name),
                                     has_call ? "before" : "without", KEN_STR_ARG(names));
    } else {
        x.message = ken_arena_printf(v->arena, KEN_STR_FMT " does not call '" KEN_STR_FMT "'",
                                     KEN_STR_ARG(s->what), KEN_STR_ARG(names));
    }
    ken_rulebook__verify_add(v, s->r, &x);
}

static void judge(verifier *v, const call_subject *s, const ken_part_calls *calls)
{
    const ken_call_fact *late = NULL;
    bool has_call = is_guarded(s), is_first = has_call;
    for (size_t i = 0; i < calls->n; i++) {
        const ken_call_fact *c = &calls->items[i];
        if (is_required(s->r->check, c->name, c->to_path, c->to_name)) {
            is_first = is_first || !late;
            has_call = true;
        } else if (s->r->before && !late &&
                   ken_rulebook__verify_matches(v, s->r, s->r->before, c->name)) {
            late = c;
        }
    }
    bool is_obeyed = s->r->before ? !late || is_first : has_call;
    if (!has_call && s->body.file == UINT32_MAX)
        s->r->outcome->n_undecided++;
    else if (!is_obeyed && !s->r->is_off)
        add(v, s, late, has_call);
    else if (has_call)
        ken_rulebook__verify_add_good(v, s->r, s->path, s->first_line, s->name);
}

// ---- who is asked -------------------------------------------------------------------------------

// A route for any method answers those that are meant as well.
static bool is_of_method(const ken_rule_check *c, ken_str method)
{
    for (size_t i = 0; i < c->methods.n; i++)
        if (ken_str_eq(c->methods.items[i], method))
            return true;
    return !c->methods.n || ken_str_eq_c(method, "ANY") || ken_str_eq_c(method, "ALL");
}

static void add_handler(call_check *c, verify_rule *r, const ken_handler_fact *h)
{
    verifier *v = c->v;
    size_t f = ken_rulebook__verify_file(v, h->route.file);
    if (f == SIZE_MAX || h->is_test || !r->covers[f] || !v->is_reported[f] ||
        !is_of_method(r->check, h->route.method))
        return;
    if (r->pattern && !ken_rulebook__verify_matches(v, r, r->pattern, h->name))
        return;
    call_subject s = { .r = r,
                       .path = h->route.file,
                       .name = h->name,
                       .first_line = h->route.line,
                       .last_line = h->route.line,
                       .body = h->body,
                       .guards = h->guards,
                       .n_guards = h->n_guards };
    s.what = ken_arena_printf(v->arena, "handler of " KEN_STR_FMT " " KEN_STR_FMT,
                              KEN_STR_ARG(h->route.method), KEN_STR_ARG(h->route.path));
    r->outcome->n_seen++;
    ken_vec_push(&c->subjects, s);
}

static ken_status add_handlers(call_check *c, ken_err *err)
{
    ken_handler_fact *list;
    size_t n;
    bool is_asked = false;
    for (size_t i = 0; i < c->v->n; i++)
        is_asked = is_asked || (c->v->rules[i].check->kind == KEN_CHECK_REQUIRE_CALL &&
                                c->v->rules[i].check->is_of_handlers);
    ken_facts_scope scope = ken_rulebook__verify_scope(c->v, 1u << KEN_CHECK_REQUIRE_CALL);
    if (!is_asked || !scope.only.n)
        return KEN_OK;
    ken_status st = ken_list_handlers(c->v->s, &scope, c->v->cancel, c->v->arena, &list, &n, err);
    for (size_t i = 0; !st && i < c->v->n; i++) {
        verify_rule *r = &c->v->rules[i];
        bool is_meant = r->check->kind == KEN_CHECK_REQUIRE_CALL && r->check->is_of_handlers;
        for (size_t k = 0; is_meant && k < n; k++)
            add_handler(c, r, &list[k]);
    }
    return st;
}

static bool look_at_function(void *ctx, const ken_definition_fact *d)
{
    call_check *c = ctx;
    for (size_t i = 0; i < c->v->n; i++) {
        verify_rule *r = &c->v->rules[i];
        if (r->check->kind != KEN_CHECK_REQUIRE_CALL || r->check->is_of_handlers || r->is_off ||
            d->is_inside || !r->covers[d->part.file] ||
            (r->pattern && !ken_rulebook__verify_matches(c->v, r, r->pattern, d->name)))
            continue;
        call_subject s = { .r = r,
                           .path = d->path,
                           .name = ken_arena_dup(c->v->arena, d->name),
                           .first_line = d->first_line,
                           .last_line = d->last_line,
                           .body = d->part };
        s.what = ken_arena_printf(c->v->arena, "%s '" KEN_STR_FMT "'",
                                  ken_symbol_kind_word(d->kind), KEN_STR_ARG(d->name));
        r->outcome->n_seen++;
        ken_vec_push(&c->subjects, s);
    }
    return false;
}

static ken_status add_functions(call_check *c, ken_err *err)
{
    ken_definitions none;
    ken_definitions_query q = {
        .scope = ken_rulebook__verify_scope(c->v, 1u << KEN_CHECK_REQUIRE_CALL),
        .kinds = 1u << KEN_SYMBOL_FUNCTION | 1u << KEN_SYMBOL_METHOD | 1u << KEN_SYMBOL_CONSTRUCTOR,
        .keeps = look_at_function,
        .ctx = c
    };
    bool is_asked = false;
    for (size_t i = 0; i < c->v->n; i++)
        is_asked = is_asked || (c->v->rules[i].check->kind == KEN_CHECK_REQUIRE_CALL &&
                                !c->v->rules[i].check->is_of_handlers);
    if (!is_asked || !q.scope.only.n)
        return KEN_OK;
    return ken_list_definitions(c->v->s, &q, c->v->cancel, c->v->arena, &none, err);
}

static ken_status judge_all(call_check *c, ken_err *err)
{
    verifier *v = c->v;
    ken_part_calls *calls;
    size_t n = c->subjects.len;
    ken_code_part *parts = KEN_ARENA_ARRAY(v->arena, ken_code_part, n + 1);
    for (size_t i = 0; i < n; i++)
        parts[i] = c->subjects.ptr[i].body;
    ken_status st = ken_list_calls(v->s, parts, n, v->cancel, v->arena, &calls, err);
    for (size_t i = 0; !st && i < n; i++)
        judge(v, &c->subjects.ptr[i], &calls[i]);
    return st;
}

ken_status ken_rulebook__verify_calls(verifier *v, ken_err *err)
{
    call_check c = { .v = v };
    if (!ken_rulebook__verify_has(v, KEN_CHECK_REQUIRE_CALL))
        return KEN_OK;
    ken_status st = add_handlers(&c, err);
    if (!st)
        st = add_functions(&c, err);
    if (!st && c.subjects.len)
        st = judge_all(&c, err);
    ken_vec_release(&c.subjects);
    return st;
}
