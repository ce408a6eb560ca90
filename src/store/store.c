// SPDX-License-Identifier: MIT
// The checked door to a backend: arguments, limits, and the state of the transaction.
//
// A write that fails spoils its transaction: what was written before it is not wanted alone. Every
// further write and the commit then answer with the first failure, until ken_store_rollback.
#include "store/store.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "metrics/metrics.h"
#include "obs/trace.h"
#include "store/store_debug.h"
#include "store/store_ops.h"
#include "store/store_priv.h"

typedef enum tx_state {
    TX_NONE = 0,
    TX_READ,
    TX_WRITE,
} tx_state;

struct ken_store {
    ken_store_backend *backend; // owned
    tx_state tx;
    ken_status spoiled; // why this transaction cannot be committed; KEN_OK = it can
    bool is_durable;    // the transaction names a generation or writes user data
    bool is_read_only;
    ken_zip *zip;
    char *path; // as it was opened; NULL for a backend that was wrapped by hand
    ken_database *database;
};

enum {
    PATH_MAX_BYTES = 64 * 1024,
    KEY_MAX_BYTES = 256,
    VALUE_MAX_BYTES = 16 * 1024 * 1024,
    MAX_BLOCKS = 1 << 24,
};

// ---- opening ---------------------------------------------------------------------------------

static bool is_complete(const ken_store_ops *o)
{
    if (!o || !o->name || !o->close || !o->rollback)
        return false;
#define X(slot, door, params, args, shown) \
    if (!o->slot)                          \
        return false;
    KEN_STORE_SLOTS(X)
#undef X
    return true;
}

ken_status ken_store__wrap(ken_store_backend *b, ken_store **out, ken_err *err)
{
    if (!is_complete(b->ops)) {
        KEN_FAIL(err, KEN_EINTERNAL, "store backend '%s' lacks a slot",
                 b->ops && b->ops->name ? b->ops->name : "?");
        return KEN_EINTERNAL;
    }
    ken_store *s = ken_zalloc(sizeof *s);
    s->backend = b;
    s->zip = ken_zip_new();
    *out = s;
    return KEN_OK;
}

ken_store_backend *ken_store__backend(ken_store *s)
{
    return s->backend;
}

void ken_store__set_backend(ken_store *s, ken_store_backend *outer)
{
    s->backend = outer;
}

ken_status ken_store__refuse_url(ken_str path, ken_err *err)
{
    bool is_url = ken_str_starts(path, KEN_STR("postgres://")) ||
                  ken_str_starts(path, KEN_STR("postgresql://"));
    return is_url ? KEN_FAIL(err, KEN_EUNSUPPORTED,
                             "a postgres:// URL is no path of a file: set it as DATABASE_URL")
                  : KEN_OK;
}

ken_status ken_store_open(const ken_store_opts *opts, ken_store **out, ken_err *err)
{
    ken_str path = ken_str_c(opts->path);
    if (!path.len || path.len > PATH_MAX_BYTES)
        return KEN_FAIL(err, KEN_EINVAL, "the path of an index is empty or too long");
    ken_store_backend *b = NULL;
    ken_status st = ken_store__refuse_url(path, err);
    if (!st)
        st = opts->database ? ken_store__postgres_open(opts, &b, err)
                            : ken_store__sqlite_open(opts, &b, err);
    if (st)
        return st;
    ken_store *s = NULL;
    st = ken_store__wrap(b, &s, err);
    if (st) {
        if (b->ops && b->ops->close)
            b->ops->close(b);
        return st;
    }
    s->is_read_only = opts->is_read_only;
    s->path = ken_strdup(opts->path);
    s->database = opts->database;
    if (ken_trace_is_on("store", 1))
        ken_store_add_trace(s, NULL, NULL);
    *out = s;
    return KEN_OK;
}

void ken_store_close(ken_store *s)
{
    if (!s)
        return;
    ken_store_rollback(s);
    s->backend->ops->close(s->backend);
    ken_zip_free(s->zip);
    ken_free(s->path);
    ken_free(s);
}

bool ken_store_is_remote(const ken_store *s)
{
    return s->database != NULL;
}

ken_store_opts ken_store_place(const ken_store *s)
{
    return (ken_store_opts){ .path = s->path, .database = s->database };
}

