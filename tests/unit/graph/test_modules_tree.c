// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "ktest.h"
#include "lang/lang.h"
#include "modules_tree.h"

static int by_path(const void *a, const void *b)
{
    const modules_file *const *x = a, *const *y = b;
    return strcmp((*x)->path, (*y)->path);
}

static ken_str read_file(void *ctx, uint32_t file, ken_arena *arena)
{
    modules_tree *t = ctx;
    t->n_read++;
    return ken_arena_dup(arena, ken_str_c(t->files[file]->text));
}

static ken_str package_of(void *ctx, uint32_t file)
{
    const modules_tree *t = ctx;
    return ken_str_c(t->files[file]->package);
}

void modules_open(modules_tree *t, const modules_file *files, uint32_t n_files)
{
    *t = (modules_tree){ 0 };
    ken_arena_init(&t->arena, 0);
    t->files = KEN_ARENA_ARRAY(&t->arena, const modules_file *, n_files + 1);
    ken_str *paths = KEN_ARENA_ARRAY(&t->arena, ken_str, n_files + 1);
    uint16_t *langs = KEN_ARENA_ARRAY(&t->arena, uint16_t, n_files + 1);
    for (uint32_t i = 0; i < n_files; i++)
        t->files[i] = &files[i];
    if (n_files)
        qsort(t->files, n_files, sizeof *t->files, by_path);
    for (uint32_t i = 0; i < n_files; i++) {
        paths[i] = ken_str_c(t->files[i]->path);
        langs[i] = (uint16_t)ken_lang_of(paths[i], KEN_STR(""));
    }
    t->tree = (ken_tree){ t, paths, langs, n_files, read_file, package_of, NULL };
    t->modules = ken_modules_new(&t->tree);
}

void modules_close(modules_tree *t)
{
    ken_modules_free(t->modules);
    ken_arena_release(&t->arena);
}

uint32_t modules_find(const modules_tree *t, const char *path)
{
    for (uint32_t i = 0; i < t->tree.n_files; i++)
        if (ken_str_eq_c(t->tree.paths[i], path))
            return i;
    kt_fail("the tree has no file '%s'", path);
}

static const char *as_text(modules_tree *t, const ken_module *got)
{
    if (got->kind == KEN_MODULE_UNKNOWN)
        return "unknown";
    if (got->kind == KEN_MODULE_EXTERNAL)
        return "external";
    ken_buf b = KEN_BUF_INIT(0);
    if (got->is_guess)
        ken_buf_puts(&b, "guess ");
    for (uint32_t i = 0; i < got->n_files; i++) {
        ken_buf_puts(&b, i ? " " : "");
        ken_buf_put_str(&b, t->tree.paths[got->files[i]]);
    }
    if (got->rest.len)
        ken_buf_printf(&b, " + " KEN_STR_FMT, KEN_STR_ARG(got->rest));
    const char *text = ken_arena_dup(&t->arena, ken_buf_str(&b)).ptr;
    ken_buf_release(&b);
    return text;
}

const char *modules_say(modules_tree *t, const ken_module_ask *ask)
{
    ken_module first, again;
    ken_modules_resolve(t->modules, ask, &first);
    ken_modules_resolve(t->modules, ask, &again);
    const char *text = as_text(t, &first);
    kt_eq_str(as_text(t, &again), text);
    kt_not_null(first.why);
    return text;
}

void modules_check(modules_tree *t, const ken_module_ask *ask, const char *want)
{
    const char *got = modules_say(t, ask);
    if (strcmp(got, want) != 0)
        kt_fail("'" KEN_STR_FMT "' of " KEN_STR_FMT " is '%s', not '%s'", KEN_STR_ARG(ask->module),
                KEN_STR_ARG(t->tree.paths[ask->file]), got, want);
}

void modules_expect(modules_tree *t, const char *from, const char *module, const char *want)
{
    ken_module_ask ask = { .file = modules_find(t, from), .module = ken_str_c(module) };
    modules_check(t, &ask, want);
}

void modules_expect_around(modules_tree *t, const char *file, const char *want)
{
    ken_module out;
    ken_modules_around(t->modules, modules_find(t, file), &out);
    kt_eq_str(as_text(t, &out), want);
}
