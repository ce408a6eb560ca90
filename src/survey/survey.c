// SPDX-License-Identifier: MIT
// A survey: lists over the whole tree are taken once (query_facts.h), then each part looks at them.
#include "survey/survey.h"

#include <math.h>
#include <stdlib.h>

#include "base/path.h"
#include "survey/survey_priv.h"

enum {
    VENDORED_MAX = 16,
    VALUE_MIN = 33, // of a rule
    ID_MAX = 72,    // of the 80 that a rule's may have: a number may follow
};

const char *ken_survey_topic_file(ken_survey_topic t)
{
    static const char *const files[KEN_SURVEY_TOPIC_COUNT] = { "",
#define X(id, file, title) [KEN_SURVEY_##id] = file,
                                                               KEN_SURVEY_TOPIC_TABLE(X)
#undef X
    };
    return t < KEN_SURVEY_TOPIC_COUNT ? files[t] : "";
}

const char *ken_survey_topic_title(ken_survey_topic t)
{
    static const char *const titles[KEN_SURVEY_TOPIC_COUNT] = { "",
#define X(id, file, title) [KEN_SURVEY_##id] = title,
                                                                KEN_SURVEY_TOPIC_TABLE(X)
#undef X
    };
    return t < KEN_SURVEY_TOPIC_COUNT ? titles[t] : "";
}

// ---- files -------------------------------------------------------------------------------------

bool ken_survey__has_folder(ken_str path, const char *const *names, size_t n)
{
    ken_str dir = ken_path_dir(path), part;
    while (dir.len && ken_str_split_next(&dir, '/', &part))
        for (size_t i = 0; i < n; i++)
            if (ken_str_eq_fold(part, ken_str_c(names[i])))
                return true;
    return false;
}

// The part of the path up to the folder whose name says that code in it is beside the matter; empty
// when none does.
static ken_str aside_root(ken_str path)
{
    static const char *const names[] = { "test",       "tests",
                                         "__tests__",  "spec",
                                         "specs",      "e2e",
                                         "example",    "examples",
                                         "sample",     "samples",
                                         "demo",       "demos",
                                         "fixture",    "fixtures",
                                         "testdata",   "__fixtures__",
                                         "playground", "playgrounds",
                                         "doc",        "docs",
                                         "vendor",     "third_party",
                                         "bench",      "benchmark",
                                         "benches",    "benchmarks",
                                         "template",   "templates",
                                         ".github",    "__mocks__",
                                         "testing",    "scripts",
                                         "stories",    "cookbook",
                                         "tutorial",   "tutorials",
                                         "test-app",   "integration-tests",
                                         "deps",       "external",
                                         "thirdparty", "third-party" };
    ken_str rest = ken_path_dir(path), part;
    for (size_t end = 0; rest.len && ken_str_split_next(&rest, '/', &part); end++) {
        end += part.len;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (ken_str_eq_fold(part, ken_str_c(names[i])))
                return ken_str_sub(path, 0, end);
    }
    return KEN_STR("");
}

bool ken_survey__is_under(ken_str path, ken_str folder)
{
    if (!folder.len || ken_str_eq_c(folder, "."))
        return true;
    return ken_str_starts(path, folder) && (path.len == folder.len || path.ptr[folder.len] == '/');
}

// What a compiler wrote beside its sources: the tree has `x.ts` to `x.js`, which says so itself.
static bool is_compiled(const survey *v, const survey_file *f, const ken_map *sources)
{
    ken_file_view view;
    ken_str base = ken_path_base(f->path), text;
    if (!ken_str_eq_c(f->ext, "js") && !ken_str_eq_c(f->ext, "cjs") && !ken_str_eq_c(f->ext, "mjs"))
        return false;
    ken_str stem = ken_str_sub(base, 0, base.len - f->ext.len - 1);
    if (!ken_map_find(sources, stem) || ken_view_file(v->s, f->path, v->arena, &view, NULL))
        return false;
    text = view.text;
    ken_str head = ken_str_sub(text, 0, text.len < 400 ? text.len : 400),
            tail = ken_str_sub(text, text.len < 200 ? 0 : text.len - 200, text.len);
    return ken_str_find(head, KEN_STR("\"__esModule\"")) != SIZE_MAX ||
           ken_str_find(tail, KEN_STR("sourceMappingURL=")) != SIZE_MAX;
}

