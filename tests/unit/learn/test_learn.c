// SPDX-License-Identifier: MIT
// From the bytes of a file to its facts, whatever the bytes: chunks tile it, symbols lie in it,
// lines agree with it. What languages mean is tested with their tables.
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "ktest.h"
#include "learn/learn.h"

static ken_arena arena;
static ken_learner *learner;

static void start(void)
{
    ken_arena_init(&arena, 0);
    learner = ken_learner_new();
}

static void end(void)
{
    ken_learner_free(learner);
    ken_arena_release(&arena);
}

static void check_span(ken_span s, size_t n)
{
    kt_true(s.start <= s.end && s.end <= n);
}

static uint32_t line_at(ken_str text, uint32_t byte)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < byte; i++)
        n += text.ptr[i] == '\n';
    return n;
}

// True when chunks of this file may overlap: plain text, cut by lines.
static bool may_overlap(const ken_facts *f)
{
    return !f->n_chunks || f->chunks[0].type == KEN_CHUNK_LINES;
}

static void check_chunks(ken_str text, const ken_facts *f)
{
    uint32_t covered = 0;
    for (uint32_t i = 0; i < f->n_chunks; i++) {
        const ken_chunk *c = &f->chunks[i];
        check_span(c->span, text.len);
        kt_true(c->span.end > c->span.start);
        kt_true(may_overlap(f) ? c->span.start <= covered : c->span.start == covered);
        kt_true(c->span.end > covered);
        kt_eq_u(c->first_line, line_at(text, c->span.start));
        kt_eq_u(c->last_line, line_at(text, c->span.end - 1));
        kt_true(c->symbol < (int32_t)f->n_symbols);
        covered = c->span.end;
    }
    kt_eq_u(covered, text.len); // every byte belongs to a chunk
}

static void check_symbols(ken_str text, const ken_facts *f)
{
    for (uint32_t i = 0; i < f->n_symbols; i++) {
        const ken_symbol *s = &f->symbols[i];
        check_span(s->span, text.len);
        check_span(s->signature, text.len);
        check_span(s->doc, text.len);
        kt_true(s->name.len > 0);
        kt_true(s->name.ptr >= text.ptr && s->name.ptr + s->name.len <= text.ptr + text.len);
        kt_true(s->parent < (int32_t)i);
        kt_true(s->kind > KEN_SYMBOL_UNKNOWN && s->kind < KEN_SYMBOL_KIND_COUNT);
        kt_eq_u(s->depth, s->parent < 0 ? 0 : f->symbols[s->parent].depth + 1);
        kt_eq_u(s->first_line, line_at(text, s->span.start));
        kt_true(s->last_line >= s->first_line && s->last_line < f->n_lines);
    }
}

static void check_comments(ken_str text)
{
    size_t n;
    const ken_span *c = ken_learner_comments(learner, &n);
    for (size_t i = 0; i < n; i++) {
        check_span(c[i], text.len);
        kt_true(i == 0 || c[i].start >= c[i - 1].end);
    }
}

// Learns and checks what must hold of any file.
static ken_facts learn(ken_lang_id lang, ken_str text)
{
    ken_facts f;
    ken_learn(learner, lang, text, NULL, &arena, &f, NULL);
    kt_eq_u(f.lang, lang);
    kt_eq_u(f.n_bytes, text.len);
    kt_eq_u(f.n_lines, ken_line_starts(text, NULL, 0));
    kt_true(f.n_error_bytes <= f.n_bytes);
    check_chunks(text, &f);
    check_symbols(text, &f);
    check_comments(text);
    return f;
}

static const ken_symbol *symbol(const ken_facts *f, const char *name)
{
    for (uint32_t i = 0; i < f->n_symbols; i++)
        if (ken_str_eq_c(f->symbols[i].name, name))
            return &f->symbols[i];
    kt_fail("no symbol '%s' among %u", name, f->n_symbols);
}

static const char python[] = "# Retries of the worker.\n"
                             "import time\n"
                             "\n"
                             "class RetryPolicy:\n"
                             "    \"\"\"How often and when to try again.\"\"\"\n"
                             "    limit = 5\n"
                             "\n"
                             "    def delay(self, attempt):\n"
                             "        return 2 ** attempt\n"
                             "\n"
                             "def run(job, policy):\n"
                             "    for attempt in range(policy.limit):\n"
                             "        time.sleep(policy.delay(attempt))\n";

