// SPDX-License-Identifier: MIT
// refs_priv.h -- a maker's parts, for this folder only.
//
// refs_walk.c goes through the tree and keeps the stack of open nodes (frames); refs_close.c says
// what a node gives when it is over; refs_expr.c keeps names and expressions, refs_scope.c locals,
// refs_defs.c definitions, refs_import.c bindings, refs_object.c objects that are written down,
// refs_context.c what a place expects, refs_stored.c what is put into fields and tables,
// refs_call.c calls and their literals, refs_tokens.c what macros are given.
#ifndef KEN_REFS_REFS_PRIV_H
#define KEN_REFS_REFS_PRIV_H

#include "base/slots.h"
#include "base/vec.h"
#include "refs/refs.h"

typedef uint32_t refs_name; // index into names; 0 = none

// What a node that is an expression delivers to the frame around it.
typedef struct refs_value {
    ken_expr_id expr;
    int32_t ref;                // the place whose role the taker may set, -1 = none
    uint32_t start, end, depth; // of the node
    bool is_text;               // a literal text
} refs_value;

typedef struct refs_name_entry {
    ken_str text;
    uint32_t hash, slot;
    int32_t local;  // innermost visible local of this name, -1 = none
    int32_t symbol; // first definition of this name, -1 = none
} refs_name_entry;

typedef struct refs_expr {
    ken_expr_op op;
    uint32_t a, b;
    refs_name name;
    uint32_t slot;
    int32_t implied; // index into implied of a field that was assigned to by this; -1 = none
} refs_expr;

typedef struct refs_local {
    refs_name name;
    ken_expr_id value;
    int32_t outer;  // the local that it hides, -1 = none
    uint32_t frame; // that it is visible in
    bool is_type;   // a type parameter: hides types, too
    bool is_global; // Python's `global x`: there is none
} refs_local;

// A name that an open frame declares, by where it stands; its leaf is no reference.
typedef struct refs_decl {
    ken_str text;
    uint32_t byte;
    int32_t step;  // of a pattern: how to get at its value, or one of refs_step_none
    bool was_seen; // its leaf went by
} refs_decl;

enum refs_step_none {
    REFS_STEP_WHOLE = -1,   // it is the whole value
    REFS_STEP_UNKNOWN = -2, // nothing is known
};

// How to get from the value of a pattern to that of a part of it.
typedef struct refs_step {
    int32_t from; // step of the pattern around
    ken_expr_op op;
    refs_name name;
    uint32_t byte;    // of the name; 0 = it was said already
    ken_expr_id expr; // worked out when the value is known
    bool is_known;    // `expr` is the type's that the pattern names
} refs_step;

typedef struct refs_frame {
    const ken_ref_rule *rule;
    TSNode node;
    uint32_t start, end, depth;
    uint32_t max_depth; // of values that count
    uint32_t first_value, first_decl, first_step;
    uint32_t first_local;     // of frames that are scopes
    uint32_t scope, callable; // innermost frames that are one, itself included; 0 = the file
    int32_t around;           // innermost definition by place
    int32_t def;              // definition that this node is, -1 = none
    ken_str name;             // of a member or call
    uint32_t name_start;
    bool is_def_name;                        // that of a definition
    uint32_t types_end;                      // of the arguments that are types; 0 = there are none
    uint32_t args_start, args_depth, n_args; // n_args: 1 + their number, 0 = not counted
    TSNode args;                             // where args_start is
    uint32_t params_start, params_end;
    uint32_t ready_at;   // declares its names when the walk gets here; UINT32_MAX = when it closes
    ken_expr_id returns; // of callables
    ken_expr_id takes;   // of callables: a tuple of the types of its parameters, 0 = nothing to say
    uint16_t n_taken;    // parameters that `takes` has
    uint16_t n_returns;
    uint16_t min_params, max_params;
    bool is_variadic, has_self;
    int32_t object;      // of objects: the definition that is their type, -1 = none
    ken_expr_id context; // of objects: what is expected here, 0 = nothing is known
    int32_t step;        // of patterns
    bool is_declaring;
    uint32_t pattern_start, pattern_end; // where their names are
    ken_str module;                      // of imports
    uint32_t n_binds;                    // that there were before
    int32_t reserved; // place among refs of a name whose expression is known at the end; -1 = none
} refs_frame;

// A definition, by where it is.
typedef struct refs_place {
    uint32_t start, end, name_byte;
    int32_t around;  // by place, -1 = none
    int32_t holder;  // itself, or what holds it by name
    uint32_t view;   // `a` of NAMEs inside
    bool has_inner;  // definitions
    bool is_owned;   // by a type that is elsewhere
    int32_t next;    // definition of the same name, -1 = none
    uint8_t n_types; // parameters
} refs_place;

