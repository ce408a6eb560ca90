// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "query/query_routers_priv.h"
#include "route/route_text.h"

enum {
    MOUNTS_MAX = 4096,
    DEEP_MAX = 40, // groups and routers in each other
    PREFIX_BYTES = 500,
    GROUPS_MAX = 2000, // of one file
    KEY_BYTES = 240,
    CALLERS_ASKED_MAX = 2000
};

struct query_mount {
    uint32_t to_file;
    ken_str to_name; // the variable, or "default", "export="; empty: everything in `span`
    ken_span span;   // where it is; without an end: anywhere in the file
    uint32_t file;
    const ken_framework *framework;
    ken_literal by; // the call
    ken_str prefix;
    bool is_partial, is_asked;
};

void query_routers_init(query_routers *q, ken_snapshot *s, ken_graph *g, const ken_frameworks *f,
                        ken_arena *arena)
{
    *q = (query_routers){ .s = s, .g = g, .frameworks = f, .arena = arena };
    ken_map_init(&q->known);
    ken_map_init(&q->texts);
}

void query_routers_release(query_routers *q)
{
    ken_map_release(&q->known);
    ken_map_release(&q->texts);
    ken_vec_release(&q->given);
    ken_vec_release(&q->files);
    ken_vec_release(&q->mounts);
}

static ken_str key_of(char room[KEY_BYTES], uint32_t file, ken_str name)
{
    int n = snprintf(room, KEY_BYTES, "%u " KEN_STR_FMT, file, KEN_STR_ARG(name));
    return ken_str_n(room, n < 0 ? 0 : n < KEY_BYTES ? (size_t)n : KEY_BYTES - 1);
}

const ken_route_rule *query_routers_rule(query_routers *q, const ken_unit_text *u,
                                         const ken_literal *l, const ken_framework **out)
{
    ken_str language = ken_str_c(ken_lang_name((ken_lang_id)u->lang));
    const ken_route_rule *rule = ken_route_find(q->frameworks, language, u->refs, l, out);
    for (size_t i = 0; !rule && i < q->mounts.len; i++) {
        if (ken_graph_unit(q->g, q->mounts.ptr[i]->to_file) != u)
            continue;
        *out = q->mounts.ptr[i]->framework;
        rule = ken_route_rule_of(*out, u->refs, l);
    }
    return rule;
}

static const ken_route_rule *rule_of(query_routers *q, const query_route_file *f,
                                     const ken_literal *l, const ken_framework **out)
{
    return query_routers_rule(q, f->unit, l, out);
}

static void find_groups(query_routers *q, query_route_file *f)
{
    const ken_refs *r = f->unit->refs;
    KEN_VEC(query_route_group) found = { 0 };
    for (uint32_t i = 0; i < r->n_literals && found.len < GROUPS_MAX; i++) {
        const ken_literal *l = &r->literals[i];
        const ken_framework *fw;
        const ken_route_rule *rule = l->decorates < 0 ? rule_of(q, f, l, &fw) : NULL;
        if (!rule || (!rule->is_prefix && rule->form != KEN_ROUTE_NEST))
            continue;
        size_t end = rule->is_prefix ? query_chain_end(f->text, l->end) : l->end;
        ken_vec_push(&found, ((query_route_group){ l, end, rule->is_prefix }));
    }
    f->groups = KEN_ARENA_ARRAY(q->arena, query_route_group, found.len + 1);
    f->n_groups = (uint32_t)found.len;
    if (found.len)
        memcpy(f->groups, found.ptr, found.len * sizeof *found.ptr);
    ken_vec_release(&found);
}

const query_route_file *query_routers_file(query_routers *q, uint32_t file)
{
    char room[KEY_BYTES];
    bool is_new;
    uint64_t at = *ken_map_put(&q->texts, key_of(room, file, KEN_STR("")), q->files.len, &is_new);
    if (is_new) {
        query_route_file f = { .number = file, .unit = ken_graph_unit(q->g, file) };
        query_text t;
        f.has_hash = ken_route_has_hash(q->s->rows[file].path);
        if (f.unit && !query_load_text(q->s, file, q->arena, &t, NULL)) {
            if (query_need_text(&t))
                f.text = t.text;
            query_close_text(&t);
        }
        if (f.text.ptr)
            find_groups(q, &f);
        ken_vec_push(&q->files, f);
    }
    return q->files.ptr[at].unit && q->files.ptr[at].text.ptr ? &q->files.ptr[at] : NULL;
}

