// SPDX-License-Identifier: MIT
// Helpers that stand for a raw call: a small function of the tree that many files call, whose body
// makes a call to the outside that hardly any other file makes, and whose name says so (`zmalloc`
// and `malloc`, `useCustomToast` and `toast`).
#include <stdlib.h>

#include "base/path.h"
#include "base/sorted.h"
#include "survey/survey_priv.h"

enum {
    FILES_MAX = 20000, // of a tree whose calls are listed
    HELPER_LINES = 40,
    CALLERS_MIN = 4,
    RAW_MAX = 8,      // different outside calls of a helper
    OTHERS_SHARE = 8, // at most one other file in so many callers makes the raw call
    WORD_MIN = 4,     // bytes that both names share
    SHOWN_MAX = 3
};

// A name or a definition, and the files that call it.
typedef struct callee {
    uint32_t n_files, last; // last: file counted last, + 1
    uint32_t first_files[KEN_SURVEY_EXCEPT];
} callee;

typedef struct helper {
    const ken_definition_fact *d;
    ken_str raw[RAW_MAX];
    uint32_t n_raw;
    bool is_thick;
} helper;

// A helper with the raw calls that it stands for.
typedef struct candidate {
    const helper *h;
    ken_str raw[RAW_MAX];
    const callee *users[RAW_MAX];
    uint32_t n;
    const callee *callers;
} candidate;

typedef struct helpers {
    survey *v;
    uint32_t *files; // code that counts
    size_t n_files;
    ken_part_calls *calls; // of each
    ken_map own, outside;  // id or name -> callee
    KEN_VEC(callee) callees;
    KEN_VEC(helper) items;
} helpers;

static ken_str key_of(ken_arena *arena, ken_graph_def id)
{
    return ken_arena_printf(arena, "%u:%u", id.file, id.def);
}

static void count(helpers *a, ken_map *map, ken_str key, uint32_t file)
{
    bool is_new;
    uint64_t *at = ken_map_put(map, key, a->callees.len, &is_new);
    if (is_new)
        ken_vec_push(&a->callees, ((callee){ .last = 0 }));
    callee *c = &a->callees.ptr[*at];
    if (c->last == file + 1)
        return;
    if (c->n_files < KEN_SURVEY_EXCEPT)
        c->first_files[c->n_files] = file;
    c->n_files++;
    c->last = file + 1;
}

static const callee *callee_of(const helpers *a, const ken_map *map, ken_str key)
{
    const uint64_t *at = ken_map_find(map, key);
    return at ? &a->callees.ptr[*at] : NULL;
}

// A member of what another call gave has a name of its own for nobody.
static bool is_of_value(const ken_call_fact *c)
{
    return c->is_member && ken_str_find_char(c->name, '.') == SIZE_MAX;
}

static bool is_outside(const ken_call_fact *c)
{
    return c->class == KEN_EDGE_EXTERNAL && c->to.file == UINT32_MAX &&
           c->role != KEN_REF_DECORATE && !is_of_value(c) && c->name.len >= WORD_MIN &&
           c->name.len <= 80 && !memchr(c->name.ptr, '(', c->name.len) &&
           !memchr(c->name.ptr, '`', c->name.len);
}

static ken_status read_calls(helpers *a, ken_err *err)
{
    survey *v = a->v;
    a->files = KEN_ARENA_ARRAY(v->arena, uint32_t, v->n_files + 1);
    ken_code_part *parts = KEN_ARENA_ARRAY(v->arena, ken_code_part, v->n_files + 1);
    for (size_t i = 0; i < v->n_files; i++)
        if (v->files[i].is_code && !v->files[i].is_aside) {
            parts[a->n_files] = (ken_code_part){ (uint32_t)i, { 0, UINT32_MAX } };
            a->files[a->n_files++] = (uint32_t)i;
        }
    if (a->n_files > FILES_MAX)
        a->n_files = 0;
    ken_status st = ken_list_calls(v->s, parts, a->n_files, v->o->cancel, v->arena, &a->calls, err);
    for (size_t i = 0; !st && i < a->n_files; i++) {
        for (size_t k = 0; k < a->calls[i].n; k++) {
            const ken_call_fact *c = &a->calls[i].items[k];
            if (is_outside(c))
                count(a, &a->outside, c->name, a->files[i]);
            else if (c->to.file != UINT32_MAX && c->to.file != a->files[i])
                count(a, &a->own, key_of(v->arena, c->to), a->files[i]);
        }
    }
    return st;
}

// ---- names that say so -------------------------------------------------------------------------

