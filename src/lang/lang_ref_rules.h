// SPDX-License-Identifier: MIT
// lang_ref_rules.h -- a reference table, compiled: what each node type says with names.
//
// The text form, tables/<name>.refs, is described in README.md; `refs` walks a tree by it. A node
// type has a chain of rules; the first whose conditions hold applies. All pointers are borrowed
// from static text or live as long as the program.
#ifndef KEN_LANG_LANG_REF_RULES_H
#define KEN_LANG_LANG_REF_RULES_H

#include "lang/lang.h"
#include "lang/lang_rules.h"

// name, word, values that count are at most so many levels below the node, paths that it needs
// (words by ' '; "a|b" = one of them)
// clang-format off
#define KEN_REF_RULE_TABLE(X)                                                   \
    X(NAME, "name", 0, "")             /* leaf: a bare name */                  \
    X(TYPE, "type", 0, "")             /* leaf: a bare name of a type */        \
    X(WORD, "word", 0, "")             /* leaf: a name only for `member` around it */ \
    X(SELF, "self", 0, "")             /* leaf: this object */                  \
    X(SUPER, "super", 0, "")           /* leaf: this object as its base sees it */ \
    X(BUILTIN, "builtin", 0, "")       /* a literal, a type of the language */  \
    X(SKIP, "skip", 0, "")             /* nothing below counts */               \
    X(MEMBER, "member", 1, "")         /* name of what the first value is */    \
    X(CALL, "call", 1, "")                                                      \
    X(ARGS, "args", 0, "")             /* the arguments of the call, type around */ \
    X(NEW, "new", 1, "")                                                        \
    X(PASS, "pass", 1, "")             /* what is inside */                     \
    X(CAST, "cast", 1, "")                                                      \
    X(ELEMENT, "element", 1, "")                                                \
    X(KEY, "key", 1, "")                                                        \
    X(AWAIT, "await", 1, "")                                                    \
    X(EITHER, "either", 1, "")                                                  \
    X(OBJECT, "object", 1, "")         /* what its entries say, of no named type */ \
    X(ENTRY, "entry", 1, "name")                                                \
    X(APPLY, "apply", 1, "")                                                    \
    X(LAMBDA, "lambda", 1, "")                                                  \
    X(SCOPE, "scope", 0, "")                                                    \
    X(BRANCH, "branch", 0, "")                                                  \
    X(FUNCTION, "function", 1, "name")                                          \
    X(LOCAL, "local", 1, "name")                                                \
    X(FIELD, "field", 1, "name")                                                \
    X(PARAM_TYPE, "param_type", 1, "name")                                      \
    X(DECLARE, "declare", 1, "name")                                            \
    X(PATTERN, "pattern", 1, "")                                                \
    X(ASSIGN, "assign", 1, "left")                                              \
    X(RETURN, "return", 1, "")                                                  \
    X(GLOBAL, "global", 0, "")                                                  \
    X(BASE, "base", 1, "")                                                      \
    X(IMPORT, "import", 0, "")                                                  \
    X(BIND, "bind", 0, "")                                                      \
    X(PREFIX, "prefix", 0, "name")                                              \
    X(PACKAGE, "package", 0, "name")                                            \
    X(EXPORT, "export", 1, "")                                                  \
    X(DECORATE, "decorate", 1, "")                                              \
    X(TOKENS, "tokens", 1, "")         /* an expression that was not parsed */

#define KEN_REF_PATH_TABLE(X) \
    X(NAME, "name")           \
    X(TYPE, "type")           \
    X(VALUE, "value")         \
    X(LEFT, "left")           \
    X(RIGHT, "right")         \
    X(PARAMS, "params")       \
    X(BODY, "body")           \
    X(OWNER, "owner")         \
    X(MODULE, "module")       \
    X(LOCAL, "local")         \
    X(AHEAD, "ahead")         \
    X(HOIST, "hoist")

