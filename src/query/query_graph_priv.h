// SPDX-License-Identifier: MIT
// query_graph_priv.h -- the graph over a snapshot, the base of usages, traces and impact.
#ifndef KEN_QUERY_QUERY_GRAPH_PRIV_H
#define KEN_QUERY_QUERY_GRAPH_PRIV_H

#include "query/query_graph.h"
#include "query/query_priv.h"
#include "route/route.h"

// The graph of the snapshot's generation, made when a question first needs it and anew when it has
// grown too large or a file that it knows has changed on disk. Borrowed.
ken_status ken_query__graph_open(ken_snapshot *s, ken_graph **out, ken_err *err) KEN_MUST_USE;
void ken_query__graph_close(ken_snapshot *s); // fine when there is none
// Closes a graph whose segments are not those of the index any more: at the begin of a pin.
void ken_query__graph_follow(ken_snapshot *s, const int64_t *segments, size_t n);
// True when the file on disk is not the one in the graph any more. Checked before anything of it is
// shown; when true, close the graph and run the whole question again.
bool ken_query__graph_is_stale(ken_snapshot *s, uint32_t file);

// Files that refer to `name`, in path order; in the arena.
ken_status ken_query__graph_files_with(ken_snapshot *s, ken_str name, ken_arena *arena,
                                       uint32_t **out, size_t *out_n, ken_err *err) KEN_MUST_USE;

// A definition as answers show it; false when it is not in the graph.
bool ken_query__graph_node(ken_snapshot *s, ken_graph_def def, ken_arena *arena,
                           ken_graph_node *out);
// The same without what has to be read from the file: no signature.
bool ken_query__graph_name(ken_snapshot *s, ken_graph_def def, ken_arena *arena,
                           ken_graph_node *out);
// A copy of the evidence of an edge, which may live only as long as the graph; empty when there is none.
ken_str ken_query__evidence(ken_arena *arena, const char *evidence);
// The open graph, NULL when there is none. ken_query__graph_open may close it.
ken_graph *ken_query__graph_at_hand(const ken_snapshot *s);
// A definition as the key of a map; borrowed from it.
static inline ken_str query_def_key(const ken_graph_def *d)
{
    return ken_str_n((const char *)d, sizeof *d);
}

// By path, then by place.
static inline int query_def_order(const ken_graph_def *x, const ken_graph_def *y)
{
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return (x->def > y->def) - (x->def < y->def);
}

// Whether it is the target of an external or unresolved edge.
static inline bool query_is_outside(ken_graph_def d)
{
    return d.file == UINT32_MAX;
}

enum {
    QUERY_TWINS = 16, // declarations of one thing that are looked at
};

// As ken_graph_find, for what a trace begins at: what can lead on comes before what cannot.
ken_status ken_query__find_entry(ken_snapshot *s, ken_str name, ken_str file_hint, ken_arena *arena,
                                 ken_graph_nodes *out, ken_err *err) KEN_MUST_USE;
// Of definitions in order, moves the one that is meant to the front, and what is the same thing behind it. Says
// how many references resolve to it; 0 when it was chosen without them.
ken_status ken_query__put_meant_first(ken_snapshot *s, ken_graph *g, ken_str hint, bool is_entry,
                                      ken_arena *arena, query_names *names, size_t *out_n_uses,
                                      ken_err *err) KEN_MUST_USE;
// The other choices for what was asked for, each place once: of the file that was named, when the first is.
// Declarations of the first are none.
ken_graph_chosen ken_query__other_choices(ken_graph *g, const ken_graph_nodes *found,
                                          ken_arena *arena, ken_graph_node **out, size_t *out_n);
// The tests among the code of a file, by symbol.
typedef struct query_tests {
    uint32_t n;
    uint8_t *is_test;
} query_tests;

