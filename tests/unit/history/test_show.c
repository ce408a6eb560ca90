// SPDX-License-Identifier: MIT
// Files as a commit has them.
#include <unistd.h>

#include "base/alloc.h"
#include "history_lab.h"

static ken_history_text *texts;

static void read_texts(const char *rev, const ken_str *paths, size_t n)
{
    ken_str id = git("rev-parse", rev, NULL);
    kt_ok_err(ken_history_read_texts(root, id, paths, n, NULL, &arena, &texts, &err), &err);
}

KEN_TEST(texts_of_a_commit)
{
    lab_start("tree");
    put("a.c", "one\n");
    put("dir name/b.c", "two\n\nlines");
    put("\xc3\xa4.c", "odd\n");
    put("empty.c", "");
    put("key.py", "token = \"ghp_"
                  "abcdefghijklmnopqrstuvwxyz0123456789\"\n");
    commit(0, "ann", "begin");
    put("a.c", "changed\n");
    const ken_str paths[] = { KEN_STR("a.c"),     KEN_STR("dir name/b.c"), KEN_STR("\xc3\xa4.c"),
                              KEN_STR("empty.c"), KEN_STR("none.c"),       KEN_STR("dir name"),
                              KEN_STR("key.py") };
    read_texts("HEAD", paths, 7);
    kt_eq_text(texts[0].text, "one\n");
    kt_eq_text(texts[1].text, "two\n\nlines");
    kt_eq_text(texts[2].text, "odd\n");
    kt_eq_i(texts[3].state, KEN_HISTORY_TEXT_THERE);
    kt_eq_u(texts[3].text.len, 0);
    kt_eq_i(texts[4].state, KEN_HISTORY_TEXT_ABSENT);
    kt_true(texts[5].state != KEN_HISTORY_TEXT_THERE);                        // a folder
    kt_true(ken_str_find(texts[6].text, KEN_STR("abcdefghijk")) == SIZE_MAX); // masked
    lab_end();
}

KEN_TEST(texts_that_are_links_or_too_large_are_told)
{
    lab_start("tree");
    char *large = ken_zalloc(KEN_HISTORY_TEXT_BYTES + 2);
    memset(large, 'x', KEN_HISTORY_TEXT_BYTES + 1);
    put("large.c", large);
    put("a.c", "one\n");
    ken_free(large);
    char path[4096];
    snprintf(path, sizeof path, "%s/link.c", root);
    kt_eq_i(symlink("a.c", path), 0);
    commit(0, "ann", "begin");
    const ken_str paths[] = { KEN_STR("link.c"), KEN_STR("large.c"), KEN_STR("a.c") };
    read_texts("HEAD", paths, 3);
    kt_eq_i(texts[0].state, KEN_HISTORY_TEXT_OTHER);
    kt_eq_i(texts[1].state, KEN_HISTORY_TEXT_LARGE);
    kt_eq_str(ken_history_text_word(texts[1].state), "is too large");
    kt_eq_text(texts[2].text, "one\n");
    lab_end();
}

KEN_TEST(many_texts_come_in_batches_and_have_a_bound)
{
    enum {
        N = KEN_HISTORY_TEXTS_MAX + 5
    };
    lab_start("tree");
    ken_str *paths = KEN_ARENA_ARRAY(&arena, ken_str, N);
    for (size_t i = 0; i < N; i++) {
        paths[i] = ken_arena_printf(&arena, "f%zu.c", i);
        put(paths[i].ptr, ken_arena_printf(&arena, "int f%zu;\n", i).ptr);
    }
    commit(0, "ann", "many");
    read_texts("HEAD", paths, N);
    kt_eq_text(texts[0].text, "int f0;\n");
    kt_eq_text(texts[777].text, "int f777;\n");
    kt_eq_i(texts[N - 6].state, KEN_HISTORY_TEXT_THERE);
    kt_eq_i(texts[N - 5].state, KEN_HISTORY_TEXT_LEFT);
    lab_end();
}

KEN_TEST(texts_of_what_is_no_commit_are_refused)
{
    lab_start("tree");
    put("a.c", "one\n");
    commit(0, "ann", "begin");
    const ken_str paths[] = { KEN_STR("a.c") };
    kt_status(
        ken_history_read_texts(root, KEN_STR("--output=x"), paths, 1, NULL, &arena, &texts, &err),
        KEN_EINVAL);
    kt_has_str(err.msg, "commit: expected an id");
    err = (ken_err){ 0 };
    kt_status(ken_history_read_texts(root, KEN_STR("0123456789012345678901234567890123456789"),
                                     paths, 1, NULL, &arena, &texts, &err),
              KEN_EUNSUPPORTED);
    lab_end();
}
