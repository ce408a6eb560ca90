// SPDX-License-Identifier: MIT
// Who calls tools: a ring of calls, a table of clients, and a bit for each tool.
#include "mcp/mcp_roster.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "mcp/mcp_priv.h"
#include "obs/log.h"

enum {
    TOOLS_MAX = 256, // built-in operations
    NEAR_MS =
        5 * 60 * 1000,  // a client of the stateless era is there so long after its last request
    STRANGERS_TOLD = 8, // names of no tool, in the log
    NAME_SHOWN = 80,
};

struct ken_mcp_roster {
    ken_mcp_roster_fn *on_call;
    void *ctx;
    pthread_mutex_t lock; // guards the lists
    ken_mcp_seen_call calls[KEN_MCP_CALLS_KEPT];
    uint64_t n_calls; // that there were; the newest is at (n_calls - 1) % KEPT
    ken_mcp_seen_client clients[KEN_MCP_CLIENTS_KEPT];
    size_t n_clients;
    uint64_t n_ids;
    bool is_off[TOOLS_MAX]; // by the number of its specification
    size_t n_off;
    uint64_t off_hash; // of the lines that say so
    // Guards who is told, and is held meanwhile, so that none of them ends.
    pthread_mutex_t told_lock;
    KEN_VEC(ken_mcp_server *) servers;
    KEN_VEC(ken_mcp_session *) sessions; // of the legacy era
};

ken_mcp_roster *ken_mcp_roster_new(ken_mcp_roster_fn *on_call, void *ctx)
{
    ken_mcp_roster *r = ken_zalloc(sizeof *r);
    r->on_call = on_call;
    r->ctx = ctx;
    pthread_mutex_init(&r->lock, NULL);
    pthread_mutex_init(&r->told_lock, NULL);
    return r;
}

void ken_mcp_roster_free(ken_mcp_roster *r)
{
    if (!r)
        return;
    ken_vec_release(&r->servers);
    ken_vec_release(&r->sessions);
    pthread_mutex_destroy(&r->lock);
    pthread_mutex_destroy(&r->told_lock);
    ken_free(r);
}

static void put_text(char *out, size_t size, ken_str text)
{
    snprintf(out, size, KEN_STR_FMT, KEN_STR_ARG(ken_utf8_clip(text, size - 1)));
}

// ---- clients; the lock is held ------------------------------------------------------------------

static ken_mcp_seen_client *find_id(ken_mcp_roster *r, uint64_t id)
{
    for (size_t i = 0; id && i < r->n_clients; i++)
        if (r->clients[i].id == id)
            return &r->clients[i];
    return NULL;
}

// Room for one more: in the place of the one that was not seen for longest, of those that are gone if there are any.
static ken_mcp_seen_client *take_room(ken_mcp_roster *r)
{
    ken_mcp_seen_client *oldest = NULL;
    if (r->n_clients < KEN_MCP_CLIENTS_KEPT)
        return &r->clients[r->n_clients++];
    for (size_t i = 0; i < r->n_clients; i++) {
        ken_mcp_seen_client *c = &r->clients[i];
        if (!oldest || c->is_connected < oldest->is_connected ||
            (c->is_connected == oldest->is_connected && c->seen_ms < oldest->seen_ms))
            oldest = c;
    }
    return oldest;
}

static bool is_same(const ken_mcp_seen_client *a, const ken_mcp_seen_client *b)
{
    return a->transport == b->transport && !strcmp(a->name, b->name) &&
           !strcmp(a->version, b->version) && !strcmp(a->era, b->era) &&
           !strcmp(a->project, b->project);
}

static ken_mcp_seen_client *add_client(ken_mcp_roster *r, const ken_mcp_seen_client *is)
{
    ken_mcp_seen_client *c = take_room(r);
    *c = *is;
    c->id = ++r->n_ids;
    c->since_ms = c->seen_ms;
    return c;
}

