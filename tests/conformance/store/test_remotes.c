// SPDX-License-Identifier: MIT
// What every backend of the catalog must do with remote repositories.
#include <unistd.h>

#include "conformance/store/catalog_matrix.h"
#include "store/remotes.h"

#define COMMIT "0123456789abcdef0123456789abcdef01234567"

static ken_uuid add_project(ken_catalog *c, const char *root)
{
    ken_catalog_row row = { .is_active = false };
    kt_ok_err(ken_catalog_add(c, ken_str_c(root), KEN_STR(""), 1, &arena, &row, &err), &err);
    return row.id;
}

static ken_remote remote_of(ken_uuid project, const char *url, const char *branch)
{
    return (ken_remote){ .project = project,
                         .url = ken_str_c(url),
                         .branch = ken_str_c(branch),
                         .sparse = KEN_STR("src\ndocs/a b"),
                         .depth = UINT32_MAX,
                         .interval_s = 900 };
}

static void put(ken_catalog *c, const ken_remote *r)
{
    kt_ok_err(ken_catalog_put_remote(c, r, &err), &err);
}

static void set_synced(ken_catalog *c, ken_uuid project, const char *branch)
{
    const ken_remote r = { .project = project,
                           .branch = ken_str_c(branch),
                           .commit = KEN_STR(COMMIT),
                           .synced_at_ms = 17,
                           .tried_at_ms = 18,
                           .n_failures = 3,
                           .error = KEN_STR("no route to host") };
    kt_ok_err(ken_catalog_set_remote_synced(c, &r, &err), &err);
}

static ken_remote find(ken_catalog *c, ken_uuid project)
{
    ken_remote r = { .depth = 0 };
    kt_ok_err(ken_catalog_find_remote(c, project, &arena, &r, &err), &err);
    return r;
}

static size_t count(ken_catalog *c)
{
    ken_remote *rows = NULL;
    size_t n = 0;
    kt_ok_err(ken_catalog_list_remotes(c, &arena, &rows, &n, &err), &err);
    return n;
}

static void is_never_synced(const ken_remote *r)
{
    kt_eq_u(r->commit.len + r->error.len + r->n_failures, 0);
    kt_eq_i(r->synced_at_ms + r->tried_at_ms, 0);
}

static void is_synced(const ken_remote *r)
{
    kt_eq_text(r->commit, COMMIT);
    kt_eq_i(r->synced_at_ms, 17);
    kt_eq_i(r->tried_at_ms, 18);
    kt_eq_u(r->n_failures, 3);
    kt_eq_text(r->error, "no route to host");
}

CATALOG_TEST(remotes_are_kept_with_what_syncs_found)
{
    ken_catalog *c = open_catalog();
    ken_uuid b = add_project(c, "/x/b"), a = add_project(c, "/x/a");
    ken_remote of_a = remote_of(a, "https://example.com/a.git", ""), r, *rows = NULL;
    ken_remote of_b = remote_of(b, "ssh://git@example.com/b", "main");
    size_t n = 0;
    kt_status(ken_catalog_find_remote(c, a, &arena, &r, &err), KEN_ENOTFOUND);
    put(c, &of_b);
    put(c, &of_a);
    r = find(c, a);
    is_never_synced(&r);
    set_synced(c, a, "trunk");
    ken_catalog_close(c);

    c = open_catalog();
    kt_ok_err(ken_catalog_list_remotes(c, &arena, &rows, &n, &err), &err);
    kt_eq_u(n, 2);
    kt_true(ken_uuid_eq(rows[0].project, a) && ken_uuid_eq(rows[1].project, b));
    kt_eq_text(rows[0].url, "https://example.com/a.git");
    kt_eq_text(rows[0].branch, "trunk"); // none was said: a sync named it
    kt_true(rows[0].follows_default && !rows[1].follows_default);
    kt_eq_text(rows[0].sparse, "src\ndocs/a b");
    kt_eq_u(rows[0].depth, UINT32_MAX);
    kt_eq_u(rows[0].interval_s, 900);
    is_synced(&rows[0]);
    kt_eq_text(rows[1].branch, "main");
    is_never_synced(&rows[1]);

    kt_ok_err(ken_catalog_remove_remote(c, a, &err), &err);
    kt_status(ken_catalog_remove_remote(c, a, &err), KEN_ENOTFOUND);
    kt_status(ken_catalog_find_remote(c, a, &arena, &r, &err), KEN_ENOTFOUND);
    put(c, &of_a); // nothing of the one that was removed
    r = find(c, a);
    is_never_synced(&r);
    ken_catalog_close(c);
}

