// SPDX-License-Identifier: MIT
// Code blocks and links of Markdown.
#include "base/buf.h"
#include "ktest.h"
#include "lang/lang_prose.h"

// "code 3-5 c; link 7 guide -> docs/guide.md; …"
static void items_are(const char *text, const char *want)
{
    ken_buf got = KEN_BUF_INIT(0);
    ken_prose p;
    ken_prose_item i;
    ken_prose_init(&p, ken_str_c(text));
    while (ken_prose_next(&p, &i)) {
        ken_buf_puts(&got, got.len ? "; " : "");
        if (i.kind == KEN_PROSE_CODE)
            ken_buf_printf(&got, "code %u-%u " KEN_STR_FMT, i.first_line + 1, i.last_line + 1,
                           KEN_STR_ARG(i.text));
        else
            ken_buf_printf(&got, "link %u " KEN_STR_FMT " -> " KEN_STR_FMT, i.first_line + 1,
                           KEN_STR_ARG(i.text), KEN_STR_ARG(i.target));
    }
    kt_eq_text(ken_buf_str(&got), want);
    ken_buf_release(&got);
}

KEN_TEST(s2_42_code_blocks_end_with_their_fence)
{
    items_are("a\n```c\nint x;\n```\nb\n", "code 2-4 c");
    items_are("~~~ sh -x\n```\n~~~\n", "code 1-3 sh");
    items_are("````\n```\n[a](b)\n````\n[c](d)", "code 1-4 ; link 5 c -> d");
    items_are("> - ```py\n>   x\n>   ```\n", "code 1-3 py");
    items_are("```\nnever closed", "code 1-2 ");
    items_are("`` ` ``` `` no fence", "");
}

KEN_TEST(s2_43_links_of_every_form)
{
    items_are("See [the guide](docs/guide.md \"Guide\") and ![a picture](p.svg).",
              "link 1 the guide -> docs/guide.md; link 1 a picture -> p.svg");
    items_are("[a [b] c](d(e)f) <https://x.org/y> <b>",
              "link 1 a [b] c -> d(e)f; link 1 https://x.org/y -> https://x.org/y");
    items_are("[home]: <https://x.org>\n", "link 1 home -> https://x.org");
    items_are("`[a](b)` \\[a](b) [a] (b) [open", "");
}

// A line of brackets takes no time that grows with its square.
KEN_TEST(a_hostile_line_is_bounded)
{
    ken_buf b = KEN_BUF_INIT(0);
    for (int i = 0; i < 60000; i++)
        ken_buf_puts(&b, i % 3 ? "[" : "<`");
    ken_prose p;
    ken_prose_item item;
    ken_prose_init(&p, ken_buf_str(&b));
    kt_true(!ken_prose_next(&p, &item));
    ken_buf_release(&b);
}
