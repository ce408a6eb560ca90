// SPDX-License-Identifier: MIT
// cli_service_priv.h -- what commands that stay have in common: signals, and the service manager.
#ifndef KEN_CLI_CLI_SERVICE_PRIV_H
#define KEN_CLI_CLI_SERVICE_PRIV_H

#include <stdbool.h>

#include "base/err.h"

// Tells the service manager; without one nothing happens.
void ken_cli__notify(const char *state);
// Whether the pid of a variable of its is ours.
bool ken_cli__is_for_us(const char *pid);
// How often the watchdog wants to hear of us, in ms; -1 = never.
int ken_cli__watchdog_ms(void);

// SIGTERM, SIGINT and SIGHUP become readable at `*out_fd`; before any thread is started.
ken_status ken_cli__watch_signals(int *out_fd, ken_err *err) KEN_MUST_USE;
// A second signal ends at once.
void ken_cli__let_signals_through(void);

#endif
