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

static void put_file_id(sql_cursor *c, sqlite3_context *ctx)
{
    put_number(ctx, (uint64_t)ken_sql__row(c)->id);
}

static void put_file_path(sql_cursor *c, sqlite3_context *ctx)
{
    put_text(ctx, ken_sql__row(c)->path);
}

static void put_item_id(sql_cursor *c, sqlite3_context *ctx, int64_t item)
{
    if (item >= 0)
        sqlite3_result_int64(ctx, ken_sql__item_id(c, (uint32_t)item));
}

// The name of a definition, with its parents; NULL without one.
static void put_qualified(sql_cursor *c, sqlite3_context *ctx, int64_t symbol)
{
    if (symbol >= 0)
        put_text(ctx, ken_view_qualified(&c->arena, &c->facts, (uint32_t)symbol));
}

// A column is a row of its table's list: its number, name, type and text, and what puts its value. NULL is what
// nothing was put for.
#define COLUMN(id, name, type, text, put)    { name, type, text },
#define NUMBER_OF(id, name, type, text, put) id,
#define CASE(id, name, type, text, put) \
    case id:                            \
        put;                            \
        break;
#define COUNT(columns) sizeof(columns) / sizeof *(columns)

// ---- counts ------------------------------------------------------------------------------------

static ken_status one_row(sql_cursor *c, uint32_t *out, ken_err *err)
{
    (void)c;
    (void)err;
    *out = 1;
    return KEN_OK;
}

static ken_status count_facts(sql_cursor *c, const uint32_t *n, uint32_t *out, ken_err *err)
{
    ken_status st = ken_sql__need_facts(c, err);
    if (!st)
        *out = *n;
    return st;
}

// After the list of a table without files was loaded, or was there.
static ken_status count_flat(sql_cursor *c, ken_status st, uint32_t *out)
{
    c->is_flat_loaded = !st;
    if (!st)
        *out = (uint32_t)c->n_flat;
    return st;
}

// ---- files ------------------------------------------------------------------------------------

// clang-format off
#define FILE_COLUMNS(X) \
    X(FILE_ID, "id", "INTEGER", "number of the file, for file_id of other tables", \
      put_number(ctx, (uint64_t)row->id)) \
    X(FILE_PATH, "path", "TEXT", "relative to the root", put_text(ctx, row->path)) \
    X(FILE_LANGUAGE, "language", "TEXT", "what it was parsed as", \
      put_word(ctx, ken_lang_name((ken_lang_id)c->info.lang))) \
    X(FILE_HASH, "content_hash", "TEXT", "SHA-256 of its bytes", st = put_hash(c, ctx, err)) \
    X(FILE_SIZE, "size_bytes", "INTEGER", "bytes", put_number(ctx, row->stamp.size)) \
    X(FILE_LINES, "lines", "INTEGER", "lines", put_number(ctx, c->info.n_lines)) \
    X(FILE_CHUNKS, "chunks", "INTEGER", "number of chunks", put_number(ctx, c->info.n_chunks)) \
    X(FILE_SYMBOLS, "symbols", "INTEGER", "number of definitions", put_number(ctx, c->info.n_symbols)) \
    X(FILE_ERRORS, "error_bytes", "INTEGER", "bytes inside syntax errors", \
      put_number(ctx, c->info.n_error_bytes)) \
    X(FILE_FALLBACK, "is_fallback", "INTEGER", "1: cut by lines, without a grammar", \
      put_number(ctx, c->info.is_fallback)) \
    X(FILE_GENERATED, "is_generated", "INTEGER", "1: its head says that a program wrote it", \
      put_number(ctx, c->info.is_generated)) \
    X(FILE_MODIFIED, "modified_at", "TEXT", "time of the file on disk", \
      put_time(ctx, row->stamp.mtime_ns / 1000000)) \
    X(FILE_CHANGED, "changed_at", "TEXT", "when a run last found other bytes in it", \
      put_time(ctx, row->changed_at_ms)) \
    X(FILE_INDEXED, "indexed_at", "TEXT", "when the newest generation was made", \
      put_time(ctx, c->door->info.at_ms))
// clang-format on

enum {
    FILE_COLUMNS(NUMBER_OF)
};

static const ken_sql_column file_columns[] = { FILE_COLUMNS(COLUMN) };

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

static bool is_of_content(int column)
{
    return column == FILE_LANGUAGE || (column >= FILE_LINES && column <= FILE_GENERATED);
}

