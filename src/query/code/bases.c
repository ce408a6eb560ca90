// SPDX-License-Identifier: MIT
// Finds the prefixes that an application puts before all its routes: in code
// (`app.setGlobalPrefix('api')`, for the files that the call's file reaches by imports) or in settings
// (`server.servlet.context-path`, for the module that contains the settings; for all modules when no
// other one has settings).
#include "base/path.h"
#include "query/query_routers_priv.h"
#include "route/route_settings.h"
#include "route/route_text.h"

enum {
    BASES_MAX = 64,
    BUT_MAX = 64
};

// ---- in code ------------------------------------------------------------------------------------

// Files that `file` imports, and what these do.
static uint8_t *reached(query_routers *q, uint32_t file)
{
    uint8_t *marks = KEN_ARENA_ARRAY(q->arena, uint8_t, q->s->n_files + (size_t)1);
    ken_vec_u32 open = { 0 };
    memset(marks, 0, q->s->n_files + (size_t)1);
    marks[file] = 1;
    ken_vec_push(&open, file);
    while (open.len) {
        uint32_t n, n_unknown, at = open.ptr[--open.len];
        const uint32_t *files = ken_graph_imports(q->g, at, &n, &n_unknown);
        for (uint32_t i = 0; i < n; i++)
            if (!marks[files[i]]) {
                marks[files[i]] = 1;
                ken_vec_push(&open, files[i]);
            }
    }
    ken_vec_release(&open);
    return marks;
}

// Texts behind the first argument: `{ exclude: ['health', { path: 'metrics', … }] }`.
static size_t exceptions(query_routers *q, ken_str text, ken_str **out)
{
    size_t n = 0;
    *out = KEN_ARENA_ARRAY(q->arena, ken_str, BUT_MAX);
    for (size_t i = 0; i < text.len && n < BUT_MAX; i++) {
        if (!memchr("'\"`", text.ptr[i], 3))
            continue;
        ken_str rest = ken_str_sub(text, i + 1, text.len);
        size_t end = ken_str_find_char(rest, text.ptr[i]);
        if (end == SIZE_MAX)
            break;
        (*out)[n++] = ken_str_sub(rest, 0, end);
        i += end + 1;
    }
    return n;
}

void ken_query__bases_learn(query_routers *q, uint32_t file, const ken_literal *l,
                            const ken_framework *framework)
{
    ken_str args[KEN_ROUTE_ARGS];
    const query_route_file *full = ken_query__routers_file(q, file);
    if (!full || ken_query__is_test(q->s, file) || q->bases.len >= BASES_MAX)
        return;
    query_route_file f = *full; // files may move
    size_t open = ken_query__routers_open(&f, l);
    size_t n = open == SIZE_MAX ? 0 : ken_route_args(f.text, open, f.has_hash, args);
    if (!n)
        return;
    query_base base = { .framework = framework, .files = reached(q, file) };
    base.prefix = ken_query__routers_option(q, &f, (query_prefix){ KEN_STR(""), false }, args[0]);
    base.n_but = n > 1 ? exceptions(q, args[1], &base.but) : 0;
    ken_vec_push(&q->bases, base);
    ken_vec_push(&q->others, file);
}

// ---- in settings --------------------------------------------------------------------------------

// The module that a file of settings is of: "web" of "web/src/main/resources/application.yml".
static ken_str module_of(ken_str path)
{
    size_t at = ken_str_find(path, KEN_STR("src/main/"));
    bool is_it = at != SIZE_MAX && (!at || path.ptr[at - 1] == '/');
    return is_it ? ken_str_sub(path, 0, at ? at - 1 : 0) : ken_path_dir(path);
}

static bool is_below(ken_str path, ken_str folder)
{
    return !folder.len || ken_str_eq_c(folder, ".") ||
           (ken_str_starts(path, folder) && path.len > folder.len && path.ptr[folder.len] == '/');
}

