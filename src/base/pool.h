// SPDX-License-Identifier: MIT
// pool.h -- threads that run jobs; only this file starts threads.
//
// ken_pool is a set of workers with a bounded queue. A job runs once, on any worker; submitting
// blocks while the queue is full. Shared: all functions may be called from any thread.
//
// When not all threads can be started there are fewer workers; when none can, submitting runs the
// job itself, as worker 0, before it returns.
// Locks: one mutex guards the queue; no job runs under it.
#ifndef KEN_BASE_POOL_H
#define KEN_BASE_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

typedef struct ken_pool ken_pool;
typedef void ken_job_fn(void *ctx, size_t worker); // worker: 0 … n_workers - 1

// Number of processors this process may run on, at least 1.
size_t ken_pool_cores(void);

// The calling thread, and those that it starts from now on, leave the processors to others that want
// them (nice 10, or what the thread has already). It cannot be taken back.
void ken_pool_give_way(void);

// `stack_bytes` 0 = 8 MiB; more than that is a wish.
ken_pool *ken_pool_new(size_t n_workers, size_t queue_max, size_t stack_bytes) KEN_MUST_USE;
// Threads that run: at most n_workers; 0 when none could be started.
size_t ken_pool_n_workers(const ken_pool *p);
void ken_pool_submit(ken_pool *p, ken_job_fn *fn, void *ctx);
// False at once when the queue is full.
bool ken_pool_try_submit(ken_pool *p, ken_job_fn *fn, void *ctx) KEN_MUST_USE;
void ken_pool_free(ken_pool *p); // finishes what is queued, then joins

#endif
