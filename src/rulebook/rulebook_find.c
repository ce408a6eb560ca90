// SPDX-License-Identifier: MIT
// Where documents of rules lie: a few folders are listed, so that a document that was written a
// second ago is there; those in folders of their own come from the index.
#include <dirent.h>
#include <errno.h>

#include "base/path.h"
#include "query/query_facts.h"
#include "rulebook/rulebook_priv.h"

enum {
    ENTRIES_MAX = 20000 // of one folder that are looked at
};

static const char *const folders[] = {
    "",         "docs",    ".github",        ".cursor/rules", "docs/patterns",
    "docs/adr", "doc/adr", "docs/decisions", "adr",
};

// A folder that is not there, or that is a link and leads elsewhere, holds no documents.
static bool is_absent(int e)
{
    return e == ENOENT || e == ENOTDIR || e == ELOOP || e == EXDEV;
}

static void tell_unread(ken_str folder, int e, rulebook_path_fn *fn, void *ctx)
{
    ken_err why = { 0 };
    ken_str path = folder.len ? folder : KEN_STR(".");
    (void)KEN_FAIL_ERRNO(&why, e, "the folder '" KEN_STR_FMT "' could not be listed",
                         KEN_STR_ARG(path));
    fn(ctx, path, &why);
}

static void list_folder(int root_fd, const char *folder, ken_arena *scratch, rulebook_path_fn *fn,
                        void *ctx)
{
    int fd = ken_fs_open_dir_under(root_fd, ken_str_c(folder));
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir) {
        int e = errno;
        ken_fs_close(fd);
        if (!is_absent(e))
            tell_unread(ken_str_c(folder), e, fn, ctx);
        return;
    }
    const struct dirent *d;
    errno = 0;
    for (int n = 0; n < ENTRIES_MAX && (d = readdir(dir)) != NULL; n++, errno = 0) {
        ken_str path = *folder ? ken_path_join(scratch, ken_str_c(folder), ken_str_c(d->d_name))
                               : ken_arena_dup(scratch, ken_str_c(d->d_name));
        if (ken_rules_kind_of(path, NULL) != KEN_RULE_NONE)
            fn(ctx, path, NULL);
    }
    if (errno)
        tell_unread(ken_str_c(folder), errno, fn, ctx);
    closedir(dir);
}

// What the index has, once for each generation.
static ken_status load_nested(ken_rulebook *b, ken_err *err)
{
    ken_str globs[] = { KEN_STR("**/CLAUDE.md"), KEN_STR("**/AGENTS.md"),
                        KEN_STR("**/.cursor/rules/*.mdc") };
    uint64_t generation = ken_snapshot_generation(b->snapshot);
    if (b->nested_generation == generation)
        return KEN_OK;
    ken_facts_scope scope = { .in = { globs, sizeof globs / sizeof *globs } };
    ken_arena_reset(&b->nested_arena);
    b->n_nested = 0;
    ken_status st =
        ken_list_paths(b->snapshot, &scope, &b->nested_arena, &b->nested, &b->n_nested, err);
    if (!st)
        b->nested_generation = generation;
    return st;
}

ken_status ken_rulebook__find(ken_rulebook *b, int root_fd, rulebook_path_fn *fn, void *ctx,
                              ken_err *err)
{
    ken_arena scratch;
    ken_arena_init(&scratch, 0);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        list_folder(root_fd, folders[i], &scratch, fn, ctx);
    ken_status st = load_nested(b, err);
    for (size_t i = 0; !st && i < b->n_nested; i++)
        fn(ctx, b->nested[i], NULL);
    ken_arena_release(&scratch);
    return st;
}
