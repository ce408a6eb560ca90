// SPDX-License-Identifier: MIT
// Copies the newest generation of one index into another, through the interface of the store alone: so it does
// not matter what keeps the two, and nothing travels but what is named here.
//
//   contents   those that files have: new ones with ids of the target, since ids are never used again
//              there; what the target knows by its key is shared
//   segments   of each kind one is written of all, with the new ids, without what is shared or has no file
//   files      with the paths and new ids. A row that the target has with the same content stays; the
//              stamps of others are of another machine, so these files are read and hashed by the next
//              run, and none of them is parsed
//   the rest   skips, the version of what was extracted, the sizes of chunks, the scope, which model's
//              vectors answer
//
// All of it is one write transaction of the target: until it is committed, its readers see what was there.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sorted.h"
#include "index/index_parts_priv.h"
#include "index/index_run_priv.h"
#include "store/partial.h"
#include "store/rows.h"

enum {
    TOLD_EVERY = 64, // contents, between looks at the clock
};

typedef struct moved {
    int64_t from, to;
    bool is_new;
    bool is_taken; // by a segment of the kind at hand
} moved;

typedef struct copy {
    ken_store *from, *to;
    const ken_index_copy_opts *opts;
    const ken_cancel *cancel;
    ken_arena arena, scratch;
    ken_index_copy_report *report;
    ken_file_row *rows; // of the source
    ken_content_info *infos;
    size_t n_rows;
    moved *contents; // by `from`
    size_t n_contents;
    ken_generation generation;           // of the source
    uint32_t feature;                    // of the source
    char active[KEN_EMBED_NAME_MAX + 1]; // model of the source's vectors; "" = the built-in one
} copy;

static void tell(const copy *c, size_t done)
{
    const ken_index_progress p = { "copying", done, c->n_contents, 0, 0, 0 };
    if (c->opts->on_progress && done % TOLD_EVERY == 0)
        c->opts->on_progress(c->opts->progress_ctx, &p);
}

static moved *find_moved(const copy *c, int64_t id)
{
    size_t at = KEN_FIRST_I64(moved, from, c->contents, c->n_contents, id);
    return at < c->n_contents && c->contents[at].from == id ? &c->contents[at] : NULL;
}

// ---- the source ----------------------------------------------------------------------------------

