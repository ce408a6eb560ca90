// SPDX-License-Identifier: MIT
#include "config/config.h"

#include "base/alloc.h"
#include "base/path.h"
#include "base/url.h"
#include "base/utf8.h"
#include "config/config_priv.h"

enum {
    TRUST_ANY = 0,
    TRUST_OWNER = 1
};

const config_row ken_config__rows[KEN_CFG_COUNT] = {
#define X(id, name, type, def, min, max, words, env, trust, text) \
    { name, KEN_CONFIG_##type, def, min, max, words, env, TRUST_##trust, text },
    KEN_CONFIG_KEYS(X)
#undef X
};

// ---- checking one value ----

static ken_status parse_bool(ken_str s, uint64_t *out)
{
    static const char *const words[] = { "false", "true", "no", "yes", "off", "on", "0", "1" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ken_str_eq_fold(s, ken_str_c(words[i]))) {
            *out = i & 1;
            return KEN_OK;
        }
    return KEN_EINVAL;
}

// Bytes of one unit; 0 when there is none of that name.
static uint64_t unit_factor(ken_str name)
{
    static const struct {
        const char *names; // lower case, separated by '|'
        uint64_t factor;
    } units[] = {
        { "|b", 1 },    { "k|kib", 1 << 10 }, { "m|mib", 1 << 20 }, { "g|gib", 1 << 30 },
        { "kb", 1000 }, { "mb", 1000000 },    { "gb", 1000000000 },
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        ken_str names = ken_str_c(units[i].names), one;
        while (ken_str_split_next(&names, '|', &one))
            if (ken_str_eq_fold(one, name))
                return units[i].factor;
    }
    return 0;
}

bool ken_config_parse_size(ken_str text, uint64_t *out_bytes)
{
    size_t n = 0;
    while (n < text.len && (ken_is_digit(text.ptr[n]) || text.ptr[n] == '.'))
        n++;
    ken_str digits = ken_str_sub(text, 0, n);
    uint64_t factor = unit_factor(ken_str_trim(ken_str_sub(text, n, text.len))), whole;
    double d;
    if (!factor)
        return false;
    if (ken_str_parse_u64(digits, &whole)) {
        if (whole > UINT64_MAX / factor)
            return false;
        *out_bytes = whole * factor;
        return true;
    }
    if (!n || digits.ptr[0] == '.' || !ken_str_parse_double(digits, &d) ||
        d * (double)factor >= 9e18)
        return false;
    *out_bytes = (uint64_t)(d * (double)factor);
    return true;
}

// The canonical word for `s`; its index goes to `*out`.
static ken_status parse_word(ken_str words, ken_str s, uint64_t *out, ken_str *out_word)
{
    ken_str choice, alias;
    for (uint64_t i = 0; ken_str_split_next(&words, '|', &choice); i++) {
        ken_str first = { NULL, 0 };
        while (ken_str_split_next(&choice, '=', &alias)) {
            if (!first.ptr)
                first = alias;
            if (ken_str_eq_fold(alias, s)) {
                *out = i;
                *out_word = first;
                return KEN_OK;
            }
        }
    }
    return KEN_EINVAL;
}

// The values that a row accepts, in words: "a whole number from 0 to 256".
static ken_str describe_rule(const config_row *row, ken_arena *a)
{
    switch (row->type) {
    case KEN_CONFIG_BOOL:
        return KEN_STR("true or false");
    case KEN_CONFIG_COUNT:
        return ken_arena_printf(a, "a whole number from %llu to %llu", (unsigned long long)row->min,
                                (unsigned long long)row->max);
    case KEN_CONFIG_SIZE:
        return ken_arena_printf(a, "a size from %llu to %llu bytes, such as %s",
                                (unsigned long long)row->min, (unsigned long long)row->max,
                                row->def);
    case KEN_CONFIG_WORD: {
        ken_str words = ken_str_c(row->words), choice, first, list = KEN_STR("one of");
        for (bool is_first = true; ken_str_split_next(&words, '|', &choice); is_first = false) {
            (void)ken_str_split_next(&choice, '=', &first);
            list = ken_arena_printf(a, KEN_STR_FMT "%s " KEN_STR_FMT, KEN_STR_ARG(list),
                                    is_first ? "" : ",", KEN_STR_ARG(first));
        }
        return list;
    }
    case KEN_CONFIG_LIST:
        return KEN_STR("a list of texts");
    case KEN_CONFIG_TEXT:
    case KEN_CONFIG_SECRET:
    case KEN_CONFIG_UNKNOWN:
    default:
        return KEN_STR("a text");
    }
}

static ken_status check_texts(const config_row *row, const config_input *in, ken_err *err)
{
    if (in->n_items > CONFIG_LIST_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "%s: '%s' has %zu elements, over the limit of %d", in->at,
                        row->name, in->n_items, CONFIG_LIST_MAX);
    for (size_t i = 0; i < in->n_items; i++) {
        ken_str s = in->items[i];
        if (s.len > CONFIG_VALUE_MAX)
            return KEN_FAIL(err, KEN_EINVAL,
                            "%s: a value of '%s' has %zu bytes, over the limit of %d", in->at,
                            row->name, s.len, CONFIG_VALUE_MAX);
        if (!ken_utf8_is_valid(s) || (s.len && memchr(s.ptr, '\0', s.len)))
            return KEN_FAIL(err, KEN_EINVAL, "%s: a value of '%s' is not plain UTF-8 text", in->at,
                            row->name);
    }
    return KEN_OK;
}

static ken_status parse_scalar(const config_row *row, ken_str s, config_value *v)
{
    ken_status st = KEN_OK;
    switch (row->type) {
    case KEN_CONFIG_BOOL:
        st = parse_bool(s, &v->number);
        v->text = v->number ? KEN_STR("true") : KEN_STR("false");
        return st;
    case KEN_CONFIG_COUNT:
        if (!ken_str_parse_u64(s, &v->number))
            return KEN_EINVAL;
        break;
    case KEN_CONFIG_SIZE:
        if (!ken_config_parse_size(s, &v->number))
            return KEN_EINVAL;
        break;
    case KEN_CONFIG_WORD:
        return parse_word(ken_str_c(row->words), s, &v->number, &v->text);
    case KEN_CONFIG_TEXT:
    case KEN_CONFIG_LIST:
    case KEN_CONFIG_SECRET:
    case KEN_CONFIG_UNKNOWN:
    default:
        return KEN_OK;
    }
    return v->number < row->min || v->number > row->max ? KEN_EINVAL : KEN_OK;
}

ken_status ken_config__set(ken_config *c, ken_config_key key, const config_input *in, ken_err *err)
{
    const config_row *row = &ken_config__rows[key];
    ken_status st = check_texts(row, in, err);
    if (st)
        return st;
    config_value v = { .source = in->source };
    ken_str s = in->n_items ? in->items[0] : KEN_STR("");
    bool is_list = row->type == KEN_CONFIG_LIST;
    v.text = s;
    if (!is_list && (in->n_items != 1 || parse_scalar(row, ken_str_trim(s), &v))) {
        ken_str shown = ken_utf8_clip(ken_url_masked(s, &c->arena), 60);
        return KEN_FAIL(
            err, KEN_EINVAL, "%s: '%s' must be " KEN_STR_FMT ", not %s" KEN_STR_FMT "%s", in->at,
            row->name, KEN_STR_ARG(describe_rule(row, &c->arena)), in->n_items > 1 ? "a list" : "'",
            in->n_items > 1 ? 0 : (int)shown.len, shown.ptr, in->n_items > 1 ? "" : "'");
    }
    for (size_t i = 0; i < in->n_items; i++) {
        const char *rule = ken_config__find_broken_form(key, in->items[i]);
        if (rule)
            return KEN_FAIL(err, KEN_EINVAL, "%s: '%s' has '" KEN_STR_FMT "', which is not %s",
                            in->at, row->name,
                            KEN_STR_ARG(ken_utf8_clip(ken_url_masked(in->items[i], &c->arena), 60)),
                            rule);
    }
    v.text = ken_arena_dup(&c->arena, v.text);
    if (is_list) {
        v.items = KEN_ARENA_ARRAY(&c->arena, ken_str, in->n_items + 1);
        for (size_t i = 0; i < in->n_items; i++)
            v.items[i] = ken_arena_dup(&c->arena, in->items[i]);
        v.n_items = in->n_items;
    }
    v.where = ken_arena_dup(&c->arena, ken_str_c(in->where));
    c->values[key] = v;
    return KEN_OK;
}

// ---- the layers ----

// Cuts at commas that stand outside of braces; white space around an element is dropped.
size_t ken_config__split_list(ken_str s, ken_str *items, size_t max)
{
    size_t n = 0, from = 0;
    unsigned depth = 0;
    for (size_t i = 0; i <= s.len; i++) {
        if (i < s.len && s.ptr[i] == '{')
            depth++;
        if (i < s.len && s.ptr[i] == '}' && depth)
            depth--;
        if (i < s.len && (s.ptr[i] != ',' || depth))
            continue;
        ken_str item = ken_str_trim(ken_str_sub(s, from, i));
        if (item.len && n < max)
            items[n++] = item;
        from = i + 1;
    }
    return n;
}

ken_status ken_config__set_text(ken_config *c, ken_config_key key, ken_str s, config_input in,
                                ken_err *err)
{
    if (ken_config__rows[key].type != KEN_CONFIG_LIST) {
        in.items = &s;
        in.n_items = 1;
        return ken_config__set(c, key, &in, err);
    }
    ken_str *items = ken_alloc(sizeof *items * (CONFIG_LIST_MAX + 1));
    in.items = items;
    in.n_items = ken_config__split_list(s, items, CONFIG_LIST_MAX + 1);
    ken_status st = ken_config__set(c, key, &in, err);
    ken_free(items);
    return st;
}

ken_status ken_config__apply_defaults(ken_config *c, ken_err *err)
{
    config_input in = { KEN_CONFIG_DEFAULT, "default", "default", NULL, 0 };
    for (size_t i = 0; i < KEN_CFG_COUNT; i++) {
        ken_status st =
            ken_config__set_text(c, (ken_config_key)i, ken_str_c(ken_config__rows[i].def), in, err);
        if (st)
            return st;
    }
    return KEN_OK;
}

static ken_status apply_env_of(ken_config *c, ken_config_key key, ken_err *err)
{
    ken_str names = ken_str_c(ken_config__rows[key].env), name;
    while (ken_str_split_next(&names, ',', &name)) {
        const char *value = ken_config_env(ken_arena_dup(&c->arena, name).ptr);
        if (!value)
            continue;
        ken_str where = ken_arena_printf(&c->arena, "environment " KEN_STR_FMT, KEN_STR_ARG(name));
        config_input in = { KEN_CONFIG_ENV, where.ptr, where.ptr, NULL, 0 };
        bool is_shared = !ken_str_starts(name, KEN_STR("KEN_"));
        ken_status st = ken_config__set_text(c, key, ken_str_c(value), in, is_shared ? NULL : err);
        if (!st)
            return KEN_OK;
        if (!is_shared)
            return st;
    }
    return KEN_OK;
}

ken_status ken_config_find_key(const char *name, ken_config_key *out, ken_err *err)
{
    const char *names[KEN_CFG_COUNT];
    for (size_t i = 0; i < KEN_CFG_COUNT; i++) {
        names[i] = ken_config__rows[i].name;
        if (!strcmp(names[i], name)) {
            *out = (ken_config_key)i;
            return KEN_OK;
        }
    }
    const char *near = ken_config_nearest(ken_str_c(name), names, KEN_CFG_COUNT);
    if (near)
        return KEN_FAIL(err, KEN_EINVAL, "unknown setting '%.80s', did you mean '%s'?", name, near);
    return KEN_FAIL(err, KEN_EINVAL, "unknown setting '%.80s'; ken config show lists all", name);
}

static ken_status apply_flags(ken_config *c, ken_err *err)
{
    ken_status st = KEN_OK;
    ken_str *items = ken_alloc(sizeof *items * (c->n_flags + 1));
    for (size_t i = 0; i < c->n_flags && !st; i++) {
        const ken_config_flag *f = &c->flags[i];
        ken_config_key key = 0;
        st = ken_config_find_key(f->name, &key, err);
        if (st)
            break;
        config_input in = { KEN_CONFIG_FLAG, f->shown ? f->shown : f->name, "command line", items,
                            0 };
        if (ken_config__rows[key].type != KEN_CONFIG_LIST)
            items[in.n_items++] = ken_str_c(f->value);
        else // every element that was given under this name, at its last occurrence
            for (size_t k = 0; k < c->n_flags; k++)
                if (!strcmp(c->flags[k].name, f->name))
                    items[in.n_items++] = ken_str_c(c->flags[k].value);
        st = ken_config__set(c, key, &in, err);
    }
    ken_free(items);
    return st;
}

static void copy_flags(ken_config *c, const ken_config_load_opts *opts)
{
    c->n_flags = opts->n_flags;
    c->flags = KEN_ARENA_ARRAY(&c->arena, ken_config_flag, opts->n_flags + 1);
    for (size_t i = 0; i < opts->n_flags; i++) {
        const ken_config_flag *f = &opts->flags[i];
        c->flags[i] = (ken_config_flag){
            ken_arena_strdup(&c->arena, f->name),
            ken_arena_strdup(&c->arena, f->value),
            f->shown ? ken_arena_strdup(&c->arena, f->shown) : NULL,
        };
    }
}

static ken_status load_layers(ken_config *c, const ken_config_load_opts *opts, ken_err *err)
{
    copy_flags(c, opts);
    ken_status st = ken_config__apply_defaults(c, err);
    if (!st)
        st = ken_config__find_user_file(c, err);
    if (!st && c->user_file.len)
        st = ken_config__read_file(c, c->user_file.ptr, KEN_CONFIG_USER_FILE, err);
    if (!st && opts->project_root) {
        ken_str path = ken_config_project_path(&c->arena, ken_str_c(opts->project_root));
        st = ken_config__read_file(c, path.ptr, KEN_CONFIG_PROJECT_FILE, err);
    }
    for (size_t i = 0; i < KEN_CFG_COUNT && !st; i++)
        st = apply_env_of(c, (ken_config_key)i, err);
    if (!st)
        st = apply_flags(c, err);
    if (!st)
        st = ken_config__find_data_dir(c, err);
    if (st)
        return st;
    ken_config__find_log_file(c);
    ken_config__add_notes(c);
    return KEN_OK;
}

ken_status ken_config_load(const ken_config_load_opts *opts, ken_config **out, ken_err *err)
{
    static const ken_config_load_opts none;
    ken_config *c = ken_zalloc(sizeof *c);
    ken_arena_init(&c->arena, 8192);
    ken_status st = load_layers(c, opts ? opts : &none, err);
    if (st) {
        ken_config_free(c);
        return st;
    }
    *out = c;
    return KEN_OK;
}

ken_status ken_config_load_project(const ken_config *base, const char *project_root,
                                   ken_config **out, ken_err *err)
{
    ken_config_load_opts opts = { project_root, base->flags, base->n_flags };
    return ken_config_load(&opts, out, err);
}

void ken_config_free(ken_config *c)
{
    if (!c)
        return;
    ken_vec_release(&c->notes);
    ken_arena_release(&c->arena);
    ken_free(c);
}

// ---- rules ----

ken_config_rule ken_config_key_rule(ken_config_key key)
{
    const config_row *row = &ken_config__rows[key];
    return (ken_config_rule){ .fallback = row->def,
                              .min = row->min,
                              .max = row->max,
                              .words = row->words,
                              .is_for_owner = row->is_for_owner };
}

ken_str ken_config_key_accepts(ken_config_key key, ken_arena *arena)
{
    return describe_rule(&ken_config__rows[key], arena);
}

const char *ken_config_type_word(ken_config_type type)
{
    static const char *const words[] = { "unknown", "boolean", "count", "size",
                                         "text",    "word",    "list",  "secret" };
    return words[type];
}

const char *ken_config_source_word(ken_config_source source)
{
    static const char *const words[] = { "default", "user_file", "project_file", "environment",
                                         "flag" };
    return words[source];
}

// ---- reading ----

uint64_t ken_config_u64(const ken_config *c, ken_config_key key)
{
    return c->values[key].number;
}

bool ken_config_bool(const ken_config *c, ken_config_key key)
{
    return c->values[key].number != 0;
}

ken_str ken_config_str(const ken_config *c, ken_config_key key)
{
    return c->values[key].text;
}

size_t ken_config_list(const ken_config *c, ken_config_key key, const ken_str **out)
{
    *out = c->values[key].items;
    return c->values[key].n_items;
}

const char *ken_config_key_name(ken_config_key key)
{
    return ken_config__rows[key].name;
}

const char *ken_config_key_text(ken_config_key key)
{
    return ken_config__rows[key].text;
}

const char *ken_config_key_env(ken_config_key key)
{
    return ken_config__rows[key].env;
}

ken_config_type ken_config_key_type(ken_config_key key)
{
    return ken_config__rows[key].type;
}

ken_config_source ken_config_source_of(const ken_config *c, ken_config_key key)
{
    return c->values[key].source;
}

ken_str ken_config_where(const ken_config *c, ken_config_key key)
{
    return c->values[key].where;
}

ken_str ken_config_format(const ken_config *c, ken_config_key key, ken_arena *arena)
{
    const config_value *v = &c->values[key];
    if (key == KEN_CFG_DATA_DIR)
        return ken_arena_dup(arena, c->data_dir);
    if (ken_config__rows[key].type == KEN_CONFIG_SECRET && v->text.len)
        return ken_arena_dup(arena, KEN_STR("(set)"));
    if (ken_config__rows[key].type != KEN_CONFIG_LIST)
        return ken_url_masked(v->text, arena);
    ken_str s = ken_arena_dup(arena, KEN_STR(""));
    for (size_t i = 0; i < v->n_items; i++)
        s = ken_arena_printf(arena, KEN_STR_FMT "%s" KEN_STR_FMT, KEN_STR_ARG(s), i ? "," : "",
                             KEN_STR_ARG(v->items[i]));
    return ken_url_masked(s, arena);
}

// ---- near names ----

enum {
    NEAR_MAX = 64
};

// Edit distance with transpositions of neighbours (optimal string alignment), letters case folded.
static size_t distance(ken_str a, ken_str b)
{
    size_t rows[3][NEAR_MAX + 1];
    for (size_t j = 0; j <= b.len; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            char x = ken_lower(a.ptr[i - 1]), y = ken_lower(b.ptr[j - 1]);
            size_t best = last[j - 1] + (x != y);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && x == ken_lower(b.ptr[j - 2]) && ken_lower(a.ptr[i - 2]) == y &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return rows[a.len % 3][b.len];
}

const char *ken_config_nearest(ken_str word, const char *const *names, size_t n_names)
{
    const char *best = NULL;
    size_t best_distance = SIZE_MAX;
    if (!word.len || word.len > NEAR_MAX)
        return NULL;
    for (size_t i = 0; i < n_names; i++) {
        ken_str name = ken_str_c(names[i]);
        if (!name.len || name.len > NEAR_MAX)
            continue;
        size_t d = distance(word, name);
        // A word that starts (or is the last part of) a name is meant even when much is missing.
        if (word.len >= 3 && (ken_str_starts(name, word) || ken_str_ends(name, word)))
            d = 1;
        // One mistake in three letters; with two of five another word is as likely to be meant.
        if (d < best_distance && d <= (word.len < name.len ? word.len : name.len) / 3) {
            best = names[i];
            best_distance = d;
        }
    }
    return best;
}
