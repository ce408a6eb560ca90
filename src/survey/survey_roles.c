// SPDX-License-Identifier: MIT
// Roles of files, told by how their names end: `user.service.ts`, `UserController.java`,
// `user_job.rb`. Which role imports which, what only one role imports, what stands beside what, and
// where the files of a role live.
#include <math.h>
#include <stdlib.h>

#include "base/path.h"
#include "survey/survey_priv.h"

enum {
    ROLES_MAX = 32,
    ROLE_FILES_MIN = 3,
    STEMS_MIN = 3,
    GATEWAYS_SHOWN = 3,
    GATEWAY_MIN = 4,   // files that import what may be behind one
    OTHERS_SHARE = 10, // at most one other importer of what is wrapped in so many of the wrapper
    CHOICES_SHOWN = 3,
    CHOICE_MIN = 3, // files that import the other of two packages with one name
    HOME_SHARE = 3, // a folder with a third of the files of a kind tells nobody where to put one
    TARGETS_MAX = 20000
};

// How likely chance may put the imports of any of the modules that are asked into one role.
#define CHANCE_OF_ANY 0.01

typedef struct role {
    ken_str ending; // ".service.ts"
    uint32_t n_files;
    uint32_t n_doing;   // files that do something
    bool has_companion; // it is said already
} role;

typedef struct roles {
    survey *v;
    role items[ROLES_MAX];
    uint32_t n;
    uint32_t ways[ROLES_MAX][ROLES_MAX]; // files of one that import one of the other
    uint32_t test_ways[ROLES_MAX][ROLES_MAX];
} roles;

static bool counts(const survey_file *f)
{
    return f->is_code && !f->is_aside;
}

static int64_t role_of(const roles *r, ken_str path)
{
    ken_str ending = ken_survey__ending(path);
    for (uint32_t i = 0; ending.len && i < r->n; i++)
        if (ken_str_eq(r->items[i].ending, ending))
            return i;
    return -1;
}

static void count_doing_in(roles *r, ken_str path, ken_map *seen)
{
    bool is_new;
    survey_file *f = ken_survey__file_of(r->v, path);
    int64_t k = f && counts(f) ? role_of(r, path) : -1;
    if (k < 0)
        return;
    ken_map_put(seen, path, 1, &is_new);
    r->items[k].n_doing += is_new;
}

// Files of a role that do something: they define functions, or handle routes. Data and wiring call
// nobody.
static void count_doing(roles *r)
{
    ken_map seen;
    ken_map_init(&seen);
    for (size_t i = 0; i < r->v->defs.n; i++) {
        const ken_definition_fact *d = &r->v->defs.items[i];
        if (ken_symbol_is_callable(d->kind) && d->kind != KEN_SYMBOL_CONSTRUCTOR)
            count_doing_in(r, d->path, &seen);
    }
    for (size_t i = 0; i < r->v->n_handlers; i++)
        count_doing_in(r, r->v->handlers[i].route.file, &seen);
    ken_map_release(&seen);
}

static void find_roles(roles *r)
{
    survey_words endings;
    ken_survey__words_init(&endings);
    for (size_t i = 0; i < r->v->n_files; i++) {
        ken_str ending = ken_survey__ending(r->v->files[i].path);
        if (counts(&r->v->files[i]) && ending.len)
            ken_survey__words_add(&endings, ending, r->v->arena);
    }
    ken_survey__words_sort(&endings);
    for (size_t i = 0; i < endings.items.len && r->n < ROLES_MAX; i++)
        if (endings.items.ptr[i].n >= ROLE_FILES_MIN)
            r->items[r->n++] =
                (role){ endings.items.ptr[i].text, endings.items.ptr[i].n, 0, false };
    ken_survey__words_release(&endings);
    count_doing(r);
}

static ken_str glob_of(const roles *r, uint32_t k)
{
    return ken_arena_printf(r->v->arena, "**/*" KEN_STR_FMT, KEN_STR_ARG(r->items[k].ending));
}

// ---- ways --------------------------------------------------------------------------------------

// One that leads to a file, not to a package of many.
static bool is_of_file(const ken_import_fact *f)
{
    return f->target == KEN_IMPORT_FILES && f->n_files == 1;
}

