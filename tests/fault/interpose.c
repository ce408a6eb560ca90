// SPDX-License-Identifier: MIT
// interpose.c -- a library that is loaded before all others (LD_PRELOAD) and makes the n-th call of
// a class fail. For tests only; children of the program under test are left alone.
//
//   KEN_FAULT_STATE   a file of sizeof(fault_state) bytes that says what to do, and gets the counts
//
// The file is mapped, so that counts survive however the process ends.
#include "fault/interpose.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

static fault_state *state;

// What the C library calls when it checks bounds; no header declares these, and their names are its
// own.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
ssize_t __read_chk(int fd, void *p, size_t n, size_t size);
ssize_t __pread_chk(int fd, void *p, size_t n, off_t at, size_t size);
ssize_t __pread64_chk(int fd, void *p, size_t n, off_t at, size_t size);
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

// Before main, by system calls only: nothing of this is counted.
__attribute__((constructor)) static void attach(void)
{
    const char *path = getenv("KEN_FAULT_STATE");
    const char *name = strrchr(program_invocation_name, '/');
    name = name ? name + 1 : program_invocation_name;
    if (!path || strcmp(name, "ken") != 0)
        return;
    long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    long at = syscall(SYS_mmap, NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    if (at > 0)
        state = (fault_state *)at;
}

// Counts a call of the class; true when it is to fail, with errno set.
static bool fails(fault_class class)
{
    if (!state || state->class != class)
        return false;
    uint64_t n = atomic_fetch_add(&state->n_calls, 1) + 1;
    if (!state->at || (state->is_from_then_on ? n < state->at : n != state->at))
        return false;
    atomic_fetch_add(&state->n_failed, 1);
    errno = state->error;
    return true;
}

static bool is_short(void)
{
    return state && state->is_short;
}

// The function that this one stands before.
#define REAL(name)                             \
    static __typeof__(&name) real;             \
    if (!real) {                               \
        void *found = dlsym(RTLD_NEXT, #name); \
        memcpy(&real, &found, sizeof real);    \
    }

// ---- clocks ------------------------------------------------------------------------------------

PUBLIC int clock_gettime(clockid_t which, struct timespec *out)
{
    REAL(clock_gettime)
    int rc = real(which, out);
    if (!rc && state && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE))
        out->tv_sec += state->clock_step_s;
    return rc;
}

PUBLIC int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    REAL(gettimeofday)
    int rc = real(out, zone);
    if (!rc && state)
        out->tv_sec += state->clock_step_s;
    return rc;
}

PUBLIC time_t time(time_t *out)
{
    struct timespec now = { 0 };
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}

// ---- memory ------------------------------------------------------------------------------------

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t align, size_t n);
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

PUBLIC void *malloc(size_t n)
{
    return fails(FAULT_ALLOC) ? NULL : __libc_malloc(n);
}

PUBLIC void *calloc(size_t n, size_t size)
{
    return fails(FAULT_ALLOC) ? NULL : __libc_calloc(n, size);
}

PUBLIC void *realloc(void *p, size_t n)
{
    return fails(FAULT_ALLOC) ? NULL : __libc_realloc(p, n);
}

PUBLIC int posix_memalign(void **out, size_t align, size_t n)
{
    void *p = fails(FAULT_ALLOC) ? NULL : __libc_memalign(align, n);
    if (!p)
        return ENOMEM;
    *out = p;
    return 0;
}

PUBLIC void *aligned_alloc(size_t align, size_t n)
{
    return fails(FAULT_ALLOC) ? NULL : __libc_memalign(align, n);
}

static void *map(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
    if (fails(FAULT_MMAP))
        return MAP_FAILED;
    REAL(mmap64)
    return real(at, n, prot, flags, fd, offset);
}

PUBLIC void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
    return map(at, n, prot, flags, fd, offset);
}

PUBLIC void *mmap64(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
    return map(at, n, prot, flags, fd, offset);
}

PUBLIC void *mremap(void *at, size_t old, size_t n, int flags, ...)
{
    if (fails(FAULT_MMAP))
        return MAP_FAILED;
    va_list args;
    va_start(args, flags);
    void *to = flags & MREMAP_FIXED ? va_arg(args, void *) : NULL;
    va_end(args);
    REAL(mremap)
    return real(at, old, n, flags, to);
}

// ---- reading and writing -----------------------------------------------------------------------

// Files only: what is said on pipes and sockets has an end of its own, which is tested elsewhere.
static bool is_file(int fd)
{
    struct stat s;
    return !syscall(SYS_fstat, fd, &s) && S_ISREG(s.st_mode) && fd > 2;
}

