// SPDX-License-Identifier: MIT
// checkpoint_get: all of one checkpoint, and with `resume` what happened since.
//
// A description may be longer than an answer: then it comes in parts, and `next_offset` says where
// the next one begins.
#include "base/clock.h"
#include "base/utf8.h"
#include "tool/tool_checkpoint_priv.h"
#include "tool/tool_graph_priv.h"

enum {
    LEAST_SHOWN = 200, // bytes of the description, whatever else there is
};

static json_t *paths_json(const ken_str *paths, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        ken_json_append(list, ken_json_str(paths[i]));
    return list;
}

static json_t *commits_json(const ken_history_since *since)
{
    json_t *list = json_array();
    for (size_t i = 0; i < since->n; i++) {
        json_t *c = json_object();
        ken_json_set_str(c, "commit", since->commits[i].id);
        ken_json_set_str(c, "subject", since->commits[i].subject);
        ken_json_set_str(c, "author", since->commits[i].author);
        ken_json_set_time(c, "at", since->commits[i].time_s * 1000);
        ken_json_append(list, c);
    }
    return list;
}

static json_t *resume_json(const ken_checkpoint_resume *r)
{
    json_t *o = json_object();
    ken_str reason = r->since.reason.len ? r->since.reason : r->now.reason;
    ken_json_set(o, "branch", r->now.branch.len ? ken_json_str(r->now.branch) : NULL);
    ken_json_set(o, "commit", r->now.commit.len ? ken_json_str(r->now.commit) : NULL);
    ken_json_set(o, "commits_since", commits_json(&r->since));
    if (r->since.is_truncated)
        ken_json_set_bool(o, "has_more_commits", true);
    ken_json_set(o, "files_changed", paths_json(r->changed, r->n_changed));
    ken_json_set_u64(o, "files_changed_total", r->n_changed_all);
    ken_json_set(o, "dirty_files", paths_json(r->now.dirty, r->now.n_dirty));
    ken_json_set(o, "still_dirty", paths_json(r->still_dirty, r->n_still_dirty));
    if (reason.len)
        ken_json_set_str(o, "reason", reason);
    return o;
}

// Lists lose their ends, longest first, until the record without its description has room for it.
static void shorten_lists(json_t *o, size_t max_bytes)
{
    json_t *resume = json_object_get(o, "resume"), *git = json_object_get(o, "git");
    json_t *lists[] = { json_object_get(git, "dirty_files"),
                        json_object_get(resume, "files_changed"),
                        json_object_get(resume, "dirty_files"),
                        json_object_get(resume, "still_dirty"),
                        json_object_get(resume, "commits_since") };
    bool is_cut = false;
    for (size_t size = ken_json_dump_size(o); size > max_bytes; size = ken_json_dump_size(o)) {
        json_t *longest = NULL;
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
            if (json_array_size(lists[i]) > json_array_size(longest))
                longest = lists[i];
        if (!longest)
            break;
        for (size_t n = json_array_size(longest), half = n / 2; n > half; n--)
            json_array_remove(longest, n - 1);
        is_cut = true;
    }
    if (is_cut)
        ken_json_set_bool(o, "lists_cut", true);
}

// As much of the description from `offset` on as there is room for.
static void put_description(json_t *o, ken_str all, size_t offset, size_t max_bytes)
{
    ken_str rest = ken_str_sub(all, offset, all.len), part;
    size_t used = ken_json_dump_size(o) + LEAST_SHOWN;
    size_t room = max_bytes > used + LEAST_SHOWN ? max_bytes - used : LEAST_SHOWN;
    for (size_t most = room;; most -= most / 8) { // as JSON a text is longer
        part = ken_tool__clip_lines(rest, most, false);
        json_t *text = ken_json_str(part);
        bool fits = most <= LEAST_SHOWN || ken_json_dump_size(text) <= room;
        ken_json_set(o, "description", text);
        if (fits)
            break;
    }
    if (offset)
        ken_json_set_u64(o, "offset", offset);
    if (part.len < rest.len) {
        ken_json_set_bool(o, "description_cut", true);
        ken_json_set_u64(o, "next_offset", offset + part.len);
    }
}