static void leave_compiled(survey *v)
{
    ken_map sources;
    ken_map_init(&sources);
    for (size_t i = 0; i < v->n_files; i++) {
        ken_str ext = v->files[i].ext, base = ken_path_base(v->files[i].path);
        if (ken_str_eq_c(ext, "ts") || ken_str_eq_c(ext, "tsx") || ken_str_eq_c(ext, "mts"))
            ken_map_put(&sources, ken_str_sub(base, 0, base.len - ext.len - 1), 1, NULL);
    }
    for (size_t i = 0; i < v->n_files; i++)
        if (!v->files[i].is_aside && is_compiled(v, &v->files[i], &sources))
            v->files[i].is_aside = true;
    ken_map_release(&sources);
}

static int file_cmp(const void *key, const void *item)
{
    return ken_str_cmp(*(const ken_str *)key, ((const survey_file *)item)->path);
}

survey_file *ken_survey__file_of(const survey *v, ken_str path)
{
    return v->n_files ? bsearch(&path, v->files, v->n_files, sizeof *v->files, file_cmp) : NULL;
}

// The folder of other people's code that holds the file; empty when none does. Some names say so
// anywhere, some only at the top.
static ken_str vendored_root(ken_str path)
{
    static const char *const names[] = { "vendor",   "third_party", "third-party", "thirdparty",
                                         "3rdparty", "deps",        "external",    "extern" };
    const size_t n_anywhere = 5;
    ken_str rest = ken_path_dir(path), part;
    for (size_t end = 0; rest.len && ken_str_split_next(&rest, '/', &part); end++) {
        size_t n = end ? n_anywhere : sizeof names / sizeof *names;
        end += part.len;
        for (size_t i = 0; i < n; i++)
            if (ken_str_eq_fold(part, ken_str_c(names[i])))
                return ken_str_sub(path, 0, end);
    }
    return KEN_STR("");
}

static void note_vendored(survey *v, ken_str root)
{
    if (!v->vendored.items)
        v->vendored.items = KEN_ARENA_ARRAY(v->arena, ken_str, VENDORED_MAX);
    ken_str glob = ken_survey__glob_below(v->arena, root);
    for (size_t i = 0; i < v->vendored.n; i++)
        if (ken_str_eq(v->vendored.items[i], glob))
            return;
    if (v->vendored.n < VENDORED_MAX)
        v->vendored.items[v->vendored.n++] = glob;
}

// Scripts and downloaders that build tools put into a tree: nobody here wrote them.
static bool is_build_wrapper(ken_str path)
{
    return ken_str_fits("mvnw gradlew", ken_path_base(path)) ||
           ken_str_fits(".mvn/wrapper *.mvn/wrapper gradle/wrapper *gradle/wrapper",
                        ken_path_dir(path));
}

bool ken_survey__is_aside(const survey *v, ken_str path)
{
    const survey_file *f = ken_survey__file_of(v, path);
    return !f || f->is_aside;
}

static survey_file file_at(survey *v, ken_str path, bool is_test)
{
    survey_file f = { .path = path, .ext = ken_path_ext(path), .is_test = is_test };
    ken_str vendored = vendored_root(path);
    f.is_aside = is_test || aside_root(path).len || vendored.len || is_build_wrapper(path);
    if (vendored.len) { // it has no say in anything
        note_vendored(v, vendored);
        f.ext = KEN_STR("");
    }
    return f;
}

