// SPDX-License-Identifier: MIT
// proc_git.h -- the door to git: a child process that only reads, and runs no other program; and a
// second one for clones that ken keeps of remote repositories.
//
// A repository's files may come from anybody, its .git folder and settings included. So only the
// commands that proc_git.c lists are run, each with the options that keep it from starting another
// program; settings that name programs are turned off; filters too, which have names of their own;
// the network is closed; and what this process was started with (GIT_*) does not count. Of git's
// files those that would make it wait are looked at first. README.md has the whole list.
//
// Its output to stderr is masked: secrets, and user names in URLs.
//
// Ownership, threads: as ken_proc_run. Errors: as there; KEN_EINVAL for a command that is not
// listed; KEN_EUNSUPPORTED when a file of the repository is a pipe, a socket or a device.
#ifndef KEN_PROC_PROC_GIT_H
#define KEN_PROC_PROC_GIT_H

#include "base/arena.h"
#include "proc/proc.h"

// `argv` is what follows "git", the command first; `env` comes on top of what makes it safe. A
// stall_ms of 0 is 10 s here.
ken_status ken_git_run(const ken_proc_opts *opts, ken_proc_result *out, ken_err *err) KEN_MUST_USE;
// The same for a command that stays and is asked (ken_proc_talk_open); a stall_ms of 0 is 30 s.
ken_status ken_git_talk(const ken_proc_opts *opts, ken_proc_talk **out, ken_err *err) KEN_MUST_USE;
// The same without a repository, wherever `cwd` is: for commands that compare or merge plain files.
ken_status ken_git_run_alone(const ken_proc_opts *opts, ken_proc_result *out, ken_err *err)
    KEN_MUST_USE;

// What a run in a clone may reach. A clone is a repository that ken made itself, so its settings are ken's.
typedef struct ken_git_reach {
    const char *protocols; // of remotes, as GIT_ALLOW_PROTOCOL has them: "https:ssh"; "" = none
    // Of the https remote that a token of the environment is for (see README.md); NULL = none.
    const char *url;
} ken_git_reach;

// The same in a clone, with the commands that make it, fetch and check out. Settings of the user count that
// say how to reach a remote: credential helpers, proxies, certificates. Hooks, filters and what else would
// run a program stays off, nobody is prompted. A stall_ms of 0 is two minutes here.
ken_status ken_git_run_clone(const ken_proc_opts *opts, const ken_git_reach *reach,
                             ken_proc_result *out, ken_err *err) KEN_MUST_USE;

// What KEN_GIT_TOKEN_<HOST> of the environment says for the host of the URL, a token that is sent to it alone;
// NULL = nothing.
const char *ken_git_find_token(ken_str url, ken_arena *arena);
// Where git is: an absolute path, links resolved. KEN_ENOTFOUND.
ken_status ken_git_find(ken_arena *arena, ken_str *out, ken_err *err) KEN_MUST_USE;

#endif
