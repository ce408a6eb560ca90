// SPDX-License-Identifier: MIT
// Calls, and those whose first argument may name a route or an event.
#include "refs/refs_priv.h"

enum {
    MAX_TEXT = 200
};

static const char *const route_words[] = {
    "get",
    "post",
    "put",
    "patch",
    "delete",
    "head",
    "options",
    "all",
    "any",
    "use",
    "route",
    "routes",
    "handle",
    "handlefunc",
    "mount",
    "prefix",
    "on",
    "once",
    "emit",
    "off",
    "to",
    "of",
    "subscribe",
    "publish",
    "addeventlistener",
    "register",
    "include",
    "path",
    "re_path",
    "url",
    "resource",
    "resources",
    "match",
    "map",
    "mapget",
    "mappost",
    "mapput",
    "mapdelete",
    "requestmapping",
    "getmapping",
    "postmapping",
    "putmapping",
    "deletemapping",
    "patchmapping",
    "group",
    "nest",
    "scope",
    "api_route",
    "websocket",
    "controller",
    "httpget",
    "httppost",
    "httpput",
    "httpdelete",
    "httppatch",
    "mapgroup",
    "mappatch",
    "basepath",
    "method",
    "setglobalprefix",
};

static bool is_route_word(ken_str name)
{
    for (size_t i = 0; i < sizeof route_words / sizeof *route_words; i++)
        if (ken_str_eq_fold(name, ken_str_c(route_words[i])))
            return true;
    return false;
}

// What is between the quotes of a literal, without what stands before them (r"", @"", u8"").
static ken_str literal_text(const ken_refs_maker *m, const refs_value *v, uint32_t *out_byte)
{
    ken_str text = refs_text(m, v->start, v->end);
    size_t from = 0, to = text.len;
    while (from < to && !memchr("\"'`", text.ptr[from], 3))
        from++;
    while (from < to && memchr("\"'`", text.ptr[from], 3))
        from++;
    while (to > from && memchr("\"'`", text.ptr[to - 1], 3))
        to--;
    *out_byte = v->start + (uint32_t)from;
    return ken_str_sub(text, from, to - from > MAX_TEXT ? from + MAX_TEXT : to);
}

static bool is_argument(const refs_frame *f, const refs_value *v)
{
    return v->depth == f->args_depth + 1 && v->start >= f->args_start;
}

static bool names_something(const ken_refs_maker *m, ken_expr_id e)
{
    ken_expr_op op = m->exprs.ptr[e].op;
    return op == KEN_EXPR_NAME || op == KEN_EXPR_MEMBER || op == KEN_EXPR_DEF ||
           op == KEN_EXPR_LAMBDA;
}

// The first argument, when it is a text. (Arguments without a rule deliver nothing.)
static const refs_value *text_argument(const ken_refs_maker *m, const refs_frame *f)
{
    for (size_t i = f->first_value; i < m->values.len; i++) {
        const refs_value *v = &m->values.ptr[i];
        if (!is_argument(f, v))
            continue;
        ken_str before = ken_str_trim(refs_text(m, f->args_start, v->start));
        bool is_first = !before.len || ken_str_eq(before, KEN_STR("("));
        return v->is_text && is_first ? v : NULL;
    }
    return NULL;
}

// `app.use(…)`: what it is given stands before all routes.
static bool is_use(ken_str name)
{
    return ken_str_eq_fold(name, KEN_STR("use"));
}

// `app.include_router(router, dependencies=[…])`: the router comes first.
static bool is_include(ken_str name)
{
    static const char *const words[] = { "include_router", "register_blueprint", "register",
                                         "merge" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ken_str_eq_c(name, words[i]))
            return true;
    return false;
}

// Text of the literal and where it stands; false when the call is of no interest.
static bool begin_literal(const ken_refs_maker *m, const refs_frame *f, ken_str callee,
                          const refs_value *first, ken_literal *l)
{
    if (!first) {
        l->byte = l->handler_byte = f->args_depth ? f->args_start : f->end;
        bool is_group = f->args_depth && (ken_str_eq_fold(callee, KEN_STR("group")) ||
                                          ken_str_eq_fold(callee, KEN_STR("setglobalprefix")));
        return is_use(callee) || is_include(callee) || is_group ||
               (l->decorates >= 0 && is_route_word(callee));
    }
    l->text = literal_text(m, first, &l->byte);
    l->handler_byte = l->byte;
    return is_route_word(callee) || (l->text.len && l->text.ptr[0] == '/');
}