struct ken_refs_maker {
    // of the file
    ken_str text, package;
    ken_arena *arena;
    const ken_symbol *symbols;
    uint32_t n_symbols;
    KEN_VEC(refs_place) places;   // by symbol
    ken_vec_u32 order;            // symbols of the tree by start
    KEN_VEC(uint64_t) name_bytes; // names of the tree's symbols, by byte: byte << 32 | symbol
    KEN_VEC(refs_name_entry) names;
    ken_slots name_slots;
    KEN_VEC(refs_expr) exprs;
    ken_slots expr_slots;
    ken_vec_u32 kept; // of the end: by expression, whether it is used, then its new number
    KEN_VEC(ken_ref) refs;
    KEN_VEC(ken_implied) implied;
    KEN_VEC(ken_def_info) defs, implied_defs;
    KEN_VEC(ken_base) bases;
    KEN_VEC(ken_bind) binds;
    KEN_VEC(ken_literal) literals;
    KEN_VEC(ken_stored) stored;
    // of the walk
    const ken_ref_rules *rules;
    KEN_VEC(refs_frame) frames; // [0] is the file
    KEN_VEC(refs_value) values;
    KEN_VEC(refs_local) locals;
    KEN_VEC(refs_decl) decls;
    KEN_VEC(refs_step) steps;
    const uint32_t *left_out; // names that no node shows, from the next one on
    uint32_t n_left_out;
    uint32_t n_unseen;    // declared names whose leaf is to come
    uint32_t types_until; // byte: imports before it are of types alone
    // The sweep over definitions by place.
    int32_t around; // innermost one, -1 = none
    uint32_t view;  // `a` of NAMEs here
    uint32_t next_open, next_start, next_end;
    uint32_t next_ready; // least ready_at of open frames
    uint32_t next_name;  // of the sweep over their names
};

static inline refs_frame *refs_top(ken_refs_maker *m)
{
    return &m->frames.ptr[m->frames.len - 1];
}

static inline bool refs_has(const refs_frame *f, uint32_t flag)
{
    return (f->rule->flags & flag) != 0;
}

static inline ken_str refs_text(const ken_refs_maker *m, uint32_t start, uint32_t end)
{
    return ken_str_sub(m->text, start, end);
}

static inline ken_str refs_node_text(const ken_refs_maker *m, TSNode node)
{
    return refs_text(m, ts_node_start_byte(node), ts_node_end_byte(node));
}

// ---- refs_expr.c -------------------------------------------------------------------------------
void ken_refs__clear_exprs(ken_refs_maker *m);
refs_name ken_refs__name(ken_refs_maker *m, ken_str text); // names longer than 200 bytes are cut
// The expression, made when it is new. 0 when there are too many, or when it says nothing (a part
// that it cannot do without is 0).
ken_expr_id ken_refs__expr(ken_refs_maker *m, ken_expr_op op, uint32_t a, uint32_t b,
                           refs_name name);
ken_expr_id ken_refs__value_of_type(ken_refs_maker *m, ken_expr_id type);
ken_expr_id ken_refs__either(ken_refs_maker *m, ken_expr_id a, ken_expr_id b);
int32_t ken_refs__add_ref(ken_refs_maker *m, ken_expr_id expr, ken_ref_role role, uint32_t byte);
// Of a name that comes before what its expression is made of: a place in order, filled later or
// dropped at the end.
int32_t ken_refs__reserve_ref(ken_refs_maker *m, uint32_t byte);
int32_t ken_refs__fill_ref(ken_refs_maker *m, int32_t reserved, ken_expr_id expr, ken_ref_role role,
                           uint32_t byte);

// ---- refs_defs.c -------------------------------------------------------------------------------
void ken_refs__begin_defs(ken_refs_maker *m);
void ken_refs__begin_tree(ken_refs_maker *m, uint32_t first, uint32_t end);
void ken_refs__sweep(ken_refs_maker *m, uint32_t byte); // goes on to a place
// The definition whose name begins there, -1 = none.
int32_t ken_refs__def_named_at(const ken_refs_maker *m, uint32_t byte);
static inline uint32_t refs__view(const ken_refs_maker *m, int32_t around)
{
    return around >= 0 ? m->places.ptr[around].view : 0;
}
int32_t ken_refs__type_around(const ken_refs_maker *m, int32_t around);
int32_t ken_refs__callable_around(const ken_refs_maker *m, int32_t around);
int32_t ken_refs__holder(const ken_refs_maker *m, int32_t around);
bool ken_refs__is_type(const ken_refs_maker *m, int32_t def);
void ken_refs__set_owned(ken_refs_maker *m, int32_t def);
// A member of `owner` that the outline has, -1 = none.
int32_t ken_refs__member_of(const ken_refs_maker *m, int32_t owner, refs_name name);
void ken_refs__set_value(ken_refs_maker *m, int32_t def, ken_expr_id value);
int32_t ken_refs__add_implied(ken_refs_maker *m, ken_implied implied, ken_def_info info);
void ken_refs__assign_field(ken_refs_maker *m, ken_expr_id left, ken_expr_id value, uint32_t byte);
void ken_refs__branch(ken_refs_maker *m, int32_t around);

