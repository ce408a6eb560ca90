// SPDX-License-Identifier: MIT
// ARCHITECTURE.yml to rules.
//
// A map with the key `rule` or `check` is one rule in our own form, wherever it stands, and is read
// strictly. Everything else is people's own: a text of three words or more is a rule, the short
// values of one map are one rule together ("framework: express; port: 8080"), and the keys above
// are the heading.
#include <stdio.h>

#include "base/utf8.h"
#include "config/config.h"
#include "rules/rules_priv.h"
#include "scan/scan.h"

enum {
    HEADING_MAX = 1000,
    ID_MAX = 80,
    TEXTS_MAX = 64, // elements of one list in a rule
    SHOWN_MAX = 60, // bytes of a value in a message
};

static const char *const rule_keys[] = { "id",       "rule",    "severity", "applies_to",
                                         "evidence", "example", "check" };

enum {
    N_RULE_KEYS = sizeof rule_keys / sizeof *rule_keys
};

typedef struct yaml_walk {
    rules_reader *r;
    ken_buf heading;
    ken_map ids;
} yaml_walk;

// ---- values ------------------------------------------------------------------------------------

static bool is_first_of_its_key(const rules_node *map, const rules_node *n)
{
    const rules_node *first = map->first;
    while (!ken_str_eq(first->key, n->key))
        first = first->next;
    return first == n;
}

bool ken_rules__only_known(rules_reader *r, const rules_node *map, const char *prefix,
                           const char *const *known, size_t n_known)
{
    bool is_fine = true;
    for (const rules_node *n = map->first; n; n = n->next) {
        bool is_known = false;
        for (size_t i = 0; i < n_known; i++)
            is_known |= ken_str_eq_c(n->key, known[i]);
        if (is_known && is_first_of_its_key(map, n))
            continue;
        ken_str shown = ken_utf8_clip(n->key, SHOWN_MAX);
        is_fine = false;
        if (is_known) {
            ken_rules__issue(r, n->key_at, "%s: key '" KEN_STR_FMT "' must be given once", prefix,
                             KEN_STR_ARG(shown));
            continue;
        }
        const char *near = ken_config_nearest(n->key, known, n_known);
        ken_rules__issue(r, n->key_at, "%s: unknown key '" KEN_STR_FMT "'%s%s%s", prefix,
                         KEN_STR_ARG(shown), near ? ", did you mean '" : "", near ? near : "",
                         near ? "'?" : "");
    }
    return is_fine;
}

static bool add_text(rules_reader *r, const rules_node *n, const char *field, ken_str_list *out)
{
    if (n->type == RULES_SCALAR && n->text.len && out->n < TEXTS_MAX) {
        out->items[out->n++] = n->text;
        return true;
    }
    ken_rules__issue(r, n->at, "%s: must be a text or a list of 1 to %d texts", field, TEXTS_MAX);
    return false;
}

bool ken_rules__read_texts(rules_reader *r, const rules_node *n, const char *field,
                           ken_str_list *out)
{
    bool is_fine = true;
    out->n = 0;
    out->items = KEN_ARENA_ARRAY(r->arena, ken_str, n->type == RULES_LIST ? TEXTS_MAX : 1);
    if (n->type != RULES_LIST)
        return add_text(r, n, field, out);
    if (!n->n)
        return add_text(r, n, field, out); // says what it must be
    for (const rules_node *i = n->first; i && is_fine; i = i->next)
        is_fine = add_text(r, i, field, out);
    return is_fine;
}

bool ken_rules__read_globs(rules_reader *r, const rules_node *n, const char *field,
                           ken_str_list *out)
{
    if (!ken_rules__read_texts(r, n, field, out))
        return false;
    for (size_t i = 0; i < out->n; i++) {
        ken_err why = { 0 };
        if (ken_glob_check(out->items[i], &why)) {
            ken_rules__issue(r, n->at, "%s: %s", field, why.msg);
            return false;
        }
    }
    return true;
}

