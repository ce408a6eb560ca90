// SPDX-License-Identifier: MIT
#include "base/alloc.h"
#include "base/assert.h"
#include "cli/cli_args_priv.h"
#include "config/config.h"

typedef struct parser {
    int argc, at;
    char **argv;
    ken_arena *arena;
    cli_args *out;
} parser;

const cli_opt *ken_cli__find_opt(const cli_args *a, ken_str name)
{
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < a->tables[t].n_opts; i++)
            if (ken_str_eq_c(name, a->tables[t].opts[i].name))
                return &a->tables[t].opts[i];
    return NULL;
}

const cli_opt *ken_cli__find_letter(const cli_args *a, char letter)
{
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < a->tables[t].n_opts; i++)
            if (letter && a->tables[t].opts[i].letter == letter)
                return &a->tables[t].opts[i];
    return NULL;
}

static ken_status fail_unknown(const parser *p, ken_str name, ken_err *err)
{
    const char *names[128];
    size_t n = 0;
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < p->out->tables[t].n_opts && n < 128; i++)
            names[n++] = p->out->tables[t].opts[i].name;
    const char *near = ken_config_nearest(name, names, n);
    return KEN_FAIL(err, KEN_EINVAL, "unknown option '--" KEN_STR_FMT "'%s%s%s",
                    (int)(name.len > 60 ? 60 : name.len), name.ptr,
                    near ? ", did you mean '--" : "", near ? near : "", near ? "'?" : "");
}

bool ken_cli__is_word_of(const char *words, ken_str word)
{
    ken_str rest = ken_str_c(words), one;
    while (ken_str_split_next(&rest, '|', &one))
        if (ken_str_eq(one, word))
            return true;
    return false;
}

ken_status ken_cli__fail_word(const char *what, const char *words, const char *value,
                              ken_arena *arena, ken_err *err)
{
    const char *names[64];
    size_t n = 0;
    ken_str rest = ken_str_c(words), one, list = KEN_STR("");
    while (n < 64 && ken_str_split_next(&rest, '|', &one)) {
        list = ken_arena_printf(arena, KEN_STR_FMT "%s" KEN_STR_FMT, KEN_STR_ARG(list),
                                n ? ", " : "", KEN_STR_ARG(one));
        names[n++] = ken_arena_dup(arena, one).ptr;
    }
    const char *near = ken_config_nearest(ken_str_c(value), names, n);
    if (near)
        return KEN_FAIL(err, KEN_EINVAL, "'%s' cannot be '%.60s', did you mean '%s'?", what, value,
                        near);
    return KEN_FAIL(err, KEN_EINVAL, "'%s' cannot be '%.60s'; it takes " KEN_STR_FMT, what, value,
                    KEN_STR_ARG(list));
}

static ken_status add(parser *p, const cli_opt *o, const char *value, ken_err *err)
{
    if (value && o->words && !ken_cli__is_word_of(o->words, ken_str_c(value)))
        return ken_cli__fail_word(ken_arena_printf(p->arena, "--%s", o->name).ptr, o->words, value,
                                  p->arena, err);
    p->out->given[p->out->n_given++] = (cli_given){ o, value };
    return KEN_OK;
}

// The value that stands in the next argument.
static ken_status take_value(parser *p, const cli_opt *o, const char **out, ken_err *err)
{
    if (p->at + 1 >= p->argc)
        return KEN_FAIL(err, KEN_EINVAL, "'--%s' needs a value: --%s %s", o->name, o->name,
                        o->value);
    *out = p->argv[++p->at];
    return KEN_OK;
}

static ken_status parse_long(parser *p, ken_str text, ken_err *err)
{
    size_t eq = ken_str_find_char(text, '=');
    ken_str name = ken_str_sub(text, 0, eq);
    const char *value = eq == SIZE_MAX ? NULL : text.ptr + eq + 1;
    const cli_opt *o = ken_cli__find_opt(p->out, name);
    if (!o)
        return fail_unknown(p, name, err);
    if (o->type == CLI_FLAG) {
        if (value)
            return KEN_FAIL(err, KEN_EINVAL, "'--%s' takes no value", o->name);
    } else if (o->type == CLI_MAYBE) {
        const char *next = p->at + 1 < p->argc ? p->argv[p->at + 1] : NULL;
        if (!value && next && o->words && ken_cli__is_word_of(o->words, ken_str_c(next)))
            value = p->argv[++p->at];
    } else if (!value) {
        ken_status st = take_value(p, o, &value, err);
        if (st)
            return st;
    }
    return add(p, o, value, err);
}

