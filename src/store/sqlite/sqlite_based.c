// SPDX-License-Identifier: MIT
// Files of a tree that is based on a list: sqlite_based_priv.h.
#include "base/alloc.h"
#include "store/sqlite/sqlite_based_priv.h"

enum {
    LEAVE_MIN = 512, // rows of its own; a tree with fewer stays with its list (hiding costs little)
    LEAVE_SHARE = 2, // and one whose list has more than so many times as many files
};

static ken_status ask_number(ken_sq *q, ken_sq_stmt which, const ken_sq_value *values, size_t n,
                             int64_t *out, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, which, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, values, n);
    return ken_store__sq_load_number(q, st, "it has no tree", out, err);
}

ken_status ken_store__sq_get_base(ken_sq *q, int64_t *out, ken_err *err)
{
    ken_status s = KEN_OK;
    if (q->base == KEN_SQ_NOT_ASKED)
        s = ask_number(q, KEN_SQ_TREE_GET_BASE, SQ_VALUES(SQ_INT(q->tree)), &q->base, err);
    if (s)
        q->base = KEN_SQ_NOT_ASKED;
    *out = s ? 0 : q->base;
    return s;
}

void ken_store__sq_forget_based(ken_sq *q)
{
    q->base = KEN_SQ_NOT_ASKED;
    q->has_new_stamps = false;
    ken_vec_release(&q->stamps);
}

// ---- reading -----------------------------------------------------------------------------------

static ken_status scan_hidden(ken_sq *q, ken_arena *arena, int64_t **out, size_t *out_n,
                              ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_HIDDEN_SCAN, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_INT(q->tree)));
    return SQ_ROWS(q, st, ken_store__sq_read_i64, arena, out, out_n, err);
}

static ken_status scan_rows(ken_sq *q, ken_sq_stmt which, int64_t tree, ken_arena *arena,
                            ken_file_row **out, size_t *out_n, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, which, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_INT(tree)));
    return SQ_ROWS(q, st, ken_store__sq_read_file, arena, out, out_n, err);
}

static ken_status unpack_stamps(ken_sq *q, sqlite3_stmt *st, ken_arena *arena, void *out,
                                ken_err *err)
{
    (void)arena;
    return ken_store__sq_unpack_stamps(ken_store__sq_zip(q), ken_store__sq_blob(st, 0), out)
               ? KEN_OK
               : SQ_CORRUPT(q, err, "the times of a tree's files");
}

// KEN_ENOTFOUND when the tree has none of its own.
static ken_status load_stamps(ken_sq *q, sq_stamped_vec *out, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    ken_status s = ken_store__sq_get(q, KEN_SQ_STAMPS_GET, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_INT(q->tree)));
    return ken_store__sq_one(q, st, unpack_stamps, NULL, out, err);
}

static void set_stamp(ken_file_row *row, const sq_stamped *s)
{
    row->stamp.mtime_ns = s->mtime_ns;
    row->stamp.ctime_ns = s->ctime_ns;
    row->stamp.inode = s->inode;
}

// A tree without times of its own is the one whose files became the list: the list's are its own. Those of a tree that
// never had a generation are not known: all its files are read and hashed.
static ken_status put_stamps(ken_sq *q, ken_file_row *rows, size_t n, ken_err *err)
{
    int64_t generation = 0;
    sq_stamped_vec stamps = { 0 };
    ken_status s = load_stamps(q, &stamps, err);
    if (!s) {
        for (size_t i = 0, k = 0; i < n; i++) { // both by id
            while (k < stamps.len && stamps.ptr[k].id < rows[i].id)
                k++;
            static const sq_stamped unknown = { 0 };
            bool is_known = k < stamps.len && stamps.ptr[k].id == rows[i].id;
            set_stamp(&rows[i], is_known ? &stamps.ptr[k] : &unknown);
        }
    } else if (s == KEN_ENOTFOUND) {
        s = ask_number(q, KEN_SQ_TREE_GET_NUMBER, SQ_VALUES(SQ_INT(q->tree)), &generation, err);
        for (size_t i = 0; !s && !generation && i < n; i++)
            set_stamp(&rows[i], &(sq_stamped){ 0 });
    }
    ken_vec_release(&stamps);
    return s;
}