static ken_status file_column(sql_cursor *c, int column, sqlite3_context *ctx, ken_err *err)
{
    const ken_file_row *row = ken_sql__row(c);
    ken_status st = is_of_content(column) ? ken_sql__need_info(c, err) : KEN_OK;
    if (st)
        return st;
    switch (column) {
        FILE_COLUMNS(CASE)
    }
    return st;
}

// ---- symbols ----------------------------------------------------------------------------------

// clang-format off
#define SYMBOL_COLUMNS(X) \
    X(SYMBOL_ID, "id", "INTEGER", "number of the definition", put_item_id(c, ctx, c->item)) \
    X(SYMBOL_FILE_ID, "file_id", "INTEGER", "files.id", put_file_id(c, ctx)) \
    X(SYMBOL_FILE_PATH, "file_path", "TEXT", "files.path", put_file_path(c, ctx)) \
    X(SYMBOL_ORDINAL, "ordinal", "INTEGER", "its place among the definitions of the file, from 0", \
      put_number(ctx, c->item)) \
    X(SYMBOL_NAME, "name", "TEXT", "its name", put_text(ctx, s->name)) \
    X(SYMBOL_QUALIFIED, "qualified_name", "TEXT", "with its parents: Parser.parse", \
      put_qualified(c, ctx, c->item)) \
    X(SYMBOL_KIND, "kind", "TEXT", "function, method, class, …", \
      put_word(ctx, ken_symbol_kind_word(s->kind))) \
    X(SYMBOL_VISIBILITY, "visibility", "TEXT", "public, protected, internal, private; NULL: not said", \
      put_word(ctx, ken_visibility_word(s->visibility))) \
    X(SYMBOL_PARENT, "parent_id", "INTEGER", "symbols.id of what it stands in", \
      put_item_id(c, ctx, s->parent)) \
    X(SYMBOL_DEPTH, "depth", "INTEGER", "how many parents it has", put_number(ctx, s->depth)) \
    X(SYMBOL_LINE_START, "line_start", "INTEGER", "first line, from 1", \
      put_number(ctx, s->first_line + 1u)) \
    X(SYMBOL_LINE_END, "line_end", "INTEGER", "last line", put_number(ctx, s->last_line + 1u)) \
    X(SYMBOL_BYTE_START, "byte_start", "INTEGER", "first byte, from 0", \
      put_number(ctx, s->span.start)) \
    X(SYMBOL_BYTE_END, "byte_end", "INTEGER", "byte behind the last", put_number(ctx, s->span.end)) \
    X(SYMBOL_SIGNATURE, "signature", "TEXT", "in one line, from the file", \
      put_span(c, ctx, s->signature, true)) \
    X(SYMBOL_DOC, "doc_string", "TEXT", "its comment or docstring, from the file", \
      put_span(c, ctx, s->doc, false)) \
    X(SYMBOL_COMPLEXITY, "complexity", "INTEGER", "McCabe's, of what can be called", \
      st = put_complexity(c, ctx, err))
// clang-format on

enum {
    SYMBOL_COLUMNS(NUMBER_OF)
};

static const ken_sql_column symbol_columns[] = { SYMBOL_COLUMNS(COLUMN) };

static ken_status symbol_count(sql_cursor *c, uint32_t *out, ken_err *err)
{
    return count_facts(c, &c->facts.n_symbols, out, err);
}

static ken_status put_complexity(sql_cursor *c, sqlite3_context *ctx, ken_err *err)
{
    ken_status st = ken_sql__need_refs(c, err);
    if (!st && c->item < c->refs.n_defs && c->refs.defs[c->item].complexity)
        put_number(ctx, c->refs.defs[c->item].complexity);
    return st;
}

static ken_status symbol_column(sql_cursor *c, int column, sqlite3_context *ctx, ken_err *err)
{
    const ken_symbol *s = &c->facts.symbols[c->item];
    ken_status st = KEN_OK;
    switch (column) {
        SYMBOL_COLUMNS(CASE)
    }
    return st;
}

// ---- chunks -----------------------------------------------------------------------------------

