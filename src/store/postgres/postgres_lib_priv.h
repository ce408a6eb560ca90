// SPDX-License-Identifier: MIT
// postgres_lib_priv.h -- the functions of libpq, loaded when a database is opened.
#ifndef KEN_STORE_POSTGRES_POSTGRES_LIB_PRIV_H
#define KEN_STORE_POSTGRES_POSTGRES_LIB_PRIV_H

#include <libpq-fe.h>

#include "base/err.h"

#define KEN_PG_FUNCTIONS(X) \
    X(PQbackendPID)         \
    X(PQcancel)             \
    X(PQclear)              \
    X(PQcmdStatus)          \
    X(PQcmdTuples)          \
    X(PQconnectPoll)        \
    X(PQconnectStartParams) \
    X(PQconninfoFree)       \
    X(PQconninfoParse)      \
    X(PQconsumeInput)       \
    X(PQenterPipelineMode)  \
    X(PQerrorMessage)       \
    X(PQexec)               \
    X(PQexitPipelineMode)   \
    X(PQfinish)             \
    X(PQfreeCancel)         \
    X(PQfreemem)            \
    X(PQgetCancel)          \
    X(PQgetResult)          \
    X(PQgetisnull)          \
    X(PQgetlength)          \
    X(PQgetvalue)           \
    X(PQisBusy)             \
    X(PQlibVersion)         \
    X(PQnotifies)           \
    X(PQntuples)            \
    X(PQpipelineSync)       \
    X(PQputCopyData)        \
    X(PQputCopyEnd)         \
    X(PQresultErrorField)   \
    X(PQresultStatus)       \
    X(PQsendPrepare)        \
    X(PQsendQueryParams)    \
    X(PQsendQueryPrepared)  \
    X(PQserverVersion)      \
    X(PQsetErrorVerbosity)  \
    X(PQsetNoticeProcessor) \
    X(PQsocket)             \
    X(PQstatus)

typedef struct ken_pg_lib {
#define X(symbol) __typeof__(symbol) *symbol;
    KEN_PG_FUNCTIONS(X)
#undef X
} ken_pg_lib;

// The functions; borrowed, for the life of the process. KEN_EUNSUPPORTED names what is missing.
ken_status ken_store__pg_lib(const ken_pg_lib **out, ken_err *err) KEN_MUST_USE;

#endif
