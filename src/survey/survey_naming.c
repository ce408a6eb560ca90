// SPDX-License-Identifier: MIT
// How files are named, and public functions of C. Names of one word fit several styles: they count for
// the habit, but only names that tell the styles apart make one.
#include <stdlib.h>

#include "base/path.h"
#include "survey/survey_priv.h"

enum {
    ENDING_CASES = 4,
    TELLING_CASES = 6, // names that fit one style only
    ENDINGS_MAX = 200  // looked at, each over all files: the most frequent
};

typedef enum style {
    STYLE_SNAKE = 0,
    STYLE_KEBAB,
    STYLE_CAMEL,
    STYLE_PASCAL,
    STYLE_COUNT,
    STYLE_NONE = STYLE_COUNT,
} style;

typedef struct style_text {
    const char *name;
    const char *pattern; // PCRE2, of the part before the first dot
} style_text;

static const style_text styles[STYLE_COUNT] = {
    { "snake_case", "_*[a-z0-9]+(_+[a-z0-9]+)*_*" },
    { "kebab-case", "[a-z0-9]+(-+[a-z0-9]+)*" },
    { "camelCase", "[_$]*[a-z][A-Za-z0-9$]*_*" },
    { "PascalCase", "[_$]*[A-Z][A-Za-z0-9$]*_*" },
};

// Languages whose file names are a choice: where the compiler, a linter or everybody decides,
// nothing is said.
typedef struct name_group {
    const char *name;
    const char *exts; // as a glob has them
} name_group;

static const name_group groups[] = { { "JavaScript", "js,mjs,cjs" },
                                     { "JSX", "jsx" },
                                     { "TypeScript", "ts,mts,cts" },
                                     { "TSX", "tsx" },
                                     { "C", "c,h" },
                                     { "C++", "cc,cpp,cxx,hpp,hh,hxx" },
                                     { "PHP", "php" },
                                     { "Vue", "vue" },
                                     { "Svelte", "svelte" },
                                     { "CSS", "css,scss,less" } };

#define N_GROUPS (sizeof groups / sizeof *groups)

static bool has_ext(const name_group *g, ken_str ext)
{
    ken_str rest = ken_str_c(g->exts), one;
    while (ken_str_split_next(&rest, ',', &one))
        if (ken_str_eq(one, ext))
            return true;
    return false;
}

// ---- styles ------------------------------------------------------------------------------------

static bool is_small(char c)
{
    return (c >= 'a' && c <= 'z') || ken_is_digit(c);
}

// The name without what may stand around it in this style.
static ken_str core_of(ken_str name, style k)
{
    bool may_dollar = k == STYLE_CAMEL || k == STYLE_PASCAL;
    while (k != STYLE_KEBAB && name.len &&
           (name.ptr[0] == '_' || (may_dollar && name.ptr[0] == '$')))
        name = ken_str_sub(name, 1, name.len);
    while (k != STYLE_KEBAB && name.len && name.ptr[name.len - 1] == '_')
        name.len--;
    return name;
}

// What the patterns above say.
static bool fits(ken_str name, style k)
{
    ken_str core = core_of(name, k);
    if (!core.len)
        return false;
    char joint = k == STYLE_SNAKE ? '_' : '-', first = core.ptr[0];
    if (k == STYLE_CAMEL || k == STYLE_PASCAL) {
        for (size_t i = 0; i < core.len; i++)
            if (!ken_is_alpha(core.ptr[i]) && !ken_is_digit(core.ptr[i]) && core.ptr[i] != '$')
                return false;
        return ken_is_alpha(first) && ken_is_upper(first) == (k == STYLE_PASCAL);
    }
    for (size_t i = 0; i < core.len; i++)
        if (!is_small(core.ptr[i]) && core.ptr[i] != joint)
            return false;
    return first != joint && core.ptr[core.len - 1] != joint;
}

// Fits this style and no other.
static bool tells(ken_str name, style k)
{
    if (!fits(name, k))
        return false;
    for (style other = 0; other < STYLE_COUNT; other++)
        if (other != k && fits(name, other))
            return false;
    return true;
}

typedef struct style_tally {
    survey_tally of[STYLE_COUNT];
    uint32_t n_telling[STYLE_COUNT];
} style_tally;

static void count_styles(style_tally *t, ken_str name, ken_survey_place at)
{
    for (style k = 0; k < STYLE_COUNT; k++) {
        ken_survey__count(&t->of[k], fits(name, k), at);
        t->n_telling[k] += tells(name, k);
    }
}

