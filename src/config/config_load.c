// SPDX-License-Identifier: MIT
// Reads one settings file: a mapping of sections, each a mapping of keys to a value or a list.
//
// libyaml's events are walked with one function per level, so depth is bounded by the shape itself
// and nothing is built in memory; aliases are refused, so nothing can grow. Places in errors are
// "file:line:column", 1-based.
#include <stdarg.h>
#include <stdio.h>

#include <yaml.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "base/map.h"
#include "base/utf8.h"
#include "config/config.h"
#include "config/config_priv.h"

typedef struct reader {
    ken_config *c;
    const char *path;
    ken_config_source source;
    yaml_parser_t parser;
    yaml_event_t event; // the one that is looked at
    bool has_event;
    ken_map seen;  // "section" and "section.key" that this file set
    ken_str unset; // a variable that the value needs and that is not set
    char at[1024];
} reader;

static const char *set_at(reader *r, yaml_mark_t mark)
{
    snprintf(r->at, sizeof r->at, "%.900s:%zu:%zu", r->path, mark.line + 1, mark.column + 1);
    return r->at;
}

#define FAIL_HERE(r, ...) fail_at((r), KEN_HERE, (err), __VA_ARGS__)

static ken_status fail_at(reader *r, const char *here, ken_err *err, const char *fmt, ...)
    KEN_PRINTF(4, 5);
static ken_status fail_at(reader *r, const char *here, ken_err *err, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return ken_err_set(err, KEN_EINVAL, here, "%s: %s", r->at, text);
}

static ken_status next(reader *r, ken_err *err)
{
    if (r->has_event)
        yaml_event_delete(&r->event);
    r->has_event = false;
    if (!yaml_parser_parse(&r->parser, &r->event)) {
        yaml_mark_t mark = r->parser.problem_mark;
        set_at(r, mark);
        return FAIL_HERE(r, "not valid YAML: %s",
                         r->parser.problem ? r->parser.problem : "cannot be read");
    }
    r->has_event = true;
    set_at(r, r->event.start_mark);
    if (r->event.type == YAML_ALIAS_EVENT)
        return FAIL_HERE(r, "aliases are not supported; write the value out");
    return KEN_OK;
}

static ken_str scalar_of(const reader *r)
{
    return ken_str_n((const char *)r->event.data.scalar.value, r->event.data.scalar.length);
}

static bool is_null(const reader *r)
{
    ken_str s = scalar_of(r);
    return r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
           (!s.len || ken_str_eq_c(s, "~") || ken_str_eq_c(s, "null"));
}

// ---- ${VAR} ----

static bool is_name(ken_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!ken_is_word(s.ptr[i]))
            return false;
    return s.len && !ken_is_digit(s.ptr[0]);
}

// Appends what "${VAR}" or "${VAR:-default}" stands for; `inside` is the text between the braces.
static ken_status expand_variable(reader *r, ken_str inside, ken_buf *out, ken_err *err)
{
    size_t at = ken_str_find(inside, KEN_STR(":-"));
    ken_str name = ken_str_sub(inside, 0, at);
    if (!is_name(name))
        return FAIL_HERE(r,
                         "'${' needs a variable name and a '}'; write '$${' for the text itself");
    if (r->source == KEN_CONFIG_PROJECT_FILE)
        return FAIL_HERE(
            r, "variables such as '${" KEN_STR_FMT "}' are expanded in your own config.yaml only",
            KEN_STR_ARG(name));
    const char *value = ken_config_env(ken_arena_dup(&r->c->arena, name).ptr);
    if (!value && at == SIZE_MAX) {
        r->unset = ken_arena_dup(&r->c->arena, name);
        return FAIL_HERE(r, "environment variable '" KEN_STR_FMT "' is not set", KEN_STR_ARG(name));
    }
    ken_buf_put_str(out, value ? ken_str_c(value) : ken_str_sub(inside, at + 2, inside.len));
    return KEN_OK;
}

