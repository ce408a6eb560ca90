// SPDX-License-Identifier: MIT
// What types of a kind extend, and what carries their dependencies. The kind of a type is the last
// word of its name (`UserController`), or the folder that it is in.
#include <stdlib.h>

#include "base/path.h"
#include "survey/survey_priv.h"

enum {
    GROUPS_MAX = 60, // looked at: the largest
    SHOWN_MAX = 3
};

typedef struct type_fact {
    const ken_definition_fact *d;
    const ken_part_calls *bases, *types; // types: in its signature
    const ken_part_calls *given;         // in its constructor's signature; NULL = no constructor
} type_fact;

typedef struct types {
    survey *v;
    ken_str path, text; // of the file in hand
    type_fact *items;
    size_t n;
} types;

static bool is_counted(const survey *v, const ken_definition_fact *d)
{
    return !d->is_test && !d->is_inside && !ken_survey__is_aside(v, d->path);
}

static ken_str short_name(ken_str name)
{
    for (size_t i = name.len; i-- > 0;)
        if (!ken_is_word(name.ptr[i]))
            return ken_str_sub(name, i + 1, name.len);
    return name;
}

static bool is_constructor(const ken_definition_fact *d)
{
    return d->kind == KEN_SYMBOL_CONSTRUCTOR || ken_str_eq_c(d->name, "__init__") ||
           ken_str_eq_c(d->name, "constructor") || ken_str_eq_c(d->name, "__construct");
}

static bool is_type_with_bases(const ken_definition_fact *d)
{
    return d->kind == KEN_SYMBOL_CLASS || d->kind == KEN_SYMBOL_INTERFACE ||
           d->kind == KEN_SYMBOL_STRUCT;
}

static ken_status read_types(types *t, ken_err *err)
{
    survey *v = t->v;
    size_t n = 0;
    ken_code_part *parts = KEN_ARENA_ARRAY(v->arena, ken_code_part, v->defs.n + 1);
    size_t *of = KEN_ARENA_ARRAY(v->arena, size_t, v->defs.n + 1);
    for (size_t i = 0; i < v->defs.n; i++) {
        const ken_definition_fact *d = &v->defs.items[i];
        if (is_counted(v, d) && (is_type_with_bases(d) || is_constructor(d))) {
            of[n] = i;
            parts[n++] = d->signature;
        }
    }
    ken_part_calls *bases, *named;
    ken_status st =
        ken_list_names(v->s, parts, n, 1u << KEN_REF_INHERIT, v->o->cancel, v->arena, &bases, err);
    if (!st)
        st =
            ken_list_names(v->s, parts, n, 1u << KEN_REF_TYPE, v->o->cancel, v->arena, &named, err);
    t->items = KEN_ARENA_ARRAY(v->arena, type_fact, n + 1);
    for (size_t i = 0; !st && i < n; i++) {
        const ken_definition_fact *d = &v->defs.items[of[i]];
        if (is_type_with_bases(d)) {
            t->items[t->n++] = (type_fact){ d, &bases[i], &named[i], NULL };
            continue;
        }
        for (size_t k = t->n; k-- > 0 && ken_str_eq(t->items[k].d->path, d->path);)
            if (t->items[k].d->part.span.end >= d->part.span.end) {
                t->items[k].given = &named[i];
                break;
            }
    }
    return st;
}

// ---- groups ------------------------------------------------------------------------------------

typedef ken_str key_fn(const type_fact *t);

static ken_str by_last_word(const type_fact *t)
{
    return ken_survey__last_word(t->d->name);
}

static ken_str by_folder(const type_fact *t)
{
    return ken_path_dir(t->d->path);
}

static ken_survey_place place_of(const type_fact *t)
{
    return (ken_survey_place){ t->d->path, t->d->first_line, t->d->last_line, false };
}

typedef ken_str value_fn(types *t, const type_fact *x, size_t i); // empty = no more

// The value that most types of the group have, with its counts. Types without any value are no
// cases when `needs_value`.
static ken_str most_common(types *t, key_fn *key, ken_str group, value_fn *value, bool needs_value,
                           survey_tally *out)
{
    survey_words words;
    ken_survey__words_init(&words);
    for (size_t i = 0; i < t->n; i++) {
        ken_str text;
        if (!ken_str_eq(key(&t->items[i]), group))
            continue;
        for (size_t k = 0; (text = value(t, &t->items[i], k)).len; k++)
            ken_survey__words_add(&words, text, t->v->arena);
    }
    ken_survey__words_sort(&words);
    ken_str best = words.items.len ? words.items.ptr[0].text : KEN_STR("");
    ken_survey__words_release(&words);
    for (size_t i = 0; best.len && i < t->n; i++) {
        const type_fact *x = &t->items[i];
        if (!ken_str_eq(key(x), group) || ken_str_eq(x->d->name, best))
            continue;
        bool agrees = false;
        ken_str text;
        size_t k = 0;
        for (; (text = value(t, x, k)).len; k++)
            agrees |= ken_str_eq(text, best);
        if (k || !needs_value)
            ken_survey__count(out, agrees, place_of(x));
    }
    return best;
}

// ---- bases -------------------------------------------------------------------------------------

static ken_str base_at(types *t, const type_fact *x, size_t i)
{
    (void)t;
    return i < x->bases->n ? short_name(x->bases->items[i].name) : KEN_STR("");
}

