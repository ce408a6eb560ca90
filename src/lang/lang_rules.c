// SPDX-License-Identifier: MIT
// Compiles node tables (README.md has their form) against the grammar of this build. A node type,
// field or word that the grammar does not know makes that one rule void and is counted, so that a
// newer grammar degrades a language instead of breaking it; a unit test demands a count of zero.
#include "lang/lang_rules.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "embed_nodes.h"
#include "lang/lang.h"
#include "lang/lang_check.h"
#include "lang/lang_priv.h"

typedef struct table_reader {
    ken_rules *rules;
    KEN_VEC(ken_rule) list;
    uint32_t line, n_unknown;
    char first_unknown[96];
} table_reader;

static struct {
    pthread_mutex_t lock; // guards: made, is_made, unknown
    const ken_rules *made[KEN_LANG_COUNT];
    bool is_made[KEN_LANG_COUNT];
    uint32_t n_unknown[KEN_LANG_COUNT];
    char first_unknown[KEN_LANG_COUNT][96];
} cache = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void note_unknown(table_reader *r, const char *what, ken_str name)
{
    if (!r->n_unknown++)
        snprintf(r->first_unknown, sizeof r->first_unknown, "line %u: %s '" KEN_STR_FMT "'",
                 r->line, what, KEN_STR_ARG(name));
}

// Named types first, then tokens; in quotes, tokens only ("class").
static TSSymbol type_of(table_reader *r, ken_str name)
{
    const TSLanguage *g = r->rules->grammar;
    bool is_token = name.len > 2 && name.ptr[0] == '"' && name.ptr[name.len - 1] == '"';
    if (is_token)
        name = ken_str_sub(name, 1, name.len - 1);
    TSSymbol s = 0;
    if (!is_token)
        s = ts_language_symbol_for_name(g, name.ptr, (uint32_t)name.len, true);
    if (!s)
        s = ts_language_symbol_for_name(g, name.ptr, (uint32_t)name.len, false);
    if (!s)
        note_unknown(r, "node type", name);
    return s;
}

static ken_rule_step read_step(table_reader *r, ken_str text)
{
    ken_rule_step step = { .kind = KEN_STEP_FIELD };
    if (ken_str_eq(text, KEN_STR("~"))) {
        step.kind = KEN_STEP_DECLARATOR;
    } else if (ken_str_eq(text, KEN_STR(">"))) {
        step.kind = KEN_STEP_NEXT;
    } else if (ken_str_eq(text, KEN_STR("~scope"))) {
        step.kind = KEN_STEP_QUALIFIER;
    } else if (text.len && memchr("@^=", text.ptr[0], 3)) {
        step.kind = text.ptr[0] == '@'   ? KEN_STEP_TYPE
                    : text.ptr[0] == '^' ? KEN_STEP_LAST
                                         : KEN_STEP_IS;
        step.type = type_of(r, ken_str_sub(text, 1, text.len));
    } else {
        step.field = ts_language_field_id_for_name(r->rules->grammar, text.ptr, (uint32_t)text.len);
        if (!step.field)
            note_unknown(r, "field", text);
    }
    return step;
}

static ken_rule_path read_path(table_reader *r, ken_str text)
{
    ken_rule_path path = { .n_steps = 0 };
    if (ken_str_eq(text, KEN_STR("$")))
        return path;
    ken_str rest = text, part;
    while (path.n_steps < KEN_RULE_STEPS && ken_str_split_next(&rest, '.', &part))
        path.steps[path.n_steps++] = read_step(r, part);
    return path;
}

static ken_rule_paths read_paths(table_reader *r, ken_str text)
{
    ken_rule_paths paths = { .n_paths = 0 };
    ken_str rest = text, part;
    while (paths.n_paths < KEN_RULE_PATHS && ken_str_split_next(&rest, '|', &part))
        paths.paths[paths.n_paths++] = read_path(r, part);
    return paths;
}

