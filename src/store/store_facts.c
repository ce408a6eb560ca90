// SPDX-License-Identifier: MIT
// The packed form of facts, version 1: a header, then one column after the other. Version 3 is a
// version 1 that was compressed with what facts have in common (store_zip_priv.h), version 2 one
// that was compressed alone.
//
//   header   version byte, flag byte (1 = fallback, 2 = masked), then as varints: lang, n_bytes,
//            n_lines, n_error_bytes, n_symbols, n_chunks, n_imports
//   symbols  kind (byte)
//            visibility, 8 = has doc (byte)
//            i - parent, 0 = none
//            start - previous start (±)
//            length
//            first line - previous first line (±)
//            last line - first line
//            signature: start - span start (±)
//            signature: length
//            docs, where there are some: span start - doc end (±), length
//            names: bytes shared with the name before (byte), number of further bytes, those bytes
//   chunks   type (byte)
//            length
//            start - previous end (±)
//            last line - first line
//            first line - previous last line (±)
//            tokens - length / 4 (±)
//            symbol + 1
//   imports  line - previous line (±), doubled, + 1 for an export
//            length, text
//
// Numbers are LEB128; (±) ones are zigzag-coded. The depth of a symbol follows from its parents.
// A column per field keeps equal things together: most bytes are zero or one, and decoding is a row
// of tight loops. Unpacking trusts nothing: every count is bounded by the bytes that are left
// before memory is taken for it, so a hostile blob costs at most about 32 times its own size, and
// KEN_ZIP_MAX_RATIO times that when compressed.
#include "store/store_facts.h"

#include <limits.h>

#include "base/alloc.h"
#include "store/store_zip_priv.h"

enum {
    FACTS_VERSION = 1,
    FACTS_ALONE = 2,
    FACTS_SHARED = 3,
    COMPRESS_MIN_BYTES = 64, // smaller ones gain nothing
    FLAG_FALLBACK = 1,
    FLAG_MASKED = 2,
    FLAG_GENERATED = 4,
    HAS_DOC = 8,
    SYMBOL_MIN_BYTES = 11, // one byte in each column, docs aside
    CHUNK_MIN_BYTES = 7,
    IMPORT_MIN_BYTES = 2,
    NAME_MAX_SHARED = 255,
};

_Static_assert(KEN_SYMBOL_KIND_COUNT <= 256 && KEN_CHUNK_TYPE_COUNT <= 256, "kinds are bytes");
_Static_assert((int)KEN_VISIBILITY_COUNT <= (int)HAS_DOC, "visibility has three bits");

// ---- packing ---------------------------------------------------------------------------------

static bool has_doc(const ken_symbol *s)
{
    return s->doc.start || s->doc.end;
}

static void pack_names(const ken_symbol *symbols, uint32_t n, ken_buf *out)
{
    ken_str prev = { "", 0 };
    for (uint32_t i = 0; i < n; i++) {
        ken_str name = ken_str_sub(symbols[i].name, 0, KEN_PACKED_TEXT_MAX);
        if (!name.ptr)
            name = (ken_str){ "", 0 };
        size_t most = name.len < prev.len ? name.len : prev.len, shared = 0;
        if (most > NAME_MAX_SHARED)
            most = NAME_MAX_SHARED;
        while (shared < most && name.ptr[shared] == prev.ptr[shared])
            shared++;
        ken_buf_putc(out, (char)(unsigned char)shared);
        ken_buf_put_varint(out, name.len - shared);
        ken_buf_put_str(out, ken_str_sub(name, shared, name.len));
        prev = name;
    }
}

static void pack_symbols(const ken_symbol *s, uint32_t n, ken_buf *out)
{
    for (uint32_t i = 0; i < n; i++)
        ken_buf_putc(out, (char)s[i].kind);
    for (uint32_t i = 0; i < n; i++)
        ken_buf_putc(out, (char)((int)s[i].visibility | (has_doc(&s[i]) ? HAS_DOC : 0)));
    for (uint32_t i = 0; i < n; i++)
        ken_buf_put_varint(out, s[i].parent < 0 ? 0 : i - (uint32_t)s[i].parent);
    for (uint32_t i = 0; i < n; i++)
        ken_put_diff(out, s[i].span.start, i ? s[i - 1].span.start : 0);
    for (uint32_t i = 0; i < n; i++)
        ken_buf_put_varint(out, s[i].span.end - s[i].span.start);
    for (uint32_t i = 0; i < n; i++)
        ken_put_diff(out, s[i].first_line, i ? s[i - 1].first_line : 0);
    for (uint32_t i = 0; i < n; i++)
        ken_buf_put_varint(out, s[i].last_line - s[i].first_line);
    for (uint32_t i = 0; i < n; i++)
        ken_put_diff(out, s[i].signature.start, s[i].span.start);
    for (uint32_t i = 0; i < n; i++)
        ken_buf_put_varint(out, s[i].signature.end - s[i].signature.start);
    for (uint32_t i = 0; i < n; i++) {
        if (!has_doc(&s[i]))
            continue;
        ken_put_diff(out, s[i].span.start, s[i].doc.end);
        ken_buf_put_varint(out, s[i].doc.end - s[i].doc.start);
    }
    pack_names(s, n, out);
}

