// SPDX-License-Identifier: MIT
// Who wants to be told when a resource changes.
//
// A transport calls ken_mcp_server_look about once a second while there are subscriptions; a worker then
// brings the indexes that they are about up to date and compares a number for each with the one of
// before. Both eras: `resources/subscribe` belongs to a session, `subscriptions/listen` to its request.
#include <stdio.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/vec.h"
#include "mcp/mcp_priv.h"

enum {
    URI_BYTES_MAX = 8192,
    PER_OWNER_MAX = 256, // resources of one session or request
    ALL_MAX = 4096,      // of a server
};

#define LIST_URI  "ken://projects" // the list of resources changes with it
#define TOOLS_URI "tools/list"     // no resource

struct ken_mcp__subscription {
    ken_mcp__subscription *next;
    ken_mcp_session *session;
    const ken_mcp__request *request; // that listens; NULL = resources/subscribe
    bool is_of_list;                 // told as list_changed
    bool is_of_tools;                // of tools/list; told by who changes it
    bool is_known;                   // `state` is
    uint64_t state;
    char project[KEN_UUID_TEXT]; // the only one of its client; "" = any
    char *uri;                   // owned
};

// ---- the list of them; its lock is held --------------------------------------------------------

static size_t count_of(const ken_mcp_server *s, const ken_mcp_session *session,
                       const ken_mcp__request *r)
{
    size_t n = 0;
    for (const ken_mcp__subscription *x = s->subscriptions; x; x = x->next)
        n += x->session == session && x->request == r;
    return n;
}

static ken_mcp__subscription *find(ken_mcp_server *s, const ken_mcp_session *session, ken_str uri)
{
    ken_mcp__subscription *x = s->subscriptions;
    while (x && (x->session != session || x->request || !ken_str_eq_c(uri, x->uri)))
        x = x->next;
    return x;
}

static void add(ken_mcp_session *session, const ken_mcp__request *r, ken_str uri, bool is_of_list)
{
    ken_mcp_server *s = session->server;
    ken_mcp__subscription *x = ken_zalloc(sizeof *x);
    ken_str project = session->opts.project.len ? session->opts.project : s->opts.project;
    x->session = session;
    x->request = r;
    x->is_of_list = is_of_list;
    x->uri = ken_strndup(uri.ptr, uri.len);
    snprintf(x->project, sizeof x->project, KEN_STR_FMT, KEN_STR_ARG(project));
    x->next = s->subscriptions;
    s->subscriptions = x;
    s->n_subscriptions++;
}

static void drop(ken_mcp_server *s, ken_mcp__subscription **at)
{
    ken_mcp__subscription *x = *at;
    *at = x->next;
    s->n_subscriptions--;
    ken_free(x->uri);
    ken_free(x);
}

// ---- subscribing -------------------------------------------------------------------------------

static bool refuses_uri(ken_mcp__request *r, ken_str uri, ken_buf *out)
{
    const char *why = NULL;
    if (!uri.len)
        why = "params.uri must be a string";
    else if (uri.len > URI_BYTES_MAX || !ken_mcp__resource_is_ours(uri))
        why = "no such resource; resources/list and resources/templates/list show what there is";
    if (why)
        ken_mcp__answer_error(r, uri.len ? KEN_MCP__RESOURCE_NOT_FOUND : KEN_MCP__INVALID_PARAMS,
                              why, (ken_str){ NULL, 0 }, out);
    return why != NULL;
}

void ken_mcp__resources_subscribe(ken_mcp__request *r, ken_buf *out)
{
    ken_mcp_server *s = r->server;
    ken_str uri = ken_json_text(json_object_get(r->msg.params, "uri"));
    if (refuses_uri(r, uri, out))
        return;
    pthread_mutex_lock(&s->subscriptions_lock);
    bool has_room = s->n_subscriptions < ALL_MAX && count_of(s, r->session, NULL) < PER_OWNER_MAX;
    if (has_room && !find(s, r->session, uri))
        add(r->session, NULL, uri, false);
    pthread_mutex_unlock(&s->subscriptions_lock);
    if (!has_room) {
        ken_mcp__answer_error(r, KEN_MCP__INVALID_PARAMS, "too many subscriptions",
                              (ken_str){ NULL, 0 }, out);
        return;
    }
    ken_mcp__begin_result(r, out);
    ken_mcp__end_result(out);
}

