// SPDX-License-Identifier: MIT
// graph_lab.h -- a small literal tree, learnt in memory, and its edges as text.
//
//     static const graph_lab_file files[] = { { "a.py", "…" }, { "b.py", "…" } };
//     graph_lab_open(&lab, files, 2);
//     graph_lab_expect(&lab, "a.py:3 foo", "b.py:1 foo imported");
#ifndef KEN_TESTS_UNIT_GRAPH_GRAPH_LAB_H
#define KEN_TESTS_UNIT_GRAPH_GRAPH_LAB_H

#include "graph/graph.h"

typedef struct graph_lab_file {
    const char *path, *text;
} graph_lab_file;

typedef struct graph_lab {
    ken_arena arena;
    ken_str *paths;
    uint16_t *langs;
    ken_str *texts;
    ken_facts *facts;
    ken_refs *refs;
    uint32_t n_files;
    ken_graph_def *named; // of the last question
    ken_graph *graph;
} graph_lab;

// Paths in order. Skips the test when this build has no grammar for one of the files.
void graph_lab_open(graph_lab *lab, const graph_lab_file *files, uint32_t n_files);
void graph_lab_close(graph_lab *lab);

// What the first reference to that name in that line leads to: "path:line name class", several by
// ", "; "external", "unresolved"; "no reference".
const char *graph_lab_say(graph_lab *lab, const char *place);
void graph_lab_expect(graph_lab *lab, const char *place, const char *want);

// The same for a tree of its own: each { place, what it leads to }.
void graph_lab_check(const graph_lab_file *files, uint32_t n_files, const char *const (*edges)[2],
                     size_t n);

// Of the tree that a test file calls `files`.
#define CHECK(edges) \
    graph_lab_check(files, sizeof files / sizeof *files, (edges), sizeof(edges) / sizeof *(edges))
#define EXPECT(place, want)                              \
    graph_lab_check(files, sizeof files / sizeof *files, \
                    &(const char *const[2]){ (place), (want) }, 1)

#endif
