// SPDX-License-Identifier: MIT
// Checkpoints through their tools, on real indexes: what an agent would see.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "app/app.h"
#include "base/fs.h"
#include "git_lab.h"
#include "json/json.h"
#include "ktest.h"
#include "sqlite_lab.h"
#include "store/store.h"
#include "tool/tool.h"

typedef struct lab {
    ken_config *config;
    ken_app *app;
    ken_tool_ctx ctx;
} lab;

static lab l;

static void open_lab(void)
{
    ken_err err = { 0 };
    ken_config_flag flags[] = { { .name = "data.dir", .value = ktest_path("data") } };
    l = (lab){ .ctx = { .cwd = ken_str_c(ktest_path("tree")) } };
    kt_ok_err(
        ken_config_load(&(ken_config_load_opts){ .flags = flags, .n_flags = 1 }, &l.config, &err),
        &err);
    kt_ok_err(ken_app_open(l.config, &l.app, &err), &err);
}

static void close_lab(void)
{
    ken_app_close(l.app);
    ken_config_free(l.config);
}

static json_t *try_call(const char *tool, const char *args, ken_err *err)
{
    json_t *in = NULL, *out = NULL;
    kt_ok_err(ken_json_parse(ken_str_c(args), &in, err), err);
    ken_status st = ken_tool_call(l.app, tool, in, &l.ctx, &out, err);
    json_decref(in);
    kt_eq_u(st == KEN_OK, out != NULL);
    return out;
}

static json_t *call(const char *tool, const char *args)
{
    ken_err err = { 0 };
    json_t *out = try_call(tool, args, &err);
    kt_ok_err(err.status, &err);
    return out;
}

static void fails(const char *tool, const char *args, ken_status want, const char *part)
{
    ken_err err = { 0 };
    kt_null(try_call(tool, args, &err));
    kt_has_str(err.msg, part);
    kt_status(err.status, want);
}

static ken_str text(const json_t *v, const char *key)
{
    return ken_json_text(json_object_get(v, key));
}

static long long number(const json_t *v, const char *key)
{
    return (long long)json_integer_value(json_object_get(v, key));
}

static void make_tree(bool with_git)
{
    setenv("HOME", ktest_dir(), 1);
    setenv("GIT_CEILING_DIRECTORIES", ktest_dir(), 1);
    ktest_write("tree/src/apples.c", "// Counts apples.\nint apples(int a) { return a + 1; }\n");
    ktest_write("tree/docs/read.md", "# Baskets\n\nHow apples are counted.\n");
    ktest_write("tree/Makefile", "all:\n\ttrue\n");
    if (with_git) {
        GIT_IN(ktest_path("tree"), NULL, "init", "-q", "--template=");
        GIT_IN(ktest_path("tree"), NULL, "add", ".", "-f", "--all");
        GIT_IN(ktest_path("tree"), NULL, "commit", "-q", "-m", "first");
    }
    open_lab();
    if (!with_git) // a work tree is indexed at the first question
        json_decref(call("index_repository", "{\"path\":\".\"}"));
}

// Saves one and returns its id, which the test may keep until it ends.
static const char *save(const char *args)
{
    static char ids[16][40];
    static unsigned n;
    json_t *v = call("checkpoint_save", args);
    char *id = ids[n++ % 16];
    snprintf(id, 40, "%s", text(v, "id").ptr);
    json_decref(v);
    return id;
}

static const char *with_id(const char *id, const char *more)
{
    static char args[2][600];
    static unsigned n;
    char *out = args[n++ % 2];
    snprintf(out, sizeof args[0], "{\"checkpoint_id\":\"%s\"%s}", id, more);
    return out;
}

// Summaries of a list or search, one a line.
static const char *summaries(const char *tool, const char *args)
{
    static char lines[2000];
    json_t *v = call(tool, args);
    const json_t *items = json_object_get(v, "checkpoints");
    size_t at = 0;
    lines[0] = '\0';
    for (size_t i = 0; i < json_array_size(items); i++)
        at += (size_t)snprintf(lines + at, sizeof lines - at, "%s\n",
                               text(json_array_get(items, i), "summary").ptr);
    json_decref(v);
    return lines;
}

