// SPDX-License-Identifier: MIT
// How components are written: what is exported from .tsx and .jsx files under a name that begins
// with a capital, and hooks. Vue's are looked at as text.
#include "base/path.h"
#include "survey/survey_priv.h"

enum {
    VUE_MAX = 300, // files read
    VUE_MIN = 2,   // that are worth a description
    LINES_SHOWN = 24
};

static bool is_component_file(const survey *v, ken_str path)
{
    ken_str ext = ken_path_ext(path);
    const survey_file *f = ken_survey__file_of(v, path);
    return f && !f->is_aside && (ken_str_eq_c(ext, "tsx") || ken_str_eq_c(ext, "jsx")) &&
           ken_str_find(path, KEN_STR(".stories.")) == SIZE_MAX;
}

static bool is_capital(ken_str name)
{
    return name.len > 1 && ken_is_upper(name.ptr[0]) && name.ptr[1] >= 'a' && name.ptr[1] <= 'z';
}

static bool is_component(const ken_definition_fact *d)
{
    bool is_kind = d->kind == KEN_SYMBOL_FUNCTION || d->kind == KEN_SYMBOL_CLASS;
    return is_kind && d->is_exported && !d->is_inside && is_capital(d->name);
}

static ken_survey_place place_of(const ken_definition_fact *d)
{
    return (ken_survey_place){ d->path, d->first_line, d->last_line, false };
}

// ---- one file ----------------------------------------------------------------------------------

typedef struct component_file {
    const ken_definition_fact *first; // component; NULL = none
    uint32_t n_components;
    bool has_props; // a type called …Props
} component_file;

typedef struct components {
    survey *v;
    survey_tally alone, named, typed;
} components;

static void count_file(components *c, const component_file *f)
{
    if (!f->first)
        return;
    ken_str stem = ken_path_stem(f->first->path);
    if (ken_str_eq_c(stem, "index"))
        stem = ken_path_base(ken_path_dir(f->first->path));
    ken_survey__count(&c->alone, f->n_components == 1, ken_survey__whole(f->first->path));
    ken_survey__count(&c->named, ken_str_eq(stem, f->first->name),
                      ken_survey__whole(f->first->path));
    if (ken_str_eq_c(ken_path_ext(f->first->path), "tsx") && f->n_components == 1)
        ken_survey__count(&c->typed, f->has_props, place_of(f->first));
}

static void count_all(components *c)
{
    const survey *v = c->v;
    component_file f = { .n_components = 0 };
    for (size_t i = 0; i < v->defs.n; i++) {
        const ken_definition_fact *d = &v->defs.items[i];
        bool is_new = i && !ken_str_eq(d->path, v->defs.items[i - 1].path);
        if (is_new) {
            count_file(c, &f);
            f = (component_file){ .n_components = 0 };
        }
        if (!is_component_file(v, d->path))
            continue;
        f.has_props |= ken_str_ends(d->name, KEN_STR("Props"));
        if (!is_component(d))
            continue;
        f.n_components++;
        if (!f.first)
            f.first = d;
    }
    count_file(c, &f);
}

// ---- said --------------------------------------------------------------------------------------

static void say(survey *v, const char *id, const survey_tally *t, const char *rule,
                const char *of_what)
{
    if (!ken_survey__is_habit(t))
        return;
    ken_finding *f = ken_survey__add(v, KEN_SURVEY_COMPONENTS, 34, ken_str_c(id), t);
    const char *slot = strstr(rule, "MUST");
    f->rule = ken_arena_printf(v->arena, "%.*s%s%s", (int)(slot - rule), rule, ken_survey__must(t),
                               slot + 4);
    f->evidence = ken_arena_printf(v->arena, "%u of %u %s", t->n_for, t->n_all, of_what);
}

static bool is_hook(ken_str name)
{
    return name.len > 3 && ken_str_starts(name, KEN_STR("use")) && ken_is_upper(name.ptr[3]);
}

// "useAuth.ts" and "use-auth.ts" hold hooks, and so does what stands in a folder of hooks.
static bool is_hook_file(ken_str path)
{
    static const char *const folders[] = { "hooks", "composables" };
    ken_str stem = ken_path_stem(path);
    return is_hook(stem) || ken_str_starts(stem, KEN_STR("use-")) ||
           ken_survey__has_folder(path, folders, 2);
}

