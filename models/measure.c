// SPDX-License-Identifier: MIT
// How well the vectors of a model alone find what people say they should find.
//
//   ken-model-measure DATASETS TREES MODEL...
//
// DATASETS is a folder of the benchmark's JSON files, TREES holds a work tree for each of them.
// Chunks are ken's own. A chunk's vector is the normalised sum of its fields' vectors: content,
// path, names of definitions in it, and the mean of its file's contents. Since the sum is linear,
// the dot products of a question with each field and of the fields with each other give the score
// for any factors, so that many can be tried at once.
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
    CONTENT,
    PATH,
    NAMES,
    FILE_MEAN,
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
    m->factors[CONTENT] = 1;
    memcpy(&m->factors[PATH], m->table.factors, 3 * sizeof(float));
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
    const char *name;
    ken_arena paths;
    KEN_VEC(ken_str) files;
    KEN_VEC(chunk) chunks;
    KEN_VEC(float) vectors;        // chunk × field × dims
    float (*gram)[FIELDS][FIELDS]; // by chunk
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

static void embed_names(reader *x, const ken_facts *facts, ken_span span, float *out)
{
    ken_vec_clear(&x->bag);
    for (uint32_t i = 0; i < facts->n_symbols; i++) {
        const ken_symbol *y = &facts->symbols[i];
        if (!ken_symbol_is_variable(y->kind) && y->kind != KEN_SYMBOL_KEY &&
            y->span.start >= span.start && y->span.start < span.end)
            add_text(x->m, y->name, &x->bag);
    }
    embed(x->m, &x->bag, true, out);
}

