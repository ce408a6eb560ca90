// SPDX-License-Identifier: MIT
// tool_lab.h -- an app with data of its own, and operations called as JSON.
#ifndef KEN_TESTS_TOOL_LAB_H
#define KEN_TESTS_TOOL_LAB_H

#include "app/app.h"
#include "json/json.h"
#include "ktest.h"
#include "tool/tool.h"

typedef struct lab {
    ken_config *config;
    ken_app *app;
    ken_tool_ctx ctx;
} lab;

static inline void lab_open(lab *l, const char *cwd)
{
    ken_err err = { 0 };
    ken_config_flag flags[] = { { .name = "data.dir", .value = ktest_path("data/x") } };
    *l = (lab){ .ctx = { .cwd = ken_str_c(cwd) } };
    kt_ok_err(
        ken_config_load(&(ken_config_load_opts){ .flags = flags, .n_flags = 1 }, &l->config, &err),
        &err);
    kt_ok_err(ken_app_open(l->config, &l->app, &err), &err);
}

static inline void lab_close(lab *l)
{
    ken_app_close(l->app);
    ken_config_free(l->config);
}

// The result of a call; NULL when it failed, then `err` says why. The caller frees it.
static inline json_t *try_call(lab *l, const char *tool, const char *args, ken_err *err)
{
    json_t *in = NULL, *out = NULL;
    kt_ok_err(ken_json_parse(ken_str_c(args), &in, err), err);
    ken_status st = ken_tool_call(l->app, tool, in, &l->ctx, &out, err);
    json_decref(in);
    kt_eq_u(st == KEN_OK, out != NULL);
    return out;
}

static inline json_t *call(lab *l, const char *tool, const char *args)
{
    ken_err err = { 0 };
    json_t *out = try_call(l, tool, args, &err);
    kt_ok_err(err.status, &err);
    return out;
}

static inline void fails(lab *l, const char *tool, const char *args, ken_status want,
                         const char *part)
{
    ken_err err = { 0 };
    json_t *out = try_call(l, tool, args, &err);
    kt_null(out);
    kt_status(err.status, want);
    kt_has_str(err.msg, part);
}

static inline ken_str text(const json_t *v, const char *key)
{
    return ken_json_text(json_object_get(v, key));
}

#endif
