// SPDX-License-Identifier: MIT
// find_usages: every place that refers to a definition, by file, with what could not be resolved.
#include <stdlib.h>

#include "base/assert.h"
#include "query/query_graph_priv.h"

enum {
    USAGES_DEFAULT = 100,
    USAGES_MAX = 1000,
    UNRESOLVED_SHOWN = 10,
    NODES_MAX = 50
};

// ---- the symbol --------------------------------------------------------------------------------

// "path/to/file.c:name" names its file.
static ken_str split_path(ken_str name, ken_str *hint)
{
    size_t colon = ken_str_rfind_char(name, ':');
    if (colon == SIZE_MAX || !colon || name.ptr[colon - 1] == ':' ||
        ken_str_find_char(ken_str_sub(name, 0, colon), '/') == SIZE_MAX)
        return name;
    if (!hint->len)
        *hint = ken_str_sub(name, 0, colon);
    return ken_str_sub(name, colon + 1, name.len);
}

// "path/to/file.c:12": a line of a file; true when it is one. Lines are 0-based.
static bool split_line(ken_str name, ken_str *out_path, uint32_t *out_line)
{
    uint64_t line = 0;
    size_t colon = ken_str_rfind_char(name, ':');
    if (colon == SIZE_MAX || !colon || name.ptr[colon - 1] == ':' ||
        !ken_str_parse_u64(ken_str_sub(name, colon + 1, name.len), &line) || !line ||
        line > UINT32_MAX)
        return false;
    *out_path = ken_str_sub(name, 0, colon);
    *out_line = (uint32_t)line - 1;
    return true;
}

// The file of that path, or the only one whose path ends with it.
static ken_status find_file(const ken_snapshot *s, ken_str path, ken_arena *arena, int64_t *out,
                            ken_err *err)
{
    enum {
        SHOWN_MAX = 5
    };
    while (ken_str_starts(path, KEN_STR("./")))
        path = ken_str_sub(path, 2, path.len);
    *out = ken_query__file_index(s, path);
    ken_str end = ken_arena_printf(arena, "/" KEN_STR_FMT, KEN_STR_ARG(path)), all = { "", 0 };
    uint32_t n = 0;
    for (uint32_t i = 0; *out < 0 && i < s->n_files && n < SHOWN_MAX; i++)
        if (ken_str_ends(s->rows[i].path, end))
            all = ken_arena_printf(arena, KEN_STR_FMT "%s'" KEN_STR_FMT "'", KEN_STR_ARG(all),
                                   n++ ? ", " : "", KEN_STR_ARG(s->rows[i].path));
    if (n == 1)
        *out = ken_query__file_index(s, ken_str_sub(all, 1, all.len - 1));
    if (*out >= 0)
        return KEN_OK;
    if (n)
        return KEN_FAIL(err, KEN_EINVAL,
                        "'" KEN_STR_FMT "' is the end of several paths: " KEN_STR_FMT
                        "; give the whole one",
                        KEN_STR_ARG(path), KEN_STR_ARG(all));
    return ken_query__fail_unknown(s, path, arena, err);
}

// The innermost definition that reaches over the line; one that begins there before others.
static int64_t def_at_line(const ken_facts *facts, uint32_t line)
{
    int64_t best = -1;
    for (uint32_t i = 0; i < facts->n_symbols; i++) {
        const ken_symbol *sym = &facts->symbols[i];
        if (sym->first_line > line || sym->last_line < line)
            continue;
        if (best < 0 || facts->symbols[best].first_line != line)
            best = i;
    }
    return best;
}

static ken_status find_at_line(ken_snapshot *s, ken_str path, uint32_t line, ken_arena *arena,
                               ken_graph_nodes *out, ken_err *err)
{
    int64_t file;
    ken_graph *g;
    ken_status st = ken_query__graph_open(s, &g, err);
    if (!st)
        st = find_file(s, path, arena, &file, err);
    if (st)
        return st;
    const ken_unit_text *u = ken_graph_unit(g, (uint32_t)file);
    int64_t def = u ? def_at_line(u->facts, line) : -1;
    out->nodes = KEN_ARENA_ARRAY(arena, ken_graph_node, 1);
    ken_graph_def id = { (uint32_t)file, (ken_def_id)def };
    if (def < 0 || !ken_query__graph_node(s, id, arena, &out->nodes[0]))
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "no definition reaches over line %u of '" KEN_STR_FMT
                        "'; outline lists those there are",
                        line + 1, KEN_STR_ARG(path));
    out->n = out->n_total = 1;
    return KEN_OK;
}

