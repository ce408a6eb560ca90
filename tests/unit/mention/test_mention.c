// SPDX-License-Identifier: MIT
// Who says a name is found again, after joining, too; damaged segments are refused.
#include <stdlib.h>

#include "base/alloc.h"
#include "blocks/sections.h"
#include "ktest.h"
#include "mention/mention.h"
#include "refusal_lab.h"

enum {
    BLOCK = 256,
    CONTENTS = 300,
    NAMES = 500
};

static ken_status read_block(void *ctx, int64_t segment, uint32_t block, void *into, size_t *out_n,
                             ken_err *err)
{
    const ken_buf *b = ctx;
    (void)segment;
    ken_str part = ken_str_sub(ken_buf_str(b), (size_t)block * BLOCK, (size_t)(block + 1) * BLOCK);
    if (!part.len)
        return KEN_FAIL(err, KEN_ENOTFOUND, "no block %u", block);
    memcpy(into, part.ptr, part.len);
    *out_n = part.len;
    return KEN_OK;
}

static uint32_t hash_of(uint32_t name)
{
    return ken_mention_hash(ken_str_n((const char *)&name, sizeof name));
}

// Content i says the names that its number and they agree on, some of them twice.
static bool says(uint32_t content, uint32_t name)
{
    return (content * 2654435761U ^ name * 40503U) % 7 == 0 || name == 3;
}

static void build(ken_buf *out)
{
    ken_mention_builder *b = ken_mention_builder_new();
    ken_mentions hashes = { 0 };
    for (uint32_t c = 0; c < CONTENTS; c++) {
        ken_vec_clear(&hashes);
        for (uint32_t name = 0; name < NAMES; name++)
            for (int twice = 0; says(c, name) && twice < 1 + (name % 3 == 0); twice++)
                ken_vec_push(&hashes, hash_of(name));
        ken_mention_builder_add(b, 1000 + c, hashes.ptr, hashes.len);
    }
    kt_eq_u(ken_mention_builder_n_contents(b), CONTENTS);
    ken_block_sink sink = ken_block_sink_of(out, BLOCK);
    kt_ok(ken_mention_builder_finish(b, &sink, NULL));
    ken_vec_release(&hashes);
    ken_mention_builder_free(b);
}

static ken_mention_segment *open_segment(ken_buf *bytes)
{
    ken_block_source source = { read_block, bytes, 1, bytes->len, BLOCK };
    ken_mention_segment *s = NULL;
    kt_ok(ken_mention_segment_open(&source, &s, NULL));
    return s;
}

static bool finds(const ken_mention_segment *s, uint32_t name, int64_t content)
{
    ken_mentions found = { 0 };
    kt_ok(ken_mention_find(s, hash_of(name), &found, NULL));
    bool is_there = false;
    for (size_t i = 0; i < found.len; i++) {
        is_there = is_there || ken_mention_segment_contents(s)[found.ptr[i]] == content;
        kt_true(!i || found.ptr[i] > found.ptr[i - 1]);
    }
    ken_vec_release(&found);
    return is_there;
}

KEN_TEST(who_says_a_name_is_found)
{
    ken_buf bytes = KEN_BUF_INIT(0);
    build(&bytes);
    ken_mention_segment *s = open_segment(&bytes);
    kt_eq_u(ken_mention_segment_n_contents(s), CONTENTS);
    for (uint32_t name = 0; name < NAMES; name += 7)
        for (uint32_t c = 0; c < CONTENTS; c += 11)
            kt_true(finds(s, name, 1000 + c) == says(c, name));
    kt_true(finds(s, 3, 1000 + CONTENTS - 1));
    kt_true(!finds(s, NAMES + 5, 1000));
    ken_mention_segment_close(s);
    ken_buf_release(&bytes);
}

