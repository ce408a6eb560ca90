// SPDX-License-Identifier: MIT
// Where the front end and the back end are. A folder is one when its manifest depends on a
// framework of that side (survey_marks below), or, in a folder whose name says it (`frontend`,
// `api`), when it has a manifest of a kind that is enough there. A front end also has files that
// draw something; what is only there to document, to show or to test is none.
#include <stdlib.h>

#include "base/path.h"
#include "manifest/manifest.h"
#include "survey/survey_priv.h"

enum {
    MANIFESTS_MAX = 400, // read; the ones nearest to the root
    SIDE_FRONT = 1,
    SIDE_BACK = 2,
};

typedef struct survey_mark {
    ken_manifest_kind kind;
    int side;
    const char *dep;   // one that ends in '*' is a prefix
    const char *stack; // what it is called
} survey_mark;

// The first that is there names the stack.
static const survey_mark marks[] = {
    { KEN_MANIFEST_NPM, SIDE_FRONT, "next", "next" },
    { KEN_MANIFEST_NPM, SIDE_FRONT, "nuxt", "nuxt" },
    { KEN_MANIFEST_NPM, SIDE_FRONT, "@sveltejs/kit", "sveltekit" },
    { KEN_MANIFEST_NPM, SIDE_FRONT, "@remix-run/react", "remix" },
    { KEN_MANIFEST_NPM, SIDE_FRONT, "astro", "astro" },
    { KEN_MANIFEST_NPM, SIDE_FRONT, "gatsby", "gatsby" },
    { KEN_MANIFEST_NPM, SIDE_FRONT, "@angular/core", "angular" },
    { KEN_MANIFEST_NPM, SIDE_FRONT, "angular", "angular" },
    { KEN_MANIFEST_NPM, SIDE_FRONT, "vue", "vue" },
    { KEN_MANIFEST_NPM, SIDE_FRONT, "svelte", "svelte" },
    { KEN_MANIFEST_NPM, SIDE_FRONT, "solid-js", "solid" },
    { KEN_MANIFEST_NPM, SIDE_FRONT, "preact", "preact" },
    { KEN_MANIFEST_NPM, SIDE_FRONT, "react", "react" },
    { KEN_MANIFEST_NPM, SIDE_FRONT, "react-dom", "react" },
    { KEN_MANIFEST_NPM, SIDE_FRONT, "vite", "vite" },
    { KEN_MANIFEST_NPM, SIDE_BACK, "@nestjs/core", "nestjs" },
    { KEN_MANIFEST_NPM, SIDE_BACK, "express", "express" },
    { KEN_MANIFEST_NPM, SIDE_BACK, "fastify", "fastify" },
    { KEN_MANIFEST_NPM, SIDE_BACK, "koa", "koa" },
    { KEN_MANIFEST_NPM, SIDE_BACK, "@hapi/hapi", "hapi" },
    { KEN_MANIFEST_NPM, SIDE_BACK, "hono", "hono" },
    { KEN_MANIFEST_NPM, SIDE_BACK, "restify", "restify" },
    { KEN_MANIFEST_PYTHON, SIDE_BACK, "django", "django" },
    { KEN_MANIFEST_PYTHON, SIDE_BACK, "fastapi", "fastapi" },
    { KEN_MANIFEST_PYTHON, SIDE_BACK, "flask", "flask" },
    { KEN_MANIFEST_PYTHON, SIDE_BACK, "litestar", "litestar" },
    { KEN_MANIFEST_PYTHON, SIDE_BACK, "starlette", "starlette" },
    { KEN_MANIFEST_PYTHON, SIDE_BACK, "sanic", "sanic" },
    { KEN_MANIFEST_PYTHON, SIDE_BACK, "tornado", "tornado" },
    { KEN_MANIFEST_PYTHON, SIDE_BACK, "aiohttp", "aiohttp" },
    { KEN_MANIFEST_PYTHON, SIDE_BACK, "falcon", "falcon" },
    { KEN_MANIFEST_PYTHON, SIDE_BACK, "bottle", "bottle" },
    { KEN_MANIFEST_PYTHON, SIDE_BACK, "pyramid", "pyramid" },
    { KEN_MANIFEST_GO, SIDE_BACK, "github.com/gin-gonic/gin", "gin" },
    { KEN_MANIFEST_GO, SIDE_BACK, "github.com/labstack/echo*", "echo" },
    { KEN_MANIFEST_GO, SIDE_BACK, "github.com/gofiber/fiber*", "fiber" },
    { KEN_MANIFEST_GO, SIDE_BACK, "github.com/go-chi/chi*", "chi" },
    { KEN_MANIFEST_GO, SIDE_BACK, "github.com/gorilla/mux", "gorilla/mux" },
    { KEN_MANIFEST_GO, SIDE_BACK, "google.golang.org/grpc", "grpc" },
    { KEN_MANIFEST_CARGO, SIDE_BACK, "axum", "axum" },
    { KEN_MANIFEST_CARGO, SIDE_BACK, "actix-web", "actix-web" },
    { KEN_MANIFEST_CARGO, SIDE_BACK, "rocket", "rocket" },
    { KEN_MANIFEST_CARGO, SIDE_BACK, "warp", "warp" },
    { KEN_MANIFEST_CARGO, SIDE_BACK, "poem", "poem" },
    { KEN_MANIFEST_CARGO, SIDE_BACK, "tonic", "tonic" },
    { KEN_MANIFEST_CARGO, SIDE_FRONT, "leptos", "leptos" },
    { KEN_MANIFEST_CARGO, SIDE_FRONT, "yew", "yew" },
    { KEN_MANIFEST_JVM, SIDE_BACK, "spring-boot*", "spring" },
    { KEN_MANIFEST_JVM, SIDE_BACK, "org.springframework.boot", "spring" },
    { KEN_MANIFEST_JVM, SIDE_BACK, "quarkus*", "quarkus" },
    { KEN_MANIFEST_JVM, SIDE_BACK, "io.quarkus", "quarkus" },
    { KEN_MANIFEST_JVM, SIDE_BACK, "micronaut*", "micronaut" },
    { KEN_MANIFEST_JVM, SIDE_BACK, "io.micronaut*", "micronaut" },
    { KEN_MANIFEST_JVM, SIDE_BACK, "ktor-server*", "ktor" },
    { KEN_MANIFEST_JVM, SIDE_BACK, "io.ktor.plugin", "ktor" },
    { KEN_MANIFEST_JVM, SIDE_BACK, "javalin", "javalin" },
    { KEN_MANIFEST_JVM, SIDE_BACK, "vertx-web", "vertx" },
    { KEN_MANIFEST_DOTNET, SIDE_BACK, "Microsoft.NET.Sdk.Web", "asp.net" },
    { KEN_MANIFEST_DOTNET, SIDE_BACK, "Microsoft.AspNetCore.App", "asp.net" },
    { KEN_MANIFEST_DOTNET, SIDE_FRONT, "Microsoft.NET.Sdk.BlazorWebAssembly", "blazor" },
    { KEN_MANIFEST_RUBY, SIDE_BACK, "rails", "rails" },
    { KEN_MANIFEST_RUBY, SIDE_BACK, "sinatra", "sinatra" },
    { KEN_MANIFEST_RUBY, SIDE_BACK, "hanami", "hanami" },
    { KEN_MANIFEST_RUBY, SIDE_BACK, "grape", "grape" },
    { KEN_MANIFEST_RUBY, SIDE_BACK, "roda", "roda" },
    { KEN_MANIFEST_PHP, SIDE_BACK, "laravel/framework", "laravel" },
    { KEN_MANIFEST_PHP, SIDE_BACK, "symfony/framework-bundle", "symfony" },
    { KEN_MANIFEST_PHP, SIDE_BACK, "slim/slim", "slim" },
    { KEN_MANIFEST_PHP, SIDE_BACK, "cakephp/cakephp", "cakephp" },
    { KEN_MANIFEST_PHP, SIDE_BACK, "yiisoft/yii2", "yii" },
    { KEN_MANIFEST_PHP, SIDE_BACK, "codeigniter4/framework", "codeigniter" },
    { KEN_MANIFEST_ELIXIR, SIDE_BACK, "phoenix", "phoenix" },
    { KEN_MANIFEST_ELIXIR, SIDE_BACK, "plug_cowboy", "plug" },
};

