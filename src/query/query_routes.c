// SPDX-License-Identifier: MIT
// Routes and events: the literals of all files that have any, by the rules of frameworks.
#include <stdlib.h>

#include "base/path.h"
#include "mention/mention.h"
#include "query/query_graph_priv.h"
#include "route/route.h"
#include "route/route_rails.h"

enum {
    ROUTES_MAX = 20000,
    GROUPS_MAX = 200,  // of one file
    GROUPS_DEEP = 16,  // in each other
    PREFIX_BYTES = 500 // of all of them
};

// A call of a prefix rule: it stands before the paths in what is chained to it.
typedef struct route_group {
    const ken_literal *of;
    size_t end; // of the chain
} route_group;

typedef struct routing {
    ken_snapshot *s;
    ken_graph *g;
    ken_arena *arena;
    ken_frameworks frameworks;
    ken_str filter;
    KEN_VEC(ken_route) found;
    KEN_VEC(query_route_site) sites; // by route
    KEN_VEC(route_group) groups;     // of the file that is looked at
} routing;

// The project's own frameworks; a bad file is an error only for who asks for routes themselves.
ken_status query_frameworks(ken_snapshot *s, bool is_strict, ken_arena *arena, ken_frameworks *out,
                            ken_err *err)
{
    ken_status st = KEN_OK;
    ken_frameworks_init(out);
    for (uint32_t f = 0; !st && f < s->n_files; f++) {
        ken_str path = s->rows[f].path;
        if (!ken_frameworks_is_file(path))
            continue;
        query_text t;
        if (query_load_text(s, f, arena, &t, NULL))
            continue;
        bool is_read = query_need_text(&t);
        query_close_text(&t);
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
    return ken_route_find(&r->frameworks, ken_str_c(ken_lang_name((ken_lang_id)u->lang)), u->refs,
                          l, out_framework);
}

// The text of a prefix rule on the type around a definition, or empty.
static ken_str prefix_of(routing *r, const ken_unit_text *u, int32_t def)
{
    int32_t owner = def >= 0 ? ken_graph_owner(u, (ken_def_id)def) : -1;
    for (uint32_t i = 0; owner >= 0 && i < u->refs->n_literals; i++) {
        const ken_literal *l = &u->refs->literals[i];
        const ken_framework *framework;
        if (l->decorates != owner)
            continue;
        const ken_route_rule *rule = rule_of(r, u, l, &framework);
        if (rule && rule->is_prefix)
            return l->text;
    }
    return KEN_STR("");
}

static ken_str joined(ken_arena *arena, ken_str prefix, ken_str path)
{
    if (!prefix.len)
        return ken_arena_dup(arena, path);
    while (ken_str_ends(prefix, KEN_STR("/")))
        prefix.len--;
    bool has_slash = !path.len || path.ptr[0] == '/';
    const char *first = prefix.len && prefix.ptr[0] == '/' ? "" : "/";
    return ken_arena_printf(arena, "%s" KEN_STR_FMT "%s" KEN_STR_FMT, first, KEN_STR_ARG(prefix),
                            has_slash ? "" : "/", KEN_STR_ARG(path));
}

static void find_groups(routing *r, const ken_unit_text *u, ken_str text)
{
    ken_vec_clear(&r->groups);
    for (uint32_t i = 0; i < u->refs->n_literals && r->groups.len < GROUPS_MAX; i++) {
        const ken_literal *l = &u->refs->literals[i];
        const ken_framework *framework;
        const ken_route_rule *rule =
            l->decorates < 0 && l->text.len ? rule_of(r, u, l, &framework) : NULL;
        if (rule && rule->is_prefix)
            ken_vec_push(&r->groups, ((route_group){ l, query_chain_end(text, l->end) }));
    }
}

// What calls of a prefix rule put before the paths in what is chained to them:
// `Route::prefix('admin')->group(function () { … })`.
static ken_str group_prefix(routing *r, const ken_literal *of)
{
    ken_str all = KEN_STR("");
    int deep = 0;
    for (size_t i = 0; i < r->groups.len && r->groups.ptr[i].of < of && deep < GROUPS_DEEP; i++) {
        const route_group *g = &r->groups.ptr[i];
        if (g->of->end > of->byte || g->end <= of->byte || all.len + g->of->text.len > PREFIX_BYTES)
            continue;
        all = joined(r->arena, all, g->of->text);
        deep++;
    }
    return all;
}

static void find_handler(routing *r, uint32_t file, const ken_literal *l, ken_route *out)
{
    out->handler_id = (ken_graph_def){ UINT32_MAX, 0 };
    ken_targets t = { .n = 0 };
    if (l->decorates >= 0)
        t = (ken_targets){ .defs = { { file, (ken_def_id)l->decorates } }, .n = 1 };
    else if (l->handler)
        ken_graph_resolve(r->g, file, l->handler, KEN_REF_READ, &t);
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

static void add_literal(routing *r, uint32_t file, const ken_unit_text *u, const ken_literal *l,
                        uint32_t line)
{
    const ken_framework *framework;
    if (!l->text.len)
        return;
    const ken_route_rule *rule = rule_of(r, u, l, &framework);
    if (!rule || rule->is_prefix)
        return;
    ken_str prefix = rule->is_event          ? KEN_STR("")
                     : l->decorates >= 0     ? prefix_of(r, u, l->decorates)
                     : framework->has_groups ? group_prefix(r, l)
                                             : KEN_STR("");
    ken_route route = {
        .framework = ken_arena_dup(r->arena, framework->name),
        .method = rule->method.len ? ken_arena_dup(r->arena, rule->method)
                                   : upper(r->arena, u->refs->exprs[l->callee].name),
        .path = query_repaired(r->arena, joined(r->arena, prefix, l->text)),
        .is_event = rule->is_event,
        .file = r->s->rows[file].path,
        .line = line,
    };
    find_handler(r, file, l, &route);
    if (!passes(r, &route) || r->found.len >= ROUTES_MAX)
        return;
    query_route_site site = { file, (uint32_t)(l - u->refs->literals) };
    ken_vec_push(&r->found, route);
    ken_vec_push(&r->sites, site);
}

static void look_at(routing *r, uint32_t file)
{
    const ken_unit_text *u = ken_graph_unit(r->g, file);
    if (!u || !u->refs->n_literals)
        return;
    query_text t;
    if (query_load_text(r->s, file, r->arena, &t, NULL))
        return;
    bool is_read = query_need_text(&t);
    query_close_text(&t);
    if (is_read)
        find_groups(r, u, t.text);
    uint32_t line = 0, at = 0;
    for (uint32_t i = 0; is_read && i < u->refs->n_literals; i++) {
        const ken_literal *l = &u->refs->literals[i];
        for (; at < l->byte && at < t.text.len; at++)
            line += t.text.ptr[at] == '\n';
        add_literal(r, file, u, l, line);
    }
}

// ---- Rails --------------------------------------------------------------------------------------

// The action of the controller that a route names, in the file that the convention says.
static void find_action(routing *r, const ken_rails_route *it, ken_route *out)
{
    size_t dot = ken_str_rfind_char(it->handler, ':');
    ken_str name =
        dot == SIZE_MAX ? it->handler : ken_str_sub(it->handler, dot + 1, it->handler.len);
    query_names names = { 0 };
    out->handler = it->handler;
    out->handler_id = (ken_graph_def){ UINT32_MAX, 0 };
    if (!it->file.len || query_find_names(r->s, name, it->file, r->arena, &names, NULL))
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
                            .path = query_repaired(r->arena, all[i].path),
                            .file = r->s->rows[file].path,
                            .line = line };
        find_action(r, &all[i], &route);
        if (!passes(r, &route))
            continue;
        query_route_site site = { file, UINT32_MAX }; // said by no literal
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
        query_text t; // the graph is asked so that it knows when the file changes
        if (!is_rails(r, f) || !ken_graph_unit(r->g, f) ||
            query_load_text(r->s, f, r->arena, &t, NULL))
            continue;
        if (query_need_text(&t))
            add_rails(r, f, t.text);
        query_close_text(&t);
    }
}

