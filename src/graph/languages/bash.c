// SPDX-License-Identifier: MIT
// What a shell script sources. What stands for the folder of the script ($(dirname "$0"),
// ${BASH_SOURCE%/*}) is taken as such; any other variable in front makes the rest a guess: beside
// the script, above it, or the nearest path that ends so.
#include "base/path.h"
#include "graph/graph_driver_priv.h"
#include "graph/graph_modules_script_priv.h"

// The end of what begins at `from` with "$(", "${" or "$name"; quotes are passed over.
static size_t expansion_end(ken_str t, size_t from)
{
    size_t i = from + 1, depth = 0;
    if (i < t.len && t.ptr[i] != '(' && t.ptr[i] != '{') {
        while (i < t.len && ken_is_word(t.ptr[i]))
            i++;
        return i;
    }
    for (; i < t.len; i++) {
        depth += t.ptr[i] == '(' || t.ptr[i] == '{';
        if ((t.ptr[i] == ')' || t.ptr[i] == '}') && !--depth)
            return i + 1;
    }
    return t.len;
}

typedef struct bash_path {
    ken_str text;   // behind the expansions, without quotes
    bool has_dir;   // the expansion is the script's folder
    bool has_other; // it is something else
} bash_path;

static ken_str without_quotes(ken_modules *m, ken_str t)
{
    char *out = ken_arena_alloc(&m->scratch, t.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < t.len; i++)
        if (t.ptr[i] != '"' && t.ptr[i] != '\'')
            out[len++] = t.ptr[i];
    return ken_str_trim(ken_str_n(out, len));
}

static bool is_script_dir(ken_str expansion)
{
    bool is_script = ken_str_find(expansion, KEN_STR("BASH_SOURCE")) != SIZE_MAX ||
                     ken_str_find(expansion, KEN_STR("$0")) != SIZE_MAX ||
                     ken_str_find(expansion, KEN_STR("{0%")) != SIZE_MAX ||
                     ken_str_find(expansion, KEN_STR("${(%):-%")) != SIZE_MAX;
    return is_script || ken_str_eq_c(expansion, "${0:a:h}") || ken_str_eq_c(expansion, "${0:h}");
}

static bash_path path_of(ken_modules *m, ken_str t)
{
    bash_path p = { .text = without_quotes(m, t) };
    while (ken_str_starts(p.text, KEN_STR("$"))) {
        size_t end = expansion_end(p.text, 0);
        p.has_dir = !p.has_other && is_script_dir(ken_str_sub(p.text, 0, end));
        p.has_other = !p.has_dir;
        p.text = ken_str_sub(p.text, end, p.text.len);
        while (ken_str_starts(p.text, KEN_STR("/")))
            p.text = ken_str_sub(p.text, 1, p.text.len);
    }
    return p;
}

static void resolve(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    static const char *const here[] = { "", NULL };
    static const char *const endings[] = { "", ".bash", ".sh", NULL }; // `load` of bats
    ken_str dir = ken_modules__dir(m, ask->file);
    bash_path p = path_of(m, ask->module);
    ken_str text = ken_str_sub(p.text, 0, ken_str_find_char(p.text, ' ')); // arguments follow
    if (!text.len || ken_str_find_char(text, '$') != SIZE_MAX || ask->name.len) {
        ken_modules__unknown(out, "a path that is put together when it runs");
        return;
    }
    if (text.ptr[0] == '/' || text.ptr[0] == '~') {
        ken_modules__external(out, "outside the tree");
        return;
    }
    uint32_t file = ken_modules__ending(m, ken_modules__join(m, dir, text), endings);
    if (file != MODULE_NONE) {
        ken_modules__one(m, out, file, "a path beside the script");
        out->is_guess = p.has_other;
        return;
    }
    if (p.has_dir) {
        ken_modules__unknown(out, "no such file");
        return;
    }
    file = ken_modules__above(m, dir, here, text, endings); // the folder that it runs in
    if (file == MODULE_NONE && ken_path_ext(text).len)
        file = ken_modules__nearest(m, ask->file, text, KEN_LANG_COUNT);
    ken_modules__guess(m, out, file, "above the script, or the nearest path that ends so");
}

const graph_driver ken_graph__driver_bash = {
    .resolve = resolve,
};