static ken_status not_found(ken_snapshot *s, ken_str name, ken_arena *arena, ken_err *err)
{
    ken_definition_result near;
    ken_status st = ken_find_definition(s, &(ken_definition_opts){ .name = name, .limit = 1 },
                                        arena, &near, err);
    if (st)
        return st;
    ken_str text = ken_definition_near(&near, arena);
    return KEN_FAIL(err, KEN_ENOTFOUND,
                    "no definition of '" KEN_STR_FMT "' is in the index" KEN_STR_FMT,
                    KEN_STR_ARG(name), KEN_STR_ARG(text));
}

// Choices that there is no room for.
static size_t count_more(const ken_snapshot *s, const query_names *names, size_t limit,
                         ken_str chosen_path)
{
    size_t n = 0;
    for (size_t i = limit; i < names->len; i++)
        n += ken_str_find(s->rows[names->ptr[i].file].path, chosen_path) != SIZE_MAX;
    return n;
}

static ken_status find_nodes(ken_snapshot *s, ken_str name, ken_str file_hint, size_t limit,
                             bool is_entry, ken_arena *arena, ken_graph_nodes *out, ken_err *err)
{
    *out = (ken_graph_nodes){ 0 };
    name = ken_str_trim(name);
    if (!name.len || name.len > 500)
        return KEN_FAIL(err, KEN_EINVAL, "symbol: expected 1 to 500 bytes, got %zu", name.len);
    ken_str path;
    uint32_t line;
    if (split_line(name, &path, &line))
        return find_at_line(s, path, line, arena, out, err);
    name = split_path(name, &file_hint);
    query_names names = { 0 };
    ken_graph *g;
    ken_status st = ken_query__graph_open(s, &g, err);
    if (!st)
        st = ken_query__find_names(s, name, file_hint, arena, &names, err);
    if (!st)
        st =
            ken_query__put_meant_first(s, g, file_hint, is_entry, arena, &names, &out->n_uses, err);
    out->missed_scope = ken_arena_dup(arena, ken_query__missed_scope(&names, name));
    if (!st && names.len && ken_str_find(s->rows[names.ptr[0].file].path, file_hint) != SIZE_MAX)
        out->chosen_path = file_hint;
    else if (names.len && !out->missed_scope.len)
        out->missed_scope = ken_arena_dup(arena, file_hint);
    limit = !limit || limit > NODES_MAX ? NODES_MAX : limit;
    out->n_more = count_more(s, &names, limit, out->chosen_path);
    out->nodes = KEN_ARENA_ARRAY(arena, ken_graph_node, limit);
    for (size_t i = 0; !st && i < names.len; i++) {
        st = ken_quota_check(err);
        ken_graph_def def = { names.ptr[i].file, names.ptr[i].symbol };
        out->n_total++;
        bool is_first = !out->n; // it alone is shown with its signature
        out->n += out->n < limit && (is_first ? ken_query__graph_node : ken_query__graph_name)(
                                        s, def, arena, &out->nodes[out->n]);
    }
    ken_vec_release(&names);
    if (!st && !out->n)
        st = not_found(s, name, arena, err);
    return st;
}

ken_status ken_graph_find(ken_snapshot *s, ken_str name, ken_str file_hint, size_t limit,
                          ken_arena *arena, ken_graph_nodes *out, ken_err *err)
{
    return find_nodes(s, name, file_hint, limit, false, arena, out, err);
}

ken_status ken_query__find_entry(ken_snapshot *s, ken_str name, ken_str file_hint, ken_arena *arena,
                                 ken_graph_nodes *out, ken_err *err)
{
    return find_nodes(s, name, file_hint, 0, true, arena, out, err);
}

static bool is_same_place(const ken_graph_node *a, const ken_graph_node *b)
{
    return a->id.file == b->id.file && a->first_line == b->first_line &&
           ken_str_eq(a->qualified, b->qualified);
}