static void find_hooks(survey *v)
{
    survey_tally t = { .n_all = 0 };
    for (size_t i = 0; i < v->defs.n; i++) {
        const ken_definition_fact *d = &v->defs.items[i];
        const survey_file *f = ken_survey__file_of(v, d->path);
        if (d->kind == KEN_SYMBOL_FUNCTION && d->is_exported && is_hook(d->name) && f &&
            !f->is_aside)
            ken_survey__count(&t, is_hook_file(d->path), place_of(d));
    }
    say(v, "hooks", &t, "Hooks MUST stand in a folder `hooks` or a file called after them.",
        "exported hooks");
}

// The folder that holds what a tally counted, as a glob; none when that is the root.
static ken_str folder_around(const ken_survey_place *files, size_t n)
{
    ken_str common = n ? ken_path_dir(files[0].path) : KEN_STR("");
    for (size_t i = 1; i < n; i++)
        while (common.len && !ken_survey__is_under(files[i].path, common))
            common = ken_path_dir(common);
    return common;
}

// As many of a file's lines as are worth a look.
static ken_survey_place first_lines(ken_str path, ken_str text)
{
    uint32_t n = 0;
    ken_str line;
    while (n < LINES_SHOWN && ken_str_line_next(&text, &line))
        n++;
    return (ken_survey_place){ path, 0, n ? n - 1 : 0, false };
}

// What a component is here, whatever its habits: nothing to obey, something to copy.
static void tell_vue(survey *v, const ken_survey_place *files, size_t n)
{
    survey_tally t = { .n_all = 0 };
    ken_str folder = folder_around(files, n);
    for (size_t i = 0; i < n; i++)
        ken_survey__count(&t, true, files[i]);
    if (n < VUE_MIN)
        return;
    ken_finding *f = ken_survey__add(v, KEN_SURVEY_COMPONENTS, 10, KEN_STR("components vue"), &t);
    f->rule =
        ken_arena_printf(v->arena, "Components are Vue files%s" KEN_STR_FMT "%s.",
                         folder.len ? ", in `" : "", KEN_STR_ARG(folder), folder.len ? "`" : "");
    f->evidence = ken_arena_printf(v->arena, "%u components with a script", t.n_all);
    f->is_fact = true;
}

static void find_vue(survey *v)
{
    survey_tally setup = { .n_all = 0 }, typed = setup, props = setup;
    ken_survey_place *seen = KEN_ARENA_ARRAY(v->arena, ken_survey_place, VUE_MAX);
    size_t n_seen = 0;
    for (size_t i = 0; i < v->n_files && setup.n_all < VUE_MAX; i++) {
        const survey_file *f = &v->files[i];
        ken_file_view view;
        if (!ken_str_eq_c(f->ext, "vue") || f->is_aside ||
            ken_view_file(v->s, f->path, v->arena, &view, NULL))
            continue;
        size_t at = ken_str_find(view.text, KEN_STR("<script"));
        if (at == SIZE_MAX)
            continue;
        ken_str rest = ken_str_sub(view.text, at, view.text.len);
        size_t declared = ken_str_find(rest, KEN_STR("defineProps"));
        seen[n_seen++] = first_lines(f->path, view.text);
        if (declared != SIZE_MAX)
            ken_survey__count(
                &props,
                ken_str_starts(ken_str_sub(rest, declared, rest.len), KEN_STR("defineProps<")),
                ken_survey__whole(f->path));
        ken_str tag = ken_str_sub(rest, 0, ken_str_find_char(rest, '>'));
        ken_survey__count(&setup, ken_str_find(tag, KEN_STR(" setup")) != SIZE_MAX,
                          ken_survey__whole(f->path));
        ken_survey__count(&typed, ken_str_find(tag, KEN_STR("lang=\"ts\"")) != SIZE_MAX,
                          ken_survey__whole(f->path));
    }
    say(v, "vue setup", &setup, "Vue components MUST use `<script setup>`.", "components");
    say(v, "vue typescript", &typed,
        "Vue components MUST be written in TypeScript (`lang=\"ts\"`).", "components");
    say(v, "vue props", &props,
        "Props of Vue components MUST be declared by a type (`defineProps<…>()`).",
        "components with `defineProps`");
    tell_vue(v, seen, n_seen);
}

void ken_survey__components(survey *v)
{
    components c = { .v = v };
    count_all(&c);
    say(v, "one component a file", &c.alone, "A file MUST export one component.",
        "files that export components");
    say(v, "files called after components", &c.named, "A component's file MUST be called after it.",
        "files that export components");
    say(v, "types of props", &c.typed,
        "A component's props MUST have a type whose name ends in `Props`, in the same file.",
        ".tsx files that export one component");
    find_hooks(v);
    find_vue(v);
}
