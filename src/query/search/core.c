// SPDX-License-Identifier: MIT
// What a question is about, without what only makes it a request: "find the code that handles
// retries", "show me where retries are handled", "retries" ask for the same.
//
// A request is recognised by its place and its grammar, never by a word alone: request verbs only
// at the head, a general noun only before a relative clause or "of", a light verb only as the verb
// of that clause or of a "where is X handled" at its end. The words are closed classes of English.
// A word that is written as code is (`find`, find_all) is a name wherever it stands.
//
// Questions for tests ("test that files are skipped", "which tests cover the scanner") are told in the
// same way.
#include "query/query_intent.h"
#include "token/token.h"

enum {
    WORDS_MAX = 48
};

typedef struct word {
    ken_str text;   // without the marks around it
    bool is_name;   // written as code
    bool is_closed; // a mark behind it ends the phrase
} word;

typedef struct words {
    word items[WORDS_MAX];
    size_t from, to; // what is left
} words;

static const char requests[] = " find locate explain describe show give tell ";
// Of them, what asks somebody: "show me", "tell us"; "show hidden files" is what the code does.
static const char addressed[] = " show give tell ";
static const char helpers[] =
    " please can could would will you we i want need like to help me us let "
    "try trying how do ";
static const char to_whom[] = " me us ";
static const char articles[] =
    " the a an any all some this that these those our your my its every ";
static const char general_nouns[] =
    " code logic place places part parts spot section sections snippet snippets piece pieces "
    "implementation implementations definition declaration source sources location locations ";
// With an article, or after a request: "the function that parses dates", not "functions of a ring".
static const char kinds[] =
    " function method class struct type module component file routine macro "
    "interface trait procedure ";
// Before a name: "class Response".
static const char definers[] =
    " function method class struct enum interface trait macro def fn func ";
static const char relatives[] = " that which where who ";
static const char question_words[] = " where which what how who ";
static const char forms_of_be[] =
    " is are was were does do did has have can could should gets get ";
static const char light_verbs[] =
    " handles handle handling does do doing performs perform performing implements implement "
    "implementing contains contain containing defines define defining holds hold holding ";
static const char light_participles[] =
    " handled done implemented performed defined declared located happen happens happening found "
    "live lives work works ";
static const char kinds_of_tests[] =
    " unit integration regression functional acceptance end-to-end e2e smoke fuzz existing ";
// What a test does with what it is about.
static const char covering[] =
    " cover covers covering check checks checking verify verifies verifying exercise exercises "
    "exercising assert asserts asserting ensure ensures ensuring prove proves proving ";
static const char whole_trees[] = " code codebase repository repo project source sources tree ";

static bool is_mark(char c)
{
    return memchr("?!.,;:'\"()[]{}<>", c, 16) != NULL;
}

// "find_all", "Find", "a.b", "`find`"; a capital that begins the question is none.
static bool is_code(ken_str t, bool is_first)
{
    for (size_t i = 0; i < t.len; i++) {
        char c = t.ptr[i];
        bool is_inner = i && i + 1 < t.len;
        if (c == '_' || c == '`' || ken_is_digit(c) || (ken_is_upper(c) && (i || !is_first)) ||
            (is_inner && memchr(".:#/>", c, 5)))
            return true;
    }
    return false;
}

static void cut_words(ken_str s, words *out)
{
    size_t n = 0;
    for (size_t at = 0; at < s.len && n < WORDS_MAX;) {
        while (at < s.len && ken_is_space(s.ptr[at]))
            at++;
        size_t from = at;
        while (at < s.len && !ken_is_space(s.ptr[at]))
            at++;
        ken_str t = ken_str_sub(s, from, at);
        bool is_closed = t.len && memchr(",;:", t.ptr[t.len - 1], 3) != NULL;
        while (t.len && is_mark(t.ptr[0]))
            t = ken_str_sub(t, 1, t.len);
        while (t.len && is_mark(t.ptr[t.len - 1]))
            t = ken_str_sub(t, 0, t.len - 1);
        if (t.len)
            out->items[n] = (word){ t, is_code(t, n == 0), is_closed };
        n += t.len > 0;
    }
    out->from = 0;
    out->to = n;
}

static bool at_is(const words *w, size_t at, const char *list)
{
    return at < w->to && !w->items[at].is_name && ken_str_is_listed(list, w->items[at].text);
}

static size_t skip(const words *w, size_t at, const char *list)
{
    while (at_is(w, at, list))
        at++;
    return at;
}

