// SPDX-License-Identifier: MIT
#include "base/fs.h"
#include "base/path.h"
#include "cli/cli_clients_priv.h"
#include "config/config.h"
#include "json/json.h"
#include "json/json_edit.h"

static const cli_client clients[] = {
#define X(id, title, user, project, key, form) { id, title, user, project, key, CLI_FORM_##form },
    CLI_CLIENTS(X)
#undef X
};

const cli_client *ken_cli__client_at(size_t i)
{
    return i < sizeof clients / sizeof *clients ? &clients[i] : NULL;
}

ken_status ken_cli__client_path(const cli_client *c, ken_arena *a, ken_str *out, ken_err *err)
{
    const char *config = c->user[0] == '^' ? ken_config_env("XDG_CONFIG_HOME") : NULL;
    ken_str base = ken_config_home(a);
    if (config && config[0] == '/')
        base = ken_path_normalise(a, ken_str_c(config));
    else if (base.len && c->user[0] == '^')
        base = ken_path_join(a, base, KEN_STR(".config"));
    if (!base.len)
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "no home folder: set HOME, or name the file with --file");
    *out = ken_path_join(a, base, ken_str_c(c->user + 2));
    return KEN_OK;
}

bool ken_cli__client_is_here(const cli_client *c, ken_arena *a)
{
    ken_str path = KEN_STR("");
    if (ken_cli__client_path(c, a, &path, NULL))
        return false;
    // A file in the home folder itself is there, or not; of others the folder tells.
    bool is_in_home = strchr(c->user + 2, '/') == NULL;
    return ken_fs_exists(is_in_home ? path.ptr : ken_arena_dup(a, ken_path_dir(path)).ptr);
}

static json_t *make_env(const cli_entry *e)
{
    json_t *env = json_object();
    for (size_t i = 0; i < e->n_env; i++) {
        ken_str pair = ken_str_c(e->env[i]);
        size_t eq = ken_str_find_char(pair, '=');
        json_object_setn_new(env, pair.ptr, eq, ken_json_str(ken_str_sub(pair, eq + 1, pair.len)));
    }
    return env;
}

static json_t *make_entry(const cli_client *c, const cli_entry *e)
{
    json_t *o = json_object(), *words = json_array();
    bool is_one_list = c->form == CLI_FORM_ONE_LIST;
    if (c->form != CLI_FORM_PLAIN)
        ken_json_set_str(o, "type",
                         c->form == CLI_FORM_TYPED ? KEN_STR("stdio") : KEN_STR("local"));
    if (is_one_list)
        ken_json_append(words, ken_json_str(ken_str_c(e->command)));
    else
        ken_json_set_str(o, "command", ken_str_c(e->command));
    ken_json_append(words, ken_json_str(KEN_STR("mcp")));
    ken_json_set(o, is_one_list ? "command" : "args", words);
    if (e->n_env)
        ken_json_set(o, is_one_list ? "environment" : "env", make_env(e));
    if (c->form == CLI_FORM_LOCAL) {
        json_t *all = json_array();
        ken_json_append(all, ken_json_str(KEN_STR("*")));
        ken_json_set(o, "tools", all);
    }
    return o;
}

void ken_cli__client_show(const cli_client *c, const cli_entry *e, ken_buf *out)
{
    bool had = false;
    if (c->form == CLI_FORM_TOML)
        ken_cli__toml_show(c, e, out);
    else if (ken_cli__client_edit(c, e, false, KEN_STR(""), out, &had, NULL))
        ken_buf_clear(out);
}

ken_status ken_cli__client_edit(const cli_client *c, const cli_entry *e, bool is_removal,
                                ken_str text, ken_buf *out, bool *out_had, ken_err *err)
{
    if (c->form == CLI_FORM_TOML)
        return ken_cli__toml_edit(c, e, is_removal, text, out, out_had, err);
    const char *path[] = { c->key, e->name };
    ken_buf without = KEN_BUF_INIT(0);
    ken_status st = ken_json_edit_remove(text, path, 2, &without, out_had, err);
    if (!st && is_removal)
        ken_buf_put_str(out, ken_buf_str(&without));
    if (!st && !is_removal) {
        json_t *entry = make_entry(c, e);
        st = ken_json_edit_set(text, path, 2, entry, out, err);
        json_decref(entry);
    }
    ken_buf_release(&without);
    return st;
}
