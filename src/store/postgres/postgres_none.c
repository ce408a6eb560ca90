// SPDX-License-Identifier: MIT
// The twin of the PostgreSQL backend in a build without it.
#include "store/store_ops.h"

static ken_status refuse(ken_err *err)
{
    return KEN_FAIL(err, KEN_EUNSUPPORTED,
                    "this build has no PostgreSQL backend: give the path of a file instead of a "
                    "postgres:// URL, or unset DATABASE_URL");
}

ken_status ken_store__postgres_open(const ken_store_opts *opts, ken_store_backend **out,
                                    ken_err *err)
{
    (void)opts; // never in a message: it may hold a password
    (void)out;
    return refuse(err);
}

ken_status ken_store__postgres_open_catalog(const char *url, bool is_read_only,
                                            ken_catalog_backend **out, ken_err *err)
{
    (void)url;
    (void)is_read_only;
    (void)out;
    return refuse(err);
}
