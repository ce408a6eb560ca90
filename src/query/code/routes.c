// SPDX-License-Identifier: MIT
// Routes and events: the literals of all files that have any, by the rules of frameworks.
#include <stdlib.h>

#include "base/path.h"
#include "mention/mention.h"
#include "query/query_routers_priv.h"
#include "query/query_tree.h"
#include "route/route_rails.h"
#include "route/route_text.h"

enum {
    ROUTES_MAX = 20000,
    SAID_MAX = 16 // methods and paths of one literal
};

// The routes of one literal: each method with each path.
typedef struct said {
    const query_route_file *f;
    const ken_literal *l;
    const ken_framework *framework;
    const ken_route_rule *rule;
    ken_str methods[SAID_MAX], paths[SAID_MAX];
    ken_str handlers[SAID_MAX]; // by method, as text
    size_t opens[SAID_MAX];     // by method: where the arguments begin that it is the last of
    size_t n_methods, n_paths;
} said;

typedef struct routing {
    ken_snapshot *s;
    ken_graph *g;
    ken_arena *arena;
    ken_frameworks frameworks;
    ken_str filter;
    KEN_VEC(ken_route) found;
    KEN_VEC(query_route_site) sites; // by route
    query_routers routers;
} routing;

// The project's own frameworks; a bad file is an error only in a list of routes.
ken_status ken_query__frameworks(ken_snapshot *s, bool is_strict, ken_arena *arena,
                                 ken_frameworks *out, ken_err *err)
{
    ken_status st = KEN_OK;
    ken_frameworks_init(out);
    for (uint32_t f = 0; !st && f < s->n_files; f++) {
        ken_str path = s->rows[f].path;
        if (!ken_frameworks_is_file(path))
            continue;
        query_text t;
        if (ken_query__load_text(s, f, arena, &t, NULL))
            continue;
        bool is_read = ken_query__need_text(&t);
        ken_query__close_text(&t);
        ken_err why = { 0 };
        if (is_read && ken_frameworks_add(out, path, t.text, &why) && is_strict)
            st = KEN_FAIL(err, KEN_EINVAL, "%s", why.msg);
    }
    return st;
}

static ken_str upper(ken_arena *arena, ken_str text)
{
    char *out = ken_arena_alloc(arena, text.len + 1);
    for (size_t i = 0; i < text.len; i++)
        out[i] = text.ptr[i] >= 'a' && text.ptr[i] <= 'z' ? (char)(text.ptr[i] - 'a' + 'A')
                                                          : text.ptr[i];
    out[text.len] = '\0';
    return ken_str_n(out, text.len);
}

static const ken_route_rule *rule_of(routing *r, const ken_unit_text *u, const ken_literal *l,
                                     const ken_framework **out_framework)
{
    return ken_query__routers_rule(&r->routers, u, l, out_framework);
}

// ---- decorators ---------------------------------------------------------------------------------

// The paths of a decorator: its first text, one of its options, a list of texts.
static size_t decorator_paths(routing *r, const query_route_file *f, const ken_framework *fw,
                              const ken_literal *l, ken_str out[SAID_MAX], bool *out_is_partial)
{
    ken_str args[KEN_ROUTE_ARGS], value = KEN_STR(""), words[KEN_ROUTE_ARGS];
    *out_is_partial = false;
    if (l->text.len) {
        out[0] = l->text;
        return 1;
    }
    size_t open = ken_route_open(f->text, l->byte);
    if (l->byte >= l->end || open == SIZE_MAX)
        return 0;
    size_t n = ken_route_args(f->text, open, f->has_hash, args), n_out = 0;
    for (uint32_t i = 0; i < fw->n_paths && !value.len; i++)
        value = ken_route_option(args, n, fw->paths[i], f->has_hash);
    bool is_list = n && (args[0].ptr[0] == '[' || (args[0].ptr[0] == '{' && !fw->n_prefixes));
    if (!value.len && n && (is_list || !memchr(args[0].ptr, '=', args[0].len)))
        value = args[0];
    if (!value.len)
        return 0;
    words[0] = value;
    n = memchr("[{(", value.ptr[0], 3) ? ken_route_args(value, 0, f->has_hash, words) : 1;
    for (size_t i = 0; i < n && n_out < SAID_MAX; i++) {
        if (ken_query__routers_text(&r->routers, f, words[i], &out[n_out]))
            n_out++;
        else
            *out_is_partial = words[i].ptr[0] != '{';
    }
    return n_out;
}

