// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "query/query_routers_priv.h"
#include "route/route_text.h"

enum {
    PREFIXES_MAX = 16, // of one route
    DEEP_MAX = 40,     // groups and routers in each other
    PREFIX_BYTES = 500,
    GROUPS_MAX = 2000, // of one file
    KEY_BYTES = 240,
    CALLERS_ASKED_MAX = 2000
};

void ken_query__routers_init(query_routers *q, ken_snapshot *s, ken_graph *g,
                             const ken_frameworks *f, ken_arena *arena)
{
    *q = (query_routers){ .s = s, .g = g, .frameworks = f, .arena = arena };
    ken_map_init(&q->known);
    ken_map_init(&q->texts);
    ken_map_init(&q->callers);
}

void ken_query__routers_release(query_routers *q)
{
    ken_map_release(&q->known);
    ken_map_release(&q->texts);
    ken_map_release(&q->callers);
    ken_vec_release(&q->asked);
    ken_vec_release(&q->bases);
    ken_vec_release(&q->others);
    ken_vec_release(&q->given);
    ken_vec_release(&q->files);
    ken_vec_release(&q->mounts);
}

static ken_str key_of(char room[KEY_BYTES], uint32_t file, ken_str name)
{
    int n = snprintf(room, KEY_BYTES, "%u " KEN_STR_FMT, file, KEN_STR_ARG(name));
    return ken_str_n(room, n < 0 ? 0 : n < KEY_BYTES ? (size_t)n : KEY_BYTES - 1);
}

const ken_route_rule *ken_query__routers_rule(query_routers *q, const ken_unit_text *u,
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
    return ken_query__routers_rule(q, f->unit, l, out);
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
        size_t end = rule->is_prefix ? ken_query__chain_end(f->text, l->end) : l->end;
        ken_vec_push(&found, ((query_route_group){ l, end, rule->is_prefix }));
    }
    f->groups = ken_arena_copy(q->arena, found.ptr, found.len, sizeof *f->groups);
    f->n_groups = (uint32_t)found.len;
    ken_vec_release(&found);
}

const query_route_file *ken_query__routers_file(query_routers *q, uint32_t file)
{
    char room[KEY_BYTES];
    bool is_new;
    uint64_t at = *ken_map_put(&q->texts, key_of(room, file, KEN_STR("")), q->files.len, &is_new);
    if (is_new) {
        query_route_file f = { .number = file, .unit = ken_graph_unit(q->g, file) };
        query_text t;
        f.has_hash = ken_route_has_hash(q->s->rows[file].path);
        if (f.unit && !ken_query__load_text(q->s, file, q->arena, &t, NULL)) {
            if (ken_query__need_text(&t))
                f.text = t.text;
            ken_query__close_text(&t);
        }
        if (f.text.ptr)
            find_groups(q, &f);
        ken_vec_push(&q->files, f);
    }
    return q->files.ptr[at].unit && q->files.ptr[at].text.ptr ? &q->files.ptr[at] : NULL;
}

// Places mostly come in order.
size_t ken_query__routers_given(query_routers *q, const query_route_file *f, ken_str name,
                                size_t byte)
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

query_prefix ken_query__prefix_join(ken_arena *arena, query_prefix before, ken_str path)
{
    if (!before.text.len)
        return (query_prefix){ path, before.is_partial };
    if (!path.len || before.text.len + path.len > PREFIX_BYTES)
        return before;
    ken_str prefix = before.text;
    while (ken_str_ends(prefix, KEN_STR("/")))
        prefix.len--;
    if (!prefix.len) // `r.Group("/")`
        return (query_prefix){ path, before.is_partial };
    const char *first = prefix.len && prefix.ptr[0] == '/' ? "" : "/";
    return (query_prefix){ ken_arena_printf(arena, "%s" KEN_STR_FMT "%s" KEN_STR_FMT, first,
                                            KEN_STR_ARG(prefix), path.ptr[0] == '/' ? "" : "/",
                                            KEN_STR_ARG(path)),
                           before.is_partial };
}

query_prefixes ken_query__prefix_alone(ken_arena *arena, query_prefix it)
{
    query_prefixes one = { KEN_ARENA_NEW(arena, query_prefix), 1 };
    one.items[0] = it;
    return one;
}

