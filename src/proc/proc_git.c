// SPDX-License-Identifier: MIT
// The one place that decides what git may do: the commands, their options, the settings and the
// environment. What cannot be named in advance, the filters, is asked of git itself (`git config`
// runs nothing), with the same includes and conditions that the command after it will see.
#include "proc/proc_git.h"

#include <sys/stat.h>

#include "base/base64.h"
#include "base/path.h"
#include "base/url.h"
#include "base/vec.h"
#include "proc/proc_priv.h"
#include "secret/secret.h"

enum {
    STALL_MS = 10000,
    CLONE_STALL_MS = 120000,
    SETTINGS_MS = 10000,
    SETTINGS_BYTES = 1 << 20,
    OPTIONS_MAX = 5,
    LINK_BYTES = 4096, // of a .git file and of commondir
};

// ---- the commands -----------------------------------------------------------------------------

typedef struct git_command {
    const char *name;
    bool reads_files; // of the work tree, through the filters that attributes name
    const char *options[OPTIONS_MAX];
} git_command;

static const git_command git_commands[] = {
    { "--version", false, { NULL } },
    { "blame", true, { "--no-textconv" } },
    { "cat-file", false, { NULL } },
    { "diff", true, { "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all" } },
    { "hash-object", false, { "--no-filters" } },
    { "log", false, { "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-color" } },
    { "ls-files", false, { NULL } },
    { "ls-tree", false, { NULL } },
    { "merge-base", false, { NULL } },
    { "merge-file", false, { NULL } },
    { "rev-list", false, { NULL } },
    { "rev-parse", false, { NULL } },
    { "show", false, { "--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-color" } },
    { "status", true, { "--ignore-submodules=all" } },
};

// In a clone only.
static const git_command clone_commands[] = {
    { "checkout", true, { "--quiet", "--force", "--no-recurse-submodules" } },
    { "clean", true, { "--quiet", "-ffdx" } },
    { "config", false, { "--local" } },
    { "fetch",
      false,
      { "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head" } },
    { "gc", false, { "--quiet" } },
    { "init", false, { "--quiet", "--template=" } },
    { "ls-remote", false, { "--quiet" } },
};

