// SPDX-License-Identifier: MIT
// httpd_mhd_priv.h -- the functions of libmicrohttpd that are called, found at run time.
#ifndef KEN_HTTPD_HTTPD_MHD_PRIV_H
#define KEN_HTTPD_HTTPD_MHD_PRIV_H

#include <stdarg.h>

#include <microhttpd.h>

#include "base/err.h"

// name in the struct, name in the library
#define KEN_HTTPD_MHD_FUNCTIONS(X)                                     \
    X(start, MHD_start_daemon)                                         \
    X(stop, MHD_stop_daemon)                                           \
    X(quiesce, MHD_quiesce_daemon)                                     \
    X(run, MHD_run)                                                    \
    X(timeout, MHD_get_timeout)                                        \
    X(daemon_info, MHD_get_daemon_info)                                \
    X(connection_info, MHD_get_connection_info)                        \
    X(values, MHD_get_connection_values)                               \
    X(add_connection, MHD_add_connection)                              \
    X(suspend, MHD_suspend_connection)                                 \
    X(resume, MHD_resume_connection)                                   \
    X(queue, MHD_queue_response)                                       \
    X(from_buffer, MHD_create_response_from_buffer_with_free_callback) \
    X(from_callback, MHD_create_response_from_callback)                \
    X(add_header, MHD_add_response_header)                             \
    X(destroy, MHD_destroy_response)                                   \
    X(version, MHD_get_version)

typedef struct httpd_mhd {
    struct MHD_Daemon *(*start)(unsigned flags, uint16_t port, MHD_AcceptPolicyCallback apc,
                                void *apc_cls, MHD_AccessHandlerCallback dh, void *dh_cls, ...);
    void (*stop)(struct MHD_Daemon *d);
    int (*quiesce)(struct MHD_Daemon *d);
    enum MHD_Result (*run)(struct MHD_Daemon *d);
    enum MHD_Result (*timeout)(struct MHD_Daemon *d, MHD_UNSIGNED_LONG_LONG *out_ms);
    const union MHD_DaemonInfo *(*daemon_info)(struct MHD_Daemon *d, enum MHD_DaemonInfoType what,
                                               ...);
    const union MHD_ConnectionInfo *(*connection_info)(struct MHD_Connection *c,
                                                       enum MHD_ConnectionInfoType what, ...);
    int (*values)(struct MHD_Connection *c, enum MHD_ValueKind kind, MHD_KeyValueIterator each,
                  void *ctx);
    enum MHD_Result (*add_connection)(struct MHD_Daemon *d, int fd, const struct sockaddr *from,
                                      socklen_t n);
    void (*suspend)(struct MHD_Connection *c);
    void (*resume)(struct MHD_Connection *c);
    enum MHD_Result (*queue)(struct MHD_Connection *c, unsigned status, struct MHD_Response *a);
    struct MHD_Response *(*from_buffer)(size_t n, void *bytes, MHD_ContentReaderFreeCallback done);
    struct MHD_Response *(*from_callback)(uint64_t n, size_t block, MHD_ContentReaderCallback read,
                                          void *ctx, MHD_ContentReaderFreeCallback done);
    enum MHD_Result (*add_header)(struct MHD_Response *a, const char *name, const char *value);
    void (*destroy)(struct MHD_Response *a);
    const char *(*version)(void);
} httpd_mhd;

// Loads the library once; the same answer ever after. KEN_EUNSUPPORTED names the package.
ken_status ken_httpd__mhd(const httpd_mhd **out, ken_err *err);

#endif
