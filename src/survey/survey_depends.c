// SPDX-License-Identifier: MIT
// Types that stand for a dependency: a parameter's type whose definition names a function of the
// tree (`CurrentUser = Annotated[User, Depends(current_user)]`). Handlers that take the type are
// for it, handlers that ask for the function themselves against.
#include <stdlib.h>

#include "model/facts.h"
#include "survey/survey_priv.h"

enum {
    ALIASES_MAX = 64,
    TAKERS_MIN = 4, // handlers that take the type
    SHOWN_MAX = 3
};

typedef struct alias {
    const ken_call_fact *type; // as a handler names it
    ken_code_part part;        // its definition
    ken_graph_def function;    // that it stands for
    ken_str function_name, function_path;
    uint32_t n_takers;
    survey_tally tally;
} alias;

typedef struct depends {
    survey *v;
    ken_part_calls *types; // of each handler's signature
    alias items[ALIASES_MAX];
    size_t n;
} depends;

static bool is_same(ken_graph_def a, ken_graph_def b)
{
    return a.file == b.file && a.def == b.def;
}

static void add_taken(depends *d, const ken_call_fact *c)
{
    if (c->to.file == UINT32_MAX || !c->to_path.len || ken_survey__is_aside(d->v, c->to_path))
        return;
    for (size_t i = 0; i < d->n; i++)
        if (is_same(d->items[i].type->to, c->to)) {
            d->items[i].n_takers++;
            return;
        }
    if (d->n < ALIASES_MAX)
        d->items[d->n++] = (alias){ .type = c, .n_takers = 1 };
}

static ken_status find_taken(depends *d, ken_err *err)
{
    survey *v = d->v;
    ken_code_part *parts = KEN_ARENA_ARRAY(v->arena, ken_code_part, v->n_handlers + 1);
    for (size_t i = 0; i < v->n_handlers; i++) {
        parts[i] = v->handlers[i].signature;
        if (!parts[i].span.end)
            parts[i].file = UINT32_MAX;
    }
    ken_status st = ken_list_names(v->s, parts, v->n_handlers, 1u << KEN_REF_TYPE, v->o->cancel,
                                   v->arena, &d->types, err);
    for (size_t i = 0; !st && i < v->n_handlers; i++)
        for (size_t k = 0; k < d->types[i].n; k++)
            add_taken(d, &d->types[i].items[k]);
    return st;
}

// Names of variables, which stand for a type by what they are given.
static ken_status find_definitions(depends *d, ken_err *err)
{
    survey *v = d->v;
    ken_str paths[ALIASES_MAX];
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++)
        if (d->items[i].n_takers >= TAKERS_MIN)
            paths[n++] = d->items[i].type->to_path;
    ken_definitions found = { 0 };
    ken_definitions_query q = { .scope = { .only = { paths, n } },
                                .kinds = 1u << KEN_SYMBOL_VARIABLE | 1u << KEN_SYMBOL_CONSTANT |
                                         1u << KEN_SYMBOL_TYPE };
    ken_status st =
        n ? ken_list_definitions(v->s, &q, v->o->cancel, v->arena, &found, err) : KEN_OK;
    for (size_t i = 0; !st && i < found.n; i++)
        for (size_t k = 0; k < d->n; k++)
            if (is_same(found.items[i].id, d->items[k].type->to))
                d->items[k].part = found.items[i].part;
    return st;
}

static bool is_function(const survey *v, ken_graph_def def)
{
    for (size_t i = 0; i < v->defs.n; i++)
        if (is_same(v->defs.items[i].id, def))
            return ken_symbol_is_callable(v->defs.items[i].kind);
    return false;
}

static ken_status find_functions(depends *d, ken_err *err)
{
    survey *v = d->v;
    ken_code_part parts[ALIASES_MAX];
    ken_part_calls *named;
    for (size_t i = 0; i < d->n; i++)
        parts[i] =
            d->items[i].part.span.end ? d->items[i].part : (ken_code_part){ .file = UINT32_MAX };
    ken_status st = ken_list_names(v->s, parts, d->n, 1u << KEN_REF_CALL | 1u << KEN_REF_READ,
                                   v->o->cancel, v->arena, &named, err);
    for (size_t i = 0; !st && i < d->n; i++) {
        for (size_t k = 0; k < named[i].n; k++) {
            const ken_call_fact *c = &named[i].items[k];
            if (c->to.file == UINT32_MAX || !is_function(v, c->to))
                continue;
            d->items[i].function = c->to;
            d->items[i].function_name = c->to_name;
            d->items[i].function_path = c->to_path;
        }
    }
    return st;
}

