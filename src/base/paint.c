// SPDX-License-Identifier: MIT
#include "base/paint.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/utf8.h"

static const char *const style_codes[] = {
    [KEN_STYLE_PLAIN] = "",           [KEN_STYLE_BOLD] = "\033[1m",
    [KEN_STYLE_DIM] = "\033[2m",      [KEN_STYLE_PATH] = "\033[35m",
    [KEN_STYLE_LINE] = "\033[32m",    [KEN_STYLE_NAME] = "\033[1;36m",
    [KEN_STYLE_MATCH] = "\033[1;31m", [KEN_STYLE_GOOD] = "\033[32m",
    [KEN_STYLE_BAD] = "\033[31m",     [KEN_STYLE_NOTE] = "\033[33m",
};

// Characters that make a terminal do something or show a line in another order than it has:
// C0 without the tab, C1, delete, line separators, and the controls of writing direction.
static bool is_control(uint32_t c)
{
    return (c < 0x20 && c != '\t') || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e ||
           c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

// Length of the piece at the front that can be written as it is; 0 when its first byte must not be.
static size_t harmless_bytes(ken_str s)
{
    size_t n = 0;
    while (n < s.len) {
        uint32_t code = 0;
        size_t len = ken_utf8_next(ken_str_sub(s, n, s.len), &code);
        if (!len || is_control(code))
            break;
        n += len;
    }
    return n;
}

static void put_harmless(ken_buf *out, ken_str text)
{
    while (text.len) {
        size_t n = harmless_bytes(text);
        ken_buf_put(out, text.ptr, n);
        if (n < text.len) {
            uint32_t code;
            size_t len = ken_utf8_next(ken_str_sub(text, n, text.len), &code);
            ken_buf_puts(out, "\xef\xbf\xbd"); // U+FFFD
            n += len ? len : 1;
        }
        text = ken_str_sub(text, n, text.len);
    }
}

static void begin_style(ken_paint *p, ken_style style)
{
    if (p->has_color && style != KEN_STYLE_PLAIN)
        ken_buf_puts(p->out, style_codes[style]);
}

static void end_style(ken_paint *p, ken_style style)
{
    if (p->has_color && style != KEN_STYLE_PLAIN)
        ken_buf_puts(p->out, "\033[0m");
}

void ken_paint_vprintf(ken_paint *p, ken_style style, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    char *text = n > 0 ? ken_alloc((size_t)n + 1) : NULL;
    ken_str rest = { text, text ? (size_t)n : 0 };
    if (text)
        vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    begin_style(p, style);
    while (rest.len) {
        size_t end = ken_str_find_char(rest, '\n');
        put_harmless(p->out, ken_str_sub(rest, 0, end));
        if (end == SIZE_MAX)
            break;
        ken_buf_putc(p->out, '\n');
        rest = ken_str_sub(rest, end + 1, rest.len);
    }
    end_style(p, style);
    ken_free(text);
}

void ken_paint_printf(ken_paint *p, ken_style style, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    ken_paint_vprintf(p, style, fmt, ap);
    va_end(ap);
}

void ken_paint_str(ken_paint *p, ken_style style, ken_str text)
{
    if (!text.len)
        return;
    begin_style(p, style);
    put_harmless(p->out, text);
    end_style(p, style);
}

enum {
    NOTE_BYTES = 2000
};

// What the reader calls `{name}`; NULL when it is no name.
static const char *shown_of(const ken_paint *p, ken_str name)
{
    for (size_t i = 0; i < p->n_names; i++)
        if (ken_str_eq_c(name, p->names[i].name))
            return p->names[i].shown;
    return NULL;
}

void ken_paint_named(ken_paint *p, ken_str text)
{
    while (text.len) {
        size_t open = ken_str_find_char(text, '{');
        ken_str rest = ken_str_sub(text, open, text.len);
        size_t close = ken_str_find_char(rest, '}');
        const char *shown = close == SIZE_MAX ? NULL : shown_of(p, ken_str_sub(rest, 1, close));
        size_t used = open == SIZE_MAX ? text.len : open + (shown ? close + 1 : 1);
        ken_paint_str(p, KEN_STYLE_PLAIN, ken_str_sub(text, 0, shown ? open : used));
        if (shown)
            ken_paint_puts(p, shown);
        text = ken_str_sub(text, used, text.len);
    }
}

void ken_paint_note(ken_paint *p, const char *fmt, ...)
{
    ken_buf named = KEN_BUF_INIT(0);
    char line[NOTE_BYTES];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    ken_paint inner = { .out = &named, .names = p->names, .n_names = p->n_names };
    ken_paint_named(&inner, ken_str_c(line));
    ken_paint_str(p, KEN_STYLE_NOTE, ken_buf_str(&named));
    ken_paint_puts(p, "\n");
    ken_buf_release(&named);
}

void ken_paint_puts(ken_paint *p, const char *text)
{
    ken_buf_puts(p->out, text);
}

// ---- paths -------------------------------------------------------------------------------------

// The path from `here` to `path`, both below one root: "../" for each folder that they do not share.
static void put_from_here(ken_buf *out, ken_str here, ken_str path)
{
    size_t shared = 0; // bytes of whole folders that both begin with
    for (size_t i = 0; i <= here.len && i < path.len; i++) {
        bool is_end = i == here.len || here.ptr[i] == '/';
        if (is_end && path.ptr[i] == '/')
            shared = i + 1;
        if (i == here.len || here.ptr[i] != path.ptr[i])
            break;
    }
    for (size_t i = shared ? shared - 1 : 0; i < here.len; i++)
        if (here.ptr[i] == '/' || i == 0)
            ken_buf_puts(out, "../");
    put_harmless(out, ken_str_sub(path, shared, path.len));
}

void ken_paint_path(ken_paint *p, ken_str path)
{
    ken_str below;
    const ken_root *further = p->roots ? ken_roots_find(p->roots, path, &below) : NULL;
    begin_style(p, KEN_STYLE_PATH);
    if (further) {
        put_harmless(p->out, further->path);
        ken_buf_putc(p->out, '/');
        put_harmless(p->out, below);
        end_style(p, KEN_STYLE_PATH);
        return;
    }
    if (p->root.len) {
        put_harmless(p->out, p->root);
        ken_buf_putc(p->out, '/');
    }
    put_from_here(p->out, p->root.len ? KEN_STR("") : p->here, path);
    end_style(p, KEN_STYLE_PATH);
}

void ken_paint_at(ken_paint *p, ken_str at)
{
    size_t colon = ken_str_rfind_char(at, ':');
    ken_paint_path(p, ken_str_sub(at, 0, colon));
    if (colon == SIZE_MAX)
        return;
    ken_buf_putc(p->out, ':');
    ken_paint_str(p, KEN_STYLE_LINE, ken_str_sub(at, colon + 1, at.len));
}

// ---- lines of code -----------------------------------------------------------------------------

// Length of the longest of the words at the front of `s`, case folded.
static size_t match_at(ken_str s, const ken_str *words, size_t n_words)
{
    size_t best = 0;
    for (size_t i = 0; i < n_words; i++)
        if (words[i].len > best && words[i].len <= s.len &&
            ken_str_eq_fold(ken_str_sub(s, 0, words[i].len), words[i]))
            best = words[i].len;
    return best;
}

// Where the next match begins, its length in `*out_len`; the end of the text when there is none.
static size_t next_match(ken_str s, size_t from, const ken_str *words, size_t n_words,
                         size_t *out_len)
{
    *out_len = 0;
    for (size_t i = from; n_words && i < s.len; i++) {
        *out_len = match_at(ken_str_sub(s, i, s.len), words, n_words);
        if (*out_len)
            return i;
    }
    return s.len;
}

// Puts text until `max` columns are full. False when something was left out.
static bool put_columns(ken_buf *out, ken_str text, size_t *column, size_t max)
{
    if (!max) {
        put_harmless(out, text);
        return true;
    }
    while (text.len && *column < max) {
        uint32_t code;
        size_t len = ken_utf8_next(text, &code);
        bool is_tab = text.ptr[0] == '\t';
        size_t n_columns = is_tab ? 4 - *column % 4 : 1;
        len = len ? len : 1;
        if (is_tab)
            ken_buf_put(out, "    ", n_columns);
        else
            put_harmless(out, ken_str_sub(text, 0, len));
        *column += n_columns;
        text = ken_str_sub(text, len, text.len);
    }
    return !text.len;
}

void ken_paint_line(ken_paint *p, ken_str line, const ken_str *words, size_t n_words,
                    size_t max_columns)
{
    size_t column = 0, at = 0;
    bool has_room = true;
    if (!p->has_color)
        n_words = 0;
    while (line.ptr && at < line.len && has_room) {
        size_t n = 0, match = next_match(line, at, words, n_words, &n);
        has_room = put_columns(p->out, ken_str_sub(line, at, match), &column, max_columns);
        if (has_room && n) {
            begin_style(p, KEN_STYLE_MATCH);
            has_room =
                put_columns(p->out, ken_str_sub(line, match, match + n), &column, max_columns);
            end_style(p, KEN_STYLE_MATCH);
        }
        at = match + n;
    }
    if (!has_room)
        ken_buf_puts(p->out, "\xe2\x80\xa6"); // …
}

void ken_paint_code(ken_paint *p, ken_str text, size_t first, const ken_str *words, size_t n_words)
{
    ken_str line;
    while (ken_str_line_next(&text, &line)) {
        ken_paint_printf(p, KEN_STYLE_DIM, "%zu", first++);
        ken_buf_puts(p->out, line.len ? " " : "");
        ken_paint_line(p, line, words, n_words, 0);
        ken_buf_putc(p->out, '\n');
    }
}
