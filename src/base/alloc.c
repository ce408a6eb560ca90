// SPDX-License-Identifier: MIT
// Every request goes through three functions (sys_*), where tests can have it refused; every piece
// is counted by the size that malloc gave to it, so that freeing needs no header of our own.
#include "base/alloc.h"

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc_debug.h"

enum {
    DRAW_BYTES = 64 << 10,  // of a total at a time
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

size_t ken_account_used(const ken_account *a)
{
    return a->total ? atomic_load_explicit(a->total, memory_order_relaxed) : a->used_bytes;
}

static void give_back(ken_account *a, size_t keep)
{
    size_t n = a->drawn_bytes > keep ? a->drawn_bytes - keep : 0;
    atomic_fetch_sub_explicit(a->total, n, memory_order_relaxed);
    a->drawn_bytes -= n;
}

void ken_account_settle(ken_account *a)
{
    if (a->total)
        give_back(a, a->used_bytes);
}

static void draw(ken_account *a)
{
    if (a->used_bytes <= a->drawn_bytes)
        return;
    size_t n = (a->used_bytes - a->drawn_bytes + DRAW_BYTES - 1) / DRAW_BYTES * DRAW_BYTES;
    size_t all = atomic_fetch_add_explicit(a->total, n, memory_order_relaxed) + n;
    a->drawn_bytes += n;
    if (a->limit_bytes && all > a->limit_bytes)
        a->is_over = true;
}

static void *count(void *p)
{
    ken_account *a = account;
    if (!a || !p)
        return p;
    a->used_bytes += malloc_usable_size(p);
    if (a->used_bytes > a->peak_bytes)
        a->peak_bytes = a->used_bytes;
    if (a->total)
        draw(a);
    else if (a->limit_bytes && a->used_bytes > a->limit_bytes)
        a->is_over = true;
    return p;
}

static void discount(size_t n_bytes)
{
    ken_account *a = account;
    if (!a)
        return;
    a->used_bytes = a->used_bytes > n_bytes ? a->used_bytes - n_bytes : 0;
    if (a->total && a->drawn_bytes - a->used_bytes > (size_t)4 * DRAW_BYTES)
        give_back(a, a->used_bytes + DRAW_BYTES);
}

// Whether a piece of that size may be tried for; without an account everything may.
static bool has_room(size_t n_bytes)
{
    ken_account *a = account;
    if (n_bytes >= SIZE_MAX / 2)
        return false;
    size_t used = a ? ken_account_used(a) : 0;
    if (!a || !a->max_bytes || (used <= a->max_bytes && n_bytes <= a->max_bytes - used))
        return true;
    a->is_over = true;
    return false;
}

// ---- the reserve -------------------------------------------------------------------------------

// Taking it, giving it back and the second try after that are one step: a thread that finds it gone
// tries after the thread that gave it back, never between.
static pthread_mutex_t reserve_lock = PTHREAD_MUTEX_INITIALIZER;

static void refill_locked(void)
{
    void *p = atomic_load(&reserve);
    if (!p)
        p = malloc(RESERVE_BYTES);
    if (!p)
        return;
    atomic_store(&reserve, p);
    atomic_store(&was_taken, true);
    atomic_store(&is_process_starved, false);
}

void ken_alloc_refill(void)
{
    if (atomic_load_explicit(&reserve, memory_order_relaxed) && !ken_alloc_is_starved())
        return;
    pthread_mutex_lock(&reserve_lock);
    refill_locked();
    pthread_mutex_unlock(&reserve_lock);
}

bool ken_alloc_is_starved(void)
{
    return atomic_load_explicit(&is_process_starved, memory_order_relaxed);
}

// Gives the reserve back, and holds the lock for the one further try. That is made even when the
// reserve was gone: what another thread gave back may be there.
static KEN_COLD void lock_and_use_reserve(void)
{
    pthread_mutex_lock(&reserve_lock);
    if (!atomic_load(&was_taken))
        refill_locked(); // nothing was taken yet, and perhaps only one request is refused
    free(atomic_exchange(&reserve, NULL));
    if (account)
        account->is_starved = true;
    else
        atomic_store(&is_process_starved, true);
}

static KEN_COLD void *malloc_again(size_t n_bytes)
{
    lock_and_use_reserve();
    void *p = sys_malloc(n_bytes);
    pthread_mutex_unlock(&reserve_lock);
    return p;
}

static KEN_COLD void *calloc_again(size_t n_bytes)
{
    lock_and_use_reserve();
    void *p = sys_calloc(n_bytes);
    pthread_mutex_unlock(&reserve_lock);
    return p;
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

static KEN_COLD void *resize_again(void *p, size_t n_bytes)
{
    lock_and_use_reserve();
    void *q = resize(p, n_bytes);
    pthread_mutex_unlock(&reserve_lock);
    return q;
}

void *ken_try_realloc(void *p, size_t n_bytes)
{
    return has_room(n_bytes) ? resize(p, n_bytes) : NULL;
}

void *ken_alloc(size_t n_bytes)
{
    void *p = n_bytes < SIZE_MAX / 2 ? sys_malloc(n_bytes) : NULL;
    if (!p && n_bytes < SIZE_MAX / 2)
        p = malloc_again(n_bytes);
    if (!p)
        ken_alloc_fail(n_bytes);
    return count(p);
}

void *ken_zalloc(size_t n_bytes)
{
    void *p = n_bytes < SIZE_MAX / 2 ? sys_calloc(n_bytes) : NULL;
    if (!p && n_bytes < SIZE_MAX / 2)
        p = calloc_again(n_bytes);
    if (!p)
        ken_alloc_fail(n_bytes);
    return count(p);
}

void *ken_realloc(void *p, size_t n_bytes)
{
    void *q = n_bytes < SIZE_MAX / 2 ? resize(p, n_bytes) : NULL;
    if (!q && n_bytes < SIZE_MAX / 2)
        q = resize_again(p, n_bytes);
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
