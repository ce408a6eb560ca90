// SPDX-License-Identifier: MIT
// fuzz_notes -- calls of the tools that keep tasks and checkpoints, on a data folder of their own.
//
// Each line is a call: a letter says which tool, the rest is JSON, its arguments. "@" as a value of
// task_id, checkpoint_id or if_updated_at stands for that of the last one made. A line that begins
// with '!' is put into the store as a checkpoint, its text as the context and the list of files that
// are not committed: what is read there need not have come from us. An answer can be written and
// read again; a refusal has a reason.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "base/alloc.h"
#include "base/assert.h"
#include "base/fs.h"
#include "base/utf8.h"
#include "json/json.h"
#include "store/checkpoints.h"
#include "store/store.h"
#include "tool/tool.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    INPUT_MAX = 1 << 16,
    CALLS_MAX = 20
};

static const struct {
    char letter;
    const char *tool;
} tools[] = {
    { 'c', "create_task" },       { 'g', "get_task" },        { 'l', "list_tasks" },
    { 'u', "update_task" },       { 'd', "delete_task" },     { 'S', "checkpoint_save" },
    { 'G', "checkpoint_get" },    { 'L', "checkpoint_list" }, { 'F', "checkpoint_search" },
    { 'D', "checkpoint_delete" },
};

static char dir[64], tree[80], data_dir[80], index_path[512];
static ken_app *app;
static ken_config *config;
static char task_id[64], checkpoint_id[64], updated_at[64];

// ---- the folder --------------------------------------------------------------------------------

static void remove_folder(void)
{
    char command[100];
    ken_app_close(app);
    ken_config_free(config);
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    KEN_ASSERT(!system(command));
}

static json_t *call(const char *tool, const json_t *args, ken_err *err)
{
    ken_tool_ctx ctx = { .cwd = ken_str_c(tree) };
    json_t *out = NULL;
    ken_status st = ken_tool_call(app, tool, args, &ctx, &out, err);
    KEN_ASSERT((st == KEN_OK) == (out != NULL));
    KEN_ASSERT(!st || err->msg[0]);
    return out;
}

// Not by a client's call, which may not name a folder of the system.
static void make_project(void)
{
    ken_arena arena;
    ken_project_info p;
    ken_err err = { 0 };
    ken_arena_init(&arena, 0);
    KEN_ASSERT(!ken_app_add_project(app, ken_str_c(tree), KEN_STR(""), &arena, &p, NULL));
    snprintf(index_path, sizeof index_path, "%s", p.db_path.ptr);
    json_t *args = json_object();
    ken_json_set_str(args, "path", ken_str_c(tree));
    json_t *out = call("index_repository", args, &err);
    KEN_ASSERT(out);
    json_decref(out);
    json_decref(args);
    ken_arena_release(&arena);
}

static void make_folder(void)
{
    bool has_memory = !access("/dev/shm", W_OK | X_OK); // where syncing is free
    char file[100];
    ken_config_flag flags[] = { { .name = "data.dir", .value = data_dir } };
    snprintf(dir, sizeof dir, "%s/ken-fuzz-XXXXXX", has_memory ? "/dev/shm" : "/tmp");
    KEN_ASSERT(mkdtemp(dir));
    snprintf(tree, sizeof tree, "%s/tree", dir);
    snprintf(data_dir, sizeof data_dir, "%s/data", dir);
    snprintf(file, sizeof file, "%s/a.c", tree);
    KEN_ASSERT(!ken_fs_make_dirs(tree, 0700, NULL));
    KEN_ASSERT(!ken_fs_write_atomic(file, KEN_STR("int apples;\n"), NULL));
    KEN_ASSERT(
        !ken_config_load(&(ken_config_load_opts){ .flags = flags, .n_flags = 1 }, &config, NULL));
    KEN_ASSERT(!ken_app_open(config, &app, NULL));
    KEN_ASSERT(!atexit(remove_folder));
    make_project();
}

// ---- one call ----------------------------------------------------------------------------------

static void keep(const json_t *v, const char *key, char out[64])
{
    ken_str text = ken_json_text(json_object_get(v, key));
    if (text.len && text.len < 64)
        snprintf(out, 64, "%s", text.ptr);
}

