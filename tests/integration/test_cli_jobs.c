// SPDX-License-Identifier: MIT
// ken jobs, the real binary, beside a process that runs jobs: this one.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/fs.h"
#include "job/job.h"
#include "ktest.h"
#include "proc/proc.h"

static char out[32 * 1024], errors[4096];
static ken_config *config;
static ken_app *app;
static ken_arena arena;
static ken_err err;

static void copy_text(char *to, size_t max, const ken_buf *from)
{
    size_t n = from->len < max - 1 ? from->len : max - 1;
    if (n)
        memcpy(to, from->ptr, n);
    to[n] = '\0';
}

// Runs `ken jobs` with an id and `--json`, where they are given; its exit code.
static int jobs(const char *action, const char *id, const char *option)
{
    static char data[600], home[600];
    const char *argv[8] = { KEN_BINARY, "jobs", action };
    const char *const env[] = { data, home, "NO_COLOR=1", "TERM=dumb", NULL };
    size_t n = 3;
    if (id)
        argv[n++] = id;
    if (option)
        argv[n++] = option;
    snprintf(data, sizeof data, "KEN_DATA_DIR=%s/data", ktest_dir());
    snprintf(home, sizeof home, "HOME=%s", ktest_dir());
    ken_proc_result r;
    kt_ok_err(
        ken_proc_run(&(ken_proc_opts){ .argv = argv, .cwd = ktest_dir(), .env = ktest_env(env) },
                     &r, &err),
        &err);
    copy_text(out, sizeof out, &r.out);
    copy_text(errors, sizeof errors, &r.errors);
    int code = r.exit_code;
    ken_proc_result_release(&r);
    return code;
}

static ken_project_info setup(void)
{
    ken_project_info p;
    setenv("HOME", ktest_dir(), 1);
    setenv("KEN_DATA_DIR", ktest_path("data"), 1);
    ken_arena_init(&arena, 0);
    kt_ok_err(ken_config_load(NULL, &config, &err), &err);
    kt_ok_err(ken_app_open(config, &app, &err), &err);
    ktest_write("repo/a.c", "int a;\n");
    kt_ok_err(
        ken_app_add_project(app, ken_str_c(ktest_path("repo")), KEN_STR(""), &arena, &p, &err),
        &err);
    return p;
}

static void teardown(void)
{
    ken_app_close(app);
    ken_config_free(config);
    ken_arena_release(&arena);
}

static const char *submit(ken_jobs *j, ken_job_request r)
{
    static char id[4][KEN_UUID_TEXT];
    static int n;
    ken_job job;
    bool is_new;
    char *to = id[n++ % 4];
    kt_ok_err(ken_jobs_submit(j, &r, &arena, &job, &is_new, &err), &err);
    ken_uuid_format(job.id, to);
    return to;
}

KEN_TEST(jobs_are_waited_for_listed_and_shown)
{
    ken_project_info p = setup();
    ken_jobs *j = NULL;
    kt_ok_err(ken_jobs_open(app, NULL, &j, &err), &err);
    const char *id = submit(j, (ken_job_request){ .kind = KEN_JOB_INDEX, .project = p.id });
    kt_eq_i(jobs("wait", id, NULL), 0);
    kt_has_str(out, "index of repo: done\n1 files: 1 added");
    const char *bad =
        submit(j, (ken_job_request){ .kind = KEN_JOB_MODEL_DOWNLOAD, .model = KEN_STR("no-such") });
    kt_eq_i(jobs("wait", bad, "--json"), 1);
    json_t *o = json_loads(out, 0, NULL);
    kt_eq_str(json_string_value(json_object_get(o, "state")), "failed");
    kt_has_str(json_string_value(json_object_get(o, "error")), "no model 'no-such'");
    kt_eq_str(json_string_value(json_object_get(json_object_get(o, "parameters"), "model")),
              "no-such");
    json_decref(o);
    kt_eq_i(jobs("list", NULL, NULL), 0);
    kt_has_str(out, id);
    kt_has_str(out, "model_download");
    kt_eq_str(errors, "");
    kt_eq_i(jobs("list", "--state", "failed"), 0);
    kt_null(strstr(out, id));
    kt_has_str(out, bad);
    kt_eq_i(jobs("show", id, NULL), 0);
    kt_has_str(out, "index of repo: done");
    ken_jobs_close(j, 1000);
    teardown();
}

KEN_TEST(a_job_of_another_process_is_cancelled)
{
    ken_project_info p = setup();
    ken_jobs *j = NULL;
    int fd = -1;
    kt_ok_err(ken_fs_make_dirs(ktest_path("data/indexes"), 0700, &err), &err);
    kt_ok_err(ken_fs_lock(ken_arena_printf(&arena, "%s.lock", p.db_path.ptr).ptr, &fd, &err), &err);
    kt_ok_err(ken_jobs_open(app, NULL, &j, &err), &err);
    const char *id = submit(j, (ken_job_request){ .kind = KEN_JOB_INDEX, .project = p.id });
    const char *queued = submit(j, (ken_job_request){ .kind = KEN_JOB_EMBED, .project = p.id });
    kt_eq_i(jobs("cancel", queued, NULL), 0);
    kt_has_str(out, "embed of repo: cancelled");
    kt_eq_i(jobs("cancel", id, NULL), 0);
    kt_eq_i(jobs("wait", id, NULL), 1);
    kt_has_str(out, "index of repo: cancelled");
    ken_jobs_close(j, 1000);
    ken_fs_unlock(fd);
    teardown();
}

KEN_TEST(without_a_server_nothing_is_waited_for)
{
    ken_project_info p = setup();
    ken_jobs *j = NULL;
    int fd = -1;
    kt_eq_i(jobs("list", "--json", NULL), 0);
    kt_has_str(out, "\"jobs\": []");
    kt_has_str(out, "\"is_served\": false");
    kt_ok_err(ken_fs_make_dirs(ktest_path("data/indexes"), 0700, &err), &err);
    kt_ok_err(ken_fs_lock(ken_arena_printf(&arena, "%s.lock", p.db_path.ptr).ptr, &fd, &err), &err);
    kt_ok_err(ken_jobs_open(app, NULL, &j, &err), &err);
    (void)submit(j, (ken_job_request){ .kind = KEN_JOB_INDEX, .project = p.id });
    const char *queued = submit(j, (ken_job_request){ .kind = KEN_JOB_EMBED, .project = p.id });
    ken_jobs_close(j, 0);
    ken_fs_unlock(fd);
    kt_eq_i(jobs("wait", queued, NULL), 1);
    kt_has_str(errors, "no server runs jobs of these data now");
    kt_eq_i(jobs("list", NULL, NULL), 0);
    kt_has_str(errors, "no server runs jobs");
    kt_eq_i(jobs("show", "no-id", NULL), 2);
    kt_has_str(errors, "ken jobs list");
    kt_eq_i(jobs("show", "00000000-0000-0000-0000-000000000000", NULL), 1);
    teardown();
}