// Expands variables; "$${" stands for "${".
static ken_status expand(reader *r, ken_str in, ken_str *out, ken_err *err)
{
    ken_buf b = KEN_BUF_INIT(CONFIG_VALUE_MAX);
    ken_status st = KEN_OK;
    if (!in.ptr)
        in = KEN_STR("");
    while (in.len && !st) {
        size_t n = 1;
        if (ken_str_starts(in, KEN_STR("$${"))) {
            ken_buf_puts(&b, "${");
            n = 3;
        } else if (ken_str_starts(in, KEN_STR("${"))) {
            size_t end = ken_str_find_char(in, '}');
            n = end == SIZE_MAX ? in.len : end + 1;
            st = expand_variable(r, ken_str_sub(in, 2, end == SIZE_MAX ? 2 : end), &b, err);
        } else {
            ken_buf_putc(&b, in.ptr[0]);
        }
        in = ken_str_sub(in, n, in.len);
    }
    if (!st && b.is_over)
        st = FAIL_HERE(r, "the value is over the limit of %d bytes", CONFIG_VALUE_MAX);
    if (!st)
        *out = ken_arena_dup(&r->c->arena, ken_buf_str(&b));
    ken_buf_release(&b);
    return st;
}

// ---- keys ----

// The names of the sections, or of the keys of one section, for "did you mean".
static size_t known_names(ken_arena *a, ken_str section, const char *names[CONFIG_NAMES_MAX])
{
    const char *all[CONFIG_NAMES_MAX];
    size_t n = 0, n_all = ken_config__list_names(all);
    for (size_t i = 0; i < n_all; i++) {
        ken_str full = ken_str_c(all[i]);
        size_t dot = ken_str_find_char(full, '.');
        ken_str own = ken_str_sub(full, 0, dot);
        if (section.len && !ken_str_eq(own, section))
            continue;
        names[n++] = section.len ? full.ptr + dot + 1 : ken_arena_dup(a, own).ptr;
    }
    return n;
}

static ken_status fail_unknown(reader *r, ken_str section, ken_str key, ken_err *err)
{
    const char *names[CONFIG_NAMES_MAX];
    size_t n = known_names(&r->c->arena, section, names);
    const char *near = ken_config_nearest(key, names, n);
    key = ken_utf8_clip(key, 60);
    ken_str full = section.len ? ken_arena_printf(&r->c->arena, KEN_STR_FMT "." KEN_STR_FMT,
                                                  KEN_STR_ARG(section), KEN_STR_ARG(key))
                               : key;
    const char *what = section.len ? "key" : "section";
    if (near)
        return FAIL_HERE(r, "unknown %s '" KEN_STR_FMT "', did you mean '%s'?", what,
                         KEN_STR_ARG(full), near);
    return FAIL_HERE(r, "unknown %s '" KEN_STR_FMT "'; ken config show lists all", what,
                     KEN_STR_ARG(full));
}

static bool is_known_section(ken_str section)
{
    const char *all[CONFIG_NAMES_MAX];
    size_t n = ken_config__list_names(all);
    for (size_t i = 0; i < n; i++) {
        ken_str full = ken_str_c(all[i]);
        if (ken_str_eq(ken_str_sub(full, 0, ken_str_find_char(full, '.')), section))
            return true;
    }
    return false;
}

// A name in a file: one of our keys, a second name of one, or one that nothing uses.
typedef struct entry {
    ken_config_key key;
    config_form form;
    const config_unused_name *unused; // then there is no key
    const char *name;                 // of the key, or that nothing uses
} entry;

static ken_status find_entry(reader *r, ken_str section, ken_str key, entry *out, ken_err *err)
{
    ken_str full = ken_arena_printf(&r->c->arena, KEN_STR_FMT "." KEN_STR_FMT, KEN_STR_ARG(section),
                                    KEN_STR_ARG(ken_utf8_clip(key, 60)));
    const config_other_name *other = ken_config__find_other(full);
    entry e = { .unused = ken_config__find_unused(full), .key = KEN_CFG_COUNT };
    if (other)
        e = (entry){ .key = other->key, .form = other->form };
    for (size_t i = 0; i < KEN_CFG_COUNT && !other; i++)
        if (ken_str_eq_c(full, ken_config__rows[i].name))
            e.key = (ken_config_key)i;
    if (e.key == KEN_CFG_COUNT && !e.unused)
        return fail_unknown(r, section, key, err);
    e.name = e.unused ? e.unused->name : ken_config__rows[e.key].name;
    bool is_for_owner = e.unused || ken_config__rows[e.key].is_for_owner;
    if (r->source == KEN_CONFIG_PROJECT_FILE && is_for_owner)
        return FAIL_HERE(r, "'%s' may not be set by a project; set it in your own config.yaml",
                         full.ptr);
    *out = e;
    return KEN_OK;
}

