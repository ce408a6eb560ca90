// SPDX-License-Identifier: MIT
// query_facts.h -- plain lists over a whole tree: what rules are checked on, what habits are read
// from.
//
// Each list is one pass over the files in scope. Files are as they are on disk when the pass comes
// to them: a changed one is extracted again. Edges are resolved as for any question about the graph,
// with their classes, and what could not be resolved is listed or counted, not guessed.
//
// Ownership: results live in the arena passed; paths are the snapshot's. Threads: as the
// snapshot's. Errors: KEN_EINVAL for a bad glob or name, KEN_ECANCELLED; a file that cannot be read
// any more is passed over.
#ifndef KEN_QUERY_QUERY_FACTS_H
#define KEN_QUERY_QUERY_FACTS_H

#include "model/rule.h"
#include "query/query_graph.h"

// Which files. Globs are of paths relative to the root; one without a wildcard names a file, or a
// folder with all that lies below it.
typedef struct ken_facts_scope {
    ken_str_list in;     // none = all
    ken_str_list except; // wins
    ken_str_list only;   // exact paths besides: what a diff touches; none = all
    bool without_tests;
    bool with_generated; // what programs wrote, too, which has no habits; else only with `only`
} ken_facts_scope;

// Whether one of the globs fits the path, or is literally the path or a folder above it; false
// when there is none.
bool ken_globs_match(const ken_str_list *globs, ken_str path);
// KEN_EINVAL names the glob and what is wrong with it.
ken_status ken_globs_check(const ken_str_list *globs, ken_err *err) KEN_MUST_USE;
typedef struct ken_file_fact {
    ken_str path, language;
    uint32_t n_lines, n_chunks;
    bool is_test, is_generated;
} ken_file_fact;

// Files in scope, by path. With generated ones and no other scope a file's place is its number in
// other lists.
ken_status ken_list_files(ken_snapshot *s, const ken_facts_scope *scope, ken_arena *arena,
                          ken_file_fact **out, size_t *out_n, ken_err *err) KEN_MUST_USE;
// Their paths alone.
ken_status ken_list_paths(ken_snapshot *s, const ken_facts_scope *scope, ken_arena *arena,
                          ken_str **out, size_t *out_n, ken_err *err) KEN_MUST_USE;

typedef struct ken_fact_place {
    uint32_t line, column; // 0-based; column in bytes
} ken_fact_place;

// ---- imports -----------------------------------------------------------------------------------
typedef enum ken_import_target {
    KEN_IMPORT_UNKNOWN = 0, // its target is unknown
    KEN_IMPORT_FILES,
    KEN_IMPORT_PACKAGE, // outside of the tree
} ken_import_target;

// One module that a file imports, however often and in how many names.
typedef struct ken_import_fact {
    ken_str path;      // of the file
    ken_fact_place at; // the first import that is more than a type's; when wanted
    ken_str module;    // as written, without quotes
    ken_str name;      // what is taken from it first; empty = the module as a whole
    ken_import_target target;
    const ken_str *files;    // that it leads to, none twice; a package of Go is all its files
    const uint32_t *numbers; // theirs
    uint32_t n_files, file;  // number of the file that imports
    bool is_guess;           // found by a convention, not by a rule of the language
    bool is_type_only;       // nothing of it is left when the program runs
    bool is_test;
} ken_import_fact;

typedef bool ken_import_filter_fn(void *ctx, uint32_t from, uint32_t to);

typedef struct ken_imports_query {
    ken_facts_scope scope; // of the files that import
    // Only imports of these: globs of files, or names of packages, which stand for what is inside
    // them (`lodash` for `lodash/fp`, `java.sql` for `java.sql.Connection`); none = all.
    ken_str_list to;
    // Instead of `to`: only what leads from a file to one that fits, by numbers. NULL = use `to`.
    ken_import_filter_fn *keeps;
    void *ctx;
    bool wants_places;
} ken_imports_query;

typedef struct ken_imports {
    ken_import_fact *items; // by path, then by place
    size_t n;
    uint32_t n_files;   // examined
    uint32_t n_unknown; // imports among theirs that lead nowhere
} ken_imports;

ken_status ken_list_imports(ken_snapshot *s, const ken_imports_query *q, const ken_cancel *cancel,
                            ken_arena *arena, ken_imports *out, ken_err *err) KEN_MUST_USE;
// Whether an import of `module` is one of package `name`.
bool ken_is_of_package(ken_str module, ken_str name);

// ---- definitions -------------------------------------------------------------------------------
// Some bytes of a file: the body of a definition, or of a function without a name.
typedef struct ken_code_part {
    uint32_t file; // of the snapshot's generation
    ken_span span;
} ken_code_part;

typedef struct ken_definition_fact {
    ken_graph_def id;
    ken_code_part part, signature; // the signature: names, parameters, what a type inherits
    ken_str path;
    ken_str name, qualified; // "parse", "Parser.parse"
    ken_symbol_kind kind;
    ken_visibility visibility;
    uint32_t first_line, last_line; // 0-based, inclusive
    uint16_t complexity;            // of callables
    uint8_t min_params, max_params; // without self; 255 = 255 or more
    bool is_inside;                 // of a function: nothing outside can name it
    bool has_doc, is_exported, is_test;
} ken_definition_fact;

