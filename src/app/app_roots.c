// SPDX-License-Identifier: MIT
// Which folders may become projects.
//
// With the setting projects.roots: what lies in one of these folders, whoever asks. Without it a
// person at the command line may name any folder; a client of the server (an agent, which may have
// read instructions in somebody's files) may not name folders of the system, a home folder or what
// is above one, and what holds keys. Projects that are known already stay.
#include <limits.h>

#include "app/app_priv.h"
#include "app/projects.h"
#include "base/path.h"

// What belongs to the system, with everything below; but for those in `of_people`.
static const char *const of_system[] = { "/bin",   "/boot",  "/dev",    "/etc",        "/lib",
                                         "/lib32", "/lib64", "/libx32", "/lost+found", "/proc",
                                         "/run",   "/sbin",  "/sys",    "/usr",        "/var" };
static const char *const of_people[] = { "/usr/src", "/usr/local/src", "/var/www", "/var/lib",
                                         "/var/tmp", "/run/media",     "/run/user" };
// Folders that contain other people's folders, or everything: never a project themselves.
static const char *const too_wide[] = { "/",         "/home",    "/mnt",           "/media",
                                        "/opt",      "/srv",     "/tmp",           "/var/lib",
                                        "/var/tmp",  "/usr/src", "/usr/local/src", "/run/media",
                                        "/run/user", "/Users" };
// Names of folders that hold keys and passwords, wherever they lie.
static const char *const of_secrets[] = {
    ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", ".gcloud", ".git"
};

static bool is_among(ken_str path, const char *const *list, size_t n, bool with_below)
{
    for (size_t i = 0; i < n; i++)
        if (with_below ? ken_path_is_under(ken_str_c(list[i]), path) : ken_str_eq_c(path, list[i]))
            return true;
    return false;
}

#define IS_AMONG(path, list, with_below) \
    is_among(path, list, sizeof(list) / sizeof *(list), with_below)

static bool holds_secrets(ken_str path)
{
    ken_str part;
    while (ken_str_split_next(&path, '/', &part))
        if (IS_AMONG(part, of_secrets, false))
            return true;
    return false;
}

// The person's home folder, or one above it.
static bool is_home(ken_str root, ken_arena *arena)
{
    ken_str home = ken_config_home(arena), real;
    if (!home.len)
        return false;
    if (ken_path_real(arena, home, &real, NULL))
        real = home;
    return ken_path_is_under(root, real);
}

static ken_status check_for_client(ken_str root, ken_arena *arena, ken_err *err)
{
    const char *what = NULL;
    if (IS_AMONG(root, too_wide, false))
        what = "holds more than one project";
    else if (IS_AMONG(root, of_system, true) && !IS_AMONG(root, of_people, true))
        what = "belongs to the system";
    else if (is_home(root, arena))
        what = "is a home folder, or above one";
    else if (holds_secrets(root))
        what = "is where keys and passwords are kept";
    if (!what)
        return KEN_OK;
    return KEN_FAIL(err, KEN_EPERM,
                    "'" KEN_STR_FMT "' %s, so it cannot be made a project from here; name the "
                    "folder of a project, or run: ken index " KEN_STR_FMT,
                    KEN_STR_ARG(root), what, KEN_STR_ARG(root));
}

ken_status ken_app_check_look(ken_app *app, ken_str path, ken_arena *arena, ken_err *err)
{
    const ken_str *entries;
    if (ken_config_list(app->config, KEN_CFG_ROOTS, &entries))
        return ken_app__check_root(app, path, true, arena, err);
    if ((!IS_AMONG(path, of_system, true) || IS_AMONG(path, of_people, true) ||
         ken_str_eq(path, KEN_STR("/var"))) &&
        !holds_secrets(path))
        return KEN_OK;
    return KEN_FAIL(err, KEN_EPERM,
                    "'" KEN_STR_FMT "' belongs to the system, or is where keys and passwords are "
                    "kept, so it is not shown",
                    KEN_STR_ARG(path));
}

// An entry of projects.roots as a real path; ptr NULL when there is no such folder.
static ken_str real_entry(ken_str entry, ken_arena *arena)
{
    ken_str real = { NULL, 0 };
    if (ken_str_starts(entry, KEN_STR("~/")) || ken_str_eq(entry, KEN_STR("~")))
        entry = ken_path_join(arena, ken_config_home(arena), ken_str_sub(entry, 2, entry.len));
    if (!ken_str_starts(entry, KEN_STR("/")) || ken_path_real(arena, entry, &real, NULL))
        return (ken_str){ NULL, 0 };
    return real;
}

size_t ken_app_list_roots(ken_app *app, ken_arena *arena, ken_str **out)
{
    const ken_str *entries;
    size_t n = ken_config_list(app->config, KEN_CFG_ROOTS, &entries), n_real = 0;
    ken_str *list = KEN_ARENA_ARRAY(arena, ken_str, n + 1);
    for (size_t i = 0; i < n; i++) {
        ken_str real = real_entry(entries[i], arena);
        if (real.ptr)
            list[n_real++] = real;
    }
    *out = list;
    return n_real;
}

ken_status ken_app__check_root(ken_app *app, ken_str root, bool is_for_client, ken_arena *arena,
                               ken_err *err)
{
    const ken_str *entries;
    ken_str *roots;
    if (!ken_config_list(app->config, KEN_CFG_ROOTS, &entries))
        return is_for_client ? check_for_client(root, arena, err) : KEN_OK;
    size_t n = ken_app_list_roots(app, arena, &roots);
    for (size_t i = 0; i < n; i++)
        if (ken_path_is_under(roots[i], root))
            return KEN_OK;
    return KEN_FAIL(err, KEN_EPERM,
                    "'" KEN_STR_FMT "' is outside of projects.roots (" KEN_STR_FMT
                    "); add a folder there (KEN_ALLOWED_ROOTS), or name one inside of it",
                    KEN_STR_ARG(root),
                    KEN_STR_ARG(ken_config_format(app->config, KEN_CFG_ROOTS, arena)));
}
