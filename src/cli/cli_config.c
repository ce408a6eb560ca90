// SPDX-License-Identifier: MIT
// ken config: shows settings, and changes a settings file without touching the rest of it.
#include "base/fs.h"
#include "base/path.h"
#include "cli/cli_print_priv.h"
#include "config/config_edit.h"
#include "json/json.h"
#include "proc/proc.h"

enum {
    EDITOR_WORDS_MAX = 16,
    EDITED_MAX = 1 << 20
};

// ---- show ----

static void print_notes(cli *x, const ken_config *c)
{
    const ken_config_note *notes;
    size_t n = ken_config_notes(c, &notes);
    ken_table t;
    if (!n)
        return;
    ken_table_init(&t, &x->arena, "without effect|value|from|why");
    for (size_t i = 0; i < n; i++) {
        ken_table_add(&t, notes[i].name);
        ken_table_add(&t, notes[i].value);
        ken_table_add(&t, notes[i].where);
        ken_table_add(&t, notes[i].text);
    }
    ken_cli__print("\n");
    ken_cli__print_table(x, &t);
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
        ken_json_set(o, "value", ken_app_setting_json(c, key, &x->arena));
        ken_json_set_str(o, "source", ken_config_where(c, key));
        ken_json_set_str(o, "environment", ken_str_c(ken_config_key_env(key)));
        ken_json_set_str(o, "text", ken_str_c(ken_config_key_text(key)));
        ken_json_append(list, o);
    }
    ken_json_set(top, "settings", list);
    ken_json_set(top, "without_effect", ken_app_setting_notes_json(c));
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
    print_notes(x, c);
    ken_cli__print("\nsettings file: ");
    ken_cli__print_text(ken_config_user_file(c));
    ken_cli__print("%s\n", ken_config_user_file(c).len && ken_fs_exists(ken_config_user_file(c).ptr)
                               ? ""
                               : " (none)");
}