ken_graph_chosen ken_query__other_choices(ken_graph *g, const ken_graph_nodes *found,
                                          ken_arena *arena, ken_graph_node **out, size_t *out_n)
{
    ken_graph_def twins[QUERY_TWINS];
    KEN_ASSERT(found->nodes);
    uint32_t n_twins = ken_graph_twins(g, found->nodes[0].id, twins, QUERY_TWINS);
    *out = KEN_ARENA_ARRAY(arena, ken_graph_node, found->n);
    *out_n = 0;
    for (size_t i = 1; i < found->n; i++) {
        const ken_graph_node *node = &found->nodes[i];
        bool is_other = ken_str_find(node->path, found->chosen_path) != SIZE_MAX &&
                        !is_same_place(node, &found->nodes[0]);
        for (uint32_t k = 0; is_other && k < n_twins; k++)
            is_other = !ken_graph_def_eq(twins[k], node->id);
        for (size_t k = 0; is_other && k < *out_n; k++)
            is_other = !is_same_place(node, &(*out)[k]);
        if (is_other)
            (*out)[(*out_n)++] = *node;
    }
    return (ken_graph_chosen){ *out_n + found->n_more, found->n_uses > 0 };
}

// ---- places ------------------------------------------------------------------------------------

static ken_str qualified_of(ken_snapshot *s, uint32_t file, int64_t within, ken_arena *arena)
{
    ken_graph_node n;
    if (within < 0 ||
        !ken_query__graph_name(s, (ken_graph_def){ file, (ken_def_id)within }, arena, &n))
        return KEN_STR("");
    return n.qualified;
}

typedef struct page {
    ken_snapshot *s;
    ken_graph *g;
    const ken_usages_opts *o;
    ken_arena *arena;
    size_t n_passed, n_shown, limit;
    bool is_stale; // a file on disk is not the one in the graph
} page;

static void place_of(const uint32_t *starts, uint32_t n_lines, uint32_t byte, ken_usage *out)
{
    out->line = ken_line_of(starts, n_lines, byte);
    out->column = byte - starts[out->line];
}

static ken_str line_at(ken_str text, const uint32_t *starts, uint32_t n_lines, uint32_t line)
{
    uint32_t from = starts[line], to = line + 1 < n_lines ? starts[line + 1] : (uint32_t)text.len;
    while (to > from && (text.ptr[to - 1] == '\n' || text.ptr[to - 1] == '\r'))
        to--;
    return ken_str_sub(text, from, to);
}

static void quote(page *p, ken_str text, const uint32_t *starts, uint32_t n_lines, ken_usage *u)
{
    if (!p->o->wants_text && !p->o->context_lines)
        return;
    u->text = ken_query__repaired(p->arena, line_at(text, starts, n_lines, u->line));
    uint32_t n = p->o->context_lines;
    if (!n)
        return;
    uint32_t from = u->line > n ? u->line - n : 0;
    uint32_t to = u->line + n + 1 < n_lines ? u->line + n + 1 : n_lines;
    uint32_t end = to < n_lines ? starts[to] : (uint32_t)text.len;
    u->before = ken_query__repaired(p->arena, ken_str_sub(text, starts[from], starts[u->line]));
    if (u->line + 1 < n_lines)
        u->after = ken_query__repaired(p->arena, ken_str_sub(text, starts[u->line + 1], end));
}

// The usages of one file; its text is read once.
static void show_file(page *p, const query_edge *edges, size_t n, ken_usage_file *out)
{
    uint32_t file = edges[0].file;
    query_text t;
    p->is_stale = p->is_stale || ken_query__graph_is_stale(p->s, file);
    if (ken_query__load_text(p->s, file, p->arena, &t, NULL))
        return;
    bool is_read = ken_query__need_text(&t);
    ken_query__close_text(&t);
    if (!is_read)
        return;
    const ken_unit_text *u = ken_graph_unit(p->g, file);
    p->is_stale = p->is_stale || !u; // let go of, and gone from the index since
    if (!u)
        return;
    uint32_t n_lines = ken_line_starts(t.text, NULL, 0);
    uint32_t *starts = KEN_ARENA_ARRAY(p->arena, uint32_t, n_lines + 1);
    ken_line_starts(t.text, starts, n_lines);
    *out = (ken_usage_file){ .path = p->s->rows[file].path,
                             .language = ken_str_c(ken_lang_name((ken_lang_id)u->lang)),
                             .is_test = ken_query__is_test(p->s, file),
                             .is_generated = ken_query__is_generated(p->s, file),
                             .usages = KEN_ARENA_ARRAY(p->arena, ken_usage, n) };
    for (size_t i = 0; i < n; i++) {
        const ken_ref *r = &u->refs->refs[edges[i].ref];
        if (p->n_passed++ < p->o->offset || p->n_shown >= p->limit || r->byte >= t.text.len)
            continue;
        p->n_shown++;
        ken_usage *use = &out->usages[out->n++];
        *use = (ken_usage){ .role = edges[i].role,
                            .class = edges[i].class,
                            .name = ken_arena_dup(p->arena, u->refs->exprs[r->expr].name),
                            .within = qualified_of(p->s, file, edges[i].within, p->arena),
                            .evidence = ken_query__evidence(p->arena, edges[i].evidence) };
        place_of(starts, n_lines, r->byte, use);
        quote(p, t.text, starts, n_lines, use);
    }
}

