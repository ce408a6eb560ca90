// SPDX-License-Identifier: MIT
// store_scenario.h -- a small project that changes from generation to generation, and a reader that
// knows what each generation must hold. Any backend, any decorator, any number of processes.
//
// File i of generation g holds version (g + i) / 3 of its content, so a third of them change each
// time. A content tells by its size which file and version it is. A segment is the list of the ids
// it covers, followed by filler that depends on its place, long enough for several blocks.
#ifndef KEN_TESTS_STORE_SCENARIO_H
#define KEN_TESTS_STORE_SCENARIO_H

#include <stdio.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "store/store.h"

typedef KEN_VEC(int64_t) scn_ids;

enum {
    SCN_FEATURE = 7,
    SCN_LANG = 3,
    SCN_MERGE_EVERY = 4,                  // generations; then all segments become one
    SCN_FILLER = KEN_SEGMENT_BLOCK + 999, // bytes after the ids
};

static inline uint32_t scn_n_files(uint64_t g)
{
    return 24 + (uint32_t)(g * 5 % 9);
}

static inline uint32_t scn_size(uint32_t file, uint64_t g)
{
    return 10000 + file * 1000 + (uint32_t)((g + file) / 3 % 1000);
}

static inline void scn_path(uint32_t file, char out[64])
{
    snprintf(out, 64, "src/part%02u/file%04u.c", file % 5, file);
}

static inline ken_content_key scn_key(uint32_t size)
{
    return (ken_content_key){ .sha = ken_sha256_of(&size, sizeof size),
                              .lang = SCN_LANG,
                              .feature = SCN_FEATURE };
}

static inline ken_facts scn_facts(uint32_t size, ken_arena *arena)
{
    ken_facts f = { .lang = SCN_LANG,
                    .n_bytes = size,
                    .n_lines = size / 30,
                    .n_symbols = size % 5,
                    .n_chunks = 2 };
    f.symbols = KEN_ARENA_ARRAY(arena, ken_symbol, f.n_symbols);
    for (uint32_t i = 0; i < f.n_symbols; i++) {
        f.symbols[i] = (ken_symbol){
            .name = ken_arena_printf(arena, "symbol_%u_of_%u", i, size),
            .kind = KEN_SYMBOL_FUNCTION,
            .span = { i * 100, i * 100 + 90 },
            .signature = { i * 100, i * 100 + 20 },
            .first_line = i * 3,
            .last_line = i * 3 + 2,
            .parent = -1,
        };
    }
    f.chunks = KEN_ARENA_ARRAY(arena, ken_chunk, f.n_chunks);
    f.chunks[0] = (ken_chunk){ .span = { 0, size / 2 },
                               .last_line = 9,
                               .n_tokens = size / 8,
                               .type = KEN_CHUNK_BLOCK,
                               .symbol = -1 };
    f.chunks[1] = (ken_chunk){ .span = { size / 2, size },
                               .first_line = 10,
                               .last_line = 19,
                               .n_tokens = size / 8,
                               .type = KEN_CHUNK_BLOCK,
                               .symbol = -1 };
    return f;
}

// Refs of those facts: each definition is called once, in its own line. None without symbols.
static inline ken_refs scn_refs(const ken_facts *f, ken_arena *arena)
{
    ken_refs r = { .n_exprs = f->n_symbols + 1, .n_refs = f->n_symbols, .n_defs = f->n_symbols };
    r.exprs = KEN_ARENA_ARRAY(arena, ken_expr, r.n_exprs);
    r.refs = KEN_ARENA_ARRAY(arena, ken_ref, r.n_refs);
    r.defs = KEN_ARENA_ARRAY(arena, ken_def_info, r.n_defs);
    for (uint32_t i = 0; i < f->n_symbols; i++) {
        r.exprs[i + 1] = (ken_expr){ .op = KEN_EXPR_NAME, .name = f->symbols[i].name };
        r.refs[i] = (ken_ref){ i + 1, KEN_REF_CALL, i * 100 + 50 };
        r.defs[i].complexity = 1;
    }
    return r;
}

