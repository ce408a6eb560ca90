// SPDX-License-Identifier: MIT
// The system calls that ken and git never need. A list of what is denied, not of what is allowed:
// libraries and kernels learn new calls, and a server must not break because of one. The kernel keeps
// a map of calls that are always allowed, so the filter costs the others nothing.
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/sandbox_priv.h"

#if defined(__x86_64__)
#define CALLS_ARCH  AUDIT_ARCH_X86_64
#define CALLS_OTHER 0x40000000U // numbers of another convention (x32) begin here
#elif defined(__aarch64__)
#define CALLS_ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef CALLS_ARCH

#if defined(__SANITIZE_ADDRESS__)
#define CALLS_LEAK_CHECK
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CALLS_LEAK_CHECK
#endif
#endif

static const unsigned denied[] = {
#ifndef CALLS_LEAK_CHECK // which traces its own process
    SYS_ptrace,
#endif
    SYS_listen,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    // mounting, roots, namespaces
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_setns,
    SYS_unshare,
#ifdef SYS_move_mount
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
#endif
#ifdef SYS_mount_setattr
    SYS_mount_setattr,
#endif
    // the kernel itself
    SYS_kexec_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_quotactl,
    SYS_syslog,
    SYS_vhangup,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#ifdef SYS_iopl
    SYS_iopl,
    SYS_ioperm,
#endif
#ifdef SYS_io_uring_setup
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
#endif
    // keys, clocks, names, files by number, descriptors of others
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_clock_adjtime,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_open_by_handle_at,
#ifdef SYS_pidfd_getfd
    SYS_pidfd_getfd,
#endif
};

enum {
    N_DENIED = sizeof denied / sizeof *denied,
    FILTER_MAX = 8 + 2 * N_DENIED
};

ken_status ken_sandbox__deny_calls(bool *out_is_on, ken_err *err)
{
    struct sock_filter f[FILTER_MAX];
    const struct sock_filter deny = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    unsigned short n = 0;
    f[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CALLS_ARCH, 1, 0);
    f[n++] = deny;
    f[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
#ifdef CALLS_OTHER
    f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, CALLS_OTHER, 0, 1);
    f[n++] = deny;
#endif
    for (size_t i = 0; i < N_DENIED; i++) {
        f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, denied[i], 0, 1);
        f[n++] = deny;
    }
    f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = { .len = n, .filter = f };
    // Before Linux 5.16 a filter slowed all code down, against leaks between programs of one process,
    // which a process without foreign code has no use for.
    const unsigned flags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
    long r = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
    if (r > 0) // the thread that could not follow
        return KEN_FAIL(err, KEN_EINTERNAL, "sandbox: thread %ld has a filter of its own", r);
    // A container may refuse filters of those inside, as it may have no Landlock.
    if (r && errno != ENOSYS && errno != EINVAL && errno != EPERM && errno != EACCES)
        return KEN_FAIL_ERRNO(err, errno, "sandbox: filtering system calls");
    *out_is_on = !r;
    return KEN_OK;
}

#else

ken_status ken_sandbox__deny_calls(bool *out_is_on, ken_err *err)
{
    (void)err;
    *out_is_on = false;
    return KEN_OK;
}

#endif