static ken_status find(routing *r, bool is_strict, const ken_cancel *cancel, ken_err *err)
{
    uint32_t *files;
    size_t n;
    ken_status st = query_frameworks(r->s, is_strict, r->arena, &r->frameworks, err);
    if (!st)
        st = query_graph_files_with(r->s, KEN_STR(KEN_MENTION_LITERALS), r->arena, &files, &n, err);
    if (!st)
        look_for_rails(r);
    for (int tests = 0; tests < 2; tests++) // those of tests come last
        for (size_t i = 0; !st && i < n; i++) {
            if (query_is_test(r->s, files[i]) == (tests > 0) && !is_rails(r, files[i]))
                look_at(r, files[i]);
            st = ken_cancel_check(cancel, err);
        }
    return st;
}

// Whether none of the files has changed since its routes were found.
static bool is_fresh(ken_snapshot *s, const query_kept_routes *kept)
{
    for (size_t i = 0; i < kept->n; i++) {
        bool is_same_file = i && kept->sites[i].file == kept->sites[i - 1].file;
        if (!is_same_file && query_graph_is_stale(s, kept->sites[i].file))
            return false;
    }
    return true;
}

// The graph may close before the answer is written, so nothing of it is handed out.
static void copy(const query_kept_routes *kept, ken_arena *arena, ken_route **out,
                 query_route_site **out_sites, size_t *out_n)
{
    *out = KEN_ARENA_ARRAY(arena, ken_route, kept->n + 1);
    *out_sites = KEN_ARENA_ARRAY(arena, query_route_site, kept->n + 1);
    for (size_t i = 0; i < kept->n; i++) {
        ken_route *r = &(*out)[i];
        *r = kept->routes[i];
        r->framework = ken_arena_dup(arena, r->framework);
        r->method = ken_arena_dup(arena, r->method);
        r->path = ken_arena_dup(arena, r->path);
        r->handler = ken_arena_dup(arena, r->handler);
        (*out_sites)[i] = kept->sites[i];
    }
    *out_n = kept->n;
}

