// SPDX-License-Identifier: MIT
// Changes one setting of a settings file as text.
//
// libyaml's events give the places of the section, the key and its value (locate); the new text is the old one
// with one stretch replaced (plan_set, plan_unset). What comes out is loaded and compared before it is
// written, so a shape that this does not know is refused and never damaged.
#include "config/config_edit.h"

#include <yaml.h>

#include "base/alloc.h"
#include "base/escape.h"
#include "base/fs.h"
#include "base/path.h"
#include "config/config_priv.h"

// Byte offsets. `first` of a mapping: its first key; SIZE_MAX when it has none.
typedef struct mapping {
    bool is_there, is_flow;
    size_t first, close, last_end; // close: of its '}'; last_end: the end of its last value
} mapping;

typedef struct places {
    mapping top, section;
    size_t section_key;          // where the section's name begins
    bool has_key, is_block_list; // the key stands in the section
    size_t key, value, value_end;
    size_t before_end,
        next_key; // the end of the value before the pair, the pair behind it; SIZE_MAX
} places;

typedef struct walker {
    ken_str text;
    yaml_parser_t parser;
    yaml_event_t event;
    bool has_event;
    ken_str section, key; // wanted
    places out;
} walker;

// libyaml counts characters.
static size_t offset_of(const walker *w, yaml_mark_t mark)
{
    ken_str s = w->text;
    size_t at = 0;
    for (size_t n = mark.index; n && at < s.len; n--)
        for (at++; at < s.len && ((unsigned char)s.ptr[at] & 0xc0) == 0x80;)
            at++;
    return at;
}

static bool next(walker *w)
{
    if (w->has_event)
        yaml_event_delete(&w->event);
    w->has_event = yaml_parser_parse(&w->parser, &w->event) != 0;
    return w->has_event;
}

static size_t start_of(const walker *w)
{
    return offset_of(w, w->event.start_mark);
}

// The end of what ends at the current event, without the line breaks behind a text in many lines.
static size_t end_of(const walker *w)
{
    size_t end = offset_of(w, w->event.end_mark);
    while (end > start_of(w) && ken_is_space(w->text.ptr[end - 1]))
        end--;
    return end;
}

static bool is_scalar(const walker *w, ken_str text)
{
    return w->event.type == YAML_SCALAR_EVENT &&
           ken_str_eq(
               ken_str_n((const char *)w->event.data.scalar.value, w->event.data.scalar.length),
               text);
}

// A value of a section: a text or a list of texts. False for anything else.
static bool read_value(walker *w, size_t *out_start, size_t *out_end, bool *out_is_block)
{
    *out_start = start_of(w);
    *out_is_block = false;
    if (w->event.type == YAML_SCALAR_EVENT) {
        *out_end = end_of(w);
        return true;
    }
    if (w->event.type != YAML_SEQUENCE_START_EVENT)
        return false;
    *out_is_block = w->event.data.sequence_start.style != YAML_FLOW_SEQUENCE_STYLE;
    while (next(w) && w->event.type == YAML_SCALAR_EVENT)
        *out_end = end_of(w);
    if (!*out_is_block)
        *out_end = end_of(w);
    return w->has_event && w->event.type == YAML_SEQUENCE_END_EVENT;
}

static void begin_mapping(const walker *w, mapping *m)
{
    *m = (mapping){ .is_there = true,
                    .is_flow = w->event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE,
                    .first = SIZE_MAX };
}

static void end_mapping(const walker *w, mapping *m)
{
    m->close = m->is_flow ? end_of(w) - 1 : 0;
}