// What is known of the client of a request. "name/version" is cut at the last '/'.
static ken_mcp_seen_client client_of(const ken_mcp__request *q)
{
    const ken_mcp_session *s = q->session;
    ken_str both = ken_str_c(q->client);
    size_t slash = ken_str_rfind_char(both, '/');
    ken_str project = s->opts.project.len ? s->opts.project : s->server->opts.project;
    ken_mcp_seen_client c = { .seen_ms = ken_clock_wall_ms() };
    c.transport = s->server->opts.transport ? s->server->opts.transport : "stdio";
    put_text(c.name, sizeof c.name, ken_str_sub(both, 0, slash));
    if (slash != SIZE_MAX)
        put_text(c.version, sizeof c.version, ken_str_sub(both, slash + 1, both.len));
    put_text(c.era, sizeof c.era, ken_str_c(q->is_modern ? KEN_MCP__MODERN_VERSION : s->era));
    put_text(c.project, sizeof c.project, project);
    return c;
}

static ken_mcp_seen_client *see_client(ken_mcp_roster *r, const ken_mcp__request *q)
{
    ken_mcp_seen_client is = client_of(q), *known = NULL;
    if (!q->is_modern)
        known = find_id(r, q->session->roster_id);
    for (size_t i = 0; q->is_modern && !known && i < r->n_clients; i++)
        if (is_same(&r->clients[i], &is))
            known = &r->clients[i];
    if (!known) {
        known = add_client(r, &is);
        if (!q->is_modern) {
            q->session->roster_id = known->id;
            known->is_connected = true;
        }
    }
    known->seen_ms = is.seen_ms;
    if (!known->name[0]) {
        memcpy(known->name, is.name, sizeof known->name);
        memcpy(known->version, is.version, sizeof known->version);
    }
    return known;
}

void ken_mcp__roster_note_client(ken_mcp__request *q)
{
    ken_mcp_roster *r = q->server->opts.roster;
    if (!r)
        return;
    pthread_mutex_lock(&r->lock);
    (void)see_client(r, q);
    pthread_mutex_unlock(&r->lock);
}

// ---- calls --------------------------------------------------------------------------------------

void ken_mcp__roster_note_call(ken_mcp__request *q, const ken_mcp__ended_call *ended)
{
    ken_mcp_roster *r = q->server->opts.roster;
    if (!r)
        return;
    ken_mcp_seen_call call = { .at_ms = ken_clock_wall_ms() - ended->ns / 1000000,
                               .took_ns = ended->ns,
                               .n_tokens = (ended->n_bytes + 3) / 4,
                               .is_error = ended->st != KEN_OK,
                               .about = ended->about };
    put_text(call.tool, sizeof call.tool, ken_str_c(ended->tool));
    put_text(call.client, sizeof call.client, ken_str_c(q->client));
    if (ended->st)
        put_text(call.error, sizeof call.error,
                 ken_str_c(ended->err->msg[0] ? ended->err->msg : ken_status_text(ended->st)));
    pthread_mutex_lock(&r->lock);
    ken_mcp_seen_client *c = see_client(r, q);
    c->n_calls++;
    c->n_errors += call.is_error;
    c->n_tokens += call.n_tokens;
    call.client_id = c->id;
    call.transport = c->transport;
    memcpy(call.bound, c->project, sizeof call.bound);
    call.id = ++r->n_calls;
    r->calls[(call.id - 1) % KEN_MCP_CALLS_KEPT] = call;
    pthread_mutex_unlock(&r->lock);
    if (r->on_call)
        r->on_call(r->ctx, &call);
}

bool ken_mcp_call_is_of(const ken_mcp_seen_call *call, ken_str project)
{
    return ken_str_eq_c(project, call->bound) || ken_str_eq_c(project, call->about.project_id);
}

