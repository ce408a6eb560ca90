// SPDX-License-Identifier: MIT
// Imports of files, one for each module that a file names.
//
// The import graph of the whole tree is cached (code/imports.c). So a list of the importers of given
// files loads only these importers.
#include <stdlib.h>

#include "base/map.h"
#include "query/facts/facts_priv.h"

enum {
    MODULES_MANY = 64 // modules of one file from which on a map is used
};

typedef struct import_list {
    ken_snapshot *s;
    const ken_imports_query *q;
    const uint8_t *is_wanted; // by file: `to` means it; NULL = all
    ken_arena *arena;
    KEN_VEC(ken_import_fact) items;
    ken_vec_u32 bytes; // by item
    ken_map modules;   // of the file in hand, when there are many: place of the item
    uint32_t n_unknown;
} import_list;

// ---- packages -----------------------------------------------------------------------------------

bool ken_is_of_package(ken_str module, ken_str name)
{
    if (!name.len || !ken_str_starts(module, name))
        return false;
    return module.len == name.len || memchr("/.:\\", module.ptr[name.len], 4) != NULL;
}

static bool is_wanted_package(const import_list *l, ken_str module, ken_str name,
                              ken_arena *scratch)
{
    if (!l->is_wanted)
        return true;
    if (ken_str_starts(module, KEN_STR("node:")))
        module = ken_str_sub(module, 5, module.len);
    ken_str whole = name.len ? ken_arena_printf(scratch, KEN_STR_FMT "." KEN_STR_FMT,
                                                KEN_STR_ARG(module), KEN_STR_ARG(name))
                             : module;
    for (size_t i = 0; i < l->q->to.n; i++)
        if (ken_is_of_package(module, l->q->to.items[i]) ||
            ken_is_of_package(whole, l->q->to.items[i]))
            return true;
    return false;
}

// ---- one file -----------------------------------------------------------------------------------

static bool is_wanted_file(const import_list *l, uint32_t from, uint32_t to)
{
    if (l->q->keeps)
        return l->q->keeps(l->q->ctx, from, to);
    return !l->is_wanted || l->is_wanted[to];
}

static bool leads_to_wanted(const import_list *l, uint32_t from, const ken_module *m)
{
    for (uint32_t i = 0; m->kind == KEN_MODULE_FILES && i < m->n_files; i++)
        if (is_wanted_file(l, from, m->files[i]))
            return true;
    return false;
}

static bool has_number(const uint32_t *numbers, uint32_t n, uint32_t file)
{
    for (uint32_t i = 0; i < n; i++)
        if (numbers[i] == file)
            return true;
    return false;
}

static void set_files(const import_list *l, uint32_t *numbers, uint32_t n, ken_import_fact *out)
{
    ken_str *paths = KEN_ARENA_ARRAY(l->arena, ken_str, n + (size_t)1);
    for (uint32_t i = 0; i < n; i++)
        paths[i] = l->s->rows[numbers[i]].path;
    out->files = paths;
    out->numbers = numbers;
    out->n_files = n;
}

// Files that a binding leads to; a name inside a module that is a file itself stands for both.
static void find_files(const import_list *l, uint32_t file, const ken_module *m,
                       const ken_module *inner, ken_import_fact *out)
{
    size_t most = (size_t)m->n_files + inner->n_files;
    uint32_t *numbers = KEN_ARENA_ARRAY(l->arena, uint32_t, most + 1), n = 0;
    for (uint32_t i = 0; m->kind == KEN_MODULE_FILES && i < m->n_files; i++)
        if (m->files[i] != file)
            numbers[n++] = m->files[i];
    uint32_t n_whole = n < 8 ? n : 8; // packages are no files of a name
    for (uint32_t i = 0; inner->kind == KEN_MODULE_FILES && i < inner->n_files; i++)
        if (inner->files[i] != file && !has_number(numbers, n_whole, inner->files[i]))
            numbers[n++] = inner->files[i];
    set_files(l, numbers, n, out);
}

