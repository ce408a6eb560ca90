// SPDX-License-Identifier: MIT
// What a question is about, whatever request it is wrapped in.
#include <stdio.h>

#include "ktest.h"
#include "query/query_intent.h"

typedef struct row {
    const char *question, *core;
} row;

static void check_core(const row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ken_str got = ken_query_core(ken_str_c(rows[i].question));
        if (!ken_str_eq_c(got, rows[i].core))
            kt_fail("'%s' is about '" KEN_STR_FMT "', not '%s'", rows[i].question, KEN_STR_ARG(got),
                    rows[i].core);
    }
}

#define CHECK(rows) check_core((rows), sizeof(rows) / sizeof *(rows))

KEN_TEST(a_request_is_taken_off)
{
    static const row rows[] = {
        { "find code that handles authentication", "authentication" },
        { "Find the code that handles authentication.", "authentication" },
        { "show me the code that handles retries", "retries" },
        { "Please show us where retries are handled", "retries" },
        { "locate the retry logic", "retry logic" },
        { "find the function that parses dates", "parses dates" },
        { "which file is responsible for routing", "routing" },
        { "what code is in charge of the cache?", "cache" },
        { "can you find the place where tokens expire", "tokens expire" },
        { "where is the code that deals with signals", "signals" },
        { "show me the piece of code that implements hashing", "hashing" },
        { "explain how sessions expire", "how sessions expire" },
        { "tell me about the scheduler", "scheduler" },
        { "definition of the ring buffer", "ring buffer" },
        { "how are errors reported in this repository", "how are errors reported" },
    };
    CHECK(rows);
}

// The tail goes with its question word only: "is handled" may be what is asked about.
KEN_TEST(the_verb_of_a_plain_question_says_nothing)
{
    static const row rows[] = {
        { "where is authentication handled", "authentication" },
        { "how does paging work", "how does paging" },
        { "where is url_for defined?", "url_for" },
        { "errors that are handled", "errors that are handled" },
    };
    CHECK(rows);
}

KEN_TEST(what_the_code_does_is_no_request)
{
    static const row rows[] = {
        { "show hidden files", "show hidden files" },
        { "tell binary data from text", "tell binary data from text" },
        { "find out that snippets include each other",
          "find out that snippets include each other" },
        { "give up after three attempts", "give up after three attempts" },
        { "find_all", "find_all" },
        { "find", "find" },
        { "`find` and `locate`", "`find` and `locate`" },
        { "findOne by id", "findOne by id" },
        { "functions of a ring", "functions of a ring" },
        { "code points of a string", "code points of a string" },
        { "authentication", "authentication" },
        { "", "" },
        { "where is", "where is" },
        { "show me the code", "code" },
    };
    CHECK(rows);
}

KEN_TEST(a_question_may_be_a_name)
{
    static const row rows[] = {
        { "Response", "Response" },
        { "class Response", "Response" },
        { "how is Response", "Response" },
        { "def parse", "parse" },
        { "parse()", "parse" },
        { "async-await", "async-await" },
        { "empty?", "empty?" },
        { "get", "get" },
        { "retry policy", "" },
        { "Session.request", "" },
        { "a::b", "" },
        { "", "" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ken_str got = ken_query_sole_name(ken_str_c(rows[i].question));
        if (!ken_str_eq_c(got, rows[i].core))
            kt_fail("'%s' is the name '" KEN_STR_FMT "', not '%s'", rows[i].question,
                    KEN_STR_ARG(got), rows[i].core);
    }
}

// ---- tests asked for -------------------------------------------------------------------------

// An empty core: no tests are asked for.
KEN_TEST(questions_that_ask_for_tests)
{
    static const row rows[] = {
        { "test that files are skipped", "files are skipped" },
        { "tests that check that a lock is held", "a lock is held" },
        { "which tests cover the scanner", "the scanner" },
        { "what tests exercise retries", "retries" },
        { "Which tests need a network?", "need a network" },
        { "which unit test checks the header", "the header" },
        { "tests for Response", "Response" },
        { "find the test for skipped files", "skipped files" },
        { "show me the integration tests of the queue", "the queue" },
        { "where are the tests for the scanner", "the scanner" },
        { "where is the queue tested?", "queue" },
        { "is there a test for the empty list", "the empty list" },
        { "are there any tests that cover timeouts", "timeouts" },
        { "unit test of the parser", "the parser" },
        { "test cases about broken UTF-8", "broken UTF-8" },
        { "test client", "" },
        { "testing client", "" },
        { "test helper for the store", "" },
        { "test whether a path is absolute", "" },
        { "test for membership of a set", "" },
        { "how is a test file preprocessed", "" },
        { "how does skip abort a test", "" },
        { "how are samples compiled and tested", "" },
        { "server for tests that finds leaks", "" },
        { "what test runner is used", "" },
        { "which test", "" },
        { "tests", "" },
        { "tests for", "" },
        { "`test` that is named so", "" },
        { "where is tested", "" },
        { "", "" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ken_str about = { "", 0 };
        bool asks = ken_query_asks_for_tests(ken_str_c(rows[i].question), &about);
        if (asks != (rows[i].core[0] != '\0') || !ken_str_eq_c(about, rows[i].core))
            kt_fail("'%s' asks for tests about '" KEN_STR_FMT "', not '%s'", rows[i].question,
                    KEN_STR_ARG(about), rows[i].core);
    }
}

// Any bytes: the core is a part of the question, and empty only when that is.
KEN_TEST(a_core_is_a_part_of_its_question)
{
    static const char *const parts[] = { "find ",     "the ",     "code ", "that ",  "where ",
                                         "is ",       "handled ", "me ",   "show ",  "of ",
                                         "\xff\xfe ", "``",       "() ",   "which ", "in ",
                                         "foo ",      ", ",       "test ", "tests ", "cover ",
                                         "for " };
    uint64_t seed = 7;
    for (int round = 0; round < 20000; round++) {
        char text[400] = "";
        size_t len = 0;
        for (int i = 0; i < 12; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            const char *part = parts[(seed >> 33) % (sizeof parts / sizeof *parts)];
            len += (size_t)snprintf(text + len, sizeof text - len, "%s", part);
        }
        ken_str question = ken_str_c(text), core = ken_query_core(question);
        kt_true(core.len > 0 && core.ptr >= question.ptr &&
                core.ptr + core.len <= question.ptr + question.len);
        if (ken_query_asks_for_tests(question, &core))
            kt_true(core.len > 0 && core.ptr > question.ptr &&
                    core.ptr + core.len <= question.ptr + question.len);
        ken_str name = ken_query_sole_name(core);
        kt_true(!name.len || (name.ptr >= core.ptr && name.ptr + name.len <= core.ptr + core.len));
    }
}
