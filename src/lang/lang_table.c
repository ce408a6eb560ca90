// SPDX-License-Identifier: MIT
// What both kinds of tables are made of (README.md). A node type, field or word that the grammar
// does not know makes that one rule void and is counted, so that a newer grammar degrades a
// language instead of breaking it; a unit test demands a count of zero.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "embed_nodes.h"
#include "lang/lang_priv.h"
#include "lang/lang_table_priv.h"

void ken_lang__reader_note(lang_reader *r, const char *fmt, ...)
{
    if (r->n_unknown++ || r->is_lenient)
        return;
    int n = snprintf(r->first_unknown, sizeof r->first_unknown, "line %u: ", r->line);
    va_list args;
    va_start(args, fmt);
    vsnprintf(r->first_unknown + n, sizeof r->first_unknown - (size_t)n, fmt, args);
    va_end(args);
}

bool ken_lang__next_word(ken_str *rest, ken_str *out)
{
    *rest = ken_str_trim(*rest);
    size_t n = 0;
    while (n < rest->len && !ken_is_space(rest->ptr[n]))
        n++;
    *out = ken_str_sub(*rest, 0, n);
    *rest = ken_str_sub(*rest, n, rest->len);
    return n > 0;
}

uint32_t ken_lang__number_of_word(ken_str word)
{
    uint64_t n = 0;
    return ken_str_parse_u64(word, &n) && n < 100000 ? (uint32_t)n : 0;
}

TSSymbol ken_lang__read_type(lang_reader *r, ken_str name)
{
    const TSLanguage *g = r->grammar;
    bool is_token = name.len > 2 && name.ptr[0] == '"' && name.ptr[name.len - 1] == '"';
    if (is_token)
        name = ken_str_sub(name, 1, name.len - 1);
    TSSymbol s = 0;
    if (!is_token)
        s = ts_language_symbol_for_name(g, name.ptr, (uint32_t)name.len, true);
    if (!s)
        s = ts_language_symbol_for_name(g, name.ptr, (uint32_t)name.len, false);
    if (!s)
        ken_lang__reader_note(r, "the grammar has no node type '" KEN_STR_FMT "'",
                              KEN_STR_ARG(name));
    return s;
}

static const ken_declarators *declarators_of(lang_reader *r)
{
    if (r->declarators)
        return r->declarators;
    const TSLanguage *g = r->grammar;
    ken_declarators *d = r->declarators = ken_zalloc(sizeof *d);
    struct {
        const char *name;
        TSFieldId *field;
    } const fields[] = { { "declarator", &d->declarator },
                         { "name", &d->name },
                         { "scope", &d->scope } };
    struct {
        const char *name;
        TSSymbol *type;
    } const types[] = { { "operator_cast", &d->operator_cast },
                        { "reference_declarator", &d->reference },
                        { "attributed_declarator", &d->attributed },
                        { "parenthesized_declarator", &d->parenthesized },
                        { "qualified_identifier", &d->qualified },
                        { "template_function", &d->template_function } };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        *fields[i].field =
            ts_language_field_id_for_name(g, fields[i].name, (uint32_t)strlen(fields[i].name));
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        *types[i].type =
            ts_language_symbol_for_name(g, types[i].name, (uint32_t)strlen(types[i].name), true);
    return d;
}

static ken_rule_step read_step(lang_reader *r, ken_str text)
{
    ken_rule_step step = { .kind = KEN_STEP_FIELD };
    if (ken_str_eq(text, KEN_STR("~"))) {
        step.kind = KEN_STEP_DECLARATOR;
    } else if (ken_str_eq(text, KEN_STR(">"))) {
        step.kind = KEN_STEP_NEXT;
    } else if (ken_str_eq(text, KEN_STR("<"))) {
        step.kind = KEN_STEP_PREVIOUS;
    } else if (ken_str_eq(text, KEN_STR("~scope"))) {
        step.kind = KEN_STEP_QUALIFIER;
    } else if (text.len && memchr("@^=", text.ptr[0], 3)) {
        step.kind = text.ptr[0] == '@'   ? KEN_STEP_TYPE
                    : text.ptr[0] == '^' ? KEN_STEP_LAST
                                         : KEN_STEP_IS;
        step.type = ken_lang__read_type(r, ken_str_sub(text, 1, text.len));
    } else {
        step.field = ts_language_field_id_for_name(r->grammar, text.ptr, (uint32_t)text.len);
        if (!step.field)
            ken_lang__reader_note(r,
                                  "the grammar has no field '" KEN_STR_FMT "' (@type for a child)",
                                  KEN_STR_ARG(text));
    }
    if (step.kind == KEN_STEP_DECLARATOR || step.kind == KEN_STEP_QUALIFIER)
        step.declarators = declarators_of(r);
    return step;
}

