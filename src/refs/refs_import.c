// SPDX-License-Identifier: MIT
// What imports bring and exports show.
#include "refs/refs_priv.h"

enum {
    MAX_BINDS = 100000, // of one file
    MAX_PATTERNS = 64   // around a name
};

static bool is_between(const refs_frame *f) // a list of names, a pattern
{
    return f->rule->role == KEN_REF_RULE_PATTERN || f->rule->role == KEN_REF_RULE_BUILTIN;
}

// Names are bound inside imports, patterns and lists in them, prefixes, and objects that are
// exported.
bool ken_refs__is_in_import(ken_refs_maker *m)
{
    size_t i = m->frames.len - 1;
    const refs_frame *f = m->frames.ptr;
    for (int n = 0; n < MAX_PATTERNS && i && is_between(&f[i]); n++)
        i--;
    if (i > 1 && f[i].rule->role == KEN_REF_RULE_OBJECT)
        return f[i - 1].rule->role == KEN_REF_RULE_EXPORT && refs_has(&f[i - 1], KEN_REF_F_ALL);
    return i && (f[i].rule->role == KEN_REF_RULE_IMPORT || f[i].rule->role == KEN_REF_RULE_PREFIX);
}

// The frame without a rule, the first, when there is none.
static const refs_frame *import_around(const ken_refs_maker *m)
{
    const refs_frame *f = &m->frames.ptr[m->frames.len - 1];
    while (f->rule && f->rule->role != KEN_REF_RULE_IMPORT &&
           f->rule->role != KEN_REF_RULE_PREFIX && f->rule->role != KEN_REF_RULE_EXPORT)
        f--;
    return f;
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'' || c == '`' || c == '<' || c == '>';
}

// Haskell's operators, `<$>` and `=:`, are neither headers nor keys.
static ken_str unquote(ken_str s)
{
    s = ken_str_trim(s);
    bool is_operator =
        s.len > 1 && s.ptr[0] == '<' && !ken_is_word(s.ptr[1]) && !memchr("./", s.ptr[1], 2);
    while (!is_operator && s.len > 1 && is_quote(s.ptr[0]) && is_quote(s.ptr[s.len - 1]))
        s = ken_str_sub(s, 1, s.len - 1);
    bool is_key = s.len && (ken_is_word(s.ptr[0]) || is_quote(s.ptr[0]));
    while (is_key && s.len && s.ptr[s.len - 1] == ':') // Elixir's `only: [name: 1]`
        s.len--;
    return s;
}

// Where the children of one field end that follow each other without a gap: Scala's `a.b.c`.
static uint32_t end_of_parts(const ken_refs_maker *m, const ken_ref_rule *rule, ken_ref_path which,
                             TSNode node, uint32_t end)
{
    enum {
        MAX_PARTS = 64
    };
    TSNode parts[MAX_PARTS];
    const ken_rule_path *path = &m->rules->paths[rule->path[which] - 1].paths[0];
    uint32_t n = ken_rule_follow_each(path, path->n_steps, node, parts, MAX_PARTS);
    for (uint32_t i = 0; i < n; i++)
        if (ts_node_start_byte(parts[i]) == end)
            end = ts_node_end_byte(parts[i]);
    return end;
}

static ken_str text_at(const ken_refs_maker *m, const ken_ref_rule *rule, ken_ref_path which,
                       TSNode node, uint32_t *out_byte)
{
    TSNode at = ken_refs__at(m, rule, which, node);
    if (ts_node_is_null(at))
        return KEN_STR("");
    uint32_t end = ts_node_end_byte(at);
    if (rule->flags & KEN_REF_F_EACH)
        end = end_of_parts(m, rule, which, node, end);
    ken_str text = unquote(refs_text(m, ts_node_start_byte(at), end));
    if (out_byte)
        *out_byte = ts_node_start_byte(at);
    return text;
}

static ken_str join(ken_refs_maker *m, ken_str a, ken_str b)
{
    if (!a.len || !b.len)
        return a.len ? a : b;
    if (a.len + b.len > 4096)
        return b;
    return ken_arena_printf(m->arena, KEN_STR_FMT KEN_STR_FMT KEN_STR_FMT, KEN_STR_ARG(a),
                            KEN_STR_ARG(m->rules->separator), KEN_STR_ARG(b));
}

// Takes the last part of a path off it.
static ken_str take_last(const ken_refs_maker *m, ken_str *path)
{
    ken_str sep = m->rules->separator;
    for (size_t i = path->len; i-- > 0;) {
        if (!ken_str_starts(ken_str_sub(*path, i, path->len), sep))
            continue;
        ken_str last = ken_str_sub(*path, i + sep.len, path->len);
        *path = ken_str_sub(*path, 0, i);
        return last;
    }
    ken_str last = *path;
    path->len = 0;
    return last;
}

