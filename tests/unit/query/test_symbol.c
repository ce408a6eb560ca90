// SPDX-License-Identifier: MIT
// Definitions by name: search by symbol, and the definition itself.
#include "query/query_priv.h"
#include "unit/query/sample_lab.h"

static void start(void)
{
    lab_start(&l);
    snap = NULL;
}

// ---- search by symbol --------------------------------------------------------------------------

KEN_TEST(exact_then_any_case_then_prefix_then_fuzzy)
{
    start();
    lab_write(&l, "a.py", "def prase():\n    pass\n");
    lab_write(&l, "b.py", "def parser():\n    pass\n");
    lab_write(&l, "c.py", "def PARSE():\n    pass\n");
    lab_write(&l, "d.py", "def parse():\n    pass\n");
    lab_write(&l, "e.py", "def unrelated():\n    pass\n");
    sample_index();
    ken_search_result r = ask_symbol("parse");
    kt_eq_str(r.strategy, "symbol");
    kt_true(r.n_hits >= 4);
    r.n_hits = 4;
    hits_are(&r, "d.py:1 parse, c.py:1 PARSE, b.py:1 parser, a.py:1 prase");
    for (size_t i = 1; i < 4; i++)
        kt_true(r.hits[i].similarity < r.hits[i - 1].similarity);
    kt_near(r.hits[0].similarity, 1, 1e-9);
    sample_end();
}

KEN_TEST(nearer_names_come_first)
{
    start();
    lab_write(&l, "a.py", "def connection_pool_manager():\n    pass\n");
    lab_write(&l, "b.py", "def connection():\n    pass\n");
    lab_write(&l, "c.py", "def connect_all():\n    pass\n");
    sample_index();
    ken_search_result r = ask_symbol("connect");
    kt_true(r.n_hits >= 3);
    kt_eq_i(place_of(&r, "b.py"), 0); // shorter names are nearer
    kt_true(place_of(&r, "a.py") > place_of(&r, "c.py"));
    sample_end();
}

KEN_TEST(types_and_functions_come_before_variables_code_before_tests)
{
    start();
    lab_write(&l, "a/conf.py", "timeout = 5\n");
    lab_write(&l, "b/wait.py", "def timeout():\n    pass\n");
    lab_write(&l, "tests/test_wait.py", "def timeout():\n    pass\n");
    lab_write(&l, "c/types.py", "class timeout:\n    pass\n");
    sample_index();
    ken_search_result r = ask_symbol("timeout");
    kt_true(r.n_hits >= 3);
    kt_eq_i(place_of(&r, "c/types.py"), 0);
    kt_eq_i(place_of(&r, "b/wait.py"), 1);
    kt_true(place_of(&r, "tests/test_wait.py") > 1);
    sample_end();
}

KEN_TEST(hits_are_the_definitions_themselves)
{
    sample_start();
    static const char *const names[] = { "RetryPolicy", "NewRateLimiter", "formatAge", "crc32_of",
                                         "Barcode",     "InvoiceService", "pop_due",   "ApiError" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ken_search_result r = ask_symbol(names[i]);
        kt_true(r.n_hits >= 1);
        const ken_hit *h = &r.hits[0];
        check_hit(h, true);
        kt_true(ken_str_ends(h->symbol, ken_str_c(names[i])));
        kt_true(ken_str_find(h->content, ken_str_c(names[i])) < 300);
        kt_true(h->signature.len > 0);
        kt_true(h->kind != KEN_SYMBOL_UNKNOWN);
    }
    sample_end();
}

