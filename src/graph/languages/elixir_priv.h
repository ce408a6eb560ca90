// SPDX-License-Identifier: MIT
// elixir_priv.h -- Elixir's modules (elixir_modules.c), for its driver (elixir.c).
#ifndef KEN_GRAPH_LANGUAGES_ELIXIR_PRIV_H
#define KEN_GRAPH_LANGUAGES_ELIXIR_PRIV_H

#include "graph/graph_modules_priv.h"

module_resolve ken_graph__elixir_resolve;

#endif
