// SPDX-License-Identifier: MIT
// The modules of a tree: folders, cut so that none holds most of what the project is made of (tests,
// examples and bundled code are not cut up); who imports whom among them,
// their layers and cycles, and how central they are.
#include <stdlib.h>

#include "base/map.h"
#include "base/path.h"
#include "query/code/arch_priv.h"

enum {
    ROUNDS = 20 // of PageRank
};

static const double damping = 0.85;

ken_status ken_query__focus_on(ken_snapshot *s, ken_arch_focus area, ken_str folder,
                               ken_arena *arena, query_focus *out, ken_err *err)
{
    *out = (query_focus){ area, { "", 0 } };
    if (!folder.len)
        return KEN_OK;
    out->folder = ken_query__relative_path(s, folder, arena);
    if (!out->folder.ptr)
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "directory: '" KEN_STR_FMT "' is outside of the project",
                        KEN_STR_ARG(folder));
    while (ken_str_ends(out->folder, KEN_STR("/")))
        out->folder.len--;
    return KEN_OK;
}

bool ken_query__in_focus(const ken_snapshot *s, uint32_t file, const query_focus *focus)
{
    ken_str path = s->rows[file].path;
    if (ken_lang_role_of((ken_lang_id)s->contents[file].lang) != KEN_LANG_ROLE_CODE)
        return false;
    if (focus->folder.len && !ken_path_is_under(focus->folder, path))
        return false;
    if (focus->area == KEN_ARCH_FULL)
        return true;
    return ken_query__is_frontend(s, file) == (focus->area == KEN_ARCH_FRONTEND);
}

const char *ken_aside_word(ken_aside a)
{
    static const char *const words[] = {
#define X(name, word) word,
        KEN_ASIDE_TABLE(X)
#undef X
    };
    return words[a];
}

ken_aside ken_query__aside_of(const ken_snapshot *s, uint32_t file)
{
    if (ken_query__is_bundled(s->rows[file].path))
        return KEN_ASIDE_BUNDLED;
    if (ken_query__is_test(s, file))
        return KEN_ASIDE_TESTS;
    return s->path_bits[file] & KEN_PATH_EXAMPLE ? KEN_ASIDE_EXAMPLES : KEN_ASIDE_NONE;
}

// Folders named for pages, components or styles.
bool ken_query__is_frontend(const ken_snapshot *s, uint32_t file)
{
    static const char *const words[] = { "frontend", "client",     "web",   "ui",
                                         "www",      "components", "pages", "public",
                                         "static",   "assets",     "views", "app" };
    const ken_language *lang = ken_lang_at(s->contents[file].lang);
    ken_str path = s->rows[file].path, part;
    if (lang->frontend != KEN_FRONTEND_BY_FOLDER)
        return lang->frontend == KEN_FRONTEND_ALL;
    if (ken_str_fits(lang->frontend_extensions, ken_path_ext(path)))
        return true;
    ken_str rest = ken_path_dir(path);
    while (ken_str_split_next(&rest, '/', &part))
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (ken_str_eq_c(part, words[i]))
                return true;
    return false;
}

// ---- cutting ------------------------------------------------------------------------------------

// The folder of `path` that is one step below `folder`; `folder` itself when the file lies in it.
static ken_str step_below(ken_str folder, ken_str path)
{
    size_t from = folder.len ? folder.len + 1 : 0;
    ken_str rest = ken_str_sub(path, from, path.len);
    size_t slash = ken_str_find_char(rest, '/');
    return slash == SIZE_MAX ? folder : ken_str_sub(path, 0, from + slash);
}

typedef struct cutting {
    ken_snapshot *s;
    query_modules *m;
    ken_arena *arena;
    uint32_t n_shown; // files in focus that are not aside
} cutting;

static uint32_t module_at(cutting *c, ken_str path)
{
    for (uint32_t i = 0; i < c->m->n; i++)
        if (ken_str_eq(c->m->modules[i].path, path))
            return i;
    if (c->m->n == QUERY_MODULES_MAX)
        return UINT32_MAX;
    c->m->modules[c->m->n] = (ken_module_node){ .path = path };
    return c->m->n++;
}

// Puts the files of module `from` into folders one step below; false when that makes no difference. Until
// modules are cut, `n_files` counts what is not aside.
static bool split(cutting *c, uint32_t from)
{
    ken_str folder = c->m->modules[from].path;
    uint32_t n_before = c->m->n;
    for (uint32_t f = 0; f < c->s->n_files; f++) {
        if (c->m->of_file[f] != from)
            continue;
        ken_str below = step_below(folder, c->s->rows[f].path);
        uint32_t to = ken_str_eq(below, folder) ? from : module_at(c, below);
        if (to == UINT32_MAX || to == from)
            continue;
        c->m->of_file[f] = to;
        c->m->modules[from].n_files -= !c->m->aside[f];
        c->m->modules[to].n_files += !c->m->aside[f];
    }
    return c->m->n > n_before;
}