// Settings files with keys for a prefix; the values of several keys are joined.
static query_prefix read_settings(query_routers *q, const ken_framework *fw, uint32_t file)
{
    query_prefix all = { KEN_STR(""), false };
    query_text t;
    if (ken_query__load_text(q->s, file, q->arena, &t, NULL))
        return all;
    for (uint32_t i = 0; ken_query__need_text(&t) && i < fw->n_settings; i++) {
        ken_str value;
        if (!ken_route_setting(q->s->rows[file].path, t.text, fw->settings[i], q->arena, &value))
            continue;
        if (ken_str_find(value, KEN_STR("${")) != SIZE_MAX)
            all = (query_prefix){ KEN_STR(""), true };
        else if (!ken_str_eq_c(value, "/"))
            all = ken_query__prefix_join(q->arena, all, value);
    }
    ken_query__close_text(&t);
    return all;
}

// Modules with settings of a framework: where there is but one, libraries beside it are its, too.
static void add_settings(query_routers *q, const ken_framework *fw, const uint32_t *files, size_t n)
{
    bool is_one = true;
    for (size_t i = 1; i < n; i++)
        is_one = is_one && ken_str_eq(module_of(q->s->rows[files[i]].path),
                                      module_of(q->s->rows[files[0]].path));
    for (size_t i = 0; i < n && q->bases.len < BASES_MAX; i++) {
        ken_str folder = is_one ? KEN_STR("") : module_of(q->s->rows[files[i]].path);
        query_base base = { .framework = fw, .prefix = read_settings(q, fw, files[i]) };
        if (!base.prefix.text.len && !base.prefix.is_partial)
            continue;
        uint8_t *marks = KEN_ARENA_ARRAY(q->arena, uint8_t, q->s->n_files + (size_t)1);
        for (uint32_t f = 0; f < q->s->n_files; f++)
            marks[f] = is_below(q->s->rows[f].path, folder);
        base.files = marks;
        ken_vec_push(&q->bases, base);
    }
}

void ken_query__bases_read(query_routers *q)
{
    for (size_t i = 0; i < q->frameworks->items.len; i++) {
        const ken_framework *fw = &q->frameworks->items.ptr[i];
        size_t first = q->others.len;
        for (uint32_t f = 0; fw->n_settings && f < q->s->n_files; f++) {
            ken_str path = q->s->rows[f].path;
            if (!ken_words_have(fw->files, fw->n_files, ken_path_base(path)) ||
                ken_query__is_test(q->s, f))
                continue;
            (void)ken_graph_unit(q->g, f); // so that the graph notices when the file changes
            ken_vec_push(&q->others, f);
        }
        if (q->others.len > first)
            add_settings(q, fw, q->others.ptr + first, q->others.len - first);
    }
}

// ---- before a route -----------------------------------------------------------------------------

static ken_str without_slashes(ken_str path)
{
    while (path.len && path.ptr[0] == '/')
        path = ken_str_sub(path, 1, path.len);
    while (path.len && path.ptr[path.len - 1] == '/')
        path.len--;
    return path;
}

static bool is_excepted(query_routers *q, const query_base *b, query_prefix before, ken_str path)
{
    ken_str whole = without_slashes(ken_query__prefix_join(q->arena, before, path).text);
    for (size_t i = 0; i < b->n_but; i++)
        if (ken_str_eq(without_slashes(b->but[i]), whole))
            return true;
    return false;
}

query_prefixes ken_query__bases_before(query_routers *q, uint32_t file,
                                       const ken_framework *framework, query_prefixes before,
                                       ken_str path)
{
    query_prefixes all = { 0 };
    for (size_t i = 0; i < q->bases.len; i++) {
        const query_base *b = &q->bases.ptr[i];
        if (b->framework != framework || !b->files[file])
            continue;
        if (!all.items)
            all.items = KEN_ARENA_ARRAY(q->arena, query_prefix, before.n * q->bases.len + 1);
        for (size_t k = 0; k < before.n; k++) {
            query_prefix it = before.items[k];
            if (!is_excepted(q, b, it, path)) {
                it = ken_query__prefix_join(q->arena, b->prefix, it.text);
                it.is_partial = b->prefix.is_partial || before.items[k].is_partial;
            }
            all.items[all.n++] = it;
        }
    }
    return all.n ? all : before;
}
