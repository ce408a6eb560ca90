// SPDX-License-Identifier: MIT
// Compiles reference tables: roles, options and what each role needs (the rest is in lang_table.c).
#include "lang/lang_ref_rules.h"

#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "lang/lang_check.h"
#include "lang/lang_table_priv.h"
#include "model/refs.h"

typedef struct ref_table {
    lang_reader *r;
    ken_ref_rules *rules;
    KEN_VEC(ken_ref_rule) list;
    KEN_VEC(ken_rule_paths) paths;
} ref_table;

static const struct {
    const char *word;
    ken_ref_rule_role role;
    uint32_t reach;
    const char *needs;
} roles[] = {
#define X(name, word, reach, needs) { word, KEN_REF_RULE_##name, reach, needs },
    KEN_REF_RULE_TABLE(X)
#undef X
};

static const char *const path_words[] = {
#define X(name, word) word,
    KEN_REF_PATH_TABLE(X)
#undef X
};

static const struct {
    const char *word;
    uint32_t flag;
} flags[] = {
#define X(name, word) { word, KEN_REF_F_##name },
    KEN_REF_FLAG_TABLE(X)
#undef X
};

#define N_ITEMS(a) (sizeof(a) / sizeof *(a))

static bool read_role(ref_table *t, ken_ref_rule *rule, ken_str word)
{
    for (size_t i = 0; i < N_ITEMS(roles); i++) {
        if (!ken_str_eq_c(word, roles[i].word))
            continue;
        rule->role = roles[i].role;
        rule->reach = roles[i].reach;
        return true;
    }
    ken_lang__reader_note(t->r, "there is no role '" KEN_STR_FMT "'", KEN_STR_ARG(word));
    return false;
}

// The deepest node that a path may lead to, in levels; a declarator may be anywhere.
static uint32_t depth_of(const ken_rule_paths *paths)
{
    enum {
        ANYWHERE = 12
    };
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < paths->n_paths; i++) {
        const ken_rule_path *p = &paths->paths[i];
        uint32_t depth = p->n_steps;
        for (uint32_t k = 0; k < p->n_steps; k++)
            if (p->steps[k].kind >= KEN_STEP_DECLARATOR)
                depth = ANYWHERE;
        if (depth > deepest)
            deepest = depth;
    }
    return deepest;
}

// True when `key` is a path of its own.
static bool read_path_option(ref_table *t, ken_ref_rule *rule, ken_str key, ken_str value)
{
    for (size_t i = 0; i < N_ITEMS(path_words); i++) {
        if (!ken_str_eq_c(key, path_words[i]))
            continue;
        ken_rule_paths paths = ken_lang__read_paths(t->r, value);
        ken_vec_push(&t->paths, paths);
        rule->path[i] = (uint16_t)t->paths.len;
        uint32_t depth = depth_of(&paths);
        if (rule->reach && rule->reach < depth)
            rule->reach = depth;
        return true;
    }
    return false;
}

static bool read_flag(ken_ref_rule *rule, ken_str word)
{
    for (size_t i = 0; i < N_ITEMS(flags); i++) {
        if (ken_str_eq_c(word, flags[i].word)) {
            rule->flags |= flags[i].flag;
            return true;
        }
    }
    return false;
}

static void read_option(ref_table *t, ken_ref_rule *rule, ken_str key, ken_str value)
{
    if (ken_lang__read_condition(t->r, &rule->cond, key, value)) {
        rule->has_conditions = true;
    } else if (ken_str_eq(key, KEN_STR("each"))) {
        rule->flags |= KEN_REF_F_EACH;
        rule->each_step = ken_lang__number_of_word(value);
    } else if (!read_path_option(t, rule, key, value)) {
        ken_lang__reader_note(t->r, "there is no option '" KEN_STR_FMT "='", KEN_STR_ARG(key));
    }
}

static int base_kind_of(ken_str word)
{
    static const char *const words[] = { "extends", "implements", "mixes", "owner" };
    for (int i = 0; i < (int)N_ITEMS(words); i++)
        if (ken_str_eq_c(word, words[i]))
            return i;
    return -1;
}