typedef bool ken_definition_filter_fn(void *ctx, const ken_definition_fact *d);

typedef struct ken_definitions_query {
    ken_facts_scope scope;
    uint32_t kinds;                  // 1 << ken_symbol_kind; 0 = all
    ken_definition_filter_fn *keeps; // NULL = all; names are the file's then
    void *ctx;
} ken_definitions_query;

typedef struct ken_definitions {
    ken_definition_fact *items; // by path, then by place
    size_t n;
    uint32_t n_files; // examined
    size_t n_seen;    // definitions of these kinds, kept or not
} ken_definitions;

ken_status ken_list_definitions(ken_snapshot *s, const ken_definitions_query *q,
                                const ken_cancel *cancel, ken_arena *arena, ken_definitions *out,
                                ken_err *err) KEN_MUST_USE;

// Names that other files can import of one, each once: exported definitions that are no members,
// keys of `module.exports = { … }`, what is exported again. At most `limit`.
ken_status ken_list_exports(ken_snapshot *s, ken_str path, size_t limit, ken_arena *arena,
                            ken_str **out, size_t *out_n, ken_err *err) KEN_MUST_USE;

// ---- calls -------------------------------------------------------------------------------------
typedef struct ken_call_fact {
    ken_fact_place at; // of the last name
    ken_str name;      // as written: "req.db.query"
    ken_ref_role role;
    ken_edge_class class;
    bool is_member;           // of a value: "query" of "f().query"
    ken_graph_def to;         // file UINT32_MAX: external or unresolved
    ken_str to_path, to_name; // of what it leads to, qualified; empty when that is not in the tree
} ken_call_fact;

typedef struct ken_part_calls {
    ken_call_fact *items; // in the order of the source, decorators first
    size_t n;
} ken_part_calls;

// The references within each part in one of some roles (1 << ken_ref_role); *out has n. Parts of one
// file side by side are quickest.
ken_status ken_list_names(ken_snapshot *s, const ken_code_part *parts, size_t n, uint32_t roles,
                          const ken_cancel *cancel, ken_arena *arena, ken_part_calls **out,
                          ken_err *err) KEN_MUST_USE;
// The calls within each part: roles call, new and decorate.
ken_status ken_list_calls(ken_snapshot *s, const ken_code_part *parts, size_t n,
                          const ken_cancel *cancel, ken_arena *arena, ken_part_calls **out,
                          ken_err *err) KEN_MUST_USE;

// ---- handlers ----------------------------------------------------------------------------------
// A guard: code that runs before a handler.
typedef enum ken_guard_kind {
    KEN_GUARD_NONE = 0,
    KEN_GUARD_DECORATOR, // of the handler or of the type around it, or what its parameters inject
    KEN_GUARD_ARGUMENT,  // between the path and the handler
    KEN_GUARD_ROUTER, // `router.use(…)` before the route, its group, where its router is mounted
} ken_guard_kind;

typedef struct ken_guard {
    ken_guard_kind kind;
    ken_str path; // of the file with it
    ken_fact_place at;
    ken_str name;             // as written, without arguments: "auth.required"
    ken_str to_path, to_name; // of what it leads to; empty when that is not in the tree
    bool is_inside;           // of a function that is written there
} ken_guard;

typedef struct ken_handler_fact {
    ken_route route;
    ken_str name, path;             // of the handler; the name is empty when it has none
    uint32_t first_line, last_line; // of the handler, 0-based
    ken_code_part body;             // file UINT32_MAX: it is not known what handles the route
    ken_code_part signature;        // empty when the handler is no definition of its own
    ken_guard *guards;              // in the order in which they run
    size_t n_guards;
    bool is_test;
} ken_handler_fact;

// Routes (no events) in files in scope, with their guards, by file.
ken_status ken_list_handlers(ken_snapshot *s, const ken_facts_scope *scope,
                             const ken_cancel *cancel, ken_arena *arena, ken_handler_fact **out,
                             size_t *out_n, ken_err *err) KEN_MUST_USE;

// ---- uses of names -----------------------------------------------------------------------------
typedef struct ken_name_use {
    ken_str path;
    ken_fact_place at;
    uint32_t name;   // number of the wanted name
    ken_str written; // "cp.exec"
    ken_ref_role role;
    ken_edge_class class;
    bool is_test;
} ken_name_use;

// Names as they are seen from outside of a file, whatever it calls them: `strcpy`, `os.system`,
// `console.log`, `Database.raw`; `.unwrap` is a member of anything; `src/db/raw.py:connect` is what
// that file defines. A place may be there for several names. A bare name is not a member, and not
// what the file itself defines.
typedef struct ken_name_uses {
    ken_name_use *items; // by path, then by place; imports of a name are uses
    size_t n;
    uint32_t n_files; // examined: those in scope with the name
} ken_name_uses;

enum {
    KEN_NAMES_MAX = 1000 // of one list
};

// KEN_EINVAL names the one that is no name.
ken_status ken_names_check(const ken_str_list *names, ken_err *err) KEN_MUST_USE;
ken_status ken_list_name_uses(ken_snapshot *s, const ken_facts_scope *scope,
                              const ken_str_list *names, const ken_cancel *cancel, ken_arena *arena,
                              ken_name_uses *out, ken_err *err) KEN_MUST_USE;

#endif