// The last part of a type's name, without "Controller", for `[controller]` in a path of ASP.NET.
static ken_str with_tokens(routing *r, const ken_unit_text *u, int32_t owner, int32_t def,
                           ken_str path)
{
    static const char *const tokens[] = { "[controller]", "[action]" };
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        size_t at = ken_str_find(path, ken_str_c(tokens[i]));
        int32_t of = i ? def : owner;
        if (at == SIZE_MAX || of < 0)
            continue;
        ken_str name = ken_graph_name(u, (ken_def_id)of), tail = KEN_STR("Controller");
        if (!i && ken_str_ends(name, tail))
            name = ken_str_sub(name, 0, name.len - tail.len);
        ken_str before = ken_str_sub(path, 0, at),
                behind = ken_str_sub(path, at + strlen(tokens[i]), path.len);
        path = ken_arena_printf(r->arena, KEN_STR_FMT KEN_STR_FMT KEN_STR_FMT, KEN_STR_ARG(before),
                                KEN_STR_ARG(name), KEN_STR_ARG(behind));
    }
    return path;
}

// The decorator of a definition that is a prefix rule of the framework, or NULL.
static const ken_literal *prefix_literal(routing *r, const query_route_file *f, int32_t def,
                                         const ken_framework *framework)
{
    const ken_refs *refs = f->unit->refs;
    for (uint32_t i = 0; def >= 0 && i < refs->n_literals; i++) {
        const ken_framework *other;
        if (refs->literals[i].decorates != def)
            continue;
        const ken_route_rule *rule = rule_of(r, f->unit, &refs->literals[i], &other);
        if (rule && rule->is_prefix && other == framework)
            return &refs->literals[i];
    }
    return NULL;
}

// The prefix that the decorators of the type around a definition give.
static query_prefixes before_decorated(routing *r, const said *it)
{
    ken_str paths[SAID_MAX];
    bool is_partial;
    int32_t owner = ken_graph_owner(it->f->unit, (ken_def_id)it->l->decorates);
    const ken_literal *l = prefix_literal(r, it->f, owner, it->framework);
    if (!l)
        return ken_query__routers_prefixes(&r->routers, it->f->number, it->framework, it->l);
    size_t n = decorator_paths(r, it->f, it->framework, l, paths, &is_partial);
    query_prefixes all = { KEN_ARENA_ARRAY(r->arena, query_prefix, n + 1), n ? n : 1 };
    all.items[0] = (query_prefix){ KEN_STR(""), is_partial };
    for (size_t i = 0; i < n; i++)
        all.items[i] =
            (query_prefix){ with_tokens(r, it->f->unit, owner, -1, paths[i]), is_partial };
    return all;
}

// ---- methods and paths ---------------------------------------------------------------------------

static ken_str method_called(routing *r, const ken_framework *fw, ken_str name)
{
    for (uint32_t i = 0; i < fw->n_rules; i++) {
        const ken_route_rule *rule = &fw->rules[i];
        if (rule->form == KEN_ROUTE_PATH && !rule->is_event && !rule->is_prefix &&
            ken_words_have(rule->names, rule->n_names, name))
            return rule->method.len ? rule->method : upper(r->arena, name);
    }
    return KEN_STR("");
}

static void add_method(said *it, ken_str method, ken_str handler, size_t open)
{
    if (!method.len || it->n_methods == SAID_MAX)
        return;
    it->handlers[it->n_methods] = handler;
    it->opens[it->n_methods] = open;
    it->methods[it->n_methods++] = method;
}

