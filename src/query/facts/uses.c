// SPDX-License-Identifier: MIT
// Lists the uses of names, under whatever alias a file imports them.
//
// A wanted name is cut into parts: `os.path.join` is `join` of `os.path`. An expression of a file is
// expanded the same way, from the import that binds its first name: after `from os import path as p`,
// `p.join` is `os.path.join`. An expression that resolves to a definition of the tree is compared by
// that definition's name instead, so that a local thing of the same name does not count.
#include "base/map.h"
#include "query/facts/facts_priv.h"

enum {
    FULL_MAX = 400, // bytes of a name written out
    DEPTH_MAX = 12
};

typedef struct asked_name {
    ken_str path;   // file that defines it, empty = any
    ken_str full;   // "os.path.join", separators made dots
    ken_str last;   // "join"
    bool is_member; // ".unwrap": of anything
    bool is_bare;
} asked_name;

typedef struct use_list {
    ken_snapshot *s;
    ken_arena *arena;
    const uint8_t *in_scope;
    asked_name *names;
    uint32_t n_names;
    ken_map lasts; // last parts of the names
    ken_graph *g;
    const ken_unit_text *unit;
    uint32_t file;
    KEN_VEC(ken_name_use) items;
    KEN_VEC(ken_ref) refs; // by item
} use_list;

// ---- the wanted names ---------------------------------------------------------------------------

// "::", "->" and "#" become dots.
static ken_str dotted(ken_arena *arena, ken_str text)
{
    char *out = ken_arena_alloc(arena, text.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < text.len; i++) {
        ken_str two = ken_str_sub(text, i, i + 2);
        bool is_pair = ken_str_eq(two, KEN_STR("::")) || ken_str_eq(two, KEN_STR("->"));
        out[n++] = is_pair || text.ptr[i] == '#' || text.ptr[i] == '/' ? '.' : text.ptr[i];
        i += is_pair;
    }
    return ken_str_n(out, n);
}

static ken_status read_name(ken_arena *arena, ken_str text, asked_name *out, ken_err *err)
{
    ken_str name = ken_str_trim(text);
    *out = (asked_name){ .is_member = ken_str_starts(name, KEN_STR(".")) };
    if (out->is_member)
        name = ken_str_sub(name, 1, name.len);
    size_t colon = ken_str_rfind_char(name, ':');
    if (colon != SIZE_MAX && colon && name.ptr[colon - 1] != ':') {
        out->path = ken_str_sub(name, 0, colon);
        name = ken_str_sub(name, colon + 1, name.len);
    }
    while (ken_str_ends(name, KEN_STR("!")) || ken_str_ends(name, KEN_STR("()")))
        name.len -= ken_str_ends(name, KEN_STR("!")) ? 1 : 2;
    out->full = dotted(arena, name);
    size_t dot = ken_str_rfind_char(out->full, '.');
    out->last = ken_str_sub(out->full, dot == SIZE_MAX ? 0 : dot + 1, out->full.len);
    out->is_bare = dot == SIZE_MAX && !out->is_member;
    if (!out->last.len || out->full.len > FULL_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "name: '%.*s' is not a name",
                        text.len < 80 ? (int)text.len : 80, text.ptr);
    return KEN_OK;
}

ken_status ken_names_check(const ken_str_list *names, ken_err *err)
{
    asked_name unused;
    ken_arena scratch;
    ken_arena_init(&scratch, 4096);
    ken_status st = KEN_OK;
    for (size_t i = 0; !st && i < names->n; i++)
        st = read_name(&scratch, names->items[i], &unused, err);
    ken_arena_release(&scratch);
    return st;
}

static ken_status read_names(use_list *l, const ken_str_list *names, ken_err *err)
{
    if (names->n > KEN_NAMES_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "names: %zu are over %d", names->n, KEN_NAMES_MAX);
    l->n_names = (uint32_t)names->n;
    l->names = KEN_ARENA_ARRAY(l->arena, asked_name, names->n + 1);
    ken_status st = KEN_OK;
    for (uint32_t i = 0; !st && i < l->n_names; i++)
        st = read_name(l->arena, names->items[i], &l->names[i], err);
    for (uint32_t i = 0; !st && i < l->n_names; i++)
        ken_map_put(&l->lasts, l->names[i].last, 1, NULL);
    return st;
}

// ---- a name written out -------------------------------------------------------------------------

typedef struct full_name {
    char text[FULL_MAX];
    size_t len;
    bool is_whole; // false: it begins with what has no name, or is too long
} full_name;

