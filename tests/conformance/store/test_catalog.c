// SPDX-License-Identifier: MIT
// What every backend of the catalog must do with projects, models and values.
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "conformance/store/catalog_matrix.h"

static ken_catalog_row add(ken_catalog *c, const char *root, const char *name, int64_t now_ms)
{
    ken_catalog_row row = { 0 };
    kt_ok_err(ken_catalog_add(c, ken_str_c(root), ken_str_c(name), now_ms, &arena, &row, &err),
              &err);
    return row;
}

// A file in <data>/indexes, or the name of an index in the database.
static void is_index_of(ken_str path, ken_uuid id)
{
    char text[KEN_UUID_TEXT], want[700];
    ken_uuid_format(id, text);
    if (is_postgres())
        snprintf(want, sizeof want, "project-%s", text);
    else
        snprintf(want, sizeof want, "%s/%d/indexes/project-%s.db", ktest_dir(), (int)now, text);
    kt_eq_text(path, want);
}

CATALOG_TEST(catalog_adds_once_and_finds)
{
    ken_catalog *c = open_catalog();
    ken_catalog_row a = add(c, "/home/u/ken", "", 17), b = add(c, "/home/u/other", "Name", 18), r;
    kt_eq_text(a.name, "ken");
    kt_eq_text(b.name, "Name");
    kt_eq_i(a.created_at_ms, 17);
    kt_eq_i(a.indexed_at_ms, 0);
    kt_false(ken_uuid_eq(a.id, b.id));
    is_index_of(a.db_path, a.id);
    is_index_of(a.notes_path, a.id);
    kt_true(ken_uuid_eq(a.index_of, a.id));

    r = add(c, "/home/u/ken", "", 99);
    kt_true(ken_uuid_eq(r.id, a.id));
    kt_eq_i(r.created_at_ms, 17);
    kt_eq_text(r.name, "ken");
    r = add(c, "/home/u/ken", "Ken!", 99);
    kt_true(ken_uuid_eq(r.id, a.id));
    kt_eq_text(r.name, "Ken!");

    kt_ok(ken_catalog_find_by_root(c, KEN_STR("/home/u/other"), &arena, &r, &err));
    kt_true(ken_uuid_eq(r.id, b.id));
    kt_status(ken_catalog_find_by_root(c, KEN_STR("/home/u"), &arena, &r, &err), KEN_ENOTFOUND);
    kt_ok(ken_catalog_find_by_id(c, b.id, &arena, &r, &err));
    kt_eq_text(r.root, "/home/u/other");
    kt_status(ken_catalog_find_by_id(c, (ken_uuid){ { 1 } }, &arena, &r, &err), KEN_ENOTFOUND);

    kt_ok(ken_catalog_set_indexed(c, b.id, 1234, &err));
    kt_ok(ken_catalog_set_active(c, b.id, false, &err));
    kt_status(ken_catalog_set_active(c, (ken_uuid){ { 1 } }, false, &err), KEN_ENOTFOUND);
    kt_status(ken_catalog_set_indexed(c, (ken_uuid){ { 1 } }, 1, &err), KEN_ENOTFOUND);
    ken_catalog_row *rows;
    size_t n;
    kt_ok(ken_catalog_list(c, &arena, &rows, &n, &err));
    kt_eq_u(n, 2);
    kt_eq_text(rows[0].name, "Ken!");
    kt_eq_i(rows[1].indexed_at_ms, 1234);
    kt_true(rows[0].is_active && !rows[1].is_active);

    kt_ok(ken_catalog_remove(c, a.id, &err));
    kt_status(ken_catalog_remove(c, a.id, &err), KEN_ENOTFOUND);
    kt_ok(ken_catalog_list(c, &arena, &rows, &n, &err));
    kt_eq_u(n, 1);
    ken_catalog_close(c);
    ken_catalog_close(NULL);
}

CATALOG_TEST(catalog_refuses_bad_projects)
{
    ken_catalog *c = open_catalog();
    static const ken_str roots[] = { { "", 0 }, { "relative", 8 }, { "/a\0b", 4 } };
    ken_catalog_row row;
    for (int i = 0; i < 3; i++)
        kt_status(ken_catalog_add(c, roots[i], KEN_STR(""), 1, &arena, &row, &err), KEN_EINVAL);
    row = add(c, "/", "", 1);
    kt_eq_text(row.name, "/");
    ken_catalog_close(c);
}

