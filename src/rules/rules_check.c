// SPDX-License-Identifier: MIT
// The checks that a rule may carry, as a table: which keys each takes, what they are, where they
// go.
#include <stddef.h>
#include <stdio.h>

#include "base/utf8.h"
#include "config/config.h"
#include "rules/rules_priv.h"

enum {
    VALUE_MAX = 1000000,
    SHOWN_MAX = 60,
};

typedef enum field_type {
    FIELD_GLOBS = 1, // a glob or a list of them
    FIELD_GLOB,
    FIELD_TEXTS,   // a name or a list of them
    FIELD_METHODS, // methods of HTTP
    FIELD_REGEX,
    FIELD_SYMBOL,  // a kind of definition, or `file`
    FIELD_OF,      // handlers or functions
    FIELD_MEASURE, // what is measured
    FIELD_NUMBER,
    FIELD_FLAG,
} field_type;

typedef struct check_field {
    ken_rule_check_kind kind;
    const char *key;
    field_type type;
    bool is_needed;
    size_t at; // offset in ken_rule_check
} check_field;

#define AT(member) offsetof(ken_rule_check, member)

static const check_field fields[] = {
    { KEN_CHECK_FORBID_IMPORT, "from", FIELD_GLOBS, true, AT(in) },
    { KEN_CHECK_FORBID_IMPORT, "to", FIELD_TEXTS, true, AT(to) },
    { KEN_CHECK_FORBID_IMPORT, "except", FIELD_GLOBS, false, AT(except) },
    { KEN_CHECK_FORBID_IMPORT, "types", FIELD_FLAG, false, AT(counts_types) },
    { KEN_CHECK_REQUIRE_CALL, "in", FIELD_GLOBS, false, AT(in) },
    { KEN_CHECK_REQUIRE_CALL, "of", FIELD_OF, true, AT(is_of_handlers) },
    { KEN_CHECK_REQUIRE_CALL, "methods", FIELD_METHODS, false, AT(methods) },
    { KEN_CHECK_REQUIRE_CALL, "named", FIELD_REGEX, false, AT(pattern) },
    { KEN_CHECK_REQUIRE_CALL, "call", FIELD_TEXTS, true, AT(names) },
    { KEN_CHECK_REQUIRE_CALL, "before", FIELD_REGEX, false, AT(before) },
    { KEN_CHECK_REQUIRE_CALL, "except", FIELD_GLOBS, false, AT(except) },
    { KEN_CHECK_LAYERS, "order", FIELD_GLOBS, true, AT(layers) },
    { KEN_CHECK_LAYERS, "except", FIELD_GLOBS, false, AT(except) },
    { KEN_CHECK_LAYERS, "types", FIELD_FLAG, false, AT(counts_types) },
    { KEN_CHECK_NAMING, "kind", FIELD_SYMBOL, false, AT(symbol) },
    { KEN_CHECK_NAMING, "in", FIELD_GLOBS, false, AT(in) },
    { KEN_CHECK_NAMING, "pattern", FIELD_REGEX, true, AT(pattern) },
    { KEN_CHECK_NAMING, "except", FIELD_GLOBS, false, AT(except) },
    { KEN_CHECK_PLACEMENT, "files", FIELD_GLOBS, true, AT(in) },
    { KEN_CHECK_PLACEMENT, "under", FIELD_GLOB, true, AT(under) },
    { KEN_CHECK_PLACEMENT, "except", FIELD_GLOBS, false, AT(except) },
    { KEN_CHECK_MAX, "what", FIELD_MEASURE, true, AT(measure) },
    { KEN_CHECK_MAX, "value", FIELD_NUMBER, true, AT(value) },
    { KEN_CHECK_MAX, "in", FIELD_GLOBS, false, AT(in) },
    { KEN_CHECK_MAX, "except", FIELD_GLOBS, false, AT(except) },
    { KEN_CHECK_FORBID_SYMBOL, "name", FIELD_TEXTS, true, AT(names) },
    { KEN_CHECK_FORBID_SYMBOL, "in", FIELD_GLOBS, false, AT(in) },
    { KEN_CHECK_FORBID_SYMBOL, "except", FIELD_GLOBS, false, AT(except) },
};

