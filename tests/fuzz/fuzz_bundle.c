// SPDX-License-Identifier: MIT
// fuzz_bundle -- a bundle that somebody sent.
//
// The input is a bundle, or (first byte 0) the parts of one: two bytes with the length of the header, the
// header, then blocks, each with two bytes for the length of its payload, two for that of its frame, and
// the frame; the target makes the sums. Whatever it is, it is refused with a reason, or what comes
// out has the size that the header says. Nothing is left of what was refused.
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/fs.h"
#include "bundle/bundle.h"
#include "fuzz_temp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    MAX_INPUT = 1 << 18
};

static size_t take16(ken_str *rest)
{
    if (rest->len < 2) {
        rest->len = 0;
        return 0;
    }
    size_t n = (uint8_t)rest->ptr[0] | (size_t)(uint8_t)rest->ptr[1] << 8;
    *rest = ken_str_sub(*rest, 2, rest->len);
    return n;
}

static void compose(ken_str rest, ken_buf *out)
{
    size_t n = take16(&rest);
    ken_str header = ken_str_sub(rest, 0, n);
    rest = ken_str_sub(rest, header.len, rest.len);
    ken_buf_printf(out, "ken bundle 1 %08zu %016llx\n", header.len,
                   (unsigned long long)ken_hash_str(header));
    ken_buf_put_str(out, header);
    ken_buf_putc(out, '\n');
    while (rest.len) {
        uint8_t head[16];
        size_t n_plain = take16(&rest), n_packed = take16(&rest);
        ken_str frame = ken_str_sub(rest, 0, n_packed);
        rest = ken_str_sub(rest, frame.len, rest.len);
        ken_put32(head, n_plain == 0xffff ? KEN_BUNDLE_BLOCK : (uint32_t)n_plain);
        ken_put32(head + 4, (uint32_t)frame.len);
        ken_put64(head + 8, ken_hash_str(frame));
        ken_buf_put(out, head, sizeof head);
        ken_buf_put_str(out, frame);
    }
}

static void write_file(const char *path, ken_str bytes)
{
    FILE *f = fopen(path, "wb");
    KEN_ASSERT(f && fwrite(bytes.ptr, 1, bytes.len, f) == bytes.len);
    KEN_ASSERT(!fclose(f));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char in[64], out[64];
    const ken_bundle_job job = { 0 };
    ken_bundle *b = NULL;
    ken_err err = { 0 };
    ken_fs_info info;
    if (size > MAX_INPUT)
        return 0;
    if (!in[0]) {
        const char *dir = fuzz_temp_make();
        snprintf(in, sizeof in, "%s/in", dir);
        snprintf(out, sizeof out, "%s/out", dir);
    }
    ken_str input = ken_str_n((const char *)data, size);
    ken_buf made = KEN_BUF_INIT(0);
    if (size && !data[0])
        compose(ken_str_sub(input, 1, size), &made);
    write_file(in, made.len ? ken_buf_str(&made) : input);
    ken_buf_release(&made);
    ken_status st = ken_bundle_open(in, &b, &err);
    if (!st)
        st = ken_bundle_unpack(b, out, &job, &err);
    KEN_ASSERT(!st || err.msg[0]);
    KEN_ASSERT(ken_fs_exists(out) == !st);
    if (!st) {
        KEN_ASSERT(!ken_fs_stat(KEN_FS_CWD, out, &info, NULL));
        KEN_ASSERT(info.stamp.size == ken_bundle_info_of(b)->n_bytes);
        KEN_ASSERT(!ken_fs_remove(out, NULL));
    }
    ken_bundle_close(b);
    return 0;
}
