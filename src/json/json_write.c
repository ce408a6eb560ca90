// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "json/json.h"

#define REAL_FLAGS (JSON_ENCODE_ANY | JSON_REAL_PRECISION(6))

// Every answer is written once and sized several times, until it fits. Jansson's writer takes a text character by
// character through a callback, which was 40 % of the time of a search over HTTP; so texts are written here.

static size_t put(ken_buf *out, const void *bytes, size_t n)
{
    if (out)
        ken_buf_put(out, bytes, n);
    return n;
}

static bool is_special(unsigned char c)
{
    return c < 0x20 || c == '"' || c == '\\';
}

static size_t put_escape(ken_buf *out, unsigned char c)
{
    static const char digits[] = "0123456789ABCDEF";
    static const char letters[0x20] = {
        ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'
    };
    char letter = c < 0x20 ? letters[c] : (char)c;
    const char by_letter[] = { '\\', letter };
    const char by_code[] = { '\\', 'u', '0', '0', digits[c >> 4], digits[c & 15] };
    return letter ? put(out, by_letter, sizeof by_letter) : put(out, by_code, sizeof by_code);
}

// Valid UTF-8. `out` NULL: its size alone, as of what follows.
static size_t put_text(ken_buf *out, const char *text, size_t len)
{
    size_t n = put(out, "\"", 1), plain = 0;
    for (size_t i = 0; i < len; i++) {
        if (!is_special((unsigned char)text[i]))
            continue;
        n += put(out, text + plain, i - plain) + put_escape(out, (unsigned char)text[i]);
        plain = i + 1;
    }
    n += plain < len ? put(out, text + plain, len - plain) : 0; // an empty text may be NULL
    return n + put(out, "\"", 1);
}

static size_t put_integer(ken_buf *out, json_int_t v)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" JSON_INTEGER_FORMAT, v);
    return put(out, digits, (size_t)n);
}

static size_t put_real(ken_buf *out, const json_t *v)
{
    char digits[64];
    size_t n = json_dumpb(v, digits, sizeof digits, REAL_FLAGS);
    KEN_ASSERT(n && n <= sizeof digits); // reals of a json_t are finite
    return put(out, digits, n);
}

static size_t put_value(ken_buf *out, const json_t *v);

static size_t put_members(ken_buf *out, const json_t *object)
{
    json_t *o = (json_t *)(uintptr_t)object; // which an iterator only reads
    size_t n = put(out, "{", 1);
    for (void *it = json_object_iter(o); it; it = json_object_iter_next(o, it)) {
        const char *key = json_object_iter_key(it);
        n += n > 1 ? put(out, ",", 1) : 0;
        n += put_text(out, key, strlen(key)) + put(out, ":", 1);
        n += put_value(out, json_object_iter_value(it));
    }
    return n + put(out, "}", 1);
}

static size_t put_items(ken_buf *out, const json_t *array)
{
    size_t n = put(out, "[", 1);
    for (size_t i = 0; i < json_array_size(array); i++)
        n += (i ? put(out, ",", 1) : 0) + put_value(out, json_array_get(array, i));
    return n + put(out, "]", 1);
}

static size_t put_value(ken_buf *out, const json_t *v)
{
    switch (json_typeof(v)) {
    case JSON_OBJECT:
        return put_members(out, v);
    case JSON_ARRAY:
        return put_items(out, v);
    case JSON_STRING:
        return put_text(out, json_string_value(v), json_string_length(v));
    case JSON_INTEGER:
        return put_integer(out, json_integer_value(v));
    case JSON_REAL:
        return put_real(out, v);
    case JSON_TRUE:
        return put(out, "true", 4);
    case JSON_FALSE:
        return put(out, "false", 5);
    case JSON_NULL:
        break;
    }
    return put(out, "null", 4);
}

void ken_json_dump(const json_t *value, ken_buf *out)
{
    (void)put_value(out, value);
}

size_t ken_json_dump_size(const json_t *value)
{
    return put_value(NULL, value);
}

void ken_json_put_quoted(ken_buf *out, ken_str text)
{
    ken_buf fixed = KEN_BUF_INIT(0);
    if (!ken_utf8_is_valid(text)) {
        ken_utf8_repair(&fixed, text);
        text = ken_buf_str(&fixed);
    }
    (void)put_text(out, text.ptr, text.len);
    ken_buf_release(&fixed);
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
