// SPDX-License-Identifier: MIT
// Units are unpacked into scratch memory, then copied into one allocation each: that takes a third less
// memory, and each unit can be evicted alone.
#include "base/alloc.h"
#include "base/fs.h"
#include "metrics/metrics.h"
#include "query/query_base_priv.h"
#include "query/query_units_priv.h"

void ken_query__units_init(query_units *u, ken_snapshot *s)
{
    size_t n = s->n_files + (size_t)1;
    *u = (query_units){ .snapshot = s };
    ken_intern_init(&u->names);
    ken_arena_init(&u->scratch, (size_t)256 << 10);
    u->held = ken_zalloc(ken_mul_size(n, sizeof *u->held));
    u->stamps = ken_zalloc(ken_mul_size(n, sizeof *u->stamps));
    u->packages = ken_zalloc(ken_mul_size(n, sizeof *u->packages));
}

void ken_query__units_release(query_units *u)
{
    for (uint32_t f = 0; f < u->snapshot->n_files; f++)
        ken_free(u->held[f]);
    ken_free(u->held);
    ken_free(u->stamps);
    ken_free(u->packages);
    ken_intern_release(&u->names);
    ken_arena_release(&u->scratch);
}

size_t ken_query__units_bytes(const query_units *u)
{
    size_t by_file = sizeof *u->held + sizeof *u->stamps + sizeof *u->packages;
    return u->n_bytes + ken_intern_bytes(&u->names) + u->snapshot->n_files * by_file;
}

// ---- moved together -----------------------------------------------------------------------------

enum {
    ALIGNED = 8
};

static size_t room_for(size_t n, size_t size)
{
    return (ken_mul_size(n, size) + ALIGNED - 1) & ~(size_t)(ALIGNED - 1);
}

// Each array that is moved: which struct has it, its pointer and its count there.
#define UNIT_ARRAYS(X)            \
    X(facts, symbols, n_symbols)  \
    X(refs, exprs, n_exprs)       \
    X(refs, refs, n_refs)         \
    X(refs, implied, n_implied)   \
    X(refs, defs, n_defs)         \
    X(refs, bases, n_bases)       \
    X(refs, binds, n_binds)       \
    X(refs, literals, n_literals) \
    X(refs, stored, n_stored)

static void *move(char **at, const void *from, size_t n, size_t size)
{
    char *to = *at;
    if (n)
        memcpy(to, from, n * size);
    *at += room_for(n, size);
    return to;
}

static query_unit *moved_together(const ken_facts *facts, const ken_refs *refs)
{
    size_t n_bytes = sizeof(query_unit);
#define X(in, array, n) n_bytes += room_for(in->n, sizeof *in->array);
    UNIT_ARRAYS(X)
#undef X
    query_unit *unit = ken_alloc(n_bytes);
    char *at = unit->rest;
    unit->facts = *facts;
    unit->refs = *refs;
    unit->n_bytes = n_bytes;
    unit->facts.chunks = NULL;
    unit->facts.imports = NULL;
    unit->facts.n_chunks = unit->facts.n_imports = 0;
#define X(in, array, n) unit->in.array = move(&at, in->array, in->n, sizeof *in->array);
    UNIT_ARRAYS(X)
#undef X
    return unit;
}

// Neighbours often share a name, which is one text before it is kept once, too.
typedef struct naming {
    ken_intern *names;
    ken_str last, kept;
} naming;

static void name_one(naming *n, ken_str *name)
{
    if (name->ptr != n->last.ptr || name->len != n->last.len || !name->len) {
        n->last = *name;
        n->kept = ken_intern_put(n->names, *name);
    }
    *name = n->kept;
}

static void name_all(query_unit *u, ken_intern *names)
{
    naming n = { .names = names };
    for (uint32_t i = 0; i < u->facts.n_symbols; i++)
        name_one(&n, &u->facts.symbols[i].name);
    for (uint32_t i = 0; i < u->refs.n_exprs; i++)
        name_one(&n, &u->refs.exprs[i].name);
    for (uint32_t i = 0; i < u->refs.n_implied; i++)
        name_one(&n, &u->refs.implied[i].name);
    for (uint32_t i = 0; i < u->refs.n_binds; i++) {
        name_one(&n, &u->refs.binds[i].module);
        name_one(&n, &u->refs.binds[i].name);
        name_one(&n, &u->refs.binds[i].local);
    }
    for (uint32_t i = 0; i < u->refs.n_literals; i++)
        name_one(&n, &u->refs.literals[i].text);
    name_one(&n, &u->refs.package);
}

// ---- loading ------------------------------------------------------------------------------------

static bool stamp_of(ken_snapshot *s, uint32_t file, ken_fs_stamp *out)
{
    ken_fs_info info;
    ken_err e = { 0 };
    ken_str path = s->rows[file].path;
    if (!ken_query__has_files(s, path) || ken_query__stat_file(s, path, &info, &e)) {
        ken_query__set_unread(s, s->rows[file].path, &e);
        return false;
    }
    if (info.kind != KEN_FS_FILE)
        return false;
    *out = info.stamp;
    return true;
}

bool ken_query__units_is_stale(const query_units *u, uint32_t file)
{
    ken_fs_stamp stamp;
    if (!ken_fs_stamp_is_set(u->stamps[file]))
        return false;
    return !stamp_of(u->snapshot, file, &stamp) || !ken_fs_stamp_eq(stamp, u->stamps[file]);
}