static bool is_own_base(const types *t, ken_str name)
{
    for (size_t i = 0; i < t->n; i++)
        if (ken_str_eq(t->items[i].d->name, name))
            return true;
    return false;
}

static bool say_base(types *t, key_fn *key, ken_str group)
{
    survey *v = t->v;
    survey_tally n = { .n_all = 0 };
    ken_str base = most_common(t, key, group, base_at, false, &n);
    bool is_made = ken_str_starts(base, KEN_STR("Application")); // by a generator: known to all
    if (!base.len || is_made || !ken_survey__is_habit(&n) || !is_own_base(t, base))
        return false; // what types of a library are for, everybody knows
    bool is_word = key == by_last_word;
    ken_str id = ken_arena_printf(v->arena, "base of " KEN_STR_FMT, KEN_STR_ARG(group));
    ken_finding *f = ken_survey__add(v, KEN_SURVEY_DEPENDENCIES, 72, id, &n);
    f->rule = ken_arena_printf(v->arena, "Types %s`%s" KEN_STR_FMT "` %s extend `" KEN_STR_FMT "`.",
                               is_word ? "named " : "in ", is_word ? "*" : "", KEN_STR_ARG(group),
                               ken_survey__must(&n), KEN_STR_ARG(base));
    f->evidence = ken_arena_printf(v->arena, "%u of %u types outside of tests and examples",
                                   n.n_for, n.n_all);
    return true;
}

// ---- what constructors are given ---------------------------------------------------------------

// `Repository<User>`: a type that another one is about.
static bool is_argument_of_type(types *t, ken_str path, ken_fact_place at)
{
    if (!t->path.ptr || !ken_str_eq(t->path, path)) {
        ken_file_view view;
        t->path = path;
        t->text = ken_view_file(t->v->s, path, t->v->arena, &view, NULL) ? KEN_STR("") : view.text;
    }
    ken_str rest = t->text, line;
    for (uint32_t n = 0; ken_str_line_next(&rest, &line); n++) {
        if (n < at.line)
            continue;
        size_t i = at.column < line.len ? at.column : line.len;
        while (i && (ken_is_word(line.ptr[i - 1]) || line.ptr[i - 1] == '.'))
            i--;
        return i && line.ptr[i - 1] == '<';
    }
    return false;
}

// Of the types of the tree that a constructor takes, the last words of their names.
static ken_str given_at(types *t, const type_fact *x, size_t want)
{
    // A class of these languages may have its constructor in its head.
    ken_str ext = ken_path_ext(x->d->path);
    bool has_head =
        x->d->kind == KEN_SYMBOL_CLASS &&
        (ken_str_eq_c(ext, "kt") || ken_str_eq_c(ext, "cs") || ken_str_eq_c(ext, "scala"));
    const ken_part_calls *sources[] = { x->given, has_head ? x->types : NULL };
    size_t n = 0;
    for (size_t s = 0; s < 2; s++) {
        for (size_t i = 0; sources[s] && i < sources[s]->n; i++) {
            const ken_call_fact *c = &sources[s]->items[i];
            ken_str word = ken_survey__last_word(short_name(c->name));
            if (!c->to_path.len || ken_survey__is_aside(t->v, c->to_path) || !word.len ||
                is_argument_of_type(t, x->d->path, c->at))
                continue;
            if (n++ == want)
                return word;
        }
    }
    return KEN_STR("");
}

static bool say_given(types *t, ken_str group)
{
    survey *v = t->v;
    survey_tally n = { .n_all = 0 };
    ken_str word = most_common(t, by_last_word, group, given_at, true, &n);
    if (!word.len || !ken_survey__is_habit(&n) || ken_str_eq(word, group))
        return false;
    ken_str id = ken_arena_printf(v->arena, "constructors of " KEN_STR_FMT, KEN_STR_ARG(group));
    ken_finding *f = ken_survey__add(v, KEN_SURVEY_DEPENDENCIES, 88, id, &n);
    f->rule = ken_arena_printf(v->arena,
                               "Types named `*" KEN_STR_FMT "` %s get their `*" KEN_STR_FMT
                               "` through the constructor.",
                               KEN_STR_ARG(group), ken_survey__must(&n), KEN_STR_ARG(word));
    f->evidence =
        ken_arena_printf(v->arena, "%u of %u such types whose constructor takes types of the tree",
                         n.n_for, n.n_all);
    return true;
}

// ---- the whole ---------------------------------------------------------------------------------

static void each_group(types *t, key_fn *key, bool wants_given)
{
    survey_words groups;
    size_t n_bases = 0, n_given = 0;
    ken_survey__words_init(&groups);
    for (size_t i = 0; i < t->n; i++)
        if (key(&t->items[i]).len)
            ken_survey__words_add(&groups, key(&t->items[i]), t->v->arena);
    ken_survey__words_sort(&groups);
    for (size_t i = 0; i < groups.items.len && i < GROUPS_MAX; i++) {
        ken_str group = groups.items.ptr[i].text;
        n_bases += n_bases < SHOWN_MAX && say_base(t, key, group);
        n_given += wants_given && n_given < SHOWN_MAX && say_given(t, group);
    }
    ken_survey__words_release(&groups);
}

ken_status ken_survey__types(survey *v, ken_err *err)
{
    types t = { .v = v };
    ken_status st = read_types(&t, err);
    if (st)
        return st;
    size_t before = v->found.len;
    each_group(&t, by_last_word, true);
    if (v->found.len == before)
        each_group(&t, by_folder, false);
    return KEN_OK;
}
