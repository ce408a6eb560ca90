// SPDX-License-Identifier: MIT
// What the tools of checkpoints share: which project, ids, the record.
#include "base/alloc.h"
#include "base/utf8.h"
#include "tool/tool_checkpoint_priv.h"
#include "tool/tool_graph_priv.h"

ken_status ken_tool__open_checkpoints(const ken_tool_env *env, ken_str ref, ken_tool__scope *scope,
                                      ken_checkpoints **out, ken_err *err)
{
    ken_status st = ken_tool__open(env, ref, scope, err);
    if (st)
        return st;
    st = ken_app_checkpoints(env->app, scope->snap, out, err);
    if (st)
        ken_tool__close(env, scope);
    return st;
}

ken_status ken_tool__read_checkpoint_id(ken_str text, ken_uuid *out, ken_err *err)
{
    if (ken_uuid_parse(text, out))
        return KEN_OK;
    return KEN_FAIL(err, KEN_EINVAL, "checkpoint_id: expected a UUID, got '" KEN_STR_FMT "'",
                    KEN_STR_ARG(ken_utf8_clip(text, 60)));
}

const ken_str *ken_tool__read_texts(const ken_tool_env *env, const json_t *list, size_t *out_n)
{
    size_t n = json_array_size(list);
    *out_n = n;
    if (!list)
        return NULL;
    ken_str *texts = KEN_ARENA_ARRAY(env->arena, ken_str, n + 1);
    for (size_t i = 0; i < n; i++)
        texts[i] = ken_json_text(json_array_get(list, i));
    return texts;
}

static json_t *parsed(ken_str text)
{
    json_t *value = NULL;
    return ken_json_parse(text, &value, NULL) ? NULL : value;
}

static json_t *git_json(const ken_checkpoint *c, bool with_dirty)
{
    if (c->path.len)
        return NULL;
    json_t *o = json_object(), *dirty = parsed(c->git_dirty);
    ken_json_set(o, "branch", c->git_branch.len ? ken_json_str(c->git_branch) : NULL);
    ken_json_set(o, "commit", c->git_commit.len ? ken_json_str(c->git_commit) : NULL);
    ken_json_set_u64(o, "dirty", json_array_size(dirty));
    if (with_dirty)
        ken_json_set(o, "dirty_files", json_incref(dirty));
    json_decref(dirty);
    return o;
}

json_t *ken_tool__checkpoint_json(const ken_tool__scope *scope, const ken_checkpoint *c,
                                  size_t shown, bool with_dirty)
{
    char id[KEN_UUID_TEXT];
    json_t *o = json_object(), *tags = json_array();
    ken_str description = ken_utf8_clip(c->description, shown);
    for (size_t i = 0; i < c->n_tags; i++)
        ken_json_append(tags, ken_json_str(c->tags[i]));
    ken_uuid_format(c->id, id);
    ken_json_set_str(o, "id", ken_str_c(id));
    ken_json_set_str(o, "summary", c->summary);
    ken_json_set_str(o, "description", description);
    if (description.len < c->description.len)
        ken_json_set_bool(o, "description_cut", true);
    ken_json_set_str(o, "project_path", scope->project.root);
    ken_json_set(o, "context", parsed(c->context));
    ken_json_set(o, "tags", tags);
    ken_json_set_u64(o, "token_count", c->token_count);
    // Exact to the millisecond, because it is what if_updated_at takes.
    ken_json_set_time_ms(o, "created_at", c->created_at_ms);
    ken_json_set_time_ms(o, "updated_at", c->updated_at_ms);
    ken_json_set(o, "timestamp", json_integer((json_int_t)(c->updated_at_ms / 1000)));
    ken_json_set(o, "git", git_json(c, with_dirty));
    return o;
}

void ken_tool__shorten_context(json_t *o, size_t max_bytes)
{
    const json_t *context = json_object_get(o, "context");
    if (!context || ken_json_dump_size(context) <= max_bytes)
        return;
    ken_buf b = KEN_BUF_INIT(KEN_JSON_BYTES_MAX);
    ken_json_dump(context, &b);
    ken_json_set(o, "context", NULL);
    ken_json_set_str(o, "context_cut", ken_utf8_clip(ken_buf_str(&b), max_bytes / 2));
    ken_buf_release(&b);
}

void ken_tool__put_checkpoint_line(const json_t *c, ken_paint *out)
{
    ken_paint_str(out, KEN_STYLE_NAME, ken_tool__member(c, "id"));
    ken_paint_printf(out, KEN_STYLE_DIM, "  " KEN_STR_FMT "  ",
                     KEN_STR_ARG(ken_str_sub(ken_tool__member(c, "updated_at"), 0, 16)));
    ken_paint_str(out, KEN_STYLE_PLAIN, ken_tool__member(c, "summary"));
    ken_tool__put_texts(json_object_get(c, "tags"), "  [", ", ", "]", out);
    ken_paint_puts(out, "\n");
}
