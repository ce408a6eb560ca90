// SPDX-License-Identifier: MIT
// The service of tasks: what it takes, what it refuses and in which words, and what git tells it.
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "git_lab.h"
#include "ktest.h"
#include "task/task.h"

static ken_err err;
static ken_arena arena;
static ken_tasks *tasks;
static ken_task task;
static int64_t now_ms;

static const ken_str statuses[] = { { "need to be done", 15 },
                                    { "in-progress", 11 },
                                    { "complete", 8 } };

static ken_str str(const char *s)
{
    return ken_str_c(s);
}

static void start(void)
{
    ken_arena_init(&arena, 0);
    now_ms = 1795292100000;
    const ken_tasks_opts opts = { .path = ktest_path("data/config/projects.db"),
                                  .statuses = statuses,
                                  .n_statuses = 3 };
    kt_ok_err(ken_tasks_open(&opts, &tasks, &err), &err);
}

static void end(void)
{
    ken_tasks_close(tasks);
    ken_arena_release(&arena);
}

static ken_status create(ken_task_input in)
{
    err = (ken_err){ 0 };
    in.now_ms = now_ms++;
    return ken_tasks_create(tasks, &in, &arena, &task, &err);
}

static ken_str id_of(const ken_task *t)
{
    char text[KEN_UUID_TEXT];
    ken_uuid_format(t->uuid, text);
    return ken_arena_dup(&arena, str(text));
}

static ken_status update(ken_task_input in)
{
    err = (ken_err){ 0 };
    in.now_ms = now_ms++;
    return ken_tasks_update(tasks, id_of(&task), &in, &arena, &task, &err);
}

// `n` times `unit`.
static ken_str repeat(const char *unit, size_t n)
{
    size_t len = strlen(unit);
    char *text = ken_arena_alloc(&arena, n * len + 1);
    for (size_t i = 0; i < n; i++)
        memcpy(text + i * len, unit, len);
    text[n * len] = '\0';
    return ken_str_n(text, n * len);
}

static void refused(ken_status st, const char *part)
{
    kt_status(st, KEN_EINVAL);
    kt_has_str(err.msg, part);
}

KEN_TEST(new_task_has_the_first_status_and_a_history)
{
    start();
    const ken_task_reference refs[] = { { str("docs/plan.md"), { 0 }, 0 },
                                        { str("/abs/spec.md"), str("spec"), 0 },
                                        { str("docs/plan.md"), { 0 }, 0 } };
    kt_ok_err(
        create((ken_task_input){ .title = str("do it"), .references = refs, .n_references = 3 }),
        &err);
    kt_eq_text(task.status, "need to be done");
    kt_eq_u(task.n_references, 2);
    kt_eq_text(task.references[0].type, "document");
    ken_task_event *events = NULL;
    size_t n = 0;
    ken_task_events(&task, &arena, &events, &n);
    kt_eq_u(n, 3);
    kt_eq_u(events[0].kind, KEN_TASK_EVENT_STATUS);
    kt_null(events[0].from.ptr);
    kt_eq_text(events[0].to, "need to be done");
    kt_eq_text(events[2].name, "/abs/spec.md");
    kt_ok(create((ken_task_input){ .title = str("other"), .status = str("complete") }));
    kt_eq_text(task.status, "complete");
    end();
}

KEN_TEST(titles_are_counted_in_characters)
{
    start();
    kt_ok(create((ken_task_input){ .title = str("x") }));
    kt_ok(create((ken_task_input){ .title = repeat("\xf0\x9f\x90\x9b", 200) })); // emoji
    kt_ok(create((ken_task_input){ .title = repeat("e\xcc\x81", 100) }));        // combining marks
    refused(create((ken_task_input){ .title = repeat("\xf0\x9f\x90\x9b", 201) }),
            "title: must have 1 to 200 characters, not 201: '\xf0\x9f\x90\x9b");
    refused(create((ken_task_input){ .title = repeat("e\xcc\x81", 101) }), "not 202");
    refused(create((ken_task_input){ .title = repeat("a", 201) }), "not 201");
    refused(create((ken_task_input){ .title = str("") }), "must have 1 to 200 characters, not 0");
    refused(create((ken_task_input){ 0 }), "title: is required");
    refused(create((ken_task_input){ .title = ken_str_n("a\0b", 3) }),
            "title: has the control character U+0000");
    refused(create((ken_task_input){ .title = str("a\nb") }), "U+000A at character 2: 'a?b'");
    refused(create((ken_task_input){ .title = str("a\xc2\x85") }), "U+0085");
    refused(create((ken_task_input){ .title = str("a\xff") }),
            "title: is not valid UTF-8 at byte 1: 'a?'");
    end();
}