ken_status ken_store_identify(const ken_store_opts *opts, uint64_t *out, ken_err *err)
{
    return opts->database ? ken_store__postgres_identify(opts, out, err)
                          : ken_store__sqlite_identify(opts, out, err);
}

ken_status ken_store_erase(const ken_store_opts *opts, ken_err *err)
{
    return opts->database ? ken_store__postgres_erase(opts, err)
                          : ken_store__sqlite_erase(opts, err);
}

// ---- transactions ----------------------------------------------------------------------------

static ken_status check_idle(const ken_store *s, ken_err *err)
{
    if (s->tx != TX_NONE)
        return KEN_FAIL(err, KEN_EINVAL, "a transaction is open already");
    return KEN_OK;
}

static void count_ended(tx_state state, const char *how)
{
    if (state != TX_NONE)
        ken_metrics_add(KEN_METRIC_STORE_TRANSACTIONS, 1,
                        KEN_LABELS(state == TX_WRITE ? "write" : "read", how));
}

// A begin that fails may have begun all the same: its answer can be what was lost.
static ken_status begun(ken_store *s, ken_status st, tx_state state)
{
    if (st) {
        s->backend->ops->rollback(s->backend);
        count_ended(state, ken_status_name(st));
        return st;
    }
    s->tx = state;
    s->spoiled = KEN_OK;
    s->is_durable = false;
    return KEN_OK;
}

ken_status ken_store_begin_read(ken_store *s, ken_err *err)
{
    ken_status st = check_idle(s, err);
    return st ? st : begun(s, s->backend->ops->begin_read(s->backend, err), TX_READ);
}

ken_status ken_store_begin_write(ken_store *s, ken_err *err)
{
    ken_status st = check_idle(s, err);
    if (!st && s->is_read_only)
        return KEN_FAIL(err, KEN_EPERM, "the index is opened for reading only");
    if (st)
        return st;
    int64_t began = ken_clock_mono_ns();
    st = s->backend->ops->begin_write(s->backend, err);
    ken_metrics_time(KEN_METRIC_STORE_WAIT_SECONDS, ken_clock_mono_ns() - began, NULL);
    return begun(s, st, TX_WRITE);
}

ken_status ken_store_commit(ken_store *s, ken_err *err)
{
    if (s->tx == TX_NONE)
        return KEN_FAIL(err, KEN_EINVAL, "no transaction is open");
    int64_t began = ken_clock_mono_ns();
    ken_status st = s->tx == TX_WRITE ? s->spoiled : KEN_OK;
    if (st) {
        KEN_FAIL(err, st, "a write of this transaction failed before: %s", ken_status_text(st));
    } else {
        st = s->backend->ops->commit(s->backend, s->tx == TX_WRITE && s->is_durable, err);
    }
    if (st)
        s->backend->ops->rollback(s->backend);
    if (s->tx == TX_WRITE)
        ken_metrics_time(KEN_METRIC_STORE_COMMIT_SECONDS, ken_clock_mono_ns() - began, NULL);
    count_ended(s->tx, ken_status_name(st));
    s->tx = TX_NONE;
    return st;
}

void ken_store_rollback(ken_store *s)
{
    if (s->tx != TX_NONE)
        s->backend->ops->rollback(s->backend);
    count_ended(s->tx, "rollback");
    s->tx = TX_NONE;
}

ken_status ken_store__check_write(const ken_store *s, ken_err *err)
{
    if (s->tx != TX_WRITE)
        return KEN_FAIL(err, KEN_EINVAL, "writing outside of a write transaction");
    if (s->spoiled)
        return KEN_FAIL(err, s->spoiled, "a write of this transaction failed before: %s",
                        ken_status_text(s->spoiled));
    return KEN_OK;
}

ken_status ken_store__wrote(ken_store *s, ken_status st)
{
    if (st && !s->spoiled)
        s->spoiled = st;
    return st;
}

ken_status ken_store__wrote_durably(ken_store *s, ken_status st)
{
    if (!st)
        s->is_durable = true;
    return ken_store__wrote(s, st);
}

