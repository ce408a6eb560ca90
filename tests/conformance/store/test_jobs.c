// SPDX-License-Identifier: MIT
// What every backend of the catalog must do with jobs.
#include "conformance/store/catalog_matrix.h"
#include "store/jobs.h"

static const ken_uuid project_a = { { 0xa } }, project_b = { { 0xb } };

static ken_job queue(ken_catalog *c, ken_job_kind kind, const ken_uuid *project, const char *params,
                     bool *out_is_new)
{
    static int64_t now_ms = 1000;
    ken_job out, j = { .id = ken_uuid_random(),
                       .kind = kind,
                       .params = ken_str_c(params),
                       .created_at_ms = now_ms++ };
    bool is_new = false;
    if (project) {
        j.has_project = true;
        j.project = *project;
    }
    kt_ok_err(ken_catalog_add_job(c, &j, &arena, &out, &is_new, &err), &err);
    if (out_is_new)
        *out_is_new = is_new;
    return out;
}

enum {
    LEASE_MS = 60000
};

// Takes the next one; its kind is NONE when there is none.
static ken_job claim(ken_catalog *c, int64_t now_ms)
{
    ken_job j = { .kind = KEN_JOB_NONE };
    const ken_job_claim how = { .worker = KEN_STR("me"), .now_ms = now_ms, .lease_ms = LEASE_MS };
    ken_status st = ken_catalog_claim_job(c, &how, &arena, &j, &err);
    if (st != KEN_ENOTFOUND)
        kt_ok_err(st, &err);
    return j;
}

static ken_job find(ken_catalog *c, ken_uuid id)
{
    ken_job j = { .kind = KEN_JOB_NONE };
    kt_ok_err(ken_catalog_find_job(c, id, &arena, &j, &err), &err);
    return j;
}

static size_t list(ken_catalog *c, ken_job_filter f, ken_job **out)
{
    size_t n = 0;
    if (!f.limit)
        f.limit = 100;
    kt_ok_err(ken_catalog_list_jobs(c, &f, &arena, out, &n, &err), &err);
    return n;
}

CATALOG_TEST(a_job_goes_from_state_to_state)
{
    ken_catalog *c = open_catalog();
    bool wants_end = true;
    ken_job j = queue(c, KEN_JOB_INDEX, &project_a, "{}", NULL);
    kt_eq_u(j.state, KEN_JOB_QUEUED);
    kt_true(j.has_project && ken_uuid_eq(j.project, project_a));
    kt_eq_text(j.params, "{}");
    kt_status(ken_catalog_note_job(c, &j, LEASE_MS, &wants_end, &err),
              KEN_ENOTFOUND); // it does not run yet
    ken_job taken = claim(c, 2000);
    kt_true(ken_uuid_eq(taken.id, j.id));
    kt_eq_u(taken.state, KEN_JOB_RUNNING);
    kt_eq_i(taken.started_at_ms, 2000);
    kt_eq_u(claim(c, 2000).kind, KEN_JOB_NONE); // there is no other
    j = taken;
    j.n_done = 3;
    j.n_total = 10;
    j.milli_rate = 1500;
    j.message = KEN_STR("indexing");
    kt_ok_err(ken_catalog_note_job(c, &j, LEASE_MS, &wants_end, &err), &err);
    kt_false(wants_end);
    ken_catalog_close(c);

    c = open_catalog();
    j = find(c, j.id);
    kt_eq_u(j.state, KEN_JOB_RUNNING);
    kt_eq_i(j.started_at_ms, 2000);
    kt_eq_u(j.n_done, 3);
    kt_eq_i(ken_job_eta_ms(&j), 4666);
    const ken_job_end e = { .state = KEN_JOB_FAILED, .at_ms = 3000, .error = KEN_STR("no disk") };
    kt_ok_err(ken_catalog_end_job(c, &j, &e, &err), &err);
    kt_status(ken_catalog_end_job(c, &j, &e, &err), KEN_ENOTFOUND);
    kt_status(ken_catalog_note_job(c, &j, LEASE_MS, &wants_end, &err), KEN_ENOTFOUND);
    j = find(c, j.id);
    kt_eq_u(j.state, KEN_JOB_FAILED);
    kt_eq_text(j.error, "no disk");
    kt_eq_i(j.ended_at_ms, 3000);
    kt_eq_i(ken_job_eta_ms(&j), -1);
    kt_status(ken_catalog_find_job(c, project_a, &arena, &j, &err), KEN_ENOTFOUND);
    ken_catalog_close(c);
}

