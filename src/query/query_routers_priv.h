// SPDX-License-Identifier: MIT
// query_routers_priv.h -- what stands before the paths of routes: groups, prefixes of routers, places
// where routers are mounted, in this file or another.
//
// Ownership: everything is in the arena given; texts of files are kept there while routes are looked
// for. Threads: one. What a prefix is cannot always be read (a setting, a router that nothing
// mounts); then the path is said to be known in part.
#ifndef KEN_QUERY_QUERY_ROUTERS_PRIV_H
#define KEN_QUERY_QUERY_ROUTERS_PRIV_H

#include "base/map.h"
#include "query/query_graph_priv.h"
#include "route/route.h"

typedef struct query_prefix {
    ken_str text;    // "/api", or empty
    bool is_partial; // something that is not known stands before it
} query_prefix;

// A call whose text stands before paths: of what is chained to it, or in its arguments.
typedef struct query_route_group {
    const ken_literal *of;
    size_t end; // of what it holds
    bool is_prefix;
} query_route_group;

// A file that is looked at.
typedef struct query_route_file {
    uint32_t number;
    const ken_unit_text *unit;
    ken_str text;
    bool has_hash;
    query_route_group *groups;
    uint32_t n_groups;
} query_route_file;

// Up to where values of a variable were looked for, and where the last one begins.
typedef struct query_route_given {
    size_t upto, at;
} query_route_given;

typedef struct query_mount query_mount;

typedef struct query_routers {
    ken_snapshot *s;
    ken_graph *g;
    const ken_frameworks *frameworks;
    ken_arena *arena;
    KEN_VEC(query_mount *) mounts;
    ken_map known; // "12 router" -> number in given
    KEN_VEC(query_route_given) given;
    ken_map texts; // "12" -> number in files
    KEN_VEC(query_route_file) files;
    const uint32_t *learnt; // all files that may say routes
    size_t n_learnt, n_callers_asked;
} query_routers;

void query_routers_init(query_routers *q, ken_snapshot *s, ken_graph *g, const ken_frameworks *f,
                        ken_arena *arena);
void query_routers_release(query_routers *q);
// The file with its text, or NULL when it says nothing or cannot be read. Valid until the next call.
const query_route_file *query_routers_file(query_routers *q, uint32_t file);
// Takes notice of what files mount; they are borrowed as long as routes are looked for.
void query_routers_learn(query_routers *q, const uint32_t *files, size_t n);
// The rule that a literal meets; also in a file that imports nothing of the framework, when what it
// says is mounted by one that does.
const ken_route_rule *query_routers_rule(query_routers *q, const ken_unit_text *u,
                                         const ken_literal *l, const ken_framework **out);
// What stands before the path of a literal that is a route of `framework`.
query_prefix query_routers_prefix(query_routers *q, uint32_t file, const ken_framework *framework,
                                  const ken_literal *l);
query_prefix query_prefix_join(ken_arena *arena, query_prefix before, ken_str path);
// The text that an expression of the file between two bytes is: a literal, or a name whose
// definition is given one; false when that is not known.
bool query_routers_text(query_routers *q, const query_route_file *f, ken_str value, ken_str *out);
// Files where something is mounted, whose change changes paths.
size_t query_routers_mount_files(const query_routers *q, ken_arena *arena, uint32_t **out);

#endif
