// SPDX-License-Identifier: MIT
// Which file imports which, for the whole tree: what modules, layers, cycles and centrality are
// made of. Made once a generation, from the imports of every file; kept beside the index, so that
// the next process, and the next generation as long as it has the same paths, only looks at files
// whose content changed.
#include <stdlib.h>

#include "base/hash.h"
#include "base/path.h"
#include "query/query_graph_priv.h"

enum {
    KEPT_VERSION = 1,
    KEPT_MAX = 16 << 20
};

#define KEPT_NAME "graph.imports"

// The list being made: files of one after those of the other.
typedef struct import_lists {
    ken_vec_u32 starts, files, unknown;
} import_lists;

static void end_list(import_lists *l, uint32_t n_unknown)
{
    ken_vec_push(&l->starts, (unsigned)l->files.len);
    ken_vec_push(&l->unknown, n_unknown);
}

// Imports depend on manifests as well.
static bool is_manifest(ken_str base)
{
    static const char *const names[] = { "package.json",
                                         "tsconfig.json",
                                         "jsconfig.json",
                                         "go.mod",
                                         "go.work",
                                         "Cargo.toml",
                                         "pyproject.toml",
                                         "setup.py",
                                         "setup.cfg",
                                         "composer.json",
                                         "Package.swift",
                                         "CMakeLists.txt",
                                         "compile_commands.json",
                                         "pnpm-workspace.yaml" };
    static const char *const ends[] = { ".gemspec", ".csproj", ".gradle", ".gradle.kts" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ken_str_eq_c(base, names[i]))
            return true;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ken_str_ends(base, ken_str_c(ends[i])))
            return true;
    return ken_str_starts(base, KEN_STR("tsconfig."));
}

// A hash of the paths and of the contents of the manifests.
static uint64_t key_of_tree(const ken_snapshot *s)
{
    uint64_t key = s->paths_key;
    for (uint32_t f = 0; f < s->n_files; f++) {
        if (!is_manifest(ken_path_base(s->rows[f].path)))
            continue;
        uint64_t part[2] = { key, (uint64_t)s->rows[f].content };
        key = ken_hash64(part, sizeof part);
    }
    return key;
}

// ---- kept ---------------------------------------------------------------------------------------

// The list of one file as it is kept: numbers of files hold while the paths are the same.
static bool read_list(const uint8_t **at, const uint8_t *end, uint32_t n_files, import_lists *l)
{
    uint64_t n, n_unknown, step;
    uint32_t file = 0;
    if (!ken_varint_get(at, end, &n) || !ken_varint_get(at, end, &n_unknown) || n > n_files ||
        n_unknown > UINT32_MAX)
        return false;
    for (uint64_t i = 0; i < n; i++) {
        if (!ken_varint_get(at, end, &step) || step > n_files - file)
            return false;
        file += (uint32_t)step;
        if (file >= n_files)
            return false;
        ken_vec_push(&l->files, file);
    }
    end_list(l, (uint32_t)n_unknown);
    return true;
}

typedef struct kept_lists {
    ken_str bytes;
    const uint8_t *at, *end;
    bool is_right;
} kept_lists;

static void open_kept(ken_snapshot *s, ken_arena *arena, kept_lists *k)
{
    *k = (kept_lists){ .is_right = false };
    uint64_t version, key, n;
    if (ken_store_load_value(s->store, KEN_STR(KEPT_NAME), arena, &k->bytes, NULL) || !k->bytes.len)
        return;
    k->at = (const uint8_t *)k->bytes.ptr;
    k->end = k->at + k->bytes.len;
    k->is_right = ken_varint_get(&k->at, k->end, &version) && version == KEPT_VERSION &&
                  ken_varint_get(&k->at, k->end, &key) && key == key_of_tree(s) &&
                  ken_varint_get(&k->at, k->end, &n) && n == s->n_files;
}

// Of the files that were looked at: a question that was stopped is gone on with by the next one.
static void save_imports(ken_snapshot *s, const import_lists *l)
{
    const uint32_t n_done = (uint32_t)l->unknown.len;
    ken_buf b = KEN_BUF_INIT(KEPT_MAX);
    ken_buf_put_varint(&b, KEPT_VERSION);
    ken_buf_put_varint(&b, key_of_tree(s));
    ken_buf_put_varint(&b, s->n_files);
    for (uint32_t f = 0; f < n_done; f++) {
        ken_buf_put_varint(&b, (uint64_t)s->rows[f].content);
        ken_buf_put_varint(&b, l->starts.ptr[f + 1] - l->starts.ptr[f]);
        ken_buf_put_varint(&b, l->unknown.ptr[f]);
        uint32_t before = 0;
        for (uint32_t i = l->starts.ptr[f]; i < l->starts.ptr[f + 1]; i++) {
            ken_buf_put_varint(&b, l->files.ptr[i] - before);
            before = l->files.ptr[i];
        }
    }
    if (!b.is_over && s->history.keep)
        s->history.keep(s->history.keep_ctx, KEN_STR(KEPT_NAME), ken_buf_str(&b));
    ken_buf_release(&b);
}

