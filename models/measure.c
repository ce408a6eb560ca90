// SPDX-License-Identifier: MIT
// How well the vectors of a model alone find what people say they should find.
//
//   ken-model-measure DATASETS TREES MODEL...
//
// DATASETS is a folder of the benchmark's JSON files, TREES holds a work tree for each of them.
// Chunks are ken's own. A chunk's vector is the normalised sum of its parts' vectors, as
// embed/embed_static.h has them. Since the sum is linear, the dot products of a question with each
// part and of the parts with each other give the score for any factors, so that many can be tried:
// one factor is changed at a time for as long as the mean rises. With each repository left out in
// turn, the factors that were best for the others say what to expect elsewhere.
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/vec.h"
#include "json/json.h"
#include "learn/learn.h"
#include "model_file.h"
#include "scan/scan.h"
#include "token/token.h"

enum {
    FILE_BYTES_MAX = 1 << 20,
    DATASET_BYTES_MAX = 16 << 20,
    RESULTS = 10,
    TARGETS_MAX = 64,
    DATASETS_MAX = 64,
};

enum {
    CODE,
    COMMENTS,
    NAMES,
    OWNERS,
    WHOLE_FILE,
    FILE_NAME,
    FOLDER,
    TEXT, // code and comments as one bag: what a model is worth by itself
    FIELDS
};

// ---- the model ----

typedef struct model {
    model_table table; // owned
    uint32_t n_words, n_dims;
    float factors[FIELDS];
} model;

static bool load_model(const char *path, model *m)
{
    *m = (model){ 0 };
    if (model_read(path, &m->table))
        return false;
    m->n_words = m->table.n_words;
    m->n_dims = m->table.n_dims;
    m->factors[CODE] = 1;
    memcpy(&m->factors[COMMENTS], m->table.factors, sizeof m->table.factors);
    return true;
}

static uint32_t word_of(const model *m, uint64_t hash)
{
    uint32_t low = 0, high = m->n_words;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (m->table.hash[mid] < hash)
            low = mid + 1;
        else
            high = mid;
    }
    return low < m->n_words && m->table.hash[low] == hash ? low : UINT32_MAX;
}

// ---- bags ----

typedef ken_vec_u32 bag; // words, as often as they stand there