ken_status ken_store__sq_scan_based(ken_sq *q, int64_t base, ken_arena *arena, ken_file_row **out,
                                    size_t *out_n, ken_err *err)
{
    ken_file_row *list = NULL, *own = NULL;
    int64_t *hidden = NULL;
    size_t n_list = 0, n_own = 0, n_hidden = 0, n = 0;
    ken_status s = scan_rows(q, KEN_SQ_FILE_SCAN, base, arena, &list, &n_list, err);
    if (!s)
        s = scan_rows(q, KEN_SQ_FILE_SCAN_FEW, q->tree, arena, &own, &n_own, err);
    if (!s)
        s = scan_hidden(q, arena, &hidden, &n_hidden, err);
    if (!s)
        s = put_stamps(q, list, n_list, err);
    if (s)
        return s;
    ken_file_row *rows = KEN_ARENA_ARRAY(arena, ken_file_row, n_list + n_own + 1);
    for (size_t i = 0, h = 0; i < n_list; i++) {
        while (h < n_hidden && hidden[h] < list[i].id)
            h++;
        if (h == n_hidden || hidden[h] != list[i].id)
            rows[n++] = list[i];
    }
    for (size_t i = 0; i < n_own; i++)
        rows[n++] = own[i];
    *out = rows;
    *out_n = n;
    return KEN_OK;
}

// ---- writing -----------------------------------------------------------------------------------

static ken_status hide(ken_sq *q, int64_t id, ken_err *err)
{
    return ken_store__sq_write(q, KEN_SQ_HIDDEN_ADD, SQ_VALUES(SQ_INT(q->tree), SQ_INT(id)), err);
}

// The row of the list that the tree has. KEN_ENOTFOUND when it is no such row.
static ken_status find_listed(ken_sq *q, int64_t base, int64_t id, ken_arena *arena,
                              ken_file_row *out, ken_err *err)
{
    sqlite3_stmt *st = NULL;
    int64_t is_hidden = 0;
    ken_status s = ken_store__sq_get(q, KEN_SQ_FILE_GET, &st, err);
    if (s)
        return s;
    ken_store__sq_bind(st, SQ_VALUES(SQ_INT(base), SQ_INT(id)));
    s = ken_store__sq_one(q, st, ken_store__sq_read_file, arena, out, err);
    if (!s)
        s = ask_number(q, KEN_SQ_HIDDEN_HAS, SQ_VALUES(SQ_INT(q->tree), SQ_INT(id)), &is_hidden,
                       err);
    return s ? s : is_hidden ? KEN_ENOTFOUND : KEN_OK;
}

// The times of all files of the list, to change some.
static ken_status need_stamps(ken_sq *q, int64_t base, ken_err *err)
{
    if (q->has_new_stamps)
        return KEN_OK;
    ken_status s = load_stamps(q, &q->stamps, err);
    if (s == KEN_ENOTFOUND) {
        ken_arena arena;
        ken_file_row *list = NULL;
        size_t n = 0;
        ken_arena_init(&arena, 0);
        s = scan_rows(q, KEN_SQ_FILE_SCAN, base, &arena, &list, &n, err);
        if (!s)
            s = put_stamps(q, list, n, err);
        ken_vec_clear(&q->stamps);
        for (size_t i = 0; !s && i < n; i++)
            ken_vec_push(&q->stamps, ((sq_stamped){ list[i].id, list[i].stamp.mtime_ns,
                                                    list[i].stamp.ctime_ns, list[i].stamp.inode }));
        ken_arena_release(&arena);
    }
    q->has_new_stamps = !s;
    return s;
}

static ken_status touch(ken_sq *q, int64_t base, const ken_file_row *row, ken_err *err)
{
    ken_status s = need_stamps(q, base, err);
    sq_stamped *at = s ? NULL : ken_store__sq_find_stamped(&q->stamps, row->id);
    if (at)
        *at = (sq_stamped){ row->id, row->stamp.mtime_ns, row->stamp.ctime_ns, row->stamp.inode };
    return s || at ? s : SQ_CORRUPT(q, err, "a file of a list has no times");
}

static ken_status check_is_free(ken_sq *q, int64_t base, ken_str path, ken_err *err)
{
    int64_t n = 0;
    ken_status s = ask_number(q, KEN_SQ_FILE_COUNT_AT,
                              SQ_VALUES(SQ_INT(base), SQ_TEXT(path), SQ_INT(q->tree)), &n, err);
    if (!s && n)
        s = KEN_FAIL(err, KEN_EEXIST, "index '%s' has a file '%.*s' already", q->path,
                     path.len > 200 ? 200 : (int)path.len, path.ptr);
    return s;
}

