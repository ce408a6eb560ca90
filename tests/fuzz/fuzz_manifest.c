// SPDX-License-Identifier: MIT
// fuzz_manifest -- the first byte picks the name of a manifest, the rest is its text. Whatever the
// text: names are not empty, and what is there is found.
#include <stdint.h>

#include "base/assert.h"
#include "manifest/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const paths[] = {
    "package.json", "web/package.json", "requirements.txt", "pyproject.toml", "setup.py",
    "setup.cfg",    "Pipfile",          "go.mod",           "Cargo.toml",     "pom.xml",
    "build.gradle", "build.gradle.kts", "app.csproj",       "Gemfile",        "composer.json",
    "mix.exs",      "a.gemspec",        "README.md",
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    ken_str path = ken_str_c(paths[data[0] % (sizeof paths / sizeof *paths)]);
    ken_str text = ken_str_n((const char *)data + 1, size - 1);
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_manifest m = { .kind = ken_manifest_kind_of(path) };
    ken_manifest_read(&m, path, text, &arena);
    for (size_t i = 0; i < m.deps.len; i++) {
        const ken_manifest_dep *d = &m.deps.ptr[i];
        KEN_ASSERT(d->name.len > 0);
        const char *name = ken_arena_dup(&arena, d->name).ptr;
        if (!memchr(name, '\0', d->name.len) && name[d->name.len - 1] != '*')
            KEN_ASSERT(ken_manifest_find(&m, name));
    }
    ken_manifest_release(&m);
    ken_arena_release(&arena);
    return 0;
}
