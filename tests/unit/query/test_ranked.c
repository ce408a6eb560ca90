// SPDX-License-Identifier: MIT
// Ranked search on the sample: what a person means comes first, once, with its place and its
// reasons.
#include <math.h>

#include "unit/query/sample_lab.h"

// ---- what comes first --------------------------------------------------------------------------

KEN_TEST(words_find_the_file_that_is_about_them)
{
    sample_start();
    first_is("retry policy", "worker/retry_policy.py");
    first_is("exponential backoff with jitter", "worker/retry_policy.py");
    first_is("where are requests limited", "server/rate_limiter.go");
    first_is("how do sessions expire", "server/session_store.go");
    first_is("format a date", "web/src/dateFormat.ts");
    first_is("barcode check digit", "label/src/barcode.rs");
    first_is("tax on an invoice", "billing/src/main/java/post/InvoiceService.java");
    first_is("amounts of different currencies", "billing/src/main/java/post/Money.java");
    first_is("dead letters", "worker/mail_queue.py");
    first_is("table of parcels with sorting", "web/src/components/ParcelTable.tsx");
    first_is("bearer token of a request", "server/middleware/auth.go");
    sample_end();
}

KEN_TEST(a_definition_comes_before_its_uses)
{
    sample_start();
    first_is("RetryPolicy", "worker/retry_policy.py");
    first_is("RateLimiter", "server/rate_limiter.go");
    first_is("SessionStore", "server/session_store.go");
    first_is("MailQueue", "worker/mail_queue.py");
    first_is("ApiClient", "web/src/apiClient.ts");
    first_is("formatDate", "web/src/dateFormat.ts");
    first_is("Money", "billing/src/main/java/post/Money.java");
    first_is("where is newRouter", "server/router.go");
    first_is("what does pop_due return", "worker/mail_queue.py");
    sample_end();
}

// A name that one file alone defines, whatever its shape, before files that say it more often.
KEN_TEST(the_only_definition_of_a_name_comes_first)
{
    lab_start(&l);
    lab_write(&l, "src/wrappers.py",
              "class Response:\n    def view(self):\n        pass\n\n\n"
              "def pop():\n    return 1\n\n\nlimit = 3\n");
    lab_write(&l, "src/response.py",
              "# response response response\ndef make_response(response):\n"
              "    view = response\n    return view.pop(Response, limit)\n");
    lab_write(&l, "src/app.py",
              "from wrappers import Response, pop, limit\n\n\n"
              "def app(response):\n    Response(limit)\n    pop()\n"
              "    return Response(response).view(limit)\n");
    lab_run(&l);
    snap = lab_open(&l);
    first_is("Response", "src/wrappers.py");
    first_is("class Response", "src/wrappers.py");
    first_is("where is Response defined", "src/wrappers.py");
    first_is("view", "src/wrappers.py");
    first_is("pop", "src/wrappers.py");
    first_is("limit", "src/wrappers.py");
    sample_end();
}

// In another case it is another name, and several definitions are for the other signals to order.
KEN_TEST(a_name_is_told_by_its_case)
{
    lab_start(&l);
    lab_write(&l, "lib/view.js", "function View(name) { return name; }\nmodule.exports = View;\n");
    lab_write(&l, "examples/site.js", "exports.view = function view(q) { return q; };\n");
    lab_run(&l);
    snap = lab_open(&l);
    first_is("view", "lib/view.js");
    first_is("View", "lib/view.js");
    sample_end();
}

static void same_first(const char *const *wrappings, size_t n)
{
    ken_search_result bare = ask(wrappings[0]);
    for (size_t i = 1; i < n; i++) {
        ken_search_result r = ask(wrappings[i]);
        for (size_t k = 0; k < 3 && k < bare.n_hits; k++)
            if (k >= r.n_hits || !ken_str_eq(r.hits[k].path, bare.hits[k].path))
                kt_fail("'%s' has '" KEN_STR_FMT "' at place %zu, '%s' has '" KEN_STR_FMT "'",
                        wrappings[0], KEN_STR_ARG(bare.hits[k].path), k + 1, wrappings[i],
                        KEN_STR_ARG(r.hits[k].path));
    }
}

KEN_TEST(the_wrapping_of_a_question_changes_nothing)
{
    static const char *const limits[] = { "request limits", "find code that handles request limits",
                                          "show me the code that handles request limits",
                                          "where are request limits handled",
                                          "locate the request limits" };
    static const char *const retries[] = { "retry policy",
                                           "find the code that implements retry policy",
                                           "show me where the retry policy is implemented",
                                           "where is the retry policy", "find the retry policy" };
    static const char *const sessions[] = { "expired sessions",
                                            "find the function which handles expired sessions",
                                            "please show me the code for expired sessions",
                                            "which file handles expired sessions",
                                            "locate expired sessions in the code" };
    sample_start();
    same_first(limits, sizeof limits / sizeof *limits);
    same_first(retries, sizeof retries / sizeof *retries);
    same_first(sessions, sizeof sessions / sizeof *sessions);
    sample_end();
}

