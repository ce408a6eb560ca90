// SPDX-License-Identifier: MIT
// How errors are raised and passed on: looked for in the text of at most SAMPLE files of a language,
// spread evenly over the tree; the evidence says how many there were.
#include <stdlib.h>

#include "base/path.h"
#include "base/utf8.h"
#include "survey/survey_priv.h"

enum {
    SAMPLE = 200,
    CASES_MIN = 4 // places or files of a language
};

typedef struct language {
    const char *name;
    const char *exts; // separated by ','
} language;

static const language languages[] = {
    { "Python", "py" },
    { "JavaScript", "js,mjs,cjs,jsx" },
    { "TypeScript", "ts,tsx,mts,cts" },
    { "Go", "go" },
    { "C", "c,h" },
    { "C++", "cc,cpp,cxx,hpp,hh" },
    { "Rust", "rs" },
    { "Java", "java" },
    { "Kotlin", "kt" },
    { "C#", "cs" },
    { "PHP", "php" },
    { "Ruby", "rb" },
    { "Swift", "swift" },
    { "Scala", "scala" },
    { "Elixir", "ex" },
};

#define N_LANGUAGES (sizeof languages / sizeof *languages)

static bool has_ext(const char *exts, ken_str ext)
{
    ken_str rest = ken_str_c(exts), one;
    while (ken_str_split_next(&rest, ',', &one))
        if (ken_str_eq(one, ext))
            return true;
    return false;
}

// ---- texts -------------------------------------------------------------------------------------

typedef struct text_habits {
    survey *v;
    const language *l;
    survey_words raised, returned;
    size_t n_files;       // looked at
    survey_tally wrapped; // Go: errors wrapped with %w
    uint32_t n_raised, n_functions;
} text_habits;

static ken_str name_at(ken_str text)
{
    size_t n = 0;
    while (n < text.len && (ken_is_word(text.ptr[n]) || text.ptr[n] == '.'))
        n++;
    return ken_str_sub(text, 0, n);
}

// Names of error types that are raised: "raise X(", "throw new X(".
static void count_raised(text_habits *t, ken_str line)
{
    static const char *const starts[] = { "raise ", "throw new " };
    for (size_t i = 0; i < 2; i++) {
        if (!ken_str_starts(line, ken_str_c(starts[i])))
            continue;
        ken_str rest = ken_str_sub(line, strlen(starts[i]), line.len), name = name_at(rest);
        if (name.len && name.len < rest.len && rest.ptr[name.len] == '(') {
            t->n_raised++;
            ken_survey__words_add(&t->raised, name, t->v->arena);
        }
    }
}

// `fmt.Errorf("…", err)`.
static void count_wrapped(text_habits *t, ken_str line, ken_str path, uint32_t n)
{
    size_t at = ken_str_find(line, KEN_STR("fmt.Errorf(\""));
    if (at == SIZE_MAX || !ken_str_ends(line, KEN_STR("err)")))
        return;
    bool is_wrapped = ken_str_find(ken_str_sub(line, at, line.len), KEN_STR("%w")) != SIZE_MAX;
    ken_survey__count(&t->wrapped, is_wrapped, (ken_survey_place){ path, n, n, false });
}

// "ken_status" of "ken_status ken_fs_read(int fd, …)", "Result" of "fn f() -> Result<T>".
static ken_str returned_type(ken_str signature, bool is_rust)
{
    size_t at = ken_str_find(signature, KEN_STR("->"));
    if (is_rust)
        return at == SIZE_MAX
                   ? KEN_STR("")
                   : name_at(ken_str_trim(ken_str_sub(signature, at + 2, signature.len)));
    ken_str name = name_at(signature);
    bool is_type = name.len < signature.len && signature.ptr[name.len] == ' ';
    return is_type ? name : KEN_STR("");
}

static void count_returned(text_habits *t, const ken_file_view *view)
{
    bool is_rust = !strcmp(t->l->name, "Rust");
    if (!is_rust && strcmp(t->l->name, "C") != 0)
        return;
    for (uint32_t i = 0; i < view->facts->n_symbols; i++) {
        const ken_symbol *s = &view->facts->symbols[i];
        bool is_seen = is_rust ? s->visibility == KEN_VISIBILITY_PUBLIC
                               : s->visibility != KEN_VISIBILITY_PRIVATE;
        if (!is_seen || (s->kind != KEN_SYMBOL_FUNCTION && s->kind != KEN_SYMBOL_METHOD))
            continue;
        t->n_functions++;
        ken_survey__words_add(
            &t->returned,
            returned_type(ken_str_sub(view->text, s->signature.start, s->signature.end), is_rust),
            t->v->arena);
    }
}

static void look_into(text_habits *t, const survey_file *f)
{
    ken_file_view view;
    if (ken_view_file(t->v->s, f->path, t->v->arena, &view, NULL))
        return;
    ken_str rest = view.text, line;
    t->n_files++;
    bool is_go = ken_str_eq_c(f->ext, "go");
    for (uint32_t n = 0; ken_str_line_next(&rest, &line); n++) {
        ken_str trimmed = ken_str_trim(line);
        if (is_go)
            count_wrapped(t, trimmed, f->path, n);
        else
            count_raised(t, trimmed);
    }
    count_returned(t, &view);
}

