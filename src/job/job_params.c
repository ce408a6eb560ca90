// SPDX-License-Identifier: MIT
// The parameters of a job: a request, the JSON object of its row, and the job as JSON.
#include "base/utf8.h"
#include "job/job_priv.h"
#include "json/json.h"

enum {
    PATH_MAX_BYTES = 4096,
    MODEL_MAX_BYTES = 256,
};

static ken_status check_text(const char *name, ken_str s, size_t max, ken_err *err)
{
    if (s.len > max || !ken_utf8_is_valid(s) || (s.len && memchr(s.ptr, '\0', s.len)))
        return KEN_FAIL(err, KEN_EINVAL, "%s: a text of at most %zu bytes is wanted", name, max);
    return KEN_OK;
}

static ken_status check(const ken_job_request *r, ken_err *err)
{
    if (!r->kind || r->kind >= KEN_JOB_KIND_COUNT)
        return KEN_FAIL(err, KEN_EINVAL, "kind: there is no such job");
    if (r->kind == KEN_JOB_MODEL_DOWNLOAD && !r->model.len)
        return KEN_FAIL(err, KEN_EINVAL, "model: the id of a model is needed; ken model list");
    ken_status st = check_text("model", r->model, MODEL_MAX_BYTES, err);
    if (!st)
        st = check_text("frontend_path", r->frontend_path, PATH_MAX_BYTES, err);
    if (!st)
        st = check_text("backend_path", r->backend_path, PATH_MAX_BYTES, err);
    return st;
}

static void set_text(json_t *o, const char *key, ken_str s)
{
    if (s.len)
        ken_json_set_str(o, key, s);
}

// Always in the same order, so that the same request is the same text.
ken_status ken_job__write_params(const ken_job_request *r, ken_arena *arena, ken_str *out,
                                 ken_err *err)
{
    ken_status st = check(r, err);
    if (st)
        return st;
    json_t *o = json_object();
    ken_buf text = KEN_BUF_INIT(4 * KEN_JOB_PARAMS_MAX);
    bool may_force =
        r->kind == KEN_JOB_INDEX || r->kind == KEN_JOB_RULES_SETUP || r->kind == KEN_JOB_SYNC;
    if (may_force && r->is_forced)
        ken_json_set_bool(o, "force", true);
    if (r->kind == KEN_JOB_MODEL_DOWNLOAD)
        set_text(o, "model", r->model);
    if (r->kind == KEN_JOB_RULES_SETUP) {
        set_text(o, "frontend_path", r->frontend_path);
        set_text(o, "backend_path", r->backend_path);
    }
    ken_json_dump(o, &text);
    json_decref(o);
    *out = ken_arena_dup(arena, ken_buf_str(&text));
    ken_buf_release(&text);
    return KEN_OK;
}

ken_status ken_job__read_params(const ken_job *j, ken_arena *arena, ken_job_request *out,
                                ken_err *err)
{
    ken_job_request r = { .kind = j->kind, .project = j->project };
    json_t *o = NULL;
    ken_status st = ken_json_parse(j->params, &o, err);
    if (!st)
        st = ken_json_read_bool(o, "parameters", "force", &r.is_forced, err);
    if (!st)
        st = ken_json_read_str(o, "parameters", "model", &r.model, err);
    if (!st)
        st = ken_json_read_str(o, "parameters", "frontend_path", &r.frontend_path, err);
    if (!st)
        st = ken_json_read_str(o, "parameters", "backend_path", &r.backend_path, err);
    r.model = ken_arena_dup(arena, r.model);
    r.frontend_path = ken_arena_dup(arena, r.frontend_path);
    r.backend_path = ken_arena_dup(arena, r.backend_path);
    json_decref(o);
    if (!st)
        st = check(&r, err);
    if (!st)
        *out = r;
    return st;
}

// ---- as JSON -----------------------------------------------------------------------------------

static void set_uuid(json_t *o, const char *key, ken_uuid id)
{
    char text[KEN_UUID_TEXT];
    ken_uuid_format(id, text);
    ken_json_set_str(o, key, ken_str_c(text));
}

static void set_time(json_t *o, const char *key, int64_t at_ms)
{
    if (at_ms)
        ken_json_set_time_ms(o, key, at_ms);
    else
        ken_json_set(o, key, NULL);
}

static json_t *progress_json(const ken_job *j)
{
    json_t *o = json_object();
    int64_t eta_ms = ken_job_eta_ms(j);
    ken_json_set_u64(o, "done", j->n_done);
    ken_json_set(o, "total", j->n_total ? json_integer((json_int_t)j->n_total) : NULL);
    if (j->milli_rate)
        ken_json_set_real(o, "per_second", (double)j->milli_rate / 1000);
    else
        ken_json_set(o, "per_second", NULL);
    if (eta_ms >= 0)
        ken_json_set_real(o, "seconds_left", (double)eta_ms / 1000);
    else
        ken_json_set(o, "seconds_left", NULL);
    return o;
}

json_t *ken_job_json(const ken_job *j)
{
    json_t *o = json_object(), *params = NULL;
    set_uuid(o, "id", j->id);
    ken_json_set_str(o, "kind", ken_str_c(ken_job_kind_word(j->kind)));
    ken_json_set_str(o, "state", ken_str_c(ken_job_state_word(j->state)));
    if (j->has_project)
        set_uuid(o, "project_id", j->project);
    else
        ken_json_set(o, "project_id", NULL);
    bool is_read = !ken_json_parse(j->params, &params, NULL);
    ken_json_set(o, "parameters", is_read ? params : json_object());
    ken_json_set(o, "progress", progress_json(j));
    ken_json_set_str(o, "message", j->message);
    ken_json_set(o, "error", j->error.len ? ken_json_str(j->error) : NULL);
    ken_json_set_bool(o, "cancel_requested", j->is_cancel_wanted);
    ken_json_set_u64(o, "interrupted_before", j->n_tries);
    ken_json_set(o, "worker", j->worker.len ? ken_json_str(j->worker) : NULL);
    set_time(o, "due_at", j->due_at_ms);
    set_time(o, "created_at", j->created_at_ms);
    set_time(o, "started_at", j->started_at_ms);
    set_time(o, "ended_at", j->ended_at_ms);
    return o;
}
