// SPDX-License-Identifier: MIT
// How test files are called, where they stand and what they are written with. A test file is one
// whose name says so by the customs of its language; helpers and data beside them do not count.
#include "base/path.h"
#include "base/sorted.h"
#include "scan/scan.h"
#include "survey/survey_priv.h"

enum {
    TEST_CASES = 4 // files of a language
};

typedef struct test_custom {
    const char *language, *ext;
    const char *start, *end; // of the name without its extension; either may be ""
} test_custom;

static const test_custom customs[] = {
    { "Python", "py", "test_", "" },
    { "Python", "py", "", "_test" },
    { "JavaScript", "js", "", ".test" },
    { "JavaScript", "js", "", ".spec" },
    { "JavaScript", "jsx", "", ".test" },
    { "JavaScript", "jsx", "", ".spec" },
    { "JavaScript", "mjs", "", ".test" },
    { "TypeScript", "ts", "", ".test" },
    { "TypeScript", "ts", "", ".spec" },
    { "TypeScript", "ts", "", "_test" },
    { "TypeScript", "tsx", "", ".test" },
    { "TypeScript", "tsx", "", ".spec" },
    { "Go", "go", "", "_test" },
    { "Ruby", "rb", "", "_spec" },
    { "Ruby", "rb", "", "_test" },
    { "Ruby", "rb", "test_", "" },
    { "Java", "java", "", "Test" },
    { "Java", "java", "", "Tests" },
    { "Java", "java", "", "IT" },
    { "Kotlin", "kt", "", "Test" },
    { "Kotlin", "kt", "", "Tests" },
    { "Kotlin", "kt", "", "Spec" },
    { "C#", "cs", "", "Test" },
    { "C#", "cs", "", "Tests" },
    { "C#", "cs", "", "Spec" },
    { "C#", "cs", "", "Specs" },
    { "PHP", "php", "", "Test" },
    { "PHP", "php", "", "Spec" },
    { "Swift", "swift", "", "Tests" },
    { "Swift", "swift", "", "Spec" },
    { "Scala", "scala", "", "Spec" },
    { "Scala", "scala", "", "Test" },
    { "Elixir", "exs", "", "_test" },
    { "Rust", "rs", "", "_test" },
    { "Rust", "rs", "", "_tests" },
    { "C", "c", "test_", "" },
    { "C", "c", "", "_test" },
    { "C++", "cpp", "test_", "" },
    { "C++", "cpp", "", "_test" },
    { "C++", "cc", "", "_test" },
};

#define N_CUSTOMS (sizeof customs / sizeof *customs)

static bool keeps_to(const test_custom *c, const survey_file *f)
{
    ken_str stem = ken_path_stem(f->path), start = ken_str_c(c->start), end = ken_str_c(c->end);
    return f->is_test && ken_str_eq_c(f->ext, c->ext) && stem.len > start.len + end.len &&
           ken_str_starts(stem, start) && ken_str_ends(stem, end);
}

static void note_customs(survey *v)
{
    for (size_t i = 0; i < v->n_files; i++)
        for (uint8_t k = 0; v->files[i].is_test && k < N_CUSTOMS; k++)
            if (!v->files[i].test_custom && keeps_to(&customs[k], &v->files[i]))
                v->files[i].test_custom = k + 1;
}

// The custom that a test in the language keeps to, or NULL: it is none.
static const test_custom *custom_of(const survey_file *f, const char *language)
{
    const test_custom *c = f->test_custom ? &customs[f->test_custom - 1] : NULL;
    return c && !strcmp(c->language, language) ? c : NULL;
}

static ken_str shown(ken_arena *arena, const test_custom *c)
{
    return ken_arena_printf(arena, "%s*%s.%s", c->start, c->end, c->ext);
}

// ---- names -------------------------------------------------------------------------------------

// The same beginning and end, whatever the extension: ".test" of ts and tsx is one custom.
static bool is_same_custom(const test_custom *a, const test_custom *b)
{
    return !strcmp(a->language, b->language) && !strcmp(a->start, b->start) &&
           !strcmp(a->end, b->end);
}

static const test_custom *most_kept(const survey *v, const char *language, survey_tally *out)
{
    const test_custom *best = NULL;
    for (size_t k = 0; k < N_CUSTOMS; k++) {
        if (strcmp(customs[k].language, language) != 0)
            continue;
        survey_tally t = { .n_all = 0 };
        for (size_t i = 0; i < v->n_files; i++) {
            const test_custom *c = custom_of(&v->files[i], language);
            if (c)
                ken_survey__count(&t, is_same_custom(c, &customs[k]),
                                  ken_survey__whole(v->files[i].path));
        }
        if (t.n_for > out->n_for) {
            *out = t;
            best = &customs[k];
        }
    }
    return best;
}

