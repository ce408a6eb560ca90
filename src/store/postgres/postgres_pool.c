// SPDX-License-Identifier: MIT
// The connections of a process to one database: made when needed, shared, looked at before use, replaced
// when old, closed when idle.
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/vec.h"
#include "store/postgres/postgres_replica_priv.h"

enum {
    POOL_SIZE = 20,
    MAX_OVERFLOW = 10,
    RECYCLE_S = 3600,
    IDLE_S = 300,
    WAIT_MS = 30000,
    CONNECT_S = 10,
    MIN_SERVER = 150000,   // of PQserverVersion
    FRESH_NS = 1000000000, // one that was used so lately is not asked whether it is there
};

typedef KEN_VEC(ken_pg_conn *) conn_vec;

struct ken_database {
    const ken_pg_lib *lib;
    ken_database_opts opts; // complete; the url is owned
    char *name;
    char session[24];                // what connections of this process are called at the server
    atomic_int_least64_t lost_at_ns; // the last one: those that were used before may be lost, too
    pthread_mutex_t lock;
    pthread_cond_t freed;
    conn_vec idle; // the one used last at the end
    ken_database_usage usage;
    ken_database_vectors vectors; // set while it is opened
    ken_pg_replica *replica;      // owned; NULL = none
};

const ken_database_opts *ken_store__pg_opts_of(const ken_database *db)
{
    return &db->opts;
}

const ken_database_vectors *ken_store__pg_vectors_of(const ken_database *db)
{
    return &db->vectors;
}

ken_pg_replica *ken_store__pg_replica_of(const ken_database *db)
{
    return db->replica;
}

const ken_pg_lib *ken_store__pg_lib_of(const ken_database *db)
{
    return db->lib;
}

uint32_t ken_store__pg_statement_ms(const ken_database *db)
{
    return db->opts.statement_ms;
}

ken_relations ken_store__pg_relations(const ken_database *db)
{
    return db->opts.relations;
}

bool ken_store__pg_keeps_text(const ken_database *db)
{
    return !db->opts.leaves_text_out;
}

const char *ken_store__pg_data_dir(const ken_database *db)
{
    return db->opts.data_dir;
}

const char *ken_store__pg_session_name(const ken_database *db)
{
    return db->session;
}

const char *ken_database_name(const ken_database *db)
{
    return db->name;
}

// ---- where it is -------------------------------------------------------------------------------

// "postgresql+asyncpg://..." is what other programs' settings have: the driver says nothing to us.
static char *plain_url(const char *url)
{
    const char *mark = strstr(url, "://"),
               *plus = memchr(url, '+', mark ? (size_t)(mark - url) : 0);
    if (!plus)
        return ken_strdup(url);
    ken_buf out = { 0 };
    ken_buf_put(&out, url, (size_t)(plus - url));
    ken_buf_puts(&out, mark);
    return ken_buf_steal(&out);
}

static const char *value_of(const PQconninfoOption *options, const char *name)
{
    for (; options->keyword; options++)
        if (!strcmp(options->keyword, name))
            return options->val ? options->val : "";
    return "";
}

static ken_status read_url(ken_database *db, ken_err *err)
{
    char *why = NULL; // may have a part of the password in it
    ken_str url = ken_str_c(db->opts.url);
    bool is_url = ken_str_starts(url, KEN_STR("postgres://")) ||
                  ken_str_starts(url, KEN_STR("postgresql://"));
    PQconninfoOption *options = is_url ? db->lib->PQconninfoParse(db->opts.url, &why) : NULL;
    db->lib->PQfreemem(why);
    if (!options)
        return KEN_FAIL(
            err, KEN_EINVAL,
            "DATABASE_URL is no URL of PostgreSQL: it must be "
            "postgres://user:password@host:port/database, with %%xx for characters that "
            "have a meaning in it, and libpq's parameters behind a '?'");
    const char *port = value_of(options, "port"), *user = value_of(options, "user");
    ken_buf name = { 0 };
    ken_buf_printf(&name, "postgres://%s%s%s%s%s/%s", user, *user ? "@" : "",
                   value_of(options, "host"), *port ? ":" : "", port, value_of(options, "dbname"));
    db->name = ken_buf_steal(&name);
    db->lib->PQconninfoFree(options);
    return KEN_OK;
}

// ---- one connection ----------------------------------------------------------------------------

static void pass_over(void *ctx, const char *message)
{
    (void)ctx, (void)message;
}

static void free_conn(const ken_pg_lib *lib, ken_pg_conn *c)
{
    lib->PQfinish(c->pg);
    ken_free(c);
}

