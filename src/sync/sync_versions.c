// SPDX-License-Identifier: MIT
// The earlier contents of a file, which a clone without contents has not got. They come in one fetch, where
// git would ask for them one by one.
#include "base/vec.h"
#include "sync/sync_priv.h"

enum {
    VERSIONS_MAX = 2000,
    VERSIONS_MS = 60000,
};

typedef KEN_VEC(const char *) word_vec;

// What git lists as missing: lines of "?" and an id.
static void take_missing(sync_job *j, ken_str text, word_vec *out)
{
    size_t before = out->len;
    ken_str line;
    while (out->len - before < VERSIONS_MAX && ken_str_line_next(&text, &line))
        if (line.len > 1 && line.ptr[0] == '?')
            ken_vec_push(out, ken_arena_dup(j->arena, ken_str_sub(line, 1, line.len)).ptr);
}

static ken_status fetch_missing(sync_job *j, ken_str path, ken_err *err)
{
    const char *list[] = {
        "rev-list",
        "--objects",
        "--missing=print",
        "HEAD",
        "--",
        ken_arena_printf(j->arena, ":(literal)" KEN_STR_FMT, KEN_STR_ARG(path)).ptr,
        NULL
    };
    ken_str text;
    word_vec argv = { .len = 0 };
    ken_status st = ken_sync__git(j, list, &text, err);
    if (st)
        return st;
    ken_vec_push(&argv, "fetch");
    ken_vec_push(&argv, "--filter=blob:none"); // of what comes with them
    ken_vec_push(&argv, "origin");
    size_t n_words = argv.len;
    take_missing(j, text, &argv);
    bool is_any = argv.len > n_words;
    ken_vec_push(&argv, NULL);
    if (is_any)
        st = ken_sync__git(j, argv.ptr, NULL, err);
    ken_vec_release(&argv);
    return st;
}

ken_status ken_sync_fetch_versions(const ken_sync_source *s, const char *folder, ken_str path,
                                   const ken_cancel *cancel, ken_arena *arena, ken_err *err)
{
    int lock = -1;
    sync_job j;
    ken_status st = ken_sync_check(s, err);
    if (!st)
        st = ken_sync__lock(folder, arena, &lock, err);
    if (st)
        return st;
    ken_sync__begin(&j, s, folder, VERSIONS_MS, cancel, arena);
    j.lock_fd = lock;
    st = fetch_missing(&j, path, err);
    ken_fs_unlock(lock);
    return st;
}
