// SPDX-License-Identifier: MIT
// Where files come from: the folders as they are now, or the commit that the index was made of. A folder that is
// not on this machine has the files that a database keeps, as they were indexed.
#include <string.h>

#include "query/query_priv.h"
#include "store/rows.h"

bool ken_query__is_stored(const ken_snapshot *s, ken_str path)
{
    return s->is_stored && ken_roots_at(&s->roots, &path) < 0;
}

bool ken_query__has_files(const ken_snapshot *s, ken_str path)
{
    return s->revision || s->is_stored || ken_roots_at(&s->roots, &path) >= 0;
}

// Files that other machines have are known by the index alone. NULL: `path` is none of them.
static const ken_file_row *find_stored(const ken_snapshot *s, ken_str path, ken_err *err)
{
    int64_t file = ken_query__file_index(s, path);
    if (file >= 0)
        return &s->rows[file];
    (void)KEN_FAIL(err, KEN_ENOTFOUND,
                   "'" KEN_STR_FMT "' is not in the index, and its folder is not on this machine",
                   KEN_STR_ARG(path));
    return NULL;
}

ken_status ken_query__read_ahead(ken_snapshot *s, const int64_t *contents, size_t n,
                                 query_ahead *out, ken_err *err)
{
    ken_arena_reset(&out->arena);
    out->n = 0;
    out->contents = KEN_ARENA_ARRAY(&out->arena, int64_t, n + 1);
    out->texts = KEN_ARENA_ARRAY(&out->arena, ken_str, n + 1);
    ken_status st =
        n ? ken_store_load_texts(s->store, contents, n, &out->arena, out->texts, err) : KEN_OK;
    if (st || !n)
        return st;
    memcpy(out->contents, contents, n * sizeof *contents);
    out->n = n;
    return KEN_OK;
}

static ken_status load_stored(ken_snapshot *s, int64_t content, ken_arena *arena, ken_str *out,
                              ken_err *err)
{
    const query_ahead *a = s->ahead;
    for (size_t i = 0; a && i < a->n; i++) {
        if (a->contents[i] != content)
            continue;
        *out = a->texts[i];
        return out->ptr ? KEN_OK : KEN_ENOTFOUND;
    }
    return ken_store_load_text(s->store, content, arena, out, err);
}

static ken_status read_stored(ken_snapshot *s, ken_str path, size_t max_bytes, ken_buf *out,
                              ken_err *err)
{
    ken_arena arena;
    ken_str text = KEN_STR("");
    const ken_file_row *row = find_stored(s, path, err);
    if (!row)
        return KEN_ENOTFOUND;
    ken_arena_init(&arena, 0);
    ken_buf_clear(out);
    ken_status st = load_stored(s, row->content, &arena, &text, err);
    if (st == KEN_ENOTFOUND) {
        st = KEN_FAIL(err, KEN_EUNSUPPORTED,
                      "the folder is not on this machine, and the database has no text of "
                      "'" KEN_STR_FMT "' (setting database.text, and 'ken index' where the folder "
                      "is)",
                      KEN_STR_ARG(path));
    } else if (!st && text.len > max_bytes) {
        st = KEN_FAIL(err, KEN_ELIMIT, "'" KEN_STR_FMT "' is larger than %zu bytes",
                      KEN_STR_ARG(path), max_bytes);
    }
    if (!st)
        ken_buf_put_str(out, text);
    ken_arena_release(&arena);
    return st;
}

ken_status ken_query__read_file(ken_snapshot *s, ken_str path, size_t max_bytes, ken_buf *out,
                                ken_err *err)
{
    if (s->revision)
        return ken_revision_read(s->revision, path, max_bytes, NULL, out, err);
    if (ken_query__is_stored(s, path))
        return read_stored(s, path, max_bytes, out, err);
    int root_fd = ken_roots_at(&s->roots, &path);
    return ken_fs_read_under(root_fd, path, max_bytes, out, NULL, err);
}

// A file of the index has its stamp there; git is asked for what the index does not have.
ken_status ken_query__stat_file(ken_snapshot *s, ken_str path, ken_fs_info *out, ken_err *err)
{
    if (ken_query__is_stored(s, path)) {
        const ken_file_row *row = find_stored(s, path, err);
        if (row)
            *out = (ken_fs_info){ .kind = KEN_FS_FILE, .stamp = row->stamp };
        return row ? KEN_OK : KEN_ENOTFOUND;
    }
    if (!s->revision) {
        int root_fd = ken_roots_at(&s->roots, &path);
        return ken_fs_stat(root_fd, path.ptr, out, err);
    }
    int64_t file = ken_query__file_index(s, path);
    if (file >= 0) {
        *out = (ken_fs_info){ .kind = KEN_FS_FILE, .stamp = s->rows[file].stamp };
        return KEN_OK;
    }
    ken_revision_entry e;
    ken_status st = ken_revision_find(s->revision, path, NULL, &e, err);
    if (!st)
        *out = (ken_fs_info){ .kind = e.kind, .stamp = e.stamp };
    return st;
}