// Until it is there or has failed. False when time is up.
static bool wait_for_connect(const ken_database *db, PGconn *pg)
{
    int64_t until = ken_clock_mono_ns() + (int64_t)db->opts.connect_s * 1000000000;
    for (PostgresPollingStatusType s = PGRES_POLLING_WRITING;
         s != PGRES_POLLING_OK && s != PGRES_POLLING_FAILED;) {
        struct pollfd fd = { .fd = db->lib->PQsocket(pg),
                             .events = s == PGRES_POLLING_READING ? POLLIN : POLLOUT };
        int64_t left = (until - ken_clock_mono_ns()) / 1000000;
        if (left <= 0 || fd.fd < 0 || poll(&fd, 1, (int)left) == 0)
            return fd.fd < 0; // then the status says why
        s = db->lib->PQconnectPoll(pg);
    }
    return true;
}

// Its message has the code, as "FATAL:  28P01: password authentication failed", and lines behind it.
static ken_status fail_connect(const ken_database *db, PGconn *pg, bool is_late, ken_err *err)
{
    ken_str text = ken_str_c(db->lib->PQerrorMessage(pg)), state = KEN_STR("");
    size_t end = ken_str_find(text, KEN_STR("\n")), at = ken_str_find(text, KEN_STR("FATAL:  "));
    if (is_late)
        return KEN_FAIL(err, KEN_ETIMEOUT, "connecting to %s: no answer in %u seconds", db->name,
                        db->opts.connect_s);
    text = ken_str_sub(text, 0, end == SIZE_MAX ? text.len : end);
    if (at != SIZE_MAX && at + 13 <= text.len)
        state = ken_str_sub(text, at + 8, at + 13);
    return KEN_FAIL(err, state.len ? ken_store__pg_status_of(state) : KEN_EIO,
                    "connecting to %s: " KEN_STR_FMT, db->name, KEN_STR_ARG(text));
}

// Whether a pooler gave us a number of a process of its own: then a name or a setting does not outlive
// a transaction.
static bool finds_pooler(const ken_database *db, PGconn *pg)
{
    PGresult *r = db->lib->PQexec(pg, "SELECT pg_backend_pid()");
    uint64_t pid = 0;
    bool is_right = db->lib->PQresultStatus(r) == PGRES_TUPLES_OK && db->lib->PQntuples(r) == 1 &&
                    ken_str_parse_u64(ken_str_c(db->lib->PQgetvalue(r, 0, 0)), &pid) &&
                    pid == (uint64_t)db->lib->PQbackendPID(pg);
    db->lib->PQclear(r);
    return !is_right;
}

static ken_status connect_one(ken_database *db, ken_pg_conn **out, ken_err *err)
{
    // What stands before the URL it may say otherwise; texts are UTF-8 whatever it says.
    static const char *const keys[] = { "fallback_application_name", "tcp_user_timeout",
                                        "keepalives_idle",           "keepalives_interval",
                                        "keepalives_count",          "dbname",
                                        "client_encoding",           NULL };
    const char *const values[] = {
        db->session, "30000", "30", "10", "3", db->opts.url, "UTF8", NULL
    };
    PGconn *pg = db->lib->PQconnectStartParams(keys, values, 1);
    if (!pg)
        return KEN_FAIL(err, KEN_ENOMEM, "connecting to %s", db->name);
    db->lib->PQsetErrorVerbosity(pg, PQERRORS_VERBOSE);
    db->lib->PQsetNoticeProcessor(pg, pass_over, NULL);
    bool is_late = !wait_for_connect(db, pg);
    ken_status st = KEN_OK;
    if (is_late || db->lib->PQstatus(pg) != CONNECTION_OK)
        st = fail_connect(db, pg, is_late, err);
    else if (db->lib->PQserverVersion(pg) < MIN_SERVER)
        st = KEN_FAIL(err, KEN_EUNSUPPORTED, "%s is PostgreSQL %d: 15 or newer is needed", db->name,
                      db->lib->PQserverVersion(pg) / 10000);
    if (st) {
        db->lib->PQfinish(pg);
        return st;
    }
    ken_pg_conn *c = ken_zalloc(sizeof *c);
    *c = (ken_pg_conn){ .pg = pg,
                        .is_pooled = finds_pooler(db, pg),
                        .made_at_ns = ken_clock_mono_ns() };
    db->lib->PQenterPipelineMode(pg);
    *out = c;
    return KEN_OK;
}

// Whether it answers; what it had to say of its last transaction is taken on the way.
static bool answers(const ken_database *db, ken_pg_conn *c)
{
    bool has_failed = false;
    bool is_fresh = ken_clock_mono_ns() - c->used_at_ns <= FRESH_NS &&
                    c->used_at_ns > atomic_load(&db->lost_at_ns);
    if (c->is_rolling_back)
        db->lib->PQclear(ken_store__pg_await(db->lib, c->pg, &has_failed));
    c->is_rolling_back = false;
    if (!has_failed && !is_fresh) {
        if (!db->lib->PQpipelineSync(c->pg))
            return false;
        PGresult *r = ken_store__pg_await(db->lib, c->pg, &has_failed);
        db->lib->PQclear(r);
    }
    return !has_failed && db->lib->PQstatus(c->pg) == CONNECTION_OK;
}

