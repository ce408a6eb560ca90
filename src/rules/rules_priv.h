// SPDX-License-Identifier: MIT
// rules_priv.h -- what the readers of documents share.
#ifndef KEN_RULES_RULES_PRIV_H
#define KEN_RULES_RULES_PRIV_H

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "rules/rules.h"

// One document while it is cut. `out` grows in vectors and is moved into the arena at the end.
typedef struct rules_reader {
    ken_arena *arena;
    ken_str path, scope;
    ken_rule_kind kind;
    ken_str_list globs; // of the whole document (front matter); given to each rule
    KEN_VEC(ken_rule) rules;
    KEN_VEC(ken_rules_issue) issues;
    bool is_full; // over KEN_RULES_MAX; said once
} rules_reader;

// A place in the text, 0-based.
typedef struct rules_place {
    uint32_t line, column;
} rules_place;

// Adds a rule with the members that all have in common; NULL when the document is full.
ken_rule *ken_rules__add(rules_reader *r, ken_str heading, ken_str text, uint32_t first_line,
                         uint32_t last_line);
void ken_rules__issue(rules_reader *r, rules_place at, const char *fmt, ...) KEN_PRINTF(3, 4);

// Whether a text says something: three words or more.
bool ken_rules__is_statement(ken_str text);

ken_status ken_rules__read_markdown(rules_reader *r, ken_str text, bool is_plain, ken_err *err);
// A document of patterns from `first_line` on: one rule per section.
void ken_rules__read_sections(rules_reader *r, ken_str text, uint32_t first_line);
ken_status ken_rules__read_yaml(rules_reader *r, ken_str text, ken_err *err);

// ---- YAML as a tree ----------------------------------------------------------------------------

typedef enum rules_node_type {
    RULES_SCALAR = 1,
    RULES_LIST,
    RULES_MAP,
} rules_node_type;

typedef struct rules_node {
    rules_node_type type;
    ken_str key;             // of a map's member
    rules_place key_at;      // where the key stands
    rules_place at;          // where the value stands
    uint32_t last_line;      // 0-based, of the last line with text
    ken_str text;            // of a scalar
    struct rules_node *next; // in the list or map
    struct rules_node *first;
    size_t n; // of items
} rules_node;

// The whole document, or NULL when it is empty. Aliases, over 32 levels and over 50,000 nodes are
// refused.
ken_status ken_rules__load_yaml(ken_str path, ken_str text, ken_arena *arena, rules_node **out,
                                ken_err *err);
rules_node *ken_rules__member(const rules_node *map, const char *key); // NULL when absent

// Reads the map of a `check` into `rule`; what is wrong becomes an issue and leaves no check.
void ken_rules__read_check(rules_reader *r, const rules_node *check, ken_rule *rule);
// One text or a list of texts that are not empty; `field` names it in an issue. False when it is
// neither.
bool ken_rules__read_texts(rules_reader *r, const rules_node *n, const char *field,
                           ken_str_list *out);
bool ken_rules__read_globs(rules_reader *r, const rules_node *n, const char *field,
                           ken_str_list *out);
// An issue for each member of `map` that `known` does not hold, or that is there twice; true when
// there is none.
bool ken_rules__only_known(rules_reader *r, const rules_node *map, const char *prefix,
                           const char *const *known, size_t n_known);

#endif
