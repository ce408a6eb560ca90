// SPDX-License-Identifier: MIT
// ken migrate: rows first, then index by index. In the target's catalog a value says whose copy it is and whether it is
// whole, one more for each index that is: a digest of what it holds. So the next run knows what it need not move again,
// and every other program that the target is not to be used yet. At the end sums of all rows and all indexes of both
// sides are compared; nothing counts as moved that was not read back.
#include <string.h>

#include "app/app_priv.h"
#include "app/migrate.h"
#include "base/path.h"
#include "store/move.h"

#define STATE      KEN_CATALOG_MOVE_STATE
#define UNFINISHED KEN_CATALOG_MOVE_UNFINISHED
#define WHOLE      "whole "
#define INDEX_MARK "move.index."
#define OWN_ID     "move.id" // of an installation of files

typedef struct place {
    ken_database *database; // owned; NULL: files
    ken_catalog *catalog;   // owned; NULL: there is none (a dry run)
    ken_str name;           // for people
    ken_str identity;       // of this place, on whichever machine
    ken_catalog_row *rows;  // its projects
    size_t n_rows;
} place;

// An index of the source and where it goes.
typedef struct pair {
    ken_store_opts from, to;
    ken_str project;
    uint64_t stamp; // of the source, when it was summed
} pair;

typedef struct migration {
    ken_app *app;
    const ken_migrate_opts *opts;
    const ken_cancel *cancel;
    ken_arena *arena;
    ken_migrate_report *out;
    ken_migrate_index *indexes;
    place from, to;
    pair *pairs;
    size_t n_pairs;
    const char *stage;
} migration;

// ---- places --------------------------------------------------------------------------------------

static bool is_url(ken_str s)
{
    return ken_str_find(s, KEN_STR("://")) != SIZE_MAX;
}

static ken_status check_spec(ken_str spec, const char *option, ken_err *err)
{
    bool is_database =
        ken_str_starts(spec, KEN_STR("postgres")) && is_url(spec); // what follows is checked later
    if (!spec.len || ken_str_eq_c(spec, "files") || is_database)
        return KEN_OK;
    if (is_url(spec)) // it may have a password
        return KEN_FAIL(err, KEN_EINVAL, "%s: not a URL of PostgreSQL (postgres://...)", option);
    return KEN_FAIL(err, KEN_EINVAL,
                    "%s: '" KEN_STR_FMT "' is neither 'files' nor a URL of PostgreSQL", option,
                    KEN_STR_ARG(ken_str_sub(spec, 0, 100)));
}

static bool is_of_files(const migration *m, ken_str spec)
{
    return ken_str_eq_c(spec, "files") || (!spec.len && !ken_app__has_database(m->app));
}

static ken_status open_database_place(migration *m, ken_str spec, bool is_source, place *p,
                                      ken_err *err)
{
    bool is_left = is_source || m->opts->is_dry_run;
    ken_status st = ken_app__open_database(m->app, spec, is_left, &p->database, err);
    if (st)
        return st;
    p->name = ken_arena_dup(m->arena, ken_str_c(ken_database_name(p->database)));
    p->identity = p->name;
    return ken_catalog_open_in(p->database, is_left, &p->catalog, err);
}

// Files have a number of their own, wherever they are mounted and whatever the machine is called.
static ken_status identify(const migration *m, place *p, bool may_write, ken_err *err)
{
    char text[KEN_UUID_TEXT];
    ken_str id = KEN_STR("");
    ken_status st = ken_catalog_load_value(p->catalog, KEN_STR(OWN_ID), m->arena, &id, err);
    if (st == KEN_ENOTFOUND && !may_write)
        return KEN_OK; // it was never moved
    if (st == KEN_ENOTFOUND) {
        ken_uuid_format(ken_uuid_random(), text);
        id = ken_arena_dup(m->arena, ken_str_c(text));
        st = ken_catalog_put_value(p->catalog, KEN_STR(OWN_ID), id, err);
    }
    if (!st)
        p->identity =
            ken_arena_printf(m->arena, "the files of installation " KEN_STR_FMT, KEN_STR_ARG(id));
    return st;
}

