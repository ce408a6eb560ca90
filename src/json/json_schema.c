// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>

#include "base/utf8.h"
#include "json/json.h"

enum {
    PATH_MAX_CHARS = 160,
    NAME_MAX_CHARS = 64
};

// Keywords that check something, then those that only describe.
static const char *const checked_words[] = {
    "type",
    "enum",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "items",
    "properties",
    "required",
    "additionalProperties",
    "maxItems",
};
static const char *const silent_words[] = { "title", "description", "default", "examples" };

static bool is_one_of(const char *word, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!strcmp(word, words[i]))
            return true;
    }
    return false;
}

// jansson's iterators do not change the object, but are not declared so.
static void *first_of(const json_t *object)
{
    return json_object_iter((json_t *)(uintptr_t)object);
}

static void *next_of(const json_t *object, void *it)
{
    return json_object_iter_next((json_t *)(uintptr_t)object, it);
}

// ---- names that are nearly right ---------------------------------------------------------------

// Levenshtein distance with swaps of neighbours, over lower-cased ASCII without '_' and '-'.
static size_t fold_name(ken_str name, char out[NAME_MAX_CHARS])
{
    size_t n = 0;
    for (size_t i = 0; i < name.len && n < NAME_MAX_CHARS; i++) {
        if (name.ptr[i] != '_' && name.ptr[i] != '-')
            out[n++] = ken_lower(name.ptr[i]);
    }
    return n;
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned m = a < b ? a : b;
    return m < c ? m : c;
}

static unsigned name_distance(ken_str x, ken_str y)
{
    char a[NAME_MAX_CHARS], b[NAME_MAX_CHARS];
    size_t na = fold_name(x, a), nb = fold_name(y, b);
    unsigned rows[3][NAME_MAX_CHARS + 1];
    unsigned *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= nb; j++)
        last[j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned cost = a[i - 1] == b[j - 1] ? 0 : 1;
            now[j] = min3(last[j] + 1, now[j - 1] + 1, last[j - 1] + cost);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < now[j])
                now[j] = before[j - 2] + 1;
        }
        unsigned *swap = before;
        before = last;
        last = now;
        now = swap;
    }
    return last[nb];
}

const char *ken_json_nearest_key(const json_t *object, ken_str name)
{
    const char *best = NULL;
    unsigned best_distance = UINT32_MAX;
    if (!name.len || name.len > NAME_MAX_CHARS)
        return NULL;
    for (void *it = first_of(object); it; it = next_of(object, it)) {
        const char *key = json_object_iter_key(it);
        ken_str known = ken_str_c(key);
        unsigned d = name_distance(name, known);
        // "path" for "repo_path": one name inside the other counts as near.
        bool is_part = name.len >= 4 && (ken_str_find(known, name) != SIZE_MAX ||
                                         (known.len >= 4 && ken_str_find(name, known) != SIZE_MAX));
        if (is_part && d > 2)
            d = 2;
        if (d < best_distance && (is_part || d <= 1 + known.len / 4)) {
            best_distance = d;
            best = key;
        }
    }
    return best;
}

// ---- checking a value --------------------------------------------------------------------------

static bool has_type(const json_t *v, const char *type)
{
    if (!strcmp(type, "string"))
        return json_is_string(v);
    if (!strcmp(type, "integer"))
        return json_is_integer(v) ||
               (json_is_real(v) && floor(json_real_value(v)) == json_real_value(v));
    if (!strcmp(type, "number"))
        return json_is_number(v);
    if (!strcmp(type, "boolean"))
        return json_is_boolean(v);
    if (!strcmp(type, "array"))
        return json_is_array(v);
    if (!strcmp(type, "object"))
        return json_is_object(v);
    return !strcmp(type, "null") && json_is_null(v);
}

// A value as it looks in a message: short, one line, valid UTF-8.
static const char *show(const json_t *v, char out[48])
{
    ken_buf b = KEN_BUF_INIT(1 << 20);
    ken_json_dump(v, &b);
    ken_str text = ken_utf8_clip(ken_buf_str(&b), 40);
    snprintf(out, 48, KEN_STR_FMT "%s", KEN_STR_ARG(text), text.len < b.len ? "…" : "");
    ken_buf_release(&b);
    return out;
}

