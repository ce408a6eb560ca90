// SPDX-License-Identifier: MIT
// What tsconfig.json and jsconfig.json say about names: `baseUrl`, `paths`, and both through
// `extends`. The nearest file counts; one that only lists `references` speaks through them, as the
// templates of build tools have it.
#include "base/path.h"
#include "graph/languages/js_priv.h"

enum {
    DEPTH_MAX = 8,   // of extends
    LOADS_MAX = 32,  // files for one configuration
    FILES_MAX = 64,  // that one extends, or refers to
    PATHS_MAX = 2000 // patterns of one file
};

// One file as written; each is read once.
typedef struct js_raw {
    ken_str dir;
    ken_str base; // baseUrl, ptr NULL = not said
    module_patterns paths;
    bool has_paths;
    uint32_t *extends, *references; // files
    uint32_t n_extends, n_references;
} js_raw;

// ---- one file ----------------------------------------------------------------------------------
static uint32_t config_at(ken_modules *m, ken_str path)
{
    static const char *const endings[] = { "", ".json", NULL };
    uint32_t file = ken_modules__ending(m, path, endings);
    return file != MODULE_NONE ? file : ken_modules__at(m, path, KEN_STR("tsconfig.json"));
}

// A path, or a place in a package of the tree.
static uint32_t config_named(ken_modules *m, ken_str dir, ken_str text)
{
    if (ken_str_starts(text, KEN_STR(".")))
        return config_at(m, ken_modules__join(m, dir, text));
    if (!text.len || ken_str_starts(text, KEN_STR("/")))
        return MODULE_NONE;
    ken_str name, place;
    ken_modules__js_split(m, text, &name, &place);
    const js_package *p = ken_modules__js_package(m, dir, name);
    return p ? config_at(m, ken_modules__join(m, p->dir, place)) : MODULE_NONE;
}

static void add_base(ken_modules *m, js_raw *raw, const json_t *text)
{
    uint32_t file = config_named(m, raw->dir, ken_json_text(text));
    if (file != MODULE_NONE && raw->n_extends < FILES_MAX)
        raw->extends[raw->n_extends++] = file;
}

// References to folders do not matter: those have their own nearest file.
static void add_reference(ken_modules *m, js_raw *raw, const json_t *reference)
{
    ken_str path = ken_json_text(json_object_get(reference, "path"));
    uint32_t file = MODULE_NONE;
    if (ken_str_ends(path, KEN_STR(".json")))
        file = config_at(m, ken_modules__join(m, raw->dir, path));
    if (file != MODULE_NONE && raw->n_references < FILES_MAX)
        raw->references[raw->n_references++] = file;
}

static void read_files(ken_modules *m, js_raw *raw, const json_t *config)
{
    const json_t *extends = json_object_get(config, "extends");
    const json_t *references = json_object_get(config, "references");
    raw->extends = KEN_ARENA_ARRAY(&m->arena, uint32_t, FILES_MAX);
    raw->references = KEN_ARENA_ARRAY(&m->arena, uint32_t, FILES_MAX);
    add_base(m, raw, extends);
    for (size_t i = 0; i < json_array_size(extends); i++)
        add_base(m, raw, json_array_get(extends, i));
    for (size_t i = 0; i < json_array_size(references); i++)
        add_reference(m, raw, json_array_get(references, i));
}

static module_pattern read_path(ken_modules *m, const char *key, const json_t *texts)
{
    module_pattern p = ken_modules__pattern(ken_arena_dup(&m->arena, ken_str_c(key)));
    ken_str *targets = KEN_ARENA_ARRAY(&m->arena, ken_str, json_array_size(texts) + 1);
    for (size_t i = 0; i < json_array_size(texts); i++) {
        const json_t *text = json_array_get(texts, i);
        if (json_string_length(text))
            targets[p.n_targets++] = ken_modules__dup_text(m, text);
    }
    p.targets = targets;
    return p;
}

static void read_paths(ken_modules *m, js_raw *raw, json_t *paths)
{
    size_t n = json_object_size(paths);
    n = n < PATHS_MAX ? n : PATHS_MAX;
    raw->has_paths = true;
    raw->paths.ptr = KEN_ARENA_ARRAY(&m->arena, module_pattern, n + 1);
    const char *key;
    json_t *texts;
    json_object_foreach(paths, key, texts)
    {
        if (raw->paths.n < n)
            raw->paths.ptr[raw->paths.n++] = read_path(m, key, texts);
    }
}