// The language's own error types are no habit.
static bool is_own_class(const survey *v, ken_str name)
{
    size_t dot = ken_str_rfind_char(name, '.');
    name = dot == SIZE_MAX ? name : ken_str_sub(name, dot + 1, name.len);
    for (size_t i = 0; i < v->defs.n; i++)
        if (ken_symbol_is_type(v->defs.items[i].kind) && ken_str_eq(v->defs.items[i].name, name))
            return true;
    return false;
}

static void say_raised(text_habits *t)
{
    survey *v = t->v;
    ken_survey__words_sort(&t->raised);
    if (t->n_raised < CASES_MIN || !t->raised.items.len)
        return;
    survey_word top = t->raised.items.ptr[0];
    survey_tally c = { .n_for = top.n, .n_all = t->n_raised };
    bool is_rule = ken_survey__is_habit(&c) && is_own_class(v, top.text);
    ken_buf text = KEN_BUF_INIT(1024);
    for (size_t i = 0; i < t->raised.items.len && i < 5; i++)
        ken_buf_printf(&text, "%s`" KEN_STR_FMT "` %u", i ? ", " : "",
                       KEN_STR_ARG(t->raised.items.ptr[i].text), t->raised.items.ptr[i].n);
    ken_finding *f = ken_survey__add(
        v, KEN_SURVEY_ERRORS, 86, ken_arena_printf(v->arena, "raised errors %s", t->l->name), &c);
    f->rule = is_rule
                  ? ken_arena_printf(v->arena, "Errors in %s %s be raised as `" KEN_STR_FMT "`.",
                                     t->l->name, ken_survey__must(&c), KEN_STR_ARG(top.text))
                  : ken_arena_printf(v->arena, "Errors raised most in %s: " KEN_STR_FMT ".",
                                     t->l->name, KEN_STR_ARG(ken_buf_str(&text)));
    f->evidence = is_rule ? ken_arena_printf(v->arena, "%u of %u places in %zu files looked at",
                                             c.n_for, c.n_all, t->n_files)
                          : ken_arena_printf(v->arena, "%u places in %zu files looked at", c.n_all,
                                             t->n_files);
    f->is_fact = !is_rule;
    ken_buf_release(&text);
}

static bool is_error_type(ken_str name)
{
    static const char *const parts[] = { "status", "error", "result", "err",
                                         "Status", "Error", "Result" };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (ken_str_find(name, ken_str_c(parts[i])) != SIZE_MAX)
            return true;
    return false;
}

static void say_returned(text_habits *t)
{
    survey *v = t->v;
    ken_survey__words_sort(&t->returned);
    for (size_t i = 0; i < t->returned.items.len; i++) {
        survey_word w = t->returned.items.ptr[i];
        if (!is_error_type(w.text) || w.n < CASES_MIN || w.n * 5 < t->n_functions)
            continue;
        survey_tally c = { .n_for = w.n, .n_all = t->n_functions };
        bool is_rule = ken_survey__is_habit(&c);
        ken_finding *f =
            ken_survey__add(v, KEN_SURVEY_ERRORS, 70,
                            ken_arena_printf(v->arena, "returned errors %s", t->l->name), &c);
        f->rule = ken_arena_printf(v->arena, "Public functions in %s%s return `" KEN_STR_FMT "`.",
                                   t->l->name, is_rule ? " SHOULD" : " that can fail",
                                   KEN_STR_ARG(w.text));
        f->evidence = ken_arena_printf(v->arena, "%u of %u public functions in %zu files looked at",
                                       w.n, t->n_functions, t->n_files);
        f->is_fact = !is_rule;
        return;
    }
}

static void say_wrapped(text_habits *t)
{
    if (!ken_survey__is_habit(&t->wrapped))
        return;
    ken_finding *f =
        ken_survey__add(t->v, KEN_SURVEY_ERRORS, 60, KEN_STR("wrapped errors Go"), &t->wrapped);
    f->rule =
        ken_arena_printf(t->v->arena, "Errors given to `fmt.Errorf` %s be wrapped with `%%w`.",
                         ken_survey__must(&t->wrapped));
    f->evidence = ken_arena_printf(t->v->arena, "%u of %u calls in %zu files looked at",
                                   t->wrapped.n_for, t->wrapped.n_all, t->n_files);
}

static void look_at_language(survey *v, const language *l)
{
    text_habits t = { .v = v, .l = l };
    size_t n = 0, at = 0;
    for (size_t i = 0; i < v->n_files; i++)
        n += v->files[i].is_code && !v->files[i].is_aside && has_ext(l->exts, v->files[i].ext);
    if (n < CASES_MIN)
        return;
    ken_survey__words_init(&t.raised);
    ken_survey__words_init(&t.returned);
    for (size_t i = 0; i < v->n_files; i++) {
        const survey_file *f = &v->files[i];
        if (!f->is_code || f->is_aside || !has_ext(l->exts, f->ext))
            continue;
        if (at++ % ((n + SAMPLE - 1) / SAMPLE) == 0) // at most SAMPLE, evenly
            look_into(&t, f);
    }
    say_raised(&t);
    say_returned(&t);
    say_wrapped(&t);
    ken_survey__words_release(&t.raised);
    ken_survey__words_release(&t.returned);
}

ken_status ken_survey__errors(survey *v, ken_err *err)
{
    ken_status st = KEN_OK;
    for (size_t i = 0; !st && i < N_LANGUAGES; i++) {
        look_at_language(v, &languages[i]);
        st = ken_cancel_check(v->o->cancel, err);
    }
    return st;
}
