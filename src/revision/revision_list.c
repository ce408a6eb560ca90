// SPDX-License-Identifier: MIT
// What a commit has below the root, as `git ls-tree` prints it: "100644 blob <id>    1234\tpath".
#include <stdlib.h>

#include "base/vec.h"
#include "revision/revision_priv.h"

enum {
    LIST_BYTES = 1 << 30, // about ten million files
    ONE_BYTES = 16 << 10,
};

static ken_str take(ken_str *rest, char end)
{
    size_t at = ken_str_find_char(*rest, end);
    ken_str word = ken_str_sub(*rest, 0, at);
    *rest = ken_str_sub(*rest, at == SIZE_MAX ? rest->len : at + 1, rest->len);
    return word;
}

// git refuses to check these out, and so they are in no work tree.
static bool is_allowed(ken_str path)
{
    ken_str name, rest = path;
    bool is = path.len && path.ptr[0] != '/';
    while (is && ken_str_split_next(&rest, '/', &name))
        is = name.len && !ken_str_eq(name, KEN_STR(".")) && !ken_str_eq(name, KEN_STR("..")) &&
             !ken_str_eq_fold(name, KEN_STR(".git"));
    return is;
}

typedef struct listed {
    ken_revision_entry entry;
    ken_str id; // of its contents
} listed;

// False for what git would not check out. `*out_lacks`: the clone does not have its contents, and so no size.
static bool read_entry(ken_str line, int64_t time_s, listed *out, bool *out_lacks)
{
    ken_str mode = take(&line, ' '), type = take(&line, ' '), id = take(&line, ' ');
    ken_str size = ken_str_trim(take(&line, '\t'));
    *out = (listed){ .entry = { .path = line, .kind = KEN_FS_DIR }, .id = id };
    *out_lacks = false;
    uint64_t n = 0;
    if (ken_str_eq(type, KEN_STR("blob"))) {
        out->entry.kind = ken_str_starts(mode, KEN_STR("100"))   ? KEN_FS_FILE
                          : ken_str_starts(mode, KEN_STR("120")) ? KEN_FS_LINK
                                                                 : KEN_FS_OTHER;
        *out_lacks = !ken_str_parse_u64(size, &n);
    }
    out->entry.stamp = (ken_fs_stamp){ .size = n,
                                       .mtime_ns = time_s * 1000000000,
                                       .ctime_ns = time_s * 1000000000 };
    return is_allowed(line);
}

static ken_status complain(const ken_proc_result *r, ken_str id, ken_err *err)
{
    ken_str why = ken_proc_complaint(r);
    bool is_partial = ken_str_find(ken_buf_str(&r->errors), KEN_STR("promisor")) != SIZE_MAX ||
                      ken_str_find(why, KEN_STR("could not get object info")) != SIZE_MAX ||
                      ken_str_find(why, KEN_STR("lazy fetching")) != SIZE_MAX;
    return KEN_FAIL(err, is_partial ? KEN_EIO : KEN_EUNSUPPORTED,
                    is_partial ? "this clone lacks contents of commit %.*s: it is a partial clone, "
                                 "and nothing is fetched for a question (git: %.*s)"
                               : "git cannot list commit %.*s: %.*s",
                    id.len < 12 ? (int)id.len : 12, id.ptr, why.len < 200 ? (int)why.len : 200,
                    why.ptr);
}

static int by_path(const void *a, const void *b)
{
    return ken_str_cmp(((const listed *)a)->entry.path, ((const listed *)b)->entry.path);
}

// Sorted by bytes, and each path once: a damaged tree may have it twice.
static size_t sort_entries(listed *list, size_t n)
{
    size_t n_kept = 0;
    if (n)
        qsort(list, n, sizeof *list, by_path);
    for (size_t i = 0; i < n; i++)
        if (!n_kept || !ken_str_eq(list[n_kept - 1].entry.path, list[i].entry.path))
            list[n_kept++] = list[i];
    return n_kept;
}

// What the caller gets, and what later reads go by.
static ken_revision_entry *keep(ken_revision *r, const listed *list, size_t n, ken_arena *arena,
                                size_t *out_n)
{
    ken_revision_entry *entries = KEN_ARENA_ARRAY(arena, ken_revision_entry, n + 1);
    revision_known *known = KEN_ARENA_ARRAY(arena, revision_known, n + 1);
    for (size_t i = 0; i < n; i++) {
        entries[i] = list[i].entry;
        known[i] = (revision_known){ list[i].entry.path, list[i].id };
    }
    pthread_mutex_lock(&r->lock);
    r->known = known;
    r->n_known = n;
    pthread_mutex_unlock(&r->lock);
    *out_n = n;
    return entries;
}

ken_status ken_revision_list(ken_revision *r, const ken_cancel *cancel, ken_arena *arena,
                             ken_revision_entry **out, size_t *out_n, ken_err *err)
{
    const char *argv[] = { "ls-tree", "-r", "-z", "--long", r->id.ptr, NULL };
    int64_t time_s = 0;
    ken_proc_result printed;
    ken_status st = ken_revision__time(r, cancel, &time_s, err);
    if (!st)
        st = ken_revision__run(r->root, argv, LIST_BYTES, cancel, &printed, err);
    if (st)
        return st;
    KEN_VEC(listed) entries = { 0 };
    listed e;
    bool is_lacking = false;
    ken_str rest = ken_buf_str(&printed.out), line;
    if (printed.exit_code)
        st = complain(&printed, r->id, err);
    while (!st && ken_str_split_next(&rest, '\0', &line)) {
        if (!line.len || !read_entry(line, time_s, &e, &is_lacking))
            continue;
        if (is_lacking)
            st = ken_revision__lacks(r, e.entry.path, err);
        e.entry.path = ken_arena_dup(arena, e.entry.path);
        e.id = ken_arena_dup(arena, e.id);
        ken_vec_push(&entries, e);
    }
    ken_proc_result_release(&printed);
    if (!st)
        *out = keep(r, entries.ptr, sort_entries(entries.ptr, entries.len), arena, out_n);
    ken_vec_release(&entries);
    return st;
}

ken_status ken_revision_find(ken_revision *r, ken_str path, const ken_cancel *cancel,
                             ken_revision_entry *out, ken_err *err)
{
    ken_arena arena;
    ken_proc_result printed;
    ken_arena_init(&arena, 1024);
    const char *argv[] = { "ls-tree", "-z", "--long",
                           r->id.ptr, "--", ken_arena_dup(&arena, path).ptr,
                           NULL };
    ken_status st = ken_revision__run(r->root, argv, ONE_BYTES, cancel, &printed, err);
    if (!st) {
        ken_str rest = ken_buf_str(&printed.out), line = KEN_STR("");
        listed e = { .id = KEN_STR("") };
        bool is_lacking = false;
        bool is_there = !printed.exit_code && ken_str_split_next(&rest, '\0', &line) &&
                        read_entry(line, 0, &e, &is_lacking) && ken_str_eq(e.entry.path, path);
        if (printed.exit_code)
            st = complain(&printed, r->id, err);
        else if (!is_there)
            st = KEN_FAIL(err, KEN_ENOTFOUND, "'" KEN_STR_FMT "' is not in commit " KEN_STR_FMT,
                          KEN_STR_ARG(ken_str_sub(path, 0, 200)),
                          KEN_STR_ARG(ken_str_sub(r->id, 0, 12)));
        if (!st)
            *out =
                (ken_revision_entry){ .path = path, .kind = e.entry.kind, .stamp = e.entry.stamp };
        ken_proc_result_release(&printed);
    }
    ken_arena_release(&arena);
    return st;
}