static void add_chunks(reader *x, repository *r, ken_str path, const ken_facts *facts)
{
    const model *m = x->m;
    size_t first = r->chunks.len, n_dims = m->n_dims;
    float *mean = ken_zalloc(n_dims * sizeof *mean);
    ken_vec_push(&r->files, ken_arena_dup(&r->paths, path));
    for (uint32_t i = 0; i < facts->n_chunks; i++) {
        const ken_chunk *c = &facts->chunks[i];
        ken_vec_push(&r->chunks,
                     ((chunk){ (uint32_t)r->files.len - 1, c->first_line + 1, c->last_line + 1 }));
        ken_vec_reserve(&r->vectors, r->chunks.len * FIELDS * n_dims);
        ken_vec_clear(&x->bag);
        add_text(m, ken_str_sub(ken_buf_str(&x->text), c->span.start, c->span.end), &x->bag);
        embed(m, &x->bag, true, field_of(r, m, first + i, CONTENT));
        embed_names(x, facts, c->span, field_of(r, m, first + i, NAMES));
        ken_vec_clear(&x->bag);
        add_text(m, path, &x->bag);
        embed(m, &x->bag, false, field_of(r, m, first + i, PATH));
        for (size_t j = 0; j < n_dims; j++)
            mean[j] += field_of(r, m, first + i, CONTENT)[j];
    }
    normalise(mean, m->n_dims);
    for (size_t i = first; i < r->chunks.len; i++)
        memcpy(field_of(r, m, i, FILE_MEAN), mean, n_dims * sizeof *mean);
    ken_free(mean);
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

static void release_repository(repository *r)
{
    ken_arena_release(&r->paths);
    ken_vec_release(&r->files);
    ken_vec_release(&r->chunks);
    ken_vec_release(&r->vectors);
    ken_free(r->gram);
}

// ---- questions ----

typedef struct target {
    ken_str path;
    uint64_t first, last; // 0 = the whole file
} target;

typedef struct question {
    target targets[TARGETS_MAX];
    size_t n_targets;
    float (*dots)[FIELDS]; // by chunk
} question;

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

static void read_targets(const json_t *query, const char *key, question *q)
{
    const json_t *list = json_object_get(query, key);
    for (size_t i = 0; i < json_array_size(list) && q->n_targets < TARGETS_MAX; i++)
        q->targets[q->n_targets++] = target_of(ken_json_text(json_array_get(list, i)));
}

static void read_question(reader *x, const repository *r, const json_t *json, question *q)
{
    *q = (question){ .dots = ken_alloc((r->chunks.len + 1) * sizeof *q->dots) };
    read_targets(json, "relevant", q);
    read_targets(json, "secondary", q);
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

// ---- all of it ----

enum {
    GRID_PATH = 6,
    GRID_NAMES = 5,
    GRID_FILE = 5,
    GRID = GRID_PATH * GRID_NAMES * GRID_FILE
};
static const float grid_path[GRID_PATH] = { 0.4f, 0.6f, 0.8f, 1.0f, 1.2f, 1.5f };
static const float grid_names[GRID_NAMES] = { 0.2f, 0.4f, 0.6f, 0.8f, 1.0f };
static const float grid_file[GRID_FILE] = { 0.2f, 0.4f, 0.6f, 0.8f, 1.0f };

static settings grid_at(int k, bool is_by_file)
{
    return (settings){ { 1, grid_path[k % GRID_PATH], grid_names[k / GRID_PATH % GRID_NAMES],
                         grid_file[k / GRID_PATH / GRID_NAMES] },
                       is_by_file };
}

// Mean NDCG of one repository, in columns.
enum {
    COL_CONTENT,
    COL_CONTENT_FILE,
    COL_FIXED, // 1.0, 0.8, 0.6
    COL_FIXED_FILE,
    COL_OWN, // the model's factors
    COL_OWN_FILE,
    COL_GRID, // chunk lists, then file lists
    COLS = COL_GRID + 2 * GRID
};

typedef struct results {
    char names[DATASETS_MAX][64];
    double value[DATASETS_MAX][COLS];
    size_t n;
} results;

static settings settings_of(const model *m, int column)
{
    static const float content[FIELDS] = { 1, 0, 0, 0 }, fixed[FIELDS] = { 1, 1.0f, 0.8f, 0.6f };
    settings s = { .is_by_file = column & 1 };
    if (column >= COL_GRID)
        return grid_at((column - COL_GRID) / 2, column & 1);
    const float *f = column < COL_FIXED ? content : column < COL_OWN ? fixed : m->factors;
    memcpy(s.factors, f, sizeof s.factors);
    return s;
}

static void measure_dataset(reader *x, const json_t *json, const char *trees, results *out)
{
    repository r = { .name = json_string_value(json_object_get(json, "name")) };
    const char *root = json_string_value(json_object_get(json, "root"));
    char path[4096];
    if (!r.name || out->n == DATASETS_MAX)
        return;
    snprintf(path, sizeof path, "%s/%s%s%s", trees, r.name, root && *root ? "/" : "",
             root ? root : "");
    if (!read_repository(x, path, &r))
        return;
    const json_t *queries = json_object_get(json, "queries");
    double *into = out->value[out->n];
    for (size_t i = 0; i < json_array_size(queries); i++) {
        question q;
        read_question(x, &r, json_array_get(queries, i), &q);
        for (int c = 0; c < COLS; c++) {
            settings s = settings_of(x->m, c);
            into[c] += ask(&r, &q, &s) / (double)json_array_size(queries);
        }
        ken_free(q.dots);
    }
    snprintf(out->names[out->n++], sizeof out->names[0], "%s", r.name);
    release_repository(&r);
}

static double mean_without(const results *r, int column, size_t left_out)
{
    double sum = 0, n = 0;
    for (size_t i = 0; i < r->n; i++)
        if (i != left_out) {
            sum += r->value[i][column];
            n++;
        }
    return sum / n;
}

static int best_without(const results *r, bool is_by_file, size_t left_out)
{
    int best = COL_GRID + is_by_file;
    for (int c = best; c < COLS; c += 2)
        if (mean_without(r, c, left_out) > mean_without(r, best, left_out))
            best = c;
    return best;
}

// Each repository with the factors that are best for all the others.
static double left_out_mean(const results *r, bool is_by_file)
{
    double sum = 0;
    for (size_t i = 0; i < r->n; i++)
        sum += r->value[i][best_without(r, is_by_file, i)];
    return sum / (double)r->n;
}

static void print_results(const model *m, const results *r, const char *name, bool wants_all)
{
    for (size_t i = 0; wants_all && i < r->n; i++)
        printf("%-20s content %.3f fixed %.3f by file %.3f\n", r->names[i],
               r->value[i][COL_CONTENT], r->value[i][COL_FIXED], r->value[i][COL_FIXED_FILE]);
    printf("%s: content %.4f (by file %.4f)", name, mean_without(r, COL_CONTENT, SIZE_MAX),
           mean_without(r, COL_CONTENT_FILE, SIZE_MAX));
    printf("  fixed %.4f (%.4f)", mean_without(r, COL_FIXED, SIZE_MAX),
           mean_without(r, COL_FIXED_FILE, SIZE_MAX));
    printf("  own %.2f %.2f %.2f %.4f (%.4f)", (double)m->factors[PATH], (double)m->factors[NAMES],
           (double)m->factors[FILE_MEAN], mean_without(r, COL_OWN, SIZE_MAX),
           mean_without(r, COL_OWN_FILE, SIZE_MAX));
    for (int by_file = 0; by_file < 2; by_file++) {
        int best = best_without(r, by_file, SIZE_MAX);
        settings s = settings_of(m, best);
        printf("  best%s %.1f %.1f %.1f %.4f left out %.4f", by_file ? " by file" : "",
               (double)s.factors[PATH], (double)s.factors[NAMES], (double)s.factors[FILE_MEAN],
               mean_without(r, best, SIZE_MAX), left_out_mean(r, by_file));
    }
    printf("\n");
    fflush(stdout);
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

static void measure_model(const char *datasets, const char *trees, const char *path)
{
    static results r;
    model m;
    struct dirent **list;
    int n = scandir(datasets, &list, NULL, alphasort);
    memset(&r, 0, sizeof r);
    if (!load_model(path, &m) || n < 0) {
        fprintf(stderr, "%s: no model, or no datasets\n", path);
        return;
    }
    reader x = { .m = &m, .learner = ken_learner_new() };
    for (int i = 0; i < n; i++) {
        json_t *json =
            strstr(list[i]->d_name, ".json") ? read_json(datasets, list[i]->d_name) : NULL;
        if (json)
            measure_dataset(&x, json, trees, &r);
        json_decref(json);
        free(list[i]);
    }
    free(list);
    print_results(&m, &r, path, getenv("KEN_MEASURE_ALL") != NULL);
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
