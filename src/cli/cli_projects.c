// SPDX-License-Identifier: MIT
// ken projects
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli_print_priv.h"
#include "json/json.h"

static ken_status list_projects(cli *x, ken_err *err)
{
    ken_project_info *list = NULL;
    size_t n = 0;
    if (x->is_json)
        return ken_cli__print_tool(x, "list_projects", NULL, json_object(), err);
    ken_status st = ken_app_list_projects(x->app, &x->arena, &list, &n, err);
    if (st)
        return st;
    if (!n) {
        ken_cli__note(x, "no projects yet; to make one: ken index PATH");
        return KEN_OK;
    }
    cli_text_table t = ken_cli__table_new(&x->arena, "name|indexed|root");
    int64_t now = ken_clock_wall_ms();
    for (size_t i = 0; i < n; i++) {
        ken_cli__table_add(&t, list[i].name);
        ken_cli__table_add(&t, list[i].root_exists
                                   ? ken_cli__format_age(&x->arena, list[i].indexed_at_ms, now)
                                   : KEN_STR("folder is gone"));
        ken_cli__table_add(&t, list[i].root);
    }
    ken_cli__table_print(x, &t);
    return KEN_OK;
}

// Asks on the terminal; without one --yes is needed.
static ken_status confirm(cli *x, const ken_project_info *p, ken_err *err)
{
    if (ken_cli__args_has(&x->args, "yes"))
        return KEN_OK;
    if (!isatty(STDIN_FILENO))
        return KEN_FAIL(err, KEN_EINVAL, "removing the index of '" KEN_STR_FMT "' needs --yes",
                        KEN_STR_ARG(p->root));
    fputs("remove the index of ", stderr);
    ken_cli__complain(p->root);
    fputs(" (its files stay)? [y/N] ", stderr);
    int c = getchar();
    return c == 'y' || c == 'Y' ? KEN_OK : KEN_FAIL(err, KEN_ECANCELLED, "nothing was removed");
}

static ken_status remove_project(cli *x, ken_err *err)
{
    ken_project_info p;
    if (x->args.n_words < 2)
        return KEN_FAIL(err, KEN_EINVAL, "say which: ken projects remove PROJECT");
    ken_status st =
        ken_app_find_project(x->app, ken_str_c(x->args.words[1]), KEN_STR(""), &x->arena, &p, err);
    if (!st)
        st = confirm(x, &p, err);
    if (!st)
        st = ken_app_remove_project(x->app, &p, err);
    if (st)
        return st;
    if (x->is_json) {
        json_t *top = json_object();
        ken_cli__json_set_project(top, &p);
        ken_json_set_bool(top, "removed", true);
        ken_cli__print_json(top);
        return KEN_OK;
    }
    ken_cli__note(x, "removed the index of " KEN_STR_FMT, KEN_STR_ARG(p.root));
    return KEN_OK;
}

ken_status ken_cli__run_projects(cli *x, ken_err *err)
{
    const char *action = x->args.n_words ? x->args.words[0] : "list";
    if (!strcmp(action, "list") && x->args.n_words < 2)
        return list_projects(x, err);
    if (!strcmp(action, "remove"))
        return remove_project(x, err);
    return KEN_FAIL(err, KEN_EINVAL,
                    "'ken projects' does not take '%.60s': list, or remove PROJECT",
                    x->args.words[x->args.n_words - 1]);
}
