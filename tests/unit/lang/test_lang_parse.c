// SPDX-License-Identifier: MIT
#include "base/buf.h"
#include "base/quota.h"
#include "ktest.h"
#include "lang/lang.h"

// Parses and returns whether the tree has errors.
static bool has_errors(ken_lang_id lang, ken_str text)
{
    ken_parser *p = ken_parser_new();
    TSTree *tree = NULL;
    ken_err err = { 0 };
    kt_ok_err(ken_parser_parse(p, lang, text, &(ken_parse_opts){ 0 }, &tree, &err), &err);
    bool result = ts_node_has_error(ts_tree_root_node(tree));
    kt_eq_u(ts_node_end_byte(ts_tree_root_node(tree)) <= text.len, 1);
    ken_parser_free(p);
    return result;
}

KEN_TEST(parses_and_reads_again_without_directives)
{
    kt_false(has_errors(KEN_LANG_PYTHON, KEN_STR("def f():\n    pass\n")));
    kt_true(has_errors(KEN_LANG_PYTHON, KEN_STR("def f(:\n")));
    kt_false(
        has_errors(KEN_LANG_SWIFT, KEN_STR("class A {\n#if X\nfunc a() {}\n#else\nfunc b() {}\n"
                                           "#endif\n}\n")));
    kt_false(has_errors(KEN_LANG_CPP, KEN_STR("X_BEGIN_NAMESPACE\nclass X_API A : public B {\n"
                                              "public:\n  int a;\n};\nX_END_NAMESPACE\n")));
}

KEN_TEST(refuses_what_it_cannot_read)
{
    ken_parser *p = ken_parser_new();
    TSTree *tree = NULL;
    ken_err err = { 0 };
    ken_parse_opts opts = { 0 };
    kt_status(ken_parser_parse(p, KEN_LANG_TEXT, KEN_STR("x"), &opts, &tree, &err),
              KEN_EUNSUPPORTED);
    kt_has_str(err.msg, "no grammar for text");
    kt_null(tree);
    ken_parser_free(p);
    ken_parser_free(NULL);
}

KEN_TEST(stops_when_its_budget_is_used_up_or_cancelled)
{
    ken_buf text = KEN_BUF_INIT(8 << 20);
    for (int i = 0; i < 100000; i++)
        ken_buf_puts(&text, "x = f(1, [2, {3: 4}])\n");
    ken_parser *p = ken_parser_new();
    TSTree *tree = NULL;
    ken_parse_opts opts = { .budget_ns = 1 };
    kt_status(ken_parser_parse(p, KEN_LANG_PYTHON, ken_buf_str(&text), &opts, &tree, NULL),
              KEN_ETIMEOUT);
    ken_cancel cancel = { 0 };
    ken_cancel_set(&cancel);
    opts = (ken_parse_opts){ .cancel = &cancel };
    kt_status(ken_parser_parse(p, KEN_LANG_PYTHON, ken_buf_str(&text), &opts, &tree, NULL),
              KEN_ECANCELLED);
    // The question of the thread is asked, too: by steps, of which there is one each hundred
    // operations of the parser.
    ken_quota quota;
    ken_quota_begin(&quota, &(ken_quota_limits){ 0 }, NULL);
    quota.cancel_at = 5;
    opts = (ken_parse_opts){ 0 };
    kt_status(ken_parser_parse(p, KEN_LANG_PYTHON, ken_buf_str(&text), &opts, &tree, NULL),
              KEN_ECANCELLED);
    kt_eq_u(quota.n_steps, 5);
    ken_quota_end(&quota);
    // The parser is as good as new.
    opts = (ken_parse_opts){ 0 };
    kt_ok(ken_parser_parse(p, KEN_LANG_PYTHON, KEN_STR("x = 1\n"), &opts, &tree, NULL));
    ken_parser_free(p);
    ken_buf_release(&text);
}

// Scanners of grammars save their state into a buffer of the runtime; some do not look how large it
// is (cmake/treesitter_runtime.c).
KEN_TEST(nesting_does_not_break_scanners)
{
    static const struct {
        ken_lang_id lang;
        const char *open, *close;
        int n;
        ken_status status;
    } cases[] = {
        { KEN_LANG_MARKDOWN, "> ", "x\n", 400, KEN_OK },
        { KEN_LANG_MARKDOWN, "> ", "x\n", 100000, KEN_ELIMIT },
        { KEN_LANG_YAML, "- ", "x\n", 5000, KEN_OK },
        { KEN_LANG_HTML, "<a-b>", "", 3000, KEN_OK },
        { KEN_LANG_RUBY, "<<AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA + ", "1\n", 300, KEN_OK },
        { KEN_LANG_PYTHON, "f'{", "", 1000, KEN_OK },
        { KEN_LANG_JSON, "[", "]", 100000, KEN_OK },
        { KEN_LANG_C, "(", "", 50000, KEN_OK },
    };
    ken_parser *p = ken_parser_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ken_buf text = KEN_BUF_INIT(16 << 20);
        for (int k = 0; k < cases[i].n; k++)
            ken_buf_puts(&text, cases[i].open);
        ken_buf_puts(&text, cases[i].close);
        TSTree *tree = NULL;
        ken_parse_opts opts = { .budget_ns = 20 * INT64_C(1000000000) };
        ken_status st = ken_parser_parse(p, cases[i].lang, ken_buf_str(&text), &opts, &tree, NULL);
        if (st != KEN_ETIMEOUT)
            kt_status(st, cases[i].status);
        ken_parser_reset(p);
        ken_buf_release(&text);
    }
    ken_parser_free(p);
}

// The scanner of SQL loses the tag of a dollar quote each time its state is read back: the parser's heap
// gives it back (LeakSanitizer looks). That of Swift writes to memory of no bytes.
KEN_TEST(what_scanners_lose_is_given_back)
{
    ken_buf text = KEN_BUF_INIT(1 << 20);
    for (int i = 0; i < 50; i++)
        ken_buf_puts(&text,
                     "CREATE FUNCTION f() RETURNS int AS $body$ SELECT 1; $body$ LANGUAGE sql;\n");
    kt_false(has_errors(KEN_LANG_SQL, ken_buf_str(&text)));
    kt_false(
        has_errors(KEN_LANG_SWIFT, KEN_STR("let a = #\"\"\"\nx\n\"\"\"#\nlet b = ##\"y\"##\n")));
    ken_buf_release(&text);
}

// The scanner of Ruby ends the program when it reads back a word of more than 255 bytes.
KEN_TEST(endless_heredoc_words_do_not_end_the_program)
{
    static const char *const heads[] = { "a <<", "p 'a'<<'", "x = 'a'<<\"", "p <<B, <<" };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        ken_buf text = KEN_BUF_INIT(4096);
        ken_buf_puts(&text, heads[i]);
        for (int k = 0; k < 300; k++)
            ken_buf_putc(&text, 'A');
        ken_buf_puts(&text, "'\"\nx\nB\n#{y}\n");
        has_errors(KEN_LANG_RUBY, ken_buf_str(&text));
        ken_buf_release(&text);
    }
}

KEN_TEST(deep_indentation_does_not_break_scanners)
{
    ken_buf text = KEN_BUF_INIT(16 << 20);
    for (int depth = 0; depth < 700; depth++) {
        for (int i = 0; i < depth; i++)
            ken_buf_puts(&text, " ");
        ken_buf_puts(&text, "if x:\n");
    }
    has_errors(KEN_LANG_PYTHON, ken_buf_str(&text));
    ken_buf_release(&text);
}
