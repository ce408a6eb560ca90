// SPDX-License-Identifier: MIT
// Opens the newest generation for reading and pins it: a read transaction that stays open as long
// as the question. When the index has moved on since the question before, the newer generation is
// loaded in that transaction: its files and contents, its segments by their heads alone. What
// depends on the whole list of files (word index of the paths, averages, sizes) is worked out here
// once; 10,000 files take a few milliseconds. What follows from the paths alone is taken over by
// the next generation when it has the same.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/figure.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/path.h"
#include "base/sorted.h"
#include "base/utf8.h"
#include "query/query_graph_priv.h"
#include "query/query_priv.h"

enum {
    CHECK_EVERY = 64 // paths between two checks
};

// All but the files.
static void unload(ken_snapshot *s)
{
    ken_query__graph_close(s);
    ken_query__forget_widened(s);
    for (uint32_t i = 0; i < s->corpus.n_parts; i++)
        ken_lex_segment_close(s->corpus.parts[i].segment);
    ken_lex_scores_release(&s->scores);
    ken_roots_close(&s->roots);
    ken_fs_close(s->roots.fd);
    s->roots = (ken_roots){ .fd = -1 };
    ken_arena_release(&s->arena);
    s->owners = (query_owners){ 0 };
    s->corpus = (ken_lex_corpus){ 0 };
    s->imports = (query_import_graph){ 0 };
    s->feature = 0;
    s->vectors.is_loaded = false; // but kept, for the next generation
    s->generation = 0;
}

// Opens the segments and links each content to the files that have it.
static ken_status load_segments(ken_snapshot *s, ken_err *err)
{
    ken_segment_info *infos;
    size_t n;
    ken_status st =
        ken_store_list_segments(s->store, KEN_SEGMENT_WORDS, &s->arena, &infos, &n, err);
    if (!st)
        st = ken_store_list_segment_ids(s->store, &s->arena, &s->segment_ids, &s->n_segment_ids,
                                        err);
    if (st)
        return st;
    ken_lex_corpus *c = &s->corpus;
    c->parts = KEN_ARENA_ARRAY(&s->arena, ken_lex_part, n + 1);
    c->n_files = s->n_files;
    c->next_file = KEN_ARENA_ARRAY(&s->arena, int32_t, s->n_files + 1);
    c->file_part = KEN_ARENA_ARRAY(&s->arena, uint32_t, s->n_files + 1);
    c->file_ordinal = KEN_ARENA_ARRAY(&s->arena, uint32_t, s->n_files + 1);
    ken_query__link_contents(s, c->next_file);
    size_t n_found = 0;
    for (size_t p = 0; p < n && !st; p++) {
        ken_block_source source = ken_store_source(s->store, &infos[p]);
        ken_lex_part *part = &c->parts[c->n_parts];
        st = ken_quota_check(err);
        if (!st)
            st = ken_lex_segment_open(&source, &part->segment, err);
        if (st)
            break;
        uint32_t n_contents = ken_lex_segment_n_contents(part->segment);
        part->first_file = KEN_ARENA_ARRAY(&s->arena, int32_t, n_contents + 1);
        for (uint32_t i = 0; i < n_contents; i++) {
            int64_t id = ken_lex_segment_contents(part->segment)[i].id;
            part->first_file[i] = ken_query__first_with(s, id);
            for (int32_t f = part->first_file[i]; f >= 0; f = c->next_file[f], n_found++) {
                c->file_part[f] = c->n_parts;
                c->file_ordinal[f] = i;
            }
        }
        c->n_parts++;
    }
    if (!st && n_found < s->n_files)
        st = KEN_FAIL(err, KEN_ECORRUPT, "%zu of %u files are in no search segment",
                      s->n_files - n_found, s->n_files);
    return st;
}

static ken_lang_role role_of(const ken_snapshot *s, uint32_t file)
{
    return ken_lang_role_of((ken_lang_id)s->contents[file].lang);
}

// A hash of all that measure_paths reads.
static uint64_t key_of_paths(const ken_snapshot *s)
{
    uint64_t key = s->n_files;
    for (uint32_t i = 0; i < s->n_files; i++) {
        uint64_t kind = (uint64_t)role_of(s, i) * 2 + s->contents[i].is_generated;
        uint64_t part[3] = { key, ken_hash_str(s->rows[i].path), kind };
        key = ken_hash64(part, sizeof part);
    }
    return key;
}

