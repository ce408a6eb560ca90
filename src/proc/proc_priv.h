// SPDX-License-Identifier: MIT
// proc_priv.h -- what the files of this folder share.
#ifndef KEN_PROC_PROC_PRIV_H
#define KEN_PROC_PROC_PRIV_H

#include <sys/types.h>

#include "base/arena.h"
#include "base/fs.h"
#include "proc/proc.h"

// As if the process began now, with another PATH or in another folder: for tests of that. No other
// thread may be in this module.
void ken_proc__start_again(void);
// "PATH=…" for children: the folders that count. Lives as long as the process.
const char *ken_proc__path_entry(void);
// The absolute path, links resolved, of a program by its name; an absolute path as it is.
// KEN_ENOTFOUND, KEN_EINVAL for a relative path.
ken_status ken_proc__find(const char *name, const char *cwd, ken_arena *arena, const char **out,
                          ken_err *err) KEN_MUST_USE;

// ---- proc.c ----
// A pipe that closes on exec, of which ours, the end that is read, never blocks. An errno, 0 = done.
int ken_proc__make_pipe(int ends[2]);
// Starts the program with these descriptors; `in_r` -1: its input is empty; `err_w` -1: what it
// complains of is dropped. An errno, 0 = done.
int ken_proc__spawn(const ken_proc_opts *o, const char *program, int in_r, int out_w, int err_w,
                    pid_t *out_pid);

#endif