// clang-format off
#define CHUNK_COLUMNS(X) \
    X(CHUNK_ID, "id", "INTEGER", "number of the chunk", put_item_id(c, ctx, c->item)) \
    X(CHUNK_CHUNK_ID, "chunk_id", "TEXT", "its UUID, the same on every machine", \
      put_uuid(ctx, ken_uuid_of_chunk(ken_sql__row(c)->path, c->item))) \
    X(CHUNK_FILE_ID, "file_id", "INTEGER", "files.id", put_file_id(c, ctx)) \
    X(CHUNK_FILE_PATH, "file_path", "TEXT", "files.path", put_file_path(c, ctx)) \
    X(CHUNK_ORDINAL, "ordinal", "INTEGER", "its place in the file, from 0", put_number(ctx, c->item)) \
    X(CHUNK_LINE_START, "line_start", "INTEGER", "first line, from 1", \
      put_number(ctx, k->first_line + 1u)) \
    X(CHUNK_LINE_END, "line_end", "INTEGER", "last line", put_number(ctx, k->last_line + 1u)) \
    X(CHUNK_CHAR_START, "char_start", "INTEGER", "first byte, from 0", put_number(ctx, k->span.start)) \
    X(CHUNK_CHAR_END, "char_end", "INTEGER", "byte behind the last", put_number(ctx, k->span.end)) \
    X(CHUNK_TYPE, "chunk_type", "TEXT", "function, class, module, block, comment, section, lines", \
      put_word(ctx, ken_chunk_type_word(k->type))) \
    X(CHUNK_LANGUAGE, "language", "TEXT", "of its file", \
      put_word(ctx, ken_lang_name((ken_lang_id)c->facts.lang))) \
    X(CHUNK_SYMBOL_ID, "symbol_id", "INTEGER", "symbols.id of its main definition", \
      put_item_id(c, ctx, k->symbol)) \
    X(CHUNK_SYMBOL, "symbol_name", "TEXT", "the name of that, with its parents", \
      put_qualified(c, ctx, k->symbol)) \
    X(CHUNK_KIND, "symbol_kind", "TEXT", "the kind of that", \
      put_word(ctx, k->symbol >= 0 ? ken_symbol_kind_word(s->kind) : NULL)) \
    X(CHUNK_PARENT, "parent", "TEXT", "what that stands in", put_qualified(c, ctx, s->parent)) \
    X(CHUNK_SIGNATURE, "signature", "TEXT", "of that, in one line", \
      put_span(c, ctx, s->signature, true)) \
    X(CHUNK_VISIBILITY, "visibility", "TEXT", "of that", \
      put_word(ctx, ken_visibility_word(s->visibility))) \
    X(CHUNK_PACKAGE, "package_name", "TEXT", "package, namespace or module that the file declares", \
      st = put_package(c, ctx, err)) \
    X(CHUNK_DOC, "doc_string", "TEXT", "comment or docstring of its main definition", \
      put_span(c, ctx, s->doc, false)) \
    X(CHUNK_TOKENS, "token_count", "INTEGER", "estimate: bytes / 4", put_number(ctx, k->n_tokens)) \
    X(CHUNK_COLLAPSED, "is_collapsed", "INTEGER", "0: no chunk leaves code out", put_number(ctx, 0)) \
    X(CHUNK_CONTENT, "content", "TEXT", "as models of texts read it: with its path, symbol and comment", \
      st = put_enriched(c, ctx, err)) \
    X(CHUNK_SOURCE, "source_code", "TEXT", "its code alone", put_span(c, ctx, k->span, false))
// clang-format on

enum {
    CHUNK_COLUMNS(NUMBER_OF)
};

static const ken_sql_column chunk_columns[] = { CHUNK_COLUMNS(COLUMN) };

static ken_status chunk_count(sql_cursor *c, uint32_t *out, ken_err *err)
{
    return count_facts(c, &c->facts.n_chunks, out, err);
}

