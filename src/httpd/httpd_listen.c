// SPDX-License-Identifier: MIT
// httpd_listen.c -- sockets that listen.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "httpd/httpd_priv.h"

enum {
    BACKLOG = 1024,
    PROBE_AFTER_S = 60,
    UNACKNOWLEDGED_MS = 90 * 1000,
};

ken_status ken_httpd__listen_unix(const char *path, int *out_fd, ken_err *err)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof at.sun_path)
        return KEN_FAIL(err, KEN_EINVAL, "'%.200s': the path of a socket has at most %zu bytes",
                        path, sizeof at.sun_path - 1);
    memcpy(at.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return KEN_FAIL_ERRNO(err, errno, "a socket");
    // One that nobody listens on any more is in the way.
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (probe >= 0 && connect(probe, (struct sockaddr *)&at, sizeof at) && errno == ECONNREFUSED)
        (void)unlink(path);
    if (probe >= 0)
        close(probe);
    mode_t before = umask(0177);
    int failed = bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, BACKLOG) ? errno : 0;
    umask(before);
    if (failed) {
        close(fd);
        return failed == EADDRINUSE ? KEN_FAIL(err, KEN_EBUSY, "'%s' is in use", path)
                                    : KEN_FAIL_ERRNO(err, failed, "'%s'", path);
    }
    *out_fd = fd;
    return KEN_OK;
}

static bool parse_address(const char *text, uint16_t port, struct sockaddr_storage *out,
                          socklen_t *out_n)
{
    struct sockaddr_in *four = (struct sockaddr_in *)(void *)out;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)(void *)out;
    memset(out, 0, sizeof *out);
    if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(port);
        *out_n = sizeof *four;
        return true;
    }
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(port);
    *out_n = sizeof *six;
    return inet_pton(AF_INET6, text, &six->sin6_addr) == 1;
}

ken_status ken_httpd__listen_tcp(const char *address, uint16_t port, int *out_fd, ken_err *err)
{
    struct sockaddr_storage at;
    socklen_t n;
    if (!parse_address(address, port, &at, &n))
        return KEN_FAIL(err, KEN_EINVAL, "'%.100s' is no address: 127.0.0.1, ::1, 0.0.0.0 are",
                        address);
    int fd = socket(at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;
    if (fd < 0)
        return KEN_FAIL_ERRNO(err, errno, "a socket for '%s'", address);
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (struct sockaddr *)&at, n) || listen(fd, BACKLOG)) {
        int failed = errno;
        close(fd);
        return failed == EADDRINUSE
                   ? KEN_FAIL(err, KEN_EBUSY, "port %u of %s is in use", port, address)
                   : KEN_FAIL_ERRNO(err, failed, "port %u of %s", port, address);
    }
    *out_fd = fd;
    return KEN_OK;
}

void ken_httpd__watch_peers(int fd)
{
    static const struct {
        int level, name, value;
    } options[] = {
        { SOL_SOCKET, SO_KEEPALIVE, 1 },
        { IPPROTO_TCP, TCP_KEEPIDLE, PROBE_AFTER_S },
        { IPPROTO_TCP, TCP_KEEPINTVL, 10 },
        { IPPROTO_TCP, TCP_KEEPCNT, 3 },
        { IPPROTO_TCP, TCP_USER_TIMEOUT, UNACKNOWLEDGED_MS },
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        (void)setsockopt(fd, options[i].level, options[i].name, &options[i].value,
                         sizeof options[i].value);
}

uint16_t ken_httpd__port_of(int fd)
{
    struct sockaddr_storage at = { 0 };
    socklen_t n = sizeof at;
    if (getsockname(fd, (struct sockaddr *)&at, &n))
        return 0;
    if (at.ss_family == AF_INET)
        return ntohs(((struct sockaddr_in *)(void *)&at)->sin_port);
    return at.ss_family == AF_INET6 ? ntohs(((struct sockaddr_in6 *)(void *)&at)->sin6_port) : 0;
}
