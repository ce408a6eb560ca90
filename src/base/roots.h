// SPDX-License-Identifier: MIT
// roots.h -- the folders of one project, seen as one tree.
//
// A project has a first root and may have further ones, each with a name. A path without a mark is
// relative to the first root; "@NAME/rest" is `rest` in the further root of that name. Scans leave a
// folder of the first root out that is called "@NAME", so no path means two files.
//
// A further root is opened by its real path, without following a link anywhere on the way. One that
// cannot be opened is gone: whatever is looked for in it is not there (KEN_ENOTFOUND).
//
// Ownership: texts live in the arena passed; the descriptors are the value's, between
// ken_roots_open and ken_roots_close. Threads: reading an open value is safe from any thread.
#ifndef KEN_BASE_ROOTS_H
#define KEN_BASE_ROOTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/fs.h"
#include "base/str.h"

enum {
    KEN_ROOT_NAME_MAX = 64, // bytes
    KEN_ROOTS_MAX = 32,     // further roots of one project
};
#define KEN_ROOTS_KEPT "index.roots" // the value of an index that has their text

typedef struct ken_root {
    ken_str name;
    ken_str path; // absolute real path, NUL-terminated
    ken_fs_id id; // of the folder that was opened
    int fd;       // while it is open; of one that is gone nothing can be opened under it
    bool is_gone; // when it was opened
} ken_root;

typedef struct ken_roots {
    int fd;         // of the first root, whoever opened it; -1 = none
    ken_root *more; // by name
    size_t n;
} ken_roots;

// 1 to KEN_ROOT_NAME_MAX letters, digits, '-', '_' and '.', of which the last is not at the front.
bool ken_root_is_name(ken_str name);

// Lines "NAME PATH", sorted by name. What is no such line is passed over; fd is -1.
ken_roots ken_roots_parse(ken_str text, ken_arena *arena);
ken_str ken_roots_format(const ken_roots *r, ken_arena *arena);

// Opens the further roots; `fd` stays.
void ken_roots_open(ken_roots *r);
void ken_roots_close(ken_roots *r); // them only

// Whether the folders that were opened are still the ones of these paths.
bool ken_roots_are_current(const ken_roots *r);

// The further root that holds the path, and what is below it; NULL: the path is of the first root.
const ken_root *ken_roots_find(const ken_roots *r, ken_str path, ken_str *out_below);
// The descriptor under which the path is to be opened; `*path` becomes what is below it.
static inline int ken_roots_at(const ken_roots *r, ken_str *path)
{
    if (!r->n || !path->len || path->ptr[0] != '@')
        return r->fd;
    const ken_root *root = ken_roots_find(r, *path, path);
    return root ? root->fd : r->fd;
}
// "@NAME/below".
ken_str ken_root_path(const ken_root *root, ken_str below, ken_arena *arena);
// An absolute path below a further root as paths of the project are; ptr NULL when none has it.
ken_str ken_roots_relative(const ken_roots *r, ken_str absolute, ken_arena *arena);

#endif