KEN_TEST(record_has_all_its_fields)
{
    make_tree(true);
    ktest_write("tree/new.txt", "n\n");
    json_t *v =
        call("checkpoint_save", "{\"summary\":\"apples half done\",\"description\":\"long\","
                                "\"tags\":\"wip, \xf0\x9f\x9a\x80\",\"context\":{\"b\":1}}");
    kt_eq_text(text(v, "status"), "created");
    kt_eq_u(text(v, "id").len, 36);
    json_t *again = call("checkpoint_get", with_id(text(v, "id").ptr, ""));
    static const char *const same[] = { "id",         "summary",  "description", "project_path",
                                        "context",    "tags",     "token_count", "created_at",
                                        "updated_at", "timestamp" };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        kt_not_null(json_object_get(v, same[i]));
        kt_true(json_equal(json_object_get(v, same[i]), json_object_get(again, same[i])));
    }
    kt_true(number(v, "token_count") > 4);
    kt_true(number(v, "timestamp") > 1700000000);
    kt_eq_u(text(v, "created_at").len, 24); // with milliseconds and Z
    const json_t *git_state = json_object_get(again, "git");
    kt_eq_text(text(git_state, "branch"), "main");
    kt_eq_u(text(git_state, "commit").len, 40);
    kt_eq_text(ken_json_text(json_array_get(json_object_get(git_state, "dirty_files"), 0)),
               "new.txt");
    json_decref(again);
    json_decref(v);
    close_lab();
}

KEN_TEST(lists_and_searches_obey_tags)
{
    make_tree(false);
    save("{\"summary\":\"pears\",\"tags\":[\"fruit\",\"wip\"]}");
    save("{\"summary\":\"apples\",\"tags\":[\"fruit\"]}");
    save("{\"summary\":\"tables\",\"tags\":[\"wood\"]}");
    kt_eq_str(summaries("checkpoint_list", "{}"), "tables\napples\npears\n");
    kt_eq_str(summaries("checkpoint_list", "{\"limit\":1,\"offset\":1}"), "apples\n");
    kt_eq_str(summaries("checkpoint_list", "{\"tags\":[\"fruit\",\"!wip\"]}"), "apples\n");
    kt_eq_str(summaries("checkpoint_list", "{\"any_tags\":[\"wip\",\"wood\"]}"), "tables\npears\n");
    kt_eq_str(summaries("checkpoint_list", "{\"not_tags\":\"fruit\"}"), "tables\n");
    kt_eq_str(summaries("checkpoint_search",
                        "{\"query\":\"apples\",\"include_indexed\":false,\"limit\":1}"),
              "apples\n");
    kt_has_str(summaries("checkpoint_search", "{\"query\":\"how apples are counted\"}"),
               "Indexed file: src/apples.c\n");
    kt_eq_str(
        summaries("checkpoint_search", "{\"query\":\"apples\",\"tags\":[\"indexed\",\".md\"]}"),
        "Indexed file: docs/read.md\n");
    kt_null(strstr(summaries("checkpoint_search", "{\"query\":\"apples\",\"tags\":[\"wood\"]}"),
                   "Indexed"));
    // A full page of notes leaves out only the files that are worse than its last one.
    kt_eq_str(summaries("checkpoint_search", "{\"query\":\"pears\",\"limit\":1}"), "pears\n");
    kt_eq_str(summaries("checkpoint_search", "{\"query\":\"counts apples int\",\"limit\":1}"),
              "Indexed file: src/apples.c\n");
    json_t *v = call("checkpoint_list", "{\"format\":\"text\"}");
    kt_has_str(json_string_value(v), "3 of 3");
    json_decref(v);
    close_lab();
}

