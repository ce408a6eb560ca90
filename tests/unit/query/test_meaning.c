// SPDX-License-Identifier: MIT
// Questions by meaning: words that the file does not have, code like other code, and the filters
// that come before.
#include "unit/query/sample_lab.h"

static ken_search_result ask_semantic(const char *query)
{
    return ask_with(query, (ken_search_opts){ .mode = KEN_SEARCH_SEMANTIC });
}

static ken_search_result ask_similar(const char *place)
{
    return ask_with(place, (ken_search_opts){ .mode = KEN_SEARCH_SIMILAR, .limit = 20 });
}

KEN_TEST(a_question_in_other_words_finds_the_file)
{
    lab_start(&l);
    lab_write(&l, "a.py",
              "def f(request):\n    while attempts < limit:\n        sleep(backoff)\n"
              "        retry(request)\n");
    lab_write(&l, "b.py", "def g(image):\n    return image.rotate(angle).crop(width, height)\n");
    lab_write(&l, "c.py", "def h(rows):\n    return sorted(rows, key=column)\n");
    sample_index();
    ken_search_result r = ask("failing, again and again: exponential delays");
    kt_eq_i(place_of(&r, "a.py"), 0);
    r = ask_semantic("resize a photo or bitmap");
    kt_eq_i(place_of(&r, "b.py"), 0);
    sample_end();
}

KEN_TEST(meaning_alone_says_so_and_scores_by_cosine)
{
    sample_start();
    ken_search_result r = ask_semantic("wait longer before each attempt");
    kt_eq_str(r.strategy, "semantic");
    kt_true(r.n_hits > 0);
    for (size_t i = 0; i < r.n_hits; i++) {
        kt_true(r.hits[i].similarity > 0 && r.hits[i].similarity <= 1);
        kt_true(!i || r.hits[i - 1].similarity >= r.hits[i].similarity);
    }
    r = ask_with("wait longer before each attempt",
                 (ken_search_opts){ .mode = KEN_SEARCH_SEMANTIC, .threshold = 0.99 });
    kt_eq_u(r.n_hits, 0);
    sample_end();
}

KEN_TEST(nothing_known_means_nothing)
{
    sample_start();
    ken_search_result r = ask_semantic("qzxv wqkjx");
    kt_eq_u(r.n_hits, 0);
    sample_end();
}

KEN_TEST(similar_code_is_found_and_not_the_code_itself)
{
    lab_start(&l);
    lab_write(&l, "one.c",
              "int crc(const char *p, int n)\n{\n    int checksum = 0;\n"
              "    while (n--)\n        checksum = update(checksum, *p++);\n"
              "    return checksum;\n}\n");
    lab_write(&l, "two.c",
              "long digest(const char *p, long n)\n{\n    long checksum = 1;\n"
              "    for (; n; n--)\n        checksum = update(checksum, *p++);\n"
              "    return checksum;\n}\n");
    lab_write(&l, "other.c", "void draw(window *w)\n{\n    paint(w->title, w->color);\n}\n");
    sample_index();
    ken_search_result r = ask_similar("one.c:3");
    kt_eq_str(r.strategy, "similar");
    kt_eq_i(place_of(&r, "two.c"), 0);
    kt_eq_i(place_of(&r, "one.c"), -1);
    lab_write(&l, "one.c", "void show(window *w)\n{\n    paint(w->border, w->color);\n}\n");
    r = ask_similar("one.c:1-3"); // as it is now, whatever the index says
    kt_eq_i(place_of(&r, "other.c"), 0);
    sample_end();
}

// Twins that share a chunk with the question, and are further off than their neighbours in it.
KEN_TEST(the_same_function_of_a_sibling_is_most_alike)
{
    lab_start(&l);
    lab_write(&l, "auth.py",
              "class Basic:\n"
              "    def __init__(self, name, password):\n"
              "        self.name = name\n"
              "        self.password = password\n"
              "\n"
              "    def sign(self, request):\n"
              "        request.headers['Authorization'] = encode(self.name, self.password)\n"
              "        return request\n"
              "\n"
              "\n"
              "class Proxy(Basic):\n"
              "    def reset(self):\n"
              "        self.name = self.password = None\n"
              "\n"
              "    def sign(self, request):\n"
              "        request.headers['Proxy-Authorization'] = encode(self.name, self.password)\n"
              "        return request\n");
    lab_write(&l, "headers.py",
              "class Headers:\n"
              "    def password(self, request):\n"
              "        self.authorization = request.name\n");
    sample_index();
    ken_search_result r = ask_similar("auth.py:7");
    kt_true(r.n_hits == 2);
    kt_true(ken_str_eq_c(r.hits[0].symbol, "Proxy.sign"));
    kt_eq_u(r.hits[0].first_line, 14);
    for (size_t i = 0; i < r.hits[0].n_places; i++) // neither itself nor what it is in
        kt_true(r.hits[0].places[i].first_line > 8 || r.hits[0].places[i].first_line == 1);
    r = ask_similar("auth.py:12");
    kt_true(r.n_hits == 2 && !ken_str_eq_c(r.hits[0].symbol, "Proxy.reset"));
    r = ask_similar("auth.py:11"); // a class
    kt_true(ken_str_eq_c(r.hits[0].symbol, "Basic"));
    sample_end();
}

KEN_TEST(places_that_are_none_are_said)
{
    sample_start();
    static const struct {
        const char *place, *says;
    } bad[] = { { "worker/mailer.py:0", "path:line" },
                { "worker/mailer.py:x", "path:line" },
                { "worker/mailer.py:99999", "behind the end" },
                { "worker/none.py:1", "not in the index" },
                { "../outside.c:1", "not in the index" } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ken_search_opts o = { .mode = KEN_SEARCH_SIMILAR };
        ken_search_result r;
        kt_true(try_ask(bad[i].place, &o, &r) != KEN_OK);
        kt_has_str(l.err.msg, bad[i].says);
    }
    sample_end();
}

KEN_TEST(files_are_filtered_by_time_and_size)
{
    sample_start();
    int64_t far = INT64_MAX / 2000000; // later than any file
    ken_search_result all = ask_with("retry", (ken_search_opts){ .limit = 50 });
    kt_true(all.n_hits > 1);
    ken_search_result r = ask_with("retry", (ken_search_opts){ .since_ms = far });
    kt_eq_u(r.n_hits, 0);
    r = ask_with("retry", (ken_search_opts){ .since_ms = 1, .limit = 50 });
    kt_eq_u(r.n_hits, all.n_hits);
    r = ask_with("retry", (ken_search_opts){ .min_bytes = 1 << 20 });
    kt_eq_u(r.n_hits, 0);
    r = ask_with("retry", (ken_search_opts){ .max_bytes = 1 << 20, .limit = 50 });
    kt_eq_u(r.n_hits, all.n_hits);
    sample_end();
}

KEN_TEST(a_signal_can_be_left_out)
{
    sample_start();
    ken_search_result r = ask_with("retry", (ken_search_opts){ .wants_explain = true });
    bool has_size = false;
    for (size_t i = 0; i < r.hits[0].n_terms; i++)
        has_size |= !strcmp(r.hits[0].terms[i].name, "size");
    kt_true(has_size);
    r = ask_with("retry",
                 (ken_search_opts){ .wants_explain = true, .without = 1U << KEN_RANK_SIZE });
    for (size_t i = 0; i < r.hits[0].n_terms; i++)
        kt_true(strcmp(r.hits[0].terms[i].name, "size") != 0);
    sample_end();
}
