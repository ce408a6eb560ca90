// SPDX-License-Identifier: MIT
// What every catalog must do so that exact copies can be made: tasks that are put as they are, all values.
#include "conformance/store/catalog_matrix.h"
#include "move/move.h"
#include "store/jobs.h"
#include "store/move.h"
#include "store/tasks.h"

static ken_task_branch branches[] = { { { "main", 4 }, 11 }, { { "feature/x", 9 }, 12 } };
static ken_task_commit commits[] = {
    { { "0123456789012345678901234567890123456789", 40 }, { "subject", 7 }, 13 },
    { { "1123456789012345678901234567890123456789", 40 }, { NULL, 0 }, 14 }
};
static ken_task_reference references[] = { { { "docs/plan.md", 12 }, { "plan", 4 }, 15 } };
static ken_task_change changes[] = { { { NULL, 0 }, { "new", 3 }, 10 },
                                     { { "new", 3 }, { "done", 4 }, 16 } };

static ken_task whole(uint8_t id, int64_t rev)
{
    ken_task t = { .rev = rev,
                   .title = KEN_STR("title"),
                   .status = KEN_STR("done"),
                   .notes = KEN_STR("notes"),
                   .created_at_ms = 10,
                   .updated_at_ms = 16 + id,
                   .references = references,
                   .branches = branches,
                   .commits = commits,
                   .changes = changes,
                   .n_references = 1,
                   .n_branches = 2,
                   .n_commits = 2,
                   .n_changes = 2 };
    t.uuid.bytes[0] = id;
    return t;
}

static uint64_t total(ken_catalog *c, const char *status, const char *branch)
{
    ken_task *tasks = NULL;
    size_t n = 0;
    uint64_t n_all = 0;
    const ken_task_filter f = { .status = { status, status ? strlen(status) : 0 },
                                .branch = { branch, branch ? strlen(branch) : 0 },
                                .limit = 10 };
    kt_ok_err(ken_catalog_list_tasks(c, &f, &arena, &tasks, &n, &n_all, &err), &err);
    kt_eq_u(n, n_all);
    return n_all;
}

CATALOG_TEST(tasks_are_put_as_they_are)
{
    ken_catalog *c = open_catalog();
    ken_task t[] = { whole(1, 9), whole(2, 5) }, back;
    int64_t rev = 0;
    t[1].has_project = true;
    t[1].project.bytes[3] = 7;
    kt_ok_err(ken_catalog_put_tasks(c, t, 2, 12, &err), &err);
    kt_ok_err(ken_catalog_load_task(c, t[0].uuid, &arena, &back, &err), &err);
    kt_eq_i(back.rev, 9);
    kt_eq_i(back.created_at_ms, 10);
    kt_eq_i(back.updated_at_ms, 17);
    kt_true(!back.description.ptr);
    kt_eq_text(back.notes, "notes");
    kt_eq_u(back.n_branches, 2);
    kt_eq_text(back.branches[1].name, "feature/x");
    kt_eq_i(back.branches[1].at_ms, 12);
    kt_eq_u(back.n_commits, 2);
    kt_eq_i(back.commits[1].at_ms, 14);
    kt_eq_i(back.references[0].at_ms, 15);
    kt_eq_u(back.n_changes, 2);
    kt_eq_text(back.changes[1].from, "new");
    kt_eq_i(back.changes[1].at_ms, 16);
    kt_eq_u(total(c, "done", NULL), 2);
    kt_eq_u(total(c, NULL, "main"), 2);
    // Another state takes the place of the one there is, in the totals, too.
    t[0].status = KEN_STR("open");
    t[0].rev = 20;
    t[0].n_branches = 1;
    kt_ok_err(ken_catalog_put_tasks(c, t, 1, 3, &err), &err);
    kt_eq_u(total(c, "done", NULL), 1);
    kt_eq_u(total(c, "open", NULL), 1);
    kt_eq_u(total(c, NULL, "feature/x"), 1);
    kt_ok_err(ken_catalog_last_task_rev(c, &rev, &err), &err);
    kt_eq_i(rev, 12); // never taken back
    kt_ok_err(ken_catalog_put_tasks(c, NULL, 0, 20, &err), &err);
    const ken_task_edit edit = { .title = KEN_STR("other"), .now_ms = 99 };
    kt_ok_err(ken_catalog_update_task(c, t[1].uuid, &edit, &arena, &back, &err), &err);
    kt_eq_i(back.rev, 21);
    kt_ok_err(ken_catalog_remove_task(c, t[0].uuid, &err), &err);
    kt_eq_u(total(c, NULL, NULL), 1);
    kt_eq_u(total(c, NULL, "main"), 1);
    ken_catalog_close(c);
}

