// SPDX-License-Identifier: MIT
// The relational model: what is packed in a content, as rows for people and other programs. They are gathered
// with the content, sent by COPY in its transaction, and removed with it (CONTENT_COLLECT and its like); views
// of the schema join them with files. Nothing of the program reads them but the text.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sorted.h"
#include "base/utf8.h"
#include "store/postgres/postgres_index_priv.h"

static const ken_pg_stmt copies[KEN_PG_RELATIONS] = {
    [KEN_PG_SYMBOLS] = KEN_PG_SYMBOL_COPY, [KEN_PG_CHUNKS] = KEN_PG_CHUNK_COPY,
    [KEN_PG_IMPORTS] = KEN_PG_IMPORT_COPY, [KEN_PG_REFS] = KEN_PG_REF_COPY,
    [KEN_PG_TEXTS] = KEN_PG_TEXT_COPY,
};

// One content on its way into rows.
typedef struct content {
    ken_pg_index *x;
    int64_t id;
    const ken_facts *facts;
    const ken_refs *refs;
    ken_str language;
    uint32_t *line_starts; // of its text; NULL when that is not at hand
    uint32_t n_lines;
} content;

#define ROW(c, of, ...)                            \
    ken_store__pg_copy_row(&(c)->x->relations[of], \
                           PG_VALUES(PG_INT((c)->x->id), PG_INT((c)->id), __VA_ARGS__))
#define WORD(w) PG_TEXT(ken_str_c(w))
// Indexes of parents and of symbols around: -1 = none.
#define PG_PLACE(i) PG_IF((i) >= 0, PG_INT4(i))

// ---- symbols and chunks ------------------------------------------------------------------------

static void put_symbols(const content *c)
{
    for (uint32_t i = 0; i < c->facts->n_symbols; i++) {
        const ken_symbol *s = &c->facts->symbols[i];
        uint16_t complexity = i < c->refs->n_defs ? c->refs->defs[i].complexity : 0;
        const char *visibility = ken_visibility_word(s->visibility);
        ROW(c, KEN_PG_SYMBOLS, PG_INT4(i), PG_PLACE(s->parent), PG_INT4(s->depth),
            PG_INT4(s->first_line + 1), PG_INT4(s->last_line + 1), PG_INT4(s->span.start),
            PG_INT4(s->span.end), PG_INT4(s->signature.start), PG_INT4(s->signature.end),
            PG_INT4(s->doc.start), PG_INT4(s->doc.end), PG_IF(complexity, PG_INT4(complexity)),
            PG_TEXT(s->name), WORD(ken_symbol_kind_word(s->kind)),
            PG_IF(*visibility, WORD(visibility)));
    }
}

static void put_chunks(const content *c)
{
    for (uint32_t i = 0; i < c->facts->n_chunks; i++) {
        const ken_chunk *k = &c->facts->chunks[i];
        ROW(c, KEN_PG_CHUNKS, PG_INT4(i), PG_PLACE(k->symbol), PG_INT4(k->first_line + 1),
            PG_INT4(k->last_line + 1), PG_INT4(k->span.start), PG_INT4(k->span.end),
            PG_INT4(k->n_tokens), WORD(ken_chunk_type_word(k->type)));
    }
}

// ---- imports -----------------------------------------------------------------------------------

// An import by its module, and of those of one module by its line.
typedef struct import_key {
    ken_str module;
    uint32_t line, import;
} import_key;

static int by_module(const void *a, const void *b)
{
    const import_key *x = a, *y = b;
    int order = ken_str_cmp(x->module, y->module);
    return order ? order : (x->import > y->import) - (x->import < y->import);
}

// A name that an import brings.
typedef struct import_name {
    uint32_t import;
    ken_str name;
} import_name;

static int by_import(const void *a, const void *b)
{
    const import_name *x = a, *y = b;
    return x->import != y->import ? (x->import > y->import) - (x->import < y->import)
                                  : ken_str_cmp(x->name, y->name);
}

static int64_t line_of(const content *c, uint32_t byte)
{
    return c->n_lines ? (int64_t)ken_line_of(c->line_starts, c->n_lines, byte) : -1;
}

// The import that a name belongs to: the last one of its module that begins at its line or before.
static uint32_t import_of(const content *c, const import_key *keys, const ken_bind *b)
{
    uint32_t n = c->facts->n_imports, found = UINT32_MAX;
    int64_t line = line_of(c, b->byte);
    for (size_t at = KEN_FIRST_STR(import_key, module, keys, n, b->module);
         at < n && ken_str_eq(keys[at].module, b->module); at++) {
        if (found != UINT32_MAX && keys[at].line > line)
            break;
        found = keys[at].import;
    }
    return found;
}

// Each name of an import once, by import.
static size_t list_names(const content *c, import_name *out)
{
    uint32_t n_imports = c->facts->n_imports;
    import_key *keys = ken_alloc(ken_mul_size(n_imports + (size_t)1, sizeof *keys));
    size_t n = 0, n_kept = 0;
    for (uint32_t i = 0; i < n_imports; i++)
        keys[i] = (import_key){ c->facts->imports[i].module, c->facts->imports[i].line, i };
    qsort(keys, n_imports, sizeof *keys, by_module);
    for (uint32_t i = 0; i < c->refs->n_binds; i++) {
        const ken_bind *b = &c->refs->binds[i];
        uint32_t import =
            b->kind == KEN_BIND_NAME && b->name.len ? import_of(c, keys, b) : UINT32_MAX;
        if (import != UINT32_MAX)
            out[n++] = (import_name){ import, b->name };
    }
    ken_free(keys);
    qsort(out, n, sizeof *out, by_import);
    for (size_t i = 0; i < n; i++)
        if (!n_kept || by_import(&out[n_kept - 1], &out[i]))
            out[n_kept++] = out[i];
    return n_kept;
}

