// SPDX-License-Identifier: MIT
// The tables: their columns, and how the value of each is found.
#include <inttypes.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "chunk/chunk_header.h"
#include "index/index.h"
#include "json/json.h"
#include "lang/lang.h"
#include "sql/sql_priv.h"

enum {
    EXPRESSION_DEPTH = 8,
    EXPRESSION_BYTES = 200,
    META_MAX_BYTES = 64 * 1024,
};

// ---- values ------------------------------------------------------------------------------------

static void put_text(sqlite3_context *ctx, ken_str s)
{
    s = ken_utf8_clip(s, KEN_SQL_TEXT_MAX);
    sqlite3_result_text64(ctx, s.ptr ? s.ptr : "", s.len, SQLITE_TRANSIENT, SQLITE_UTF8);
}

// NULL when it is empty.
static void put_some(sqlite3_context *ctx, ken_str s)
{
    if (s.len)
        put_text(ctx, s);
}

static void put_word(sqlite3_context *ctx, const char *word)
{
    put_some(ctx, ken_str_c(word));
}

static void put_number(sqlite3_context *ctx, uint64_t n)
{
    sqlite3_result_int64(ctx, (int64_t)n);
}

// NULL for no time.
static void put_time(sqlite3_context *ctx, int64_t wall_ms)
{
    char text[KEN_TIME_MS_TEXT];
    if (!wall_ms)
        return;
    ken_clock_format_ms(wall_ms, text);
    put_word(ctx, text);
}

static void put_uuid(sqlite3_context *ctx, ken_uuid id)
{
    char text[KEN_UUID_TEXT];
    ken_uuid_format(id, text);
    put_word(ctx, text);
}

// A span of the file as it is on disk; NULL when that is not what was indexed.
static void put_span(sql_cursor *c, sqlite3_context *ctx, ken_span span, bool is_line)
{
    const ken_file_view *v = span.start < span.end ? ken_sql__need_view(c) : NULL;
    if (v)
        put_some(ctx, is_line ? ken_view_line(&c->arena, v->text, span)
                              : ken_str_sub(v->text, span.start, span.end));
}

static void put_file_column(sql_cursor *c, sqlite3_context *ctx, bool is_path)
{
    if (is_path)
        put_text(ctx, ken_sql__row(c)->path);
    else
        put_number(ctx, (uint64_t)ken_sql__row(c)->id);
}

static void put_item_id(sql_cursor *c, sqlite3_context *ctx, int64_t item)
{
    if (item >= 0)
        sqlite3_result_int64(ctx, ken_sql__item_id(c, (uint32_t)item));
}

#define COLUMN(id, name, type, text)    { name, type, text },
#define NUMBER_OF(id, name, type, text) id,
#define COUNT(columns)                  sizeof(columns) / sizeof *(columns)

// ---- files ------------------------------------------------------------------------------------

// clang-format off
#define FILE_COLUMNS(X) \
    X(FILE_ID, "id", "INTEGER", "number of the file, for file_id of other tables") \
    X(FILE_PATH, "path", "TEXT", "relative to the root") \
    X(FILE_LANGUAGE, "language", "TEXT", "what it was parsed as") \
    X(FILE_HASH, "content_hash", "TEXT", "SHA-256 of its bytes") \
    X(FILE_SIZE, "size_bytes", "INTEGER", "bytes") \
    X(FILE_LINES, "lines", "INTEGER", "lines") \
    X(FILE_CHUNKS, "chunks", "INTEGER", "number of chunks") \
    X(FILE_SYMBOLS, "symbols", "INTEGER", "number of definitions") \
    X(FILE_ERRORS, "error_bytes", "INTEGER", "bytes inside syntax errors") \
    X(FILE_FALLBACK, "is_fallback", "INTEGER", "1: cut by lines, without a grammar") \
    X(FILE_GENERATED, "is_generated", "INTEGER", "1: its head says that a program wrote it") \
    X(FILE_MODIFIED, "modified_at", "TEXT", "time of the file on disk") \
    X(FILE_CHANGED, "changed_at", "TEXT", "when a run last found other bytes in it") \
    X(FILE_INDEXED, "indexed_at", "TEXT", "when the newest generation was made")
// clang-format on

enum {
    FILE_COLUMNS(NUMBER_OF)
};

static const ken_sql_column file_columns[] = { FILE_COLUMNS(COLUMN) };

static ken_status one_row(sql_cursor *c, uint32_t *out, ken_err *err)
{
    (void)c;
    (void)err;
    *out = 1;
    return KEN_OK;
}

static ken_status put_hash(sql_cursor *c, sqlite3_context *ctx, ken_err *err)
{
    ken_sha256 sha;
    char hex[2 * sizeof sha.bytes + 1];
    ken_status st = ken_store_load_sha(c->door->store, ken_sql__row(c)->content, &sha, err);
    if (st)
        return st;
    ken_hex_into(sha.bytes, sizeof sha.bytes, hex);
    put_word(ctx, hex);
    return KEN_OK;
}

static void put_info(const ken_content_info *i, int column, sqlite3_context *ctx)
{
    switch (column) {
    case FILE_LANGUAGE:
        put_word(ctx, ken_lang_name((ken_lang_id)i->lang));
        break;
    case FILE_LINES:
        put_number(ctx, i->n_lines);
        break;
    case FILE_CHUNKS:
        put_number(ctx, i->n_chunks);
        break;
    case FILE_SYMBOLS:
        put_number(ctx, i->n_symbols);
        break;
    case FILE_ERRORS:
        put_number(ctx, i->n_error_bytes);
        break;
    case FILE_FALLBACK:
        put_number(ctx, i->is_fallback);
        break;
    default:
        put_number(ctx, i->is_generated);
        break;
    }
}

