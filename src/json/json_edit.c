// SPDX-License-Identifier: MIT
// One pass over the text (scan_value) checks it and finds the innermost object of the path that is there, with
// the places of its members; then at most two stretches of the text are replaced.
#include "json/json_edit.h"

#include "json/json.h"

// Byte offsets; SIZE_MAX = there is none.
typedef struct object {
    size_t open, close; // its braces
    size_t first;       // the name of its first member
    size_t last_end;    // the end of the value of its last
    size_t last_comma;  // a comma behind that
} object;

typedef struct member {
    size_t name, value, end; // of the value
    size_t comma_before, comma_behind;
} member;

enum {
    PATH_MAX_NAMES = 8
};

typedef struct scanner {
    ken_str text;
    size_t at, depth;
    const char *const *path;
    size_t n_path;
    object objects[PATH_MAX_NAMES]; // those on the path, the outermost first
    size_t n_objects;
    member found; // the last member of the path
    bool has_found;
    ken_err *err;
} scanner;

static ken_status fail_here(scanner *s, const char *wanted)
{
    size_t line = 1, column = 1;
    for (size_t i = 0; i < s->at && i < s->text.len; i++) {
        column = s->text.ptr[i] == '\n' ? 1 : column + 1;
        line += s->text.ptr[i] == '\n';
    }
    return KEN_FAIL(s->err, KEN_EINVAL, "line %zu, column %zu: not valid JSON: %s is expected",
                    line, column, wanted);
}

static char peek(const scanner *s)
{
    return s->at < s->text.len ? s->text.ptr[s->at] : '\0';
}

// Blanks and comments; false at a comment without end.
static bool skip_blanks(scanner *s)
{
    for (;;) {
        ken_str rest = ken_str_sub(s->text, s->at, s->text.len);
        if (rest.len && ken_is_space(rest.ptr[0])) {
            s->at++;
        } else if (ken_str_starts(rest, KEN_STR("//"))) {
            size_t end = ken_str_find_char(rest, '\n');
            s->at += end == SIZE_MAX ? rest.len : end;
        } else if (ken_str_starts(rest, KEN_STR("/*"))) {
            size_t end = ken_str_find(ken_str_sub(rest, 2, rest.len), KEN_STR("*/"));
            if (end == SIZE_MAX)
                return false;
            s->at += end + 4;
        } else {
            return true;
        }
    }
}

static bool skip_text(scanner *s)
{
    if (peek(s) != '"')
        return false;
    for (s->at++; s->at < s->text.len && peek(s) != '"' && (unsigned char)peek(s) >= ' '; s->at++)
        s->at += peek(s) == '\\';
    return peek(s) == '"' && ++s->at <= s->text.len;
}

// true, false, null, a number: what else it might be is the reader's matter.
static bool skip_word(scanner *s)
{
    size_t from = s->at;
    while (ken_is_word(peek(s)) || (peek(s) && strchr("+-.", peek(s))))
        s->at++;
    return s->at > from;
}

static const size_t off_path = SIZE_MAX;

// `level`: how many names of the path lead to this value.
static ken_status scan_value(scanner *s, size_t level);

static ken_status scan_name(scanner *s, ken_str *out)
{
    size_t from = s->at;
    if (!skip_text(s))
        return fail_here(s, "'\"' or '}'");
    *out = ken_str_sub(s->text, from + 1, s->at - 1);
    if (!skip_blanks(s) || peek(s) != ':')
        return fail_here(s, "':'");
    s->at++;
    return skip_blanks(s) ? KEN_OK : fail_here(s, "an end of the comment");
}

static ken_status scan_member(scanner *s, size_t level, object *o)
{
    ken_str name = { NULL, 0 };
    member m = { .name = s->at, .comma_before = o->last_comma, .comma_behind = SIZE_MAX };
    ken_status st = scan_name(s, &name);
    if (st)
        return st;
    bool is_wanted = level < s->n_path && ken_str_eq_c(name, s->path[level]);
    bool is_last = is_wanted && level + 1 == s->n_path;
    m.value = s->at;
    st = scan_value(s, is_wanted && !is_last ? level + 1 : off_path);
    if (st)
        return st;
    m.end = s->at;
    o->first = o->first == SIZE_MAX ? m.name : o->first;
    o->last_end = m.end;
    o->last_comma = SIZE_MAX;
    if (!skip_blanks(s))
        return fail_here(s, "an end of the comment");
    if (peek(s) == ',')
        o->last_comma = m.comma_behind = s->at++;
    if (is_last) {
        s->found = m;
        s->has_found = true;
    }
    return KEN_OK;
}

