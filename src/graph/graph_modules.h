// SPDX-License-Identifier: MIT
// graph_modules.h -- what an import names: from the text of a module to files of the tree.
//
// Each language has its rules (languages/<driver>.c): C's include directories, Go's modules,
// Rust's crates, Java's packages. They read the manifests of the tree (go.mod, Cargo.toml, …), once
// and only when a file of the language asks. Answers are remembered, so asking again costs a look.
// Manifests and paths are hostile: what leads out of the tree is external, what contradicts itself
// or goes in circles is unknown.
//
// Ownership: the tree is borrowed and outlives the modules; answers live as long as the modules.
// Threads: one at a time. Errors: none; what cannot be known is KEN_MODULE_UNKNOWN.
#ifndef KEN_GRAPH_GRAPH_MODULES_H
#define KEN_GRAPH_GRAPH_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attr.h"
#include "base/roots.h"
#include "base/str.h"

// What the resolver may ask of the tree.
typedef struct ken_tree {
    void *ctx;             // for the functions
    const ken_str *paths;  // relative, sorted by bytes
    const uint16_t *langs; // ken_lang_id of each
    uint32_t n_files;
    // The text of a manifest, at most 1 MiB, or empty; in the arena.
    ken_str (*read)(void *ctx, uint32_t file, ken_arena *arena);
    // The package or namespace that a file declares (ken_refs.package), may be empty; it lives as
    // long as the tree.
    ken_str (*package)(void *ctx, uint32_t file);
    const ken_roots *roots; // the further ones; NULL = none
} ken_tree;

typedef struct ken_modules ken_modules;

ken_modules *ken_modules_new(const ken_tree *tree) KEN_MUST_USE; // borrows it
void ken_modules_free(ken_modules *m);
size_t ken_modules_bytes(const ken_modules *m); // memory in use

typedef enum ken_module_kind {
    KEN_MODULE_UNKNOWN = 0, // in the tree or not, there is no telling
    KEN_MODULE_FILES,
    KEN_MODULE_EXTERNAL, // the standard library, a package, a place outside the tree
} ken_module_kind;

typedef struct ken_module_ask {
    uint32_t file;  // that says it
    ken_str module; // as written, without quotes (ken_bind.module); at most 1000 bytes
    // Not empty: the module `name` inside `module`, for imports of a name that may be a file itself
    // (`from a import b`, `use a::b`). Ask without it first, look for the name, then ask with it.
    ken_str name;
    ken_str within; // Rust: inline modules around the place, outermost first: "tests::unix"
    uint8_t flags;  // ken_bind_flag
} ken_module_ask;

typedef struct ken_module {
    ken_module_kind kind;
    // Found by the end of a path, or by a convention, not by a rule. Of what is external: a file of
    // the tree is called so, too.
    bool is_guess;
    const uint32_t
        *files; // one file, all of a package, or none of a Python package that is a folder
    uint32_t n_files;
    // What of the module's text is no file but a name inside the files, in the language's own
    // notation: `Outer.Inner` of a Java import, `imp::Thing` of a Rust path.
    ken_str rest;
    const char *why; // static: the rule that decided, or what was missing
} ken_module;

void ken_modules_resolve(ken_modules *m, const ken_module_ask *ask, ken_module *out);

// The files whose names `file` sees without any import, itself included: Go's and Java's package,
// Swift's module, C#'s namespace and those around it; of other languages only the file.
void ken_modules_around(ken_modules *m, uint32_t file, ken_module *out);

// Whether file `declares` says what `source` beside it is: x.d.ts and x.js.
bool ken_modules_declares(ken_str declares, ken_str source);

#endif