// Who opens it for writing puts in what its journal has beyond it; a folder that may not be written is read as it is.
static ken_status open_files(migration *m, bool is_source, place *p, ken_err *err)
{
    const char *path = m->app->catalog_path.ptr;
    p->name = ken_arena_printf(m->arena, "files below " KEN_STR_FMT,
                               KEN_STR_ARG(ken_config_data_dir(m->app->config)));
    p->identity = p->name;
    bool is_there = ken_fs_exists(path) || ken_catalog_has_journal(path);
    if (!is_there && is_source)
        return KEN_FAIL(err, KEN_ENOTFOUND, "there is nothing to move: '%s' is not there", path);
    if (!is_there && m->opts->is_dry_run)
        return KEN_OK;
    ken_status st = ken_catalog_open(path, false, &p->catalog, err);
    bool may_write = !m->opts->is_dry_run && st != KEN_EPERM;
    if (st == KEN_EPERM && is_source)
        st = ken_catalog_open(path, true, &p->catalog, err);
    return st ? st : identify(m, p, may_write, err);
}

static ken_status open_place(migration *m, ken_str spec, bool is_source, place *p, ken_err *err)
{
    return is_of_files(m, spec) ? open_files(m, is_source, p, err)
                                : open_database_place(m, spec, is_source, p, err);
}

static void close_place(place *p)
{
    ken_catalog_close(p->catalog);
    ken_database_close(p->database);
}

static ken_status load_rows(place *p, ken_arena *arena, ken_err *err)
{
    return p->catalog ? ken_catalog_list(p->catalog, arena, &p->rows, &p->n_rows, err) : KEN_OK;
}

static const ken_catalog_row *find_row(const place *p, ken_uuid id)
{
    for (size_t i = 0; i < p->n_rows; i++)
        if (ken_uuid_eq(p->rows[i].id, id))
            return &p->rows[i];
    return NULL;
}

// ---- the state of the target ---------------------------------------------------------------------

static ken_status put_state(migration *m, const char *word, ken_err *err)
{
    ken_str state =
        ken_arena_printf(m->arena, "%s" KEN_STR_FMT, word, KEN_STR_ARG(m->from.identity));
    return ken_catalog_put_value(m->to.catalog, KEN_STR(STATE), state, err);
}

// What a catalog has from its first moment does not count: the models that are known.
static ken_status check_empty(migration *m, ken_err *err)
{
    ken_move_sums sums;
    const ken_move_job job = { NULL, NULL, m->cancel };
    ken_status st = ken_move_sum_catalog(m->to.catalog, &job, &sums, err);
    for (int i = 0; !st && i < KEN_MOVE_PART_COUNT; i++) {
        if (i == KEN_MOVE_MODELS || !sums.parts[i].n)
            continue;
        st = KEN_FAIL(err, KEN_EEXIST,
                      "in " KEN_STR_FMT " there is something already: %llu %s. Only an empty "
                      "place, or the unfinished copy of this source, is moved into",
                      KEN_STR_ARG(m->to.name), (unsigned long long)sums.parts[i].n,
                      ken_move_word((ken_move_part)i));
    }
    return st;
}

static ken_status check_target(migration *m, ken_err *err)
{
    ken_str state;
    ken_status st =
        m->to.catalog ? ken_catalog_load_value(m->to.catalog, KEN_STR(STATE), m->arena, &state, err)
                      : KEN_OK;
    if (!m->to.catalog)
        return st;
    if (st == KEN_ENOTFOUND)
        return check_empty(m, err);
    if (st)
        return st;
    m->out->was_whole = ken_str_starts(state, KEN_STR(WHOLE));
    m->out->goes_on = !m->out->was_whole;
    size_t n = m->out->was_whole ? sizeof WHOLE - 1 : sizeof UNFINISHED - 1;
    ken_str source = ken_str_sub(state, n, state.len);
    if (ken_str_eq(source, m->from.identity))
        return KEN_OK;
    return KEN_FAIL(err, KEN_EEXIST,
                    "in " KEN_STR_FMT " there is a copy of another installation, of " KEN_STR_FMT,
                    KEN_STR_ARG(m->to.name), KEN_STR_ARG(source));
}