// The item of this file for the same module; NULL = none yet.
static ken_import_fact *same_module(const import_list *l, size_t first, ken_str module)
{
    const uint64_t *place = l->modules.len ? ken_map_find(&l->modules, module) : NULL;
    if (l->modules.len)
        return place ? &l->items.ptr[*place] : NULL;
    for (size_t i = first; i < l->items.len; i++)
        if (ken_str_eq(l->items.ptr[i].module, module))
            return &l->items.ptr[i];
    return NULL;
}

// Looking through all of them would take minutes in a file that imports 100,000.
static void note_modules(import_list *l, size_t first)
{
    size_t n = l->items.len - first;
    for (size_t i = n == MODULES_MANY ? first : l->items.len - 1;
         n >= MODULES_MANY && i < l->items.len; i++)
        ken_map_put(&l->modules, l->items.ptr[i].module, i, NULL);
}

static void forget_modules(import_list *l)
{
    if (!l->modules.len)
        return;
    ken_map_release(&l->modules);
    ken_map_init(&l->modules);
}

static void add_import(import_list *l, uint32_t file, const ken_bind *b,
                       const ken_import_fact *fact)
{
    ken_vec_push(&l->items, *fact);
    ken_vec_push(&l->bytes, b->byte);
    ken_import_fact *f = &l->items.ptr[l->items.len - 1];
    f->path = l->s->rows[file].path;
    f->file = file;
    f->module = ken_query__repaired(l->arena, ken_arena_dup(l->arena, b->module));
    f->name = ken_query__repaired(l->arena, ken_arena_dup(l->arena, b->name));
    f->is_test = ken_query__is_test(l->s, file);
}

// A further name of the same module: a file of its own, perhaps.
static void join_import(import_list *l, ken_import_fact *f, const ken_bind *b,
                        const ken_import_fact *more)
{
    uint32_t n = f->n_files;
    uint32_t *numbers = KEN_ARENA_ARRAY(l->arena, uint32_t, (size_t)f->n_files + more->n_files + 1);
    if (n)
        memcpy(numbers, f->numbers, n * sizeof *numbers);
    for (uint32_t i = 0; i < more->n_files; i++)
        if (!has_number(f->numbers, f->n_files, more->numbers[i]))
            numbers[n++] = more->numbers[i];
    if (n > f->n_files)
        set_files(l, numbers, n, f);
    if (more->target == KEN_IMPORT_FILES)
        f->target = KEN_IMPORT_FILES;
    if (f->is_type_only && !more->is_type_only) {
        f->is_type_only = false;
        l->bytes.ptr[f - l->items.ptr] = b->byte;
    }
}

static void look_at_bind(import_list *l, ken_graph *g, uint32_t file, size_t first,
                         const ken_refs *r, uint32_t i)
{
    const ken_bind *b = &r->binds[i];
    ken_module m, inner;
    if (!b->module.len)
        return;
    ken_graph_bind(g, file, i, &m, &inner);
    bool is_found = m.kind == KEN_MODULE_FILES || inner.kind == KEN_MODULE_FILES;
    bool is_outside = m.kind == KEN_MODULE_EXTERNAL || inner.kind == KEN_MODULE_EXTERNAL;
    ken_import_fact fact = {
        .target = is_found     ? KEN_IMPORT_FILES
                  : is_outside ? KEN_IMPORT_PACKAGE
                               : KEN_IMPORT_UNKNOWN,
        .is_guess = m.is_guess || inner.is_guess,
        .is_type_only = (b->flags & KEN_BIND_TYPE) != 0,
    };
    l->n_unknown += fact.target == KEN_IMPORT_UNKNOWN;
    ken_arena_mark mark = ken_arena_get_mark(l->arena);
    bool is_wanted = is_found ? leads_to_wanted(l, file, &m) || leads_to_wanted(l, file, &inner)
                              : is_wanted_package(l, b->module, b->name, l->arena);
    ken_arena_rewind(l->arena, mark);
    if (!is_wanted)
        return;
    find_files(l, file, &m, &inner, &fact);
    if (is_found && !fact.n_files)
        return; // itself
    ken_import_fact *known = same_module(l, first, b->module);
    if (known)
        join_import(l, known, b, &fact);
    else
        add_import(l, file, b, &fact);
    if (!known)
        note_modules(l, first);
}