static const git_command *find_in(const git_command *list, size_t n, const char *name)
{
    for (size_t i = 0; name && i < n; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}

static const git_command *find_command(const char *name, bool is_clone)
{
    const git_command *found =
        find_in(git_commands, sizeof git_commands / sizeof *git_commands, name);
    if (!found && is_clone)
        found = find_in(clone_commands, sizeof clone_commands / sizeof *clone_commands, name);
    return found;
}

// ---- settings and environment -----------------------------------------------------------------

// Settings that make git start a program or change its output, from any source.
static const char *const git_settings[] = {
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.pager=cat",
    "core.editor=:",
    "core.askPass=",
    "core.gitProxy=none",
    "core.alternateRefsCommand=",
    "gpg.program=false",
    "log.showSignature=false",
    "advice.graftFileDeprecated=false",
    "safe.bareRepository=explicit", // a folder with the layout of a repository is none
    "submodule.recurse=false",
    "core.quotePath=false",
    "status.relativePaths=true",
};

// And those that would reach a remote.
static const char *const local_settings[] = {
    "core.sshCommand=false",
    "credential.helper=", // empties the list
    "protocol.allow=never",
};

// In a clone: nothing runs behind ken's back, and a remote that is gone is noticed.
static const char *const clone_settings[] = {
    "core.logAllRefUpdates=false",
    "core.sparseCheckoutCone=false",
    "credential.interactive=never",
    "fetch.writeCommitGraph=false",
    "gc.auto=0",
    "gc.autoDetach=false",
    "http.lowSpeedLimit=100",
    "http.lowSpeedTime=60",
    "maintenance.auto=false",
    "transfer.bundleURI=false",
};

// GIT_* are never inherited. Those that name programs are set, since an empty place would be filled
// from settings; so are those that could write files (traces) or reach the network.
static const char *const git_env[] = {
    "GIT_TERMINAL_PROMPT=0",
    "GIT_NO_REPLACE_OBJECTS=1",
    "GIT_GRAFT_FILE=/dev/null",
    "GIT_ASKPASS=false",
    "SSH_ASKPASS=false",
    "GIT_PAGER=cat",
    "GIT_EDITOR=:",
    "GIT_SEQUENCE_EDITOR=:",
    "GIT_ATTR_NOSYSTEM=1",
    "GIT_TRACE=0",
    "GIT_TRACE2=0",
    "GIT_TRACE2_EVENT=0",
    "GIT_TRACE2_PERF=0",
};

static const char *const local_env[] = {
    "GIT_OPTIONAL_LOCKS=0", // we only read
    "GIT_NO_LAZY_FETCH=1",
    "GIT_ALLOW_PROTOCOL=", // none; unlike protocol.allow no setting is above it
    "GIT_SSH_COMMAND=false", "GIT_PROXY_COMMAND=false",
};

static const char *const clone_env[] = {
    "GIT_SSH_COMMAND=ssh -o BatchMode=yes -o ConnectTimeout=20 -o ServerAliveInterval=15 "
    "-o ServerAliveCountMax=4",
};

// The places of the user's settings, and those that git must ignore: none of them adds a program to run.
static const char *const git_env_kept[] = { "XDG_CONFIG_HOME", "GIT_CONFIG_NOSYSTEM",
                                            "GIT_CEILING_DIRECTORIES" };

// How to reach remotes.
static const char *const clone_env_kept[] = {
    "SSH_AUTH_SOCK", "ALL_PROXY", "all_proxy",    "HTTPS_PROXY",   "https_proxy",    "http_proxy",
    "NO_PROXY",      "no_proxy",  "SSL_CERT_DIR", "SSL_CERT_FILE", "GIT_SSL_CAINFO",
};

typedef KEN_VEC(const char *) word_vec;

// One run of git: what its words and its environment become. Texts that are made live in the arena.
typedef struct git_run {
    ken_arena arena;
    word_vec argv, env;
    unsigned n_settings; // GIT_CONFIG_KEY_n
} git_run;

static void put_all(word_vec *v, const char *const *words, size_t max)
{
    for (size_t i = 0; words && i < max && words[i]; i++)
        ken_vec_push(v, words[i]);
}

#define COUNT_OF(list)        (sizeof(list) / sizeof *(list))
#define PUT_ALL(v, list)      put_all(v, list, COUNT_OF(list))
#define PUT_SETTINGS(r, list) put_settings(r, list, COUNT_OF(list))
#define KEEP_ENV(r, list)     keep_env(r, list, COUNT_OF(list))

static void put_settings(git_run *r, const char *const *settings, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ken_vec_push(&r->argv, "-c");
        ken_vec_push(&r->argv, settings[i]);
    }
}

static void keep_env(git_run *r, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *value = ken_proc_env(names[i]);
        if (value)
            ken_vec_push(&r->env, ken_arena_printf(&r->arena, "%s=%s", names[i], value).ptr);
    }
}

// A setting that is not to be seen in the list of processes.
static void set_hidden(git_run *r, ken_str name, const char *value)
{
    unsigned n = r->n_settings++;
    ken_vec_push(
        &r->env,
        ken_arena_printf(&r->arena, "GIT_CONFIG_KEY_%u=" KEN_STR_FMT, n, KEN_STR_ARG(name)).ptr);
    ken_vec_push(&r->env, ken_arena_printf(&r->arena, "GIT_CONFIG_VALUE_%u=%s", n, value).ptr);
}

// The host with its port; empty when there is none.
static ken_str host_of(ken_str url)
{
    size_t at = ken_str_find(url, KEN_STR("://"));
    ken_str rest = at == SIZE_MAX ? KEN_STR("") : ken_str_sub(url, at + 3, url.len);
    return ken_str_sub(rest, 0, ken_str_find_char(rest, '/'));
}

