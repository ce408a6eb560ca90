// SPDX-License-Identifier: MIT
// The working trees of an index. The first is that of the project that it was made for; worktrees of the same
// repository add theirs, each based on a list of files that others are based on, too (sqlite_based_priv.h).
#include "store/sqlite/sqlite_based_priv.h"

// ---- making one --------------------------------------------------------------------------------

typedef struct newest_tree {
    int64_t id, base;
} newest_tree;

static ken_status read_newest(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out,
                              ken_err *err)
{
    (void)q, (void)arena, (void)err;
    *(newest_tree *)out = (newest_tree){ sqlite3_column_int64(st, 0), sqlite3_column_int64(st, 1) };
    return KEN_OK;
}

static ken_status take_id(ken_sq *q, int64_t *out, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_TREE_NEXT_ID, &st, err);
    return s ? s : ken_store__sq_load_number(q, st, "it has no tree", out, err);
}

// The files of a tree become a list, on which the tree is based from now on: it has the same files as before.
static ken_status make_list(ken_sq *q, int64_t tree, int64_t *out, ken_err *err)
{
    int64_t list = 0;
    ken_status s = take_id(q, &list, err);
    if (!s)
        s = ken_store__sq_write(q, KEN_SQ_TREE_ADD_LIST, SQ_VALUES(SQ_INT(tree), SQ_INT(list)),
                                err);
    static const ken_sq_stmt moves[] = { KEN_SQ_FILE_MOVE_ALL, KEN_SQ_SKIP_MOVE_ALL,
                                         KEN_SQ_TREE_SET_BASE };
    for (size_t i = 0; !s && i < sizeof moves / sizeof *moves; i++)
        s = ken_store__sq_write(q, moves[i], SQ_VALUES(SQ_INT(tree), SQ_INT(list)), err);
    *out = list;
    return s;
}

// Based on what is nearest to it: the list, or the files, of the tree that was indexed last.
static ken_status add_tree(ken_sq *q, ken_uuid project, ken_err *err)
{
    newest_tree newest = { 0 };
    int64_t id = 0;
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_TREE_NEWEST, &st, err);
    if (!s)
        s = ken_store__sq_one(q, st, read_newest, NULL, &newest, err);
    if (s == KEN_ENOTFOUND)
        s = KEN_OK;
    if (!s && newest.id && !newest.base)
        s = make_list(q, newest.id, &newest.base, err);
    if (!s)
        s = take_id(q, &id, err);
    if (!s)
        s = ken_store__sq_write(q, KEN_SQ_TREE_ADD,
                                SQ_VALUES(SQ_BYTES(project), SQ_INT(newest.base), SQ_INT(id)), err);
    return s;
}

// ---- choosing ----------------------------------------------------------------------------------

static bool is_first(ken_uuid project)
{
    return ken_uuid_eq(project, (ken_uuid){ { 0 } });
}

static ken_status find_tree(ken_sq *q, ken_uuid project, int64_t *out, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    *out = KEN_SQ_FIRST_TREE;
    if (is_first(project))
        return KEN_OK;
    ken_status s = ken_store__sq_get(q, KEN_SQ_TREE_OF_PROJECT, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_BYTES(project)));
    return ken_store__sq_load_number(q, st, NULL, out, err);
}

ken_status ken_store__sq_choose_tree(ken_sq *q, ken_uuid project, ken_err *err)
{
    ken_store__sq_forget_based(q);
    q->project = project;
    ken_status s = find_tree(q, project, &q->tree, err);
    if (s == KEN_ENOTFOUND && q->is_read_only)
        return KEN_FAIL(err, s, "%s '%s' has no tree of that project", q->schema->what, q->path);
    if (s != KEN_ENOTFOUND)
        return s;
    s = ken_store__sq_exec(q, KEN_SQ_BEGIN_WRITE, err);
    if (s)
        return s;
    s = find_tree(q, project, &q->tree, err); // another process may have been faster
    if (s == KEN_ENOTFOUND)
        s = add_tree(q, project, err);
    if (!s)
        s = find_tree(q, project, &q->tree, err);
    if (!s)
        s = ken_store__sq_exec(q, KEN_SQ_COMMIT, err);
    if (s)
        ken_store__sq_undo(q);
    return s;
}

