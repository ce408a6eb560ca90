// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "chunk_lab.h"
#include "ktest.h"

// Small sizes, so that small texts show what large ones do.
static const ken_chunk_opts small = { .target = 20, .max = 40, .min = 5 };

KEN_TEST(an_empty_text_has_no_chunks)
{
    kt_eq_str(lab_chunks(KEN_LANG_C, "", NULL), "");
    kt_eq_str(lab_chunks(KEN_LANG_TEXT, "", NULL), "");
}

KEN_TEST(a_small_file_is_one_chunk)
{
    kt_eq_str(lab_chunks(KEN_LANG_C, "int a;\nint f(void) { return a; }\n", NULL),
              "1-2 function f");
    kt_eq_str(lab_chunks(KEN_LANG_C, "\n", NULL), "1-1 module -");
    kt_eq_str(lab_chunks(KEN_LANG_C, "x", NULL), "1-1 module -");
}

KEN_TEST(definitions_make_the_borders)
{
    const char *text = "#include <stdio.h>\n"
                       "#include <stdlib.h>\n"
                       "#include <string.h>\n"
                       "\n"
                       "// About the first one.\n"
                       "int first(int a, int b)\n"
                       "{\n"
                       "    return a + b + 1000 + 2000;\n"
                       "}\n"
                       "\n"
                       "int second(int a, int b)\n"
                       "{\n"
                       "    return a - b - 1000 - 2000;\n"
                       "}\n";
    kt_eq_str(lab_chunks(KEN_LANG_C, text, &small),
              "1-4 module -; 5-10 function first; 11-14 function second");
}

// A guard, or a feature that is marked, says nothing of the code around it.
KEN_TEST(macros_without_a_text_name_no_chunk)
{
    kt_eq_str(
        lab_chunks(KEN_LANG_C, "#ifndef A_H\n#define A_H\n#include <stdio.h>\n#endif\n", NULL),
        "1-4 module -");
    kt_eq_str(lab_chunks(KEN_LANG_C, "enum { HAS_A };\n#define HAS_A HAS_A\n", NULL),
              "1-2 module -");
    kt_eq_str(lab_chunks(KEN_LANG_C,
                         "#ifndef A_H\n#define A_H\nint f(void);\n#define SIZE 4\n#endif\n", NULL),
              "1-5 function SIZE");
}

// A block of comments that belongs to no definition and is no small neighbour of anything.
KEN_TEST(free_standing_comments_are_chunks)
{
    const char *text = "int first(int a) { return a + 1000 + 2000 + 3000; }\n"
                       "\n"
                       "// How the two of them work together is a long story.\n"
                       "// It is told here, between them, and is about neither.\n"
                       "\n"
                       "int second(int a) { return a - 1000 - 2000 - 3000; }\n"
                       "\n"
                       "// A remark that has a statement in its middle, which\n"
                       "int count = 1;\n"
                       "// is therefore no block of comments, but code with them.\n";
    kt_eq_str(lab_chunks(KEN_LANG_C, text, &small),
              "1-1 function first; 2-5 comment -; 6-6 function second; 7-10 block -");
}

KEN_TEST(sizes_are_kept_as_text)
{
    ken_arena a;
    ken_arena_init(&a, 0);
    kt_eq_text(ken_chunk_opts_format(&(ken_chunk_opts){ 0 }, &a), "");
    kt_eq_text(ken_chunk_opts_format(&(ken_chunk_opts){ .target = 400, .lines = 50 }, &a), "");
    const ken_chunk_opts o = { .target = 300, .max = 8000, .lines = 500, .is_apart = true };
    kt_eq_text(ken_chunk_opts_format(&o, &a), "300 8000 100 500 0");
    const ken_chunk_opts again = ken_chunk_opts_parse(KEN_STR("300 8000 100 500 0"));
    kt_eq_text(ken_chunk_opts_format(&again, &a), "300 8000 100 500 0");
    static const char *const none[] = { "", "300", "a b c d e", "1 2 3 4 5000000000",
                                        "-1 2 3 4 5" };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        const ken_chunk_opts bad = ken_chunk_opts_parse(ken_str_c(none[i]));
        kt_eq_text(ken_chunk_opts_format(&bad, &a), "");
    }
    ken_arena_release(&a);
}

