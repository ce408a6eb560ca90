// SPDX-License-Identifier: MIT
// The graph over a snapshot: units come from the store, those of changed files from the disk, names from
// the name index. Everything loaded is cached until the generation changes, up to a bound.
#include "query/query_graph.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "base/map.h"
#include "mention/mention.h"
#include "metrics/metrics.h"
#include "query/query_base_priv.h"
#include "query/query_refs_priv.h"
#include "query/query_units_priv.h"
#include "scan/scan.h"
#include "secret/secret.h"

enum {
    GRAPH_BYTES_MAX = 96 << 20, // of the caches, unless the snapshot sets another
    SAID_SHARE = 8,             // of it for what names mean
    NAMED_SHARE = 8,            // of it for where names are defined
    MENTION_SHARE = 4,          // of it for blocks of the segments of names
    NAMED_MAX = 2000,
    MANIFEST_MAX = 1 << 20
};

typedef struct named_list {
    ken_graph_def *defs;
    size_t n;
} named_list;

// A segment of names, and which files have its contents (-1 ends, then ken_lex_corpus.next_file).
typedef struct mention_part {
    int64_t id;
    ken_mention_segment *segment;
    int32_t *first_file;
} mention_part;

struct query_graph {
    ken_snapshot *snapshot;
    ken_graph_source source;
    ken_graph *graph;
    ken_arena arena, name_arena; // the latter of lists
    ken_map names;               // name -> index into lists
    KEN_VEC(named_list) lists;
    mention_part *parts;
    size_t n_parts;
    query_units units;
    query_kept_routes routes;
    query_bindings *bindings;  // NULL until they are needed
    const query_tests **tests; // by file; marked.c's, as the entries are
    query_type_uses types;
    query_refs_cache said;
    size_t firm_graph_bytes; // of the graph, which it keeps when it is renewed
};

// Read anew each time: others may begin and end meanwhile.
static size_t max_bytes(const struct query_graph *q)
{
    const ken_snapshot *s = q->snapshot;
    size_t all = s->graph_bytes ? s->graph_bytes : GRAPH_BYTES_MAX;
    unsigned n =
        s->graph_sharers ? atomic_load_explicit(s->graph_sharers, memory_order_relaxed) : 1;
    return n ? all / n : all;
}

// ---- units -------------------------------------------------------------------------------------

static bool load_unit(void *ctx, uint32_t file, ken_unit_text *out)
{
    struct query_graph *q = ctx;
    const query_unit *u = ken_query__units_get(&q->units, file);
    if (u)
        *out = (ken_unit_text){ &u->facts, &u->refs, q->snapshot->rows[file].path, u->facts.lang };
    return u != NULL;
}

static ken_str package_of(void *ctx, uint32_t file)
{
    struct query_graph *q = ctx;
    return ken_query__units_package(&q->units, file);
}

bool ken_query__graph_peek(ken_snapshot *s, uint32_t file, ken_arena *arena, ken_facts *out_facts,
                           ken_refs *out)
{
    return ken_query__units_peek(&s->graph->units, file, arena, out_facts, out);
}

void ken_query__graph_expect(const ken_snapshot *s, const uint32_t *files, size_t n)
{
    if (s->graph)
        ken_query__units_expect(&s->graph->units, files, n);
}

bool ken_query__graph_is_stale(ken_snapshot *s, uint32_t file)
{
    return s->graph && ken_query__units_is_stale(&s->graph->units, file);
}

// ---- definitions of a name ---------------------------------------------------------------------

typedef struct named_walk {
    struct query_graph *q;
    const ken_lex_part *part;
    ken_str name;
    KEN_VEC(ken_graph_def) found;
} named_walk;

static bool add_named(void *ctx, ken_str text, const ken_name_posting *p, uint32_t n)
{
    named_walk *w = ctx;
    if (!ken_str_eq(text, w->name))
        return true;
    const ken_lex_corpus *c = &w->q->snapshot->corpus;
    for (uint32_t i = 0; i < n && w->found.len < NAMED_MAX; i++)
        for (int32_t f = w->part->first_file[p[i].content]; f >= 0 && w->found.len < NAMED_MAX;
             f = c->next_file[f])
            if (!ken_query__overlay_of(w->q->snapshot, (uint32_t)f))
                ken_vec_push(&w->found, ((ken_graph_def){ (uint32_t)f, p[i].symbol }));
    return true;
}

