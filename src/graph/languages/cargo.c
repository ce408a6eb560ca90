// SPDX-License-Identifier: MIT
// Cargo.toml: packages, their libraries, what they depend on and under which name.
#include "base/path.h"
#include "graph/languages/rust_priv.h"
#include "manifest/manifest_text.h"

enum {
    DEP_LINES_MAX = 2000, // of one manifest; dependencies are looked through one by one
};

// `serde-json` is `serde_json` in code.
static ken_str crate_name(ken_modules *m, ken_str name)
{
    ken_str out = ken_arena_dup(&m->arena, name);
    char *p = ken_arena_alloc(&m->arena, name.len + 1);
    for (size_t i = 0; i < name.len; i++)
        p[i] = out.ptr[i] == '-' ? '_' : out.ptr[i];
    return ken_str_n(p, name.len);
}

static ken_str folder_path(ken_modules *m, ken_str dir, ken_str path)
{
    ken_str whole = ken_modules__join(m, dir, path);
    return whole.ptr ? ken_arena_dup(&m->arena, whole) : whole;
}

// ---- dependencies ------------------------------------------------------------------------------
static cargo_dep *dep_of(ken_modules *m, cargo_package *p, cargo_dep **list, ken_str name)
{
    if (p->n_dep_lines++ >= DEP_LINES_MAX)
        return KEN_ARENA_NEW(&m->scratch, cargo_dep); // which nobody sees
    name = crate_name(m, name);
    for (cargo_dep *d = *list; d; d = d->next)
        if (ken_str_eq(d->name, name))
            return d;
    cargo_dep *d = KEN_ARENA_NEW(&m->arena, cargo_dep);
    *d = (cargo_dep){ .name = name, .package = name, .next = *list };
    return *list = d;
}

static void dep_say(ken_modules *m, const cargo_package *p, cargo_dep *d, ken_str key, ken_str text)
{
    if (ken_str_eq(key, KEN_STR("package")) && text.len)
        d->package = crate_name(m, text);
    else if (ken_str_eq(key, KEN_STR("path")))
        d->path = folder_path(m, p->dir, text);
    else if (ken_str_eq(key, KEN_STR("workspace")))
        d->is_shared = true;
}

// `name = "1"`, `name = { … }`, `name.key = …` in a table of dependencies.
static void read_dep(ken_modules *m, cargo_package *p, cargo_dep **list, const ken_manifest_toml *t)
{
    size_t dot = ken_str_find_char(t->key, '.');
    cargo_dep *d = dep_of(m, p, list, ken_str_sub(t->key, 0, dot));
    if (dot != SIZE_MAX) {
        dep_say(m, p, d, ken_str_sub(t->key, dot + 1, t->key.len),
                ken_manifest_toml_string(t->value));
        return;
    }
    ken_str path = ken_manifest_toml_member(t->value, "path");
    ken_str package = ken_manifest_toml_member(t->value, "package");
    if (path.len)
        dep_say(m, p, d, KEN_STR("path"), path);
    dep_say(m, p, d, KEN_STR("package"), package);
    d->is_shared |= ken_manifest_behind(t->value, "workspace").ptr != NULL;
}

// Tables whose last or next to last part ends with "dependencies".
static bool read_dep_table(ken_modules *m, cargo_package *p, const ken_manifest_toml *t)
{
    bool is_shared = ken_str_starts(t->table, KEN_STR("workspace."));
    cargo_dep **list = is_shared ? &p->shared : &p->deps;
    if (ken_str_ends(t->table, KEN_STR("dependencies"))) {
        read_dep(m, p, list, t);
        return true;
    }
    size_t dot = ken_str_rfind_char(t->table, '.');
    if (dot == SIZE_MAX || !ken_str_ends(ken_str_sub(t->table, 0, dot), KEN_STR("dependencies")))
        return false;
    cargo_dep *d = dep_of(m, p, list, ken_str_sub(t->table, dot + 1, t->table.len));
    dep_say(m, p, d, t->key, ken_manifest_toml_string(t->value));
    return true;
}

// ---- packages ----------------------------------------------------------------------------------
static void read_key(ken_modules *m, cargo *c, cargo_package *p, const ken_manifest_toml *t)
{
    ken_str text = ken_manifest_toml_string(t->value);
    if (read_dep_table(m, p, t))
        return;
    if (ken_str_eq(t->table, KEN_STR("package"))) {
        if (ken_str_eq(t->key, KEN_STR("name")))
            p->name = crate_name(m, text);
        else if (ken_str_starts(t->key, KEN_STR("edition")))
            p->is_2015 = ken_str_eq(text, KEN_STR("2015"));
        return;
    }
    bool is_lib = ken_str_eq(t->table, KEN_STR("lib"));
    if (is_lib && ken_str_eq(t->key, KEN_STR("name")))
        p->crate = crate_name(m, text);
    if (!ken_str_eq(t->key, KEN_STR("path")))
        return;
    uint32_t root = ken_modules__at(m, p->dir, text);
    if (root == MODULE_NONE)
        return;
    ken_map_put(c->roots, m->tree->paths[root], 1, NULL);
    ken_map_put(c->root_in, ken_modules__dir(m, root), root, NULL);
    if (is_lib)
        p->lib = root;
}

