// SPDX-License-Identifier: MIT
// sqlite_vfs_priv.h -- checksums of pages, under SQLite (see sqlite_vfs.c).
//
// A page that is not as it was written fails its read with SQLITE_IOERR_DATA, which the store makes
// KEN_ECORRUPT. Threads: as SQLite's connections.
#ifndef KEN_STORE_SQLITE_SQLITE_VFS_PRIV_H
#define KEN_STORE_SQLITE_SQLITE_VFS_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include <sqlite3.h>

#define KEN_SQ_VFS "ken"

enum {
    KEN_SQ_RESERVED = 8,                   // bytes at the end of each page
    KEN_SQ_MMAP_BYTES = 256 * 1024 * 1024, // of a database that are mapped at most: blocks are read
                                           // three times as fast
};

typedef struct ken_sq_damage {
    uint64_t page; // its number; 0 = none was met
    bool is_in_log;
    bool is_lost; // not a page, but what was mapped
} ken_sq_damage;

// The message for is_lost.
#define KEN_SQ_LOST "is damaged: what was mapped of it is gone, it was cut or the disk fails"

// Registers KEN_SQ_VFS with SQLite. May be called again, from any thread.
void ken_store__sq_vfs_init(void);
// The same over another VFS than the default one, for tests: no database is open.
void ken_store__sq_vfs_over(sqlite3_vfs *real);
// The last damaged page that a connection met; a NULL connection met none.
ken_sq_damage ken_store__sq_damage_of(sqlite3 *db);
// Whether the pages of its database have sums; a file that is still empty will.
bool ken_store__sq_has_sums(sqlite3 *db);
// Before the first write to a new database, between PRAGMA page_size and auto_vacuum: room for sums.
// A code of SQLite.
int ken_store__sq_reserve(sqlite3 *db);

#endif