// The settings as they are in the project around, if there is one.
static ken_status run_config_show(cli *x, ken_err *err)
{
    cli_place place = { 0 };
    ken_config *settings = NULL;
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

// ---- set, unset, edit ----

typedef struct target {
    ken_str path;
    ken_config_source source;
} target;

// The user's file, or with --project that of a project. Settings may be broken: then a project is named by its
// folder.
static ken_status find_target(cli *x, target *out, ken_err *err)
{
    const char *named = ken_cli__args_get(&x->args, "project");
    cli_place place = { 0 };
    if (!named) {
        out->source = KEN_CONFIG_USER_FILE;
        return ken_config_find_user_file(&x->arena, &out->path, err);
    }
    out->source = KEN_CONFIG_PROJECT_FILE;
    ken_str root = ken_str_c(named);
    ken_status st = x->app ? ken_cli__find_place(x, NULL, &place, err)
                           : ken_path_real(&x->arena, root, &root, err);
    if (!st)
        out->path = ken_config_project_path(&x->arena, x->app ? place.project.root : root);
    return st;
}

static void tell(const cli *x, const target *t, const char *key, const char *did)
{
    if (x->is_json) {
        json_t *top = json_object();
        ken_json_set_str(top, "key", ken_str_c(key));
        ken_json_set_str(top, "file", t->path);
        ken_json_set_str(top, "result", ken_str_c(did));
        ken_cli__print_json(top);
        return;
    }
    ken_cli__print("%s: %s in ", key, did);
    ken_cli__print_text(t->path);
    ken_cli__print("\n");
}

static ken_status run_config_set(cli *x, ken_err *err)
{
    target t = { 0 };
    ken_config_key key = 0;
    const char *name = x->args.words[0];
    x->is_usage_error = true;
    ken_status st = ken_config_find_key(name, &key, err);
    if (!st)
        st = find_target(x, &t, err);
    if (!st)
        st = ken_config_edit_set(t.path.ptr, t.source, key, ken_str_c(x->args.words[1]), err);
    if (st)
        return st;
    tell(x, &t, name, "set");
    const char *env = ken_config_key_env(key);
    ken_str names = ken_str_c(env), one;
    while (ken_str_split_next(&names, ',', &one)) {
        const char *variable = ken_arena_dup(&x->arena, one).ptr;
        if (ken_config_env(variable))
            ken_cli__note(x, "%s is set in the environment and goes before the file", variable);
    }
    return KEN_OK;
}

static ken_status run_config_unset(cli *x, ken_err *err)
{
    target t = { 0 };
    ken_config_key key = 0;
    bool was_set = false;
    const char *name = x->args.words[0];
    x->is_usage_error = true;
    ken_status st = ken_config_find_key(name, &key, err);
    if (!st)
        st = find_target(x, &t, err);
    if (!st)
        st = ken_config_edit_unset(t.path.ptr, t.source, key, &was_set, err);
    if (!st)
        tell(x, &t, name, was_set ? "unset" : "not set");
    return st;
}

// $VISUAL, $EDITOR, else vi, cut at blanks: "code --wait".
static ken_status run_editor(cli *x, const char *path, ken_err *err)
{
    const char *argv[EDITOR_WORDS_MAX + 2], *editor = ken_config_env("VISUAL");
    size_t n = 0;
    int code = 0;
    editor = editor ? editor : ken_config_env("EDITOR");
    ken_str rest = ken_str_c(editor ? editor : "vi"), word;
    while (n < EDITOR_WORDS_MAX && ken_str_split_next(&rest, ' ', &word))
        if (word.len)
            argv[n++] = ken_arena_dup(&x->arena, word).ptr;
    argv[n++] = path;
    argv[n] = NULL;
    ken_status st = ken_proc_run_on_terminal(argv, &code, err);
    if (st)
        return ken_err_wrap(err, "the editor (VISUAL or EDITOR)"), st;
    if (code)
        return KEN_FAIL(err, KEN_EIO, "the editor ended with %d; nothing was changed", code);
    return KEN_OK;
}

// A copy is edited, which replaces the file when it is right; else it stays for another attempt.
static ken_status run_config_edit(cli *x, ken_err *err)
{
    target t;
    ken_buf text = KEN_BUF_INIT(EDITED_MAX);
    ken_status st = find_target(x, &t, err);
    if (st)
        return st;
    const char *copy =
        ken_arena_printf(&x->arena, KEN_STR_FMT ".edited.yaml", KEN_STR_ARG(t.path)).ptr;
    st = ken_fs_make_dirs(ken_arena_dup(&x->arena, ken_path_dir(t.path)).ptr, 0700, err);
    if (!st && !ken_fs_exists(copy)) {
        if (ken_fs_exists(t.path.ptr))
            st = ken_fs_read_own(t.path.ptr, EDITED_MAX, &text, err);
        else
            ken_buf_puts(&text, "# Settings of ken; 'ken config show' lists all.\n");
        if (!st)
            st = ken_fs_write_atomic(copy, ken_buf_str(&text), err);
    }
    if (!st)
        st = run_editor(x, copy, err);
    if (!st)
        st = ken_fs_read_own(copy, EDITED_MAX, &text, err);
    if (!st) {
        st = ken_config_edit_check(ken_buf_str(&text), copy, t.source, err);
        if (st)
            ken_cli__note(x, "nothing was changed; 'ken config edit' goes on with what you wrote");
    }
    if (!st)
        st = ken_fs_replace(t.path.ptr, ken_buf_str(&text), err);
    if (!st)
        st = ken_fs_remove(copy, err);
    if (!st)
        tell(x, &t, "settings", "saved");
    ken_buf_release(&text);
    return st;
}

const cli_command ken_cli__config_show_command = { "config show",
                                                   "",
                                                   "show every setting and where it came from",
                                                   NULL,
                                                   NULL,
                                                   0,
                                                   0,
                                                   0,
                                                   true,
                                                   false,
                                                   run_config_show,
                                                   NULL,
                                                   0,
                                                   NULL };

// "indexing.jobs|…", each setting.
#define X(id, name, type, def, min, max, words, env, trust, text) "|" name
#define SETTINGS                                                  (&(KEN_CONFIG_KEYS(X))[1])

const cli_command ken_cli__config_set_command = {
    "config set",
    "KEY VALUE",
    "set a setting in your settings file, or with --project in a project's",
    "Comments, order and all else in the file stay. Elements of a list are separated by commas.\n\n"
    "  ken config set indexing.max_file_size 2MiB\n"
    "  ken config set indexing.exclude 'gen/**,*.min.js' --project .",
    NULL,
    0,
    2,
    2,
    true,
    false,
    run_config_set,
    NULL,
    0,
    SETTINGS
};

const cli_command ken_cli__config_unset_command = { "config unset",
                                                    "KEY",
                                                    "take a setting out of the file again",
                                                    NULL,
                                                    NULL,
                                                    0,
                                                    1,
                                                    1,
                                                    true,
                                                    false,
                                                    run_config_unset,
                                                    NULL,
                                                    0,
                                                    SETTINGS };

const cli_command ken_cli__config_edit_command = {
    "config edit",
    "",
    "open the settings file in an editor, and check what was written",
    "The editor is VISUAL, else EDITOR, else vi. A file that is wrong is not taken: the next\n"
    "'ken config edit' goes on with it.",
    NULL,
    0,
    0,
    0,
    false,
    false,
    run_config_edit,
    NULL,
    0,
    NULL
};

#undef X
