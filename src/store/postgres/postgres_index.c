// SPDX-License-Identifier: MIT
// An index: opening it, its transactions, its working trees.
#include "base/alloc.h"
#include "store/postgres/postgres_index_priv.h"
#include "store/postgres/postgres_replica_priv.h"

// NULL for the first tree, whose project is all zeros.
static ken_pg_value id_of(const ken_uuid *project)
{
    return PG_IF(!ken_uuid_eq(*project, (ken_uuid){ { 0 } }), PG_UUID(*project));
}

// ---- trees -------------------------------------------------------------------------------------

typedef struct tree_mark {
    int64_t id, generation;
} tree_mark;

static ken_status read_mark(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)arena, (void)err;
    *(tree_mark *)out = (tree_mark){ ken_store__pg_i64(row, 0), ken_store__pg_i64(row, 1) };
    return KEN_OK;
}

static ken_status find_tree(ken_pg_index *x, ken_uuid project, tree_mark *out, ken_err *err)
{
    return ken_store__pg_one(&x->p, PG_QUERY(TREE_FIND, PG_INT(x->id), id_of(&project)), read_mark,
                             NULL, out, err);
}

// It begins with the files of the tree that was indexed last.
static ken_status add_tree(ken_pg_index *x, ken_uuid project, ken_err *err)
{
    int64_t id = 0;
    ken_status st = ken_store__pg_number(&x->p, PG_QUERY(TREE_NEXT_ID, PG_INT(x->id)), &id, err);
    if (!st)
        st = ken_store__pg_write(&x->p, KEN_PG_TREE_ADD,
                                 PG_VALUES(PG_INT(x->id), PG_INT(id), PG_UUID(project)), NULL, err);
    return st ? st
              : ken_store__pg_write(&x->p, KEN_PG_TREE_FILL, PG_VALUES(PG_INT(x->id), PG_INT(id)),
                                    NULL, err);
}

// One that was removed, and perhaps made anew, is not the one that was opened.
static ken_status check_tree(ken_pg_index *x, ken_err *err)
{
    tree_mark mark = { 0 };
    ken_status st = find_tree(x, x->project, &mark, err);
    if (st == KEN_ENOTFOUND || (!st && mark.id != x->tree))
        return KEN_FAIL(err, KEN_ENOTFOUND, "the tree in index '%s' was removed meanwhile",
                        x->p.name);
    x->generation = mark.generation;
    return st;
}

static ken_status read_tree(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)err;
    ken_tree_info t = {
        .is_first = ken_store__pg_i64(row, 0) == KEN_PG_FIRST_TREE,
        .generation = ken_store__pg_u64(row, 2, INT64_MAX),
        .at_ms = ken_store__pg_i64(row, 3),
        .root = ken_store__pg_keep(row, 4, arena),
        .n_files = ken_store__pg_u64(row, 5, INT64_MAX),
    };
    if (!t.is_first)
        ken_store__pg_fixed(row, 1, t.project.bytes, sizeof t.project.bytes);
    *(ken_tree_info *)out = t;
    return KEN_OK;
}

ken_status ken_store__pg_list_trees(ken_store_backend *b, ken_arena *arena, ken_tree_info **out,
                                    size_t *out_n, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    return PG_ROWS(&x->p, PG_QUERY(TREE_LIST, PG_INT(x->id)), read_tree, arena, out, out_n, err);
}

// The first tree stays, empty; of the others nothing does: what names them goes with them.
ken_status ken_store__pg_remove_tree(ken_store_backend *b, ken_uuid project, ken_err *err)
{
    static const ken_pg_stmt of_first[] = { KEN_PG_FILE_CLEAR, KEN_PG_SKIP_CLEAR,
                                            KEN_PG_SKIP_COUNT_CLEAR, KEN_PG_TREE_EMPTY };
    ken_pg_index *x = ken_pg_index_of(b);
    tree_mark mark = { 0 };
    ken_status st = ken_store__pg_flush(x, err);
    if (!st)
        st = find_tree(x, project, &mark, err);
    if (st)
        return st == KEN_ENOTFOUND ? KEN_OK : st;
    ken_store__pg_forget(&x->known_paths);
    bool is_first = mark.id == KEN_PG_FIRST_TREE;
    st = ken_store__pg_write(&x->p, KEN_PG_META_CLEAR, PG_VALUES(PG_INT(x->id), PG_INT(mark.id)),
                             NULL, err);
    for (size_t i = 0; !st && is_first && i < sizeof of_first / sizeof *of_first; i++)
        st = ken_store__pg_write(&x->p, of_first[i], PG_VALUES(PG_INT(x->id), PG_INT(mark.id)),
                                 NULL, err);
    if (!st && !is_first)
        st = ken_store__pg_write(&x->p, KEN_PG_TREE_REMOVE,
                                 PG_VALUES(PG_INT(x->id), PG_INT(mark.id)), NULL, err);
    return st;
}

