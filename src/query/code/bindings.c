// SPDX-License-Identifier: MIT
// Reads the registrations of dependency injection containers: the types in a call
// (`AddScoped<IFoo, Foo>()`), under a decorator (`@Service`), in a factory function (`@Bean`), in an
// object (`{ provide: A, useClass: B }`). Which of these types is bound to which is decided in
// code/bound.c, because it depends on which type inherits from which.
#include "base/map.h"
#include "query/query_graph_priv.h"

enum {
    SAID_MAX = 2000, // of one file
};

typedef struct file_bindings {
    query_binding *items;
    uint32_t n;
    bool is_known;
} file_bindings;

struct query_bindings {
    ken_snapshot *s;
    ken_graph *g;
    ken_frameworks frameworks;
    bool *may;            // by file
    file_bindings *files; // by file
    ken_map methods;      // method -> number in candidates
    KEN_VEC(query_candidates) candidates;
};

// ---- text ---------------------------------------------------------------------------------------

static size_t behind_quotes(ken_str t, size_t at)
{
    char quote = t.ptr[at++];
    while (at < t.len && t.ptr[at] != quote && t.ptr[at] != '\n')
        at += t.ptr[at] == '\\' ? 2 : 1;
    return at < t.len ? at + 1 : t.len;
}

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

size_t ken_query__behind_brackets(ken_str t, size_t at, size_t max)
{
    size_t end = at + max < t.len ? at + max : t.len;
    for (int depth = 0; at < end;) {
        if (is_one_of(t.ptr[at], "\"'`")) {
            at = behind_quotes(t, at);
            continue;
        }
        depth += is_one_of(t.ptr[at], "([{");
        depth -= is_one_of(t.ptr[at++], ")]}");
        if (depth <= 0)
            return at;
    }
    return end;
}

// Behind the type arguments that begin at `at`; `at` itself when it is a comparison.
static size_t behind_angles(ken_str t, size_t at)
{
    int depth = 0;
    for (size_t i = at; i < t.len && i < at + QUERY_EXTENT_MAX; i++) {
        depth += t.ptr[i] == '<';
        depth -= t.ptr[i] == '>';
        if (!depth)
            return i + 1;
        if (is_one_of(t.ptr[i], ";{}"))
            break;
    }
    return at;
}

// Where the item that holds `at` ends: a comma or bracket that closes what is around.
static size_t item_end(ken_str t, size_t at)
{
    size_t end = at + QUERY_EXTENT_MAX < t.len ? at + QUERY_EXTENT_MAX : t.len;
    while (at < end && !is_one_of(t.ptr[at], ",;)]}")) {
        if (is_one_of(t.ptr[at], "([{"))
            at = ken_query__behind_brackets(t, at, QUERY_EXTENT_MAX);
        else if (is_one_of(t.ptr[at], "\"'`"))
            at = behind_quotes(t, at);
        else
            at++;
    }
    return at < end ? at : end;
}

static size_t behind_space(ken_str t, size_t at, bool over_lines)
{
    while (at < t.len && is_one_of(t.ptr[at], over_lines ? " \t\r\n" : " \t"))
        at++;
    return at;
}

static ken_str word_at(ken_str t, size_t at)
{
    size_t end = at;
    while (end < t.len && ken_is_word(t.ptr[end]))
        end++;
    return ken_str_sub(t, at, end);
}

ken_str ken_query__quoted(ken_str t, size_t from, size_t to)
{
    for (size_t i = from; i < to && i < t.len; i++) {
        if (!is_one_of(t.ptr[i], "\"'`"))
            continue;
        size_t end = behind_quotes(t, i);
        return ken_str_sub(t, i + 1, end > i + 1 ? end - 1 : i + 1);
    }
    return KEN_STR("");
}

// Behind `.`, `?.`, `->` or `::`, over lines; `at` when none is there.
static size_t behind_dot(ken_str t, size_t at)
{
    static const char *const dots[] = { ".", "?.", "->", "::" };
    size_t from = behind_space(t, at, true);
    for (size_t i = 0; i < sizeof dots / sizeof *dots; i++)
        if (ken_str_starts(ken_str_sub(t, from, t.len), ken_str_c(dots[i])))
            return from + strlen(dots[i]);
    return at;
}

