// SPDX-License-Identifier: MIT
// httpd_route.c -- which route a path belongs to.
#include <string.h>

#include "base/escape.h"
#include "httpd/httpd_priv.h"

bool ken_httpd__decode(ken_str text, bool is_query, ken_arena *arena, ken_str *out)
{
    char *to = ken_arena_alloc(arena, text.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '+' && is_query)
            c = ' ';
        if (c == '%') {
            if (!ken_percent_at(text, i, &c))
                return false;
            i += 2;
        }
        if (!c)
            return false;
        to[n++] = c;
    }
    to[n] = 0;
    *out = ken_str_n(to, n);
    return true;
}

// A pattern that fits: how far its literal segments go decides among several.
typedef struct fit {
    httpd_pair params[HTTPD_PARAMS_MAX]; // values as they came
    size_t n_params;
    uint64_t rank; // a bit per segment, the first highest: literal is set
} fit;

// The rest of a path after its first slash, cut at the next one.
static bool next_segment(ken_str *rest, ken_str *out)
{
    if (!rest->len || rest->ptr[0] != '/')
        return false;
    ken_str tail = ken_str_sub(*rest, 1, rest->len);
    size_t slash = ken_str_find_char(tail, '/');
    *out = ken_str_sub(tail, 0, slash == SIZE_MAX ? tail.len : slash);
    *rest = ken_str_sub(tail, out->len, tail.len);
    return true;
}

static bool fits(const char *pattern, ken_str path, fit *out)
{
    ken_str want = ken_str_c(pattern), segment, wanted;
    *out = (fit){ 0 };
    for (unsigned bit = 63; next_segment(&want, &wanted); bit--) {
        bool is_name = wanted.len > 2 && wanted.ptr[0] == '{';
        if (is_name && ken_str_ends(wanted, KEN_STR("...}"))) {
            ken_str name = ken_str_sub(wanted, 1, wanted.len - 4);
            ken_str rest = path.len && path.ptr[0] == '/' ? ken_str_sub(path, 1, path.len) : path;
            out->params[out->n_params++] = (httpd_pair){ name, rest };
            return true;
        }
        if (!next_segment(&path, &segment))
            return false;
        if (is_name && segment.len && out->n_params < HTTPD_PARAMS_MAX) {
            ken_str name = ken_str_sub(wanted, 1, wanted.len - 1);
            out->params[out->n_params++] = (httpd_pair){ name, segment };
        } else if (!is_name && ken_str_eq(segment, wanted)) {
            out->rank |= (uint64_t)1 << bit;
        } else {
            return false;
        }
    }
    return !path.len;
}

static bool is_method(const char *offered, ken_str asked)
{
    return ken_str_eq_c(asked, offered) || (ken_str_eq_c(asked, "HEAD") && !strcmp(offered, "GET"));
}

static void add_allowed(ken_httpd_request *r, const char *method, ken_str *allow)
{
    if (allow->len && ken_str_find(*allow, ken_str_c(method)) != SIZE_MAX)
        return;
    const char *more = !strcmp(method, "GET") ? "GET, HEAD" : method;
    *allow = ken_arena_printf(&r->arena, KEN_STR_FMT "%s%s", KEN_STR_ARG(*allow),
                              allow->len ? ", " : "", more);
}

const ken_httpd_route *ken_httpd__find_route(ken_httpd_request *r, ken_str *out_allow)
{
    const ken_httpd_route *best = NULL;
    fit best_fit = { 0 };
    *out_allow = KEN_STR("");
    for (size_t i = 0; i < r->server->opts.n_routes; i++) {
        const ken_httpd_route *route = &r->server->opts.routes[i];
        fit f;
        if (!fits(route->path, r->path, &f))
            continue;
        add_allowed(r, route->method, out_allow);
        if (is_method(route->method, r->method) && (!best || f.rank > best_fit.rank)) {
            best = route;
            best_fit = f;
        }
    }
    for (size_t i = 0; best && i < best_fit.n_params; i++) {
        httpd_pair p = best_fit.params[i];
        if (!ken_httpd__decode(p.value, false, &r->arena, &p.value)) {
            *out_allow = KEN_STR("");
            return NULL;
        }
        r->params[i] = p;
    }
    r->n_params = best_fit.n_params;
    return best;
}
