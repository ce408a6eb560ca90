// SPDX-License-Identifier: MIT
// The scope of an index: what a caller, not the settings, limited it to. It is kept with the index, so
// that every later run and every question that brings it up to date keeps to it. Stored form: a line
// for each part, "include GLOB", "exclude GLOB" or "max_file_bytes N"; no lines = everything.
#include <inttypes.h>

#include "index/index_priv.h"

bool ken_index__is_scope_given(const ken_index_scope *s)
{
    return s->has_include || s->has_exclude || s->has_max_bytes || s->is_cleared;
}

static void put_globs(ken_buf *b, const char *word, const ken_str *globs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ken_str_find_char(globs[i], '\n') == SIZE_MAX) // no path that is indexed has one
            ken_buf_printf(b, "%s " KEN_STR_FMT "\n", word, KEN_STR_ARG(globs[i]));
}

static ken_str write_scope(const ken_index_opts *o, ken_arena *arena)
{
    ken_buf b = KEN_BUF_INIT(0);
    if (o->scope.has_include)
        put_globs(&b, "include", o->scan.include, o->scan.n_include);
    if (o->scope.has_exclude)
        put_globs(&b, "exclude", o->scan.exclude, o->scan.n_exclude);
    if (o->scope.has_max_bytes)
        ken_buf_printf(&b, "max_file_bytes %" PRIu64 "\n", o->scan.max_file_bytes);
    ken_str text = ken_arena_dup(arena, ken_buf_str(&b));
    ken_buf_release(&b);
    return text;
}

// The globs of `text` that follow `word`; NULL when there are none.
static ken_str *read_globs(ken_str text, const char *word, ken_arena *arena, size_t *out_n)
{
    size_t n_lines = 1, len = strlen(word);
    for (size_t i = 0; i < text.len; i++)
        n_lines += text.ptr[i] == '\n';
    ken_str *globs = KEN_ARENA_ARRAY(arena, ken_str, n_lines), line;
    *out_n = 0;
    while (ken_str_line_next(&text, &line))
        if (ken_str_starts(line, ken_str_c(word)) && line.len > len + 1 && line.ptr[len] == ' ')
            globs[(*out_n)++] = ken_str_sub(line, len + 1, line.len);
    return *out_n ? globs : NULL;
}

void ken_index_parse_limits(ken_str lines, ken_arena *arena, ken_index_limits *out)
{
    size_t n = 0;
    uint64_t max = 0;
    *out = (ken_index_limits){ .n_include = 0 };
    out->include = read_globs(lines, "include", arena, &out->n_include);
    out->exclude = read_globs(lines, "exclude", arena, &out->n_exclude);
    const ken_str *sizes = read_globs(lines, "max_file_bytes", arena, &n);
    if (sizes && ken_str_parse_u64(sizes[0], &max))
        out->max_file_bytes = max;
}

static void apply_scope(ken_str text, ken_arena *arena, ken_scan_opts *scan)
{
    ken_index_limits limits;
    ken_index_parse_limits(text, arena, &limits);
    if (limits.n_include) {
        scan->include = limits.include;
        scan->n_include = limits.n_include;
    }
    if (limits.n_exclude) {
        scan->exclude = limits.exclude;
        scan->n_exclude = limits.n_exclude;
    }
    if (limits.max_file_bytes)
        scan->max_file_bytes = limits.max_file_bytes;
}

ken_status ken_index_load_scope(ken_store *store, ken_arena *arena, ken_str *out, ken_err *err)
{
    *out = KEN_STR("");
    ken_status st = ken_store_load_value(store, KEN_STR(INDEX_SCOPE), arena, out, err);
    return st == KEN_ENOTFOUND ? KEN_OK : st;
}

ken_status ken_index__take_scope(ken_store *store, ken_arena *arena, ken_index_opts *opts,
                                 ken_str *out_before, ken_str *out, ken_err *err)
{
    ken_status st = ken_index_load_scope(store, arena, out_before, err);
    if (st)
        return st;
    if (!out_before->len)
        *out_before = opts->scope_lines;
    *out = *out_before;
    if (ken_index__is_scope_given(&opts->scope))
        *out = write_scope(opts, arena);
    else
        apply_scope(*out, arena, &opts->scan);
    return KEN_OK;
}

ken_status ken_index__put_scope(ken_store *store, ken_str text, ken_err *err)
{
    return ken_store_put_value(store, KEN_STR(INDEX_SCOPE), text, err);
}

ken_status ken_index_put_limits(ken_store *store, const ken_index_limits *limits, ken_arena *arena,
                                ken_err *err)
{
    const ken_index_opts o = { .scan = { .include = limits->include,
                                         .n_include = limits->n_include,
                                         .exclude = limits->exclude,
                                         .n_exclude = limits->n_exclude,
                                         .max_file_bytes = limits->max_file_bytes },
                               .scope = { .has_include = limits->n_include > 0,
                                          .has_exclude = limits->n_exclude > 0,
                                          .has_max_bytes = limits->max_file_bytes > 0 } };
    return ken_index__put_scope(store, write_scope(&o, arena), err);
}