// What is asked for; half of it when this call is to fall short.
static size_t part(fault_class class, int fd, size_t n, bool *out_fails)
{
    *out_fails = state && state->class == class && is_file(fd) && fails(class);
    if (!*out_fails || !is_short() || n < 2)
        return n;
    *out_fails = false;
    return n / 2;
}

PUBLIC ssize_t read(int fd, void *p, size_t n)
{
    bool is_bad;
    n = part(FAULT_READ, fd, n, &is_bad);
    REAL(read)
    return is_bad ? -1 : real(fd, p, n);
}

PUBLIC ssize_t __read_chk(int fd, void *p, size_t n, size_t size)
{
    (void)size;
    return read(fd, p, n);
}

PUBLIC ssize_t pread64(int fd, void *p, size_t n, off_t at)
{
    bool is_bad;
    n = part(FAULT_READ, fd, n, &is_bad);
    REAL(pread64)
    return is_bad ? -1 : real(fd, p, n, at);
}

PUBLIC ssize_t pread(int fd, void *p, size_t n, off_t at)
{
    return pread64(fd, p, n, at);
}

PUBLIC ssize_t __pread_chk(int fd, void *p, size_t n, off_t at, size_t size)
{
    (void)size;
    return pread64(fd, p, n, at);
}

PUBLIC ssize_t __pread64_chk(int fd, void *p, size_t n, off_t at, size_t size)
{
    (void)size;
    return pread64(fd, p, n, at);
}

PUBLIC ssize_t write(int fd, const void *p, size_t n)
{
    bool is_bad;
    n = part(FAULT_WRITE, fd, n, &is_bad);
    REAL(write)
    return is_bad ? -1 : real(fd, p, n);
}

PUBLIC ssize_t pwrite64(int fd, const void *p, size_t n, off_t at)
{
    bool is_bad;
    n = part(FAULT_WRITE, fd, n, &is_bad);
    REAL(pwrite64)
    return is_bad ? -1 : real(fd, p, n, at);
}

PUBLIC ssize_t pwrite(int fd, const void *p, size_t n, off_t at)
{
    return pwrite64(fd, p, n, at);
}

PUBLIC ssize_t writev(int fd, const struct iovec *v, int n)
{
    REAL(writev)
    return fails(FAULT_WRITE) ? -1 : real(fd, v, n);
}

PUBLIC int fsync(int fd)
{
    REAL(fsync)
    return fails(FAULT_SYNC) ? -1 : real(fd);
}

PUBLIC int fdatasync(int fd)
{
    REAL(fdatasync)
    return fails(FAULT_SYNC) ? -1 : real(fd);
}

PUBLIC int ftruncate64(int fd, off_t n)
{
    REAL(ftruncate64)
    return fails(FAULT_TRUNCATE) ? -1 : real(fd, n);
}

PUBLIC int ftruncate(int fd, off_t n)
{
    return ftruncate64(fd, n);
}

PUBLIC int posix_fallocate64(int fd, off_t at, off_t n)
{
    REAL(posix_fallocate64)
    return fails(FAULT_TRUNCATE) ? state->error : real(fd, at, n);
}

PUBLIC int posix_fallocate(int fd, off_t at, off_t n)
{
    return posix_fallocate64(fd, at, n);
}

// ---- names -------------------------------------------------------------------------------------

static mode_t mode_of(int flags, va_list args)
{
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

PUBLIC int openat(int dir, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = mode_of(flags, args);
    va_end(args);
    REAL(openat64)
    return fails(FAULT_OPEN) ? -1 : real(dir, path, flags, mode);
}

PUBLIC int openat64(int dir, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = mode_of(flags, args);
    va_end(args);
    return openat(dir, path, flags, mode);
}

PUBLIC int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = mode_of(flags, args);
    va_end(args);
    return openat(AT_FDCWD, path, flags, mode);
}

PUBLIC int open64(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = mode_of(flags, args);
    va_end(args);
    return openat(AT_FDCWD, path, flags, mode);
}

PUBLIC int __open_2(const char *path, int flags)
{
    return openat(AT_FDCWD, path, flags);
}

PUBLIC int __open64_2(const char *path, int flags)
{
    return openat(AT_FDCWD, path, flags);
}

PUBLIC int __openat_2(int dir, const char *path, int flags)
{
    return openat(dir, path, flags);
}

PUBLIC int __openat64_2(int dir, const char *path, int flags)
{
    return openat(dir, path, flags);
}

