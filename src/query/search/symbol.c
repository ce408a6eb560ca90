// SPDX-License-Identifier: MIT
// Definitions by name: symbol search and get_definition.
#include <stdlib.h>

#include "base/path.h"
#include "base/sorted.h"
#include "base/utf8.h"
#include "query/query_priv.h"

enum {
    PREFIX_MAX = 500,
    FUZZY_MAX = 100,
    MAX_SUGGESTIONS = 5,
    MAX_DEFINITIONS = 50
};

// Other people's code that lies in the tree.
bool ken_query__is_bundled(ken_str path)
{
    static const char *const folders[] = { "deps",     "vendor",     "third_party", "third-party",
                                           "external", "thirdparty", "contrib",     "submodules" };
    ken_str rest = ken_path_dir(path), part;
    while (ken_str_split_next(&rest, '/', &part))
        for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
            if (ken_str_eq_c(part, folders[i]))
                return true;
    return false;
}

// Types and functions before variables, shallow before nested, ordinary files before tests.
static double rank_of(const ken_snapshot *s, const query_name *n, ken_str hint)
{
    double order = n->order + 3.0 * n->closeness * 100;
    uint32_t bits = s->path_bits[n->file];
    if (!ken_symbol_is_type(n->kind))
        order += ken_symbol_is_callable(n->kind) ? 0.5 : 3;
    if (n->kind == KEN_SYMBOL_IMPL || n->kind == KEN_SYMBOL_NAMESPACE)
        order += 2;
    order += 0.3 * n->depth;
    if (bits & KEN_PATH_TEST)
        order += 4;
    if (ken_query__is_bundled(s->rows[n->file].path))
        order += 2;
    if (bits & (KEN_PATH_EXAMPLE | KEN_PATH_COMPAT | KEN_PATH_DOC | KEN_PATH_DATA))
        order += 3;
    if (bits & (KEN_PATH_INTERNAL | KEN_PATH_PLATFORM))
        order += 1;
    if (hint.len && ken_str_find(s->rows[n->file].path, hint) != SIZE_MAX)
        order -= 20;
    return order;
}

