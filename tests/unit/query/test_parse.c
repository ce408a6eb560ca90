// SPDX-License-Identifier: MIT
// Filters in a question: what is one, what only looks like one, and what they do to an answer.
#include "query/query_intent.h"
#include "unit/query/sample_lab.h"

// "words|mode|paths|-paths|lang|kind|phrases|excluded" of a parsed question.
static const char *parsed(const char *typed)
{
    static char text[1000];
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_search_opts o;
    ken_str words;
    ken_err err = { 0 };
    if (ken_query_parse(ken_str_c(typed), &(ken_search_opts){ 0 }, &arena, &words, &o, &err)) {
        snprintf(text, sizeof text, "%s", err.msg);
        ken_arena_release(&arena);
        return text;
    }
    size_t n = (size_t)snprintf(text, sizeof text, KEN_STR_FMT "|%s|", KEN_STR_ARG(words),
                                o.mode == KEN_SEARCH_SYMBOL ? "symbol" : "");
    const ken_filter *lists[] = { &o.paths, &o.other_paths, &o.phrases, &o.excluded };
    for (int i = 0; i < 4; i++) {
        for (size_t k = 0; k < lists[i]->n; k++)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s" KEN_STR_FMT, k ? "," : "",
                                  KEN_STR_ARG(lists[i]->texts[k]));
        n += (size_t)snprintf(text + n, sizeof text - n, "|");
    }
    snprintf(text + n, sizeof text - n, KEN_STR_FMT "|%s%s", KEN_STR_ARG(o.language),
             o.kind ? ken_symbol_kind_word(o.kind) : "",
             o.chunk_types ? ken_chunk_type_word((ken_chunk_type)__builtin_ctz(o.chunk_types))
                           : "");
    ken_arena_release(&arena);
    return text;
}

KEN_TEST(filters_of_every_kind)
{
    kt_eq_str(parsed("retry"), "retry|||||||");
    kt_eq_str(parsed("retry path:src/net lang:go kind:function"), "retry||src/net||||go|function");
    kt_eq_str(parsed("retry language:c++ kind:section"), "retry||||||c++|section");
    kt_eq_str(parsed("path:a -path:b path:*.c retry"), "retry||a,*.c|b||||");
    kt_eq_str(parsed("path:\"my dir/x\" retry"), "retry||my dir/x|||||");
    kt_eq_str(parsed("\"too many requests\" limit"),
              "too many requests limit||||too many requests|||");
    kt_eq_str(parsed("retry -test -\"dead letter\""), "retry|||||test,dead letter||");
    kt_eq_str(parsed("symbol:Parser.parse"), "Parser.parse|symbol||||||");
    kt_eq_str(parsed("symbol:parse timeout \"in ms\""), "parse|symbol|||in ms,timeout|||");
}

KEN_TEST(what_only_looks_like_a_filter_is_a_word)
{
    static const char *const plain[] = {
        "std::vector",  "path::Path join", "kind::Foo",       "http://x",  "a -> b",
        "x - y",        "rm -rf build",    "--verbose flag",  "-1",        "an \"open quote",
        "say\"hi\"now", "path: where",     "error: not open", "-no-cache", "\"\"",
        "\"a\"b",       "KIND:function",
    };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        char want[100];
        snprintf(want, sizeof want, "%s|||||||", plain[i]);
        kt_eq_str(parsed(plain[i]), want);
    }
}

KEN_TEST(refusals_name_the_filter)
{
    kt_has_str(parsed("kind:functoin retry"), "'kind:functoin' is no kind of symbol or chunk");
    kt_has_str(parsed("path:src"), "nothing to search for beside its filters");
    kt_has_str(parsed("-retry"), "nothing to search for");
    kt_has_str(parsed("symbol:a symbol:b"), "symbol: is given twice");
    kt_has_str(parsed("lang:go lang:c x"), "'lang:c' says another language");
    kt_has_str(parsed("kind:class kind:function x"), "another kind");
    kt_has_str(parsed("x -aaa -bbb -ccc -ddd -eee -fff -ggg -hhh -iii"), "more than 8");
}