static const char *import_type(const content *c, const ken_import *i)
{
    static const char *const includes[] = { "c", "cpp", "objc", "cuda" };
    static const char *const requires[] = { "ruby", "lua" };
    for (size_t k = 0; k < sizeof includes / sizeof *includes; k++)
        if (ken_str_eq_c(c->language, includes[k]))
            return "include";
    for (size_t k = 0; k < sizeof requires / sizeof *requires; k++)
        if (ken_str_eq_c(c->language, requires[k]))
            return "require";
    return i->is_export ? "export" : "import";
}

static void put_imports(const content *c)
{
    import_name *names = ken_alloc(ken_mul_size(c->refs->n_binds + (size_t)1, sizeof *names));
    ken_str *texts = ken_alloc(ken_mul_size(c->refs->n_binds + (size_t)1, sizeof *texts));
    size_t n = c->facts->n_imports && c->refs->n_binds ? list_names(c, names) : 0, at = 0;
    for (uint32_t i = 0; i < c->facts->n_imports; i++) {
        const ken_import *m = &c->facts->imports[i];
        size_t from = at;
        for (; at < n && names[at].import == i; at++)
            texts[at] = names[at].name;
        ROW(c, KEN_PG_IMPORTS, PG_INT4(i), PG_INT4(m->line + 1), PG_BOOL(m->is_export),
            PG_TEXT(m->module), WORD(import_type(c, m)), PG_TEXTS(texts + from, at - from));
    }
    ken_free(names);
    ken_free(texts);
}

// ---- references --------------------------------------------------------------------------------

static void put_refs(const content *c)
{
    for (uint32_t i = 0; i < c->refs->n_refs; i++) {
        const ken_ref *r = &c->refs->refs[i];
        int32_t symbol = ken_facts_symbol_at(c->facts, r->byte);
        int64_t line = line_of(c, r->byte);
        ROW(c, KEN_PG_REFS, PG_INT4(i), PG_PLACE(symbol), PG_IF(line >= 0, PG_INT4(line + 1)),
            PG_INT4(r->byte), PG_TEXT(c->refs->exprs[r->expr].name),
            WORD(ken_ref_role_word(r->role)));
    }
}

// ---- a content ---------------------------------------------------------------------------------

static void count_lines(content *c, ken_str text)
{
    if (!text.ptr || text.len != c->facts->n_bytes)
        return;
    c->line_starts = ken_alloc(ken_mul_size(c->facts->n_lines + (size_t)1, sizeof(uint32_t)));
    c->n_lines = ken_line_starts(text, c->line_starts, c->facts->n_lines);
}

static void put_rows(content *c, ken_relations which)
{
    put_symbols(c);
    put_chunks(c);
    put_imports(c);
    if (which == KEN_RELATIONS_ALL)
        put_refs(c);
}

ken_status ken_store__pg_put_relations(ken_pg_index *x, int64_t id, const ken_facts *facts,
                                       const ken_packed *packed, ken_err *err)
{
    ken_refs unpacked = { 0 };
    ken_arena arena;
    content c = {
        .x = x, .id = id, .facts = facts, .refs = packed->plain_refs, .language = packed->language
    };
    const ken_relations which = ken_store__pg_relations(x->p.db);
    ken_arena_init(&arena, 0);
    if (which != KEN_RELATIONS_NONE && !c.refs) {
        c.refs = &unpacked;
        // What does not unpack is kept as it is, and told by whoever reads it.
        if (ken_refs_unpack(x->zip, packed->refs, facts, &arena, &unpacked, NULL))
            unpacked = (ken_refs){ 0 };
    }
    if (which != KEN_RELATIONS_NONE) {
        count_lines(&c, packed->text);
        put_rows(&c, which);
    }
    if (packed->text.ptr && ken_store__pg_keeps_text(x->p.db))
        ROW(&c, KEN_PG_TEXTS, PG_BOOL(ken_utf8_is_valid(packed->text)), PG_BYTES(packed->text));
    ken_free(c.line_starts);
    ken_arena_release(&arena);
    return ken_store__pg_flush_relations(x, KEN_PG_COPY_BYTES, err);
}

ken_status ken_store__pg_flush_relations(ken_pg_index *x, size_t bytes, ken_err *err)
{
    ken_status st = KEN_OK;
    for (size_t i = 0; !st && i < KEN_PG_RELATIONS; i++)
        if (x->relations[i].rows.len >= bytes)
            st = ken_store__pg_copy_send(&x->p, copies[i], &x->relations[i], err);
    return st;
}

void ken_store__pg_drop_relations(ken_pg_index *x)
{
    for (size_t i = 0; i < KEN_PG_RELATIONS; i++)
        ken_store__pg_copy_drop(&x->relations[i]);
}
