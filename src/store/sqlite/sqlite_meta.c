// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "store/sqlite/sqlite_based_priv.h"

enum {
    KEY_BYTES = 256 + 24 // of a value: its name and the number of a tree
};

static ken_status read_tree(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out, ken_err *err)
{
    bool is_bad = false;
    ken_generation g = {
        .number = ken_store__sq_u64(st, 0, INT64_MAX, &is_bad),
        .at_ms = sqlite3_column_int64(st, 1),
        .root = ken_store__sq_keep(st, 2, arena),
        .git_head = ken_store__sq_keep(st, 3, arena),
        .git_branch = ken_store__sq_keep(st, 4, arena),
        .n_files = ken_store__sq_u64(st, 5, INT64_MAX, &is_bad),
        .n_chunks = ken_store__sq_u64(st, 6, INT64_MAX, &is_bad),
        .n_symbols = ken_store__sq_u64(st, 7, INT64_MAX, &is_bad),
        .n_bytes = ken_store__sq_u64(st, 8, INT64_MAX, &is_bad),
        .n_lines = ken_store__sq_u64(st, 9, INT64_MAX, &is_bad),
        .is_based = sqlite3_column_int(st, 10) != 0,
    };
    if (is_bad)
        return SQ_CORRUPT(q, err, "the generation has numbers out of range");
    *(ken_generation *)out = g;
    return KEN_OK;
}

static ken_status load_tree(ken_sq *q, ken_arena *arena, ken_generation *out, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_TREE_LOAD, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_INT(q->tree)));
    s = ken_store__sq_one(q, st, read_tree, arena, out, err);
    return s == KEN_ENOTFOUND ? SQ_CORRUPT(q, err, "it has no tree") : s;
}

static ken_status load_skip_counts(ken_sq *q, ken_generation *out, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_SKIP_COUNT_SCAN, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_INT(q->tree)));
    bool is_bad = false;
    while (ken_store__sq_next(q, st, &s, err)) {
        ken_skip_reason r = ken_store__skip_reason(ken_store__sq_text(st, 0));
        out->skips[r] += ken_store__sq_u64(st, 1, INT64_MAX, &is_bad);
    }
    if (!s && is_bad)
        s = SQ_CORRUPT(q, err, "a count of skipped files is out of range");
    ken_store__sq_done(st);
    return s;
}

ken_status ken_store__sq_load_generation(ken_store_backend *b, ken_arena *arena,
                                         ken_generation *out, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    ken_generation g;
    ken_status st = load_tree(q, arena, &g, err);
    if (!st)
        st = load_skip_counts(q, &g, err);
    if (!st)
        *out = g;
    return st;
}

static ken_status put_skip_counts(ken_sq *q, const ken_generation *g, ken_err *err)
{
    ken_status s = KEN_OK;
    for (int r = KEN_SKIP_NONE + 1; !s && r < KEN_SKIP_COUNT; r++)
        s = ken_store__sq_write(q, KEN_SQ_SKIP_COUNT_PUT,
                                SQ_VALUES(SQ_INT(q->tree),
                                          SQ_TEXT(ken_str_c(ken_skip_word((ken_skip_reason)r))),
                                          SQ_INT(g->skips[r])),
                                err);
    return s;
}

ken_status ken_store__sq_put_generation(ken_store_backend *b, const ken_generation *g, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    ken_status s = ken_store__sq_write(
        q, KEN_SQ_TREE_PUT,
        SQ_VALUES(SQ_INT(q->tree), SQ_INT(g->number), SQ_INT(g->at_ms), SQ_TEXT(g->root),
                  SQ_TEXT(g->git_head), SQ_TEXT(g->git_branch), SQ_INT(g->n_files),
                  SQ_INT(g->n_chunks), SQ_INT(g->n_symbols), SQ_INT(g->n_bytes),
                  SQ_INT(g->n_lines)),
        err);
    if (!s && !sqlite3_changes(q->db))
        s = KEN_FAIL(err, KEN_EINVAL, "generation %llu is not above the one in '%s'",
                     (unsigned long long)g->number, q->path);
    if (!s)
        s = put_skip_counts(q, g, err);
    return s ? s : ken_store__sq_end_based(q, err);
}

