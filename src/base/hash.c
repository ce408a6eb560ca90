// SPDX-License-Identifier: MIT
#include "base/hash.h"

#include <limits.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/alloc.h"

uint64_t ken_hash64(const void *data, size_t n)
{
    return XXH3_64bits(data, n);
}

ken_sha256 ken_sha256_of(const void *data, size_t n)
{
    ken_sha256 out;
    SHA256(data, n, out.bytes);
    return out;
}

ken_sha256 ken_hmac_sha256(ken_str key, ken_str data)
{
    ken_sha256 out, hashed;
    if (key.len > INT_MAX) { // as the definition has it for keys that are longer than a block
        hashed = ken_sha256_of(key.ptr, key.len);
        key = ken_str_n((const char *)hashed.bytes, sizeof hashed.bytes);
    }
    if (!HMAC(EVP_sha256(), key.len ? key.ptr : "", (int)key.len, (const uint8_t *)data.ptr,
              data.len, out.bytes, NULL))
        ken_alloc_fail(0);
    return out;
}

bool ken_is_same_secret(const void *a, const void *b, size_t n)
{
    return CRYPTO_memcmp(a, b, n) == 0;
}

// The type is OpenSSL's own; it fails only for want of memory.
ken_hasher *ken_hasher_new(void)
{
    EVP_MD_CTX *c = EVP_MD_CTX_new();
    if (!c || !EVP_DigestInit_ex(c, EVP_sha256(), NULL))
        ken_alloc_fail(0);
    return (ken_hasher *)c;
}

void ken_hasher_add(ken_hasher *h, const void *data, size_t n)
{
    if (!EVP_DigestUpdate((EVP_MD_CTX *)h, data, n))
        ken_alloc_fail(0);
}

ken_sha256 ken_hasher_end(ken_hasher *h)
{
    ken_sha256 out;
    if (!EVP_DigestFinal_ex((EVP_MD_CTX *)h, out.bytes, NULL))
        ken_alloc_fail(0);
    EVP_MD_CTX_free((EVP_MD_CTX *)h);
    return out;
}

void ken_hex_into(const uint8_t *data, size_t n, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++) {
        out[2 * i] = digits[data[i] >> 4];
        out[2 * i + 1] = digits[data[i] & 15];
    }
    out[2 * n] = '\0';
}

bool ken_hex_parse(ken_str text, uint8_t *out, size_t n)
{
    if (text.len != 2 * n)
        return false;
    for (size_t i = 0; i < n; i++) {
        int hi = ken_hex_digit(text.ptr[2 * i]), lo = ken_hex_digit(text.ptr[2 * i + 1]);
        if (hi < 0 || lo < 0)
            return false;
        out[i] = (uint8_t)(hi << 4 | lo);
    }
    return true;
}