static ken_status add_resume(const ken_tool_env *env, ken_checkpoints *service,
                             const ken_checkpoint *c, json_t *o, ken_err *err)
{
    ken_checkpoint_resume r;
    ken_status st = ken_checkpoints_resume(service, c, env->ctx->cancel, env->arena, &r, err);
    if (!st)
        ken_json_set(o, "resume", resume_json(&r));
    return st;
}

ken_status ken_tool__checkpoint_get(const ken_tool_env *env, const void *args, json_t **out,
                                    ken_err *err)
{
    const ken_args_checkpoint_get *a = args;
    ken_uuid id;
    ken_checkpoint found;
    ken_checkpoints *service = NULL;
    ken_tool__scope scope;
    ken_status st = ken_tool__read_checkpoint_id(a->checkpoint_id, &id, err);
    if (!st)
        st = ken_tool__open_checkpoints(env, a->project_path, &scope, &service, err);
    if (st)
        return st;
    json_t *o = NULL;
    st = ken_checkpoints_load(service, id, env->arena, &found, err);
    if (!st) {
        o = ken_tool__checkpoint_json(&scope, &found, 0, true);
        (void)json_object_del(o, "description_cut");
        if (a->resume)
            st = add_resume(env, service, &found, o, err);
    }
    if (!st) {
        ken_tool__shorten_context(o, env->ctx->max_bytes / 2);
        shorten_lists(o, env->ctx->max_bytes / 4 * 3);
        put_description(o, found.description, (size_t)a->offset, env->ctx->max_bytes);
        *out = o;
    } else {
        json_decref(o);
    }
    ken_tool__close(env, &scope);
    return st;
}

static void put_list(const json_t *o, const char *key, const char *title, ken_paint *out)
{
    const json_t *list = json_object_get(o, key);
    ken_tool__put_head(list, title, out);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        ken_paint_puts(out, "  ");
        if (json_is_object(item))
            ken_paint_str(out, KEN_STYLE_PLAIN, ken_tool__member(item, "subject"));
        else
            ken_paint_path(out, ken_json_text(item));
        ken_paint_puts(out, "\n");
    }
}

static void put_lines(ken_str text, ken_paint *out)
{
    ken_str line;
    while (ken_str_line_next(&text, &line)) {
        ken_paint_str(out, KEN_STYLE_PLAIN, line);
        ken_paint_puts(out, "\n");
    }
}

void ken_tool__checkpoint_get_text(const json_t *answer, ken_paint *out)
{
    const json_t *git = json_object_get(answer, "git"), *now = json_object_get(answer, "resume"),
                 *context = json_object_get(answer, "context");
    ken_str commit = ken_tool__member(git, "commit");
    ken_tool__put_checkpoint_line(answer, out);
    if (commit.len)
        ken_paint_printf(out, KEN_STYLE_PLAIN, "on " KEN_STR_FMT " at " KEN_STR_FMT "\n",
                         KEN_STR_ARG(ken_tool__member(git, "branch")),
                         KEN_STR_ARG(ken_str_sub(commit, 0, 12)));
    put_list(git, "dirty_files", "not committed then", out);
    put_list(now, "commits_since", "commits since", out);
    put_list(now, "files_changed", "changed since", out);
    put_list(now, "still_dirty", "still not committed", out);
    ken_paint_puts(out, "\n");
    put_lines(ken_tool__member(answer, "description"), out);
    if (json_object_size(context)) {
        ken_buf text = KEN_BUF_INIT(KEN_JSON_BYTES_MAX);
        ken_json_dump(context, &text);
        ken_paint_puts(out, "\ncontext: ");
        put_lines(ken_buf_str(&text), out);
        ken_buf_release(&text);
    }
    ken_tool__put_tail(answer, out);
}