// The text of a constant that a value names: `PREFIX`, `settings.API`.
static bool constant_text(query_routers *q, const query_route_file *f, ken_str value, ken_str *out)
{
    const ken_refs *r = f->unit->refs;
    uint32_t from = (uint32_t)(value.ptr - f->text.ptr), to = from + (uint32_t)value.len;
    const ken_ref *last = NULL;
    for (uint32_t i = ken_query__first_ref(r, from); i < r->n_refs && r->refs[i].byte < to; i++)
        last = &r->refs[i];
    ken_targets t;
    if (!last ||
        (r->exprs[last->expr].op != KEN_EXPR_NAME && r->exprs[last->expr].op != KEN_EXPR_MEMBER))
        return false;
    ken_graph_resolve_ref(q->g, f->number, last, &t);
    const query_route_file *there = t.n == 1 ? ken_query__routers_file(q, t.defs[0].file) : NULL;
    if (!there || t.defs[0].def >= there->unit->facts->n_symbols)
        return false;
    const ken_symbol *sym = &there->unit->facts->symbols[t.defs[0].def];
    size_t at = ken_route_given(there->text, ken_graph_name(there->unit, t.defs[0].def),
                                sym->span.start, sym->span.end);
    return at && ken_route_plain(ken_route_value(there->text, at, there->has_hash), out);
}

bool ken_query__routers_text(query_routers *q, const query_route_file *f, ken_str value,
                             ken_str *out)
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

ken_str ken_query__option_of(const query_route_file *f, size_t open, const ken_str *names,
                             uint32_t n)
{
    ken_str args[KEN_ROUTE_ARGS], value = KEN_STR("");
    size_t n_args = n ? ken_route_args(f->text, open, f->has_hash, args) : 0;
    for (uint32_t i = 0; i < n && !value.len; i++)
        value = ken_route_option(args, n_args, names[i], f->has_hash);
    return value;
}

query_prefix ken_query__routers_option(query_routers *q, const query_route_file *f,
                                       query_prefix before, ken_str value)
{
    ken_str text;
    if (!value.len)
        return before;
    if (!ken_query__routers_text(q, f, value, &text))
        return (query_prefix){ KEN_STR(""), true };
    return ken_query__prefix_join(q->arena, before, text);
}

size_t ken_query__routers_open(const query_route_file *f, const ken_literal *l)
{
    return ken_route_open(f->text, l->byte);
}

// The end of the name that is called: before its bracket, and type arguments.
static size_t callee_start(const query_route_file *f, const ken_literal *l)
{
    size_t open = ken_query__routers_open(f, l), at = open == SIZE_MAX ? l->byte : open;
    ken_str name = f->unit->refs->exprs[l->callee].name;
    size_t from = at > name.len + 80 ? at - name.len - 80 : 0;
    for (size_t i = at; i >= from + name.len; i--)
        if (ken_str_eq(ken_str_sub(f->text, i - name.len, i), name))
            return i - name.len;
    return at;
}

static void learn_file(query_routers *q, uint32_t file)
{
    const ken_unit_text *u = ken_graph_unit(q->g, file);
    for (uint32_t i = 0; u && i < u->refs->n_literals; i++) {
        const ken_literal *l = &u->refs->literals[i];
        const ken_framework *framework = NULL;
        const ken_route_rule *rule = ken_query__routers_rule(q, u, l, &framework);
        if (rule && (rule->form == KEN_ROUTE_MOUNT || rule->form == KEN_ROUTE_INCLUDE))
            ken_query__mounts_learn(q, file, i, framework, rule);
        else if (rule && rule->form == KEN_ROUTE_GLOBAL)
            ken_query__bases_learn(q, file, l, framework);
    }
}

static bool is_mounted(const query_routers *q, uint32_t file)
{
    for (size_t i = 0; i < q->mounts.len; i++)
        if (q->mounts.ptr[i]->to_file == file)
            return true;
    return false;
}

// A rule for one of its literals, or a framework whose decorators have none.
static bool speaks(const query_routers *q, uint32_t file, ken_arena *scratch)
{
    ken_facts facts;
    ken_refs refs;
    const ken_framework *fw;
    bool is_found = false;
    if (!ken_query__graph_peek(q->s, file, scratch, &facts, &refs))
        return false;
    ken_str language = ken_str_c(ken_lang_name((ken_lang_id)facts.lang));
    for (uint32_t i = 0; i < refs.n_literals && !is_found; i++)
        is_found = ken_route_find(q->frameworks, language, &refs, &refs.literals[i], &fw) != NULL;
    for (size_t i = 0; i < q->frameworks->items.len && !is_found; i++) {
        fw = &q->frameworks->items.ptr[i];
        for (uint32_t k = 0; k < fw->n_rules && !is_found; k++)
            is_found =
                fw->rules[k].form == KEN_ROUTE_BARE && ken_framework_covers(fw, language, &refs);
    }
    return is_found;
}