// The methods that are chained behind `at`: `.get(list).post(make)`.
static void add_links(routing *r, said *it, size_t at)
{
    ken_str name, args[KEN_ROUTE_ARGS];
    size_t open;
    for (int i = 0; i < SAID_MAX && ken_route_link(it->f->text, at, &name, &open); i++) {
        size_t n = ken_route_args(it->f->text, open, it->f->has_hash, args);
        add_method(it, method_called(r, it->framework, name), n ? args[n - 1] : KEN_STR(""), open);
        at = ken_route_behind(it->f->text, open, it->f->has_hash);
    }
}

// `get(list).post(make)` as a second argument.
static void add_inner(routing *r, said *it, ken_str arg)
{
    size_t open = ken_str_find_char(arg, '('), from = open,
           base = (size_t)(arg.ptr - it->f->text.ptr);
    ken_str args[KEN_ROUTE_ARGS];
    if (open == SIZE_MAX)
        return;
    while (from && ken_is_word(arg.ptr[from - 1]))
        from--;
    size_t n = ken_route_args(arg, open, it->f->has_hash, args);
    add_method(it, method_called(r, it->framework, ken_str_sub(arg, from, open)),
               n ? args[n - 1] : KEN_STR(""), base + open);
    add_links(r, it, base + ken_route_behind(arg, open, it->f->has_hash));
}

static void read_methods(routing *r, said *it, const ken_str *args, size_t n)
{
    const ken_route_rule *rule = it->rule;
    ken_str value = KEN_STR(""), words[KEN_ROUTE_ARGS];
    if (rule->form == KEN_ROUTE_CHAIN)
        add_links(r, it, it->l->end);
    else if (rule->form == KEN_ROUTE_INNER && n > 1)
        add_inner(r, it, args[1]);
    else if (rule->form == KEN_ROUTE_METHOD)
        add_method(it, upper(r->arena, it->l->text), KEN_STR(""), 0);
    for (uint32_t i = 0; i < it->framework->n_methods && !value.len; i++)
        value = ken_route_option(args, n, it->framework->methods[i], it->f->has_hash);
    size_t n_words = value.len && !it->n_methods ? ken_route_words(value, words) : 0;
    for (size_t i = 0; i < n_words; i++)
        add_method(it, upper(r->arena, words[i]), KEN_STR(""), 0);
    if (it->n_methods || (rule->form != KEN_ROUTE_PATH && rule->form != KEN_ROUTE_NEST &&
                          rule->form != KEN_ROUTE_INNER))
        return;
    ken_str name = it->f->unit->refs->exprs[it->l->callee].name;
    bool is_type = rule->is_prefix;
    add_method(it,
               is_type            ? KEN_STR("ANY")
               : rule->method.len ? rule->method
                                  : upper(r->arena, name),
               KEN_STR(""), 0);
}

// Resolves the name of a handler in an argument.
static void find_named(routing *r, const query_route_file *f, ken_str arg, ken_targets *out)
{
    const ken_refs *refs = f->unit->refs;
    uint32_t to = (uint32_t)(arg.ptr - f->text.ptr) + (uint32_t)arg.len;
    for (size_t i = 0; i < arg.len; i++)
        if (!ken_is_word(arg.ptr[i]) && arg.ptr[i] != '.' && arg.ptr[i] != ':')
            return;
    uint32_t first = ken_query__first_ref(refs, (uint32_t)(arg.ptr - f->text.ptr));
    for (uint32_t i = first; i < refs->n_refs && refs->refs[i].byte < to; i++)
        ken_graph_resolve(r->g, f->number, refs->refs[i].expr, KEN_REF_READ, out);
}

