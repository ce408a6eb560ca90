// SPDX-License-Identifier: MIT
// ken index
#include <inttypes.h>

#include "cli/cli_print_priv.h"
#include "json/json.h"

static void set_patterns(cli *x, json_t *args, const char *option, const char *member)
{
    const char **globs;
    size_t n = ken_cli__args_list(&x->args, option, &x->arena, &globs);
    json_t *list = n ? json_array() : NULL;
    for (size_t i = 0; i < n; i++)
        ken_json_append(list, ken_json_str(ken_str_c(globs[i])));
    if (list)
        ken_json_set(args, member, list);
}

static ken_status index_json(cli *x, const ken_project_info *p, ken_err *err)
{
    json_t *args = json_object();
    ken_json_set_str(args, "repo_path", p->root);
    if (ken_cli__args_has(&x->args, "force"))
        ken_json_set_bool(args, "force_reindex", true);
    if (ken_cli__args_has(&x->args, "only"))
        ken_json_set_bool(args, "only", true);
    if (ken_cli__args_has(&x->args, "all")) {
        json_t *everything = json_array();
        ken_json_append(everything, ken_json_str(KEN_STR("**")));
        ken_json_set(args, "include_patterns", everything);
    }
    set_patterns(x, args, "include", "include_patterns");
    set_patterns(x, args, "exclude", "exclude_patterns");
    if (ken_cli__args_has(&x->args, "max-file-size"))
        ken_json_set_u64(args, "max_file_size",
                         ken_config_u64(ken_app_config(x->app), KEN_CFG_MAX_FILE_SIZE));
    return ken_cli__print_tool(x, "index_repository", p, args, err);
}

static void print_issues(const cli *x, const ken_index_report *r)
{
    size_t n_shown = x->is_verbose ? r->n_issues : (r->n_issues < 5 ? r->n_issues : 5);
    for (size_t i = 0; i < n_shown; i++) {
        ken_cli__print("  ");
        ken_cli__paint_text(x, KEN_STYLE_PATH, r->issues[i].path);
        ken_cli__print(": ");
        ken_cli__print_text(r->issues[i].text);
        ken_cli__print("\n");
    }
    if (n_shown < r->n_issues)
        ken_cli__print("  and %zu more; -v shows all\n", r->n_issues - n_shown);
}

static void print_report(cli *x, const ken_project_info *p, const ken_index_opts *opts,
                         const ken_index_report *r)
{
    ken_arena *a = &x->arena;
    ken_cli__paint_text(x, KEN_STYLE_NAME, p->name);
    ken_cli__print("  ");
    ken_cli__paint_text(x, KEN_STYLE_PATH, p->root);
    ken_cli__print("\n  " KEN_STR_FMT ", " KEN_STR_FMT ", " KEN_STR_FMT " in " KEN_STR_FMT "\n",
                   KEN_STR_ARG(ken_cli__format_n(a, r->n_files, "file")),
                   KEN_STR_ARG(ken_cli__format_n(a, r->n_chunks, "chunk")),
                   KEN_STR_ARG(ken_cli__format_n(a, r->n_symbols, "symbol")),
                   KEN_STR_ARG(ken_cli__format_duration(a, r->duration_ms)));
    if (r->n_added + r->n_modified + r->n_removed + r->n_renamed)
        ken_cli__print("  %" PRIu64 " added, %" PRIu64 " modified, %" PRIu64 " removed, %" PRIu64
                       " renamed, %" PRIu64 " unchanged; " KEN_STR_FMT " parsed\n",
                       r->n_added, r->n_modified, r->n_removed, r->n_renamed, r->n_unchanged,
                       KEN_STR_ARG(ken_cli__format_size(a, r->bytes_parsed)));
    else
        ken_cli__print("  nothing has changed\n");
    if (!r->n_files)
        ken_cli__print("  " KEN_STR_FMT "\n", KEN_STR_ARG(ken_index_empty_note(r, opts, a)));
    else if (r->n_skipped)
        ken_cli__print("  %" PRIu64 " skipped; ken status --skipped lists them\n", r->n_skipped);
    if (r->scope.len) {
        ken_str rest = r->scope, line;
        ken_cli__print("  limited to");
        while (ken_str_line_next(&rest, &line))
            ken_cli__print(" " KEN_STR_FMT "%s", KEN_STR_ARG(line), rest.len ? "," : "");
        ken_cli__print("; for everything: ken index --all\n");
    }
    if (r->n_checkpoints_kept || r->n_checkpoints_lost)
        ken_cli__print("  the index before was damaged: %" PRIu64 " checkpoints kept, %" PRIu64
                       " lost\n",
                       r->n_checkpoints_kept, r->n_checkpoints_lost);
    print_issues(x, r);
    ken_str note = ken_index_memory_note(r, a);
    if (note.len)
        ken_cli__print("  " KEN_STR_FMT "\n", KEN_STR_ARG(note));
}

