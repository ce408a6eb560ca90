// SPDX-License-Identifier: MIT
// Every request goes through three functions (sys_*), where tests can have it refused; every piece
// is counted by the size that malloc gave to it, so that freeing needs no header of our own.
#include "base/alloc.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc_debug.h"

enum {
    RESERVE_BYTES = 8 << 20 // its pages are not used; larger than any block of fixed size
};

static _Thread_local ken_account *account;

// NULL = used up, or not taken yet.
static _Atomic(void *) reserve;
static atomic_bool was_taken, is_process_starved;

// ---- what the system gives ---------------------------------------------------------------------

static atomic_bool is_planned;
static atomic_uint_fast64_t n_requests, refuse_from, refuse_to;

uint64_t ken_alloc_debug_refuse(uint64_t at, uint64_t n)
{
    uint64_t before = atomic_exchange(&n_requests, 0);
    atomic_store(&refuse_from, at);
    atomic_store(&refuse_to, at && n > UINT64_MAX - at ? UINT64_MAX : at + n);
    atomic_store(&is_planned, at != 0);
    return before;
}

static KEN_COLD bool is_refused(void)
{
    uint64_t i = atomic_fetch_add(&n_requests, 1) + 1;
    return i >= atomic_load(&refuse_from) && i < atomic_load(&refuse_to);
}

static bool may_ask(void)
{
    return !atomic_load_explicit(&is_planned, memory_order_relaxed) || !is_refused();
}

static void *sys_malloc(size_t n)
{
    return may_ask() ? malloc(n ? n : 1) : NULL;
}

static void *sys_calloc(size_t n)
{
    return may_ask() ? calloc(1, n ? n : 1) : NULL;
}

static void *sys_realloc(void *p, size_t n)
{
    return may_ask() ? realloc(p, n ? n : 1) : NULL;
}

// ---- accounts ----------------------------------------------------------------------------------

ken_account *ken_account_enter(ken_account *a)
{
    ken_account *outer = account;
    account = a;
    return outer;
}

static void *count(void *p)
{
    ken_account *a = account;
    if (!a || !p)
        return p;
    a->used_bytes += malloc_usable_size(p);
    if (a->used_bytes > a->peak_bytes)
        a->peak_bytes = a->used_bytes;
    if (a->limit_bytes && a->used_bytes > a->limit_bytes)
        a->is_over = true;
    return p;
}

static void discount(size_t n_bytes)
{
    ken_account *a = account;
    if (a)
        a->used_bytes = a->used_bytes > n_bytes ? a->used_bytes - n_bytes : 0;
}

// Whether a piece of that size may be tried for; without an account everything may.
static bool has_room(size_t n_bytes)
{
    ken_account *a = account;
    if (n_bytes >= SIZE_MAX / 2)
        return false;
    if (!a || !a->max_bytes ||
        (a->used_bytes <= a->max_bytes && n_bytes <= a->max_bytes - a->used_bytes))
        return true;
    a->is_over = true;
    return false;
}

// ---- the reserve -------------------------------------------------------------------------------

void ken_alloc_refill(void)
{
    if (atomic_load_explicit(&reserve, memory_order_relaxed)) {
        if (ken_alloc_is_starved()) // marked by a thread that came after the one that refilled it
            atomic_store(&is_process_starved, false);
        return;
    }
    void *p = malloc(RESERVE_BYTES), *none = NULL;
    if (!p)
        return;
    if (!atomic_compare_exchange_strong(&reserve, &none, p))
        free(p); // another thread was faster
    atomic_store(&was_taken, true);
    atomic_store(&is_process_starved, false);
}

bool ken_alloc_is_starved(void)
{
    return atomic_load_explicit(&is_process_starved, memory_order_relaxed);
}

// True when there was something to give back, so that trying again has a point.
static KEN_COLD bool use_reserve(void)
{
    if (!atomic_load(&was_taken))
        ken_alloc_refill(); // nothing was taken yet, and perhaps only one request is refused
    void *p = atomic_exchange(&reserve, NULL);
    if (account)
        account->is_starved = true;
    else
        atomic_store(&is_process_starved, true);
    free(p);
    return p != NULL;
}

void ken_alloc_fail(size_t n_bytes)
{
    char text[96];
    int n = snprintf(text, sizeof text, "ken: out of memory (%zu bytes wanted)\n", n_bytes);
    if (n > 0)
        (void)!write(STDERR_FILENO, text, (size_t)n);
    _exit(1);
}

// ---- the functions --------------------------------------------------------------------------------

void *ken_try_alloc(size_t n_bytes)
{
    return has_room(n_bytes) ? count(sys_malloc(n_bytes)) : NULL;
}

void *ken_try_zalloc(size_t n_bytes)
{
    return has_room(n_bytes) ? count(sys_calloc(n_bytes)) : NULL;
}

static void *resize(void *p, size_t n_bytes)
{
    size_t before = account && p ? malloc_usable_size(p) : 0;
    void *q = sys_realloc(p, n_bytes);
    if (q)
        discount(before);
    return count(q);
}

void *ken_try_realloc(void *p, size_t n_bytes)
{
    return has_room(n_bytes) ? resize(p, n_bytes) : NULL;
}

void *ken_alloc(size_t n_bytes)
{
    void *p = n_bytes < SIZE_MAX / 2 ? sys_malloc(n_bytes) : NULL;
    if (!p && n_bytes < SIZE_MAX / 2 && use_reserve())
        p = sys_malloc(n_bytes);
    if (!p)
        ken_alloc_fail(n_bytes);
    return count(p);
}

void *ken_zalloc(size_t n_bytes)
{
    void *p = n_bytes < SIZE_MAX / 2 ? sys_calloc(n_bytes) : NULL;
    if (!p && n_bytes < SIZE_MAX / 2 && use_reserve())
        p = sys_calloc(n_bytes);
    if (!p)
        ken_alloc_fail(n_bytes);
    return count(p);
}

void *ken_realloc(void *p, size_t n_bytes)
{
    void *q = n_bytes < SIZE_MAX / 2 ? resize(p, n_bytes) : NULL;
    if (!q && n_bytes < SIZE_MAX / 2 && use_reserve())
        q = resize(p, n_bytes);
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
    if (account && p)
        discount(malloc_usable_size(p));
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