// ---- the pool ----------------------------------------------------------------------------------

static bool is_old(const ken_database *db, const ken_pg_conn *c, int64_t now)
{
    return now - c->made_at_ns > (int64_t)db->opts.recycle_s * 1000000000 ||
           now - c->used_at_ns > (int64_t)db->opts.idle_s * 1000000000;
}

// Takes those out that are too old; the lock is held.
static void take_old(ken_database *db, conn_vec *out)
{
    int64_t now = ken_clock_mono_ns();
    size_t n = 0;
    for (size_t i = 0; i < db->idle.len; i++) {
        if (is_old(db, db->idle.ptr[i], now))
            ken_vec_push(out, db->idle.ptr[i]);
        else
            db->idle.ptr[n++] = db->idle.ptr[i];
    }
    db->usage.n_open -= (uint32_t)(db->idle.len - n);
    db->idle.len = n;
}

static void free_all(const ken_database *db, conn_vec *list)
{
    for (size_t i = 0; i < list->len; i++)
        free_conn(db->lib, list->ptr[i]);
    ken_vec_release(list);
}

static struct timespec in_ms(uint32_t ms)
{
    int64_t at = ken_clock_mono_ns() + (int64_t)ms * 1000000;
    return (struct timespec){ .tv_sec = at / 1000000000, .tv_nsec = at % 1000000000 };
}

// A connection that is free, or NULL with the right to make one. The lock is held.
static bool is_full(const ken_database *db)
{
    return !db->idle.len && db->usage.n_open == db->usage.n_max;
}

static ken_status get_place(ken_database *db, ken_pg_conn **out, ken_err *err)
{
    const struct timespec until = in_ms(db->opts.wait_ms);
    db->usage.n_waited += is_full(db);
    while (is_full(db)) {
        bool is_late = pthread_cond_timedwait(&db->freed, &db->lock, &until) != 0;
        if (is_late && is_full(db))
            return KEN_FAIL(err, KEN_EBUSY,
                            "all %u connections to %s were in use for %u ms: raise "
                            "database.pool_size or database.max_overflow, or try again",
                            db->usage.n_max, db->name, db->opts.wait_ms);
    }
    *out = db->idle.len ? db->idle.ptr[--db->idle.len] : NULL;
    db->usage.n_open += *out == NULL;
    db->usage.n_busy++;
    return KEN_OK;
}

static void leave_place(ken_database *db, bool is_lost)
{
    pthread_mutex_lock(&db->lock);
    db->usage.n_open--;
    db->usage.n_busy--;
    db->usage.n_lost += is_lost;
    if (is_lost)
        atomic_store(&db->lost_at_ns, ken_clock_mono_ns());
    pthread_cond_signal(&db->freed);
    pthread_mutex_unlock(&db->lock);
}

static ken_status wait_for_place(ken_database *db, ken_pg_conn **out, ken_err *err)
{
    conn_vec old = { 0 };
    pthread_mutex_lock(&db->lock);
    take_old(db, &old);
    ken_status st = get_place(db, out, err);
    pthread_mutex_unlock(&db->lock);
    free_all(db, &old);
    return st;
}

static ken_status make_one(ken_database *db, ken_pg_conn **out, ken_err *err)
{
    ken_pg_conn *c = NULL;
    ken_status st = connect_one(db, &c, err);
    if (!c) {
        leave_place(db, false);
        return st;
    }
    pthread_mutex_lock(&db->lock);
    db->usage.n_made++;
    db->usage.is_pooled = c->is_pooled;
    pthread_mutex_unlock(&db->lock);
    *out = c;
    return KEN_OK;
}

ken_status ken_store__pg_connect(ken_database *db, ken_pg_conn **out, ken_err *err)
{
    return connect_one(db, out, err);
}

void ken_store__pg_disconnect(const ken_database *db, ken_pg_conn *c)
{
    free_conn(db->lib, c);
}

ken_status ken_store__pg_take(ken_database *db, ken_pg_conn **out, ken_err *err)
{
    for (;;) {
        *out = NULL;
        ken_status st = wait_for_place(db, out, err);
        if (st || !*out)
            return st ? st : make_one(db, out, err);
        if (answers(db, *out))
            return KEN_OK;
        free_conn(db->lib, *out);
        leave_place(db, true);
    }
}

