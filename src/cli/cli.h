// SPDX-License-Identifier: MIT
// cli.h -- the command line: the table of commands, and running one of them.
//
// docs/cli.md has every command, JSON shape and exit code. Answers go to stdout, talk to stderr.
// Threads: once per process, on the main thread.
#ifndef KEN_CLI_CLI_H
#define KEN_CLI_CLI_H

// Runs the command that `argv` names and returns the exit code: 0 ok, 1 failed, 2 usage, 130
// interrupted.
int ken_cli_main(int argc, char **argv);

#endif
