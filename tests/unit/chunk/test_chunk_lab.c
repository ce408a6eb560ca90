// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "chunk_lab.h"
#include "ktest.h"

// Chunks tile the text; all but parts of one long line begin at line starts; none is over the
// maximum.
static void check_tiling(const chunk_lab *lab, uint32_t max)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < lab->n_chunks; i++) {
        const ken_chunk *c = &lab->chunks[i];
        kt_eq_u(c->span.start, at);
        kt_true(c->span.end > at);
        at = c->span.end;
        kt_eq_u(c->n_tokens, ken_token_estimate(c->span.end - c->span.start));
        kt_true(c->n_tokens <= max);
        kt_true(c->first_line <= c->last_line && c->last_line < lab->n_lines);
        bool is_line_start = lab->lines[c->first_line] == c->span.start;
        kt_true(is_line_start || c->first_line == c->last_line);
        kt_true(c->symbol >= -1 && c->symbol < (int32_t)lab->x.symbols.len);
        kt_true(ken_chunk_type_word(c->type)[0] != '\0' && c->type != KEN_CHUNK_UNKNOWN);
        // Never inside a character.
        kt_true(c->span.start == lab->text.len ||
                ((unsigned char)lab->text.ptr[c->span.start] & 0xc0) != 0x80 || is_line_start ||
                c->span.start < 4);
    }
    kt_eq_u(at, lab->text.len);
}

static TSTree *learn(chunk_lab *lab, ken_parser *p, ken_lang_id lang)
{
    TSTree *tree = NULL;
    ken_parse_opts opts = { .budget_ns = 10 * INT64_C(1000000000) };
    if (!ken_lang_rules(lang) || ken_parser_parse(p, lang, lab->text, &opts, &tree, NULL))
        return NULL;
    ken_trail trail = { 0 };
    ken_trail_part part = ken_trail_add(&trail, lang, tree);
    ken_symbol_extract(ken_lang_rules(lang), part, lab->text, -1, 0, &lab->x);
    ken_trail_release(&trail);
    ken_symbol_finish(&lab->x, lab->text, lab->lines, lab->n_lines);
    return tree;
}

void lab_cut(chunk_lab *lab, ken_lang_id lang, ken_str text, const ken_chunk_opts *opts)
{
    *lab = (chunk_lab){ .text = text };
    ken_arena_init(&lab->arena, 0);
    lab->n_lines = ken_line_starts(text, NULL, 0);
    lab->lines = KEN_ARENA_ARRAY(&lab->arena, uint32_t, lab->n_lines + 1);
    ken_line_starts(text, lab->lines, lab->n_lines);
    ken_parser *p = ken_parser_new();
    TSTree *tree = learn(lab, p, lang);
    ken_chunk_input in = {
        .text = text,
        .line_starts = lab->lines,
        .n_lines = lab->n_lines,
        .symbols = lab->x.symbols.ptr,
        .n_symbols = (uint32_t)lab->x.symbols.len,
        .tree = tree,
        .comments = lab->x.comments.ptr,
        .n_comments = lab->x.comments.len,
    };
    lab->n_chunks = ken_chunk_tree(&in, opts, &lab->arena, &lab->chunks);
    ken_parser_free(p);
    check_tiling(lab, opts && opts->max ? opts->max : 800);
}

void lab_release(chunk_lab *lab)
{
    ken_extraction_release(&lab->x);
    ken_arena_release(&lab->arena);
}

const char *lab_chunks(ken_lang_id lang, const char *text, const ken_chunk_opts *opts)
{
    static char dump[4096];
    chunk_lab lab;
    lab_cut(&lab, lang, ken_str_c(text), opts);
    size_t n = 0;
    dump[0] = '\0';
    for (uint32_t i = 0; i < lab.n_chunks && n < sizeof dump; i++) {
        const ken_chunk *c = &lab.chunks[i];
        ken_str name = c->symbol < 0 ? KEN_STR("-") : lab.x.symbols.ptr[c->symbol].name;
        n += (size_t)snprintf(dump + n, sizeof dump - n, "%s%u-%u %s " KEN_STR_FMT, i ? "; " : "",
                              c->first_line + 1, c->last_line + 1, ken_chunk_type_word(c->type),
                              KEN_STR_ARG(name));
    }
    lab_release(&lab);
    return dump;
}
