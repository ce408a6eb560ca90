// SPDX-License-Identifier: MIT
// What was found, as text, for tests and for people who write tables.
#include "refs/refs.h"

enum {
    MAX_DEPTH = 16
};

typedef struct dump {
    const ken_refs *refs;
    const ken_symbol *symbols;
    uint32_t n_symbols;
    ken_str text;
    ken_buf *out;
} dump;

static const char *const op_words[KEN_EXPR_OP_COUNT] = { "?",       "name",    "def",    "self",
                                                         "super",   "member",  "call",   "value",
                                                         "element", "apply",   "await",  "either",
                                                         "param",   "builtin", "lambda", "given" };

static ken_str def_name(const dump *d, uint32_t def)
{
    if (def < d->n_symbols)
        return d->symbols[def].name;
    bool is_implied = def - d->n_symbols < d->refs->n_implied;
    return is_implied ? d->refs->implied[def - d->n_symbols].name : KEN_STR("?");
}

static void put_def(const dump *d, uint32_t def)
{
    ken_buf_put_str(d->out, def_name(d, def));
}

static void put_expr(const dump *d, ken_expr_id id, int depth);

// What has no parts; false when `e` has some.
static bool put_plain(const dump *d, const ken_expr *e)
{
    bool is_name = e->op == KEN_EXPR_NAME, is_param = e->op == KEN_EXPR_PARAM;
    if (is_name || e->op == KEN_EXPR_SELF || e->op == KEN_EXPR_SUPER) {
        ken_buf_puts(d->out, is_name && e->a ? "in " : "");
        if (e->a)
            put_def(d, e->a - 1);
        ken_buf_puts(d->out, is_name && e->a ? ": " : "");
    } else if (is_param || e->op == KEN_EXPR_DEF) {
        put_def(d, e->a);
        ken_buf_puts(d->out, is_param ? ", " : "");
    } else if (e->op != KEN_EXPR_BUILTIN) {
        return false;
    }
    ken_buf_put_str(d->out, e->name);
    return true;
}

static void put_parts(const dump *d, const ken_expr *e, int depth)
{
    if (put_plain(d, e))
        return;
    put_expr(d, e->a, depth + 1);
    bool has_two = e->op == KEN_EXPR_APPLY || e->op == KEN_EXPR_EITHER;
    if (e->op == KEN_EXPR_MEMBER) {
        ken_buf_puts(d->out, ", ");
        ken_buf_put_str(d->out, e->name);
    } else if (has_two || (e->op == KEN_EXPR_LAMBDA && e->b)) {
        ken_buf_puts(d->out, ", ");
        put_expr(d, e->b, depth + 1);
    } else if (e->op == KEN_EXPR_CALL && e->b) {
        ken_buf_printf(d->out, ", %u", e->b - 1);
    } else if (e->op == KEN_EXPR_GIVEN) {
        ken_buf_printf(d->out, ", %u", e->b);
    } else if (e->op == KEN_EXPR_ELEMENT && e->b) {
        ken_buf_puts(d->out, e->b == 2 ? ", entered" : ", key");
    }
}

// Parts have smaller numbers than the whole, so that this ends; deep ones are cut.
static void put_expr(const dump *d, ken_expr_id id, int depth) // NOLINT(misc-no-recursion)
{
    const ken_expr *e = &d->refs->exprs[id];
    if (!id || e->op >= KEN_EXPR_OP_COUNT) {
        ken_buf_puts(d->out, "?");
        return;
    }
    if (depth > MAX_DEPTH) {
        ken_buf_puts(d->out, "…");
        return;
    }
    ken_buf_puts(d->out, op_words[e->op]);
    ken_buf_putc(d->out, '(');
    put_parts(d, e, depth);
    ken_buf_putc(d->out, ')');
}

// "12:5 ", both from 1.
static void put_place(const dump *d, uint32_t byte)
{
    unsigned line = 1, column = 1;
    for (uint32_t i = 0; i < byte && i < d->text.len; i++) {
        column = d->text.ptr[i] == '\n' ? 1 : column + 1;
        line += d->text.ptr[i] == '\n';
    }
    ken_buf_printf(d->out, "%u:%u ", line, column);
}

static void put_bind(const dump *d, const ken_bind *b)
{
    static const char *const kinds[] = { "name", "module", "all" };
    static const char *const flags[] = { "exported", "type", "static", "system" };
    put_place(d, b->byte);
    ken_buf_printf(d->out, "bind %s module='" KEN_STR_FMT "'", kinds[b->kind],
                   KEN_STR_ARG(b->module));
    if (b->name.len)
        ken_buf_printf(d->out, " name='" KEN_STR_FMT "'", KEN_STR_ARG(b->name));
    if (b->local.len)
        ken_buf_printf(d->out, " local='" KEN_STR_FMT "'", KEN_STR_ARG(b->local));
    for (int i = 0; i < 4; i++)
        if (b->flags >> i & 1)
            ken_buf_printf(d->out, " %s", flags[i]);
    ken_buf_putc(d->out, '\n');
}