static void pack_chunks(const ken_chunk *c, uint32_t n, ken_buf *out)
{
    for (uint32_t i = 0; i < n; i++)
        ken_buf_putc(out, (char)c[i].type);
    for (uint32_t i = 0; i < n; i++)
        ken_buf_put_varint(out, c[i].span.end - c[i].span.start);
    for (uint32_t i = 0; i < n; i++)
        ken_put_diff(out, c[i].span.start, i ? c[i - 1].span.end : 0);
    for (uint32_t i = 0; i < n; i++)
        ken_buf_put_varint(out, c[i].last_line - c[i].first_line);
    for (uint32_t i = 0; i < n; i++)
        ken_put_diff(out, c[i].first_line, i ? c[i - 1].last_line : 0);
    for (uint32_t i = 0; i < n; i++)
        ken_put_diff(out, c[i].n_tokens, (c[i].span.end - c[i].span.start) / 4);
    for (uint32_t i = 0; i < n; i++)
        ken_buf_put_varint(out, (uint64_t)((int64_t)c[i].symbol + 1));
}

static void pack_imports(const ken_import *m, uint32_t n, ken_buf *out)
{
    for (uint32_t i = 0; i < n; i++) {
        int64_t diff = (int64_t)m[i].line - (i ? (int64_t)m[i - 1].line : 0);
        ken_put_signed(out, diff * 2 + (m[i].is_export ? 1 : 0));
    }
    for (uint32_t i = 0; i < n; i++) {
        ken_str module = ken_str_sub(m[i].module, 0, KEN_PACKED_TEXT_MAX);
        ken_buf_put_varint(out, module.len);
        ken_buf_put_str(out, module);
    }
}

void ken_facts_pack(const ken_facts *f, ken_buf *out)
{
    ken_buf_putc(out, FACTS_VERSION);
    ken_buf_putc(out,
                 (char)((f->is_fallback ? FLAG_FALLBACK : 0) | (f->is_masked ? FLAG_MASKED : 0) |
                        (f->is_generated ? FLAG_GENERATED : 0)));
    ken_buf_put_varint(out, f->lang);
    ken_buf_put_varint(out, f->n_bytes);
    ken_buf_put_varint(out, f->n_lines);
    ken_buf_put_varint(out, f->n_error_bytes);
    ken_buf_put_varint(out, f->n_symbols);
    ken_buf_put_varint(out, f->n_chunks);
    ken_buf_put_varint(out, f->n_imports);
    pack_symbols(f->symbols, f->n_symbols, out);
    pack_chunks(f->chunks, f->n_chunks, out);
    pack_imports(f->imports, f->n_imports, out);
}

void ken_facts_compress(ken_zip *zip, ken_buf *packed)
{
    if (packed->len < COMPRESS_MIN_BYTES)
        return;
    ken_buf small = KEN_BUF_INIT(packed->max);
    bool is_small = packed->len <= KEN_ZIP_SHARED_MAX;
    ken_buf_putc(&small, is_small ? FACTS_SHARED : FACTS_ALONE);
    bool is_smaller =
        ken_zip__put(zip, is_small ? KEN_ZIP_FACTS_1 : KEN_ZIP_NONE, ken_buf_str(packed), &small);
    if (is_smaller) {
        ken_buf_clear(packed);
        ken_buf_put_str(packed, ken_buf_str(&small));
    }
    ken_buf_release(&small);
}

// ---- unpacking -------------------------------------------------------------------------------

static ken_str get_text(ken_reader *r, const char *what)
{
    return ken_reader_text(r, ken_reader_number(r, KEN_PACKED_TEXT_MAX, what), what);
}

