// SPDX-License-Identifier: MIT
// fuzz_journal -- the journal beside a database, with lines from anywhere, put into the database.
//
// The first byte: 1 = the database is new, else it has a project, a value and a task; 2 = the index
// of a project, which has checkpoints; 4 = what follows stands behind the journal there is. Then
// lines: one that begins with '=' gets the sum that makes it count. What is put in can be read, or a
// reading says why not; the next one to open it finds nothing left to do.
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/fs.h"
#include "base/hash.h"
#include "store/catalog.h"
#include "store/checkpoints.h"
#include "store/store.h"
#include "store/tasks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    IS_NEW = 1,
    IS_INDEX = 2,
    IS_BEHIND = 4,
    INPUT_MAX = 1 << 16,
    LISTED = 50
};

static char dir[64], path[96], journal[112];

// A database and its journal as they are before the input.
typedef struct sample {
    ken_buf db, journal;
} sample;

static sample samples[2];

static void clear_folder(void)
{
    DIR *d = opendir(dir);
    KEN_ASSERT(d);
    for (struct dirent *e; (e = readdir(d));)
        (void)unlinkat(dirfd(d), e->d_name, 0);
    (void)closedir(d);
}

static void remove_folder(void)
{
    clear_folder();
    (void)rmdir(dir);
}

static void write_file(const char *name, ken_str text)
{
    FILE *f = fopen(name, "wb");
    KEN_ASSERT(f && fwrite(text.ptr, 1, text.len, f) == text.len);
    KEN_ASSERT(fclose(f) == 0);
}

// ---- samples -----------------------------------------------------------------------------------

static void fill_catalog(void)
{
    ken_catalog *c = NULL;
    ken_arena arena;
    ken_catalog_row row;
    ken_task_reference ref = { .path = KEN_STR("docs/plan.md"),
                               .type = KEN_STR("plan"),
                               .at_ms = 5 };
    ken_task t = { .uuid.bytes = { 7 },
                   .title = KEN_STR("a task"),
                   .status = KEN_STR("open"),
                   .references = &ref,
                   .n_references = 1,
                   .created_at_ms = 5,
                   .updated_at_ms = 5 };
    ken_task_edit edit = { .branch = KEN_STR("main"), .now_ms = 9 };
    ken_arena_init(&arena, 0);
    KEN_ASSERT(!ken_catalog_open(path, false, &c, NULL));
    KEN_ASSERT(!ken_catalog_add(c, KEN_STR("/home/me/app"), KEN_STR("app"), 5, &arena, &row, NULL));
    KEN_ASSERT(!ken_catalog_put_value(c, KEN_STR("rules.project"), KEN_STR("app"), NULL));
    KEN_ASSERT(!ken_catalog_add_task(c, &t, &arena, &t, NULL));
    KEN_ASSERT(!ken_catalog_update_task(c, t.uuid, &edit, &arena, &t, NULL));
    ken_catalog_close(c);
    ken_arena_release(&arena);
}

static void fill_index(void)
{
    ken_store *s = NULL;
    const ken_str tags[] = { KEN_STR("a"), KEN_STR("b") };
    ken_checkpoint_row row = { .uuid.bytes = { 9 },
                               .created_at_ms = 5,
                               .updated_at_ms = 5,
                               .summary = KEN_STR("stood here"),
                               .git_dirty = KEN_STR("[]"),
                               .context = KEN_STR("{}"),
                               .git_branch = KEN_STR("main"),
                               .git_commit = KEN_STR(""),
                               .description = KEN_STR("more"),
                               .tags = tags,
                               .n_tags = 2 };
    KEN_ASSERT(!ken_store_open(&(ken_store_opts){ .path = path }, &s, NULL));
    KEN_ASSERT(!ken_store_begin_write(s, NULL));
    KEN_ASSERT(!ken_store_put_checkpoint(s, &row, NULL));
    KEN_ASSERT(!ken_store_commit(s, NULL));
    ken_store_close(s);
}

static void make_sample(sample *s, bool is_index)
{
    if (is_index)
        fill_index();
    else
        fill_catalog();
    KEN_ASSERT(!ken_fs_read_own(path, (size_t)16 << 20, &s->db, NULL));
    KEN_ASSERT(!ken_fs_read_own(journal, (size_t)16 << 20, &s->journal, NULL));
    clear_folder();
}

