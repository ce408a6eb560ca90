// SPDX-License-Identifier: MIT
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
    for (int i = 0; bits && i < N_PATH_FEATURES; i++)
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