void ken_store__pg_give(ken_database *db, ken_pg_conn *c, bool is_lost)
{
    int64_t now = ken_clock_mono_ns();
    bool is_kept = false;
    c->used_at_ns = now;
    pthread_mutex_lock(&db->lock);
    if (!is_lost && db->idle.len < db->opts.pool_size && !is_old(db, c, now)) {
        ken_vec_push(&db->idle, c);
        db->usage.n_busy--;
        is_kept = true;
        pthread_cond_signal(&db->freed);
    }
    pthread_mutex_unlock(&db->lock);
    if (is_kept)
        return;
    free_conn(db->lib, c);
    leave_place(db, is_lost);
}

ken_database_usage ken_database_get_usage(ken_database *db)
{
    conn_vec old = { 0 };
    pthread_mutex_lock(&db->lock);
    take_old(db, &old);
    ken_database_usage usage = db->usage;
    pthread_mutex_unlock(&db->lock);
    free_all(db, &old);
    return usage;
}

ken_replica_usage ken_database_get_replica(ken_database *db)
{
    return db->replica ? ken_store__pg_replica_usage(db->replica)
                       : (ken_replica_usage){ .exists = false };
}

void ken_database_check_replica(ken_database *db)
{
    if (db->replica)
        ken_store__pg_look_at_replica(db->replica);
}

// ---- opening -----------------------------------------------------------------------------------

static uint32_t or_default(uint32_t v, uint32_t otherwise)
{
    return v ? v : otherwise;
}

// Theirs is the caller's; ours stays.
static const char *word_of(const char *word, const char *otherwise)
{
    static const char *const known[] = { "off", "auto",          "on",          "halfvec", "vector",
                                         "bit", "relaxed_order", "strict_order" };
    for (size_t i = 0; word && i < sizeof known / sizeof *known; i++)
        if (!strcmp(word, known[i]))
            return known[i];
    return otherwise;
}

static ken_database_opts complete(const ken_database_opts *o)
{
    return (ken_database_opts){
        .url = plain_url(o->url),
        .data_dir = ken_strdup(o->data_dir ? o->data_dir : ""),
        .pool_size = or_default(o->pool_size, POOL_SIZE),
        .max_overflow =
            o->max_overflow == UINT32_MAX ? 0 : or_default(o->max_overflow, MAX_OVERFLOW),
        .recycle_s = or_default(o->recycle_s, RECYCLE_S),
        .idle_s = or_default(o->idle_s, IDLE_S),
        .wait_ms = or_default(o->wait_ms, WAIT_MS),
        .connect_s = or_default(o->connect_s, CONNECT_S),
        .statement_ms = o->statement_ms,
        .vectors = word_of(o->vectors, "off"),
        .vector_type = word_of(o->vector_type, "halfvec"),
        .iterative_scan = word_of(o->iterative_scan, "off"),
        .ef_search = or_default(o->ef_search, 40),
        .relations = o->relations,
        .leaves_text_out = o->leaves_text_out,
        .shares = o->shares,
        .is_schema_left = o->is_schema_left,
        .tells_empty = o->tells_empty,
    };
}

void ken_database_close(ken_database *db)
{
    if (!db)
        return;
    ken_store__pg_free_replica(db->replica);
    free_all(db, &db->idle);
    pthread_cond_destroy(&db->freed);
    pthread_mutex_destroy(&db->lock);
    ken_free((void *)(uintptr_t)db->opts.url);
    ken_free((void *)(uintptr_t)db->opts.data_dir);
    ken_free(db->name);
    ken_free(db);
}

ken_status ken_database_open(const ken_database_opts *opts, ken_database **out, ken_err *err)
{
    const ken_pg_lib *lib = NULL;
    ken_status st = ken_store__pg_lib(&lib, err);
    if (st)
        return st;
    ken_database *db = ken_zalloc(sizeof *db);
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&db->freed, &attr);
    pthread_condattr_destroy(&attr);
    pthread_mutex_init(&db->lock, NULL);
    db->lib = lib;
    db->opts = complete(opts);
    db->usage.n_max = db->opts.pool_size + db->opts.max_overflow;
    ken_uuid own = ken_uuid_random();
    snprintf(db->session, sizeof db->session, "ken %02x%02x%02x%02x%02x%02x", own.bytes[0],
             own.bytes[1], own.bytes[2], own.bytes[3], own.bytes[4], own.bytes[5]);
    st = read_url(db, err);
    ken_pg p;
    if (!st) {
        ken_store__pg_init(&p, db, "schema", "ken", 0);
        st = ken_store__pg_settle_schema(&p, &db->opts, err);
        if (!st)
            ken_store__pg_settle_vectors(&p, &db->opts, &db->vectors);
        ken_store__pg_release(&p);
    }
    if (!st && opts->replica_url && *opts->replica_url)
        db->replica = ken_store__pg_new_replica(db, opts->replica_url, db->opts.pool_size);
    if (st)
        ken_database_close(db);
    else
        *out = db;
    return st;
}