static ken_status put_package(sql_cursor *c, sqlite3_context *ctx, ken_err *err)
{
    ken_status st = ken_sql__need_refs(c, err);
    if (!st)
        put_some(ctx, c->refs.package);
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

static ken_status chunk_column(sql_cursor *c, int column, sqlite3_context *ctx, ken_err *err)
{
    static const ken_symbol none = { .parent = -1 };
    const ken_chunk *k = &c->facts.chunks[c->item];
    const ken_symbol *s = k->symbol >= 0 ? &c->facts.symbols[k->symbol] : &none;
    ken_status st = KEN_OK;
    switch (column) {
        CHUNK_COLUMNS(CASE)
    }
    return st;
}

// ---- chunk_symbols ----------------------------------------------------------------------------

// clang-format off
#define PAIR_COLUMNS(X) \
    X(PAIR_FILE_ID, "file_id", "INTEGER", "files.id", put_file_id(c, ctx)) \
    X(PAIR_CHUNK_ID, "chunk_id", "INTEGER", "chunks.id", \
      put_item_id(c, ctx, ken_sql__chunk_at(&c->facts, c->facts.symbols[c->item].span.start))) \
    X(PAIR_SYMBOL_ID, "symbol_id", "INTEGER", "symbols.id", put_item_id(c, ctx, c->item))
// clang-format on

enum {
    PAIR_COLUMNS(NUMBER_OF)
};

static const ken_sql_column pair_columns[] = { PAIR_COLUMNS(COLUMN) };

static ken_status pair_column(sql_cursor *c, int column, sqlite3_context *ctx, ken_err *err)
{
    (void)err;
    switch (column) {
        PAIR_COLUMNS(CASE)
    }
    return KEN_OK;
}

// ---- refs -------------------------------------------------------------------------------------

// clang-format off
#define REF_COLUMNS(X) \
    X(REF_ID, "id", "INTEGER", "number of the place", put_item_id(c, ctx, c->item)) \
    X(REF_FILE_ID, "file_id", "INTEGER", "files.id", put_file_id(c, ctx)) \
    X(REF_FILE_PATH, "file_path", "TEXT", "files.path", put_file_path(c, ctx)) \
    X(REF_NAME, "name", "TEXT", "the name", put_text(ctx, c->refs.exprs[r->expr].name)) \
    X(REF_EXPRESSION, "expression", "TEXT", "with what stands before it: db.open; locals are replaced by their values", \
      put_ref_expression(c, r->expr, ctx)) \
    X(REF_ROLE, "role", "TEXT", "call, new, read, write, type, inherit, import, decorate", \
      put_word(ctx, ken_ref_role_word(r->role))) \
    X(REF_LINE, "line", "INTEGER", "from 1; NULL when the file has changed", \
      put_ref_line(c, r->byte, ctx)) \
    X(REF_BYTE, "byte", "INTEGER", "where the name begins", put_number(ctx, r->byte)) \
    X(REF_SYMBOL_ID, "symbol_id", "INTEGER", "symbols.id of the definition around it", \
      put_item_id(c, ctx, ken_facts_symbol_at(&c->facts, r->byte))) \
    X(REF_SYMBOL, "symbol_name", "TEXT", "the name of that, with its parents", \
      put_qualified(c, ctx, ken_facts_symbol_at(&c->facts, r->byte)))
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
    switch (column) {
        REF_COLUMNS(CASE)
    }
    return KEN_OK;
}

// ---- imports ----------------------------------------------------------------------------------

// clang-format off
#define IMPORT_COLUMNS(X) \
    X(IMPORT_ID, "id", "INTEGER", "number of the import", put_item_id(c, ctx, c->item)) \
    X(IMPORT_FILE_ID, "file_id", "INTEGER", "files.id", put_file_id(c, ctx)) \
    X(IMPORT_FILE_PATH, "file_path", "TEXT", "files.path", put_file_path(c, ctx)) \
    X(IMPORT_MODULE, "module", "TEXT", "as written, without quotes", put_text(ctx, i->module)) \
    X(IMPORT_LINE, "line", "INTEGER", "from 1", put_number(ctx, i->line + 1u)) \
    X(IMPORT_EXPORT, "is_export", "INTEGER", "1: an export", put_number(ctx, i->is_export))
// clang-format on

enum {
    IMPORT_COLUMNS(NUMBER_OF)
};

static const ken_sql_column import_columns[] = { IMPORT_COLUMNS(COLUMN) };

static ken_status import_count(sql_cursor *c, uint32_t *out, ken_err *err)
{
    return count_facts(c, &c->facts.n_imports, out, err);
}

static ken_status import_column(sql_cursor *c, int column, sqlite3_context *ctx, ken_err *err)
{
    (void)err;
    const ken_import *i = &c->facts.imports[c->item];
    switch (column) {
        IMPORT_COLUMNS(CASE)
    }
    return KEN_OK;
}

// ---- skips ------------------------------------------------------------------------------------

// clang-format off
#define SKIP_COLUMNS(X) \
    X(SKIP_PATH, "path", "TEXT", "relative to the root", put_text(ctx, c->skips[c->item].path)) \
    X(SKIP_REASON, "reason", "TEXT", "a word; ken status --skipped explains it", \
      put_word(ctx, ken_skip_word(c->skips[c->item].reason)))
