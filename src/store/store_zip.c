// SPDX-License-Identifier: MIT
#include <embed_store_dictionaries.h>

#define ZSTD_STATIC_LINKING_ONLY // ZSTD_estimateCDictSize
#include <zstd.h>

#include "base/alloc.h"
#include "store/store_zip_priv.h"

enum {
    BLOCK_LEVEL = 1,      // postings lose as much by it as by any other
    ALONE_LEVEL = 3,      // 1 keeps 3 % more, 9 a further 2 % less at twice the time
    DICTIONARY_LEVEL = 4, // 5 keeps 3 % less at twice the time
};

struct ken_zip {
    ZSTD_CCtx *packing; // all are made at first use
    ZSTD_DCtx *unpacking;
    ZSTD_CDict *packers[KEN_ZIP_DICTIONARIES];
    ZSTD_DDict *unpackers[KEN_ZIP_DICTIONARIES];
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
    for (int d = 0; d < KEN_ZIP_DICTIONARIES; d++) {
        ZSTD_freeCDict(z->packers[d]);
        ZSTD_freeDDict(z->unpackers[d]);
    }
    ken_buf_release(&z->plain);
    ken_free(z);
}

// ---- dictionaries ------------------------------------------------------------------------------

static ken_str dictionary_bytes(ken_zip_dictionary d)
{
    const void *p = d == KEN_ZIP_FACTS_1 ? ken_embed_store_dictionaries_facts_1_zdict
                                         : ken_embed_store_dictionaries_refs_1_zdict;
    size_t n = d == KEN_ZIP_FACTS_1 ? ken_embed_store_dictionaries_facts_1_zdict_len
                                    : ken_embed_store_dictionaries_refs_1_zdict_len;
    return ken_str_n(p, n);
}

// zstd 1.5.4 does not check whether it got the memory for a dictionary, so it is tested before.
static ZSTD_CDict *make_packer(ken_str bytes)
{
    void *room = ken_try_alloc(2 * ZSTD_estimateCDictSize(bytes.len, DICTIONARY_LEVEL));
    if (!room)
        return NULL;
    ken_free(room);
    return ZSTD_createCDict(bytes.ptr, bytes.len, DICTIONARY_LEVEL);
}

static const ZSTD_CDict *packer_of(ken_zip *z, ken_zip_dictionary d)
{
    if (d != KEN_ZIP_NONE && !z->packers[d])
        z->packers[d] = make_packer(dictionary_bytes(d));
    return z->packers[d];
}

static const ZSTD_DDict *unpacker_of(ken_zip *z, ken_zip_dictionary d)
{
    ken_str bytes = dictionary_bytes(d);
    if (d != KEN_ZIP_NONE && !z->unpackers[d])
        z->unpackers[d] = ZSTD_createDDict(bytes.ptr, bytes.len);
    return z->unpackers[d];
}

// ---- frames ------------------------------------------------------------------------------------

// A frame states neither the length of its content nor its dictionary: the caller knows both.
static bool get_ready(ken_zip *z, const ZSTD_CDict *dictionary, int level)
{
    if (!z->packing)
        z->packing = ZSTD_createCCtx();
    return z->packing &&
           !ZSTD_isError(ZSTD_CCtx_reset(z->packing, ZSTD_reset_session_and_parameters)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(z->packing, ZSTD_c_compressionLevel, level)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(z->packing, ZSTD_c_contentSizeFlag, 0)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(z->packing, ZSTD_c_dictIDFlag, 0)) &&
           !ZSTD_isError(ZSTD_CCtx_refCDict(z->packing, dictionary));
}

static bool squeeze(ken_zip *z, const ZSTD_CDict *dictionary, int level, ken_str plain,
                    ken_buf *out)
{
    size_t room = ZSTD_compressBound(plain.len), got = 0;
    if (get_ready(z, dictionary, level) && ken_buf_reserve(out, room))
        got = ZSTD_compress2(z->packing, out->ptr + out->len, room, plain.ptr, plain.len);
    if (!got || ZSTD_isError(got) || got >= plain.len || plain.len / KEN_ZIP_MAX_RATIO > got)
        return false;
    out->len += got;
    return true;
}

static bool take(ken_zip *z, const ZSTD_DDict *dictionary, ken_str frame, void *into, size_t n)
{
    if (!z->unpacking)
        z->unpacking = ZSTD_createDCtx();
    return z->unpacking && n <= (frame.len + 1) * KEN_ZIP_MAX_RATIO &&
           ZSTD_decompress_usingDDict(z->unpacking, into, n, frame.ptr, frame.len, dictionary) == n;
}

bool ken_zip_squeeze(ken_zip *z, ken_str plain, ken_buf *out)
{
    return squeeze(z, NULL, BLOCK_LEVEL, plain, out);
}

bool ken_zip_block(ken_zip *z, ken_str plain, ken_buf *out)
{
    ken_buf_clear(out);
    return ken_zip_squeeze(z, plain, out) && out->len < plain.len / 8 * 7;
}

bool ken_zip_take(ken_zip *z, ken_str frame, void *into, size_t n)
{
    return take(z, NULL, frame, into, n);
}

// ---- inside packed forms -----------------------------------------------------------------------

bool ken_zip__put(ken_zip *z, ken_zip_dictionary d, ken_str plain, ken_buf *out)
{
    size_t from = out->len;
    const ZSTD_CDict *packer = packer_of(z, d);
    if (d != KEN_ZIP_NONE && !packer)
        return false; // who reads it takes the dictionary
    ken_buf_put_varint(out, plain.len);
    if (squeeze(z, packer, ALONE_LEVEL, plain, out))
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

void ken_zip__get(ken_zip *z, ken_zip_dictionary d, ken_reader *r, void *into, size_t n)
{
    ken_str frame = ken_reader_text(r, ken_reader_left(r), "compressed bytes");
    if (!take(z, unpacker_of(z, d), frame, into, n))
        ken_reader_spoil(r, "compressed bytes");
}

ken_str ken_zip__borrow(ken_zip *z, ken_zip_dictionary d, ken_reader *r, size_t max)
{
    size_t n = ken_zip__size(r, max);
    ken_buf_clear(&z->plain);
    if (!ken_buf_reserve(&z->plain, n))
        ken_reader_spoil(r, "size");
    if (r->bad)
        return (ken_str){ "", 0 };
    ken_zip__get(z, d, r, z->plain.ptr, n);
    return r->bad ? (ken_str){ "", 0 } : ken_str_n(z->plain.ptr, n);
}
