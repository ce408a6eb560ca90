// SPDX-License-Identifier: MIT
// Which folders import which. The tree is cut into areas: the largest folder is replaced by its
// subfolders until no area is much larger than the others. Then, between two areas: when many
// imports lead one way and none the other, that is a rule of the code base. Areas of which each
// pair is ordered so are layers. Tests count when they would break the rule, not when they would
// make it.
#include <math.h>
#include <stdlib.h>

#include "base/path.h"
#include "survey/survey_priv.h"

enum {
    AREAS_MAX = 40, // one bit each
    AREAS_FEW = 4,
    AREA_FILES_MIN = 3,
    AREA_SHARE_MAX = 12, // per cent of the files; larger ones are cut
    ONE_CHILD_SHARE = 80,
    WAYS_MIN = 4, // imports one way, none back: the interval of 4 of 4 reaches SURVEY_ALWAYS
    CYCLE_MIN = 8,
    TARGETS_SHOWN = 4,
    PACKAGES_SHOWN = 3,
    BELOW_SHOWN = 3,
    CHAINS_SHOWN = 2, // a front end and a back end
};

// As likely as what lies outside of the intervals by which habits are judged.
#define CHANCE_OF_NONE 0.2

typedef struct area {
    ken_str path;
    uint32_t n_files, n_imports; // imports: tests' too
    bool is_whole;               // not to be cut any more
    bool is_file;                // one that many import, beside the folders
} area;

typedef struct areas {
    survey *v;
    area items[AREAS_MAX + 1];
    uint32_t n, n_files;
    uint32_t ways[AREAS_MAX][AREAS_MAX];      // imports of one by the other, without tests
    uint32_t test_ways[AREAS_MAX][AREAS_MAX]; // of tests
    uint8_t chain_of[AREAS_MAX + 1];          // said by that rule of layers; 0 = none
    uint8_t n_chains;
} areas;

static bool counts(const survey_file *f)
{
    return f->is_code && !f->is_aside;
}

// ---- cutting -----------------------------------------------------------------------------------

// The folder of `path` just below `folder`; empty when the file stands in `folder` itself.
static ken_str child_of(ken_str path, ken_str folder)
{
    size_t from = folder.len ? folder.len + 1 : 0;
    ken_str rest = ken_str_sub(path, from, path.len);
    size_t slash = ken_str_find_char(rest, '/');
    return slash == SIZE_MAX ? KEN_STR("") : ken_str_sub(path, 0, from + slash);
}

static void count_files(areas *a, area *x)
{
    x->n_files = 0;
    for (size_t i = 0; i < a->v->n_files; i++)
        x->n_files += counts(&a->v->files[i]) && ken_survey__is_under(a->v->files[i].path, x->path);
}

// Replaces area k by its subfolders, if they are worth it.
static bool cut(areas *a, uint32_t k)
{
    area old = a->items[k];
    survey_words below;
    ken_survey__words_init(&below);
    for (size_t i = 0; i < a->v->n_files; i++) {
        const survey_file *f = &a->v->files[i];
        ken_str child = counts(f) && ken_survey__is_under(f->path, old.path)
                            ? child_of(f->path, old.path)
                            : KEN_STR("");
        if (child.len)
            ken_survey__words_add(&below, child, a->v->arena);
    }
    ken_survey__words_sort(&below);
    size_t n = 0;
    while (n < below.items.len && below.items.ptr[n].n >= AREA_FILES_MIN)
        n++;
    bool is_path = n == 1 && below.items.ptr[0].n * 100 >= old.n_files * ONE_CHILD_SHARE;
    size_t room = AREAS_MAX + 1 - a->n;
    n = n < room ? n : room; // the largest
    bool fits = n > 1 || is_path;
    if (fits) {
        a->items[k] = a->items[--a->n];
        for (size_t i = 0; i < n; i++)
            a->items[a->n++] =
                (area){ .path = below.items.ptr[i].text, .n_files = below.items.ptr[i].n };
    }
    ken_survey__words_release(&below);
    return fits;
}

static int64_t largest(const areas *a)
{
    int64_t best = -1;
    for (uint32_t i = 0; i < a->n; i++)
        if (!a->items[i].is_whole && (best < 0 || a->items[i].n_files > a->items[best].n_files ||
                                      (a->items[i].n_files == a->items[best].n_files &&
                                       ken_str_cmp(a->items[i].path, a->items[best].path) < 0)))
            best = i;
    return best;
}