CATALOG_TEST(what_is_queued_already_is_not_queued_again)
{
    ken_catalog *c = open_catalog();
    bool is_new = false;
    ken_job *rows = NULL;
    ken_job first = queue(c, KEN_JOB_INDEX, &project_a, "{}", &is_new);
    kt_true(is_new);
    ken_job again = queue(c, KEN_JOB_INDEX, &project_a, "{}", &is_new);
    kt_false(is_new);
    kt_true(ken_uuid_eq(first.id, again.id));
    (void)queue(c, KEN_JOB_INDEX, &project_b, "{}", &is_new);
    kt_true(is_new);
    (void)queue(c, KEN_JOB_INDEX, &project_a, "{\"force\":true}", &is_new);
    kt_true(is_new);
    (void)queue(c, KEN_JOB_EMBED, &project_a, "{}", &is_new);
    kt_true(is_new);
    (void)queue(c, KEN_JOB_MODEL_DOWNLOAD, NULL, "{\"model\":\"m\"}", &is_new);
    kt_true(is_new);
    (void)queue(c, KEN_JOB_MODEL_DOWNLOAD, NULL, "{\"model\":\"m\"}", &is_new);
    kt_false(is_new);
    // One that runs has begun to look: what is asked for now comes after it.
    kt_true(ken_uuid_eq(claim(c, 2000).id, first.id));
    (void)queue(c, KEN_JOB_INDEX, &project_a, "{}", &is_new);
    kt_true(is_new);
    kt_eq_u(list(c, (ken_job_filter){ .state = KEN_JOB_QUEUED }, &rows), 5);
    kt_true(ken_uuid_eq(rows[4].project, project_b)); // the oldest
    ken_job_counts n;
    kt_ok_err(ken_catalog_count_jobs(c, NULL, &n, &err), &err);
    kt_eq_u(n.n_queued[KEN_JOB_INDEX], 3);
    kt_eq_u(n.n_running[KEN_JOB_INDEX], 1);
    kt_eq_u(n.n_queued[KEN_JOB_EMBED], 1);
    kt_eq_u(n.n_queued[KEN_JOB_MODEL_DOWNLOAD], 1);
    kt_eq_u(n.n_queued[KEN_JOB_SYNC] + n.n_running[KEN_JOB_SYNC], 0);
    kt_ok_err(ken_catalog_count_jobs(c, &project_a, &n, &err), &err);
    kt_eq_u(n.n_queued[KEN_JOB_INDEX], 2);
    kt_eq_u(n.n_running[KEN_JOB_INDEX], 1);
    kt_eq_u(n.n_queued[KEN_JOB_MODEL_DOWNLOAD], 0);
    kt_ok_err(ken_catalog_count_jobs(c, &project_b, &n, &err), &err);
    kt_eq_u(n.n_queued[KEN_JOB_INDEX], 1);
    kt_eq_u(n.n_running[KEN_JOB_INDEX], 0);
    kt_eq_u(list(c, (ken_job_filter){ .project = &project_a }, &rows), 4);
    kt_eq_u(list(c, (ken_job_filter){ .limit = 2 }, &rows), 2);
    kt_true(ken_uuid_eq(rows[0].project, project_a)); // the newest
    kt_eq_u(rows[1].kind, KEN_JOB_MODEL_DOWNLOAD);
    ken_catalog_close(c);
}

CATALOG_TEST(a_job_is_cancelled_where_it_is)
{
    ken_catalog *c = open_catalog();
    bool wants_end = false;
    (void)queue(c, KEN_JOB_INDEX, &project_b, "{}", NULL);
    ken_job out, running = claim(c, 2000), queued = queue(c, KEN_JOB_INDEX, &project_a, "{}", NULL);
    kt_ok_err(ken_catalog_cancel_job(c, queued.id, 3000, &arena, &out, &err), &err);
    kt_eq_u(out.state, KEN_JOB_CANCELLED);
    kt_eq_i(out.ended_at_ms, 3000);
    kt_ok_err(ken_catalog_cancel_job(c, queued.id, 4000, &arena, &out, &err), &err);
    kt_eq_i(out.ended_at_ms, 3000); // it stays as it was
    kt_ok_err(ken_catalog_cancel_job(c, running.id, 3000, &arena, &out, &err), &err);
    kt_eq_u(out.state, KEN_JOB_RUNNING);
    kt_true(out.is_cancel_wanted);
    kt_ok_err(ken_catalog_note_job(c, &running, LEASE_MS, &wants_end, &err), &err);
    kt_true(wants_end);
    kt_status(ken_catalog_cancel_job(c, project_a, 1, &arena, &out, &err), KEN_ENOTFOUND);
    ken_catalog_close(c);
}

