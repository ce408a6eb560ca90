// SPDX-License-Identifier: MIT
// What every backend of the catalog must do with tasks: what is written is read, lists and totals agree
// with it, and nothing is half done.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include "conformance/store/catalog_matrix.h"
#include "sqlite_lab.h"
#include "store/tasks.h"

static const ken_uuid project = { { 7, 7, 7 } };

static ken_task add(ken_catalog *c, const char *title, const char *status, bool has_project)
{
    static int64_t now_ms = 1000;
    ken_task out = { 0 }, t = { .uuid = ken_uuid_random(),
                                .title = ken_str_c(title),
                                .status = ken_str_c(status),
                                .created_at_ms = now_ms++ };
    t.has_project = has_project;
    if (has_project)
        t.project = project;
    kt_ok_err(ken_catalog_add_task(c, &t, &arena, &out, &err), &err);
    return out;
}

static ken_task edit(ken_catalog *c, const ken_task *t, ken_task_edit e)
{
    ken_task out = { 0 };
    if (!e.now_ms)
        e.now_ms = t->updated_at_ms + 10;
    kt_ok_err(ken_catalog_update_task(c, t->uuid, &e, &arena, &out, &err), &err);
    return out;
}

static ken_task link_branch(ken_catalog *c, const ken_task *t, const char *branch)
{
    return edit(c, t, (ken_task_edit){ .branch = ken_str_c(branch) });
}

// The titles of a list, and its total: "b a |2".
static const char *list(ken_catalog *c, ken_task_filter f)
{
    static char text[400];
    ken_task *tasks = NULL;
    size_t n = 0, len = 0;
    uint64_t total = 0;
    if (!f.limit)
        f.limit = 100;
    kt_ok_err(ken_catalog_list_tasks(c, &f, &arena, &tasks, &n, &total, &err), &err);
    for (size_t i = 0; i < n; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, KEN_STR_FMT " ",
                                KEN_STR_ARG(tasks[i].title));
    snprintf(text + len, sizeof text - len, "|%u", (unsigned)total);
    return text;
}

static ken_str str(const char *s)
{
    return ken_str_c(s);
}

CATALOG_TEST(task_is_read_as_it_was_written)
{
    ken_catalog *c = open_catalog();
    ken_task_reference refs[] = { { str("docs/a.md"), str("spec"), 0 },
                                  { str("docs/b.md"), str("plan"), 0 },
                                  { str("docs/a.md"), str("plan"), 0 } };
    ken_task out = { 0 }, t = { .uuid = ken_uuid_random(),
                                .title = str("caf\xc3\xa9"),
                                .status = str("need to be done"),
                                .description = str("d"),
                                .project = project,
                                .has_project = true,
                                .references = refs,
                                .n_references = 3,
                                .created_at_ms = 5000 };
    kt_ok_err(ken_catalog_add_task(c, &t, &arena, &out, &err), &err);
    kt_ok_err(ken_catalog_load_task(c, t.uuid, &arena, &out, &err), &err);
    kt_eq_text(out.title, "caf\xc3\xa9");
    kt_eq_text(out.description, "d");
    kt_null(out.notes.ptr);
    kt_true(out.has_project && ken_uuid_eq(out.project, project));
    kt_eq_i(out.created_at_ms, 5000);
    kt_eq_i(out.updated_at_ms, 5000);
    kt_eq_u(out.n_references, 2); // the second of one path is none
    kt_eq_text(out.references[0].type, "spec");
    kt_eq_text(out.references[1].path, "docs/b.md");
    kt_eq_u(out.n_changes, 1);
    kt_null(out.changes[0].from.ptr);
    kt_eq_text(out.changes[0].to, "need to be done");
    kt_status(ken_catalog_load_task(c, ken_uuid_random(), &arena, &out, &err), KEN_ENOTFOUND);
    kt_eq_str(err.msg, "");
    kt_status(ken_catalog_add_task(c, &t, &arena, &out, &err), KEN_EEXIST); // the same id
    ken_catalog_close(c);
}