enum {
    N_FIELDS = sizeof fields / sizeof *fields,
    KEYS_OF_ONE_MAX = 8,
};

static const char *const measure_words[] = { "", "file_lines", "function_lines", "parameters",
                                             "complexity" };

// ---- values ------------------------------------------------------------------------------------

typedef struct check_reader {
    rules_reader *r;
    const rules_node *n; // the value that is looked at
    char name[80];       // "check.max.value"
    ken_rule_check *out;
} check_reader;

static bool refuse(check_reader *c, const char *must)
{
    ken_str shown = ken_utf8_clip(c->n->text, SHOWN_MAX);
    const char *kind = c->n->type == RULES_LIST ? "a list" : "a map";
    if (c->n->type == RULES_SCALAR)
        ken_rules__issue(c->r, c->n->at, "%s: must be %s, got '" KEN_STR_FMT "'", c->name, must,
                         KEN_STR_ARG(shown));
    else
        ken_rules__issue(c->r, c->n->at, "%s: must be %s, got %s", c->name, must, kind);
    return false;
}

static bool read_regex(check_reader *c, ken_str *out)
{
    ken_err why = { 0 };
    ken_rules_regex *regex = NULL;
    if (c->n->type != RULES_SCALAR || !c->n->text.len)
        return refuse(c, "a regular expression");
    if (ken_rules_regex_new(c->n->text, &regex, &why)) {
        ken_str shown = ken_utf8_clip(c->n->text, SHOWN_MAX);
        ken_rules__issue(c->r, c->n->at, "%s: %s, in '" KEN_STR_FMT "'", c->name, why.msg,
                         KEN_STR_ARG(shown));
        return false;
    }
    ken_rules_regex_free(regex);
    *out = c->n->text;
    return true;
}

static bool read_symbol(check_reader *c)
{
    c->out->is_of_files = ken_str_eq_c(c->n->text, "file");
    c->out->symbol = ken_symbol_kind_parse(c->n->text);
    if (c->out->is_of_files || c->out->symbol != KEN_SYMBOL_UNKNOWN)
        return true;
    return refuse(c, "file or a kind of definition, such as function, method, class, constant");
}

static bool read_of(check_reader *c)
{
    c->out->is_of_handlers = ken_str_eq_c(c->n->text, "handlers");
    return c->out->is_of_handlers || ken_str_eq_c(c->n->text, "functions") ||
           refuse(c, "handlers or functions");
}

static bool read_measure(check_reader *c)
{
    for (int i = KEN_MEASURE_FILE_LINES; i <= KEN_MEASURE_COMPLEXITY; i++)
        if (ken_str_eq_c(c->n->text, measure_words[i])) {
            c->out->measure = (ken_rule_measure)i;
            return true;
        }
    return refuse(c, "file_lines, function_lines, parameters or complexity");
}

static bool read_number(check_reader *c, uint32_t *out)
{
    uint64_t v = 0;
    if (c->n->type != RULES_SCALAR || !ken_str_parse_u64(c->n->text, &v) || !v || v > VALUE_MAX)
        return refuse(c, "a whole number from 1 to 1000000");
    *out = (uint32_t)v;
    return true;
}

static bool read_flag(check_reader *c, bool *out)
{
    *out = ken_str_eq_c(c->n->text, "true");
    return *out || ken_str_eq_c(c->n->text, "false") || refuse(c, "true or false");
}

static bool read_glob(check_reader *c, ken_str *out)
{
    ken_str_list one = { 0 };
    if (c->n->type != RULES_SCALAR)
        return refuse(c, "one glob");
    if (!ken_rules__read_globs(c->r, c->n, c->name, &one))
        return false;
    *out = one.items[0];
    return true;
}