// Where the last value of a variable before `byte` begins. Places are mostly asked for in order.
static size_t given_at(query_routers *q, const query_route_file *f, ken_str name, size_t byte)
{
    char room[KEY_BYTES];
    bool is_new;
    uint64_t n = *ken_map_put(&q->known, key_of(room, f->number, name), q->given.len, &is_new);
    if (is_new)
        ken_vec_push(&q->given, (query_route_given){ 0 });
    query_route_given *g = &q->given.ptr[n];
    if (byte < g->upto)
        *g = (query_route_given){ 0 };
    size_t at = ken_route_given(f->text, name, g->upto, byte);
    *g = (query_route_given){ byte, at ? at : g->at };
    return g->at;
}

// ---- prefixes ----------------------------------------------------------------------------------

query_prefix query_prefix_join(ken_arena *arena, query_prefix before, ken_str path)
{
    if (!before.text.len)
        return (query_prefix){ path, before.is_partial };
    if (!path.len || before.text.len + path.len > PREFIX_BYTES)
        return before;
    ken_str prefix = before.text;
    while (ken_str_ends(prefix, KEN_STR("/")))
        prefix.len--;
    const char *first = prefix.len && prefix.ptr[0] == '/' ? "" : "/";
    return (query_prefix){ ken_arena_printf(arena, "%s" KEN_STR_FMT "%s" KEN_STR_FMT, first,
                                            KEN_STR_ARG(prefix), path.ptr[0] == '/' ? "" : "/",
                                            KEN_STR_ARG(path)),
                           before.is_partial };
}

static query_prefix nothing(bool is_partial)
{
    return (query_prefix){ KEN_STR(""), is_partial };
}

// What a name in a value leads to, when it is a constant with a text: `PREFIX`, `settings.API`.
static bool constant_text(query_routers *q, const query_route_file *f, ken_str value, ken_str *out)
{
    const ken_refs *r = f->unit->refs;
    uint32_t from = (uint32_t)(value.ptr - f->text.ptr), to = from + (uint32_t)value.len;
    const ken_ref *last = NULL;
    for (uint32_t i = query_first_ref(r, from); i < r->n_refs && r->refs[i].byte < to; i++)
        last = &r->refs[i];
    ken_targets t;
    if (!last ||
        (r->exprs[last->expr].op != KEN_EXPR_NAME && r->exprs[last->expr].op != KEN_EXPR_MEMBER))
        return false;
    ken_graph_resolve(q->g, f->number, last->expr, last->role, &t);
    const query_route_file *there = t.n == 1 ? query_routers_file(q, t.defs[0].file) : NULL;
    if (!there || t.defs[0].def >= there->unit->facts->n_symbols)
        return false;
    const ken_symbol *sym = &there->unit->facts->symbols[t.defs[0].def];
    size_t at = ken_route_given(there->text, ken_graph_name(there->unit, t.defs[0].def),
                                sym->span.start, sym->span.end);
    return at && ken_route_plain(ken_route_value(there->text, at, there->has_hash), out);
}

bool query_routers_text(query_routers *q, const query_route_file *f, ken_str value, ken_str *out)
{
    bool is_in_text = value.ptr >= f->text.ptr && value.ptr < f->text.ptr + f->text.len;
    if (ken_route_plain(value, out))
        return true;
    for (size_t i = 0; i < value.len; i++)
        if (!ken_is_word(value.ptr[i]) && value.ptr[i] != '.' && value.ptr[i] != ':')
            return false;
    query_route_file here = *f; // files may move
    return is_in_text && constant_text(q, &here, value, out);
}

// The first option of some names among the arguments of a call that opens at `open`.
static ken_str option_of(const query_route_file *f, size_t open, const ken_str *names, uint32_t n)
{
    ken_str args[KEN_ROUTE_ARGS], value = KEN_STR("");
    size_t n_args = n ? ken_route_args(f->text, open, f->has_hash, args) : 0;
    for (uint32_t i = 0; i < n && !value.len; i++)
        value = ken_route_option(args, n_args, names[i], f->has_hash);
    return value;
}