KEN_TEST(indexed_files_are_checkpoints_that_are_never_doubled)
{
    make_tree(true);
    const char *all = "Indexed file: Makefile\nIndexed file: docs/read.md\n"
                      "Indexed file: src/apples.c\n";
    kt_eq_str(summaries("checkpoint_list", "{\"tags\":[\"indexed\"]}"), all);
    json_decref(call("index_repository", "{\"path\":\".\",\"force_reindex\":true}"));
    kt_eq_str(summaries("checkpoint_list", "{\"tags\":[\"indexed\",\"repository\"]}"), all);
    kt_eq_str(summaries("checkpoint_list", "{\"tags\":[\"indexed\",\"!.md\"]}"),
              "Indexed file: Makefile\nIndexed file: src/apples.c\n");
    save("{\"summary\":\"a note\"}");
    kt_eq_str(summaries("checkpoint_list", "{}"), "a note\n");
    // S4-21: who names the project and no tag is told its files, behind the notes.
    kt_eq_str(summaries("checkpoint_list", "{\"project_path\":\".\",\"limit\":3}"),
              "a note\nIndexed file: Makefile\nIndexed file: docs/read.md\n");
    kt_eq_str(summaries("checkpoint_list", "{\"project_path\":\".\",\"not_tags\":[\"x\"]}"),
              "a note\n");
    kt_eq_str(summaries("checkpoint_list", "{\"include_indexed\":true,\"limit\":2}"),
              "a note\nIndexed file: Makefile\n");
    json_t *v = call("checkpoint_list", "{\"tags\":[\".md\"]}");
    const json_t *item = json_array_get(json_object_get(v, "checkpoints"), 0);
    char id[40];
    snprintf(id, sizeof id, "%s", text(item, "id").ptr);
    kt_eq_text(text(json_object_get(item, "context"), "indexed_file"), "docs/read.md");
    kt_true(json_is_null(json_object_get(item, "git")));
    json_decref(v);
    ktest_write("tree/docs/read.md", "# Changed\n");
    v = call("checkpoint_get", with_id(id, ""));
    kt_eq_text(text(v, "description"), "# Changed\n"); // what is on disk now
    kt_true(number(v, "token_count") > 0);
    json_decref(v);
    fails("checkpoint_delete", with_id(id, ""), KEN_EINVAL, "is an indexed file");
    ktest_write("tree/docs/a.md", "# New\n"); // files have other numbers then
    json_decref(call("index_repository", "{\"path\":\".\"}"));
    v = call("checkpoint_get", with_id(id, ""));
    kt_eq_text(text(v, "summary"), "Indexed file: docs/read.md");
    json_decref(v);
    unlink(ktest_path("tree/docs/read.md"));
    json_decref(call("index_repository", "{\"path\":\".\"}"));
    fails("checkpoint_get", with_id(id, ""), KEN_ENOTFOUND, "there is no checkpoint");
    ktest_write("tree/docs/read.md", "# Back\n");
    json_decref(call("index_repository", "{\"path\":\".\"}"));
    fails("checkpoint_save", with_id(id, ",\"summary\":\"x\""), KEN_EINVAL, "is an indexed file");
    close_lab();
}

KEN_TEST(two_writers_do_not_overwrite_each_other)
{
    make_tree(false);
    json_t *v = call("checkpoint_save", "{\"summary\":\"one\",\"tags\":[\"a\"]}");
    char id[40], more[300];
    snprintf(id, sizeof id, "%s", text(v, "id").ptr);
    snprintf(more, sizeof more, ",\"summary\":\"two\",\"if_updated_at\":\"%s\"",
             text(v, "updated_at").ptr);
    json_t *w = call("checkpoint_save", with_id(id, more));
    kt_eq_text(text(w, "status"), "updated");
    kt_true(ken_str_cmp(text(w, "updated_at"), text(v, "updated_at")) > 0);
    kt_eq_text(ken_json_text(json_array_get(json_object_get(w, "tags"), 0)), "a"); // as it was
    fails("checkpoint_save", with_id(id, more), KEN_EEXIST, "was changed since");
    kt_eq_str(summaries("checkpoint_list", "{}"), "two\n");
    json_decref(w);
    json_decref(v);
    // Another process has its own app: it sees what this one wrote, and the other way round.
    lab mine = l;
    open_lab();
    kt_eq_str(summaries("checkpoint_list", "{}"), "two\n");
    save("{\"summary\":\"of the other\"}");
    lab other = l;
    l = mine;
    kt_eq_str(summaries("checkpoint_list", "{}"), "of the other\ntwo\n");
    json_decref(call("checkpoint_delete", with_id(id, "")));
    l = other;
    kt_eq_str(summaries("checkpoint_list", "{}"), "of the other\n");
    fails("checkpoint_get", with_id(id, ""), KEN_ENOTFOUND, "there is no checkpoint");
    close_lab();
    l = mine;
    close_lab();
}