static int by_file(const void *a, const void *b)
{
    return query_def_order(a, b);
}

// Definitions of the name in files of a base that are not as indexed.
static void add_overlaid(named_walk *w)
{
    const query_overlay *o = w->q->snapshot->overlay;
    const uint64_t *at = o ? ken_map_find(&o->named, w->name) : NULL;
    for (size_t i = 0; at && i < o->lists.ptr[*at].len && w->found.len < NAMED_MAX; i++)
        ken_vec_push(&w->found, o->defs.ptr[o->lists.ptr[*at].ptr[i]]);
}

// Whoever asks for the definitions of a name looks into their files.
static void expect_named(struct query_graph *q, const ken_graph_def *defs, size_t n)
{
    if (n < 2 || !ken_store_is_remote(q->snapshot->store))
        return;
    uint32_t *files = ken_alloc(n * sizeof *files);
    for (size_t i = 0; i < n; i++)
        files[i] = defs[i].file;
    ken_query__units_expect(&q->units, files, n);
    ken_free(files);
}

static void expect(void *ctx, const uint32_t *files, size_t n)
{
    ken_query__units_expect(&((struct query_graph *)ctx)->units, files, n);
}

static size_t named(void *ctx, ken_str name, const ken_graph_def **out)
{
    struct query_graph *q = ctx;
    bool is_new;
    uint64_t *at = ken_map_put(&q->names, name, q->lists.len, &is_new);
    if (is_new) {
        const ken_lex_corpus *c = &q->snapshot->corpus;
        named_walk w = { .q = q, .name = name };
        for (uint32_t p = 0; p < c->n_parts; p++) {
            w.part = &c->parts[p];
            if (ken_lex_names_equal(w.part->segment, name, add_named, &w, NULL))
                break;
        }
        add_overlaid(&w);
        if (w.found.len)
            qsort(w.found.ptr, w.found.len, sizeof *w.found.ptr, by_file);
        named_list list = { .n = w.found.len };
        list.defs = ken_arena_copy(&q->name_arena, w.found.ptr, list.n, sizeof *list.defs);
        ken_vec_release(&w.found);
        ken_vec_push(&q->lists, list);
        expect_named(q, list.defs, list.n);
    }
    *out = q->lists.ptr[*at].defs;
    return q->lists.ptr[*at].n;
}

static ken_str read_manifest(void *ctx, uint32_t file, ken_arena *arena)
{
    struct query_graph *q = ctx;
    ken_snapshot *s = q->snapshot;
    ken_buf text = KEN_BUF_INIT(MANIFEST_MAX + 1);
    ken_str out = KEN_STR("");
    ken_err e = { 0 };
    ken_str path = s->rows[file].path;
    if (ken_query__has_files(s, path) && !ken_query__read_file(s, path, MANIFEST_MAX, &text, &e)) {
        ken_secret_mask(text.ptr, text.len);
        out = ken_arena_dup(arena, ken_buf_str(&text));
    } else if (e.status) {
        ken_query__set_unread(s, s->rows[file].path, &e);
    }
    ken_buf_release(&text);
    return out;
}

// ---- the name index ----------------------------------------------------------------------------

static ken_status open_part(struct query_graph *q, const ken_segment_info *info, ken_err *err)
{
    ken_block_source source = ken_store_source(q->snapshot->store, info);
    mention_part *part = &q->parts[q->n_parts];
    ken_status st = ken_mention_segment_open(&source, &part->segment, err);
    if (st)
        return st;
    q->n_parts++;
    part->id = info->id;
    uint32_t n = ken_mention_segment_n_contents(part->segment);
    const int64_t *ids = ken_mention_segment_contents(part->segment);
    part->first_file = KEN_ARENA_ARRAY(&q->arena, int32_t, n + (size_t)1);
    for (uint32_t i = 0; i < n; i++)
        part->first_file[i] = ken_query__first_with(q->snapshot, ids[i]);
    return KEN_OK;
}

