// SPDX-License-Identifier: MIT
// Swift: a module is a target, and all its files see each other.
//
// Targets come from the Package.swift files, read as text: name, and path or the usual folder. In a
// tree without them a module is a guess: Sources/<name>, or the outermost folder.
#include "base/path.h"
#include "graph/graph_driver_priv.h"
#include "manifest/manifest_text.h"

enum {
    TARGETS_MAX = 2000,
    CALLS_MAX = 10000,     // that look like targets, in all manifests
    CALL_BYTES_MAX = 8192, // of one target's description
};

typedef struct swift_target {
    ken_str name, dir;
    const uint32_t *files; // made when asked for
    uint32_t n_files;
} swift_target;

typedef struct swift_state {
    swift_target *targets;
    uint32_t n_targets, n_calls;
    ken_map *by_dir; // folder -> target
} swift_state;

// ---- Package.swift -----------------------------------------------------------------------------
// The text up to the parenthesis that closes the one before it.
static ken_str call_args(ken_str text)
{
    int depth = 1;
    bool is_text = false;
    text = ken_str_sub(text, 0, CALL_BYTES_MAX);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '"')
            is_text = !is_text;
        else if (c == '\\' && is_text)
            i++;
        else if (!is_text)
            depth += (c == '(') - (c == ')');
        if (!depth)
            return ken_str_sub(text, 0, i);
    }
    return text;
}

static bool is_target_call(ken_str before)
{
    static const char *const names[] = { ".target", ".executableTarget", ".testTarget",
                                         ".macro",  ".plugin",           ".systemLibrary" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ken_str_ends(before, ken_str_c(names[i])))
            return true;
    return false;
}

static ken_str argument(ken_str args, const char *label)
{
    ken_str text = ken_manifest_behind(args, label), value = KEN_STR("");
    if (text.ptr)
        (void)ken_manifest_quoted_next(&text, &value);
    return value;
}

static bool has_files(ken_modules *m, ken_str dir)
{
    module_range r = dir.ptr ? ken_modules__below(m, dir) : (module_range){ 0, 0 };
    return r.from < r.to;
}

// Where the target's files are; ptr NULL when nowhere.
static ken_str target_dir(ken_modules *m, ken_str package, ken_str name, ken_str path)
{
    static const char *const usual[] = { "Sources", "Source", "src", "srcs", "Tests", "Plugins" };
    if (path.len) {
        ken_str dir = ken_modules__join(m, package, path);
        return has_files(m, dir) ? dir : (ken_str){ 0 };
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        ken_str below = ken_path_join(&m->scratch, ken_str_c(usual[i]), name);
        ken_str dir = ken_modules__join(m, package, below);
        if (has_files(m, dir))
            return dir;
    }
    return (ken_str){ 0 };
}

static void add_target(ken_modules *m, swift_state *s, ken_str package, ken_str args)
{
    ken_str name = argument(args, "name:");
    if (!name.len || s->n_targets == TARGETS_MAX)
        return;
    ken_str dir = target_dir(m, package, name, argument(args, "path:"));
    bool is_new = false;
    if (dir.ptr)
        ken_map_put(s->by_dir, dir, s->n_targets, &is_new);
    if (is_new) // else it was named as a dependency before
        s->targets[s->n_targets++] = (swift_target){ name, ken_arena_dup(&m->arena, dir), NULL, 0 };
}

static void read_package(ken_modules *m, void *ctx, uint32_t file)
{
    swift_state *s = ctx;
    ken_str text = ken_modules__read(m, file);
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '(' && is_target_call(ken_str_sub(text, 0, i)) &&
            s->n_calls++ < CALLS_MAX)
            add_target(m, s, ken_modules__dir(m, file),
                       call_args(ken_str_sub(text, i + 1, text.len)));
}

static swift_state *state_of(ken_modules *m)
{
    swift_state *s = m->state[KEN_LANG_SWIFT];
    if (s)
        return s;
    s = m->state[KEN_LANG_SWIFT] = KEN_ARENA_NEW(&m->arena, swift_state);
    s->targets = KEN_ARENA_ARRAY(&m->arena, swift_target, TARGETS_MAX);
    s->by_dir = ken_modules__map(m);
    ken_modules__each(m, KEN_STR("Package.swift"), read_package, s);
    return s;
}

// ---- targets -----------------------------------------------------------------------------------
static uint32_t target_of(const swift_state *s, ken_str dir)
{
    for (;; dir = ken_path_dir(dir)) {
        const uint64_t *at = ken_map_find(s->by_dir, dir);
        if (at || !dir.len)
            return at ? (uint32_t)*at : MODULE_NONE;
    }
}

