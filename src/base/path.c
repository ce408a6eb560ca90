// SPDX-License-Identifier: MIT
#include "base/path.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

ken_str ken_path_base(ken_str path)
{
    size_t at = ken_str_rfind_char(path, '/');
    return at == SIZE_MAX ? path : ken_str_sub(path, at + 1, path.len);
}

ken_str ken_path_dir(ken_str path)
{
    size_t at = ken_str_rfind_char(path, '/');
    return at == SIZE_MAX ? ken_str_n(path.ptr, 0) : ken_str_sub(path, 0, at);
}

ken_str ken_path_ext(ken_str path)
{
    ken_str base = ken_path_base(path);
    size_t at = ken_str_rfind_char(base, '.');
    if (at == SIZE_MAX || at == 0)
        return ken_str_n(base.ptr, 0);
    return ken_str_sub(base, at + 1, base.len);
}

ken_str ken_path_stem(ken_str path)
{
    ken_str base = ken_path_base(path);
    size_t at = ken_str_rfind_char(base, '.');
    return at == SIZE_MAX || at == 0 ? base : ken_str_sub(base, 0, at);
}

ken_str ken_path_join(ken_arena *a, ken_str dir, ken_str name)
{
    if (!dir.len || (name.len && name.ptr[0] == '/'))
        return ken_arena_dup(a, name);
    if (!name.len)
        return ken_arena_dup(a, dir);
    bool has_slash = dir.ptr[dir.len - 1] == '/';
    return ken_arena_printf(a, KEN_STR_FMT "%s" KEN_STR_FMT, KEN_STR_ARG(dir), has_slash ? "" : "/",
                            KEN_STR_ARG(name));
}

ken_str ken_path_normalise(ken_arena *a, ken_str path)
{
    bool is_absolute = path.len && path.ptr[0] == '/';
    char *out = ken_arena_alloc(a, path.len + 2);
    size_t len = 0;
    ken_str rest = path, part = { "", 0 };
    while (ken_str_split_next(&rest, '/', &part)) {
        if (!part.len || ken_str_eq(part, KEN_STR(".")))
            continue;
        if (ken_str_eq(part, KEN_STR(".."))) {
            if (!len) {
                if (is_absolute)
                    continue;
                return (ken_str){ NULL, 0 };
            }
            while (len && out[len - 1] != '/')
                len--;
            if (len)
                len--;
            continue;
        }
        if (len || is_absolute)
            out[len++] = '/';
        memcpy(out + len, part.ptr, part.len);
        len += part.len;
    }
    if (is_absolute && !len)
        out[len++] = '/';
    out[len] = '\0';
    return (ken_str){ out, len };
}

bool ken_path_is_under(ken_str root, ken_str path)
{
    if (!ken_str_starts(path, root))
        return false;
    return path.len == root.len || path.ptr[root.len] == '/' ||
           (root.len && root.ptr[root.len - 1] == '/');
}

ken_str ken_path_relative(ken_str root, ken_str path)
{
    if (!ken_path_is_under(root, path))
        return (ken_str){ NULL, 0 };
    size_t from = root.len;
    while (from < path.len && path.ptr[from] == '/')
        from++;
    return ken_str_sub(path, from, path.len);
}

ken_status ken_path_real(ken_arena *a, ken_str path, ken_str *out, ken_err *err)
{
    ken_str text = ken_arena_dup(a, path);
    if (memchr(text.ptr, '\0', text.len))
        return KEN_FAIL(err, KEN_EINVAL, "path holds a NUL byte");
    char real[PATH_MAX];
    if (!realpath(text.len ? text.ptr : ".", real))
        return KEN_FAIL_ERRNO(err, errno, "path '%s'", text.ptr);
    *out = ken_arena_dup(a, ken_str_c(real));
    return KEN_OK;
}

ken_status ken_path_resolve_under(ken_arena *a, ken_str root, ken_str relative, ken_str *out,
                                  ken_err *err)
{
    ken_str real = ken_path_join(a, root, relative);
    ken_status st = ken_path_real(a, real, &real, err);
    if (st)
        return st;
    if (!ken_path_is_under(root, real))
        return KEN_FAIL(err, KEN_EPERM, "path '" KEN_STR_FMT "' is outside of '" KEN_STR_FMT "'",
                        KEN_STR_ARG(relative), KEN_STR_ARG(root));
    *out = real;
    return KEN_OK;
}
