// SPDX-License-Identifier: MIT
// database.h -- a PostgreSQL database: where it is, and the connections to it that a process shares.
//
// Stores and catalogs that are opened in one take a connection for each transaction, or for one statement
// outside of one, and give it back. So clients may be many more than connections.
//
// Ownership: the caller's; close it after all that was opened in it. Threads: any may open stores in it
// and use them; each store belongs to one. Errors: KEN_EUNSUPPORTED without libpq or with an old server,
// KEN_EPERM for a refused login or a missing right, KEN_ENOTFOUND for a database that is not there,
// KEN_EBUSY when all connections stay in use, KEN_EVERSION for a newer schema, else KEN_EIO. No message
// has a password.
#ifndef KEN_STORE_DATABASE_H
#define KEN_STORE_DATABASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/err.h"
#include "base/str.h"

typedef struct ken_database ken_database;

// Which rows of the relational model an index has beside what it is asked by; 0 = all.
typedef enum ken_relations {
    KEN_RELATIONS_ALL = 0,
    KEN_RELATIONS_NO_REFERENCES, // which are most of the rows
    KEN_RELATIONS_NONE,
} ken_relations;

typedef struct ken_database_opts {
    const char *url; // postgres://, postgresql://, or with a driver: postgresql+asyncpg://
    const char
        *replica_url;      // of a streaming replica, for the reads of questions; NULL or "" = none
    const char *data_dir;  // where files of its rows lie on this machine, such as models; "" = NULL
    uint32_t pool_size;    // connections that are kept; 0 = 20
    uint32_t max_overflow; // that are made above it and closed after use; UINT32_MAX = none, 0 = 10
    uint32_t recycle_s;    // an older connection is replaced; 0 = 3600
    uint32_t idle_s;       // one that was unused for so long is closed; 0 = 300
    uint32_t wait_ms;      // for a free connection; 0 = 30,000
    uint32_t connect_s;    // for the server to answer; 0 = 10
    uint32_t statement_ms; // that a statement may take; 0 = no limit
    const char *vectors;   // pgvector: "off" = NULL, "auto" where it is installed, "on" installs it
    const char *vector_type;    // "halfvec" = NULL, "vector" or "bit"
    const char *iterative_scan; // of HNSW: "off" = NULL, "relaxed_order", "strict_order"
    uint32_t ef_search;         // of HNSW; 0 = 40
    ken_relations relations;
    bool leaves_text_out; // texts of files, which servers quote that have no checkout
    bool shares;          // the schema is made beside tables of others, too; else that is KEN_EPERM
    bool is_schema_left;  // neither made nor brought up to date: an older one is KEN_EVERSION
    bool tells_empty;     // with that: a database without tables of ken is KEN_ENOTFOUND
} ken_database_opts;

// Connects once, and creates the schema `ken` or brings it up to date, whoever else does so at once.
ken_status ken_database_open(const ken_database_opts *opts, ken_database **out, ken_err *err)
    KEN_MUST_USE;
void ken_database_close(ken_database *db); // NULL is fine

// "postgres://user@host:5432/name": for people; borrowed.
const char *ken_database_name(const ken_database *db);
// The version of the tables that this program makes.
int32_t ken_database_schema(void);
// Takes the schema back to `version`, 0 = nothing of it. What later versions kept is gone.
ken_status ken_database_downgrade(ken_database *db, int32_t version, ken_err *err) KEN_MUST_USE;
// KEN_ECORRUPT when tables, columns, keys or indexes are not those that the program made.
ken_status ken_database_check_schema(ken_database *db, ken_err *err) KEN_MUST_USE;

// One state of the database, and one connection, for many stores that are read together (ken_store_share_read): the
// state is that of the first statement. Any threads may read in it, one statement at a time.
typedef struct ken_database_reading ken_database_reading;
ken_database_reading *ken_database_begin_reading(ken_database *db) KEN_MUST_USE;
void ken_database_end_reading(ken_database_reading *r); // no store is in it any more; NULL is fine

// Whether vectors of chunks are rows of ken.embeddings, too, for pgvector (schema/0004_vectors.postgres.sql).
typedef struct ken_database_vectors {
    bool is_on;
    char why[240];    // it is not: what it lacks, "" = nobody asked for it
    char version[32]; // of pgvector
    char type[16];    // of the rows
    uint64_t n_rows, n_models, n_indexed;
    bool has_recall;
    double recall; // of the ten nearest by HNSW beside the exact scan, the least of all models
} ken_database_vectors;

ken_status ken_database_get_vectors(ken_database *db, ken_database_vectors *out, ken_err *err)
    KEN_MUST_USE;
// Builds the HNSW index of a model that has at least `least` vectors and none yet, and measures its recall: seconds to
// hours, in which others go on writing vectors. `*out_built` is false when there is none such, or another process is at it.
ken_status ken_database_index_vectors(ken_database *db, uint64_t least, const ken_cancel *cancel,
                                      bool *out_built, ken_err *err) KEN_MUST_USE;

// Which indexes have words, by what ken_store_put_words told of their segments.
typedef struct ken_words_index {
    ken_str name;        // of the index: "project-<id of the project that it was made for>"
    ken_str codes;       // of the words that were asked for, each as often as its segments have it
    uint64_t n_contents; // of its segments of words
    bool is_untold;      // of some segments it is not known
} ken_words_index;

enum {
    KEN_WORDS_MAX = 512, // of one call
};

// Those that have one or are untold, in no order; in the arena. `entries`: as ken_lex_entry() numbers words, n of them;
// `codes`: a short text for each.
ken_status ken_database_find_words(ken_database *db, const int64_t *entries, const ken_str *codes,
                                   size_t n, ken_arena *arena, ken_words_index **out, size_t *out_n,
                                   ken_err *err) KEN_MUST_USE;

typedef struct ken_near_index {
    ken_str name;    // of the index
    double distance; // cosine, of its nearest vector
} ken_near_index;

// Those that have one of the `n_near` vectors of the model `model` which HNSW finds nearest to `unit`, n_dims values of length
// 1; none where the database has no vectors, no index of them, or one of another model, too. In no order, in the arena.
ken_status ken_database_find_near(ken_database *db, const char *model, const float *unit,
                                  uint32_t n_dims, uint32_t n_near, ken_arena *arena,
                                  ken_near_index **out, size_t *out_n, ken_err *err) KEN_MUST_USE;

typedef struct ken_database_usage {
    uint32_t n_open, n_busy, n_max; // connections
    uint64_t n_made, n_waited, n_lost;
    bool is_pooled; // there is a pooler in between, which gives each transaction another connection
} ken_database_usage;

ken_database_usage ken_database_get_usage(ken_database *db);

// Of the replica. Where it may not answer the primary does.
typedef struct ken_replica_usage {
    bool exists;        // settings name one
    bool is_known;      // it was looked at
    bool is_down;       // when it was last looked at; it is looked at when it is needed
    bool is_behind;     // it had not replayed what the primary had committed
    bool is_other;      // it does not follow this primary: it was promoted, or belongs to another
    char why[240];      // what is so; "" = it may answer
    uint32_t n_max;     // connections
    uint64_t n_answers; // reads that it gave
    uint64_t n_older;   // that found an older generation than was seen
    uint64_t n_behind;  // looks that found it behind
} ken_replica_usage;

ken_replica_usage ken_database_get_replica(ken_database *db);
// Looks at it now.
void ken_database_check_replica(ken_database *db);

#endif
