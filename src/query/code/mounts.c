// SPDX-License-Identifier: MIT
// Where routers are mounted: `app.use('/api', auth, router)`, `include_router(users.router,
// prefix="/u")`, `.nest("/x", make())`, `include('shop.urls')`. The one reader of that: paths of
// routes are made of it (code/routers.c), and what runs before their handlers
// (facts/handlers.c).
#include <stdio.h>

#include "query/query_routers_priv.h"
#include "route/route_text.h"

enum {
    MOUNTS_MAX = 4096,
    PATH_BYTES = 240
};

// A definition that is mounted: of a function, the routes inside it.
static bool mount_def(query_routers *q, ken_graph_def def, query_mount *m)
{
    const ken_unit_text *to = ken_graph_unit(q->g, def.file);
    if (!to)
        return false;
    m->to_file = def.file;
    m->to_name = ken_arena_dup(q->arena, ken_graph_name(to, def.def));
    if (ken_symbol_is_callable(ken_graph_kind(to, def.def)) && def.def < to->facts->n_symbols) {
        m->span = to->facts->symbols[def.def].span;
        m->to_name = KEN_STR("");
    }
    return true;
}

// A variable of the function around, which no other file sees.
static bool mount_local(query_routers *q, const query_route_file *f, ken_str arg, uint32_t byte,
                        query_mount *m)
{
    const ken_facts *facts = f->unit->facts;
    size_t n = 0;
    while (n < arg.len && ken_is_word(arg.ptr[n]))
        n++;
    ken_str name = ken_str_sub(arg, 0, n);
    if (!n || !ken_query__routers_given(q, f, name, byte))
        return false;
    m->to_file = f->number;
    m->to_name = name;
    for (uint32_t i = 0; i < facts->n_symbols; i++) {
        const ken_symbol *sym = &facts->symbols[i];
        if (ken_symbol_is_callable(sym->kind) && sym->span.start <= byte && sym->span.end > byte)
            m->span = sym->span;
    }
    return true;
}

// Resolves an argument: a variable, a member, `make()`, `require('./x')`, `router.routes()`.
static bool mount_argument(query_routers *q, const query_route_file *f, ken_str arg, query_mount *m)
{
    const ken_refs *r = f->unit->refs;
    uint32_t from = (uint32_t)(arg.ptr - f->text.ptr), to = from + (uint32_t)arg.len;
    for (uint32_t i = 0; ken_str_starts(arg, KEN_STR("require")) && i < r->n_binds; i++) {
        ken_module whole, inner;
        if (r->binds[i].byte < from || r->binds[i].byte >= to)
            continue;
        ken_graph_bind(q->g, f->number, i, &whole, &inner);
        if (whole.kind != KEN_MODULE_FILES || !whole.n_files)
            return false;
        m->to_file = whole.files[0];
        m->to_name = KEN_STR("export=");
        return true;
    }
    ken_targets best = { .n = 0 };
    for (uint32_t i = ken_query__first_ref(r, from); i < r->n_refs && r->refs[i].byte < to; i++) {
        ken_targets t;
        if (r->refs[i].role == KEN_REF_TYPE)
            continue;
        ken_graph_resolve_ref(q->g, f->number, &r->refs[i], &t);
        if (t.n) // the last that is known: "routes" of `router.routes()` is not
            best = t;
    }
    return best.n ? mount_def(q, best.defs[0], m) : mount_local(q, f, arg, from, m);
}

