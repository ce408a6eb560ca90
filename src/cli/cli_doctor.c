// SPDX-License-Identifier: MIT
// ken doctor, ken version
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

static ken_status run_doctor(cli *x, ken_err *err)
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

// ---- version ----

static ken_status run_version(cli *x, ken_err *err)
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

static const cli_opt doctor_opts[] = {
    { "deep", 0, CLI_FLAG, NULL, "read and check every page of every index", NULL },
};

const cli_command ken_cli__doctor_command = { "doctor",
                                              "",
                                              "check folders, settings and indexes",
                                              NULL,
                                              OPTS(doctor_opts),
                                              0,
                                              0,
                                              true,
                                              false,
                                              run_doctor,
                                              NULL,
                                              0,
                                              NULL };

const cli_command ken_cli__version_command = {
    "version", "", "show the version", NULL, NULL, 0, 0, 0, false, false, run_version, NULL, 0, NULL
};