static void forget_paths(ken_snapshot *s)
{
    ken_path_index_free(s->paths);
    ken_free(s->path_bits);
    s->paths = NULL;
    s->path_bits = NULL;
}

// Markup and styles define nothing that is called, but much of it.
static bool is_program(const ken_snapshot *s, uint32_t file)
{
    const ken_language *lang = ken_lang_at(s->contents[file].lang);
    return lang->role == KEN_LANG_ROLE_CODE && !lang->is_markup;
}

// The folder that all code of the tree's main language is in, tests aside: the language with most
// definitions. What the names on that way say, they say of everything: `org/springframework/samples`.
static ken_str main_folder(const ken_snapshot *s, const uint32_t *folder_bits)
{
    uint64_t n_symbols[KEN_LANG_COUNT] = { 0 };
    uint32_t lang = KEN_LANG_UNKNOWN;
    for (uint32_t i = 0; i < s->n_files; i++)
        if (is_program(s, i))
            n_symbols[s->contents[i].lang] += s->contents[i].n_symbols;
    for (uint32_t k = 0; k < KEN_LANG_COUNT; k++)
        if (n_symbols[k] > n_symbols[lang])
            lang = k;
    ken_str common = { NULL, 0 };
    for (uint32_t i = 0; i < s->n_files; i++) {
        if (s->contents[i].lang != lang || folder_bits[i] & KEN_PATH_TEST)
            continue;
        ken_str dir = ken_path_dir(s->rows[i].path);
        if (!common.ptr)
            common = dir;
        while (common.len && !ken_str_eq(common, dir) && !ken_path_is_under(common, dir))
            common = ken_path_dir(common);
        if (!common.len)
            break;
    }
    return common;
}

// Code outside of tests is named for testing: then "test" in a question may mean that.
static bool is_about_tests(const ken_snapshot *s, uint32_t file)
{
    static const char words[] = " test tests tester testing ";
    ken_token_parts parts;
    ken_str rest = ken_path_base(s->rows[file].path), token;
    if (!is_program(s, file) || s->path_bits[file] & (KEN_PATH_TEST | KEN_PATH_EXAMPLE))
        return false;
    while (ken_token_next(&rest, &token)) {
        ken_token_split(token, &parts);
        for (uint32_t i = 0; i < parts.n_parts; i++)
            if (ken_str_is_listed(words,
                                  ken_str_n(parts.text + parts.part[i].start, parts.part[i].len)))
                return true;
    }
    return false;
}

// What names say, beside the bits of folders that are there, but for those of the way to all code.
static ken_status measure_names(ken_snapshot *s, ken_err *err)
{
    ken_status st = KEN_OK;
    ken_str main = main_folder(s, s->path_bits);
    uint32_t common = main.len ? ken_rank_folders(main) & ~(uint32_t)KEN_PATH_TEST : 0;
    for (uint32_t i = 0; i < s->n_files && !st; i++) {
        const ken_language *lang = ken_lang_at(s->contents[i].lang);
        uint32_t name_bits =
            ken_rank_name(ken_path_base(s->rows[i].path), lang->test_names,
                          lang->role == KEN_LANG_ROLE_DOC, lang->role == KEN_LANG_ROLE_DATA);
        s->path_bits[i] = (s->path_bits[i] & ~common) | name_bits |
                          (s->contents[i].is_generated ? KEN_PATH_COMPAT : 0);
        if (i % CHECK_EVERY == 0)
            st = ken_quota_check(err);
    }
    s->is_about_tests = false;
    for (uint32_t i = 0; i < s->n_files && !st && !s->is_about_tests; i++) {
        s->is_about_tests = is_about_tests(s, i);
        if (i % CHECK_EVERY == 0)
            st = ken_quota_check(err);
    }
    return st;
}

