// SPDX-License-Identifier: MIT
// What tsconfig.json and jsconfig.json say about names: `baseUrl`, `paths`, and both through
// `extends`. The nearest file counts; one that only lists `references` speaks through them, as the
// templates of build tools have it.
#include "base/path.h"
#include "graph/graph_modules_js_priv.h"

enum {
    DEPTH_MAX = 8,   // of extends
    LOADS_MAX = 32,  // files for one configuration
    PATHS_MAX = 2000 // patterns of one configuration
};

typedef struct loader {
    ken_modules *m;
    ken_str leaf; // folder that ${configDir} stands for
    uint32_t n_loads;
    ken_str base; // the last baseUrl that was said
    bool has_base;
    json_t *paths; // the last paths, and the folder of the file that says them
    ken_str paths_dir;
} loader;

static void load(loader *l, uint32_t file, uint32_t depth);

// ---- extends and references --------------------------------------------------------------------
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

static void load_bases(loader *l, ken_str dir, const json_t *extends, uint32_t depth)
{
    if (json_is_string(extends))
        load(l, config_named(l->m, dir, ken_json_text(extends)), depth + 1);
    for (size_t i = 0; json_is_array(extends) && i < json_array_size(extends); i++)
        load(l, config_named(l->m, dir, ken_json_text(json_array_get(extends, i))), depth + 1);
}

static void load_references(loader *l, ken_str dir, const json_t *references, uint32_t depth)
{
    for (size_t i = 0; i < json_array_size(references) && !l->paths && !l->has_base; i++) {
        ken_str path = ken_json_text(json_object_get(json_array_get(references, i), "path"));
        if (ken_str_ends(path, KEN_STR(".json"))) // a folder has its own nearest file
            load(l, config_at(l->m, ken_modules__join(l->m, dir, path)), depth + 1);
    }
}

static ken_str place(const loader *l, ken_str dir, ken_str text)
{
    ken_str variable = KEN_STR("${configDir}");
    if (ken_str_starts(text, variable))
        return ken_modules__join(
            l->m, l->leaf,
            ken_modules__concat(l->m, KEN_STR("."), "", ken_str_sub(text, variable.len, text.len)));
    return ken_modules__join(l->m, dir, text);
}

// What a file says itself wins over what it extends, so that comes first.
static void load(loader *l, uint32_t file, uint32_t depth)
{
    if (file == MODULE_NONE || depth > DEPTH_MAX || l->n_loads++ >= LOADS_MAX)
        return;
    json_t *config = ken_modules__json(l->m, file);
    ken_str dir = ken_modules__dir(l->m, file);
    load_bases(l, dir, json_object_get(config, "extends"), depth);
    const json_t *options = json_object_get(config, "compilerOptions");
    const json_t *base = json_object_get(options, "baseUrl");
    if (json_is_string(base)) {
        l->base = place(l, dir, ken_json_text(base));
        l->has_base = l->base.ptr != NULL;
    }
    json_t *paths = json_object_get(options, "paths");
    if (json_is_object(paths)) {
        json_decref(l->paths);
        l->paths = json_incref(paths);
        l->paths_dir = dir;
    }
    load_references(l, dir, json_object_get(config, "references"), depth);
    json_decref(config);
}

// ---- one configuration -------------------------------------------------------------------------
static void fill_targets(const loader *l, const json_t *texts, module_pattern *out)
{
    ken_modules *m = l->m;
    ken_str dir = l->has_base ? l->base : l->paths_dir;
    ken_str *targets = KEN_ARENA_ARRAY(&m->arena, ken_str, json_array_size(texts) + 1);
    for (size_t i = 0; i < json_array_size(texts); i++) {
        ken_str text = ken_json_text(json_array_get(texts, i));
        ken_str path = text.len ? place(l, dir, text) : (ken_str){ 0 };
        if (path.ptr) // else it leads out of the tree
            targets[out->n_targets++] = ken_arena_dup(&m->arena, path);
    }
    out->targets = targets;
}

static void fill_paths(const loader *l, js_config *out)
{
    ken_modules *m = l->m;
    size_t n = json_object_size(l->paths), i = 0;
    n = n < PATHS_MAX ? n : PATHS_MAX;
    out->paths.ptr = KEN_ARENA_ARRAY(&m->arena, module_pattern, n + 1);
    const char *key;
    json_t *texts;
    json_object_foreach(l->paths, key, texts)
    {
        if (i == n)
            break;
        module_pattern p = ken_modules__pattern(ken_arena_dup(&m->arena, ken_str_c(key)));
        fill_targets(l, texts, &p);
        out->paths.ptr[i++] = p;
    }
    out->paths.n = (uint32_t)i;
}

static const js_config *config_new(ken_modules *m, uint32_t file)
{
    loader l = { .m = m, .leaf = ken_modules__dir(m, file) };
    load(&l, file, 0);
    js_config *c = KEN_ARENA_NEW(&m->arena, js_config);
    c->has_base = l.has_base;
    c->base = l.has_base ? ken_arena_dup(&m->arena, l.base) : KEN_STR("");
    fill_paths(&l, c);
    json_decref(l.paths);
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
