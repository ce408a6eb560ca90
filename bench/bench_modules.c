// SPDX-License-Identifier: MIT
// What the imports of PATH name: how many lead to files, how many stay unknown, and what it costs.
//
// Every file is learnt once, outside the clock, for its imports and its package. Then, timed: the
// layout of the tree; each import for the first time, which reads manifests and works answers out;
// each again, which is what a warm graph pays. With --only files, external or unknown the imports
// of that kind are listed instead.
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "bench.h"
#include "graph/graph_modules.h"
#include "lang/lang.h"
#include "learn/learn.h"
#include "scan/scan.h"

static const char help[] = "bench_modules [--only files|external|unknown] [--json] [PATH]\n"
                           "  import resolution: what the imports of PATH name";

enum {
    MAX_FILE_BYTES = 1 << 20,
};

static const char *const kinds[] = { "unknown", "files", "external" };

typedef struct modules_tree {
    int root_fd;
    ken_arena arena;
    ken_tree tree;
    ken_str *packages;
    KEN_VEC(ken_module_ask) asks;
} modules_tree;

static ken_str read_file(void *ctx, uint32_t file, ken_arena *arena)
{
    modules_tree *t = ctx;
    ken_buf text = KEN_BUF_INIT(MAX_FILE_BYTES + 1);
    ken_str out = KEN_STR("");
    if (!ken_fs_read(t->root_fd, t->tree.paths[file].ptr, MAX_FILE_BYTES, &text, NULL, NULL))
        out = ken_arena_dup(arena, ken_buf_str(&text));
    ken_buf_release(&text);
    return out;
}

static ken_str package_of(void *ctx, uint32_t file)
{
    const modules_tree *t = ctx;
    return t->packages[file];
}

static void learn_file(modules_tree *t, ken_learner *l, uint32_t file, uint16_t *out_lang)
{
    ken_arena *a = &t->arena;
    ken_str text = read_file(t, file, a);
    ken_lang_id lang = ken_lang_of(t->tree.paths[file], text);
    *out_lang = (uint16_t)lang;
    if (!ken_lang_grammar(lang) || ken_scan_classify_content(t->tree.paths[file], text))
        return;
    ken_facts facts;
    ken_refs refs = { 0 };
    ken_learn(l, lang, text, NULL, a, &facts, &refs);
    t->packages[file] = refs.package;
    for (uint32_t i = 0; i < refs.n_binds; i++) {
        const ken_bind *b = &refs.binds[i];
        ken_module_ask ask = { .file = file, .module = b->module, .flags = b->flags };
        if (b->module.len)
            ken_vec_push(&t->asks, ask);
    }
}

static void learn_tree(const char *root, modules_tree *t)
{
    ken_err err = { 0 };
    ken_scan_result scan;
    ken_arena_init(&t->arena, 0);
    bench_check(ken_scan(root, &(ken_scan_opts){ 0 }, NULL, &t->arena, &scan, &err), &err);
    bench_check(ken_fs_open_dir(root, &t->root_fd, &err), &err);
    ken_str *paths = KEN_ARENA_ARRAY(&t->arena, ken_str, scan.n_files + 1);
    uint16_t *langs = KEN_ARENA_ARRAY(&t->arena, uint16_t, scan.n_files + 1);
    t->packages = KEN_ARENA_ARRAY(&t->arena, ken_str, scan.n_files + 1);
    for (size_t i = 0; i < scan.n_files; i++)
        paths[i] = scan.files[i].path;
    t->tree = (ken_tree){ t, paths, langs, (uint32_t)scan.n_files, read_file, package_of, NULL };
    ken_learner *l = ken_learner_new();
    for (uint32_t i = 0; i < t->tree.n_files; i++)
        learn_file(t, l, i, &langs[i]);
    ken_learner_free(l);
}

static double ask_all(ken_modules *m, const modules_tree *t)
{
    ken_module out;
    int64_t t0 = ken_clock_mono_ns();
    for (size_t i = 0; i < t->asks.len; i++)
        ken_modules_resolve(m, &t->asks.ptr[i], &out);
    return bench_ms(ken_clock_mono_ns() - t0);
}

