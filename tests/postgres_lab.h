// SPDX-License-Identifier: MIT
// postgres_lab.h -- databases of a real PostgreSQL for tests: those of the server at KEN_TEST_DATABASE_URL, which
// './dev test' starts (tests/postgres/server.py). Without it a test passes over PostgreSQL and says so, unless
// KEN_TEST_REQUIRE has "postgres".
#ifndef KEN_TESTS_POSTGRES_LAB_H
#define KEN_TESTS_POSTGRES_LAB_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libpq-fe.h>

#include "base/clock.h"
#include "ktest.h"
#include "store/database.h"

static inline const char *lab_server(void)
{
    const char *url = getenv("KEN_TEST_DATABASE_URL");
    return url && *url ? url : NULL;
}

// The same server where KEN_TEST_DATABASE_URL goes through a pooler, which can neither be a template's only user nor
// leave it.
static inline const char *lab_direct(void)
{
    const char *url = getenv("KEN_TEST_DATABASE_DIRECT");
    return url && *url ? url : lab_server();
}

// What a test on all backends asks: false where there is no server, which is told once.
static inline bool lab_has_postgres(void)
{
    static bool is_told;
    if (lab_server())
        return true;
    const char *required = getenv("KEN_TEST_REQUIRE");
    kt_true(!required || !strstr(required, "postgres"));
    if (!is_told)
        fprintf(stderr, "PASSED OVER, needs KEN_TEST_DATABASE_URL: PostgreSQL\n");
    is_told = true;
    return false;
}

// Runs `sql` on a connection of its own.
static inline void lab_sql(const char *url, const char *sql)
{
    PGconn *c = PQconnectdb(url);
    PGresult *r = PQexec(c, sql);
    ExecStatusType st = PQresultStatus(r);
    if (st != PGRES_COMMAND_OK && st != PGRES_TUPLES_OK)
        fprintf(stderr, "%s\n%s\n", sql, PQerrorMessage(c));
    kt_true(st == PGRES_COMMAND_OK || st == PGRES_TUPLES_OK);
    PQclear(r);
    PQfinish(c);
}

// The URL of a database of that server.
static inline void lab_url_at(const char *server, const char *name, char *out, size_t n)
{
    const char *host = strstr(server, "://") + 3, *path = strchr(host, '/');
    const char *rest = path ? strchr(path, '?') : NULL;
    size_t n_head = path ? (size_t)(path - server) : strlen(server);
    snprintf(out, n, "%.*s/%s%s", (int)n_head, server, name, rest ? rest : "");
}

static inline void lab_url(const char *name, char *out, size_t n)
{
    lab_url_at(lab_server(), name, out, n);
}

// ---- databases, which go when the program ends -------------------------------------------------
static pid_t lab_maker;
static int64_t lab_made_at;
static int lab_n_made;

static inline void lab_name(int n, char out[64])
{
    snprintf(out, 64, "ken_test_%d_%llx_%d", (int)lab_maker, (unsigned long long)lab_made_at, n);
}

// Not in a child, which may only look like the maker.
static inline void lab_drop_all(void)
{
    for (int n = 0; lab_maker == getpid() && n < lab_n_made; n++) {
        char name[64], sql[128];
        lab_name(n, name);
        snprintf(sql, sizeof sql, "DROP DATABASE %s WITH (FORCE)", name);
        lab_sql(lab_direct(), sql);
    }
}

// A copy of the database number `from`; an empty one where that is -1.
static inline int lab_new(int from)
{
    char name[64], other[64], sql[256];
    if (!lab_n_made) {
        lab_maker = getpid();
        lab_made_at = ken_clock_wall_ms();
        kt_eq_i(atexit(lab_drop_all), 0);
    }
    int n = lab_n_made++;
    lab_name(n, name);
    lab_name(from, other);
    snprintf(sql, sizeof sql, "CREATE DATABASE %s TEMPLATE %s", name,
             from < 0 ? "template1" : other);
    lab_sql(lab_direct(), sql);
    return n;
}

// Until the next.
static inline const char *lab_url_of(int n)
{
    static char url[600];
    char name[64];
    lab_name(n, name);
    lab_url(name, url, sizeof url);
    return url;
}

// A new and empty database.
static inline const char *lab_new_url(void)
{
    return lab_url_of(lab_new(-1));
}

static inline ken_database *lab_open(const char *url)
{
    ken_database *db = NULL;
    ken_err err = { 0 };
    kt_ok_err(ken_database_open(&(ken_database_opts){ .url = url }, &db, &err), &err);
    return db;
}

// A new database that has the tables, which is made faster than one that gets them.
static inline const char *lab_new_migrated_url(void)
{
    static int first = -1;
    if (first < 0) {
        char name[64], url[600];
        int n = lab_new(-1);
        lab_name(n, name);
        lab_url_at(lab_direct(), name, url, sizeof url);
        ken_database_close(lab_open(url));
        first = n;
    }
    return lab_url_of(lab_new(first));
}

// What a question about one number has as its answer, on a connection of its own.
static inline int64_t lab_number(const char *url, const char *sql)
{
    PGconn *c = PQconnectdb(url);
    PGresult *r = PQexec(c, sql);
    if (PQresultStatus(r) != PGRES_TUPLES_OK)
        fprintf(stderr, "%s\n%s\n", sql, PQerrorMessage(c));
    kt_true(PQntuples(r) == 1 && !PQgetisnull(r, 0, 0));
    int64_t n = strtoll(PQgetvalue(r, 0, 0), NULL, 10);
    PQclear(r);
    PQfinish(c);
    return n;
}

// One for the whole of a test program: for stores, which have names of their own.
static inline ken_database *lab_database(void)
{
    static ken_database *db;
    if (!db)
        db = lab_open(lab_new_url());
    return db;
}

#endif
