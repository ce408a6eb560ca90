// SPDX-License-Identifier: MIT
// Several trees in one index: each has its own files, skips, values and generation, whatever the others do. What is
// stored of them together is no business of who reads; so each is compared with a list that is kept beside it.
#include "conformance/store/store_matrix.h"

enum {
    N_TREES = 4,
    N_PATHS = 1600,
    N_CONTENTS = 40,
    N_ROUNDS = 120,
};

typedef struct known_file {
    int64_t content; // 0 = no such file
    ken_fs_stamp stamp;
    int64_t changed_at_ms;
} known_file;

typedef struct known_tree {
    bool is_there;
    uint64_t generation;
    known_file files[N_PATHS];
    uint32_t n_skips;
    char value[16];
} known_tree;

static known_tree known[N_TREES];
static int64_t contents[N_CONTENTS];
static uint64_t dice;

static uint32_t roll(uint32_t n)
{
    dice = dice * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)(dice >> 33) % n;
}

static ken_uuid project_of(int tree)
{
    ken_uuid id = { { 0 } };
    if (tree)
        memset(id.bytes, tree, sizeof id.bytes);
    return id;
}

static ken_store *open_tree(int tree, bool is_read_only)
{
    ken_store *s = NULL;
    kt_ok_err(
        ken_store_open(&(ken_store_opts){ .path = ktest_path(now->name),
                                          .database = now->is_postgres ? lab_database() : NULL,
                                          .is_read_only = is_read_only,
                                          .tree = project_of(tree) },
                       &s, &err),
        &err);
    now->decorate(s);
    return s;
}

static ken_str path_of(int i)
{
    return ken_arena_printf(&arena, "src/part%d/file%04d.c", i % 7, i);
}

static ken_fs_stamp new_stamp(int content)
{
    int64_t at = 1700000000000000000LL + (int64_t)roll(1000) * 4000000;
    return (ken_fs_stamp){ .size = (uint64_t)content * 10 + 1,
                           .mtime_ns = at,
                           .ctime_ns = at + (roll(4) ? 0 : 5000),
                           .inode = 100 + roll(100000) };
}

static void add_contents(ken_store *s)
{
    begin(s);
    for (uint32_t i = 0; i < N_CONTENTS; i++)
        kt_ok_err(scn_add_content(s, 5000 + i, &arena, &contents[i], &err), &err);
    commit(s);
}

// ---- one generation ----------------------------------------------------------------------------

static void put(ken_store *s, known_tree *t, int64_t id, int path, known_file f)
{
    const ken_file_row row = { .id = id,
                               .path = path_of(path),
                               .content = f.content,
                               .stamp = f.stamp,
                               .changed_at_ms = f.changed_at_ms };
    kt_ok_err(ken_store_put_file(s, &row, &err), &err);
    t->files[path] = f;
}

static int index_of(ken_str path)
{
    uint64_t n = 0;
    kt_true(ken_str_parse_u64(ken_str_sub(path, path.len - 6, path.len - 2), &n));
    return (int)n;
}

// Changes one in `of` of the files that are there, and adds as many.
static void change_files(ken_store *s, known_tree *t, uint32_t of)
{
    ken_file_row *rows = NULL;
    size_t n = 0;
    kt_ok_err(ken_store_load_files(s, &arena, &rows, &n, NULL, &err), &err);
    for (size_t i = 0; i < n; i++) {
        int path = index_of(rows[i].path);
        known_file f = t->files[path];
        bool is_new_tree = !t->generation;
        if (is_new_tree) // what it begins with: contents are right, times are not
            f = (known_file){ rows[i].content, rows[i].stamp, rows[i].changed_at_ms };
        uint32_t kind = roll(of);
        int elsewhere = (int)roll(N_PATHS), content = (int)roll(N_CONTENTS);
        if (kind == 0) {
            kt_ok_err(ken_store_remove_file(s, rows[i].id, &err), &err);
            t->files[path] = (known_file){ 0 };
        } else if (kind == 1) {
            put(s, t, rows[i].id, path,
                (known_file){ contents[content], new_stamp(content), roll(100000) });
        } else if (kind == 2 && !t->files[elsewhere].content && !is_new_tree) {
            put(s, t, rows[i].id, elsewhere, f);
            t->files[path] = (known_file){ 0 };
        } else if (kind == 3 || is_new_tree) {
            uint64_t size = f.stamp.size;
            f.stamp = new_stamp(0);
            f.stamp.size = size;
            put(s, t, rows[i].id, path, f);
        }
    }
    for (uint32_t i = 0; i < N_PATHS / of; i++) {
        int path = (int)roll(N_PATHS), content = (int)roll(N_CONTENTS);
        if (!t->files[path].content)
            put(s, t, 0, path, (known_file){ contents[content], new_stamp(content), roll(100000) });
    }
}

