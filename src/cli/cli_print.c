// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "cli/cli_print_priv.h"
#include "json/json.h"

enum {
    NOTE_MAX = 2000
};

bool ken_cli__wants_color(FILE *f, bool is_off)
{
    const char *term = ken_config_env("TERM");
    if (is_off || ken_config_env("NO_COLOR"))
        return false;
    if (ken_config_env("CLICOLOR_FORCE"))
        return true;
    return term && strcmp(term, "dumb") != 0 && isatty(fileno(f));
}

// Characters that make a terminal do something or show a line in another order than it has:
// C0 without the tab, C1, delete, line separators, and the controls of writing direction.
static bool is_control(uint32_t c)
{
    return (c < 0x20 && c != '\t') || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e ||
           c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

// Length of the piece at the front that can be written as it is; 0 when its first byte must not be.
static size_t harmless(ken_str s)
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

static void put_harmless(FILE *to, ken_str text)
{
    while (text.len) {
        size_t n = harmless(text);
        fwrite(text.ptr, 1, n, to);
        if (n < text.len) {
            uint32_t code;
            size_t len = ken_utf8_next(ken_str_sub(text, n, text.len), &code);
            fputs("\xef\xbf\xbd", to); // U+FFFD
            n += len ? len : 1;
        }
        text = ken_str_sub(text, n, text.len);
    }
}

void ken_cli__print_text(ken_str text)
{
    put_harmless(stdout, text);
}

// Line breaks are ours; everything else that was put into `fmt` may be from anywhere.
KEN_PRINTF(1, 0)
static void vprint(const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    char *text = n > 0 ? ken_alloc((size_t)n + 1) : NULL;
    ken_str rest = { text, text ? (size_t)n : 0 };
    if (text)
        vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    while (rest.len) {
        size_t end = ken_str_find_char(rest, '\n');
        put_harmless(stdout, ken_str_sub(rest, 0, end));
        if (end == SIZE_MAX)
            break;
        fputc('\n', stdout);
        rest = ken_str_sub(rest, end + 1, rest.len);
    }
    ken_free(text);
}

void ken_cli__print(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vprint(fmt, ap);
    va_end(ap);
}

void ken_cli__complain(ken_str text)
{
    ken_str line;
    for (bool is_first = true; ken_str_line_next(&text, &line); is_first = false) {
        fputs(is_first ? "" : "\n", stderr);
        put_harmless(stderr, line);
    }
}

static const char *style_code(cli_style style)
{
    switch (style) {
    case CLI_BOLD:
        return "\033[1m";
    case CLI_DIM:
        return "\033[2m";
    case CLI_PATH:
        return "\033[35m";
    case CLI_LINE:
        return "\033[32m";
    case CLI_NAME:
        return "\033[1;36m";
    case CLI_MATCH:
        return "\033[1;31m";
    case CLI_GOOD:
        return "\033[32m";
    case CLI_BAD:
        return "\033[31m";
    case CLI_NOTE:
        return "\033[33m";
    case CLI_PLAIN:
    default:
        return "";
    }
}

static void begin(const cli *x, cli_style style)
{
    if (x->has_color && style != CLI_PLAIN)
        fputs(style_code(style), stdout);
}

static void end(const cli *x, cli_style style)
{
    if (x->has_color && style != CLI_PLAIN)
        fputs("\033[0m", stdout);
}

void ken_cli__paint(const cli *x, cli_style style, const char *fmt, ...)
{
    va_list ap;
    begin(x, style);
    va_start(ap, fmt);
    vprint(fmt, ap);
    va_end(ap);
    end(x, style);
}

void ken_cli__paint_text(const cli *x, cli_style style, ken_str text)
{
    begin(x, style);
    ken_cli__print_text(text);
    end(x, style);
}

// Length of the longest of the words that stands at the front of `s`, letters case folded.
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
    for (size_t i = from; i < s.len; i++) {
        *out_len = match_at(ken_str_sub(s, i, s.len), words, n_words);
        if (*out_len)
            return i;
    }
    *out_len = 0;
    return s.len;
}

