// SPDX-License-Identifier: MIT
// One run after the other over a small folder: what is noticed, what is kept, what is reported.
#include <time.h>

#include "git_lab.h"
#include "unit/index/index_lab.h"

static index_lab l;

static void make_tree(void)
{
    lab_start(&l);
    lab_write(&l, "src/auth.py", "def log_in(user):\n    return check(user)\n");
    lab_write(&l, "src/queue.c", "int queue_pop(void)\n{\n    return 0;\n}\n");
    lab_write(&l, "web/app.ts", "export function renderPage(): string {\n  return '';\n}\n");
    lab_write(&l, "README.md", "# Parcels\n\nTracks parcels.\n");
    lab_write(&l, "notes.txt", "remember the milk\n");
}

static ken_file_row row_of(const char *path)
{
    ken_file_row *rows;
    size_t n;
    kt_ok(ken_store_load_files(l.store, &l.arena, &rows, &n, NULL, &l.err));
    for (size_t i = 0; i < n; i++)
        if (ken_str_eq_c(rows[i].path, path))
            return rows[i];
    return (ken_file_row){ 0 };
}

static bool is_indexed(const char *path)
{
    return row_of(path).id != 0;
}

// Every file of the index is added, modified, renamed or unchanged.
static void check_sum(void)
{
    kt_eq_u(l.report.n_files,
            l.report.n_added + l.report.n_modified + l.report.n_renamed + l.report.n_unchanged);
}

KEN_TEST(a_cold_run_indexes_everything)
{
    make_tree();
    const ken_index_report *r = lab_run(&l);
    kt_eq_u(r->generation, 1);
    kt_eq_u(r->n_files, 5);
    kt_eq_u(r->n_added, 5);
    kt_eq_u(r->n_parsed, 5);
    kt_eq_u(r->n_modified + r->n_removed + r->n_renamed + r->n_unchanged, 0);
    kt_true(r->n_chunks >= 5);
    kt_true(r->n_symbols >= 3);
    kt_true(r->bytes_parsed > 100);
    kt_eq_u(r->n_skipped, 0);
    kt_eq_u(r->n_issues, 0);
    check_sum();
    kt_eq_str(lab_first(&l, KEN_SEARCH_SYMBOL, "log_in"), "src/auth.py:1");
    kt_eq_str(lab_first(&l, KEN_SEARCH_AUTO, "where is the page rendered"), "web/app.ts:1");
    kt_eq_str(lab_first(&l, KEN_SEARCH_TEXT, "the milk"), "notes.txt:1");
    kt_ok_err(ken_store_verify(l.store, &l.err), &l.err);
    lab_end(&l);
}

KEN_TEST(what_files_say_with_names_is_kept)
{
    make_tree();
    lab_run(&l);
    ken_file_row row = row_of("src/auth.py");
    ken_facts f;
    ken_refs r;
    kt_ok_err(ken_store_load_facts(l.store, row.content, &l.arena, &f, &l.err), &l.err);
    kt_ok_err(ken_store_load_refs(l.store, row.content, &f, &l.arena, &r, &l.err), &l.err);
    kt_eq_u(r.n_refs, 1);
    kt_eq_u(r.refs[0].role, KEN_REF_CALL);
    kt_eq_text(r.exprs[r.refs[0].expr].name, "check");
    kt_eq_u(r.refs[0].byte, strlen("def log_in(user):\n    return "));
    row = row_of("notes.txt");
    kt_ok_err(ken_store_load_facts(l.store, row.content, &l.arena, &f, &l.err), &l.err);
    kt_ok_err(ken_store_load_refs(l.store, row.content, &f, &l.arena, &r, &l.err), &l.err);
    kt_eq_u(r.n_refs, 0);
    lab_end(&l);
}

KEN_TEST(nothing_changed_writes_nothing)
{
    make_tree();
    uint64_t chunks = lab_run(&l)->n_chunks;
    for (int i = 0; i < 3; i++) {
        const ken_index_report *r = lab_run(&l);
        kt_eq_u(r->generation, 1);
        kt_eq_u(lab_generation(&l), 1);
        kt_eq_u(r->n_unchanged, 5);
        kt_eq_u(r->n_files, 5);
        kt_eq_u(r->n_parsed, 0);
        kt_eq_u(r->bytes_parsed, 0);
        kt_eq_u(r->n_chunks, chunks);
        check_sum();
    }
    lab_end(&l);
}

KEN_TEST(an_empty_folder_is_an_index_too)
{
    lab_start(&l);
    kt_eq_u(lab_run(&l)->n_files, 0);
    kt_eq_u(lab_run(&l)->generation, 1);
    kt_eq_str(lab_first(&l, KEN_SEARCH_AUTO, "anything"), "");
    lab_write(&l, "a.c", "int a;\n");
    kt_eq_u(lab_run(&l)->n_files, 1);
    lab_remove(&l, "a.c");
    kt_eq_u(lab_run(&l)->n_files, 0);
    kt_eq_u(lab_generation(&l), 3);
    lab_end(&l);
}

