// SPDX-License-Identifier: MIT
// The incremental scan: the watcher has named the changed files, so only these are examined.
//
// A file of the last scan is classified again by its name and stat; git still lists it, because a change of
// the files that decide this (ignore rules, git's own files) makes the watcher forget the scan. For a new
// name git is asked by name. Everything else (folders, names in a folder without files, very many
// names, other options) needs a whole scan.
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/path.h"
#include "base/sorted.h"
#include "base/utf8.h"
#include "scan/scan_priv.h"

enum {
    MAX_TOLD = 1024,      // names; more are a whole scan
    MAX_NEW = 128,        // that git is asked for: arguments of one process
    WORN_BYTES = 1 << 20, // of names that came since
};

struct ken_scan_memory {
    ken_arena arena; // of the paths below, and of what was told
    ken_map told;
    uint64_t key; // of what the result depends on beside the folder
    bool is_held;
    uint64_t held_bytes;    // of the arena, when it was filled
    ken_scan_result result; // its lists are the two vectors
    scan_file_vec files;
    scan_skip_vec skips;
};

ken_scan_memory *ken_scan_memory_new(void)
{
    ken_scan_memory *m = ken_zalloc(sizeof *m);
    ken_arena_init(&m->arena, 0);
    ken_map_init(&m->told);
    return m;
}

void ken_scan_memory_free(ken_scan_memory *m)
{
    if (!m)
        return;
    ken_vec_release(&m->files);
    ken_vec_release(&m->skips);
    ken_map_release(&m->told);
    ken_arena_release(&m->arena);
    ken_free(m);
}

static void forget_told(ken_scan_memory *m)
{
    ken_map_release(&m->told);
    ken_map_init(&m->told);
}

void ken_scan_memory_forget(ken_scan_memory *m)
{
    m->is_held = false;
    ken_vec_release(&m->files);
    ken_vec_release(&m->skips);
    forget_told(m);
    ken_arena_reset(&m->arena);
}

void ken_scan_memory_tell(ken_scan_memory *m, ken_str path)
{
    if (!m->is_held)
        return;
    bool is_worn = m->arena.used_bytes > 2 * m->held_bytes + WORN_BYTES;
    if (is_worn || m->told.len >= MAX_TOLD ||
        !ken_utf8_is_valid(path)) // such a name is told repaired
        ken_scan_memory_forget(m);
    else
        (void)ken_map_put(&m->told, path, 1, NULL);
}

// ---- what a result depends on ------------------------------------------------------------------

static uint64_t add_text(uint64_t key, ken_str s)
{
    uint64_t parts[2] = { key, ken_hash_str(s) };
    return ken_hash64(parts, sizeof parts);
}

static uint64_t add_number(uint64_t key, uint64_t n)
{
    uint64_t parts[2] = { key, n };
    return ken_hash64(parts, sizeof parts);
}

static uint64_t key_of(const scan_job *job)
{
    const ken_scan_opts *o = job->opts;
    uint64_t key = add_text(1, job->root);
    key = add_number(key, o->n_include);
    for (size_t i = 0; i < o->n_include; i++)
        key = add_text(key, o->include[i]);
    for (size_t i = 0; i < o->n_exclude; i++)
        key = add_text(key, o->exclude[i]);
    key = add_number(key, job->max_file_bytes);
    key = add_number(key, o->wants_secrets * 4u + o->wants_ignored * 2u + o->without_git);
    key = add_text(key, o->own_dir);
    return add_text(key, ken_str_c(o->home ? o->home : ""));
}

// ---- keeping -----------------------------------------------------------------------------------

static void copy_result(ken_scan_memory *m, const ken_scan_result *r)
{
    m->result = *r;
    m->result.git_head = ken_arena_dup(&m->arena, r->git_head);
    m->result.git_branch = ken_arena_dup(&m->arena, r->git_branch);
    ken_vec_reserve(&m->files, r->n_files + 1);
    for (size_t i = 0; i < r->n_files; i++) {
        ken_scan_file f = { ken_arena_dup(&m->arena, r->files[i].path), r->files[i].stamp };
        ken_vec_push(&m->files, f);
    }
    for (size_t i = 0; i < r->n_skips; i++) {
        ken_scan_skip s = r->skips[i];
        s.path = ken_arena_dup(&m->arena, s.path);
        ken_vec_push(&m->skips, s);
    }
}

