// SPDX-License-Identifier: MIT
// /api/v1: every operation, as the specifications say it. POST takes the arguments as a JSON object, GET,
// of operations that change nothing, as a query.
//
// The loop hands a call to a worker; a client that goes away cancels it.
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "web/web_priv.h"

typedef struct api_call { // in the arena of its request
    ken_web *web;
    ken_httpd_request *r;
    const ken_tool_spec *spec;
    json_t *args;
    char project[KEN_UUID_TEXT]; // the only one that may be touched; "" = any
    bool is_get;
    int64_t began_ns; // on a worker
    ken_cancel cancel;
} api_call;

enum {
    ETAG_MAX = 64
};

// ---- arguments ---------------------------------------------------------------------------------

static ken_status read_body(ken_httpd_request *r, json_t **out, ken_err *err)
{
    ken_str body = ken_str_trim(ken_httpd_body(r));
    if (!body.len) {
        *out = json_object();
        return KEN_OK;
    }
    ken_status st = ken_json_parse(body, out, err);
    if (!st && !json_is_object(*out)) {
        json_decref(*out);
        *out = NULL;
        st = KEN_FAIL(err, KEN_EINVAL,
                      "the body must be a JSON object: the arguments of the operation");
    }
    return st ? ken_err_wrap(err, "body") : KEN_OK;
}

// A value of a query, which is text, as the type that its parameter has.
static json_t *query_value(ken_tool_arg_type type, ken_str text)
{
    uint64_t number;
    double real;
    json_t *parsed = NULL;
    ken_err err;
    switch (type) {
    case KEN_ARG_U64:
        return ken_str_parse_u64(text, &number) ? json_integer((json_int_t)number)
                                                : ken_json_str(text);
    case KEN_ARG_REAL:
        return ken_str_parse_double(text, &real) ? json_real(real) : ken_json_str(text);
    case KEN_ARG_BOOL:
        if (ken_str_eq_c(text, "true") || ken_str_eq_c(text, "1") || !text.len)
            return json_true();
        return ken_str_eq_c(text, "false") || ken_str_eq_c(text, "0") ? json_false()
                                                                      : ken_json_str(text);
    case KEN_ARG_JSON:
        return !ken_json_parse(text, &parsed, &err) ? parsed : ken_json_str(text);
    case KEN_ARG_STR:
    default:
        return ken_json_str(text);
    }
}

static ken_tool_arg_type type_of(const ken_tool_spec *spec, ken_str name)
{
    for (size_t i = 0; i < spec->n_aliases; i++)
        if (ken_str_eq_c(name, spec->aliases[i].name))
            name = ken_str_c(spec->aliases[i].leads_to);
    for (size_t i = 0; i < spec->n_args; i++)
        if (ken_str_eq_c(name, spec->args[i].name))
            return spec->args[i].type;
    return KEN_ARG_STR; // unknown: the call says so
}

// Lists and objects are JSON, or a list is its items, one after the other under the same name.
static void put_value(json_t *args, const char *key, ken_tool_arg_type type, ken_str text)
{
    json_t *value = query_value(type, text), *before = json_object_get(args, key);
    bool is_item = type == KEN_ARG_JSON && !json_is_array(value) && !json_is_object(value);
    if (!is_item) {
        ken_json_set(args, key, value);
        return;
    }
    if (!json_is_array(before)) {
        before = json_array();
        ken_json_set(args, key, before);
    }
    ken_json_append(before, value);
}

static ken_status read_query(const ken_tool_spec *spec, ken_httpd_request *r, json_t **out,
                             ken_err *err)
{
    ken_str name, value;
    *out = json_object();
    for (size_t i = 0; ken_httpd_query_at(r, i, &name, &value); i++) {
        char key[128];
        if (!name.ptr || !value.ptr || name.len >= sizeof key || !ken_utf8_is_valid(name) ||
            !ken_utf8_is_valid(value)) {
            json_decref(*out);
            *out = NULL;
            return KEN_FAIL(err, KEN_EINVAL,
                            "the query has a bad escape, what is no UTF-8, or a name of %zu or "
                            "more bytes",
                            sizeof key);
        }
        snprintf(key, sizeof key, KEN_STR_FMT, KEN_STR_ARG(name));
        put_value(*out, key, type_of(spec, name), value);
    }
    return KEN_OK;
}

// ---- running -----------------------------------------------------------------------------------

static void end_call(api_call *c)
{
    json_decref(c->args);
}

static void on_gone(void *ctx, ken_httpd_request *r)
{
    (void)r;
    api_call *c = ctx;
    ken_cancel_set(&c->cancel);
}

static json_t *with_text(json_t *result)
{
    if (!json_is_string(result))
        return result;
    json_t *o = json_object();
    json_object_set_new(o, "text", result);
    return o;
}

// The validator of what the answer is made of; false where the specification does not say that it is the index alone:
// there the answer has to be made, and is compared.
static bool find_etag(const api_call *c, const ken_tool_ctx *tool, char out[ETAG_MAX])
{
    char run[KEN_UUID_TEXT];
    uint64_t state;
    if (!c->is_get || !ken_tool_answer_state(c->web->app, c->spec, c->args, tool, &state))
        return false;
    ken_uuid_format(c->web->run, run);
    snprintf(out, ETAG_MAX, "i-%.8s-%016llx", run, (unsigned long long)state);
    return true;
}