// Methods of a route are compared as they are written in upper case.
static bool read_methods(check_reader *c, ken_str_list *out)
{
    static const char *const known[] = {
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"
    };
    if (!ken_rules__read_texts(c->r, c->n, c->name, out))
        return false;
    for (size_t i = 0; i < out->n; i++) {
        size_t k = 0;
        while (k < sizeof known / sizeof *known && !ken_str_eq_c(out->items[i], known[k]))
            k++;
        if (k == sizeof known / sizeof *known)
            return refuse(c, "one or more of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
    }
    return true;
}

static bool read_field(check_reader *c, const check_field *f)
{
    void *at = (char *)c->out + f->at;
    switch (f->type) {
    case FIELD_GLOBS:
        return ken_rules__read_globs(c->r, c->n, c->name, at);
    case FIELD_GLOB:
        return read_glob(c, at);
    case FIELD_TEXTS:
        return ken_rules__read_texts(c->r, c->n, c->name, at);
    case FIELD_METHODS:
        return read_methods(c, at);
    case FIELD_REGEX:
        return read_regex(c, at);
    case FIELD_SYMBOL:
        return read_symbol(c);
    case FIELD_OF:
        return read_of(c);
    case FIELD_MEASURE:
        return read_measure(c);
    case FIELD_NUMBER:
        return read_number(c, at);
    case FIELD_FLAG:
        return read_flag(c, at);
    }
    return false;
}

// ---- the check ---------------------------------------------------------------------------------

static bool read_fields(rules_reader *r, const rules_node *map, ken_rule_check *out)
{
    const char *word = ken_rule_check_word(out->kind), *known[KEYS_OF_ONE_MAX];
    check_reader c = { .r = r, .out = out };
    size_t n_known = 0;
    bool is_fine = true;
    for (size_t i = 0; i < N_FIELDS; i++) {
        if (fields[i].kind != out->kind)
            continue;
        known[n_known++] = fields[i].key;
        c.n = ken_rules__member(map, fields[i].key);
        snprintf(c.name, sizeof c.name, "check.%s.%s", word, fields[i].key);
        if (c.n) {
            is_fine &= read_field(&c, &fields[i]);
        } else if (fields[i].is_needed) {
            ken_rules__issue(r, map->at, "%s: is missing", c.name);
            is_fine = false;
        }
    }
    if (out->methods.n && !out->is_of_handlers) {
        ken_rules__issue(r, map->at, "check.%s.methods: only handlers have methods, not functions",
                         word);
        is_fine = false;
    }
    snprintf(c.name, sizeof c.name, "check.%s", word);
    return ken_rules__only_known(r, map, c.name, known, n_known) && is_fine;
}

static ken_rule_check_kind find_kind(rules_reader *r, const rules_node *check)
{
    const char *words[KEN_CHECK_COUNT];
    if (check->type != RULES_MAP || check->n != 1) {
        ken_rules__issue(r, check->at, "check: must have exactly one key, such as forbid_import");
        return KEN_CHECK_NONE;
    }
    for (ken_rule_check_kind k = KEN_CHECK_NONE + 1; k < KEN_CHECK_COUNT; k++) {
        words[k - 1] = ken_rule_check_word(k);
        if (ken_str_eq_c(check->first->key, words[k - 1]))
            return k;
    }
    (void)ken_rules__only_known(r, check, "check", words, KEN_CHECK_COUNT - 1);
    return KEN_CHECK_NONE;
}

void ken_rules__read_check(rules_reader *r, const rules_node *check, ken_rule *rule)
{
    ken_rule_check out = { .first_line = check->key_at.line, .last_line = check->last_line };
    out.kind = find_kind(r, check);
    if (out.kind == KEN_CHECK_NONE)
        return;
    const rules_node *value = check->first;
    bool is_fine = false;
    if (out.kind == KEN_CHECK_LAYERS && value->type == RULES_LIST) {
        is_fine = ken_rules__read_globs(r, value, "check.layers", &out.layers);
    } else if (value->type == RULES_MAP) {
        is_fine = read_fields(r, value, &out);
    } else {
        ken_rules__issue(r, value->at, "check.%s: must be a map", ken_rule_check_word(out.kind));
    }
    if (is_fine)
        rule->check = out;
}