static ken_status find_sites(ken_snapshot *s, ken_str filter, bool is_strict,
                             const ken_cancel *cancel, ken_arena *arena, ken_route **out,
                             query_route_site **out_sites, size_t *out_n, ken_err *err)
{
    routing r = { .s = s, .arena = arena, .filter = filter };
    *out = NULL;
    *out_n = 0;
    r.g = query_graph_at_hand(s);
    ken_status st = r.g ? KEN_OK : query_graph_open(s, &r.g, err);
    if (st)
        return st;
    st = find(&r, is_strict, cancel, err);
    ken_frameworks_release(&r.frameworks);
    *out = KEN_ARENA_ARRAY(arena, ken_route, r.found.len + 1);
    *out_sites = KEN_ARENA_ARRAY(arena, query_route_site, r.found.len + 1);
    if (!st && r.found.len) {
        memcpy(*out, r.found.ptr, r.found.len * sizeof **out);
        memcpy(*out_sites, r.sites.ptr, r.found.len * sizeof **out_sites);
        *out_n = r.found.len;
    }
    ken_vec_release(&r.found);
    ken_vec_release(&r.sites);
    ken_vec_release(&r.groups);
    return st;
}

// The texts that are read on the way are not kept.
static ken_status find_and_keep(ken_snapshot *s, const ken_cancel *cancel, query_kept_routes *kept,
                                ken_err *err)
{
    query_kept_routes found = { .is_known = true };
    ken_arena scratch;
    ken_arena_init(&scratch, 0);
    ken_status st = find_sites(s, KEN_STR(""), false, cancel, &scratch, &found.routes, &found.sites,
                               &found.n, err);
    if (!st) {
        copy(&found, query_graph_arena(s), &kept->routes, &kept->sites, &kept->n);
        kept->is_known = true;
    }
    ken_arena_release(&scratch);
    return st;
}

ken_status query_find_sites(ken_snapshot *s, ken_str filter, bool is_strict,
                            const ken_cancel *cancel, ken_arena *arena, ken_route **out,
                            query_route_site **out_sites, size_t *out_n, ken_err *err)
{
    query_kept_routes *kept = filter.len || is_strict ? NULL : query_graph_routes(s);
    ken_status st = KEN_OK;
    if (!kept || (kept->is_known && !is_fresh(s, kept)))
        return find_sites(s, filter, is_strict, cancel, arena, out, out_sites, out_n, err);
    if (!kept->is_known)
        st = find_and_keep(s, cancel, kept, err);
    if (!st)
        copy(kept, arena, out, out_sites, out_n);
    return st;
}

ken_status query_find_routes(ken_snapshot *s, ken_str filter, bool is_strict,
                             const ken_cancel *cancel, ken_arena *arena, ken_route **out,
                             size_t *out_n, ken_err *err)
{
    query_route_site *sites;
    return query_find_sites(s, filter, is_strict, cancel, arena, out, &sites, out_n, err);
}

ken_status ken_find_routes(ken_snapshot *s, ken_str filter, const ken_cancel *cancel,
                           ken_arena *arena, ken_route **out, size_t *out_n, ken_err *err)
{
    return query_find_routes(s, ken_str_trim(filter), true, cancel, arena, out, out_n, err);
}
