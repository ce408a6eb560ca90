// SPDX-License-Identifier: MIT
// get_architecture: what a code base is made of, in one page.
#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/path.h"
#include "query/code/arch_priv.h"

enum {
    MODULES_SHOWN = 20,
    EDGES_SHOWN = 30,
    FILES_SHOWN = 10,
    FILES_LEAST = 5,   // of code, for which it is worth naming the most used
    SYMBOLS_LEAST = 2, // of a named one: others only pass names on
    USERS_LEAST = 2,
    ENTRIES_SHOWN = 8,
    FLOWS_SHOWN = 5,
    FLOW_STEPS = 8,
    FLOW_CHILDREN = 3,
    FLOW_NODES = 300,
    NAMES_HELD = 200, // of main functions
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
    query_modules *m;
} surveying;

// What the project is made of, in focus.
static bool is_code(const surveying *v, uint32_t file)
{
    return v->m->of_file[file] != UINT32_MAX && !v->m->aside[file];
}

// ---- modules ------------------------------------------------------------------------------------

static int by_centrality(const void *a, const void *b)
{
    const ken_module_node *x = a, *y = b;
    if (!x->aside != !y->aside)
        return x->aside ? 1 : -1;
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
            if (m->weight[i][k] && place[i] != UINT32_MAX && place[k] != UINT32_MAX &&
                !m->modules[i].aside && !m->modules[k].aside)
                all[n++] = (ken_module_edge){ place[i], place[k], m->weight[i][k] };
    if (n)
        qsort(all, n, sizeof *all, by_imports);
    v->out->edges = all;
    v->out->n_edges = n < EDGES_SHOWN ? n : EDGES_SHOWN;
}

static ken_status show_modules(surveying *v, ken_err *err)
{
    query_modules *m = v->m = KEN_ARENA_NEW(v->arena, query_modules);
    ken_status st = ken_query__find_modules(v->s, v->focus, v->cancel, v->arena, m, err);
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

typedef struct entry {
    ken_graph_node node;
    double weight;    // of its module
    uint32_t n_lines; // of its file
    bool is_function;
} entry;

// Functions before files, of the modules that most leads to, of large files: small ones are tools and
// tests of themselves.
static int by_weight(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->is_function != y->is_function)
        return x->is_function ? -1 : 1;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    if (x->n_lines != y->n_lines)
        return x->n_lines > y->n_lines ? -1 : 1;
    return (x->node.id.file > y->node.id.file) - (x->node.id.file < y->node.id.file);
}

static size_t add_entry(surveying *v, const ken_graph_node *node, bool is_function, entry *list,
                        size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].node.id.file == node->id.file)
            return n;
    if (n < NAMES_HELD)
        list[n++] = (entry){ *node, v->m->modules[v->m->of_file[node->id.file]].centrality,
                             v->s->contents[node->id.file].n_lines, is_function };
    return n;
}

// Functions called main, then files that are called like one and that nobody imports.
static ken_status show_entries(surveying *v, ken_err *err)
{
    static const char *const mains[] = { "main", "Main", "wmain", "WinMain" };
    entry *list = KEN_ARENA_ARRAY(v->arena, entry, NAMES_HELD);
    size_t n = 0;
    query_names names = { 0 };
    ken_status st = KEN_OK;
    for (size_t i = 0; !st && i < sizeof mains / sizeof *mains; i++) {
        names.len = 0;
        st = ken_query__names_equal(v->s, ken_str_c(mains[i]), v->arena, &names, err);
        for (size_t k = 0; !st && k < names.len; k++) {
            const query_name *name = &names.ptr[k];
            ken_graph_node node;
            if (name->closeness == 0 && ken_symbol_is_callable(name->kind) &&
                is_code(v, name->file) &&
                ken_query__graph_name(v->s, (ken_graph_def){ name->file, name->symbol }, v->arena,
                                      &node))
                n = add_entry(v, &node, true, list, n);
        }
    }
    ken_vec_release(&names);
    for (uint32_t f = 0; !st && f < v->s->n_files; f++) {
        ken_graph_node node = { .id = { f, UINT32_MAX }, .path = v->s->rows[f].path };
        if (is_entry_file(node.path) && is_code(v, f) && !v->m->n_users[f])
            n = add_entry(v, &node, false, list, n);
    }
    if (n)
        qsort(list, n, sizeof *list, by_weight);
    v->out->entries = KEN_ARENA_ARRAY(v->arena, ken_graph_node, ENTRIES_SHOWN);
    for (size_t i = 0; i < n && i < ENTRIES_SHOWN; i++)
        v->out->entries[v->out->n_entries++] = list[i].node;
    return st;
}

