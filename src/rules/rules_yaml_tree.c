// SPDX-License-Identifier: MIT
// YAML as a small tree with places, so that what is wrong can be named by line and column.
//
// Events are taken one by one: aliases are refused, depth and number of nodes are bounded, so no
// text can grow beyond what its own bytes allow.
#include <yaml.h>

#include "base/arena.h"
#include "rules/rules_priv.h"

enum {
    DEPTH_MAX = 32,
    NODES_MAX = 50000,
};

typedef struct tree_reader {
    yaml_parser_t parser;
    yaml_event_t event;
    bool has_event;
    ken_str path;
    ken_arena *arena;
    size_t n_nodes;
    ken_err *err;
} tree_reader;

static rules_place place_of(yaml_mark_t mark)
{
    return (rules_place){ (uint32_t)mark.line, (uint32_t)mark.column };
}

static ken_status fail(tree_reader *t, yaml_mark_t mark, const char *what)
{
    return KEN_FAIL(t->err, KEN_EINVAL, KEN_STR_FMT ":%zu:%zu: %s", KEN_STR_ARG(t->path),
                    mark.line + 1, mark.column + 1, what);
}

static ken_status next(tree_reader *t)
{
    if (t->has_event)
        yaml_event_delete(&t->event);
    t->has_event = false;
    if (!yaml_parser_parse(&t->parser, &t->event)) {
        const char *problem = t->parser.problem ? t->parser.problem : "cannot be read";
        ken_str what = ken_arena_printf(t->arena, "not valid YAML: %.200s", problem);
        return fail(t, t->parser.problem_mark, what.ptr);
    }
    t->has_event = true;
    if (t->event.type == YAML_ALIAS_EVENT)
        return fail(t, t->event.start_mark, "aliases are not supported; write the value out");
    return KEN_OK;
}

// The last line that has text of the event: an end mark at the start of a line is the line before.
static uint32_t last_line_of(const yaml_event_t *e)
{
    bool is_before = e->end_mark.column == 0 && e->end_mark.line > e->start_mark.line;
    return (uint32_t)(e->end_mark.line - is_before);
}

static ken_status read_node(tree_reader *t, int depth, rules_node *out);

// One member of the list or map `to`; the event that begins it has been read.
static ken_status read_member(tree_reader *t, int depth, rules_node *to, rules_node ***tail)
{
    if (++t->n_nodes > NODES_MAX)
        return fail(t, t->event.start_mark, "over the limit of 50000 values");
    rules_node *n = KEN_ARENA_NEW(t->arena, rules_node);
    ken_status st = KEN_OK;
    if (to->type == RULES_MAP) {
        if (t->event.type != YAML_SCALAR_EVENT)
            return fail(t, t->event.start_mark, "a key must be a plain name");
        n->key = ken_arena_dup(t->arena, ken_str_n((const char *)t->event.data.scalar.value,
                                                   t->event.data.scalar.length));
        n->key_at = place_of(t->event.start_mark);
        st = next(t);
    }
    if (!st)
        st = read_node(t, depth + 1, n);
    if (st)
        return st;
    if (n->last_line > to->last_line)
        to->last_line = n->last_line;
    **tail = n;
    *tail = &n->next;
    to->n++;
    return KEN_OK;
}

static ken_status read_members(tree_reader *t, int depth, rules_node *to)
{
    yaml_event_type_t end =
        to->type == RULES_MAP ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;
    rules_node **tail = &to->first;
    if (depth >= DEPTH_MAX)
        return fail(t, t->event.start_mark, "over the limit of 32 levels");
    for (;;) {
        ken_status st = next(t);
        if (st || t->event.type == end)
            return st;
        st = read_member(t, depth, to, &tail);
        if (st)
            return st;
    }
}

// The value whose first event has been read.
static ken_status read_node(tree_reader *t, int depth, rules_node *out)
{
    out->at = place_of(t->event.start_mark);
    out->last_line = out->at.line;
    if (t->event.type == YAML_SCALAR_EVENT) {
        out->type = RULES_SCALAR;
        out->last_line = last_line_of(&t->event);
        out->text = ken_arena_dup(t->arena, ken_str_n((const char *)t->event.data.scalar.value,
                                                      t->event.data.scalar.length));
        return KEN_OK;
    }
    bool is_list = t->event.type == YAML_SEQUENCE_START_EVENT;
    if (!is_list && t->event.type != YAML_MAPPING_START_EVENT)
        return fail(t, t->event.start_mark, "not a value");
    out->type = is_list ? RULES_LIST : RULES_MAP;
    return read_members(t, depth, out);
}

static bool is_frame(yaml_event_type_t type)
{
    return type == YAML_STREAM_START_EVENT || type == YAML_DOCUMENT_START_EVENT ||
           type == YAML_DOCUMENT_END_EVENT;
}

static ken_status read_stream(tree_reader *t, rules_node **out)
{
    rules_node *root = NULL;
    for (;;) {
        ken_status st = next(t);
        if (st)
            return st;
        if (t->event.type == YAML_STREAM_END_EVENT)
            break;
        if (is_frame(t->event.type))
            continue;
        if (root)
            return fail(t, t->event.start_mark, "the file must hold one YAML document");
        root = KEN_ARENA_NEW(t->arena, rules_node);
        st = read_node(t, 0, root);
        if (st)
            return st;
    }
    *out = root;
    return KEN_OK;
}

ken_status ken_rules__load_yaml(ken_str path, ken_str text, ken_arena *arena, rules_node **out,
                                ken_err *err)
{
    tree_reader t = { .path = path, .arena = arena, .err = err };
    if (!yaml_parser_initialize(&t.parser))
        return KEN_FAIL(err, KEN_ENOMEM, "reading '" KEN_STR_FMT "'", KEN_STR_ARG(path));
    yaml_parser_set_input_string(&t.parser, (const unsigned char *)(text.len ? text.ptr : ""),
                                 text.len);
    yaml_parser_set_encoding(&t.parser, YAML_UTF8_ENCODING);
    ken_status st = read_stream(&t, out);
    if (t.has_event)
        yaml_event_delete(&t.event);
    yaml_parser_delete(&t.parser);
    return st;
}

rules_node *ken_rules__member(const rules_node *map, const char *key)
{
    for (rules_node *n = map->first; n; n = n->next)
        if (ken_str_eq_c(n->key, key))
            return n;
    return NULL;
}