// An option that is a text, put behind `before`; partial when it is there and not known.
static query_prefix with_option(query_routers *q, const query_route_file *f, query_prefix before,
                                ken_str value)
{
    ken_str text;
    if (!value.len)
        return before;
    if (!query_routers_text(q, f, value, &text))
        return nothing(true);
    return query_prefix_join(q->arena, before, text);
}

// ---- what is mounted ----------------------------------------------------------------------------

static size_t open_of(const query_route_file *f, const ken_literal *l)
{
    return ken_route_open(f->text, l->byte);
}

// The end of the name that is called: before its bracket, and type arguments.
static size_t callee_start(const query_route_file *f, const ken_literal *l)
{
    size_t open = open_of(f, l), at = open == SIZE_MAX ? l->byte : open;
    ken_str name = f->unit->refs->exprs[l->callee].name;
    size_t from = at > name.len + 80 ? at - name.len - 80 : 0;
    for (size_t i = at; i >= from + name.len; i--)
        if (ken_str_eq(ken_str_sub(f->text, i - name.len, i), name))
            return i - name.len;
    return at;
}

// A definition that is given to a mount: a function means what is said in it.
static bool mount_def(query_routers *q, ken_graph_def def, query_mount *m)
{
    const ken_unit_text *to = ken_graph_unit(q->g, def.file);
    if (!to)
        return false;
    m->to_file = def.file;
    m->to_name = ken_arena_dup(q->arena, ken_graph_name(to, def.def));
    if (ken_symbol_is_callable(ken_graph_kind(to, def.def)) && def.def < to->facts->n_symbols) {
        m->span = to->facts->symbols[def.def].span;
        m->to_name = KEN_STR("");
    }
    return true;
}

// A variable of the function around, which no other file sees.
static bool mount_local(query_routers *q, const query_route_file *f, ken_str arg, uint32_t byte,
                        query_mount *m)
{
    const ken_facts *facts = f->unit->facts;
    size_t n = 0;
    while (n < arg.len && ken_is_word(arg.ptr[n]))
        n++;
    ken_str name = ken_str_sub(arg, 0, n);
    if (!n || !given_at(q, f, name, byte))
        return false;
    m->to_file = f->number;
    m->to_name = name;
    for (uint32_t i = 0; i < facts->n_symbols; i++) {
        const ken_symbol *sym = &facts->symbols[i];
        if (ken_symbol_is_callable(sym->kind) && sym->span.start <= byte && sym->span.end > byte)
            m->span = sym->span;
    }
    return true;
}

// What an argument leads to: a variable, a member, `make()`, `require('./x')`, `router.routes()`.
static bool mount_argument(query_routers *q, const query_route_file *f, ken_str arg, query_mount *m)
{
    const ken_refs *r = f->unit->refs;
    uint32_t from = (uint32_t)(arg.ptr - f->text.ptr), to = from + (uint32_t)arg.len;
    for (uint32_t i = 0; ken_str_starts(arg, KEN_STR("require")) && i < r->n_binds; i++) {
        ken_module whole, inner;
        if (r->binds[i].byte < from || r->binds[i].byte >= to)
            continue;
        ken_graph_bind(q->g, f->number, i, &whole, &inner);
        if (whole.kind != KEN_MODULE_FILES || !whole.n_files)
            return false;
        m->to_file = whole.files[0];
        m->to_name = KEN_STR("export=");
        return true;
    }
    ken_targets best = { .n = 0 };
    for (uint32_t i = query_first_ref(r, from); i < r->n_refs && r->refs[i].byte < to; i++) {
        ken_targets t;
        if (r->refs[i].role == KEN_REF_TYPE)
            continue;
        ken_graph_resolve(q->g, f->number, r->refs[i].expr, r->refs[i].role, &t);
        if (t.n) // the last that is known: "routes" of `router.routes()` is not
            best = t;
    }
    return best.n ? mount_def(q, best.defs[0], m) : mount_local(q, f, arg, from, m);
}

