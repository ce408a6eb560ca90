// SPDX-License-Identifier: MIT
// Where Elixir's modules are defined: Foo.BarBaz in lib/foo/bar_baz.ex of this application or of
// another of the umbrella; Phoenix puts folders between (controllers, live). A module may stand in
// the file of the one around it: then its text says so.
#include "base/path.h"
#include "graph/graph_modules_script_priv.h"
#include "graph/languages/elixir_priv.h"

enum {
    FILE_MAX = 1 << 18 // bytes of a file that is searched for a nested module
};

static const char *const elixir_endings[] = { ".ex", ".exs", NULL };

static uint32_t by_convention(ken_modules *m, const ken_module_ask *ask, ken_str path)
{
    static const char *const folders[] = { "lib", "test/support", "test", "web", NULL };
    uint32_t file =
        ken_modules__above(m, ken_modules__dir(m, ask->file), folders, path, elixir_endings);
    if (file == MODULE_NONE) // of another application
        file = ken_modules__nearest(m, ask->file, ken_path_join(&m->scratch, KEN_STR("lib"), path),
                                    KEN_LANG_ELIXIR);
    return file < MODULE_MANY ? file : MODULE_NONE;
}

// ---- with folders between ----------------------------------------------------------------------
typedef struct elixir_spread {
    ken_str dirs; // "lib/my_app_web": what the path has in this order
    ken_str here;
    uint32_t best, best_shared;
    bool is_tied;
} elixir_spread;

// All segments of `want` are among those of `path`, in order.
static bool has_in_order(ken_str path, ken_str want)
{
    ken_str part, need = KEN_STR("");
    bool is_left = ken_str_split_next(&want, '/', &need);
    while (is_left && ken_str_split_next(&path, '/', &part))
        if (ken_str_eq(part, need))
            is_left = ken_str_split_next(&want, '/', &need);
    return !is_left;
}

static void offer(ken_modules *m, void *ctx, uint32_t file)
{
    elixir_spread *s = ctx;
    ken_str path = m->tree->paths[file];
    if (!has_in_order(ken_path_dir(path), s->dirs))
        return;
    uint32_t shared = ken_modules__shared(s->here, path);
    s->is_tied = s->best != MODULE_NONE && shared == s->best_shared;
    if (s->best == MODULE_NONE || shared > s->best_shared) {
        s->best = file;
        s->best_shared = shared;
    }
}

static uint32_t by_parts(ken_modules *m, const ken_module_ask *ask, ken_str path)
{
    if (ken_str_find_char(path, '/') == SIZE_MAX)
        return MODULE_NONE;
    elixir_spread s = { .dirs = ken_path_join(&m->scratch, KEN_STR("lib"), ken_path_dir(path)),
                        .here = m->tree->paths[ask->file],
                        .best = MODULE_NONE };
    ken_str base = ken_modules__concat(m, ken_path_base(path), "", KEN_STR(".ex"));
    ken_modules__each(m, base, offer, &s);
    return s.is_tied ? MODULE_NONE : s.best;
}

// ---- inside of another -------------------------------------------------------------------------
static bool defines(ken_str text, ken_str name)
{
    static const char *const words[] = { "defmodule ", "defprotocol ", "defimpl " };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        ken_str word = ken_str_c(words[i]), rest = text;
        for (size_t at; (at = ken_str_find(rest, word)) != SIZE_MAX;) {
            rest = ken_str_trim(ken_str_sub(rest, at + word.len, rest.len));
            char after = rest.len > name.len ? rest.ptr[name.len] : ' ';
            if (ken_str_starts(rest, name) && !ken_is_word(after) && after != '.')
                return true;
        }
    }
    return false;
}

static uint32_t by_text(ken_modules *m, const ken_module_ask *ask, ken_str name)
{
    for (ken_str outer = name;;) {
        size_t dot = ken_str_rfind_char(outer, '.');
        if (dot == SIZE_MAX)
            return MODULE_NONE;
        outer = ken_str_sub(outer, 0, dot);
        uint32_t file = by_convention(m, ask, ken_modules__underscore(m, outer, KEN_STR(".")));
        if (file == MODULE_NONE)
            continue;
        ken_str text = ken_str_sub(ken_modules__peek(m, file), 0, FILE_MAX);
        bool is_there = defines(text, name) || defines(text, ken_str_sub(name, dot + 1, name.len));
        return is_there ? file : MODULE_NONE;
    }
}

void ken_graph__elixir_resolve(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    ken_str name = ken_modules__concat(m, ask->module, ".", ask->name);
    if (ken_str_starts(name, KEN_STR("Elixir.")))
        name = ken_str_sub(name, 7, name.len);
    if (!name.len || !ken_is_upper(name.ptr[0])) {
        ken_modules__external(out, "no module of Elixir");
        return;
    }
    ken_str path = ken_modules__underscore(m, name, KEN_STR("."));
    uint32_t file = by_convention(m, ask, path);
    if (file == MODULE_NONE)
        file = by_text(m, ask, name);
    if (file != MODULE_NONE)
        ken_modules__one(m, out, file, "the file of the module");
    else
        ken_modules__guess(m, out, by_parts(m, ask, path), "its name with folders between");
    if (out->kind == KEN_MODULE_FILES)
        out->rest = name;
    else
        ken_modules__external(out, "no module of the tree");
}
