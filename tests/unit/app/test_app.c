// SPDX-License-Identifier: MIT
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/app.h"
#include "app/app_priv.h"
#include "app/projects.h"
#include "app/wide.h"
#include "base/fs.h"
#include "base/path.h"
#include "base/pool.h"
#include "ktest.h"
#include "proc/proc.h"

typedef struct fixture {
    ken_config *config;
    ken_app *app;
    ken_arena arena;
    ken_err err;
} fixture;

static fixture setup(void)
{
    fixture f = { 0 };
    setenv("HOME", ktest_dir(), 1);
    setenv("XDG_CONFIG_HOME", ktest_path("cfg/"), 1);
    setenv("KEN_DATA_DIR", ktest_path("data"), 1);
    ken_arena_init(&f.arena, 0);
    kt_ok_err(ken_config_load(NULL, &f.config, &f.err), &f.err);
    kt_ok_err(ken_app_open(f.config, &f.app, &f.err), &f.err);
    return f;
}

static void teardown(fixture *f)
{
    ken_app_close(f->app);
    ken_config_free(f->config);
    ken_arena_release(&f->arena);
}

KEN_TEST(variables_of_other_programs_are_for_their_own_servers)
{
    static const char *const words[] = { "builtin", "ollama", "openai", "tei" };
    for (size_t i = 0; i < 4; i++) {
        setenv("KEN_EMBEDDING_PROVIDER", words[i], 1);
        setenv("OLLAMA_BASE_URL", "http://gpu:11434", 1);
        setenv("OPENAI_API_KEY", "sk-1", 1);
        fixture f = setup();
        ken_embed_opts o = ken_app_embed_opts(f.config);
        kt_eq_str(o.provider, words[i]);
        kt_eq_str(o.url, i == 1 ? "http://gpu:11434" : "");
        kt_eq_str(o.api_key, i == 2 ? "sk-1" : "");
        kt_eq_i(o.timeout_ms, 30000);
        teardown(&f);
    }
    unsetenv("KEN_EMBEDDING_PROVIDER");
    unsetenv("OLLAMA_BASE_URL");
    unsetenv("OPENAI_API_KEY");
}

static ken_project_info add(fixture *f, const char *dir, const char *name)
{
    ken_project_info p;
    ktest_write("repos/keep.txt", "x\n");
    kt_ok_err(ken_app_add_project(f->app, ken_str_c(ktest_path(dir)), ken_str_c(name), &f->arena,
                                  &p, &f->err),
              &f->err);
    return p;
}

static ken_status find(fixture *f, const char *ref, const char *cwd, ken_project_info *out)
{
    f->err = (ken_err){ 0 };
    return ken_app_find_project(f->app, ken_str_c(ref), ken_str_c(cwd), &f->arena, out, &f->err);
}

static ken_index_report index_it(fixture *f, const ken_project_info *p)
{
    ken_index_report r = { 0 };
    kt_ok_err(ken_app_index(f->app, p, NULL, NULL, &f->arena, &r, &f->err), &f->err);
    return r;
}

KEN_TEST(nothing_is_made_by_asking)
{
    fixture f = setup();
    ken_project_info p, *list;
    size_t n = 9;
    kt_ok_err(ken_app_list_projects(f.app, &f.arena, &list, &n, &f.err), &f.err);
    kt_eq_u(n, 0);
    kt_status(find(&f, "x", "", &p), KEN_ENOTFOUND);
    kt_has_str(f.err.msg, "there are none yet");
    kt_status(find(&f, "", ktest_dir(), &p), KEN_ENOTFOUND);
    kt_false(ken_fs_exists(ktest_path("data")));
    teardown(&f);
}

KEN_TEST(projects_are_found_by_id_name_and_path)
{
    fixture f = setup();
    char id[KEN_UUID_TEXT];
    ktest_write("repos/one/src/a.c", "int a;\n");
    ktest_write("repos/two/a.c", "int a;\n");
    ktest_write("repos/one/inner/b.c", "int b;\n");
    ken_project_info one = add(&f, "repos/one", ""), two = add(&f, "repos/two", "second"), p;
    kt_eq_text(one.name, "one");
    kt_eq_text(two.name, "second");
    kt_true(one.root_exists);
    ken_uuid_format(one.id, id);
    const char *refs[] = { id, "one", ktest_path("repos/one"), ktest_path("repos/one/src") };
    for (size_t i = 0; i < 4; i++) {
        kt_ok_err(find(&f, refs[i], "", &p), &f.err);
        kt_true(ken_uuid_eq(p.id, one.id));
    }
    kt_ok_err(find(&f, "", ktest_path("repos/two"), &p), &f.err);
    kt_true(ken_uuid_eq(p.id, two.id));
    kt_status(find(&f, "", "/", &p), KEN_EINVAL);
    kt_has_str(f.err.msg, "say which project: 'one', 'second'");
    kt_status(find(&f, "secnod", "", &p), KEN_ENOTFOUND);
    kt_has_str(f.err.msg, "did you mean 'second'?");
    // The deepest root around a path counts.
    ken_project_info inner = add(&f, "repos/one/inner", "");
    kt_ok_err(find(&f, ktest_path("repos/one/inner/b.c"), "", &p), &f.err);
    kt_true(ken_uuid_eq(p.id, inner.id));
    teardown(&f);
}

