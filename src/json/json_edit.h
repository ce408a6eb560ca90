// SPDX-License-Identifier: MIT
// json_edit.h -- sets or removes one member in the text of a JSON file; all else in it stays byte for byte.
//
// The text may have comments (// and /* */) and commas behind last members, as the settings files of editors do.
// What is put in is indented as its neighbours are.
//
// Ownership: `out` is the caller's, and appended to. Threads: any. Errors: KEN_EINVAL with line and column for
// what is no JSON, KEN_ELIMIT for what is nested too deeply.
#ifndef KEN_JSON_JSON_EDIT_H
#define KEN_JSON_JSON_EDIT_H

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"

// `path`: the names of `n_path` members, from the outermost object inwards; objects that are missing are made.
// Text without anything in it counts as {}.
ken_status ken_json_edit_set(ken_str text, const char *const *path, size_t n_path,
                             const json_t *value, ken_buf *out, ken_err *err) KEN_MUST_USE;
// `*out_was_there`: there was such a member.
ken_status ken_json_edit_remove(ken_str text, const char *const *path, size_t n_path, ken_buf *out,
                                bool *out_was_there, ken_err *err) KEN_MUST_USE;

#endif
