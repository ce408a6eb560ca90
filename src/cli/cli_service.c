// SPDX-License-Identifier: MIT
// What commands that stay have in common: signals, and the service manager (sd_notify and sd_watchdog_enabled of
// systemd).
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cli/cli_service_priv.h"
#include "proc/proc.h"

void ken_cli__notify(const char *state)
{
    const char *path = ken_proc_env("NOTIFY_SOCKET");
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    size_t n = path ? strlen(path) : 0;
    if (!n || n >= sizeof at.sun_path)
        return;
    memcpy(at.sun_path, path, n);
    if (path[0] == '@')
        at.sun_path[0] = '\0'; // a name that is no file
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    (void)!sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&at,
                  (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
    close(fd);
}

bool ken_cli__is_for_us(const char *pid)
{
    uint64_t number;
    return pid && ken_str_parse_u64(ken_str_c(pid), &number) && number == (uint64_t)getpid();
}

int ken_cli__watchdog_ms(void)
{
    const char *usec = ken_proc_env("WATCHDOG_USEC"), *pid = ken_proc_env("WATCHDOG_PID");
    uint64_t n;
    if (!usec || (pid && !ken_cli__is_for_us(pid)) || !ken_str_parse_u64(ken_str_c(usec), &n) || !n)
        return -1;
    uint64_t half = n / 2000;
    return half > 60000 ? 60000 : half ? (int)half : 1;
}

ken_status ken_cli__watch_signals(int *out_fd, ken_err *err)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    if (sigprocmask(SIG_BLOCK, &set, NULL)) // the threads that are started later inherit it
        return KEN_FAIL_ERRNO(err, errno, "blocking signals");
    *out_fd = signalfd(-1, &set, SFD_CLOEXEC);
    return *out_fd < 0 ? KEN_FAIL_ERRNO(err, errno, "a descriptor for signals") : KEN_OK;
}

void ken_cli__let_signals_through(void)
{
    sigset_t none;
    sigemptyset(&none);
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
}
