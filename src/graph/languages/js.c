// SPDX-License-Identifier: MIT
// What the specifier of an import names in JavaScript and TypeScript.
//
// In this order: a relative path; the `paths` and `baseUrl` of the nearest tsconfig.json; what is
// no file at all (node:fs, https://…); "#names" of the own package; a package of the tree; the
// aliases that build tools give without telling anyone ("@/x"), as guesses. The rest is external.
#include "base/path.h"
#include "graph/languages/js_priv.h"

// ---- files -------------------------------------------------------------------------------------
// As TypeScript looks, then what bundlers add.
static const char *const endings[] = { "",     ".ts",   ".tsx",   ".mts",   ".cts", ".d.ts",
                                       ".js",  ".jsx",  ".mjs",   ".cjs",   ".vue", ".svelte",
                                       ".es6", ".json", ".d.mts", ".d.cts", NULL };

// `./x.js` may be written for what becomes x.js: the source comes before what was made of it, and
// that before what only declares it.
static const struct {
    const char *written;
    const char *sources[4], *declarations[2];
} compiled[] = {
    { ".js", { ".ts", ".tsx", ".jsx", NULL }, { ".d.ts", NULL } },
    { ".jsx", { ".tsx", NULL }, { ".d.ts", NULL } },
    { ".mjs", { ".mts", ".ts", NULL }, { ".d.mts", NULL } },
    { ".cjs", { ".cts", ".ts", NULL }, { ".d.cts", NULL } },
};

static uint32_t named_file(ken_modules *m, ken_str path)
{
    for (size_t i = 0; i < sizeof compiled / sizeof *compiled; i++) {
        ken_str written = ken_str_c(compiled[i].written);
        if (!ken_str_ends(path, written))
            continue;
        ken_str stem = ken_str_sub(path, 0, path.len - written.len);
        uint32_t file = ken_modules__ending(m, stem, compiled[i].sources);
        if (file == MODULE_NONE)
            file = ken_modules__ending(m, path, endings);
        return file != MODULE_NONE ? file : ken_modules__ending(m, stem, compiled[i].declarations);
    }
    return ken_modules__ending(m, path, endings);
}

uint32_t ken_modules__js_file(ken_modules *m, ken_str path)
{
    uint32_t file = named_file(m, path);
    if (file != MODULE_NONE || !path.ptr)
        return file;
    static const char *const index_endings[] = { ".ts",  ".tsx", ".mts", ".cts",    ".d.ts", ".js",
                                                 ".jsx", ".mjs", ".cjs", ".svelte", ".vue",  NULL };
    return ken_modules__ending(m, ken_path_join(&m->scratch, path, KEN_STR("index")),
                               index_endings);
}

// A folder may say in a manifest of its own what it stands for.
static uint32_t relative(ken_modules *m, ken_str path)
{
    uint32_t file = path.ptr && path.len ? named_file(m, path) : MODULE_NONE;
    if (file != MODULE_NONE || !path.ptr)
        return file;
    if (ken_modules__at(m, path, KEN_STR("package.json")) != MODULE_NONE) {
        js_package *p = ken_modules__js_package_of(m, path);
        bool is_guess;
        if (p && ken_str_eq(p->dir, path))
            file = ken_modules__js_inside(m, p, KEN_STR("."), &is_guess);
    }
    return file != MODULE_NONE ? file : ken_modules__js_file(m, path);
}

// ---- specifiers --------------------------------------------------------------------------------
js_state *ken_modules__js_state(ken_modules *m)
{
    bool is_new;
    js_state *s = ken_modules__state(m, KEN_LANG_JAVASCRIPT, sizeof *s, &is_new);
    if (is_new)
        s->config_of = KEN_ARENA_ARRAY(&m->arena, const js_config *, (size_t)m->n_folders + 1);
    return s;
}

static bool is_relative(ken_str t)
{
    if (ken_str_eq_c(t, ".") || ken_str_eq_c(t, ".."))
        return true;
    return ken_str_starts(t, KEN_STR("./")) || ken_str_starts(t, KEN_STR("../"));
}

// Bundlers let a specifier say how to load it: "raw-loader!./x", "./x.svg?raw".
static ken_str without_loaders(ken_str t)
{
    size_t at = ken_str_rfind_char(t, '!');
    return ken_modules__without_query(at == SIZE_MAX ? t : ken_str_sub(t, at + 1, t.len));
}

