// SPDX-License-Identifier: MIT
// sqlite_based_priv.h -- the files of a tree that is based on a list of files (its base list): those of the list, without the hidden
// ones and with other times, and the rows of its own. Worktrees of one repository differ in few files, so a tree costs
// what differs.
#ifndef KEN_STORE_SQLITE_SQLITE_BASED_PRIV_H
#define KEN_STORE_SQLITE_SQLITE_BASED_PRIV_H

#include "base/vec.h"
#include "store/sqlite/sqlite_priv.h"

// ---- stamps (sqlite_stamps.c) ------------------------------------------------------------------
// Appends the packed form of a list sorted by id.
void ken_store__sq_pack_stamps(ken_zip *zip, const sq_stamped *list, size_t n, ken_buf *out);
// False when the bytes are no such list; `out` is then of no use.
bool ken_store__sq_unpack_stamps(ken_zip *zip, ken_str packed, sq_stamped_vec *out) KEN_MUST_USE;
sq_stamped *ken_store__sq_find_stamped(const sq_stamped_vec *v, int64_t id); // NULL = none

// ---- files (sqlite_based.c) --------------------------------------------------------------------
// The list that the tree is based on; 0 = none. Asked once in each transaction.
ken_status ken_store__sq_get_base(ken_sq *q, int64_t *out, ken_err *err) KEN_MUST_USE;
// All files of the tree, in no order.
ken_status ken_store__sq_scan_based(ken_sq *q, int64_t base, ken_arena *arena, ken_file_row **out,
                                    size_t *out_n, ken_err *err) KEN_MUST_USE;
// As put_file and remove_file. `*out_is_done`: the row was one of the list, or nothing is left to do; otherwise the
// caller goes on with rows of the tree's own.
ken_status ken_store__sq_put_based(ken_sq *q, int64_t base, const ken_file_row *row,
                                   bool *out_is_done, ken_err *err) KEN_MUST_USE;
ken_status ken_store__sq_remove_based(ken_sq *q, int64_t base, int64_t id, bool *out_is_done,
                                      ken_err *err) KEN_MUST_USE;
// At the end of a generation: times that were put are written; a tree with many rows of its own leaves its list.
ken_status ken_store__sq_end_based(ken_sq *q, ken_err *err) KEN_MUST_USE;
void ken_store__sq_forget_based(ken_sq *q); // at each end of a transaction

// ---- rows of `file` (sqlite_files.c) -----------------------------------------------------------
ken_sq_read_fn ken_store__sq_read_file;
ken_status ken_store__sq_add_file(ken_sq *q, const ken_file_row *row, ken_err *err) KEN_MUST_USE;

#endif