KEN_TEST(an_answer_says_how_sure_it_is)
{
    static const char *const fitting[] = { "exponential backoff with jitter", "RetryPolicy",
                                           "where are requests limited", "barcode check digit" };
    static const char *const foreign[] = { "insulin dosage calculation for a patient",
                                           "zzzqqq nothing like this",
                                           "where is the opera ticket subscription",
                                           "DNA sequence alignment" };
    sample_start();
    for (size_t i = 0; i < sizeof fitting / sizeof *fitting; i++) {
        ken_search_result r = ask(fitting[i]);
        if (!r.has_confidence || r.fits_nothing || r.confidence < 0.5 || r.confidence > 1)
            kt_fail("'%s' has a confidence of %.3f", fitting[i], r.confidence);
    }
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        ken_search_result r = ask(foreign[i]);
        if (!r.has_confidence || !r.fits_nothing)
            kt_fail("'%s' has a confidence of %.3f", foreign[i], r.confidence);
    }
    // Measured for words and meaning together only.
    ken_search_result r = ask_with("retry policy", (ken_search_opts){ .mode = KEN_SEARCH_LEXICAL });
    kt_true(!r.has_confidence && !r.fits_nothing);
    sample_end();
}

KEN_TEST(file_names_count)
{
    sample_start();
    first_is("mailer", "worker/mailer.py");
    first_is("rate limiter", "server/rate_limiter.go");
    first_is("api client", "web/src/apiClient.ts");
    first_is("invoice service", "billing/src/main/java/post/InvoiceService.java");
    first_is("schema", "db/schema.sql");
    first_is("deploy", "scripts/deploy.sh");
    ken_search_result r = ask("ring buffer");
    kt_true(place_of(&r, "native/ring_buffer.c") <= 1 && place_of(&r, "native/ring_buffer.h") <= 1);
    sample_end();
}

KEN_TEST(tests_come_below_code_unless_asked_for)
{
    sample_start();
    ken_search_result r = ask("rate limiter fills the bucket");
    kt_eq_i(place_of(&r, "server/rate_limiter.go"), 0);
    kt_true(place_of(&r, "server/rate_limiter_test.go") > 0);
    r = ask("retry policy gives up");
    kt_eq_i(place_of(&r, "worker/retry_policy.py"), 0);
    kt_true(place_of(&r, "worker/tests/test_retry_policy.py") > 0);
    first_is("tests of the rate limiter", "server/rate_limiter_test.go");
    first_is("test retry policy jitter", "worker/tests/test_retry_policy.py");
    sample_end();
}

// What a file's path costs it, or gives: the value of a term of its score, 0 = it has none.
static double value_of(const char *query, const char *path, const char *term)
{
    ken_search_result r = ask_with(query, (ken_search_opts){ .wants_explain = true, .limit = 50 });
    for (size_t i = 0; i < r.n_hits; i++)
        for (size_t k = 0; ken_str_eq_c(r.hits[i].path, path) && k < r.hits[i].n_terms; k++)
            if (!strcmp(r.hits[i].terms[k].name, term))
                return r.hits[i].terms[k].value;
    kt_true(place_of(&r, path) >= 0);
    return 0;
}

// Where all code is below a folder called so, it is no example.
KEN_TEST(the_folder_that_all_code_is_in_says_nothing)
{
    static const char *const paths[] = { "src/main/java/org/acme/samples/clinic/Visit.java",
                                         "src/main/java/org/acme/samples/clinic/owner/Owner.java",
                                         "src/main/java/org/acme/clinic/Doctor.java" };
    for (int n_paths = 2; n_paths <= 3; n_paths++) {
        lab_start(&l);
        for (int i = 0; i < n_paths; i++)
            lab_write(&l, paths[i], "class A {\n    void book(Date day) {\n    }\n}\n");
        lab_write(&l, "samples/booking.html", "<p id=\"one\">book a visit</p>\n");
        lab_write(&l, "web/site.css", ".book {\n}\n.visit {\n}\n.day {\n}\n.date {\n}\n.b {\n}\n");
        lab_run(&l);
        snap = lab_open(&l);
        // Of three one lies elsewhere: then the folder says something.
        kt_near(value_of("book", paths[0], "example or docs"), n_paths == 3 ? 1 : 0, 1e-6);
        sample_end();
    }
}

// A question that says "test" means tests, unless some code is named for testing.
KEN_TEST(a_test_runner_is_no_test)
{
    static const char test[] = "def test_gate():\n    skip(test)\n";
    for (int is_runner = 0; is_runner < 2; is_runner++) {
        lab_start(&l);
        lab_write(&l, "tests/test_gate.py", test);
        lab_write(&l, is_runner ? "lib/testing.py" : "lib/latest.py", "def gate():\n    skip()\n");
        lab_run(&l);
        snap = lab_open(&l);
        kt_near(value_of("how does gate skip a test", "tests/test_gate.py", "test file"),
                is_runner ? 1 : 0.5, 1e-6);
        kt_near(value_of("tests of gate", "tests/test_gate.py", "test file"), 0, 1e-6);
        sample_end();
    }
}

