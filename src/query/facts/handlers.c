// SPDX-License-Identifier: MIT
// Handlers of routes, and what runs before them: decorators, arguments between the path and the
// handler, what it is wrapped in, `use` calls of the router earlier in the file, and the arguments before the router where
// another router mounts it (`app.use('/api', auth, router)`, `app.include_router(router,
// dependencies=[…])`).
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "mention/mention.h"
#include "query/facts/facts_priv.h"
#include "query/query_routers_priv.h"
#include "route/route_filters.h"
#include "route/route_text.h"

enum {
    GUARDS_MAX = 64, // of one handler
    OWNERS_MAX = 8,
    MOUNTS_DEEP = 4,
    MOUNTS_ASKED = 16, // of one router
    CLASSES_DEEP = 12,
    CONCERNS_MAX = 16, // of one class
    BASES_MAX = 8,
    BASES_DEEP = 8,
    HEADER_BYTES = 300, // of a function that are searched
    BLOCKS_DEEP = 64
};

// The guards before a router where another one mounts it.
typedef struct mount_guards {
    ken_str by; // what uses it there
    ken_guard *guards;
    size_t n;
} mount_guards;

typedef struct handler_list {
    ken_snapshot *s;
    ken_arena *arena, text;
    uint32_t file; // in hand, UINT32_MAX = none
    ken_graph *g;
    const ken_unit_text *unit;
    query_lines lines;
    uint32_t wrapped;          // where the name stands that the handler in hand wraps; 0 = none
    uint32_t *ends;            // of the blocks around the literals of the file in hand
    KEN_VEC(ken_guard) guards; // of the handler in hand
    query_kept_routes found;
    ken_frameworks frameworks; // read when the first class is met
    bool has_frameworks;
    mount_guards *mounts; // by mount
    ken_map routers; // "12 router": a variable of file 12 that has routes; "12": a file with any
} handler_list;

static ken_status turn_to(handler_list *h, uint32_t file, ken_err *err)
{
    ken_status st = ken_query__unit_now(h->s, file, &h->g, &h->unit, err);
    if (st || h->file == file)
        return st;
    ken_arena_reset(&h->text);
    h->file = file;
    h->ends = NULL;
    if (h->unit && !ken_query__lines_of(h->s, file, &h->text, &h->lines))
        h->unit = NULL;
    return KEN_OK;
}

// The receiver of a literal's callee: "router" of `router.get("/")`.
static ken_str receiver_of(const handler_list *h, const ken_literal *l)
{
    const ken_refs *r = h->unit->refs;
    for (uint32_t i = ken_query__first_ref(r, l->byte), n = 0; i-- > 0 && n < 8; n++) {
        if (r->refs[i].expr != l->callee)
            continue;
        ken_str name = r->exprs[l->callee].name;
        ken_str written = ken_query__written(h->lines.text, r->refs[i].byte, name);
        return ken_str_sub(written, 0, written.len > name.len ? written.len - name.len - 1 : 0);
    }
    return KEN_STR("");
}

// ---- blocks -------------------------------------------------------------------------------------

static int by_byte(const void *a, const void *b)
{
    const ken_literal *x = *(const ken_literal *const *)a, *y = *(const ken_literal *const *)b;
    return (x->byte > y->byte) - (x->byte < y->byte);
}

// Whether the function whose block opens at `open` has a parameter of that name.
static bool has_parameter(ken_str t, size_t open, ken_str name)
{
    size_t from = open;
    while (from > 0 && open - from < HEADER_BYTES && !memchr(";{}", t.ptr[from - 1], 3))
        from--;
    ken_str header = ken_str_trim(ken_str_sub(t, from, open));
    if (ken_str_ends(header, KEN_STR("=>")))
        header = ken_str_trim(ken_str_sub(header, 0, header.len - 2));
    size_t paren = ken_str_rfind_char(header, '(');
    ken_str params = paren == SIZE_MAX ? header : ken_str_sub(header, paren + 1, header.len);
    if (!name.len || !ken_str_starts(params, name))
        return false;
    char behind = params.len > name.len ? params.ptr[name.len] : ' ';
    return !ken_is_word(behind) && behind != '.';
}

typedef struct block_reader {
    handler_list *h;
    struct {
        uint32_t literal, depth;
    } * open;
    uint32_t n_open, depth, blocks[BLOCKS_DEEP]; // where they open
} block_reader;

// The end of a block drops the guards of its own router.
static void close_block(block_reader *b, size_t at)
{
    if (!b->depth)
        return;
    ken_str t = b->h->lines.text;
    uint32_t kept = b->n_open;
    while (kept && b->open[kept - 1].depth == b->depth)
        kept--;
    for (uint32_t i = kept, n = b->n_open; i < n; i++) {
        const ken_literal *l = &b->h->unit->refs->literals[b->open[i].literal];
        if (b->depth <= BLOCKS_DEEP &&
            has_parameter(t, b->blocks[b->depth - 1], receiver_of(b->h, l))) {
            b->h->ends[b->open[i].literal] = (uint32_t)at;
            continue;
        }
        b->open[kept] = b->open[i];
        b->open[kept++].depth--;
    }
    b->n_open = kept;
    b->depth--;
}