static void change_skips(ken_store *s, known_tree *t)
{
    ken_skip_row rows[64];
    t->n_skips = roll(3) ? 5 : roll(64); // most trees skip the same
    for (uint32_t i = 0; i < t->n_skips; i++)
        rows[i] = (ken_skip_row){ ken_arena_printf(&arena, "skipped%u", i), KEN_SKIP_BINARY };
    kt_ok_err(ken_store_replace_skips(s, rows, t->n_skips, &err), &err);
}

static void make_generation(int tree, uint32_t of)
{
    ken_store *s = open_tree(tree, false);
    known_tree *t = &known[tree];
    begin(s);
    change_files(s, t, of);
    change_skips(s, t);
    snprintf(t->value, sizeof t->value, "%u", roll(1000));
    kt_ok_err(ken_store_put_value(s, KEN_STR("index.some"), ken_str_c(t->value), &err), &err);
    kt_ok_err(ken_store_put_value(s, KEN_STR("embed.some"), KEN_STR("shared"), &err), &err);
    t->generation++;
    const ken_generation g = { .number = t->generation,
                               .at_ms = (int64_t)roll(1000),
                               .root = ken_arena_printf(&arena, "/tree%d", tree) };
    kt_ok_err(ken_store_put_generation(s, &g, &err), &err);
    if (roll(5)) {
        commit(s);
        t->is_there = true;
        ken_store_close(s);
        return;
    }
    ken_store_close(s); // with all that was written
}

// ---- looking -----------------------------------------------------------------------------------

static void check_files(ken_store *s, const known_tree *t)
{
    ken_file_row *rows = NULL;
    size_t n = 0, n_known = 0;
    kt_ok_err(ken_store_load_files(s, &arena, &rows, &n, NULL, &err), &err);
    for (int i = 0; i < N_PATHS; i++)
        n_known += t->files[i].content != 0;
    kt_eq_u(n, n_known);
    for (size_t i = 0; i < n; i++) {
        const known_file *f = &t->files[index_of(rows[i].path)];
        if (i)
            kt_true(ken_str_cmp(rows[i - 1].path, rows[i].path) < 0);
        kt_eq_i(rows[i].content, f->content);
        kt_eq_i(rows[i].changed_at_ms, f->changed_at_ms);
        kt_true(ken_fs_stamp_eq(rows[i].stamp, f->stamp));
    }
}

static void check_tree(ken_store *s, int tree)
{
    const known_tree *t = &known[tree];
    ken_generation g;
    ken_skip_row *skips = NULL;
    ken_value_info *values = NULL;
    ken_str value;
    size_t n = 0;
    kt_ok_err(ken_store_begin_read(s, &err), &err);
    kt_ok_err(ken_store_load_generation(s, &arena, &g, &err), &err);
    kt_eq_u(g.number, t->generation);
    if (t->generation) {
        kt_eq_text(g.root, ken_arena_printf(&arena, "/tree%d", tree).ptr);
        check_files(s, t);
        kt_ok_err(ken_store_load_skips(s, KEN_SKIP_NONE, 100, &arena, &skips, &n, &err), &err);
        kt_eq_u(n, t->n_skips);
        kt_ok_err(ken_store_load_value(s, KEN_STR("index.some"), &arena, &value, &err), &err);
        kt_eq_text(value, t->value);
        kt_ok_err(ken_store_list_values(s, &arena, &values, &n, &err), &err);
        kt_eq_u(n, 2);
        kt_eq_text(values[0].key, "embed.some");
        kt_eq_text(values[1].key, "index.some");
    }
    ken_store_rollback(s);
}

static void check_live(ken_store *s)
{
    bool is_live[N_CONTENTS] = { false };
    int64_t *ids = NULL;
    size_t n = 0;
    kt_ok_err(ken_store_list_live(s, &arena, &ids, &n, &err), &err);
    for (size_t i = 0; i < n; i++) {
        if (i)
            kt_true(ids[i - 1] < ids[i]);
        for (int c = 0; c < N_CONTENTS; c++)
            is_live[c] = is_live[c] || contents[c] == ids[i];
    }
    for (int t = 0; t < N_TREES; t++)
        for (int i = 0; i < N_PATHS; i++)
            for (int c = 0; c < N_CONTENTS; c++)
                if (known[t].files[i].content == contents[c])
                    kt_true(is_live[c]);
}

