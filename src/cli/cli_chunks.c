// SPDX-License-Identifier: MIT
// ken chunks: one file as the index cut it.
#include <inttypes.h>

#include "cli/cli_print_priv.h"
#include "json/json.h"

static ken_status view(cli *x, cli_place *place, ken_snapshot **s, ken_file_view *out, ken_err *err)
{
    ken_status st = ken_cli__find_file(x, x->args.words[0], place, err);
    if (!st)
        st = ken_cli__open_place(x, place, !ken_cli__args_has(&x->args, "no-index"), s, err);
    if (!st)
        st = ken_view_file(*s, place->below, &x->arena, out, err);
    ken_status failed = ken_cli__check_answer(*s, st, err);
    return failed ? failed : st;
}

static void print_head(cli *x, const ken_file_view *v)
{
    ken_cli__paint_text(x, KEN_STYLE_PATH, v->path);
    ken_cli__print("  " KEN_STR_FMT ", " KEN_STR_FMT "%s%s\n", KEN_STR_ARG(v->language),
                   KEN_STR_ARG(ken_cli__format_n(&x->arena, v->facts->n_lines, "line")),
                   v->facts->n_error_bytes ? ", with syntax errors" : "",
                   v->facts->is_fallback ? ", cut by lines" : "");
}

static void print_span(const cli *x, uint32_t first_line, uint32_t last_line)
{
    char lines[32];
    snprintf(lines, sizeof lines, "%" PRIu32 "-%" PRIu32, first_line + 1, last_line + 1);
    ken_cli__paint(x, KEN_STYLE_LINE, "%11s  ", lines);
}

static void print_chunk(cli *x, const ken_file_view *v, uint32_t i, bool wants_text)
{
    const ken_chunk *c = &v->facts->chunks[i];
    print_span(x, c->first_line, c->last_line);
    ken_cli__print("%-9s", ken_chunk_type_word(c->type));
    ken_cli__paint(x, KEN_STYLE_DIM, "%5" PRIu32 " tokens  ", c->n_tokens);
    if (c->symbol >= 0)
        ken_cli__paint_text(x, KEN_STYLE_NAME,
                            ken_view_qualified(&x->arena, v->facts, (uint32_t)c->symbol));
    ken_cli__print("\n");
    ken_str text = ken_str_sub(v->text, c->span.start, c->span.end), line;
    while (wants_text && ken_str_line_next(&text, &line)) {
        ken_cli__print("             ");
        ken_cli__print_line(x, line, NULL, 0, 160);
        ken_cli__print("\n");
    }
}

static void print_chunks_json(cli *x, const cli_place *place, const ken_file_view *v,
                              bool wants_text)
{
    json_t *top = json_object(), *list = json_array();
    ken_cli__json_set_project(top, &place->project);
    ken_json_set_str(top, "file_path", v->path);
    ken_json_set_str(top, "language", v->language);
    ken_json_set_u64(top, "lines", v->facts->n_lines);
    ken_json_set_bool(top, "cut_by_lines", v->facts->is_fallback);
    ken_json_set_u64(top, "error_bytes", v->facts->n_error_bytes);
    for (uint32_t i = 0; i < v->facts->n_chunks; i++) {
        const ken_chunk *c = &v->facts->chunks[i];
        json_t *o = json_object();
        ken_cli__json_set_uuid(o, "chunk_id", v->chunk_ids[i]);
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
                             ken_view_qualified(&x->arena, v->facts, (uint32_t)c->symbol));
            ken_json_set_str(o, "symbol_kind", ken_str_c(ken_symbol_kind_word(s->kind)));
        }
        if (wants_text)
            ken_json_set_str(o, "content", ken_str_sub(v->text, c->span.start, c->span.end));
        ken_json_append(list, o);
    }
    ken_json_set(top, "chunks", list);
    ken_cli__print_json(top);
}

ken_status ken_cli__run_chunks(cli *x, ken_err *err)
{
    cli_place place = { 0 };
    ken_snapshot *s = NULL;
    ken_file_view v = { 0 };
    bool wants_text = ken_cli__args_has(&x->args, "text");
    ken_status st = view(x, &place, &s, &v, err);
    if (!st && x->is_json) {
        print_chunks_json(x, &place, &v, wants_text);
    } else if (!st) {
        print_head(x, &v);
        for (uint32_t i = 0; i < v.facts->n_chunks; i++)
            print_chunk(x, &v, i, wants_text);
    }
    ken_cli__close_place(x, &place, s);
    return st;
}