// ---- a rule in our own form --------------------------------------------------------------------

static bool is_id(ken_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!ken_is_word(s.ptr[i]) && !memchr(".-", s.ptr[i], 2))
            return false;
    return s.len && s.len <= ID_MAX;
}

static void read_id(yaml_walk *w, const rules_node *n, ken_rule *rule)
{
    ken_str shown = ken_utf8_clip(n->text, SHOWN_MAX);
    bool is_new = false;
    if (!is_id(n->text)) {
        ken_rules__issue(w->r, n->at,
                         "id: must be 1 to %d letters, digits, '.', '_' or '-', got '" KEN_STR_FMT
                         "'",
                         ID_MAX, KEN_STR_ARG(shown));
        return;
    }
    (void)ken_map_put(&w->ids, n->text, 1, &is_new);
    if (is_new)
        rule->id = n->text;
    else
        ken_rules__issue(w->r, n->at, "id: must be unique in the file, got '" KEN_STR_FMT "' twice",
                         KEN_STR_ARG(shown));
}

static void read_severity(rules_reader *r, const rules_node *n, ken_rule *rule)
{
    for (ken_rule_severity s = KEN_RULE_ERROR; s <= KEN_RULE_NOTE; s++)
        if (ken_str_eq_c(n->text, ken_rule_severity_word(s))) {
            rule->severity = s;
            return;
        }
    ken_str shown = ken_utf8_clip(n->text, SHOWN_MAX);
    ken_rules__issue(r, n->at, "severity: must be error, warning or note, got '" KEN_STR_FMT "'",
                     KEN_STR_ARG(shown));
}

static ken_str text_of(const rules_node *map, const char *key)
{
    const rules_node *n = ken_rules__member(map, key);
    return n && n->type == RULES_SCALAR ? n->text : KEN_STR("");
}

static void read_rule(yaml_walk *w, const rules_node *map)
{
    rules_reader *r = w->r;
    ken_str text = ken_str_trim(text_of(map, "rule"));
    const rules_node *n;
    (void)ken_rules__only_known(r, map, "rule", rule_keys, N_RULE_KEYS);
    if (!text.len) {
        n = ken_rules__member(map, "rule");
        ken_rules__issue(r, n ? n->at : map->at, "rule: must be a text that says the rule");
        return;
    }
    ken_rule *rule =
        ken_rules__add(r, ken_buf_str(&w->heading), text, map->at.line, map->last_line);
    if (!rule)
        return;
    rule->evidence = text_of(map, "evidence");
    rule->example = text_of(map, "example");
    n = ken_rules__member(map, "id");
    if (n)
        read_id(w, n, rule);
    n = ken_rules__member(map, "severity");
    if (n)
        read_severity(r, n, rule);
    n = ken_rules__member(map, "applies_to");
    if (n && !ken_rules__read_globs(r, n, "applies_to", &rule->globs))
        rule->globs = (ken_str_list){ 0 };
    n = ken_rules__member(map, "check");
    if (n)
        ken_rules__read_check(r, n, rule);
}

// ---- people's own ------------------------------------------------------------------------------

static void put_pair(ken_buf *b, ken_str key, ken_str value)
{
    if (b->len)
        ken_buf_puts(b, "; ");
    if (key.len) {
        ken_buf_put_str(b, key);
        ken_buf_puts(b, ": ");
    }
    ken_buf_put_str(b, value);
}

static void walk(yaml_walk *w, const rules_node *n);

static void walk_below(yaml_walk *w, const rules_node *n)
{
    size_t len = w->heading.len;
    if (n->key.len && len)
        ken_buf_puts(&w->heading, " > ");
    ken_buf_put_str(&w->heading, ken_utf8_clip(n->key, 100));
    walk(w, n);
    w->heading.len = len;
    if (w->heading.ptr)
        w->heading.ptr[len] = 0;
}