static void append(full_name *f, ken_str part)
{
    if (f->len && f->len < FULL_MAX)
        f->text[f->len++] = '.';
    if (part.len > FULL_MAX - f->len)
        f->is_whole = false;
    else if (part.len)
        memcpy(f->text + f->len, part.ptr, part.len);
    f->len += f->is_whole ? part.len : 0;
}

static const ken_bind *bind_of(const ken_refs *r, ken_str local)
{
    for (uint32_t i = 0; i < r->n_binds; i++)
        if (r->binds[i].module.len && ken_str_eq(r->binds[i].local, local))
            return &r->binds[i];
    return NULL;
}

static ken_str module_name(const ken_bind *b)
{
    ken_str m = b->module;
    return ken_str_starts(m, KEN_STR("node:")) ? ken_str_sub(m, 5, m.len) : m;
}

static void write_name(full_name *f, const ken_refs *r, ken_str name)
{
    const ken_bind *b = bind_of(r, name);
    if (!b) {
        append(f, name);
        return;
    }
    append(f, module_name(b));
    if (b->kind == KEN_BIND_NAME && b->name.len && !ken_str_eq(b->name, KEN_STR("default")))
        append(f, b->name);
}

static void write_out(full_name *f, const ken_refs *r, ken_expr_id expr, int depth)
{
    const ken_expr *e = &r->exprs[expr];
    if (e->op == KEN_EXPR_MEMBER && depth < DEPTH_MAX) {
        write_out(f, r, e->a, depth + 1);
        append(f, e->name);
    } else if (e->op == KEN_EXPR_NAME) {
        write_name(f, r, e->name);
    } else if (e->op == KEN_EXPR_AWAIT && depth < DEPTH_MAX) {
        write_out(f, r, e->a, depth + 1);
    } else {
        f->is_whole = false;
    }
}

// Module texts with slashes and colons are compared part by part, too.
static ken_str as_dots(full_name *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->len; i++) {
        bool is_mark = f->text[i] == '/' || f->text[i] == ':' || f->text[i] == '\\';
        char c = is_mark ? '.' : f->text[i];
        if (c != '.' || (n && f->text[n - 1] != '.'))
            f->text[n++] = c;
    }
    f->len = n;
    return ken_str_n(f->text, n);
}

// `full` is `name`, or ends with it behind a dot.
static bool ends_with_name(ken_str full, ken_str name)
{
    return ken_str_ends(full, name) &&
           (full.len == name.len || full.ptr[full.len - name.len - 1] == '.');
}

// ---- selecting places ---------------------------------------------------------------------------

// A definition of the tree, by its own name; without a path, only from other files.
static bool is_target(use_list *l, const asked_name *a, const ken_targets *t)
{
    for (uint32_t i = 0; i < t->n; i++) {
        ken_graph_node node;
        ken_arena_mark mark = ken_arena_get_mark(l->arena);
        bool is_meant = ken_query__graph_name(l->s, t->defs[i], l->arena, &node) &&
                        ends_with_name(dotted(l->arena, node.qualified), a->full) &&
                        (a->path.len ? ken_str_eq(node.path, a->path) : t->defs[i].file != l->file);
        bool is_top = node.qualified.len == node.name.len || !a->is_bare;
        ken_arena_rewind(l->arena, mark);
        if (is_meant && is_top)
            return true;
    }
    return false;
}

static bool is_meant(use_list *l, const asked_name *a, const ken_ref *r, const ken_targets *t)
{
    const ken_expr *e = &l->unit->refs->exprs[r->expr];
    if (a->is_member)
        return e->op == KEN_EXPR_MEMBER && ken_str_eq(e->name, a->full);
    if (t->n || a->path.len)
        return is_target(l, a, t);
    full_name f = { .is_whole = true };
    write_out(&f, l->unit->refs, r->expr, 0);
    if (!f.is_whole)
        return false;
    ken_str full = as_dots(&f);
    if (a->is_bare) // a name as it is, or one that an import brought from wherever
        return e->op == KEN_EXPR_NAME && ends_with_name(full, a->full);
    return ends_with_name(full, a->full);
}

// ---- one file -----------------------------------------------------------------------------------

