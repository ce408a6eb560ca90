// SPDX-License-Identifier: MIT
// Where the repository of a work tree is, and what is checked out: read of its files, without running git.
#include "app/app_priv.h"
#include "base/path.h"

enum {
    GIT_FILE_MAX = 4 * 1024 * 1024, // packed-refs of large repositories
    LINKS_MAX = 5,                  // from name to name
};

static ken_str read_line(ken_arena *a, ken_str path)
{
    ken_buf b = KEN_BUF_INIT(8192);
    ken_str line = KEN_STR("");
    if (!ken_fs_read(KEN_FS_CWD, path.ptr, 4096, &b, NULL, NULL))
        line = ken_arena_dup(a, ken_str_trim(ken_buf_str(&b)));
    ken_buf_release(&b);
    return line;
}

// The git folder of a work tree: .git itself, or where the file .git points to.
static ken_str git_dir(ken_arena *a, ken_str root)
{
    ken_fs_info info;
    ken_str path = ken_path_join(a, root, KEN_STR(".git")), prefix = KEN_STR("gitdir: ");
    if (ken_fs_stat(KEN_FS_CWD, path.ptr, &info, NULL))
        return KEN_STR("");
    if (info.kind == KEN_FS_DIR)
        return path;
    ken_str line = read_line(a, path);
    if (!ken_str_starts(line, prefix))
        return KEN_STR("");
    return ken_path_join(a, root, ken_str_sub(line, prefix.len, line.len));
}

static ken_str packed_ref(ken_arena *a, ken_str common, ken_str ref)
{
    if (!ref.ptr)
        return KEN_STR("");
    ken_buf b = KEN_BUF_INIT(GIT_FILE_MAX + 2);
    ken_str found = KEN_STR(""), rest, line;
    ken_str path = ken_path_join(a, common, KEN_STR("packed-refs"));
    if (!ken_fs_read(KEN_FS_CWD, path.ptr, GIT_FILE_MAX, &b, NULL, NULL)) {
        rest = ken_buf_str(&b);
        while (!found.len && ken_str_line_next(&rest, &line)) {
            size_t blank = line.ptr ? ken_str_find_char(line, ' ') : SIZE_MAX;
            if (blank != SIZE_MAX && ken_str_eq(ken_str_sub(line, blank + 1, line.len), ref))
                found = ken_arena_dup(a, ken_str_sub(line, 0, blank));
        }
    }
    ken_buf_release(&b);
    return found;
}

// What all worktrees of the repository share.
static ken_str common_dir(ken_str dir, ken_arena *arena)
{
    ken_str common = read_line(arena, ken_path_join(arena, dir, KEN_STR("commondir")));
    return common.len ? ken_path_join(arena, dir, common) : dir;
}

ken_str ken_app__common_dir(ken_str root, ken_arena *arena)
{
    ken_str dir = git_dir(arena, root), real;
    if (!dir.len || ken_path_real(arena, common_dir(dir, arena), &real, NULL))
        return KEN_STR("");
    return real;
}

// What `name` names: a commit, or another name, "ref: <name>".
static ken_str read_ref(ken_str dir, ken_str name, int n_links, ken_arena *arena)
{
    ken_str prefix = KEN_STR("ref: "), common = common_dir(dir, arena);
    bool is_own = ken_str_eq(name, KEN_STR("HEAD")); // of this work tree
    ken_str line = read_line(arena, ken_path_join(arena, is_own ? dir : common, name));
    ken_str target = ken_str_sub(line, prefix.len, line.len);
    if (ken_str_starts(line, prefix))
        return n_links && ken_str_starts(target, KEN_STR("refs/"))
                   ? read_ref(dir, target, n_links - 1, arena)
                   : KEN_STR("");
    if (!ken_is_object_id(line))
        line = packed_ref(arena, common, name);
    return ken_is_object_id(line) ? line : KEN_STR("");
}

ken_str ken_app__read_ref(ken_str root, ken_str name, ken_arena *arena)
{
    ken_str dir = git_dir(arena, root);
    return dir.len ? read_ref(dir, name, LINKS_MAX, arena) : KEN_STR("");
}

ken_str ken_app_read_head(ken_str root, ken_arena *arena)
{
    return ken_app__read_ref(root, KEN_STR("HEAD"), arena);
}