// KEN_GIT_TOKEN_<HOST>, the host in capitals with "_" for what is neither letter nor digit.
const char *ken_git_find_token(ken_str url, ken_arena *arena)
{
    ken_str prefix = KEN_STR("KEN_GIT_TOKEN_"), host = host_of(url);
    if (!host.len)
        return NULL;
    char *name = ken_arena_zalloc(arena, prefix.len + host.len + 1);
    memcpy(name, prefix.ptr, prefix.len);
    for (size_t i = 0; i < host.len; i++) {
        char c = host.ptr[i];
        if (ken_is_alpha(c) && !ken_is_upper(c))
            c = (char)(c - 'a' + 'A');
        name[prefix.len + i] = ken_is_upper(c) || ken_is_digit(c) ? c : '_';
    }
    const char *token = ken_proc_env(name);
    return token && *token ? token : NULL;
}

// The token is sent to its host alone: git's setting is bound to the address.
static void put_token(git_run *r, const char *url)
{
    ken_str host = host_of(ken_str_c(url));
    const char *token = ken_str_starts(ken_str_c(url), KEN_STR("https://"))
                            ? ken_git_find_token(ken_str_c(url), &r->arena)
                            : NULL;
    if (!token)
        return;
    ken_str pair = ken_arena_printf(&r->arena, "x-access-token:%s", token);
    char *coded = ken_arena_alloc(&r->arena, KEN_BASE64_LEN(pair.len) + 1);
    ken_base64_into(pair.ptr, pair.len, coded);
    ken_str key =
        ken_arena_printf(&r->arena, "http.https://" KEN_STR_FMT "/.extraHeader", KEN_STR_ARG(host));
    set_hidden(r, key, ken_arena_printf(&r->arena, "Authorization: Basic %s", coded).ptr);
}

// `reach` NULL: a repository of anybody, which is only read.
static void run_init(git_run *r, const ken_git_reach *reach)
{
    *r = (git_run){ .n_settings = 0 };
    ken_arena_init(&r->arena, 0);
    ken_vec_push(&r->argv, "git");
    ken_vec_push(&r->argv, "--no-pager");
    PUT_SETTINGS(r, git_settings);
    PUT_ALL(&r->env, git_env);
    KEEP_ENV(r, git_env_kept);
    if (!reach) {
        PUT_SETTINGS(r, local_settings);
        PUT_ALL(&r->env, local_env);
        return;
    }
    PUT_SETTINGS(r, clone_settings);
    PUT_ALL(&r->env, clone_env);
    KEEP_ENV(r, clone_env_kept);
    ken_vec_push(&r->env,
                 ken_arena_printf(&r->arena, "GIT_ALLOW_PROTOCOL=%s", reach->protocols).ptr);
    if (reach->url)
        put_token(r, reach->url);
}

static void run_release(git_run *r)
{
    ken_vec_release(&r->argv);
    ken_vec_release(&r->env);
    ken_arena_release(&r->arena);
}

// Messages quote git's output, cut; so it is masked here, while it is whole. URLs, which git quotes from settings, are
// not judged, as secrets in files are (secret.h): nothing of what stands before "@" is worth showing.
static void mask_complaint(ken_buf *b)
{
    if (!b->len)
        return;
    ken_url_mask_users(b->ptr, b->len);
    ken_secret_mask(b->ptr, b->len);
}

// Ends its words and its environment.
static void run_finish(git_run *r, const ken_proc_opts *o, ken_proc_opts *out)
{
    if (r->n_settings)
        ken_vec_push(&r->env,
                     ken_arena_printf(&r->arena, "GIT_CONFIG_COUNT=%u", r->n_settings).ptr);
    put_all(&r->env, o->env, SIZE_MAX);
    ken_vec_push(&r->argv, NULL);
    ken_vec_push(&r->env, NULL);
    *out = *o;
    out->argv = r->argv.ptr;
    out->env = r->env.ptr;
}

static ken_status run_go(git_run *r, const ken_proc_opts *o, ken_proc_result *out, ken_err *err)
{
    ken_proc_opts full;
    run_finish(r, o, &full);
    if (!full.stall_ms)
        full.stall_ms = STALL_MS;
    ken_status st = ken_proc_run(&full, out, err);
    if (!st)
        mask_complaint(&out->errors);
    return st;
}