// Which expressions of the file in hand may be one of the names; in the arena.
static uint8_t *mark_exprs(use_list *l)
{
    const ken_refs *r = l->unit->refs;
    uint8_t *marks = ken_arena_zalloc(l->arena, r->n_exprs + (size_t)1);
    for (uint32_t i = 1; i < r->n_exprs; i++) {
        const ken_expr *e = &r->exprs[i];
        if (e->op != KEN_EXPR_NAME && e->op != KEN_EXPR_MEMBER)
            continue;
        const ken_bind *b = e->op == KEN_EXPR_NAME ? bind_of(r, e->name) : NULL;
        marks[i] = ken_map_find(&l->lasts, e->name) || (b && ken_map_find(&l->lasts, b->name));
    }
    return marks;
}

static void look_at_ref(use_list *l, const ken_ref *r)
{
    ken_targets t;
    ken_graph_resolve_ref(l->g, l->file, r, &t);
    for (uint32_t i = 0; i < l->n_names; i++) {
        if (!is_meant(l, &l->names[i], r, &t))
            continue;
        ken_name_use use = { .path = l->s->rows[l->file].path,
                             .name = i,
                             .role = r->role,
                             .class = t.class,
                             .is_test = ken_query__is_test(l->s, l->file) };
        ken_vec_push(&l->items, use);
        ken_vec_push(&l->refs, *r);
    }
}

static void place_items(use_list *l, size_t first)
{
    query_lines lines;
    ken_arena scratch;
    ken_arena_init(&scratch, 0);
    bool is_read = l->items.len > first && ken_query__lines_of(l->s, l->file, &scratch, &lines);
    for (size_t i = first; is_read && i < l->items.len; i++) {
        const ken_ref *r = &l->refs.ptr[i];
        ken_name_use *use = &l->items.ptr[i];
        ken_str written =
            ken_query__written(lines.text, r->byte, l->unit->refs->exprs[r->expr].name);
        use->at = ken_query__place_at(&lines, r->byte);
        use->written = ken_query__repaired(l->arena, ken_arena_dup(l->arena, written));
    }
    ken_arena_release(&scratch);
}

static ken_status look_at(use_list *l, uint32_t file, ken_err *err)
{
    l->file = file;
    ken_status st = ken_query__unit_now(l->s, file, &l->g, &l->unit, err);
    if (st || !l->unit)
        return st;
    size_t first = l->items.len;
    const ken_refs *r = l->unit->refs;
    const uint8_t *marks = mark_exprs(l);
    for (uint32_t i = 0; i < r->n_refs; i++)
        if (marks[r->refs[i].expr])
            look_at_ref(l, &r->refs[i]);
    place_items(l, first);
    return KEN_OK;
}

// Files in scope that contain one of the names.
static ken_status mark_files(use_list *l, uint8_t *marked, ken_err *err)
{
    ken_graph *g;
    ken_status st = ken_query__graph_open(l->s, &g, err);
    for (uint32_t i = 0; !st && i < l->n_names; i++) {
        uint32_t *files;
        size_t n;
        st = ken_query__graph_files_with(l->s, l->names[i].last, l->arena, &files, &n, err);
        for (size_t k = 0; !st && k < n; k++)
            marked[files[k]] = l->in_scope[files[k]];
    }
    return st;
}

static ken_status list(use_list *l, const ken_cancel *cancel, ken_name_uses *out, ken_err *err)
{
    uint8_t *marked = ken_arena_zalloc(l->arena, l->s->n_files + (size_t)1);
    ken_status st = mark_files(l, marked, err);
    for (uint32_t f = 0; !st && f < l->s->n_files; f++) {
        if (!marked[f])
            continue;
        st = look_at(l, f, err);
        out->n_files++;
        if (!st)
            st = ken_cancel_check(cancel, err);
    }
    return st;
}

ken_status ken_list_name_uses(ken_snapshot *s, const ken_facts_scope *scope,
                              const ken_str_list *names, const ken_cancel *cancel, ken_arena *arena,
                              ken_name_uses *out, ken_err *err)
{
    use_list l = { .s = s, .arena = arena };
    uint8_t *in_scope;
    *out = (ken_name_uses){ .n_files = 0 };
    ken_map_init(&l.lasts);
    ken_status st = ken_query__scope_marks(s, scope, arena, &in_scope, err);
    l.in_scope = in_scope;
    if (!st)
        st = read_names(&l, names, err);
    if (!st)
        st = list(&l, cancel, out, err);
    out->items = KEN_ARENA_ARRAY(arena, ken_name_use, l.items.len + 1);
    if (!st && l.items.len) {
        memcpy(out->items, l.items.ptr, l.items.len * sizeof *out->items);
        out->n = l.items.len;
    }
    ken_map_release(&l.lasts);
    ken_vec_release(&l.items);
    ken_vec_release(&l.refs);
    return st;
}