static int by_from(const void *a, const void *b)
{
    const moved *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

static void list_contents(copy *c)
{
    size_t n = 0;
    c->contents = KEN_ARENA_ARRAY(&c->arena, moved, c->n_rows + 1);
    for (size_t i = 0; i < c->n_rows; i++)
        c->contents[n++] = (moved){ .from = c->rows[i].content };
    qsort(c->contents, n, sizeof *c->contents, by_from);
    for (size_t i = 0; i < n; i++)
        if (!c->n_contents || c->contents[c->n_contents - 1].from != c->contents[i].from)
            c->contents[c->n_contents++] = c->contents[i];
}

static ken_status load_source(copy *c, ken_err *err)
{
    ken_status st = ken_store_load_generation(c->from, &c->arena, &c->generation, err);
    if (!st && !c->generation.number)
        st = KEN_FAIL(err, KEN_ENOTFOUND, "the index has no generation yet");
    if (!st)
        st = ken_index_load_feature(c->from, &c->feature, err);
    if (!st)
        st = ken_store_load_files(c->from, &c->arena, &c->rows, &c->n_rows, &c->infos, err);
    if (!st)
        st = ken_index__load_name(c->from, KEN_VECTOR_ACTIVE, &c->arena, c->active, err);
    if (!st)
        list_contents(c);
    return st;
}

// ---- contents ------------------------------------------------------------------------------------

static ken_status load_key(const copy *c, int64_t id, ken_content_key *out, ken_err *err)
{
    ken_content_info info;
    ken_status st = ken_store_load_info(c->from, id, &info, err);
    if (!st)
        st = ken_store_load_sha(c->from, id, &out->sha, err);
    if (st == KEN_ENOTFOUND)
        return KEN_FAIL(err, KEN_ECORRUPT, "a file has content %lld, which is not there",
                        (long long)id);
    if (!st) {
        out->lang = info.lang;
        out->feature = c->feature;
    }
    return st;
}

// Facts and references are unpacked first: what is not sound does not come in.
static ken_status add_content(copy *c, const ken_content_key *key, moved *m, ken_err *err)
{
    ken_facts facts;
    ken_refs refs;
    ken_packed packed = { .facts = { "", 0 },
                          .refs = { "", 0 },
                          .plain_refs = &refs,
                          .language = ken_str_c(ken_lang_name((ken_lang_id)key->lang)) };
    ken_status st = ken_store_load_facts(c->from, m->from, &c->scratch, &facts, err);
    if (!st)
        st = ken_store_load_refs(c->from, m->from, &facts, &c->scratch, &refs, err);
    if (!st)
        st = ken_store_load_packed(c->from, m->from, &c->scratch, &packed.facts, err);
    if (!st)
        st = ken_store_load_packed_refs(c->from, m->from, &c->scratch, &packed.refs, err);
    if (!st)
        st = ken_store_copy_text(c->from, m->from, &c->scratch, &packed.text, err);
    if (!st)
        st = ken_store_add_content(c->to, key, &facts, &packed, &m->to, err);
    m->is_new = !st;
    return st;
}

static ken_status copy_content(copy *c, moved *m, ken_err *err)
{
    ken_content_key key = { .lang = 0 };
    ken_content_info known;
    ken_arena_reset(&c->scratch);
    ken_status st = load_key(c, m->from, &key, err);
    if (st)
        return st;
    st = ken_store_find_content(c->to, &key, &known, err);
    if (st == KEN_ENOTFOUND) {
        st = add_content(c, &key, m, err);
        c->report->n_added += !st;
        return st;
    }
    m->to = st ? 0 : known.id;
    c->report->n_shared += !st;
    return st;
}

static ken_status copy_contents(copy *c, ken_err *err)
{
    ken_status st = KEN_OK;
    for (size_t i = 0; i < c->n_contents && !st; i++) {
        st = ken_cancel_check(c->cancel, err);
        if (!st)
            st = copy_content(c, &c->contents[i], err);
        tell(c, i);
    }
    return st;
}

// ---- segments ------------------------------------------------------------------------------------

// Which contents of a segment come along, each once, and as what.
static void mark_part(const copy *c, index_part *p)
{
    p->is_live = ken_zalloc(p->n + (size_t)1);
    p->ids = ken_alloc(ken_mul_size(p->n + (size_t)1, sizeof *p->ids));
    for (uint32_t i = 0; i < p->n; i++) {
        moved *m = find_moved(c, ken_index__part_id(p, i));
        p->is_live[i] = m && m->is_new && !m->is_taken;
        p->ids[i] = m ? m->to : 0;
        p->n_dead += !p->is_live[i];
        if (p->is_live[i])
            m->is_taken = true;
    }
}

// Vectors of another model than the one that answers stay behind.
static bool is_wanted(const copy *c, const index_part *p)
{
    const char *active = *c->active ? c->active : ken_index__builtin_model().name;
    return !p->vectors || !strcmp(ken_vector_segment_model(p->vectors)->name, active);
}

static ken_status copy_parts(copy *c, ken_segment_kind kind, const ken_segment_info *infos,
                             size_t n, ken_err *err)
{
    index_part parts[INDEX_PARTS_MAX] = { 0 };
    const index_alive all = { 0 };
    size_t n_parts = 0;
    ken_status st = KEN_OK;
    for (size_t i = 0; i < n && !st; i++) {
        index_part *p = &parts[n_parts];
        st = ken_index__open_part(c->from, kind, &infos[i], &all, p, err);
        if (!st && is_wanted(c, p)) {
            mark_part(c, p);
            n_parts++;
        } else {
            ken_index__close_part(p);
        }
    }
    for (size_t at = 0, n_group; at < n_parts && !st; at += n_group) {
        n_group = ken_index__group_parts(parts + at, n_parts - at);
        st = ken_index__write_parts(c->to, kind, parts + at, n_group, err);
    }
    for (size_t i = 0; i < n_parts; i++)
        ken_index__close_part(&parts[i]);
    return st;
}

static ken_status copy_segments(copy *c, ken_segment_kind kind, ken_err *err)
{
    ken_segment_info *infos;
    size_t n = 0;
    for (size_t i = 0; i < c->n_contents; i++)
        c->contents[i].is_taken = false;
    ken_arena_reset(&c->scratch);
    ken_status st = ken_store_list_segments(c->from, kind, &c->scratch, &infos, &n, err);
    for (size_t at = 0; at < n && !st; at += INDEX_PARTS_MAX) {
        size_t some = n - at < INDEX_PARTS_MAX ? n - at : INDEX_PARTS_MAX;
        st = ken_cancel_check(c->cancel, err);
        if (!st)
            st = copy_parts(c, kind, infos + at, some, err);
    }
    // A content that no segment of words covers would be found by its key and never by a question.
    for (size_t i = 0; i < c->n_contents && !st && kind == KEN_SEGMENT_WORDS; i++)
        if (c->contents[i].is_new && !c->contents[i].is_taken)
            st = KEN_FAIL(err, KEN_ECORRUPT, "no segment has the words of content %lld",
                          (long long)c->contents[i].from);
    return st;
}

// ---- files ---------------------------------------------------------------------------------------

// The row of the target at the place of `path`; what is before it and has no place any more goes.
static ken_status put_file(copy *c, const ken_file_row *row, const ken_file_row *old, ken_err *err)
{
    const moved *m = find_moved(c, row->content);
    ken_file_row put = { .path = row->path,
                         .content = m->to, // every row's content is in the list
                         .stamp = { .size = row->stamp.size },
                         .changed_at_ms = row->changed_at_ms };
    if (old && old->content == put.content)
        return KEN_OK;
    if (old)
        put.id = old->id;
    return ken_store_put_file(c->to, &put, err);
}

static ken_status copy_files(copy *c, ken_err *err)
{
    ken_file_row *old = NULL;
    size_t n_old = 0, o = 0;
    ken_arena_reset(&c->scratch);
    ken_status st = ken_store_load_files(c->to, &c->scratch, &old, &n_old, NULL, err);
    for (size_t i = 0; i < n_old && !st; i++) { // a folder of one index may be a file of the other
        size_t at = KEN_FIRST_STR(ken_file_row, path, c->rows, c->n_rows, old[i].path);
        if (at == c->n_rows || !ken_str_eq(c->rows[at].path, old[i].path))
            st = ken_store_remove_file(c->to, old[i].id, err);
    }
    for (size_t i = 0; i < c->n_rows && !st; i++) {
        while (o < n_old && ken_str_cmp(old[o].path, c->rows[i].path) < 0)
            o++;
        bool is_there = o < n_old && ken_str_eq(old[o].path, c->rows[i].path);
        st = put_file(c, &c->rows[i], is_there ? &old[o] : NULL, err);
    }
    return st;
}

// ---- the rest ------------------------------------------------------------------------------------

static ken_status copy_skips(copy *c, ken_generation *g, ken_err *err)
{
    ken_skip_row *rows = NULL;
    size_t n = 0;
    ken_arena_reset(&c->scratch);
    memset(g->skips, 0, sizeof g->skips);
    ken_status st =
        ken_store_load_skips(c->from, KEN_SKIP_NONE, SIZE_MAX >> 1, &c->scratch, &rows, &n, err);
    for (size_t i = 0; i < n && !st; i++)
        g->skips[rows[i].reason]++;
    if (!st)
        st = ken_store_replace_skips(c->to, rows, n, err);
    return st ? st : ken_index__put_skips_key(c->to, 0, err); // the next run makes the list anew
}

static ken_status copy_value(copy *c, const char *key, ken_err *err)
{
    ken_str value = { NULL, 0 };
    ken_status st = ken_store_load_value(c->from, ken_str_c(key), &c->arena, &value, err);
    if (st == KEN_ENOTFOUND) {
        value = (ken_str){ NULL, 0 };
        st = KEN_OK;
    }
    return st ? st : ken_store_put_value(c->to, ken_str_c(key), value, err);
}

// What opens a model may name a server, to which code would go: it is the target's own or none.
static ken_status copy_model(copy *c, ken_err *err)
{
    char was[KEN_EMBED_NAME_MAX + 1];
    ken_status st = ken_index__load_name(c->to, KEN_VECTOR_ACTIVE, &c->arena, was, err);
    if (!st && strcmp(was, c->active) != 0)
        st = ken_store_put_value(c->to, KEN_STR(INDEX_ACTIVE_RECORD), (ken_str){ NULL, 0 }, err);
    return st ? st : copy_value(c, KEN_VECTOR_ACTIVE, err);
}

// Each content has its key, however that is in the source.
static ken_status put_feature(copy *c, ken_err *err)
{
    uint64_t n_forced = 0;
    ken_status st = ken_index__load_forced(c->to, &c->arena, &n_forced, err);
    return st ? st
              : ken_store_put_value(c->to, KEN_STR(INDEX_FEATURE),
                                    ken_index__format_feature(c->feature, n_forced, &c->arena),
                                    err);
}

static ken_status copy_values(copy *c, ken_err *err)
{
    static const char *const keys[] = { KEN_INDEX_CHUNKS, INDEX_SCOPE };
    ken_status st = copy_model(c, err);
    if (!st)
        st = put_feature(c, err);
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !st; i++)
        st = copy_value(c, keys[i], err);
    if (!st) // contents came without texts and vectors
        st = ken_store_put_value(c->to, KEN_STR(KEN_STORE_ROWS_KEPT), (ken_str){ NULL, 0 }, err);
    if (!st)
        st = ken_store_put_value(c->to, KEN_STR(KEN_ROOTS_KEPT),
                                 c->opts->roots.len ? c->opts->roots : (ken_str){ NULL, 0 }, err);
    return st;
}