static inline ken_status scn_add_content(ken_store *s, uint32_t size, ken_arena *arena,
                                         int64_t *out_id, ken_err *err)
{
    ken_facts f = scn_facts(size, arena);
    ken_refs r = scn_refs(&f, arena);
    ken_content_key key = scn_key(size);
    ken_buf facts = { 0 }, refs = { 0 };
    ken_refs_packer *packer = ken_refs_packer_new();
    ken_facts_pack(&f, &facts);
    ken_refs_pack(packer, &r, &f, &refs);
    const ken_packed packed = { .facts = ken_buf_str(&facts), .refs = ken_buf_str(&refs) };
    ken_status st = ken_store_add_content(s, &key, &f, &packed, out_id, err);
    ken_refs_packer_free(packer);
    ken_buf_release(&facts);
    ken_buf_release(&refs);
    return st;
}

static inline char scn_filler(size_t at)
{
    return (char)(at * 31 + at / 251);
}

// Seven kinds of bytes without order: about three bits each.
static inline char scn_sparse(size_t at)
{
    uint32_t x = (uint32_t)at * 2654435761u;
    x = (x ^ x >> 15) * 2246822519u;
    return (char)((x ^ x >> 13) % 7);
}

static inline ken_status scn_add_segment(ken_store *s, const scn_ids *ids, ken_err *err)
{
    if (!ids->len)
        return KEN_OK;
    size_t n_ids = ids->len * sizeof *ids->ptr, n = sizeof n_ids + n_ids + SCN_FILLER;
    char *bytes = ken_alloc(n);
    memcpy(bytes, &ids->len, sizeof n_ids);
    memcpy(bytes + sizeof n_ids, ids->ptr, n_ids);
    for (size_t i = sizeof n_ids + n_ids; i < n; i++)
        bytes[i] = scn_filler(i);
    int64_t id;
    ken_status st = ken_store_add_segment(s, KEN_SEGMENT_WORDS, ken_str_n(bytes, n),
                                          (uint32_t)ids->len, &id, err);
    ken_free(bytes);
    return st;
}

// ---- writing a generation --------------------------------------------------------------------

// The content of each file, found or added, with a segment per batch: two transactions.
static inline ken_status scn_put_contents(ken_store *s, uint64_t g, ken_arena *arena,
                                          int64_t *contents, ken_err *err)
{
    uint32_t n = scn_n_files(g);
    scn_ids added = { 0 };
    ken_status st = KEN_OK;
    for (uint32_t from = 0, to = n / 2; !st && from < n; from = to, to = n) {
        st = ken_store_begin_write(s, err);
        ken_vec_clear(&added);
        for (uint32_t i = from; !st && i < to; i++) {
            uint32_t size = scn_size(i, g);
            ken_content_key key = scn_key(size);
            ken_content_info info;
            st = ken_store_find_content(s, &key, &info, err);
            if (!st) {
                contents[i] = info.id;
                continue;
            }
            if (st != KEN_ENOTFOUND)
                break;
            st = scn_add_content(s, size, arena, &contents[i], err);
            if (!st)
                ken_vec_push(&added, contents[i]);
        }
        if (!st)
            st = scn_add_segment(s, &added, err);
        if (!st)
            st = ken_store_commit(s, err);
    }
    ken_vec_release(&added);
    return st;
}

static inline ken_status scn_put_files(ken_store *s, uint64_t g, const int64_t *contents,
                                       ken_arena *arena, ken_err *err)
{
    ken_file_row *rows;
    size_t n_rows;
    ken_status st = ken_store_load_files(s, arena, &rows, &n_rows, NULL, err);
    uint32_t n = scn_n_files(g);
    int64_t *ids = KEN_ARENA_ARRAY(arena, int64_t, n);
    for (size_t r = 0; !st && r < n_rows; r++) {
        uint32_t i = n;
        for (uint32_t k = 0; k < n && i == n; k++) {
            char path[64];
            scn_path(k, path);
            if (ken_str_eq_c(rows[r].path, path))
                i = k;
        }
        if (i < n)
            ids[i] = rows[r].id;
        else
            st = ken_store_remove_file(s, rows[r].id, err);
    }
    for (uint32_t i = 0; !st && i < n; i++) {
        char path[64];
        scn_path(i, path);
        const ken_file_row row = {
            .id = ids[i],
            .path = ken_str_c(path),
            .content = contents[i],
            .stamp = { scn_size(i, g), (int64_t)g * 1000, (int64_t)g * 1001, i + 1 },
            .changed_at_ms = (int64_t)g,
        };
        st = ken_store_put_file(s, &row, err);
    }
    return st;
}

