// SPDX-License-Identifier: MIT
// The twin of the PostgreSQL backend in a build without it.
#include "store/store_ops.h"

ken_status ken_store__postgres_open(const ken_store_opts *opts, ken_store_backend **out,
                                    ken_err *err)
{
    (void)opts; // never in a message: it may hold a password
    (void)out;
    return KEN_FAIL(err, KEN_EUNSUPPORTED,
                    "this build has no PostgreSQL backend: give the path of a file instead of a "
                    "postgres:// URL, or unset DATABASE_URL");
}