// Other settings of the same clone leave what is known of it; another url or branch is another clone.
CATALOG_TEST(a_remote_is_changed)
{
    ken_catalog *c = open_catalog();
    ken_uuid p = add_project(c, "/p");
    ken_remote said = remote_of(p, "https://example.com/a", ""), r;
    put(c, &said);
    set_synced(c, p, "main");
    said.interval_s = 0;
    said.sparse = KEN_STR("");
    put(c, &said);
    r = find(c, p);
    kt_eq_u(r.interval_s, 0);
    kt_eq_u(r.sparse.len, 0);
    is_synced(&r);
    r.depth = 1; // as it was read, with the branch that was found
    put(c, &r);
    r = find(c, p);
    kt_eq_text(r.branch, "main");
    is_synced(&r);

    r.branch = KEN_STR("next");
    put(c, &r);
    r = find(c, p);
    kt_eq_text(r.branch, "next");
    is_never_synced(&r);
    set_synced(c, p, "next");
    r.url = KEN_STR("https://example.com/b");
    put(c, &r);
    r = find(c, p);
    kt_eq_text(r.url, "https://example.com/b");
    is_never_synced(&r);
    ken_catalog_close(c);
}

CATALOG_TEST(a_remote_is_of_one_project)
{
    ken_catalog *c = open_catalog();
    const char *url = "https://example.com/a";
    ken_uuid a = add_project(c, "/a"), b = add_project(c, "/b");
    ken_remote first = remote_of(a, url, ""), same = remote_of(b, url, "");
    const ken_remote of_none = remote_of(ken_uuid_of(KEN_STR("none")), "https://x.org/", "");
    put(c, &first);
    kt_status(ken_catalog_put_remote(c, &same, &err), KEN_EEXIST);
    kt_has_str(err.msg, "'a'");
    same.branch = KEN_STR("main"); // not known to be the other's
    put(c, &same);
    same.branch = KEN_STR("dev");
    put(c, &same);
    set_synced(c, a, "main");
    same.branch = KEN_STR("main");
    kt_status(ken_catalog_put_remote(c, &same, &err), KEN_EEXIST);
    same.sparse = KEN_STR("docs");
    put(c, &same);
    kt_status(ken_catalog_put_remote(c, &of_none, &err), KEN_ENOTFOUND);
    kt_status(ken_catalog_set_remote_synced(c, &of_none, &err), KEN_ENOTFOUND);
    kt_eq_u(count(c), 2);

    kt_ok_err(ken_catalog_remove(c, a, &err), &err);
    kt_eq_u(count(c), 1);
    first = remote_of(b, url, "");
    put(c, &first);
    ken_catalog_close(c);
}

typedef struct bad {
    ken_remote r;
    ken_status st;
    const char *says;
} bad;

static void is_refused(ken_catalog *c, const bad *cases, size_t n)
{
    ken_uuid p = add_project(c, "/p");
    for (size_t i = 0; i < n; i++) {
        ken_remote r = cases[i].r;
        r.project = p;
        r.url = r.url.ptr ? r.url : KEN_STR("https://example.com/a");
        kt_status(ken_catalog_put_remote(c, &r, &err), cases[i].st);
        kt_has_str(err.msg, cases[i].says);
        kt_true(!strstr(err.msg, "hunter2"));
    }
    kt_eq_u(count(c), 0);
}

CATALOG_TEST(bad_remotes_are_refused)
{
    static char long_text[KEN_REMOTE_SPARSE_MAX + 1];
    memset(long_text, 'x', sizeof long_text);
    const bad cases[] = {
        { { .url = KEN_STR("") }, KEN_EINVAL, "'url'" },
        { { .url = { long_text, 2049 } }, KEN_ELIMIT, "2048" },
        { { .url = KEN_STR("https://a/b\nc") }, KEN_EINVAL, "0x0a" },
        { { .url = KEN_STR("https://a/b\0c") }, KEN_EINVAL, "0x00" },
        { { .url = KEN_STR("--upload-pack=x") }, KEN_EINVAL, "'--upload-pack=x'" },
        { { .url = KEN_STR("https://u:hunter2@example.com/a") }, KEN_EINVAL, "password" },
        { { .url = KEN_STR("https://ghp_"
                           "9fQ2kX7bLm4ZtR8sWv3YcN6dHj1GpA5eUo0B@github.com/a") },
          KEN_EINVAL,
          "token" },
        { { .branch = { long_text, 256 } }, KEN_ELIMIT, "255" },
        { { .branch = KEN_STR("a\nb") }, KEN_EINVAL, "'branch'" },
        { { .branch = KEN_STR("-b") }, KEN_EINVAL, "'-b'" },
        { { .sparse = { long_text, sizeof long_text } }, KEN_ELIMIT, "16384" },
        { { .sparse = KEN_STR("a\n\nb") }, KEN_EINVAL, "line 2" },
        { { .sparse = KEN_STR("a\n") }, KEN_EINVAL, "line 2" },
        { { .sparse = KEN_STR("a\tb") }, KEN_EINVAL, "0x09" },
    };
    ken_catalog *c = open_catalog();
    is_refused(c, cases, sizeof cases / sizeof *cases);
    const char *good[] = { "git@example.com:a/b.git", "ssh://git@example.com:2222/~u/a@b.git",
                           "https://[::1]:8080/a:b@c", "file:///srv/git/my repository" };
    ken_uuid p = add_project(c, "/p");
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        const ken_remote r = remote_of(p, good[i], "feature/a");
        put(c, &r);
    }
    ken_catalog_close(c);
}