static uint64_t data_bytes_written(void)
{
    static const char *const files[] = { "data/config/projects.db-wal",
                                         "data/config/projects.db.writes" };
    uint64_t sum = 0;
    for (size_t i = 0; i < 2; i++) {
        ken_fs_info info = { 0 };
        if (!ken_fs_stat(KEN_FS_CWD, ktest_path(files[i]), &info, NULL))
            sum += info.stamp.size;
    }
    return sum;
}

// The project list waits for the disk only when there is something to tell.
KEN_TEST(a_run_that_finds_nothing_new_writes_nothing)
{
    fixture f = setup();
    ktest_write("repos/one/a.c", "int a;\n");
    ken_project_info p = add(&f, "repos/one", "");
    ken_index_report first = index_it(&f, &p);
    kt_ok_err(ken_app_set_rules_project(f.app, &p, &f.err), &f.err);
    kt_ok_err(find(&f, "one", "", &p), &f.err);
    kt_true(p.indexed_at_ms == first.at_ms);
    uint64_t written = data_bytes_written();
    index_it(&f, &p);
    kt_ok_err(ken_app_set_rules_project(f.app, &p, &f.err), &f.err);
    kt_eq_u(data_bytes_written(), written);
    kt_ok_err(find(&f, "one", "", &p), &f.err);
    kt_true(p.indexed_at_ms == first.at_ms);
    teardown(&f);
}

KEN_TEST(the_only_project_needs_no_name)
{
    fixture f = setup();
    ktest_write("repos/one/a.c", "int a;\n");
    ken_project_info one = add(&f, "repos/one", ""), p;
    kt_ok_err(find(&f, "", "/", &p), &f.err);
    kt_true(ken_uuid_eq(p.id, one.id));
    teardown(&f);
}

KEN_TEST(names_that_two_projects_have_are_not_enough)
{
    fixture f = setup();
    ktest_write("repos/x/lib/a.c", "int a;\n");
    ktest_write("repos/y/lib/a.c", "int a;\n");
    ken_project_info p, a = add(&f, "repos/x/lib", "");
    add(&f, "repos/y/lib", "");
    kt_status(find(&f, "lib", "", &p), KEN_EINVAL);
    kt_has_str(f.err.msg, "several projects are called 'lib'");
    kt_has_str(f.err.msg, "repos/y/lib");
    // Adding again is the same project; a name given later renames it.
    ken_project_info again = add(&f, "repos/x/lib/", "other");
    kt_true(ken_uuid_eq(again.id, a.id));
    kt_eq_text(again.name, "other");
    kt_ok_err(find(&f, "lib", "", &p), &f.err);
    teardown(&f);
}

KEN_TEST(bad_folders_are_refused)
{
    fixture f = setup();
    ken_project_info p;
    const char *file = ktest_write("repos/f.txt", "x");
    kt_status(ken_app_add_project(f.app, ken_str_c(ktest_path("gone/")), KEN_STR("\n"), &f.arena,
                                  &p, &f.err),
              KEN_EINVAL);
    kt_status(
        ken_app_add_project(f.app, ken_str_c("/nonexistent/x"), KEN_STR(""), &f.arena, &p, &f.err),
        KEN_ENOTFOUND);
    kt_status(ken_app_add_project(f.app, ken_str_c(file), KEN_STR(""), &f.arena, &p, &f.err),
              KEN_EINVAL);
    kt_has_str(f.err.msg, "is not a folder");
    teardown(&f);
}

static size_t n_found(fixture *f, const ken_project_info *p, const char *query, size_t *out_removed)
{
    ken_snapshot *s = NULL;
    ken_search_result r;
    ken_search_opts o = { .mode = KEN_SEARCH_LEXICAL };
    kt_ok_err(ken_app_borrow(f->app, p, &s, &f->err), &f->err);
    kt_ok_err(ken_search(s, ken_str_c(query), &o, NULL, &f->arena, &r, &f->err), &f->err);
    ken_app_give_back(f->app, p, s);
    *out_removed = r.n_removed;
    return r.n_hits;
}

// The open index must not go on quoting the folder that was moved away.
KEN_TEST(x8_another_folder_in_the_place_of_the_root_is_seen)
{
    fixture f = setup();
    size_t n_removed = 0;
    char root[500], away[520];
    ktest_write("repos/one/a.c", "int alpha(void)\n{\n    return 1;\n}\n");
    ken_project_info p = add(&f, "repos/one", "");
    index_it(&f, &p);
    kt_eq_u(n_found(&f, &p, "alpha", &n_removed), 1);
    snprintf(root, sizeof root, KEN_STR_FMT, KEN_STR_ARG(p.root));
    snprintf(away, sizeof away, "%s.old", root);
    kt_eq_i(rename(root, away), 0);
    kt_eq_u(n_found(&f, &p, "alpha", &n_removed), 0); // no folder
    kt_eq_u(n_removed, 1);
    ktest_write("repos/one/b.c", "int beta(void)\n{\n    return 1;\n}\n");
    kt_eq_u(n_found(&f, &p, "alpha", &n_removed), 0); // another folder
    kt_eq_u(n_removed, 1);
    index_it(&f, &p);
    kt_eq_u(n_found(&f, &p, "beta", &n_removed), 1);
    kt_eq_u(n_found(&f, &p, "alpha", &n_removed), 0);
    kt_eq_u(n_removed, 0);
    teardown(&f);
}