bool ken_query__routers_speaks(const query_routers *q, size_t at)
{
    return q->speaks[at] || is_mounted(q, q->learnt[at]);
}

void ken_query__routers_learn(query_routers *q, const uint32_t *files, size_t n)
{
    ken_arena scratch;
    ken_arena_init(&scratch, 0);
    uint8_t *marks = KEN_ARENA_ARRAY(q->arena, uint8_t, n + 1);
    q->learnt = files;
    q->n_learnt = n;
    q->speaks = marks;
    for (size_t i = 0; i < n && !ken_quota_is_over(); i++) {
        marks[i] = speaks(q, files[i], &scratch);
        if (ken_query__routers_speaks(q, i))
            learn_file(q, files[i]);
        ken_arena_reset(&scratch);
    }
    ken_arena_release(&scratch);
    ken_query__bases_read(q);
}

// ---- the prefixes of a literal ------------------------------------------------------------------

static query_prefixes nothing(query_routers *q, bool is_partial)
{
    return ken_query__prefix_alone(q->arena, (query_prefix){ KEN_STR(""), is_partial });
}

static query_prefixes join(query_routers *q, query_prefixes before, ken_str path)
{
    for (size_t i = 0; i < before.n; i++)
        before.items[i] = ken_query__prefix_join(q->arena, before.items[i], path);
    return before;
}

static query_prefixes with_option(query_routers *q, const query_route_file *f,
                                  query_prefixes before, ken_str value)
{
    for (size_t i = 0; i < before.n; i++)
        before.items[i] = ken_query__routers_option(q, f, before.items[i], value);
    return before;
}

static void add_all(query_routers *q, query_prefixes *all, query_prefixes more)
{
    if (!all->items)
        all->items = KEN_ARENA_ARRAY(q->arena, query_prefix, PREFIXES_MAX);
    for (size_t i = 0; i < more.n; i++) {
        bool is_new = all->n < PREFIXES_MAX;
        for (size_t k = 0; is_new && k < all->n; k++)
            is_new = !ken_str_eq(all->items[k].text, more.items[i].text) ||
                     all->items[k].is_partial != more.items[i].is_partial;
        if (is_new)
            all->items[all->n++] = more.items[i];
    }
}

static query_prefixes before_literal(query_routers *q, const query_route_file *f,
                                     const ken_framework *fw, const ken_literal *l, int depth);

static query_prefixes before_mount(query_routers *q, query_mount *m, int depth)
{
    const query_route_file *f = ken_query__routers_file(q, m->file);
    if (m->is_asked || !f || depth > DEEP_MAX)
        return nothing(q, true);
    if (m->is_partial)
        return ken_query__prefix_alone(q->arena, (query_prefix){ m->prefix, true });
    m->is_asked = true; // a router that is mounted on itself
    query_route_file here = *f;
    query_prefixes all =
        before_literal(q, &here, m->framework, &f->unit->refs->literals[m->literal], depth + 1);
    m->is_asked = false;
    return join(q, all, m->prefix);
}

static size_t mounts_of(query_routers *q, const query_route_file *f, ken_str name, uint32_t byte,
                        query_mount *out[PREFIXES_MAX])
{
    return ken_query__mounts_of(q->s, q->mounts.ptr, q->mounts.len, f->number, name, byte, out,
                                PREFIXES_MAX);
}

// The prefixes of all mounts of something; none when it is not mounted.
static query_prefixes before_mounts(query_routers *q, const query_route_file *f, ken_str name,
                                    uint32_t byte, int depth)
{
    query_mount *mounts[PREFIXES_MAX];
    size_t n = mounts_of(q, f, name, byte, mounts);
    query_prefixes all = { 0 };
    for (size_t i = 0; i < n; i++)
        add_all(q, &all, before_mount(q, mounts[i], depth + 1));
    return all;
}

