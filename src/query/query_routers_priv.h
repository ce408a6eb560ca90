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

// Of a router that is mounted in several places: one for each way to it.
typedef struct query_prefixes {
    query_prefix *items;
    size_t n;
} query_prefixes;

// Of an application: stands before the paths of all routes of a framework that lie in some files.
typedef struct query_base {
    const ken_framework *framework;
    query_prefix prefix;
    const uint8_t *files; // a mark by file
    ken_str *but;         // paths that it does not stand before
    size_t n_but;
} query_base;

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

typedef struct query_routers {
    ken_snapshot *s;
    ken_graph *g;
    const ken_frameworks *frameworks;
    ken_arena *arena;
    KEN_VEC(query_mount *) mounts;
    KEN_VEC(query_base) bases;
    ken_vec_u32 others; // files, not of routes, whose change changes paths
    ken_map callers;    // "12 7@0": a parameter of a function -> number in asked
    KEN_VEC(query_prefixes) asked;
    ken_map known; // "12 router" -> number in given
    KEN_VEC(query_route_given) given;
    ken_map texts; // "12" -> number in files
    KEN_VEC(query_route_file) files;
    const uint32_t *learnt; // all files that may say routes
    size_t n_learnt;
} query_routers;

void query_routers_init(query_routers *q, ken_snapshot *s, ken_graph *g, const ken_frameworks *f,
                        ken_arena *arena);
void query_routers_release(query_routers *q);
// The file with its text, or NULL when it says nothing or cannot be read. Valid until the next call.
const query_route_file *query_routers_file(query_routers *q, uint32_t file);
// Takes notice of what files mount, and of what stands before all paths of an application; the files
// are borrowed as long as routes are looked for.
void query_routers_learn(query_routers *q, const uint32_t *files, size_t n);
// The rule that a literal meets; also in a file that imports nothing of the framework, when what it
// says is mounted by one that does.
const ken_route_rule *query_routers_rule(query_routers *q, const ken_unit_text *u,
                                         const ken_literal *l, const ken_framework **out);
// What stands before the path of a literal that is a route of `framework`: at least one.
query_prefixes query_routers_prefixes(query_routers *q, uint32_t file,
                                      const ken_framework *framework, const ken_literal *l);
query_prefix query_prefix_join(ken_arena *arena, query_prefix before, ken_str path);
// A list of one.
query_prefixes query_prefix_alone(ken_arena *arena, query_prefix it);
// The text that an expression of the file between two bytes is: a literal, or a name whose
// definition is given one; false when that is not known.
bool query_routers_text(query_routers *q, const query_route_file *f, ken_str value, ken_str *out);

// The bracket of a literal's call; SIZE_MAX when there is none.
size_t query_routers_open(const query_route_file *f, const ken_literal *l);
// Where the last value of a variable before `byte` begins; 0 = nowhere.
size_t query_routers_given(query_routers *q, const query_route_file *f, ken_str name, size_t byte);
// The first option of some names among the arguments of a call that opens at `open`.
ken_str query_option_of(const query_route_file *f, size_t open, const ken_str *names, uint32_t n);
// An option that is a text, put behind `before`; partial when it is there and not known.
query_prefix query_routers_option(query_routers *q, const query_route_file *f, query_prefix before,
                                  ken_str value);

// ---- mounts (code/mounts.c) --------------------------------------------------------------------

// Reads what a call puts where; its rule is one that mounts.
void query_mounts_learn(query_routers *q, uint32_t file, uint32_t literal,
                        const ken_framework *framework, const ken_route_rule *rule);
// The mounts of the variable `name` of a file, or of what stands at `byte` of it; those of tests
// only when there are no others. At most `max`.
size_t query_mounts_of(ken_snapshot *s, query_mount *const *all, size_t n_all, uint32_t file,
                       ken_str name, uint32_t byte, query_mount **out, size_t max);
// A copy in the arena of all that is mounted; without what holds only as long as the graph.
size_t query_mounts_copy(query_mount *const *all, size_t n, ken_arena *arena, query_mount ***out);

// ---- bases (code/bases.c) ----------------------------------------------------------------------

// What a call says that stands before all routes that its file reaches by imports.
void query_bases_learn(query_routers *q, uint32_t file, const ken_literal *l,
                       const ken_framework *framework);
// What files of settings say, by the keys that frameworks name.
void query_bases_read(query_routers *q);
// What stands before the path of a route, with what the application puts before all of them.
query_prefixes query_bases_before(query_routers *q, uint32_t file, const ken_framework *framework,
                                  query_prefixes before, ken_str path);

#endif
