// SPDX-License-Identifier: MIT
// Go: an import path is a module's path and a folder below it, whose files are one package.
//
// Modules are the go.mod files of the tree (and vendor.mod, which some projects keep in its place).
// The longest module path that an import begins with decides, as in Go: the module of the asking
// file, what its replace lines put in the tree, then the other modules, which is a guess unless a
// go.work joins the two. Then vendor/. What has no dot in its first part is the standard library.
#include "base/path.h"
#include "graph/graph_driver_priv.h"
#include "manifest/manifest_text.h"

enum {
    REPLACES_MAX = 1000, // in one go.mod; they are looked through one by one
};

typedef struct go_replace {
    ken_str path, dir; // a module path, and the folder of the tree that takes its place
    struct go_replace *next;
} go_replace;

typedef struct go_module {
    ken_str path, dir;
    go_replace *replaces;
    uint64_t work;      // 1 + the go.work file that uses it, 0 = none
    uint32_t next_same; // another module of that path, MODULE_NONE = none
} go_module;

// What an import of a folder means; files NULL when it was not asked yet.
typedef struct go_package {
    const uint32_t *files;
    uint32_t n_files;
} go_package;

typedef struct go_state {
    go_module *modules;
    uint32_t n_modules;
    ken_map *by_dir, *by_path; // -> index into modules
    ken_map *works;            // folder of a module -> go_module.work
    go_package *imported;      // of each folder
} go_state;

// ---- manifests ---------------------------------------------------------------------------------
static void read_replaces(ken_modules *m, go_module *module, ken_str text)
{
    ken_manifest_go lines = { .rest = text, .directive = "replace" };
    ken_str line, old, new_path;
    for (int i = 0; i < REPLACES_MAX && ken_manifest_go_next(&lines, &line); i++) {
        ken_str target = ken_manifest_behind(line, "=>");
        if (!ken_manifest_word_next(&line, "\"`", &old) ||
            !ken_manifest_word_next(&target, "\"`", &new_path) ||
            !ken_str_starts(new_path, KEN_STR(".")))
            continue;
        ken_str dir = ken_modules__join(m, module->dir, new_path);
        if (!dir.ptr)
            continue;
        go_replace *r = KEN_ARENA_NEW(&m->arena, go_replace);
        *r = (go_replace){ old, ken_arena_dup(&m->arena, dir), module->replaces };
        module->replaces = r;
    }
}

// Manifests of what is vendored are not of the build: its packages are found in vendor/.
static bool is_vendored(ken_str path)
{
    return ken_str_starts(path, KEN_STR("vendor/")) || ken_manifest_behind(path, "/vendor/").ptr;
}

static void read_module(ken_modules *m, void *ctx, uint32_t file)
{
    go_state *s = ctx;
    bool is_new;
    if (is_vendored(m->tree->paths[file]))
        return;
    ken_map_put(s->by_dir, ken_modules__dir(m, file), s->n_modules, &is_new);
    if (!is_new)
        return; // go.mod was first
    go_module *module = &s->modules[s->n_modules];
    ken_str text = ken_modules__read(m, file), line;
    ken_manifest_go lines = { .rest = text, .directive = "module" };
    *module = (go_module){ .dir = ken_modules__dir(m, file), .next_same = MODULE_NONE };
    if (ken_manifest_go_next(&lines, &line))
        (void)ken_manifest_word_next(&line, "\"`()", &module->path);
    read_replaces(m, module, text);
    const uint64_t *work = ken_map_find(s->works, module->dir);
    module->work = work ? *work : 0;
    uint64_t *first = ken_map_put(s->by_path, module->path, s->n_modules, &is_new);
    if (!is_new) {
        module->next_same = (uint32_t)*first;
        *first = s->n_modules;
    }
    s->n_modules++;
}

static void read_work(ken_modules *m, void *ctx, uint32_t file)
{
    go_state *s = ctx;
    ken_manifest_go lines = { .rest = ken_modules__read(m, file), .directive = "use" };
    ken_str line, word;
    while (ken_manifest_go_next(&lines, &line)) {
        if (!ken_manifest_word_next(&line, "\"`", &word))
            continue;
        ken_str dir = ken_modules__join(m, ken_modules__dir(m, file), word);
        if (dir.ptr)
            ken_map_put(s->works, dir, (uint64_t)file + 1, NULL);
    }
}

