// SPDX-License-Identifier: MIT
#include "sentence.h"

#include "lexical/lexical.h"
#include "token/token.h"

enum {
    PARAGRAPH_BYTES_MAX = 1200,
    SENTENCE_WORDS_MIN = 5,
    SENTENCE_WORDS_MAX = 28,
    QUESTION_WORDS_MIN = 4,
    QUESTION_TELLING_MIN = 2,
};

static const char stop_words[] =
    " a about after all also an and any are as at be been before but by can do does done each for "
    "from given had has have how if in into is it its may more must new no not of on one only or "
    "other out over own same should so some such than that the their them then there these they "
    "this those to under up use used uses using was we were what when where which while who will "
    "with within without would you your ";

// How sentences begin that say no more than a signature does.
static const char *const empty_starts[] = {
    "gets or sets",
    "getter",
    "setter",
    "gets the value",
    "sets the value",
    "get the value",
    "set the value",
    "constructor",
    "default constructor",
    "initializes a ",
    "creates a new in",
    "create a new instance",
    "see ",
    "alias",
    "internal",
    "same as",
    "like ",
    "usage",
};

// What no description of a function holds.
static const char *const foreign_marks[] = {
    "opyright", "icense", "SPDX", "ll rights reserved", "eslint",    "noqa",      "NOLINT",
    "TODO",     "FIXME",  "XXX",  "eprecated",          "nheritdoc", "nheritDoc", "http",
};

// Lines after which a comment lists parameters, examples or rights.
static const char *const prose_ends[] = {
    "@",          ":param", ":return", "\\param",  "Args:",    "Returns:",    "Example",
    "Params",     "Param:", "```",     "Raises",   "iex>",     ">>>",         "SPDX",
    "</summary>", "<param", "<return", "<remarks", "- Return", "- Parameter", "Arguments",
    "$",          "..",     "##",      "<example", "<code",    "<exception",  "<typeparam",
};

static bool starts_with_any(ken_str text, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(list[i]);
        if (ken_str_eq_fold(ken_str_sub(text, 0, len), ken_str_n(list[i], len)))
            return true;
    }
    return false;
}

static bool holds_any(ken_str text, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ken_str_find(text, ken_str_c(list[i])) != SIZE_MAX)
            return true;
    return false;
}

#define N_OF(list) (sizeof(list) / sizeof *(list))

// ---- the paragraph ----

static ken_str without_marks(ken_str line)
{
    static const char *const openers[] = { "@doc", "~S\"", "r\"", "r'" };
    line = ken_str_trim(line);
    for (size_t i = 0; i < N_OF(openers); i++)
        if (ken_str_starts(line, ken_str_c(openers[i])))
            line = ken_str_sub(line, strlen(openers[i]), line.len);
    while (line.len && strchr("/*#!-;%\"'|= \t", line.ptr[0]))
        line = ken_str_sub(line, 1, line.len);
    while (line.len && strchr("/*\"' \t\r-}", line.ptr[line.len - 1]))
        line = ken_str_sub(line, 0, line.len - 1);
    return line;
}

// Bytes of the markup at the front: a <tag>, a {@tag, a :role:, or a mark of emphasis.
static size_t markup_len(ken_str text)
{
    char c = text.ptr[0];
    if (c == '`' || c == '*' || c == '}')
        return 1;
    if (c == '<') {
        size_t close = ken_str_find_char(text, '>');
        return close == SIZE_MAX ? 0 : close + 1;
    }
    if (ken_str_starts(text, KEN_STR("{@"))) {
        size_t space = ken_str_find_char(text, ' ');
        return space == SIZE_MAX ? 0 : space + 1;
    }
    size_t n = 1;
    while (c == ':' && n < text.len && ken_is_alpha(text.ptr[n]))
        n++;
    return n > 1 && n + 1 < text.len && text.ptr[n] == ':' && text.ptr[n + 1] == '`' ? n + 1 : 0;
}

static void put_line(ken_str line, ken_buf *out)
{
    if (out->len)
        ken_buf_putc(out, ' ');
    for (size_t i = 0; i < line.len;) {
        size_t n = markup_len(ken_str_sub(line, i, line.len));
        if (!n) {
            bool is_space = ken_is_space(line.ptr[i]);
            if (!is_space || (out->len && out->ptr[out->len - 1] != ' '))
                ken_buf_putc(out, is_space ? ' ' : line.ptr[i]);
        }
        i += n ? n : 1;
    }
}

// The comment up to its first empty line or list of parameters.
static void put_paragraph(ken_str comment, ken_buf *out)
{
    ken_str line;
    while (out->len < PARAGRAPH_BYTES_MAX && ken_str_line_next(&comment, &line)) {
        line = without_marks(line);
        bool has_text = ken_str_trim(ken_buf_str(out)).len > 0;
        if (starts_with_any(line, prose_ends, N_OF(prose_ends)) || (has_text && !line.len))
            return;
        put_line(line, out);
    }
}

// ---- the sentence ----

// A full stop that ends an abbreviation ("e.g.", "i.e.", "etc.", "vs.") or an initial.
static bool is_abbreviated(ken_str before)
{
    size_t at = before.len;
    while (at && !ken_is_space(before.ptr[at - 1]))
        at--;
    ken_str word = ken_str_sub(before, at, before.len);
    return word.len <= 1 || ken_str_find_char(word, '.') != SIZE_MAX || ken_str_eq_c(word, "etc") ||
           ken_str_eq_c(word, "vs") || ken_str_eq_c(word, "(e") || ken_str_eq_c(word, "(i");
}

