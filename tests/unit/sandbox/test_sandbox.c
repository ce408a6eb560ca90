// SPDX-License-Identifier: MIT
// A child gives up what it does not need and then tries each of it. It is a child because nobody gets
// out of the sandbox again.
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ktest.h"
#include "sandbox/sandbox.h"

enum {
    CANNOT_ENTER = 254,
    LANDLOCK_NET = 4, // the version that knows of ports
};

typedef int attempt_fn(void); // 0 = it went well, else errno

static ken_sandbox_opts limits;
static const char *in_writable, *in_closed, *to_closed, *program;

// What `attempt` gives in a sandbox of `limits`.
static int inside(attempt_fn *attempt)
{
    int status = 0;
    pid_t pid = fork();
    if (!pid) {
        ken_sandbox done;
        _exit(ken_sandbox_enter(&limits, &done, NULL) ? CANNOT_ENTER : attempt());
    }
    kt_eq_i(waitpid(pid, &status, 0), pid);
    kt_true(WIFEXITED(status));
    kt_true(WEXITSTATUS(status) != CANNOT_ENTER);
    return WEXITSTATUS(status);
}

// The same without a sandbox: that the attempt means something.
static int outside(attempt_fn *attempt)
{
    int status = 0;
    pid_t pid = fork();
    if (!pid)
        _exit(attempt());
    kt_eq_i(waitpid(pid, &status, 0), pid);
    kt_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void need_landlock(void)
{
    if (!ken_sandbox_landlock())
        kt_skip("landlock", "this kernel has no Landlock");
}

// ---- files -------------------------------------------------------------------------------------

static int make_file(const char *path)
{
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    int e = fd < 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    return e;
}

static int make_in_writable(void)
{
    char path[600];
    snprintf(path, sizeof path, "%s.new", in_writable);
    int e = make_file(path);
    return e ? e : rename(path, in_writable) ? errno : 0;
}

static int make_in_closed(void)
{
    char path[600];
    snprintf(path, sizeof path, "%s.new", in_closed);
    int e = make_file(path);
    (void)unlink(path);
    return e;
}

static int change_closed(void)
{
    int fd = open(in_closed, O_WRONLY | O_APPEND | O_CLOEXEC);
    return fd < 0 ? errno : 0;
}

static int remove_and_restore_closed(void)
{
    char path[600];
    snprintf(path, sizeof path, "%s.gone", in_closed);
    if (rename(in_closed, path))
        return errno;
    return rename(path, in_closed) ? errno : 0;
}

static int change_through_link(void)
{
    int fd = open(to_closed, O_WRONLY | O_APPEND | O_CLOEXEC);
    return fd < 0 ? errno : 0;
}

static int read_closed(void)
{
    char c;
    int fd = open(in_closed, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? errno : read(fd, &c, 1) == 1 ? 0 : EIO;
}

static int write_to_null(void)
{
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    return fd < 0 ? errno : 0;
}

static int make_folder_beside(void)
{
    char path[600];
    snprintf(path, sizeof path, "%s.folder", in_closed);
    int e = mkdir(path, 0700) ? errno : 0;
    (void)rmdir(path);
    return e;
}

static int run_shell(void); // below, with the other programs

static void prepare(void)
{
    static const char *writable[1], *own[1];
    in_writable = ktest_write("open/file", "a");
    in_closed = ktest_write("closed/file", "a");
    to_closed = ktest_path("open/link");
    program = ktest_write("closed/program", "#!/bin/sh\nexit 0\n");
    ktest_write("own/program", "#!/bin/sh\nexit 0\n");
    kt_false(symlink(in_closed, to_closed));
    kt_false(chmod(program, 0700));
    kt_false(chmod(ktest_path("own/program"), 0700));
    writable[0] = ktest_path("open");
    own[0] = ktest_path("own");
    limits = (ken_sandbox_opts){ .execute = { own, 1 },
                                 .limits_writes = true,
                                 .write = { writable, 1 } };
}

KEN_TEST(files_are_changed_in_the_folders_that_are_named_only)
{
    static attempt_fn *const denied[] = { make_in_closed, change_closed, remove_and_restore_closed,
                                          change_through_link, make_folder_beside };
    static attempt_fn *const allowed[] = { make_in_writable, read_closed, write_to_null };
    need_landlock();
    prepare();
    for (size_t i = 0; i < sizeof denied / sizeof *denied; i++) {
        kt_eq_i(outside(denied[i]), 0);
        kt_eq_i(inside(denied[i]), EACCES);
    }
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        kt_eq_i(inside(allowed[i]), 0);
}

KEN_TEST(files_are_read_in_the_folders_that_are_named_only)
{
    static const char *readable[1];
    need_landlock();
    prepare();
    limits.limits_reads = true;
    kt_eq_i(outside(read_closed), 0);
    kt_eq_i(inside(read_closed), EACCES);
    kt_eq_i(inside(make_in_writable), 0);
    kt_eq_i(inside(run_shell), 0); // with its libraries
    readable[0] = ktest_path("closed");
    limits.read = (ken_sandbox_paths){ readable, 1 };
    kt_eq_i(inside(read_closed), 0);
    kt_eq_i(inside(change_closed), EACCES);
}

KEN_TEST(without_the_limit_files_are_changed_and_moved_anywhere)
{
    prepare();
    limits.limits_writes = false;
    kt_eq_i(inside(make_in_closed), 0);
    kt_eq_i(inside(change_through_link), 0);
    kt_eq_i(inside(remove_and_restore_closed), 0);
}

KEN_TEST(a_folder_that_is_not_there_is_passed_over)
{
    need_landlock();
    prepare();
    static const char *paths[2];
    paths[0] = "/no/such/folder";
    paths[1] = limits.write.ptr[0];
    limits.write = (ken_sandbox_paths){ paths, 2 };
    kt_eq_i(inside(make_in_writable), 0);
    kt_eq_i(inside(make_in_closed), EACCES);
}

// ---- programs ----------------------------------------------------------------------------------

static int run(const char *path)
{
    execl(path, path, "-c", "exit 0", (char *)NULL);
    return errno;
}

static int run_shell(void)
{
    return run("/bin/sh");
}

static int run_own(void)
{
    char path[600];
    snprintf(path, sizeof path, "%s/program", limits.execute.ptr[0]);
    return run(path);
}

static int run_program(void)
{
    return run(program);
}

// Whoever may write a file there must not be able to start it.
static int run_what_was_written(void)
{
    int e = make_in_writable();
    return e ? e : chmod(in_writable, 0700) ? errno : run(in_writable);
}

KEN_TEST(programs_of_the_system_are_started_and_no_others)
{
    need_landlock();
    prepare();
    kt_eq_i(outside(run_program), 0);
    kt_eq_i(inside(run_program), EACCES);
    kt_eq_i(inside(run_what_was_written), EACCES);
    kt_eq_i(inside(run_shell), 0);
    kt_eq_i(inside(run_own), 0);
}

// ---- ports -------------------------------------------------------------------------------------

static int take_port(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return bind(fd, (const struct sockaddr *)&at, sizeof at) ? errno : 0;
}

static int listen_anywhere(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return listen(fd, 1) ? errno : 0;
}

KEN_TEST(no_port_is_taken)
{
    if (ken_sandbox_landlock() < LANDLOCK_NET)
        kt_skip("landlock", "this kernel's Landlock knows no ports");
    prepare();
    kt_eq_i(outside(take_port), 0);
    kt_eq_i(inside(take_port), EACCES);
}

// ---- system calls ------------------------------------------------------------------------------

static struct {
    const char *name;
    long number;
} call;

// Arguments that make it fail at once where it is allowed.
static int make_call(void)
{
    return syscall(call.number, -1L, -1L, -1L, -1L, -1L, -1L) < 0 ? errno : 0;
}

static int share_nothing(void)
{
    return syscall(SYS_unshare, 0) ? errno : 0;
}

static bool has_filter(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
    ken_sandbox done = { 0 };
    int status = 0;
    pid_t pid = fork();
    if (!pid)
        _exit(ken_sandbox_enter(&limits, &done, NULL) || !done.denies_calls);
    kt_eq_i(waitpid(pid, &status, 0), pid);
    return status == 0;
#else
    return false;
#endif
}

KEN_TEST(calls_of_the_list_are_refused)
{
    static const struct {
        const char *name;
        long number;
    } calls[] = {
        { "mount", SYS_mount },
        { "umount2", SYS_umount2 },
        { "pivot_root", SYS_pivot_root },
        { "chroot", SYS_chroot },
        { "setns", SYS_setns },
        { "unshare", SYS_unshare },
        { "process_vm_readv", SYS_process_vm_readv },
        { "process_vm_writev", SYS_process_vm_writev },
        { "bpf", SYS_bpf },
        { "perf_event_open", SYS_perf_event_open },
        { "userfaultfd", SYS_userfaultfd },
        { "finit_module", SYS_finit_module },
        { "kexec_load", SYS_kexec_load },
        { "keyctl", SYS_keyctl },
        { "open_by_handle_at", SYS_open_by_handle_at },
        { "listen", SYS_listen },
    };
    prepare();
    if (!has_filter())
        kt_skip("seccomp", "system calls cannot be filtered here");
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        call.name = calls[i].name;
        call.number = calls[i].number;
        if (inside(make_call) != EPERM)
            kt_fail("%s: not refused", call.name);
    }
    kt_eq_i(outside(share_nothing), 0);
    kt_eq_i(inside(share_nothing), EPERM);
    kt_eq_i(outside(listen_anywhere), 0);
    kt_eq_i(inside(listen_anywhere), EPERM);
}

// ---- what is said of it ------------------------------------------------------------------------

static int says_what_holds(void)
{
    ken_sandbox done;
    char text[4096] = "";
    if (ken_sandbox_enter(&limits, &done, NULL))
        return 1;
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, text, sizeof text - 1) <= 0)
        return 2;
    if (!strstr(text, "NoNewPrivs:\t1"))
        return 3;
    if (done.denies_calls != (strstr(text, "Seccomp:\t2") != NULL))
        return 4;
    return done.landlock == ken_sandbox_landlock() &&
                   done.limits_execution == (done.landlock > 0) &&
                   done.limits_writes == (done.landlock > 0)
               ? 0
               : 5;
}

KEN_TEST(the_report_says_what_holds)
{
    prepare();
    kt_eq_i(outside(says_what_holds), 0);
}
