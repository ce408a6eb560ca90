// SPDX-License-Identifier: MIT
// Reads, opens and writes fail while what people wrote is brought back out of its journal. A failure is
// told, or the answer is whole; afterwards nothing is lost, the journal is as long as it was, and no
// database was moved away: a shortage, or a read that fails once, is no damage.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "fault/interpose.h"
#include "ktest.h"
#include "proc/proc.h"
#include "store/catalog.h"
#include "store/tasks.h"

#if defined(__SANITIZE_THREAD__)
#define IS_SUPPORTED 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define IS_SUPPORTED 0
#endif
#endif
#ifndef IS_SUPPORTED
#define IS_SUPPORTED 1
#endif

enum {
    TIME_LIMIT_MS = 20000,
    N_VALUES = 30, // of 60 KB: the journal is longer than what is read at once
    VALUE_BYTES = 60000,
    CALLS_MAX = 400,
    TRIES = 40,
};

typedef struct outcome {
    int code, signal;
    char out[4096], errors[4096];
} outcome;

static fault_state *state;
static ken_err err;

static const char *at(const char *rel)
{
    return ktest_path(rel);
}

static void run_ken(const char *const *args, bool has_faults, outcome *o)
{
    char data[600], home[600], preload[600], where[600];
    const char *argv[12] = { KEN_BINARY };
    for (size_t i = 0; args[i]; i++)
        argv[i + 1] = args[i];
    snprintf(data, sizeof data, "KEN_DATA_DIR=%s", at("data"));
    snprintf(home, sizeof home, "HOME=%s", at("home"));
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", KEN_FAULT_LIBRARY);
    snprintf(where, sizeof where, "KEN_FAULT_STATE=%s", at("state"));
    const char *const env[] = { data,
                                home,
                                "NO_COLOR=1",
                                "XDG_CONFIG_HOME",
                                has_faults ? preload : "LD_PRELOAD",
                                has_faults ? where : "KEN_FAULT_STATE",
                                "ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0",
                                NULL };
    ken_proc_opts opts = {
        .argv = argv, .cwd = at("home"), .env = env, .timeout_ms = TIME_LIMIT_MS
    };
    ken_proc_result r = { 0 };
    kt_ok_err(ken_proc_run(&opts, &r, &err), &err);
    *o = (outcome){ .code = r.exit_code, .signal = r.signal };
    snprintf(o->out, sizeof o->out, KEN_STR_FMT, KEN_STR_ARG(ken_buf_str(&r.out)));
    snprintf(o->errors, sizeof o->errors, KEN_STR_FMT, KEN_STR_ARG(ken_buf_str(&r.errors)));
    ken_proc_result_release(&r);
}

static void shell(const char *command)
{
    const char *const argv[] = { "sh", "-c", command, NULL };
    ken_proc_result r = { 0 };
    kt_ok_err(ken_proc_run(&(ken_proc_opts){ .argv = argv, .cwd = ktest_dir() }, &r, &err), &err);
    kt_eq_i(r.exit_code, 0);
    ken_proc_result_release(&r);
}

static void add_task(ken_catalog *c, ken_arena *arena, const char *title)
{
    ken_task out = { 0 }, t = { .uuid = ken_uuid_random(),
                                .title = ken_str_c(title),
                                .status = KEN_STR("need to be done"),
                                .created_at_ms = 1000 };
    kt_ok_err(ken_catalog_add_task(c, &t, arena, &out, &err), &err);
}

static void make_place(void)
{
    ken_arena arena;
    ken_catalog *c = NULL;
    ken_arena_init(&arena, 0);
    char *value = ken_alloc(VALUE_BYTES + 1);
    memset(value, 'v', VALUE_BYTES);
    value[VALUE_BYTES] = '\0';
    ktest_write("home/.keep", "");
    kt_ok_err(ken_catalog_open(at("data/config/projects.db"), false, &c, &err), &err);
    add_task(c, &arena, "the first task");
    for (int i = 0; i < N_VALUES; i++) {
        char name[32];
        snprintf(name, sizeof name, "value.%d", i);
        kt_ok_err(ken_catalog_put_value(c, ken_str_c(name), ken_str_c(value), &err), &err);
    }
    add_task(c, &arena, "the last task");
    ken_catalog_close(c);
    ken_free(value);
    ken_arena_release(&arena);
    int fd = open(at("state"), O_RDWR | O_CREAT, 0600);
    kt_true(fd >= 0 && !ftruncate(fd, sizeof *state));
    state = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    kt_true(state != MAP_FAILED);
    close(fd);
    shell("cp -a data data.good");
}

