// SPDX-License-Identifier: MIT
// Answers about a tree whose remote is hosted say where it shows the places.
#include <stdlib.h>

#include "app/app.h"
#include "config/config.h"
#include "git_lab.h"
#include "json/json.h"
#include "ktest.h"
#include "tool/tool.h"

KEN_TEST(parts_of_a_context_have_permalinks)
{
    setenv("HOME", ktest_dir(), 1);
    setenv("GIT_CEILING_DIRECTORIES", ktest_dir(), 1);
    ktest_write("tree/apples.c", "// Counts apples.\nint apples(int a) { return a + 1; }\n");
    GIT_IN(ktest_path("tree"), NULL, "init", "-q", "--template=");
    GIT_IN(ktest_path("tree"), NULL, "remote", "add", "origin", "git@github.com:o/r.git");
    GIT_IN(ktest_path("tree"), NULL, "add", ".", "-f", "--all");
    GIT_IN(ktest_path("tree"), NULL, "commit", "-q", "-m", "first");
    ken_err err = { 0 };
    ken_config *config;
    ken_app *app;
    ken_config_flag flags[] = { { .name = "data.dir", .value = ktest_path("data") } };
    kt_ok_err(
        ken_config_load(&(ken_config_load_opts){ .flags = flags, .n_flags = 1 }, &config, &err),
        &err);
    kt_ok_err(ken_app_open(config, &app, &err), &err);
    ken_tool_ctx ctx = { .cwd = ken_str_c(ktest_path("tree")) };
    json_t *in = json_pack("{s:s}", "query", "how are apples counted"), *out = NULL;
    kt_ok_err(ken_tool_call(app, "build_context", in, &ctx, &out, &err), &err);
    const json_t *part = json_array_get(json_object_get(out, "parts"), 0);
    ken_str url = ken_json_text(json_object_get(part, "url"));
    kt_has_str(url.ptr, "https://github.com/o/r/blob/");
    kt_has_str(url.ptr, "/apples.c#L");
    json_decref(in);
    json_decref(out);
    ken_app_close(app);
    ken_config_free(config);
}