// ---- transactions ------------------------------------------------------------------------------

static ken_status read_last(ken_pg *p, ken_pg_row *row, ken_arena *arena, void *out, ken_err *err)
{
    (void)p, (void)arena, (void)err;
    *(ken_pg_last *)out = (ken_pg_last){
        .content = ken_store__pg_i64(row, 0),
        .segment = ken_store__pg_i64(row, 1),
        .file = ken_store__pg_i64(row, 2),
        .checkpoint = ken_store__pg_i64(row, 3),
        .rev = ken_store__pg_i64(row, 4),
        .n_checkpoints = ken_store__pg_i64(row, 5),
    };
    return KEN_OK;
}

// Writers take turns by the row of the index.
static ken_status lock_index(ken_pg_index *x, ken_err *err)
{
    ken_status st = ken_store__pg_one(&x->p, PG_QUERY(INDEX_LOCK, PG_INT(x->id)), read_last, NULL,
                                      &x->last, err);
    x->was = x->last;
    return st == KEN_ENOTFOUND ? KEN_FAIL(err, st, "index '%s' was removed from %s", x->p.name,
                                          ken_database_name(x->p.db))
                               : st;
}

ken_status ken_store__pg_share_read(ken_store_backend *b, ken_database_reading *in, ken_err *err)
{
    (void)err;
    ken_pg_index_of(b)->p.in = in;
    return KEN_OK;
}

static void end_read(ken_pg_index *x)
{
    ken_store__pg_rollback(&x->p);
    ken_store__pg_forget_expected(x);
    x->p.in = NULL;
    x->p.db = x->home;
}

// False when the primary must be asked, as it is by what shares a reading.
static bool begin_on_replica(ken_pg_index *x)
{
    ken_database *db = x->replica && !x->p.in ? ken_store__pg_reader(x->replica) : NULL;
    if (!db)
        return false;
    x->p.db = db;
    ken_store__pg_begin(&x->p, KEN_PG_TX_READ);
    ken_err why = { 0 };
    ken_status st = check_tree(x, &why); // a tree that is not there yet is the primary's
    if (st && st != KEN_ENOTFOUND && st != KEN_EBUSY)
        ken_store__pg_replica_failed(x->replica, &why);
    if (!st && ken_store__pg_is_promised(x->replica, x->id, x->tree, x->generation))
        return true;
    end_read(x);
    return false;
}

ken_status ken_store__pg_begin_read(ken_store_backend *b, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    ken_store__pg_forget_ahead(x);
    ken_store__pg_forget_expected(x);
    if (begin_on_replica(x))
        return KEN_OK;
    ken_store__pg_begin(&x->p, KEN_PG_TX_READ);
    ken_status st = check_tree(x, err);
    if (!st)
        ken_store__pg_saw(ken_store__pg_replica_of(x->home), x->id, x->tree, x->generation);
    return st;
}

ken_status ken_store__pg_begin_write(ken_store_backend *b, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    x->made = 0;
    x->n_edits = x->n_removed = 0;
    ken_store__pg_begin(&x->p, KEN_PG_TX_WRITE);
    x->has_news = false;
    ken_status st = lock_index(x, err);
    return st ? st : check_tree(x, err);
}

ken_status ken_store__pg_flush(ken_pg_index *x, ken_err *err)
{
    ken_status st = ken_store__pg_flush_contents(x, err);
    if (!st)
        st = ken_store__pg_flush_relations(x, 0, err);
    if (!st)
        st = ken_store__pg_flush_removed(x, err);
    if (!st)
        st = ken_store__pg_flush_edits(x, err);
    if (!st)
        st = ken_store__pg_flush_files(x, err);
    if (!st)
        st = ken_store__pg_copy_send(&x->p, KEN_PG_VECTOR_COPY, &x->vectors, err);
    return st ? st : ken_store__pg_copy_send(&x->p, KEN_PG_BLOCK_COPY, &x->blocks, err);
}