// clang-format on

enum {
    SKIP_COLUMNS(NUMBER_OF)
};

static const ken_sql_column skip_columns[] = { SKIP_COLUMNS(COLUMN) };

static ken_status skip_count(sql_cursor *c, uint32_t *out, ken_err *err)
{
    ken_status st = c->is_flat_loaded
                        ? KEN_OK
                        : ken_store_load_skips(c->door->store, KEN_SKIP_NONE, UINT32_MAX, &c->arena,
                                               &c->skips, &c->n_flat, err);
    return count_flat(c, st, out);
}

static ken_status skip_column(sql_cursor *c, int column, sqlite3_context *ctx, ken_err *err)
{
    (void)err;
    switch (column) {
        SKIP_COLUMNS(CASE)
    }
    return KEN_OK;
}

// ---- project_meta -----------------------------------------------------------------------------

// clang-format off
#define META_COLUMNS(X) \
    X(META_KEY, "key", "TEXT", "name; config_json: scope, model and root together", \
      put_text(ctx, c->pairs[c->item].key)) \
    X(META_VALUE, "value", "TEXT", "value", put_text(ctx, c->pairs[c->item].value))
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
        if (names[i].n_bytes > META_MAX_BYTES || ken_str_eq_c(p.key, KEN_INDEX_EVENTS) ||
            ken_str_eq_c(p.key, KEN_INDEX_SIZES))
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
    switch (column) {
        META_COLUMNS(CASE)
    }
    return KEN_OK;
}

// ---- embedding_metadata -----------------------------------------------------------------------

// clang-format off
#define MODEL_COLUMNS(X) \
    X(MODEL_NAME, "model_name", "TEXT", "name of the model", put_word(ctx, v.active)) \
    X(MODEL_VERSION, "model_version", "TEXT", "SHA-256 of the model; without one, its name: another model has another", \
      put_text(ctx, version_of(c, &v))) \
    X(MODEL_DIMS, "dimensions", "INTEGER", "numbers in a vector; 0: there are none", \
      put_number(ctx, v.n_dims)) \
    X(MODEL_TIME, "generation_time_ms", "INTEGER", "what making the vectors has taken; 0: runs make them", \
      put_number(ctx, v.cost.n_ms)) \
    X(MODEL_TEXTS, "texts", "INTEGER", "how many texts these were", put_number(ctx, v.cost.n_texts)) \
    X(MODEL_CREATED, "created_at", "TEXT", "when the last were made; else when the index was", \
      put_time(ctx, v.made_at_ms ? v.made_at_ms : c->door->info.at_ms))
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
        MODEL_COLUMNS(CASE)
    }
    return KEN_OK;
}

// ---- checkpoints ------------------------------------------------------------------------------

// clang-format off
#define CHECKPOINT_COLUMNS(X) \
    X(CHECKPOINT_ID, "id", "TEXT", "UUID", put_uuid(ctx, k->uuid)) \
    X(CHECKPOINT_SUMMARY, "summary", "TEXT", "one line", put_text(ctx, k->summary)) \
    X(CHECKPOINT_DESCRIPTION, "description", "TEXT", "all that is needed to go on", \
      put_some(ctx, k->description)) \
    X(CHECKPOINT_BRANCH, "git_branch", "TEXT", "branch it was saved on", put_some(ctx, k->git_branch)) \
    X(CHECKPOINT_COMMIT, "git_commit", "TEXT", "commit it was saved at", put_some(ctx, k->git_commit)) \
    X(CHECKPOINT_TOKENS, "token_count", "INTEGER", "of the conversation, as told", \
      put_number(ctx, k->token_count)) \
    X(CHECKPOINT_CREATED, "created_at", "TEXT", "when it was saved first", \
      put_time(ctx, k->created_at_ms)) \
    X(CHECKPOINT_UPDATED, "updated_at", "TEXT", "when it was saved last", \
      put_time(ctx, k->updated_at_ms))
// clang-format on

enum {
    CHECKPOINT_COLUMNS(NUMBER_OF)
};

static const ken_sql_column checkpoint_columns[] = { CHECKPOINT_COLUMNS(COLUMN) };