// ---- indexes -------------------------------------------------------------------------------------

static ken_str mark_of(const migration *m, const pair *p)
{
    ken_str name = ken_path_base(ken_str_c(p->from.path));
    return ken_arena_printf(m->arena, INDEX_MARK KEN_STR_FMT, KEN_STR_ARG(name));
}

static bool is_known(const migration *m, ken_str path)
{
    for (size_t i = 0; i < m->n_pairs; i++)
        if (ken_str_eq_c(path, m->pairs[i].from.path))
            return true;
    return false;
}

// An index that was never made is none of the target's, either.
static ken_status add_pair(migration *m, const ken_catalog_row *row, ken_str from, ken_str to,
                           ken_err *err)
{
    uint64_t identity;
    pair p = { .from = { .path = from.ptr, .database = row->database, .is_read_only = true },
               .to = { .path = to.ptr, .database = m->to.database },
               .project = row->name };
    if (is_known(m, from))
        return KEN_OK;
    ken_status st = ken_store_identify(&p.from, &identity, err);
    if (!st)
        m->pairs[m->n_pairs++] = p;
    if (st == KEN_ENOTFOUND)
        st = to.len && !m->opts->is_dry_run ? ken_store_erase(&p.to, err) : KEN_OK;
    return st;
}

static ken_status list_pairs(migration *m, ken_err *err)
{
    const ken_catalog_row nowhere = { .db_path = { "", 0 }, .notes_path = { "", 0 } };
    ken_status st = KEN_OK;
    m->pairs = KEN_ARENA_ARRAY(m->arena, pair, 2 * m->from.n_rows + 1);
    for (size_t i = 0; !st && i < m->from.n_rows; i++) {
        const ken_catalog_row *row = &m->from.rows[i], *there = find_row(&m->to, row->id);
        if (!there && !m->opts->is_dry_run)
            st = KEN_FAIL(err, KEN_EBUSY,
                          "project '" KEN_STR_FMT "' was added meanwhile; run the command again",
                          KEN_STR_ARG(row->name));
        there = there ? there : &nowhere;
        if (!st)
            st = add_pair(m, row, row->db_path, there->db_path, err);
        if (!st)
            st = add_pair(m, row, row->notes_path, there->notes_path, err);
    }
    return st;
}

static void on_progress(void *ctx, uint64_t done, uint64_t total)
{
    const migration *m = ctx;
    const ken_index_progress p = { m->stage, done, total, 0, 0, 0 };
    if (m->opts->on_progress)
        m->opts->on_progress(m->opts->progress_ctx, &p);
}

static ken_status load_mark(migration *m, const pair *p, ken_str *out, ken_err *err)
{
    *out = KEN_STR("");
    ken_status st = ken_catalog_load_value(m->to.catalog, mark_of(m, p), m->arena, out, err);
    return st == KEN_ENOTFOUND ? KEN_OK : st;
}

static ken_str digest_text(const migration *m, const ken_move_sums *sums)
{
    char text[2 * sizeof(ken_sha256) + 1];
    ken_sha256 digest = ken_move_digest(sums);
    ken_hex_into(digest.bytes, sizeof digest.bytes, text);
    return ken_arena_dup(m->arena, ken_str_c(text));
}

static ken_status refuse_difference(const migration *m, const ken_move_sums *a,
                                    const ken_move_sums *b, const pair *p, ken_err *err)
{
    ken_move_part part = ken_move_compare(a, b);
    return KEN_FAIL(err, KEN_EBUSY,
                    "the two places differ%s" KEN_STR_FMT
                    ": %s, %llu there and %llu in " KEN_STR_FMT
                    ". Stop what uses the source and run the command again; what is whole is not "
                    "moved again",
                    p ? " in project " : "", KEN_STR_ARG(p ? p->project : KEN_STR("")),
                    ken_move_word(part), (unsigned long long)a->parts[part].n,
                    (unsigned long long)b->parts[part].n, KEN_STR_ARG(m->to.name));
}

