// SPDX-License-Identifier: MIT
// Whether a run is near its memory limit, as the kernel counts it: shares of the limit are guesses of what each part
// takes, and what is in pieces between parts is in none of them. Where there is no /proc, shares are all there is.
//
// What is near the limit waits, or gives back first, and never fails: a worker that is alone always goes on.
//   room for a file   by the size of it: others end theirs first, batches are written, caches are let go of
//   pressed           workers wait for each other, and batches are written as soon as they are worth a segment
#include <unistd.h>

#include "base/alloc.h"
#include "index/index_run_priv.h"

enum {
    GAUGE_TEXT = 128,
    PRESSED_PART = 8, // of the limit: so much is left free
    OWN_PART = 4, // of the limit: what a process that does nothing else may hold, beside the lists
};

// "SIZE RESIDENT SHARED …", in pages: what is resident and of no file.
static uint64_t process_bytes(const index_run *r)
{
    char text[GAUGE_TEXT];
    ssize_t n = r->gauge_fd >= 0 ? pread(r->gauge_fd, text, sizeof text, 0) : -1;
    ken_str rest = ken_str_n(text, n > 0 ? (size_t)n : 0), word;
    uint64_t pages[3] = { 0 };
    for (size_t i = 0; i < 3; i++)
        if (!ken_str_split_next(&rest, ' ', &word) || !ken_str_parse_u64(word, &pages[i]))
            return 0;
    return pages[1] > pages[2] ? (pages[1] - pages[2]) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

void ken_index__gauge_open(index_run *r)
{
    if (ken_fs_open_own("/proc/self/statm", &r->gauge_fd, NULL))
        r->gauge_fd = -1;
    // Lists of this run and a program by itself count. What there is beyond is of a server: open indexes, other runs.
    uint64_t held = process_bytes(r);
    uint64_t own = r->memory.limit / OWN_PART + r->arena->used_bytes + r->scan_arena.used_bytes;
    r->others = held > own ? held - own : 0;
}

void ken_index__gauge_close(index_run *r)
{
    if (r->gauge_fd >= 0)
        ken_fs_close(r->gauge_fd);
    r->gauge_fd = -1;
}

static uint64_t own_bytes(const index_run *r)
{
    uint64_t all = process_bytes(r);
    return all > r->others ? all - r->others : 0;
}

bool ken_index__has_room(const index_run *r, uint64_t bytes)
{
    return own_bytes(r) + bytes <= r->memory.limit;
}

bool ken_index__is_pressed(const index_run *r)
{
    return own_bytes(r) > r->memory.limit - r->memory.limit / PRESSED_PART;
}
