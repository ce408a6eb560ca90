// SPDX-License-Identifier: MIT
// graph.h -- what an expression means: from names to definitions, with the reason.
//
// A ken_graph answers for one state of a tree. It asks a ken_graph_source for what each file says
// (facts and refs) and for the definitions of a name, and remembers what it worked out, so that the
// second question about a file costs a look. Nothing is guessed by name alone: a definition is
// reached through scopes, imports, packages and the types of receivers, or not at all.
//
// Ownership: units come from the source and stay valid until the graph is renewed; their names as
// long as the graph. Threads: a graph
// belongs to one thread at a time. Errors: none; what cannot be known is KEN_EDGE_UNRESOLVED.
#ifndef KEN_GRAPH_GRAPH_H
#define KEN_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/vec.h"
#include "graph/graph_modules.h"
#include "model/facts.h"
#include "model/refs.h"

// name, word: from the surest on
#define KEN_EDGE_CLASS_TABLE(X) \
    X(EXACT, "exact")           \
    X(SCOPED, "scoped")         \
    X(IMPORTED, "imported")     \
    X(INFERRED, "inferred")     \
    X(EXTERNAL, "external")     \
    X(UNRESOLVED, "unresolved")

typedef enum ken_edge_class {
#define X(name, word) KEN_EDGE_##name,
    KEN_EDGE_CLASS_TABLE(X)
#undef X
    KEN_EDGE_CLASS_COUNT
} ken_edge_class;

const char *ken_edge_class_word(ken_edge_class c);

// A definition in the tree: definition `def` of file `file` (symbols first, then implied ones).
typedef struct ken_graph_def {
    uint32_t file;
    ken_def_id def;
} ken_graph_def;

static inline bool ken_graph_def_eq(ken_graph_def a, ken_graph_def b)
{
    return a.file == b.file && a.def == b.def;
}

// What one file says. Borrowed from the source.
typedef struct ken_unit_text {
    const ken_facts *facts; // symbols, imports
    const ken_refs *refs;
    ken_str path;
    uint16_t lang; // ken_lang_id
} ken_unit_text;

// The tree as the graph sees it. Files are numbered by path order.
typedef struct ken_graph_source {
    void *ctx;
    const ken_str *paths;
    const uint16_t *langs;
    uint32_t n_files;
    const ken_roots *roots; // the further ones; NULL = none
    // False when the file says nothing (gone, no grammar).
    bool (*load)(void *ctx, uint32_t file, ken_unit_text *out);
    // All definitions of that name (letter by letter), up to a bound; the array lives until the
    // next call.
    size_t (*named)(void *ctx, ken_str name, const ken_graph_def **out);
    // The text of a manifest, at most 1 MiB, or empty.
    ken_str (*read)(void *ctx, uint32_t file, ken_arena *arena);
    // What `load` would say that the file's package is; NULL = ask `load`.
    ken_str (*package)(void *ctx, uint32_t file);
    // These files will be loaded next, in this order; NULL = that is of no use.
    void (*expect)(void *ctx, const uint32_t *files, size_t n);
} ken_graph_source;

typedef struct ken_graph ken_graph;

ken_graph *ken_graph_new(const ken_graph_source *source) KEN_MUST_USE; // borrows it
void ken_graph_free(ken_graph *g);
size_t ken_graph_bytes(const ken_graph *g); // memory in use
// Forgets every unit and what was worked out of it, so that the source may let go of them. Where
// imports lead is kept.
void ken_graph_renew(ken_graph *g);
// A new question begins, by which the age of units is told.
void ken_graph_begin(ken_graph *g);
// How many questions ago the file was last needed; UINT32_MAX = never since the graph was renewed.
uint32_t ken_graph_age(const ken_graph *g, uint32_t file);

enum {
    KEN_TARGETS_MAX = 8
};

// What an expression names.
typedef struct ken_targets {
    ken_graph_def defs[KEN_TARGETS_MAX];
    uint32_t n; // several: overloads, alternatives, overriding methods (inferred)
    ken_edge_class class;
    const char *evidence; // static, of inferred ones
} ken_targets;

// `expr` is a NAME or MEMBER expression of the file; `role` chooses between types and values of one
// name.
void ken_graph_resolve(ken_graph *g, uint32_t file, ken_expr_id expr, ken_ref_role role,
                       ken_targets *out);
