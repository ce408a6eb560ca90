// SPDX-License-Identifier: MIT
// index_lab.h -- a folder, its index, and what a user can see of it: shared by the tests of
// indexing and of asking.
#ifndef KEN_TESTS_INDEX_LAB_H
#define KEN_TESTS_INDEX_LAB_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "base/path.h"
#include "base/vec.h"
#include "index/index.h"
#include "ktest.h"
#include "query/query.h"

typedef struct index_lab {
    const char *root, *db;
    ken_uuid tree; // of the index; zeros = its first
    ken_store *store;
    ken_arena arena;
    ken_err err;
    ken_index_opts opts;
    ken_index_report report; // of the last run
    int64_t clock_s;         // mtime of the next file that is written
} index_lab;

// ---- the folder --------------------------------------------------------------------------------

static inline void lab_path(const index_lab *l, const char *rel, char out[4096])
{
    int n = snprintf(out, 4096, "%s/%s", l->root, rel);
    kt_true(n > 0 && n < 4096);
    for (char *p = out + strlen(l->root) + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        kt_true(mkdir(out, 0755) == 0 || errno == EEXIST);
        *p = '/';
    }
}

// Every write gets a later mtime, as if some time had passed since the one before.
static inline void lab_write_n(index_lab *l, const char *rel, const char *text, size_t n)
{
    char path[4096];
    lab_path(l, rel, path);
    FILE *f = fopen(path, "wb");
    kt_not_null(f);
    kt_eq_u(fwrite(text, 1, n, f), n);
    kt_eq_i(fclose(f), 0);
    struct timespec times[2] = { { l->clock_s, 0 }, { l->clock_s, 0 } };
    l->clock_s++;
    kt_eq_i(utimensat(AT_FDCWD, path, times, 0), 0);
}

static inline void lab_write(index_lab *l, const char *rel, const char *text)
{
    lab_write_n(l, rel, text, strlen(text));
}

// The whole file as it is now, in the lab's arena; ptr is NULL when it is not there.
static inline ken_str lab_read(index_lab *l, const char *rel)
{
    char path[4096];
    lab_path(l, rel, path);
    ken_buf b = KEN_BUF_INIT((size_t)64 << 20);
    ken_str text = { NULL, 0 };
    if (!ken_fs_read_own(path, (size_t)64 << 20, &b, NULL))
        text = ken_arena_dup(&l->arena, ken_buf_str(&b));
    ken_buf_release(&b);
    return text;
}

static inline void lab_remove(const index_lab *l, const char *rel)
{
    char path[4096];
    lab_path(l, rel, path);
    kt_eq_i(remove(path), 0);
}

static inline void lab_move(const index_lab *l, const char *from, const char *to)
{
    char a[4096], b[4096];
    lab_path(l, from, a);
    lab_path(l, to, b);
    kt_eq_i(rename(a, b), 0);
}

// ---- the index ---------------------------------------------------------------------------------

static inline ken_store *lab_open_tree(const char *db, ken_uuid tree, bool is_read_only)
{
    ken_store *s = NULL;
    ken_err err = { 0 };
    const ken_store_opts opts = { .path = db, .is_read_only = is_read_only, .tree = tree };
    kt_ok_err(ken_store_open(&opts, &s, &err), &err);
    return s;
}

static inline ken_store *lab_open_store(const char *db, bool is_read_only)
{
    return lab_open_tree(db, (ken_uuid){ { 0 } }, is_read_only);
}

// A folder and an index of that name, both empty.
static inline void lab_start_named(index_lab *l, const char *name)
{
    char db[200];
    snprintf(db, sizeof db, "index/%s.db", name);
    *l = (index_lab){ .clock_s = 1700000000, .db = ktest_path(db) };
    ken_arena_init(&l->arena, 0);
    const char *tree = ktest_path(name);
    kt_true(mkdir(tree, 0755) == 0 || errno == EEXIST);
    ken_str real;
    kt_ok(ken_path_real(&l->arena, ken_str_c(tree), &real, &l->err));
    l->root = real.ptr;
    l->store = lab_open_store(l->db, false);
    l->opts.scan.without_git = true;
    l->opts.scan.home = ktest_dir();
}

static inline void lab_start(index_lab *l)
{
    lab_start_named(l, "tree");
}

static inline void lab_end(index_lab *l)
{
    ken_store_close(l->store);
    ken_arena_release(&l->arena);
}

static inline ken_status lab_try(index_lab *l, const ken_cancel *cancel)
{
    l->err = (ken_err){ 0 };
    l->report = (ken_index_report){ 0 };
    return ken_index_run(l->store, l->root, &l->opts, cancel, &l->arena, &l->report, &l->err);
}

static inline const ken_index_report *lab_run(index_lab *l)
{
    kt_ok_err(lab_try(l, NULL), &l->err);
    return &l->report;
}

