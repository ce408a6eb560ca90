// SPDX-License-Identifier: MIT
// A table of mappings, written under a lock and read by the handler of SIGBUS without one: a fault in
// a mapping comes from the thread that reads it, whose connection keeps its entries meanwhile.
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/sqlite/sqlite_mapped_priv.h"

enum {
    SLOTS = 256 // a connection has one of the database and one for each 4,096 pages of its log
};

typedef struct slot {
    _Atomic uintptr_t from, to; // 0 = free
    atomic_bool lost;
    _Atomic(atomic_bool *) owner;
    int is_shared;
} slot;

static slot slots[SLOTS];
static char paths[SLOTS][PATH_MAX]; // apart: looking through the slots touches three pages
static pthread_mutex_t slots_lock = PTHREAD_MUTEX_INITIALIZER; // of writers
static uintptr_t page_bytes;
static ken_sq_lost_fn *tell;

// ---- the handler -------------------------------------------------------------------------------

static bool mark_lost(uintptr_t at)
{
    bool is_ours = false;
    for (size_t i = 0; i < SLOTS; i++) {
        slot *s = &slots[i];
        uintptr_t from = atomic_load(&s->from);
        if (!from || at < from || at >= atomic_load(&s->to))
            continue;
        atomic_bool *owner = atomic_load(&s->owner);
        atomic_store(&s->lost, true);
        if (owner)
            atomic_store(owner, true);
        if (!is_ours)
            tell(paths[i]);
        is_ours = true;
    }
    return is_ours;
}

static void on_bus(int number, siginfo_t *info, void *context)
{
    (void)context;
    int kept = errno;
    uintptr_t at = (uintptr_t)info->si_addr;
    void *page = (char *)info->si_addr - at % page_bytes;
    bool is_saved = info->si_code == BUS_ADRERR && mark_lost(at) &&
                    mmap(page, page_bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
    if (!is_saved)
        signal(number, SIG_DFL); // the access is tried again, and ends the process
    errno = kept;
}

void ken_store__sq_guard_mappings(ken_sq_lost_fn *on_lost)
{
    struct sigaction before, act = { .sa_sigaction = on_bus, .sa_flags = SA_SIGINFO | SA_NODEFER };
    long n = sysconf(_SC_PAGESIZE);
    page_bytes = n > 0 ? (uintptr_t)n : 4096;
    tell = on_lost;
    sigemptyset(&act.sa_mask);
    if (!sigaction(SIGBUS, NULL, &before) && before.sa_handler == SIG_DFL)
        (void)sigaction(SIGBUS, &act, NULL);
}

// ---- the table ---------------------------------------------------------------------------------

static bool was_lost(uintptr_t from)
{
    for (size_t i = 0; i < SLOTS; i++)
        if (atomic_load(&slots[i].from) == from && atomic_load(&slots[i].lost))
            return true;
    return false;
}

// A database is mapped once, at a place that changes; its log's shared memory piece by piece.
static slot *find_slot(const atomic_bool *owner, uintptr_t from, int is_shared)
{
    slot *free_one = NULL;
    for (size_t i = 0; i < SLOTS; i++) {
        slot *s = &slots[i];
        uintptr_t is = atomic_load(&s->from);
        if (is && atomic_load(&s->owner) == owner && s->is_shared == is_shared &&
            (is == from || !is_shared))
            return s;
        if (!is && !free_one)
            free_one = s;
    }
    return free_one;
}

void ken_store__sq_note_mapping(atomic_bool *is_lost, const char *path, const void *base, size_t n,
                                int is_shared)
{
    uintptr_t from = (uintptr_t)base;
    pthread_mutex_lock(&slots_lock);
    bool is_gone = was_lost(from);
    slot *s = find_slot(is_lost, from, is_shared);
    if (s) {
        bool is_new = !atomic_exchange(&s->from, 0);
        atomic_store(&s->to, from + n);
        atomic_store(&s->owner, is_lost);
        atomic_store(&s->lost, is_gone);
        s->is_shared = is_shared;
        if (is_new)
            snprintf(paths[s - slots], sizeof *paths, "%s", path ? path : "");
        atomic_store(&s->from, from); // last: now it is seen
    }
    if (is_gone)
        atomic_store(is_lost, true);
    pthread_mutex_unlock(&slots_lock);
}

void ken_store__sq_forget_mappings(const atomic_bool *is_lost, int is_shared)
{
    pthread_mutex_lock(&slots_lock);
    for (size_t i = 0; i < SLOTS; i++) {
        if (atomic_load(&slots[i].owner) != is_lost || slots[i].is_shared != is_shared)
            continue;
        atomic_store(&slots[i].from, 0);
        atomic_store(&slots[i].owner, NULL);
    }
    pthread_mutex_unlock(&slots_lock);
}