static style best_style(const style_tally *t)
{
    style best = STYLE_NONE;
    for (style k = 0; k < STYLE_COUNT; k++)
        if (ken_survey__is_habit(&t->of[k]) && t->n_telling[k] >= TELLING_CASES &&
            (best == STYLE_NONE || t->of[k].n_for > t->of[best].n_for))
            best = k;
    return best;
}

// ---- files -------------------------------------------------------------------------------------

static ken_str first_part(ken_str path)
{
    ken_str base = ken_path_base(path);
    return ken_str_sub(base, 0, ken_str_find_char(base, '.'));
}

static void say_file_style(survey *v, const name_group *g, ken_str folder, const style_tally *t,
                           style k)
{
    const survey_tally *found = &t->of[k];
    ken_str glob = ken_survey__glob_ending(v->arena, folder, g->exts);
    ken_str id = ken_arena_printf(v->arena, "files %s", g->name);
    ken_finding *f = ken_survey__add(v, KEN_SURVEY_NAMING, 36, id, found);
    ken_str where =
        folder.len ? ken_arena_printf(v->arena, " under `" KEN_STR_FMT "`", KEN_STR_ARG(folder))
                   : KEN_STR("");
    f->rule = ken_arena_printf(v->arena, "%s files" KEN_STR_FMT " %s be named in %s.", g->name,
                               KEN_STR_ARG(where), ken_survey__must(found), styles[k].name);
    f->evidence =
        ken_arena_printf(v->arena, "%u of %u files; %u of them have a name that only %s fits",
                         found->n_for, found->n_all, t->n_telling[k], styles[k].name);
    ken_rule_check check = { .kind = KEN_CHECK_NAMING,
                             .is_of_files = true,
                             .in = ken_survey__list1(v->arena, glob),
                             .pattern =
                                 ken_arena_printf(v->arena, "^%s(\\.|$)", styles[k].pattern) };
    if (ken_survey__except(v, found, &check.except))
        f->check = check;
}

// Where most files of a group are, when that is not the whole tree: a folder at the top.
static ken_str main_folder(survey *v, const name_group *g)
{
    survey_words tops;
    ken_survey__words_init(&tops);
    uint32_t n = 0;
    for (size_t i = 0; i < v->n_files; i++) {
        size_t slash = ken_str_find_char(v->files[i].path, '/');
        bool is_one = has_ext(g, v->files[i].ext);
        n += is_one;
        if (is_one && slash != SIZE_MAX)
            ken_survey__words_add(&tops, ken_str_sub(v->files[i].path, 0, slash), v->arena);
    }
    ken_survey__words_sort(&tops);
    bool is_most = tops.items.len && tops.items.ptr[0].n * 2 > n;
    ken_str out = is_most ? tops.items.ptr[0].text : KEN_STR("");
    ken_survey__words_release(&tops);
    return out;
}

// Whether nearly all files are called like a type that they define, as loaders of classes want it.
static bool are_named_after_types(const survey *v, const name_group *g)
{
    survey_tally t = { .n_all = 0 };
    for (size_t i = 0; i < v->n_files; i++)
        if (has_ext(g, v->files[i].ext) && v->files[i].is_code &&
            ken_is_upper(ken_path_base(v->files[i].path).ptr[0]))
            t.n_all++;
    for (size_t i = 0; i < v->defs.n; i++) {
        const ken_definition_fact *d = &v->defs.items[i];
        t.n_for += ken_symbol_is_type(d->kind) && has_ext(g, ken_path_ext(d->path)) &&
                   ken_str_eq(first_part(d->path), d->name);
    }
    return ken_survey__is_habit(&t);
}

static bool name_files_under(survey *v, const name_group *g, ken_str folder)
{
    style_tally t = { .n_telling = { 0 } };
    for (size_t i = 0; i < v->n_files; i++)
        if (has_ext(g, v->files[i].ext) && ken_survey__is_under(v->files[i].path, folder))
            count_styles(&t, first_part(v->files[i].path), ken_survey__whole(v->files[i].path));
    style k = best_style(&t);
    if (k != STYLE_NONE)
        say_file_style(v, g, folder, &t, k);
    return k != STYLE_NONE;
}

static void name_files(survey *v, const name_group *g)
{
    if (ken_str_eq_c(ken_str_c(g->name), "PHP") && are_named_after_types(v, g))
        return;
    if (name_files_under(v, g, KEN_STR("")))
        return;
    ken_str folder = main_folder(v, g);
    if (folder.len)
        name_files_under(v, g, folder);
}