// A changed file is extracted from the disk.
static bool learn_changed(query_units *u, uint32_t file, ken_arena *arena, ken_facts *facts,
                          ken_refs *refs)
{
    ken_snapshot *s = u->snapshot;
    query_text t;
    ken_err e = { 0 };
    if (ken_query__load_text(s, file, arena, &t, &e)) {
        ken_query__set_unread(s, s->rows[file].path, &e);
        return false;
    }
    bool is_read = ken_query__need_text(&t);
    ken_query__close_text(&t);
    if (!is_read)
        return false;
    if (!s->learner)
        s->learner = ken_learner_new();
    ken_lang_id lang = ken_lang_of(s->rows[file].path, t.text);
    ken_learn(s->learner, lang, t.text, NULL, arena, facts, refs);
    if (ken_quota_check(&e)) { // a parse that was stopped gives chunks of lines only
        ken_query__set_unread(s, s->rows[file].path, &e);
        return false;
    }
    return true;
}

static bool is_as_indexed(const query_units *u, uint32_t file)
{
    return ken_fs_stamp_eq(u->stamps[file], u->snapshot->rows[file].stamp);
}

// An evicted unit must be loaded from the same bytes again, whatever is on the disk by now: cached
// results refer to its references by number.
static bool load(query_units *u, uint32_t file, ken_arena *arena, ken_facts *facts, ken_refs *refs)
{
    ken_snapshot *s = u->snapshot;
    const ken_file_row *row = &s->rows[file];
    const query_base_file *other = ken_query__overlay_of(s, file);
    if (other) {
        *facts = other->old.facts;
        *refs = other->old.refs;
        return other->base_file == (int64_t)file; // else it was not there
    }
    if (!ken_fs_stamp_is_set(u->stamps[file]) && !stamp_of(s, file, &u->stamps[file]))
        return false;
    if (!is_as_indexed(u, file))
        return learn_changed(u, file, arena, facts, refs);
    ken_err e = { 0 };
    ken_status st = ken_store_load_facts(s->store, row->content, arena, facts, &e);
    if (!st)
        st = ken_store_load_refs(s->store, row->content, facts, arena, refs, &e);
    if (st)
        ken_query__set_unread(s, s->rows[file].path, &e);
    return !st;
}

void ken_query__units_expect(const query_units *u, const uint32_t *files, size_t n)
{
    const ken_snapshot *s = u->snapshot;
    KEN_VEC(int64_t) contents = { 0 };
    for (size_t i = 0; i < n && ken_store_is_remote(s->store); i++)
        if (!u->held[files[i]] && !ken_query__overlay_of(s, files[i]))
            ken_vec_push(&contents, s->rows[files[i]].content);
    (void)!ken_store_expect_contents(s->store, contents.ptr, contents.len, KEN_EXPECT_REFS, NULL);
    ken_vec_release(&contents);
}

const query_unit *ken_query__units_get(query_units *u, uint32_t file)
{
    ken_facts facts = { 0 };
    ken_refs refs = { 0 };
    if (u->held[file]) {
        u->n_found++;
        return u->held[file];
    }
    ken_metrics_add(KEN_METRIC_CACHE_MISSES, 1, KEN_LABELS("graph"));
    // What is held has a bound of its own (ken_query__graph_ease), and serves the next question, too. Not
    // so names: they are not let go of before the question has ended, so that they are its cost.
    ken_account *counted = ken_quota_exempt();
    if (load(u, file, &u->scratch, &facts, &refs)) {
        u->held[file] = moved_together(&facts, &refs);
        u->n_bytes += u->held[file]->n_bytes;
        ken_quota_count(counted);
        name_all(u->held[file], &u->names);
        counted = ken_quota_exempt();
        u->packages[file] = u->held[file]->refs.package;
    }
    ken_arena_reset(&u->scratch);
    ken_quota_count(counted);
    return u->held[file];
}

bool ken_query__units_peek(query_units *u, uint32_t file, ken_arena *arena, ken_facts *out_facts,
                           ken_refs *out)
{
    const query_unit *held = u->held[file];
    *out_facts = (ken_facts){ 0 };
    *out = (ken_refs){ 0 };
    if (!held)
        return load(u, file, arena, out_facts, out);
    *out_facts = held->facts;
    *out = held->refs;
    return true;
}

// Its unit is not kept for that: packages are asked for by the thousand.
ken_str ken_query__units_package(query_units *u, uint32_t file)
{
    ken_facts facts;
    ken_refs refs;
    if (u->packages[file].ptr)
        return u->packages[file];
    ken_account *counted = ken_quota_exempt(); // as in ken_query__units_get
    ken_arena_mark mark = ken_arena_get_mark(&u->scratch);
    bool is_known = ken_query__units_peek(u, file, &u->scratch, &facts, &refs);
    ken_quota_count(counted);
    u->packages[file] = is_known ? ken_intern_put(&u->names, refs.package) : KEN_STR("");
    counted = ken_quota_exempt();
    ken_arena_rewind(&u->scratch, mark);
    ken_quota_count(counted);
    return u->packages[file];
}

void ken_query__units_drop(query_units *u, uint32_t file)
{
    if (!u->held[file] || !is_as_indexed(u, file))
        return;
    ken_metrics_add(KEN_METRIC_CACHE_EVICTIONS, 1, KEN_LABELS("graph"));
    u->n_bytes -= u->held[file]->n_bytes;
    ken_account *counted = ken_quota_exempt();
    ken_free(u->held[file]);
    ken_quota_count(counted);
    u->held[file] = NULL;
}
