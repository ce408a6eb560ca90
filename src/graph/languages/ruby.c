// SPDX-License-Identifier: MIT
// What Ruby requires, and where constants are loaded from.
//
// `require "a/b"` is looked for below lib, spec, test and app of the folders above, then below the
// load paths of the gems of the tree. A path that begins with a dot is relative (the text of
// require_relative). A constant such as Foo::BarBaz is in foo/bar_baz.rb below a folder that
// autoloading knows: app/*, its concerns, lib.
#include "base/path.h"
#include "graph/graph_driver_priv.h"
#include "graph/graph_modules_script_priv.h"
#include "manifest/manifest_text.h"

enum {
    ROOTS_MAX = 2000 // load paths of all gems
};

typedef struct ruby_state {
    ken_str *roots; // load paths that gemspecs name
    uint32_t n_roots;
} ruby_state;

static const char *const ruby_endings[] = { ".rb", "", ".rake", NULL };

static const char stdlib[] =
    " abbrev base64 benchmark bigdecimal bundler cgi coverage csv date delegate digest drb English "
    "erb etc expect fcntl fiddle fileutils find forwardable getoptlong ipaddr irb json logger matrix "
    "minitest monitor mutex_m objspace observer open-uri open3 openssl optparse ostruct pathname pp "
    "prettyprint prime pstore psych pty racc rake rbconfig rdoc readline reline resolv ripper rspec "
    "rubygems securerandom set shellwords singleton socket stringio strscan syslog tempfile thread "
    "time timeout tmpdir tsort uri weakref yaml zlib ";

static bool is_stdlib(ken_modules *m, ken_str text)
{
    ken_str word = ken_arena_printf(&m->scratch, " " KEN_STR_FMT " ", KEN_STR_ARG(text));
    return ken_str_find(ken_str_n(stdlib, sizeof stdlib - 1), word) != SIZE_MAX;
}

// ---- gems --------------------------------------------------------------------------------------
static void add_root(ken_modules *m, ruby_state *s, ken_str dir, ken_str folder)
{
    ken_str path = ken_modules__join(m, dir, folder);
    if (path.ptr && s->n_roots < ROOTS_MAX)
        s->roots[s->n_roots++] = ken_arena_dup(&m->arena, path);
}

// require_paths = ["lib", "ext"], or %w[lib ext]; lib when nothing is said.
static void read_gemspec(ken_modules *m, ruby_state *s, uint32_t file)
{
    ken_str dir = ken_modules__dir(m, file), text = ken_modules__peek(m, file), word;
    size_t at = ken_str_find(text, KEN_STR("require_path"));
    text = at == SIZE_MAX ? KEN_STR("") : ken_str_sub(text, at, text.len);
    text = ken_str_sub(text, 0, ken_str_find_char(text, '\n'));
    at = ken_str_find_char(text, '=');
    text = at == SIZE_MAX ? KEN_STR("lib") : ken_str_sub(text, at + 1, text.len);
    while (ken_manifest_word_next(&text, "\"'[](),%", &word))
        if (!ken_str_eq_c(word, "w") && !ken_str_eq_c(word, "i"))
            add_root(m, s, dir, word);
}

static const ruby_state *state_of(ken_modules *m)
{
    bool is_new;
    ruby_state *s = ken_modules__state(m, KEN_LANG_RUBY, sizeof *s, &is_new);
    if (!is_new)
        return s;
    s->roots = KEN_ARENA_ARRAY(&m->arena, ken_str, ROOTS_MAX);
    for (uint32_t i = 0; i < m->tree->n_files; i++)
        if (ken_str_ends(m->tree->paths[i], KEN_STR(".gemspec")))
            read_gemspec(m, s, i);
    return s;
}

// ---- require -----------------------------------------------------------------------------------
static uint32_t in_gems(ken_modules *m, uint32_t from, ken_str text)
{
    const ruby_state *s = state_of(m);
    uint32_t best = MODULE_NONE, best_shared = 0;
    for (uint32_t i = 0; i < s->n_roots; i++) {
        ken_str path = ken_modules__join(m, s->roots[i], text);
        uint32_t file = ken_modules__ending(m, path, ruby_endings);
        if (file == MODULE_NONE)
            continue;
        uint32_t shared = ken_modules__shared(m->tree->paths[from], m->tree->paths[file]);
        if (best == MODULE_NONE || shared > best_shared) {
            best = file;
            best_shared = shared;
        }
    }
    return best;
}