static void cut(cutting *c)
{
    bool is_whole[QUERY_MODULES_MAX] = { false }; // cannot be cut
    for (;;) {
        uint32_t largest = UINT32_MAX;
        for (uint32_t i = 0; i < c->m->n; i++)
            if (!is_whole[i] && (largest == UINT32_MAX ||
                                 c->m->modules[i].n_files > c->m->modules[largest].n_files))
                largest = i;
        if (largest == UINT32_MAX)
            return;
        uint32_t n = c->m->modules[largest].n_files;
        bool is_enough = c->m->n >= QUERY_MODULES_FEW && n * 5 < c->n_shown;
        if (is_enough || n < 3 || c->m->n >= QUERY_MODULES_MANY)
            return;
        is_whole[largest] = !split(c, largest) || c->m->modules[largest].n_files * 2 > n;
    }
}

// A folder of other people's code holds one part of the tree for each library.
static void cut_bundles(cutting *c)
{
    uint32_t n = c->m->n;
    for (uint32_t i = 0; i < n; i++) {
        ken_str folder = c->m->modules[i].path;
        ken_str inside = ken_path_join(c->arena, folder, KEN_STR("x"));
        if (ken_query__is_bundled(inside) && !ken_query__is_bundled(folder))
            (void)split(c, i);
    }
}

// ---- numbers ------------------------------------------------------------------------------------

// A module with code of the project counts that alone; one without is what most of it is.
static void count(cutting *c)
{
    query_modules *m = c->m;
    uint32_t(*by_lang)[KEN_LANG_COUNT] =
        ken_arena_zalloc(c->arena, sizeof *by_lang * QUERY_MODULES_MAX);
    uint32_t by_aside[QUERY_MODULES_MAX][KEN_ASIDE_COUNT] = { { 0 } };
    for (uint32_t f = 0; f < c->s->n_files; f++)
        if (m->of_file[f] != UINT32_MAX)
            by_aside[m->of_file[f]][m->aside[f]]++;
    for (uint32_t i = 0; i < m->n; i++) {
        int most = KEN_ASIDE_NONE + 1;
        for (int a = most; a < KEN_ASIDE_COUNT; a++)
            if (by_aside[i][a] > by_aside[i][most])
                most = a;
        m->modules[i].n_files = 0;
        m->modules[i].aside =
            by_aside[i][KEN_ASIDE_NONE] || !by_aside[i][most] ? KEN_ASIDE_NONE : (ken_aside)most;
    }
    for (uint32_t f = 0; f < c->s->n_files; f++) {
        uint32_t i = m->of_file[f];
        if (i == UINT32_MAX)
            continue;
        if (m->aside[f] && !m->modules[i].aside) {
            m->modules[i].n_aside++;
            continue;
        }
        const ken_content_info *info = &c->s->contents[f];
        m->modules[i].n_files++;
        m->modules[i].n_lines += info->n_lines;
        m->modules[i].n_symbols += info->n_symbols;
        if (info->lang < KEN_LANG_COUNT)
            by_lang[i][info->lang]++;
    }
    for (uint32_t i = 0; i < m->n; i++) {
        unsigned best = 0;
        for (unsigned l = 1; l < KEN_LANG_COUNT; l++)
            if (by_lang[i][l] > by_lang[i][best])
                best = l;
        m->modules[i].language = ken_str_c(ken_lang_name((ken_lang_id)best));
    }
}

static void count_imports(cutting *c, const query_import_graph *g)
{
    for (uint32_t f = 0; f < c->s->n_files; f++) {
        uint32_t from = c->m->of_file[f];
        if (from == UINT32_MAX)
            continue;
        bool counts =
            !c->m->aside[f] || c->m->modules[from].aside; // tests in a folder of code do not
        c->m->n_unknown += g->n_unknown[f];
        c->m->modules[from].n_unresolved += g->n_unknown[f];
        uint64_t seen = 0; // a file counts once for each module
        for (uint32_t i = g->starts[f]; i < g->starts[f + 1]; i++) {
            c->m->n_users[g->files[i]] += !c->m->aside[f];
            uint32_t to = c->m->of_file[g->files[i]];
            if (to == UINT32_MAX || to == from || (seen >> to & 1) || !counts)
                continue;
            seen |= (uint64_t)1 << to;
            c->m->weight[from][to]++;
        }
    }
}

