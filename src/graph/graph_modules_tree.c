// SPDX-License-Identifier: MIT
// The layout of a tree: its folders, and tables from the last part of a path to files and folders.
//
// Files are numbered by path, so a path is found by bisection and all below a folder is a range.
// Two hash tables with chains answer "which paths end with a/b/x": files by the name up to its
// first dot, folders by their last segment.
#include "base/alloc.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/sorted.h"
#include "graph/graph_modules_priv.h"

// ---- building ----------------------------------------------------------------------------------
// The name up to its first dot; a dot in front belongs to it.
static ken_str stem_of(ken_str base)
{
    for (size_t i = 1; i < base.len; i++)
        if (base.ptr[i] == '.')
            return ken_str_sub(base, 0, i);
    return base;
}

static uint32_t table_mask(uint32_t n)
{
    uint32_t size = 16;
    while (size < n && size < 1u << 30)
        size *= 2;
    return size - 1;
}

static uint32_t *table_new(ken_arena *a, uint32_t mask)
{
    uint32_t *t = KEN_ARENA_ARRAY(a, uint32_t, (size_t)mask + 1);
    memset(t, 0xff, sizeof *t * ((size_t)mask + 1)); // MODULE_NONE
    return t;
}

static uint32_t slot_of(ken_str name, uint32_t mask)
{
    return (uint32_t)ken_hash_str(name) & mask;
}

// Numbers the folders by their first file.
static void find_folders(ken_modules *m)
{
    const ken_tree *t = m->tree;
    module_folder *folders = KEN_ARENA_ARRAY(&m->scratch, module_folder, (size_t)t->n_files + 1);
    uint32_t last = 0;
    for (uint32_t i = 0; i < t->n_files; i++) {
        ken_str dir = ken_path_dir(t->paths[i]);
        if (!i || !ken_str_eq(folders[last].path, dir)) {
            bool is_new;
            last = (uint32_t)*ken_map_put(m->folder_ids, dir, m->n_folders, &is_new);
            if (is_new)
                folders[m->n_folders++].path = dir;
        }
        m->folder_of[i] = last;
        folders[last].n_files++;
    }
    m->folders = ken_arena_copy(&m->arena, folders, m->n_folders, sizeof *m->folders);
}

static void fill_folders(ken_modules *m)
{
    uint32_t *files = KEN_ARENA_ARRAY(&m->arena, uint32_t, (size_t)m->tree->n_files + 1);
    uint32_t **ends = KEN_ARENA_ARRAY(&m->scratch, uint32_t *, (size_t)m->n_folders + 1);
    for (uint32_t i = 0; i < m->n_folders; i++) {
        m->folders[i].files = ends[i] = files;
        files += m->folders[i].n_files;
    }
    for (uint32_t i = 0; i < m->tree->n_files; i++)
        *ends[m->folder_of[i]]++ = i;
}

void ken_modules__layout(ken_modules *m)
{
    const ken_tree *t = m->tree;
    m->folder_ids = ken_modules__map(m);
    m->folder_of = KEN_ARENA_ARRAY(&m->arena, uint32_t, (size_t)t->n_files + 1);
    m->self = KEN_ARENA_ARRAY(&m->arena, uint32_t, (size_t)t->n_files + 1);
    find_folders(m);
    fill_folders(m);
    m->file_mask = table_mask(t->n_files);
    m->folder_mask = table_mask(m->n_folders);
    m->by_stem = table_new(&m->arena, m->file_mask);
    m->next_stem = KEN_ARENA_ARRAY(&m->arena, uint32_t, (size_t)t->n_files + 1);
    m->by_last = table_new(&m->arena, m->folder_mask);
    for (uint32_t i = t->n_files; i-- > 0;) { // backwards: chains are by path
        uint32_t *slot = &m->by_stem[slot_of(stem_of(ken_path_base(t->paths[i])), m->file_mask)];
        m->self[i] = i;
        m->next_stem[i] = *slot;
        *slot = i;
    }
    for (uint32_t i = m->n_folders; i-- > 0;) {
        uint32_t *slot = &m->by_last[slot_of(ken_path_base(m->folders[i].path), m->folder_mask)];
        m->folders[i].next = *slot;
        *slot = i;
    }
}

// ---- looking up --------------------------------------------------------------------------------
static uint32_t lower_bound(const ken_modules *m, ken_str path)
{
    return (uint32_t)ken_first_str(m->tree->paths, m->tree->n_files, sizeof path, path);
}

uint32_t ken_modules__file(const ken_modules *m, ken_str path)
{
    uint32_t at = path.ptr ? lower_bound(m, path) : m->tree->n_files;
    bool is_there = at < m->tree->n_files && ken_str_eq(m->tree->paths[at], path);
    return is_there ? at : MODULE_NONE;
}