static int by_path(const void *a, const void *b)
{
    return ken_str_cmp(((const area *)a)->path, ((const area *)b)->path);
}

static void cut_all(areas *a)
{
    a->items[0] = (area){ .path = KEN_STR("") };
    a->n = 1;
    count_files(a, &a->items[0]);
    a->n_files = a->items[0].n_files;
    for (int64_t k = largest(a); k >= 0; k = largest(a)) {
        bool is_large = (uint64_t)a->items[k].n_files * 100 > (uint64_t)a->n_files * AREA_SHARE_MAX;
        if (!is_large && a->n >= AREAS_FEW)
            break;
        if (!cut(a, (uint32_t)k))
            a->items[k].is_whole = true;
    }
    qsort(a->items, a->n, sizeof *a->items, by_path);
}

static int64_t area_of(const areas *a, ken_str path)
{
    for (uint32_t i = 0; i < a->n; i++)
        if (ken_survey__is_under(path, a->items[i].path))
            return i;
    return -1;
}

static ken_str glob_of(areas *a, uint32_t k)
{
    if (a->items[k].is_file)
        return a->items[k].path;
    return ken_survey__glob_below(a->v->arena, a->items[k].path);
}

// Files that stand beside the areas and that others import: `models.py` of a small package is a
// layer of its own.
static void add_files(areas *a)
{
    survey_words imported;
    ken_survey__words_init(&imported);
    for (size_t i = 0; i < a->v->imports.n; i++) { // one for each module of a file
        const ken_import_fact *f = &a->v->imports.items[i];
        bool is_one = f->target == KEN_IMPORT_FILES && f->n_files == 1 &&
                      !ken_survey__is_aside(a->v, f->path) && area_of(a, f->files[0]) < 0;
        if (is_one)
            ken_survey__words_add(&imported, f->files[0], a->v->arena);
    }
    ken_survey__words_sort(&imported);
    for (size_t i = 0; i < imported.items.len && a->n < AREAS_MAX; i++) {
        const survey_file *f = ken_survey__file_of(a->v, imported.items.ptr[i].text);
        if (imported.items.ptr[i].n < WAYS_MIN)
            break;
        if (f && counts(f))
            a->items[a->n++] = (area){ .path = f->path, .n_files = 1, .is_file = true };
    }
    ken_survey__words_release(&imported);
    qsort(a->items, a->n, sizeof *a->items, by_path);
}

static void count_ways(areas *a)
{
    for (size_t i = 0; i < a->v->imports.n; i++) {
        const ken_import_fact *f = &a->v->imports.items[i];
        int64_t from = area_of(a, f->path);
        if (from < 0)
            continue;
        a->items[from].n_imports++;
        const survey_file *file = ken_survey__file_of(a->v, f->path);
        bool is_test = f->is_test || (file && file->is_aside);
        uint64_t seen = 0;
        for (uint32_t k = 0; f->target == KEN_IMPORT_FILES && k < f->n_files; k++) {
            int64_t to = area_of(a, f->files[k]);
            if (to < 0 || to == from || (seen >> to & 1))
                continue;
            seen |= (uint64_t)1 << to;
            (is_test ? a->test_ways : a->ways)[from][to]++;
        }
    }
}

// ---- one way -----------------------------------------------------------------------------------

// Many imports of `high` lead to `low`, and none back.
static bool is_below(const areas *a, uint32_t low, uint32_t high)
{
    return low != high && a->ways[high][low] >= WAYS_MIN && !a->ways[low][high] &&
           !a->test_ways[low][high];
}

static ken_survey_place first_import(const areas *a, uint32_t from, int64_t to)
{
    for (size_t i = 0; i < a->v->imports.n; i++) {
        const ken_import_fact *f = &a->v->imports.items[i];
        if (f->is_test || area_of(a, f->path) != from)
            continue;
        for (uint32_t k = 0; k < f->n_files; k++)
            if (to < 0 || area_of(a, f->files[k]) == to)
                return ken_survey__whole(f->path);
    }
    return (ken_survey_place){ .path = { NULL, 0 } };
}

