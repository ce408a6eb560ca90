// SPDX-License-Identifier: MIT
// ken serve: from the start to the last answer, as a service manager sees it.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "app/remotes.h"
#include "base/clock.h"
#include "cli/cli_print_priv.h"
#include "obs/log.h"
#include "proc/proc.h"
#include "web/web.h"

enum {
    FIRST_FD = 3 // of those that a service manager passes (sd_listen_fds)
};

// ---- the service manager (sd_notify, sd_listen_fds, sd_watchdog_enabled of systemd) ------------

// Without one nothing happens.
static void notify(const char *state)
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

static bool is_for_us(const char *pid)
{
    uint64_t number;
    return pid && ken_str_parse_u64(ken_str_c(pid), &number) && number == (uint64_t)getpid();
}

// The socket that we were started with; 0 = none.
static ken_status passed_socket(int *out, ken_err *err)
{
    const char *count = ken_proc_env("LISTEN_FDS");
    uint64_t n = 0;
    *out = 0;
    if (!is_for_us(ken_proc_env("LISTEN_PID")) || !count ||
        !ken_str_parse_u64(ken_str_c(count), &n) || !n)
        return KEN_OK;
    int type;
    socklen_t len = sizeof type;
    if (n > 1 || getsockopt(FIRST_FD, SOL_SOCKET, SO_TYPE, &type, &len) || type != SOCK_STREAM)
        return KEN_FAIL(err, KEN_EINVAL,
                        "LISTEN_FDS must pass one listening stream socket, it is '%s'", count);
    *out = FIRST_FD;
    return KEN_OK;
}

// How often the watchdog wants to hear of us, in ms; -1 = never.
static int watchdog_ms(void)
{
    const char *usec = ken_proc_env("WATCHDOG_USEC"), *pid = ken_proc_env("WATCHDOG_PID");
    uint64_t n;
    if (!usec || (pid && !is_for_us(pid)) || !ken_str_parse_u64(ken_str_c(usec), &n) || !n)
        return -1;
    uint64_t half = n / 2000;
    return half > 60000 ? 60000 : half ? (int)half : 1;
}

// ---- signals -----------------------------------------------------------------------------------

static ken_status watch_signals(int *out_fd, ken_err *err)
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

static void reload(ken_web *web)
{
    ken_err err = { 0 };
    notify("RELOADING=1");
    if (ken_web_reload(web, &err))
        KEN_LOG_ERR("serve", "not reloaded: %s", err.msg);
    else
        KEN_LOG_NOTE("serve", "reloaded");
    notify("READY=1");
}

// Until a signal asks for the end.
static void serve_until_signal(ken_web *web, int signal_fd)
{
    int every_ms = watchdog_ms();
    for (;;) {
        struct pollfd fd = { .fd = signal_fd, .events = POLLIN };
        struct signalfd_siginfo info;
        int n = poll(&fd, 1, every_ms);
        if (!n)
            notify("WATCHDOG=1");
        if (n <= 0 || read(signal_fd, &info, sizeof info) != (ssize_t)sizeof info)
            continue;
        if (info.ssi_signo != SIGHUP)
            return;
        reload(web);
    }
}

// A second signal ends at once.
static void let_signals_through(void)
{
    sigset_t none;
    sigemptyset(&none);
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

// ---- the command -------------------------------------------------------------------------------

static void say_ready(const cli *x, const ken_web *web)
{
    if (x->is_json)
        printf("{\"url\":\"%s\",\"mcp\":\"%s/mcp\"}\n", ken_web_url(web), ken_web_url(web));
    else
        printf("ken serves at %s (MCP: %s/mcp)\n", ken_web_url(web), ken_web_url(web));
    fflush(stdout);
    KEN_LOG_NOTE("serve", "serves at %s", ken_web_url(web));
    notify("READY=1");
}

static ken_status run_serve(cli *x, ken_err *err)
{
    const ken_mcp_opts mcp = { .version = KEN_VERSION };
    ken_web_opts opts = { .version = KEN_VERSION, .mcp = &mcp };
    ken_web *web = NULL;
    int signal_fd = -1;
    ken_status st = passed_socket(&opts.listen_fd, err);
    if (!st)
        st = ken_web_open(x->app, &opts, &web, err);
    if (st)
        return st;
    st = ken_app_enter_sandbox(x->app, NULL, false, err);
    if (!st)
        st = watch_signals(&signal_fd, err);
    if (!st) {
        ken_app_log_notes(x->app);
        ken_app_serve(x->app);
        ken_app_leave_syncs(x->app);
        ken_app_add_set_remote(x->app);
        ken_app_start_telemetry(x->app, KEN_VERSION);
        st = ken_web_start(web, err);
    }
    int64_t grace_ms = 0;
    if (!st) {
        say_ready(x, web);
        serve_until_signal(web, signal_fd);
        notify("STOPPING=1");
        let_signals_through();
        KEN_LOG_NOTE("serve", "ends");
        grace_ms = (int64_t)ken_config_u64(x->config, KEN_CFG_SERVER_DRAIN) * 1000;
    }
    ken_web_stop(web, grace_ms);
    ken_app_stop_telemetry();
    if (signal_fd >= 0)
        close(signal_fd);
    return st;
}

static const cli_opt serve_opts[] = {
    { "host", 0, CLI_VALUE, "ADDRESS", "to listen on (default 127.0.0.1; another needs a token)",
      NULL },
    { "port", 0, CLI_VALUE, "N", "to listen on (default 7420; 0 = one that is free)", NULL },
    { "require-token", 0, CLI_FLAG, NULL, "a loopback address needs an access token too", NULL },
    { "tls-cert", 0, CLI_VALUE, "FILE", "certificate, PEM; read again on SIGHUP", NULL },
    { "tls-key", 0, CLI_VALUE, "FILE", "its private key, PEM", NULL },
    { "sandbox", 0, CLI_VALUE, "HOW", "auto, on, off or strict: give up rights that are not needed",
      "auto|on|off|strict" },
    { "watch", 0, CLI_FLAG, NULL, "bring indexes up to date when a file is saved, too", NULL },
    { "toolsets", 0, CLI_LIST, "SET", "sets of tools to offer agents; may be repeated", NULL },
    { "read-only", 0, CLI_FLAG, NULL, "offer only tools that change nothing", NULL },
    { "format", 0, CLI_VALUE, "FORM", "of answers to agents, when a call does not say it",
      "text|json" },
};

const cli_command ken_cli__serve_command = {
    "serve",
    "",
    "serve MCP over HTTP, the API and metrics, for many clients and projects",
    "At 127.0.0.1:7420 unless the settings say otherwise. MCP is at /mcp and, bound to one project,\n"
    "at /mcp/PROJECT; the API at /api/v1; /healthz, /readyz and /metrics are for who operates it.\n"
    "SIGTERM lets what runs end (server.drain_seconds), SIGHUP reads the certificate again.\n"
    "docs/operations.md has more.",
    OPTS(serve_opts),
    0,
    0,
    true,
    false,
    run_serve,
    NULL,
    0,
    NULL
};
