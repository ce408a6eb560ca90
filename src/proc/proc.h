// SPDX-License-Identifier: MIT
// proc.h -- running a child process and collecting what it prints.
//
// An argument vector, never a shell. A program is an absolute path, or a bare name that is looked up
// in the folders of PATH as it was when ken started, less those that a project could have put there
// (proc_path.c has the rule); never in the folder of the child. Its environment is made from nothing:
// HOME, USER, LOGNAME, TMPDIR and TZ of ours, that PATH, the C locale, and what the caller adds.
// The child gets /dev/null as its input, pipes as its outputs,
// no other descriptor of ours, default signal handling and a process group of its own; on timeout,
// cancel or too much output the whole group is killed, and whatever it leaves running when it ends
// is killed too. It never inherits our stdout, which belongs to a protocol.
//
// Ownership: the caller releases a ken_proc_result after success. Threads: any, at any time.
// Errors: KEN_ENOTFOUND no such program or folder, KEN_ETIMEOUT (also for a stall), KEN_ECANCELLED,
// KEN_ELIMIT too much output. A program that ran and failed is not an error here: see exit_code.
#ifndef KEN_PROC_PROC_H
#define KEN_PROC_PROC_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/cancel.h"
#include "base/err.h"

typedef struct ken_proc_opts {
    const char *const *argv; // ends with NULL; argv[0]: a bare name or an absolute path
    const char *cwd;         // NULL = ours
    // On top of the few that every child gets; ends with NULL: "NAME=value" sets, "NAME" removes.
    // NULL = nothing.
    const char *const *env;
    int64_t timeout_ms; // 0 = 60 s
    int64_t
        stall_ms; // ends it when it printed nothing and used no processor for so long; 0 = never
    size_t max_out_bytes; // 0 = 64 MiB
    const ken_cancel *cancel;
    int held_fd; // stays open in it, so that a lock is held until it has ended; 0 = none
    // Gets what it prints, piece by piece, on the caller's thread; then `out` of the result is
    // empty. NULL = it is collected.
    void (*on_out)(void *ctx, ken_str part);
    void *out_ctx;
} ken_proc_opts;

typedef struct ken_proc_result {
    int exit_code; // 0 … 255, or -1 when a signal ended it
    int signal;    // 0 when it exited by itself
    ken_buf out;
    ken_buf errors; // the first 16 KiB of stderr
} ken_proc_result;

ken_status ken_proc_run(const ken_proc_opts *opts, ken_proc_result *out, ken_err *err) KEN_MUST_USE;
void ken_proc_result_release(ken_proc_result *r);

// A child that stays: it is asked a line at a time by its input and answers on its output. What it writes to
// stderr is dropped. Of the options argv, cwd, env and stall_ms count; a call ends with KEN_ETIMEOUT when
// the child prints nothing for so long (0 = 30 s), with KEN_EIO when it has ended. After a failure it is
// of no more use. One thread at a time; it ends with ken_proc_talk_close, and with this process.
typedef struct ken_proc_talk ken_proc_talk;
ken_status ken_proc_talk_open(const ken_proc_opts *opts, ken_proc_talk **out, ken_err *err)
    KEN_MUST_USE;
void ken_proc_talk_close(ken_proc_talk *t); // NULL is fine
// Sends `question`, and reads its answer's first line, without the line break, into `out` (cleared first;
// its limit bounds the line).
ken_status ken_proc_talk_ask(ken_proc_talk *t, ken_str question, const ken_cancel *cancel,
                             ken_buf *out, ken_err *err) KEN_MUST_USE;
// The next `n` bytes of the answer; `into` NULL passes over them.
ken_status ken_proc_talk_read(ken_proc_talk *t, void *into, uint64_t n, const ken_cancel *cancel,
                              ken_err *err) KEN_MUST_USE;

// Hands the terminal to a program that a person works in (an editor): it gets our input, outputs and whole
// environment, in our process group, for as long as it takes. Found as above. `*out_code`: 0 … 255, or -1
// when a signal ended it.
ken_status ken_proc_run_on_terminal(const char *const *argv, int *out_code, ken_err *err)
    KEN_MUST_USE;

// The first line of its stderr, for a message; "" when there was none. Borrowed from `r`.
ken_str ken_proc_complaint(const ken_proc_result *r);

// Takes PATH and the working directory down, on which all later look-ups of programs depend. The
// first thing that a process does; without it the first child is the moment.
void ken_proc_start(void);

// A variable of our environment; borrowed, NULL when it is not set.
const char *ken_proc_env(const char *name);

#endif