static bool is_kept(const survey *v, size_t custom)
{
    for (size_t i = 0; i < v->n_files; i++)
        if (v->files[i].test_custom == custom + 1)
            return true;
    return false;
}

// "*.test.{ts,tsx}": with the extensions that there are.
static ken_str shown_with_all(const survey *v, const test_custom *c)
{
    ken_buf exts = KEN_BUF_INIT(128);
    size_t n = 0;
    for (size_t k = 0; k < N_CUSTOMS; k++)
        if (is_same_custom(c, &customs[k]) && is_kept(v, k))
            ken_buf_printf(&exts, "%s%s", n++ ? "," : "", customs[k].ext);
    ken_str out =
        ken_arena_printf(v->arena, "%s*%s.%s" KEN_STR_FMT "%s", c->start, c->end, n > 1 ? "{" : "",
                         KEN_STR_ARG(ken_buf_str(&exts)), n > 1 ? "}" : "");
    ken_buf_release(&exts);
    return out;
}

// The first custom of a language is what its tools look for; Ruby's are those of its two frameworks.
static bool is_usual(const test_custom *c)
{
    for (size_t i = 0; i < N_CUSTOMS; i++)
        if (!strcmp(customs[i].language, c->language))
            return !strcmp(customs[i].start, c->start) && !strcmp(customs[i].end, c->end);
    return false;
}

static void say_names(survey *v, const test_custom *c, const survey_tally *t)
{
    if (!ken_survey__is_habit(t))
        return;
    ken_str id = ken_arena_printf(v->arena, "test files %s", c->language);
    double value = is_usual(c) || !strcmp(c->language, "Ruby") ? 28 : 42;
    ken_finding *f = ken_survey__add(v, KEN_SURVEY_TESTS, value, id, t);
    f->rule = ken_arena_printf(v->arena, "%s test files %s be named `" KEN_STR_FMT "`.",
                               c->language, ken_survey__must(t), KEN_STR_ARG(shown_with_all(v, c)));
    f->evidence = ken_arena_printf(v->arena, "%u of %u test files", t->n_for, t->n_all);
}

// ---- places ------------------------------------------------------------------------------------

// The path up to its folder of tests: "packages/a/test/unit/x.js" -> "packages/a/test"; empty when
// it is in none.
static ken_str test_root(ken_str path)
{
    static const char *const names[] = { "test", "tests", "spec", "__tests__", "Tests", "testing" };
    ken_str dir = ken_path_dir(path);
    for (size_t from = 0; from < dir.len;) {
        size_t slash = ken_str_find_char(ken_str_sub(dir, from, dir.len), '/');
        size_t end = slash == SIZE_MAX ? dir.len : from + slash;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (ken_str_eq_c(ken_str_sub(dir, from, end), names[i]))
                return ken_str_sub(dir, 0, end);
        from = end + 1;
    }
    return KEN_STR("");
}

static ken_str glob_of_root(ken_arena *arena, ken_str root)
{
    size_t slash = ken_str_rfind_char(root, '/');
    if (slash == SIZE_MAX)
        return ken_survey__glob_below(arena, root);
    return ken_arena_printf(arena, "**/" KEN_STR_FMT "/**",
                            KEN_STR_ARG(ken_str_sub(root, slash + 1, root.len)));
}

static bool stands_beside(const survey *v, const survey_file *f, const test_custom *c)
{
    ken_str stem = ken_path_stem(f->path), dir = ken_path_dir(f->path);
    ken_str name = ken_str_sub(stem, strlen(c->start), stem.len - strlen(c->end));
    static const char *const exts[] = { "ts", "tsx", "js", "jsx", "mjs", "vue" };
    ken_str same = ken_arena_printf(v->arena, KEN_STR_FMT "." KEN_STR_FMT, KEN_STR_ARG(name),
                                    KEN_STR_ARG(f->ext));
    if (ken_survey__file_of(v, ken_path_join(v->arena, dir, same)))
        return true;
    bool is_script = false;
    for (size_t i = 0; i < sizeof exts / sizeof *exts; i++)
        is_script |= ken_str_eq_c(f->ext, exts[i]);
    for (size_t i = 0; is_script && i < sizeof exts / sizeof *exts; i++) {
        ken_str other = ken_arena_printf(v->arena, KEN_STR_FMT ".%s", KEN_STR_ARG(name), exts[i]);
        if (ken_survey__file_of(v, ken_path_join(v->arena, dir, other)))
            return true;
    }
    return false;
}