static ken_status check_type(const json_t *schema, const json_t *v, const char *path, ken_err *err)
{
    const json_t *type = json_object_get(schema, "type");
    char shown[48];
    if (json_is_string(type) && !has_type(v, json_string_value(type)))
        return KEN_FAIL(err, KEN_EINVAL, "%s: %s is not of type %s", path, show(v, shown),
                        json_string_value(type));
    if (!json_is_array(type))
        return KEN_OK;
    for (size_t i = 0; i < json_array_size(type); i++) {
        if (has_type(v, json_string_value(json_array_get(type, i))))
            return KEN_OK;
    }
    return KEN_FAIL(err, KEN_EINVAL, "%s: %s has the wrong type", path, show(v, shown));
}

static ken_status check_enum(const json_t *schema, const json_t *v, const char *path, ken_err *err)
{
    const json_t *words = json_object_get(schema, "enum");
    char shown[48];
    if (!words)
        return KEN_OK;
    ken_buf list = KEN_BUF_INIT(240);
    for (size_t i = 0; i < json_array_size(words); i++) {
        const json_t *word = json_array_get(words, i);
        if (json_equal(word, v)) {
            ken_buf_release(&list);
            return KEN_OK;
        }
        if (i)
            ken_buf_puts(&list, ", ");
        if (json_is_string(word))
            ken_buf_puts(&list, json_string_value(word));
        else
            ken_json_dump(word, &list);
    }
    ken_status st = KEN_FAIL(err, KEN_EINVAL, "%s: %s is none of %s", path, show(v, shown),
                             list.ptr ? list.ptr : "");
    ken_buf_release(&list);
    return st;
}

static ken_status check_number(const json_t *schema, const json_t *v, const char *path,
                               ken_err *err)
{
    const json_t *low = json_object_get(schema, "minimum");
    const json_t *high = json_object_get(schema, "maximum");
    char shown[48], bound[48];
    if (low && json_number_value(v) < json_number_value(low))
        return KEN_FAIL(err, KEN_EINVAL, "%s: %s is under %s", path, show(v, shown),
                        show(low, bound));
    if (high && json_number_value(v) > json_number_value(high))
        return KEN_FAIL(err, KEN_EINVAL, "%s: %s is over %s", path, show(v, shown),
                        show(high, bound));
    return KEN_OK;
}

static ken_status check_length(const json_t *schema, const char *low_word, const char *high_word,
                               size_t n, const char *unit, const char *path, ken_err *err)
{
    const json_t *low = json_object_get(schema, low_word);
    const json_t *high = json_object_get(schema, high_word);
    if (low && (json_int_t)n < json_integer_value(low)) {
        if (n == 0)
            return KEN_FAIL(err, KEN_EINVAL, "%s must not be empty", path);
        return KEN_FAIL(err, KEN_EINVAL, "%s: %zu %s are fewer than %lld", path, n, unit,
                        (long long)json_integer_value(low));
    }
    if (high && (json_int_t)n > json_integer_value(high))
        return KEN_FAIL(err, KEN_EINVAL, "%s: %zu %s are more than %lld", path, n, unit,
                        (long long)json_integer_value(high));
    return KEN_OK;
}

static ken_status check_array(const json_t *schema, const json_t *v, const char *path, ken_err *err)
{
    ken_status st =
        check_length(schema, "minItems", "maxItems", json_array_size(v), "items", path, err);
    const json_t *items = json_object_get(schema, "items");
    for (size_t i = 0; !st && items && i < json_array_size(v); i++) {
        char sub[PATH_MAX_CHARS];
        snprintf(sub, sizeof sub, "%s[%zu]", path, i);
        st = ken_json_check(items, json_array_get(v, i), sub, err);
    }
    return st;
}