static ken_str last_part(ken_str name)
{
    size_t dot = ken_str_rfind_char(name, '.');
    return dot == SIZE_MAX ? name : ken_str_sub(name, dot + 1, name.len);
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

static query_prefixes before_variable(query_routers *q, const query_route_file *f,
                                      const ken_framework *fw, ken_str name, uint32_t byte,
                                      int depth);

// The prefixes of the router that one call passes to a function at `place`.
static query_prefixes before_argument(query_routers *q, const query_route_file *caller,
                                      const ken_framework *fw, uint32_t byte, size_t place,
                                      int depth)
{
    ken_str args[KEN_ROUTE_ARGS];
    size_t at = byte, end = 0;
    while (at < caller->text.len && at < byte + 80U && caller->text.ptr[at] != '(')
        at++;
    size_t n = ken_route_args(caller->text, at, caller->has_hash, args);
    if (place >= n)
        return (query_prefixes){ 0 };
    ken_str arg = args[place];
    while (end < arg.len && (ken_is_word(arg.ptr[end]) || arg.ptr[end] == '.'))
        end++;
    if (end == arg.len)
        return before_variable(q, caller, fw, arg, byte, depth + 1);
    const ken_literal *group = group_in(caller, arg); // `register(v1.Group("/users"))`
    if (!group)
        return (query_prefixes){ 0 };
    return join(q, before_literal(q, caller, fw, group, depth + 1), group->text);
}

// The prefixes of the routers that all calls of a function pass to it; code before tests.
static query_prefixes before_calls(query_routers *q, const query_route_file *f,
                                   const ken_framework *fw, uint32_t function, size_t place,
                                   int depth)
{
    ken_str name = ken_graph_name(f->unit, function);
    query_prefixes all = { 0 };
    const size_t n = q->n_learnt;
    for (size_t k = 0; k < 2 * n && !(k >= n && all.n); k++) {
        uint32_t file = q->learnt[k < n ? k : k - n];
        const ken_unit_text *u = ken_graph_unit(q->g, file);
        if (ken_query__is_test(q->s, file) != (k >= n))
            continue;
        for (uint32_t i = 0; u && i < u->refs->n_refs; i++) {
            const ken_ref *ref = &u->refs->refs[i];
            ken_targets t;
            if (ref->role != KEN_REF_CALL || !ken_str_eq(u->refs->exprs[ref->expr].name, name))
                continue;
            ken_graph_resolve_ref(q->g, file, ref, &t);
            const query_route_file *caller =
                t.n && t.defs[0].file == f->number && t.defs[0].def == function
                    ? ken_query__routers_file(q, file)
                    : NULL;
            if (!caller)
                continue;
            query_route_file copy = *caller; // files may move
            add_all(q, &all, before_argument(q, &copy, fw, ref->byte, place, depth));
        }
    }
    return all;
}

// The innermost function whose parameters hold a text, SIZE_MAX when there is none.
static uint32_t function_of(const query_route_file *f, ken_str parameter, uint32_t byte)
{
    const ken_facts *facts = f->unit->facts;
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < facts->n_symbols; i++) {
        const ken_symbol *sym = &facts->symbols[i];
        bool is_around = ken_symbol_is_callable(sym->kind) && sym->span.start <= byte &&
                         sym->span.end > byte && parameter.ptr < f->text.ptr + sym->signature.end;
        best = is_around ? i : best;
    }
    return best;
}

// A function with a router as parameter: the prefixes of what its callers pass. Computed once.
static query_prefixes before_parameter(query_routers *q, const query_route_file *f,
                                       const ken_framework *fw, ken_str parameter, uint32_t byte,
                                       int depth)
{
    uint32_t function = function_of(f, parameter, byte);
    if (function == UINT32_MAX)
        return nothing(q, true);
    uint32_t start = f->unit->facts->symbols[function].span.start;
    ken_str args[KEN_ROUTE_ARGS];
    size_t open = ken_str_find_char(ken_str_sub(f->text, start, f->text.len), '('), place = 0;
    size_t n = open == SIZE_MAX ? 0 : ken_route_args(f->text, start + open, f->has_hash, args);
    while (place < n && args[place].ptr != parameter.ptr)
        place++;
    char room[KEY_BYTES];
    bool is_new;
    ken_str where = ken_arena_printf(q->arena, "%u@%zu", function, place);
    uint64_t at = *ken_map_put(&q->callers, key_of(room, f->number, where), q->asked.len, &is_new);
    if (is_new) {
        ken_vec_push(&q->asked, nothing(q, true)); // of a function that calls itself
        if (q->asked.len > CALLERS_ASKED_MAX)
            return nothing(q, true);
        query_prefixes all = before_calls(q, f, fw, function, place, depth);
        if (all.n)
            q->asked.ptr[at] = all;
    }
    query_prefixes copy = { 0 };
    add_all(q, &copy, q->asked.ptr[at]);
    return copy;
}

