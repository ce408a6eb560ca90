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

void ken_rank_set_path(ken_rank_vector *v, uint32_t bits, uint32_t waived)
{
    static const struct {
        uint32_t bit;
        ken_rank_feature feature;
    } map[] = { { KEN_PATH_TEST, KEN_RANK_TEST },         { KEN_PATH_EXAMPLE, KEN_RANK_EXAMPLE },
                { KEN_PATH_COMPAT, KEN_RANK_COMPAT },     { KEN_PATH_INTERNAL, KEN_RANK_INTERNAL },
                { KEN_PATH_PLATFORM, KEN_RANK_PLATFORM }, { KEN_PATH_INIT, KEN_RANK_INIT },
                { KEN_PATH_DOC, KEN_RANK_DOC },           { KEN_PATH_DATA, KEN_RANK_DATA } };
    for (size_t i = 0; i < sizeof map / sizeof *map; i++)
        v->value[map[i].feature] = bits & ~waived & map[i].bit ? 1 : 0;
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
        if (weights[f] > 0)
            sum += weights[f];
    return sum;
}