static void required(ken_modules *m, const ken_module_ask *ask, ken_str text, ken_module *out)
{
    static const char *const folders[] = { "lib", "spec", "test", "app", NULL };
    ken_str dir = ken_modules__dir(m, ask->file);
    uint32_t file = ken_modules__above(m, dir, folders, text, ruby_endings);
    if (file == MODULE_NONE)
        file = in_gems(m, ask->file, text);
    if (file != MODULE_NONE) {
        ken_modules__one(m, out, file, "a load path");
        return;
    }
    if (!is_stdlib(m, text)) // require_relative, or a load path that is set when it runs
        file = ken_modules__ending(m, ken_modules__join(m, dir, text), ruby_endings);
    if (file == MODULE_NONE && !is_stdlib(m, text) && ken_str_find_char(text, '/') != SIZE_MAX)
        file = ken_modules__nearest(m, ask->file, ken_path_join(&m->scratch, KEN_STR("lib"), text),
                                    KEN_LANG_RUBY);
    ken_modules__guess(m, out, file, "a file beside, or the nearest below a lib");
    if (file >= MODULE_MANY)
        ken_modules__external(out, "a gem or the standard library");
}

static void relative(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    ken_str path = ken_modules__join(m, ken_modules__dir(m, ask->file), ask->module);
    uint32_t file = ken_modules__ending(m, path, ruby_endings);
    if (!path.ptr)
        ken_modules__external(out, "outside the tree");
    else if (file == MODULE_NONE)
        ken_modules__unknown(out, "no such file");
    else
        ken_modules__one(m, out, file, "a relative path");
}

// ---- constants ---------------------------------------------------------------------------------
typedef struct ruby_constant {
    ken_str path; // "foo/bar_baz.rb"
    uint32_t from, best, best_shared;
    bool is_tied;
} ruby_constant;

static bool is_autoload_root(ken_str dir)
{
    if (ken_str_eq_c(ken_path_base(dir), "concerns"))
        dir = ken_path_dir(dir);
    return ken_str_eq_c(ken_path_base(dir), "lib") ||
           ken_str_eq_c(ken_path_base(ken_path_dir(dir)), "app");
}

static void offer(ken_modules *m, void *ctx, uint32_t file)
{
    ruby_constant *c = ctx;
    ken_str path = m->tree->paths[file];
    if (!ken_str_ends(path, c->path) || path.len <= c->path.len)
        return;
    ken_str dir = ken_str_sub(path, 0, path.len - c->path.len);
    if (!ken_str_ends(dir, KEN_STR("/")) || !is_autoload_root(ken_str_sub(dir, 0, dir.len - 1)))
        return;
    uint32_t shared = ken_modules__shared(m->tree->paths[c->from], path);
    c->is_tied = c->best != MODULE_NONE && shared == c->best_shared;
    if (c->best == MODULE_NONE || shared > c->best_shared) {
        c->best = file;
        c->best_shared = shared;
    }
}

static bool is_constant(ken_str t)
{
    for (size_t i = 0; i < t.len; i++)
        if (!ken_is_word(t.ptr[i]) && t.ptr[i] != ':')
            return false;
    return t.len && ken_is_upper(t.ptr[0]);
}

static bool find_constant(ken_modules *m, const ken_module_ask *ask, ken_str name, ken_module *out)
{
    ken_str path = ken_modules__underscore(m, name, KEN_STR("::"));
    ruby_constant c = { .path = ken_modules__concat(m, path, "", KEN_STR(".rb")),
                        .from = ask->file,
                        .best = MODULE_NONE };
    ken_modules__each(m, ken_path_base(c.path), offer, &c);
    if (c.best == MODULE_NONE || c.is_tied)
        return false;
    ken_modules__one(m, out, c.best, "where autoloading looks for the constant");
    out->rest = name;
    return true;
}

// As Ruby looks: inside of what is around first, the innermost before the outer ones.
static void constant(ken_modules *m, const ken_module_ask *ask, ken_str name, ken_module *out)
{
    ken_str within = ask->within;
    for (bool is_found = false; !is_found;) {
        is_found = find_constant(m, ask, ken_modules__concat(m, within, "::", name), out);
        if (!is_found && !within.len) {
            ken_modules__unknown(out, "no file where autoloading would look");
            return;
        }
        size_t cut = ken_str_rfind_char(within, ':');
        within = cut == SIZE_MAX || !cut ? KEN_STR("") : ken_str_sub(within, 0, cut - 1);
    }
}

