// SPDX-License-Identifier: MIT
// What a change of one file may break: what it offers, who imports it, what is like it.
#include <stdio.h>
#include <stdlib.h>

#include "base/path.h"
#include "base/utf8.h"
#include "query/query_facts.h"
#include "query/query_tree.h"
#include "rulebook/rulebook_priv.h"

enum {
    NAMES_MAX = 200,
    DEPENDENTS_MAX = 200,
    IMPORTS_MAX = 20, // of one dependent
    SHOWN_MAX = 200,
};

// ---- the file ----------------------------------------------------------------------------------

// The path relative to the root, with forward slashes; links that lead outside are refused.
static ken_status find_file(ken_rulebook *b, ken_str path, ken_arena *arena, ken_str *out,
                            ken_err *err)
{
    ken_str copy = ken_arena_dup(arena, ken_str_trim(path)), real;
    char *text = (char *)(uintptr_t)copy.ptr; // ours
    for (size_t i = 0; i < copy.len; i++)
        if (text[i] == '\\')
            text[i] = '/';
    ken_str shown = ken_utf8_clip(copy, SHOWN_MAX);
    if (!copy.len || memchr(copy.ptr, 0, copy.len))
        return KEN_FAIL(err, KEN_EINVAL, "file_path: must be a path relative to the project root");
    const ken_roots *roots = ken_snapshot_roots(b->snapshot);
    ken_str relative =
        copy.ptr[0] == '/' ? ken_path_relative(b->root, copy) : ken_path_normalise(arena, copy);
    if (!relative.ptr && copy.ptr[0] == '/')
        relative = ken_roots_relative(roots, copy, arena);
    if (!relative.ptr)
        return KEN_FAIL(err, KEN_EPERM,
                        "file_path: must lie inside the project root, got '" KEN_STR_FMT "'",
                        KEN_STR_ARG(shown));
    ken_str below = relative;
    const ken_root *further = ken_roots_find(roots, relative, &below);
    ken_status st =
        ken_path_resolve_under(arena, further ? further->path : b->root, below, &real, NULL);
    if (st == KEN_EPERM)
        return KEN_FAIL(err, st,
                        "file_path: must lie inside the project root, got '" KEN_STR_FMT "'",
                        KEN_STR_ARG(shown));
    *out = ken_arena_dup(arena, relative);
    return KEN_OK;
}

static ken_status check_indexed(ken_rulebook *b, ken_str path, ken_arena *arena, ken_err *err)
{
    ken_file_view view;
    ken_err why = { 0 };
    ken_status st = ken_view_file(b->snapshot, path, arena, &view, &why);
    if (st == KEN_ENOTFOUND)
        return KEN_FAIL(err, st,
                        "File '" KEN_STR_FMT
                        "' not found in index. Run rag_index or check the path (%.200s)",
                        KEN_STR_ARG(ken_utf8_clip(path, SHOWN_MAX)), why.msg);
    if (st && err)
        *err = why;
    return st;
}

// ---- what it offers ----------------------------------------------------------------------------

static bool is_listed(const ken_str *list, size_t n, ken_str s)
{
    for (size_t i = 0; i < n; i++)
        if (ken_str_eq(list[i], s))
            return true;
    return false;
}

static void add_name(ken_str *list, size_t *n, ken_str s)
{
    if (s.len && *n < NAMES_MAX && !is_listed(list, *n, s))
        list[(*n)++] = s;
}

static ken_status find_routes(ken_rulebook *b, ken_rulebook_impact *out, const ken_cancel *cancel,
                              ken_arena *arena, ken_err *err)
{
    ken_route *routes = NULL;
    size_t n = 0;
    ken_status st = ken_find_routes(b->snapshot, KEN_STR(""), cancel, arena, &routes, &n, err);
    out->endpoints = KEN_ARENA_ARRAY(arena, ken_str, NAMES_MAX);
    out->events = KEN_ARENA_ARRAY(arena, ken_str, NAMES_MAX);
    for (size_t i = 0; !st && i < n; i++) {
        const ken_route *r = &routes[i];
        if (!ken_str_eq(r->file, out->path))
            continue;
        if (r->is_event)
            add_name(out->events, &out->n_events, r->path);
        else
            add_name(out->endpoints, &out->n_endpoints,
                     ken_arena_printf(arena, KEN_STR_FMT " " KEN_STR_FMT, KEN_STR_ARG(r->method),
                                      KEN_STR_ARG(r->path)));
    }
    return st;
}

// ---- who needs it ------------------------------------------------------------------------------

static bool leads_to(const ken_import_fact *import, ken_str path)
{
    return is_listed(import->files, import->n_files, path) && !ken_str_eq(import->path, path);
}

