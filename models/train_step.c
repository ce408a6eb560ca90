// SPDX-License-Identifier: MIT
// One step after the other: draw a batch, sum bags, compare, follow the gradient back, move.
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "train_priv.h"

typedef struct bag_word {
    uint32_t id;
    float g; // of its count
} bag_word;

typedef struct bags {        // one bag for each pair of the batch
    KEN_VEC(bag_word) words; // bag i: [start[i], start[i + 1])
    uint32_t *start;
    float *unit; // batch × dims, normalised
    float *norm; // before
} bags;

enum {
    QUERY,
    DOC,
    SIDES
};

typedef struct step {
    const train_data *d;
    const train_options *o;
    train_table *t;
    train_rng *rng;
    uint32_t n, n_dims;
    const uint32_t *pairs; // of the batch
    bags bags[SIDES];
    float *scores, *rows, *columns; // batch × batch; sums by row and column
    float *grad_query, *grad_doc;
    uint32_t *touched; // words met in this step
    uint32_t n_touched;
    uint8_t *is_touched;
    uint64_t n_steps, n_all;
    double loss;
} step;

// ---- bags ----

static void add_word(step *s, int bag, uint32_t id, float g)
{
    ken_vec_push(&s->bags[bag].words, ((bag_word){ id, g }));
}

static void add_list(step *s, int bag, train_list l, bool has_counts)
{
    for (uint32_t i = l.at; i < l.at + l.n; i++)
        add_word(s, bag, s->d->ids.ptr[i], has_counts ? sqrtf((float)s->d->counts.ptr[i]) : 1.0f);
}

static bool chance(step *s, double share)
{
    return train_uniform(s->rng) < share;
}

static void draw_query(step *s, const train_pair *p)
{
    if (p->type != PAIRS_PATH && chance(s, s->o->frame)) {
        uint32_t f = train_below(s->rng, s->d->n_frames);
        for (uint32_t i = 0; i < s->d->frame_len[f]; i++)
            add_word(s, QUERY, s->d->frames[f][i], 1);
    }
    add_list(s, QUERY, p->query, false);
}

static void draw_content(step *s, const train_pair *p)
{
    train_list l = p->content;
    if (chance(s, s->o->truncate)) {
        uint32_t n = 5 + train_below(s->rng, 36);
        l.n = n < l.n ? n : l.n;
    }
    for (uint32_t i = l.at; i < l.at + l.n; i++)
        if (!chance(s, s->o->dropout))
            add_word(s, DOC, s->d->ids.ptr[i], sqrtf((float)s->d->counts.ptr[i]));
}

// What a pair asks for by its path does not show the path.
static void draw_path(step *s, const train_pair *p)
{
    if (p->type <= PAIRS_NAME && chance(s, s->o->path))
        add_list(s, DOC, s->d->files.ptr[p->file].path, false);
}

static void draw_batch(step *s)
{
    for (int b = 0; b < SIDES; b++)
        ken_vec_clear(&s->bags[b].words);
    for (uint32_t i = 0; i < s->n; i++) {
        const train_pair *p = &s->d->pairs.ptr[s->pairs[i]];
        for (int b = 0; b < SIDES; b++)
            s->bags[b].start[i] = (uint32_t)s->bags[b].words.len;
        draw_query(s, p);
        draw_content(s, p);
        draw_path(s, p);
    }
    for (int b = 0; b < SIDES; b++)
        s->bags[b].start[s->n] = (uint32_t)s->bags[b].words.len;
}

// ---- forward ----

static float normalise(float *v, uint32_t n)
{
    float norm = cblas_snrm2((int)n, v, 1);
    if (norm > 0)
        cblas_sscal((int)n, 1 / norm, v, 1);
    return norm;
}

static void touch(step *s, uint32_t id)
{
    if (s->is_touched[id])
        return;
    s->is_touched[id] = 1;
    s->touched[s->n_touched++] = id;
}

static void sum_bags(step *s, bags *b)
{
    uint32_t n_dims = s->n_dims;
    for (uint32_t i = 0; i < s->n; i++) {
        float *sum = b->unit + (size_t)i * n_dims;
        memset(sum, 0, n_dims * sizeof *sum);
        for (uint32_t k = b->start[i]; k < b->start[i + 1]; k++) {
            bag_word w = b->words.ptr[k];
            const float *row = s->t->rows.value + (size_t)w.id * n_dims;
            float g = w.g * expf(s->t->weight.value[w.id]);
            touch(s, w.id);
            for (uint32_t j = 0; j < n_dims; j++)
                sum[j] += g * row[j];
        }
        b->norm[i] = normalise(sum, n_dims);
    }
}

// ---- comparing ----

static bool is_negative(const step *s, uint32_t i, uint32_t j)
{
    return s->d->pairs.ptr[s->pairs[i]].file != s->d->pairs.ptr[s->pairs[j]].file;
}