KEN_TEST(filters_choose_files)
{
    sample_start();
    ken_search_result r = ask("retry lang:python");
    kt_true(r.n_hits > 0);
    for (size_t i = 0; i < r.n_hits; i++)
        kt_eq_text(r.hits[i].language, "python");
    r = ask("retry path:worker/ -path:tests");
    kt_true(r.n_hits > 0);
    for (size_t i = 0; i < r.n_hits; i++) {
        kt_true(ken_str_starts(r.hits[i].path, KEN_STR("worker/")));
        kt_true(ken_str_find(r.hits[i].path, KEN_STR("tests")) == SIZE_MAX);
    }
    r = ask("parcel path:*.tsx");
    kt_eq_u(r.n_hits, 1);
    kt_eq_text(r.hits[0].path, "web/src/components/ParcelTable.tsx");
    r = ask("retry kind:class");
    for (size_t i = 0; i < r.n_hits; i++)
        kt_eq_i(r.hits[i].kind, KEN_SYMBOL_CLASS);
    kt_true(r.n_hits > 0);
    sample_end();
}

KEN_TEST(what_is_quoted_stands_in_the_file)
{
    sample_start();
    ken_search_result r = ask("\"slow down\" limit");
    kt_eq_i(place_of(&r, "server/rate_limiter.go"), 0);
    for (size_t i = 0; i < r.n_hits; i++)
        kt_true(ken_str_find(disk(r.hits[i].path), KEN_STR("slow down")) != SIZE_MAX);
    kt_true(ken_str_find(r.hits[0].content, KEN_STR("slow down")) != SIZE_MAX); // and is shown
    kt_eq_u(ask("\"slow  down\" limit").n_hits, 0);
    r = ask("\"SLOW DOWN\" limit"); // in any case, unless asked for
    kt_true(r.n_hits > 0);
    r = ask_with("\"SLOW DOWN\" limit", (ken_search_opts){ .is_case_sensitive = true });
    kt_eq_u(r.n_hits, 0);
    sample_end();
}

KEN_TEST(marks_that_are_no_words_are_found_letter_by_letter)
{
    sample_start();
    ken_search_result r = ask("\"):\"");
    kt_true(r.n_hits > 0);
    kt_eq_str(r.strategy, "text");
    for (size_t i = 0; i < r.n_hits; i++)
        kt_true(ken_str_find(disk(r.hits[i].path), KEN_STR("):")) != SIZE_MAX);
    sample_end();
}

KEN_TEST(what_is_excluded_is_in_no_hit)
{
    sample_start();
    ken_search_result all = ask("retry"), r = ask("retry -class");
    kt_true(r.n_hits > 0 && r.n_hits < all.n_hits);
    for (size_t i = 0; i < r.n_hits; i++)
        kt_true(ken_str_find(r.hits[i].content, KEN_STR("class")) == SIZE_MAX);
    kt_true(r.n_total >= r.n_hits && r.n_total <= all.n_total);
    sample_end();
}

KEN_TEST(a_symbol_and_words_of_its_file)
{
    sample_start();
    ken_search_result r = ask("symbol:NewRateLimiter");
    kt_eq_str(r.strategy, "symbol");
    kt_eq_text(r.hits[0].symbol, "NewRateLimiter");
    r = ask("symbol:Close idle");
    kt_eq_text(r.hits[0].path, "server/session_store.go");
    kt_eq_u(ask("symbol:Close barcode").n_hits, 0);
    sample_end();
}

KEN_TEST(verbatim_questions_have_no_filters)
{
    sample_start();
    ken_search_result r = ask_with("retry lang:python", (ken_search_opts){ .is_verbatim = true });
    bool has_other = false;
    for (size_t i = 0; i < r.n_hits; i++)
        has_other = has_other || !ken_str_eq(r.hits[i].language, KEN_STR("python"));
    kt_true(has_other);
    ken_search_result none;
    kt_status(try_ask("retry lang:klingon", &(ken_search_opts){ 0 }, &none), KEN_EINVAL);
    kt_has_str(l.err.msg, "klingon");
    kt_status(try_ask("retry path:[", &(ken_search_opts){ 0 }, &none), KEN_EINVAL);
    sample_end();
}