static void count_files(const copy *c, ken_generation *g, index_langs *langs)
{
    for (size_t i = 0; i < c->n_rows; i++) {
        ken_index__count_lang(langs, &c->infos[i]);
        g->n_files++;
        g->n_chunks += c->infos[i].n_chunks;
        g->n_symbols += c->infos[i].n_symbols;
        g->n_bytes += c->infos[i].n_bytes;
        g->n_lines += c->infos[i].n_lines;
    }
}

static void report_counts(const copy *c, const ken_generation *g)
{
    ken_index_copy_report *r = c->report;
    r->generation = g->number;
    r->n_files = g->n_files;
    r->n_chunks = g->n_chunks;
    r->n_symbols = g->n_symbols;
    r->n_bytes = g->n_bytes;
}

static ken_status put_generation(copy *c, ken_err *err)
{
    static const ken_generation none;
    uint64_t before = 0;
    index_langs langs = { .is_known = true };
    index_alive alive = { .store = c->to, .arena = &c->arena };
    ken_generation g = { .at_ms = c->generation.at_ms,
                         .git_head = c->generation.git_head,
                         .git_branch = c->generation.git_branch,
                         .root = c->opts->root };
    ken_status st = ken_store_get_generation(c->to, &before, err);
    if (!st)
        st = copy_skips(c, &g, err);
    if (!st)
        st = copy_values(c, err);
    if (!st)
        st = ken_index__tidy(c->to, &alive, UINT64_MAX, err);
    g.number = before + 1;
    count_files(c, &g, &langs);
    if (!st)
        st = ken_partial_put(c->to, &(ken_partial){ .is_partial = false }, &c->arena, err);
    if (!st)
        st = ken_index__put_sizes(
            c->to, &(index_sizing){ .made = &g, .before = &none, .gained = &langs }, err);
    if (!st)
        st = ken_store_put_generation(c->to, &g, err);
    if (!st)
        report_counts(c, &g);
    return st;
}

