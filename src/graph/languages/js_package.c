// SPDX-License-Identifier: MIT
// Packages of the tree: which package.json has which name, who gets it, and what a place inside it
// is. Manifests name what was built; the tree has the sources, so `dist/x.js` is looked for as it
// stands, then as `src/x.*`.
#include "base/path.h"
#include "base/sorted.h"
#include "graph/languages/js_priv.h"
#include "scan/scan.h"

enum {
    GLOBS_MAX = 200,       // of one workspace
    MATCHES_MAX = 1 << 20, // globs against folders, of all workspaces
    TARGETS_MAX = 64,      // of one place
    PLACES_MAX = 2000,     // of one package
    CONDITIONS_DEPTH = 8   // import inside node inside default …
};

// ---- workspaces --------------------------------------------------------------------------------
typedef struct globs {
    ken_modules *m;
    ken_str dir;      // that they are relative to
    uint32_t *n_left; // comparisons that are still made
    ken_str ptr[GLOBS_MAX];
    uint32_t n;
} globs;

static void add_glob(globs *g, ken_str text)
{
    ken_str bang = KEN_STR("");
    if (ken_str_starts(text, KEN_STR("!"))) {
        bang = KEN_STR("!");
        text = ken_str_sub(text, 1, text.len);
    }
    while (ken_str_ends(text, KEN_STR("/")))
        text.len--;
    while (ken_str_starts(text, KEN_STR("./")))
        text = ken_str_sub(text, 2, text.len);
    if (text.len && g->n < GLOBS_MAX) // from the root of the workspace on, not any base name
        g->ptr[g->n++] = ken_arena_printf(&g->m->scratch, "%s/" KEN_STR_FMT, bang.len ? "!" : "",
                                          KEN_STR_ARG(text));
}

static void add_json_globs(globs *g, const json_t *value)
{
    if (json_is_object(value))
        value = json_object_get(value, "packages");
    for (size_t i = 0; i < json_array_size(value); i++)
        add_glob(g, ken_json_text(json_array_get(value, i)));
}

static ken_str unquoted(ken_str t)
{
    t = ken_str_trim(t);
    if (t.len > 1 && (t.ptr[0] == '"' || t.ptr[0] == '\'')) {
        size_t end = ken_str_find_char(ken_str_sub(t, 1, t.len), t.ptr[0]);
        return ken_str_sub(t, 1, end == SIZE_MAX ? t.len : end + 1);
    }
    size_t comment = ken_str_find(t, KEN_STR(" #"));
    return ken_str_trim(ken_str_sub(t, 0, comment));
}

// pnpm-workspace.yaml: the list under `packages:`, in either way to write it.
static void add_yaml_globs(globs *g, ken_str text)
{
    ken_str line, item;
    bool is_inside = false;
    while (ken_str_line_next(&text, &line)) {
        ken_str t = ken_str_trim(line);
        if (!t.len || t.ptr[0] == '#')
            continue;
        if (is_inside && t.ptr[0] == '-') {
            add_glob(g, unquoted(ken_str_sub(t, 1, t.len)));
            continue;
        }
        is_inside = ken_str_starts(line, KEN_STR("packages:"));
        ken_str list = ken_str_trim(ken_str_sub(t, is_inside ? 9 : t.len, t.len));
        if (list.len > 1 && list.ptr[0] == '[') {
            list = ken_str_sub(list, 1, list.len - 1);
            while (ken_str_split_next(&list, ',', &item))
                add_glob(g, unquoted(item));
        }
    }
}

static bool is_chosen(const globs *g, ken_str dir)
{
    bool is_in = false;
    ken_str path = g->dir.len ? ken_path_relative(g->dir, dir) : dir;
    for (uint32_t i = 0; i < g->n && path.ptr; i++) {
        bool is_out = g->ptr[i].ptr[0] == '!';
        if (is_in == is_out && *g->n_left && (*g->n_left)-- &&
            ken_glob_match(ken_str_sub(g->ptr[i], is_out, g->ptr[i].len), path))
            is_in = !is_out;
    }
    return is_in;
}

