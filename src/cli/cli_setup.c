// SPDX-License-Identifier: MIT
// ken setup: registers ken in the settings file of an MCP client, and takes it out again.
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/path.h"
#include "cli/cli_clients_priv.h"
#include "cli/cli_print_priv.h"
#include "json/json.h"

enum {
    FILE_MAX = 64 << 20
};

typedef struct setup {
    cli *x;
    const cli_client *client;
    cli_entry entry;
    bool is_removal;
    bool is_of_project; // a file in a folder that is not ours: no link is followed
    ken_str path;
    ken_str root; // of the project
    ken_buf before, after;
    bool is_there, had_entry;
} setup;

static const cli_client *find_client(const char *id)
{
    size_t i = 0;
    while (ken_cli__client_at(i) && strcmp(ken_cli__client_at(i)->id, id) != 0)
        i++;
    return ken_cli__client_at(i);
}

// ---- what was asked for ------------------------------------------------------------------------

static bool is_name(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!ken_is_word(*c) && *c != '-')
            return false;
    return *name && strlen(name) <= 64;
}

static ken_status read_env(setup *s, ken_err *err)
{
    const char **env = NULL;
    s->entry.n_env = ken_cli__args_list(&s->x->args, "env", &s->x->arena, &env);
    s->entry.env = env;
    for (size_t i = 0; i < s->entry.n_env; i++) {
        ken_str pair = ken_str_c(env[i]);
        size_t eq = ken_str_find_char(pair, '=');
        const char *name = ken_arena_dup(&s->x->arena, ken_str_sub(pair, 0, eq)).ptr;
        if (eq == SIZE_MAX || !is_name(name) || strchr(name, '-'))
            return KEN_FAIL(err, KEN_EINVAL, "--env: '%.60s' is not NAME=VALUE", env[i]);
    }
    return KEN_OK;
}

// A file that others get with the project names the program alone; a person's own where it is.
static ken_status find_program(setup *s, ken_err *err)
{
    ken_str program = KEN_STR("ken");
    ken_status st = s->is_of_project
                        ? KEN_OK
                        : ken_path_real(&s->x->arena, KEN_STR("/proc/self/exe"), &program, err);
    if (!st)
        s->entry.command = program.ptr;
    return st;
}

static ken_status find_file(setup *s, ken_err *err)
{
    cli *x = s->x;
    const char *file = ken_cli__args_get(&x->args, "file");
    cli_place place = { 0 };
    ken_str cwd;
    ken_status st = KEN_OK;
    if (file) {
        st = ken_path_real(&x->arena, KEN_STR("."), &cwd, err);
        s->path =
            st || file[0] == '/' ? ken_str_c(file) : ken_path_join(&x->arena, cwd, ken_str_c(file));
        return st;
    }
    if (!ken_cli__args_get(&x->args, "project"))
        return ken_cli__client_path(s->client, &x->arena, &s->path, err);
    if (!s->client->project[0])
        return KEN_FAIL(err, KEN_EINVAL, "%s has no settings of a project; leave --project out",
                        s->client->title);
    s->is_of_project = true;
    st = ken_cli__find_place(x, NULL, &place, err);
    s->root = place.project.root;
    if (!st)
        s->path = ken_path_join(&x->arena, s->root, ken_str_c(s->client->project));
    return st;
}

static ken_status read_request(setup *s, ken_err *err)
{
    const cli_args *a = &s->x->args;
    const char *name = ken_cli__args_get(a, "name");
    s->x->is_usage_error = true;
    s->client = find_client(a->words[0]);
    s->entry.name = name ? name : "ken";
    s->is_removal = ken_cli__args_has(a, "remove");
    if (!is_name(s->entry.name))
        return KEN_FAIL(err, KEN_EINVAL,
                        "--name: '%.60s' has more than letters, digits, '_' and '-'",
                        s->entry.name);
    ken_status st = read_env(s, err);
    if (!st)
        st = find_file(s, err);
    if (!st)
        st = find_program(s, err);
    if (!st)
        s->x->is_usage_error = false;
    return st;
}

// ---- the change --------------------------------------------------------------------------------