static void say_layers(areas *a, const uint32_t *chain, uint32_t n)
{
    ken_arena *arena = a->v->arena;
    ken_str_list globs = { KEN_ARENA_ARRAY(arena, ken_str, n), n };
    ken_buf names = KEN_BUF_INIT(8192);
    uint32_t n_down = 0;
    a->n_chains++;
    for (uint32_t i = 0; i < n; i++) {
        globs.items[i] = glob_of(a, chain[i]);
        ken_buf_printf(&names, "%s`" KEN_STR_FMT "`", i ? ", " : "",
                       KEN_STR_ARG(a->items[chain[i]].path));
        a->chain_of[chain[i]] = a->n_chains;
        for (uint32_t k = 0; k < i; k++)
            n_down += a->ways[chain[i]][chain[k]];
    }
    survey_tally t = { .n_for = n_down, .n_all = n_down };
    for (uint32_t i = 1; i < n && i <= KEN_SURVEY_PLACES; i++)
        t.yes[t.n_yes++] = first_import(a, chain[i], chain[i - 1]);
    ken_finding *f = ken_survey__add(a->v, KEN_SURVEY_MODULES, 90, KEN_STR("layers"), &t);
    f->rule = ken_arena_printf(arena,
                               "Layers, lowest first: " KEN_STR_FMT
                               ". A folder MUST NOT import one that stands after it.",
                               KEN_STR_ARG(ken_buf_str(&names)));
    f->evidence =
        ken_arena_printf(arena, "all %u imports between them lead down, none leads up", n_down);
    f->check = (ken_rule_check){ .kind = KEN_CHECK_LAYERS, .layers = globs };
    ken_buf_release(&names);
}

// How many areas the longest chain down from `high` has; the next one in `next`.
static uint32_t chain_below(const areas *a, uint32_t high, uint32_t *depths, int64_t *next)
{
    if (depths[high])
        return depths[high];
    depths[high] = 1; // an area that is met again on its own way adds nothing
    uint32_t best = 0;
    for (uint32_t low = 0; low < a->n; low++) {
        if (!is_below(a, low, high) || a->chain_of[low])
            continue;
        uint32_t n = chain_below(a, low, depths, next);
        if (n > best) {
            best = n;
            next[high] = low;
        }
    }
    return depths[high] = best + 1;
}

static bool leads_up(const areas *a, const uint32_t *chain, uint32_t n)
{
    for (uint32_t low = 0; low < n; low++)
        for (uint32_t high = low + 1; high < n; high++)
            if (a->ways[chain[low]][chain[high]] || a->test_ways[chain[low]][chain[high]])
                return true;
    return false;
}

// The folder that holds them all.
static ken_str folder_of_all(const areas *a, const uint32_t *chain, uint32_t n)
{
    ken_str common = ken_path_dir(a->items[chain[0]].path);
    for (uint32_t i = 1; i < n; i++)
        while (common.len && !ken_survey__is_under(a->items[chain[i]].path, common))
            common = ken_path_dir(common);
    return common;
}

// Whether each lies in another folder of the one that holds them all: layers within one subsystem,
// beside others, are an order by chance.
static bool are_apart(const areas *a, const uint32_t *chain, uint32_t n)
{
    ken_str common = folder_of_all(a, chain, n), seen[AREAS_MAX + 1];
    for (uint32_t i = 0; i < n; i++) {
        ken_str path = a->items[chain[i]].path;
        ken_str rest = common.len ? ken_str_sub(path, common.len + 1, path.len) : path;
        seen[i] = ken_str_sub(rest, 0, ken_str_find_char(rest, '/'));
        for (uint32_t k = 0; k < i; k++)
            if (ken_str_eq(seen[k], seen[i]))
                return false;
    }
    return true;
}

static bool is_in_chain(const areas *a, ken_str path, const uint32_t *chain, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (ken_survey__is_under(path, a->items[chain[i]].path))
            return true;
    return false;
}

// Whether they are most of what is written in their languages in the folder that holds them all. A
// chain that passes most of the code by does not tell how it is built.
static bool hold_most(const areas *a, const uint32_t *chain, uint32_t n)
{
    ken_str common = folder_of_all(a, chain, n);
    survey_words exts; // of files in the chain
    uint32_t n_in = 0, n_all = 0;
    ken_survey__words_init(&exts);
    for (size_t i = 0; i < a->v->n_files; i++) {
        const survey_file *f = &a->v->files[i];
        if (counts(f) && is_in_chain(a, f->path, chain, n))
            ken_survey__words_add(&exts, f->ext, a->v->arena);
    }
    for (size_t i = 0; i < a->v->n_files; i++) {
        const survey_file *f = &a->v->files[i];
        if (!counts(f) || !ken_survey__is_under(f->path, common) || !ken_map_find(&exts.at, f->ext))
            continue;
        n_all++;
        n_in += is_in_chain(a, f->path, chain, n);
    }
    ken_survey__words_release(&exts);
    return n_in * 2 >= n_all;
}