static void unpack_spans(ken_reader *r, const ken_facts *f)
{
    ken_symbol *s = f->symbols;
    const uint32_t n = f->n_symbols, size = f->n_bytes, lines = f->n_lines;
    for (uint32_t i = 0; i < n; i++)
        s[i].span.start = ken_reader_diff(r, i ? s[i - 1].span.start : 0, size, "symbol span");
    for (uint32_t i = 0; i < n; i++)
        s[i].span.end = s[i].span.start + ken_reader_u32(r, size - s[i].span.start, "symbol span");
    for (uint32_t i = 0; i < n; i++)
        s[i].first_line = ken_reader_diff(r, i ? s[i - 1].first_line : 0, lines, "symbol line");
    for (uint32_t i = 0; i < n; i++)
        s[i].last_line =
            s[i].first_line + ken_reader_u32(r, lines - s[i].first_line, "symbol line");
    for (uint32_t i = 0; i < n; i++)
        s[i].signature.start = ken_reader_diff(r, s[i].span.start, size, "signature");
    for (uint32_t i = 0; i < n; i++)
        s[i].signature.end =
            s[i].signature.start + ken_reader_u32(r, size - s[i].signature.start, "signature");
    for (uint32_t i = 0; i < n; i++) {
        if (!s[i].doc.end) // marked by unpack_kinds
            continue;
        // Stored as (span start - doc end), hence the mirrored difference.
        int64_t end = (int64_t)s[i].span.start - ken_reader_signed(r, "doc");
        uint32_t len = ken_reader_u32(r, size, "doc");
        if (end < (int64_t)len || end > (int64_t)size) {
            ken_reader_spoil(r, "doc");
            return;
        }
        s[i].doc = (ken_span){ (uint32_t)end - len, (uint32_t)end };
    }
}

static void unpack_kinds(ken_reader *r, const ken_facts *f)
{
    ken_symbol *s = f->symbols;
    for (uint32_t i = 0; i < f->n_symbols; i++)
        s[i].kind = (ken_symbol_kind)ken_reader_byte(r, KEN_SYMBOL_KIND_COUNT, "symbol kind");
    for (uint32_t i = 0; i < f->n_symbols; i++) {
        unsigned v = ken_reader_byte(r, 2 * HAS_DOC, "visibility");
        if ((v & (HAS_DOC - 1)) >= KEN_VISIBILITY_COUNT)
            ken_reader_spoil(r, "visibility");
        s[i].visibility = (ken_visibility)(v & (HAS_DOC - 1));
        s[i].doc.end = (v & HAS_DOC) != 0;
    }
    for (uint32_t i = 0; i < f->n_symbols; i++) {
        uint32_t up = ken_reader_u32(r, i, "parent");
        s[i].parent = up ? (int32_t)(i - up) : -1;
        s[i].depth = up ? s[i - up].depth + 1 : 0;
    }
}

static void unpack_names(ken_reader *r, const ken_facts *f, ken_arena *arena)
{
    ken_str prev = { "", 0 };
    for (uint32_t i = 0; i < f->n_symbols && !r->bad; i++) {
        size_t shared = ken_reader_byte(r, NAME_MAX_SHARED + 1, "name");
        ken_str rest = get_text(r, "name");
        if (shared > prev.len) {
            ken_reader_spoil(r, "name");
            return;
        }
        if (!rest.len && shared == prev.len) { // the same again
            f->symbols[i].name = prev;
            continue;
        }
        char *p = ken_arena_alloc(arena, shared + rest.len + 1);
        memcpy(p, prev.ptr, shared);
        memcpy(p + shared, rest.ptr, rest.len);
        p[shared + rest.len] = '\0';
        prev = f->symbols[i].name = (ken_str){ p, shared + rest.len };
    }
}

static void unpack_chunks(ken_reader *r, const ken_facts *f)
{
    ken_chunk *c = f->chunks;
    const uint32_t n = f->n_chunks, size = f->n_bytes, lines = f->n_lines;
    for (uint32_t i = 0; i < n; i++)
        c[i].type = (ken_chunk_type)ken_reader_byte(r, KEN_CHUNK_TYPE_COUNT, "chunk type");
    // The lengths come first, kept in `end` until the start is known.
    for (uint32_t i = 0; i < n; i++)
        c[i].span.end = ken_reader_u32(r, size, "chunk span");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t len = c[i].span.end;
        c[i].span.start = ken_reader_diff(r, i ? c[i - 1].span.end : 0, size - len, "chunk span");
        c[i].span.end = c[i].span.start + len;
    }
    for (uint32_t i = 0; i < n; i++)
        c[i].last_line = ken_reader_u32(r, lines, "chunk line");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t more = c[i].last_line;
        c[i].first_line =
            ken_reader_diff(r, i ? c[i - 1].last_line : 0, lines - more, "chunk line");
        c[i].last_line = c[i].first_line + more;
    }
    for (uint32_t i = 0; i < n; i++)
        c[i].n_tokens =
            ken_reader_diff(r, (c[i].span.end - c[i].span.start) / 4, UINT32_MAX, "chunk tokens");
    for (uint32_t i = 0; i < n; i++)
        c[i].symbol = (int32_t)ken_reader_u32(r, f->n_symbols, "chunk symbol") - 1;
}