static ken_status mark_seen(reader *r, ken_str name, ken_err *err)
{
    bool is_new = false;
    (void)ken_map_put(&r->seen, name, 1, &is_new);
    return is_new ? KEN_OK
                  : FAIL_HERE(r, "'" KEN_STR_FMT "' stands twice in this file", KEN_STR_ARG(name));
}

// ---- the shape ----

// What nothing uses is not expanded: its variables need not be there.
static ken_status read_text(reader *r, const entry *e, ken_str *out, ken_err *err)
{
    if (is_null(r)) {
        *out = KEN_STR("");
        return KEN_OK;
    }
    if (!e->unused)
        return expand(r, scalar_of(r), out, err);
    *out = ken_arena_dup(&r->c->arena, ken_utf8_clip(scalar_of(r), CONFIG_VALUE_MAX));
    return KEN_OK;
}

static ken_status read_list(reader *r, const entry *e, ken_str **out, size_t *out_n, ken_err *err)
{
    ken_str *items = KEN_ARENA_ARRAY(&r->c->arena, ken_str, CONFIG_LIST_MAX + 1);
    size_t n = 0;
    for (;;) {
        ken_status st = next(r, err);
        if (st)
            return st;
        if (r->event.type == YAML_SEQUENCE_END_EVENT)
            break;
        if (r->event.type != YAML_SCALAR_EVENT)
            return FAIL_HERE(r, "an element of a list must be a text");
        if (n == CONFIG_LIST_MAX)
            return FAIL_HERE(r, "the list is over the limit of %d elements", CONFIG_LIST_MAX);
        st = read_text(r, e, &items[n++], err);
        if (st)
            return st;
    }
    *out = items;
    *out_n = n;
    return KEN_OK;
}

static ken_status read_value(reader *r, const entry *e, ken_err *err)
{
    ken_status st = next(r, err);
    if (st)
        return st;
    ken_str one, *items = &one;
    size_t n = 1;
    yaml_mark_t mark = r->event.start_mark;
    ken_str where = ken_arena_printf(&r->c->arena, "%s:%zu", r->path, mark.line + 1);
    bool is_list = e->unused || ken_config__rows[e->key].type == KEN_CONFIG_LIST;
    bool is_secret = !e->unused && ken_config__rows[e->key].type == KEN_CONFIG_SECRET;
    r->unset = KEN_STR("");
    if (r->event.type == YAML_SEQUENCE_START_EVENT) {
        if (!is_list)
            return FAIL_HERE(r, "'%s' takes one value, not a list", e->name);
        st = read_list(r, e, &items, &n, err);
    } else if (r->event.type == YAML_SCALAR_EVENT) {
        n = is_null(r) && is_list ? 0 : 1;
        st = read_text(r, e, &one, err);
    } else {
        st = FAIL_HERE(r, "'%s' takes a value, not a mapping", e->name);
    }
    if (st && is_secret && r->unset.len) { // who needs it says so; the others go on without it
        ken_config__note_unset(r->c, e->name, r->unset, where);
        return KEN_OK;
    }
    if (st)
        return st;
    set_at(r, mark);
    if (e->unused) {
        ken_config__note_unused(r->c, e->unused, items, n, where);
        return KEN_OK;
    }
    ken_config__convert(&r->c->arena, e->form, items, n);
    config_input in = { r->source, r->at, where.ptr, items, n };
    return ken_config__set(r->c, e->key, &in, err);
}

