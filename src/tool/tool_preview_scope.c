// SPDX-License-Identifier: MIT
// preview_scope: what a run with these patterns would index and leave out. It is the scan of a run, and nothing else.
#include <stdlib.h>

#include "app/projects.h"
#include "base/clock.h"
#include "base/figure.h"
#include "base/utf8.h"
#include "lang/lang.h"
#include "scan/scan.h"
#include "tool/tool_graph_priv.h"
#include "tool/tool_index_priv.h"

typedef struct preview {
    const ken_tool_env *env;
    ken_project_info project; // of a folder that is none: its root alone
    ken_config *settings;
    ken_index_limits limits;
    ken_scan_opts scan;
    ken_scan_result found;
    size_t limit;
} preview;

static ken_status find_folder(preview *p, ken_str path, ken_err *err)
{
    ken_str full = ken_tool__absolute(p->env, path);
    if (p->env->ctx->project.len || p->env->ctx->is_read_only)
        return KEN_FAIL(err, KEN_EPERM,
                        "a folder that is no project is shown to who may make it one: not to who "
                        "may only read, or serves one project");
    if (!ken_str_starts(full, KEN_STR("/")))
        return KEN_FAIL(err, KEN_EINVAL, "args.path '" KEN_STR_FMT "' must be an absolute path",
                        KEN_STR_ARG(ken_utf8_clip(path, 200)));
    p->project = (ken_project_info){ .root_exists = true };
    return ken_app_check_candidate(p->env->app, full, p->env->arena, &p->project.root, err);
}

static ken_status find_subject(preview *p, const ken_args_preview_scope *a, ken_err *err)
{
    if (a->path.len && a->project.len)
        return KEN_FAIL(err, KEN_EINVAL, "args.path: give it or project, not both");
    if (a->path.len)
        return find_folder(p, a->path, err);
    ken_status st = ken_tool__find_project(p->env, a->project, &p->project, err);
    if (!st && !p->project.root_exists)
        st = KEN_FAIL(err, KEN_ENOTFOUND, "the folder of project '" KEN_STR_FMT "' is not there",
                      KEN_STR_ARG(p->project.name));
    return st ? st : ken_app_load_limits(p->env->app, &p->project, p->env->arena, &p->limits, err);
}

// As a run has them: the settings, and before these what the index is limited to.
static ken_status set_opts(preview *p, const ken_args_preview_scope *a, ken_err *err)
{
    bool has_changed = false;
    ken_status st = ken_tool__change_limits(p->env, a->include_patterns, a->exclude_patterns,
                                            &p->limits, &has_changed, err);
    if (!st)
        st = ken_app_load_settings(p->env->app, &p->project, &p->settings, err);
    if (st)
        return st;
    p->scan = ken_app_index_opts(p->settings).scan;
    if (p->limits.n_include) {
        p->scan.include = p->limits.include;
        p->scan.n_include = p->limits.n_include;
    }
    if (p->limits.n_exclude) {
        p->scan.exclude = p->limits.exclude;
        p->scan.n_exclude = p->limits.n_exclude;
    }
    if (p->limits.max_file_bytes)
        p->scan.max_file_bytes = p->limits.max_file_bytes;
    p->scan.wants_ignored = true;
    p->limits = (ken_index_limits){ .include = p->scan.include,
                                    .n_include = p->scan.n_include,
                                    .exclude = p->scan.exclude,
                                    .n_exclude = p->scan.n_exclude,
                                    .max_file_bytes = p->scan.max_file_bytes };
    return KEN_OK;
}

// KEN_ETIMEOUT when the time of this look is over, and not that of the call.
static ken_status run_scan(preview *p, uint64_t seconds, ken_err *err)
{
    ken_arena *arena = p->env->arena;
    ken_cancel cancel = { .also = p->env->ctx->cancel };
    cancel.deadline_ns = ken_clock_mono_ns() + (int64_t)seconds * 1000000000;
    ken_roots *more = KEN_ARENA_NEW(arena, ken_roots);
    *more = ken_app_roots(&p->project, arena);
    p->scan.roots = more->n ? more : NULL;
    ken_status st = ken_scan(ken_arena_dup(arena, p->project.root).ptr, &p->scan, &cancel, arena,
                             &p->found, err);
    if (st == KEN_ETIMEOUT && ken_cancel_check(p->env->ctx->cancel, err))
        return KEN_ECANCELLED;
    return st;
}