// Each file counts once for each role that it imports: imports are by file.
static void count_ways(roles *r)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < r->v->imports.n; i++) {
        const ken_import_fact *f = &r->v->imports.items[i];
        if (i && !ken_str_eq(r->v->imports.items[i - 1].path, f->path))
            seen = 0;
        int64_t from = role_of(r, f->path);
        bool is_aside = ken_survey__is_aside(r->v, f->path);
        for (uint32_t k = 0; from >= 0 && is_of_file(f) && k < f->n_files; k++) {
            int64_t to = role_of(r, f->files[k]);
            if (to < 0 || to == from || (seen >> to & 1))
                continue;
            seen |= (uint64_t)1 << to;
            (is_aside ? r->test_ways : r->ways)[from][to]++;
        }
    }
}

static ken_survey_place first_import(const roles *r, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < r->v->imports.n; i++) {
        const ken_import_fact *f = &r->v->imports.items[i];
        if (ken_survey__is_aside(r->v, f->path) || role_of(r, f->path) != from)
            continue;
        for (uint32_t k = 0; k < f->n_files; k++)
            if (role_of(r, f->files[k]) == to)
                return ken_survey__whole(f->path);
    }
    return (ken_survey_place){ .path = { NULL, 0 } };
}

// Whether `high` calls into `low` as a habit, and no file of `low` imports `high`.
static bool is_way(const roles *r, uint32_t high, uint32_t low)
{
    survey_tally t = { .n_for = r->ways[high][low], .n_all = r->items[high].n_files };
    const role *above = &r->items[high], *below = &r->items[low];
    return high != low && ken_survey__is_habit(&t) && !r->ways[low][high] &&
           !r->test_ways[low][high] && above->n_doing * 2 >= above->n_files &&
           below->n_doing * 2 >= below->n_files;
}

// All roles that call into one are said together: it is one habit of that one.
static void say_ways(roles *r, uint32_t low)
{
    ken_arena *arena = r->v->arena;
    ken_str l = r->items[low].ending, first = KEN_STR("");
    ken_buf names = KEN_BUF_INIT(4096), counted = KEN_BUF_INIT(4096);
    ken_str_list globs = { KEN_ARENA_ARRAY(arena, ken_str, r->n + 1), 0 };
    survey_tally t = { .n_all = 0 };
    for (uint32_t high = 0; high < r->n; high++) {
        if (!is_way(r, high, low))
            continue;
        ken_str h = r->items[high].ending;
        const char *comma = globs.n ? ", " : "";
        first = first.len ? first : h;
        ken_buf_printf(&names, "%s`*" KEN_STR_FMT "`", comma, KEN_STR_ARG(h));
        ken_buf_printf(&counted, "%s%u of %u `*" KEN_STR_FMT "` files", comma, r->ways[high][low],
                       r->items[high].n_files, KEN_STR_ARG(h));
        globs.items[globs.n++] = glob_of(r, high);
        t.n_for += r->ways[high][low];
        t.n_all += r->items[high].n_files;
        ken_survey_place at = first_import(r, high, low);
        if (at.path.ptr && t.n_yes < KEN_SURVEY_PLACES)
            t.yes[t.n_yes++] = at;
    }
    if (globs.n) {
        ken_str id = ken_arena_printf(arena, "calls from " KEN_STR_FMT " to " KEN_STR_FMT,
                                      KEN_STR_ARG(first), KEN_STR_ARG(l));
        ken_finding *f = ken_survey__add(r->v, KEN_SURVEY_MODULES, globs.n > 1 ? 80 : 90, id, &t);
        ken_str all = ken_arena_dup(arena, ken_buf_str(&names));
        f->rule = ken_arena_printf(arena,
                                   KEN_STR_FMT " files call `*" KEN_STR_FMT
                                               "` files; those MUST NOT import " KEN_STR_FMT ".",
                                   KEN_STR_ARG(all), KEN_STR_ARG(l), KEN_STR_ARG(all));
        f->evidence = ken_arena_printf(
            arena, KEN_STR_FMT " import one, 0 of %u `*" KEN_STR_FMT "` files import back",
            KEN_STR_ARG(ken_buf_str(&counted)), r->items[low].n_files, KEN_STR_ARG(l));
        f->check = (ken_rule_check){ .kind = KEN_CHECK_FORBID_IMPORT,
                                     .in = ken_survey__list1(arena, glob_of(r, low)),
                                     .to = globs };
    }
    ken_buf_release(&names);
    ken_buf_release(&counted);
}

