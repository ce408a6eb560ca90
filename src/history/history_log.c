// SPDX-License-Identifier: MIT
// From git's log to a table of commits and the files that they changed.
//
// Commits come newest first, so a file is met under its newest name, and a rename gives the
// name that older commits use. `names` maps a path, as the commits at hand call it, to a file;
// the renames of a commit are applied when it ends, so that two files may change their names with
// each other. A path that something was renamed to held another file before, or none: one that is
// gone. A file whose newest commit deletes it is gone as well, and left out at the end.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/path.h"
#include "history/history_priv.h"

#define NO_FILE UINT64_MAX // of `names`: another file before the rename

enum {
    MAX_FILES = 1 << 22
};

typedef struct rename {
    ken_str from, to; // in `scratch`
    uint32_t file;
} rename;

// The commit at hand.
typedef struct commit {
    bool is_open, is_edge; // edge: it seems to add everything
    int64_t time_s;
    ken_str id, mail, name, subject; // in `scratch`
    KEN_VEC(uint32_t) files;
    KEN_VEC(rename) renames;
} commit;

struct history_builder {
    uint32_t max_commits;
    bool is_shallow;
    ken_arena arena;   // becomes the history's
    ken_arena scratch; // of the commit at hand
    ken_map names;     // path -> file
    ken_map author_of; // key -> author
    KEN_VEC(ken_str) paths;
    KEN_VEC(uint8_t) is_gone, has_last; // by file
    KEN_VEC(history_author) authors;
    KEN_VEC(history_entry) entries;
    KEN_VEC(history_detail) details;
    KEN_VEC(uint32_t) touched;
    commit now;
};

history_builder *ken_history__builder_new(uint32_t max_commits, bool is_shallow)
{
    history_builder *b = ken_zalloc(sizeof *b);
    b->max_commits = max_commits;
    b->is_shallow = is_shallow;
    ken_arena_init(&b->arena, 0);
    ken_arena_init(&b->scratch, 0);
    ken_map_init(&b->names);
    ken_map_init(&b->author_of);
    return b;
}

void ken_history__builder_free(history_builder *b)
{
    if (!b)
        return;
    ken_arena_release(&b->arena);
    ken_arena_release(&b->scratch);
    ken_map_release(&b->names);
    ken_map_release(&b->author_of);
    ken_vec_release(&b->paths);
    ken_vec_release(&b->is_gone);
    ken_vec_release(&b->has_last);
    ken_vec_release(&b->authors);
    ken_vec_release(&b->entries);
    ken_vec_release(&b->details);
    ken_vec_release(&b->touched);
    ken_vec_release(&b->now.files);
    ken_vec_release(&b->now.renames);
    ken_free(b);
}

bool ken_history__builder_is_full(const history_builder *b)
{
    return b->entries.len >= b->max_commits;
}

// ---- files and people --------------------------------------------------------------------------

// The file that older commits call `path`; made when it was not met yet.
static uint32_t file_of(history_builder *b, ken_str path, bool is_deleted)
{
    bool is_new = false;
    uint64_t *slot = ken_map_put(&b->names, path, NO_FILE, &is_new);
    if (*slot != NO_FILE)
        return (uint32_t)*slot;
    *slot = b->paths.len;
    ken_vec_push(&b->paths, ken_arena_dup(&b->arena, path));
    ken_vec_push(&b->is_gone, is_deleted || !is_new);
    ken_vec_push(&b->has_last, 0);
    return (uint32_t)*slot;
}

static uint32_t author_of(history_builder *b, uint64_t key, ken_str name)
{
    bool is_new = false;
    uint64_t *slot = ken_map_put(&b->author_of, ken_str_n((const char *)&key, sizeof key),
                                 b->authors.len, &is_new);
    if (is_new)
        ken_vec_push(&b->authors, ((history_author){ key, ken_arena_dup(&b->arena, name) }));
    return (uint32_t)*slot;
}

// Mail addresses are not kept, only compared.
static uint64_t key_of(history_builder *b, ken_str mail)
{
    char *lower = ken_arena_alloc(&b->scratch, mail.len + 1);
    for (size_t i = 0; i < mail.len; i++)
        lower[i] = ken_lower(mail.ptr[i]);
    return ken_hash64(lower, mail.len);
}

static void touch(history_builder *b, uint32_t file)
{
    ken_vec_push(&b->now.files, file);
}

// ---- commits -----------------------------------------------------------------------------------

static int by_number(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, c = *(const uint32_t *)y;
    return (a > c) - (a < c);
}