static void resolve(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    ken_str name = ken_modules__concat(m, ask->module, "::", ask->name);
    bool is_path = name.len && ken_str_find(name, KEN_STR("::")) == SIZE_MAX;
    bool is_included = (ask->flags & KEN_BIND_STATIC) != 0; // `include A`, at the top
    if (is_constant(name) && (ask->name.len || !is_path || is_included))
        constant(m, ask, name, out);
    else if (ask->name.len)
        ken_modules__unknown(out, "names of a file are no files");
    else if (ken_str_starts(ask->module, KEN_STR(".")))
        relative(m, ask, out);
    else if (ken_str_starts(ask->module, KEN_STR("/")))
        ken_modules__external(out, "outside the tree");
    else
        required(m, ask, ask->module, out);
}

// ---- the driver --------------------------------------------------------------------------------

// `attr_reader :name` is what @name is.
static const graph_value *held(ken_graph *g, graph_unit *u, ken_graph_def d)
{
    int32_t owner = ken_graph_owner(&u->text, d.def);
    if (ken_graph_kind(&u->text, d.def) != KEN_SYMBOL_PROPERTY || owner < 0)
        return &ken_graph__nothing;
    ken_str name =
        ken_arena_printf(&g->arena, "@" KEN_STR_FMT, KEN_STR_ARG(ken_graph_name(&u->text, d.def)));
    ken_graph_def type = { d.file, (ken_def_id)owner };
    return ken_graph__object(g, ken_graph__type_member(g, type, name));
}

// A constant of a module that a file includes at its top; what it requires counts as well:
// `include Jekyll` in test/helper.rb makes `Utils` mean Jekyll::Utils in all tests.
static const graph_value *in_included(ken_graph *g, graph_unit *u, ken_str name,
                                      uint32_t depth) // NOLINT(misc-no-recursion)
{
    const ken_refs *r = u->text.refs;
    const graph_value *v = &ken_graph__nothing;
    for (uint32_t i = 0; i < r->n_binds && v->kind == GRAPH_NONE; i++) {
        const ken_bind *b = &r->binds[i];
        const graph_value *bound = ken_graph__bound(g, u, i);
        if (b->kind == KEN_BIND_ALL && (b->flags & KEN_BIND_STATIC))
            v = ken_graph__member_of(g, u, bound, name);
        for (uint32_t f = 0; bound->kind == GRAPH_MODULE && depth && f < bound->n_files; f++) {
            graph_unit *required = ken_graph__unit_of(g, bound->files[f]);
            if (required && v->kind == GRAPH_NONE && required != u)
                v = in_included(g, required, name, depth - 1);
        }
    }
    return v->kind == GRAPH_EXTERNAL ? &ken_graph__nothing
                                     : ken_graph__with_class(g, v, KEN_EDGE_IMPORTED);
}

static const graph_value *look_up_last(ken_graph *g, graph_unit *u, ken_str name)
{
    enum {
        REQUIRED_DEEP = 2
    };
    return name.len && ken_is_upper(name.ptr[0]) ? in_included(g, u, name, REQUIRED_DEEP)
                                                 : &ken_graph__nothing;
}

// Methods of every object that give the object itself, or one like it.
static const graph_value *library_member(ken_graph *g, graph_unit *u, const graph_value *object,
                                         ken_str name)
{
    static const char *const same[] = { "tap", "itself", "freeze", "dup", "clone" };
    bool is_same = false;
    for (size_t i = 0; object->kind == GRAPH_INSTANCE && i < sizeof same / sizeof *same; i++)
        is_same |= ken_str_eq_c(name, same[i]);
    if (!is_same)
        return object->kind == GRAPH_INSTANCE ? &ken_graph__nothing
                                              : ken_graph__library_member(g, u, object, name);
    graph_value *v = ken_graph__new_value(g, GRAPH_FUNCTION, KEN_EDGE_EXTERNAL);
    v->inner = object;
    return v;
}

const graph_driver ken_graph__driver_ruby = {
    .resolve = resolve,
    .library_member = library_member,
    .look_up_last = look_up_last,
    .held = held,
};
