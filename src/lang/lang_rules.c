// SPDX-License-Identifier: MIT
// Compiles node tables: roles and options of their own (the rest is in lang_table.c).
#include "lang/lang_rules.h"

#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "lang/lang.h"
#include "lang/lang_check.h"
#include "lang/lang_table_priv.h"

typedef struct table_reader {
    lang_reader *r;
    ken_rules *rules;
    KEN_VEC(ken_rule) list;
} table_reader;

static void note_unknown(table_reader *t, const char *what, ken_str name)
{
    ken_lang__reader_note(t->r, "no %s '" KEN_STR_FMT "'", what, KEN_STR_ARG(name));
}

static ken_scope scope_of_word(ken_str w)
{
    return ken_str_eq(w, KEN_STR("top"))        ? KEN_SCOPE_TOP
           : ken_str_eq(w, KEN_STR("type"))     ? KEN_SCOPE_TYPE
           : ken_str_eq(w, KEN_STR("function")) ? KEN_SCOPE_FUNCTION
                                                : KEN_SCOPE_NONE;
}

static ken_place_at at_of_word(ken_str w)
{
    return ken_str_eq(w, KEN_STR("top"))     ? KEN_AT_TOP
           : ken_str_eq(w, KEN_STR("outer")) ? KEN_AT_OUTER
           : ken_str_eq(w, KEN_STR("type"))  ? KEN_AT_TYPE
                                             : KEN_AT_ANY;
}

static ken_scope default_scope(ken_symbol_kind kind)
{
    if (ken_symbol_is_callable(kind) || kind == KEN_SYMBOL_TEST)
        return KEN_SCOPE_FUNCTION;
    if (kind == KEN_SYMBOL_MODULE || kind == KEN_SYMBOL_NAMESPACE)
        return KEN_SCOPE_TOP;
    return ken_symbol_is_type(kind) || kind == KEN_SYMBOL_IMPL ? KEN_SCOPE_TYPE : KEN_SCOPE_NONE;
}

static ken_visibility visibility_of_word(ken_str word)
{
    for (int v = KEN_VISIBILITY_UNKNOWN; v < KEN_VISIBILITY_COUNT; v++)
        if (ken_str_eq_c(word, ken_visibility_word((ken_visibility)v)))
            return (ken_visibility)v;
    return KEN_VISIBILITY_UNKNOWN;
}

static void read_flag(table_reader *r, ken_rule *rule, ken_str flag)
{
    if (ken_str_eq(flag, KEN_STR("merge")))
        rule->is_merged = true;
    else if (ken_str_eq(flag, KEN_STR("opaque")))
        rule->is_opaque = true;
    else if (ken_str_eq(flag, KEN_STR("outer")))
        rule->is_outer = true;
    else
        note_unknown(r, "option", flag);
}

static void read_option(table_reader *r, ken_rule *rule, ken_str key, ken_str value)
{
    struct {
        const char *key;
        ken_rule_paths *paths;
    } const paths[] = { { "name", &rule->name },     { "body", &rule->body },
                        { "sig", &rule->signature }, { "value", &rule->value },
                        { "module", &rule->module }, { "doc", &rule->doc },
                        { "owner", &rule->owner } };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (ken_str_eq_c(key, paths[i].key)) {
            *paths[i].paths = ken_lang__read_paths(r->r, value);
            return;
        }
    }
    if (ken_lang__read_condition(r->r, &rule->cond, key, value)) {
        return;
    } else if (ken_str_eq(key, KEN_STR("scope"))) {
        rule->scope = scope_of_word(value);
    } else if (ken_str_eq(key, KEN_STR("at"))) {
        rule->at = at_of_word(value);
    } else if (ken_str_eq(key, KEN_STR("fn"))) {
        rule->n_fn = ken_lang__read_types(r->r, value, rule->fn);
    } else if (ken_str_eq(key, KEN_STR("lang"))) {
        rule->inject_lang = value;
    } else if (ken_str_eq(key, KEN_STR("depth"))) {
        rule->max_depth = ken_lang__number_of_word(value);
    } else if (ken_str_eq(key, KEN_STR("rest"))) {
        rule->is_rest = true;
        rule->rest_level = ken_lang__number_of_word(value);
    } else if (ken_str_eq(key, KEN_STR("visibility"))) {
        rule->visibility = visibility_of_word(value);
    } else if (ken_str_eq(key, KEN_STR("each"))) {
        rule->is_each = true;
        rule->each_step = ken_lang__number_of_word(value);
    } else if (ken_str_eq(key, KEN_STR("members"))) {
        rule->has_outer_members = ken_str_eq(value, KEN_STR("outer"));
        rule->members =
            rule->has_outer_members ? KEN_VISIBILITY_UNKNOWN : visibility_of_word(value);
    } else {
        read_flag(r, rule, key);
    }
}

static ken_rule_role role_of_word(ken_str w)
{
    static const struct {
        const char *word;
        ken_rule_role role;
    } roles[] = { { "def", KEN_RULE_DEF },       { "comment", KEN_RULE_COMMENT },
                  { "import", KEN_RULE_IMPORT }, { "export", KEN_RULE_EXPORT },
                  { "wrap", KEN_RULE_WRAP },     { "prefix", KEN_RULE_PREFIX },
                  { "skip", KEN_RULE_SKIP },     { "inject", KEN_RULE_INJECT },
                  { "scope", KEN_RULE_SCOPE },   { "doc", KEN_RULE_DOC },
                  { "access", KEN_RULE_ACCESS } };
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (ken_str_eq_c(w, roles[i].word))
            return roles[i].role;
    return KEN_RULE_NONE;
}