static void remove_one(ken_store *s, int tree)
{
    begin(s);
    kt_ok_err(ken_store_remove_tree(s, project_of(tree), &err), &err);
    commit(s);
    known[tree] = (known_tree){ .is_there = !tree };
}

STORE_TEST(trees_are_apart_whatever_each_does)
{
    ken_store *readers[N_TREES] = { NULL };
    memset(known, 0, sizeof known);
    known[0].is_there = true;
    dice = 20261124;
    add_contents(s);
    for (int round = 0; round < N_ROUNDS; round++) {
        int tree = round < 3 ? 0 : (int)roll(N_TREES);
        known_tree before = known[tree];
        bool is_new = !before.is_there;
        make_generation(tree, round % 10 == 9 ? 5 : 60);
        ken_store *probe = NULL;
        if (is_new && !known[tree].is_there) {
            known[tree] = before; // never committed
        } else {
            probe = open_tree(tree, true);
            ken_generation g;
            kt_ok_err(ken_store_load_generation(probe, &arena, &g, &err), &err);
            if (g.number == before.generation) // it was rolled back
                known[tree] = before;
            ken_store_close(probe);
        }
        for (int t = 0; t < N_TREES; t++) {
            if (known[t].is_there && !readers[t])
                readers[t] = open_tree(t, true);
            if (readers[t])
                check_tree(readers[t], t); // that was open all the while
        }
        if (round % 25 == 24) {
            int gone = round % 50 == 49 ? 0 : 1 + (int)roll(N_TREES - 1);
            ken_store_close(readers[gone]);
            readers[gone] = NULL;
            remove_one(s, gone);
        }
        check_live(s);
        ken_arena_reset(&arena);
    }
    for (int t = 0; t < N_TREES; t++)
        ken_store_close(readers[t]);
    kt_ok_err(ken_store_verify(s, &err), &err);
}

STORE_TEST(a_tree_that_is_not_there_is_not_read)
{
    ken_store *none = NULL;
    ken_store_opts opts = ken_store_place(s);
    opts.is_read_only = true;
    opts.tree = project_of(3);
    kt_true(ken_store_open(&opts, &none, &err) == KEN_ENOTFOUND);
    kt_true(!none);
}

STORE_TEST(a_list_of_trees_names_them)
{
    ken_tree_info *list = NULL;
    size_t n = 0;
    ken_store *other = open_tree(2, false);
    kt_ok_err(ken_store_list_trees(other, &arena, &list, &n, &err), &err);
    kt_eq_u(n, 2);
    kt_true(list[0].is_first && !list[1].is_first);
    kt_true(ken_uuid_eq(list[1].project, project_of(2)));
    ken_store_close(other);
    remove_one(s, 2);
    kt_ok_err(ken_store_list_trees(s, &arena, &list, &n, &err), &err);
    kt_eq_u(n, 1);
}

// A server may have a worktree open that is dropped, and another made meanwhile, or the same anew.
STORE_TEST(who_has_a_tree_open_that_is_gone_reads_no_other)
{
    ken_store *gone = open_tree(2, false);
    ken_store *reader = open_tree(2, true);
    kt_ok_err(ken_store_begin_read(reader, &err), &err);
    ken_store_rollback(reader);
    remove_one(s, 2);
    ken_store_close(open_tree(3, false));
    kt_status(ken_store_begin_read(reader, &err), KEN_ENOTFOUND);
    kt_status(ken_store_begin_write(gone, &err), KEN_ENOTFOUND);
    ken_store_close(open_tree(2, false));
    kt_status(ken_store_begin_read(reader, &err), KEN_ENOTFOUND);
    ken_store_close(reader);
    ken_store_close(gone);
    remove_one(s, 2);
    remove_one(s, 3);
}

// A path is held by one row of a tree, wherever that is kept.
STORE_TEST(a_path_of_the_list_is_taken)
{
    memset(known, 0, sizeof known);
    dice = 7;
    add_contents(s);
    begin(s);
    put(s, &known[0], 0, 1, (known_file){ contents[0], new_stamp(0), 1 });
    kt_ok_err(ken_store_put_generation(s, &(ken_generation){ .number = 1, .at_ms = 1 }, &err),
              &err);
    commit(s);
    ken_store *other = open_tree(1, false);
    begin(other);
    const ken_file_row row = { .path = path_of(1), .content = contents[1] };
    kt_true(ken_store_put_file(other, &row, &err) == KEN_EEXIST);
    ken_store_rollback(other);
    ken_store_close(other);
}
