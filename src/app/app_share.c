// SPDX-License-Identifier: MIT
// Worktrees of one repository share an index, and so do clones of it: what was learnt of a content is learnt once, and
// each costs what differs. The index is that of the project that was there first, the host; the others, its guests, are
// further trees in it. What people wrote stays with each project: the host's in the index file, a guest's in a file of its own.
#include <stdlib.h>

#include "app/app_priv.h"
#include "base/clock.h"
#include "proc/proc_git.h"

enum {
    WRITER_CACHE = 2 * 1024 * 1024,
    CLONES_MAX = 64, // projects that are looked at, those that were indexed last
    QUESTION_MAX = 256,
};

// ---- taking part -------------------------------------------------------------------------------

// Vectors of another model than the built-in one are of one project's settings.
static bool wants_builtin(ken_app *app, const ken_catalog_row *row)
{
    ken_config *settings = NULL;
    if (ken_config_load_project(app->config, row->root.ptr, &settings, NULL))
        return false;
    bool is = ken_str_eq_c(ken_config_str(settings, KEN_CFG_EMBED_PROVIDER), "builtin");
    ken_config_free(settings);
    return is;
}

// An index that others can use: it is whole, of one root, and answers by the built-in model. `out_commit` is the one that
// it was made of.
static bool is_usable(ken_app *app, const ken_catalog_row *row, ken_arena *arena,
                      ken_str *out_commit)
{
    ken_store *store = NULL;
    bool has_others = false;
    ken_str roots = KEN_STR("");
    ken_generation g = { 0 };
    const ken_project_info p = ken_app__project_of(row);
    if (!row->indexed_at_ms || !row->is_active || !wants_builtin(app, row) ||
        ken_app__open_index(&p, &(ken_store_opts){ .is_read_only = true }, &store, NULL))
        return false;
    bool is = !ken_store_load_generation(store, arena, &g, NULL) && g.number;
    is = is && !ken_index_load_roots(store, arena, &roots, NULL) && !roots.len;
    is = is && !ken_index_has_others(store, &has_others, NULL) && !has_others;
    ken_store_close(store);
    *out_commit = g.git_head;
    return is;
}

// ---- clones ------------------------------------------------------------------------------------

// Asks git in the new folder whether it has a commit. It is started for the first one.
static bool has_commit(ken_proc_talk **git, const char *root, ken_str commit)
{
    static const char *const argv[] = { "cat-file", "--batch-check", NULL };
    if (!commit.len ||
        (!*git && ken_git_talk(&(ken_proc_opts){ .argv = argv, .cwd = root }, git, NULL)))
        return false;
    ken_buf question = KEN_BUF_INIT(QUESTION_MAX), line = KEN_BUF_INIT(QUESTION_MAX);
    ken_buf_printf(&question, KEN_STR_FMT "\n", KEN_STR_ARG(commit));
    bool has = !ken_proc_talk_ask(*git, ken_buf_str(&question), NULL, &line, NULL) &&
               ken_str_find(ken_buf_str(&line), KEN_STR(" commit ")) != SIZE_MAX;
    ken_buf_release(&question);
    ken_buf_release(&line);
    return has;
}

static int newest_first(const void *x, const void *y)
{
    const ken_catalog_row *a = *(const ken_catalog_row *const *)x,
                          *b = *(const ken_catalog_row *const *)y;
    return (a->indexed_at_ms < b->indexed_at_ms) - (a->indexed_at_ms > b->indexed_at_ms);
}

// The project whose commit, or whose remote's, is in this repository: nothing else makes both clones of one.
static const ken_catalog_row *find_clone(ken_app *app, const ken_catalog_row *rows, size_t n,
                                         const ken_catalog_row *row, ken_arena *arena)
{
    const ken_catalog_row **list = KEN_ARENA_ARRAY(arena, const ken_catalog_row *, n + 1),
                          *found = NULL;
    ken_proc_talk *git = NULL;
    for (size_t i = 0; i < n; i++)
        list[i] = &rows[i];
    qsort(list, n, sizeof *list, newest_first);
    for (size_t i = 0; i < n && i < CLONES_MAX && !found; i++) {
        ken_str commit;
        if (!ken_uuid_eq(list[i]->id, row->id) && is_usable(app, list[i], arena, &commit) &&
            (has_commit(&git, row->root.ptr, commit) ||
             has_commit(
                 &git, row->root.ptr,
                 ken_app__read_ref(list[i]->root, KEN_STR("refs/remotes/origin/HEAD"), arena))))
            found = list[i];
    }
    ken_proc_talk_close(git);
    return found;
}

static const ken_catalog_row *find_host(ken_app *app, const ken_catalog_row *rows, size_t n,
                                        const ken_catalog_row *row, ken_arena *arena)
{
    ken_str repository = ken_app__common_dir(row->root, arena), commit;
    if (!repository.len || !wants_builtin(app, row))
        return NULL;
    for (size_t i = 0; i < n; i++) {
        const ken_catalog_row *r = &rows[i];
        if (!ken_uuid_eq(r->id, row->id) &&
            ken_str_eq(ken_app__common_dir(r->root, arena), repository) &&
            is_usable(app, r, arena, &commit))
            return r;
    }
    return find_clone(app, rows, n, row, arena);
}

