// SPDX-License-Identifier: MIT
// The output of `git diff -U0`, line by line: which files, and which of their lines.
//
// A file begins with "diff --git", has headers for its kind of change, then hunks. The lines of
// a hunk are counted off by its own numbers, so text in the form of a header is none. Names come
// from the headers that hold one name each; only a file without any of them (binary, empty, a mode)
// has to be read off the first line, where both names are the same.
#include <stdlib.h>

#include "base/alloc.h"
#include "history/history_priv.h"

enum {
    MAX_FILES = 20000,
    MAX_CHANGES = 200000,
};

struct history_patch {
    ken_arena *arena;
    KEN_VEC(ken_changed_file) files;
    KEN_VEC(size_t) first_of; // by file: its changes begin here
    KEN_VEC(ken_line_change) changes;
    bool is_truncated;
    // The file at hand.
    bool is_open, is_in_header;
    ken_changed_file now;
    ken_str guess;               // its name by the first line; NULL ptr when that is not clear
    uint64_t n_old_left, n_left; // lines of the hunk that are still to come
};

history_patch *ken_history__patch_new(ken_arena *arena)
{
    history_patch *p = ken_zalloc(sizeof *p);
    p->arena = arena;
    return p;
}

void ken_history__patch_free(history_patch *p)
{
    if (!p)
        return;
    ken_vec_release(&p->files);
    ken_vec_release(&p->first_of);
    ken_vec_release(&p->changes);
    ken_free(p);
}

// ---- names -------------------------------------------------------------------------------------

static ken_str own_path(history_patch *p, ken_str path)
{
    return path.ptr ? ken_arena_dup(p->arena, path) : path;
}

// "a/<path>" or "b/<path>", quoted as a whole, with a tab behind it when it holds white space.
// NULL ptr for /dev/null.
static ken_str side_path(history_patch *p, ken_str text)
{
    if (text.len && text.ptr[text.len - 1] == '\t')
        text.len--;
    ken_str path = ken_history__path(p->arena, text);
    if (path.len < 3 || path.ptr[1] != '/')
        return (ken_str){ NULL, 0 };
    return own_path(p, ken_str_sub(path, 2, path.len));
}

// "a/<path> b/<path>", both the same or it is not clear.
static ken_str guess_path(history_patch *p, ken_str text)
{
    size_t half = text.len / 2;
    if (text.len < 7 || text.len % 2 == 0 || text.ptr[half] != ' ')
        return (ken_str){ NULL, 0 };
    ken_str a = side_path(p, ken_str_sub(text, 0, half));
    ken_str b = side_path(p, ken_str_sub(text, half + 1, text.len));
    return a.ptr && b.ptr && ken_str_eq(a, b) ? a : (ken_str){ NULL, 0 };
}

// ---- files -------------------------------------------------------------------------------------

static void end_file(history_patch *p)
{
    if (!p->is_open)
        return;
    p->is_open = false;
    ken_changed_file *f = &p->now;
    if (!f->path.ptr)
        f->path = f->kind == KEN_CHANGE_DELETED && f->old_path.ptr ? f->old_path : p->guess;
    if (f->kind != KEN_CHANGE_RENAMED || !f->old_path.ptr)
        f->old_path = KEN_STR("");
    if (!f->path.ptr)
        return;
    if (p->files.len >= MAX_FILES) {
        p->is_truncated = true;
        return;
    }
    ken_vec_push(&p->files, *f);
    ken_vec_push(&p->first_of, p->changes.len - f->n_changes);
}

static void begin_file(history_patch *p, ken_str names)
{
    end_file(p);
    p->is_open = p->is_in_header = true;
    p->now = (ken_changed_file){ .kind = KEN_CHANGE_MODIFIED };
    p->guess = guess_path(p, names);
}

void ken_history__patch_add(history_patch *p, ken_str path, ken_change_kind kind)
{
    end_file(p);
    p->is_open = true;
    p->guess = (ken_str){ NULL, 0 };
    p->now = (ken_changed_file){ .path = own_path(p, path), .kind = kind };
    end_file(p);
}

// Whether `line` begins with `word`; moves it behind.
static bool take_word(ken_str *line, ken_str word)
{
    if (!ken_str_starts(*line, word))
        return false;
    *line = ken_str_sub(*line, word.len, line->len);
    return true;
}

