// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "json/json.h"

// Values are counted with everything else, and refused like it (base/alloc.h).
KEN_CONSTRUCTOR static void use_our_memory(void)
{
    json_set_alloc_funcs(ken_alloc, ken_free);
}

// ---- a scanner that builds nothing -------------------------------------------------------------
// It finds where values end without recursion; it is lenient, for what it passes over is either
// parsed in full afterwards or reported as broken.

static size_t skip_space(ken_str t, size_t i)
{
    while (i < t.len &&
           (t.ptr[i] == ' ' || t.ptr[i] == '\t' || t.ptr[i] == '\n' || t.ptr[i] == '\r'))
        i++;
    return i;
}

// `i` at the opening quote; the position after the closing one, or SIZE_MAX.
static size_t skip_string(ken_str t, size_t i)
{
    for (i++; i < t.len; i++) {
        if (t.ptr[i] == '\\')
            i++;
        else if (t.ptr[i] == '"')
            return i + 1;
    }
    return SIZE_MAX;
}

// The position after the value at `i`, or SIZE_MAX. `*out_depth` is how deep it goes.
static size_t skip_value(ken_str t, size_t i, size_t *out_depth)
{
    size_t depth = 0;
    *out_depth = 0;
    while (i < t.len) {
        char c = t.ptr[i];
        if (c == '"') {
            i = skip_string(t, i);
            if (i == SIZE_MAX)
                return SIZE_MAX;
        } else if (c == '{' || c == '[') {
            depth++;
            if (depth > *out_depth)
                *out_depth = depth;
            i++;
        } else if (c == '}' || c == ']') {
            if (!depth)
                return i;
            depth--;
            i++;
        } else if (!depth && c == ',') {
            return i;
        } else {
            i++;
            if (depth || i >= t.len || !strchr(" \t\r\n,}]:\"{[", t.ptr[i]))
                continue;
        }
        if (!depth)
            return i;
    }
    return depth ? SIZE_MAX : i;
}

char ken_json_peek(ken_str text)
{
    size_t i = skip_space(text, 0);
    if (i == text.len)
        return 0;
    char c = text.ptr[i];
    if (c == '-' || ken_is_digit(c))
        return '0';
    return c && strchr("{[\"tfn", c) ? c : 0;
}

ken_str ken_json_find_raw(ken_str t, const char *key)
{
    const ken_str none = { NULL, 0 };
    size_t key_len = strlen(key), depth;
    size_t i = skip_space(t, 0);
    if (i == t.len || t.ptr[i] != '{')
        return none;
    i = skip_space(t, i + 1);
    while (i < t.len && t.ptr[i] == '"') {
        size_t name = i + 1, after = skip_string(t, i);
        if (after == SIZE_MAX)
            return none;
        bool is_it = after - 1 - name == key_len && !memcmp(t.ptr + name, key, key_len);
        i = skip_space(t, after);
        if (i == t.len || t.ptr[i] != ':')
            return none;
        i = skip_space(t, i + 1);
        size_t end = skip_value(t, i, &depth);
        if (end == SIZE_MAX || end == i)
            return none;
        if (is_it)
            return ken_str_trim(ken_str_sub(t, i, end));
        i = skip_space(t, end);
        if (i == t.len || t.ptr[i] != ',')
            return none;
        i = skip_space(t, i + 1);
    }
    return none;
}

// ---- numbers beyond the machine's --------------------------------------------------------------
// JSON does not bound them, jansson does. One that no machine type holds is out of every range that
// we ask for, so it becomes a number near it that can be held: texts stay as long as they were.

static size_t skip_digits(const char *p, size_t i, size_t end)
{
    while (i < end && ken_is_digit(p[i]))
        i++;
    return i;
}

// The position after the number that `p` is, 0 when it is none; *out_is_whole without '.' and 'e'.
static size_t number_end(const char *p, size_t n, bool *out_is_whole)
{
    size_t start = n && p[0] == '-', i = skip_digits(p, start, n);
    *out_is_whole = true;
    if (i == start || (p[start] == '0' && i > start + 1))
        return 0;
    if (i < n && p[i] == '.') {
        size_t at = i + 1;
        *out_is_whole = false;
        i = skip_digits(p, at, n);
        if (i == at)
            return 0;
    }
    if (i < n && (p[i] == 'e' || p[i] == 'E')) {
        size_t at = i + 1;
        *out_is_whole = false;
        at += at < n && (p[at] == '+' || p[at] == '-');
        i = skip_digits(p, at, n);
        if (i == at)
            return 0;
    }
    return i;
}

enum {
    EXPONENT_MAX = 100000, // larger ones are all the same
    REAL_DIGITS = 308,     // before the point, of a number that is surely held
};

// Digits before the point once the exponent is applied; 0 for what is smaller than 1.
static long magnitude(const char *p, size_t n)
{
    long at = 0, first = -1, point = -1, exponent = 0;
    bool is_negative = false;
    size_t i = p[0] == '-';
    for (; i < n && p[i] != 'e' && p[i] != 'E'; i++) {
        if (p[i] == '.') {
            point = at;
            continue;
        }
        if (first < 0 && p[i] != '0')
            first = at;
        at++;
    }
    for (i++; i < n; i++) {
        is_negative |= p[i] == '-';
        if (ken_is_digit(p[i]) && exponent < EXPONENT_MAX)
            exponent = exponent * 10 + (p[i] - '0');
    }
    long digits = (point < 0 ? at : point) - first + (is_negative ? -exponent : exponent);
    return first < 0 || digits < 0 ? 0 : digits;
}