static ken_status scan_object(scanner *s, size_t level)
{
    object o = { .open = s->at++, .first = SIZE_MAX, .last_comma = SIZE_MAX };
    for (;;) {
        if (!skip_blanks(s))
            return fail_here(s, "an end of the comment");
        if (peek(s) == '}')
            break;
        if (o.first != SIZE_MAX && o.last_comma == SIZE_MAX)
            return fail_here(s, "',' or '}'");
        ken_status st = scan_member(s, level, &o);
        if (st)
            return st;
    }
    o.close = s->at++;
    if (level < s->n_path) {
        s->objects[level] = o;
        s->n_objects = level + 1 > s->n_objects ? level + 1 : s->n_objects;
    }
    return KEN_OK;
}

static ken_status scan_array(scanner *s)
{
    s->at++;
    for (bool has_comma = true;;) {
        if (!skip_blanks(s))
            return fail_here(s, "an end of the comment");
        if (peek(s) == ']')
            break;
        if (!has_comma)
            return fail_here(s, "',' or ']'");
        ken_status st = scan_value(s, off_path);
        if (st)
            return st;
        if (!skip_blanks(s))
            return fail_here(s, "an end of the comment");
        has_comma = peek(s) == ',';
        s->at += has_comma;
    }
    s->at++;
    return KEN_OK;
}

static ken_status scan_value(scanner *s, size_t level)
{
    ken_status st = KEN_OK;
    char c = peek(s);
    if (s->depth == KEN_JSON_DEPTH_MAX)
        return KEN_FAIL(s->err, KEN_ELIMIT, "nested deeper than %d levels", KEN_JSON_DEPTH_MAX);
    if (level < s->n_path && c != '{')
        return fail_here(s, "an object");
    s->depth++;
    if (c == '{')
        st = scan_object(s, level);
    else if (c == '[')
        st = scan_array(s);
    else if (c == '"' ? !skip_text(s) : !skip_word(s))
        st = fail_here(s, "a value");
    s->depth--;
    return st;
}

static ken_status scan(scanner *s)
{
    if (!skip_blanks(s))
        return fail_here(s, "an end of the comment");
    ken_status st = scan_value(s, 0);
    if (!st && (!skip_blanks(s) || s->at < s->text.len))
        st = fail_here(s, "the end");
    return st;
}

// ---- the form of what is put in ----------------------------------------------------------------

// Up to two stretches of the text, the first in front of the second, and what stands there instead.
typedef struct change {
    size_t from[2], to[2];
    ken_buf by[2];
} change;

static ken_str indent_at(ken_str text, size_t at)
{
    size_t line = at;
    while (line && text.ptr[line - 1] != '\n')
        line--;
    size_t end = line;
    while (end < at && (text.ptr[end] == ' ' || text.ptr[end] == '\t'))
        end++;
    return ken_str_sub(text, line, end);
}

// One level of indentation: that of the outermost object's members, when it is written in lines.
static ken_str indent_unit(const scanner *s)
{
    const object *o = &s->objects[0];
    if (o->first == SIZE_MAX || !memchr(s->text.ptr + o->open, '\n', o->first - o->open))
        return KEN_STR("  ");
    ken_str unit = indent_at(s->text, o->first);
    return unit.len && unit.len <= 8 ? unit : KEN_STR("  ");
}

static int put_chunk(const char *bytes, size_t n, void *ctx)
{
    ken_buf_put(ctx, bytes, n);
    return 0;
}

// In lines, those after the first below `indent`.
static void put_value(ken_buf *out, const json_t *value, ken_str indent, ken_str unit)
{
    ken_buf text = KEN_BUF_INIT(0);
    (void)json_dump_callback(value, put_chunk, &text, JSON_INDENT(1) | JSON_ENCODE_ANY);
    ken_str rest = ken_buf_str(&text), line;
    for (bool is_first = true; ken_str_line_next(&rest, &line); is_first = false) {
        size_t depth = 0;
        while (depth < line.len && line.ptr[depth] == ' ')
            depth++;
        if (!is_first)
            ken_buf_printf(out, "\n" KEN_STR_FMT, KEN_STR_ARG(indent));
        for (size_t i = 0; i < depth; i++)
            ken_buf_put_str(out, unit);
        ken_buf_put_str(out, ken_str_sub(line, depth, line.len));
    }
    ken_buf_release(&text);
}

// The value in the objects that `path` still lacks around it.
static json_t *wrap(const char *const *path, size_t n, const json_t *value)
{
    json_t *v = json_deep_copy(value);
    for (; n; n--) {
        json_t *outer = json_object();
        ken_json_set(outer, path[n - 1], v);
        v = outer;
    }
    return v;
}

// Where a line goes that is put behind `at`: behind the comment that ends this line.
static size_t behind_comment(ken_str text, size_t at)
{
    size_t end = at;
    while (end < text.len && (text.ptr[end] == ' ' || text.ptr[end] == '\t'))
        end++;
    if (!ken_str_starts(ken_str_sub(text, end, text.len), KEN_STR("//")))
        return at;
    while (end < text.len && text.ptr[end] != '\n')
        end++;
    return end;
}

static bool has_line_break(ken_str text, size_t from, size_t to)
{
    return to > from && memchr(text.ptr + from, '\n', to - from) != NULL;
}