CATALOG_TEST(only_what_an_edit_names_changes)
{
    ken_catalog *c = open_catalog();
    ken_task t = add(c, "one", "open", false);
    t = edit(c, &t, (ken_task_edit){ .notes = str("n"), .description = str("d") });
    t = edit(c, &t, (ken_task_edit){ .status = str("done"), .description = str("") });
    kt_eq_text(t.title, "one");
    kt_eq_text(t.notes, "n");
    kt_null(t.description.ptr);
    kt_eq_u(t.n_changes, 2);
    kt_eq_text(t.changes[1].from, "open");
    kt_eq_text(t.changes[1].to, "done");
    kt_eq_i(t.changes[1].at_ms, t.updated_at_ms);

    t = edit(c, &t, (ken_task_edit){ .sets_project = true, .project = &project });
    kt_true(t.has_project);
    t = edit(c, &t, (ken_task_edit){ .sets_project = true });
    kt_false(t.has_project);
    const ken_task_reference one = { str("a"), str("plan"), 0 },
                             two[] = { { str("b"), str("plan"), 0 }, one };
    t = edit(c, &t,
             (ken_task_edit){ .sets_references = true, .references = &one, .n_references = 1 });
    int64_t first_ms = t.references[0].at_ms;
    t = edit(c, &t,
             (ken_task_edit){ .sets_references = true, .references = two, .n_references = 2 });
    kt_eq_u(t.n_references, 2);
    kt_eq_text(t.references[0].path, "b");
    kt_eq_i(t.references[1].at_ms, first_ms); // it was there before
    t = edit(c, &t, (ken_task_edit){ .sets_references = true });
    kt_eq_u(t.n_references, 0);
    ken_task gone;
    kt_status(
        ken_catalog_update_task(c, ken_uuid_random(), &(ken_task_edit){ 0 }, &arena, &gone, &err),
        KEN_ENOTFOUND);
    ken_catalog_close(c);
}

// As it was kept before subjects were masked, and as a journal of that time puts it back.
CATALOG_TEST(an_old_subject_is_masked_when_it_is_read)
{
    ken_catalog *c = open_catalog();
    const ken_task_commit commit = { .hash = str("0123456789012345678901234567890123456789"),
                                     .message =
                                         str("drop ghp_9fQ2kX7bLm4ZtR8sWv3YcN6dHj1GpA5eUo0B") };
    ken_task t = add(c, "one", "open", false);
    t = edit(c, &t, (ken_task_edit){ .commit = commit });
    kt_eq_text(t.commits[0].message, "drop ghp_************************************");
    ken_catalog_close(c);
}

CATALOG_TEST(links_are_made_once)
{
    ken_catalog *c = open_catalog();
    const ken_task_commit commit = { .hash = str("0123456789012345678901234567890123456789"),
                                     .message = str("m") };
    ken_task t = add(c, "one", "open", false);
    t = edit(c, &t, (ken_task_edit){ .branch = str("main"), .commit = commit });
    ken_task again = edit(c, &t, (ken_task_edit){ .branch = str("main"), .commit = commit });
    kt_eq_u(again.n_branches, 1);
    kt_eq_u(again.n_commits, 1);
    kt_eq_text(again.commits[0].message, "m");
    kt_eq_i(again.updated_at_ms, t.updated_at_ms); // nothing changed
    kt_eq_i(again.rev, t.rev);
    kt_eq_str(list(c, (ken_task_filter){ .branch = str("main") }), "one |1");

    char name[16];
    for (int i = 1; i < KEN_TASK_BRANCHES_MAX; i++) {
        snprintf(name, sizeof name, "b%d", i);
        t = link_branch(c, &t, name);
    }
    const ken_task_edit full = { .branch = str("more"), .now_ms = 1 };
    kt_status(ken_catalog_update_task(c, t.uuid, &full, &arena, &again, &err), KEN_ELIMIT);
    kt_has_str(err.msg, "branch");
    ken_catalog_close(c);
}

CATALOG_TEST(updated_at_grows_even_when_the_clock_does_not)
{
    ken_catalog *c = open_catalog();
    ken_task a = add(c, "one", "open", false),
             b = edit(c, &a, (ken_task_edit){ .notes = str("n"), .now_ms = 1 });
    kt_eq_i(b.updated_at_ms, a.updated_at_ms + 1);
    kt_true(b.rev > a.rev);
    ken_catalog_close(c);
}

