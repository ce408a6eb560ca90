// SPDX-License-Identifier: MIT
// Loading libcurl. It stays loaded: it has threads and state of its own that must not go away.
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "httpc/httpc_curl_priv.h"

static httpc_curl curl;
static const char *missing; // what could not be found; NULL = all is there
static pthread_once_t once = PTHREAD_ONCE_INIT;

// The symbol as a function pointer, which ISO C does not let one cast from void *.
static bool find(void *lib, const char *name, void *into)
{
    void *p = dlsym(lib, name);
    memcpy(into, &p, sizeof p);
    return p != NULL;
}

static void load(void)
{
    static const char *const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4" };
    void *lib = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !lib; i++)
        lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!lib) {
        missing = names[0];
        return;
    }
#define X(member, name)                                      \
    if (!missing && !find(lib, #name, (void *)&curl.member)) \
        missing = #name;
    KEN_HTTPC_CURL_FUNCTIONS(X)
#undef X
    if (!missing && curl.init(CURL_GLOBAL_DEFAULT))
        missing = "a libcurl that starts";
}

ken_status ken_httpc__curl(const httpc_curl **out, ken_err *err)
{
    pthread_once(&once, load);
    if (missing)
        return KEN_FAIL(err, KEN_EUNSUPPORTED,
                        "HTTP needs libcurl 7.66 or newer, and '%s' was not found: install the "
                        "package libcurl4",
                        missing);
    *out = &curl;
    return KEN_OK;
}