static ken_status file_column(sql_cursor *c, int column, sqlite3_context *ctx, ken_err *err)
{
    const ken_file_row *row = ken_sql__row(c);
    ken_status st = KEN_OK;
    switch (column) {
    case FILE_ID:
    case FILE_PATH:
        put_file_column(c, ctx, column == FILE_PATH);
        break;
    case FILE_HASH:
        st = put_hash(c, ctx, err);
        break;
    case FILE_SIZE:
        put_number(ctx, row->stamp.size);
        break;
    case FILE_MODIFIED:
        put_time(ctx, row->stamp.mtime_ns / 1000000);
        break;
    case FILE_CHANGED:
        put_time(ctx, row->changed_at_ms);
        break;
    case FILE_INDEXED:
        put_time(ctx, c->door->info.at_ms);
        break;
    default:
        st = ken_sql__need_info(c, err);
        if (!st)
            put_info(&c->info, column, ctx);
        break;
    }
    return st;
}

// ---- symbols ----------------------------------------------------------------------------------

// clang-format off
#define SYMBOL_COLUMNS(X) \
    X(SYMBOL_ID, "id", "INTEGER", "number of the definition") \
    X(SYMBOL_FILE_ID, "file_id", "INTEGER", "files.id") \
    X(SYMBOL_FILE_PATH, "file_path", "TEXT", "files.path") \
    X(SYMBOL_ORDINAL, "ordinal", "INTEGER", "its place among the definitions of the file, from 0") \
    X(SYMBOL_NAME, "name", "TEXT", "its name") \
    X(SYMBOL_QUALIFIED, "qualified_name", "TEXT", "with its parents: Parser.parse") \
    X(SYMBOL_KIND, "kind", "TEXT", "function, method, class, …") \
    X(SYMBOL_VISIBILITY, "visibility", "TEXT", "public, protected, internal, private; NULL: not said") \
    X(SYMBOL_PARENT, "parent_id", "INTEGER", "symbols.id of what it stands in") \
    X(SYMBOL_DEPTH, "depth", "INTEGER", "how many parents it has") \
    X(SYMBOL_LINE_START, "line_start", "INTEGER", "first line, from 1") \
    X(SYMBOL_LINE_END, "line_end", "INTEGER", "last line") \
    X(SYMBOL_BYTE_START, "byte_start", "INTEGER", "first byte, from 0") \
    X(SYMBOL_BYTE_END, "byte_end", "INTEGER", "byte behind the last") \
    X(SYMBOL_SIGNATURE, "signature", "TEXT", "in one line, from the file") \
    X(SYMBOL_DOC, "doc_string", "TEXT", "its comment or docstring, from the file") \
    X(SYMBOL_COMPLEXITY, "complexity", "INTEGER", "McCabe's, of what can be called")
// clang-format on

enum {
    SYMBOL_COLUMNS(NUMBER_OF)
};

static const ken_sql_column symbol_columns[] = { SYMBOL_COLUMNS(COLUMN) };

static ken_status symbol_count(sql_cursor *c, uint32_t *out, ken_err *err)
{
    ken_status st = ken_sql__need_facts(c, err);
    if (!st)
        *out = c->facts.n_symbols;
    return st;
}

static ken_status put_complexity(sql_cursor *c, sqlite3_context *ctx, ken_err *err)
{
    ken_status st = ken_sql__need_refs(c, err);
    if (!st && c->item < c->refs.n_defs && c->refs.defs[c->item].complexity)
        put_number(ctx, c->refs.defs[c->item].complexity);
    return st;
}

static void put_symbol_place(const ken_symbol *s, int column, sqlite3_context *ctx)
{
    switch (column) {
    case SYMBOL_DEPTH:
        put_number(ctx, s->depth);
        break;
    case SYMBOL_LINE_START:
        put_number(ctx, s->first_line + 1u);
        break;
    case SYMBOL_LINE_END:
        put_number(ctx, s->last_line + 1u);
        break;
    case SYMBOL_BYTE_START:
        put_number(ctx, s->span.start);
        break;
    default:
        put_number(ctx, s->span.end);
        break;
    }
}

static ken_status symbol_column(sql_cursor *c, int column, sqlite3_context *ctx, ken_err *err)
{
    const ken_symbol *s = &c->facts.symbols[c->item];
    switch (column) {
    case SYMBOL_ID:
        put_item_id(c, ctx, c->item);
        break;
    case SYMBOL_FILE_ID:
    case SYMBOL_FILE_PATH:
        put_file_column(c, ctx, column == SYMBOL_FILE_PATH);
        break;
    case SYMBOL_ORDINAL:
        put_number(ctx, c->item);
        break;
    case SYMBOL_NAME:
        put_text(ctx, s->name);
        break;
    case SYMBOL_QUALIFIED:
        put_text(ctx, ken_view_qualified(&c->arena, &c->facts, c->item));
        break;
    case SYMBOL_KIND:
        put_word(ctx, ken_symbol_kind_word(s->kind));
        break;
    case SYMBOL_VISIBILITY:
        put_word(ctx, ken_visibility_word(s->visibility));
        break;
    case SYMBOL_PARENT:
        put_item_id(c, ctx, s->parent);
        break;
    case SYMBOL_SIGNATURE:
        put_span(c, ctx, s->signature, true);
        break;
    case SYMBOL_DOC:
        put_span(c, ctx, s->doc, false);
        break;
    case SYMBOL_COMPLEXITY:
        return put_complexity(c, ctx, err);
    default:
        put_symbol_place(s, column, ctx);
        break;
    }
    return KEN_OK;
}

