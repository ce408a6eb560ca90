// SPDX-License-Identifier: MIT
// Our segments against SQLite's FTS5, on the chunks of a real tree: docs/decisions/0001 rests on
// it.
//
// Both get the same chunks in the same fields (body, comments, names defined), learnt before the
// clock starts, and both end with everything on disk. FTS5 tables are contentless. One has FTS5's
// own porter tokenizer; the others have ours as a custom tokenizer, so that the terms are the same:
// identifiers split and stemmed, compounds kept whole beside their parts. "tuned" gathers 64 MiB of
// terms in memory and merges once at the end. A question is an OR of its terms, the best 50 by bm25
// with field weights; ours scores all files, then the chunks of the best 300. An update replaces
// the chunks of one file, durably.
#include <stdio.h>
#include <stdlib.h>

#include <sqlite3.h>

#include "base/clock.h"
#include "base/fs.h"
#include "bench.h"
#include "lang/lang.h"
#include "learn/learn.h"
#include "lexical/lexical_score.h"
#include "scan/scan.h"
#include "store/store.h"

static const char help[] =
    "bench_fts5 [--queries N] [--file JSON] [--only VARIANT] [--temp DIR] [--json] [PATH]\n"
    "  our search segments against SQLite's FTS5 on the chunks of PATH\n"
    "  --file JSON     questions: an object with \"queries\", objects with \"query\"\n"
    "  --only VARIANT  ours, porter, full, tuned, column or none";

enum {
    MAX_FILE_BYTES = 1 << 20,
    DEFAULT_QUERIES = 200,
    N_UPDATES = 30,
    CHOSEN = 300,
    BEST = 50,
    BULK_TERMS_BYTES = 64 << 20
};

// ---- the corpus --------------------------------------------------------------------------------

typedef struct doc {
    ken_str text;
    ken_facts facts;
    ken_span *comments;
    size_t n_comments;
    int64_t first_row; // of its chunks
} doc;

typedef struct corpus {
    ken_arena arena;
    KEN_VEC(doc) docs;
    KEN_VEC(ken_str) questions;
    uint64_t n_chunks, n_bytes;
} corpus;

static void add_doc(corpus *c, ken_learner *learner, ken_lang_id lang, ken_str text)
{
    doc d = { .text = ken_arena_dup(&c->arena, text), .first_row = (int64_t)c->n_chunks + 1 };
    ken_learn(learner, lang, d.text, NULL, &c->arena, &d.facts, NULL);
    const ken_span *comments = ken_learner_comments(learner, &d.n_comments);
    d.comments = KEN_ARENA_ARRAY(&c->arena, ken_span, d.n_comments + 1);
    if (d.n_comments)
        memcpy(d.comments, comments, d.n_comments * sizeof *comments);
    c->n_chunks += d.facts.n_chunks;
    c->n_bytes += text.len;
    ken_vec_push(&c->docs, d);
}

static void load_corpus(corpus *c, const char *root)
{
    ken_err err = { 0 };
    ken_scan_result scan;
    int root_fd;
    ken_arena_init(&c->arena, (size_t)1 << 20);
    bench_check(ken_scan(root, &(ken_scan_opts){ 0 }, NULL, &c->arena, &scan, &err), &err);
    bench_check(ken_fs_open_dir(root, &root_fd, &err), &err);
    ken_learner *learner = ken_learner_new();
    ken_buf text = KEN_BUF_INIT(MAX_FILE_BYTES + 1);
    for (size_t i = 0; i < scan.n_files; i++) {
        ken_str path = scan.files[i].path;
        if (ken_fs_read(root_fd, path.ptr, MAX_FILE_BYTES, &text, NULL, NULL) ||
            ken_scan_classify_content(path, ken_buf_str(&text)))
            continue;
        ken_lang_id lang = ken_lang_of(path, ken_buf_str(&text));
        add_doc(c, learner, lang, ken_buf_str(&text));
    }
    ken_buf_release(&text);
    ken_learner_free(learner);
    ken_fs_close(root_fd);
    if (!c->docs.len)
        bench_die("nothing to index here");
}

