// SPDX-License-Identifier: MIT
// paint.h -- text for people and agents: styles as terminal colours or not at all, paths relative to
// the folder of the reader, and no control characters for the terminal.
//
// Text from files, names and messages may hold anything: control characters, escape sequences and
// controls of writing direction become U+FFFD. Only line breaks in a format are kept.
//
// Ownership: the buffer is the caller's, texts are borrowed for the call. One thread at a time.
#ifndef KEN_BASE_PAINT_H
#define KEN_BASE_PAINT_H

#include <stdarg.h>
#include <stdbool.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/roots.h"
#include "base/str.h"

typedef enum ken_style {
    KEN_STYLE_PLAIN = 0,
    KEN_STYLE_BOLD,
    KEN_STYLE_DIM,
    KEN_STYLE_PATH,
    KEN_STYLE_LINE, // a line number
    KEN_STYLE_NAME, // of a symbol
    KEN_STYLE_MATCH,
    KEN_STYLE_GOOD,
    KEN_STYLE_BAD,
    KEN_STYLE_NOTE,
} ken_style;

// A name in our own texts, written "{limit}" there, and what the reader calls it: "--limit".
typedef struct ken_paint_name {
    const char *name, *shown;
} ken_paint_name;

typedef struct ken_paint {
    ken_buf *out;
    bool has_color;
    ken_str here; // folder of the reader below the root of the paths: "src/net"; empty = the root
    ken_str root; // put before each path instead, when the reader is outside: "app", "/home/me/app"
    const ken_roots *roots; // further ones: their paths are absolute then; NULL = paths as they are
    const ken_paint_name *names;
    size_t n_names;
} ken_paint;

void ken_paint_vprintf(ken_paint *p, ken_style style, const char *fmt, va_list ap) KEN_PRINTF(3, 0);
void ken_paint_printf(ken_paint *p, ken_style style, const char *fmt, ...) KEN_PRINTF(3, 4);
void ken_paint_str(ken_paint *p, ken_style style, ken_str text);
void ken_paint_puts(ken_paint *p, const char *text); // ours: written as it is
// A note of ours in a line of its own; names in braces are shown as the reader knows them.
void ken_paint_note(ken_paint *p, const char *fmt, ...) KEN_PRINTF(2, 3);
// Our text with the names in it as the reader knows them, and no style.
void ken_paint_named(ken_paint *p, ken_str text);
// A path relative to the root, as it opens from `here`.
void ken_paint_path(ken_paint *p, ken_str path);
// "path:12" or "path".
void ken_paint_at(ken_paint *p, ken_str at);
// One line of a file, at most `max_columns` wide (0 = any), tabs as four columns when that is limited;
// of the words in it, case folded, each place is painted.
void ken_paint_line(ken_paint *p, ken_str line, const ken_str *words, size_t n_words,
                    size_t max_columns);
// Lines of code behind their numbers, the first of them `first` (from 1).
void ken_paint_code(ken_paint *p, ken_str text, size_t first, const ken_str *words, size_t n_words);

#endif