// Who asks for tests gets tests first, also of a name that other code defines, and where code is named
// for testing.
KEN_TEST(tests_are_what_was_asked_for)
{
    lab_start(&l);
    lab_write(
        &l, "tests/test_gate.py",
        "def test_gate():\n    assert skip(Gate())\n\n\ndef test_open():\n    Gate().open()\n");
    lab_write(&l, "tests/test_road.py", "def test_road():\n    assert drive(1)\n");
    lab_write(&l, "lib/gate.py",
              "# A gate is open or not.\nclass Gate:\n    def open(self):\n        skip(self)\n");
    lab_write(&l, "lib/testing.py", "def tested_gate():\n    return Gate()\n");
    lab_run(&l);
    snap = lab_open(&l);
    first_is("how is a gate opened", "lib/gate.py");
    first_is("Gate", "lib/gate.py");
    first_is("test that a gate is open", "tests/test_gate.py");
    first_is("which tests cover the gate", "tests/test_gate.py");
    first_is("where is a gate tested", "tests/test_gate.py");
    first_is("tests for Gate", "tests/test_gate.py");
    kt_near(value_of("tests for Gate", "lib/gate.py", "test file"), 1, 1e-6);
    sample_end();
}

// What no grammar knows is no prose for that.
KEN_TEST(grammars_of_parsers_are_code)
{
    lab_start(&l);
    lab_write(&l, "src/parser.y",
              "%token NUMBER\n%%\nterm: NUMBER '+' NUMBER { $$ = fold_sum($1, $3); }\n");
    lab_write(&l, "src/main.c", "int main(void)\n{\n    return term();\n}\n");
    lab_write(&l, "src/parser.txt",
              "A term is a NUMBER, a plus, and a NUMBER: fold the sum of the term.\n");
    lab_run(&l);
    snap = lab_open(&l);
    first_is("term that folds the sum of a number", "src/parser.y");
    sample_end();
}

// Thousands of lines of style are no central file.
KEN_TEST(style_sheets_are_not_central)
{
    ken_buf css = KEN_BUF_INIT(1 << 20);
    for (int i = 0; i < 3000; i++)
        ken_buf_printf(&css, ".visit-%d {\n  color: red;\n}\n", i);
    lab_start(&l);
    lab_write_n(&l, "web/site.css", css.ptr, css.len);
    lab_write(&l, "src/visits.py", "def visit(day):\n    return day\n");
    lab_run(&l);
    snap = lab_open(&l);
    first_is("visit", "src/visits.py");
    kt_near(value_of("visit", "web/site.css", "size"), 0.5, 1e-6);
    sample_end();
    ken_buf_release(&css);
}

KEN_TEST(prose_and_data_come_below_code_unless_asked_for)
{
    sample_start();
    ken_search_result r = ask("requests per minute");
    kt_true(r.n_hits > 1);
    kt_eq_i(place_of(&r, "server/rate_limiter.go"), 0);
    first_is("documentation of the architecture", "docs/architecture.md");
    first_is("yaml settings of the mail host", "config/settings.yaml");
    sample_end();
}

// Inside a file, the place that answers.
static void stands_at(const char *query, const char *path, const char *line)
{
    ken_search_result r = ask(query);
    int at = place_of(&r, path);
    kt_true(at >= 0);
    ken_str text = disk(ken_str_c(path));
    size_t byte = ken_str_find(text, ken_str_c(line));
    kt_true(byte != SIZE_MAX);
    uint32_t wanted = line_at(text, (uint32_t)byte);
    const ken_hit *h = &r.hits[at];
    if (wanted < h->first_line || wanted > h->last_line)
        kt_fail("'%s' shows lines %u to %u of %s, not %u", query, h->first_line + 1,
                h->last_line + 1, path, wanted + 1);
}

KEN_TEST(the_best_place_of_a_file_is_shown)
{
    sample_start();
    stands_at("refuses requests with 429", "server/rate_limiter.go", "func (l *RateLimiter) Wrap");
    stands_at("signs everybody out", "server/session_store.go", "func (s *SessionStore) Close");
    stands_at("find the clerk of a session", "server/session_store.go",
              "func (s *SessionStore) Find");
    stands_at("check_digit", "label/src/barcode.rs", "fn check_digit");
    stands_at("overdue invoices", "billing/src/main/java/post/InvoiceService.java", "findOverdue(");
    stands_at("handleTrackParcel", "server/router.go", "func handleTrackParcel");
    sample_end();
}

// ---- the shape of an answer --------------------------------------------------------------------

static const char *const questions[] = {
    "parcel",      "retry",          "how are sessions kept", "message queue",
    "limit",       "error handling", "RetryPolicy",           "server",
    "date format", "test",           "invoice customer",      "scanner event",
    "the of and",  "token",          "print a label",
};
enum {
    N_QUESTIONS = sizeof questions / sizeof *questions
};