CATALOG_TEST(an_interrupted_job_is_queued_again_once)
{
    ken_catalog *c = open_catalog();
    bool wants_end = false;
    ken_job *rows = NULL, out, j = queue(c, KEN_JOB_INDEX, &project_a, "{\"force\":true}", NULL);
    (void)claim(c, 2000);
    j = find(c, j.id);
    ken_job_end e = { .state = KEN_JOB_INTERRUPTED,
                      .at_ms = 3000,
                      .error = KEN_STR("it was killed"),
                      .is_tried_again = true,
                      .counts = true };
    kt_ok_err(ken_catalog_end_job(c, &j, &e, &err), &err);
    kt_status(ken_catalog_note_job(c, &j, LEASE_MS, &wants_end, &err), KEN_ENOTFOUND);
    ken_job again = find(c, j.id);
    kt_eq_u(again.state, KEN_JOB_QUEUED);
    kt_eq_u(again.n_tries, 1);
    kt_eq_text(again.error, "it was killed");
    kt_eq_text(again.params, "{\"force\":true}");
    kt_eq_i(again.ended_at_ms, 0);
    // What is given back is no try.
    e.counts = false;
    j = claim(c, 4000);
    kt_true(ken_uuid_eq(j.id, again.id));
    kt_eq_text(j.error, "");
    kt_ok_err(ken_catalog_end_job(c, &j, &e, &err), &err);
    kt_eq_u(find(c, j.id).n_tries, 1);
    // Where the same is queued already, that one will do.
    j = claim(c, 5000);
    (void)queue(c, KEN_JOB_INDEX, &project_a, "{\"force\":true}", NULL);
    kt_ok_err(ken_catalog_end_job(c, &j, &e, &err), &err);
    kt_eq_u(find(c, j.id).state, KEN_JOB_INTERRUPTED);
    kt_eq_u(list(c, (ken_job_filter){ .state = KEN_JOB_QUEUED }, &rows), 1);
    // One that somebody wants to end is not tried again.
    j = claim(c, 6000);
    kt_ok_err(ken_catalog_cancel_job(c, j.id, 6500, &arena, &out, &err), &err);
    kt_ok_err(ken_catalog_end_job(c, &j, &e, &err), &err);
    kt_eq_u(find(c, j.id).state, KEN_JOB_CANCELLED);
    kt_eq_u(claim(c, 7000).kind, KEN_JOB_NONE);
    ken_catalog_close(c);
}

CATALOG_TEST(projects_take_turns_and_one_job_of_each_runs)
{
    static const ken_uuid project_c = { { 0xc } };
    ken_catalog *c = open_catalog();
    char params[40], order[16] = "";
    for (int i = 0; i < 3; i++) {
        snprintf(params, sizeof params, "{\"n\":%d}", i);
        (void)queue(c, KEN_JOB_INDEX, &project_a, params, NULL);
    }
    (void)queue(c, KEN_JOB_INDEX, &project_b, "{}", NULL);
    (void)queue(c, KEN_JOB_EMBED, &project_b, "{}", NULL);
    (void)queue(c, KEN_JOB_MODEL_DOWNLOAD, NULL, "{\"model\":\"m\"}", NULL);
    (void)queue(c, KEN_JOB_INDEX, &project_c, "{}", NULL);
    ken_job held[4];
    for (int i = 0; i < 4; i++) {
        held[i] = claim(c, 1000 + i);
        kt_true(held[i].kind != KEN_JOB_NONE);
        for (int k = 0; k < i; k++)
            kt_false(ken_uuid_eq(held[i].project, held[k].project));
    }
    kt_eq_u(claim(c, 2000).kind, KEN_JOB_NONE); // one of each runs
    const ken_job_end e = { .state = KEN_JOB_DONE, .at_ms = 3000 };
    for (int i = 0; i < 4; i++)
        kt_ok_err(ken_catalog_end_job(c, &held[i], &e, &err), &err);
    for (int i = 0; i < 3; i++) {
        ken_job j = claim(c, 4000 + i);
        order[i] = ken_uuid_eq(j.project, project_a) ? 'a' : 'b';
        kt_ok_err(ken_catalog_end_job(c, &j, &e, &err), &err);
    }
    kt_true(!strcmp(order, "aba") || !strcmp(order, "baa"));
    kt_eq_u(claim(c, 5000).kind, KEN_JOB_NONE);
    ken_catalog_close(c);
}

