// SPDX-License-Identifier: MIT
// Dead code: definitions that nothing in the tree uses, as far as that can be known.
//
// Four filters, the cheapest first. Definitions that may be called without being named (through an
// interface, by a framework, by users of the library) get a class of their own. Then all references by
// the name are resolved: one that stays unresolved, or leads to something that may be the same thing,
// makes the definition doubtful. The remaining names are searched as words in text without references:
// strings, preprocessor directives, markup, settings, files with syntax errors, and of a local one the
// function around it. A definition that passes all filters is dead.
#include <stdlib.h>

#include "base/path.h"
#include "lang/lang_ref_rules.h"
#include "query/code/arch_priv.h"
#include "query/query_refs_priv.h"

enum {
    DEAD_BATCH = 256,
    TEXT_MAX = 10 << 20, // bytes of a file that is searched
    TWINS_MAX = 16,
    WORD_MAX = 200
};

static const char *const class_words[KEN_DEAD_CLASS_COUNT] = {
#define X(name, word, why) [KEN_DEAD_##name] = (word),
    KEN_DEAD_CLASS_TABLE(X)
#undef X
};

static const char *const class_texts[KEN_DEAD_CLASS_COUNT] = {
#define X(name, word, why) [KEN_DEAD_##name] = (why),
    KEN_DEAD_CLASS_TABLE(X)
#undef X
};

const char *ken_dead_class_word(ken_dead_class c)
{
    return c < KEN_DEAD_CLASS_COUNT ? class_words[c] : "";
}

const char *ken_dead_class_text(ken_dead_class c)
{
    return c < KEN_DEAD_CLASS_COUNT ? class_texts[c] : "";
}

// A definition that nothing was found to use.
typedef struct suspect {
    ken_graph_def id;
    ken_str name;    // the graph's, which may go; copied when it is kept
    ken_span span;   // of the whole definition
    ken_span around; // of the function that it is local to; empty: it is local to none
    ken_dead_class class;
    uint32_t n_elsewhere, n_unresolved, n_texts;
    uint32_t next; // of the same name, + 1
    bool is_macro;
} suspect;

typedef struct burying {
    ken_snapshot *s;
    ken_graph *g;
    const ken_dead_opts *o;
    const ken_cancel *cancel;
    ken_arena *arena;
    suspect batch[DEAD_BATCH];
    uint32_t n_batch;
    query_edges edges;
    ken_map used; // definitions of the batch that an edge leads to
    KEN_VEC(suspect) kept;
    ken_map words;    // name -> first of `kept`, + 1
    ken_map packages; // a file that would make its folder one -> whether it is there
    uint32_t n_looked_at;
} burying;

// ---- what may be used without being named -------------------------------------------------------

static const ken_def_info *info_of(const ken_unit_text *u, uint32_t def)
{
    return def < u->refs->n_defs ? &u->refs->defs[def] : NULL;
}

// Names by which a language itself calls a definition.
static bool is_entry(const ken_unit_text *u, const ken_symbol *s)
{
    return ken_str_fits("main operator* ~*", s->name) ||
           ken_str_fits(ken_lang_at(u->lang)->entry_names, s->name);
}

// The function that it is local to; empty when it is local to none.
static ken_span function_around(const ken_unit_text *u, const ken_symbol *s)
{
    for (int32_t p = s->parent; p >= 0; p = u->facts->symbols[p].parent)
        if (ken_symbol_is_callable(u->facts->symbols[p].kind))
            return u->facts->symbols[p].span;
    return (ken_span){ 0 };
}

// Whether the folder of the file holds the file that makes it a package.
static bool is_in_package(burying *b, uint32_t file, const char *package_file)
{
    ken_str dir = ken_path_dir(b->s->rows[file].path);
    ken_str path = ken_path_join(b->arena, dir, ken_str_c(package_file));
    ken_fs_info info; // empty ones are not in the index
    bool is_new = false;
    uint64_t *is_there = ken_map_put(&b->packages, path, 0, &is_new);
    if (is_new)
        *is_there =
            ken_query__has_files(b->s, path) && !ken_query__stat_file(b->s, path, &info, NULL);
    return *is_there;
}