// Small neighbours share a chunk.
static const char errors_text[] = "# What can go wrong.\n"
                                  "import base\n"
                                  "\n"
                                  "\n"
                                  "class TransportError(base.Error):\n"
                                  "    \"\"\"Anything below the protocol.\"\"\"\n"
                                  "\n"
                                  "\n"
                                  "class ConnectTimeout(TransportError):\n"
                                  "    \"\"\"No connection in time.\"\"\"\n"
                                  "\n"
                                  "\n"
                                  "class TooManyRedirects(TransportError):\n"
                                  "    \"\"\"The server sends us in circles.\"\"\"\n"
                                  "\n"
                                  "\n"
                                  "def describe(error):\n"
                                  "    \"\"\"Words for a person.\"\"\"\n"
                                  "    return str(error)\n"
                                  "RETRIES_MAX = 3\n";

static void centred(const char *query, const char *symbol, uint32_t first, uint32_t last)
{
    ken_search_opts o = { .wants_content = true };
    ken_search_result r;
    kt_eq_i(try_ask(query, &o, &r), KEN_OK);
    kt_true(r.n_hits > 0);
    const ken_hit *h = &r.hits[0];
    if (!ken_str_eq_c(h->symbol, symbol) || h->first_line != first - 1 || h->last_line != last - 1)
        kt_fail("'%s' shows " KEN_STR_FMT ", lines %u to %u", query, KEN_STR_ARG(h->symbol),
                h->first_line + 1, h->last_line + 1);
    kt_eq_u(h->n_symbols, 4);
    kt_true(ken_str_eq_c(h->symbols[2].name, "TooManyRedirects"));
    kt_eq_u(h->symbols[2].first_line, 12);
    ken_str shown = ken_str_sub(ken_str_c(errors_text), h->span.start, h->span.end);
    kt_true(ken_str_eq(h->content, shown));
    kt_true(ken_str_starts(shown, first == 1   ? KEN_STR("# What")
                                  : first < 15 ? KEN_STR("class")
                                               : KEN_STR("def")));
}

KEN_TEST(a_result_is_centred_on_the_definition_that_fits)
{
    lab_start(&l);
    lab_write(&l, "src/errors.py", errors_text);
    lab_run(&l);
    snap = lab_open(&l);
    centred("timeout while connecting", "ConnectTimeout", 1, 20);
    centred("server sends in circles", "TooManyRedirects", 1, 20);
    centred("ConnectTimeout", "ConnectTimeout", 9, 10); // only what is named is shown alone
    centred("TooManyRedirects", "TooManyRedirects", 13, 14);
    centred("words for a person", "describe", 1, 20);
    centred("what can go wrong", "TransportError", 1, 20);
    centred("RETRIES_MAX", "RETRIES_MAX", 1, 20); // a line is not shown alone
    sample_end();
}

// In a tree of one file, what the only result for a question is named after.
static void names(const char *path, const char *text, const char *query, const char *symbol)
{
    lab_start(&l);
    lab_write(&l, path, text);
    lab_run(&l);
    snap = lab_open(&l);
    ken_search_result r = ask(query);
    kt_eq_u(r.n_hits, 1);
    kt_true(ken_str_eq_c(r.hits[0].symbol, symbol));
    sample_end();
}

// Of tests with like titles the one that is called so.
KEN_TEST(a_title_finds_its_test)
{
    names("test/errors.test.js",
          "test('error in a handler', () => { run(1); });\n\n"
          "test('error in a handler with context of the error in a handler', () => {\n"
          "  error(handler); error(handler);\n});\n",
          "error in a handler", "error in a handler");
}

// What qualifies a name is not what is asked for.
KEN_TEST(a_qualified_name_is_its_last_part)
{
    names("lib/builder.rb",
          "require 'time'\n\nmodule Rack; end\nRack::TOP = 1\n\nmodule Rack\n"
          "  # Puts handlers together.\n  class Builder\n    def run(app)\n      @app = app\n"
          "    end\n  end\nend\n",
          "Rack::Builder", "Rack.Builder");
}

KEN_TEST(every_hit_is_where_it_says_and_every_file_comes_once)
{
    sample_start();
    for (int i = 0; i < N_QUESTIONS; i++) {
        ken_search_result r =
            ask_with(questions[i], (ken_search_opts){ .limit = 50, .wants_content = true });
        check_result(&r);
        kt_eq_str(r.strategy, "hybrid");
        for (size_t a = 0; a < r.n_hits; a++)
            for (size_t b = 0; b < a; b++)
                kt_false(ken_str_eq(r.hits[a].path, r.hits[b].path));
    }
    sample_end();
}

KEN_TEST(reasons_add_up_to_the_score)
{
    sample_start();
    for (int i = 0; i < N_QUESTIONS; i++) {
        ken_search_result r =
            ask_with(questions[i], (ken_search_opts){ .limit = 50, .wants_explain = true });
        for (size_t h = 0; h < r.n_hits; h++) {
            double sum = 0;
            kt_true(r.hits[h].n_terms > 0);
            for (size_t t = 0; t < r.hits[h].n_terms; t++) {
                const ken_score_term *term = &r.hits[h].terms[t];
                kt_true(term->name && term->name[0]);
                kt_near(term->points, term->value * term->weight, 1e-9);
                sum += term->points;
            }
            kt_near(sum, r.hits[h].score, 1e-5);
        }
    }
    ken_search_result plain = ask("retry");
    kt_eq_u(plain.hits[0].n_terms, 0); // only when asked for
    sample_end();
}