KEN_TEST(filters_hold_for_symbols)
{
    sample_start();
    ken_search_result r = ask_with(
        "Close", (ken_search_opts){ .mode = KEN_SEARCH_SYMBOL, .file_type = KEN_STR("py") });
    kt_true(r.n_hits > 0);
    for (size_t i = 0; i < r.n_hits; i++)
        kt_true(ken_str_ends(r.hits[i].path, KEN_STR(".py")));
    r = ask_with("Money", (ken_search_opts){ .mode = KEN_SEARCH_SYMBOL, .kind = KEN_SYMBOL_CLASS });
    for (size_t i = 0; i < r.n_hits; i++)
        kt_eq_u(r.hits[i].kind, KEN_SYMBOL_CLASS);
    kt_eq_i(place_of(&r, "billing/src/main/java/post/Money.java"), 0);
    r = ask_with("Money", (ken_search_opts){ .mode = KEN_SEARCH_SYMBOL, .threshold = 1 });
    for (size_t i = 0; i < r.n_hits; i++)
        kt_eq_text(r.hits[i].symbol, i ? r.hits[i].symbol.ptr : "Money");
    sample_end();
}

KEN_TEST(unknown_symbols_find_nothing)
{
    sample_start();
    kt_eq_u(ask_symbol("NoSuchThingAnywhere").n_hits, 0);
    kt_eq_u(ask_symbol("::").n_hits, 0);
    kt_eq_u(ask_symbol("\xff").n_hits, 0);
    sample_end();
}

KEN_TEST(pages_of_symbols_never_repeat)
{
    sample_start();
    ken_search_opts o = { .mode = KEN_SEARCH_SYMBOL, .limit = 50 };
    ken_search_result all = ask_with("ring_buffer", o);
    kt_true(all.n_hits > 4);
    o.limit = 3;
    size_t n = 0;
    for (o.offset = 0; o.offset < 60; o.offset += 3) {
        ken_search_result page = ask_with("ring_buffer", o);
        for (size_t i = 0; i < page.n_hits; i++, n++) {
            kt_true(n < all.n_hits);
            kt_eq_u(page.hits[i].span.start, all.hits[n].span.start);
            kt_eq_text(page.hits[i].path, all.hits[n].path.ptr);
        }
    }
    kt_eq_u(n, all.n_hits);
    sample_end();
}

// ---- the definition ----------------------------------------------------------------------------

static ken_definition_result define(const char *name, const char *hint)
{
    ken_definition_result r;
    l.err = (ken_err){ 0 };
    kt_ok_err(ken_find_definition(snap,
                                  &(ken_definition_opts){ .name = ken_str_c(name),
                                                          .file_hint = ken_str_c(hint),
                                                          .limit = 10 },
                                  &l.arena, &r, &l.err),
              &l.err);
    return r;
}

static void defined_in(const char *name, const char *path, const char *qualified)
{
    ken_definition_result r = define(name, "");
    if (!r.n_defs)
        kt_fail("no definition of '%s'", name);
    kt_eq_text(r.defs[0].path, path);
    kt_eq_text(r.defs[0].qualified, qualified);
}

KEN_TEST(a_definition_has_all_its_parts)
{
    sample_start();
    ken_definition_result r = define("delay_for", "");
    kt_eq_u(r.n_defs, 1);
    const ken_definition *d = &r.defs[0];
    kt_eq_text(d->path, "worker/retry_policy.py");
    kt_eq_text(d->language, "python");
    kt_eq_text(d->name, "delay_for");
    kt_eq_text(d->qualified, "RetryPolicy.delay_for");
    kt_eq_u(d->kind, KEN_SYMBOL_METHOD);
    kt_true(d->is_exact);
    kt_false(d->is_refreshed);
    kt_eq_text(d->signature, "def delay_for(self, attempt: int) -> float:");
    kt_true(ken_str_find(d->doc, KEN_STR("Seconds to wait")) != SIZE_MAX);
    ken_str text = disk(d->path);
    kt_eq_mem(d->content.ptr, d->content.len, text.ptr + d->span.start,
              d->span.end - d->span.start);
    kt_eq_u(d->first_line, line_at(text, d->span.start));
    kt_true(ken_str_find(d->content, KEN_STR("random.uniform")) != SIZE_MAX);
    sample_end();
}