// ---- what only one role imports ----------------------------------------------------------------

typedef struct target_use {
    int64_t role; // -1 none yet, -2 several
    uint32_t n_files;
    ken_survey_place first[KEN_SURVEY_PLACES];
    uint32_t n_first;
    ken_str last; // file counted last
    ken_str_list aside;
    bool is_package;
} target_use;

typedef struct targets {
    const roles *r;
    survey_words names;
    KEN_VEC(target_use) uses;
} targets;

static void count_aside(const roles *r, target_use *u, ken_str path)
{
    if (!u->aside.items)
        u->aside.items = KEN_ARENA_ARRAY(r->v->arena, ken_str, KEN_SURVEY_EXCEPT + 1);
    if (u->aside.n <= KEN_SURVEY_EXCEPT &&
        (!u->aside.n || !ken_str_eq(u->aside.items[u->aside.n - 1], path)) &&
        u->aside.n < KEN_SURVEY_EXCEPT + 1)
        u->aside.items[u->aside.n++] = path;
}

static void count_target(targets *t, ken_str name, const ken_import_fact *f)
{
    if (t->uses.len >= TARGETS_MAX && !ken_map_find(&t->names.at, name))
        return;
    ken_survey__words_add(&t->names, name, t->r->v->arena);
    uint64_t at = *ken_map_find(&t->names.at, name);
    if (at == t->uses.len)
        ken_vec_push(&t->uses, ((target_use){ .role = -1 }));
    target_use *u = &t->uses.ptr[at];
    if (ken_survey__is_aside(t->r->v, f->path)) {
        count_aside(t->r, u, f->path);
        return;
    }
    if (ken_str_eq(u->last, f->path))
        return;
    int64_t from = role_of(t->r, f->path);
    from = from < 0 ? -2 : from;
    u->role = u->role == -1 || u->role == from ? from : -2;
    u->last = f->path;
    u->is_package = f->target == KEN_IMPORT_PACKAGE;
    u->n_files++;
    if (u->n_first < KEN_SURVEY_PLACES)
        u->first[u->n_first++] = ken_survey__whole(f->path);
}

static uint32_t files_with_ext(const survey *v, ken_str ext)
{
    uint32_t n = 0;
    for (size_t i = 0; i < v->n_files; i++)
        n += counts(&v->files[i]) && ken_str_eq(v->files[i].ext, ext);
    return n;
}

// Whether what a file defines is built on what it imports: then the import says what it is.
static bool is_built_on(const roles *r, ken_str path, ken_str target)
{
    ken_file_view view;
    if (ken_view_file(r->v->s, path, r->v->arena, &view, NULL))
        return false;
    for (size_t i = 0; i < r->v->defs.n; i++) {
        const ken_definition_fact *base = &r->v->defs.items[i];
        if (!ken_symbol_is_type(base->kind) || !ken_str_eq(base->path, target))
            continue;
        for (size_t k = 0; k < r->v->defs.n; k++) {
            const ken_definition_fact *d = &r->v->defs.items[k];
            ken_span s = d->signature.span;
            if (!ken_symbol_is_type(d->kind) || !ken_str_eq(d->path, path) || s.end > view.text.len)
                continue;
            ken_str text = ken_str_sub(view.text, s.start, s.end);
            if (ken_str_find(ken_str_sub(text, 1, text.len), base->name) != SIZE_MAX)
                return true;
        }
    }
    return false;
}

static bool are_built_on(const roles *r, ken_str name, const target_use *u)
{
    for (uint32_t i = 0; i < u->n_first; i++)
        if (u->is_package || !is_built_on(r, u->first[i].path, name))
            return false;
    return u->n_first > 0;
}