KEN_TEST(further_places_are_of_the_same_file_and_elsewhere)
{
    sample_start();
    size_t n_places = 0;
    for (int i = 0; i < N_QUESTIONS; i++) {
        ken_search_result r = ask(questions[i]);
        for (size_t h = 0; h < r.n_hits; h++) {
            const ken_hit *hit = &r.hits[h];
            uint32_t n_lines = line_at(disk(hit->path), (uint32_t)disk(hit->path).len);
            n_places += hit->n_places;
            kt_true(hit->n_places <= 3);
            for (size_t p = 0; p < hit->n_places; p++) {
                kt_true(hit->places[p].first_line != hit->first_line);
                kt_true(hit->places[p].last_line <= n_lines);
            }
        }
    }
    kt_true(n_places > 0);
    sample_end();
}

KEN_TEST(content_and_context_come_when_asked_for)
{
    sample_start();
    ken_search_result r = ask_with("check_digit", (ken_search_opts){ .limit = 1 });
    kt_eq_u(r.hits[0].content.len, 0);
    kt_eq_u(r.hits[0].context_before.len + r.hits[0].context_after.len, 0);
    r = ask_with("check_digit", (ken_search_opts){ .limit = 1, .context_lines = 2 });
    const ken_hit *h = &r.hits[0];
    ken_str text = disk(h->path), before = h->context_before, after = h->context_after;
    kt_true(h->first_line == 0 || before.len > 0);
    kt_true(before.len <= h->span.start);
    kt_eq_mem(before.ptr, before.len, text.ptr + h->span.start - before.len, before.len);
    kt_eq_mem(after.ptr, after.len, text.ptr + h->span.end, after.len);
    kt_true(line_at(before, (uint32_t)before.len) <= 2 && line_at(after, (uint32_t)after.len) <= 2);
    sample_end();
}

KEN_TEST(nothing_is_found_without_fuss)
{
    sample_start();
    ken_search_result r = ask("zyzzyva quokka");
    kt_eq_u(r.n_hits, 0);
    kt_eq_u(r.n_total, 0);
    kt_false(r.is_truncated);
    sample_end();
}

// A question without words may still name something.
KEN_TEST(marks_and_single_letters_do_not_fail)
{
    sample_start();
    static const char *const odd[] = { "->",
                                       "::",
                                       "x",
                                       "?",
                                       "a.b",
                                       "\xc3\xa4",
                                       "\xff\xfe",
                                       "()",
                                       "the",
                                       "\"quoted phrase\"",
                                       "a b c d e f g",
                                       "'; DROP TABLE" };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        ken_search_result r = ask(odd[i]);
        check_result(&r);
    }
    sample_end();
}

KEN_TEST(the_same_question_has_the_same_answer)
{
    sample_start();
    ken_search_result r = ask_with("session token", (ken_search_opts){ .limit = 50 });
    char first[8000];
    snprintf(first, sizeof first, "%s", hits_text(&r));
    for (int i = 0; i < N_QUESTIONS; i++)
        (void)ask(questions[i]);
    r = ask_with("session token", (ken_search_opts){ .limit = 50 });
    hits_are(&r, first);
    ken_snapshot *other = lab_open(&l);
    ken_search_opts o = { .limit = 50 };
    kt_ok(ken_search(other, KEN_STR("session token"), &o, NULL, &l.arena, &r, &l.err));
    hits_are(&r, first);
    lab_close(other);
    sample_end();
}

// ---- filters -----------------------------------------------------------------------------------

static void all_below(const ken_search_result *r, const char *folder)
{
    kt_true(r->n_hits > 0);
    for (size_t i = 0; i < r->n_hits; i++)
        kt_true(ken_str_starts(r->hits[i].path, ken_str_c(folder)));
}

KEN_TEST(filter_by_type)
{
    sample_start();
    ken_search_result r =
        ask_with("parcel", (ken_search_opts){ .file_type = KEN_STR("go"), .limit = 50 });
    kt_true(r.n_hits >= 2);
    for (size_t i = 0; i < r.n_hits; i++)
        kt_true(ken_str_ends(r.hits[i].path, KEN_STR(".go")));
    r = ask_with("parcel", (ken_search_opts){ .file_type = KEN_STR("TS"), .limit = 50 });
    for (size_t i = 0; i < r.n_hits; i++)
        kt_true(ken_str_ends(r.hits[i].path, KEN_STR(".ts")));
    kt_eq_u(ask_with("parcel", (ken_search_opts){ .file_type = KEN_STR("zig") }).n_hits, 0);
    sample_end();
}

