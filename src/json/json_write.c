// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/assert.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "json/json.h"

#define DUMP_FLAGS (JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(6))

static int put_chunk(const char *text, size_t len, void *ctx)
{
    ken_buf_put(ctx, text, len);
    return 0;
}

void ken_json_dump(const json_t *value, ken_buf *out)
{
    // Strings of a json_t are valid UTF-8 and its reals finite, so that this cannot fail.
    int rc = json_dump_callback(value, put_chunk, out, DUMP_FLAGS);
    KEN_ASSERT(rc == 0);
}

size_t ken_json_dump_size(const json_t *value)
{
    return json_dumpb(value, NULL, 0, DUMP_FLAGS);
}

static void put_escape(ken_buf *out, unsigned char c)
{
    switch (c) {
    case '"':
        ken_buf_puts(out, "\\\"");
        return;
    case '\\':
        ken_buf_puts(out, "\\\\");
        return;
    case '\n':
        ken_buf_puts(out, "\\n");
        return;
    case '\r':
        ken_buf_puts(out, "\\r");
        return;
    case '\t':
        ken_buf_puts(out, "\\t");
        return;
    default:
        ken_buf_printf(out, "\\u%04x", c);
        return;
    }
}

void ken_json_put_quoted(ken_buf *out, ken_str text)
{
    ken_buf_putc(out, '"');
    size_t plain = 0, i = 0;
    while (i < text.len) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c >= 0x20 && c < 0x80 && c != '"' && c != '\\') {
            i++;
            continue;
        }
        uint32_t code;
        size_t n = c < 0x80 ? 0 : ken_utf8_next(ken_str_sub(text, i, text.len), &code);
        if (n) {
            i += n;
            continue;
        }
        if (i > plain)
            ken_buf_put(out, text.ptr + plain, i - plain);
        if (c < 0x80)
            put_escape(out, c);
        else
            ken_buf_puts(out, "\xef\xbf\xbd");
        plain = ++i;
    }
    if (i > plain)
        ken_buf_put(out, text.ptr + plain, i - plain);
    ken_buf_putc(out, '"');
}

json_t *ken_json_str(ken_str text)
{
    json_t *v;
    if (ken_utf8_is_valid(text)) {
        v = json_stringn_nocheck(text.len ? text.ptr : "", text.len);
    } else {
        ken_buf fixed = KEN_BUF_INIT(0);
        ken_utf8_repair(&fixed, text);
        v = json_stringn_nocheck(fixed.ptr ? fixed.ptr : "", fixed.len);
        ken_buf_release(&fixed);
    }
    KEN_ASSERT(v);
    return v;
}

void ken_json_set(json_t *object, const char *key, json_t *value)
{
    int rc = json_object_set_new(object, key, value ? value : json_null());
    KEN_ASSERT(rc == 0);
}

void ken_json_set_str(json_t *object, const char *key, ken_str text)
{
    ken_json_set(object, key, ken_json_str(text));
}

void ken_json_set_u64(json_t *object, const char *key, uint64_t v)
{
    ken_json_set(object, key, json_integer((json_int_t)(v > INT64_MAX ? INT64_MAX : v)));
}

void ken_json_set_bool(json_t *object, const char *key, bool v)
{
    ken_json_set(object, key, json_boolean(v));
}

void ken_json_set_real(json_t *object, const char *key, double v)
{
    ken_json_set(object, key, isfinite(v) ? json_real(v) : json_null());
}

void ken_json_set_time(json_t *object, const char *key, int64_t wall_ms)
{
    char text[KEN_TIME_TEXT];
    if (!wall_ms) {
        ken_json_set(object, key, NULL);
        return;
    }
    ken_clock_format(wall_ms, text);
    ken_json_set_str(object, key, ken_str_c(text));
}

void ken_json_set_time_ms(json_t *object, const char *key, int64_t wall_ms)
{
    char text[KEN_TIME_MS_TEXT];
    ken_clock_format_ms(wall_ms, text);
    ken_json_set(object, key, wall_ms ? ken_json_str(ken_str_c(text)) : NULL);
}

void ken_json_append(json_t *array, json_t *value)
{
    int rc = json_array_append_new(array, value);
    KEN_ASSERT(rc == 0);
}
