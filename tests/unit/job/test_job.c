// SPDX-License-Identifier: MIT
// Jobs with real projects, indexes and files. A job is held where it is by the lock of its project's index,
// which another process would have.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "job/job.h"
#include "job/job_priv.h"
#include "ktest.h"
#include "metrics/metrics.h"

enum {
    HEARD_MAX = 1000,
    PATIENCE_MS = 20000,
};

static ken_config *config;
static ken_app *app;
static ken_arena arena;
static ken_err err;

static struct {
    pthread_mutex_t lock;
    size_t n;
    struct {
        ken_uuid id;
        ken_job_state state;
        uint64_t n_done;
        int nice; // of the thread
    } items[HEARD_MAX];
} heard = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void hear(void *ctx, const ken_job *job)
{
    (void)ctx;
    pthread_mutex_lock(&heard.lock);
    if (heard.n < HEARD_MAX) {
        heard.items[heard.n].id = job->id;
        heard.items[heard.n].state = job->state;
        heard.items[heard.n].nice = getpriority(PRIO_PROCESS, 0);
        heard.items[heard.n++].n_done = job->n_done;
    }
    pthread_mutex_unlock(&heard.lock);
}

static size_t count_heard(void)
{
    pthread_mutex_lock(&heard.lock);
    size_t n = heard.n;
    pthread_mutex_unlock(&heard.lock);
    return n;
}

static void setup(const char *max_running)
{
    setenv("HOME", ktest_dir(), 1);
    setenv("XDG_CONFIG_HOME", ktest_path("cfg/"), 1);
    setenv("KEN_DATA_DIR", ktest_path("data"), 1);
    setenv("KEN_JOBS_MAX_RUNNING", max_running, 1);
    ken_arena_init(&arena, 0);
    heard.n = 0;
    kt_ok_err(ken_config_load(NULL, &config, &err), &err);
    kt_ok_err(ken_app_open(config, &app, &err), &err);
}

static void teardown(void)
{
    ken_app_close(app);
    ken_config_free(config);
    ken_arena_release(&arena);
}

static ken_jobs *open_jobs(void)
{
    ken_jobs *j = NULL;
    kt_ok_err(ken_jobs_open(app, NULL, &j, &err), &err);
    (void)ken_jobs_subscribe(j, hear, NULL);
    return j;
}

static ken_project_info add_project(const char *name)
{
    char file[100], dir[100];
    ken_project_info p;
    snprintf(file, sizeof file, "%s/a.c", name);
    snprintf(dir, sizeof dir, "%s", name);
    ktest_write(file, "int a(void) { return 1; }\n");
    kt_ok_err(ken_app_add_project(app, ken_str_c(ktest_path(dir)), KEN_STR(""), &arena, &p, &err),
              &err);
    return p;
}

// Its index cannot be written until the lock is given back.
static int hold(const ken_project_info *p)
{
    int fd = -1;
    kt_ok_err(ken_fs_make_dirs(ktest_path("data/indexes"), 0700, &err), &err);
    kt_ok_err(ken_fs_lock(ken_arena_printf(&arena, "%s.lock", p->db_path.ptr).ptr, &fd, &err),
              &err);
    return fd;
}

static ken_job submit(ken_jobs *j, ken_job_request r)
{
    ken_job out;
    bool is_new = false;
    kt_ok_err(ken_jobs_submit(j, &r, &arena, &out, &is_new, &err), &err);
    return out;
}

static ken_job find(ken_uuid id)
{
    ken_job out = { .kind = KEN_JOB_NONE };
    kt_ok_err(ken_job_find(app, id, &arena, &out, &err), &err);
    return out;
}

static void wait_ms(long ms)
{
    const struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
    (void)nanosleep(&t, NULL);
}