// ---- definitions -------------------------------------------------------------------------------

static ken_survey_place place_of(const ken_definition_fact *d)
{
    return (ken_survey_place){ d->path, d->first_line, d->last_line, false };
}

// ---- a common beginning ------------------------------------------------------------------------

static bool is_public_function(const ken_definition_fact *d)
{
    ken_str ext = ken_path_ext(d->path);
    return d->kind == KEN_SYMBOL_FUNCTION && !d->is_test && !d->is_inside &&
           d->visibility != KEN_VISIBILITY_PRIVATE &&
           (ken_str_eq_c(ext, "c") || ken_str_eq_c(ext, "h"));
}

// "ken_" of "ken_buf_put"; empty when there is none.
static ken_str prefix_of(ken_str name)
{
    size_t at = ken_str_find_char(name, '_');
    return at == SIZE_MAX || !at ? KEN_STR("") : ken_str_sub(name, 0, at + 1);
}

// In C, where all public names share one space.
static void name_prefix(survey *v)
{
    survey_words prefixes;
    ken_survey__words_init(&prefixes);
    for (size_t i = 0; i < v->defs.n; i++)
        if (is_public_function(&v->defs.items[i]) && !ken_str_eq_c(v->defs.items[i].name, "main"))
            ken_survey__words_add(&prefixes, prefix_of(v->defs.items[i].name), v->arena);
    ken_survey__words_sort(&prefixes);
    ken_str prefix = prefixes.items.len ? prefixes.items.ptr[0].text : KEN_STR("");
    ken_survey__words_release(&prefixes);
    survey_tally t = { .n_all = 0 };
    for (size_t i = 0; prefix.len && i < v->defs.n; i++) {
        const ken_definition_fact *d = &v->defs.items[i];
        if (is_public_function(d) && !ken_str_eq_c(d->name, "main"))
            ken_survey__count(&t, ken_str_starts(d->name, prefix), place_of(d));
    }
    if (!prefix.len || !ken_survey__is_habit(&t))
        return;
    ken_finding *f = ken_survey__add(v, KEN_SURVEY_NAMING, 62, KEN_STR("prefix of functions"), &t);
    f->rule = ken_arena_printf(
        v->arena, "Names of C functions that other files see %s begin with `" KEN_STR_FMT "`.",
        ken_survey__must(&t), KEN_STR_ARG(prefix));
    f->evidence =
        ken_arena_printf(v->arena, "%u of %u functions that are not static", t.n_for, t.n_all);
}

// ---- what a folder's files are called ----------------------------------------------------------

static bool is_index_file(ken_str path)
{
    ken_str stem = first_part(path);
    return ken_str_eq_c(stem, "index") || ken_str_eq_c(stem, "__init__") ||
           ken_str_eq_c(stem, "mod") || ken_str_eq_c(stem, "main") || !stem.len;
}

static bool is_plain_name(ken_str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (!ken_is_word(name.ptr[i]) && name.ptr[i] != '-' && name.ptr[i] != '.')
            return false;
    return name.len > 0;
}

// "20240131_add_users.rb", "0012_channel_kind.py": one of a sequence, whose name says what was done
// then.
static bool is_numbered(ken_str path)
{
    ken_str base = ken_path_base(path);
    size_t n = 0, n_digits = 0;
    while (n < base.len && (ken_is_digit(base.ptr[n]) || base.ptr[n] == '_' || base.ptr[n] == '-'))
        n_digits += ken_is_digit(base.ptr[n++]);
    return n_digits >= 3 && n > n_digits;
}

ken_str ken_survey__ending(ken_str path)
{
    ken_str base = ken_path_base(path);
    size_t dot = ken_str_find_char(base, '.'), last = ken_str_rfind_char(base, '.');
    if (dot == SIZE_MAX || !dot || is_numbered(path))
        return KEN_STR("");
    ken_str word = last > dot ? ken_str_sub(base, dot, base.len) : KEN_STR("");
    for (size_t i = dot; !word.len && i > 1; i--)
        if (base.ptr[i - 1] == '_' || base.ptr[i - 1] == '-' ||
            (ken_is_upper(base.ptr[i - 1]) && !ken_is_upper(base.ptr[i - 2])))
            word = ken_str_sub(base, i - 1, base.len);
    return is_plain_name(word) ? word : KEN_STR("");
}