static bool say_gateway(const roles *r, ken_str name, const target_use *u, uint32_t n_asked)
{
    survey *v = r->v;
    if (u->role < 0 || u->aside.n > KEN_SURVEY_EXCEPT || role_of(r, name) == u->role)
        return false;
    if (!u->is_package && ken_survey__is_aside(v, name))
        return false; // for tests
    const role *x = &r->items[u->role];
    uint32_t n_like = files_with_ext(v, ken_path_ext(x->ending));
    survey_tally t = { .n_for = u->n_files, .n_all = u->n_files, .n_yes = u->n_first };
    memcpy(t.yes, u->first, sizeof t.yes);
    if (!ken_survey__is_habit(&t) || !n_like ||
        pow((double)x->n_files / n_like, u->n_files) * n_asked > CHANCE_OF_ANY ||
        are_built_on(r, name, u))
        return false;
    ken_str id = ken_arena_printf(v->arena, "only " KEN_STR_FMT " imports " KEN_STR_FMT,
                                  KEN_STR_ARG(x->ending), KEN_STR_ARG(name));
    ken_finding *f = ken_survey__add(v, KEN_SURVEY_DEPENDENCIES, 94, id, &t);
    f->rule = ken_arena_printf(v->arena,
                               "Only `*" KEN_STR_FMT "` files MAY import `" KEN_STR_FMT
                               "`; other code MUST go through them.",
                               KEN_STR_ARG(x->ending), KEN_STR_ARG(name));
    f->evidence = ken_arena_printf(v->arena,
                                   "all %u files that import it are `*" KEN_STR_FMT
                                   "` files, which are %u of %u ." KEN_STR_FMT
                                   " files; %zu tests and scripts aside",
                                   u->n_files, KEN_STR_ARG(x->ending), x->n_files, n_like,
                                   KEN_STR_ARG(ken_path_ext(x->ending)), u->aside.n);
    ken_str_list except = { KEN_ARENA_ARRAY(v->arena, ken_str, u->aside.n + 1), 0 };
    except.items[except.n++] = glob_of(r, (uint32_t)u->role);
    for (size_t i = 0; i < u->aside.n; i++)
        except.items[except.n++] = u->aside.items[i];
    f->check = (ken_rule_check){ .kind = KEN_CHECK_FORBID_IMPORT,
                                 .in = ken_survey__list1(v->arena, KEN_STR("**")),
                                 .except = except,
                                 .to = ken_survey__list1(v->arena, name) };
    return true;
}

// ---- one of several with the same name ---------------------------------------------------------

// What a module is called: "errors" of "github.com/pkg/errors", "axios" of "src/lib/axios.ts",
// "path" of "node:path"; empty where modules are not named by paths.
static ken_str short_name(ken_str module, ken_str ext)
{
    static const char *const exts[] = {
        "go", "js", "mjs", "cjs", "jsx", "ts", "mts", "tsx", "vue"
    };
    bool has_paths = false;
    for (size_t i = 0; i < sizeof exts / sizeof *exts; i++)
        has_paths |= ken_str_eq_c(ext, exts[i]);
    size_t colon = ken_str_find_char(module, ':');
    if (colon != SIZE_MAX)
        module = ken_str_sub(module, colon + 1, module.len);
    ken_str base = ken_path_base(module);
    if (base.len > 1 && base.ptr[0] == 'v' && ken_is_digit(base.ptr[1])) // a major version of Go
        module = ken_path_dir(module);
    return has_paths ? ken_path_stem(module) : KEN_STR("");
}

// Counts who imports `package` besides the file that stands for it; whether that one does.
static bool count_others(const survey *v, ken_str file, ken_str package, survey_tally *n,
                         survey_tally *aside)
{
    bool is_wrapped = false;
    for (size_t i = 0; i < v->imports.n; i++) {
        const ken_import_fact *f = &v->imports.items[i];
        bool is_other = f->target == KEN_IMPORT_PACKAGE && ken_str_eq(f->module, package);
        if (is_other && ken_survey__is_aside(v, f->path))
            ken_survey__count(aside, false, ken_survey__whole(f->path));
        else if (is_other && ken_str_eq(f->path, file))
            is_wrapped = true;
        else if (is_other)
            ken_survey__count(n, false, ken_survey__whole(f->path));
    }
    return is_wrapped;
}

// How many files that count import both of two modules.
static uint32_t count_both(const targets *t, ken_str x, ken_str y)
{
    const survey *v = t->r->v;
    uint32_t n = 0;
    bool has_x = false, has_y = false;
    for (size_t i = 0; i < v->imports.n; i++) {
        const ken_import_fact *f = &v->imports.items[i];
        if (!i || !ken_str_eq(v->imports.items[i - 1].path, f->path))
            has_x = has_y = false;
        bool had_both = has_x && has_y;
        ken_str to = f->target == KEN_IMPORT_FILES && f->n_files == 1 ? f->files[0] : f->module;
        has_x |= ken_str_eq(to, x);
        has_y |= ken_str_eq(to, y);
        n += has_x && has_y && !had_both && !ken_survey__is_aside(v, f->path);
    }
    return n;
}