KEN_TEST(a_changed_file_is_parsed_alone)
{
    make_tree();
    lab_run(&l);
    ken_file_row before = row_of("src/auth.py"), other = row_of("src/queue.c");
    lab_write(&l, "src/auth.py", "def log_out(user):\n    return drop(user)\n");
    const ken_index_report *r = lab_run(&l);
    kt_eq_u(r->generation, 2);
    kt_eq_u(r->n_modified, 1);
    kt_eq_u(r->n_unchanged, 4);
    kt_eq_u(r->n_parsed, 1);
    kt_eq_u(r->n_added + r->n_removed + r->n_renamed, 0);
    check_sum();
    ken_file_row after = row_of("src/auth.py");
    kt_eq_i(after.id, before.id);
    kt_true(after.content != before.content);
    kt_true(after.changed_at_ms >= before.changed_at_ms);
    kt_eq_i(row_of("src/queue.c").content, other.content);
    kt_eq_i(row_of("src/queue.c").changed_at_ms, other.changed_at_ms);
    kt_eq_str(lab_first(&l, KEN_SEARCH_SYMBOL, "log_out"), "src/auth.py:1");
    kt_true(strcmp(lab_first(&l, KEN_SEARCH_TEXT, "log_in"), "") == 0);
    lab_end(&l);
}

// Other sizes cut every file again, and the index, an answer about a changed file too, keeps to them.
KEN_TEST(sizes_of_chunks_are_obeyed)
{
    ken_buf text = KEN_BUF_INIT(0);
    ken_file_view v;
    for (int i = 0; i < 200; i++)
        ken_buf_printf(&text, "line %d of a letter\n", i);
    lab_start(&l);
    lab_write_n(&l, "a.txt", text.ptr, text.len);
    lab_write(&l, "b.py", "def f():\n    pass\n");
    kt_eq_u(lab_run(&l)->n_chunks, 6); // 50 lines with 10 of overlap
    l.opts.chunks = (ken_chunk_opts){ .max = 8000, .lines = 500, .is_apart = true };
    const ken_index_report *r = lab_run(&l);
    kt_eq_u(r->n_parsed, 2);
    kt_eq_u(r->n_modified, 0);
    kt_eq_u(r->n_chunks, 2);
    kt_eq_u(lab_run(&l)->n_parsed, 0);
    ken_buf_puts(&text, "one more\n");
    lab_write_n(&l, "a.txt", text.ptr, text.len);
    ken_snapshot *s = lab_open(&l);
    kt_ok_err(ken_view_file(s, KEN_STR("a.txt"), &l.arena, &v, &l.err), &l.err);
    kt_true(v.is_refreshed);
    kt_eq_u(v.facts->n_chunks, 1);
    lab_close(s);
    l.opts.chunks = (ken_chunk_opts){ 0 };
    kt_eq_u(lab_run(&l)->n_chunks, 6);
    ken_buf_release(&text);
    lab_end(&l);
}

static const char *changes(void)
{
    static char text[2000];
    ken_file_event *list;
    size_t n, at = 0;
    text[0] = '\0';
    kt_ok_err(ken_index_load_events(l.store, &l.arena, &list, &n, &l.err), &l.err);
    for (size_t i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "%d %s " KEN_STR_FMT "%s" KEN_STR_FMT "\n", (int)list[i].generation,
                               ken_file_event_word(list[i].kind), KEN_STR_ARG(list[i].path),
                               list[i].old_path.len ? " from " : "", KEN_STR_ARG(list[i].old_path));
    return text;
}

KEN_TEST(what_runs_change_is_kept_by_generation)
{
    make_tree();
    lab_run(&l);
    kt_eq_str(changes(), ""); // the first adds all
    lab_write(&l, "src/auth.py", "def log_out(user):\n    return drop(user)\n");
    lab_write(&l, "src/new.py", "def fresh():\n    return 1\n");
    lab_run(&l);
    const char *second = "2 modified src/auth.py\n2 added src/new.py\n";
    kt_eq_str(changes(), second);
    lab_run(&l); // nothing changed
    l.opts.is_forced = true;
    lab_run(&l); // the same bytes, parsed again
    l.opts.is_forced = false;
    kt_eq_str(changes(), second);
    char from[4096], to[4096];
    lab_path(&l, "src/new.py", from);
    lab_path(&l, "src/newer.py", to);
    kt_eq_i(rename(from, to), 0);
    lab_remove(&l, "src/auth.py");
    lab_run(&l);
    kt_has_str(changes(), "renamed src/newer.py from src/new.py\n");
    kt_has_str(changes(), "deleted src/auth.py\n");
    kt_true(strncmp(changes(), second, strlen(second)) == 0);
    lab_end(&l);
}