KEN_TEST(signs_alone_are_like_no_name)
{
    start();
    lab_write(&l, "a.py", "a = 1\nk = 2\ndef j():\n    pass\n");
    sample_index();
    kt_eq_u(ask_symbol("\"").n_hits, 0);
    ken_definition_result r = define("\"", "");
    kt_eq_u(r.n_suggestions, 0);
    sample_end();
}

KEN_TEST(a_struct_and_its_alias_are_one_definition)
{
    start();
    lab_write(
        &l, "a.c",
        "typedef struct shape {\n    int n;\n} shape;\n"
        "typedef enum { RED } shade;\nstruct apart { int x; };\ntypedef struct apart apart;\n");
    sample_index();
    ken_definition_result r = define("shape", "");
    kt_eq_u(r.n_total, 1);
    kt_eq_u(r.defs[0].kind, KEN_SYMBOL_TYPE);
    kt_eq_text(r.defs[0].content, "typedef struct shape {\n    int n;\n} shape;");
    kt_eq_u(define("apart", "").n_total, 2); // they stand apart
    ken_search_result found = ask_symbol("shape");
    kt_true(found.n_hits >= 1);
    kt_eq_u(found.hits[0].kind, KEN_SYMBOL_TYPE);
    for (size_t i = 1; i < found.n_hits; i++)
        kt_true(found.hits[i].first_line != found.hits[0].first_line);
    sample_end();
}

KEN_TEST(qualified_names_in_any_spelling)
{
    sample_start();
    defined_in("RetryPolicy.delay_for", "worker/retry_policy.py", "RetryPolicy.delay_for");
    defined_in("RetryPolicy::delay_for", "worker/retry_policy.py", "RetryPolicy.delay_for");
    defined_in("RetryPolicy#delay_for", "worker/retry_policy.py", "RetryPolicy.delay_for");
    defined_in("RetryPolicy/delay_for", "worker/retry_policy.py", "RetryPolicy.delay_for");
    defined_in("MailQueue.close", "worker/mail_queue.py", "MailQueue.close");
    defined_in("Money.plus", "billing/src/main/java/post/Money.java", "Money.plus");
    defined_in("ApiClient.trackParcel", "web/src/apiClient.ts", "ApiClient.trackParcel");
    defined_in("retry_policy.NEVER", "worker/retry_policy.py", "NEVER"); // by the name of its file
    defined_in("middleware.RequireToken", "server/middleware/auth.go", "RequireToken");
    sample_end();
}

KEN_TEST(any_case_is_found_after_the_exact_name)
{
    sample_start();
    ken_definition_result r = define("formatdate", "");
    kt_eq_u(r.n_defs, 1);
    kt_eq_text(r.defs[0].name, "formatDate");
    kt_false(r.defs[0].is_exact);
    r = define("Close", "");
    kt_true(r.n_defs >= 2);
    kt_eq_text(r.defs[0].path, "server/session_store.go");
    kt_true(r.defs[0].is_exact);
    kt_false(r.defs[r.n_defs - 1].is_exact);
    sample_end();
}

KEN_TEST(a_hint_prefers_but_never_demands)
{
    start();
    lab_write(&l, "one/run.py", "def start():\n    return 1\n");
    lab_write(&l, "two/run.py", "def start():\n    return 2\n");
    sample_index();
    ken_definition_result r = define("start", "two/");
    kt_eq_u(r.n_defs, 2);
    kt_eq_text(r.defs[0].path, "two/run.py");
    r = define("start", "one/run.py");
    kt_eq_text(r.defs[0].path, "one/run.py");
    kt_eq_u(define("start", "three/").n_defs, 2);
    sample_end();
}

