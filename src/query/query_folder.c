// SPDX-License-Identifier: MIT
// Folders of the index. The rows are sorted by path, so what is below a folder is one range of them, and what is
// below one of its folders a range of that: one pass, without a tree.
#include "query/query_folder.h"

#include "base/path.h"
#include "base/sorted.h"
#include "base/utf8.h"
#include "query/query_priv.h"

typedef struct walk {
    const ken_snapshot *s;
    ken_str prefix; // "src/", empty = the root
    uint32_t from, to;
    uint64_t lines[KEN_LANG_COUNT]; // of the folder that is summed up
    KEN_VEC(ken_folder_entry) folders;
    KEN_VEC(ken_folder_entry) files;
} walk;

// The first row from `from` on that does not begin with `prefix`. Those that do are together.
static uint32_t range_end(const ken_snapshot *s, uint32_t from, ken_str prefix)
{
    uint32_t lo = from, hi = s->n_files;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (ken_str_starts(s->rows[mid].path, prefix))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void add_file(walk *w, ken_folder_entry *sum, uint32_t file)
{
    const ken_content_info *c = &w->s->contents[file];
    sum->n_files++;
    sum->n_chunks += c->n_chunks;
    sum->n_symbols += c->n_symbols;
    sum->n_lines += c->n_lines;
    sum->n_bytes += c->n_bytes;
    sum->n_with_errors += c->n_error_bytes > 0;
    if (c->lang < KEN_LANG_COUNT)
        w->lines[c->lang] += (uint64_t)c->n_lines + 1;
}

static ken_folder_entry sum_up(walk *w, uint32_t from, uint32_t to)
{
    ken_folder_entry sum = { .is_folder = true };
    size_t most = 0;
    memset(w->lines, 0, sizeof w->lines);
    for (uint32_t f = from; f < to; f++)
        add_file(w, &sum, f);
    for (size_t i = 1; i < KEN_LANG_COUNT; i++)
        if (w->lines[i] > w->lines[most])
            most = i;
    if (w->lines[most])
        sum.language = ken_str_c(ken_lang_name((ken_lang_id)most));
    return sum;
}

static ken_folder_entry file_entry(walk *w, uint32_t file)
{
    ken_folder_entry e = sum_up(w, file, file + 1);
    e.is_folder = false;
    e.path = w->s->rows[file].path;
    e.name = ken_path_base(e.path);
    return e;
}

// What is in the folder itself.
static ken_status find_children(walk *w, const ken_cancel *cancel, ken_err *err)
{
    ken_status st = KEN_OK;
    for (uint32_t f = w->from, next; f < w->to && !st; f = next) {
        ken_str path = w->s->rows[f].path;
        ken_str below = ken_str_sub(path, w->prefix.len, path.len);
        size_t slash = ken_str_find_char(below, '/');
        next = f + 1;
        if (slash == SIZE_MAX) {
            ken_vec_push(&w->files, file_entry(w, f));
            continue;
        }
        next = range_end(w->s, f, ken_str_sub(path, 0, w->prefix.len + slash + 1));
        ken_folder_entry e = sum_up(w, f, next);
        e.path = ken_str_sub(path, 0, w->prefix.len + slash);
        e.name = ken_str_sub(below, 0, slash);
        ken_vec_push(&w->folders, e);
        st = ken_cancel_check(cancel, err);
    }
    return st;
}

static bool holds(ken_str text, ken_str part)
{
    for (size_t i = 0; i + part.len <= text.len; i++)
        if (ken_lower(text.ptr[i]) == ken_lower(part.ptr[0]) &&
            ken_str_eq_fold(ken_str_sub(text, i, i + part.len), part))
            return true;
    return false;
}

// Files whose path holds the filter, at any depth; entries are made of one page alone.
static ken_status find_fitting(walk *w, const ken_folder_opts *o, const ken_cancel *cancel,
                               size_t *out_total, ken_err *err)
{
    size_t n = 0;
    ken_status st = KEN_OK;
    for (uint32_t f = w->from; f < w->to && !st; f++) {
        ken_str path = w->s->rows[f].path;
        if (f % 4096 == 0)
            st = ken_cancel_check(cancel, err);
        if (!holds(ken_str_sub(path, w->prefix.len, path.len), o->filter))
            continue;
        if (n >= o->offset && n - o->offset < o->limit)
            ken_vec_push(&w->files, file_entry(w, f));
        n++;
    }
    *out_total = n;
    return st;
}

// The part [offset, offset + limit) of both lists, one behind the other.
static void give_page(const walk *w, const ken_folder_opts *o, ken_arena *arena, ken_folder *out)
{
    size_t n = w->folders.len + w->files.len;
    size_t from = o->offset < n ? o->offset : n, to = o->limit < n - from ? from + o->limit : n;
    out->n_total = n;
    out->n_folders = w->folders.len;
    out->entries = KEN_ARENA_ARRAY(arena, ken_folder_entry, to - from + 1);
    for (size_t i = from; i < to; i++)
        out->entries[out->n++] =
            i < w->folders.len ? w->folders.ptr[i] : w->files.ptr[i - w->folders.len];
}

static void give_fitting(const walk *w, size_t total, ken_arena *arena, ken_folder *out)
{
    out->n_total = total;
    out->entries = KEN_ARENA_ARRAY(arena, ken_folder_entry, w->files.len + 1);
    for (size_t i = 0; i < w->files.len; i++)
        out->entries[out->n++] = w->files.ptr[i];
}

// "src", without what leads nowhere; "" for the root.
static ken_status find_prefix(const ken_snapshot *s, ken_str directory, ken_arena *arena,
                              ken_str *out, ken_err *err)
{
    bool is_root = !directory.len || ken_str_eq(directory, KEN_STR("."));
    ken_str clean = is_root ? KEN_STR("") : ken_query__relative_path(s, directory, arena);
    if (!clean.ptr)
        return KEN_FAIL(err, KEN_EINVAL,
                        "directory: '" KEN_STR_FMT
                        "' leads out of the project; name a folder below its root",
                        KEN_STR_ARG(ken_utf8_clip(directory, 100)));
    *out = clean.len && !ken_str_eq(clean, KEN_STR("."))
               ? ken_arena_printf(arena, KEN_STR_FMT "/", KEN_STR_ARG(clean))
               : KEN_STR("");
    return KEN_OK;
}

ken_status ken_list_folder(ken_snapshot *s, const ken_folder_opts *o, const ken_cancel *cancel,
                           ken_arena *arena, ken_folder *out, ken_err *err)
{
    walk w = { .s = s };
    ken_folder found = { .n = 0 };
    size_t total = 0;
    query_check_pin(s);
    ken_status st = find_prefix(s, o->directory, arena, &w.prefix, err);
    if (st)
        return st;
    w.from = (uint32_t)KEN_FIRST_STR(ken_file_row, path, s->rows, s->n_files, w.prefix);
    w.to = range_end(s, w.from, w.prefix);
    if (w.from == w.to && w.prefix.len)
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "directory: no file of the index is below '" KEN_STR_FMT "'",
                        KEN_STR_ARG(ken_utf8_clip(o->directory, 100)));
    st = o->filter.len ? find_fitting(&w, o, cancel, &total, err) : find_children(&w, cancel, err);
    if (!st) {
        found.path = ken_str_sub(w.prefix, 0, w.prefix.len ? w.prefix.len - 1 : 0);
        found.whole = sum_up(&w, w.from, w.to);
        if (o->filter.len)
            give_fitting(&w, total, arena, &found);
        else
            give_page(&w, o, arena, &found);
        *out = found;
    }
    ken_vec_release(&w.folders);
    ken_vec_release(&w.files);
    return st;
}