size_t ken_query__chain_end(ken_str t, size_t at)
{
    for (size_t dot; (dot = behind_dot(t, at)) > at;) {
        size_t next = behind_space(t, dot + word_at(t, dot).len, false);
        if (next >= t.len || t.ptr[next] != '(')
            break;
        at = ken_query__behind_brackets(t, next, t.len);
    }
    return at;
}

// Where a call ends whose name ends at `at`, with what is chained to it: `bind(A).to(B).in(S)`, and
// `single { B() } bind A::class`. The next call of the rule is another binding.
static size_t call_end(ken_str t, size_t at, const ken_binding_rule *rule)
{
    for (size_t from = at; at < from + QUERY_EXTENT_MAX;) {
        size_t next = behind_space(t, at, false), dot = behind_dot(t, at);
        char c = next < t.len ? t.ptr[next] : '\0';
        size_t end = at;
        if (is_one_of(c, "([{")) {
            end = ken_query__behind_brackets(t, next, QUERY_EXTENT_MAX);
        } else if (c == '<') {
            end = behind_angles(t, next);
        } else if (dot > at) {
            ken_str word = word_at(t, dot);
            end = ken_words_have(rule->names, rule->n_names, word) ? at : dot + word.len;
        } else if (at && next > at && ken_is_word(c) && is_one_of(t.ptr[at - 1], ")}")) {
            size_t operand = behind_space(t, next + word_at(t, next).len, false);
            end = operand + word_at(t, operand).len;
        }
        if (end <= at)
            break;
        at = end;
    }
    return at;
}

// ---- types named in a part of the file ----------------------------------------------------------

typedef struct saying {
    query_bindings *b;
    uint32_t home; // the file with the registration
    ken_str text;  // of that file
    uint32_t file; // whose names are resolved
    const ken_unit_text *u;
    const ken_framework *framework;
    ken_arena *arena;
    KEN_VEC(query_binding) found;
} saying;

static bool type_at(saying *y, const ken_ref *r, ken_graph_def *out)
{
    ken_targets t;
    ken_graph_resolve_ref(y->b->g, y->file, r, &t);
    const ken_unit_text *u = t.n ? ken_graph_unit(y->b->g, t.defs[0].file) : NULL;
    if (!u)
        return false;
    *out = t.defs[0];
    ken_symbol_kind kind = ken_graph_kind(u, out->def);
    if (kind == KEN_SYMBOL_CONSTRUCTOR)
        return ken_graph_type_of(y->b->g, t.defs[0], out);
    return ken_symbol_is_type(kind);
}

// Types named between two bytes; `made` only: those that are constructed there.
static void add_types(saying *y, query_binding *to, size_t from, size_t end, bool wants_made)
{
    const ken_refs *refs = y->u->refs;
    for (uint32_t i = ken_query__first_ref(refs, (uint32_t)from);
         i < refs->n_refs && refs->refs[i].byte < end && to->n_types < QUERY_BINDING_TYPES; i++) {
        const ken_ref *r = &refs->refs[i];
        ken_graph_def type;
        if ((wants_made && r->role != KEN_REF_NEW && r->role != KEN_REF_CALL) ||
            !type_at(y, r, &type))
            continue;
        uint32_t k = wants_made ? to->n_head : 0;
        while (k < to->n_types && !ken_graph_def_eq(to->types[k], type))
            k++;
        if (k == to->n_types)
            to->types[to->n_types++] = type;
    }
}

static uint32_t line_at(ken_str text, uint32_t byte)
{
    uint32_t line = 0;
    for (uint32_t i = 0; i < byte && i < text.len; i++)
        line += text.ptr[i] == '\n';
    return line;
}

static void keep(saying *y, query_binding *it, uint32_t byte, ken_str label)
{
    if (!it->n_types || y->found.len >= SAID_MAX)
        return;
    it->file = y->home;
    it->line = line_at(y->text, byte);
    it->label = ken_arena_dup(y->arena, label);
    ken_vec_push(&y->found, *it);
}

