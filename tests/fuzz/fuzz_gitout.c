// SPDX-License-Identifier: MIT
// fuzz_gitout -- what git prints about a repository that somebody else made: its log and a patch,
// in pieces.
#include <stdint.h>

#include "base/assert.h"
#include "history/history_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void feed(void (*on_line)(void *ctx, ken_str line), void *ctx, ken_str text)
{
    history_lines lines;
    ken_history__lines_init(&lines, on_line, ctx);
    for (size_t at = 0; at < text.len; at += 7)
        ken_history__lines_add(&lines, ken_str_sub(text, at, at + 7));
    ken_history__lines_end(&lines);
    ken_history__lines_release(&lines);
}

static void read_log(ken_str text)
{
    history_builder *b = ken_history__builder_new(100, true);
    feed(ken_history__builder_line, b, text);
    ken_history *h = ken_history__new(), *again = NULL;
    ken_history__builder_finish(b, h);
    ken_history__builder_free(b);
    ken_buf packed = { 0 };
    ken_history_pack(h, &packed);
    KEN_ASSERT(!ken_history_unpack(ken_buf_str(&packed), &again, NULL));
    ken_history_free(h);
    h = ken_history__new();
    b = ken_history__builder_new(200, false);
    feed(ken_history__builder_line, b, text);
    ken_history__builder_replay(b, again);
    ken_history__builder_finish(b, h);
    ken_history__builder_free(b);
    ken_buf_release(&packed);
    ken_history_free(h);
    ken_history_free(again);
}

static void read_patch(ken_str text)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    history_patch *p = ken_history__patch_new(&arena);
    feed(ken_history__patch_line, p, text);
    ken_changes c = { 0 };
    ken_history__patch_finish(p, &c);
    ken_history__patch_free(p);
    for (size_t i = 0; i < c.n_files; i++) {
        const ken_changed_file *f = &c.files[i];
        KEN_ASSERT(ken_history__is_path(f->path) && ken_change_kind_word(f->kind)[0]);
        KEN_ASSERT(!i || ken_str_cmp(c.files[i - 1].path, f->path) < 0);
        for (size_t k = 0; k < f->n_changes; k++)
            KEN_ASSERT(f->changes[k].n_lines <= INT32_MAX && f->changes[k].first <= INT32_MAX);
    }
    ken_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ken_str text = ken_str_n((const char *)data, size);
    read_log(text);
    read_patch(text);
    return 0;
}