void ken_mcp__resources_unsubscribe(ken_mcp__request *r, ken_buf *out)
{
    ken_mcp_server *s = r->server;
    ken_str uri = ken_json_text(json_object_get(r->msg.params, "uri"));
    pthread_mutex_lock(&s->subscriptions_lock);
    ken_mcp__subscription *x = find(s, r->session, uri);
    for (ken_mcp__subscription **at = &s->subscriptions; x && *at; at = &(*at)->next)
        if (*at == x) {
            drop(s, at);
            break;
        }
    pthread_mutex_unlock(&s->subscriptions_lock);
    ken_mcp__begin_result(r, out);
    ken_mcp__end_result(out);
}

// What of params.notifications is honoured, as JSON, and the subscriptions for it.
static void take_wishes(ken_mcp__request *r, const json_t *wishes, ken_buf *honoured)
{
    ken_mcp_server *s = r->server;
    const json_t *uris = json_object_get(wishes, "resourceSubscriptions");
    const char *comma = "";
    ken_buf_putc(honoured, '{');
    if (json_is_true(json_object_get(wishes, "resourcesListChanged"))) {
        add(r->session, r, KEN_STR(LIST_URI), true);
        ken_buf_puts(honoured, "\"resourcesListChanged\":true");
        comma = ",";
    }
    if (json_is_true(json_object_get(wishes, "toolsListChanged")) && s->opts.roster) {
        add(r->session, r, KEN_STR(TOOLS_URI), true);
        s->subscriptions->is_of_tools = true;
        ken_buf_printf(honoured, "%s\"toolsListChanged\":true", comma);
        comma = ",";
    }
    if (json_array_size(uris)) {
        ken_buf_printf(honoured, "%s\"resourceSubscriptions\":[", comma);
        comma = "";
        for (size_t i = 0; i < json_array_size(uris); i++) {
            ken_str uri = ken_json_text(json_array_get(uris, i));
            if (i >= PER_OWNER_MAX || s->n_subscriptions >= ALL_MAX || uri.len > URI_BYTES_MAX ||
                !ken_mcp__resource_is_ours(uri))
                continue;
            add(r->session, r, uri, false);
            ken_buf_puts(honoured, comma);
            ken_json_put_quoted(honoured, uri);
            comma = ",";
        }
        ken_buf_putc(honoured, ']');
    }
    ken_buf_putc(honoured, '}');
}

void ken_mcp__listen(ken_mcp__request *r, ken_buf *out)
{
    ken_mcp_server *s = r->server;
    const json_t *wishes = json_object_get(r->msg.params, "notifications");
    if (wishes && !json_is_object(wishes)) {
        ken_mcp__answer_error(r, KEN_MCP__INVALID_PARAMS, "params.notifications must be an object",
                              (ken_str){ NULL, 0 }, out);
        return;
    }
    ken_buf text = KEN_BUF_INIT(4 << 20);
    ken_buf_printf(&text,
                   "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\","
                   "\"params\":{\"_meta\":{\"" KEN_MCP__META_PREFIX "subscriptionId\":%s},"
                   "\"notifications\":",
                   r->msg.id);
    pthread_mutex_lock(&s->subscriptions_lock);
    take_wishes(r, wishes, &text);
    ken_buf_puts(&text, "}}");
    ken_mcp__tell(r, &text); // before anything that it is about
    pthread_mutex_unlock(&s->subscriptions_lock);
    ken_buf_release(&text);
}

void ken_mcp__unsubscribe_all(ken_mcp_session *session, const ken_mcp__request *r)
{
    ken_mcp_server *s = session->server;
    pthread_mutex_lock(&s->subscriptions_lock);
    for (ken_mcp__subscription **at = &s->subscriptions; *at;) {
        if ((*at)->session == session && (!r || (*at)->request == r))
            drop(s, at);
        else
            at = &(*at)->next;
    }
    pthread_mutex_unlock(&s->subscriptions_lock);
}