// ---- the files that most of it leads to ----------------------------------------------------------

typedef struct central_file {
    uint32_t file, n_users;
    double score;
} central_file;

static int by_file_score(const void *a, const void *b)
{
    const central_file *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x->file > y->file) - (x->file < y->file);
}

static ken_str without_ext(ken_str path)
{
    ken_str ext = ken_path_ext(path);
    return ken_str_sub(path, 0, path.len - (ext.len ? ext.len + 1 : 0));
}

static bool is_longer_twin(const surveying *v, uint32_t file, ken_str stem, uint32_t best)
{
    return is_code(v, file) && ken_str_eq(without_ext(v->s->rows[file].path), stem) &&
           v->s->contents[file].n_lines > v->s->contents[best].n_lines;
}

// The longest file of the same folder and stem: of a header the file that defines what it declares. In
// the order of paths they stand together.
static uint32_t longest_twin(const surveying *v, uint32_t file)
{
    const ken_file_row *rows = v->s->rows;
    ken_str stem = without_ext(rows[file].path);
    uint32_t best = file;
    for (uint32_t f = file; f-- > 0 && ken_str_starts(rows[f].path, stem);)
        best = is_longer_twin(v, f, stem, best) ? f : best;
    for (uint32_t f = file + 1; f < v->s->n_files && ken_str_starts(rows[f].path, stem); f++)
        best = is_longer_twin(v, f, stem, best) ? f : best;
    return best;
}

// By what leads to them, at any distance, and their size.
static void show_files_of_code(surveying *v)
{
    const query_modules *m = v->m;
    central_file *all = KEN_ARENA_ARRAY(v->arena, central_file, v->s->n_files + (size_t)1);
    double *scores = KEN_ARENA_ARRAY(v->arena, double, v->s->n_files + (size_t)1);
    uint32_t *n_users = KEN_ARENA_ARRAY(v->arena, uint32_t, v->s->n_files + (size_t)1);
    size_t n = 0, n_code = 0;
    for (uint32_t f = 0; f < v->s->n_files; f++) {
        if (!is_code(v, f))
            continue;
        n_code++;
        uint32_t shown = m->n_users[f] ? longest_twin(v, f) : f;
        scores[shown] += m->centrality[f];
        n_users[shown] = m->n_users[f] > n_users[shown] ? m->n_users[f] : n_users[shown];
    }
    for (uint32_t f = 0; f < v->s->n_files; f++)
        if (n_users[f] >= USERS_LEAST && v->s->contents[f].n_symbols >= SYMBOLS_LEAST)
            all[n++] = (central_file){ f, n_users[f], scores[f] * sqrt(v->s->contents[f].n_lines) };
    if (n_code < FILES_LEAST)
        return;
    if (n)
        qsort(all, n, sizeof *all, by_file_score);
    v->out->files = KEN_ARENA_ARRAY(v->arena, ken_key_file, FILES_SHOWN);
    for (size_t i = 0; i < n && i < FILES_SHOWN; i++)
        v->out->files[v->out->n_files++] =
            (ken_key_file){ v->s->rows[all[i].file].path, v->s->contents[all[i].file].n_lines,
                            all[i].n_users };
}

// ---- what happens from where it begins -----------------------------------------------------------

// How many calls of a step are known; what calls nothing says little.
static size_t count_below(const ken_trace *t, size_t step)
{
    const ken_trace_step *s = &t->steps[step];
    int32_t at = s->seen_at >= 0 ? s->seen_at : (int32_t)step; // where its calls are told
    size_t n = t->steps[at].n_cut;
    for (size_t i = 0; i < t->n_steps; i++)
        n += t->steps[i].parent == at;
    return n;
}