static void mark_members(ken_modules *m, js_state *s, globs *g)
{
    for (uint32_t i = 0; i < s->n_packages; i++)
        if (!s->packages[i].is_member)
            s->packages[i].is_member = is_chosen(g, s->packages[i].dir);
    uint32_t root = ken_modules__folder(m, g->dir);
    if (g->n && root != MODULE_NONE && s->package_in[root])
        s->package_in[root]->is_member = true;
}

static void find_members(ken_modules *m, js_state *s)
{
    uint32_t n_left = MATCHES_MAX;
    for (uint32_t i = 0; i < s->n_packages; i++) {
        globs g = { .m = m, .dir = s->packages[i].dir, .n_left = &n_left };
        ken_str raw = ken_json_find_raw(s->packages[i].text, "workspaces");
        json_t *value = NULL;
        if (raw.ptr && !ken_json_parse(raw, &value, NULL))
            add_json_globs(&g, value);
        json_decref(value);
        uint32_t lerna = ken_modules__at(m, g.dir, KEN_STR("lerna.json"));
        value = lerna == MODULE_NONE ? NULL : ken_modules__json(m, lerna);
        add_json_globs(&g, value);
        json_decref(value);
        uint32_t pnpm = ken_modules__at(m, g.dir, KEN_STR("pnpm-workspace.yaml"));
        if (pnpm != MODULE_NONE)
            add_yaml_globs(&g, ken_modules__read(m, pnpm));
        if (g.n)
            mark_members(m, s, &g);
    }
}

// ---- all packages ------------------------------------------------------------------------------
static void count_package(ken_modules *m, void *ctx, uint32_t file)
{
    (void)m;
    (void)file;
    ++*(uint32_t *)ctx;
}

static ken_str raw_text(ken_str object, const char *key)
{
    ken_str raw = ken_json_find_raw(object, key);
    bool is_plain = raw.len > 2 && raw.ptr[0] == '"' && ken_str_find_char(raw, '\\') == SIZE_MAX;
    return is_plain ? ken_str_sub(raw, 1, raw.len - 1) : KEN_STR("");
}

static void add_package(ken_modules *m, void *ctx, uint32_t file)
{
    js_state *s = ctx;
    ken_str text = ken_modules__read(m, file);
    if (ken_str_starts(text, KEN_STR("\xef\xbb\xbf")))
        text = ken_str_sub(text, 3, text.len);
    s->packages[s->n_packages++] = (js_package){ .dir = ken_modules__dir(m, file),
                                                 .text = text,
                                                 .name = raw_text(text, "name") };
}

static int package_cmp(const void *pa, const void *pb)
{
    const js_package *a = pa, *b = pb;
    int c = ken_str_cmp(a->name, b->name);
    return c ? c : ken_str_cmp(a->dir, b->dir);
}

static js_state *loaded(ken_modules *m)
{
    js_state *s = ken_modules__js_state(m);
    if (s->package_in)
        return s;
    uint32_t n = 0;
    s->package_in = KEN_ARENA_ARRAY(&m->arena, js_package *, (size_t)m->n_folders + 1);
    ken_modules__each(m, KEN_STR("package.json"), count_package, &n);
    s->packages = KEN_ARENA_ARRAY(&m->arena, js_package, (size_t)n + 1);
    ken_modules__each(m, KEN_STR("package.json"), add_package, s);
    qsort(s->packages, n, sizeof *s->packages, package_cmp);
    for (uint32_t i = 0; i < n; i++)
        s->package_in[ken_modules__folder(m, s->packages[i].dir)] = &s->packages[i];
    find_members(m, s);
    return s;
}

