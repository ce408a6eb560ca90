// SPDX-License-Identifier: MIT
// symbol.h -- a definition in a file: name, kind, where it is, what it belongs to.
//
// Spans are half-open byte offsets into the file. Lines are 0-based here, 1-based in JSON;
// last_line is the line of the last byte. Names are borrowed from whatever arena or text they came
// with.
#ifndef KEN_MODEL_SYMBOL_H
#define KEN_MODEL_SYMBOL_H

#include <stdint.h>

#include "base/str.h"

// name, word
#define KEN_SYMBOL_KIND_TABLE(X)  \
    X(UNKNOWN, "unknown")         \
    X(FUNCTION, "function")       \
    X(METHOD, "method")           \
    X(CONSTRUCTOR, "constructor") \
    X(MACRO, "macro")             \
    X(CLASS, "class")             \
    X(STRUCT, "struct")           \
    X(UNION, "union")             \
    X(ENUM, "enum")               \
    X(INTERFACE, "interface")     \
    X(TRAIT, "trait")             \
    X(TYPE, "type")               \
    X(OBJECT, "object")           \
    X(MODULE, "module")           \
    X(NAMESPACE, "namespace")     \
    X(IMPL, "impl")               \
    X(VARIABLE, "variable")       \
    X(CONSTANT, "constant")       \
    X(FIELD, "field")             \
    X(PROPERTY, "property")       \
    X(ENUM_MEMBER, "enum_member") \
    X(TEST, "test")               \
    X(SECTION, "section")         \
    X(ELEMENT, "element")         \
    X(RULE, "rule")               \
    X(KEY, "key")                 \
    X(TABLE, "table")             \
    X(VIEW, "view")               \
    X(INDEX, "index")

typedef enum ken_symbol_kind {
#define X(name, word) KEN_SYMBOL_##name,
    KEN_SYMBOL_KIND_TABLE(X)
#undef X
    KEN_SYMBOL_KIND_COUNT
} ken_symbol_kind;

typedef enum ken_visibility {
    KEN_VISIBILITY_UNKNOWN = 0,
    KEN_VISIBILITY_PUBLIC,
    KEN_VISIBILITY_PROTECTED,
    KEN_VISIBILITY_INTERNAL, // package, module or crate
    KEN_VISIBILITY_PRIVATE,
    KEN_VISIBILITY_COUNT
} ken_visibility;

typedef struct ken_span {
    uint32_t start, end;
} ken_span;

typedef struct ken_symbol {
    ken_str name;
    ken_symbol_kind kind;
    ken_visibility visibility;
    ken_span span;      // the whole definition, without its leading comments
    ken_span signature; // from its start to its body
    ken_span doc;       // leading comments or docstring; empty when there is none
    uint32_t first_line, last_line;
    int32_t parent; // index among the file's symbols, always smaller than our own; -1 = none
    uint32_t depth; // number of ancestors
} ken_symbol;

const char *ken_symbol_kind_word(ken_symbol_kind k);
ken_symbol_kind ken_symbol_kind_parse(ken_str word); // UNKNOWN when it is none
const char *ken_visibility_word(ken_visibility v);   // "" for UNKNOWN

// The roles that ranking distinguishes. Modules (Ruby, Elixir, Rust) are types, namespaces are not.
static inline int ken_symbol_is_type(ken_symbol_kind k)
{
    return (k >= KEN_SYMBOL_CLASS && k <= KEN_SYMBOL_MODULE) || k == KEN_SYMBOL_TABLE ||
           k == KEN_SYMBOL_VIEW;
}

static inline int ken_symbol_is_callable(ken_symbol_kind k)
{
    return k >= KEN_SYMBOL_FUNCTION && k <= KEN_SYMBOL_MACRO;
}

static inline int ken_symbol_is_variable(ken_symbol_kind k)
{
    return k >= KEN_SYMBOL_VARIABLE && k <= KEN_SYMBOL_ENUM_MEMBER;
}

#endif
