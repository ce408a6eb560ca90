// SPDX-License-Identifier: MIT
// Packing: the payload is read twice, for the hash in the header and for the blocks.
#include <stdio.h>
#include <unistd.h>

#include <zstd.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "bundle/bundle_priv.h"

enum {
    LEVEL = 9, // made once, fetched by many
};

typedef struct writer {
    int in, out;
    const ken_bundle_job *job;
    ken_bundle_info info;
    char *plain, *packed; // a block, and the room for its head and frame
    size_t packed_bytes;
    ZSTD_CCtx *zip;
    uint64_t n_written;
} writer;

static ken_status hash_payload(writer *w, ken_err *err)
{
    ken_hasher *h = ken_hasher_new();
    ken_status st = KEN_OK;
    w->info.n_bytes = 0;
    while (!st) {
        size_t n = ken_fs_read_at(w->in, w->info.n_bytes, w->plain, KEN_BUNDLE_BLOCK);
        if (!n)
            break;
        ken_hasher_add(h, w->plain, n);
        w->info.n_bytes += n;
        st = ken_cancel_check(w->job->cancel, err);
    }
    w->info.sha = ken_hasher_end(h);
    if (!st && (!w->info.n_bytes || w->info.n_bytes > KEN_BUNDLE_PAYLOAD_MAX))
        st = KEN_FAIL(err, KEN_ELIMIT, "%llu bytes cannot be packed",
                      (unsigned long long)w->info.n_bytes);
    return st;
}

static ken_status put(writer *w, ken_str bytes, ken_err *err)
{
    ken_status st = ken_fs_append(w->out, bytes, err);
    w->n_written += st ? 0 : bytes.len;
    return st;
}

static ken_status put_block(writer *w, uint64_t at, ken_err *err)
{
    uint64_t left = w->info.n_bytes - at;
    size_t want = left < KEN_BUNDLE_BLOCK ? (size_t)left : KEN_BUNDLE_BLOCK;
    uint8_t *head = (uint8_t *)w->packed;
    if (ken_fs_read_at(w->in, at, w->plain, want) != want)
        return KEN_FAIL(err, KEN_EIO, "what is packed has become shorter");
    size_t n = ZSTD_compressCCtx(w->zip, w->packed + BUNDLE_HEAD, w->packed_bytes - BUNDLE_HEAD,
                                 w->plain, want, LEVEL);
    if (ZSTD_isError(n))
        return KEN_FAIL(err, KEN_ENOMEM, "packing: %s", ZSTD_getErrorName(n));
    ken_put32(head, (uint32_t)want);
    ken_put32(head + 4, (uint32_t)n);
    ken_put64(head + 8, ken_hash64(w->packed + BUNDLE_HEAD, n));
    return put(w, ken_str_n(w->packed, BUNDLE_HEAD + n), err);
}

static ken_status put_all(writer *w, ken_err *err)
{
    ken_buf header = KEN_BUF_INIT(2 * KEN_BUNDLE_HEADER_MAX);
    ken_bundle__put_header(&w->info, &header);
    ken_status st = header.is_over ? KEN_FAIL(err, KEN_ELIMIT, "the header is too large")
                                   : put(w, ken_buf_str(&header), err);
    ken_buf_release(&header);
    for (uint64_t at = 0; at < w->info.n_bytes && !st; at += KEN_BUNDLE_BLOCK) {
        st = put_block(w, at, err);
        if (!st)
            st = ken_cancel_check(w->job->cancel, err);
        if (!st && w->job->on_progress)
            w->job->on_progress(w->job->progress_ctx, at, w->info.n_bytes);
    }
    return st ? st : ken_fs_sync(w->out, err);
}

static ken_status write_to(writer *w, const char *tmp, const char *path, ken_err *err)
{
    ken_status st = ken_fs_remove(tmp, err);
    if (!st)
        st = ken_fs_create_own(tmp, &w->out, err);
    if (!st)
        st = put_all(w, err);
    if (!st)
        st = ken_fs_rename(tmp, path, err);
    if (!st)
        st = ken_fs_sync_name(path, err);
    ken_fs_close(w->out);
    if (st && w->out >= 0) {
        bool is_left = ken_fs_remove(tmp, NULL) != KEN_OK;
        (void)is_left;
    }
    return st;
}

ken_status ken_bundle_write(const char *payload, const ken_bundle_info *info, const char *path,
                            const ken_bundle_job *job, uint64_t *out_bytes, ken_err *err)
{
    ken_buf tmp = KEN_BUF_INIT(64 * 1024);
    writer w = { .in = -1, .out = -1, .job = job, .info = *info };
    w.packed_bytes = BUNDLE_HEAD + ZSTD_compressBound(KEN_BUNDLE_BLOCK);
    w.plain = ken_alloc(KEN_BUNDLE_BLOCK);
    w.packed = ken_alloc(w.packed_bytes);
    w.zip = ZSTD_createCCtx();
    ken_buf_printf(&tmp, "%s.%d.tmp", path, (int)getpid());
    ken_status st = w.zip ? ken_fs_open_own(payload, &w.in, err)
                          : KEN_FAIL(err, KEN_ENOMEM, "packing '%s'", path);
    if (!st)
        st = hash_payload(&w, err);
    if (!st)
        st = tmp.is_over ? KEN_FAIL(err, KEN_EINVAL, "the path of the bundle is too long")
                         : write_to(&w, tmp.ptr, path, err);
    ken_fs_close(w.in);
    ZSTD_freeCCtx(w.zip);
    ken_free(w.plain);
    ken_free(w.packed);
    ken_buf_release(&tmp);
    if (!st && out_bytes)
        *out_bytes = w.n_written;
    return st;
}
