// SPDX-License-Identifier: MIT
// Who changed the lines of a result, as version control says.
#include "app/remotes.h"
#include "base/utf8.h"
#include "tool/tool_graph_priv.h"

static json_t *commit_json(const ken_history_commit *c)
{
    json_t *o = json_object();
    ken_json_set_str(o, "commit", c->id);
    ken_json_set_str(o, "author", c->author);
    ken_json_set_time(o, "date", c->time_s * 1000);
    ken_json_set_str(o, "subject", c->subject);
    return o;
}

// Each once, in the order of their newest commits.
static json_t *authors_json(const ken_history_touches *t)
{
    json_t *list = json_array();
    for (size_t i = 0; i < t->n_touches; i++) {
        bool is_new = true;
        for (size_t k = 0; k < i; k++)
            is_new =
                is_new && !ken_str_eq(t->touches[k].commit.author, t->touches[i].commit.author);
        if (is_new)
            ken_json_append(list, ken_json_str(t->touches[i].commit.author));
    }
    return list;
}

// In a clone of ours what git lacks is fetched, and git asked once more.
static ken_status fetch_and_ask(const ken_tool_env *env, const ken_tool__scope *scope, ken_str path,
                                uint32_t first_line, uint32_t last_line, ken_history_touches *t,
                                ken_err *err)
{
    ken_status st = ken_snapshot_touches(scope->snap, path, first_line, last_line, env->ctx->cancel,
                                         env->arena, t, err);
    if (st || !t->lacks_contents ||
        ken_app_fetch_versions(env->app, &scope->project, path, env->ctx->cancel, env->arena, NULL))
        return st;
    return ken_snapshot_touches(scope->snap, path, first_line, last_line, env->ctx->cancel,
                                env->arena, t, err);
}

ken_status ken_tool__set_history(const ken_tool_env *env, const ken_tool__scope *scope,
                                 ken_str path, uint32_t first_line, uint32_t last_line,
                                 json_t *result, ken_err *err)
{
    ken_history_touches t = { 0 };
    ken_err e = { 0 };
    ken_status st = fetch_and_ask(env, scope, path, first_line, last_line, &t, &e);
    if (st == KEN_ECANCELLED) {
        if (err)
            *err = e;
        return st;
    }
    json_t *o = json_object();
    if (t.n_touches) {
        ken_json_set(o, "last", commit_json(&t.touches[0].commit));
        ken_json_set(o, "authors", authors_json(&t));
        ken_json_set_u64(o, "commits", t.n_commits);
    }
    if (t.n_uncommitted)
        ken_json_set_u64(o, "uncommitted_lines", t.n_uncommitted);
    if (st || t.reason.len)
        ken_json_set_str(o, "reason", st ? ken_str_c(e.msg) : t.reason);
    ken_json_set(result, "history", o);
    return KEN_OK;
}

void ken_tool__set_upstream(const ken_tool_env *env, const ken_project_info *project,
                            const ken_remote *r, json_t *o)
{
    ken_history_distance d;
    ken_str root = ken_arena_dup(env->arena, project->root);
    const char *ref = NULL;
    if (r)
        ref =
            ken_arena_printf(env->arena, "refs/remotes/origin/" KEN_STR_FMT, KEN_STR_ARG(r->branch))
                .ptr;
    if (!project->root_exists ||
        !ken_history_upstream(root.ptr, ref, env->ctx->cancel, env->arena, &d))
        return;
    ken_json_set_str(o, "upstream", d.ref);
    ken_json_set_u64(o, "ahead", d.n_ahead);
    ken_json_set_u64(o, "behind", d.n_behind);
}

// "  last changed 2024-03-01 by Ann, 1a2b3c4d: keep the order (3 commits, also Bob)"
void ken_tool__history_text(const json_t *result, ken_paint *out)
{
    const json_t *h = json_object_get(result, "history"), *last = json_object_get(h, "last"),
                 *authors = json_object_get(h, "authors");
    long long n_commits = ken_tool__number(h, "commits"),
              n_own = ken_tool__number(h, "uncommitted_lines");
    ken_str reason = ken_tool__member(h, "reason");
    if (last) {
        ken_paint_printf(out, KEN_STYLE_DIM,
                         "  last changed " KEN_STR_FMT " by " KEN_STR_FMT ", " KEN_STR_FMT
                         ": " KEN_STR_FMT,
                         KEN_STR_ARG(ken_utf8_clip(ken_tool__member(last, "date"), 10)),
                         KEN_STR_ARG(ken_tool__member(last, "author")),
                         KEN_STR_ARG(ken_utf8_clip(ken_tool__member(last, "commit"), 10)),
                         KEN_STR_ARG(ken_utf8_clip(ken_tool__member(last, "subject"), 80)));
    }
    if (n_commits > 1)
        ken_paint_printf(out, KEN_STYLE_DIM, " (%lld commits", n_commits);
    for (size_t i = 1; i < json_array_size(authors); i++)
        ken_paint_printf(out, KEN_STYLE_DIM, "%s" KEN_STR_FMT, i == 1 ? ", also " : ", ",
                         KEN_STR_ARG(ken_json_text(json_array_get(authors, i))));
    ken_paint_puts(out, n_commits > 1 ? ")" : "");
    ken_paint_puts(out, last ? "\n" : "");
    if (n_own)
        ken_paint_printf(out, KEN_STYLE_DIM, "  %lld line%s not committed\n", n_own,
                         n_own == 1 ? "" : "s");
    if (reason.len)
        ken_paint_printf(out, KEN_STYLE_DIM, "  history: " KEN_STR_FMT "\n", KEN_STR_ARG(reason));
}