// Names of folders that say what is in them, the best first.
static const char *const front_names[] = { "frontend", "client", "web",    "webapp",
                                           "ui",       "app",    "website" };
static const char *const back_names[] = { "backend", "server", "api", "service", "services" };

#define N_OF(list) (sizeof(list) / sizeof *(list))

// Generators of documentation: what depends on them is no front end.
static const char *const doc_sites[] = { "@docusaurus/core", "vitepress", "vuepress", "nextra",
                                         "@astrojs/starlight" };

typedef struct detecting {
    survey *v;
    KEN_VEC(ken_survey_part) parts;
} detecting;

static size_t rank_of(ken_str path, const char *const *names, size_t n)
{
    ken_str base = ken_path_base(path);
    for (size_t i = 0; i < n; i++)
        if (ken_str_eq_c(base, names[i]))
            return i;
    return n;
}

// Deep in a tree of packages a name says less: `packages/server` may be a library for servers.
static bool is_named(ken_str path, int side)
{
    static const char *const homes[] = { "apps", "services" };
    size_t slash = ken_str_find_char(path, '/');
    if (slash != SIZE_MAX && !ken_survey__has_folder(path, homes, N_OF(homes)))
        return false;
    if (side == SIDE_FRONT) // S3's `src/` too, where it has a manifest of its own
        return rank_of(path, front_names, N_OF(front_names)) < N_OF(front_names) ||
               ken_str_eq_c(path, "src");
    return rank_of(path, back_names, N_OF(back_names)) < N_OF(back_names);
}