// The first argument, when it names something.
static const refs_value *router_argument(const ken_refs_maker *m, const refs_frame *f)
{
    for (size_t i = f->first_value; i < m->values.len; i++)
        if (is_argument(f, &m->values.ptr[i]))
            return names_something(m, m->values.ptr[i].expr) ? &m->values.ptr[i] : NULL;
    return NULL;
}

// The last argument that names something or makes it: `wrap(handler)`.
static const refs_value *handler_argument(const ken_refs_maker *m, const refs_frame *f,
                                          const refs_value *first)
{
    for (size_t i = m->values.len; i-- > f->first_value;) {
        const refs_value *v = &m->values.ptr[i];
        if (v != first && is_argument(f, v) &&
            (names_something(m, v->expr) || m->exprs.ptr[v->expr].op == KEN_EXPR_CALL))
            return v;
    }
    return NULL;
}

static void add_literal(ken_refs_maker *m, const refs_frame *f, ken_expr_id callee)
{
    ken_literal l = { .callee = callee, .decorates = -1, .end = f->end };
    const refs_value *first = f->args_depth ? text_argument(m, f) : NULL;
    ken_str name = m->names.ptr[m->exprs.ptr[callee].name].text;
    const refs_frame *outer = refs_top(m);
    if (refs_has(f, KEN_REF_F_DECORATE) ||
        (outer->rule && outer->rule->role == KEN_REF_RULE_DECORATE))
        l.decorates = f->around;
    if ((!f->args_depth && l.decorates < 0) || m->literals.len >= KEN_MAX_REFS ||
        !begin_literal(m, f, name, first, &l))
        return;
    const refs_value *last = !f->args_depth     ? NULL
                             : is_include(name) ? router_argument(m, f)
                                                : handler_argument(m, f, first);
    if (last) {
        l.handler = names_something(m, last->expr) ? last->expr : 0;
        l.handler_byte = last->start;
    }
    ken_vec_push(&m->literals, l);
}

// The callee is the first child, or a name in the call itself with perhaps a receiver before it.
static refs_value callee_of(ken_refs_maker *m, const refs_frame *f)
{
    const refs_value *first = ken_refs__first(m, f);
    if (f->is_def_name)
        return (refs_value){ .ref = -1 };
    if (!f->name.len)
        return first ? *first : (refs_value){ .ref = -1 };
    if (first && first->end > f->name_start)
        first = NULL;
    refs_name name = ken_refs__name(m, f->name); // may move the names
    int32_t local = first || m->rules->calls_apart ? -1 : m->names.ptr[name].local;
    if (local >= 0 && refs_has(f, KEN_REF_F_BARE) && !m->locals.ptr[local].is_type)
        return (refs_value){ .expr = m->locals.ptr[local].value, .ref = -1 };
    return ken_refs__member(m, f, first);
}

// ---- what a function is given ------------------------------------------------------------------

static const struct {
    const char *name;
    ken_expr_op op; // of what the method is called on
    uint8_t params; // bits of those that are it
} givers[] = {
    { "map", KEN_EXPR_ELEMENT, 1 },       { "filter", KEN_EXPR_ELEMENT, 1 },
    { "forEach", KEN_EXPR_ELEMENT, 1 },   { "find", KEN_EXPR_ELEMENT, 1 },
    { "findIndex", KEN_EXPR_ELEMENT, 1 }, { "findLast", KEN_EXPR_ELEMENT, 1 },
    { "some", KEN_EXPR_ELEMENT, 1 },      { "every", KEN_EXPR_ELEMENT, 1 },
    { "flatMap", KEN_EXPR_ELEMENT, 1 },   { "sort", KEN_EXPR_ELEMENT, 3 },
    { "toSorted", KEN_EXPR_ELEMENT, 3 },  { "reduce", KEN_EXPR_ELEMENT, 2 },
    { "then", KEN_EXPR_AWAIT, 1 },
};

