// SPDX-License-Identifier: MIT
// What a question asks for: its words and their weights, the names it may mean letter by letter,
// and what a file may be called.
#include <string.h>

#include "ktest.h"
#include "lexical/lexical_query.h"
#include "unit/lexical/lexical_lab.h"

static ken_lex_query q;

static void parse(const char *text)
{
    ken_lex_query_parse(ken_str_c(text), &q);
}

// "retri policy =retrypolicy": the terms in order, wholes with '='.
static void terms_are(const char *text, const char *want)
{
    parse(text);
    ken_buf got = KEN_BUF_INIT(0);
    for (uint32_t i = 0; i < q.n_terms; i++)
        ken_buf_printf(&got, "%s%s%.*s", i ? " " : "", q.terms[i].is_whole ? "=" : "",
                       (int)q.terms[i].len, q.terms[i].text);
    if (!ken_str_eq_c(ken_buf_str(&got), want))
        kt_fail("'%s' asks for '" KEN_STR_FMT "', not '%s'", text, KEN_STR_ARG(ken_buf_str(&got)),
                want);
    ken_buf_release(&got);
}

// "Foo! bar": the names in order, strong ones with '!'.
static void names_are(const char *text, const char *want)
{
    parse(text);
    ken_buf got = KEN_BUF_INIT(0);
    for (uint32_t i = 0; i < q.n_names; i++)
        ken_buf_printf(&got, "%s" KEN_STR_FMT "%s", i ? " " : "", KEN_STR_ARG(q.names[i].text),
                       q.names[i].is_strong ? "!" : "");
    if (!ken_str_eq_c(ken_buf_str(&got), want))
        kt_fail("'%s' names '" KEN_STR_FMT "', not '%s'", text, KEN_STR_ARG(ken_buf_str(&got)),
                want);
    ken_buf_release(&got);
}

static void stems_are(const char *text, const char *want)
{
    parse(text);
    ken_buf got = KEN_BUF_INIT(0);
    for (uint32_t i = 0; i < q.n_file_names; i++)
        ken_buf_printf(&got, "%s%s", i ? " " : "", q.file_names[i]);
    kt_eq_text(ken_buf_str(&got), want);
    ken_buf_release(&got);
}

static double weight_of(const char *term)
{
    for (uint32_t i = 0; i < q.n_terms; i++)
        if (ken_str_eq_c(ken_str_n(q.terms[i].text, q.terms[i].len), term))
            return q.terms[i].weight;
    kt_fail("no term '%s'", term);
}

// ---- terms -------------------------------------------------------------------------------------

KEN_TEST(words_that_ask_are_left_out)
{
    terms_are("where are retries handled", "retri handl");
    terms_are("How does the cache do it?", "cach");
    terms_are("parsing of headers in the HTTP client", "pars header http client");
    terms_are("", "");
    terms_are("?!", "");
}

// A question of stop words alone still asks for something.
KEN_TEST(nothing_but_stop_words_is_better_than_nothing)
{
    terms_are("for", "for");
    terms_are("what is this", "what is thi");
}

KEN_TEST(a_compound_asks_for_its_parts_and_itself)
{
    terms_are("ClientSession", "client session =clientsession");
    terms_are("retry_policy", "retri polici =retrypolicy");
    terms_are("parse HTTPHeader", "pars http header =httpheader");
    terms_are("utf8", "utf 8 =utf8");
}

KEN_TEST(a_word_is_asked_for_once)
{
    terms_are("retry retries Retry retrying", "retri");
    terms_are("session ClientSession clientSession", "session client =clientsession");
}

// What is written as one word in one place is a compound in another.
KEN_TEST(long_words_and_compounds_are_looked_up_both_ways)
{
    parse("filesystem");
    kt_eq_u(q.terms[0].n_lookups, 2);
    kt_true(q.terms[0].lookup[1] == ken_term_of_whole(KEN_STR("filesystem")));
    parse("fileSystem");
    kt_eq_u(q.n_terms, 3);
    kt_true(q.terms[2].is_whole);
    kt_eq_u(q.terms[2].n_lookups, 2);
    kt_true(q.terms[2].lookup[0] == ken_term_of_whole(KEN_STR("filesystem")));
    kt_true(q.terms[2].lookup[1] == ken_term_of_word(KEN_STR("filesystem")));
    parse("log");
    kt_eq_u(q.terms[0].n_lookups, 1);
}