static ken_rulebook_dependent *dependent_at(ken_rulebook_impact *out, ken_str path,
                                            ken_arena *arena)
{
    for (size_t i = 0; i < out->n_dependents; i++)
        if (ken_str_eq(out->dependents[i].path, path))
            return &out->dependents[i];
    if (out->n_dependents == DEPENDENTS_MAX)
        return NULL;
    ken_rulebook_dependent *d = &out->dependents[out->n_dependents++];
    d->path = path;
    d->imports = KEN_ARENA_ARRAY(arena, ken_str, IMPORTS_MAX);
    return d;
}

// The import of one file alone makes a dependent; that of a package of many only says how one that
// uses the file came to it.
static void add_import(ken_rulebook_impact *out, const ken_import_fact *import, ken_arena *arena)
{
    ken_rulebook_dependent *d = NULL;
    if (import->n_files == 1) {
        d = dependent_at(out, import->path, arena);
    } else {
        for (size_t i = 0; i < out->n_dependents && !d; i++)
            if (ken_str_eq(out->dependents[i].path, import->path))
                d = &out->dependents[i];
    }
    if (d && d->n_imports < IMPORTS_MAX && !is_listed(d->imports, d->n_imports, import->module))
        d->imports[d->n_imports++] = import->module;
}

static int by_path(const void *a, const void *b)
{
    const ken_rulebook_dependent *x = a, *y = b;
    return ken_str_cmp(x->path, y->path);
}

// Files that use what the file defines, as query_impact finds them, and those that import it.
static ken_status find_dependents(ken_rulebook *b, ken_rulebook_impact *out,
                                  const ken_cancel *cancel, ken_arena *arena, ken_err *err)
{
    ken_impact_opts o = {
        .path = out->path, .max_depth = 1, .without_risk = true, .limit = DEPENDENTS_MAX
    };
    ken_imports_query q = { 0 };
    ken_imports imports = { 0 };
    ken_impact users = { 0 };
    ken_status st = ken_query_impact(b->snapshot, &o, cancel, arena, &users, err);
    if (!st)
        st = ken_list_imports(b->snapshot, &q, cancel, arena, &imports, err);
    out->dependents = KEN_ARENA_ARRAY(arena, ken_rulebook_dependent, DEPENDENTS_MAX);
    for (size_t i = 0; !st && i < users.n_files; i++)
        if (!ken_str_eq(users.files[i], out->path))
            dependent_at(out, users.files[i], arena);
    for (size_t i = 0; !st && i < imports.n; i++)
        if (leads_to(&imports.items[i], out->path))
            add_import(out, &imports.items[i], arena);
    if (out->n_dependents)
        qsort(out->dependents, out->n_dependents, sizeof *out->dependents, by_path);
    return st;
}

// ---- what is like it ---------------------------------------------------------------------------

static ken_status find_similar(ken_rulebook *b, size_t n, ken_rulebook_impact *out,
                               const ken_cancel *cancel, ken_arena *arena, ken_err *err)
{
    ken_search_result found = { 0 };
    ken_err why = { 0 };
    ken_search_opts opts = { .mode = KEN_SEARCH_SIMILAR, .limit = (uint32_t)n + 5 };
    ken_str place = ken_arena_printf(arena, KEN_STR_FMT ":1", KEN_STR_ARG(out->path));
    ken_status st = ken_search(b->snapshot, place, &opts, cancel, arena, &found, &why);
    if (st == KEN_ENOTFOUND || st == KEN_EINVAL)
        return KEN_OK; // an empty file, or one without a known word, is like no other
    if (st && err)
        *err = why;
    out->similar = KEN_ARENA_ARRAY(arena, ken_hit, n + 1);
    for (size_t i = 0; !st && i < found.n_hits && out->n_similar < n; i++)
        if (!ken_str_eq(found.hits[i].path, out->path))
            out->similar[out->n_similar++] = found.hits[i];
    return st;
}

ken_status ken_rulebook_find_impact(ken_rulebook *b, ken_str path, size_t n_similar,
                                    const ken_cancel *cancel, ken_arena *arena,
                                    ken_rulebook_impact *out, ken_err *err)
{
    ken_rulebook_impact found = { 0 };
    if (!n_similar || n_similar > KEN_RULEBOOK_RESULTS_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "num_similar: must be 1 to %d, got %zu",
                        KEN_RULEBOOK_RESULTS_MAX, n_similar);
    ken_status st = find_file(b, path, arena, &found.path, err);
    if (!st)
        st = check_indexed(b, found.path, arena, err);
    if (!st)
        st = ken_list_exports(b->snapshot, found.path, NAMES_MAX, arena, &found.exports,
                              &found.n_exports, err);
    if (!st)
        st = find_routes(b, &found, cancel, arena, err);
    if (!st)
        st = find_dependents(b, &found, cancel, arena, err);
    if (!st)
        st = find_similar(b, n_similar, &found, cancel, arena, err);
    if (!st)
        *out = found;
    return st;
}