size_t ken_mcp_roster_list_calls(ken_mcp_roster *r, ken_str project, size_t limit, ken_arena *arena,
                                 ken_mcp_seen_call **out)
{
    size_t n = 0;
    limit = limit < KEN_MCP_CALLS_KEPT ? limit : KEN_MCP_CALLS_KEPT;
    *out = KEN_ARENA_ARRAY(arena, ken_mcp_seen_call, limit + 1);
    pthread_mutex_lock(&r->lock);
    size_t n_kept = r->n_calls < KEN_MCP_CALLS_KEPT ? (size_t)r->n_calls : KEN_MCP_CALLS_KEPT;
    for (size_t i = 0; i < n_kept && n < limit; i++) {
        const ken_mcp_seen_call *c = &r->calls[(r->n_calls - 1 - i) % KEN_MCP_CALLS_KEPT];
        if (!project.len || ken_mcp_call_is_of(c, project))
            (*out)[n++] = *c;
    }
    pthread_mutex_unlock(&r->lock);
    return n;
}

// Of a client that may touch all projects: what its kept calls about this one were.
static bool count_of_project(const ken_mcp_roster *r, ken_str project, ken_mcp_seen_client *c)
{
    c->n_calls = c->n_errors = c->n_tokens = 0;
    size_t n_kept = r->n_calls < KEN_MCP_CALLS_KEPT ? (size_t)r->n_calls : KEN_MCP_CALLS_KEPT;
    for (size_t i = 0; i < n_kept; i++) {
        const ken_mcp_seen_call *call = &r->calls[i];
        if (call->client_id != c->id || !ken_str_eq_c(project, call->about.project_id))
            continue;
        c->n_calls++;
        c->n_errors += call->is_error;
        c->n_tokens += call->n_tokens;
    }
    return c->n_calls > 0;
}

static int by_seen(const void *a, const void *b)
{
    const ken_mcp_seen_client *x = a, *y = b;
    if (x->seen_ms != y->seen_ms)
        return x->seen_ms > y->seen_ms ? -1 : 1;
    return x->id > y->id ? -1 : 1;
}

size_t ken_mcp_roster_list_clients(ken_mcp_roster *r, ken_str project, ken_arena *arena,
                                   ken_mcp_seen_client **out)
{
    size_t n = 0;
    int64_t near = ken_clock_wall_ms() - NEAR_MS;
    ken_mcp_seen_client *list =
        KEN_ARENA_ARRAY(arena, ken_mcp_seen_client, KEN_MCP_CLIENTS_KEPT + (size_t)1);
    pthread_mutex_lock(&r->lock);
    for (size_t i = 0; i < r->n_clients; i++) {
        ken_mcp_seen_client c = r->clients[i];
        bool is_modern = !strcmp(c.era, KEN_MCP__MODERN_VERSION);
        c.is_connected = is_modern ? c.seen_ms >= near : c.is_connected;
        if (!project.len || ken_str_eq_c(project, c.project) || count_of_project(r, project, &c))
            list[n++] = c;
    }
    pthread_mutex_unlock(&r->lock);
    qsort(list, n, sizeof *list, by_seen);
    *out = list;
    return n;
}

// ---- tools --------------------------------------------------------------------------------------

// The number of a tool that agents may be offered; SIZE_MAX: there is none of that name.
static size_t tool_number(ken_str name)
{
    const ken_tool_spec *s;
    for (size_t i = 0; i < TOOLS_MAX && (s = ken_tool_spec_at(i)) != NULL; i++)
        if (*s->set && ken_str_eq_c(name, s->name))
            return i;
    return SIZE_MAX;
}

bool ken_mcp_roster_is_on(ken_mcp_roster *r, ken_str name)
{
    if (!r)
        return true;
    pthread_mutex_lock(&r->lock);
    size_t i = r->n_off ? tool_number(name) : SIZE_MAX;
    bool is_on = i == SIZE_MAX || !r->is_off[i];
    pthread_mutex_unlock(&r->lock);
    return is_on;
}