static ken_rule_path read_path(lang_reader *r, ken_str text)
{
    ken_rule_path path = { .n_steps = 0 };
    if (ken_str_eq(text, KEN_STR("$")))
        return path;
    ken_str rest = text, part;
    while (path.n_steps < KEN_RULE_STEPS && ken_str_split_next(&rest, '.', &part))
        path.steps[path.n_steps++] = read_step(r, part);
    if (rest.ptr && path.n_steps == KEN_RULE_STEPS)
        ken_lang__reader_note(r, "more than %d steps in '" KEN_STR_FMT "'", KEN_RULE_STEPS,
                              KEN_STR_ARG(text));
    return path;
}

ken_rule_paths ken_lang__read_paths(lang_reader *r, ken_str text)
{
    ken_rule_paths paths = { .n_paths = 0 };
    ken_str rest = text, part;
    while (paths.n_paths < KEN_RULE_PATHS && ken_str_split_next(&rest, '|', &part))
        paths.paths[paths.n_paths++] = read_path(r, part);
    if (rest.ptr && paths.n_paths == KEN_RULE_PATHS)
        ken_lang__reader_note(r, "more than %d ways in '" KEN_STR_FMT "'", KEN_RULE_PATHS,
                              KEN_STR_ARG(text));
    return paths;
}

uint32_t ken_lang__read_types(lang_reader *r, ken_str text, TSSymbol *out)
{
    uint32_t n = 0;
    ken_str rest = text, part;
    while (n < KEN_RULE_TYPES && ken_str_split_next(&rest, ',', &part))
        out[n++] = ken_lang__read_type(r, part);
    if (rest.ptr && n == KEN_RULE_TYPES)
        ken_lang__reader_note(r, "more than %d types in '" KEN_STR_FMT "'", KEN_RULE_TYPES,
                              KEN_STR_ARG(text));
    return n;
}

static ken_rule_test read_test(lang_reader *r, ken_str value)
{
    size_t colon = ken_str_find_char(value, ':');
    ken_rule_test test = { .is_given = true };
    test.path = read_path(r, ken_str_sub(value, 0, colon));
    test.words = ken_str_sub(value, colon == SIZE_MAX ? value.len : colon + 1, value.len);
    return test;
}

bool ken_lang__read_condition(lang_reader *r, ken_rule_cond *out, ken_str key, ken_str value)
{
    if (ken_str_eq(key, KEN_STR("has")))
        out->n_has = ken_lang__read_types(r, value, out->has);
    else if (ken_str_eq(key, KEN_STR("in")))
        out->n_inside = ken_lang__read_types(r, value, out->inside);
    else if (ken_str_eq(key, KEN_STR("out")))
        out->n_outside = ken_lang__read_types(r, value, out->outside);
    else if (ken_str_eq(key, KEN_STR("not"))) {
        out->n_without = ken_lang__read_types(r, value, out->without);
        out->declarators = declarators_of(r);
    } else if (ken_str_eq(key, KEN_STR("when")))
        out->when = read_test(r, value);
    else if (ken_str_eq(key, KEN_STR("unless")))
        out->unless = read_test(r, value);
    else
        return false;
    return true;
}

ken_str ken_lang__table_text(ken_lang_id lang, const char *extension)
{
    char file[80];
    const char *table = ken_lang_at((uint16_t)lang)->table;
    int n = table ? snprintf(file, sizeof file, "%s.%s", table, extension) : 0;
    for (size_t i = 0; n > 0 && i < ken_embed_nodes_count; i++) {
        ken_str path = ken_str_c(ken_embed_nodes_table[i].path);
        if (ken_str_ends(path, ken_str_c(file)) &&
            (path.len == (size_t)n || path.ptr[path.len - (size_t)n - 1] == '/'))
            return ken_str_n((const char *)ken_embed_nodes_table[i].data,
                             ken_embed_nodes_table[i].len);
    }
    return (ken_str){ NULL, 0 };
}

static void make(lang_made *c, ken_lang_id lang, const char *extension, lang_compile_fn compile)
{
    c->is_made[lang] = true;
    lang_reader r = { .grammar = ken_lang_grammar(lang) };
    ken_str text = ken_lang__table_text(lang, extension);
    if (!r.grammar || !text.ptr)
        return;
    r.n_symbols = ts_language_symbol_count(r.grammar);
    c->made[lang] = compile(&r, text);
    c->n_unknown[lang] = r.n_unknown;
    memcpy(c->first_unknown[lang], r.first_unknown, sizeof r.first_unknown);
}

const void *ken_lang__made_get(lang_made *c, ken_lang_id lang, const char *extension,
                               lang_compile_fn compile)
{
    if ((unsigned)lang >= KEN_LANG_COUNT)
        return NULL;
    pthread_mutex_lock(&c->lock);
    if (!c->is_made[lang])
        make(c, lang, extension, compile);
    const void *made = c->made[lang];
    pthread_mutex_unlock(&c->lock);
    return made;
}