// Whether an attribute or a decorator of one of these names (patterns as of ken_str_fits, NULL = any) stands before it.
bool ken_query__is_decorated(const ken_unit_text *u, const ken_symbol *s, const char *names);
// What is known of them, by file; for marked.c alone.
const query_tests **ken_query__graph_tests(ken_snapshot *s);
bool ken_query__is_test(const ken_snapshot *s, uint32_t file);
// The same of a definition of the file, -1 = the file itself: it may be a test in a file that is none.
bool ken_query__is_test_at(ken_snapshot *s, ken_graph *g, uint32_t file, int64_t within);
static inline bool ken_query__is_test_def(ken_snapshot *s, ken_graph *g, ken_graph_def d)
{
    return ken_query__is_test_at(s, g, d.file, d.def == UINT32_MAX ? -1 : (int64_t)d.def);
}
// Whether the file is generated, judged by its name or its head.
bool ken_query__is_generated(const ken_snapshot *s, uint32_t file);

// What a file says, without making it part of the graph: for passes over the whole tree, which is more than a
// question may take. In `arena`, or the graph's. False when it says nothing.
bool ken_query__graph_peek(ken_snapshot *s, uint32_t file, ken_arena *arena, ken_facts *out_facts,
                           ken_refs *out);
// Units of these files will be asked for next, in this order.
void ken_query__graph_expect(const ken_snapshot *s, const uint32_t *files, size_t n);
// The imports of the whole tree; the snapshot's.
ken_status ken_query__imports(ken_snapshot *s, const ken_cancel *cancel,
                              const query_import_graph **out, ken_err *err) KEN_MUST_USE;
// How many files refer to a name.
uint32_t ken_query__graph_count_with(ken_snapshot *s, ken_str name);

// As ken_find_routes; `is_strict`: a bad file among the project's frameworks is an error, else it
// is passed over.
ken_status ken_query__find_routes(ken_snapshot *s, ken_str filter, bool is_strict,
                                  const ken_cancel *cancel, ken_arena *arena, ken_route **out,
                                  size_t *out_n, ken_err *err) KEN_MUST_USE;
// The frameworks that are built in and the project's own; released by the caller.
ken_status ken_query__frameworks(ken_snapshot *s, bool is_strict, ken_arena *arena,
                                 ken_frameworks *out, ken_err *err) KEN_MUST_USE;
// The place of a route: a literal of a file; calls chained to it have arguments of their own.
typedef struct query_route_site {
    uint32_t file, literal;
    uint32_t path;                          // of the literal's paths, by number
    uint32_t steps_from, handler_from, end; // of the arguments: steps, then the handler; or all 0
} query_route_site;

// A router that another one uses, or a function or file whose routes stand under a path.
typedef struct query_mount {
    uint32_t to_file;
    ken_str to_name;  // the variable; empty: everything in `span`
    ken_str to_whole; // the file's export as a whole is mounted, and this is its variable's name
    bool is_whole;
    ken_span span; // where the variable is; without an end: anywhere in the file
    uint32_t file; // that mounts it
    uint32_t literal, byte;
    ken_span path, router, args; // where these arguments stand; all of them
    ken_str prefix;
    const struct ken_framework *framework; // as long as routes are looked for
    bool is_partial, is_asked;
} query_mount;

// All routes of the tree, cached with the graph; NULL when there is no graph yet.
typedef struct query_kept_routes {
    ken_route *routes;
    query_route_site *sites;
    size_t n;
    query_mount **mounts;
    size_t n_mounts;
    uint32_t *others; // further files whose change changes paths
    size_t n_others;
    bool is_known;
} query_kept_routes;

query_kept_routes *ken_query__graph_routes(ken_snapshot *s);

// A type outside of tests, and how many files contain its name.
typedef struct query_type_use {
    ken_graph_def def;
    uint32_t n_users;
} query_type_use;

// All such types that several files refer to, cached with the graph.
typedef struct query_type_uses {
    query_type_use *uses;
    size_t n;
    bool is_known;
} query_type_uses;

