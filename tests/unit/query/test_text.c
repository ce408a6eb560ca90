// SPDX-License-Identifier: MIT
// Literal and regular-expression search.
#include "unit/query/sample_lab.h"

static void start(void)
{
    lab_start(&l);
    snap = NULL;
}

// "path:3,7": the lines that matched in the first file, from 1.
static void lines_are(const ken_search_result *r, const char *want)
{
    char text[500] = "";
    size_t n = 0;
    if (r->n_hits) {
        n += (size_t)snprintf(text, sizeof text, KEN_STR_FMT, KEN_STR_ARG(r->hits[0].path));
        for (size_t i = 0; i < r->hits[0].n_places; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, "%c%u", i ? ',' : ':',
                                  r->hits[0].places[i].first_line + 1);
    }
    kt_eq_str(text, want);
}

KEN_TEST(a_text_is_found_letter_by_letter)
{
    sample_start();
    ken_search_result r = ask_text("slow down\", http");
    kt_eq_u(r.n_hits, 1);
    kt_eq_text(r.hits[0].path, "server/rate_limiter.go");
    kt_eq_u(r.hits[0].n_places, 1);
    kt_eq_text(ken_str_trim(r.hits[0].places[0].text),
               "http.Error(w, \"slow down\", http.StatusTooManyRequests)");
    kt_eq_str(r.strategy, "text");
    check_result(&r);
    kt_eq_u(ask_text("slow  down").n_hits, 0);
    kt_eq_u(ask_text("*.(+[").n_hits, 0); // no pattern
    kt_true(ask_text("sessions[id]").n_hits >= 1);
    sample_end();
}

KEN_TEST(case_counts_only_when_asked_for)
{
    sample_start();
    kt_true(ask_text("RETRYPOLICY").n_hits >= 3);
    ken_search_opts o = { .mode = KEN_SEARCH_TEXT, .is_case_sensitive = true };
    kt_eq_u(ask_with("RETRYPOLICY", o).n_hits, 0);
    kt_true(ask_with("RetryPolicy", o).n_hits >= 3);
    o.mode = KEN_SEARCH_REGEX;
    kt_eq_u(ask_with("RETRY[A-Z]+", o).n_hits, 0);
    kt_true(ask_regex("RETRY[A-Z]+").n_hits >= 3);
    sample_end();
}

KEN_TEST(each_line_that_matches_is_a_place)
{
    start();
    lab_write(&l, "a.txt", "needle one needle\nhay\nthe needle\n\nneedle");
    sample_index();
    ken_search_result r = ask_text("needle");
    lines_are(&r, "a.txt:1,3,5");
    kt_eq_text(r.hits[0].places[1].text, "the needle");
    r = ask_regex("^needle");
    lines_are(&r, "a.txt:1,5");
    r = ask_regex("needle$");
    lines_are(&r, "a.txt:1,3,5");
    r = ask_regex("^$");
    lines_are(&r, "a.txt:4");
    sample_end();
}

// "4-10 15-21": what is marked in a place.
static void marks_are(const ken_search_result *r, size_t place, const char *want)
{
    char text[200] = "";
    size_t n = 0;
    kt_true(r->n_hits && place < r->hits[0].n_places);
    const ken_place *p = &r->hits[0].places[place];
    for (size_t i = 0; i < p->n_marks; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%u-%u", i ? " " : "", p->marks[2 * i],
                              p->marks[2 * i + 1]);
    kt_eq_str(text, want);
}