static void plan_insert(change *c, const scanner *s, const json_t *value)
{
    size_t level = s->n_objects - 1;
    const object *o = &s->objects[level];
    ken_str unit = indent_unit(s), own = indent_at(s->text, o->open);
    bool is_empty = o->first == SIZE_MAX;
    bool has_lines = !is_empty && has_line_break(s->text, o->open, o->first);
    ken_buf indent = KEN_BUF_INIT(0);
    if (has_lines)
        ken_buf_put_str(&indent, indent_at(s->text, o->first));
    else
        ken_buf_printf(&indent, KEN_STR_FMT KEN_STR_FMT, KEN_STR_ARG(own), KEN_STR_ARG(unit));
    bool has_comma = o->last_comma != SIZE_MAX;
    size_t end = is_empty ? o->open + 1 : (has_comma ? o->last_comma + 1 : o->last_end);
    c->from[0] = c->to[0] = end;
    ken_buf_puts(&c->by[0], is_empty || has_comma ? "" : ",");
    size_t at = behind_comment(s->text, end);
    c->from[1] = c->to[1] = at;
    json_t *whole = wrap(s->path + level + 1, s->n_path - level - 1, value);
    ken_buf_printf(&c->by[1], "\n" KEN_STR_FMT, KEN_STR_ARG(ken_buf_str(&indent)));
    ken_json_put_quoted(&c->by[1], ken_str_c(s->path[level]));
    ken_buf_puts(&c->by[1], ": ");
    put_value(&c->by[1], whole, ken_buf_str(&indent), unit);
    ken_buf_puts(&c->by[1], has_comma ? "," : "");
    if (!has_line_break(s->text, at, o->close))
        ken_buf_printf(&c->by[1], "\n" KEN_STR_FMT, KEN_STR_ARG(own));
    json_decref(whole);
    ken_buf_release(&indent);
}

static void plan_remove(change *c, const scanner *s)
{
    const member *m = &s->found;
    bool has_comma = m->comma_behind != SIZE_MAX;
    size_t from = m->name, to = has_comma ? m->comma_behind + 1 : m->end;
    // The last member takes the comma before it away.
    if (!has_comma && m->comma_before != SIZE_MAX) {
        c->from[0] = m->comma_before;
        c->to[0] = m->comma_before + 1;
    }
    while (from && (s->text.ptr[from - 1] == ' ' || s->text.ptr[from - 1] == '\t'))
        from--;
    while (to < s->text.len && (s->text.ptr[to] == ' ' || s->text.ptr[to] == '\t'))
        to++;
    // Its lines go as wholes; on a line with others, the blanks on one side of it.
    bool is_line = from && s->text.ptr[from - 1] == '\n';
    if (is_line && to < s->text.len && s->text.ptr[to] == '\n')
        to++;
    else if (is_line || has_comma)
        from = m->name;
    c->from[1] = from;
    c->to[1] = to;
}

static void apply(const change *c, ken_str text, ken_buf *out)
{
    ken_buf_put_str(out, ken_str_sub(text, 0, c->from[0]));
    ken_buf_put_str(out, ken_buf_str(&c->by[0]));
    ken_buf_put_str(out, ken_str_sub(text, c->to[0], c->from[1]));
    ken_buf_put_str(out, ken_buf_str(&c->by[1]));
    ken_buf_put_str(out, ken_str_sub(text, c->to[1], text.len));
}

ken_status ken_json_edit_set(ken_str text, const char *const *path, size_t n_path,
                             const json_t *value, ken_buf *out, ken_err *err)
{
    scanner s = { .text = text, .path = path, .n_path = n_path, .err = err };
    if (!ken_str_trim(text).len)
        s.text = KEN_STR("{}\n");
    ken_status st = scan(&s);
    if (st)
        return st;
    change c = { .by = { KEN_BUF_INIT(0), KEN_BUF_INIT(0) } };
    if (s.has_found) {
        c.from[0] = s.found.value;
        c.to[0] = c.from[1] = c.to[1] = s.found.end;
        put_value(&c.by[0], value, indent_at(s.text, s.found.name), indent_unit(&s));
    } else {
        plan_insert(&c, &s, value);
    }
    apply(&c, s.text, out);
    ken_buf_release(&c.by[0]);
    ken_buf_release(&c.by[1]);
    return KEN_OK;
}

ken_status ken_json_edit_remove(ken_str text, const char *const *path, size_t n_path, ken_buf *out,
                                bool *out_was_there, ken_err *err)
{
    scanner s = { .text = text, .path = path, .n_path = n_path, .err = err };
    ken_status st = ken_str_trim(text).len ? scan(&s) : KEN_OK;
    if (st)
        return st;
    change c = { .by = { KEN_BUF_INIT(0), KEN_BUF_INIT(0) } };
    if (s.has_found)
        plan_remove(&c, &s);
    apply(&c, text, out);
    *out_was_there = s.has_found;
    return KEN_OK;
}
