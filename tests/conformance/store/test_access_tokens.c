// SPDX-License-Identifier: MIT
// What every backend of the catalog must do with access tokens.
#include <unistd.h>

#include "conformance/store/catalog_matrix.h"
#include "model/grant.h"
#include "store/access_tokens.h"

static ken_access_token token_of(const char *name)
{
    return (ken_access_token){ .id = ken_uuid_of(ken_str_c(name)),
                               .name = ken_str_c(name),
                               .hash = ken_sha256_of(name, 3),
                               .scopes = KEN_SCOPE_F_READ | KEN_SCOPE_F_WRITE,
                               .created_at_ms = 17 };
}

static size_t list(ken_catalog *c, ken_access_token **out)
{
    size_t n = 0;
    kt_ok_err(ken_catalog_list_tokens(c, &arena, out, &n, &err), &err);
    return n;
}

CATALOG_TEST(tokens_are_kept_by_name)
{
    ken_catalog *c = open_catalog();
    ken_access_token *rows = NULL, ci = token_of("ci"), all = token_of("all");
    kt_eq_u(list(c, &rows), 0);
    ci.is_bound = true;
    ci.project = ken_uuid_of(KEN_STR("p"));
    ci.expires_at_ms = 99;
    kt_ok_err(ken_catalog_add_token(c, &ci, &err), &err);
    kt_ok_err(ken_catalog_add_token(c, &all, &err), &err);
    ken_catalog_close(c);

    c = open_catalog();
    kt_eq_u(list(c, &rows), 2);
    kt_eq_text(rows[0].name, "all");
    kt_false(rows[0].is_bound);
    kt_eq_i(rows[0].expires_at_ms, 0);
    kt_eq_text(rows[1].name, "ci");
    kt_true(ken_uuid_eq(rows[1].id, ci.id));
    kt_eq_mem(rows[1].hash.bytes, 32, ci.hash.bytes, 32);
    kt_eq_u(rows[1].scopes, ci.scopes);
    kt_true(rows[1].is_bound && ken_uuid_eq(rows[1].project, ci.project));
    kt_eq_i(rows[1].created_at_ms, 17);
    kt_eq_i(rows[1].expires_at_ms, 99);

    kt_ok_err(ken_catalog_remove_token(c, ci.id, &err), &err);
    kt_status(ken_catalog_remove_token(c, ci.id, &err), KEN_ENOTFOUND);
    kt_eq_u(list(c, &rows), 1);
    ken_catalog_close(c);
}

CATALOG_TEST(bad_tokens_are_refused)
{
    ken_catalog *c = open_catalog();
    ken_access_token t = token_of("ci"), *rows = NULL;
    kt_ok_err(ken_catalog_add_token(c, &t, &err), &err);
    t.id = ken_uuid_of(KEN_STR("another"));
    t.hash = ken_sha256_of("another", 7);
    kt_status(ken_catalog_add_token(c, &t, &err), KEN_EEXIST);
    kt_has_str(err.msg, "'ci'");
    t.name = KEN_STR("");
    kt_status(ken_catalog_add_token(c, &t, &err), KEN_EINVAL);
    t.name = KEN_STR("other");
    t.scopes = 0;
    kt_status(ken_catalog_add_token(c, &t, &err), KEN_EINVAL);
    t.scopes = 1 << 9;
    kt_status(ken_catalog_add_token(c, &t, &err), KEN_EINVAL);
    kt_eq_u(list(c, &rows), 1);
    ken_catalog_close(c);
}

// They were made by people: a database that is lost gets them back from its journal, and one that was
// revoked stays so.
CATALOG_TEST(tokens_survive_a_lost_database)
{
    if (is_postgres())
        return; // its server's log is its journal
    ken_catalog *c = open_catalog();
    ken_access_token kept = token_of("kept"), gone = token_of("gone"), *rows = NULL;
    kt_ok_err(ken_catalog_add_token(c, &kept, &err), &err);
    kt_ok_err(ken_catalog_add_token(c, &gone, &err), &err);
    kt_ok_err(ken_catalog_remove_token(c, gone.id, &err), &err);
    ken_catalog_close(c);
    kt_eq_i(unlink(catalog_path()), 0);
    c = open_catalog();
    kt_eq_u(list(c, &rows), 1);
    kt_eq_text(rows[0].name, "kept");
    kt_eq_mem(rows[0].hash.bytes, 32, kept.hash.bytes, 32);
    ken_catalog_close(c);
}

CATALOG_TEST(there_is_a_limit)
{
    ken_catalog *c = open_catalog();
    ken_status st = KEN_OK;
    size_t n = 0;
    for (; is_bare() && !st && n <= KEN_ACCESS_TOKENS_MAX; n++) {
        char name[20];
        snprintf(name, sizeof name, "%03zx", n);
        ken_access_token t = token_of(name);
        st = ken_catalog_add_token(c, &t, &err);
    }
    if (is_bare()) { // a decorator has no limits of its own, and each row is synced
        kt_status(st, KEN_ELIMIT);
        kt_eq_u(n, KEN_ACCESS_TOKENS_MAX + 1);
    }
    ken_catalog_close(c);
}
