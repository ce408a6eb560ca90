// SPDX-License-Identifier: MIT
// get_architecture: a code base on one page of at most 2,000 tokens.
#include <stdio.h>

#include "base/figure.h"
#include "base/table.h"
#include "base/utf8.h"
#include "tool/tool_graph_priv.h"

enum {
    TOKENS = 2000,
    NAME_BYTES = 120,
};

static const char *const lists[] = {
    "languages", "modules",   "dependencies", "main_files",   "entry_points", "flows",
    "routes",    "key_types", "hot_spots",    "test_folders", "build",        "docs",
};

// ---- JSON --------------------------------------------------------------------------------------

static json_t *languages_json(const ken_architecture *a)
{
    json_t *list = json_array();
    for (size_t i = 0; i < a->n_langs; i++) {
        json_t *o = json_object();
        ken_json_set_str(o, "language", a->langs[i].language);
        ken_json_set_u64(o, "files", a->langs[i].n_files);
        ken_json_set_u64(o, "lines", a->langs[i].n_lines);
        ken_json_append(list, o);
    }
    return list;
}

static ken_str folder_name(ken_str path)
{
    return path.len ? path : KEN_STR(".");
}

static json_t *folders_json(const ken_str *paths, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        ken_json_append(list, ken_json_str(folder_name(paths[i])));
    return list;
}

static json_t *modules_json(const ken_architecture *a)
{
    json_t *list = json_array();
    for (size_t i = 0; i < a->n_modules; i++) {
        const ken_module_node *m = &a->modules[i];
        json_t *o = json_object();
        ken_json_set_str(o, "path", folder_name(m->path));
        ken_json_set_u64(o, "files", m->n_files);
        ken_json_set_u64(o, "lines", m->n_lines);
        ken_json_set_u64(o, "layer", m->layer);
        ken_json_set_u64(o, "used_by", m->n_dependents);
        if (m->cycle)
            ken_json_set_u64(o, "cycle", m->cycle);
        if (m->aside)
            ken_json_set_str(o, "beside", ken_str_c(ken_aside_word(m->aside)));
        ken_json_append(list, o);
    }
    return list;
}

// "src/query -> src/store (12 files)": an edge is read, not computed with.
static json_t *edges_json(const ken_architecture *a)
{
    json_t *list = json_array();
    ken_buf text = KEN_BUF_INIT(0);
    for (size_t i = 0; i < a->n_edges; i++) {
        const ken_module_edge *e = &a->edges[i];
        if (e->from >= a->n_modules || e->to >= a->n_modules)
            continue;
        ken_str from = folder_name(a->modules[e->from].path),
                to = folder_name(a->modules[e->to].path);
        ken_buf_clear(&text);
        ken_buf_printf(&text, KEN_STR_FMT " -> " KEN_STR_FMT " (%u)", KEN_STR_ARG(from),
                       KEN_STR_ARG(to), e->n_imports);
        ken_json_append(list, ken_json_str(ken_buf_str(&text)));
    }
    ken_buf_release(&text);
    return list;
}

static json_t *files_json(const ken_architecture *a)
{
    json_t *list = json_array();
    for (size_t i = 0; i < a->n_files; i++) {
        json_t *o = json_object();
        ken_json_set_str(o, "path", a->files[i].path);
        ken_json_set_u64(o, "lines", a->files[i].n_lines);
        ken_json_set_u64(o, "used_by", a->files[i].n_users);
        ken_json_append(list, o);
    }
    return list;
}

static json_t *flows_json(const ken_architecture *a)
{
    json_t *list = json_array();
    for (size_t i = 0; i < a->n_flows; i++) {
        const ken_flow *f = &a->flows[i];
        json_t *o = ken_tool__place_json(&f->from);
        if (f->route.len)
            ken_json_set_str(o, "route", ken_utf8_clip(f->route, NAME_BYTES));
        ken_json_set(o, "calls", ken_tool__strings_json(f->steps, f->n_steps));
        if (f->n_left_out)
            ken_json_set_u64(o, "further", f->n_left_out);
        ken_json_append(list, o);
    }
    return list;
}

static json_t *keys_json(const ken_key_symbol *keys, size_t n, bool is_hot)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *o = ken_tool__place_json(&keys[i].node);
        if (is_hot) {
            ken_json_set_u64(o, "complexity", keys[i].node.complexity);
            ken_json_set_u64(o, "file_commits", keys[i].n_commits);
        } else {
            ken_json_set_u64(o, "used_by", keys[i].n_users);
        }
        ken_json_append(list, o);
    }
    return list;
}

