// SPDX-License-Identifier: MIT
// The repository of a clone: what a git that was killed or failed leaves in it is removed, and one that is made anew
// takes the place of the one before only when it is complete.
//
// The one before is moved beside the clone, where no scan sees it; while it is there, the new one is not complete,
// and whoever finds it (the next sync, when this one was killed) puts it back. A complete one takes it in to
// remove it, so that a removal that is cut short is not taken for that.
#include "base/path.h"
#include "sync/sync_priv.h"

enum {
    N_FANS = 256, // folders of loose objects, by the first byte
};

ken_str ken_sync__in_clone(const sync_job *j, const char *name)
{
    return ken_path_join(j->arena, ken_str_c(j->folder), ken_str_c(name));
}

// Nobody else runs a git here: the lock of the clone is held. What is written of a pack when the disk is full
// would keep it full.
void ken_sync__remove_litter(const sync_job *j)
{
    ken_str objects = ken_sync__in_clone(j, ".git/objects");
    ken_str pack = ken_path_join(j->arena, objects, KEN_STR("pack"));
    ken_fs_remove_named(ken_sync__in_clone(j, ".git").ptr, "", ".lock");
    ken_fs_remove_named(pack.ptr, "tmp_", "");
    ken_fs_remove_named(pack.ptr, ".tmp-", ""); // of git gc
    ken_fs_remove_named(pack.ptr, "", ".keep"); // of a fetch that did not come to move its branch
    for (unsigned i = 0; i < N_FANS; i++) {
        ken_arena_mark mark = ken_arena_get_mark(j->arena);
        ken_str fan = ken_arena_printf(j->arena, KEN_STR_FMT "/%02x", KEN_STR_ARG(objects), i);
        ken_fs_remove_named(fan.ptr, "tmp_", "");
        ken_arena_rewind(j->arena, mark);
    }
    (void)!ken_fs_remove_tree(ken_sync__in_clone(j, ".git/ken-before").ptr, NULL);
}

void ken_sync__remove_ref_locks(const sync_job *j, ken_str branch)
{
    static const char *const places[] = { "heads", "remotes/origin" };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        ken_str lock = ken_arena_printf(j->arena, "%s/.git/refs/%s/" KEN_STR_FMT ".lock", j->folder,
                                        places[i], KEN_STR_ARG(branch));
        (void)!ken_fs_remove(lock.ptr, NULL);
    }
}

// No project has a name that begins so.
ken_str ken_sync__path_before(const char *folder, ken_arena *arena)
{
    ken_str name = ken_arena_printf(arena, "." KEN_STR_FMT ".git-before",
                                    KEN_STR_ARG(ken_path_base(ken_str_c(folder))));
    return ken_path_join(arena, ken_path_dir(ken_str_c(folder)), name);
}

ken_status ken_sync__set_aside(const sync_job *j, ken_err *err)
{
    ken_str dot_git = ken_sync__in_clone(j, ".git");
    if (!ken_fs_exists(dot_git.ptr))
        return KEN_OK;
    return ken_fs_rename(dot_git.ptr, ken_sync__path_before(j->folder, j->arena).ptr, err);
}

ken_status ken_sync__put_back(const sync_job *j, ken_err *err)
{
    ken_str dot_git = ken_sync__in_clone(j, ".git"),
            before = ken_sync__path_before(j->folder, j->arena);
    if (!ken_fs_exists(before.ptr))
        return KEN_OK;
    ken_status st = ken_fs_remove_tree(dot_git.ptr, err);
    return st ? st : ken_fs_rename(before.ptr, dot_git.ptr, err);
}

ken_status ken_sync__drop_before(const sync_job *j, ken_err *err)
{
    ken_str before = ken_sync__path_before(j->folder, j->arena),
            into = ken_sync__in_clone(j, ".git/ken-before");
    if (!ken_fs_exists(before.ptr))
        return KEN_OK;
    ken_status st = ken_fs_rename(before.ptr, into.ptr, err);
    if (!st)
        (void)!ken_fs_remove_tree(into.ptr, NULL); // else the next sync does
    return st;
}
