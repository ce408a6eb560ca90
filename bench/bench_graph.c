// SPDX-License-Identifier: MIT
// Every edge of a tree, for comparing with what a compiler says (bench/graph/score.py).
//
// Learns all files of PATH in memory, resolves every reference, and prints one line for each:
//   path  line0  column0  name  role  class  target path  target line0  target column0  target name
// by tabs; the target is empty for what is external or unresolved. With --json: counts and times.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/map.h"
#include "bench.h"
#include "graph/graph.h"
#include "lang/lang.h"
#include "learn/learn.h"
#include "scan/scan.h"

static const char help[] = "bench_graph [--json] [--only PREFIX] [PATH]\n"
                           "  resolves every reference of a tree and prints its edges\n"
                           "  --only PREFIX  edges of files whose paths begin so\n";

enum {
    MAX_FILE_BYTES = 1 << 20
};

typedef KEN_VEC(ken_graph_def) def_list;

typedef struct graph_file {
    ken_str text;
    ken_facts facts;
    ken_refs refs;
    uint32_t *line_starts, n_lines;
} graph_file;

typedef struct graph_tree {
    ken_arena arena;
    ken_str *paths;
    uint16_t *langs;
    graph_file *files;
    uint32_t n_files;
    ken_map names; // name -> index into lists
    KEN_VEC(def_list) lists;
    uint64_t n_refs, n_exprs, by_class[KEN_EDGE_CLASS_COUNT];
    const char *only;
    bool is_quiet;
} graph_tree;

static bool load_unit(void *ctx, uint32_t file, ken_unit_text *out)
{
    graph_tree *t = ctx;
    *out = (ken_unit_text){ &t->files[file].facts, &t->files[file].refs, t->paths[file],
                            t->langs[file] };
    return true;
}

static size_t named(void *ctx, ken_str name, const ken_graph_def **out)
{
    graph_tree *t = ctx;
    uint64_t *at = ken_map_find(&t->names, name);
    if (!at)
        return 0;
    *out = t->lists.ptr[*at].ptr;
    return t->lists.ptr[*at].len;
}

static ken_str read_manifest(void *ctx, uint32_t file, ken_arena *arena)
{
    (void)arena;
    graph_tree *t = ctx;
    return t->files[file].text;
}

static void add_name(graph_tree *t, ken_str name, ken_graph_def def)
{
    bool is_new;
    uint64_t *at = ken_map_put(&t->names, name, t->lists.len, &is_new);
    if (is_new)
        ken_vec_push(&t->lists, (def_list){ 0 });
    ken_vec_push(&t->lists.ptr[*at], def);
}

static void learn_file(graph_tree *t, ken_learner *l, uint32_t i)
{
    graph_file *f = &t->files[i];
    t->langs[i] = (uint16_t)ken_lang_of(t->paths[i], f->text);
    ken_learn(l, (ken_lang_id)t->langs[i], f->text, NULL, &t->arena, &f->facts, &f->refs);
    f->n_lines = ken_line_starts(f->text, NULL, 0);
    f->line_starts = KEN_ARENA_ARRAY(&t->arena, uint32_t, f->n_lines + 1);
    ken_line_starts(f->text, f->line_starts, f->n_lines);
    for (uint32_t s = 0; s < f->facts.n_symbols; s++)
        add_name(t, f->facts.symbols[s].name, (ken_graph_def){ i, s });
    t->n_refs += f->refs.n_refs;
    t->n_exprs += f->refs.n_exprs;
}

static void learn_all(graph_tree *t, const char *root)
{
    ken_err err = { 0 };
    ken_scan_result scan;
    int root_fd;
    bench_check(ken_scan(root, &(ken_scan_opts){ 0 }, NULL, &t->arena, &scan, &err), &err);
    bench_check(ken_fs_open_dir(root, &root_fd, &err), &err);
    t->paths = KEN_ARENA_ARRAY(&t->arena, ken_str, scan.n_files + 1);
    t->langs = KEN_ARENA_ARRAY(&t->arena, uint16_t, scan.n_files + 1);
    t->files = KEN_ARENA_ARRAY(&t->arena, graph_file, scan.n_files + 1);
    ken_learner *l = ken_learner_new();
    ken_buf text = KEN_BUF_INIT(MAX_FILE_BYTES + 1);
    for (size_t i = 0; i < scan.n_files; i++) {
        if (ken_fs_read(root_fd, scan.files[i].path.ptr, MAX_FILE_BYTES, &text, NULL, NULL) ||
            ken_scan_classify_content(scan.files[i].path, ken_buf_str(&text)))
            continue;
        uint32_t at = t->n_files++;
        t->paths[at] = scan.files[i].path;
        t->files[at].text = ken_arena_dup(&t->arena, ken_buf_str(&text));
        learn_file(t, l, at);
    }
    ken_buf_release(&text);
    ken_learner_free(l);
    ken_fs_close(root_fd);
}

