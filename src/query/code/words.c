// SPDX-License-Identifier: MIT
// Searches for a name as a word where there are no references: in comments, texts and code that was not
// parsed, and in files that are not indexed (generated, vendored). Only when nothing else was found, so
// that "no usages" never means "not searched".
#include <stdlib.h>

#include "base/fs.h"
#include "lexical/lexical.h"
#include "query/query_graph_priv.h"
#include "secret/secret.h"
#include "token/token.h"

enum {
    FILES_MAX = 200,          // that are read
    BYTES_MAX = 16 << 20,     // of all of them
    FILE_BYTES_MAX = 1 << 20, // of one that is left out
    SKIPS_MAX = 2000,         // of one reason that are searched
    CHECK_EVERY = 16,
};

typedef struct word_search {
    ken_snapshot *s;
    ken_graph *g;
    ken_str name;
    ken_arena *arena;
    ken_said_in_text *out;
    uint32_t n_files;
    size_t n_bytes;
} word_search;

static bool is_full(const word_search *w)
{
    return w->n_files >= FILES_MAX || w->n_bytes >= BYTES_MAX;
}

// The next place of the name as a whole word, SIZE_MAX when there is none.
static size_t next_word(ken_str text, ken_str name, size_t from)
{
    for (;;) {
        size_t at = ken_str_find(ken_str_sub(text, from, text.len), name);
        if (at == SIZE_MAX)
            return SIZE_MAX;
        at += from;
        size_t end = at + name.len;
        bool is_whole = (!at || !ken_is_word(text.ptr[at - 1])) &&
                        (end == text.len || !ken_is_word(text.ptr[end]));
        if (is_whole)
            return at;
        from = end;
    }
}

// Whether a definition or a declaration of that name has it there.
static bool is_own_name(const word_search *w, const ken_unit_text *u, ken_str text, size_t at)
{
    for (uint32_t i = 0; u && i < u->facts->n_symbols; i++) {
        const ken_symbol *sym = &u->facts->symbols[i];
        if (sym->span.start > at)
            break;
        if (ken_str_eq(sym->name, w->name) && next_word(text, w->name, sym->span.start) == at)
            return true;
    }
    for (uint32_t i = 0; u && i < u->refs->n_implied; i++)
        if (u->refs->implied[i].byte == at && ken_str_eq(u->refs->implied[i].name, w->name))
            return true;
    return false;
}

static void add_line(word_search *w, ken_str path, ken_str text, size_t at, bool is_left_out)
{
    ken_said_in_text *out = w->out;
    out->n_lines++;
    if (out->n_places == KEN_SAID_PLACES_MAX)
        return;
    size_t from = ken_str_rfind_char(ken_str_sub(text, 0, at), '\n');
    from = from == SIZE_MAX ? 0 : from + 1;
    size_t to = ken_str_find_char(ken_str_sub(text, at, text.len), '\n');
    to = to == SIZE_MAX ? text.len : at + to;
    uint32_t line = 0;
    for (size_t i = 0; i < from; i++)
        line += text.ptr[i] == '\n';
    ken_said_place *p = &out->places[out->n_places++];
    *p = (ken_said_place){ .path = ken_arena_dup(w->arena, path),
                           .line = line,
                           .is_left_out = is_left_out };
    if (!is_left_out)
        p->text = ken_query__repaired(w->arena, ken_str_sub(text, from, to));
}

// Each line once.
static void search(word_search *w, ken_str path, const ken_unit_text *u, ken_str text,
                   bool is_left_out)
{
    size_t n_before = w->out->n_lines;
    for (size_t at = next_word(text, w->name, 0); at != SIZE_MAX;) {
        size_t next = at + w->name.len;
        if (!is_own_name(w, u, text, at)) {
            add_line(w, path, text, at, is_left_out);
            size_t end = ken_str_find_char(ken_str_sub(text, at, text.len), '\n');
            next = end == SIZE_MAX ? text.len : at + end;
        }
        at = next_word(text, w->name, next);
    }
    w->out->n_files += w->out->n_lines > n_before;
    w->out->n_left_out += w->out->n_lines > n_before && is_left_out;
    w->n_files++;
    w->n_bytes += text.len;
}