// "please", "can you help me", "how do I find" before a request; `at` when no request follows.
static size_t skip_politeness(const words *w, size_t at)
{
    size_t to = skip(w, at, helpers);
    return at_is(w, to, requests) || (to > at && at_is(w, to, question_words)) ? to : at;
}

static size_t skip_object(const words *w, size_t at);

// "find", "show me", "tell us about", and "show" before what can only be asked for.
static size_t skip_request(const words *w, size_t at)
{
    if (!at_is(w, at, requests) || at_is(w, at + 1, " out "))
        return at;
    size_t to = skip(w, at + 1, to_whom);
    if (to == at + 1 && at_is(w, at, addressed) && !at_is(w, to, question_words) &&
        skip_object(w, to) == to)
        return at;
    return skip(w, to, " about ");
}

// Behind the subordinator of a relative clause, its verb when it is a light one: "that handles",
// "which is responsible for", "in charge of". Returns `at` when there is no such clause.
static size_t skip_clause(const words *w, size_t at)
{
    size_t verb = skip(w, at, relatives);
    bool is_relative = verb > at;
    size_t be = skip(w, verb, forms_of_be);
    if (at_is(w, be, " responsible ") && at_is(w, be + 1, " for "))
        return be + 2;
    if (at_is(w, be, " in ") && at_is(w, be + 1, " charge ") && at_is(w, be + 2, " of "))
        return be + 3;
    if (at_is(w, verb, " takes ") && at_is(w, verb + 1, " care ") && at_is(w, verb + 2, " of "))
        return verb + 3;
    if (at_is(w, verb, " deals dealing deal ") && at_is(w, verb + 1, " with "))
        return verb + 2;
    if (at_is(w, verb, light_verbs))
        return verb + 1;
    if (is_relative)
        return be;
    return at_is(w, at, " for of behind ") ? at + 1 : at;
}

// "the code that handles", "the function which", "the implementation of". A kind of definition
// needs its relative clause: "function of a ring" is about functions.
static size_t skip_object(const words *w, size_t at)
{
    size_t noun = skip(w, at, articles);
    bool is_kind = noun > at && at_is(w, noun, kinds) && at_is(w, noun + 1, relatives);
    if (!at_is(w, noun, general_nouns) && !is_kind)
        return at;
    size_t of = noun + 1;
    if (at_is(w, of, " of ") && at_is(w, of + 1, " code ")) // "piece of code that"
        of += 2;
    size_t clause = skip_clause(w, of);
    return clause > of ? clause : at;
}

// The head of "where is X handled", "which file handles X"; `at` when it is none.
static size_t skip_question(const words *w, size_t at)
{
    if (!at_is(w, at, question_words))
        return at;
    if (at_is(w, at, " which what ")) {
        size_t noun = at + 1;
        if (at_is(w, noun, general_nouns) || at_is(w, noun, kinds) || at_is(w, noun, " files "))
            noun++;
        size_t verb = skip_clause(w, noun);
        return verb > noun || noun > at + 1 ? verb : at + 1;
    }
    size_t be = skip(w, at + 1, forms_of_be);
    return at_is(w, be, " i we you ") && at_is(w, be + 1, " find see ") ? be + 2 : be;
}

// "… handled", "… happen", when a question word opened; "… in the code".
static void cut_tail(words *w, bool has_question)
{
    size_t to = w->to;
    if (to > w->from && at_is(w, to - 1, whole_trees)) {
        size_t article = to - 1;
        while (article > w->from && at_is(w, article - 1, articles))
            article--;
        if (article < to - 1 && article > w->from && at_is(w, article - 1, " in of inside within "))
            to = article - 1;
    }
    if (has_question && to > w->from + 1 && at_is(w, to - 1, light_participles)) {
        to--;
        while (to > w->from + 1 && at_is(w, to - 1, forms_of_be))
            to--;
    }
    if (to > w->from)
        w->to = to;
}

// Where what is asked about begins. "How" stays: it asks for more than a place.
static size_t find_start(const words *w, bool *out_has_question)
{
    size_t at = skip_request(w, skip_politeness(w, 0));
    *out_has_question = at_is(w, at, question_words);
    size_t behind = skip_question(w, at);
    bool is_plain = behind > at && at_is(w, at, " how who ");
    if (behind == at)
        behind = skip_object(w, at);
    else if (skip_object(w, behind) > behind) { // "where is the code that handles"
        behind = skip_object(w, behind);
        is_plain = false;
    }
    if (is_plain || behind >= w->to)
        return at;
    at = behind;
    behind = at ? skip(w, at, articles) : at;
    return behind < w->to ? behind : at;
}

