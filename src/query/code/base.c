// SPDX-License-Identifier: MIT
// The tree as a commit had it: a snapshot over the same index, whose changed files are replaced.
//
// Files are numbered by path, so those that are gone move the numbers of all behind them; whatever
// the index stores by file number is renumbered once. Files that did not exist then are kept, empty.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/path.h"
#include "query/query_base_priv.h"
#include "rank/rank.h"
#include "scan/scan.h"

const query_base_file *ken_query__overlay_of(const ken_snapshot *s, uint32_t file)
{
    return s->overlay ? s->overlay->of[file] : NULL;
}

// ---- both sides --------------------------------------------------------------------------------

static void learn(ken_snapshot *s, ken_str path, ken_str text, ken_arena *arena, query_version *out)
{
    *out = (query_version){ .text = text };
    bool is_generated;
    if (!text.len || ken_scan_admit_content(path, ken_lang_is_code_path(path), text, &is_generated))
        return;
    if (!s->learner)
        s->learner = ken_learner_new();
    ken_learn(s->learner, ken_lang_of(path, text), text, NULL, arena, &out->facts, &out->refs);
}

// Whether definitions of the file could be in the index at all.
static bool is_code(ken_str path)
{
    bool is = ken_lang_is_code_path(path);
    return is && !ken_scan_classify_path(path, is, &(ken_scan_opts){ 0 });
}

static bool has_old(const query_base_file *f)
{
    return f->kind != KEN_CHANGE_ADDED && f->kind != KEN_CHANGE_UNTRACKED;
}

static bool has_new(const query_base_file *f)
{
    return f->kind != KEN_CHANGE_DELETED;
}

// The versions of the files of one root in a commit; `is_old`: the older side. `root` NULL: the first.
static ken_status read_root(ken_snapshot *s, const ken_root *root, ken_str commit, bool is_old,
                            query_base *b, const ken_cancel *cancel, ken_arena *arena, ken_err *err)
{
    ken_str *paths = KEN_ARENA_ARRAY(arena, ken_str, b->n_files + 1);
    query_base_file **of = KEN_ARENA_ARRAY(arena, query_base_file *, b->n_files + 1);
    size_t n = 0;
    for (size_t i = 0; i < b->n_files; i++) {
        query_base_file *f = &b->files[i];
        ken_str path = is_old ? f->old_path : f->path;
        if (f->is_known && (is_old ? has_old(f) : has_new(f)) &&
            ken_roots_find(&s->roots, path, &path) == root) {
            of[n] = f;
            paths[n++] = path;
        }
    }
    ken_history_text *texts = NULL;
    const char *folder = root ? root->path.ptr : s->info.root.ptr;
    ken_status st = n && commit.len ? ken_history_read_texts(folder, commit, paths, n, cancel,
                                                             arena, &texts, err)
                                    : KEN_OK;
    if (!texts)
        return st;
    for (size_t i = 0; i < n && !st; i++) {
        st = ken_quota_check(err);
        if (texts[i].state == KEN_HISTORY_TEXT_THERE) {
            learn(s, is_old ? of[i]->old_path : of[i]->path, texts[i].text, arena,
                  is_old ? &of[i]->old : &of[i]->now);
        } else {
            of[i]->is_known = false;
            of[i]->why = ken_history_text_word(texts[i].state);
        }
    }
    return st;
}

// The same of all roots.
static ken_status read_side(ken_snapshot *s, const ken_changes *c, bool is_old, query_base *b,
                            const ken_cancel *cancel, ken_arena *arena, ken_err *err)
{
    ken_status st = read_root(s, NULL, is_old ? c->from : c->to, is_old, b, cancel, arena, err);
    for (size_t i = 0; i < c->n_more && !st; i++) {
        const ken_changed_root *more = &c->more[i];
        ken_str below, mark = ken_arena_printf(arena, KEN_STR_FMT "/", KEN_STR_ARG(more->mark));
        const ken_root *root = ken_roots_find(&s->roots, mark, &below);
        if (root)
            st = read_root(s, root, is_old ? more->from : more->to, is_old, b, cancel, arena, err);
    }
    return st;
}