// Those of the legacy era, on their sessions; of the other one who listens for it.
static void tell_all(ken_mcp_roster *r)
{
    ken_buf out = KEN_BUF_INIT(4096);
    ken_buf_puts(&out, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
    pthread_mutex_lock(&r->told_lock);
    for (size_t i = 0; i < r->sessions.len; i++)
        ken_mcp__send(r->sessions.ptr[i], &out);
    for (size_t i = 0; i < r->servers.len; i++)
        ken_mcp__tell_tools(r->servers.ptr[i]);
    pthread_mutex_unlock(&r->told_lock);
    ken_buf_release(&out);
}

void ken_mcp_roster_set_off(ken_mcp_roster *r, ken_str lines)
{
    bool is_off[TOOLS_MAX] = { false };
    size_t n_off = 0, n_strange = 0;
    uint64_t hash = ken_hash_str(lines);
    pthread_mutex_lock(&r->lock);
    bool is_news = hash != r->off_hash;
    r->off_hash = hash;
    pthread_mutex_unlock(&r->lock);
    ken_str name;
    while (ken_str_line_next(&lines, &name)) {
        size_t at = tool_number(name);
        if (at == SIZE_MAX && name.len && is_news && n_strange++ < STRANGERS_TOLD)
            KEN_LOG_WARNING("mcp",
                            KEN_MCP_TOOLS_OFF ": '" KEN_STR_FMT
                                              "' is no tool of this version, and is passed over",
                            KEN_STR_ARG(ken_utf8_clip(name, NAME_SHOWN)));
        if (at == SIZE_MAX || is_off[at])
            continue;
        is_off[at] = true;
        n_off++;
    }
    pthread_mutex_lock(&r->lock);
    bool has_changed = memcmp(r->is_off, is_off, sizeof is_off) != 0;
    memcpy(r->is_off, is_off, sizeof is_off);
    r->n_off = n_off;
    pthread_mutex_unlock(&r->lock);
    if (has_changed)
        tell_all(r);
}

// ---- who is told --------------------------------------------------------------------------------

void ken_mcp__roster_join(ken_mcp_roster *r, ken_mcp_server *s)
{
    if (!r)
        return;
    pthread_mutex_lock(&r->told_lock);
    ken_vec_push(&r->servers, s);
    pthread_mutex_unlock(&r->told_lock);
}

void ken_mcp__roster_leave(ken_mcp_roster *r, const ken_mcp_server *s)
{
    if (!r)
        return;
    pthread_mutex_lock(&r->told_lock);
    for (size_t i = 0; i < r->servers.len; i++)
        if (r->servers.ptr[i] == s) {
            r->servers.ptr[i] = r->servers.ptr[--r->servers.len];
            break;
        }
    pthread_mutex_unlock(&r->told_lock);
}

void ken_mcp__roster_open(ken_mcp_session *s)
{
    ken_mcp_roster *r = s->server->opts.roster;
    if (!r || s->opts.is_shared)
        return;
    pthread_mutex_lock(&r->told_lock);
    bool is_there = false;
    for (size_t i = 0; i < r->sessions.len && !is_there; i++)
        is_there = r->sessions.ptr[i] == s;
    if (!is_there)
        ken_vec_push(&r->sessions, s);
    pthread_mutex_unlock(&r->told_lock);
}

void ken_mcp__roster_close(ken_mcp_session *s)
{
    ken_mcp_roster *r = s->server->opts.roster;
    if (!r)
        return;
    pthread_mutex_lock(&r->told_lock);
    for (size_t i = 0; i < r->sessions.len; i++)
        if (r->sessions.ptr[i] == s) {
            r->sessions.ptr[i] = r->sessions.ptr[--r->sessions.len];
            break;
        }
    pthread_mutex_unlock(&r->told_lock);
    pthread_mutex_lock(&r->lock);
    ken_mcp_seen_client *c = find_id(r, s->roster_id);
    if (c)
        c->is_connected = false;
    pthread_mutex_unlock(&r->lock);
}