// ---- chunks -----------------------------------------------------------------------------------

// clang-format off
#define CHUNK_COLUMNS(X) \
    X(CHUNK_ID, "id", "INTEGER", "number of the chunk") \
    X(CHUNK_CHUNK_ID, "chunk_id", "TEXT", "its UUID, the same on every machine") \
    X(CHUNK_FILE_ID, "file_id", "INTEGER", "files.id") \
    X(CHUNK_FILE_PATH, "file_path", "TEXT", "files.path") \
    X(CHUNK_ORDINAL, "ordinal", "INTEGER", "its place in the file, from 0") \
    X(CHUNK_LINE_START, "line_start", "INTEGER", "first line, from 1") \
    X(CHUNK_LINE_END, "line_end", "INTEGER", "last line") \
    X(CHUNK_CHAR_START, "char_start", "INTEGER", "first byte, from 0") \
    X(CHUNK_CHAR_END, "char_end", "INTEGER", "byte behind the last") \
    X(CHUNK_TYPE, "chunk_type", "TEXT", "function, class, module, block, comment, section, lines") \
    X(CHUNK_LANGUAGE, "language", "TEXT", "of its file") \
    X(CHUNK_SYMBOL_ID, "symbol_id", "INTEGER", "symbols.id of its main definition") \
    X(CHUNK_SYMBOL, "symbol_name", "TEXT", "the name of that, with its parents") \
    X(CHUNK_KIND, "symbol_kind", "TEXT", "the kind of that") \
    X(CHUNK_PARENT, "parent", "TEXT", "what that stands in") \
    X(CHUNK_SIGNATURE, "signature", "TEXT", "of that, in one line") \
    X(CHUNK_VISIBILITY, "visibility", "TEXT", "of that") \
    X(CHUNK_PACKAGE, "package_name", "TEXT", "package, namespace or module that the file declares") \
    X(CHUNK_DOC, "doc_string", "TEXT", "comment or docstring of its main definition") \
    X(CHUNK_TOKENS, "token_count", "INTEGER", "estimate: bytes / 4") \
    X(CHUNK_COLLAPSED, "is_collapsed", "INTEGER", "0: no chunk leaves code out") \
    X(CHUNK_CONTENT, "content", "TEXT", "as models of texts read it: with its path, symbol and comment") \
    X(CHUNK_SOURCE, "source_code", "TEXT", "its code alone")
// clang-format on

enum {
    CHUNK_COLUMNS(NUMBER_OF)
};

static const ken_sql_column chunk_columns[] = { CHUNK_COLUMNS(COLUMN) };

static ken_status chunk_count(sql_cursor *c, uint32_t *out, ken_err *err)
{
    ken_status st = ken_sql__need_facts(c, err);
    if (!st)
        *out = c->facts.n_chunks;
    return st;
}

static ken_status put_enriched(sql_cursor *c, sqlite3_context *ctx, ken_err *err)
{
    const ken_file_view *v = ken_sql__need_view(c);
    ken_status st = v ? ken_sql__need_refs(c, err) : KEN_OK;
    if (!v || st)
        return st;
    const ken_chunk_place place = { .path = v->path,
                                    .lang = v->language,
                                    .text = v->text,
                                    .facts = &c->facts,
                                    .package = c->refs.package };
    put_text(ctx, ken_chunk_enrich(&place, c->item, KEN_CHUNK_SHOWN_BYTES, &c->arena));
    return KEN_OK;
}

// Columns of the chunk's main definition.
static void put_chunk_symbol(sql_cursor *c, uint32_t symbol, int column, sqlite3_context *ctx)
{
    const ken_symbol *s = &c->facts.symbols[symbol];
    switch (column) {
    case CHUNK_SYMBOL_ID:
        put_item_id(c, ctx, symbol);
        break;
    case CHUNK_SYMBOL:
        put_text(ctx, ken_view_qualified(&c->arena, &c->facts, symbol));
        break;
    case CHUNK_KIND:
        put_word(ctx, ken_symbol_kind_word(s->kind));
        break;
    case CHUNK_PARENT:
        if (s->parent >= 0)
            put_text(ctx, ken_view_qualified(&c->arena, &c->facts, (uint32_t)s->parent));
        break;
    case CHUNK_SIGNATURE:
        put_span(c, ctx, s->signature, true);
        break;
    case CHUNK_VISIBILITY:
        put_word(ctx, ken_visibility_word(s->visibility));
        break;
    default:
        put_span(c, ctx, s->doc, false);
        break;
    }
}