void ken_refs__open_import(ken_refs_maker *m, refs_frame *f)
{
    const refs_frame *outer = f - 1;
    bool is_prefix = f->rule->role == KEN_REF_RULE_PREFIX;
    ken_ref_path path = is_prefix ? KEN_REF_PATH_NAME : KEN_REF_PATH_MODULE;
    f->name_start = UINT32_MAX;
    f->module = text_at(m, f->rule, path, f->node, &f->name_start);
    // Ruby's two ways: a path of the load path, or one from the file on.
    if (f->module.len && ken_str_starts(refs_node_text(m, f->node), KEN_STR("require_relative")))
        f->module = ken_arena_printf(m->arena, "./" KEN_STR_FMT, KEN_STR_ARG(f->module));
    if (outer->rule &&
        (outer->rule->role == KEN_REF_RULE_IMPORT || outer->rule->role == KEN_REF_RULE_PREFIX))
        f->module = join(m, outer->module, f->module);
    f->n_binds = (uint32_t)m->binds.len;
    ken_refs__add_decl(m, ken_refs__at(m, f->rule, KEN_REF_PATH_LOCAL, f->node), REFS_STEP_WHOLE);
}

static uint8_t bind_flags(uint32_t flags)
{
    return (uint8_t)((flags & KEN_REF_F_EXPORT ? KEN_BIND_EXPORTED : 0) |
                     (flags & KEN_REF_F_TYPE ? KEN_BIND_TYPE : 0) |
                     (flags & KEN_REF_F_STATIC ? KEN_BIND_STATIC : 0));
}

static void add_bind(ken_refs_maker *m, ken_bind b, bool is_use)
{
    if (m->binds.len >= MAX_BINDS)
        return;
    if (b.byte < m->types_until)
        b.flags |= KEN_BIND_TYPE;
    ken_vec_push(&m->binds, b);
    if (!is_use)
        return;
    ken_str name = b.module.len ? b.local : b.name;
    ken_expr_id e = ken_refs__expr(m, KEN_EXPR_NAME, m->view, 0, ken_refs__name(m, name));
    ken_refs__add_ref(m, e, KEN_REF_IMPORT, b.byte);
}

static void bind(ken_refs_maker *m, const ken_ref_rule *rule, TSNode node, ken_str module,
                 uint8_t flags, uint32_t byte)
{
    ken_bind b = { .kind = rule->flags & KEN_REF_F_ALL      ? KEN_BIND_ALL
                           : rule->flags & KEN_REF_F_MODULE ? KEN_BIND_MODULE
                                                            : KEN_BIND_NAME,
                   .flags = (uint8_t)(flags | bind_flags(rule->flags)),
                   .byte = byte };
    uint32_t local_byte = byte, name_byte = UINT32_MAX;
    b.local = text_at(m, rule, KEN_REF_PATH_LOCAL, node, &local_byte);
    b.name = text_at(m, rule, KEN_REF_PATH_NAME, node, &name_byte);
    b.byte = name_byte != UINT32_MAX ? name_byte : local_byte;
    b.module = module;
    if (rule->flags & KEN_REF_F_SPLIT) {
        ken_str path = b.name;
        b.name = take_last(m, &path);
        b.byte = name_byte + (uint32_t)(b.name.ptr - path.ptr);
        b.module = join(m, module, path);
    }
    if (rule->flags & KEN_REF_F_DEFAULT)
        b.name = KEN_STR("default");
    if (b.kind == KEN_BIND_NAME && !b.local.len)
        b.local = b.name;
    uint32_t hiding = KEN_REF_F_STATIC | KEN_REF_F_ALL;
    const refs_frame *import = import_around(m);
    bool is_hidden = import->rule && (import->rule->flags & hiding) == hiding;
    if (b.name.len || (b.kind != KEN_BIND_NAME && b.module.len))
        add_bind(m, b,
                 !is_hidden && (b.kind == KEN_BIND_NAME || (rule->flags & KEN_REF_F_DECLARES)));
}

void ken_refs__bind(ken_refs_maker *m, const ken_ref_rule *rule, TSNode node)
{
    const refs_frame *import = import_around(m);
    uint32_t byte = ts_node_start_byte(node);
    if (byte == import->name_start) // the module itself
        return;
    ken_str own = rule->role == KEN_REF_RULE_BIND
                      ? text_at(m, rule, KEN_REF_PATH_MODULE, node, NULL)
                      : KEN_STR("");
    uint8_t flags = import->rule ? bind_flags(import->rule->flags) : 0;
    bind(m, rule, node, join(m, import->module, own), flags, byte);
}

