// SPDX-License-Identifier: MIT
// Frameworks from YAML, and the rule that a literal meets.
#include "route/route.h"

#include <stddef.h>
#include <stdio.h>

#include <yaml.h>

#include "base/assert.h"
#include "embed_frameworks.h"

enum {
    FRAMEWORKS_MAX = 200
};

typedef struct route_reader {
    yaml_document_t doc;
    ken_str file;
    ken_arena *arena;
    ken_err *err;
} route_reader;

static ken_status fail(const route_reader *r, const yaml_node_t *at, const char *expected)
{
    return KEN_FAIL(r->err, KEN_EINVAL, KEN_STR_FMT ":%zu: expected %s", KEN_STR_ARG(r->file),
                    at ? at->start_mark.line + 1 : (size_t)1, expected);
}

static ken_str text_of(const route_reader *r, const yaml_node_t *n)
{
    if (!n || n->type != YAML_SCALAR_NODE)
        return (ken_str){ NULL, 0 };
    return ken_arena_dup(r->arena,
                         ken_str_n((const char *)n->data.scalar.value, n->data.scalar.length));
}

static ken_status read_flag(const route_reader *r, const yaml_node_t *n, bool *out)
{
    ken_str text = text_of(r, n);
    *out = text.ptr && ken_str_eq(text, KEN_STR("true"));
    return *out || (text.ptr && ken_str_eq(text, KEN_STR("false"))) ? KEN_OK
                                                                    : fail(r, n, "true or false");
}

static ken_status read_list(route_reader *r, yaml_node_t *n, ken_str *out, uint32_t max,
                            uint32_t *out_n)
{
    if (n->type != YAML_SEQUENCE_NODE)
        return fail(r, n, "a list of words");
    for (yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++) {
        ken_str text = text_of(r, yaml_document_get_node(&r->doc, *i));
        if (!text.len || *out_n == max)
            return fail(r, n, "a list of at most 24 words");
        out[(*out_n)++] = text;
    }
    return KEN_OK;
}

static ken_status read_form(const route_reader *r, const yaml_node_t *n, ken_route_form *out)
{
    static const char *const words[] = { "path",    "chain", "inner",  "method", "mount",
                                         "include", "nest",  "global", "bare" };
    ken_str text = text_of(r, n);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ken_str_eq_c(text, words[i])) {
            *out = (ken_route_form)i;
            return KEN_OK;
        }
    return fail(r, n, "one of path, chain, inner, method, mount, include, nest, global, bare");
}

static ken_status read_rule(route_reader *r, yaml_node_t *n, ken_route_rule *out)
{
    *out = (ken_route_rule){ .wants_path = true };
    if (n->type != YAML_MAPPING_NODE)
        return fail(r, n, "a rule with 'names'");
    ken_status st = KEN_OK;
    bool has_path = false;
    for (yaml_node_pair_t *p = n->data.mapping.pairs.start; !st && p < n->data.mapping.pairs.top;
         p++) {
        yaml_node_t *k = yaml_document_get_node(&r->doc, p->key),
                    *v = yaml_document_get_node(&r->doc, p->value);
        ken_str key = text_of(r, k);
        if (ken_str_eq(key, KEN_STR("names"))) {
            st = read_list(r, v, out->names, KEN_ROUTE_NAMES, &out->n_names);
        } else if (ken_str_eq(key, KEN_STR("method"))) {
            out->method = text_of(r, v);
        } else if (ken_str_eq(key, KEN_STR("decorates"))) {
            st = read_flag(r, v, &out->decorates);
        } else if (ken_str_eq(key, KEN_STR("prefix"))) {
            st = read_flag(r, v, &out->is_prefix);
        } else if (ken_str_eq(key, KEN_STR("event"))) {
            st = read_flag(r, v, &out->is_event);
        } else if (ken_str_eq(key, KEN_STR("form"))) {
            st = read_form(r, v, &out->form);
        } else if (ken_str_eq(key, KEN_STR("path"))) {
            has_path = true;
            st = read_flag(r, v, &out->wants_path);
        } else {
            st = fail(r, k, "one of names, method, form, decorates, prefix, event, path");
        }
    }
    if (!has_path)
        out->wants_path = !out->is_event && !out->decorates && out->form < KEN_ROUTE_METHOD;
    return !st && !out->n_names ? fail(r, n, "'names': what is called") : st;
}

