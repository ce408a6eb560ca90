// SPDX-License-Identifier: MIT
// What checkpoints cost when there are many: bench_checkpoints [TREE]
//
// An index of TREE gets N checkpoints (100,000), then every operation is asked for many times, as
// an agent would in a warm server: saved, updated, read, listed by tags, searched. Texts are lines
// of the files of TREE. Of the tags one is on every checkpoint, one on every second, and so on:
// long and short lists both.
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/path.h"
#include "base/utf8.h"
#include "bench.h"
#include "checkpoint/checkpoint.h"
#include "index/index.h"
#include "query/query.h"
#include "store/store.h"

static const char help[] =
    "bench_checkpoints [--chunks N] [--queries N] [--temp DIR] [--json] [TREE]\n"
    "  N checkpoints (100,000) in the index of TREE: save, update, get, list, search, delete";

enum {
    N_CHECKPOINTS = 100000,
    N_QUERIES = 1000,
    BATCH = 5000,
    LISTED = 50,
    FOUND = 10,
    LINE_BYTES = 300,
    LINES_MAX_BYTES = 32 << 20,
};

static const char *const tags[] = { "all", "half", "third", "fourth", "seventh", "hundredth" };
static const unsigned parts[] = { 1, 2, 3, 4, 7, 100 };

enum {
    N_TAGS = sizeof tags / sizeof *tags,
};

typedef struct bench {
    ken_arena arena, kept;
    bench_lines lines;
    ken_store *writer, *reader, *pinned;
    ken_reader *asking;
    ken_snapshot *snap;
    ken_checkpoints *service;
    uint64_t seed;
    size_t n;
} bench;

static uint64_t next(bench *b)
{
    b->seed = b->seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return b->seed >> 33;
}

static ken_uuid id_of(size_t i)
{
    char text[40];
    snprintf(text, sizeof text, "bench %zu", i);
    return ken_uuid_of(ken_str_c(text));
}

static bool is_summary(ken_str line)
{
    return bench_is_prose(line) && line.len < LINE_BYTES && ken_utf8_is_valid(line);
}

static ken_str any_line(bench *b)
{
    return b->lines.ptr[next(b) % b->lines.len];
}

static ken_str summary_of(bench *b, size_t i)
{
    return ken_arena_printf(&b->arena, KEN_STR_FMT " %zu",
                            KEN_STR_ARG(bench_first_words(any_line(b), 8)), i);
}

static ken_str description_of(bench *b)
{
    return ken_arena_printf(&b->arena, KEN_STR_FMT "\n" KEN_STR_FMT "\n" KEN_STR_FMT,
                            KEN_STR_ARG(any_line(b)), KEN_STR_ARG(any_line(b)),
                            KEN_STR_ARG(any_line(b)));
}

// Sorted, as the store wants them.
static size_t tags_of(size_t i, const ken_str **out)
{
    static const size_t order[] = { 0, 3, 1, 5, 4, 2 };
    static ken_str kept[N_TAGS];
    size_t n = 0;
    for (size_t k = 0; k < N_TAGS; k++)
        if (i % parts[order[k]] == 0)
            kept[n++] = ken_str_c(tags[order[k]]);
    *out = kept;
    return n;
}

static void fill(bench *b)
{
    ken_err err = { 0 };
    for (size_t i = 0; i < b->n;) {
        bench_check(ken_store_begin_write(b->writer, &err), &err);
        for (size_t end = i + BATCH; i < end && i < b->n; i++) {
            ken_checkpoint_row row = { .uuid = id_of(i),
                                       .created_at_ms = 1,
                                       .updated_at_ms = 1,
                                       .summary = summary_of(b, i),
                                       .description = description_of(b),
                                       .git_dirty = KEN_STR("[]"),
                                       .context = KEN_STR("{}") };
            row.n_tags = tags_of(i, &row.tags);
            bench_check(ken_store_put_checkpoint(b->writer, &row, &err), &err);
        }
        bench_check(ken_store_commit(b->writer, &err), &err);
        ken_arena_reset(&b->arena);
    }
}