KEN_TEST(what_matched_of_a_line_is_marked)
{
    start();
    ken_buf code = KEN_BUF_INIT(4096);
    ken_buf_puts(&code, "\xc3\xa4\xf0\x9f\x9a\x80 needle \xc3\xb6 needle\n");
    for (int i = 0; i < 100; i++)
        ken_buf_puts(&code, "hay, ");
    ken_buf_puts(&code, "Needle and ");
    for (int i = 0; i < 100; i++)
        ken_buf_puts(&code, "hay, ");
    ken_buf_puts(&code, "\nnee\ndle needles\n");
    lab_write(&l, "a.txt", ken_buf_str(&code).ptr);
    ken_buf_release(&code);
    sample_index();
    ken_search_result r = ask_text("needle");
    lines_are(&r, "a.txt:1,2,4");
    marks_are(&r, 0, "3-9 12-18"); // characters, whatever their bytes
    marks_are(&r, 1, "100-106");   // of the part of a long line that is shown
    kt_eq_text(ken_str_sub(r.hits[0].places[1].text, 100, 106), "Needle");
    r = ask_regex("(?<=n)e*d|nee\\ndle");
    lines_are(&r, "a.txt:1,2,3,4");
    marks_are(&r, 0, "4-7 13-16");
    marks_are(&r, 2, "0-3"); // what goes on in the next line is marked to the end of this one
    marks_are(&r, 3, "5-8");
    r = ask_regex("x*$");
    marks_are(&r, 0, ""); // nothing is there to be marked
    r = ask_regex("[a-z]");
    marks_are(&r, 0, "3-9 12-18"); // what touches is one
    r = ask_regex("[ay]");
    lines_are(&r, "a.txt:2");
    kt_eq_u(r.hits[0].places[0].n_marks, 60); // each word of the part that is shown
    sample_end();
}

static void write_needles(void)
{
    lab_write(&l, "a.py",
              "import os\n\n\ndef first(x):\n    # needle one\n    return needle(x)\n\n\n"
              "class Box:\n    limit = 3\n\n    def second(self, y):\n        y = y + 1\n"
              "        return needle(y)\n\n\nprint(needle)\n");
}

KEN_TEST(c2_each_line_is_told_with_its_own_definition)
{
    start();
    write_needles();
    sample_index();
    ken_search_result r = ask_text("needle");
    lines_are(&r, "a.py:5,6,14,17");
    kt_eq_text(r.hits[0].places[0].symbol, "first");
    kt_eq_text(r.hits[0].places[2].symbol, "Box.second");
    kt_eq_u(r.hits[0].places[3].symbol.len, 0); // the top of the file
    r = ask_regex("^def");                      // the first byte of a definition is in it
    kt_eq_text(r.hits[0].places[0].symbol, "first");
    sample_end();
}

// The first line that matches may be in no such definition, and the others are.
KEN_TEST(c2_lines_of_a_kind_are_those_in_definitions_of_that_kind)
{
    start();
    write_needles();
    sample_index();
    ken_search_opts o = { .mode = KEN_SEARCH_TEXT, .kind = KEN_SYMBOL_METHOD };
    ken_search_result r = ask_with("needle", o);
    lines_are(&r, "a.py:14");
    o.kind = KEN_SYMBOL_CLASS;
    r = ask_with("needle", o);
    lines_are(&r, "a.py:14");
    o.kind = KEN_SYMBOL_INTERFACE;
    kt_eq_u(ask_with("needle", o).n_hits, 0);
    sample_end();
}

KEN_TEST(code_comes_before_tests_docs_and_data)
{
    sample_start();
    ken_search_result r =
        ask_with("retry", (ken_search_opts){ .mode = KEN_SEARCH_TEXT, .limit = 50 });
    int last_code = -1, first_noise = 1000;
    for (int i = 0; i < (int)r.n_hits; i++) {
        ken_str p = r.hits[i].path;
        bool is_noise = ken_str_find(p, KEN_STR("test")) != SIZE_MAX ||
                        ken_str_ends(p, KEN_STR(".md")) || ken_str_ends(p, KEN_STR(".yaml"));
        if (is_noise && i < first_noise)
            first_noise = i;
        if (!is_noise)
            last_code = i;
    }
    kt_true(last_code >= 0 && last_code < first_noise && first_noise < 1000);
    sample_end();
}

