// SPDX-License-Identifier: MIT
// Codes of PostgreSQL as statuses of ours, and messages for people.
#include <string.h>

#include "store/postgres/postgres_priv.h"

typedef struct code_row {
    const char *code; // of five characters, or a class of two
    ken_status status;
    const char *hint;
} code_row;

static const code_row codes[] = {
    { "23505", KEN_EEXIST, "" },
    { "23", KEN_EINVAL, "" },
    { "22", KEN_EINVAL, "" },
    { "25006", KEN_EPERM, "; the server is a replica, or only lets itself be read" },
    { "28", KEN_EPERM, "; look at the user and the password of DATABASE_URL" },
    { "3D000", KEN_EINVAL, "; create the database, or look at its name in DATABASE_URL" },
    { "40", KEN_EBUSY, "; another process was writing: try again" },
    { "42501", KEN_EPERM, "; grant it to the user (docs/scaling.md)" },
    { "42P07", KEN_EEXIST, "" },
    { "42", KEN_ECORRUPT, "; the schema is not as this program made it: 'ken doctor' compares it" },
    { "53100", KEN_ENOSPC, "; nothing of this was kept: free space at the database's server" },
    { "53200", KEN_ENOMEM, "; the database's server has no memory left" },
    { "53300", KEN_EBUSY, "; lower database.pool_size, or raise max_connections of the server" },
    { "54", KEN_ELIMIT, "" },
    { "55P03", KEN_EBUSY, "; another process is writing: try again" },
    { "57014", KEN_ETIMEOUT, "; it took longer than database.statement_timeout_seconds allows" },
    { "57P", KEN_EIO, "; the database's server ends or starts: try again" },
    { "XX001", KEN_ECORRUPT, "; the database's server found damaged data" },
    { "XX002", KEN_ECORRUPT, "; the database's server found a damaged index" },
};

static const code_row *find_code(ken_str state)
{
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (ken_str_starts(state, ken_str_c(codes[i].code)))
            return &codes[i];
    return NULL;
}

ken_status ken_store__pg_status_of(ken_str state)
{
    const code_row *row = find_code(state);
    return row ? row->status : KEN_EIO;
}

// Without the end of the line, and without what follows it.
static ken_str first_line(const char *text)
{
    ken_str s = ken_str_c(text ? text : "");
    size_t end = 0;
    while (end < s.len && s.ptr[end] != '\n')
        end++;
    return ken_str_sub(s, 0, end);
}

static ken_pg_failure failure_of(ken_str state)
{
    if (!state.len || ken_str_starts(state, KEN_STR("57P")))
        return KEN_PG_LOST;
    return ken_str_starts(state, KEN_STR("40")) ? KEN_PG_CONFLICT : KEN_PG_REFUSED;
}

ken_status ken_store__pg_fail(ken_pg *p, const ken_pg_conn *c, const PGresult *r, ken_err *err,
                              const char *where)
{
    ken_str state = ken_str_c(r ? p->lib->PQresultErrorField(r, PG_DIAG_SQLSTATE) : NULL);
    p->failure = failure_of(state);
    if (!state.len) {
        ken_str text = first_line(c ? p->lib->PQerrorMessage(c->pg) : "");
        return ken_err_set(err, KEN_EIO, where,
                           "the connection to %s was lost%s" KEN_STR_FMT "; try again",
                           ken_database_name(p->db), text.len ? ": " : "", KEN_STR_ARG(text));
    }
    const code_row *row = find_code(state);
    ken_str text = first_line(p->lib->PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY));
    // After a failure the server refuses all else in a transaction: why is what was said first.
    bool is_after = ken_str_eq_c(state, "25P02") && p->why.status;
    if (!is_after)
        (void)ken_err_set(&p->why, row ? row->status : KEN_EIO, where,
                          "%s '%s' in %s: " KEN_STR_FMT " (" KEN_STR_FMT ")%s", p->what, p->name,
                          ken_database_name(p->db), KEN_STR_ARG(text), KEN_STR_ARG(state),
                          row ? row->hint : "");
    if (err)
        *err = p->why;
    return p->why.status;
}

ken_status ken_store__pg_corrupt(const ken_pg *p, ken_err *err, const char *where, const char *what)
{
    return ken_err_set(err, KEN_ECORRUPT, where, "%s '%s' in %s is damaged: %s", p->what, p->name,
                       ken_database_name(p->db), what);
}
