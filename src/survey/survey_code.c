// SPDX-License-Identifier: MIT
// Habits inside of files: sizes, comments on what others use, the first lines, what nobody calls,
// how errors are raised and passed on. What takes a look at the text is looked for in at most
// SAMPLE files of a language, spread evenly over the tree; the evidence says how many there were.
#include <stdlib.h>

#include "base/path.h"
#include "base/utf8.h"
#include "survey/survey_priv.h"

enum {
    SAMPLE = 200,
    SIZE_CASES = 50,
    DOC_CASES = 20,
    ABSENT_FILES = 40, // files of a language in which nobody calls something
    PERCENTILE = 95,
    HEAD_MAX = 160, // bytes of a first line
    HEAD_LINES = 60
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

static bool is_aside(const survey *v, ken_str path)
{
    const survey_file *f = survey_file_of(v, path);
    return !f || f->is_aside;
}

static ken_survey_place place_of(const ken_definition_fact *d)
{
    return (ken_survey_place){ d->path, d->first_line, d->last_line, false };
}

// ---- sizes -------------------------------------------------------------------------------------

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t rounded(uint32_t n)
{
    uint32_t step = n <= 30 ? 5 : n <= 100 ? 10 : n <= 300 ? 50 : 100;
    return (n + step - 1) / step * step;
}

static uint32_t measure(const ken_definition_fact *d, ken_rule_measure what)
{
    return what == KEN_MEASURE_PARAMETERS ? d->max_params : d->last_line - d->first_line + 1;
}

static void find_size(survey *v, ken_rule_measure what, const char *word, const char *unit)
{
    uint32_t *sizes = KEN_ARENA_ARRAY(v->arena, uint32_t, v->defs.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < v->defs.n; i++)
        if (ken_symbol_is_callable(v->defs.items[i].kind) &&
            v->defs.items[i].kind != KEN_SYMBOL_MACRO)
            sizes[n++] = measure(&v->defs.items[i], what);
    if (n < SIZE_CASES)
        return;
    qsort(sizes, n, sizeof *sizes, by_number);
    uint32_t p95 = sizes[n * PERCENTILE / 100], longest = sizes[n - 1];
    uint32_t value = what == KEN_MEASURE_PARAMETERS ? p95 : rounded(p95);
    if (!value)
        return;
    survey_tally t = { .n_all = 0 };
    for (size_t i = 0; i < v->defs.n; i++) {
        const ken_definition_fact *d = &v->defs.items[i];
        if (ken_symbol_is_callable(d->kind) && d->kind != KEN_SYMBOL_MACRO)
            survey_count(&t, measure(d, what) <= value, place_of(d));
    }
    t.n_yes = 0; // that a function is short needs no example
    ken_finding *f =
        survey_add(v, KEN_SURVEY_STYLE, ken_arena_printf(v->arena, "max %s", word), &t);
    f->rule = ken_arena_printf(v->arena, "A function %s have at most %u %s.", survey_must(&t),
                               value, unit);
    f->evidence =
        ken_arena_printf(v->arena,
                         "%u of %u functions and methods; half have at most %u, %d %% at "
                         "most %u, the largest %s%u",
                         t.n_for, t.n_all, sizes[n / 2], PERCENTILE, p95,
                         longest == 255 && what == KEN_MEASURE_PARAMETERS ? ">= " : "", longest);
    f->check = (ken_rule_check){ .kind = KEN_CHECK_MAX, .measure = what, .value = value };
}

// ---- comments ----------------------------------------------------------------------------------

static void find_docs(survey *v, const language *l)
{
    survey_tally t = { .n_all = 0 };
    for (size_t i = 0; i < v->defs.n; i++) {
        const ken_definition_fact *d = &v->defs.items[i];
        bool is_public = d->visibility == KEN_VISIBILITY_PUBLIC || d->is_exported;
        bool is_seen =
            is_public && d->visibility != KEN_VISIBILITY_PRIVATE && !d->is_test && !d->is_inside;
        bool is_kind = d->kind == KEN_SYMBOL_FUNCTION || d->kind == KEN_SYMBOL_METHOD ||
                       ken_symbol_is_type(d->kind);
        if (is_seen && is_kind && has_ext(l->exts, ken_path_ext(d->path)) && !is_aside(v, d->path))
            survey_count(&t, d->has_doc, place_of(d));
    }
    if (t.n_all < DOC_CASES || !survey_is_habit(&t))
        return;
    ken_finding *f =
        survey_add(v, KEN_SURVEY_STYLE, ken_arena_printf(v->arena, "doc comments %s", l->name), &t);
    f->rule = ken_arena_printf(
        v->arena, "Public functions and types in %s %s have a comment that documents them.",
        l->name, survey_must(&t));
    f->evidence = ken_arena_printf(v->arena, "%u of %u public functions, methods and types",
                                   t.n_for, t.n_all);
}

// ---- what nobody calls -------------------------------------------------------------------------

typedef struct shunned {
    const char *language, *exts;
    const char *names[4];
    const char *what;
} shunned;

static const shunned shunned_names[] = {
    { "JavaScript", "js,mjs,cjs,jsx", { "console.log" }, "printing to the console" },
    { "TypeScript", "ts,tsx", { "console.log" }, "printing to the console" },
    { "Python", "py", { "print" }, "printing" },
    { "Python", "py", { "eval", "exec" }, "running text as code" },
    { "Go", "go", { "fmt.Println", "fmt.Printf" }, "printing" },
    { "C", "c,h", { "strcpy", "strcat", "sprintf", "gets" }, "writing without a bound" },
    { "C", "c,h", { "malloc", "calloc", "realloc" }, "raw memory" },
    { "PHP", "php", { "var_dump", "print_r" }, "printing" },
};

static uint32_t files_of(const survey *v, const char *exts, ken_str folder)
{
    uint32_t n = 0;
    for (size_t i = 0; i < v->n_files; i++) {
        const survey_file *f = &v->files[i];
        n +=
            f->is_code && !f->is_aside && has_ext(exts, f->ext) && survey_is_under(f->path, folder);
    }
    return n;
}

// The folder at the top that has most files of a language.
static ken_str main_folder(const survey *v, const char *exts)
{
    survey_words tops;
    survey_words_init(&tops);
    for (size_t i = 0; i < v->n_files; i++) {
        size_t slash = ken_str_find_char(v->files[i].path, '/');
        if (slash != SIZE_MAX && has_ext(exts, v->files[i].ext) && !v->files[i].is_aside)
            survey_words_add(&tops, ken_str_sub(v->files[i].path, 0, slash), v->arena);
    }
    survey_words_sort(&tops);
    ken_str out = tops.items.len ? tops.items.ptr[0].text : KEN_STR("");
    survey_words_release(&tops);
    return out;
}

static void say_shunned(survey *v, const shunned *x, ken_str folder, const ken_str_list *names)
{
    uint32_t n_files = files_of(v, x->exts, folder);
    if (n_files < ABSENT_FILES)
        return;
    survey_tally t = { .n_for = n_files, .n_all = n_files };
    ken_buf text = KEN_BUF_INIT(512);
    for (size_t i = 0; i < names->n; i++)
        ken_buf_printf(&text, "%s`" KEN_STR_FMT "`",
                       !i                  ? ""
                       : i + 1 == names->n ? " or "
                                           : ", ",
                       KEN_STR_ARG(names->items[i]));
    ken_str where =
        folder.len ? ken_arena_printf(v->arena, " under `" KEN_STR_FMT "`", KEN_STR_ARG(folder))
                   : KEN_STR("");
    ken_finding *f = survey_add(v, KEN_SURVEY_STYLE,
                                ken_arena_printf(v->arena, "no " KEN_STR_FMT " %s",
                                                 KEN_STR_ARG(names->items[0]), x->language),
                                &t);
    f->rule =
        ken_arena_printf(v->arena, "%s code" KEN_STR_FMT " MUST NOT use " KEN_STR_FMT " (%s).",
                         x->language, KEN_STR_ARG(where), KEN_STR_ARG(ken_buf_str(&text)), x->what);
    f->evidence = ken_arena_printf(v->arena, "0 uses in %u files", n_files);
    f->check = (ken_rule_check){ .kind = KEN_CHECK_FORBID_SYMBOL,
                                 .names = *names,
                                 .in = survey_list1(
                                     v->arena, survey_glob_ending(v->arena, folder, x->exts)) };
    ken_buf_release(&text);
}

static ken_status find_shunned(survey *v, const shunned *x, ken_err *err)
{
    ken_str main = main_folder(v, x->exts);
    if (files_of(v, x->exts, KEN_STR("")) < ABSENT_FILES)
        return KEN_OK;
    ken_str_list names = { KEN_ARENA_ARRAY(v->arena, ken_str, 4), 0 };
    for (size_t i = 0; i < 4 && x->names[i]; i++)
        names.items[names.n++] = ken_str_c(x->names[i]);
    ken_facts_scope scope = {
        .in = survey_list1(v->arena, survey_glob_ending(v->arena, KEN_STR(""), x->exts)),
        .except = v->vendored,
    };
    ken_name_uses uses;
    ken_status st = ken_list_name_uses(v->s, &scope, &names, v->o->cancel, v->arena, &uses, err);
    if (st)
        return st;
    size_t n_main = 0;
    for (size_t i = 0; i < uses.n; i++)
        n_main += survey_is_under(uses.items[i].path, main);
    if (!uses.n)
        say_shunned(v, x, KEN_STR(""), &names);
    else if (main.len && !n_main)
        say_shunned(v, x, main, &names);
    return KEN_OK;
}

ken_status survey_style(survey *v, ken_err *err)
{
    find_size(v, KEN_MEASURE_FUNCTION_LINES, "function lines", "lines");
    find_size(v, KEN_MEASURE_PARAMETERS, "parameters", "parameters");
    for (size_t i = 0; i < N_LANGUAGES; i++)
        find_docs(v, &languages[i]);
    ken_status st = KEN_OK;
    for (size_t i = 0; !st && i < sizeof shunned_names / sizeof *shunned_names; i++)
        st = find_shunned(v, &shunned_names[i], err);
    return st;
}

// ---- texts -------------------------------------------------------------------------------------

typedef struct text_habits {
    survey *v;
    const language *l;
    survey_words heads, raised, returned;
    KEN_VEC(ken_survey_place) files; // looked at
    KEN_VEC(ken_str) head_of;        // of each
    survey_tally wrapped;            // Go: errors wrapped with %w
    uint32_t n_raised, n_functions;
} text_habits;

// Lines that switch something on for the whole file.
static bool is_directive(ken_str line)
{
    static const char *const lines[] = { "'use strict'",
                                         "'use strict';",
                                         "\"use strict\";",
                                         "from __future__ import annotations",
                                         "declare(strict_types=1);",
                                         "# frozen_string_literal: true" };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (ken_str_eq_c(line, lines[i]))
            return true;
    return false;
}

// The line that a file begins with: a directive near its top, else the first that says something;
// "#!" lines and "<?php" are passed over.
static ken_str head_line(ken_str text)
{
    ken_str line, first = KEN_STR("");
    for (int n = 0; n < HEAD_LINES && ken_str_line_next(&text, &line); n++) {
        line = ken_utf8_clip(ken_str_trim(line), HEAD_MAX);
        if (is_directive(line))
            return line;
        bool is_passed = ken_str_starts(line, KEN_STR("#!")) || ken_str_eq_c(line, "<?php");
        if (!first.len && !is_passed)
            first = line;
    }
    return first;
}

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
            survey_words_add(&t->raised, name, t->v->arena);
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
    survey_count(&t->wrapped, is_wrapped, (ken_survey_place){ path, n, n, false });
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
        survey_words_add(
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
    ken_str head = head_line(view.text), rest = view.text, line;
    survey_words_add(&t->heads, head, t->v->arena);
    ken_vec_push(&t->files, survey_whole(f->path));
    ken_vec_push(&t->head_of, head);
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

static bool is_comment(ken_str line)
{
    static const char *const starts[] = { "//", "/*", "#" };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (ken_str_starts(line, ken_str_c(starts[i])) && line.len > strlen(starts[i]) + 2)
            return true;
    return false;
}

static void say_head(text_habits *t)
{
    survey_words_sort(&t->heads);
    ken_str head = t->heads.items.len ? t->heads.items.ptr[0].text : KEN_STR("");
    survey_tally c = { .n_all = 0 };
    for (size_t i = 0; i < t->files.len; i++)
        survey_count(&c, ken_str_eq(t->head_of.ptr[i], head), t->files.ptr[i]);
    bool is_include =
        ken_str_starts(head, KEN_STR("#include")) || ken_str_starts(head, KEN_STR("#ifndef"));
    if ((!is_directive(head) && !is_comment(head)) || is_include || !survey_is_habit(&c) ||
        memchr(head.ptr, '`', head.len))
        return;
    survey *v = t->v;
    ken_finding *f = survey_add(v, KEN_SURVEY_STYLE,
                                ken_arena_printf(v->arena, "first line %s", t->l->name), &c);
    f->rule = ken_arena_printf(v->arena, "%s files %s %s the line `" KEN_STR_FMT "`.", t->l->name,
                               survey_must(&c), is_directive(head) ? "have" : "begin with",
                               KEN_STR_ARG(head));
    f->evidence = ken_arena_printf(v->arena, "%u of %u files looked at", c.n_for, c.n_all);
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
    survey_words_sort(&t->raised);
    if (t->n_raised < KEN_SURVEY_CASES || !t->raised.items.len)
        return;
    survey_word top = t->raised.items.ptr[0];
    survey_tally c = { .n_for = top.n, .n_all = t->n_raised };
    bool is_rule = survey_is_habit(&c) && is_own_class(v, top.text);
    ken_buf text = KEN_BUF_INIT(1024);
    for (size_t i = 0; i < t->raised.items.len && i < 5; i++)
        ken_buf_printf(&text, "%s`" KEN_STR_FMT "` %u", i ? ", " : "",
                       KEN_STR_ARG(t->raised.items.ptr[i].text), t->raised.items.ptr[i].n);
    ken_finding *f = survey_add(v, KEN_SURVEY_ERRORS,
                                ken_arena_printf(v->arena, "raised errors %s", t->l->name), &c);
    f->rule = is_rule
                  ? ken_arena_printf(v->arena, "Errors in %s %s be raised as `" KEN_STR_FMT "`.",
                                     t->l->name, survey_must(&c), KEN_STR_ARG(top.text))
                  : ken_arena_printf(v->arena, "Errors raised most in %s: " KEN_STR_FMT ".",
                                     t->l->name, KEN_STR_ARG(ken_buf_str(&text)));
    f->evidence = is_rule ? ken_arena_printf(v->arena, "%u of %u places in %zu files looked at",
                                             c.n_for, c.n_all, t->files.len)
                          : ken_arena_printf(v->arena, "%u places in %zu files looked at", c.n_all,
                                             t->files.len);
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
    survey_words_sort(&t->returned);
    for (size_t i = 0; i < t->returned.items.len; i++) {
        survey_word w = t->returned.items.ptr[i];
        if (!is_error_type(w.text) || w.n < KEN_SURVEY_CASES || w.n * 5 < t->n_functions)
            continue;
        survey_tally c = { .n_for = w.n, .n_all = t->n_functions };
        bool is_rule = survey_is_habit(&c);
        ken_finding *f = survey_add(
            v, KEN_SURVEY_ERRORS, ken_arena_printf(v->arena, "returned errors %s", t->l->name), &c);
        f->rule = ken_arena_printf(v->arena, "Public functions in %s%s return `" KEN_STR_FMT "`.",
                                   t->l->name, is_rule ? " SHOULD" : " that can fail",
                                   KEN_STR_ARG(w.text));
        f->evidence = ken_arena_printf(v->arena, "%u of %u public functions in %zu files looked at",
                                       w.n, t->n_functions, t->files.len);
        f->is_fact = !is_rule;
        return;
    }
}

static void say_wrapped(text_habits *t)
{
    if (!survey_is_habit(&t->wrapped))
        return;
    ken_finding *f = survey_add(t->v, KEN_SURVEY_ERRORS, KEN_STR("wrapped errors Go"), &t->wrapped);
    f->rule =
        ken_arena_printf(t->v->arena, "Errors given to `fmt.Errorf` %s be wrapped with `%%w`.",
                         survey_must(&t->wrapped));
    f->evidence = ken_arena_printf(t->v->arena, "%u of %u calls in %zu files looked at",
                                   t->wrapped.n_for, t->wrapped.n_all, t->files.len);
}

static void look_at_language(survey *v, const language *l)
{
    text_habits t = { .v = v, .l = l };
    size_t n = 0, at = 0;
    for (size_t i = 0; i < v->n_files; i++)
        n += v->files[i].is_code && !v->files[i].is_aside && has_ext(l->exts, v->files[i].ext);
    if (n < KEN_SURVEY_CASES)
        return;
    survey_words_init(&t.heads);
    survey_words_init(&t.raised);
    survey_words_init(&t.returned);
    for (size_t i = 0; i < v->n_files; i++) {
        const survey_file *f = &v->files[i];
        if (!f->is_code || f->is_aside || !has_ext(l->exts, f->ext))
            continue;
        if (at++ % ((n + SAMPLE - 1) / SAMPLE) == 0) // at most SAMPLE, evenly
            look_into(&t, f);
    }
    say_head(&t);
    say_raised(&t);
    say_returned(&t);
    say_wrapped(&t);
    survey_words_release(&t.heads);
    survey_words_release(&t.raised);
    survey_words_release(&t.returned);
    ken_vec_release(&t.files);
    ken_vec_release(&t.head_of);
}

ken_status survey_errors(survey *v, ken_err *err)
{
    ken_status st = KEN_OK;
    for (size_t i = 0; !st && i < N_LANGUAGES; i++) {
        look_at_language(v, &languages[i]);
        st = ken_cancel_check(v->o->cancel, err);
    }
    return st;
}