CATALOG_TEST(writer_who_read_an_older_state_is_refused)
{
    ken_catalog *c = open_catalog();
    ken_task a = add(c, "one", "open", false), b, out = { 0 };
    ken_task_edit mine = { .notes = str("mine"), .if_updated_at_ms = a.updated_at_ms },
                  theirs = { .notes = str("theirs"), .if_updated_at_ms = a.updated_at_ms };
    b = edit(c, &a, mine);
    theirs.now_ms = 99;
    kt_status(ken_catalog_update_task(c, a.uuid, &theirs, &arena, &out, &err), KEN_EEXIST);
    char want[80], time[32];
    int64_t ms = b.updated_at_ms;
    snprintf(time, sizeof time, "%02d.%03dZ", (int)(ms / 1000 % 60), (int)(ms % 1000));
    snprintf(want, sizeof want, "its updated_at is 1970-01-01T00:00:%s", time);
    kt_has_str(err.msg, want);
    kt_ok(ken_catalog_load_task(c, a.uuid, &arena, &out, &err));
    kt_eq_text(out.notes, "mine");
    ken_catalog_close(c);
}

CATALOG_TEST(lists_are_filtered_newest_change_first)
{
    ken_catalog *c = open_catalog();
    ken_task a = add(c, "a", "open", true), b = add(c, "b", "open", false),
             d = add(c, "d", "done", true), e = add(c, "e", "open", true);
    kt_eq_str(list(c, (ken_task_filter){ 0 }), "e d b a |4");
    kt_eq_str(list(c, (ken_task_filter){ .status = str("open") }), "e b a |3");
    kt_eq_str(list(c, (ken_task_filter){ .project = &project }), "e d a |3");
    kt_eq_str(list(c, (ken_task_filter){ .project = &project, .status = str("open") }), "e a |2");
    link_branch(c, &a, "main");
    link_branch(c, &d, "main");
    link_branch(c, &b, "dev");
    kt_eq_str(list(c, (ken_task_filter){ 0 }), "b d a e |4");
    kt_eq_str(list(c, (ken_task_filter){ .branch = str("main") }), "d a |2");
    kt_eq_str(list(c, (ken_task_filter){ .branch = str("main"), .status = str("open") }), "a |1");
    kt_eq_str(list(c, (ken_task_filter){ .branch = str("dev"), .project = &project }), "|0");
    edit(c, &a, (ken_task_edit){ .status = str("done") });
    kt_eq_str(list(c, (ken_task_filter){ .branch = str("main") }), "a d |2");
    kt_eq_str(list(c, (ken_task_filter){ .branch = str("main"), .status = str("open") }), "|0");
    kt_eq_str(list(c, (ken_task_filter){ .limit = 2, .offset = 1 }), "b d |4");
    kt_eq_str(list(c, (ken_task_filter){ .limit = 2, .offset = 4 }), "|4");
    kt_eq_str(list(c, (ken_task_filter){ .status = str("none") }), "|0");
    kt_ok_err(ken_catalog_remove_task(c, e.uuid, &err), &err);
    kt_eq_str(list(c, (ken_task_filter){ .project = &project }), "a d |2");
    ken_catalog_close(c);
}