static void find_handler(routing *r, const said *it, size_t method, ken_route *out)
{
    const ken_literal *l = it->l;
    out->handler_id = (ken_graph_def){ UINT32_MAX, 0 };
    ken_targets t = { .n = 0 };
    if (l->decorates >= 0)
        t = (ken_targets){ .defs = { { it->f->number, (ken_def_id)l->decorates } }, .n = 1 };
    else if (it->handlers[method].len)
        find_named(r, it->f, it->handlers[method], &t);
    else if (l->handler && it->rule->form != KEN_ROUTE_CHAIN)
        ken_graph_resolve(r->g, it->f->number, l->handler, KEN_REF_READ, &t);
    else if (it->rule->form == KEN_ROUTE_PATH || it->rule->form == KEN_ROUTE_NEST)
        t.n = ken_query__view_of(r->g, it->f->number, it->f->unit->refs, l, &t.defs[0]) >= 0;
    if (!t.n)
        return;
    const ken_unit_text *h = ken_graph_unit(r->g, t.defs[0].file);
    out->handler_id = t.defs[0];
    out->handler = ken_arena_dup(r->arena, ken_graph_name(h, t.defs[0].def));
}

static bool passes(const routing *r, const ken_route *route)
{
    return !r->filter.len || ken_str_find(route->path, r->filter) != SIZE_MAX ||
           ken_str_eq_fold(route->method, r->filter) ||
           ken_str_eq_fold(route->framework, r->filter);
}

static bool holds_others(const said *it)
{
    const ken_refs *refs = it->f->unit->refs;
    for (uint32_t i = 0; i < refs->n_literals; i++) {
        const ken_literal *l = &refs->literals[i];
        if (l != it->l && l->byte > it->l->byte && l->end <= it->l->end &&
            refs->exprs[l->callee].name.len && l->decorates < 0 && l->text.len)
            return true;
    }
    return false;
}

static void read_paths(routing *r, said *it, const ken_str *args, size_t n, bool *is_partial)
{
    const ken_literal *l = it->l;
    *is_partial = false;
    if (it->rule->form == KEN_ROUTE_METHOD) {
        if (n > 1 && ken_query__routers_text(&r->routers, it->f, args[1], &it->paths[0]))
            it->n_paths = 1;
        return;
    }
    if (l->decorates < 0) {
        it->paths[it->n_paths++] = l->text;
        return;
    }
    it->n_paths = decorator_paths(r, it->f, it->framework, l, it->paths, is_partial);
    const ken_literal *beside = prefix_literal(r, it->f, l->decorates, it->framework);
    if (!it->n_paths && beside && beside != l) // `[HttpGet, Route("x")]`
        it->n_paths = decorator_paths(r, it->f, it->framework, beside, it->paths, is_partial);
    if (!it->n_paths)
        it->paths[it->n_paths++] = KEN_STR("");
}

// A method has a prefix rule of its own, and nothing that names an HTTP method beside it.
static bool is_route_itself(routing *r, const said *it)
{
    const ken_refs *refs = it->f->unit->refs;
    if (it->l->decorates < 0 ||
        !ken_symbol_is_callable(ken_graph_kind(it->f->unit, (ken_def_id)it->l->decorates)))
        return false;
    for (uint32_t i = 0; i < refs->n_literals; i++) {
        const ken_framework *other;
        const ken_route_rule *rule = refs->literals[i].decorates == it->l->decorates
                                         ? rule_of(r, it->f->unit, &refs->literals[i], &other)
                                         : NULL;
        if (rule && !rule->is_prefix)
            return false;
    }
    return true;
}

