// SPDX-License-Identifier: MIT
// store_ops.h -- what a backend of the store implements, slot by slot.
//
// A backend is a struct that begins with a ken_store_backend, and one const ken_store_ops. Callers
// never see it: store.c checks arguments and the state of the transaction first, so that a slot may
// rely on what its comment says. Decorators (store_debug.h) are backends around a backend.
//
// Every slot is required. All run on one thread at a time. `where` of an error names the backend.
#ifndef KEN_STORE_STORE_OPS_H
#define KEN_STORE_STORE_OPS_H

#include "store/access_tokens.h"
#include "store/catalog.h"
#include "store/checkpoints.h"
#include "store/jobs.h"
#include "store/move.h"
#include "store/remotes.h"
#include "store/rows.h"
#include "store/rule_documents.h"
#include "store/store.h"
#include "store/tasks.h"

typedef struct ken_store_ops ken_store_ops;

typedef struct ken_store_backend {
    const ken_store_ops *ops;
} ken_store_backend;

// The slots are declared once, by lists at the ends of store.h, checkpoints.h, rule_documents.h, catalog.h,
// tasks.h, access_tokens.h, remotes.h, jobs.h, move.h and rows.h:
//   X(slot, door, (parameters), (arguments), what a trace shows)
// `parameters` come behind the backend; the last is `err`. From the lists are made: this table and the
// check that it is complete (store.c), the decorators (store_hook.c), the table of the SQLite backend
// (sqlite_conn.c), and the function ken_store_<slot> of each row by its `door`:
//   PLAIN    calls the slot
//   READ     in a read transaction, of its own where none is open
//   WRITE    needs a write transaction, which its failure spoils
//   DURABLE  likewise; what was written is on disk when the commit returns
//   OWN      is written by hand, because it checks arguments
// The prototype with its documentation is in the header, too; further requirements for a backend are
// in the list.
#define KEN_STORE_SLOTS(X)        \
    KEN_STORE_CONN_SLOTS(X)       \
    KEN_STORE_CONTENT_SLOTS(X)    \
    KEN_STORE_FILE_SLOTS(X)       \
    KEN_STORE_SEGMENT_SLOTS(X)    \
    KEN_STORE_META_SLOTS(X)       \
    KEN_STORE_CHECKPOINT_SLOTS(X) \
    KEN_STORE_RULE_SLOTS(X)       \
    KEN_STORE_MOVE_SLOTS(X)       \
    KEN_STORE_ROW_SLOTS(X)

#define KEN_CATALOG_SLOTS(X)     \
    KEN_CATALOG_PROJECT_SLOTS(X) \
    KEN_CATALOG_VALUE_SLOTS(X)   \
    KEN_CATALOG_MODEL_SLOTS(X)   \
    KEN_CATALOG_TASK_SLOTS(X)    \
    KEN_CATALOG_TOKEN_SLOTS(X)   \
    KEN_CATALOG_REMOTE_SLOTS(X)  \
    KEN_CATALOG_JOB_SLOTS(X)     \
    KEN_CATALOG_MOVE_SLOTS(X)

#define KEN_SLOT_LIST(...) __VA_ARGS__ // (a, b) -> a, b

struct ken_store_ops {
    const char *name; // "sqlite"
    // Frees everything, `b` included; an open transaction is rolled back.
    void (*close)(ken_store_backend *b);
    // Cannot fail; may be called when the database has rolled back by itself.
    void (*rollback)(ken_store_backend *b);
#define X(slot, door, params, args, shown) \
    ken_status (*slot)(ken_store_backend * b, KEN_SLOT_LIST params);
    KEN_STORE_SLOTS(X)
#undef X
};

// The same of the catalog: a catalog has no transactions that its callers see, each change is one, on
// disk when the slot returns. So its doors are PLAIN or OWN: ken_catalog_<slot>.
typedef struct ken_catalog_ops ken_catalog_ops;

typedef struct ken_catalog_backend {
    const ken_catalog_ops *ops;
} ken_catalog_backend;

struct ken_catalog_ops {
    const char *name;
    void (*close)(ken_catalog_backend *b); // frees everything, `b` included
    bool (*is_current)(ken_catalog_backend *b);
    bool (*is_behind)(ken_catalog_backend *b);
#define X(slot, door, params, args, shown) \
    ken_status (*slot)(ken_catalog_backend * b, KEN_SLOT_LIST params);
    KEN_CATALOG_SLOTS(X)
#undef X
};

enum {
    KEN_STORE_BUSY_MS = 5000
};

// Opens of the backends. `opts` is complete.
ken_status ken_store__sqlite_open(const ken_store_opts *opts, ken_store_backend **out, ken_err *err)
    KEN_MUST_USE;
ken_status ken_store__postgres_open(const ken_store_opts *opts, ken_store_backend **out,
                                    ken_err *err) KEN_MUST_USE;

// ken_store_identify and ken_store_erase.
ken_status ken_store__sqlite_identify(const ken_store_opts *opts, uint64_t *out, ken_err *err)
    KEN_MUST_USE;
ken_status ken_store__postgres_identify(const ken_store_opts *opts, uint64_t *out, ken_err *err)
    KEN_MUST_USE;
ken_status ken_store__sqlite_erase(const ken_store_opts *opts, ken_err *err) KEN_MUST_USE;
ken_status ken_store__postgres_erase(const ken_store_opts *opts, ken_err *err) KEN_MUST_USE;

ken_status ken_store__sqlite_open_catalog(const char *path, bool is_read_only,
                                          ken_catalog_backend **out, ken_err *err) KEN_MUST_USE;
ken_catalog_backend *ken_store__postgres_open_catalog(ken_database *db, bool is_read_only);

// The store around a backend, which it then owns. KEN_EINTERNAL when a slot is missing: the backend
// is the caller's still.
ken_status ken_store__wrap(ken_store_backend *b, ken_store **out, ken_err *err) KEN_MUST_USE;
// Puts `outer`, a decorator around the present backend, in its place.
ken_store_backend *ken_store__backend(ken_store *s);
void ken_store__set_backend(ken_store *s, ken_store_backend *outer);
// KEN_EUNSUPPORTED for a URL of PostgreSQL: it may have a password, so it is in no message.
ken_status ken_store__refuse_url(ken_str path, ken_err *err) KEN_MUST_USE;
// After the n-th try that was refused for another transaction: waits, twice as long each time; false when these were
// enough.
bool ken_store__wait_again(int n_tried);
// A list of skips as a number: the same list again has the same.
int64_t ken_store__hash_skips(const ken_skip_row *rows, size_t n);
ken_skip_reason ken_store__skip_reason(ken_str word); // NONE when unknown
// Whether a model may have that id: it names a folder, too.
bool ken_catalog__is_model_id(ken_str id);
// The same for a catalog.
ken_status ken_catalog__wrap(ken_catalog_backend *b, ken_catalog **out, ken_err *err) KEN_MUST_USE;
ken_catalog_backend *ken_catalog__backend(ken_catalog *c);
void ken_catalog__set_backend(ken_catalog *c, ken_catalog_backend *outer);

#endif