js_package *ken_modules__js_package_of(ken_modules *m, ken_str dir)
{
    const js_state *s = loaded(m);
    for (;; dir = ken_path_dir(dir)) {
        uint32_t folder = ken_modules__folder(m, dir);
        if (folder != MODULE_NONE && s->package_in[folder])
            return s->package_in[folder];
        if (!dir.len)
            return NULL;
    }
}

// ---- who gets which package --------------------------------------------------------------------
void ken_modules__js_split(ken_modules *m, ken_str text, ken_str *out_name, ken_str *out_place)
{
    size_t at = ken_str_find_char(text, '/');
    if (text.ptr[0] == '@' && at != SIZE_MAX) {
        size_t next = ken_str_find_char(ken_str_sub(text, at + 1, text.len), '/');
        at = next == SIZE_MAX ? SIZE_MAX : at + 1 + next;
    }
    *out_name = ken_str_sub(text, 0, at);
    *out_place = KEN_STR(".");
    if (at != SIZE_MAX && at + 1 < text.len)
        *out_place = ken_modules__concat(m, KEN_STR("."), "", ken_str_sub(text, at, text.len));
}

static bool is_local(ken_modules *m, js_package *asker, ken_str name)
{
    if (asker)
        ken_modules__js_package_read(m, asker);
    for (uint32_t i = 0; asker && i < asker->n_local; i++)
        if (ken_str_eq(asker->local[i], name))
            return true;
    return false;
}

static uint32_t first_of_name(const js_state *s, ken_str name)
{
    return (uint32_t)KEN_FIRST_STR(js_package, name, s->packages, s->n_packages, name);
}

js_package *ken_modules__js_package(ken_modules *m, ken_str dir, ken_str name)
{
    js_state *s = loaded(m);
    js_package *best = NULL;
    uint32_t best_shared = 0;
    for (uint32_t i = first_of_name(s, name); i < s->n_packages && name.len; i++) {
        js_package *p = &s->packages[i];
        if (!ken_str_eq(p->name, name))
            break;
        bool is_around = !p->dir.len || ken_path_is_under(p->dir, dir);
        if (!is_around && !p->is_member && !is_local(m, ken_modules__js_package_of(m, dir), name))
            continue;
        uint32_t shared = is_around ? UINT32_MAX : ken_modules__shared(p->dir, dir) + p->is_member;
        if (!best || shared > best_shared) {
            best = p;
            best_shared = shared;
        }
    }
    return best;
}

// ---- one manifest ------------------------------------------------------------------------------
typedef struct targets {
    ken_modules *m;
    ken_str ptr[TARGETS_MAX];
    uint32_t n;
} targets;

// Sources before what runs, and that before declarations, for a definition is wanted.
static uint32_t condition_rank(ken_str name)
{
    if (ken_str_ends(name, KEN_STR("source")) || ken_str_eq_c(name, "src") ||
        ken_str_eq_c(name, "development"))
        return 0;
    static const char *const runs[] = { "import", "default", "node", "require", "module" };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        if (ken_str_eq_c(name, runs[i]))
            return 1;
    return ken_str_starts(name, KEN_STR("types")) ? 3 : 2;
}

static void add_targets(targets *t, json_t *v, uint32_t depth)
{
    if (json_is_string(v) && t->n < TARGETS_MAX)
        t->ptr[t->n++] = ken_modules__dup_text(t->m, v);
    for (size_t i = 0; json_is_array(v) && i < json_array_size(v) && depth; i++)
        add_targets(t, json_array_get(v, i), depth - 1);
    for (uint32_t rank = 0; json_is_object(v) && rank < 4 && depth; rank++)
        for (void *i = json_object_iter(v); i; i = json_object_iter_next(v, i))
            if (condition_rank(ken_str_c(json_object_iter_key(i))) == rank)
                add_targets(t, json_object_iter_value(i), depth - 1);
}