// The version on the disk, as it is indexed.
static void read_current(ken_snapshot *s, query_base_file *f, ken_arena *arena, query_version *out)
{
    query_text t;
    if (f->file < 0 || ken_query__load_text(s, (uint32_t)f->file, arena, &t, NULL))
        return;
    if (ken_query__need_text(&t))
        learn(s, f->path, t.text, arena, out);
    ken_query__close_text(&t);
}

// A file without a byte is not in the index, and defines nothing.
static bool is_empty(ken_snapshot *s, ken_str path)
{
    ken_fs_info info;
    return ken_query__has_files(s, path) && !ken_query__stat_file(s, path, &info, NULL) &&
           info.kind == KEN_FS_FILE && !info.stamp.size;
}

static ken_status read_now(ken_snapshot *s, const ken_changes *c, query_base *b,
                           const ken_cancel *cancel, ken_arena *arena, ken_err *err)
{
    ken_status st = KEN_OK;
    if (!b->has_work_tree)
        st = read_side(s, c, false, b, cancel, arena, err);
    for (size_t i = 0; i < b->n_files && !st; i++) {
        query_base_file *f = &b->files[i];
        query_version *current = KEN_ARENA_NEW(arena, query_version);
        f->current = current;
        if (!f->is_known || (b->has_work_tree && !has_new(f)))
            continue;
        read_current(s, f, arena, current);
        if (b->has_work_tree) {
            f->now = *current;
            f->is_known = f->file >= 0 || is_empty(s, f->path);
            f->why = f->is_known ? NULL : "is not in the index";
        }
        st = ken_quota_check(err);
    }
    return st;
}

ken_status ken_query__base_load(ken_snapshot *s, const ken_changes *c, const ken_cancel *cancel,
                                ken_arena *arena, query_base *out, ken_err *err)
{
    query_base b = { .has_work_tree = !c->to.len };
    b.files = KEN_ARENA_ARRAY(arena, query_base_file, c->n_files + 1);
    for (size_t i = 0; i < c->n_files; i++) {
        const ken_changed_file *f = &c->files[i];
        ken_str old_path = f->old_path.len ? f->old_path : f->path;
        if (!is_code(f->path) && !is_code(old_path))
            continue;
        b.files[b.n_files++] = (query_base_file){ .path = f->path,
                                                  .old_path = old_path,
                                                  .kind = f->kind,
                                                  .is_known = !f->is_binary,
                                                  .why = f->is_binary ? "is binary" : NULL,
                                                  .file = ken_query__file_index(s, f->path),
                                                  .base_file = -1 };
    }
    ken_status st = read_side(s, c, true, &b, cancel, arena, err);
    if (!st)
        st = read_now(s, c, &b, cancel, arena, err);
    for (size_t i = 0; i < b.n_files; i++)
        b.n_unknown += !b.files[i].is_known;
    if (!st)
        *out = b;
    return st;
}

// ---- renumbered --------------------------------------------------------------------------------

// A file of the base: one of the snapshot, or one that is gone.
typedef struct base_row {
    ken_str path;
    int64_t file;         // of the snapshot, -1 = gone
    query_base_file *was; // of gone ones
} base_row;

static int by_path(const void *a, const void *b)
{
    return ken_str_cmp(((const base_row *)a)->path, ((const base_row *)b)->path);
}

static base_row *list_rows(query_base *b, const ken_snapshot *s, ken_arena *arena, uint32_t *out_n)
{
    base_row *rows = KEN_ARENA_ARRAY(arena, base_row, s->n_files + b->n_files + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_files; i++)
        rows[n++] = (base_row){ s->rows[i].path, i, NULL };
    for (size_t i = 0; i < b->n_files; i++) {
        query_base_file *f = &b->files[i];
        if (f->is_known && has_old(f) && ken_query__file_index(s, f->old_path) < 0)
            rows[n++] = (base_row){ f->old_path, -1, f };
    }
    if (n > s->n_files)
        qsort(rows, n, sizeof *rows, by_path);
    *out_n = n;
    return rows;
}