static ken_status sum(migration *m, const char *stage, const ken_store_opts *at, ken_move_sums *out,
                      ken_err *err)
{
    const ken_move_job job = { on_progress, m, m->cancel };
    m->stage = stage;
    return ken_move_sum_index(at, &job, out, err);
}

// Texts that a database keeps come from the folders, where this machine has them; else a run there makes them later.
static ken_status fill_tree(migration *m, const pair *p, const ken_tree_info *t, ken_err *err)
{
    ken_store *store = NULL;
    ken_index_fill_report r = { 0 };
    ken_store_opts at = p->to;
    static const ken_uuid none;
    if (!t->generation || !t->root.len || !ken_fs_exists(t->root.ptr))
        return KEN_OK;
    at.tree = t->is_first ? none : t->project;
    ken_status st = ken_store_open(&at, &store, err);
    if (!st)
        st = ken_index_fill(store, t->root.ptr,
                            ken_config_u64(m->app->config, KEN_CFG_MAX_FILE_SIZE), m->cancel, &r,
                            err);
    ken_store_close(store);
    return st;
}

static ken_status fill_rows(migration *m, const pair *p, ken_err *err)
{
    ken_store *store = NULL;
    ken_tree_info *trees = NULL;
    size_t n = 0;
    ken_store_opts at = p->to;
    if (!m->to.database)
        return KEN_OK;
    at.is_read_only = true;
    ken_status st = ken_store_open(&at, &store, err);
    if (!st)
        st = ken_store_list_trees(store, m->arena, &trees, &n, err);
    ken_store_close(store);
    for (size_t i = 0; !st && i < n; i++)
        st = fill_tree(m, p, &trees[i], err);
    return st;
}

static ken_status move_pair(migration *m, pair *p, const ken_move_sums *source, ken_err *err)
{
    const ken_move_job job = { on_progress, m, m->cancel };
    ken_move_sums target;
    m->stage = "moving";
    ken_status st = ken_move_index(&p->from, &p->to, &job, err);
    if (!st)
        st = sum(m, "comparing", &p->to, &target, err);
    if (!st && ken_move_compare(source, &target) != KEN_MOVE_PART_COUNT)
        st = refuse_difference(m, source, &target, p, err);
    if (!st)
        st = fill_rows(m, p, err);
    if (!st)
        st = ken_catalog_put_value(m->to.catalog, mark_of(m, p), digest_text(m, source), err);
    if (!st)
        ken_move_join(&m->out->target, &target);
    return st;
}

// One that was whole is read back, too: what its mark says is looked at.
static ken_status keep_pair(migration *m, const pair *p, const ken_move_sums *source,
                            bool *out_is_kept, ken_err *err)
{
    ken_str mark;
    ken_move_sums target;
    ken_status st = load_mark(m, p, &mark, err);
    *out_is_kept = false;
    if (st || !ken_str_eq(mark, digest_text(m, source)))
        return st;
    st = sum(m, "comparing", &p->to, &target, err);
    if (st == KEN_ENOTFOUND)
        return KEN_OK;
    if (st || ken_move_compare(source, &target) != KEN_MOVE_PART_COUNT)
        return st;
    *out_is_kept = true;
    ken_move_join(&m->out->target, &target);
    return KEN_OK;
}

static ken_status do_pair(migration *m, size_t i, ken_err *err)
{
    pair *p = &m->pairs[i];
    ken_migrate_index *told = &m->indexes[i];
    ken_move_sums source;
    ken_status st = ken_move_stamp_index(&p->from, &p->stamp, err);
    if (!st)
        st = sum(m, "reading", &p->from, &source, err);
    if (st)
        return st;
    told->n_trees = source.parts[KEN_MOVE_TREES].n;
    told->n_files = source.parts[KEN_MOVE_FILES].n;
    ken_move_join(&m->out->source, &source);
    if (m->opts->is_dry_run)
        return KEN_OK;
    st = keep_pair(m, p, &source, &told->is_kept, err);
    return st || told->is_kept ? st : move_pair(m, p, &source, err);
}