static void unpack_imports(ken_reader *r, const ken_facts *f, ken_arena *arena)
{
    ken_import *m = f->imports;
    int64_t line = 0;
    for (uint32_t i = 0; i < f->n_imports; i++) {
        int64_t v = ken_reader_signed(r, "import line");
        m[i].is_export = v & 1;
        line += (v - (v & 1)) / 2;
        if (line < 0 || line > (int64_t)f->n_lines) {
            ken_reader_spoil(r, "import line");
            line = 0;
        }
        m[i].line = (uint32_t)line;
    }
    for (uint32_t i = 0; i < f->n_imports && !r->bad; i++)
        m[i].module = ken_arena_dup(arena, get_text(r, "import"));
}

static void unpack_header(ken_reader *r, ken_facts *f, uint32_t *n_symbols, uint32_t *n_chunks,
                          uint32_t *n_imports)
{
    unsigned flags = ken_reader_byte(r, FLAG_FALLBACK + FLAG_MASKED + FLAG_GENERATED + 1, "flags");
    f->is_fallback = (flags & FLAG_FALLBACK) != 0;
    f->is_masked = (flags & FLAG_MASKED) != 0;
    f->is_generated = (flags & FLAG_GENERATED) != 0;
    f->lang = (uint16_t)ken_reader_u32(r, UINT16_MAX, "language");
    f->n_bytes = ken_reader_u32(r, UINT32_MAX, "size");
    f->n_lines = ken_reader_u32(r, (uint64_t)f->n_bytes + 1, "lines");
    f->n_error_bytes = ken_reader_u32(r, f->n_bytes, "errors");
    *n_symbols = ken_reader_count(r, SYMBOL_MIN_BYTES, "number of symbols");
    *n_chunks = ken_reader_count(r, CHUNK_MIN_BYTES, "number of chunks");
    *n_imports = ken_reader_count(r, IMPORT_MIN_BYTES, "number of imports");
}

// Behind the version byte of form 1, wherever that is.
static ken_reader open_form(ken_zip *zip, ken_str packed)
{
    const uint8_t *p = (const uint8_t *)packed.ptr;
    ken_reader r = { p, p + packed.len, NULL };
    if (*r.at == FACTS_SHARED || *r.at == FACTS_ALONE) {
        ken_zip_dictionary d = *r.at++ == FACTS_ALONE ? KEN_ZIP_NONE : KEN_ZIP_FACTS_1;
        ken_str plain = ken_zip__borrow(zip, d, &r, KEN_FACTS_MAX_BYTES);
        p = (const uint8_t *)plain.ptr;
        r = (ken_reader){ p, p + plain.len, r.bad };
    }
    if (ken_reader_byte(&r, 256, "form") != FACTS_VERSION)
        ken_reader_spoil(&r, "another form");
    return r;
}

ken_status ken_facts_unpack(ken_zip *zip, ken_str packed, ken_arena *arena, ken_facts *out,
                            ken_err *err)
{
    if (!packed.len || packed.len > KEN_FACTS_MAX_BYTES)
        return KEN_FAIL(err, KEN_ECORRUPT, "packed facts of %zu bytes", packed.len);
    ken_reader r = open_form(zip, packed);
    ken_facts f = { 0 };
    uint32_t n_symbols = 0, n_chunks = 0, n_imports = 0;
    unpack_header(&r, &f, &n_symbols, &n_chunks, &n_imports);
    ken_arena_mark mark = ken_arena_get_mark(arena);
    if (!r.bad) {
        f.n_symbols = n_symbols;
        f.n_chunks = n_chunks;
        f.n_imports = n_imports;
        f.symbols = KEN_ARENA_ARRAY(arena, ken_symbol, n_symbols);
        f.chunks = KEN_ARENA_ARRAY(arena, ken_chunk, n_chunks);
        f.imports = KEN_ARENA_ARRAY(arena, ken_import, n_imports);
        unpack_kinds(&r, &f);
        unpack_spans(&r, &f);
        unpack_names(&r, &f, arena);
        unpack_chunks(&r, &f);
        unpack_imports(&r, &f, arena);
    }
    if (!r.bad && r.at != r.end)
        r.bad = "bytes after the end";
    if (r.bad) {
        ken_arena_rewind(arena, mark);
        return KEN_FAIL(err, KEN_ECORRUPT, "packed facts are damaged: %s", r.bad);
    }
    *out = f;
    return KEN_OK;
}
