// SPDX-License-Identifier: MIT
// graph_overload_priv.h -- what the parts of choosing an overload share: types as they are compared,
// and what it costs to hand a value of one to a parameter of another.
#ifndef KEN_GRAPH_GRAPH_OVERLOAD_PRIV_H
#define KEN_GRAPH_GRAPH_OVERLOAD_PRIV_H

#include "graph/graph_priv.h"

enum {
    GRAPH_ARGS_DEEP = 6, // calls in calls whose result is asked for; bases of bases
    COST_OUT = -1,       // it cannot be
    COST_TEMPLATE = 1,
    COST_SUBTYPE = 5,
    COST_MAYBE = 15, // of two types outside nothing is known
    COST_ANY = 20,   // a type parameter
    COST_OBJECT = 25,
    COST_BOXED = 1000, // a phase of its own: only where nothing else fits
    COST_VARIADIC = 100000,
};

typedef enum type_sort {
    TYPE_UNKNOWN = 0,
    TYPE_NAMED,
    TYPE_PRIMITIVE,
    TYPE_PARAMETER,
    TYPE_FUNCTION,
    TYPE_NULL,
} type_sort;

typedef struct type_key {
    type_sort sort;
    ken_str name;
    ken_graph_def def; // of NAMED; file = UINT32_MAX: outside
    uint32_t n_arrays;
    uint8_t n_pointers; // C++
    bool is_sure;       // no variable's: what is pointed to is known as well
    bool is_nullable;   // of a parameter: `int?`
    ken_str label;      // the name that arguments say for it; empty = none
    char mark;          // of the label: ken_refs__labelled in refs/refs_priv.h
} type_key;

// What a parameter of that type takes, and what an argument is; with their labels.
type_key ken_graph__key_of_type(ken_graph *g, graph_unit *u, ken_expr_id expr, int depth);
type_key ken_graph__key_of_value(ken_graph *g, graph_unit *u, ken_expr_id expr, int depth);
type_key ken_graph__key_of_argument(ken_graph *g, graph_unit *u, ken_expr_id expr);
type_key ken_graph__key_of_parameter(ken_graph *g, graph_unit *u, ken_expr_id expr);
// What stands under a label; the expression itself when there is none.
ken_expr_id ken_graph__unlabelled(const ken_refs *r, ken_expr_id expr, ken_str *out_label);

// Width of a type of numbers, from the narrowest on; -1 = it is none. What is boxed in what, NULL =
// nothing.
int ken_graph__number_of(ken_str name);
const char *ken_graph__box_of(ken_str primitive);
const char *ken_graph__unboxed(ken_str name);

// What it costs to hand the argument on to the parameter in that language; COST_OUT = it cannot be.
int ken_graph__fit(ken_graph *g, const graph_unit *u, type_key param, type_key arg);

#endif
