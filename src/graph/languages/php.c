// SPDX-License-Identifier: MIT
// What PHP's names and includes are.
//
// A class is where composer.json says that classes of its namespace are (PSR-4, then PSR-0), else
// in the file of its name that declares its namespace, else in whichever file declares the
// namespace. Paths of include and require are put together from texts, __DIR__ and dirname(); a
// part that is not known makes the rest a guess.
#include "base/path.h"
#include "base/sorted.h"
#include "graph/graph_driver_priv.h"
#include "graph/graph_modules_script_priv.h"

enum {
    RULES_MAX = 20000, // of all manifests
};

typedef struct php_rule {
    ken_str prefix; // of class names, PSR-4's with the backslash at its end
    ken_str dir;
} php_rule;

typedef struct php_state {
    php_rule *psr4, *psr0; // psr4 by prefix
    uint32_t n_psr4, n_psr0;
    const uint32_t *loaded; // files that are loaded always: where functions are
    uint32_t n_loaded;
} php_state;

typedef KEN_VEC(php_rule) php_rules;

// ---- composer.json -----------------------------------------------------------------------------
static void add_rule(ken_modules *m, php_rules *rules, const char *prefix, ken_str dir,
                     const json_t *path)
{
    if (!json_is_string(path) || rules->len >= RULES_MAX)
        return;
    ken_str folder = ken_modules__join(m, dir, ken_json_text(path));
    if (folder.ptr)
        ken_vec_push(rules, ((php_rule){ ken_arena_dup(&m->arena, ken_str_c(prefix)),
                                         ken_arena_dup(&m->arena, folder) }));
}

static void add_rules(ken_modules *m, php_rules *rules, ken_str dir, json_t *map)
{
    const char *prefix;
    json_t *paths;
    json_object_foreach(map, prefix, paths)
    {
        add_rule(m, rules, prefix, dir, paths);
        for (size_t i = 0; json_is_array(paths) && i < json_array_size(paths); i++)
            add_rule(m, rules, prefix, dir, json_array_get(paths, i));
    }
}

typedef struct php_reader {
    php_rules psr4, psr0;
    ken_vec_u32 loaded;
} php_reader;

static void add_loaded(ken_modules *m, php_reader *r, ken_str dir, const json_t *paths)
{
    for (size_t i = 0; json_is_array(paths) && i < json_array_size(paths); i++) {
        ken_str path = ken_json_text(json_array_get(paths, i));
        uint32_t file = path.len ? ken_modules__at(m, dir, path) : MODULE_NONE;
        if (file != MODULE_NONE && r->loaded.len < RULES_MAX)
            ken_vec_push(&r->loaded, file);
    }
}

static void read_composer(ken_modules *m, void *ctx, uint32_t file)
{
    static const char *const sections[] = { "autoload", "autoload-dev" };
    php_reader *r = ctx;
    json_t *manifest = ken_modules__json(m, file);
    ken_str dir = ken_modules__dir(m, file);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        const json_t *section = json_object_get(manifest, sections[i]);
        add_rules(m, &r->psr4, dir, json_object_get(section, "psr-4"));
        add_rules(m, &r->psr0, dir, json_object_get(section, "psr-0"));
        add_loaded(m, r, dir, json_object_get(section, "files"));
    }
    json_decref(manifest);
}

static int rule_cmp(const void *pa, const void *pb)
{
    const php_rule *a = pa, *b = pb;
    int c = ken_str_cmp(a->prefix, b->prefix);
    return c ? c : ken_str_cmp(a->dir, b->dir);
}

static php_rule *keep_rules(ken_modules *m, php_rules *rules)
{
    php_rule *copy = KEN_ARENA_ARRAY(&m->arena, php_rule, rules->len + 1);
    if (rules->len) {
        qsort(rules->ptr, rules->len, sizeof *rules->ptr, rule_cmp);
        memcpy(copy, rules->ptr, rules->len * sizeof *copy);
    }
    ken_vec_release(rules);
    return copy;
}