// ---- filters ----------------------------------------------------------------------------------

static void set_off(git_run *r, ken_str name)
{
    // An empty command is none; "required" is a truth value.
    set_hidden(r, name, ken_str_ends(name, KEN_STR(".required")) ? "false" : "");
}

// Turns every filter off that any settings define, the user's own too: a repository could choose
// among them, and ken runs nothing but git.
static ken_status filters_off(git_run *r, const ken_proc_opts *o, const char *alone, ken_err *err)
{
    static const char *const argv[] = { "config",
                                        "--name-only",
                                        "-z",
                                        "--get-regexp",
                                        "^filter\\..*\\.(clean|smudge|process|required)$",
                                        NULL };
    git_run asking;
    ken_proc_result names;
    ken_proc_opts ask = { .cwd = o->cwd,
                          .env = o->env,
                          .timeout_ms = SETTINGS_MS,
                          .max_out_bytes = SETTINGS_BYTES,
                          .cancel = o->cancel };
    run_init(&asking, NULL);
    put_all(&asking.argv, argv, SIZE_MAX);
    if (alone)
        ken_vec_push(&asking.env, alone);
    ken_status st = run_go(&asking, &ask, &names, err);
    run_release(&asking);
    if (st)
        return st;
    // 1: there are none. Anything else would leave some unknown, so the command is not run.
    if (names.exit_code > 1 || names.exit_code < 0)
        st = KEN_FAIL(
            err, KEN_EUNSUPPORTED, "git cannot read its settings here: %.*s",
            (int)(ken_proc_complaint(&names).len < 200 ? ken_proc_complaint(&names).len : 200),
            ken_proc_complaint(&names).ptr);
    ken_str rest = ken_buf_str(&names.out), name;
    while (!st && ken_str_split_next(&rest, '\0', &name))
        if (name.len)
            set_off(r, name);
    ken_proc_result_release(&names);
    return st;
}

// ---- files that git would wait for ------------------------------------------------------------

static ken_status check_plain(ken_arena *a, ken_str folder, const char *const *names, ken_err *err)
{
    for (; *names; names++) {
        struct stat s;
        ken_str path = ken_path_join(a, folder, ken_str_c(*names));
        if (!stat(path.ptr, &s) && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode))
            return KEN_FAIL(err, KEN_EUNSUPPORTED,
                            "'" KEN_STR_FMT "' is a pipe, a socket or a device, for which git "
                            "would wait; remove it",
                            KEN_STR_ARG(path));
    }
    return KEN_OK;
}

// The folder that a small file names ("gitdir: X", or X alone), relative to its own; else `none`.
static ken_str read_link_file(ken_arena *a, ken_str folder, const char *name, ken_str prefix,
                              ken_str none)
{
    ken_buf b = KEN_BUF_INIT(LINK_BYTES);
    ken_str path = ken_path_join(a, folder, ken_str_c(name)), found = none;
    if (!ken_fs_read_own(path.ptr, LINK_BYTES, &b, NULL)) {
        ken_str text = ken_str_trim(ken_buf_str(&b));
        if (ken_str_starts(text, prefix) && text.len > prefix.len)
            found = ken_path_join(a, folder, ken_str_trim(ken_str_sub(text, prefix.len, text.len)));
    }
    ken_buf_release(&b);
    return found;
}

