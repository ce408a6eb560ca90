// SPDX-License-Identifier: MIT
// kill -9 at random instants of a process that writes into what ken remembers. Whatever the
// instant: every write that was acknowledged is there, the one that was under way is there whole or
// not at all, and the database is sound. In two of three rounds the databases are then taken away, and
// the same must be true of what comes back out of their journals.
//
// The process tells through a pipe what it begins and what was acknowledged; a model of what must
// be there is played along with it. Each kind of memory is a `memory` below: the driver knows
// nothing else of it.
//
// 100 kills, or 500 with KEN_TEST_SLOW set: 20 seconds to two minutes, as the disk is.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/clock.h"
#include "checkpoint/checkpoint.h"
#include "index/index.h"
#include "ktest.h"
#include "proc/proc_priv.h"
#include "sqlite_lab.h"
#include "task/task.h"

enum {
    WORK_MS = 20, // a process is killed within this time after its first write was acknowledged
    SLOTS = 24,
};

// One write. What it does follows from these numbers alone.
typedef struct step {
    bool is_done; // acknowledged; else it begins
    uint8_t kind; // of memory
    uint8_t what; // one of the kind's writes
    uint8_t slot;
    uint32_t value; // never used twice
    ken_uuid id;    // that the write gave, when it gives one
} step;

typedef struct memory {
    const char *db; // below the test's folder
    void (*open)(const char *path);
    void (*close)(void);
    uint8_t n_whats;
    // Does a step, in the process that will be killed; a step that makes no sense in the model's
    // state is made another one before.
    void (*choose)(step *s);
    ken_status (*write)(step *s, ken_err *err);
    // Does it in the model. False: it was under way, and nothing of it is there.
    bool (*apply)(const step *s);
    // Ends the test when what is there is not what the model has.
    void (*check)(void);
} memory;

static uint64_t seed = 88172645463325252u;
static ken_err err;
static ken_arena arena;

static uint32_t pick(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 11) % n;
}

static int n_kills(void)
{
    return getenv("KEN_TEST_SLOW") ? 500 : 100;
}

// ---- tasks -------------------------------------------------------------------------------------

typedef enum task_what {
    TASK_CREATE,
    TASK_UPDATE,
    TASK_LINK,
    TASK_DELETE,
    TASK_WHATS,
} task_what;

typedef struct task_state {
    bool exists;
    ken_uuid id;
    uint32_t created, value; // of its creation, and of its last update: both are in its texts
    uint32_t n_changes;      // of its status
    uint32_t n_branches, n_commits;
} task_state;

static const ken_str statuses[] = { { "need to be done", 15 },
                                    { "in-progress", 11 },
                                    { "complete", 8 } };

static ken_tasks *tasks;
static task_state task_model[SLOTS];

static void tasks_open(const char *path)
{
    const ken_tasks_opts opts = { .path = path, .statuses = statuses, .n_statuses = 3 };
    kt_ok_err(ken_tasks_open(&opts, &tasks, &err), &err);
}

static void tasks_close(void)
{
    ken_tasks_close(tasks);
    tasks = NULL;
}

static ken_str id_text(ken_uuid id)
{
    char text[KEN_UUID_TEXT];
    ken_uuid_format(id, text);
    return ken_arena_dup(&arena, ken_str_c(text));
}

static ken_str title_of(uint32_t value)
{
    return ken_arena_printf(&arena, "task %u", value);
}

static ken_str notes_of(uint32_t value)
{
    return ken_arena_printf(&arena, "notes %u", value);
}

static ken_str status_of(uint32_t value)
{
    return statuses[value % 3];
}

static void tasks_choose(step *s)
{
    if (!task_model[s->slot].exists)
        s->what = TASK_CREATE;
    else if (s->what == TASK_CREATE)
        s->what = TASK_UPDATE;
}

