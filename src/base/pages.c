// SPDX-License-Identifier: MIT
#include "base/pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    LARGE_PAGE = 2 << 20 // of x86-64 and of Arm with small pages of 4 KiB
};

static size_t whole_pages(size_t n_bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (n_bytes / page + 1) * page;
}

static void *map(size_t n_bytes)
{
    void *p = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

// More is mapped than needed, and what lies around the part that begins with a large page given
// back.
static void *map_large(size_t n)
{
    uint8_t *p = map(n + LARGE_PAGE);
    if (!p)
        return NULL;
    size_t before = (0 - (uintptr_t)p) % LARGE_PAGE;
    if (before)
        (void)munmap(p, before);
    (void)munmap(p + before + n, LARGE_PAGE - before);
    (void)madvise(p + before, n, MADV_HUGEPAGE); // a wish
    return p + before;
}

void *ken_pages_try_zalloc(size_t n_bytes)
{
    if (n_bytes >= SIZE_MAX / 2)
        return NULL;
    size_t n = whole_pages(n_bytes);
    return n < LARGE_PAGE ? map(n) : map_large(n);
}

void ken_pages_free(void *p, size_t n_bytes)
{
    if (p)
        (void)munmap(p, whole_pages(n_bytes));
}