static bool is_leaf_list(const rules_node *n)
{
    if (n->type != RULES_LIST)
        return false;
    for (const rules_node *i = n->first; i; i = i->next)
        if (i->type != RULES_SCALAR || ken_rules__is_statement(i->text))
            return false;
    return true;
}

// Puts a short value, or a list of short ones, into `b`; false for what is walked by itself.
static bool put_short(ken_buf *b, const rules_node *n)
{
    if (n->type == RULES_SCALAR && !ken_rules__is_statement(n->text)) {
        put_pair(b, n->key, n->text);
        return true;
    }
    if (!is_leaf_list(n))
        return false;
    ken_buf list = KEN_BUF_INIT(KEN_RULES_TEXT_MAX);
    for (const rules_node *i = n->first; i; i = i->next) {
        ken_buf_puts(&list, list.len ? ", " : "");
        ken_buf_put_str(&list, i->text);
    }
    put_pair(b, n->key, ken_buf_str(&list));
    ken_buf_release(&list);
    return true;
}

// A map in a list is one thing: all of its texts together are one rule.
static bool is_flat(const rules_node *map)
{
    for (const rules_node *n = map->first; n; n = n->next)
        if (n->type == RULES_MAP || (n->type == RULES_LIST && !is_leaf_list(n)))
            return false;
    return true;
}

static void walk_map(yaml_walk *w, const rules_node *map, bool is_one)
{
    ken_buf together = KEN_BUF_INIT(KEN_RULES_TEXT_MAX * 2);
    for (const rules_node *n = map->first; n; n = n->next) {
        if (!w->heading.len && ken_str_eq_c(n->key, "version"))
            continue;
        if (put_short(&together, n))
            continue;
        if (is_one)
            put_pair(&together, n->key, n->text);
        else
            walk_below(w, n);
    }
    if (ken_rules__is_statement(ken_buf_str(&together)))
        (void)ken_rules__add(w->r, ken_buf_str(&w->heading), ken_buf_str(&together), map->at.line,
                             map->last_line);
    ken_buf_release(&together);
}

static bool is_rule(const rules_node *map)
{
    const rules_node *rule = ken_rules__member(map, "rule");
    return (rule && rule->type == RULES_SCALAR) || ken_rules__member(map, "check");
}

static void walk(yaml_walk *w, const rules_node *n)
{
    ken_buf together = KEN_BUF_INIT(KEN_RULES_TEXT_MAX * 2);
    switch (n->type) {
    case RULES_SCALAR:
        if (ken_rules__is_statement(n->text))
            (void)ken_rules__add(w->r, ken_buf_str(&w->heading), ken_str_trim(n->text), n->at.line,
                                 n->last_line);
        break;
    case RULES_MAP:
        if (is_rule(n))
            read_rule(w, n);
        else
            walk_map(w, n, false);
        break;
    case RULES_LIST:
        for (const rules_node *i = n->first; i; i = i->next) {
            if (i->type == RULES_MAP && !is_rule(i) && is_flat(i))
                walk_map(w, i, true);
            else if (!put_short(&together, i))
                walk(w, i);
        }
        if (ken_rules__is_statement(ken_buf_str(&together)))
            (void)ken_rules__add(w->r, ken_buf_str(&w->heading), ken_buf_str(&together), n->at.line,
                                 n->last_line);
        break;
    }
    ken_buf_release(&together);
}

ken_status ken_rules__read_yaml(rules_reader *r, ken_str text, ken_err *err)
{
    rules_node *root = NULL;
    ken_status st = ken_rules__load_yaml(r->path, text, r->arena, &root, err);
    if (st || !root)
        return st;
    yaml_walk w = { .r = r, .heading = KEN_BUF_INIT(HEADING_MAX) };
    ken_map_init(&w.ids);
    walk(&w, root);
    ken_map_release(&w.ids);
    ken_buf_release(&w.heading);
    return KEN_OK;
}