// Prints until `max` columns are full; tabs as blanks. False when something was left out.
static bool print_columns(ken_str text, size_t *column, size_t max)
{
    while (text.len && *column < max) {
        uint32_t code;
        size_t len = ken_utf8_next(text, &code);
        size_t n_columns = text.ptr[0] == '\t' ? 4 - *column % 4 : 1;
        len = len ? len : 1;
        if (text.ptr[0] == '\t')
            printf("%*s", (int)n_columns, "");
        else
            ken_cli__print_text(ken_str_sub(text, 0, len));
        *column += n_columns;
        text = ken_str_sub(text, len, text.len);
    }
    return !text.len;
}

void ken_cli__print_line(const cli *x, ken_str line, const ken_str *words, size_t n_words,
                         size_t max_columns)
{
    size_t column = 0, at = 0;
    bool has_room = true;
    if (!line.ptr)
        return;
    while (at < line.len && has_room) {
        size_t n = 0, match = next_match(line, at, words, n_words, &n);
        has_room = print_columns(ken_str_sub(line, at, match), &column, max_columns);
        if (has_room && n) {
            begin(x, CLI_MATCH);
            has_room = print_columns(ken_str_sub(line, match, match + n), &column, max_columns);
            end(x, CLI_MATCH);
        }
        at = match + n;
    }
    if (!has_room)
        fputs("\xe2\x80\xa6", stdout); // …
}

KEN_PRINTF(2, 0)
static void say(const char *start, const char *fmt, va_list ap)
{
    char text[NOTE_MAX];
    vsnprintf(text, sizeof text, fmt, ap);
    fputs(start, stderr);
    ken_cli__complain(ken_str_c(text));
    fputc('\n', stderr);
}

void ken_cli__note(const cli *x, const char *fmt, ...)
{
    if (x->is_json)
        return;
    va_list ap;
    va_start(ap, fmt);
    say("ken: ", fmt, ap);
    va_end(ap);
}

void ken_cli__warn(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say("ken: warning: ", fmt, ap);
    va_end(ap);
}

// ---- JSON ----

static int write_json(const char *bytes, size_t n, void *ctx)
{
    return fwrite(bytes, 1, n, ctx) == n ? 0 : -1;
}

void ken_cli__print_json(json_t *json)
{
    // A failed write is seen at the end of the run.
    (void)json_dump_callback(json, write_json, stdout,
                             JSON_INDENT(2) | JSON_REAL_PRECISION(6) | JSON_ENCODE_ANY);
    fputc('\n', stdout);
    json_decref(json);
}

void ken_cli__json_set_uuid(json_t *object, const char *key, ken_uuid id)
{
    char text[KEN_UUID_TEXT];
    ken_uuid_format(id, text);
    ken_json_set_str(object, key, ken_str_c(text));
}

void ken_cli__json_set_project(json_t *object, const ken_project_info *p)
{
    json_t *o = json_object();
    ken_cli__json_set_uuid(o, "id", p->id);
    ken_json_set_str(o, "name", p->name);
    ken_json_set_str(o, "root", p->root);
    ken_json_set(object, "project", o);
}

// ---- figures ----

ken_str ken_cli__format_size(ken_arena *a, uint64_t bytes)
{
    static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
    double d = (double)bytes;
    size_t u = 0;
    for (; d >= 1024 && u + 1 < sizeof units / sizeof *units; u++)
        d /= 1024;
    return ken_arena_printf(a, u ? "%.1f %s" : "%.0f %s", d, units[u]);
}

ken_str ken_cli__format_count(ken_arena *a, uint64_t n)
{
    char digits[32];
    char *out = ken_arena_alloc(a, 48);
    int len = snprintf(digits, sizeof digits, "%" PRIu64, n);
    size_t at = 0;
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return ken_str_n(out, at);
}

