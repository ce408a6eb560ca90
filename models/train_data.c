// SPDX-License-Identifier: MIT
// Pairs from the disk into memory, in the words of the model only.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/fs.h"
#include "base/hash.h"
#include "train_priv.h"

enum {
    REPOSITORIES_MIN = 3, // of a word
    QUERY_FACTOR = 3,     // a word of a question counts as so many of the code
    OCCURRENCES_MIN = 3,
    NO_WORD = UINT16_MAX,
};

typedef struct raw_word {
    ken_str text;
    uint64_t n_doc, n_query;
    uint32_t n_repositories, last_repository;
    uint16_t id;
} raw_word;

typedef struct raw {
    ken_buf words, pairs;
    KEN_VEC(raw_word) list;
} raw;

static void read_whole(const char *folder, const char *name, ken_buf *out)
{
    char path[4096];
    ken_err err = { 0 };
    snprintf(path, sizeof path, "%s/%s", folder, name);
    *out = KEN_BUF_INIT((size_t)16 << 30);
    if (ken_fs_read_own(path, ((size_t)16 << 30) - 1, out, &err)) {
        fprintf(stderr, "%s\n", err.msg);
        exit(1);
    }
}

// ---- records ----

typedef struct list {
    const uint32_t *at;
    uint32_t n;
} list;

typedef struct record {
    uint32_t tag, value; // repository or type
    list lists[2];
} record;

static bool next_record(const uint32_t **at, const uint32_t *end, record *r)
{
    if (end - *at < 2)
        return false;
    r->tag = *(*at)++;
    r->value = *(*at)++;
    int n_lists = r->tag == PAIRS_TAG_FILE ? 1 : 2;
    for (int i = 0; i < n_lists; i++) {
        if (*at == end || *(*at) >= (size_t)(end - *at))
            return false;
        r->lists[i] = (list){ *at + 1, **at };
        *at += 1 + **at;
    }
    return true;
}

typedef void record_fn(void *ctx, const record *r);

static void each_record(const raw *x, record_fn *fn, void *ctx)
{
    const uint32_t *at = (const void *)x->pairs.ptr, *end = at + x->pairs.len / sizeof *at;
    record r;
    while (next_record(&at, end, &r))
        fn(ctx, &r);
}

// ---- words ----

static void meet(raw *x, uint32_t word, uint32_t repository, uint32_t n_doc, uint32_t n_query)
{
    raw_word *w = &x->list.ptr[word];
    w->n_doc += n_doc;
    w->n_query += n_query;
    w->n_repositories += w->last_repository != repository + 1;
    w->last_repository = repository + 1;
}

typedef struct counting {
    raw *x;
    uint32_t repository;
} counting;

static void count_record(void *ctx, const record *r)
{
    counting *c = ctx;
    if (r->tag == PAIRS_TAG_FILE) {
        c->repository = r->value;
        return;
    }
    for (uint32_t i = 0; i < r->lists[0].n; i++)
        meet(c->x, r->lists[0].at[i], c->repository, 0, 1);
    for (uint32_t i = 0; i < r->lists[1].n; i++)
        meet(c->x, r->lists[1].at[i] >> PAIRS_COUNT_BITS, c->repository,
             r->lists[1].at[i] & PAIRS_COUNT_MAX, 0);
}

static uint64_t score_of(const raw_word *w)
{
    uint64_t n = w->n_doc + QUERY_FACTOR * w->n_query;
    return w->n_repositories < REPOSITORIES_MIN || n < OCCURRENCES_MIN ? 0 : n;
}

static int by_score(const void *a, const void *b)
{
    const raw_word *x = *(raw_word *const *)a, *y = *(raw_word *const *)b;
    uint64_t sx = score_of(x), sy = score_of(y);
    return sx != sy ? (sx < sy ? 1 : -1) : ken_str_cmp(x->text, y->text);
}

static void choose_words(raw *x, train_data *d, uint32_t n_max)
{
    raw_word **order = ken_alloc(x->list.len * sizeof(raw_word *));
    for (size_t i = 0; i < x->list.len; i++)
        order[i] = &x->list.ptr[i];
    qsort(order, x->list.len, sizeof *order, by_score);
    uint32_t n = 0;
    double sum = 0;
    while (n < n_max && n < x->list.len && score_of(order[n]))
        sum += (double)order[n++]->n_doc;
    d->n_words = n;
    d->hash = ken_alloc(n * sizeof *d->hash);
    d->share = ken_alloc(n * sizeof *d->share);
    for (uint32_t i = 0; i < n; i++) {
        order[i]->id = (uint16_t)i;
        d->hash[i] = ken_hash_str(order[i]->text);
        d->share[i] = (double)order[i]->n_doc / sum;
    }
    fprintf(stderr, "%zu words met, %u kept, the rarest %llu times\n", x->list.len, n,
            (unsigned long long)(n ? score_of(order[n - 1]) : 0));
    ken_free(order);
}