static bool takes(const ken_part_calls *types, const alias *a)
{
    for (size_t i = 0; i < types->n; i++)
        if (is_same(types->items[i].to, a->type->to))
            return true;
    return false;
}

static bool asks(const ken_handler_fact *h, const alias *a)
{
    for (size_t i = 0; i < h->n_guards; i++)
        if (ken_str_eq(h->guards[i].to_path, a->function_path) &&
            ken_str_eq(h->guards[i].to_name, a->function_name))
            return true;
    return false;
}

static void count(depends *d, alias *a)
{
    for (size_t i = 0; i < d->v->n_handlers; i++) {
        const ken_handler_fact *h = &d->v->handlers[i];
        ken_survey_place at = { h->path, h->first_line, h->last_line, false };
        if (takes(&d->types[i], a))
            ken_survey__count(&a->tally, true, at);
        else if (asks(h, a))
            ken_survey__count(&a->tally, false, at);
    }
}

// Who names the function beside those who make types of it may go on doing so.
static ken_status add_check(survey *v, const alias *a, ken_finding *f, ken_err *err)
{
    ken_str name = ken_arena_printf(v->arena, KEN_STR_FMT ":" KEN_STR_FMT,
                                    KEN_STR_ARG(a->function_path), KEN_STR_ARG(a->function_name));
    ken_str_list names = ken_survey__list1(v->arena, name);
    ken_facts_scope scope = { .except = v->vendored };
    ken_str_list except = { KEN_ARENA_ARRAY(v->arena, ken_str, KEN_SURVEY_EXCEPT + 1), 0 };
    ken_name_uses uses;
    if (ken_names_check(&names, NULL))
        return KEN_OK;
    ken_status st = ken_list_name_uses(v->s, &scope, &names, v->o->cancel, v->arena, &uses, err);
    if (st)
        return st;
    except.items[except.n++] = a->function_path;
    for (size_t i = 0; i < uses.n; i++) {
        if (ken_str_eq(uses.items[i].path, except.items[except.n - 1]) ||
            ken_str_eq(uses.items[i].path, a->function_path))
            continue;
        if (except.n == KEN_SURVEY_EXCEPT)
            return KEN_OK;
        except.items[except.n++] = uses.items[i].path;
    }
    f->check =
        (ken_rule_check){ .kind = KEN_CHECK_FORBID_SYMBOL, .names = names, .except = except };
    return KEN_OK;
}

static ken_status say(depends *d, alias *a, ken_err *err)
{
    survey *v = d->v;
    ken_str type = a->type->to_name;
    ken_str id = ken_arena_printf(v->arena, "api takes " KEN_STR_FMT, KEN_STR_ARG(type));
    ken_finding *f = ken_survey__add(v, KEN_SURVEY_API, 91, id, &a->tally);
    f->rule = ken_arena_printf(v->arena,
                               "Endpoints that need `" KEN_STR_FMT
                               "` %s take a parameter of type `" KEN_STR_FMT "` (`" KEN_STR_FMT
                               "`) and not ask for the function themselves.",
                               KEN_STR_ARG(a->function_name), ken_survey__must(&a->tally),
                               KEN_STR_ARG(type), KEN_STR_ARG(a->type->to_path));
    f->evidence =
        ken_arena_printf(v->arena, "%u of %u handlers outside of tests and examples that need it",
                         a->tally.n_for, a->tally.n_all);
    v->depends.items[v->depends.n++] = type;
    return add_check(v, a, f, err);
}

static int by_takers(const void *pa, const void *pb)
{
    const alias *a = pa, *b = pb;
    if (a->n_takers != b->n_takers)
        return a->n_takers < b->n_takers ? 1 : -1;
    return ken_str_cmp(a->type->to_name, b->type->to_name);
}

ken_status ken_survey__depends(survey *v, ken_err *err)
{
    depends d = { .v = v };
    size_t n_shown = 0;
    v->depends.items = KEN_ARENA_ARRAY(v->arena, ken_str, SHOWN_MAX);
    ken_status st = find_taken(&d, err);
    if (!st)
        st = find_definitions(&d, err);
    if (!st)
        st = find_functions(&d, err);
    if (!st && d.n)
        qsort(d.items, d.n, sizeof *d.items, by_takers);
    for (size_t i = 0; !st && i < d.n && n_shown < SHOWN_MAX; i++) {
        alias *a = &d.items[i];
        if (!a->function_name.len)
            continue;
        count(&d, a);
        if (a->tally.n_for < TAKERS_MIN || !ken_survey__is_habit(&a->tally))
            continue;
        n_shown++;
        st = say(&d, a, err);
    }
    return st;
}
