// SPDX-License-Identifier: MIT
// proc_git.h -- git as a child process that only looks.
//
// Everything is off that the settings of a repository, or of whoever started us, could make git run
// or change: hooks, monitors, prompts, the network, locks, other repositories than that of `cwd`.
// Diffs say --no-ext-diff and --no-textconv themselves; filters: see history_git.c.
//
// Ownership, threads, errors: as ken_proc_run.
#ifndef KEN_PROC_PROC_GIT_H
#define KEN_PROC_PROC_GIT_H

#include "proc/proc.h"

// `argv` is what follows "git"; `env` comes on top of what makes it safe.
ken_status ken_git_run(const ken_proc_opts *opts, ken_proc_result *out, ken_err *err) KEN_MUST_USE;

#endif
