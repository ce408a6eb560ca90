// SPDX-License-Identifier: MIT
// Where projects and their indexes are kept: in files of the data folder, or in the PostgreSQL database that
// settings name. What opens them is here; all else asks the same of both.
#include "app/app_priv.h"
#include "base/alloc.h"
#include "base/path.h"
#include "store/move.h"

// ---- the database ------------------------------------------------------------------------------

bool ken_app__has_database(const ken_app *app)
{
    ken_str url = ken_config_str(app->config, KEN_CFG_DATABASE_URL);
    return url.len ? !ken_str_eq_c(url, "none")
                   : ken_config_str(app->config, KEN_CFG_DATABASE_HOST).len != 0;
}

// Every byte that has a meaning in a URL as %XX.
static void put_encoded(ken_buf *out, ken_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (ken_is_word(s.ptr[i]) || s.ptr[i] == '-' || s.ptr[i] == '.' || s.ptr[i] == '~')
            ken_buf_putc(out, s.ptr[i]);
        else
            ken_buf_printf(out, "%%%02X", (uint8_t)s.ptr[i]);
    }
}

static void put_url(const ken_config *c, ken_buf *out)
{
    ken_str url = ken_config_str(c, KEN_CFG_DATABASE_URL);
    ken_str password = ken_config_str(c, KEN_CFG_DATABASE_PASSWORD);
    ken_buf_put_str(out, url);
    if (url.len)
        return;
    ken_buf_puts(out, "postgres://");
    put_encoded(out, ken_config_str(c, KEN_CFG_DATABASE_USER));
    if (password.len)
        ken_buf_putc(out, ':');
    put_encoded(out, password);
    ken_buf_putc(out, '@');
    put_encoded(out, ken_config_str(c, KEN_CFG_DATABASE_HOST));
    ken_buf_printf(out, ":%llu/", (unsigned long long)ken_config_u64(c, KEN_CFG_DATABASE_PORT));
    put_encoded(out, ken_config_str(c, KEN_CFG_DATABASE_NAME));
}

static uint32_t number_of(const ken_app *app, ken_config_key key)
{
    return (uint32_t)ken_config_u64(app->config, key);
}

static ken_relations relations_of(const ken_app *app)
{
    ken_str word = ken_config_str(app->config, KEN_CFG_DATABASE_RELATIONS);
    if (ken_str_eq_c(word, "none"))
        return KEN_RELATIONS_NONE;
    return ken_str_eq_c(word, "all") ? KEN_RELATIONS_ALL : KEN_RELATIONS_NO_REFERENCES;
}

ken_status ken_app__open_database(ken_app *app, ken_str named, bool is_schema_left,
                                  ken_database **out, ken_err *err)
{
    ken_buf url = KEN_BUF_INIT(16 * 1024);
    ken_buf data = KEN_BUF_INIT(16 * 1024);
    ken_buf replica = KEN_BUF_INIT(16 * 1024);
    if (named.len)
        ken_buf_put_str(&url, named);
    else
        put_url(app->config, &url);
    ken_buf_putc(&url, '\0');
    ken_buf_put_str(&data, ken_config_data_dir(app->config));
    ken_buf_putc(&data, '\0');
    if (!named.len)
        ken_buf_put_str(&replica, ken_config_str(app->config, KEN_CFG_DATABASE_REPLICA));
    ken_buf_putc(&replica, '\0');
    uint32_t overflow = number_of(app, KEN_CFG_DATABASE_OVERFLOW);
    const ken_database_opts opts = {
        .url = url.ptr,
        .replica_url = replica.ptr,
        .data_dir = data.ptr,
        .pool_size = number_of(app, KEN_CFG_DATABASE_POOL),
        .max_overflow = overflow ? overflow : UINT32_MAX,
        .recycle_s = number_of(app, KEN_CFG_DATABASE_RECYCLE),
        .idle_s = number_of(app, KEN_CFG_DATABASE_IDLE),
        .wait_ms = number_of(app, KEN_CFG_DATABASE_WAIT) * 1000,
        .shares = ken_config_bool(app->config, KEN_CFG_DATABASE_SHARES),
        .statement_ms = number_of(app, KEN_CFG_DATABASE_STATEMENT) * 1000,
        .vectors = ken_config_str(app->config, KEN_CFG_DATABASE_VECTORS).ptr,
        .vector_type = ken_config_str(app->config, KEN_CFG_DATABASE_VECTOR_TYPE).ptr,
        .iterative_scan = ken_config_str(app->config, KEN_CFG_DATABASE_ITERATIVE).ptr,
        .ef_search = number_of(app, KEN_CFG_DATABASE_EF_SEARCH),
        .is_schema_left = is_schema_left,
        .tells_empty = true,
        .relations = relations_of(app),
        .leaves_text_out = !ken_config_bool(app->config, KEN_CFG_DATABASE_TEXT),
    };
    ken_status st = ken_database_open(&opts, out, err);
    ken_buf_release(&url);
    ken_buf_release(&data);
    ken_buf_release(&replica);
    return st;
}

