// SPDX-License-Identifier: MIT
// Whether a name is enough: bench_names TREE...
//
// Of each tree, names that one definition alone has are taken from its index, as many of each shape,
// and asked as they are. The definition must come first: its file, and in it a place that holds its
// first line.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/path.h"
#include "bench.h"
#include "lang/lang.h"
#include "store/store.h"
#include "tree.h"

static const char help[] = "bench_names [--queries N] [--json] TREE...\n"
                           "  whether the only definition of a name is the first result for it\n"
                           "  --queries N  names of each shape and tree (default 20)\n";

enum {
    N_EACH = 20,
    SHORT_MAX = 4,
    N_MISSES = 40, // shown
};

#define SHAPES(X)             \
    X(CAMEL, "camelCase")     \
    X(SNAKE, "snake_case")    \
    X(PASCAL, "PascalCase")   \
    X(WORD, "plain word")     \
    X(CAPITAL, "Capitalised") \
    X(UPPER, "UPPER_CASE")    \
    X(SHORT, "short")         \
    X(OTHER, "other")

typedef enum shape {
#define X(name, text) SHAPE_##name,
    SHAPES(X)
#undef X
    N_SHAPES
} shape;

static const char *const shape_texts[] = {
#define X(name, text) text,
    SHAPES(X)
#undef X
};

typedef struct name {
    ken_str text, path;
    uint32_t line;  // 0-based
    uint64_t order; // names are taken in it: as good as by lot, and the same in each run
    bool is_double;
} name;

typedef struct count {
    size_t n, first, file, listed;
} count;

typedef struct work {
    ken_arena arena;
    KEN_VEC(name) names;
    count counts[N_SHAPES];
    KEN_VEC(ken_str) misses;
} work;

static shape shape_of(ken_str t)
{
    bool has_upper = false, has_lower = false, has_joint = false, has_inner_upper = false;
    for (size_t i = 0; i < t.len; i++) {
        char c = t.ptr[i];
        has_upper = has_upper || ken_is_upper(c);
        has_lower = has_lower || (c >= 'a' && c <= 'z');
        has_joint = has_joint || c == '_' || c == '-' || c == '$';
        has_inner_upper = has_inner_upper || (i && ken_is_upper(c));
        if (!ken_is_word(c) && c != '-' && c != '$')
            return SHAPE_OTHER;
    }
    if (t.len < SHORT_MAX)
        return SHAPE_SHORT;
    if (has_upper && !has_lower)
        return SHAPE_UPPER;
    if (has_joint)
        return SHAPE_SNAKE;
    if (has_inner_upper)
        return ken_is_upper(t.ptr[0]) ? SHAPE_PASCAL : SHAPE_CAMEL;
    return has_upper ? SHAPE_CAPITAL : SHAPE_WORD;
}

// ---- names ---------------------------------------------------------------------------------------

static void add_symbols(work *w, ken_map *by_text, ken_str path, const ken_facts *facts)
{
    for (uint32_t i = 0; i < facts->n_symbols; i++) {
        const ken_symbol *s = &facts->symbols[i];
        bool is_new;
        if (!s->name.len)
            continue;
        uint64_t *at = ken_map_put(by_text, s->name, w->names.len, &is_new);
        if (!is_new) {
            w->names.ptr[*at].is_double = true;
            continue;
        }
        ken_str text = ken_arena_dup(&w->arena, s->name);
        ken_vec_push(
            &w->names,
            ((name){
                .text = text, .path = path, .line = s->first_line, .order = ken_hash_str(text) }));
    }
}

// The names of all code; prose and data have headings and keys.
static void collect_names(work *w, ken_store *store)
{
    ken_map by_text;
    ken_file_row *rows;
    ken_content_info *contents;
    size_t n;
    ken_err err = { 0 };
    ken_map_init(&by_text);
    ken_vec_clear(&w->names);
    bench_check(ken_store_load_files(store, &w->arena, &rows, &n, &contents, &err), &err);
    for (size_t i = 0; i < n; i++) {
        ken_facts facts;
        ken_arena arena;
        if (ken_lang_role_of((ken_lang_id)contents[i].lang) != KEN_LANG_ROLE_CODE)
            continue;
        ken_arena_init(&arena, 0);
        bench_check(ken_store_load_facts(store, rows[i].content, &arena, &facts, &err), &err);
        add_symbols(w, &by_text, rows[i].path, &facts);
        ken_arena_release(&arena);
    }
    ken_map_release(&by_text);
}

static int by_order(const void *a, const void *b)
{
    const name *x = a, *y = b;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return ken_str_cmp(x->text, y->text);
}