// Where the function ends whose parameter is the router that each literal speaks to: in
// `r.Route("/a", func(r chi.Router) { r.Use(x) })` nothing behind it.
static void find_ends(handler_list *h)
{
    const ken_refs *r = h->unit->refs;
    ken_str t = h->lines.text;
    bool has_hash = ken_route_has_hash(h->s->rows[h->file].path);
    block_reader b = { .h = h };
    const ken_literal **sorted = KEN_ARENA_ARRAY(&h->text, const ken_literal *, r->n_literals + 1);
    uint32_t next = 0;
    b.open = ken_arena_alloc(&h->text, (r->n_literals + (size_t)1) * sizeof *b.open);
    h->ends = KEN_ARENA_ARRAY(&h->text, uint32_t, r->n_literals + 1);
    for (uint32_t i = 0; i < r->n_literals; i++) {
        sorted[i] = &r->literals[i];
        h->ends[i] = UINT32_MAX;
    }
    qsort(sorted, r->n_literals, sizeof *sorted, by_byte);
    for (size_t at = 0; at < t.len;) {
        size_t quiet = ken_route_behind_quiet(t, at, has_hash), end = quiet > at ? quiet : at + 1;
        for (; next < r->n_literals && sorted[next]->byte < end; next++) {
            b.open[b.n_open].literal = (uint32_t)(sorted[next] - r->literals);
            b.open[b.n_open++].depth = b.depth;
        }
        if (quiet == at && t.ptr[at] == '{' && b.depth++ < BLOCKS_DEEP)
            b.blocks[b.depth - 1] = (uint32_t)at;
        if (quiet == at && t.ptr[at] == '}')
            close_block(&b, at);
        at = end;
    }
}

// Whether the router that `l` speaks to is still the one at `byte`.
static bool is_around(handler_list *h, const ken_literal *l, uint32_t byte)
{
    if (!h->ends)
        find_ends(h);
    return h->ends[l - h->unit->refs->literals] >= byte;
}

// ---- routers -------------------------------------------------------------------------------------

static ken_str router_key(char *room, size_t size, uint32_t file, ken_str name)
{
    int n = snprintf(room, size, "%u " KEN_STR_FMT, file, KEN_STR_ARG(name));
    return ken_str_n(room, n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1);
}

static void add_router(handler_list *h, uint32_t file, ken_str name)
{
    char room[200];
    if (!name.len)
        return;
    ken_map_put(&h->routers, router_key(room, sizeof room, file, name), 1, NULL);
    ken_map_put(&h->routers, router_key(room, sizeof room, file, KEN_STR("")), 1, NULL);
}

// Whether routes, or other routers, are added to the variable.
static bool has_routes(const handler_list *h, uint32_t file, ken_str name)
{
    char room[200];
    return ken_map_find(&h->routers, router_key(room, sizeof room, file, name)) != NULL;
}

// A function that adds routes to what it makes: `function usersRouter() { const r = Router(); … }`.
static bool makes_routes(const handler_list *h, const ken_unit_text *u, ken_graph_def def)
{
    const ken_span span = u->facts->symbols[def.def].span;
    for (uint32_t i = 0; i < u->refs->n_literals; i++) {
        const ken_literal *l = &u->refs->literals[i];
        char room[40];
        int n = snprintf(room, sizeof room, "%u@%u", def.file, i);
        if (l->byte >= span.start && l->end <= span.end &&
            ken_map_find(&h->routers, ken_str_n(room, (size_t)n)))
            return true;
    }
    return false;
}

// What a name leads to is no step on the way to a handler when it has routes of its own: a request
// that it answers does not come to what stands behind it.
static bool is_router_def(const handler_list *h, ken_graph_def def)
{
    const ken_unit_text *u = ken_graph_unit(h->g, def.file);
    if (!u)
        return false;
    ken_str name = ken_graph_name(u, def.def);
    bool is_whole = ken_str_eq_c(name, "default") || ken_str_eq_c(name, "export=");
    if (ken_symbol_is_callable(ken_graph_kind(u, def.def)))
        return def.def < u->facts->n_symbols && makes_routes(h, u, def);
    return has_routes(h, def.file, is_whole ? KEN_STR("") : name);
}

// `router.routes()` of Koa: a member of a router, given to another one.
static bool is_of_router(handler_list *h, const ken_ref *r)
{
    const ken_expr *e = &h->unit->refs->exprs[r->expr];
    ken_targets t;
    if (e->op != KEN_EXPR_MEMBER)
        return false;
    ken_graph_resolve(h->g, h->file, e->a, KEN_REF_READ, &t);
    return t.n && t.defs[0].file == h->file &&
           has_routes(h, h->file, ken_graph_name(h->unit, t.defs[0].def));
}

// ---- guards -------------------------------------------------------------------------------------

static void add_guard(handler_list *h, const ken_ref *r, ken_guard_kind kind, bool is_inside)
{
    ken_targets t;
    ken_graph_node node;
    ken_str written =
        ken_query__written(h->lines.text, r->byte, h->unit->refs->exprs[r->expr].name);
    ken_guard guard = { .kind = kind,
                        .is_inside = is_inside,
                        .path = h->s->rows[h->file].path,
                        .at = ken_query__place_at(&h->lines, r->byte),
                        .name = ken_query__repaired(h->arena, ken_arena_dup(h->arena, written)) };
    ken_graph_resolve_ref(h->g, h->file, r, &t);
    if (kind == KEN_GUARD_ROUTER && (t.n ? is_router_def(h, t.defs[0]) : is_of_router(h, r)))
        return;
    if (t.n && ken_query__graph_name(h->s, t.defs[0], h->arena, &node)) {
        guard.to_path = node.path;
        guard.to_name = node.qualified;
    }
    if (h->guards.len < GUARDS_MAX)
        ken_vec_push(&h->guards, guard);
}