static void read_questions(corpus *c, const char *file)
{
    ken_err err = { 0 };
    ken_buf b = KEN_BUF_INIT(KEN_JSON_BYTES_MAX);
    json_t *all;
    bench_check(ken_fs_read_own(file, KEN_JSON_BYTES_MAX, &b, &err), &err);
    bench_check(ken_json_parse(ken_buf_str(&b), &all, &err), &err);
    const json_t *list = json_object_get(all, "queries");
    for (size_t i = 0; i < json_array_size(list); i++) {
        ken_str q = ken_json_text(json_object_get(json_array_get(list, i), "query"));
        ken_vec_push(&c->questions, ken_arena_dup(&c->arena, q));
    }
    json_decref(all);
    ken_buf_release(&b);
}

// First sentences of documentation comments, spread over the tree.
static void make_questions(corpus *c, size_t n)
{
    size_t n_with_doc = 0, step;
    for (int pass = 0; pass < 2; pass++) {
        step = pass ? (n_with_doc / n ? n_with_doc / n : 1) : 1;
        size_t seen = 0;
        for (size_t d = 0; d < c->docs.len; d++) {
            const ken_facts *f = &c->docs.ptr[d].facts;
            for (uint32_t s = 0; s < f->n_symbols; s++) {
                ken_span comment = f->symbols[s].doc;
                if (comment.end < comment.start + 20)
                    continue;
                n_with_doc += !pass;
                if (!pass || seen++ % step || c->questions.len == n)
                    continue;
                ken_str q = bench_sentence(
                    ken_str_sub(c->docs.ptr[d].text, comment.start, comment.end), &c->arena);
                if (q.len)
                    ken_vec_push(&c->questions, q);
            }
        }
    }
}

typedef struct measured {
    double wall_ms, cpu_ms, tokens_ms; // of indexing; CPU of splitting text into terms alone
    uint64_t n_bytes;
    bench_samples query;        // CPU
    bench_samples update;       // wall, for it waits for the disk
    uint64_t n_found, n_scores; // rows of all questions, and how many distinct scores they had
} measured;

static void close_measured(measured *m, json_t *report, const char *name, const corpus *c)
{
    json_t *o = json_object();
    ken_json_set_real(o, "index_wall_ms", m->wall_ms);
    ken_json_set_real(o, "index_cpu_ms", m->cpu_ms);
    ken_json_set_real(o, "tokenize_cpu_ms", m->tokens_ms);
    ken_json_set_u64(o, "bytes", m->n_bytes);
    ken_json_set_real(o, "of_source", (double)m->n_bytes / (double)c->n_bytes);
    ken_json_set(o, "query", bench_quantiles(&m->query));
    ken_json_set(o, "update_one_file", bench_quantiles(&m->update));
    if (m->n_found)
        ken_json_set_real(o, "distinct_scores", (double)m->n_scores / (double)m->n_found);
    ken_json_set(report, name, o);
    ken_vec_release(&m->query);
    ken_vec_release(&m->update);
}

// ---- FTS5 --------------------------------------------------------------------------------------

typedef struct fts {
    sqlite3 *db;
    sqlite3_stmt *insert, *remove;
    ken_buf body, comments, names;
} fts;

static void sql(sqlite3 *db, const char *text)
{
    char *message = NULL;
    if (sqlite3_exec(db, text, NULL, NULL, &message))
        bench_die("%s: %s", text, message);
}

static sqlite3_stmt *prepared(sqlite3 *db, const char *text)
{
    sqlite3_stmt *s;
    if (sqlite3_prepare_v3(db, text, -1, SQLITE_PREPARE_PERSISTENT, &s, NULL))
        bench_die("%s: %s", text, sqlite3_errmsg(db));
    return s;
}

typedef int token_fn(void *ctx, int flags, const char *text, int n, int start, int end);