// What stands behind a role and is no option: `builtin string`, `base mixes`, `declare function`.
static void read_word(ref_table *t, ken_ref_rule *rule, ken_str word)
{
    if (read_flag(rule, word))
        return;
    bool is_known = !rule->word.len;
    if (rule->role == KEN_REF_RULE_BASE) {
        is_known = is_known && base_kind_of(word) >= 0;
        rule->detail = is_known ? (uint32_t)base_kind_of(word) : 0;
    } else if (rule->role == KEN_REF_RULE_DECLARE) {
        rule->detail = ken_symbol_kind_parse(word);
        is_known = is_known && rule->detail;
    } else {
        is_known =
            is_known && (rule->role == KEN_REF_RULE_BUILTIN || rule->role == KEN_REF_RULE_APPLY);
    }
    if (!is_known)
        ken_lang__reader_note(t->r, "'" KEN_STR_FMT "' is no option here", KEN_STR_ARG(word));
    rule->word = word;
}

static bool has_path(const ken_ref_rule *rule, ken_str word)
{
    for (size_t i = 0; i < N_ITEMS(path_words); i++)
        if (ken_str_eq_c(word, path_words[i]))
            return rule->path[i] != 0;
    return false;
}

static void check_needs(ref_table *t, const ken_ref_rule *rule, ken_str role)
{
    for (size_t i = 0; i < N_ITEMS(roles); i++) {
        ken_str need = ken_str_c(roles[i].needs);
        if (roles[i].role == rule->role && need.len && !has_path(rule, need))
            ken_lang__reader_note(t->r, "role '" KEN_STR_FMT "' needs %s=", KEN_STR_ARG(role),
                                  need.ptr);
    }
}

// A rule behind one that always applies never does. `bind` applies inside imports only.
static bool hides_next(const ken_ref_rule *rule)
{
    return !rule->has_conditions && rule->role != KEN_REF_RULE_BIND;
}

static void add_rule(ref_table *t, TSSymbol symbol, const ken_ref_rule *rule)
{
    int16_t *at = &t->rules->first[symbol];
    while (*at >= 0) {
        if (hides_next(&t->list.ptr[*at]))
            ken_lang__reader_note(t->r, "a rule above without conditions hides this one");
        at = &t->list.ptr[*at].next;
    }
    *at = (int16_t)t->list.len;
    ken_vec_push(&t->list, *rule);
}

static void read_directive(ref_table *t, ken_str word, ken_str rest)
{
    static const char *const views[] = { "bare", "body", "none" };
    ken_str value;
    bool has_value = ken_lang__next_word(&rest, &value), is_known = false;
    if (has_value && ken_str_eq(word, KEN_STR("%separator"))) {
        t->rules->separator = value;
        is_known = true;
    }
    if (has_value && ken_str_eq(word, KEN_STR("%calls")) && ken_str_eq(value, KEN_STR("counted"))) {
        t->rules->counts_calls = true;
        is_known = true;
    }
    if (has_value && ken_str_eq(word, KEN_STR("%calls")) && ken_str_eq(value, KEN_STR("typed"))) {
        t->rules->counts_calls = t->rules->types_calls = true;
        is_known = true;
    }
    if (has_value && ken_str_eq(word, KEN_STR("%calls")) && ken_str_eq(value, KEN_STR("pointed"))) {
        t->rules->counts_calls = t->rules->types_calls = t->rules->marks_pointers = true;
        is_known = true;
    }
    if (has_value && ken_str_eq(word, KEN_STR("%calls")) && ken_str_eq(value, KEN_STR("apart"))) {
        t->rules->calls_apart = true;
        is_known = true;
    }
    if (has_value && ken_str_eq(word, KEN_STR("%params")) && ken_str_eq(value, KEN_STR("typed"))) {
        t->rules->types_params = true;
        is_known = true;
    }
    if (has_value && ken_str_eq(word, KEN_STR("%labels")) && value.len == 1) {
        t->rules->label = value.ptr[0];
        is_known = true;
    }
    for (size_t i = 0; i < N_ITEMS(views); i++) {
        if (has_value && ken_str_eq(word, KEN_STR("%members")) && ken_str_eq_c(value, views[i])) {
            t->rules->members = (ken_member_view)i;
            is_known = true;
        }
    }
    if (!is_known)
        ken_lang__reader_note(t->r, "there is no directive '" KEN_STR_FMT " " KEN_STR_FMT "'",
                              KEN_STR_ARG(word), KEN_STR_ARG(value));
}

