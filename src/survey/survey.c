// SPDX-License-Identifier: MIT
// A survey: lists over the whole tree are taken once (query_facts.h), then each part looks at them.
#include "survey/survey.h"

#include <stdlib.h>

#include "base/path.h"
#include "survey/survey_priv.h"

enum {
    VENDORED_MAX = 16,
    ID_MAX = 72, // of the 80 that a rule's may have: a number may follow
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

bool survey_has_folder(ken_str path, const char *const *names, size_t n)
{
    ken_str dir = ken_path_dir(path), part;
    while (dir.len && ken_str_split_next(&dir, '/', &part))
        for (size_t i = 0; i < n; i++)
            if (ken_str_eq_fold(part, ken_str_c(names[i])))
                return true;
    return false;
}

static bool is_aside(ken_str path)
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
    return survey_has_folder(path, names, sizeof names / sizeof *names);
}

bool survey_is_under(ken_str path, ken_str folder)
{
    if (!folder.len || ken_str_eq_c(folder, "."))
        return true;
    return ken_str_starts(path, folder) && (path.len == folder.len || path.ptr[folder.len] == '/');
}

static int file_cmp(const void *key, const void *item)
{
    return ken_str_cmp(*(const ken_str *)key, ((const survey_file *)item)->path);
}

survey_file *survey_file_of(const survey *v, ken_str path)
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
    ken_str glob = survey_glob_below(v->arena, root);
    for (size_t i = 0; i < v->vendored.n; i++)
        if (ken_str_eq(v->vendored.items[i], glob))
            return;
    if (v->vendored.n < VENDORED_MAX)
        v->vendored.items[v->vendored.n++] = glob;
}

static survey_file file_at(survey *v, ken_str path, bool is_test)
{
    survey_file f = { .path = path, .ext = ken_path_ext(path), .is_test = is_test };
    ken_str vendored = vendored_root(path);
    f.is_aside = is_test || is_aside(path) || vendored.len;
    if (vendored.len) { // it has no say in anything
        note_vendored(v, vendored);
        f.ext = KEN_STR("");
    }
    return f;
}

static ken_status list_files(survey *v, ken_err *err)
{
    ken_str *all, *tested;
    size_t n, n_plain, at = 0;
    ken_facts_scope every = { .without_tests = false }, plain = { .without_tests = true };
    ken_status st = ken_list_paths(v->s, &every, v->arena, &all, &n, err);
    if (!st)
        st = ken_list_paths(v->s, &plain, v->arena, &tested, &n_plain, err);
    if (st)
        return st;
    v->files = KEN_ARENA_ARRAY(v->arena, survey_file, n + 1);
    v->n_files = n;
    v->out->n_files = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        bool is_plain = at < n_plain && ken_str_eq(tested[at], all[i]);
        at += is_plain;
        v->files[i] = file_at(v, all[i], !is_plain);
    }
    return KEN_OK;
}

static void mark_code(survey *v, ken_str path)
{
    survey_file *f = survey_file_of(v, path);
    if (f)
        f->is_code = true;
}

static ken_status list_code(survey *v, ken_err *err)
{
    uint32_t kinds = 0;
    for (uint32_t k = 1; k < KEN_SYMBOL_SECTION; k++)
        if (ken_symbol_is_callable((ken_symbol_kind)k) || ken_symbol_is_type((ken_symbol_kind)k))
            kinds |= 1u << k;
    ken_definitions_query defs = { .scope.except = v->vendored, .kinds = kinds };
    ken_imports_query imports = { .scope.except = v->vendored };
    ken_status st = ken_list_definitions(v->s, &defs, v->o->cancel, v->arena, &v->defs, err);
    if (!st)
        st = ken_list_imports(v->s, &imports, v->o->cancel, v->arena, &v->imports, err);
    for (size_t i = 0; !st && i < v->defs.n; i++)
        mark_code(v, v->defs.items[i].path);
    for (size_t i = 0; !st && i < v->imports.n; i++)
        mark_code(v, v->imports.items[i].path);
    return st;
}

static ken_status list_routes(survey *v, ken_err *err)
{
    ken_route *all;
    size_t n;
    ken_status st = ken_find_routes(v->s, KEN_STR(""), v->o->cancel, v->arena, &all, &n, err);
    if (st)
        return st;
    v->routes = all;
    for (size_t i = 0; i < n; i++) {
        const survey_file *f = survey_file_of(v, all[i].file);
        if (f && !f->is_aside)
            v->routes[v->n_routes++] = all[i];
    }
    return KEN_OK;
}

