// SPDX-License-Identifier: MIT
// get_architecture: what a code base is made of, in one page.
#include <stdlib.h>

#include "base/map.h"
#include "base/path.h"
#include "query/code/arch_priv.h"

enum {
    MODULES_SHOWN = 20,
    EDGES_SHOWN = 30,
    ENTRIES_SHOWN = 12,
    ROUTES_SHOWN = 20,
    TYPES_SHOWN = 10,
    HOTSPOTS_SHOWN = 8,
    LIST_SHOWN = 10
};

typedef struct surveying {
    ken_snapshot *s;
    const query_focus *focus;
    const ken_cancel *cancel;
    ken_arena *arena;
    ken_architecture *out;
} surveying;

// ---- modules ------------------------------------------------------------------------------------

static int by_centrality(const void *a, const void *b)
{
    const ken_module_node *x = a, *y = b;
    if (x->centrality != y->centrality)
        return x->centrality > y->centrality ? -1 : 1;
    return ken_str_cmp(x->path, y->path);
}

static int by_imports(const void *a, const void *b)
{
    const ken_module_edge *x = a, *y = b;
    if (x->n_imports != y->n_imports)
        return x->n_imports > y->n_imports ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

// Edges name modules by their place in the list that is shown.
static void show_edges(surveying *v, const query_modules *m)
{
    uint32_t place[QUERY_MODULES_MAX];
    for (uint32_t i = 0; i < m->n; i++) {
        place[i] = UINT32_MAX;
        for (uint32_t k = 0; k < v->out->n_modules; k++)
            if (ken_str_eq(v->out->modules[k].path, m->modules[i].path))
                place[i] = k;
    }
    ken_module_edge *all = KEN_ARENA_ARRAY(v->arena, ken_module_edge, m->n * m->n + (size_t)1);
    size_t n = 0;
    for (uint32_t i = 0; i < m->n; i++)
        for (uint32_t k = 0; k < m->n; k++)
            if (m->weight[i][k] && place[i] != UINT32_MAX && place[k] != UINT32_MAX)
                all[n++] = (ken_module_edge){ place[i], place[k], m->weight[i][k] };
    if (n)
        qsort(all, n, sizeof *all, by_imports);
    v->out->edges = all;
    v->out->n_edges = n < EDGES_SHOWN ? n : EDGES_SHOWN;
}

static ken_status show_modules(surveying *v, ken_err *err)
{
    query_modules *m = KEN_ARENA_NEW(v->arena, query_modules);
    ken_status st = query_find_modules(v->s, v->focus, v->cancel, v->arena, m, err);
    if (st)
        return st;
    ken_module_node *all = KEN_ARENA_ARRAY(v->arena, ken_module_node, m->n + (size_t)1);
    size_t n = 0;
    for (uint32_t i = 0; i < m->n; i++)
        if (m->modules[i].n_files)
            all[n++] = m->modules[i];
    if (n)
        qsort(all, n, sizeof *all, by_centrality);
    v->out->modules = all;
    v->out->n_modules_total = n;
    v->out->n_modules = n < MODULES_SHOWN ? n : MODULES_SHOWN;
    v->out->n_cycles = m->n_cycles;
    v->out->n_unresolved_imports = m->n_unknown;
    show_edges(v, m);
    return KEN_OK;
}

// ---- where it begins ----------------------------------------------------------------------------

static bool is_entry_file(ken_str path)
{
    static const char *const names[] = { "__main__.py", "manage.py", "main.rs",   "main.go",
                                         "main.swift",  "main.ts",   "main.js",   "server.js",
                                         "server.ts",   "cli.js",    "cli.ts",    "app.py",
                                         "wsgi.py",     "asgi.py",   "config.ru", "artisan" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ken_str_eq_c(ken_path_base(path), names[i]))
            return true;
    return false;
}

static bool is_shown_entry(surveying *v, uint32_t file)
{
    const uint32_t other = KEN_PATH_TEST | KEN_PATH_EXAMPLE | KEN_PATH_COMPAT;
    return query_in_focus(v->s, file, v->focus) && !(v->s->path_bits[file] & other);
}

static void add_entry(surveying *v, const ken_graph_node *node)
{
    for (size_t i = 0; i < v->out->n_entries; i++)
        if (v->out->entries[i].id.file == node->id.file)
            return;
    if (v->out->n_entries < ENTRIES_SHOWN)
        v->out->entries[v->out->n_entries++] = *node;
}

// Functions called main, then files that are called like one.
static ken_status show_entries(surveying *v, ken_err *err)
{
    static const char *const mains[] = { "main", "Main", "wmain", "WinMain" };
    v->out->entries = KEN_ARENA_ARRAY(v->arena, ken_graph_node, ENTRIES_SHOWN);
    query_names names = { 0 };
    ken_status st = KEN_OK;
    for (size_t i = 0; !st && i < sizeof mains / sizeof *mains; i++) {
        names.len = 0;
        st = query_names_equal(v->s, ken_str_c(mains[i]), v->arena, &names, err);
        for (size_t k = 0; !st && k < names.len; k++) {
            const query_name *n = &names.ptr[k];
            ken_graph_node node;
            if (n->closeness == 0 && ken_symbol_is_callable(n->kind) &&
                is_shown_entry(v, n->file) &&
                query_graph_name(v->s, (ken_graph_def){ n->file, n->symbol }, v->arena, &node))
                add_entry(v, &node);
        }
    }
    ken_vec_release(&names);
    for (uint32_t f = 0; !st && f < v->s->n_files; f++) {
        ken_graph_node node = { .id = { f, UINT32_MAX }, .path = v->s->rows[f].path };
        if (is_entry_file(node.path) && is_shown_entry(v, f))
            add_entry(v, &node);
    }
    return st;
}

// ---- tests, build, documentation ----------------------------------------------------------------

static void add_folder(surveying *v, ken_str folder)
{
    for (size_t i = 0; i < v->out->n_tests; i++)
        if (ken_path_is_under(v->out->tests[i], folder) || ken_str_eq(v->out->tests[i], folder))
            return;
    if (v->out->n_tests < LIST_SHOWN)
        v->out->tests[v->out->n_tests++] = folder;
}

static const char *build_of(ken_str base)
{
    static const struct {
        const char *name, *what;
    } kinds[] = { { "package.json", "npm" },       { "go.mod", "Go" },
                  { "Cargo.toml", "Cargo" },       { "pyproject.toml", "Python" },
                  { "setup.py", "setuptools" },    { "pom.xml", "Maven" },
                  { "build.gradle", "Gradle" },    { "build.gradle.kts", "Gradle" },
                  { "composer.json", "Composer" }, { "Gemfile", "Bundler" },
                  { "CMakeLists.txt", "CMake" },   { "Makefile", "make" },
                  { "meson.build", "Meson" },      { "Package.swift", "SwiftPM" },
                  { "build.sbt", "sbt" },          { "mix.exs", "Mix" },
                  { "build.zig", "Zig" },          { "Dockerfile", "Docker" },
                  { "stack.yaml", "Stack" },       { "configure.ac", "Autoconf" } };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (ken_str_eq_c(base, kinds[i].name))
            return kinds[i].what;
    if (ken_str_ends(base, KEN_STR(".csproj")) || ken_str_ends(base, KEN_STR(".sln")))
        return ".NET";
    return ken_str_ends(base, KEN_STR(".gemspec")) ? "gem" : NULL;
}

static bool is_main_doc(ken_str base)
{
    static const char *const stems[] = { "README",       "ARCHITECTURE", "DESIGN",
                                         "CONTRIBUTING", "AGENTS",       "CLAUDE" };
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
        if (ken_str_eq_fold(ken_path_stem(base), ken_str_c(stems[i])))
            return true;
    return false;
}

static void show_files(surveying *v)
{
    ken_architecture *out = v->out;
    out->tests = KEN_ARENA_ARRAY(v->arena, ken_str, LIST_SHOWN);
    out->build = KEN_ARENA_ARRAY(v->arena, ken_str, LIST_SHOWN);
    out->docs = KEN_ARENA_ARRAY(v->arena, ken_str, LIST_SHOWN);
    for (uint32_t f = 0; f < v->s->n_files; f++) {
        ken_str path = v->s->rows[f].path, base = ken_path_base(path);
        bool is_top = ken_str_find_char(path, '/') == SIZE_MAX;
        const char *build = is_top ? build_of(base) : NULL;
        if (build && out->n_build < LIST_SHOWN)
            out->build[out->n_build++] =
                ken_arena_printf(v->arena, KEN_STR_FMT " (%s)", KEN_STR_ARG(path), build);
        if (is_top && is_main_doc(base) && out->n_docs < LIST_SHOWN)
            out->docs[out->n_docs++] = path;
        if (query_is_test(v->s, f) && query_in_focus(v->s, f, v->focus)) {
            out->n_test_files++;
            add_folder(v, ken_path_dir(path));
        }
    }
}

// ---- the page -----------------------------------------------------------------------------------

static ken_status show_routes(surveying *v, ken_err *err)
{
    ken_route *all;
    size_t n;
    ken_status st = query_find_routes(v->s, KEN_STR(""), false, v->cancel, v->arena, &all, &n, err);
    v->out->routes = KEN_ARENA_ARRAY(v->arena, ken_route, ROUTES_SHOWN);
    for (size_t i = 0; !st && i < n; i++) {
        int64_t file = query_file_index(v->s, all[i].file);
        if (file < 0 || query_is_test(v->s, (uint32_t)file) ||
            !query_in_focus(v->s, (uint32_t)file, v->focus))
            continue;
        v->out->n_routes_total++;
        if (v->out->n_routes < ROUTES_SHOWN)
            v->out->routes[v->out->n_routes++] = all[i];
    }
    return st;
}

static ken_status show_langs(surveying *v, ken_err *err)
{
    ken_snapshot_stats stats;
    ken_status st = ken_snapshot_get_stats(v->s, v->arena, &stats, err);
    if (st)
        return st;
    v->out->langs = stats.langs;
    v->out->n_langs = stats.n_langs;
    return KEN_OK;
}

static ken_status survey(surveying *v, ken_err *err)
{
    ken_graph *g;
    ken_status st = query_graph_open(v->s, &g, err);
    if (!st)
        st = show_langs(v, err);
    if (!st)
        st = show_modules(v, err);
    if (!st)
        st = query_graph_open(v->s, &g, err); // learning imports may have filled it
    if (!st)
        st = show_entries(v, err);
    if (!st)
        st = show_routes(v, err);
    if (!st)
        st = query_find_types(v->s, v->focus, TYPES_SHOWN, v->arena, &v->out->types,
                              &v->out->n_types, err);
    if (!st)
        st = query_find_hotspots(v->s, v->focus, HOTSPOTS_SHOWN, v->cancel, v->arena,
                                 &v->out->hotspots, &v->out->n_hotspots, err);
    if (!st)
        show_files(v);
    return st;
}

ken_status ken_get_architecture(ken_snapshot *s, ken_arch_focus area, ken_str folder,
                                const ken_cancel *cancel, ken_arena *arena, ken_architecture *out,
                                ken_err *err)
{
    *out = (ken_architecture){ 0 };
    query_focus focus;
    ken_status st = query_focus_on(s, area, folder, arena, &focus, err);
    if (st)
        return st;
    surveying v = { s, &focus, cancel, arena, out };
    return survey(&v, err);
}