static ken_status measure_paths(ken_snapshot *s, ken_err *err)
{
    uint64_t key = key_of_paths(s);
    ken_status st = KEN_OK;
    if (s->paths && s->n_paths == s->n_files && s->paths_key == key)
        return KEN_OK;
    forget_paths(s);
    s->n_paths = s->n_files;
    s->paths_key = key;
    s->path_bits = ken_alloc(ken_mul_size(s->n_files + (size_t)1, sizeof *s->path_bits));
    ken_str *paths = KEN_ARENA_ARRAY(&s->arena, ken_str, s->n_files + 1);
    uint32_t folder_bits = 0;
    ken_str folders = { "", 0 };
    for (uint32_t i = 0; i < s->n_files && !st; i++) {
        paths[i] = s->rows[i].path;
        ken_str dir = ken_path_dir(paths[i]); // neighbours in the list mostly share it
        if (!i || !ken_str_eq(dir, folders)) {
            folders = dir;
            folder_bits = dir.len ? ken_rank_folders(dir) : 0;
        }
        s->path_bits[i] = folder_bits;
        if (i % CHECK_EVERY == 0)
            st = ken_quota_check(err);
    }
    if (!st)
        st = measure_names(s, err);
    return st ? st : ken_path_index_new(paths, s->n_files, &s->paths, err);
}

// Styles and markup count half: they take many lines for little.
float *ken_query__sizes(const ken_snapshot *s, uint32_t most, ken_arena *arena)
{
    float *out = KEN_ARENA_ARRAY(arena, float, s->n_files + 1);
    for (uint32_t i = 0; i < s->n_files; i++) {
        double size = log1p(s->contents[i].n_lines) / log1p(most);
        bool is_markup = role_of(s, i) == KEN_LANG_ROLE_CODE && !is_program(s, i);
        out[i] = (size > 1 ? 1 : (float)size) * (is_markup ? 0.5F : 1);
    }
    return out;
}

static void measure_sizes(ken_snapshot *s)
{
    s->most_lines = 1;
    for (uint32_t i = 0; i < s->n_files; i++)
        if (is_program(s, i) && s->contents[i].n_lines > s->most_lines)
            s->most_lines = s->contents[i].n_lines;
    s->size = ken_query__sizes(s, s->most_lines, &s->arena);
}

void ken_query__forget_widened(ken_snapshot *s)
{
    if (s->widened.size)
        ken_arena_release(&s->widened.arena);
    s->widened = (query_widened){ .size = NULL };
}

// The folder that the files are quoted from. One that is gone has none of them.
static ken_status open_root(ken_snapshot *s, ken_err *err)
{
    ken_fs_info info = { 0 };
    ken_err e = { 0 };
    s->root = ken_arena_dup(&s->arena, s->info.root).ptr;
    s->root_id = (ken_fs_id){ 0 };
    s->roots.fd = -1;
    ken_status st = s->revision ? ken_fs_stat_target(s->root, &info, &e)
                                : ken_fs_open_dir(s->root, &s->roots.fd, &e);
    if (!st && !s->revision)
        st = ken_fs_stat(s->roots.fd, ".", &info, &e);
    s->root_id = info.id;
    s->is_stored = !s->revision && ken_store_place(s->store).database;
    if (st && st != KEN_ENOTFOUND) {
        if (err)
            *err = e;
        return st;
    }
    return KEN_OK;
}

// The further roots of the generation, and which of them are gone.
static ken_status open_further(ken_snapshot *s, ken_err *err)
{
    ken_str text;
    ken_status st = ken_store_load_value(s->store, KEN_STR(KEN_ROOTS_KEPT), &s->arena, &text, err);
    if (st)
        return st == KEN_ENOTFOUND ? KEN_OK : st;
    const int fd = s->roots.fd;
    s->roots = ken_roots_parse(text, &s->arena);
    s->roots.fd = fd;
    ken_roots_open(&s->roots);
    return KEN_OK;
}

// ---- what could not be read --------------------------------------------------------------------

// True when this file was not counted yet. A file that is not indexed is always counted.
static bool count_denied(query_unread *u, int64_t file)
{
    uint8_t bit = (uint8_t)(1u << (file & 7));
    if (file >= 0 && (u->denied[file / 8] & bit))
        return false;
    if (file >= 0)
        u->denied[file / 8] |= bit;
    u->n_denied++;
    return true;
}

static void tell_unread(query_unread *u)
{
    char denied[300] = "";
    const uint32_t n = u->n_denied + u->n_left;
    if (n)
        snprintf(denied, sizeof denied, "%" PRIu32 " file%s cannot be read%s, %s'%s'", n,
                 n == 1 ? "" : "s", u->n_denied ? ": permission denied" : u->why_left,
                 n == 1 ? "" : "first ", u->first);
    const char *parts[] = { u->gone,   u->partial ? u->partial : "", u->behind, denied, u->other,
                            u->damaged };
    u->text[0] = '\0';
    for (size_t i = 0, at = 0; i < sizeof parts / sizeof *parts; i++)
        if (*parts[i] && at < sizeof u->text)
            at += (size_t)snprintf(u->text + at, sizeof u->text - at, "%s%s", at ? "; " : "",
                                   parts[i]);
}