static int32_t renumbered(const query_base *b, int32_t file)
{
    return file < 0 ? -1 : (int32_t)b->to_base[file];
}

// Which files have which contents; those of the overlay are there, and passed over by who asks.
static void renumber_corpus(const query_base *b, const ken_snapshot *s, ken_snapshot *out,
                            ken_arena *arena)
{
    const ken_lex_corpus *c = &s->corpus;
    ken_lex_corpus *to = &out->corpus;
    to->n_files = out->n_files;
    to->n_parts = c->n_parts;
    to->parts = KEN_ARENA_ARRAY(arena, ken_lex_part, c->n_parts + (size_t)1);
    to->next_file = KEN_ARENA_ARRAY(arena, int32_t, out->n_files + (size_t)1);
    for (uint32_t f = 0; f < out->n_files; f++)
        to->next_file[f] = -1;
    for (uint32_t f = 0; f < s->n_files; f++)
        to->next_file[b->to_base[f]] = renumbered(b, c->next_file[f]);
    for (uint32_t p = 0; p < c->n_parts; p++) {
        uint32_t n = ken_lex_segment_n_contents(c->parts[p].segment);
        to->parts[p].segment = c->parts[p].segment;
        to->parts[p].first_file = KEN_ARENA_ARRAY(arena, int32_t, n + (size_t)1);
        for (uint32_t i = 0; i < n; i++)
            to->parts[p].first_file[i] = renumbered(b, c->parts[p].first_file[i]);
    }
}

// The rows of the base, and the tables between its numbers and the snapshot's.
static void fill_rows(query_base *b, const ken_snapshot *s, const base_row *rows, ken_snapshot *out,
                      ken_arena *arena)
{
    size_t n = out->n_files;
    out->rows = KEN_ARENA_ARRAY(arena, ken_file_row, n + 1);
    out->contents = KEN_ARENA_ARRAY(arena, ken_content_info, n + 1);
    out->path_bits = KEN_ARENA_ARRAY(arena, uint32_t, n + 1);
    b->to_base = KEN_ARENA_ARRAY(arena, uint32_t, s->n_files + (size_t)1);
    b->to_now = KEN_ARENA_ARRAY(arena, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const base_row *r = &rows[i];
        b->to_now[i] = r->file < 0 ? UINT32_MAX : (uint32_t)r->file;
        if (r->file >= 0) {
            out->rows[i] = s->rows[r->file];
            out->contents[i] = s->contents[r->file];
            out->path_bits[i] = s->path_bits[r->file];
            b->to_base[r->file] = i;
            continue;
        }
        r->was->base_file = i;
        out->rows[i].path = r->path;
        out->contents[i].lang = r->was->old.facts.lang;
        out->path_bits[i] =
            ken_rank_path(r->path, ken_lang_at(out->contents[i].lang)->test_names, false, false);
    }
}

// ---- facts of the changed files ----------------------------------------------------------------

