// SPDX-License-Identifier: MIT
// The service of tasks with many of them: bench_tasks [TREE]
//
// Tasks are made of lines of the files of TREE, in 40 projects, half of them on one of 2,000
// branches; most are complete. Then every operation, one at a time, each of them durable as always.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/path.h"
#include "bench.h"
#include "task/task.h"

static const char help[] =
    "bench_tasks [--chunks N] [--queries N] [--temp DIR] [--json] [TREE]\n"
    "  N tasks (100,000) of lines of TREE: time of every operation; to fill faster: --temp /dev/shm";

enum {
    N_TASKS = 100000,
    N_QUERIES = 2000,
    N_PROJECTS = 40,
    N_BRANCHES = 2000,
    LINES_MAX_BYTES = 16 << 20,
    LINE_MIN = 30,
    LINE_MAX = 180,
    DEEP_OFFSET = 50000,
};

static const ken_str statuses[] = { { "complete", 8 },
                                    { "need to be done", 15 },
                                    { "in-progress", 11 } };

typedef struct bench {
    ken_tasks *tasks;
    ken_arena arena;   // of all there is
    ken_arena scratch; // of one operation
    bench_lines lines;
    KEN_VEC(ken_uuid) ids;
    ken_uuid projects[N_PROJECTS];
    uint64_t seed;
    size_t n; // operations of each kind
    int fd;   // of a file that only the disk is measured with
    json_t *report;
    bool is_json;
} bench;

static ken_err err;

static size_t next(bench *b, size_t n)
{
    b->seed = b->seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (size_t)(b->seed >> 33) % n;
}

static ken_str any_line(bench *b)
{
    return b->lines.ptr[next(b, b->lines.len)];
}

// ---- what there is ---------------------------------------------------------------------------

static bool is_plain(ken_str line)
{
    bool is_one = line.len >= LINE_MIN && line.len <= LINE_MAX;
    for (size_t i = 0; i < line.len && is_one; i++)
        is_one = line.ptr[i] >= ' ' && line.ptr[i] < 0x7f;
    return is_one;
}

static ken_str branch_of(bench *b)
{
    return ken_arena_printf(&b->scratch, "feature/part-%zu", next(b, N_BRANCHES));
}

static ken_str status_of(bench *b)
{
    size_t n = next(b, 10);
    return statuses[n < 6 ? 0 : n < 9 ? 1 : 2];
}

static ken_str id_of(bench *b)
{
    char text[KEN_UUID_TEXT];
    ken_uuid_format(b->ids.ptr[next(b, b->ids.len)], text);
    return ken_arena_dup(&b->scratch, ken_str_c(text));
}

// ---- operations ------------------------------------------------------------------------------

static void create(bench *b)
{
    ken_task t = { 0 };
    ken_str line = any_line(b);
    const ken_task_reference ref = { KEN_STR("docs/plan.md"), { NULL, 0 }, 0 };
    const ken_task_input in = { .title = ken_str_sub(line, 0, 80),
                                .description = any_line(b),
                                .notes = any_line(b),
                                .status = status_of(b),
                                .references = &ref,
                                .n_references = 1,
                                .project = &b->projects[next(b, N_PROJECTS)],
                                .sets_project = true,
                                .now_ms = ken_clock_wall_ms() };
    bench_check(ken_tasks_create(b->tasks, &in, &b->scratch, &t, &err), &err);
    ken_vec_push(&b->ids, t.uuid);
}

static void update(bench *b, ken_task_input in)
{
    ken_task t;
    in.now_ms = ken_clock_wall_ms();
    bench_check(ken_tasks_update(b->tasks, id_of(b), &in, &b->scratch, &t, &err), &err);
}

static void update_texts(bench *b)
{
    update(b, (ken_task_input){ .notes = any_line(b), .status = status_of(b) });
}

static void link_branch(bench *b)
{
    update(b, (ken_task_input){ .branch = branch_of(b) });
}

static void link_commit(bench *b)
{
    update(b, (ken_task_input){ .commit =
                                    ken_arena_printf(&b->scratch, "%040zu", next(b, 1u << 30)) });
}

static void get(bench *b)
{
    ken_task t;
    bench_check(ken_tasks_get(b->tasks, id_of(b), &b->scratch, &t, &err), &err);
}

static void delete_task(bench *b)
{
    ken_task t;
    char id[KEN_UUID_TEXT];
    size_t at = next(b, b->ids.len);
    ken_uuid_format(b->ids.ptr[at], id);
    bench_check(ken_tasks_delete(b->tasks, ken_str_c(id), &b->scratch, &t, &err), &err);
    b->ids.ptr[at] = b->ids.ptr[--b->ids.len];
}

static void list(bench *b, ken_task_query q)
{
    ken_task_page page;
    bench_check(ken_tasks_list(b->tasks, &q, &b->scratch, &page, &err), &err);
}

static const ken_uuid *any_project(bench *b)
{
    return &b->projects[next(b, N_PROJECTS)];
}

// Some words in a row of a line that some task has.
static ken_str any_question(bench *b)
{
    ken_str line = any_line(b);
    size_t from = next(b, line.len / 2);
    return ken_str_sub(line, from, from + LINE_MIN);
}

static void list_all(bench *b)
{
    list(b, (ken_task_query){ 0 });
}

static void list_deep(bench *b)
{
    list(b, (ken_task_query){ .offset = next(b, DEEP_OFFSET) });
}

static void list_status(bench *b)
{
    list(b, (ken_task_query){ .status = status_of(b) });
}

static void list_project(bench *b)
{
    list(b, (ken_task_query){ .project = any_project(b) });
}