KEN_TEST(near_names_are_suggested)
{
    sample_start();
    static const char *const wrong[] = { "RetryPolcy", "RetryPolicyy", "retrypolic" };
    for (int i = 0; i < 3; i++) {
        ken_definition_result r = define(wrong[i], "");
        kt_eq_u(r.n_defs, 0);
        kt_true(r.n_suggestions >= 1 && r.n_suggestions <= 5);
        bool has = false;
        for (size_t k = 0; k < r.n_suggestions; k++)
            has = has || ken_str_eq_c(r.suggestions[k], "RetryPolicy");
        kt_true(has);
    }
    ken_definition_result r = define("completely_different_thing", "");
    kt_eq_u(r.n_defs + r.n_suggestions, 0);
    kt_eq_u(define("RetryPolicy", "").n_suggestions, 0);
    sample_end();
}

KEN_TEST(limits_of_definitions)
{
    start();
    for (int i = 0; i < 60; i++) {
        char path[40];
        snprintf(path, sizeof path, "f%02d.py", i);
        char text[60];
        snprintf(text, sizeof text, "def same():\n    return %d\n", i);
        lab_write(&l, path, text);
    }
    sample_index();
    ken_definition_result r;
    kt_ok(ken_find_definition(snap, &(ken_definition_opts){ .name = KEN_STR("same"), .limit = 7 },
                              &l.arena, &r, &l.err));
    kt_eq_u(r.n_defs, 7);
    kt_eq_u(r.n_total, 60);
    kt_ok(ken_find_definition(snap, &(ken_definition_opts){ .name = KEN_STR("same"), .limit = 0 },
                              &l.arena, &r, &l.err));
    kt_eq_u(r.n_defs, 50);
    sample_end();
}

KEN_TEST(bad_names_are_refused)
{
    sample_start();
    ken_definition_result r;
    kt_status(ken_find_definition(snap, &(ken_definition_opts){ .name = KEN_STR(""), .limit = 5 },
                                  &l.arena, &r, &l.err),
              KEN_EINVAL);
    kt_has_str(l.err.msg, "symbol_name");
    kt_status(ken_find_definition(snap, &(ken_definition_opts){ .name = KEN_STR("  "), .limit = 5 },
                                  &l.arena, &r, &l.err),
              KEN_EINVAL);
    char longest[502];
    memset(longest, 'x', 501);
    longest[501] = '\0';
    kt_status(ken_find_definition(snap,
                                  &(ken_definition_opts){ .name = ken_str_c(longest), .limit = 5 },
                                  &l.arena, &r, &l.err),
              KEN_EINVAL);
    longest[500] = '\0';
    kt_eq_u(define(longest, "").n_defs, 0);
    kt_eq_u(define("...", "").n_defs, 0);
    sample_end();
}

// Names that only differ in case or come from many segments.
KEN_TEST(names_are_found_in_every_segment)
{
    start();
    for (int i = 0; i < 12; i++) {
        char path[40], text[80];
        snprintf(path, sizeof path, "f%02d.py", i);
        snprintf(text, sizeof text,
                 "def common_name():\n    return %d\n\ndef only_%02d():\n    pass\n", i, i);
        lab_write(&l, path, text);
        sample_index();
        kt_eq_u(define("common_name", "").n_total, (uint64_t)i + 1);
    }
    for (int i = 0; i < 12; i++) {
        char name[40];
        snprintf(name, sizeof name, "ONLY_%02d", i);
        kt_eq_u(define(name, "").n_defs, 1);
    }
    sample_end();
}

KEN_TEST(a_qualified_name_prefers_its_owner)
{
    lab_start(&l);
    lab_write(&l, "a.py", "class Alpha:\n    def run(self):\n        pass\n");
    lab_write(&l, "b.py", "class Beta:\n    def run(self):\n        pass\n");
    sample_index();
    ken_search_result r = ask_symbol("Beta.run");
    kt_eq_i(place_of(&r, "b.py"), 0);
    r = ask_symbol("Alpha.run");
    kt_eq_i(place_of(&r, "a.py"), 0);
    sample_end();
}

