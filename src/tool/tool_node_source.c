// SPDX-License-Identifier: MIT
// nodeSource: the code of a chunk (its UUID) or of an outline node ("<path>#<qualified name>").
#include "base/map.h"
#include "base/utf8.h"
#include "tool/tool_graph_priv.h"

enum {
    OTHER_BYTES = 2048
}; // of the answer beside the code

typedef struct node {
    ken_file_view view;
    ken_span span;
    uint32_t first_line, last_line;
    ken_str name; // may be empty
    const char *kind, *chunk_type;
} node;

static ken_status find_chunk(const ken_tool_env *env, ken_snapshot *snap, ken_uuid id, node *out,
                             ken_err *err)
{
    ken_str path;
    uint32_t index;
    ken_status st = ken_find_chunk(snap, id, env->arena, &path, &index, err);
    if (st == KEN_ENOTFOUND)
        return KEN_FAIL(err, st,
                        "no chunk with this id in the project; its file changed or is "
                        "gone: search again");
    if (!st)
        st = ken_view_file(snap, path, env->arena, &out->view, err);
    if (st)
        return st;
    const ken_facts *f = out->view.facts;
    if (index >= f->n_chunks)
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "'" KEN_STR_FMT "' has changed and no longer has this "
                        "chunk: search again",
                        KEN_STR_ARG(ken_utf8_clip(path, 200)));
    const ken_chunk *c = &f->chunks[index];
    out->span = c->span;
    out->first_line = c->first_line;
    out->last_line = c->last_line;
    out->chunk_type = ken_chunk_type_word(c->type);
    if (c->symbol >= 0) {
        out->name = ken_view_qualified(env->arena, f, (uint32_t)c->symbol);
        out->kind = ken_symbol_kind_word(f->symbols[c->symbol].kind);
    }
    return KEN_OK;
}

static ken_status find_symbol(const ken_tool_env *env, ken_snapshot *snap, ken_str path,
                              ken_str name, node *out, ken_err *err)
{
    ken_status st = ken_view_file(snap, path, env->arena, &out->view, err);
    if (st)
        return st;
    const ken_facts *f = out->view.facts;
    ken_map seen;
    ken_map_init(&seen);
    uint32_t i = 0;
    while (i < f->n_symbols && ken_str_cmp(ken_tool__node_name(env->arena, &seen, f, i), name))
        i++;
    ken_map_release(&seen);
    if (i == f->n_symbols)
        return KEN_FAIL(
            err, KEN_ENOTFOUND,
            "no symbol '" KEN_STR_FMT "' in '" KEN_STR_FMT "'; outline lists those there are",
            KEN_STR_ARG(ken_utf8_clip(name, 120)), KEN_STR_ARG(ken_utf8_clip(path, 200)));
    const ken_symbol *s = &f->symbols[i];
    out->span = s->span;
    if (s->doc.end > s->doc.start && s->doc.start < s->span.start)
        out->span.start = s->doc.start; // leading comments belong to it
    out->last_line = s->last_line;
    out->first_line = s->first_line;
    for (uint32_t at = out->span.start; at < s->span.start; at++)
        out->first_line -= out->view.text.ptr[at] == '\n';
    out->name = name;
    out->kind = ken_symbol_kind_word(s->kind);
    return KEN_OK;
}

static json_t *node_json(const ken_tool_env *env, const ken_tool__scope *scope, ken_str id,
                         const node *n)
{
    ken_str whole = ken_str_sub(n->view.text, n->span.start, n->span.end);
    size_t room =
        env->ctx->max_bytes > 2 * OTHER_BYTES ? env->ctx->max_bytes - OTHER_BYTES : OTHER_BYTES;
    json_t *o = json_object();
    ken_json_set_str(o, "id", id);
    ken_json_set_str(o, "file_path", n->view.path);
    ken_json_set_u64(o, "start_line", n->first_line + 1);
    ken_json_set_u64(o, "end_line", n->last_line + 1);
    ken_json_set_str(o, "language", n->view.language);
    ken_json_set_str(o, "symbol_name", n->name);
    if (n->kind)
        ken_json_set_str(o, "kind", ken_str_c(n->kind));
    if (n->chunk_type)
        ken_json_set_str(o, "chunk_type", ken_str_c(n->chunk_type));
    ken_json_set(o, "project", ken_tool__project_json(&scope->project));
    if (n->view.is_refreshed)
        ken_json_set_bool(o, "changed_since_index", true);
    ken_str part = ken_tool__clip_lines(whole, room, false);
    ken_json_set_str(o, "content", part);
    // Escapes may make it longer than it is: shorten by what is too much.
    for (size_t size = ken_json_dump_size(o); size > env->ctx->max_bytes - 256 && part.len > 256;
         size = ken_json_dump_size(o)) {
        part = ken_tool__clip_lines(whole, part.len - part.len / 4, false);
        ken_json_set_str(o, "content", part);
    }
    if (part.len < whole.len) {
        ken_json_set_bool(o, "truncated", true);
        ken_json_set_str(o, "hint",
                         KEN_STR("the code was cut to fit; outline the file and ask for "
                                 "smaller nodes, or read the file from here on"));
    }
    return o;
}

ken_status ken_tool__node_source(const ken_tool_env *env, const void *args, json_t **out,
                                 ken_err *err)
{
    const ken_args_node_source *a = args;
    ken_str id = a->id;
    ken_uuid uuid;
    bool is_chunk = ken_uuid_parse(id, &uuid);
    size_t mark = ken_str_find_char(id, '#');
    if (!is_chunk && (mark == SIZE_MAX || !mark || mark + 1 == id.len))
        return KEN_FAIL(err, KEN_EINVAL,
                        "args.id is neither a chunk_id of search_code nor an id of "
                        "outline (path#Class.method)");
    ken_tool__scope scope;
    node n = { .name = { "", 0 } };
    ken_status st = ken_tool__open(env, a->project, &scope, err);
    if (st)
        return st;
    st = is_chunk ? find_chunk(env, scope.snap, uuid, &n, err)
                  : find_symbol(env, scope.snap, ken_str_sub(id, 0, mark),
                                ken_str_sub(id, mark + 1, id.len), &n, err);
    if (!st)
        *out = node_json(env, &scope, id, &n);
    ken_tool__close(env, &scope);
    return st;
}

void ken_tool__node_source_text(const json_t *answer, ken_paint *out)
{
    ken_str name = ken_tool__member(answer, "symbol_name");
    ken_tool__put_definition(answer, "symbol_name", out);
    ken_paint_code(out, ken_tool__member(answer, "content"),
                   (size_t)ken_tool__number(answer, "start_line"), &name, name.len ? 1 : 0);
    ken_tool__put_tail(answer, out);
}