// Of the file as it is now: a client writes it, too.
static ken_status make_change(setup *s, ken_err *err)
{
    ken_buf_clear(&s->before);
    ken_buf_clear(&s->after);
    ken_status st = s->is_of_project
                        ? ken_fs_read(KEN_FS_CWD, s->path.ptr, FILE_MAX, &s->before, NULL, err)
                        : ken_fs_read_own(s->path.ptr, FILE_MAX, &s->before, err);
    s->is_there = st != KEN_ENOTFOUND;
    if (st && s->is_there)
        return st;
    st = ken_cli__client_edit(s->client, &s->entry, s->is_removal, ken_buf_str(&s->before),
                              &s->after, &s->had_entry, err);
    if (st)
        ken_err_wrap(err, KEN_STR_FMT, KEN_STR_ARG(s->path));
    return st;
}

static bool is_same(const setup *s)
{
    return (s->is_removal && !s->had_entry) ||
           ken_str_eq(ken_buf_str(&s->before), ken_buf_str(&s->after));
}

// The old file, among ken's own data: in a project it would be one more file that nobody knows.
static ken_status keep_old(const setup *s, ken_str *out, ken_err *err)
{
    char now[KEN_TIME_MS_TEXT];
    ken_arena *a = &s->x->arena;
    ken_str folder = ken_path_join(a, ken_config_data_dir(s->x->config), KEN_STR("replaced"));
    ken_clock_format_ms(ken_clock_wall_ms(), now);
    ken_str base = ken_path_base(s->path);
    ken_status st = ken_fs_make_dirs(folder.ptr, 0700, err);
    *out = ken_arena_printf(a, KEN_STR_FMT "/%s-" KEN_STR_FMT, KEN_STR_ARG(folder), now,
                            KEN_STR_ARG(base));
    return st ? st : ken_fs_write_atomic(out->ptr, ken_buf_str(&s->before), err);
}

static ken_status write_file(const setup *s, ken_err *err)
{
    ken_str after = ken_buf_str(&s->after);
    int root = -1;
    ken_status st;
    if (s->is_of_project) {
        st = ken_fs_open_dir(s->root.ptr, &root, err);
        if (!st)
            st = ken_fs_write_under(root, ken_str_c(s->client->project), after, err);
        ken_fs_close(root);
        return st;
    }
    st = ken_fs_make_dirs(ken_arena_dup(&s->x->arena, ken_path_dir(s->path)).ptr, 0700, err);
    return st ? st : ken_fs_replace(s->path.ptr, after, err);
}

// ---- telling -----------------------------------------------------------------------------------

static void print_entry(const setup *s)
{
    ken_buf text = KEN_BUF_INIT(0);
    ken_cli__client_show(s->client, &s->entry, &text);
    ken_str rest = ken_buf_str(&text), line;
    while (ken_str_line_next(&rest, &line)) {
        ken_cli__print_text(line);
        ken_cli__print("\n");
    }
    ken_buf_release(&text);
}

static void tell(const setup *s, const char *result, ken_str kept)
{
    cli *x = s->x;
    if (x->is_json) {
        json_t *top = json_object();
        ken_json_set_str(top, "client", ken_str_c(s->client->id));
        ken_json_set_str(top, "file", s->path);
        ken_json_set_str(top, "name", ken_str_c(s->entry.name));
        ken_json_set_str(top, "result", ken_str_c(result));
        ken_json_set(top, "kept", kept.len ? ken_json_str(kept) : NULL);
        ken_cli__print_json(top);
        return;
    }
    ken_cli__print("%s: '%s' is %s in ", s->client->title, s->entry.name, result);
    ken_cli__print_text(s->path);
    ken_cli__print("\n");
    if (kept.len)
        ken_cli__note(x, "the file as it was is kept as " KEN_STR_FMT, KEN_STR_ARG(kept));
    if (kept.len || !s->is_there)
        ken_cli__note(x, "%s reads this when it starts", s->client->title);
}

static ken_status show_and_ask(const setup *s, ken_err *err)
{
    cli *x = s->x;
    if (x->is_json || ken_cli__args_has(&x->args, "yes"))
        return KEN_OK;
    ken_cli__print(s->is_removal ? "'%s' is taken out of " : "'%s' goes to ", s->entry.name);
    ken_cli__print_text(s->path);
    ken_cli__print(s->is_there ? ", all else stays:\n" : ", which is new:\n");
    if (!s->is_removal)
        print_entry(s);
    fflush(stdout);
    return isatty(STDIN_FILENO) ? ken_cli__confirm("Write it?", err) : KEN_OK;
}

