// SPDX-License-Identifier: MIT
#include "base/roots.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/path.h"

bool ken_root_is_name(ken_str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (!ken_is_word(name.ptr[i]) && name.ptr[i] != '-' && name.ptr[i] != '.')
            return false;
    return name.len && name.len <= KEN_ROOT_NAME_MAX && name.ptr[0] != '.';
}

static int by_name(const void *a, const void *b)
{
    const ken_root *x = a, *y = b;
    return ken_str_cmp(x->name, y->name);
}

ken_roots ken_roots_parse(ken_str text, ken_arena *arena)
{
    ken_roots r = { .fd = -1 };
    ken_str line, name;
    if (!text.len)
        return r;
    r.more = KEN_ARENA_ARRAY(arena, ken_root, KEN_ROOTS_MAX);
    while (r.n < KEN_ROOTS_MAX && ken_str_line_next(&text, &line))
        if (ken_str_split_next(&line, ' ', &name) && ken_root_is_name(name) && line.len &&
            line.ptr[0] == '/')
            r.more[r.n++] = (ken_root){ .name = ken_arena_dup(arena, name),
                                        .path = ken_arena_dup(arena, line),
                                        .fd = -1 };
    qsort(r.more, r.n, sizeof *r.more, by_name);
    return r;
}

ken_str ken_roots_format(const ken_roots *r, ken_arena *arena)
{
    ken_buf b = KEN_BUF_INIT(0);
    for (size_t i = 0; i < r->n; i++)
        ken_buf_printf(&b, KEN_STR_FMT " " KEN_STR_FMT "\n", KEN_STR_ARG(r->more[i].name),
                       KEN_STR_ARG(r->more[i].path));
    ken_str text = ken_arena_dup(arena, ken_buf_str(&b));
    ken_buf_release(&b);
    return text;
}

void ken_roots_open(ken_roots *r)
{
    if (!r->n)
        return;
    for (size_t i = 0; i < r->n; i++) {
        ken_root *root = &r->more[i];
        int fd = ken_fs_open_real(root->path);
        ken_fs_info info = { 0 };
        if (fd >= 0 && ken_fs_stat(fd, ".", &info, NULL)) {
            ken_fs_close(fd);
            fd = -1;
        }
        root->id = info.id;
        root->is_gone = fd < 0;
        root->fd = fd < 0 ? ken_fs_open_nothing() : fd;
    }
}

void ken_roots_close(ken_roots *r)
{
    for (size_t i = 0; i < r->n; i++) {
        ken_fs_close(r->more[i].fd);
        r->more[i].fd = -1;
    }
}

bool ken_roots_are_current(const ken_roots *r)
{
    for (size_t i = 0; i < r->n; i++) {
        ken_fs_info info = { 0 };
        if (ken_fs_stat(KEN_FS_CWD, r->more[i].path.ptr, &info, NULL) || info.kind != KEN_FS_DIR)
            info.id = (ken_fs_id){ 0 };
        if (!ken_fs_id_eq(info.id, r->more[i].id))
            return false;
    }
    return true;
}

const ken_root *ken_roots_find(const ken_roots *r, ken_str path, ken_str *out_below)
{
    size_t slash = path.len && path.ptr[0] == '@' ? ken_str_find_char(path, '/') : SIZE_MAX;
    ken_str name = ken_str_sub(path, 1, slash);
    for (size_t i = 0; i < r->n && slash != SIZE_MAX; i++)
        if (ken_str_eq(r->more[i].name, name)) {
            *out_below = ken_str_sub(path, slash + 1, path.len);
            return &r->more[i];
        }
    return NULL;
}

ken_str ken_root_path(const ken_root *root, ken_str below, ken_arena *arena)
{
    return ken_arena_printf(arena, "@" KEN_STR_FMT "/" KEN_STR_FMT, KEN_STR_ARG(root->name),
                            KEN_STR_ARG(below));
}

ken_str ken_roots_relative(const ken_roots *r, ken_str absolute, ken_arena *arena)
{
    for (size_t i = 0; i < r->n; i++) {
        ken_str below = ken_path_relative(r->more[i].path, absolute);
        if (below.ptr)
            return ken_root_path(&r->more[i], below, arena);
    }
    return (ken_str){ NULL, 0 };
}
