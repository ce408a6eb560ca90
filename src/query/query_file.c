// SPDX-License-Identifier: MIT
// Files as they are now. Before anything is quoted the file's size, mtime and inode are compared with
// the index, then its hash; a changed file is learnt again here, in the answer's own time, so that
// lines always come from what is on disk.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/utf8.h"
#include "query/query_priv.h"
#include "scan/scan.h"

enum { MAX_FILE_BYTES = 10 << 20, HEAD_BYTES = 4096, MAX_NEAR_PATHS = 5 };

static ken_status gone(ken_str path, const char *why, ken_err *err)
{
    return KEN_FAIL(err, KEN_ENOTFOUND, "'" KEN_STR_FMT "' %s", KEN_STR_ARG(path), why);
}

static ken_status learn_again(ken_snapshot *s, ken_str path, ken_arena *arena, query_text *t,
                              ken_err *err)
{
    if (ken_scan_classify_content(path, t->text))
        return gone(path, "is not text any more", err);
    if (!s->learner)
        s->learner = ken_learner_new();
    ken_scan_mask_secrets((char *)(uintptr_t)t->text.ptr, t->text.len);
    ken_lang_id lang = ken_lang_of(path, ken_str_sub(t->text, 0, HEAD_BYTES));
    ken_learn(s->learner, lang, t->text, NULL, arena, &t->facts);
    t->is_refreshed = true;
    return KEN_OK;
}

ken_status query_load_text(ken_snapshot *s, uint32_t file, ken_arena *arena, query_text *out,
                           ken_err *err)
{
    const ken_file_row *row = &s->rows[file];
    ken_buf buf = KEN_BUF_INIT(MAX_FILE_BYTES + 1);
    ken_fs_stamp stamp;
    *out = (query_text){ 0 };
    if (s->root_fd < 0 || ken_fs_read_under(s->root_fd, row->path, MAX_FILE_BYTES, &buf, &stamp, NULL)) {
        ken_buf_release(&buf);
        return gone(row->path, "is not on disk any more", err);
    }
    out->text = ken_arena_dup(arena, ken_buf_str(&buf));
    ken_buf_release(&buf);
    ken_status st = KEN_OK;
    bool is_same = ken_fs_stamp_eq(stamp, row->stamp);
    if (is_same) {
        ken_scan_mask_secrets((char *)(uintptr_t)out->text.ptr, out->text.len);
        st = ken_store_load_facts(s->store, row->content, arena, &out->facts, err);
        if (!st && out->facts.n_bytes == out->text.len)
            return KEN_OK;
        if (st && st != KEN_ENOTFOUND)
            return st;
    }
    return learn_again(s, row->path, arena, out, err);
}

ken_str query_lines(ken_arena *arena, ken_str text, uint32_t first, uint32_t last)
{
    size_t start = SIZE_MAX, at = 0;
    uint32_t line = 0;
    while (at < text.len && line <= last) {
        if (line == first)
            start = at;
        size_t n = ken_str_find_char(ken_str_sub(text, at, text.len), '\n');
        at = n == SIZE_MAX ? text.len : at + n + 1;
        line++;
    }
    return start == SIZE_MAX ? KEN_STR("") : query_repaired(arena, ken_str_sub(text, start, at));
}

ken_str query_repaired(ken_arena *arena, ken_str text)
{
    if (ken_utf8_is_valid(text))
        return text;
    ken_buf b = KEN_BUF_INIT(text.len * 3 + 1);
    ken_utf8_repair(&b, text);
    ken_str out = ken_arena_dup(arena, ken_buf_str(&b));
    ken_buf_release(&b);
    return out;
}

ken_str ken_view_line(ken_arena *arena, ken_str text, ken_span span)
{
    ken_str s = ken_str_trim(ken_str_sub(text, span.start, span.end));
    char *out = ken_arena_alloc(arena, s.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) {
        bool is_space = ken_is_space(s.ptr[i]);
        if (is_space && n && out[n - 1] == ' ')
            continue;
        out[n++] = is_space ? ' ' : s.ptr[i];
    }
    out[n] = '\0';
    return query_repaired(arena, ken_str_n(out, n));
}