// Whether some bytes of a name are of one word: "Path" of "usePathParam", not "useP".
static bool is_in_word(ken_str name, size_t from)
{
    for (size_t i = from; i < from + WORD_MIN; i++) {
        bool begins = i > from && ken_is_upper(name.ptr[i]) && !ken_is_upper(name.ptr[i - 1]);
        if (begins || !ken_is_word(name.ptr[i]) || name.ptr[i] == '_')
            return false;
    }
    return true;
}

static bool has_shared_word(ken_str a, ken_str b)
{
    for (size_t i = 0; i + WORD_MIN <= a.len; i++)
        for (size_t k = 0; is_in_word(a, i) && k + WORD_MIN <= b.len; k++)
            if (is_in_word(b, k) &&
                ken_str_eq_fold(ken_str_sub(a, i, i + WORD_MIN), ken_str_sub(b, k, k + WORD_MIN)))
                return true;
    return false;
}

// Bare, or a member of something with a name that the file imports.
static bool can_be_forbidden(const survey *v, ken_str path, ken_str name)
{
    size_t dot = ken_str_find_char(name, '.');
    if (dot == SIZE_MAX)
        return true;
    ken_str root = ken_str_sub(name, 0, dot);
    for (size_t i = 0; i < v->imports.n; i++) {
        const ken_import_fact *f = &v->imports.items[i];
        if (ken_str_eq(f->path, path) && f->target == KEN_IMPORT_PACKAGE &&
            (ken_str_eq(f->name, root) || ken_str_eq(ken_path_base(f->module), root)))
            return true;
    }
    return false;
}

// ---- helpers -----------------------------------------------------------------------------------

static const ken_part_calls *calls_of(const helpers *a, uint32_t file)
{
    size_t low = ken_first_u32(a->files, a->n_files, sizeof *a->files, file);
    return low < a->n_files && a->files[low] == file ? &a->calls[low] : NULL;
}

static void add_raw(helper *h, ken_str name)
{
    for (uint32_t i = 0; i < h->n_raw; i++)
        if (ken_str_eq(h->raw[i], name))
            return;
    if (h->n_raw < RAW_MAX)
        h->raw[h->n_raw++] = name;
    else
        h->is_thick = true;
}

static void find_helpers(helpers *a)
{
    survey *v = a->v;
    for (size_t i = 0; i < v->defs.n; i++) {
        const ken_definition_fact *d = &v->defs.items[i];
        helper h = { .d = d };
        bool is_small = d->last_line - d->first_line < HELPER_LINES;
        if (!ken_symbol_is_callable(d->kind) || d->is_inside || d->is_test || !is_small)
            continue;
        const callee *callers = callee_of(a, &a->own, key_of(v->arena, d->id));
        const ken_part_calls *calls = calls_of(a, d->id.file);
        if (!callers || callers->n_files < CALLERS_MIN || !calls)
            continue;
        for (size_t k = 0; k < calls->n; k++) {
            const ken_call_fact *c = &calls->items[k];
            if (c->at.line >= d->first_line && c->at.line <= d->last_line && is_outside(c))
                add_raw(&h, c->name);
        }
        if (h.n_raw && !h.is_thick)
            ken_vec_push(&a->items, h);
    }
}

static int by_callers(const void *x, const void *y)
{
    const candidate *a = x, *b = y;
    if (a->callers->n_files != b->callers->n_files)
        return a->callers->n_files < b->callers->n_files ? 1 : -1;
    int by_path = ken_str_cmp(a->h->d->path, b->h->d->path);
    return by_path ? by_path
                   : (a->h->d->id.def > b->h->d->id.def) - (a->h->d->id.def < b->h->d->id.def);
}

static ken_str names_of(ken_arena *arena, const candidate *c)
{
    ken_str out = ken_arena_printf(arena, "`" KEN_STR_FMT "`", KEN_STR_ARG(c->raw[0]));
    for (uint32_t i = 1; i < c->n; i++)
        out = ken_arena_printf(arena, KEN_STR_FMT " and `" KEN_STR_FMT "`", KEN_STR_ARG(out),
                               KEN_STR_ARG(c->raw[i]));
    return out;
}

static void add_path(ken_str_list *l, ken_str path)
{
    for (size_t i = 0; i < l->n; i++)
        if (ken_str_eq(l->items[i], path))
            return;
    l->items[l->n++] = path;
}

// Uses that did not count, in tests and examples, are excepted, too; false when they are too many.
static bool except_aside(helpers *a, const candidate *c, ken_str glob, ken_str_list *except,
                         ken_err *err, ken_status *st)
{
    survey *v = a->v;
    ken_str *names = ken_arena_copy(v->arena, c->raw, c->n, sizeof *names);
    ken_str_list raw = { names, c->n };
    ken_facts_scope scope = { .in = ken_survey__list1(v->arena, glob), .except = v->vendored };
    ken_name_uses uses;
    *st = ken_list_name_uses(v->s, &scope, &raw, v->o->cancel, v->arena, &uses, err);
    for (size_t i = 0; !*st && i < uses.n; i++) {
        if (except->n >= RAW_MAX * KEN_SURVEY_EXCEPT)
            return false;
        add_path(except, uses.items[i].path);
    }
    return !*st && except->n <= 2 * KEN_SURVEY_EXCEPT;
}