static json_t *nodes_json(const ken_graph_node *nodes, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        ken_json_append(list, ken_tool__place_json(&nodes[i]));
    return list;
}

static void put_count(ken_buf *text, const char *between, size_t n, const char *what)
{
    if (n)
        ken_buf_printf(text, "%s%zu %s%s", between, n, what, n == 1 ? "" : "s");
}

// "1,234 files of python, go; 12 modules, 1 import cycle, 3 entry points, 20 routes; 5 imports
// could not be resolved". What there is none of is left out
static void set_summary(json_t *o, const ken_architecture *a)
{
    ken_buf text = KEN_BUF_INIT(0);
    uint64_t n_files = 0;
    for (size_t i = 0; i < a->n_langs; i++)
        n_files += a->langs[i].n_files;
    ken_buf_printf(&text, "%llu file%s", (unsigned long long)n_files, n_files == 1 ? "" : "s");
    for (size_t i = 0; i < a->n_langs && i < 3; i++)
        ken_buf_printf(&text, "%s" KEN_STR_FMT, i ? ", " : " of ",
                       KEN_STR_ARG(ken_utf8_clip(a->langs[i].language, NAME_BYTES)));
    put_count(&text, "; ", a->n_modules_total, "module");
    put_count(&text, ", ", a->n_cycles, "import cycle");
    put_count(&text, ", ", a->n_entries, "entry point");
    put_count(&text, ", ", a->n_routes_total, "route");
    if (a->n_unresolved_imports)
        ken_buf_printf(&text, "; %zu import%s could not be resolved", a->n_unresolved_imports,
                       a->n_unresolved_imports == 1 ? "" : "s");
    ken_json_set_str(o, "summary", ken_buf_str(&text));
    ken_buf_release(&text);
}

json_t *ken_tool__architecture_json(const ken_architecture *a)
{
    json_t *o = json_object(), *routes = json_array();
    set_summary(o, a);
    ken_json_set(o, "languages", languages_json(a));
    ken_json_set(o, "modules", modules_json(a));
    ken_json_set_u64(o, "modules_total", a->n_modules_total);
    ken_json_set(o, "dependencies", edges_json(a));
    ken_json_set_u64(o, "cycles", a->n_cycles);
    ken_json_set(o, "main_files", files_json(a));
    ken_json_set(o, "flows", flows_json(a));
    ken_json_set(o, "entry_points", nodes_json(a->entries, a->n_entries));
    for (size_t i = 0; i < a->n_routes; i++)
        ken_json_append(routes, ken_tool__route_json(&a->routes[i]));
    ken_json_set(o, "routes", routes);
    ken_json_set_u64(o, "routes_total", a->n_routes_total);
    ken_json_set(o, "key_types", keys_json(a->types, a->n_types, false));
    ken_json_set(o, "hot_spots", keys_json(a->hotspots, a->n_hotspots, true));
    ken_json_set(o, "test_folders", folders_json(a->tests, a->n_tests));
    ken_json_set_u64(o, "test_files", a->n_test_files);
    ken_json_set(o, "build", ken_tool__strings_json(a->build, a->n_build));
    ken_json_set(o, "docs", ken_tool__strings_json(a->docs, a->n_docs));
    if (a->n_unresolved_imports)
        ken_json_set_u64(o, "unresolved_imports", a->n_unresolved_imports);
    return o;
}

void ken_tool__fit_architecture(json_t *result, size_t max_bytes)
{
    ken_tool__fit_lists(result, lists, sizeof lists / sizeof *lists, max_bytes,
                        "lists were cut to fit; directory shows one part in full");
}

// ---- asking ------------------------------------------------------------------------------------

typedef struct question {
    const ken_tool_env *env;
    ken_arch_focus focus;
    ken_str folder, shallow;
    ken_architecture found;
} question;

static ken_status ask(ken_snapshot *s, void *ctx, ken_err *err)
{
    question *q = ctx;
    ken_status st = ken_get_architecture(s, q->focus, q->folder, q->env->ctx->cancel, q->env->arena,
                                         &q->found, err);
    if (!st && q->found.n_hotspots)
        q->shallow = ken_tool__shallow_text(q->env, s);
    return st;
}

static ken_arch_focus parse_focus(ken_str word)
{
    if (ken_str_eq(word, KEN_STR("backend")))
        return KEN_ARCH_BACKEND;
    return ken_str_eq(word, KEN_STR("frontend")) ? KEN_ARCH_FRONTEND : KEN_ARCH_FULL;
}