KEN_TEST(bad_input_names_field_rule_and_value)
{
    make_tree(false);
    ken_buf args = KEN_BUF_INIT(0);
    ken_buf_puts(&args, "{\"summary\":\"");
    for (int i = 0; i < 501; i++)
        ken_buf_puts(&args, "\xf0\x9f\x8d\x8e");
    ken_buf_puts(&args, "\"}");
    fails("checkpoint_save", args.ptr, KEN_EINVAL, "summary: 501 characters are over 500");
    ken_buf_release(&args);
    fails("checkpoint_save", "{\"summary\":\" \"}", KEN_EINVAL,
          "summary: 0 characters are under 1");
    fails("checkpoint_save", "{}", KEN_EINVAL, "summary");
    fails("checkpoint_save", "{\"summary\":\"x\",\"context\":[1]}", KEN_EINVAL, "context");
    fails("checkpoint_save", "{\"summary\":\"x\",\"tags\":[\"indexed\"]}", KEN_EINVAL, "'indexed'");
    fails("checkpoint_save", "{\"summary\":\"x\",\"if_updated_at\":\"today\"}", KEN_EINVAL,
          "today");
    fails("checkpoint_save", with_id("00000000-0000-0000-0000-000000000000", ",\"summary\":\"x\""),
          KEN_ENOTFOUND, "00000000-0000");
    fails("checkpoint_get", with_id("no-uuid", ""), KEN_EINVAL, "expected a UUID, got 'no-uuid'");
    fails("checkpoint_delete", "{\"checkpoint_id\":\"\"}", KEN_EINVAL, "checkpoint_id");
    fails("checkpoint_search", "{\"query\":\"x\",\"limit\":51}", KEN_EINVAL, "limit");
    fails("checkpoint_search", "{\"query\":\"\"}", KEN_EINVAL, "query");
    fails("checkpoint_list", "{\"limit\":0}", KEN_EINVAL, "limit");
    fails("checkpoint_list", "{\"limit\":201}", KEN_EINVAL, "limit");
    fails("checkpoint_list", "{\"project_path\":\"/nowhere/at/all\"}", KEN_ENOTFOUND, "/nowhere");
    kt_eq_str(summaries("checkpoint_list", "{}"), "");
    close_lab();
}

KEN_TEST(project_that_has_gone_keeps_its_notes)
{
    make_tree(false);
    save("{\"summary\":\"before\"}");
    json_t *v = call("list_projects", "{}");
    char args[300], saving[300];
    const char *id = text(json_array_get(json_object_get(v, "projects"), 0), "id").ptr;
    snprintf(args, sizeof args, "{\"project\":\"%s\"}", id);
    snprintf(saving, sizeof saving, "{\"project\":\"%s\",\"summary\":\"after\"}", id);
    json_decref(v);
    kt_eq_i(rename(ktest_path("tree"), ktest_path("gone")), 0);
    kt_eq_str(summaries("checkpoint_list", args), "before\n");
    fails("checkpoint_save", saving, KEN_ENOTFOUND, "has gone");
    close_lab();
}