KEN_TEST(filter_by_folder)
{
    sample_start();
    static const char *const same[] = { "worker", "worker/", "./worker", "./worker/" };
    for (int i = 0; i < 4; i++) {
        ken_search_result r =
            ask_with("retry", (ken_search_opts){ .directory = ken_str_c(same[i]), .limit = 50 });
        all_below(&r, "worker/");
        kt_true(place_of(&r, "worker/tests/test_retry_policy.py") >= 0);
    }
    kt_eq_u(ask_with("retry", (ken_search_opts){ .directory = KEN_STR("work") }).n_hits, 0);
    kt_eq_u(ask_with("retry", (ken_search_opts){ .directory = KEN_STR("nowhere") }).n_hits, 0);
    kt_true(ask_with("retry", (ken_search_opts){ .directory = KEN_STR(".") }).n_hits > 0);
    kt_true(ask_with("retry", (ken_search_opts){ .directory = KEN_STR("") }).n_hits > 0);
    sample_end();
}

KEN_TEST(filter_by_glob)
{
    sample_start();
    ken_search_result r =
        ask_with("parcel", (ken_search_opts){ .glob = KEN_STR("web/**"), .limit = 50 });
    all_below(&r, "web/");
    r = ask_with("parcel", (ken_search_opts){ .glob = KEN_STR("*.{sql,sh}"), .limit = 50 });
    kt_true(r.n_hits > 0);
    for (size_t i = 0; i < r.n_hits; i++)
        kt_true(ken_str_ends(r.hits[i].path, KEN_STR(".sql")) ||
                ken_str_ends(r.hits[i].path, KEN_STR(".sh")));
    sample_end();
}

KEN_TEST(filter_by_language)
{
    sample_start();
    static const char *const names[] = { "python", "Python", "py" };
    for (int i = 0; i < 3; i++) {
        ken_search_result r =
            ask_with("message", (ken_search_opts){ .language = ken_str_c(names[i]), .limit = 50 });
        kt_true(r.n_hits > 0);
        for (size_t h = 0; h < r.n_hits; h++)
            kt_eq_text(r.hits[h].language, "python");
    }
    sample_end();
}

KEN_TEST(filter_by_kind_and_chunk_type)
{
    sample_start();
    ken_search_result r =
        ask_with("retry message", (ken_search_opts){ .kind = KEN_SYMBOL_CLASS, .limit = 50 });
    kt_true(r.n_hits > 0);
    for (size_t i = 0; i < r.n_hits; i++)
        kt_eq_u(r.hits[i].kind, KEN_SYMBOL_CLASS);
    r = ask_with("parcel",
                 (ken_search_opts){ .chunk_types = 1U << KEN_CHUNK_FUNCTION, .limit = 50 });
    kt_true(r.n_hits > 0);
    for (size_t i = 0; i < r.n_hits; i++)
        kt_eq_u(r.hits[i].chunk_type, KEN_CHUNK_FUNCTION);
    sample_end();
}

KEN_TEST(filter_by_threshold)
{
    sample_start();
    ken_search_result all = ask_with("retry policy", (ken_search_opts){ .limit = 50 });
    kt_true(all.n_hits > 2);
    double middle = all.hits[1].similarity;
    ken_search_result some =
        ask_with("retry policy", (ken_search_opts){ .limit = 50, .threshold = middle });
    kt_true(some.n_hits >= 2 && some.n_hits < all.n_hits);
    for (size_t i = 0; i < some.n_hits; i++)
        kt_true(some.hits[i].similarity >= middle);
    kt_eq_u(ask_with("retry policy", (ken_search_opts){ .threshold = 1 }).n_hits, 0);
    sample_end();
}

KEN_TEST(filters_go_together)
{
    sample_start();
    ken_search_result r = ask_with("retry", (ken_search_opts){ .file_type = KEN_STR("py"),
                                                               .directory = KEN_STR("worker"),
                                                               .glob = KEN_STR("*_policy.py"),
                                                               .language = KEN_STR("python"),
                                                               .limit = 50 });
    kt_eq_u(r.n_hits, 2);
    sample_end();
}

// ---- paging ------------------------------------------------------------------------------------

static void pages_make_the_whole(const char *query, ken_search_opts o)
{
    o.limit = 50;
    ken_search_result all = ask_with(query, o);
    kt_true(all.n_hits > 3);
    kt_false(all.is_truncated);
    for (uint32_t size = 1; size <= 4; size++) {
        size_t n = 0;
        o.limit = size;
        for (o.offset = 0; o.offset < 60; o.offset += size) {
            ken_search_result page = ask_with(query, o);
            for (size_t i = 0; i < page.n_hits; i++, n++) {
                kt_true(n < all.n_hits);
                kt_eq_text(page.hits[i].path, all.hits[n].path.ptr);
                kt_eq_u(page.hits[i].first_line, all.hits[n].first_line);
            }
            kt_true(page.is_truncated == (n < all.n_hits));
            if (!page.n_hits)
                break;
        }
        kt_eq_u(n, all.n_hits);
    }
}

KEN_TEST(pages_never_repeat_and_never_lose)
{
    sample_start();
    pages_make_the_whole("parcel", (ken_search_opts){ 0 });
    pages_make_the_whole("request", (ken_search_opts){ .directory = KEN_STR("server") });
    pages_make_the_whole("parcel", (ken_search_opts){ .chunk_types = 1U << KEN_CHUNK_FUNCTION |
                                                                     1U << KEN_CHUNK_CLASS });
    pages_make_the_whole("parcel", (ken_search_opts){ .wants_chunks = true });
    pages_make_the_whole("parcel -retry", (ken_search_opts){ .wants_chunks = true });
    sample_end();
}

