// SPDX-License-Identifier: MIT
// LISTEN, on a connection that does nothing else.
#include <poll.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "store/notices.h"
#include "store/postgres/postgres_priv.h"

enum {
    PAYLOAD_MAX = 128,
    NS_PER_MS = 1000000,
};

struct ken_notices {
    ken_database *db;
    const ken_pg_lib *lib;
    ken_pg_conn *conn; // not in pipeline mode
};

ken_notice ken_notice_read(ken_str payload)
{
    static const struct {
        const char *head;
        ken_notice_kind kind;
    } kinds[] = { { "new ", KEN_NOTICE_NEW_JOB },
                  { "job ", KEN_NOTICE_JOB },
                  { "index project-", KEN_NOTICE_INDEX } };
    ken_notice n = { .kind = KEN_NOTICE_NONE };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && payload.len <= PAYLOAD_MAX; i++) {
        ken_str head = ken_str_c(kinds[i].head);
        if (ken_str_starts(payload, head) &&
            ken_uuid_parse(ken_str_sub(payload, head.len, payload.len), &n.id))
            n.kind = kinds[i].kind;
    }
    return n;
}

static ken_status fail(const ken_notices *n, ken_err *err)
{
    ken_pg p = { .db = n->db, .lib = n->lib, .what = "notices" };
    return PG_FAIL(&p, n->conn, NULL, err);
}

ken_status ken_notices_open(ken_database *db, ken_notices **out, ken_err *err)
{
    ken_pg_conn *conn = NULL;
    ken_status st = ken_store__pg_connect(db, &conn, err);
    if (st)
        return st;
    ken_notices *n = ken_zalloc(sizeof *n);
    *n = (ken_notices){ .db = db, .lib = ken_store__pg_lib_of(db), .conn = conn };
    n->lib->PQexitPipelineMode(conn->pg);
    if (conn->is_pooled) {
        st = KEN_FAIL(err, KEN_EUNSUPPORTED,
                      "%s is behind a pooler, where nothing can be listened to",
                      ken_database_name(db));
    } else {
        PGresult *r = n->lib->PQexec(conn->pg, "LISTEN ken");
        if (n->lib->PQresultStatus(r) != PGRES_COMMAND_OK)
            st = fail(n, err);
        n->lib->PQclear(r);
    }
    if (st)
        ken_notices_close(n);
    else
        *out = n;
    return st;
}

void ken_notices_close(ken_notices *n)
{
    if (!n)
        return;
    ken_store__pg_disconnect(n->db, n->conn);
    ken_free(n);
}

// One that has arrived already.
static ken_notice take_arrived(const ken_notices *n)
{
    ken_notice found = { .kind = KEN_NOTICE_NONE };
    for (PGnotify *p; !found.kind && (p = n->lib->PQnotifies(n->conn->pg)) != NULL;) {
        found = ken_notice_read(ken_str_c(p->extra));
        n->lib->PQfreemem(p);
    }
    return found;
}

ken_status ken_notices_wait(ken_notices *n, int wake_fd, int timeout_ms, ken_notice *out,
                            ken_err *err)
{
    int64_t end_ns = ken_clock_mono_ns() + (int64_t)timeout_ms * NS_PER_MS;
    for (;;) {
        ken_notice found = take_arrived(n);
        int64_t left_ms = (end_ns - ken_clock_mono_ns()) / NS_PER_MS;
        struct pollfd fds[2] = { { .fd = n->lib->PQsocket(n->conn->pg), .events = POLLIN },
                                 { .fd = wake_fd, .events = POLLIN } };
        if (!found.kind && fds[0].fd < 0)
            return fail(n, err);
        int n_ready = found.kind ? 0 : poll(fds, 2, left_ms > 0 ? (int)left_ms : 0);
        if (found.kind || n_ready == 0 || fds[1].revents) {
            *out = found;
            return KEN_OK;
        }
        if (n_ready > 0 && !n->lib->PQconsumeInput(n->conn->pg))
            return fail(n, err);
    }
}
