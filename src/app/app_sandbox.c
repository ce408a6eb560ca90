// SPDX-License-Identifier: MIT
// What `ken index` and `ken mcp` keep when they enter the sandbox.
//
// Programs are started from the system's folders and from git's own only, and no system call of the
// list is answered. Files are changed in the data folder, in that for temporary files and, by a
// server that offers rag_setup, in the folders that may be set up: the project it is bound to, or
// those in projects.roots with all that are known. A server without either may be asked to set up any
// project that is named later, so it may change files wherever its owner may.
#include "app/app_priv.h"
#include "base/path.h"
#include "proc/proc_git.h"
#include "sandbox/sandbox.h"

typedef KEN_VEC(const char *) path_vec;

typedef struct policy {
    ken_app *app;
    ken_arena *arena;
    bool limits_writes, limits_reads;
    path_vec write, execute, read;
} policy;

static void put(policy *p, path_vec *v, ken_str path)
{
    if (path.len)
        ken_vec_push(v, ken_arena_dup(p->arena, path).ptr);
}

static void allow_own(policy *p)
{
    // Its folders may be links to a larger disk.
    static const char *const parts[] = { "indexes", "models", "config" };
    ken_str data = ken_config_data_dir(p->app->config);
    const char *temp = ken_proc_env("TMPDIR");
    put(p, &p->write, data);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        put(p, &p->write, ken_path_join(p->arena, data, ken_str_c(parts[i])));
    put(p, &p->write, ken_str_c(temp && *temp == '/' ? temp : "/tmp"));
    // A full log is renamed in its folder.
    ken_str log = ken_config_log_file(p->app->config);
    if (log.len)
        put(p, &p->write, ken_path_dir(log));
}

// git may be of one's own, with the folder that it has its parts in.
static void allow_git(policy *p)
{
    static const char *const parts[] = { "libexec/git-core", "lib/git-core" };
    ken_str git;
    if (ken_git_find(p->arena, &git, NULL))
        return;
    ken_str bin = ken_path_dir(git);
    put(p, &p->execute, bin);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        put(p, &p->execute, ken_path_join(p->arena, ken_path_dir(bin), ken_str_c(parts[i])));
}

// Where rag_setup may write. Without projects.roots, or when a folder of it does not exist yet: anywhere.
static void allow_projects(policy *p)
{
    const ken_str *entries;
    ken_str *roots;
    ken_project_info *known;
    size_t n_known = 0, n_entries = ken_config_list(p->app->config, KEN_CFG_ROOTS, &entries);
    size_t n = ken_app_list_roots(p->app, p->arena, &roots);
    p->limits_writes = n > 0 && n == n_entries;
    if (!p->limits_writes)
        return;
    for (size_t i = 0; i < n; i++)
        put(p, &p->write, roots[i]);
    // Of a catalog that cannot be read no project can be asked about.
    if (ken_app_list_projects(p->app, p->arena, &known, &n_known, NULL))
        n_known = 0;
    for (size_t i = 0; i < n_known; i++)
        put(p, &p->write, known[i].root);
}

static void put_roots(policy *p, const ken_project_info *project)
{
    const ken_roots more = ken_app_roots(project, p->arena);
    put(p, &p->read, project->root);
    for (size_t i = 0; i < more.n; i++)
        put(p, &p->read, more.more[i].path);
}

// strict: the projects that are known now and those of projects.roots, and what the settings name.
static void allow_reading(policy *p, const ken_project_info *only)
{
    static const ken_config_key files[] = { KEN_CFG_SERVER_TLS_CERT, KEN_CFG_SERVER_TLS_KEY };
    ken_project_info *known;
    ken_str *roots;
    size_t n = 0;
    if (only)
        put_roots(p, only);
    else if (!ken_app_list_projects(p->app, p->arena, &known, &n, NULL))
        for (size_t i = 0; i < n; i++)
            put_roots(p, &known[i]);
    n = only ? 0 : ken_app_list_roots(p->app, p->arena, &roots);
    for (size_t i = 0; i < n; i++)
        put(p, &p->read, roots[i]);
    put(p, &p->read, ken_path_dir(ken_config_user_file(p->app->config)));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        ken_str file = ken_config_str(p->app->config, files[i]);
        if (file.len)
            put(p, &p->read, ken_path_dir(file));
    }
}

static ken_status enter(policy *p, const ken_project_info *only, bool is_index, bool is_required,
                        ken_err *err)
{
    ken_sandbox done;
    p->limits_writes = true;
    if (!is_index && !ken_config_bool(p->app->config, KEN_CFG_READ_ONLY)) {
        if (only)
            put(p, &p->write, only->root);
        else
            allow_projects(p);
    }
    // What is not there yet could not be made later. Where it cannot be made, nothing could be.
    ken_status made =
        p->limits_writes ? ken_fs_make_dirs(p->app->index_dir.ptr, 0700, NULL) : KEN_OK;
    (void)made;
    allow_own(p);
    allow_git(p);
    if (p->limits_reads)
        allow_reading(p, only);
    const ken_sandbox_opts o = {
        .execute = { p->execute.ptr, p->execute.len },
        .limits_writes = p->limits_writes,
        .write = { p->write.ptr, p->write.len },
        .limits_reads = p->limits_reads,
        .read = { p->read.ptr, p->read.len },
    };
    ken_status st = ken_sandbox_enter(&o, &done, err);
    if (!st && is_required && (!done.landlock || !done.denies_calls))
        return KEN_FAIL(err, KEN_EUNSUPPORTED,
                        "it is wanted, and this kernel has no %s; 'auto' goes on without",
                        done.landlock ? "filters of system calls" : "Landlock");
    return st;
}

ken_status ken_app_enter_sandbox(ken_app *app, const ken_project_info *only, bool is_index,
                                 ken_err *err)
{
    ken_str mode = ken_config_str(app->config, KEN_CFG_SANDBOX);
    if (ken_str_eq(mode, KEN_STR("off")))
        return KEN_OK;
    ken_arena a;
    ken_arena_init(&a, 0);
    policy p = { .app = app, .arena = &a, .limits_reads = ken_str_eq_c(mode, "strict") };
    ken_status st = enter(&p, only, is_index, p.limits_reads || ken_str_eq_c(mode, "on"), err);
    ken_vec_release(&p.write);
    ken_vec_release(&p.execute);
    ken_vec_release(&p.read);
    ken_arena_release(&a);
    return st ? ken_err_wrap(err, "security.sandbox (KEN_SANDBOX=off turns it off)") : KEN_OK;
}