static ken_job wait_for(ken_uuid id, ken_job_state state)
{
    for (int i = 0; i < PATIENCE_MS / 20; i++) {
        ken_job j = find(id);
        if (j.state == state)
            return j;
        if (ken_job_has_ended(j.state))
            kt_fail("it is %s: " KEN_STR_FMT, ken_job_state_word(j.state), KEN_STR_ARG(j.error));
        wait_ms(20);
    }
    kt_fail("it never came to be %s", ken_job_state_word(state));
    return (ken_job){ .kind = KEN_JOB_NONE };
}

static ken_job_request index_of(const ken_project_info *p, bool is_forced)
{
    return (ken_job_request){ .kind = KEN_JOB_INDEX, .project = p->id, .is_forced = is_forced };
}

KEN_TEST(an_index_job_indexes_and_says_so)
{
    setup("2");
    ken_project_info p = add_project("one");
    ken_jobs *j = open_jobs();
    ken_job job = submit(j, index_of(&p, false));
    kt_eq_u(job.state, KEN_JOB_QUEUED);
    ken_job done = wait_for(job.id, KEN_JOB_DONE);
    kt_eq_text(done.message, "1 files: 1 added, 0 modified, 0 removed");
    kt_true(done.started_at_ms >= done.created_at_ms && done.ended_at_ms >= done.started_at_ms);
    ken_snapshot *snap = NULL;
    kt_ok_err(ken_app_borrow(app, &p, &snap, &err), &err);
    ken_app_give_back(app, &p, snap);
    ken_job_request r = { .kind = KEN_JOB_EMBED, .project = p.id };
    kt_eq_text(wait_for(submit(j, r).id, KEN_JOB_DONE).message,
               "the index has its vectors already");
    kt_eq_u(ken_jobs_count(j).n_ended[KEN_JOB_DONE], 2);
    ken_jobs_close(j, 1000);
    kt_eq_u(heard.items[0].state, KEN_JOB_QUEUED);
    kt_eq_u(heard.items[1].state, KEN_JOB_RUNNING);
    kt_eq_u(heard.items[heard.n - 1].state, KEN_JOB_DONE);
    kt_true(heard.items[heard.n - 1].nice >= 10); // questions come first
    teardown();
}

KEN_TEST(a_failed_job_says_why)
{
    setup("2");
    ken_jobs *j = open_jobs();
    ken_job a =
        submit(j, (ken_job_request){ .kind = KEN_JOB_MODEL_DOWNLOAD, .model = KEN_STR("no-such") });
    ken_job b = submit(j, (ken_job_request){ .kind = KEN_JOB_INDEX, .project = { { 1 } } });
    kt_has_str(wait_for(a.id, KEN_JOB_FAILED).error.ptr, "no model 'no-such'");
    kt_has_str(wait_for(b.id, KEN_JOB_FAILED).error.ptr, "no project '01000000-");
    ken_job out;
    bool is_new;
    ken_job_request bad = { .kind = KEN_JOB_MODEL_DOWNLOAD };
    kt_status(ken_jobs_submit(j, &bad, &arena, &out, &is_new, &err), KEN_EINVAL);
    kt_has_str(err.msg, "model:");
    kt_status(ken_job_find(app, (ken_uuid){ { 9 } }, &arena, &out, &err), KEN_ENOTFOUND);
    kt_has_str(err.msg, "ken jobs list");
    ken_jobs_close(j, 1000);
    teardown();
}