// Whether what the file shows is imported by nobody: it is of a program.
static bool is_alone(burying *b, const ken_unit_text *u, uint32_t file)
{
    const ken_language *lang = ken_lang_at(u->lang);
    return (lang->program_package && ken_str_eq_c(u->refs->package, lang->program_package)) ||
           (lang->package_file && !is_in_package(b, file, lang->package_file));
}

// Declared in a public header: below a folder called include.
static bool is_in_header(burying *b, ken_graph_def d)
{
    ken_graph_def same[TWINS_MAX];
    uint32_t n = ken_graph_twins(b->g, d, same, TWINS_MAX);
    for (uint32_t i = 0; i < n; i++) {
        ken_str rest = b->s->rows[same[i].file].path, part;
        while (ken_str_split_next(&rest, '/', &part))
            if (ken_str_eq(part, KEN_STR("include")))
                return true;
    }
    return false;
}

// A file of declarations alone (x.d.ts) says what others may name, and adds to what stands elsewhere.
static bool is_in_declarations(burying *b, const ken_unit_text *u, uint32_t file)
{
    const char *names = ken_lang_at(u->lang)->declaration_files;
    return names && ken_str_fits(names, ken_path_base(b->s->rows[file].path));
}

static bool is_open(ken_visibility v)
{
    return v == KEN_VISIBILITY_PUBLIC || v == KEN_VISIBILITY_PROTECTED;
}

// Whether code outside of the tree may name it.
static bool is_exported(burying *b, const ken_unit_text *u, ken_graph_def d)
{
    const ken_symbol *s = &u->facts->symbols[d.def];
    const ken_def_info *info = info_of(u, d.def);
    if (info && (info->flags & (KEN_DEF_EXPORTED | KEN_DEF_PREFIXED)))
        return true;
    if (function_around(u, s).end)
        return false;
    // Through an interface of a library, whatever its type is called: json.Marshaler asks for MarshalJSON.
    if (ken_lang_at(u->lang)->has_method_sets && s->kind == KEN_SYMBOL_METHOD &&
        is_open(s->visibility))
        return true;
    if (ken_lang_at(u->lang)->exports_by_header)
        return s->visibility != KEN_VISIBILITY_PRIVATE && is_in_header(b, d);
    bool is_seen = is_open(s->visibility) || (s->parent < 0 && is_in_declarations(b, u, d.file));
    if (!is_seen || is_alone(b, u, d.file))
        return false;
    if (s->parent < 0)
        return true;
    return is_exported(b, u, (ken_graph_def){ d.file, (ken_def_id)s->parent });
}

// An attribute of a block is about all that is in it (`#[pymethods] impl T`, `#[cfg(test)] mod tests`).
static bool is_decorated(const ken_unit_text *u, const ken_symbol *s)
{
    if (ken_query__is_decorated(u, s, NULL))
        return true;
    for (int32_t p = s->parent; p >= 0; p = u->facts->symbols[p].parent) {
        const ken_symbol *block = &u->facts->symbols[p];
        if ((block->kind == KEN_SYMBOL_IMPL || block->kind == KEN_SYMBOL_MODULE) &&
            ken_query__is_decorated(u, block, NULL))
            return true;
    }
    return false;
}

// `for name in globals()`: whatever stands at the top of the file may be run by its name.
static bool lists_own_names(const ken_unit_text *u)
{
    const char *names = ken_lang_at(u->lang)->own_names;
    for (uint32_t i = 0; names && i < u->refs->n_refs; i++)
        if (u->refs->refs[i].role == KEN_REF_CALL &&
            ken_str_fits(names, u->refs->exprs[u->refs->refs[i].expr].name))
            return true;
    return false;
}

