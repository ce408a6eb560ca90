// SPDX-License-Identifier: MIT
#include <zstd.h>

#include "base/alloc.h"
#include "store/store_zip_priv.h"

struct ken_zip {
    ZSTD_CCtx *packing; // made at first use
    ZSTD_DCtx *unpacking;
    ken_buf plain;
};

ken_zip *ken_zip_new(void)
{
    return ken_zalloc(sizeof(ken_zip));
}

void ken_zip_free(ken_zip *z)
{
    if (!z)
        return;
    ZSTD_freeCCtx(z->packing);
    ZSTD_freeDCtx(z->unpacking);
    ken_buf_release(&z->plain);
    ken_free(z);
}

bool ken_zip_squeeze(ken_zip *z, ken_zip_level level, ken_str plain, ken_buf *out)
{
    size_t room = ZSTD_compressBound(plain.len), got = 0;
    if (!z->packing)
        z->packing = ZSTD_createCCtx();
    if (z->packing && ken_buf_reserve(out, room))
        got = ZSTD_compressCCtx(z->packing, out->ptr + out->len, room, plain.ptr, plain.len,
                                (int)level);
    if (!got || ZSTD_isError(got) || got >= plain.len || plain.len / KEN_ZIP_MAX_RATIO > got)
        return false;
    out->len += got;
    return true;
}

bool ken_zip_take(ken_zip *z, ken_str frame, void *into, size_t n)
{
    if (!z->unpacking)
        z->unpacking = ZSTD_createDCtx();
    return z->unpacking && n <= (frame.len + 1) * KEN_ZIP_MAX_RATIO &&
           ZSTD_decompressDCtx(z->unpacking, into, n, frame.ptr, frame.len) == n;
}

bool ken_zip__put(ken_zip *z, ken_str plain, ken_buf *out)
{
    size_t from = out->len;
    ken_buf_put_varint(out, plain.len);
    if (ken_zip_squeeze(z, KEN_ZIP_USUAL, plain, out))
        return true;
    out->len = from;
    return false;
}

size_t ken_zip__size(ken_reader *r, size_t max)
{
    size_t n = ken_reader_number(r, max, "size");
    if (n <= (ken_reader_left(r) + 1) * KEN_ZIP_MAX_RATIO)
        return n;
    ken_reader_spoil(r, "size");
    return 0;
}

void ken_zip__get(ken_zip *z, ken_reader *r, void *into, size_t n)
{
    ken_str frame = ken_reader_text(r, ken_reader_left(r), "compressed bytes");
    if (!ken_zip_take(z, frame, into, n))
        ken_reader_spoil(r, "compressed bytes");
}

ken_str ken_zip__borrow(ken_zip *z, ken_reader *r, size_t max)
{
    size_t n = ken_zip__size(r, max);
    ken_buf_clear(&z->plain);
    if (!ken_buf_reserve(&z->plain, n))
        ken_reader_spoil(r, "size");
    if (r->bad)
        return (ken_str){ "", 0 };
    ken_zip__get(z, r, z->plain.ptr, n);
    return r->bad ? (ken_str){ "", 0 } : ken_str_n(z->plain.ptr, n);
}