// ---- tallies -----------------------------------------------------------------------------------

ken_survey_place survey_whole(ken_str path)
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

void survey_count(survey_tally *t, bool agrees, ken_survey_place at)
{
    t->n_all++;
    t->n_for += agrees;
    if (agrees)
        keep_place(t->yes, &t->n_yes, at);
    else if (t->n_no < KEN_SURVEY_PLACES)
        t->no[t->n_no++] = at;
}

bool survey_is_habit(const survey_tally *t)
{
    return t->n_all >= KEN_SURVEY_CASES &&
           (uint64_t)t->n_for * 100 >= (uint64_t)t->n_all * KEN_SURVEY_PERCENT;
}

const char *survey_must(const survey_tally *t)
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

ken_finding *survey_add(survey *v, ken_survey_topic topic, ken_str id, const survey_tally *t)
{
    ken_str base = slug(v->arena, id), name = base;
    for (int k = 2; is_taken(v, name); k++)
        name = ken_arena_printf(v->arena, KEN_STR_FMT "-%d", KEN_STR_ARG(base), k);
    ken_finding f = { .topic = topic, .id = name, .n_for = t->n_for, .n_all = t->n_all };
    memcpy(f.examples, t->yes, sizeof f.examples);
    memcpy(f.exceptions, t->no, sizeof f.exceptions);
    f.n_examples = t->n_yes;
    f.n_exceptions = t->n_no;
    ken_vec_push(&v->found, f);
    return &v->found.ptr[v->found.len - 1];
}

ken_str_list survey_list1(ken_arena *arena, ken_str item)
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

ken_str survey_glob_below(ken_arena *arena, ken_str folder)
{
    return ken_arena_printf(arena, KEN_STR_FMT "**", KEN_STR_ARG(quoted(arena, folder)));
}

ken_str survey_glob_ending(ken_arena *arena, ken_str folder, const char *exts)
{
    bool is_many = strchr(exts, ',') != NULL;
    return ken_arena_printf(arena, KEN_STR_FMT "**/*.%s%s%s", KEN_STR_ARG(quoted(arena, folder)),
                            is_many ? "{" : "", exts, is_many ? "}" : "");
}

// ---- words -------------------------------------------------------------------------------------

void survey_words_init(survey_words *w)
{
    memset(w, 0, sizeof *w);
    ken_map_init(&w->at);
}

void survey_words_release(survey_words *w)
{
    ken_map_release(&w->at);
    ken_vec_release(&w->items);
}

void survey_words_add(survey_words *w, ken_str text, ken_arena *arena)
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

void survey_words_sort(survey_words *w)
{
    if (w->items.len)
        qsort(w->items.ptr, w->items.len, sizeof *w->items.ptr, by_count);
}

// ---- the whole ---------------------------------------------------------------------------------

static int by_topic(const void *a, const void *b)
{
    const ken_finding *x = a, *y = b;
    return x->topic != y->topic ? (x->topic > y->topic) - (x->topic < y->topic)
                                : ken_str_cmp(x->id, y->id);
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

static ken_status look(survey *v, ken_err *err)
{
    ken_status st = list_files(v, err);
    if (!st)
        st = list_code(v, err);
    if (!st)
        st = list_routes(v, err);
    if (!st)
        st = survey_detect(v, err);
    if (!st)
        st = survey_api(v, err);
    if (!st)
        st = survey_errors(v, err);
    if (!st)
        st = survey_style(v, err);
    if (st)
        return st;
    survey_components(v);
    survey_modules(v);
    survey_naming(v);
    survey_tests(v);
    spare_vendored(v);
    return KEN_OK;
}

ken_status ken_survey_run(ken_snapshot *s, const ken_survey_opts *o, ken_arena *arena,
                          ken_survey *out, ken_err *err)
{
    ken_survey result = { .n_parts = 0 };
    survey v = { .s = s, .o = o, .arena = arena, .out = &result };
    ken_status st = look(&v, err);
    if (!st) {
        result.findings = KEN_ARENA_ARRAY(arena, ken_finding, v.found.len + 1);
        result.n_findings = v.found.len;
        if (v.found.len) {
            memcpy(result.findings, v.found.ptr, v.found.len * sizeof *result.findings);
            qsort(result.findings, result.n_findings, sizeof *result.findings, by_topic);
        }
        *out = result;
    }
    ken_vec_release(&v.found);
    return st;
}
