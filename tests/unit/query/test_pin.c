// SPDX-License-Identifier: MIT
// A question sees one generation, whatever is written to the index while it is open.
#include "base/quota.h"
#include "index/index_priv.h"
#include "query/query_graph_priv.h"
#include "unit/query/calls_lab.h"

enum {
    N_CALLERS = 12
};

static void write_callers(int version)
{
    lab_write(&l, "lib.c", "int work_once(int n)\n{\n    return n;\n}\n");
    for (int i = 0; i < N_CALLERS; i++) {
        char path[40], text[200];
        snprintf(path, sizeof path, "use%d.c", i);
        snprintf(text, sizeof text,
                 "int work_once(int);\n\nint use_%d(void)\n{\n    return work_once(%d) + %d;\n}\n",
                 i, version, i);
        lab_write(&l, path, text);
    }
}

static size_t n_usages(void)
{
    ken_usages r;
    ken_usages_opts o = { .name = KEN_STR("work_once"), .limit = 50 };
    kt_ok_err(ken_find_usages(snap, &o, NULL, &l.arena, &r, &l.err), &l.err);
    return r.n_total;
}

static void force(void)
{
    l.opts.is_forced = true;
    lab_run(&l);
    l.opts.is_forced = false;
}

static uint64_t log_bytes(void)
{
    ken_fs_info info = { 0 };
    char path[4096];
    snprintf(path, sizeof path, "%s-wal", l.db);
    return ken_fs_stat(KEN_FS_CWD, path, &info, NULL) ? 0 : info.stamp.size;
}

// Forced runs replace every content and segment; nothing of the pinned generation goes away.
KEN_TEST(x5_a_forced_run_takes_nothing_from_a_question)
{
    lab_start(&l);
    write_callers(1);
    go();
    uint64_t generation = ken_snapshot_generation(snap);
    for (int i = 0; i < 3; i++) {
        force();
        kt_eq_u(n_usages(), N_CALLERS);
        ken_search_result r;
        ken_search_opts o = { .mode = KEN_SEARCH_AUTO, .limit = 50 };
        kt_ok_err(ken_search(snap, KEN_STR("work once"), &o, NULL, &l.arena, &r, &l.err), &l.err);
        kt_eq_u(r.n_hits, N_CALLERS + 1);
    }
    kt_eq_u(ken_snapshot_generation(snap), generation);
    lab_again(&l, snap);
    kt_eq_u(ken_snapshot_generation(snap), generation + 3);
    kt_eq_u(n_usages(), N_CALLERS);
    end();
}

// The graph is opened by the first question about names and used by the next, which reads segments
// that meanwhile were joined away.
KEN_TEST(x5_the_graph_stays_while_segments_are_joined)
{
    lab_start(&l);
    write_callers(1);
    go();
    kt_eq_u(n_usages(), N_CALLERS);
    ken_graph *held = NULL;
    kt_ok(ken_query__graph_open(snap, &held, NULL));
    for (int version = 2; version < 14; version++) {
        write_callers(version);
        lab_run(&l);
        ken_graph_nodes found;
        kt_ok_err(ken_graph_find(snap, KEN_STR("use_3"), KEN_STR(""), 5, &l.arena, &found, &l.err),
                  &l.err);
        kt_eq_u(found.n, 1);
        kt_true(ken_query__graph_at_hand(snap) == held);
    }
    end();
}

// A long run joins segments before it commits a generation: those that the graph opened are gone
// at its next question, of the same generation.
KEN_TEST(x4_the_graph_follows_segments_that_were_joined_within_a_generation)
{
    lab_start(&l);
    write_callers(1);
    lab_run(&l);
    write_callers(2);
    go();
    uint64_t generation = ken_snapshot_generation(snap);
    ken_graph *held = NULL;
    kt_ok(ken_query__graph_open(snap, &held, NULL)); // reads no list of a name
    lab_pin *p = lab_find_pin(snap);
    ken_reader_unpin(p->reader);
    kt_ok(ken_store_begin_write(l.store, &l.err));
    kt_ok_err(ken_index__join(l.store, KEN_SEGMENT_MENTIONS, 1, &(index_alive){ 0 }, &l.err),
              &l.err);
    kt_ok(ken_store_commit(l.store, &l.err));
    kt_ok_err(ken_reader_pin(p->reader, &snap, &l.err), &l.err);
    kt_eq_u(ken_snapshot_generation(snap), generation);
    kt_eq_u(n_usages(), N_CALLERS);
    end();
}

enum {
    N_MANY = 40, // files with words that nobody else has
    N_WORDS = 300
};

static void format_word(char *out, size_t n_out, unsigned file, unsigned k)
{
    snprintf(out, n_out, "word_%u_of_%x", k * 977 + file, (k * 7919 + file) * 65537);
}