static ken_status fail_unknown(const json_t *props, const char *key, const char *path, ken_err *err)
{
    ken_str shown = ken_utf8_clip(ken_str_c(key), 60);
    const char *near = ken_json_nearest_key(props, ken_str_c(key));
    if (near)
        return KEN_FAIL(err, KEN_EINVAL, "%s: unknown name '" KEN_STR_FMT "'; did you mean '%s'?",
                        path, KEN_STR_ARG(shown), near);
    ken_buf known = KEN_BUF_INIT(280);
    for (void *it = first_of(props); it; it = next_of(props, it)) {
        if (known.len)
            ken_buf_puts(&known, ", ");
        ken_buf_puts(&known, json_object_iter_key(it));
    }
    ken_status st = KEN_FAIL(err, KEN_EINVAL, "%s: unknown name '" KEN_STR_FMT "'; known are %s",
                             path, KEN_STR_ARG(shown), known.len ? known.ptr : "none");
    ken_buf_release(&known);
    return st;
}

static ken_status check_object(const json_t *schema, const json_t *v, const char *path,
                               ken_err *err)
{
    const json_t *required = json_object_get(schema, "required");
    const json_t *props = json_object_get(schema, "properties");
    bool is_closed = json_is_false(json_object_get(schema, "additionalProperties"));
    // Unknown names first: a misspelt required one is then named as such.
    for (void *it = first_of(v); it; it = next_of(v, it)) {
        const char *key = json_object_iter_key(it);
        const json_t *sub_schema = json_object_get(props, key);
        if (!sub_schema) {
            if (is_closed)
                return fail_unknown(props, key, path, err);
            continue;
        }
        char sub[PATH_MAX_CHARS];
        snprintf(sub, sizeof sub, "%s.%s", path, key);
        ken_status st = ken_json_check(sub_schema, json_object_iter_value(it), sub, err);
        if (st)
            return st;
    }
    for (size_t i = 0; i < json_array_size(required); i++) {
        const char *key = json_string_value(json_array_get(required, i));
        if (!json_object_get(v, key))
            return KEN_FAIL(err, KEN_EINVAL, "%s.%s is required", path, key);
    }
    return KEN_OK;
}

ken_status ken_json_check(const json_t *schema, const json_t *value, const char *path, ken_err *err)
{
    ken_status st = check_type(schema, value, path, err);
    if (!st)
        st = check_enum(schema, value, path, err);
    if (st)
        return st;
    if (json_is_number(value))
        return check_number(schema, value, path, err);
    if (json_is_string(value))
        return check_length(schema, "minLength", "maxLength", ken_utf8_count(ken_json_text(value)),
                            "characters", path, err);
    if (json_is_array(value))
        return check_array(schema, value, path, err);
    if (json_is_object(value))
        return check_object(schema, value, path, err);
    return KEN_OK;
}

// ---- checking a schema -------------------------------------------------------------------------

ken_status ken_json_check_schema(const json_t *schema, const char *path, ken_err *err)
{
    if (!json_is_object(schema))
        return KEN_FAIL(err, KEN_EINVAL, "%s: a schema must be an object", path);
    for (void *it = first_of(schema); it; it = next_of(schema, it)) {
        const char *word = json_object_iter_key(it);
        if (!is_one_of(word, checked_words, sizeof checked_words / sizeof *checked_words) &&
            !is_one_of(word, silent_words, sizeof silent_words / sizeof *silent_words))
            return KEN_FAIL(err, KEN_EUNSUPPORTED, "%s: keyword '%s' is not checked", path, word);
    }
    const json_t *extra = json_object_get(schema, "additionalProperties");
    if (extra && !json_is_boolean(extra))
        return KEN_FAIL(err, KEN_EUNSUPPORTED, "%s.additionalProperties must be a boolean", path);
    const json_t *items = json_object_get(schema, "items");
    char sub[PATH_MAX_CHARS];
    if (items) {
        snprintf(sub, sizeof sub, "%s.items", path);
        ken_status st = ken_json_check_schema(items, sub, err);
        if (st)
            return st;
    }
    const json_t *props = json_object_get(schema, "properties");
    for (void *it = first_of(props); it; it = next_of(props, it)) {
        snprintf(sub, sizeof sub, "%s.%s", path, json_object_iter_key(it));
        ken_status st = ken_json_check_schema(json_object_iter_value(it), sub, err);
        if (st)
            return st;
    }
    return KEN_OK;
}