KEN_TEST(an_edited_rename_is_one_change_where_git_knows_both)
{
    char from[4096], to[4096], text[2000] = "";
    lab_start(&l);
    l.opts.scan.without_git = false;
    for (int i = 0; i < 20; i++) {
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "def step_%d(x):\n    return x + %d\n", i, i);
    }
    lab_write(&l, "old.py", text);
    lab_write(&l, "other.py", "def other():\n    return 0\n");
    GIT_IN(l.root, NULL, "init", "-q");
    GIT_IN(l.root, NULL, "add", "-A");
    GIT_IN(l.root, NULL, "commit", "-q", "-m", "one");
    lab_run(&l);
    int64_t row = row_of("old.py").id;

    GIT_IN(l.root, NULL, "mv", "old.py", "new.py");
    GIT_IN(l.root, NULL, "mv", "other.py", "moved.py");
    memcpy(text, "def stop_0", 10);
    lab_write(&l, "new.py", text);
    lab_run(&l);
    kt_has_str(changes(), "2 renamed new.py from old.py\n");
    kt_has_str(changes(), "2 renamed moved.py from other.py\n");
    kt_true(!strstr(changes(), "deleted") && !strstr(changes(), "added"));
    kt_eq_u(l.report.n_renamed, 2);
    kt_eq_i(row_of("new.py").id, row);

    // Committed meanwhile, as after a pull; and one that git does not track.
    GIT_IN(l.root, NULL, "commit", "-q", "-a", "-m", "two");
    lab_run(&l);
    GIT_IN(l.root, NULL, "mv", "new.py", "newer.py");
    memcpy(text, "def stay_0", 10);
    lab_write(&l, "newer.py", text);
    GIT_IN(l.root, NULL, "add", "-A");
    GIT_IN(l.root, NULL, "commit", "-q", "-m", "three");
    lab_path(&l, "moved.py", from);
    lab_path(&l, "untracked.py", to);
    kt_eq_i(rename(from, to), 0);
    lab_write(&l, "untracked.py", "def other():\n    return 1\n");
    lab_run(&l);
    kt_has_str(changes(), " renamed newer.py from new.py\n");
    kt_has_str(changes(), " deleted moved.py\n");
    kt_has_str(changes(), " added untracked.py\n");
    lab_end(&l);
}

KEN_TEST(the_changes_that_are_kept_are_bounded)
{
    char path[300];
    lab_start(&l);
    lab_write(&l, "a.py", "def a():\n    pass\n");
    lab_run(&l);
    for (int i = 0; i < 1100; i++) {
        snprintf(path, sizeof path, "d%d/%0*d.txt", i % 10, i < 500 ? 120 : 10, i);
        lab_write(&l, path, "text\n");
    }
    lab_run(&l);
    ken_file_event *list;
    size_t n;
    kt_ok_err(ken_index_load_events(l.store, &l.arena, &list, &n, &l.err), &l.err);
    kt_true(n > 300 && n <= 1000);
    kt_eq_i(list[n - 1].kind, KEN_FILE_ADDED);
    ken_str kept;
    kt_ok_err(ken_store_load_value(l.store, KEN_STR(KEN_INDEX_EVENTS), &l.arena, &kept, &l.err),
              &l.err);
    kt_true(kept.len <= 64 * 1024);
    lab_end(&l);
}

// The same number of bytes in the same file: only its time tells.
KEN_TEST(a_change_of_the_same_size_is_noticed)
{
    make_tree();
    lab_run(&l);
    lab_write(&l, "notes.txt", "remember the silk\n");
    kt_eq_u(lab_run(&l)->n_modified, 1);
    kt_eq_str(lab_first(&l, KEN_SEARCH_TEXT, "silk"), "notes.txt:1");
    lab_end(&l);
}

// A write to the same bytes on disk, with as many of them, and the time put back.
KEN_TEST(a_change_right_after_a_run_is_noticed_though_its_time_is_the_same)
{
    make_tree();
    int64_t now = time(NULL);
    l.clock_s = now;
    lab_write(&l, "notes.txt", "remember the milk\n");
    lab_run(&l);
    ken_fs_stamp before = row_of("notes.txt").stamp;
    l.clock_s = now;
    lab_write(&l, "notes.txt", "remember the silk\n");
    const ken_index_report *r = lab_run(&l);
    kt_eq_i(row_of("notes.txt").stamp.mtime_ns, before.mtime_ns);
    kt_eq_u(r->n_modified, 1);
    kt_eq_u(r->n_unchanged, 4);
    kt_eq_str(lab_first(&l, KEN_SEARCH_TEXT, "silk"), "notes.txt:1");
    lab_end(&l);
}