ken_status ken_store__sq_put_based(ken_sq *q, int64_t base, const ken_file_row *row,
                                   bool *out_is_done, ken_err *err)
{
    ken_arena arena;
    ken_file_row was = { 0 };
    *out_is_done = false;
    if (!row->id)
        return check_is_free(q, base, row->path, err);
    ken_arena_init(&arena, 0);
    ken_status s = find_listed(q, base, row->id, &arena, &was, err);
    if (s == KEN_ENOTFOUND) {
        s = KEN_OK; // the row is the tree's own
    } else if (!s) {
        *out_is_done = true;
        if (ken_str_eq(was.path, row->path) && was.content == row->content &&
            was.changed_at_ms == row->changed_at_ms && was.stamp.size == row->stamp.size) {
            s = touch(q, base, row, err);
        } else {
            s = hide(q, row->id, err);
            if (!s && !ken_str_eq(was.path, row->path))
                s = check_is_free(q, base, row->path, err);
            if (!s)
                s = ken_store__sq_add_file(q, row, err);
        }
    }
    ken_arena_release(&arena);
    return s;
}

ken_status ken_store__sq_remove_based(ken_sq *q, int64_t base, int64_t id, bool *out_is_done,
                                      ken_err *err)
{
    ken_arena arena;
    ken_file_row was = { 0 };
    ken_arena_init(&arena, 0);
    ken_status s = find_listed(q, base, id, &arena, &was, err);
    ken_arena_release(&arena);
    *out_is_done = !s;
    return s == KEN_ENOTFOUND ? KEN_OK : s ? s : hide(q, id, err);
}

// ---- the end of a generation -------------------------------------------------------------------

static ken_status write_stamps(ken_sq *q, ken_err *err)
{
    if (!q->has_new_stamps)
        return KEN_OK;
    ken_buf packed = KEN_BUF_INIT(0);
    ken_store__sq_pack_stamps(ken_store__sq_zip(q), q->stamps.ptr, q->stamps.len, &packed);
    ken_status s = ken_store__sq_write(
        q, KEN_SQ_STAMPS_PUT, SQ_VALUES(SQ_INT(q->tree), SQ_BLOB(packed.ptr, packed.len)), err);
    ken_buf_release(&packed);
    q->has_new_stamps = false;
    return s;
}

static ken_status clear_list(ken_sq *q, ken_err *err)
{
    static const ken_sq_stmt steps[] = { KEN_SQ_HIDDEN_CLEAR, KEN_SQ_STAMPS_CLEAR };
    ken_status s = KEN_OK;
    for (size_t i = 0; !s && i < sizeof steps / sizeof *steps; i++)
        s = ken_store__sq_write(q, steps[i], SQ_VALUES(SQ_INT(q->tree)), err);
    if (!s)
        s = ken_store__sq_write(q, KEN_SQ_TREE_SET_BASE, SQ_VALUES(SQ_INT(q->tree), SQ_INT(0)),
                                err);
    q->base = KEN_SQ_NOT_ASKED;
    return s ? s : ken_store__sq_do(q, KEN_SQ_TREE_REMOVE_LISTS, "writing to", err);
}

static ken_status take_skips(ken_sq *q, int64_t base, ken_err *err)
{
    int64_t owner = 0;
    ken_status s = ask_number(q, KEN_SQ_SKIP_OWNER, SQ_VALUES(SQ_INT(q->tree)), &owner, err);
    if (s || owner != base)
        return s;
    return ken_store__sq_write(q, KEN_SQ_SKIP_COPY_ALL, SQ_VALUES(SQ_INT(base), SQ_INT(q->tree)),
                               err);
}

// What the tree has of the list becomes rows of its own.
static ken_status leave_list(ken_sq *q, int64_t base, ken_err *err)
{
    ken_arena arena;
    ken_file_row *rows = NULL;
    size_t n = 0;
    ken_arena_init(&arena, 0);
    ken_status s = ken_store__sq_scan_based(q, base, &arena, &rows, &n, err);
    if (!s)
        s = ken_store__sq_write(q, KEN_SQ_FILE_REMOVE_ALL, SQ_VALUES(SQ_INT(q->tree)), err);
    for (size_t i = 0; !s && i < n; i++)
        s = ken_store__sq_add_file(q, &rows[i], err);
    ken_arena_release(&arena);
    if (!s)
        s = take_skips(q, base, err);
    return s ? s : clear_list(q, err);
}

ken_status ken_store__sq_end_based(ken_sq *q, ken_err *err)
{
    int64_t base = 0, n_own = 0, n_list = 0;
    ken_status s = ken_store__sq_get_base(q, &base, err);
    if (s || !base)
        return s;
    s = write_stamps(q, err);
    if (!s)
        s = ask_number(q, KEN_SQ_FILE_COUNT, SQ_VALUES(SQ_INT(q->tree)), &n_own, err);
    if (!s && n_own > LEAVE_MIN)
        s = ask_number(q, KEN_SQ_FILE_COUNT, SQ_VALUES(SQ_INT(base)), &n_list, err);
    return !s && n_own > LEAVE_MIN && n_own * LEAVE_SHARE > n_list ? leave_list(q, base, err) : s;
}
