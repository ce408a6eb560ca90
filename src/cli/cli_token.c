// SPDX-License-Identifier: MIT
// ken token: access tokens of the server. A secret is printed once, alone on stdout.
#include "app/tokens.h"
#include "base/clock.h"
#include "cli/cli_print_priv.h"
#include "json/json.h"

static ken_str time_or(cli *x, int64_t at_ms, const char *none)
{
    char text[KEN_TIME_TEXT];
    if (!at_ms)
        return ken_str_c(none);
    ken_clock_format(at_ms, text);
    return ken_arena_dup(&x->arena, ken_str_c(text));
}

static void set_time(json_t *o, const char *key, int64_t at_ms)
{
    char text[KEN_TIME_TEXT];
    if (at_ms)
        ken_clock_format(at_ms, text);
    ken_json_set(o, key, at_ms ? ken_json_str(ken_str_c(text)) : NULL);
}

// What a token is bound to: a project that is known by its name, else by its id.
static ken_str project_of(cli *x, const ken_access_token *t)
{
    char id[KEN_UUID_TEXT];
    ken_project_info p;
    if (!t->is_bound)
        return KEN_STR("all");
    ken_uuid_format(t->project, id);
    if (!ken_app_find_project(x->app, ken_str_c(id), KEN_STR(""), &x->arena, &p, NULL))
        return p.name;
    return ken_arena_printf(&x->arena, "%s (gone)", id);
}

static json_t *token_json(cli *x, const ken_access_token *t)
{
    json_t *o = json_object();
    ken_cli__json_set_uuid(o, "id", t->id);
    ken_json_set_str(o, "name", t->name);
    ken_json_set_str(o, "scopes", ken_scopes_format(t->scopes, &x->arena));
    if (t->is_bound)
        ken_cli__json_set_uuid(o, "project_id", t->project);
    else
        ken_json_set(o, "project_id", NULL);
    set_time(o, "created_at", t->created_at_ms);
    set_time(o, "expires_at", t->expires_at_ms);
    ken_json_set_bool(o, "is_expired", t->expires_at_ms && t->expires_at_ms <= ken_clock_wall_ms());
    return o;
}

// "90d" from now, or a day or time to come.
static ken_status read_expiry(const cli *x, int64_t *out, ken_err *err)
{
    const char *text = ken_cli__args_get(&x->args, "expires");
    int64_t now = ken_clock_wall_ms(), at = 0;
    if (!text)
        return KEN_OK;
    if (!ken_clock_parse(ken_str_c(text), now, &at))
        return KEN_FAIL(err, KEN_EINVAL,
                        "--expires: '%.40s' is no time; give one such as 90d, 12h or 2027-01-31",
                        text);
    bool is_span = strchr("mhdw", text[strlen(text) - 1]) != NULL;
    *out = is_span ? now + (now - at) : at;
    return KEN_OK;
}

static ken_status read_scopes(cli *x, unsigned *out, ken_err *err)
{
    const char **given = NULL;
    size_t n = ken_cli__args_list(&x->args, "scope", &x->arena, &given);
    unsigned some = 0;
    *out = n ? 0 : KEN_SCOPE_F_READ;
    for (size_t i = 0; i < n; i++) {
        if (!ken_scopes_parse(ken_str_c(given[i]), &some))
            return KEN_FAIL(err, KEN_EINVAL,
                            "--scope: '%.40s' is none; give read, write or admin, separated by "
                            "commas",
                            given[i]);
        *out |= some;
    }
    return KEN_OK;
}

static ken_status bind(cli *x, ken_app_token_opts *o, ken_err *err)
{
    const char *ref = ken_cli__args_get(&x->args, "project");
    ken_project_info p;
    if (!ref)
        return KEN_OK;
    ken_status st = ken_app_find_project(x->app, ken_str_c(ref), KEN_STR(""), &x->arena, &p, err);
    if (st)
        return st;
    o->is_bound = true;
    o->project = p.id;
    return KEN_OK;
}