// A question goes on with its generation although the index is replaced, and the next one sees the
// new index.
KEN_TEST(x5_a_question_outlives_its_database)
{
    fixture f = setup();
    ken_snapshot *s = NULL;
    ken_definition_result r;
    ken_str moved;
    ktest_write("repos/one/a.c", "int alpha(void)\n{\n    return 1;\n}\n");
    ken_project_info p = add(&f, "repos/one", "");
    index_it(&f, &p);
    kt_ok_err(ken_app_borrow(f.app, &p, &s, &f.err), &f.err);
    kt_ok_err(ken_store_quarantine(p.db_path.ptr, &f.arena, &moved, &f.err), &f.err);
    kt_ok(ken_find_definition(s, &(ken_definition_opts){ .name = KEN_STR("alpha"), .limit = 1 },
                              &f.arena, &r, &f.err));
    kt_eq_u(r.n_defs, 1);
    ken_app_give_back(f.app, &p, s);
    kt_status(ken_app_borrow(f.app, &p, &s, &f.err), KEN_ENOTFOUND);
    f.err = (ken_err){ 0 };
    ktest_write("repos/one/b.c", "int beta(void)\n{\n    return 1;\n}\n");
    index_it(&f, &p);
    kt_ok_err(ken_app_borrow(f.app, &p, &s, &f.err), &f.err);
    kt_ok(ken_find_definition(s, &(ken_definition_opts){ .name = KEN_STR("beta"), .limit = 1 },
                              &f.arena, &r, &f.err));
    kt_eq_u(r.n_defs, 1);
    ken_app_give_back(f.app, &p, s);
    teardown(&f);
}

KEN_TEST(indexes_borrows_and_gives_back)
{
    fixture f = setup();
    ken_snapshot *a = NULL, *b = NULL, *c = NULL;
    ktest_write("repos/one/a.c", "int alpha(void)\n{\n    return 1;\n}\n");
    ken_project_info p = add(&f, "repos/one", "");
    kt_status(ken_app_borrow(f.app, &p, &a, &f.err), KEN_ENOTFOUND);
    kt_has_str(f.err.msg, "is not indexed yet; run: ken index");
    f.err = (ken_err){ 0 };
    kt_eq_u(index_it(&f, &p).n_files, 1);
    kt_ok_err(ken_app_borrow(f.app, &p, &a, &f.err), &f.err);
    kt_ok_err(ken_app_borrow(f.app, &p, &b, &f.err), &f.err);
    kt_true(a != b);
    ken_app_give_back(f.app, &p, a);
    kt_ok_err(ken_app_borrow(f.app, &p, &c, &f.err), &f.err);
    kt_true(a == c);
    ken_app_give_back(f.app, &p, b);
    ken_app_give_back(f.app, &p, c);
    // A newer generation is seen by the next borrower.
    ktest_write("repos/one/b.c", "int beta(void)\n{\n    return 2;\n}\n");
    kt_eq_u(index_it(&f, &p).n_added, 1);
    ken_snapshot_stats stats;
    kt_ok_err(ken_app_borrow(f.app, &p, &a, &f.err), &f.err);
    kt_ok_err(ken_snapshot_get_stats(a, &f.arena, &stats, &f.err), &f.err);
    kt_eq_u(stats.n_files, 2);
    ken_app_give_back(f.app, &p, a);
    kt_ok_err(find(&f, "one", "", &p), &f.err);
    kt_true(p.indexed_at_ms > 0);
    teardown(&f);
}

static unsigned sharers_of(const fixture *f, const ken_snapshot *s)
{
    return ken_app__handle_of(f->app, s)->n_sharers;
}

// Snapshots of one project share one bound for what they hold of its graph.
KEN_TEST(x4_snapshots_of_a_project_are_counted)
{
    fixture f = setup();
    ken_snapshot *a = NULL, *b = NULL, *other = NULL;
    ktest_write("repos/one/a.c", "int alpha(void)\n{\n    return 1;\n}\n");
    ktest_write("repos/two/b.c", "int beta(void)\n{\n    return 1;\n}\n");
    ken_project_info one = add(&f, "repos/one", ""), two = add(&f, "repos/two", "");
    index_it(&f, &one);
    index_it(&f, &two);
    kt_ok_err(ken_app_borrow(f.app, &one, &a, &f.err), &f.err);
    kt_eq_u(sharers_of(&f, a), 1);
    kt_ok_err(ken_app_borrow(f.app, &one, &b, &f.err), &f.err);
    kt_ok_err(ken_app_borrow(f.app, &two, &other, &f.err), &f.err);
    kt_eq_u(sharers_of(&f, a), 2);
    kt_eq_u(sharers_of(&f, b), 2);
    kt_eq_u(sharers_of(&f, other), 1);
    ken_app_give_back(f.app, &one, a);
    kt_eq_u(sharers_of(&f, b), 2); // idle ones hold memory, too
    ken_app__drop_idle(f.app, one.id);
    kt_eq_u(sharers_of(&f, b), 1);
    ken_app_give_back(f.app, &one, b);
    ken_app_give_back(f.app, &two, other);
    teardown(&f);
}