static int put_token(const char *text, ken_str token, void *ctx, token_fn *put)
{
    ken_token_parts parts;
    int start = (int)(token.ptr - text), end = start + (int)token.len, rc = SQLITE_OK;
    ken_token_split(token, &parts);
    for (uint32_t i = 0; i < parts.n_parts && !rc; i++) {
        char *part = parts.text + parts.part[i].start, word[KEN_TOKEN_MAX + 1];
        size_t len = parts.part[i].len;
        memcpy(word, part, len);
        len = ken_stem(word, len);
        rc = put(ctx, 0, word, (int)len, start, end);
    }
    if (rc || !parts.is_compound || !parts.n_parts)
        return rc;
    char whole[KEN_TOKEN_MAX + 2] = "=";
    size_t len = strlen(parts.text);
    memcpy(whole + 1, parts.text, len);
    return put(ctx, FTS5_TOKEN_COLOCATED, whole, (int)len + 1, start, end);
}

// Terms of a question are looked up as they are.
static int tokenize(Fts5Tokenizer *t, void *ctx, int flags, const char *text, int n, token_fn *put)
{
    (void)t;
    if (flags & FTS5_TOKENIZE_QUERY)
        return put(ctx, 0, text, n, 0, n);
    ken_str rest = ken_str_n(text, (size_t)n), token;
    int rc = SQLITE_OK;
    while (!rc && ken_token_next(&rest, &token))
        if (token.len >= 2 && token.len <= KEN_TOKEN_MAX)
            rc = put_token(text, token, ctx, put);
    return rc;
}

static int new_tokenizer(void *ctx, const char **args, int n, Fts5Tokenizer **out)
{
    (void)args;
    (void)n;
    *out = ctx;
    return SQLITE_OK;
}

static void free_tokenizer(Fts5Tokenizer *t)
{
    (void)t;
}

static void add_tokenizer(sqlite3 *db)
{
    static char nothing;
    static fts5_tokenizer ours = { new_tokenizer, free_tokenizer, tokenize };
    fts5_api *api = NULL;
    sqlite3_stmt *s = prepared(db, "SELECT fts5(?1)");
    sqlite3_bind_pointer(s, 1, (void *)&api, "fts5_api_ptr", NULL);
    sqlite3_step(s);
    sqlite3_finalize(s);
    if (!api || api->xCreateTokenizer(api, "ken", &nothing, &ours, NULL))
        bench_die("this SQLite has no FTS5");
}

static void put_span(ken_buf *b, ken_str text, uint32_t start, uint32_t end)
{
    if (start < end) {
        ken_buf_put_str(b, ken_str_sub(text, start, end));
        ken_buf_putc(b, ' ');
    }
}

// The three fields of a chunk. `*comment` is the first one that may touch it, `*symbol` as well.
static void fill_fields(fts *f, const doc *d, uint32_t chunk, size_t *comment, uint32_t *symbol)
{
    ken_span span = d->facts.chunks[chunk].span;
    uint32_t at = span.start;
    ken_buf_clear(&f->body);
    ken_buf_clear(&f->comments);
    ken_buf_clear(&f->names);
    while (*comment && d->comments[*comment - 1].end > span.start)
        (*comment)--;
    for (size_t i = *comment; i < d->n_comments && d->comments[i].start < span.end; i++) {
        ken_span c = d->comments[i];
        *comment = i;
        if (c.end <= span.start)
            continue;
        uint32_t from = c.start > span.start ? c.start : span.start;
        uint32_t to = c.end < span.end ? c.end : span.end;
        put_span(&f->body, d->text, at, from);
        put_span(&f->comments, d->text, from, to);
        at = to;
    }
    put_span(&f->body, d->text, at, span.end);
    for (; *symbol < d->facts.n_symbols; (*symbol)++) {
        const ken_symbol *s = &d->facts.symbols[*symbol];
        if (s->span.start >= span.end)
            break;
        ken_buf_put_str(&f->names, s->name);
        ken_buf_putc(&f->names, ' ');
    }
}

static void bind(sqlite3_stmt *s, int at, const ken_buf *b)
{
    sqlite3_bind_text(s, at, b->len ? b->ptr : "", (int)b->len, SQLITE_STATIC);
}

static void put_doc(fts *f, const doc *d, sqlite3_stmt *s)
{
    size_t comment = 0;
    uint32_t symbol = 0;
    for (uint32_t i = 0; i < d->facts.n_chunks; i++) {
        fill_fields(f, d, i, &comment, &symbol);
        sqlite3_bind_int64(s, 1, d->first_row + i);
        bind(s, 2, &f->body);
        bind(s, 3, &f->comments);
        bind(s, 4, &f->names);
        if (sqlite3_step(s) != SQLITE_DONE)
            bench_die("writing a row: %s", sqlite3_errmsg(f->db));
        sqlite3_reset(s);
    }
}

