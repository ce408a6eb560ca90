// SPDX-License-Identifier: MIT
// Rust: a path through the tree of modules, as far as modules are files.
//
// A place in that tree is a file and the inline modules inside it. The first part of a path says
// where to begin: `crate`, `self`, `super`, a module beside, a crate of Cargo.toml. Each further
// part goes down to `x.rs` or `x/mod.rs`, or to the file that a `#[path]` names; what is left when
// that ends is the answer's rest. Which file is above a file follows from the paths alone.
#include "base/path.h"
#include "graph/languages/rust_priv.h"
#include "manifest/manifest_text.h"

enum {
    PARTS_MAX = 64, // of one path
};

typedef struct rust_state {
    cargo *cargo;
    ken_map *seen;    // path of a file -> 1 when its #[path]s were looked for
    ken_map *by_path; // "file\0module" -> 1 + the file that a #[path] names
} rust_state;

typedef struct rust_place {
    uint32_t file;
    ken_str within; // inline modules: "a::b"
} rust_place;

static rust_state *state_of(ken_modules *m)
{
    rust_state *s = m->state[KEN_LANG_RUST];
    if (s)
        return s;
    s = m->state[KEN_LANG_RUST] = KEN_ARENA_NEW(&m->arena, rust_state);
    s->cargo = ken_modules__cargo_new(m);
    s->seen = ken_modules__map(m);
    s->by_path = ken_modules__map(m);
    return s;
}

static const cargo_package *package_of(const ken_modules *m, const rust_state *s, uint32_t file)
{
    return ken_modules__cargo_of(s->cargo, ken_modules__dir(m, file));
}

static bool is_root(const ken_modules *m, const rust_state *s, uint32_t file)
{
    return ken_modules__cargo_is_root(m, s->cargo, package_of(m, s, file), file);
}

// ---- down --------------------------------------------------------------------------------------
// The folder in which the modules of a file are files.
static ken_str child_dir(ken_modules *m, const rust_state *s, uint32_t file)
{
    ken_str path = m->tree->paths[file], dir = ken_path_dir(path), stem = ken_path_stem(path);
    if (ken_str_eq(stem, KEN_STR("mod")) || is_root(m, s, file))
        return dir;
    return ken_path_join(&m->scratch, dir, stem);
}

static ken_str path_key(ken_modules *m, uint32_t file, ken_str name)
{
    return ken_arena_printf(&m->scratch, "%u:" KEN_STR_FMT, (unsigned)file, KEN_STR_ARG(name));
}

// `#[path = "x.rs"] mod name;` with attributes between the two.
static void note_path(ken_modules *m, rust_state *s, uint32_t file, ken_str *rest)
{
    ken_str path, word = KEN_STR("");
    if (!ken_manifest_quoted_next(rest, &path))
        return;
    ken_str behind = ken_str_sub(*rest, 0, 400);
    while (ken_manifest_word_next(&behind, "]", &word) && !ken_str_eq(word, KEN_STR("mod")))
        if (ken_str_find_char(word, ';') != SIZE_MAX || ken_str_find_char(word, '{') != SIZE_MAX)
            return;
    uint32_t target = ken_modules__at(m, ken_modules__dir(m, file), path);
    if (ken_manifest_word_next(&behind, ";{", &word) && target != MODULE_NONE)
        ken_map_put(s->by_path, path_key(m, file, word), (uint64_t)target + 1, NULL);
}

// Reads the file's #[path]s, once.
static void note_paths(ken_modules *m, rust_state *s, uint32_t file)
{
    bool is_new;
    ken_map_put(s->seen, m->tree->paths[file], 1, &is_new);
    if (!is_new)
        return;
    ken_str rest = ken_modules__peek(m, file);
    for (;;) {
        rest = ken_manifest_behind(rest, "#[path");
        if (!rest.ptr)
            return;
        note_path(m, s, file, &rest);
    }
}

// Modules are written in small letters; what is not needs no look into the file.
static bool may_be_module(ken_str name)
{
    return name.len && !ken_is_upper(name.ptr[0]) && name.ptr[0] != '*';
}

// The file of module `name` at a place by the rules of names, MODULE_NONE when it is none.
static uint32_t file_of(ken_modules *m, const rust_state *s, const rust_place *at, ken_str name)
{
    if (!may_be_module(name))
        return MODULE_NONE;
    ken_str inside = ken_modules__slashes(m, at->within, KEN_STR("::"));
    ken_str dir = child_dir(m, s, at->file);
    ken_str file[] = { inside, inside.len ? KEN_STR("/") : inside, name, KEN_STR(".rs") };
    uint32_t found = ken_modules__at(m, dir, ken_modules__cat(m, file, 4));
    file[3] = KEN_STR("/mod.rs");
    if (found == MODULE_NONE)
        found = ken_modules__at(m, dir, ken_modules__cat(m, file, 4));
    return found == at->file ? MODULE_NONE : found;
}