KEN_TEST(resume_tells_what_happened_since)
{
    make_tree(true);
    ktest_write("tree/half.c", "int half;\n");
    ktest_write("tree/tmp.c", "int tmp;\n");
    const char *id = save("{\"summary\":\"before\"}");
    GIT_IN(ktest_path("tree"), NULL, "add", "tmp.c", "-f", "-v");
    GIT_IN(ktest_path("tree"), NULL, "commit", "-q", "-m", "tmp is in");
    ktest_write("tree/src/apples.c", "int apples;\n");
    json_t *v = call("checkpoint_get", with_id(id, ",\"resume\":true"));
    const json_t *r = json_object_get(v, "resume");
    kt_eq_u(json_array_size(json_object_get(r, "commits_since")), 1);
    kt_eq_text(text(json_array_get(json_object_get(r, "commits_since"), 0), "subject"),
               "tmp is in");
    // What was changed before it is no change since, unless it was committed since.
    kt_eq_i(number(r, "files_changed_total"), 2);
    kt_eq_text(ken_json_text(json_array_get(json_object_get(r, "files_changed"), 0)),
               "src/apples.c");
    kt_eq_text(ken_json_text(json_array_get(json_object_get(r, "files_changed"), 1)), "tmp.c");
    kt_eq_u(json_array_size(json_object_get(r, "still_dirty")), 1);
    kt_eq_text(ken_json_text(json_array_get(json_object_get(r, "still_dirty"), 0)), "half.c");
    kt_eq_u(json_array_size(json_object_get(r, "dirty_files")), 2);
    json_decref(v);
    v = call("checkpoint_get", with_id(id, ",\"resume\":true,\"format\":\"text\""));
    kt_has_str(json_string_value(v), "commits since:\n  tmp is in\n");
    json_decref(v);
    ktest_write("tree/half.c", "int whole;\n");
    v = call("checkpoint_get", with_id(id, ",\"resume\":true"));
    kt_eq_i(number(json_object_get(v, "resume"), "files_changed_total"), 3);
    json_decref(v);
    close_lab();
}

KEN_TEST(folder_without_git_is_fine)
{
    make_tree(false);
    const char *id = save("{\"summary\":\"plain\"}");
    json_t *v = call("checkpoint_get", with_id(id, ",\"resume\":true"));
    kt_true(json_is_null(json_object_get(json_object_get(v, "git"), "commit")));
    kt_has_str(text(json_object_get(v, "resume"), "reason").ptr, "not a git work tree");
    json_decref(v);
    close_lab();
}

KEN_TEST(long_descriptions_come_in_parts)
{
    make_tree(false);
    ken_buf args = { 0 }, whole = { 0 };
    ken_buf_puts(&args, "{\"summary\":\"long\",\"description\":\"");
    for (int i = 0; i < 6000; i++)
        ken_buf_printf(&args, "line %d \xc3\xa4\\n", i);
    ken_buf_puts(&args, "end\"}");
    const char *id = save(args.ptr);
    long long offset = 0;
    for (int part = 0; part < 20; part++) {
        char more[60];
        snprintf(more, sizeof more, ",\"offset\":%lld", offset);
        json_t *v = call("checkpoint_get", with_id(id, more));
        kt_true(ken_json_dump_size(v) <= KEN_TOOL_BYTES_MAX);
        ken_buf_put_str(&whole, text(v, "description"));
        offset = number(v, "next_offset");
        json_decref(v);
        if (!offset)
            break;
    }
    kt_has_str(whole.ptr, "line 0 \xc3\xa4\nline 1 \xc3\xa4\n");
    kt_has_str(whole.ptr, "line 5999 \xc3\xa4\nend");
    kt_eq_i(whole.ptr[whole.len - 1], 'd');
    kt_eq_u(whole.len,
            strlen("end") + 6000 * strlen("line 1000 \xc3\xa4\n") - 10 * 3 - 90 * 2 - 900);
    ken_buf_release(&args);
    ken_buf_release(&whole);
    close_lab();
}