// `a` of `a.b` is part of what is written for `b`.
static bool is_receiver(const ken_refs *r, uint32_t i)
{
    if (i + 1 >= r->n_refs)
        return false;
    const ken_expr *next = &r->exprs[r->refs[i + 1].expr];
    return next->op == KEN_EXPR_MEMBER && next->a == r->refs[i].expr;
}

// Whether a function's body begins there: behind its parameters, its arrow or its result.
static bool is_body(ken_str text, size_t open)
{
    size_t at = open;
    while (at && ken_is_space(text.ptr[at - 1]))
        at--;
    return at && (text.ptr[at - 1] == ')' ||
                  (at > 1 && text.ptr[at - 1] == '>' && text.ptr[at - 2] == '='));
}

// Behind the functions whose bodies begin in [from, byte) when one of them holds `byte`, else 0.
static size_t behind_body(const handler_list *h, uint32_t from, uint32_t byte)
{
    ken_str text = h->lines.text;
    bool has_hash = ken_route_has_hash(h->s->rows[h->file].path);
    for (size_t at = from; at < byte && at < text.len;) {
        size_t quiet = ken_route_behind_quiet(text, at, has_hash);
        if (quiet > at) {
            at = quiet;
        } else if (text.ptr[at] == '{' && is_body(text, at)) {
            at = ken_route_behind(text, at, has_hash);
            if (at > byte)
                return at;
        } else {
            at++;
        }
    }
    return 0;
}

// Calls, decorators and functions as values within a span, without `but`.
static void add_guards_in(handler_list *h, uint32_t from, uint32_t to, ken_expr_id but,
                          ken_guard_kind kind)
{
    const ken_refs *r = h->unit->refs;
    size_t inside = 0; // behind the function that the last name stood in
    for (uint32_t i = ken_query__first_ref(r, from); i < r->n_refs && r->refs[i].byte < to; i++) {
        const ken_ref *ref = &r->refs[i];
        bool is_named = ref->role == KEN_REF_CALL || ref->role == KEN_REF_READ ||
                        ref->role == KEN_REF_NEW || ref->role == KEN_REF_DECORATE;
        if (!is_named || ref->expr == but || is_receiver(r, i))
            continue;
        inside = ref->byte < inside ? inside
                                    : behind_body(h, inside ? (uint32_t)inside : from, ref->byte);
        add_guard(h, ref, kind, inside > 0);
    }
}

// The variable that the line of `byte` gives a value: "api" of `api := r.Group("/api")`.
static ken_str assigned_on_line(const query_lines *l, uint32_t byte)
{
    uint32_t start = l->starts[ken_line_of(l->starts, l->n, byte)];
    ken_str line = ken_str_sub(l->text, start, byte);
    size_t equals = ken_str_find_char(line, '=');
    if (equals == SIZE_MAX)
        return KEN_STR("");
    ken_str left = ken_str_sub(line, 0, equals);
    if (ken_str_ends(left, KEN_STR(":")))
        left.len--;
    left = ken_str_trim(left);
    size_t from = left.len;
    while (from > 0 && (ken_is_word(left.ptr[from - 1]) || left.ptr[from - 1] == '.'))
        from--;
    return ken_str_sub(left, from, left.len);
}

static bool is_named(const handler_list *h, const ken_literal *l, const char *name)
{
    return ken_str_eq_fold(h->unit->refs->exprs[l->callee].name, ken_str_c(name));
}

static ken_str next_segment(ken_str *rest)
{
    while (rest->len && rest->ptr[0] == '/')
        *rest = ken_str_sub(*rest, 1, rest->len);
    size_t end = ken_str_find_char(*rest, '/');
    ken_str segment = ken_str_sub(*rest, 0, end == SIZE_MAX ? rest->len : end);
    *rest = ken_str_sub(*rest, segment.len, rest->len);
    return segment;
}

// Whether a path lies below another: "/a/b" below "/a", "/:x" and "/a/*"; "/ab" not below "/a".
static bool is_under(ken_str path, ken_str above)
{
    for (;;) {
        ken_str want = next_segment(&above);
        if (!want.len || want.ptr[0] == '*')
            return true;
        ken_str is = next_segment(&path);
        bool is_any = want.ptr[0] == ':' || want.ptr[0] == '{';
        if (!is.len || (!is_any && !ken_str_eq(want, is)))
            return false;
    }
}

// `app.use(config.base, a, router)`: for some paths only, which are unknown.
static bool is_for_unknown(const handler_list *h, const ken_literal *l)
{
    uint32_t literal = (uint32_t)(l - h->unit->refs->literals);
    for (size_t i = 0; !l->text.len && i < h->found.n_mounts; i++) {
        const query_mount *m = h->found.mounts[i];
        if (m->file == h->file && m->literal == literal && m->path.end)
            return true;
    }
    return false;
}

// `router.use(a, b)`, with a path perhaps that the route's begins with.
static bool is_use_for(const handler_list *h, const ken_literal *l, ken_str receiver, ken_str route)
{
    if (!is_named(h, l, "use") || !ken_str_eq(receiver_of(h, l), receiver))
        return false;
    if (is_for_unknown(h, l))
        return false;
    return !l->text.len || l->text.ptr[0] != '/' || is_under(route, l->text);
}