ken_expr_id ken_refs__element_given(ken_refs_maker *m, const refs_frame *lambda, uint32_t nth)
{
    const refs_frame *call = lambda - 1;
    if (!(lambda->rule->flags & KEN_REF_F_ELEMENT) || !call->rule ||
        call->rule->role != KEN_REF_RULE_CALL || lambda->depth != call->args_depth + 1)
        return 0;
    ken_str before = ken_str_trim(refs_text(m, call->args_start, lambda->start));
    const refs_value *callee = ken_str_eq(before, KEN_STR("(")) ? ken_refs__first(m, call) : NULL;
    if (!callee || m->exprs.ptr[callee->expr].op != KEN_EXPR_MEMBER)
        return 0;
    refs_expr e = m->exprs.ptr[callee->expr];
    for (size_t i = 0; i < sizeof givers / sizeof *givers; i++)
        if (nth < 8 && givers[i].params >> nth & 1 &&
            ken_str_eq_c(m->names.ptr[e.name].text, givers[i].name))
            return ken_refs__expr(m, givers[i].op, e.a, 0, 0);
    return 0;
}

// ---- what holds what it is given ---------------------------------------------------------------

// `Arc::new(x)` is an Arc of what x is; these hand its members on, or say so by their methods.
static bool is_holder(ken_str name)
{
    static const char *const holders[] = { "Arc",     "Rc",       "Box",  "Mutex", "RwLock",
                                           "RefCell", "OnceCell", "Cell", "Pin" };
    for (size_t i = 0; i < sizeof holders / sizeof *holders; i++)
        if (ken_str_eq_c(name, holders[i]))
            return true;
    return false;
}

// The holder that a function is called on as `Holder::name`; 0 = it is none.
static ken_expr_id holder_of(const ken_refs_maker *m, const refs_expr *callee)
{
    if (!ken_str_eq(m->rules->separator, KEN_STR("::")) || callee->op != KEN_EXPR_MEMBER)
        return 0;
    const refs_expr *type = &m->exprs.ptr[callee->a];
    bool is_named = type->op == KEN_EXPR_NAME || type->op == KEN_EXPR_MEMBER;
    return is_named && is_holder(m->names.ptr[type->name].text) ? callee->a : 0;
}

static const refs_value *only_argument(const ken_refs_maker *m, const refs_frame *f)
{
    for (size_t i = f->first_value; f->args_depth && f->n_args == 2 && i < m->values.len; i++)
        if (is_argument(f, &m->values.ptr[i]))
            return &m->values.ptr[i];
    return NULL;
}

// What `Arc::new(value)` and `Arc::clone(&value)` give; 0 = it is neither, or nothing is known.
static ken_expr_id held_value(ken_refs_maker *m, const refs_frame *f, ken_expr_id callee)
{
    refs_expr e = m->exprs.ptr[callee];
    ken_expr_id holder = holder_of(m, &e);
    const refs_value *given = holder ? only_argument(m, f) : NULL;
    if (!given)
        return 0;
    if (ken_str_eq(m->names.ptr[e.name].text, KEN_STR("clone")))
        return given->expr;
    ken_expr_op op = m->exprs.ptr[given->expr].op;
    if (!ken_str_eq(m->names.ptr[e.name].text, KEN_STR("new")) ||
        (op != KEN_EXPR_CALL && op != KEN_EXPR_VALUE))
        return 0;
    return ken_refs__value_of_type(m, ken_refs__expr(m, KEN_EXPR_APPLY, holder, given->expr, 0));
}

// `require('./x')(…)`: what the import brings is called where it stands; no name says so.
static bool is_import_called(const ken_refs_maker *m, const refs_value *callee)
{
    refs_expr e = m->exprs.ptr[callee->expr];
    ken_str name = e.op == KEN_EXPR_NAME ? m->names.ptr[e.name].text : KEN_STR("");
    return callee->ref < 0 && callee->end > callee->start && ken_str_ends(name, KEN_STR(")"));
}

ken_str ken_refs__number_type(ken_str literal)
{
    char last = literal.len ? ken_lower(literal.ptr[literal.len - 1]) : '0';
    bool is_hex = literal.len > 1 && literal.ptr[0] == '0' && ken_lower(literal.ptr[1]) == 'x';
    if (last == 'l')
        return KEN_STR("long");
    if (last == 'm')
        return KEN_STR("decimal");
    if (is_hex)
        return KEN_STR("int");
    if (last == 'f')
        return KEN_STR("float");
    bool is_real = last == 'd' || ken_str_find_char(literal, '.') != SIZE_MAX ||
                   ken_str_find_char(literal, 'e') != SIZE_MAX ||
                   ken_str_find_char(literal, 'E') != SIZE_MAX;
    return is_real ? KEN_STR("double") : KEN_STR("int");
}