// The files below the target's folder that are in no target of their own.
static void fill_target(ken_modules *m, const swift_state *s, uint32_t id)
{
    swift_target *t = &s->targets[id];
    module_range r = ken_modules__below(m, t->dir);
    uint32_t *files = KEN_ARENA_ARRAY(&m->arena, uint32_t, r.to - r.from);
    for (uint32_t i = r.from; i < r.to; i++)
        if (m->tree->langs[i] == KEN_LANG_SWIFT && target_of(s, ken_modules__dir(m, i)) == id)
            files[t->n_files++] = i;
    t->files = files;
}

static void take_target(ken_modules *m, const swift_state *s, uint32_t id, ken_module *out)
{
    if (!s->targets[id].files)
        fill_target(m, s, id);
    ken_modules__many(out, s->targets[id].files, s->targets[id].n_files, "the files of a target");
}

// A folder taken for a module becomes a target, so that its files are gathered once.
static void take_folder(ken_modules *m, swift_state *s, ken_str dir, ken_module *out)
{
    uint64_t *at = s->n_targets < TARGETS_MAX ? ken_map_put(s->by_dir, dir, s->n_targets, NULL)
                                              : ken_map_find(s->by_dir, dir);
    if (!at) {
        ken_modules__unknown(out, "too many modules");
        return;
    }
    if (*at == s->n_targets)
        s->targets[s->n_targets++] = (swift_target){ .dir = ken_arena_dup(&m->arena, dir) };
    take_target(m, s, (uint32_t)*at, out);
    out->is_guess = true;
}

// Names of modules have `_` for what is neither letter nor digit.
static bool is_called(ken_str target, ken_str module)
{
    if (target.len != module.len)
        return false;
    for (size_t i = 0; i < target.len; i++)
        if (target.ptr[i] != module.ptr[i] && (ken_is_word(target.ptr[i]) || module.ptr[i] != '_'))
            return false;
    return true;
}

static uint32_t target_called(const swift_state *s, ken_str name, ken_str here)
{
    uint32_t best = MODULE_NONE, best_shared = 0;
    for (uint32_t i = 0; i < s->n_targets; i++) {
        if (!s->targets[i].name.len || !is_called(s->targets[i].name, name))
            continue;
        uint32_t n_shared = ken_modules__shared_folders(s->targets[i].dir, here);
        if (best == MODULE_NONE || n_shared > best_shared) {
            best = i;
            best_shared = n_shared;
        }
    }
    return best;
}

// `import Foo` or `import struct Foo.Bar`.
static void resolve(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    swift_state *s = state_of(m);
    ken_str text = ken_modules__dotted(m, ask), here = m->tree->paths[ask->file];
    size_t dot = ken_str_find_char(text, '.');
    ken_str name = ken_str_sub(text, 0, dot);
    uint32_t target = target_called(s, name, here);
    if (target != MODULE_NONE) {
        take_target(m, s, target, out);
    } else {
        ken_str usual = ken_path_join(&m->scratch, KEN_STR("Sources"), name);
        uint32_t folder = ken_modules__nearest_folder(m, ask->file, usual);
        if (!name.len || folder >= m->n_folders) {
            ken_modules__external(out, "a module that is not in the tree");
            return;
        }
        take_folder(m, s, m->folders[folder].path, out);
    }
    if (dot != SIZE_MAX)
        out->rest = ken_str_sub(text, dot + 1, text.len);
}

// Without a target: Sources/<name> or Tests/<name>, else the outermost folder.
static ken_str folder_of_module(ken_str dir)
{
    for (ken_str at = dir; at.len; at = ken_path_dir(at)) {
        ken_str above = ken_path_base(ken_path_dir(at));
        if (ken_str_eq(above, KEN_STR("Sources")) || ken_str_eq(above, KEN_STR("Tests")))
            return at;
    }
    return ken_str_sub(dir, 0, ken_str_find_char(dir, '/'));
}

static void resolve_around(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    swift_state *s = state_of(m);
    ken_str dir = ken_modules__dir(m, ask->file);
    uint32_t target = target_of(s, dir);
    if (target != MODULE_NONE && s->targets[target].name.len)
        take_target(m, s, target, out);
    else if (dir.len)
        take_folder(m, s, folder_of_module(dir), out);
    else
        ken_modules__one(m, out, ask->file, "the file itself");
}

const graph_driver ken_graph__driver_swift = {
    .resolve = resolve,
    .around = resolve_around,
};