static go_state *state_of(ken_modules *m)
{
    go_state *s = m->state[KEN_LANG_GO];
    if (s)
        return s;
    s = m->state[KEN_LANG_GO] = KEN_ARENA_NEW(&m->arena, go_state);
    s->by_dir = ken_modules__map(m);
    s->by_path = ken_modules__map(m);
    s->works = ken_modules__map(m);
    s->imported = KEN_ARENA_ARRAY(&m->arena, go_package, (size_t)m->n_folders + 1);
    size_t n = ken_modules__each(m, KEN_STR("go.mod"), NULL, NULL) +
               ken_modules__each(m, KEN_STR("vendor.mod"), NULL, NULL);
    s->modules = KEN_ARENA_ARRAY(&m->arena, go_module, n + 1);
    ken_modules__each(m, KEN_STR("go.work"), read_work, s);
    ken_modules__each(m, KEN_STR("go.mod"), read_module, s);
    ken_modules__each(m, KEN_STR("vendor.mod"), read_module, s);
    return s;
}

// The module that a folder belongs to, NULL when none.
static const go_module *module_of(const go_state *s, ken_str dir)
{
    for (;; dir = ken_path_dir(dir)) {
        const uint64_t *at = ken_map_find(s->by_dir, dir);
        if (at || !dir.len)
            return at ? &s->modules[*at] : NULL;
    }
}

// ---- packages ----------------------------------------------------------------------------------
static ken_str package_of(const ken_modules *m, uint32_t file)
{
    return m->tree->package ? m->tree->package(m->tree->ctx, file) : KEN_STR("");
}

static bool is_test(const ken_modules *m, uint32_t file)
{
    return ken_str_ends(m->tree->paths[file], KEN_STR("_test.go"));
}

// Files of a folder that are one package; the tests of it only when asked for. n = 0 when none.
static const uint32_t *package_files(ken_modules *m, const module_folder *folder, ken_str package,
                                     bool has_tests, uint32_t *out_n)
{
    uint32_t *files = KEN_ARENA_ARRAY(&m->arena, uint32_t, folder->n_files);
    *out_n = 0;
    for (uint32_t i = 0; i < folder->n_files; i++) {
        uint32_t file = folder->files[i];
        if (m->tree->langs[file] == KEN_LANG_GO && (has_tests || !is_test(m, file)) &&
            ken_str_eq(package_of(m, file), package))
            files[(*out_n)++] = file;
    }
    return files;
}

// What an import of the folder means: `main` stands beside a package in files that the build
// leaves out.
static ken_str imported_package(const ken_modules *m, const module_folder *folder)
{
    ken_str found = KEN_STR("");
    for (uint32_t i = 0; i < folder->n_files; i++) {
        uint32_t file = folder->files[i];
        if (m->tree->langs[file] != KEN_LANG_GO || is_test(m, file))
            continue;
        found = package_of(m, file);
        if (!ken_str_eq(found, KEN_STR("main")) && !ken_str_eq(found, KEN_STR("documentation")))
            return found;
    }
    return found;
}

// Answers with the package in `dir`/`below`; false when there is none.
static bool take_folder(ken_modules *m, ken_str dir, ken_str below, const char *why,
                        ken_module *out)
{
    const go_state *s = m->state[KEN_LANG_GO];
    ken_str path = ken_modules__join(m, dir, below);
    uint32_t id = path.ptr ? ken_modules__folder(m, path) : MODULE_NONE;
    if (id == MODULE_NONE)
        return false;
    const module_folder *folder = &m->folders[id];
    go_package *p = &s->imported[id];
    if (!p->files)
        p->files = package_files(m, folder, imported_package(m, folder), false, &p->n_files);
    if (p->n_files)
        ken_modules__many(out, p->files, p->n_files, why);
    return p->n_files > 0;
}

// ---- imports -----------------------------------------------------------------------------------
typedef struct go_question {
    const go_state *s;
    const go_module *own; // NULL = none
    ken_str text, here;
} go_question;

// The module of that path which is most likely meant: joined by a go.work, else the nearest.
static const go_module *other_module(const go_question *q, ken_str path)
{
    const uint64_t *first = ken_map_find(q->s->by_path, path);
    const go_module *best = NULL;
    uint32_t best_shared = 0;
    for (uint32_t at = first ? (uint32_t)*first : MODULE_NONE; at != MODULE_NONE;) {
        const go_module *mod = &q->s->modules[at];
        uint32_t n_shared = ken_modules__shared_folders(mod->dir, q->here);
        if (q->own && mod->work && mod->work == q->own->work)
            return mod;
        if (!best || n_shared > best_shared) {
            best = mod;
            best_shared = n_shared;
        }
        at = mod->next_same;
    }
    return best;
}

// Tries `path`, the front of the import, as the path of a module.
static bool take_module(ken_modules *m, const go_question *q, ken_str path, ken_module *out)
{
    ken_str below = ken_str_sub(q->text, path.len + 1, q->text.len);
    if (q->own && ken_str_eq(path, q->own->path) &&
        take_folder(m, q->own->dir, below, "a package of the module", out))
        return true;
    for (const go_replace *r = q->own ? q->own->replaces : NULL; r; r = r->next)
        if (ken_str_eq(r->path, path) && take_folder(m, r->dir, below, "replaced by go.mod", out))
            return true;
    const go_module *other = other_module(q, path);
    if (!other || !take_folder(m, other->dir, below, "a package of another module", out))
        return false;
    out->is_guess = !q->own || !other->work || other->work != q->own->work;
    return true;
}