static ken_status do_pairs(migration *m, ken_err *err)
{
    ken_status st = KEN_OK;
    m->indexes = KEN_ARENA_ARRAY(m->arena, ken_migrate_index, m->n_pairs + 1);
    for (size_t i = 0; !st && i < m->n_pairs; i++) {
        ken_store *store = NULL;
        const pair *p = &m->pairs[i];
        m->indexes[i] = (ken_migrate_index){ .project = p->project,
                                             .name = ken_path_base(ken_str_c(p->from.path)) };
        st = ken_store_open(&p->from, &store, err);
        if (!st)
            st = ken_store_get_size(store, &m->indexes[i].n_bytes, err);
        ken_store_close(store);
        if (!st)
            st = do_pair(m, i, err);
    }
    m->out->indexes = m->indexes;
    m->out->n_indexes = m->n_pairs;
    return st;
}

// ---- the whole -----------------------------------------------------------------------------------

// Projects that the source has no more take their indexes along.
static ken_status erase_gone(migration *m, ken_err *err)
{
    ken_status st = load_rows(&m->to, m->arena, err);
    for (size_t i = 0; !st && i < m->to.n_rows; i++) {
        const ken_catalog_row *row = &m->to.rows[i];
        const ken_store_opts own = { .path = row->notes_path.ptr, .database = m->to.database };
        if (!find_row(&m->from, row->id))
            st = ken_store_erase(&own, err);
    }
    return st;
}

static ken_status move_rows(migration *m, ken_err *err)
{
    const ken_move_job job = { on_progress, m, m->cancel };
    m->stage = "moving";
    ken_status st = erase_gone(m, err);
    if (!st)
        st = ken_move_catalog(m->from.catalog, m->to.catalog, &job, err);
    return st ? st : load_rows(&m->to, m->arena, err);
}

static ken_status compare_rows(migration *m, ken_err *err)
{
    const ken_move_job job = { on_progress, m, m->cancel };
    ken_move_sums source, target;
    m->stage = "comparing";
    ken_status st = ken_move_sum_catalog(m->from.catalog, &job, &source, err);
    if (st || m->opts->is_dry_run) {
        if (!st)
            ken_move_join(&m->out->source, &source);
        return st;
    }
    st = ken_move_sum_catalog(m->to.catalog, &job, &target, err);
    if (!st && ken_move_compare(&source, &target) != KEN_MOVE_PART_COUNT)
        st = refuse_difference(m, &source, &target, NULL, err);
    ken_move_join(&m->out->source, &source);
    ken_move_join(&m->out->target, &target);
    return st;
}

// An index that was moved first may have gone on while the last was moved.
static ken_status check_still(migration *m, ken_err *err)
{
    ken_status st = KEN_OK;
    for (size_t i = 0; !st && i < m->n_pairs; i++) {
        uint64_t stamp = 0;
        st = ken_move_stamp_index(&m->pairs[i].from, &stamp, err);
        if (!st && stamp != m->pairs[i].stamp)
            st = KEN_FAIL(err, KEN_EBUSY,
                          "the index of project '" KEN_STR_FMT
                          "' changed while it was moved. Stop what uses the source and run the "
                          "command again; what is whole is not moved again",
                          KEN_STR_ARG(m->pairs[i].project));
    }
    return st;
}

static ken_status finish(migration *m, ken_err *err)
{
    ken_status st = put_state(m, WHOLE, err);
    for (size_t i = 0; !st && i < m->n_pairs; i++)
        st = ken_catalog_put_value(m->to.catalog, mark_of(m, &m->pairs[i]), (ken_str){ NULL, 0 },
                                   err);
    return st;
}

static ken_status look_only(migration *m, ken_err *err)
{
    ken_status st = load_rows(&m->to, m->arena, err);
    if (!st)
        st = list_pairs(m, err);
    if (!st)
        st = do_pairs(m, err);
    return st ? st : compare_rows(m, err);
}