static ken_str step_text(const ken_trace *t, size_t step, ken_arena *arena)
{
    ken_str text = t->steps[step].node.name;
    size_t n = 0;
    for (size_t i = step + 1; i < t->n_steps && n < FLOW_CHILDREN; i++) {
        if (t->steps[i].parent != (int32_t)step || !count_below(t, i))
            continue;
        text = ken_arena_printf(arena, KEN_STR_FMT "%s" KEN_STR_FMT, KEN_STR_ARG(text),
                                n++ ? ", " : " (", KEN_STR_ARG(t->steps[i].node.name));
    }
    return n ? ken_arena_printf(arena, KEN_STR_FMT ")", KEN_STR_ARG(text)) : text;
}

// The calls of the entry that lead furthest, in the order of their places.
static void add_steps(const ken_trace *t, ken_arena *arena, ken_flow *flow)
{
    bool is_chosen[FLOW_NODES] = { false };
    size_t n = 0, n_direct = 0;
    for (size_t i = 1; i < t->n_steps; i++)
        n_direct += t->steps[i].depth == 1 && count_below(t, i) > 0;
    for (; n < FLOW_STEPS; n++) {
        size_t best = 0;
        for (size_t i = 1; i < t->n_steps && i < FLOW_NODES; i++)
            if (t->steps[i].depth == 1 && !is_chosen[i] && count_below(t, i) &&
                (!best || count_below(t, i) > count_below(t, best)))
                best = i;
        if (!best)
            break;
        is_chosen[best] = true;
    }
    flow->steps = KEN_ARENA_ARRAY(arena, ken_str, FLOW_STEPS);
    for (size_t i = 1; i < t->n_steps && i < FLOW_NODES; i++)
        if (is_chosen[i])
            flow->steps[flow->n_steps++] = step_text(t, i, arena);
    flow->n_left_out = n_direct - flow->n_steps;
}

static ken_status add_flow(surveying *v, ken_str place, ken_str route, ken_err *err)
{
    ken_trace_opts o = { .entry = place, .max_depth = 3, .max_nodes = FLOW_NODES };
    ken_trace t;
    ken_flow *flow = &v->out->flows[v->out->n_flows];
    ken_status st = ken_trace_execution(v->s, &o, v->cancel, v->arena, &t, err);
    if (st == KEN_ENOTFOUND || (!st && !t.n_steps))
        return KEN_OK;
    if (st)
        return st;
    *flow = (ken_flow){ .from = t.steps[0].node, .route = route };
    for (size_t i = 0; i < v->out->n_flows; i++)
        if (v->out->flows[i].from.id.file == flow->from.id.file &&
            v->out->flows[i].from.id.def == flow->from.id.def)
            return KEN_OK;
    add_steps(&t, v->arena, flow);
    v->out->n_flows += flow->n_steps > 0;
    return KEN_OK;
}