CATALOG_TEST(all_values_are_listed_by_name)
{
    ken_catalog *c = open_catalog();
    ken_catalog_value *values = NULL;
    size_t n = 9;
    kt_ok_err(ken_catalog_list_values(c, &arena, &values, &n, &err), &err);
    kt_eq_u(n, 0);
    kt_ok_err(ken_catalog_put_value(c, KEN_STR("b"), KEN_STR("2"), &err), &err);
    kt_ok_err(ken_catalog_put_value(c, KEN_STR("B"), KEN_STR(""), &err), &err);
    kt_ok_err(ken_catalog_put_value(c, KEN_STR("a.c"), KEN_STR("1"), &err), &err);
    kt_ok_err(ken_catalog_list_values(c, &arena, &values, &n, &err), &err);
    kt_eq_u(n, 3);
    kt_eq_text(values[0].name, "B");
    kt_eq_u(values[0].value.len, 0);
    kt_eq_text(values[1].name, "a.c");
    kt_eq_text(values[2].value, "2");
    ken_catalog_close(c);
}

static ken_job add_job(ken_catalog *c, ken_job_kind kind)
{
    const ken_job j = { .id = ken_uuid_random(),
                        .kind = kind,
                        .has_project = true,
                        .project = { .bytes = { 1, (uint8_t)kind } },
                        .params = KEN_STR("{}"),
                        .created_at_ms = 1000 };
    ken_job out = { .kind = KEN_JOB_NONE };
    bool is_new = false;
    kt_ok_err(ken_catalog_add_job(c, &j, &arena, &out, &is_new, &err), &err);
    kt_true(is_new);
    return out;
}

static void claim_job(ken_catalog *c)
{
    ken_job out;
    const ken_job_claim claim = { .worker = KEN_STR("host:1"), .now_ms = 2000, .lease_ms = 60000 };
    kt_ok_err(ken_catalog_claim_job(c, &claim, &arena, &out, &err), &err);
}

static ken_job_state state_of(ken_catalog *c, ken_uuid id)
{
    ken_job j;
    kt_ok_err(ken_catalog_find_job(c, id, &arena, &j, &err), &err);
    return j.state;
}

static void move_jobs(ken_catalog *from, ken_catalog *to)
{
    const ken_move_job job = { .cancel = NULL };
    ken_move_sums source, target;
    kt_ok_err(ken_move_catalog(from, to, &job, &err), &err);
    kt_ok_err(ken_move_sum_catalog(from, &job, &source, &err), &err);
    kt_ok_err(ken_move_sum_catalog(to, &job, &target, &err), &err);
    kt_eq_i(ken_move_compare(&source, &target), KEN_MOVE_PART_COUNT);
}

// What an earlier try copied is not as the source has it any more.
CATALOG_TEST(jobs_of_a_source_that_goes_on_are_moved_again)
{
    char path[700];
    ken_catalog *from = NULL, *to = open_catalog();
    ken_job after;
    snprintf(path, sizeof path, "%s/%d/source/projects.db", ktest_dir(), (int)now);
    kt_ok_err(ken_catalog_open(path, false, &from, &err), &err);
    ken_job runs = add_job(from, KEN_JOB_INDEX);
    claim_job(from);
    ken_job waits = add_job(from, KEN_JOB_INDEX), unwanted = add_job(from, KEN_JOB_SYNC);
    claim_job(from);
    kt_ok_err(ken_catalog_cancel_job(from, unwanted.id, 3000, &arena, &after, &err), &err);
    ken_job later = add_job(from, KEN_JOB_EMBED);
    move_jobs(from, to);
    kt_eq_i(state_of(to, runs.id), KEN_JOB_INTERRUPTED); // the same waits already
    kt_eq_i(state_of(to, waits.id), KEN_JOB_QUEUED);
    kt_eq_i(state_of(to, unwanted.id), KEN_JOB_CANCELLED);
    kt_eq_i(state_of(to, later.id), KEN_JOB_QUEUED);
    kt_ok_err(ken_catalog_cancel_job(from, later.id, 4000, &arena, &after, &err), &err);
    move_jobs(from, to);
    kt_eq_i(state_of(to, later.id), KEN_JOB_CANCELLED);
    ken_catalog_close(from);
    ken_catalog_close(to);
}