// The guards of a route's router that stand before the route in the file.
static void add_router_guards(handler_list *h, const ken_literal *route, ken_str path, int depth,
                              ken_str receiver)
{
    const ken_refs *r = h->unit->refs;
    for (uint32_t i = 0; receiver.len && depth < 4 && i < r->n_literals; i++) {
        const ken_literal *l = &r->literals[i];
        if (l->byte >= route->byte || l == route)
            continue;
        if (is_use_for(h, l, receiver, path) && is_around(h, l, route->byte)) {
            add_guards_in(h, l->byte, l->end, 0, KEN_GUARD_ROUTER);
        } else if ((is_named(h, l, "group") || is_named(h, l, "route")) &&
                   ken_str_eq(assigned_on_line(&h->lines, l->byte), receiver)) {
            add_router_guards(h, l, path, depth + 1, receiver_of(h, l));
            add_guards_in(h, l->byte, l->end, 0, KEN_GUARD_ROUTER);
        }
    }
}

static ken_guard *copy_guards(handler_list *h, size_t *out_n)
{
    ken_guard *copy = ken_arena_copy(h->arena, h->guards.ptr, h->guards.len, sizeof *copy);
    *out_n = h->guards.len;
    return copy;
}

// ---- routers that are used by others ------------------------------------------------------------

// The arguments of a mount without path and router, and the earlier guards of its router.
static void guard_mount(handler_list *h, const query_mount *m, mount_guards *out)
{
    const ken_literal *l = &h->unit->refs->literals[m->literal];
    out->by = ken_arena_dup(h->arena, receiver_of(h, l));
    ken_vec_clear(&h->guards);
    add_router_guards(h, l, l->text, 0, out->by);
    const ken_span *first = m->path.end ? &m->path : &m->router;
    add_guards_in(h, m->args.start, first->start, 0, KEN_GUARD_ROUTER);
    if (m->path.end)
        add_guards_in(h, m->path.end, m->router.start, 0, KEN_GUARD_ROUTER);
    add_guards_in(h, m->router.end, m->args.end, 0, KEN_GUARD_ROUTER);
    out->guards = copy_guards(h, &out->n);
}

// The variables that routes are added to, and the places where that happens.
static ken_status find_routers(handler_list *h, ken_err *err)
{
    const query_route_site *sites = h->found.sites;
    const ken_route *routes = h->found.routes;
    ken_status st = ken_query__graph_open(h->s, &h->g, err);
    for (size_t i = 0; !st && i < h->found.n; i++) {
        char room[40];
        st = turn_to(h, sites[i].file, err);
        if (st || routes[i].is_event || !h->unit || sites[i].literal >= h->unit->refs->n_literals)
            continue;
        add_router(h, sites[i].file, receiver_of(h, &h->unit->refs->literals[sites[i].literal]));
        int len = snprintf(room, sizeof room, "%u@%u", sites[i].file, sites[i].literal);
        ken_map_put(&h->routers, ken_str_n(room, (size_t)len), 1, NULL);
    }
    return st;
}

// A variable with a `use` method is a router.
static ken_status find_users(handler_list *h, const ken_cancel *cancel, ken_err *err)
{
    uint32_t *files;
    size_t n;
    ken_status st = ken_query__graph_open(h->s, &h->g, err);
    if (!st)
        st = ken_query__graph_files_with(h->s, KEN_STR(KEN_MENTION_LITERALS), h->arena, &files, &n,
                                         err);
    for (size_t i = 0; !st && i < n; i++) {
        st = turn_to(h, files[i], err);
        for (uint32_t k = 0; !st && h->unit && k < h->unit->refs->n_literals; k++) {
            const ken_literal *l = &h->unit->refs->literals[k];
            if (is_named(h, l, "use") || is_named(h, l, "include_router"))
                add_router(h, h->file, receiver_of(h, l));
        }
        if (!st)
            st = ken_cancel_check(cancel, err);
    }
    return st;
}

static ken_status find_mount_guards(handler_list *h, const ken_cancel *cancel, ken_err *err)
{
    ken_status st = find_users(h, cancel, err);
    h->mounts = KEN_ARENA_ARRAY(h->arena, mount_guards, h->found.n_mounts + 1);
    for (size_t i = 0; !st && i < h->found.n_mounts; i++) {
        const query_mount *m = h->found.mounts[i];
        h->mounts[i] = (mount_guards){ 0 };
        st = turn_to(h, m->file, err);
        if (!st && h->unit && m->literal < h->unit->refs->n_literals && m->args.end)
            guard_mount(h, m, &h->mounts[i]);
        if (!st)
            st = ken_cancel_check(cancel, err);
    }
    return st;
}

static size_t number_of(const handler_list *h, const query_mount *m)
{
    size_t i = 0;
    while (h->found.mounts[i] != m)
        i++;
    return i;
}

// Of several places that use the router the one with the fewest guards: some way in has no more.
static void add_mount_guards(handler_list *h, uint32_t file, ken_str router, uint32_t byte,
                             int depth)
{
    query_mount *mounts[MOUNTS_ASKED];
    const query_mount *best = NULL;
    const mount_guards *least = NULL;
    size_t n = router.len ? ken_query__mounts_of(h->s, h->found.mounts, h->found.n_mounts, file,
                                                 router, byte, mounts, MOUNTS_ASKED)
                          : 0;
    for (size_t i = 0; i < n; i++) {
        const mount_guards *it = &h->mounts[number_of(h, mounts[i])];
        if (!best || it->n < least->n) {
            best = mounts[i];
            least = it;
        }
    }
    if (!best || depth >= MOUNTS_DEEP)
        return;
    add_mount_guards(h, best->file, least->by, best->byte, depth + 1);
    for (size_t i = 0; i < least->n && h->guards.len < GUARDS_MAX; i++)
        ken_vec_push(&h->guards, least->guards[i]);
}

