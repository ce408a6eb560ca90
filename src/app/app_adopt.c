// SPDX-License-Identifier: MIT
// An index that no project has: a file that was copied into the data folder, from a backup or another
// machine, or that stayed when the list of projects was lost. A folder that becomes a project takes up the
// one that was made of it, with its checkpoints, model, scope and further roots, instead of making another.
//
// Which one was made of it: the one that names this root; else one whose root is not on this machine and
// whose commit is in the folder's repository. A name alone is no evidence.
#include <dirent.h>

#include "app/app.h"
#include "app/app_priv.h"
#include "base/clock.h"
#include "base/path.h"
#include "proc/proc_git.h"

enum {
    ENTRIES_MAX = 4096, // of the folder of indexes that are looked at
    OPENED_MAX = 64,
    GIT_MS = 3000,
};

static bool parse_name(ken_str name, ken_uuid *out)
{
    const ken_str head = KEN_STR("project-"), tail = KEN_STR(".db");
    return ken_str_starts(name, head) && ken_str_ends(name, tail) &&
           name.len > head.len + tail.len &&
           ken_uuid_parse(ken_str_sub(name, head.len, name.len - tail.len), out);
}

static bool is_known(const ken_catalog_row *rows, size_t n, ken_uuid id)
{
    for (size_t i = 0; i < n; i++)
        if (ken_uuid_eq(rows[i].id, id) || ken_uuid_eq(rows[i].index_of, id))
            return true;
    return false;
}

bool ken_app__has_commit(ken_str root, ken_str commit, ken_arena *arena)
{
    if (!ken_is_object_id(commit))
        return false;
    const char *argv[] = {
        "rev-parse", "--verify", "--quiet",
        ken_arena_printf(arena, KEN_STR_FMT "^{commit}", KEN_STR_ARG(commit)).ptr, NULL
    };
    const ken_proc_opts opts = {
        .argv = argv, .cwd = root.ptr, .timeout_ms = GIT_MS, .max_out_bytes = 1024
    };
    ken_proc_result r;
    if (ken_git_run(&opts, &r, NULL))
        return false;
    bool is_there = !r.exit_code;
    ken_proc_result_release(&r);
    return is_there;
}

typedef enum evidence {
    NO_EVIDENCE = 0,
    BY_COMMIT,
    BY_ROOT,
} evidence;

// Whether it was made of `root`.
static evidence evidence_of(const ken_generation *g, ken_str root, ken_arena *arena)
{
    if (!g->number || !g->root.len)
        return NO_EVIDENCE;
    if (ken_str_eq(g->root, root))
        return BY_ROOT;
    bool is_moved = !ken_fs_exists(g->root.ptr) && ken_app__has_commit(root, g->git_head, arena);
    return is_moved ? BY_COMMIT : NO_EVIDENCE;
}

typedef struct search {
    ken_str root;
    const ken_catalog_row *rows;
    size_t n_rows, n_opened;
    ken_arena *arena;
    ken_uuid id;
    evidence evidence;
    int64_t at_ms;
} search;

static void look_at(search *s, ken_str path, ken_uuid id)
{
    ken_store *store = NULL;
    ken_generation g = { 0 };
    if (s->n_opened++ >= OPENED_MAX ||
        ken_store_open(&(ken_store_opts){ .path = path.ptr, .is_read_only = true }, &store, NULL))
        return;
    if (!ken_store_load_generation(store, s->arena, &g, NULL)) {
        evidence e = evidence_of(&g, s->root, s->arena);
        if (e > s->evidence || (e && e == s->evidence && g.at_ms > s->at_ms)) {
            s->id = id;
            s->evidence = e;
            s->at_ms = g.at_ms;
        }
    }
    ken_store_close(store);
}

static bool find(const ken_app *app, ken_catalog *c, search *s)
{
    ken_catalog_row *rows = NULL;
    if (ken_catalog_list(c, s->arena, &rows, &s->n_rows, NULL))
        return false;
    s->rows = rows;
    DIR *dir = opendir(app->index_dir.ptr);
    const struct dirent *d = dir ? readdir(dir) : NULL;
    for (int n = 0; d && n < ENTRIES_MAX; n++) {
        ken_uuid id;
        ken_str name = ken_arena_dup(s->arena, ken_str_c(d->d_name));
        if (parse_name(name, &id) && !is_known(s->rows, s->n_rows, id))
            look_at(s, ken_path_join(s->arena, app->index_dir, name), id);
        d = readdir(dir);
    }
    if (dir)
        closedir(dir);
    ken_store_forget_damage(); // of files that are nobody's
    return s->evidence > 0;
}

// The same files beneath another root; whoever asks next compares them with what is there.
typedef struct new_root {
    ken_str root;
    ken_arena *arena;
} new_root;

static ken_status put_root(ken_store *store, void *ctx, ken_err *err)
{
    const new_root *to = ctx;
    ken_generation g;
    ken_status st = ken_store_load_generation(store, to->arena, &g, err);
    if (st || ken_str_eq(g.root, to->root))
        return st;
    g.number++;
    g.root = to->root;
    return ken_store_put_generation(store, &g, err);
}

// They are as wanted as they were; one whose folder is not on this machine is gone, which each answer says.
static ken_status take_further(ken_app *app, ken_catalog *c, ken_project_info *p, ken_arena *arena,
                               ken_err *err)
{
    ken_store *store = NULL;
    ken_str text = KEN_STR("");
    const ken_store_opts opts = { .path = p->db_path.ptr, .is_read_only = true };
    ken_status st = ken_store_open(&opts, &store, err);
    if (!st)
        st = ken_index_load_roots(store, arena, &text, err);
    ken_store_close(store);
    return st || !text.len ? st : ken_app__restore_further(app, c, p, text, arena, err);
}

static ken_status move_index(ken_app *app, const ken_project_info *p, ken_arena *arena,
                             ken_err *err)
{
    app_lock *lock = NULL;
    ken_store *store = NULL;
    ken_status st = ken_app__lock_index(app, p, &lock, err);
    if (!st)
        st = ken_app__open_index(p, &(ken_store_opts){ 0 }, &store, err);
    if (!st)
        st = ken_store_write(store, put_root, &(new_root){ p->root, arena }, err);
    ken_store_close(store);
    ken_app__unlock_index(app, lock);
    return st;
}

ken_status ken_app__take_up(ken_app *app, ken_catalog *c, ken_str root, ken_str name,
                            ken_arena *arena, ken_catalog_row *out, ken_err *err)
{
    search s = { .root = root, .arena = arena };
    ken_catalog_row row;
    if (ken_app__has_database(app) ||
        !find(app, c, &s)) // no file is taken into a database by its name
        return KEN_ENOTFOUND;
    ken_status st = ken_catalog_add_as(c, s.id, root, name, ken_clock_wall_ms(), arena, &row, err);
    if (st)
        return st == KEN_EEXIST ? KEN_ENOTFOUND : st; // another process was faster
    st = ken_catalog_set_indexed(c, s.id, s.at_ms, err);
    ken_project_info p = { .id = row.id,
                           .name = row.name,
                           .root = row.root,
                           .db_path = row.db_path,
                           .notes_path = row.notes_path };
    if (!st)
        st = take_further(app, c, &p, arena, err);
    if (!st && s.evidence == BY_COMMIT)
        st = move_index(app, &p, arena, err);
    row.indexed_at_ms = s.at_ms;
    if (!st)
        *out = row;
    return st;
}
