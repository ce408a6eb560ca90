// SPDX-License-Identifier: MIT
// escape.h -- texts in double quotes, and bytes behind percent signs.
#ifndef KEN_BASE_ESCAPE_H
#define KEN_BASE_ESCAPE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

// In double quotes, as JSON, TOML and YAML read it.
void ken_put_quoted(ken_buf *out, ken_str s);
// Whether a percent escape ("%2f") stands at text[i]; then `*out` is the byte that it means.
bool ken_percent_at(ken_str text, size_t i, char *out);

#endif