KEN_TEST(a_definition_has_the_owner_asked_for)
{
    lab_start(&l);
    lab_write(&l, "a.py", "class Alpha:\n    def run(self):\n        pass\n");
    lab_write(&l, "b.py", "class Beta:\n    def run(self):\n        pass\n");
    lab_write(&l, "beta.py", "def run():\n    pass\n");
    lab_write(&l, "tools.py", "def run():\n    pass\n");
    sample_index();
    static const struct {
        const char *name, *path;
        size_t n;
    } rows[] = { { "Beta.run", "b.py", 1 },
                 { "beta::run", "b.py", 1 },
                 { "Alpha#run", "a.py", 1 },
                 { "tools.run", "tools.py", 1 },
                 { "Gamma.run", "beta.py", 4 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ken_definition_result d;
        kt_ok(ken_find_definition(
            snap, &(ken_definition_opts){ .name = ken_str_c(rows[i].name), .limit = 9 }, &l.arena,
            &d, &l.err));
        kt_eq_u(d.n_defs, rows[i].n);
        kt_eq_u(d.n_total, rows[i].n);
        kt_eq_text(d.defs[0].path, rows[i].path);
    }
    sample_end();
}

KEN_TEST(pages_of_symbols_end_where_they_end)
{
    lab_start(&l);
    lab_write(&l, "a.py", "def one_a():\n    pass\n\n\ndef one_b():\n    pass\n");
    lab_write(&l, "b.py", "one_c = 1\n");
    sample_index();
    ken_search_opts o = { .mode = KEN_SEARCH_SYMBOL,
                          .limit = 2,
                          .chunk_types = 1U << KEN_CHUNK_FUNCTION };
    ken_search_result r = ask_with("one_", o);
    kt_eq_u(r.n_hits, 2);
    kt_false(r.is_truncated);
    o.limit = 1;
    kt_true(ask_with("one_", o).is_truncated);
    sample_end();
}

// ---- the same from any history -----------------------------------------------------------------

// Definitions of one index that was made at once, and of one that grew in the other order.
static void list_names(bool grows, bool is_prefix, ken_buf *out)
{
    static const char *const files[] = { "z.py", "m.py", "a.py" };
    start();
    for (size_t i = 0; i < 3; i++) {
        lab_write(
            &l, files[i],
            ken_arena_printf(
                &l.arena,
                "def make_one():\n    pass\n\ndef make_two_%s():\n    pass\n\ndef make():\n    return %zu\n",
                i == 1 ? "b"
                : i    ? "a"
                       : "c",
                i)
                .ptr);
        if (grows)
            lab_run(&l);
    }
    if (!grows)
        lab_run(&l);
    snap = lab_open(&l);
    query_names names = { 0 };
    kt_ok(is_prefix ? ken_query__names_prefix(snap, KEN_STR("make"), 4, &l.arena, &names, NULL)
                    : ken_query__names_equal(snap, KEN_STR("make"), &l.arena, &names, NULL));
    const ken_file_row *rows = NULL;
    (void)ken_snapshot_list_files(snap, &rows);
    for (size_t i = 0; i < names.len; i++)
        ken_buf_printf(out, KEN_STR_FMT " " KEN_STR_FMT "\n", KEN_STR_ARG(names.ptr[i].text),
                       KEN_STR_ARG(rows[names.ptr[i].file].path));
    ken_vec_release(&names);
    sample_end();
}

KEN_TEST(names_come_in_an_order_that_no_history_changes)
{
    for (int is_prefix = 0; is_prefix < 2; is_prefix++) {
        ken_buf at_once = KEN_BUF_INIT(4096), grown = KEN_BUF_INIT(4096);
        list_names(false, is_prefix, &at_once);
        list_names(true, is_prefix, &grown);
        kt_eq_str(at_once.ptr,
                  is_prefix ? "make_one a.py\nmake_one m.py\nmake_one z.py\nmake_two_a a.py\n"
                            : "make a.py\nmake m.py\nmake z.py\n");
        kt_eq_str(grown.ptr, at_once.ptr);
        ken_buf_release(&at_once);
        ken_buf_release(&grown);
    }
}