// Many files import the one, hardly any the other of the same name: the choice was made. Where most
// that import the other import both, there is none: `@angular/core` and `@ngx-translate/core`.
static bool say_choice(const targets *t, size_t best, size_t other)
{
    survey *v = t->r->v;
    const target_use *x = &t->uses.ptr[best];
    ken_str name = t->names.items.ptr[best].text, package = t->names.items.ptr[other].text;
    survey_tally n = { .n_for = x->n_files, .n_all = x->n_files, .n_yes = x->n_first };
    memcpy(n.yes, x->first, sizeof n.yes);
    survey_tally aside = { .n_all = 0 };
    bool is_wrapped = count_others(v, name, package, &n, &aside);
    uint32_t n_others = n.n_all - n.n_for;
    if (is_wrapped ? n_others * OTHERS_SHARE > n.n_for : n_others < CHOICE_MIN)
        return false; // chance gave both the name
    if (!ken_survey__is_habit(&n) || count_both(t, name, package) * 2 > n_others + is_wrapped)
        return false;
    ken_str id = ken_arena_printf(v->arena, KEN_STR_FMT " not " KEN_STR_FMT, KEN_STR_ARG(name),
                                  KEN_STR_ARG(package));
    ken_finding *f = ken_survey__add(v, KEN_SURVEY_DEPENDENCIES, 92, id, &n);
    f->rule = ken_arena_printf(v->arena, "Code %s import `" KEN_STR_FMT "`, not `" KEN_STR_FMT "`.",
                               ken_survey__must(&n), KEN_STR_ARG(name), KEN_STR_ARG(package));
    f->evidence =
        ken_arena_printf(v->arena, "%u files outside of tests import the one, %u the other%s",
                         x->n_files, n_others, is_wrapped ? ", besides the one that wraps it" : "");
    ken_str_list except = { KEN_ARENA_ARRAY(v->arena, ken_str, 2 * KEN_SURVEY_EXCEPT + 1), 0 };
    for (uint32_t i = 0; i < n.n_against; i++)
        except.items[except.n++] = n.against[i];
    for (uint32_t i = 0; i < aside.n_against; i++)
        except.items[except.n++] = aside.against[i];
    if (is_wrapped)
        except.items[except.n++] = name;
    if (!n.is_over && !aside.is_over)
        f->check = (ken_rule_check){ .kind = KEN_CHECK_FORBID_IMPORT,
                                     .in = ken_survey__list1(v->arena, KEN_STR("**")),
                                     .except = except,
                                     .to = ken_survey__list1(v->arena, package) };
    return true;
}

typedef struct choice {
    size_t best, other;
    uint32_t n_files;
    ken_str folder; // of the best
} choice;

static int by_files(const void *a, const void *b)
{
    const choice *x = a, *y = b;
    if (x->n_files != y->n_files)
        return x->n_files < y->n_files ? 1 : -1;
    return (x->best > y->best) - (x->best < y->best);
}

// One choice of a folder stands for the others: a folder of wrappers is one habit.
static void say_choices(const targets *t, choice *all, size_t n)
{
    size_t n_said = 0;
    ken_str said[CHOICES_SHOWN] = { { NULL, 0 } };
    if (n)
        qsort(all, n, sizeof *all, by_files);
    for (size_t i = 0; i < n && n_said < CHOICES_SHOWN; i++) {
        bool is_like = false;
        for (size_t k = 0; k < n_said; k++)
            is_like |= said[k].len && ken_str_eq(said[k], all[i].folder);
        if (!is_like && say_choice(t, all[i].best, all[i].other))
            said[n_said++] = all[i].folder;
    }
}

