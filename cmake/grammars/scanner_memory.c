// SPDX-License-Identifier: MIT
#include "scanner_memory.h"

ken_scanner_memory_fns ken_scanner_memory = { malloc, calloc, realloc, free };