// The pairs of a section; `is_wanted`: of that of the key.
static bool read_section(walker *w, bool is_wanted, size_t *out_end)
{
    mapping m;
    places *p = &w->out;
    begin_mapping(w, &m);
    while (next(w) && w->event.type == YAML_SCALAR_EVENT) {
        bool is_key = is_wanted && is_scalar(w, w->key), is_block;
        size_t at = start_of(w), value = 0, before = m.first == SIZE_MAX ? SIZE_MAX : m.last_end;
        if (m.first == SIZE_MAX)
            m.first = at;
        if (p->has_key && is_wanted && p->next_key == SIZE_MAX)
            p->next_key = at;
        if (!next(w) || !read_value(w, &value, &m.last_end, &is_block))
            return false;
        if (is_key) {
            p->has_key = true;
            p->is_block_list = is_block;
            p->key = at;
            p->value = value;
            p->value_end = m.last_end;
            p->before_end = before;
            p->next_key = SIZE_MAX;
        }
    }
    if (!w->has_event || w->event.type != YAML_MAPPING_END_EVENT)
        return false;
    end_mapping(w, &m);
    *out_end = m.is_flow ? m.close + 1 : m.last_end;
    if (is_wanted)
        p->section = m;
    return true;
}

static bool read_top(walker *w)
{
    places *p = &w->out;
    begin_mapping(w, &p->top);
    while (next(w) && w->event.type == YAML_SCALAR_EVENT) {
        bool is_wanted = is_scalar(w, w->section);
        size_t at = start_of(w);
        if (p->top.first == SIZE_MAX)
            p->top.first = at;
        if (!next(w))
            return false;
        if (is_wanted) {
            p->section_key = at;
            p->section = (mapping){ .is_there = true, .first = SIZE_MAX };
        }
        p->top.last_end = end_of(w);
        if (w->event.type == YAML_MAPPING_START_EVENT &&
            !read_section(w, is_wanted, &p->top.last_end))
            return false;
    }
    end_mapping(w, &p->top);
    return w->has_event && w->event.type == YAML_MAPPING_END_EVENT;
}

// False when the text is not as ken_config_edit_check has it.
static bool locate(ken_str text, const char *name, places *out)
{
    ken_str full = ken_str_c(name);
    size_t dot = ken_str_find_char(full, '.');
    walker w = { .text = text,
                 .section = ken_str_sub(full, 0, dot),
                 .key = ken_str_sub(full, dot + 1, full.len) };
    w.out.before_end = w.out.next_key = SIZE_MAX;
    if (!yaml_parser_initialize(&w.parser))
        return false;
    yaml_parser_set_input_string(&w.parser, (const unsigned char *)(text.len ? text.ptr : ""),
                                 text.len);
    yaml_parser_set_encoding(&w.parser, YAML_UTF8_ENCODING);
    bool is_ok = true;
    while (next(&w) && is_ok && w.event.type != YAML_STREAM_END_EVENT)
        if (w.event.type == YAML_MAPPING_START_EVENT)
            is_ok = read_top(&w);
    is_ok = is_ok && w.has_event;
    if (w.has_event)
        yaml_event_delete(&w.event);
    yaml_parser_delete(&w.parser);
    *out = w.out;
    return is_ok;
}

// ---- writing values ----

// Written as it is, it is read as this text, in a flow list too.
static bool is_plain(ken_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!ken_is_word(s.ptr[i]) && !strchr("./+@", s.ptr[i]) && !(s.ptr[i] == '-' && i) &&
            s.ptr[i] != '\0')
            return false;
    return s.len && memchr(s.ptr, '\0', s.len) == NULL && !ken_str_eq_c(s, "null");
}

static void put_scalar(ken_buf *out, ken_str s)
{
    if (is_plain(s))
        ken_buf_put_str(out, s);
    else
        ken_put_quoted(out, s);
}

// The column of `at`, as the text before it in its line, of which only blanks are taken.
static ken_str indent_of(ken_str text, size_t at)
{
    size_t line = at;
    while (line && text.ptr[line - 1] != '\n')
        line--;
    size_t end = line;
    while (end < at && (text.ptr[end] == ' ' || text.ptr[end] == '\t'))
        end++;
    return ken_str_sub(text, line, end);
}

