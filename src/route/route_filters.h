// SPDX-License-Identifier: MIT
// route_filters.h -- what a Rails controller runs before its actions: `before_action :find, only: [:show]`.
//
// Ownership: lists in the caller's arena, names in the text. Threads: pure. Errors: none; what is
// not understood is passed over, and so is what runs under a condition (`if:`), for it may not.
#ifndef KEN_ROUTE_ROUTE_FILTERS_H
#define KEN_ROUTE_ROUTE_FILTERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/str.h"

enum {
    KEN_FILTER_WORDS = 32, // actions that one statement names
    KEN_FILTERS_MAX = 64   // of one class
};

typedef struct ken_route_filter {
    ken_str name; // of the method that runs
    ken_str only[KEN_FILTER_WORDS], except[KEN_FILTER_WORDS];
    size_t n_only, n_except;
    bool has_only, is_skip; // is_skip: does not run, although a base class has it
} ken_route_filter;

// Of the body of one class, in order.
size_t ken_route_filters(ken_str body, ken_arena *arena, ken_route_filter **out);
bool ken_route_filter_holds(const ken_route_filter *f, ken_str action);

#endif