static module_pattern place_of(ken_modules *m, ken_str key, json_t *value)
{
    targets t = { .m = m };
    add_targets(&t, value, CONDITIONS_DEPTH);
    module_pattern p = ken_modules__pattern(ken_arena_dup(&m->arena, key));
    p.targets = ken_arena_copy(&m->arena, t.ptr, t.n, sizeof *t.ptr);
    p.n_targets = t.n;
    return p;
}

// `first`: what keys begin with; an object of other keys is conditions for "." itself.
static module_patterns places_of(ken_modules *m, json_t *v, char first)
{
    module_patterns out = { 0 };
    void *i = json_object_iter(v);
    size_t n = i ? json_object_size(v) : 1;
    n = n < PLACES_MAX ? n : PLACES_MAX;
    if (!v)
        return out;
    out.ptr = KEN_ARENA_ARRAY(&m->arena, module_pattern, n);
    if (!i || json_object_iter_key(i)[0] != first) {
        out.ptr[out.n++] = place_of(m, KEN_STR("."), v);
        return out;
    }
    for (; i && out.n < n; i = json_object_iter_next(v, i))
        out.ptr[out.n++] =
            place_of(m, ken_str_c(json_object_iter_key(i)), json_object_iter_value(i));
    return out;
}

static void read_entries(ken_modules *m, js_package *p, const json_t *manifest)
{
    static const char *const fields[] = { "source",  "main",   "module", "react-native",
                                          "browser", "svelte", "types",  "typings" };
    targets t = { .m = m };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const json_t *v = json_object_get(manifest, fields[i]);
        if (json_is_string(v))
            t.ptr[t.n++] = ken_modules__dup_text(m, v);
    }
    p->entries = ken_arena_copy(&m->arena, t.ptr, t.n, sizeof *t.ptr);
    p->n_entries = t.n;
}

static void add_local(ken_modules *m, js_package *p, json_t *dependencies)
{
    static const char *const here[] = { "workspace:", "file:", "link:", "portal:" };
    for (void *i = json_object_iter(dependencies); i; i = json_object_iter_next(dependencies, i)) {
        ken_str range = ken_json_text(json_object_iter_value(i));
        for (size_t k = 0; k < sizeof here / sizeof *here; k++)
            if (ken_str_starts(range, ken_str_c(here[k])))
                p->local[p->n_local++] =
                    ken_arena_dup(&m->arena, ken_str_c(json_object_iter_key(i)));
    }
}

static void read_local(ken_modules *m, js_package *p, const json_t *manifest)
{
    static const char *const fields[] = { "dependencies", "devDependencies", "peerDependencies",
                                          "optionalDependencies" };
    size_t n = 0;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        n += json_object_size(json_object_get(manifest, fields[i]));
    p->local = KEN_ARENA_ARRAY(&m->arena, ken_str, n + 1);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        add_local(m, p, json_object_get(manifest, fields[i]));
}

void ken_modules__js_package_read(ken_modules *m, js_package *p)
{
    json_t *manifest = NULL;
    if (p->is_read)
        return;
    p->is_read = true;
    if (ken_json_parse(p->text, &manifest, NULL))
        return;
    json_t *exports = json_object_get(manifest, "exports");
    p->has_exports = exports && !json_is_null(exports);
    p->exports = places_of(m, p->has_exports ? exports : NULL, '.');
    p->imports = places_of(m, json_object_get(manifest, "imports"), '#');
    read_entries(m, p, manifest);
    read_local(m, p, manifest);
    json_decref(manifest);
}

// ---- places in a package -----------------------------------------------------------------------
static bool is_word_of(ken_str word, const char *const *words)
{
    for (; *words; words++)
        if (ken_str_eq_c(word, *words))
            return true;
    return false;
}

// "dist/x.cjs.js" without what says how it was built.
static ken_str built_stem(ken_str path)
{
    static const char *const built_exts[] = { "js",  "mjs",    "cjs",    "jsx",        "ts",  "mts",
                                              "cts", "tsx",    "d",      "min",        "esm", "umd",
                                              "es",  "common", "module", "production", NULL };
    for (;;) {
        ken_str ext = ken_path_ext(path);
        if (!ext.len || !is_word_of(ext, built_exts))
            return path;
        path.len -= ext.len + 1;
    }
}