static void add_route(routing *r, const said *it, query_prefix prefix, size_t method, size_t path,
                      uint32_t line)
{
    ken_str text = it->paths[path];
    bool is_event = it->rule->is_event;
    int32_t def = it->l->decorates;
    if (it->framework->is_absolute && def >= 0 && text.len && memchr("/~", text.ptr[0], 2)) {
        prefix = (query_prefix){ KEN_STR(""), false };
        text = text.ptr[0] == '~' ? ken_str_sub(text, 1, text.len) : text;
    }
    if (def >= 0)
        text =
            with_tokens(r, it->f->unit, ken_graph_owner(it->f->unit, (ken_def_id)def), def, text);
    query_prefix all = ken_query__prefix_join(r->arena, prefix, text);
    bool is_regex = all.text.len && all.text.ptr[0] == '^';
    bool has_slash = is_event || is_regex || (all.text.len && memchr("/*", all.text.ptr[0], 2));
    ken_route route = {
        .framework = ken_arena_dup(r->arena, it->framework->name),
        .method = ken_arena_dup(r->arena, it->methods[method]),
        .path = ken_query__repaired(
            r->arena, ken_arena_printf(r->arena, "%s%s" KEN_STR_FMT, all.is_partial ? "…" : "",
                                       has_slash ? "" : "/", KEN_STR_ARG(all.text))),
        .is_partial = all.is_partial,
        .is_event = is_event,
        .file = r->s->rows[it->f->number].path,
        .line = line,
    };
    find_handler(r, it, method, &route);
    if (!passes(r, &route) || r->found.len >= ROUTES_MAX)
        return;
    query_route_site site = { .file = it->f->number,
                              .literal = (uint32_t)(it->l - it->f->unit->refs->literals),
                              .path = (uint32_t)path };
    ken_str handler = it->handlers[method];
    if (handler.len) {
        site.steps_from = (uint32_t)it->opens[method] + 1;
        site.handler_from = (uint32_t)(handler.ptr - it->f->text.ptr);
        site.end = site.handler_from + (uint32_t)handler.len;
    }
    ken_vec_push(&r->found, route);
    ken_vec_push(&r->sites, site);
}

// One path of a literal: each way to it with each method is a route.
static void add_routes(routing *r, const said *it, query_prefixes before, size_t path,
                       uint32_t line)
{
    if (!it->rule->is_event)
        before = ken_query__bases_before(&r->routers, it->f->number, it->framework, before,
                                         it->paths[path]);
    for (size_t i = 0; i < before.n; i++)
        for (size_t m = 0; m < it->n_methods; m++)
            add_route(r, it, before.items[i], m, path, line);
}

static void add_literal(routing *r, const query_route_file *f, const ken_literal *l, uint32_t line)
{
    said it = { .f = f, .l = l };
    ken_str args[KEN_ROUTE_ARGS];
    it.rule = rule_of(r, f->unit, l, &it.framework);
    if (!it.rule || it.rule->form == KEN_ROUTE_MOUNT || it.rule->form == KEN_ROUTE_INCLUDE ||
        it.rule->form == KEN_ROUTE_GLOBAL || (it.rule->is_prefix && !is_route_itself(r, &it)) ||
        (it.rule->form == KEN_ROUTE_NEST && holds_others(&it)))
        return;
    if (!l->text.len && l->decorates < 0 && it.rule->form != KEN_ROUTE_NEST)
        return;
    size_t open = l->byte < l->end ? ken_route_open(f->text, l->byte) : SIZE_MAX;
    size_t n = open == SIZE_MAX ? 0 : ken_route_args(f->text, open, f->has_hash, args);
    bool is_partial = false;
    query_prefixes before = { 0 };
    if (it.rule->is_event) {
        it.methods[it.n_methods++] = it.rule->method;
        it.paths[it.n_paths++] = l->text;
        if (!l->text.len)
            return;
    } else {
        read_methods(r, &it, args, n);
        read_paths(r, &it, args, n, &is_partial);
        before = l->decorates >= 0
                     ? before_decorated(r, &it)
                     : ken_query__routers_prefixes(&r->routers, f->number, it.framework, l);
    }
    if (!before.n)
        before = ken_query__prefix_alone(r->arena, (query_prefix){ KEN_STR(""), false });
    for (size_t i = 0; i < before.n; i++)
        before.items[i].is_partial = before.items[i].is_partial || is_partial;
    for (size_t p = 0; p < it.n_paths; p++)
        add_routes(r, &it, before, p, line);
}

// ---- decorators without arguments ----------------------------------------------------------------