static const php_state *state_of(ken_modules *m)
{
    bool is_new;
    php_state *s = ken_modules__state(m, KEN_LANG_PHP, sizeof *s, &is_new);
    if (!is_new)
        return s;
    php_reader r = { 0 };
    ken_modules__each(m, KEN_STR("composer.json"), read_composer, &r);
    s->n_psr4 = (uint32_t)r.psr4.len;
    s->n_psr0 = (uint32_t)r.psr0.len;
    s->psr4 = keep_rules(m, &r.psr4);
    s->psr0 = keep_rules(m, &r.psr0);
    s->loaded = ken_arena_copy(&m->arena, r.loaded.ptr, r.loaded.len, sizeof *s->loaded);
    s->n_loaded = (uint32_t)r.loaded.len;
    ken_vec_release(&r.loaded);
    return s;
}

// ---- classes by rule ---------------------------------------------------------------------------
typedef struct php_best {
    uint32_t from, file, n_shared;
} php_best;

static void offer(const ken_modules *m, php_best *best, uint32_t file)
{
    if (file == MODULE_NONE)
        return;
    uint32_t n = ken_modules__shared(m->tree->paths[best->from], m->tree->paths[file]);
    if (best->file != MODULE_NONE && n <= best->n_shared)
        return;
    best->file = file;
    best->n_shared = n;
}

static uint32_t first_rule(const php_state *s, ken_str prefix)
{
    return (uint32_t)KEN_FIRST_STR(php_rule, prefix, s->psr4, s->n_psr4, prefix);
}

static const char *const php_endings[] = { ".php", ".inc", NULL };

// The longest prefix that has a file wins. `*out_is_ours`: some rule speaks of the class.
static void by_psr4(ken_modules *m, ken_str name, php_best *best, bool *out_is_ours)
{
    const php_state *s = state_of(m);
    for (size_t len = name.len + 1; len-- > 0 && best->file == MODULE_NONE;) {
        if (len && name.ptr[len - 1] != '\\')
            continue;
        ken_str prefix = ken_str_sub(name, 0, len), rest = ken_str_sub(name, len, name.len);
        ken_str path = ken_modules__slashes(m, rest, KEN_STR("\\"));
        for (uint32_t i = first_rule(s, prefix);
             i < s->n_psr4 && ken_str_eq(s->psr4[i].prefix, prefix); i++) {
            ken_str full = ken_path_join(&m->scratch, s->psr4[i].dir, path);
            offer(m, best, ken_modules__ending(m, full, php_endings));
            *out_is_ours |= len > 0;
        }
    }
}

static void by_psr0(ken_modules *m, ken_str name, php_best *best)
{
    const php_state *s = state_of(m);
    size_t cut = ken_str_rfind_char(name, '\\');
    char *path = ken_arena_alloc(&m->scratch, name.len + 1);
    for (size_t i = 0; i < name.len; i++) {
        bool is_class = cut == SIZE_MAX || i > cut;
        bool is_slash = name.ptr[i] == '\\' || (name.ptr[i] == '_' && is_class);
        path[i] = is_slash ? '/' : name.ptr[i];
    }
    for (uint32_t i = 0; i < s->n_psr0; i++)
        if (ken_str_starts(name, s->psr0[i].prefix))
            offer(m, best,
                  ken_modules__ending(
                      m, ken_path_join(&m->scratch, s->psr0[i].dir, ken_str_n(path, name.len)),
                      php_endings));
}

// ---- classes by what files declare -------------------------------------------------------------
static void split(ken_str name, ken_str *out_space, ken_str *out_last)
{
    size_t cut = ken_str_rfind_char(name, '\\');
    *out_space = cut == SIZE_MAX ? KEN_STR("") : ken_str_sub(name, 0, cut);
    *out_last = cut == SIZE_MAX ? name : ken_str_sub(name, cut + 1, name.len);
}

// The file that declares the namespace and is named as the class.
static void by_declaration(ken_modules *m, ken_str name, php_best *best)
{
    ken_str space, last;
    uint32_t n;
    split(name, &space, &last);
    const uint32_t *files = ken_modules__package(m, KEN_LANG_PHP, space, &n);
    for (uint32_t i = 0; i < n; i++) {
        ken_str base = ken_path_base(m->tree->paths[files[i]]);
        if (ken_str_starts(base, last) && base.len > last.len && base.ptr[last.len] == '.')
            offer(m, best, files[i]);
    }
}