// The file that `include('shop.urls')` names: "shop/urls.py".
static bool mount_module(query_routers *q, const ken_literal *l, query_mount *m)
{
    char path[PATH_BYTES];
    int n = snprintf(path, sizeof path, "/" KEN_STR_FMT ".py", KEN_STR_ARG(l->text));
    if (n < 0 || (size_t)n >= sizeof path)
        return false;
    for (int i = 0; i + 3 < n; i++)
        if (path[i] == '.')
            path[i] = '/';
    uint32_t n_found = 0;
    for (uint32_t i = 0; i < q->s->n_files; i++) {
        ken_str it = q->s->rows[i].path;
        bool is_it = ken_str_ends(it, ken_str_c(path)) || ken_str_eq_c(it, path + 1);
        if (is_it && !n_found++)
            m->to_file = i;
    }
    m->span = (ken_span){ 0, UINT32_MAX };
    return n_found == 1;
}

// `app.use(config.prefix, router)`: a text, or a member that is nothing known. (What is called, and
// functions, are steps on the way.)
static bool may_be_path(query_routers *q, const query_route_file *f, ken_str arg)
{
    ken_str text;
    ken_targets t = { .n = 0 };
    if (ken_query__routers_text(q, f, arg, &text))
        return true;
    const ken_refs *r = f->unit->refs;
    uint32_t from = (uint32_t)(arg.ptr - f->text.ptr), to = from + (uint32_t)arg.len;
    for (uint32_t i = ken_query__first_ref(r, from); i < r->n_refs && r->refs[i].byte < to; i++)
        ken_graph_resolve_ref(q->g, f->number, &r->refs[i], &t);
    return !t.n && ken_str_find_char(arg, '.') != SIZE_MAX &&
           ken_str_find_char(arg, '(') == SIZE_MAX;
}

// The name that a file exports as a whole: `module.exports = router`, `export default router`.
static ken_str exported_whole(const query_route_file *f)
{
    static const char *const words[] = { "module.exports", "exports", "export default" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t at = ken_str_find(f->text, ken_str_c(words[i])), n = 0;
        if (at == SIZE_MAX)
            continue;
        ken_str rest = ken_str_sub(f->text, at + strlen(words[i]), f->text.len);
        rest = ken_str_trim(ken_str_sub(rest, 0, rest.len < 200 ? rest.len : 200));
        if (rest.len && rest.ptr[0] == '=')
            rest = ken_str_trim(ken_str_sub(rest, 1, rest.len));
        while (n < rest.len && ken_is_word(rest.ptr[n]))
            n++;
        if (n)
            return ken_str_sub(rest, 0, n);
    }
    return KEN_STR("");
}

static void add_mount(query_routers *q, query_mount m)
{
    m.is_whole = ken_str_eq_c(m.to_name, "default") || ken_str_eq_c(m.to_name, "export=");
    const query_route_file *to = m.is_whole ? ken_query__routers_file(q, m.to_file) : NULL;
    m.to_whole = to ? exported_whole(to) : KEN_STR("");
    query_mount *kept = KEN_ARENA_NEW(q->arena, query_mount);
    *kept = m;
    ken_vec_push(&q->mounts, kept);
}

static ken_span span_of(const query_route_file *f, ken_str part)
{
    uint32_t from = (uint32_t)(part.ptr - f->text.ptr);
    return (ken_span){ from, from + (uint32_t)part.len };
}

// A function that is written here is a step, whatever it names.
static bool is_function(ken_str arg)
{
    return ken_str_find(arg, KEN_STR("=>")) != SIZE_MAX ||
           ken_str_starts(arg, KEN_STR("function")) ||
           ken_str_starts(arg, KEN_STR("async function"));
}