// `@sio.event` above a function, whose name is the event's.
static void add_bare(routing *r, const query_route_file *f, const ken_framework *fw,
                     const ken_route_rule *rule)
{
    const ken_refs *refs = f->unit->refs;
    const ken_facts *facts = f->unit->facts;
    for (uint32_t i = 0; i < refs->n_refs; i++) {
        if (refs->refs[i].role != KEN_REF_DECORATE ||
            !ken_words_have(rule->names, rule->n_names, refs->exprs[refs->refs[i].expr].name))
            continue;
        uint32_t byte = refs->refs[i].byte;
        for (uint32_t d = 0; d < facts->n_symbols; d++) {
            const ken_symbol *sym = &facts->symbols[d];
            if (!ken_symbol_is_callable(sym->kind) || byte < sym->span.start ||
                byte >= sym->signature.end)
                continue;
            ken_str name = ken_graph_name(f->unit, d);
            ken_route route = { .framework = ken_arena_dup(r->arena, fw->name),
                                .method = ken_arena_dup(r->arena, rule->method),
                                .path = ken_arena_dup(r->arena, name),
                                .handler = ken_arena_dup(r->arena, name),
                                .handler_id = { f->number, d },
                                .is_event = true,
                                .file = r->s->rows[f->number].path,
                                .line = sym->first_line };
            if (passes(r, &route) && r->found.len < ROUTES_MAX) {
                ken_vec_push(&r->found, route);
                ken_vec_push(&r->sites,
                             ((query_route_site){ .file = f->number, .literal = UINT32_MAX }));
            }
            break;
        }
    }
}

static void look_for_bare(routing *r, const query_route_file *f)
{
    ken_str language = ken_str_c(ken_lang_name((ken_lang_id)f->unit->lang));
    for (size_t i = 0; i < r->frameworks.items.len; i++) {
        const ken_framework *fw = &r->frameworks.items.ptr[i];
        for (uint32_t k = 0; k < fw->n_rules; k++)
            if (fw->rules[k].form == KEN_ROUTE_BARE &&
                ken_framework_covers(fw, language, f->unit->refs))
                add_bare(r, f, fw, &fw->rules[k]);
    }
}

static void look_at(routing *r, uint32_t file)
{
    const ken_unit_text *u = ken_graph_unit(r->g, file);
    if (!u || !u->refs->n_literals)
        return;
    const query_route_file *f = ken_query__routers_file(&r->routers, file);
    if (!f)
        return;
    query_route_file here = *f; // files may move
    uint32_t n = ken_line_starts(here.text, NULL, 0);
    uint32_t *starts = KEN_ARENA_ARRAY(r->arena, uint32_t, n + (size_t)1);
    ken_line_starts(here.text, starts, n);
    for (uint32_t i = 0; i < u->refs->n_literals; i++) {
        const ken_literal *l = &u->refs->literals[i];
        uint32_t byte = l->byte && l->byte >= l->end ? l->byte - 1 : l->byte;
        add_literal(r, &here, l, ken_line_of(starts, n, byte));
    }
    look_for_bare(r, &here);
}

// ---- Rails --------------------------------------------------------------------------------------

// The action of the controller that a route names, in the file where the convention puts it.
static void find_action(routing *r, const ken_rails_route *it, ken_route *out)
{
    size_t dot = ken_str_rfind_char(it->handler, ':');
    ken_str name =
        dot == SIZE_MAX ? it->handler : ken_str_sub(it->handler, dot + 1, it->handler.len);
    query_names names = { 0 };
    out->handler = it->handler;
    out->handler_id = (ken_graph_def){ UINT32_MAX, 0 };
    if (!it->file.len || ken_query__find_names(r->s, name, it->file, r->arena, &names, NULL))
        return;
    for (size_t i = 0; i < names.len; i++)
        if (ken_str_ends(r->s->rows[names.ptr[i].file].path, it->file)) {
            out->handler_id = (ken_graph_def){ names.ptr[i].file, names.ptr[i].symbol };
            break;
        }
    ken_vec_release(&names);
}