// ---- refs_scope.c ------------------------------------------------------------------------------
// `frame`: the index of the one that it is visible in; in the file's a variable becomes an implied
// definition.
void ken_refs__declare(ken_refs_maker *m, uint32_t frame, ken_str name, uint32_t byte,
                       ken_expr_id value);
void ken_refs__declare_type(ken_refs_maker *m, uint32_t frame, ken_str name, ken_expr_id value);
void ken_refs__declare_global(ken_refs_maker *m, uint32_t frame, ken_str name);
void ken_refs__end_scope(ken_refs_maker *m, uint32_t frame);
// Notes that the leaf `node` is a declared name; nothing when it is no leaf.
void ken_refs__add_decl(ken_refs_maker *m, TSNode node, int32_t step);
void ken_refs__add_decls_below(ken_refs_maker *m, TSNode node); // all leaves that are names
bool ken_refs__is_declared(ken_refs_maker *m, uint32_t byte);
bool ken_refs__is_name(const ken_refs_maker *m, TSNode node); // by its type
void ken_refs__drop_decls(ken_refs_maker *m, uint32_t first);
// Which of the parts between commas a place in the node is in, in digits.
ken_str ken_refs__position(ken_refs_maker *m, TSNode node, uint32_t byte);
uint32_t ken_refs__commas_before(const ken_refs_maker *m, TSNode node, uint32_t byte);
void ken_refs__open_pattern(ken_refs_maker *m, refs_frame *f);
void ken_refs__close_pattern(ken_refs_maker *m, const refs_frame *f);
void ken_refs__add_pattern_leaf(ken_refs_maker *m, const refs_frame *f, TSNode leaf);
// The value of a declared name, when that of the whole is known and steps are worked out.
ken_expr_id ken_refs__decl_value(const ken_refs_maker *m, const refs_decl *d, ken_expr_id whole);
void ken_refs__work_out_steps(ken_refs_maker *m, const refs_frame *f, ken_expr_id whole);

// ---- refs_walk.c, refs_close.c -----------------------------------------------------------------
TSNode ken_refs__at(const ken_refs_maker *m, const ken_ref_rule *rule, ken_ref_path which,
                    TSNode node);
void ken_refs__deliver(ken_refs_maker *m, refs_value v); // to the innermost open frame
// The value of a direct child, NULL = there is none.
refs_value *ken_refs__first(ken_refs_maker *m, const refs_frame *f);
// The value of just the node where the path leads.
refs_value *ken_refs__value_at(ken_refs_maker *m, const refs_frame *f, ken_ref_path which);
void ken_refs__set_role(ken_refs_maker *m, const refs_value *v, ken_ref_role role);
// The member of `base` (NULL = none) that the frame names, with its place.
refs_value ken_refs__member(ken_refs_maker *m, const refs_frame *f, const refs_value *base);
void ken_refs__declare_names(ken_refs_maker *m,
                             uint32_t frame); // those of a `local`, with their values
void ken_refs__close_top(ken_refs_maker *m);

// `to` with the types that the call says: `f<T>(x)`, `new A<T>()`.
ken_expr_id ken_refs__applied(ken_refs_maker *m, const refs_frame *f, ken_expr_id to);

// ---- refs_object.c -----------------------------------------------------------------------------
void ken_refs__open_object(ken_refs_maker *m, refs_frame *f);
refs_value ken_refs__close_object(ken_refs_maker *m, const refs_frame *f);
void ken_refs__open_entry(ken_refs_maker *m, refs_frame *f);
void ken_refs__close_entry(ken_refs_maker *m, const refs_frame *f);
// `{ name }`: a key that is its value as well.
void ken_refs__add_short_entry(ken_refs_maker *m, ken_str name, uint32_t byte, ken_expr_id value);
// A field of the struct without a name that is right around: Go's `[]struct{ name string }`.
void ken_refs__add_object_field(ken_refs_maker *m, const refs_frame *f, ken_str name, uint32_t byte,
                                ken_expr_id value);
// `{ ...value }`: what it has, the object around has.
void ken_refs__spread(ken_refs_maker *m, ken_expr_id value);
// How objects of the type around are called.
void ken_refs__add_signature(ken_refs_maker *m, const refs_frame *f, ken_expr_id result);
// A function that stands in an object belongs to it.
void ken_refs__add_method(ken_refs_maker *m, const refs_frame *f, ken_expr_id result);