// A file with far more good places than one result holds, among files with one.
KEN_TEST(s2_26_each_chunk_that_fits_is_a_result)
{
    enum {
        N = 12
    };
    ken_buf text = KEN_BUF_INIT(0);
    lab_start(&l);
    for (int i = 0; i < N; i++) {
        ken_buf_printf(&text, "def ship_parcel_%d(parcel):\n", i);
        for (int k = 0; k < 30; k++)
            ken_buf_printf(&text, "    parcel.weigh(%d, 'a long line of its own')\n", 100 * i + k);
        ken_buf_puts(&text, "\n\n");
    }
    lab_write(&l, "ship.py", text.ptr);
    lab_write(&l, "one.py", "def parcel_of(order):\n    return order.parcel\n");
    lab_write(&l, "none.py", "def unrelated(x):\n    return x + 1\n");
    sample_index();
    ken_search_opts o = { .wants_chunks = true, .mode = KEN_SEARCH_LEXICAL, .limit = 50 };
    ken_search_result r = ask_with("parcel", o);
    size_t n_ship = 0;
    for (size_t i = 0; i < r.n_hits; i++) {
        n_ship += ken_str_eq_c(r.hits[i].path, "ship.py");
        kt_true(!i || r.hits[i].score <= r.hits[i - 1].score);
        for (size_t k = 0; k < i; k++)
            kt_false(ken_uuid_eq(r.hits[i].chunk_id, r.hits[k].chunk_id));
    }
    kt_true(n_ship >= N);
    kt_true(place_of(&r, "one.py") >= 0);
    kt_eq_i(place_of(&r, "none.py"), -1);
    kt_eq_u(r.n_total, r.n_hits);
    kt_false(r.is_at_least);
    o.limit = 3;
    r = ask_with("parcel", o);
    kt_true(r.is_truncated && r.is_at_least && r.n_total > r.n_hits);
    ken_buf_release(&text);
    sample_end();
}

// What `n_total` says must not depend on how much is shown.
static void counts_all(const char *query, ken_search_opts o)
{
    o.limit = 50;
    ken_search_result all = ask_with(query, o);
    kt_true(all.n_hits > 1 && !all.is_truncated);
    kt_eq_u(all.n_total, all.n_hits);
    o.limit = 1;
    ken_search_result one = ask_with(query, o);
    kt_true(one.n_total > 1);
    kt_true(one.is_at_least ? one.n_total <= all.n_hits : one.n_total == all.n_hits);
}

KEN_TEST(t5_totals_obey_filters_and_threshold)
{
    sample_start();
    ken_search_result r = ask_with("parcel", (ken_search_opts){ .limit = 50 });
    double threshold = (r.hits[0].similarity + r.hits[r.n_hits - 1].similarity) / 2;
    kt_true(threshold > r.hits[r.n_hits - 1].similarity);
    counts_all("parcel", (ken_search_opts){ 0 });
    counts_all("parcel", (ken_search_opts){ .threshold = r.hits[1].similarity });
    kt_true(ask_with("parcel", (ken_search_opts){ .threshold = threshold }).n_total < r.n_total);
    counts_all("parcel", (ken_search_opts){ .chunk_types = 1U << KEN_CHUNK_FUNCTION });
    counts_all("parcel", (ken_search_opts){ .kind = KEN_SYMBOL_METHOD });
    counts_all("parcel", (ken_search_opts){ .mode = KEN_SEARCH_TEXT });
    counts_all("parcel", (ken_search_opts){ .mode = KEN_SEARCH_SYMBOL });
    sample_end();
}

KEN_TEST(pages_of_text)
{
    sample_start();
    pages_make_the_whole("parcel", (ken_search_opts){ .mode = KEN_SEARCH_TEXT });
    pages_make_the_whole("[a-z]+\\(", (ken_search_opts){ .mode = KEN_SEARCH_REGEX });
    sample_end();
}

// ---- bad requests ------------------------------------------------------------------------------

static void refuses(const char *query, ken_search_opts o, const char *field)
{
    ken_search_result r;
    kt_status(try_ask(query, &o, &r), KEN_EINVAL);
    kt_has_str(l.err.msg, field);
}

