// SPDX-License-Identifier: MIT
// Where programs are found. PATH and the working directory are taken down once, when the process starts;
// PATH may come from a shell that a project has changed (npm, direnv, a careless ".") and must not
// lead to a program that the project brings along. A folder of PATH counts only when
//   - it is absolute and without "..", exists, and is a folder that not everybody may write;
//   - it is of the system (the list below), or it belongs to root or to us, no part of it is called
//     node_modules, and it is not inside the work tree around the folder that ken was started in.
// The same holds for the program itself, with links resolved, and in addition it is never taken
// from the work tree that the child runs in. Nothing is ever looked up in a child's folder.
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/path.h"
#include "proc/proc_priv.h"

enum {
    FOLDERS_MAX = 64,
    PATH_TEXT_MAX = 32768,
};

// Fixed at the first use; afterwards only read.
static struct {
    pthread_once_t once;
    ken_arena arena;
    ken_str tree; // the work tree around the folder we were started in; empty = none
    const char *folders[FOLDERS_MAX];
    size_t n_folders;
    const char *joined; // "PATH=…" of the folders
} known = { .once = PTHREAD_ONCE_INIT };

// Only administrators can write there.
static bool is_of_system(ken_str path)
{
    static const char *const tops[] = { "/usr/",
                                        "/bin/",
                                        "/sbin/",
                                        "/opt/",
                                        "/nix/",
                                        "/gnu/",
                                        "/snap/",
                                        "/run/current-system/",
                                        "/home/linuxbrew/.linuxbrew/" };
    for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) {
        ken_str top = ken_str_c(tops[i]);
        if (ken_str_starts(path, top) || ken_str_eq(path, ken_str_sub(top, 0, top.len - 1)))
            return true;
    }
    return false;
}

static bool has_part(ken_str path, ken_str name)
{
    ken_str part;
    while (ken_str_split_next(&path, '/', &part))
        if (ken_str_eq(part, name))
            return true;
    return false;
}

// The nearest folder at or above `dir` that holds a .git; without one `dir` itself, unless it is
// the root, the home folder or one above that.
static ken_str tree_around(ken_arena *a, ken_str dir)
{
    for (ken_str at = dir; at.len > 1; at = ken_path_dir(at))
        if (ken_fs_exists(ken_path_join(a, at, KEN_STR(".git")).ptr))
            return at;
    const char *home = ken_proc_env("HOME");
    ken_str real_home;
    if (home && *home == '/' && !ken_path_real(a, ken_str_c(home), &real_home, NULL) &&
        ken_path_is_under(dir, real_home))
        return KEN_STR("");
    return dir.len > 1 ? dir : KEN_STR("");
}

// Whether what `real` (links resolved) names may be relied on.
static bool is_trusted(ken_str real, const struct stat *s, ken_str tree)
{
    if (s->st_mode & S_IWOTH)
        return false;
    if (is_of_system(real))
        return true;
    return (s->st_uid == 0 || s->st_uid == geteuid()) && !has_part(real, KEN_STR("node_modules")) &&
           !(tree.len && ken_path_is_under(tree, real));
}

static void take_folder(ken_str entry)
{
    struct stat s;
    ken_str real;
    ken_arena *a = &known.arena;
    if (!entry.len || entry.ptr[0] != '/' || has_part(entry, KEN_STR("..")) ||
        known.n_folders == FOLDERS_MAX || ken_path_real(a, entry, &real, NULL) ||
        stat(real.ptr, &s) || !S_ISDIR(s.st_mode) || !is_trusted(real, &s, known.tree))
        return;
    for (size_t i = 0; i < known.n_folders; i++)
        if (ken_str_eq_c(real, known.folders[i]))
            return;
    known.folders[known.n_folders++] = real.ptr;
}

static void learn(void)
{
    ken_arena *a = &known.arena;
    ken_arena_init(a, 4096);
    ken_str here;
    if (!ken_path_real(a, KEN_STR("."), &here, NULL))
        known.tree = tree_around(a, here);
    const char *text = ken_proc_env("PATH");
    ken_str rest = ken_str_c(text ? text : "/usr/local/bin:/usr/bin:/bin"), entry;
    rest = ken_str_sub(rest, 0, PATH_TEXT_MAX);
    while (ken_str_split_next(&rest, ':', &entry))
        take_folder(entry);
    ken_buf joined = KEN_BUF_INIT(0);
    ken_buf_puts(&joined, "PATH=");
    for (size_t i = 0; i < known.n_folders; i++)
        ken_buf_printf(&joined, "%s%s", i ? ":" : "", known.folders[i]);
    if (!known.n_folders)
        ken_buf_puts(&joined, "/usr/bin:/bin");
    known.joined = ken_arena_dup(a, ken_buf_str(&joined)).ptr;
    ken_buf_release(&joined);
}

void ken_proc_start(void)
{
    pthread_once(&known.once, learn);
}

void ken_proc__start_again(void)
{
    ken_proc_start();
    ken_arena_release(&known.arena);
    known.n_folders = 0;
    known.tree = KEN_STR("");
    learn();
}

const char *ken_proc__path_entry(void)
{
    ken_proc_start();
    return known.joined;
}

ken_status ken_proc__find(const char *name, const char *cwd, ken_arena *arena, const char **out,
                          ken_err *err)
{
    ken_proc_start();
    if (name[0] == '/') {
        *out = name;
        return KEN_OK;
    }
    if (!*name || strchr(name, '/'))
        return KEN_FAIL(err, KEN_EINVAL, "program '%s': expected a bare name or an absolute path",
                        name);
    ken_str here, tree = known.tree;
    if (cwd && !ken_path_real(arena, ken_str_c(cwd), &here, NULL))
        tree = tree_around(arena, here);
    for (size_t i = 0; i < known.n_folders; i++) {
        struct stat s;
        ken_str real, path = ken_arena_printf(arena, "%s/%s", known.folders[i], name);
        if (!ken_path_real(arena, path, &real, NULL) && !stat(real.ptr, &s) && S_ISREG(s.st_mode) &&
            !access(real.ptr, X_OK) && is_trusted(real, &s, known.tree) &&
            is_trusted(real, &s, tree)) {
            *out = real.ptr;
            return KEN_OK;
        }
    }
    return KEN_FAIL(err, KEN_ENOTFOUND,
                    "no program '%s' in a folder of PATH that can be relied on (absolute, not "
                    "writable by everybody, outside of projects)",
                    name);
}