static ken_status put_last(ken_pg_index *x, ken_err *err)
{
    const ken_pg_last *l = &x->last;
    if (!memcmp(l, &x->was, sizeof *l))
        return KEN_OK;
    return ken_store__pg_write(&x->p, KEN_PG_INDEX_SET_LAST,
                               PG_VALUES(PG_INT(x->id), PG_INT(l->content), PG_INT(l->segment),
                                         PG_INT(l->file), PG_INT(l->checkpoint), PG_INT(l->rev),
                                         PG_INT(l->n_checkpoints)),
                               NULL, err);
}

// What need not be on disk when the commit returns gets there with the next one that must.
static ken_status commit_write(ken_pg_index *x, bool is_durable, ken_err *err)
{
    ken_status st = ken_store__pg_flush(x, err);
    if (!st)
        st = put_last(x, err);
    if (!st && !is_durable)
        st = ken_store__pg_write(&x->p, KEN_PG_SET_SYNC, PG_VALUES(PG_TEXT(KEN_STR("off"))), NULL,
                                 err);
    if (!st && x->has_news)
        st = ken_store__pg_write(&x->p, KEN_PG_NOTIFY_INDEX,
                                 PG_VALUES(PG_TEXT(ken_str_c(x->p.name))), NULL, err);
    if (!st)
        st = ken_store__pg_check_run(x, err);
    ken_store__pg_forget(&x->known_contents);
    ken_store__pg_forget(&x->known_paths);
    if (!st)
        st = ken_store__pg_end(&x->p, err);
    if (!st && x->made)
        ken_store__pg_saw(ken_store__pg_replica_of(x->home), x->id, x->tree, x->made);
    return st;
}

ken_status ken_store__pg_commit(ken_store_backend *b, bool is_durable, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    if (x->p.tx == KEN_PG_TX_WRITE)
        return commit_write(x, is_durable, err);
    end_read(x);
    return KEN_OK;
}

static void pg_rollback(ken_store_backend *b)
{
    ken_pg_index *x = ken_pg_index_of(b);
    end_read(x);
    ken_store__pg_copy_drop(&x->contents);
    ken_store__pg_copy_drop(&x->files);
    ken_store__pg_copy_drop(&x->blocks);
    ken_store__pg_copy_drop(&x->vectors);
    x->vector_model.id = 0; // its row may have been taken back
    ken_store__pg_drop_relations(x);
    ken_store__pg_drop_edits(x);
    ken_vec_clear(&x->keys);
    ken_vec_clear(&x->removed);
    x->may_be_taken = false;
    ken_store__pg_forget(&x->known_contents);
    ken_store__pg_forget(&x->known_paths);
}

// ---- upkeep ------------------------------------------------------------------------------------

// The server does this by itself.
ken_status ken_store__pg_checkpoint(ken_store_backend *b, ken_err *err)
{
    (void)b, (void)err;
    return KEN_OK;
}

ken_status ken_store__pg_get_size(ken_store_backend *b, uint64_t *out_bytes, ken_err *err)
{
    ken_pg_index *x = ken_pg_index_of(b);
    int64_t n = 0;
    ken_status st = ken_store__pg_number(&x->p, PG_QUERY(INDEX_SIZE, PG_INT(x->id)), &n, err);
    if (!st)
        *out_bytes = (uint64_t)n;
    return st;
}

// ---- opening -----------------------------------------------------------------------------------

static ken_status find_index(ken_pg_index *x, ken_err *err)
{
    return ken_store__pg_number(&x->p, PG_QUERY(INDEX_FIND, PG_TEXT(ken_str_c(x->p.name))), &x->id,
                                err);
}

static ken_status find_both(ken_pg_index *x, ken_err *err)
{
    tree_mark mark = { 0 };
    ken_status st = find_index(x, err);
    if (!st)
        st = find_tree(x, x->project, &mark, err);
    x->tree = mark.id;
    return st;
}