// The file that `include('shop.urls')` names: "shop/urls.py".
static bool mount_module(query_routers *q, const ken_literal *l, query_mount *m)
{
    char path[KEY_BYTES];
    int n = snprintf(path, sizeof path, "/" KEN_STR_FMT ".py", KEN_STR_ARG(l->text));
    if (n < 0 || (size_t)n >= sizeof path)
        return false;
    for (int i = 0; i + 3 < n; i++)
        if (path[i] == '.')
            path[i] = '/';
    uint32_t n_found = 0;
    for (uint32_t i = 0; i < q->s->n_files; i++) {
        ken_str it = q->s->rows[i].path;
        bool is_it = ken_str_ends(it, ken_str_c(path)) || ken_str_eq_c(it, path + 1);
        if (is_it && !n_found++)
            m->to_file = i;
    }
    m->span = (ken_span){ 0, UINT32_MAX };
    return n_found == 1;
}

// `app.use(config.prefix, router)`: a text, or a member that is nothing known. (What is called, and
// functions, are steps on the way.)
static bool may_be_path(query_routers *q, const query_route_file *f, ken_str arg)
{
    ken_str text;
    ken_targets t = { .n = 0 };
    if (query_routers_text(q, f, arg, &text))
        return true;
    const ken_refs *r = f->unit->refs;
    uint32_t from = (uint32_t)(arg.ptr - f->text.ptr), to = from + (uint32_t)arg.len;
    for (uint32_t i = query_first_ref(r, from); i < r->n_refs && r->refs[i].byte < to; i++)
        ken_graph_resolve(q->g, f->number, r->refs[i].expr, r->refs[i].role, &t);
    return !t.n && ken_str_find_char(arg, '.') != SIZE_MAX &&
           ken_str_find_char(arg, '(') == SIZE_MAX;
}

// Which argument is put there, and which stands before its paths.
static bool read_mount(query_routers *q, const query_route_file *f, const ken_literal *l,
                       query_mount *m)
{
    ken_str args[KEN_ROUTE_ARGS], text;
    size_t open = open_of(f, l);
    size_t n = open == SIZE_MAX ? 0 : ken_route_args(f->text, open, f->has_hash, args);
    bool is_path_first = n > 1 && (ken_route_plain(args[0], &text) || args[0].ptr[0] == '`');
    const ken_framework *fw = m->framework;
    ken_str option =
        fw->n_prefixes ? option_of(f, open, fw->prefixes, fw->n_prefixes) : KEN_STR("");
    if (!n)
        return false;
    size_t at = is_path_first ? n - 1 : 0;
    bool is_use = ken_str_eq_c(f->unit->refs->exprs[l->callee].name, "use");
    if (is_use && !is_path_first) {
        at = n - 1;
        is_path_first = n > 1 && may_be_path(q, f, args[0]);
    }
    query_prefix before = nothing(false);
    if (is_path_first)
        before = with_option(q, f, before, args[0]);
    before = with_option(q, f, before, option);
    m->prefix = before.text;
    m->is_partial = before.is_partial;
    return mount_argument(q, f, args[at], m);
}

static void learn_file(query_routers *q, uint32_t file)
{
    const ken_unit_text *u = ken_graph_unit(q->g, file);
    for (uint32_t i = 0; u && i < u->refs->n_literals && q->mounts.len < MOUNTS_MAX; i++) {
        const ken_literal *l = &u->refs->literals[i];
        const ken_framework *framework = NULL;
        query_route_file f = { .number = file, .unit = u };
        const ken_route_rule *rule = rule_of(q, &f, l, &framework);
        if (!rule || (rule->form != KEN_ROUTE_MOUNT && rule->form != KEN_ROUTE_INCLUDE))
            continue;
        const query_route_file *full = query_routers_file(q, file);
        if (!full)
            return;
        f = *full;
        query_mount m = { .file = file, .framework = framework, .by = *l };
        bool is_known =
            rule->form == KEN_ROUTE_INCLUDE ? mount_module(q, l, &m) : read_mount(q, &f, l, &m);
        if (!is_known)
            continue;
        query_mount *kept = KEN_ARENA_NEW(q->arena, query_mount);
        *kept = m;
        ken_vec_push(&q->mounts, kept);
    }
}

void query_routers_learn(query_routers *q, const uint32_t *files, size_t n)
{
    q->learnt = files;
    q->n_learnt = n;
    for (size_t i = 0; i < n; i++)
        learn_file(q, files[i]);
}

// ---- what stands before a literal ---------------------------------------------------------------

