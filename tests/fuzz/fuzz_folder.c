// SPDX-License-Identifier: MIT
// fuzz_folder -- small files that ken reads itself in a folder that somebody else made. The first
// byte: 1 = .git is a file. Then texts with NULs between them: .git/HEAD (or .git itself),
// packed-refs, commondir, the branch that HEAD mostly names, and the settings of rules in .rag.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/fs.h"
#include "rulebook/rulebook_config.h"
#include "scan/scan.h"
#include "scan/scan_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    IS_FILE = 1,
    INPUT_MAX = 1 << 15
};

// .git is made anew for each input.
static const char *const names[] = { ".git/HEAD", ".git/packed-refs", ".git/commondir",
                                     ".git/refs/heads/main", ".rag/config.json" };
enum {
    N_NAMES = sizeof names / sizeof *names
};

static char dir[64];

static void path_of(const char *name, char out[128])
{
    snprintf(out, 128, "%s/%s", dir, name);
}

static void remove_all(void)
{
    static const char *const folders[] = {
        ".git/refs/heads", ".git/refs", ".git/objects", ".git", ".rag", ""
    };
    char path[128];
    path_of(".git", path);
    (void)unlink(path);
    for (size_t i = 0; i < N_NAMES; i++) {
        path_of(names[i], path);
        (void)unlink(path);
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        path_of(folders[i], path);
        (void)rmdir(path);
    }
}

static void make_folder(const char *name)
{
    char path[128];
    path_of(name, path);
    KEN_ASSERT(!ken_fs_make_dirs(path, 0700, NULL));
}

static void write_text(const char *name, ken_str text)
{
    char path[128];
    path_of(name, path);
    FILE *f = fopen(path, "wb");
    KEN_ASSERT(f && fwrite(text.ptr, 1, text.len, f) == text.len);
    KEN_ASSERT(fclose(f) == 0);
}

static void fill(unsigned flags, ken_str input)
{
    ken_str text;
    make_folder(".rag");
    if (!(flags & IS_FILE)) {
        make_folder(".git/refs/heads");
        make_folder(".git/objects");
    }
    for (size_t i = 0; i < N_NAMES && ken_str_split_next(&input, '\0', &text); i++) {
        bool is_of_git = i + 1 < N_NAMES;
        if (!(flags & IS_FILE))
            write_text(names[i], text);
        else if (!i || !is_of_git)
            write_text(i ? names[i] : ".git", text);
    }
}

static void read_git(ken_arena *arena)
{
    scan_git git;
    ken_str head = KEN_STR(""), branch = KEN_STR("");
    if (ken_scan__git_find(arena, ken_str_c(dir), &git))
        ken_scan__git_head(arena, &git, &head, &branch);
    KEN_ASSERT(!head.len || head.len == 40 || head.len == 64);
    KEN_ASSERT(ken_str_find(branch, KEN_STR("..")) == SIZE_MAX);
    KEN_ASSERT(ken_str_eq(ken_scan_head(ken_str_c(dir), arena), head));
}

static void read_rules(ken_arena *arena)
{
    ken_err err = { 0 };
    ken_rulebook_config c = { 0 };
    if (ken_rulebook_read_config(ken_str_c(dir), arena, &c, &err)) {
        KEN_ASSERT(err.msg[0]);
        return;
    }
    KEN_ASSERT(c.default_results >= 1 && c.max_results >= 1);
    for (size_t i = 0; i < c.n_weights; i++)
        KEN_ASSERT(c.weights[i].part.len && c.weights[i].weight >= 0 &&
                   c.weights[i].weight <= 1000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!dir[0]) {
        bool has_memory = !access("/dev/shm", W_OK | X_OK);
        snprintf(dir, sizeof dir, "%s/ken-fuzz-XXXXXX", has_memory ? "/dev/shm" : "/tmp");
        KEN_ASSERT(mkdtemp(dir));
        KEN_ASSERT(!atexit(remove_all));
    }
    if (!size || size > INPUT_MAX)
        return 0;
    ken_arena arena;
    ken_arena_init(&arena, 0);
    remove_all();
    KEN_ASSERT(!ken_fs_make_dirs(dir, 0700, NULL));
    fill(data[0], ken_str_n((const char *)data + 1, size - 1));
    read_git(&arena);
    read_rules(&arena);
    ken_arena_release(&arena);
    return 0;
}