// `*out_is_named`: a pattern of the configuration, other than "*", speaks of this specifier.
static uint32_t by_config(ken_modules *m, ken_str dir, ken_str text, bool *out_is_named)
{
    const js_config *c = ken_modules__js_config(m, dir);
    ken_str star;
    const module_pattern *p = ken_modules__match(&c->paths, text, &star);
    *out_is_named = p && p->prefix.len;
    for (uint32_t i = 0; p && i < p->n_targets; i++) {
        ken_str path = ken_modules__fill(m, p->targets[i], star);
        uint32_t file = relative(m, ken_modules__clean(m, path));
        if (file != MODULE_NONE)
            return file;
    }
    return c->has_base ? relative(m, ken_modules__join(m, c->base, text)) : MODULE_NONE;
}

static const struct {
    const char *prefix, *folder;
} aliases[] = {
    { "@/", "src" },        { "@/", "app" },   { "@/", "" },      { "~/", "src" },
    { "~/", "app" },        { "~/", "" },      { "@@/", "" },     { "~~/", "" },
    { "$lib/", "src/lib" }, { "src/", "src" }, { "/", "public" }, { "/", "" },
};

static uint32_t by_alias(ken_modules *m, ken_str dir, ken_str text)
{
    const js_package *p = ken_modules__js_package_of(m, dir);
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        ken_str prefix = ken_str_c(aliases[i].prefix), rest;
        if (!ken_str_starts(text, prefix))
            continue;
        rest = ken_str_sub(text, prefix.len, text.len);
        ken_str root = p ? p->dir : KEN_STR("");
        root = ken_path_join(&m->scratch, root, ken_str_c(aliases[i].folder));
        uint32_t file = relative(m, ken_modules__join(m, root, rest));
        if (file != MODULE_NONE && rest.len)
            return file;
    }
    return MODULE_NONE;
}

static void in_package(ken_modules *m, ken_str dir, ken_str text, ken_module *out)
{
    ken_str name, place;
    ken_modules__js_split(m, text, &name, &place);
    js_package *p = ken_modules__js_package(m, dir, name);
    if (!p) {
        ken_modules__guess(m, out, by_alias(m, dir, text), "an alias that build tools give");
        if (out->kind != KEN_MODULE_FILES)
            ken_modules__external(out, "no package of the tree");
        return;
    }
    bool is_guess = false;
    uint32_t file = ken_modules__js_inside(m, p, place, &is_guess);
    if (file == MODULE_NONE) {
        ken_modules__unknown(out, "a package of the tree without such a file");
        return;
    }
    ken_modules__one(m, out, file, "a package of the tree");
    out->is_guess = is_guess;
}

static void bare(ken_modules *m, ken_str dir, ken_str text, ken_module *out)
{
    bool is_named;
    uint32_t file = by_config(m, dir, text, &is_named);
    if (file != MODULE_NONE) {
        ken_modules__one(m, out, file, "paths or baseUrl of tsconfig.json");
        return;
    }
    if (ken_modules__has_scheme(text)) {
        ken_modules__external(out, "no path");
        return;
    }
    if (text.ptr[0] == '#') {
        js_package *p = ken_modules__js_package_of(m, dir);
        file = p ? ken_modules__js_private(m, p, text) : MODULE_NONE;
        if (file != MODULE_NONE)
            ken_modules__one(m, out, file, "imports of package.json");
        else
            ken_modules__unknown(out, "not among the imports of package.json");
        return;
    }
    in_package(m, dir, text, out);
    if (out->kind == KEN_MODULE_EXTERNAL && is_named)
        ken_modules__unknown(out, "paths of tsconfig.json name no file");
}

// ---- sources and what declares them ------------------------------------------------------------
// x.d.ts beside x.js says what x.js is: both are the module.
static const struct {
    const char *declares, *sources[2];
} pairs[] = {
    { ".d.ts", { ".js", ".jsx" } },
    { ".d.mts", { ".mjs", NULL } },
    { ".d.cts", { ".cjs", NULL } },
};

