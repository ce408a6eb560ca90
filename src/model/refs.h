// SPDX-License-Identifier: MIT
// refs.h -- references of a file: expressions, their places, and what local names are bound to.
//
// A reference is kept as the *expression* that names something: `db.open(x)` is member `open` of
// what `db` is. Equal expressions of a file are one; what they mean depends on other files and is
// worked out by `graph`, once per expression and not once per place. Local variables and parameters
// are gone: an expression that began with one begins with what it was bound to. So everything here
// depends on the bytes of the file only, as facts do.
//
// Ownership: arrays live in an arena; names point into it or into the text. Threads: plain data.
#ifndef KEN_MODEL_REFS_H
#define KEN_MODEL_REFS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "model/symbol.h"

// A definition is counted through the file's symbols, then through `implied`.
typedef uint32_t ken_def_id;
// An index into `exprs`; 0 = nothing is known. Parts always have smaller numbers than the whole.
typedef uint32_t ken_expr_id;

typedef enum ken_expr_op {
    KEN_EXPR_NONE = 0,
    // b of NAME and MEMBER: in languages with overloading the tuple of the call's arguments, 0 when it is
    // not a call; of a Rust macro (`name!`) the BUILTIN expression "macro". The tuple begins with BUILTIN
    // "tuple", or "types" where the call says its types: `f<int>(x)`.
    KEN_EXPR_NAME,    // a bare `name`, seen from inside definition a - 1 (a = 0: top of the file)
    KEN_EXPR_DEF,     // definition a of this file
    KEN_EXPR_SELF,    // this object; a - 1 = the definition of its type (a = 0: none around)
    KEN_EXPR_SUPER,   // the same, as its base sees it
    KEN_EXPR_MEMBER,  // `name` of what a is
    KEN_EXPR_CALL,    // what calling a gives; b - 1 = arguments (b = 0: not counted)
    KEN_EXPR_VALUE,   // a value of the type that a names
    KEN_EXPR_ELEMENT, // what indexing or iterating a gives; b: 0 = element, 1 = key, 2 = a entered
    KEN_EXPR_APPLY,   // type a with one more argument, type b
    KEN_EXPR_AWAIT,   // what waiting for a gives
    KEN_EXPR_EITHER,  // a or b
    KEN_EXPR_PARAM,   // type parameter `name`, number b, of definition a; its bound is unknown
    KEN_EXPR_BUILTIN, // a value of a type of the language itself: "string", "number", "list", …
    KEN_EXPR_LAMBDA,  // a function that returns a; b = tuple of its parameters, 0 = unknown
    KEN_EXPR_GIVEN,   // what parameter b of function a is given
    KEN_EXPR_OP_COUNT
} ken_expr_op;

typedef struct ken_expr {
    ken_expr_op op;
    uint32_t a, b;
    ken_str name; // of NAME, MEMBER, PARAM and BUILTIN
} ken_expr;

// name, word
#define KEN_REF_ROLE_TABLE(X) \
    X(READ, "read")           \
    X(WRITE, "write")         \
    X(CALL, "call")           \
    X(NEW, "new")             \
    X(TYPE, "type")           \
    X(INHERIT, "inherit")     \
    X(IMPORT, "import")       \
    X(DECORATE, "decorate")

typedef enum ken_ref_role {
#define X(name, word) KEN_REF_##name,
    KEN_REF_ROLE_TABLE(X)
#undef X
    KEN_REF_ROLE_COUNT
} ken_ref_role;

const char *ken_ref_role_word(ken_ref_role r);

// One name in the text: NAME and MEMBER expressions have places, at the first byte of the name.
typedef struct ken_ref {
    ken_expr_id expr;
    ken_ref_role role;
    uint32_t byte;
} ken_ref;

// A definition that is no symbol of the outline: `self.x = …`, a prototype, an object's key that is
// exported, `export default <expression>` (named "default").
typedef struct ken_implied {
    ken_str name;
    ken_symbol_kind kind;
    int32_t owner;       // definition it belongs to, -1 = the file
    uint32_t byte;       // of its name
    bool is_declaration; // declares what is defined elsewhere (C's prototypes, `extern`)
} ken_implied;

typedef enum ken_def_flag {
    KEN_DEF_STATIC = 1 << 0,    // belongs to the type; in C, to the file
    KEN_DEF_ABSTRACT = 1 << 1,  // has no body: an interface's method, `abstract`, `= 0`
    KEN_DEF_OVERRIDE = 1 << 2,  // is marked as overriding
    KEN_DEF_EXPORTED = 1 << 3,  // `export`, `module.exports`
    KEN_DEF_EXTENSION = 1 << 4, // its owner is a type defined elsewhere, named by `extended`
    KEN_DEF_VARIADIC = 1 << 5,  // takes more arguments than max_params
    KEN_DEF_PREFIXED = 1 << 6,  // has no bare name: an object's key, `app.get = function …`
    KEN_DEF_DISTINCT = 1 << 7,  // no alias: Go's `type L []int` has methods of its own
} ken_def_flag;