static uint32_t read_types(table_reader *r, ken_str text, TSSymbol *out)
{
    uint32_t n = 0;
    ken_str rest = text, part;
    while (n < KEN_RULE_TYPES && ken_str_split_next(&rest, ',', &part))
        out[n++] = type_of(r, part);
    return n;
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

static uint32_t number_of_word(ken_str word)
{
    uint64_t n = 0;
    return ken_str_parse_u64(word, &n) && n < 100000 ? (uint32_t)n : 0;
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
            *paths[i].paths = read_paths(r, value);
            return;
        }
    }
    if (ken_str_eq(key, KEN_STR("scope"))) {
        rule->scope = scope_of_word(value);
    } else if (ken_str_eq(key, KEN_STR("at"))) {
        rule->at = at_of_word(value);
    } else if (ken_str_eq(key, KEN_STR("has"))) {
        rule->n_has = read_types(r, value, rule->has);
    } else if (ken_str_eq(key, KEN_STR("in"))) {
        rule->n_inside = read_types(r, value, rule->inside);
    } else if (ken_str_eq(key, KEN_STR("not"))) {
        rule->n_without = read_types(r, value, rule->without);
    } else if (ken_str_eq(key, KEN_STR("fn"))) {
        rule->n_fn = read_types(r, value, rule->fn);
    } else if (ken_str_eq(key, KEN_STR("lang"))) {
        rule->inject_lang = value;
    } else if (ken_str_eq(key, KEN_STR("depth"))) {
        rule->max_depth = number_of_word(value);
    } else if (ken_str_eq(key, KEN_STR("rest"))) {
        rule->is_rest = true;
        rule->rest_level = number_of_word(value);
    } else if (ken_str_eq(key, KEN_STR("visibility"))) {
        rule->visibility = visibility_of_word(value);
    } else if (ken_str_eq(key, KEN_STR("when"))) {
        size_t colon = ken_str_find_char(value, ':');
        rule->when_path = read_path(r, ken_str_sub(value, 0, colon));
        rule->when_words = ken_str_sub(value, colon == SIZE_MAX ? value.len : colon + 1, value.len);
        rule->has_when = true;
    } else if (ken_str_eq(key, KEN_STR("unless"))) {
        rule->unless_path = read_path(r, value);
        rule->has_unless = true;
    } else if (ken_str_eq(key, KEN_STR("each"))) {
        rule->is_each = true;
        rule->each_step = number_of_word(value);
    } else if (ken_str_eq(key, KEN_STR("members"))) {
        rule->members = visibility_of_word(value);
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

static bool next_word(ken_str *rest, ken_str *out)
{
    *rest = ken_str_trim(*rest);
    size_t n = 0;
    while (n < rest->len && !ken_is_space(rest->ptr[n]))
        n++;
    *out = ken_str_sub(*rest, 0, n);
    *rest = ken_str_sub(*rest, n, rest->len);
    return n > 0;
}

static void read_directive(table_reader *r, ken_str word, ken_str rest)
{
    ken_str value;
    if (!next_word(&rest, &value))
        return;
    if (ken_str_eq(word, KEN_STR("%trim"))) {
        r->rules->name_trim = value;
        return;
    }
    if (ken_str_eq(word, KEN_STR("%markers"))) {
        r->rules->max_markers = number_of_word(value);
        return;
    }
    if (ken_str_eq(word, KEN_STR("%blank"))) {
        *(ken_str_eq(value, KEN_STR("macros")) ? &r->rules->blank_macros : &r->rules->blank_lines) =
            ken_str_trim(rest);
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
    if (next_word(&rest, &value))
        r->rules->default_visibility = visibility_of_word(value);
}

// "class_definition  def class  name=name body=body"
static void read_line(table_reader *r, ken_str line)
{
    ken_str type, role, word;
    if (!next_word(&line, &type) || type.ptr[0] == '#')
        return;
    if (type.ptr[0] == '%') {
        read_directive(r, type, line);
        return;
    }
    if (!next_word(&line, &role))
        return;
    uint32_t unknown_before = r->n_unknown;
    ken_rule rule = { .role = role_of_word(role), .next = -1 };
    TSSymbol symbol = type_of(r, type);
    if (symbol >= r->rules->n_symbols) // ERROR is not in the grammar's list
        note_unknown(r, "node type", type);
    if (rule.role == KEN_RULE_NONE)
        note_unknown(r, "role", role);
    if (rule.role == KEN_RULE_DEF && next_word(&line, &word)) {
        rule.kind = ken_symbol_kind_parse(word);
        rule.scope = default_scope(rule.kind);
        rule.at = ken_symbol_is_variable(rule.kind) ? KEN_AT_OUTER : KEN_AT_ANY;
        if (!rule.kind)
            note_unknown(r, "kind", word);
    }
    if (rule.role == KEN_RULE_SCOPE)
        rule.scope = KEN_SCOPE_FUNCTION;
    while (next_word(&line, &word)) {
        size_t eq = ken_str_find_char(word, '=');
        read_option(r, &rule, ken_str_sub(word, 0, eq),
                    eq == SIZE_MAX ? KEN_STR("") : ken_str_sub(word, eq + 1, word.len));
    }
    if (r->n_unknown != unknown_before)
        return;
    int16_t *at = &r->rules->first[symbol];
    while (*at >= 0)
        at = &r->list.ptr[*at].next;
    *at = (int16_t)r->list.len;
    ken_vec_push(&r->list, rule);
}

static ken_str table_text(const char *name)
{
    char file[80];
    int n = snprintf(file, sizeof file, "%s.nodes", name);
    for (size_t i = 0; n > 0 && i < ken_embed_nodes_count; i++) {
        ken_str path = ken_str_c(ken_embed_nodes_table[i].path);
        if (ken_str_ends(path, ken_str_c(file)) &&
            (path.len == (size_t)n || path.ptr[path.len - (size_t)n - 1] == '/'))
            return ken_str_n((const char *)ken_embed_nodes_table[i].data,
                             ken_embed_nodes_table[i].len);
    }
    return (ken_str){ NULL, 0 };
}

static const ken_rules *compile(ken_lang_id lang)
{
    const TSLanguage *grammar = ken_lang_grammar(lang);
    ken_str text = table_text(ken_lang__row(lang)->table);
    if (!grammar || !text.ptr)
        return NULL;
    ken_rules *rules = ken_zalloc(sizeof *rules);
    rules->grammar = grammar;
    rules->n_symbols = ts_language_symbol_count(grammar);
    rules->first = ken_alloc(ken_mul_size(rules->n_symbols, sizeof *rules->first));
    for (uint32_t i = 0; i < rules->n_symbols; i++)
        rules->first[i] = -1;
    table_reader r = { .rules = rules };
    ken_str line;
    for (r.line = 1; ken_str_line_next(&text, &line); r.line++)
        read_line(&r, line);
    rules->rules = r.list.ptr;
    rules->n_rules = (uint32_t)r.list.len;
    cache.n_unknown[lang] = r.n_unknown;
    memcpy(cache.first_unknown[lang], r.first_unknown, sizeof r.first_unknown);
    return rules;
}

const ken_rules *ken_lang_rules(ken_lang_id lang)
{
    if ((unsigned)lang >= KEN_LANG_COUNT)
        return NULL;
    pthread_mutex_lock(&cache.lock);
    if (!cache.is_made[lang]) {
        cache.made[lang] = compile(lang);
        cache.is_made[lang] = true;
    }
    const ken_rules *rules = cache.made[lang];
    pthread_mutex_unlock(&cache.lock);
    return rules;
}

uint32_t ken_lang_check_rules(ken_lang_id lang, ken_str *out_first)
{
    if (!ken_lang_rules(lang))
        return 0;
    *out_first = ken_str_c(cache.first_unknown[lang]);
    return cache.n_unknown[lang];
}