// Before the name of a definition only what is in brackets decorates it: `[Authorize(X)]`,
// `@UseGuards(A)`. What has no brackets around is what it returns.
static bool is_in_brackets(const handler_list *h, uint32_t from, uint32_t byte)
{
    int depth = 0;
    for (uint32_t i = from; i < byte && i < h->lines.text.len; i++) {
        depth += memchr("([{", h->lines.text.ptr[i], 3) != NULL;
        depth -= memchr(")]}", h->lines.text.ptr[i], 3) != NULL;
    }
    return depth > 0;
}

// The place of a definition's name; its end when it is not found.
static uint32_t name_of(const handler_list *h, ken_def_id def)
{
    const ken_symbol *sym = &h->unit->facts->symbols[def];
    ken_str name = ken_graph_name(h->unit, def), text = h->lines.text;
    for (uint32_t i = sym->span.start; i < sym->signature.end && i < text.len; i++) {
        bool is_it = ken_str_starts(ken_str_sub(text, i, text.len), name) &&
                     (!i || !ken_is_word(text.ptr[i - 1])) &&
                     (i + name.len >= text.len || !ken_is_word(text.ptr[i + name.len]));
        if (is_it && !is_in_brackets(h, sym->span.start, i))
            return i;
    }
    return sym->signature.end;
}

// A constant is nothing that runs: `[Authorize(Schemes = Jwt.Schemes)]`.
static bool is_data(handler_list *h, const ken_ref *r)
{
    ken_targets t;
    ken_graph_resolve_ref(h->g, h->file, r, &t);
    const ken_unit_text *u = t.n ? ken_graph_unit(h->g, t.defs[0].file) : NULL;
    ken_symbol_kind kind = u ? ken_graph_kind(u, t.defs[0].def) : KEN_SYMBOL_CLASS;
    return kind == KEN_SYMBOL_CONSTANT || kind == KEN_SYMBOL_FIELD;
}

static void add_attributes(handler_list *h, uint32_t from, uint32_t to, ken_expr_id but)
{
    const ken_refs *r = h->unit->refs;
    for (uint32_t i = ken_query__first_ref(r, from); i < r->n_refs && r->refs[i].byte < to; i++) {
        const ken_ref *ref = &r->refs[i];
        bool is_named =
            ref->role == KEN_REF_CALL || ref->role == KEN_REF_READ || ref->role == KEN_REF_NEW;
        bool is_one = ref->role == KEN_REF_DECORATE ||
                      (is_named && is_in_brackets(h, from, ref->byte) && !is_data(h, ref));
        if (is_one && ref->expr != but && !is_receiver(r, i))
            add_guard(h, ref, KEN_GUARD_DECORATOR, false);
    }
}

// Decorators of a definition and of the types around it, outermost first; in Python what its
// parameters ask for, too (`user = Depends(current_user)`).
static void add_decorators(handler_list *h, ken_def_id def, ken_expr_id but)
{
    const ken_facts *f = h->unit->facts;
    int32_t owners[OWNERS_MAX], n = 0;
    for (int32_t o = (int32_t)def; o >= 0 && n < OWNERS_MAX; o = f->symbols[o].parent)
        owners[n++] = o;
    while (n-- > 0) {
        const ken_symbol *sym = &f->symbols[owners[n]];
        if (!ken_route_has_hash(h->s->rows[h->file].path))
            add_attributes(h, sym->span.start, name_of(h, (ken_def_id)owners[n]), but);
        else
            add_guards_in(h, sym->span.start, sym->signature.end, but, KEN_GUARD_DECORATOR);
    }
}

// ---- filters of Rails ---------------------------------------------------------------------------

// The class of an action and those it is built on, itself first.
static uint32_t classes_of(handler_list *h, ken_graph_def action, ken_graph_def out[CLASSES_DEEP])
{
    const ken_unit_text *u = ken_graph_unit(h->g, action.file);
    int32_t owner = u ? ken_graph_owner(u, action.def) : -1;
    uint32_t n = 0;
    ken_graph_def at = { action.file, (ken_def_id)owner };
    while (owner >= 0 && n < CLASSES_DEEP) {
        out[n++] = at;
        if (!ken_graph_bases(h->g, at, &at, 1))
            break;
    }
    return n;
}

// The method that a filter names: of the nearest of some classes.
static bool find_filter(handler_list *h, ken_str name, const ken_graph_def *classes, uint32_t n,
                        ken_graph_def *out)
{
    for (uint32_t c = 0; c < n; c++) {
        const ken_unit_text *u = ken_graph_unit(h->g, classes[c].file);
        for (uint32_t d = 0; u && d < u->facts->n_symbols; d++) {
            if (u->facts->symbols[d].parent == (int32_t)classes[c].def &&
                ken_symbol_is_callable(u->facts->symbols[d].kind) &&
                ken_str_eq(ken_graph_name(u, d), name)) {
                *out = (ken_graph_def){ classes[c].file, d };
                return true;
            }
        }
    }
    return false;
}

static void drop_guard(handler_list *h, ken_str name)
{
    size_t kept = 0;
    for (size_t i = 0; i < h->guards.len; i++)
        if (!ken_str_eq(h->guards.ptr[i].name, name))
            h->guards.ptr[kept++] = h->guards.ptr[i];
    h->guards.len = kept;
}