static query_prefix before_literal(query_routers *q, const query_route_file *f,
                                   const ken_framework *fw, const ken_literal *l, int depth);

static query_prefix before_mount(query_routers *q, query_mount *m, int depth)
{
    const query_route_file *f = query_routers_file(q, m->file);
    if (m->is_asked || !f || depth > DEEP_MAX)
        return nothing(true);
    m->is_asked = true; // a router that is mounted on itself
    query_route_file here = *f;
    query_prefix p = before_literal(q, &here, m->framework, &m->by, depth + 1);
    m->is_asked = false;
    query_prefix all = query_prefix_join(q->arena, p, m->prefix);
    return m->is_partial ? (query_prefix){ m->prefix, true } : all;
}

// The name that a file exports as a whole: `module.exports = router`, `export default router`.
static bool is_exported_whole(const query_route_file *f, ken_str name)
{
    static const char *const words[] = { "module.exports", "exports", "export default" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t at = ken_str_find(f->text, ken_str_c(words[i]));
        if (at == SIZE_MAX)
            continue;
        ken_str rest = ken_str_sub(f->text, at + strlen(words[i]), f->text.len);
        rest = ken_str_trim(ken_str_sub(rest, 0, rest.len < 200 ? rest.len : 200));
        if (rest.len && rest.ptr[0] == '=')
            rest = ken_str_trim(ken_str_sub(rest, 1, rest.len));
        bool is_it = ken_str_starts(rest, name) &&
                     (rest.len == name.len || !ken_is_word(rest.ptr[name.len]));
        if (is_it || !name.len)
            return true;
    }
    return false;
}

static ken_str last_part(ken_str name)
{
    size_t dot = ken_str_rfind_char(name, '.');
    return dot == SIZE_MAX ? name : ken_str_sub(name, dot + 1, name.len);
}

// Where the variable of the file is mounted, or what stands at `byte` of it.
static query_mount *mount_of(query_routers *q, const query_route_file *f, ken_str name,
                             uint32_t byte)
{
    for (size_t i = 0; i < q->mounts.len; i++) {
        query_mount *m = q->mounts.ptr[i];
        if (m->to_file != f->number)
            continue;
        bool is_whole = ken_str_eq_c(m->to_name, "default") || ken_str_eq_c(m->to_name, "export=");
        bool is_it = !m->to_name.len || ken_str_eq(m->to_name, last_part(name)) ||
                     (is_whole && is_exported_whole(f, name));
        bool is_there = !m->span.end || (byte >= m->span.start && byte < m->span.end);
        bool is_itself = m->file == f->number && m->by.byte == byte;
        if (is_it && is_there && !is_itself)
            return m;
    }
    return NULL;
}

// Whether one of some words stands in a text; when wanted, as something that is called or made.
static bool has_one_of(ken_str given, const ken_str *words, uint32_t n, bool is_called)
{
    for (uint32_t i = 0; i < n; i++) {
        for (size_t at = 0; at < given.len;) {
            size_t next = ken_str_find(ken_str_sub(given, at, given.len), words[i]);
            if (next == SIZE_MAX)
                break;
            size_t from = at + next, end = from + words[i].len;
            at = end;
            char behind = end < given.len ? given.ptr[end] : ' ';
            bool is_word = (!from || !ken_is_word(given.ptr[from - 1])) && !ken_is_word(behind);
            bool is_new = from > 4 && ken_str_eq_c(ken_str_sub(given, from - 4, from), "new ");
            if (is_word && (!is_called || is_new || memchr("(<:", behind, 3)))
                return true;
        }
    }
    return false;
}

static bool makes_one_of(ken_str given, const ken_str *words, uint32_t n)
{
    return has_one_of(given, words, n, true);
}

// The bracket behind the maker's name in what a variable is given.
static size_t maker_open(const query_route_file *f, ken_str given)
{
    size_t open = ken_str_find_char(given, '(');
    return open == SIZE_MAX ? SIZE_MAX : (size_t)(given.ptr - f->text.ptr) + open;
}