// Opened when it is first needed, and tried again as long as that fails: files never take its place.
ken_status ken_app__get_database(ken_app *app, ken_database **out, ken_err *err)
{
    *out = NULL;
    if (!ken_app__has_database(app))
        return KEN_OK;
    pthread_mutex_lock(&app->database_lock);
    ken_status st = app->database
                        ? KEN_OK
                        : ken_app__open_database(app, KEN_STR(""), false, &app->database, err);
    *out = app->database;
    pthread_mutex_unlock(&app->database_lock);
    return st;
}

ken_status ken_app_find_database(ken_app *app, ken_database **out, ken_err *err)
{
    return ken_app__get_database(app, out, err);
}

// ---- the list of projects ----------------------------------------------------------------------

bool ken_app__has_catalog(const ken_app *app)
{
    return ken_app__has_database(app) || ken_fs_exists(app->catalog_path.ptr) ||
           ken_catalog_has_journal(app->catalog_path.ptr);
}

ken_status ken_app__open_catalog(ken_app *app, bool is_read_only, ken_catalog **out, ken_err *err)
{
    ken_database *db = NULL;
    ken_catalog *c = NULL;
    ken_status st = ken_app__get_database(app, &db, err);
    if (!st)
        st = db ? ken_catalog_open_in(db, is_read_only, &c, err)
                : ken_catalog_open(app->catalog_path.ptr, is_read_only, &c, err);
    if (!st)
        st = ken_catalog_check_whole(c, err);
    if (st)
        ken_catalog_close(c);
    else
        *out = c;
    return st;
}

// ---- indexes -----------------------------------------------------------------------------------

static ken_store_opts place(const ken_project_info *p, ken_str name, const ken_store_opts *how)
{
    ken_store_opts opts = *how;
    opts.path = name.ptr;
    opts.database = p->database;
    return opts;
}

ken_status ken_app__open_index(const ken_project_info *p, const ken_store_opts *how,
                               ken_store **out, ken_err *err)
{
    ken_store_opts opts = place(p, p->db_path, how);
    opts.tree = p->tree;
    return ken_store_open(&opts, out, err);
}

ken_status ken_app__open_notes_of(const ken_project_info *p, const ken_store_opts *how,
                                  ken_store **out, ken_err *err)
{
    const ken_store_opts opts = place(p, p->notes_path, how);
    return ken_store_open(&opts, out, err);
}

ken_status ken_app__identify(const ken_project_info *p, uint64_t *out, ken_err *err)
{
    const ken_store_opts opts = place(p, p->db_path, &(ken_store_opts){ 0 });
    return ken_store_identify(&opts, out, err);
}

uint64_t ken_app__identity(const ken_project_info *p)
{
    uint64_t identity = 0;
    return ken_app__identify(p, &identity, NULL) ? 0 : identity;
}

// What cannot be asked is not said to be absent: who opens it is told why.
static bool is_there(const ken_project_info *p, ken_str name)
{
    uint64_t identity = 0;
    const ken_store_opts opts = place(p, name, &(ken_store_opts){ 0 });
    return ken_store_identify(&opts, &identity, NULL) != KEN_ENOTFOUND;
}

bool ken_app__has_index(const ken_project_info *p)
{
    return is_there(p, p->db_path);
}

bool ken_app__has_notes(const ken_project_info *p)
{
    return is_there(p, p->notes_path);
}

bool ken_app__is_elsewhere(const ken_project_info *p)
{
    return p->database && !p->root_exists;
}

ken_str ken_app__lock_path(const ken_app *app, const ken_database *database, ken_str name,
                           ken_arena *arena)
{
    ken_str path = database ? ken_path_join(arena, app->index_dir, name) : name;
    return ken_arena_printf(arena, KEN_STR_FMT ".lock", KEN_STR_ARG(path));
}