// ---- refs_context.c ----------------------------------------------------------------------------
// What the place of an expression expects of it: a declared type, a result, a member or an element
// of such, or with `%params typed` what the function takes whose argument it is. 0 = nothing is
// known.
ken_expr_id ken_refs__context(ken_refs_maker *m, const refs_frame *f);
const refs_frame *ken_refs__outer_of(const refs_frame *f); // through parentheses
// A value of the type at `type=`, 0 = there is none.
ken_expr_id ken_refs__type_said_by(ken_refs_maker *m, const refs_frame *f);
// What parameter `nth` of a function is that has no type of its own.
ken_expr_id ken_refs__given_to(ken_refs_maker *m, const refs_frame *callable, uint32_t nth);
// Notes that the callable takes one more parameter, of that type.
// The type of a parameter, inside of what its declarator makes of it: `*`, `const&`, …
ken_expr_id ken_refs__pointed(ken_refs_maker *m, const refs_frame *f, const refs_value *type);
void ken_refs__take(ken_refs_maker *m, refs_frame *callable, ken_expr_id type);
// A function that gives `result` and takes what was noted.
ken_expr_id ken_refs__whole_function(ken_refs_maker *m, const refs_frame *f, ken_expr_id result);

static inline bool refs_is_object(const refs_frame *f)
{
    return f->rule && f->rule->role == KEN_REF_RULE_OBJECT;
}

// ---- refs_stored.c -----------------------------------------------------------------------------
// Notes that what `v` names is put into a place; nothing when it can be no function.
void ken_refs__store(ken_refs_maker *m, ken_expr_id into, const refs_value *v);
// The values of a list that is written down are fields 0, 1, … of its type, or stand in a table.
void ken_refs__store_positions(ken_refs_maker *m, const refs_frame *f);

// ---- refs_call.c, arguments --------------------------------------------------------------------
// The type of a literal number: int, long, float or double.
ken_str ken_refs__number_type(ken_str literal);
// A part of a tuple under the name that arguments say: `name` and a mark as one word. Of what is given
// the mark is ':', of a function behind the arguments '{'; of what is taken '=' when it may be left
// out, '*' when it takes the rest, else ':'.
ken_expr_id ken_refs__labelled(ken_refs_maker *m, ken_str name, char mark, ken_expr_id value);
// What is called, with what the call gives it, where functions are overloaded; its place `ref`
// (-1 = none) as well.
ken_expr_id ken_refs__called(ken_refs_maker *m, const refs_frame *f, int32_t ref,
                             ken_expr_id callee);
// The same of a macro, where these have names of their own.
ken_expr_id ken_refs__macro(ken_refs_maker *m, int32_t ref, ken_expr_id callee);

// ---- refs_call.c -------------------------------------------------------------------------------
refs_value ken_refs__close_call(ken_refs_maker *m, const refs_frame *f);
// What parameter `nth` of a function is that is the first argument of a method that lists and
// promises have: `xs.map(x => …)`; 0 = it is none. Only for rules that say `element`.
ken_expr_id ken_refs__element_given(ken_refs_maker *m, const refs_frame *lambda, uint32_t nth);

// ---- refs_tokens.c -----------------------------------------------------------------------------
// Makes the name at start..end a member of the value before it, when `tokens` is the frame and says
// so; true when the name is dealt with.
bool ken_refs__take_token(ken_refs_maker *m, uint32_t start, uint32_t end);
// Whether the bracket at `start` is that of `#[…]` or `#![…]`, whose words mean nothing of the code.
bool ken_refs__is_attribute(const ken_refs_maker *m, uint32_t start);
void ken_refs__close_tokens(ken_refs_maker *m, const refs_frame *f);

// ---- refs_quoted.c -----------------------------------------------------------------------------
// Reads a text that stands where a type does (Python's `x: "T"`); false when it is no type.
bool ken_refs__take_quoted(ken_refs_maker *m, const ken_walk_stop *at, uint32_t start);

// ---- refs_import.c -----------------------------------------------------------------------------
bool ken_refs__is_in_import(ken_refs_maker *m);
void ken_refs__open_import(ken_refs_maker *m, refs_frame *f);
void ken_refs__close_import(ken_refs_maker *m, const refs_frame *f);
void ken_refs__bind(ken_refs_maker *m, const ken_ref_rule *rule, TSNode node);
refs_value ken_refs__close_export(ken_refs_maker *m, const refs_frame *f);
refs_value ken_refs__import_value(ken_refs_maker *m, const refs_frame *f);
void ken_refs__set_package(ken_refs_maker *m, const ken_ref_rule *rule, TSNode node);

#endif