KEN_TEST(a_second_writer_is_told_to_wait)
{
    fixture f = setup();
    int fd = -1;
    ken_index_report r;
    ktest_write("repos/one/a.c", "int a;\n");
    ken_project_info p = add(&f, "repos/one", "");
    index_it(&f, &p);
    ken_str lock = ken_arena_printf(&f.arena, KEN_STR_FMT ".lock", KEN_STR_ARG(p.db_path));
    kt_ok_err(ken_fs_lock(lock.ptr, &fd, &f.err), &f.err);
    kt_status(ken_app_index(f.app, &p, NULL, NULL, &f.arena, &r, &f.err), KEN_EBUSY);
    kt_has_str(f.err.msg, "project 'one': another run of this process is writing this index");
    kt_eq_i(pwrite(fd, "1", 2, 0), 2);
    kt_status(ken_app_index(f.app, &p, NULL, NULL, &f.arena, &r, &f.err), KEN_EBUSY);
    kt_has_str(f.err.msg, "project 'one': another process with pid 1 is writing this index");
    char id[KEN_UUID_TEXT];
    ken_uuid_format(p.id, id);
    ken_str run = ken_arena_printf(&f.arena, "1 %s indexing 10 5000 60000", id);
    kt_eq_i(pwrite(fd, run.ptr, run.len, 0), (ssize_t)run.len); // one that is not waited for
    kt_status(ken_app_remove_project(f.app, &p, &f.err), KEN_EBUSY);
    kt_has_str(f.err.msg, "try again once it has ended");
    ken_fs_unlock(fd);
    index_it(&f, &p);
    teardown(&f);
}

// A run that ends 400 ms later.
static void *end_soon(void *fd)
{
    usleep(400 * 1000);
    ken_fs_unlock(*(int *)fd);
    return NULL;
}

static pthread_t begin_end(fixture *f, const ken_project_info *p, int *fd)
{
    pthread_t t;
    ken_str lock = ken_arena_printf(&f->arena, KEN_STR_FMT ".lock", KEN_STR_ARG(p->db_path));
    kt_ok_err(ken_fs_lock(lock.ptr, fd, &f->err), &f->err);
    kt_eq_i(pthread_create(&t, NULL, end_soon, fd), 0);
    return t;
}

KEN_TEST(a_change_waits_for_a_run_that_ends)
{
    fixture f = setup();
    int fd = -1;
    ktest_write("repos/one/a.c", "int a;\n");
    ktest_write("repos/one/b.py", "b = 1\n");
    ken_project_info p = add(&f, "repos/one", "");
    index_it(&f, &p);
    const ken_str python = KEN_STR("*.py");
    ken_index_limits limits = { .exclude = &python, .n_exclude = 1 };
    pthread_t t = begin_end(&f, &p, &fd);
    kt_ok_err(ken_app_put_limits(f.app, &p, &limits, &f.arena, &f.err), &f.err);
    pthread_join(t, NULL);
    kt_ok_err(ken_app_load_limits(f.app, &p, &f.arena, &limits, &f.err), &f.err);
    kt_eq_u(limits.n_exclude, 1);
    t = begin_end(&f, &p, &fd);
    kt_ok_err(ken_app_remove_project(f.app, &p, &f.err), &f.err);
    pthread_join(t, NULL);
    kt_false(ken_fs_exists(p.db_path.ptr));
    teardown(&f);
}

typedef struct watched {
    fixture *f;
    ken_project_info *p;
    int turn_fd; // given back once the run waits for it
    unsigned n_waiting, n_seen;
} watched;

static void look_at_run(void *ctx, const ken_index_progress *p)
{
    watched *w = ctx;
    ken_app_run run;
    bool is_found = ken_app_find_run(w->f->app, w->p, &w->f->arena, &run);
    kt_true(is_found && run.pid == (int)getpid());
    kt_eq_text(run.stage, p->stage);
    kt_eq_u(run.n_done, p->n_done);
    kt_eq_u(run.n_total, p->n_total);
    ken_project_info other = *w->p; // one that shares the index
    other.id = ken_uuid_of(KEN_STR("other"));
    kt_true(!ken_app_find_run(w->f->app, &other, &w->f->arena, &run));
    w->n_seen++;
    if (strcmp(p->stage, "waiting") != 0)
        return;
    w->n_waiting++;
    ken_fs_unlock(w->turn_fd);
    w->turn_fd = -1;
}

KEN_TEST(s2_160_s2_168_runs_take_turns_and_say_how_far_they_are)
{
    fixture f = setup();
    ken_app_run run;
    ken_index_report r;
    ktest_write("repos/one/a.c", "int a;\n");
    ken_project_info p = add(&f, "repos/one", "");
    kt_true(!ken_app_find_run(f.app, &p, &f.arena, &run));
    watched w = { &f, &p, -1, 0, 0 };
    int other = -1;
    ken_str dir = ken_str_sub(p.db_path, 0, ken_str_rfind_char(p.db_path, '/'));
    kt_ok_err(ken_fs_make_dirs(ken_arena_dup(&f.arena, dir).ptr, 0700, &f.err), &f.err);
    for (int i = 1; i <= 2; i++) // as many as indexing.runs allows
        kt_ok_err(
            ken_fs_lock(
                ken_arena_printf(&f.arena, KEN_STR_FMT "/run-%d.lock", KEN_STR_ARG(dir), i).ptr,
                i == 1 ? &w.turn_fd : &other, &f.err),
            &f.err);
    ken_index_opts opts = ken_app_index_opts(f.config);
    opts.on_progress = look_at_run;
    opts.progress_ctx = &w;
    kt_ok_err(ken_app_index(f.app, &p, &opts, NULL, &f.arena, &r, &f.err), &f.err);
    kt_eq_u(w.n_waiting, 1);
    kt_true(w.n_seen > 1);
    kt_true(!ken_app_find_run(f.app, &p, &f.arena, &run));
    // What changed since is read without a turn.
    int again = -1;
    kt_ok_err(
        ken_fs_lock(ken_arena_printf(&f.arena, KEN_STR_FMT "/run-1.lock", KEN_STR_ARG(dir)).ptr,
                    &again, &f.err),
        &f.err);
    ktest_write("repos/one/b.c", "int b;\n");
    p.indexed_at_ms = 1;
    kt_ok_err(ken_app_index(f.app, &p, &opts, NULL, &f.arena, &r, &f.err), &f.err);
    kt_eq_u(w.n_waiting, 1);
    ken_fs_unlock(again);
    ken_fs_unlock(other);
    teardown(&f);
}