ken_status ken_store__enter_read(ken_store *s, bool *out_is_own, ken_err *err)
{
    *out_is_own = s->tx == TX_NONE;
    return *out_is_own ? ken_store_begin_read(s, err) : KEN_OK;
}

void ken_store__leave_read(ken_store *s, bool is_own)
{
    if (is_own)
        ken_store_rollback(s); // nothing was written
}

// ---- slots that need only a check of the transaction -------------------------------------------

#define DOOR_OWN(slot, params, args)
#define DOOR_PLAIN(slot, params, args)                                \
    ken_status ken_store_##slot(ken_store *s, KEN_SLOT_LIST params)   \
    {                                                                 \
        return s->backend->ops->slot(s->backend, KEN_SLOT_LIST args); \
    }
#define DOOR_READ(slot, params, args)                               \
    ken_status ken_store_##slot(ken_store *s, KEN_SLOT_LIST params) \
    {                                                               \
        bool is_own;                                                \
        ken_status st = ken_store__enter_read(s, &is_own, err);     \
        if (st)                                                     \
            return st;                                              \
        st = s->backend->ops->slot(s->backend, KEN_SLOT_LIST args); \
        ken_store__leave_read(s, is_own);                           \
        return st;                                                  \
    }
#define DOOR_OF_WRITE(wrote, slot, params, args)                                          \
    ken_status ken_store_##slot(ken_store *s, KEN_SLOT_LIST params)                       \
    {                                                                                     \
        ken_status st = ken_store__check_write(s, err);                                   \
        return st ? st : wrote(s, s->backend->ops->slot(s->backend, KEN_SLOT_LIST args)); \
    }
#define DOOR_WRITE(slot, params, args)     DOOR_OF_WRITE(ken_store__wrote, slot, params, args)
#define DOOR_DURABLE(slot, params, args)   DOOR_OF_WRITE(ken_store__wrote_durably, slot, params, args)
#define X(slot, door, params, args, shown) DOOR_##door(slot, params, args)
// clang-format off
KEN_STORE_SLOTS(X)
// clang-format on
#undef X

// ---- contents --------------------------------------------------------------------------------

ken_status ken_store_add_content(ken_store *s, const ken_content_key *key, const ken_facts *facts,
                                 const ken_packed *packed, int64_t *out_id, ken_err *err)
{
    ken_status st = ken_store__check_write(s, err);
    if (st)
        return st;
    if (!packed->facts.len || packed->facts.len > KEN_FACTS_MAX_BYTES)
        return ken_store__wrote(
            s, KEN_FAIL(err, KEN_ELIMIT, "packed facts of %zu bytes", packed->facts.len));
    if (packed->refs.len > KEN_REFS_MAX_BYTES)
        return ken_store__wrote(
            s, KEN_FAIL(err, KEN_ELIMIT, "packed refs of %zu bytes", packed->refs.len));
    const ken_content_info info = {
        .n_bytes = facts->n_bytes,
        .n_lines = facts->n_lines,
        .n_chunks = facts->n_chunks,
        .n_symbols = facts->n_symbols,
        .n_error_bytes = facts->n_error_bytes,
        .lang = key->lang,
        .is_fallback = facts->is_fallback,
        .is_generated = facts->is_generated,
    };
    return ken_store__wrote(
        s, s->backend->ops->add_content(s->backend, key, &info, facts, packed, out_id, err));
}

static ken_status fail_content(const ken_store *s, int64_t content, ken_status st, ken_err *err)
{
    ken_err was = err ? *err : (ken_err){ 0 };
    return KEN_FAIL(err, st, "index '%.200s', content %lld: %.120s%s", s->path ? s->path : "",
                    (long long)content, was.msg,
                    st == KEN_ECORRUPT ? "; 'ken index --force' makes a new one" : "");
}

ken_status ken_store_load_facts(ken_store *s, int64_t content, ken_arena *arena, ken_facts *out,
                                ken_err *err)
{
    ken_str packed;
    ken_status st = ken_store_load_packed(s, content, arena, &packed, err);
    if (st)
        return st;
    st = ken_facts_unpack(s->zip, packed, arena, out, err);
    return st ? fail_content(s, content, st, err) : KEN_OK;
}