// A group that the variable is given: `api := r.Group("/api")`, `app.MapGroup("/a")`.
static const ken_literal *group_in(const query_route_file *f, ken_str given)
{
    size_t from = (size_t)(given.ptr - f->text.ptr), to = from + given.len;
    const ken_literal *last = NULL;
    for (uint32_t i = 0; i < f->n_groups; i++) {
        const ken_literal *l = f->groups[i].of;
        size_t start;
        if (!f->groups[i].is_prefix || l->byte < from || l->byte >= to ||
            (last && l->byte < last->byte))
            continue;
        (void)ken_route_root(f->text, callee_start(f, l), &start);
        if (start < from + 40) // of the chain, not of what is in it
            last = l;
    }
    return last;
}

// The parameter of a function around `byte` that has the name, as it is written with its type.
static bool find_parameter(const query_route_file *f, ken_str name, uint32_t byte, ken_str *out)
{
    const ken_facts *facts = f->unit->facts;
    for (uint32_t i = 0; i < facts->n_symbols; i++) {
        const ken_symbol *sym = &facts->symbols[i];
        if (!ken_symbol_is_callable(sym->kind) || sym->span.start > byte || sym->span.end <= byte)
            continue;
        ken_str signature = ken_str_sub(f->text, sym->span.start, sym->signature.end);
        size_t open = ken_str_find_char(signature, '(');
        ken_str args[KEN_ROUTE_ARGS];
        size_t n =
            open == SIZE_MAX ? 0 : ken_route_args(f->text, sym->span.start + open, false, args);
        for (size_t k = 0; k < n; k++)
            if (has_one_of(args[k], &name, 1, false)) {
                *out = args[k];
                return true;
            }
    }
    return false;
}

// A parameter of a function without a name around `byte`: `module.exports = (app) => { … }`.
static bool has_lambda_parameter(const query_route_file *f, ken_str name, uint32_t byte)
{
    size_t least = byte > KEN_ROUTE_REACH ? byte - KEN_ROUTE_REACH : 0, depth = 0;
    for (size_t at = byte; at-- > least;) {
        char c = f->text.ptr[at];
        depth += c == '}';
        if (c != '{')
            continue;
        if (depth) {
            depth--;
            continue;
        }
        size_t from = at;
        while (from > least && at - from < 300 && !memchr(";{}", f->text.ptr[from - 1], 3))
            from--;
        ken_str header = ken_str_trim(ken_str_sub(f->text, from, at));
        size_t paren = ken_str_rfind_char(header, '(');
        bool is_function = ken_str_find(header, KEN_STR("func")) != SIZE_MAX ||
                           ken_str_ends(header, KEN_STR("=>"));
        ken_str params = paren == SIZE_MAX ? header : ken_str_sub(header, paren, header.len);
        if (is_function && has_one_of(params, &name, 1, false))
            return true;
    }
    return false;
}

static query_prefix before_variable(query_routers *q, const query_route_file *f,
                                    const ken_framework *fw, ken_str name, uint32_t byte,
                                    int depth);

// A function that is given its router: what stands before what one of its callers gives.
static query_prefix before_parameter(query_routers *q, const query_route_file *f,
                                     const ken_framework *fw, ken_str parameter, uint32_t byte,
                                     int depth)
{
    const ken_facts *facts = f->unit->facts;
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < facts->n_symbols; i++) {
        const ken_symbol *sym = &facts->symbols[i];
        bool is_around = ken_symbol_is_callable(sym->kind) && sym->span.start <= byte &&
                         sym->span.end > byte && parameter.ptr < f->text.ptr + sym->signature.end;
        best = is_around ? i : best;
    }
    if (best == UINT32_MAX || q->n_callers_asked++ > CALLERS_ASKED_MAX)
        return nothing(true);
    ken_str name = ken_graph_name(f->unit, best), args[KEN_ROUTE_ARGS];
    size_t open = ken_str_find_char(
               ken_str_sub(f->text, facts->symbols[best].span.start, f->text.len), '('),
           place = 0;
    size_t n = open == SIZE_MAX ? 0
                                : ken_route_args(f->text, facts->symbols[best].span.start + open,
                                                 f->has_hash, args);
    while (place < n && args[place].ptr != parameter.ptr)
        place++;
    for (size_t k = 0; k < q->n_learnt; k++) {
        const ken_unit_text *u = ken_graph_unit(q->g, q->learnt[k]);
        for (uint32_t i = 0; u && i < u->refs->n_refs; i++) {
            const ken_ref *ref = &u->refs->refs[i];
            ken_targets t;
            if (ref->role != KEN_REF_CALL || !ken_str_eq(u->refs->exprs[ref->expr].name, name))
                continue;
            ken_graph_resolve(q->g, q->learnt[k], ref->expr, ref->role, &t);
            if (!t.n || t.defs[0].file != f->number || t.defs[0].def != best)
                continue;
            const query_route_file *caller = query_routers_file(q, q->learnt[k]);
            if (!caller)
                continue;
            query_route_file copy = *caller;
            size_t at = ref->byte;
            while (at < copy.text.len && at < ref->byte + 80U && copy.text.ptr[at] != '(')
                at++;
            n = ken_route_args(copy.text, at, copy.has_hash, args);
            size_t end = 0;
            while (place < n && end < args[place].len &&
                   (ken_is_word(args[place].ptr[end]) || args[place].ptr[end] == '.'))
                end++;
            if (place < n && end == args[place].len)
                return before_variable(q, &copy, fw, args[place], ref->byte, depth + 1);
            const ken_literal *group = place < n ? group_in(&copy, args[place]) : NULL;
            if (group) // `register(v1.Group("/users"))`
                return query_prefix_join(q->arena, before_literal(q, &copy, fw, group, depth + 1),
                                         group->text);
        }
    }
    return nothing(true);
}