typedef struct variant {
    const char *name, *tokenizer, *detail;
    bool is_ours; // the tokenizer
    bool is_bulk; // tuned for loading everything at once
} variant;

static void open_fts(fts *f, const char *path, const variant *v, ken_arena *arena)
{
    *f = (fts){ .body = KEN_BUF_INIT(0), .comments = KEN_BUF_INIT(0), .names = KEN_BUF_INIT(0) };
    if (sqlite3_open(path, &f->db))
        bench_die("opening '%s': %s", path, sqlite3_errmsg(f->db));
    sql(f->db, "PRAGMA journal_mode = WAL");
    sql(f->db, "PRAGMA synchronous = FULL");
    sql(f->db, "PRAGMA cache_size = -65536");
    add_tokenizer(f->db);
    sql(f->db, ken_arena_printf(arena,
                                "CREATE VIRTUAL TABLE t USING fts5(body, comments, names, "
                                "content = '', tokenize = '%s', detail = %s)",
                                v->tokenizer, v->detail)
                   .ptr);
    sql(f->db, "INSERT INTO t(t, rank) VALUES('rank', 'bm25(1.0, 0.7, 3.0)')");
    if (v->is_bulk) {
        sql(f->db, ken_arena_printf(arena, "INSERT INTO t(t, rank) VALUES('hashsize', %d)",
                                    BULK_TERMS_BYTES)
                       .ptr);
        sql(f->db, "INSERT INTO t(t, rank) VALUES('automerge', 0)");
    }
    f->insert = prepared(f->db, "INSERT INTO t(rowid, body, comments, names) VALUES(?, ?, ?, ?)");
    f->remove = prepared(f->db, "INSERT INTO t(t, rowid, body, comments, names) "
                                "VALUES('delete', ?, ?, ?, ?)");
}

static void close_fts(fts *f)
{
    sqlite3_finalize(f->insert);
    sqlite3_finalize(f->remove);
    sqlite3_close(f->db);
    ken_buf_release(&f->body);
    ken_buf_release(&f->comments);
    ken_buf_release(&f->names);
}

static void fill_fts(fts *f, const corpus *c, const variant *v)
{
    sql(f->db, "BEGIN");
    for (size_t i = 0; i < c->docs.len; i++)
        put_doc(f, &c->docs.ptr[i], f->insert);
    if (v->is_bulk)
        sql(f->db, "INSERT INTO t(t) VALUES('optimize')");
    sql(f->db, "COMMIT");
    sql(f->db, "PRAGMA wal_checkpoint(TRUNCATE)");
}

static void query_text(const variant *v, ken_str question, ken_buf *out)
{
    ken_lex_query q;
    ken_lex_query_parse(question, &q);
    ken_buf_clear(out);
    for (uint32_t i = 0; i < q.n_terms; i++) {
        if (!v->is_ours && q.terms[i].is_whole)
            continue;
        ken_buf_printf(out, "%s\"%s%.*s\"", out->len ? " OR " : "", q.terms[i].is_whole ? "=" : "",
                       (int)q.terms[i].len, q.terms[i].text);
    }
}

static void ask_fts(fts *f, const corpus *c, const variant *v, measured *m)
{
    sqlite3_stmt *s =
        prepared(f->db, "SELECT rowid, rank FROM t WHERE t MATCH ? ORDER BY rank LIMIT 50");
    ken_buf text = KEN_BUF_INIT(0);
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < c->questions.len; i++) {
            query_text(v, c->questions.ptr[i], &text);
            if (!text.len)
                continue;
            int64_t t0 = bench_thread_cpu_ns();
            double last = 1;
            bind(s, 1, &text);
            while (sqlite3_step(s) == SQLITE_ROW) {
                double score = sqlite3_column_double(s, 1);
                m->n_found++;
                m->n_scores += score != last;
                last = score;
            }
            if (sqlite3_reset(s))
                bench_die("%s: %s", text.ptr, sqlite3_errmsg(f->db));
            if (pass)
                ken_vec_push(&m->query, bench_ms(bench_thread_cpu_ns() - t0));
        }
    }
    ken_buf_release(&text);
    sqlite3_finalize(s);
}