// Takes the files of the commit at hand, each once; true when it is the last of one that is there.
static bool take_files(history_builder *b, history_entry *e)
{
    commit *c = &b->now;
    bool is_last = false;
    e->first = (uint32_t)b->touched.len;
    if (c->files.len)
        qsort(c->files.ptr, c->files.len, sizeof *c->files.ptr, by_number);
    for (size_t i = 0; i < c->files.len; i++) {
        uint32_t f = c->files.ptr[i];
        if (i && f == c->files.ptr[i - 1])
            continue;
        ken_vec_push(&b->touched, f);
        is_last |= !b->is_gone.ptr[f] && !b->has_last.ptr[f];
        b->has_last.ptr[f] = 1;
    }
    e->n = (uint32_t)b->touched.len - e->first;
    return is_last;
}

static void apply_renames(history_builder *b)
{
    commit *c = &b->now;
    for (size_t i = 0; i < c->renames.len; i++)
        *ken_map_put(&b->names, c->renames.ptr[i].to, NO_FILE, NULL) = NO_FILE;
    for (size_t i = 0; i < c->renames.len; i++)
        *ken_map_put(&b->names, c->renames.ptr[i].from, NO_FILE, NULL) = c->renames.ptr[i].file;
}

static void reset(history_builder *b)
{
    b->now.is_open = false;
    b->now.id = b->now.mail = b->now.name = b->now.subject = KEN_STR("");
    ken_vec_clear(&b->now.files);
    ken_vec_clear(&b->now.renames);
    ken_arena_reset(&b->scratch);
}

static int32_t add_detail(history_builder *b, ken_str id, ken_str subject)
{
    history_detail d = { ken_arena_dup(&b->arena, id), ken_arena_dup(&b->arena, subject) };
    ken_vec_push(&b->details, d);
    return (int32_t)(b->details.len - 1);
}

// A commit at the edge of a shallow clone changes nothing here: what it seems to add was there.
static void end_commit(history_builder *b)
{
    commit *c = &b->now;
    if (c->is_open && !c->is_edge && !ken_history__builder_is_full(b)) {
        ken_str mail = c->mail.len ? c->mail : c->name;
        history_entry e = { .time_s = c->time_s,
                            .author = author_of(b, key_of(b, mail), c->name),
                            .is_wide = c->files.len > HISTORY_WIDE };
        e.detail = take_files(b, &e) ? add_detail(b, c->id, c->subject) : -1;
        ken_vec_push(&b->entries, e);
        apply_renames(b);
    }
    reset(b);
}

// "c <id> <time> <parents>"
static void begin_commit(history_builder *b, ken_str line)
{
    end_commit(b);
    ken_str id = ken_history__take(&line, ' '), time = ken_history__take(&line, ' ');
    uint64_t time_s = 0;
    if (!ken_is_object_id(id))
        return;
    if (!ken_str_parse_u64(time, &time_s) || time_s > HISTORY_MAX_TIME_S)
        time_s = 0;
    b->now.id = ken_arena_dup(&b->scratch, id);
    b->now.time_s = (int64_t)time_s;
    b->now.is_edge = b->is_shallow && !ken_str_trim(line).len;
    b->now.is_open = true;
}

static void add_rename(history_builder *b, ken_str from, ken_str to)
{
    rename r = { .from = ken_history__path(&b->scratch, from),
                 .to = ken_history__path(&b->scratch, to) };
    if (!r.to.ptr)
        return;
    r.file = file_of(b, r.to, false);
    touch(b, r.file);
    if (!r.from.ptr)
        return;
    r.from = ken_arena_dup(&b->scratch, r.from);
    r.to = ken_arena_dup(&b->scratch, r.to);
    ken_vec_push(&b->now.renames, r);
}

// "M\t<path>", "R096\t<from>\t<to>"
static void add_change(history_builder *b, ken_str line)
{
    ken_str status = ken_history__take(&line, '\t');
    if (!line.len || b->paths.len >= MAX_FILES)
        return;
    ken_str first = ken_history__take(&line, '\t');
    if (status.ptr[0] == 'R') {
        add_rename(b, first, line);
        return;
    }
    ken_str path = ken_history__path(&b->scratch, line.len ? line : first); // a copy is a new file
    if (path.ptr)
        touch(b, file_of(b, path, status.ptr[0] == 'D'));
}

