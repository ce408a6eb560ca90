// SPDX-License-Identifier: MIT
// What an index holds, as lines of text in which no id and no time of a run appears: two indexes of one
// tree that are equal row for row have the same lines.
//
//   ken_index_dump DATABASE [PROJECT]
//
// PROJECT: the id of a project whose files are a further tree of that index; without it they are those of the first.
//
//   file PATH SHA LANGUAGE SIZE MTIME CTIME INODE LINES CHUNKS SYMBOLS ERROR-BYTES FLAGS
//   content SHA LANGUAGE facts=HASH refs=HASH words=HASH mentions=HASH vectors=MODEL:HASH
//   skip REASON PATH
//   total FILES CHUNKS SYMBOLS BYTES LINES
//
// Words, mentions and vectors are what the segments hold of that one content: a segment that is merged of
// it alone, but for its id. A content that a kind of segment holds twice or never is an error, and so is
// whatever ken_store_verify finds.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "blocks/sections.h"
#include "lang/lang.h"
#include "lexical/lexical.h"
#include "mention/mention.h"
#include "store/store.h"
#include "vector/vector.h"

enum {
    N_KINDS = 4, // kinds of segments count from 1
    ID_BYTES = 8
};

static const char *const kind_names[N_KINDS] = { "", "words", "vectors", "mentions" };

typedef struct dump_content {
    int64_t id;
    uint16_t lang;
    uint32_t n_found[N_KINDS];
    uint64_t hash[N_KINDS];
    const char *model;
    bool is_put;
} dump_content;

typedef struct dump {
    ken_store *store;
    ken_arena arena;
    dump_content *contents; // of files, by id
    size_t n_contents;
    int n_wrong;
} dump;

static KEN_NORETURN void die(const char *what, const ken_err *err)
{
    fprintf(stderr, "ken_index_dump: %s: %s\n", what, err->msg);
    exit(2);
}

static void need(ken_status st, const char *what, const ken_err *err)
{
    if (st)
        die(what, err);
}

static uint64_t mix(uint64_t hash, uint64_t more)
{
    const uint64_t both[2] = { hash, more };
    return ken_hash64(both, sizeof both);
}

// ---- contents ----------------------------------------------------------------------------------

static int by_id(const void *a, const void *b)
{
    int64_t x = ((const dump_content *)a)->id, y = ((const dump_content *)b)->id;
    return (x > y) - (x < y);
}

static dump_content *find(const dump *d, int64_t id)
{
    const dump_content key = { .id = id };
    return bsearch(&key, d->contents, d->n_contents, sizeof key, by_id);
}

static void note_contents(dump *d, const ken_file_row *rows, const ken_content_info *infos,
                          size_t n)
{
    d->contents = KEN_ARENA_ARRAY(&d->arena, dump_content, n + 1);
    for (size_t i = 0; i < n; i++)
        d->contents[i] =
            (dump_content){ .id = rows[i].content, .lang = infos[i].lang, .model = "" };
    qsort(d->contents, n, sizeof *d->contents, by_id);
    for (size_t i = 0; i < n; i++)
        if (!d->n_contents || d->contents[d->n_contents - 1].id != d->contents[i].id)
            d->contents[d->n_contents++] = d->contents[i];
}

// ---- segments ----------------------------------------------------------------------------------

static ken_status read_buf(void *ctx, int64_t segment, uint32_t block, void *into, size_t *out_n,
                           ken_err *err)
{
    size_t at = (size_t)block * KEN_SEGMENT_BLOCK;
    ken_str part = ken_str_sub(ken_buf_str(ctx), at, at + KEN_SEGMENT_BLOCK);
    (void)segment;
    if (!part.len)
        return KEN_FAIL(err, KEN_ENOTFOUND, "no block %u", block);
    memcpy(into, part.ptr, part.len);
    *out_n = part.len;
    return KEN_OK;
}

// Of all sections of a segment with one content, whose id is the beginning of the first.
static uint64_t hash_of_one(ken_buf *bytes)
{
    ken_err err = { 0 };
    ken_sections *s = NULL;
    const ken_block_source source = { read_buf, bytes, 1, bytes->len, KEN_SEGMENT_BLOCK };
    need(ken_sections_open(&source, &s, &err), "a merged segment", &err);
    uint64_t hash = ken_hash_str(ken_sections_head(s));
    for (uint32_t i = 0; i < ken_sections_count(s); i++) {
        uint64_t from = i ? 0 : ID_BYTES, len = ken_sections_len(s, i);
        const uint8_t *at = NULL;
        if (len <= from)
            continue;
        need(ken_sections_view(s, i, from, len - from, &at, &err), "a merged segment", &err);
        hash = mix(hash, ken_hash64(at, (size_t)(len - from)));
    }
    ken_sections_close(s);
    return hash;
}

