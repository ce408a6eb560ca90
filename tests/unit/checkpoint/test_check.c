// SPDX-License-Identifier: MIT
// What may be written, and what is said about what may not.
#include <string.h>

#include "checkpoint/checkpoint_priv.h"
#include "ktest.h"

static ken_arena arena;
static ken_err err;

static ken_str repeat(const char *what, size_t n)
{
    ken_buf b = { 0 };
    for (size_t i = 0; i < n; i++)
        ken_buf_puts(&b, what);
    ken_str s = ken_arena_dup(&arena, ken_buf_str(&b));
    ken_buf_release(&b);
    return s;
}

static void begin(void)
{
    ken_arena_init(&arena, 0);
    err = (ken_err){ 0 };
}

static ken_checkpoint_draft draft(ken_str summary)
{
    return (ken_checkpoint_draft){ .summary = summary, .now_ms = 1 };
}

static void refused(ken_checkpoint_draft d, const char *part)
{
    err = (ken_err){ 0 };
    kt_status(ken_checkpoint__check_draft(&d, &err), KEN_EINVAL);
    kt_has_str(err.msg, part);
}

static void taken(ken_checkpoint_draft d)
{
    kt_ok_err(ken_checkpoint__check_draft(&d, &err), &err);
}

KEN_TEST(characters_are_counted_and_not_bytes)
{
    begin();
    taken(draft(repeat("\xf0\x9f\x9a\x80", 500)));
    refused(draft(repeat("\xf0\x9f\x9a\x80", 501)), "summary: 501 characters are over 500: '");
    taken(draft(repeat("e\xcc\x81", 250))); // a letter and its mark are two
    refused(draft(repeat("e\xcc\x81", 251)), "502 characters");
    refused(draft(KEN_STR("")), "summary: 0 characters are under 1: ''");
    refused(draft(KEN_STR("a\xff")), "summary: byte 1 is no UTF-8");
    refused(draft(KEN_STR("a\0b")), "summary: byte 1 is NUL");
    ken_checkpoint_draft d = draft(KEN_STR("x"));
    d.description = repeat("\xc3\xa4", 100000);
    taken(d);
    d.description = repeat("x", 10 * 1024 * 1024);
    refused(d, "description: 10485760 characters are over 100000: 'xxxx");
    ken_arena_release(&arena);
}

KEN_TEST(context_is_an_object_of_a_size)
{
    begin();
    ken_checkpoint_draft d = draft(KEN_STR("x"));
    d.context = KEN_STR("{\"a\":[1,{\"b\":null}]}");
    taken(d);
    d.context = KEN_STR("[1]");
    refused(d, "context: expected a JSON object, got '[1]'");
    d.context = KEN_STR("{\"a\":");
    refused(d, "context: expected a JSON object");
    d.context = ken_arena_printf(&arena, "{\"a\":\"" KEN_STR_FMT "\"}",
                                 KEN_STR_ARG(repeat("y", KEN_CHECKPOINT_CONTEXT_BYTES)));
    refused(d, "context: 65544 bytes are over 65536: '{\"a\":\"yyy");
    d.context = KEN_STR("{}");
    d.if_updated_at_ms = 5;
    refused(d, "if_updated_at: needs checkpoint_id");
    ken_arena_release(&arena);
}

static const char *tags(const char *one, const char *two)
{
    const ken_str in[] = { ken_str_c(one), ken_str_c(two) };
    const ken_str *out = NULL;
    size_t n = 0;
    ken_buf b = { 0 };
    err = (ken_err){ 0 };
    if (ken_checkpoint__check_tags("tags", in, two ? 2 : 1, &arena, &out, &n, &err))
        return err.msg;
    for (size_t i = 0; i < n; i++)
        ken_buf_printf(&b, "<" KEN_STR_FMT ">", KEN_STR_ARG(out[i]));
    const char *text = ken_arena_dup(&arena, ken_buf_str(&b)).ptr;
    ken_buf_release(&b);
    return text;
}

KEN_TEST(tags_come_as_a_list_or_with_commas)
{
    begin();
    kt_eq_str(tags("b, a ,b", "c"), "<a><b><c>");
    kt_eq_str(tags("", NULL), "");
    kt_eq_str(tags("\xf0\x9f\x9a\x80", "Z"), "<Z><\xf0\x9f\x9a\x80>");
    kt_has_str(tags("a,,b", NULL), "tags: 0 characters are under 1: ''");
    kt_has_str(tags("!a", NULL), "tags: a tag does not begin with '!': '!a'");
    kt_has_str(tags(repeat("\xc3\xa4", 65).ptr, NULL), "tags: 65 characters are over 64: '");
    kt_has_str(tags(repeat("\xc3\xa4", 64).ptr, NULL), "<");
    kt_has_str(tags("a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,1,2,3,4,5,6", "a,7"),
               "tags: at most 32 tags; '7' is one more");
    ken_arena_release(&arena);
}

KEN_TEST(filters_turn_a_mark_into_not)
{
    begin();
    const ken_str all[] = { KEN_STR("a,!b"), KEN_STR("! c") }, none[] = { KEN_STR("d") };
    ken_checkpoint_filter in = { .all = all, .n_all = 2, .none = none, .n_none = 1 }, out;
    kt_ok_err(ken_checkpoint__check_filter(&in, &arena, &out, &err), &err);
    kt_eq_u(out.n_all, 1);
    kt_eq_u(out.n_none, 3);
    kt_eq_text(out.none[0], "b");
    kt_eq_text(out.none[1], "c");
    kt_eq_text(out.none[2], "d");
    const ken_str alone[] = { KEN_STR("!") }; // not a filter that lets everything pass
    in = (ken_checkpoint_filter){ .all = alone, .n_all = 1 };
    kt_status(ken_checkpoint__check_filter(&in, &arena, &out, &err), KEN_EINVAL);
    kt_has_str(err.msg, "tags: a tag does not begin with '!': '!'");
    ken_arena_release(&arena);
}

KEN_TEST(files_have_the_tags_of_their_paths)
{
    begin();
    const ken_str md[] = { KEN_STR("indexed"), KEN_STR(".md") };
    ken_checkpoint_filter f = { .all = md, .n_all = 2 };
    kt_true(ken_checkpoint__file_passes(KEN_STR("docs/a.md"), &f));
    kt_false(ken_checkpoint__file_passes(KEN_STR("docs/a.mdx"), &f));
    kt_false(ken_checkpoint__file_passes(KEN_STR("docs.md/a"), &f));
    kt_false(ken_checkpoint__file_passes(KEN_STR(".md"), &f)); // a name, not an extension
    f = (ken_checkpoint_filter){ .all = md, .n_all = 1, .none = md + 1, .n_none = 1 };
    kt_false(ken_checkpoint__file_passes(KEN_STR("a.md"), &f));
    kt_true(ken_checkpoint__file_passes(KEN_STR("a.c"), &f));
    ken_file_row row = { .path = KEN_STR("a \"b\".md"), .changed_at_ms = 7 };
    ken_checkpoint one = ken_checkpoint__of_file(&row, &arena),
                   again = ken_checkpoint__of_file(&row, &arena);
    kt_true(ken_uuid_eq(one.id, again.id));
    kt_eq_text(one.summary, "Indexed file: a \"b\".md");
    kt_eq_text(one.context, "{\"indexed_file\":\"a \\\"b\\\".md\"}");
    kt_eq_u(one.n_tags, 3);
    ken_arena_release(&arena);
}