CATALOG_TEST(what_syncs_found_is_checked)
{
    ken_catalog *c = open_catalog();
    ken_uuid p = add_project(c, "/p");
    ken_remote r = remote_of(p, "https://example.com/a", "");
    put(c, &r);
    const bad cases[] = {
        { { .commit = KEN_STR("main") }, KEN_EINVAL, "'main'" },
        { { .commit = KEN_STR("0123456789ABCDEF0123456789abcdef01234567") }, KEN_EINVAL, "small" },
        { { .synced_at_ms = -1 }, KEN_EINVAL, "-1" },
        { { .tried_at_ms = -2 }, KEN_EINVAL, "-2" },
        { { .branch = KEN_STR("a\nb") }, KEN_EINVAL, "'branch'" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        r = cases[i].r;
        r.project = p;
        kt_status(ken_catalog_set_remote_synced(c, &r, &err), cases[i].st);
        kt_has_str(err.msg, cases[i].says);
    }
    char text[4000];
    memset(text, 'x', sizeof text);
    memcpy(text, "https://u:hunter2hunter2!@example.com", 37);
    r = (ken_remote){ .project = p, .error = { text, sizeof text } };
    kt_ok_err(ken_catalog_set_remote_synced(c, &r, &err), &err);
    r = find(c, p);
    kt_eq_u(r.error.len, KEN_REMOTE_ERROR_MAX);
    kt_eq_u(ken_str_find(r.error, KEN_STR("hunter2")), SIZE_MAX);
    ken_catalog_close(c);
}

// People said it: a database that is lost gets it back from its journal, with the project as it was last.
// What a sync found is found again.
CATALOG_TEST(remotes_survive_a_lost_database)
{
    if (is_postgres())
        return; // its server's log is its journal
    ken_catalog *c = open_catalog();
    ken_uuid kept = add_project(c, "/kept"), bare = add_project(c, "/bare"),
             gone = add_project(c, "/gone");
    ken_remote a = remote_of(kept, "https://example.com/a", ""), found;
    ken_remote b = remote_of(bare, "https://example.com/b", "");
    ken_remote g = remote_of(gone, "https://example.com/g", "");
    ken_catalog_row row;
    put(c, &a);
    put(c, &b);
    put(c, &g);
    set_synced(c, kept, "main");
    kt_ok_err(ken_catalog_add(c, KEN_STR("/kept"), KEN_STR("renamed"), 1, &arena, &row, &err),
              &err);
    kt_ok_err(ken_catalog_remove_remote(c, bare, &err), &err);
    kt_ok_err(ken_catalog_remove(c, gone, &err), &err);
    found = find(c, kept);
    is_synced(&found);
    ken_catalog_close(c);
    kt_eq_i(unlink(catalog_path()), 0);

    c = open_catalog();
    kt_eq_u(count(c), 1);
    found = find(c, kept);
    kt_eq_text(found.url, "https://example.com/a");
    kt_eq_text(found.sparse, "src\ndocs/a b");
    kt_eq_u(found.depth, UINT32_MAX);
    kt_eq_u(found.interval_s, 900);
    is_never_synced(&found);
    kt_ok_err(ken_catalog_find_by_id(c, kept, &arena, &row, &err), &err);
    kt_eq_text(row.name, "renamed");
    kt_ok_err(ken_catalog_find_by_id(c, bare, &arena, &row, &err), &err);
    bool agrees = false;
    kt_ok_err(ken_catalog_verify(c, &agrees, &err), &err);
    kt_true(agrees);
    ken_catalog_close(c);
}