KEN_TEST(texts_have_a_bound_and_may_have_lines)
{
    start();
    kt_ok(create((ken_task_input){ .title = str("t"), .notes = str("a\n\tb\r\n") }));
    kt_ok(create((ken_task_input){ .title = str("t"), .notes = repeat("\xe2\x82\xac", 100000) }));
    kt_eq_u(task.notes.len, 300000);
    refused(create((ken_task_input){ .title = str("t"), .notes = repeat("n", 10 << 20) }),
            "notes: must have 0 to 100000 characters, not 10485760: 'nnn");
    refused(create((ken_task_input){ .title = str("t"), .description = str("\x1b[31m") }),
            "description: has the control character U+001B at character 1; only tabs");
    end();
}

KEN_TEST(statuses_are_those_of_the_setting)
{
    start();
    refused(create((ken_task_input){ .title = str("t"), .status = str("done") }),
            "status: must be one of 'need to be done', 'in-progress', 'complete', not 'done'");
    kt_ok(create((ken_task_input){ .title = str("t") }));
    refused(update((ken_task_input){ .status = str("") }), "not ''");
    kt_ok(update((ken_task_input){ .status = str("complete") }));
    kt_eq_u(task.n_changes, 2);
    kt_ok(update((ken_task_input){ .status = str("complete") }));
    kt_eq_u(task.n_changes, 2);
    ken_task_page page;
    kt_status(ken_tasks_list(tasks, &(ken_task_query){ .status = str("x") }, &arena, &page, &err),
              KEN_EINVAL);
    ken_tasks *none = NULL;
    const ken_tasks_opts opts = { .path = ktest_path("data/config/projects.db") };
    kt_status(ken_tasks_open(&opts, &none, &err), KEN_EINVAL);
    kt_has_str(err.msg, "tasks.statuses");
    end();
}

KEN_TEST(branch_names_are_those_that_git_takes)
{
    start();
    kt_ok(create((ken_task_input){ .title = str("t") }));
    static const char *const good[] = { "main", "feature/a-b_c.d", "caf\xc3\xa9", "a@b", "x/HEAD" };
    static const char *const bad[] = { "",     "--x",  "/x",     "x/",       "a//b", "a..b",
                                       ".x",   "a/.b", "x.lock", "x.lock/y", "x.",   "a b",
                                       "a~b",  "a^b",  "a:b",    "a?b",      "a*b",  "a[b",
                                       "a\\b", "a@{b", "@",      "HEAD",     "a\x7f" };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        kt_ok_err(update((ken_task_input){ .branch = str(good[i]) }), &err);
    kt_eq_u(task.n_branches, 5);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused(update((ken_task_input){ .branch = str(bad[i]) }), "branch: ");
    refused(update((ken_task_input){ .branch = repeat("\xc3\xa9", 128) }),
            "at most 255 bytes, not 256");
    end();
}

KEN_TEST(references_do_not_lead_up)
{
    start();
    static const char *const bad[] = { "..", "../x", "a/../b", "a/..", "", "a\nb", "\xff" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const ken_task_reference r = { str(bad[i]), { 0 }, 0 };
        refused(create((ken_task_input){ .title = str("t"), .references = &r, .n_references = 1 }),
                "planning_references: ");
    }
    ken_task_reference r = { str("a..b/c"), str("poem"), 0 }, many[101] = { { { 0 }, { 0 }, 0 } };
    refused(create((ken_task_input){ .title = str("t"), .references = &r, .n_references = 1 }),
            "must be one of document, spec, plan, design, code, other, not 'poem'");
    r.type = str("plan");
    kt_ok(create((ken_task_input){ .title = str("t"), .references = &r, .n_references = 1 }));
    refused(create((ken_task_input){ .title = str("t"), .references = many, .n_references = 101 }),
            "at most 100, not 101");
    r.path = repeat("p", 4097);
    refused(create((ken_task_input){ .title = str("t"), .references = &r, .n_references = 1 }),
            "1 to 4096 characters, not 4097");
    end();
}

