// SPDX-License-Identifier: MIT
// One file, one chunk, the numbers of an index.
#include "unit/query/sample_lab.h"

static ken_status view(const char *path, ken_file_view *out)
{
    l.err = (ken_err){ 0 };
    return ken_view_file(snap, ken_str_c(path), &l.arena, out, &l.err);
}

KEN_TEST(a_file_is_found_by_any_spelling_of_its_path)
{
    sample_start();
    char absolute[4096];
    lab_path(&l, "worker/mailer.py", absolute);
    const char *const spellings[] = { "worker/mailer.py", "./worker/mailer.py", "worker//mailer.py",
                                      "worker/tests/../mailer.py", absolute };
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        ken_file_view v;
        kt_ok_err(view(spellings[i], &v), &l.err);
        kt_eq_text(v.path, "worker/mailer.py");
        kt_eq_text(v.language, "python");
        kt_false(v.is_refreshed);
        ken_str text = disk(v.path);
        kt_eq_mem(v.text.ptr, v.text.len, text.ptr, text.len);
        kt_true(v.facts->n_symbols >= 6);
    }
    sample_end();
}

KEN_TEST(chunk_ids_are_those_of_hits)
{
    sample_start();
    ken_search_result r = ask_with("parcel", (ken_search_opts){ .limit = 50 });
    for (size_t i = 0; i < r.n_hits; i++) {
        const ken_hit *h = &r.hits[i];
        ken_file_view v;
        kt_ok_err(ken_view_file(snap, h->path, &l.arena, &v, &l.err), &l.err);
        kt_true(h->chunk_index < v.facts->n_chunks);
        kt_true(ken_uuid_eq(v.chunk_ids[h->chunk_index], h->chunk_id));
        const ken_span span = v.facts->chunks[h->chunk_index].span;
        kt_true(span.start <= h->span.start && h->span.end <= span.end);
        ken_str path;
        uint32_t index;
        kt_ok_err(ken_find_chunk(snap, h->chunk_id, &l.arena, &path, &index, &l.err), &l.err);
        kt_eq_text(path, h->path.ptr);
        kt_eq_u(index, h->chunk_index);
    }
    sample_end();
}

KEN_TEST(an_unknown_chunk_is_not_found)
{
    sample_start();
    ken_str path;
    uint32_t index;
    kt_status(
        ken_find_chunk(snap, ken_uuid_of(KEN_STR("nothing")), &l.arena, &path, &index, &l.err),
        KEN_ENOTFOUND);
    kt_has_str(l.err.msg, "no chunk has the id");
    sample_end();
}

static void not_found(const char *path, const char *says)
{
    ken_file_view v;
    kt_status(view(path, &v), KEN_ENOTFOUND);
    kt_has_str(l.err.msg, says);
}

KEN_TEST(near_paths_are_named)
{
    sample_start();
    not_found("retry_policy.py", "worker/retry_policy.py");
    not_found("src/retry_policy.py", "worker/retry_policy.py");
    not_found("MONEY.java", "billing/src/main/java/post/Money.java");
    not_found("no/such/file.zig", "relative to the root");
    sample_end();
}

KEN_TEST(nothing_outside_of_the_root_is_shown)
{
    sample_start();
    ktest_write("neighbour.py", "secret = 1\n");
    not_found("../neighbour.py", "neighbour.py");
    not_found("worker/../../neighbour.py", "neighbour.py");
    not_found("/etc/passwd", "passwd");
    not_found("..", "..");
    not_found("/", "/");
    not_found("worker", "worker"); // a folder
    static const char *const away[] = { "../neighbour.py", "worker/../../neighbour.py",
                                        "/etc/passwd", ".." };
    for (size_t i = 0; i < sizeof away / sizeof *away; i++) {
        not_found(away[i], "outside of the project, whose root is '");
        not_found(away[i], "/tree'");
    }
    sample_end();
}

KEN_TEST(bad_paths_are_refused)
{
    sample_start();
    ken_file_view v;
    kt_status(view("", &v), KEN_EINVAL);
    kt_has_str(l.err.msg, "file_path");
    kt_status(ken_view_file(snap, ken_str_n("a\0b", 3), &l.arena, &v, &l.err), KEN_EINVAL);
    char *longest = ken_alloc(5001);
    memset(longest, 'a', 5000);
    longest[5000] = '\0';
    kt_status(view(longest, &v), KEN_EINVAL);
    ken_free(longest);
    sample_end();
}

KEN_TEST(a_changed_file_is_viewed_as_it_is_now)
{
    sample_start();
    lab_write(&l, "worker/mailer.py", "def only_this():\n    pass\n");
    ken_file_view v;
    kt_ok_err(view("worker/mailer.py", &v), &l.err);
    kt_true(v.is_refreshed);
    kt_eq_text(v.text, "def only_this():\n    pass\n");
    kt_eq_u(v.facts->n_symbols, 1);
    kt_eq_text(v.facts->symbols[0].name, "only_this");
    sample_end();
}

KEN_TEST(the_numbers_of_an_index)
{
    sample_start();
    ken_snapshot_stats s;
    kt_ok_err(ken_snapshot_get_stats(snap, &l.arena, &s, &l.err), &l.err);
    kt_eq_u(s.generation, 1);
    kt_eq_u(s.n_files, l.report.n_files);
    kt_eq_u(s.n_chunks, l.report.n_chunks);
    kt_eq_u(s.n_symbols, l.report.n_symbols);
    kt_eq_u(s.n_error_files, 0);
    kt_eq_u(s.n_fallback_files, 0);
    kt_eq_u(s.n_segments, 3); // words, vectors, names
    kt_true(s.segment_bytes > 1000 && s.store_bytes > s.segment_bytes);
    kt_true(s.indexed_at_ms > 0);
    uint64_t files = 0, lines = 0, bytes = 0;
    for (size_t i = 0; i < s.n_langs; i++) {
        files += s.langs[i].n_files;
        lines += s.langs[i].n_lines;
        bytes += s.langs[i].n_bytes;
        kt_true(i == 0 || s.langs[i].n_files <= s.langs[i - 1].n_files);
    }
    kt_eq_u(files, s.n_files);
    kt_eq_u(lines, s.n_lines);
    kt_eq_u(bytes, s.n_bytes);
    sample_end();
}

KEN_TEST(lines_and_names_for_people)
{
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_str text = KEN_STR("  def  f(a,\n        b):\n");
    kt_eq_text(ken_view_line(&a, text, (ken_span){ 0, (uint32_t)text.len }), "def f(a, b):");
    kt_eq_text(ken_view_line(&a, text, (ken_span){ 5, 5 }), "");
    kt_eq_text(ken_view_line(&a, text, (ken_span){ 7, 900 }), "f(a, b):");
    ken_symbol symbols[] = { { .name = KEN_STR("Outer"), .parent = -1 },
                             { .name = KEN_STR("Inner"), .parent = 0 },
                             { .name = KEN_STR("run"), .parent = 1 },
                             { .name = KEN_STR("Outer"), .parent = 0 },
                             { .name = KEN_STR("size"), .parent = 3 } };
    ken_facts f = { .symbols = symbols, .n_symbols = 5 };
    kt_eq_text(ken_view_qualified(&a, &f, 2), "Outer.Inner.run");
    kt_eq_text(ken_view_qualified(&a, &f, 0), "Outer");
    kt_eq_text(ken_view_qualified(&a, &f, 3), "Outer");      // an impl of its own name
    kt_eq_text(ken_view_qualified(&a, &f, 4), "Outer.size"); // typedef struct Outer { … } Outer
    ken_arena_release(&a);
}