// Scores become their exponentials; no score is over 1 / tau, which is taken off.
static void sum_exponentials(step *s)
{
    uint32_t n = s->n;
    float top = (float)(1 / s->o->tau);
    memset(s->rows, 0, n * sizeof *s->rows);
    memset(s->columns, 0, n * sizeof *s->columns);
    for (uint32_t i = 0; i < n; i++) {
        float *row = s->scores + (size_t)i * n;
        s->loss -= (double)(row[i] - top);
        for (uint32_t j = 0; j < n; j++) {
            row[j] = i == j || is_negative(s, i, j) ? expf(row[j] - top) : 0;
            s->rows[i] += row[j];
            s->columns[j] += row[j];
        }
        s->loss += log((double)s->rows[i]);
    }
}

// Exponentials become the gradient of both losses' mean.
static void derive_scores(step *s)
{
    uint32_t n = s->n;
    float share = 0.5f / (float)n / (float)s->o->tau;
    for (uint32_t i = 0; i < n; i++) {
        float *row = s->scores + (size_t)i * n;
        float of_row = 1 / s->rows[i];
        for (uint32_t j = 0; j < n; j++)
            row[j] *= share * (of_row + 1 / s->columns[j]);
        row[i] -= 2 * share;
    }
}

static void compare(step *s)
{
    int n = (int)s->n, k = (int)s->n_dims;
    const float *query = s->bags[QUERY].unit, *doc = s->bags[DOC].unit;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, k, (float)(1 / s->o->tau), query, k,
                doc, k, 0, s->scores, n);
    sum_exponentials(s);
    derive_scores(s);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, k, n, 1, s->scores, n, doc, k, 0,
                s->grad_query, k);
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, k, n, 1, s->scores, n, query, k, 0,
                s->grad_doc, k);
}

// ---- back ----

// The gradient of a vector from that of its normalised form.
static void derive_unit(const float *unit, float norm, const float *grad, uint32_t n, float *out)
{
    float along = cblas_sdot((int)n, unit, 1, grad, 1), scale = norm > 0 ? 1 / norm : 0;
    for (uint32_t j = 0; j < n; j++)
        out[j] = (grad[j] - along * unit[j]) * scale;
}

static void derive_bag(step *s, const bags *b, uint32_t i, const float *grad)
{
    uint32_t n_dims = s->n_dims;
    float back[1024];
    derive_unit(b->unit + (size_t)i * n_dims, b->norm[i], grad, n_dims, back);
    for (uint32_t k = b->start[i]; k < b->start[i + 1]; k++) {
        bag_word w = b->words.ptr[k];
        const float *row = s->t->rows.value + (size_t)w.id * n_dims;
        float *into = s->t->rows.grad + (size_t)w.id * n_dims;
        float g = w.g * expf(s->t->weight.value[w.id]), along = 0;
        for (uint32_t j = 0; j < n_dims; j++) {
            into[j] += g * back[j];
            along += row[j] * back[j];
        }
        s->t->weight.grad[w.id] += g * along;
    }
}

// ---- moving ----

static void move(train_adam *a, size_t from, size_t n, double rate, uint64_t n_steps)
{
    float scale1 = 1 / (1 - powf(0.9f, (float)n_steps));
    float scale2 = 1 / (1 - powf(0.999f, (float)n_steps));
    float step_size = (float)rate * scale1;
    for (size_t i = from; i < from + n; i++) {
        float g = a->grad[i];
        a->m[i] = 0.9f * a->m[i] + 0.1f * g;
        a->v[i] = 0.999f * a->v[i] + 0.001f * g * g;
        a->value[i] -= step_size * a->m[i] / (sqrtf(a->v[i] * scale2) + 1e-8f);
        a->grad[i] = 0;
    }
}

static double rate_of(const step *s)
{
    double warm = (double)s->n_steps / 50, left = 1 - (double)s->n_steps / (double)s->n_all;
    return (warm < 1 ? warm : 1) * (0.02 + 0.98 * left);
}

static void move_all(step *s)
{
    double rate = rate_of(s);
    for (uint32_t i = 0; i < s->n_touched; i++) {
        uint32_t id = s->touched[i];
        move(&s->t->rows, (size_t)id * s->n_dims, s->n_dims, rate * s->o->rate, s->n_steps);
        move(&s->t->weight, id, 1, rate * s->o->weight_rate, s->n_steps);
        s->is_touched[id] = 0;
    }
    s->n_touched = 0;
}

static void make_step(step *s)
{
    s->n_steps++;
    draw_batch(s);
    for (int b = 0; b < SIDES; b++)
        sum_bags(s, &s->bags[b]);
    compare(s);
    for (uint32_t i = 0; i < s->n; i++) {
        derive_bag(s, &s->bags[QUERY], i, s->grad_query + (size_t)i * s->n_dims);
        derive_bag(s, &s->bags[DOC], i, s->grad_doc + (size_t)i * s->n_dims);
    }
    move_all(s);
}