// Names of packages stand below folders of sources.
static bool is_deep(ken_str root)
{
    size_t n = 0;
    for (size_t i = 0; i < root.len; i++)
        n += root.ptr[i] == '/';
    return n >= 3;
}

// Where most files of a kind are is what the tree is about, whatever a folder on the way is called
// (`org/springframework/samples/petclinic`).
static void take_back_main(survey *v)
{
    survey_words roots, exts;
    ken_survey__words_init(&roots);
    ken_survey__words_init(&exts);
    for (size_t i = 0; i < v->n_files; i++) {
        const survey_file *f = &v->files[i];
        ken_str root = aside_root(f->path);
        if (f->is_test || !f->ext.len)
            continue;
        ken_survey__words_add(&exts, f->ext, v->arena);
        if (root.len)
            ken_survey__words_add(&roots,
                                  ken_arena_printf(v->arena, KEN_STR_FMT ":" KEN_STR_FMT,
                                                   KEN_STR_ARG(f->ext), KEN_STR_ARG(root)),
                                  v->arena);
    }
    for (size_t i = 0; i < v->n_files; i++) {
        survey_file *f = &v->files[i];
        ken_str root = aside_root(f->path);
        if (f->is_test || !root.len || !f->ext.len || is_build_wrapper(f->path))
            continue;
        ken_str key = ken_arena_printf(v->arena, KEN_STR_FMT ":" KEN_STR_FMT, KEN_STR_ARG(f->ext),
                                       KEN_STR_ARG(root));
        uint32_t n = roots.items.ptr[*ken_map_find(&roots.at, key)].n,
                 n_all = exts.items.ptr[*ken_map_find(&exts.at, f->ext)].n;
        f->is_aside = f->is_aside && (n * 2 <= n_all || !is_deep(root));
    }
    ken_survey__words_release(&roots);
    ken_survey__words_release(&exts);
}

static ken_status list_files(survey *v, ken_err *err)
{
    ken_str *all, *tested, *own;
    size_t n, n_plain, n_own, at = 0, own_at = 0;
    ken_facts_scope every = { .with_generated = true }, // a file's place is its number
        plain = { .with_generated = true, .without_tests = true }, made = { .in = { NULL, 0 } };
    ken_status st = ken_list_paths(v->s, &every, v->arena, &all, &n, err);
    if (!st)
        st = ken_list_paths(v->s, &plain, v->arena, &tested, &n_plain, err);
    if (!st)
        st = ken_list_paths(v->s, &made, v->arena, &own, &n_own, err);
    if (st)
        return st;
    v->files = KEN_ARENA_ARRAY(v->arena, survey_file, n + 1);
    v->n_files = n;
    v->out->n_files = (uint32_t)n_own;
    for (size_t i = 0; i < n; i++) {
        bool is_plain = at < n_plain && ken_str_eq(tested[at], all[i]);
        at += is_plain;
        v->files[i] = file_at(v, all[i], !is_plain);
    }
    take_back_main(v);
    leave_compiled(v);
    for (size_t i = 0; i < n; i++) {
        bool is_own = own_at < n_own && ken_str_eq(own[own_at], all[i]);
        own_at += is_own;
        v->files[i].is_aside |= !is_own;
    }
    return KEN_OK;
}

static void mark_code(survey *v, ken_str path)
{
    survey_file *f = ken_survey__file_of(v, path);
    if (f)
        f->is_code = true;
}

// Variables tell that a file is code, and are not kept.
static bool keep_definition(void *ctx, const ken_definition_fact *d)
{
    mark_code(ctx, d->path);
    return ken_symbol_is_callable(d->kind) || ken_symbol_is_type(d->kind);
}

