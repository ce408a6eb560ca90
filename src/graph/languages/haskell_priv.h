// SPDX-License-Identifier: MIT
// haskell_priv.h -- Haskell's modules (haskell_modules.c), for its driver (haskell.c).
#ifndef KEN_GRAPH_LANGUAGES_HASKELL_PRIV_H
#define KEN_GRAPH_LANGUAGES_HASKELL_PRIV_H

#include "graph/graph_modules_priv.h"

module_resolve ken_graph__haskell_resolve;

#endif