CATALOG_TEST(several_processes_add_one_row_per_root)
{
    enum {
        N_PROCESSES = 4,
        N_ROOTS = 20
    };
    pid_t pids[N_PROCESSES];
    (void)catalog_path(); // its folder is the parent's
    for (int p = 0; p < N_PROCESSES; p++) {
        pids[p] = fork();
        kt_true(pids[p] >= 0);
        if (pids[p])
            continue;
        ken_catalog *c = NULL;
        ken_status st = open_catalog_in_child(&c);
        for (int i = 0; !st && i < N_ROOTS; i++) {
            char root[32];
            snprintf(root, sizeof root, "/root/%d", i);
            ken_catalog_row row;
            st = ken_catalog_add(c, ken_str_c(root), KEN_STR(""), 1, &arena, &row, &err);
        }
        if (st)
            fprintf(stderr, "child: %s\n", err.msg);
        _exit(st != KEN_OK);
    }
    for (int p = 0; p < N_PROCESSES; p++) {
        int status = 0;
        kt_true(waitpid(pids[p], &status, 0) == pids[p]);
        kt_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    ken_catalog *c = open_catalog_as(true);
    ken_catalog_row *rows;
    size_t n;
    kt_ok(ken_catalog_list(c, &arena, &rows, &n, &err));
    kt_eq_u(n, N_ROOTS);
    ken_catalog_close(c);
}

CATALOG_TEST(catalog_knows_models)
{
    ken_catalog *c = open_catalog();
    ken_model_record *list = NULL, m = { 0 },
                     mine = { .id = KEN_STR("mine-1.5"),
                              .provider = KEN_STR("onnx"),
                              .source = KEN_STR("file:///x/m.onnx"),
                              .tokenizer_source = KEN_STR("/x/vocab.txt"),
                              .query_prefix = KEN_STR("q: "),
                              .license = KEN_STR("LicenseRef-house"),
                              .dims = 384,
                              .status = KEN_MODEL_PENDING };
    size_t n = 0;
    static const char *const ids[] = { "builtin", "all-MiniLM-L6-v2", "all-mpnet-base-v2",
                                       "bge-small-en-v1.5", "nomic-embed-text" };
    static const uint64_t dims[] = { 0, 384, 768, 384, 768 };
    static const char *const licenses[] = { "MIT", "Apache-2.0", "Apache-2.0", "MIT",
                                            "Apache-2.0" };
    kt_ok_err(ken_catalog_list_models(c, &arena, &list, &n, &err), &err);
    kt_eq_u(n, 5);
    for (size_t i = 0; i < n; i++) {
        kt_eq_text(list[i].id, ids[i]);
        kt_eq_u(list[i].dims, dims[i]);
        kt_eq_text(list[i].license, licenses[i]);
        kt_true(list[i].is_preloaded);
        kt_eq_u(list[i].status, i ? KEN_MODEL_PENDING : KEN_MODEL_READY);
    }
    kt_eq_u(list[0].path.len, 0);
    kt_eq_text(list[3].pooling, "cls");
    kt_has_str(list[4].path.ptr, "models/nomic-embed-text/model.onnx");
    kt_ok_err(ken_catalog_put_model(c, &mine, &err), &err);
    mine.status = KEN_MODEL_READY;
    kt_ok_err(ken_catalog_put_model(c, &mine, &err), &err); // replaces
    kt_ok_err(ken_catalog_find_model(c, mine.id, &arena, &m, &err), &err);
    kt_eq_u(m.status, KEN_MODEL_READY);
    kt_eq_text(m.query_prefix, "q: ");
    kt_eq_text(m.license, "LicenseRef-house");
    kt_eq_u(m.dims, 384);
    kt_has_str(m.tokenizer_path.ptr, "models/mine-1.5/vocab.txt");
    kt_false(m.is_preloaded);
    kt_ok(ken_catalog_remove_model(c, mine.id, &err));
    kt_status(ken_catalog_remove_model(c, mine.id, &err), KEN_ENOTFOUND);
    kt_status(ken_catalog_find_model(c, mine.id, &arena, &m, &err), KEN_ENOTFOUND);
    static const char *const bad[] = { "", "..", ".x", "a/b", "a b", "a\xc3\xa9" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        mine.id = ken_str_c(bad[i]);
        kt_status(ken_catalog_put_model(c, &mine, &err), KEN_EINVAL);
    }
    ken_catalog_close(c);
}

CATALOG_TEST(catalog_keeps_values)
{
    ken_catalog *c = open_catalog();
    const ken_str name = KEN_STR("rules.project");
    ken_str value = { 0 };
    kt_status(ken_catalog_load_value(c, name, &arena, &value, &err), KEN_ENOTFOUND);
    kt_ok_err(ken_catalog_put_value(c, name, KEN_STR("one"), &err), &err);
    kt_ok_err(ken_catalog_put_value(c, name, KEN_STR("two \xe2\x82\xac"), &err), &err);
    ken_catalog_close(c);

    c = open_catalog_as(true);
    kt_ok_err(ken_catalog_load_value(c, name, &arena, &value, &err), &err);
    kt_eq_text(value, "two \xe2\x82\xac");
    kt_status(ken_catalog_put_value(c, name, KEN_STR("x"), &err), KEN_EPERM);
    ken_catalog_close(c);

    c = open_catalog();
    kt_ok_err(ken_catalog_put_value(c, name, KEN_STR(""), &err), &err); // empty is a value
    kt_ok_err(ken_catalog_load_value(c, name, &arena, &value, &err), &err);
    kt_eq_u(value.len, 0);
    kt_ok_err(ken_catalog_put_value(c, name, (ken_str){ 0 }, &err), &err);
    kt_status(ken_catalog_load_value(c, name, &arena, &value, &err), KEN_ENOTFOUND);
    kt_ok_err(ken_catalog_put_value(c, name, (ken_str){ 0 }, &err), &err);
    ken_catalog_close(c);
}

enum {
    N_WRITERS = 4,
    N_LETTERS = 20 // that each adds
};

// A letter more. Fails where the text is too long.
static ken_status add_letter(void *ctx, ken_str was, ken_str *out, ken_err *why)
{
    static _Thread_local char text[N_WRITERS * N_LETTERS + 1];
    if (was.len >= sizeof text)
        return KEN_FAIL(why, KEN_ELIMIT, "too long");
    memcpy(text, was.len ? was.ptr : "", was.len);
    text[was.len] = *(const char *)ctx;
    *out = ken_str_n(text, was.len + 1);
    return KEN_OK;
}

typedef struct letters {
    ken_catalog *c;
    char letter;
    ken_err err;
} letters;

static void *add_letters(void *arg)
{
    letters *l = arg;
    ken_status st = KEN_OK;
    for (int i = 0; i < N_LETTERS && !st; i++)
        st = ken_catalog_change_value(l->c, KEN_STR("letters"), add_letter, &l->letter, &l->err);
    return NULL;
}

CATALOG_TEST(catalog_changes_a_value_without_losing_another_change)
{
    letters l[N_WRITERS] = { { .c = NULL } };
    pthread_t threads[N_WRITERS];
    size_t seen[N_WRITERS] = { 0 };
    char z[] = "z";
    ken_str value = { 0 };
    for (int i = 0; i < N_WRITERS; i++)
        l[i] = (letters){ .c = open_catalog(), .letter = (char)('a' + i) };
    for (int i = 0; i < N_WRITERS; i++)
        kt_eq_i(pthread_create(&threads[i], NULL, add_letters, &l[i]), 0);
    for (int i = 0; i < N_WRITERS; i++) {
        kt_eq_i(pthread_join(threads[i], NULL), 0);
        kt_eq_str(l[i].err.msg, "");
    }
    kt_ok_err(ken_catalog_load_value(l[0].c, KEN_STR("letters"), &arena, &value, &err), &err);
    kt_eq_u(value.len, (size_t)N_WRITERS * N_LETTERS);
    for (size_t i = 0; i < value.len; i++)
        seen[value.ptr[i] - 'a']++;
    for (int i = 0; i < N_WRITERS; i++)
        kt_eq_u(seen[i], N_LETTERS);
    // What fails changes nothing.
    kt_ok_err(ken_catalog_change_value(l[0].c, KEN_STR("letters"), add_letter, z, &err), &err);
    kt_status(ken_catalog_change_value(l[0].c, KEN_STR("letters"), add_letter, z, &err),
              KEN_ELIMIT);
    kt_ok_err(ken_catalog_load_value(l[1].c, KEN_STR("letters"), &arena, &value, &err), &err);
    kt_eq_u(value.len, (size_t)N_WRITERS * N_LETTERS + 1);
    for (int i = 0; i < N_WRITERS; i++)
        ken_catalog_close(l[i].c);
}

CATALOG_TEST(catalog_refuses_bad_values)
{
    ken_catalog *c = open_catalog();
    char *large = ken_zalloc(65 * 1024 + 1);
    memset(large, 'v', 65 * 1024);
    kt_status(ken_catalog_put_value(c, KEN_STR(""), KEN_STR("v"), &err), KEN_EINVAL);
    kt_status(ken_catalog_put_value(c, ken_str_n(large, 129), KEN_STR("v"), &err), KEN_EINVAL);
    kt_status(ken_catalog_put_value(c, KEN_STR("n"), KEN_STR("a\0b"), &err), KEN_EINVAL);
    kt_has_str(err.msg, "'n'");
    kt_status(ken_catalog_put_value(c, KEN_STR("n"), ken_str_c(large), &err), KEN_ELIMIT);
    kt_has_str(err.msg, "65536");
    ken_free(large);
    ken_catalog_close(c);
}

// A worktree whose files are in the index of another project.
CATALOG_TEST(a_project_may_share_an_index)
{
    ken_catalog *c = open_catalog();
    ken_catalog_row host = add(c, "/host", "", 1), guest = add(c, "/guest", "", 1);
    kt_ok_err(ken_catalog_share(c, guest.id, host.id, &err), &err);
    kt_ok_err(ken_catalog_find_by_id(c, guest.id, &arena, &guest, &err), &err);
    kt_true(ken_uuid_eq(guest.index_of, host.id));
    is_index_of(guest.db_path, host.id);
    is_index_of(guest.notes_path, guest.id);
    kt_ok_err(ken_catalog_share(c, guest.id, guest.id, &err), &err);
    kt_ok_err(ken_catalog_find_by_id(c, guest.id, &arena, &guest, &err), &err);
    is_index_of(guest.db_path, guest.id);
    kt_status(ken_catalog_share(c, (ken_uuid){ { 1 } }, host.id, &err), KEN_ENOTFOUND);
    ken_catalog_close(c);
}

CATALOG_TEST(a_known_index_becomes_a_project_once)
{
    ken_catalog *c = open_catalog();
    const ken_uuid id = ken_uuid_random();
    ken_catalog_row row = add(c, "/taken", "", 1);
    kt_ok_err(ken_catalog_add_as(c, id, KEN_STR("/new"), KEN_STR("n"), 7, &arena, &row, &err),
              &err);
    kt_true(ken_uuid_eq(row.id, id));
    kt_eq_text(row.name, "n");
    kt_eq_i(row.created_at_ms, 7);
    kt_status(ken_catalog_add_as(c, id, KEN_STR("/other"), KEN_STR(""), 7, &arena, &row, &err),
              KEN_EEXIST);
    kt_status(ken_catalog_add_as(c, ken_uuid_random(), KEN_STR("/taken"), KEN_STR(""), 7, &arena,
                                 &row, &err),
              KEN_EEXIST);
    uint64_t n_projects = 0, n_tasks = 1;
    kt_ok_err(ken_catalog_count(c, &n_projects, &n_tasks, &err), &err);
    kt_eq_u(n_projects, 2);
    kt_eq_u(n_tasks, 0);
    ken_catalog_close(c);
}

CATALOG_TEST(who_may_only_read_changes_nothing)
{
    ken_catalog *c = open_catalog();
    ken_catalog_row row = add(c, "/p", "", 1);
    ken_catalog_close(c);
    c = open_catalog_as(true);
    kt_ok_err(ken_catalog_find_by_root(c, KEN_STR("/p"), &arena, &row, &err), &err);
    kt_status(ken_catalog_remove(c, row.id, &err), KEN_EPERM);
    kt_status(ken_catalog_add(c, KEN_STR("/q"), KEN_STR(""), 1, &arena, &row, &err), KEN_EPERM);
    kt_ok(ken_catalog_add(c, KEN_STR("/p"), KEN_STR(""), 1, &arena, &row, &err)); // it is there
    ken_catalog_close(c);
}

// A name of a folder need not be UTF-8, nor short.
CATALOG_TEST(a_root_is_bytes)
{
    ken_catalog *c = open_catalog();
    char *longest = ken_zalloc(16 * 1024 + 1);
    memset(longest, 'x', 16 * 1024);
    longest[0] = '/';
    ken_catalog_row row = add(c, "/caf\xe9", "", 1), again = add(c, "/caf\xe9", "", 2);
    kt_eq_text(row.root, "/caf\xe9");
    kt_true(ken_uuid_eq(row.id, again.id));
    row = add(c, longest, "long", 1);
    kt_eq_text(row.root, longest);
    ken_free(longest);
    ken_catalog_close(c);
}