static void put_chunk_place(const ken_chunk *k, int column, sqlite3_context *ctx)
{
    switch (column) {
    case CHUNK_LINE_START:
        put_number(ctx, k->first_line + 1u);
        break;
    case CHUNK_LINE_END:
        put_number(ctx, k->last_line + 1u);
        break;
    case CHUNK_CHAR_START:
        put_number(ctx, k->span.start);
        break;
    case CHUNK_CHAR_END:
        put_number(ctx, k->span.end);
        break;
    case CHUNK_TYPE:
        put_word(ctx, ken_chunk_type_word(k->type));
        break;
    case CHUNK_TOKENS:
        put_number(ctx, k->n_tokens);
        break;
    default:
        put_number(ctx, 0); // is_collapsed
        break;
    }
}

static ken_status chunk_column(sql_cursor *c, int column, sqlite3_context *ctx, ken_err *err)
{
    const ken_chunk *k = &c->facts.chunks[c->item];
    ken_status st = KEN_OK;
    switch (column) {
    case CHUNK_ID:
        put_item_id(c, ctx, c->item);
        break;
    case CHUNK_CHUNK_ID:
        put_uuid(ctx, ken_uuid_of_chunk(ken_sql__row(c)->path, c->item));
        break;
    case CHUNK_FILE_ID:
    case CHUNK_FILE_PATH:
        put_file_column(c, ctx, column == CHUNK_FILE_PATH);
        break;
    case CHUNK_ORDINAL:
        put_number(ctx, c->item);
        break;
    case CHUNK_LANGUAGE:
        put_word(ctx, ken_lang_name((ken_lang_id)c->facts.lang));
        break;
    case CHUNK_SYMBOL_ID:
    case CHUNK_SYMBOL:
    case CHUNK_KIND:
    case CHUNK_PARENT:
    case CHUNK_SIGNATURE:
    case CHUNK_VISIBILITY:
    case CHUNK_DOC:
        if (k->symbol >= 0)
            put_chunk_symbol(c, (uint32_t)k->symbol, column, ctx);
        break;
    case CHUNK_PACKAGE:
        st = ken_sql__need_refs(c, err);
        if (!st)
            put_some(ctx, c->refs.package);
        break;
    case CHUNK_CONTENT:
        st = put_enriched(c, ctx, err);
        break;
    case CHUNK_SOURCE:
        put_span(c, ctx, k->span, false);
        break;
    default:
        put_chunk_place(k, column, ctx);
        break;
    }
    return st;
}

// ---- chunk_symbols ----------------------------------------------------------------------------

// clang-format off
#define PAIR_COLUMNS(X) \
    X(PAIR_FILE_ID, "file_id", "INTEGER", "files.id") \
    X(PAIR_CHUNK_ID, "chunk_id", "INTEGER", "chunks.id") \
    X(PAIR_SYMBOL_ID, "symbol_id", "INTEGER", "symbols.id")
// clang-format on

enum {
    PAIR_COLUMNS(NUMBER_OF)
};

static const ken_sql_column pair_columns[] = { PAIR_COLUMNS(COLUMN) };

static ken_status pair_column(sql_cursor *c, int column, sqlite3_context *ctx, ken_err *err)
{
    (void)err;
    if (column == PAIR_FILE_ID)
        put_file_column(c, ctx, false);
    else if (column == PAIR_SYMBOL_ID)
        put_item_id(c, ctx, c->item);
    else
        put_item_id(c, ctx, ken_sql__chunk_at(&c->facts, c->facts.symbols[c->item].span.start));
    return KEN_OK;
}

// ---- refs -------------------------------------------------------------------------------------

// clang-format off
#define REF_COLUMNS(X) \
    X(REF_ID, "id", "INTEGER", "number of the place") \
    X(REF_FILE_ID, "file_id", "INTEGER", "files.id") \
    X(REF_FILE_PATH, "file_path", "TEXT", "files.path") \
    X(REF_NAME, "name", "TEXT", "the name") \
    X(REF_EXPRESSION, "expression", "TEXT", "with what stands before it: db.open; locals are replaced by their values") \
    X(REF_ROLE, "role", "TEXT", "call, new, read, write, type, inherit, import, decorate") \
    X(REF_LINE, "line", "INTEGER", "from 1; NULL when the file has changed") \
    X(REF_BYTE, "byte", "INTEGER", "where the name begins") \
    X(REF_SYMBOL_ID, "symbol_id", "INTEGER", "symbols.id of the definition around it") \
    X(REF_SYMBOL, "symbol_name", "TEXT", "the name of that, with its parents")
// clang-format on

enum {
    REF_COLUMNS(NUMBER_OF)
};

static const ken_sql_column ref_columns[] = { REF_COLUMNS(COLUMN) };

static ken_status ref_count(sql_cursor *c, uint32_t *out, ken_err *err)
{
    ken_status st = ken_sql__need_refs(c, err);
    if (!st)
        *out = c->refs.n_refs;
    return st;
}

// Parts have smaller numbers than the whole, so that this ends; deep ones are cut.
static void put_expression(const ken_refs *r, ken_expr_id id,
                           int depth, // NOLINT(misc-no-recursion)
                           ken_buf *out)
{
    const ken_expr *e = &r->exprs[id];
    if (!depth || e->op == KEN_EXPR_NONE) {
        ken_buf_putc(out, '?');
        return;
    }
    switch ((int)e->op) {
    case KEN_EXPR_SELF:
        ken_buf_puts(out, "self");
        break;
    case KEN_EXPR_SUPER:
        ken_buf_puts(out, "super");
        break;
    case KEN_EXPR_MEMBER:
        put_expression(r, e->a, depth - 1, out);
        ken_buf_putc(out, '.');
        ken_buf_put_str(out, e->name);
        break;
    case KEN_EXPR_CALL:
        put_expression(r, e->a, depth - 1, out);
        ken_buf_puts(out, "()");
        break;
    case KEN_EXPR_VALUE:
    case KEN_EXPR_AWAIT:
        put_expression(r, e->a, depth - 1, out);
        break;
    case KEN_EXPR_ELEMENT:
        put_expression(r, e->a, depth - 1, out);
        ken_buf_puts(out, "[]");
        break;
    default:
        if (e->name.len)
            ken_buf_put_str(out, e->name);
        else
            ken_buf_putc(out, '?');
        break;
    }
}

