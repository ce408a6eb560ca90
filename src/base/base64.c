// SPDX-License-Identifier: MIT
#include "base/base64.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

enum {
    DIGIT_BITS = 6
};

// The end of the text, before its NUL.
static char *encode(const void *data, size_t n, char *out)
{
    const uint8_t *p = data;
    unsigned bits = 0, n_bits = 0;
    for (size_t i = 0; i < n; i++) {
        bits = bits << 8 | p[i];
        for (n_bits += 8; n_bits >= DIGIT_BITS; n_bits -= DIGIT_BITS)
            *out++ = digits[bits >> (n_bits - DIGIT_BITS) & 63];
    }
    if (n_bits)
        *out++ = digits[bits << (DIGIT_BITS - n_bits) & 63];
    *out = '\0';
    return out;
}

void ken_base64url_into(const void *data, size_t n, char *out)
{
    encode(data, n, out);
}

void ken_base64_into(const void *data, size_t n, char *out)
{
    char *end = encode(data, n, out);
    for (char *p = out; p < end; p++)
        *p = *p == '-' ? '+' : *p == '_' ? '/' : *p;
    while ((end - out) % 4)
        *end++ = '=';
    *end = '\0';
}

static int digit_of(char c)
{
    const char *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

bool ken_base64url_parse(ken_str text, uint8_t *out, size_t max, size_t *out_n)
{
    unsigned bits = 0, n_bits = 0;
    size_t n = 0;
    if (text.len % 4 == 1 || text.len / 4 * 3 + (text.len % 4 * 3) / 4 > max)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        int d = digit_of(text.ptr[i]);
        if (d < 0)
            return false;
        bits = bits << DIGIT_BITS | (unsigned)d;
        n_bits += DIGIT_BITS;
        if (n_bits >= 8) {
            n_bits -= 8;
            out[n++] = (uint8_t)(bits >> n_bits);
        }
    }
    if (bits & ((1u << n_bits) - 1)) // two texts must not mean the same bytes
        return false;
    *out_n = n;
    return true;
}
