// SPDX-License-Identifier: MIT
// Finds syntax errors that could have changed an answer: files with errors that contain the name in a part
// that could not be parsed. They are listed with the answer
// (ken_snapshot_unread).
#include <inttypes.h>
#include <stdio.h>

#include "base/utf8.h"
#include "query/query_graph_priv.h"

enum {
    LOOKED_AT = 32 // damaged files that contain the name
};

static bool has_damage(const ken_snapshot *s, uint32_t file)
{
    return s->contents[file].n_error_bytes > 0;
}

// Marks the damaged files that have the term.
static ken_status mark_with(ken_snapshot *s, ken_term term, uint8_t *marked, ken_err *err)
{
    for (uint32_t p = 0; p < s->corpus.n_parts; p++) {
        const ken_lex_part *part = &s->corpus.parts[p];
        ken_lex_list list;
        ken_status st = ken_lex_find(part->segment, term, &list, err);
        if (st)
            return st;
        ken_lex_cursor c;
        ken_lex_cursor_init(&c, &list);
        while (ken_lex_cursor_next(&c))
            for (int32_t f = part->first_file[c.content]; f >= 0; f = s->corpus.next_file[f])
                marked[f] = has_damage(s, (uint32_t)f);
    }
    return KEN_OK;
}

static ken_status mark_saying(ken_snapshot *s, ken_str name, uint8_t *marked, ken_err *err)
{
    ken_lex_query q;
    ken_lex_query_parse(name, &q);
    for (uint32_t i = 0; i < q.n_terms; i++) {
        if (!q.terms[i].is_whole && q.n_terms > 1)
            continue; // a part of it
        for (uint32_t k = 0; k < q.terms[i].n_lookups; k++) {
            ken_status st = mark_with(s, q.terms[i].lookup[k], marked, err);
            if (st)
                return st;
        }
    }
    return KEN_OK;
}

// A line that is a comment as a whole, or a name in quotes.
static bool is_no_code(ken_str text, size_t at)
{
    size_t line = at;
    while (line && text.ptr[line - 1] != '\n')
        line--;
    ken_str before = ken_str_trim(ken_str_sub(text, line, at));
    return ken_str_starts(before, KEN_STR("//")) || ken_str_starts(before, KEN_STR("*")) ||
           ken_str_starts(before, KEN_STR("/*")) || ken_str_starts(before, KEN_STR("#")) ||
           (at && memchr("\"'`", text.ptr[at - 1], 3));
}

// Whether something was understood of the name at a byte.
static bool is_understood(const ken_unit_text *u, ken_str name, uint32_t byte)
{
    const ken_refs *r = u->refs;
    uint32_t ref = ken_query__first_ref(r, byte);
    if (ref < r->n_refs && r->refs[ref].byte == byte)
        return true;
    for (uint32_t i = 0; i < r->n_binds; i++)
        if (r->binds[i].byte == byte || ken_str_eq(r->binds[i].local, name))
            return true;
    for (uint32_t i = 0; i < r->n_implied; i++)
        if (r->implied[i].byte == byte)
            return true;
    for (uint32_t i = 0; i < u->facts->n_symbols; i++) {
        const ken_symbol *sym = &u->facts->symbols[i];
        if (sym->span.start <= byte && byte < sym->span.end && ken_str_eq(sym->name, name) &&
            byte <= sym->signature.end)
            return true;
    }
    return false;
}

// The first line, from 1, with the name in a part that could not be parsed; 0 = none.
static uint32_t line_not_read(ken_snapshot *s, ken_graph *g, uint32_t file, ken_str name,
                              ken_arena *arena)
{
    query_text t;
    const ken_unit_text *u = ken_graph_unit(g, file);
    if (!u || !u->refs->n_exprs || ken_query__load_text(s, file, arena, &t, NULL))
        return 0;
    bool is_read = ken_query__need_text(&t);
    ken_query__close_text(&t);
    u = is_read ? ken_graph_unit(g, file) : NULL;
    for (size_t at = 0; u && at + name.len <= t.text.len; at += name.len) {
        size_t found = ken_str_find(ken_str_sub(t.text, at, t.text.len), name);
        if (found == SIZE_MAX)
            return 0;
        at += found;
        bool is_word = (!at || !ken_is_word(t.text.ptr[at - 1])) &&
                       (at + name.len == t.text.len || !ken_is_word(t.text.ptr[at + name.len]));
        if (!is_word || is_no_code(t.text, at) || is_understood(u, name, (uint32_t)at))
            continue;
        uint32_t n_lines = ken_line_starts(t.text, NULL, 0);
        uint32_t *starts = KEN_ARENA_ARRAY(arena, uint32_t, n_lines + 1);
        ken_line_starts(t.text, starts, n_lines);
        return ken_line_of(starts, n_lines, (uint32_t)at) + 1;
    }
    return 0;
}

ken_status ken_query__note_damaged(ken_snapshot *s, ken_graph *g, ken_graph_def def,
                                   const ken_cancel *cancel, ken_arena *arena, ken_err *err)
{
    const ken_unit_text *u = ken_graph_unit(g, def.file);
    if (!u || def.def >= u->facts->n_symbols + u->refs->n_implied)
        return KEN_OK;
    ken_str name = ken_arena_dup(arena, ken_graph_name(u, def.def)), first = KEN_STR("");
    uint8_t *marked = KEN_ARENA_ARRAY(arena, uint8_t, s->n_files + (size_t)1);
    ken_status st = name.len ? mark_saying(s, name, marked, err) : KEN_OK;
    uint32_t n = 0, n_looked_at = 0, line = 0;
    for (uint32_t f = 0; !st && f < s->n_files && n_looked_at < LOOKED_AT; f++) {
        if (!marked[f])
            continue;
        n_looked_at++;
        uint32_t at = line_not_read(s, g, f, name, arena);
        if (at && !n++) {
            first = s->rows[f].path;
            line = at;
        }
        st = ken_cancel_check(cancel, err);
    }
    if (!st && n)
        ken_query__set_damaged(s, name, first, line, n);
    return st;
}