static void put_ref_expression(const sql_cursor *c, ken_expr_id id, sqlite3_context *ctx)
{
    ken_buf text = KEN_BUF_INIT(64 * 1024);
    put_expression(&c->refs, id, EXPRESSION_DEPTH, &text);
    put_text(ctx, ken_utf8_clip(ken_buf_str(&text), EXPRESSION_BYTES));
    ken_buf_release(&text);
}

static void put_ref_line(sql_cursor *c, uint32_t byte, sqlite3_context *ctx)
{
    const ken_file_view *v = ken_sql__need_view(c);
    if (!v)
        return;
    if (!c->line_starts) {
        c->line_starts = KEN_ARENA_ARRAY(&c->arena, uint32_t, c->facts.n_lines + 1u);
        c->n_lines = ken_line_starts(v->text, c->line_starts, c->facts.n_lines);
    }
    if (c->n_lines)
        put_number(ctx, ken_line_of(c->line_starts, c->n_lines, byte) + 1u);
}

static ken_status ref_column(sql_cursor *c, int column, sqlite3_context *ctx, ken_err *err)
{
    (void)err;
    const ken_ref *r = &c->refs.refs[c->item];
    int64_t symbol = -1;
    switch (column) {
    case REF_ID:
        put_item_id(c, ctx, c->item);
        break;
    case REF_FILE_ID:
    case REF_FILE_PATH:
        put_file_column(c, ctx, column == REF_FILE_PATH);
        break;
    case REF_NAME:
        put_text(ctx, c->refs.exprs[r->expr].name);
        break;
    case REF_EXPRESSION:
        put_ref_expression(c, r->expr, ctx);
        break;
    case REF_ROLE:
        put_word(ctx, ken_ref_role_word(r->role));
        break;
    case REF_LINE:
        put_ref_line(c, r->byte, ctx);
        break;
    case REF_BYTE:
        put_number(ctx, r->byte);
        break;
    default:
        symbol = ken_sql__symbol_at(&c->facts, r->byte);
        if (column == REF_SYMBOL_ID)
            put_item_id(c, ctx, symbol);
        else if (symbol >= 0)
            put_text(ctx, ken_view_qualified(&c->arena, &c->facts, (uint32_t)symbol));
        break;
    }
    return KEN_OK;
}

// ---- imports ----------------------------------------------------------------------------------

// clang-format off
#define IMPORT_COLUMNS(X) \
    X(IMPORT_ID, "id", "INTEGER", "number of the import") \
    X(IMPORT_FILE_ID, "file_id", "INTEGER", "files.id") \
    X(IMPORT_FILE_PATH, "file_path", "TEXT", "files.path") \
    X(IMPORT_MODULE, "module", "TEXT", "as written, without quotes") \
    X(IMPORT_LINE, "line", "INTEGER", "from 1") \
    X(IMPORT_EXPORT, "is_export", "INTEGER", "1: an export")
// clang-format on

enum {
    IMPORT_COLUMNS(NUMBER_OF)
};

static const ken_sql_column import_columns[] = { IMPORT_COLUMNS(COLUMN) };

static ken_status import_count(sql_cursor *c, uint32_t *out, ken_err *err)
{
    ken_status st = ken_sql__need_facts(c, err);
    if (!st)
        *out = c->facts.n_imports;
    return st;
}

static ken_status import_column(sql_cursor *c, int column, sqlite3_context *ctx, ken_err *err)
{
    (void)err;
    const ken_import *i = &c->facts.imports[c->item];
    switch (column) {
    case IMPORT_ID:
        put_item_id(c, ctx, c->item);
        break;
    case IMPORT_FILE_ID:
    case IMPORT_FILE_PATH:
        put_file_column(c, ctx, column == IMPORT_FILE_PATH);
        break;
    case IMPORT_MODULE:
        put_text(ctx, i->module);
        break;
    case IMPORT_LINE:
        put_number(ctx, i->line + 1u);
        break;
    default:
        put_number(ctx, i->is_export);
        break;
    }
    return KEN_OK;
}

// ---- skips ------------------------------------------------------------------------------------

// clang-format off
#define SKIP_COLUMNS(X) \
    X(SKIP_PATH, "path", "TEXT", "relative to the root") \
    X(SKIP_REASON, "reason", "TEXT", "a word; ken status --skipped explains it")
// clang-format on

enum {
    SKIP_COLUMNS(NUMBER_OF)
};

static const ken_sql_column skip_columns[] = { SKIP_COLUMNS(COLUMN) };

static ken_status skip_count(sql_cursor *c, uint32_t *out, ken_err *err)
{
    ken_status st = KEN_OK;
    if (!c->is_flat_loaded)
        st = ken_store_load_skips(c->door->store, KEN_SKIP_NONE, UINT32_MAX, &c->arena, &c->skips,
                                  &c->n_flat, err);
    c->is_flat_loaded = !st;
    if (!st)
        *out = (uint32_t)c->n_flat;
    return st;
}

