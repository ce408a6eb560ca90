// SPDX-License-Identifier: MIT
// ken status, ken stats: the index itself.
#include <inttypes.h>

#include "base/clock.h"
#include "cli/cli_print_priv.h"
#include "json/json.h"

enum {
    SKIPS_SHOWN = 1000,
    LANGS_SHOWN = 20
};

static ken_str text_of_n(cli *x, uint64_t n)
{
    return ken_cli__format_count(&x->arena, n);
}

static void print_row(const cli *x, const char *name, ken_str value)
{
    ken_cli__paint(x, KEN_STYLE_DIM, "  %-10s", name);
    ken_cli__print_text(value);
    ken_cli__print("\n");
}

// ---- skips ----

static ken_status parse_reason(const char *word, ken_skip_reason *out)
{
    *out = KEN_SKIP_NONE;
    for (size_t i = 1; word && i < KEN_SKIP_COUNT; i++)
        if (!strcmp(word, ken_skip_word((ken_skip_reason)i)))
            *out = (ken_skip_reason)i;
    return KEN_OK;
}

static void print_skips_json(const cli_place *place, const ken_scan_skip *rows, size_t n)
{
    json_t *top = json_object(), *list = json_array();
    ken_cli__json_set_project(top, &place->project);
    for (size_t i = 0; i < n; i++) {
        json_t *o = json_object();
        ken_json_set_str(o, "file_path", rows[i].path);
        ken_json_set_str(o, "reason", ken_str_c(ken_skip_word(rows[i].reason)));
        ken_json_append(list, o);
    }
    ken_json_set(top, "skipped", list);
    ken_cli__print_json(top);
}

static ken_status list_skips(cli *x, const cli_place *place, ken_err *err)
{
    ken_scan_skip *rows = NULL;
    size_t n = 0;
    uint64_t limit = SKIPS_SHOWN;
    ken_skip_reason reason;
    ken_status st = ken_cli__args_u64(&x->args, "limit", 1, 1000000, SKIPS_SHOWN, &limit, err);
    if (!st)
        st = parse_reason(ken_cli__args_get(&x->args, "skipped"), &reason);
    if (!st)
        st = ken_app_list_skips(x->app, &place->project, reason, (size_t)limit, &x->arena, &rows,
                                &n, err);
    if (st)
        return st;
    if (x->is_json) {
        print_skips_json(place, rows, n);
        return KEN_OK;
    }
    ken_skip_reason last = KEN_SKIP_NONE;
    for (size_t i = 0; i < n; i++) {
        if (rows[i].reason != last)
            ken_cli__paint(x, KEN_STYLE_BOLD, "%s%s (%s)\n", i ? "\n" : "",
                           ken_skip_word(rows[i].reason), ken_skip_text(rows[i].reason));
        last = rows[i].reason;
        ken_cli__print("  ");
        ken_cli__print_text(rows[i].path);
        ken_cli__print("\n");
    }
    if (!n)
        ken_cli__note(x, "nothing was skipped");
    else if (n == limit)
        ken_cli__note(x, "the first %zu; -k shows more", n);
    return KEN_OK;
}

// ---- status ----

static void print_skip_counts(cli *x, const ken_snapshot_stats *s)
{
    for (size_t i = 1; i < KEN_SKIP_COUNT; i++)
        if (s->skips[i])
            print_row(x, "skipped",
                      ken_arena_printf(
                          &x->arena, KEN_STR_FMT "  %s: %s", KEN_STR_ARG(text_of_n(x, s->skips[i])),
                          ken_skip_word((ken_skip_reason)i), ken_skip_text((ken_skip_reason)i)));
}

static void print_commit(cli *x, const cli_place *place, const ken_snapshot_stats *s)
{
    ken_arena *a = &x->arena;
    ken_str head = ken_app_read_head(place->project.root, a);
    bool has_moved = head.len && !ken_str_eq(head, s->git_head);
    print_row(x, "commit",
              ken_arena_printf(a, KEN_STR_FMT "%s" KEN_STR_FMT "%s",
                               KEN_STR_ARG(ken_str_sub(s->git_head, 0, 12)),
                               s->git_branch.len ? " on " : "", KEN_STR_ARG(s->git_branch),
                               has_moved ? "; the work tree has moved, to update: ken index" : ""));
}

static void print_model(cli *x, const cli_place *place)
{
    ken_config *settings = NULL;
    ken_model_record m = { 0 };
    ken_err e = { 0 };
    ken_status st = ken_app_load_settings(x->app, &place->project, &settings, &e);
    if (!st)
        st = ken_app_project_model(x->app, &place->project, settings, &x->arena, &m, &e);
    ken_str text = ken_str_c(e.msg);
    if (!st)
        text = ken_arena_printf(&x->arena, KEN_STR_FMT " (" KEN_STR_FMT ")%s%s%s" KEN_STR_FMT,
                                KEN_STR_ARG(m.id), KEN_STR_ARG(m.provider),
                                m.status == KEN_MODEL_READY ? "" : ", ",
                                m.status == KEN_MODEL_READY ? "" : ken_model_status_word(m.status),
                                m.url.len ? "; code is sent to " : "", KEN_STR_ARG(m.url));
    print_row(x, "model", text);
    ken_config_free(settings);
}

