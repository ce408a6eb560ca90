// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "graph_lab.h"
#include "ktest.h"
#include "lang/lang.h"
#include "lang/lang_grammar.h"
#include "learn/learn.h"

static bool load(void *ctx, uint32_t file, ken_unit_text *out)
{
    graph_lab *lab = ctx;
    *out =
        (ken_unit_text){ &lab->facts[file], &lab->refs[file], lab->paths[file], lab->langs[file] };
    return true;
}

static size_t named(void *ctx, ken_str name, const ken_graph_def **out)
{
    graph_lab *lab = ctx;
    size_t n = 0;
    for (uint32_t f = 0; f < lab->n_files; f++)
        for (uint32_t s = 0; s < lab->facts[f].n_symbols; s++)
            if (ken_str_eq(lab->facts[f].symbols[s].name, name))
                lab->named[n++] = (ken_graph_def){ f, s };
    *out = lab->named;
    return n;
}

static ken_str read_text(void *ctx, uint32_t file, ken_arena *arena)
{
    (void)arena;
    return ((graph_lab *)ctx)->texts[file];
}

static void learn(graph_lab *lab, const graph_lab_file *files)
{
    ken_learner *l = ken_learner_new();
    size_t n_symbols = 0;
    for (uint32_t i = 0; i < lab->n_files; i++) {
        lab->paths[i] = ken_str_c(files[i].path);
        lab->texts[i] = ken_str_c(files[i].text);
        lab->langs[i] = (uint16_t)ken_lang_of(lab->paths[i], lab->texts[i]);
        ken_learn(l, (ken_lang_id)lab->langs[i], lab->texts[i], NULL, &lab->arena, &lab->facts[i],
                  &lab->refs[i]);
        n_symbols += lab->facts[i].n_symbols;
    }
    lab->named = KEN_ARENA_ARRAY(&lab->arena, ken_graph_def, n_symbols + 1);
    ken_learner_free(l);
}

void graph_lab_open(graph_lab *lab, const graph_lab_file *files, uint32_t n_files)
{
    memset(lab, 0, sizeof *lab);
    for (uint32_t i = 0; i < n_files; i++) {
        ken_lang_id lang = ken_lang_of(ken_str_c(files[i].path), ken_str_c(files[i].text));
        if (!ken_lang_grammar(lang) && ken_lang_role_of(lang) == KEN_LANG_ROLE_CODE)
            kt_skip("grammars", "this build has none for the language");
    }
    ken_arena_init(&lab->arena, 0);
    lab->n_files = n_files;
    lab->paths = KEN_ARENA_ARRAY(&lab->arena, ken_str, n_files);
    lab->langs = KEN_ARENA_ARRAY(&lab->arena, uint16_t, n_files);
    lab->texts = KEN_ARENA_ARRAY(&lab->arena, ken_str, n_files);
    lab->facts = KEN_ARENA_ARRAY(&lab->arena, ken_facts, n_files);
    lab->refs = KEN_ARENA_ARRAY(&lab->arena, ken_refs, n_files);
    learn(lab, files);
    ken_graph_source source = { .ctx = lab,
                                .paths = lab->paths,
                                .langs = lab->langs,
                                .n_files = n_files,
                                .load = load,
                                .named = named,
                                .read = read_text };
    ken_graph_source *kept = KEN_ARENA_NEW(&lab->arena, ken_graph_source);
    *kept = source;
    lab->graph = ken_graph_new(kept);
}

void graph_lab_close(graph_lab *lab)
{
    ken_graph_free(lab->graph);
    ken_arena_release(&lab->arena);
}

static uint32_t line_of(ken_str text, uint32_t byte)
{
    uint32_t line = 1;
    for (uint32_t i = 0; i < byte; i++)
        line += text.ptr[i] == '\n';
    return line;
}

static uint32_t def_line(graph_lab *lab, ken_graph_def d)
{
    const ken_unit_text *u = ken_graph_unit(lab->graph, d.file);
    return line_of(lab->texts[d.file], ken_graph_byte(u, d.def));
}

static void say_targets(graph_lab *lab, const ken_targets *t, char *out, size_t cap)
{
    size_t n = 0;
    for (uint32_t i = 0; i < t->n && n < cap; i++) {
        const ken_unit_text *u = ken_graph_unit(lab->graph, t->defs[i].file);
        n += (size_t)snprintf(out + n, cap - n, "%s" KEN_STR_FMT ":%u " KEN_STR_FMT " %s",
                              i ? ", " : "", KEN_STR_ARG(u->path), def_line(lab, t->defs[i]),
                              KEN_STR_ARG(ken_graph_name(u, t->defs[i].def)),
                              ken_edge_class_word(t->class));
    }
    if (!t->n)
        snprintf(out, cap, "%s", ken_edge_class_word(t->class));
}

const char *graph_lab_say(graph_lab *lab, const char *place)
{
    static char out[1000];
    ken_str path = KEN_STR(""), rest = ken_str_c(place), line = KEN_STR("");
    ken_str_split_next(&rest, ':', &path);
    ken_str_split_next(&rest, ' ', &line);
    uint32_t wanted = (uint32_t)strtoul(line.ptr, NULL, 10), nth = 1;
    size_t mark = ken_str_rfind_char(rest, '#'); // "name#2": the second of the line
    if (mark != SIZE_MAX && mark + 1 < rest.len) {
        nth = (uint32_t)strtoul(rest.ptr + mark + 1, NULL, 10);
        rest = ken_str_sub(rest, 0, mark);
    }
    for (uint32_t f = 0; f < lab->n_files; f++) {
        const ken_refs *r = &lab->refs[f];
        for (uint32_t i = 0; ken_str_eq(lab->paths[f], path) && i < r->n_refs; i++) {
            if (line_of(lab->texts[f], r->refs[i].byte) != wanted ||
                !ken_str_eq(r->exprs[r->refs[i].expr].name, rest) || --nth)
                continue;
            ken_targets t;
            ken_graph_resolve_ref(lab->graph, f, &r->refs[i], &t);
            say_targets(lab, &t, out, sizeof out);
            return out;
        }
    }
    return "no reference";
}

void graph_lab_expect(graph_lab *lab, const char *place, const char *want)
{
    char said[1100], wanted[1100];
    snprintf(said, sizeof said, "%s -> %s", place, graph_lab_say(lab, place));
    snprintf(wanted, sizeof wanted, "%s -> %s", place, want);
    kt_eq_str(said, wanted);
}

void graph_lab_check(const graph_lab_file *files, uint32_t n_files, const char *const (*edges)[2],
                     size_t n)
{
    graph_lab lab;
    graph_lab_open(&lab, files, n_files);
    for (size_t i = 0; i < n; i++)
        graph_lab_expect(&lab, edges[i][0], edges[i][1]);
    graph_lab_close(&lab);
}