static void add_rails(routing *r, uint32_t file, ken_str text)
{
    ken_rails_route *all;
    size_t n = ken_rails_routes(text, r->arena, &all);
    uint32_t line = 0, at = 0;
    for (size_t i = 0; i < n && r->found.len < ROUTES_MAX; i++) {
        for (; at < all[i].byte; at++)
            line += text.ptr[at] == '\n';
        ken_route route = { .framework = KEN_STR("rails"),
                            .method = all[i].method,
                            .path = ken_query__repaired(r->arena, all[i].path),
                            .file = r->s->rows[file].path,
                            .line = line };
        find_action(r, &all[i], &route);
        if (!passes(r, &route))
            continue;
        query_route_site site = { .file = file, .literal = UINT32_MAX }; // from no literal
        ken_vec_push(&r->found, route);
        ken_vec_push(&r->sites, site);
    }
}

static bool is_rails(const routing *r, uint32_t file)
{
    return ken_rails_is_file(r->s->rows[file].path);
}

static void look_for_rails(routing *r)
{
    for (uint32_t f = 0; f < r->s->n_files; f++) {
        query_text t; // loads the unit, so that the graph notices when the file changes
        if (!is_rails(r, f) || !ken_graph_unit(r->g, f) ||
            ken_query__load_text(r->s, f, r->arena, &t, NULL))
            continue;
        if (ken_query__need_text(&t))
            add_rails(r, f, t.text);
        ken_query__close_text(&t);
    }
}

static ken_status look_at_all(routing *r, const uint32_t *files, size_t n, bool wants_tests,
                              const ken_cancel *cancel, ken_err *err)
{
    ken_status st = KEN_OK;
    for (size_t i = 0; !st && i < n; i++) {
        if (ken_query__is_test(r->s, files[i]) == wants_tests && !is_rails(r, files[i]) &&
            ken_query__routers_speaks(&r->routers, i))
            look_at(r, files[i]);
        st = ken_cancel_check(cancel, err);
    }
    return st;
}

static ken_status find(routing *r, bool is_strict, const ken_cancel *cancel, ken_err *err)
{
    uint32_t *files;
    size_t n;
    ken_status st = ken_query__frameworks(r->s, is_strict, r->arena, &r->frameworks, err);
    if (!st)
        st = ken_query__graph_files_with(r->s, KEN_STR(KEN_MENTION_LITERALS), r->arena, &files, &n,
                                         err);
    if (!st)
        look_for_rails(r);
    ken_query__routers_init(&r->routers, r->s, r->g, &r->frameworks, r->arena);
    if (!st)
        ken_query__routers_learn(&r->routers, files, n);
    for (int tests = 0; !st && tests < 2; tests++) // those of tests come last
        st = look_at_all(r, files, n, tests > 0, cancel, err);
    return st;
}

// Whether none of the files has changed since its routes were found.
static bool is_fresh(ken_snapshot *s, const query_kept_routes *kept)
{
    for (size_t i = 0; i < kept->n; i++) {
        bool is_same_file = i && kept->sites[i].file == kept->sites[i - 1].file;
        if (!is_same_file && ken_query__graph_is_stale(s, kept->sites[i].file))
            return false;
    }
    for (size_t i = 0; i < kept->n_mounts; i++) {
        bool is_same_file = i && kept->mounts[i]->file == kept->mounts[i - 1]->file;
        if (!is_same_file && ken_query__graph_is_stale(s, kept->mounts[i]->file))
            return false;
    }
    for (size_t i = 0; i < kept->n_others; i++)
        if (ken_query__graph_is_stale(s, kept->others[i]))
            return false;
    return true;
}