static bool is_loaded(const php_state *s, uint32_t file)
{
    for (uint32_t i = 0; i < s->n_loaded; i++)
        if (s->loaded[i] == file)
            return true;
    return false;
}

// A function: in a file of the namespace that is loaded always, else in any of them.
static uint32_t in_space(ken_modules *m, ken_str space, ken_module *out)
{
    const php_state *s = state_of(m);
    uint32_t n, n_kept = 0;
    const uint32_t *files = ken_modules__package(m, KEN_LANG_PHP, space, &n);
    uint32_t *kept = KEN_ARENA_ARRAY(&m->arena, uint32_t, s->n_loaded + 1);
    for (uint32_t i = 0; i < n && n_kept < s->n_loaded; i++)
        if (is_loaded(s, files[i]))
            kept[n_kept++] = files[i];
    ken_modules__many(out, n_kept ? kept : files, n_kept ? n_kept : n, "a name of a namespace");
    return n;
}

static void class_or_space(ken_modules *m, const ken_module_ask *ask, ken_str name, ken_module *out)
{
    php_best best = { ask->file, MODULE_NONE, 0 };
    ken_str space, last;
    uint32_t n;
    bool is_ours = false;
    split(name, &space, &last);
    by_psr4(m, name, &best, &is_ours);
    if (best.file == MODULE_NONE)
        by_psr0(m, name, &best);
    if (best.file == MODULE_NONE)
        by_declaration(m, name, &best);
    if (best.file != MODULE_NONE) {
        ken_modules__one(m, out, best.file, "the file of the class");
        out->rest = last;
        return;
    }
    const uint32_t *files = ken_modules__package(m, KEN_LANG_PHP, name, &n);
    ken_modules__many(out, files, n, "a namespace");
    if (!n && space.len) {
        n = in_space(m, space, out);
        out->rest = n ? last : KEN_STR("");
    }
    if (!n && is_ours)
        ken_modules__unknown(out, "composer.json knows the namespace, no file has the class");
    else if (!n)
        ken_modules__external(out, "no namespace of the tree");
}

// ---- include and require -----------------------------------------------------------------------
typedef struct php_path {
    ken_str text;   // the quoted parts put together
    ken_str dir;    // that it begins at
    bool has_dir;   // __DIR__ or dirname(__FILE__)
    bool has_other; // something that is not known
    uint32_t n_up;  // dirname() around it
} php_path;

static size_t quoted_end(ken_str t, size_t from)
{
    size_t end = ken_str_find_char(ken_str_sub(t, from + 1, t.len), t.ptr[from]);
    return end == SIZE_MAX ? t.len : from + 1 + end;
}

static void take_word(php_path *p, ken_str word)
{
    uint64_t levels;
    if (ken_str_eq_c(word, "__DIR__") || ken_str_eq_c(word, "__FILE__")) {
        p->has_dir = true;
        p->n_up -= p->n_up && ken_str_eq_c(word, "__FILE__");
    } else if (ken_str_eq_c(word, "dirname")) {
        p->n_up++;
    } else if (ken_str_parse_u64(word, &levels) && levels && levels < 64) {
        p->n_up += (uint32_t)levels - 1;
    } else {
        p->has_other = true;
    }
}

static php_path path_of(ken_modules *m, ken_str t)
{
    php_path p = { .text = KEN_STR("") };
    if (ken_str_find_char(t, '\'') == SIZE_MAX && ken_str_find_char(t, '"') == SIZE_MAX) {
        p.text = t;
        p.has_other = ken_str_find_char(t, '$') != SIZE_MAX;
        return p;
    }
    for (size_t i = 0, end; i < t.len; i = end) {
        end = i + 1;
        if (t.ptr[i] == '\'' || t.ptr[i] == '"') {
            end = quoted_end(t, i);
            p.text = ken_modules__concat(m, p.text, "", ken_str_sub(t, i + 1, end++));
        } else if (ken_is_word(t.ptr[i]) || t.ptr[i] == '$') {
            while (end < t.len && ken_is_word(t.ptr[end]))
                end++;
            take_word(&p, ken_str_sub(t, i, end));
        }
    }
    return p;
}