typedef ken_status item_fn(route_reader *r, yaml_node_t *item, ken_framework *out);

// Reads each item of a list; `n_held` counts what has been read, at most `max`.
static ken_status each_item(route_reader *r, yaml_node_t *n, const char *what, uint32_t max,
                            const uint32_t *n_held, item_fn *read, ken_framework *out)
{
    if (n->type != YAML_SEQUENCE_NODE)
        return fail(r, n, ken_arena_printf(r->arena, "a list of %s", what).ptr);
    ken_status st = KEN_OK;
    for (yaml_node_item_t *i = n->data.sequence.items.start; !st && i < n->data.sequence.items.top;
         i++) {
        if (*n_held == max)
            return fail(r, n, ken_arena_printf(r->arena, "at most %u %s", max, what).ptr);
        st = read(r, yaml_document_get_node(&r->doc, *i), out);
    }
    return st;
}

static ken_status add_rule(route_reader *r, yaml_node_t *n, ken_framework *out)
{
    ken_route_rule *rule = &out->rules[out->n_rules++];
    return read_rule(r, n, rule);
}

static ken_status read_site(route_reader *r, yaml_node_t *n, ken_binding_site *out)
{
    static const char *const words[] = { "call", "type", "function", "provider" };
    ken_str text = text_of(r, n);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ken_str_eq_c(text, words[i])) {
            *out = (ken_binding_site)i;
            return KEN_OK;
        }
    return fail(r, n, "one of call, type, function, provider");
}

static ken_status read_binding(route_reader *r, yaml_node_t *n, ken_binding_rule *out)
{
    *out = (ken_binding_rule){ .site = KEN_BINDING_CALL };
    if (n->type != YAML_MAPPING_NODE)
        return fail(r, n, "a binding with 'names'");
    ken_status st = KEN_OK;
    for (yaml_node_pair_t *p = n->data.mapping.pairs.start; !st && p < n->data.mapping.pairs.top;
         p++) {
        yaml_node_t *k = yaml_document_get_node(&r->doc, p->key),
                    *v = yaml_document_get_node(&r->doc, p->value);
        ken_str key = text_of(r, k);
        if (ken_str_eq(key, KEN_STR("names")))
            st = read_list(r, v, out->names, KEN_ROUTE_NAMES, &out->n_names);
        else if (ken_str_eq(key, KEN_STR("on")))
            st = read_site(r, v, &out->site);
        else if (ken_str_eq(key, KEN_STR("key")))
            out->key = text_of(r, v);
        else if (ken_str_eq(key, KEN_STR("to")))
            st = read_list(r, v, out->to, KEN_BINDING_WORDS, &out->n_to);
        else
            st = fail(r, k, "one of names, on, key, to");
    }
    if (out->key.len)
        out->site = KEN_BINDING_KEY;
    return !st && !out->n_names ? fail(r, n, "'names': what is called") : st;
}

static ken_status add_binding(route_reader *r, yaml_node_t *n, ken_framework *out)
{
    return read_binding(r, n, &out->bindings[out->n_bindings++]);
}

typedef struct word_list {
    const char *key;
    size_t words, n; // where in a framework
} word_list;

#define WORDS(name)                                                             \
    {                                                                           \
#name, offsetof(ken_framework, name), offsetof(ken_framework, n_##name) \
    }

