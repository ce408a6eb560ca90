// SPDX-License-Identifier: MIT
// C#: a namespace is all files that declare it, of the projects that the asking one refers to.
//
// Folders say nothing of namespaces, so every file is asked for its own, once. Several projects of
// a tree may declare one namespace (examples, tests); <ProjectReference> in the .csproj files says
// which of them see each other. A file belongs to the nearest .csproj above it.
#include "base/path.h"
#include "graph/graph_driver_priv.h"
#include "manifest/manifest_text.h"

enum {
    PROJECTS_MAX = 2048,
    REFERENCES_MAX = 1000, // of one project
};

typedef struct csharp_project {
    ken_str dir;
    uint32_t manifest;    // the first .csproj of the folder
    uint32_t *references; // indexes of projects
    uint32_t n_references;
    uint8_t *sees; // of each project: 1 when its files are seen; made when asked for
} csharp_project;

typedef struct csharp_files {
    const uint32_t *files;
    uint32_t n_files;
} csharp_files;

typedef struct csharp_state {
    csharp_project *projects;
    uint32_t n_projects;
    ken_map *by_dir; // folder -> project
    ken_map *seen;   // "project namespace" -> index into `known`
    csharp_files *known;
    uint32_t n_known, cap_known;
} csharp_state;

// ---- projects ----------------------------------------------------------------------------------
static void add_references(ken_modules *m, csharp_state *s, csharp_project *p, ken_str text)
{
    ken_str list = KEN_STR(""), one;
    ken_str found[REFERENCES_MAX];
    uint32_t n = 0;
    while (n < REFERENCES_MAX &&
           ken_manifest_attribute_next(&text, "<ProjectReference", "Include=", &list))
        while (n < REFERENCES_MAX && ken_str_split_next(&list, ';', &one))
            found[n++] = one;
    p->references = KEN_ARENA_ARRAY(&m->arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        ken_str path = ken_modules__slashes(m, ken_str_trim(found[i]), KEN_STR("\\"));
        path = ken_modules__join(m, p->dir, path);
        const uint64_t *at = path.ptr ? ken_map_find(s->by_dir, ken_path_dir(path)) : NULL;
        if (at)
            p->references[p->n_references++] = (uint32_t)*at;
    }
}

static csharp_state *state_of(ken_modules *m)
{
    csharp_state *s = m->state[KEN_LANG_CSHARP];
    if (s)
        return s;
    s = m->state[KEN_LANG_CSHARP] = KEN_ARENA_NEW(&m->arena, csharp_state);
    s->by_dir = ken_modules__map(m);
    s->seen = ken_modules__map(m);
    s->projects = KEN_ARENA_ARRAY(&m->arena, csharp_project, PROJECTS_MAX);
    for (uint32_t i = 0; i < m->tree->n_files && s->n_projects < PROJECTS_MAX; i++) {
        bool is_new;
        if (!ken_str_ends(m->tree->paths[i], KEN_STR(".csproj")))
            continue;
        ken_map_put(s->by_dir, ken_modules__dir(m, i), s->n_projects, &is_new);
        if (!is_new)
            continue;
        s->projects[s->n_projects++] =
            (csharp_project){ .dir = ken_modules__dir(m, i), .manifest = i };
    }
    for (uint32_t i = 0; i < s->n_projects; i++)
        add_references(m, s, &s->projects[i], ken_modules__read(m, s->projects[i].manifest));
    return s;
}

static uint32_t project_of(const csharp_state *s, ken_str dir)
{
    for (;; dir = ken_path_dir(dir)) {
        const uint64_t *at = ken_map_find(s->by_dir, dir);
        if (at || !dir.len)
            return at ? (uint32_t)*at : MODULE_NONE;
    }
}

// The project and all that it refers to, by whatever way.
static const uint8_t *sees_of(ken_modules *m, csharp_state *s, uint32_t project)
{
    csharp_project *p = &s->projects[project];
    if (p->sees)
        return p->sees;
    p->sees = KEN_ARENA_ARRAY(&m->arena, uint8_t, s->n_projects);
    uint32_t *todo = KEN_ARENA_ARRAY(&m->scratch, uint32_t, s->n_projects), n = 0;
    todo[n++] = project;
    p->sees[project] = 1;
    while (n) {
        const csharp_project *at = &s->projects[todo[--n]];
        for (uint32_t i = 0; i < at->n_references; i++) {
            uint32_t to = at->references[i];
            if (!p->sees[to])
                todo[n++] = to;
            p->sees[to] = 1;
        }
    }
    return p->sees;
}