KEN_TEST(ids_and_hashes_are_checked)
{
    start();
    static const char *const ids[] = { "", "x", "3f2b8c1e-5d6a-4e7f-9a0b-1c2d3e4f5a6",
                                       "3f2b8c1e-5d6a-4e7f-9a0b-1c2d3e4f5a6g" };
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        refused(ken_tasks_get(tasks, str(ids[i]), &arena, &task, &err), "task_id: must be a UUID");
        refused(ken_tasks_delete(tasks, str(ids[i]), &arena, &task, &err), "task_id");
    }
    const ken_str unknown = str("3f2b8c1e-5d6a-4e7f-9a0b-1c2d3e4f5a6b");
    kt_status(ken_tasks_get(tasks, unknown, &arena, &task, &err), KEN_ENOTFOUND);
    kt_has_str(err.msg, "there is no task 3f2b8c1e");
    kt_status(ken_tasks_delete(tasks, unknown, &arena, &task, &err), KEN_ENOTFOUND);
    kt_status(ken_tasks_update(tasks, unknown,
                               &(ken_task_input){ .commit = repeat("a", 40), .now_ms = 1 }, &arena,
                               &task, &err),
              KEN_ENOTFOUND);
    kt_ok(create((ken_task_input){ .title = str("t") }));
    const ken_str bad[] = { str(""), str("abc"), repeat("a", 6), repeat("a", 41), repeat("g", 40) };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused(update((ken_task_input){ .commit = bad[i] }),
                "commit: must be 40 hexadecimal digits, or at least the first 7");
    refused(update((ken_task_input){ .commit = repeat("a", 39) }),
            "commit: no repository could be asked which one begins with");
    kt_ok(update((ken_task_input){ .commit = repeat("ABCDEF0123", 4) }));
    kt_ok(update((ken_task_input){ .commit = repeat("abcdef0123", 4) }));
    kt_eq_u(task.n_commits, 1);
    kt_eq_text(task.commits[0].hash, "abcdef0123abcdef0123abcdef0123abcdef0123");
    kt_null(task.commits[0].message.ptr); // no repository was named
    end();
}

KEN_TEST(two_writers_do_not_overwrite_each_other)
{
    start();
    kt_ok(create((ken_task_input){ .title = str("t") }));
    char time[KEN_TIME_MS_TEXT];
    ken_clock_format_ms(task.updated_at_ms, time);
    const ken_str read = ken_arena_dup(&arena, str(time));
    kt_ok(update((ken_task_input){ .notes = str("first"), .if_updated_at = read }));
    kt_status(update((ken_task_input){ .notes = str("second"), .if_updated_at = read }),
              KEN_EEXIST);
    ken_clock_format_ms(task.updated_at_ms, time);
    kt_has_str(err.msg, time);
    kt_has_str(err.msg, read.ptr);
    refused(update((ken_task_input){ .notes = str("x"), .if_updated_at = str("yesterday") }),
            "if_updated_at: must be the updated_at of an answer");
    // Not as if it had not been given.
    refused(update((ken_task_input){ .notes = str("x"),
                                     .if_updated_at = str("1970-01-01T00:00:00.000Z") }),
            "if_updated_at: must be the updated_at of an answer");
    kt_ok(ken_tasks_get(tasks, id_of(&task), &arena, &task, &err));
    kt_eq_text(task.notes, "first");
    end();
}

KEN_TEST(list_has_bounds_and_a_total)
{
    start();
    for (int i = 0; i < 25; i++)
        kt_ok(create((ken_task_input){ .title = str("t") }));
    ken_task_page page = { 0 };
    kt_ok(ken_tasks_list(tasks, &(ken_task_query){ 0 }, &arena, &page, &err));
    kt_eq_u(page.n, 20);
    kt_eq_u(page.total, 25);
    kt_ok(ken_tasks_list(tasks, &(ken_task_query){ .limit = 100, .offset = 20 }, &arena, &page,
                         &err));
    kt_eq_u(page.n, 5);
    refused(ken_tasks_list(tasks, &(ken_task_query){ .limit = 101 }, &arena, &page, &err),
            "limit: must be 1 to 100, not 101");
    refused(ken_tasks_list(tasks, &(ken_task_query){ .offset = 1000001 }, &arena, &page, &err),
            "offset: ");
    refused(ken_tasks_list(tasks, &(ken_task_query){ .branch = str("a b") }, &arena, &page, &err),
            "branch: ");
    end();
}

