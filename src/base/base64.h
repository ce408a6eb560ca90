// SPDX-License-Identifier: MIT
// base64.h -- base64url without padding (RFC 4648, section 5), which tokens are made of, and base64 for
// HTTP's Basic scheme.
#ifndef KEN_BASE_BASE64_H
#define KEN_BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

// Characters that `n` bytes take, without the NUL.
#define KEN_BASE64URL_LEN(n) (((n)*4 + 2) / 3)

// NUL-terminated: `out` holds KEN_BASE64URL_LEN(n) + 1 chars.
void ken_base64url_into(const void *data, size_t n, char *out);
// With padding (section 4): `out` holds KEN_BASE64_LEN(n) + 1 chars.
#define KEN_BASE64_LEN(n) (((n) + 2) / 3 * 4)
void ken_base64_into(const void *data, size_t n, char *out);
// At most `max` bytes into `out`. False for other characters, padding, bits that are left over, and
// when there is no room.
bool ken_base64url_parse(ken_str text, uint8_t *out, size_t max, size_t *out_n);

#endif