// ---- telling -----------------------------------------------------------------------------------

static void tell(const ken_mcp__subscription *x)
{
    ken_buf out = KEN_BUF_INIT(64 * 1024);
    const char *comma = "";
    ken_buf_printf(&out, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/%s/%s\",\"params\":{",
                   x->is_of_tools ? "tools" : "resources",
                   x->is_of_list ? "list_changed" : "updated");
    if (x->request) {
        ken_buf_printf(&out, "\"_meta\":{\"" KEN_MCP__META_PREFIX "subscriptionId\":%s}",
                       x->request->msg.id);
        comma = ",";
    }
    if (!x->is_of_list) {
        ken_buf_printf(&out, "%s\"uri\":", comma);
        ken_json_put_quoted(&out, ken_str_c(x->uri));
    }
    ken_buf_puts(&out, "}}");
    if (x->request)
        ken_mcp__tell(x->request, &out);
    else
        ken_mcp__send(x->session, &out);
    ken_buf_release(&out);
}

void ken_mcp__tell_tools(ken_mcp_server *s)
{
    pthread_mutex_lock(&s->subscriptions_lock);
    for (const ken_mcp__subscription *x = s->subscriptions; x; x = x->next)
        if (x->is_of_tools)
            tell(x);
    pthread_mutex_unlock(&s->subscriptions_lock);
}

typedef struct resource {
    char *uri; // owned
    char project[KEN_UUID_TEXT];
    uint64_t state;
} resource;
typedef KEN_VEC(resource) resources;

static resource *find_resource(const resources *all, const ken_mcp__subscription *x)
{
    for (size_t i = 0; i < all->len; i++)
        if (!strcmp(all->ptr[i].uri, x->uri) && !strcmp(all->ptr[i].project, x->project))
            return &all->ptr[i];
    return NULL;
}

static void collect(ken_mcp_server *s, resources *out)
{
    pthread_mutex_lock(&s->subscriptions_lock);
    for (const ken_mcp__subscription *x = s->subscriptions; x; x = x->next) {
        if (x->is_of_tools || find_resource(out, x))
            continue;
        resource r = { .uri = ken_strdup(x->uri) };
        memcpy(r.project, x->project, sizeof r.project);
        ken_vec_push(out, r);
    }
    pthread_mutex_unlock(&s->subscriptions_lock);
}

static void compare(ken_mcp_server *s, const resources *now)
{
    pthread_mutex_lock(&s->subscriptions_lock);
    for (ken_mcp__subscription *x = s->subscriptions; x; x = x->next) {
        const resource *r = find_resource(now, x);
        if (!r)
            continue;
        if (x->is_known && x->state != r->state)
            tell(x);
        x->is_known = true;
        x->state = r->state;
    }
    s->is_looking = false;
    pthread_cond_broadcast(&s->has_looked);
    pthread_mutex_unlock(&s->subscriptions_lock);
}

static void compare_resources(void *ctx, size_t worker)
{
    (void)worker;
    ken_mcp_server *s = ctx;
    resources all = { 0 };
    collect(s, &all);
    for (size_t i = 0; i < all.len; i++)
        all.ptr[i].state =
            ken_mcp__resource_state(s, ken_str_c(all.ptr[i].project), ken_str_c(all.ptr[i].uri));
    compare(s, &all);
    for (size_t i = 0; i < all.len; i++)
        ken_free(all.ptr[i].uri);
    ken_vec_release(&all);
}

bool ken_mcp_server_look(ken_mcp_server *s)
{
    pthread_mutex_lock(&s->subscriptions_lock);
    bool is_wanted = false;
    for (const ken_mcp__subscription *x = s->subscriptions; x && !is_wanted; x = x->next)
        is_wanted = !x->is_of_tools;
    bool begins = is_wanted && !s->is_looking;
    s->is_looking |= begins;
    pthread_mutex_unlock(&s->subscriptions_lock);
    if (begins && !ken_pool_try_submit(ken_mcp__pool(s), compare_resources, s)) {
        pthread_mutex_lock(&s->subscriptions_lock);
        s->is_looking = false;
        pthread_mutex_unlock(&s->subscriptions_lock);
    }
    return is_wanted;
}
