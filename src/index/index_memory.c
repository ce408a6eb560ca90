// SPDX-License-Identifier: MIT
// Divides the memory limit of a run; explains why a run has found no files.
#include "index/index_priv.h"

index_memory ken_index__split_memory(uint64_t limit, uint64_t held)
{
    limit = limit ? limit : INDEX_MEMORY_DEFAULT;
    uint64_t rest = limit > held ? limit - held : 0;
    if (rest < INDEX_MEMORY_LEAST)
        rest = limit < INDEX_MEMORY_LEAST ? limit : INDEX_MEMORY_LEAST;
    uint64_t n_workers = rest / 2 / INDEX_WORKER_BYTES;
    // Builders double their arrays when they grow, and sorting needs a part of them again.
    return (index_memory){
        .limit = limit,
        .builders = rest / 8,
        .in_work = rest / 4,
        .identifiers = rest / 8,
        .kept = rest / 16,
        .n_workers = n_workers ? (uint32_t)(n_workers < UINT16_MAX ? n_workers : UINT16_MAX) : 1
    };
}

uint64_t ken_index__memory_needed(uint64_t held, uint64_t largest_file)
{
    uint64_t parse = largest_file * INDEX_PARSE_FACTOR, share = INDEX_MEMORY_LEAST / 4;
    return held + INDEX_MEMORY_LEAST + (parse > share ? parse - share : 0);
}

uint64_t ken_index_map_bytes(uint64_t memory_limit)
{
    return (memory_limit ? memory_limit : INDEX_MEMORY_DEFAULT) / 8;
}

uint64_t ken_index_cache_bytes(uint64_t memory_limit)
{
    uint64_t share = (memory_limit ? memory_limit : INDEX_MEMORY_DEFAULT) / 16;
    return share < INDEX_CACHE_MOST ? share : INDEX_CACHE_MOST;
}

ken_str ken_index_memory_note(const ken_index_report *r, ken_arena *arena)
{
    if (r->memory_needed <= r->memory_limit)
        return KEN_STR("");
    const unsigned mib = 1 << 20;
    return ken_arena_printf(arena,
                            "%llu MiB of memory are too little for these files, which take about "
                            "%llu MiB: raise --memory-limit (indexing.memory_limit)",
                            (unsigned long long)(r->memory_limit / mib),
                            (unsigned long long)((r->memory_needed + mib - 1) / mib));
}

bool ken_index__is_outgrown(uint64_t made_for, uint64_t next)
{
    return made_for > INDEX_LARGE_FILE || (made_for > INDEX_MEDIUM_FILE && next < made_for / 4);
}

// ---- an empty index ----------------------------------------------------------------------------

static void put_counts(const ken_index_report *r, ken_buf *b)
{
    const char *before = ": ";
    for (int i = 1; i < KEN_SKIP_COUNT; i++) {
        if (!r->skips[i])
            continue;
        ken_buf_printf(b, "%s%llu %s (%s)", before, (unsigned long long)r->skips[i],
                       ken_skip_word((ken_skip_reason)i), ken_skip_text((ken_skip_reason)i));
        before = ", ";
    }
}

ken_str ken_index_empty_note(const ken_index_report *r, const ken_index_opts *opts,
                             ken_arena *arena)
{
    if (r->n_files)
        return KEN_STR("");
    int most = KEN_SKIP_NONE;
    for (int i = 1; i < KEN_SKIP_COUNT; i++)
        if (r->skips[i] > r->skips[most])
            most = i;
    ken_buf b = KEN_BUF_INIT(0);
    ken_buf_puts(&b, "no file was indexed");
    put_counts(r, &b);
    if (opts->scan.n_include && !r->n_skipped)
        ken_buf_puts(&b,
                     "; no file matches what is included: check --include and indexing.include");
    else if (most == KEN_SKIP_IGNORED)
        ken_buf_puts(&b, "; change the patterns of .gitignore or --exclude that hide them, or "
                         "'git add -f' the files: what git tracks is indexed");
    else if (most == KEN_SKIP_TOO_LARGE)
        ken_buf_puts(&b, "; raise --max-file-size to index them");
    else if (r->n_skipped)
        ken_buf_puts(&b, "; 'ken status --skipped' lists them");
    else
        ken_buf_puts(&b, ": the folder has no files");
    ken_str note = ken_arena_dup(arena, ken_buf_str(&b));
    ken_buf_release(&b);
    return note;
}