static ken_status skip_column(sql_cursor *c, int column, sqlite3_context *ctx, ken_err *err)
{
    (void)err;
    if (column == SKIP_PATH)
        put_text(ctx, c->skips[c->item].path);
    else
        put_word(ctx, ken_skip_word(c->skips[c->item].reason));
    return KEN_OK;
}

// ---- project_meta -----------------------------------------------------------------------------

// clang-format off
#define META_COLUMNS(X) \
    X(META_KEY, "key", "TEXT", "name; config_json: scope, model and root together") \
    X(META_VALUE, "value", "TEXT", "value")
// clang-format on

enum {
    META_COLUMNS(NUMBER_OF)
};

static const ken_sql_column meta_columns[] = { META_COLUMNS(COLUMN) };

typedef KEN_VEC(sql_pair) pair_vec;

static void add_pair(pair_vec *v, const char *key, ken_str value)
{
    sql_pair p = { ken_str_c(key), value };
    ken_vec_push(v, p);
}

static void add_number(sql_cursor *c, pair_vec *v, const char *key, uint64_t n)
{
    add_pair(v, key, ken_arena_printf(&c->arena, "%" PRIu64, n));
}

static void add_generation(sql_cursor *c, pair_vec *v)
{
    const ken_generation *g = &c->door->info;
    char at[KEN_TIME_MS_TEXT];
    ken_clock_format_ms(g->at_ms, at);
    add_pair(v, "root", g->root);
    add_pair(v, "indexed_at", ken_arena_dup(&c->arena, ken_str_c(at)));
    add_pair(v, "git_head", g->git_head);
    add_pair(v, "git_branch", g->git_branch);
    add_number(c, v, "generation", g->number);
    add_number(c, v, "files", g->n_files);
    add_number(c, v, "chunks", g->n_chunks);
    add_number(c, v, "symbols", g->n_symbols);
    add_number(c, v, "bytes", g->n_bytes);
    add_number(c, v, "lines", g->n_lines);
}

// What a run needs to make the same index elsewhere.
static void add_config(sql_cursor *c, pair_vec *v)
{
    json_t *o = json_object();
    ken_buf text = KEN_BUF_INIT(2 * META_MAX_BYTES);
    ken_json_set_str(o, "root", c->door->info.root);
    for (size_t i = 0; i < v->len; i++) {
        json_t *model = NULL;
        if (ken_str_eq_c(v->ptr[i].key, "index.scope"))
            ken_json_set_str(o, "scope", v->ptr[i].value);
        else if (ken_str_eq_c(v->ptr[i].key, "embed.model") &&
                 !ken_json_parse(v->ptr[i].value, &model, NULL))
            ken_json_set(o, "model", model);
    }
    ken_json_dump(o, &text);
    json_decref(o);
    add_pair(v, "config_json", ken_arena_dup(&c->arena, ken_buf_str(&text)));
    ken_buf_release(&text);
}

// Values that are bytes and no text are left out.
static ken_status add_values(sql_cursor *c, pair_vec *v, ken_err *err)
{
    ken_value_info *names = NULL;
    size_t n = 0;
    ken_status st = ken_store_list_values(c->door->store, &c->arena, &names, &n, err);
    for (size_t i = 0; !st && i < n; i++) {
        sql_pair p = { .key = names[i].key };
        if (names[i].n_bytes > META_MAX_BYTES || ken_str_eq_c(p.key, KEN_INDEX_EVENTS))
            continue;
        st = ken_store_load_value(c->door->store, p.key, &c->arena, &p.value, err);
        if (!st && ken_utf8_is_valid(p.value) && ken_str_find_char(p.value, '\0') == SIZE_MAX)
            ken_vec_push(v, p);
    }
    return st;
}

static ken_status meta_count(sql_cursor *c, uint32_t *out, ken_err *err)
{
    pair_vec v = { 0 };
    if (!c->is_flat_loaded) {
        add_generation(c, &v);
        ken_status st = add_values(c, &v, err);
        if (st) {
            ken_vec_release(&v);
            return st;
        }
        add_config(c, &v);
        c->pairs = ken_arena_copy(&c->arena, v.ptr, v.len, sizeof *c->pairs);
        c->n_flat = v.len;
        c->is_flat_loaded = true;
        ken_vec_release(&v);
    }
    *out = (uint32_t)c->n_flat;
    return KEN_OK;
}

static ken_status meta_column(sql_cursor *c, int column, sqlite3_context *ctx, ken_err *err)
{
    (void)err;
    put_text(ctx, column == META_KEY ? c->pairs[c->item].key : c->pairs[c->item].value);
    return KEN_OK;
}

// ---- embedding_metadata -----------------------------------------------------------------------

// clang-format off
#define MODEL_COLUMNS(X) \
    X(MODEL_NAME, "model_name", "TEXT", "name of the model") \
    X(MODEL_VERSION, "model_version", "TEXT", "SHA-256 of the model; without one, its name: another model has another") \
    X(MODEL_DIMS, "dimensions", "INTEGER", "numbers in a vector; 0: there are none") \
    X(MODEL_TIME, "generation_time_ms", "INTEGER", "what making the vectors has taken; 0: runs make them") \
    X(MODEL_TEXTS, "texts", "INTEGER", "how many texts these were") \
    X(MODEL_CREATED, "created_at", "TEXT", "when the last were made; else when the index was")