static ken_status say(helpers *a, const candidate *c, ken_err *err)
{
    survey *v = a->v;
    const ken_definition_fact *d = c->h->d;
    survey_tally t = { .n_for = c->callers->n_files, .n_all = c->callers->n_files };
    ken_str_list except = { KEN_ARENA_ARRAY(v->arena, ken_str, RAW_MAX * KEN_SURVEY_EXCEPT + 1),
                            0 };
    add_path(&except, d->path);
    for (uint32_t k = 0; k < c->n; k++)
        for (uint32_t i = 0; i < c->users[k]->n_files && i < KEN_SURVEY_EXCEPT; i++)
            add_path(&except, v->files[c->users[k]->first_files[i]].path);
    for (size_t i = 1; i < except.n; i++)
        ken_survey__count(&t, false, ken_survey__whole(except.items[i]));
    t.yes[t.n_yes++] = ken_survey__whole(v->files[c->callers->first_files[0]].path);
    ken_str names = names_of(v->arena, c);
    ken_str id = ken_arena_printf(v->arena, KEN_STR_FMT " not " KEN_STR_FMT, KEN_STR_ARG(d->name),
                                  KEN_STR_ARG(c->raw[0]));
    ken_finding *f = ken_survey__add(v, KEN_SURVEY_DEPENDENCIES, 91, id, &t);
    f->rule = ken_arena_printf(
        v->arena,
        "Code %s call `" KEN_STR_FMT "` of `" KEN_STR_FMT "` in the place of " KEN_STR_FMT ".",
        ken_survey__must(&t), KEN_STR_ARG(d->qualified), KEN_STR_ARG(d->path), KEN_STR_ARG(names));
    f->evidence = ken_arena_printf(
        v->arena, "%u files outside of tests call it; besides its own, %zu call " KEN_STR_FMT,
        c->callers->n_files, except.n - 1, KEN_STR_ARG(names));
    ken_str glob =
        ken_arena_printf(v->arena, "**/*." KEN_STR_FMT, KEN_STR_ARG(ken_path_ext(d->path)));
    ken_status st;
    if (except_aside(a, c, glob, &except, err, &st)) {
        f->check = (ken_rule_check){
            .kind = KEN_CHECK_FORBID_SYMBOL,
            .names = { KEN_ARENA_ARRAY(v->arena, ken_str, c->n), c->n },
            .in = ken_survey__list1(v->arena, glob),
            .except = except,
        };
        memcpy(f->check.names.items, c->raw, c->n * sizeof *c->raw);
    }
    return st;
}

static void add_raw_of(const helpers *a, candidate *c, ken_str raw)
{
    const callee *users = callee_of(a, &a->outside, raw);
    if (users && users->n_files <= KEN_SURVEY_EXCEPT && has_shared_word(c->h->d->name, raw) &&
        (users->n_files - 1) * OTHERS_SHARE <= c->callers->n_files &&
        can_be_forbidden(a->v, c->h->d->path, raw)) {
        c->raw[c->n] = raw;
        c->users[c->n++] = users;
    }
}

static ken_status say_best(helpers *a, ken_err *err)
{
    ken_status st = KEN_OK;
    KEN_VEC(candidate) all = { 0 };
    for (size_t i = 0; i < a->items.len; i++) {
        const helper *h = &a->items.ptr[i];
        candidate c = { .h = h };
        c.callers = callee_of(a, &a->own, key_of(a->v->arena, h->d->id));
        for (uint32_t k = 0; k < h->n_raw; k++)
            add_raw_of(a, &c, h->raw[k]);
        if (c.n)
            ken_vec_push(&all, c);
    }
    if (all.len)
        qsort(all.ptr, all.len, sizeof *all.ptr, by_callers);
    for (size_t i = 0; !st && i < all.len && i < SHOWN_MAX; i++)
        st = say(a, &all.ptr[i], err);
    ken_vec_release(&all);
    return st;
}

ken_status ken_survey__helpers(survey *v, ken_err *err)
{
    helpers a = { .v = v };
    ken_map_init(&a.own);
    ken_map_init(&a.outside);
    ken_status st = read_calls(&a, err);
    if (!st) {
        find_helpers(&a);
        st = say_best(&a, err);
    }
    ken_map_release(&a.own);
    ken_map_release(&a.outside);
    ken_vec_release(&a.callees);
    ken_vec_release(&a.items);
    return st;
}