KEN_TEST(jobs_are_counted)
{
    ken_metrics_stop();
    ken_metrics_start("1");
    setup("2");
    ken_project_info p = add_project("one");
    ken_jobs *j = open_jobs();
    wait_for(submit(j, index_of(&p, false)).id, KEN_JOB_DONE);
    ken_job_request no_model = { .kind = KEN_JOB_MODEL_DOWNLOAD, .model = KEN_STR("no-such") };
    wait_for(submit(j, no_model).id, KEN_JOB_FAILED);
    ken_buf text = KEN_BUF_INIT(0);
    ken_metrics_write(&text, KEN_METRICS_PROMETHEUS);
    kt_has_str(text.ptr, "ken_job_runs_total{kind=\"index\",status=\"done\"} 1\n");
    kt_has_str(text.ptr, "ken_job_runs_total{kind=\"model_download\",status=\"failed\"} 1\n");
    kt_has_str(text.ptr, "ken_job_seconds_count{kind=\"index\"} 1\n");
    kt_has_str(text.ptr, "ken_job_wait_seconds_count{kind=\"index\"} 1\n");
    ken_buf_release(&text);
    ken_jobs_close(j, 1000);
    teardown();
    ken_metrics_stop();
}

KEN_TEST(a_download_tells_how_far_it_is)
{
    setup("1");
    ktest_write("m/model.onnx", "not really a model");
    ktest_write("m/vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n");
    const ken_model_record m = { .id = KEN_STR("mine"),
                                 .source = ken_str_c(ktest_path("m/model.onnx")),
                                 .tokenizer_source = ken_str_c(ktest_path("m/vocab.txt")) };
    kt_ok_err(ken_app_add_model(app, &m, &err), &err);
    ken_jobs *j = open_jobs();
    ken_job job = submit(j, (ken_job_request){ .kind = KEN_JOB_MODEL_DOWNLOAD, .model = m.id });
    ken_job done = wait_for(job.id, KEN_JOB_DONE);
    kt_has_str(done.message.ptr, "mine is ready");
    ken_jobs_close(j, 1000);
    teardown();
}

KEN_TEST(rules_are_set_up)
{
    setup("1");
    ken_project_info p = add_project("one");
    ken_jobs *j = open_jobs();
    ken_job job = submit(j, (ken_job_request){ .kind = KEN_JOB_RULES_SETUP, .project = p.id });
    kt_has_str(wait_for(job.id, KEN_JOB_DONE).message.ptr, "files written");
    kt_true(ken_fs_exists(ktest_path("one/ARCHITECTURE.yml")));
    ken_jobs_close(j, 1000);
    teardown();
}

// The states that were heard of one kind of change, as letters of the projects: "ab".
static const char *order_of_starts(const ken_project_info *p, size_t n)
{
    static char text[64];
    size_t len = 0;
    for (size_t i = 0; i < heard.n; i++) {
        bool is_start = heard.items[i].state == KEN_JOB_RUNNING;
        for (size_t k = 0; k < i && is_start; k++)
            is_start = !ken_uuid_eq(heard.items[k].id, heard.items[i].id) ||
                       heard.items[k].state != KEN_JOB_RUNNING;
        ken_job j = find(heard.items[i].id);
        for (size_t k = 0; is_start && k < n && len < sizeof text - 1; k++)
            if (ken_uuid_eq(j.project, p[k].id))
                text[len++] = (char)('a' + k);
    }
    text[len] = '\0';
    return text;
}

KEN_TEST(projects_take_turns)
{
    setup("1");
    ken_project_info p[3] = { add_project("a"), add_project("b"), add_project("c") };
    int fd = hold(&p[0]);
    ken_jobs *j = open_jobs();
    ken_job first = submit(j, index_of(&p[0], false));
    (void)wait_for(first.id, KEN_JOB_RUNNING);
    (void)submit(j, index_of(&p[0], false)); // what runs has begun already: this one is new
    (void)submit(j, index_of(&p[0], true));
    (void)submit(j, (ken_job_request){ .kind = KEN_JOB_EMBED, .project = p[0].id });
    (void)submit(j, index_of(&p[1], false));
    ken_job last = submit(j, index_of(&p[1], true));
    (void)submit(j, index_of(&p[2], false));
    kt_eq_u(ken_jobs_count(j).n_queued, 6);
    ken_fs_unlock(fd);
    (void)wait_for(last.id, KEN_JOB_DONE);
    // Between two of them none is running.
    for (int i = 0; i < PATIENCE_MS / 20; i++) {
        if (!ken_jobs_count(j).n_running && !ken_jobs_count(j).n_queued)
            break;
        wait_ms(20);
    }
    ken_jobs_close(j, PATIENCE_MS);
    kt_eq_str(order_of_starts(p, 3), "abcabaa");
    teardown();
}