static ken_status write_all(copy *c, ken_err *err)
{
    ken_status st = copy_contents(c, err);
    if (!st)
        st = copy_segments(c, KEN_SEGMENT_WORDS, err);
    if (!st)
        st = copy_segments(c, KEN_SEGMENT_MENTIONS, err);
    if (!st)
        st = copy_segments(c, KEN_SEGMENT_VECTORS, err);
    if (!st)
        st = copy_files(c, err);
    return st ? st : put_generation(c, err);
}

// What a run has committed on its way lacks files that nobody would miss elsewhere.
static ken_status check_complete(copy *c, ken_err *err)
{
    ken_partial p;
    ken_status st = ken_partial_load(c->from, &c->arena, &p, err);
    if (st || !p.is_partial)
        return st;
    return KEN_FAIL(err, KEN_EBUSY,
                    "the index is partial, %llu of %llu files are in it; run ken index first",
                    (unsigned long long)p.n_done, (unsigned long long)p.n_total);
}

ken_status ken_index_copy(ken_store *from, ken_store *to, const ken_index_copy_opts *opts,
                          const ken_cancel *cancel, ken_index_copy_report *out, ken_err *err)
{
    copy c = { .from = from, .to = to, .opts = opts, .cancel = cancel, .report = out };
    *out = (ken_index_copy_report){ 0 };
    ken_arena_init(&c.arena, 0);
    ken_arena_init(&c.scratch, 0);
    ken_status st = ken_store_begin_read(from, err);
    if (!st) {
        st = check_complete(&c, err);
        if (!st)
            st = load_source(&c, err);
        if (!st)
            st = write_all(&c, err);
        ken_store_rollback(from);
    }
    ken_arena_release(&c.scratch);
    ken_arena_release(&c.arena);
    return st;
}