static void damage(const ken_project_info *p)
{
    ken_err err = { 0 };
    ken_buf b = { 0 };
    for (int i = 0; i < 20000; i++)
        ken_buf_puts(&b, "garbage ");
    kt_ok_err(ken_fs_write_atomic(p->db_path.ptr, ken_buf_str(&b), &err), &err);
    ken_buf_release(&b);
}

KEN_TEST(a_damaged_index_says_how_to_rebuild)
{
    fixture f = setup();
    ken_snapshot *s = NULL;
    ken_index_report r;
    ktest_write("repos/one/a.c", "int a;\n");
    ken_project_info p = add(&f, "repos/one", "");
    index_it(&f, &p);
    damage(&p);
    kt_status(ken_app_borrow(f.app, &p, &s, &f.err), KEN_ECORRUPT);
    kt_has_str(f.err.msg, "to rebuild it: ken index --force");
    kt_status(ken_app_index(f.app, &p, NULL, NULL, &f.arena, &r, &f.err), KEN_ECORRUPT);
    f.err = (ken_err){ 0 };
    ken_index_opts forced = ken_app_index_opts(f.config);
    forced.is_forced = true;
    kt_ok_err(ken_app_index(f.app, &p, &forced, NULL, &f.arena, &r, &f.err), &f.err);
    kt_eq_u(r.n_files, 1);
    kt_ok_err(ken_app_borrow(f.app, &p, &s, &f.err), &f.err);
    ken_app_give_back(f.app, &p, s);
    kt_true(ken_fs_exists(
        ken_arena_printf(&f.arena, KEN_STR_FMT ".damaged-1", KEN_STR_ARG(p.db_path)).ptr));
    teardown(&f);
}

KEN_TEST(removing_forgets_the_index)
{
    fixture f = setup();
    ken_snapshot *s = NULL;
    ktest_write("repos/one/a.c", "int a;\n");
    ken_project_info p = add(&f, "repos/one", ""), gone;
    index_it(&f, &p);
    kt_ok_err(ken_app_borrow(f.app, &p, &s, &f.err), &f.err);
    ken_app_give_back(f.app, &p, s);
    kt_ok_err(ken_app_remove_project(f.app, &p, &f.err), &f.err);
    kt_false(ken_fs_exists(p.db_path.ptr));
    kt_status(find(&f, "one", "", &gone), KEN_ENOTFOUND);
    kt_status(ken_app_borrow(f.app, &p, &s, &f.err), KEN_ENOTFOUND);
    teardown(&f);
}

static void forget_catalog(void)
{
    static const char *const names[] = { "", "-wal", "-shm", ".writes" };
    char path[200];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "data/config/projects.db%s", names[i]);
        (void)remove(ktest_path(path));
    }
}

// As after a copy from a backup: the index is there, and no list of projects.
KEN_TEST(an_index_that_was_copied_is_taken_up)
{
    fixture f = setup();
    ktest_write("repos/one/a.c", "int a;\n");
    ktest_write("repos/other/a.c", "int a;\n");
    ken_project_info p = add(&f, "repos/one", "");
    kt_eq_u(index_it(&f, &p).n_parsed, 1);
    teardown(&f);
    forget_catalog();
    f = setup();
    ken_project_info other = add(&f, "repos/other", ""), again = add(&f, "repos/one", "");
    kt_false(ken_uuid_eq(other.id, p.id)); // the same bytes, and still another folder
    kt_true(ken_uuid_eq(again.id, p.id));
    kt_true(again.indexed_at_ms > 0);
    kt_eq_u(index_it(&f, &again).n_parsed, 0);
    kt_true(ken_uuid_eq(add(&f, "repos/one", "").id, p.id));
    teardown(&f);
}

static void git(const char *dir, const char *const *args)
{
    const char *argv[16] = { "git", "-c", "user.name=a", "-c", "user.email=a@b" };
    size_t n = 5;
    for (; *args; args++)
        argv[n++] = *args;
    ken_proc_result r;
    kt_ok(ken_proc_run(
        &(ken_proc_opts){ .argv = argv, .cwd = ktest_path(dir), .timeout_ms = 20000 }, &r, NULL));
    kt_eq_i(r.exit_code, 0);
    ken_proc_result_release(&r);
}

