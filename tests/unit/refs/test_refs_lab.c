// SPDX-License-Identifier: MIT
#include <string.h>

#include "ktest.h"
#include "refs_lab.h"

void refs_lab_open(refs_lab *lab, ken_lang_id lang, ken_str text)
{
    static uint32_t lines[100000];
    memset(lab, 0, sizeof *lab);
    lab->text = text;
    ken_arena_init(&lab->arena, 0);
    ken_parser *p = ken_parser_new();
    TSTree *tree = NULL;
    ken_err err = { 0 };
    kt_ok_err(ken_parser_parse(p, lang, text, &(ken_parse_opts){ 0 }, &tree, &err), &err);
    ken_trail trail = { 0 };
    ken_trail_part part = ken_trail_add(&trail, lang, tree);
    ken_symbol_extract(ken_lang_rules(lang), part, text, -1, 0, &lab->x);
    uint32_t n = ken_line_starts(text, lines, 100000);
    ken_symbol_finish(&lab->x, text, lines, n);
    ken_refs_maker *m = ken_refs_maker_new();
    uint32_t n_symbols = (uint32_t)lab->x.symbols.len;
    ken_refs_begin(m, text, lab->x.symbols.ptr, n_symbols, &lab->arena);
    uint32_t n_left_out;
    const uint32_t *left_out = ken_parser_left_out(p, &n_left_out);
    ken_refs_leave_out(m, left_out, n_left_out);
    if (ken_lang_ref_rules(lang))
        ken_refs_extract(m, ken_lang_ref_rules(lang), part, 0, n_symbols);
    ken_refs_finish(m, &lab->refs);
    ken_refs_maker_free(m);
    ken_trail_release(&trail);
    ken_parser_free(p);
}

void refs_lab_close(refs_lab *lab)
{
    ken_extraction_release(&lab->x);
    ken_arena_release(&lab->arena);
}

static bool is_part(const ken_expr *e)
{
    return e->op != KEN_EXPR_NAME && e->op != KEN_EXPR_DEF && e->op != KEN_EXPR_SELF &&
           e->op != KEN_EXPR_SUPER && e->op != KEN_EXPR_PARAM && e->op != KEN_EXPR_BUILTIN;
}

void refs_lab_check(const refs_lab *lab)
{
    const ken_refs *r = &lab->refs;
    kt_eq_u(r->n_defs, lab->x.symbols.len + r->n_implied);
    for (uint32_t i = 1; i < r->n_exprs; i++) {
        const ken_expr *e = &r->exprs[i];
        if (is_part(e))
            kt_true(e->a < i);
        if (e->op == KEN_EXPR_APPLY || e->op == KEN_EXPR_EITHER)
            kt_true(e->b < i);
        if (e->op == KEN_EXPR_DEF || e->op == KEN_EXPR_PARAM)
            kt_true(e->a < r->n_defs);
        if (e->op == KEN_EXPR_NAME || e->op == KEN_EXPR_SELF)
            kt_true(e->a <= r->n_defs);
    }
    for (uint32_t i = 0; i < r->n_refs; i++) {
        kt_true(r->refs[i].expr && r->refs[i].expr < r->n_exprs);
        kt_true(r->refs[i].byte < lab->text.len);
        kt_true(!i || r->refs[i - 1].byte <= r->refs[i].byte);
    }
}

const char *refs_lab_dump(ken_lang_id lang, const char *text)
{
    static char dump[65536];
    refs_lab lab;
    ken_buf out = KEN_BUF_INIT(sizeof dump);
    refs_lab_open(&lab, lang, ken_str_c(text));
    refs_lab_check(&lab);
    ken_refs_dump(&lab.refs, lab.x.symbols.ptr, (uint32_t)lab.x.symbols.len, ken_str_c(text), &out);
    ken_str s = ken_buf_str(&out);
    size_t n = s.len < sizeof dump - 1 ? s.len : sizeof dump - 1;
    memcpy(dump, s.ptr, n);
    dump[n] = '\0';
    ken_buf_release(&out);
    refs_lab_close(&lab);
    return dump;
}