// One note with much to remember does not hide the others, nor itself.
KEN_TEST(large_contexts_leave_room_in_lists)
{
    make_tree(false);
    ken_buf args = { 0 };
    ken_buf_puts(&args, "{\"summary\":\"large\",\"context\":{\"all\":\"");
    for (int i = 0; i < 60000; i++)
        ken_buf_putc(&args, 'x');
    ken_buf_puts(&args, "\"}}");
    save("{\"summary\":\"small\",\"context\":{\"a\":1}}");
    const char *id = save(args.ptr);
    kt_eq_str(summaries("checkpoint_list", "{}"), "large\nsmall\n");
    kt_has_str(summaries("checkpoint_search", "{\"query\":\"large\"}"), "large\n");
    json_t *v = call("checkpoint_list", "{}");
    const json_t *items = json_object_get(v, "checkpoints");
    kt_true(json_is_null(json_object_get(json_array_get(items, 0), "context")));
    kt_has_str(text(json_array_get(items, 0), "context_cut").ptr, "{\"all\":\"xxx");
    kt_eq_i(number(json_object_get(json_array_get(items, 1), "context"), "a"), 1);
    json_decref(v);
    v = call("checkpoint_get", with_id(id, ""));
    kt_true(ken_json_dump_size(v) <= KEN_TOOL_BYTES_MAX);
    json_decref(v);
    ken_buf_release(&args);
    close_lab();
}

// ---- what must survive -------------------------------------------------------------------------

// The one index below the data folder.
static const char *find_index(void)
{
    static char path[400];
    json_t *v = call("list_projects", "{}");
    const json_t *p = json_array_get(json_object_get(v, "projects"), 0);
    snprintf(path, sizeof path, "%s/data/indexes/project-%s.db", ktest_dir(), text(p, "id").ptr);
    json_decref(v);
    return path;
}

static void overwrite(const char *path, long from, size_t n)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    kt_true(fd >= 0);
    char junk[8192];
    memset(junk, 0x5a, sizeof junk);
    kt_eq_i(pwrite(fd, junk, n, from), (long long)n);
    close(fd);
}

KEN_TEST(a_forced_run_keeps_checkpoints)
{
    make_tree(false);
    save("{\"summary\":\"first\",\"tags\":[\"a\"]}");
    json_decref(call("index_repository", "{\"path\":\".\",\"force_reindex\":true}"));
    ktest_write("tree/src/pears.c", "int pears;\n");
    json_decref(call("index_repository", "{\"path\":\".\"}"));
    kt_eq_str(summaries("checkpoint_list", "{\"tags\":[\"a\"]}"), "first\n");
    close_lab();
}

// An index of an older ken has no journal beside it.
static void remove_journal(const char *index)
{
    char path[420];
    snprintf(path, sizeof path, "%s.writes", index);
    kt_eq_i(unlink(path), 0);
}

// Damages a page of what files hold, and one of the notes. With its journal nothing is lost; without
// one the notes of that page are, and the others are not.
static void check_carrying_over(bool has_journal)
{
    make_tree(false);
    for (int i = 0; i < 300; i++) {
        char args[200];
        snprintf(args, sizeof args,
                 "{\"summary\":\"note %d\",\"tags\":[\"t%d\"],\"description\":\"of %d\"}", i, i % 3,
                 i);
        json_decref(call("checkpoint_save", args));
    }
    char index[400];
    snprintf(index, sizeof index, "%s", find_index());
    close_lab(); // the log is in the file now
    // The files' contents, and one page of notes somewhere in the middle.
    ken_str bytes = ktest_read(index);
    size_t notes = ken_str_find(bytes, KEN_STR("of 150"));
    size_t facts = ken_str_find(bytes, KEN_STR("apples.c"));
    kt_true(notes != SIZE_MAX && facts != SIZE_MAX);
    overwrite(index, (long)(notes / 8192 * 8192), 8192);
    overwrite(index, (long)(facts / 8192 * 8192), 8192);
    if (!has_journal)
        remove_journal(index);
    open_lab();
    ken_err err = { 0 };
    json_t *v = try_call("index_repository", "{\"path\":\".\"}", &err);
    json_decref(v);
    v = call("index_repository", "{\"path\":\".\",\"force_reindex\":true}");
    long long kept = number(v, "checkpoints_kept"), lost = number(v, "checkpoints_lost");
    json_decref(v);
    kt_true(has_journal ? kept == 300 : kept >= 150 && kept < 300);
    kt_eq_i(kept + lost, 300);
    v = call("checkpoint_list", "{\"limit\":1}");
    kt_eq_i(number(v, "total"), kept);
    kt_eq_text(text(json_array_get(json_object_get(v, "checkpoints"), 0), "summary"), "note 299");
    json_decref(v);
    // Once: what is deleted now does not come back with the next run.
    save("{\"summary\":\"newer\"}");
    json_decref(call("index_repository", "{\"path\":\".\",\"force_reindex\":true}"));
    v = call("checkpoint_list", "{\"limit\":1}");
    kt_eq_i(number(v, "total"), kept + 1);
    json_decref(v);
    close_lab();
}