static const js_raw *raw_of(ken_modules *m, uint32_t file)
{
    js_state *s = ken_modules__js_state(m);
    if (!s->raws)
        s->raws = ken_modules__map(m);
    const uint64_t *known = ken_map_find(s->raws, m->tree->paths[file]);
    if (known)
        return (const js_raw *)(uintptr_t)*known;
    js_raw *raw = KEN_ARENA_NEW(&m->arena, js_raw);
    ken_map_put(s->raws, m->tree->paths[file], (uintptr_t)raw, NULL);
    raw->dir = ken_modules__dir(m, file);
    json_t *config = ken_modules__json(m, file);
    read_files(m, raw, config);
    const json_t *options = json_object_get(config, "compilerOptions");
    const json_t *base = json_object_get(options, "baseUrl");
    if (json_is_string(base))
        raw->base = ken_modules__dup_text(m, base);
    json_t *paths = json_object_get(options, "paths");
    if (json_is_object(paths))
        read_paths(m, raw, paths);
    json_decref(config);
    return raw;
}

// ---- one configuration -------------------------------------------------------------------------
typedef struct loader {
    ken_modules *m;
    ken_str leaf; // folder that ${configDir} stands for
    uint32_t n_loads;
    const js_raw *base, *paths; // who said them last
} loader;

// What a file says itself wins over what it extends, so that comes first.
static void load(loader *l, uint32_t file, uint32_t depth)
{
    if (depth > DEPTH_MAX || l->n_loads++ >= LOADS_MAX)
        return;
    const js_raw *raw = raw_of(l->m, file);
    for (uint32_t i = 0; i < raw->n_extends; i++)
        load(l, raw->extends[i], depth + 1);
    if (raw->base.ptr)
        l->base = raw;
    if (raw->has_paths)
        l->paths = raw;
    for (uint32_t i = 0; i < raw->n_references && !l->base && !l->paths; i++)
        load(l, raw->references[i], depth + 1);
}

static ken_str place(const loader *l, ken_str dir, ken_str text)
{
    ken_str variable = KEN_STR("${configDir}");
    if (!ken_str_starts(text, variable))
        return ken_modules__join(l->m, dir, text);
    ken_str rest = ken_str_sub(text, variable.len, text.len);
    return ken_modules__join(l->m, l->leaf, ken_modules__concat(l->m, KEN_STR("."), "", rest));
}

static module_pattern placed(const loader *l, ken_str dir, const module_pattern *raw)
{
    module_pattern p = *raw;
    ken_str *targets = KEN_ARENA_ARRAY(&l->m->arena, ken_str, (size_t)raw->n_targets + 1);
    p.n_targets = 0;
    for (uint32_t i = 0; i < raw->n_targets; i++) {
        ken_str path = place(l, dir, raw->targets[i]);
        if (path.ptr) // else it leads out of the tree
            targets[p.n_targets++] = ken_arena_dup(&l->m->arena, path);
    }
    p.targets = targets;
    return p;
}

static const js_config *config_new(ken_modules *m, uint32_t file)
{
    loader l = { .m = m, .leaf = ken_modules__dir(m, file) };
    load(&l, file, 0);
    js_config *c = KEN_ARENA_NEW(&m->arena, js_config);
    ken_str base = l.base ? place(&l, l.base->dir, l.base->base) : (ken_str){ 0 };
    c->has_base = base.ptr != NULL;
    c->base = c->has_base ? ken_arena_dup(&m->arena, base) : KEN_STR("");
    if (!l.paths)
        return c;
    ken_str dir = c->has_base ? c->base : l.paths->dir;
    c->paths.ptr = KEN_ARENA_ARRAY(&m->arena, module_pattern, (size_t)l.paths->paths.n + 1);
    for (; c->paths.n < l.paths->paths.n; c->paths.n++)
        c->paths.ptr[c->paths.n] = placed(&l, dir, &l.paths->paths.ptr[c->paths.n]);
    return c;
}

// ---- the nearest -------------------------------------------------------------------------------
static const js_config *nearest(ken_modules *m, js_state *s, ken_str dir)
{
    static const js_config no_config = { 0 };
    for (;; dir = ken_path_dir(dir)) {
        uint32_t folder = ken_modules__folder(m, dir);
        if (folder != MODULE_NONE && s->config_of[folder])
            return s->config_of[folder];
        uint32_t file = ken_modules__at(m, dir, KEN_STR("tsconfig.json"));
        if (file == MODULE_NONE)
            file = ken_modules__at(m, dir, KEN_STR("jsconfig.json"));
        if (file != MODULE_NONE) {
            const js_config *c = config_new(m, file);
            s->config_of[m->folder_of[file]] = c;
            return c;
        }
        if (!dir.len)
            return &no_config;
    }
}

const js_config *ken_modules__js_config(ken_modules *m, ken_str dir)
{
    js_state *s = ken_modules__js_state(m);
    const js_config *c = nearest(m, s, dir);
    uint32_t folder = ken_modules__folder(m, dir);
    if (folder != MODULE_NONE)
        s->config_of[folder] = c;
    return c;
}