KEN_TEST(large_definitions_are_cut_at_those_inside)
{
    const char *text = "class Shop {\n"
                       "    int count; int other; int more; int still;\n"
                       "\n"
                       "    int first(int a, int b) {\n"
                       "        return a + b + 1000 + 2000 + 3000;\n"
                       "    }\n"
                       "\n"
                       "    int second(int a, int b) {\n"
                       "        return a + b + 1000 + 2000 + 3000;\n"
                       "    }\n"
                       "}\n";
    kt_eq_str(lab_chunks(KEN_LANG_JAVA, text, &small),
              "1-3 class Shop; 4-7 function first; 8-11 function second");
}

KEN_TEST(long_functions_are_cut_at_statements)
{
    const char *text = "def f(a):\n"
                       "    first = call(a, 'aaaaaaaaaaaaaaaaaaaaaaaaaa',\n"
                       "                 'bbbbbbbbbbbbbbbbbbbbbbbbbbb')\n"
                       "    second = call(a, 'aaaaaaaaaaaaaaaaaaaaaaaaaa',\n"
                       "                  'bbbbbbbbbbbbbbbbbbbbbbbbbbb')\n"
                       "    return second\n";
    kt_eq_str(lab_chunks(KEN_LANG_PYTHON, text, &(ken_chunk_opts){ .target = 35, .max = 45 }),
              "1-3 function f; 4-6 function f");
}

// A small neighbour takes nothing of it, nor does the end of another.
KEN_TEST(a_divided_definition_begins_its_own_chunk)
{
    const char *text = "def small(a):\n"
                       "    return a + 1\n"
                       "\n"
                       "def long(a):\n"
                       "    first = call(a, 'aaaaaaaaaaaaaaaaaaaaaaaaaa',\n"
                       "                 'bbbbbbbbbbbbbbbbbbbbbbbbbbb')\n"
                       "    second = call(a, 'aaaaaaaaaaaaaaaaaaaaaaaaaa',\n"
                       "                  'bbbbbbbbbbbbbbbbbbbbbbbbbbb')\n"
                       "    return second\n"
                       "\n"
                       "def longer(a):\n"
                       "    first = call(a, 'aaaaaaaaaaaaaaaaaaaaaaaaaa',\n"
                       "                 'bbbbbbbbbbbbbbbbbbbbbbbbbbb')\n"
                       "    second = call(a, 'aaaaaaaaaaaaaaaaaaaaaaaaaa',\n"
                       "                  'bbbbbbbbbbbbbbbbbbbbbbbbbbb')\n"
                       "    return second\n";
    kt_eq_str(
        lab_chunks(KEN_LANG_PYTHON, text, &(ken_chunk_opts){ .target = 35, .max = 45, .min = 12 }),
        "1-3 function small; 4-6 function long; 7-10 function long; 11-13 function longer; "
        "14-16 function longer");
}

// A signature alone is no chunk where the next statement fits, too.
KEN_TEST(a_signature_stays_with_what_follows)
{
    const char *text =
        "def long(a):\n"
        "    a = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'\n"
        "    b = 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb'\n"
        "    return a + b\n";
    kt_eq_str(
        lab_chunks(KEN_LANG_PYTHON, text, &(ken_chunk_opts){ .target = 10, .max = 30, .min = 8 }),
        "1-2 function long; 3-4 function long");
}

// The head of a class in a module: both begin in one chunk, behind what the file imports.
KEN_TEST(heads_of_nested_definitions_are_one_chunk)
{
    const char *text = "require 'time'\n"
                       "\n"
                       "module Rack\n"
                       "  # What a handler answers.\n"
                       "  class Answer\n"
                       "    def first\n"
                       "      call(a, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')\n"
                       "    end\n"
                       "\n"
                       "    def second\n"
                       "      call(a, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')\n"
                       "    end\n"
                       "  end\n"
                       "end\n";
    kt_eq_str(
        lab_chunks(KEN_LANG_RUBY, text, &(ken_chunk_opts){ .target = 25, .max = 40, .min = 12 }),
        "1-5 module Rack; 6-9 function first; 10-14 function second");
}

KEN_TEST(small_siblings_are_joined)
{
    ken_buf text = KEN_BUF_INIT(1 << 20);
    for (int i = 0; i < 200; i++)
        ken_buf_printf(&text, "int f%d(void)\n{\n    return %d;\n}\n\n", i, i);
    chunk_lab lab;
    lab_cut(&lab, KEN_LANG_C, ken_buf_str(&text), NULL);
    for (uint32_t i = 0; i + 1 < lab.n_chunks; i++)
        kt_true(lab.chunks[i].n_tokens >= 100);
    kt_true(lab.n_chunks < 25);
    lab_release(&lab);
    ken_buf_release(&text);
}

