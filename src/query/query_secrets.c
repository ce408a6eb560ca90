// SPDX-License-Identifier: MIT
// Every indexed file is read and masked once more: nothing of this is stored.
#include "query/query_secrets.h"

#include <stdlib.h>

#include "base/fs.h"
#include "base/vec.h"
#include "query/query_priv.h"

enum {
    MAX_FILE_BYTES = 10 << 20
};

typedef struct file_place {
    size_t start;
    ken_secret_kind kind;
} file_place;

typedef struct masked_file {
    KEN_VEC(file_place) places;
} masked_file;

static void on_place(void *ctx, const ken_secret_place *place)
{
    masked_file *f = ctx;
    file_place p = { place->start, place->kind };
    ken_vec_push(&f->places, p);
}

static int by_start(const void *a, const void *b)
{
    size_t x = ((const file_place *)a)->start, y = ((const file_place *)b)->start;
    return (x > y) - (x < y);
}

// Line breaks are never masked, so the masked text has the lines of the file.
static void add_places(const masked_file *f, ken_str path, ken_str text,
                       const ken_masked_opts *opts, ken_masked *out)
{
    uint32_t line = 1;
    size_t at = 0;
    for (size_t i = 0; i < f->places.len; i++) {
        const file_place *p = &f->places.ptr[i];
        for (; at < p->start; at++)
            line += text.ptr[at] == '\n';
        out->of_kind[p->kind]++;
        if (out->n_all++ >= opts->offset && out->n_places < opts->limit)
            out->places[out->n_places++] = (ken_masked_place){ path, line, p->kind };
    }
    out->n_files += f->places.len > 0;
}

ken_status ken_snapshot_find_masked(ken_snapshot *s, const ken_masked_opts *opts,
                                    const ken_cancel *cancel, ken_arena *arena, ken_masked *out,
                                    ken_err *err)
{
    if (!ken_query__has_files(s, KEN_STR("")))
        return KEN_FAIL(err, KEN_ENOTFOUND, "'" KEN_STR_FMT "' cannot be opened",
                        KEN_STR_ARG(s->info.root));
    ken_masked found = { .places = KEN_ARENA_ARRAY(arena, ken_masked_place, opts->limit + 1) };
    masked_file f = { 0 };
    ken_buf text = KEN_BUF_INIT(MAX_FILE_BYTES + 1);
    ken_status st = KEN_OK;
    for (uint32_t i = 0; i < s->n_files && !st; i++) {
        ken_str path = s->rows[i].path;
        ken_err e = { 0 };
        st = ken_cancel_check(cancel, err);
        if (st)
            break;
        if (ken_query__read_file(s, path, MAX_FILE_BYTES, &text, &e)) {
            ken_query__set_unread(s, path, &e);
            continue;
        }
        ken_vec_clear(&f.places);
        ken_secret_mask_each(text.ptr, text.len, on_place, &f);
        if (!f.places.len)
            continue;
        qsort(f.places.ptr, f.places.len, sizeof *f.places.ptr, by_start);
        add_places(&f, ken_arena_dup(arena, path), ken_buf_str(&text), opts, &found);
    }
    ken_vec_release(&f.places);
    ken_buf_release(&text);
    if (!st)
        *out = found;
    return st;
}
