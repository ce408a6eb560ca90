// SPDX-License-Identifier: MIT
// modules_tree.h -- a small literal tree for tests of import resolution.
//
//     static const modules_file files[] = { { "go.mod", "module m", "" }, … };
//     modules_open(&t, files, n);
//     modules_expect(&t, "main.go", "m/util", "util/a.go util/b.go");
#ifndef KEN_TESTS_UNIT_GRAPH_MODULES_TREE_H
#define KEN_TESTS_UNIT_GRAPH_MODULES_TREE_H

#include "graph/graph_modules.h"

typedef struct modules_file {
    const char *path, *text, *package;
} modules_file;

typedef struct modules_tree {
    ken_tree tree;
    ken_arena arena;
    const modules_file **files; // by path
    ken_modules *modules;
    unsigned n_read; // manifests that were asked for
} modules_tree;

void modules_open(modules_tree *t, const modules_file *files, uint32_t n_files);
void modules_close(modules_tree *t);
uint32_t modules_find(const modules_tree *t, const char *path);

// The answer as text: paths with a space between, "guess " before them, "rest" after " + ";
// "external" or "unknown". Asks twice: what is remembered must be the same.
const char *modules_say(modules_tree *t, const ken_module_ask *ask);
void modules_check(modules_tree *t, const ken_module_ask *ask, const char *want);
void modules_expect(modules_tree *t, const char *from, const char *module, const char *want);
void modules_expect_around(modules_tree *t, const char *file, const char *want);

#endif