static void add_filter(handler_list *h, const ken_route_filter *f, ken_str path, ken_fact_place at,
                       const ken_graph_def *classes, uint32_t n)
{
    ken_graph_def def;
    ken_graph_node node;
    ken_guard guard = { .kind = KEN_GUARD_DECORATOR,
                        .path = path,
                        .at = at,
                        .name = ken_query__repaired(h->arena, ken_arena_dup(h->arena, f->name)) };
    if (find_filter(h, f->name, classes, n, &def) &&
        ken_query__graph_name(h->s, def, h->arena, &node)) {
        guard.to_path = node.path;
        guard.to_name = node.qualified;
    }
    if (h->guards.len < GUARDS_MAX)
        ken_vec_push(&h->guards, guard);
}

// A type that runs filters, with its text.
typedef struct filter_type {
    ken_graph_def def;
    query_lines lines;
    ken_str body;
} filter_type;

static bool open_type(handler_list *h, ken_graph_def def, ken_arena *scratch, filter_type *out)
{
    const ken_unit_text *u = ken_graph_unit(h->g, def.file);
    if (!u || def.def >= u->facts->n_symbols ||
        !ken_query__lines_of(h->s, def.file, scratch, &out->lines))
        return false;
    ken_span span = u->facts->symbols[def.def].span;
    out->def = def;
    out->body = ken_str_sub(out->lines.text, span.start, span.end);
    return true;
}

// What a type's own text says; the methods are those of `types`.
static void add_filters_of(handler_list *h, const filter_type *type, ken_str action,
                           const ken_graph_def *types, uint32_t n, ken_arena *scratch)
{
    ken_route_filter *filters;
    size_t n_filters = ken_route_filters(type->body, scratch, &filters);
    for (size_t i = 0; i < n_filters; i++) {
        uint32_t byte = (uint32_t)(filters[i].name.ptr - type->lines.text.ptr);
        if (!ken_route_filter_holds(&filters[i], action))
            continue;
        drop_guard(h, filters[i].name); // repeated or skipped
        if (!filters[i].is_skip)
            add_filter(h, &filters[i], h->s->rows[type->def.file].path,
                       ken_query__place_at(&type->lines, byte), types, n);
    }
}

// Modules of the tree that a class includes: `include Authentication`.
static uint32_t concerns_of(handler_list *h, const filter_type *type, ken_graph_def *out,
                            uint32_t max)
{
    const ken_refs *r = ken_graph_unit(h->g, type->def.file)->refs;
    const ken_str word = KEN_STR("include ");
    ken_str rest = type->body, line;
    uint32_t n = 0;
    while (n < max && ken_str_line_next(&rest, &line)) {
        ken_str statement = ken_str_trim(line);
        if (!ken_str_starts(statement, word))
            continue;
        uint32_t from = (uint32_t)(statement.ptr - type->lines.text.ptr),
                 to = from + (uint32_t)statement.len;
        for (uint32_t i = ken_query__first_ref(r, from + (uint32_t)word.len);
             i < r->n_refs && r->refs[i].byte < to && n < max; i++) {
            ken_targets t;
            ken_graph_resolve_ref(h->g, type->def.file, &r->refs[i], &t);
            if (t.n && !is_receiver(r, i))
                out[n++] = t.defs[0];
        }
    }
    return n;
}

// The `before_action` filters of a controller, its base classes and the concerns that they include
// that run before an action.
static void add_filters(handler_list *h, ken_graph_def action, ken_str name)
{
    ken_graph_def classes[CLASSES_DEEP], types[CLASSES_DEEP + CONCERNS_MAX];
    uint32_t n = classes_of(h, action, classes);
    ken_arena scratch;
    ken_arena_init(&scratch, 0);
    for (uint32_t c = n; c-- > 0;) {
        filter_type type, concern;
        if (!open_type(h, classes[c], &scratch, &type))
            continue;
        memcpy(types, classes, n * sizeof *types);
        uint32_t n_concerns = concerns_of(h, &type, types + n, CONCERNS_MAX);
        for (uint32_t i = n; i < n + n_concerns; i++)
            if (open_type(h, types[i], &scratch, &concern))
                add_filters_of(h, &concern, name, types, n + n_concerns, &scratch);
        add_filters_of(h, &type, name, types, n + n_concerns, &scratch);
    }
    ken_arena_release(&scratch);
}

// ---- classes that are handlers ------------------------------------------------------------------

static const ken_framework *framework_of(handler_list *h, ken_str name)
{
    ken_err err = { 0 };
    if (!h->has_frameworks && ken_query__frameworks(h->s, false, h->arena, &h->frameworks, &err))
        return NULL;
    h->has_frameworks = true;
    for (size_t i = 0; i < h->frameworks.items.len; i++)
        if (ken_str_eq(h->frameworks.items.ptr[i].name, name))
            return &h->frameworks.items.ptr[i];
    return NULL;
}

// The nearest class, itself or a base, with a field of that name; false when there is none.
static bool find_field(handler_list *h, ken_graph_def type, ken_str name, int depth,
                       ken_graph_def *out) // NOLINT(misc-no-recursion)
{
    ken_graph_def bases[BASES_MAX];
    const ken_unit_text *u = ken_graph_unit(h->g, type.file);
    for (uint32_t d = 0; u && d < u->facts->n_symbols; d++)
        if (u->facts->symbols[d].parent == (int32_t)type.def &&
            ken_str_eq(ken_graph_name(u, d), name)) {
            *out = (ken_graph_def){ type.file, d };
            return true;
        }
    uint32_t n = depth < BASES_DEEP ? ken_graph_bases(h->g, type, bases, BASES_MAX) : 0;
    for (uint32_t i = 0; i < n; i++)
        if (find_field(h, bases[i], name, depth + 1, out))
            return true;
    return false;
}