ken_status ken_store__sq_get_generation(ken_store_backend *b, uint64_t *out, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    int64_t n = 0;
    ken_status s = ken_store__sq_get(q, KEN_SQ_TREE_GET_NUMBER, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_INT(q->tree)));
    s = ken_store__sq_load_number(q, st, "it has no tree", &n, err);
    if (!s)
        *out = (uint64_t)n;
    return s;
}

// ---- values ------------------------------------------------------------------------------------

// The key of a value of this tree: its name, and behind it "#<tree>" unless that is the first.
static ken_str key_of(const ken_sq *q, ken_str name, char text[KEY_BYTES])
{
    if (q->tree == KEN_SQ_FIRST_TREE || ken_store_is_shared_value(name))
        return name;
    int n = snprintf(text, KEY_BYTES, KEN_STR_FMT "#%lld", KEN_STR_ARG(name), (long long)q->tree);
    return ken_str_n(text, (size_t)n);
}

// The name of a value of this tree; an empty one when it is another's.
static ken_str name_of(const ken_sq *q, ken_str key)
{
    uint64_t tree = KEN_SQ_FIRST_TREE;
    size_t at = key.len;
    while (at && ken_is_digit(key.ptr[at - 1]))
        at--;
    bool is_marked = at > 1 && at < key.len && key.ptr[at - 1] == '#' &&
                     ken_str_parse_u64(ken_str_sub(key, at, key.len), &tree);
    if (ken_store_is_shared_value(key))
        return key;
    if (tree != (uint64_t)q->tree)
        return KEN_STR("");
    return is_marked ? ken_str_sub(key, 0, at - 1) : key;
}

ken_status ken_store__sq_load_value(ken_store_backend *b, ken_str key, ken_arena *arena,
                                    ken_str *out, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_META_GET, &st, err);
    if (s)
        return s;
    char text[KEY_BYTES];
    ken_store__sq_bind(st, SQ_VALUES(SQ_TEXT(key_of(q, key, text))));
    return ken_store__sq_one(q, st, ken_store__sq_read_bytes, arena, out, err);
}

ken_status ken_store__sq_put_value(ken_store_backend *b, ken_str key, ken_str value, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    char text[KEY_BYTES];
    return ken_store__sq_write(
        q, value.ptr ? KEN_SQ_META_PUT : KEN_SQ_META_REMOVE,
        SQ_VALUES(SQ_TEXT(key_of(q, key, text)), SQ_BLOB(value.ptr, value.len)), err);
}

static ken_status read_value_info(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out,
                                  ken_err *err)
{
    (void)q, (void)err;
    *(ken_value_info *)out = (ken_value_info){ .key = ken_store__sq_keep(st, 0, arena),
                                               .n_bytes = (uint64_t)sqlite3_column_int64(st, 1) };
    return KEN_OK;
}

ken_status ken_store__sq_list_values(ken_store_backend *b, ken_arena *arena, ken_value_info **out,
                                     size_t *out_n, ken_err *err)
{
    ken_sq *q = ken_sq_of(b);
    sqlite3_stmt *st = NULL;
    size_t n = 0, n_own = 0;
    ken_status s = ken_store__sq_get(q, KEN_SQ_META_LIST, &st, err);
    if (!s)
        s = SQ_ROWS(q, st, read_value_info, arena, out, &n, err);
    for (size_t i = 0; !s && i < n; i++) {
        ken_value_info v = { .key = name_of(q, (*out)[i].key), .n_bytes = (*out)[i].n_bytes };
        if (v.key.len)
            (*out)[n_own++] = v;
    }
    if (!s)
        *out_n = n_own;
    return s;
}