// Each definition's properties beyond the outline.
typedef struct ken_def_info {
    // A variable, field or parameter: its value. A function: what calling it gives, or as a LAMBDA
    // the whole function, parameters included. A type alias: VALUE of what it stands
    // for. Else 0.
    ken_expr_id value;
    uint16_t complexity;            // McCabe's, of callables: 1 + branches
    uint8_t min_params, max_params; // without self/this; 255 = 255 or more
    uint8_t n_type_params;
    uint8_t flags; // ken_def_flag
} ken_def_info;

// Types that a definition is built on: bases, interfaces, mixins, embedded structs; the type that
// an `impl`, an extension or an out-of-line method (`void Foo::bar()`, Go's receivers) belongs to.
typedef enum ken_base_kind {
    KEN_BASE_EXTENDS = 0,
    KEN_BASE_IMPLEMENTS,
    KEN_BASE_MIXES, // include, use, with, embedded
    KEN_BASE_OWNER, // the definition's members are members of this type
} ken_base_kind;

typedef struct ken_base {
    ken_def_id def;
    ken_base_kind kind;
    ken_expr_id expr; // names the type
} ken_base;

typedef enum ken_bind_kind {
    KEN_BIND_NAME = 0, // `local` is `name` of `module`
    KEN_BIND_MODULE,   // `local` is the module itself; empty: its own name, or none
    KEN_BIND_ALL,      // all that the module shows is visible here without a prefix
} ken_bind_kind;

typedef enum ken_bind_flag {
    KEN_BIND_EXPORTED = 1 << 0, // visible to importers of this file
    KEN_BIND_TYPE = 1 << 1,     // types only
    KEN_BIND_STATIC = 1 << 2,   // Java's `import static`
    KEN_BIND_SYSTEM = 1 << 3,   // `#include <…>`
} ken_bind_flag;

// One name that an import (include, use, require, export … from) brings.
typedef struct ken_bind {
    ken_str local;  // as it is called here
    ken_str module; // as written, without quotes; empty = this file (`export { a as b }`)
    ken_str name;   // as it is called there; "default" for JavaScript's default export
    ken_bind_kind kind;
    uint8_t flags; // ken_bind_flag
    uint32_t byte; // of the name, or of the module
} ken_bind;

// A call, decorator or annotation that may declare a route or an event: its first argument is a string.
// Calls of `use`, `group`, `register`, `merge`, `setGlobalPrefix` and `include_router`, and decorators
// with a name that declares routes, may have no string; then `text` is empty and `byte` is where the
// arguments begin (`end` when there are none). Arguments between the string and the handler are guards.
// For `include_router` the handler is the router, and the arguments after it are guards.
typedef struct ken_literal {
    ken_expr_id callee;
    ken_str text;          // without quotes, at most 200 bytes; may be empty
    ken_expr_id handler;   // the last argument, when it names something; 0: `wrap(it)`, or none
    int32_t decorates;     // definition below a decorator, -1 = a call
    uint32_t byte;         // of the text, else of the arguments
    uint32_t handler_byte; // where the handler begins; without one as `byte`
    uint32_t end;          // of the call
} ken_literal;

// A name that is put where it may be called from: `x->proc = get`, `.proc = get`, a table's entry.
typedef struct ken_stored {
    ken_expr_id into; // NAME or MEMBER of a field or variable, or DEF of a table; the i-th field of
                      // a type is its member "i"
    ken_expr_id value; // NAME, MEMBER or DEF
    uint32_t byte;     // of the value's name
} ken_stored;

typedef struct ken_refs {
    ken_str package; // as declared: Java's package, PHP's namespace, Go's package name
    ken_expr *exprs; // [0] is NONE
    uint32_t n_exprs;
    ken_ref *refs; // by byte
    uint32_t n_refs;
    ken_implied *implied;
    uint32_t n_implied;
    ken_def_info *defs; // n_symbols + n_implied
    uint32_t n_defs;
    ken_base *bases; // by def
    uint32_t n_bases;
    ken_bind *binds;
    uint32_t n_binds;
    ken_literal *literals;
    uint32_t n_literals;
    ken_stored *stored; // by byte
    uint32_t n_stored;
} ken_refs;

#endif