static ken_status tasks_write(step *s, ken_err *e)
{
    static const ken_task_reference refs[] = { { { "a.md", 4 }, { NULL, 0 }, 0 },
                                               { { "b.md", 4 }, { NULL, 0 }, 0 } };
    ken_str id = id_text(task_model[s->slot].id);
    ken_task_input in = { .now_ms = ken_clock_wall_ms() };
    ken_task t = { 0 };
    ken_status st = KEN_OK;
    switch ((task_what)s->what) {
    case TASK_CREATE:
        in.title = title_of(s->value);
        in.notes = notes_of(s->value);
        in.status = status_of(s->value);
        in.references = refs;
        in.n_references = 2;
        st = ken_tasks_create(tasks, &in, &arena, &t, e);
        s->id = t.uuid;
        return st;
    case TASK_UPDATE:
        in.notes = notes_of(s->value);
        in.status = status_of(s->value);
        break;
    case TASK_LINK:
        in.branch = ken_arena_printf(&arena, "branch/%u", s->value);
        in.commit = ken_arena_printf(&arena, "%040u", s->value);
        break;
    case TASK_DELETE:
    case TASK_WHATS:
        return ken_tasks_delete(tasks, id, &arena, &t, e);
    }
    return ken_tasks_update(tasks, id, &in, &arena, &t, e);
}

// The task that a creation made before the process was killed.
static bool find_created(uint32_t value, ken_uuid *out)
{
    ken_task_page page;
    kt_ok_err(ken_tasks_list(tasks, &(ken_task_query){ .limit = 1 }, &arena, &page, &err), &err);
    if (!page.n || !ken_str_eq(page.tasks[0].title, title_of(value)))
        return false;
    *out = page.tasks[0].uuid;
    return true;
}

static bool was_written(const step *s, const task_state *m)
{
    ken_task t;
    ken_status st = ken_tasks_get(tasks, id_text(m->id), &arena, &t, &err);
    if (s->what == TASK_DELETE)
        return st == KEN_ENOTFOUND;
    kt_ok_err(st, &err);
    return s->what == TASK_UPDATE ? ken_str_eq(t.notes, notes_of(s->value))
                                  : t.n_branches > m->n_branches;
}

static bool tasks_apply(const step *s)
{
    task_state *m = &task_model[s->slot];
    if (s->what == TASK_CREATE) {
        ken_uuid id = s->id;
        if (!s->is_done && !find_created(s->value, &id))
            return false;
        *m = (task_state){
            .exists = true, .id = id, .created = s->value, .value = s->value, .n_changes = 1
        };
        return true;
    }
    if (!s->is_done && !was_written(s, m))
        return false;
    if (s->what == TASK_DELETE) {
        m->exists = false;
    } else if (s->what == TASK_LINK) {
        m->n_branches++;
        m->n_commits++;
    } else {
        m->n_changes += s->value % 3 != m->value % 3;
        m->value = s->value;
    }
    return true;
}

static void check_task(const task_state *m)
{
    ken_task t;
    kt_ok_err(ken_tasks_get(tasks, id_text(m->id), &arena, &t, &err), &err);
    kt_true(ken_str_eq(t.title, title_of(m->created)));
    kt_true(ken_str_eq(t.notes, notes_of(m->value)));
    kt_true(ken_str_eq(t.status, status_of(m->value)));
    kt_eq_u(t.n_references, 2);
    kt_eq_u(t.n_changes, m->n_changes);
    kt_true(ken_str_eq(t.changes[t.n_changes - 1].to, t.status));
    kt_eq_u(t.n_branches, m->n_branches);
    kt_eq_u(t.n_commits, m->n_commits);
}

static void tasks_check(void)
{
    uint64_t n = 0, n_of[3] = { 0, 0, 0 };
    ken_task_page page;
    for (int i = 0; i < SLOTS; i++) {
        const task_state *m = &task_model[i];
        ken_task t;
        if (m->exists) {
            check_task(m);
            n++;
            n_of[m->value % 3]++;
        } else if (m->created) {
            kt_status(ken_tasks_get(tasks, id_text(m->id), &arena, &t, &err), KEN_ENOTFOUND);
        }
    }
    kt_ok(ken_tasks_list(tasks, &(ken_task_query){ 0 }, &arena, &page, &err));
    kt_eq_u(page.total, n);
    for (int i = 0; i < 3; i++) {
        kt_ok(ken_tasks_list(tasks, &(ken_task_query){ .status = statuses[i], .limit = 100 },
                             &arena, &page, &err));
        kt_eq_u(page.total, n_of[i]);
        kt_eq_u(page.n, n_of[i]);
    }
}

