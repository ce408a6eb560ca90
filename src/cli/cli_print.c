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

ken_status ken_cli__confirm(const char *question, ken_err *err)
{
    ken_cli__complain(ken_str_c(question));
    fputs(" [y/N] ", stderr);
    int answer = getchar();
    return answer == 'y' || answer == 'Y' ? KEN_OK
                                          : KEN_FAIL(err, KEN_ECANCELLED, "nothing was done");
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

void ken_cli__print_json_line(json_t *json)
{
    (void)json_dump_callback(json, write_json, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
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

void ken_cli__print_table(const cli *x, const ken_table *t)
{
    ken_buf text;
    ken_paint p = begin(x, &text);
    ken_table_paint(t, &p);
    end(&text, stdout);
}