// The same of a reference of the file, of which more is known: what an import brings is not what else has
// that name in its file.
void ken_graph_resolve_ref(ken_graph *g, uint32_t file, const ken_ref *ref, ken_targets *out);
// What a file says, NULL when nothing.
const ken_unit_text *ken_graph_unit(ken_graph *g, uint32_t file);
// The definition that holds a byte: the innermost symbol, -1 = top of the file.
int64_t ken_graph_within(ken_graph *g, uint32_t file, uint32_t byte);
// Files that the imports of a file lead to, without repeats, in order; borrowed until the next
// call. *out_n_unknown: imports that lead nowhere, not even to a package outside.
const uint32_t *ken_graph_imports(ken_graph *g, uint32_t file, uint32_t *out_n,
                                  uint32_t *out_n_unknown);
// The same from the references of a file that is no unit and will not be one: a pass over the whole tree
// keeps nothing of its files. The caller releases the list.
ken_vec_u32 ken_graph_imports_of(ken_graph *g, uint32_t file, const ken_refs *refs,
                                 uint32_t *out_n_unknown);
// What binding `bind` of a file (ken_refs.binds, one with a module) leads to: the module itself,
// and what is inside it under the name that is bound (`from a import b` may mean file a/b); of kind
// KEN_MODULE_UNKNOWN when nothing is.
void ken_graph_bind(ken_graph *g, uint32_t file, uint32_t bind, ken_module *out,
                    ken_module *out_inner);
// Types that a type is built on, as found in the tree (direct ones).
uint32_t ken_graph_bases(ken_graph *g, ken_graph_def type, ken_graph_def *out, uint32_t max);

// The same thing under several definitions: what is declared and where it is defined, the overloads
// of one place. `def` itself is the first; returns how many.
uint32_t ken_graph_twins(ken_graph *g, ken_graph_def def, ken_graph_def *out, uint32_t max);

// Methods that may run instead of this one, and those that this one may run instead of: members of
// derived types and of bases.
uint32_t ken_graph_overriders(ken_graph *g, ken_graph_def def, ken_graph_def *out, uint32_t max);
uint32_t ken_graph_overridden(ken_graph *g, ken_graph_def def, ken_graph_def *out, uint32_t max);
// Why one of these may run instead of the other when it does not say so itself, as an evidence of
// edges; NULL when it names its bases.
const char *ken_graph_override_reason(ken_graph *g, ken_graph_def def);
// The type that a member belongs to; false for what is no member of a type.
bool ken_graph_type_of(ken_graph *g, ken_graph_def member, ken_graph_def *out);
// Whether a type is built on another, directly or not.
bool ken_graph_derives(ken_graph *g, ken_graph_def type, ken_graph_def base);
// The member of that name that an object of the type has, its own or a base's.
bool ken_graph_member(ken_graph *g, ken_graph_def type, ken_str name, ken_graph_def *out);

// What constructing a type runs: its constructors, or those of the first base that has some.
uint32_t ken_graph_constructors(ken_graph *g, ken_graph_def type, ken_graph_def *out, uint32_t max);
// Of those, the ones that a construction of the type by expression `expr` of the file may run, one
// for each signature: what is known of its arguments chooses. Returns how many they are, of which
// at most `max` are given; *out_evidence: why these, when there are several.
uint32_t ken_graph_constructed(ken_graph *g, uint32_t file, ken_expr_id expr, ken_graph_def type,
                               ken_graph_def *out, uint32_t max, const char **out_evidence);
// Whether both are one function that is said several times in one place of a language without
// overloads: stubs that only tell types, and the function, which is the last.
bool ken_graph_is_restated(ken_graph *g, ken_graph_def a, ken_graph_def b);

// Names of a definition, whichever kind it is.
ken_str ken_graph_name(const ken_unit_text *u, ken_def_id def);
ken_symbol_kind ken_graph_kind(const ken_unit_text *u, ken_def_id def);
int32_t ken_graph_owner(const ken_unit_text *u, ken_def_id def); // -1 = the file
uint32_t ken_graph_byte(const ken_unit_text *u, ken_def_id def); // where it begins

#endif