ken_str ken_view_qualified(ken_arena *arena, const ken_facts *facts, uint32_t symbol)
{
    ken_str name = facts->symbols[symbol].name;
    int guard = 0;
    for (int32_t p = facts->symbols[symbol].parent; p >= 0 && guard++ < 8;
         p = facts->symbols[p].parent) {
        ken_str outer = facts->symbols[p].name;
        if (!ken_str_eq(outer, facts->symbols[symbol].name))
            name = ken_arena_printf(arena, KEN_STR_FMT "." KEN_STR_FMT, KEN_STR_ARG(outer),
                                    KEN_STR_ARG(name));
    }
    return query_repaired(arena, name);
}

// ---- one file ----------------------------------------------------------------------------------

static ken_status unknown_path(const ken_snapshot *s, ken_str path, ken_arena *arena, ken_err *err)
{
    ken_str base = ken_path_base(path), near = { "", 0 };
    size_t n = 0;
    for (uint32_t i = 0; i < s->n_files && n < MAX_NEAR_PATHS; i++) {
        if (!ken_str_eq_fold(ken_path_base(s->rows[i].path), base))
            continue;
        near = ken_arena_printf(arena, KEN_STR_FMT "%s'" KEN_STR_FMT "'", KEN_STR_ARG(near),
                                n++ ? ", " : "", KEN_STR_ARG(s->rows[i].path));
    }
    if (n)
        return KEN_FAIL(err, KEN_ENOTFOUND,
                        "'" KEN_STR_FMT "' is not in the index; did you mean " KEN_STR_FMT "?",
                        KEN_STR_ARG(path), KEN_STR_ARG(near));
    return KEN_FAIL(err, KEN_ENOTFOUND,
                    "'" KEN_STR_FMT "' is not in the index; paths are relative to the root of the "
                    "project",
                    KEN_STR_ARG(path));
}

ken_status ken_view_file(ken_snapshot *s, ken_str path, ken_arena *arena, ken_file_view *out,
                         ken_err *err)
{
    if (!path.len || path.len > 4096 || memchr(path.ptr, '\0', path.len))
        return KEN_FAIL(err, KEN_EINVAL, "file_path: expected a path of 1 to 4096 bytes");
    ken_str relative = query_relative_path(s, path, arena);
    int64_t file = query_file_index(s, relative);
    if (file < 0)
        return unknown_path(s, relative, arena, err);
    query_text t;
    ken_status st = query_load_text(s, (uint32_t)file, arena, &t, err);
    if (st)
        return st;
    *out = (ken_file_view){
        .path = s->rows[file].path,
        .language = ken_str_c(ken_lang_name((ken_lang_id)t.facts.lang)),
        .text = t.text,
        .facts = KEN_ARENA_NEW(arena, ken_facts),
        .chunk_ids = KEN_ARENA_ARRAY(arena, ken_uuid, t.facts.n_chunks + 1),
        .is_refreshed = t.is_refreshed,
    };
    *out->facts = t.facts;
    for (uint32_t i = 0; i < t.facts.n_chunks; i++)
        out->chunk_ids[i] = ken_uuid_of_chunk(out->path, i);
    return KEN_OK;
}

// Ids are derived from path and index, so they are not stored: all of them are worked out until one
// fits, at about a microsecond each.
ken_status ken_find_chunk(ken_snapshot *s, ken_uuid id, ken_arena *arena, ken_str *out_path,
                          uint32_t *out_index, ken_err *err)
{
    (void)arena;
    for (uint32_t i = 0; i < s->n_files; i++) {
        // A file that changed since may have a few chunks more.
        uint32_t n = s->contents[i].n_chunks + 8;
        for (uint32_t c = 0; c < n; c++) {
            if (!ken_uuid_eq(ken_uuid_of_chunk(s->rows[i].path, c), id))
                continue;
            *out_path = s->rows[i].path;
            *out_index = c;
            return KEN_OK;
        }
    }
    char text[KEN_UUID_TEXT];
    ken_uuid_format(id, text);
    return KEN_FAIL(err, KEN_ENOTFOUND, "no chunk has the id %s; search again for a current one",
                    text);
}