void ken_history__builder_line(void *builder, ken_str line)
{
    history_builder *b = builder;
    commit *c = &b->now;
    ken_str text = ken_str_sub(line, 2, line.len);
    if (!line.len)
        return;
    switch (line.ptr[0]) {
    case 'c':
        begin_commit(b, text);
        break;
    case 'e':
        c->mail = ken_arena_dup(&b->scratch, text);
        break;
    case 'n':
        c->name = ken_history__words(&b->scratch, text, HISTORY_MAX_NAME);
        break;
    case 's':
        c->subject = ken_history__words(&b->scratch, text, HISTORY_MAX_SUBJECT);
        break;
    default:
        if (c->is_open && !c->is_edge && ken_is_upper(line.ptr[0]))
            add_change(b, line);
    }
}

static ken_str marked(history_builder *b, ken_str mark, ken_str path)
{
    return mark.len ? ken_path_join(&b->scratch, mark, path) : path;
}

void ken_history__builder_add(history_builder *b, const ken_history *old, uint32_t entry,
                              ken_str mark)
{
    const history_entry *from = &old->entries[entry];
    const history_author *who = &old->authors[from->author];
    history_entry e = { .time_s = from->time_s,
                        .author = author_of(b, who->key, who->name),
                        .is_wide = from->is_wide,
                        .detail = -1 };
    for (uint32_t k = 0; k < from->n; k++)
        touch(b, file_of(b, marked(b, mark, old->paths[old->touched[from->first + k]]), false));
    if (take_files(b, &e) && from->detail >= 0)
        e.detail = add_detail(b, old->details[from->detail].id, old->details[from->detail].subject);
    ken_vec_push(&b->entries, e);
    reset(b);
}

void ken_history__builder_replay(history_builder *b, const ken_history *old)
{
    end_commit(b);
    for (uint32_t i = 0; i < old->n_entries && !ken_history__builder_is_full(b); i++)
        ken_history__builder_add(b, old, i, KEN_STR(""));
}

// ---- the end -----------------------------------------------------------------------------------

typedef struct numbered {
    ken_str path;
    uint32_t file;
} numbered;

static int by_path(const void *x, const void *y)
{
    return ken_str_cmp(((const numbered *)x)->path, ((const numbered *)y)->path);
}

// Gives the files that are there their numbers, by path; the others get UINT32_MAX.
static uint32_t *number_files(const history_builder *b, ken_history *h)
{
    numbered *there = ken_alloc(ken_mul_size(b->paths.len + 1, sizeof *there));
    uint32_t *number = ken_alloc(ken_mul_size(b->paths.len + 1, sizeof *number));
    uint32_t n = 0;
    for (uint32_t f = 0; f < b->paths.len; f++) {
        number[f] = UINT32_MAX;
        if (!b->is_gone.ptr[f])
            there[n++] = (numbered){ b->paths.ptr[f], f };
    }
    qsort(there, n, sizeof *there, by_path);
    h->paths = KEN_ARENA_ARRAY(&h->arena, ken_str, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        h->paths[i] = there[i].path;
        number[there[i].file] = i;
    }
    h->n_files = n;
    ken_free(there);
    return number;
}

// The files of an entry by their numbers, ascending, without those that are gone.
static void renumber(const uint32_t *number, const uint32_t *from, uint32_t n, uint32_t *to,
                     uint32_t *out_n)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (number[from[i]] != UINT32_MAX)
            to[kept++] = number[from[i]];
    qsort(to, kept, sizeof *to, by_number);
    *out_n = kept;
}

void ken_history__builder_finish(history_builder *b, ken_history *h)
{
    end_commit(b);
    ken_arena_release(&h->arena);
    h->arena = b->arena;
    ken_arena_init(&b->arena, 0);
    uint32_t *number = number_files(b, h);
    h->n_entries = (uint32_t)b->entries.len;
    h->entries = ken_arena_copy(&h->arena, b->entries.ptr, b->entries.len, sizeof *h->entries);
    h->n_authors = (uint32_t)b->authors.len;
    h->authors = ken_arena_copy(&h->arena, b->authors.ptr, b->authors.len, sizeof *h->authors);
    h->details = ken_arena_copy(&h->arena, b->details.ptr, b->details.len, sizeof *h->details);
    ken_vec_reserve(&b->touched, 1); // commits that change nothing point into it
    h->touched = KEN_ARENA_ARRAY(&h->arena, uint32_t, b->touched.len + 1);
    for (uint32_t i = 0; i < h->n_entries; i++) {
        history_entry *e = &h->entries[i];
        uint32_t first = h->n_touched;
        renumber(number, b->touched.ptr + e->first, e->n, h->touched + first, &e->n);
        e->first = first;
        h->n_touched += e->n;
    }
    ken_free(number);
    ken_history__derive(h);
}