KEN_TEST(at_most_so_many_run_at_once_and_one_of_a_project)
{
    setup("2");
    ken_project_info p[3] = { add_project("a"), add_project("b"), add_project("c") };
    int fds[3] = { hold(&p[0]), hold(&p[1]), hold(&p[2]) };
    ken_jobs *j = open_jobs();
    ken_job a = submit(j, index_of(&p[0], false)), again = submit(j, index_of(&p[0], true)),
            b = submit(j, index_of(&p[1], false)), c = submit(j, index_of(&p[2], false));
    (void)wait_for(a.id, KEN_JOB_RUNNING);
    (void)wait_for(b.id, KEN_JOB_RUNNING);
    wait_ms(300);
    kt_eq_u(ken_jobs_count(j).n_running, 2);
    kt_eq_u(ken_jobs_count(j).n_queued, 2);
    kt_eq_u(find(again.id).state, KEN_JOB_QUEUED);
    for (int i = 0; i < PATIENCE_MS / 20 && !find(a.id).message.len; i++)
        wait_ms(20);
    kt_eq_text(find(a.id).message, "waiting for another process");
    for (int i = 0; i < 3; i++)
        ken_fs_unlock(fds[i]);
    (void)wait_for(c.id, KEN_JOB_DONE);
    (void)wait_for(again.id, KEN_JOB_DONE);
    ken_jobs_close(j, 1000);
    teardown();
}

KEN_TEST(a_job_is_cancelled_by_its_process_and_by_another)
{
    setup("1");
    ken_app *other = NULL;
    kt_ok_err(ken_app_open(config, &other, &err), &err);
    ken_project_info p = add_project("a"), q = add_project("b");
    int fd = hold(&p), fd2 = hold(&q);
    ken_jobs *j = open_jobs();
    ken_job out, mine = submit(j, index_of(&p, false)), queued = submit(j, index_of(&q, false)),
                 later = submit(j, index_of(&q, true));
    (void)wait_for(mine.id, KEN_JOB_RUNNING);
    kt_true(ken_job_is_served(other));
    kt_ok_err(ken_jobs_cancel(j, queued.id, &arena, &out, &err), &err);
    kt_eq_u(out.state, KEN_JOB_CANCELLED);
    kt_eq_u(ken_jobs_count(j).n_queued, 1);
    kt_ok_err(ken_jobs_cancel(j, mine.id, &arena, &out, &err), &err);
    (void)wait_for(mine.id, KEN_JOB_CANCELLED);
    (void)wait_for(later.id, KEN_JOB_RUNNING); // its turn
    ken_job waiting = submit(j, index_of(&p, true));
    kt_ok_err(ken_job_cancel(other, waiting.id, &arena, &out, &err), &err);
    kt_eq_u(out.state, KEN_JOB_CANCELLED);
    int64_t began_ms = ken_clock_wall_ms();
    kt_ok_err(ken_job_cancel(other, later.id, &arena, &out, &err), &err);
    kt_true(out.is_cancel_wanted);
    ken_job ended = wait_for(later.id, KEN_JOB_CANCELLED);
    kt_true(ended.ended_at_ms - began_ms < 3000); // a second, where the machine is not busy
    ken_fs_unlock(fd);
    ken_fs_unlock(fd2);
    ken_jobs_close(j, 1000);
    kt_eq_u(find(waiting.id).state, KEN_JOB_CANCELLED); // and was never begun
    kt_eq_i(find(waiting.id).started_at_ms, 0);
    ken_app_close(other);
    teardown();
}

