// SPDX-License-Identifier: MIT
// The drivers, by language: the row of a language (lang/lang_table.h) names its own.
#include "graph/graph_driver_priv.h"

#define X(id, name, driver, ...) extern const graph_driver ken_graph__driver_##driver;
KEN_LANG_TABLE(X)
#undef X

const graph_driver ken_graph__driver_none = { .resolve = NULL };

static const graph_driver *const drivers[KEN_LANG_COUNT] = {
#define X(id, name, driver, ...) [KEN_LANG_##id] = &ken_graph__driver_##driver,
    KEN_LANG_TABLE(X)
#undef X
};

const graph_driver *ken_graph__driver_of(uint16_t lang)
{
    return drivers[lang < KEN_LANG_COUNT ? lang : KEN_LANG_UNKNOWN];
}