// A variable that the file has from another one.
static query_prefix before_foreign(query_routers *q, const query_route_file *f,
                                   const ken_framework *fw, ken_str name, uint32_t byte, int depth)
{
    const ken_refs *r = f->unit->refs;
    for (uint32_t i = 0; i < r->n_refs; i++) {
        const ken_expr *e = &r->exprs[r->refs[i].expr];
        ken_targets t;
        if (!ken_str_eq(e->name, name) || r->refs[i].byte > byte)
            continue;
        ken_graph_resolve(q->g, f->number, r->refs[i].expr, r->refs[i].role, &t);
        if (!t.n || t.defs[0].file == f->number)
            continue;
        const query_route_file *there = query_routers_file(q, t.defs[0].file);
        if (!there)
            return nothing(true);
        query_route_file copy = *there;
        ken_str local = ken_graph_name(there->unit, t.defs[0].def);
        return before_variable(q, &copy, fw, ken_arena_dup(q->arena, local),
                               (uint32_t)copy.text.len, depth + 1);
    }
    return nothing(false);
}

static query_prefix before_given(query_routers *q, const query_route_file *f,
                                 const ken_framework *fw, ken_str name, uint32_t byte,
                                 ken_str given, int depth)
{
    bool is_made = makes_one_of(given, fw->apps, fw->n_apps),
         is_router = makes_one_of(given, fw->routers, fw->n_routers);
    const ken_literal *group = group_in(f, given);
    if (group && !is_made && !is_router) {
        query_prefix p = before_literal(q, f, fw, group, depth + 1);
        return with_option(q, f, query_prefix_join(q->arena, p, group->text),
                           option_of(f, open_of(f, group), fw->prefixes, fw->n_prefixes));
    }
    query_mount *m = mount_of(q, f, name, byte);
    query_prefix p = m ? before_mount(q, m, depth + 1) : nothing(is_router && !is_made);
    if (group)
        p = query_prefix_join(q->arena, p, group->text);
    size_t open = maker_open(f, given);
    if (!(is_made || is_router) || open == SIZE_MAX)
        return p;
    return with_option(q, f, p, option_of(f, open, fw->prefixes, fw->n_prefixes));
}

// Whether a parameter is written with the type of an application: `r *gin.Engine`, `app: Express`.
static bool has_type(ken_str parameter, ken_str name, const ken_framework *fw)
{
    size_t at = ken_str_find(parameter, name);
    if (at == SIZE_MAX)
        return false;
    ken_str before = ken_str_sub(parameter, 0, at),
            behind = ken_str_sub(parameter, at + name.len, parameter.len);
    return has_one_of(before, fw->apps, fw->n_apps, false) ||
           has_one_of(behind, fw->apps, fw->n_apps, false);
}