static ken_status open_parts(struct query_graph *q, ken_err *err)
{
    ken_snapshot *s = q->snapshot;
    ken_segment_info *infos;
    size_t n;
    ken_status st =
        ken_store_list_segments(s->store, KEN_SEGMENT_MENTIONS, &q->arena, &infos, &n, err);
    if (st)
        return st;
    q->parts = KEN_ARENA_ARRAY(&q->arena, mention_part, n + 1);
    for (size_t i = 0; i < n && !st; i++) {
        st = ken_quota_check(err);
        if (!st)
            st = open_part(q, &infos[i], err);
    }
    return st;
}

// A long run joins segments before it commits a generation: those that were opened under an earlier
// pin may be gone by the next, and their blocks with them.
static bool has_parts(const struct query_graph *q, const int64_t *segments, size_t n)
{
    size_t n_found = 0;
    for (size_t p = 0; p < q->n_parts; p++)
        for (size_t i = 0; i < n; i++)
            n_found += segments[i] == q->parts[p].id;
    return n_found == q->n_parts;
}

void ken_query__graph_follow(ken_snapshot *s, const int64_t *segments, size_t n)
{
    if (s->graph && !has_parts(s->graph, segments, n))
        ken_query__graph_close(s);
}

static size_t mention_bytes(const struct query_graph *q)
{
    size_t sum = 0;
    for (size_t i = 0; i < q->n_parts; i++)
        sum += ken_mention_segment_resident(q->parts[i].segment);
    return sum;
}

// Blocks are read when a name is looked up; nothing borrows from them.
static void ease_mentions(struct query_graph *q)
{
    if (mention_bytes(q) <= max_bytes(q) / MENTION_SHARE)
        return;
    for (size_t i = 0; i < q->n_parts; i++)
        ken_mention_segment_drop(q->parts[i].segment);
}