KEN_TEST(regular_expressions_match)
{
    sample_start();
    ken_search_result r = ask_regex("func \\(s \\*SessionStore\\) \\w+\\(");
    kt_eq_u(r.n_hits, 1);
    kt_eq_u(r.hits[0].n_places, 3);
    kt_eq_str(r.strategy, "regex");
    kt_true(ask_regex("(?i)ringbuffer|ring_buffer").n_hits >= 2);
    kt_eq_u(ask_regex("\\bdef\\s+delay_for\\b").n_hits, 1);
    kt_true(ask_regex("import heapq\\nimport itertools").n_hits == 1); // across lines
    sample_end();
}

// Matches of nothing must end, and must not flood.
KEN_TEST(empty_matches_end)
{
    sample_start();
    static const char *const patterns[] = {
        "x*", "^", "$", "\\b", "(?=a)", "|", "\\A", "\\z", "a??"
    };
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        ken_search_result r = ask_regex(patterns[i]);
        for (size_t h = 0; h < r.n_hits; h++)
            kt_true(r.hits[h].n_places <= 50);
    }
    sample_end();
}

KEN_TEST(a_wrong_expression_says_where)
{
    sample_start();
    static const char *const wrong[] = { "(",    "a{2,1}", "[z-a]",           "*",
                                         "(?<n", "\\",     "(?P<x>a)(?P<x>b)" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ken_search_opts o = { .mode = KEN_SEARCH_REGEX };
        ken_search_result r;
        kt_status(try_ask(wrong[i], &o, &r), KEN_EINVAL);
        kt_has_str(l.err.msg, "query");
        kt_has_str(l.err.msg, "at byte");
    }
    sample_end();
}

// A pattern that would take longer than the universe is an error that says so.
KEN_TEST(an_expression_that_explodes_is_stopped)
{
    start();
    char text[3000];
    memset(text, 'a', 2990);
    memcpy(text + 2990, "b\n", 3);
    lab_write(&l, "a.txt", text);
    lab_write(&l, "b.txt", "needle\n");
    sample_index();
    static const char *const patterns[] = { "(a|aa)+$", "(a*)*c", "(x+x+)+y|(a?){40}a{40}c",
                                            "^(([a-z])+.)+[A-Z]([a-z])+$" };
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        ken_search_opts o = { .mode = KEN_SEARCH_REGEX, .is_case_sensitive = true };
        ken_search_result r;
        ken_status st = try_ask(patterns[i], &o, &r);
        kt_true(!st || st == KEN_ELIMIT);
        if (st)
            kt_has_str(l.err.msg, "too costly");
    }
    ken_search_opts o = { .mode = KEN_SEARCH_REGEX, .is_case_sensitive = true };
    ken_search_result r;
    kt_status(try_ask("(a|aa)+$", &o, &r), KEN_ELIMIT);
    kt_eq_u(ask_regex("needle").n_hits, 1); // and the next question is answered
    sample_end();
}

KEN_TEST(deep_expressions_do_not_overflow)
{
    sample_start();
    char pattern[1000];
    for (int depth = 10; depth < 450; depth += 100) {
        memset(pattern, '(', (size_t)depth);
        pattern[depth] = 'a';
        memset(pattern + depth + 1, ')', (size_t)depth);
        pattern[2 * depth + 1] = '\0';
        ken_search_opts o = { .mode = KEN_SEARCH_REGEX };
        ken_search_result r;
        ken_status st = try_ask(pattern, &o, &r);
        kt_true(!st || st == KEN_EINVAL);
    }
    sample_end();
}