// As `cp -p` over a file does it: size, time of modification and inode stay. Only the time of the
// change tells, in a run and in an answer.
KEN_TEST(x8_a_copy_that_keeps_all_times_is_noticed)
{
    make_tree();
    lab_write(&l, "notes.txt", "remember the milk\n");
    lab_run(&l);
    ken_fs_stamp before = row_of("notes.txt").stamp;
    l.clock_s = before.mtime_ns / 1000000000;
    lab_write(&l, "notes.txt", "remember the silk\n");
    kt_eq_str(lab_first(&l, KEN_SEARCH_AUTO, "remember milk"), "notes.txt:1");
    ken_snapshot *s = lab_open(&l);
    ken_search_result found;
    ken_search_opts o = { .wants_content = true };
    kt_ok(ken_search(s, KEN_STR("remember"), &o, NULL, &l.arena, &found, &l.err));
    kt_eq_u(found.n_hits, 1);
    kt_true(found.hits[0].is_refreshed);
    lab_close(s);
    kt_eq_u(lab_run(&l)->n_modified, 1);
    ken_fs_stamp after = row_of("notes.txt").stamp;
    kt_eq_i(after.mtime_ns, before.mtime_ns);
    kt_eq_u(after.inode, before.inode);
    kt_true(after.ctime_ns > before.ctime_ns);
    lab_end(&l);
}

// One left-out file in place of another: there are as many as before.
KEN_TEST(x8_the_list_of_skips_follows_what_is_left_out)
{
    make_tree();
    lab_write_n(&l, "one.bin", "\0\1\2\3", 4);
    lab_write(&l, "one.min.js", "var a;\n");
    kt_eq_u(lab_run(&l)->n_skipped, 2);
    lab_move(&l, "one.bin", "two.bin");
    lab_move(&l, "one.min.js", "two.min.js");
    kt_eq_u(lab_run(&l)->n_skipped, 2);
    ken_skip_row *rows;
    size_t n;
    kt_ok(ken_store_load_skips(l.store, KEN_SKIP_NONE, 10, &l.arena, &rows, &n, &l.err));
    kt_eq_u(n, 2);
    for (size_t i = 0; i < n; i++)
        kt_true(ken_str_starts(rows[i].path, KEN_STR("two.")));
    uint64_t generation = lab_generation(&l);
    lab_run(&l);
    kt_eq_u(lab_generation(&l), generation);
    lab_end(&l);
}

KEN_TEST(a_file_left_out_right_before_is_looked_at_again)
{
    make_tree();
    int64_t now = time(NULL);
    l.clock_s = now;
    lab_write_n(&l, "data.txt", "\0\1\2\3\0\1\2\3", 8);
    kt_eq_u(lab_run(&l)->n_skipped, 1);
    l.clock_s = now;
    lab_write(&l, "data.txt", "rye bred");
    kt_eq_u(lab_run(&l)->n_skipped, 0);
    kt_true(is_indexed("data.txt"));
    lab_end(&l);
}

KEN_TEST(looking_again_writes_nothing_when_nothing_changed)
{
    make_tree();
    l.clock_s = time(NULL);
    lab_write(&l, "notes.txt", "remember the milk\n");
    lab_write_n(&l, "data.txt", "\0\1\2\3\0\1\2\3", 8);
    lab_run(&l);
    for (int i = 0; i < 3; i++) {
        const ken_index_report *r = lab_run(&l);
        kt_eq_u(r->generation, 1);
        kt_eq_u(lab_generation(&l), 1);
        kt_eq_u(r->n_unchanged, 5);
        kt_eq_u(r->n_skipped, 1);
        kt_eq_u(r->n_parsed, 0);
        check_sum();
    }
    lab_end(&l);
}

KEN_TEST(a_touched_file_counts_as_unchanged)
{
    make_tree();
    lab_run(&l);
    ken_fs_stamp before = row_of("notes.txt").stamp;
    lab_write(&l, "notes.txt", "remember the milk\n");
    lab_run(&l);
    kt_eq_u(l.report.n_unchanged, 5);
    kt_true(row_of("notes.txt").stamp.mtime_ns > before.mtime_ns);
    check_sum();
    lab_end(&l);
}

