// SPDX-License-Identifier: MIT
// manifest.h -- the dependencies that a manifest declares. The formats are read by manifest_text.h, which
// also serves readers of paths and names in manifests.
//
// Ownership: names live in the arena given; a list is its owner's, released by
// ken_manifest_release. Threads: pure. Nothing fails.
#ifndef KEN_MANIFEST_MANIFEST_H
#define KEN_MANIFEST_MANIFEST_H

#include "base/arena.h"
#include "base/vec.h"

typedef enum ken_manifest_kind {
    KEN_MANIFEST_NONE = 0,
    KEN_MANIFEST_NPM,
    KEN_MANIFEST_PYTHON,
    KEN_MANIFEST_GO,
    KEN_MANIFEST_CARGO,
    KEN_MANIFEST_JVM,
    KEN_MANIFEST_DOTNET,
    KEN_MANIFEST_RUBY,
    KEN_MANIFEST_PHP,
    KEN_MANIFEST_ELIXIR,
} ken_manifest_kind;

typedef struct ken_manifest_dep {
    ken_str name; // lower case, but of npm and Go as written
    bool is_dev;
} ken_manifest_dep;

typedef struct ken_manifest {
    ken_manifest_kind kind;
    KEN_VEC(ken_manifest_dep) deps;
} ken_manifest;

// By the base name of a file.
ken_manifest_kind ken_manifest_kind_of(ken_str path);
// Never fails: what it does not understand names nothing. Names live in the arena.
void ken_manifest_read(ken_manifest *m, ken_str path, ken_str text, ken_arena *arena);
void ken_manifest_release(ken_manifest *m);
// The dependency of that name; one that ends in '*' is a prefix. NULL = none.
const ken_manifest_dep *ken_manifest_find(const ken_manifest *m, const char *name);

#endif