KEN_TEST(closing_interrupts_and_the_next_process_goes_on)
{
    setup("1");
    ken_project_info p = add_project("a"), q = add_project("b");
    int fd = hold(&p);
    ken_jobs *j = open_jobs(), *second = NULL;
    ken_job running = submit(j, index_of(&p, true)), queued = submit(j, index_of(&q, false));
    (void)wait_for(running.id, KEN_JOB_RUNNING);
    kt_status(ken_jobs_open(app, NULL, &second, &err), KEN_EBUSY);
    kt_has_str(err.msg, "another process runs the jobs");
    ken_jobs_close(j, 50);
    kt_false(ken_job_is_served(app));
    ken_job was = find(running.id);
    kt_eq_u(was.state, KEN_JOB_QUEUED);
    kt_has_str(was.error.ptr, "queued again");
    kt_eq_u(was.n_tries, 0); // it was given back
    kt_eq_text(was.params, "{\"force\":true}");
    kt_eq_u(find(queued.id).state, KEN_JOB_QUEUED);
    const ken_job_filter f = { .state = KEN_JOB_QUEUED, .limit = 10 };
    ken_job *rows = NULL;
    size_t n = 0;
    kt_ok_err(ken_job_list(app, &f, &arena, &rows, &n, &err), &err);
    kt_eq_u(n, 2);
    ken_fs_unlock(fd);
    j = open_jobs();
    (void)wait_for(queued.id, KEN_JOB_DONE);
    kt_eq_text(wait_for(running.id, KEN_JOB_DONE).error, "");
    ken_jobs_close(j, 1000);
    teardown();
}

// Begins a job that cannot end, tells its id, and waits to be killed.
static void run_child(int fd)
{
    ken_project_info p;
    kt_ok_err(ken_app_find_project(app, KEN_STR("a"), KEN_STR(""), &arena, &p, &err), &err);
    ken_jobs *j = open_jobs();
    ken_job job = submit(j, index_of(&p, false));
    (void)wait_for(job.id, KEN_JOB_RUNNING);
    if (write(fd, job.id.bytes, sizeof job.id.bytes) != sizeof job.id.bytes)
        _exit(1);
    for (;;)
        (void)pause();
}

KEN_TEST(a_killed_process_leaves_no_job_running)
{
    setup("1");
    ken_project_info p = add_project("a");
    int fd = hold(&p), ends[2];
    ken_uuid id = { { 0 } };
    kt_eq_i(pipe(ends), 0);
    pid_t pid = fork();
    kt_true(pid >= 0);
    if (!pid) {
        (void)close(ends[0]);
        run_child(ends[1]);
    }
    (void)close(ends[1]);
    kt_eq_i(read(ends[0], id.bytes, sizeof id.bytes), sizeof id.bytes);
    (void)close(ends[0]);
    kt_eq_u(find(id).state, KEN_JOB_RUNNING);
    kt_eq_i(kill(pid, SIGKILL), 0);
    kt_eq_i(waitpid(pid, NULL, 0), pid);
    ken_job was = find(id);
    kt_eq_u(was.state, KEN_JOB_QUEUED); // whoever asks is told the truth
    kt_has_str(was.error.ptr, "the server ended before it");
    kt_eq_u(was.n_tries, 1);
    ken_fs_unlock(fd);
    ken_jobs *j = open_jobs();
    (void)wait_for(id, KEN_JOB_DONE);
    ken_jobs_close(j, 1000);
    teardown();
}