// What was quoted while files changed under it is not what the index stands for.
static bool is_whole(const json_t *result)
{
    return !json_object_get(result, "incomplete") &&
           !json_object_get(result, "changed_since_index");
}

static void make_answer(api_call *c, const ken_tool_ctx *tool, const char *etag)
{
    ken_err err = { 0 };
    json_t *result = NULL;
    char after[ETAG_MAX];
    ken_status st = ken_tool_call(c->web->app, c->spec->name, c->args, tool, &result, &err);
    ken_web__note_operation(c->web,
                            ken_clock_mono_ns() - c->began_ns); // before it is known to be over
    if (st)
        ken_web__answer_failure(c->r, &err);
    else if (etag && is_whole(result) && find_etag(c, tool, after) && !strcmp(etag, after))
        ken_web__answer_json_as(c->r, with_text(result), etag);
    else
        ken_web__answer_json(c->r, 200, with_text(result));
}

static void run_call(void *ctx, size_t worker)
{
    (void)worker;
    api_call *c = ctx;
    const web_request *q = ken_web__request(c->r);
    char etag[ETAG_MAX];
    json_t *args = c->args; // the call is gone with its request once that is answered
    const ken_tool_ctx tool = {
        .cancel = &c->cancel,
        .project = ken_str_c(c->project),
        .is_read_only = !(q->grant.scopes & KEN_SCOPE_F_WRITE),
        .max_bytes = SIZE_MAX,
        .request_id = ken_str_c(q->id),
        .client = ken_httpd_header(c->r, "User-Agent"),
        .trace = ken_web__trace(c->r),
    };
    if (c->spec->timeout_ms)
        c->cancel.deadline_ns = ken_clock_mono_ns() + (int64_t)c->spec->timeout_ms * 1000000;
    c->began_ns = ken_clock_mono_ns();
    bool has_etag = find_etag(c, &tool, etag);
    bool is_any = ken_str_eq_c(ken_str_trim(ken_httpd_header(c->r, "If-None-Match")), "*");
    bool is_known = has_etag && !is_any && ken_httpd_knows(c->r, etag);
    if (is_known) {
        ken_web__note_operation(c->web, ken_clock_mono_ns() - c->began_ns);
        ken_web__answer_known(c->r, etag);
    } else {
        make_answer(c, &tool, has_etag ? etag : NULL);
    }
    json_decref(args);
}

static bool refuses_call(ken_httpd_request *r, const ken_tool_spec *spec, bool is_get)
{
    const web_request *q = ken_web__request(r);
    if (!spec) {
        ken_web__answer_problem(r, 404, "ENOTFOUND",
                                "there is no such operation; /api/v1/openapi.json lists them");
    } else if (is_get && !spec->is_read_only) {
        ken_web__answer_problem(r, 405, "EINVAL", "this operation changes something: use POST");
    } else if (!spec->is_read_only && !(q->grant.scopes & KEN_SCOPE_F_WRITE)) {
        ken_web__answer_problem(r, 403, "EPERM", "this access token may only read");
    } else if (spec->needs_admin && !ken_grant_allows(&q->grant, KEN_SCOPE_F_ADMIN, NULL)) {
        ken_web__answer_problem(r, 403, "EPERM",
                                "this operation needs an access token of scope admin that is "
                                "bound to no project");
    } else if (!is_get && ken_httpd_body(r).len && !ken_httpd_has_json(r)) {
        ken_web__answer_problem(r, 415, "EINVAL", "Content-Type must be application/json");
    } else {
        return false;
    }
    return true;
}

// Whether so many requests to its project may be made now; false: it was answered.
static bool takes_project(const api_call *c)
{
    if (*c->project)
        return ken_web__take_project(c->web, c->r, ken_str_c(c->project));
    ken_str named = ken_tool_named_project(c->spec, c->args);
    return !named.ptr || ken_web__take_named_project(c->web, c->r, named);
}

static void call_operation(void *ctx, ken_httpd_request *r)
{
    ken_web *w = ctx;
    const ken_tool_spec *spec = ken_tool_spec_find(ken_httpd_param(r, "operation"));
    bool is_get = !ken_str_eq_c(ken_httpd_method(r), "POST");
    const web_request *q = ken_web__request(r);
    if (refuses_call(r, spec, is_get))
        return;
    api_call *c = ken_arena_zalloc(ken_httpd_arena(r), sizeof *c);
    ken_err err = { 0 };
    c->web = w;
    c->r = r;
    c->spec = spec;
    c->is_get = is_get;
    if (q->grant.is_bound)
        ken_uuid_format(q->grant.project, c->project);
    if (is_get ? read_query(spec, r, &c->args, &err) : read_body(r, &c->args, &err)) {
        ken_web__answer_failure(r, &err);
        return;
    }
    if (!takes_project(c)) {
        end_call(c);
        return;
    }
    ken_httpd_on_gone(r, on_gone, c);
    if (!ken_pool_try_submit(w->pool, run_call, c)) {
        end_call(c);
        ken_web__answer_busy(r);
    }
}

void ken_web__add_api(ken_web *w)
{
    size_t max = ken_config_u64(w->config, KEN_CFG_SERVER_BODY);
    ken_web__add_route(w, "GET", "/api/v1/{operation}", call_operation, 0);
    ken_web__add_route(w, "POST", "/api/v1/{operation}", call_operation, max);
}
