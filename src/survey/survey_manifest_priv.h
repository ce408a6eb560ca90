// SPDX-License-Identifier: MIT
// survey_manifest_priv.h -- what a manifest says a folder depends on.
#ifndef KEN_SURVEY_SURVEY_MANIFEST_PRIV_H
#define KEN_SURVEY_SURVEY_MANIFEST_PRIV_H

#include "base/arena.h"
#include "base/vec.h"

typedef enum manifest_kind {
    MANIFEST_NONE = 0,
    MANIFEST_NPM,
    MANIFEST_PYTHON,
    MANIFEST_GO,
    MANIFEST_CARGO,
    MANIFEST_JVM,
    MANIFEST_DOTNET,
    MANIFEST_RUBY,
    MANIFEST_PHP,
    MANIFEST_ELIXIR,
} manifest_kind;

typedef struct manifest_dep {
    ken_str name; // lower case, but of npm and Go as written
    bool is_dev;
} manifest_dep;

typedef struct manifest {
    manifest_kind kind;
    KEN_VEC(manifest_dep) deps;
} manifest;

// By the base name of a file.
manifest_kind manifest_kind_of(ken_str path);
// Never fails: what it does not understand names nothing. Names live in the arena.
void manifest_read(manifest *m, ken_str path, ken_str text, ken_arena *arena);
void manifest_release(manifest *m);
// The dependency of that name; one that ends in '*' is a prefix. NULL = none.
const manifest_dep *manifest_find(const manifest *m, const char *name);

#endif