PUBLIC int rename(const char *a, const char *b)
{
    REAL(rename)
    return fails(FAULT_RENAME) ? -1 : real(a, b);
}

PUBLIC int renameat(int da, const char *a, int db, const char *b)
{
    REAL(renameat)
    return fails(FAULT_RENAME) ? -1 : real(da, a, db, b);
}

PUBLIC int renameat2(int da, const char *a, int db, const char *b, unsigned flags)
{
    REAL(renameat2)
    return fails(FAULT_RENAME) ? -1 : real(da, a, db, b, flags);
}

PUBLIC int linkat(int da, const char *a, int db, const char *b, int flags)
{
    REAL(linkat)
    return fails(FAULT_RENAME) ? -1 : real(da, a, db, b, flags);
}

PUBLIC int unlink(const char *path)
{
    REAL(unlink)
    return fails(FAULT_RENAME) ? -1 : real(path);
}

PUBLIC int unlinkat(int dir, const char *path, int flags)
{
    REAL(unlinkat)
    return fails(FAULT_RENAME) ? -1 : real(dir, path, flags);
}

PUBLIC int mkdir(const char *path, mode_t mode)
{
    REAL(mkdir)
    return fails(FAULT_RENAME) ? -1 : real(path, mode);
}

PUBLIC int mkdirat(int dir, const char *path, mode_t mode)
{
    REAL(mkdirat)
    return fails(FAULT_RENAME) ? -1 : real(dir, path, mode);
}

PUBLIC int fstatat64(int dir, const char *path, struct stat64 *out, int flags)
{
    REAL(fstatat64)
    return fails(FAULT_STAT) ? -1 : real(dir, path, out, flags);
}

PUBLIC int fstatat(int dir, const char *path, struct stat *out, int flags)
{
    REAL(fstatat)
    return fails(FAULT_STAT) ? -1 : real(dir, path, out, flags);
}

#define STAT(name, type, at)                            \
    PUBLIC int name(at who, type *out)                  \
    {                                                   \
        REAL(name)                                      \
        return fails(FAULT_STAT) ? -1 : real(who, out); \
    }
STAT(stat, struct stat, const char *)
STAT(stat64, struct stat64, const char *)
STAT(lstat, struct stat, const char *)
STAT(lstat64, struct stat64, const char *)
STAT(fstat, struct stat, int)
STAT(fstat64, struct stat64, int)

PUBLIC int fcntl64(int fd, int command, ...)
{
    va_list args;
    va_start(args, command);
    void *arg = va_arg(args, void *);
    va_end(args);
    bool is_lock = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
                   command == F_OFD_SETLKW;
    REAL(fcntl64)
    return is_lock && fails(FAULT_LOCK) ? -1 : real(fd, command, arg);
}

PUBLIC int fcntl(int fd, int command, ...)
{
    va_list args;
    va_start(args, command);
    void *arg = va_arg(args, void *);
    va_end(args);
    return fcntl64(fd, command, arg);
}

PUBLIC int flock(int fd, int operation)
{
    REAL(flock)
    return fails(FAULT_LOCK) ? -1 : real(fd, operation);
}

// ---- threads and children ----------------------------------------------------------------------

PUBLIC int pthread_create(pthread_t *out, const pthread_attr_t *attr, void *(*fn)(void *),
                          void *arg)
{
    REAL(pthread_create)
    return fails(FAULT_THREAD) ? state->error : real(out, attr, fn, arg);
}

PUBLIC int posix_spawn(pid_t *out, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attr, char *const argv[], char *const env[])
{
    REAL(posix_spawn)
    return fails(FAULT_CHILD) ? state->error : real(out, path, actions, attr, argv, env);
}

PUBLIC int posix_spawnp(pid_t *out, const char *file, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attr, char *const argv[], char *const env[])
{
    REAL(posix_spawnp)
    return fails(FAULT_CHILD) ? state->error : real(out, file, actions, attr, argv, env);
}

PUBLIC int pipe(int fds[2])
{
    REAL(pipe)
    return fails(FAULT_CHILD) ? -1 : real(fds);
}

PUBLIC int pipe2(int fds[2], int flags)
{
    REAL(pipe2)
    return fails(FAULT_CHILD) ? -1 : real(fds, flags);
}

PUBLIC int socketpair(int domain, int type, int protocol, int fds[2])
{
    REAL(socketpair)
    return fails(FAULT_CHILD) ? -1 : real(domain, type, protocol, fds);
}
