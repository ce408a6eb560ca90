// SPDX-License-Identifier: MIT
// checkpoint_save, checkpoint_delete.
#include "base/clock.h"
#include "base/utf8.h"
#include "tool/tool_checkpoint_priv.h"

enum {
    ECHO_BYTES = 400 // of the description, to whoever just wrote it
};

static ken_status read_since(ken_str text, int64_t *out, ken_err *err)
{
    if (text.len && (!ken_clock_parse_ms(text, out) || *out <= 0))
        return KEN_FAIL(err, KEN_EINVAL,
                        "if_updated_at: expected the updated_at of the checkpoint, got "
                        "'" KEN_STR_FMT "'",
                        KEN_STR_ARG(ken_utf8_clip(text, 60)));
    return KEN_OK;
}

static ken_str context_text(const ken_tool_env *env, const json_t *context)
{
    if (!context)
        return (ken_str){ NULL, 0 };
    ken_buf b = KEN_BUF_INIT(KEN_JSON_BYTES_MAX);
    ken_json_dump(context, &b);
    ken_str text = ken_arena_dup(env->arena, ken_buf_str(&b));
    ken_buf_release(&b);
    return text;
}

static ken_status read_draft(const ken_tool_env *env, const ken_args_checkpoint_save *a,
                             ken_checkpoint_draft *out, ken_err *err)
{
    ken_checkpoint_draft d = { .now_ms = ken_clock_wall_ms(),
                               .is_update = a->checkpoint_id.len > 0,
                               .summary = a->summary,
                               .description = a->description };
    ken_status st = KEN_OK;
    if (d.is_update)
        st = ken_tool__read_checkpoint_id(a->checkpoint_id, &d.id, err);
    if (!st)
        st = read_since(a->if_updated_at, &d.if_updated_at_ms, err);
    if (st)
        return st;
    d.context = context_text(env, a->context);
    d.tags = ken_tool__read_texts(env, a->tags, &d.n_tags);
    *out = d;
    return KEN_OK;
}

static ken_status check_root(const ken_tool__scope *scope, ken_err *err)
{
    if (scope->project.root_exists)
        return KEN_OK;
    return KEN_FAIL(err, KEN_ENOTFOUND,
                    "project_path: the folder '" KEN_STR_FMT
                    "' has gone; its checkpoints can still be read",
                    KEN_STR_ARG(ken_utf8_clip(scope->project.root, 200)));
}

ken_status ken_tool__checkpoint_save(const ken_tool_env *env, const void *args, json_t **out,
                                     ken_err *err)
{
    const ken_args_checkpoint_save *a = args;
    ken_checkpoint_draft draft;
    ken_checkpoint saved;
    ken_checkpoints *service = NULL;
    ken_tool__scope scope;
    ken_status st = read_draft(env, a, &draft, err);
    if (!st)
        st = ken_tool__open_checkpoints(env, a->project_path, &scope, &service, err);
    if (st)
        return st;
    st = check_root(&scope, err);
    if (!st)
        st = ken_checkpoints_save(service, &draft, env->ctx->cancel, env->arena, &saved, err);
    if (!st) {
        *out = ken_tool__checkpoint_json(&scope, &saved, ECHO_BYTES, false);
        ken_tool__shorten_context(*out, env->ctx->max_bytes / 2);
        ken_json_set_str(*out, "status", draft.is_update ? KEN_STR("updated") : KEN_STR("created"));
    }
    ken_tool__close(env, &scope);
    return st;
}

void ken_tool__checkpoint_save_text(const json_t *answer, ken_paint *out)
{
    ken_paint_printf(out, KEN_STYLE_PLAIN, KEN_STR_FMT " ",
                     KEN_STR_ARG(ken_json_text(json_object_get(answer, "status"))));
    ken_tool__put_checkpoint_line(answer, out);
}

ken_status ken_tool__checkpoint_delete(const ken_tool_env *env, const void *args, json_t **out,
                                       ken_err *err)
{
    char text[KEN_UUID_TEXT];
    const ken_args_checkpoint_delete *a = args;
    ken_uuid id;
    ken_checkpoints *service = NULL;
    ken_tool__scope scope;
    ken_status st = ken_tool__read_checkpoint_id(a->checkpoint_id, &id, err);
    if (!st)
        st = ken_tool__open_checkpoints(env, a->project_path, &scope, &service, err);
    if (st)
        return st;
    st = ken_checkpoints_remove(service, id, env->arena, err);
    if (!st) {
        ken_uuid_format(id, text);
        *out = json_object();
        ken_json_set_str(*out, "id", ken_str_c(text));
        ken_json_set_str(*out, "status", KEN_STR("deleted"));
        ken_json_set_str(*out, "project_path", scope.project.root);
    }
    ken_tool__close(env, &scope);
    return st;
}

void ken_tool__checkpoint_delete_text(const json_t *answer, ken_paint *out)
{
    ken_paint_printf(out, KEN_STYLE_PLAIN, "deleted " KEN_STR_FMT "\n",
                     KEN_STR_ARG(ken_json_text(json_object_get(answer, "id"))));
}