ken_str ken_cli__format_n(ken_arena *a, uint64_t n, const char *noun)
{
    return ken_arena_printf(a, KEN_STR_FMT " %s%s", KEN_STR_ARG(ken_cli__format_count(a, n)), noun,
                            n == 1 ? "" : "s");
}

ken_str ken_cli__format_age(ken_arena *a, int64_t wall_ms, int64_t now_ms)
{
    static const struct {
        int64_t seconds;
        const char *noun;
    } units[] = { { 86400, "day" }, { 3600, "hour" }, { 60, "minute" }, { 1, "second" } };
    int64_t s = (now_ms - wall_ms) / 1000;
    if (!wall_ms)
        return KEN_STR("never");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (s >= units[i].seconds)
            return ken_arena_printf(
                a, KEN_STR_FMT " ago",
                KEN_STR_ARG(ken_cli__format_n(a, (uint64_t)(s / units[i].seconds), units[i].noun)));
    return KEN_STR("just now");
}

ken_str ken_cli__format_duration(ken_arena *a, int64_t ms)
{
    if (ms < 1000)
        return ken_arena_printf(a, "%" PRId64 " ms", ms);
    if (ms < 60000)
        return ken_arena_printf(a, "%.1f s", (double)ms / 1000);
    return ken_arena_printf(a, "%" PRId64 " min %" PRId64 " s", ms / 60000, ms / 1000 % 60);
}

// ---- tables ----

cli_text_table ken_cli__table_new(ken_arena *a, const char *heads)
{
    cli_text_table t = { .arena = a };
    ken_str rest = ken_str_c(heads), head;
    while (t.n_columns < CLI_TABLE_COLUMNS && ken_str_split_next(&rest, '|', &head)) {
        if (head.len && head.ptr[0] == '>') {
            t.is_right[t.n_columns] = true;
            head = ken_str_sub(head, 1, head.len);
        }
        t.n_columns++;
        ken_cli__table_add(&t, head);
    }
    return t;
}

void ken_cli__table_add(cli_text_table *t, ken_str cell)
{
    if (t->n_cells == t->cap) {
        size_t cap = t->cap ? t->cap * 2 : 64;
        ken_str *cells = KEN_ARENA_ARRAY(t->arena, ken_str, cap);
        if (t->n_cells)
            memcpy(cells, t->cells, t->n_cells * sizeof *cells);
        t->cells = cells;
        t->cap = cap;
    }
    t->cells[t->n_cells++] = cell;
}

static size_t width_of(ken_str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++)
        n += ((unsigned char)s.ptr[i] & 0xc0) != 0x80;
    return n;
}

// The row whose cells begin at `from`; without blanks at its end.
static void print_row(const cli *x, const cli_text_table *t, size_t from, const size_t *widths)
{
    size_t n = t->n_columns;
    while (n && !t->cells[from + n - 1].len)
        n--;
    for (size_t c = 0; c < n; c++) {
        ken_str cell = t->cells[from + c];
        int pad = (int)(widths[c] - width_of(cell));
        if (t->is_right[c])
            printf("%*s", pad, "");
        ken_cli__paint_text(x, from ? CLI_PLAIN : CLI_BOLD, cell);
        if (!t->is_right[c] && c + 1 < n)
            printf("%*s", pad, "");
        fputs(c + 1 < n ? "  " : "", stdout);
    }
    fputc('\n', stdout);
}

void ken_cli__table_print(const cli *x, const cli_text_table *t)
{
    size_t widths[CLI_TABLE_COLUMNS] = { 0 };
    for (size_t i = 0; i < t->n_cells; i++) {
        size_t w = width_of(t->cells[i]);
        if (w > widths[i % t->n_columns])
            widths[i % t->n_columns] = w;
    }
    for (size_t i = 0; i < t->n_cells; i += t->n_columns)
        print_row(x, t, i, widths);
}