// ---- edges -------------------------------------------------------------------------------------

static void print_place(graph_tree *t, uint32_t file, uint32_t byte)
{
    const graph_file *f = &t->files[file];
    uint32_t line = ken_line_of(f->line_starts, f->n_lines, byte);
    printf(KEN_STR_FMT "\t%u\t%u\t", KEN_STR_ARG(t->paths[file]), line,
           byte - f->line_starts[line]);
}

// Where the name of a definition stands: a symbol's span begins before it.
static uint32_t name_byte(graph_tree *t, ken_graph_def d)
{
    const graph_file *f = &t->files[d.file];
    if (d.def >= f->facts.n_symbols)
        return f->refs.implied[d.def - f->facts.n_symbols].byte;
    const ken_symbol *s = &f->facts.symbols[d.def];
    ken_str head = ken_str_sub(f->text, s->span.start, s->span.end);
    for (size_t from = 0; from < head.len;) {
        size_t at = ken_str_find(ken_str_sub(head, from, head.len), s->name);
        if (at == SIZE_MAX)
            break;
        at += from;
        bool is_whole = (!at || !ken_is_word(head.ptr[at - 1])) &&
                        (at + s->name.len >= head.len || !ken_is_word(head.ptr[at + s->name.len]));
        if (is_whole)
            return s->span.start + (uint32_t)at;
        from = at + 1;
    }
    return s->span.start;
}

static void print_edge(graph_tree *t, uint32_t file, const ken_ref *r, const ken_targets *to,
                       uint32_t target)
{
    const graph_file *f = &t->files[file];
    print_place(t, file, r->byte);
    printf(KEN_STR_FMT "\t%s\t%s\t", KEN_STR_ARG(f->refs.exprs[r->expr].name),
           ken_ref_role_word(r->role), ken_edge_class_word(to->class));
    if (target < to->n) {
        ken_unit_text unit;
        load_unit(t, to->defs[target].file, &unit);
        print_place(t, to->defs[target].file, name_byte(t, to->defs[target]));
        printf(KEN_STR_FMT "\n", KEN_STR_ARG(ken_graph_name(&unit, to->defs[target].def)));
    } else {
        printf("\t\t\t\n");
    }
}

static void resolve_file(graph_tree *t, ken_graph *g, uint32_t file)
{
    const ken_refs *refs = &t->files[file].refs;
    bool is_shown =
        !t->is_quiet && (!t->only || ken_str_starts(t->paths[file], ken_str_c(t->only)));
    for (uint32_t i = 0; i < refs->n_refs; i++) {
        ken_targets to;
        ken_graph_resolve_ref(g, file, &refs->refs[i], &to);
        t->by_class[to.class]++;
        for (uint32_t k = 0; is_shown && (k < to.n || !k); k++)
            print_edge(t, file, &refs->refs[i], &to, k);
    }
}

static void report(const graph_tree *t, const ken_graph *g, int64_t learn_ns, int64_t resolve_ns)
{
    json_t *out = json_pack("{s:I, s:I, s:I, s:f, s:f, s:I}", "files", (json_int_t)t->n_files,
                            "refs", (json_int_t)t->n_refs, "exprs", (json_int_t)t->n_exprs,
                            "learn_ms", bench_ms(learn_ns), "resolve_ms", bench_ms(resolve_ns),
                            "graph_bytes", (json_int_t)ken_graph_bytes(g));
    for (int c = 0; c < KEN_EDGE_CLASS_COUNT; c++)
        json_object_set_new(out, ken_edge_class_word((ken_edge_class)c),
                            json_integer((json_int_t)t->by_class[c]));
    json_dumpf(out, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(out);
}

BENCH_MAIN(graph)
{
    bench_args a;
    bench_args_parse(argc, argv, help, &a);
    graph_tree t = { .only = a.only, .is_quiet = a.is_json };
    ken_arena_init(&t.arena, (size_t)1 << 20);
    ken_map_init(&t.names);
    int64_t t0 = ken_clock_mono_ns();
    learn_all(&t, bench_path(&a, &t.arena));
    int64_t t1 = ken_clock_mono_ns();
    ken_graph_source source = { .ctx = &t,
                                .paths = t.paths,
                                .langs = t.langs,
                                .n_files = t.n_files,
                                .load = load_unit,
                                .named = named,
                                .read = read_manifest };
    ken_graph *g = ken_graph_new(&source);
    for (uint32_t i = 0; i < t.n_files; i++)
        resolve_file(&t, g, i);
    if (a.is_json)
        report(&t, g, t1 - t0, ken_clock_mono_ns() - t1);
    ken_graph_free(g);
    for (size_t i = 0; i < t.lists.len; i++)
        ken_vec_release(&t.lists.ptr[i]);
    ken_vec_release(&t.lists);
    ken_map_release(&t.names);
    ken_arena_release(&t.arena);
    return 0;
}