uint32_t ken_modules__folder(const ken_modules *m, ken_str path)
{
    const uint64_t *id = path.ptr || !path.len ? ken_map_find(m->folder_ids, path) : NULL;
    return id ? (uint32_t)*id : MODULE_NONE;
}

ken_str ken_modules__dir(const ken_modules *m, uint32_t file)
{
    return m->folders[m->folder_of[file]].path;
}

module_range ken_modules__below(ken_modules *m, ken_str folder)
{
    if (!folder.len)
        return (module_range){ 0, m->tree->n_files };
    ken_arena *a = &m->scratch;
    uint32_t from = lower_bound(m, ken_arena_printf(a, KEN_STR_FMT "/", KEN_STR_ARG(folder)));
    // '0' is the byte after '/'.
    uint32_t to = lower_bound(m, ken_arena_printf(a, KEN_STR_FMT "0", KEN_STR_ARG(folder)));
    return (module_range){ from, to };
}

ken_str ken_modules__cat(ken_modules *m, const ken_str *parts, size_t n_parts)
{
    size_t len = 0, at = 0;
    for (size_t i = 0; i < n_parts; i++)
        len += parts[i].len;
    char *out = ken_arena_alloc(&m->scratch, len + 1);
    for (size_t i = 0; i < n_parts; i++) {
        if (parts[i].len)
            memcpy(out + at, parts[i].ptr, parts[i].len);
        at += parts[i].len;
    }
    out[len] = '\0';
    return ken_str_n(out, len);
}

// "@NAME" of a path in a further root, else empty.
static ken_str mark_of(const ken_modules *m, ken_str path)
{
    if (!m->tree->roots || !path.len || path.ptr[0] != '@')
        return KEN_STR("");
    ken_str mark = ken_str_sub(path, 0, ken_str_find_char(path, '/'));
    for (size_t i = 0; i < m->tree->roots->n; i++)
        if (ken_str_eq(ken_str_sub(mark, 1, mark.len), m->tree->roots->more[i].name))
            return mark;
    return KEN_STR("");
}

bool ken_modules__share_root(const ken_modules *m, ken_str a, ken_str b)
{
    return !m->tree->roots || ken_str_eq(mark_of(m, a), mark_of(m, b));
}

ken_str ken_modules__clean(ken_modules *m, ken_str path)
{
    ken_str whole = ken_path_normalise(&m->scratch, path);
    return ken_str_eq_c(whole, ".") ? KEN_STR("") : whole;
}

ken_str ken_modules__join(ken_modules *m, ken_str dir, ken_str path)
{
    if (ken_str_starts(path, KEN_STR("/")) || ken_str_find_char(path, '\0') != SIZE_MAX)
        return (ken_str){ 0 };
    ken_str parts[] = { dir, dir.len && path.len ? KEN_STR("/") : KEN_STR(""), path };
    ken_str whole = ken_modules__clean(m, ken_modules__cat(m, parts, 3));
    return whole.ptr && ken_modules__share_root(m, dir, whole) ? whole : (ken_str){ 0 };
}

uint32_t ken_modules__at(ken_modules *m, ken_str dir, ken_str path)
{
    return ken_modules__file(m, ken_modules__join(m, dir, path));
}

size_t ken_modules__each(ken_modules *m, ken_str base, module_visit *visit, void *ctx)
{
    size_t n = 0;
    uint32_t at = m->by_stem[slot_of(stem_of(base), m->file_mask)];
    for (; at != MODULE_NONE; at = m->next_stem[at]) {
        if (!ken_str_eq(ken_path_base(m->tree->paths[at]), base))
            continue;
        n++;
        if (visit)
            visit(m, ctx, at);
    }
    return n;
}

// ---- ends of paths -----------------------------------------------------------------------------
bool ken_modules__path_ends(ken_str path, ken_str tail)
{
    return ken_str_ends(path, tail) &&
           (path.len == tail.len || path.ptr[path.len - tail.len - 1] == '/');
}

static bool is_alike(const ken_modules *m, uint32_t file, ken_str tail, uint32_t lang)
{
    ken_str path = m->tree->paths[file];
    if (lang == KEN_LANG_COUNT)
        return ken_modules__path_ends(path, tail);
    ken_str ext = ken_path_ext(path);
    if (ext.len)
        path.len -= ext.len + 1;
    return m->tree->langs[file] == lang && ken_modules__path_ends(path, tail);
}

static bool is_part_end(ken_str path, size_t at)
{
    return at == path.len || path.ptr[at] == '/';
}

uint32_t ken_modules__shared_folders(ken_str a, ken_str b)
{
    uint32_t n = 0;
    size_t i = 0;
    for (; i < a.len && i < b.len && a.ptr[i] == b.ptr[i]; i++)
        n += a.ptr[i] == '/';
    bool is_whole = i && (i == a.len || i == b.len) && a.ptr[i - 1] != '/';
    return n + (is_whole && is_part_end(a, i) && is_part_end(b, i));
}

typedef struct nearest {
    uint32_t id, n_shared;
} nearest;

