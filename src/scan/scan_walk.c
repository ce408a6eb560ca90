// SPDX-License-Identifier: MIT
// Discovers files by walking the tree, where git cannot list them. Folders wait on a stack of ours, by
// name, so neither the depth of the tree nor the limit of open files matters; one folder is open at a
// time. Its entries are read first, because .gitignore and the marks of environments decide about their neighbours.
#include <dirent.h>
#include <errno.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "base/path.h"
#include "scan/scan_priv.h"

// The .gitignore files that hold in a folder, the nearest first.
typedef struct walk_rules {
    const struct walk_rules *above;
    const ken_ignore *patterns;
} walk_rules;

typedef struct walk_folder {
    ken_str path; // relative to the root, in the scratch arena
    const walk_rules *rules;
    // How --include spells out this folder, which ignore rules leave out: SCAN_SPELT_NOT = they do not.
    scan_spelt spelt;
} walk_folder;

typedef struct walk_entry {
    size_t name_at; // in `names`
    ken_fs_kind kind;
} walk_entry;

typedef struct walk {
    scan_job *job;
    const scan_git *git; // NULL outside of a work tree
    scan_excludes excludes;
    ken_str prefix; // of the root in the work tree: patterns are matched from the top
    KEN_VEC(walk_folder) stack;
    ken_buf names; // NUL-terminated, of the folder at hand
    KEN_VEC(walk_entry) entries;
    ken_buf path; // prefix, folder, entry
} walk;

// Properties of a folder that follow from its entries.
typedef struct walk_signs {
    bool has_git, has_marker, has_ignore, has_manifest;
    int n_bare; // of the four entries that make a bare repository
} walk_signs;

// ---- reading a folder -------------------------------------------------------------------------
static ken_fs_kind kind_of(int dir_fd, const struct dirent *d)
{
    ken_fs_info info;
    switch (d->d_type) {
    case DT_REG:
        return KEN_FS_FILE;
    case DT_DIR:
        return KEN_FS_DIR;
    case DT_LNK:
        return KEN_FS_LINK;
    case DT_UNKNOWN:
        return ken_fs_stat(dir_fd, d->d_name, &info, NULL) ? KEN_FS_OTHER : info.kind;
    default:
        return KEN_FS_OTHER;
    }
}

static void note_signs(walk_signs *s, ken_str name, ken_fs_kind kind)
{
    bool is_file = kind == KEN_FS_FILE;
    s->has_git |= ken_str_eq(name, KEN_STR(".git"));
    s->has_ignore |= is_file && ken_str_eq(name, KEN_STR(".gitignore"));
    s->has_marker |= is_file && ken_scan__is_marker(name);
    s->has_manifest |=
        is_file && (ken_str_eq(name, KEN_STR("Cargo.toml")) ||
                    ken_str_eq(name, KEN_STR("pom.xml")) || ken_str_eq(name, KEN_STR("build.sbt")));
    s->n_bare +=
        ken_str_eq(name, KEN_STR("HEAD")) || ken_str_eq(name, KEN_STR("config")) ||
        (!is_file && (ken_str_eq(name, KEN_STR("objects")) || ken_str_eq(name, KEN_STR("refs"))));
}

static walk_signs read_entries(walk *w, DIR *dir)
{
    walk_signs signs = { 0 };
    ken_buf_clear(&w->names);
    ken_vec_clear(&w->entries);
    const struct dirent *d;
    while ((d = readdir(dir)) != NULL) {
        ken_str name = ken_str_c(d->d_name);
        if (ken_str_eq(name, KEN_STR(".")) || ken_str_eq(name, KEN_STR("..")))
            continue;
        walk_entry e = { w->names.len, kind_of(dirfd(dir), d) };
        note_signs(&signs, name, e.kind);
        ken_buf_put(&w->names, name.ptr, name.len + 1);
        if (w->names.is_over)
            break;
        if (!ken_str_eq(name, KEN_STR(".git")))
            ken_vec_push(&w->entries, e);
    }
    return signs;
}

