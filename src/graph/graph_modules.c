// SPDX-License-Identifier: MIT
// The frame around the languages: questions are known by where they are asked (folder, or file
// where the language wants it), language, flags and text; only new ones reach a language's rules.
#include "graph/graph_modules.h"

#include "base/alloc.h"
#include "base/path.h"
#include "graph/graph_driver_priv.h"

enum {
    TEXT_MAX = 1000,          // bytes of a module's text, name and surroundings together
    KNOWN_MAX = 1 << 20,      // remembered answers; beyond it each question is worked out
    MANIFEST_MAX = 1 << 20,   // bytes of one
    MANIFESTS_MAX = 64 << 20, // of all
    AROUND = 0x80,            // a flag of questions: ken_modules_around
};

struct module_map {
    ken_map map;
    struct module_map *next;
};

ken_map *ken_modules__map(ken_modules *m)
{
    struct module_map *new_map = KEN_ARENA_NEW(&m->arena, struct module_map);
    ken_map_init(&new_map->map);
    new_map->next = m->maps;
    m->maps = new_map;
    return &new_map->map;
}

ken_modules *ken_modules_new(const ken_tree *tree)
{
    ken_modules *m = ken_zalloc(sizeof *m);
    m->tree = tree;
    ken_arena_init(&m->arena, 0);
    ken_arena_init(&m->scratch, 0);
    ken_map_init(&m->known);
    ken_modules__layout(m);
    return m;
}

void ken_modules_free(ken_modules *m)
{
    if (!m)
        return;
    for (struct module_map *at = m->maps; at; at = at->next)
        ken_map_release(&at->map);
    ken_map_release(&m->known);
    ken_vec_release(&m->answers);
    ken_arena_release(&m->scratch);
    ken_arena_release(&m->arena);
    ken_free(m);
}

size_t ken_modules_bytes(const ken_modules *m)
{
    size_t n = sizeof *m + m->arena.used_bytes + m->answers.cap * sizeof *m->answers.ptr;
    n += m->known.keys.used_bytes + m->known.n_slots * sizeof(ken_map_slot);
    for (const struct module_map *at = m->maps; at; at = at->next)
        n += at->map.keys.used_bytes + at->map.n_slots * sizeof(ken_map_slot);
    return n;
}

// ---- languages without rules -------------------------------------------------------------------
// A path with or without extension beside the file, else the one nearest file whose path ends so.
static void resolve_generic(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    ken_str text = ask->module.len ? ask->module : ask->name;
    if (ask->module.len && ask->name.len)
        text = ken_path_join(&m->scratch, text, ask->name);
    uint32_t file = ken_modules__at(m, ken_modules__dir(m, ask->file), text);
    if (file != MODULE_NONE) {
        ken_modules__one(m, out, file, "a path beside the file");
        return;
    }
    ken_str tail = ken_modules__join(m, KEN_STR(""), text);
    if (!tail.ptr)
        ken_modules__unknown(out, "outside the tree");
    else if (ken_path_ext(tail).len)
        ken_modules__guess(m, out, ken_modules__nearest(m, ask->file, tail, KEN_LANG_COUNT),
                           "the nearest path that ends so");
    else
        ken_modules__guess(m, out,
                           ken_modules__nearest(m, ask->file, tail, m->tree->langs[ask->file]),
                           "the nearest path that ends so");
}

// ---- questions ---------------------------------------------------------------------------------
static size_t put(char *out, size_t at, ken_str s)
{
    if (s.len)
        memcpy(out + at, s.ptr, s.len);
    out[at + s.len] = '\0';
    return at + s.len + 1;
}

static ken_str key_of(const ken_modules *m, const ken_module_ask *ask, bool is_by_file, char *out)
{
    uint32_t place = is_by_file ? ask->file : m->folder_of[ask->file];
    uint16_t lang = m->tree->langs[ask->file];
    memcpy(out, &place, 4);
    memcpy(out + 4, &lang, 2);
    out[6] = (char)ask->flags;
    size_t at = put(out, 7, ask->module);
    at = put(out, at, ask->name);
    return ken_str_n(out, put(out, at, ask->within));
}

// What a rule returned may point into the question and into scratch.
static void keep(ken_modules *m, ken_module *answer)
{
    if (answer->rest.len)
        answer->rest = ken_arena_dup(&m->arena, answer->rest);
    else
        answer->rest = KEN_STR("");
}

// Which folders a program is built with is written in no root, so what lies in another root was found by its
// name. A path leads to none of its files.
static void check_roots(const ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    const ken_str *paths = m->tree->paths;
    bool is_path = ken_str_starts(ask->module, KEN_STR(".")) ||
                   ken_str_find(ask->module, KEN_STR("../")) != SIZE_MAX ||
                   !ken_modules__share_root(m, KEN_STR(""), ask->module);
    bool leaves = false;
    for (uint32_t i = 0; i < out->n_files && !leaves; i++)
        leaves = !ken_modules__share_root(m, paths[ask->file], paths[out->files[i]]);
    if (leaves && is_path)
        *out = (ken_module){ .rest = KEN_STR(""), .why = "a path out of its root" };
    else if (leaves)
        out->is_guess = true;
}