query_type_uses *ken_query__graph_types(ken_snapshot *s); // of the graph that is open
// Memory that lives as long as the graph.
ken_arena *ken_query__graph_arena(ken_snapshot *s);
// The name as interned by the graph: equal names have equal pointers.
ken_str ken_query__graph_keep(ken_snapshot *s, ken_str name);
// The cache of references by name; ken_query__graph_age evicts what was not used lately.
struct query_refs_cache *ken_query__graph_refs(ken_snapshot *s);
void ken_query__graph_age(ken_snapshot *s);
// True when it should be closed as soon as nothing borrows from it: after a question, or between two
// parts of a long one.
bool ken_query__graph_is_full(const ken_snapshot *s);
// Evicts units above the bound while a question goes on. To be called between two files, where the caller
// holds no ken_unit_text. Cheap when there is nothing to do.
void ken_query__graph_ease(ken_snapshot *s);

// Routes with their sites and the mounts on their way, in the arena.
ken_status ken_query__find_sites(ken_snapshot *s, ken_str filter, bool is_strict,
                                 const ken_cancel *cancel, ken_arena *arena, query_kept_routes *out,
                                 ken_err *err) KEN_MUST_USE;

// ---- edges -------------------------------------------------------------------------------------
typedef struct query_edge {
    uint32_t file;  // of the reference
    uint32_t ref;   // its number in the file's refs
    int64_t within; // definition around it, -1 = top of the file
    int32_t holder; // of incoming ones: the outermost callable around it, else what is; -1 = none
    ken_ref_role role;
    ken_edge_class class;
    ken_graph_def to; // of outgoing ones; file UINT32_MAX = external or unresolved
    bool is_stored;   // of incoming ones: it is put where it may be called from (ken_stored)
    const char *evidence;
} query_edge;

typedef KEN_VEC(query_edge) query_edges;

// Whether the edge to a definition of that kind runs it or may: a call, a construction, a
// decoration; or a function that is handed on as a value.
static inline bool query_leads_on(const query_edge *e, ken_symbol_kind to)
{
    if (e->role == KEN_REF_CALL || e->role == KEN_REF_NEW || e->role == KEN_REF_DECORATE)
        return true;
    return e->role == KEN_REF_READ && ken_symbol_is_callable(to) && to != KEN_SYMBOL_MACRO;
}

int ken_query__edge_by_place(const void *a, const void *b); // for qsort: by file and reference
// Appends every place that refers to one of the definitions, or to what is the same thing, by file;
// `to` says which. Apart, the places of their names that could not be resolved; may be NULL.
ken_status ken_query__edges_to(ken_snapshot *s, ken_graph *g, const ken_graph_def *defs,
                               uint32_t n_defs, const ken_cancel *cancel, ken_arena *arena,
                               query_edges *out, query_edges *unresolved, ken_err *err)
    KEN_MUST_USE;
// The same, and how many places of the names lead to other definitions and out of the tree.
typedef struct query_other_uses {
    size_t n_elsewhere, n_outside;
} query_other_uses;

ken_status ken_query__edges_counted(ken_snapshot *s, ken_graph *g, const ken_graph_def *defs,
                                    uint32_t n_defs, const ken_cancel *cancel, ken_arena *arena,
                                    query_edges *out, query_edges *unresolved,
                                    query_other_uses *out_others, ken_err *err) KEN_MUST_USE;
// Every place that uses a name, which may be qualified by what it is a member of or imported from:
// where nothing defines it.
ken_status ken_query__edges_of_name(ken_snapshot *s, ken_graph *g, ken_str name,
                                    const ken_cancel *cancel, ken_arena *arena, query_edges *out,
                                    ken_err *err) KEN_MUST_USE;
// Lines that have the name as a word, definitions apart: code/words.c.
ken_status ken_query__text_mentions(ken_snapshot *s, ken_graph *g, ken_str name,
                                    const ken_cancel *cancel, ken_arena *arena,
                                    ken_said_in_text *out, ken_err *err) KEN_MUST_USE;