void ken_snapshot_set_behind(ken_snapshot *s, ken_str text)
{
    query_check_pin(s);
    snprintf(s->unread.behind, sizeof s->unread.behind, KEN_STR_FMT,
             KEN_STR_ARG(ken_utf8_clip(text, sizeof s->unread.behind - 1)));
    tell_unread(&s->unread);
}

void ken_query__set_damaged(ken_snapshot *s, ken_str name, ken_str path, uint32_t line, uint32_t n)
{
    query_unread *u = &s->unread;
    snprintf(u->damaged, sizeof u->damaged,
             "'" KEN_STR_FMT "' stands where %s could not be parsed: " KEN_STR_FMT ":%" PRIu32 "%s",
             KEN_STR_ARG(ken_utf8_clip(name, 60)), n == 1 ? "a file" : "files",
             KEN_STR_ARG(ken_utf8_clip(path, 160)), line, n == 1 ? "" : " is the first");
    tell_unread(u);
}

void ken_query__set_unread(ken_snapshot *s, ken_str path, const ken_err *why)
{
    query_unread *u = &s->unread;
    ken_status st = why->status;
    if (st == KEN_ECANCELLED || st == KEN_ETIMEOUT) { // the question is, the file is not at fault
        u->is_cut = true;
        return;
    }
    if (!st || st == KEN_ENOTFOUND || st == KEN_EINVAL || st == KEN_ELIMIT)
        return;
    if (st == KEN_ENOMEM || st == KEN_EIO) {
        if (!u->failure.status)
            u->failure = *why;
        return;
    }
    if (st != KEN_EPERM) {
        if (!u->other[0])
            snprintf(u->other, sizeof u->other, "%.200s", why->msg);
    } else if (count_denied(u, ken_query__file_index(s, path)) && u->n_denied + u->n_left == 1) {
        snprintf(u->first, sizeof u->first, KEN_STR_FMT,
                 KEN_STR_ARG(ken_utf8_clip(path, sizeof u->first - 1)));
    }
    tell_unread(u);
}

// No line of their files can be shown.
static void tell_gone(const ken_roots *r, query_unread *u)
{
    uint32_t n = 0;
    const ken_root *first = NULL;
    for (size_t i = 0; i < r->n; i++) {
        if (!r->more[i].is_gone)
            continue;
        first = first ? first : &r->more[i];
        n++;
    }
    if (!first)
        return;
    ken_str path = ken_utf8_clip(first->path, 120);
    snprintf(u->gone, sizeof u->gone,
             "the folder of root '@" KEN_STR_FMT "' is gone ('" KEN_STR_FMT
             "'), so its files are as they were indexed",
             KEN_STR_ARG(first->name), KEN_STR_ARG(path));
    if (n > 1)
        snprintf(u->gone, sizeof u->gone,
                 "the folders of %" PRIu32 " roots are gone, first '@" KEN_STR_FMT
                 "' ('" KEN_STR_FMT "'), so their files are as they were indexed",
                 n, KEN_STR_ARG(first->name), KEN_STR_ARG(path));
}

// For the next question.
static void forget_unread(ken_snapshot *s)
{
    query_unread *u = &s->unread;
    if (u->n_denied)
        memset(u->denied, 0, s->n_files / 8 + 1);
    *u = (query_unread){ .denied = u->denied,
                         .n_left = s->n_unreadable,
                         .why_left = s->is_unreadable_denied ? ": permission denied" : "" };
    tell_gone(&s->roots, u);
    if (u->n_left)
        snprintf(u->first, sizeof u->first, KEN_STR_FMT, KEN_STR_ARG(s->unreadable));
    u->partial = s->partial_text;
    if (u->n_left || u->gone[0] || *u->partial)
        tell_unread(u);
}