// As on another machine: the checkout has another place, and the first one is not there.
KEN_TEST(an_index_of_a_checkout_elsewhere_is_known_by_its_commit)
{
    fixture f = setup();
    ktest_write("repos/one/a.c", "int a;\n");
    git("repos/one", (const char *const[]){ "init", "-q", NULL });
    git("repos/one", (const char *const[]){ "add", ".", NULL });
    git("repos/one", (const char *const[]){ "commit", "-qm", "a", NULL });
    ken_project_info p = add(&f, "repos/one", "");
    kt_eq_u(index_it(&f, &p).n_parsed, 1);
    teardown(&f);
    forget_catalog();
    f = setup();
    ktest_write("repos/new/a.c", "int a;\n"); // no repository: nothing tells that it is the same
    kt_false(ken_uuid_eq(add(&f, "repos/new", "").id, p.id));
    // A clone beside the folder that the index was made of is another project.
    git("repos", (const char *const[]){ "clone", "-q", "one", "clone", NULL });
    kt_false(ken_uuid_eq(add(&f, "repos/clone", "").id, p.id));
    kt_eq_i(rename(ktest_path("repos/one"), ktest_path("repos/moved")), 0);
    ken_project_info moved = add(&f, "repos/moved", "");
    kt_true(ken_uuid_eq(moved.id, p.id));
    kt_eq_text(moved.name, "moved");
    kt_eq_u(index_it(&f, &moved).n_parsed, 0);
    ken_snapshot *s = NULL;
    ken_file_view v;
    kt_ok_err(ken_app_borrow(f.app, &moved, &s, &f.err), &f.err);
    kt_ok_err(ken_view_file(s, KEN_STR("a.c"), &f.arena, &v, &f.err), &f.err);
    kt_eq_text(v.text, "int a;\n");
    ken_app_give_back(f.app, &moved, s);
    teardown(&f);
}

KEN_TEST(settings_of_the_project_count)
{
    fixture f = setup();
    ken_index_report r;
    ktest_write("repos/one/a.c", "int a;\n");
    ktest_write("repos/one/b.py", "b = 1\n");
    ktest_write("repos/one/.ken.yaml", "indexing:\n  exclude: ['*.py', '.ken.yaml']\n");
    ken_project_info p = add(&f, "repos/one", "");
    kt_eq_u(index_it(&f, &p).n_files, 1);
    ken_scan_skip *skips;
    size_t n;
    kt_ok_err(ken_app_list_skips(f.app, &p, KEN_SKIP_IGNORED, 100, &f.arena, &skips, &n, &f.err),
              &f.err);
    kt_eq_u(n, 2);
    kt_eq_text(skips[1].path, "b.py");
    ktest_write("repos/one/.ken.yaml", "indexing:\n  exclude: ['[']\n");
    kt_status(ken_app_index(f.app, &p, NULL, NULL, &f.arena, &r, &f.err), KEN_EINVAL);
    kt_has_str(f.err.msg, "'indexing.exclude':");
    teardown(&f);
}

KEN_TEST(heads_of_work_trees)
{
    static const char commit[] = "0123456789abcdef0123456789abcdef01234567";
    fixture f = setup();
    ktest_write("plain/x", "");
    kt_eq_text(ken_app_read_head(ken_str_c(ktest_path("plain")), &f.arena), "");
    ktest_write("loose/.git/HEAD", "ref: refs/heads/main\n");
    ktest_write("loose/.git/refs/heads/main", "0123456789abcdef0123456789abcdef01234567\n");
    kt_eq_text(ken_app_read_head(ken_str_c(ktest_path("loose")), &f.arena), commit);
    ktest_write("packed/.git/HEAD", "ref: refs/heads/main\n");
    ktest_write("packed/.git/packed-refs",
                "# pack-refs with: peeled\n"
                "ffff456789abcdef0123456789abcdef01234567 refs/heads/maintenance\n"
                "0123456789abcdef0123456789abcdef01234567 refs/heads/main\n");
    kt_eq_text(ken_app_read_head(ken_str_c(ktest_path("packed")), &f.arena), commit);
    ktest_write("tree/.git", "gitdir: ../loose/.git/worktrees/tree\n");
    ktest_write("loose/.git/worktrees/tree/HEAD", "0123456789abcdef0123456789abcdef01234567\n");
    ktest_write("loose/.git/worktrees/tree/commondir", "../..\n");
    kt_eq_text(ken_app_read_head(ken_str_c(ktest_path("tree")), &f.arena), commit);
    ktest_write("loose/.git/worktrees/tree/HEAD", "ref: refs/heads/main\n");
    kt_eq_text(ken_app_read_head(ken_str_c(ktest_path("tree")), &f.arena), commit);
    ktest_write("odd/.git/HEAD", "ref: ../../../etc/passwd\n");
    kt_eq_text(ken_app_read_head(ken_str_c(ktest_path("odd")), &f.arena), "");
    teardown(&f);
}

static ken_health health_of(const ken_health_check *checks, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(checks[i].name, name))
            return checks[i].health;
    return KEN_HEALTH_UNKNOWN;
}

KEN_TEST(health_looks_at_every_index)
{
    fixture f = setup();
    ken_health_check *checks;
    size_t n;
    ktest_write("repos/one/a.c", "int a;\n");
    ken_project_info p = add(&f, "repos/one", "");
    kt_ok_err(ken_app_check_health(f.app, false, NULL, &f.arena, &checks, &n, &f.err), &f.err);
    kt_eq_i(health_of(checks, n, "project"), KEN_HEALTH_WARN);
    index_it(&f, &p);
    kt_ok_err(ken_app_check_health(f.app, true, NULL, &f.arena, &checks, &n, &f.err), &f.err);
    kt_eq_i(health_of(checks, n, "project"), KEN_HEALTH_OK);
    kt_eq_i(health_of(checks, n, "data folder"), KEN_HEALTH_OK);
    damage(&p);
    kt_ok_err(ken_app_check_health(f.app, false, NULL, &f.arena, &checks, &n, &f.err), &f.err);
    kt_eq_i(health_of(checks, n, "project"), KEN_HEALTH_FAIL);
    teardown(&f);
}