// The vectors of the project's model, unless the index has them by itself.
static ken_status embed(cli *x, const ken_project_info *project, const ken_config *settings,
                        ken_app_embedding *out, ken_err *err)
{
    cli_progress progress;
    ken_cli__progress_init(&progress, x);
    ken_status st = ken_app_embed(x->app, project, settings, ken_cli__progress_show, &progress,
                                  x->cancel, &x->arena, out, err);
    ken_cli__progress_end(&progress);
    return st;
}

// `ken index PATH` makes the very folder a project; without PATH the one around us is meant.
static ken_status find_or_add(cli *x, ken_project_info *out, ken_err *err)
{
    const char *path = x->args.n_words ? x->args.words[0] : NULL;
    const char *name = ken_cli__args_get(&x->args, "name");
    cli_place place = { 0 };
    ken_str root;
    if (path) {
        root = ken_str_c(path);
    } else {
        ken_status st = ken_cli__find_place(x, NULL, &place, err);
        if (st)
            return st;
        root = place.project.root;
    }
    return ken_app_add_project(x->app, root, ken_str_c(name ? name : ""), &x->arena, out, err);
}

// What was given on the command line is for the index to remember.
static ken_index_scope scope_of(const cli *x)
{
    return (ken_index_scope){ .has_include = ken_cli__args_has(&x->args, "include"),
                              .has_exclude = ken_cli__args_has(&x->args, "exclude"),
                              .has_max_bytes = ken_cli__args_has(&x->args, "max-file-size"),
                              .is_cleared = ken_cli__args_has(&x->args, "all"),
                              .may_shrink = ken_cli__args_has(&x->args, "only") ||
                                            ken_cli__args_has(&x->args, "all") };
}

ken_status ken_cli__index_whole(cli *x, const ken_project_info *project, bool is_forced,
                                ken_index_scope scope, ken_app_embedding *out, ken_err *err)
{
    ken_config *settings = NULL;
    ken_index_report report = { 0 };
    ken_status st = ken_app_load_settings(x->app, project, &settings, err);
    if (st)
        return st;
    ken_index_opts opts = ken_app_index_opts(settings);
    opts.is_forced = is_forced;
    opts.scope = scope;
    st = ken_cli__index(x, project, opts, &report, err);
    if (!st && !x->is_json)
        print_report(x, project, &opts, &report);
    if (!st)
        st = embed(x, project, settings, out, err);
    ken_str text = st ? KEN_STR("") : ken_app_embedding_text(out, &x->arena);
    if (text.len && !x->is_json)
        ken_cli__print("  " KEN_STR_FMT "\n", KEN_STR_ARG(text));
    ken_config_free(settings);
    return st;
}

ken_status ken_cli__run_index(cli *x, ken_err *err)
{
    ken_project_info project;
    ken_app_embedding made;
    ken_status st = find_or_add(x, &project, err);
    if (!st)
        st = ken_app_enter_sandbox(x->app, &project, true, err);
    if (!st && x->is_json)
        return index_json(x, &project, err);
    if (!st)
        st = ken_cli__index_whole(x, &project, ken_cli__args_has(&x->args, "force"), scope_of(x),
                                  &made, err);
    return st;
}
