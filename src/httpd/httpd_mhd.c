// SPDX-License-Identifier: MIT
// Loading libmicrohttpd, which brings a TLS library along: only a process that serves pays for that.
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "httpd/httpd_mhd_priv.h"

static httpd_mhd mhd;
static const char *missing; // what could not be found; NULL = all is there
static pthread_once_t once = PTHREAD_ONCE_INIT;

// The symbol as a function pointer, which ISO C does not let one cast from void *.
static bool find_symbol(void *lib, const char *name, void *into)
{
    void *p = dlsym(lib, name);
    memcpy(into, &p, sizeof p);
    return p != NULL;
}

static void load_library(void)
{
    static const char name[] = "libmicrohttpd.so.12";
    void *lib = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!lib) {
        missing = name;
        return;
    }
#define X(member, symbol)                                            \
    if (!missing && !find_symbol(lib, #symbol, (void *)&mhd.member)) \
        missing = #symbol;
    KEN_HTTPD_MHD_FUNCTIONS(X)
#undef X
}

ken_status ken_httpd__mhd(const httpd_mhd **out, ken_err *err)
{
    pthread_once(&once, load_library);
    if (missing)
        return KEN_FAIL(err, KEN_EUNSUPPORTED,
                        "serving HTTP needs libmicrohttpd 0.9.71 or newer, and '%s' was not found: "
                        "install the package libmicrohttpd12",
                        missing);
    *out = &mhd;
    return KEN_OK;
}