// ---- rules ------------------------------------------------------------------------------------
static const walk_rules *add_rules(walk *w, int dir_fd, ken_str dir, const walk_rules *above)
{
    ken_buf text = KEN_BUF_INIT(SCAN_MAX_IGNORE);
    ken_err err = { 0 };
    ken_status st = ken_fs_read(dir_fd, ".gitignore", SCAN_MAX_IGNORE, &text, NULL, &err);
    if (st == KEN_ENOMEM && !w->job->fault.status) // what it ignores must not be taken
        w->job->fault = err;
    if (!st) {
        walk_rules *rules = KEN_ARENA_NEW(&w->job->scratch, walk_rules);
        rules->above = above;
        rules->patterns = ken_ignore_parse(&w->job->scratch, dir, ken_buf_str(&text));
        above = rules;
    }
    ken_buf_release(&text);
    return above;
}

static bool is_ignored(const walk *w, const walk_rules *rules, ken_str path, bool is_dir)
{
    int verdict = 0;
    for (; rules && !verdict; rules = rules->above)
        verdict = ken_ignore_match(rules->patterns, path, is_dir);
    if (!verdict && w->excludes.repository)
        verdict = ken_ignore_match(w->excludes.repository, path, is_dir);
    if (!verdict && w->excludes.user)
        verdict = ken_ignore_match(w->excludes.user, path, is_dir);
    return verdict > 0;
}

// The files from the top of the work tree down to the root's parent. When they ignore the root
// itself, it was asked for all the same, and none of them decides about its entries.
static const walk_rules *rules_above_root(walk *w)
{
    const walk_rules *rules = NULL;
    for (size_t i = 0; i <= w->prefix.len && w->prefix.len; i++) {
        if (i && i < w->prefix.len && w->prefix.ptr[i] != '/')
            continue;
        ken_str dir = ken_str_sub(w->prefix, 0, i);
        if (i && is_ignored(w, rules, dir, true)) {
            w->excludes.user = w->excludes.repository = NULL;
            return NULL;
        }
        if (i == w->prefix.len)
            break;
        int fd;
        ken_str full = ken_path_join(&w->job->scratch, w->git->top, dir);
        if (ken_fs_open_dir(full.ptr, &fd, NULL))
            continue;
        rules = add_rules(w, fd, dir, rules);
        ken_fs_close(fd);
    }
    return rules;
}

// ---- the walk ---------------------------------------------------------------------------------
static void set_path(walk *w, ken_str folder)
{
    ken_buf_clear(&w->path);
    ken_buf_put_str(&w->path, w->prefix);
    if (w->prefix.len)
        ken_buf_putc(&w->path, '/');
    ken_buf_put_str(&w->path, folder);
    if (folder.len)
        ken_buf_putc(&w->path, '/');
}

static ken_str without_prefix(const walk *w, ken_str path)
{
    return ken_str_sub(path, w->prefix.len ? w->prefix.len + 1 : 0, path.len);
}

// The matched path, "sub/dir/name", as a path below the root in the results' arena.
static ken_str keep_path(walk *w, ken_str path, bool is_folder)
{
    path = without_prefix(w, path);
    return is_folder ? ken_arena_printf(w->job->arena, KEN_STR_FMT "/", KEN_STR_ARG(path))
                     : ken_arena_dup(w->job->arena, path);
}

// Whether the ignore rules leave out an entry of `f`, and *out how --include spells it out nevertheless.
static bool is_left_out(const walk *w, const walk_folder *f, ken_str path, bool is_dir,
                        scan_spelt *out)
{
    *out = f->spelt == SCAN_SPELT_ITSELF ? SCAN_SPELT_ITSELF : SCAN_SPELT_NOT;
    if (*out || (!f->spelt && !is_ignored(w, f->rules, path, is_dir)))
        return false;
    *out = ken_scan__globs_spell(w->job->include, without_prefix(w, path));
    return !(*out == SCAN_SPELT_ITSELF || (is_dir && *out));
}

static void visit_folder(walk *w, const walk_folder *in, ken_str path, bool may_be_output)
{
    ken_str below = without_prefix(w, path);
    scan_spelt spelt = SCAN_SPELT_NOT;
    // A walk for folders does not know what git tracks: one of output may hold files.
    ken_skip_reason reason =
        ken_scan__judge_folder(w->job, below, may_be_output && !w->job->is_for_folders);
    if (!reason && is_left_out(w, in, path, true, &spelt))
        reason = KEN_SKIP_IGNORED;
    if (reason) {
        ken_scan__skip(w->job, keep_path(w, path, true), reason);
        return;
    }
    walk_folder f = { ken_arena_dup(&w->job->scratch, below), in->rules, spelt };
    ken_vec_push(&w->stack, f);
}