KEN_TEST(x4_a_name_reads_its_block_alone)
{
    ken_buf bytes = KEN_BUF_INIT(0);
    build(&bytes);
    ken_mention_segment *s = open_segment(&bytes);
    kt_true(finds(s, 3, 1000));
    kt_true(ken_mention_segment_resident(s) < bytes.len / 2);
    for (uint32_t name = 0; name < NAMES; name += 7) {
        ken_mention_segment_drop(s);
        kt_true(finds(s, name, 1000 + name % CONTENTS) == says(name % CONTENTS, name));
    }
    ken_mention_segment_close(s);
    ken_buf_release(&bytes);
}

KEN_TEST(joining_keeps_what_is_alive)
{
    ken_buf bytes = KEN_BUF_INIT(0), joined = KEN_BUF_INIT(0);
    build(&bytes);
    ken_mention_segment *s = open_segment(&bytes);
    bool is_live[CONTENTS];
    for (uint32_t c = 0; c < CONTENTS; c++)
        is_live[c] = c % 3 != 0;
    ken_block_sink sink = ken_block_sink_of(&joined, BLOCK);
    ken_mention_input input = { s, is_live, NULL };
    kt_ok(ken_mention_merge(&input, 1, &sink, NULL));
    ken_mention_segment_close(s);
    s = open_segment(&joined);
    kt_eq_u(ken_mention_segment_n_contents(s), CONTENTS - CONTENTS / 3);
    for (uint32_t name = 0; name < NAMES; name += 13)
        for (uint32_t c = 0; c < CONTENTS; c += 5)
            kt_true(finds(s, name, 1000 + c) == (says(c, name) && c % 3 != 0));
    ken_mention_segment_close(s);
    ken_buf_release(&joined);
    ken_buf_release(&bytes);
}

// Contents [from, to), as `build` has them.
static void build_some(uint32_t from, uint32_t to, ken_buf *out)
{
    ken_mention_builder *b = ken_mention_builder_new();
    ken_mentions hashes = { 0 };
    for (uint32_t c = from; c < to; c++) {
        ken_vec_clear(&hashes);
        for (uint32_t name = 0; name < NAMES; name++)
            if (says(c, name))
                ken_vec_push(&hashes, hash_of(name));
        ken_mention_builder_add(b, 1000 + c, hashes.ptr, hashes.len);
    }
    ken_block_sink sink = ken_block_sink_of(out, BLOCK);
    kt_ok(ken_mention_builder_finish(b, &sink, NULL));
    ken_vec_release(&hashes);
    ken_mention_builder_free(b);
}

KEN_TEST(joining_several_equals_building_from_scratch)
{
    static const uint32_t cuts[] = { 0, 7, 7, 150, CONTENTS };
    enum {
        PARTS = 4
    };
    ken_buf whole = KEN_BUF_INIT(0), joined = KEN_BUF_INIT(0), bytes[PARTS];
    ken_mention_input inputs[PARTS];
    build(&whole);
    for (int i = 0; i < PARTS; i++) {
        bytes[i] = KEN_BUF_INIT(0);
        build_some(cuts[i], cuts[i + 1], &bytes[i]);
        inputs[i] = (ken_mention_input){ open_segment(&bytes[i]), NULL, NULL };
    }
    ken_block_sink sink = ken_block_sink_of(&joined, BLOCK);
    kt_ok(ken_mention_merge(inputs, PARTS, &sink, NULL));
    kt_eq_mem(joined.ptr, joined.len, whole.ptr, whole.len);
    for (int i = 0; i < PARTS; i++) {
        ken_mention_segment_close(inputs[i].segment);
        ken_buf_release(&bytes[i]);
    }
    ken_buf_release(&joined);
    ken_buf_release(&whole);
}