KEN_TEST(bad_requests_name_the_field)
{
    sample_start();
    refuses("retry", (ken_search_opts){ .limit = 1001 }, "limit");
    refuses("retry", (ken_search_opts){ .offset = 10001 }, "offset");
    refuses("retry", (ken_search_opts){ .context_lines = 101 }, "context_lines");
    refuses("retry", (ken_search_opts){ .threshold = 1.5 }, "similarity_threshold");
    refuses("retry", (ken_search_opts){ .threshold = -0.1 }, "similarity_threshold");
    refuses("retry", (ken_search_opts){ .directory = KEN_STR("../..") }, "directory: '../..'");
    refuses("retry", (ken_search_opts){ .directory = KEN_STR("src/../..") }, "directory");
    refuses("retry", (ken_search_opts){ .threshold = (double)NAN }, "similarity_threshold");
    refuses("retry", (ken_search_opts){ .file_type = KEN_STR(".py") }, "file_type");
    refuses("retry", (ken_search_opts){ .file_type = KEN_STR("averyveryverylongtype") },
            "file_type");
    refuses("retry", (ken_search_opts){ .language = KEN_STR("klingon") }, "klingon");
    refuses("retry", (ken_search_opts){ .glob = KEN_STR("src/[a-") }, "file_filter");
    refuses("retry", (ken_search_opts){ .mode = (ken_search_mode)77 }, "search_type");
    refuses("", (ken_search_opts){ 0 }, "query");
    refuses(" \t\n", (ken_search_opts){ 0 }, "query");
    refuses("", (ken_search_opts){ .mode = KEN_SEARCH_TEXT }, "query");
    char *longest = ken_alloc(10002);
    memset(longest, 'q', 10001);
    longest[10001] = '\0';
    refuses(longest, (ken_search_opts){ 0 }, "query");
    longest[10000] = '\0';
    (void)ask(longest);
    ken_free(longest);
    sample_end();
}

KEN_TEST(limits_are_reachable)
{
    sample_start();
    (void)ask_with(
        "parcel",
        (ken_search_opts){ .limit = 50, .offset = 10000, .context_lines = 100, .threshold = 1 });
    kt_eq_u(ask_with("parcel", (ken_search_opts){ .limit = 1 }).n_hits, 1);
    kt_eq_u(ask_with("parcel", (ken_search_opts){ 0 }).n_hits, 10); // the default
    sample_end();
}

KEN_TEST(a_question_can_be_cancelled)
{
    sample_start();
    ken_cancel cancel = { 0 };
    ken_cancel_set(&cancel);
    for (int mode = KEN_SEARCH_AUTO; mode <= KEN_SEARCH_REGEX; mode++) {
        ken_search_opts o = { .mode = (ken_search_mode)mode };
        ken_search_result r;
        kt_status(ken_search(snap, KEN_STR("parcel"), &o, &cancel, &l.arena, &r, &l.err),
                  KEN_ECANCELLED);
    }
    sample_end();
}

KEN_TEST(nothing_indexed_yet_is_said)
{
    lab_start(&l);
    kt_status(lab_try_open(&l, &snap), KEN_ENOTFOUND);
    kt_has_str(l.err.msg, "indexed");
    lab_end(&l);
}

// ---- words as people write them ----------------------------------------------------------------

KEN_TEST(plurals_of_capitals_are_found)
{
    lab_start(&l);
    lab_write(&l, "a.py", "def collect():\n    return [URLs, IDs]\n");
    lab_write(&l, "b.py", "def other():\n    return 1\n");
    sample_index();
    static const char *const asked[] = { "url", "urls", "URLs", "id", "ids" };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        ken_search_result r = ask(asked[i]);
        kt_eq_i(place_of(&r, "a.py"), 0);
    }
    sample_end();
}

KEN_TEST(capitals_of_other_scripts_are_found)
{
    lab_start(&l);
    lab_write(&l, "a.py",
              "# \u00c4nderung der GR\u00d6SSE, \u041f\u0420\u0418\u0412\u0415\u0422\nx = 1\n");
    lab_write(&l, "b.py", "def other():\n    return 1\n");
    sample_index();
    static const char *const asked[] = { "\u00e4nderung", "\u00c4NDERUNG", "gr\u00f6sse",
                                         "\u043f\u0440\u0438\u0432\u0435\u0442" };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        ken_search_result r = ask(asked[i]);
        kt_eq_i(place_of(&r, "a.py"), 0);
    }
    sample_end();
}

// A module of Ruby is what a class is elsewhere.
KEN_TEST(ruby_modules_are_found_like_types)
{
    lab_start(&l);
    lab_write(&l, "lib/a.rb", "module Retrying\n  def again\n  end\nend\n");
    lab_write(&l, "lib/b.rb", "class Caller\n  def Retrying\n  end\nend\n");
    sample_index();
    ken_search_result r = ask("Retrying");
    kt_eq_i(place_of(&r, "lib/a.rb"), 0);
    r = ask_symbol("Retrying");
    kt_eq_i(place_of(&r, "lib/a.rb"), 0);
    kt_eq_i(r.hits[0].kind, KEN_SYMBOL_MODULE);
    sample_end();
}

KEN_TEST(pages_of_filtered_chunks)
{
    sample_start();
    pages_make_the_whole("parcel", (ken_search_opts){ .chunk_types = 1U << KEN_CHUNK_FUNCTION });
    sample_end();
}

KEN_TEST(what_was_done_is_named)
{
    sample_start();
    kt_eq_str(ask_with("retry", (ken_search_opts){ .mode = KEN_SEARCH_AUTO }).strategy, "hybrid");
    kt_eq_str(ask_with("retry", (ken_search_opts){ .mode = KEN_SEARCH_LEXICAL }).strategy,
              "lexical");
    sample_end();
}