// All segments become one, over the contents that are in use.
static inline ken_status scn_merge(ken_store *s, uint64_t g, const int64_t *contents,
                                   ken_arena *arena, ken_err *err)
{
    ken_segment_info *list;
    size_t n;
    ken_status st = ken_store_list_segments(s, KEN_SEGMENT_WORDS, arena, &list, &n, err);
    for (size_t i = 0; !st && i < n; i++)
        st = ken_store_remove_segment(s, list[i].id, err);
    scn_ids ids = { 0 };
    for (uint32_t i = 0; i < scn_n_files(g); i++)
        ken_vec_push(&ids, contents[i]);
    if (!st)
        st = scn_add_segment(s, &ids, err);
    ken_vec_release(&ids);
    uint64_t n_removed;
    return st ? st : ken_store_collect(s, &n_removed, err);
}

static inline ken_status scn_put_generation(ken_store *s, uint64_t g, ken_err *err)
{
    uint32_t n = scn_n_files(g);
    ken_skip_row skips[] = {
        { KEN_STR("a.bin"), KEN_SKIP_BINARY },
        { KEN_STR("big.txt"), KEN_SKIP_TOO_LARGE },
        { KEN_STR("key.pem"), KEN_SKIP_SECRET },
    };
    size_t n_skips = 1 + g % 3;
    ken_status st = ken_store_replace_skips(s, skips, n_skips, err);
    ken_generation row = {
        .number = g,
        .at_ms = (int64_t)g * 10,
        .git_head = KEN_STR("cafe"),
        .git_branch = KEN_STR("main"),
        .root = KEN_STR("/project"),
        .n_files = n,
        .skips = { [KEN_SKIP_BINARY] = 1, [KEN_SKIP_TOO_LARGE] = n_skips - 1 },
    };
    return st ? st : ken_store_put_generation(s, &row, err);
}

// From whatever is there to generation `g`. Rolls back what is open when something fails.
static inline ken_status scn_write(ken_store *s, uint64_t g, ken_err *err)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    int64_t *contents = KEN_ARENA_ARRAY(&arena, int64_t, scn_n_files(g));
    ken_status st = scn_put_contents(s, g, &arena, contents, err);
    if (!st)
        st = ken_store_begin_write(s, err);
    if (!st)
        st = scn_put_files(s, g, contents, &arena, err);
    if (!st && g % SCN_MERGE_EVERY == 0)
        st = scn_merge(s, g, contents, &arena, err);
    if (!st)
        st = scn_put_generation(s, g, err);
    if (!st)
        st = ken_store_commit(s, err);
    if (!st)
        st = ken_store_checkpoint(s, err);
    ken_store_rollback(s);
    ken_arena_release(&arena);
    return st;
}

// ---- reading one -----------------------------------------------------------------------------

typedef struct scn_reader {
    ken_store *s;
    ken_arena *arena;
    scn_ids covered;
    const char *wrong; // what does not agree; NULL = nothing
} scn_reader;

static inline ken_status scn_read_segment(scn_reader *r, const ken_segment_info *g, ken_err *err)
{
    char *bytes = ken_arena_alloc(r->arena, g->n_bytes + KEN_SEGMENT_BLOCK);
    size_t at = 0, n = 0;
    ken_status st = KEN_OK;
    for (uint32_t b = 0; !st && at < g->n_bytes; b++, at += n)
        st = ken_store_read_block(r->s, g->id, b, bytes + at, &n, err);
    if (st)
        return st == KEN_ENOTFOUND ? KEN_FAIL(err, st, "a block is missing") : st;
    size_t n_ids, head = sizeof n_ids;
    memcpy(&n_ids, bytes, sizeof n_ids);
    if (at != g->n_bytes || n_ids != g->n_contents ||
        head + n_ids * sizeof(int64_t) + SCN_FILLER != at) {
        r->wrong = "size of a segment";
        return KEN_OK;
    }
    for (size_t i = 0; i < n_ids; i++) {
        int64_t id;
        memcpy(&id, bytes + head + i * sizeof id, sizeof id);
        ken_vec_push(&r->covered, id);
    }
    for (size_t i = head + n_ids * sizeof(int64_t); i < at; i++)
        if (bytes[i] != scn_filler(i))
            r->wrong = "bytes of a segment";
    return KEN_OK;
}