// ---- questions -----------------------------------------------------------------------------------

static bool holds(const ken_hit *h, const name *n)
{
    return ken_str_eq(h->path, n->path) && h->first_line <= n->line && n->line <= h->last_line;
}

static void note_miss(work *w, const char *tree, const name *n, const ken_search_result *r)
{
    ken_str got = r->n_hits ? r->hits[0].path : KEN_STR("nothing");
    ken_vec_push(
        &w->misses,
        ken_arena_printf(
            &w->arena, "%s: " KEN_STR_FMT " (%s): " KEN_STR_FMT ":%u, got " KEN_STR_FMT ":%u-%u",
            tree, KEN_STR_ARG(n->text), shape_texts[shape_of(n->text)], KEN_STR_ARG(n->path),
            n->line + 1, KEN_STR_ARG(got), r->n_hits ? r->hits[0].first_line + 1 : 0,
            r->n_hits ? r->hits[0].last_line + 1 : 0));
}

static void ask(work *w, const char *tree, ken_snapshot *s, const name *n)
{
    ken_search_opts opts = { 0 };
    ken_search_result r;
    ken_err err = { 0 };
    count *c = &w->counts[shape_of(n->text)];
    bench_check(ken_search(s, n->text, &opts, NULL, &w->arena, &r, &err), &err);
    bool is_first = r.n_hits && holds(&r.hits[0], n);
    c->n++;
    c->first += is_first;
    c->file += r.n_hits && ken_str_eq(r.hits[0].path, n->path);
    for (size_t i = 0; i < r.n_hits; i++)
        if (ken_str_eq(r.hits[i].path, n->path)) {
            c->listed++;
            break;
        }
    if (!is_first)
        note_miss(w, tree, n, &r);
}

static void ask_all(work *w, const char *tree, ken_snapshot *s, size_t n_each)
{
    size_t asked[N_SHAPES] = { 0 };
    if (w->names.len)
        qsort(w->names.ptr, w->names.len, sizeof *w->names.ptr, by_order);
    for (size_t i = 0; i < w->names.len; i++) {
        const name *n = &w->names.ptr[i];
        if (!n->is_double && asked[shape_of(n->text)]++ < n_each)
            ask(w, tree, s, n);
    }
}

static void measure(work *w, const char *path, const char *database, size_t n_each)
{
    bench_tree tree;
    bench_tree_open(path, database, 0, &w->arena, &tree);
    collect_names(w, tree.store);
    ask_all(w, ken_path_base(tree.root).ptr, tree.snapshot, n_each);
    bench_tree_close(&tree);
}

// ---- the report ----------------------------------------------------------------------------------

static json_t *count_json(count c)
{
    json_t *o = json_object();
    double n = c.n ? (double)c.n : 1;
    ken_json_set_u64(o, "names", c.n);
    ken_json_set_real(o, "first", (double)c.first / n);
    ken_json_set_real(o, "file_first", (double)c.file / n);
    ken_json_set_real(o, "file_in_ten", (double)c.listed / n);
    return o;
}

static void report_all(const work *w)
{
    json_t *report = bench_report("names", NULL), *misses = json_array();
    count all = { 0 };
    for (int i = 0; i < N_SHAPES; i++) {
        const count *c = &w->counts[i];
        all = (count){ all.n + c->n, all.first + c->first, all.file + c->file,
                       all.listed + c->listed };
        ken_json_set(report, shape_texts[i], count_json(*c));
    }
    ken_json_set(report, "all", count_json(all));
    for (size_t i = 0; i < w->misses.len && i < N_MISSES; i++)
        ken_json_append(misses, ken_json_str(w->misses.ptr[i]));
    ken_json_set(report, "misses", misses);
    bench_print(report);
}

BENCH_MAIN(names)
{
    bench_args args;
    bench_args_parse(argc, argv, help, &args);
    if (!args.n_paths)
        bench_die("needs trees; --help says more");
    work *w = ken_zalloc(sizeof *w);
    ken_arena_init(&w->arena, 0);
    const char *temp = bench_temp(&args, &w->arena);
    for (size_t i = 0; i < args.n_paths; i++)
        measure(w, args.paths[i], ken_arena_printf(&w->arena, "%s/%zu.db", temp, i).ptr,
                args.n_queries ? (size_t)args.n_queries : N_EACH);
    report_all(w);
    ken_vec_release(&w->names);
    ken_vec_release(&w->misses);
    ken_arena_release(&w->arena);
    ken_free(w);
    return 0;
}