static int by_rank(const void *a, const void *b)
{
    const query_name *x = a, *y = b;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

// `fits`: by name, what fits the scope asked for comes before everything as close; may be NULL.
static void order_names(const ken_snapshot *s, query_names *names, ken_str hint,
                        const query_fit *fits)
{
    for (size_t i = 0; i < names->len; i++)
        names->ptr[i].order = rank_of(s, &names->ptr[i], hint) - (fits ? 60.0 * (int)fits[i] : 0);
    if (names->len)
        qsort(names->ptr, names->len, sizeof *names->ptr, by_rank);
}

// `typedef struct x { … } x;`: the second is the first thing in the first, and all that there is.
static bool is_same_place(const query_name *alias, const query_name *n)
{
    bool is_inner =
        n->kind == KEN_SYMBOL_STRUCT || n->kind == KEN_SYMBOL_UNION || n->kind == KEN_SYMBOL_ENUM;
    return is_inner && alias->kind == KEN_SYMBOL_TYPE && alias->file == n->file &&
           alias->symbol + 1 == n->symbol && alias->depth + 1 == n->depth &&
           ken_str_eq(alias->text, n->text);
}

// One of what would be shown twice at one place, from the name at `first` on; not where a kind is asked for.
// Names are by text, path and place.
static void fold_aliases(query_names *names, size_t first, const ken_search_opts *o)
{
    if (o && o->kind)
        return;
    size_t n = first;
    for (size_t i = first; i < names->len; i++)
        if (n == first || !is_same_place(&names->ptr[n - 1], &names->ptr[i]))
            names->ptr[n++] = names->ptr[i];
    names->len = n;
}

// ---- files of the question ---------------------------------------------------------------------
// Thousands of definitions of one name may be in one file: what it says is loaded once.

enum {
    FILES_HELD = 16
};

typedef struct symbol_file {
    uint32_t file;
    bool is_held, has_old;
    ken_status status; // of loading it
    query_text text;
    ken_facts old; // as it was indexed; of a changed file, when asked for
} symbol_file;

typedef struct symbol_files {
    ken_snapshot *s;
    ken_arena *arena;
    symbol_file held[FILES_HELD];
} symbol_files;

static symbol_file *hold(symbol_files *h, uint32_t file)
{
    symbol_file *f = &h->held[file % FILES_HELD];
    if (f->is_held && f->file == file)
        return f;
    if (f->is_held && !f->status)
        ken_query__close_text(&f->text);
    *f = (symbol_file){ .file = file, .is_held = true };
    f->status = ken_query__load_text(h->s, file, h->arena, &f->text, NULL);
    return f;
}

static void let_go(symbol_files *h)
{
    for (size_t i = 0; i < FILES_HELD; i++)
        if (h->held[i].is_held && !h->held[i].status)
            ken_query__close_text(&h->held[i].text);
}

// The symbol as the file has it now: by index when nothing changed, else the one most like it.
static int64_t find_symbol(symbol_files *h, symbol_file *f, const query_name *n)
{
    if (!f->text.is_refreshed)
        return n->symbol < f->text.facts.n_symbols ? (int64_t)n->symbol : -1;
    if (!f->has_old && ken_query__stored_facts(h->s, n->file, h->arena, &f->old, NULL))
        return -1;
    f->has_old = true;
    return ken_query__same_symbol(&f->old, n->symbol, &f->text.facts);
}

// The last that begins at or before the symbol; they are in order.
static uint32_t chunk_of(const ken_facts *facts, uint32_t symbol)
{
    uint32_t start = facts->symbols[symbol].span.start;
    size_t lo = KEN_FIRST_BEHIND_U32(ken_chunk, span.start, facts->chunks, facts->n_chunks, start);
    return lo ? (uint32_t)lo - 1 : 0;
}

// The best of them are about to be shown.
static void expect_names(ken_snapshot *s, const query_names *names, size_t from, size_t n,
                         ken_arena *arena)
{
    uint32_t *files = KEN_ARENA_ARRAY(arena, uint32_t, n + 1);
    size_t n_files = 0;
    for (size_t i = from; i < names->len && i - from < n; i++)
        files[n_files++] = names->ptr[i].file;
    ken_query__expect_files(s, files, n_files);
}

// ---- symbol search -----------------------------------------------------------------------------

static double similarity_of(const query_name *n)
{
    static const double closeness[] = { 1, 0.9, 0.7, 0.5 };
    return closeness[n->closeness];
}

static void fill_symbol(ken_snapshot *s, const query_name *n, const ken_search_opts *o,
                        query_text *t, uint32_t symbol, uint32_t chunk, ken_arena *arena,
                        ken_hit *hit)
{
    *hit = (ken_hit){ .score = similarity_of(n), .similarity = similarity_of(n) };
    const ken_symbol *sym = &t->facts.symbols[symbol];
    ken_query__fill_hit(
        s, n->file, t, chunk,
        &(query_centre){ (int32_t)symbol, sym->first_line, sym->last_line, sym->span }, o, arena,
        hit);
    hit->symbols = NULL; // it is one definition
    hit->n_symbols = 0;
}

static bool show_symbol(symbol_files *h, const query_name *n, const ken_search_opts *o,
                        ken_hit *hit)
{
    symbol_file *f = hold(h, n->file);
    int64_t symbol = f->status ? -1 : find_symbol(h, f, n);
    query_text *t = &f->text;
    if (symbol < 0 || !t->facts.n_chunks)
        return false;
    uint32_t chunk = chunk_of(&t->facts, (uint32_t)symbol);
    if (!ken_query__type_passes(t->facts.chunks[chunk].type, o) ||
        !ken_query__words_pass(t, t->facts.symbols[symbol].span, o))
        return false;
    fill_symbol(h->s, n, o, t, (uint32_t)symbol, chunk, h->arena, hit);
    return true;
}

// By what its posting says; what its file must say is asked when it is shown.
static bool name_passes(const ken_snapshot *s, const query_name *n, const ken_search_opts *o)
{
    return (!o->kind || n->kind == o->kind) && similarity_of(n) >= o->threshold &&
           ken_query__file_passes(s, n->file, o);
}

static size_t count_passing(const ken_snapshot *s, const query_names *names,
                            const ken_search_opts *o)
{
    size_t n = 0;
    for (size_t i = 0; i < names->len; i++)
        n += name_passes(s, &names->ptr[i], o);
    return n;
}

static query_fit best_fit(const query_names *names, const query_fit *fits)
{
    query_fit best = QUERY_FIT_NONE;
    for (size_t i = 0; i < names->len; i++)
        best = fits[i] > best ? fits[i] : best;
    return best;
}

// Of a name of signs alone none is alike.
static bool has_letters(ken_str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (ken_is_word(name.ptr[i]) || (unsigned char)name.ptr[i] >= 0x80)
            return true;
    return false;
}

// Names that are less alike are looked for only while results are wanted. Says whether it was not
// necessary to look for all of them.
static ken_status gather(ken_snapshot *s, ken_str name, const ken_search_opts *o,
                         const ken_cancel *cancel, ken_arena *arena, query_names *names,
                         bool *out_has_more, ken_err *err)
{
    size_t wanted = (size_t)ken_query__limit(o) + o->offset;
    *out_has_more = true;
    ken_status st = ken_query__names_equal(s, name, arena, names, err);
    fold_aliases(names, 0, o);
    if (st || count_passing(s, names, o) > wanted)
        return st;
    if (!has_letters(name)) {
        *out_has_more = false;
        return KEN_OK;
    }
    size_t n_before = names->len;
    st = ken_query__names_prefix(s, name, PREFIX_MAX, arena, names, err);
    if (!st)
        st = ken_cancel_check(cancel, err);
    bool is_cut = names->len - n_before >= PREFIX_MAX;
    fold_aliases(names, n_before, o);
    if (st || count_passing(s, names, o) > wanted)
        return st;
    n_before = names->len;
    st = ken_query__names_fuzzy(s, name, FUZZY_MAX, arena, names, err);
    *out_has_more = is_cut || names->len - n_before >= FUZZY_MAX;
    fold_aliases(names, n_before, o);
    return st;
}

ken_status ken_query__symbols(ken_snapshot *s, ken_str query, const ken_search_opts *o,
                              const ken_cancel *cancel, ken_arena *arena, ken_search_result *out,
                              ken_err *err)
{
    ken_str scope, name = ken_query__last_name(query, &scope);
    query_names names = { 0 };
    uint32_t limit = ken_query__limit(o), passed = 0;
    bool has_more = false;
    ken_status st = gather(s, name, o, cancel, arena, &names, &has_more, err);
    query_fit *fits = NULL;
    if (!st)
        st = ken_query__find_owned(s, &names, scope, arena, &fits, err);
    if (st) {
        ken_vec_release(&names);
        return st;
    }
    *out =
        (ken_search_result){ .hits = KEN_ARENA_ARRAY(arena, ken_hit, limit), .strategy = "symbol" };
    ken_str path = ken_query__say_path(s, query, best_fit(&names, fits), arena);
    if (path.len) {
        out->note =
            ken_arena_printf(arena, "a symbol was asked for: " KEN_STR_FMT, KEN_STR_ARG(path));
        names.len = 0;
        has_more = false;
    }
    order_names(s, &names, KEN_STR(""), fits);
    symbol_files files = { .s = s, .arena = arena };
    size_t n_unseen = 0;
    expect_names(s, &names, 0, o->offset + limit + 1, arena);
    for (size_t i = 0; i < names.len; i++) {
        const query_name *n = &names.ptr[i];
        st = ken_cancel_check(cancel, err);
        if (st)
            break;
        if (!name_passes(s, n, o))
            continue;
        // What follows the last one shown is looked at only until one is known to pass.
        bool is_full = out->n_hits == limit;
        ken_hit hit;
        if (is_full && out->is_truncated) {
            n_unseen++;
            continue;
        }
        if (!show_symbol(&files, n, o, &hit))
            continue;
        out->n_total++;
        out->is_truncated = is_full;
        if (!is_full && passed++ >= o->offset)
            out->hits[out->n_hits++] = hit;
    }
    let_go(&files);
    ken_vec_release(&names);
    // What their files say of the unseen ones may leave some of them out.
    bool is_asked_of_files = o->chunk_types || ken_query__has_words(o);
    out->n_total += is_asked_of_files ? 0 : n_unseen;
    out->is_at_least = has_more || (is_asked_of_files && n_unseen);
    return ken_query__settle_search(st, out, err);
}

// ---- definitions -------------------------------------------------------------------------------

static bool show_definition(symbol_files *h, const query_name *n, ken_definition *d)
{
    ken_snapshot *s = h->s;
    ken_arena *arena = h->arena;
    symbol_file *f = hold(h, n->file);
    int64_t at = f->status ? -1 : find_symbol(h, f, n);
    if (at < 0)
        return false;
    query_text *t = &f->text;
    const ken_symbol *sym = &t->facts.symbols[at];
    *d = (ken_definition){
        .path = s->rows[n->file].path,
        .language = ken_str_c(ken_lang_name((ken_lang_id)t->facts.lang)),
        .name = ken_arena_dup(arena, ken_query__repaired(arena, sym->name)),
        .qualified = ken_view_qualified(arena, &t->facts, (uint32_t)at),
        .kind = sym->kind,
        .visibility = sym->visibility,
        .first_line = sym->first_line,
        .last_line = sym->last_line,
        .span = sym->span,
        .signature = ken_query__signature(t, (uint32_t)at),
        .doc = ken_query__slice(t, sym->doc),
        .content = ken_query__slice(t, sym->span),
        .is_exact = n->closeness == 0 && !n->lacks_scope,
        .is_refreshed = t->is_refreshed,
    };
    return true;
}

static ken_status suggest(ken_snapshot *s, ken_str name, ken_arena *arena,
                          ken_definition_result *out, ken_err *err)
{
    query_names near = { 0 };
    if (!has_letters(name))
        return KEN_OK;
    ken_status st = ken_query__names_prefix(s, name, PREFIX_MAX, arena, &near, err);
    if (!st && near.len < MAX_SUGGESTIONS)
        st = ken_query__names_fuzzy(s, name, FUZZY_MAX, arena, &near, err);
    order_names(s, &near, KEN_STR(""), NULL);
    out->suggestions = KEN_ARENA_ARRAY(arena, ken_str, MAX_SUGGESTIONS);
    for (size_t i = 0; !st && i < near.len && out->n_suggestions < MAX_SUGGESTIONS; i++) {
        bool is_new = true;
        for (size_t j = 0; j < out->n_suggestions; j++)
            is_new = is_new && !ken_str_eq(out->suggestions[j], near.ptr[i].text);
        if (is_new)
            out->suggestions[out->n_suggestions++] = near.ptr[i].text;
    }
    ken_vec_release(&near);
    return st;
}

// With a scope that fits any, the others are left out; when it fits none, they are marked.
static void keep_best_fit(query_names *names, const query_fit *fits, query_fit best, bool has_scope)
{
    size_t n = 0;
    for (size_t i = 0; i < names->len; i++)
        if (fits[i] == best)
            names->ptr[n++] = names->ptr[i];
    names->len = n;
    for (size_t i = 0; i < n; i++)
        names->ptr[i].lacks_scope = has_scope && best == QUERY_FIT_NONE;
}

// `file.c:name` names a file; what stands before its colon is the end of a path.
static bool is_behind_path(ken_str name, ken_str last)
{
    size_t at = (size_t)(last.ptr - name.ptr);
    return at && name.ptr[at - 1] == ':' && !(at > 1 && name.ptr[at - 2] == ':');
}

ken_str ken_query__missed_scope(const query_names *names, ken_str name)
{
    ken_str scope = KEN_STR("");
    if (names->len && names->ptr[0].lacks_scope)
        ken_query__last_name(name, &scope);
    return scope;
}

static void fill(ken_snapshot *s, const query_names *names, size_t offset, size_t limit,
                 ken_arena *arena, ken_definition_result *out)
{
    symbol_files files = { .s = s, .arena = arena };
    out->defs = KEN_ARENA_ARRAY(arena, ken_definition, limit);
    expect_names(s, names, offset, limit, arena);
    for (size_t i = offset; i < names->len && out->n_defs < limit && !ken_quota_is_over(); i++)
        out->n_defs += show_definition(&files, &names->ptr[i], &out->defs[out->n_defs]);
    let_go(&files);
    out->n_total = names->len;
}

static ken_status find_names(ken_snapshot *s, ken_str name, ken_arena *arena, query_names *names,
                             ken_err *err)
{
    names->len = 0;
    query_fit *fits = NULL;
    ken_str scope, last = ken_query__last_name(name, &scope);
    ken_status st = ken_query__names_equal(s, last, arena, names, err);
    if (!st)
        st = ken_query__find_owned(s, names, scope, arena, &fits, err);
    if (st)
        return st;
    query_fit best = best_fit(names, fits);
    keep_best_fit(names, fits, best, scope.len && !is_behind_path(name, last));
    if (names->len && ken_query__say_path(s, name, best, arena).len)
        names->len = 0;
    return KEN_OK;
}

ken_status ken_query__find_names(ken_snapshot *s, ken_str name, ken_str file_hint, ken_arena *arena,
                                 query_names *out, ken_err *err)
{
    query_check_pin(s);
    ken_status st = find_names(s, name, arena, out, err);
    if (!st)
        order_names(s, out, file_hint, NULL);
    return st;
}

ken_status ken_find_definition(ken_snapshot *s, const ken_definition_opts *o, ken_arena *arena,
                               ken_definition_result *out, ken_err *err)
{
    ken_str name = ken_str_trim(o->name);
    size_t limit = o->limit;
    if (!name.len || name.len > 500)
        return KEN_FAIL(err, KEN_EINVAL, "symbol_name: expected 1 to 500 bytes, got %zu", name.len);
    if (!limit || limit > MAX_DEFINITIONS)
        limit = MAX_DEFINITIONS;
    ken_str scope, last = ken_query__last_name(name, &scope);
    query_names names = { 0 };
    *out = (ken_definition_result){ 0 };
    query_check_pin(s);
    ken_status st = find_names(s, name, arena, &names, err);
    if (!st) {
        fold_aliases(&names, 0, NULL);
        order_names(s, &names, o->file_hint, NULL);
        fill(s, &names, o->offset, limit, arena, out);
        out->missed_scope = ken_query__missed_scope(&names, name);
        st = ken_quota_check(err);
        if (!st && !out->n_total)
            out->is_path = ken_query__say_path(s, name, QUERY_FIT_NONE, arena);
        if (!st && !out->is_path.len && !out->n_defs && o->offset < out->n_total + !out->n_total)
            st = suggest(s, last, arena, out, err);
    }
    ken_vec_release(&names);
    return st;
}

ken_str ken_definition_near(const ken_definition_result *r, ken_arena *arena)
{
    ken_str near = { "", 0 };
    if (r->is_path.len)
        return ken_arena_printf(arena, ": " KEN_STR_FMT, KEN_STR_ARG(r->is_path));
    for (size_t i = 0; i < r->n_suggestions && i < MAX_SUGGESTIONS; i++) {
        ken_str name = ken_utf8_clip(r->suggestions[i], 60);
        near = ken_arena_printf(arena, KEN_STR_FMT "%s" KEN_STR_FMT, KEN_STR_ARG(near),
                                i ? ", " : "; near names: ", KEN_STR_ARG(name));
    }
    return near;
}