static ken_status change_file(setup *s, ken_err *err)
{
    ken_str kept = KEN_STR("");
    ken_status st = make_change(s, err);
    if (st)
        return st;
    if (is_same(s)) {
        tell(s, s->is_removal ? "not registered" : "registered", kept);
        return KEN_OK;
    }
    st = show_and_ask(s, err);
    if (!st)
        st = make_change(s, err);
    if (!st && s->is_there)
        st = keep_old(s, &kept, err);
    if (!st)
        st = write_file(s, err);
    if (!st)
        tell(s, s->is_removal ? "not registered any more" : "registered now", kept);
    return st;
}

// ---- which there are ---------------------------------------------------------------------------

static bool is_registered(cli *x, const cli_client *c, ken_str path)
{
    setup s = { .x = x, .client = c, .entry = { .name = "ken" }, .is_removal = true, .path = path };
    bool is = !make_change(&s, NULL) && s.had_entry;
    ken_buf_release(&s.before);
    ken_buf_release(&s.after);
    return is;
}

static ken_status list_clients(cli *x, ken_err *err)
{
    ken_table t;
    json_t *list = json_array(), *top = json_object();
    ken_table_init(&t, &x->arena, "client|name|here|registered|file");
    for (size_t i = 0; ken_cli__client_at(i); i++) {
        const cli_client *c = ken_cli__client_at(i);
        ken_str path;
        ken_status st = ken_cli__client_path(c, &x->arena, &path, err);
        if (st) {
            json_decref(list);
            json_decref(top);
            return st;
        }
        bool is_here = ken_cli__client_is_here(c, &x->arena), is_set = is_registered(x, c, path);
        ken_table_add(&t, ken_str_c(c->id));
        ken_table_add(&t, ken_str_c(c->title));
        ken_table_add(&t, is_here ? KEN_STR("yes") : KEN_STR("no"));
        ken_table_add(&t, is_set ? KEN_STR("yes") : KEN_STR("no"));
        ken_table_add(&t, path);
        json_t *o = json_object();
        ken_json_set_str(o, "client", ken_str_c(c->id));
        ken_json_set_str(o, "name", ken_str_c(c->title));
        ken_json_set_bool(o, "here", is_here);
        ken_json_set_bool(o, "registered", is_set);
        ken_json_set_str(o, "file", path);
        ken_json_set(o, "project_file", c->project[0] ? ken_json_str(ken_str_c(c->project)) : NULL);
        ken_json_append(list, o);
    }
    ken_json_set(top, "clients", list);
    if (x->is_json) {
        ken_cli__print_json(top);
        return KEN_OK;
    }
    json_decref(top);
    ken_cli__print_table(x, &t);
    return KEN_OK;
}

static ken_status run_setup(cli *x, ken_err *err)
{
    if (ken_cli__args_has(&x->args, "list"))
        return list_clients(x, err);
    if (!x->args.n_words) {
        x->is_usage_error = true;
        return KEN_FAIL(err, KEN_EINVAL, "which client? ken setup --list names them");
    }
    setup s = { .x = x };
    ken_status st = read_request(&s, err);
    if (!st && ken_cli__args_has(&x->args, "print"))
        print_entry(&s);
    else if (!st)
        st = change_file(&s, err);
    ken_buf_release(&s.before);
    ken_buf_release(&s.after);
    return st;
}

static const cli_opt setup_opts[] = {
    { "list", 0, CLI_FLAG, NULL, "the clients, which are here and where ken is registered", NULL },
    { "print", 0, CLI_FLAG, NULL, "show what would be written, and write nothing", NULL },
    { "remove", 0, CLI_FLAG, NULL, "take ken out of the client's settings", NULL },
    { "yes", 'y', CLI_FLAG, NULL, "write without asking", NULL },
    { "name", 0, CLI_VALUE, "NAME", "what the client calls the server (default ken)", NULL },
    { "env", 0, CLI_LIST, "NAME=VALUE", "a variable for the server; may be repeated", NULL },
    { "file", 0, CLI_VALUE, "FILE", "the client's settings file, when it is elsewhere", NULL },
};

const cli_command ken_cli__setup_command = {
    "setup",
    "CLIENT | --list",
    "register ken with an MCP client, in its own settings file",
    "'ken setup --list' names the clients. What will be written is shown first; all else in the\n"
    "file stays, comments too, and the file as it was is kept. With --project it is the file in a\n"
    "project's folder.\n\n"
    "  ken setup claude-code\n"
    "  ken setup vscode --project .",
    OPTS(setup_opts),
    0,
    1,
    true,
    false,
    run_setup,
    NULL,
    0,
    CLI_CLIENT_IDS
};