// The longest chain of areas of which each imports the next, and none one above it; of those that
// are in no chain yet.
static void find_chain(areas *a)
{
    uint32_t chain[AREAS_MAX + 1], depths[AREAS_MAX + 1] = { 0 }, n = 0, top = 0, most = 0;
    int64_t next[AREAS_MAX + 1] = { 0 };
    for (uint32_t i = 0; i < a->n; i++)
        next[i] = -1;
    for (uint32_t i = 0; i < a->n; i++) {
        uint32_t length = a->chain_of[i] ? 0 : chain_below(a, i, depths, next);
        top = length > most ? i : top;
        most = length > most ? length : most;
    }
    for (int64_t k = most ? (int64_t)top : -1; k >= 0 && n < a->n; k = next[k])
        chain[n++] = (uint32_t)k;
    for (uint32_t i = 0; i < n / 2; i++) { // lowest first
        uint32_t kept = chain[i];
        chain[i] = chain[n - 1 - i];
        chain[n - 1 - i] = kept;
    }
    while (n >= 3 && leads_up(a, chain, n))
        n--;
    if (n < 3)
        return;
    if (are_apart(a, chain, n) && hold_most(a, chain, n))
        say_layers(a, chain, n);
}

static void say_below(areas *a, uint32_t low, const uint32_t *highs, uint32_t n)
{
    ken_arena *arena = a->v->arena;
    ken_str_list globs = { KEN_ARENA_ARRAY(arena, ken_str, n), n };
    ken_buf names = KEN_BUF_INIT(8192), counted = KEN_BUF_INIT(8192);
    uint32_t n_ways = 0, n_imports = a->items[low].n_imports;
    for (uint32_t i = 0; i < n; i++) {
        ken_str path = a->items[highs[i]].path;
        globs.items[i] = glob_of(a, highs[i]);
        ken_buf_printf(&names, "%s`" KEN_STR_FMT "`",
                       !i           ? ""
                       : i + 1 == n ? " or "
                                    : ", ",
                       KEN_STR_ARG(path));
        ken_buf_printf(&counted, "%s" KEN_STR_FMT " %u", i ? ", " : "", KEN_STR_ARG(path),
                       a->ways[highs[i]][low]);
        n_ways += a->ways[highs[i]][low];
    }
    survey_tally t = { .n_for = n_imports, .n_all = n_imports };
    ken_survey_place example = first_import(a, low, -1);
    if (example.path.ptr)
        t.yes[t.n_yes++] = example;
    ken_str id = ken_arena_printf(arena, KEN_STR_FMT " imports", KEN_STR_ARG(a->items[low].path));
    double value = n_ways < 20 ? 36 + n_ways : 56; // few imports say little
    ken_finding *f = ken_survey__add(a->v, KEN_SURVEY_MODULES, 0, id, &t);
    f->value = value * ken_survey__share(&(survey_tally){ .n_for = n_ways, .n_all = n_ways });
    f->rule = ken_arena_printf(arena, "`" KEN_STR_FMT "` MUST NOT import " KEN_STR_FMT ".",
                               KEN_STR_ARG(a->items[low].path), KEN_STR_ARG(ken_buf_str(&names)));
    f->evidence = ken_arena_printf(
        arena, "0 of its %u imports lead there; %u lead the other way (from " KEN_STR_FMT ")",
        n_imports, n_ways, KEN_STR_ARG(ken_buf_str(&counted)));
    f->check = (ken_rule_check){ .kind = KEN_CHECK_FORBID_IMPORT,
                                 .in = ken_survey__list1(arena, glob_of(a, low)),
                                 .to = globs };
    ken_buf_release(&names);
    ken_buf_release(&counted);
}

// The areas that most imports of `low` come from, most first; returns how many, and the imports.
static uint32_t list_highs(const areas *a, uint32_t low, uint32_t *highs, uint32_t *out_ways)
{
    uint32_t n = 0;
    *out_ways = 0;
    for (uint32_t high = 0; high < a->n; high++) {
        bool is_said = a->chain_of[low] && a->chain_of[low] == a->chain_of[high];
        if (!is_below(a, low, high) || is_said)
            continue;
        uint32_t at = n;
        while (at && a->ways[highs[at - 1]][low] < a->ways[high][low])
            at--;
        if (at >= TARGETS_SHOWN)
            continue;
        n -= n == TARGETS_SHOWN;
        memmove(highs + at + 1, highs + at, (n - at) * sizeof *highs);
        highs[at] = high;
        n++;
        *out_ways += a->ways[high][low];
    }
    return n;
}