KEN_TEST(deleted_task_is_shown_once_more)
{
    start();
    kt_ok(create((ken_task_input){ .title = str("gone") }));
    const ken_str id = id_of(&task);
    kt_ok(ken_tasks_delete(tasks, id, &arena, &task, &err));
    kt_eq_text(task.title, "gone");
    kt_status(ken_tasks_get(tasks, id, &arena, &task, &err), KEN_ENOTFOUND);
    end();
}

// ---- pages far down ----------------------------------------------------------------------------

static ken_tasks *open_other(void)
{
    ken_tasks *other = NULL;
    const ken_tasks_opts opts = { .path = ktest_path("data/config/projects.db"),
                                  .statuses = statuses,
                                  .n_statuses = 3 };
    kt_ok(ken_tasks_open(&opts, &other, &err));
    return other;
}

static const ken_uuid project = { { 1, 2, 3 } };

enum {
    DEEP = 500,
    N_DEEP = 1400
};

// Two of three are complete, two of three of the project, those that four divides are on a branch.
static void create_many(void)
{
    for (int i = 0; i < N_DEEP; i++) {
        kt_ok(create((ken_task_input){ .title = ken_arena_printf(&arena, "task %d", i),
                                       .status = statuses[i % 3 ? 2 : 0],
                                       .project = i % 3 != 1 ? &project : NULL }));
        if (i % 2 == 0)
            kt_ok(update((ken_task_input){ .branch = str(i % 4 ? "even" : "four") }));
    }
}

static ken_task_page page_of(ken_tasks *t, const ken_task_query *q)
{
    ken_task_page page = { 0 };
    kt_ok_err(ken_tasks_list(t, q, &arena, &page, &err), &err);
    return page;
}

// A process that looks far down for the first time asks the database; ours has all in memory.
static void is_as_in_the_database(const ken_task_query *q)
{
    ken_tasks *new = open_other();
    ken_task_page is = page_of(tasks, q), wanted = page_of(new, q);
    kt_eq_u(is.n, wanted.n);
    kt_eq_u(is.total, wanted.total);
    kt_true(is.has_more == wanted.has_more);
    for (size_t i = 0; i < is.n; i++) {
        kt_eq_str(is.tasks[i].title.ptr, wanted.tasks[i].title.ptr);
        kt_eq_str(is.tasks[i].status.ptr, wanted.tasks[i].status.ptr);
        kt_eq_u(is.tasks[i].n_branches, wanted.tasks[i].n_branches);
    }
    ken_tasks_close(new);
}

static void are_as_in_the_database(void)
{
    const ken_str complete = statuses[2];
    const ken_task_query queries[] = {
        { .offset = DEEP },
        { .offset = N_DEEP - 7, .limit = 100 },
        { .offset = N_DEEP + 100 },
        { .offset = DEEP + 1, .limit = 1 },
        { .offset = DEEP, .status = complete },
        { .offset = DEEP, .project = &project, .limit = 30 },
        { .offset = DEEP, .project = &project, .status = complete },
        { .offset = DEEP, .branch = str("even") },
        { .offset = DEEP, .branch = str("even"), .status = complete, .project = &project },
        { .offset = DEEP, .branch = str("eve") },
    };
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        is_as_in_the_database(&queries[i]);
}

KEN_TEST(page_far_down_is_that_of_the_database)
{
    start();
    create_many();
    const ken_task_query deep = { .offset = DEEP };
    (void)page_of(tasks, &deep);
    are_as_in_the_database();
    ken_task_page page = page_of(tasks, &deep);
    for (size_t i = 0; i < 5; i++) { // moved to the top
        task = page.tasks[2 * i];
        kt_ok(update((ken_task_input){ .status = statuses[1], .branch = str("even") }));
    }
    are_as_in_the_database();
    kt_ok(ken_tasks_delete(tasks, id_of(&page.tasks[1]), &arena, &task, &err));
    are_as_in_the_database();
    end();
}