// To read again is not to change.
KEN_TEST(a_forced_run_keeps_the_times_of_contents)
{
    make_tree();
    lab_run(&l);
    ken_file_row before = row_of("src/auth.py"), other = row_of("notes.txt");
    lab_write(&l, "notes.txt", "remember the silk\n");
    l.opts.is_forced = true;
    usleep(5000);
    const ken_index_report *r = lab_run(&l);
    kt_eq_i(row_of("src/auth.py").changed_at_ms, before.changed_at_ms);
    kt_true(row_of("notes.txt").changed_at_ms > other.changed_at_ms);
    kt_eq_u(r->n_modified, 1);
    kt_eq_u(r->n_unchanged, 4);
    kt_eq_u(r->n_parsed, 5);
    check_sum();
    lab_end(&l);
}

// When its content last changed: a new name is no new content.
KEN_TEST(a_renamed_file_keeps_the_time_of_its_content)
{
    make_tree();
    lab_run(&l);
    ken_file_row before = row_of("src/queue.c");
    lab_move(&l, "src/queue.c", "fifo.c");
    usleep(5000);
    lab_run(&l);
    kt_eq_i(row_of("fifo.c").changed_at_ms, before.changed_at_ms);
    lab_end(&l);
}

KEN_TEST(a_touched_file_is_read_but_not_parsed)
{
    make_tree();
    lab_run(&l);
    ken_file_row before = row_of("notes.txt");
    lab_write(&l, "notes.txt", "remember the milk\n");
    const ken_index_report *r = lab_run(&l);
    kt_eq_u(r->n_parsed, 0);
    kt_eq_u(r->n_modified, 0);
    kt_eq_i(row_of("notes.txt").content, before.content);
    kt_eq_i(row_of("notes.txt").changed_at_ms, before.changed_at_ms);
    uint64_t g = r->generation;
    kt_eq_u(lab_run(&l)->generation, g); // and the new time is known now
    lab_end(&l);
}

KEN_TEST(an_added_and_a_deleted_file)
{
    make_tree();
    lab_run(&l);
    lab_write(&l, "src/new.go", "package src\n\nfunc Dispatch() {}\n");
    const ken_index_report *r = lab_run(&l);
    kt_eq_u(r->n_added, 1);
    kt_eq_u(r->n_files, 6);
    kt_eq_u(r->n_parsed, 1);
    check_sum();
    kt_eq_str(lab_first(&l, KEN_SEARCH_SYMBOL, "Dispatch"), "src/new.go:3");
    lab_remove(&l, "src/new.go");
    r = lab_run(&l);
    kt_eq_u(r->n_removed, 1);
    kt_eq_u(r->n_files, 5);
    kt_eq_u(r->n_parsed, 0);
    check_sum();
    kt_eq_str(lab_first(&l, KEN_SEARCH_SYMBOL, "Dispatch"), "");
    lab_end(&l);
}

KEN_TEST(a_renamed_file_keeps_its_row_and_is_not_parsed)
{
    make_tree();
    lab_run(&l);
    ken_file_row before = row_of("src/queue.c");
    lab_move(&l, "src/queue.c", "lib/deep/fifo.c");
    const ken_index_report *r = lab_run(&l);
    kt_eq_u(r->n_renamed, 1);
    kt_eq_u(r->n_added + r->n_removed + r->n_modified, 0);
    kt_eq_u(r->n_parsed, 0);
    check_sum();
    ken_file_row after = row_of("lib/deep/fifo.c");
    kt_eq_i(after.id, before.id);
    kt_eq_i(after.content, before.content);
    kt_false(is_indexed("src/queue.c"));
    kt_eq_str(lab_first(&l, KEN_SEARCH_SYMBOL, "queue_pop"), "lib/deep/fifo.c:1");
    lab_end(&l);
}

KEN_TEST(two_files_swap_their_names)
{
    make_tree();
    lab_run(&l);
    lab_move(&l, "src/queue.c", "tmp.c");
    lab_move(&l, "src/auth.py", "src/queue.c");
    lab_move(&l, "tmp.c", "src/auth.py");
    kt_eq_u(lab_run(&l)->n_files, 5);
    check_sum();
    kt_eq_str(lab_first(&l, KEN_SEARCH_TEXT, "queue_pop"), "src/auth.py:1");
    lab_end(&l);
}

KEN_TEST(a_whole_folder_is_renamed)
{
    make_tree();
    for (int i = 0; i < 20; i++) {
        char path[40], text[60];
        snprintf(path, sizeof path, "old/f%d.py", i);
        snprintf(text, sizeof text, "def handler_%d():\n    pass\n", i);
        lab_write(&l, path, text);
    }
    lab_run(&l);
    lab_move(&l, "old", "new");
    const ken_index_report *r = lab_run(&l);
    kt_eq_u(r->n_renamed, 20);
    kt_eq_u(r->n_parsed, 0);
    kt_eq_str(lab_first(&l, KEN_SEARCH_SYMBOL, "handler_13"), "new/f13.py:1");
    lab_end(&l);
}

