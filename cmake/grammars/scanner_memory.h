// SPDX-License-Identifier: MIT
// scanner_memory.h -- where the scanners of grammars have their memory: included before each of them. It is malloc until
// src/lang/lang_heap.c makes it the heap of the file that is parsed, which forgets all of it at once, for some of them
// lose pieces.
#ifndef KEN_GRAMMARS_SCANNER_MEMORY_H
#define KEN_GRAMMARS_SCANNER_MEMORY_H

#include <stdlib.h>

typedef struct ken_scanner_memory_fns {
    void *(*get)(size_t n);
    void *(*get_zeroed)(size_t n, size_t size);
    void *(*resize)(void *p, size_t n);
    void (*give)(void *p);
} ken_scanner_memory_fns;

extern ken_scanner_memory_fns ken_scanner_memory;

#ifdef KEN_IN_SCANNER
#define malloc  ken_scanner_memory.get
#define calloc  ken_scanner_memory.get_zeroed
#define realloc ken_scanner_memory.resize
#define free    ken_scanner_memory.give
#endif

#endif