// Reports the files that the generation could not read: no answer covers them.
static ken_status load_unreadable(ken_snapshot *s, ken_err *err)
{
    ken_skip_row *rows = NULL;
    size_t n = 0;
    s->n_unreadable = (uint32_t)s->info.skips[KEN_SKIP_UNREADABLE];
    s->unreadable = KEN_STR("");
    if (!s->n_unreadable)
        return KEN_OK;
    ken_status st =
        ken_store_load_skips(s->store, KEN_SKIP_UNREADABLE, 1, &s->arena, &rows, &n, err);
    if (st || !n)
        return st;
    int fd = -1;
    ken_fs_stamp stamp;
    s->unreadable = ken_utf8_clip(rows[0].path, sizeof s->unread.first - 1);
    ken_str below = rows[0].path;
    int root_fd = ken_roots_at(&s->roots, &below);
    s->is_unreadable_denied =
        root_fd >= 0 && ken_fs_open_under(root_fd, below, &fd, &stamp, NULL) == KEN_EPERM;
    if (fd >= 0)
        ken_fs_close(fd);
    return KEN_OK;
}

ken_status ken_snapshot_check(const ken_snapshot *s, ken_err *err)
{
    query_check_pin(s);
    const ken_err *why = &s->unread.failure;
    if (why->status && err)
        *err = *why;
    return why->status;
}

ken_str ken_snapshot_unread(const ken_snapshot *s)
{
    return ken_str_c(s->unread.text);
}

// How much of the folder the generation has, as every answer says it.
static ken_status load_partial(ken_snapshot *s, ken_err *err)
{
    ken_partial *p = &s->partial;
    ken_status st = ken_partial_load(s->store, &s->arena, p, err);
    s->partial_text = "";
    if (!st && p->is_partial) {
        s->partial_text =
            ken_arena_printf(&s->arena,
                             "partial index: " KEN_STR_FMT " of " KEN_STR_FMT " files are in it",
                             KEN_STR_ARG(ken_figure_count(&s->arena, p->n_done)),
                             KEN_STR_ARG(ken_figure_count(&s->arena, p->n_total)))
                .ptr;
    }
    return st;
}

// In the transaction of the pin.
static ken_status load(ken_snapshot *s, ken_err *err)
{
    ken_arena_init(&s->arena, (size_t)256 << 10);
    ken_status st = ken_store_load_generation(s->store, &s->arena, &s->info, err);
    if (!st && !s->info.number)
        st = KEN_FAIL(err, KEN_ENOTFOUND, "nothing has been indexed yet");
    if (!st)
        st = load_partial(s, err);
    if (!st)
        st = ken_query__load_files(s, err);
    s->unread = (query_unread){ .denied = KEN_ARENA_ARRAY(&s->arena, uint8_t, s->n_files / 8 + 1) };
    if (!st)
        st = ken_query__load_model(s, err);
    if (!st)
        st = load_segments(s, err);
    if (!st)
        st = open_root(s, err);
    if (!st)
        st = open_further(s, err);
    if (!st)
        st = load_unreadable(s, err);
    if (!st)
        st = ken_quota_check(err);
    if (st)
        return st;
    ken_lex_corpus_measure(&s->corpus, &s->arena);
    st = ken_quota_check(err);
    if (st)
        return st;
    st = measure_paths(s, err);
    if (st)
        return st;
    measure_sizes(s);
    s->generation = s->info.number;
    return KEN_OK;
}

// ---- readers and pins --------------------------------------------------------------------------

struct ken_reader {
    ken_snapshot snapshot; // seen only while it is pinned
};

ken_reader *ken_reader_new(ken_store *store)
{
    ken_reader *r = ken_zalloc(sizeof *r);
    r->snapshot.store = store;
    r->snapshot.roots.fd = -1;
    return r;
}

void ken_reader_set_revision(ken_reader *r, ken_revision *revision)
{
    r->snapshot.revision = revision;
}

// Whether the segments that may be open are there still. A long run joins some before it has a new generation, and one
// of another tree makes none of this tree; those that were joined are gone for whoever begins to read after that.
static bool has_segments(ken_snapshot *s)
{
    ken_arena arena;
    int64_t *ids = NULL;
    size_t n = 0, n_found = 0;
    ken_arena_init(&arena, 1024);
    if (ken_store_list_segment_ids(s->store, &arena, &ids, &n, NULL))
        n = 0;
    for (size_t i = 0; i < n && n_found < s->n_segment_ids; i++)
        n_found += ids[i] == s->segment_ids[n_found];
    bool has_all = n_found == s->n_segment_ids;
    if (has_all)
        ken_query__graph_follow(s, ids, n); // its segments may be newer
    ken_arena_release(&arena);
    return has_all;
}