KEN_TEST(page_far_down_sees_what_others_did)
{
    start();
    create_many();
    const ken_task_query deep = { .offset = DEEP };
    (void)page_of(tasks, &deep);
    ken_task_page page = page_of(tasks, &deep);
    ken_tasks *mine = tasks;
    tasks = open_other();
    task = page.tasks[0];
    kt_ok(update((ken_task_input){ .title = str("moved") }));
    kt_ok(create((ken_task_input){ .title = str("new") }));
    kt_ok(ken_tasks_delete(tasks, id_of(&page.tasks[1]), &arena, &task, &err));
    ken_tasks_close(tasks);
    tasks = mine;
    are_as_in_the_database();
    end();
}

// ---- git -------------------------------------------------------------------------------------

static const char *make_repository(const char *name, const char *subject, ken_str *out_head)
{
    char readme[64];
    setenv("HOME", ktest_dir(), 1);
    snprintf(readme, sizeof readme, "%s/README", name);
    ktest_write(readme, subject);
    const char *root = ktest_path(name);
    GIT_IN(root, &arena, "init", "-q", "--template=");
    GIT_IN(root, &arena, "add", "-A");
    GIT_IN(root, &arena, "commit", "-qm", subject);
    *out_head = GIT_IN(root, &arena, "rev-parse", "HEAD");
    return root;
}

KEN_TEST(subject_of_a_commit_is_read_from_the_repository)
{
    start();
    ken_str here, there;
    const char *root = make_repository("here", "caf\xc3\xa9: fix\n\nmore", &here);
    const char *other = make_repository("there", "other", &there);
    ken_catalog *c = NULL;
    ken_catalog_row row;
    kt_ok(ken_catalog_open(ktest_path("data/config/projects.db"), false, &c, &err));
    kt_ok(ken_catalog_add(c, str(other), str(""), 1, &arena, &row, &err));
    ken_catalog_close(c);
    kt_ok(create((ken_task_input){ .title = str("t") }));
    kt_ok(update((ken_task_input){ .commit = here, .root = root }));
    kt_eq_text(task.commits[0].message, "caf\xc3\xa9: fix");
    // The repository of the task's project knows the other.
    kt_ok(update((ken_task_input){
        .sets_project = true, .project = &row.id, .commit = there, .root = root }));
    kt_eq_text(task.commits[1].message, "other");
    // What no repository has is linked all the same, and told.
    ken_str remark = { 0 };
    kt_ok(update((ken_task_input){ .commit = here, .root = root, .out_remark = &remark }));
    kt_null(remark.ptr);
    kt_ok(
        update((ken_task_input){ .commit = repeat("0", 40), .root = root, .out_remark = &remark }));
    kt_null(task.commits[2].message.ptr);
    kt_has_str(remark.ptr, "the repository does not have it");
    remark = (ken_str){ 0 };
    kt_ok(update((ken_task_input){ .sets_project = true,
                                   .commit = repeat("1", 40),
                                   .root = "/no/such/folder",
                                   .out_remark = &remark }));
    kt_null(remark.ptr);
    kt_eq_u(task.n_commits, 4);
    end();
}

KEN_TEST(first_digits_of_a_commit_are_made_whole_by_its_repository)
{
    start();
    ken_str head, remark = { 0 };
    const char *root = make_repository("here", "fix", &head);
    kt_ok(create((ken_task_input){ .title = str("t") }));
    kt_ok(update((ken_task_input){
        .commit = ken_str_sub(head, 0, 8), .root = root, .out_remark = &remark }));
    kt_null(remark.ptr);
    kt_eq_u(task.n_commits, 1);
    kt_eq_text(task.commits[0].hash, head.ptr);
    kt_eq_text(task.commits[0].message, "fix");
    // A branch of such a name is not the commit that it is at.
    GIT_IN(root, &arena, "branch", "0000000");
    refused(update((ken_task_input){ .commit = str("0000000"), .root = root }),
            "commit: no commit of the repository, or more than one, begins with '0000000'");
    // What is linked needs no repository, to be there already or to be taken away.
    kt_ok(update((ken_task_input){ .commit = ken_str_sub(head, 0, 12) }));
    kt_eq_u(task.n_commits, 1);
    refused(update((ken_task_input){ .commit = str("-0000000") }), "commit: no commit of the task");
    ken_str lost = ken_arena_printf(&arena, "-%.8s", head.ptr);
    kt_ok(update((ken_task_input){ .commit = lost }));
    kt_eq_u(task.n_commits, 0);
    end();
}