ken_status ken_store_load_refs(ken_store *s, int64_t content, const ken_facts *facts,
                               ken_arena *arena, ken_refs *out, ken_err *err)
{
    ken_str packed;
    ken_status st = ken_store_load_packed_refs(s, content, arena, &packed, err);
    if (st)
        return st;
    st = ken_refs_unpack(s->zip, packed, facts, arena, out, err);
    return st ? fail_content(s, content, st, err) : KEN_OK;
}

ken_status ken_store_copy_text(ken_store *s, int64_t content, ken_arena *arena, ken_str *out,
                               ken_err *err)
{
    ken_status st = ken_store_load_text(s, content, arena, out, err);
    return st == KEN_ENOTFOUND ? KEN_OK : st;
}

// ---- files -----------------------------------------------------------------------------------

static bool is_path(ken_str path)
{
    return path.len && path.len <= PATH_MAX_BYTES && path.ptr[0] != '/' &&
           !memchr(path.ptr, '\0', path.len);
}

ken_status ken_store_put_file(ken_store *s, const ken_file_row *row, ken_err *err)
{
    ken_status st = ken_store__check_write(s, err);
    if (st)
        return st;
    if (!is_path(row->path) || row->content <= 0 || row->id < 0)
        return ken_store__wrote(s, KEN_FAIL(err, KEN_EINVAL, "file '%.*s' of content %lld",
                                            row->path.len > 200 ? 200 : (int)row->path.len,
                                            row->path.ptr, (long long)row->content));
    return ken_store__wrote(s, s->backend->ops->put_file(s->backend, row, err));
}

int64_t ken_store__hash_skips(const ken_skip_row *rows, size_t n)
{
    uint64_t h = n;
    for (size_t i = 0; i < n; i++) {
        uint64_t part[3] = { h, ken_hash_str(rows[i].path), (uint64_t)rows[i].reason };
        h = ken_hash64(part, sizeof part);
    }
    return (int64_t)h;
}

ken_skip_reason ken_store__skip_reason(ken_str word)
{
    for (int r = KEN_SKIP_NONE + 1; r < KEN_SKIP_COUNT; r++)
        if (ken_str_eq_c(word, ken_skip_word((ken_skip_reason)r)))
            return (ken_skip_reason)r;
    return KEN_SKIP_NONE;
}

ken_status ken_store_replace_skips(ken_store *s, const ken_skip_row *rows, size_t n, ken_err *err)
{
    ken_status st = ken_store__check_write(s, err);
    if (st)
        return st;
    for (size_t i = 0; i < n; i++)
        if (rows[i].reason <= KEN_SKIP_NONE || rows[i].reason >= KEN_SKIP_COUNT)
            return ken_store__wrote(
                s, KEN_FAIL(err, KEN_EINVAL, "skip reason %d", (int)rows[i].reason));
    return ken_store__wrote(s, s->backend->ops->replace_skips(s->backend, rows, n, err));
}

ken_status ken_store_load_skips(ken_store *s, ken_skip_reason reason, size_t limit,
                                ken_arena *arena, ken_skip_row **out, size_t *out_n, ken_err *err)
{
    if (reason < KEN_SKIP_NONE || reason >= KEN_SKIP_COUNT)
        return KEN_FAIL(err, KEN_EINVAL, "skip reason %d", (int)reason);
    return s->backend->ops->load_skips(s->backend, reason, limit, arena, out, out_n, err);
}

// ---- segments --------------------------------------------------------------------------------

ken_status ken_store_open_segment(ken_store *s, ken_segment_kind kind, ken_segment_writer *out,
                                  ken_err *err)
{
    int64_t id = 0;
    ken_status st = ken_store__check_write(s, err);
    if (st)
        return st;
    st = ken_store__wrote(s, s->backend->ops->open_segment(s->backend, kind, &id, err));
    if (!st)
        *out = (ken_segment_writer){ .store = s, .id = id };
    return st;
}