// Blocks of a segment that a question has read stay in memory, so that these ask for all of them.
static void find_words_of_all_blocks(void)
{
    for (unsigned i = 0; i < N_MANY; i++) {
        for (unsigned k = i % 7; k < N_WORDS; k += 11) {
            char word[60];
            ken_definition_result r;
            format_word(word, sizeof word, i, k);
            kt_ok_err(ken_find_definition(
                          snap, &(ken_definition_opts){ .name = ken_str_c(word), .limit = 5 },
                          &l.arena, &r, &l.err),
                      &l.err);
            kt_eq_u(r.n_defs, 1);
        }
    }
}

KEN_TEST(words_follow_segments_that_were_joined_within_a_generation)
{
    lab_start(&l);
    write_callers(1);
    for (unsigned i = 0; i < N_MANY; i++) { // more than is read when a segment is opened
        char path[40], word[60];
        ken_buf b = KEN_BUF_INIT(0);
        snprintf(path, sizeof path, "many/m%u.c", i);
        for (unsigned k = 0; k < N_WORDS; k++) {
            format_word(word, sizeof word, i, k);
            ken_buf_printf(&b, "int %s(int a) { return a; }\n", word);
        }
        lab_write(&l, path, b.ptr);
        ken_buf_release(&b);
    }
    lab_run(&l);
    write_callers(2);
    go();
    lab_pin *p = lab_find_pin(snap);
    ken_reader_unpin(p->reader);
    kt_ok(ken_store_begin_write(l.store, &l.err));
    kt_ok_err(ken_index__join(l.store, KEN_SEGMENT_WORDS, 1, &(index_alive){ 0 }, &l.err), &l.err);
    kt_ok(ken_store_commit(l.store, &l.err));
    kt_ok_err(ken_reader_pin(p->reader, &snap, &l.err), &l.err);
    kt_eq_u(n_usages(), N_CALLERS);
    find_words_of_all_blocks();
    kt_ok_err(ken_snapshot_check(snap, &l.err), &l.err);
    end();
}

static void begin_cancelled(ken_quota *quota, uint64_t at)
{
    ken_quota_begin(quota, &(ken_quota_limits){ 0 }, NULL);
    quota->cancel_at = at;
}

// Vectors are loaded by the first question about meaning, as many as there are files.
KEN_TEST(x4_loading_vectors_can_be_stopped)
{
    lab_start(&l);
    write_callers(1);
    lab_run(&l);
    ken_quota quota;
    uint64_t n_steps = 0;
    for (uint64_t at = 0; at <= n_steps; at++) {
        ken_snapshot *s = lab_open(&l);
        begin_cancelled(&quota, at);
        kt_status(ken_query__load_vectors(s, &l.err), at ? KEN_ECANCELLED : KEN_OK);
        ken_quota_end(&quota);
        if (!at)
            n_steps = quota.n_steps;
        kt_ok_err(ken_query__load_vectors(s, &l.err), &l.err); // the next question has them
        lab_close(s);
    }
    kt_true(n_steps > N_CALLERS); // one for each file
    lab_end(&l);
}

// At any of its checks; the next question opens it.
KEN_TEST(x4_opening_a_generation_can_be_cancelled)
{
    lab_start(&l);
    write_callers(1);
    go();
    lab_pin *p = lab_find_pin(snap);
    ken_reader_unpin(p->reader);
    ken_reader_free(p->reader);
    ken_quota quota;
    uint64_t n_steps = 1;
    for (uint64_t at = 1; at <= n_steps; at++) {
        p->reader = ken_reader_new(p->store);
        begin_cancelled(&quota, at);
        kt_status(ken_reader_pin(p->reader, &snap, NULL), KEN_ECANCELLED);
        ken_quota_end(&quota);
        begin_cancelled(&quota, 0);
        kt_ok_err(ken_reader_pin(p->reader, &snap, &l.err), &l.err);
        ken_quota_end(&quota);
        n_steps = quota.n_steps;
        kt_true(n_steps >= 5); // files, contents, segments, what is measured
        ken_reader_unpin(p->reader);
        if (at < n_steps)
            ken_reader_free(p->reader);
    }
    kt_ok_err(ken_reader_pin(p->reader, &snap, &l.err), &l.err);
    p->snap = snap;
    kt_eq_u(n_usages(), N_CALLERS);
    end();
}

// What was half parsed when the question was over is not what the next one sees.
KEN_TEST(x4_a_parse_that_was_cancelled_leaves_nothing)
{
    lab_start(&l);
    write_callers(1);
    go();
    ken_buf text = KEN_BUF_INIT(1 << 20);
    ken_buf_puts(&text, "int work_once(int);\n");
    for (int i = 0; i < 300; i++)
        ken_buf_printf(&text, "int more_%d(void)\n{\n    return work_once(%d);\n}\n", i, i);
    ken_buf_putc(&text, '\0');
    lab_write(&l, "use3.c", text.ptr);
    const uint64_t step = 101;
    bool is_done = false;
    for (uint64_t at = 1; !is_done; at += step) {
        ken_quota quota;
        ken_usages r;
        ken_usages_opts o = { .name = KEN_STR("work_once"), .limit = 50 };
        begin_cancelled(&quota, at);
        ken_status st = ken_find_usages(snap, &o, NULL, &l.arena, &r, NULL);
        ken_quota_end(&quota);
        is_done = !st;
        kt_true(is_done || st == KEN_ECANCELLED);
        kt_true(at > 1 || !is_done);
        lab_again(&l, snap);
        kt_eq_u(n_usages(), N_CALLERS - 1 + 300);
        ken_query__graph_close(snap); // the file is parsed anew
    }
    ken_buf_release(&text);
    end();
}

