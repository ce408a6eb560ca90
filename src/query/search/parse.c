// SPDX-License-Identifier: MIT
// The filters that a question holds among its words. A question is cut at white space; a piece that
// has the form of a filter is taken as one, everything else stays as it was typed. So a question
// without filters is searched for byte by byte.
#include "base/utf8.h"
#include "query/query_intent.h"

enum {
    PHRASE_MAX = 200,
    EXCLUDED_MIN = 3 // characters of a -word: below it is a flag, as in `rm -rf`
};

typedef enum field {
    FIELD_NONE = 0,
    FIELD_PATH,
    FIELD_LANG,
    FIELD_KIND,
    FIELD_SYMBOL,
} field;

// One piece of a question.
typedef struct piece {
    ken_str all;   // as typed
    ken_str value; // without its field, its minus and its quotes
    field field;
    bool is_negative, is_quoted;
} piece;

typedef struct parse {
    ken_search_opts *out;
    char *text; // what is left to search for; as long as the question at most
    size_t text_len;
    ken_str symbol; // of `symbol:`
    size_t n_filters;
} parse;

// ---- pieces ------------------------------------------------------------------------------------

// The length of a quoted text at the front, quotes and all; 0 when none ends before a blank.
static size_t quoted_length(ken_str s)
{
    if (!s.len || s.ptr[0] != '"')
        return 0;
    size_t end = ken_str_find_char(ken_str_sub(s, 1, s.len), '"');
    if (end == SIZE_MAX || !ken_str_trim(ken_str_sub(s, 1, end + 1)).len || end > PHRASE_MAX)
        return 0;
    bool is_last = end + 2 >= s.len || ken_is_space(s.ptr[end + 2]);
    return is_last ? end + 2 : 0;
}

static size_t word_length(ken_str s)
{
    size_t n = 0;
    while (n < s.len && !ken_is_space(s.ptr[n]))
        n++;
    return n;
}

static field field_at(ken_str s, size_t *out_len)
{
    static const struct {
        ken_str prefix;
        field field;
    } fields[] = {
        { { "path:", 5 }, FIELD_PATH },     { { "lang:", 5 }, FIELD_LANG },
        { { "language:", 9 }, FIELD_LANG }, { { "kind:", 5 }, FIELD_KIND },
        { { "symbol:", 7 }, FIELD_SYMBOL },
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        size_t n = fields[i].prefix.len;
        // `path::Path` is a name, `path:` alone a word.
        if (ken_str_starts(s, fields[i].prefix) && s.len > n && s.ptr[n] != ':' &&
            !ken_is_space(s.ptr[n])) {
            *out_len = n;
            return fields[i].field;
        }
    }
    *out_len = 0;
    return FIELD_NONE;
}

static bool is_plain_word(ken_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!ken_is_word(s.ptr[i]) && !(s.ptr[i] & 0x80) && s.ptr[i] != '.')
            return false;
    return s.len >= EXCLUDED_MIN && !ken_is_digit(s.ptr[0]) && s.ptr[0] != '.';
}

// The piece at the front of `s`, which does not begin with a blank.
static piece next_piece(ken_str s)
{
    piece p = { .is_negative = s.ptr[0] == '-' };
    size_t at = p.is_negative, n_field;
    p.field = field_at(ken_str_sub(s, at, s.len), &n_field);
    at += n_field;
    size_t n = quoted_length(ken_str_sub(s, at, s.len));
    p.is_quoted = n > 0;
    if (!n)
        n = word_length(ken_str_sub(s, at, s.len));
    p.all = ken_str_sub(s, 0, at + n);
    p.value =
        p.is_quoted ? ken_str_trim(ken_str_sub(s, at + 1, at + n - 1)) : ken_str_sub(s, at, at + n);
    bool is_word = p.is_negative && p.field != FIELD_PATH && !p.is_quoted;
    if (is_word && (p.field || !is_plain_word(p.value))) {
        p = (piece){ .all = ken_str_sub(s, 0, word_length(s)) };
        p.value = p.all;
    }
    return p;
}

static bool is_filter(const piece *p)
{
    return p->field || p->is_negative || p->is_quoted;
}

// ---- what they mean ----------------------------------------------------------------------------

static ken_status add_text(ken_filter *f, ken_str text, const char *what, ken_err *err)
{
    if (f->n == KEN_FILTER_TEXTS)
        return KEN_FAIL(err, KEN_EINVAL, "query: more than %d %s", KEN_FILTER_TEXTS, what);
    f->texts[f->n++] = text;
    return KEN_OK;
}