// Whose vectors answer, and how far those are that are to replace them.
static void print_vectors(cli *x, const cli_place *place)
{
    ken_index_vectors v;
    ken_arena *a = &x->arena;
    ken_err err = { 0 };
    ken_status st = ken_app_load_vectors(x->app, &place->project, a, &v, &err);
    if (st && st != KEN_ENOTFOUND)
        print_row(x, "vectors", ken_arena_printf(a, "cannot be read: %s", err.msg));
    if (st)
        return;
    ken_str next = KEN_STR("");
    if (*v.next)
        next = ken_arena_printf(a, "; %s is at " KEN_STR_FMT ", to go on: ken index", v.next,
                                KEN_STR_ARG(text_of_n(x, v.n_next)));
    ken_str age = KEN_STR(""), took = KEN_STR("");
    if (v.cost.n_texts)
        took = ken_arena_printf(a, ", " KEN_STR_FMT " in " KEN_STR_FMT,
                                KEN_STR_ARG(ken_cli__format_n(a, v.cost.n_texts, "text")),
                                KEN_STR_ARG(ken_cli__format_duration(a, (int64_t)v.cost.n_ms)));
    if (v.made_at_ms)
        age = ken_cli__format_age(a, v.made_at_ms, ken_clock_wall_ms());
    print_row(x, "vectors",
              ken_arena_printf(a,
                               "%s, %u dimensions, " KEN_STR_FMT " of " KEN_STR_FMT
                               ", " KEN_STR_FMT KEN_STR_FMT "%s" KEN_STR_FMT KEN_STR_FMT,
                               v.active, v.n_dims, KEN_STR_ARG(text_of_n(x, v.n_active)),
                               KEN_STR_ARG(ken_cli__format_n(a, v.n_contents, "content")),
                               KEN_STR_ARG(ken_cli__format_size(a, v.n_bytes)), KEN_STR_ARG(took),
                               age.len ? ", " : "", KEN_STR_ARG(age), KEN_STR_ARG(next)));
}

static void print_status(cli *x, const cli_place *place, const ken_snapshot_stats *s)
{
    ken_arena *a = &x->arena;
    char id[KEN_UUID_TEXT];
    ken_uuid_format(place->project.id, id);
    ken_cli__paint_text(x, KEN_STYLE_NAME, place->project.name);
    ken_cli__print("\n");
    print_row(x, "root", place->project.root);
    if (!place->project.root_exists)
        print_row(x, "state",
                  KEN_STR("the folder is gone; to forget the project: ken projects remove"));
    print_row(x, "id", ken_str_c(id));
    print_row(x, "index", place->project.db_path);
    print_row(x, "indexed", ken_cli__format_age(a, s->indexed_at_ms, ken_clock_wall_ms()));
    if (s->git_head.len)
        print_commit(x, place, s);
    print_row(x, "files", text_of_n(x, s->n_files));
    print_row(x, "chunks", text_of_n(x, s->n_chunks));
    print_row(x, "symbols", text_of_n(x, s->n_symbols));
    print_model(x, place);
    print_vectors(x, place);
    print_skip_counts(x, s);
    if (s->n_error_files)
        print_row(x, "errors",
                  ken_arena_printf(a, KEN_STR_FMT " with syntax errors",
                                   KEN_STR_ARG(ken_cli__format_n(a, s->n_error_files, "file"))));
}

// A folder that is no project yet looks like a project that was not indexed yet, without an id.
static void print_unknown_json(const cli_place *place)
{
    json_t *top = json_object(), *project = json_object();
    ken_json_set(project, "id", NULL);
    ken_json_set_str(project, "name", place->project.name);
    ken_json_set_str(project, "root", place->project.root);
    ken_json_set(top, "project", project);
    ken_json_set_str(top, "status", KEN_STR("not_indexed"));
    ken_cli__print_json(top);
}

static void print_unindexed(const cli *x, const cli_place *place)
{
    ken_cli__paint_text(x, KEN_STYLE_NAME, place->project.name);
    ken_cli__print("\n");
    print_row(x, "root", place->project.root);
    print_row(x, "indexed", KEN_STR("never; to index: ken index"));
}

static ken_status open_stats(cli *x, cli_place *place, bool may_index, ken_snapshot_stats *out,
                             ken_err *err)
{
    ken_snapshot *s = NULL;
    ken_status st = ken_cli__open_place(x, place, may_index, &s, err);
    if (!st)
        st = ken_snapshot_get_stats(s, &x->arena, out, err);
    ken_cli__close_place(x, place, s);
    return st;
}