static ken_status checkpoint_count(sql_cursor *c, uint32_t *out, ken_err *err)
{
    ken_status st = c->is_flat_loaded
                        ? KEN_OK
                        : ken_store_list_checkpoints(c->door->store, 0, KEN_SQL_ROWS_MAX, true,
                                                     &c->arena, &c->checkpoints, &c->n_flat, err);
    return count_flat(c, st, out);
}

static ken_status checkpoint_column(sql_cursor *c, int column, sqlite3_context *ctx, ken_err *err)
{
    (void)err;
    const ken_checkpoint_row *k = &c->checkpoints[c->item];
    switch (column) {
        CHECKPOINT_COLUMNS(CASE)
    }
    return KEN_OK;
}

// ---- rule_documents ---------------------------------------------------------------------------

// clang-format off
#define RULE_COLUMNS(X) \
    X(RULE_PATH, "path", "TEXT", "relative to the root", put_text(ctx, d->path)) \
    X(RULE_KIND, "kind", "TEXT", "constraint or pattern", \
      put_word(ctx, d->kind == KEN_RULE_PATTERN ? "pattern" : "constraint")) \
    X(RULE_WEIGHT, "weight", "REAL", "how much its rules count", \
      sqlite3_result_double(ctx, d->weight)) \
    X(RULE_RULES, "rules", "INTEGER", "how many rules it has", put_number(ctx, d->n_rules)) \
    X(RULE_INDEXED, "indexed_at", "TEXT", "when it was read", put_time(ctx, d->indexed_at_ms))
// clang-format on

enum {
    RULE_COLUMNS(NUMBER_OF)
};

static const ken_sql_column rule_columns[] = { RULE_COLUMNS(COLUMN) };

static ken_status rule_count(sql_cursor *c, uint32_t *out, ken_err *err)
{
    ken_status st = c->is_flat_loaded
                        ? KEN_OK
                        : ken_store_load_rule_documents(c->door->store, &c->arena, &c->documents,
                                                        &c->n_flat, err);
    return count_flat(c, st, out);
}

static ken_status rule_column(sql_cursor *c, int column, sqlite3_context *ctx, ken_err *err)
{
    (void)err;
    const ken_rule_document_row *d = &c->documents[c->item];
    switch (column) {
        RULE_COLUMNS(CASE)
    }
    return KEN_OK;
}

// ---- change_events ----------------------------------------------------------------------------

// clang-format off
#define CHANGE_COLUMNS(X) \
    X(CHANGE_ID, "id", "INTEGER", "number of the event; the newest has the largest", \
      put_number(ctx, c->item + 1u)) \
    X(CHANGE_GENERATION, "generation", "INTEGER", "that the event led to; the first adds all files and has none", \
      put_number(ctx, e->generation)) \
    X(CHANGE_FILE_ID, "code_file_id", "INTEGER", "files.id; NULL when there is no such file now", \
      put_changed_file(c, ctx, e->path)) \
    X(CHANGE_PATH, "path", "TEXT", "relative to the root", put_text(ctx, e->path)) \
    X(CHANGE_TYPE, "event_type", "TEXT", "added, modified, deleted, renamed (the same content under another path, or one that git takes for it)", \
      put_word(ctx, ken_file_event_word(e->kind))) \
    X(CHANGE_OLD, "old_path", "TEXT", "of a renamed file: the path before; else NULL", put_some(ctx, e->old_path)) \
    X(CHANGE_DETECTED, "detected_at", "TEXT", "when a run found it", put_time(ctx, e->at_ms)) \
    X(CHANGE_PROCESSED, "processed", "INTEGER", "1: the index has it", put_number(ctx, 1))
// clang-format on

enum {
    CHANGE_COLUMNS(NUMBER_OF)
};

static const ken_sql_column change_columns[] = { CHANGE_COLUMNS(COLUMN) };

static ken_status change_count(sql_cursor *c, uint32_t *out, ken_err *err)
{
    ken_status st = c->is_flat_loaded ? KEN_OK
                                      : ken_index_load_events(c->door->store, &c->arena,
                                                              &c->changes, &c->n_flat, err);
    return count_flat(c, st, out);
}

static void put_changed_file(sql_cursor *c, sqlite3_context *ctx, ken_str path)
{
    size_t file = ken_sql__file_at(c->door, path);
    if (file != SIZE_MAX)
        put_number(ctx, (uint64_t)c->door->rows[file].id);
}