static void read_words(raw *x)
{
    ken_str rest = ken_buf_str(&x->words), line;
    while (ken_str_line_next(&rest, &line))
        ken_vec_push(&x->list, ((raw_word){ .text = line, .id = NO_WORD }));
}

// ---- beginnings of questions ----

static uint16_t id_of(const raw *x, ken_str text)
{
    for (size_t i = 0; i < x->list.len; i++)
        if (ken_str_eq(x->list.ptr[i].text, text))
            return x->list.ptr[i].id;
    return NO_WORD;
}

static void find_frames(const raw *x, train_data *d)
{
    static const char *const frames[] = { "how does the",       "where is",         "how are",
                                          "which code handles", "what is",          "how to",
                                          "where does",         "implementation of" };
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        ken_str rest = ken_str_c(frames[i]), word;
        while (ken_str_split_next(&rest, ' ', &word)) {
            uint16_t id = id_of(x, word);
            if (id != NO_WORD)
                d->frames[i][d->frame_len[i]++] = id;
        }
        d->n_frames++;
    }
}

// ---- pairs ----

typedef struct taking {
    const raw *x;
    train_data *d;
} taking;

static train_list take_list(taking *t, list l, bool has_counts)
{
    train_list out = { .at = (uint32_t)t->d->ids.len };
    for (uint32_t i = 0; i < l.n; i++) {
        uint16_t id = t->x->list.ptr[has_counts ? l.at[i] >> PAIRS_COUNT_BITS : l.at[i]].id;
        if (id == NO_WORD)
            continue;
        ken_vec_push(&t->d->ids, id);
        ken_vec_push(&t->d->counts, (uint8_t)(has_counts ? l.at[i] & PAIRS_COUNT_MAX : 1));
        out.n++;
    }
    return out;
}

static void take_record(void *ctx, const record *r)
{
    taking *t = ctx;
    if (r->tag == PAIRS_TAG_FILE) {
        train_file f = { .repository = r->value };
        f.path = take_list(t, r->lists[0], true);
        ken_vec_push(&t->d->files, f);
        if (r->value >= t->d->n_repositories)
            t->d->n_repositories = r->value + 1;
        return;
    }
    train_pair p = { .file = (uint32_t)t->d->files.len - 1, .type = (uint8_t)r->value };
    p.query = take_list(t, r->lists[0], false);
    p.content = take_list(t, r->lists[1], true);
    if (p.query.n && p.content.n)
        ken_vec_push(&t->d->pairs, p);
}

// Repositories with more than their share lose pairs by chance.
static void cap_repositories(train_data *d, double cap, uint64_t seed)
{
    uint32_t *n_of = ken_zalloc(d->n_repositories * sizeof *n_of);
    train_rng rng = { seed };
    for (size_t i = 0; i < d->pairs.len; i++)
        n_of[d->files.ptr[d->pairs.ptr[i].file].repository]++;
    double most = cap * (double)d->pairs.len;
    size_t n = 0;
    for (size_t i = 0; i < d->pairs.len; i++) {
        train_pair p = d->pairs.ptr[i];
        if (train_uniform(&rng) * n_of[d->files.ptr[p.file].repository] < most)
            d->pairs.ptr[n++] = p;
    }
    fprintf(stderr, "%zu pairs of %u repositories, %zu over a share of %.3f left out\n", n,
            d->n_repositories, d->pairs.len - n, cap);
    d->pairs.len = n;
    ken_free(n_of);
}

void train_load(train_data *d, const char *folder, uint32_t n_words, double cap, uint64_t seed)
{
    raw x = { 0 };
    *d = (train_data){ 0 };
    read_whole(folder, "words.txt", &x.words);
    read_whole(folder, "pairs.bin", &x.pairs);
    read_words(&x);
    each_record(&x, count_record, &(counting){ .x = &x });
    choose_words(&x, d, n_words < NO_WORD ? n_words : NO_WORD);
    find_frames(&x, d);
    each_record(&x, take_record, &(taking){ .x = &x, .d = d });
    cap_repositories(d, cap, seed);
    ken_vec_release(&x.list);
    ken_buf_release(&x.words);
    ken_buf_release(&x.pairs);
}