KEN_TEST(a_branch_that_no_repository_has_is_linked_and_told)
{
    start();
    ken_str head, remark = { 0 };
    const char *root = make_repository("here", "fix", &head);
    GIT_IN(root, &arena, "branch", "fix/one");
    GIT_IN(root, &arena, "update-ref", "refs/remotes/origin/away", head.ptr);
    kt_ok(create((ken_task_input){ .title = str("t") }));
    const char *known[] = { "fix/one", "away" };
    for (size_t i = 0; i < 2; i++)
        kt_ok(update(
            (ken_task_input){ .branch = str(known[i]), .root = root, .out_remark = &remark }));
    kt_null(remark.ptr);
    kt_ok(update((ken_task_input){
        .branch = str("one"), .commit = repeat("0", 40), .root = root, .out_remark = &remark }));
    kt_has_str(remark.ptr, "branch one is linked, and the repository does not have it: make it");
    kt_has_str(remark.ptr, "; commit 0000");
    kt_eq_u(task.n_branches, 3);
    // Once is enough.
    remark = (ken_str){ 0 };
    kt_ok(update((ken_task_input){ .branch = str("one"), .root = root, .out_remark = &remark }));
    kt_null(remark.ptr);
    end();
}

KEN_TEST(links_are_taken_away)
{
    start();
    kt_ok(create((ken_task_input){ .title = str("t") }));
    kt_ok(update((ken_task_input){ .branch = str("main"), .commit = repeat("1", 40) }));
    kt_ok(update((ken_task_input){ .branch = str("next"), .commit = repeat("2", 40) }));
    kt_eq_u(task.n_branches, 2);
    char lost[42];
    snprintf(lost, sizeof lost, "-%s", repeat("1", 40).ptr);
    kt_ok(update((ken_task_input){ .branch = str("-main"), .commit = str(lost) }));
    kt_eq_u(task.n_branches, 1);
    kt_eq_text(task.branches[0].name, "next");
    kt_eq_u(task.n_commits, 1);
    kt_eq_text(task.commits[0].hash, repeat("2", 40).ptr);
    // Lists and their totals know it.
    ken_task_page page = { 0 };
    kt_ok_err(
        ken_tasks_list(tasks, &(ken_task_query){ .branch = str("main") }, &arena, &page, &err),
        &err);
    kt_eq_u(page.total, 0);
    kt_ok_err(
        ken_tasks_list(tasks, &(ken_task_query){ .branch = str("next") }, &arena, &page, &err),
        &err);
    kt_eq_u(page.total, 1);
    // What is not linked cannot be taken away, and nothing else is done then.
    kt_status(update((ken_task_input){ .title = str("u"), .branch = str("-main") }), KEN_EINVAL);
    kt_has_str(err.msg, "branch: the task is not linked to 'main'");
    kt_status(update((ken_task_input){ .commit = str(lost) }), KEN_EINVAL);
    kt_status(update((ken_task_input){ .commit = str("-12") }), KEN_EINVAL);
    end();
}

KEN_TEST(a_token_in_a_subject_is_not_kept)
{
    start();
    ken_str head;
    char subject[128];
    snprintf(subject, sizeof subject, "drop gh%s", "p_9fQ2kX7bLm4ZtR8sWv3YcN6dHj1GpA5eUo0B");
    const char *root = make_repository("here", subject, &head);
    kt_ok(create((ken_task_input){ .title = str("t") }));
    kt_ok(update((ken_task_input){ .commit = head, .root = root }));
    kt_eq_text(task.commits[0].message, "drop ghp_************************************");
    end();
}

// ---- questions -------------------------------------------------------------------------------

// The titles that are found, best first.
static const char *find(ken_task_query q)
{
    static char text[400];
    ken_task_page page = { 0 };
    size_t len = 0;
    text[0] = '\0';
    err = (ken_err){ 0 };
    kt_ok_err(ken_tasks_list(tasks, &q, &arena, &page, &err), &err);
    kt_eq_u(page.total, 0);
    for (size_t i = 0; i < page.n; i++) {
        kt_true(page.scores[i] > 0);
        len += (size_t)snprintf(text + len, sizeof text - len, "%s" KEN_STR_FMT, i ? "|" : "",
                                KEN_STR_ARG(page.tasks[i].title));
    }
    snprintf(text + len, sizeof text - len, "%s", page.has_more ? "+" : "");
    return text;
}