// A contentless table needs the old text again to forget a row.
static void update_fts(fts *f, const corpus *c, measured *m)
{
    for (size_t i = 0; i < N_UPDATES; i++) {
        const doc *d = &c->docs.ptr[i * c->docs.len / N_UPDATES];
        int64_t t0 = ken_clock_mono_ns();
        sql(f->db, "BEGIN");
        put_doc(f, d, f->remove);
        put_doc(f, d, f->insert);
        sql(f->db, "COMMIT");
        ken_vec_push(&m->update, bench_ms(ken_clock_mono_ns() - t0));
    }
}

static int count_token(void *ctx, int flags, const char *text, int n, int start, int end)
{
    (void)flags;
    (void)text;
    (void)start;
    (void)end;
    *(uint64_t *)ctx += (uint64_t)n;
    return SQLITE_OK;
}

// What splitting alone costs, fields included.
static double tokens_ms(fts *f, const corpus *c)
{
    uint64_t n = 0;
    int64_t t0 = bench_thread_cpu_ns();
    for (size_t i = 0; i < c->docs.len; i++) {
        size_t comment = 0;
        uint32_t symbol = 0;
        for (uint32_t k = 0; k < c->docs.ptr[i].facts.n_chunks; k++) {
            fill_fields(f, &c->docs.ptr[i], k, &comment, &symbol);
            const ken_buf *const fields[] = { &f->body, &f->comments, &f->names };
            for (int b = 0; b < 3; b++)
                if (fields[b]->len)
                    tokenize(NULL, &n, 0, fields[b]->ptr, (int)fields[b]->len, count_token);
        }
    }
    return bench_ms(bench_thread_cpu_ns() - t0);
}

static uint64_t size_of(const char *path)
{
    ken_fs_info info;
    ken_err err = { 0 };
    bench_check(ken_fs_stat(KEN_FS_CWD, path, &info, &err), &err);
    return info.stamp.size;
}

static void measure_fts(const corpus *c, const char *dir, const variant *v, json_t *report,
                        ken_arena *arena)
{
    fts f;
    measured m = { 0 };
    const char *path = ken_arena_printf(arena, "%s/%s.db", dir, v->name).ptr;
    open_fts(&f, path, v, arena);
    int64_t wall = ken_clock_mono_ns(), cpu = bench_cpu_ns();
    fill_fts(&f, c, v);
    m.wall_ms = bench_ms(ken_clock_mono_ns() - wall);
    m.cpu_ms = bench_ms(bench_cpu_ns() - cpu);
    m.tokens_ms = v->is_ours ? tokens_ms(&f, c) : 0;
    m.n_bytes = size_of(path);
    ask_fts(&f, c, v, &m);
    update_fts(&f, c, &m);
    close_fts(&f);
    close_measured(&m, report, v->name, c);
}

// ---- ours --------------------------------------------------------------------------------------

typedef struct ours {
    ken_store *store;
    ken_tokenizer *tokenizer;
    ken_lex_builder *builder;
    ken_lex_doc doc;
    ken_generation generation;
} ours;

static void flush(ours *o, uint32_t n_contents, int64_t *out_segment, uint64_t *out_bytes)
{
    ken_err err = { 0 };
    ken_buf bytes = KEN_BUF_INIT((size_t)4 << 30);
    ken_block_sink sink = ken_block_sink_of(&bytes, KEN_SEGMENT_BLOCK);
    bench_check(ken_lex_builder_finish(o->builder, &sink, &err), &err);
    bench_check(ken_store_begin_write(o->store, &err), &err);
    bench_check(ken_store_add_segment(o->store, KEN_SEGMENT_WORDS, ken_buf_str(&bytes), n_contents,
                                      out_segment, &err),
                &err);
    o->generation.number++; // with one, the commit waits for the disk
    bench_check(ken_store_put_generation(o->store, &o->generation, &err), &err);
    bench_check(ken_store_commit(o->store, &err), &err);
    *out_bytes = bytes.len;
    ken_buf_release(&bytes);
}