static ken_status list_code(survey *v, ken_err *err)
{
    uint32_t kinds = 1u << KEN_SYMBOL_VARIABLE | 1u << KEN_SYMBOL_CONSTANT;
    for (uint32_t k = 1; k < KEN_SYMBOL_SECTION; k++)
        if (ken_symbol_is_callable((ken_symbol_kind)k) || ken_symbol_is_type((ken_symbol_kind)k))
            kinds |= 1u << k;
    ken_definitions_query defs = {
        .scope.except = v->vendored, .kinds = kinds, .keeps = keep_definition, .ctx = v
    };
    ken_imports_query imports = { .scope.except = v->vendored };
    ken_status st = ken_list_definitions(v->s, &defs, v->o->cancel, v->arena, &v->defs, err);
    if (!st)
        st = ken_list_imports(v->s, &imports, v->o->cancel, v->arena, &v->imports, err);
    for (size_t i = 0; !st && i < v->imports.n; i++)
        mark_code(v, v->imports.items[i].path);
    for (size_t i = 0; i < v->n_files; i++) {
        v->out->n_code += v->files[i].is_code && !v->files[i].is_aside;
        v->out->n_aside += v->files[i].is_code && v->files[i].is_aside;
    }
    return st;
}

// Files of handlers that do not count: a check must not ask them. (Tests it does not ask.)
static void note_aside(survey *v, const ken_handler_fact *h)
{
    ken_str_list *list = &v->aside_handlers;
    v->n_handlers_aside++;
    bool is_known = list->n && ken_str_eq(list->items[list->n - 1], h->route.file);
    if (!list->items)
        list->items = KEN_ARENA_ARRAY(v->arena, ken_str, KEN_SURVEY_EXCEPT);
    if (!h->is_test && !is_known && list->n < KEN_SURVEY_EXCEPT)
        list->items[list->n++] = h->route.file;
}

static ken_status list_handlers(survey *v, ken_err *err)
{
    ken_handler_fact *all;
    size_t n;
    ken_facts_scope scope = { .except = v->vendored };
    ken_status st = ken_list_handlers(v->s, &scope, v->o->cancel, v->arena, &all, &n, err);
    v->handlers = all;
    for (size_t i = 0; !st && i < n; i++) {
        if (ken_survey__is_aside(v, all[i].route.file))
            note_aside(v, &all[i]);
        else
            v->handlers[v->n_handlers++] = all[i];
    }
    return st;
}

// ---- tallies -----------------------------------------------------------------------------------

ken_survey_place ken_survey__whole(ken_str path)
{
    return (ken_survey_place){ .path = path, .is_whole = true };
}

// Places of different folders tell more.
static void keep_place(ken_survey_place *places, uint32_t *n, ken_survey_place at)
{
    for (uint32_t i = 0; i < *n; i++)
        if (ken_str_eq(ken_path_dir(places[i].path), ken_path_dir(at.path)) &&
            (ken_str_eq(places[i].path, at.path) || *n > 1))
            return;
    if (*n < KEN_SURVEY_PLACES)
        places[(*n)++] = at;
}

void ken_survey__count(survey_tally *t, bool agrees, ken_survey_place at)
{
    t->n_all++;
    t->n_for += agrees;
    if (agrees) {
        keep_place(t->yes, &t->n_yes, at);
        return;
    }
    if (t->n_no < KEN_SURVEY_PLACES)
        t->no[t->n_no++] = at;
    for (uint32_t i = 0; i < t->n_against; i++)
        if (ken_str_eq(t->against[i], at.path))
            return;
    if (t->n_against < KEN_SURVEY_EXCEPT)
        t->against[t->n_against++] = at.path;
    else
        t->is_over = true;
}

double ken_survey__share(const survey_tally *t)
{
    const double z = 1.28; // one side of 80 %
    if (!t->n_all)
        return 0;
    double n = t->n_all, p = t->n_for / n;
    double middle = p + z * z / (2 * n);
    double margin = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    return (middle - margin) / (1 + z * z / n);
}