static uint32_t source_at(ken_modules *m, ken_str dir, const char *folder, ken_str path)
{
    dir = ken_path_join(&m->scratch, dir, ken_str_c(folder));
    return ken_modules__js_file(m, ken_path_join(&m->scratch, dir, path));
}

// The source of what was built: the same path below src, or below the package, when the folder that
// it was built into is left out. Further folders count only when their names say how it was built.
static uint32_t source_of(ken_modules *m, ken_str dir, ken_str built)
{
    static const char *const outputs[] = { "dist", "lib",     "build", "out",    "esm",
                                           "cjs",  "es",      "umd",   "types",  "commonjs",
                                           "node", "browser", "src",   "module", NULL };
    ken_str path = built_stem(built), part;
    uint32_t file = source_at(m, dir, "src", path);
    for (bool is_first = true; file == MODULE_NONE; is_first = false) {
        if (!ken_str_split_next(&path, '/', &part) || !path.ptr || !path.len)
            break;
        if (!is_first && !is_word_of(part, outputs))
            break;
        file = source_at(m, dir, "src", path);
        if (file == MODULE_NONE)
            file = source_at(m, dir, "", path);
    }
    return file;
}

static uint32_t target_file(ken_modules *m, const js_package *p, ken_str target)
{
    ken_str path = ken_modules__join(m, KEN_STR(""), target); // inside the package
    if (!path.ptr || !path.len)
        return MODULE_NONE;
    uint32_t file = ken_modules__js_file(m, ken_path_join(&m->scratch, p->dir, path));
    return file != MODULE_NONE ? file : source_of(m, p->dir, path);
}

static uint32_t by_patterns(ken_modules *m, const js_package *p, const module_patterns *places,
                            ken_str text)
{
    ken_str star;
    const module_pattern *place = ken_modules__match(places, text, &star);
    uint32_t file = MODULE_NONE;
    for (uint32_t i = 0; place && i < place->n_targets && file == MODULE_NONE; i++)
        if (ken_str_starts(place->targets[i], KEN_STR("./")))
            file = target_file(m, p, ken_modules__fill(m, place->targets[i], star));
    return file;
}

// Without a word of the manifest: by convention.
static uint32_t by_convention(ken_modules *m, const js_package *p, ken_str place)
{
    static const char *const mains[] = { "src/index", "index",   "src/main",
                                         "lib/index", "src/mod", "mod" };
    if (!ken_str_eq_c(place, "."))
        return source_of(m, p->dir, ken_str_sub(place, 2, place.len));
    uint32_t file = MODULE_NONE;
    for (size_t i = 0; i < sizeof mains / sizeof *mains && file == MODULE_NONE; i++)
        file = source_at(m, p->dir, "", ken_str_c(mains[i]));
    return file;
}

uint32_t ken_modules__js_inside(ken_modules *m, js_package *p, ken_str place, bool *out_is_guess)
{
    ken_modules__js_package_read(m, p);
    bool is_root = ken_str_eq_c(place, ".");
    uint32_t file = by_patterns(m, p, &p->exports, place);
    *out_is_guess = false;
    for (uint32_t i = 0; is_root && i < p->n_entries && file == MODULE_NONE; i++)
        file = target_file(m, p, p->entries[i]);
    if (!p->has_exports && file == MODULE_NONE)
        file = ken_modules__js_file(m, ken_modules__join(m, p->dir, place));
    if (file != MODULE_NONE)
        return file;
    *out_is_guess = true;
    return by_convention(m, p, place);
}

uint32_t ken_modules__js_private(ken_modules *m, js_package *p, ken_str name)
{
    ken_modules__js_package_read(m, p);
    return by_patterns(m, p, &p->imports, name);
}