static void add_ours(ours *o, const doc *d, int64_t id)
{
    ken_tokenize(o->tokenizer, d->text, &d->facts, d->comments, d->n_comments, &o->doc);
    ken_lex_builder_add(o->builder, id, &o->doc, d->facts.symbols, d->facts.n_symbols);
}

static int by_words(const void *a, const void *b, void *ctx)
{
    const ken_lex_scores *s = ctx;
    float x = s->sums[*(const uint32_t *)a].words, y = s->sums[*(const uint32_t *)b].words;
    return (x < y) - (x > y);
}

static void ask_ours(ours *o, const corpus *c, int64_t segment, uint64_t n_bytes, ken_arena *arena,
                     measured *m)
{
    ken_err err = { 0 };
    ken_segment_info info = { .id = segment, .n_bytes = n_bytes };
    ken_block_source source = ken_store_source(o->store, &info);
    uint32_t n = (uint32_t)c->docs.len;
    ken_lex_part part = { .first_file = KEN_ARENA_ARRAY(arena, int32_t, n + 1) };
    ken_lex_corpus lex = { .parts = &part,
                           .n_parts = 1,
                           .n_files = n,
                           .next_file = KEN_ARENA_ARRAY(arena, int32_t, n + 1),
                           .file_part = KEN_ARENA_ARRAY(arena, uint32_t, n + 1),
                           .file_ordinal = KEN_ARENA_ARRAY(arena, uint32_t, n + 1) };
    bench_check(ken_lex_segment_open(&source, &part.segment, &err), &err);
    for (uint32_t i = 0; i < n; i++) {
        part.first_file[i] = (int32_t)i;
        lex.next_file[i] = -1;
        lex.file_ordinal[i] = i;
    }
    ken_lex_corpus_measure(&lex, arena);
    ken_lex_scores scores = { 0 };
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < c->questions.len; i++) {
            ken_lex_query q;
            int64_t t0 = bench_thread_cpu_ns();
            ken_lex_query_parse(c->questions.ptr[i], &q);
            bench_check(ken_lex_score_files(&lex, &q, NULL, NULL, &scores, &err), &err);
            uint32_t *best = scores.touched.ptr;
            size_t n_best = scores.touched.len;
            if (n_best)
                qsort_r(best, n_best, sizeof *best, by_words, &scores);
            bench_check(ken_lex_score_chunks(&lex, &q, best, n_best < CHOSEN ? n_best : CHOSEN,
                                             &scores, &err),
                        &err);
            if (pass)
                ken_vec_push(&m->query, bench_ms(bench_thread_cpu_ns() - t0));
        }
    }
    ken_lex_scores_release(&scores);
    ken_lex_segment_close(part.segment);
}

static void measure_ours(const corpus *c, const char *dir, json_t *report, ken_arena *arena)
{
    ken_err err = { 0 };
    measured m = { 0 };
    ours o = { .tokenizer = ken_tokenizer_new(NULL),
               .builder = ken_lex_builder_new(),
               .generation = { .root = KEN_STR("/") } };
    const char *path = ken_arena_printf(arena, "%s/ours.db", dir).ptr;
    bench_check(ken_store_open(&(ken_store_opts){ .path = path }, &o.store, &err), &err);
    int64_t segment, ignored, wall = ken_clock_mono_ns(), cpu = bench_cpu_ns();
    uint64_t n_bytes;
    for (size_t i = 0; i < c->docs.len; i++)
        add_ours(&o, &c->docs.ptr[i], (int64_t)i + 1);
    flush(&o, (uint32_t)c->docs.len, &segment, &n_bytes);
    bench_check(ken_store_checkpoint(o.store, &err), &err);
    m.wall_ms = bench_ms(ken_clock_mono_ns() - wall);
    m.cpu_ms = bench_ms(bench_cpu_ns() - cpu);
    bench_check(ken_store_get_size(o.store, &m.n_bytes, &err), &err);
    ask_ours(&o, c, segment, n_bytes, arena, &m);
    for (size_t i = 0; i < N_UPDATES; i++) {
        const doc *d = &c->docs.ptr[i * c->docs.len / N_UPDATES];
        int64_t t0 = ken_clock_mono_ns();
        add_ours(&o, d, (int64_t)(c->docs.len + i) + 1);
        flush(&o, 1, &ignored, &n_bytes);
        ken_vec_push(&m.update, bench_ms(ken_clock_mono_ns() - t0));
    }
    ken_tokenizer *fresh = ken_tokenizer_new(NULL);
    cpu = bench_thread_cpu_ns();
    for (size_t i = 0; i < c->docs.len; i++) {
        const doc *d = &c->docs.ptr[i];
        ken_tokenize(fresh, d->text, &d->facts, d->comments, d->n_comments, &o.doc);
    }
    m.tokens_ms = bench_ms(bench_thread_cpu_ns() - cpu);
    ken_tokenizer_free(fresh);
    ken_tokenizer_free(o.tokenizer);
    ken_lex_builder_free(o.builder);
    ken_lex_doc_release(&o.doc);
    ken_store_close(o.store);
    close_measured(&m, report, "ours", c);
}

