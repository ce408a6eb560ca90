// SPDX-License-Identifier: MIT
// fuzz_modules.c -- import resolution over a hostile tree. Input: paths and texts in turn, each
// ended by a NUL; the last text is the import. It is asked from every file, by all languages'
// rules, alone, as a name in itself and from within itself. Answers must lie in the tree and be the
// same the second time.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/path.h"
#include "graph/graph_modules.h"
#include "lang/lang.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    FILES_MAX = 16,
    SIZE_MAX_BYTES = 8192,
};

typedef struct fuzz_file {
    ken_str path, text;
} fuzz_file;

static int by_path(const void *a, const void *b)
{
    const fuzz_file *x = a, *y = b;
    return ken_str_cmp(x->path, y->path);
}

static ken_str read_file(void *ctx, uint32_t file, ken_arena *arena)
{
    const fuzz_file *files = ctx;
    return ken_arena_dup(arena, files[file].text);
}

// The first word is as good a package as any.
static ken_str package_of(void *ctx, uint32_t file)
{
    const fuzz_file *files = ctx;
    ken_str rest = files[file].text, word = KEN_STR("");
    (void)ken_str_split_next(&rest, ' ', &word);
    return word.ptr ? word : KEN_STR("");
}

// Relative, normalised and not there yet, as paths of a tree are.
static bool is_new_path(const fuzz_file *files, uint32_t n, ken_str path, ken_arena *a)
{
    if (!path.len || path.ptr[0] == '/' || !ken_str_eq(ken_path_normalise(a, path), path))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (ken_str_eq(files[i].path, path))
            return false;
    return true;
}

static void check_answer(const ken_tree *tree, const ken_module *got)
{
    KEN_ASSERT((got->kind == KEN_MODULE_FILES || !got->n_files) && got->why);
    for (uint32_t i = 0; i < got->n_files; i++)
        KEN_ASSERT(got->files[i] < tree->n_files);
}

static void ask_twice(ken_modules *m, const ken_tree *tree, const ken_module_ask *ask)
{
    ken_module first, again;
    ken_modules_resolve(m, ask, &first);
    ken_modules_resolve(m, ask, &again);
    check_answer(tree, &first);
    KEN_ASSERT(first.kind == again.kind && first.files == again.files &&
               ken_str_eq(first.rest, again.rest));
}

static void ask_all(const ken_tree *tree, ken_str import)
{
    ken_modules *m = ken_modules_new(tree);
    for (uint32_t i = 0; i < tree->n_files; i++) {
        ken_module around;
        ken_modules_around(m, i, &around);
        check_answer(tree, &around);
        ask_twice(m, tree, &(ken_module_ask){ .file = i, .module = import });
        ask_twice(m, tree, &(ken_module_ask){ .file = i, .module = import, .name = import });
        ask_twice(m, tree, &(ken_module_ask){ .file = i, .module = import, .within = import });
    }
    ken_modules_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = { "c",     "go",     "rust",      "java",
                                         "scala", "csharp", "swift",     "haskell",
                                         "zig",   "python", "typescript" };
    ken_str rest = ken_str_n((const char *)data, size), path, text = KEN_STR("");
    fuzz_file files[FILES_MAX];
    ken_str paths[FILES_MAX];
    uint16_t langs[FILES_MAX];
    uint32_t n = 0;
    ken_arena a;
    if (size > SIZE_MAX_BYTES)
        return 0;
    ken_arena_init(&a, 0);
    while (n < FILES_MAX && ken_str_split_next(&rest, '\0', &path) &&
           ken_str_split_next(&rest, '\0', &text))
        if (is_new_path(files, n, path, &a))
            files[n++] = (fuzz_file){ path, text };
    if (n)
        qsort(files, n, sizeof *files, by_path);
    for (size_t l = 0; l < sizeof names / sizeof *names; l++) {
        for (uint32_t i = 0; i < n; i++) {
            paths[i] = files[i].path;
            langs[i] = (uint16_t)ken_lang_by_name(ken_str_c(names[l]));
        }
        ken_tree tree = { files, paths, langs, n, read_file, package_of, NULL };
        ask_all(&tree, text);
    }
    ken_arena_release(&a);
    return 0;
}