static void note(dump_content *c, ken_segment_kind kind, uint64_t hash)
{
    c->n_found[kind]++;
    c->hash[kind] = hash;
}

static void read_words(dump *d, const ken_block_source *source)
{
    ken_err err = { 0 };
    ken_lex_segment *s = NULL;
    need(ken_lex_segment_open(source, &s, &err), "a segment of words", &err);
    uint32_t n = ken_lex_segment_n_contents(s);
    bool *is_live = ken_zalloc(n + (size_t)1);
    for (uint32_t i = 0; i < n; i++) {
        dump_content *c = find(d, ken_lex_segment_contents(s)[i].id);
        if (!c)
            continue;
        ken_buf one = KEN_BUF_INIT(0);
        const ken_block_sink sink = ken_block_sink_of(&one, KEN_SEGMENT_BLOCK);
        is_live[i] = true;
        need(ken_lex_merge(&(ken_lex_input){ .segment = s, .is_live = is_live }, 1, &sink, &err),
             "words", &err);
        is_live[i] = false;
        note(c, KEN_SEGMENT_WORDS, hash_of_one(&one));
        ken_buf_release(&one);
    }
    ken_free(is_live);
    ken_lex_segment_close(s);
}

static void read_mentions(dump *d, const ken_block_source *source)
{
    ken_err err = { 0 };
    ken_mention_segment *s = NULL;
    need(ken_mention_segment_open(source, &s, &err), "a segment of mentions", &err);
    uint32_t n = ken_mention_segment_n_contents(s);
    bool *is_live = ken_zalloc(n + (size_t)1);
    for (uint32_t i = 0; i < n; i++) {
        dump_content *c = find(d, ken_mention_segment_contents(s)[i]);
        if (!c)
            continue;
        ken_buf one = KEN_BUF_INIT(0);
        const ken_block_sink sink = ken_block_sink_of(&one, KEN_SEGMENT_BLOCK);
        is_live[i] = true;
        need(ken_mention_merge(&(ken_mention_input){ .segment = s, .is_live = is_live }, 1, &sink,
                               &err),
             "mentions", &err);
        is_live[i] = false;
        note(c, KEN_SEGMENT_MENTIONS, hash_of_one(&one));
        ken_buf_release(&one);
    }
    ken_free(is_live);
    ken_mention_segment_close(s);
}

static void read_vectors(dump *d, const ken_block_source *source)
{
    ken_err err = { 0 };
    ken_vector_segment *s = NULL;
    uint32_t n = 0;
    need(ken_vector_segment_open(source, &s, &err), "a segment of vectors", &err);
    const ken_vector_content *contents = ken_vector_segment_contents(s, &n);
    const ken_vector_model *model = ken_vector_segment_model(s);
    for (uint32_t i = 0; i < n; i++) {
        dump_content *c = find(d, contents[i].id);
        const int8_t *values = NULL;
        const float *scales = NULL;
        size_t n_rows = contents[i].n_rows;
        if (!c)
            continue;
        if (n_rows)
            need(ken_vector_segment_rows(s, &contents[i], &values, &scales, &err), "vectors", &err);
        note(c, KEN_SEGMENT_VECTORS,
             n_rows ? mix(ken_hash64(values, n_rows * model->n_dims),
                          ken_hash64(scales, n_rows * sizeof *scales))
                    : 0);
        c->model = ken_arena_printf(&d->arena, "%s", model->name).ptr;
    }
    ken_vector_segment_close(s);
}

static void read_segments(dump *d, ken_segment_kind kind,
                          void (*read)(dump *d, const ken_block_source *source))
{
    ken_err err = { 0 };
    ken_segment_info *infos = NULL;
    size_t n = 0;
    need(ken_store_list_segments(d->store, kind, &d->arena, &infos, &n, &err), "segments", &err);
    for (size_t i = 0; i < n; i++) {
        const ken_block_source source = ken_store_source(d->store, &infos[i]);
        read(d, &source);
    }
}

// ---- lines -------------------------------------------------------------------------------------

static void sha_of(dump *d, int64_t content, char out[65])
{
    ken_err err = { 0 };
    ken_sha256 sha;
    need(ken_store_load_sha(d->store, content, &sha, &err), "a content", &err);
    ken_hex_into((const uint8_t *)&sha, sizeof sha, out);
    out[64] = '\0';
}

