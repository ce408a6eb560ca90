// SPDX-License-Identifier: MIT
// Never stale: what is quoted stands on the disk now, wherever the index says it stood.
#include "unit/query/sample_lab.h"

// Puts text in front of a file, as an editor would.
static void insert_before(const char *path, const char *text)
{
    ken_str old = disk(ken_str_c(path));
    ken_str now = ken_arena_printf(&l.arena, "%s" KEN_STR_FMT, text, KEN_STR_ARG(old));
    lab_write_n(&l, path, now.ptr, now.len);
}

static const ken_hit *hit_of(const ken_search_result *r, const char *path)
{
    int at = place_of(r, path);
    if (at < 0)
        kt_fail("%s is not among the hits", path);
    return &r->hits[at];
}

KEN_TEST(lines_come_from_the_disk_now)
{
    sample_start();
    uint32_t before =
        hit_of(&(ken_search_result[]){ ask_symbol("delay_for") }[0], "worker/retry_policy.py")
            ->first_line;
    insert_before("worker/retry_policy.py", "# one\n# two\n# three\n");
    ken_search_result r = ask_symbol("delay_for");
    const ken_hit *h = hit_of(&r, "worker/retry_policy.py");
    kt_eq_u(h->first_line, before + 3);
    kt_true(h->is_refreshed);
    check_hit(h, true);
    r = ask("exponential backoff with jitter");
    h = hit_of(&r, "worker/retry_policy.py");
    kt_true(h->is_refreshed);
    check_hit(h, true);
    r = ask_text("random.uniform");
    check_hit(&r.hits[0], true);
    kt_eq_text(ken_str_trim(r.hits[0].places[0].text), "return plain * random.uniform(0.5, 1.0)");
    ken_definition_result d;
    kt_ok(ken_find_definition(snap,
                              &(ken_definition_opts){ .name = KEN_STR("delay_for"), .limit = 5 },
                              &l.arena, &d, &l.err));
    kt_eq_u(d.defs[0].first_line, before + 3);
    kt_true(d.defs[0].is_refreshed);
    sample_end();
}

KEN_TEST(unchanged_files_are_not_called_refreshed)
{
    sample_start();
    insert_before("worker/mailer.py", "# new\n");
    ken_search_result r = ask_with("retry", (ken_search_opts){ .limit = 50 });
    for (size_t i = 0; i < r.n_hits; i++)
        kt_true(r.hits[i].is_refreshed == ken_str_eq_c(r.hits[i].path, "worker/mailer.py"));
    sample_end();
}

KEN_TEST(a_definition_that_is_gone_is_not_shown)
{
    sample_start();
    lab_write(&l, "worker/retry_policy.py", "class Something:\n    pass\n");
    kt_true(place_of(&(ken_search_result[]){ ask_symbol("delay_for") }[0],
                     "worker/retry_policy.py") < 0);
    ken_definition_result d;
    kt_ok(ken_find_definition(snap,
                              &(ken_definition_opts){ .name = KEN_STR("delay_for"), .limit = 5 },
                              &l.arena, &d, &l.err));
    kt_eq_u(d.n_defs, 0);
    kt_eq_u(ask_text("random.uniform").n_hits, 0);
    ken_search_result r = ask("exponential backoff with jitter");
    for (size_t i = 0; i < r.n_hits; i++)
        check_hit(&r.hits[i], true);
    sample_end();
}

static void is_never_quoted(const char *path, const char *text)
{
    static const char *const questions[] = { "retry policy jitter", "RetryPolicy", "delay_for",
                                             "give up attempts" };
    for (int i = 0; i < 4; i++) {
        for (int mode = KEN_SEARCH_AUTO; mode <= KEN_SEARCH_REGEX; mode++) {
            ken_search_result r =
                ask_with(questions[i], (ken_search_opts){ .mode = (ken_search_mode)mode,
                                                          .limit = 50,
                                                          .context_lines = 3,
                                                          .wants_content = true });
            kt_true(place_of(&r, path) < 0);
            for (size_t h = 0; h < r.n_hits; h++)
                kt_true(ken_str_find(r.hits[h].content, ken_str_c(text)) == SIZE_MAX);
        }
        ken_definition_result d;
        kt_ok(ken_find_definition(
            snap, &(ken_definition_opts){ .name = ken_str_c(questions[i]), .limit = 50 }, &l.arena,
            &d, &l.err));
        for (size_t k = 0; k < d.n_defs; k++)
            kt_false(ken_str_eq_c(d.defs[k].path, path));
    }
    ken_file_view view;
    kt_status(ken_view_file(snap, ken_str_c(path), &l.arena, &view, &l.err), KEN_ENOTFOUND);
    kt_has_str(l.err.msg, path);
}

KEN_TEST(a_removed_file_is_never_quoted)
{
    sample_start();
    lab_remove(&l, "worker/retry_policy.py");
    is_never_quoted("worker/retry_policy.py", "random.uniform");
    ken_search_result r = ask("retry policy jitter");
    kt_true(r.n_removed >= 1);
    kt_true(r.n_hits >= 3); // the others are
    sample_end();
}