// A base class outside of the tree may call its methods.
static bool has_bases(const ken_unit_text *u, int32_t owner)
{
    for (uint32_t i = 0; owner >= 0 && i < u->refs->n_bases; i++)
        if (u->refs->bases[i].def == (ken_def_id)owner && u->refs->bases[i].kind != KEN_BASE_OWNER)
            return true;
    return false;
}

static bool is_of_type(const ken_symbol *owner)
{
    return ken_symbol_is_type(owner->kind) || owner->kind == KEN_SYMBOL_IMPL ||
           owner->kind == KEN_SYMBOL_MODULE || owner->kind == KEN_SYMBOL_NAMESPACE ||
           owner->kind == KEN_SYMBOL_OBJECT;
}

static bool is_implementation(burying *b, const ken_unit_text *u, ken_graph_def d)
{
    const ken_symbol *s = &u->facts->symbols[d.def];
    const ken_def_info *info = info_of(u, d.def);
    ken_graph_def base[1];
    if (info && (info->flags & (KEN_DEF_OVERRIDE | KEN_DEF_ABSTRACT)))
        return true;
    if (!ken_symbol_is_callable(s->kind))
        return false;
    // Of an object without a name: `new Runnable() { … }` is built on what it names.
    if (s->kind == KEN_SYMBOL_METHOD && s->parent >= 0 &&
        !is_of_type(&u->facts->symbols[s->parent]))
        return true;
    return has_bases(u, s->parent) || ken_graph_overridden(b->g, d, base, 1) > 0;
}

// Whether places that use names are known of the language at all.
static bool has_refs(uint16_t lang)
{
    return ken_lang_ref_rules((ken_lang_id)lang) != NULL;
}

static bool is_candidate(const ken_unit_text *u, uint32_t def)
{
    const ken_symbol *s = &u->facts->symbols[def];
    bool is_kind = ken_symbol_is_callable(s->kind) || ken_symbol_is_type(s->kind);
    return is_kind && s->kind != KEN_SYMBOL_CONSTRUCTOR && s->kind != KEN_SYMBOL_MODULE &&
           s->kind != KEN_SYMBOL_IMPL && s->name.len > 1 && s->name.len < WORD_MAX &&
           def < u->refs->n_defs && has_refs(u->lang) && !is_entry(u, s);
}

static ken_dead_class class_of(burying *b, const ken_unit_text *u, ken_graph_def d, bool is_listing)
{
    if (is_decorated(u, &u->facts->symbols[d.def]))
        return KEN_DEAD_REGISTERED;
    if (is_listing && u->facts->symbols[d.def].parent < 0)
        return KEN_DEAD_LISTED;
    if (is_implementation(b, u, d))
        return KEN_DEAD_IMPLEMENTATION;
    u = ken_graph_unit(b->g, d.file);
    return u && is_exported(b, u, d) ? KEN_DEAD_EXPORTED : KEN_DEAD_UNUSED;
}

// ---- references by the name ---------------------------------------------------------------------

static bool is_within(const suspect *x, uint32_t file, uint32_t byte)
{
    return file == x->id.file && byte >= x->span.start && byte < x->span.end;
}

// One type, or two of one name in one folder: the files of two platforms, the real one and its stand-in.
static bool may_be_one_type(burying *b, ken_graph_def a, ken_graph_def c)
{
    if (ken_graph_def_eq(a, c))
        return true;
    ken_str dir = ken_path_dir(b->s->rows[a.file].path);
    if (!ken_str_eq(dir, ken_path_dir(b->s->rows[c.file].path)))
        return false;
    const ken_unit_text *u = ken_graph_unit(b->g, a.file);
    ken_str name = u ? ken_arena_dup(b->arena, ken_graph_name(u, a.def)) : KEN_STR("");
    u = ken_graph_unit(b->g, c.file); // the other may have been let go of
    return u && name.len && ken_str_eq(name, ken_graph_name(u, c.def));
}

