// SPDX-License-Identifier: MIT
// The checked door to the backend of a catalog: what no catalog may hold is refused here.
#include <string.h>

#include "base/alloc.h"
#include "model/grant.h"
#include "obs/trace.h"
#include "store/store_debug.h"
#include "store/store_ops.h"

struct ken_catalog {
    ken_catalog_backend *backend; // owned
};

enum {
    ROOT_MAX_BYTES = 16 * 1024,
    PROJECT_NAME_MAX_BYTES = 256,
    VALUE_NAME_MAX_BYTES = 128,
    VALUE_MAX_BYTES = 64 * 1024,
    MODEL_ID_MAX_BYTES = 64,
    MODEL_TEXT_MAX_BYTES = 4096,
};

// ---- opening ---------------------------------------------------------------------------------

static bool is_complete(const ken_catalog_ops *o)
{
    if (!o || !o->name || !o->close || !o->is_current || !o->is_behind)
        return false;
#define X(slot, door, params, args, shown) \
    if (!o->slot)                          \
        return false;
    KEN_CATALOG_SLOTS(X)
#undef X
    return true;
}

ken_status ken_catalog__wrap(ken_catalog_backend *b, ken_catalog **out, ken_err *err)
{
    if (!is_complete(b->ops))
        return KEN_FAIL(err, KEN_EINTERNAL, "catalog backend '%s' lacks a slot",
                        b->ops && b->ops->name ? b->ops->name : "?");
    ken_catalog *c = ken_zalloc(sizeof *c);
    c->backend = b;
    *out = c;
    return KEN_OK;
}

ken_catalog_backend *ken_catalog__backend(ken_catalog *c)
{
    return c->backend;
}

void ken_catalog__set_backend(ken_catalog *c, ken_catalog_backend *outer)
{
    c->backend = outer;
}

// `b` is the catalog's, or closed.
static ken_status open_around(ken_catalog_backend *b, ken_catalog **out, ken_err *err)
{
    ken_catalog *c = NULL;
    ken_status st = ken_catalog__wrap(b, &c, err);
    if (st) {
        if (b->ops && b->ops->close)
            b->ops->close(b);
        return st;
    }
    if (ken_trace_is_on("store", 1))
        ken_catalog_add_trace(c, NULL, NULL);
    *out = c;
    return KEN_OK;
}

ken_status ken_catalog_open(const char *path, bool is_read_only, ken_catalog **out, ken_err *err)
{
    if (!path || !*path)
        return KEN_FAIL(err, KEN_EINVAL, "the path of the project list is empty");
    ken_catalog_backend *b = NULL;
    ken_status st = ken_store__refuse_url(ken_str_c(path), err);
    if (!st)
        st = ken_store__sqlite_open_catalog(path, is_read_only, &b, err);
    return st ? st : open_around(b, out, err);
}

ken_status ken_catalog_open_in(ken_database *db, bool is_read_only, ken_catalog **out, ken_err *err)
{
    return open_around(ken_store__postgres_open_catalog(db, is_read_only), out, err);
}

void ken_catalog_close(ken_catalog *c)
{
    if (!c)
        return;
    c->backend->ops->close(c->backend);
    ken_free(c);
}

bool ken_catalog_is_current(const ken_catalog *c)
{
    return c->backend->ops->is_current(c->backend);
}

bool ken_catalog_is_behind(ken_catalog *c)
{
    return c->backend->ops->is_behind(c->backend);
}

// ---- the doors without checks ------------------------------------------------------------------

#define DOOR_OWN(slot, params, args)
#define DOOR_PLAIN(slot, params, args)                                  \
    ken_status ken_catalog_##slot(ken_catalog *c, KEN_SLOT_LIST params) \
    {                                                                   \
        return c->backend->ops->slot(c->backend, KEN_SLOT_LIST args);   \
    }
#define X(slot, door, params, args, shown) DOOR_##door(slot, params, args)
// clang-format off
KEN_CATALOG_SLOTS(X)
// clang-format on
#undef X

// ---- the others --------------------------------------------------------------------------------

static bool has_nul(ken_str s)
{
    return s.len && memchr(s.ptr, '\0', s.len);
}

static ken_status check_project(ken_str root, ken_str name, ken_err *err)
{
    if (!root.len || root.ptr[0] != '/' || root.len > ROOT_MAX_BYTES ||
        name.len > PROJECT_NAME_MAX_BYTES || has_nul(root) || has_nul(name))
        return KEN_FAIL(err, KEN_EINVAL,
                        "a project needs an absolute root of at most %d bytes and a name of at "
                        "most %d",
                        ROOT_MAX_BYTES, PROJECT_NAME_MAX_BYTES);
    return KEN_OK;
}

ken_status ken_catalog_add(ken_catalog *c, ken_str root, ken_str name, int64_t now_ms,
                           ken_arena *arena, ken_catalog_row *out, ken_err *err)
{
    ken_status st = check_project(root, name, err);
    return st ? st : c->backend->ops->add(c->backend, root, name, now_ms, arena, out, err);
}

ken_status ken_catalog_add_as(ken_catalog *c, ken_uuid id, ken_str root, ken_str name,
                              int64_t now_ms, ken_arena *arena, ken_catalog_row *out, ken_err *err)
{
    ken_status st = check_project(root, name, err);
    return st ? st : c->backend->ops->add_as(c->backend, id, root, name, now_ms, arena, out, err);
}