// The same, or the file that a #[path] names, which takes a look into the file.
static uint32_t child_of(ken_modules *m, rust_state *s, const rust_place *at, ken_str name)
{
    uint32_t found = file_of(m, s, at, name);
    if (found != MODULE_NONE || at->within.len || !may_be_module(name))
        return found;
    note_paths(m, s, at->file);
    const uint64_t *by_path = ken_map_find(s->by_path, path_key(m, at->file, name));
    return by_path ? (uint32_t)(*by_path - 1) : MODULE_NONE;
}

// ---- up ----------------------------------------------------------------------------------------
// src/bin/x/… and tests/x/… are crates of their own with x/main.rs or x.rs as root.
static uint32_t root_of_target(ken_modules *m, const cargo_package *p, ken_str path)
{
    static const char *const folders[] = { "src/bin", "tests", "examples", "benches" };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        ken_str folder = ken_path_join(&m->scratch, p->dir, ken_str_c(folders[i]));
        ken_str rest = ken_path_relative(folder, path), name;
        if (!rest.len || !ken_str_split_next(&rest, '/', &name) || !rest.ptr)
            continue;
        uint32_t root =
            ken_modules__at(m, ken_path_join(&m->scratch, folder, name), KEN_STR("main.rs"));
        if (root != MODULE_NONE)
            return root;
        return ken_modules__at(m, folder,
                               ken_arena_printf(&m->scratch, KEN_STR_FMT ".rs", KEN_STR_ARG(name)));
    }
    return MODULE_NONE;
}

static uint32_t root_in(ken_modules *m, const rust_state *s, ken_str dir)
{
    static const char *const names[] = { "lib.rs", "main.rs" };
    const uint64_t *said = ken_map_find(s->cargo->root_in, dir);
    if (said)
        return (uint32_t)*said;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint32_t file = ken_modules__at(m, dir, ken_str_c(names[i]));
        if (file != MODULE_NONE && is_root(m, s, file))
            return file;
    }
    return MODULE_NONE;
}

// The first root of a crate in the folders from `dir` upwards to `top`.
static uint32_t root_above(ken_modules *m, const rust_state *s, ken_str dir, ken_str top)
{
    for (;; dir = ken_path_dir(dir)) {
        uint32_t root = root_in(m, s, dir);
        if (root != MODULE_NONE || dir.len <= top.len)
            return root;
    }
}

static uint32_t root_of(ken_modules *m, const rust_state *s, uint32_t file)
{
    if (is_root(m, s, file))
        return file;
    const cargo_package *p = package_of(m, s, file);
    ken_str path = m->tree->paths[file];
    uint32_t root = p ? root_of_target(m, p, path) : MODULE_NONE;
    if (root != MODULE_NONE)
        return root;
    bool is_of_lib = p && p->lib != MODULE_NONE &&
                     ken_path_is_under(ken_modules__dir(m, p->lib), ken_path_dir(path));
    return is_of_lib ? p->lib : root_above(m, s, ken_path_dir(path), p ? p->dir : KEN_STR(""));
}

// The file whose module holds that of `file`, MODULE_NONE when there is none.
static uint32_t parent_of(ken_modules *m, const rust_state *s, uint32_t file)
{
    ken_str path = m->tree->paths[file], dir = ken_path_dir(path);
    if (is_root(m, s, file))
        return MODULE_NONE;
    if (ken_str_eq(ken_path_base(path), KEN_STR("mod.rs")))
        dir = ken_path_dir(dir);
    uint32_t root = root_of(m, s, file);
    if (root != MODULE_NONE && ken_str_eq(ken_modules__dir(m, root), dir))
        return root;
    uint32_t parent = ken_modules__at(m, dir, KEN_STR("mod.rs"));
    if (parent == MODULE_NONE && dir.len)
        parent = ken_modules__file(
            m, ken_arena_printf(&m->scratch, KEN_STR_FMT ".rs", KEN_STR_ARG(dir)));
    return parent == file ? MODULE_NONE : parent;
}

// One `super`; false at the top.
static bool go_up(ken_modules *m, const rust_state *s, rust_place *at)
{
    if (at->within.len) {
        size_t last = ken_str_rfind_char(at->within, ':');
        at->within = ken_str_sub(at->within, 0, last == SIZE_MAX ? 0 : last - 1);
        return true;
    }
    at->file = parent_of(m, s, at->file);
    return at->file != MODULE_NONE;
}