// A list is written as it stands there, a new one in brackets.
static void put_value(ken_buf *out, ken_str text, const places *p, ken_config_type type,
                      ken_str value)
{
    if (type != KEN_CONFIG_LIST) {
        put_scalar(out, value);
        return;
    }
    ken_str *items = ken_alloc(sizeof *items * (CONFIG_LIST_MAX + 1));
    size_t n = ken_config__split_list(value, items, CONFIG_LIST_MAX + 1);
    bool is_block = p->has_key && p->is_block_list && n;
    ken_buf_puts(out, is_block ? "" : "[");
    for (size_t i = 0; i < n; i++) {
        if (is_block && i)
            ken_buf_printf(out, "\n" KEN_STR_FMT, KEN_STR_ARG(indent_of(text, p->value)));
        ken_buf_puts(out, is_block ? "- " : (i ? ", " : ""));
        put_scalar(out, items[i]);
    }
    ken_buf_puts(out, is_block ? "" : "]");
    ken_free(items);
}

// ---- the change: text[from, to) is replaced ----

typedef struct change {
    size_t from, to;
    ken_buf by;
} change;

// Behind the line break of the line that `at` stands in.
static size_t next_line(ken_str text, size_t at)
{
    while (at < text.len && text.ptr[at] != '\n')
        at++;
    return at < text.len ? at + 1 : at;
}

static size_t line_start(ken_str text, size_t at)
{
    while (at && text.ptr[at - 1] != '\n')
        at--;
    return at;
}

// A line of its own, put in front of `at`, which may be the end of a last line without a line break.
static void put_line(change *c, ken_str text, size_t at, ken_str indent, ken_str line)
{
    c->from = c->to = at;
    if (at && text.ptr[at - 1] != '\n')
        ken_buf_putc(&c->by, '\n');
    ken_buf_printf(&c->by, KEN_STR_FMT KEN_STR_FMT "\n", KEN_STR_ARG(indent), KEN_STR_ARG(line));
}

static void put_in_flow(change *c, const mapping *m, ken_str pair)
{
    c->from = c->to = m->close;
    if (m->first != SIZE_MAX) {
        c->from = m->last_end;
        c->to = m->last_end;
        ken_buf_puts(&c->by, ", ");
    }
    ken_buf_put_str(&c->by, pair);
}

static void plan_set(change *c, ken_str text, const places *p, const char *name, ken_str value)
{
    size_t dot = ken_str_find_char(ken_str_c(name), '.');
    ken_buf pair = KEN_BUF_INIT(0);
    ken_buf_printf(&pair, "%s: " KEN_STR_FMT, name + dot + 1, KEN_STR_ARG(value));
    ken_str own = ken_buf_str(&pair);
    if (p->has_key) {
        c->from = p->value;
        c->to = p->value_end > p->value ? p->value_end : p->value;
        ken_buf_puts(&c->by, p->value && text.ptr[p->value - 1] == ':' ? " " : "");
        ken_buf_put_str(&c->by, value);
    } else if (p->section.is_there && p->section.is_flow) {
        put_in_flow(c, &p->section, own);
    } else if (p->section.is_there && p->section.first != SIZE_MAX) {
        put_line(c, text, next_line(text, p->section.last_end), indent_of(text, p->section.first),
                 own);
    } else if (p->section.is_there) {
        put_line(c, text, next_line(text, p->section_key), KEN_STR("  "), own);
    } else if (p->top.is_flow) {
        ken_buf whole = KEN_BUF_INIT(0);
        ken_buf_printf(&whole, "%.*s: {" KEN_STR_FMT "}", (int)dot, name, KEN_STR_ARG(own));
        put_in_flow(c, &p->top, ken_buf_str(&whole));
        ken_buf_release(&whole);
    } else {
        ken_buf whole = KEN_BUF_INIT(0);
        ken_buf_printf(&whole, "%.*s:\n  " KEN_STR_FMT, (int)dot, name, KEN_STR_ARG(own));
        put_line(c, text, text.len, KEN_STR(""), ken_buf_str(&whole));
        ken_buf_release(&whole);
    }
    ken_buf_release(&pair);
}

static bool is_whole_line(ken_str text, const places *p)
{
    return ken_str_trim(ken_str_sub(text, line_start(text, p->key), p->key)).len == 0;
}

