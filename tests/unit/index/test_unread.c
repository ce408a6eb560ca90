// SPDX-License-Identifier: MIT
// A file that cannot be opened is not one that is gone.
#include <sys/resource.h>

#include "unit/index/index_lab.h"

static index_lab l;

static void start_two(void)
{
    lab_start(&l);
    lab_write(&l, "lib.c", "int work_once(int n)\n{\n    return n;\n}\n");
    lab_write(&l, "use.c",
              "int work_once(int);\nint use_it(void)\n{\n    return work_once(1);\n}\n");
    lab_run(&l);
}

// From here on the process gets no further descriptor.
static void take_descriptors(struct rlimit *before)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    kt_true(fd >= 0);
    kt_eq_i(close(fd), 0);
    kt_eq_i(getrlimit(RLIMIT_NOFILE, before), 0);
    struct rlimit none = { (rlim_t)fd, before->rlim_max };
    kt_eq_i(setrlimit(RLIMIT_NOFILE, &none), 0);
}

KEN_TEST(x10_a_run_without_descriptors_keeps_the_index)
{
    struct rlimit before;
    start_two();
    uint64_t generation = lab_generation(&l);
    lab_write(&l, "use.c", "int use_it(void)\n{\n    return 2;\n}\n");
    take_descriptors(&before);
    ken_status st = lab_try(&l, NULL);
    kt_eq_i(setrlimit(RLIMIT_NOFILE, &before), 0);
    kt_true(st != KEN_OK);
    kt_eq_u(lab_generation(&l), generation);
    lab_run(&l);
    kt_eq_u(l.report.n_files, 2);
    kt_eq_u(l.report.n_modified, 1);
    lab_end(&l);
}