ken_status ken_app__share_index(ken_app *app, ken_catalog *c, ken_arena *arena,
                                ken_catalog_row *row, ken_err *err)
{
    ken_catalog_row *rows = NULL;
    size_t n = 0;
    const ken_project_info own = ken_app__project_of(row);
    if (ken_app__has_index(&own))
        return KEN_OK;
    ken_status st = ken_catalog_list(c, arena, &rows, &n, err);
    const ken_catalog_row *host = st ? NULL : find_host(app, rows, n, row, arena);
    if (!host)
        return st;
    st = ken_catalog_share(c, row->id, host->index_of, err);
    return st ? st : ken_catalog_find_by_id(c, row->id, arena, row, err);
}

// ---- trees -------------------------------------------------------------------------------------

static ken_status open_index(const ken_project_info *project, ken_store **out, ken_err *err)
{
    ken_project_info first = *project; // the tree is named by who removes it
    first.tree = (ken_uuid){ { 0 } };
    const ken_store_opts opts = { .busy_ms = APP_WRITER_BUSY_MS, .cache_bytes = WRITER_CACHE };
    return ken_app__open_index(&first, &opts, out, err);
}

// In one transaction, with the contents that nobody has then.
typedef struct gone_trees {
    const ken_uuid *trees;
    size_t n;
} gone_trees;

static ken_status write_removal(ken_store *store, void *ctx, ken_err *err)
{
    const gone_trees *g = ctx;
    uint64_t n_removed = 0;
    ken_status st = KEN_OK;
    for (size_t i = 0; !st && i < g->n; i++)
        st = ken_store_remove_tree(store, g->trees[i], err);
    return st ? st : ken_store_collect(store, &n_removed, err);
}

static ken_status remove_trees(ken_store *store, const ken_uuid *trees, size_t n, ken_err *err)
{
    return ken_store_write(store, write_removal, &(gone_trees){ trees, n }, err);
}

typedef struct row_list {
    ken_catalog_row *ptr;
    size_t n;
} row_list;

typedef struct listing {
    ken_arena *arena;
    row_list rows;
} listing;

static ken_status list_rows(ken_catalog *c, void *ctx, ken_err *err)
{
    listing *l = ctx;
    return ken_catalog_list(c, l->arena, &l->rows.ptr, &l->rows.n, err);
}

static ken_status load_rows(ken_app *app, ken_arena *arena, row_list *out, ken_err *err)
{
    listing l = { .arena = arena };
    ken_status st = ken_app_with_catalog(app, false, list_rows, &l, err);
    *out = l.rows;
    return st;
}

static const ken_catalog_row *find_row(const row_list *rows, ken_uuid id)
{
    for (size_t i = 0; i < rows->n; i++)
        if (ken_uuid_eq(rows->ptr[i].id, id))
            return &rows->ptr[i];
    return NULL;
}

// Nobody asks for the files of a worktree that was removed, or of a project that is none any more. One that comes back
// is indexed again in no time. One without a generation is being indexed for the first time. A database has worktrees of
// other machines, too.
static bool is_abandoned(const row_list *rows, const ken_tree_info *tree, bool is_shared)
{
    const ken_catalog_row *row = find_row(rows, tree->project);
    return !row || (!is_shared && !ken_fs_exists(row->root.ptr) && tree->generation);
}

static ken_status drop_trees(ken_app *app, ken_store *store, ken_arena *arena, ken_err *err)
{
    ken_tree_info *trees = NULL;
    row_list rows = { 0 };
    size_t n = 0, n_gone = 0;
    ken_status st = ken_store_list_trees(store, arena, &trees, &n, err);
    if (!st && n > 1)
        st = load_rows(app, arena, &rows, err);
    ken_uuid *gone = KEN_ARENA_ARRAY(arena, ken_uuid, n + 1);
    for (size_t i = 0; !st && i < n; i++)
        if (!trees[i].is_first && !ken_app__is_revision(trees[i].project) &&
            is_abandoned(&rows, &trees[i], ken_store_place(store).database != NULL))
            gone[n_gone++] = trees[i].project;
    if (!st)
        n_gone += ken_app__unused_revisions(app, store, trees, n, arena, gone + n_gone);
    if (!st && n_gone)
        st = remove_trees(store, gone, n_gone, err);
    return st;
}

void ken_app__drop_trees(ken_app *app, ken_store *store)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    (void)drop_trees(app, store, &arena, NULL);
    ken_arena_release(&arena);
}

// ---- removing ----------------------------------------------------------------------------------

