// SPDX-License-Identifier: MIT
// path.h -- names of files as text; nothing here touches the disk except ken_path_real.
#ifndef KEN_BASE_PATH_H
#define KEN_BASE_PATH_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

ken_str ken_path_base(ken_str path); // after the last '/'
ken_str ken_path_dir(ken_str path);  // before the last '/'; empty when there is none
ken_str ken_path_ext(ken_str path);  // after the last '.' of the base name; empty for ".name"
ken_str ken_path_stem(ken_str path); // base name without its last extension

ken_str ken_path_join(ken_arena *a, ken_str dir, ken_str name);
// Removes "." and "//", resolves ".." by text. NULL ptr when ".." leaves a relative path.
ken_str ken_path_normalise(ken_arena *a, ken_str path);
// True when `path` is `root` or lies below it (both absolute, normalised).
bool ken_path_is_under(ken_str root, ken_str path);
// `path` relative to `root`; "" for the root itself; NULL ptr when it is outside.
ken_str ken_path_relative(ken_str root, ken_str path);

// The absolute path with every symbolic link resolved.
ken_status ken_path_real(ken_arena *a, ken_str path, ken_str *out, ken_err *err) KEN_MUST_USE;
// Resolves `relative` below `root` and refuses whatever really lies outside (links, "..").
ken_status ken_path_resolve_under(ken_arena *a, ken_str root, ken_str relative, ken_str *out,
                                  ken_err *err) KEN_MUST_USE;

#endif