ken_expr_id ken_refs__labelled(ken_refs_maker *m, ken_str name, char mark, ken_expr_id value)
{
    ken_str word = ken_arena_printf(m->arena, KEN_STR_FMT "%c", KEN_STR_ARG(name), mark);
    ken_expr_id label = ken_refs__expr(m, KEN_EXPR_BUILTIN, 0, 0, ken_refs__name(m, word));
    return ken_refs__expr(m, KEN_EXPR_APPLY, label, value, 0);
}

// The name that an argument says before its value: `by: x`, `by = x`; empty when it says none.
static ken_str label_of(const ken_refs_maker *m, ken_str argument)
{
    size_t end = 0, at;
    while (end < argument.len && ken_is_word(argument.ptr[end]))
        end++;
    for (at = end; at < argument.len && argument.ptr[at] == ' ';)
        at++;
    bool is_said = end && at + 1 < argument.len && argument.ptr[at] == m->rules->label &&
                   !memchr("=:>", argument.ptr[at + 1], 3);
    return ken_str_sub(argument, 0, is_said ? end : 0);
}

// `f(x) { … }`, `f { … }`: a function behind the arguments is one of them. False when what stands
// there is not understood.
static bool take_trailing(ken_refs_maker *m, const refs_frame *f, uint32_t end, ken_expr_id *tuple)
{
    ken_str behind = ken_str_trim(refs_text(m, end, f->end));
    if (!behind.len)
        return true;
    if (behind.ptr[0] != '{' || !ken_str_ends(behind, KEN_STR("}")))
        return false;
    ken_expr_id lambda = ken_refs__expr(m, KEN_EXPR_LAMBDA, 0, 0, 0);
    ken_expr_id last = ken_refs__labelled(m, KEN_STR(""), '{', lambda);
    *tuple = ken_refs__expr(m, KEN_EXPR_APPLY, *tuple, last, 0);
    return true;
}

// One argument: what is known of it, with the name that it says.
static ken_expr_id argument_of(ken_refs_maker *m, const refs_value *v, uint32_t start, uint32_t end)
{
    bool is_known = m->rules->types_calls && v && v->start == start && v->end == end;
    ken_expr_id value = is_known ? v->expr : 0;
    ken_str label = m->rules->label ? label_of(m, refs_text(m, start, end)) : KEN_STR("");
    return label.len ? ken_refs__labelled(m, label, ':', value) : value;
}

// The arguments between the brackets, behind those of `tuple`; 0 = there are too many.
static ken_expr_id take_listed(ken_refs_maker *m, const refs_frame *f, ken_expr_id tuple)
{
    enum {
        ARGS_MAX = 24
    };
    TSTreeCursor c = ts_tree_cursor_new(f->args);
    uint32_t n = 0;
    size_t at = f->first_value;
    for (bool has = ts_tree_cursor_goto_first_child(&c); has && n <= ARGS_MAX;
         has = ts_tree_cursor_goto_next_sibling(&c)) {
        TSNode child = ts_tree_cursor_current_node(&c);
        if (!ts_node_is_named(child) || ts_node_is_extra(child))
            continue;
        uint32_t start = ts_node_start_byte(child), end = ts_node_end_byte(child);
        while (at < m->values.len && m->values.ptr[at].start < start)
            at++;
        const refs_value *v = at < m->values.len ? &m->values.ptr[at] : NULL;
        tuple = ken_refs__expr(m, KEN_EXPR_APPLY, tuple, argument_of(m, v, start, end), 0);
        n++;
    }
    ts_tree_cursor_delete(&c);
    return n <= ARGS_MAX ? tuple : 0;
}

// Whether the call says its types: `f<int>(x)`.
static bool says_types(const ken_refs_maker *m, const refs_frame *f, int32_t ref)
{
    if (ref < 0 || f->rule->role != KEN_REF_RULE_CALL)
        return false;
    const ken_ref *r = &m->refs.ptr[ref];
    uint32_t end = r->byte + (uint32_t)m->names.ptr[m->exprs.ptr[r->expr].name].text.len;
    ken_str between =
        end < f->args_start ? ken_str_trim(refs_text(m, end, f->args_start)) : KEN_STR("");
    return ken_str_starts(between, KEN_STR("<")) && ken_str_ends(between, KEN_STR(">"));
}