KEN_TEST(x5_a_reader_between_questions_holds_no_log)
{
    lab_start(&l);
    write_callers(1);
    go();
    lab_pin *p = lab_find_pin(snap);
    write_callers(2);
    lab_run(&l);
    kt_ok(ken_store_checkpoint(l.store, &l.err));
    kt_true(log_bytes() > 0); // the question still reads what is in it
    ken_reader_unpin(p->reader);
    kt_ok(ken_store_checkpoint(l.store, &l.err));
    kt_eq_u(log_bytes(), 0);
    kt_ok(ken_reader_pin(p->reader, &snap, &l.err));
    kt_eq_u(n_usages(), N_CALLERS);
    end();
}

// A file without a byte has a state, too.
KEN_TEST(f4_a_file_that_was_emptied_and_filled_again_is_stale)
{
    lab_start(&l);
    write_callers(1);
    go();
    uint32_t file = (uint32_t)ken_query__file_index(snap, KEN_STR("use3.c"));
    lab_write(&l, "use3.c", "");
    kt_eq_u(n_usages(), N_CALLERS - 1);
    kt_false(ken_query__graph_is_stale(snap, file));
    lab_write(&l, "use3.c", "int work_once(int);\nint use_3(void) { return work_once(1); }\n");
    kt_true(ken_query__graph_is_stale(snap, file));
    end();
}

// ---- rows that are taken over ------------------------------------------------------------------

static void check_files(void)
{
    ken_file_row *rows = NULL;
    ken_content_info *infos = NULL;
    size_t n = 0;
    kt_ok_err(ken_store_load_files(ken_snapshot_store(snap), &l.arena, &rows, &n, &infos, &l.err),
              &l.err);
    kt_eq_u(snap->n_files, n);
    for (size_t i = 0; i < n; i++) {
        const ken_file_row *r = &snap->rows[i];
        kt_true(ken_str_eq(r->path, rows[i].path));
        kt_true(r->id == rows[i].id && r->content == rows[i].content);
        kt_true(ken_fs_stamp_eq(r->stamp, rows[i].stamp));
        kt_true(r->changed_at_ms == rows[i].changed_at_ms);
        kt_true(snap->contents[i].id == infos[i].id);
        kt_eq_u(snap->contents[i].n_bytes, infos[i].n_bytes);
        kt_eq_u(snap->contents[i].n_symbols, infos[i].n_symbols);
        kt_true(ken_query__first_with(snap, r->content) >= 0);
    }
}

static void edit(int file, int version)
{
    char path[40], text[200];
    snprintf(path, sizeof path, "use%d.c", file);
    snprintf(text, sizeof text,
             "int work_once(int);\n\nint use_%d(void)\n{\n    return work_once(%d);\n}\n", file,
             version);
    lab_write(&l, path, text);
    lab_run(&l);
}

static void follow(void)
{
    lab_again(&l, snap);
    check_files();
    kt_eq_u(n_usages(), N_CALLERS);
}

KEN_TEST(x5_an_edit_takes_over_the_rows_of_the_generation_before)
{
    lab_start(&l);
    write_callers(1);
    go();
    const char *path = snap->rows[3].path.ptr;
    for (int version = 2; version < 8; version++) {
        edit(version % 4, version);
        if (version % 3) // the reader is two generations behind now and then
            follow();
    }
    follow();
    kt_true(snap->rows[3].path.ptr == path); // not loaded again
    edit(1, 100);
    edit(2, 100);
    edit(1, 2); // back to a content that is known
    follow();
    kt_true(snap->rows[3].path.ptr == path);
    end();
}

KEN_TEST(x5_rows_are_loaded_again_where_more_than_rows_has_changed)
{
    lab_start(&l);
    write_callers(1);
    go();
    lab_write(&l, "more.c", "int more(void);\n");
    lab_run(&l);
    edit(1, 7);
    follow();
    lab_remove(&l, "more.c");
    lab_run(&l);
    follow();
    force();
    follow();
    for (int version = 10; version < 200; version++) // more than is kept
        edit(version % N_CALLERS, version);
    follow();
    edit(1, 7);
    follow();
    end();
}

// Who has the rows of the newest generation need not load them for a run. Those of another are not used.
KEN_TEST(x5_a_run_goes_on_from_rows_that_are_held)
{
    lab_start(&l);
    write_callers(1);
    go();
    lab_pin *p = lab_find_pin(snap);
    for (unsigned version = 2; version < 6; version++) {
        ken_reader_list_held(p->reader, &l.opts.held);
        kt_eq_u(l.opts.held.generation, version < 5 ? version - 1 : 3);
        edit((int)version, (int)version);
        if (version < 4)
            follow();
    }
    l.opts.held = (ken_held_files){ 0 };
    follow();
    end();
}