// The graph may close before the answer is written, so nothing of it is handed out.
static void copy(const query_kept_routes *kept, ken_arena *arena, query_kept_routes *out)
{
    *out = (query_kept_routes){ .n = kept->n, .n_others = kept->n_others, .is_known = true };
    out->routes = KEN_ARENA_ARRAY(arena, ken_route, kept->n + 1);
    out->sites = KEN_ARENA_ARRAY(arena, query_route_site, kept->n + 1);
    out->others = KEN_ARENA_ARRAY(arena, uint32_t, kept->n_others + 1);
    for (size_t i = 0; i < kept->n; i++) {
        ken_route *r = &out->routes[i];
        *r = kept->routes[i];
        r->framework = ken_arena_dup(arena, r->framework);
        r->method = ken_arena_dup(arena, r->method);
        r->path = ken_arena_dup(arena, r->path);
        r->handler = ken_arena_dup(arena, r->handler);
        out->sites[i] = kept->sites[i];
    }
    out->n_mounts = ken_query__mounts_copy(kept->mounts, kept->n_mounts, arena, &out->mounts);
    for (size_t i = 0; i < kept->n_others; i++)
        out->others[i] = kept->others[i];
}

// The part of a result that outlives the search.
static void take_found(routing *r, query_kept_routes *out)
{
    const query_kept_routes found = { .routes = r->found.ptr,
                                      .sites = r->sites.ptr,
                                      .n = r->found.len,
                                      .mounts = r->routers.mounts.ptr,
                                      .n_mounts = r->routers.mounts.len,
                                      .others = r->routers.others.ptr,
                                      .n_others = r->routers.others.len };
    copy(&found, r->arena, out);
}

static ken_status find_sites(ken_snapshot *s, ken_str filter, bool is_strict,
                             const ken_cancel *cancel, ken_arena *arena, query_kept_routes *out,
                             ken_err *err)
{
    routing r = { .s = s, .arena = arena, .filter = filter };
    r.g = ken_query__graph_at_hand(s);
    ken_status st = r.g ? KEN_OK : ken_query__graph_open(s, &r.g, err);
    if (st)
        return st;
    st = find(&r, is_strict, cancel, err);
    take_found(&r, out);
    ken_frameworks_release(&r.frameworks);
    ken_vec_release(&r.found);
    ken_vec_release(&r.sites);
    ken_query__routers_release(&r.routers);
    return st;
}

// The texts that are read on the way are not kept.
static ken_status find_and_keep(ken_snapshot *s, const ken_cancel *cancel, query_kept_routes *kept,
                                ken_err *err)
{
    query_kept_routes found;
    ken_arena scratch;
    ken_arena_init(&scratch, 0);
    ken_status st = find_sites(s, KEN_STR(""), false, cancel, &scratch, &found, err);
    if (!st)
        copy(&found, ken_query__graph_arena(s), kept);
    ken_arena_release(&scratch);
    return st;
}

ken_status ken_query__find_sites(ken_snapshot *s, ken_str filter, bool is_strict,
                                 const ken_cancel *cancel, ken_arena *arena, query_kept_routes *out,
                                 ken_err *err)
{
    query_kept_routes *kept = filter.len || is_strict ? NULL : ken_query__graph_routes(s);
    ken_status st = KEN_OK;
    if (!kept || (kept->is_known && !is_fresh(s, kept)))
        return find_sites(s, filter, is_strict, cancel, arena, out, err);
    if (!kept->is_known)
        st = find_and_keep(s, cancel, kept, err);
    if (!st)
        copy(kept, arena, out);
    return st;
}

ken_status ken_query__find_routes(ken_snapshot *s, ken_str filter, bool is_strict,
                                  const ken_cancel *cancel, ken_arena *arena, ken_route **out,
                                  size_t *out_n, ken_err *err)
{
    query_kept_routes found;
    ken_status st = ken_query__find_sites(s, filter, is_strict, cancel, arena, &found, err);
    if (!st) {
        *out = found.routes;
        *out_n = found.n;
    }
    return st;
}

ken_status ken_find_routes(ken_snapshot *s, ken_str filter, const ken_cancel *cancel,
                           ken_arena *arena, ken_route **out, size_t *out_n, ken_err *err)
{
    return ken_query__find_routes(s, ken_str_trim(filter), true, cancel, arena, out, out_n, err);
}