static void visit_entries(walk *w, int dir_fd, const walk_folder *f, bool has_manifest)
{
    size_t base_len = w->path.len;
    scan_spelt spelt;
    for (size_t i = 0; i < w->entries.len; i++) {
        const char *name = w->names.ptr + w->entries.ptr[i].name_at;
        w->path.len = base_len;
        ken_buf_puts(&w->path, name);
        ken_str path = ken_buf_str(&w->path);
        if (w->entries.ptr[i].kind == KEN_FS_DIR)
            visit_folder(w, f, path, has_manifest || strcmp(name, "target") != 0);
        else if (!w->job->is_for_folders)
            ken_scan__take(w->job, dir_fd, keep_path(w, path, false),
                           is_left_out(w, f, path, false, &spelt));
    }
}

// NONE, or why a folder below the root is left after a look at its entries.
static ken_skip_reason judge_signs(const walk *w, const walk_signs *s)
{
    if (s->n_bare == 4 || (s->has_git && w->git))
        return KEN_SKIP_SUBMODULE;
    return s->has_marker ? KEN_SKIP_FOLDER : KEN_SKIP_NONE;
}

static void visit(walk *w, walk_folder f)
{
    ken_scan__watch(w->job, f.path);
    int fd = ken_fs_open_dir_under(w->job->root_fd, f.path);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir) {
        ken_skip_reason why = ken_scan__judge_errno(w->job, errno, f.path);
        ken_fs_close(fd);
        set_path(w, f.path);
        if (why && f.path.len)
            ken_scan__skip(w->job, keep_path(w, ken_str_n(w->path.ptr, w->path.len - 1), true),
                           why);
        return;
    }
    walk_signs signs = read_entries(w, dir);
    ken_skip_reason reason = f.path.len ? judge_signs(w, &signs) : KEN_SKIP_NONE;
    set_path(w, f.path);
    ken_str dir_path = ken_str_n(w->path.ptr, w->path.len ? w->path.len - 1 : 0);
    if (reason) {
        ken_scan__skip(w->job, keep_path(w, dir_path, true), reason);
    } else {
        if (signs.has_git && f.path.len)
            f.rules = NULL; // a repository of its own, below a root that is none
        if (signs.has_ignore)
            f.rules = add_rules(w, dirfd(dir), dir_path, f.rules);
        visit_entries(w, dirfd(dir), &f, signs.has_manifest);
    }
    closedir(dir);
}

static void release(walk *w)
{
    ken_scan__excludes_release(&w->excludes);
    ken_vec_release(&w->stack);
    ken_vec_release(&w->entries);
    ken_buf_release(&w->names);
    ken_buf_release(&w->path);
}

static ken_status visit_all(walk *w, walk_folder first, ken_err *err)
{
    ken_vec_push(&w->stack, first);
    ken_status st = KEN_OK;
    while (w->stack.len && !st) {
        visit(w, w->stack.ptr[--w->stack.len]);
        st = ken_cancel_check(w->job->cancel, err);
    }
    return st;
}

ken_status ken_scan__walk(scan_job *job, const scan_git *git, ken_err *err)
{
    walk w = { .job = job, .git = git };
    w.excludes = ken_scan__excludes(&job->scratch, job->opts->home, git);
    if (git)
        w.prefix = ken_path_relative(git->top, job->root);
    walk_folder root = { .path = KEN_STR(""), .rules = rules_above_root(&w) };
    ken_status st = visit_all(&w, root, err);
    release(&w);
    return st;
}

ken_status ken_scan__walk_ignored(scan_job *job, const scan_git *git, ken_str folder, ken_err *err)
{
    walk w = { .job = job, .git = git };
    walk_folder f = { .path = folder, .spelt = ken_scan__globs_spell(job->include, folder) };
    ken_status st = visit_all(&w, f, err);
    release(&w);
    return st;
}
