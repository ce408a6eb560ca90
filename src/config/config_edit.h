// SPDX-License-Identifier: MIT
// config_edit.h -- changes one setting in a settings file; comments, order and all else in it stay.
//
// The file is read before and after: what is written has been loaded with the new value, and what is wrong
// already is refused with its place. It is replaced as a whole.
//
// Threads: any. Errors: KEN_EINVAL for an unknown key, a value that the key does not take, a file that is not
// as it should be, and a file whose shape this cannot change.
#ifndef KEN_CONFIG_CONFIG_EDIT_H
#define KEN_CONFIG_CONFIG_EDIT_H

#include "base/buf.h"
#include "config/config.h"

// `value` as the environment would have it: elements of a list are separated by commas. `source`: the
// user's file or a project's.
ken_status ken_config_edit_set(const char *path, ken_config_source source, ken_config_key key,
                               ken_str value, ken_err *err) KEN_MUST_USE;
// `*out_was_set`: it stood in the file.
ken_status ken_config_edit_unset(const char *path, ken_config_source source, ken_config_key key,
                                 bool *out_was_set, ken_err *err) KEN_MUST_USE;
// That `text` would be taken as the settings file `path`.
ken_status ken_config_edit_check(ken_str text, const char *path, ken_config_source source,
                                 ken_err *err) KEN_MUST_USE;

#endif