typedef struct value_change {
    ken_str name;
    ken_value_change_fn *change;
    void *ctx;
} value_change;

static ken_status check_value(ken_str name, ken_str value, ken_err *err)
{
    if (has_nul(value))
        return KEN_FAIL(err, KEN_EINVAL, "the value '" KEN_STR_FMT "' has a NUL byte",
                        KEN_STR_ARG(name));
    if (value.len > VALUE_MAX_BYTES)
        return KEN_FAIL(err, KEN_ELIMIT, "the value '" KEN_STR_FMT "' has %zu bytes, at most %d",
                        KEN_STR_ARG(name), value.len, VALUE_MAX_BYTES);
    return KEN_OK;
}

static ken_status change_checked(void *ctx, ken_str was, ken_str *out, ken_err *err)
{
    const value_change *v = ctx;
    ken_status st = v->change(v->ctx, was, out, err);
    return st ? st : check_value(v->name, *out, err);
}

ken_status ken_catalog_change_value(ken_catalog *c, ken_str name, ken_value_change_fn *change,
                                    void *ctx, ken_err *err)
{
    value_change v = { .name = name, .change = change, .ctx = ctx };
    if (!name.len || name.len > VALUE_NAME_MAX_BYTES || has_nul(name))
        return KEN_FAIL(err, KEN_EINVAL, "the name of a value has 1 to %d bytes, none of them 0",
                        VALUE_NAME_MAX_BYTES);
    return c->backend->ops->change_value(c->backend, name, change_checked, &v, err);
}

static ken_status replace(void *ctx, ken_str was, ken_str *out, ken_err *err)
{
    (void)was, (void)err;
    *out = *(const ken_str *)ctx;
    return KEN_OK;
}

ken_status ken_catalog_put_value(ken_catalog *c, ken_str name, ken_str value, ken_err *err)
{
    return ken_catalog_change_value(c, name, replace, &value, err);
}

ken_status ken_catalog_add_token(ken_catalog *c, const ken_access_token *t, ken_err *err)
{
    bool is_name = t->name.len && t->name.len <= KEN_GRANT_NAME_MAX && !has_nul(t->name);
    if (!is_name || !t->scopes || t->scopes & ~(unsigned)KEN_SCOPES_ALL || t->expires_at_ms < 0)
        return KEN_FAIL(err, KEN_EINVAL,
                        "an access token needs a name of 1 to %d bytes, a scope and no time before "
                        "1970",
                        KEN_GRANT_NAME_MAX);
    return c->backend->ops->add_token(c->backend, t, err);
}

static ken_status check_job(const ken_job *j, ken_err *err)
{
    if (!j->kind || j->kind >= KEN_JOB_KIND_COUNT ||
        ken_job_is_of_project(j->kind) != j->has_project)
        return KEN_FAIL(err, KEN_EINVAL,
                        "a job needs a kind, and a project where its kind has one");
    if (!j->params.len || j->params.len > KEN_JOB_PARAMS_MAX || has_nul(j->params))
        return KEN_FAIL(err, KEN_ELIMIT, "the parameters of a job have 1 to %d bytes",
                        KEN_JOB_PARAMS_MAX);
    return KEN_OK;
}

ken_status ken_catalog_add_job(ken_catalog *c, const ken_job *j, ken_arena *arena, ken_job *out,
                               bool *out_is_new, ken_err *err)
{
    ken_status st = check_job(j, err);
    return st ? st : c->backend->ops->add_job(c->backend, j, arena, out, out_is_new, err);
}

ken_status ken_catalog_put_job(ken_catalog *c, const ken_job *j, ken_err *err)
{
    ken_status st = check_job(j, err);
    if (!st && (j->state == KEN_JOB_UNKNOWN || j->state == KEN_JOB_RUNNING))
        st = KEN_FAIL(err, KEN_EINVAL, "a job that is kept waits or has ended");
    return st ? st : c->backend->ops->put_job(c->backend, j, err);
}

bool ken_catalog__is_model_id(ken_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!ken_is_word(s.ptr[i]) && s.ptr[i] != '-' && s.ptr[i] != '.')
            return false;
    return s.len && s.len <= MODEL_ID_MAX_BYTES && s.ptr[0] != '.';
}

static ken_status check_record(const ken_model_record *m, ken_err *err)
{
    if (!ken_catalog__is_model_id(m->id))
        return KEN_FAIL(
            err, KEN_EINVAL,
            "id: the id of a model is 1 to %d letters, digits, '-', '_' and '.', and does "
            "not begin with '.': '" KEN_STR_FMT "' is none",
            MODEL_ID_MAX_BYTES, KEN_STR_ARG(ken_str_sub(m->id, 0, MODEL_ID_MAX_BYTES)));
#define X(name)                                                                           \
    if (m->name.len > MODEL_TEXT_MAX_BYTES ||                                             \
        (m->name.len && memchr(m->name.ptr, 0, m->name.len)))                             \
        return KEN_FAIL(err, KEN_EINVAL,                                                  \
                        #name ": of a model it is at most %d bytes without NUL, not %zu", \
                        MODEL_TEXT_MAX_BYTES, m->name.len);
    KEN_MODEL_TEXTS(X)
#undef X
    return KEN_OK;
}

ken_status ken_catalog_put_model(ken_catalog *c, const ken_model_record *m, ken_err *err)
{
    ken_status st = check_record(m, err);
    return st ? st : c->backend->ops->put_model(c->backend, m, err);
}