KEN_TEST(checkpoints_of_a_damaged_index_come_back_from_their_journal)
{
    check_carrying_over(true);
}

KEN_TEST(checkpoints_are_carried_over_from_a_damaged_index)
{
    check_carrying_over(false);
}

// A forced run of somebody else puts the index aside while git is asked: what was saved in the
// old one would be lost.
KEN_TEST(checkpoint_is_not_saved_into_an_index_that_was_put_aside)
{
    make_tree(false);
    save("{\"summary\":\"before\"}");
    ken_err err = { 0 };
    ken_arena arena;
    ken_project_info project;
    ken_snapshot *snap = NULL;
    ken_checkpoints *service = NULL;
    ken_checkpoint saved;
    ken_rulebook_counts counts;
    ken_str moved;
    ken_arena_init(&arena, 0);
    kt_ok_err(ken_app_find_project(l.app, l.ctx.cwd, l.ctx.cwd, &arena, &project, &err), &err);
    kt_ok_err(ken_app_borrow(l.app, &project, &snap, &err), &err);
    kt_ok_err(ken_app_checkpoints(l.app, snap, &service, &err), &err);
    kt_ok_err(ken_store_quarantine(project.db_path.ptr, &arena, &moved, &err), &err);
    const ken_checkpoint_draft draft = { .summary = KEN_STR("after"), .now_ms = 1 };
    kt_status(ken_checkpoints_save(service, &draft, NULL, &arena, &saved, &err), KEN_EBUSY);
    kt_has_str(err.msg, "was removed or replaced meanwhile; try again");
    kt_status(ken_app_index_rules(l.app, snap, &counts, &err), KEN_EBUSY);
    kt_false(ken_fs_exists(project.db_path.ptr)); // nothing made it anew
    ken_app_give_back(l.app, &project, snap);
    ken_arena_release(&arena);
    close_lab();
}

static void damage_files(const char *index)
{
    size_t facts = ken_str_find(ktest_read(index), KEN_STR("apples.c"));
    kt_true(facts != SIZE_MAX);
    overwrite(index, (long)(facts / 8192 * 8192), 8192);
}

// Damage can leave a row that makes no sense; the others are carried over without it.
KEN_TEST(checkpoint_that_makes_no_sense_does_not_hold_up_the_others)
{
    make_tree(false);
    save("{\"summary\":\"first\"}");
    save("{\"summary\":\"bad\"}");
    save("{\"summary\":\"last\"}");
    char index[400];
    snprintf(index, sizeof index, "%s", find_index());
    close_lab();
    sqlite3 *db = lab_open_sqlite(index);
    kt_eq_i(sqlite3_exec(db, "UPDATE checkpoint SET updated_at_ms = 1 WHERE summary = 'bad'", NULL,
                         NULL, NULL),
            SQLITE_OK);
    sqlite3_close(db);
    damage_files(index);
    remove_journal(index);
    open_lab();
    json_t *v = call("index_repository", "{\"path\":\".\",\"force_reindex\":true}");
    kt_eq_i(number(v, "checkpoints_kept"), 2);
    kt_eq_i(number(v, "checkpoints_lost"), 1);
    json_decref(v);
    kt_eq_str(summaries("checkpoint_list", "{}"), "last\nfirst\n");
    close_lab();
}