static void plan_unset(change *c, ken_str text, const places *p)
{
    if (p->section.is_flow || !is_whole_line(text, p)) {
        c->from = p->next_key == SIZE_MAX && p->before_end != SIZE_MAX ? p->before_end : p->key;
        c->to = p->next_key == SIZE_MAX ? p->value_end : p->next_key;
        return;
    }
    c->from = line_start(text, p->key);
    c->to = next_line(text, p->value_end);
    // A section's line goes with the last of its keys, unless something else stands there.
    bool is_only = p->before_end == SIZE_MAX && p->next_key == SIZE_MAX;
    size_t head = line_start(text, p->section_key);
    ken_str between = ken_str_trim(ken_str_sub(text, p->section_key, c->from));
    if (is_only && !p->top.is_flow && ken_str_ends(between, KEN_STR(":")) &&
        ken_str_find_char(between, '\n') == SIZE_MAX && ken_str_find_char(between, '#') == SIZE_MAX)
        c->from = head;
}

static void apply(const change *c, ken_str text, ken_buf *out)
{
    ken_buf_put_str(out, ken_str_sub(text, 0, c->from));
    ken_buf_put_str(out, ken_buf_str(&c->by));
    ken_buf_put_str(out, ken_str_sub(text, c->to, text.len));
}

// ---- files ----

// The settings that `text` alone gives.
static ken_status load_text(ken_str text, const char *path, ken_config_source source,
                            ken_config **out, ken_err *err)
{
    ken_config *c = ken_zalloc(sizeof *c);
    ken_arena_init(&c->arena, 8192);
    ken_status st =
        text.len > CONFIG_FILE_MAX
            ? KEN_FAIL(err, KEN_ELIMIT, "%s: is over the limit of %d bytes", path, CONFIG_FILE_MAX)
            : ken_config__apply_defaults(c, err);
    if (!st)
        st = ken_config__read_text(c, text, path, source, err);
    if (st) {
        ken_config_free(c);
        return st;
    }
    *out = c;
    return KEN_OK;
}

ken_status ken_config_edit_check(ken_str text, const char *path, ken_config_source source,
                                 ken_err *err)
{
    ken_config *c = NULL;
    ken_status st = load_text(text, path, source, &c, err);
    if (!st)
        ken_config_free(c);
    return st;
}

// What stands in the file; nothing when there is none. A project's is read without following a link.
static ken_status read_file(const char *path, ken_config_source source, ken_buf *out, ken_err *err)
{
    ken_status st = source == KEN_CONFIG_PROJECT_FILE
                        ? ken_fs_read(KEN_FS_CWD, path, CONFIG_FILE_MAX, out, NULL, err)
                        : ken_fs_read_own(path, CONFIG_FILE_MAX, out, err);
    if (st == KEN_ENOTFOUND) {
        ken_buf_clear(out);
        return KEN_OK;
    }
    return st;
}

// Nothing else has another value, and the key is set or not, as was wanted.
static ken_status check_result(ken_str before, ken_str after, const char *path,
                               ken_config_source source, ken_config_key key, bool is_set,
                               ken_err *err)
{
    ken_config *old = NULL, *new = NULL;
    ken_status st = load_text(before, path, source, &old, err);
    if (st)
        return st;
    ken_arena a;
    ken_arena_init(&a, 0);
    bool is_right = !load_text(after, path, source, &new, NULL) &&
                    new->values[key].source == (is_set ? source : KEN_CONFIG_DEFAULT);
    for (size_t i = 0; i < KEN_CFG_COUNT && is_right; i++)
        is_right = i == (size_t)key || ken_str_eq(ken_config_format(old, (ken_config_key)i, &a),
                                                  ken_config_format(new, (ken_config_key)i, &a));
    if (!is_right)
        st = KEN_FAIL(err, KEN_EINVAL,
                      "%s: the file has a shape in which one setting cannot be changed; use 'ken "
                      "config edit'",
                      path);
    ken_arena_release(&a);
    ken_config_free(old);
    ken_config_free(new);
    return st;
}