// ---- files that draw something -----------------------------------------------------------------

static bool is_ui_file(const survey_file *f)
{
    static const char *const exts[] = { "tsx", "jsx", "vue", "svelte", "astro", "razor" };
    ken_str base = ken_path_base(f->path);
    for (size_t i = 0; i < N_OF(exts); i++)
        if (ken_str_eq_c(f->ext, exts[i]))
            return true;
    return ken_str_eq_c(base, "index.html") || ken_str_eq_c(base, "app.html") ||
           ken_str_eq_c(base, "App.js") || ken_str_ends(base, KEN_STR(".component.ts"));
}

static bool has_package_between(const survey *v, ken_str folder, ken_str path)
{
    size_t root = ken_str_eq_c(folder, ".") ? 0 : folder.len;
    for (ken_str dir = ken_path_dir(path); dir.len > root; dir = ken_path_dir(dir))
        if (ken_survey__file_of(v, ken_path_join(v->arena, dir, KEN_STR("package.json"))))
            return true;
    return false;
}

static bool is_code_file(const survey_file *f)
{
    return f->is_code && ken_str_find(f->path, KEN_STR(".config.")) == SIZE_MAX;
}

// The folder has such a file that belongs to no package further down.
static bool has_own(const survey *v, ken_str folder, bool (*is_such)(const survey_file *f))
{
    for (size_t i = 0; i < v->n_files; i++) {
        const survey_file *f = &v->files[i];
        if (!f->is_aside && ken_survey__is_under(f->path, folder) && is_such(f) &&
            !has_package_between(v, folder, f->path))
            return true;
    }
    return false;
}

// ---- one manifest ------------------------------------------------------------------------------

static const survey_mark *mark_of(const ken_manifest *m, int side, bool with_dev)
{
    for (size_t i = 0; i < N_OF(marks); i++) {
        if (marks[i].kind != m->kind || marks[i].side != side)
            continue;
        const ken_manifest_dep *dep = ken_manifest_find(m, marks[i].dep);
        if (dep && (with_dev || !dep->is_dev))
            return &marks[i];
    }
    return NULL;
}

static bool is_doc_site(const ken_manifest *m)
{
    for (size_t i = 0; i < N_OF(doc_sites); i++)
        if (ken_manifest_find(m, doc_sites[i]))
            return true;
    return false;
}

// Tools of a front end are often dependencies of development only; then files must tell.
static const survey_mark *front_of(const survey *v, const ken_manifest *m, ken_str folder)
{
    const survey_mark *mark = mark_of(m, SIDE_FRONT, true);
    if (!mark || is_doc_site(m))
        return NULL;
    return is_named(folder, SIDE_FRONT) || has_own(v, folder, is_ui_file) ? mark : NULL;
}

// In a folder that says so, these are enough by themselves.
static const char *bare_stack(ken_manifest_kind kind)
{
    switch (kind) {
    case KEN_MANIFEST_PYTHON:
        return "python";
    case KEN_MANIFEST_GO:
        return "go";
    case KEN_MANIFEST_CARGO:
        return "rust";
    case KEN_MANIFEST_JVM:
        return "jvm";
    case KEN_MANIFEST_DOTNET:
        return ".net";
    case KEN_MANIFEST_RUBY:
        return "ruby";
    case KEN_MANIFEST_PHP:
        return "php";
    case KEN_MANIFEST_ELIXIR:
        return "elixir";
    case KEN_MANIFEST_NPM:
    case KEN_MANIFEST_NONE:
        break;
    }
    return NULL;
}

// The root of a tree of packages often lists what its packages depend on: it needs code of its own.
static const char *back_of(const survey *v, const ken_manifest *m, ken_str folder)
{
    bool says_so = is_named(folder, SIDE_BACK);
    const survey_mark *mark = mark_of(m, SIDE_BACK, says_so);
    if (mark && (m->kind != KEN_MANIFEST_NPM || says_so || has_own(v, folder, is_code_file)))
        return mark->stack;
    return says_so && !ken_str_eq_c(ken_path_base(folder), "services") ? bare_stack(m->kind) : NULL;
}