static bool is_pair(size_t i, size_t k, ken_str declares, ken_str source)
{
    ken_str end = ken_str_c(pairs[i].declares);
    ken_str other = pairs[i].sources[k] ? ken_str_c(pairs[i].sources[k]) : KEN_STR("");
    return other.len && ken_str_ends(declares, end) && ken_str_ends(source, other) &&
           ken_str_eq(ken_str_sub(declares, 0, declares.len - end.len),
                      ken_str_sub(source, 0, source.len - other.len));
}

bool ken_modules_declares(ken_str declares, ken_str source)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (is_pair(i, 0, declares, source) || is_pair(i, 1, declares, source))
            return true;
    return false;
}

static uint32_t beside(ken_modules *m, ken_str path, const char *ending, const char *other)
{
    if (!ending || !other || !ken_str_ends(path, ken_str_c(ending)))
        return MODULE_NONE;
    ken_str end = ken_str_c(ending);
    ken_str parts[] = { ken_str_sub(path, 0, path.len - end.len), ken_str_c(other) };
    return ken_modules__file(m, ken_modules__cat(m, parts, 2));
}

// The other of the two; MODULE_NONE when it is alone.
static uint32_t other_half(ken_modules *m, uint32_t file, bool *out_is_declared)
{
    ken_str path = m->tree->paths[file];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        for (size_t k = 0; k < 2; k++) {
            *out_is_declared = true;
            uint32_t at = beside(m, path, pairs[i].sources[k], pairs[i].declares);
            if (at != MODULE_NONE)
                return at;
            *out_is_declared = false;
            at = beside(m, path, pairs[i].declares, pairs[i].sources[k]);
            if (at != MODULE_NONE)
                return at;
        }
    }
    return MODULE_NONE;
}

// JavaScript asks for what runs, TypeScript for what is declared; then for the other.
static void add_half(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    bool is_declared;
    uint32_t other = other_half(m, out->files[0], &is_declared);
    if (other == MODULE_NONE)
        return;
    uint16_t lang = m->tree->langs[ask->file];
    bool wants_declared = lang == KEN_LANG_TYPESCRIPT || lang == KEN_LANG_TSX;
    uint32_t *files = KEN_ARENA_ARRAY(&m->arena, uint32_t, 2);
    files[is_declared == wants_declared] = out->files[0];
    files[is_declared != wants_declared] = other;
    out->files = files;
    out->n_files = 2;
}

static void js_module(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    ken_str dir = ken_modules__dir(m, ask->file), text = without_loaders(ask->module);
    if (!text.len || ask->name.len) {
        ken_modules__unknown(out, "names of a module are no modules");
        return;
    }
    if (!is_relative(text)) {
        bare(m, dir, text, out);
        return;
    }
    ken_str path = ken_modules__join(m, dir, text);
    uint32_t file = relative(m, path);
    if (!path.ptr)
        ken_modules__external(out, "outside the tree");
    else if (file == MODULE_NONE)
        ken_modules__unknown(out, "no such file");
    else
        ken_modules__one(m, out, file, "a relative path");
}

void ken_graph__js_resolve(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    js_module(m, ask, out);
    if (out->kind == KEN_MODULE_FILES && out->n_files == 1)
        add_half(m, ask, out);
}

// ---- the driver --------------------------------------------------------------------------------

const char ken_graph__js_builtins[] =
    "AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Boolean "
    "DataView Date Error EvalError FinalizationRegistry Float32Array Float64Array Function "
    "Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object "
    "Promise Proxy RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer String "
    "Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array "
    "Uint8ClampedArray WeakMap WeakRef WeakSet arguments decodeURI decodeURIComponent "
    "encodeURI encodeURIComponent escape eval globalThis isFinite isNaN parseFloat parseInt "
    "undefined unescape ";

const graph_holders ken_graph__js_holders = {
    .holders = (const char *const[]){ "list", "Array", "array", "ReadonlyArray", "ReadonlySet",
                                      "Set", "Map", "ReadonlyMap", NULL },
    .same = (const char *const[]){ "filter", "slice", "concat", "reverse", "sort", "toSorted",
                                   "toReversed", "values", NULL },
    .item = (const char *const[]){ "find", "findLast", "at", "pop", "shift", "get", NULL },
};

const graph_driver ken_graph__driver_js = {
    .resolve = ken_graph__js_resolve,
    .builtins = ken_graph__js_builtins,
    .holders = &ken_graph__js_holders,
    .markup = ken_graph__jsx_element,
};
