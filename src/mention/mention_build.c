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

// What a module is called where it is imported: the last part of its path, without an extension.
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

typedef struct mention_writer {
    ken_buf lists, directory;
    uint32_t n_names, last_hash;
} mention_writer;

// All contents of one hash: pairs [from, to).
static void put_list(mention_writer *w, const uint64_t *pairs, size_t from, size_t to)
{
    uint32_t hash = (uint32_t)(pairs[from] >> 32), n = 0, last = UINT32_MAX;
    if (w->n_names++ % MENTION_STRIDE == 0) {
        uint8_t entry[MENTION_ENTRY_BYTES];
        ken_put32(entry, hash);
        ken_put32(entry + 4, (uint32_t)w->lists.len);
        ken_buf_put(&w->directory, entry, sizeof entry);
        w->last_hash = hash;
    }
    for (size_t i = from; i < to; i++) {
        n += (uint32_t)pairs[i] != last;
        last = (uint32_t)pairs[i];
    }
    ken_buf_put_varint(&w->lists, hash - w->last_hash);
    ken_buf_put_varint(&w->lists, n);
    w->last_hash = hash;
    uint32_t before = 0;
    last = UINT32_MAX;
    for (size_t i = from; i < to; i++) {
        uint32_t ordinal = (uint32_t)pairs[i];
        if (ordinal == last)
            continue;
        ken_buf_put_varint(&w->lists, ordinal - before);
        before = last = ordinal;
    }
}

static void put_lists(mention_writer *w, const uint64_t *pairs, size_t n)
{
    for (size_t from = 0, to; from < n; from = to) {
        to = from;
        while (to < n && pairs[to] >> 32 == pairs[from] >> 32)
            to++;
        put_list(w, pairs, from, to);
    }
}

ken_status ken_mention_builder_finish(ken_mention_builder *b, ken_buf *out, ken_err *err)
{
    mention_writer w = { .lists = KEN_BUF_INIT(UINT32_MAX), .directory = KEN_BUF_INIT(UINT32_MAX) };
    if (b->pairs.len)
        sort_pairs(b->pairs.ptr, b->pairs.len);
    put_lists(&w, b->pairs.ptr, b->pairs.len);
    uint8_t h[MENTION_HEADER_BYTES] = { 0 };
    ken_put32(h + MENTION_AT_MAGIC, MENTION_MAGIC);
    ken_put32(h + MENTION_AT_FORMAT, MENTION_FORMAT);
    ken_put32(h + MENTION_AT_CONTENTS, (uint32_t)b->contents.len);
    ken_put32(h + MENTION_AT_NAMES, w.n_names);
    ken_buf_put(out, h, sizeof h);
    for (size_t i = 0; i < b->contents.len; i++) {
        uint8_t id[8];
        ken_put64(id, (uint64_t)b->contents.ptr[i]);
        ken_buf_put(out, id, sizeof id);
    }
    ken_buf_put_str(out, ken_buf_str(&w.directory));
    ken_buf_put_str(out, ken_buf_str(&w.lists));
    bool is_over = out->is_over || w.lists.is_over || w.directory.is_over;
    ken_buf_release(&w.lists);
    ken_buf_release(&w.directory);
    clear(b);
    if (is_over)
        return KEN_FAIL(err, KEN_ELIMIT, "a segment of %u names is too large", w.n_names);
    return KEN_OK;
}
