// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/clock.h"
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

// ---- through base/paint.h to stdout or stderr ---------------------------------------------------

static ken_paint begin(const cli *x, ken_buf *text)
{
    *text = KEN_BUF_INIT(0);
    return (ken_paint){ .out = text, .has_color = x && x->has_color };
}

static void end(ken_buf *text, FILE *to)
{
    fwrite(text->ptr, 1, text->len, to);
    ken_buf_release(text);
}

void ken_cli__print_text(ken_str s)
{
    ken_buf text;
    ken_paint p = begin(NULL, &text);
    ken_paint_str(&p, KEN_STYLE_PLAIN, s);
    end(&text, stdout);
}

void ken_cli__print(const char *fmt, ...)
{
    ken_buf text;
    ken_paint p = begin(NULL, &text);
    va_list ap;
    va_start(ap, fmt);
    ken_paint_vprintf(&p, KEN_STYLE_PLAIN, fmt, ap);
    va_end(ap);
    end(&text, stdout);
}

void ken_cli__complain(ken_str s)
{
    ken_buf text;
    ken_paint p = begin(NULL, &text);
    ken_str line;
    for (bool is_first = true; ken_str_line_next(&s, &line); is_first = false) {
        ken_paint_puts(&p, is_first ? "" : "\n");
        ken_paint_str(&p, KEN_STYLE_PLAIN, line);
    }
    end(&text, stderr);
}

void ken_cli__paint(const cli *x, ken_style style, const char *fmt, ...)
{
    ken_buf text;
    ken_paint p = begin(x, &text);
    va_list ap;
    va_start(ap, fmt);
    ken_paint_vprintf(&p, style, fmt, ap);
    va_end(ap);
    end(&text, stdout);
}

void ken_cli__paint_text(const cli *x, ken_style style, ken_str s)
{
    ken_buf text;
    ken_paint p = begin(x, &text);
    ken_paint_str(&p, style, s);
    end(&text, stdout);
}

void ken_cli__print_line(const cli *x, ken_str line, const ken_str *words, size_t n_words,
                         size_t max_columns)
{
    ken_buf text;
    ken_paint p = begin(x, &text);
    ken_paint_line(&p, line, words, n_words, max_columns);
    end(&text, stdout);
}

static void say(const char *start, const char *text)
{
    fputs(start, stderr);
    ken_cli__complain(ken_str_c(text));
    fputc('\n', stderr);
}

void ken_cli__note(const cli *x, const char *fmt, ...)
{
    char text[NOTE_MAX];
    va_list ap;
    if (x->is_json)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    say("ken: ", text);
}

void ken_cli__warn(const char *fmt, ...)
{
    char text[NOTE_MAX];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    say("ken: warning: ", text);
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
        ken_cli__paint_text(x, from ? KEN_STYLE_PLAIN : KEN_STYLE_BOLD, cell);
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