// ---- many threads ----

typedef struct shared {
    fixture *f;
    ken_project_info projects[3];
    atomic_uint n_failed;
} shared;

static void borrow_often(void *ctx, size_t worker)
{
    shared *s = ctx;
    for (size_t i = 0; i < 50; i++) {
        const ken_project_info *p = &s->projects[(i + worker) % 3];
        ken_snapshot *snap = NULL;
        ken_snapshot_stats stats;
        ken_project_info found;
        ken_arena a;
        ken_arena_init(&a, 0);
        if (ken_app_borrow(s->f->app, p, &snap, NULL)) {
            atomic_fetch_add(&s->n_failed, 1);
        } else {
            if (ken_snapshot_get_stats(snap, &a, &stats, NULL) || stats.n_files != 1)
                atomic_fetch_add(&s->n_failed, 1);
            ken_app_give_back(s->f->app, p, snap);
        }
        if (ken_app_find_project(s->f->app, p->name, KEN_STR(""), &a, &found, NULL))
            atomic_fetch_add(&s->n_failed, 1);
        ken_arena_release(&a);
    }
}

KEN_TEST(threads_share_the_app)
{
    fixture f = setup();
    shared s = { .f = &f };
    static const char *const names[] = { "one", "two", "three" };
    for (size_t i = 0; i < 3; i++) {
        char path[64];
        snprintf(path, sizeof path, "repos/%s/a.c", names[i]);
        ktest_write(path, "int a;\n");
        snprintf(path, sizeof path, "repos/%s", names[i]);
        s.projects[i] = add(&f, path, "");
        index_it(&f, &s.projects[i]);
    }
    ken_pool *pool = ken_pool_new(4, 8, 0);
    for (size_t i = 0; i < 4; i++)
        ken_pool_submit(pool, borrow_often, &s);
    ken_pool_free(pool);
    kt_eq_u(atomic_load(&s.n_failed), 0);
    teardown(&f);
}

// ---- what questions leave behind ----------------------------------------------------------------

static void make_repository(const char *dir)
{
    static const char *const steps[][11] = {
        { "git", "init", "-q", "--template=" },
        { "git", "add", "-A" },
        { "git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "x" },
    };
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        ken_proc_result r;
        if (ken_proc_run(&(ken_proc_opts){ .argv = steps[i], .cwd = dir, .env = ktest_env(NULL) },
                         &r, NULL))
            kt_skip("git", "git is not installed");
        kt_eq_i(r.exit_code, 0);
        ken_proc_result_release(&r);
    }
}

// Asks for the history of a project, and says whether the index has it afterwards.
static bool is_history_kept(fixture *f, const ken_project_info *p)
{
    ken_snapshot *s = NULL;
    ken_history *h = NULL;
    kt_ok_err(ken_app_borrow(f->app, p, &s, &f->err), &f->err);
    kt_ok_err(ken_snapshot_history(s, true, NULL, &h, &f->err), &f->err);
    kt_eq_u(ken_history_get_info(h).n_commits, 1);
    ken_app_give_back(f->app, p, s);
    ken_store *store = NULL;
    ken_store_opts o = { .path = p->db_path.ptr, .is_read_only = true };
    ken_str value;
    kt_ok_err(ken_store_open(&o, &store, &f->err), &f->err);
    ken_status st = ken_store_load_value(store, KEN_STR("history"), &f->arena, &value, &f->err);
    ken_store_close(store);
    return st == KEN_OK;
}

KEN_TEST(history_is_kept_in_the_index_unless_nothing_may_change)
{
    ktest_write("repos/one/a.c", "int a;\n");
    setenv("KEN_READ_ONLY", "true", 1);
    fixture f = setup();
    setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    make_repository(ktest_path("repos/one"));
    ken_project_info p = add(&f, "repos/one", "");
    index_it(&f, &p);
    kt_false(is_history_kept(&f, &p));
    teardown(&f);
    unsetenv("KEN_READ_ONLY");
    f = setup();
    ken_project_info again;
    kt_ok_err(find(&f, "one", "", &again), &f.err);
    kt_true(is_history_kept(&f, &again));
    teardown(&f);
}

KEN_TEST(history_waits_for_nobody_who_writes_the_index)
{
    ktest_write("repos/one/a.c", "int a;\n");
    fixture f = setup();
    setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    make_repository(ktest_path("repos/one"));
    ken_project_info p = add(&f, "repos/one", "");
    index_it(&f, &p);
    int lock_fd = -1;
    ken_str path = ken_arena_printf(&f.arena, KEN_STR_FMT ".lock", KEN_STR_ARG(p.db_path));
    kt_ok_err(ken_fs_lock(path.ptr, &lock_fd, &f.err), &f.err);
    kt_false(is_history_kept(&f, &p)); // but answered
    ken_fs_unlock(lock_fd);
    teardown(&f);
}

// Until so many indexes are open that nobody has.
static void await_idle(fixture *f, size_t n)
{
    for (int i = 0; i < 1000; i++) {
        size_t n_idle = 0;
        pthread_mutex_lock(&f->app->lock);
        for (size_t k = 0; k < f->app->handles.len; k++)
            n_idle += !f->app->handles.ptr[k]->is_lent && f->app->handles.ptr[k]->held_bytes;
        pthread_mutex_unlock(&f->app->lock);
        if (n_idle == n)
            return;
        usleep(10000);
    }
    ktest_fail(__FILE__, __LINE__, "%zu indexes were never open", n);
}

