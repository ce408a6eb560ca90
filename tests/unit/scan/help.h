// SPDX-License-Identifier: MIT
// help.h -- trees, git and readable scan results for the tests of scan.
#ifndef KEN_TESTS_SCAN_HELP_H
#define KEN_TESTS_SCAN_HELP_H

#include "ktest.h"
#include "scan/scan.h"

// Runs git in ktest_dir()/rel with a home folder of the test; fails the test when git does.
// Arguments end with NULL. Returns what it printed, alive until the test ends.
ken_str help_git(const char *rel, ...);
bool help_has_git(void);
// A new repository in ktest_dir()/rel.
void help_git_init(const char *rel);
// `git add -A` and a commit.
void help_git_commit(const char *rel);

// ktest_dir()/rel, alive until the process ends: a test may use as many as it likes.
const char *help_path(const char *rel);
// Writes a file with its folders into ktest_dir()/rel.
void help_write(const char *rel, ken_str text);
// Writes one line into it.
void help_touch(const char *rel);

// Scans ktest_dir()/rel. One line per entry, in order: "path" for files, "path: reason" for skips,
// alive until the test ends. Fails the test when the scan does.
const char *help_scan(const char *rel, const ken_scan_opts *opts);
// Only the files.
const char *help_files(const char *rel, const ken_scan_opts *opts);

// The home folder of the test; without settings until somebody writes some.
const char *help_home(void);

// A copy of an environment variable, "" when it is not set.
const char *help_env(const char *name);

// A small generator: the same numbers on every machine.
uint32_t help_random(uint64_t *state, uint32_t below);

#endif