static ken_status run_token_add(cli *x, ken_err *err)
{
    ken_app_token_opts o = { .name = ken_str_c(x->args.words[0]) };
    ken_access_token t;
    ken_str secret;
    ken_status st = read_scopes(x, &o.scopes, err);
    if (!st)
        st = read_expiry(x, &o.expires_at_ms, err);
    x->is_usage_error = st != KEN_OK;
    if (!st)
        st = bind(x, &o, err);
    if (!st)
        st = ken_app_add_token(x->app, &o, &x->arena, &t, &secret, err);
    if (st)
        return st;
    if (x->is_json) {
        json_t *top = json_object();
        ken_json_set(top, "token", token_json(x, &t));
        ken_json_set_str(top, "secret", secret);
        ken_cli__print_json(top);
        return KEN_OK;
    }
    ken_cli__print(KEN_STR_FMT "\n", KEN_STR_ARG(secret));
    ken_cli__note(x,
                  "'" KEN_STR_FMT "' may " KEN_STR_FMT " (project: " KEN_STR_FMT
                  ", expires: " KEN_STR_FMT "); the secret is kept nowhere and not shown again",
                  KEN_STR_ARG(t.name), KEN_STR_ARG(ken_scopes_format(t.scopes, &x->arena)),
                  KEN_STR_ARG(project_of(x, &t)),
                  KEN_STR_ARG(time_or(x, t.expires_at_ms, "never")));
    return KEN_OK;
}

static ken_status run_token_list(cli *x, ken_err *err)
{
    ken_access_token *list = NULL;
    size_t n = 0;
    ken_status st = ken_app_list_tokens(x->app, &x->arena, &list, &n, err);
    if (st)
        return st;
    if (x->is_json) {
        json_t *top = json_object(), *rows = json_array();
        for (size_t i = 0; i < n; i++)
            ken_json_append(rows, token_json(x, &list[i]));
        ken_json_set(top, "tokens", rows);
        ken_json_set_u64(top, "total", n);
        ken_cli__print_json(top);
        return KEN_OK;
    }
    ken_table t;
    ken_table_init(&t, &x->arena, "name|scopes|project|expires|created|id");
    for (size_t i = 0; i < n; i++) {
        char id[KEN_UUID_TEXT];
        ken_uuid_format(list[i].id, id);
        ken_table_add(&t, list[i].name);
        ken_table_add(&t, ken_scopes_format(list[i].scopes, &x->arena));
        ken_table_add(&t, project_of(x, &list[i]));
        ken_table_add(&t, time_or(x, list[i].expires_at_ms, "never"));
        ken_table_add(&t, time_or(x, list[i].created_at_ms, "-"));
        ken_table_add(&t, ken_arena_dup(&x->arena, ken_str_c(id)));
    }
    ken_cli__print_table(x, &t);
    if (!n)
        ken_cli__note(x, "there are none; to make one: ken token add NAME");
    return KEN_OK;
}

static ken_status run_token_revoke(cli *x, ken_err *err)
{
    ken_access_token t;
    ken_status st = ken_app_revoke_token(x->app, ken_str_c(x->args.words[0]), &x->arena, &t, err);
    if (st)
        return st;
    if (x->is_json) {
        json_t *top = token_json(x, &t);
        ken_json_set_bool(top, "revoked", true);
        ken_cli__print_json(top);
    } else {
        ken_cli__note(x, "revoked '" KEN_STR_FMT "'; a running server refuses it within a second",
                      KEN_STR_ARG(t.name));
    }
    return KEN_OK;
}

static const cli_opt token_add_opts[] = {
    { "scope", 0, CLI_LIST, "SCOPE", "read (default), write, admin; each includes those before it",
      NULL },
    { "expires", 0, CLI_VALUE, "WHEN", "90d, 12h or 2027-01-31 (default: never)", NULL },
};

const cli_command ken_cli__token_add_command = {
    "token add",
    "NAME",
    "make an access token of the server, and print its secret once",
    "With --project it opens that project alone. The secret is kept nowhere, its hash is.\n\n"
    "  ken token add ci --scope read,write --project . --expires 90d",
    OPTS(token_add_opts),
    1,
    1,
    true,
    false,
    run_token_add,
    NULL,
    0,
    NULL
};

const cli_command ken_cli__token_list_command = { "token list",
                                                  "",
                                                  "list the access tokens, without their secrets",
                                                  NULL,
                                                  NULL,
                                                  0,
                                                  0,
                                                  0,
                                                  true,
                                                  false,
                                                  run_token_list,
                                                  NULL,
                                                  0,
                                                  NULL };

const cli_command ken_cli__token_revoke_command = {
    "token revoke",
    "NAME|ID",
    "take an access token back; a running server notices",
    NULL,
    NULL,
    0,
    1,
    1,
    true,
    false,
    run_token_revoke,
    NULL,
    0,
    NULL
};