static ken_status write_block(void *ctx, const void *bytes, size_t n, ken_err *err)
{
    ken_segment_writer *w = ctx;
    ken_store *s = w->store;
    ken_status st = ken_store__check_write(s, err);
    if (st)
        return st;
    if (!n || n > KEN_SEGMENT_BLOCK || w->n_bytes % KEN_SEGMENT_BLOCK || w->n_blocks == MAX_BLOCKS)
        return ken_store__wrote(
            s, KEN_FAIL(err, KEN_EINVAL, "block %u of a segment has %zu bytes", w->n_blocks, n));
    st = s->backend->ops->put_block(s->backend, w->id, w->n_blocks++, ken_str_n(bytes, n), err);
    w->n_bytes += n;
    return ken_store__wrote(s, st);
}

ken_block_sink ken_store_sink(ken_segment_writer *w)
{
    return (ken_block_sink){ write_block, w, KEN_SEGMENT_BLOCK };
}

ken_status ken_store_close_segment(ken_segment_writer *w, uint32_t n_contents, ken_err *err)
{
    ken_store *s = w->store;
    ken_status st = ken_store__check_write(s, err);
    if (st)
        return st;
    if (!w->n_bytes)
        return ken_store__wrote(s, KEN_FAIL(err, KEN_EINVAL, "a segment of no bytes"));
    return ken_store__wrote(
        s, s->backend->ops->end_segment(s->backend, w->id, w->n_bytes, n_contents, err));
}

ken_status ken_store_add_segment(ken_store *s, ken_segment_kind kind, ken_str bytes,
                                 uint32_t n_contents, int64_t *out_id, ken_err *err)
{
    ken_segment_writer w;
    ken_status st = ken_store_open_segment(s, kind, &w, err);
    for (size_t at = 0; !st && at < bytes.len; at += KEN_SEGMENT_BLOCK) {
        ken_str block = ken_str_sub(bytes, at, at + KEN_SEGMENT_BLOCK);
        st = write_block(&w, block.ptr, block.len, err);
    }
    if (!st)
        st = ken_store_close_segment(&w, n_contents, err);
    if (!st)
        *out_id = w.id;
    return st;
}

ken_status ken_store_read_block(void *store, int64_t segment, uint32_t block, void *into,
                                size_t *out_n, ken_err *err)
{
    const ken_store *s = store;
    ken_status st = KEN_ENOTFOUND;
    if (segment > 0 && block < MAX_BLOCKS)
        st = s->backend->ops->read_block(s->backend, segment, block, into, out_n, err);
    if (st == KEN_ENOTFOUND)
        return KEN_FAIL(err, st, "search segment %lld is gone", (long long)segment);
    return st;
}

ken_block_source ken_store_source(ken_store *s, const ken_segment_info *info)
{
    return (ken_block_source){ ken_store_read_block, s, info->id, info->n_bytes,
                               KEN_SEGMENT_BLOCK };
}

// ---- the generation, and values by name --------------------------------------------------------

static ken_status check_key(ken_str key, ken_err *err)
{
    if (!key.len || key.len > KEY_MAX_BYTES || memchr(key.ptr, '\0', key.len))
        return KEN_FAIL(err, KEN_EINVAL, "the name of a value is empty or too long");
    return KEN_OK;
}

bool ken_store_is_shared_value(ken_str key)
{
    return ken_str_starts(key, KEN_STR("embed.")) || ken_str_starts(key, KEN_STR("store."));
}

ken_status ken_store_load_value(ken_store *s, ken_str key, ken_arena *arena, ken_str *out,
                                ken_err *err)
{
    ken_status st = check_key(key, err);
    return st ? st : s->backend->ops->load_value(s->backend, key, arena, out, err);
}

ken_status ken_store_put_value(ken_store *s, ken_str key, ken_str value, ken_err *err)
{
    ken_status st = ken_store__check_write(s, err);
    if (st)
        return st;
    st = check_key(key, err);
    if (!st && value.len > VALUE_MAX_BYTES)
        st = KEN_FAIL(err, KEN_ELIMIT, "value '" KEN_STR_FMT "' of %zu bytes", KEN_STR_ARG(key),
                      value.len);
    return ken_store__wrote(s, st ? st : s->backend->ops->put_value(s->backend, key, value, err));
}

// ---- upkeep ----------------------------------------------------------------------------------

ken_status ken_store_checkpoint(ken_store *s, ken_err *err)
{
    ken_status st = check_idle(s, err);
    return st || s->is_read_only ? st : s->backend->ops->checkpoint(s->backend, err);
}