// An import that binds no names brings the module itself, or with `all` what is in it.
void ken_refs__close_import(ken_refs_maker *m, const refs_frame *f)
{
    const refs_frame *outer = refs_top(m);
    if (m->binds.len > f->n_binds || (outer->rule && outer->rule->role == KEN_REF_RULE_IMPORT))
        return;
    if (f->rule->path[KEN_REF_PATH_NAME]) {
        bind(m, f->rule, f->node, f->module, 0, f->start);
        return;
    }
    if (!f->module.len)
        return;
    bool is_system = f->module.ptr > m->text.ptr && f->module.ptr <= m->text.ptr + m->text.len &&
                     f->module.ptr[-1] == '<';
    ken_bind b = {
        .local = text_at(m, f->rule, KEN_REF_PATH_LOCAL, f->node, NULL),
        .module = f->module,
        .kind = refs_has(f, KEN_REF_F_ALL) ? KEN_BIND_ALL : KEN_BIND_MODULE,
        .flags = (uint8_t)(bind_flags(f->rule->flags) | (is_system ? KEN_BIND_SYSTEM : 0)),
        .byte = f->name_start,
    };
    add_bind(m, b, false);
}

// `const app = exports = module.exports = …`: what is exported is what it is called.
static ken_expr_id called_here(ken_refs_maker *m, ken_expr_id value)
{
    const refs_frame *outer = refs_top(m);
    while (outer->rule && outer->rule->role == KEN_REF_RULE_ASSIGN)
        outer--;
    if (!outer->rule || outer->rule->role != KEN_REF_RULE_LOCAL ||
        outer->first_decl >= m->decls.len)
        return value;
    int32_t def = ken_refs__def_named_at(m, m->decls.ptr[outer->first_decl].byte);
    return def < 0 ? value : ken_refs__expr(m, KEN_EXPR_DEF, (uint32_t)def, 0, 0);
}

// `export default` and `module.exports =`, which whoever requires the module gets instead of it.
static void export_whole(ken_refs_maker *m, const refs_frame *f, ken_expr_id value)
{
    ken_str called = refs_has(f, KEN_REF_F_ALL) ? KEN_STR("export=") : KEN_STR("default");
    uint32_t byte = f->start;
    ken_str name = text_at(m, f->rule, KEN_REF_PATH_NAME, f->node, &byte);
    if (name.len) {
        ken_bind b = { .local = called, .name = name, .flags = KEN_BIND_EXPORTED, .byte = byte };
        if (m->binds.len < MAX_BINDS)
            ken_vec_push(&m->binds, b); // where it is defined is no use of it
        return;
    }
    bool is_lambda = m->exprs.ptr[value].op == KEN_EXPR_LAMBDA;
    value = is_lambda ? value : called_here(m, value);
    ken_implied d = { called, is_lambda ? KEN_SYMBOL_FUNCTION : KEN_SYMBOL_VARIABLE, -1, byte,
                      false };
    ken_refs__add_implied(m, d,
                          (ken_def_info){ .value = is_lambda ? m->exprs.ptr[value].a : value,
                                          .complexity = is_lambda,
                                          .flags = KEN_DEF_EXPORTED });
}

// `export default …`, `exports.name = …`.
static ken_expr_id export_value(ken_refs_maker *m, const refs_frame *f)
{
    const refs_value *v = ken_refs__value_at(m, f, KEN_REF_PATH_VALUE);
    ken_expr_id value = v ? v->expr : 0;
    if (f->rule->flags & (KEN_REF_F_DEFAULT | KEN_REF_F_ALL)) {
        export_whole(m, f, value);
        return value;
    }
    uint32_t byte = f->start;
    ken_str name = text_at(m, f->rule, KEN_REF_PATH_NAME, f->node, &byte);
    int32_t def = ken_refs__def_named_at(m, byte);
    if (def >= 0) {
        m->defs.ptr[def].flags |= KEN_DEF_EXPORTED;
        ken_refs__set_value(m, def, value);
        return value;
    }
    ken_implied d = { name, KEN_SYMBOL_VARIABLE, -1, byte, false };
    ken_refs__add_implied(m, d, (ken_def_info){ .value = value, .flags = KEN_DEF_EXPORTED });
    return value;
}

// `a = module.exports = value` goes on.
refs_value ken_refs__close_export(ken_refs_maker *m, const refs_frame *f)
{
    return (refs_value){ export_value(m, f), -1, f->start, f->end, f->depth, false };
}

// `require('./x')` is what the import brings, under a name that nothing else can have.
refs_value ken_refs__import_value(ken_refs_maker *m, const refs_frame *f)
{
    refs_name name = ken_refs__name(m, text_at(m, f->rule, KEN_REF_PATH_LOCAL, f->node, NULL));
    ken_expr_id e = ken_refs__expr(m, KEN_EXPR_NAME, 0, 0, name);
    return (refs_value){ e, -1, f->start, f->end, f->depth, false };
}

void ken_refs__set_package(ken_refs_maker *m, const ken_ref_rule *rule, TSNode node)
{
    ken_str name = text_at(m, rule, KEN_REF_PATH_NAME, node, NULL);
    if (!m->package.len)
        m->package = name;
    else if (rule->flags & KEN_REF_F_MEMBER) // of the one before
        m->package = join(m, m->package, name);
}
