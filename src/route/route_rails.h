// SPDX-License-Identifier: MIT
// route_rails.h -- the routes of Rails' config/routes.rb, where most follow from one word:
// `resources :articles` is seven.
//
// Read line by line from the text, for what a route is depends on the blocks around it. Blocks that
// mean nothing here (`constraints`, `if`) are transparent. Ownership: texts in the caller's
// arena. Threads: pure. Errors: none; what is not understood is passed over.
#ifndef KEN_ROUTE_ROUTE_RAILS_H
#define KEN_ROUTE_ROUTE_RAILS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

enum {
    KEN_RAILS_ROUTES_MAX = 5000 // of one file
};

typedef struct ken_rails_route {
    ken_str method, path; // "GET", "/articles/:id"
    ken_str handler;      // "Admin::ArticlesController.show"; may be empty
    ken_str action, file; // "show"; "controllers/admin/articles_controller.rb", by convention
    uint32_t byte;        // of the line's first word
} ken_rails_route;

// Whether the file at `path` may draw routes: config/routes.rb, config/routes/*.rb.
bool ken_rails_is_file(ken_str path);
// The routes that a text draws, in order; returns how many, 0 when it draws none.
size_t ken_rails_routes(ken_str text, ken_arena *arena, ken_rails_route **out);

#endif