// clang-format on

enum {
    MODEL_COLUMNS(NUMBER_OF)
};

static const ken_sql_column model_columns[] = { MODEL_COLUMNS(COLUMN) };

static ken_str version_of(sql_cursor *c, const ken_index_vectors *v)
{
    json_t *record = NULL;
    ken_str sha = { NULL, 0 };
    if (v->record.len && !ken_json_parse(v->record, &record, NULL))
        sha = ken_arena_dup(&c->arena, ken_json_text(json_object_get(record, "sha256")));
    json_decref(record);
    return sha.len ? sha : ken_str_c(v->active);
}

static ken_status model_column(sql_cursor *c, int column, sqlite3_context *ctx, ken_err *err)
{
    ken_index_vectors v = { 0 };
    ken_status st = ken_index_load_vectors(c->door->store, &c->arena, &v, err);
    if (st)
        return st;
    switch (column) {
    case MODEL_NAME:
        put_word(ctx, v.active);
        break;
    case MODEL_VERSION:
        put_text(ctx, version_of(c, &v));
        break;
    case MODEL_DIMS:
        put_number(ctx, v.n_dims);
        break;
    case MODEL_TIME:
        put_number(ctx, v.cost.n_ms);
        break;
    case MODEL_TEXTS:
        put_number(ctx, v.cost.n_texts);
        break;
    default:
        put_time(ctx, v.made_at_ms ? v.made_at_ms : c->door->info.at_ms);
        break;
    }
    return KEN_OK;
}

// ---- checkpoints ------------------------------------------------------------------------------

// clang-format off
#define CHECKPOINT_COLUMNS(X) \
    X(CHECKPOINT_ID, "id", "TEXT", "UUID") \
    X(CHECKPOINT_SUMMARY, "summary", "TEXT", "one line") \
    X(CHECKPOINT_DESCRIPTION, "description", "TEXT", "all that is needed to go on") \
    X(CHECKPOINT_BRANCH, "git_branch", "TEXT", "branch it was saved on") \
    X(CHECKPOINT_COMMIT, "git_commit", "TEXT", "commit it was saved at") \
    X(CHECKPOINT_TOKENS, "token_count", "INTEGER", "of the conversation, as told") \
    X(CHECKPOINT_CREATED, "created_at", "TEXT", "when it was saved first") \
    X(CHECKPOINT_UPDATED, "updated_at", "TEXT", "when it was saved last")
// clang-format on

enum {
    CHECKPOINT_COLUMNS(NUMBER_OF)
};

static const ken_sql_column checkpoint_columns[] = { CHECKPOINT_COLUMNS(COLUMN) };

static ken_status checkpoint_count(sql_cursor *c, uint32_t *out, ken_err *err)
{
    ken_status st = KEN_OK;
    if (!c->is_flat_loaded)
        st = ken_store_list_checkpoints(c->door->store, 0, KEN_SQL_ROWS_MAX, true, &c->arena,
                                        &c->checkpoints, &c->n_flat, err);
    c->is_flat_loaded = !st;
    if (!st)
        *out = (uint32_t)c->n_flat;
    return st;
}

static ken_status checkpoint_column(sql_cursor *c, int column, sqlite3_context *ctx, ken_err *err)
{
    (void)err;
    const ken_checkpoint_row *k = &c->checkpoints[c->item];
    switch (column) {
    case CHECKPOINT_ID:
        put_uuid(ctx, k->uuid);
        break;
    case CHECKPOINT_SUMMARY:
        put_text(ctx, k->summary);
        break;
    case CHECKPOINT_DESCRIPTION:
        put_some(ctx, k->description);
        break;
    case CHECKPOINT_BRANCH:
        put_some(ctx, k->git_branch);
        break;
    case CHECKPOINT_COMMIT:
        put_some(ctx, k->git_commit);
        break;
    case CHECKPOINT_TOKENS:
        put_number(ctx, k->token_count);
        break;
    default:
        put_time(ctx, column == CHECKPOINT_CREATED ? k->created_at_ms : k->updated_at_ms);
        break;
    }
    return KEN_OK;
}

// ---- rule_documents ---------------------------------------------------------------------------

// clang-format off
#define RULE_COLUMNS(X) \
    X(RULE_PATH, "path", "TEXT", "relative to the root") \
    X(RULE_KIND, "kind", "TEXT", "constraint or pattern") \
    X(RULE_WEIGHT, "weight", "REAL", "how much its rules count") \
    X(RULE_RULES, "rules", "INTEGER", "how many rules it has") \
    X(RULE_INDEXED, "indexed_at", "TEXT", "when it was read")
// clang-format on

enum {
    RULE_COLUMNS(NUMBER_OF)
};

static const ken_sql_column rule_columns[] = { RULE_COLUMNS(COLUMN) };

static ken_status rule_count(sql_cursor *c, uint32_t *out, ken_err *err)
{
    ken_status st = KEN_OK;
    if (!c->is_flat_loaded)
        st = ken_store_load_rule_documents(c->door->store, &c->arena, &c->documents, &c->n_flat,
                                           err);
    c->is_flat_loaded = !st;
    if (!st)
        *out = (uint32_t)c->n_flat;
    return st;
}