ken_status ken_tool__get_architecture(const ken_tool_env *env, const void *args, json_t **out,
                                      ken_err *err)
{
    const ken_args_get_architecture *a = args;
    question q = { .env = env, .focus = parse_focus(a->focus_area), .folder = a->directory };
    ken_tool__scope scope;
    ken_status st = ken_tool__ask(env, a->project, ask, &q, &scope, err);
    if (st)
        return st;
    json_t *o = ken_tool__architecture_json(&q.found);
    if (q.shallow.len)
        ken_json_set_str(o, "note", q.shallow);
    ken_tool__set_scope(o, &scope);
    ken_tool__fit_architecture(o, ken_tool__answer_bytes(env, TOKENS, TOKENS));
    ken_tool__close(env, &scope);
    *out = o;
    return KEN_OK;
}

// ---- text --------------------------------------------------------------------------------------

static void put_places(const json_t *list, const char *head, const char *count, const char *unit,
                       ken_paint *out)
{
    ken_tool__put_head(list, head, out);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *p = json_array_get(list, i);
        ken_str name = ken_tool__member(p, "name");
        ken_paint_puts(out, "  ");
        ken_paint_str(out, KEN_STYLE_NAME, name);
        ken_paint_puts(out, name.len ? " " : "");
        ken_paint_at(out, ken_tool__member(p, "at"));
        if (count)
            ken_paint_printf(out, KEN_STYLE_DIM, " %lld %s", ken_tool__number(p, count), unit);
        ken_paint_puts(out, "\n");
    }
}

static void add_path(ken_table *t, const json_t *item, const ken_paint *out, ken_arena *a)
{
    ken_buf text = KEN_BUF_INIT(0);
    ken_paint plain = { .out = &text, .here = out->here, .root = out->root };
    ken_paint_path(&plain, ken_tool__member(item, "path"));
    ken_table_add(t, ken_arena_dup(a, ken_buf_str(&text)));
    ken_buf_release(&text);
}

static void add_numbers(ken_table *t, const json_t *item, const char *const *keys, ken_arena *a)
{
    for (; *keys; keys++)
        ken_table_add(t, ken_figure_count(a, (uint64_t)ken_tool__number(item, *keys)));
}

static void put_modules(const json_t *list, ken_paint *out)
{
    static const char *const keys[] = { "files", "lines", "layer", "used_by", NULL };
    size_t n = 0;
    ken_arena a;
    ken_table t;
    ken_arena_init(&a, 0);
    ken_table_init(&t, &a, "MODULE|>FILES|>LINES|>LAYER|>USED BY|");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *m = json_array_get(list, i);
        if (json_object_get(m, "beside"))
            continue;
        n++;
        add_path(&t, m, out, &a);
        add_numbers(&t, m, keys, &a);
        ken_table_add(&t, json_object_get(m, "cycle") ? KEN_STR("in a cycle") : KEN_STR(""));
    }
    if (n)
        ken_table_paint(&t, out);
    ken_arena_release(&a);
}

// "bundled (files): deps/lua 97, deps/linenoise 4": what is no part of the program, one line for each
// kind but tests, whose folders have a line of their own.
static void put_beside(const json_t *list, ken_paint *out)
{
    for (int a = KEN_ASIDE_TESTS + 1; a < KEN_ASIDE_COUNT; a++) {
        ken_str word = ken_str_c(ken_aside_word((ken_aside)a));
        size_t n = 0;
        for (size_t i = 0; i < json_array_size(list); i++) {
            const json_t *m = json_array_get(list, i);
            if (!ken_str_eq(ken_tool__member(m, "beside"), word))
                continue;
            ken_paint_printf(out, KEN_STYLE_PLAIN,
                             n++ ? ", " : KEN_STR_FMT " (files): ", KEN_STR_ARG(word));
            ken_paint_path(out, ken_tool__member(m, "path"));
            ken_paint_printf(out, KEN_STYLE_PLAIN, " %lld", ken_tool__number(m, "files"));
        }
        ken_paint_puts(out, n ? "\n" : "");
    }
}

static void put_files(const json_t *list, ken_paint *out)
{
    static const char *const keys[] = { "lines", "used_by", NULL };
    ken_arena a;
    ken_table t;
    ken_arena_init(&a, 0);
    ken_table_init(&t, &a, "MAIN FILE|>LINES|>USED BY");
    for (size_t i = 0; i < json_array_size(list); i++) {
        add_path(&t, json_array_get(list, i), out, &a);
        add_numbers(&t, json_array_get(list, i), keys, &a);
    }
    if (json_array_size(list))
        ken_table_paint(&t, out);
    ken_arena_release(&a);
}

