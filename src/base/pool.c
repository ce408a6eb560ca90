// SPDX-License-Identifier: MIT
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include "base/alloc.h"

enum {
    STACK_BYTES = 8 << 20, // parsers recurse
    NICE = 10,             // of a thread that gives way: a tenth of the time of one at 0
};

typedef struct pool_job {
    ken_job_fn *fn;
    void *ctx;
} pool_job;

typedef struct pool_worker {
    ken_pool *pool;
    size_t index;
    pthread_t thread;
} pool_worker;

struct ken_pool {
    pthread_mutex_t lock; // guards: queue, head, n_queued, is_closing
    pthread_cond_t has_work, has_room;
    pool_job *queue; // ring of queue_max
    size_t queue_max, head, n_queued;
    bool is_closing;
    pool_worker *workers;
    size_t n_workers; // that could be started; 0 = jobs run where they are submitted
};

size_t ken_pool_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set))
        return 1;
    int n = CPU_COUNT(&set);
    return n > 0 ? (size_t)n : 1;
}

// On Linux 0 is the calling thread, not the process (setpriority(2)).
void ken_pool_give_way(void)
{
    if (getpriority(PRIO_PROCESS, 0) < NICE)
        setpriority(PRIO_PROCESS, 0, NICE);
}

static void *worker_main(void *arg)
{
    pool_worker *w = arg;
    ken_pool *p = w->pool;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (!p->n_queued && !p->is_closing)
            pthread_cond_wait(&p->has_work, &p->lock);
        if (!p->n_queued)
            break;
        pool_job job = p->queue[p->head];
        p->head = (p->head + 1) % p->queue_max;
        p->n_queued--;
        pthread_cond_signal(&p->has_room);
        pthread_mutex_unlock(&p->lock);
        job.fn(job.ctx, w->index);
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

// A large stack is a wish: where memory or its addresses are short, a usual one has to do.
static bool start_worker(pool_worker *w, size_t stack_bytes)
{
    pthread_attr_t attr;
    if (pthread_attr_init(&attr))
        return false;
    int rc = pthread_attr_setstacksize(&attr, stack_bytes);
    if (!rc)
        rc = pthread_create(&w->thread, &attr, worker_main, w);
    pthread_attr_destroy(&attr);
    return !rc || (stack_bytes > STACK_BYTES && start_worker(w, STACK_BYTES));
}

ken_pool *ken_pool_new(size_t n_workers, size_t queue_max, size_t stack_bytes)
{
    ken_pool *p = ken_zalloc(sizeof *p);
    size_t n_wanted = n_workers ? n_workers : 1;
    p->queue_max = queue_max ? queue_max : 2 * n_wanted;
    p->queue = ken_zalloc(ken_mul_size(p->queue_max, sizeof *p->queue));
    p->workers = ken_zalloc(ken_mul_size(n_wanted, sizeof *p->workers));
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->has_work, NULL);
    pthread_cond_init(&p->has_room, NULL);
    for (; p->n_workers < n_wanted; p->n_workers++) {
        pool_worker *w = &p->workers[p->n_workers];
        *w = (pool_worker){ .pool = p, .index = p->n_workers };
        if (!start_worker(w, stack_bytes ? stack_bytes : STACK_BYTES))
            break;
    }
    return p;
}

size_t ken_pool_n_workers(const ken_pool *p)
{
    return p->n_workers;
}

static void put_job(ken_pool *p, ken_job_fn *fn, void *ctx)
{
    p->queue[(p->head + p->n_queued) % p->queue_max] = (pool_job){ fn, ctx };
    p->n_queued++;
    pthread_cond_signal(&p->has_work);
}

void ken_pool_submit(ken_pool *p, ken_job_fn *fn, void *ctx)
{
    if (!p->n_workers) {
        fn(ctx, 0);
        return;
    }
    pthread_mutex_lock(&p->lock);
    while (p->n_queued == p->queue_max)
        pthread_cond_wait(&p->has_room, &p->lock);
    put_job(p, fn, ctx);
    pthread_mutex_unlock(&p->lock);
}

bool ken_pool_try_submit(ken_pool *p, ken_job_fn *fn, void *ctx)
{
    if (!p->n_workers) {
        fn(ctx, 0);
        return true;
    }
    pthread_mutex_lock(&p->lock);
    bool has_room = p->n_queued < p->queue_max;
    if (has_room)
        put_job(p, fn, ctx);
    pthread_mutex_unlock(&p->lock);
    return has_room;
}

void ken_pool_free(ken_pool *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->is_closing = true;
    pthread_cond_broadcast(&p->has_work);
    pthread_mutex_unlock(&p->lock);
    for (size_t i = 0; i < p->n_workers; i++)
        pthread_join(p->workers[i].thread, NULL);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->has_work);
    pthread_cond_destroy(&p->has_room);
    ken_free(p->workers);
    ken_free(p->queue);
    ken_free(p);
}