// Whether it may be taken for the suspect: both sides of an #if, the files of two platforms, what is
// declared and defined.
static bool may_be_same(burying *b, const suspect *x, ken_graph_def other)
{
    if (ken_graph_def_eq(x->id, other))
        return true;
    const ken_unit_text *u = ken_graph_unit(b->g, other.file);
    if (!u || !ken_str_eq(ken_graph_name(u, other.def), x->name))
        return false;
    ken_graph_def a, c;
    bool has_a = ken_graph_type_of(b->g, x->id, &a), has_c = ken_graph_type_of(b->g, other, &c);
    if (has_a && has_c)
        return may_be_one_type(b, a, c);
    return has_a == has_c;
}

// One reference by the name of a suspect.
static void weigh(burying *b, suspect *x, const query_refs *said, const query_ref *r)
{
    const ken_unit_text *u = ken_graph_unit(b->g, r->file);
    if (u && is_within(x, r->file, u->refs->refs[r->ref].byte))
        return;
    if (r->class >= KEN_EDGE_INFERRED) {
        x->n_unresolved++;
        return;
    }
    x->n_elsewhere++;
    for (uint32_t i = 0; i < r->n_targets; i++)
        if (x->class == KEN_DEAD_UNUSED && may_be_same(b, x, said->targets[r->first_target + i]))
            x->class = KEN_DEAD_TWIN;
}

static ken_status weigh_batch(burying *b, ken_err *err)
{
    ken_str names[DEAD_BATCH];
    const query_refs *said[DEAD_BATCH] = { NULL };
    for (uint32_t i = 0; i < b->n_batch; i++)
        names[i] = b->batch[i].name;
    ken_status st = ken_query__refs_get(b->s, b->g, QUERY_REFS_NAME, names, b->n_batch, b->cancel,
                                        b->arena, said, err);
    for (uint32_t i = 0; !st && !ken_quota_is_settled() && i < b->n_batch; i++) {
        suspect *x = &b->batch[i];
        for (uint32_t k = 0; said[i] && k < said[i]->n_refs; k++)
            weigh(b, x, said[i], &said[i]->refs[k]);
        if (x->class == KEN_DEAD_UNUSED && x->n_unresolved)
            x->class = KEN_DEAD_NAMED;
    }
    return st;
}

static void add_suspect(burying *b, const suspect *x)
{
    suspect copy = *x;
    copy.name = ken_arena_dup(b->arena, x->name);
    uint64_t *at = ken_map_put(&b->words, copy.name, 0, NULL);
    copy.next = (uint32_t)*at;
    ken_vec_push(&b->kept, copy);
    *at = b->kept.len;
}

static ken_status end_batch(burying *b, ken_err *err)
{
    ken_graph_def defs[DEAD_BATCH];
    query_edges unresolved = { 0 };
    for (uint32_t i = 0; i < b->n_batch; i++)
        defs[i] = b->batch[i].id;
    ken_vec_clear(&b->edges);
    ken_status st = ken_query__edges_to(b->s, b->g, defs, b->n_batch, b->cancel, b->arena,
                                        &b->edges, &unresolved, err);
    if (!st && !ken_quota_is_settled())
        st = weigh_batch(b, err);
    bool is_part = ken_quota_is_settled(); // of a part of the uses nothing follows
    ken_map_init(&b->used);
    for (size_t i = 0; !st && !is_part && i < b->edges.len; i++) {
        const query_edge *e = &b->edges.ptr[i];
        const ken_unit_text *u = ken_graph_unit(b->g, e->file);
        for (uint32_t k = 0; u && k < b->n_batch; k++)
            if (ken_graph_def_eq(b->batch[k].id, e->to) &&
                !is_within(&b->batch[k], e->file, u->refs->refs[e->ref].byte))
                ken_map_put(&b->used, query_def_key(&e->to), 1, NULL);
    }
    for (uint32_t i = 0; !st && !is_part && i < b->n_batch; i++)
        if (!ken_map_find(&b->used, query_def_key(&b->batch[i].id)))
            add_suspect(b, &b->batch[i]);
    ken_map_release(&b->used);
    ken_vec_release(&unresolved);
    b->n_batch = 0;
    return st;
}

