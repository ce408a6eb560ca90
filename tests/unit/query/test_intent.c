// SPDX-License-Identifier: MIT
// What questions want: how people and agents ask, and what they are about.
#include <stdio.h>

#include "ktest.h"
#include "query/query_intent.h"

typedef struct asked {
    const char *question, *intent, *subject;
} asked;

static const asked questions[] = {
    // definitions
    { "where is RetryPolicy defined", "find_definition", "RetryPolicy" },
    { "Where is the function parse_config declared?", "find_definition", "parse_config" },
    { "definition of ken_find_usages", "find_definition", "ken_find_usages" },
    { "which file defines the class Mailer", "find_definition", "Mailer" },
    { "show me the class Parser", "find_definition", "Parser" },
    { "find function handleLogin", "find_definition", "handleLogin" },
    { "go to newRouter", "find_definition", "newRouter" },
    { "locate SessionStore", "find_definition", "SessionStore" },
    { "RetryPolicy", "find_definition", "RetryPolicy" },
    { "struct ring_buffer", "find_definition", "ring_buffer" },
    { "where is newRouter", "find_definition", "newRouter" },
    { "Where's Parser.parse implemented?", "find_definition", "Parser.parse" },
    { "what file contains the struct session", "find_definition", "session" },
    { "signature of std::vector::push_back", "find_definition", "std::vector::push_back" },
    // usages
    { "who calls parse_config", "find_usage", "parse_config" },
    { "what calls `deliver`?", "find_usage", "deliver" },
    { "where is RateLimiter used", "find_usage", "RateLimiter" },
    { "where is the checkPassword function called?", "find_usage", "checkPassword" },
    { "find all usages of formatDate", "find_usage", "formatDate" },
    { "callers of pop_due", "find_usage", "pop_due" },
    { "all references to errWrongPassword", "find_usage", "errWrongPassword" },
    { "which files import dateFormat", "find_usage", "dateFormat" },
    { "who uses the mailer", "find_usage", "mailer" },
    { "where do we call writeJSON", "find_usage", "writeJSON" },
    { "what depends on Money", "find_usage", "Money" },
    { "call sites of ken_arena_dup", "find_usage", "ken_arena_dup" },
    { "what breaks if I change RetryPolicy", "find_usage", "RetryPolicy" },
    { "impact of renaming deliver", "find_usage", "deliver" },
    { "subclasses of BaseModel", "find_usage", "BaseModel" },
    { "is old_handler used anywhere", "find_usage", "old_handler" },
    // flows
    { "trace handleLogin", "trace_flow", "handleLogin" },
    { "trace the execution of main", "trace_flow", "main" },
    { "what does run_once call", "trace_flow", "run_once" },
    { "which functions does ken_search call", "trace_flow", "ken_search" },
    { "what happens when a request times out", "trace_flow", "" },
    { "what happens after login", "trace_flow", "login" },
    { "call chain of handleTrackParcel", "trace_flow", "handleTrackParcel" },
    { "execution path for index_repository", "trace_flow", "index_repository" },
    { "follow the request through the middleware", "trace_flow", "request" },
    { "how does main reach checkPassword", "trace_flow", "main" },
    { "how does a request get from newRouter to writeJSON", "trace_flow", "newRouter" },
    { "path from main to Allow", "trace_flow", "main" },
    { "control flow of the event loop", "trace_flow", "" },
    { "lifecycle of a session", "trace_flow", "session" },
    { "callees of uv_run", "trace_flow", "uv_run" },
    // explanations
    { "explain pop_due", "explain_function", "pop_due" },
    { "what does fill_bucket do", "explain_function", "fill_bucket" },
    { "how does retry_with_backoff work", "explain_function", "retry_with_backoff" },
    { "why does deliver raise DeliveryError", "explain_function", "DeliveryError" },
    { "what is the purpose of ken_arena", "explain_function", "ken_arena" },
    { "walk me through SessionStore.Find", "explain_function", "SessionStore.Find" },
    { "describe the RateLimiter class", "explain_function", "RateLimiter" },
    { "how are retries handled", "explain_function", "retries" },
    { "what is idle for", "explain_function", "idle" },
    { "tell me about the tokenizer", "explain_function", "tokenizer" },
    // likeness
    { "code similar to retry_with_backoff", "find_similar", "retry_with_backoff" },
    { "find duplicates of formatAge", "find_similar", "formatAge" },
    { "functions like pop_due", "find_similar", "pop_due" },
    { "is there duplicate code for dates", "find_similar", "" },
    { "similar implementations of backoff", "find_similar", "" },
    { "what looks like src/net/retry.c:120", "find_similar", "src/net/retry.c:120" },
    // the whole
    { "give me an overview of the codebase", "architectural", "" },
    { "what is the architecture of this project", "architectural", "" },
    { "how is the code organised", "architectural", "" },
    { "project structure", "architectural", "" },
    { "what are the main components", "architectural", "" },
    { "list the entry points", "architectural", "" },
    { "How does the authentication system work?", "architectural", "authentication" },
    { "how do the modules fit together", "architectural", "" },
    { "high level design", "architectural", "" },
    { "what does this project do", "architectural", "" },
    { "dependencies between packages", "architectural", "" },
    { "tech stack", "architectural", "" },
    // just words
    { "retry", "", "" },
    { "rate limit bucket refill", "", "" },
    { "where are retries handled", "", "" },
    { "session cookie expiry", "", "" },
    { "parse yaml front matter", "", "" },
    { "exponential backoff with jitter", "", "" },
    { "TODO", "", "" },
    { "->", "", "" },
    { "   ", "", "" },
    { "code that validates user_input before saving", "", "user_input" },
};