static void answer(ken_modules *m, const ken_module_ask *ask, const graph_driver *driver,
                   ken_module *out)
{
    *out = (ken_module){ .why = "" };
    ken_arena_reset(&m->scratch);
    if (!(ask->flags & AROUND))
        (driver->resolve ? driver->resolve : resolve_generic)(m, ask, out);
    else if (driver->around)
        driver->around(m, ask, out);
    else
        ken_modules__one(m, out, ask->file, "the file itself");
    if (m->tree->roots)
        check_roots(m, ask, out);
    keep(m, out);
}

static void look_up(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    char key[TEXT_MAX + 16];
    const graph_driver *driver = ken_graph__driver_of(m->tree->langs[ask->file]);
    ken_str k = key_of(m, ask, driver->is_by_file || (ask->flags & AROUND), key);
    const uint64_t *at = ken_map_find(&m->known, k);
    if (at) {
        *out = m->answers.ptr[*at];
        return;
    }
    answer(m, ask, driver, out);
    if (m->answers.len >= KNOWN_MAX)
        return;
    ken_map_put(&m->known, k, m->answers.len, NULL);
    ken_vec_push(&m->answers, *out);
}

void ken_modules_resolve(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    *out = (ken_module){ .rest = KEN_STR("") };
    size_t n_bytes = ask->module.len + ask->name.len + ask->within.len;
    if (ask->file >= m->tree->n_files)
        ken_modules__unknown(out, "no such file");
    else if (ask->module.len > TEXT_MAX || n_bytes > TEXT_MAX)
        ken_modules__unknown(out, "the text is too long");
    else if (!ask->module.len && !ask->name.len)
        ken_modules__unknown(out, "the text is empty");
    else {
        ken_module_ask q = *ask;
        q.flags &= (uint8_t)~AROUND;
        look_up(m, &q, out);
    }
}

void ken_modules_around(ken_modules *m, uint32_t file, ken_module *out)
{
    *out = (ken_module){ .rest = KEN_STR(""), .why = "no such file" };
    if (file < m->tree->n_files)
        look_up(m, &(ken_module_ask){ .file = file, .flags = AROUND }, out);
}

// ---- manifests ---------------------------------------------------------------------------------
ken_str ken_modules__read(ken_modules *m, uint32_t file)
{
    if (file >= m->tree->n_files || !m->tree->read || m->manifest_bytes >= MANIFESTS_MAX)
        return KEN_STR("");
    ken_str text = m->tree->read(m->tree->ctx, file, &m->arena);
    if (text.len > MANIFEST_MAX)
        return KEN_STR("");
    m->manifest_bytes += text.len;
    return text;
}

ken_str ken_modules__peek(ken_modules *m, uint32_t file)
{
    bool is_readable = file < m->tree->n_files && m->tree->read;
    ken_str text = is_readable ? m->tree->read(m->tree->ctx, file, &m->scratch) : KEN_STR("");
    return text.len > MANIFEST_MAX ? KEN_STR("") : text;
}

// ---- answers -----------------------------------------------------------------------------------
void ken_modules__many(ken_module *out, const uint32_t *files, uint32_t n, const char *why)
{
    out->kind = n ? KEN_MODULE_FILES : KEN_MODULE_UNKNOWN;
    out->files = n ? files : NULL;
    out->n_files = n;
    out->why = why;
}

void ken_modules__one(ken_modules *m, ken_module *out, uint32_t file, const char *why)
{
    ken_modules__many(out, &m->self[file], 1, why);
}

void ken_modules__external(ken_module *out, const char *why)
{
    out->kind = KEN_MODULE_EXTERNAL;
    out->why = why;
}

void ken_modules__unknown(ken_module *out, const char *why)
{
    out->kind = KEN_MODULE_UNKNOWN;
    out->why = why;
}

void ken_modules__guess(ken_modules *m, ken_module *out, uint32_t file, const char *why)
{
    if (file == MODULE_MANY) {
        ken_modules__unknown(out, "several files fit equally well");
    } else if (file == MODULE_NONE) {
        ken_modules__unknown(out, "no file of that name");
    } else {
        ken_modules__one(m, out, file, why);
        out->is_guess = true;
    }
}

ken_str ken_modules__slashes(ken_modules *m, ken_str text, ken_str separator)
{
    char *out = ken_arena_alloc(&m->scratch, text.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (separator.len && ken_str_starts(ken_str_sub(text, i, text.len), separator)) {
            out[len++] = '/';
            i += separator.len - 1;
        } else {
            out[len++] = text.ptr[i];
        }
    }
    return ken_str_n(out, len);
}

ken_str ken_modules__dotted(ken_modules *m, const ken_module_ask *ask)
{
    if (!ask->name.len || !ask->module.len)
        return ask->name.len ? ask->name : ask->module;
    return ken_arena_printf(&m->scratch, KEN_STR_FMT "." KEN_STR_FMT, KEN_STR_ARG(ask->module),
                            KEN_STR_ARG(ask->name));
}