static const memory task_memory = { "data/config/projects.db",
                                    tasks_open,
                                    tasks_close,
                                    TASK_WHATS,
                                    tasks_choose,
                                    tasks_write,
                                    tasks_apply,
                                    tasks_check };

// ---- checkpoints -------------------------------------------------------------------------------

typedef enum checkpoint_what {
    CHECKPOINT_SAVE,
    CHECKPOINT_UPDATE,
    CHECKPOINT_DELETE,
    CHECKPOINT_WHATS,
} checkpoint_what;

typedef struct checkpoint_state {
    bool exists;
    ken_uuid id;
    uint32_t created, value; // of its first and of its last save: summary and tag have them
} checkpoint_state;

static ken_store *reader, *writer, *pinned;
static ken_reader *asking;
static ken_snapshot *snapshot;
static ken_checkpoints *checkpoints;
static checkpoint_state checkpoint_model[SLOTS];

static ken_status lend_writer(void *ctx, ken_store **out, ken_err *e)
{
    (void)ctx;
    (void)e;
    *out = writer;
    return KEN_OK;
}

// An index of one file, made by the first open.
static void make_index(const char *root)
{
    uint64_t generation = 0;
    ken_index_report report;
    kt_ok_err(ken_store_get_generation(writer, &generation, &err), &err);
    if (generation)
        return;
    ktest_write("tree/a.c", "int a;\n");
    kt_ok_err(
        ken_index_run(writer, root, &(ken_index_opts){ .n_jobs = 1 }, NULL, &arena, &report, &err),
        &err);
}

static void checkpoints_open(const char *path)
{
    static const char *root; // a test has only so many paths
    if (!root)
        root = ktest_path("tree");
    setenv("PATH", ktest_dir(), 1); // no git: starting one takes longer than all of a write
    ken_proc__start_again();
    kt_ok_err(ken_store_open(&(ken_store_opts){ .path = path }, &writer, &err), &err);
    make_index(root);
    kt_ok_err(
        ken_store_open(&(ken_store_opts){ .path = path, .is_read_only = true }, &reader, &err),
        &err);
    kt_ok_err(
        ken_store_open(&(ken_store_opts){ .path = path, .is_read_only = true }, &pinned, &err),
        &err);
    asking = ken_reader_new(pinned);
    kt_ok_err(ken_reader_pin(asking, &snapshot, &err), &err);
    checkpoints = ken_checkpoints_new(&(ken_checkpoints_opts){
        .snap = snapshot, .store = reader, .root = root, .open_writer = lend_writer });
}

static void checkpoints_close(void)
{
    ken_checkpoints_free(checkpoints);
    ken_reader_unpin(asking);
    ken_reader_free(asking);
    ken_store_close(pinned);
    ken_store_close(reader);
    ken_store_close(writer);
}

static void checkpoints_choose(step *s)
{
    if (!checkpoint_model[s->slot].exists)
        s->what = CHECKPOINT_SAVE;
    else if (s->what == CHECKPOINT_SAVE)
        s->what = CHECKPOINT_UPDATE;
}

// Every save writes one row, two tags and the state: all of them or none.
static ken_status checkpoints_write(step *s, ken_err *e)
{
    const checkpoint_state *m = &checkpoint_model[s->slot];
    const ken_str tags[] = { ken_arena_printf(&arena, "tag %u", s->value), KEN_STR("all") };
    ken_checkpoint_draft d = { .id = m->id,
                               .is_update = s->what == CHECKPOINT_UPDATE,
                               .summary = ken_arena_printf(&arena, "checkpoint %u", s->value),
                               .tags = tags,
                               .n_tags = 2,
                               .now_ms = ken_clock_wall_ms() };
    ken_checkpoint saved = { 0 };
    if (s->what == CHECKPOINT_DELETE)
        return ken_checkpoints_remove(checkpoints, m->id, &arena, e);
    ken_status st = ken_checkpoints_save(checkpoints, &d, NULL, &arena, &saved, e);
    s->id = saved.id;
    return st;
}