static void place_items(import_list *l, uint32_t file, size_t first)
{
    query_lines lines;
    ken_arena scratch;
    ken_arena_init(&scratch, 0);
    if (l->items.len > first && ken_query__lines_of(l->s, file, &scratch, &lines))
        for (size_t i = first; i < l->items.len; i++)
            l->items.ptr[i].at = ken_query__place_at(&lines, l->bytes.ptr[i]);
    ken_arena_release(&scratch);
}

static ken_status look_at(import_list *l, uint32_t file, ken_err *err)
{
    ken_graph *g;
    const ken_unit_text *u;
    ken_status st = ken_query__unit_now(l->s, file, &g, &u, err);
    if (st || !u)
        return st;
    size_t first = l->items.len;
    for (uint32_t i = 0; i < u->refs->n_binds; i++)
        look_at_bind(l, g, file, first, u->refs, i);
    forget_modules(l);
    if (l->q->wants_places)
        place_items(l, file, first);
    return KEN_OK;
}

// ---- all ----------------------------------------------------------------------------------------

static bool has_wanted(const import_list *l, const query_import_graph *g, uint32_t file)
{
    for (uint32_t i = g->starts[file]; i < g->starts[file + 1]; i++)
        if (is_wanted_file(l, file, g->files[i]))
            return true;
    return false;
}

// Whether every glob of `to` fits a file of the tree: then none is the name of a package.
static bool are_all_files(ken_snapshot *s, const ken_str_list *to)
{
    for (size_t i = 0; i < to->n; i++) {
        ken_str_list one = { &to->items[i], 1 };
        uint32_t f = 0;
        while (f < s->n_files && !ken_globs_match(&one, s->rows[f].path))
            f++;
        if (f == s->n_files)
            return false;
    }
    return true;
}

static ken_status list(import_list *l, const uint32_t *files, size_t n, const ken_cancel *cancel,
                       ken_err *err)
{
    const query_import_graph *g = NULL;
    ken_status st = KEN_OK;
    if (l->q->keeps || (l->is_wanted && are_all_files(l->s, &l->q->to)))
        st = ken_query__imports(l->s, cancel, &g, err);
    for (size_t i = 0; !st && i < n; i++) {
        if (!g || has_wanted(l, g, files[i]))
            st = look_at(l, files[i], err);
        else
            l->n_unknown += g->n_unknown[files[i]];
        if (!st)
            st = ken_cancel_check(cancel, err);
    }
    return st;
}

static uint8_t *wanted_files(ken_snapshot *s, const ken_str_list *to, ken_arena *arena)
{
    uint8_t *marks = ken_arena_zalloc(arena, s->n_files + (size_t)1);
    for (uint32_t f = 0; f < s->n_files; f++)
        marks[f] = ken_globs_match(to, s->rows[f].path);
    return marks;
}

ken_status ken_list_imports(ken_snapshot *s, const ken_imports_query *q, const ken_cancel *cancel,
                            ken_arena *arena, ken_imports *out, ken_err *err)
{
    import_list l = { .s = s, .q = q, .arena = arena };
    uint32_t *files;
    size_t n;
    *out = (ken_imports){ .n_files = 0 };
    ken_status st = ken_globs_check(&q->to, err);
    if (!st)
        st = ken_query__scope_files(s, &q->scope, arena, &files, &n, err);
    if (st)
        return st;
    ken_map_init(&l.modules);
    l.is_wanted = q->to.n ? wanted_files(s, &q->to, arena) : NULL;
    st = list(&l, files, n, cancel, err);
    *out = (ken_imports){ ken_arena_copy(arena, l.items.ptr, l.items.len, sizeof *l.items.ptr),
                          l.items.len, (uint32_t)n, l.n_unknown };
    ken_map_release(&l.modules);
    ken_vec_release(&l.items);
    ken_vec_release(&l.bytes);
    return st;
}