// ---- the answer ---------------------------------------------------------------------------------

typedef struct lang_sum {
    ken_lang_id lang;
    uint64_t n_files, n_bytes;
} lang_sum;

static int by_files(const void *a, const void *b)
{
    const lang_sum *x = a, *y = b;
    if (x->n_files != y->n_files)
        return x->n_files > y->n_files ? -1 : 1;
    return (x->lang > y->lang) - (x->lang < y->lang);
}

static void set_files(const preview *p, json_t *o)
{
    lang_sum sums[KEN_LANG_COUNT] = { { .n_files = 0 } };
    uint64_t bytes = 0;
    json_t *langs = json_array(), *examples = json_array();
    size_t n = p->found.n_files, step = n / p->limit + 1;
    for (size_t i = 0; i < KEN_LANG_COUNT; i++)
        sums[i].lang = (ken_lang_id)i;
    for (size_t i = 0; i < n; i++) {
        const ken_scan_file *f = &p->found.files[i];
        ken_lang_id lang = ken_lang_of(f->path, KEN_STR(""));
        sums[lang].n_files++;
        sums[lang].n_bytes += f->stamp.size;
        bytes += f->stamp.size;
        if (i % step == 0)
            ken_json_append(examples, ken_json_str(f->path));
    }
    qsort(sums, KEN_LANG_COUNT, sizeof *sums, by_files);
    for (size_t i = 0; i < KEN_LANG_COUNT && sums[i].n_files; i++) {
        json_t *l = json_object();
        ken_json_set_str(l, "language", ken_str_c(ken_lang_name(sums[i].lang)));
        ken_json_set_u64(l, "files", sums[i].n_files);
        ken_json_set_u64(l, "bytes", sums[i].n_bytes);
        ken_json_append(langs, l);
    }
    ken_json_set_u64(o, "files", n);
    ken_json_set_u64(o, "bytes", bytes);
    ken_json_set(o, "languages", langs);
    ken_json_set(o, "examples", examples);
}

// What is left out, by reason.
typedef struct left_out {
    uint64_t n[KEN_SKIP_COUNT], total;
    json_t *examples[KEN_SKIP_COUNT];
} left_out;

static left_out nothing_left_out(void)
{
    left_out l = { .total = 0 };
    for (size_t i = 0; i < KEN_SKIP_COUNT; i++)
        l.examples[i] = json_array();
    return l;
}

static void leave_out(left_out *l, ken_skip_reason reason, ken_str path, size_t n_examples)
{
    l->total++;
    if (l->n[reason]++ < n_examples)
        ken_json_append(l->examples[reason], ken_json_str(path));
}

static void set_left_out(left_out *l, json_t *o)
{
    json_t *list = json_array();
    for (size_t i = 0; i < KEN_SKIP_COUNT; i++) {
        if (!l->n[i]) {
            json_decref(l->examples[i]);
            continue;
        }
        json_t *r = json_object();
        ken_json_set_str(r, "reason", ken_str_c(ken_skip_word((ken_skip_reason)i)));
        ken_json_set_str(r, "text", ken_str_c(ken_skip_text((ken_skip_reason)i)));
        ken_json_set_u64(r, "count", l->n[i]);
        ken_json_set(r, "examples", l->examples[i]);
        ken_json_append(list, r);
    }
    ken_json_set(o, "skipped", list);
    ken_json_set_u64(o, "skipped_total", l->total);
}

static void set_skips(const preview *p, json_t *o)
{
    left_out l = nothing_left_out();
    uint64_t n_git = 0;
    for (size_t i = 0; i < p->found.n_skips; i++) {
        const ken_scan_skip *s = &p->found.skips[i];
        leave_out(&l, s->reason, s->path, p->limit);
        n_git += s->is_git_ignored;
    }
    set_left_out(&l, o);
    ken_json_set_u64(o, "git_ignored", n_git);
}

static int skip_order(const void *a, const void *b)
{
    return ken_str_cmp(((const ken_skip_row *)a)->path, ((const ken_skip_row *)b)->path);
}

