// SPDX-License-Identifier: MIT
// arch_priv.h -- what the architecture is made of.
#ifndef KEN_QUERY_CODE_ARCH_PRIV_H
#define KEN_QUERY_CODE_ARCH_PRIV_H

#include "query/query_graph_priv.h"
#include "query/query_tree.h"

enum {
    QUERY_MODULES_FEW = 8,
    QUERY_MODULES_MANY = 40, // cutting ends
    QUERY_MODULES_MAX = 64   // one bit each
};

typedef struct query_focus {
    ken_arch_focus area;
    ken_str folder; // empty = all
} query_focus;

typedef struct query_modules {
    ken_module_node modules[QUERY_MODULES_MAX];
    uint32_t n;
    size_t n_cycles, n_unknown; // n_unknown: imports that lead nowhere in the tree
    uint32_t *of_file;          // module of a file, UINT32_MAX = not in focus
    double *centrality;         // by file
    uint8_t *aside;             // by file: ken_aside; NONE for all when there is nothing else
    uint32_t *n_users;          // by file: files of the code, not aside, that import it
    uint32_t weight[QUERY_MODULES_MAX][QUERY_MODULES_MAX]; // files of one that import the other
} query_modules;

// `folder` relative to the root or absolute below it; empty = all.
ken_status ken_query__focus_on(ken_snapshot *s, ken_arch_focus area, ken_str folder,
                               ken_arena *arena, query_focus *out, ken_err *err) KEN_MUST_USE;
bool ken_query__in_focus(const ken_snapshot *s, uint32_t file, const query_focus *focus);
// Beside the code, by its path.
ken_aside ken_query__aside_of(const ken_snapshot *s, uint32_t file);
bool ken_query__is_frontend(const ken_snapshot *s, uint32_t file);
ken_status ken_query__find_modules(ken_snapshot *s, const query_focus *focus,
                                   const ken_cancel *cancel, ken_arena *arena, query_modules *out,
                                   ken_err *err) KEN_MUST_USE;
// The most used types of what is not aside (by file), the most complex code that changes often; best
// first.
ken_status ken_query__find_types(ken_snapshot *s, const query_focus *focus, const uint8_t *aside,
                                 size_t limit, ken_arena *arena, ken_key_symbol **out,
                                 size_t *out_n, ken_err *err) KEN_MUST_USE;
ken_status ken_query__find_hotspots(ken_snapshot *s, const query_focus *focus,
                                    const ken_cancel *cancel, ken_arena *arena,
                                    ken_key_symbol **out, size_t *out_n, ken_err *err) KEN_MUST_USE;

#endif