static void make_samples(void)
{
    bool has_memory = !access("/dev/shm", W_OK | X_OK); // where syncing is free
    snprintf(dir, sizeof dir, "%s/ken-fuzz-XXXXXX", has_memory ? "/dev/shm" : "/tmp");
    KEN_ASSERT(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/p.db", dir);
    snprintf(journal, sizeof journal, "%s.writes", path);
    KEN_ASSERT(!atexit(remove_folder));
    for (size_t i = 0; i < 2; i++) {
        samples[i] = (sample){ KEN_BUF_INIT((size_t)16 << 20), KEN_BUF_INIT((size_t)16 << 20) };
        make_sample(&samples[i], i == 1);
    }
}

// ---- one input ---------------------------------------------------------------------------------

static void put_lines(ken_str text, ken_buf *out)
{
    while (text.len) {
        size_t n = ken_str_find_char(text, '\n');
        ken_str line = ken_str_sub(text, 0, n);
        bool is_sealed = ken_str_starts(line, KEN_STR("="));
        line = ken_str_sub(line, is_sealed, line.len);
        ken_buf_put_str(out, line);
        if (is_sealed)
            ken_buf_printf(out, " %016llx", (unsigned long long)ken_hash64(line.ptr, line.len));
        if (n != SIZE_MAX)
            ken_buf_putc(out, '\n');
        text = ken_str_sub(text, n == SIZE_MAX ? text.len : n + 1, text.len);
    }
}

static void check(ken_status st, const ken_err *err)
{
    KEN_ASSERT(!st || err->msg[0]);
}

static void read_catalog(ken_catalog *c, ken_arena *arena)
{
    ken_err err = { 0 };
    ken_catalog_row *rows;
    ken_model_record *models;
    ken_task *tasks;
    ken_task_filter all = { .limit = LISTED };
    ken_str value;
    size_t n;
    uint64_t total;
    check(ken_catalog_list(c, arena, &rows, &n, &err), &err);
    check(ken_catalog_list_models(c, arena, &models, &n, &err), &err);
    ken_status st = ken_catalog_load_value(c, KEN_STR("rules.project"), arena, &value, &err);
    KEN_ASSERT(!st || st == KEN_ENOTFOUND || err.msg[0]);
    st = ken_catalog_list_tasks(c, &all, arena, &tasks, &n, &total, &err);
    check(st, &err);
    for (size_t i = 0; !st && i < n; i++) {
        ken_task t;
        ken_status loaded = ken_catalog_load_task(c, tasks[i].uuid, arena, &t, &err);
        KEN_ASSERT(!loaded || err.msg[0]);
    }
}

// What was acknowledged is there, and the journal has nothing that the database lacks.
static void check_after(ken_arena *arena)
{
    ken_catalog *c = NULL;
    ken_catalog_journal report = { 0 };
    ken_str value;
    bool agrees = false;
    KEN_ASSERT(!ken_catalog_open(path, false, &c, NULL));
    KEN_ASSERT(!ken_catalog_load_value(c, KEN_STR("after"), arena, &value, NULL));
    KEN_ASSERT(!ken_catalog_settle(c, &report, NULL) && !report.n_applied);
    KEN_ASSERT(!ken_catalog_verify(c, &agrees, NULL) && agrees);
    ken_catalog_close(c);
}

static void use_catalog(void)
{
    ken_err err = { 0 };
    ken_arena arena;
    ken_catalog *c = NULL;
    ken_catalog_journal report = { 0 };
    check(ken_catalog_read_journal(path, &report, &err), &err);
    ken_status st = ken_catalog_open(path, false, &c, &err);
    check(st, &err);
    if (st)
        return;
    ken_arena_init(&arena, 0);
    read_catalog(c, &arena);
    st = ken_catalog_put_value(c, KEN_STR("after"), KEN_STR("it"), &err);
    check(st, &err);
    ken_catalog_close(c);
    if (!st)
        check_after(&arena);
    ken_arena_release(&arena);
}

static void use_index(void)
{
    ken_err err = { 0 };
    ken_arena arena;
    ken_store *s = NULL;
    ken_status st = ken_store_open(&(ken_store_opts){ .path = path }, &s, &err);
    check(st, &err);
    if (st)
        return;
    ken_arena_init(&arena, 0);
    ken_checkpoint_row *rows = NULL;
    ken_checkpoint_state state;
    size_t n = 0;
    st = ken_store_list_checkpoints(s, 0, LISTED, true, &arena, &rows, &n, &err);
    check(st, &err);
    check(ken_store_load_checkpoint_state(s, &state, &err), &err);
    check(ken_store_verify(s, &err), &err);
    ken_arena_release(&arena);
    ken_store_close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!dir[0])
        make_samples();
    if (!size || size > INPUT_MAX)
        return 0;
    const unsigned flags = data[0];
    const sample *s = &samples[(flags & IS_INDEX) != 0];
    ken_buf lines = KEN_BUF_INIT((size_t)16 << 20);
    clear_folder();
    if (!(flags & IS_NEW))
        write_file(path, ken_buf_str(&s->db));
    if (flags & IS_BEHIND)
        ken_buf_put_str(&lines, ken_buf_str(&s->journal));
    put_lines(ken_str_n((const char *)data + 1, size - 1), &lines);
    write_file(journal, ken_buf_str(&lines));
    if (flags & IS_INDEX)
        use_index();
    else
        use_catalog();
    ken_buf_release(&lines);
    return 0;
}