// ---- namespaces --------------------------------------------------------------------------------
// Those of `all` that the project sees; all of them when it sees none, for then references are
// said in a way that is not understood.
static csharp_files seen_of(ken_modules *m, csharp_state *s, uint32_t project, csharp_files all)
{
    if (project == MODULE_NONE || s->n_projects < 2)
        return all;
    const uint8_t *sees = sees_of(m, s, project);
    uint32_t *files = KEN_ARENA_ARRAY(&m->scratch, uint32_t, all.n_files), n = 0;
    for (uint32_t i = 0; i < all.n_files; i++) {
        uint32_t of = project_of(s, ken_modules__dir(m, all.files[i]));
        if (of == MODULE_NONE || sees[of])
            files[n++] = all.files[i];
    }
    if (!n || n == all.n_files)
        return all;
    uint32_t *kept = ken_arena_copy(&m->arena, files, n, sizeof *kept);
    return (csharp_files){ kept, n };
}

static void remember(ken_modules *m, csharp_state *s, csharp_files f)
{
    if (s->n_known == s->cap_known) {
        s->cap_known = s->cap_known ? s->cap_known * 2 : 64;
        csharp_files *more = KEN_ARENA_ARRAY(&m->arena, csharp_files, s->cap_known);
        if (s->n_known)
            memcpy(more, s->known, s->n_known * sizeof *more);
        s->known = more;
    }
    s->known[s->n_known++] = f;
}

static csharp_files files_of(ken_modules *m, csharp_state *s, uint32_t project, ken_str name)
{
    csharp_files all;
    all.files = ken_modules__package(m, KEN_LANG_CSHARP, name, &all.n_files);
    if (!all.n_files)
        return all;
    bool is_new;
    ken_str key = ken_arena_printf(&m->scratch, "%u " KEN_STR_FMT, project, KEN_STR_ARG(name));
    uint64_t at = *ken_map_put(s->seen, key, s->n_known, &is_new);
    if (is_new)
        remember(m, s, seen_of(m, s, project, all));
    return s->known[at];
}

static ken_str without_last(ken_str name)
{
    size_t dot = ken_str_rfind_char(name, '.');
    return ken_str_sub(name, 0, dot == SIZE_MAX ? 0 : dot);
}

static ken_str namespace_of(const ken_modules *m, uint32_t file)
{
    return m->tree->package ? m->tree->package(m->tree->ctx, file) : KEN_STR("");
}

// The longest front of the text that is a namespace; false when none is.
static bool take_namespace(ken_modules *m, csharp_state *s, uint32_t project, ken_str text,
                           ken_module *out)
{
    for (ken_str name = text; name.len; name = without_last(name)) {
        csharp_files f = files_of(m, s, project, name);
        if (!f.n_files)
            continue;
        ken_modules__many(out, f.files, f.n_files, "the files of a namespace");
        out->rest = ken_str_sub(text, name.len + 1, text.len);
        return true;
    }
    return false;
}

static void resolve(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    csharp_state *s = state_of(m);
    ken_str text = ken_modules__dotted(m, ask), own = namespace_of(m, ask->file);
    if (ken_str_starts(text, KEN_STR("global::")))
        text = ken_str_sub(text, strlen("global::"), text.len);
    text = ken_str_trim(ken_str_sub(text, 0, ken_str_find_char(text, '<')));
    uint32_t project = project_of(s, ken_modules__dir(m, ask->file));
    if (take_namespace(m, s, project, text, out))
        return;
    ken_str first = ken_str_sub(text, 0, ken_str_find_char(text, '.'));
    if (own.len && ken_str_eq(first, ken_str_sub(own, 0, ken_str_find_char(own, '.'))))
        ken_modules__unknown(out, "no file declares that namespace");
    else
        ken_modules__external(out, "a namespace that is not in the tree");
}

// The namespace's files, then those of the ones around it, at last the files without any.
static csharp_files around(ken_modules *m, csharp_state *s, uint32_t project, ken_str own)
{
    KEN_VEC(uint32_t) files = { 0 };
    bool is_last = false;
    for (ken_str name = own; !is_last; name = without_last(name)) {
        is_last = !name.len;
        csharp_files f = files_of(m, s, project, name);
        for (uint32_t i = 0; i < f.n_files; i++)
            ken_vec_push(&files, f.files[i]);
    }
    uint32_t *kept = ken_arena_copy(&m->arena, files.ptr, files.len, sizeof *kept);
    csharp_files all = { kept, (uint32_t)files.len };
    ken_vec_release(&files);
    return all;
}

static void resolve_around(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    csharp_state *s = state_of(m);
    uint32_t project = project_of(s, ken_modules__dir(m, ask->file));
    ken_str own = namespace_of(m, ask->file);
    ken_str key =
        ken_arena_printf(&m->scratch, "around %u " KEN_STR_FMT, project, KEN_STR_ARG(own));
    const uint64_t *at = ken_map_find(s->seen, key);
    if (!at) {
        csharp_files all = around(m, s, project, own); // which remembers its parts
        at = ken_map_put(s->seen, key, s->n_known, NULL);
        remember(m, s, all);
    }
    ken_modules__many(out, s->known[*at].files, s->known[*at].n_files,
                      "its namespace and those around it");
}

const graph_driver ken_graph__driver_csharp = {
    .resolve = resolve,
    .around = resolve_around,
};