static int64_t ask_sqlite(const char *sql)
{
    sqlite3 *db = lab_open_sqlite(catalog_path());
    sqlite3_stmt *st = NULL;
    kt_eq_i(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
    kt_eq_i(sqlite3_step(st), SQLITE_ROW);
    int64_t v = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    sqlite3_close(db);
    return v;
}

// Of tasks, in all tables.
static int64_t count_rows(void)
{
    if (is_postgres()) {
        return lab_number(database_url, "SELECT (SELECT count(*) FROM ken.tasks) + "
                                        "(SELECT count(*) FROM ken.task_counts) + "
                                        "(SELECT count(*) FROM ken.task_status_history) + "
                                        "(SELECT count(*) FROM ken.task_planning_references) + "
                                        "(SELECT count(*) FROM ken.task_branch_links) + "
                                        "(SELECT count(*) FROM ken.task_commit_links)");
    }
    return ask_sqlite(
        "SELECT (SELECT count(*) FROM task) + (SELECT count(*) FROM task_count) + "
        "(SELECT count(*) FROM task_status_history) + "
        "(SELECT count(*) FROM task_planning_reference) + "
        "(SELECT count(*) FROM task_branch_link) + (SELECT count(*) FROM task_commit_link)");
}

CATALOG_TEST(removed_task_leaves_nothing)
{
    ken_catalog *c = open_catalog();
    ken_task t = add(c, "one", "open", true);
    const ken_task_reference ref = { str("a"), str("plan"), 0 };
    edit(c, &t,
         (ken_task_edit){ .branch = str("main"),
                          .commit.hash = str("c"),
                          .sets_references = true,
                          .references = &ref,
                          .n_references = 1 });
    kt_ok_err(ken_catalog_remove_task(c, t.uuid, &err), &err);
    kt_status(ken_catalog_remove_task(c, t.uuid, &err), KEN_ENOTFOUND);
    ken_task other = add(c, "other", "open", false), found[2];
    const int64_t ids[] = { t.id, other.id };
    size_t n_found = 0;
    kt_ok_err(ken_catalog_load_tasks(c, ids, 2, &arena, found, &n_found, &err), &err);
    kt_eq_u(n_found, 1);
    kt_eq_text(found[0].title, "other");
    kt_ok(ken_catalog_remove_task(c, other.uuid, &err));
    kt_eq_i(count_rows(), 0);
    kt_true(add(c, "two", "open", false).id > t.id);
    ken_catalog_close(c);
}

typedef struct seen {
    char text[200];
    int64_t rev;
} seen;

static void see(void *ctx, const ken_task *t, ken_str branches)
{
    seen *s = ctx;
    size_t len = strlen(s->text);
    snprintf(s->text + len, sizeof s->text - len, KEN_STR_FMT "(" KEN_STR_FMT ") ",
             KEN_STR_ARG(t->title), KEN_STR_ARG(branches));
    s->rev = t->rev;
}

CATALOG_TEST(follower_sees_what_changed)
{
    ken_catalog *c = open_catalog();
    ken_task a = add(c, "a", "open", false), b = add(c, "b", "open", false);
    seen s = { .text = "" };
    kt_ok_err(ken_catalog_scan_tasks(c, 0, see, &s, &err), &err);
    kt_eq_str(s.text, "a() b() ");
    int64_t last = 0;
    kt_ok_err(ken_catalog_last_task_rev(c, &last, &err), &err);
    kt_eq_i(last, s.rev);
    a = link_branch(c, &a, "x");
    a = link_branch(c, &a, "y");
    kt_ok(ken_catalog_remove_task(c, b.uuid, &err));
    s.text[0] = '\0';
    kt_ok_err(ken_catalog_scan_tasks(c, last, see, &s, &err), &err);
    kt_eq_str(s.text, "a(x\ny) ");
    // A new task is seen though the one with the largest rev was removed.
    kt_ok(ken_catalog_remove_task(c, a.uuid, &err));
    kt_true(add(c, "d", "open", false).rev > s.rev);
    ken_catalog_close(c);
}

CATALOG_TEST(two_processes_write_and_nothing_is_lost)
{
    enum {
        N_PROCESSES = 3,
        N_WRITES = 30
    };
    ken_catalog *c = open_catalog();
    ken_task t = add(c, "shared", "open", false);
    ken_catalog_close(c);
    pid_t pids[N_PROCESSES];
    for (int p = 0; p < N_PROCESSES; p++) {
        pids[p] = fork();
        kt_true(pids[p] >= 0);
        if (pids[p])
            continue;
        ken_status st = open_catalog_in_child(&c);
        for (int i = 0; !st && i < N_WRITES; i++) {
            char name[32];
            snprintf(name, sizeof name, "p%d/b%d", p, i);
            const ken_task_edit e = { .branch = str(name), .now_ms = 1 };
            st = ken_catalog_update_task(c, t.uuid, &e, &arena, &t, &err);
        }
        if (st)
            fprintf(stderr, "child: %s\n", err.msg);
        _exit(st != KEN_OK);
    }
    for (int p = 0; p < N_PROCESSES; p++) {
        int status = 0;
        kt_true(waitpid(pids[p], &status, 0) == pids[p]);
        kt_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    c = open_catalog();
    kt_ok(ken_catalog_load_task(c, t.uuid, &arena, &t, &err));
    kt_eq_u(t.n_branches, N_PROCESSES * N_WRITES);
    ken_catalog_close(c);
}