static void add_text(const model *m, ken_str text, bag *out)
{
    ken_str token;
    ken_token_parts parts;
    while (ken_token_next(&text, &token)) {
        ken_token_split(token, &parts);
        for (uint32_t i = 0; i < parts.n_parts; i++) {
            if (parts.part[i].len < 2)
                continue;
            uint32_t w =
                word_of(m, ken_hash64(parts.text + parts.part[i].start, parts.part[i].len));
            if (w != UINT32_MAX)
                ken_vec_push(out, w);
        }
    }
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void normalise(float *v, uint32_t n)
{
    float sum = 0;
    for (uint32_t j = 0; j < n; j++)
        sum += v[j] * v[j];
    float scale = sum > 0 ? 1 / sqrtf(sum) : 0;
    for (uint32_t j = 0; j < n; j++)
        v[j] *= scale;
}

// Sorts the bag and writes its vector.
static void embed(const model *m, bag *b, bool is_root, float *out)
{
    memset(out, 0, m->n_dims * sizeof *out);
    if (b->len)
        qsort(b->ptr, b->len, sizeof *b->ptr, by_number);
    for (size_t i = 0, n; i < b->len; i += n) {
        uint32_t w = b->ptr[i];
        for (n = 1; i + n < b->len && b->ptr[i + n] == w;)
            n++;
        float g = is_root ? sqrtf((float)n) : 1;
        const float *row = m->table.rows + (size_t)w * m->n_dims;
        for (uint32_t j = 0; j < m->n_dims; j++)
            out[j] += g * row[j];
    }
    normalise(out, m->n_dims);
}

// ---- a repository ----

typedef struct chunk {
    uint32_t file, first_line, last_line;
} chunk;

typedef struct repository {
    ken_arena paths;
    KEN_VEC(ken_str) files;
    KEN_VEC(chunk) chunks;
    KEN_VEC(float) vectors;        // chunk × field × dims
    float (*gram)[FIELDS][FIELDS]; // by chunk
    struct question *questions;
    size_t n_questions;
} repository;

typedef struct reader {
    const model *m;
    ken_learner *learner;
    ken_arena arena;
    ken_buf text;
    bag bag;
} reader;

static float *field_of(const repository *r, const model *m, size_t i, int field)
{
    return r->vectors.ptr + (i * FIELDS + (size_t)field) * m->n_dims;
}

// Empties the bag into the part of a chunk.
static void embed_bag(reader *x, repository *r, size_t at, int field, bool is_root)
{
    embed(x->m, &x->bag, is_root, field_of(r, x->m, at, field));
    ken_vec_clear(&x->bag);
}

// Adds the words of a chunk that are in comments, or those that are not.
static void add_kind(reader *x, ken_span span, bool of_comments)
{
    size_t n;
    const ken_span *c = ken_learner_comments(x->learner, &n);
    ken_str text = ken_buf_str(&x->text);
    uint32_t at = span.start;
    for (size_t i = 0; i < n && c[i].start < span.end; i++) {
        if (c[i].end <= at)
            continue;
        uint32_t from = c[i].start > at ? c[i].start : at,
                 to = c[i].end < span.end ? c[i].end : span.end;
        ken_str part = of_comments ? ken_str_sub(text, from, to) : ken_str_sub(text, at, from);
        add_text(x->m, part, &x->bag);
        at = to;
    }
    if (!of_comments)
        add_text(x->m, ken_str_sub(text, at, span.end), &x->bag);
}

// Adds the names of what begins in the chunk, or of what began before it and goes on in it.
static void add_names(reader *x, const ken_facts *facts, ken_span span, bool of_owners)
{
    for (uint32_t i = 0; i < facts->n_symbols; i++) {
        const ken_symbol *y = &facts->symbols[i];
        bool is_own = y->span.start >= span.start && y->span.start < span.end,
             is_owner = y->span.start < span.start && y->span.end > span.start;
        if (!ken_symbol_is_variable(y->kind) && y->kind != KEN_SYMBOL_KEY &&
            (of_owners ? is_owner : is_own))
            add_text(x->m, y->name, &x->bag);
    }
}

static void add_chunk(reader *x, repository *r, ken_str path, const ken_facts *facts, ken_span span)
{
    size_t at = r->chunks.len - 1, slash = ken_str_rfind_char(path, '/'),
           name = slash == SIZE_MAX ? 0 : slash + 1;
    add_kind(x, span, false);
    embed_bag(x, r, at, CODE, true);
    add_kind(x, span, true);
    embed_bag(x, r, at, COMMENTS, true);
    add_names(x, facts, span, false);
    embed_bag(x, r, at, NAMES, true);
    add_names(x, facts, span, true);
    embed_bag(x, r, at, OWNERS, true);
    add_text(x->m, ken_str_sub(path, name, path.len), &x->bag);
    embed_bag(x, r, at, FILE_NAME, false);
    add_text(x->m, ken_str_sub(path, 0, name), &x->bag);
    embed_bag(x, r, at, FOLDER, false);
    add_text(x->m, ken_str_sub(ken_buf_str(&x->text), span.start, span.end), &x->bag);
    embed_bag(x, r, at, TEXT, true);
}

static void add_chunks(reader *x, repository *r, ken_str path, const ken_facts *facts)
{
    const model *m = x->m;
    size_t first = r->chunks.len, n_dims = m->n_dims;
    float *sum = ken_zalloc(n_dims * sizeof *sum);
    ken_vec_push(&r->files, ken_arena_dup(&r->paths, path));
    for (uint32_t i = 0; i < facts->n_chunks; i++) {
        const ken_chunk *c = &facts->chunks[i];
        ken_vec_push(&r->chunks,
                     ((chunk){ (uint32_t)r->files.len - 1, c->first_line + 1, c->last_line + 1 }));
        ken_vec_reserve(&r->vectors, r->chunks.len * FIELDS * n_dims);
        add_chunk(x, r, path, facts, c->span);
        for (int f = CODE; f <= NAMES; f++)
            for (size_t j = 0; j < n_dims; j++)
                sum[j] += m->factors[f] * field_of(r, m, first + i, f)[j];
    }
    normalise(sum, m->n_dims);
    for (size_t i = first; i < r->chunks.len; i++)
        memcpy(field_of(r, m, i, WHOLE_FILE), sum, n_dims * sizeof *sum);
    ken_free(sum);
}

static void add_file(reader *x, repository *r, int root, ken_str path)
{
    ken_err err = { 0 };
    x->text.max = FILE_BYTES_MAX + 1;
    if (ken_fs_read_under(root, path, FILE_BYTES_MAX, &x->text, NULL, &err) ||
        ken_scan_classify_content(path, ken_buf_str(&x->text)))
        return;
    ken_facts facts;
    ken_arena_reset(&x->arena);
    ken_learn(x->learner, ken_lang_of(path, ken_buf_str(&x->text)), ken_buf_str(&x->text), NULL,
              &x->arena, &facts, NULL);
    add_chunks(x, r, path, &facts);
}

static float dot(const float *a, const float *b, uint32_t n)
{
    float sum = 0;
    for (uint32_t j = 0; j < n; j++)
        sum += a[j] * b[j];
    return sum;
}

static void fill_gram(repository *r, const model *m)
{
    r->gram = ken_zalloc((r->chunks.len + 1) * sizeof *r->gram);
    for (size_t i = 0; i < r->chunks.len; i++)
        for (int a = 0; a < FIELDS; a++)
            for (int b = 0; b < FIELDS; b++)
                r->gram[i][a][b] = dot(field_of(r, m, i, a), field_of(r, m, i, b), m->n_dims);
}

static bool read_repository(reader *x, const char *root, repository *r)
{
    ken_arena arena = { 0 };
    ken_scan_result found = { 0 };
    ken_err err = { 0 };
    int fd = -1;
    ken_status st = ken_scan(root, NULL, NULL, &arena, &found, &err);
    if (!st)
        st = ken_fs_open_dir(root, &fd, &err);
    if (st)
        fprintf(stderr, "%s: %s\n", root, err.msg);
    for (size_t i = 0; !st && i < found.n_files; i++)
        add_file(x, r, fd, found.files[i].path);
    if (fd >= 0)
        ken_fs_close(fd);
    ken_arena_release(&arena);
    fill_gram(r, x->m);
    return !st;
}

// ---- questions ----

typedef struct target {
    ken_str path;
    uint64_t first, last; // 0 = the whole file
} target;

struct question {
    target targets[TARGETS_MAX];
    size_t n_targets;
    float (*dots)[FIELDS]; // by chunk
};
typedef struct question question;

static target target_of(ken_str text)
{
    target t = { .path = text };
    size_t colon = ken_str_rfind_char(text, ':');
    if (colon == SIZE_MAX)
        return t;
    ken_str span = ken_str_sub(text, colon + 1, text.len);
    size_t dash = ken_str_find_char(span, '-');
    if (dash != SIZE_MAX && ken_str_parse_u64(ken_str_sub(span, 0, dash), &t.first) &&
        ken_str_parse_u64(ken_str_sub(span, dash + 1, span.len), &t.last))
        t.path = ken_str_sub(text, 0, colon);
    return t;
}

static void read_targets(repository *r, const json_t *query, const char *key, question *q)
{
    const json_t *list = json_object_get(query, key);
    for (size_t i = 0; i < json_array_size(list) && q->n_targets < TARGETS_MAX; i++)
        q->targets[q->n_targets++] =
            target_of(ken_arena_dup(&r->paths, ken_json_text(json_array_get(list, i))));
}

static void read_question(reader *x, repository *r, const json_t *json, question *q)
{
    *q = (question){ .dots = ken_alloc((r->chunks.len + 1) * sizeof *q->dots) };
    read_targets(r, json, "relevant", q);
    read_targets(r, json, "secondary", q);
    float *v = ken_alloc(x->m->n_dims * sizeof *v);
    ken_vec_clear(&x->bag);
    add_text(x->m, ken_json_text(json_object_get(json, "query")), &x->bag);
    embed(x->m, &x->bag, false, v);
    for (size_t i = 0; i < r->chunks.len; i++)
        for (int f = 0; f < FIELDS; f++)
            q->dots[i][f] = dot(v, field_of(r, x->m, i, f), x->m->n_dims);
    ken_free(v);
}

// ---- one list of results ----

typedef struct settings {
    float factors[FIELDS];
    bool is_by_file; // only a file's best chunk is listed
} settings;

static float score_of(const repository *r, const question *q, size_t i, const float *factors)
{
    float sum = 0, norm = 0;
    for (int a = 0; a < FIELDS; a++) {
        sum += factors[a] * q->dots[i][a];
        for (int b = 0; b < FIELDS; b++)
            norm += factors[a] * factors[b] * r->gram[i][a][b];
    }
    return norm > 0 ? sum / sqrtf(norm) : -1;
}

typedef struct ranked {
    size_t chunk[RESULTS];
    float score[RESULTS];
    size_t n;
} ranked;

// Puts a chunk where it belongs, unless its file has a better one and may have one only.
static void put_ranked(ranked *list, const repository *r, size_t i, float score, bool is_by_file)
{
    size_t at = list->n, from = list->n;
    for (size_t k = 0; is_by_file && k < list->n; k++)
        if (r->chunks.ptr[list->chunk[k]].file == r->chunks.ptr[i].file)
            from = k;
    if (from < list->n && list->score[from] >= score)
        return;
    while (at && list->score[at - 1] < score)
        at--;
    if (at == RESULTS)
        return;
    if (from == list->n && list->n < RESULTS)
        list->n++;
    else if (from == list->n)
        from--;
    memmove(list->chunk + at + 1, list->chunk + at, (from - at) * sizeof *list->chunk);
    memmove(list->score + at + 1, list->score + at, (from - at) * sizeof *list->score);
    list->chunk[at] = i;
    list->score[at] = score;
}

static bool is_found(const repository *r, const target *t, size_t i)
{
    const chunk *c = &r->chunks.ptr[i];
    return ken_str_eq(r->files.ptr[c->file], t->path) &&
           (!t->first || (c->first_line <= t->last && c->last_line >= t->first));
}

static double ndcg_of(const repository *r, const question *q, const ranked *list)
{
    double sum = 0, best = 0;
    for (size_t t = 0; t < q->n_targets; t++) {
        if (t < RESULTS)
            best += 1 / log2((double)t + 2);
        for (size_t i = 0; i < list->n; i++)
            if (is_found(r, &q->targets[t], list->chunk[i])) {
                sum += 1 / log2((double)i + 2);
                break;
            }
    }
    return best > 0 ? sum / best : 0;
}

static double ask(const repository *r, const question *q, const settings *s)
{
    ranked list = { 0 };
    for (size_t i = 0; i < r->chunks.len; i++)
        put_ranked(&list, r, i, score_of(r, q, i, s->factors), s->is_by_file);
    return ndcg_of(r, q, &list);
}

// ---- all of it ---------------------------------------------------------------------------------

enum {
    TRIED_MAX = 1024
};

typedef struct tried {
    settings s;
    double value[DATASETS_MAX]; // mean NDCG by repository
} tried;

typedef struct collection {
    repository list[DATASETS_MAX];
    size_t n;
    tried tried[TRIED_MAX];
    size_t n_tried;
} collection;

static void add_dataset(reader *x, const json_t *json, const char *trees, collection *out)
{
    repository *r = &out->list[out->n];
    const char *name = json_string_value(json_object_get(json, "name"));
    const char *root = json_string_value(json_object_get(json, "root"));
    const json_t *queries = json_object_get(json, "queries");
    char path[4096];
    if (!name || out->n == DATASETS_MAX)
        return;
    snprintf(path, sizeof path, "%s/%s%s%s", trees, name, root && *root ? "/" : "",
             root ? root : "");
    *r = (repository){ 0 };
    if (!read_repository(x, path, r))
        return;
    r->n_questions = json_array_size(queries);
    r->questions = ken_zalloc((r->n_questions + 1) * sizeof *r->questions);
    for (size_t i = 0; i < r->n_questions; i++)
        read_question(x, r, json_array_get(queries, i), &r->questions[i]);
    ken_vec_release(&r->vectors);
    out->n++;
}

static double mean_without(const collection *c, const tried *t, size_t left_out)
{
    double sum = 0, n = 0;
    for (size_t i = 0; i < c->n; i++)
        if (i != left_out) {
            sum += t->value[i];
            n++;
        }
    return sum / n;
}

// The last of `tried` holds what these settings give; its mean.
static double try_out(collection *c, settings s)
{
    tried *t = &c->tried[c->n_tried < TRIED_MAX ? c->n_tried++ : TRIED_MAX - 1];
    *t = (tried){ .s = s };
    for (size_t i = 0; i < c->n; i++)
        for (size_t k = 0; k < c->list[i].n_questions; k++)
            t->value[i] +=
                ask(&c->list[i], &c->list[i].questions[k], &s) / (double)c->list[i].n_questions;
    return mean_without(c, t, SIZE_MAX);
}

// Changes one factor at a time for as long as that helps, first by a lot, then by less.
static settings climb(collection *c, settings s)
{
    double best = try_out(c, s);
    for (float step = 0.4F; step > 0.08F; step /= 2)
        for (bool has_moved = true; has_moved && c->n_tried + 2 * FIELDS < TRIED_MAX;) {
            has_moved = false;
            for (int k = 0; k < 2 * TEXT; k++) {
                settings next = s;
                next.factors[k / 2] += k & 1 ? -step : step;
                double value = next.factors[k / 2] >= 0 ? try_out(c, next) : 0;
                if (value > best + 1e-5) {
                    best = value;
                    s = next;
                    has_moved = true;
                }
            }
        }
    return s;
}

// Each repository with the settings that are best for all the others.
static double left_out_mean(const collection *c)
{
    double sum = 0;
    for (size_t i = 0; i < c->n; i++) {
        const tried *best = c->tried;
        for (size_t k = 1; k < c->n_tried; k++)
            if (mean_without(c, &c->tried[k], i) > mean_without(c, best, i))
                best = &c->tried[k];
        sum += best->value[i];
    }
    return sum / (double)c->n;
}

static void print_settings(const settings *s)
{
    static const char *const names[TEXT] = { "code",       "comments",  "names", "owners",
                                             "whole file", "file name", "folder" };
    for (int f = 0; f < TEXT; f++)
        printf("%s %.2f%s", names[f], (double)s->factors[f], f + 1 < TEXT ? ", " : "");
}

static void print_fixed(collection *c, const char *what, settings s)
{
    double list = try_out(c, s);
    s.is_by_file = true;
    printf("  %-36s %.4f  by file %.4f\n", what, list, try_out(c, s));
    fflush(stdout);
}

static void print_fit(collection *c, settings s, bool is_by_file)
{
    c->n_tried = 0;
    s.is_by_file = is_by_file;
    s = climb(c, s);
    printf("  best%s: ", is_by_file ? " by file" : "");
    print_settings(&s);
    printf(": %.4f, left out %.4f\n", try_out(c, s), left_out_mean(c));
    fflush(stdout);
}

static void print_results(const model *m, collection *c, const char *name)
{
    settings text = { .factors = { [TEXT] = 1 } }, own = { 0 }, inside = { 0 };
    memcpy(own.factors, m->factors, sizeof own.factors);
    memcpy(inside.factors, m->factors, (NAMES + 1) * sizeof(float));
    printf("%s, with ", name);
    print_settings(&own);
    printf("\n");
    print_fixed(c, "text of the chunk, one bag", text);
    print_fixed(c, "code, comments, names of the chunk", inside);
    print_fixed(c, "all parts", own);
    print_fit(c, own, false);
    print_fit(c, own, true);
}

static json_t *read_json(const char *folder, const char *name)
{
    char path[4096];
    ken_err err = { 0 };
    ken_buf text = KEN_BUF_INIT(DATASET_BYTES_MAX + 1);
    json_t *json = NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (ken_fs_read_own(path, DATASET_BYTES_MAX, &text, &err) ||
        ken_json_parse(ken_buf_str(&text), &json, &err))
        fprintf(stderr, "%s: %s\n", path, err.msg);
    ken_buf_release(&text);
    return json;
}

static void release_collection(collection *c)
{
    for (size_t i = 0; i < c->n; i++) {
        repository *r = &c->list[i];
        for (size_t k = 0; k < r->n_questions; k++)
            ken_free(r->questions[k].dots);
        ken_free(r->questions);
        ken_arena_release(&r->paths);
        ken_vec_release(&r->files);
        ken_vec_release(&r->chunks);
        ken_free(r->gram);
    }
    ken_free(c);
}

static void measure_model(const char *datasets, const char *trees, const char *path)
{
    model m;
    struct dirent **list;
    int n = scandir(datasets, &list, NULL, alphasort);
    if (!load_model(path, &m) || n < 0) {
        fprintf(stderr, "%s: no model, or no datasets\n", path);
        return;
    }
    collection *c = ken_zalloc(sizeof *c);
    reader x = { .m = &m, .learner = ken_learner_new() };
    for (int i = 0; i < n; i++) {
        json_t *json =
            strstr(list[i]->d_name, ".json") ? read_json(datasets, list[i]->d_name) : NULL;
        if (json)
            add_dataset(&x, json, trees, c);
        json_decref(json);
        free(list[i]);
    }
    free(list);
    print_results(&m, c, path);
    release_collection(c);
    ken_learner_free(x.learner);
    ken_arena_release(&x.arena);
    ken_buf_release(&x.text);
    ken_free(m.table.hash);
    ken_free(m.table.rows);
    ken_vec_release(&x.bag);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: %s DATASETS TREES MODEL...\n", argv[0]);
        return 2;
    }
    for (int i = 3; i < argc; i++)
        measure_model(argv[1], argv[2], argv[i]);
    return 0;
}