static ken_status look_at(burying *b, uint32_t file, ken_err *err)
{
    const ken_unit_text *u = ken_graph_unit(b->g, file);
    ken_status st = KEN_OK;
    bool is_listing = u && lists_own_names(u);
    for (uint32_t i = 0; u && !st && !ken_quota_is_settled() && i < u->facts->n_symbols; i++) {
        ken_graph_def d = { file, i };
        st = ken_cancel_check(b->cancel, err);
        if (st || !is_candidate(u, i))
            continue;
        suspect x = { .id = d,
                      .name = u->facts->symbols[i].name,
                      .span = u->facts->symbols[i].span,
                      .around = function_around(u, &u->facts->symbols[i]),
                      .is_macro = u->facts->symbols[i].kind == KEN_SYMBOL_MACRO,
                      .class = class_of(b, u, d, is_listing) };
        b->batch[b->n_batch++] = x;
        if (b->n_batch == DEAD_BATCH)
            st = end_batch(b, err);
        u = ken_graph_unit(b->g, file); // it may have been let go of
    }
    return st;
}

static ken_status look_at_all(burying *b, const query_focus *focus, ken_err *err)
{
    ken_status st = KEN_OK;
    for (uint32_t f = 0; !st && !ken_quota_is_settled() && f < b->s->n_files; f++) {
        st = ken_cancel_check(b->cancel, err);
        if (st || !ken_query__in_focus(b->s, f, focus) || ken_query__is_test(b->s, f) ||
            ken_query__is_generated(b->s, f))
            continue;
        ken_query__graph_ease(b->s);
        if (!b->n_batch && ken_query__graph_is_full(b->s)) { // the batch points at its names
            ken_query__graph_close(b->s);
            st = ken_query__graph_open(b->s, &b->g, err);
        }
        if (!st)
            st = look_at(b, f, err);
        b->n_looked_at = f + 1;
    }
    if (!st && b->n_batch && !ken_quota_is_settled())
        st = end_batch(b, err);
    return st;
}

// ---- words in texts -----------------------------------------------------------------------------

