// SPDX-License-Identifier: MIT
// Haskell: module A.B.C is a file A/B/C.hs below some source folder, which says so in its head.
#include "base/path.h"
#include "graph/languages/haskell_priv.h"

typedef struct haskell_search {
    ken_str module, tail; // A.B.C, A/B/C.hs
    uint32_t from, file, n_shared;
    bool is_said; // by the head of the file
} haskell_search;

static void consider(ken_modules *m, void *ctx, uint32_t file)
{
    haskell_search *s = ctx;
    ken_str path = m->tree->paths[file];
    if (file == s->from || !ken_modules__path_ends(path, s->tail))
        return;
    ken_str said = m->tree->package ? m->tree->package(m->tree->ctx, file) : KEN_STR("");
    if (said.len && !ken_str_eq(said, s->module))
        return; // X.A.B.C
    uint32_t n_shared = ken_modules__shared_folders(path, m->tree->paths[s->from]);
    if (s->file == MODULE_NONE || n_shared > s->n_shared) {
        s->file = file;
        s->n_shared = n_shared;
        s->is_said = said.len > 0;
    } else if (n_shared == s->n_shared) {
        s->file = MODULE_MANY;
    }
}

void ken_graph__haskell_resolve(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    static const char *const extensions[] = { "hs", "lhs", "hsc" };
    haskell_search s = { .module = ask->module, .from = ask->file, .file = MODULE_NONE };
    ken_str path = ken_modules__slashes(m, ask->module, KEN_STR("."));
    for (size_t i = 0; path.len && i < sizeof extensions / sizeof *extensions; i++) {
        s.tail = ken_arena_printf(&m->scratch, KEN_STR_FMT ".%s", KEN_STR_ARG(path), extensions[i]);
        ken_modules__each(m, ken_path_base(s.tail), consider, &s);
    }
    if (s.file == MODULE_NONE) {
        ken_modules__external(out, "a module that is not in the tree");
        return;
    }
    ken_modules__guess(m, out, s.file, "the file of the module");
    out->is_guess &= !s.is_said;
}
