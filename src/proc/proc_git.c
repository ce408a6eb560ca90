// SPDX-License-Identifier: MIT
#include "proc/proc_git.h"

#include "base/vec.h"

static const char *const git_env[] = {
    "GIT_TERMINAL_PROMPT=0",
    "GIT_OPTIONAL_LOCKS=0", // we only look
    "GIT_NO_LAZY_FETCH=1",
    "LC_ALL=C",
    // Whoever started us may have been started by git (a hook) for another repository.
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
    "GIT_TRACE",
    "GIT_TRACE2",
};

static const char *const git_argv[] = {
    "git",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.untrackedCache=false",
    "-c",
    "protocol.allow=never",
};

typedef KEN_VEC(const char *) word_vec;

// Appends words that end with NULL, and the NULL.
static void put_all(word_vec *v, const char *const *words)
{
    for (; words && *words; words++)
        ken_vec_push(v, *words);
    ken_vec_push(v, NULL);
}

ken_status ken_git_run(const ken_proc_opts *opts, ken_proc_result *out, ken_err *err)
{
    word_vec argv = { 0 }, env = { 0 };
    for (size_t i = 0; i < sizeof git_argv / sizeof git_argv[0]; i++)
        ken_vec_push(&argv, git_argv[i]);
    for (size_t i = 0; i < sizeof git_env / sizeof git_env[0]; i++)
        ken_vec_push(&env, git_env[i]);
    put_all(&argv, opts->argv);
    put_all(&env, opts->env);
    ken_proc_opts full = *opts;
    full.argv = argv.ptr;
    full.env = env.ptr;
    ken_status st = ken_proc_run(&full, out, err);
    ken_vec_release(&argv);
    ken_vec_release(&env);
    return st;
}
