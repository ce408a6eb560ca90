// SPDX-License-Identifier: MIT
// java_priv.h -- packages that Java, Kotlin and Scala share (java.c).
#ifndef KEN_GRAPH_LANGUAGES_JAVA_PRIV_H
#define KEN_GRAPH_LANGUAGES_JAVA_PRIV_H

#include "graph/graph_modules_priv.h"

module_resolve ken_graph__java_resolve, ken_graph__java_around;

#endif