// "main src/server.c:6936 calls initServer (listen, load), aeMain, and 12 more"
static void put_flows(const json_t *list, ken_paint *out)
{
    ken_tool__put_head(list, "main flows", out);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *f = json_array_get(list, i);
        ken_str route = ken_tool__member(f, "route");
        long long n_further = ken_tool__number(f, "further");
        ken_paint_puts(out, "  ");
        if (route.len)
            ken_paint_printf(out, KEN_STYLE_PLAIN, KEN_STR_FMT ": ", KEN_STR_ARG(route));
        ken_paint_str(out, KEN_STYLE_NAME, ken_tool__member(f, "name"));
        ken_paint_puts(out, " ");
        ken_paint_at(out, ken_tool__member(f, "at"));
        ken_tool__put_texts(json_object_get(f, "calls"), " calls ", ", ", "", out);
        if (n_further)
            ken_paint_printf(out, KEN_STYLE_DIM, ", and %lld more", n_further);
        ken_paint_puts(out, "\n");
    }
}

static void split_at(ken_str at, ken_str *file, ken_str *line)
{
    size_t colon = ken_str_rfind_char(at, ':');
    *file = ken_str_sub(at, 0, colon == SIZE_MAX ? at.len : colon);
    *line = colon == SIZE_MAX ? KEN_STR("") : ken_str_sub(at, colon + 1, at.len);
}

// Functions of one file stand together: commits are those of the file.
static void put_hot_spots(const json_t *list, ken_paint *out)
{
    ken_tool__put_head(list, "hot spots (commits of the file)", out);
    for (size_t i = 0; i < json_array_size(list); i++) {
        ken_str file, line;
        size_t n = 0, before = 0;
        split_at(ken_tool__member(json_array_get(list, i), "at"), &file, &line);
        for (; before < i; before++) {
            ken_str other, ignored;
            split_at(ken_tool__member(json_array_get(list, before), "at"), &other, &ignored);
            if (ken_str_eq(other, file))
                break;
        }
        if (before < i)
            continue; // told with the first of the file
        ken_paint_puts(out, "  ");
        ken_paint_path(out, file);
        ken_paint_printf(out, KEN_STYLE_DIM,
                         " %lld: ", ken_tool__number(json_array_get(list, i), "file_commits"));
        for (size_t k = i; k < json_array_size(list); k++) {
            ken_str other;
            const json_t *h = json_array_get(list, k);
            split_at(ken_tool__member(h, "at"), &other, &line);
            if (!ken_str_eq(other, file))
                continue;
            ken_paint_puts(out, n++ ? ", " : "");
            ken_paint_str(out, KEN_STYLE_NAME, ken_tool__member(h, "name"));
            ken_paint_printf(out, KEN_STYLE_LINE, " " KEN_STR_FMT, KEN_STR_ARG(line));
        }
        ken_paint_puts(out, "\n");
    }
}

// "tests (12 files): tests, web/tests"
static void put_tests(const json_t *answer, ken_paint *out)
{
    const json_t *folders = json_object_get(answer, "test_folders");
    long long n = ken_tool__number(answer, "test_files");
    if (n) // the folders may have been cut to fit
        ken_paint_printf(out, KEN_STYLE_PLAIN, "tests (%lld file%s)%s", n, n == 1 ? "" : "s",
                         json_array_size(folders) ? "" : "\n");
    ken_tool__put_paths(folders, ": ", out);
}

void ken_tool__get_architecture_text(const json_t *answer, ken_paint *out)
{
    ken_tool__put_summary(answer, out);
    put_modules(json_object_get(answer, "modules"), out);
    put_beside(json_object_get(answer, "modules"), out);
    ken_tool__put_texts(json_object_get(answer, "dependencies"), "dependencies (files): ", ", ",
                        "\n", out);
    put_files(json_object_get(answer, "main_files"), out);
    put_places(json_object_get(answer, "entry_points"), "entry points", NULL, NULL, out);
    put_flows(json_object_get(answer, "flows"), out);
    ken_tool__put_routes(json_object_get(answer, "routes"), out);
    put_places(json_object_get(answer, "key_types"), "key types", "used_by", "files", out);
    put_hot_spots(json_object_get(answer, "hot_spots"), out);
    put_tests(answer, out);
    ken_tool__put_paths(json_object_get(answer, "build"), "build: ", out);
    ken_tool__put_paths(json_object_get(answer, "docs"), "docs: ", out);
    ken_tool__put_tail(answer, out);
}
