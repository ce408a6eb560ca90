// SPDX-License-Identifier: MIT
// The tools of tasks on a real app: shapes of answers, refusals, bound endpoints, sizes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "base/alloc.h"
#include "base/path.h"
#include "git_lab.h"
#include "json/json.h"
#include "ktest.h"
#include "tool/tool.h"

static ken_config *config;
static ken_app *app;
static ken_tool_ctx ctx;
static ken_err err;

static void start(bool has_own_statuses)
{
    static const char *const statuses[] = { "idea", "doing", "done" };
    ken_config_flag flags[4] = { { .name = "data.dir", .value = ktest_path("data") } };
    ken_config_load_opts opts = { .flags = flags, .n_flags = 1 };
    for (size_t i = 0; has_own_statuses && i < 3; i++)
        flags[opts.n_flags++] = (ken_config_flag){ .name = "tasks.statuses", .value = statuses[i] };
    ctx = (ken_tool_ctx){ 0 };
    kt_ok_err(ken_config_load(&opts, &config, &err), &err);
    kt_ok_err(ken_app_open(config, &app, &err), &err);
}

static void end(void)
{
    ken_app_close(app);
    ken_config_free(config);
}

// Calls a tool; takes `args`. NULL when it failed, then `err` says why.
static json_t *try_call(const char *tool, json_t *args)
{
    json_t *out = NULL;
    err = (ken_err){ 0 };
    ken_status st = ken_tool_call(app, tool, args, &ctx, &out, &err);
    json_decref(args);
    kt_eq_u(st == KEN_OK, out != NULL);
    return out;
}

static json_t *call(const char *tool, json_t *args)
{
    json_t *out = try_call(tool, args);
    kt_ok_err(err.status, &err);
    return out;
}

static void fails(const char *tool, json_t *args, ken_status want, const char *part)
{
    json_t *out = try_call(tool, args);
    kt_null(out);
    kt_status(err.status, want);
    kt_has_str(err.msg, part);
}