void ken_scan__remember(const scan_job *job, const ken_scan_result *r)
{
    ken_scan_memory *m = job->opts->memory;
    ken_scan_memory_forget(m);
    if (job->opts->wants_ignored) // git would have to be asked for these, too
        return;
    copy_result(m, r);
    m->key = key_of(job);
    m->held_bytes = m->arena.used_bytes;
    m->is_held = true;
}

// ---- looking again -----------------------------------------------------------------------------

static size_t file_at(const ken_scan_memory *m, ken_str path)
{
    return ken_first_str(m->files.ptr, m->files.len, sizeof *m->files.ptr, path);
}

static size_t skip_at(const ken_scan_memory *m, ken_str path)
{
    return ken_first_str(m->skips.ptr, m->skips.len, sizeof *m->skips.ptr, path);
}

static const ken_str *find_file(const ken_scan_memory *m, ken_str path)
{
    size_t at = file_at(m, path);
    bool is_found = at < m->files.len && ken_str_eq(m->files.ptr[at].path, path);
    return is_found ? &m->files.ptr[at].path : NULL;
}

static const ken_str *find_skip(const ken_scan_memory *m, ken_str path)
{
    size_t at = skip_at(m, path);
    bool is_found = at < m->skips.len && ken_str_eq(m->skips.ptr[at].path, path);
    return is_found ? &m->skips.ptr[at].path : NULL;
}

static bool is_in_skipped_folder(const ken_scan_memory *m, ken_str path)
{
    for (size_t i = 0; i < path.len; i++)
        if (path.ptr[i] == '/' && find_skip(m, ken_str_sub(path, 0, i + 1)))
            return true;
    return false;
}

// The folder of a path whose files were found was judged good, with those above it.
static bool is_in_known_folder(const ken_scan_memory *m, ken_str path)
{
    ken_str dir = ken_path_dir(path);
    if (!dir.len)
        return true;
    ken_str front = ken_str_sub(path, 0, dir.len + 1); // with its '/'
    size_t at = file_at(m, front);
    return at < m->files.len && ken_str_starts(m->files.ptr[at].path, front);
}

static void drop_known(ken_scan_memory *m, ken_str path)
{
    size_t at = file_at(m, path);
    if (at < m->files.len && ken_str_eq(m->files.ptr[at].path, path)) {
        m->files.len--;
        memmove(m->files.ptr + at, m->files.ptr + at + 1,
                (m->files.len - at) * sizeof *m->files.ptr);
        return;
    }
    at = skip_at(m, path);
    m->skips.len--;
    memmove(m->skips.ptr + at, m->skips.ptr + at + 1, (m->skips.len - at) * sizeof *m->skips.ptr);
}

static void add_file(ken_scan_memory *m, ken_scan_file f)
{
    size_t at = file_at(m, f.path);
    ken_vec_push(&m->files, f);
    memmove(m->files.ptr + at + 1, m->files.ptr + at,
            (m->files.len - 1 - at) * sizeof *m->files.ptr);
    m->files.ptr[at] = f;
}

static void add_skip(ken_scan_memory *m, ken_scan_skip s)
{
    size_t at = skip_at(m, s.path);
    ken_vec_push(&m->skips, s);
    memmove(m->skips.ptr + at + 1, m->skips.ptr + at,
            (m->skips.len - 1 - at) * sizeof *m->skips.ptr);
    m->skips.ptr[at] = s;
}

// Judges one name of a folder that was good. False when the folder cannot be opened.
static bool take_told(scan_job *job, ken_str path)
{
    int fd = ken_fs_open_dir_under(job->root_fd, ken_path_dir(path));
    if (fd < 0)
        return false;
    ken_scan__take(job, fd, path, false);
    ken_fs_close(fd);
    return true;
}

