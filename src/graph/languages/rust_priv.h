// SPDX-License-Identifier: MIT
// rust_priv.h -- packages as Cargo.toml describes them (cargo.c), for the module tree
// (rust_modules.c), and that for the driver (rust.c).
#ifndef KEN_GRAPH_LANGUAGES_RUST_PRIV_H
#define KEN_GRAPH_LANGUAGES_RUST_PRIV_H

#include "graph/graph_modules_priv.h"

typedef struct cargo_dep {
    ken_str name;    // as the code calls it, with `_`
    ken_str package; // as it is really called, with `_`
    ken_str path;    // folder in the tree, ptr NULL = not said
    bool is_shared;  // `workspace = true`: the workspace says the rest
    struct cargo_dep *next;
} cargo_dep;

typedef struct cargo_package {
    ken_str dir;
    ken_str name;  // with `_`; empty: a workspace without a package
    ken_str crate; // what its library is called
    uint32_t lib;  // the library's root, MODULE_NONE = none
    bool is_2015;
    cargo_dep *deps, *shared; // shared: [workspace.dependencies]
    uint32_t n_dep_lines;
    uint32_t next_same; // another package of that name, MODULE_NONE = none
} cargo_package;

typedef struct cargo {
    cargo_package *packages;
    uint32_t n_packages;
    ken_map *by_dir, *by_name; // -> index into packages
    ken_map *roots;            // paths of crate roots that manifests name -> 1
    ken_map *root_in;          // their folders -> the first root in it
} cargo;

// Reads the manifests of the tree, into the modules' arena.
cargo *ken_modules__cargo_new(ken_modules *m);
// The package that a folder belongs to, NULL when none.
const cargo_package *ken_modules__cargo_of(const cargo *c, ken_str dir);
// The root of the library that `from` calls `crate`; MODULE_NONE when it is not in the tree.
// *out_is_known: the package, or one of its dependencies, has that name.
uint32_t ken_modules__cargo_crate(const cargo *c, const cargo_package *from, ken_str crate,
                                  bool *out_is_known);
// True when the file is the root of a crate.
bool ken_modules__cargo_is_root(const ken_modules *m, const cargo *c, const cargo_package *p,
                                uint32_t file);

module_resolve ken_graph__rust_resolve;

#endif