// ---- made ---------------------------------------------------------------------------------------

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Of no file anything is kept but the list: all of them together are more than a question may take.
static ken_status learn_list(ken_snapshot *s, uint32_t file, ken_arena *scratch, import_lists *l,
                             ken_err *err)
{
    ken_graph *g;
    ken_facts facts;
    ken_refs refs;
    uint32_t n_unknown = 0;
    ken_vec_u32 files = { 0 };
    ken_status st = ken_query__graph_open(s, &g, err);
    if (st)
        return st;
    if (ken_query__graph_peek(s, file, scratch, &facts, &refs))
        files = ken_graph_imports_of(g, file, &refs, &n_unknown);
    if (files.len)
        qsort(files.ptr, files.len, sizeof *files.ptr, by_number);
    for (size_t i = 0; i < files.len; i++)
        ken_vec_push(&l->files, files.ptr[i]);
    end_list(l, n_unknown);
    ken_vec_release(&files);
    ken_arena_reset(scratch);
    return KEN_OK;
}

// Most often all others follow.
static void expect_from(const ken_snapshot *s, uint32_t file, ken_arena *arena)
{
    uint32_t *files = KEN_ARENA_ARRAY(arena, uint32_t, s->n_files - file);
    for (uint32_t f = file; f < s->n_files; f++)
        files[f - file] = f;
    ken_query__graph_expect(s, files, s->n_files - file);
}

static ken_status make(ken_snapshot *s, const ken_cancel *cancel, ken_arena *arena, import_lists *l,
                       bool *out_is_news, ken_err *err)
{
    kept_lists kept;
    ken_arena scratch;
    ken_arena_init(&scratch, 0);
    open_kept(s, arena, &kept);
    ken_status st = KEN_OK;
    ken_vec_push(&l->starts, 0);
    for (uint32_t f = 0; !st && f < s->n_files; f++) {
        size_t n_files = l->files.len, n_lists = l->starts.len;
        uint64_t content = 0;
        bool is_kept = kept.is_right && ken_varint_get(&kept.at, kept.end, &content) &&
                       read_list(&kept.at, kept.end, s->n_files, l);
        kept.is_right = is_kept;
        if (is_kept && content == (uint64_t)s->rows[f].content)
            continue;
        l->files.len = n_files;
        l->starts.len = n_lists;
        l->unknown.len = n_lists - 1;
        if (!*out_is_news)
            expect_from(s, f, arena);
        st = learn_list(s, f, &scratch, l, err);
        if (!st)
            st = ken_cancel_check(cancel, err);
        if (st) { // what a stopped question learnt last may lack something
            l->files.len = n_files;
            l->starts.len = n_lists;
            l->unknown.len = n_lists - 1;
        }
        *out_is_news = true;
    }
    if (st && kept.is_right) // what is kept reaches further
        *out_is_news = false;
    ken_arena_release(&scratch);
    return st;
}

static uint32_t *copy(ken_arena *arena, const ken_vec_u32 *v)
{
    uint32_t *out = ken_arena_copy(arena, v->ptr, v->len, sizeof *out);
    return out;
}

ken_status ken_query__imports(ken_snapshot *s, const ken_cancel *cancel,
                              const query_import_graph **out, ken_err *err)
{
    *out = &s->imports;
    if (s->imports.starts)
        return KEN_OK;
    import_lists l = { 0 };
    bool is_news = false;
    ken_arena arena;
    ken_arena_init(&arena, 0);
    ken_status st = make(s, cancel, &arena, &l, &is_news, err);
    if (is_news)
        save_imports(s, &l);
    if (!st)
        s->imports = (query_import_graph){ .starts = copy(&s->arena, &l.starts),
                                           .files = copy(&s->arena, &l.files),
                                           .n_unknown = copy(&s->arena, &l.unknown) };
    ken_arena_release(&arena);
    ken_vec_release(&l.starts);
    ken_vec_release(&l.files);
    ken_vec_release(&l.unknown);
    return st;
}