// One that was removed, and perhaps made anew, is not the one that was opened.
ken_status ken_store__sq_check_tree(ken_sq *q, ken_err *err)
{
    int64_t tree = 0;
    ken_status s = find_tree(q, q->project, &tree, err);
    if (s == KEN_ENOTFOUND || (!s && tree != q->tree))
        s = KEN_FAIL(err, KEN_ENOTFOUND, "the tree in index '%s' was removed meanwhile", q->path);
    return s;
}

// ---- the others --------------------------------------------------------------------------------

static ken_status read_tree(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out, ken_err *err)
{
    bool is_bad = false;
    ken_tree_info t = {
        .is_first = sqlite3_column_int64(st, 0) == KEN_SQ_FIRST_TREE,
        .generation = ken_store__sq_u64(st, 2, INT64_MAX, &is_bad),
        .at_ms = sqlite3_column_int64(st, 3),
        .root = ken_store__sq_keep(st, 4, arena),
        .n_files = ken_store__sq_u64(st, 5, INT64_MAX, &is_bad),
        .is_based = sqlite3_column_int(st, 6) != 0,
    };
    if (!t.is_first && !ken_store__sq_fixed(st, 1, t.project.bytes, sizeof t.project.bytes))
        is_bad = true;
    if (is_bad)
        return SQ_CORRUPT(q, err, "a tree has no usable project, or numbers out of range");
    *(ken_tree_info *)out = t;
    return KEN_OK;
}

ken_status ken_store__sq_list_trees(ken_store_backend *b, ken_arena *arena, ken_tree_info **out,
                                    size_t *out_n, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_TREE_LIST, &st, err);
    return s ? s : SQ_ROWS(q, st, read_tree, arena, out, out_n, err);
}

// The first tree stays, empty; of the others nothing does.
static ken_status remove_rows(ken_sq *q, int64_t tree, ken_err *err)
{
    static const ken_sq_stmt steps[] = { KEN_SQ_FILE_REMOVE_ALL, KEN_SQ_HIDDEN_CLEAR,
                                         KEN_SQ_STAMPS_CLEAR, KEN_SQ_SKIP_CLEAR,
                                         KEN_SQ_SKIP_COUNT_CLEAR };
    ken_status s = KEN_OK;
    for (size_t i = 0; !s && i < sizeof steps / sizeof *steps; i++)
        s = ken_store__sq_write(q, steps[i], SQ_VALUES(SQ_INT(tree)), err);
    return s ? s
             : ken_store__sq_write(
                   q, tree == KEN_SQ_FIRST_TREE ? KEN_SQ_TREE_EMPTY : KEN_SQ_TREE_REMOVE,
                   SQ_VALUES(SQ_INT(tree)), err);
}

ken_status ken_store__sq_remove_tree(ken_store_backend *b, ken_uuid project, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    int64_t tree = 0;
    char names[40];
    ken_status s = find_tree(q, project, &tree, err);
    if (s)
        return s == KEN_ENOTFOUND ? KEN_OK : s;
    s = remove_rows(q, tree, err);
    snprintf(names, sizeof names, "*#%lld", (long long)tree);
    if (!s)
        s = ken_store__sq_write(q, KEN_SQ_META_REMOVE_ALL, SQ_VALUES(SQ_TEXT(ken_str_c(names))),
                                err);
    q->base = KEN_SQ_NOT_ASKED;
    return s ? s : ken_store__sq_do(q, KEN_SQ_TREE_REMOVE_LISTS, "writing to", err);
}