static bool is_word(char c)
{
    return ken_is_alpha(c) || ken_is_digit(c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

typedef struct reading {
    burying *b;
    uint32_t file;
    ken_str text;
    bool is_all;       // every word counts: it has no references, or not all of them
    bool has_macros;   // lines of a preprocessor count
    bool has_locals;   // what is local to a function is suspected here
    bool is_directive; // the line at hand is one
    char quote;        // that is open on the line at hand, 0 = none
} reading;

// A variable of the same name may hold it, and uses of variables are no references.
static bool is_near(const reading *r, const suspect *x, size_t at)
{
    return r->file == x->id.file && at >= x->around.start && at < x->around.end;
}

// A macro is expanded as text: any place with its name counts.
static bool is_said(const reading *r, const suspect *x, size_t at)
{
    return r->is_all || r->is_directive || r->quote || (r->has_macros && x->is_macro) ||
           is_near(r, x, at);
}

static void meet(reading *r, size_t from, size_t to)
{
    const uint64_t *at = ken_map_find(&r->b->words, ken_str_sub(r->text, from, to));
    for (uint64_t i = at ? *at : 0; i; i = r->b->kept.ptr[i - 1].next) {
        suspect *x = &r->b->kept.ptr[i - 1];
        if (is_said(r, x, from) && !is_within(x, r->file, (uint32_t)from))
            x->n_texts++;
    }
}

// The first sign of a line behind white space is '#', or the line before goes on.
static bool begins_directive(const reading *r, size_t at)
{
    if (r->is_directive && at >= 2 && r->text.ptr[at - 2] == '\\')
        return true;
    while (at < r->text.len && (r->text.ptr[at] == ' ' || r->text.ptr[at] == '\t'))
        at++;
    return at < r->text.len && r->text.ptr[at] == '#';
}

static void read_words(reading *r)
{
    ken_str t = r->text;
    r->is_directive = r->has_macros && begins_directive(r, 0);
    for (size_t i = 0; i < t.len;) {
        char c = t.ptr[i];
        if (is_word(c)) {
            size_t from = i;
            while (i < t.len && is_word(t.ptr[i]))
                i++;
            bool may_be = r->is_all || r->has_macros || r->has_locals || r->quote;
            if (may_be && i - from > 1 && i - from < WORD_MAX)
                meet(r, from, i);
            continue;
        }
        i++;
        if (c == '\n') {
            r->quote = 0;
            r->is_directive = r->has_macros && begins_directive(r, i);
        } else if (c == '\\') {
            i += i < t.len && t.ptr[i] != '\n';
        } else if (c == '"' || c == '\'' || c == '`') {
            r->quote = !r->quote ? c : r->quote == c ? 0 : r->quote;
        }
    }
}

// An attribute stands before it: `#[no_mangle]`, `[Fact]`, `@export`.
static void find_attributes(reading *r)
{
    for (size_t i = 0; i < r->b->kept.len; i++) {
        suspect *x = &r->b->kept.ptr[i];
        if (x->id.file != r->file || x->class != KEN_DEAD_UNUSED || x->span.start > r->text.len)
            continue;
        size_t at = x->span.start;
        while (at && ken_is_space(r->text.ptr[at - 1]))
            at--;
        if (at && r->text.ptr[at - 1] == ']')
            x->class = KEN_DEAD_REGISTERED;
    }
}

// Names in prose are no uses.
static bool is_prose(const ken_snapshot *s, uint32_t file, uint16_t lang)
{
    const ken_language *l = ken_lang_at(lang);
    ken_str ext = ken_path_ext(s->rows[file].path);
    return l->role == KEN_LANG_ROLE_DOC &&
           (!l->is_fallback || !ext.len || ken_str_fits(l->extensions, ext));
}

static bool has_locals(const burying *b, uint32_t file)
{
    for (size_t i = 0; i < b->kept.len; i++)
        if (b->kept.ptr[i].id.file == file && b->kept.ptr[i].around.end)
            return true;
    return false;
}

static void read_file(burying *b, uint32_t file, ken_buf *text)
{
    uint16_t lang = b->s->contents[file].lang;
    const ken_unit_text *u = ken_graph_unit(b->g, file);
    ken_err e = { 0 };
    if (is_prose(b->s, file, lang))
        return;
    ken_buf_clear(text);
    if (ken_query__read_file(b->s, b->s->rows[file].path, TEXT_MAX, text, &e)) {
        ken_query__set_unread(b->s, b->s->rows[file].path, &e);
        return;
    }
    reading r = { .b = b,
                  .file = file,
                  .text = ken_buf_str(text),
                  .is_all = !u || !has_refs(lang) || u->facts->n_error_bytes ||
                            ken_lang_role_of((ken_lang_id)lang) != KEN_LANG_ROLE_CODE,
                  .has_macros = ken_lang_at(lang)->has_preprocessor,
                  .has_locals = has_locals(b, file) };
    read_words(&r);
    find_attributes(&r);
}

static ken_status read_all(burying *b, ken_err *err)
{
    ken_buf text = KEN_BUF_INIT(TEXT_MAX + 1);
    ken_status st = KEN_OK;
    for (uint32_t f = 0;
         !st && b->kept.len && ken_query__has_files(b->s, KEN_STR("")) && f < b->s->n_files; f++) {
        ken_query__graph_ease(b->s);
        read_file(b, f, &text);
        st = ken_cancel_check(b->cancel, err);
    }
    ken_buf_release(&text);
    for (size_t i = 0; i < b->kept.len; i++)
        if (b->kept.ptr[i].class == KEN_DEAD_UNUSED && b->kept.ptr[i].n_texts)
            b->kept.ptr[i].class = KEN_DEAD_TEXT;
    return st;
}

// ---- the answer ---------------------------------------------------------------------------------

static int by_class(const void *a, const void *b)
{
    const suspect *x = a, *y = b;
    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    if (x->id.file != y->id.file)
        return x->id.file < y->id.file ? -1 : 1;
    return (x->id.def > y->id.def) - (x->id.def < y->id.def);
}

static ken_str why(const burying *b, const suspect *x)
{
    ken_str text = ken_str_c(class_texts[x->class]);
    uint32_t n = x->class == KEN_DEAD_NAMED  ? x->n_unresolved
                 : x->class == KEN_DEAD_TEXT ? x->n_texts
                                             : 0;
    if (n)
        return ken_arena_printf(b->arena, KEN_STR_FMT " (%u place%s)", KEN_STR_ARG(text), n,
                                n == 1 ? "" : "s");
    if (x->class == KEN_DEAD_UNUSED && x->n_elsewhere)
        return ken_arena_printf(b->arena, KEN_STR_FMT "; %u place%s with the name lead%s elsewhere",
                                KEN_STR_ARG(text), x->n_elsewhere, x->n_elsewhere == 1 ? "" : "s",
                                x->n_elsewhere == 1 ? "s" : "");
    return text;
}

static void show(burying *b, ken_dead_result *out)
{
    uint32_t limit = b->o->limit;
    out->items = KEN_ARENA_ARRAY(b->arena, ken_dead, limit + (size_t)1);
    if (b->kept.len)
        qsort(b->kept.ptr, b->kept.len, sizeof *b->kept.ptr, by_class);
    for (size_t i = 0; i < b->kept.len; i++) {
        const suspect *x = &b->kept.ptr[i];
        bool is_wanted = x->class == KEN_DEAD_UNUSED || b->o->wants_all;
        out->n_by_class[x->class]++;
        out->n_total += is_wanted;
        ken_dead *d = &out->items[out->n];
        if (!is_wanted || out->n_total <= b->o->offset || out->n >= limit)
            continue;
        *d = (ken_dead){ .class = x->class, .n_unresolved = x->n_unresolved, .why = why(b, x) };
        out->n += ken_query__graph_name(b->s, x->id, b->arena, &d->node);
    }
}

ken_status ken_find_dead(ken_snapshot *s, const ken_dead_opts *o, const ken_cancel *cancel,
                         ken_arena *arena, ken_dead_result *out, ken_err *err)
{
    query_focus focus;
    ken_quota_offer_part();
    burying *b = KEN_ARENA_NEW(arena, burying);
    *b = (burying){ .s = s, .o = o, .cancel = cancel, .arena = arena };
    *out = (ken_dead_result){ 0 };
    ken_status st = ken_query__focus_on(s, KEN_ARCH_FULL, o->folder, arena, &focus, err);
    if (!st)
        st = ken_query__graph_open(s, &b->g, err);
    if (st)
        return st;
    ken_map_init(&b->words);
    ken_map_init(&b->packages);
    st = look_at_all(b, &focus, err);
    if (!st && !ken_quota_is_settled())
        st = read_all(b, err); // without it nothing is known to be dead
    bool is_part = ken_quota_is_settled() || (b->kept.len && ken_quota_settle(st, err));
    if (is_part) {
        ken_quota_say("%u of %u files were searched", b->n_looked_at, s->n_files);
        st = ken_quota_fail_empty(err);
    }
    if (!st)
        show(b, out);
    ken_map_release(&b->words);
    ken_map_release(&b->packages);
    ken_vec_release(&b->kept);
    ken_vec_release(&b->edges);
    return st;
}
