// SPDX-License-Identifier: MIT
// What style sheets import and pages load: relative paths, places below the folder that a server
// shows, Sass's partials. Texts of templates give the path that is quoted in them.
#include "base/path.h"
#include "graph/languages/js_priv.h"

static bool is_outside(ken_str text)
{
    return ken_modules__has_scheme(text) || ken_str_starts(text, KEN_STR("//"));
}

// ---- style sheets ------------------------------------------------------------------------------
static const char *const sheet_endings[] = { "", ".scss", ".sass", ".css", ".less", NULL };

static uint32_t sheet_at(ken_modules *m, ken_str path)
{
    uint32_t file = ken_modules__ending(m, path, sheet_endings);
    if (file != MODULE_NONE || !path.ptr)
        return file;
    ken_str partial = ken_modules__concat(m, KEN_STR("_"), "", ken_path_base(path));
    file = ken_modules__ending(m, ken_path_join(&m->scratch, ken_path_dir(path), partial),
                               sheet_endings);
    if (file == MODULE_NONE)
        file = ken_modules__ending(m, ken_path_join(&m->scratch, path, KEN_STR("_index")),
                                   sheet_endings);
    if (file == MODULE_NONE)
        file = ken_modules__ending(m, ken_path_join(&m->scratch, path, KEN_STR("index")),
                                   sheet_endings);
    return file;
}

// url("x") and "x" screen: the path alone.
static ken_str sheet_path(ken_str t)
{
    t = ken_str_trim(t);
    if (ken_str_starts(t, KEN_STR("url(")))
        t = ken_str_trim(ken_str_sub(t, 4, ken_str_find_char(t, ')')));
    if (t.len && (t.ptr[0] == '"' || t.ptr[0] == '\'')) {
        char quote = t.ptr[0];
        t = ken_str_sub(t, 1, t.len);
        t = ken_str_sub(t, 0, ken_str_find_char(t, quote));
    }
    return ken_modules__without_query(t);
}

static void resolve_css(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    ken_str text = sheet_path(ask->module), dir = ken_modules__dir(m, ask->file);
    if (!text.len || ask->name.len) {
        ken_modules__unknown(out, "no path");
        return;
    }
    if (is_outside(text) || text.ptr[0] == '~') {
        ken_modules__external(out, "a package or another server");
        return;
    }
    uint32_t file = MODULE_NONE;
    if (text.ptr[0] != '/')
        file = sheet_at(m, ken_modules__join(m, dir, text));
    if (file != MODULE_NONE) {
        ken_modules__one(m, out, file, "a relative path");
        return;
    }
    while (ken_str_starts(text, KEN_STR("/")))
        text = ken_str_sub(text, 1, text.len);
    bool is_from_above = text.len && text.ptr[0] != '.';
    while (file == MODULE_NONE && dir.len && is_from_above) { // load paths
        dir = ken_path_dir(dir);
        file = sheet_at(m, ken_modules__join(m, dir, text));
    }
    ken_modules__guess(m, out, file, "a path from a folder above");
    if (file == MODULE_NONE && ask->module.ptr[0] != '.')
        ken_modules__external(out, "a package");
}

// ---- pages -------------------------------------------------------------------------------------
// {% static 'a/b.js' %} and {{ url_for('static', filename='a/b.js') }}: the last quoted text.
static ken_str quoted_in(ken_str t, char quote)
{
    size_t end = ken_str_rfind_char(t, quote);
    if (end == SIZE_MAX)
        return KEN_STR("");
    size_t from = ken_str_rfind_char(ken_str_sub(t, 0, end), quote);
    return from == SIZE_MAX ? KEN_STR("") : ken_str_sub(t, from + 1, end);
}

// The path, and whether a template made it.
static ken_str page_path(ken_str t, bool *out_is_template)
{
    *out_is_template = ken_str_find(t, KEN_STR("{{")) != SIZE_MAX ||
                       ken_str_find(t, KEN_STR("{%")) != SIZE_MAX ||
                       ken_str_find(t, KEN_STR("<%")) != SIZE_MAX;
    if (!*out_is_template)
        return ken_modules__without_query(ken_str_trim(t));
    ken_str path = quoted_in(t, '\'');
    if (!path.len)
        path = quoted_in(t, '"');
    size_t end = ken_str_rfind_char(t, '}'); // {{ base }}/a/b.js
    if (!path.len && end != SIZE_MAX)
        path = ken_str_sub(t, end + 1, t.len);
    return ken_modules__without_query(path);
}

static void resolve_html(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    static const char *const folders[] = { "", "public", "static", "assets", "www", NULL };
    static const char *const as_is[] = { "", ".js", ".css", NULL };
    bool is_template;
    ken_str text = page_path(ask->module, &is_template), dir = ken_modules__dir(m, ask->file);
    if (is_outside(text) || ask->name.len) {
        ken_modules__external(out, "another server");
        return;
    }
    bool is_absolute = ken_str_starts(text, KEN_STR("/"));
    while (ken_str_starts(text, KEN_STR("/")))
        text = ken_str_sub(text, 1, text.len);
    uint32_t file = is_absolute || is_template ? MODULE_NONE : ken_modules__at(m, dir, text);
    if (file != MODULE_NONE) {
        ken_modules__one(m, out, file, "a relative path");
        return;
    }
    if (ken_str_starts(text, KEN_STR("."))) { // of a script in the page
        ken_graph__js_resolve(m, ask, out);
        return;
    }
    if (text.len)
        file = ken_modules__above(m, dir, folders, text, as_is);
    if (file == MODULE_NONE && ken_path_ext(text).len)
        file = ken_modules__nearest(m, ask->file, text, KEN_LANG_COUNT);
    ken_modules__guess(m, out, file, "below a folder that a server shows");
}

const graph_driver ken_graph__driver_css = { .resolve = resolve_css };

const graph_driver ken_graph__driver_html = {
    .resolve = resolve_html,
    .builtins = ken_graph__js_builtins,
    .holders = &ken_graph__js_holders,
    .markup = ken_graph__jsx_element,
};