// PageRank (Brin and Page, 1998) of files over their imports, summed by module.
static void rank(cutting *c, const query_import_graph *g)
{
    uint32_t n = c->s->n_files;
    double *now = KEN_ARENA_ARRAY(c->arena, double, n + (size_t)1);
    double *next = KEN_ARENA_ARRAY(c->arena, double, n + (size_t)1);
    uint32_t n_in = 0;
    for (uint32_t f = 0; f < n; f++)
        n_in += c->m->of_file[f] != UINT32_MAX;
    for (uint32_t f = 0; f < n; f++)
        now[f] = c->m->of_file[f] != UINT32_MAX ? 1.0 / n_in : 0;
    for (int round = 0; round < ROUNDS; round++) {
        double lost = 0;
        memset(next, 0, n * sizeof *next);
        for (uint32_t f = 0; f < n; f++) {
            if (!(now[f] > 0))
                continue;
            uint32_t n_out = 0;
            for (uint32_t i = g->starts[f]; i < g->starts[f + 1]; i++)
                n_out += c->m->of_file[g->files[i]] != UINT32_MAX;
            if (!n_out)
                lost += now[f];
            for (uint32_t i = g->starts[f]; n_out && i < g->starts[f + 1]; i++)
                if (c->m->of_file[g->files[i]] != UINT32_MAX)
                    next[g->files[i]] += now[f] / n_out;
        }
        for (uint32_t f = 0; f < n; f++)
            if (c->m->of_file[f] != UINT32_MAX)
                now[f] = (1 - damping) / n_in + damping * (next[f] + lost / n_in);
    }
    c->m->centrality = now;
    for (uint32_t f = 0; f < n; f++)
        if (c->m->of_file[f] != UINT32_MAX)
            c->m->modules[c->m->of_file[f]].centrality += now[f];
}

// ---- layers and cycles --------------------------------------------------------------------------

// Which modules each one leads to, at any distance.
static void close_over(const query_modules *m, uint64_t *leads)
{
    for (uint32_t i = 0; i < m->n; i++)
        for (uint32_t k = 0; k < m->n; k++)
            leads[i] |= m->weight[i][k] ? (uint64_t)1 << k : 0;
    for (uint32_t via = 0; via < m->n; via++)
        for (uint32_t i = 0; i < m->n; i++)
            if (leads[i] >> via & 1)
                leads[i] |= leads[via];
}

// A module lies above all that it leads to and that do not lead back, and as high as those that do.
static void raise_layer(query_modules *m, const uint64_t *leads, uint32_t i)
{
    for (uint32_t k = 0; k < m->n; k++) {
        if (!(leads[i] >> k & 1))
            continue;
        uint32_t least = m->modules[k].layer + ((leads[k] >> i & 1) ? 0 : 1);
        if (m->modules[i].layer < least)
            m->modules[i].layer = least;
    }
}

static void find_layers(query_modules *m)
{
    uint64_t leads[QUERY_MODULES_MAX] = { 0 };
    close_over(m, leads);
    for (uint32_t i = 0; i < m->n; i++) {
        if (m->modules[i].cycle || !(leads[i] >> i & 1))
            continue;
        m->n_cycles++;
        for (uint32_t k = i; k < m->n; k++)
            if ((leads[i] >> k & 1) && (leads[k] >> i & 1))
                m->modules[k].cycle = (uint32_t)m->n_cycles;
    }
    for (uint32_t round = 0; round < m->n; round++)
        for (uint32_t i = 0; i < m->n; i++)
            raise_layer(m, leads, i);
    for (uint32_t i = 0; i < m->n; i++)
        for (uint32_t k = 0; k < m->n; k++)
            m->modules[i].n_dependents += m->weight[k][i] > 0 && !m->modules[k].aside;
}

ken_status ken_query__find_modules(ken_snapshot *s, const query_focus *focus,
                                   const ken_cancel *cancel, ken_arena *arena, query_modules *out,
                                   ken_err *err)
{
    const query_import_graph *g;
    ken_status st = ken_query__imports(s, cancel, &g, err);
    if (st)
        return st;
    size_t n_files = s->n_files + (size_t)1;
    *out = (query_modules){ .of_file = KEN_ARENA_ARRAY(arena, uint32_t, n_files),
                            .aside = KEN_ARENA_ARRAY(arena, uint8_t, n_files),
                            .n_users = KEN_ARENA_ARRAY(arena, uint32_t, n_files) };
    cutting c = { .s = s, .m = out, .arena = arena };
    module_at(&c, focus->folder);
    uint32_t n_in = 0;
    for (uint32_t f = 0; f < s->n_files; f++) {
        bool is_in = ken_query__in_focus(s, f, focus);
        out->of_file[f] = is_in ? 0 : UINT32_MAX;
        out->aside[f] = (uint8_t)ken_query__aside_of(s, f);
        n_in += is_in;
        c.n_shown += is_in && !out->aside[f];
    }
    if (!n_in)
        return KEN_OK;
    if (!c.n_shown) { // tests are asked about, or examples
        memset(out->aside, KEN_ASIDE_NONE, s->n_files);
        c.n_shown = n_in;
    }
    out->modules[0].n_files = c.n_shown;
    cut(&c);
    cut_bundles(&c);
    count(&c);
    count_imports(&c, g);
    rank(&c, g);
    find_layers(out);
    return KEN_OK;
}
