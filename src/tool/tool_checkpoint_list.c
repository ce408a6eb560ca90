// SPDX-License-Identifier: MIT
// checkpoint_list, checkpoint_search.
#include "tool/tool_checkpoint_priv.h"
#include "tool/tool_graph_priv.h"

enum {
    SHOWN_BYTES = 300, // of each description
};

static bool asks_for_files(const ken_str *tags, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ken_str_find(tags[i], KEN_STR("indexed")) == 0 ||
            ken_str_find(tags[i], KEN_STR("repository")) == 0 ||
            ken_str_starts(tags[i], KEN_STR(".")))
            return true;
    return false;
}

// Who names the folder and no tag asks for what is in it.
static bool names_folder(ken_str project)
{
    return ken_str_starts(project, KEN_STR(".")) || ken_str_find_char(project, '/') != SIZE_MAX;
}

typedef struct query_args {
    const json_t *tags, *any_tags, *not_tags;
    uint64_t limit, offset;
    bool include_indexed;
} query_args;

static ken_checkpoint_query checkpoint_query(const ken_tool_env *env, const query_args *a)
{
    ken_checkpoint_query q = { .limit = (size_t)a->limit,
                               .offset = (size_t)a->offset,
                               .wants_indexed = a->include_indexed };
    ken_checkpoint_filter *f = &q.filter;
    f->all = ken_tool__read_texts(env, a->tags, &f->n_all);
    f->any = ken_tool__read_texts(env, a->any_tags, &f->n_any);
    f->none = ken_tool__read_texts(env, a->not_tags, &f->n_none);
    q.n_description = SHOWN_BYTES + 4; // one character more than is shown: then it was cut
    return q;
}

static json_t *items_json(const ken_tool_env *env, const ken_tool__scope *scope,
                          const ken_checkpoint_page *page, bool with_score)
{
    json_t *items = json_array();
    for (size_t i = 0; i < page->n; i++) {
        json_t *item = ken_tool__checkpoint_json(scope, &page->items[i], SHOWN_BYTES, false);
        ken_tool__shorten_context(item, env->ctx->max_bytes / 4); // so that one at least fits
        if (with_score)
            ken_json_set_real(item, "score", page->items[i].score);
        ken_json_append(items, item);
    }
    return items;
}

ken_status ken_tool__checkpoint_list(const ken_tool_env *env, const void *args, json_t **out,
                                     ken_err *err)
{
    const ken_args_checkpoint_list *a = args;
    ken_checkpoint_query q =
        checkpoint_query(env, &(query_args){ a->tags, a->any_tags, a->not_tags, a->limit, a->offset,
                                             a->include_indexed });
    ken_checkpoint_page page;
    ken_checkpoints *service = NULL;
    ken_tool__scope scope;
    bool has_filter = q.filter.n_all || q.filter.n_any || q.filter.n_none;
    if (!a->has_include_indexed)
        q.wants_indexed = (names_folder(a->project_path) && !has_filter) ||
                          asks_for_files(q.filter.all, q.filter.n_all) ||
                          asks_for_files(q.filter.any, q.filter.n_any);
    ken_status st = ken_tool__open_checkpoints(env, a->project_path, &scope, &service, err);
    if (st)
        return st;
    st = ken_checkpoints_list(service, &q, env->arena, &page, err);
    if (!st) {
        json_t *o = *out = json_object();
        ken_json_set(o, "checkpoints", items_json(env, &scope, &page, false));
        ken_json_set_u64(o, "total", page.n_total);
        ken_json_set_u64(o, "indexed_files", page.n_indexed);
        ken_json_set_u64(o, "limit", q.limit);
        ken_json_set_u64(o, "offset", q.offset);
        if (!page.n && !q.wants_indexed && page.n_indexed)
            ken_json_set_str(o, "hint", KEN_STR("no notes; {include_indexed} lists the files"));
        ken_tool__fit(o, "checkpoints", env->ctx->max_bytes,
                      "the list was cut to fit; ask for the rest with a larger {offset}");
        size_t shown = json_array_size(json_object_get(o, "checkpoints"));
        if (shown && q.offset + shown < page.n_total)
            ken_json_set_u64(o, "next_offset", q.offset + shown);
    }
    ken_tool__close(env, &scope);
    return st;
}

ken_status ken_tool__checkpoint_search(const ken_tool_env *env, const void *args, json_t **out,
                                       ken_err *err)
{
    const ken_args_checkpoint_search *a = args;
    ken_checkpoint_query q = checkpoint_query(
        env, &(query_args){ a->tags, a->any_tags, a->not_tags, a->limit, 0, a->include_indexed });
    ken_checkpoint_page page;
    ken_checkpoints *service = NULL;
    ken_tool__scope scope;
    ken_status st = ken_tool__open_checkpoints(env, a->project_path, &scope, &service, err);
    if (st)
        return st;
    st = ken_checkpoints_search(service, a->query, &q, env->ctx->cancel, env->arena, &page, err);
    if (!st) {
        json_t *o = *out = json_object();
        ken_json_set(o, "checkpoints", items_json(env, &scope, &page, true));
        ken_json_set_u64(o, "total", page.n_total);
        ken_json_set_u64(o, "indexed_files", page.n_indexed);
        if (page.file_note)
            ken_json_set_str(o, "note", ken_str_c(page.file_note));
        ken_tool__fit(o, "checkpoints", env->ctx->max_bytes,
                      "results were left out to fit; ask for fewer, or filter by tags");
    }
    ken_tool__close(env, &scope);
    return st;
}

void ken_tool__checkpoint_list_text(const json_t *answer, ken_paint *out)
{
    const json_t *items = json_object_get(answer, "checkpoints");
    for (size_t i = 0; i < json_array_size(items); i++)
        ken_tool__put_checkpoint_line(json_array_get(items, i), out);
    if (!json_array_size(items))
        ken_paint_note(out, "no checkpoints; {checkpoint_save} makes one");
    else
        ken_paint_printf(out, KEN_STYLE_PLAIN, "%zu of %lld\n", json_array_size(items),
                         ken_tool__number(answer, "total"));
    ken_tool__put_tail(answer, out);
}

void ken_tool__checkpoint_search_text(const json_t *answer, ken_paint *out)
{
    ken_tool__checkpoint_list_text(answer, out);
}