static void add_words(parse *x, ken_str words)
{
    if (x->text_len)
        x->text[x->text_len++] = ' ';
    memcpy(x->text + x->text_len, words.ptr, words.len);
    x->text_len += words.len;
}

static ken_status fail_other(const piece *p, const char *name, ken_err *err)
{
    return KEN_FAIL(err, KEN_EINVAL,
                    "query: '" KEN_STR_FMT "' says another %s than is given beside",
                    KEN_STR_ARG(ken_utf8_clip(p->all, 60)), name);
}

static ken_status set_lang(parse *x, const piece *p, ken_err *err)
{
    if (x->out->language.len && !ken_str_eq_fold(x->out->language, p->value))
        return fail_other(p, "language", err);
    x->out->language = p->value;
    return KEN_OK;
}

static ken_status set_kind(parse *x, const piece *p, ken_err *err)
{
    ken_symbol_kind kind = ken_symbol_kind_parse(p->value);
    ken_chunk_type type = kind ? KEN_CHUNK_UNKNOWN : ken_chunk_type_parse(p->value);
    if (!kind && !type)
        return KEN_FAIL(err, KEN_EINVAL,
                        "query: '" KEN_STR_FMT "' is no kind of symbol or chunk; try function, "
                        "method, class, interface, or put it in quotes to search for it",
                        KEN_STR_ARG(ken_utf8_clip(p->all, 60)));
    ken_search_opts *o = x->out;
    uint32_t types = type ? 1U << type : 0;
    if ((kind && o->kind && o->kind != kind) ||
        (types && o->chunk_types && !(o->chunk_types & types)))
        return fail_other(p, "kind", err);
    o->kind = kind ? kind : o->kind;
    o->chunk_types = types ? types : o->chunk_types;
    return KEN_OK;
}

static ken_status set_symbol(parse *x, const piece *p, ken_err *err)
{
    if (x->symbol.len)
        return KEN_FAIL(err, KEN_EINVAL, "query: symbol: is given twice");
    x->symbol = p->value;
    return KEN_OK;
}

static ken_status add_piece(parse *x, const piece *p, ken_err *err)
{
    ken_search_opts *o = x->out;
    x->n_filters += is_filter(p);
    switch (p->field) {
    case FIELD_PATH:
        return add_text(p->is_negative ? &o->other_paths : &o->paths, p->value, "path:", err);
    case FIELD_LANG:
        return set_lang(x, p, err);
    case FIELD_KIND:
        return set_kind(x, p, err);
    case FIELD_SYMBOL:
        return set_symbol(x, p, err);
    case FIELD_NONE:
    default:
        break;
    }
    if (p->is_negative)
        return add_text(&o->excluded, p->value, "excluded words", err);
    add_words(x, p->value); // those of a phrase rank, too
    return p->is_quoted ? add_text(&o->phrases, p->value, "quoted texts", err) : KEN_OK;
}

// With `symbol:` the other words are no name: they must stand in the file.
static ken_status finish_symbol(parse *x, ken_err *err)
{
    ken_str rest = ken_str_n(x->text, x->text_len), word;
    x->out->mode = KEN_SEARCH_SYMBOL;
    while (ken_str_split_next(&rest, ' ', &word)) {
        bool is_known = !word.len;
        for (size_t i = 0; i < x->out->phrases.n && !is_known; i++)
            is_known = ken_str_find(x->out->phrases.texts[i], word) != SIZE_MAX;
        ken_status st = is_known ? KEN_OK : add_text(&x->out->phrases, word, "words", err);
        if (st)
            return st;
    }
    return KEN_OK;
}

ken_status ken_query_parse(ken_str typed, const ken_search_opts *given, ken_arena *arena,
                           ken_str *out_text, ken_search_opts *out, ken_err *err)
{
    ken_search_opts opts = *given;
    parse x = { .out = &opts, .text = ken_arena_alloc(arena, typed.len + 1) };
    ken_str rest = ken_str_trim(typed);
    while (rest.len) {
        piece p = next_piece(rest);
        ken_status st = add_piece(&x, &p, err);
        if (st)
            return st;
        rest = ken_str_trim(ken_str_sub(rest, p.all.len, rest.len));
    }
    ken_status st = x.symbol.len ? finish_symbol(&x, err) : KEN_OK;
    ken_str words = x.symbol.len ? x.symbol : ken_str_n(x.text, x.text_len);
    if (!st && x.n_filters && !words.len)
        st = KEN_FAIL(err, KEN_EINVAL,
                      "query: nothing to search for beside its filters; add a word, a name or a "
                      "quoted text");
    if (st)
        return st;
    *out = opts;
    *out_text = x.n_filters ? words : typed;
    return KEN_OK;
}