static void set_last(json_t *args, const char *key, const char *value)
{
    if (ken_str_eq_c(ken_json_text(json_object_get(args, key)), "@"))
        ken_json_set_str(args, key, ken_str_c(value));
}

static void check_answer(const json_t *out)
{
    ken_buf text = KEN_BUF_INIT((size_t)16 << 20);
    json_t *again = NULL;
    KEN_ASSERT(json_is_object(out) || json_is_string(out)); // the second with format "text"
    ken_json_dump(out, &text);
    KEN_ASSERT(ken_utf8_is_valid(ken_buf_str(&text)));
    KEN_ASSERT(json_is_string(out) || !ken_json_parse(ken_buf_str(&text), &again, NULL));
    json_decref(again);
    ken_buf_release(&text);
}

static void run_call(char letter, ken_str text)
{
    const char *tool = NULL;
    json_t *args = NULL;
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (tools[i].letter == letter)
            tool = tools[i].tool;
    if (!tool || ken_json_parse(text, &args, NULL))
        return;
    if (json_is_object(args)) {
        ken_err err = { 0 };
        set_last(args, "task_id", task_id);
        set_last(args, "checkpoint_id", checkpoint_id);
        set_last(args, "if_updated_at", updated_at);
        json_t *out = call(tool, args, &err);
        if (out) {
            check_answer(out);
            if (letter == 'c')
                keep(out, "id", task_id);
            if (letter == 'S')
                keep(out, "id", checkpoint_id);
            keep(out, "updated_at", updated_at);
        }
        json_decref(out);
    }
    json_decref(args);
}

// ---- stored by somebody else -------------------------------------------------------------------

static void put_row(ken_str text)
{
    static uint8_t number;
    ken_err err = { 0 };
    ken_store *s = NULL;
    ken_checkpoint_row row = { .uuid.bytes = { 0x77, ++number },
                               .created_at_ms = 5,
                               .updated_at_ms = 5,
                               .git_branch = KEN_STR("main"),
                               .git_commit = text,
                               .summary = text,
                               .git_dirty = text,
                               .context = text,
                               .description = text };
    if (ken_store_open(&(ken_store_opts){ .path = index_path }, &s, &err))
        return;
    ken_status st = ken_store_begin_write(s, &err);
    if (!st)
        st = ken_store_put_checkpoint(s, &row, &err);
    if (!st)
        st = ken_store_commit(s, &err);
    KEN_ASSERT(!st || err.msg[0]);
    ken_store_close(s);
    if (!st)
        ken_uuid_format(row.uuid, checkpoint_id);
}

// ---- one input ---------------------------------------------------------------------------------

// Of one list; false when it is empty.
static bool remove_first(const char *list, const char *items, const char *remove, const char *key)
{
    ken_err err = { 0 };
    json_t *out = call(list, NULL, &err), *args = json_object();
    KEN_ASSERT(out);
    check_answer(out);
    const json_t *first = json_array_get(json_object_get(out, items), 0);
    bool has_one = first != NULL;
    if (has_one) {
        ken_json_set_str(args, key, ken_json_text(json_object_get(first, "id")));
        json_t *removed = call(remove, args, &err);
        KEN_ASSERT(removed);
        json_decref(removed);
    }
    json_decref(args);
    json_decref(out);
    return has_one;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!app)
        make_folder();
    if (size > INPUT_MAX)
        return 0;
    ken_str rest = ken_str_n((const char *)data, size), line;
    for (int n = 0; n < CALLS_MAX && ken_str_split_next(&rest, '\n', &line); n++) {
        if (!line.len)
            continue;
        ken_str text = ken_str_sub(line, 1, line.len);
        if (line.ptr[0] == '!')
            put_row(text);
        else
            run_call(line.ptr[0], text);
    }
    while (remove_first("list_tasks", "tasks", "delete_task", "task_id"))
        continue;
    while (remove_first("checkpoint_list", "checkpoints", "checkpoint_delete", "checkpoint_id"))
        continue;
    return 0;
}