static ken_str first_sentence(ken_str text)
{
    text = ken_str_trim(text);
    for (size_t i = 0; i + 1 < text.len; i++)
        if (strchr(".:;!?", text.ptr[i]) && text.ptr[i] && ken_is_space(text.ptr[i + 1]) &&
            !(text.ptr[i] == '.' && is_abbreviated(ken_str_sub(text, 0, i))))
            return ken_str_sub(text, 0, i);
    while (text.len && strchr(".:;!?", text.ptr[text.len - 1]))
        text = ken_str_sub(text, 0, text.len - 1);
    return text;
}

static bool is_stop_word(ken_str word)
{
    char text[16];
    if (word.len + 2 >= sizeof text)
        return false;
    text[0] = ' ';
    for (size_t i = 0; i < word.len; i++)
        text[i + 1] = ken_lower(word.ptr[i]);
    text[word.len + 1] = ' ';
    return ken_str_find(ken_str_c(stop_words), ken_str_n(text, word.len + 2)) != SIZE_MAX;
}

// Words of letters with stop words among them, and no sign of code.
static bool is_plain(ken_str text)
{
    size_t n = 0, n_stop = 0;
    ken_str rest = text, token;
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] >= 0x80 || strchr("{}[]<>=\\|@#$+^~_`&", text.ptr[i]))
            return false;
    while (ken_token_next(&rest, &token)) {
        ken_token_parts parts;
        ken_token_split(token, &parts);
        if (parts.is_compound)
            return false;
        n_stop += is_stop_word(token);
        n++;
    }
    return n >= SENTENCE_WORDS_MIN && n <= SENTENCE_WORDS_MAX && n_stop;
}

bool sentence_of(ken_str comment, ken_buf *out)
{
    ken_buf paragraph = KEN_BUF_INIT(16 * PARAGRAPH_BYTES_MAX);
    ken_buf_clear(out);
    put_paragraph(comment, &paragraph);
    ken_str text = first_sentence(ken_buf_str(&paragraph));
    bool is_good = !paragraph.is_over && text.len && ken_is_alpha(text.ptr[0]) && is_plain(text) &&
                   !starts_with_any(text, empty_starts, N_OF(empty_starts)) &&
                   !holds_any(text, foreign_marks, N_OF(foreign_marks));
    if (is_good)
        ken_buf_put_str(out, text);
    ken_buf_release(&paragraph);
    return is_good;
}

// ---- the question ----

static ken_str stem_of(ken_str word, char into[KEN_TOKEN_MAX + 1])
{
    memcpy(into, word.ptr, word.len);
    return ken_str_n(into, ken_stem(into, word.len));
}

typedef bool stem_fn(void *ctx, ken_str stem);

// Calls `fn` with the stem of each part of the token, then of all parts as one word, until it is
// true.
static bool any_stem(ken_str token, stem_fn *fn, void *ctx)
{
    char buf[KEN_TOKEN_MAX + 1];
    ken_token_parts parts;
    size_t end = 0;
    ken_token_split(token, &parts);
    for (uint32_t i = 0; i < parts.n_parts; i++) {
        end = (size_t)parts.part[i].start + parts.part[i].len;
        if (fn(ctx, stem_of(ken_str_n(parts.text + parts.part[i].start, parts.part[i].len), buf)))
            return true;
    }
    return end && fn(ctx, stem_of(ken_str_n(parts.text, end), buf));
}

static bool add_stem(void *ctx, ken_str stem)
{
    ken_map_put(ctx, stem, 1, NULL);
    return false;
}

static bool has_stem(void *ctx, ken_str stem)
{
    return ken_map_find(ctx, stem) != NULL;
}

void add_stems(ken_map *stems, ken_str text)
{
    ken_str token;
    while (ken_token_next(&text, &token))
        any_stem(token, add_stem, stems);
}

static bool is_withheld(ken_str word, ken_map *withheld)
{
    ken_str token;
    while (ken_token_next(&word, &token))
        if (any_stem(token, has_stem, withheld))
            return true;
    return false;
}

static ken_str without_punctuation(ken_str word)
{
    while (word.len && !ken_is_word(word.ptr[0]))
        word = ken_str_sub(word, 1, word.len);
    while (word.len && !ken_is_word(word.ptr[word.len - 1]))
        word = ken_str_sub(word, 0, word.len - 1);
    return word;
}

bool question_of(ken_str sentence, ken_map *withheld, ken_buf *out)
{
    size_t n = 0, n_telling = 0;
    ken_str word;
    ken_buf_clear(out);
    while (ken_str_split_next(&sentence, ' ', &word)) {
        word = without_punctuation(word);
        if (!word.len || is_withheld(word, withheld))
            continue;
        if (n++)
            ken_buf_putc(out, ' ');
        ken_buf_put_str(out, word);
        n_telling += !is_stop_word(word);
    }
    return n >= QUESTION_WORDS_MIN && n_telling >= QUESTION_TELLING_MIN;
}

void put_tokens(ken_str text, ken_buf *out)
{
    ken_str token;
    while (ken_token_next(&text, &token)) {
        ken_buf_putc(out, ' ');
        for (size_t i = 0; i < token.len; i++)
            ken_buf_putc(out, ken_lower(token.ptr[i]));
        ken_buf_putc(out, ' ');
    }
}
