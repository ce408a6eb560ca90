// SPDX-License-Identifier: MIT
// lang_prose.h -- what a Markdown text holds beside its headings: fenced code blocks and links.
//
// A cursor over the text, in its order. Links are inline ones, pictures, `<https://…>` and the targets of
// reference links (`[name]: target`); what stands in code is none. Texts are borrowed from the input.
#ifndef KEN_LANG_LANG_PROSE_H
#define KEN_LANG_LANG_PROSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

typedef enum ken_prose_kind {
    KEN_PROSE_NONE = 0,
    KEN_PROSE_CODE,
    KEN_PROSE_LINK,
} ken_prose_kind;

typedef struct ken_prose_item {
    ken_prose_kind kind;
    ken_str text;                   // of a code block its language, of a link what it reads
    ken_str target;                 // of a link
    uint32_t byte;                  // where it begins
    uint32_t first_line, last_line; // 0-based, inclusive; of a code block with its fences
} ken_prose_item;

typedef struct ken_prose {
    ken_str text, rest; // what is left behind the line that is read
    ken_str line;       // what is left of that line
    uint32_t number;    // of that line
} ken_prose;

void ken_prose_init(ken_prose *p, ken_str text);
bool ken_prose_next(ken_prose *p, ken_prose_item *out);

#endif