KEN_TEST(a_link_in_the_place_of_a_file_is_not_followed)
{
    sample_start();
    char path[4096];
    const char *outside = ktest_write("outside.py", "class RetryPolicy:\n    neighbour = 1\n");
    lab_remove(&l, "worker/retry_policy.py");
    lab_path(&l, "worker/retry_policy.py", path);
    kt_eq_i(symlink(outside, path), 0);
    is_never_quoted("worker/retry_policy.py", "neighbour");
    sample_end();
}

KEN_TEST(a_link_in_the_place_of_a_folder_is_not_entered)
{
    sample_start();
    char path[4096];
    ktest_write("away/retry_policy.py", "class RetryPolicy:\n    neighbour = 1\n");
    lab_move(&l, "worker", "old_worker");
    lab_path(&l, "worker", path);
    kt_eq_i(symlink(ktest_path("away"), path), 0);
    is_never_quoted("worker/retry_policy.py", "neighbour");
    sample_end();
}

KEN_TEST(a_folder_or_pipe_in_the_place_of_a_file_is_passed_over)
{
    sample_start();
    char path[4096];
    lab_remove(&l, "worker/retry_policy.py");
    lab_path(&l, "worker/retry_policy.py/inside.py", path);
    is_never_quoted("worker/retry_policy.py", "random.uniform");
    lab_remove(&l, "worker/retry_policy.py");
    lab_path(&l, "worker/retry_policy.py", path);
    kt_eq_i(mkfifo(path, 0644), 0); // must not block either
    is_never_quoted("worker/retry_policy.py", "random.uniform");
    sample_end();
}

KEN_TEST(a_file_that_became_binary_or_huge_is_passed_over)
{
    sample_start();
    lab_write_n(&l, "worker/retry_policy.py", "class RetryPolicy\0\1\2\3", 21);
    is_never_quoted("worker/retry_policy.py", "class RetryPolicy");
    ken_buf b = KEN_BUF_INIT(0);
    while (b.len <= (size_t)10 << 20)
        ken_buf_puts(&b, "class RetryPolicy: # the retry policy gives up after some attempts\n");
    lab_write_n(&l, "worker/retry_policy.py", b.ptr, b.len);
    is_never_quoted("worker/retry_policy.py", "class RetryPolicy: #");
    ken_buf_release(&b);
    sample_end();
}

KEN_TEST(the_whole_folder_may_be_gone)
{
    sample_start();
    kt_eq_i(rename(l.root, ktest_path("gone")), 0);
    for (int mode = KEN_SEARCH_AUTO; mode <= KEN_SEARCH_REGEX; mode++)
        (void)ask_with("retry", (ken_search_opts){ .mode = (ken_search_mode)mode });
    ken_snapshot *other = lab_open(&l); // a snapshot that is opened now finds no root
    ken_search_result r;
    ken_search_opts o = { 0 };
    kt_ok(ken_search(other, KEN_STR("retry"), &o, NULL, &l.arena, &r, &l.err));
    kt_eq_u(r.n_hits, 0);
    kt_true(r.n_removed > 0);
    lab_close(other);
    kt_eq_i(rename(ktest_path("gone"), l.root), 0);
    sample_end();
}

KEN_TEST(a_file_that_grew_is_quoted_from_its_new_text)
{
    sample_start();
    ken_str old = disk(KEN_STR("worker/mail_queue.py"));
    ken_buf b = KEN_BUF_INIT(0);
    for (int i = 0; i < 200; i++)
        ken_buf_printf(&b, "def filler_%d(value):\n    return value * %d\n\n\n", i, i);
    ken_buf_put_str(&b, old);
    lab_write_n(&l, "worker/mail_queue.py", b.ptr, b.len);
    ken_search_result r = ask_symbol("pop_due");
    check_hit(hit_of(&r, "worker/mail_queue.py"), true);
    kt_eq_text(hit_of(&r, "worker/mail_queue.py")->symbol, "MailQueue.pop_due");
    r = ask("messages that wait to be sent");
    check_hit(hit_of(&r, "worker/mail_queue.py"), true);
    r = ask_text("heapq.heappop");
    check_hit(&r.hits[0], true);
    kt_true(ken_str_find(r.hits[0].content, KEN_STR("heapq.heappop")) != SIZE_MAX);
    ken_buf_release(&b);
    sample_end();
}

KEN_TEST(a_refreshed_snapshot_sees_the_new_generation)
{
    sample_start();
    lab_write(&l, "worker/pigeon.py", "class CarrierPigeon:\n    pass\n");
    kt_eq_u(ask_symbol("CarrierPigeon").n_hits, 0);
    sample_index();
    kt_eq_u(ask_symbol("CarrierPigeon").n_hits, 1);
    first_is("carrier pigeon", "worker/pigeon.py");
    lab_remove(&l, "worker/pigeon.py");
    sample_index();
    kt_eq_u(ask_symbol("CarrierPigeon").n_hits, 0);
    sample_end();
}