static bool is_machine_integer(ken_str digits, bool is_negative)
{
    uint64_t v;
    return ken_str_parse_u64(digits, &v) && v <= (uint64_t)INT64_MAX + is_negative;
}

// `p`, of `n` bytes, is a number.
static void bring_into_range(char *p, size_t n, bool is_whole)
{
    size_t start = p[0] == '-';
    bool is_huge = magnitude(p, n) > REAL_DIGITS;
    if (is_huge) {
        memset(p + start, ' ', n - start);
        memcpy(p + start, "9e307", 5); // the shortest huge one is 1e308
    } else if (is_whole && !is_machine_integer(ken_str_n(p + start, n - start), start > 0)) {
        memcpy(p + n - 3, "e03", 3);
    }
}

static void bring_all_into_range(char *p, size_t n)
{
    for (size_t i = 0; i < n;) {
        bool is_whole;
        if (p[i] == '"') {
            i = skip_string(ken_str_n(p, n), i);
        } else if (p[i] == '-' || ken_is_digit(p[i])) {
            size_t len = number_end(p + i, n - i, &is_whole);
            if (!len)
                return; // not JSON
            bring_into_range(p + i, len, is_whole);
            i += len;
        } else {
            i++;
        }
    }
}

// ---- parsing -----------------------------------------------------------------------------------

static json_t *load(ken_str text, json_error_t *e)
{
    return json_loadb(text.len ? text.ptr : "", text.len,
                      JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, e);
}

static json_t *load_in_range(ken_str text, json_error_t *e)
{
    ken_buf copy = KEN_BUF_INIT(KEN_JSON_BYTES_MAX + 1);
    json_t *v = NULL;
    ken_buf_put_str(&copy, text);
    if (!copy.is_over) {
        bring_all_into_range(copy.ptr, copy.len);
        v = load(ken_buf_str(&copy), e);
    }
    ken_buf_release(&copy);
    return v;
}

ken_status ken_json_parse(ken_str text, json_t **out, ken_err *err)
{
    if (text.len > KEN_JSON_BYTES_MAX)
        return KEN_FAIL(err, KEN_ELIMIT, "JSON text of %zu bytes is over the limit of %d", text.len,
                        KEN_JSON_BYTES_MAX);
    size_t depth = 0;
    (void)skip_value(text, skip_space(text, 0), &depth);
    if (depth > KEN_JSON_DEPTH_MAX)
        return KEN_FAIL(err, KEN_ELIMIT, "JSON nests deeper than %d levels", KEN_JSON_DEPTH_MAX);
    json_error_t e;
    json_t *v = load(text, &e);
    if (!v && json_error_code(&e) == json_error_numeric_overflow)
        v = load_in_range(text, &e);
    if (!v) {
        char msg[sizeof e.text]; // it quotes the input, which may be anything
        size_t n = 0;
        for (const char *p = e.text; *p; p++)
            msg[n++] = *p >= 0x20 && *p < 0x7f ? *p : '?';
        msg[n] = '\0';
        return KEN_FAIL(err, KEN_EINVAL, "invalid JSON at byte %d: %s", e.position, msg);
    }
    *out = v;
    return KEN_OK;
}

// ---- typed reads -------------------------------------------------------------------------------

static const char *type_word(const json_t *v)
{
    switch (json_typeof(v)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a boolean";
    case JSON_NULL:
    default:
        return "null";
    }
}

static ken_status fail_type(const char *path, const char *key, const char *want, const json_t *v,
                            ken_err *err)
{
    return KEN_FAIL(err, KEN_EINVAL, "%s.%s must be %s, not %s", path, key, want, type_word(v));
}

ken_status ken_json_read_str(const json_t *object, const char *path, const char *key, ken_str *out,
                             ken_err *err)
{
    const json_t *v = json_object_get(object, key);
    if (!v || json_is_null(v))
        return KEN_OK;
    if (!json_is_string(v))
        return fail_type(path, key, "a string", v, err);
    *out = ken_json_text(v);
    return KEN_OK;
}

ken_status ken_json_read_bool(const json_t *object, const char *path, const char *key, bool *out,
                              ken_err *err)
{
    const json_t *v = json_object_get(object, key);
    if (!v || json_is_null(v))
        return KEN_OK;
    if (!json_is_boolean(v))
        return fail_type(path, key, "true or false", v, err);
    *out = json_is_true(v);
    return KEN_OK;
}

ken_status ken_json_read_u64(const json_t *object, const char *path, const char *key, uint64_t *out,
                             ken_err *err)
{
    const json_t *v = json_object_get(object, key);
    if (!v || json_is_null(v))
        return KEN_OK;
    double real = json_number_value(v);
    bool is_whole = json_is_integer(v) || (json_is_real(v) && floor(real) == real);
    if (!is_whole)
        return fail_type(path, key, "a whole number", v, err);
    if (real < 0)
        return KEN_FAIL(err, KEN_EINVAL, "%s.%s must not be negative", path, key);
    if (json_is_real(v) && real >= 9e15)
        return KEN_FAIL(err, KEN_EINVAL, "%s.%s is too large: %g", path, key, real);
    *out = json_is_integer(v) ? (uint64_t)json_integer_value(v) : (uint64_t)real;
    return KEN_OK;
}

const json_t *ken_json_get_object(const json_t *object, const char *key)
{
    const json_t *v = json_object_get(object, key);
    return json_is_object(v) ? v : NULL;
}

ken_str ken_json_text(const json_t *value)
{
    const char *text = json_string_value(value); // NULL when it is no string
    return text ? ken_str_n(text, json_string_length(value)) : (ken_str){ "", 0 };
}