#define KEN_REF_FLAG_TABLE(X) \
    X(SCOPE, "scope")         \
    X(BRANCH, "branch")       \
    X(DECORATE, "decorate")   \
    X(OPEN, "open")           \
    X(BARE, "bare")           \
    X(TYPE, "type")           \
    X(PARAM, "param")         \
    X(OPTIONAL, "optional")   \
    X(VARIADIC, "variadic")   \
    X(ELEMENT, "element")     \
    X(KEY, "key")             \
    X(ENTER, "enter")         \
    X(MEMBER, "member")       \
    X(FIELD, "field")         \
    X(SELF, "self")           \
    X(DECLARES, "declares")   \
    X(ALL, "all")             \
    X(MODULE, "module")       \
    X(DEFAULT, "default")     \
    X(EXPORT, "export")       \
    X(STATIC, "static")       \
    X(SPLIT, "split")         \
    X(GIVES, "gives")         \
    X(CHAINED, "chained")     \
    X(CALLED, "called")       \
    X(OPAQUE, "opaque")       \
    X(EACH, "each")           \
    X(DISTINCT, "distinct")   \
    X(MACRO, "macro")         \
    X(MARKUP, "markup")
// clang-format on

typedef enum ken_ref_rule_role {
    KEN_REF_RULE_NONE = 0,
#define X(name, word, reach, needs) KEN_REF_RULE_##name,
    KEN_REF_RULE_TABLE(X)
#undef X
    KEN_REF_RULE_COUNT
} ken_ref_rule_role;

typedef enum ken_ref_path {
#define X(name, word) KEN_REF_PATH_##name,
    KEN_REF_PATH_TABLE(X)
#undef X
    KEN_REF_PATH_COUNT
} ken_ref_path;

typedef enum ken_ref_flag_bit {
#define X(name, word) KEN_REF_BIT_##name,
    KEN_REF_FLAG_TABLE(X)
#undef X
} ken_ref_flag_bit;

typedef enum ken_ref_flag {
#define X(name, word) KEN_REF_F_##name = 1 << KEN_REF_BIT_##name,
    KEN_REF_FLAG_TABLE(X)
#undef X
} ken_ref_flag;

typedef struct ken_ref_rule {
    ken_ref_rule_role role;
    uint32_t flags;                    // ken_ref_flag
    uint32_t reach;                    // values further below the node do not count
    uint32_t each_step;                // as in node tables
    bool has_conditions;               // `cond` demands something
    int16_t next;                      // further rule for the same node type, -1 = none
    uint16_t path[KEN_REF_PATH_COUNT]; // 1 + index into the table's paths; 0 = not given
    ken_str word;                      // of BUILTIN, APPLY: a type; of BASE: its kind
    uint32_t detail;                   // of BASE a ken_base_kind, of DECLARE a ken_symbol_kind
    ken_rule_cond cond;
} ken_ref_rule;

// Whether the bare name of a member means it.
typedef enum ken_member_view {
    KEN_MEMBERS_BARE = 0, // in all of the type
    KEN_MEMBERS_BODY,     // in its body, but not in its methods
    KEN_MEMBERS_NONE,     // nowhere
} ken_member_view;

typedef struct ken_ref_rules {
    const TSLanguage *grammar;
    int16_t *first; // [n_symbols]: first rule of a node type, -1 = none
    uint32_t n_symbols;
    ken_ref_rule *rules;
    uint32_t n_rules;
    ken_rule_paths *paths;
    ken_str separator; // between the parts of a module's name: "." or "::"
    ken_member_view members;
    bool counts_calls;   // calls are kept though their result is unused: functions are overloaded
    bool types_calls;    // and so is what they take and are called with
    bool calls_apart;    // what is called is no variable, whatever is nearer has its name
    bool marks_pointers; // types of parameters say whether these are pointers or references
    bool types_params;   // what functions take is kept, and what arguments are expected to be
    char label;          // behind the name that an argument may say, ':' or '='; 0 = it says none
} ken_ref_rules;

// Borrowed, compiled on first use; NULL without grammar or table.
const ken_ref_rules *ken_lang_ref_rules(ken_lang_id lang);

#endif