static void read_header(history_patch *p, ken_str line)
{
    ken_changed_file *f = &p->now;
    if (take_word(&line, KEN_STR("new file mode"))) {
        f->kind = KEN_CHANGE_ADDED;
    } else if (take_word(&line, KEN_STR("deleted file mode"))) {
        f->kind = KEN_CHANGE_DELETED;
    } else if (take_word(&line, KEN_STR("rename from "))) {
        f->kind = KEN_CHANGE_RENAMED;
        f->old_path = own_path(p, ken_history__path(p->arena, line));
    } else if (take_word(&line, KEN_STR("rename to "))) {
        f->path = own_path(p, ken_history__path(p->arena, line));
    } else if (take_word(&line, KEN_STR("--- "))) {
        if (!f->old_path.ptr)
            f->old_path = side_path(p, line);
    } else if (take_word(&line, KEN_STR("+++ "))) {
        if (!f->path.ptr)
            f->path = side_path(p, line);
    } else if (take_word(&line, KEN_STR("Binary files "))) {
        f->is_binary = true;
    }
}

// ---- hunks -------------------------------------------------------------------------------------

static bool take_number(ken_str *s, uint32_t *out)
{
    size_t n = 0;
    uint64_t v = 0;
    while (n < s->len && ken_is_digit(s->ptr[n]))
        n++;
    if (!ken_str_parse_u64(ken_str_sub(*s, 0, n), &v) || v > INT32_MAX)
        return false;
    *out = (uint32_t)v;
    *s = ken_str_sub(*s, n, s->len);
    return true;
}

// "12,3" or "12", which is one line; of no lines, git names the line before them.
static bool take_range(ken_str *s, uint32_t *out_first, uint32_t *out_n)
{
    uint32_t line = 0, n = 1;
    if (!take_number(s, &line))
        return false;
    if (take_word(s, KEN_STR(",")) && !take_number(s, &n))
        return false;
    *out_first = n && line ? line - 1 : line;
    *out_n = n;
    return true;
}

// "@@ -1,2 +3,4 @@ …", behind "@@ -"
static void begin_hunk(history_patch *p, ken_str line)
{
    ken_line_change c;
    if (!take_range(&line, &c.old_first, &c.n_old_lines) || !take_word(&line, KEN_STR(" +")) ||
        !take_range(&line, &c.first, &c.n_lines))
        return;
    p->n_old_left = c.n_old_lines;
    p->n_left = c.n_lines;
    p->is_in_header = false;
    if (p->changes.len >= MAX_CHANGES) {
        p->is_truncated = true;
        return;
    }
    ken_vec_push(&p->changes, c);
    p->now.n_changes++;
}

// Counts a line of a hunk off; false when it is none.
static bool pass_line(history_patch *p, ken_str line)
{
    char mark = line.len ? line.ptr[0] : ' ';
    bool is_old = mark == '-' || mark == ' ', is_now = mark == '+' || mark == ' ';
    if (mark == '\\')
        return true;
    if ((!is_old && !is_now) || (is_old && !p->n_old_left) || (is_now && !p->n_left)) {
        p->n_old_left = p->n_left = 0;
        return false;
    }
    p->n_old_left -= is_old;
    p->n_left -= is_now;
    return true;
}

void ken_history__patch_line(void *patch, ken_str line)
{
    history_patch *p = patch;
    if ((p->n_old_left || p->n_left) && pass_line(p, line))
        return;
    if (take_word(&line, KEN_STR("diff --git ")))
        begin_file(p, line);
    else if (p->is_open && take_word(&line, KEN_STR("@@ -")))
        begin_hunk(p, line);
    else if (p->is_open && p->is_in_header)
        read_header(p, line);
}

// ---- the end -----------------------------------------------------------------------------------

// By path; what came first stays first.
static int by_path(const void *x, const void *y)
{
    const ken_changed_file *a = x, *b = y;
    int c = ken_str_cmp(a->path, b->path);
    if (c || (a->kind == KEN_CHANGE_DELETED) == (b->kind == KEN_CHANGE_DELETED))
        return c;
    return a->kind == KEN_CHANGE_DELETED ? -1 : 1;
}

// A path that is deleted and there again was modified (a link became a file), or is untracked now.
static size_t join_doubles(ken_changed_file *files, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        bool is_double = kept && ken_str_eq(files[kept - 1].path, files[i].path);
        if (!is_double) {
            files[kept++] = files[i];
            continue;
        }
        if (files[i].kind == KEN_CHANGE_ADDED)
            files[i].kind = KEN_CHANGE_MODIFIED;
        files[kept - 1] = files[i];
    }
    return kept;
}

void ken_history__patch_finish(history_patch *p, ken_changes *out)
{
    end_file(p);
    ken_line_change *changes =
        ken_arena_copy(p->arena, p->changes.ptr, p->changes.len, sizeof *changes);
    for (size_t i = 0; i < p->files.len; i++)
        p->files.ptr[i].changes = changes + p->first_of.ptr[i];
    out->files = ken_arena_copy(p->arena, p->files.ptr, p->files.len, sizeof *out->files);
    if (p->files.len)
        qsort(out->files, p->files.len, sizeof *out->files, by_path);
    out->n_files = join_doubles(out->files, p->files.len);
    out->is_truncated = p->is_truncated;
}
