// SPDX-License-Identifier: MIT
#include "base/id.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/assert.h"
#include "base/buf.h"
#include "base/hash.h"

void ken_random_into(void *out, size_t n)
{
    for (size_t got = 0; got < n;) {
        ssize_t more = getrandom((uint8_t *)out + got, n - got, 0);
        KEN_ASSERT(more > 0 || errno == EINTR);
        got += more > 0 ? (size_t)more : 0;
    }
}

ken_uuid ken_uuid_random(void)
{
    ken_uuid id;
    ken_random_into(id.bytes, sizeof id.bytes);
    id.bytes[6] = (uint8_t)((id.bytes[6] & 0x0f) | 0x40);
    id.bytes[8] = (uint8_t)((id.bytes[8] & 0x3f) | 0x80);
    return id;
}

ken_uuid ken_uuid_of(ken_str text)
{
    ken_sha256 h = ken_sha256_of(text.ptr, text.len);
    ken_uuid id;
    memcpy(id.bytes, h.bytes, sizeof id.bytes);
    return id;
}

ken_uuid ken_uuid_of_chunk(ken_str path, uint32_t index)
{
    ken_buf b = KEN_BUF_INIT(1 << 20);
    ken_buf_put_str(&b, path);
    ken_buf_printf(&b, "::chunk::%u", index);
    ken_uuid id = ken_uuid_of(ken_buf_str(&b));
    ken_buf_release(&b);
    return id;
}

void ken_uuid_format(ken_uuid id, char out[KEN_UUID_TEXT])
{
    static const uint8_t ends[] = { 4, 6, 8, 10, 16 };
    char *p = out;
    for (size_t part = 0, from = 0; part < sizeof ends; from = ends[part++]) {
        if (part)
            *p++ = '-';
        ken_hex_into(id.bytes + from, ends[part] - from, p);
        p += 2 * (ends[part] - from);
    }
}

bool ken_uuid_parse(ken_str text, ken_uuid *out)
{
    char hex[32];
    size_t n = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '-')
            continue;
        if (n == sizeof hex)
            return false;
        hex[n++] = text.ptr[i];
    }
    return ken_hex_parse(ken_str_n(hex, n), out->bytes, sizeof out->bytes);
}

bool ken_uuid_eq(ken_uuid a, ken_uuid b)
{
    return memcmp(a.bytes, b.bytes, sizeof a.bytes) == 0;
}

bool ken_is_object_id(ken_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (ken_hex_digit(text.ptr[i]) < 0 || ken_is_upper(text.ptr[i]))
            return false;
    return text.len == 40 || text.len == 64;
}