KEN_TEST(early_words_weigh_more)
{
    parse("alpha beta gamma delta epsilon zeta theta iota kappa lambda omicron sigma");
    for (uint32_t i = 1; i < q.n_terms; i++)
        kt_true(q.terms[i].weight <= q.terms[i - 1].weight);
    kt_near(q.terms[0].weight, 1, 1e-9);
    kt_near(q.terms[1].weight, 0.9, 1e-9);
    kt_near(q.terms[q.n_terms - 1].weight, 0.5, 1e-9); // never less than half
}

KEN_TEST(words_that_say_little_weigh_less)
{
    parse("retry handling logic");
    kt_true(weight_of("handl") < 0.4);
    kt_true(weight_of("logic") < 0.4);
    kt_near(weight_of("retri"), 1, 1e-9);
    parse("handler function"); // too short a question to do without them
    kt_near(weight_of("function"), 0.9, 1e-9);
}

KEN_TEST(parts_of_a_compound_take_a_place_each)
{
    parse("ClientSession timeout");
    kt_eq_u(q.terms[0].position, 0);
    kt_eq_u(q.terms[1].position, 1);
    kt_eq_u(q.terms[2].position, 1); // the whole, with its last part
    kt_eq_u(q.terms[3].position, 2);
}

KEN_TEST(endless_questions_are_cut)
{
    ken_buf b = KEN_BUF_INIT(0);
    for (int i = 0; i < 5000; i++)
        ken_buf_printf(&b, "wordNumber%d foo_%d ", i, i);
    ken_lex_query_parse(ken_buf_str(&b), &q);
    kt_eq_u(q.n_terms, KEN_QUERY_TERMS);
    kt_true(q.n_names <= KEN_QUERY_NAMES);
    kt_true(q.n_file_names <= 2 * KEN_QUERY_TERMS);
    ken_buf_clear(&b);
    for (int i = 0; i < 10000; i++)
        ken_buf_putc(&b, 'a');
    ken_lex_query_parse(ken_buf_str(&b), &q); // one word of 10,000 letters
    kt_eq_u(q.n_terms, 1);
    kt_true(q.terms[0].len <= KEN_TOKEN_MAX);
    ken_buf_release(&b);
}

KEN_TEST(any_bytes_are_a_question)
{
    lab_seed(3);
    char text[700];
    for (int round = 0; round < 3000; round++) {
        size_t n = lab_pick(sizeof text);
        for (size_t i = 0; i < n; i++)
            text[i] = lab_pick(3) ? "aB_$ 1.:->z\xc3"[lab_pick(12)] : (char)lab_pick(256);
        ken_lex_query_parse(ken_str_n(text, n), &q);
        kt_true(q.n_terms <= KEN_QUERY_TERMS && q.n_names <= KEN_QUERY_NAMES);
        for (uint32_t i = 0; i < q.n_terms; i++)
            kt_true(q.terms[i].len > 0 && q.terms[i].weight > 0 && q.terms[i].n_lookups > 0);
        for (uint32_t i = 0; i < q.n_names; i++)
            kt_true(q.names[i].text.ptr >= text && q.names[i].text.len > 0);
    }
}

// ---- names -------------------------------------------------------------------------------------

KEN_TEST(what_looks_like_an_identifier_is_a_name)
{
    names_are("how does parse_header work", "parse_header!");
    names_are("where is parseHeader called", "parseHeader!");
    names_are("the HTTPServer class", "HTTPServer!");
    names_are("utf8 decoding of text", "utf8!");
    names_are("MAX_RETRIES limit for workers", "MAX_RETRIES!");
    names_are("plain words only here", "");
}

KEN_TEST(one_word_alone_is_a_name)
{
    names_are("flask", "flask!");
    names_are("Flask", "Flask!");
}

KEN_TEST(capital_words_inside_a_sentence_may_be_names)
{
    names_are("where is Flask created", "Flask");
    names_are("Where are sessions closed", ""); // the first word is capital anyway
}

KEN_TEST(what_is_joined_to_its_owner_is_a_name)
{
    names_are("what does queue.pop return", "pop!");
    names_are("std::move", "std! move!");
    names_are("call to worker->stop here", "stop!");
    names_are("Array#flatten in ruby", "flatten!");
    names_are("end of a sentence. next one", "");
}

// ---- what a file may be called -----------------------------------------------------------------

KEN_TEST(neighbours_may_be_one_file_name)
{
    stems_are("client session timeout", "client session clientsession timeout sessiontimeout");
    stems_are("RetryPolicy", "retrypolicy");
    stems_are("the retry_policy of workers", "retrypolicy workers retrypolicyworkers");
}