// Of the files that are found: those that the index has, and those that it left out as it read them.
static ken_status compare(const preview *p, ken_snapshot *snap, json_t *o, ken_err *err)
{
    const ken_file_row *rows = NULL;
    ken_skip_row *skips = NULL;
    size_t n_rows = ken_snapshot_list_files(snap, &rows), n_skips = 0, row = 0;
    ken_status st = ken_snapshot_list_skips(snap, KEN_SKIP_NONE, SIZE_MAX / 4096, p->env->arena,
                                            &skips, &n_skips, err);
    if (st)
        return st;
    if (n_skips)
        qsort(skips, n_skips, sizeof *skips, skip_order);
    left_out l = nothing_left_out();
    uint64_t n_indexed = 0, n_unread = 0;
    for (size_t i = 0; i < p->found.n_files; i++) {
        const ken_skip_row key = { .path = p->found.files[i].path };
        while (row < n_rows && ken_str_cmp(rows[row].path, key.path) < 0)
            row++;
        const ken_skip_row *skip =
            n_skips ? bsearch(&key, skips, n_skips, sizeof *skips, skip_order) : NULL;
        if (row < n_rows && ken_str_eq(rows[row].path, key.path))
            n_indexed++;
        else if (skip)
            leave_out(&l, skip->reason, key.path, p->limit);
        else
            n_unread++;
    }
    ken_json_set_u64(o, "files", n_indexed);
    set_left_out(&l, o);
    ken_json_set_u64(o, "unread", n_unread);
    ken_json_set_u64(o, "not_found", n_rows - n_indexed);
    return KEN_OK;
}

// Without an index, or while it cannot be opened, what was found is all that is known.
static void set_index(const preview *p, json_t *o)
{
    ken_snapshot *snap = NULL;
    json_t *index = json_object();
    bool is_known = p->project.indexed_at_ms &&
                    !ken_app_borrow(p->env->app, &p->project, &snap, NULL) &&
                    !compare(p, snap, index, NULL);
    if (snap)
        ken_app_give_back(p->env->app, &p->project, snap);
    if (is_known)
        ken_json_set(o, "in_index", index);
    else
        json_decref(index);
}

ken_status ken_tool__preview_scope(const ken_tool_env *env, const void *args, json_t **out,
                                   ken_err *err)
{
    const ken_args_preview_scope *a = args;
    preview p = { .env = env, .limit = (size_t)a->limit };
    int64_t began = ken_clock_mono_ns();
    ken_status st = find_subject(&p, a, err);
    if (!st)
        st = set_opts(&p, a, err);
    if (!st)
        st = run_scan(&p, a->timeout_seconds, err);
    bool is_over = st == KEN_ETIMEOUT;
    if (!st || is_over) {
        json_t *o = json_object();
        ken_json_set_str(o, "root", p.project.root);
        ken_tool__set_limits(o, &p.limits);
        set_files(&p, o);
        set_skips(&p, o);
        if (is_over) {
            ken_json_set_bool(o, "truncated", true);
            ken_json_set_str(o, "note",
                             KEN_STR("the time was over before all folders were read, so nothing "
                                     "is counted; give more timeout_seconds"));
        } else {
            ken_json_set_bool(o, "is_git", p.found.is_git);
            set_index(&p, o);
        }
        ken_json_set_u64(o, "duration_ms", (uint64_t)(ken_clock_mono_ns() - began) / 1000000);
        *out = o;
        st = KEN_OK;
    }
    ken_config_free(p.settings);
    return st;
}

void ken_tool__preview_scope_text(const json_t *answer, ken_paint *out)
{
    ken_paint_str(out, KEN_STYLE_PATH, ken_tool__member(answer, "root"));
    ken_paint_printf(
        out, KEN_STYLE_PLAIN, "\n  %lld file%s, %lld bytes\n", ken_tool__number(answer, "files"),
        ken_tool__number(answer, "files") == 1 ? "" : "s", ken_tool__number(answer, "bytes"));
    const json_t *index = json_object_get(answer, "in_index");
    if (index)
        ken_paint_printf(out, KEN_STYLE_PLAIN,
                         "  of these: %lld in the index, %lld left out as they were read, %lld not "
                         "read yet\n",
                         ken_tool__number(index, "files"), ken_tool__number(index, "skipped_total"),
                         ken_tool__number(index, "unread"));
    ken_tool__put_table(json_object_get(answer, "skipped"), "LEFT OUT|WHY|>COUNT",
                        "reason|text|#count", out);
    ken_tool__put_tail(answer, out);
}