uint32_t ken_query__graph_count_with(ken_snapshot *s, ken_str name)
{
    ken_mentions ordinals = { 0 };
    uint32_t n = 0;
    for (size_t p = 0; p < s->graph->n_parts; p++) {
        ken_vec_clear(&ordinals);
        if (ken_mention_find(s->graph->parts[p].segment, ken_mention_hash(name), &ordinals, NULL))
            break;
        for (size_t i = 0; i < ordinals.len; i++)
            for (int32_t f = s->graph->parts[p].first_file[ordinals.ptr[i]]; f >= 0;
                 f = s->corpus.next_file[f])
                n++;
    }
    ken_vec_release(&ordinals);
    ease_mentions(s->graph);
    return n;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Files of a base that differ from the index and contain the name.
static void add_overlaid_files(const ken_snapshot *s, uint32_t hash, ken_mentions *files)
{
    const query_overlay *o = s->overlay;
    for (size_t i = 0; o && i < o->n_files; i++) {
        const query_base_file *f = &o->files[i];
        if (f->base_file >= 0 && f->says.len &&
            bsearch(&hash, f->says.ptr, f->says.len, sizeof hash, by_number))
            ken_vec_push(files, (uint32_t)f->base_file);
    }
}

ken_status ken_query__graph_files_with(ken_snapshot *s, ken_str name, ken_arena *arena,
                                       uint32_t **out, size_t *out_n, ken_err *err)
{
    struct query_graph *q = s->graph;
    ken_mentions ordinals = { 0 }, files = { 0 };
    ken_status st = KEN_OK;
    for (size_t p = 0; p < q->n_parts && !st; p++) {
        ken_vec_clear(&ordinals);
        st = ken_mention_find(q->parts[p].segment, ken_mention_hash(name), &ordinals, err);
        for (size_t i = 0; i < ordinals.len; i++)
            for (int32_t f = q->parts[p].first_file[ordinals.ptr[i]]; f >= 0;
                 f = s->corpus.next_file[f])
                if (!ken_query__overlay_of(s, (uint32_t)f))
                    ken_vec_push(&files, (uint32_t)f);
    }
    add_overlaid_files(s, ken_mention_hash(name), &files);
    if (files.len)
        qsort(files.ptr, files.len, sizeof *files.ptr, by_number);
    *out = KEN_ARENA_ARRAY(arena, uint32_t, files.len + 1);
    *out_n = 0;
    for (size_t i = 0; i < files.len; i++)
        if (!i || files.ptr[i] != files.ptr[i - 1])
            (*out)[(*out_n)++] = files.ptr[i];
    ken_vec_release(&ordinals);
    ken_vec_release(&files);
    ease_mentions(q);
    ken_query__units_expect(&q->units, *out, *out_n); // whoever asks looks into them
    return st;
}

// ---- the graph ---------------------------------------------------------------------------------

static int by_wide_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static ken_status make_graph(ken_snapshot *s, ken_err *err)
{
    struct query_graph *q = s->graph = ken_zalloc(sizeof *q);
    q->snapshot = s;
    ken_arena_init(&q->arena, (size_t)256 << 10);
    ken_map_init(&q->names);
    ken_query__units_init(&q->units, s);
    ken_query__refs_init(&q->said);
    ken_str *paths = KEN_ARENA_ARRAY(&q->arena, ken_str, s->n_files + 1);
    uint16_t *langs = KEN_ARENA_ARRAY(&q->arena, uint16_t, s->n_files + 1);
    for (uint32_t i = 0; i < s->n_files; i++) {
        paths[i] = s->rows[i].path;
        langs[i] = s->contents[i].lang;
    }
    q->source = (ken_graph_source){ .ctx = q,
                                    .paths = paths,
                                    .langs = langs,
                                    .n_files = s->n_files,
                                    .roots = s->roots.n ? &s->roots : NULL,
                                    .load = load_unit,
                                    .named = named,
                                    .read = read_manifest,
                                    .package = package_of,
                                    .expect = expect };
    q->graph = ken_graph_new(&q->source);
    return open_parts(q, err);
}

void ken_query__graph_close(ken_snapshot *s)
{
    if (!s->graph)
        return;
    ken_query__bindings_free(s->graph->bindings);
    ken_graph_free(s->graph->graph);
    ken_query__units_release(&s->graph->units);
    ken_query__refs_release(&s->graph->said);
    for (size_t i = 0; i < s->graph->n_parts; i++)
        ken_mention_segment_close(s->graph->parts[i].segment);
    ken_vec_release(&s->graph->lists);
    ken_map_release(&s->graph->names);
    ken_arena_release(&s->graph->name_arena);
    ken_arena_release(&s->graph->arena);
    ken_free(s->graph);
    s->graph = NULL;
}

// The bytes that shrinking can free.
static size_t loose_bytes(const struct query_graph *q)
{
    return ken_graph_bytes(q->graph) - q->firm_graph_bytes + q->units.n_bytes;
}

// All the rest.
static size_t firm_bytes(const struct query_graph *q)
{
    return ken_query__units_bytes(&q->units) - q->units.n_bytes + ken_query__refs_bytes(&q->said) +
           q->arena.used_bytes + q->name_arena.used_bytes + q->firm_graph_bytes + mention_bytes(q);
}

// Room for what shrinking gives back: what all the rest leaves, but no less than half.
static size_t room_of(const struct query_graph *q)
{
    size_t firm = firm_bytes(q);
    size_t most = max_bytes(q);
    return most - (firm < most / 2 ? firm : most / 2);
}

// Lists of definitions by name are computed again when they are needed.
static void forget_names(struct query_graph *q)
{
    ken_map_release(&q->names);
    ken_map_init(&q->names);
    ken_vec_clear(&q->lists);
    ken_arena_release(&q->name_arena);
}

// Lets go of the units that were not needed for longest, until half of the room is free.
static void shrink(struct query_graph *q)
{
    uint32_t n_files = q->snapshot->n_files, n = 0;
    uint64_t *by_age = ken_alloc(ken_mul_size(n_files + (size_t)1, sizeof *by_age));
    for (uint32_t f = 0; f < n_files; f++)
        if (q->units.held[f])
            by_age[n++] = (uint64_t)ken_graph_age(q->graph, f) << 32 | f;
    if (n)
        qsort(by_age, n, sizeof *by_age, by_wide_number);
    if (q->name_arena.used_bytes > max_bytes(q) / NAMED_SHARE)
        forget_names(q);
    ken_graph_renew(q->graph);
    q->firm_graph_bytes = ken_graph_bytes(q->graph);
    while (n && q->units.n_bytes > room_of(q) / 2)
        ken_query__units_drop(&q->units, (uint32_t)by_age[--n]);
    ken_free(by_age);
    ken_alloc_trim(); // in pieces all over
}

ken_status ken_query__graph_open(ken_snapshot *s, ken_graph **out, ken_err *err)
{
    query_check_pin(s);
    ken_account *counted = ken_quota_exempt(); // it is as large as the index, and stays
    ken_status st = s->graph ? KEN_OK : make_graph(s, err);
    ken_quota_count(counted);
    if (st) {
        ken_query__graph_close(s);
        return st;
    }
    ken_query__graph_ease(s);
    *out = s->graph->graph;
    return KEN_OK;
}

// Names that were met are never let go of one by one: units point at them.
bool ken_query__graph_is_full(const ken_snapshot *s)
{
    return s->graph && ken_intern_bytes(&s->graph->units.names) > max_bytes(s->graph) / 2;
}

void ken_query__graph_ease(ken_snapshot *s)
{
    ken_graph_begin(s->graph->graph); // by which the age of units is measured
    ken_metrics_add(KEN_METRIC_CACHE_HITS, (int64_t)s->graph->units.n_found, KEN_LABELS("graph"));
    s->graph->units.n_found = 0;
    if (loose_bytes(s->graph) > room_of(s->graph))
        shrink(s->graph);
}

void ken_snapshot_limit_graph(ken_snapshot *s, size_t max_bytes, const atomic_uint *n_sharers)
{
    s->graph_bytes = max_bytes;
    s->graph_sharers = n_sharers;
}

size_t ken_snapshot_graph_bytes(const ken_snapshot *s)
{
    return s->graph ? loose_bytes(s->graph) + firm_bytes(s->graph) : 0;
}

query_type_uses *ken_query__graph_types(ken_snapshot *s)
{
    return &s->graph->types;
}

ken_str ken_query__graph_keep(ken_snapshot *s, ken_str name)
{
    return ken_intern_put(&s->graph->units.names, name);
}

query_refs_cache *ken_query__graph_refs(ken_snapshot *s)
{
    return &s->graph->said;
}

void ken_query__graph_age(ken_snapshot *s)
{
    ken_query__refs_age(&s->graph->said, max_bytes(s->graph) / SAID_SHARE);
}

query_kept_routes *ken_query__graph_routes(ken_snapshot *s)
{
    return s->graph ? &s->graph->routes : NULL;
}

query_bindings *ken_query__graph_bindings(ken_snapshot *s)
{
    if (!s->graph->bindings)
        s->graph->bindings = ken_query__bindings_new(s, s->graph->graph);
    return s->graph->bindings;
}

const query_tests **ken_query__graph_tests(ken_snapshot *s)
{
    if (!s->graph->tests)
        s->graph->tests =
            ken_arena_zalloc(&s->graph->arena, (s->n_files + (size_t)1) * sizeof *s->graph->tests);
    return s->graph->tests;
}

ken_arena *ken_query__graph_arena(ken_snapshot *s)
{
    return s->graph ? &s->graph->arena : NULL;
}

bool ken_query__is_test(const ken_snapshot *s, uint32_t file)
{
    return (s->path_bits[file] & KEN_PATH_TEST) != 0;
}

bool ken_query__is_generated(const ken_snapshot *s, uint32_t file)
{
    return s->contents[file].is_generated || ken_scan_is_generated_path(s->rows[file].path);
}

// "Parser.parse": the names of the definitions around.
static ken_str qualified_name(const ken_unit_text *u, ken_def_id def, ken_arena *arena)
{
    ken_str name = ken_graph_name(u, def), last = name;
    int32_t o = ken_graph_owner(u, def);
    for (int guard = 0; o >= 0 && guard < 8; o = ken_graph_owner(u, (ken_def_id)o), guard++) {
        ken_str outer = ken_graph_name(u, (ken_def_id)o);
        if (ken_str_eq(outer, last))
            continue;
        last = outer;
        name = ken_arena_printf(arena, KEN_STR_FMT "." KEN_STR_FMT, KEN_STR_ARG(outer),
                                KEN_STR_ARG(name));
    }
    return ken_query__repaired(arena, ken_arena_dup(arena, name));
}

static ken_str signature_of(ken_snapshot *s, uint32_t file, ken_span span, ken_arena *arena)
{
    query_text t;
    if (ken_query__load_text(s, file, arena, &t, NULL))
        return KEN_STR("");
    ken_str text = ken_query__slice(&t, span);
    ken_query__close_text(&t);
    return ken_view_line(arena, text, (ken_span){ 0, (uint32_t)text.len });
}

// Of what is no symbol only the byte is kept. 0 when the file cannot be read any more.
static uint32_t line_at(ken_snapshot *s, uint32_t file, uint32_t byte, ken_arena *arena)
{
    query_text t;
    uint32_t line = 0;
    if (ken_query__load_text(s, file, arena, &t, NULL))
        return 0;
    if (ken_query__need_text(&t) && byte <= t.text.len)
        line = ken_line_starts(ken_str_sub(t.text, 0, byte), NULL, 0) - 1;
    ken_query__close_text(&t);
    return line;
}

bool ken_query__graph_name(ken_snapshot *s, ken_graph_def d, ken_arena *arena, ken_graph_node *out)
{
    const ken_unit_text *u = ken_graph_unit(s->graph->graph, d.file);
    if (!u || d.def >= u->facts->n_symbols + u->refs->n_implied)
        return false;
    *out = (ken_graph_node){
        .id = d,
        .path = s->rows[d.file].path,
        .language = ken_str_c(ken_lang_name((ken_lang_id)u->lang)),
        .name = ken_query__repaired(arena, ken_arena_dup(arena, ken_graph_name(u, d.def))),
        .qualified = qualified_name(u, d.def, arena),
        .kind = ken_graph_kind(u, d.def),
        .is_test = ken_query__is_test_def(s, s->graph->graph, d),
        .is_generated = ken_query__is_generated(s, d.file),
    };
    if (d.def < u->refs->n_defs)
        out->complexity = u->refs->defs[d.def].complexity;
    if (d.def < u->facts->n_symbols) {
        const ken_symbol *sym = &u->facts->symbols[d.def];
        out->visibility = sym->visibility;
        out->first_line = sym->first_line;
        out->last_line = sym->last_line;
    } else {
        uint32_t byte = u->refs->implied[d.def - u->facts->n_symbols].byte;
        out->first_line = out->last_line = line_at(s, d.file, byte, arena);
    }
    return true;
}

ken_str ken_query__evidence(ken_arena *arena, const char *evidence)
{
    return evidence ? ken_arena_dup(arena, ken_str_c(evidence)) : KEN_STR("");
}

bool ken_query__graph_node(ken_snapshot *s, ken_graph_def d, ken_arena *arena, ken_graph_node *out)
{
    if (!ken_query__graph_name(s, d, arena, out))
        return false;
    const ken_unit_text *u = ken_graph_unit(s->graph->graph, d.file);
    if (d.def < u->facts->n_symbols)
        out->signature = signature_of(s, d.file, u->facts->symbols[d.def].signature, arena);
    return true;
}

ken_graph *ken_query__graph_at_hand(const ken_snapshot *s)
{
    return s->graph ? s->graph->graph : NULL;
}