KEN_TEST(filters_hold_for_text)
{
    sample_start();
    ken_search_opts o = { .mode = KEN_SEARCH_TEXT, .directory = KEN_STR("worker"), .limit = 50 };
    ken_search_result r = ask_with("retry", o);
    kt_true(r.n_hits > 0);
    for (size_t i = 0; i < r.n_hits; i++)
        kt_true(ken_str_starts(r.hits[i].path, KEN_STR("worker/")));
    o.glob = KEN_STR("*.md");
    kt_eq_u(ask_with("retry", o).n_hits, 0);
    o = (ken_search_opts){ .mode = KEN_SEARCH_TEXT, .kind = KEN_SYMBOL_CLASS, .limit = 50 };
    r = ask_with("Exception", o);
    for (size_t i = 0; i < r.n_hits; i++)
        kt_eq_u(r.hits[i].kind, KEN_SYMBOL_CLASS);
    sample_end();
}

KEN_TEST(limits_say_that_there_is_more)
{
    start();
    for (int i = 0; i < 15; i++) {
        char path[20];
        snprintf(path, sizeof path, "f%02d.txt", i);
        lab_write(&l, path, "needle\n");
    }
    sample_index();
    ken_search_opts o = { .mode = KEN_SEARCH_TEXT, .limit = 15 };
    kt_false(ask_with("needle", o).is_truncated);
    o.limit = 14;
    kt_true(ask_with("needle", o).is_truncated);
    sample_end();
}

KEN_TEST(hundreds_of_matches_in_a_file_are_cut)
{
    start();
    ken_buf b = KEN_BUF_INIT(0);
    for (int i = 0; i < 500; i++)
        ken_buf_printf(&b, "needle %d\n", i);
    lab_write(&l, "a.txt", b.ptr);
    sample_index();
    ken_search_result r = ask_text("needle");
    kt_eq_u(r.n_hits, 1);
    kt_true(r.hits[0].n_places >= 10 && r.hits[0].n_places <= 50);
    ken_buf_release(&b);
    sample_end();
}

// Long lines are cut, whole characters stay whole.
KEN_TEST(long_lines_are_shown_in_part)
{
    start();
    ken_buf b = KEN_BUF_INIT(0);
    for (int i = 0; i < 500; i++)
        ken_buf_puts(&b, "\xc3\xa4 ");
    ken_buf_puts(&b, "needle in the middle of a very long line ");
    for (int i = 0; i < 500; i++)
        ken_buf_puts(&b, "\xc3\xa4 ");
    ken_buf_puts(&b, "\n");
    lab_write(&l, "a.txt", b.ptr);
    sample_index();
    ken_search_result r = ask_text("needle");
    kt_eq_u(r.n_hits, 1);
    ken_str line = r.hits[0].places[0].text;
    kt_true(line.len < 600);
    kt_true(ken_str_find(line, KEN_STR("\xef\xbf\xbd")) == SIZE_MAX);
    ken_buf_release(&b);
    sample_end();
}

// ---- other scripts -----------------------------------------------------------------------------

KEN_TEST(other_scripts_are_found)
{
    start();
    lab_write(&l, "a.txt", "das caf\xc3\xa9 am markt\n\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\n");
    sample_index();
    kt_eq_u(ask_text("caf\xc3\xa9").n_hits, 1);
    kt_eq_u(ask_text("\xe6\x97\xa5\xe6\x9c\xac").n_hits, 1);
    kt_eq_u(ask_regex("caf\xc3\xa9\\s+am").n_hits, 1);
    sample_end();
}

// ---- secrets -----------------------------------------------------------------------------------

