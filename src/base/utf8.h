// SPDX-License-Identifier: MIT
// utf8.h -- validating, repairing and counting UTF-8.
#ifndef KEN_BASE_UTF8_H
#define KEN_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

// Length in bytes of the valid sequence at the front (1 to 4), or 0 when it is broken or empty.
size_t ken_utf8_next(ken_str s, uint32_t *out_code);
bool ken_utf8_is_valid(ken_str s);
// Valid, and without a control character of ASCII (below the blank, DEL) other than those in `spared`.
bool ken_utf8_is_printable(ken_str s, const char *spared);
// Appends `s` with every broken byte replaced by U+FFFD.
void ken_utf8_repair(ken_buf *out, ken_str s);
// The same, and every NUL a space: what any database takes as a text.
void ken_utf8_put_plain(ken_buf *out, ken_str s);
// Characters of valid UTF-8.
size_t ken_utf8_count(ken_str s);
// The longest prefix of at most `max_bytes` that does not cut a sequence.
ken_str ken_utf8_clip(ken_str s, size_t max_bytes);

#endif