KEN_TEST(files_with_one_content_share_it)
{
    make_tree();
    for (int i = 0; i < 4; i++) {
        char path[40];
        snprintf(path, sizeof path, "copies/c%d.py", i);
        lab_write(&l, path, "def shared_helper():\n    pass\n");
    }
    const ken_index_report *r = lab_run(&l);
    kt_eq_u(r->n_files, 9);
    kt_eq_u(r->n_parsed, 6);
    for (int i = 1; i < 4; i++) {
        char path[40];
        snprintf(path, sizeof path, "copies/c%d.py", i);
        kt_eq_i(row_of(path).content, row_of("copies/c0.py").content);
    }
    ken_snapshot *s = lab_open(&l);
    ken_search_result found;
    kt_ok(ken_search(s, KEN_STR("shared_helper"), &(ken_search_opts){ .mode = KEN_SEARCH_SYMBOL },
                     NULL, &l.arena, &found, &l.err));
    kt_eq_u(found.n_hits, 4);
    lab_close(s);
    lab_remove(&l, "copies/c0.py"); // the others keep it
    lab_write(&l, "copies/c1.py", "def changed():\n    pass\n");
    kt_eq_u(lab_run(&l)->n_files, 8);
    kt_eq_str(lab_first(&l, KEN_SEARCH_SYMBOL, "shared_helper"), "copies/c2.py:1");
    lab_end(&l);
}

// What was learnt stays known for a while: going back to an earlier state parses nothing.
KEN_TEST(going_back_to_an_old_state_parses_nothing)
{
    make_tree();
    lab_run(&l);
    lab_write(&l, "src/auth.py", "def other():\n    pass\n");
    lab_remove(&l, "web/app.ts");
    lab_run(&l);
    lab_write(&l, "src/auth.py", "def log_in(user):\n    return check(user)\n");
    lab_write(&l, "web/app.ts", "export function renderPage(): string {\n  return '';\n}\n");
    const ken_index_report *r = lab_run(&l);
    kt_eq_u(r->n_parsed, 0);
    kt_eq_u(r->n_modified, 1);
    kt_eq_u(r->n_added, 1);
    kt_eq_str(lab_first(&l, KEN_SEARCH_SYMBOL, "renderPage"), "web/app.ts:1");
    lab_end(&l);
}

// ---- files that stop being text ----------------------------------------------------------------

static void becomes(ken_str text, ken_skip_reason why)
{
    make_tree();
    lab_run(&l);
    lab_write_n(&l, "src/auth.py", text.ptr, text.len);
    const ken_index_report *r = lab_run(&l);
    kt_eq_u(r->n_files, 4);
    kt_eq_u(r->n_removed, 1);
    kt_eq_u(r->n_skipped, 1);
    kt_eq_u(r->skips[why], 1);
    kt_false(is_indexed("src/auth.py"));
    kt_eq_str(lab_first(&l, KEN_SEARCH_SYMBOL, "log_in"), "");
    uint64_t g = r->generation;
    r = lab_run(&l); // and is not read again
    kt_eq_u(r->generation, g);
    kt_eq_u(r->skips[why], 1);
    lab_write(&l, "src/auth.py", "def back_again():\n    pass\n");
    r = lab_run(&l);
    kt_eq_u(r->n_files, 5);
    kt_eq_u(r->n_skipped, 0);
    kt_eq_str(lab_first(&l, KEN_SEARCH_SYMBOL, "back_again"), "src/auth.py:1");
    lab_end(&l);
}

KEN_TEST(a_file_becomes_binary)
{
    becomes(KEN_STR("def x():\0\1\2\3 pass"), KEN_SKIP_BINARY);
}

KEN_TEST(a_file_becomes_empty)
{
    becomes(KEN_STR(""), KEN_SKIP_EMPTY);
}

KEN_TEST(a_file_becomes_broken_utf8)
{
    becomes(KEN_STR("def caf\xe9_\xff\xfe():\n    pass # \xe9\xe8\n"), KEN_SKIP_ENCODING);
}

KEN_TEST(a_file_becomes_too_large)
{
    ken_buf b = KEN_BUF_INIT(0);
    while (b.len <= 1 << 20)
        ken_buf_puts(&b, "value = compute(value)\n");
    becomes(ken_buf_str(&b), KEN_SKIP_TOO_LARGE);
    ken_buf_release(&b);
}

KEN_TEST(the_limit_of_size_is_a_setting)
{
    make_tree();
    l.opts.scan.max_file_bytes = 30;
    const ken_index_report *r = lab_run(&l);
    kt_eq_u(r->n_files, 2); // README.md and notes.txt
    kt_eq_u(r->skips[KEN_SKIP_TOO_LARGE], 3);
    l.opts.scan.max_file_bytes = 0;
    kt_eq_u(lab_run(&l)->n_files, 5);
    lab_end(&l);
}

