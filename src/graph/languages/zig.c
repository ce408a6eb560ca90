// SPDX-License-Identifier: MIT
// Zig: @import names a file beside, or a module that a build.zig makes.
//
// build.zig is a program; what is read of it are the calls that pair a name with a source file:
// addModule("name", …"x.zig"…), addImport("name", variable) and its like.
#include "base/path.h"
#include "graph/graph_driver_priv.h"
#include "manifest/manifest_text.h"

enum {
    MODULES_MAX = 2000,
    CALL_BYTES_MAX = 2000, // between a name and its source file
};

typedef struct zig_module {
    ken_str name, dir; // dir: of the build.zig
    uint32_t file;
} zig_module;

typedef struct zig_state {
    zig_module *modules;
    uint32_t n_modules;
} zig_state;

// The first text in quotes that ends with .zig, before the statement ends; empty when none.
static ken_str source_in(ken_str text)
{
    ken_str one;
    text = ken_str_sub(text, 0, CALL_BYTES_MAX);
    text = ken_str_sub(text, 0, ken_str_find_char(text, ';'));
    while (ken_manifest_quoted_next(&text, &one))
        if (ken_str_ends(one, KEN_STR(".zig")))
            return one;
    return KEN_STR("");
}

static void add_module(ken_modules *m, zig_state *s, ken_str dir, ken_str name, ken_str source)
{
    uint32_t file = source.len ? ken_modules__at(m, dir, source) : MODULE_NONE;
    if (file != MODULE_NONE && s->n_modules < MODULES_MAX)
        s->modules[s->n_modules++] = (zig_module){ name, dir, file };
}

// `call("name", … "x.zig" …)`
static void read_calls(ken_modules *m, zig_state *s, ken_str dir, ken_str text, const char *call)
{
    ken_str name;
    for (ken_str at = ken_manifest_behind(text, call); at.ptr; at = ken_manifest_behind(at, call))
        if (ken_manifest_quoted_next(&at, &name))
            add_module(m, s, dir, name, source_in(at));
}

// `addImport("name", variable)`, where `const variable = … "x.zig" …;` stands above.
static void read_imports(ken_modules *m, zig_state *s, ken_str dir, ken_str text)
{
    ken_str name, variable, at = text;
    for (int i = 0; i < MODULES_MAX; i++) {
        at = ken_manifest_behind(at, "addImport(");
        if (!at.ptr || !ken_manifest_quoted_next(&at, &name))
            return;
        ken_str behind = at;
        if (!ken_manifest_word_next(&behind, ",)(;", &variable))
            continue;
        ken_str made = ken_arena_printf(&m->scratch, "const " KEN_STR_FMT " =",
                                        KEN_STR_ARG(ken_str_sub(variable, 0, 200)));
        ken_str value = ken_manifest_behind(text, made.ptr);
        if (value.ptr)
            add_module(m, s, dir, name, source_in(value));
    }
}

static void read_build(ken_modules *m, void *ctx, uint32_t file)
{
    zig_state *s = ctx;
    ken_str text = ken_modules__read(m, file), dir = ken_modules__dir(m, file);
    read_calls(m, s, dir, text, "addModule(");
    read_calls(m, s, dir, text, "addAnonymousImport(");
    read_calls(m, s, dir, text, "addAnonymousModule(");
    read_imports(m, s, dir, ken_str_sub(text, 0, 65536)); // it looks through the text each time
}

static zig_state *state_of(ken_modules *m)
{
    zig_state *s = m->state[KEN_LANG_ZIG];
    if (s)
        return s;
    s = m->state[KEN_LANG_ZIG] = KEN_ARENA_NEW(&m->arena, zig_state);
    s->modules = KEN_ARENA_ARRAY(&m->arena, zig_module, MODULES_MAX);
    ken_modules__each(m, KEN_STR("build.zig"), read_build, s);
    return s;
}

// The module of that name whose build.zig is nearest, MODULE_NONE when there is none.
static uint32_t module_called(const zig_state *s, ken_str name, ken_str here)
{
    uint32_t best = MODULE_NONE, best_shared = 0;
    for (uint32_t i = 0; i < s->n_modules; i++) {
        if (!ken_str_eq(s->modules[i].name, name))
            continue;
        uint32_t n_shared = ken_modules__shared_folders(s->modules[i].dir, here);
        if (best == MODULE_NONE || n_shared > best_shared) {
            best = s->modules[i].file;
            best_shared = n_shared;
        }
    }
    return best;
}

static void resolve(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    ken_str text = ask->module;
    bool is_path = ken_str_ends(text, KEN_STR(".zig")) || ken_str_ends(text, KEN_STR(".zon"));
    uint32_t file;
    if (is_path) {
        file = ken_modules__at(m, ken_modules__dir(m, ask->file), text);
        if (file != MODULE_NONE)
            ken_modules__one(m, out, file, "a path beside the file");
        else
            ken_modules__unknown(out, "no such file");
        return;
    }
    file = module_called(state_of(m), text, m->tree->paths[ask->file]);
    if (file != MODULE_NONE)
        ken_modules__one(m, out, file, "a module of build.zig");
    else if (ken_str_eq(text, KEN_STR("root")))
        ken_modules__unknown(out, "the root of whatever is built");
    else
        ken_modules__external(out, "a module that is not in the tree");
}

const graph_driver ken_graph__driver_zig = {
    .resolve = resolve,
};