KEN_TEST(a_file_of_code_has_symbols_imports_comments)
{
    start();
    ken_str text = ken_str_c(python);
    ken_facts f = learn(KEN_LANG_PYTHON, text);
    kt_false(f.is_fallback);
    kt_eq_u(f.n_error_bytes, 0);
    kt_eq_u(f.n_lines, 13);
    kt_eq_u(symbol(&f, "RetryPolicy")->kind, KEN_SYMBOL_CLASS);
    const ken_symbol *delay = symbol(&f, "delay");
    kt_eq_u(delay->kind, KEN_SYMBOL_METHOD);
    kt_eq_text(f.symbols[delay->parent].name, "RetryPolicy");
    kt_eq_u(delay->first_line, 7);
    kt_eq_u(delay->last_line, 8);
    kt_eq_text(ken_str_sub(text, delay->signature.start, delay->signature.end),
               "def delay(self, attempt):");
    kt_eq_u(f.n_imports, 1);
    kt_eq_text(f.imports[0].module, "time");
    size_t n;
    const ken_span *comments = ken_learner_comments(learner, &n);
    kt_eq_u(n, 2); // the comment and the docstring
    kt_eq_text(ken_str_sub(text, comments[0].start, comments[0].end), "# Retries of the worker.");
    end();
}

// Other languages inside a page are learnt with it.
KEN_TEST(embedded_languages_are_learnt)
{
    start();
    ken_facts f = learn(KEN_LANG_HTML,
                        KEN_STR("<html><body>\n<script>\nfunction openMenu(a) {\n  return a;\n}\n"
                                "</script>\n</body></html>\n"));
    kt_eq_u(symbol(&f, "openMenu")->kind, KEN_SYMBOL_FUNCTION);
    end();
}

KEN_TEST(plain_text_is_cut_by_lines)
{
    start();
    ken_buf b = KEN_BUF_INIT(0);
    for (int i = 0; i < 500; i++)
        ken_buf_printf(&b, "line %d of a long letter\n", i);
    ken_facts f = learn(KEN_LANG_TEXT, ken_buf_str(&b));
    kt_true(f.n_chunks >= 10);
    kt_eq_u(f.n_symbols, 0);
    kt_false(f.is_fallback); // nothing failed: there is no grammar to use
    for (uint32_t i = 0; i < f.n_chunks; i++)
        kt_eq_u(f.chunks[i].type, KEN_CHUNK_LINES);
    ken_buf_release(&b);
    end();
}

KEN_TEST(an_empty_file_has_nothing)
{
    start();
    static const ken_lang_id langs[] = { KEN_LANG_TEXT, KEN_LANG_C, KEN_LANG_PYTHON,
                                         KEN_LANG_MARKDOWN };
    for (size_t i = 0; i < sizeof langs / sizeof *langs; i++) {
        ken_facts f = learn(langs[i], KEN_STR(""));
        kt_eq_u(f.n_chunks + f.n_symbols + f.n_lines, 0);
    }
    end();
}

KEN_TEST(white_space_alone_is_a_file_too)
{
    start();
    (void)learn(KEN_LANG_C, KEN_STR("\n"));
    (void)learn(KEN_LANG_C, KEN_STR("\n\n\n   \t\n"));
    (void)learn(KEN_LANG_PYTHON, KEN_STR(" "));
    (void)learn(KEN_LANG_TEXT, KEN_STR("\r\n\r\n"));
    end();
}

KEN_TEST(the_same_text_has_the_same_facts_whatever_came_before)
{
    start();
    ken_str text = ken_str_c(python);
    ken_facts a = learn(KEN_LANG_PYTHON, text);
    (void)learn(KEN_LANG_C, KEN_STR("int main(void) { return 0; } // )))\n"));
    (void)learn(KEN_LANG_TEXT, KEN_STR("a\nb"));
    (void)learn(KEN_LANG_PYTHON, KEN_STR("def broken(:\n  )]\n"));
    ken_facts b = learn(KEN_LANG_PYTHON, text);
    kt_eq_u(a.n_symbols, b.n_symbols);
    kt_eq_mem(a.symbols, a.n_symbols * sizeof *a.symbols, b.symbols,
              b.n_symbols * sizeof *b.symbols);
    kt_eq_u(a.n_chunks, b.n_chunks);
    kt_eq_mem(a.chunks, a.n_chunks * sizeof *a.chunks, b.chunks, b.n_chunks * sizeof *b.chunks);
    end();
}

KEN_TEST(broken_code_is_still_learnt_and_says_so)
{
    start();
    ken_facts f =
        learn(KEN_LANG_C, KEN_STR("int good(void)\n{\n    return 1;\n}\n\nint bad( {{{ ;\n\n"
                                  "int later(void)\n{\n    return 2;\n}\n"));
    kt_true(f.n_error_bytes > 0);
    kt_eq_u(symbol(&f, "good")->kind, KEN_SYMBOL_FUNCTION);
    end();
}

// An error inside an embedded text lies in several trees; facts with more broken bytes than bytes
// are refused when they are read.
KEN_TEST(broken_bytes_are_counted_once)
{
    start();
    char text[] = "a! { ?????????????????????????????????????????b! { fn c() {} } }\na! {}";
    for (char *p = text; *p; p++)
        *p = *p == '?' ? (char)0xff : *p;
    ken_facts f = learn(KEN_LANG_RUST, ken_str_c(text));
    kt_true(f.n_error_bytes > 0);
    end();
}