static ken_status lend_writer(void *ctx, ken_store **out, ken_err *err)
{
    (void)err;
    *out = ((bench *)ctx)->writer;
    return KEN_OK;
}

static void open_all(bench *b, const char *root, const char *db)
{
    ken_err err = { 0 };
    ken_index_report report;
    bench_check(ken_store_open(&(ken_store_opts){ .path = db }, &b->writer, &err), &err);
    bench_check(
        ken_index_run(b->writer, root, &(ken_index_opts){ 0 }, NULL, &b->arena, &report, &err),
        &err);
    bench_check(
        ken_store_open(&(ken_store_opts){ .path = db, .is_read_only = true }, &b->reader, &err),
        &err);
    bench_check(
        ken_store_open(&(ken_store_opts){ .path = db, .is_read_only = true }, &b->pinned, &err),
        &err);
    b->asking = ken_reader_new(b->pinned);
    bench_check(ken_reader_pin(b->asking, &b->snap, &err), &err);
}

static void serve(bench *b, const char *root)
{
    ken_checkpoints_free(b->service);
    b->service = ken_checkpoints_new(&(ken_checkpoints_opts){ .snap = b->snap,
                                                              .store = b->reader,
                                                              .root = root,
                                                              .open_writer = lend_writer,
                                                              .writer_ctx = b });
}

// ---- one of each -------------------------------------------------------------------------------

static void save(bench *b, size_t i)
{
    ken_err err = { 0 };
    ken_checkpoint saved;
    const ken_str *some = NULL;
    ken_checkpoint_draft d = { .summary = summary_of(b, i),
                               .description = description_of(b),
                               .now_ms = ken_clock_wall_ms() };
    d.n_tags = tags_of(i, &some);
    d.tags = some;
    bench_check(ken_checkpoints_save(b->service, &d, NULL, &b->arena, &saved, &err), &err);
}

static void update(bench *b, size_t i)
{
    ken_err err = { 0 };
    ken_checkpoint saved;
    ken_checkpoint_draft d = { .is_update = true,
                               .id = id_of(next(b) % b->n),
                               .summary = summary_of(b, i),
                               .now_ms = ken_clock_wall_ms() };
    bench_check(ken_checkpoints_save(b->service, &d, NULL, &b->arena, &saved, &err), &err);
}

static void get(bench *b, size_t i)
{
    ken_err err = { 0 };
    ken_checkpoint c;
    (void)i;
    bench_check(ken_checkpoints_load(b->service, id_of(next(b) % b->n), &b->arena, &c, &err), &err);
}

static void list(bench *b, size_t i)
{
    ken_err err = { 0 };
    ken_checkpoint_page page;
    ken_str all[2] = { ken_str_c(tags[next(b) % N_TAGS]), ken_str_c(tags[next(b) % N_TAGS]) };
    ken_str any[2] = { ken_str_c(tags[next(b) % N_TAGS]), KEN_STR("nothing") };
    ken_str none = ken_str_c(tags[1 + next(b) % (N_TAGS - 1)]);
    ken_checkpoint_query q = { .limit = LISTED,
                               .n_description = 300,
                               .filter = { .all = all, .any = any, .none = &none } };
    q.filter.n_all = i % 3; // none, one, two
    q.filter.n_any = i % 2 ? 2 : 0;
    q.filter.n_none = i % 5 == 4;
    bench_check(ken_checkpoints_list(b->service, &q, &b->arena, &page, &err), &err);
}

static void find(bench *b, size_t i, bool wants_indexed, bool by_tag)
{
    ken_err err = { 0 };
    ken_checkpoint_page page;
    ken_str some = ken_str_c(tags[next(b) % N_TAGS]);
    ken_checkpoint_query q = { .limit = FOUND,
                               .n_description = 300,
                               .wants_indexed = wants_indexed,
                               .filter = { .all = &some, .n_all = by_tag } };
    ken_str text = bench_first_words(any_line(b), 3 + i % 3);
    bench_check(ken_checkpoints_search(b->service, text, &q, NULL, &b->arena, &page, &err), &err);
}