static bool take_modules(ken_modules *m, const go_question *q, ken_module *out)
{
    for (ken_str path = q->text; path.len; path = ken_path_dir(path))
        if (take_module(m, q, path, out))
            return true;
    return false;
}

// vendor/ of the module and of the folders above it.
static bool take_vendored(ken_modules *m, const go_question *q, ken_module *out)
{
    for (ken_str dir = q->here;; dir = ken_path_dir(dir)) {
        ken_str vendor = ken_path_join(&m->scratch, dir, KEN_STR("vendor"));
        if (take_folder(m, vendor, q->text, "vendored", out))
            return true;
        if (!dir.len)
            return false;
    }
}

// A tree without go.mod: the import ends with the path of a folder.
static bool take_end(ken_modules *m, const go_question *q, ken_module *out)
{
    ken_str rest = q->text, part;
    while (rest.len) {
        if (take_folder(m, KEN_STR(""), rest, "a folder whose path the import ends with", out) ||
            take_folder(m, KEN_STR("src"), rest, "a folder whose path the import ends with", out)) {
            out->is_guess = true;
            return true;
        }
        if (!ken_str_split_next(&rest, '/', &part))
            return false;
    }
    return false;
}

static bool begins_with(ken_str text, ken_str path)
{
    return path.len && ken_path_is_under(path, text);
}

static void resolve_text(ken_modules *m, const go_question *q, ken_module *out)
{
    ken_str first = ken_str_sub(q->text, 0, ken_str_find_char(q->text, '/'));
    if (take_modules(m, q, out) || take_vendored(m, q, out))
        return;
    if (q->own && begins_with(q->text, q->own->path))
        ken_modules__unknown(out, "no package in that folder of the module");
    else if (ken_str_find_char(first, '.') == SIZE_MAX)
        ken_modules__external(out, "the standard library");
    else if (q->own || !take_end(m, q, out))
        ken_modules__external(out, "a module that is not in the tree");
}

static void resolve(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    go_question q = { .s = state_of(m),
                      .text = ask->module,
                      .here = ken_modules__dir(m, ask->file) };
    q.own = module_of(q.s, q.here);
    if (ken_str_starts(q.text, KEN_STR("./")) || ken_str_starts(q.text, KEN_STR("../"))) {
        if (!take_folder(m, q.here, q.text, "a folder beside", out))
            ken_modules__unknown(out, "no package in that folder");
    } else if (ken_str_starts(q.text, KEN_STR("/")) || ken_str_eq(q.text, KEN_STR("C"))) {
        ken_modules__external(out, "outside the tree");
    } else {
        resolve_text(m, &q, out);
    }
}

static void resolve_around(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    uint32_t n;
    const module_folder *folder = &m->folders[m->folder_of[ask->file]];
    const uint32_t *files =
        package_files(m, folder, package_of(m, ask->file), is_test(m, ask->file), &n);
    ken_modules__many(out, files, n, "the files of its package");
}

// ---- the driver --------------------------------------------------------------------------------

// predeclared identifiers
static const char builtins[] =
    "any append bool byte cap clear close comparable complex complex128 complex64 copy delete "
    "error false float32 float64 imag int int16 int32 int64 int8 iota len make max min new "
    "nil panic print println real recover rune string true uint uint16 uint32 uint64 uint8 "
    "uintptr ";

// By the last part of the path, or as its files say.
static bool is_called(ken_graph *g, graph_unit *u, uint32_t bind, ken_str name)
{
    ken_str module = u->text.refs->binds[bind].module, rest;
    size_t slash = ken_str_rfind_char(module, '/');
    ken_str last = slash == SIZE_MAX ? ken_graph__last_part(ken_str_trim(module), &rest)
                                     : ken_str_sub(module, slash + 1, module.len);
    if (ken_str_eq(last, name))
        return true;
    const graph_value *v = ken_graph__bound(g, u, bind);
    graph_unit *f =
        v->kind == GRAPH_MODULE && v->n_files ? ken_graph__unit_of(g, v->files[0]) : NULL;
    if (f)
        return ken_str_eq(f->text.refs->package, name);
    // Outside: gopkg.in/yaml.v3, github.com/x/y/v2, go-name
    return ken_str_find(module, name) != SIZE_MAX;
}

const graph_driver ken_graph__driver_go = {
    .resolve = resolve,
    .around = resolve_around,
    .builtins = builtins,
    .is_called = is_called,
};