static void list(ken_modules *m, const modules_tree *t, const char *only)
{
    for (size_t i = 0; i < t->asks.len; i++) {
        ken_module out;
        const ken_module_ask *ask = &t->asks.ptr[i];
        ken_modules_resolve(m, ask, &out);
        if (strcmp(kinds[out.kind], only) != 0)
            continue;
        ken_str first = out.n_files ? t->tree.paths[out.files[0]] : KEN_STR("");
        printf(KEN_STR_FMT "\t" KEN_STR_FMT "\t%u\t" KEN_STR_FMT "\t" KEN_STR_FMT "\t%s%s\n",
               KEN_STR_ARG(t->tree.paths[ask->file]), KEN_STR_ARG(ask->module), out.n_files,
               KEN_STR_ARG(first), KEN_STR_ARG(out.rest), out.why,
               out.is_guess ? " (a guess)" : "");
    }
}

// Imports of each language, by what they name.
static json_t *count(ken_modules *m, const modules_tree *t)
{
    uint64_t n[KEN_LANG_COUNT][4] = { 0 };
    for (size_t i = 0; i < t->asks.len; i++) {
        ken_module out;
        ken_modules_resolve(m, &t->asks.ptr[i], &out);
        uint64_t *row = n[t->tree.langs[t->asks.ptr[i].file]];
        row[out.kind]++;
        row[3] += out.is_guess;
    }
    json_t *all = json_object();
    for (unsigned l = 0; l < KEN_LANG_COUNT; l++) {
        if (!(n[l][0] + n[l][1] + n[l][2]))
            continue;
        json_t *o = json_object();
        for (unsigned k = 0; k < 3; k++)
            ken_json_set_u64(o, kinds[k], n[l][k]);
        ken_json_set_u64(o, "guesses", n[l][3]);
        ken_json_set(all, ken_lang_name((ken_lang_id)l), o);
    }
    return all;
}

static void print_table(const json_t *report, json_t *languages)
{
    const char *name;
    json_t *row;
    double n = bench_real(report, "imports"), again = bench_real(report, "again_ms");
    printf("modules %.0f files: layout %.2f ms; %.0f imports: first %.2f ms, again %.2f ms "
           "(%.3f us each); %.0f KB\n",
           bench_real(report, "files"), bench_real(report, "layout_ms"), n,
           bench_real(report, "first_ms"), again, n > 0 ? again * 1e3 / n : 0,
           bench_real(report, "bytes") / 1e3);
    json_object_foreach(languages, name, row)
        printf("  %-12s %6.0f files (%.0f guesses), %6.0f external, %6.0f unknown\n", name,
               bench_real(row, "files"), bench_real(row, "guesses"), bench_real(row, "external"),
               bench_real(row, "unknown"));
}

BENCH_MAIN(modules)
{
    bench_args a;
    bench_args_parse(argc, argv, help, &a);
    modules_tree t = { .root_fd = -1 };
    ken_arena arena;
    ken_arena_init(&arena, 0);
    const char *root = bench_path(&a, &arena);
    learn_tree(root, &t);
    int64_t t0 = ken_clock_mono_ns();
    ken_modules *m = ken_modules_new(&t.tree);
    json_t *o = bench_report("modules", root);
    ken_json_set_real(o, "layout_ms", bench_ms(ken_clock_mono_ns() - t0));
    ken_json_set_real(o, "first_ms", ask_all(m, &t));
    ken_json_set_real(o, "again_ms", ask_all(m, &t));
    ken_json_set_u64(o, "files", t.tree.n_files);
    ken_json_set_u64(o, "imports", t.asks.len);
    ken_json_set_u64(o, "bytes", ken_modules_bytes(m));
    json_t *languages = count(m, &t);
    ken_json_set(o, "languages", languages);
    if (a.only) {
        list(m, &t, a.only);
    } else if (!a.is_json) {
        print_table(o, languages);
    }
    if (a.is_json)
        bench_print(o);
    else
        json_decref(o);
    ken_modules_free(m);
    ken_vec_release(&t.asks);
    ken_fs_close(t.root_fd);
    ken_arena_release(&t.arena);
    ken_arena_release(&arena);
    return 0;
}
