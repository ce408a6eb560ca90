// SPDX-License-Identifier: MIT
// A bundle comes out as it went in, or not at all: each byte that is changed or missing is noticed, and no size
// that it claims takes memory or disk before it was compared with what can be.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/fs.h"
#include "bundle/bundle.h"
#include "ktest.h"

static ken_err err;
static const ken_bundle_job no_job = { 0 };

static ken_bundle_info some_info(void)
{
    return (ken_bundle_info){ .kind = KEN_STR("sqlite"),
                              .program = KEN_STR("1.2.3"),
                              .schema = 7,
                              .feature = 4711,
                              .project = KEN_STR("a \"project\"\n"),
                              .commit = KEN_STR("0123456789012345678901234567890123456789"),
                              .branch = KEN_STR("main"),
                              .remote = KEN_STR("https://example.org/a.git"),
                              .model = KEN_STR("m"),
                              .made_at_ms = 1700000000000,
                              .n_files = 3,
                              .n_chunks = 4 };
}

// Bytes that compress by half.
static ken_str payload_of(size_t n)
{
    char *p = ken_alloc(n + 1);
    uint32_t x = 1;
    for (size_t i = 0; i < n; i++) {
        x = x * 1103515245 + 12345;
        p[i] = (char)("0123456789abcdef"[x >> 28]);
    }
    p[n] = '\0';
    return ken_str_n(p, n);
}

static void write_bytes(const char *path, ken_str bytes)
{
    FILE *f = fopen(path, "wb");
    kt_not_null(f);
    kt_eq_u(fwrite(bytes.ptr, 1, bytes.len, f), bytes.len);
    kt_eq_i(fclose(f), 0);
}

static ken_str read_bytes(const char *path)
{
    ken_buf b = KEN_BUF_INIT((size_t)64 << 20);
    kt_ok_err(ken_fs_read_own(path, (size_t)64 << 20, &b, &err), &err);
    size_t n = b.len;
    return ken_str_n(ken_buf_steal(&b), n);
}

static void release(ken_str s)
{
    ken_free((void *)(uintptr_t)s.ptr);
}

static ken_str make(size_t n)
{
    ken_str plain = payload_of(n);
    const ken_bundle_info info = some_info();
    write_bytes(ktest_path("plain"), plain);
    kt_ok_err(
        ken_bundle_write(ktest_path("plain"), &info, ktest_path("x.kenindex"), &no_job, NULL, &err),
        &err);
    release(plain);
    return read_bytes(ktest_path("x.kenindex"));
}

// Opens and unpacks `bytes`; what came out is at "out" when that went well, and nothing is there otherwise.
static ken_status take(ken_str bytes)
{
    static char in[300], out[300]; // called thousands of times
    ken_bundle *b = NULL;
    err = (ken_err){ 0 };
    snprintf(in, sizeof in, "%s/y.kenindex", ktest_dir());
    snprintf(out, sizeof out, "%s/out", ktest_dir());
    write_bytes(in, bytes);
    ken_status st = ken_bundle_open(in, &b, &err);
    if (!st)
        st = ken_bundle_unpack(b, out, &no_job, &err);
    ken_bundle_close(b);
    kt_true(ken_fs_exists(out) == !st);
    if (st)
        kt_has_str(err.msg, "y.kenindex");
    return st;
}

KEN_TEST(it_comes_out_as_it_went_in)
{
    static const size_t sizes[] = { 1, 1000, KEN_BUNDLE_BLOCK, KEN_BUNDLE_BLOCK + 1,
                                    2 * KEN_BUNDLE_BLOCK + 777 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ken_str bytes = make(sizes[i]);
        kt_ok_err(take(bytes), &err);
        ken_str out = read_bytes(ktest_path("out")), plain = payload_of(sizes[i]);
        kt_eq_mem(out.ptr, out.len, plain.ptr, plain.len);
        release(out);
        release(plain);
        release(bytes);
    }
}

KEN_TEST(its_header_says_what_it_is)
{
    ken_str bytes = make(5000);
    kt_true(ken_str_starts(bytes, KEN_STR("ken bundle 1 ")));
    ken_bundle *b = NULL;
    kt_ok_err(ken_bundle_open(ktest_path("x.kenindex"), &b, &err), &err);
    const ken_bundle_info *i = ken_bundle_info_of(b), want = some_info();
    kt_eq_mem(i->kind.ptr, i->kind.len, want.kind.ptr, want.kind.len);
    kt_eq_mem(i->project.ptr, i->project.len, want.project.ptr, want.project.len);
    kt_eq_mem(i->commit.ptr, i->commit.len, want.commit.ptr, want.commit.len);
    kt_eq_mem(i->remote.ptr, i->remote.len, want.remote.ptr, want.remote.len);
    kt_eq_u(i->feature, want.feature);
    kt_eq_u(i->schema, want.schema);
    kt_eq_i(i->made_at_ms, want.made_at_ms);
    kt_eq_u(i->n_files, want.n_files);
    kt_eq_u(i->n_bytes, 5000);
    kt_eq_u(ken_bundle_bytes(b), bytes.len);
    ken_bundle_close(b);
    release(bytes);
}

KEN_TEST(a_bit_that_is_wrong_anywhere_is_noticed)
{
    ken_str bytes = make(3000);
    char *copy = ken_alloc(bytes.len);
    for (size_t i = 0; i < bytes.len; i++) {
        memcpy(copy, bytes.ptr, bytes.len);
        copy[i] = (char)(copy[i] ^ (1 << i % 8));
        if (!take(ken_str_n(copy, bytes.len)))
            kt_fail("byte %zu of %zu may be anything", i, bytes.len);
    }
    ken_free(copy);
    release(bytes);
}