bool ken_survey__is_habit(const survey_tally *t)
{
    return ken_survey__share(t) >= SURVEY_ALWAYS;
}

bool ken_survey__is_no_chance(double share, uint32_t n)
{
    return pow(share, n) < 0.002;
}

bool ken_survey__except(survey *v, const survey_tally *t, ken_str_list *out)
{
    *out = (ken_str_list){ KEN_ARENA_ARRAY(v->arena, ken_str, t->n_against + 1), 0 };
    for (uint32_t i = 0; i < t->n_against; i++)
        out->items[out->n++] = t->against[i];
    return !t->is_over;
}

const char *ken_survey__must(const survey_tally *t)
{
    return t->n_for == t->n_all ? "MUST" : "SHOULD";
}

// ---- findings ----------------------------------------------------------------------------------

static ken_str slug(ken_arena *arena, ken_str text)
{
    char *out = ken_arena_alloc(arena, text.len + 8);
    size_t n = 0;
    for (size_t i = 0; i < text.len && n < ID_MAX; i++) {
        char c = ken_lower(text.ptr[i]);
        if (ken_is_alpha(c) || ken_is_digit(c))
            out[n++] = c;
        else if (n && out[n - 1] != '-')
            out[n++] = '-';
    }
    while (n && out[n - 1] == '-')
        n--;
    return ken_str_n(out, n);
}

static bool is_taken(const survey *v, ken_str id)
{
    for (size_t i = 0; i < v->found.len; i++)
        if (ken_str_eq(v->found.ptr[i].id, id))
            return true;
    return false;
}

ken_finding *ken_survey__add(survey *v, ken_survey_topic topic, double value, ken_str id,
                             const survey_tally *t)
{
    ken_str base = slug(v->arena, id), name = base;
    for (int k = 2; is_taken(v, name); k++)
        name = ken_arena_printf(v->arena, KEN_STR_FMT "-%d", KEN_STR_ARG(base), k);
    ken_finding f = { .topic = topic, .id = name, .n_for = t->n_for, .n_all = t->n_all };
    f.value = value * ken_survey__share(t);
    memcpy(f.examples, t->yes, sizeof f.examples);
    memcpy(f.exceptions, t->no, sizeof f.exceptions);
    f.n_examples = t->n_yes;
    f.n_exceptions = t->n_no;
    ken_vec_push(&v->found, f);
    return &v->found.ptr[v->found.len - 1];
}

ken_str_list ken_survey__list1(ken_arena *arena, ken_str item)
{
    ken_str *items = KEN_ARENA_NEW(arena, ken_str);
    *items = item;
    return (ken_str_list){ items, 1 };
}

// The folder with the characters of patterns escaped, and the '/' after it.
static ken_str quoted(ken_arena *arena, ken_str folder)
{
    char *out = ken_arena_alloc(arena, 2 * folder.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < folder.len; i++) {
        if (memchr("*?[]{},\\", folder.ptr[i], 8))
            out[n++] = '\\';
        out[n++] = folder.ptr[i];
    }
    if (n)
        out[n++] = '/';
    return ken_str_n(out, n);
}

ken_str ken_survey__glob_below(ken_arena *arena, ken_str folder)
{
    return ken_arena_printf(arena, KEN_STR_FMT "**", KEN_STR_ARG(quoted(arena, folder)));
}

ken_str ken_survey__glob_ending(ken_arena *arena, ken_str folder, const char *exts)
{
    bool is_many = strchr(exts, ',') != NULL;
    return ken_arena_printf(arena, KEN_STR_FMT "**/*.%s%s%s", KEN_STR_ARG(quoted(arena, folder)),
                            is_many ? "{" : "", exts, is_many ? "}" : "");
}

// ---- words -------------------------------------------------------------------------------------

void ken_survey__words_init(survey_words *w)
{
    memset(w, 0, sizeof *w);
    ken_map_init(&w->at);
}

