// SPDX-License-Identifier: MIT
// lang_heap_priv.h -- the memory of one file's parsers and trees, dropped at once.
//
// tree-sitter makes and frees hundreds of small nodes a line through one global allocator. This one
// hands them out from blocks of the heap that is current on the thread, keeps freed ones by size,
// and forgets everything at a reset, so that a tree is never walked just to be freed. Outside of a
// heap (a cursor, say) it is malloc. Every piece knows its heap, so it may be freed anywhere.
//
// The scanners of grammars have their memory there, too.
//
// Threads: a heap belongs to one at a time. With KEN_ARENA_DEBUG everything of tree-sitter's is malloc.
#ifndef KEN_LANG_LANG_HEAP_PRIV_H
#define KEN_LANG_LANG_HEAP_PRIV_H

#include <stdbool.h>
#include <stddef.h>

typedef struct lang_heap lang_heap;

lang_heap *ken_lang__heap_new(void);
void ken_lang__heap_free(lang_heap *h);
// Makes `h` (NULL = malloc) current on this thread; returns what was.
lang_heap *ken_lang__heap_enter(lang_heap *h);
void ken_lang__heap_reset(lang_heap *h);
// What a reset keeps for the next file; at most 8 MiB, which is the default.
void ken_lang__heap_limit(lang_heap *h, size_t keep_bytes);
// False when pieces must be freed one by one, because reset frees nothing.
bool ken_lang__heap_is_real(void);

#endif