// ---- files in order ----------------------------------------------------------------------------

typedef struct file_group {
    const query_edge *edges;
    size_t n;
    bool is_own, is_test;
} file_group;

static int by_interest(const void *a, const void *b)
{
    const file_group *x = a, *y = b;
    if (x->is_own != y->is_own)
        return x->is_own ? -1 : 1;
    if (x->is_test != y->is_test)
        return x->is_test ? 1 : -1;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return (x->edges->file > y->edges->file) - (x->edges->file < y->edges->file);
}

static file_group *group(ken_snapshot *s, const query_edges *edges, uint32_t own, ken_arena *arena,
                         size_t *out_n)
{
    file_group *groups = KEN_ARENA_ARRAY(arena, file_group, edges->len + 1);
    size_t n = 0;
    for (size_t i = 0; i < edges->len; i++) {
        const query_edge *e = &edges->ptr[i];
        if (!n || groups[n - 1].edges->file != e->file)
            groups[n++] = (file_group){ e, 0, e->file == own, ken_query__is_test(s, e->file) };
        groups[n - 1].n++;
    }
    if (n)
        qsort(groups, n, sizeof *groups, by_interest);
    *out_n = n;
    return groups;
}

// Those that are passed over for an offset are not looked into.
static void expect_groups(const page *p, const file_group *groups, size_t n)
{
    uint32_t *files = KEN_ARENA_ARRAY(p->arena, uint32_t, n + 1);
    size_t n_files = 0, n_passed = 0;
    for (size_t i = 0; i < n && n_passed < (size_t)p->o->offset + p->limit; i++) {
        n_passed += groups[i].n;
        if (n_passed > p->o->offset)
            files[n_files++] = groups[i].edges->file;
    }
    ken_query__expect_files(p->s, files, n_files);
}

static void show(page *p, const query_edges *edges, uint32_t own, ken_usage_file **out,
                 size_t *out_n)
{
    size_t n;
    file_group *groups = group(p->s, edges, own, p->arena, &n);
    *out = KEN_ARENA_ARRAY(p->arena, ken_usage_file, n + 1);
    expect_groups(p, groups, n);
    for (size_t i = 0; i < n && p->n_shown < p->limit && !ken_quota_is_over(); i++) {
        if (p->n_passed + groups[i].n <= p->o->offset) {
            p->n_passed += groups[i].n;
            continue;
        }
        ken_usage_file *f = &(*out)[*out_n];
        show_file(p, groups[i].edges, groups[i].n, f);
        *out_n += f->n > 0;
    }
}

// Applies the filters of the options, and counts.
static void narrow(ken_snapshot *s, ken_graph *g, const ken_usages_opts *o, query_edges *edges,
                   ken_usages *out)
{
    size_t n = 0;
    for (size_t i = 0; i < edges->len; i++) {
        query_edge e = edges->ptr[i];
        bool is_test = ken_query__is_test_at(s, g, e.file, e.within);
        out->n_by_role[e.role]++;
        out->n_test_usages += is_test;
        bool is_left_out = o->tests == (is_test ? KEN_TESTS_EXCLUDE : KEN_TESTS_ONLY);
        if (is_left_out || (o->roles && !(o->roles & (1u << e.role))))
            continue;
        edges->ptr[n++] = e;
    }
    edges->len = n;
    out->n_total = n;
}

