// SPDX-License-Identifier: MIT
// ken serve: from the start to the last answer, as a service manager sees it.
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/remotes.h"
#include "cli/cli_print_priv.h"
#include "cli/cli_service_priv.h"
#include "obs/log.h"
#include "proc/proc.h"
#include "web/web.h"

enum {
    FIRST_FD = 3 // of those that a service manager passes (sd_listen_fds)
};

// The socket that we were started with; 0 = none.
static ken_status passed_socket(int *out, ken_err *err)
{
    const char *count = ken_proc_env("LISTEN_FDS");
    uint64_t n = 0;
    *out = 0;
    if (!ken_cli__is_for_us(ken_proc_env("LISTEN_PID")) || !count ||
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

static void reload(ken_web *web)
{
    ken_err err = { 0 };
    ken_cli__notify("RELOADING=1");
    if (ken_web_reload(web, &err))
        KEN_LOG_ERR("serve", "not reloaded: %s", err.msg);
    else
        KEN_LOG_NOTE("serve", "reloaded");
    ken_cli__notify("READY=1");
}

// Until a signal asks for the end.
static void serve_until_signal(ken_web *web, int signal_fd)
{
    int every_ms = ken_cli__watchdog_ms();
    for (;;) {
        struct pollfd fd = { .fd = signal_fd, .events = POLLIN };
        struct signalfd_siginfo info;
        int n = poll(&fd, 1, every_ms);
        if (!n)
            ken_cli__notify("WATCHDOG=1");
        if (n <= 0 || read(signal_fd, &info, sizeof info) != (ssize_t)sizeof info)
            continue;
        if (info.ssi_signo != SIGHUP)
            return;
        reload(web);
    }
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
    ken_cli__notify("READY=1");
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
        st = ken_cli__watch_signals(&signal_fd, err);
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
        ken_app_warm(x->app);
        serve_until_signal(web, signal_fd);
        ken_cli__notify("STOPPING=1");
        ken_cli__let_signals_through();
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
    { "max-running", 0, CLI_VALUE, "N", "jobs to run at once; 0 = none, workers do (ken worker)",
      NULL },
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
