// SPDX-License-Identifier: MIT
// fuzz_gitlist -- lists that git prints for a repository that somebody else made: ls-files with
// NULs, status and blame with lines.
#include <stdint.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/utf8.h"
#include "history/history_priv.h"
#include "scan/scan_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    MAX_DIRTY = 20
};

// Whether opening it below a folder stays below that folder.
static bool is_inside(ken_str path)
{
    ken_str part;
    if (!path.len || path.ptr[0] == '/')
        return false;
    while (ken_str_split_next(&path, '/', &part))
        if (ken_str_eq_c(part, "..") || ken_str_eq_c(part, ".git"))
            return false;
    return true;
}

static void read_files(ken_str text)
{
    scan_candidates c = { 0 };
    ken_scan__git_parse_list(text, &c);
    for (size_t i = 0; i < c.len; i++) {
        KEN_ASSERT(is_inside(c.ptr[i].path));
        KEN_ASSERT(ken_str_find_char(c.ptr[i].path, '\0') == SIZE_MAX);
        KEN_ASSERT(!i || ken_str_cmp(c.ptr[i - 1].path, c.ptr[i].path) < 0);
        (void)ken_scan__is_bad_name(c.ptr[i].path);
        (void)ken_scan__judge_name(c.ptr[i].path, true, false);
    }
    ken_free(c.ptr);
}

static void feed(void (*on_line)(void *ctx, ken_str line), void *ctx, ken_str text)
{
    history_lines lines;
    ken_history__lines_init(&lines, on_line, ctx);
    for (size_t at = 0; at < text.len; at += 7)
        ken_history__lines_add(&lines, ken_str_sub(text, at, at + 7));
    ken_history__lines_end(&lines);
    ken_history__lines_release(&lines);
}

static void read_status(ken_str text)
{
    ken_arena arena;
    history_state_job j = { .arena = &arena };
    ken_work_state state;
    ken_arena_init(&arena, 0);
    feed(ken_history__state_line, &j, text);
    ken_history__state_finish(&j, MAX_DIRTY, &state);
    KEN_ASSERT(state.n_dirty <= MAX_DIRTY && state.n_dirty <= state.n_dirty_all);
    KEN_ASSERT(!state.commit.len || ken_is_object_id(state.commit));
    KEN_ASSERT(ken_utf8_is_valid(state.branch));
    for (size_t i = 0; i < state.n_dirty; i++) {
        KEN_ASSERT(ken_history__is_path(state.dirty[i]));
        KEN_ASSERT(!i || ken_str_cmp(state.dirty[i - 1], state.dirty[i]) <= 0);
    }
    ken_vec_release(&j.paths);
    ken_arena_release(&arena);
}

static void read_blame(ken_str text)
{
    ken_arena arena;
    history_blame b;
    ken_history_touches t = { 0 };
    ken_arena_init(&arena, 0);
    ken_history__blame_init(&b, &arena);
    feed(ken_history__blame_line, &b, text);
    ken_history__blame_finish(&b, &t);
    KEN_ASSERT(t.n_touches <= t.n_commits);
    for (size_t i = 0; i < t.n_touches; i++) {
        const ken_history_commit *c = &t.touches[i].commit;
        KEN_ASSERT(ken_is_object_id(c->id) && t.touches[i].n_lines);
        KEN_ASSERT(ken_utf8_is_valid(c->author) && ken_utf8_is_valid(c->subject));
        KEN_ASSERT(!i || t.touches[i - 1].commit.time_s >= c->time_s);
    }
    ken_history__blame_release(&b);
    ken_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ken_str text = ken_str_n((const char *)data, size);
    read_files(text);
    read_status(text);
    read_blame(text);
    return 0;
}