static ken_status write_file(const char *path, ken_str text, ken_err *err)
{
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_str folder = ken_arena_dup(&a, ken_path_dir(ken_str_c(path)));
    ken_status st = ken_fs_make_dirs(folder.ptr, 0700, err);
    if (!st)
        st = ken_fs_replace(path, text, err);
    ken_arena_release(&a);
    return st;
}

static ken_status finish(change *c, ken_str text, const char *path, ken_config_source source,
                         ken_config_key key, bool is_set, ken_err *err)
{
    ken_buf after = KEN_BUF_INIT(2 * CONFIG_FILE_MAX);
    apply(c, text, &after);
    ken_status st = check_result(text, ken_buf_str(&after), path, source, key, is_set, err);
    if (!st)
        st = write_file(path, ken_buf_str(&after), err);
    ken_buf_release(&after);
    ken_buf_release(&c->by);
    return st;
}

// The text of the file, which is checked, and the places in it.
static ken_status open_file(const char *path, ken_config_source source, ken_config_key key,
                            ken_buf *text, places *out, ken_err *err)
{
    ken_status st = read_file(path, source, text, err);
    if (!st)
        st = ken_config_edit_check(ken_buf_str(text), path, source, err);
    if (!st && !locate(ken_buf_str(text), ken_config__rows[key].name, out))
        st = KEN_FAIL(err, KEN_EINVAL, "%s: not valid YAML", path);
    return st;
}

// Told before the file is looked at, and without its name: what is wrong is what was typed.
static ken_status check_value(ken_config_source source, ken_config_key key, ken_str value,
                              ken_err *err)
{
    const config_row *row = &ken_config__rows[key];
    if (source == KEN_CONFIG_PROJECT_FILE && row->is_for_owner)
        return KEN_FAIL(err, KEN_EINVAL,
                        "'%s' may not be set by a project; set it in your own config.yaml",
                        row->name);
    // A text may hold ${VAR}, which loading expands.
    if (ken_str_find(value, KEN_STR("${")) != SIZE_MAX)
        return KEN_OK;
    ken_config c = { 0 };
    ken_arena_init(&c.arena, 0);
    config_input in = { source, "the value", "", NULL, 0 };
    ken_status st = ken_config__set_text(&c, key, value, in, err);
    ken_arena_release(&c.arena);
    return st;
}

ken_status ken_config_edit_set(const char *path, ken_config_source source, ken_config_key key,
                               ken_str value, ken_err *err)
{
    const config_row *row = &ken_config__rows[key];
    ken_buf text = KEN_BUF_INIT(CONFIG_FILE_MAX + 2);
    places p = { 0 };
    ken_status st = check_value(source, key, value, err);
    if (!st)
        st = open_file(path, source, key, &text, &p, err);
    if (!st) {
        change c = { .by = KEN_BUF_INIT(0) };
        ken_buf shown = KEN_BUF_INIT(0);
        put_value(&shown, ken_buf_str(&text), &p, row->type, value);
        plan_set(&c, ken_buf_str(&text), &p, row->name, ken_buf_str(&shown));
        st = finish(&c, ken_buf_str(&text), path, source, key, true, err);
        ken_buf_release(&shown);
    }
    ken_buf_release(&text);
    return st;
}

ken_status ken_config_edit_unset(const char *path, ken_config_source source, ken_config_key key,
                                 bool *out_was_set, ken_err *err)
{
    ken_buf text = KEN_BUF_INIT(CONFIG_FILE_MAX + 2);
    places p = { 0 };
    ken_status st = open_file(path, source, key, &text, &p, err);
    if (!st && p.has_key) {
        change c = { .by = KEN_BUF_INIT(0) };
        plan_unset(&c, ken_buf_str(&text), &p);
        st = finish(&c, ken_buf_str(&text), path, source, key, false, err);
    }
    if (!st)
        *out_was_set = p.has_key;
    ken_buf_release(&text);
    return st;
}