// ---- sites --------------------------------------------------------------------------------------

static void add_call(saying *y, const ken_binding_rule *rule, const ken_ref *r, size_t name_end)
{
    query_binding it = { .site = KEN_BINDING_CALL };
    size_t end = call_end(y->text, name_end, rule);
    add_types(y, &it, name_end, end, false);
    ken_str label = ken_query__quoted(y->text, name_end, end);
    it.needs_label = label.len > 0;
    keep(y, &it, r->byte, label);
}

// The key before a value: `provide` of `provide: A`.
static bool is_key(ken_str t, size_t at, ken_str key)
{
    size_t colon = behind_space(t, at + key.len, false);
    bool begins = !at || !ken_is_word(t.ptr[at - 1]);
    return begins && ken_str_starts(ken_str_sub(t, at, t.len), key) && colon < t.len &&
           t.ptr[colon] == ':';
}

// Types behind the keys that name the bound type.
static void add_bound(saying *y, const ken_binding_rule *rule, query_binding *it, size_t from)
{
    while (from < y->text.len && y->text.ptr[from] == ',') {
        size_t at = behind_space(y->text, from + 1, true), end = item_end(y->text, at);
        if (ken_words_have(rule->to, rule->n_to, word_at(y->text, at)))
            add_types(y, it, at, end, false);
        from = end;
    }
}

static void add_key(saying *y, const ken_binding_rule *rule, size_t at)
{
    query_binding it = { .site = KEN_BINDING_KEY };
    size_t from = ken_str_find_char(ken_str_sub(y->text, at, y->text.len), ':') + at + 1;
    size_t end = item_end(y->text, from), first = behind_space(y->text, from, true);
    add_types(y, &it, from, end, false);
    it.n_types = it.n_head = it.n_types > 0;
    ken_str label = ken_query__quoted(y->text, from, end);
    label = label.len ? label : word_at(y->text, first);
    it.needs_label = !it.n_head;
    add_bound(y, rule, &it, end);
    if (it.n_types > it.n_head)
        keep(y, &it, (uint32_t)at, label);
}

static void add_keys(saying *y, const ken_binding_rule *rule)
{
    for (size_t at = 0; at < y->text.len; at += rule->key.len) {
        size_t found = ken_str_find(ken_str_sub(y->text, at, y->text.len), rule->key);
        if (found == SIZE_MAX)
            return;
        at += found;
        if (is_key(y->text, at, rule->key))
            add_key(y, rule, at);
    }
}

// "sqlRepo", which Spring calls a SqlRepo.
static ken_str bean_name(ken_arena *arena, ken_str name)
{
    char *text = ken_arena_alloc(arena, name.len + 1);
    memcpy(text, name.ptr, name.len);
    text[name.len] = '\0';
    if (name.len && text[0] >= 'A' && text[0] <= 'Z')
        text[0] = (char)(text[0] - 'A' + 'a');
    return ken_str_n(text, name.len);
}

static bool is_decorated(const saying *y, const ken_symbol *sym, const ken_str *words, uint32_t n)
{
    const ken_refs *refs = y->u->refs;
    for (uint32_t i = ken_query__first_ref(refs, sym->span.start);
         i < refs->n_refs && refs->refs[i].byte < sym->signature.end; i++)
        if (refs->refs[i].role == KEN_REF_DECORATE &&
            ken_words_have(words, n, refs->exprs[refs->refs[i].expr].name))
            return true;
    return false;
}

static void add_function(saying *y, ken_graph_def def, uint32_t byte, ken_str label)
{
    query_binding it = { .site = KEN_BINDING_FUNCTION };
    const ken_symbol *sym = &y->u->facts->symbols[def.def];
    add_types(y, &it, sym->span.start, sym->signature.end, false);
    it.n_head = it.n_types;
    add_types(y, &it, sym->signature.end, sym->span.end, true);
    it.is_primary = is_decorated(y, sym, y->framework->primary, y->framework->n_primary);
    keep(y, &it, byte, label.len ? label : sym->name);
}