// It was whole before: both are read, and nothing is written.
static ken_status compare_whole(migration *m, ken_err *err)
{
    ken_status st = load_rows(&m->to, m->arena, err);
    if (!st)
        st = list_pairs(m, err);
    for (size_t i = 0; !st && i < m->n_pairs; i++) {
        ken_move_sums source, target;
        st = sum(m, "comparing", &m->pairs[i].from, &source, err);
        if (!st)
            st = sum(m, "comparing", &m->pairs[i].to, &target, err);
        if (st)
            break;
        ken_move_join(&m->out->source, &source);
        ken_move_join(&m->out->target, &target);
    }
    if (!st)
        st = compare_rows(m, err);
    bool is_same = !st && ken_move_compare(&m->out->source, &m->out->target) == KEN_MOVE_PART_COUNT;
    if (is_same || (st && st != KEN_EBUSY && st != KEN_ENOTFOUND))
        return st;
    return KEN_FAIL(err, KEN_EEXIST,
                    "in " KEN_STR_FMT
                    " there is a whole copy of this source, and one of the two has changed since",
                    KEN_STR_ARG(m->to.name));
}

static ken_status move_all(migration *m, ken_err *err)
{
    ken_status st = put_state(m, UNFINISHED, err);
    if (!st)
        st = move_rows(m, err);
    if (!st)
        st = list_pairs(m, err);
    if (!st)
        st = do_pairs(m, err);
    if (!st)
        st = compare_rows(m, err);
    if (!st)
        st = check_still(m, err);
    return st ? st : finish(m, err);
}

// Of the two at least one is a database, and they are not the same.
static ken_status check_places(const migration *m, ken_err *err)
{
    if (!ken_str_eq(m->from.identity, m->to.identity))
        return KEN_OK;
    return KEN_FAIL(err, KEN_EINVAL,
                    "source and target are the same, " KEN_STR_FMT
                    ": name another place with --from or --to",
                    KEN_STR_ARG(m->from.name));
}

static ken_status run(migration *m, ken_err *err)
{
    ken_status st = open_place(m, m->opts->from, true, &m->from, err);
    if (st)
        return st;
    if (is_of_files(m, m->opts->from) && is_of_files(m, m->opts->to))
        m->to.identity = m->from.identity;
    else
        st = open_place(m, m->opts->to, false, &m->to, err);
    if (st == KEN_ENOTFOUND && m->opts->is_dry_run) { // tables that a dry run does not make
        st = KEN_OK;
        m->to.name = KEN_STR("a database without tables of ken");
    }
    if (!st)
        st = check_places(m, err);
    if (!st)
        st = ken_catalog_check_whole(m->from.catalog, err);
    if (!st)
        st = load_rows(&m->from, m->arena, err);
    if (!st)
        st = check_target(m, err);
    m->out->from = m->from.name;
    m->out->to = m->to.name;
    if (st)
        return st;
    if (m->opts->is_dry_run)
        return look_only(m, err);
    return m->out->was_whole ? compare_whole(m, err) : move_all(m, err);
}

ken_status ken_app_migrate(ken_app *app, const ken_migrate_opts *opts, const ken_cancel *cancel,
                           ken_arena *arena, ken_migrate_report *out, ken_err *err)
{
    int lock = -1;
    migration m = { .app = app, .opts = opts, .cancel = cancel, .arena = arena, .out = out };
    *out = (ken_migrate_report){ 0 };
    ken_status st = check_spec(opts->from, "--from", err);
    if (!st)
        st = check_spec(opts->to, "--to", err);
    if (!st)
        st = ken_fs_make_dirs(app->index_dir.ptr, 0700, err);
    if (st)
        return st;
    ken_str name = ken_path_join(arena, app->index_dir, KEN_STR("migrate.lock"));
    st = ken_fs_lock(name.ptr, &lock, err);
    if (st)
        return st == KEN_EBUSY ? KEN_FAIL(err, st, "another 'ken migrate' is at work") : st;
    st = run(&m, err);
    close_place(&m.from);
    close_place(&m.to);
    ken_fs_unlock(lock);
    return st;
}