static ken_status add_index(ken_pg_index *x, ken_err *err)
{
    const ken_str name = ken_str_c(x->p.name);
    ken_status st =
        ken_store__pg_write(&x->p, KEN_PG_INDEX_ADD, PG_VALUES(PG_TEXT(name)), NULL, err);
    if (!st)
        st = ken_store__pg_write(&x->p, KEN_PG_TREE_ADD_FIRST, PG_VALUES(PG_TEXT(name)), NULL, err);
    return st ? st : find_index(x, err);
}

// Another process may make the same: what is there by the time of the lock is taken.
static ken_status add_both(ken_pg_index *x, ken_err *err)
{
    tree_mark mark = { 0 };
    ken_store__pg_begin(&x->p, KEN_PG_TX_WRITE);
    ken_status st = add_index(x, err);
    if (!st)
        st = lock_index(x, err);
    if (!st)
        st = find_tree(x, x->project, &mark, err);
    if (st == KEN_ENOTFOUND)
        st = add_tree(x, x->project, err);
    if (!st)
        st = ken_store__pg_end(&x->p, err);
    ken_store__pg_rollback(&x->p);
    return st ? st : find_both(x, err);
}

static ken_status open_both(ken_pg_index *x, bool is_read_only, ken_err *err)
{
    ken_status st = find_both(x, err);
    if (st != KEN_ENOTFOUND)
        return st;
    return is_read_only
               ? KEN_FAIL(err, st, "%s has no index '%s', or no tree of that project in it",
                          ken_database_name(x->p.db), x->p.name)
               : add_both(x, err);
}

static void pg_close(ken_store_backend *b)
{
    ken_pg_index *x = ken_pg_index_of(b);
    pg_rollback(b);
    ken_store__pg_release(&x->p);
    ken_vec_release(&x->keys);
    ken_vec_release(&x->edits);
    ken_vec_release(&x->removed);
    ken_arena_release(&x->edit_paths);
    ken_zip_free(x->zip);
    ken_buf_release(&x->zipped);
    ken_buf_release(&x->ahead.bytes);
    ken_store__pg_forget_expected(x);
    ken_free(x);
}

static const ken_store_ops postgres_ops = { .name = "postgres",
                                            .close = pg_close,
                                            .rollback = pg_rollback,
#define X(slot, door, params, args, shown) .slot = ken_store__pg_##slot,
                                            KEN_STORE_SLOTS(X)
#undef X
};

ken_status ken_store__postgres_identify(const ken_store_opts *opts, uint64_t *out, ken_err *err)
{
    ken_pg p;
    int64_t id = 0;
    ken_store__pg_init(&p, opts->database, "index", opts->path, 0);
    ken_status st =
        ken_store__pg_number(&p, PG_QUERY(INDEX_FIND, PG_TEXT(ken_str_c(opts->path))), &id, err);
    ken_store__pg_release(&p);
    if (!st)
        *out = (uint64_t)id;
    return st;
}

ken_status ken_store__postgres_erase(const ken_store_opts *opts, ken_err *err)
{
    ken_pg p;
    ken_store__pg_init(&p, opts->database, "index", opts->path, opts->busy_ms);
    ken_store__pg_begin(&p, KEN_PG_TX_WRITE);
    ken_status st = ken_store__pg_write(&p, KEN_PG_INDEX_REMOVE,
                                        PG_VALUES(PG_TEXT(ken_str_c(opts->path))), NULL, err);
    if (!st)
        st = ken_store__pg_end(&p, err);
    ken_store__pg_release(&p);
    return st;
}

ken_status ken_store__postgres_open(const ken_store_opts *opts, ken_store_backend **out,
                                    ken_err *err)
{
    ken_pg_index *x = ken_zalloc(sizeof *x);
    x->backend.ops = &postgres_ops;
    x->project = opts->tree;
    x->run = opts->run;
    x->is_glance = opts->is_glance;
    ken_arena_init(&x->edit_paths, 0);
    x->zip = ken_zip_new();
    x->home = opts->database;
    x->replica = opts->is_read_only && opts->may_ask_replica
                     ? ken_store__pg_replica_of(opts->database)
                     : NULL;
    ken_store__pg_init(&x->p, opts->database, "index", opts->path, opts->busy_ms);
    ken_status st = open_both(x, opts->is_read_only, err);
    if (st)
        pg_close(&x->backend);
    else
        *out = &x->backend;
    return st;
}