static void finds_first(const char *query, const char *title)
{
    const char *found = find((ken_task_query){ .text = str(query) });
    kt_true(!strncmp(found, title, strlen(title)));
}

KEN_TEST(tasks_are_found_by_what_they_say)
{
    start();
    kt_ok(create((ken_task_input){ .title = str("Retry uploads that time out"),
                                   .description = str("large files are lost on trains") }));
    kt_ok(create((ken_task_input){ .title = str("Rename the settings page") }));
    ken_task page = task;
    kt_ok(create((ken_task_input){ .title = str("Clean the build folder"),
                                   .notes = str("the quokka job leaves files") }));
    finds_first("quokka", "Clean the build folder");
    finds_first("uploads retry", "Retry uploads that time out");
    // What changes is found as it is now, by who changed it and by others.
    task = page;
    kt_ok(update((ken_task_input){ .title = str("Rename the wombat page") }));
    finds_first("wombat", "Rename the wombat page");
    refused(ken_tasks_list(tasks, &(ken_task_query){ .text = str("") }, &arena,
                           &(ken_task_page){ 0 }, &err),
            "query: must have 1 to 1000 characters, not 0");
    end();
}

KEN_TEST(question_keeps_to_the_filters)
{
    start();
    kt_ok(create((ken_task_input){ .title = str("wombat one"), .project = &project }));
    kt_ok(update((ken_task_input){ .branch = str("dev") }));
    kt_ok(update((ken_task_input){ .branch = str("main") }));
    ken_task one = task;
    kt_ok(create((ken_task_input){ .title = str("wombat two"), .status = str("complete") }));
    const ken_str w = str("wombat");
    kt_eq_str(find((ken_task_query){ .text = w, .status = str("complete") }), "wombat two");
    kt_eq_str(find((ken_task_query){ .text = w, .project = &project }), "wombat one");
    kt_eq_str(find((ken_task_query){ .text = w, .branch = str("main") }), "wombat one");
    kt_eq_str(find((ken_task_query){ .text = w, .branch = str("mai") }), "");
    kt_eq_str(find((ken_task_query){ .text = str("wombat one"), .offset = 1 }), "wombat two");
    kt_has_str(find((ken_task_query){ .text = w, .limit = 1 }), "+");
    task = one;
    kt_ok(update((ken_task_input){ .status = str("complete") }));
    kt_eq_str(find((ken_task_query){ .text = w, .status = str("need to be done") }), "");
    kt_ok(ken_tasks_delete(tasks, id_of(&one), &arena, &task, &err));
    kt_eq_str(find((ken_task_query){ .text = w, .limit = 1 }), "wombat two");
    end();
}

KEN_TEST(page_does_not_promise_what_was_deleted)
{
    start();
    kt_ok(create((ken_task_input){ .title = str("wombat one") }));
    kt_ok(create((ken_task_input){ .title = str("wombat two") }));
    const ken_task_query q = { .text = str("wombat one"), .limit = 1 };
    kt_eq_str(find(q), "wombat one+");
    kt_ok(ken_tasks_delete(tasks, id_of(&task), &arena, &task, &err));
    kt_eq_str(find(q), "wombat one");
    end();
}

// Another process' changes are seen: here another ken_tasks of the same data.
KEN_TEST(question_sees_what_others_wrote)
{
    start();
    kt_ok(create((ken_task_input){ .title = str("wombat") }));
    kt_eq_str(find((ken_task_query){ .text = str("wombat") }), "wombat");
    ken_tasks *mine = tasks, *other = open_other();
    tasks = other;
    ken_task first = task;
    kt_ok(create((ken_task_input){ .title = str("quokka") }));
    kt_ok(ken_tasks_delete(tasks, id_of(&first), &arena, &first, &err));
    tasks = mine;
    kt_eq_str(find((ken_task_query){ .text = str("quokka"), .limit = 1 }), "quokka");
    kt_eq_str(find((ken_task_query){ .text = str("wombat") }), "");
    ken_tasks_close(other);
    end();
}
