// SPDX-License-Identifier: MIT
// /webhook/github: a push makes a job of each project that it is about.
//
// GitHub signs the raw body (X-Hub-Signature-256), GitLab sends the secret itself (X-Gitlab-Token). What
// is no push, is of another branch, or came before is acknowledged and does nothing, so that the sender
// does not try again.
#include "app/remotes.h"
#include "base/hash.h"
#include "job/job.h"
#include "metrics/metrics.h"
#include "web/web_priv.h"

enum {
    BODY_MAX = 25 * 1024 * 1024, // as GitHub sends at most
};

// ---- who sends ---------------------------------------------------------------------------------

static bool is_signed(ken_str secret, ken_str header, ken_str body)
{
    ken_sha256 given, made = ken_hmac_sha256(secret, body);
    return ken_str_starts(header, KEN_STR("sha256=")) &&
           ken_hex_parse(ken_str_sub(header, 7, header.len), given.bytes, sizeof given.bytes) &&
           ken_is_same_secret(given.bytes, made.bytes, sizeof given.bytes);
}

// Hashes, so that neither the time nor the length tells anything.
static bool is_same_secret(ken_str secret, ken_str given)
{
    ken_sha256 a = ken_sha256_of(secret.ptr, secret.len), b = ken_sha256_of(given.ptr, given.len);
    return ken_is_same_secret(a.bytes, b.bytes, sizeof a.bytes);
}

static bool is_authentic(const ken_httpd_request *r, ken_str secret)
{
    ken_str signature = ken_httpd_header(r, "X-Hub-Signature-256");
    ken_str token = ken_httpd_header(r, "X-Gitlab-Token");
    if (signature.ptr)
        return is_signed(secret, signature, ken_httpd_body(r));
    return token.ptr && is_same_secret(secret, token);
}

// ---- what it says ------------------------------------------------------------------------------

static void acknowledge(ken_httpd_request *r, const char *status, const char *why)
{
    json_t *o = json_object();
    json_object_set_new(o, "status", json_string(status));
    json_object_set_new(o, "reason", json_string(why));
    ken_web__answer_json(r, 202, o);
}

// The repository that the push is of: "owner/name".
static ken_str repository_of(const json_t *body)
{
    ken_str path =
        ken_json_text(json_object_get(json_object_get(body, "repository"), "full_name")); // GitHub
    if (!path.len)
        path = ken_json_text(
            json_object_get(json_object_get(body, "project"), "path_with_namespace")); // GitLab
    return path;
}

static bool is_push(const ken_httpd_request *r)
{
    return ken_str_eq_c(ken_httpd_header(r, "X-GitHub-Event"), "push") ||
           ken_str_eq_c(ken_httpd_header(r, "X-Gitlab-Event"), "Push Hook");
}

typedef struct delivery { // in the arena of its request
    ken_web *web;
    ken_httpd_request *r;
    ken_str repository, ref;
} delivery;

// A clone that ken keeps is fetched into; a folder of somebody's own is looked at.
static ken_status queue_job(const delivery *d, const ken_project_info *p, ken_job *out,
                            ken_err *err)
{
    bool is_new;
    ken_remote remote;
    ken_arena *arena = ken_httpd_arena(d->r);
    ken_status st = ken_app_find_remote(d->web->app, p, arena, &remote, err);
    if (st && st != KEN_ENOTFOUND)
        return st;
    const ken_job_request wish = { .kind = st ? KEN_JOB_INDEX : KEN_JOB_SYNC, .project = p->id };
    return ken_jobs_submit(d->web->jobs, &wish, arena, out, &is_new, err);
}

// A job for each project whose folder is a clone of the repository and at the branch.
static ken_status queue_jobs(const delivery *d, json_t *jobs, bool *out_is_known, ken_err *err)
{
    ken_project_info *projects;
    ken_str path = { "", 0 }, branch = { "", 0 };
    size_t n;
    ken_arena *arena = ken_httpd_arena(d->r);
    ken_str head = KEN_STR("refs/heads/");
    ken_status st = ken_app_list_projects(d->web->app, arena, &projects, &n, err);
    for (size_t i = 0; !st && d->repository.len && i < n; i++) {
        if (projects[i].is_archived ||
            !ken_tool_find_remote(arena, projects[i].root, &path, &branch) ||
            !ken_str_eq_fold(path, d->repository))
            continue;
        *out_is_known = true;
        if (!ken_str_starts(d->ref, head) ||
            !ken_str_eq(ken_str_sub(d->ref, head.len, d->ref.len), branch))
            continue;
        ken_job job;
        st = queue_job(d, &projects[i], &job, err);
        if (!st)
            ken_json_append(jobs, ken_job_json(&job));
    }
    return st;
}

static void run_delivery(void *ctx, size_t worker)
{
    (void)worker;
    const delivery *d = ctx;
    bool is_known = false;
    ken_err err = { 0 };
    json_t *jobs = json_array();
    ken_status st = queue_jobs(d, jobs, &is_known, &err);
    if (st) {
        ken_web__answer_failure(d->r, &err);
    } else if (!is_known) {
        acknowledge(d->r, "ignored", "no project is a clone of that repository");
    } else if (!json_array_size(jobs)) {
        acknowledge(d->r, "ignored", "the project has another branch checked out");
    } else {
        json_t *o = json_object();
        ken_json_set_str(o, "status", KEN_STR("queued"));
        json_object_set(o, "job", json_array_get(jobs, 0));
        json_object_set(o, "jobs", jobs);
        ken_web__answer_json(d->r, 202, o);
    }
    json_decref(jobs);
}

static void take_push(ken_web *w, ken_httpd_request *r, const json_t *body)
{
    delivery *d = ken_arena_zalloc(ken_httpd_arena(r), sizeof *d);
    d->web = w;
    d->r = r;
    d->repository = ken_arena_dup(ken_httpd_arena(r), repository_of(body));
    d->ref = ken_arena_dup(ken_httpd_arena(r), ken_json_text(json_object_get(body, "ref")));
    if (!ken_pool_try_submit(w->pool, run_delivery, d))
        ken_web__answer_busy(r);
}

static void take_delivery(void *ctx, ken_httpd_request *r)
{
    ken_web *w = ctx;
    ken_str secret = ken_config_str(w->config, KEN_CFG_WEBHOOK_SECRET);
    json_t *body = NULL;
    ken_err err = { 0 };
    if (!secret.len) {
        ken_web__answer_problem(r, 404, "ENOTFOUND",
                                "webhooks.secret is not set, so there are no webhooks");
    } else if (!is_authentic(r, secret)) {
        ken_metrics_add(KEN_METRIC_HTTP_REFUSED, 1, KEN_LABELS("signature"));
        ken_web__answer_problem(r, 401, "EPERM", "the signature is missing or wrong");
    } else if (!is_push(r)) {
        acknowledge(r, "ignored", "only pushes count");
    } else if (ken_json_parse(ken_httpd_body(r), &body, &err)) {
        ken_web__answer_failure(r, &err);
    } else {
        take_push(w, r, body);
    }
    json_decref(body);
}

void ken_web__add_webhook(ken_web *w)
{
    ken_web__add_route(w, "POST", "/webhook/github", take_delivery, BODY_MAX);
}