// The checkpoints that have a tag; with `tag` NULL all.
static ken_checkpoint_page list_checkpoints(const char *tag)
{
    ken_checkpoint_page page;
    ken_str text = ken_str_c(tag);
    ken_checkpoint_query q = { .filter = { .all = &text, .n_all = tag != NULL }, .limit = SLOTS };
    kt_ok_err(ken_checkpoints_list(checkpoints, &q, &arena, &page, &err), &err);
    return page;
}

static ken_checkpoint_page list_value(uint32_t value)
{
    return list_checkpoints(ken_arena_printf(&arena, "tag %u", value).ptr);
}

static bool checkpoints_apply(const step *s)
{
    checkpoint_state *m = &checkpoint_model[s->slot];
    ken_uuid id = s->id;
    if (!s->is_done) { // was it written?
        ken_checkpoint c;
        ken_checkpoint_page page = list_value(s->value);
        bool is_there = s->what == CHECKPOINT_DELETE
                            ? ken_checkpoints_load(checkpoints, m->id, &arena, &c, &err) != KEN_OK
                            : page.n == 1;
        if (!is_there)
            return false;
        if (page.n)
            id = page.items[0].id;
    }
    if (s->what == CHECKPOINT_SAVE)
        *m = (checkpoint_state){ .exists = true, .id = id, .created = s->value };
    m->exists = s->what != CHECKPOINT_DELETE;
    m->value = s->value;
    return true;
}

static void checkpoints_check(void)
{
    uint64_t n = 0;
    for (int i = 0; i < SLOTS; i++) {
        const checkpoint_state *m = &checkpoint_model[i];
        ken_checkpoint c;
        if (!m->created)
            continue;
        ken_status st = ken_checkpoints_load(checkpoints, m->id, &arena, &c, &err);
        kt_eq_u(st == KEN_OK, m->exists);
        if (!m->exists)
            continue;
        kt_true(ken_str_eq(c.summary, ken_arena_printf(&arena, "checkpoint %u", m->value)));
        kt_eq_u(c.n_tags, 2);
        kt_eq_u(list_value(m->value).n, 1);
        n++;
    }
    kt_eq_u(list_checkpoints(NULL).n_total, n);
    kt_eq_u(list_checkpoints("all").n_total, n);
}

static const memory checkpoint_memory = { "data/indexes/p.db", checkpoints_open,
                                          checkpoints_close,   CHECKPOINT_WHATS,
                                          checkpoints_choose,  checkpoints_write,
                                          checkpoints_apply,   checkpoints_check };

// ---- the driver --------------------------------------------------------------------------------

static const memory *const memories[] = { &task_memory, &checkpoint_memory };

enum {
    N_MEMORIES = sizeof memories / sizeof *memories
};

static void tell(int fd, const step *s)
{
    if (write(fd, s, sizeof *s) != sizeof *s) // less than a pipe takes at once
        _exit(3);
}

// Writes until it is killed.
static void work(int fd, uint32_t value)
{
    for (;; value++) {
        step s = { .kind = (uint8_t)pick(N_MEMORIES),
                   .slot = (uint8_t)pick(SLOTS),
                   .value = value };
        const memory *m = memories[s.kind];
        s.what = (uint8_t)pick(m->n_whats);
        m->choose(&s);
        tell(fd, &s);
        ken_status st = m->write(&s, &err);
        if (st) {
            fprintf(stderr, "child: %s\n", err.msg);
            _exit(2);
        }
        s.is_done = true;
        tell(fd, &s);
        if (!m->apply(&s))
            _exit(4);
        ken_arena_reset(&arena);
    }
}

static const char *paths[N_MEMORIES];

static void open_all(void)
{
    for (int i = 0; i < N_MEMORIES; i++)
        memories[i]->open(paths[i]);
}

static void close_all(void)
{
    for (int i = 0; i < N_MEMORIES; i++)
        memories[i]->close();
}

