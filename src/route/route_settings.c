// SPDX-License-Identifier: MIT
#include "route/route_settings.h"

#include <yaml.h>

enum {
    TEXT_MAX = 256 * 1024,
    DOCUMENTS_MAX = 64,
    DEEP_MAX = 16
};

static size_t skip_quiet(ken_str s, size_t at)
{
    while (at < s.len && (s.ptr[at] == '-' || s.ptr[at] == '_'))
        at++;
    return at;
}

// Takes a key off the front of another one, capitals, '-' and '_' aside.
static bool take_key(ken_str *rest, ken_str key)
{
    size_t i = 0, k = 0;
    for (;;) {
        i = skip_quiet(*rest, i);
        k = skip_quiet(key, k);
        if (k == key.len)
            break;
        if (i == rest->len || ken_lower(rest->ptr[i++]) != ken_lower(key.ptr[k++]))
            return false;
    }
    if (i < rest->len && rest->ptr[i] != '.')
        return false;
    *rest = ken_str_sub(*rest, i + (i < rest->len), rest->len);
    return true;
}

// ---- lines --------------------------------------------------------------------------------------

static bool read_lines(ken_str text, ken_str key, ken_str *out)
{
    bool is_found = false;
    ken_str line;
    while (ken_str_line_next(&text, &line)) {
        line = ken_str_trim(line);
        size_t at = 0;
        while (at < line.len && line.ptr[at] != '=' && line.ptr[at] != ':')
            at++;
        if (!line.len || line.ptr[0] == '#' || line.ptr[0] == '!' || at == line.len)
            continue;
        ken_str rest = key;
        if (!take_key(&rest, ken_str_trim(ken_str_sub(line, 0, at))) || rest.len)
            continue;
        *out = ken_str_trim(ken_str_sub(line, at + 1, line.len));
        is_found = true;
    }
    return is_found;
}

// ---- YAML ---------------------------------------------------------------------------------------

static ken_str scalar(const yaml_node_t *n)
{
    if (!n || n->type != YAML_SCALAR_NODE)
        return KEN_STR("");
    return ken_str_n((const char *)n->data.scalar.value, n->data.scalar.length);
}

// `a: {b: x}`, `a.b: x` and mixtures.
static const yaml_node_t *find(yaml_document_t *doc, const yaml_node_t *n, ken_str key, int depth)
{
    if (!n || !key.len)
        return key.len ? NULL : n;
    if (n->type != YAML_MAPPING_NODE || depth > DEEP_MAX)
        return NULL;
    const yaml_node_t *found = NULL;
    for (yaml_node_pair_t *p = n->data.mapping.pairs.start; !found && p < n->data.mapping.pairs.top;
         p++) {
        ken_str rest = key, name = scalar(yaml_document_get_node(doc, p->key));
        if (name.len && take_key(&rest, name))
            found = find(doc, yaml_document_get_node(doc, p->value), rest, depth + 1);
    }
    return found;
}

// Whether a document holds for a profile alone.
static bool is_of_profile(yaml_document_t *doc, const yaml_node_t *root)
{
    return find(doc, root, KEN_STR("spring.config.activate.on-profile"), 0) ||
           (find(doc, root, KEN_STR("spring.profiles"), 0) &&
            find(doc, root, KEN_STR("spring.profiles"), 0)->type != YAML_MAPPING_NODE);
}

static bool read_yaml(ken_str text, ken_str key, ken_arena *arena, ken_str *out)
{
    yaml_parser_t parser;
    yaml_document_t doc;
    bool is_found = false, is_more = true;
    if (!yaml_parser_initialize(&parser))
        return false;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text.ptr, text.len);
    for (int i = 0; is_more && i < DOCUMENTS_MAX && yaml_parser_load(&parser, &doc); i++) {
        yaml_node_t *root = yaml_document_get_root_node(&doc);
        ken_str value =
            root && !is_of_profile(&doc, root) ? scalar(find(&doc, root, key, 0)) : KEN_STR("");
        if (value.len) {
            *out = ken_arena_dup(arena, value);
            is_found = true;
        }
        is_more = root != NULL;
        yaml_document_delete(&doc);
    }
    yaml_parser_delete(&parser);
    return is_found;
}

bool ken_route_setting(ken_str path, ken_str text, ken_str key, ken_arena *arena, ken_str *out)
{
    ken_str value;
    if (text.len > TEXT_MAX)
        return false;
    if (ken_str_ends(path, KEN_STR(".yml")) || ken_str_ends(path, KEN_STR(".yaml")))
        return read_yaml(text, key, arena, out);
    if (!read_lines(text, key, &value))
        return false;
    *out = ken_arena_dup(arena, value);
    return true;
}
