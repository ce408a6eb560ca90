// SPDX-License-Identifier: MIT
// hash.h -- fast hashes for tables (XXH3), and SHA-256 for names of content.
#ifndef KEN_BASE_HASH_H
#define KEN_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"

typedef struct ken_sha256 {
    uint8_t bytes[32];
} ken_sha256;

// The first eight bytes, which are as good as any other 64 bits of it.
static inline uint64_t ken_sha256_short(const ken_sha256 *sha)
{
    uint64_t h;
    memcpy(&h, sha->bytes, sizeof h);
    return h;
}

// XXH3, 64 bits, fixed seed: the same on every machine, so it may be stored.
uint64_t ken_hash64(const void *data, size_t n);

static inline uint64_t ken_hash_str(ken_str s)
{
    return ken_hash64(s.ptr, s.len);
}

ken_sha256 ken_sha256_of(const void *data, size_t n);

// SHA-256 of what comes piece by piece.
typedef struct ken_hasher ken_hasher;
ken_hasher *ken_hasher_new(void);
void ken_hasher_add(ken_hasher *h, const void *data, size_t n);
ken_sha256 ken_hasher_end(ken_hasher *h); // frees it

ken_sha256 ken_hmac_sha256(ken_str key, ken_str data);
// Whether `n` bytes are the same, in a time that does not tell where they differ.
bool ken_is_same_secret(const void *a, const void *b, size_t n);

// Lower-case hexadecimal, NUL-terminated: `out` holds 2 * n + 1 chars.
void ken_hex_into(const uint8_t *data, size_t n, char *out);
bool ken_hex_parse(ken_str text, uint8_t *out, size_t n); // exactly 2 * n digits

#endif