static void check_nothing_is_lost(const char *what, bool may_be_moved)
{
    static const char *const list[] = { "task", "list", NULL };
    outcome o;
    run_ken(list, false, &o);
    if (o.code || !strstr(o.out, "the first task") || !strstr(o.out, "the last task"))
        kt_fail("%s: afterwards: %s%s", what, o.out, o.errors);
    ken_fs_info good, now;
    kt_ok_err(ken_fs_stat_target(at("data.good/config/projects.db.writes"), &good, &err), &err);
    kt_ok_err(ken_fs_stat_target(at("data/config/projects.db.writes"), &now, &err), &err);
    if (now.stamp.size < good.stamp.size)
        kt_fail("%s: the journal has %llu bytes of %llu", what, (unsigned long long)now.stamp.size,
                (unsigned long long)good.stamp.size);
    if (!may_be_moved && ken_fs_exists(at("data/config/projects.db.damaged-1")))
        kt_fail("%s: a sound database was moved away", what);
}

static void try_faults(fault_class class, int error, bool is_from_then_on, bool is_gone,
                       const char *const *args)
{
    outcome o;
    uint64_t n = 0;
    for (uint64_t k = 0; k <= n && k <= CALLS_MAX; k += k && n > TRIES ? n / TRIES : 1) {
        char what[200];
        snprintf(what, sizeof what, "ken %s, database %s, fault %d at %llu%s", args[0],
                 is_gone ? "gone" : "sound", (int)class, (unsigned long long)k,
                 is_from_then_on ? " and after" : "");
        shell("rm -rf data && cp -a data.good data");
        if (is_gone)
            shell("rm -f data/config/projects.db data/config/projects.db-*");
        *state = (fault_state){
            .class = class, .at = k, .is_from_then_on = is_from_then_on, .error = error
        };
        run_ken(args, true, &o);
        if (!k)
            n = state->n_calls; // none failed
        if (o.signal)
            kt_fail("%s: signal %d: %s", what, o.signal, o.errors);
        if (!o.code && !strcmp(args[0], "task") && !strstr(o.out, "the last task"))
            kt_fail("%s: a wrong answer: %s", what, o.out);
        check_nothing_is_lost(what, is_gone);
    }
    kt_true(n > 0);
}

static const char *const list_tasks[] = { "task", "list", NULL };
static const char *const restore[] = { "restore", NULL };

#define FAULTS(id, class, error, is_from_then_on, is_gone, args)   \
    KEN_TEST(id)                                                   \
    {                                                              \
        if (!IS_SUPPORTED)                                         \
            kt_skip("faults", "the thread sanitizer has its own"); \
        make_place();                                              \
        try_faults(class, error, is_from_then_on, is_gone, args);  \
        munmap(state, sizeof *state);                              \
    }

FAULTS(failed_reads_are_not_the_end_of_the_journal, FAULT_READ, EIO, false, true, list_tasks)
FAULTS(failed_reads_while_restoring_lose_nothing, FAULT_READ, EIO, false, true, restore)
FAULTS(a_sound_database_that_is_not_read_once_is_not_moved, FAULT_READ, EIO, false, false, restore)
FAULTS(a_shortage_of_files_is_no_damage, FAULT_OPEN, EMFILE, true, false, restore)
FAULTS(a_missing_right_is_no_damage, FAULT_OPEN, EACCES, false, false, restore)
FAULTS(failed_writes_while_restoring_lose_nothing, FAULT_WRITE, ENOSPC, true, true, restore)

// A task is durable by its record: who cannot sync that does not say that the task was made.
KEN_TEST(a_task_whose_record_is_not_synced_is_refused)
{
    static const char *const new_task[] = { "task", "new", "a third task", NULL };
    outcome o;
    if (!IS_SUPPORTED)
        kt_skip("faults", "the thread sanitizer has its own");
    make_place();
    *state = (fault_state){ .class = FAULT_SYNC, .at = 1, .is_from_then_on = true, .error = EIO };
    run_ken(new_task, true, &o);
    kt_true(o.code != 0);
    kt_true(state->n_failed > 0);
    check_nothing_is_lost("a failed sync", false);
    *state = (fault_state){ .class = FAULT_SYNC };
    run_ken(new_task, true, &o);
    kt_eq_i(o.code, 0);
    kt_true(state->n_calls > 0);
    munmap(state, sizeof *state);
}