// Which arguments are put there, and which stands before their paths. `use` takes several, with
// steps on the way among them.
static void read_mounts(query_routers *q, const query_route_file *f, const ken_literal *l,
                        query_mount m)
{
    ken_str args[KEN_ROUTE_ARGS], text;
    const ken_framework *fw = m.framework;
    size_t open = ken_query__routers_open(f, l);
    size_t n = open == SIZE_MAX ? 0 : ken_route_args(f->text, open, f->has_hash, args);
    if (!n)
        return;
    bool is_use = ken_str_eq_c(f->unit->refs->exprs[l->callee].name, "use");
    bool is_path_first = n > 1 && (ken_route_plain(args[0], &text) || args[0].ptr[0] == '`');
    if (is_use && !is_path_first)
        is_path_first = n > 1 && may_be_path(q, f, args[0]);
    query_prefix before = { KEN_STR(""), false };
    if (is_path_first)
        before = ken_query__routers_option(q, f, before, args[0]);
    before = ken_query__routers_option(q, f, before,
                                       ken_query__option_of(f, open, fw->prefixes, fw->n_prefixes));
    m.prefix = before.text;
    m.is_partial = before.is_partial;
    m.args = (ken_span){ (uint32_t)open + 1, l->end };
    if (is_path_first)
        m.path = span_of(f, args[0]);
    size_t first = !is_path_first ? 0 : is_use ? 1 : n - 1;
    for (size_t i = first; i < n && (is_use || i == first); i++) {
        query_mount one = m;
        one.router = span_of(f, args[i]);
        if (q->mounts.len < MOUNTS_MAX && !is_function(args[i]) &&
            mount_argument(q, f, args[i], &one))
            add_mount(q, one);
    }
}

void ken_query__mounts_learn(query_routers *q, uint32_t file, uint32_t literal,
                             const ken_framework *framework, const ken_route_rule *rule)
{
    const query_route_file *full = ken_query__routers_file(q, file);
    if (!full)
        return;
    query_route_file f = *full; // files may move
    const ken_literal *l = &f.unit->refs->literals[literal];
    query_mount m = { .file = file, .framework = framework, .literal = literal, .byte = l->byte };
    if (rule->form != KEN_ROUTE_INCLUDE)
        read_mounts(q, &f, l, m);
    else if (q->mounts.len < MOUNTS_MAX && mount_module(q, l, &m))
        add_mount(q, m);
}

static ken_str last_part(ken_str name)
{
    size_t dot = ken_str_rfind_char(name, '.');
    return dot == SIZE_MAX ? name : ken_str_sub(name, dot + 1, name.len);
}

// Where the variable of the file is mounted, except the mount whose receiver it is.
static bool is_named(const query_mount *m, ken_str name)
{
    if (m->is_whole && (!name.len || ken_str_eq(m->to_whole, last_part(name))))
        return true;
    return m->to_name.len && ken_str_eq(m->to_name, last_part(name));
}

size_t ken_query__mounts_of(ken_snapshot *s, query_mount *const *all, size_t n_all, uint32_t file,
                            ken_str name, uint32_t byte, query_mount **out, size_t max)
{
    size_t n = 0;
    uint32_t best = 0; // by name is nearer than by what is around, and code nearer than a test
    for (size_t i = 0; i < n_all; i++) {
        query_mount *m = all[i];
        bool is_there = !m->span.end || (byte >= m->span.start && byte < m->span.end);
        bool is_itself = m->file == file && m->byte == byte;
        bool has_name = is_named(m, name);
        if (m->to_file != file || is_itself || !is_there || (!has_name && m->to_name.len))
            continue;
        uint32_t near = 1U + has_name + 2U * !ken_query__is_test(s, m->file);
        n = near > best ? 0 : n;
        best = near > best ? near : best;
        if (near == best && n < max)
            out[n++] = m;
    }
    return n;
}

size_t ken_query__mounts_copy(query_mount *const *all, size_t n, ken_arena *arena,
                              query_mount ***out)
{
    *out = KEN_ARENA_ARRAY(arena, query_mount *, n + 1);
    for (size_t i = 0; i < n; i++) {
        query_mount *m = KEN_ARENA_NEW(arena, query_mount);
        *m = *all[i];
        m->to_name = ken_arena_dup(arena, m->to_name);
        m->to_whole = ken_arena_dup(arena, m->to_whole);
        m->prefix = ken_arena_dup(arena, m->prefix);
        m->framework = NULL;
        (*out)[i] = m;
    }
    return n;
}
