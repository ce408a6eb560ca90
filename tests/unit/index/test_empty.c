// SPDX-License-Identifier: MIT
// An index without files says why; what a run may use is divided once.
#include "index/index_priv.h"
#include "index_lab.h"

static const char *note_of(index_lab *l)
{
    const ken_index_report *r = lab_run(l);
    kt_eq_u(r->n_files, 0);
    return ken_index_empty_note(r, &l->opts, &l->arena).ptr;
}

KEN_TEST(a_tree_that_git_ignores_says_so)
{
    index_lab l;
    lab_start(&l);
    lab_write(&l, ".gitignore", "/*\n");
    lab_write(&l, "main.c", "int main(void) { return 0; }\n");
    const char *note = note_of(&l);
    kt_has_str(note, "no file was indexed: 2 ignored");
    kt_has_str(note, ".gitignore");
    kt_has_str(note, "git add -f");
    lab_end(&l);
}

KEN_TEST(a_tree_of_binaries_or_of_nothing_says_so)
{
    index_lab l;
    lab_start(&l);
    kt_has_str(note_of(&l), "the folder has no files");
    lab_write_n(&l, "data", "\0\1\2\3", 4);
    const char *note = note_of(&l);
    kt_has_str(note, "1 binary");
    kt_has_str(note, "ken status --skipped");
    lab_end(&l);
}

KEN_TEST(an_include_that_nothing_matches_says_so)
{
    index_lab l;
    lab_start(&l);
    static const ken_str globs[] = { { "*.zig", 5 } };
    lab_write(&l, "main.c", "int main(void) { return 0; }\n");
    l.opts.scan.include = globs;
    l.opts.scan.n_include = 1;
    kt_has_str(note_of(&l), "--include");
    lab_end(&l);
}

KEN_TEST(an_index_with_files_has_no_note)
{
    index_lab l;
    lab_start(&l);
    lab_write(&l, "main.c", "int main(void) { return 0; }\n");
    const ken_index_report *r = lab_run(&l);
    kt_eq_u(ken_index_empty_note(r, &l.opts, &l.arena).len, 0);
    lab_end(&l);
}

KEN_TEST(the_parts_of_a_limit_leave_half_for_the_rest)
{
    for (uint64_t limit = 64 << 20; limit < (uint64_t)1 << 40; limit *= 4) {
        index_memory m = ken_index__split_memory(limit, 0);
        kt_true(m.builders && m.in_work && m.identifiers);
        kt_true(m.builders + m.in_work + m.identifiers <= limit / 2);
        kt_true(m.n_workers >= 4 && m.n_workers <= limit / 2 / INDEX_WORKER_BYTES);
    }
    kt_eq_u(ken_index__split_memory(0, 0).builders,
            ken_index__split_memory(INDEX_MEMORY_DEFAULT, 0).builders);
}

KEN_TEST(what_is_held_already_is_taken_off_a_limit)
{
    const uint64_t limit = 256 << 20;
    index_memory m = ken_index__split_memory(limit, 128 << 20);
    kt_eq_u(m.builders, ken_index__split_memory(128 << 20, 0).builders);
    kt_eq_u(m.n_workers, ken_index__split_memory(128 << 20, 0).n_workers);
    m = ken_index__split_memory(limit, limit * 4); // the least that a run can do with
    kt_eq_u(m.in_work, INDEX_MEMORY_LEAST / 4);
    kt_true(m.n_workers >= 1);
}

KEN_TEST(what_a_large_file_took_is_given_back_before_small_ones)
{
    kt_true(ken_index__is_outgrown(INDEX_LARGE_FILE + 1, INDEX_LARGE_FILE));
    kt_true(ken_index__is_outgrown(INDEX_MEDIUM_FILE + 4, 1000));
    kt_true(!ken_index__is_outgrown(INDEX_MEDIUM_FILE + 4, INDEX_MEDIUM_FILE / 2));
    kt_true(!ken_index__is_outgrown(INDEX_MEDIUM_FILE, 0)); // small ones are not worth it
}

KEN_TEST(a_limit_that_cannot_hold_says_what_would)
{
    index_lab l;
    lab_start(&l);
    lab_write(&l, "main.c", "int main(void) { return 0; }\n");
    kt_eq_u(lab_run(&l)->memory_needed, 0);
    kt_eq_str(ken_index_memory_note(&l.report, &l.arena).ptr, "");
    lab_write(&l, "other.c", "int other(void) { return 0; }\n");
    l.opts.memory_limit = 16 << 20;
    kt_true(lab_run(&l)->memory_needed > l.opts.memory_limit);
    const char *note = ken_index_memory_note(&l.report, &l.arena).ptr;
    kt_has_str(note, "16 MiB of memory are too little");
    kt_has_str(note, "raise --memory-limit");
    kt_eq_u(l.report.n_files, 2);
    lab_end(&l);
}

KEN_TEST(what_a_run_needs_grows_with_its_list_and_its_largest_file)
{
    const uint64_t mib = 1 << 20;
    kt_eq_u(ken_index__memory_needed(0, 0), INDEX_MEMORY_LEAST);
    kt_eq_u(ken_index__memory_needed(100 * mib, 1000), 100 * mib + INDEX_MEMORY_LEAST);
    kt_true(ken_index__memory_needed(0, mib) > 64 * mib);
    kt_eq_u(ken_index_map_bytes(256 * mib), 32 * mib);
    kt_eq_u(ken_index_map_bytes(0), 64 * mib);
}