static ken_survey_part *part_at(detecting *d, ken_str folder)
{
    for (size_t i = 0; i < d->parts.len; i++)
        if (ken_str_eq(d->parts.ptr[i].path, folder))
            return &d->parts.ptr[i];
    return NULL;
}

static void add_part(detecting *d, ken_str folder, ken_str manifest_path, const char *stack,
                     int side)
{
    ken_survey_part *p = part_at(d, folder);
    if (!p) {
        ken_vec_push(&d->parts, ((ken_survey_part){ .path = folder, .manifest = manifest_path }));
        p = &d->parts.ptr[d->parts.len - 1];
    }
    if (!p->stack.len)
        p->stack = ken_str_c(stack);
    else if (!ken_str_eq_c(p->stack, stack))
        p->stack = ken_arena_printf(d->v->arena, KEN_STR_FMT ", %s", KEN_STR_ARG(p->stack), stack);
    p->is_frontend |= side == SIDE_FRONT;
    p->is_backend |= side == SIDE_BACK;
}

static void look_at(detecting *d, const survey_file *f)
{
    ken_file_view view;
    ken_err ignored = { 0 };
    if (ken_view_file(d->v->s, f->path, d->v->arena, &view, &ignored))
        return;
    ken_str dir = ken_path_dir(f->path), folder = dir.len ? dir : KEN_STR(".");
    ken_manifest m = { .kind = KEN_MANIFEST_NONE };
    ken_manifest_read(&m, f->path, view.text, d->v->arena);
    const survey_mark *front = front_of(d->v, &m, folder);
    const char *back = back_of(d->v, &m, folder);
    if (front)
        add_part(d, folder, f->path, front->stack, SIDE_FRONT);
    if (back)
        add_part(d, folder, f->path, back, SIDE_BACK);
    ken_manifest_release(&m);
}

// ---- routes without a framework ----------------------------------------------------------------

// A tree whose manifests name no framework, but whose code answers requests: the folder of the
// manifest nearest to the file that has most routes.
static void add_routed(detecting *d)
{
    survey *v = d->v;
    survey_words by_file;
    ken_survey__words_init(&by_file);
    for (size_t i = 0; i < v->n_handlers; i++)
        ken_survey__words_add(&by_file, v->handlers[i].route.file, v->arena);
    ken_survey__words_sort(&by_file);
    if (by_file.items.len && by_file.items.ptr[0].n >= 2) {
        ken_str file = by_file.items.ptr[0].text, folder = KEN_STR(".");
        const char *stack = "net/http";
        for (size_t i = 0; i < v->n_handlers; i++)
            if (ken_str_eq(v->handlers[i].route.file, file))
                stack = v->handlers[i].route.framework.ptr;
        for (size_t i = 0; i < v->n_files; i++) {
            ken_str dir = ken_path_dir(v->files[i].path);
            bool is_nearer = dir.len > folder.len || ken_str_eq_c(folder, ".");
            if (ken_manifest_kind_of(v->files[i].path) && dir.len && is_nearer &&
                ken_survey__is_under(file, dir))
                folder = dir;
        }
        add_part(d, folder, file, stack, SIDE_BACK);
    }
    ken_survey__words_release(&by_file);
}

// ---- the one that is meant ---------------------------------------------------------------------

static size_t depth_of(ken_str path)
{
    size_t n = !ken_str_eq_c(path, ".");
    for (size_t i = 0; i < path.len; i++)
        n += path.ptr[i] == '/';
    return n;
}

static size_t files_under(const survey *v, ken_str folder)
{
    size_t n = 0;
    for (size_t i = 0; i < v->n_files; i++)
        n += ken_survey__is_under(v->files[i].path, folder);
    return n;
}

// Smaller is better: a folder at the top whose name says it, the root, then deeper ones.
static size_t order_of(ken_str path, const char *const *names, size_t n)
{
    size_t depth = depth_of(path), rank = rank_of(path, names, n);
    if (depth == 1 && rank < n)
        return rank;
    if (depth == 0)
        return 100;
    return 100 + 100 * depth + rank;
}

