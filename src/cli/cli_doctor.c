// SPDX-License-Identifier: MIT
// ken doctor, ken config, ken version
#include "cli/cli_print_priv.h"
#include "embed/embed_static.h"
#include "json/json.h"

static ken_style style_of(ken_health h)
{
    return h == KEN_HEALTH_OK ? KEN_STYLE_GOOD
                              : (h == KEN_HEALTH_WARN ? KEN_STYLE_NOTE : KEN_STYLE_BAD);
}

static void print_checks_json(const ken_health_check *checks, size_t n, ken_health worst)
{
    json_t *top = json_object(), *list = json_array();
    ken_json_set_str(top, "health", ken_str_c(ken_health_word(worst)));
    for (size_t i = 0; i < n; i++) {
        json_t *o = json_object();
        ken_json_set_str(o, "name", ken_str_c(checks[i].name));
        ken_json_set_str(o, "health", ken_str_c(ken_health_word(checks[i].health)));
        ken_json_set_str(o, "text", checks[i].text);
        ken_json_append(list, o);
    }
    ken_json_set(top, "checks", list);
    ken_cli__print_json(top);
}

ken_status ken_cli__run_doctor(cli *x, ken_err *err)
{
    ken_health_check *checks = NULL;
    size_t n = 0;
    ken_health worst = KEN_HEALTH_OK;
    ken_status st = ken_app_check_health(x->app, ken_cli__args_has(&x->args, "deep"), x->cancel,
                                         &x->arena, &checks, &n, err);
    if (st)
        return st;
    for (size_t i = 0; i < n; i++)
        if (checks[i].health > worst)
            worst = checks[i].health;
    if (x->is_json)
        print_checks_json(checks, n, worst);
    for (size_t i = 0; i < n && !x->is_json; i++) {
        ken_cli__paint(x, style_of(checks[i].health), "%-5s", ken_health_word(checks[i].health));
        ken_cli__print(" %-12s ", checks[i].name);
        ken_cli__print_text(checks[i].text);
        ken_cli__print("\n");
    }
    x->exit_code = worst == KEN_HEALTH_FAIL ? 1 : 0;
    return KEN_OK;
}

// ---- config ----

static json_t *json_of_value(const ken_config *c, ken_config_key key, ken_arena *a)
{
    const ken_str *items;
    json_t *list;
    size_t n;
    switch (ken_config_key_type(key)) {
    case KEN_CONFIG_BOOL:
        return json_boolean(ken_config_bool(c, key));
    case KEN_CONFIG_COUNT:
    case KEN_CONFIG_SIZE:
        return json_integer((json_int_t)ken_config_u64(c, key));
    case KEN_CONFIG_LIST:
        list = json_array();
        n = ken_config_list(c, key, &items);
        for (size_t i = 0; i < n; i++)
            ken_json_append(list, ken_json_str(items[i]));
        return list;
    case KEN_CONFIG_TEXT:
    case KEN_CONFIG_WORD:
    case KEN_CONFIG_SECRET:
    case KEN_CONFIG_UNKNOWN:
    default:
        return ken_json_str(ken_config_format(c, key, a));
    }
}

static void print_config_json(cli *x, const ken_config *c)
{
    json_t *top = json_object(), *list = json_array();
    ken_json_set_str(top, "user_file", ken_config_user_file(c));
    ken_json_set_str(top, "data_dir", ken_config_data_dir(c));
    for (size_t i = 0; i < KEN_CFG_COUNT; i++) {
        ken_config_key key = (ken_config_key)i;
        json_t *o = json_object();
        ken_json_set_str(o, "key", ken_str_c(ken_config_key_name(key)));
        ken_json_set(o, "value", json_of_value(c, key, &x->arena));
        ken_json_set_str(o, "source", ken_config_where(c, key));
        ken_json_set_str(o, "environment", ken_str_c(ken_config_key_env(key)));
        ken_json_set_str(o, "text", ken_str_c(ken_config_key_text(key)));
        ken_json_append(list, o);
    }
    ken_json_set(top, "settings", list);
    ken_cli__print_json(top);
}

static void print_config(cli *x, const ken_config *c)
{
    ken_table t;
    ken_table_init(&t, &x->arena, "key|value|from");
    for (size_t i = 0; i < KEN_CFG_COUNT; i++) {
        ken_config_key key = (ken_config_key)i;
        ken_table_add(&t, ken_str_c(ken_config_key_name(key)));
        ken_table_add(&t, ken_config_format(c, key, &x->arena));
        ken_table_add(&t, ken_config_where(c, key));
    }
    ken_cli__print_table(x, &t);
    ken_cli__print("\nsettings file: ");
    ken_cli__print_text(ken_config_user_file(c));
    ken_cli__print("%s\n", ken_config_user_file(c).len && ken_fs_exists(ken_config_user_file(c).ptr)
                               ? ""
                               : " (none)");
}

// The settings as they are in the project around, if there is one.
ken_status ken_cli__run_config(cli *x, ken_err *err)
{
    cli_place place = { 0 };
    ken_config *settings = NULL;
    if (x->args.n_words && strcmp(x->args.words[0], "show") != 0)
        return KEN_FAIL(err, KEN_EINVAL, "'ken config' does not take '%.60s': ken config show",
                        x->args.words[0]);
    ken_err e = { 0 };
    bool is_named = ken_cli__args_get(&x->args, "project") != NULL;
    ken_status st = ken_cli__find_place(x, NULL, &place, &e);
    if (st && is_named) {
        *err = e;
        return st;
    }
    if (!st) {
        st = ken_app_load_settings(x->app, &place.project, &settings, err);
        if (st)
            return st;
    }
    const ken_config *c = settings ? settings : x->config;
    if (x->is_json)
        print_config_json(x, c);
    else
        print_config(x, c);
    ken_config_free(settings);
    return KEN_OK;
}

// ---- version ----

ken_status ken_cli__run_version(cli *x, ken_err *err)
{
    (void)err;
    const ken_static_model *m = ken_static_builtin();
    if (!x->is_json) {
        ken_cli__print("ken %s, with the model %s (%u words, %u dimensions)\n", KEN_VERSION,
                       ken_static_name(m), ken_static_vocabulary(m).n_words, ken_static_n_dims(m));
        return KEN_OK;
    }
    json_t *top = json_object(), *model = json_object();
    ken_json_set_str(top, "name", KEN_STR("ken"));
    ken_json_set_str(top, "version", ken_str_c(KEN_VERSION));
    ken_json_set_str(model, "name", ken_str_c(ken_static_name(m)));
    ken_json_set_u64(model, "words", ken_static_vocabulary(m).n_words);
    ken_json_set_u64(model, "dims", ken_static_n_dims(m));
    ken_json_set(top, "model", model);
    ken_cli__print_json(top);
    return KEN_OK;
}