ken_str ken_query_core(ken_str question)
{
    words w;
    bool has_question;
    cut_words(question, &w);
    if (w.to < 2 || w.to == WORDS_MAX)
        return question;
    w.from = find_start(&w, &has_question);
    if (w.from >= w.to)
        return question;
    cut_tail(&w, has_question);
    const char *start = w.items[w.from].text.ptr, *end = w.items[w.to - 1].text.ptr;
    return ken_str_n(start, (size_t)(end - start) + w.items[w.to - 1].text.len);
}

// ---- tests asked for -------------------------------------------------------------------------

// "that", "which cover", "that check that", "for": what leads from tests to what they are about; `at`
// when nothing does.
static size_t skip_covering(const words *w, size_t at)
{
    size_t verb = skip(w, at, relatives);
    if (at_is(w, verb, covering))
        return skip(w, verb + 1, " that ");
    if (verb > at)
        return verb;
    return at_is(w, at, " for of on around about against ") ? at + 1 : at;
}

// "tests for", "test that", "an integration test of", "the test cases which cover". Only "that" makes
// tests of a bare "test", which may also be a verb or say what kind of thing is meant ("test client").
// Behind "which" tests may do anything ("which tests need a network"). `at` when no tests are asked for.
static size_t skip_tests(const words *w, size_t at, bool is_asked)
{
    size_t kind = skip(w, at, articles), noun = skip(w, kind, kinds_of_tests), behind = noun + 1;
    bool is_plural = at_is(w, noun, " tests ");
    if (!is_plural && !at_is(w, noun, " test "))
        return at;
    if (!is_plural && at_is(w, behind, " case cases ")) {
        is_plural = true;
        behind++;
    }
    size_t about = skip_covering(w, behind);
    if (is_plural || noun > at || is_asked)
        return about > behind || (is_asked && is_plural) ? about : at;
    return at_is(w, behind, " that ") ? about : at;
}

// Where what the tests are about begins; 0 when no tests are asked for.
static size_t find_tested(const words *w)
{
    size_t at = skip_request(w, skip_politeness(w, 0)), to = at;
    if (at_is(w, at, " which what "))
        to = at + 1;
    else if (at_is(w, at, " where ") && at_is(w, at + 1, forms_of_be))
        to = at + 2;
    else if (at_is(w, at, forms_of_be) && at_is(w, at + 1, " there "))
        to = at + 2;
    size_t about = skip_tests(w, to, to > at || at > 0);
    return about > to ? about : 0;
}

bool ken_query_asks_for_tests(ken_str question, ken_str *out_about)
{
    words w;
    cut_words(question, &w);
    if (w.to < 2 || w.to == WORDS_MAX)
        return false;
    size_t at = skip_request(&w, skip_politeness(&w, 0)), about = find_tested(&w);
    if (!about && at_is(&w, at, " where ") && at_is(&w, at + 1, forms_of_be) &&
        at_is(&w, w.to - 1, " tested covered ")) { // "where is the queue tested"
        about = skip(&w, at + 2, articles);
        w.to--;
    }
    if (!about || about >= w.to)
        return false;
    const char *start = w.items[about].text.ptr;
    ken_str last = w.items[w.to - 1].text;
    *out_about = ken_str_n(start, (size_t)(last.ptr - start) + last.len);
    return true;
}

// "async-await", "empty?", ".container" without the marks of a sentence; "" for what is joined:
// "Session.request" is no name of its own.
static ken_str only_word(ken_str core)
{
    static const char marks[] = "`'\"(),;:";
    while (core.len && strchr(marks, core.ptr[0]))
        core = ken_str_sub(core, 1, core.len);
    while (core.len && strchr(marks, core.ptr[core.len - 1]))
        core = ken_str_sub(core, 0, core.len - 1);
    for (size_t i = 0; i < core.len; i++)
        if (i && memchr(".:#>", core.ptr[i], 4))
            return KEN_STR("");
    return core;
}

static bool has_blank(ken_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (ken_is_space(s.ptr[i]))
            return true;
    return false;
}

ken_str ken_query_sole_name(ken_str core)
{
    ken_str rest = core, token, name = { "", 0 };
    size_t n = 0;
    if (!has_blank(core))
        return only_word(core);
    while (ken_token_next(&rest, &token)) {
        if (!n && (ken_str_is_listed(question_words, token) ||
                   ken_str_is_listed(forms_of_be, token) || ken_str_is_listed(articles, token)))
            continue;
        if (++n > 2 || (n == 2 && !ken_str_is_listed(definers, name)))
            return KEN_STR("");
        name = token;
    }
    return name;
}