KEN_TEST(sections_of_prose_are_chunks)
{
    const char *text =
        "words before any heading, more of them\n\n"
        "# One\n\nsome words about the first thing, and even more about it\n\n"
        "## Two\n\n```sh\n# not a heading, and a long line of shell commands\n```\n\n"
        "# Three\n\nmore words, as many as it takes to have a chunk of its own\n";
    kt_eq_str(lab_chunks(KEN_LANG_MARKDOWN, text, &small),
              "1-2 module -; 3-6 section One; 7-12 section Two; 13-15 section Three");
}

static void fill(ken_buf *text, const char *line, size_t n_bytes)
{
    while (text->len < n_bytes)
        ken_buf_puts(text, line);
}

KEN_TEST(one_megabyte_on_one_line)
{
    static const struct {
        ken_lang_id lang;
        const char *open, *item;
    } cases[] = {
        { KEN_LANG_JAVASCRIPT, "", "f(1);" },
        { KEN_LANG_JSON, "[", "1," },
        { KEN_LANG_TEXT, "", "\xc3\xa9\xe2\x82\xac" },
        { KEN_LANG_CSS, "", ".a{b:c}" },
        { KEN_LANG_PYTHON, "x = '", "\xf0\x9f\x98\x80" },
        { KEN_LANG_MARKDOWN, "", "word " },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ken_buf text = KEN_BUF_INIT(2 << 20);
        ken_buf_puts(&text, cases[i].open);
        fill(&text, cases[i].item, 1 << 20);
        chunk_lab lab;
        lab_cut(&lab, cases[i].lang, ken_buf_str(&text), NULL);
        kt_true(lab.n_chunks >= text.len / 3200);
        lab_release(&lab);
        ken_buf_release(&text);
    }
}

KEN_TEST(nesting_is_no_problem)
{
    static const struct {
        ken_lang_id lang;
        const char *open, *close;
    } cases[] = {
        { KEN_LANG_C, "{\n", "}\n" },
        { KEN_LANG_JAVA, "class A {\n", "}\n" },
        { KEN_LANG_RUBY, "module A\n", "end\n" },
        { KEN_LANG_JSON, "[\n", "]\n" },
        { KEN_LANG_CPP, "namespace a {\n", "}\n" },
        { KEN_LANG_JAVASCRIPT, "function a() {\n", "}\n" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ken_buf text = KEN_BUF_INIT(1 << 20);
        for (int k = 0; k < 10000; k++)
            ken_buf_puts(&text, cases[i].open);
        for (int k = 0; k < 10000; k++)
            ken_buf_puts(&text, cases[i].close);
        chunk_lab lab;
        lab_cut(&lab, cases[i].lang, ken_buf_str(&text), NULL);
        lab_release(&lab);
        ken_buf_release(&text);
    }
}

KEN_TEST(odd_bytes_are_kept)
{
    static const char *const texts[] = {
        "int a;\r\nint b;\r\n\r\nint f(void)\r\n{\r\n    return 1;\r\n}\r\n",
        "\xef\xbb\xbfint a;\nint f(void) { return 1; }\n",
        "int a;\rint b;\rint c;\r",
        "int \xff\xfe = \"\xc3\";\nint \xe2\x82 b;\n\x80\x80\x80\n",
        "\f\v\n\n\n \t \n",
        "no line break at the end",
        "\n\n\nint a;",
    };
    static const ken_lang_id langs[] = { KEN_LANG_C,    KEN_LANG_PYTHON,    KEN_LANG_MARKDOWN,
                                         KEN_LANG_YAML, KEN_LANG_HASKELL,   KEN_LANG_TEXT,
                                         KEN_LANG_HTML, KEN_LANG_TYPESCRIPT };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (size_t k = 0; k < sizeof langs / sizeof *langs; k++) {
            lab_chunks(langs[k], texts[i], NULL);
            lab_chunks(langs[k], texts[i], &(ken_chunk_opts){ .target = 1, .max = 2, .min = 1 });
        }
    }
}

KEN_TEST(bytes_of_zero_are_kept)
{
    ken_str text = ken_str_n("int a;\0\0\nint b;\0\n", 17);
    chunk_lab lab;
    lab_cut(&lab, KEN_LANG_C, text, NULL);
    kt_eq_u(lab.n_chunks, 1);
    lab_release(&lab);
}
