// SPDX-License-Identifier: MIT
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

static const size_t default_max = (size_t)256 << 20;

void ken_buf_release(ken_buf *b)
{
    ken_free(b->ptr);
    *b = (ken_buf){ .max = b->max };
}

void ken_buf_clear(ken_buf *b)
{
    b->len = 0;
    b->is_over = false;
    if (b->ptr)
        b->ptr[0] = '\0';
}

bool ken_buf_reserve(ken_buf *b, size_t n_more)
{
    size_t max = b->max ? b->max : default_max;
    if (b->len > max || n_more > max - b->len) {
        b->is_over = true;
        return false;
    }
    size_t need = b->len + n_more + 1;
    if (need <= b->cap)
        return true;
    size_t cap = b->cap ? b->cap * 2 : 256;
    if (cap < need)
        cap = need;
    if (cap > max + 1)
        cap = max + 1;
    char *p = ken_try_realloc(b->ptr, cap);
    if (!p) {
        b->is_over = true;
        return false;
    }
    b->ptr = p;
    b->cap = cap;
    return true;
}

void ken_buf_put(ken_buf *b, const void *data, size_t n)
{
    if (!ken_buf_reserve(b, n))
        return;
    if (n)
        memcpy(b->ptr + b->len, data, n);
    b->len += n;
    b->ptr[b->len] = '\0';
}

void ken_buf_put_str(ken_buf *b, ken_str s)
{
    ken_buf_put(b, s.ptr, s.len);
}

void ken_buf_puts(ken_buf *b, const char *s)
{
    ken_buf_put(b, s, strlen(s));
}

void ken_buf_putc(ken_buf *b, char c)
{
    ken_buf_put(b, &c, 1);
}

void ken_buf_printf(ken_buf *b, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    char small[256];
    int n = vsnprintf(small, sizeof small, fmt, ap);
    va_end(ap);
    if (n >= 0 && (size_t)n < sizeof small) {
        ken_buf_put(b, small, (size_t)n);
    } else if (n >= 0 && ken_buf_reserve(b, (size_t)n)) {
        vsnprintf(b->ptr + b->len, (size_t)n + 1, fmt, again);
        b->len += (size_t)n;
    }
    va_end(again);
}

void ken_buf_put_varint(ken_buf *b, uint64_t v)
{
    if (!ken_buf_reserve(b, 10))
        return;
    uint8_t *p = (uint8_t *)b->ptr + b->len;
    while (v >= 0x80) {
        *p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    b->len = (size_t)(p - (uint8_t *)b->ptr);
    b->ptr[b->len] = '\0';
}

ken_str ken_buf_str(const ken_buf *b)
{
    return (ken_str){ b->ptr ? b->ptr : "", b->len };
}

char *ken_buf_steal(ken_buf *b)
{
    char *p = b->ptr ? b->ptr : ken_strdup("");
    b->ptr = NULL;
    b->len = b->cap = 0;
    return p;
}
