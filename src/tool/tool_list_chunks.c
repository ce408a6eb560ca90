// SPDX-License-Identifier: MIT
// list_chunks: one file as the index cut it.
#include "base/figure.h"
#include "tool/tool_graph_priv.h"

typedef struct question {
    const ken_tool_env *env;
    ken_str path, package;
    ken_file_view view;
} question;

static ken_status ask(ken_snapshot *s, void *ctx, ken_err *err)
{
    question *q = ctx;
    ken_status st = ken_view_file(s, q->path, q->env->arena, &q->view, err);
    return st ? st : ken_view_package(s, &q->view, q->env->arena, &q->package, err);
}

static json_t *chunk_json(const question *q, uint32_t i, const ken_args_list_chunks *a)
{
    const ken_file_view *v = &q->view;
    const ken_chunk *c = &v->facts->chunks[i];
    char id[KEN_UUID_TEXT];
    ken_uuid_format(v->chunk_ids[i], id);
    json_t *o = json_object();
    ken_json_set_str(o, "chunk_id", ken_str_c(id));
    ken_json_set_u64(o, "index", i);
    ken_json_set_str(o, "chunk_type", ken_str_c(ken_chunk_type_word(c->type)));
    ken_json_set_u64(o, "start_line", c->first_line + 1u);
    ken_json_set_u64(o, "end_line", c->last_line + 1u);
    ken_json_set_u64(o, "start_byte", c->span.start);
    ken_json_set_u64(o, "end_byte", c->span.end);
    ken_json_set_u64(o, "tokens", c->n_tokens);
    if (c->symbol >= 0) {
        const ken_symbol *s = &v->facts->symbols[c->symbol];
        ken_json_set_str(o, "symbol_name",
                         ken_view_qualified(q->env->arena, v->facts, (uint32_t)c->symbol));
        ken_json_set_str(o, "symbol_kind", ken_str_c(ken_symbol_kind_word(s->kind)));
    }
    if (a->content)
        ken_json_set_str(o, "content", ken_str_sub(v->text, c->span.start, c->span.end));
    const ken_tool__chunk shown = { .view = v,
                                    .chunk = i,
                                    .symbol = c->symbol,
                                    .package = q->package,
                                    .wants_embedded = a->embedded };
    ken_tool__set_chunk(o, &shown, q->env->arena);
    return o;
}

ken_status ken_tool__list_chunks(const ken_tool_env *env, const void *args, json_t **out,
                                 ken_err *err)
{
    const ken_args_list_chunks *a = args;
    question q = { .env = env, .path = a->file_path };
    ken_tool__scope scope;
    ken_status st = ken_tool__ask(env, a->project, ask, &q, &scope, err);
    if (st)
        return st;
    json_t *o = json_object(), *list = json_array();
    const ken_facts *f = q.view.facts;
    ken_json_set_str(o, "file_path", q.view.path);
    ken_json_set_str(o, "language", q.view.language);
    ken_json_set_u64(o, "lines", f->n_lines);
    ken_json_set_bool(o, "cut_by_lines", f->is_fallback);
    ken_json_set_u64(o, "error_bytes", f->n_error_bytes);
    for (uint64_t i = a->offset; i < f->n_chunks; i++)
        ken_json_append(list, chunk_json(&q, (uint32_t)i, a));
    ken_json_set(o, "chunks", list);
    ken_json_set_u64(o, "total", f->n_chunks);
    ken_tool__set_scope(o, &scope);
    ken_tool__fit(o, "chunks", env->ctx->max_bytes, "the file has more chunks than fit here");
    ken_tool__set_page(o, "chunks", "total", a->offset);
    ken_tool__close(env, &scope);
    *out = o;
    return KEN_OK;
}

// The definitions that share a chunk with the one it is named after.
static void put_others(const json_t *c, ken_paint *out)
{
    const json_t *symbols = json_object_get(c, "symbols");
    ken_str main = ken_tool__member(c, "symbol_name");
    for (size_t i = 0; i < json_array_size(symbols); i++) {
        ken_str name = ken_tool__member(json_array_get(symbols, i), "name");
        if (!ken_str_eq(name, main))
            ken_paint_printf(out, KEN_STYLE_DIM, ", " KEN_STR_FMT, KEN_STR_ARG(name));
    }
}

static void put_chunk(const json_t *c, ken_paint *out)
{
    char lines[48];
    ken_str text = ken_tool__member(c, "content"), line;
    if (json_object_get(c, "embedded_text"))
        text = ken_tool__member(c, "embedded_text");
    snprintf(lines, sizeof lines, "%lld-%lld", ken_tool__number(c, "start_line"),
             ken_tool__number(c, "end_line"));
    ken_paint_printf(out, KEN_STYLE_LINE, "%11s  ", lines);
    ken_paint_printf(out, KEN_STYLE_PLAIN, "%-9s",
                     json_string_value(json_object_get(c, "chunk_type")));
    ken_paint_printf(out, KEN_STYLE_DIM, "%5lld tokens  ", ken_tool__number(c, "tokens"));
    ken_paint_str(out, KEN_STYLE_NAME, ken_tool__member(c, "symbol_name"));
    put_others(c, out);
    ken_paint_puts(out, "\n");
    while (ken_str_line_next(&text, &line)) {
        ken_paint_puts(out, "             ");
        ken_paint_line(out, line, NULL, 0, 160);
        ken_paint_puts(out, "\n");
    }
}

void ken_tool__list_chunks_text(const json_t *answer, ken_paint *out)
{
    const json_t *list = json_object_get(answer, "chunks");
    long long n = ken_tool__number(answer, "lines");
    ken_paint_path(out, ken_tool__member(answer, "file_path"));
    ken_paint_printf(out, KEN_STYLE_PLAIN, "  " KEN_STR_FMT ", %lld line%s%s%s\n",
                     KEN_STR_ARG(ken_tool__member(answer, "language")), n, n == 1 ? "" : "s",
                     ken_tool__number(answer, "error_bytes") ? ", with syntax errors" : "",
                     json_is_true(json_object_get(answer, "cut_by_lines")) ? ", cut by lines" : "");
    for (size_t i = 0; i < json_array_size(list); i++)
        put_chunk(json_array_get(list, i), out);
    ken_tool__put_page_tail(answer, "chunks", "total", out);
}