// Opens the newest generation for reading, unless it is the one that is loaded. The first statement
// of the transaction is what fixes the state that it sees.
static ken_status follow(ken_snapshot *s, ken_err *err)
{
    uint64_t newest = 0;
    ken_status st = ken_store_get_generation(s->store, &newest, err);
    if (st)
        return st;
    if (newest && newest == s->generation && has_segments(s))
        return KEN_OK;
    if (s->generation) {
        unload(s);
        st = ken_query__follow_files(s, newest, err);
    }
    if (!st)
        st = load(s, err);
    if (st) {
        unload(s);
        ken_query__forget_files(s);
    }
    return st;
}

ken_status ken_reader_pin(ken_reader *r, ken_snapshot **out, ken_err *err)
{
    ken_snapshot *s = &r->snapshot;
    KEN_ASSERT(!s->is_pinned);
    ken_status st = ken_store_begin_read(s->store, err);
    if (st)
        return st;
    st = follow(s, err);
    if (st) {
        ken_store_rollback(s->store);
        return st;
    }
    s->is_pinned = true;
    forget_unread(s);
    *out = s;
    return KEN_OK;
}

void ken_reader_unpin(ken_reader *r)
{
    KEN_ASSERT(r->snapshot.is_pinned);
    r->snapshot.is_pinned = false;
    ken_store_rollback(r->snapshot.store); // nothing was written
    // A graph that lacks a file which could not be read is closed with the question.
    const query_unread *u = &r->snapshot.unread;
    bool is_full = ken_query__graph_is_full(&r->snapshot);
    if (u->failure.status || u->n_denied || u->other[0] || u->is_cut || is_full)
        ken_query__graph_close(&r->snapshot);
    if (is_full)
        ken_alloc_trim(); // it was in pieces all over
    if (r->snapshot.graph)
        ken_query__graph_ease(&r->snapshot);
}

void ken_reader_list_held(const ken_reader *r, ken_held_files *out)
{
    const ken_snapshot *s = &r->snapshot;
    *out = (ken_held_files){ 0 };
    if (s->generation)
        *out = (ken_held_files){ s->generation, s->info.at_ms, s->rows, s->n_files };
}

bool ken_reader_is_current(const ken_reader *r)
{
    const ken_snapshot *s = &r->snapshot;
    ken_fs_info info = { 0 };
    if (!s->generation)
        return true; // nothing is held
    if (ken_fs_stat_target(s->root, &info, NULL))
        info.id = (ken_fs_id){ 0 };
    return ken_fs_id_eq(info.id, s->root_id) && ken_roots_are_current(&s->roots);
}

void ken_reader_free(ken_reader *r)
{
    if (!r)
        return;
    ken_snapshot *s = &r->snapshot;
    KEN_ASSERT(!s->is_pinned); // the open question would lose its snapshot
    if (s->generation)
        unload(s);
    ken_query__forget_files(s);
    ken_query__release_vectors(&s->vectors);
    forget_paths(s);
    ken_query__close_embedder(s);
    ken_query__close_history(&s->history);
    ken_query__close_histories(&s->histories);
    for (int i = 0; i < QUERY_CACHE_SLOTS + QUERY_CACHE_LARGE_SLOTS; i++)
        ken_arena_release(&s->cache.slots[i].arena);
    ken_learner_free(s->learner);
    ken_tokenizer_free(s->tokenizer);
    ken_free(r);
}

bool ken_snapshot_is_partial(const ken_snapshot *s)
{
    query_check_pin(s);
    return s->partial.is_partial;
}

uint64_t ken_snapshot_generation(const ken_snapshot *s)
{
    query_check_pin(s);
    return s->generation;
}

size_t ken_snapshot_held_bytes(const ken_snapshot *s)
{
    enum {
        FILE_BYTES = 400 // rows, contents, words of paths, what a question keeps of each
    };
    const ken_vector_matrix *m = &s->vectors.matrix;
    size_t vectors = (size_t)m->n_rows * (m->n_dims + sizeof(float)) +
                     ken_vector_signs_bytes(m->n_dims, m->n_rows);
    size_t words = 0;
    for (uint32_t i = 0; i < s->corpus.n_parts; i++)
        words += ken_lex_segment_resident(s->corpus.parts[i].segment);
    return vectors + words + (size_t)s->n_files * FILE_BYTES;
}