// Reads a key whose value is a list of words; false when it is none of these.
static bool read_words(route_reader *r, ken_str key, yaml_node_t *v, ken_framework *out,
                       ken_status *st)
{
    static const word_list lists[] = { WORDS(languages),  WORDS(modules),    WORDS(apps),
                                       WORDS(routers),    WORDS(methods),    WORDS(paths),
                                       WORDS(prefixes),   WORDS(qualifiers), WORDS(primary),
                                       WORDS(files),      WORDS(settings),   WORDS(guards),
                                       WORDS(guard_bases) };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (!ken_str_eq_c(key, lists[i].key))
            continue;
        void *words = (char *)out + lists[i].words, *n = (char *)out + lists[i].n;
        *st = read_list(r, v, words, KEN_ROUTE_WORDS, n);
        return true;
    }
    return false;
}

static ken_status read_key(route_reader *r, yaml_node_t *k, yaml_node_t *v, ken_framework *out)
{
    ken_str key = text_of(r, k);
    ken_status st = KEN_OK;
    if (ken_str_eq(key, KEN_STR("name")))
        out->name = text_of(r, v);
    else if (ken_str_eq(key, KEN_STR("absolute")))
        return read_flag(r, v, &out->is_absolute);
    else if (ken_str_eq(key, KEN_STR("rules")))
        return each_item(r, v, "rules", KEN_ROUTE_RULES, &out->n_rules, add_rule, out);
    else if (ken_str_eq(key, KEN_STR("bindings")))
        return each_item(r, v, "bindings", KEN_BINDING_RULES, &out->n_bindings, add_binding, out);
    else if (!read_words(r, key, v, out, &st))
        return fail(
            r, k,
            "one of name, languages, modules, rules, apps, routers, methods, paths, "
            "prefixes, guards, guard_bases, files, settings, absolute, bindings, qualifiers, "
            "primary");
    return st;
}

static ken_status read_framework(route_reader *r, ken_framework *out)
{
    yaml_node_t *root = yaml_document_get_root_node(&r->doc);
    if (!root || root->type != YAML_MAPPING_NODE)
        return fail(r, root, "name, languages, modules and rules");
    ken_status st = KEN_OK;
    for (yaml_node_pair_t *p = root->data.mapping.pairs.start;
         !st && p < root->data.mapping.pairs.top; p++) {
        st = read_key(r, yaml_document_get_node(&r->doc, p->key),
                      yaml_document_get_node(&r->doc, p->value), out);
    }
    if (!st && (!out->name.len || !out->n_languages || !(out->n_rules + out->n_bindings)))
        st = fail(r, root, "name, languages and rules or bindings");
    return st;
}

static void put(ken_frameworks *f, const ken_framework *it)
{
    for (size_t i = 0; i < f->items.len; i++)
        if (ken_str_eq(f->items.ptr[i].name, it->name)) {
            f->items.ptr[i] = *it;
            return;
        }
    ken_vec_push(&f->items, *it);
}

ken_status ken_frameworks_add(ken_frameworks *f, ken_str file, ken_str yaml, ken_err *err)
{
    route_reader r = { .file = file, .arena = &f->arena, .err = err };
    yaml_parser_t parser;
    if (yaml.len > KEN_ROUTE_FILE_MAX || f->items.len >= FRAMEWORKS_MAX)
        return fail(&r, NULL, "at most 64 KiB, and 200 frameworks");
    if (!yaml_parser_initialize(&parser))
        return KEN_FAIL(err, KEN_ENOMEM, "no memory for reading YAML");
    yaml_parser_set_input_string(&parser, (const unsigned char *)yaml.ptr, yaml.len);
    ken_status st = KEN_OK;
    if (!yaml_parser_load(&parser, &r.doc)) {
        st = KEN_FAIL(err, KEN_EINVAL, KEN_STR_FMT ":%zu: %s", KEN_STR_ARG(file),
                      parser.problem_mark.line + 1, parser.problem ? parser.problem : "bad YAML");
    } else {
        ken_framework *it = KEN_ARENA_NEW(&f->arena, ken_framework);
        st = read_framework(&r, it);
        if (!st)
            put(f, it);
        yaml_document_delete(&r.doc);
    }
    yaml_parser_delete(&parser);
    return st;
}