// A variable that the file has from another one.
static query_prefixes before_foreign(query_routers *q, const query_route_file *f,
                                     const ken_framework *fw, ken_str name, uint32_t byte,
                                     int depth)
{
    const ken_refs *r = f->unit->refs;
    for (uint32_t i = 0; i < r->n_refs; i++) {
        const ken_expr *e = &r->exprs[r->refs[i].expr];
        ken_targets t;
        if (!ken_str_eq(e->name, name) || r->refs[i].byte > byte)
            continue;
        ken_graph_resolve_ref(q->g, f->number, &r->refs[i], &t);
        if (!t.n || t.defs[0].file == f->number)
            continue;
        const query_route_file *there = ken_query__routers_file(q, t.defs[0].file);
        if (!there)
            return nothing(q, true);
        query_route_file copy = *there;
        ken_str local = ken_graph_name(there->unit, t.defs[0].def);
        return before_variable(q, &copy, fw, ken_arena_dup(q->arena, local),
                               (uint32_t)copy.text.len, depth + 1);
    }
    return nothing(q, false);
}

static query_prefixes before_given(query_routers *q, const query_route_file *f,
                                   const ken_framework *fw, ken_str name, uint32_t byte,
                                   ken_str given, int depth)
{
    bool is_made = makes_one_of(given, fw->apps, fw->n_apps),
         is_router = makes_one_of(given, fw->routers, fw->n_routers);
    const ken_literal *group = group_in(f, given);
    if (group && !is_made && !is_router) {
        query_prefixes p = before_literal(q, f, fw, group, depth + 1);
        return with_option(q, f, join(q, p, group->text),
                           ken_query__option_of(f, ken_query__routers_open(f, group), fw->prefixes,
                                                fw->n_prefixes));
    }
    query_prefixes p = before_mounts(q, f, name, byte, depth);
    if (!p.n)
        p = nothing(q, is_router && !is_made);
    if (group)
        p = join(q, p, group->text);
    size_t open = maker_open(f, given);
    if (!(is_made || is_router) || open == SIZE_MAX)
        return p;
    return with_option(q, f, p, ken_query__option_of(f, open, fw->prefixes, fw->n_prefixes));
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

static query_prefixes before_variable(query_routers *q, const query_route_file *f,
                                      const ken_framework *fw, ken_str name, uint32_t byte,
                                      int depth)
{
    ken_str parameter;
    if (depth > DEEP_MAX)
        return nothing(q, true);
    size_t at = ken_query__routers_given(q, f, last_part(name), byte);
    ken_str given = at ? ken_route_value(f->text, at, f->has_hash) : KEN_STR("");
    bool is_parameter = find_parameter(f, last_part(name), byte, &parameter);
    if (given.len && !(is_parameter && (size_t)(parameter.ptr - f->text.ptr) > at))
        return before_given(q, f, fw, name, byte, given, depth);
    query_prefixes p = before_mounts(q, f, name, byte, depth);
    if (!p.n && is_parameter)
        p = before_mounts(q, f, KEN_STR(""), byte, depth); // of the function
    if (p.n)
        return p;
    if (is_parameter && has_type(parameter, last_part(name), fw))
        return nothing(q, false);
    if (is_parameter)
        return before_parameter(q, f, fw, parameter, byte, depth);
    if (has_lambda_parameter(f, name, byte)) {
        p = before_mounts(q, f, KEN_STR(""), byte, depth);
        return p.n ? p : nothing(q, true);
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

static query_prefixes before_literal(query_routers *q, const query_route_file *f,
                                     const ken_framework *fw, const ken_literal *l, int depth)
{
    if (depth > DEEP_MAX)
        return nothing(q, true);
    const ken_literal *group = group_around(f, l);
    if (group) {
        query_prefixes p = before_literal(q, f, fw, group, depth + 1);
        size_t open = ken_query__routers_open(f, group);
        p = join(q, p, group->text);
        return open == SIZE_MAX
                   ? p
                   : with_option(q, f, p,
                                 ken_query__option_of(f, open, fw->prefixes, fw->n_prefixes));
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
        query_prefixes p = before_mounts(q, f, name, l->byte, depth);
        return p.n ? p : nothing(q, makes_one_of(chain, fw->routers, fw->n_routers));
    }
    return before_variable(q, f, fw, root, l->byte, depth);
}

query_prefixes ken_query__routers_prefixes(query_routers *q, uint32_t file,
                                           const ken_framework *framework, const ken_literal *l)
{
    const query_route_file *f = ken_query__routers_file(q, file);
    if (!f)
        return nothing(q, false);
    query_route_file here = *f;
    return before_literal(q, &here, framework, l, 0);
}