static void list_project_status(bench *b)
{
    list(b, (ken_task_query){ .project = any_project(b), .status = status_of(b) });
}

static void list_branch(bench *b)
{
    list(b, (ken_task_query){ .branch = branch_of(b) });
}

static void list_branch_status(bench *b)
{
    list(b, (ken_task_query){ .branch = branch_of(b), .status = status_of(b) });
}

static void search(bench *b)
{
    list(b, (ken_task_query){ .text = any_question(b) });
}

static void search_status(bench *b)
{
    list(b, (ken_task_query){ .text = any_question(b), .status = status_of(b) });
}

static void search_project(bench *b)
{
    list(b, (ken_task_query){ .text = any_question(b), .project = any_project(b) });
}

// What being durable costs here, whoever asks for it.
static void sync_disk(bench *b)
{
    char page[4096];
    memset(page, (int)next(b, 256), sizeof page);
    if (write(b->fd, page, sizeof page) != (ssize_t)sizeof page || fdatasync(b->fd))
        bench_die("the disk cannot be written");
}

// ---- measuring -------------------------------------------------------------------------------

static void note(bench *b, const char *name, json_t *figures)
{
    if (!b->is_json)
        printf("%-22s p50 %7.3f  p95 %7.3f  p99 %7.3f  max %8.3f ms\n", name,
               bench_real(figures, "p50_ms"), bench_real(figures, "p95_ms"),
               bench_real(figures, "p99_ms"), bench_real(figures, "max_ms"));
    ken_json_set(b->report, name, figures);
}

// `before`: what is done before each, and not measured; may be NULL.
static void measure(bench *b, const char *name, void (*op)(bench *b), void (*before)(bench *b))
{
    bench_samples samples = { 0 };
    for (size_t i = 0; i < b->n; i++) {
        if (before)
            before(b);
        int64_t from = ken_clock_mono_ns();
        op(b);
        ken_vec_push(&samples, bench_ms(ken_clock_mono_ns() - from));
        ken_arena_reset(&b->scratch);
    }
    note(b, name, bench_quantiles(&samples));
    ken_vec_release(&samples);
}

static void fill(bench *b, size_t n)
{
    int64_t from = ken_clock_mono_ns();
    for (size_t i = 0; i < N_PROJECTS; i++)
        b->projects[i] = ken_uuid_random();
    for (size_t i = 0; i < n; i++) {
        create(b);
        if (i % 2)
            link_branch(b);
        ken_arena_reset(&b->scratch);
    }
    double s = bench_ms(ken_clock_mono_ns() - from) / 1000;
    ken_json_set_real(b->report, "fill_s", s);
    if (!b->is_json)
        printf("%zu tasks made in %.1f s\n", n, s);
}

static void load(bench *b)
{
    int64_t from = ken_clock_mono_ns();
    search(b);
    double ms = bench_ms(ken_clock_mono_ns() - from);
    ken_json_set_real(b->report, "first_search_ms", ms);
    if (!b->is_json)
        printf("first question, which takes all into memory: %.0f ms\n", ms);
}

static void run(bench *b)
{
    static const struct {
        const char *name;
        void (*op)(bench *b), (*before)(bench *b);
    } rows[] = {
        { "get", get, NULL },
        { "list", list_all, NULL },
        { "list status", list_status, NULL },
        { "list project", list_project, NULL },
        { "list project+status", list_project_status, NULL },
        { "list branch", list_branch, NULL },
        { "list branch+status", list_branch_status, NULL },
        { "list offset to 50,000", list_deep, NULL },
        { "create", create, NULL },
        { "update", update_texts, NULL },
        { "link branch", link_branch, NULL },
        { "link commit", link_commit, NULL },
        { "delete", delete_task, NULL },
        { "4 KiB and fdatasync", sync_disk, NULL },
    }, searches[] = {
        { "search", search, NULL },
        { "search status", search_status, NULL },
        { "search project", search_project, NULL },
        { "search after a change", search, update_texts },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        measure(b, rows[i].name, rows[i].op, rows[i].before);
    load(b);
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++)
        measure(b, searches[i].name, searches[i].op, searches[i].before);
}

BENCH_MAIN(tasks)
{
    bench_args a;
    bench_args_parse(argc, argv, help, &a);
    bench b = { .seed = 1,
                .n = a.n_queries ? (size_t)a.n_queries : N_QUERIES,
                .is_json = a.is_json };
    ken_arena_init(&b.arena, 0);
    ken_arena_init(&b.scratch, 0);
    b.report = bench_report("tasks", NULL);
    bench_read_lines(bench_path(&a, &b.arena), LINES_MAX_BYTES, is_plain, &b.arena, &b.lines);
    ken_str path = ken_arena_printf(&b.arena, "%s/projects.db", bench_temp(&a, &b.arena));
    b.fd = open(ken_path_join(&b.arena, ken_path_dir(path), KEN_STR("sync")).ptr,
                O_WRONLY | O_CREAT | O_APPEND, 0600);
    const ken_tasks_opts opts = { .path = path.ptr, .statuses = statuses, .n_statuses = 3 };
    bench_check(ken_tasks_open(&opts, &b.tasks, &err), &err);
    fill(&b, a.n_chunks ? (size_t)a.n_chunks : N_TASKS);
    run(&b);
    ken_json_set_u64(b.report, "peak_bytes", bench_peak_bytes());
    if (b.is_json)
        bench_print(b.report);
    else
        json_decref(b.report);
    ken_tasks_close(b.tasks);
    (void)close(b.fd);
    ken_vec_release(&b.lines);
    ken_vec_release(&b.ids);
    ken_arena_release(&b.arena);
    ken_arena_release(&b.scratch);
    return 0;
}