static ken_str best_part(const detecting *d, int side)
{
    const char *const *names = side == SIDE_FRONT ? front_names : back_names;
    size_t n = side == SIDE_FRONT ? N_OF(front_names) : N_OF(back_names);
    const ken_survey_part *best = NULL;
    for (size_t i = 0; i < d->parts.len; i++) {
        const ken_survey_part *p = &d->parts.ptr[i];
        if (!(side == SIDE_FRONT ? p->is_frontend : p->is_backend))
            continue;
        size_t a = order_of(p->path, names, n), b = best ? order_of(best->path, names, n) : 0;
        if (!best || a < b ||
            (a == b && files_under(d->v, p->path) > files_under(d->v, best->path)))
            best = p;
    }
    return best ? best->path : (ken_str){ NULL, 0 };
}

// The folder that holds all files of the package that draw something; empty when there is none.
static ken_str folder_of_ui(const survey *v, ken_str part)
{
    ken_str common = { NULL, 0 };
    for (size_t i = 0; i < v->n_files; i++) {
        const survey_file *f = &v->files[i];
        if (f->is_aside || !is_ui_file(f) || !ken_survey__is_under(f->path, part) ||
            has_package_between(v, part, f->path))
            continue;
        common = common.ptr ? common : ken_path_dir(f->path);
        while (common.len && !ken_survey__is_under(f->path, common))
            common = ken_path_dir(common);
    }
    return common;
}

// Both sides in one package: folders of the usual names keep them apart. `app` is a front end where
// something is drawn in it; what draws may lie elsewhere, in a folder of its own.
static ken_str folder_within(const survey *v, ken_str part, int side)
{
    const char *const *names = side == SIDE_FRONT ? front_names : back_names;
    size_t n = side == SIDE_FRONT ? N_OF(front_names) : N_OF(back_names);
    for (size_t i = 0; i < 2 * n; i++) {
        ken_str below = ken_arena_printf(v->arena, "%s%s", i < n ? "" : "src/", names[i % n]);
        ken_str folder = ken_str_eq_c(part, ".") ? below : ken_path_join(v->arena, part, below);
        if (side == SIDE_FRONT ? has_own(v, folder, is_ui_file) : files_under(v, folder) > 0)
            return folder;
    }
    ken_str ui = side == SIDE_FRONT ? folder_of_ui(v, part) : KEN_STR("");
    return ui.len ? ui : part;
}

static int by_path(const void *a, const void *b)
{
    const ken_survey_part *x = a, *y = b;
    return ken_str_cmp(x->path, y->path);
}

static int by_depth(const void *a, const void *b)
{
    const survey_file *x = *(const survey_file *const *)a, *y = *(const survey_file *const *)b;
    size_t n = depth_of(x->path), m = depth_of(y->path);
    return n != m ? (n > m) - (n < m) : ken_str_cmp(x->path, y->path);
}

static ken_status look_at_all(detecting *d, ken_err *err)
{
    survey *v = d->v;
    const survey_file **found = KEN_ARENA_ARRAY(v->arena, const survey_file *, v->n_files + 1);
    size_t n = 0;
    for (size_t i = 0; i < v->n_files; i++)
        if (!v->files[i].is_aside && ken_manifest_kind_of(v->files[i].path))
            found[n++] = &v->files[i];
    if (n)
        qsort(found, n, sizeof(*found), by_depth);
    ken_status st = KEN_OK;
    for (size_t i = 0; !st && i < n && i < MANIFESTS_MAX; i++) {
        look_at(d, found[i]);
        st = ken_cancel_check(v->o->cancel, err);
    }
    return st;
}

static void choose(detecting *d)
{
    ken_survey *out = d->v->out;
    out->frontend = best_part(d, SIDE_FRONT);
    out->backend = best_part(d, SIDE_BACK);
    if (out->frontend.ptr && out->backend.ptr && ken_str_eq(out->frontend, out->backend)) {
        ken_str both = out->frontend;
        out->frontend = folder_within(d->v, both, SIDE_FRONT);
        out->backend = folder_within(d->v, both, SIDE_BACK);
    }
    if (d->v->o->frontend.ptr)
        out->frontend = d->v->o->frontend;
    if (d->v->o->backend.ptr)
        out->backend = d->v->o->backend;
}

ken_status ken_survey__detect(survey *v, ken_err *err)
{
    detecting d = { .v = v };
    ken_status st = look_at_all(&d, err);
    if (!st && !best_part(&d, SIDE_BACK).ptr)
        add_routed(&d);
    if (!st) {
        choose(&d);
        if (d.parts.len)
            qsort(d.parts.ptr, d.parts.len, sizeof *d.parts.ptr, by_path);
        v->out->parts = ken_arena_copy(v->arena, d.parts.ptr, d.parts.len, sizeof *v->out->parts);
        v->out->n_parts = d.parts.len;
    }
    ken_vec_release(&d.parts);
    return st;
}