CATALOG_TEST(rows_of_another_catalog_are_kept_as_they_are)
{
    ken_catalog *c = open_catalog();
    ken_job *rows = NULL;
    ken_job j = { .id = ken_uuid_random(),
                  .kind = KEN_JOB_INDEX,
                  .state = KEN_JOB_FAILED,
                  .has_project = true,
                  .project = project_a,
                  .n_tries = 2,
                  .n_done = 3,
                  .n_total = 4,
                  .milli_rate = 5,
                  .created_at_ms = 1000,
                  .started_at_ms = 2000,
                  .ended_at_ms = 3000,
                  .params = KEN_STR("{}"),
                  .message = KEN_STR("m"),
                  .error = KEN_STR("e") };
    kt_ok_err(ken_catalog_put_job(c, &j, &err), &err);
    j.error = KEN_STR("other");
    kt_ok_err(ken_catalog_put_job(c, &j, &err), &err); // it is there
    ken_job kept = find(c, j.id);
    kt_eq_u(kept.state, KEN_JOB_FAILED);
    kt_eq_u(kept.n_tries, 2);
    kt_eq_u(kept.n_total, 4);
    kt_eq_i(kept.created_at_ms, 1000);
    kt_eq_i(kept.ended_at_ms, 3000);
    kt_eq_text(kept.error, "e");
    j.id = ken_uuid_random();
    j.state = KEN_JOB_QUEUED;
    j.ended_at_ms = 0;
    kt_ok_err(ken_catalog_put_job(c, &j, &err), &err);
    ken_uuid queued = j.id;
    j.id = ken_uuid_random(); // the same waits already
    kt_ok_err(ken_catalog_put_job(c, &j, &err), &err);
    kt_eq_u(list(c, (ken_job_filter){ .state = KEN_JOB_QUEUED }, &rows), 1);
    kt_true(ken_uuid_eq(claim(c, 4000).id, queued));
    j.state = KEN_JOB_RUNNING;
    kt_status(ken_catalog_put_job(c, &j, &err), KEN_EINVAL);
    ken_catalog_close(c);
}

CATALOG_TEST(history_is_bounded_by_number_and_age)
{
    ken_catalog *c = open_catalog();
    ken_job *rows = NULL;
    for (int i = 0; i < 10; i++) {
        ken_job j = queue(c, KEN_JOB_INDEX, &project_a, "{}", NULL);
        const ken_job_end e = { .state = KEN_JOB_DONE, .at_ms = 100 + i };
        kt_ok_err(ken_catalog_end_job(c, &j, &e, &err), &err);
    }
    (void)queue(c, KEN_JOB_INDEX, &project_a, "{}", NULL);
    kt_ok_err(ken_catalog_prune_jobs(c, 0, 10, &err), &err);
    kt_eq_u(list(c, (ken_job_filter){ 0 }, &rows), 11);
    kt_ok_err(ken_catalog_prune_jobs(c, 104, 10, &err), &err); // four are too old
    kt_eq_u(list(c, (ken_job_filter){ .state = KEN_JOB_DONE }, &rows), 6);
    kt_eq_i(rows[5].ended_at_ms, 104);
    kt_ok_err(ken_catalog_prune_jobs(c, 0, 2, &err), &err);
    kt_eq_u(list(c, (ken_job_filter){ .state = KEN_JOB_DONE }, &rows), 2);
    kt_eq_i(rows[0].ended_at_ms, 109);
    kt_eq_u(list(c, (ken_job_filter){ 0 }, &rows), 3); // what is queued stays
    ken_catalog_close(c);
}

CATALOG_TEST(bad_jobs_are_refused)
{
    ken_catalog *c = open_catalog();
    ken_job out, j = { .id = ken_uuid_random(), .kind = KEN_JOB_INDEX, .params = KEN_STR("{}") };
    bool is_new;
    kt_status(ken_catalog_add_job(c, &j, &arena, &out, &is_new, &err), KEN_EINVAL); // no project
    j.kind = KEN_JOB_NONE;
    kt_status(ken_catalog_add_job(c, &j, &arena, &out, &is_new, &err), KEN_EINVAL);
    j.kind = KEN_JOB_MODEL_DOWNLOAD;
    j.params = KEN_STR("");
    kt_status(ken_catalog_add_job(c, &j, &arena, &out, &is_new, &err), KEN_ELIMIT);
    for (int i = 0; is_bare() && i < KEN_JOBS_QUEUED_MAX; i++) {
        char params[40];
        snprintf(params, sizeof params, "{\"model\":\"%d\"}", i);
        (void)queue(c, KEN_JOB_MODEL_DOWNLOAD, NULL, params, NULL);
    }
    j.params = KEN_STR("{\"model\":\"one more\"}");
    if (is_bare()) { // a decorator has no limits of its own, and each row is synced
        kt_status(ken_catalog_add_job(c, &j, &arena, &out, &is_new, &err), KEN_ELIMIT);
        kt_has_str(err.msg, "1000 jobs are queued");
    }
    ken_catalog_close(c);
}
