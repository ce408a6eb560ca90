// SPDX-License-Identifier: MIT
// httpc_curl_priv.h -- the functions of libcurl that httpc.c calls, found at run time.
#ifndef KEN_HTTPC_HTTPC_CURL_PRIV_H
#define KEN_HTTPC_HTTPC_CURL_PRIV_H

// Options that newer versions call deprecated are the only ones that older ones know.
#define CURL_DISABLE_DEPRECATION
// Its macros check types at calls by name, which we do not have.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include "base/err.h"

// name in the struct, name in the library
#define KEN_HTTPC_CURL_FUNCTIONS(X)      \
    X(init, curl_global_init)            \
    X(new_easy, curl_easy_init)          \
    X(set, curl_easy_setopt)             \
    X(get, curl_easy_getinfo)            \
    X(reset, curl_easy_reset)            \
    X(free_easy, curl_easy_cleanup)      \
    X(text, curl_easy_strerror)          \
    X(add_header, curl_slist_append)     \
    X(free_headers, curl_slist_free_all) \
    X(new_multi, curl_multi_init)        \
    X(add, curl_multi_add_handle)        \
    X(remove, curl_multi_remove_handle)  \
    X(perform, curl_multi_perform)       \
    X(poll, curl_multi_poll)             \
    X(read_info, curl_multi_info_read)   \
    X(free_multi, curl_multi_cleanup)

typedef struct httpc_curl {
    CURLcode (*init)(long flags);
    CURL *(*new_easy)(void);
    CURLcode (*set)(CURL *easy, CURLoption option, ...);
    CURLcode (*get)(CURL *easy, CURLINFO info, ...);
    void (*reset)(CURL *easy);
    void (*free_easy)(CURL *easy);
    const char *(*text)(CURLcode code);
    struct curl_slist *(*add_header)(struct curl_slist *list, const char *line);
    void (*free_headers)(struct curl_slist *list);
    CURLM *(*new_multi)(void);
    CURLMcode (*add)(CURLM *multi, CURL *easy);
    CURLMcode (*remove)(CURLM *multi, CURL *easy);
    CURLMcode (*perform)(CURLM *multi, int *out_n_running);
    CURLMcode (*poll)(CURLM *multi, struct curl_waitfd *extra, unsigned n, int ms, int *out_n);
    CURLMsg *(*read_info)(CURLM *multi, int *out_n_left);
    CURLMcode (*free_multi)(CURLM *multi);
} httpc_curl;

// Loads the library once; the same answer ever after. KEN_EUNSUPPORTED names the package.
ken_status ken_httpc__curl(const httpc_curl **out, ken_err *err);

#endif