KEN_TEST(files_that_may_hold_secrets_are_left_out)
{
    make_tree();
    lab_write(&l, "prod.env", "PASSWORD=hunter2\n");
    lab_write(&l, "certs/server.pem", "-----BEGIN CERTIFICATE-----\n");
    lab_write(&l, "src/secret_manager.c", "int secret_rotate(void) { return 0; }\n");
    const ken_index_report *r = lab_run(&l);
    kt_eq_u(r->skips[KEN_SKIP_SECRET], 2);
    kt_true(is_indexed("src/secret_manager.c")); // code about secrets is code
    lab_move(&l, "notes.txt", "notes.key");
    r = lab_run(&l);
    kt_eq_u(r->skips[KEN_SKIP_SECRET], 3);
    kt_false(is_indexed("notes.key"));
    kt_eq_str(lab_first(&l, KEN_SEARCH_TEXT, "the milk"), "");
    lab_end(&l);
}

KEN_TEST(ignored_files_leave_the_index)
{
    make_tree();
    lab_run(&l);
    lab_write(&l, ".gitignore", "web/\n*.txt\n");
    const ken_index_report *r = lab_run(&l);
    kt_false(is_indexed("web/app.ts"));
    kt_false(is_indexed("notes.txt"));
    kt_eq_u(r->n_removed, 2);
    lab_remove(&l, ".gitignore");
    lab_run(&l);
    kt_true(is_indexed("web/app.ts"));
    lab_end(&l);
}

KEN_TEST(patterns_choose_files)
{
    make_tree();
    ken_str include[] = { KEN_STR("src/**"), KEN_STR("*.md") }, exclude[] = { KEN_STR("*.c") };
    l.opts.scan.include = include;
    l.opts.scan.n_include = 2;
    l.opts.scan.exclude = exclude;
    l.opts.scan.n_exclude = 1;
    kt_eq_u(lab_run(&l)->n_files, 2);
    kt_true(is_indexed("src/auth.py"));
    kt_true(is_indexed("README.md"));
    lab_end(&l);
}

// ---- runs --------------------------------------------------------------------------------------

KEN_TEST(a_forced_run_parses_everything_again)
{
    make_tree();
    lab_run(&l);
    ken_file_row before = row_of("src/auth.py");
    char *was = lab_describe(&l, (const char *const[]){ "log in", "queue" }, 2);
    l.opts.is_forced = true;
    for (int i = 0; i < 3; i++) {
        const ken_index_report *r = lab_run(&l);
        kt_eq_u(r->n_parsed, 5);
        kt_eq_u(r->n_files, 5);
        kt_eq_u(r->n_removed + r->n_added, 0);
    }
    kt_eq_i(row_of("src/auth.py").id, before.id);
    char *is = lab_describe(&l, (const char *const[]){ "log in", "queue" }, 2);
    kt_eq_str(is, was);
    ken_free(was);
    ken_free(is);
    l.opts.is_forced = false;
    uint64_t g = lab_generation(&l);
    kt_eq_u(lab_run(&l)->generation, g);
    lab_end(&l);
}

KEN_TEST(a_forced_run_keeps_one_content_for_equal_files)
{
    lab_start(&l);
    lab_write(&l, "a.py", "def same():\n    return 1\n");
    lab_write(&l, "b/a.py", "def same():\n    return 1\n");
    lab_run(&l);
    l.opts.is_forced = true;
    lab_run(&l);
    kt_eq_u(l.report.n_parsed, 1);
    ken_file_row *rows;
    size_t n;
    kt_ok_err(ken_store_load_files(l.store, &l.arena, &rows, &n, NULL, &l.err), &l.err);
    kt_eq_u(n, 2);
    kt_true(rows[0].content == rows[1].content);
    lab_end(&l);
}

KEN_TEST(any_number_of_workers_says_the_same)
{
    make_tree();
    lab_seed(31);
    for (int i = 0; i < 60; i++) {
        char path[40];
        snprintf(path, sizeof path, "gen/f%02d.%s", i, i % 3 ? "py" : "c");
        ken_buf b = KEN_BUF_INIT(0);
        lab_put_code(&b, path);
        lab_write(&l, path, b.ptr);
        ken_buf_release(&b);
    }
    static const char *const queries[] = { "session client", "retry", "queue worker buffer" };
    char *first = NULL;
    for (uint32_t jobs = 1; jobs <= 5; jobs += 2) {
        l.opts.n_jobs = jobs;
        ken_store_close(l.store);
        char db[64];
        snprintf(db, sizeof db, "index/jobs%u.db", jobs);
        l.db = ktest_path(db);
        l.store = lab_open_store(l.db, false);
        kt_eq_u(lab_run(&l)->n_files, 65);
        char *text = lab_describe(&l, queries, 3);
        if (first)
            kt_eq_str(text, first);
        ken_free(first);
        first = text;
    }
    ken_free(first);
    lab_end(&l);
}

