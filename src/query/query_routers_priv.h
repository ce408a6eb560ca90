// SPDX-License-Identifier: MIT
// query_routers_priv.h -- the prefixes of route paths: groups, prefixes of routers, mounts of routers in
// this file or another.
//
// Ownership: everything is in the arena given; texts of files are kept there while routes are looked
// for. Threads: one. A prefix cannot always be read (a setting, a router that nothing mounts); then
// the path is marked as partial.
#ifndef KEN_QUERY_QUERY_ROUTERS_PRIV_H
#define KEN_QUERY_QUERY_ROUTERS_PRIV_H

#include "base/map.h"
#include "query/query_graph_priv.h"
#include "route/route.h"

typedef struct query_prefix {
    ken_str text;    // "/api", or empty
    bool is_partial; // something unknown stands before it
} query_prefix;

// Of a router that is mounted in several places: one for each path to it.
typedef struct query_prefixes {
    query_prefix *items;
    size_t n;
} query_prefixes;

// The prefix of an application, for all routes of a framework in some files.
typedef struct query_base {
    const ken_framework *framework;
    query_prefix prefix;
    const uint8_t *files; // a mark by file
    ken_str *but;         // paths without this prefix
    size_t n_but;
} query_base;

// A call with a prefix for the routes that are chained to it or in its arguments.
typedef struct query_route_group {
    const ken_literal *of;
    size_t end; // of these routes
    bool is_prefix;
} query_route_group;

// A file with routes.
typedef struct query_route_file {
    uint32_t number;
    const ken_unit_text *unit;
    ken_str text;
    bool has_hash;
    query_route_group *groups;
    uint32_t n_groups;
} query_route_file;

// How far the file was searched for values of a variable, and where the last one begins.
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
    const uint32_t *learnt; // all files that may have routes
    size_t n_learnt;
    const uint8_t *
        speaks; // by the file's place there: whether it has routes, but for those of mounted routers
} query_routers;

void ken_query__routers_init(query_routers *q, ken_snapshot *s, ken_graph *g,
                             const ken_frameworks *f, ken_arena *arena);
void ken_query__routers_release(query_routers *q);
// The file with its text, or NULL when it has no facts or cannot be read. Valid until the next call.
const query_route_file *ken_query__routers_file(query_routers *q, uint32_t file);
// Reads the mounts in files and the prefixes of applications. The files are borrowed until
// ken_query__routers_release.
void ken_query__routers_learn(query_routers *q, const uint32_t *files, size_t n);
// Whether the file learnt[at] can have routes: the others are not looked at, for they are most of a large tree.
bool ken_query__routers_speaks(const query_routers *q, size_t at);
// The rule that fits a literal; also in a file that imports nothing of the framework, when its router is
// mounted by one that does.
const ken_route_rule *ken_query__routers_rule(query_routers *q, const ken_unit_text *u,
                                              const ken_literal *l, const ken_framework **out);
// The prefixes of a literal that is a route of `framework`: at least one.
query_prefixes ken_query__routers_prefixes(query_routers *q, uint32_t file,
                                           const ken_framework *framework, const ken_literal *l);
query_prefix ken_query__prefix_join(ken_arena *arena, query_prefix before, ken_str path);
// A list of one.
// The class that makes the handler of a literal (`ArticleList.as_view()`, perhaps in wrappers). The
// result is the number of the reference that calls its method; -1 = no class does.
int64_t ken_query__view_of(ken_graph *g, uint32_t file, const ken_refs *r, const ken_literal *l,
                           ken_graph_def *out);

query_prefixes ken_query__prefix_alone(ken_arena *arena, query_prefix it);
// The text that an expression of the file between two bytes is: a literal, or a name whose
// definition is given one; false when that is not known.
bool ken_query__routers_text(query_routers *q, const query_route_file *f, ken_str value,
                             ken_str *out);

// The bracket of a literal's call; SIZE_MAX when there is none.
size_t ken_query__routers_open(const query_route_file *f, const ken_literal *l);
// Where the last value of a variable before `byte` begins; 0 = nowhere.
size_t ken_query__routers_given(query_routers *q, const query_route_file *f, ken_str name,
                                size_t byte);
// The first option of some names among the arguments of a call that opens at `open`.
ken_str ken_query__option_of(const query_route_file *f, size_t open, const ken_str *names,
                             uint32_t n);
// An option that is a text, put behind `before`; partial when it is there and not known.
query_prefix ken_query__routers_option(query_routers *q, const query_route_file *f,
                                       query_prefix before, ken_str value);

// ---- mounts (code/mounts.c) --------------------------------------------------------------------

// Reads the mount of a call; its rule is one that mounts.
void ken_query__mounts_learn(query_routers *q, uint32_t file, uint32_t literal,
                             const ken_framework *framework, const ken_route_rule *rule);
// The mounts of the variable `name` of a file, or of the router at `byte` of it; those in tests only
// when there are no others. At most `max`.
size_t ken_query__mounts_of(ken_snapshot *s, query_mount *const *all, size_t n_all, uint32_t file,
                            ken_str name, uint32_t byte, query_mount **out, size_t max);
// A copy of all mounts in the arena, without pointers into the graph.
size_t ken_query__mounts_copy(query_mount *const *all, size_t n, ken_arena *arena,
                              query_mount ***out);

// ---- bases (code/bases.c) ----------------------------------------------------------------------

// Reads a call that sets a prefix for all routes that its file reaches by imports.
void ken_query__bases_learn(query_routers *q, uint32_t file, const ken_literal *l,
                            const ken_framework *framework);
// Reads the prefixes in settings files, by the keys of the frameworks.
void ken_query__bases_read(query_routers *q);
// The prefixes of a route, with those of the application added.
query_prefixes ken_query__bases_before(query_routers *q, uint32_t file,
                                       const ken_framework *framework, query_prefixes before,
                                       ken_str path);

#endif
