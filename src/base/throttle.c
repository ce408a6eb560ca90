// SPDX-License-Identifier: MIT
// A key has one number: the time at which all that it did is paid for, one interval each. A request is
// allowed while that lies at most a burst ahead of now (the generic cell rate algorithm).
//
// The table is divided into sets of WAYS entries; a key belongs to one set, by its hash.
#include "base/throttle.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

enum {
    WAYS = 8,
    DEFAULT_KEYS = 8192,
    KEY_BYTES = 256, // of a key that are hashed as they are
    BURST_SECONDS = 2,
};

#define NS_PER_SECOND INT64_C(1000000000)
#define NS_PER_MS     INT64_C(1000000)

typedef struct entry {
    uint64_t hash; // 0 = empty
    int64_t paid_at_ns;
} entry;

struct ken_throttle {
    pthread_mutex_t lock; // of all below
    entry *entries;       // n_sets * WAYS
    size_t n_sets;
    int64_t interval_ns; // of one request; 0 = no limit
    int64_t ahead_ns;    // how far ahead of now it may be paid for
    uint64_t seed;
    ken_throttle_counts counts;
};

ken_throttle *ken_throttle_new(const ken_throttle_opts *opts)
{
    ken_throttle *t = ken_zalloc(sizeof *t);
    size_t n_keys = opts->max_keys ? opts->max_keys : DEFAULT_KEYS;
    uint64_t burst = opts->burst ? opts->burst : BURST_SECONDS * opts->per_second;
    pthread_mutex_init(&t->lock, NULL);
    t->n_sets = (n_keys + WAYS - 1) / WAYS;
    t->entries = ken_zalloc(t->n_sets * WAYS * sizeof *t->entries);
    t->seed = opts->seed;
    if (opts->per_second) {
        t->interval_ns = NS_PER_SECOND / (int64_t)opts->per_second;
        t->interval_ns += !t->interval_ns;
        t->ahead_ns = (int64_t)(burst ? burst - 1 : 0) * t->interval_ns;
    }
    return t;
}

void ken_throttle_free(ken_throttle *t)
{
    if (!t)
        return;
    pthread_mutex_destroy(&t->lock);
    ken_free(t->entries);
    ken_free(t);
}

static uint64_t hash_of(const ken_throttle *t, ken_str key)
{
    char bytes[sizeof t->seed + KEY_BYTES];
    ken_sha256 whole;
    if (key.len > KEY_BYTES) {
        whole = ken_sha256_of(key.ptr, key.len);
        key = ken_str_n((const char *)whole.bytes, sizeof whole.bytes);
    }
    memcpy(bytes, &t->seed, sizeof t->seed);
    if (key.len)
        memcpy(bytes + sizeof t->seed, key.ptr, key.len);
    uint64_t h = ken_hash64(bytes, sizeof t->seed + key.len);
    return h ? h : 1;
}

// The entry of the key; a new one in place of an empty one, else of the one that is least in debt.
static entry *entry_of(ken_throttle *t, uint64_t hash)
{
    entry *set = &t->entries[hash % t->n_sets * WAYS], *best = set;
    for (size_t i = 0; i < WAYS; i++) {
        if (set[i].hash == hash)
            return &set[i];
        if (best->hash && (!set[i].hash || set[i].paid_at_ns < best->paid_at_ns))
            best = &set[i];
    }
    t->counts.n_keys += !best->hash;
    *best = (entry){ .hash = hash, .paid_at_ns = INT64_MIN };
    return best;
}

uint64_t ken_throttle_take(ken_throttle *t, ken_str key, int64_t now_ns)
{
    uint64_t hash = hash_of(t, key), wait_ms = 0;
    pthread_mutex_lock(&t->lock);
    if (t->interval_ns) {
        entry *e = entry_of(t, hash);
        int64_t from = e->paid_at_ns > now_ns ? e->paid_at_ns : now_ns;
        int64_t early = from - now_ns - t->ahead_ns;
        if (early > 0)
            wait_ms = (uint64_t)((early + NS_PER_MS - 1) / NS_PER_MS);
        else
            e->paid_at_ns = from + t->interval_ns;
    }
    t->counts.n_allowed += !wait_ms;
    t->counts.n_refused += wait_ms != 0;
    pthread_mutex_unlock(&t->lock);
    return wait_ms;
}

ken_throttle_counts ken_throttle_count(ken_throttle *t)
{
    pthread_mutex_lock(&t->lock);
    ken_throttle_counts counts = t->counts;
    pthread_mutex_unlock(&t->lock);
    return counts;
}