static void note_stage(void *ctx, const ken_index_progress *p)
{
    ken_buf *b = ctx;
    kt_true(p->n_done <= p->n_total && p->bytes_done <= p->bytes_total);
    if (!b->len || !ken_str_ends(ken_buf_str(b), ken_str_c(p->stage)))
        ken_buf_printf(b, " %s", p->stage);
}

KEN_TEST(progress_tells_each_stage)
{
    make_tree();
    ken_buf stages = KEN_BUF_INIT(0);
    l.opts.on_progress = note_stage;
    l.opts.progress_ctx = &stages;
    lab_run(&l);
    kt_eq_text(ken_buf_str(&stages), " scanning indexing committing");
    ken_buf_release(&stages);
    lab_end(&l);
}

KEN_TEST(a_root_that_is_gone_is_an_error_and_harms_nothing)
{
    make_tree();
    lab_run(&l);
    const char *root = l.root;
    l.root = ktest_path("nowhere");
    kt_status(lab_try(&l, NULL), KEN_ENOTFOUND);
    kt_true(l.err.msg[0] != '\0');
    l.root = root;
    kt_eq_u(lab_generation(&l), 1);
    kt_eq_u(lab_run(&l)->n_unchanged, 5);
    lab_end(&l);
}

KEN_TEST(two_writers_take_turns)
{
    make_tree();
    lab_run(&l);
    ken_store *other = NULL;
    kt_ok(ken_store_open(&(ken_store_opts){ .path = l.db, .busy_ms = 50 }, &other, NULL));
    kt_ok(ken_store_begin_write(other, NULL));
    ken_store_close(l.store);
    kt_ok(ken_store_open(&(ken_store_opts){ .path = l.db, .busy_ms = 50 }, &l.store, NULL));
    lab_write(&l, "notes.txt", "remember to wait\n");
    kt_status(lab_try(&l, NULL), KEN_EBUSY);
    ken_store_rollback(other);
    ken_store_close(other);
    kt_eq_u(lab_run(&l)->n_modified, 1);
    lab_end(&l);
}

// ---- upkeep ------------------------------------------------------------------------------------

static size_t n_segments(void)
{
    ken_segment_info *segments;
    size_t n;
    kt_ok(ken_store_list_segments(l.store, KEN_SEGMENT_WORDS, &l.arena, &segments, &n, &l.err));
    return n;
}

KEN_TEST(segments_stay_few)
{
    make_tree();
    lab_run(&l);
    for (int i = 0; i < 60; i++) {
        char text[80];
        snprintf(text, sizeof text, "def version_%d():\n    return %d\n", i, i);
        lab_write(&l, i % 2 ? "src/auth.py" : "src/other.py", text);
        lab_run(&l);
        kt_true(n_segments() <= 9);
    }
    kt_eq_str(lab_first(&l, KEN_SEARCH_SYMBOL, "version_59"), "src/auth.py:1");
    kt_eq_str(lab_first(&l, KEN_SEARCH_TEXT, "version_57"), "");
    kt_ok_err(ken_store_verify(l.store, &l.err), &l.err);
    lab_end(&l);
}

// A file that is edited all day is found as well as on its first day.
KEN_TEST(editing_a_file_often_does_not_lower_its_score)
{
    make_tree();
    lab_write(&l, "src/hot.py", "def hot_spot(value):\n    return value\n");
    lab_run(&l);
    ken_search_result r;
    ken_search_opts o = { .mode = KEN_SEARCH_AUTO };
    ken_snapshot *s = lab_open(&l);
    kt_ok(ken_search(s, KEN_STR("hot spot value"), &o, NULL, &l.arena, &r, &l.err));
    kt_eq_u(r.n_hits, 1);
    double first = r.hits[0].score;
    lab_close(s);
    for (int i = 0; i < 40; i++) {
        char text[80];
        snprintf(text, sizeof text, "def hot_spot(value):\n    return value # %d\n", 100 + i);
        lab_write(&l, "src/hot.py", text);
        lab_run(&l);
    }
    lab_write(&l, "src/hot.py", "def hot_spot(value):\n    return value\n");
    lab_run(&l);
    s = lab_open(&l);
    kt_ok(ken_search(s, KEN_STR("hot spot value"), &o, NULL, &l.arena, &r, &l.err));
    kt_near(r.hits[0].score, first, 1e-6);
    lab_close(s);
    lab_end(&l);
}