static void include(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    static const char *const here[] = { "", NULL }, *const as_is[] = { "", NULL };
    ken_str dir = ken_modules__dir(m, ask->file);
    php_path p = path_of(m, ken_str_trim(ask->module));
    ken_str text = p.text;
    while (ken_str_starts(text, KEN_STR("/")) && (p.has_dir || p.has_other))
        text = ken_str_sub(text, 1, text.len);
    for (uint32_t i = 0; i < p.n_up && p.has_dir; i++)
        dir = ken_path_dir(dir);
    uint32_t file = p.has_other ? MODULE_NONE : ken_modules__at(m, dir, text);
    if (file != MODULE_NONE) {
        ken_modules__one(m, out, file, "a path");
    } else if (ken_str_ends(text, KEN_STR("vendor/autoload.php"))) {
        ken_modules__external(out, "what composer makes");
    } else if (ken_str_find_char(text, '$') != SIZE_MAX || !text.len) {
        ken_modules__unknown(out, "a path that is put together when it runs");
    } else if (p.has_dir || ken_str_starts(text, KEN_STR("/"))) {
        ken_modules__unknown(out, "no such file");
    } else {
        file = p.has_other ? MODULE_NONE : ken_modules__above(m, dir, here, text, as_is);
        if (file == MODULE_NONE)
            file = ken_modules__nearest(m, ask->file, text, KEN_LANG_COUNT);
        ken_modules__guess(m, out, file, "the nearest path that ends so");
    }
}

static bool is_name(ken_str t)
{
    for (size_t i = 0; i < t.len; i++)
        if (!ken_is_word(t.ptr[i]) && t.ptr[i] != '\\' && !((unsigned char)t.ptr[i] & 0x80))
            return false;
    return t.len > 0;
}

static void resolve(ken_modules *m, const ken_module_ask *ask, ken_module *out)
{
    ken_str module = ask->module;
    while (ken_str_starts(module, KEN_STR("\\")))
        module = ken_str_sub(module, 1, module.len);
    while (ken_str_ends(module, KEN_STR("\\")))
        module.len--;
    ken_str name = ken_modules__concat(m, module, "\\", ask->name);
    if (is_name(name))
        class_or_space(m, ask, name, out);
    else if (!ask->name.len)
        include(m, ask, out);
    else
        ken_modules__unknown(out, "no name of a class");
}

// ---- the driver --------------------------------------------------------------------------------

// `A\B`: of an import, of the namespace around, or as it stands; `\A` is in none.
static const graph_value *look_up_path(ken_graph *g, graph_unit *u, ken_str name, int32_t around)
{
    if (ken_str_find_char(name, '\\') == SIZE_MAX)
        return NULL;
    if (name.ptr[0] == '\\') {
        const graph_value *v = ken_graph__in_space(g, u, 0, ken_str_sub(name, 1, name.len));
        return v->kind == GRAPH_NONE ? &ken_graph__outside : v;
    }
    ken_str rest = name, first;
    ken_str_split_next(&rest, '\\', &first);
    const graph_value *bound = ken_graph__in_binds(g, u, first, around);
    const graph_value *type =
        bound->kind == GRAPH_NONE ? bound : ken_graph__walk_path(g, u, bound, rest);
    if (type->kind != GRAPH_NONE && type->kind != GRAPH_EXTERNAL)
        return type;
    graph_value *whole = ken_graph__new_value(g, GRAPH_SPACE, KEN_EDGE_IMPORTED);
    whole->space = ken_graph__space_add(0, name);
    const ken_refs *r = u->text.refs;
    for (uint32_t i = 0; i < r->n_binds; i++) { // `use A\B;` of a namespace
        if (!ken_str_eq(r->binds[i].local, first))
            continue;
        uint64_t space =
            ken_graph__space_add(ken_graph__space_add(0, r->binds[i].module), r->binds[i].name);
        whole->space = ken_graph__space_add(space, rest);
        return whole;
    }
    uint64_t around_here[GRAPH_SPACES_MAX];
    if (!ken_graph__spaces_around(u, around, around_here))
        return whole;
    graph_value *inner = ken_graph__new_value(g, GRAPH_SPACE, KEN_EDGE_SCOPED);
    inner->space = ken_graph__space_add(around_here[0], name);
    inner->other = whole;
    return inner;
}

const graph_driver ken_graph__driver_php = {
    .resolve = resolve,
    .look_up_path = look_up_path,
};