KEN_TEST(a_bundle_that_is_cut_off_or_goes_on_is_refused)
{
    ken_str bytes = make(KEN_BUNDLE_BLOCK + 3000);
    for (size_t n = 0; n < bytes.len; n += n < 2000 ? 1 : 9973) {
        ken_status st = take(ken_str_sub(bytes, 0, n));
        kt_true(st == KEN_ECORRUPT || st == KEN_ELIMIT);
    }
    char *longer = ken_zalloc(bytes.len + 1);
    memcpy(longer, bytes.ptr, bytes.len);
    kt_status(take(ken_str_n(longer, bytes.len + 1)), KEN_ECORRUPT);
    kt_has_str(err.msg, "follow its last block");
    ken_free(longer);
    release(bytes);
}

// A bundle of that header, with the sums it should have, and these blocks.
static ken_str compose(const char *header, ken_str blocks)
{
    ken_buf b = KEN_BUF_INIT(0);
    ken_buf_printf(&b, "ken bundle 1 %08zu %016llx\n%s\n", strlen(header),
                   (unsigned long long)ken_hash64(header, strlen(header)), header);
    ken_buf_put_str(&b, blocks);
    size_t n = b.len;
    return ken_str_n(ken_buf_steal(&b), n);
}

static ken_status take_composed(const char *header, ken_str blocks)
{
    ken_str bytes = compose(header, blocks);
    ken_status st = take(bytes);
    release(bytes);
    return st;
}

#define ZERO_SHA "0000000000000000000000000000000000000000000000000000000000000000"

KEN_TEST(a_bundle_that_would_fill_the_disk_is_refused_before_it_is_unpacked)
{
    kt_status(take_composed("{\"kind\":\"sqlite\",\"bytes\":1000000000000,\"sha256\":\"" ZERO_SHA
                            "\"}",
                            KEN_STR("")),
              KEN_ELIMIT);
    kt_has_str(err.msg, "more than 64 times");
    kt_status(take_composed("{\"kind\":\"sqlite\",\"bytes\":9000000000000000,\"sha256\":\"" ZERO_SHA
                            "\"}",
                            KEN_STR("")),
              KEN_ELIMIT);
}

KEN_TEST(a_frame_that_grows_beyond_its_block_is_refused)
{
    // What packs well beyond the ratio: a megabyte of zeros in a frame, said to be 100 bytes.
    ken_buf blocks = KEN_BUF_INIT(0);
    char *zeros = ken_zalloc(KEN_BUNDLE_BLOCK);
    write_bytes(ktest_path("plain"), ken_str_n(zeros, KEN_BUNDLE_BLOCK));
    const ken_bundle_info info = some_info();
    kt_ok(ken_bundle_write(ktest_path("plain"), &info, ktest_path("x.kenindex"), &no_job, NULL,
                           NULL));
    ken_str bytes = read_bytes(ktest_path("x.kenindex"));
    size_t at = ken_str_find(bytes, KEN_STR("}\n")) + 2;
    ken_buf_put(&blocks, bytes.ptr + at, bytes.len - at);
    ken_put32((uint8_t *)blocks.ptr, 100);
    kt_status(take_composed("{\"kind\":\"sqlite\",\"bytes\":100,\"sha256\":\"" ZERO_SHA "\"}",
                            ken_buf_str(&blocks)),
              KEN_ECORRUPT);
    kt_has_str(err.msg, "cannot be unpacked");
    ken_buf_release(&blocks);
    ken_free(zeros);
    release(bytes);
}

KEN_TEST(what_is_no_bundle_is_said_to_be_none)
{
    kt_status(take(KEN_STR("")), KEN_ECORRUPT);
    kt_has_str(err.msg, "no bundle");
    kt_status(take(KEN_STR("SQLite format 3")), KEN_ECORRUPT);
    kt_status(take(KEN_STR("ken bundle 2 00000010 0123456789abcdef\n{}\n")), KEN_EVERSION);
    kt_has_str(err.msg, "update ken");
    kt_status(take_composed("[1]", KEN_STR("")), KEN_ECORRUPT);
    kt_status(take_composed("{\"bytes\":\"many\"}", KEN_STR("")), KEN_ECORRUPT);
    kt_has_str(err.msg, "bytes");
    kt_status(take_composed("{\"bytes\":-1,\"sha256\":\"" ZERO_SHA "\"}", KEN_STR("")),
              KEN_ECORRUPT);
    kt_status(take_composed("{\"bytes\":10,\"sha256\":\"00\"}", KEN_STR("")), KEN_ECORRUPT);
    ken_bundle *b = NULL;
    kt_status(ken_bundle_open(ktest_path("nowhere"), &b, &err), KEN_ENOTFOUND);
    kt_status(ken_bundle_open(ktest_dir(), &b, &err), KEN_ECORRUPT);
}

static void cancel_at_once(void *ctx, uint64_t done, uint64_t total)
{
    (void)done;
    (void)total;
    ken_cancel_set(ctx);
}

KEN_TEST(a_bundle_that_was_cancelled_leaves_nothing)
{
    ken_cancel cancel = { 0 };
    const ken_bundle_job job = { cancel_at_once, &cancel, &cancel };
    ken_str bytes = make(3 * KEN_BUNDLE_BLOCK);
    kt_eq_i(unlink(ktest_path("x.kenindex")), 0);
    const ken_bundle_info info = some_info();
    kt_status(
        ken_bundle_write(ktest_path("plain"), &info, ktest_path("x.kenindex"), &job, NULL, &err),
        KEN_ECANCELLED);
    kt_false(ken_fs_exists(ktest_path("x.kenindex")));
    kt_eq_u(ken_fs_count_entries(ktest_dir()), 1); // the payload
    release(bytes);
}