// ---- showing -----------------------------------------------------------------------------------

static void show(const json_t *r)
{
    printf("fts5    %.0f files, %.0f chunks, %.1f MB, %.0f questions\n", bench_real(r, "files"),
           bench_real(r, "chunks"), bench_real(r, "bytes") / 1e6, bench_real(r, "questions"));
    printf("  %-10s %10s %10s %10s %10s %10s %10s %10s\n", "", "index CPU", "of it", "size",
           "query", "query", "update", "scores");
    printf("  %-10s %10s %10s %10s %10s %10s %10s %10s\n", "", "ms", "terms ms", "of source",
           "p50 ms", "p99 ms", "p50 ms", "distinct");
    const char *name;
    json_t *o;
    json_object_foreach(json_object_get(r, "variants"), name, o)
    {
        const json_t *query = json_object_get(o, "query");
        const json_t *distinct = json_object_get(o, "distinct_scores");
        printf("  %-10s %10.0f %10.0f %10.3f %10.3f %10.3f %10.2f", name,
               bench_real(o, "index_cpu_ms"), bench_real(o, "tokenize_cpu_ms"),
               bench_real(o, "of_source"), bench_real(query, "p50_ms"), bench_real(query, "p99_ms"),
               bench_real(json_object_get(o, "update_one_file"), "p50_ms"));
        if (distinct)
            printf(" %10.2f\n", json_number_value(distinct));
        else
            printf("\n");
    }
}

BENCH_MAIN(fts5)
{
    static const variant variants[] = {
        { "porter", "porter unicode61", "full", false, false },
        { "full", "ken", "full", true, false },
        { "tuned", "ken", "full", true, true },
        { "column", "ken", "column", true, false },
        { "none", "ken", "none", true, false },
    };
    bench_args a;
    bench_args_parse(argc, argv, help, &a);
    ken_arena arena;
    ken_arena_init(&arena, 0);
    const char *root = bench_path(&a, &arena), *dir = bench_temp(&a, &arena);
    corpus c = { 0 };
    load_corpus(&c, root);
    if (a.file)
        read_questions(&c, a.file);
    else
        make_questions(&c, a.n_queries ? a.n_queries : DEFAULT_QUERIES);
    json_t *report = bench_report("fts5", root), *results = json_object();
    ken_json_set_u64(report, "files", c.docs.len);
    ken_json_set_u64(report, "chunks", c.n_chunks);
    ken_json_set_u64(report, "bytes", c.n_bytes);
    ken_json_set_u64(report, "questions", c.questions.len);
    ken_json_set_str(report, "sqlite", ken_str_c(sqlite3_libversion()));
    if (!a.only || strcmp(a.only, "ours") == 0)
        measure_ours(&c, dir, results, &arena);
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (!a.only || strcmp(a.only, variants[i].name) == 0)
            measure_fts(&c, dir, &variants[i], results, &arena);
    ken_json_set(report, "variants", results);
    if (a.is_json) {
        bench_print(report);
    } else {
        show(report);
        json_decref(report);
    }
    ken_vec_release(&c.docs);
    ken_vec_release(&c.questions);
    ken_arena_release(&c.arena);
    ken_arena_release(&arena);
    return 0;
}