// Format 1: a header, then the same sections one behind the other.
KEN_TEST(an_older_segment_of_names_is_read)
{
    ken_buf bytes = KEN_BUF_INIT(0), flat = KEN_BUF_INIT(0);
    build(&bytes);
    ken_block_source source = { read_block, &bytes, 1, bytes.len, BLOCK };
    ken_sections *parts = NULL;
    kt_ok(ken_sections_open(&source, &parts, NULL));
    char header[32] = { 0 };
    memcpy(header, ken_sections_head(parts).ptr, 16);
    header[4] = 1;
    ken_buf_put(&flat, header, sizeof header);
    for (uint32_t i = 0; i < 3; i++) {
        const uint8_t *p = NULL;
        uint64_t n = ken_sections_len(parts, i);
        kt_ok(ken_sections_view(parts, i, 0, n, &p, NULL));
        ken_buf_put(&flat, p, (size_t)n);
    }
    ken_sections_close(parts);
    ken_mention_segment *s = open_segment(&flat);
    for (uint32_t name = 0; name < NAMES; name += 7)
        for (uint32_t c = 0; c < CONTENTS; c += 11)
            kt_true(finds(s, name, 1000 + c) == says(c, name));
    ken_mention_segment_close(s);
    ken_buf_release(&flat);
    ken_buf_release(&bytes);
}

KEN_TEST(a_segment_of_nothing_finds_nothing)
{
    ken_buf bytes = KEN_BUF_INIT(0);
    ken_mention_builder *b = ken_mention_builder_new();
    ken_mention_builder_add(b, 7, NULL, 0);
    ken_block_sink sink = ken_block_sink_of(&bytes, BLOCK);
    kt_ok(ken_mention_builder_finish(b, &sink, NULL));
    ken_mention_builder_free(b);
    ken_mention_segment *s = open_segment(&bytes);
    kt_true(!finds(s, 1, 7));
    ken_mention_segment_close(s);
    ken_buf_release(&bytes);
}

KEN_TEST(damaged_segments_of_names_are_refused)
{
    ken_buf bytes = KEN_BUF_INIT(0);
    build(&bytes);
    ken_err err = { 0 };
    for (size_t n = 0; n < 32; n++) { // cut inside the header
        ken_block_source source = { read_block, &bytes, 1, n, BLOCK };
        ken_mention_segment *s = NULL;
        kt_true(ken_mention_segment_open(&source, &s, &err) == KEN_ECORRUPT);
    }
    srand(3);
    for (int i = 0; i < 2000; i++) { // whatever is there, it ends and stays inside
        ken_buf copy = KEN_BUF_INIT(0);
        ken_buf_put_str(&copy, ken_buf_str(&bytes));
        for (int k = 0; k < 4; k++)
            copy.ptr[(size_t)rand() % copy.len] = (char)rand();
        ken_block_source source = { read_block, &copy, 1, copy.len, BLOCK };
        ken_mention_segment *s = NULL;
        ken_mentions found = { 0 };
        if (!ken_mention_segment_open(&source, &s, &err)) {
            ken_status st = ken_mention_find(s, hash_of((uint32_t)rand() % NAMES), &found, &err);
            kt_true(!st || st == KEN_ECORRUPT);
            ken_mention_segment_close(s);
        }
        ken_vec_release(&found);
        ken_buf_release(&copy);
    }
    ken_buf_release(&bytes);
}

static ken_status open_and_close(void *ctx, ken_err *err)
{
    ken_buf *bytes = ctx;
    ken_block_source source = { read_block, bytes, 1, bytes->len, BLOCK };
    ken_mention_segment *s = NULL;
    ken_status st = ken_mention_segment_open(&source, &s, err);
    if (!st)
        ken_mention_segment_close(s);
    return st;
}

KEN_TEST(memory_for_contents_may_be_refused)
{
    enum {
        MANY = 200000
    };
    ken_buf bytes = KEN_BUF_INIT(0);
    ken_mention_builder *b = ken_mention_builder_new();
    uint32_t hash = hash_of(1);
    for (int64_t c = 0; c < MANY; c++)
        ken_mention_builder_add(b, c, &hash, 1);
    ken_block_sink sink = ken_block_sink_of(&bytes, BLOCK);
    kt_ok(ken_mention_builder_finish(b, &sink, NULL));
    ken_mention_builder_free(b);
    lab_refuse_memory(open_and_close, &bytes, MANY * sizeof(int64_t));
    ken_buf_release(&bytes);
}