static void read_rule(ref_table *t, ken_str type, ken_str line)
{
    ken_str role, word;
    ken_ref_rule rule = { .next = -1 };
    TSSymbol symbol = ken_lang__read_type(t->r, type);
    if (!ken_lang__next_word(&line, &role)) {
        ken_lang__reader_note(t->r, "no role for '" KEN_STR_FMT "'", KEN_STR_ARG(type));
        return;
    }
    uint32_t unknown_before = t->r->n_unknown;
    if (!symbol || symbol >= t->r->n_symbols || !read_role(t, &rule, role))
        return;
    while (ken_lang__next_word(&line, &word)) {
        size_t eq = ken_str_find_char(word, '=');
        if (eq == SIZE_MAX)
            read_word(t, &rule, word);
        else
            read_option(t, &rule, ken_str_sub(word, 0, eq), ken_str_sub(word, eq + 1, word.len));
    }
    check_needs(t, &rule, role);
    if (rule.role == KEN_REF_RULE_FUNCTION && (rule.flags & KEN_REF_F_GIVES) && rule.reach < 2)
        rule.reach = 2; // the last statement of its body
    if (rule.role == KEN_REF_RULE_ASSIGN && (rule.flags & KEN_REF_F_EACH) && rule.reach < 2)
        rule.reach = 2; // what the list on the left holds
    if (t->r->n_unknown == unknown_before)
        add_rule(t, symbol, &rule);
}

// "?type role …" may name what only one of the grammars that share the table knows.
static void read_line(ref_table *t, ken_str line)
{
    ken_str type;
    if (!ken_lang__next_word(&line, &type) || type.ptr[0] == '#')
        return;
    if (type.ptr[0] == '%') {
        read_directive(t, type, line);
        return;
    }
    uint32_t unknown_before = t->r->n_unknown;
    t->r->is_lenient = type.len > 1 && type.ptr[0] == '?';
    read_rule(t, ken_str_sub(type, t->r->is_lenient ? 1 : 0, type.len), line);
    if (t->r->is_lenient)
        t->r->n_unknown = unknown_before;
    t->r->is_lenient = false;
}

static const void *compile(lang_reader *reader, ken_str text)
{
    ken_ref_rules *rules = ken_zalloc(sizeof *rules);
    rules->grammar = reader->grammar;
    rules->n_symbols = reader->n_symbols;
    rules->separator = KEN_STR(".");
    rules->first = ken_alloc(ken_mul_size(rules->n_symbols, sizeof *rules->first));
    for (uint32_t i = 0; i < rules->n_symbols; i++)
        rules->first[i] = -1;
    ref_table t = { .r = reader, .rules = rules };
    ken_str line;
    for (reader->line = 1; ken_str_line_next(&text, &line); reader->line++)
        read_line(&t, line);
    rules->rules = t.list.ptr;
    rules->n_rules = (uint32_t)t.list.len;
    rules->paths = t.paths.ptr;
    return rules;
}

static lang_made made = { .lock = PTHREAD_MUTEX_INITIALIZER };

const ken_ref_rules *ken_lang_ref_rules(ken_lang_id lang)
{
    return ken_lang__made_get(&made, lang, "refs", compile);
}

uint32_t ken_lang_check_ref_rules(ken_lang_id lang, ken_str *out_first)
{
    if (!ken_lang_ref_rules(lang))
        return 0;
    *out_first = ken_str_c(made.first_unknown[lang]);
    return made.n_unknown[lang];
}
