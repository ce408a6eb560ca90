// SPDX-License-Identifier: MIT
// fuzz_store -- an index with damaged bytes, opened and asked everything.
//
// The input is a list of changes to a small index that is made at the start, so that a few bytes
// reach any table: a flag byte (1 = open for writing, 2 = cut the file, 4 = stay in the first
// pages), then four bytes each: where (24 bits, wrapped), what. The first one after a cut says how
// long it is. Nothing may crash or hang, and what fails must say why.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../conformance/store/store_scenario.h"
#include "base/assert.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    IS_WRITE = 1,
    IS_CUT = 2,
    IS_NEAR = 4,
    NEAR_BYTES = 14 * 8192
};

static char dir[64], path[96], log_path[100], shm_path[100];
static char *whole, *copy;
static size_t whole_len;

static void remove_folder(void)
{
    (void)unlink(path);
    (void)unlink(log_path);
    (void)unlink(shm_path);
    (void)rmdir(dir);
}

static void make_whole(void)
{
    snprintf(dir, sizeof dir, "/tmp/ken-fuzz-XXXXXX");
    KEN_ASSERT(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/p.db", dir);
    snprintf(log_path, sizeof log_path, "%s-wal", path);
    snprintf(shm_path, sizeof shm_path, "%s-shm", path);
    KEN_ASSERT(!atexit(remove_folder));
    ken_store *s = NULL;
    KEN_ASSERT(!ken_store_open(&(ken_store_opts){ .path = path }, &s, NULL));
    KEN_ASSERT(!scn_write(s, 1, NULL));
    ken_store_close(s);
    ken_buf b = { 0 };
    KEN_ASSERT(!ken_fs_read_own(path, (size_t)64 << 20, &b, NULL));
    whole_len = b.len;
    whole = ken_buf_steal(&b);
    copy = ken_alloc(whole_len);
}

static void write_file(size_t n)
{
    (void)unlink(log_path);
    (void)unlink(shm_path);
    FILE *f = fopen(path, "wb");
    KEN_ASSERT(f && fwrite(copy, 1, n, f) == n);
    KEN_ASSERT(fclose(f) == 0);
}

static void use(bool is_write)
{
    ken_err err = { 0 };
    ken_store *s = NULL;
    const ken_store_opts opts = { .path = path, .is_read_only = !is_write, .busy_ms = 10 };
    if (ken_store_open(&opts, &s, &err)) {
        KEN_ASSERT(err.msg[0]);
        return;
    }
    uint64_t g;
    const char *wrong;
    (void)!scn_check(s, &g, &wrong, &err);
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_skip_row *skips;
    size_t n;
    (void)!ken_store_load_skips(s, KEN_SKIP_NONE, 100, &arena, &skips, &n, &err);
    ken_status st = ken_store_verify(s, &err);
    KEN_ASSERT(!st || err.msg[0]);
    if (is_write)
        (void)!scn_write(s, 2, &err);
    ken_arena_release(&arena);
    ken_store_close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!whole)
        make_whole();
    if (size < 1 || size > 4000)
        return 0;
    const unsigned flags = data[0];
    size_t len = whole_len, range = flags & IS_NEAR ? NEAR_BYTES : whole_len;
    memcpy(copy, whole, whole_len);
    bool is_length = flags & IS_CUT;
    for (size_t i = 1; i + 4 <= size; i += 4) {
        size_t at = (size_t)data[i] | (size_t)data[i + 1] << 8 | (size_t)data[i + 2] << 16;
        if (is_length)
            len = at % (whole_len + 1);
        else
            copy[at % range] = (char)data[i + 3];
        is_length = false;
    }
    write_file(len);
    use(flags & IS_WRITE);
    return 0;
}