static ken_status parse_letters(parser *p, const char *text, ken_err *err)
{
    for (const char *c = text; *c; c++) {
        const cli_opt *o = ken_cli__find_letter(p->out, *c);
        const char *value = NULL;
        if (!o)
            return KEN_FAIL(err, KEN_EINVAL, "unknown option '-%c'", *c);
        bool takes_value = o->type == CLI_VALUE || o->type == CLI_LIST;
        ken_status st = KEN_OK;
        if (takes_value && c[1])
            value = c[1] == '=' ? c + 2 : c + 1;
        else if (takes_value)
            st = take_value(p, o, &value, err);
        if (!st)
            st = add(p, o, value, err);
        if (st || takes_value)
            return st;
    }
    return KEN_OK;
}

ken_status ken_cli__args_parse(int argc, char **argv, cli_table own, cli_table global,
                               bool stops_at_word, ken_arena *arena, cli_args *out, int *out_used,
                               ken_err *err)
{
    *out = (cli_args){ .tables = { own, global } };
    // A cluster of flags gives several options out of one argument.
    size_t max = 1;
    for (int i = 0; i < argc; i++)
        max += strlen(argv[i]) + 1;
    out->given = KEN_ARENA_ARRAY(arena, cli_given, max);
    out->words = KEN_ARENA_ARRAY(arena, const char *, (size_t)argc + 1);
    parser p = { argc, 0, argv, arena, out };
    bool has_ended = false;
    for (; p.at < argc; p.at++) {
        const char *s = argv[p.at];
        ken_status st = KEN_OK;
        if (has_ended || s[0] != '-' || !s[1]) {
            if (stops_at_word)
                break;
            out->words[out->n_words++] = s;
        } else if (!strcmp(s, "--")) {
            has_ended = true;
        } else if (s[1] == '-') {
            st = parse_long(&p, ken_str_c(s + 2), err);
        } else {
            st = parse_letters(&p, s + 1, err);
        }
        if (st)
            return st;
    }
    if (out_used)
        *out_used = p.at;
    return KEN_OK;
}

bool ken_cli__args_has(const cli_args *a, const char *name)
{
    KEN_ASSERT(ken_cli__find_opt(a, ken_str_c(name)));
    for (size_t i = 0; i < a->n_given; i++)
        if (!strcmp(a->given[i].opt->name, name))
            return true;
    return false;
}

const char *ken_cli__args_get(const cli_args *a, const char *name)
{
    KEN_ASSERT(ken_cli__find_opt(a, ken_str_c(name)));
    const char *value = NULL;
    for (size_t i = 0; i < a->n_given; i++)
        if (!strcmp(a->given[i].opt->name, name))
            value = a->given[i].value;
    return value;
}

size_t ken_cli__args_list(const cli_args *a, const char *name, ken_arena *arena, const char ***out)
{
    KEN_ASSERT(ken_cli__find_opt(a, ken_str_c(name)));
    const char **items = KEN_ARENA_ARRAY(arena, const char *, a->n_given + 1);
    size_t n = 0;
    for (size_t i = 0; i < a->n_given; i++)
        if (!strcmp(a->given[i].opt->name, name))
            items[n++] = a->given[i].value;
    *out = items;
    return n;
}

ken_status ken_cli__args_u64(const cli_args *a, const char *name, uint64_t min, uint64_t max,
                             uint64_t fallback, uint64_t *out, ken_err *err)
{
    const char *value = ken_cli__args_get(a, name);
    uint64_t n = fallback;
    if (value && (!ken_str_parse_u64(ken_str_c(value), &n) || n < min || n > max))
        return KEN_FAIL(err, KEN_EINVAL,
                        "'--%s' must be a whole number from %llu to %llu, not '%.60s'", name,
                        (unsigned long long)min, (unsigned long long)max, value);
    *out = n;
    return KEN_OK;
}
