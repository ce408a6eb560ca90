// SPDX-License-Identifier: MIT
// What the kernel says of this process. Its files are opened at start, because a sandbox may allow no
// others later, and read again from the beginning at each look. Where there is no /proc, what would
// come from there is 0.
#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "metrics/metrics_priv.h"

static int stat_fd = -1, fds_fd = -1;
static int64_t began_ms;

enum {
    STAT_BYTES = 1024,
    // Fields of /proc/self/stat, from 1 (proc(5)).
    STAT_THREADS = 20,
    STAT_VIRTUAL = 23,
    STAT_RESIDENT = 24,
};

void ken_metrics__start_process(void)
{
    began_ms = ken_clock_wall_ms();
    if (ken_fs_open_own("/proc/self/stat", &stat_fd, NULL))
        stat_fd = -1;
    if (ken_fs_open_dir("/proc/self/fd", &fds_fd, NULL))
        fds_fd = -1;
    ken_metrics_add_reader(ken_metrics__read_process, NULL);
}

void ken_metrics__stop_process(void)
{
    ken_metrics_remove_reader(ken_metrics__read_process, NULL);
    if (stat_fd >= 0)
        ken_fs_close(stat_fd);
    if (fds_fd >= 0)
        ken_fs_close(fds_fd);
    stat_fd = fds_fd = -1;
}

// The name of the program is in parentheses and may hold spaces: fields are counted behind it.
static double field_of(ken_str stat, unsigned wanted)
{
    size_t end = ken_str_rfind_char(stat, ')');
    ken_str rest = end == SIZE_MAX ? (ken_str){ NULL, 0 } : ken_str_sub(stat, end + 2, stat.len);
    ken_str word = { NULL, 0 };
    for (unsigned field = 3; ken_str_split_next(&rest, ' ', &word); field++) {
        uint64_t value = 0;
        if (field == wanted)
            return ken_str_parse_u64(word, &value) ? (double)value : 0;
    }
    return 0;
}

static void put_stat(ken_metrics_sink *sink)
{
    char text[STAT_BYTES];
    size_t n = stat_fd < 0 ? 0 : ken_fs_read_at(stat_fd, 0, text, sizeof text);
    ken_str stat = ken_str_n(text, n);
    ken_metrics_put(sink, KEN_METRIC_PROCESS_THREADS, field_of(stat, STAT_THREADS), NULL);
    ken_metrics_put(sink, KEN_METRIC_PROCESS_VIRTUAL, field_of(stat, STAT_VIRTUAL), NULL);
    ken_metrics_put(sink, KEN_METRIC_PROCESS_RSS,
                    field_of(stat, STAT_RESIDENT) * (double)sysconf(_SC_PAGESIZE), NULL);
}

// Through a descriptor of its own, which shares its place in the folder with ours.
static double count_fds(void)
{
    double n = 0;
    int fd = fds_fd < 0 ? -1 : dup(fds_fd);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        ken_fs_close(fd);
        return 0;
    }
    rewinddir(dir);
    for (const struct dirent *e = readdir(dir); e; e = readdir(dir))
        n += e->d_name[0] != '.';
    closedir(dir);
    return n - 1; // without that of the folder itself
}

void ken_metrics__read_process(void *ctx, ken_metrics_sink *sink)
{
    struct rusage used = { 0 };
    struct rlimit limit = { 0 };
    (void)ctx;
    if (!getrusage(RUSAGE_SELF, &used)) {
        double us = (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
        ken_metrics_put(sink, KEN_METRIC_PROCESS_CPU,
                        (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + us / 1e6, NULL);
    }
    if (!getrlimit(RLIMIT_NOFILE, &limit))
        ken_metrics_put(sink, KEN_METRIC_PROCESS_MAX_FDS, (double)limit.rlim_cur, NULL);
    ken_metrics_put(sink, KEN_METRIC_PROCESS_FDS, count_fds(), NULL);
    ken_metrics_put(sink, KEN_METRIC_PROCESS_START, (double)began_ms / 1000, NULL);
    put_stat(sink);
}