static void split_twins(ken_snapshot *s, ken_graph *g, const ken_graph_nodes *found,
                        ken_arena *arena, ken_usages *out)
{
    ken_graph_def twins[QUERY_TWINS];
    KEN_ASSERT(found->nodes);
    uint32_t n = ken_graph_twins(g, found->nodes[0].id, twins, QUERY_TWINS);
    out->defs = KEN_ARENA_ARRAY(arena, ken_graph_node, found->n);
    out->chosen = ken_query__other_choices(g, found, arena, &out->others, &out->n_others);
    for (size_t i = 0; i < found->n; i++) {
        bool is_twin = false;
        for (uint32_t k = 0; k < n; k++)
            is_twin = is_twin || ken_graph_def_eq(twins[k], found->nodes[i].id);
        if (is_twin && i && !is_same_place(&found->nodes[i], &found->nodes[0]))
            out->n_defs +=
                ken_query__graph_node(s, found->nodes[i].id, arena, &out->defs[out->n_defs]);
        else if (!i)
            out->defs[out->n_defs++] = found->nodes[i];
    }
}

// Whether an answer shows who calls it, or, of what cannot be called, who uses it. An import is no
// use.
static bool is_called(const ken_graph_node *def, const query_edges *edges)
{
    bool is_callable = ken_symbol_is_callable(def->kind);
    for (size_t i = 0; i < edges->len; i++) {
        ken_ref_role role = edges->ptr[i].role;
        bool is_call = role == KEN_REF_CALL || role == KEN_REF_NEW || role == KEN_REF_DECORATE;
        if (is_call || (!is_callable && role != KEN_REF_IMPORT))
            return true;
    }
    return false;
}

static ken_str undefined_text(ken_str name, ken_arena *arena)
{
    return ken_arena_printf(arena, "no definition of '" KEN_STR_FMT "' is in the index",
                            KEN_STR_ARG(name));
}

// Of a name that nothing defines; fails as `why` says when nothing uses it either.
static ken_status find_undefined(ken_snapshot *s, ken_graph *g, const ken_usages_opts *o,
                                 const ken_err *why, const ken_cancel *cancel, ken_arena *arena,
                                 query_edges *edges, ken_usages *out, ken_err *err)
{
    ken_str name = ken_str_trim(o->name), scope;
    ken_status st = ken_query__edges_of_name(s, g, name, cancel, arena, edges, err);
    ken_str last = ken_query__last_name(name, &scope);
    if (!st && !edges->len && !scope.len && !ken_quota_is_settled())
        st = ken_query__text_mentions(s, g, last, cancel, arena, &out->in_text, err);
    if (st)
        return st;
    if (!edges->len && !out->in_text.n_lines && !ken_quota_is_settled()) {
        if (err)
            *err = *why;
        return KEN_ENOTFOUND;
    }
    out->undefined = ken_arena_dup(arena, ken_str_c(why->msg));
    if (edges->len) // the name exists, so near names would mislead
        out->undefined = undefined_text(name, arena);
    return KEN_OK;
}

// A line of a file, or a definition in a file, is that or nothing.
static bool is_bare_name(const ken_usages_opts *o)
{
    ken_str name = ken_str_trim(o->name), path = KEN_STR("");
    uint32_t line;
    bool has_line = split_line(name, &path, &line);
    (void)split_path(name, &path);
    return !has_line && !path.len && !o->file_hint.len;
}

// A definition whose name differs from the wanted one in case only.
static bool is_in_other_case(const ken_graph_node *node, ken_str asked)
{
    ken_str scope, owner, last = ken_query__last_name(ken_str_trim(asked), &scope);
    (void)ken_query__last_name(node->qualified, &owner);
    return !ken_str_eq(node->name, last) ||
           (scope.len && ken_str_eq_fold(owner, scope) && !ken_str_eq(owner, scope));
}

// Where nothing is defined in the case that was asked for but the name is used in it, it is a name of a
// library: `useState` is not the tree's own `usestate`.
static ken_status find_in_own_case(ken_snapshot *s, ken_graph *g, const ken_usages_opts *o,
                                   const ken_graph_nodes *near, const ken_cancel *cancel,
                                   ken_arena *arena, query_edges *edges, ken_usages *out,
                                   ken_err *err)
{
    KEN_ASSERT(near->nodes);
    if (!is_bare_name(o) || !is_in_other_case(&near->nodes[0], o->name))
        return KEN_OK;
    ken_str name = ken_str_trim(o->name);
    ken_status st = ken_query__edges_of_name(s, g, name, cancel, arena, edges, err);
    if (st || !edges->len)
        return st;
    out->undefined = undefined_text(name, arena);
    out->others = near->nodes;
    out->n_others = near->n;
    out->chosen.n_others_total = near->n + near->n_more;
    return KEN_OK;
}