KEN_TEST(secrets_are_neither_found_nor_shown)
{
    start();
    char token[64], text[200];
    snprintf(token, sizeof token, "ghp_%s", "0123456789abcdefghijABCDEFGHIJ012345");
    snprintf(text, sizeof text, "def publish():\n    key = '%s'\n    return send(key)\n", token);
    lab_write(&l, "release.py", text);
    sample_index();
    kt_eq_u(ask_text(token).n_hits, 0);
    kt_eq_u(ask_regex("ghp_[A-Za-z0-9]{36}").n_hits, 0);
    ken_search_result r = ask("publish key");
    kt_eq_u(r.n_hits, 1);
    kt_true(ken_str_find(r.hits[0].content, ken_str_c(token)) == SIZE_MAX);
    kt_true(ken_str_find(r.hits[0].content, KEN_STR("***")) != SIZE_MAX);
    r = ask_text("key =");
    kt_true(ken_str_find(r.hits[0].places[0].text, KEN_STR("012345")) == SIZE_MAX);
    ken_definition_result d;
    kt_ok(ken_find_definition(snap,
                              &(ken_definition_opts){ .name = KEN_STR("publish"), .limit = 5 },
                              &l.arena, &d, &l.err));
    kt_true(ken_str_find(d.defs[0].content, ken_str_c(token)) == SIZE_MAX);
    ken_file_view view;
    kt_ok(ken_view_file(snap, KEN_STR("release.py"), &l.arena, &view, &l.err));
    kt_true(ken_str_find(view.text, ken_str_c(token)) == SIZE_MAX);
    // Also when the file has changed since.
    lab_write(&l, "release.py", ken_arena_printf(&l.arena, "# new\n%s", text).ptr);
    kt_eq_u(ask_text(token).n_hits, 0);
    r = ask("publish key");
    kt_true(r.hits[0].is_refreshed);
    kt_true(ken_str_find(r.hits[0].content, ken_str_c(token)) == SIZE_MAX);
    sample_end();
}

// What matched is in what is shown.
KEN_TEST(long_lines_show_what_matched)
{
    lab_start(&l);
    ken_buf b = KEN_BUF_INIT(0);
    for (int i = 0; i < 500; i++)
        ken_buf_puts(&b, "hay ");
    ken_buf_puts(&b, "needle ");
    for (int i = 0; i < 500; i++)
        ken_buf_puts(&b, "hay ");
    ken_buf_puts(&b, "\n");
    lab_write(&l, "a.txt", b.ptr);
    sample_index();
    ken_search_result r = ask_text("needle");
    kt_true(ken_str_find(r.hits[0].places[0].text, KEN_STR("needle")) != SIZE_MAX);
    ken_buf_release(&b);
    sample_end();
}

// A long line is cut between characters, at both ends of what is shown.
KEN_TEST(long_lines_are_cut_between_characters)
{
    for (int shift = 0; shift < 3; shift++) {
        lab_start(&l);
        ken_buf b = KEN_BUF_INIT(0);
        ken_buf_printf(&b, "%.*s", shift, "aa");
        for (int i = 0; i < 300; i++)
            ken_buf_puts(&b, "\u65e5");
        ken_buf_puts(&b, "needle");
        for (int i = 0; i < 300; i++)
            ken_buf_puts(&b, "\u672c");
        ken_buf_puts(&b, "\nneedle\n");
        lab_write(&l, "a.txt", b.ptr);
        sample_index();
        ken_search_result r = ask_text("needle");
        ken_str shown = r.hits[0].places[0].text;
        kt_true(ken_str_find(shown, KEN_STR("\u65e5needle\u672c")) != SIZE_MAX);
        kt_true(shown.len > 250 && shown.len <= 300);
        kt_true(ken_str_find(shown, KEN_STR("\ufffd")) == SIZE_MAX);
        kt_eq_text(r.hits[0].places[1].text, "needle");
        ken_buf_release(&b);
        sample_end();
    }
}

KEN_TEST(pages_of_filtered_lines_end_where_they_end)
{
    lab_start(&l);
    lab_write(&l, "a.py", "def one():\n    return needle\n");
    lab_write(&l, "b.md", "# Heading\n\nneedle\n");
    sample_index();
    ken_search_opts o = { .mode = KEN_SEARCH_TEXT,
                          .limit = 1,
                          .chunk_types = 1U << KEN_CHUNK_FUNCTION };
    ken_search_result r = ask_with("needle", o);
    kt_eq_u(r.n_hits, 1);
    kt_eq_u(r.n_total, 1);
    kt_false(r.is_truncated);
    o.chunk_types = 0;
    kt_true(ask_with("needle", o).is_truncated);
    sample_end();
}
