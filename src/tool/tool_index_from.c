// SPDX-License-Identifier: MIT
// `ken index --from`: an index that another machine has exported is taken in before the run, when the project has
// none. One that cannot be had or does not fit is told, and the run makes the index without it: who asked for
// an index gets one.
#include "app/bundles.h"
#include "base/utf8.h"
#include "tool/tool_graph_priv.h"
#include "tool/tool_index_priv.h"

// The path or URL, without a query: that may hold a secret.
static ken_str shown(ken_str from)
{
    size_t at = ken_app_is_bundle_url(from) ? ken_str_find_char(from, '?') : SIZE_MAX;
    return ken_utf8_clip(ken_str_sub(from, 0, at), 200);
}

static void on_bytes(void *ctx, uint64_t done_bytes, uint64_t total_bytes)
{
    const ken_index_progress p = { "fetching", 0, 0, done_bytes, total_bytes, 0 };
    ken_tool__on_index(ctx, &p);
}

static json_t *outcome(ken_str from, bool is_used, const char *note)
{
    json_t *o = json_object();
    ken_json_set_str(o, "source", shown(from));
    ken_json_set_bool(o, "used", is_used);
    ken_json_set(o, "note", note ? ken_json_str(ken_str_c(note)) : NULL);
    return o;
}

ken_status ken_tool__open_from(const ken_tool_env *env, const ken_project_info *project,
                               ken_str from, ken_tool__bundle *out, ken_err *err)
{
    ken_err e = { 0 };
    *out = (ken_tool__bundle){ .from = from };
    if (!from.len)
        return KEN_OK;
    if (!env->ctx->is_command)
        return KEN_FAIL(err, KEN_EPERM, "args.from is for the command line: ken index --from");
    if (project->indexed_at_ms) {
        out->told = outcome(from, false, "the project has an index, which is brought up to date");
        return KEN_OK;
    }
    ken_str place = ken_app_is_bundle_url(from) ? from : ken_tool__absolute(env, from);
    ken_status st = ken_app_open_bundle(env->app, place, on_bytes, (void *)(uintptr_t)env,
                                        env->ctx->cancel, &out->bundle, &e);
    if (st == KEN_ECANCELLED) {
        if (err)
            *err = e;
        return st;
    }
    if (st)
        out->told = outcome(from, false, e.msg);
    return KEN_OK;
}

ken_status ken_tool__take_from(const ken_tool_env *env, ken_project_info *project,
                               ken_index_progress_fn *on_progress, void *progress_ctx,
                               const ken_cancel *cancel, ken_tool__bundle *b, ken_err *err)
{
    ken_app_import_report r;
    ken_err e = { 0 };
    if (!b->bundle)
        return KEN_OK;
    const ken_app_import_opts opts = { .on_progress = on_progress, .progress_ctx = progress_ctx };
    ken_status st = ken_app_import(env->app, project->root, KEN_STR(""), b->bundle, &opts, cancel,
                                   env->arena, &r, &e);
    if (!st) {
        *project = r.project;
        b->told = outcome(b->from, true, NULL);
        ken_json_set_str(b->told, "commit", ken_app_bundle_info(b->bundle)->commit);
        ken_json_set_u64(b->told, "files", r.copied.n_files);
    } else if (st != KEN_ECANCELLED && st != KEN_ETIMEOUT) {
        b->told = outcome(b->from, false, e.msg);
        st = KEN_OK;
    } else if (err) {
        *err = e;
    }
    ken_app_close_bundle(b->bundle);
    b->bundle = NULL;
    return st;
}

void ken_tool__close_from(ken_tool__bundle *b)
{
    ken_app_close_bundle(b->bundle);
    json_decref(b->told);
    *b = (ken_tool__bundle){ .bundle = NULL };
}

void ken_tool__put_from(const json_t *told, ken_paint *out)
{
    if (!told)
        return;
    bool is_used = json_is_true(json_object_get(told, "used"));
    ken_paint_puts(out, is_used ? "  began with " : "  without ");
    ken_paint_path(out, ken_tool__member(told, "source"));
    if (is_used)
        ken_paint_printf(out, KEN_STYLE_PLAIN, ": %lld file%s\n", ken_tool__number(told, "files"),
                         ken_tool__number(told, "files") == 1 ? "" : "s");
    else
        ken_paint_printf(out, KEN_STYLE_BAD, ": " KEN_STR_FMT "\n",
                         KEN_STR_ARG(ken_tool__member(told, "note")));
}
