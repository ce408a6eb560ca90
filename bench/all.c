// SPDX-License-Identifier: MIT
// All benchmarks are one program, which is linked and optimised once: it runs the one it was called as, bench_<name>.
#include <string.h>

#include "bench.h"

#define X(name) int bench_##name##_main(int argc, char **argv);
#include "bench_list.h"
#undef X

static const struct {
    const char *name;
    int (*main)(int argc, char **argv);
} benches[] = {
#define X(name) { "bench_" #name, bench_##name##_main },
#include "bench_list.h"
#undef X
};

int main(int argc, char **argv)
{
    const char *slash = argc ? strrchr(argv[0], '/') : NULL;
    const char *name = slash ? slash + 1 : argc ? argv[0] : "";
    for (size_t i = 0; i < sizeof benches / sizeof benches[0]; i++)
        if (!strcmp(benches[i].name, name))
            return benches[i].main(argc, argv);
    bench_die("'%s' is no benchmark; call it as bench_<name>, the links beside it", name);
}