static void add_decorated(saying *y, const ken_binding_rule *rule, const ken_ref *r,
                          size_t name_end)
{
    int64_t within = ken_graph_within(y->b->g, y->file, r->byte);
    if (within < 0 || within >= y->u->facts->n_symbols)
        return;
    const ken_symbol *sym = &y->u->facts->symbols[within];
    ken_graph_def def = { y->file, (ken_def_id)within };
    bool has_text = name_end < y->text.len && y->text.ptr[name_end] == '(';
    ken_str label =
        has_text
            ? ken_query__quoted(y->text, name_end,
                                ken_query__behind_brackets(y->text, name_end, QUERY_EXTENT_MAX))
            : KEN_STR("");
    if (r->byte >= sym->signature.end)
        return;
    if (rule->site == KEN_BINDING_FUNCTION && ken_symbol_is_callable(sym->kind)) {
        add_function(y, def, r->byte, label);
    } else if (rule->site == KEN_BINDING_TYPE && ken_symbol_is_type(sym->kind)) {
        query_binding it = { .site = KEN_BINDING_TYPE, .types = { def }, .n_types = 1 };
        it.is_primary = is_decorated(y, sym, y->framework->primary, y->framework->n_primary);
        keep(y, &it, r->byte, label.len ? label : bean_name(y->arena, sym->name));
    }
}

// The factory function in the arguments of a call: the type that it constructs is injected.
static void add_provider(saying *y, const ken_ref *r, size_t name_end)
{
    const ken_refs *refs = y->u->refs;
    size_t end = ken_query__behind_brackets(y->text, name_end, QUERY_EXTENT_MAX);
    for (uint32_t i = ken_query__first_ref(refs, (uint32_t)name_end);
         i < refs->n_refs && refs->refs[i].byte < end; i++) {
        ken_targets t;
        ken_graph_resolve_ref(y->b->g, y->file, &refs->refs[i], &t);
        const ken_unit_text *u = t.n ? ken_graph_unit(y->b->g, t.defs[0].file) : NULL;
        if (!u || t.defs[0].def >= u->facts->n_symbols ||
            !ken_symbol_is_callable(ken_graph_kind(u, t.defs[0].def)))
            continue;
        y->file = t.defs[0].file;
        y->u = u;
        add_function(y, t.defs[0], r->byte, KEN_STR(""));
        y->file = y->home;
        y->u = ken_graph_unit(y->b->g, y->home);
        return;
    }
}

// A call, or what a grammar parses as a comparison: `single<A> { B() }`.
static bool is_call(const saying *y, const ken_ref *r, size_t name_end)
{
    bool has_angle = name_end < y->text.len && y->text.ptr[name_end] == '<';
    return r->role == KEN_REF_CALL || (r->role == KEN_REF_READ && has_angle);
}

static void add_names(saying *y, const ken_binding_rule *rule)
{
    const ken_refs *refs = y->u->refs;
    for (uint32_t i = 0; i < refs->n_refs; i++) {
        const ken_ref *r = &refs->refs[i];
        ken_str name = refs->exprs[r->expr].name;
        bool decorates = rule->site == KEN_BINDING_TYPE || rule->site == KEN_BINDING_FUNCTION;
        if (!ken_words_have(rule->names, rule->n_names, name) || r->byte >= y->text.len)
            continue;
        size_t name_end = r->byte + word_at(y->text, r->byte).len;
        if (decorates ? r->role != KEN_REF_DECORATE : !is_call(y, r, name_end))
            continue;
        if (decorates)
            add_decorated(y, rule, r, name_end);
        else if (rule->site == KEN_BINDING_PROVIDER)
            add_provider(y, r, name_end);
        else
            add_call(y, rule, r, name_end);
    }
}

