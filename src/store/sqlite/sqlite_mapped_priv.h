// SPDX-License-Identifier: MIT
// sqlite_mapped_priv.h -- files that SQLite has mapped, and that somebody cuts or the disk loses.
//
// Reading a mapped page that is gone raises SIGBUS, which would end the process. Here the reader gets a
// page of zeros instead, and every connection with that mapping is marked as lost for good: its reads
// are not trusted, and it writes nothing more.
//
// Threads: any. Errors: none; a mapping for which there is no room ends the process as before.
#ifndef KEN_STORE_SQLITE_SQLITE_MAPPED_PRIV_H
#define KEN_STORE_SQLITE_SQLITE_MAPPED_PRIV_H

#include <stdatomic.h>
#include <stddef.h>

// Called inside of the signal handler, on the thread that met it.
typedef void ken_sq_lost_fn(const char *path);

// From now on the process survives it. Once, before any file is mapped; where something else handles
// SIGBUS already, that stays.
void ken_store__sq_guard_mappings(ken_sq_lost_fn *on_lost);

// [base, base + n) is a mapping of `path`, and `*is_lost` of its owner becomes true when it is lost;
// at once when another owner's was. `is_shared`: a piece of the shared memory of a log; else the
// database, of which the owner has one mapping at a time.
void ken_store__sq_note_mapping(atomic_bool *is_lost, const char *path, const void *base, size_t n,
                                int is_shared);
// Those of an owner, which are about to go.
void ken_store__sq_forget_mappings(const atomic_bool *is_lost, int is_shared);

#endif
