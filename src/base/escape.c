// SPDX-License-Identifier: MIT
#include "base/escape.h"

void ken_put_quoted(ken_buf *out, ken_str s)
{
    ken_buf_putc(out, '"');
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (c == '"' || c == '\\')
            ken_buf_putc(out, '\\');
        if (c < ' ' || c == 0x7f)
            ken_buf_printf(out, "\\u%04x", c);
        else
            ken_buf_putc(out, (char)c);
    }
    ken_buf_putc(out, '"');
}

bool ken_percent_at(ken_str text, size_t i, char *out)
{
    bool is_whole = i + 2 < text.len && text.ptr[i] == '%';
    int high = is_whole ? ken_hex_digit(text.ptr[i + 1]) : -1;
    int low = is_whole ? ken_hex_digit(text.ptr[i + 2]) : -1;
    if (high < 0 || low < 0)
        return false;
    *out = (char)(high * 16 + low);
    return true;
}