static bool is_guard_base(const ken_framework *f, ken_str name)
{
    for (uint32_t i = 0; i < f->n_guard_bases; i++)
        if (ken_str_eq(f->guard_bases[i], name))
            return true;
    return false;
}

// What a class or its bases are built on that checks first: `class Edit(LoginRequiredMixin, UpdateView)`.
static ken_status add_base_guards(handler_list *h, const ken_framework *f, ken_graph_def type,
                                  int depth, ken_err *err) // NOLINT(misc-no-recursion)
{
    ken_graph_def bases[BASES_MAX];
    ken_status st = turn_to(h, type.file, err);
    if (st || !h->unit || type.def >= h->unit->facts->n_symbols)
        return st;
    const ken_symbol *sym = &h->unit->facts->symbols[type.def];
    const ken_refs *r = h->unit->refs;
    for (uint32_t i = ken_query__first_ref(r, sym->span.start);
         i < r->n_refs && r->refs[i].byte < sym->signature.end; i++)
        if (r->refs[i].role == KEN_REF_INHERIT && is_guard_base(f, r->exprs[r->refs[i].expr].name))
            add_guard(h, &r->refs[i], KEN_GUARD_DECORATOR, false);
    uint32_t n = depth < BASES_DEEP ? ken_graph_bases(h->g, type, bases, BASES_MAX) : 0;
    for (uint32_t i = 0; !st && i < n; i++)
        st = add_base_guards(h, f, bases[i], depth + 1, err);
    return st;
}

// What decorates the class, what it is built on that checks, and what its fields list that the
// framework runs before it: `permission_classes = [IsAuthenticated]`.
static ken_status add_view_guards(handler_list *h, const ken_handler_fact *fact, ken_err *err)
{
    ken_graph_def type = fact->route.handler_id, field;
    const ken_framework *framework = framework_of(h, fact->route.framework);
    ken_status st = turn_to(h, type.file, err);
    if (!st && h->unit && type.def < h->unit->facts->n_symbols)
        add_decorators(h, type.def, 0);
    if (!st && framework && framework->n_guard_bases)
        st = add_base_guards(h, framework, type, 0, err);
    for (uint32_t i = 0; framework && !st && i < framework->n_guards; i++) {
        if (!find_field(h, type, framework->guards[i], 0, &field))
            continue;
        st = turn_to(h, field.file, err);
        if (st || !h->unit || field.def >= h->unit->facts->n_symbols)
            continue;
        ken_span span = h->unit->facts->symbols[field.def].span;
        add_guards_in(h, span.start + (uint32_t)framework->guards[i].len, span.end, 0,
                      KEN_GUARD_DECORATOR);
    }
    return st;
}

// ---- handlers -----------------------------------------------------------------------------------

static void set_body(handler_list *h, ken_graph_def def, ken_handler_fact *out)
{
    const ken_unit_text *u = ken_graph_unit(h->g, def.file);
    if (!u || def.def >= u->facts->n_symbols)
        return;
    const ken_symbol *sym = &u->facts->symbols[def.def];
    out->body = (ken_code_part){ def.file, sym->span };
    out->signature = (ken_code_part){ def.file, { sym->span.start, sym->signature.end } };
    out->path = h->s->rows[def.file].path;
    out->name = ken_view_qualified(h->arena, u->facts, def.def);
    out->first_line = sym->first_line;
    out->last_line = sym->last_line;
}

// `wrap(handler)`: the last thing named in it that is a function of the tree; else the code itself.
static void set_wrapped(handler_list *h, const ken_literal *l, ken_handler_fact *out)
{
    const ken_refs *r = h->unit->refs;
    out->body = (ken_code_part){ h->file, { l->handler_byte, l->end } };
    out->path = h->s->rows[h->file].path;
    out->first_line = ken_query__place_at(&h->lines, l->handler_byte).line;
    out->last_line = ken_query__place_at(&h->lines, l->end ? l->end - 1 : 0).line;
    uint32_t n_code = 0;
    for (uint32_t i = ken_query__first_ref(r, l->handler_byte);
         i < r->n_refs && r->refs[i].byte < l->end; i++)
        n_code += r->refs[i].role != KEN_REF_READ || !is_receiver(r, i);
    if (n_code != 2) // more than a wrapper and a name
        return;
    for (uint32_t i = ken_query__first_ref(r, l->end);
         i-- > 0 && r->refs[i].byte > l->handler_byte;) {
        ken_targets t;
        ken_graph_resolve_ref(h->g, h->file, &r->refs[i], &t);
        if (r->refs[i].role == KEN_REF_READ && t.n) {
            set_body(h, t.defs[0], out);
            h->wrapped = r->refs[i].byte;
            return;
        }
    }
}

// Whether the handler is a class: `ArticleList.as_view()`.
static bool is_view(const handler_list *h, const ken_handler_fact *fact)
{
    ken_graph_def d = fact->route.handler_id;
    const ken_unit_text *u = d.file == UINT32_MAX ? NULL : ken_graph_unit(h->g, d.file);
    return u && ken_symbol_is_type(ken_graph_kind(u, d.def));
}

static void set_view(handler_list *h, const ken_literal *l, ken_handler_fact *out)
{
    ken_graph_def d;
    int64_t ref = ken_query__view_of(h->g, h->file, h->unit->refs, l, &d);
    set_body(h, out->route.handler_id, out);
    h->wrapped = ref < 0 ? 0 : h->unit->refs->refs[ref].byte;
}

