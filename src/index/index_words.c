// SPDX-License-Identifier: MIT
// Tells a database which words each segment has, so that a question to many indexes knows where to look. After the
// transaction that wrote the segment: a question finds it without, and one who is stopped goes on where he was.
#include "base/vec.h"
#include "index/index_parts_priv.h"
#include "lexical/lexical_entry.h"

typedef KEN_VEC(int64_t) word_entries;

static bool add_term(void *ctx, ken_term term, uint32_t n_contents)
{
    ken_vec_push((word_entries *)ctx, ken_lex_entry(term, ken_lex_level(n_contents)));
    return true;
}

typedef struct told_segment {
    ken_segment_info info;
    word_entries words;
} told_segment;

static ken_status read_words(ken_store *store, told_segment *t, ken_err *err)
{
    index_part part;
    const index_alive all = { 0 };
    ken_status st = ken_index__open_part(store, KEN_SEGMENT_WORDS, &t->info, &all, &part, err);
    if (st)
        return st;
    ken_vec_clear(&t->words);
    st = ken_lex_each_term(part.words, add_term, &t->words, err);
    ken_index__close_part(&part);
    return st;
}

static ken_status put_words(ken_store *store, void *ctx, ken_err *err)
{
    const told_segment *t = ctx;
    return ken_store_put_words(store, t->info.id, t->words.ptr, t->words.len, err);
}

ken_status ken_index_tell_words(ken_store *store, const ken_cancel *cancel, ken_err *err)
{
    ken_arena arena;
    ken_segment_info *infos = NULL;
    size_t n = 0;
    told_segment t = { 0 };
    ken_arena_init(&arena, 0);
    ken_status st = ken_store_list_untold(store, &arena, &infos, &n, err);
    for (size_t i = 0; !st && i < n; i++) {
        t.info = infos[i];
        st = ken_cancel_check(cancel, err);
        if (!st)
            st = read_words(store, &t, err);
        if (!st)
            st = ken_store_write(store, put_words, &t, err);
        if (st == KEN_ENOTFOUND) // it was merged away
            st = KEN_OK;
    }
    ken_vec_release(&t.words);
    ken_arena_release(&arena);
    return st;
}