// A pipe in place of one of these would make git wait for ever. Those that cannot be named here
// (.gitignore files in folders, included settings) are what the limit on stalls is for.
static ken_status check_files(git_run *r, const char *cwd, ken_err *err)
{
    static const char *const of_tree[] = { ".git",        ".gitignore", ".gitattributes",
                                           ".gitmodules", ".mailmap",   NULL };
    static const char *const of_git_dir[] = {
        "HEAD", "index", "config", "config.worktree", "commondir", "info/sparse-checkout", NULL
    };
    static const char *const of_common[] = { "config",
                                             "packed-refs",
                                             "shallow",
                                             "info/exclude",
                                             "info/attributes",
                                             "objects/info/alternates",
                                             NULL };
    ken_arena *a = &r->arena;
    ken_str here;
    if (ken_path_real(a, ken_str_c(cwd ? cwd : "."), &here, NULL))
        return KEN_OK; // starting git reports why
    for (; here.len > 1; here = ken_path_dir(here)) {
        ken_fs_info info;
        ken_str dot_git = ken_path_join(a, here, KEN_STR(".git"));
        ken_status st = check_plain(a, here, of_tree, err);
        if (st)
            return st;
        if (ken_fs_stat(KEN_FS_CWD, dot_git.ptr, &info, NULL))
            continue;
        ken_str dir = read_link_file(a, here, ".git", KEN_STR("gitdir:"), dot_git);
        st = check_plain(a, dir, of_git_dir, err);
        if (!st)
            st = check_plain(a, read_link_file(a, dir, "commondir", KEN_STR(""), dir), of_common,
                             err);
        return st;
    }
    return KEN_OK;
}

// ---- the door ---------------------------------------------------------------------------------

// `alone`: the entry of the environment that keeps git from looking for a repository, or NULL.
static ken_status run(const ken_proc_opts *o, const char *alone, const ken_git_reach *reach,
                      ken_proc_result *out, ken_err *err)
{
    const char *const *words = o->argv;
    const git_command *command = words ? find_command(words[0], reach != NULL) : NULL;
    if (!command)
        return KEN_FAIL(err, KEN_EINVAL, "git '%s' is not among the commands that are safe to run",
                        words && words[0] ? words[0] : "");
    git_run r;
    run_init(&r, reach);
    ken_status st = alone ? KEN_OK : check_files(&r, o->cwd, err);
    if (alone)
        ken_vec_push(&r.env, alone);
    if (!st && command->reads_files)
        st = filters_off(&r, o, alone, err);
    if (!st) {
        ken_vec_push(&r.argv, command->name);
        put_all(&r.argv, command->options, OPTIONS_MAX);
        put_all(&r.argv, words + 1, SIZE_MAX);
        st = run_go(&r, o, out, err);
    }
    run_release(&r);
    return st;
}

ken_status ken_git_run(const ken_proc_opts *opts, ken_proc_result *out, ken_err *err)
{
    return run(opts, NULL, NULL, out, err);
}

ken_status ken_git_talk(const ken_proc_opts *opts, ken_proc_talk **out, ken_err *err)
{
    const git_command *command = find_command(opts->argv[0], false);
    if (!command || command->reads_files)
        return KEN_FAIL(err, KEN_EINVAL, "git '%s' is not among the commands that are safe to ask",
                        opts->argv[0]);
    git_run r;
    ken_proc_opts full;
    run_init(&r, NULL);
    ken_status st = check_files(&r, opts->cwd, err);
    if (!st) {
        ken_vec_push(&r.argv, command->name);
        put_all(&r.argv, command->options, OPTIONS_MAX);
        put_all(&r.argv, opts->argv + 1, SIZE_MAX);
        run_finish(&r, opts, &full);
        st = ken_proc_talk_open(&full, out, err);
    }
    run_release(&r);
    return st;
}

ken_status ken_git_run_alone(const ken_proc_opts *opts, ken_proc_result *out, ken_err *err)
{
    return run(opts, "GIT_DIR=/dev/null", NULL, out, err);
}

ken_status ken_git_run_clone(const ken_proc_opts *opts, const ken_git_reach *reach,
                             ken_proc_result *out, ken_err *err)
{
    ken_proc_opts own = *opts;
    if (!own.stall_ms)
        own.stall_ms = CLONE_STALL_MS;
    return run(&own, NULL, reach, out, err);
}

ken_status ken_git_find(ken_arena *arena, ken_str *out, ken_err *err)
{
    const char *path;
    ken_status st = ken_proc__find("git", NULL, arena, &path, err);
    if (!st)
        *out = ken_str_c(path);
    return st;
}
