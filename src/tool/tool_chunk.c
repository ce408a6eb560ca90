// SPDX-License-Identifier: MIT
// A chunk with all that is known of it, for the operations that show chunks.
#include "base/utf8.h"
#include "chunk/chunk_header.h"
#include "tool/tool_graph_priv.h"

enum {
    DOC_MAX = 2000,
    SYMBOLS_MAX = 64, // of a chunk
};

static void set_some(json_t *o, const char *key, ken_str text)
{
    if (text.len)
        ken_json_set_str(o, key, text);
}

static void set_definition(json_t *o, const ken_file_view *v, uint32_t symbol, ken_arena *arena)
{
    const ken_symbol *s = &v->facts->symbols[symbol];
    if (s->parent >= 0)
        ken_json_set_str(o, "parent", ken_view_qualified(arena, v->facts, (uint32_t)s->parent));
    set_some(o, "signature", ken_view_line(arena, v->text, s->signature));
    set_some(o, "visibility", ken_str_c(ken_visibility_word(s->visibility)));
    ken_str doc = ken_str_trim(ken_str_sub(v->text, s->doc.start, s->doc.end));
    set_some(o, "doc_string", ken_utf8_clip(doc, DOC_MAX));
}

static json_t *symbols_json(const ken_file_view *v, uint32_t chunk, ken_arena *arena)
{
    uint32_t symbols[SYMBOLS_MAX];
    uint32_t n = ken_view_chunk_symbols(v->facts, chunk, SYMBOLS_MAX, symbols);
    json_t *list = json_array();
    for (uint32_t i = 0; i < n; i++) {
        const ken_symbol *s = &v->facts->symbols[symbols[i]];
        ken_json_append(list, ken_tool__symbol_json(ken_view_qualified(arena, v->facts, symbols[i]),
                                                    s->kind, s->first_line, s->last_line));
    }
    return list;
}

void ken_tool__set_chunk(json_t *o, const ken_tool__chunk *c, ken_arena *arena)
{
    const ken_file_view *v = c->view;
    const ken_facts *f = v->facts;
    ken_json_set_u64(o, "chunk_index", c->chunk);
    ken_json_set_u64(o, "total_chunks", f->n_chunks);
    if (c->symbol >= 0 && (uint32_t)c->symbol < f->n_symbols)
        set_definition(o, v, (uint32_t)c->symbol, arena);
    set_some(o, "package_name", c->package);
    ken_json_set_bool(o, "is_collapsed", false); // no chunk leaves code out
    ken_json_set(o, "symbols", symbols_json(v, c->chunk, arena));
    if (!c->wants_embedded)
        return;
    const ken_chunk_place place = {
        .path = v->path, .lang = v->language, .text = v->text, .facts = f, .package = c->package
    };
    ken_json_set_str(o, "embedded_text",
                     ken_chunk_enrich(&place, c->chunk, KEN_CHUNK_SHOWN_BYTES, arena));
}