// Which of the tree's own files and of packages is meant under a name.
static void find_choices(const targets *t)
{
    ken_map by_name;
    KEN_VEC(choice) found = { 0 };
    ken_map_init(&by_name);
    for (size_t i = 0; i < t->uses.len; i++) {
        if (!t->uses.ptr[i].n_files)
            continue;
        ken_str ext = ken_path_ext(t->uses.ptr[i].last);
        ken_str name = short_name(t->names.items.ptr[i].text, ext);
        bool is_new;
        if (!name.len)
            continue;
        ken_str key = ken_arena_printf(t->r->v->arena, KEN_STR_FMT "." KEN_STR_FMT,
                                       KEN_STR_ARG(name), KEN_STR_ARG(ext));
        uint64_t *at = ken_map_put(&by_name, key, i, &is_new);
        if (is_new)
            continue;
        bool is_more = t->uses.ptr[i].n_files > t->uses.ptr[*at].n_files;
        size_t best = is_more ? i : *at, other = is_more ? *at : i;
        if (t->uses.ptr[other].is_package) {
            ken_str path = t->names.items.ptr[best].text;
            choice c = { best, other, t->uses.ptr[best].n_files,
                         t->uses.ptr[best].is_package ? KEN_STR("") : ken_path_dir(path) };
            ken_vec_push(&found, c);
        }
        *at = best;
    }
    say_choices(t, found.ptr, found.len);
    ken_vec_release(&found);
    ken_map_release(&by_name);
}

static void find_targets(const roles *r)
{
    targets t = { .r = r };
    ken_survey__words_init(&t.names);
    for (size_t i = 0; i < r->v->imports.n; i++) {
        const ken_import_fact *f = &r->v->imports.items[i];
        if (f->is_type_only)
            continue;
        if (f->target == KEN_IMPORT_PACKAGE && f->module.len)
            count_target(&t, f->module, f);
        else if (f->target == KEN_IMPORT_FILES && f->n_files == 1 && !f->is_guess)
            count_target(&t, f->files[0], f);
    }
    uint32_t n_asked = 0;
    for (size_t i = 0; i < t.uses.len; i++)
        n_asked += t.uses.ptr[i].n_files >= GATEWAY_MIN;
    for (size_t i = 0, n = 0; i < t.uses.len && n < GATEWAYS_SHOWN; i++)
        n += say_gateway(r, t.names.items.ptr[i].text, &t.uses.ptr[i], n_asked);
    find_choices(&t);
    ken_survey__words_release(&t.names);
    ken_vec_release(&t.uses);
}

// ---- what stands beside what -------------------------------------------------------------------

static survey_tally beside(const roles *r, uint32_t a, uint32_t b)
{
    survey_tally t = { .n_all = 0 };
    ken_str x = r->items[a].ending, y = r->items[b].ending;
    for (size_t i = 0; i < r->v->n_files; i++) {
        const survey_file *f = &r->v->files[i];
        if (!counts(f) || !ken_str_eq(ken_survey__ending(f->path), x))
            continue;
        ken_str other = ken_arena_printf(r->v->arena, KEN_STR_FMT KEN_STR_FMT,
                                         KEN_STR_ARG(ken_str_sub(f->path, 0, f->path.len - x.len)),
                                         KEN_STR_ARG(y));
        ken_survey__count(&t, ken_survey__file_of(r->v, other) != NULL, ken_survey__whole(f->path));
    }
    return t;
}

// Names before the ending that differ; up to `most` are told apart.
static uint32_t count_stems(const roles *r, uint32_t k, uint32_t most)
{
    ken_str seen[STEMS_MIN];
    uint32_t n = 0;
    ken_str ending = r->items[k].ending;
    for (size_t i = 0; i < r->v->n_files && n < most; i++) {
        ken_str path = r->v->files[i].path, base = ken_path_base(path);
        if (!counts(&r->v->files[i]) || !ken_str_eq(ken_survey__ending(path), ending))
            continue;
        ken_str stem = ken_str_sub(base, 0, base.len - ending.len);
        bool is_new = true;
        for (uint32_t s = 0; s < n; s++)
            is_new = is_new && !ken_str_eq(seen[s], stem);
        if (is_new)
            seen[n++] = stem;
    }
    return n;
}