// ---- paths -------------------------------------------------------------------------------------
// Takes the part before "::" off the front.
static bool part_next(ken_str *rest, ken_str *out)
{
    if (!rest->len)
        return false;
    size_t at = ken_str_find(*rest, KEN_STR("::"));
    *out = ken_str_trim(ken_str_sub(*rest, 0, at));
    if (ken_str_starts(*out, KEN_STR("r#")))
        *out = ken_str_sub(*out, 2, out->len);
    *rest = at == SIZE_MAX ? KEN_STR("") : ken_str_sub(*rest, at + 2, rest->len);
    return true;
}

static ken_str join_parts(ken_modules *m, ken_str a, ken_str b)
{
    if (!a.len || !b.len)
        return a.len ? a : b;
    return ken_modules__cat(m, (ken_str[]){ a, KEN_STR("::"), b }, 3);
}

// Goes down from a place as far as modules are files. What is no file may be an inline module, in
// whose folder a file comes next.
static void walk(ken_modules *m, rust_state *s, rust_place at, ken_str path, const char *why,
                 ken_module *out)
{
    rust_place next = at;
    ken_str rest = path, part;
    for (int i = 0; i < PARTS_MAX && part_next(&rest, &part) && may_be_module(part); i++) {
        uint32_t child = child_of(m, s, &next, part);
        if (child == MODULE_NONE) {
            next.within = join_parts(m, next.within, part);
            continue;
        }
        next = at = (rust_place){ child, KEN_STR("") };
        path = rest;
    }
    ken_modules__one(m, out, at.file, why);
    out->rest = join_parts(m, at.within, path);
}

static bool is_standard(ken_str crate)
{
    static const char *const names[] = { "std", "core", "alloc", "proc_macro", "test" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ken_str_eq_c(crate, names[i]))
            return true;
    return false;
}

// A path that begins with the name of a crate; false when there is no such crate.
static bool walk_crate(ken_modules *m, rust_state *s, uint32_t from, ken_str path, ken_module *out)
{
    bool is_known;
    ken_str crate, rest = path;
    if (!part_next(&rest, &crate))
        return false;
    const cargo_package *p = package_of(m, s, from);
    uint32_t root = ken_modules__cargo_crate(s->cargo, p, crate, &is_known);
    if (root != MODULE_NONE && (is_known || !p)) {
        walk(m, s, (rust_place){ root, KEN_STR("") }, rest, "a crate of the tree", out);
        out->is_guess = !is_known;
        return true;
    }
    if (!is_known && !is_standard(crate))
        return false;
    ken_modules__external(out,
                          is_known ? "a crate that is not in the tree" : "the standard library");
    return true;
}

// A path without a prefix: a module beside, a crate, else a name that the place can see.
static void walk_plain(ken_modules *m, rust_state *s, rust_place at, ken_str path, ken_module *out)
{
    ken_str rest = path, first = KEN_STR("");
    (void)part_next(&rest, &first);
    const cargo_package *p = package_of(m, s, at.file);
    uint32_t root = p && p->is_2015 ? root_of(m, s, at.file) : MODULE_NONE;
    rust_place top = { root, KEN_STR("") };
    if (file_of(m, s, &at, first) != MODULE_NONE)
        walk(m, s, at, path, "a module beside", out);
    else if (root != MODULE_NONE && file_of(m, s, &top, first) != MODULE_NONE)
        walk(m, s, top, path, "a module of the crate", out);
    else if (!walk_crate(m, s, at.file, path, out))
        walk(m, s, at, path, "a name that the file can see", out);
}

static void walk_up(ken_modules *m, rust_state *s, rust_place at, ken_str path, ken_module *out)
{
    ken_str rest = path, part;
    while (part_next(&rest, &part) && ken_str_eq(part, KEN_STR("super"))) {
        if (!go_up(m, s, &at)) {
            ken_modules__unknown(out, "no module above");
            return;
        }
        path = rest;
    }
    walk(m, s, at, path, "relative to the module", out);
}

void ken_graph__rust_resolve(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    rust_state *s = state_of(m);
    ken_str path = join_parts(m, ask->module, ask->name), rest = path, first = KEN_STR("");
    rust_place at = { ask->file, ask->within };
    (void)part_next(&rest, &first);
    if (ken_str_eq(first, KEN_STR("crate")) || ken_str_eq(first, KEN_STR("$crate"))) {
        uint32_t root = root_of(m, s, ask->file);
        if (root == MODULE_NONE)
            ken_modules__unknown(out, "no root of the crate");
        else
            walk(m, s, (rust_place){ root, KEN_STR("") }, rest, "from the crate's root", out);
    } else if (ken_str_eq(first, KEN_STR("self"))) {
        walk_up(m, s, at, rest, out);
    } else if (ken_str_eq(first, KEN_STR("super"))) {
        walk_up(m, s, at, path, out);
    } else if (first.len) {
        walk_plain(m, s, at, path, out);
    } else if (!walk_crate(m, s, ask->file, rest, out)) { // `::name`
        ken_modules__unknown(out, "no crate of that name");
    }
}
