// SPDX-License-Identifier: MIT
// Landlock by its system calls alone: the constants are the kernel's interface and never change, and
// the header of the machine that builds may be older than the kernel that runs.
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/sandbox_priv.h"

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule       445
#define SYS_landlock_restrict_self  446
#endif

enum {
    RULESET_VERSION = 1,
    RULE_PATH = 1,
    NET_BIND = 1,
    ABI_REFER = 2, // the versions in which rights appeared
    ABI_TRUNCATE = 3,
    ABI_NET = 4,
};

#define FS_EXECUTE  (UINT64_C(1) << 0)
#define FS_WRITE    (UINT64_C(1) << 1)
#define FS_READ     (UINT64_C(3) << 2) // files, folders
#define FS_READ_ONE (UINT64_C(1) << 2)
#define FS_REMOVE   (UINT64_C(3) << 4)    // folders, files
#define FS_MAKE     (UINT64_C(0x7f) << 6) // devices, folders, files, sockets, pipes, links
#define FS_REFER    (UINT64_C(1) << 13)
#define FS_TRUNCATE (UINT64_C(1) << 14)
#define FS_OF_FILES (FS_EXECUTE | FS_READ_ONE | FS_WRITE | FS_TRUNCATE)

// As the kernel has them; the first two may be shorter for older kernels.
typedef struct ruleset_attr {
    uint64_t fs, net;
} ruleset_attr;

// The kernel takes the first 12 bytes.
typedef struct path_attr {
    uint64_t allowed;
    int32_t fd;
} path_attr;

static const char *const system_programs[] = { "/usr",
                                               "/bin",
                                               "/sbin",
                                               "/lib",
                                               "/lib32",
                                               "/lib64",
                                               "/opt",
                                               "/nix",
                                               "/gnu",
                                               "/snap",
                                               "/run/current-system",
                                               "/home/linuxbrew/.linuxbrew" };

// What any program reads: libraries, certificates, names of users, the processor, itself.
static const char *const system_files[] = { "/etc",
                                            "/proc",
                                            "/sys",
                                            "/run/systemd/resolve",
                                            "/dev/urandom",
                                            "/dev/random",
                                            "/var/lib/ca-certificates" };

static const char *const devices[] = { "/dev/null", "/dev/zero", "/dev/tty", "/dev/shm" };

int ken_sandbox_landlock(void)
{
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, RULESET_VERSION);
    return abi > 0 ? (int)abi : 0;
}

typedef struct ruleset {
    int fd;
    uint64_t handled;
    ken_err *err;
} ruleset;

static ken_status allow(const ruleset *r, const char *path, uint64_t rights)
{
    struct stat s;
    path_attr rule = { .fd = open(path, O_PATH | O_CLOEXEC) };
    if (rule.fd < 0)
        return KEN_OK; // it is not there
    int e = fstat(rule.fd, &s) ? errno : 0;
    if (!e) {
        rule.allowed = rights & r->handled & (S_ISDIR(s.st_mode) ? UINT64_MAX : FS_OF_FILES);
        if (rule.allowed && syscall(SYS_landlock_add_rule, r->fd, RULE_PATH, &rule, 0))
            e = errno;
    }
    close(rule.fd);
    return e ? KEN_FAIL_ERRNO(r->err, e, "sandbox: allowing '%s'", path) : KEN_OK;
}

static ken_status allow_all(const ruleset *r, const char *const *paths, size_t n, uint64_t rights)
{
    ken_status st = KEN_OK;
    for (size_t i = 0; i < n && !st; i++)
        st = allow(r, paths[i], rights);
    return st;
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

static ken_status add_readable(const ruleset *r, const ken_sandbox_opts *o)
{
    const ken_sandbox_paths all[] = { { system_programs, COUNT(system_programs) },
                                      { system_files, COUNT(system_files) },
                                      { devices, COUNT(devices) },
                                      o->execute,
                                      o->write,
                                      o->read };
    ken_status st = KEN_OK;
    for (size_t i = 0; i < COUNT(all) && !st; i++)
        st = allow_all(r, all[i].ptr, all[i].n, FS_READ);
    return st;
}

static ken_status add_rules(const ruleset *r, const ken_sandbox_opts *o, uint64_t writing)
{
    ken_status st = allow_all(r, system_programs, COUNT(system_programs), FS_EXECUTE);
    if (!st)
        st = allow_all(r, o->execute.ptr, o->execute.n, FS_EXECUTE);
    if (!st)
        st = allow_all(r, devices, COUNT(devices), writing);
    if (!st)
        st = allow_all(r, o->write.ptr, o->write.n, writing);
    if (!st && o->limits_reads)
        st = add_readable(r, o);
    // A domain that does not handle moves between folders forbids all of them.
    if (!st && !o->limits_writes)
        st = allow(r, "/", FS_REFER);
    return st;
}

static ken_status enter_landlock(const ken_sandbox_opts *o, ken_sandbox *out, ken_err *err)
{
    int abi = ken_sandbox_landlock();
    uint64_t writing = FS_WRITE | FS_REMOVE | FS_MAKE;
    if (!abi)
        return KEN_OK;
    if (abi >= ABI_REFER)
        writing |= FS_REFER;
    if (abi >= ABI_TRUNCATE)
        writing |= FS_TRUNCATE;
    ruleset_attr attr = { .fs = FS_EXECUTE };
    if (o->limits_writes)
        attr.fs |= writing;
    else if (abi >= ABI_REFER)
        attr.fs |= FS_REFER;
    if (o->limits_reads)
        attr.fs |= FS_READ;
    if (abi >= ABI_NET)
        attr.net = NET_BIND;
    size_t size = abi >= ABI_NET ? sizeof attr : sizeof attr.fs;
    ruleset r = { .handled = attr.fs, .err = err };
    r.fd = (int)syscall(SYS_landlock_create_ruleset, &attr, size, 0);
    if (r.fd < 0)
        return KEN_FAIL_ERRNO(err, errno, "sandbox: making its rules");
    ken_status st = add_rules(&r, o, writing);
    if (!st && syscall(SYS_landlock_restrict_self, r.fd, 0))
        st = KEN_FAIL_ERRNO(err, errno, "sandbox: entering it");
    close(r.fd);
    if (st)
        return st;
    out->landlock = abi;
    out->limits_execution = true;
    out->limits_writes = o->limits_writes;
    out->limits_reads = o->limits_reads;
    return KEN_OK;
}

ken_status ken_sandbox_enter(const ken_sandbox_opts *opts, ken_sandbox *out, ken_err *err)
{
    ken_sandbox done = { 0 };
    // Both need it: otherwise a program with more rights than we have could be confused by them.
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return KEN_FAIL_ERRNO(err, errno, "sandbox: giving up new rights");
    ken_status st = enter_landlock(opts, &done, err);
    if (!st)
        st = ken_sandbox__deny_calls(&done.denies_calls, err);
    if (!st)
        *out = done;
    return st;
}