static void read_package(ken_modules *m, void *ctx, uint32_t file)
{
    cargo *c = ctx;
    cargo_package *p = &c->packages[c->n_packages];
    *p = (cargo_package){ .dir = ken_modules__dir(m, file), .lib = MODULE_NONE, .is_2015 = true };
    p->next_same = MODULE_NONE;
    ken_manifest_toml t = { .rest = ken_modules__read(m, file) };
    while (ken_manifest_toml_next(&t))
        read_key(m, c, p, &t);
    if (p->lib == MODULE_NONE)
        p->lib = ken_modules__at(m, p->dir, KEN_STR("src/lib.rs"));
    if (!p->crate.len)
        p->crate = p->name;
    ken_map_put(c->by_dir, p->dir, c->n_packages, NULL);
    bool is_new;
    uint64_t *first = ken_map_put(c->by_name, p->name, c->n_packages, &is_new);
    if (!is_new) {
        p->next_same = (uint32_t)*first;
        *first = c->n_packages;
    }
    c->n_packages++;
}

cargo *ken_modules__cargo_new(ken_modules *m)
{
    cargo *c = KEN_ARENA_NEW(&m->arena, cargo);
    c->by_dir = ken_modules__map(m);
    c->by_name = ken_modules__map(m);
    c->roots = ken_modules__map(m);
    c->root_in = ken_modules__map(m);
    size_t n = ken_modules__each(m, KEN_STR("Cargo.toml"), NULL, NULL);
    c->packages = KEN_ARENA_ARRAY(&m->arena, cargo_package, n + 1);
    ken_modules__each(m, KEN_STR("Cargo.toml"), read_package, c);
    return c;
}

// ---- looking up --------------------------------------------------------------------------------
const cargo_package *ken_modules__cargo_of(const cargo *c, ken_str dir)
{
    for (;; dir = ken_path_dir(dir)) {
        const uint64_t *at = ken_map_find(c->by_dir, dir);
        if (at && c->packages[*at].name.len)
            return &c->packages[*at];
        if (!dir.len)
            return NULL;
    }
}

static const cargo_dep *find_dep(const cargo_dep *list, ken_str name)
{
    while (list && !ken_str_eq(list->name, name))
        list = list->next;
    return list;
}

// What the workspace around says of a dependency that the package leaves to it.
static const cargo_dep *shared_dep(const cargo *c, ken_str dir, const cargo_dep *d)
{
    for (;; dir = ken_path_dir(dir)) {
        const uint64_t *at = ken_map_find(c->by_dir, dir);
        const cargo_dep *shared = at ? find_dep(c->packages[*at].shared, d->name) : NULL;
        if (shared || !dir.len)
            return shared ? shared : d;
    }
}

// The nearest package of that name, NULL when there is none.
static const cargo_package *package_named(const cargo *c, ken_str name, ken_str here)
{
    const cargo_package *best = NULL;
    uint32_t best_shared = 0;
    const uint64_t *first = name.len ? ken_map_find(c->by_name, name) : NULL;
    for (uint32_t at = first ? (uint32_t)*first : MODULE_NONE; at != MODULE_NONE;) {
        const cargo_package *p = &c->packages[at];
        uint32_t n_shared = ken_modules__shared_folders(p->dir, here);
        if (!best || n_shared > best_shared) {
            best = p;
            best_shared = n_shared;
        }
        at = p->next_same;
    }
    return best;
}

static const cargo_package *package_of_dep(const cargo *c, const cargo_dep *d, ken_str here)
{
    if (!d->path.ptr)
        return package_named(c, d->package, here);
    const uint64_t *at = ken_map_find(c->by_dir, d->path);
    return at ? &c->packages[*at] : NULL;
}

uint32_t ken_modules__cargo_crate(const cargo *c, const cargo_package *from, ken_str crate,
                                  bool *out_is_known)
{
    *out_is_known = true;
    if (from && ken_str_eq(from->crate, crate) && from->lib != MODULE_NONE)
        return from->lib;
    const cargo_package *found;
    const cargo_dep *d = from ? find_dep(from->deps, crate) : NULL;
    if (d) {
        if (d->is_shared)
            d = shared_dep(c, from->dir, d);
        found = package_of_dep(c, d, from->dir);
    } else {
        *out_is_known = false;
        found = package_named(c, crate, from ? from->dir : KEN_STR(""));
    }
    return found ? found->lib : MODULE_NONE;
}

// A path below the package's folder that Cargo takes for a root: src/bin/x.rs, tests/x/main.rs, …
static bool is_root_path(ken_str path)
{
    static const char *const folders[] = { "src/bin/", "tests/", "examples/", "benches/" };
    static const char *const files[] = { "src/lib.rs", "src/main.rs", "build.rs" };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (ken_str_eq_c(path, files[i]))
            return true;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        ken_str folder = ken_str_c(folders[i]);
        if (!ken_str_starts(path, folder))
            continue;
        ken_str rest = ken_str_sub(path, folder.len, path.len);
        size_t slash = ken_str_find_char(rest, '/');
        return slash == SIZE_MAX ||
               ken_str_eq(ken_str_sub(rest, slash + 1, rest.len), KEN_STR("main.rs"));
    }
    return false;
}

bool ken_modules__cargo_is_root(const ken_modules *m, const cargo *c, const cargo_package *p,
                                uint32_t file)
{
    ken_str path = m->tree->paths[file];
    if (ken_map_find(c->roots, path))
        return true;
    if (p)
        return is_root_path(p->dir.len ? ken_path_relative(p->dir, path) : path);
    ken_str base = ken_path_base(path);
    return ken_str_eq(base, KEN_STR("lib.rs")) || ken_str_eq(base, KEN_STR("main.rs"));
}
