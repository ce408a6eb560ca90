// SPDX-License-Identifier: MIT
// From names to a segment: pairs of hash and content, sorted by eight bits at a time, written as
// lists.
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "mention/mention_priv.h"

struct ken_mention_builder {
    KEN_VEC(int64_t) contents;
    KEN_VEC(uint64_t) pairs; // hash << 32 | ordinal
};

uint32_t ken_mention_hash(ken_str name)
{
    return (uint32_t)ken_hash_str(name);
}

// The name of a module where it is imported: the last part of its path, without an extension.
static ken_str module_stem(ken_str module)
{
    size_t end = module.len;
    while (end && memchr("/.\\:", module.ptr[end - 1], 4))
        end--;
    size_t from = end;
    while (from && !memchr("/\\:", module.ptr[from - 1], 3))
        from--;
    ken_str last = ken_str_sub(module, from, end);
    return ken_str_sub(last, 0, ken_str_find_char(last, '.'));
}

void ken_mentions_of(const ken_refs *refs, ken_mentions *out)
{
    ken_vec_clear(out);
    for (uint32_t i = 1; i < refs->n_exprs; i++) {
        const ken_expr *e = &refs->exprs[i];
        if (e->op == KEN_EXPR_NAME || e->op == KEN_EXPR_MEMBER)
            ken_vec_push(out, ken_mention_hash(e->name));
    }
    if (refs->n_literals)
        ken_vec_push(out, ken_mention_hash(KEN_STR(KEN_MENTION_LITERALS)));
    for (uint32_t i = 0; i < refs->n_binds; i++) {
        const ken_bind *b = &refs->binds[i];
        ken_vec_push(out, ken_mention_hash(b->name));
        ken_vec_push(out, ken_mention_hash(b->local));
        ken_vec_push(out, ken_mention_hash(module_stem(b->module)));
    }
}

ken_mention_builder *ken_mention_builder_new(void)
{
    return ken_zalloc(sizeof(ken_mention_builder));
}

static void clear(ken_mention_builder *b)
{
    ken_vec_release(&b->contents);
    ken_vec_release(&b->pairs);
}

void ken_mention_builder_free(ken_mention_builder *b)
{
    if (!b)
        return;
    clear(b);
    ken_free(b);
}

void ken_mention_builder_add(ken_mention_builder *b, int64_t content, const uint32_t *hashes,
                             size_t n)
{
    uint64_t ordinal = b->contents.len;
    ken_vec_push(&b->contents, content);
    ken_vec_reserve(&b->pairs, b->pairs.len + n);
    for (size_t i = 0; i < n; i++)
        b->pairs.ptr[b->pairs.len++] = (uint64_t)hashes[i] << 32 | ordinal;
}

size_t ken_mention_builder_bytes(const ken_mention_builder *b)
{
    return b->pairs.cap * sizeof *b->pairs.ptr + b->contents.cap * sizeof *b->contents.ptr;
}

uint32_t ken_mention_builder_n_contents(const ken_mention_builder *b)
{
    return (uint32_t)b->contents.len;
}

// By hash; pairs of one hash stay in the order of their contents.
static void sort_pairs(uint64_t *pairs, size_t n)
{
    uint64_t *other = ken_alloc(ken_mul_size(n, sizeof *other));
    for (unsigned shift = 32; shift < 64; shift += 8) {
        size_t count[257] = { 0 };
        for (size_t i = 0; i < n; i++)
            count[(pairs[i] >> shift & 0xff) + 1]++;
        for (unsigned k = 1; k < 257; k++)
            count[k] += count[k - 1];
        for (size_t i = 0; i < n; i++)
            other[count[pairs[i] >> shift & 0xff]++] = pairs[i];
        uint64_t *swap = pairs;
        pairs = other;
        other = swap;
    }
    ken_free(other); // four passes: what was given holds the result again
}

// All contents of one hash: pairs [from, to), of which some may be there twice.
static void put_list(mention_writer *w, const uint64_t *pairs, size_t from, size_t to,
                     ken_buf *list)
{
    uint32_t n = 0, before = 0;
    ken_buf_clear(list);
    for (size_t i = from; i < to; i++) {
        uint32_t ordinal = (uint32_t)pairs[i];
        if (n && ordinal == before)
            continue;
        ken_buf_put_varint(list, ordinal - before);
        before = ordinal;
        n++;
    }
    ken_mention__put_list(w, (uint32_t)(pairs[from] >> 32), n, ken_buf_str(list));
}

ken_status ken_mention_builder_finish(ken_mention_builder *b, const ken_block_sink *sink,
                                      ken_err *err)
{
    mention_writer w;
    ken_buf list = KEN_BUF_INIT((size_t)1 << 30);
    size_t n = b->pairs.len;
    ken_mention__writer_init(&w, sink);
    if (n)
        sort_pairs(b->pairs.ptr, n);
    for (size_t i = 0; i < b->contents.len; i++)
        ken_mention__put_id(&w, b->contents.ptr[i]);
    for (size_t from = 0, to; from < n; from = to) {
        to = from;
        while (to < n && b->pairs.ptr[to] >> 32 == b->pairs.ptr[from] >> 32)
            to++;
        put_list(&w, b->pairs.ptr, from, to, &list);
    }
    bool is_over = list.is_over;
    ken_buf_release(&list);
    clear(b);
    ken_status st = ken_mention__writer_end(&w, err);
    return st || !is_over ? st : KEN_FAIL(err, KEN_ELIMIT, "a name has too many references");
}