// Whether chance would not have kept the imports of `low` out of all of `highs`, if they led where those
// of other areas lead. What imports little, or what hardly anybody imports, is kept apart by nobody.
static bool is_kept_out(const areas *a, uint32_t low, const uint32_t *highs, uint32_t n)
{
    uint32_t n_own = 0, n_others = 0, n_there = 0;
    for (uint32_t from = 0; from < a->n; from++) {
        for (uint32_t to = 0; to < a->n; to++) {
            bool is_there = false;
            for (uint32_t i = 0; i < n; i++)
                is_there = is_there || to == highs[i];
            n_own += from == low ? a->ways[from][to] : 0;
            n_others += from == low ? 0 : a->ways[from][to];
            n_there += from != low && is_there ? a->ways[from][to] : 0;
        }
    }
    return n_others && pow(1 - (double)n_there / n_others, n_own) <= CHANCE_OF_NONE;
}

// Of the areas that others import and that import none of them, those with most such imports.
static void find_below(areas *a)
{
    bool is_said[AREAS_MAX + 1] = { false };
    for (uint32_t round = 0; round < BELOW_SHOWN; round++) {
        uint32_t highs[TARGETS_SHOWN + 1], best = 0, most = 0, n_ways;
        for (uint32_t low = 0; low < a->n; low++) {
            uint32_t n = list_highs(a, low, highs, &n_ways);
            if (n && !is_said[low] && n_ways > most && is_kept_out(a, low, highs, n)) {
                most = n_ways;
                best = low;
            }
        }
        if (!most)
            return;
        is_said[best] = true;
        say_below(a, best, highs, list_highs(a, best, highs, &n_ways));
    }
}

static void say_cycle(areas *a, uint32_t i, uint32_t k)
{
    uint32_t there = a->ways[i][k], back = a->ways[k][i];
    survey_tally t = { .n_for = there + back, .n_all = there + back };
    t.yes[t.n_yes++] = first_import(a, i, k);
    t.yes[t.n_yes++] = first_import(a, k, i);
    ken_str x = a->items[i].path, y = a->items[k].path;
    ken_str id = ken_arena_printf(a->v->arena, "cycle " KEN_STR_FMT " " KEN_STR_FMT, KEN_STR_ARG(x),
                                  KEN_STR_ARG(y));
    ken_finding *f = ken_survey__add(a->v, KEN_SURVEY_MODULES, 40, id, &t);
    f->rule =
        ken_arena_printf(a->v->arena, "`" KEN_STR_FMT "` and `" KEN_STR_FMT "` import each other.",
                         KEN_STR_ARG(x), KEN_STR_ARG(y));
    f->evidence = ken_arena_printf(a->v->arena, "%u imports one way, %u the other", there, back);
    f->is_fact = true;
}

static void find_cycles(areas *a)
{
    for (uint32_t i = 0; i < a->n; i++)
        for (uint32_t k = i + 1; k < a->n; k++)
            if (a->ways[i][k] >= CYCLE_MIN && a->ways[k][i] >= CYCLE_MIN)
                say_cycle(a, i, k);
}

// ---- packages in one place ---------------------------------------------------------------------

typedef struct package_use {
    int64_t area; // -1 = none yet, -2 = several
    uint32_t n_files;
    ken_survey_place first[KEN_SURVEY_PLACES];
    uint32_t n_first;
    ken_str last; // file counted last
} package_use;

// What is imported as one: "@a/b/c" -> "@a/b", "lodash/fp" -> "lodash", "os.path" -> "os".
static ken_str package_of(const ken_import_fact *f)
{
    ken_str ext = ken_path_ext(f->path), m = f->module;
    bool is_python = ken_str_eq_c(ext, "py");
    if (ken_str_eq_c(ext, "go"))
        return m;
    size_t n = ken_str_find_char(m, is_python ? '.' : '/');
    if (n != SIZE_MAX && ken_str_starts(m, KEN_STR("@")) && !is_python) {
        size_t more = ken_str_find_char(ken_str_sub(m, n + 1, m.len), '/');
        n = more == SIZE_MAX ? SIZE_MAX : n + 1 + more;
    }
    return ken_str_sub(m, 0, n);
}

