// SPDX-License-Identifier: MIT
// best.h -- the k best of many items: a heap in an array of the caller, with the worst item first.
//
// Items are structs of any kind, copied. In the header, so that the comparison is compiled into the
// loop of each user.
// Ownership: the caller's array holds `most` items. Threads: one at a time. Errors: none.
#ifndef KEN_BASE_BEST_H
#define KEN_BASE_BEST_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef bool ken_is_worse(const void *a, const void *b);

// Replaces the worst of `n` items by `item`, and restores the heap.
static inline void ken_best_sink(char *heap, size_t n, size_t item_bytes, ken_is_worse *is_worse,
                                 const void *item)
{
    size_t at = 0;
    for (size_t child = 1; child < n; child = 2 * at + 1) {
        const char *next = heap + child * item_bytes;
        if (child + 1 < n && is_worse(next + item_bytes, next)) {
            child++;
            next += item_bytes;
        }
        if (!is_worse(next, item))
            break;
        memcpy(heap + at * item_bytes, next, item_bytes);
        at = child;
    }
    memcpy(heap + at * item_bytes, item, item_bytes);
}

// Keeps `item` if it is among the `most` best of those offered so far, `*n` of which are kept.
static inline void ken_best_offer(void *items, size_t *n, size_t most, size_t item_bytes,
                                  ken_is_worse *is_worse, const void *item)
{
    char *heap = items;
    if (*n == most) {
        if (most && is_worse(heap, item))
            ken_best_sink(heap, *n, item_bytes, is_worse, item);
        return;
    }
    size_t at = (*n)++;
    for (; at && is_worse(item, heap + (at - 1) / 2 * item_bytes); at = (at - 1) / 2)
        memcpy(heap + at * item_bytes, heap + (at - 1) / 2 * item_bytes, item_bytes);
    memcpy(heap + at * item_bytes, item, item_bytes);
}

#endif