const ken_roots *ken_snapshot_roots(const ken_snapshot *s)
{
    query_check_pin(s);
    return &s->roots;
}

ken_store *ken_snapshot_store(const ken_snapshot *s)
{
    query_check_pin(s);
    return s->store;
}

size_t ken_snapshot_list_files(const ken_snapshot *s, const ken_file_row **out)
{
    query_check_pin(s);
    *out = s->rows;
    return s->n_files;
}

int64_t ken_query__file_index(const ken_snapshot *s, ken_str path)
{
    size_t lo = KEN_FIRST_STR(ken_file_row, path, s->rows, s->n_files, path);
    return lo < s->n_files && ken_str_eq(s->rows[lo].path, path) ? (int64_t)lo : -1;
}

ken_str ken_query__relative_path(const ken_snapshot *s, ken_str path, ken_arena *arena)
{
    ken_str clean = ken_path_normalise(arena, path);
    if (!clean.len || clean.ptr[0] != '/')
        return clean;
    ken_str below = ken_path_relative(s->info.root, clean);
    return below.ptr ? below : ken_roots_relative(&s->roots, clean, arena);
}

ken_str ken_snapshot_find_path(const ken_snapshot *s, ken_str text, ken_arena *arena)
{
    query_check_pin(s);
    text = ken_str_trim(text);
    ken_str path = text.len ? ken_query__relative_path(s, text, arena) : text;
    return path.len && ken_query__file_index(s, path) >= 0 ? path : KEN_STR("");
}

// ---- numbers -----------------------------------------------------------------------------------

ken_snapshot_head ken_snapshot_get_head(const ken_snapshot *s)
{
    query_check_pin(s);
    return (ken_snapshot_head){ .generation = s->generation,
                                .indexed_at_ms = s->info.at_ms,
                                .git_head = s->info.git_head,
                                .git_branch = s->info.git_branch };
}

ken_status ken_snapshot_get_stats(ken_snapshot *s, ken_arena *arena, ken_snapshot_stats *out,
                                  ken_err *err)
{
    query_check_pin(s);
    ken_snapshot_stats st = { .generation = s->generation,
                              .n_files = s->n_files,
                              .n_chunks = s->info.n_chunks,
                              .n_symbols = s->info.n_symbols,
                              .n_lines = s->info.n_lines,
                              .n_bytes = s->info.n_bytes,
                              .indexed_at_ms = s->info.at_ms,
                              .git_head = s->info.git_head,
                              .git_branch = s->info.git_branch };
    memcpy(st.skips, s->info.skips, sizeof st.skips);
    ken_lang_count counts[KEN_LANG_COUNT] = { 0 };
    for (uint32_t i = 0; i < s->n_files; i++) {
        const ken_content_info *c = &s->contents[i];
        unsigned lang = c->lang < KEN_LANG_COUNT ? c->lang : KEN_LANG_UNKNOWN;
        counts[lang].n_files++;
        counts[lang].n_lines += c->n_lines;
        counts[lang].n_bytes += c->n_bytes;
        st.n_error_files += c->n_error_bytes > 0;
        st.n_fallback_files += c->is_fallback;
    }
    st.langs = KEN_ARENA_ARRAY(arena, ken_lang_count, KEN_LANG_COUNT);
    for (unsigned l = 0; l < KEN_LANG_COUNT; l++) {
        if (!counts[l].n_files)
            continue;
        counts[l].language = ken_str_c(ken_lang_name((ken_lang_id)l));
        size_t at = st.n_langs++;
        for (; at && st.langs[at - 1].n_files < counts[l].n_files; at--)
            st.langs[at] = st.langs[at - 1];
        st.langs[at] = counts[l];
    }
    ken_status status =
        ken_store_sum_segments(s->store, arena, &st.n_segments, &st.segment_bytes, err);
    if (!status)
        status = ken_store_get_size(s->store, &st.store_bytes, err);
    if (!status)
        *out = st;
    return status;
}

ken_status ken_snapshot_list_skips(ken_snapshot *s, ken_skip_reason reason, size_t limit,
                                   ken_arena *arena, ken_skip_row **out, size_t *out_n,
                                   ken_err *err)
{
    query_check_pin(s);
    return ken_store_load_skips(s->store, reason, limit, arena, out, out_n, err);
}