static int by_hash(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void add_name(query_overlay *o, ken_str name, ken_graph_def def)
{
    bool is_new;
    uint64_t *at = ken_map_put(&o->named, name, o->lists.len, &is_new);
    if (is_new)
        ken_vec_push(&o->lists, (ken_vec_u32){ 0 });
    ken_vec_push(&o->lists.ptr[*at], (uint32_t)o->defs.len);
    ken_vec_push(&o->defs, def);
}

// A file that did not exist has no definitions and no names.
static void overlay(query_base *b, query_base_file *f)
{
    query_overlay *o = &b->overlay;
    if (f->file >= 0) // what is here under this path now was not
        o->of[b->to_base[f->file]] = f;
    if (f->base_file < 0)
        return;
    o->of[f->base_file] = f;
    for (uint32_t i = 0; i < f->old.facts.n_symbols; i++)
        add_name(o, f->old.facts.symbols[i].name,
                 (ken_graph_def){ (uint32_t)f->base_file, (ken_def_id)i });
    ken_mentions_of(&f->old.refs, &f->says);
    if (f->says.len)
        qsort(f->says.ptr, f->says.len, sizeof *f->says.ptr, by_hash);
}

static void overlay_all(query_base *b, const ken_snapshot *s, ken_arena *arena)
{
    query_overlay *o = &b->overlay;
    ken_map_init(&o->named);
    o->of = KEN_ARENA_ARRAY(arena, const query_base_file *, b->snapshot->n_files + (size_t)1);
    o->files = b->files;
    o->n_files = b->n_files;
    for (size_t i = 0; i < b->n_files; i++) {
        query_base_file *f = &b->files[i];
        int64_t there = has_old(f) ? ken_query__file_index(s, f->old_path) : -1;
        if (there >= 0)
            f->base_file = b->to_base[there];
        if (f->is_known)
            overlay(b, f);
    }
    b->snapshot->overlay = o;
}

ken_status ken_query__base_open(query_base *b, ken_snapshot *s, ken_arena *arena, ken_graph **out,
                                ken_err *err)
{
    uint32_t n;
    base_row *rows = list_rows(b, s, arena, &n);
    ken_snapshot *base = b->snapshot = ken_zalloc(sizeof *base);
    base->store = s->store;
    base->is_pinned = true;
    base->generation = s->generation;
    base->info = s->info;
    base->n_files = n;
    base->feature = s->feature;
    base->graph_bytes = s->graph_bytes;
    base->graph_sharers = s->graph_sharers;
    base->root = s->root;
    base->roots = s->roots;
    base->revision = s->revision;
    base->is_stored = s->is_stored;
    base->root_id = s->root_id;
    base->unread = (query_unread){ .denied = KEN_ARENA_ARRAY(arena, uint8_t, n / 8 + (size_t)1) };
    ken_arena_init(&base->arena, 0);
    fill_rows(b, s, rows, base, arena);
    ken_query__link_contents(base, KEN_ARENA_ARRAY(arena, int32_t, n + (size_t)1));
    renumber_corpus(b, s, base, arena);
    overlay_all(b, s, arena);
    return ken_query__graph_open(base, out, err);
}

// A file that the base could not read is unread for the question, too.
static void take_unread(ken_snapshot *s, const query_unread *u)
{
    if (u->failure.status && !s->unread.failure.status)
        s->unread.failure = u->failure;
    if (u->text[0] && !s->unread.text[0])
        memcpy(s->unread.text, u->text, sizeof u->text);
    s->unread.is_cut = s->unread.is_cut || u->is_cut;
}

void ken_query__base_close(query_base *b, ken_snapshot *s)
{
    for (size_t i = 0; i < b->n_files; i++)
        ken_vec_release(&b->files[i].says);
    if (!b->snapshot)
        return;
    take_unread(s, &b->snapshot->unread);
    ken_query__graph_close(b->snapshot);
    ken_learner_free(b->snapshot->learner);
    ken_tokenizer_free(b->snapshot->tokenizer);
    for (size_t i = 0; i < sizeof b->snapshot->cache.slots / sizeof *b->snapshot->cache.slots; i++)
        ken_arena_release(&b->snapshot->cache.slots[i].arena);
    ken_arena_release(&b->snapshot->arena);
    ken_free(b->snapshot);
    b->snapshot = NULL;
    for (size_t i = 0; i < b->overlay.lists.len; i++)
        ken_vec_release(&b->overlay.lists.ptr[i]);
    ken_vec_release(&b->overlay.lists);
    ken_vec_release(&b->overlay.defs);
    ken_map_release(&b->overlay.named);
}