static void put_file(dump *d, const ken_file_row *f, const ken_content_info *c)
{
    char sha[65];
    sha_of(d, f->content, sha);
    printf("file " KEN_STR_FMT " %s %s %llu %lld %lld %llu %u %u %u %u%s%s\n", KEN_STR_ARG(f->path),
           sha, ken_lang_name(c->lang), (unsigned long long)f->stamp.size,
           (long long)f->stamp.mtime_ns, (long long)f->stamp.ctime_ns,
           (unsigned long long)f->stamp.inode, c->n_lines, c->n_chunks, c->n_symbols,
           c->n_error_bytes, c->is_fallback ? " by lines" : "",
           c->is_generated ? " generated" : "");
}

// Behind the first file that holds it.
static void put_content(dump *d, dump_content *c)
{
    if (!c || c->is_put)
        return;
    c->is_put = true;
    ken_err err = { 0 };
    ken_str facts = { "", 0 }, refs = { "", 0 };
    char sha[65];
    ken_arena_mark mark = ken_arena_get_mark(&d->arena);
    sha_of(d, c->id, sha);
    need(ken_store_load_packed(d->store, c->id, &d->arena, &facts, &err), "facts", &err);
    need(ken_store_load_packed_refs(d->store, c->id, &d->arena, &refs, &err), "references", &err);
    printf("content %s %s facts=%016llx refs=%016llx words=%016llx mentions=%016llx "
           "vectors=%s:%016llx\n",
           sha, ken_lang_name(c->lang), (unsigned long long)ken_hash_str(facts),
           (unsigned long long)ken_hash_str(refs), (unsigned long long)c->hash[KEN_SEGMENT_WORDS],
           (unsigned long long)c->hash[KEN_SEGMENT_MENTIONS], c->model,
           (unsigned long long)c->hash[KEN_SEGMENT_VECTORS]);
    for (int kind = KEN_SEGMENT_WORDS; kind < N_KINDS; kind++)
        if (c->n_found[kind] != 1) {
            fprintf(stderr, "ken_index_dump: content %s is %u times in segments of %s\n", sha,
                    c->n_found[kind], kind_names[kind]);
            d->n_wrong++;
        }
    ken_arena_rewind(&d->arena, mark);
}

static void put_skips(dump *d)
{
    ken_err err = { 0 };
    ken_skip_row *skips = NULL;
    size_t n = 0;
    need(ken_store_load_skips(d->store, KEN_SKIP_NONE, SIZE_MAX, &d->arena, &skips, &n, &err),
         "skips", &err);
    for (size_t i = 0; i < n; i++)
        printf("skip %s " KEN_STR_FMT "\n", ken_skip_word(skips[i].reason),
               KEN_STR_ARG(skips[i].path));
}

static void put_generation(dump *d)
{
    ken_err err = { 0 };
    ken_generation g = { 0 };
    need(ken_store_load_generation(d->store, &d->arena, &g, &err), "the generation", &err);
    printf("total %llu %llu %llu %llu %llu\n", (unsigned long long)g.n_files,
           (unsigned long long)g.n_chunks, (unsigned long long)g.n_symbols,
           (unsigned long long)g.n_bytes, (unsigned long long)g.n_lines);
}

static void put_index(dump *d)
{
    ken_err err = { 0 };
    ken_file_row *rows = NULL;
    ken_content_info *infos = NULL;
    size_t n = 0;
    need(ken_store_load_files(d->store, &d->arena, &rows, &n, &infos, &err), "files", &err);
    note_contents(d, rows, infos, n);
    read_segments(d, KEN_SEGMENT_WORDS, read_words);
    read_segments(d, KEN_SEGMENT_VECTORS, read_vectors);
    read_segments(d, KEN_SEGMENT_MENTIONS, read_mentions);
    for (size_t i = 0; i < n; i++) {
        put_file(d, &rows[i], &infos[i]);
        put_content(d, find(d, rows[i].content));
    }
    put_skips(d);
    put_generation(d);
}

int main(int argc, char **argv)
{
    dump d = { 0 };
    ken_err err = { 0 };
    ken_store_opts opts = { .path = argc > 1 ? argv[1] : "", .is_read_only = true };
    if (argc < 2 || argc > 3 || (argc == 3 && !ken_uuid_parse(ken_str_c(argv[2]), &opts.tree))) {
        fprintf(stderr, "usage: ken_index_dump DATABASE [PROJECT]\n");
        return 2;
    }
    ken_arena_init(&d.arena, 0);
    need(ken_store_open(&opts, &d.store, &err), argv[1], &err);
    need(ken_store_begin_read(d.store, &err), "reading", &err);
    need(ken_store_verify(d.store, &err), "verifying", &err);
    put_index(&d);
    ken_store_rollback(d.store);
    ken_store_close(d.store);
    ken_arena_release(&d.arena);
    return d.n_wrong ? 1 : 0;
}