static void say_beside(roles *r, uint32_t a, uint32_t b)
{
    if (r->items[a].has_companion ||
        count_stems(r, a, STEMS_MIN) < STEMS_MIN) // one thing in many folders is no role
        return;
    survey_tally t = beside(r, a, b), back = beside(r, b, a);
    if (!ken_survey__is_habit(&t) || (ken_survey__share(&back) > ken_survey__share(&t)) ||
        (ken_survey__share(&back) == ken_survey__share(&t) && a > b))
        return;
    ken_arena *arena = r->v->arena;
    ken_str x = r->items[a].ending, y = r->items[b].ending;
    ken_str id = ken_arena_printf(arena, "beside " KEN_STR_FMT " " KEN_STR_FMT, KEN_STR_ARG(x),
                                  KEN_STR_ARG(y));
    r->items[a].has_companion = true;
    ken_finding *f = ken_survey__add(r->v, KEN_SURVEY_NAMING, 64, id, &t);
    f->rule = ken_arena_printf(arena,
                               "A file `X" KEN_STR_FMT "` %s have its `X" KEN_STR_FMT
                               "` beside it, in the folder of the feature.",
                               KEN_STR_ARG(x), ken_survey__must(&t), KEN_STR_ARG(y));
    f->evidence = ken_arena_printf(arena, "%u of %u `*" KEN_STR_FMT "` files", t.n_for, t.n_all,
                                   KEN_STR_ARG(x));
}

// ---- where they live ---------------------------------------------------------------------------

// `app/jobs` of `_job.rb`: who sees the folder needs no rule.
static bool is_named_after(ken_str folder, ken_str ending)
{
    ken_str base = ken_path_base(folder), word = ending;
    while (word.len && !ken_is_alpha(word.ptr[0]))
        word = ken_str_sub(word, 1, word.len);
    size_t dot = ken_str_find_char(word, '.');
    word = ken_str_sub(word, 0, dot);
    return word.len && base.len >= word.len &&
           ken_str_eq_fold(ken_str_sub(base, 0, word.len - 1), ken_str_sub(word, 0, word.len - 1));
}

static void say_home(const roles *r, uint32_t k)
{
    survey *v = r->v;
    ken_str common = { NULL, 0 };
    survey_tally t = { .n_all = 0 };
    for (size_t i = 0; i < v->n_files; i++) {
        const survey_file *f = &v->files[i];
        if (!counts(f) || !ken_str_eq(ken_survey__ending(f->path), r->items[k].ending))
            continue;
        ken_survey__count(&t, true, ken_survey__whole(f->path));
        common = common.ptr ? common : ken_path_dir(f->path);
        while (common.len && !ken_survey__is_under(f->path, common))
            common = ken_path_dir(common);
    }
    uint32_t n_like = 0, n_there = 0;
    for (size_t i = 0; i < v->n_files && common.len; i++) {
        const survey_file *f = &v->files[i];
        bool is_like = counts(f) && ken_str_eq(f->ext, ken_path_ext(r->items[k].ending));
        n_like += is_like;
        n_there += is_like && ken_survey__is_under(f->path, common);
    }
    if (!n_like || n_there * HOME_SHARE > n_like || is_named_after(common, r->items[k].ending) ||
        !ken_survey__is_habit(&t) || !ken_survey__is_no_chance((double)n_there / n_like, t.n_all))
        return;
    ken_str id =
        ken_arena_printf(v->arena, "home of " KEN_STR_FMT, KEN_STR_ARG(r->items[k].ending));
    ken_finding *f = ken_survey__add(v, KEN_SURVEY_NAMING, 46, id, &t);
    f->rule = ken_arena_printf(
        v->arena, "Files called `*" KEN_STR_FMT "` MUST stand under `" KEN_STR_FMT "`.",
        KEN_STR_ARG(r->items[k].ending), KEN_STR_ARG(common));
    f->evidence =
        ken_arena_printf(v->arena, "all %u of them; %u of %u ." KEN_STR_FMT " files stand there",
                         t.n_all, n_there, n_like, KEN_STR_ARG(ken_path_ext(r->items[k].ending)));
    f->check = (ken_rule_check){ .kind = KEN_CHECK_PLACEMENT,
                                 .in = ken_survey__list1(v->arena, glob_of(r, k)),
                                 .under = ken_survey__glob_below(v->arena, common) };
    for (size_t i = 0; i < v->n_files; i++) // tests may stand elsewhere
        if (v->files[i].is_aside && ken_str_ends(v->files[i].path, r->items[k].ending))
            f->check.kind = KEN_CHECK_NONE;
}

void ken_survey__roles(survey *v)
{
    roles *r = KEN_ARENA_NEW(v->arena, roles);
    r->v = v;
    find_roles(r);
    count_ways(r);
    for (uint32_t i = 0; i < r->n; i++) {
        for (uint32_t k = 0; k < r->n; k++)
            if (i != k)
                say_beside(r, i, k);
        say_ways(r, i);
        say_home(r, i);
    }
    find_targets(r);
}
