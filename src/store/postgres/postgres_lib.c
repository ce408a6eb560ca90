// SPDX-License-Identifier: MIT
// Loading libpq: only a process that uses PostgreSQL pays for it.
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "store/postgres/postgres_lib_priv.h"

static ken_pg_lib lib;
static const char *missing; // what could not be found; NULL = all is there
static pthread_once_t once = PTHREAD_ONCE_INIT;

// The symbol as a function pointer, which ISO C does not let one cast from void *.
static bool find_symbol(void *from, const char *name, void *into)
{
    void *p = dlsym(from, name);
    memcpy(into, &p, sizeof p);
    return p != NULL;
}

static void load_library(void)
{
    static const char name[] = "libpq.so.5";
    void *from = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!from) {
        missing = name;
        return;
    }
#define X(symbol)                                                     \
    if (!missing && !find_symbol(from, #symbol, (void *)&lib.symbol)) \
        missing = #symbol;
    KEN_PG_FUNCTIONS(X)
#undef X
}

ken_status ken_store__pg_lib(const ken_pg_lib **out, ken_err *err)
{
    pthread_once(&once, load_library);
    if (missing)
        return KEN_FAIL(err, KEN_EUNSUPPORTED,
                        "PostgreSQL needs libpq 14 or newer, and '%s' was not found: install the "
                        "package libpq5",
                        missing);
    *out = &lib;
    return KEN_OK;
}
