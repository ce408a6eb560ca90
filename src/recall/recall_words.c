// SPDX-License-Identifier: MIT
// The words of a question: lists of texts, added up by row. Sums are dense, one place for each row:
// a loop over a list then has no branch, and finding the best is one pass over memory.
#include <math.h>

#include "recall/recall_priv.h"

// BM25F: occurrences over (1 - b + b * length / average), summed over the fields; t / (t +
// saturation).
static const float saturation = 1.2F, title_weight = 3, title_b = 0.5F, body_b = 0.6F;

static float norm_of(double n_terms, double average, float b)
{
    return (float)(1 / (1 - (double)b + (double)b * (average > 0 ? n_terms / average : 1)));
}

// Averages move with every change, so norms are made by the next question, of lengths instead of
// texts.
static void make_norms(recall_norms *n, uint64_t n_terms, size_t n_texts, float weight, float b)
{
    double average = (double)n_terms / (double)n_texts;
    if (n->average == average && n->of[0] > 0)
        return;
    for (uint32_t length = 0; length <= RECALL_LENGTH_MAX; length++)
        n->of[length] = weight * norm_of(length, average, b);
    n->of[RECALL_DEAD] = 0;
    n->average = average;
}

static recall_posting joined(recall_posting a, recall_posting b)
{
    const uint32_t most = RECALL_TIMES_MAX;
    uint32_t title = (a >> RECALL_TITLE_SHIFT & most) + (b >> RECALL_TITLE_SHIFT & most),
             body = (a & most) + (b & most);
    return a >> RECALL_ROW_SHIFT << RECALL_ROW_SHIFT |
           (title < most ? title : most) << RECALL_TITLE_SHIFT | (body < most ? body : most);
}

// Both lists as one whose counts add up.
static recall_list merge(ken_recall *r, const recall_list *a, const recall_list *b)
{
    uint32_t i = 0, k = 0, n = 0;
    ken_vec_reserve(&r->merged, (size_t)a->len + b->len);
    recall_posting *to = r->merged.ptr;
    while (i < a->len && k < b->len) {
        uint32_t x = a->at[i] >> RECALL_ROW_SHIFT, y = b->at[k] >> RECALL_ROW_SHIFT;
        if (x == y)
            to[n++] = joined(a->at[i++], b->at[k++]);
        else
            to[n++] = x < y ? a->at[i++] : b->at[k++];
    }
    while (i < a->len)
        to[n++] = a->at[i++];
    while (k < b->len)
        to[n++] = b->at[k++];
    return (recall_list){ .at = to, .len = n };
}

static recall_list list_of(ken_recall *r, const ken_query_term *t)
{
    static const recall_list none;
    const recall_list *a = ken_recall__find_list(&r->lists, t->lookup[0]), *b = NULL;
    if (t->n_lookups > 1)
        b = ken_recall__find_list(&r->lists, t->lookup[1]);
    if (a && b)
        return merge(r, a, b);
    return a ? *a : b ? *b : none;
}

static uint32_t count_live(const ken_recall *r, const recall_list *l)
{
    if (r->n_live == r->texts.len)
        return l->len;
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->len; i++)
        n += r->lengths.ptr[l->at[i] >> RECALL_ROW_SHIFT].body != RECALL_DEAD;
    return n;
}

static void add_list(ken_recall *r, const recall_list *l, float weight)
{
    float *restrict sums = r->sums.ptr;
    const recall_length *restrict lengths = r->lengths.ptr;
    const float *restrict title = r->title_norms.of, *restrict body = r->body_norms.of;
    for (uint32_t i = 0; i < l->len; i++) {
        recall_posting p = l->at[i];
        uint32_t row = p >> RECALL_ROW_SHIFT;
        float t = title[lengths[row].title] * (float)(p >> RECALL_TITLE_SHIFT & RECALL_TIMES_MAX) +
                  body[lengths[row].body] * (float)(p & RECALL_TIMES_MAX);
        sums[row] += weight * t / (t + saturation);
    }
}

static double weight_of(const ken_recall *r, const recall_list *l)
{
    double n = count_live(r, l), all = (double)r->n_live;
    return log(1 + (all - n + 0.5) / (n + 0.5));
}

double ken_recall__add_words(ken_recall *r, const ken_lex_query *q)
{
    double sum = 0;
    make_norms(&r->title_norms, r->n_title, r->n_live, title_weight, title_b);
    make_norms(&r->body_norms, r->n_body, r->n_live, 1, body_b);
    ken_vec_reserve(&r->sums, r->texts.len);
    memset(r->sums.ptr, 0, r->texts.len * sizeof *r->sums.ptr);
    for (uint32_t i = 0; i < q->n_terms; i++) {
        recall_list l = list_of(r, &q->terms[i]);
        double weight = q->terms[i].weight * weight_of(r, &l);
        add_list(r, &l, (float)weight);
        sum += weight;
    }
    return sum;
}