static inline bool scn_is_covered_once(const scn_reader *r, int64_t content)
{
    size_t n = 0;
    for (size_t i = 0; i < r->covered.len; i++)
        n += r->covered.ptr[i] == content;
    return n == 1;
}

static inline void scn_check_file(scn_reader *r, uint64_t g, const ken_file_row *row,
                                  const ken_content_info *info, uint64_t *seen)
{
    for (uint32_t i = 0; i < scn_n_files(g); i++) {
        char path[64];
        scn_path(i, path);
        if (!ken_str_eq_c(row->path, path))
            continue;
        *seen |= (uint64_t)1 << i;
        if (info->n_bytes != scn_size(i, g) || info->id != row->content)
            r->wrong = "a file has the content of another generation";
        if (row->stamp.size != scn_size(i, g) || row->stamp.inode != i + 1 ||
            row->changed_at_ms != (int64_t)g)
            r->wrong = "a file has the numbers of another generation";
        if (!scn_is_covered_once(r, row->content))
            r->wrong = "a content is not in exactly one segment";
        return;
    }
    r->wrong = "a file of another generation";
}

static inline ken_status scn_check_files(scn_reader *r, uint64_t g, ken_err *err)
{
    ken_file_row *rows;
    ken_content_info *infos;
    size_t n;
    ken_status st = ken_store_load_files(r->s, r->arena, &rows, &n, &infos, err);
    uint64_t seen = 0;
    for (size_t i = 0; !st && i < n; i++) {
        scn_check_file(r, g, &rows[i], &infos[i], &seen);
        if (i && ken_str_cmp(rows[i - 1].path, rows[i].path) >= 0)
            r->wrong = "order of files";
        ken_facts f;
        st = ken_store_load_facts(r->s, rows[i].content, r->arena, &f, err);
        if (!st && (f.n_bytes != infos[i].n_bytes || f.n_symbols != infos[i].n_symbols))
            r->wrong = "facts of another content";
        ken_refs refs;
        if (!st)
            st = ken_store_load_refs(r->s, rows[i].content, &f, r->arena, &refs, err);
        if (!st && refs.n_refs != f.n_symbols)
            r->wrong = "refs of another content";
    }
    if (!st && (n != scn_n_files(g) || seen != ((uint64_t)1 << n) - 1))
        r->wrong = "number of files";
    return st;
}

// Reads the newest generation in one transaction and compares it with what it must be. Generation 0
// must be empty of files. `*out_wrong`: what does not agree, NULL = all is well.
static inline ken_status scn_check(ken_store *s, uint64_t *out_g, const char **out_wrong,
                                   ken_err *err)
{
    ken_arena arena;
    ken_arena_init(&arena, 0);
    scn_reader r = { .s = s, .arena = &arena };
    ken_generation g = { 0 };
    ken_segment_info *segments = NULL;
    size_t n = 0;
    ken_status st = ken_store_begin_read(s, err);
    if (!st)
        st = ken_store_load_generation(s, &arena, &g, err);
    if (!st)
        st = ken_store_list_segments(s, KEN_SEGMENT_WORDS, &arena, &segments, &n, err);
    for (size_t i = 0; !st && !r.wrong && i < n; i++)
        st = scn_read_segment(&r, &segments[i], err);
    if (!st && !r.wrong && g.number)
        st = scn_check_files(&r, g.number, err);
    if (!st && g.number && g.n_files != scn_n_files(g.number))
        r.wrong = "counts of the generation";
    ken_store_rollback(s);
    ken_vec_release(&r.covered);
    ken_arena_release(&arena);
    *out_g = g.number;
    *out_wrong = r.wrong;
    return st;
}

#endif
