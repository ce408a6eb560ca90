// SPDX-License-Identifier: MIT
// /api/v1/jobs: what the server does on its own.
#include <stdio.h>

#include "job/job.h"
#include "web/web_priv.h"

enum {
    LISTED = 50,
    BODY_MAX = 64 * 1024,
};

static bool may(ken_httpd_request *r, unsigned scope, const ken_job *j)
{
    const web_request *q = ken_web__request(r);
    if (ken_grant_allows(&q->grant, scope, j->has_project ? &j->project : NULL))
        return true;
    ken_web__answer_problem(r, 403, "EPERM", "this access token is not for jobs of this project");
    return false;
}

// The job that the path names; false when it was refused.
static bool find(ken_web *w, ken_httpd_request *r, unsigned scope, ken_job *out)
{
    ken_uuid id;
    ken_err err = { 0 };
    if (!ken_uuid_parse(ken_httpd_param(r, "id"), &id))
        ken_web__answer_problem(r, 404, "ENOTFOUND", "there is no such job: its id is a UUID");
    else if (ken_job_find(w->app, id, ken_httpd_arena(r), out, &err))
        ken_web__answer_failure(r, &err);
    else
        return may(r, scope, out);
    return false;
}

static void get_job(void *ctx, ken_httpd_request *r)
{
    ken_job j;
    if (find(ctx, r, KEN_SCOPE_F_READ, &j))
        ken_web__answer_json(r, 200, ken_job_json(&j));
}

static void get_job_events(void *ctx, ken_httpd_request *r)
{
    ken_job j;
    if (find(ctx, r, KEN_SCOPE_F_READ, &j))
        ken_web__stream_job(ctx, r, &j);
}

static void cancel_job(void *ctx, ken_httpd_request *r)
{
    ken_web *w = ctx;
    ken_job j;
    ken_err err = { 0 };
    if (!find(w, r, KEN_SCOPE_F_WRITE, &j))
        return;
    if (ken_jobs_cancel(w->jobs, j.id, ken_httpd_arena(r), &j, &err))
        ken_web__answer_failure(r, &err);
    else
        ken_web__answer_json(r, 202, ken_job_json(&j));
}

static ken_status read_filter(ken_web *w, ken_httpd_request *r, ken_job_filter *f,
                              ken_uuid *project, ken_err *err)
{
    const web_request *q = ken_web__request(r);
    ken_str ref = ken_httpd_query(r, "project"), state = ken_httpd_query(r, "state");
    ken_str limit = ken_httpd_query(r, "limit");
    uint64_t n = LISTED;
    if (state.len && !(f->state = ken_job_state_of(state)))
        return KEN_FAIL(err, KEN_EINVAL,
                        "state must be queued, running, done, failed, cancelled or interrupted");
    if (limit.len && (!ken_str_parse_u64(limit, &n) || !n || n > KEN_JOBS_KEPT))
        return KEN_FAIL(err, KEN_EINVAL, "limit must be 1 to %d", KEN_JOBS_KEPT);
    f->limit = n;
    if (q->grant.is_bound)
        *project = q->grant.project;
    if (ref.len) {
        ken_project_info p;
        ken_status st = ken_app_find_project(w->app, ref, KEN_STR(""), ken_httpd_arena(r), &p, err);
        if (st)
            return st;
        if (q->grant.is_bound && !ken_uuid_eq(p.id, *project))
            return KEN_FAIL(err, KEN_EPERM, "this access token is of another project");
        *project = p.id;
    }
    f->project = q->grant.is_bound || ref.len ? project : NULL;
    return KEN_OK;
}

static void list_jobs(void *ctx, ken_httpd_request *r)
{
    ken_web *w = ctx;
    ken_job_filter f = { .limit = LISTED };
    ken_uuid project;
    ken_job *jobs;
    size_t n = 0;
    ken_err err = { 0 };
    ken_status st = read_filter(w, r, &f, &project, &err);
    if (!st)
        st = ken_job_list(w->app, &f, ken_httpd_arena(r), &jobs, &n, &err);
    if (st) {
        ken_web__answer_failure(r, &err);
        return;
    }
    json_t *o = json_object(), *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, ken_job_json(&jobs[i]));
    json_object_set_new(o, "jobs", list);
    ken_web__answer_json(r, 200, o);
}

static ken_status read_wish(ken_web *w, ken_httpd_request *r, const json_t *body,
                            ken_job_request *out, ken_err *err)
{
    const web_request *q = ken_web__request(r);
    ken_str kind = { "", 0 }, project = { "", 0 };
    ken_status st = ken_json_read_str(body, "body", "kind", &kind, err);
    if (!st)
        st = ken_json_read_str(body, "body", "project", &project, err);
    if (!st)
        st = ken_json_read_str(body, "body", "model", &out->model, err);
    if (!st)
        st = ken_json_read_str(body, "body", "frontend_path", &out->frontend_path, err);
    if (!st)
        st = ken_json_read_str(body, "body", "backend_path", &out->backend_path, err);
    if (!st)
        st = ken_json_read_bool(body, "body", "force", &out->is_forced, err);
    if (st)
        return st;
    out->kind = ken_job_kind_of(kind);
    if (!out->kind)
        return KEN_FAIL(err, KEN_EINVAL,
                        "body.kind must be index, embed, model_download, rules_setup or sync");
    if (!ken_job_is_of_project(out->kind))
        return ken_grant_allows(&q->grant, KEN_SCOPE_F_ADMIN, NULL)
                   ? KEN_OK
                   : KEN_FAIL(err, KEN_EPERM, "this job needs an access token of scope admin");
    ken_project_info p;
    st = ken_app_find_project(w->app, project, KEN_STR(""), ken_httpd_arena(r), &p, err);
    if (st)
        return st;
    out->project = p.id;
    return ken_grant_allows(&q->grant, KEN_SCOPE_F_WRITE, &p.id)
               ? KEN_OK
               : KEN_FAIL(err, KEN_EPERM, "this access token may not change that project");
}

static void add_job(void *ctx, ken_httpd_request *r)
{
    ken_web *w = ctx;
    json_t *body = NULL;
    ken_job_request wish = { 0 };
    ken_job j;
    bool is_new = false;
    ken_err err = { 0 };
    ken_status st = ken_json_parse(ken_httpd_body(r), &body, &err);
    if (!st && !json_is_object(body))
        st = KEN_FAIL(&err, KEN_EINVAL, "the body must be a JSON object");
    if (!st)
        st = read_wish(w, r, body, &wish, &err);
    if (!st)
        st = ken_jobs_submit(w->jobs, &wish, ken_httpd_arena(r), &j, &is_new, &err);
    if (st)
        ken_web__answer_failure(r, &err);
    else
        ken_web__answer_json(r, is_new ? 202 : 200, ken_job_json(&j));
    json_decref(body);
}

void ken_web__add_jobs(ken_web *w)
{
    ken_web__add_route(w, "GET", "/api/v1/jobs", list_jobs, 0);
    ken_web__add_route(w, "POST", "/api/v1/jobs", add_job, BODY_MAX);
    ken_web__add_route(w, "GET", "/api/v1/jobs/{id}", get_job, 0);
    ken_web__add_route(w, "DELETE", "/api/v1/jobs/{id}", cancel_job, 0);
    ken_web__add_route(w, "GET", "/api/v1/jobs/{id}/events", get_job_events, 0);
}
