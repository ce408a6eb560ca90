// SPDX-License-Identifier: MIT
#include "base/utf8.h"

#include <string.h>

// RFC 3629, table 3-7 of the Unicode standard: no overlong forms, no surrogates, up to U+10FFFF.
size_t ken_utf8_next(ken_str s, uint32_t *out_code)
{
    if (!s.len)
        return 0;
    const unsigned char *p = (const unsigned char *)s.ptr;
    uint32_t c = p[0];
    if (c < 0x80) {
        *out_code = c;
        return 1;
    }
    size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    if (c < 0xc2 || c > 0xf4 || s.len < n)
        return 0;
    uint32_t code = c & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (p[i] & 0x3fu);
    }
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return 0;
    *out_code = code;
    return n;
}

bool ken_utf8_is_valid(ken_str s)
{
    while (s.len) {
        if (s.len >= 8) {
            uint64_t word;
            memcpy(&word, s.ptr, 8);
            if (!(word & 0x8080808080808080u)) {
                s = ken_str_sub(s, 8, s.len);
                continue;
            }
        }
        uint32_t code;
        size_t n = ken_utf8_next(s, &code);
        if (!n)
            return false;
        s = ken_str_sub(s, n, s.len);
    }
    return true;
}

bool ken_utf8_is_printable(ken_str s, const char *spared)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if ((c < ' ' || c == 0x7f) && !(c && strchr(spared, c)))
            return false;
    }
    return ken_utf8_is_valid(s);
}

void ken_utf8_repair(ken_buf *out, ken_str s)
{
    size_t good = 0;
    for (size_t i = 0; i < s.len;) {
        uint32_t code;
        size_t n = ken_utf8_next(ken_str_sub(s, i, s.len), &code);
        if (n) {
            i += n;
            continue;
        }
        ken_buf_put(out, s.ptr + good, i - good);
        ken_buf_puts(out, "\xef\xbf\xbd");
        good = ++i;
    }
    if (s.len > good)
        ken_buf_put(out, s.ptr + good, s.len - good);
}

void ken_utf8_put_plain(ken_buf *out, ken_str s)
{
    size_t from = out->len;
    if (ken_utf8_is_valid(s))
        ken_buf_put_str(out, s);
    else
        ken_utf8_repair(out, s);
    for (size_t i = from; i < out->len; i++)
        if (!out->ptr[i])
            out->ptr[i] = ' ';
}

size_t ken_utf8_count(ken_str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++)
        n += ((unsigned char)s.ptr[i] & 0xc0) != 0x80;
    return n;
}

ken_str ken_utf8_clip(ken_str s, size_t max_bytes)
{
    if (s.len <= max_bytes)
        return s;
    size_t n = max_bytes;
    for (int back = 0; back < 3 && n && ((unsigned char)s.ptr[n] & 0xc0) == 0x80; back++)
        n--;
    return ken_str_sub(s, 0, n);
}