// Appends every reference inside `def`, nested definitions included; or inside a span of a file.
void ken_query__edges_from(ken_graph *g, ken_graph_def def, query_edges *out);
void ken_query__edges_in(ken_graph *g, uint32_t file, ken_span span, query_edges *out);
// The first reference at or behind a byte.
uint32_t ken_query__first_ref(const ken_refs *r, uint32_t byte);

// Notes for the answer which files with syntax errors contain the name of a definition in a part that
// could not be parsed.
ken_status ken_query__note_damaged(ken_snapshot *s, ken_graph *g, ken_graph_def def,
                                   const ken_cancel *cancel, ken_arena *arena, ken_err *err)
    KEN_MUST_USE;

// ---- calls through fields and tables: code/through.c -------------------------------------------
// Appends, to edges that name functions, the calls through the fields, variables and tables that
// they are put into; by file again.
ken_status ken_query__edges_through(ken_snapshot *s, ken_graph *g, const ken_cancel *cancel,
                                    ken_arena *arena, query_edges *edges, ken_err *err)
    KEN_MUST_USE;
// The stored function at a byte (ken_stored); NULL when there is none.
const ken_stored *ken_query__stored_at(const ken_refs *r, uint32_t byte);
// The functions that are put into what an edge calls, or into the table that it reads. Returns how
// many; 0 when it is neither.
uint32_t ken_query__held_by(ken_snapshot *s, ken_graph *g, const query_edge *e, ken_arena *arena,
                            ken_graph_def *out, uint32_t max);

// ---- dependency injection: code/bound.c, code/bindings.c --------------------------------------
// A method that runs when a method of an injected type is called.
typedef struct query_bound {
    ken_graph_def def;
    const char *evidence; // "bound to SqlRepo at Startup.cs:12"; lives as long as the graph
} query_bound;

// Those of an edge that calls a method; 0 when nothing is bound to the type that has it.
uint32_t ken_query__bound_by(ken_snapshot *s, ken_graph *g, const query_edge *e, ken_arena *arena,
                             query_bound *out, uint32_t max);

// One registration: these types, in order.
enum {
    QUERY_BINDING_TYPES = 8,
    QUERY_EXTENT_MAX = 4000 // bytes of one call with what is chained to it
};

typedef struct query_binding {
    ken_binding_site site;
    ken_graph_def types[QUERY_BINDING_TYPES];
    uint32_t n_types, n_head; // of FUNCTION: how many of them are in the signature; of KEY: 1 when
                              // the first is what is bound
    ken_str label;            // by which it is injected; empty: by its type only
    bool needs_label, is_primary;
    uint32_t file, line;
} query_binding;

// The types that a method's type may be bound to.
typedef struct query_candidate {
    ken_graph_def type;
    const query_binding *by;
    const char *evidence; // as long as the graph
} query_candidate;

typedef struct query_candidates {
    query_candidate *items;
    uint32_t n;
    bool is_known;
} query_candidates;

typedef struct query_bindings query_bindings; // of a graph
query_bindings *ken_query__bindings_new(ken_snapshot *s, ken_graph *g);
void ken_query__bindings_free(query_bindings *b);
const ken_frameworks *ken_query__bindings_frameworks(const query_bindings *b);
// Whether a file may have registrations; those of a file, computed once and borrowed.
bool ken_query__bindings_may(const query_bindings *b, uint32_t file);
const query_binding *ken_query__bindings_of(query_bindings *b, uint32_t file, uint32_t *out_n);
// The cache slot for the candidates of a method; borrowed until the next call.
query_candidates *ken_query__bindings_kept(query_bindings *b, ken_graph_def method);
// The first text in quotes between two bytes, else empty; the byte behind the brackets that open at
// `at`, at most `max` further on.
ken_str ken_query__quoted(ken_str text, size_t from, size_t to);
size_t ken_query__behind_brackets(ken_str text, size_t at, size_t max);
// Where the calls end that are chained to one that ends at `at`: `->middleware(…)->group(…)`.
size_t ken_query__chain_end(ken_str text, size_t at);

// Those of the open graph, made when first needed.
query_bindings *ken_query__graph_bindings(ken_snapshot *s);

#endif