// What the call is given, as a tuple with 0 for what is not known; 0 = the language has one function
// of a name, or there are too many. `before` is what a call gives that this one adds a function to.
static ken_expr_id arguments_of(ken_refs_maker *m, const refs_frame *f, ken_expr_id before,
                                int32_t ref)
{
    bool is_call = f->rule->role == KEN_REF_RULE_CALL && m->rules->label;
    if (!m->rules->counts_calls || (!f->args_depth && !is_call))
        return 0;
    TSNode last = f->args_depth ? f->args : ts_node_named_child(f->node, 0);
    ken_expr_id tuple = f->args_depth ? 0 : before;
    if (!tuple) {
        ken_str word = says_types(m, f, ref) ? KEN_STR("types") : KEN_STR("tuple");
        tuple = ken_refs__expr(m, KEN_EXPR_BUILTIN, 0, 0, ken_refs__name(m, word));
    }
    if (f->args_depth)
        tuple = take_listed(m, f, tuple);
    bool is_whole = !is_call || take_trailing(m, f, ts_node_end_byte(last), &tuple);
    return is_whole ? tuple : 0;
}

// The callee with what it is called with, which its place says from now on.
static ken_expr_id called_with(ken_refs_maker *m, int32_t ref, ken_expr_id callee, ken_expr_id args)
{
    refs_expr e = m->exprs.ptr[ref >= 0 ? m->refs.ptr[ref].expr : callee];
    bool is_named = e.op == KEN_EXPR_NAME || e.op == KEN_EXPR_MEMBER;
    ken_expr_id called = args && is_named ? ken_refs__expr(m, e.op, e.a, args, e.name) : 0;
    if (!called)
        return callee;
    if (ref >= 0)
        m->refs.ptr[ref].expr = called;
    return called;
}

ken_expr_id ken_refs__macro(ken_refs_maker *m, int32_t ref, ken_expr_id callee)
{
    ken_expr_id macro =
        ken_refs__expr(m, KEN_EXPR_BUILTIN, 0, 0, ken_refs__name(m, KEN_STR("macro")));
    return called_with(m, ref, callee, macro);
}

ken_expr_id ken_refs__called(ken_refs_maker *m, const refs_frame *f, int32_t ref,
                             ken_expr_id callee)
{
    if (refs_has(f, KEN_REF_F_MACRO))
        return ken_refs__macro(m, ref, callee);
    refs_expr e = m->exprs.ptr[ref >= 0 ? m->refs.ptr[ref].expr : callee];
    bool is_named = e.op == KEN_EXPR_NAME || e.op == KEN_EXPR_MEMBER;
    return called_with(m, ref, callee, is_named ? arguments_of(m, f, e.b, ref) : 0);
}

// `make_unique<T>(1)` constructs a T: the last name of its first type. 0 = none is said.
static ken_expr_id made_value(ken_refs_maker *m, const refs_frame *f)
{
    ken_str head = refs_text(m, f->start, f->args_start);
    size_t open = ken_str_find_char(head, '<'), end = open + 1;
    if (!refs_has(f, KEN_REF_F_CALLED) || !f->args_depth || open == SIZE_MAX)
        return 0;
    while (end < head.len && !memchr("<,>", head.ptr[end], 3))
        end++;
    for (size_t i = m->refs.len; i-- > 0 && m->refs.ptr[i].byte > f->start + open;) {
        if (m->refs.ptr[i].byte >= f->start + end || !m->refs.ptr[i].expr)
            continue;
        ken_expr_id type = m->refs.ptr[i].expr;
        m->refs.ptr[i].role = KEN_REF_NEW;
        ken_refs__called(m, f, (int32_t)i, type);
        return ken_refs__value_of_type(m, type);
    }
    return 0;
}

refs_value ken_refs__close_call(ken_refs_maker *m, const refs_frame *f)
{
    refs_value callee = callee_of(m, f);
    callee.expr = ken_refs__called(m, f, callee.ref, callee.expr);
    if (is_import_called(m, &callee))
        callee.ref = ken_refs__add_ref(m, callee.expr, KEN_REF_CALL, callee.start);
    bool is_decoration = refs_has(f, KEN_REF_F_DECORATE);
    ken_refs__set_role(m, &callee, is_decoration ? KEN_REF_DECORATE : KEN_REF_CALL);
    if (callee.expr)
        add_literal(m, f, callee.expr);
    ken_expr_id held = held_value(m, f, callee.expr);
    if (!held)
        held = made_value(m, f);
    uint32_t n_args = m->rules->types_params ? 0 : f->n_args; // there is one function of a name
    return (refs_value){ held ? held
                              : ken_refs__expr(m, KEN_EXPR_CALL,
                                               ken_refs__applied(m, f, callee.expr), n_args, 0),
                         callee.ref,
                         f->start,
                         f->end,
                         f->depth,
                         false };
}