ken_str ken_survey__last_word(ken_str name)
{
    for (size_t i = name.len; i > 1; i--)
        if (ken_is_upper(name.ptr[i - 1]) && !ken_is_upper(name.ptr[i - 2]))
            return ken_str_sub(name, i - 1, name.len);
    return KEN_STR("");
}

static ken_str folder_of(const survey_file *f)
{
    return ken_path_base(ken_path_dir(f->path));
}

static void say_ending(survey *v, ken_str folder, ken_str end)
{
    survey_tally t = { .n_all = 0 };
    ken_str ext = ken_path_ext(end);
    for (size_t i = 0; i < v->n_files; i++) {
        const survey_file *f = &v->files[i];
        if (ken_str_eq(folder_of(f), folder) && ken_str_eq(f->ext, ext) && !is_index_file(f->path))
            ken_survey__count(&t, ken_str_ends(f->path, end), ken_survey__whole(f->path));
    }
    if (!ken_survey__is_habit(&t))
        return;
    ken_str id = ken_arena_printf(v->arena, "files in " KEN_STR_FMT, KEN_STR_ARG(folder));
    ken_finding *f = ken_survey__add(v, KEN_SURVEY_NAMING, 40, id, &t);
    f->rule = ken_arena_printf(
        v->arena, "Names of files in folders called `" KEN_STR_FMT "` %s end in `" KEN_STR_FMT "`.",
        KEN_STR_ARG(folder), ken_survey__must(&t), KEN_STR_ARG(end));
    f->evidence = ken_arena_printf(v->arena, "%u of %u files of that kind", t.n_for, t.n_all);
    ken_buf pattern = KEN_BUF_INIT(1024);
    ken_str stem = ken_str_sub(end, 0, ken_str_rfind_char(end, '.')); // what names are checked on
    for (size_t i = 0; i < stem.len; i++)
        ken_buf_printf(&pattern, "%s%c", stem.ptr[i] == '.' ? "\\" : "", stem.ptr[i]);
    ken_buf_putc(&pattern, '$');
    ken_str_list except = { KEN_ARENA_ARRAY(v->arena, ken_str, 4 + KEN_SURVEY_EXCEPT), 0 };
    static const char *const index_globs[] = { "**/index.*", "**/__init__.*", "**/mod.*",
                                               "**/main.*" };
    while (except.n < 4) {
        except.items[except.n] = ken_str_c(index_globs[except.n]);
        except.n++;
    }
    for (uint32_t i = 0; i < t.n_against; i++)
        except.items[except.n++] = t.against[i];
    f->check = (ken_rule_check){ .kind = KEN_CHECK_NAMING,
                                 .is_of_files = true,
                                 .in = ken_survey__list1(
                                     v->arena,
                                     ken_arena_printf(v->arena, "**/" KEN_STR_FMT "/*." KEN_STR_FMT,
                                                      KEN_STR_ARG(folder), KEN_STR_ARG(ext))),
                                 .except = except,
                                 .pattern = ken_arena_dup(v->arena, ken_buf_str(&pattern)) };
    if (t.is_over)
        f->check.kind = KEN_CHECK_NONE;
    ken_buf_release(&pattern);
}

// Pairs of a folder's name and an ending that are frequent enough to be looked at.
static void name_endings(survey *v)
{
    survey_words pairs;
    ken_survey__words_init(&pairs);
    for (size_t i = 0; i < v->n_files; i++) {
        const survey_file *f = &v->files[i];
        ken_str end = ken_survey__ending(f->path), folder = folder_of(f);
        bool is_looked_at = f->is_code && !f->is_aside && !is_index_file(f->path);
        if (is_looked_at && end.len && is_plain_name(folder))
            ken_survey__words_add(&pairs,
                                  ken_arena_printf(v->arena, KEN_STR_FMT "/" KEN_STR_FMT,
                                                   KEN_STR_ARG(folder), KEN_STR_ARG(end)),
                                  v->arena);
    }
    ken_survey__words_sort(&pairs);
    for (size_t i = 0; i < pairs.items.len && i < ENDINGS_MAX; i++) {
        if (pairs.items.ptr[i].n < ENDING_CASES)
            break;
        ken_str text = pairs.items.ptr[i].text;
        size_t slash = ken_str_find_char(text, '/');
        say_ending(v, ken_str_sub(text, 0, slash), ken_str_sub(text, slash + 1, text.len));
    }
    ken_survey__words_release(&pairs);
}

void ken_survey__naming(survey *v)
{
    for (size_t i = 0; i < N_GROUPS; i++)
        name_files(v, &groups[i]);
    name_prefix(v);
    name_endings(v);
}