bool ken_frameworks_is_file(ken_str path)
{
    return ken_str_starts(path, KEN_STR(KEN_FRAMEWORKS_FOLDER "/")) &&
           (ken_str_ends(path, KEN_STR(".yaml")) || ken_str_ends(path, KEN_STR(".yml")));
}

void ken_frameworks_init(ken_frameworks *f)
{
    *f = (ken_frameworks){ 0 };
    ken_arena_init(&f->arena, 0);
    for (size_t i = 0; i < ken_embed_frameworks_count; i++) {
        ken_str yaml = ken_str_n((const char *)ken_embed_frameworks_table[i].data,
                                 ken_embed_frameworks_table[i].len);
        ken_str file = ken_str_c(ken_embed_frameworks_table[i].path);
        ken_status st = ken_frameworks_add(f, file, yaml, NULL);
        KEN_ASSERT(!st); // they are ours, and a unit test reads each
    }
}

void ken_frameworks_release(ken_frameworks *f)
{
    ken_vec_release(&f->items);
    ken_arena_release(&f->arena);
}

// ---- rules -------------------------------------------------------------------------------------

// `use A\B` is an import of "A\B", `from a import b` one of "a.b".
static bool is_name_of(const ken_bind *b, ken_str module)
{
    size_t at = b->module.len;
    return b->name.len && ken_str_starts(module, b->module) && at < module.len &&
           memchr("./:\\", module.ptr[at], 4) &&
           ken_str_eq(ken_str_sub(module, at + 1, module.len), b->name);
}

// "flask" is imported by `flask`, `flask.views`, `flask/x`, `flask::x` and `flask\x`, and by what
// is called so here: `const express = require('../../')`.
static bool is_import_of(const ken_bind *b, ken_str module)
{
    if (ken_str_eq(b->local, module) || is_name_of(b, module))
        return true;
    return ken_str_starts(b->module, module) &&
           (b->module.len == module.len || memchr("./:\\", b->module.ptr[module.len], 4));
}

bool ken_framework_covers(const ken_framework *f, ken_str language, const ken_refs *refs)
{
    if (!ken_words_have(f->languages, f->n_languages, language))
        return false;
    if (!f->n_modules)
        return true;
    for (uint32_t b = 0; b < refs->n_binds; b++)
        for (uint32_t m = 0; m < f->n_modules; m++)
            if (is_import_of(&refs->binds[b], f->modules[m]))
                return true;
    return false;
}

static const ken_route_rule *rule_for(const ken_framework *f, ken_str callee,
                                      const ken_literal *literal)
{
    bool begins = literal->text.len && literal->text.ptr[0] == '/';
    for (uint32_t i = 0; i < f->n_rules; i++) {
        const ken_route_rule *r = &f->rules[i];
        if (ken_words_have(r->names, r->n_names, callee) &&
            r->decorates == (literal->decorates >= 0) && r->form != KEN_ROUTE_BARE &&
            (!r->wants_path || begins))
            return r;
    }
    return NULL;
}

const ken_route_rule *ken_route_rule_of(const ken_framework *f, const ken_refs *refs,
                                        const ken_literal *literal)
{
    return literal->callee < refs->n_exprs ? rule_for(f, refs->exprs[literal->callee].name, literal)
                                           : NULL;
}

const ken_route_rule *ken_route_find(const ken_frameworks *f, ken_str language,
                                     const ken_refs *refs, const ken_literal *literal,
                                     const ken_framework **out_framework)
{
    if (literal->callee >= refs->n_exprs)
        return NULL;
    ken_str callee = refs->exprs[literal->callee].name;
    for (size_t i = 0; i < f->items.len; i++) {
        const ken_framework *it = &f->items.ptr[i];
        const ken_route_rule *rule = rule_for(it, callee, literal);
        if (!rule || !ken_framework_covers(it, language, refs))
            continue;
        *out_framework = it;
        return rule;
    }
    return NULL;
}