static ken_status show_status(cli *x, cli_place *place, ken_err *err)
{
    ken_snapshot_stats stats = { 0 };
    ken_err e = { 0 };
    ken_status st = open_stats(x, place, false, &stats, &e);
    if (!st)
        print_status(x, place, &stats);
    else if (st == KEN_ENOTFOUND)
        print_unindexed(x, place);
    else
        *err = e;
    return st == KEN_ENOTFOUND ? KEN_OK : st;
}

ken_status ken_cli__run_status(cli *x, ken_err *err)
{
    cli_place place = { 0 };
    ken_status st = ken_cli__find_place(x, x->args.n_words ? x->args.words[0] : NULL, &place, err);
    if (st)
        return st;
    if (ken_cli__args_has(&x->args, "skipped") && place.is_known)
        return list_skips(x, &place, err);
    if (!x->is_json)
        return show_status(x, &place, err);
    if (place.is_known)
        return ken_cli__print_tool(x, "get_repo_status", &place.project, json_object(), err);
    print_unknown_json(&place);
    return KEN_OK;
}

// ---- stats ----

static void print_stats_json(const cli_place *place, const ken_snapshot_stats *s)
{
    json_t *top = json_object(), *langs = json_array();
    ken_cli__json_set_project(top, &place->project);
    ken_json_set_u64(top, "generation", s->generation);
    ken_json_set_time(top, "indexed_at", s->indexed_at_ms);
    ken_json_set_u64(top, "files", s->n_files);
    ken_json_set_u64(top, "lines", s->n_lines);
    ken_json_set_u64(top, "bytes", s->n_bytes);
    ken_json_set_u64(top, "chunks", s->n_chunks);
    ken_json_set_u64(top, "symbols", s->n_symbols);
    ken_json_set_u64(top, "files_with_errors", s->n_error_files);
    ken_json_set_u64(top, "files_cut_by_lines", s->n_fallback_files);
    ken_json_set_u64(top, "segments", s->n_segments);
    ken_json_set_u64(top, "segment_bytes", s->segment_bytes);
    ken_json_set_u64(top, "index_bytes", s->store_bytes);
    for (size_t i = 0; i < s->n_langs; i++) {
        json_t *o = json_object();
        ken_json_set_str(o, "language", s->langs[i].language);
        ken_json_set_u64(o, "files", s->langs[i].n_files);
        ken_json_set_u64(o, "lines", s->langs[i].n_lines);
        ken_json_set_u64(o, "bytes", s->langs[i].n_bytes);
        ken_json_append(langs, o);
    }
    ken_json_set(top, "languages", langs);
    ken_cli__print_json(top);
}

static void print_stats(cli *x, const ken_snapshot_stats *s)
{
    ken_arena *a = &x->arena;
    cli_text_table t = ken_cli__table_new(a, "language|>files|>lines|>size");
    size_t n_shown = s->n_langs <= LANGS_SHOWN || x->is_verbose ? s->n_langs : LANGS_SHOWN;
    for (size_t i = 0; i < n_shown; i++) {
        const ken_lang_count *l = &s->langs[i];
        ken_cli__table_add(&t, l->language);
        ken_cli__table_add(&t, text_of_n(x, l->n_files));
        ken_cli__table_add(&t, text_of_n(x, l->n_lines));
        ken_cli__table_add(&t, ken_cli__format_size(a, l->n_bytes));
    }
    ken_cli__table_add(&t, KEN_STR("all"));
    ken_cli__table_add(&t, text_of_n(x, s->n_files));
    ken_cli__table_add(&t, text_of_n(x, s->n_lines));
    ken_cli__table_add(&t, ken_cli__format_size(a, s->n_bytes));
    ken_cli__table_print(x, &t);
    double part = s->n_bytes ? 100 * (double)s->store_bytes / (double)s->n_bytes : 0;
    ken_cli__print("\n");
    print_row(x, "chunks", text_of_n(x, s->n_chunks));
    print_row(x, "symbols", text_of_n(x, s->n_symbols));
    print_row(x, "index",
              ken_arena_printf(
                  a, KEN_STR_FMT ", %.0f%% of the source; %" PRIu64 " segments, " KEN_STR_FMT,
                  KEN_STR_ARG(ken_cli__format_size(a, s->store_bytes)), part, s->n_segments,
                  KEN_STR_ARG(ken_cli__format_size(a, s->segment_bytes))));
    if (s->n_error_files + s->n_fallback_files)
        print_row(x, "parsing",
                  ken_arena_printf(a,
                                   "%" PRIu64 " files with syntax errors, %" PRIu64 " cut by lines",
                                   s->n_error_files, s->n_fallback_files));
}

ken_status ken_cli__run_stats(cli *x, ken_err *err)
{
    cli_place place = { 0 };
    ken_snapshot_stats stats = { 0 };
    ken_status st = ken_cli__find_place(x, x->args.n_words ? x->args.words[0] : NULL, &place, err);
    if (!st)
        st = open_stats(x, &place, !ken_cli__args_has(&x->args, "no-index"), &stats, err);
    if (st)
        return st;
    if (x->is_json)
        print_stats_json(&place, &stats);
    else
        print_stats(x, &stats);
    return KEN_OK;
}
