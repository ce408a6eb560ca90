// SPDX-License-Identifier: MIT
// What Lua requires: "a.b" is a/b.lua or a/b/init.lua in the folder of the file, one above, or in
// their lua (Neovim's plugins), src and lib; else the nearest path that ends so, as a guess. Paths
// of dofile and loadfile have their extension.
#include "base/path.h"
#include "graph/graph_driver_priv.h"
#include "graph/graph_modules_script_priv.h"

static const char *const folders[] = { "", "lua", "src", "lib", NULL };

// Tests bring stand-ins for other people's modules.
static bool is_in_tests(ken_str path)
{
    ken_str part;
    while (ken_str_split_next(&path, '/', &part))
        if (ken_str_starts(part, KEN_STR("test")) || ken_str_eq_c(part, "spec"))
            return true;
    return false;
}

static uint32_t nearest(ken_modules *m, uint32_t from, ken_str path)
{
    // One word may be anything; below a folder of that name it is a module.
    if (ken_str_find_char(path, '/') == SIZE_MAX)
        path = ken_path_join(&m->scratch, KEN_STR("lua"), path);
    uint32_t file = ken_modules__nearest(m, from, path, KEN_LANG_LUA);
    if (file == MODULE_NONE)
        file = ken_modules__nearest(m, from, ken_path_join(&m->scratch, path, KEN_STR("init")),
                                    KEN_LANG_LUA);
    bool is_stand_in = file < MODULE_MANY && is_in_tests(m->tree->paths[file]);
    return is_stand_in && !is_in_tests(m->tree->paths[from]) ? MODULE_NONE : file;
}

static void by_path(ken_modules *m, ken_str dir, ken_str path, ken_module *out)
{
    static const char *const as_is[] = { "", NULL };
    uint32_t file = ken_modules__above(m, dir, folders, path, as_is);
    if (file != MODULE_NONE)
        ken_modules__one(m, out, file, "a path");
    else
        ken_modules__unknown(out, "no such file");
}

static void resolve(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    static const char *const endings[] = { ".lua", ".luau", NULL };
    static const char *const index[] = { ".lua", NULL };
    ken_str text = ken_modules__concat(m, ask->module, ".", ask->name);
    ken_str dir = ken_modules__dir(m, ask->file);
    if (ken_str_ends(text, KEN_STR(".lua"))) {
        by_path(m, dir, text, out);
        return;
    }
    bool is_path = ken_str_find_char(text, '/') != SIZE_MAX;
    ken_str path = is_path ? text : ken_modules__slashes(m, text, KEN_STR("."));
    uint32_t file = ken_modules__above(m, dir, folders, path, endings);
    if (file == MODULE_NONE)
        file = ken_modules__above(m, dir, folders,
                                  ken_path_join(&m->scratch, path, KEN_STR("init")), index);
    if (file != MODULE_NONE) {
        ken_modules__one(m, out, file, "a module on the path");
        return;
    }
    ken_modules__guess(m, out, nearest(m, ask->file, path), "the nearest path that ends so");
    if (out->kind != KEN_MODULE_FILES)
        ken_modules__external(out, "no module of the tree");
}

// Lua's basic functions and libraries
static const char builtins[] =
    "assert bit32 collectgarbage coroutine debug dofile error getfenv getmetatable io ipairs "
    "load loadfile loadstring math module next os package pairs pcall print rawequal rawget "
    "rawlen rawset require select setfenv setmetatable string table tonumber tostring type "
    "unpack utf8 xpcall ";

const graph_driver ken_graph__driver_lua = {
    .resolve = resolve,
    .builtins = builtins,
};
