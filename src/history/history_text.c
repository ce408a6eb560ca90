// SPDX-License-Identifier: MIT
// How git prints lines and names.
#include "base/utf8.h"
#include "history/history_priv.h"
#include "secret/secret.h"

enum {
    LINE_MAX_BYTES = 64 << 10 // two quoted paths fit
};

void ken_history__lines_init(history_lines *l, void (*on_line)(void *ctx, ken_str line), void *ctx)
{
    *l = (history_lines){ on_line, ctx, KEN_BUF_INIT(LINE_MAX_BYTES) };
}

static void keep_rest(history_lines *l, ken_str part)
{
    size_t room = LINE_MAX_BYTES - l->rest.len;
    ken_buf_put(&l->rest, part.ptr, part.len < room ? part.len : room);
}

void ken_history__lines_add(void *lines, ken_str part)
{
    history_lines *l = lines;
    for (;;) {
        size_t n = ken_str_find_char(part, '\n');
        if (n == SIZE_MAX) {
            keep_rest(l, part);
            return;
        }
        ken_str line = ken_str_sub(part, 0, n);
        if (l->rest.len) {
            keep_rest(l, line);
            line = ken_buf_str(&l->rest);
        }
        l->on_line(l->ctx, line);
        ken_buf_clear(&l->rest);
        part = ken_str_sub(part, n + 1, part.len);
    }
}

void ken_history__lines_end(history_lines *l)
{
    if (l->rest.len)
        l->on_line(l->ctx, ken_buf_str(&l->rest));
    ken_buf_clear(&l->rest);
}

void ken_history__lines_release(history_lines *l)
{
    ken_buf_release(&l->rest);
}

ken_status ken_history__run_lines(const ken_proc_opts *opts,
                                  void (*on_line)(void *ctx, ken_str line), void *ctx,
                                  ken_proc_result *out, ken_err *err)
{
    history_lines lines;
    ken_proc_opts o = *opts;
    ken_history__lines_init(&lines, on_line, ctx);
    o.on_out = ken_history__lines_add;
    o.out_ctx = &lines;
    ken_status st = ken_git_run(&o, out, err);
    if (!st)
        ken_history__lines_end(&lines);
    ken_history__lines_release(&lines);
    return st;
}

// ---- names -------------------------------------------------------------------------------------

// The byte that an escape stands for; moves `at` behind it. -1 when it is none.
static int unescape(ken_str s, size_t *at)
{
    static const char letters[] = "abtnvfr\"\\", bytes[] = "\a\b\t\n\v\f\r\"\\";
    if (*at >= s.len)
        return -1;
    const char *l = memchr(letters, s.ptr[*at], sizeof letters - 1);
    if (l) {
        ++*at;
        return (unsigned char)bytes[l - letters];
    }
    int v = 0;
    for (int i = 0; i < 3; i++, ++*at) {
        if (*at >= s.len || s.ptr[*at] < '0' || s.ptr[*at] > '7')
            return -1;
        v = v * 8 + (s.ptr[*at] - '0');
    }
    return v & 0xff;
}

// `s` begins with a quote, and ends with one.
static ken_str unquote(ken_arena *arena, ken_str s)
{
    char *out = ken_arena_alloc(arena, s.len + 1);
    size_t n = 0;
    for (size_t at = 1; at < s.len;) {
        char c = s.ptr[at++];
        if (c == '"') {
            out[n] = '\0';
            return at == s.len ? ken_str_n(out, n) : (ken_str){ NULL, 0 };
        }
        int byte = c == '\\' ? unescape(s, &at) : (unsigned char)c;
        if (byte < 0)
            break;
        out[n++] = (char)byte;
    }
    return (ken_str){ NULL, 0 };
}

bool ken_history__is_path(ken_str path)
{
    if (!path.len || path.len > HISTORY_MAX_PATH || memchr(path.ptr, '\0', path.len))
        return false;
    ken_str rest = path, part;
    while (ken_str_split_next(&rest, '/', &part))
        if (!part.len || ken_str_eq(part, KEN_STR(".")) || ken_str_eq(part, KEN_STR("..")))
            return false;
    return ken_utf8_is_valid(path);
}

ken_str ken_history__path(ken_arena *arena, ken_str text)
{
    if (text.len && text.ptr[0] == '"')
        text = unquote(arena, text);
    return ken_history__is_path(text) ? text : (ken_str){ NULL, 0 };
}

ken_str ken_history__words(ken_arena *arena, ken_str text, size_t max_bytes)
{
    ken_buf b = { 0 };
    ken_utf8_repair(&b, text);
    ken_secret_mask(b.ptr, b.len); // before it is cut: half a token is not known as one
    ken_str s = ken_arena_dup(arena, ken_str_trim(ken_utf8_clip(ken_buf_str(&b), max_bytes)));
    ken_buf_release(&b);
    char *at = (char *)ken_arena_alloc(arena, s.len + 1);
    for (size_t i = 0; i < s.len; i++)
        at[i] = (unsigned char)s.ptr[i] < ' ' || s.ptr[i] == 0x7f ? ' ' : s.ptr[i];
    return ken_str_n(at, s.len);
}

ken_str ken_history__take(ken_str *rest, char c)
{
    size_t n = ken_str_find_char(*rest, c);
    n = n == SIZE_MAX ? rest->len : n;
    ken_str out = ken_str_sub(*rest, 0, n);
    *rest = ken_str_sub(*rest, n < rest->len ? n + 1 : n, rest->len);
    return out;
}
