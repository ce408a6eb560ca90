// SPDX-License-Identifier: MIT
#include "chunk/chunk_header.h"

#include "base/buf.h"
#include "base/utf8.h"

enum {
    MAX_NESTING = 8,   // parents that are named
    IMPORTS_SHOWN = 8, // of a file
    MODULE_MAX = 60,   // bytes of one
};

// "Parser.Reader.parse", outermost first.
static void put_qualified(ken_buf *b, const ken_facts *f, int32_t symbol)
{
    int32_t chain[MAX_NESTING];
    int n = 0;
    for (int32_t s = symbol; s >= 0 && n < MAX_NESTING; s = f->symbols[s].parent)
        chain[n++] = s;
    for (; n > 0; n--) {
        ken_buf_put_str(b, f->symbols[chain[n - 1]].name);
        if (n > 1)
            ken_buf_putc(b, '.');
    }
}

// A span of the file as one line, when it is not a part of the chunk.
static void put_elsewhere(ken_buf *b, const ken_chunk_place *p, ken_span span, ken_span chunk)
{
    if (span.start >= span.end || span.end > p->text.len ||
        (span.start >= chunk.start && span.end <= chunk.end))
        return;
    bool is_apart = false;
    for (uint32_t i = span.start; i < span.end; i++) {
        char c = p->text.ptr[i];
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            is_apart = i > span.start;
            continue;
        }
        if (is_apart)
            ken_buf_putc(b, ' ');
        ken_buf_putc(b, c);
        is_apart = false;
    }
    ken_buf_putc(b, '\n');
}

static void put_imports(ken_buf *b, const ken_facts *f)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n_imports && n < IMPORTS_SHOWN; i++) {
        ken_str module = ken_utf8_clip(f->imports[i].module, MODULE_MAX);
        if (!module.len)
            continue;
        ken_buf_puts(b, n++ ? ", " : "imports ");
        ken_buf_put_str(b, module);
    }
    if (n)
        ken_buf_putc(b, '\n');
}

static void put_header(ken_buf *b, const ken_chunk_place *p, const ken_chunk *c)
{
    ken_buf_put_str(b, p->path);
    if (p->lang.len)
        ken_buf_printf(b, " (" KEN_STR_FMT ")", KEN_STR_ARG(p->lang));
    ken_buf_putc(b, '\n');
    if (p->package.len)
        ken_buf_printf(b, "package " KEN_STR_FMT "\n",
                       KEN_STR_ARG(ken_utf8_clip(p->package, MODULE_MAX)));
    if (c->symbol >= 0) {
        const ken_symbol *s = &p->facts->symbols[c->symbol];
        if (s->visibility != KEN_VISIBILITY_UNKNOWN)
            ken_buf_printf(b, "%s ", ken_visibility_word(s->visibility));
        ken_buf_printf(b, "%s ", ken_symbol_kind_word(s->kind));
        put_qualified(b, p->facts, c->symbol);
        ken_buf_putc(b, '\n');
        put_elsewhere(b, p, s->signature, c->span);
        put_elsewhere(b, p, s->doc, c->span);
    }
    put_imports(b, p->facts);
}

// The words before the code, at most a quarter of the room.
static void put_header_within(ken_buf *b, const ken_chunk_place *p, const ken_chunk *c, size_t room)
{
    put_header(b, p, c);
    if (b->len <= room / 4)
        return;
    b->len = ken_utf8_clip(ken_buf_str(b), room / 4 ? room / 4 - 1 : 0).len;
    ken_buf_putc(b, '\n');
}

ken_str ken_chunk_enrich(const ken_chunk_place *place, uint32_t chunk, size_t max_bytes,
                         ken_arena *arena)
{
    const ken_chunk *c = &place->facts->chunks[chunk];
    ken_buf b = KEN_BUF_INIT(0);
    put_header_within(&b, place, c, max_bytes);
    ken_buf_put_str(&b, ken_str_sub(place->text, c->span.start, c->span.end));
    ken_str text = ken_arena_dup(arena, ken_utf8_clip(ken_buf_str(&b), max_bytes));
    ken_buf_release(&b);
    return text;
}

// As much of `code` as the room takes: whole lines, unless they are less than half of it.
static size_t part_bytes(ken_str code, size_t room)
{
    if (code.len <= room)
        return code.len;
    ken_str fits = ken_utf8_clip(code, room);
    size_t line_end = ken_str_rfind_char(fits, '\n');
    if (line_end != SIZE_MAX && line_end >= room / 2)
        return line_end + 1;
    return fits.len ? fits.len : room;
}

uint32_t ken_chunk_enrich_parts(const ken_chunk_place *place, uint32_t chunk, size_t max_bytes,
                                ken_arena *arena, ken_str out[KEN_CHUNK_PARTS_MAX])
{
    const ken_chunk *c = &place->facts->chunks[chunk];
    ken_str code = ken_str_sub(place->text, c->span.start, c->span.end);
    ken_buf b = KEN_BUF_INIT(0);
    put_header_within(&b, place, c, max_bytes);
    const size_t head = b.len, room = max_bytes > head ? max_bytes - head : 1;
    uint32_t n = 0;
    do {
        size_t taken = part_bytes(code, room);
        b.len = head;
        ken_buf_put_str(&b, ken_str_sub(code, 0, taken));
        out[n++] = ken_arena_dup(arena, ken_buf_str(&b));
        code = ken_str_sub(code, taken, code.len);
    } while (code.len && n < KEN_CHUNK_PARTS_MAX);
    ken_buf_release(&b);
    return n;
}