static inline uint64_t lab_generation(const index_lab *l)
{
    uint64_t g = 0;
    kt_ok(ken_store_get_generation(l->store, &g, NULL));
    return g;
}

// A question that is open, through a store of its own: the lab's goes on writing meanwhile.
typedef struct lab_pin {
    ken_store *store;
    ken_reader *reader;
    ken_snapshot *snap; // NULL = this place is free
} lab_pin;

static lab_pin lab_pins[8];

static inline lab_pin *lab_find_pin(const ken_snapshot *s)
{
    for (size_t i = 0; i < sizeof lab_pins / sizeof *lab_pins; i++)
        if (lab_pins[i].snap == s)
            return &lab_pins[i];
    kt_fail("no such question, or too many");
}

static inline ken_status lab_try_open(index_lab *l, ken_snapshot **out)
{
    lab_pin *p = lab_find_pin(NULL);
    l->err = (ken_err){ 0 };
    p->store = lab_open_tree(l->db, l->tree, true);
    p->reader = ken_reader_new(p->store);
    ken_status st = ken_reader_pin(p->reader, &p->snap, &l->err);
    if (st) {
        ken_reader_free(p->reader);
        ken_store_close(p->store);
    } else {
        *out = p->snap;
    }
    return st;
}

static inline ken_snapshot *lab_open(index_lab *l)
{
    ken_snapshot *s = NULL;
    kt_ok_err(lab_try_open(l, &s), &l->err);
    return s;
}

static inline void lab_close(ken_snapshot *s)
{
    if (!s)
        return;
    lab_pin *p = lab_find_pin(s);
    ken_reader_unpin(p->reader);
    ken_reader_free(p->reader);
    ken_store_close(p->store);
    *p = (lab_pin){ .snap = NULL };
}

// The next question of the same reader, of the newest generation.
static inline ken_status lab_try_again(ken_snapshot *s, ken_err *err)
{
    lab_pin *p = lab_find_pin(s);
    ken_reader_unpin(p->reader);
    ken_status st = ken_reader_pin(p->reader, &p->snap, err);
    if (!st)
        kt_true(p->snap == s);
    return st;
}

static inline void lab_again(index_lab *l, ken_snapshot *s)
{
    kt_ok_err(lab_try_again(s, &l->err), &l->err);
}

// ---- what can be seen of it --------------------------------------------------------------------

static inline void lab_put_facts(ken_buf *out, const ken_facts *f)
{
    ken_buf_printf(out, " %u bytes, %u lines, %u errors%s\n", f->n_bytes, f->n_lines,
                   f->n_error_bytes, f->is_fallback ? ", by lines" : "");
    for (uint32_t i = 0; i < f->n_symbols; i++)
        ken_buf_printf(out, "  %s " KEN_STR_FMT " %u-%u\n",
                       ken_symbol_kind_word(f->symbols[i].kind), KEN_STR_ARG(f->symbols[i].name),
                       f->symbols[i].first_line, f->symbols[i].last_line);
    for (uint32_t i = 0; i < f->n_chunks; i++)
        ken_buf_printf(out, "  %s %u-%u\n", ken_chunk_type_word(f->chunks[i].type),
                       f->chunks[i].span.start, f->chunks[i].span.end);
}

// Every file with all that is known of it, and what was left out.
static inline void lab_put_files(ken_store *store, ken_buf *out)
{
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_err err = { 0 };
    ken_file_row *rows;
    ken_content_info *infos;
    size_t n;
    kt_ok_err(ken_store_load_files(store, &a, &rows, &n, &infos, &err), &err);
    for (size_t i = 0; i < n; i++) {
        ken_facts f;
        ken_arena_mark mark = ken_arena_get_mark(&a);
        kt_ok_err(ken_store_load_facts(store, rows[i].content, &a, &f, &err), &err);
        ken_buf_printf(out, KEN_STR_FMT ":", KEN_STR_ARG(rows[i].path));
        lab_put_facts(out, &f);
        kt_eq_u(f.n_chunks, infos[i].n_chunks);
        kt_eq_u(f.n_symbols, infos[i].n_symbols);
        ken_arena_rewind(&a, mark);
    }
    ken_skip_row *skips;
    kt_ok_err(ken_store_load_skips(store, KEN_SKIP_NONE, 100000, &a, &skips, &n, &err), &err);
    for (size_t i = 0; i < n; i++)
        ken_buf_printf(out, "left out " KEN_STR_FMT ": %s\n", KEN_STR_ARG(skips[i].path),
                       ken_skip_word(skips[i].reason));
    ken_generation g;
    kt_ok_err(ken_store_load_generation(store, &a, &g, &err), &err);
    ken_buf_printf(out, "%llu files, %llu chunks, %llu symbols, %llu bytes, %llu lines\n",
                   (unsigned long long)g.n_files, (unsigned long long)g.n_chunks,
                   (unsigned long long)g.n_symbols, (unsigned long long)g.n_bytes,
                   (unsigned long long)g.n_lines);
    ken_arena_release(&a);
}

