// SPDX-License-Identifier: MIT
// rag_lab.h -- an app with data of its own, whose tools are called as a client calls them.
#ifndef KEN_TESTS_RAG_LAB_H
#define KEN_TESTS_RAG_LAB_H

#include "app/app.h"
#include "json/json.h"
#include "ktest.h"
#include "tool/tool.h"

static ken_config *config;
static ken_app *app;
static ken_tool_ctx ctx;

static inline void start_app(void)
{
    ken_err err = { 0 };
    ken_config_flag flags[] = { { .name = "data.dir", .value = ktest_path("data/x") } };
    kt_ok_err(
        ken_config_load(&(ken_config_load_opts){ .flags = flags, .n_flags = 1 }, &config, &err),
        &err);
    kt_ok_err(ken_app_open(config, &app, &err), &err);
    ctx = (ken_tool_ctx){ .max_bytes = 25000 };
}

static inline void stop_app(void)
{
    ken_app_close(app);
    ken_config_free(config);
}

// Takes `args`. NULL when the tool refuses.
static inline json_t *try_tool(const char *tool, json_t *args, ken_err *err)
{
    json_t *out = NULL;
    ken_status st = ken_tool_call(app, tool, args, &ctx, &out, err);
    json_decref(args);
    kt_eq_u(st == KEN_OK, out != NULL);
    return out;
}

#endif