KEN_TEST(a_server_opens_indexes_before_it_is_asked)
{
    fixture f = setup();
    ken_snapshot *s = NULL;
    const ken_app_asking how = { .may_index = true };
    ktest_write("repos/one/a.c", "int alpha(void)\n{\n    return 1;\n}\n");
    ktest_write("repos/two/b.c", "int beta(void)\n{\n    return 1;\n}\n");
    ktest_write("repos/new/c.c", "int gamma(void)\n{\n    return 1;\n}\n");
    ken_project_info one = add(&f, "repos/one", ""), two = add(&f, "repos/two", "");
    ken_project_info never = add(&f, "repos/new", "");
    index_it(&f, &one);
    index_it(&f, &two);
    ktest_write("repos/one/more.c", "int delta(void)\n{\n    return 1;\n}\n");
    ken_app_serve(f.app);
    ken_app_warm(f.app);
    await_idle(&f, 2);
    // Nothing was indexed by it; the question does that, of the same open index.
    kt_ok_err(ken_app_borrow(f.app, &one, &s, &f.err), &f.err);
    kt_eq_u(ken_snapshot_generation(s), 1);
    ken_app_give_back(f.app, &one, s);
    kt_status(ken_app_borrow(f.app, &never, &s, &f.err), KEN_ENOTFOUND);
    f.err = (ken_err){ 0 };
    kt_ok_err(ken_app_ask(f.app, &one, &how, &s, &f.err), &f.err);
    kt_eq_u(ken_snapshot_generation(s), 2);
    ken_app_give_back(f.app, &one, s);
    // What changes once it is open is in the first answer.
    ktest_write("repos/two/late.c", "int epsilon(void)\n{\n    return 1;\n}\n");
    kt_ok_err(ken_app_ask(f.app, &two, &how, &s, &f.err), &f.err);
    kt_eq_u(ken_snapshot_generation(s), 2);
    ken_app_give_back(f.app, &two, s);
    await_idle(&f, 2);
    teardown(&f);
}

// As `ken index` beside a server does.
KEN_TEST(what_was_indexed_beside_a_server_is_opened)
{
    fixture f = setup();
    ktest_write("repos/one/a.c", "int alpha(void)\n{\n    return 1;\n}\n");
    ktest_write("repos/two/b.c", "int beta(void)\n{\n    return 1;\n}\n");
    ken_project_info one = add(&f, "repos/one", ""), two = add(&f, "repos/two", "");
    index_it(&f, &one);
    ken_app_serve(f.app);
    ken_app_warm(f.app);
    await_idle(&f, 1);
    usleep(2000); // of a later millisecond
    index_it(&f, &two);
    for (int i = 0; i < 500 && atomic_load(&f.app->is_warming); i++)
        usleep(10000);
    ken_app_warm(f.app);
    await_idle(&f, 2);
    teardown(&f);
}

KEN_TEST(nothing_is_opened_where_settings_say_so)
{
    setenv("KEN_CACHE_WARM", "0", 1);
    fixture f = setup();
    unsetenv("KEN_CACHE_WARM");
    ktest_write("repos/one/a.c", "int alpha(void)\n{\n    return 1;\n}\n");
    ken_project_info one = add(&f, "repos/one", "");
    index_it(&f, &one);
    ken_app_serve(f.app);
    ken_app_warm(f.app);
    usleep(100000);
    await_idle(&f, 0);
    teardown(&f);
}

static size_t most_open(const char *open_size, bool is_asked)
{
    setenv("KEN_CACHE_OPEN_SIZE", open_size, 1);
    fixture f = setup();
    unsetenv("KEN_CACHE_OPEN_SIZE");
    ken_project_info one = add(&f, "repos/one", "");
    size_t n_removed;
    index_it(&f, &one);
    if (is_asked)
        kt_eq_u(n_found(&f, &one, "alpha", &n_removed), 1);
    size_t n = ken_app_open_at_once(f.app);
    teardown(&f);
    return n;
}

// As many as there is room for, by what is open.
KEN_TEST(a_question_has_as_many_indexes_open_as_there_is_room_for)
{
    const struct rlimit many = { 8000, 8000 };
    const struct rlimit few = { 200, 8000 };
    struct rlimit before;
    kt_eq_i(getrlimit(RLIMIT_NOFILE, &before), 0);
    ktest_write("repos/one/a.c", "int alpha(void)\n{\n    return 1;\n}\n");
    if (setrlimit(RLIMIT_NOFILE, &many))
        kt_skip("descriptors", "this process may not have 8,000");
    kt_eq_u(most_open("1GiB", false), 128); // nothing is known
    size_t n = most_open("301MiB", true);
    kt_true(n > 290 && n <= 301);             // a mebibyte each, and what it holds
    kt_eq_u(most_open("1000GiB", true), 500); // eight descriptors each, and as many for others
    kt_eq_u(most_open("100MiB", true), 128);
    kt_eq_i(setrlimit(RLIMIT_NOFILE, &few), 0);
    kt_eq_u(most_open("1000GiB", true), 128);
    kt_eq_i(setrlimit(RLIMIT_NOFILE, &many), 0);
    (void)setrlimit(RLIMIT_NOFILE, &before);
}
