// SPDX-License-Identifier: MIT
#include "lexical/lexical_query.h"

static const char stop_words[] =
    " how does do is are was were the a an of for to and in on with by from what when where which why "
    "who into at as it its this that be or via can using between s my our their them they we you i me "
    "not no there these those if then than so about without during across around per each any all has "
    "have had will would should could may might also only ";

static const char weak_words[] =
    " work works working handle handles handled handling implement implements implemented implementing "
    "implementation implementations use uses used process processes code function functions method "
    "methods logic mechanism support supports supported provide provides provided way main core based "
    "internal internals functionality feature happen happens get gets ";

typedef struct parse_state {
    ken_lex_query *q;
    uint32_t position;           // of the next content word
    bool has_weak;               // the question is long enough for weak words to count less
    char before[KEN_QUERY_WORD]; // last content word, lower case
} parse_state;

static void add_file_name(ken_lex_query *q, const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n + m >= KEN_QUERY_WORD || n + m < 2 || q->n_file_names == 2 * KEN_QUERY_TERMS)
        return;
    memcpy(q->file_names[q->n_file_names], a, n);
    memcpy(q->file_names[q->n_file_names] + n, b, m + 1);
    q->n_file_names++;
}

static double position_weight(uint32_t position)
{
    double w = 1;
    for (uint32_t i = 0; i < position && w > 0.5; i++)
        w *= 0.9;
    return w < 0.5 ? 0.5 : w;
}

static void add_term(parse_state *s, ken_str text, bool is_whole, double k, const ken_term *lookup,
                     uint32_t n_lookups)
{
    ken_lex_query *q = s->q;
    for (uint32_t i = 0; i < q->n_terms; i++)
        if (q->terms[i].is_whole == is_whole &&
            ken_str_eq(ken_str_n(q->terms[i].text, q->terms[i].len), text))
            return;
    if (q->n_terms == KEN_QUERY_TERMS)
        return;
    ken_query_term *t = &q->terms[q->n_terms++];
    *t = (ken_query_term){ .len = (uint32_t)text.len,
                           .n_lookups = n_lookups,
                           .is_whole = is_whole,
                           .weight = k * position_weight(s->position),
                           .position = s->position };
    memcpy(t->text, text.ptr, text.len);
    memcpy(t->lookup, lookup, n_lookups * sizeof *lookup);
}

static void add_word(parse_state *s, ken_str lower, bool is_plain, double k)
{
    char word[KEN_QUERY_WORD + 1];
    memcpy(word, lower.ptr, lower.len);
    ken_str stemmed = ken_str_n(word, ken_stem(word, lower.len));
    ken_term lookup[2] = { ken_term_of_word(stemmed), ken_term_of_whole(lower) };
    add_term(s, stemmed, false, k, lookup, is_plain && lower.len >= 6 ? 2 : 1);
}

static void add_whole(parse_state *s, const char *lower)
{
    char word[KEN_QUERY_WORD + 1];
    size_t n = strlen(lower);
    memcpy(word, lower, n);
    ken_term lookup[2] = { ken_term_of_whole(ken_str_n(lower, n)),
                           ken_term_of_word(ken_str_n(word, ken_stem(word, n))) };
    add_term(s, ken_str_n(lower, n), true, 1, lookup, 2);
}

static void add_token(parse_state *s, ken_str token)
{
    ken_token_parts parts;
    ken_token_split(token, &parts);
    double k = s->has_weak && ken_str_is_listed(weak_words, token) ? 0.3 : 1;
    for (uint32_t i = 0; i < parts.n_parts; i++) {
        if (i)
            s->position++;
        add_word(s, ken_str_n(parts.text + parts.part[i].start, parts.part[i].len),
                 !parts.is_compound, k);
    }
    if (parts.is_compound && parts.n_parts)
        add_whole(s, parts.text);
    if (!parts.n_parts)
        return;
    s->position++;
    add_file_name(s->q, parts.text, "");
    if (*s->before)
        add_file_name(s->q, s->before, parts.text);
    memcpy(s->before, parts.text, strlen(parts.text) + 1);
}

// ---- names -------------------------------------------------------------------------------------

static bool looks_like_identifier(ken_str t)
{
    bool has_lower = false, has_inner_upper = false, has_mark = false;
    for (size_t i = 0; i < t.len; i++) {
        has_lower = has_lower || (t.ptr[i] >= 'a' && t.ptr[i] <= 'z');
        has_inner_upper = has_inner_upper || (i && ken_is_upper(t.ptr[i]));
        has_mark = has_mark || t.ptr[i] == '_' || ken_is_digit(t.ptr[i]);
    }
    return has_mark || (has_lower && has_inner_upper);
}

// The separator between this token and the one before: a.b, a::b, a->b, A#b
static bool is_joined(ken_str text, ken_str token)
{
    size_t at = (size_t)(token.ptr - text.ptr);
    if (!at || at < 2)
        return false;
    char c = text.ptr[at - 1], before = text.ptr[at - 2];
    if (c == '.' || c == '#')
        return ken_is_word(before);
    return (c == ':' && before == ':') || (c == '>' && before == '-');
}

static void add_names(ken_str text, ken_lex_query *q)
{
    ken_str rest = text, token;
    uint32_t n_tokens = 0, n_before = 0;
    bool has_scope = ken_str_find(text, KEN_STR("::")) != SIZE_MAX;
    while (ken_token_next(&rest, &token))
        n_tokens++;
    rest = text;
    while (ken_token_next(&rest, &token) && q->n_names < KEN_QUERY_NAMES) {
        bool is_strong = looks_like_identifier(token) || is_joined(text, token) || n_tokens == 1 ||
                         (n_tokens == 2 && has_scope);
        bool is_capital = n_before && ken_is_upper(token.ptr[0]);
        ken_query_name *last = q->n_names ? &q->names[q->n_names - 1] : NULL;
        if (last && is_joined(text, token) && last->text.ptr + last->text.len + 2 >= token.ptr)
            last->is_scope = true;
        if ((is_strong || is_capital) && !ken_str_is_listed(stop_words, token))
            q->names[q->n_names++] = (ken_query_name){ token, is_strong, false };
        n_before++;
    }
}

void ken_lex_query_parse(ken_str text, ken_lex_query *out)
{
    out->n_terms = out->n_names = out->n_file_names = 0;
    ken_str rest = text, token;
    uint32_t n_tokens = 0;
    while (ken_token_next(&rest, &token))
        n_tokens++;
    parse_state s = { .q = out, .has_weak = n_tokens >= 3 };
    rest = text;
    while (ken_token_next(&rest, &token) && out->n_terms < KEN_QUERY_TERMS)
        if (n_tokens == 1 || !ken_str_is_listed(stop_words, token))
            add_token(&s, token);
    if (!out->n_terms && n_tokens) { // nothing but stop words: better than nothing
        rest = text;
        while (ken_token_next(&rest, &token))
            add_token(&s, token);
    }
    add_names(text, out);
}
