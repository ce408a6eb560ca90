// SPDX-License-Identifier: MIT
// Text for people and agents: colours or none, paths from where the reader stands, nothing that a
// terminal would obey.
#include "base/paint.h"
#include "ktest.h"

static ken_buf text;

static ken_paint paint_for(const char *here, const char *root)
{
    ken_buf_release(&text);
    text = KEN_BUF_INIT(0);
    return (ken_paint){ .out = &text, .here = ken_str_c(here), .root = ken_str_c(root) };
}

static void path_from(const char *here, const char *root, const char *path, const char *want)
{
    ken_paint p = paint_for(here, root);
    ken_paint_path(&p, ken_str_c(path));
    kt_eq_text(ken_buf_str(&text), want);
}

KEN_TEST(paths_open_from_where_one_stands)
{
    path_from("", "", "src/a.c", "src/a.c");
    path_from("src", "", "src/a.c", "a.c");
    path_from("src/net", "", "src/a.c", "../a.c");
    path_from("src/net", "", "README.md", "../../README.md");
    path_from("src/net", "", "src/net/deep/a.c", "deep/a.c");
    path_from("src", "", "src2/a.c", "../src2/a.c");
    path_from("src2", "", "src/a.c", "../src/a.c");
    path_from("src/net", "", "src/network/a.c", "../network/a.c");
    path_from("", "app", "src/a.c", "app/src/a.c");
    path_from("", "/home/me/app", "a.c", "/home/me/app/a.c");
    ken_buf_release(&text);
}

KEN_TEST(a_place_has_its_line)
{
    ken_paint p = paint_for("src", "");
    ken_paint_at(&p, KEN_STR("src/a.c:12"));
    ken_paint_puts(&p, " ");
    ken_paint_at(&p, KEN_STR("lib"));
    kt_eq_text(ken_buf_str(&text), "a.c:12 ../lib");
    ken_buf_release(&text);
}

KEN_TEST(nothing_reaches_a_terminal_that_it_would_obey)
{
    ken_paint p = paint_for("", "");
    ken_paint_str(&p, KEN_STYLE_NAME, KEN_STR("a\033[2Jb\xe2\x80\xae\x63\r\n"));
    kt_eq_text(ken_buf_str(&text), "a\xef\xbf\xbd[2Jb\xef\xbf\xbd\x63\xef\xbf\xbd\xef\xbf\xbd");
    p = paint_for("", "");
    ken_paint_printf(&p, KEN_STYLE_PLAIN, "%s\n%s", "x\ty", "\x80");
    kt_eq_text(ken_buf_str(&text), "x\ty\n\xef\xbf\xbd");
    p = paint_for("", "");
    ken_paint_path(&p, KEN_STR("a\nb.c"));
    kt_eq_text(ken_buf_str(&text), "a\xef\xbf\xbd\x62.c");
    ken_buf_release(&text);
}

KEN_TEST(colours_are_there_or_not)
{
    ken_str word = KEN_STR("retry");
    ken_paint p = paint_for("", "");
    ken_paint_line(&p, KEN_STR("do_Retry(x);"), &word, 1, 0);
    kt_eq_text(ken_buf_str(&text), "do_Retry(x);");
    p = paint_for("", "");
    p.has_color = true;
    ken_paint_line(&p, KEN_STR("do_Retry(x);"), &word, 1, 0);
    kt_eq_text(ken_buf_str(&text), "do_\033[1;31mRetry\033[0m(x);");
    p = paint_for("", "");
    ken_paint_line(&p, KEN_STR("\tabcdef"), NULL, 0, 8);
    kt_eq_text(ken_buf_str(&text), "    abcd\xe2\x80\xa6");
    p = paint_for("", "");
    ken_paint_code(&p, KEN_STR("one\n\nthree\n"), 9, NULL, 0);
    kt_eq_text(ken_buf_str(&text), "9 one\n10\n11 three\n");
    ken_buf_release(&text);
}

KEN_TEST(names_in_notes_are_those_of_the_reader)
{
    static const ken_paint_name names[] = { { "limit", "--limit" }, { "symbol", "SYMBOL" } };
    ken_paint p = paint_for("", "");
    p.names = names;
    p.n_names = 2;
    ken_paint_note(&p, "%d of more; a higher {limit}, or {symbol} of {x} {", 3);
    kt_eq_text(ken_buf_str(&text), "3 of more; a higher --limit, or SYMBOL of {x} {\n");
}