static pid_t start_work(int *out_fd, uint32_t value)
{
    int fds[2];
    kt_eq_i(pipe(fds), 0);
    pid_t pid = fork();
    kt_true(pid >= 0);
    if (!pid) {
        close(fds[0]);
        open_all();
        work(fds[1], value);
    }
    close(fds[1]);
    *out_fd = fds[0];
    return pid;
}

static bool hear(int fd, step *out)
{
    ssize_t n = read(fd, out, sizeof *out);
    kt_true(n == 0 || n == sizeof *out);
    return n > 0;
}

static void kill_soon(pid_t pid)
{
    int status = 0;
    struct timespec t = { 0, (long)pick(WORK_MS * 1000) * 1000 };
    nanosleep(&t, NULL);
    kt_eq_i(kill(pid, SIGKILL), 0);
    kt_true(waitpid(pid, &status, 0) == pid);
    kt_true(WIFSIGNALED(status)); // it never ends by itself
}

// Plays what was told on the models; returns the value after the last. What was under way when the
// process ended is there or not: the memory says.
static uint32_t play(const step *first, int fd, uint32_t value, uint32_t *n_acknowledged)
{
    step s = *first;
    bool is_under_way = false;
    do {
        is_under_way = !s.is_done;
        value = s.value + 1;
        if (s.is_done) {
            ++*n_acknowledged;
            kt_true(memories[s.kind]->apply(&s));
        }
    } while (hear(fd, &s));
    open_all();
    if (is_under_way)
        (void)memories[s.kind]->apply(&s);
    return value;
}

static void check_database(const char *path)
{
    static const char *const questions[] = {
        "SELECT group_concat(integrity_check) FROM pragma_integrity_check",
        "SELECT CASE count(*) WHEN 0 THEN 'ok' END FROM pragma_foreign_key_check"
    };
    sqlite3 *c = lab_open_sqlite(path);
    for (int i = 0; i < 2; i++) {
        sqlite3_stmt *st = NULL;
        kt_eq_i(sqlite3_prepare_v2(c, questions[i], -1, &st, NULL), SQLITE_OK);
        kt_eq_i(sqlite3_step(st), SQLITE_ROW);
        kt_eq_str((const char *)sqlite3_column_text(st, 0), "ok");
        sqlite3_finalize(st);
    }
    sqlite3_close(c);
}

// The databases are gone, or moved away because they are damaged: what was acknowledged is in their
// journals, and comes back when they are opened.
static void lose_databases(bool by_quarantine)
{
    static const char *const suffixes[] = { "", "-wal", "-shm" };
    for (int i = 0; i < N_MEMORIES; i++) {
        ken_str kept;
        if (by_quarantine)
            kt_ok_err(ken_store_quarantine(paths[i], &arena, &kept, &err), &err);
        for (size_t k = 0; k < 3; k++)
            kt_ok_err(
                ken_fs_remove(ken_arena_printf(&arena, "%s%s", paths[i], suffixes[k]).ptr, &err),
                &err);
    }
}

KEN_TEST(killed_writers_lose_no_acknowledged_write)
{
    uint32_t value = 1, n_acknowledged = 0;
    ken_arena_init(&arena, 0);
    for (int i = 0; i < N_MEMORIES; i++)
        paths[i] = ktest_path(memories[i]->db);
    open_all(); // the databases are made
    close_all();
    for (int round = 0; round < n_kills(); round++) {
        int fd = -1;
        step first;
        (void)pick(2); // another course than the child before
        pid_t pid = start_work(&fd, value);
        kt_true(hear(fd, &first) && hear(fd, &first)); // begun and acknowledged
        kill_soon(pid);
        if (round % 3)
            lose_databases(round % 3 == 2);
        value = play(&first, fd, value, &n_acknowledged);
        close(fd);
        for (int i = 0; i < N_MEMORIES; i++) {
            memories[i]->check();
            check_database(paths[i]);
        }
        close_all();
        ken_arena_reset(&arena);
    }
    kt_true(n_acknowledged >= (uint32_t)n_kills()); // far more where the disk is fast
    ken_arena_release(&arena);
}
