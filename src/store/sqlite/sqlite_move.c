// SPDX-License-Identifier: MIT
// What an exact copy needs: keys of contents, numbers that are passed over, all values, whole tasks.
#include "store/sqlite/sqlite_tasks_priv.h"

// ---- an index ----------------------------------------------------------------------------------

static ken_status read_key(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out, ken_err *err)
{
    (void)arena;
    bool is_bad = false;
    ken_content_key key = {
        .lang = (uint16_t)ken_store__sq_u64(st, 1, UINT16_MAX, &is_bad),
        .feature = (uint32_t)ken_store__sq_u64(st, 2, UINT32_MAX, &is_bad),
    };
    if (is_bad || !ken_store__sq_fixed(st, 0, key.sha.bytes, sizeof key.sha.bytes))
        return SQ_CORRUPT(q, err, "the key of a content makes no sense");
    *(ken_content_key *)out = key;
    return KEN_OK;
}

ken_status ken_store__sq_load_key(ken_store_backend *b, int64_t content, ken_content_key *out,
                                  ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_CONTENT_KEY, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_INT(content)));
    return ken_store__sq_one(q, st, read_key, NULL, out, err);
}

static ken_str table_of(ken_store_clock clock)
{
    return clock == KEN_STORE_CONTENT_IDS ? KEN_STR("content") : KEN_STR("segment");
}

ken_status ken_store__sq_load_last(ken_store_backend *b, ken_store_clock clock, int64_t *out,
                                   ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_checkpoint_state state = { 0 };
    ken_status s = KEN_OK;
    if (clock == KEN_STORE_CHECKPOINT_REVS) {
        s = ken_store__sq_load_checkpoint_state(b, &state, err);
        *out = (int64_t)state.rev;
        return s;
    }
    s = ken_store__sq_get(q, KEN_SQ_SEQUENCE_LAST, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_TEXT(table_of(clock))));
    return ken_store__sq_load_number(q, st, NULL, out, err);
}

ken_status ken_store__sq_skip_to(ken_store_backend *b, ken_store_clock clock, int64_t last,
                                 ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    if (clock == KEN_STORE_CHECKPOINT_REVS)
        return ken_store__sq_write(q, KEN_SQ_CHECKPOINT_SKIP, SQ_VALUES(SQ_INT(last)), err);
    const ken_str table = table_of(clock);
    ken_status s = ken_store__sq_write(q, KEN_SQ_SEQUENCE_ADD, SQ_VALUES(SQ_TEXT(table)), err);
    return s ? s
             : ken_store__sq_write(q, KEN_SQ_SEQUENCE_SKIP, SQ_VALUES(SQ_TEXT(table), SQ_INT(last)),
                                   err);
}

// ---- values ------------------------------------------------------------------------------------

static ken_status read_value(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out, ken_err *err)
{
    (void)q, (void)err;
    *(ken_catalog_value *)out = (ken_catalog_value){ .name = ken_store__sq_keep(st, 0, arena),
                                                     .value = ken_store__sq_keep(st, 1, arena) };
    return KEN_OK;
}

ken_status ken_store__catalog_list_values(ken_catalog_backend *b, ken_arena *arena,
                                          ken_catalog_value **out, size_t *out_n, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__catalog_get(c, KEN_SQ_SETTING_LIST, &st, err);
    return s ? s : SQ_ROWS(&c->q, st, read_value, arena, out, out_n, err);
}

// ---- tasks -------------------------------------------------------------------------------------

static ken_status put_links(ken_sq_catalog *c, int64_t id, const ken_task *t, ken_err *err)
{
    ken_sq *q = &c->q;
    ken_status s = KEN_OK;
    for (size_t i = 0; !s && i < t->n_references; i++) {
        const ken_task_reference *r = &t->references[i];
        s = ken_store__sq_write(
            q, KEN_SQ_TASK_REFERENCE_ADD,
            SQ_VALUES(SQ_INT(id), SQ_TEXT(r->path), SQ_TEXT(r->type), SQ_INT(r->at_ms)), err);
    }
    for (size_t i = 0; !s && i < t->n_branches; i++)
        s = ken_store__sq_write(
            q, KEN_SQ_TASK_BRANCH_ADD,
            SQ_VALUES(SQ_INT(id), SQ_TEXT(t->branches[i].name), SQ_INT(t->branches[i].at_ms)), err);
    for (size_t i = 0; !s && i < t->n_commits; i++) {
        const ken_task_commit *m = &t->commits[i];
        s = ken_store__sq_write(
            q, KEN_SQ_TASK_COMMIT_ADD,
            SQ_VALUES(SQ_INT(id), SQ_TEXT(m->hash), SQ_SOME(m->message), SQ_INT(m->at_ms)), err);
    }
    for (size_t i = 0; !s && i < t->n_changes; i++) {
        const ken_task_change *h = &t->changes[i];
        s = ken_store__sq_write(
            q, KEN_SQ_TASK_CHANGE_ADD,
            SQ_VALUES(SQ_INT(id), SQ_SOME(h->from), SQ_TEXT(h->to), SQ_INT(h->at_ms)), err);
    }
    return s ? s
             : ken_store__sq_write(q, KEN_SQ_TASK_BRANCHES_MOVE,
                                   SQ_VALUES(SQ_INT(id), SQ_INT(t->rev)), err);
}

static ken_status put_task(ken_sq_catalog *c, const ken_task *t, ken_arena *arena, ken_err *err)
{
    ken_task old = { 0 };
    ken_status s = ken_store__task_by_uuid(c, t->uuid, arena, &old, err);
    if (!s)
        s = ken_store__drop_task(c, &old, err);
    if (s == KEN_ENOTFOUND)
        s = KEN_OK;
    if (s)
        return s;
    s = ken_store__sq_write(
        &c->q, KEN_SQ_TASK_ADD,
        SQ_VALUES(SQ_NULL, SQ_BYTES(t->uuid), SQ_INT(t->rev), SQ_TEXT(t->status),
                  t->has_project ? SQ_BYTES(t->project) : SQ_NULL, SQ_INT(t->created_at_ms),
                  SQ_INT(t->updated_at_ms), SQ_TEXT(t->title), SQ_SOME(t->description),
                  SQ_SOME(t->notes)),
        err);
    int64_t id = s ? 0 : sqlite3_last_insert_rowid(c->q.db);
    if (!s)
        s = put_links(c, id, t, err);
    if (!s)
        s = ken_store__count_task(c, t, err);
    return s ? s : ken_store__sq_note(&c->q, "task", json_integer(id), err);
}

ken_status ken_store__catalog_put_tasks(ken_catalog_backend *b, const ken_task *tasks, size_t n,
                                        int64_t last_rev, ken_err *err)
{
    ken_sq_catalog *c = ken_sq_catalog_of(b);
    ken_arena arena;
    ken_status s = ken_store__catalog_begin(c, err);
    if (s)
        return s;
    ken_arena_init(&arena, 0);
    for (size_t i = 0; !s && i < n; i++) {
        ken_arena_reset(&arena);
        s = put_task(c, &tasks[i], &arena, err);
    }
    if (!s)
        s = ken_store__sq_write(&c->q, KEN_SQ_TASK_CLOCK_SKIP, SQ_VALUES(SQ_INT(last_rev)), err);
    ken_arena_release(&arena);
    return ken_store__catalog_end(c, s, err);
}