static void find_body(handler_list *h, const ken_literal *l, ken_handler_fact *out)
{
    ken_expr_op op = h->unit->refs->exprs[l->handler].op;
    ken_targets t = { .n = 0 };
    if (l->decorates >= 0)
        t = (ken_targets){ .defs = { { h->file, (ken_def_id)l->decorates } }, .n = 1 };
    else if (l->handler && op != KEN_EXPR_LAMBDA)
        ken_graph_resolve(h->g, h->file, l->handler, KEN_REF_READ, &t);
    if (t.n)
        set_body(h, t.defs[0], out);
    else if (is_view(h, out))
        set_view(h, l, out);
    else if (l->handler_byte > l->byte && (!l->handler || op == KEN_EXPR_LAMBDA))
        set_wrapped(h, l, out);
}

// The handler of `route('/a').get(step, handler)`.
static void find_chained(handler_list *h, const query_route_site *site, ken_handler_fact *out)
{
    ken_literal link = { .handler_byte = site->handler_from,
                         .byte = site->handler_from,
                         .end = site->end,
                         .decorates = -1 };
    if (out->route.handler_id.file != UINT32_MAX)
        set_body(h, out->route.handler_id, out);
    else
        set_wrapped(h, &link, out);
}

// "Admin::UsersController.show": a method of that name in the file where the convention puts it.
static ken_status look_at_action(handler_list *h, ken_handler_fact *out)
{
    ken_graph_def action = out->route.handler_id;
    const ken_unit_text *u = action.file == UINT32_MAX ? NULL : ken_graph_unit(h->g, action.file);
    if (!u || action.def >= u->facts->n_symbols)
        return KEN_OK;
    set_body(h, action, out);
    ken_vec_clear(&h->guards);
    add_filters(h, action, ken_arena_dup(h->arena, ken_graph_name(u, action.def)));
    out->guards = copy_guards(h, &out->n_guards);
    return KEN_OK;
}

static ken_status look_at(handler_list *h, const query_route_site *site, ken_handler_fact *out,
                          ken_err *err)
{
    ken_status st = turn_to(h, site->file, err);
    out->body.file = UINT32_MAX;
    out->is_test = ken_query__is_test(h->s, site->file);
    if (st || !h->unit)
        return st;
    if (site->literal >= h->unit->refs->n_literals) // Rails: the action is all that is known
        return look_at_action(h, out);
    const ken_literal *l = &h->unit->refs->literals[site->literal];
    ken_vec_clear(&h->guards);
    h->wrapped = 0;
    if (site->end) // chained: arguments of its own
        find_chained(h, site, out);
    else
        find_body(h, l, out);
    if (l->decorates >= 0 && (uint32_t)l->decorates < h->unit->facts->n_symbols) {
        add_mount_guards(h, h->file, receiver_of(h, l), l->byte, 0);
        add_decorators(h, (ken_def_id)l->decorates, l->callee);
    } else {
        ken_str router = receiver_of(h, l);
        add_mount_guards(h, h->file, router, l->byte, 0);
        add_router_guards(h, l, l->text, 0, router);
        if (site->end)
            add_guards_in(h, site->steps_from, site->handler_from, 0, KEN_GUARD_ARGUMENT);
        else
            add_guards_in(h, l->byte, l->handler_byte, 0, KEN_GUARD_ARGUMENT);
        add_guards_in(h, l->handler_byte, h->wrapped, 0, KEN_GUARD_ARGUMENT);
    }
    if (is_view(h, out))
        st = add_view_guards(h, out, err);
    out->guards = copy_guards(h, &out->n_guards);
    return st;
}

// A handler with several routes is listed once, with the first.
static bool is_further_way(const query_kept_routes *r, size_t i)
{
    for (size_t k = i; k-- > 0 && r->sites[k].file == r->sites[i].file &&
                       r->sites[k].literal == r->sites[i].literal;)
        if (r->sites[i].literal != UINT32_MAX &&
            r->sites[k].handler_from == r->sites[i].handler_from &&
            ken_str_eq(r->routes[k].method, r->routes[i].method) &&
            r->sites[k].path == r->sites[i].path)
            return true;
    return false;
}

ken_status ken_list_handlers(ken_snapshot *s, const ken_facts_scope *scope,
                             const ken_cancel *cancel, ken_arena *arena, ken_handler_fact **out,
                             size_t *out_n, ken_err *err)
{
    handler_list h = { .s = s, .arena = arena, .file = UINT32_MAX };
    uint8_t *in_scope;
    ken_status st = ken_query__scope_marks(s, scope, arena, &in_scope, err);
    if (!st)
        st = ken_query__find_sites(s, KEN_STR(""), false, cancel, arena, &h.found, err);
    if (st)
        return st;
    size_t n = h.found.n;
    *out = KEN_ARENA_ARRAY(arena, ken_handler_fact, n + 1);
    *out_n = 0;
    ken_arena_init(&h.text, 0);
    ken_map_init(&h.routers);
    st = n ? find_routers(&h, err) : KEN_OK;
    if (!st && n)
        st = find_mount_guards(&h, cancel, err);
    for (size_t i = 0; !st && i < n; i++) {
        const query_route_site *site = &h.found.sites[i];
        if (h.found.routes[i].is_event || !in_scope[site->file] || is_further_way(&h.found, i))
            continue;
        ken_handler_fact *fact = &(*out)[(*out_n)++];
        fact->route = h.found.routes[i];
        st = look_at(&h, site, fact, err);
        if (!st)
            st = ken_cancel_check(cancel, err);
    }
    ken_arena_release(&h.text);
    ken_vec_release(&h.guards);
    ken_map_release(&h.routers);
    ken_frameworks_release(&h.frameworks);
    return st;
}