// As many files as before, but not the same: words of paths are those of now.
KEN_TEST(a_refreshed_snapshot_knows_the_new_paths)
{
    sample_start();
    lab_write(&l, "worker/ostrich.py", "pass\n");
    sample_index();
    first_is("ostrich", "worker/ostrich.py");
    lab_write(&l, "worker/ostrich.py", "pass\npass\n"); // the list of paths stays
    sample_index();
    first_is("ostrich", "worker/ostrich.py");
    lab_remove(&l, "worker/ostrich.py");
    lab_write(&l, "cook/heron.py", "pass\n");
    sample_index();
    first_is("heron", "cook/heron.py");
    kt_eq_u(ask("ostrich").n_hits, 0);
    sample_end();
}

// A snapshot that is not refreshed goes on answering while runs join what it reads.
KEN_TEST(an_old_snapshot_answers_while_segments_are_joined)
{
    sample_start();
    for (int i = 0; i < 25; i++) {
        char path[40], text[60];
        snprintf(path, sizeof path, "worker/new_%d.py", i);
        snprintf(text, sizeof text, "def new_thing_%d():\n    pass\n", i);
        lab_write(&l, path, text);
        lab_run(&l);
        ken_search_result r = ask("exponential backoff with jitter");
        kt_eq_i(place_of(&r, "worker/retry_policy.py"), 0);
        r = ask_symbol("RetryPolicy");
        kt_eq_i(place_of(&r, "worker/retry_policy.py"), 0);
        ken_definition_result d;
        kt_ok_err(ken_find_definition(
                      snap, &(ken_definition_opts){ .name = KEN_STR("Money"), .limit = 5 },
                      &l.arena, &d, &l.err),
                  &l.err);
        kt_true(d.n_defs >= 1);
    }
    sample_end();
}

KEN_TEST(a_touched_file_is_not_called_refreshed)
{
    sample_start();
    insert_before("worker/mailer.py", "");
    ken_search_result r = ask("DeliveryError");
    kt_false(hit_of(&r, "worker/mailer.py")->is_refreshed);
    sample_end();
}

// The place that answers is shown also when the file has changed above it.
KEN_TEST(a_changed_file_still_shows_its_best_place)
{
    sample_start();
    ken_buf b = KEN_BUF_INIT(0);
    for (int i = 0; i < 60; i++)
        ken_buf_printf(&b,
                       "// filler_%d\nfunc filler%d(value int) int {\n\treturn value * %d\n}\n\n",
                       i, i, i);
    insert_before("server/session_store.go", b.ptr);
    ken_search_result r = ask("signs everybody out");
    const ken_hit *h = hit_of(&r, "server/session_store.go");
    check_hit(h, true);
    kt_true(ken_str_find(h->content, KEN_STR("signs everybody out")) != SIZE_MAX);
    ken_buf_release(&b);
    sample_end();
}

// Of two definitions with one name the one asked for is shown, also when both have moved.
KEN_TEST(a_changed_file_still_tells_owners_apart)
{
    lab_start(&l);
    lab_write(&l, "a.py",
              "class Alpha:\n    def run(self):\n        pass\n\n\n"
              "class Beta:\n    def run(self):\n        pass\n");
    sample_index();
    insert_before("a.py", "import os\n\n");
    ken_search_result r = ask_symbol("Beta.run");
    kt_eq_text(r.hits[0].symbol, "Beta.run");
    kt_eq_u(r.hits[0].first_line, 8);
    ken_definition_result d;
    kt_ok(ken_find_definition(snap,
                              &(ken_definition_opts){ .name = KEN_STR("Beta.run"), .limit = 5 },
                              &l.arena, &d, &l.err));
    kt_eq_u(d.n_defs, 1);
    kt_eq_text(d.defs[0].qualified, "Beta.run");
    sample_end();
}

// What the index knows of other bytes is taken from there: going back to an old version.
KEN_TEST(a_file_with_the_content_of_another_is_shown_as_it_is)
{
    lab_start(&l);
    lab_write(&l, "a.py", "def first():\n    pass\n");
    lab_write(&l, "b.py", "x = 1\n\n\ndef second():\n    pass\n");
    sample_index();
    lab_write(&l, "a.py", "x = 1\n\n\ndef second():\n    pass\n");
    ken_search_result r = ask("second");
    const ken_hit *h = hit_of(&r, "b.py");
    kt_false(h->is_refreshed);
    ken_file_view v;
    kt_ok_err(ken_view_file(snap, KEN_STR("a.py"), &l.arena, &v, &l.err), &l.err);
    kt_true(v.is_refreshed);
    kt_eq_u(v.facts->n_symbols, 2);
    kt_eq_text(v.facts->symbols[1].name, "second");
    sample_end();
}