// The index of that name, and the file of its lock.
static ken_status erase(ken_app *app, ken_database *database, ken_str name, ken_err *err)
{
    ken_arena a;
    ken_arena_init(&a, 1024);
    ken_status st =
        ken_store_erase(&(ken_store_opts){ .path = name.ptr, .database = database }, err);
    if (!st)
        st = ken_fs_remove(ken_app__lock_path(app, database, name, &a).ptr, err);
    ken_arena_release(&a);
    return st;
}

// What people wrote in a file that others go on using.
static ken_status forget_notes(ken_store *store, void *ctx, ken_err *err)
{
    ken_arena *arena = ctx;
    ken_checkpoint_row row;
    ken_status st = KEN_OK;
    while (!st) {
        ken_status next = ken_store_next_checkpoint(store, 0, arena, &row, err);
        if (next == KEN_ENOTFOUND)
            break;
        st = next ? next : ken_store_remove_checkpoint(store, row.id, err);
    }
    return st ? st : ken_store_replace_rule_documents(store, NULL, 0, err);
}

// Of an index that others share the project's part alone.
static ken_status leave(const ken_project_info *project, ken_arena *arena, ken_err *err)
{
    ken_store *store = NULL;
    if (!ken_app__has_index(project))
        return KEN_OK;
    ken_status st = open_index(project, &store, err);
    if (!st && ken_app__is_host(project))
        st = ken_store_write(store, forget_notes, arena, err);
    if (!st)
        st = remove_trees(store, &project->tree, 1, err);
    ken_store_close(store);
    return st;
}

static bool is_shared(const row_list *rows, const ken_project_info *project)
{
    for (size_t i = 0; i < rows->n; i++)
        if (!ken_uuid_eq(rows->ptr[i].id, project->id) &&
            ken_str_eq(rows->ptr[i].db_path, project->db_path))
            return true;
    return false;
}

ken_status ken_app__remove_index(ken_app *app, const ken_project_info *project, ken_err *err)
{
    ken_arena arena;
    row_list rows = { 0 };
    ken_arena_init(&arena, 0);
    ken_status st = load_rows(app, &arena, &rows, err);
    bool is_others = !st && is_shared(&rows, project);
    if (!st && is_others)
        st = leave(project, &arena, err);
    else if (!st)
        st = erase(app, project->database, project->db_path, err);
    if (!st && !ken_app__is_host(project))
        st = erase(app, project->database, project->notes_path, err);
    ken_arena_release(&arena);
    return st;
}

// ---- parting -----------------------------------------------------------------------------------

typedef struct parting {
    const ken_project_info *project;
    const row_list *rows;
    ken_arena *arena;
    ken_uuid *trees; // that leave the index; room for all
    size_t n_trees;
    ken_project_info *out;
} parting;

// A guest leaves; from a host all guests do.
static ken_status part(ken_catalog *c, void *ctx, ken_err *err)
{
    parting *p = ctx;
    bool is_host = ken_app__is_host(p->project);
    ken_status st = KEN_OK;
    for (size_t i = 0; !st && i < p->rows->n; i++) {
        const ken_catalog_row *r = &p->rows->ptr[i];
        bool is_same = ken_uuid_eq(r->id, p->project->id);
        if (is_host == is_same || (is_host && !ken_uuid_eq(r->index_of, p->project->id)))
            continue;
        st = ken_catalog_share(c, r->id, r->id, err);
        if (!st)
            st = ken_catalog_set_indexed(c, r->id, 0, err);
        p->trees[p->n_trees++] = r->id;
    }
    ken_catalog_row row;
    if (!st)
        st = ken_catalog_find_by_id(c, p->project->id, p->arena, &row, err);
    if (!st)
        *p->out = ken_app__project_of(&row);
    return st;
}

ken_status ken_app__unshare(ken_app *app, const ken_project_info *project, ken_arena *arena,
                            ken_project_info *out, ken_err *err)
{
    row_list rows = { 0 };
    app_lock *lock = NULL;
    ken_store *store = NULL;
    const ken_str further = project->further;
    *out = *project;
    ken_status st = load_rows(app, arena, &rows, err);
    const ken_catalog_row *now = st ? NULL : find_row(&rows, project->id);
    if (now)
        *out = ken_app__project_of(now);
    out->further = further;
    if (st || !is_shared(&rows, out))
        return st;
    st = ken_app__lock_index(app, out, &lock, err);
    if (st)
        return st;
    const ken_project_info was = *out;
    parting p = { .project = &was,
                  .rows = &rows,
                  .arena = arena,
                  .trees = KEN_ARENA_ARRAY(arena, ken_uuid, rows.n + 1),
                  .out = out };
    st = ken_app_with_catalog(app, true, part, &p, err);
    out->further = further;
    if (!st && ken_app__has_index(&was))
        st = open_index(&was, &store, err);
    if (!st && store)
        st = remove_trees(store, p.trees, p.n_trees, err);
    ken_store_close(store);
    ken_app__unlock_index(app, lock);
    ken_app__drop_idle(app, project->id);
    return st;
}
