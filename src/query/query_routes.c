// SPDX-License-Identifier: MIT
// Routes and events: calls, decorators and annotations whose first argument is a text, in files
// that say the name of a framework. A verb alone makes no route: clients of an API say the same
// words.
#include <stdlib.h>

#include "query/query_graph_priv.h"

enum {
    ROUTES_MAX = 5000
};

// Which files are looked at, and whose routes those are.
typedef struct framework {
    const char *marker; // a name that a file says when it uses it
    const char *name;
} framework;

static const framework frameworks[] = {
    { "express", "express" },
    { "fastify", "fastify" },
    { "Hono", "hono" },
    { "koa", "koa" },
    { "flask", "flask" },
    { "Blueprint", "flask" },
    { "FastAPI", "fastapi" },
    { "APIRouter", "fastapi" },
    { "gin", "gin" },
    { "echo", "echo" },
    { "chi", "chi" },
    { "HandleFunc", "net/http" },
    { "Sinatra", "sinatra" },
    { "GetMapping", "spring" },
    { "PostMapping", "spring" },
    { "RequestMapping", "spring" },
    { "PutMapping", "spring" },
    { "DeleteMapping", "spring" },
    { "MapGet", "asp.net" },
    { "HttpGet", "asp.net" },
    { "axum", "axum" },
    { "EventEmitter", "events" },
};

// What a callee's last name says of the method; "" = any.
typedef struct verb {
    const char *name, *method;
    bool is_event;
} verb;

static const verb verbs[] = {
    { "get", "GET", false },
    { "post", "POST", false },
    { "put", "PUT", false },
    { "delete", "DELETE", false },
    { "patch", "PATCH", false },
    { "head", "HEAD", false },
    { "options", "OPTIONS", false },
    { "all", "ANY", false },
    { "any", "ANY", false },
    { "use", "USE", false },
    { "route", "ANY", false },
    { "handle", "ANY", false },
    { "handlefunc", "ANY", false },
    { "getmapping", "GET", false },
    { "postmapping", "POST", false },
    { "putmapping", "PUT", false },
    { "deletemapping", "DELETE", false },
    { "patchmapping", "PATCH", false },
    { "requestmapping", "ANY", false },
    { "mapget", "GET", false },
    { "mappost", "POST", false },
    { "mapput", "PUT", false },
    { "mapdelete", "DELETE", false },
    { "httpget", "GET", false },
    { "httppost", "POST", false },
    { "httpput", "PUT", false },
    { "httpdelete", "DELETE", false },
    { "on", "on", true },
    { "once", "on", true },
    { "emit", "emit", true },
};

static const verb *find_verb(ken_str name)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (ken_str_eq_fold(name, ken_str_c(verbs[i].name)))
            return &verbs[i];
    return NULL;
}

typedef struct routes {
    ken_snapshot *s;
    ken_graph *g;
    ken_str filter;
    ken_arena *arena;
    KEN_VEC(ken_route) found;
    uint8_t *is_done; // by file
} routes;

// A path begins with a slash, but for decorators and annotations, which name nothing else.
static bool is_route(const ken_literal *l, const verb *v, const framework *f)
{
    bool is_events = ken_str_eq(ken_str_c(f->name), KEN_STR("events"));
    if (v->is_event || is_events)
        return v->is_event && is_events && l->text.len > 0;
    return ken_str_starts(l->text, KEN_STR("/")) || (l->decorates >= 0 && l->text.len > 0);
}

static bool passes(const routes *r, const ken_route *route)
{
    return !r->filter.len || ken_str_find(route->path, r->filter) != SIZE_MAX ||
           ken_str_eq_fold(route->method, r->filter) ||
           ken_str_find(route->file, r->filter) != SIZE_MAX;
}

static void set_handler(routes *r, uint32_t file, const ken_unit_text *u, const ken_literal *l,
                        ken_route *route)
{
    ken_targets t = { .n = 0 };
    route->handler_id.file = UINT32_MAX;
    if (l->decorates >= 0) {
        route->handler_id = (ken_graph_def){ file, (ken_def_id)l->decorates };
        route->handler = ken_arena_dup(r->arena, ken_graph_name(u, (ken_def_id)l->decorates));
        return;
    }
    const ken_expr *e = &u->refs->exprs[l->handler];
    if (!l->handler || (e->op != KEN_EXPR_NAME && e->op != KEN_EXPR_MEMBER))
        return;
    route->handler = ken_arena_dup(r->arena, e->name);
    ken_graph_resolve(r->g, file, l->handler, KEN_REF_READ, &t);
    if (t.n)
        route->handler_id = t.defs[0];
}

static uint32_t line_of(query_text *t, uint32_t byte)
{
    uint32_t line = 0;
    for (uint32_t i = 0; i < byte && i < t->text.len; i++)
        line += t->text.ptr[i] == '\n';
    return line;
}

static void add_file(routes *r, uint32_t file, const framework *f)
{
    const ken_unit_text *u = r->is_done[file] ? NULL : ken_graph_unit(r->g, file);
    query_text t;
    if (!u || !u->refs->n_literals || query_load_text(r->s, file, r->arena, &t, NULL))
        return;
    bool is_read = query_need_text(&t);
    query_close_text(&t);
    for (uint32_t i = 0; i < u->refs->n_literals && is_read && r->found.len < ROUTES_MAX; i++) {
        const ken_literal *l = &u->refs->literals[i];
        const verb *v = find_verb(u->refs->exprs[l->callee].name);
        if (!v || !is_route(l, v, f))
            continue;
        ken_route route = { .framework = ken_str_c(f->name),
                            .method = ken_str_c(v->method),
                            .path = ken_arena_dup(r->arena, l->text),
                            .is_event = v->is_event,
                            .file = r->s->rows[file].path,
                            .line = line_of(&t, l->byte) };
        set_handler(r, file, u, l, &route);
        r->is_done[file] = 1;
        if (passes(r, &route))
            ken_vec_push(&r->found, route);
    }
}

static int by_place(const void *a, const void *b)
{
    const ken_route *x = a, *y = b;
    int order = ken_str_cmp(x->file, y->file);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

ken_status ken_find_routes(ken_snapshot *s, ken_str filter, const ken_cancel *cancel,
                           ken_arena *arena, ken_route **out, size_t *out_n, ken_err *err)
{
    routes r = { .s = s, .filter = filter, .arena = arena };
    ken_status st = query_graph_open(s, &r.g, err);
    if (st)
        return st;
    r.is_done = KEN_ARENA_ARRAY(arena, uint8_t, s->n_files + 1);
    for (size_t i = 0; i < sizeof frameworks / sizeof *frameworks && !st; i++) {
        uint32_t *files;
        size_t n = 0;
        st = ken_cancel_check(cancel, err);
        if (!st)
            st = query_graph_files_with(s, ken_str_c(frameworks[i].marker), arena, &files, &n, err);
        for (size_t k = 0; k < n && !st; k++)
            if (!query_is_test(s, files[k]))
                add_file(&r, files[k], &frameworks[i]);
    }
    *out_n = st ? 0 : r.found.len;
    *out = KEN_ARENA_ARRAY(arena, ken_route, *out_n + 1);
    if (*out_n) {
        qsort(r.found.ptr, *out_n, sizeof *r.found.ptr, by_place);
        memcpy(*out, r.found.ptr, *out_n * sizeof **out);
    }
    ken_vec_release(&r.found);
    return st;
}