static void put_info(const dump *d, uint32_t def)
{
    static const char *const words[] = { "static",   "abstract",  "override",
                                         "exported", "extension", "variadic" };
    const ken_def_info *i = &d->refs->defs[def];
    if (i->value) {
        ken_buf_puts(d->out, " = ");
        put_expr(d, i->value, 0);
    }
    if (i->complexity > 1)
        ken_buf_printf(d->out, " complexity=%u", i->complexity);
    if (i->max_params)
        ken_buf_printf(d->out, " params=%u..%u", i->min_params, i->max_params);
    if (i->n_type_params)
        ken_buf_printf(d->out, " type_params=%u", i->n_type_params);
    for (int k = 0; k < 6; k++)
        if (i->flags >> k & 1)
            ken_buf_printf(d->out, " %s", words[k]);
    ken_buf_putc(d->out, '\n');
}

static bool says_something(const ken_def_info *i)
{
    return i->value || i->complexity > 1 || i->max_params || i->n_type_params || i->flags;
}

static void put_defs(const dump *d)
{
    for (uint32_t i = 0; i < d->refs->n_defs; i++) {
        bool is_implied = i >= d->n_symbols;
        if (!is_implied && !says_something(&d->refs->defs[i]))
            continue;
        if (is_implied) {
            const ken_implied *x = &d->refs->implied[i - d->n_symbols];
            put_place(d, x->byte);
            ken_buf_printf(d->out, "%s %s ", x->is_declaration ? "declared" : "implied",
                           ken_symbol_kind_word(x->kind));
            if (x->owner >= 0) {
                put_def(d, (uint32_t)x->owner);
                ken_buf_putc(d->out, '.');
            }
        } else {
            put_place(d, d->symbols[i].span.start);
            ken_buf_printf(d->out, "%s ", ken_symbol_kind_word(d->symbols[i].kind));
        }
        put_def(d, i);
        put_info(d, i);
    }
}

static void put_bases(const dump *d)
{
    static const char *const kinds[] = { "extends", "implements", "mixes", "owner" };
    for (uint32_t i = 0; i < d->refs->n_bases; i++) {
        const ken_base *b = &d->refs->bases[i];
        put_def(d, b->def);
        ken_buf_printf(d->out, " %s ", kinds[b->kind]);
        put_expr(d, b->expr, 0);
        ken_buf_putc(d->out, '\n');
    }
}

static void put_literals(const dump *d)
{
    for (uint32_t i = 0; i < d->refs->n_literals; i++) {
        const ken_literal *l = &d->refs->literals[i];
        put_place(d, l->byte);
        ken_buf_printf(d->out, "text '" KEN_STR_FMT "' of ", KEN_STR_ARG(l->text));
        put_expr(d, l->callee, 0);
        if (l->handler) {
            ken_buf_puts(d->out, " handler ");
            put_expr(d, l->handler, 0);
        }
        if (l->decorates >= 0) {
            ken_buf_puts(d->out, " decorates ");
            put_def(d, (uint32_t)l->decorates);
        }
        ken_buf_putc(d->out, '\n');
    }
}

static void put_stored(const dump *d)
{
    for (uint32_t i = 0; i < d->refs->n_stored; i++) {
        const ken_stored *s = &d->refs->stored[i];
        put_place(d, s->byte);
        put_expr(d, s->value, 0);
        ken_buf_puts(d->out, " stored in ");
        put_expr(d, s->into, 0);
        ken_buf_putc(d->out, '\n');
    }
}

void ken_refs_dump(const ken_refs *refs, const ken_symbol *symbols, uint32_t n_symbols,
                   ken_str text, ken_buf *out)
{
    dump d = { refs, symbols, n_symbols, text, out };
    if (refs->package.len)
        ken_buf_printf(out, "package " KEN_STR_FMT "\n", KEN_STR_ARG(refs->package));
    for (uint32_t i = 0; i < refs->n_refs; i++) {
        put_place(&d, refs->refs[i].byte);
        ken_buf_printf(out, "%s ", ken_ref_role_word(refs->refs[i].role));
        put_expr(&d, refs->refs[i].expr, 0);
        ken_buf_putc(out, '\n');
    }
    for (uint32_t i = 0; i < refs->n_binds; i++)
        put_bind(&d, &refs->binds[i]);
    put_bases(&d);
    put_defs(&d);
    put_literals(&d);
    put_stored(&d);
}