static inline void lab_put_result(const ken_search_result *r, ken_buf *out)
{
    for (size_t i = 0; i < r->n_hits; i++) {
        const ken_hit *h = &r->hits[i];
        ken_buf_printf(out, "  " KEN_STR_FMT ":%u-%u " KEN_STR_FMT " %.5f\n", KEN_STR_ARG(h->path),
                       h->first_line, h->last_line, KEN_STR_ARG(h->symbol), h->score);
    }
    ken_buf_printf(out, "  of %zu%s\n", r->n_total, r->is_truncated ? ", more" : "");
}

static inline void lab_put_answer(index_lab *l, ken_snapshot *s, ken_search_mode mode,
                                  const char *query, ken_buf *out)
{
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_search_opts o = { .mode = mode, .limit = 20 };
    ken_search_result r;
    l->err = (ken_err){ 0 };
    kt_ok_err(ken_search(s, ken_str_c(query), &o, NULL, &a, &r, &l->err), &l->err);
    ken_buf_printf(out, "%s? (%s)\n", query, r.strategy);
    lab_put_result(&r, out);
    ken_arena_release(&a);
}

// The index as text: two indexes that say the same are the same to a user.
static inline char *lab_describe(index_lab *l, const char *const *queries, size_t n_queries)
{
    ken_buf out = KEN_BUF_INIT(0);
    lab_put_files(l->store, &out);
    ken_snapshot *s = lab_open(l);
    for (size_t i = 0; i < n_queries; i++) {
        lab_put_answer(l, s, KEN_SEARCH_AUTO, queries[i], &out);
        lab_put_answer(l, s, KEN_SEARCH_SYMBOL, queries[i], &out);
        lab_put_answer(l, s, KEN_SEARCH_TEXT, queries[i], &out);
    }
    lab_close(s);
    return ken_buf_steal(&out);
}

// Path and first line of the best hit, "" when there is none.
static inline const char *lab_first(index_lab *l, ken_search_mode mode, const char *query)
{
    static char text[5000];
    ken_snapshot *s = lab_open(l);
    ken_search_opts o = { .mode = mode };
    ken_search_result r;
    kt_ok_err(ken_search(s, ken_str_c(query), &o, NULL, &l->arena, &r, &l->err), &l->err);
    text[0] = '\0';
    if (r.n_hits)
        snprintf(text, sizeof text, KEN_STR_FMT ":%u", KEN_STR_ARG(r.hits[0].path),
                 r.hits[0].first_line + 1);
    lab_close(s);
    return text;
}

// ---- chance ------------------------------------------------------------------------------------

static uint64_t lab_state = 1;

static inline void lab_seed(uint64_t seed)
{
    lab_state = seed * 0x9e3779b97f4a7c15u + 1;
}

static inline uint32_t lab_pick(uint32_t below) // xorshift; the same on every run
{
    lab_state ^= lab_state << 13;
    lab_state ^= lab_state >> 7;
    lab_state ^= lab_state << 17;
    return (uint32_t)((lab_state >> 11) % below);
}

// A small file in the language of `path`: definitions, comments and uses of a few dozen words.
static inline void lab_put_code(ken_buf *b, const char *path)
{
    static const char *const words[] = {
        "session", "client",  "retry",  "policy", "queue",  "worker", "buffer", "parser", "render",
        "invoice", "payment", "ledger", "cache",  "socket", "reader", "writer", "token",  "signal",
        "metric",  "schema",  "cursor", "tunnel", "region", "bucket", "lease",  "quorum", "shard",
    };
    enum {
        N = sizeof words / sizeof *words
    };
    bool is_python = strstr(path, ".py") != NULL, is_md = strstr(path, ".md") != NULL;
    for (uint32_t n = 1 + lab_pick(6); n; n--) {
        const char *a = words[lab_pick(N)], *c = words[lab_pick(N)], *d = words[lab_pick(N)];
        uint32_t k = lab_pick(1000);
        if (is_md)
            ken_buf_printf(b, "## %s %s %u\n\nThe %s holds a %s.\n\n", a, c, k, d, a);
        else if (is_python)
            ken_buf_printf(b, "# the %s of a %s\ndef %s_%s_%u(%s):\n    return %s + %u\n\n", d, c,
                           a, c, k, d, d, k);
        else
            ken_buf_printf(
                b, "/* the %s of a %s */\nint %s_%s_%u(int %s)\n{\n    return %s + %u;\n}\n\n", d,
                c, a, c, k, d, d, k);
    }
}

#endif
