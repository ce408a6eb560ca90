// SPDX-License-Identifier: MIT
// Where settings and data live, after the XDG base folder rules: a relative XDG path is ignored.
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/path.h"
#include "config/config.h"
#include "config/config_priv.h"

const char *ken_config_env(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

ken_str ken_config_home(ken_arena *arena)
{
    const char *home = ken_config_env("HOME");
    if (home && home[0] == '/')
        return ken_path_normalise(arena, ken_str_c(home));
    struct passwd pw, *found = NULL;
    char buf[4096];
    if (!getpwuid_r(getuid(), &pw, buf, sizeof buf, &found) && found && found->pw_dir &&
        found->pw_dir[0] == '/')
        return ken_path_normalise(arena, ken_str_c(found->pw_dir));
    return (ken_str){ "", 0 };
}

// $<variable>/ken, else ~/<fallback>/ken; empty when there is no home.
static ken_str xdg_dir(ken_arena *a, const char *variable, const char *fallback)
{
    const char *value = ken_config_env(variable);
    ken_str base = { "", 0 };
    if (value && value[0] == '/') {
        base = ken_path_normalise(a, ken_str_c(value));
    } else {
        ken_str home = ken_config_home(a);
        if (home.len)
            base = ken_path_join(a, home, ken_str_c(fallback));
    }
    return base.len ? ken_path_join(a, base, KEN_STR("ken")) : base;
}

ken_status ken_config__find_user_file(ken_config *c, ken_err *err)
{
    (void)err;
    if (ken_config_find_user_file(&c->arena, &c->user_file, NULL))
        c->user_file = KEN_STR("");
    return KEN_OK;
}

ken_status ken_config_cache_dir(ken_arena *arena, ken_str *out, ken_err *err)
{
    ken_str dir = xdg_dir(arena, "XDG_CACHE_HOME", ".cache");
    if (!dir.len)
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "no home folder: set HOME or XDG_CACHE_HOME to an absolute path");
    *out = dir;
    return KEN_OK;
}

// "~/x" below the home folder.
static ken_str expand_home(ken_arena *a, ken_str path)
{
    if (path.ptr[0] != '~' || (path.len > 1 && path.ptr[1] != '/'))
        return path;
    return ken_path_join(a, ken_config_home(a), ken_str_sub(path, path.len > 1 ? 2 : 1, path.len));
}

// A relative path counts from the working directory.
static ken_status resolve_data_dir(ken_config *c, ken_str dir, ken_err *err)
{
    dir = expand_home(&c->arena, dir);
    if (dir.len && dir.ptr[0] != '/') {
        if (c->values[KEN_CFG_DATA_DIR].source == KEN_CONFIG_USER_FILE)
            return KEN_FAIL(err, KEN_EINVAL,
                            KEN_STR_FMT ": 'data.dir' must be an absolute path, not '" KEN_STR_FMT
                                        "'",
                            KEN_STR_ARG(c->values[KEN_CFG_DATA_DIR].where), KEN_STR_ARG(dir));
        ken_str cwd;
        ken_status st = ken_path_real(&c->arena, KEN_STR("."), &cwd, err);
        if (st)
            return st;
        dir = ken_path_join(&c->arena, cwd, dir);
    }
    c->data_dir = ken_path_normalise(&c->arena, dir);
    return KEN_OK;
}

ken_status ken_config__find_data_dir(ken_config *c, ken_err *err)
{
    ken_str set = ken_str_trim(c->values[KEN_CFG_DATA_DIR].text);
    if (set.len)
        return resolve_data_dir(c, set, err);
    c->data_dir = xdg_dir(&c->arena, "XDG_DATA_HOME", ".local/share");
    if (!c->data_dir.len)
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "no home folder: set KEN_DATA_DIR or HOME to an absolute path");
    return KEN_OK;
}

void ken_config__find_log_file(ken_config *c)
{
    ken_str file = ken_str_trim(c->values[KEN_CFG_LOG_FILE].text);
    if (!file.len)
        return;
    file = expand_home(&c->arena, file);
    if (file.ptr[0] != '/')
        file = ken_path_join(&c->arena, c->data_dir, file);
    c->log_file = ken_path_normalise(&c->arena, file);
}

ken_str ken_config_log_file(const ken_config *c)
{
    return c->log_file;
}

ken_str ken_config_data_dir(const ken_config *c)
{
    return c->data_dir;
}

ken_status ken_config_find_user_file(ken_arena *arena, ken_str *out, ken_err *err)
{
    ken_str dir = xdg_dir(arena, "XDG_CONFIG_HOME", ".config");
    if (!dir.len)
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "no home folder: set HOME or XDG_CONFIG_HOME to an absolute path");
    *out = ken_path_join(arena, dir, KEN_STR("config.yaml"));
    return KEN_OK;
}

ken_str ken_config_project_path(ken_arena *arena, ken_str root)
{
    return ken_path_join(arena, root, KEN_STR(".ken.yaml"));
}

ken_str ken_config_user_file(const ken_config *c)
{
    return c->user_file;
}
