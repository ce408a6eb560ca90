// SPDX-License-Identifier: MIT
// rag_setup on a real app: what it answers, what it refuses, and what is current afterwards.
#include <stdio.h>
#include <string.h>

#include "base/fs.h"
#include "integration/rag_lab.h"

static void make_shop(void)
{
    ktest_write("shop/backend/package.json", "{\"dependencies\": {\"express\": \"4\"}}");
    ktest_write("shop/frontend/package.json", "{\"dependencies\": {\"react\": \"18\"}}");
    for (int i = 0; i < 9; i++) {
        char name[64], text[400];
        snprintf(name, sizeof name, "shop/backend/routes/r%d.js", i);
        snprintf(text, sizeof text,
                 "const express = require('express');\nconst router = express.Router();\n\n"
                 "router.get('/r%d', requireAuth, (req, res) => {\n"
                 "  res.json({ ok: true });\n});\n",
                 i);
        ktest_write(name, text);
    }
}

static json_t *try_call(const char *tool, const char *key, const char *value, ken_err *err)
{
    json_t *args = json_object();
    *err = (ken_err){ 0 };
    if (key)
        ken_json_set_str(args, "project_root", ken_str_c(ktest_path("shop")));
    if (value)
        ken_json_set_str(args, key, ken_str_c(value));
    return try_tool(tool, args, err);
}

static json_t *call(const char *tool)
{
    ken_err err;
    json_t *out = try_call(tool, strcmp(tool, "rag_setup") ? NULL : "project_root", NULL, &err);
    kt_ok_err(err.status, &err);
    return out;
}

static void refuses(const char *key, const char *value, ken_status status, const char *text)
{
    ken_err err;
    kt_null(try_call("rag_setup", key, value, &err));
    kt_status(err.status, status);
    kt_has_str(err.msg, text);
}

static const char *text_of(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

KEN_TEST(sets_a_project_up)
{
    make_shop();
    start_app();
    json_t *r = call("rag_setup");
    kt_eq_str(text_of(r, "status"), "success");
    kt_eq_str(text_of(r, "projectRoot"), ktest_path("shop"));
    kt_eq_str(text_of(r, "frontendDetected"), "frontend");
    kt_eq_str(text_of(r, "backendDetected"), "backend");
    kt_eq_str(text_of(r, "chromaDbPath"), ktest_path("shop/.rag/collections"));
    kt_eq_str(text_of(r, "message"),
              "Project initialized. Call rag_index to build search collections.");
    json_t *files = json_object_get(r, "filesGenerated");
    kt_eq_u(json_array_size(files), 2);
    kt_eq_str(json_string_value(json_array_get(files, 0)), "ARCHITECTURE.yml");
    kt_eq_str(json_string_value(json_array_get(files, 1)), "docs/patterns/api-endpoints.md");
    const json_t *patterns = json_object_get(r, "patternsDetected");
    kt_eq_str(json_string_value(json_array_get(json_object_get(patterns, "middleware"), 0)),
              "requireAuth");
    kt_eq_str(text_of(patterns, "responseFormat"), "res.json({ ok, … })");
    json_decref(r);
    r = call("rag_setup"); // and again: nothing is written
    kt_eq_u(json_array_size(json_object_get(r, "filesGenerated")), 0);
    json_decref(r);
    stop_app();
}

static json_t *set_up_with(const char *key, const char *value)
{
    ken_err err;
    json_t *out = try_call("rag_setup", key, value, &err);
    kt_ok_err(err.status, &err);
    return out;
}

// S3-19, S3-20: what a person named holds for later setups, as long as it is there.
KEN_TEST(folders_that_were_given_are_remembered)
{
    make_shop();
    ktest_write("shop/web/app.js", "export const a = 1;\n");
    start_app();
    json_t *r = set_up_with("frontend_path", "web");
    kt_eq_str(text_of(r, "frontendDetected"), "web");
    json_decref(r);
    stop_app();
    start_app();
    r = call("rag_setup");
    kt_eq_str(text_of(r, "frontendDetected"), "web");
    kt_eq_str(text_of(r, "backendDetected"), "backend");
    json_decref(r);
    json_decref(set_up_with("backend_path", "web"));
    r = set_up_with("frontend_path", "frontend");
    kt_eq_str(text_of(r, "frontendDetected"), "frontend");
    kt_eq_str(text_of(r, "backendDetected"), "web");
    json_decref(r);
    kt_eq_i(rename(ktest_path("shop/web"), ktest_path("shop/away")), 0);
    r = call("rag_setup");
    kt_eq_str(text_of(r, "backendDetected"), "backend");
    json_decref(r);
    stop_app();
}

KEN_TEST(the_project_is_current_after_a_restart)
{
    make_shop();
    start_app();
    json_decref(call("rag_setup"));
    stop_app();
    start_app();
    json_t *r = call("rag_status");
    kt_true(json_is_true(json_object_get(r, "initialized")));
    kt_eq_str(text_of(r, "projectRoot"), ktest_path("shop"));
    json_decref(r);
    stop_app();
}

KEN_TEST(a_side_that_is_not_there_is_null)
{
    ktest_write("shop/x.py", "def x():\n    return 1\n");
    start_app();
    json_t *r = call("rag_setup");
    kt_true(json_is_null(json_object_get(r, "frontendDetected")));
    kt_true(json_is_null(json_object_get(r, "backendDetected")));
    kt_true(
        json_is_null(json_object_get(json_object_get(r, "patternsDetected"), "responseFormat")));
    json_decref(r);
    stop_app();
}

KEN_TEST(says_what_is_wrong)
{
    make_shop();
    start_app();
    refuses("project_root", "/nowhere/at/all", KEN_ENOTFOUND, "/nowhere/at/all");
    refuses("project_root", ktest_path("shop/backend/package.json"), KEN_EINVAL, "package.json");
    refuses("project_root", "shop", KEN_EINVAL, "must be an absolute path, got 'shop'");
    refuses("project_root", "", KEN_EINVAL, "project_root");
    refuses("frontend_path", "nope", KEN_ENOTFOUND, "frontend_path 'nope'");
    refuses("backend_path", "/etc", KEN_EPERM, "backend_path '/etc'");
    refuses("front_path", "x", KEN_EINVAL, "frontend_path");
    ktest_write("shop/ARCHITECTURE.yml", "constraints: [\n");
    refuses("project_root", NULL, KEN_EINVAL, "ARCHITECTURE.yml:2:");
    kt_false(ken_fs_exists(ktest_path("shop/.rag")));
    stop_app();
}

KEN_TEST(a_server_that_only_reads_refuses)
{
    make_shop();
    start_app();
    ctx.is_read_only = true;
    refuses("project_root", NULL, KEN_EPERM, "read-only");
    kt_false(ken_fs_exists(ktest_path("shop/.rag")));
    stop_app();
}