static void search_file(word_search *w, uint32_t file)
{
    query_text t;
    if (ken_lang_role_of((ken_lang_id)w->s->contents[file].lang) != KEN_LANG_ROLE_CODE ||
        ken_query__load_text(w->s, file, w->arena, &t, NULL))
        return;
    if (ken_query__need_text(&t))
        search(w, w->s->rows[file].path, ken_graph_unit(w->g, file), t.text, false);
    ken_query__close_text(&t);
    ken_query__graph_ease(w->s);
}

// ---- files that have it ------------------------------------------------------------------------

static ken_term term_of(ken_str name)
{
    ken_token_parts parts;
    ken_token_split(name, &parts);
    if (parts.is_compound || !parts.n_parts)
        return ken_term_of_whole(ken_str_c(parts.text));
    char word[KEN_TOKEN_MAX + 2];
    size_t n = parts.part[0].len;
    memcpy(word, parts.text + parts.part[0].start, n);
    return ken_term_of_word(ken_str_n(word, ken_stem(word, n)));
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Files that have the term, in the order of their paths: what is shown first does not hang on how the
// index came about.
static ken_status find_files(word_search *w, ken_vec_u32 *files, ken_err *err)
{
    ken_status st = KEN_OK;
    ken_term term = term_of(w->name);
    const ken_lex_corpus *c = &w->s->corpus;
    for (uint32_t p = 0; !st && p < c->n_parts; p++) {
        ken_lex_list list;
        ken_lex_cursor at;
        st = ken_lex_find(c->parts[p].segment, term, &list, err);
        if (st || !list.n_contents)
            continue;
        ken_lex_cursor_init(&at, &list);
        while (ken_lex_cursor_next(&at))
            for (int32_t f = c->parts[p].first_file[at.content]; f >= 0; f = c->next_file[f])
                ken_vec_push(files, (uint32_t)f);
    }
    if (files->len)
        qsort(files->ptr, files->len, sizeof *files->ptr, by_number);
    return st;
}

static ken_status search_indexed(word_search *w, const ken_cancel *cancel, ken_err *err)
{
    ken_vec_u32 files = { 0 };
    ken_status st = find_files(w, &files, err);
    for (size_t i = 0; !st && i < files.len; i++) {
        if (is_full(w)) {
            w->out->is_cut = true;
            break;
        }
        search_file(w, files.ptr[i]);
        st = ken_cancel_check(cancel, err);
    }
    ken_vec_release(&files);
    return st;
}

// ---- files that are left out -------------------------------------------------------------------

static ken_status search_left_out(word_search *w, ken_skip_reason reason, const ken_cancel *cancel,
                                  ken_err *err)
{
    ken_skip_row *rows;
    size_t n;
    ken_status st = ken_snapshot_list_skips(w->s, reason, SKIPS_MAX, w->arena, &rows, &n, err);
    ken_buf text = KEN_BUF_INIT(FILE_BYTES_MAX);
    for (size_t i = 0; !st && i < n && ken_query__has_files(w->s, KEN_STR("")); i++) {
        if (!ken_lang_is_code_path(rows[i].path))
            continue;
        if (is_full(w)) {
            w->out->is_cut = true;
            break;
        }
        if (ken_query__read_file(w->s, rows[i].path, FILE_BYTES_MAX, &text, NULL))
            continue;
        search(w, rows[i].path, NULL, ken_buf_str(&text), true);
        if (i % CHECK_EVERY == 0)
            st = ken_cancel_check(cancel, err);
    }
    ken_buf_release(&text);
    return st;
}

ken_status ken_query__text_mentions(ken_snapshot *s, ken_graph *g, ken_str name,
                                    const ken_cancel *cancel, ken_arena *arena,
                                    ken_said_in_text *out, ken_err *err)
{
    static const ken_skip_reason reasons[] = { KEN_SKIP_GENERATED, KEN_SKIP_VENDORED };
    word_search w = { .s = s, .g = g, .name = name, .arena = arena, .out = out };
    *out =
        (ken_said_in_text){ .places = KEN_ARENA_ARRAY(arena, ken_said_place, KEN_SAID_PLACES_MAX) };
    if (!name.len || name.len > KEN_TOKEN_MAX)
        return KEN_OK;
    ken_status st = search_indexed(&w, cancel, err);
    for (size_t i = 0; !st && i < sizeof reasons / sizeof *reasons; i++)
        st = search_left_out(&w, reasons[i], cancel, err);
    return st;
}
