// SPDX-License-Identifier: MIT
// A setup, step by step: what could stop it is looked at first, so that a run that fails has
// written nothing, or at most folders of its own.
#include "rulebook/rulebook_setup.h"

#include "base/alloc.h"
#include "base/fs.h"
#include "base/path.h"
#include "proc/proc_git.h"
#include "rulebook/rulebook_config.h"
#include "rulebook/rulebook_setup_priv.h"
#include "rulebook/rulebook_verify.h"
#include "rules/rules.h"

enum {
    GIT_MS = 10000,
    COMMIT_SHOWN = 12,
    EXCEPT_MAX = 2 * KEN_SURVEY_EXCEPT // files that a check excepts
};

const char *ken_setup_action_word(ken_setup_action a)
{
    static const char *const words[KEN_SETUP_ACTION_COUNT] = { "",
#define X(id, word) [KEN_SETUP_##id] = word,
                                                               KEN_SETUP_ACTION_TABLE(X)
#undef X
    };
    return a < KEN_SETUP_ACTION_COUNT ? words[a] : "";
}

// ---- folders that are given --------------------------------------------------------------------

// `given` relative to the root, "." for the root itself; ptr NULL when none is given.
static ken_status resolve_folder(const ken_setup_opts *o, const char *field, ken_str given,
                                 ken_arena *arena, ken_str *out, ken_err *err)
{
    *out = (ken_str){ NULL, 0 };
    if (!given.len)
        return KEN_OK;
    ken_str full, plain = ken_path_normalise(arena, given);
    ken_str relative = given.ptr[0] == '/' ? ken_path_relative(o->root, plain) : plain;
    if (!relative.ptr)
        return KEN_FAIL(err, KEN_EPERM,
                        "%s '" KEN_STR_FMT "' lies outside of the project '" KEN_STR_FMT "'", field,
                        KEN_STR_ARG(ken_str_sub(given, 0, 200)), KEN_STR_ARG(o->root));
    ken_fs_info info;
    ken_status st = KEN_OK;
    if (relative.len && !ken_str_eq_c(relative, "."))
        st = ken_path_resolve_under(arena, o->root, relative, &full, err);
    else
        full = o->root;
    if (st == KEN_EPERM)
        return ken_err_wrap(err, "%s", field);
    bool is_folder = !st && !ken_fs_stat(KEN_FS_CWD, ken_arena_dup(arena, full).ptr, &info, NULL) &&
                     info.kind == KEN_FS_DIR;
    if (!is_folder)
        return KEN_FAIL(err, KEN_ENOTFOUND, "%s '" KEN_STR_FMT "' is no folder of the project",
                        field, KEN_STR_ARG(ken_str_sub(given, 0, 200)));
    *out = relative.len ? relative : KEN_STR(".");
    return KEN_OK;
}

// What a person named in an earlier setup holds until another one is named, or it is gone.
static void recall_folders(const ken_setup_opts *o, ken_arena *arena, ken_survey_opts *out)
{
    ken_rulebook_config before;
    if (ken_rulebook_read_config(o->root, arena, &before, NULL))
        return; // is told when it is written
    if (!o->frontend_path.len && before.is_frontend_given)
        (void)resolve_folder(o, "frontendPath", before.frontend_path, arena, &out->frontend, NULL);
    if (!o->backend_path.len && before.is_backend_given)
        (void)resolve_folder(o, "backendPath", before.backend_path, arena, &out->backend, NULL);
}

// ---- what is there -----------------------------------------------------------------------------

// The name that the file has in this project.
static ken_str architecture_name(int root_fd)
{
    ken_fs_info info;
    bool is_yaml = ken_fs_stat(root_fd, "ARCHITECTURE.yml", &info, NULL) &&
                   !ken_fs_stat(root_fd, "ARCHITECTURE.yaml", &info, NULL);
    return is_yaml ? KEN_STR("ARCHITECTURE.yaml") : KEN_STR("ARCHITECTURE.yml");
}