static void search_notes(bench *b, size_t i)
{
    find(b, i, false, false);
}

static void search_by_tag(bench *b, size_t i)
{
    find(b, i, false, true);
}

static void search_with_files(bench *b, size_t i)
{
    find(b, i, true, false);
}

static void delete_one(bench *b, size_t i)
{
    ken_err err = { 0 };
    bench_check(ken_checkpoints_remove(b->service, id_of(b->n - 1 - i), &b->arena, &err), &err);
}

static void measure(bench *b, json_t *top, const char *name, void (*fn)(bench *, size_t), size_t n)
{
    bench_samples samples = { 0 };
    for (size_t i = 0; i < n; i++) {
        ken_arena_reset(&b->arena);
        int64_t start = ken_clock_mono_ns();
        fn(b, i);
        ken_vec_push(&samples, bench_ms(ken_clock_mono_ns() - start));
    }
    json_object_set_new(top, name, bench_quantiles(&samples));
    ken_vec_release(&samples);
}

static void measure_first(bench *b, json_t *top, const char *name, void (*fn)(bench *, size_t))
{
    int64_t start = ken_clock_mono_ns();
    fn(b, 0);
    ken_json_set_real(top, name, bench_ms(ken_clock_mono_ns() - start));
}

BENCH_MAIN(checkpoints)
{
    bench_args a;
    bench_args_parse(argc, argv, help, &a);
    ken_arena names;
    ken_arena_init(&names, 0);
    const char *root = bench_path(&a, &names), *temp = bench_temp(&a, &names);
    const char *plain = ken_path_join(&names, ken_str_c(temp), KEN_STR("plain")).ptr;
    const char *db = ken_path_join(&names, ken_str_c(temp), KEN_STR("p.db")).ptr;
    bench b = { .seed = 7, .n = a.n_chunks ? a.n_chunks : N_CHECKPOINTS };
    size_t n = a.n_queries ? a.n_queries : N_QUERIES;
    ken_arena_init(&b.arena, 0);
    ken_arena_init(&b.kept, 0);
    ken_err err = { 0 };
    bench_read_lines(root, LINES_MAX_BYTES, is_summary, &b.kept, &b.lines);
    bench_check(ken_fs_make_dirs(plain, 0700, &err), &err);
    open_all(&b, root, db);
    json_t *top = bench_report("checkpoints", root);
    ken_json_set_u64(top, "checkpoints", b.n);
    int64_t start = ken_clock_mono_ns();
    fill(&b);
    ken_json_set_real(top, "fill_ms", bench_ms(ken_clock_mono_ns() - start));
    serve(&b, plain); // git has nothing to say there
    measure_first(&b, top, "first_list_ms", list);
    measure_first(&b, top, "first_search_ms", search_notes);
    measure(&b, top, "save", save, n);
    measure(&b, top, "update", update, n);
    measure(&b, top, "get", get, n);
    measure(&b, top, "list", list, n);
    measure(&b, top, "search_notes", search_notes, n);
    measure(&b, top, "search_by_tag", search_by_tag, n);
    measure(&b, top, "search_with_files", search_with_files, n);
    measure(&b, top, "delete", delete_one, n);
    serve(&b, root);
    measure(&b, top, "save_with_git", save, n / 10);
    bench_print(top);
    ken_checkpoints_free(b.service);
    ken_reader_unpin(b.asking);
    ken_reader_free(b.asking);
    ken_store_close(b.pinned);
    ken_store_close(b.reader);
    ken_store_close(b.writer);
    bench_remove_tree(temp);
    ken_vec_release(&b.lines);
    ken_arena_release(&b.kept);
    ken_arena_release(&b.arena);
    ken_arena_release(&names);
    return 0;
}