void ken_survey__words_release(survey_words *w)
{
    ken_map_release(&w->at);
    ken_vec_release(&w->items);
}

void ken_survey__words_add(survey_words *w, ken_str text, ken_arena *arena)
{
    bool is_new;
    uint64_t *at = ken_map_put(&w->at, text, w->items.len, &is_new);
    if (is_new)
        ken_vec_push(&w->items, ((survey_word){ ken_arena_dup(arena, text), 0 }));
    w->items.ptr[*at].n++;
}

static int by_count(const void *a, const void *b)
{
    const survey_word *x = a, *y = b;
    return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : ken_str_cmp(x->text, y->text);
}

void ken_survey__words_sort(survey_words *w)
{
    if (w->items.len)
        qsort(w->items.ptr, w->items.len, sizeof *w->items.ptr, by_count);
}

// ---- the whole ---------------------------------------------------------------------------------

static int by_value(const void *a, const void *b)
{
    const ken_finding *x = a, *y = b;
    return x->value != y->value ? (x->value < y->value) - (x->value > y->value)
                                : ken_str_cmp(x->id, y->id);
}

// Few rules are read; the others are told as facts.
static void keep_few_rules(ken_survey *out)
{
    size_t n = 0;
    for (size_t i = 0; i < out->n_findings; i++) {
        ken_finding *f = &out->findings[i];
        n += !f->is_fact;
        if (n > KEN_SURVEY_RULES || f->value < VALUE_MIN)
            f->is_fact = true;
    }
}

static ken_str_list joined(ken_arena *arena, ken_str_list a, ken_str_list b)
{
    ken_str_list out = { KEN_ARENA_ARRAY(arena, ken_str, a.n + b.n), 0 };
    for (size_t i = 0; i < a.n; i++)
        out.items[out.n++] = a.items[i];
    for (size_t i = 0; i < b.n; i++)
        out.items[out.n++] = b.items[i];
    return out;
}

// Checks leave other people's code alone, as the counts did.
static void spare_vendored(survey *v)
{
    for (size_t i = 0; i < v->found.len && v->vendored.n; i++) {
        ken_rule_check *c = &v->found.ptr[i].check;
        if (c->kind != KEN_CHECK_NONE)
            c->except = joined(v->arena, c->except, v->vendored);
    }
}

static ken_status survey_tree(survey *v, ken_err *err)
{
    ken_status st = list_files(v, err);
    if (!st)
        st = list_code(v, err);
    if (!st)
        st = list_handlers(v, err);
    if (!st)
        st = ken_survey__detect(v, err);
    if (!st)
        st = ken_survey__depends(v, err);
    if (!st)
        st = ken_survey__handlers(v, err);
    if (!st)
        st = ken_survey__types(v, err);
    if (!st)
        st = ken_survey__helpers(v, err);
    if (!st)
        st = ken_survey__errors(v, err);
    if (st)
        return st;
    ken_survey__components(v);
    ken_survey__modules(v);
    ken_survey__roles(v);
    ken_survey__naming(v);
    ken_survey__tests(v);
    spare_vendored(v);
    return KEN_OK;
}

ken_status ken_survey_run(ken_snapshot *s, const ken_survey_opts *o, ken_arena *arena,
                          ken_survey *out, ken_err *err)
{
    ken_survey result = { .n_parts = 0 };
    survey v = { .s = s, .o = o, .arena = arena, .out = &result };
    ken_status st = survey_tree(&v, err);
    if (!st) {
        result.findings = KEN_ARENA_ARRAY(arena, ken_finding, v.found.len + 1);
        result.n_findings = v.found.len;
        if (v.found.len) {
            memcpy(result.findings, v.found.ptr, v.found.len * sizeof *result.findings);
            qsort(result.findings, result.n_findings, sizeof *result.findings, by_value);
            keep_few_rules(&result);
        }
        *out = result;
    }
    ken_vec_release(&v.found);
    return st;
}
