// SPDX-License-Identifier: MIT
// Schema versions. application_id marks a file as ours, user_version is its version; both are in the
// first page, so a current file costs two reads of it. Each step runs in one transaction with its
// number: a killed migration leaves the old version.
#include <embed_store_schema.h>
#include <stdio.h>

#include "store/sqlite/sqlite_priv.h"

static const unsigned char *const index_sql[] = {
    ken_embed_store_schema_0001_index_sqlite_sql,    ken_embed_store_schema_0002_refs_sqlite_sql,
    ken_embed_store_schema_0003_memory_sqlite_sql,   ken_embed_store_schema_0004_blocks_sqlite_sql,
    ken_embed_store_schema_0005_writes_sqlite_sql,   ken_embed_store_schema_0006_ctime_sqlite_sql,
    ken_embed_store_schema_0007_sections_sqlite_sql, ken_embed_store_schema_0008_trees_sqlite_sql,
};

static const ken_sq_group index_groups[] = {
    { "checkpoint",
      { { "checkpoint", "id" },
        { "checkpoint_tag", "checkpoint" },
        { "checkpoint_state", NULL } } },
};

const ken_sq_schema ken_store__sq_index_schema = {
    .application_id = 0x4b454e31, // "KEN1"
    .what = "index",
    .hint = "; 'ken index --force' makes a new one and keeps the damaged file",
    .sql = index_sql,
    .version = sizeof index_sql / sizeof *index_sql,
    .first_with_sums = 5,
    .groups = index_groups,
    .n_groups = sizeof index_groups / sizeof *index_groups,
    .after_restore = KEN_SQ_INDEX_RESTORED,
};

static const unsigned char *const catalog_sql[] = {
    ken_embed_store_schema_catalog_0001_sqlite_sql, ken_embed_store_schema_catalog_0002_sqlite_sql,
    ken_embed_store_schema_catalog_0003_sqlite_sql, ken_embed_store_schema_catalog_0004_sqlite_sql,
    ken_embed_store_schema_catalog_0005_sqlite_sql, ken_embed_store_schema_catalog_0006_sqlite_sql,
    ken_embed_store_schema_catalog_0007_sqlite_sql, ken_embed_store_schema_catalog_0008_sqlite_sql,
    ken_embed_store_schema_catalog_0009_sqlite_sql, ken_embed_store_schema_catalog_0010_sqlite_sql,
};

static const ken_sq_group catalog_groups[] = {
    { "project", { { "project", "id" }, { "remote", "project" } } },
    { "value", { { "setting", "name" } } },
    { "model", { { "model", "id" } } },
    { "task",
      { { "task", "id" },
        { "task_status_history", "task_id" },
        { "task_planning_reference", "task_id" },
        { "task_branch_link", "task_id" },
        { "task_commit_link", "task_id" },
        { "task_clock", NULL } } },
    { "token", { { "access_token", "id" } } },
};
_Static_assert(sizeof catalog_groups / sizeof *catalog_groups <= KEN_SQ_GROUPS, "room for all");

const ken_sq_schema ken_store__sq_catalog_schema = {
    .application_id = 0x4b454e50, // "KENP"
    .what = "project list",
    .hint = "; run 'ken restore': it makes a new one of the journal and keeps the damaged file",
    .sql = catalog_sql,
    .version = sizeof catalog_sql / sizeof *catalog_sql,
    .first_with_sums = 4,
    .groups = catalog_groups,
    .n_groups = sizeof catalog_groups / sizeof *catalog_groups,
    .after_restore = KEN_SQ_CATALOG_RESTORED,
    .keeps_backup = true,
};

static ken_status read_marks(ken_sq *q, int64_t *out_app, int64_t *out_version, ken_err *err)
{
    ken_status st = ken_store__sq_ask(q, KEN_SQ_APPLICATION_ID, NULL, out_app, err);
    return st ? st : ken_store__sq_ask(q, KEN_SQ_USER_VERSION, NULL, out_version, err);
}

// The same with the number of tables, in one transaction: another process may be making the file.
static ken_status read_whole_state(ken_sq *q, int64_t *out_app, int64_t *out_version,
                                   int64_t *out_n_tables, ken_err *err)
{
    bool is_own = sqlite3_get_autocommit(q->db);
    ken_status st = is_own ? ken_store__sq_exec(q, KEN_SQ_BEGIN_READ, err) : KEN_OK;
    if (st)
        return st;
    st = read_marks(q, out_app, out_version, err);
    if (!st)
        st = ken_store__sq_ask(q, KEN_SQ_COUNT_TABLES, NULL, out_n_tables, err);
    if (is_own)
        ken_store__sq_undo(q);
    return st;
}

ken_status ken_store__sq_check(ken_sq *q, int32_t *out_version, ken_err *err)
{
    const ken_sq_schema *our = q->schema;
    int64_t app = 0, version = 0, n_tables = 0;
    ken_status st = read_marks(q, &app, &version, err);
    if (!st && (app != our->application_id || version != our->version))
        st = read_whole_state(q, &app, &version, &n_tables, err);
    if (st)
        return st;
    bool is_empty = app == 0 && version == 0 && n_tables == 0;
    if (!is_empty && app != our->application_id)
        return SQ_CORRUPT(q, err, "it was made by another program");
    if (version > our->version)
        return KEN_FAIL(err, KEN_EVERSION,
                        "%s '%s' has schema version %lld, this program knows up to %d: "
                        "use a newer ken, or move the file away and index again",
                        our->what, q->path, (long long)version, our->version);
    if (!is_empty && version <= 0)
        return SQ_CORRUPT(q, err, "its schema version makes no sense");
    if (version >= our->first_with_sums && !ken_store__sq_has_sums(q->db))
        return SQ_CORRUPT(q, err, "its header says that pages have no checksums");
    *out_version = (int32_t)version;
    return KEN_OK;
}

// In a write transaction.
static ken_status upgrade(ken_sq *q, ken_err *err)
{
    int32_t version = 0;
    ken_status st = ken_store__sq_check(q, &version, err); // another process may have been faster
    if (st || version == q->schema->version)
        return st;
    for (int32_t v = version; v < q->schema->version; v++) {
        int rc = sqlite3_exec(q->db, (const char *)q->schema->sql[v], NULL, NULL, NULL);
        if (rc)
            return SQ_FAIL(q, rc, err, "opening");
    }
    char application[16], newest[16];
    snprintf(application, sizeof application, "%d", (int)q->schema->application_id);
    snprintf(newest, sizeof newest, "%d", (int)q->schema->version);
    const ken_sq_word words[] = { { "application", application },
                                  { "version", newest },
                                  { NULL, NULL } };
    return ken_store__sq_exec_filled(q, KEN_SQ_SET_MARKS, words, err);
}

int32_t ken_store_sqlite_schema(void)
{
    return ken_store__sq_index_schema.version;
}

ken_status ken_store__sq_upgrade(ken_sq *q, ken_err *err)
{
    ken_status st = ken_store__sq_exec(q, KEN_SQ_BEGIN_WRITE, err);
    if (st)
        return st;
    st = upgrade(q, err);
    if (!st)
        st = ken_store__sq_exec(q, KEN_SQ_COMMIT, err);
    if (st)
        ken_store__sq_undo(q);
    return st;
}