// From main functions, then from the handlers of routes.
static ken_status show_flows(surveying *v, ken_err *err)
{
    ken_architecture *out = v->out;
    ken_status st = KEN_OK;
    out->flows = KEN_ARENA_ARRAY(v->arena, ken_flow, FLOWS_SHOWN + 1);
    for (size_t i = 0; !st && i < out->n_entries && out->n_flows < 3; i++) {
        const ken_graph_node *e = &out->entries[i];
        if (e->id.def != UINT32_MAX)
            st = add_flow(v,
                          ken_arena_printf(v->arena, KEN_STR_FMT ":%u", KEN_STR_ARG(e->path),
                                           e->first_line + 1),
                          KEN_STR(""), err);
    }
    for (size_t i = 0; !st && i < out->n_routes && out->n_flows < FLOWS_SHOWN; i++) {
        const ken_route *r = &out->routes[i];
        ken_graph_node handler;
        if (r->handler_id.file == UINT32_MAX ||
            !ken_query__graph_name(v->s, r->handler_id, v->arena, &handler))
            continue;
        st = add_flow(v,
                      ken_arena_printf(v->arena, KEN_STR_FMT ":%u", KEN_STR_ARG(handler.path),
                                       handler.first_line + 1),
                      ken_arena_printf(v->arena, KEN_STR_FMT " " KEN_STR_FMT,
                                       KEN_STR_ARG(r->method), KEN_STR_ARG(r->path)),
                      err);
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
        if (ken_query__is_test(v->s, f) && ken_query__in_focus(v->s, f, v->focus) &&
            !ken_query__is_bundled(path)) {
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
    ken_status st =
        ken_query__find_routes(v->s, KEN_STR(""), false, v->cancel, v->arena, &all, &n, err);
    v->out->routes = KEN_ARENA_ARRAY(v->arena, ken_route, ROUTES_SHOWN);
    for (size_t i = 0; !st && i < n; i++) {
        int64_t file = ken_query__file_index(v->s, all[i].file);
        if (file < 0 || all[i].is_event || !is_code(v, (uint32_t)file))
            continue;
        v->out->n_routes_total++;
        if (v->out->n_routes < ROUTES_SHOWN)
            v->out->routes[v->out->n_routes++] = all[i];
    }
    return st;
}

static bool is_program(const ken_lang_count *c)
{
    ken_lang_id lang = ken_lang_by_name(c->language);
    return lang != (ken_lang_id)0 && ken_lang_role_of(lang) == KEN_LANG_ROLE_CODE;
}

static int by_files(const void *a, const void *b)
{
    const ken_lang_count *x = a, *y = b;
    if (is_program(x) != is_program(y))
        return is_program(x) ? -1 : 1;
    if (x->n_files != y->n_files)
        return x->n_files > y->n_files ? -1 : 1;
    return ken_str_cmp(x->language, y->language);
}

// Of the focus; of the whole also what is no code. Languages of code first, by files.
static void show_langs(surveying *v)
{
    ken_lang_count *langs = KEN_ARENA_ARRAY(v->arena, ken_lang_count, KEN_LANG_COUNT);
    for (uint32_t f = 0; f < v->s->n_files; f++) {
        const ken_content_info *info = &v->s->contents[f];
        bool is_below =
            !v->focus->folder.len || ken_path_is_under(v->focus->folder, v->s->rows[f].path);
        bool is_in =
            v->focus->area == KEN_ARCH_FULL ? is_below : ken_query__in_focus(v->s, f, v->focus);
        if (!is_in || info->lang >= KEN_LANG_COUNT)
            continue;
        ken_lang_count *l = &langs[info->lang];
        l->language = ken_str_c(ken_lang_name((ken_lang_id)info->lang));
        l->n_files++;
        l->n_lines += info->n_lines;
        l->n_bytes += v->s->rows[f].stamp.size;
    }
    for (size_t i = 0; i < KEN_LANG_COUNT; i++)
        if (langs[i].n_files)
            langs[v->out->n_langs++] = langs[i];
    if (v->out->n_langs)
        qsort(langs, v->out->n_langs, sizeof *langs, by_files);
    v->out->langs = langs;
}

static ken_status survey(surveying *v, ken_err *err)
{
    ken_graph *g;
    ken_status st = ken_query__graph_open(v->s, &g, err);
    if (!st)
        st = show_modules(v, err);
    if (!st)
        st = ken_query__graph_open(v->s, &g, err); // learning imports may have filled it
    if (!st)
        st = show_entries(v, err);
    if (!st)
        st = show_routes(v, err);
    if (!st)
        st = show_flows(v, err);
    if (!st)
        st = ken_query__find_types(v->s, v->focus, v->m->aside, TYPES_SHOWN, v->arena,
                                   &v->out->types, &v->out->n_types, err);
    if (!st)
        st = ken_query__find_hotspots(v->s, v->focus, v->cancel, v->arena, &v->out->hotspots,
                                      &v->out->n_hotspots, err);
    if (st)
        return st;
    if (v->out->n_hotspots > HOTSPOTS_SHOWN)
        v->out->n_hotspots = HOTSPOTS_SHOWN;
    show_langs(v);
    show_files_of_code(v);
    show_files(v);
    return KEN_OK;
}

ken_status ken_get_architecture(ken_snapshot *s, ken_arch_focus area, ken_str folder,
                                const ken_cancel *cancel, ken_arena *arena, ken_architecture *out,
                                ken_err *err)
{
    *out = (ken_architecture){ 0 };
    query_focus focus;
    ken_status st = ken_query__focus_on(s, area, folder, arena, &focus, err);
    if (st)
        return st;
    surveying v = { .s = s, .focus = &focus, .cancel = cancel, .arena = arena, .out = out };
    return survey(&v, err);
}