static bool is_there(const scan_job *job, ken_str path)
{
    char name[SCAN_MAX_PATH + 1];
    ken_fs_info info;
    if (path.len > SCAN_MAX_PATH)
        return true;
    memcpy(name, path.ptr, path.len);
    name[path.len] = '\0';
    return ken_fs_stat(job->root_fd, name, &info, NULL) != KEN_ENOTFOUND;
}

typedef KEN_VEC(ken_str) path_vec;

// Which of these git lists.
static bool take_new(scan_job *job, const path_vec *paths)
{
    scan_candidates list = { 0 };
    if (!paths->len)
        return true;
    if (paths->len > MAX_NEW || ken_scan__git_list_some(job, paths->ptr, paths->len, &list, NULL))
        return false;
    bool is_good = true;
    for (size_t i = 0; i < list.len && is_good; i++) {
        ken_str path = list.ptr[i].path;
        is_good = !ken_str_ends(path, KEN_STR("/")) &&
                  take_told(job, ken_arena_dup(&job->opts->memory->arena, path));
    }
    ken_free(list.ptr);
    return is_good;
}

// Whether --include spells out the path or a folder above it.
static bool is_spelt_out(const scan_job *job, ken_str path)
{
    for (; path.len; path = ken_path_dir(path))
        if (ken_scan__globs_spell(job->include, path) == SCAN_SPELT_ITSELF)
            return true;
    return false;
}

// Known files are examined again, under the memory's copy of their name; git decides about new
// ones.
static bool sort_told(const scan_job *job, ken_str path, path_vec *known, path_vec *unknown)
{
    const ken_scan_memory *m = job->opts->memory;
    const ken_str *own = find_file(m, path);
    own = own ? own : find_skip(m, path);
    if (own) {
        ken_vec_push(known, *own);
        return true;
    }
    if (is_in_skipped_folder(m, path) || !is_there(job, path))
        return true;
    ken_vec_push(unknown, path);
    if (is_spelt_out(job, path)) // git, who is asked, may ignore it
        return false;
    return !m->result.is_walked && is_in_known_folder(m, path);
}

static bool look_again(scan_job *job)
{
    ken_scan_memory *m = job->opts->memory;
    path_vec known = { 0 }, unknown = { 0 };
    bool is_good = true;
    for (size_t i = 0; i < m->told.n_slots && is_good; i++)
        if (m->told.slots[i].key.ptr)
            is_good = sort_told(job, m->told.slots[i].key, &known, &unknown);
    for (size_t i = 0; i < known.len && is_good; i++)
        is_good = take_told(job, known.ptr[i]);
    is_good = is_good && take_new(job, &unknown) && !job->fault.status;
    if (is_good) {
        for (size_t i = 0; i < known.len; i++)
            drop_known(m, known.ptr[i]);
        for (size_t i = 0; i < job->files.len; i++)
            add_file(m, job->files.ptr[i]);
        for (size_t i = 0; i < job->skips.len; i++)
            add_skip(m, job->skips.ptr[i]);
        forget_told(m);
    }
    ken_vec_release(&known);
    ken_vec_release(&unknown);
    return is_good;
}

bool ken_scan__again(scan_job *job, ken_scan_result *out)
{
    ken_scan_memory *m = job->opts->memory;
    if (!m || !m->is_held)
        return false;
    if (m->key != key_of(job) || !look_again(job)) {
        job->files.len = job->skips.len = 0;
        job->fault = (ken_err){ 0 };
        ken_scan_memory_forget(m);
        return false;
    }
    *out = m->result;
    out->git_head = ken_arena_dup(job->arena, m->result.git_head);
    out->git_branch = ken_arena_dup(job->arena, m->result.git_branch);
    out->n_files = m->files.len;
    out->n_skips = m->skips.len;
    out->files = ken_arena_copy(job->arena, m->files.ptr, out->n_files, sizeof *out->files);
    out->skips = ken_arena_copy(job->arena, m->skips.ptr, out->n_skips, sizeof *out->skips);
    return true;
}