// A cancelled parse leaves lines, never nothing.
KEN_TEST(a_cancelled_parse_is_cut_by_lines)
{
    start();
    ken_cancel cancel = { 0 };
    ken_cancel_set(&cancel);
    ken_buf b = KEN_BUF_INIT(0);
    for (int i = 0; i < 10000; i++)
        ken_buf_printf(&b, "int f%d(int a) { return a + %d; }\n", i, i);
    ken_facts f;
    ken_learn(learner, KEN_LANG_C, ken_buf_str(&b), &cancel, &arena, &f, NULL);
    kt_true(f.is_fallback);
    check_chunks(ken_buf_str(&b), &f);
    f = learn(KEN_LANG_C, KEN_STR("int after(void) { return 1; }\n"));
    kt_false(f.is_fallback);
    kt_eq_u(symbol(&f, "after")->kind, KEN_SYMBOL_FUNCTION);
    ken_buf_release(&b);
    end();
}

// ---- hostile files -----------------------------------------------------------------------------

KEN_TEST(a_megabyte_on_one_line)
{
    start();
    ken_buf b = KEN_BUF_INIT(0);
    ken_buf_puts(&b, "var data = [");
    while (b.len < 1 << 20)
        ken_buf_puts(&b, "{\"a\":1,\"b\":[2,3]},");
    ken_buf_puts(&b, "];");
    ken_facts f = learn(KEN_LANG_JAVASCRIPT, ken_buf_str(&b));
    kt_eq_u(f.n_lines, 1);
    kt_true(f.n_chunks > 100);
    f = learn(KEN_LANG_TEXT, ken_buf_str(&b));
    kt_true(f.n_chunks > 100);
    ken_buf_release(&b);
    end();
}

static void repeat(ken_buf *b, const char *text, int n)
{
    while (n--)
        ken_buf_puts(b, text);
}

KEN_TEST(deep_nesting_is_only_depth)
{
    start();
    static const struct {
        ken_lang_id lang;
        const char *open, *middle, *close;
    } rows[] = {
        { KEN_LANG_C, "{", "x;", "}" },
        { KEN_LANG_JSON, "[", "1", "]" },
        { KEN_LANG_PYTHON, "(", "1", ")" },
        { KEN_LANG_JAVASCRIPT, "function f(){", "", "}" },
        { KEN_LANG_JAVA, "class A{", "", "}" },
        { KEN_LANG_MARKDOWN, "> ", "quoted\n", "" },
        { KEN_LANG_HTML, "<div>", "x", "</div>" },
        { KEN_LANG_C, "if(a)", "b;", "" },
        { KEN_LANG_RUST, "mod a{", "", "}" },
        { KEN_LANG_GO, "func(){", "", "}()" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ken_buf b = KEN_BUF_INIT(0);
        repeat(&b, rows[i].open, 10000);
        ken_buf_puts(&b, rows[i].middle);
        repeat(&b, rows[i].close, 10000);
        (void)learn(rows[i].lang, ken_buf_str(&b));
        ken_arena_reset(&arena);
        ken_buf_release(&b);
    }
    end();
}

// A macro of Rust in a macro in a macro: what is too deep is told as not followed, and costs nothing.
KEN_TEST(macros_in_macros_end)
{
    enum {
        DEEP = 3000
    };
    start();
    ken_buf b = KEN_BUF_INIT(1 << 20);
    for (int i = 0; i < DEEP; i++)
        ken_buf_printf(&b, "a! { fn f%d() {} ", i);
    for (int i = 0; i < DEEP; i++)
        ken_buf_puts(&b, "}");
    ken_facts f;
    ken_learn(learner, KEN_LANG_RUST, ken_buf_str(&b), NULL, &arena, &f, NULL);
    kt_eq_u(f.n_symbols, 4); // one of each level
    kt_true(f.n_error_bytes > 0);
    ken_buf_release(&b);
    end();
}

// However many macros there are, nothing in them is lost.
KEN_TEST(what_stands_in_many_macros_is_learnt)
{
    start();
    ken_buf b = KEN_BUF_INIT(1 << 20);
    for (int i = 0; i < 400; i++)
        ken_buf_printf(&b, "outer! { inner! { fn f%d() {} } }\n", i);
    ken_facts f;
    ken_learn(learner, KEN_LANG_RUST, ken_buf_str(&b), NULL, &arena, &f, NULL);
    kt_eq_u(f.n_symbols, 400);
    kt_eq_u(f.n_error_bytes, 0);
    ken_buf_release(&b);
    end();
}

KEN_TEST(any_bytes_are_learnt_in_any_language)
{
    start();
    uint64_t seed = 4242;
    for (int lang = 0; lang < KEN_LANG_COUNT; lang++) {
        for (int round = 0; round < 4; round++) {
            char text[600];
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            size_t n = seed >> 33 & 511;
            for (size_t i = 0; i < n; i++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                text[i] = seed >> 63 ? "(){}[]<>\"'`#/*\n\n  abcdef:;=,.\\|&-+"[seed >> 40 & 31]
                                     : (char)(seed >> 48);
            }
            (void)learn((ken_lang_id)lang, ken_str_n(text, n));
            ken_arena_reset(&arena);
        }
    }
    end();
}
