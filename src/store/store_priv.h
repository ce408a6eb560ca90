// SPDX-License-Identifier: MIT
// store_priv.h -- what the wrappers of one aspect need of the store (store.c).
#ifndef KEN_STORE_STORE_PRIV_H
#define KEN_STORE_STORE_PRIV_H

#include "store/store_ops.h"

// Fails outside of a write transaction, and in a spoiled one.
ken_status ken_store__check_write(const ken_store *s, ken_err *err) KEN_MUST_USE;
// Remembers the first failed write, and returns `st`.
ken_status ken_store__wrote(ken_store *s, ken_status st) KEN_MUST_USE;
// The same; what was written is to be on disk when the commit returns.
ken_status ken_store__wrote_durably(ken_store *s, ken_status st) KEN_MUST_USE;
// For reads of several rows: one state, whether or not the caller opened a transaction.
ken_status ken_store__enter_read(ken_store *s, bool *out_is_own, ken_err *err) KEN_MUST_USE;
void ken_store__leave_read(ken_store *s, bool is_own);

#endif
