// SPDX-License-Identifier: MIT
// lang_rules.h -- a node table, compiled: what each node type of a grammar means.
//
// The text form is described in README.md. A node type has a chain of rules; the first whose
// conditions hold applies. All pointers are borrowed from static text or from the table's arena.
#ifndef KEN_LANG_LANG_RULES_H
#define KEN_LANG_LANG_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include <tree_sitter/api.h>

#include "base/str.h"
#include "model/symbol.h"

typedef enum ken_rule_role {
    KEN_RULE_NONE = 0,
    KEN_RULE_DEF,     // a definition
    KEN_RULE_COMMENT, // a comment
    KEN_RULE_IMPORT,  // names another module
    KEN_RULE_EXPORT,  // re-exports another module
    KEN_RULE_WRAP,    // its span belongs to the definition inside
    KEN_RULE_PREFIX,  // a sibling that belongs to the definition that follows (attributes)
    KEN_RULE_SKIP,    // nothing of interest below
    KEN_RULE_INJECT,  // text of another language
    KEN_RULE_SCOPE,   // makes a function scope without defining anything (lambdas)
    KEN_RULE_DOC,     // documentation of the definition around it
    KEN_RULE_ACCESS,  // sets the visibility of what follows in the same definition ("private:")
} ken_rule_role;

typedef enum ken_scope {
    KEN_SCOPE_NONE = 0, // leaves the scope as it is
    KEN_SCOPE_TOP,      // file, module, namespace
    KEN_SCOPE_TYPE,
    KEN_SCOPE_FUNCTION,
} ken_scope;

typedef enum ken_place_at {
    KEN_AT_ANY = 0,
    KEN_AT_TOP,   // file or module level
    KEN_AT_OUTER, // not inside a function
    KEN_AT_TYPE,  // directly inside a type
} ken_place_at;

enum {
    KEN_RULE_STEPS = 5,
    KEN_RULE_PATHS = 4,
    KEN_RULE_TYPES = 8
};

typedef enum ken_step_kind {
    KEN_STEP_FIELD = 0,  // name: the child in that field
    KEN_STEP_TYPE,       // @type: the first child of that type
    KEN_STEP_LAST,       // ^type: the last one
    KEN_STEP_IS,         // =type: stays, if the node is of that type
    KEN_STEP_NEXT,       // >: the next named sibling
    KEN_STEP_PREVIOUS,   // <: the named sibling before
    KEN_STEP_DECLARATOR, // ~: through C declarators to the name
    KEN_STEP_QUALIFIER,  // ~scope: the innermost qualifier on the way that ~ goes
} ken_step_kind;

// How the grammars of C and C++ wrap the declared name; 0 for what the grammar does not have.
typedef struct ken_declarators {
    TSFieldId declarator, name, scope;
    TSSymbol operator_cast, reference, attributed, parenthesized, qualified, template_function;
} ken_declarators;

// One step from a node to one of its descendants.
typedef struct ken_rule_step {
    ken_step_kind kind;
    TSFieldId field;
    TSSymbol type;
    const ken_declarators *declarators; // of DECLARATOR and QUALIFIER
} ken_rule_step;

typedef struct ken_rule_path {
    ken_rule_step steps[KEN_RULE_STEPS];
    uint32_t n_steps; // 0 = the node itself
} ken_rule_path;

// Alternatives, the first that leads anywhere counts.
typedef struct ken_rule_paths {
    ken_rule_path paths[KEN_RULE_PATHS];
    uint32_t n_paths; // 0 = not given
} ken_rule_paths;

// A path that leads somewhere, to a text that is one of `words`.
typedef struct ken_rule_test {
    ken_rule_path path;
    ken_str words; // comma-separated, "x*" = begins with x; empty = any text
    bool is_given;
} ken_rule_test;

// What a node must be like for a rule to apply.
typedef struct ken_rule_cond {
    ken_rule_test when, unless;
    TSSymbol has[KEN_RULE_TYPES]; // a direct child of one of these types is demanded
    uint32_t n_has;
    TSSymbol inside[KEN_RULE_TYPES]; // the parent node must be of one of these types
    uint32_t n_inside;
    TSSymbol outside[KEN_RULE_TYPES]; // and none of these
    uint32_t n_outside;
    TSSymbol
        without[KEN_RULE_TYPES]; // no direct child, and nothing passed by a `~`, may be of these
    uint32_t n_without;
    const ken_declarators *declarators; // for `without`
} ken_rule_cond;