static ken_status check_architecture(int root_fd, ken_str name, ken_arena *arena, ken_err *err)
{
    ken_buf text = KEN_BUF_INIT(SETUP_FILE_MAX + 1);
    ken_rules_doc doc;
    ken_status st = KEN_OK;
    if (!ken_fs_read_under(root_fd, name, SETUP_FILE_MAX, &text, NULL, NULL))
        st = ken_rules_parse(name, ken_buf_str(&text), arena, &doc, err);
    ken_buf_release(&text);
    return st;
}

// ---- .rag --------------------------------------------------------------------------------------

static ken_status make_folders(int root_fd, ken_err *err)
{
    ken_fs_info info;
    ken_status st = ken_fs_make_dirs_under(root_fd, KEN_STR(".rag/collections"), err);
    if (!st)
        st = ken_fs_make_dirs_under(root_fd, KEN_STR(".rag/generated"), err);
    if (!st && ken_fs_stat(root_fd, ".rag/.gitignore", &info, NULL))
        st = ken_fs_write_under(root_fd, KEN_STR(".rag/.gitignore"), KEN_STR("*\n"), err);
    return st;
}

static void set_path(json_t *changes, const char *key, ken_str path)
{
    ken_json_set(changes, key, path.ptr ? ken_json_str(path) : NULL);
}

static bool is_same_path(ken_str written, ken_str found)
{
    return ken_str_eq(written, found.ptr ? found : KEN_STR(""));
}

// The folders of this survey; `given`: what a person named, now or before.
static ken_status keep_config(ken_str root, const ken_survey *v, const ken_survey_opts *given,
                              ken_arena *arena, ken_err *err)
{
    ken_rulebook_config now;
    ken_status st = ken_rulebook_read_config(root, arena, &now, err);
    if (st)
        return st;
    bool has_frontend = given->frontend.ptr != NULL, has_backend = given->backend.ptr != NULL;
    if (now.has_file && is_same_path(now.frontend_path, v->frontend) &&
        is_same_path(now.backend_path, v->backend) && now.is_frontend_given == has_frontend &&
        now.is_backend_given == has_backend)
        return KEN_OK;
    json_t *changes = json_object();
    set_path(changes, "frontendPath", v->frontend);
    set_path(changes, "backendPath", v->backend);
    ken_json_set_bool(changes, "frontendGiven", has_frontend);
    ken_json_set_bool(changes, "backendGiven", has_backend);
    st = ken_rulebook_write_config(root, changes, err);
    json_decref(changes);
    return st;
}

// ---- where the code stands ---------------------------------------------------------------------

// The day of a commit, as its author's clock had it; empty when git cannot tell.
static ken_str day_of(ken_str root, ken_str commit, ken_arena *arena)
{
    const char *const argv[] = {
        "log", "-1", "--no-walk", "--format=%as", ken_arena_dup(arena, commit).ptr, "--", NULL
    };
    ken_proc_opts o = { .argv = argv, .cwd = ken_arena_dup(arena, root).ptr, .timeout_ms = GIT_MS };
    ken_proc_result r;
    if (ken_git_run(&o, &r, NULL))
        return KEN_STR("");
    ken_str day =
        r.exit_code ? KEN_STR("") : ken_arena_dup(arena, ken_str_trim(ken_buf_str(&r.out)));
    ken_proc_result_release(&r);
    return day;
}

// A day of the commit, not of the run: the same tree gives the same bytes.
static ken_str where_it_stands(ken_snapshot *s, ken_str root, ken_arena *arena)
{
    const ken_snapshot_head head = ken_snapshot_get_head(s);
    if (!head.git_head.len)
        return KEN_STR("");
    ken_str day = day_of(root, head.git_head, arena);
    return ken_arena_printf(arena, "the work tree at commit " KEN_STR_FMT "%s" KEN_STR_FMT "%s",
                            KEN_STR_ARG(ken_str_sub(head.git_head, 0, COMMIT_SHOWN)),
                            day.len ? " (" : "", KEN_STR_ARG(day), day.len ? ")" : "");
}

// ---- checks --------------------------------------------------------------------------------------

// Adds a path to a list that has room; false when the list is full.
static bool except_path(ken_str_list *l, ken_str path)
{
    for (size_t i = 0; i < l->n; i++)
        if (ken_str_eq(l->items[i], path))
            return true;
    if (l->n >= EXCEPT_MAX)
        return false;
    l->items[l->n++] = path;
    return true;
}