static ken_status rule_column(sql_cursor *c, int column, sqlite3_context *ctx, ken_err *err)
{
    (void)err;
    const ken_rule_document_row *d = &c->documents[c->item];
    switch (column) {
    case RULE_PATH:
        put_text(ctx, d->path);
        break;
    case RULE_KIND:
        put_word(ctx, d->kind == KEN_RULE_PATTERN ? "pattern" : "constraint");
        break;
    case RULE_WEIGHT:
        sqlite3_result_double(ctx, d->weight);
        break;
    case RULE_RULES:
        put_number(ctx, d->n_rules);
        break;
    default:
        put_time(ctx, d->indexed_at_ms);
        break;
    }
    return KEN_OK;
}

// ---- change_events ----------------------------------------------------------------------------

// clang-format off
#define CHANGE_COLUMNS(X) \
    X(CHANGE_ID, "id", "INTEGER", "number of the event; the newest has the largest") \
    X(CHANGE_GENERATION, "generation", "INTEGER", "that the event led to; the first adds all files and has none") \
    X(CHANGE_FILE_ID, "code_file_id", "INTEGER", "files.id; NULL when there is no such file now") \
    X(CHANGE_PATH, "path", "TEXT", "relative to the root") \
    X(CHANGE_TYPE, "event_type", "TEXT", "added, modified, deleted; a rename is a deletion and an addition") \
    X(CHANGE_DETECTED, "detected_at", "TEXT", "when a run found it") \
    X(CHANGE_PROCESSED, "processed", "INTEGER", "1: the index has it")
// clang-format on

enum {
    CHANGE_COLUMNS(NUMBER_OF)
};

static const ken_sql_column change_columns[] = { CHANGE_COLUMNS(COLUMN) };

static ken_status change_count(sql_cursor *c, uint32_t *out, ken_err *err)
{
    ken_status st = KEN_OK;
    if (!c->is_flat_loaded)
        st = ken_index_load_events(c->door->store, &c->arena, &c->changes, &c->n_flat, err);
    c->is_flat_loaded = !st;
    if (!st)
        *out = (uint32_t)c->n_flat;
    return st;
}

static ken_status change_column(sql_cursor *c, int column, sqlite3_context *ctx, ken_err *err)
{
    (void)err;
    const ken_file_event *e = &c->changes[c->item];
    size_t file;
    switch (column) {
    case CHANGE_ID:
        put_number(ctx, c->item + 1u);
        break;
    case CHANGE_GENERATION:
        put_number(ctx, e->generation);
        break;
    case CHANGE_FILE_ID:
        file = ken_sql__file_at(c->door, e->path);
        if (file != SIZE_MAX)
            put_number(ctx, (uint64_t)c->door->rows[file].id);
        break;
    case CHANGE_PATH:
        put_text(ctx, e->path);
        break;
    case CHANGE_TYPE:
        put_word(ctx, ken_file_event_word(e->kind));
        break;
    case CHANGE_DETECTED:
        put_time(ctx, e->at_ms);
        break;
    default:
        put_number(ctx, 1);
        break;
    }
    return KEN_OK;
}

// ---- the list ---------------------------------------------------------------------------------

const sql_table ken_sql__tables[] = {
    { { "files", "the files of the index", file_columns, COUNT(file_columns) },
      false,
      0,
      -1,
      1,
      one_row,
      file_column },
    { { "symbols", "the definitions: functions, types, fields, headings, …", symbol_columns,
        COUNT(symbol_columns) },
      false,
      0,
      1,
      2,
      symbol_count,
      symbol_column },
    { { "chunks", "what files were cut into for searching", chunk_columns, COUNT(chunk_columns) },
      false,
      0,
      2,
      3,
      chunk_count,
      chunk_column },
    { { "chunk_symbols", "which chunk each definition begins in", pair_columns,
        COUNT(pair_columns) },
      false,
      2,
      0,
      -1,
      symbol_count,
      pair_column },
    { { "refs", "every place where a name is used, as it stands there", ref_columns,
        COUNT(ref_columns) },
      false,
      0,
      1,
      2,
      ref_count,
      ref_column },
    { { "imports", "what files import, include, use or export, as written", import_columns,
        COUNT(import_columns) },
      false,
      0,
      1,
      2,
      import_count,
      import_column },
    { { "skips", "what is not in the index, and why", skip_columns, COUNT(skip_columns) },
      true,
      -1,
      -1,
      -1,
      skip_count,
      skip_column },
    { { "project_meta", "what else is kept with the index, as texts", meta_columns,
        COUNT(meta_columns) },
      true,
      -1,
      -1,
      -1,
      meta_count,
      meta_column },
    { { "embedding_metadata", "the model whose vectors answer", model_columns,
        COUNT(model_columns) },
      true,
      -1,
      -1,
      -1,
      one_row,
      model_column },
    { { "checkpoints", "notes of where work stood", checkpoint_columns, COUNT(checkpoint_columns) },
      true,
      -1,
      -1,
      -1,
      checkpoint_count,
      checkpoint_column },
    { { "rule_documents", "the documents that state rules", rule_columns, COUNT(rule_columns) },
      true,
      -1,
      -1,
      -1,
      rule_count,
      rule_column },
    { { "change_events", "which files came, changed and went: the newest 1,000", change_columns,
        COUNT(change_columns) },
      true,
      -1,
      -1,
      -1,
      change_count,
      change_column },
};

const size_t ken_sql__n_tables = COUNT(ken_sql__tables);
