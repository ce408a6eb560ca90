// SPDX-License-Identifier: MIT
// Questions to the client, in the era that has them: sent as part of the request that needs them, and
// waited for by its worker. The thread that receives hands the answers over.
#include <stdio.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/escape.h"
#include "mcp/mcp_priv.h"

enum {
    ROOTS_WITHIN_MS = 2000, // some clients say that they have roots, and never answer
    LOOK_EVERY_MS = 50,     // whether the request was cancelled
    ID_BYTES = 40,
    ROOT_BYTES_MAX = 4096,
    ROOTS_MAX = 64,
};

struct ken_mcp__question {
    char id[ID_BYTES]; // JSON text
    json_t *answer;    // the response; NULL = not there yet
    ken_mcp__question *next;
};

static bool client_can(ken_mcp_session *s, const char *capability)
{
    pthread_mutex_lock(&s->lock);
    bool can = json_is_object(json_object_get(s->client_capabilities, capability));
    pthread_mutex_unlock(&s->lock);
    return can;
}

static void enter_question(ken_mcp_session *s, ken_mcp__question *q)
{
    pthread_mutex_lock(&s->lock);
    snprintf(q->id, sizeof q->id, "\"ken-%llu\"", (unsigned long long)++s->n_questions);
    q->next = s->questions;
    s->questions = q;
    pthread_mutex_unlock(&s->lock);
}

static ken_status await(ken_mcp__request *r, ken_mcp__question *q, int64_t within_ms, ken_err *err)
{
    ken_mcp_session *s = r->session;
    int64_t end = ken_clock_mono_ns() + within_ms * 1000000;
    ken_status st = KEN_OK;
    pthread_mutex_lock(&s->lock);
    while (!q->answer && !st) {
        int64_t until = ken_clock_mono_ns() + (int64_t)LOOK_EVERY_MS * 1000000;
        struct timespec at = { .tv_sec = until / 1000000000, .tv_nsec = until % 1000000000 };
        pthread_cond_timedwait(&s->one_ended, &s->lock, &at);
        st = ken_cancel_check(&r->cancel, err);
        if (!st && until > end)
            st = KEN_FAIL(err, KEN_ETIMEOUT, "the client did not answer within %lld ms",
                          (long long)within_ms);
    }
    ken_mcp__question **at = &s->questions;
    while (*at != q)
        at = &(*at)->next;
    *at = q->next;
    pthread_mutex_unlock(&s->lock);
    return q->answer ? KEN_OK : st;
}

ken_status ken_mcp__ask(ken_mcp__request *r, const char *capability, const char *method,
                        ken_str params, int64_t within_ms, json_t **out, ken_err *err)
{
    ken_mcp__question q = { .answer = NULL };
    if (r->is_modern || !client_can(r->session, capability))
        return KEN_FAIL(err, KEN_EUNSUPPORTED, "the client does not have the capability '%s'",
                        capability);
    enter_question(r->session, &q);
    ken_buf text = KEN_BUF_INIT(1 << 20);
    ken_buf_printf(&text, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"%s\",\"params\":", q.id,
                   method);
    ken_buf_put_str(&text, params);
    ken_buf_putc(&text, '}');
    ken_mcp__tell(r, &text);
    ken_buf_release(&text);
    ken_status st = await(r, &q, within_ms, err);
    if (st)
        return st;
    *out = json_incref(json_object_get(q.answer, "result"));
    if (!*out)
        st = KEN_FAIL(
            err, KEN_EIO, "the client refuses %s: %.200s", method,
            json_string_value(json_object_get(json_object_get(q.answer, "error"), "message")));
    json_decref(q.answer);
    return st;
}

void ken_mcp__take_response(ken_mcp_session *s, ken_mcp__message *m)
{
    pthread_mutex_lock(&s->lock);
    for (ken_mcp__question *q = s->questions; q; q = q->next) {
        if (strcmp(q->id, m->id) != 0 || q->answer)
            continue;
        q->answer = m->json;
        m->json = NULL;
        pthread_cond_broadcast(&s->one_ended);
        break;
    }
    pthread_mutex_unlock(&s->lock);
}

// ---- the client's folder -----------------------------------------------------------------------

// The path of a file: URI of this machine, percent escapes undone; owned; NULL when it is none.
static char *path_of(ken_str uri)
{
    if (!ken_str_starts(uri, KEN_STR("file:///")) || uri.len > ROOT_BYTES_MAX)
        return NULL;
    char *path = ken_alloc(uri.len);
    size_t n = 0;
    for (size_t i = 7; i < uri.len; i++) {
        char c = uri.ptr[i];
        if (ken_percent_at(uri, i, &c))
            i += 2;
        if (c)
            path[n++] = c;
    }
    path[n] = '\0';
    return path;
}

// The first root that lies in a project we know; its root there. No folder becomes a project because a
// client that may be on another machine names it.
static char *known_root(ken_app *app, const json_t *roots)
{
    char *found = NULL;
    ken_arena arena;
    ken_arena_init(&arena, 0);
    for (size_t i = 0; i < json_array_size(roots) && i < ROOTS_MAX && !found; i++) {
        char *path = path_of(ken_json_text(json_object_get(json_array_get(roots, i), "uri")));
        ken_project_info p;
        ken_err err;
        if (path && !ken_app_find_project(app, KEN_STR(""), ken_str_c(path), &arena, &p, &err))
            found = ken_strndup(p.root.ptr, p.root.len);
        ken_free(path);
    }
    ken_arena_release(&arena);
    return found;
}

ken_str ken_mcp__client_root(ken_mcp__request *r)
{
    ken_mcp_session *s = r->session;
    if (!s->opts.asks_roots || r->is_modern || !s->server->app)
        return (ken_str){ "", 0 };
    pthread_mutex_lock(&s->lock);
    char *known = s->root;
    pthread_mutex_unlock(&s->lock);
    if (known)
        return ken_str_c(known);
    ken_err err;
    json_t *answer = NULL;
    char *root = NULL;
    if (!ken_mcp__ask(r, "roots", "roots/list", KEN_STR("{}"), ROOTS_WITHIN_MS, &answer, &err))
        root = known_root(s->server->app, json_object_get(answer, "roots"));
    json_decref(answer);
    if (!root)
        root = ken_strdup("");
    pthread_mutex_lock(&s->lock);
    if (s->root) // another call was faster
        ken_free(root);
    else
        s->root = root;
    root = s->root;
    pthread_mutex_unlock(&s->lock);
    return ken_str_c(root);
}