static ken_status read_section(reader *r, ken_str section, ken_err *err)
{
    ken_status st = next(r, err);
    if (st)
        return st;
    if (r->event.type == YAML_SCALAR_EVENT && is_null(r))
        return KEN_OK; // "indexing:" with nothing below
    if (r->event.type != YAML_MAPPING_START_EVENT)
        return FAIL_HERE(r, "section '" KEN_STR_FMT "' must hold 'key: value' lines",
                         KEN_STR_ARG(section));
    for (;;) {
        st = next(r, err);
        if (st || r->event.type == YAML_MAPPING_END_EVENT)
            return st;
        if (r->event.type != YAML_SCALAR_EVENT)
            return FAIL_HERE(r, "a key must be a plain name");
        entry e = { 0 };
        st = find_entry(r, section, scalar_of(r), &e, err);
        if (!st)
            st = mark_seen(r, ken_str_c(e.name), err);
        if (!st)
            st = read_value(r, &e, err);
        if (st)
            return st;
    }
}

static ken_status read_top(reader *r, ken_err *err)
{
    if (r->event.type == YAML_SCALAR_EVENT && is_null(r))
        return KEN_OK;
    if (r->event.type != YAML_MAPPING_START_EVENT)
        return FAIL_HERE(r, "the file must hold sections, such as 'indexing:'");
    for (;;) {
        ken_status st = next(r, err);
        if (st || r->event.type == YAML_MAPPING_END_EVENT)
            return st;
        if (r->event.type != YAML_SCALAR_EVENT)
            return FAIL_HERE(r, "a section must be a plain name");
        if (!is_known_section(scalar_of(r)))
            return fail_unknown(r, KEN_STR(""), scalar_of(r), err);
        ken_str section = ken_arena_dup(&r->c->arena, scalar_of(r));
        st = mark_seen(r, section, err);
        if (!st)
            st = read_section(r, section, err);
        if (st)
            return st;
    }
}

static ken_status read_stream(reader *r, ken_err *err)
{
    bool has_document = false;
    for (;;) {
        ken_status st = next(r, err);
        if (st || r->event.type == YAML_STREAM_END_EVENT)
            return st;
        if (r->event.type == YAML_STREAM_START_EVENT || r->event.type == YAML_DOCUMENT_END_EVENT)
            continue;
        if (r->event.type == YAML_DOCUMENT_START_EVENT) {
            if (has_document)
                return FAIL_HERE(r, "the file must hold one YAML document");
            has_document = true;
            continue;
        }
        st = read_top(r, err);
        if (st)
            return st;
    }
}

ken_status ken_config__read_text(ken_config *c, ken_str text, const char *path,
                                 ken_config_source source, ken_err *err)
{
    reader r = { .c = c, .path = path, .source = source };
    if (!yaml_parser_initialize(&r.parser))
        return KEN_FAIL(err, KEN_ENOMEM, "reading settings '%s'", path);
    ken_map_init(&r.seen);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)(text.len ? text.ptr : ""),
                                 text.len);
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    ken_status st = read_stream(&r, err);
    if (r.has_event)
        yaml_event_delete(&r.event);
    yaml_parser_delete(&r.parser);
    ken_map_release(&r.seen);
    return st;
}

ken_status ken_config__read_file(ken_config *c, const char *path, ken_config_source source,
                                 ken_err *err)
{
    ken_buf text = KEN_BUF_INIT(CONFIG_FILE_MAX + 2);
    ken_err e = { 0 };
    // A project's file is read without following links, so that it cannot show another file.
    ken_status st = source == KEN_CONFIG_PROJECT_FILE
                        ? ken_fs_read(KEN_FS_CWD, path, CONFIG_FILE_MAX, &text, NULL, &e)
                        : ken_fs_read_own(path, CONFIG_FILE_MAX, &text, &e);
    if (!st) {
        st = ken_config__read_text(c, ken_buf_str(&text), path, source, err);
    } else if (st == KEN_ENOTFOUND) {
        st = KEN_OK;
    } else {
        (void)ken_err_wrap(&e, "settings");
        if (err)
            *err = e;
    }
    ken_buf_release(&text);
    return st;
}