static void say_under(survey *v, const char *language, ken_str glob, const survey_tally *t)
{
    ken_str id = ken_arena_printf(v->arena, "place of tests %s", language);
    ken_finding *f = ken_survey__add(v, KEN_SURVEY_TESTS, 28, id, t);
    f->rule = ken_arena_printf(v->arena, "%s test files %s stand under `" KEN_STR_FMT "`.",
                               language, ken_survey__must(t), KEN_STR_ARG(glob));
    f->evidence = ken_arena_printf(v->arena, "%u of %u test files", t->n_for, t->n_all);
    KEN_VEC(ken_str) globs = { 0 };
    for (size_t i = 0; i < N_CUSTOMS; i++)
        if (!strcmp(customs[i].language, language))
            ken_vec_push(&globs, ken_arena_printf(v->arena, "**/" KEN_STR_FMT,
                                                  KEN_STR_ARG(shown(v->arena, &customs[i]))));
    ken_str_list files = { ken_arena_copy(v->arena, globs.ptr, globs.len, sizeof *globs.ptr),
                           globs.len };
    ken_vec_release(&globs);
    ken_rule_check check = { .kind = KEN_CHECK_PLACEMENT, .in = files, .under = glob };
    if (ken_survey__except(v, t, &check.except))
        f->check = check;
}

static void say_beside(survey *v, const char *language, const survey_tally *t)
{
    ken_str id = ken_arena_printf(v->arena, "place of tests %s", language);
    ken_finding *f = ken_survey__add(v, KEN_SURVEY_TESTS, 46, id, t);
    f->rule = ken_arena_printf(v->arena, "%s test files %s stand beside the file that they test.",
                               language, ken_survey__must(t));
    f->evidence = ken_arena_printf(v->arena, "%u of %u test files", t->n_for, t->n_all);
}

static void place_tests(survey *v, const char *language)
{
    survey_words roots;
    survey_tally under = { .n_all = 0 }, beside = { .n_all = 0 };
    ken_survey__words_init(&roots);
    for (size_t i = 0; i < v->n_files; i++) {
        const survey_file *f = &v->files[i];
        const test_custom *c = custom_of(f, language);
        if (!c)
            continue;
        ken_survey__count(&beside, stands_beside(v, f, c), ken_survey__whole(f->path));
        ken_str root = test_root(f->path);
        if (root.len)
            ken_survey__words_add(&roots, glob_of_root(v->arena, root), v->arena);
    }
    ken_survey__words_sort(&roots);
    ken_str glob = roots.items.len ? roots.items.ptr[0].text : KEN_STR("");
    for (size_t i = 0; glob.len && i < v->n_files; i++)
        if (custom_of(&v->files[i], language))
            ken_survey__count(&under, ken_glob_match(glob, v->files[i].path),
                              ken_survey__whole(v->files[i].path));
    ken_survey__words_release(&roots);
    bool is_given = !strcmp(language, "Java") || !strcmp(language, "Kotlin"); // by the build tool
    if (ken_survey__is_habit(&beside))
        say_beside(v, language, &beside);
    else if (ken_survey__is_habit(&under) && !is_given)
        say_under(v, language, glob, &under);
}

// ---- what they are written with ----------------------------------------------------------------

static bool imports_package(const survey *v, ken_str path, ken_str package)
{
    size_t low = KEN_FIRST_STR(ken_import_fact, path, v->imports.items, v->imports.n, path);
    for (; low < v->imports.n && ken_str_eq(v->imports.items[low].path, path); low++)
        if (ken_is_of_package(v->imports.items[low].module, package))
            return true;
    return false;
}

static void find_tools(survey *v, const char *language)
{
    // Where there are several to choose from.
    static const char *const tools[] = {
        "vitest", "@jest/globals", "mocha",  "node:test", "ava",
        "tape",   "supertest",     "pytest", "unittest",  "github.com/stretchr/testify"
    };
    for (size_t k = 0; k < sizeof tools / sizeof *tools; k++) {
        survey_tally t = { .n_all = 0 };
        for (size_t i = 0; i < v->n_files; i++)
            if (custom_of(&v->files[i], language))
                ken_survey__count(&t, imports_package(v, v->files[i].path, ken_str_c(tools[k])),
                                  ken_survey__whole(v->files[i].path));
        if (!ken_survey__is_habit(&t))
            continue;
        ken_str id = ken_arena_printf(v->arena, "tests use %s %s", tools[k], language);
        ken_finding *f = ken_survey__add(v, KEN_SURVEY_TESTS, 36, id, &t);
        f->rule = ken_arena_printf(v->arena, "%s test files %s import `%s`.", language,
                                   ken_survey__must(&t), tools[k]);
        f->evidence = ken_arena_printf(v->arena, "%u of %u test files", t.n_for, t.n_all);
    }
}

void ken_survey__tests(survey *v)
{
    note_customs(v);
    for (size_t i = 0; i < N_CUSTOMS; i++) {
        if (i && !strcmp(customs[i].language, customs[i - 1].language))
            continue;
        survey_tally t = { .n_all = 0 };
        const test_custom *c = most_kept(v, customs[i].language, &t);
        if (t.n_all < TEST_CASES)
            continue;
        say_names(v, c, &t);
        place_tests(v, customs[i].language);
        find_tools(v, customs[i].language);
    }
}
