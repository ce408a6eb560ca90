// SPDX-License-Identifier: MIT
#include "base/alloc.h"

#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void ken_alloc_fail(size_t n_bytes)
{
    char text[96];
    int n = snprintf(text, sizeof text, "ken: out of memory (%zu bytes wanted)\n", n_bytes);
    if (n > 0)
        (void)!write(STDERR_FILENO, text, (size_t)n);
    abort();
}

void *ken_try_alloc(size_t n_bytes)
{
    return n_bytes >= SIZE_MAX / 2 ? NULL : malloc(n_bytes ? n_bytes : 1);
}

void *ken_try_zalloc(size_t n_bytes)
{
    return n_bytes >= SIZE_MAX / 2 ? NULL : calloc(1, n_bytes ? n_bytes : 1);
}

void *ken_try_realloc(void *p, size_t n_bytes)
{
    return n_bytes >= SIZE_MAX / 2 ? NULL : realloc(p, n_bytes ? n_bytes : 1);
}

void *ken_alloc(size_t n_bytes)
{
    void *p = ken_try_alloc(n_bytes);
    if (!p)
        ken_alloc_fail(n_bytes);
    return p;
}

void *ken_zalloc(size_t n_bytes)
{
    void *p = ken_try_zalloc(n_bytes);
    if (!p)
        ken_alloc_fail(n_bytes);
    return p;
}

void *ken_realloc(void *p, size_t n_bytes)
{
    void *q = ken_try_realloc(p, n_bytes);
    if (!q)
        ken_alloc_fail(n_bytes);
    return q;
}

char *ken_strndup(const char *s, size_t len)
{
    char *copy = ken_alloc(len + 1);
    if (len)
        memcpy(copy, s, len);
    copy[len] = '\0';
    return copy;
}

char *ken_strdup(const char *s)
{
    return ken_strndup(s, strlen(s));
}

void ken_free(void *p)
{
    free(p);
}

size_t ken_mul_size(size_t a, size_t b)
{
    return b && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

void ken_alloc_trim(void)
{
    malloc_trim(0);
}