static ken_status find(ken_snapshot *s, const ken_usages_opts *o, const ken_cancel *cancel,
                       ken_arena *arena, query_edges *edges, query_edges *unresolved,
                       ken_usages *out, ken_err *err)
{
    ken_graph_nodes found;
    ken_graph *g = NULL;
    ken_err why = { 0 };
    *out = (ken_usages){ 0 };
    ken_status st = ken_query__graph_open(s, &g, err);
    if (st)
        return st;
    st = ken_graph_find(s, o->name, o->file_hint, 0, arena, &found, &why);
    if (st == KEN_ENOTFOUND && is_bare_name(o))
        return find_undefined(s, g, o, &why, cancel, arena, edges, out, err);
    if (st) {
        if (err)
            *err = why;
        return st;
    }
    st = find_in_own_case(s, g, o, &found, cancel, arena, edges, out, err);
    if (st || out->undefined.len)
        return st;
    out->missed_scope = found.missed_scope;
    split_twins(s, g, &found, arena, out);
    query_other_uses others = { 0, 0 };
    st = ken_query__edges_counted(s, g, &found.nodes[0].id, 1, cancel, arena, edges, unresolved,
                                  &others, err);
    if (!st)
        st = ken_query__edges_through(s, g, cancel, arena, edges, err);
    if (!st)
        st = ken_query__note_damaged(s, g, found.nodes[0].id, cancel, arena, err);
    if (st || is_called(&found.nodes[0], edges))
        return st;
    out->n_elsewhere = others.n_elsewhere;
    out->n_outside = others.n_outside;
    if (unresolved->len + others.n_elsewhere + others.n_outside || ken_quota_is_settled())
        return KEN_OK;
    return ken_query__text_mentions(s, g, found.nodes[0].name, cancel, arena, &out->in_text, err);
}

// What is shown of them. The files that are quoted must be those that the graph knows; false when
// one is not.
static bool show_all(ken_snapshot *s, const ken_usages_opts *o, const query_edges *edges,
                     const query_edges *unresolved, ken_arena *arena, ken_usages *out)
{
    page p = { .s = s, .g = ken_query__graph_at_hand(s), .o = o, .arena = arena };
    p.limit = o->limit ? o->limit : USAGES_DEFAULT;
    uint32_t own = out->n_defs ? out->defs[0].id.file : UINT32_MAX;
    show(&p, edges, own, &out->files, &out->n_files);
    out->is_truncated = p.n_shown + o->offset < out->n_total;
    ken_usages_opts first = *o;
    first.offset = 0;
    page rest = { .s = s, .g = p.g, .o = &first, .arena = arena, .limit = UNRESOLVED_SHOWN };
    show(&rest, unresolved, UINT32_MAX, &out->unresolved, &out->n_unresolved_files);
    return !p.is_stale && !rest.is_stale;
}

static ken_status find_and_show(ken_snapshot *s, const ken_usages_opts *o, const ken_cancel *cancel,
                                ken_arena *arena, bool *out_is_right, ken_usages *out, ken_err *err)
{
    query_edges edges = { 0 }, unresolved = { 0 };
    ken_status st = find(s, o, cancel, arena, &edges, &unresolved, out, err);
    if (!st) {
        narrow(s, ken_query__graph_at_hand(s), o, &edges, out);
        out->n_unresolved = unresolved.len;
        *out_is_right = show_all(s, o, &edges, &unresolved, arena, out);
        st = ken_cancel_check(cancel, err);
        if (out->n_files && ken_quota_settle(st, err))
            st = KEN_OK;
    }
    if (!st && ken_quota_is_settled()) { // "no usages" would be wrong then
        out->is_truncated = true;
        st = out->n_total ? KEN_OK : ken_quota_fail_empty(err);
    }
    ken_vec_release(&edges);
    ken_vec_release(&unresolved);
    return st;
}

ken_status ken_find_usages(ken_snapshot *s, const ken_usages_opts *o, const ken_cancel *cancel,
                           ken_arena *arena, ken_usages *out, ken_err *err)
{
    if (o->limit > USAGES_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "limit: expected 1 to %d, got %u", USAGES_MAX, o->limit);
    bool is_right = true;
    ken_quota_offer_part();
    ken_status st = find_and_show(s, o, cancel, arena, &is_right, out, err);
    if (!st && !is_right) { // once more, with the files as they are now
        ken_query__graph_close(s);
        st = find_and_show(s, o, cancel, arena, &is_right, out, err);
    }
    return st;
}