static ken_status change_column(sql_cursor *c, int column, sqlite3_context *ctx, ken_err *err)
{
    (void)err;
    const ken_file_event *e = &c->changes[c->item];
    switch (column) {
        CHANGE_COLUMNS(CASE)
    }
    return KEN_OK;
}

// ---- remotes ----------------------------------------------------------------------------------

// clang-format off
#define REMOTE_COLUMNS(X) \
    X(REMOTE_URL, "url", "TEXT", "where it was cloned from", put_text(ctx, r->url)) \
    X(REMOTE_BRANCH, "branch", "TEXT", "branch that is followed; NULL: not known before the first sync", \
      put_some(ctx, r->branch)) \
    X(REMOTE_SPARSE, "sparse", "TEXT", "the paths that are checked out, one a line; NULL: everything", \
      put_some(ctx, r->sparse)) \
    X(REMOTE_DEPTH, "depth", "INTEGER", "commits of history; 0: all", put_number(ctx, r->depth)) \
    X(REMOTE_INTERVAL, "interval_s", "INTEGER", "seconds between two syncs on its own; 0: never", \
      put_number(ctx, r->interval_s)) \
    X(REMOTE_COMMIT, "current_commit", "TEXT", "that the folder was brought to; NULL: no sync yet", \
      put_some(ctx, r->commit)) \
    X(REMOTE_SYNCED, "synced_at", "TEXT", "when a sync last succeeded", put_time(ctx, r->synced_at_ms)) \
    X(REMOTE_TRIED, "tried_at", "TEXT", "when the last one ended, however it did", \
      put_time(ctx, r->tried_at_ms)) \
    X(REMOTE_FAILURES, "failures", "INTEGER", "that failed since, in a row", \
      put_number(ctx, r->n_failures)) \
    X(REMOTE_ERROR, "error", "TEXT", "why the last one failed", put_some(ctx, r->error))
// clang-format on

enum {
    REMOTE_COLUMNS(NUMBER_OF)
};

static const ken_sql_column remote_columns[] = { REMOTE_COLUMNS(COLUMN) };

static ken_status remote_count(sql_cursor *c, uint32_t *out, ken_err *err)
{
    (void)err;
    *out = c->door->remote != NULL;
    return KEN_OK;
}

static ken_status remote_column(sql_cursor *c, int column, sqlite3_context *ctx, ken_err *err)
{
    (void)err;
    const ken_remote *r = c->door->remote;
    switch (column) {
        REMOTE_COLUMNS(CASE)
    }
    return KEN_OK;
}

// ---- the list ---------------------------------------------------------------------------------

// Name, text, whose columns, whether it has rows of no file, columns by which rows are found (of the item, of
// the file, of the path; -1 = none), how many rows there are.
// clang-format off
#define TABLES(X) \
    X("files", "the files of the index", file, false, 0, -1, 1, one_row) \
    X("symbols", "the definitions: functions, types, fields, headings, …", symbol, false, 0, 1, 2, symbol_count) \
    X("chunks", "what files were cut into for searching", chunk, false, 0, 2, 3, chunk_count) \
    X("chunk_symbols", "which chunk each definition begins in", pair, false, 2, 0, -1, symbol_count) \
    X("refs", "every place where a name is used, as it stands there", ref, false, 0, 1, 2, ref_count) \
    X("imports", "what files import, include, use or export, as written", import, false, 0, 1, 2, import_count) \
    X("skips", "what is not in the index, and why", skip, true, -1, -1, -1, skip_count) \
    X("project_meta", "what else is kept with the index, as texts", meta, true, -1, -1, -1, meta_count) \
    X("embedding_metadata", "the model whose vectors answer", model, true, -1, -1, -1, one_row) \
    X("checkpoints", "notes of where work stood", checkpoint, true, -1, -1, -1, checkpoint_count) \
    X("rule_documents", "the documents that state rules", rule, true, -1, -1, -1, rule_count) \
    X("change_events", "which files came, changed, moved and went: the newest 1,000", change, true, -1, -1, -1, change_count) \
    X("remotes", "the remote repository that the folder is a clone of; no row: none", remote, true, -1, -1, -1, \
      remote_count)

#define TABLE(name, text, of, is_flat, id, file, path, count) \
    { { name, text, of##_columns, COUNT(of##_columns) }, is_flat, id, file, path, count, of##_column },
// clang-format on

const sql_table ken_sql__tables[] = { TABLES(TABLE) };

const size_t ken_sql__n_tables = COUNT(ken_sql__tables);