KEN_TEST(what_is_interrupted_again_and_again_is_given_up)
{
    setup("1");
    const ken_job index = { .kind = KEN_JOB_INDEX, .n_tries = 0 },
                  third = { .kind = KEN_JOB_INDEX, .n_tries = 2 },
                  rules = { .kind = KEN_JOB_RULES_SETUP };
    kt_true(ken_job__interruption(&index, false, &arena).is_tried_again);
    ken_job_end e = ken_job__interruption(&third, true, &arena); // given back, it is no failure
    kt_true(e.is_tried_again && !e.counts);
    e = ken_job__interruption(&third, false, &arena);
    kt_false(e.is_tried_again);
    kt_has_str(e.error.ptr, "3. time");
    e = ken_job__interruption(&rules, false, &arena); // what it had written is not known
    kt_false(e.is_tried_again);
    kt_has_str(e.error.ptr, "ask for it again");
    teardown();
}

KEN_TEST(progress_is_told_ten_times_a_second_at_most)
{
    setup("1");
    ken_jobs *j = open_jobs();
    const ken_job row = { .id = { { 1 } }, .kind = KEN_JOB_INDEX, .state = KEN_JOB_RUNNING };
    job_entry *e = ken_job__new_entry(j, &row);
    int64_t end_ns = ken_clock_mono_ns() + INT64_C(1000) * 1000 * 1000;
    uint64_t n = 0;
    while (ken_clock_mono_ns() < end_ns)
        ken_job__set_progress(e, "indexing", ++n, 1000000000);
    kt_true(count_heard() <= 11);
    kt_true(count_heard() >= 5);
    kt_true(e->job.milli_rate > 0);
    kt_true(ken_job_eta_ms(&e->job) > 0);
    ken_job__set_progress(e, "committing", 0, 0); // another stage, another rate
    kt_eq_u(e->job.milli_rate, 0);
    ken_job__free_entry(e);
    ken_jobs_close(j, 0);
    teardown();
}

KEN_TEST(who_has_ended_listening_hears_nothing)
{
    setup("1");
    ken_project_info p = add_project("a");
    ken_jobs *j = NULL;
    kt_ok_err(ken_jobs_open(app, NULL, &j, &err), &err);
    uint64_t number = ken_jobs_subscribe(j, hear, NULL);
    ken_jobs_unsubscribe(j, number);
    (void)wait_for(submit(j, index_of(&p, false)).id, KEN_JOB_DONE);
    kt_eq_u(count_heard(), 0);
    ken_jobs_close(j, 1000);
    ken_jobs_close(NULL, 0);
    teardown();
}

// The disk is full when a job ends: it has ended all the same, and its row says so once it can.
KEN_TEST(a_full_disk_delays_the_row_alone)
{
    setup("1");
    ken_project_info p = add_project("a");
    int fd = hold(&p);
    ken_jobs *j = open_jobs();
    ken_job job = submit(j, index_of(&p, false));
    (void)wait_for(job.id, KEN_JOB_RUNNING);
    struct rlimit all, few;
    (void)signal(SIGXFSZ, SIG_IGN);
    kt_eq_i(getrlimit(RLIMIT_FSIZE, &all), 0);
    few = all;
    few.rlim_cur = 0;
    kt_eq_i(setrlimit(RLIMIT_FSIZE, &few), 0);
    ken_fs_unlock(fd);
    // A row says that it runs before the process counts it.
    for (int i = 0; i < PATIENCE_MS / 20 && !ken_jobs_count(j).n_ended[KEN_JOB_FAILED]; i++)
        wait_ms(20);
    uint64_t n_failed = ken_jobs_count(j).n_ended[KEN_JOB_FAILED];
    ken_job out;
    bool is_new;
    ken_job_request r = index_of(&p, true);
    ken_status st = ken_jobs_submit(j, &r, &arena, &out, &is_new, &err);
    kt_eq_i(setrlimit(RLIMIT_FSIZE, &all), 0);
    kt_eq_u(n_failed, 1);
    kt_true(st != KEN_OK); // whoever asks for one now is told
    ken_job shown = wait_for(job.id, KEN_JOB_FAILED);
    kt_true(shown.error.len > 0);
    ken_jobs_close(j, 1000);
    teardown();
}
