// SPDX-License-Identifier: MIT
#include <string.h>

#include "ktest.h"
#include "symbol_lab.h"

// The scanner of SQL forgets a few bytes for each $tag$ it has met. The sanitizer chose the name.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:tree_sitter_sql_external_scanner";
}

enum {
    MAX_LINES = 200000
};

static void extract_tree(ken_lang_id lang, const TSTree *tree, ken_str text, int32_t parent,
                         uint32_t depth, ken_extraction *out)
{
    ken_trail trail = { 0 };
    ken_trail_part part = ken_trail_add(&trail, lang, tree);
    ken_symbol_extract(ken_lang_rules(lang), part, text, parent, depth, out);
    ken_trail_release(&trail);
}

static void extract_embedded(ken_parser *p, ken_str text, ken_extraction *out)
{
    for (size_t i = 0; i < out->injections.len && i < 100; i++) {
        ken_injection in = out->injections.ptr[i];
        ken_parse_opts opts = { .ranges = &in.range, .n_ranges = 1 };
        TSTree *tree = NULL;
        if (ken_lang_rules(in.lang) && !ken_parser_parse(p, in.lang, text, &opts, &tree, NULL))
            extract_tree(in.lang, tree, text, in.parent, in.depth, out);
    }
}

void lab_extract(ken_lang_id lang, ken_str text, ken_extraction *out)
{
    static uint32_t lines[MAX_LINES];
    ken_parser *p = ken_parser_new();
    TSTree *tree = NULL;
    ken_err err = { 0 };
    kt_ok_err(ken_parser_parse(p, lang, text, &(ken_parse_opts){ 0 }, &tree, &err), &err);
    extract_tree(lang, tree, text, -1, 0, out);
    extract_embedded(p, text, out);
    uint32_t n = ken_line_starts(text, lines, MAX_LINES);
    ken_symbol_finish(out, text, lines, n < MAX_LINES ? n : MAX_LINES);
    ken_parser_free(p);
}

// On one line, with one space for any run of white space.
static void put_flat(ken_buf *out, ken_str s)
{
    bool is_gap = false;
    for (size_t i = 0; i < s.len; i++) {
        if (ken_is_space(s.ptr[i])) {
            is_gap = true;
            continue;
        }
        if (is_gap)
            ken_buf_putc(out, ' ');
        is_gap = false;
        ken_buf_putc(out, s.ptr[i]);
    }
}

static void put_qualified(ken_buf *out, const ken_extraction *x, const ken_symbol *s)
{
    if (s->parent >= 0) {
        put_qualified(out, x, &x->symbols.ptr[s->parent]);
        ken_buf_puts(out, " > ");
    }
    ken_buf_put_str(out, s->name);
}

static ken_str span_text(ken_str text, ken_span span)
{
    return ken_str_sub(text, span.start, span.end);
}

void lab_dump(const ken_extraction *x, ken_str text, ken_buf *out)
{
    for (size_t i = 0; i < x->symbols.len; i++) {
        const ken_symbol *s = &x->symbols.ptr[i];
        ken_buf_printf(out, "%u-%u %s ", s->first_line + 1, s->last_line + 1,
                       ken_symbol_kind_word(s->kind));
        put_qualified(out, x, s);
        if (s->visibility)
            ken_buf_printf(out, ", %s", ken_visibility_word(s->visibility));
        ken_buf_puts(out, s->doc.end > s->doc.start ? ", documented\n    " : "\n    ");
        put_flat(out, span_text(text, s->signature));
        ken_buf_putc(out, '\n');
    }
    for (size_t i = 0; i < x->imports.len; i++)
        ken_buf_printf(out, "%u %s " KEN_STR_FMT "\n", x->imports.ptr[i].line + 1,
                       x->imports.ptr[i].is_export ? "re-export" : "import",
                       KEN_STR_ARG(x->imports.ptr[i].module));
    ken_buf_printf(out, "%zu comments, %u bytes of errors\n", x->comments.len, x->n_error_bytes);
}

const char *lab_symbols(ken_lang_id lang, const char *text)
{
    static char dump[65536];
    ken_extraction x = { 0 };
    ken_buf out = KEN_BUF_INIT(sizeof dump);
    lab_extract(lang, ken_str_c(text), &x);
    lab_dump(&x, ken_str_c(text), &out);
    ken_str s = ken_buf_str(&out);
    size_t n = s.len < sizeof dump - 1 ? s.len : sizeof dump - 1;
    memcpy(dump, s.ptr, n);
    dump[n] = '\0';
    ken_buf_release(&out);
    ken_extraction_release(&x);
    return dump;
}
