// SPDX-License-Identifier: MIT
// Scala: its packages are those of the JVM; an import may begin in any package around it, which is
// of the file.
#include "graph/graph_driver_priv.h"
#include "graph/languages/java_priv.h"

const graph_driver ken_graph__driver_scala = {
    .resolve = ken_graph__java_resolve,
    .around = ken_graph__java_around,
    .is_by_file = true,
};