static const char *text(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

static const json_t *at(const json_t *o, const char *key, size_t i)
{
    return json_array_get(json_object_get(o, key), i);
}

KEN_TEST(task_lives_through_its_tools)
{
    start(false);
    json_t *t =
        call("create_task", json_pack("{s:s,s:s,s:[s,{s:s,s:s}]}", "title", "  do it ", "notes",
                                      "n", "planning_references", "docs/plan.md", "file_path",
                                      "docs/spec.md", "reference_type", "spec"));
    kt_eq_str(text(t, "title"), "do it");
    kt_eq_str(text(t, "status"), "need to be done");
    kt_true(json_is_null(json_object_get(t, "description")));
    kt_eq_str(json_string_value(at(t, "planning_references", 1)), "docs/spec.md");
    kt_eq_u(strlen(text(t, "created_at")), 24);
    kt_eq_u(json_array_size(json_object_get(t, "branches")), 0);
    kt_null(json_object_get(t, "project"));
    const json_t *first = at(t, "history", 0);
    kt_eq_str(text(first, "event"), "status");
    kt_true(json_is_null(json_object_get(first, "from")));
    kt_eq_str(text(first, "to"), "need to be done");
    kt_eq_str(text(at(t, "history", 2), "reference_type"), "spec");

    const char *id = text(t, "id"), *hash = "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567";
    json_t *u = call("update_task", json_pack("{s:s,s:s,s:s,s:s,s:s}", "task_id", id, "status",
                                              "in-progress", "branch", "dev", "commit", hash,
                                              "if_updated_at", text(t, "updated_at")));
    kt_eq_str(text(u, "notes"), "n");
    kt_eq_str(json_string_value(at(u, "branches", 0)), "dev");
    kt_eq_str(json_string_value(at(u, "commits", 0)), hash);
    kt_eq_u(json_array_size(json_object_get(u, "history")), 6);
    fails("update_task",
          json_pack("{s:s,s:s,s:s}", "task_id", id, "notes", "x", "if_updated_at",
                    text(t, "updated_at")),
          KEN_EEXIST, text(u, "updated_at"));
    json_t *got = call("get_task", json_pack("{s:s%}", "task_id", id, (size_t)8)); // its beginning
    kt_true(json_equal(got, u));

    json_t *list = call("list_tasks", json_pack("{s:s,s:s}", "branch", "dev", "query", "do it"));
    kt_eq_str(text(at(list, "tasks", 0), "id"), id);
    kt_true(json_real_value(json_object_get(at(list, "tasks", 0), "score")) > 0);
    kt_null(json_object_get(at(list, "tasks", 0), "history"));
    json_t *gone = call("delete_task", json_pack("{s:s}", "task_id", id));
    kt_true(json_is_true(json_object_get(gone, "deleted")));
    fails("get_task", json_pack("{s:s}", "task_id", id), KEN_ENOTFOUND, id);
    json_decref(t);
    json_decref(u);
    json_decref(got);
    json_decref(list);
    json_decref(gone);
    end();
}

static json_t *title_of(const char *unit, size_t n)
{
    ken_buf b = KEN_BUF_INIT(0);
    for (size_t i = 0; i < n; i++)
        ken_buf_puts(&b, unit);
    json_t *args = json_object();
    ken_json_set_str(args, "title", ken_buf_str(&b));
    ken_buf_release(&b);
    return args;
}

KEN_TEST(refusals_name_field_rule_and_value)
{
    start(false);
    fails("create_task", json_object(), KEN_EINVAL, "title");
    fails("create_task", title_of("x", 0), KEN_EINVAL, "title");
    fails("create_task", title_of(" ", 3), KEN_EINVAL, "title");
    fails("create_task", title_of("\xf0\x9f\x90\x9b", 201), KEN_EINVAL, "title");
    kt_has_str(err.msg, "201");
    kt_has_str(err.msg, "200");
    json_decref(call("create_task", title_of("\xf0\x9f\x90\x9b", 200)));
    json_decref(call("create_task", title_of("e\xcc\x81", 100)));
    fails("create_task", title_of("e\xcc\x81", 101), KEN_EINVAL, "202");
    json_t *large = title_of("t", 1);
    char *notes = ken_zalloc((10 << 20) + 1);
    memset(notes, 'n', 10 << 20);
    json_object_set_new(large, "notes", json_string(notes));
    ken_free(notes);
    fails("create_task", large, KEN_EINVAL, "notes");
    kt_has_str(err.msg, "100000");
    fails("create_task", json_pack("{s:s,s:s}", "title", "t", "status", "done"), KEN_EINVAL,
          "status: must be one of 'need to be done', 'in-progress', 'complete', not 'done'");
    fails("create_task", json_pack("{s:s,s:[i]}", "title", "t", "planning_references", 7),
          KEN_EINVAL, "args.planning_references[0]: expected a path, or an object");
    fails("create_task",
          json_pack("{s:s,s:[s,{s:s,s:s}]}", "title", "t", "planning_references", "a.md",
                    "file_path", "b.md", "type", "spec"),
          KEN_EINVAL, "args.planning_references[1].type: unknown");
    fails(
        "create_task",
        json_pack("{s:s,s:[{s:s}]}", "title", "t", "planning_references", "reference_type", "spec"),
        KEN_EINVAL, "args.planning_references[0].file_path is required");
    fails("create_task", json_pack("{s:s,s:s}", "title", "t", "planning_references", "../x"),
          KEN_EINVAL, "planning_references");
    fails("create_task",
          json_pack("{s:s,s:[{s:s}]}", "title", "t", "planning_references", "path", "x"),
          KEN_EINVAL, "planning_references[0]");
    fails("create_task", json_pack("{s:s,s:s}", "title", "t", "project", "no such"), KEN_ENOTFOUND,
          "no such");
    fails("get_task", json_pack("{s:s}", "task_id", "17"), KEN_EINVAL, "task_id: must be a UUID");
    fails("get_task", json_object(), KEN_EINVAL, "task_id");
    fails("list_tasks", json_pack("{s:i}", "limit", 0), KEN_EINVAL, "limit");
    fails("list_tasks", json_pack("{s:i}", "limit", 101), KEN_EINVAL, "101");
    fails("list_tasks", json_pack("{s:s}", "status", "x"), KEN_EINVAL, "status: must be one of");
    fails("update_task", json_pack("{s:s,s:s}", "task_id", "17", "commit", "x"), KEN_EINVAL,
          "UUID");
    end();
}

KEN_TEST(statuses_come_from_the_setting)
{
    start(true);
    json_t *t = call("create_task", json_pack("{s:s}", "title", "t"));
    kt_eq_str(text(t, "status"), "idea");
    fails("create_task", json_pack("{s:s,s:s}", "title", "t", "status", "in-progress"), KEN_EINVAL,
          "'idea', 'doing', 'done'");
    json_decref(t);
    end();
}

KEN_TEST(bound_endpoint_sees_the_tasks_of_its_project)
{
    ken_arena arena;
    ken_project_info a, b;
    char id[KEN_UUID_TEXT];
    start(false);
    ken_arena_init(&arena, 0);
    kt_ok(ken_app_add_project(app, ken_path_dir(ken_str_c(ktest_write("a/x.c", "int x;\n"))),
                              KEN_STR(""), &arena, &a, &err));
    kt_ok(ken_app_add_project(app, ken_path_dir(ken_str_c(ktest_write("b/x.c", "int x;\n"))),
                              KEN_STR(""), &arena, &b, &err));
    json_t *free_task = call("create_task", json_pack("{s:s}", "title", "of nobody"));
    json_t *theirs = call("create_task", json_pack("{s:s,s:s}", "title", "of b", "project", "b"));
    kt_eq_str(text(json_object_get(theirs, "project"), "name"), "b");
    ken_uuid_format(a.id, id);
    ctx.project = ken_str_c(id);
    json_t *mine = call("create_task", json_pack("{s:s}", "title", "of a"));
    kt_eq_str(text(json_object_get(mine, "project"), "id"), id);
    json_t *list = call("list_tasks", NULL);
    kt_eq_i(json_integer_value(json_object_get(list, "total")), 1);
    kt_eq_str(text(at(list, "tasks", 0), "title"), "of a");
    fails("get_task", json_pack("{s:s}", "task_id", text(theirs, "id")), KEN_ENOTFOUND, "no task");
    fails("update_task", json_pack("{s:s,s:s}", "task_id", text(free_task, "id"), "notes", "x"),
          KEN_ENOTFOUND, "no task");
    fails("delete_task", json_pack("{s:s}", "task_id", text(theirs, "id")), KEN_ENOTFOUND,
          "no task");
    // Not even that there is such a task.
    char theirs_err[sizeof err.msg];
    snprintf(theirs_err, sizeof theirs_err, "%s",
             err.msg + strlen("task_id: there is no task ") + 36);
    fails("delete_task", json_pack("{s:s}", "task_id", id), KEN_ENOTFOUND, theirs_err);
    fails("create_task", json_pack("{s:s,s:s}", "title", "t", "project", "b"), KEN_EPERM, "a");
    ctx.project = (ken_str){ 0 };
    json_t *moved =
        call("update_task", json_pack("{s:s,s:s}", "task_id", text(theirs, "id"), "project", ""));
    kt_null(json_object_get(moved, "project"));
    json_decref(free_task);
    json_decref(theirs);
    json_decref(mine);
    json_decref(list);
    json_decref(moved);
    ken_arena_release(&arena);
    end();
}

// A task with long lists is in a list of tasks, which else would never get past it.
KEN_TEST(long_lists_of_a_task_leave_room)
{
    start(false);
    json_t *refs = json_array();
    for (int i = 0; i < 100; i++) {
        char path[1000];
        memset(path, 'p', sizeof path);
        snprintf(path + sizeof path - 8, 8, "/%d", i);
        ken_json_append(refs, ken_json_str(ken_str_c(path)));
    }
    json_t *t =
        call("create_task", json_pack("{s:s,s:o}", "title", "long", "planning_references", refs));
    kt_true(ken_json_dump_size(t) <= KEN_TOOL_BYTES_MAX);
    json_decref(call("create_task", json_pack("{s:s}", "title", "newer")));
    json_t *list = call("list_tasks", json_pack("{s:i}", "offset", 1));
    kt_eq_str(text(at(list, "tasks", 0), "title"), "long");
    kt_null(json_object_get(list, "next_offset"));
    json_t *whole = call("get_task", json_pack("{s:s}", "task_id", text(t, "id")));
    kt_eq_u(json_array_size(json_object_get(whole, "planning_references")), 100);
    json_decref(t);
    json_decref(list);
    json_decref(whole);
    end();
}

// What a commit of another repository is about is not for it.
KEN_TEST(bound_endpoint_reads_no_commits_of_others)
{
    ken_arena arena;
    ken_project_info a;
    char id[KEN_UUID_TEXT];
    start(false);
    ken_arena_init(&arena, 0);
    setenv("HOME", ktest_dir(), 1);
    setenv("GIT_CEILING_DIRECTORIES", ktest_dir(), 1);
    ktest_write("b/x.c", "int x;\n");
    GIT_IN(ktest_path("b"), &arena, "init", "-q", "--template=", ".");
    GIT_IN(ktest_path("b"), &arena, "commit", "-q", "--allow-empty", "-mhidden");
    const char *head = GIT_IN(ktest_path("b"), &arena, "rev-parse", "-q", "--verify", "HEAD").ptr;
    kt_ok(ken_app_add_project(app, ken_path_dir(ken_str_c(ktest_write("a/x.c", "int x;\n"))),
                              KEN_STR(""), &arena, &a, &err));
    ken_uuid_format(a.id, id);
    ctx.cwd = ken_str_c(ktest_path("b"));
    json_t *free_task = call("create_task", json_pack("{s:s}", "title", "of nobody"));
    json_t *known = call("update_task",
                         json_pack("{s:s,s:s}", "task_id", text(free_task, "id"), "commit", head));
    kt_eq_str(text(at(known, "history", 1), "message"), "hidden");
    ctx.project = ken_str_c(id);
    json_t *mine = call("create_task", json_pack("{s:s}", "title", "of a"));
    json_t *linked =
        call("update_task", json_pack("{s:s,s:s}", "task_id", text(mine, "id"), "commit", head));
    kt_eq_str(text(at(linked, "history", 1), "name"), head);
    kt_true(json_is_null(json_object_get(at(linked, "history", 1), "message")));
    json_decref(free_task);
    json_decref(known);
    json_decref(mine);
    json_decref(linked);
    ken_arena_release(&arena);
    end();
}

KEN_TEST(answers_stay_within_their_size)
{
    start(false);
    char *notes = ken_zalloc(90001);
    memset(notes, 'n', 90000);
    json_t *t = call("create_task", json_pack("{s:s,s:s}", "title", "t", "notes", notes));
    kt_true(ken_json_dump_size(t) <= KEN_TOOL_BYTES_MAX);
    kt_true(json_is_true(json_object_get(t, "truncated")));
    json_t *whole = call("get_task", json_pack("{s:s}", "task_id", text(t, "id")));
    kt_eq_str(text(whole, "notes"), notes);
    for (int i = 0; i < 20; i++)
        json_decref(call("create_task", json_pack("{s:s,s:s}", "title", "t", "notes", notes)));
    json_t *list = call("list_tasks", NULL);
    size_t n = json_array_size(json_object_get(list, "tasks"));
    kt_true(n > 5 && n < 20 && ken_json_dump_size(list) <= KEN_TOOL_BYTES_MAX);
    kt_eq_i(json_integer_value(json_object_get(list, "next_offset")), (int64_t)n);
    kt_eq_i(json_integer_value(json_object_get(list, "total")), 21);
    json_t *brief = call("list_tasks", json_pack("{s:s,s:i}", "format", "text", "limit", 2));
    kt_has_str(json_string_value(brief), "[need to be done]  t\n");
    kt_has_str(json_string_value(brief), "more: offset 2\n");
    ken_free(notes);
    json_decref(t);
    json_decref(whole);
    json_decref(list);
    json_decref(brief);
    end();
}

// Somebody puts the data aside, or another copy in their place, while this process has them open.
KEN_TEST(task_is_not_written_into_data_that_were_moved_away)
{
    start(false);
    json_decref(call("create_task", json_pack("{s:s}", "title", "old")));
    kt_eq_i(rename(ktest_path("data/config"), ktest_path("data/before")), 0);
    json_t *t = call("create_task", json_pack("{s:s}", "title", "new"));
    end();
    start(false); // what is there now has it
    json_t *found = call("get_task", json_pack("{s:s}", "task_id", text(t, "id")));
    kt_eq_str(text(found, "title"), "new");
    json_decref(found);
    json_decref(t);
    end();
}