KEN_TEST(questions_want_what_people_mean)
{
    size_t n = sizeof questions / sizeof *questions, n_wrong = 0;
    kt_true(n >= 60);
    for (size_t i = 0; i < n; i++) {
        const asked *a = &questions[i];
        ken_intent got;
        ken_query_intent(ken_str_c(a->question), &got);
        if (!strcmp(ken_intent_word(got.kind), a->intent) && ken_str_eq_c(got.subject, a->subject))
            continue;
        printf("'%s': %s '" KEN_STR_FMT "', not %s '%s'\n", a->question, ken_intent_word(got.kind),
               KEN_STR_ARG(got.subject), a->intent, a->subject);
        n_wrong++;
    }
    kt_eq_u(n_wrong, 0);
}

KEN_TEST(a_question_may_want_several_things)
{
    ken_intent got;
    ken_query_intent(KEN_STR("How does the authentication system work?"), &got);
    kt_eq_u(got.all, 1U << KEN_INTENT_ARCHITECTURAL | 1U << KEN_INTENT_EXPLAIN_FUNCTION);
    ken_query_intent(KEN_STR("explain parse and list its callers for me"), &got);
    kt_true(got.all >> KEN_INTENT_EXPLAIN_FUNCTION & 1);
    kt_true(got.all >> KEN_INTENT_FIND_USAGE & 1);
}

KEN_TEST(a_way_has_two_ends)
{
    ken_intent got;
    ken_query_intent(KEN_STR("how does a request get from newRouter to writeJSON"), &got);
    kt_eq_text(got.subject, "newRouter");
    kt_eq_text(got.to, "writeJSON");
    ken_query_intent(KEN_STR("how does main reach checkPassword"), &got);
    kt_eq_text(got.to, "checkPassword");
    ken_query_intent(KEN_STR("trace main"), &got);
    kt_eq_u(got.to.len, 0);
}

KEN_TEST(words_of_intents_go_both_ways)
{
    for (int k = KEN_INTENT_NONE; k < KEN_INTENT_COUNT; k++)
        kt_eq_i((int)ken_intent_parse(ken_str_c(ken_intent_word((ken_intent_kind)k))), k);
    kt_eq_i((int)ken_intent_parse(KEN_STR("find")), KEN_INTENT_NONE);
}

KEN_TEST(a_long_question_is_cut)
{
    char text[6000] = "";
    for (size_t n = 0; n + 20 < sizeof text;)
        n += (size_t)snprintf(text + n, sizeof text - n, "where what is how ");
    ken_intent got;
    ken_query_intent(ken_str_c(text), &got);
    kt_true(got.kind < KEN_INTENT_COUNT);
}