static void nearest_add(nearest *best, uint32_t id, uint32_t n_shared)
{
    if (best->id == MODULE_NONE || n_shared > best->n_shared)
        *best = (nearest){ id, n_shared };
    else if (n_shared == best->n_shared)
        best->id = MODULE_MANY;
}

uint32_t ken_modules__nearest(ken_modules *m, uint32_t from, ken_str tail, uint32_t lang)
{
    nearest best = { MODULE_NONE, 0 };
    ken_str base = ken_path_base(tail), here = m->tree->paths[from];
    if (!base.len)
        return MODULE_NONE;
    uint32_t at = m->by_stem[slot_of(stem_of(base), m->file_mask)];
    for (; at != MODULE_NONE; at = m->next_stem[at])
        if (at != from && is_alike(m, at, tail, lang))
            nearest_add(&best, at, ken_modules__shared_folders(here, m->tree->paths[at]));
    return best.id;
}

uint32_t ken_modules__nearest_folder(ken_modules *m, uint32_t from, ken_str tail)
{
    nearest best = { MODULE_NONE, 0 };
    ken_str base = ken_path_base(tail), here = m->tree->paths[from];
    if (!base.len)
        return MODULE_NONE;
    uint32_t at = m->by_last[slot_of(base, m->folder_mask)];
    for (; at != MODULE_NONE; at = m->folders[at].next) {
        const module_folder *f = &m->folders[at];
        if (ken_modules__path_ends(f->path, tail))
            nearest_add(&best, at, ken_modules__shared_folders(here, m->tree->paths[f->files[0]]));
    }
    return best.id;
}

uint32_t ken_modules__each_folder(ken_modules *m, ken_str tail, module_visit *visit, void *ctx)
{
    uint32_t n_files = 0, at = m->by_last[slot_of(ken_path_base(tail), m->folder_mask)];
    for (; at != MODULE_NONE; at = m->folders[at].next) {
        if (!ken_modules__path_ends(m->folders[at].path, tail))
            continue;
        n_files += m->folders[at].n_files;
        if (visit)
            visit(m, ctx, at);
    }
    return n_files;
}

// ---- packages ----------------------------------------------------------------------------------
// Files of a language by the package that they declare: a map from its name to a run of `files`,
// which are sorted by package.
struct module_packages {
    uint32_t *files;
    uint32_t *starts; // of package i; n_packages + 1
    ken_map *ids;
};

// Languages that import each other's packages share one table.
static uint32_t family_of(uint32_t lang)
{
    return ken_lang_at((uint16_t)lang)->family;
}

static void packages_fill(ken_modules *m, struct module_packages *p, const uint32_t *package_of,
                          const uint32_t *files, uint32_t n)
{
    p->starts = KEN_ARENA_ARRAY(&m->arena, uint32_t, p->ids->len + 2);
    p->files = KEN_ARENA_ARRAY(&m->arena, uint32_t, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++)
        p->starts[package_of[i] + 2]++;
    for (size_t i = 2; i < p->ids->len + 2; i++)
        p->starts[i] += p->starts[i - 1];
    for (uint32_t i = 0; i < n; i++) // leaves starts[i] where package i begins
        p->files[p->starts[package_of[i] + 1]++] = files[i];
}

static struct module_packages *packages_new(ken_modules *m, uint32_t lang)
{
    const ken_tree *t = m->tree;
    struct module_packages *p = KEN_ARENA_NEW(&m->arena, struct module_packages);
    p->ids = ken_modules__map(m);
    ken_arena_mark mark = ken_arena_get_mark(&m->scratch);
    uint32_t *package_of = KEN_ARENA_ARRAY(&m->scratch, uint32_t, (size_t)t->n_files + 1);
    uint32_t *files = KEN_ARENA_ARRAY(&m->scratch, uint32_t, (size_t)t->n_files + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n_files; i++) {
        if (family_of(t->langs[i]) != lang)
            continue;
        ken_str package = t->package ? t->package(t->ctx, i) : KEN_STR("");
        package_of[n] = (uint32_t)*ken_map_put(p->ids, package, p->ids->len, NULL);
        files[n++] = i;
    }
    packages_fill(m, p, package_of, files, n);
    ken_arena_rewind(&m->scratch, mark);
    return p;
}

const uint32_t *ken_modules__package(ken_modules *m, uint32_t lang, ken_str package,
                                     uint32_t *out_n)
{
    *out_n = 0;
    lang = family_of(lang);
    if (lang >= KEN_LANG_COUNT)
        return NULL;
    if (!m->packages[lang])
        m->packages[lang] = packages_new(m, lang);
    const struct module_packages *p = m->packages[lang];
    const uint64_t *id = ken_map_find(p->ids, package);
    if (!id)
        return NULL;
    *out_n = p->starts[*id + 1] - p->starts[*id];
    return p->files + p->starts[*id];
}