static void read_directive(table_reader *r, ken_str word, ken_str rest)
{
    ken_str value;
    if (!ken_lang__next_word(&rest, &value))
        return;
    if (ken_str_eq(word, KEN_STR("%trim"))) {
        r->rules->name_trim = value;
        return;
    }
    if (ken_str_eq(word, KEN_STR("%markers"))) {
        r->rules->max_markers = ken_lang__number_of_word(value);
        return;
    }
    if (ken_str_eq(word, KEN_STR("%repair")) && ken_str_eq(value, KEN_STR("types"))) {
        r->rules->repairs_types = true;
        return;
    }
    if (ken_str_eq(word, KEN_STR("%name")) && ken_str_eq(value, KEN_STR("operators"))) {
        r->rules->names_operators = true;
        return;
    }
    if (ken_str_eq(word, KEN_STR("%blank")) && ken_str_eq(value, KEN_STR("specifiers"))) {
        r->rules->blanks_specifiers = true;
        return;
    }
    if (ken_str_eq(word, KEN_STR("%blank")) && ken_str_eq(value, KEN_STR("lists"))) {
        r->rules->blanks_lists = true;
        return;
    }
    if (ken_str_eq(word, KEN_STR("%blank")) && ken_str_eq(value, KEN_STR("attributes"))) {
        r->rules->blanks_attributes = true;
        return;
    }
    if (ken_str_eq(word, KEN_STR("%blank"))) {
        *(ken_str_eq(value, KEN_STR("macros"))  ? &r->rules->blank_macros
          : ken_str_eq(value, KEN_STR("notes")) ? &r->rules->blank_notes
          : ken_str_eq(value, KEN_STR("heads")) ? &r->rules->blank_heads
                                                : &r->rules->blank_lines) = ken_str_trim(rest);
        return;
    }
    if (!ken_str_eq(word, KEN_STR("%visibility"))) {
        note_unknown(r, "directive", word);
        return;
    }
    r->rules->visibility = ken_str_eq(value, KEN_STR("words"))        ? KEN_VISIBLE_WORDS
                           : ken_str_eq(value, KEN_STR("underscore")) ? KEN_VISIBLE_UNDERSCORE
                           : ken_str_eq(value, KEN_STR("capital"))    ? KEN_VISIBLE_CAPITAL
                           : ken_str_eq(value, KEN_STR("static"))     ? KEN_VISIBLE_STATIC
                                                                      : KEN_VISIBLE_NONE;
    if (ken_lang__next_word(&rest, &value))
        r->rules->default_visibility = visibility_of_word(value);
}

// "class_definition  def class  name=name body=body"
static void read_line(table_reader *r, ken_str line)
{
    ken_str type, role, word;
    if (!ken_lang__next_word(&line, &type) || type.ptr[0] == '#')
        return;
    if (type.ptr[0] == '%') {
        read_directive(r, type, line);
        return;
    }
    if (!ken_lang__next_word(&line, &role))
        return;
    uint32_t unknown_before = r->r->n_unknown;
    ken_rule rule = { .role = role_of_word(role), .next = -1 };
    TSSymbol symbol = ken_lang__read_type(r->r, type);
    if (symbol >= r->rules->n_symbols) // ERROR is not in the grammar's list
        note_unknown(r, "node type", type);
    if (rule.role == KEN_RULE_NONE)
        note_unknown(r, "role", role);
    if (rule.role == KEN_RULE_DEF && ken_lang__next_word(&line, &word)) {
        rule.kind = ken_symbol_kind_parse(word);
        rule.scope = default_scope(rule.kind);
        rule.at = ken_symbol_is_variable(rule.kind) ? KEN_AT_OUTER : KEN_AT_ANY;
        if (!rule.kind)
            note_unknown(r, "kind", word);
    }
    if (rule.role == KEN_RULE_SCOPE)
        rule.scope = KEN_SCOPE_FUNCTION;
    while (ken_lang__next_word(&line, &word)) {
        size_t eq = ken_str_find_char(word, '=');
        read_option(r, &rule, ken_str_sub(word, 0, eq),
                    eq == SIZE_MAX ? KEN_STR("") : ken_str_sub(word, eq + 1, word.len));
    }
    if (r->r->n_unknown != unknown_before)
        return;
    int16_t *at = &r->rules->first[symbol];
    while (*at >= 0 && (size_t)*at < r->list.len)
        at = &r->list.ptr[*at].next;
    *at = (int16_t)r->list.len;
    ken_vec_push(&r->list, rule);
}

static const void *compile(lang_reader *reader, ken_str text)
{
    ken_rules *rules = ken_zalloc(sizeof *rules);
    rules->grammar = reader->grammar;
    rules->n_symbols = reader->n_symbols;
    rules->first = ken_alloc(ken_mul_size(rules->n_symbols, sizeof *rules->first));
    for (uint32_t i = 0; i < rules->n_symbols; i++)
        rules->first[i] = -1;
    table_reader r = { .r = reader, .rules = rules };
    ken_str line;
    for (reader->line = 1; ken_str_line_next(&text, &line); reader->line++)
        read_line(&r, line);
    rules->rules = r.list.ptr;
    rules->n_rules = (uint32_t)r.list.len;
    return rules;
}

static lang_made made = { .lock = PTHREAD_MUTEX_INITIALIZER };

const ken_rules *ken_lang_rules(ken_lang_id lang)
{
    return ken_lang__made_get(&made, lang, "nodes", compile);
}

uint32_t ken_lang_check_rules(ken_lang_id lang, ken_str *out_first)
{
    if (!ken_lang_rules(lang))
        return 0;
    *out_first = ken_str_c(made.first_unknown[lang]);
    return made.n_unknown[lang];
}