// Rules hold from where they are made: files in which a check finds something are excepted, and a
// check that finds too many, or cannot be done, is none.
static void except_found(ken_finding *f, uint32_t rule, const ken_verification *v, ken_arena *arena)
{
    ken_str_list all = { KEN_ARENA_ARRAY(arena, ken_str, EXCEPT_MAX + f->check.except.n + 1), 0 };
    bool fits = !v->is_truncated && v->outcomes[rule].is_checked;
    for (size_t i = 0; i < f->check.except.n; i++)
        all.items[all.n++] = f->check.except.items[i];
    for (size_t i = 0; fits && i < v->n; i++)
        if (v->violations[i].rule == rule)
            fits = except_path(&all, v->violations[i].path);
    f->check.except = all;
    if (!fits)
        f->check = (ken_rule_check){ .kind = KEN_CHECK_NONE };
}

static ken_status try_checks(ken_snapshot *s, ken_survey *survey, const ken_cancel *cancel,
                             ken_arena *arena, ken_err *err)
{
    ken_rule *rules = KEN_ARENA_ARRAY(arena, ken_rule, survey->n_findings + 1);
    ken_verify_opts o = { .max = KEN_VIOLATIONS_MAX };
    ken_verification v;
    for (size_t i = 0; i < survey->n_findings; i++)
        rules[i] = (ken_rule){ .check = survey->findings[i].check };
    ken_status st = ken_verify_rules(s, rules, survey->n_findings, &o, cancel, arena, &v, err);
    for (size_t i = 0; !st && i < survey->n_findings; i++)
        if (rules[i].check.kind != KEN_CHECK_NONE && v.outcomes[i].n_found)
            except_found(&survey->findings[i], (uint32_t)i, &v, arena);
    return st;
}

// ---- the whole ---------------------------------------------------------------------------------

static ken_status write_documents(ken_snapshot *s, const ken_setup_opts *o, int root_fd,
                                  const ken_survey_opts *given, ken_str architecture,
                                  ken_arena *arena, ken_setup *out, ken_err *err)
{
    setup_document *docs;
    size_t n;
    ken_rulebook__setup_write_all(s, &out->survey, architecture, where_it_stands(s, o->root, arena),
                                  arena, &docs, &n);
    out->files = KEN_ARENA_ARRAY(arena, ken_setup_file, n + 1);
    ken_status st = make_folders(root_fd, err);
    for (size_t i = 0; !st && i < n; i++)
        st = ken_rulebook__setup_place(root_fd, o->root, &docs[i], o->is_forced, arena,
                                       &out->files[i], err);
    out->n_files = n;
    return st ? st : keep_config(o->root, &out->survey, given, arena, err);
}

static ken_status set_up(ken_snapshot *s, const ken_setup_opts *o, int root_fd, ken_arena *arena,
                         ken_setup *out, ken_err *err)
{
    ken_survey_opts survey = { .cancel = o->cancel };
    ken_str name = architecture_name(root_fd);
    ken_status st =
        resolve_folder(o, "frontend_path", o->frontend_path, arena, &survey.frontend, err);
    if (!st)
        st = resolve_folder(o, "backend_path", o->backend_path, arena, &survey.backend, err);
    if (!st)
        recall_folders(o, arena, &survey);
    if (!st)
        st = check_architecture(root_fd, name, arena, err);
    if (!st)
        st = ken_survey_run(s, &survey, arena, &out->survey, err);
    if (!st)
        st = try_checks(s, &out->survey, o->cancel, arena, err);
    return st ? st : write_documents(s, o, root_fd, &survey, name, arena, out, err);
}

ken_status ken_rulebook_setup(ken_snapshot *s, const ken_setup_opts *o, ken_arena *arena,
                              ken_setup *out, ken_err *err)
{
    int root_fd = -1;
    ken_setup result = { .n_files = 0 };
    ken_status st = ken_fs_open_dir(ken_arena_dup(arena, o->root).ptr, &root_fd, err);
    if (st)
        return st;
    result.collections = ken_rulebook_collections_path(o->root, arena);
    st = set_up(s, o, root_fd, arena, &result, err);
    ken_fs_close(root_fd);
    if (!st)
        *out = result;
    return st;
}
