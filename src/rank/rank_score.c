// SPDX-License-Identifier: MIT
#include <math.h>

#include "rank/rank.h"

static const double weights[] = {
#define X(name, weight, text) weight,
    KEN_RANK_TABLE(X)
#undef X
};

static const char *const texts[] = {
#define X(name, weight, text) text,
    KEN_RANK_TABLE(X)
#undef X
};

double ken_rank_weight(ken_rank_feature f)
{
    return weights[f];
}

const char *ken_rank_text(ken_rank_feature f)
{
    return texts[f];
}

static const struct {
    uint32_t bit;
    ken_rank_feature feature;
} path_features[] = {
    { KEN_PATH_TEST, KEN_RANK_TEST },         { KEN_PATH_EXAMPLE, KEN_RANK_EXAMPLE },
    { KEN_PATH_COMPAT, KEN_RANK_COMPAT },     { KEN_PATH_INTERNAL, KEN_RANK_INTERNAL },
    { KEN_PATH_PLATFORM, KEN_RANK_PLATFORM }, { KEN_PATH_DOC, KEN_RANK_DOC },
    { KEN_PATH_DATA, KEN_RANK_DATA },
};

enum {
    N_PATH_FEATURES = sizeof path_features / sizeof *path_features
};

// How much of the penalty of one bit is left.
static double share_of(uint32_t bit, uint32_t bits, uint32_t waived)
{
    if (bit == KEN_PATH_TEST && waived & KEN_WANTED_TEST)
        return bits & KEN_PATH_TEST ? 0 : 1;
    if (!(bits & ~waived & bit))
        return 0;
    return bit == KEN_PATH_TEST && waived & KEN_WAIVED_HALF_TEST ? 0.5 : 1;
}

void ken_rank_set_path(ken_rank_vector *v, uint32_t bits, uint32_t waived)
{
    for (int i = 0; i < N_PATH_FEATURES; i++)
        v->value[path_features[i].feature] = (float)share_of(path_features[i].bit, bits, waived);
}

double ken_rank_path_points(uint32_t bits, uint32_t waived)
{
    double sum = 0;
    for (int i = 0; i < N_PATH_FEATURES; i++)
        sum += weights[path_features[i].feature] * share_of(path_features[i].bit, bits, waived);
    return sum;
}

double ken_rank_score(const ken_rank_vector *v)
{
    double sum = 0;
    for (int f = 0; f < KEN_RANK_COUNT; f++)
        sum += weights[f] * (double)v->value[f];
    return sum;
}

double ken_rank_best(void)
{
    double sum = 0;
    for (int f = 0; f < KEN_RANK_COUNT; f++)
        if (weights[f] > 0 && f != KEN_RANK_NAMED)
            sum += weights[f];
    return sum;
}

// The share that was measured for each value of the logistic curve, with repositories left out.
static double calibrated(double said)
{
    static const double points[][2] = {
        { 0, 0 },         { 0.064, 0.014 }, { 0.152, 0.027 }, { 0.243, 0.183 },
        { 0.346, 0.296 }, { 0.451, 0.624 }, { 0.55, 0.646 },  { 0.652, 0.739 },
        { 0.756, 0.855 }, { 0.855, 0.912 }, { 0.93, 0.932 },  { 1, 0.959 },
    };
    for (size_t i = 1; i < sizeof points / sizeof *points; i++)
        if (said <= points[i][0])
            return points[i - 1][1] + (said - points[i - 1][0]) *
                                          (points[i][1] - points[i - 1][1]) /
                                          (points[i][0] - points[i - 1][0]);
    return points[sizeof points / sizeof *points - 1][1];
}

double ken_rank_confidence(const ken_rank_vector *first)
{
    static const double start = -3.06;
    static const struct {
        ken_rank_feature feature;
        double weight;
    } parts[] = {
        { KEN_RANK_FILE, 3.93 },
        { KEN_RANK_COMMENTS, 2.6 },
        { KEN_RANK_MEANING, 6.5 },
        { KEN_RANK_NAMED, 7.31 },
    };
    double z = start;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        z += parts[i].weight * fmin((double)first->value[parts[i].feature], 1);
    return calibrated(1 / (1 + exp(-z)));
}