static query_prefix before_variable(query_routers *q, const query_route_file *f,
                                    const ken_framework *fw, ken_str name, uint32_t byte, int depth)
{
    ken_str parameter;
    if (depth > DEEP_MAX)
        return nothing(true);
    size_t at = given_at(q, f, last_part(name), byte);
    ken_str given = at ? ken_route_value(f->text, at, f->has_hash) : KEN_STR("");
    bool is_parameter = find_parameter(f, last_part(name), byte, &parameter);
    if (given.len && !(is_parameter && (size_t)(parameter.ptr - f->text.ptr) > at))
        return before_given(q, f, fw, name, byte, given, depth);
    query_mount *m = mount_of(q, f, name, byte);
    if (!m && is_parameter)
        m = mount_of(q, f, KEN_STR(""), byte); // of the function
    if (m)
        return before_mount(q, m, depth + 1);
    if (is_parameter && has_type(parameter, last_part(name), fw))
        return nothing(false);
    if (is_parameter)
        return before_parameter(q, f, fw, parameter, byte, depth);
    if (has_lambda_parameter(f, name, byte)) {
        m = mount_of(q, f, KEN_STR(""), byte);
        return m ? before_mount(q, m, depth + 1) : nothing(true);
    }
    return before_foreign(q, f, fw, name, byte, depth);
}

// The innermost group whose arguments or chain hold a literal.
static const ken_literal *group_around(const query_route_file *f, const ken_literal *of)
{
    const ken_literal *best = NULL;
    for (uint32_t i = 0; i < f->n_groups; i++) {
        const ken_literal *l = f->groups[i].of;
        bool is_around = l->byte < of->byte && of->byte < f->groups[i].end;
        if (is_around && (!best || l->byte > best->byte))
            best = l;
    }
    return best;
}

static query_prefix before_literal(query_routers *q, const query_route_file *f,
                                   const ken_framework *fw, const ken_literal *l, int depth)
{
    if (depth > DEEP_MAX)
        return nothing(true);
    const ken_literal *group = group_around(f, l);
    if (group) {
        query_prefix p = before_literal(q, f, fw, group, depth + 1);
        size_t open = open_of(f, group);
        p = query_prefix_join(q->arena, p, group->text);
        return open == SIZE_MAX
                   ? p
                   : with_option(q, f, p, option_of(f, open, fw->prefixes, fw->n_prefixes));
    }
    size_t start;
    ken_str root = ken_route_root(f->text, callee_start(f, l), &start);
    ken_str chain = ken_str_sub(f->text, start, l->byte);
    bool is_made = makes_one_of(chain, fw->apps, fw->n_apps) ||
                   makes_one_of(chain, fw->routers, fw->n_routers);
    if (!root.len || is_made) { // `Router::new().route(…)`: of a variable perhaps, or of a function
        size_t line = start;
        while (line && f->text.ptr[line - 1] != '\n' && f->text.ptr[line - 1] != ';')
            line--;
        ken_str before = ken_str_sub(f->text, line, start);
        size_t equals = ken_str_rfind_char(before, '=');
        size_t end = equals == SIZE_MAX ? 0 : equals;
        while (end && !ken_is_word(before.ptr[end - 1]))
            end--;
        size_t from = end;
        while (from && ken_is_word(before.ptr[from - 1]))
            from--;
        ken_str name = ken_str_sub(before, from, end);
        query_mount *m = mount_of(q, f, name, l->byte);
        if (m)
            return before_mount(q, m, depth + 1);
        return nothing(makes_one_of(chain, fw->routers, fw->n_routers));
    }
    return before_variable(q, f, fw, root, l->byte, depth);
}

query_prefix query_routers_prefix(query_routers *q, uint32_t file, const ken_framework *framework,
                                  const ken_literal *l)
{
    const query_route_file *f = query_routers_file(q, file);
    if (!f)
        return nothing(false);
    query_route_file here = *f;
    return before_literal(q, &here, framework, l, 0);
}

size_t query_routers_mount_files(const query_routers *q, ken_arena *arena, uint32_t **out)
{
    size_t n = 0;
    *out = KEN_ARENA_ARRAY(arena, uint32_t, q->mounts.len + 1);
    for (size_t i = 0; i < q->mounts.len; i++)
        if (!n || (*out)[n - 1] != q->mounts.ptr[i]->file)
            (*out)[n++] = q->mounts.ptr[i]->file;
    return n;
}