// ---- the order of pairs ----

static void shuffle(uint32_t *list, size_t n, size_t item, train_rng *rng)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = train_below(rng, (uint32_t)i);
        for (size_t k = 0; k < item; k++) {
            uint32_t kept = list[(i - 1) * item + k];
            list[(i - 1) * item + k] = list[j * item + k];
            list[j * item + k] = kept;
        }
    }
}

// Pairs shuffled inside their repositories, cut into groups, the groups shuffled.
static void order_pairs(const train_data *d, uint32_t *order, uint32_t group, train_rng *rng)
{
    uint32_t n = (uint32_t)d->pairs.len;
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t from = 0, to; from < n; from = to) {
        uint32_t repository = d->files.ptr[d->pairs.ptr[from].file].repository;
        for (to = from; to < n && d->files.ptr[d->pairs.ptr[to].file].repository == repository;)
            to++;
        shuffle(order + from, to - from, 1, rng);
    }
    shuffle(order, n / group, group, rng);
}

static float *floats(size_t n)
{
    return ken_zalloc(n * sizeof(float));
}

static void init_step(step *s)
{
    size_t n = s->n, n_dims = s->n_dims;
    for (int b = 0; b < SIDES; b++) {
        s->bags[b].start = ken_zalloc((n + 1) * sizeof *s->bags[b].start);
        s->bags[b].unit = floats(n * n_dims);
        s->bags[b].norm = floats(n);
    }
    s->scores = floats(n * n);
    s->rows = floats(n);
    s->columns = floats(n);
    s->grad_query = floats(n * n_dims);
    s->grad_doc = floats(n * n_dims);
    s->touched = ken_zalloc(s->d->n_words * sizeof *s->touched);
    s->is_touched = ken_zalloc(s->d->n_words);
}

static void release_step(step *s)
{
    for (int b = 0; b < SIDES; b++) {
        ken_vec_release(&s->bags[b].words);
        ken_free(s->bags[b].start);
        ken_free(s->bags[b].unit);
        ken_free(s->bags[b].norm);
    }
    float *all[] = { s->scores, s->rows, s->columns, s->grad_query, s->grad_doc };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ken_free(all[i]);
    ken_free(s->touched);
    ken_free(s->is_touched);
}

static void report(step *s)
{
    enum {
        EVERY = 200
    };
    if (s->n_steps % EVERY)
        return;
    fprintf(stderr, "step %llu of %llu: loss %.4f\n", (unsigned long long)s->n_steps,
            (unsigned long long)s->n_all, s->loss / EVERY / s->n);
    s->loss = 0;
}

void train_run(train_table *t, const train_data *d, const train_options *o, train_rng *rng)
{
    step s = { .d = d, .o = o, .t = t, .rng = rng, .n = (uint32_t)o->batch, .n_dims = t->n_dims };
    uint32_t n_batches = (uint32_t)d->pairs.len / s.n;
    uint32_t *order = ken_alloc(d->pairs.len * sizeof *order);
    s.n_all = (uint64_t)(n_batches * o->epochs);
    init_step(&s);
    while (s.n_steps < s.n_all) {
        order_pairs(d, order, (uint32_t)o->group, rng);
        for (uint32_t b = 0; b < n_batches && s.n_steps < s.n_all; b++) {
            s.pairs = order + (size_t)b * s.n;
            make_step(&s);
            report(&s);
        }
    }
    release_step(&s);
    ken_free(order);
}

// ---- the table ----

static void init_adam(train_adam *a, size_t n)
{
    *a = (train_adam){ floats(n), floats(n), floats(n), floats(n), n };
}

static void release_adam(train_adam *a)
{
    ken_free(a->value);
    ken_free(a->grad);
    ken_free(a->m);
    ken_free(a->v);
}

static float gaussian(train_rng *rng)
{
    double u = train_uniform(rng), v = train_uniform(rng);
    return (float)(sqrt(-2 * log(u + 1e-300)) * cos(6.283185307179586 * v));
}

void train_table_init(train_table *t, const train_data *d, uint32_t n_dims, train_rng *rng)
{
    *t = (train_table){ .n_words = d->n_words, .n_dims = n_dims };
    init_adam(&t->rows, (size_t)d->n_words * n_dims);
    init_adam(&t->weight, d->n_words);
    for (size_t i = 0; i < t->rows.n; i++)
        t->rows.value[i] = gaussian(rng) / sqrtf((float)n_dims);
    for (uint32_t i = 0; i < d->n_words; i++)
        t->weight.value[i] = logf((float)(1e-3 / (1e-3 + d->share[i])));
}

void train_table_release(train_table *t)
{
    release_adam(&t->rows);
    release_adam(&t->weight);
}