static void look_into(saying *y)
{
    ken_str language = ken_str_c(ken_lang_name((ken_lang_id)y->u->lang));
    for (size_t i = 0; i < y->b->frameworks.items.len; i++) {
        y->framework = &y->b->frameworks.items.ptr[i];
        if (!y->framework->n_bindings || !ken_framework_covers(y->framework, language, y->u->refs))
            continue;
        for (uint32_t k = 0; k < y->framework->n_bindings; k++) {
            const ken_binding_rule *rule = &y->framework->bindings[k];
            if (rule->site == KEN_BINDING_KEY)
                add_keys(y, rule);
            else
                add_names(y, rule);
        }
    }
}

// ---- files --------------------------------------------------------------------------------------

const query_binding *ken_query__bindings_of(query_bindings *b, uint32_t file, uint32_t *out_n)
{
    file_bindings *f = &b->files[file];
    ken_arena *arena = ken_query__graph_arena(b->s);
    if (!f->is_known) {
        f->is_known = true;
        saying y = { .b = b, .home = file, .file = file, .arena = arena };
        y.u = ken_graph_unit(b->g, file);
        query_text t;
        ken_arena scratch; // what is read is not kept
        ken_arena_init(&scratch, 0);
        if (y.u && !ken_query__load_text(b->s, file, &scratch, &t, NULL)) {
            if (ken_query__need_text(&t)) {
                y.text = t.text;
                look_into(&y);
            }
            ken_query__close_text(&t);
        }
        ken_arena_release(&scratch);
        f->items = ken_arena_copy(arena, y.found.ptr, y.found.len, sizeof *f->items);
        f->n = (uint32_t)y.found.len;
        ken_vec_release(&y.found);
    }
    *out_n = f->n;
    return f->items;
}

bool ken_query__bindings_may(const query_bindings *b, uint32_t file)
{
    return b->may[file];
}

const ken_frameworks *ken_query__bindings_frameworks(const query_bindings *b)
{
    return &b->frameworks;
}

query_candidates *ken_query__bindings_kept(query_bindings *b, ken_graph_def method)
{
    bool is_new;
    uint64_t *at = ken_map_put(&b->methods, query_def_key(&method), b->candidates.len, &is_new);
    if (is_new)
        ken_vec_push(&b->candidates, (query_candidates){ 0 });
    return &b->candidates.ptr[*at];
}

// Files of the framework's languages that refer to one of the rule's names.
static void mark(query_bindings *b, const ken_framework *f, const ken_binding_rule *rule,
                 ken_arena *arena)
{
    for (uint32_t i = 0; i < rule->n_names; i++) {
        uint32_t *files;
        size_t n;
        if (ken_query__graph_files_with(b->s, rule->names[i], arena, &files, &n, NULL))
            continue;
        for (size_t k = 0; k < n; k++) {
            ken_lang_id lang = (ken_lang_id)b->s->contents[files[k]].lang;
            b->may[files[k]] = b->may[files[k]] || ken_words_have(f->languages, f->n_languages,
                                                                  ken_str_c(ken_lang_name(lang)));
        }
    }
}

query_bindings *ken_query__bindings_new(ken_snapshot *s, ken_graph *g)
{
    query_bindings *b = ken_zalloc(sizeof *b);
    ken_arena *arena = ken_query__graph_arena(s);
    b->s = s;
    b->g = g;
    ken_map_init(&b->methods);
    b->may = KEN_ARENA_ARRAY(arena, bool, s->n_files + 1);
    b->files = KEN_ARENA_ARRAY(arena, file_bindings, s->n_files + 1);
    ken_status st = ken_query__frameworks(s, false, arena, &b->frameworks, NULL);
    for (size_t i = 0; !st && i < b->frameworks.items.len; i++)
        for (uint32_t k = 0; k < b->frameworks.items.ptr[i].n_bindings; k++)
            mark(b, &b->frameworks.items.ptr[i], &b->frameworks.items.ptr[i].bindings[k], arena);
    return b;
}

void ken_query__bindings_free(query_bindings *b)
{
    if (!b)
        return;
    ken_frameworks_release(&b->frameworks);
    ken_map_release(&b->methods);
    ken_vec_release(&b->candidates);
    ken_free(b);
}