static bool has_packages(ken_str path)
{
    static const char *const exts[] = { "js", "mjs", "cjs", "jsx", "ts", "tsx", "py", "go" };
    ken_str ext = ken_path_ext(path);
    for (size_t i = 0; i < sizeof exts / sizeof *exts; i++)
        if (ken_str_eq_c(ext, exts[i]))
            return true;
    return false;
}

static void count_package(const areas *a, package_use *u, const ken_import_fact *f)
{
    int64_t where = area_of(a, f->path);
    if (where < 0)
        where = -2;
    u->area = u->area == -1 || u->area == where ? where : -2;
    const survey_file *file = ken_survey__file_of(a->v, f->path);
    if (!file || file->is_aside || ken_str_eq(u->last, f->path))
        return;
    u->last = f->path;
    u->n_files++;
    if (u->n_first < KEN_SURVEY_PLACES)
        u->first[u->n_first++] = ken_survey__whole(f->path);
}

// The share of an area in the files of its language: where no other code could import a package,
// that none does says nothing.
static double share_of_likes(const areas *a, const area *x, ken_str ext)
{
    uint32_t n = 0, n_there = 0;
    for (size_t i = 0; i < a->v->n_files; i++) {
        const survey_file *f = &a->v->files[i];
        bool is_like = counts(f) && ken_str_eq(f->ext, ext);
        n += is_like;
        n_there += is_like && ken_survey__is_under(f->path, x->path);
    }
    return n ? (double)n_there / n : 1;
}

static void say_package(areas *a, ken_str name, const package_use *u)
{
    const area *x = &a->items[u->area];
    double share = share_of_likes(a, x, ken_path_ext(u->first[0].path));
    survey_tally t = { .n_for = u->n_files, .n_all = u->n_files, .n_yes = u->n_first };
    memcpy(t.yes, u->first, sizeof t.yes);
    if (!ken_survey__is_habit(&t) || !ken_survey__is_no_chance(share, u->n_files))
        return;
    ken_str id = ken_arena_printf(a->v->arena, "only " KEN_STR_FMT " imports " KEN_STR_FMT,
                                  KEN_STR_ARG(x->path), KEN_STR_ARG(name));
    ken_finding *f = ken_survey__add(a->v, KEN_SURVEY_MODULES, 38, id, &t);
    f->rule = ken_arena_printf(
        a->v->arena, "Code outside of `" KEN_STR_FMT "` MUST NOT import `" KEN_STR_FMT "`.",
        KEN_STR_ARG(x->path), KEN_STR_ARG(name));
    f->evidence = ken_arena_printf(
        a->v->arena, "all %u files that import it are there, with %.0f %% of such files",
        u->n_files, share * 100);
    f->check =
        (ken_rule_check){ .kind = KEN_CHECK_FORBID_IMPORT,
                          .in = ken_survey__list1(a->v->arena, KEN_STR("**")),
                          .except = ken_survey__list1(a->v->arena, glob_of(a, (uint32_t)u->area)),
                          .to = ken_survey__list1(a->v->arena, name) };
}

static void find_packages(areas *a)
{
    survey_words names;
    KEN_VEC(package_use) uses = { 0 };
    ken_survey__words_init(&names);
    for (size_t i = 0; i < a->v->imports.n; i++) {
        const ken_import_fact *f = &a->v->imports.items[i];
        if (f->target != KEN_IMPORT_PACKAGE || !has_packages(f->path))
            continue;
        ken_str name = package_of(f);
        ken_survey__words_add(&names, name, a->v->arena);
        uint64_t at = *ken_map_find(&names.at, name);
        if (at == uses.len)
            ken_vec_push(&uses, ((package_use){ .area = -1 }));
        if (at < uses.len && uses.ptr)
            count_package(a, &uses.ptr[at], f);
    }
    for (size_t i = 0, n = 0; i < uses.len && uses.ptr && n < PACKAGES_SHOWN; i++) {
        size_t before = a->v->found.len;
        if (uses.ptr[i].area >= 0)
            say_package(a, names.items.ptr[i].text, &uses.ptr[i]);
        n += a->v->found.len > before;
    }
    ken_survey__words_release(&names);
    ken_vec_release(&uses);
}

void ken_survey__modules(survey *v)
{
    areas *a = KEN_ARENA_NEW(v->arena, areas);
    a->v = v;
    cut_all(a);
    add_files(a);
    if (a->n < 2)
        return;
    count_ways(a);
    for (int i = 0; i < CHAINS_SHOWN; i++)
        find_chain(a);
    find_below(a);
    find_cycles(a);
    find_packages(a);
}
