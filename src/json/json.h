// SPDX-License-Identifier: MIT
// json.h -- JSON that came from outside, and JSON that goes out: limits, typed reads, checks, text.
//
// Values are jansson's (json_t); this header adds what every surface needs around them. Reading: a
// limit on size and depth, no duplicate keys, and errors that name the place ("args.limit: 99 is
// over 50"). Writing: compact text in a ken_buf that is always valid UTF-8, whatever went in.
//
// Ownership: as in jansson, a json_t * returned through `out` is the caller's to json_decref; texts
// read from a value are borrowed from it. Threads: a value belongs to one thread at a time, or to
// any number that only read. Errors: KEN_EINVAL for what is not as it should be, KEN_ELIMIT for
// size and depth.
#ifndef KEN_JSON_JSON_H
#define KEN_JSON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum {
    KEN_JSON_BYTES_MAX = 16 * 1024 * 1024,
    KEN_JSON_DEPTH_MAX = 64,
};

// ---- reading ---------------------------------------------------------------------------------
// One JSON value of any type and nothing after it. Duplicate keys are refused. A number that no
// machine type holds becomes a real one that is near it, or as large as those get.
ken_status ken_json_parse(ken_str text, json_t **out, ken_err *err) KEN_MUST_USE;

// The text of a member of the object that `text` is, without parsing the rest: for numbers that no
// machine type holds, and for text that does not parse as a whole. ptr NULL when it is not there.
ken_str ken_json_find_raw(ken_str text, const char *key);
// '{', '[', '"', 't', 'f', 'n', '0' (any number), or 0 for what is no JSON value.
char ken_json_peek(ken_str text);

// Typed reads of `object`'s member `key`. An absent or null member leaves `*out` as it is. `path`
// stands before the key in messages.
ken_status ken_json_read_str(const json_t *object, const char *path, const char *key, ken_str *out,
                             ken_err *err) KEN_MUST_USE;
ken_status ken_json_read_bool(const json_t *object, const char *path, const char *key, bool *out,
                              ken_err *err) KEN_MUST_USE;
ken_status ken_json_read_u64(const json_t *object, const char *path, const char *key, uint64_t *out,
                             ken_err *err) KEN_MUST_USE;
// Borrowed; NULL when the member is absent, null or of another type.
const json_t *ken_json_get_object(const json_t *object, const char *key);
ken_str ken_json_text(const json_t *value); // of a string; empty for anything else

// ---- checking --------------------------------------------------------------------------------
// Checks `value` against the part of JSON Schema that tools use: type, enum, minimum, maximum,
// minLength, maxLength (characters), minItems, maxItems, items, properties, required, and
// additionalProperties: false, which names the nearest known property. `path` is what the value is
// called in messages.
ken_status ken_json_check(const json_t *schema, const json_t *value, const char *path, ken_err *err)
    KEN_MUST_USE;
// That `schema` uses nothing that ken_json_check would pass over.
ken_status ken_json_check_schema(const json_t *schema, const char *path, ken_err *err) KEN_MUST_USE;

// The key of `object` that `name` was most likely meant to be; NULL when none is near.
const char *ken_json_nearest_key(const json_t *object, ken_str name);

// ---- writing ---------------------------------------------------------------------------------
// Compact, members in the order they were put; real numbers with six digits.
void ken_json_dump(const json_t *value, ken_buf *out);
size_t ken_json_dump_size(const json_t *value);       // bytes that ken_json_dump appends
void ken_json_put_quoted(ken_buf *out, ken_str text); // as a JSON string, repaired

// A new string; broken UTF-8 is repaired. Never NULL.
json_t *ken_json_str(ken_str text);

// Setting members; the object takes what is new. `value` NULL is json null.
void ken_json_set(json_t *object, const char *key, json_t *value);
void ken_json_set_str(json_t *object, const char *key, ken_str text);
void ken_json_set_u64(json_t *object, const char *key, uint64_t v);
void ken_json_set_bool(json_t *object, const char *key, bool v);
void ken_json_set_real(json_t *object, const char *key, double v); // not finite: null
// ISO-8601 in UTC; null for 0.
void ken_json_set_time(json_t *object, const char *key, int64_t wall_ms);
void ken_json_set_time_ms(json_t *object, const char *key, int64_t wall_ms); // with milliseconds
void ken_json_append(json_t *array, json_t *value);

#endif
