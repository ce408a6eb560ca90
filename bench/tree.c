// SPDX-License-Identifier: MIT
#include "tree.h"

#include "base/path.h"
#include "bench.h"
#include "index/index.h"
#include "store/store.h"

void bench_tree_open(const char *path, const char *database, unsigned n_jobs, ken_arena *arena,
                     bench_tree *out)
{
    ken_index_opts opts = { .n_jobs = n_jobs };
    ken_index_report report;
    ken_err err = { 0 };
    bench_check(ken_path_real(arena, ken_str_c(path), &out->root, &err), &err);
    bench_check(ken_store_open(&(ken_store_opts){ .path = database }, &out->store, &err), &err);
    bench_check(ken_index_run(out->store, out->root.ptr, &opts, NULL, arena, &report, &err), &err);
    out->reader = ken_reader_new(out->store);
    bench_check(ken_reader_pin(out->reader, &out->snapshot, &err), &err);
}

void bench_tree_close(bench_tree *t)
{
    ken_reader_unpin(t->reader);
    ken_reader_free(t->reader);
    ken_store_close(t->store);
}

bool bench_is_target(const json_t *targets, ken_str dir, ken_str path)
{
    if (!ken_str_starts(path, dir))
        return false;
    path = ken_str_sub(path, dir.len, path.len);
    for (size_t i = 0; i < json_array_size(targets); i++) {
        ken_str target = ken_str_c(json_string_value(json_array_get(targets, i)));
        size_t colon = ken_str_rfind_char(target, ':');
        if (ken_str_eq(target, path) || ken_str_eq(ken_str_sub(target, 0, colon), path))
            return true;
    }
    return false;
}