typedef struct ken_rule {
    ken_rule_role role;
    ken_symbol_kind kind;
    ken_scope scope;
    ken_place_at at;
    ken_rule_paths name, body, signature, value, module, doc, owner;
    ken_rule_cond cond;
    TSSymbol fn[KEN_RULE_TYPES]; // value types that make a variable a function
    uint32_t n_fn;
    ken_str inject_lang;       // of KEN_RULE_INJECT, unless an attribute says otherwise
    uint32_t max_depth;        // deepest nesting of definitions of this rule; 0 = any
    bool is_merged;            // adjacent definitions of one name are one (Haskell's clauses)
    bool is_opaque;            // do not look inside for further definitions
    bool is_each;              // the siblings of the name of the same type are names, too
    uint32_t each_step;        // or what the name's path leads to by other children at this step
    bool is_outer;             // has the name of the definition around it (Elixir's defstruct)
    bool is_rest;              // holds what follows it, up to the next one (C#'s `namespace x;`)
    uint32_t rest_level;       // or up to the next one of this level or a smaller one (headings)
    ken_visibility members;    // visibility of what is inside unless it says otherwise
    bool has_outer_members;    // that is the one that holds around it
    ken_visibility visibility; // its own, whatever the text says; UNKNOWN = see the text
    int16_t next;              // further rule for the same node type, -1 = none
} ken_rule;

typedef enum ken_visibility_rule {
    KEN_VISIBLE_NONE = 0,
    KEN_VISIBLE_WORDS,      // public, private, protected, internal, pub, export … before the name
    KEN_VISIBLE_UNDERSCORE, // a leading underscore is private
    KEN_VISIBLE_CAPITAL,    // a leading capital is public
    KEN_VISIBLE_STATIC,     // `static` is private to the file
} ken_visibility_rule;

struct ken_rules {
    const TSLanguage *grammar;
    int16_t *first; // [n_symbols]: first rule of a node type, -1 = none
    uint32_t n_symbols;
    ken_rule *rules;
    uint32_t n_rules;
    ken_visibility_rule visibility;
    ken_visibility default_visibility;
    ken_str name_trim;      // characters taken off both ends of names (quotes)
    uint32_t max_markers;   // refused: a line that begins with more quote and list markers; 0 = any
    ken_str blank_lines;    // of a second reading, by ' ': lines that begin so are left out
    ken_str blank_macros;   // as are macros alone on a line or behind one of these words
    ken_str blank_notes;    // of every reading, by ' ': calls of macros whose names end so,
    ken_str blank_heads;    // and macros behind one of these words, and bare ones alone on a line
    bool repairs_types;     // of a second reading of any damage: lang_repair.c
    bool blanks_attributes; // of every reading: macros between a function's type and its name
    bool blanks_specifiers; // as are those in front of a declaration: `X_API int f()`
    bool blanks_lists;      // and directives between the values of an initialiser
    bool names_operators;   // of every reading: lang_operator.c
};

// Follows the alternatives from `node`; a null node when none leads anywhere.
TSNode ken_rule_follow(const ken_rule_paths *paths, TSNode node);
TSNode ken_rule_follow_path(const ken_rule_path *path, TSNode node);
// Follows the path by every child that fits its step number `step` (from 1), a field or a type;
// returns how many ends are in `out`.
uint32_t ken_rule_follow_each(const ken_rule_path *path, uint32_t step, TSNode node, TSNode *out,
                              uint32_t max);
bool ken_rule_has_type(TSSymbol s, const TSSymbol *types, uint32_t n);
// `parent`: type of the node above; `depth` 0 = there is none. `text`: of the file.
bool ken_rule_holds(const ken_rule_cond *cond, TSNode node, TSSymbol parent, uint32_t depth,
                    ken_str text);
// True when `word` is one of the words in a comma-separated list; "x*" stands for all that begin
// so.
bool ken_rule_is_listed(ken_str word, ken_str list);

#endif
