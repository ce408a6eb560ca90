// SPDX-License-Identifier: MIT
#include "base/path.h"
#include "base/utf8.h"
#include "query/query_priv.h"
#include "scan/scan.h"

enum {
    DEFAULT_LIMIT = 10,
    MAX_LIMIT = KEN_SEARCH_MAX,
    MAX_OFFSET = 10000,
    MAX_CONTEXT = 100,
    MAX_SYMBOLS = 32 // of a chunk
};

uint32_t ken_query__limit(const ken_search_opts *o)
{
    return o->limit ? o->limit : DEFAULT_LIMIT;
}

static bool is_glob(ken_str part)
{
    return memchr(part.ptr, '*', part.len) || memchr(part.ptr, '?', part.len) ||
           memchr(part.ptr, '[', part.len) || memchr(part.ptr, '{', part.len);
}

static ken_status check_paths(const ken_filter *f, ken_err *err)
{
    for (size_t i = 0; i < f->n; i++)
        if (is_glob(f->texts[i]) && ken_glob_check(f->texts[i], err))
            return ken_err_wrap(err, "path");
    return KEN_OK;
}

ken_status ken_query__clean_directory(ken_search_opts *o, ken_arena *arena, ken_err *err)
{
    if (!o->directory.len)
        return KEN_OK;
    ken_str clean = ken_path_normalise(arena, o->directory);
    if (!clean.ptr)
        return KEN_FAIL(err, KEN_EINVAL,
                        "directory: '" KEN_STR_FMT
                        "' leads out of the project; name a folder below its root",
                        KEN_STR_ARG(ken_utf8_clip(o->directory, 100)));
    o->directory = clean;
    return KEN_OK;
}

ken_status ken_query__check_opts(const ken_search_opts *o, ken_err *err)
{
    if (o->limit > MAX_LIMIT)
        return KEN_FAIL(err, KEN_EINVAL, "limit: %u is over %d", o->limit, MAX_LIMIT);
    if (o->offset > MAX_OFFSET)
        return KEN_FAIL(err, KEN_EINVAL, "offset: %u is over %d", o->offset, MAX_OFFSET);
    if (o->context_lines > MAX_CONTEXT)
        return KEN_FAIL(err, KEN_EINVAL, "context_lines: %u is over %d", o->context_lines,
                        MAX_CONTEXT);
    if (!(o->threshold >= 0 && o->threshold <= 1))
        return KEN_FAIL(err, KEN_EINVAL, "similarity_threshold: %g is not between 0 and 1",
                        o->threshold);
    if (o->file_type.len && o->file_type.ptr[0] == '.')
        return KEN_FAIL(err, KEN_EINVAL, "file_type should not include leading dot");
    if (o->file_type.len > 20)
        return KEN_FAIL(err, KEN_EINVAL, "file_type: %zu characters are over 20", o->file_type.len);
    if (o->language.len && ken_lang_by_name(o->language) == KEN_LANG_COUNT)
        return KEN_FAIL(err, KEN_EINVAL, "language: '" KEN_STR_FMT "' is not known",
                        KEN_STR_ARG(o->language));
    if (o->glob.len && ken_glob_check(o->glob, err)) {
        ken_err_wrap(err, "file_filter");
        return KEN_EINVAL;
    }
    ken_status st = check_paths(&o->paths, err);
    return st ? st : check_paths(&o->other_paths, err);
}

static bool is_below(ken_str path, ken_str folder)
{
    while (folder.len && folder.ptr[folder.len - 1] == '/')
        folder.len--;
    if (ken_str_starts(folder, KEN_STR("./")))
        folder = ken_str_sub(folder, 2, folder.len);
    return !folder.len || ken_str_eq(folder, KEN_STR(".")) ||
           (path.len > folder.len && ken_path_is_under(folder, path));
}

// A part of the path, or a glob of it.
static bool path_has(ken_str path, ken_str part)
{
    return ken_str_find(path, part) != SIZE_MAX || (is_glob(part) && ken_glob_match(part, path));
}

static bool path_passes(ken_str path, const ken_search_opts *o)
{
    for (size_t i = 0; i < o->paths.n; i++)
        if (!path_has(path, o->paths.texts[i]))
            return false;
    for (size_t i = 0; i < o->other_paths.n; i++)
        if (path_has(path, o->other_paths.texts[i]))
            return false;
    return true;
}

bool ken_query__file_passes(const ken_snapshot *s, uint32_t file, const ken_search_opts *o)
{
    ken_str path = s->rows[file].path;
    if (o->file_type.len && !ken_str_eq_fold(ken_path_ext(path), o->file_type))
        return false;
    if (o->directory.len && !is_below(path, o->directory))
        return false;
    if (o->language.len && s->contents[file].lang != (uint16_t)ken_lang_by_name(o->language))
        return false;
    const ken_fs_stamp *stamp = &s->rows[file].stamp;
    int64_t mtime_ms = stamp->mtime_ns / 1000000;
    if ((o->since_ms && mtime_ms < o->since_ms) || (o->until_ms && mtime_ms > o->until_ms))
        return false;
    if (stamp->size < o->min_bytes || (o->max_bytes && stamp->size > o->max_bytes))
        return false;
    if (o->paths.n + o->other_paths.n && !path_passes(path, o))
        return false;
    return !o->glob.len || ken_glob_match(o->glob, path);
}

bool ken_query__type_passes(ken_chunk_type type, const ken_search_opts *o)
{
    return !o->chunk_types || (o->chunk_types >> type & 1);
}

bool ken_query__chunk_passes(const ken_facts *facts, uint32_t chunk, const ken_search_opts *o)
{
    const ken_chunk *c = &facts->chunks[chunk];
    if (!ken_query__type_passes(c->type, o))
        return false;
    if (!o->kind || (c->symbol >= 0 && facts->symbols[c->symbol].kind == o->kind))
        return true;
    uint32_t symbols[MAX_SYMBOLS], n = ken_view_chunk_symbols(facts, chunk, MAX_SYMBOLS, symbols);
    for (uint32_t i = 0; i < n; i++)
        if (facts->symbols[symbols[i]].kind == o->kind)
            return true;
    return false;
}

// ---- words that must stand there, or must not --------------------------------------------------

bool ken_query__has_words(const ken_search_opts *o)
{
    return o->phrases.n + o->excluded.n > 0;
}

static size_t find_text(ken_str text, ken_str part, bool is_case_sensitive)
{
    if (is_case_sensitive || !part.len)
        return ken_str_find(text, part);
    char low = ken_lower(part.ptr[0]);
    for (size_t i = 0; i + part.len <= text.len; i++)
        if (ken_lower(text.ptr[i]) == low &&
            ken_str_eq_fold(ken_str_sub(text, i, i + part.len), part))
            return i;
    return SIZE_MAX;
}

static size_t count_texts(ken_str text, const ken_filter *f, bool is_case_sensitive)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++)
        n += find_text(text, f->texts[i], is_case_sensitive) != SIZE_MAX;
    return n;
}

bool ken_query__words_pass(query_text *t, ken_span span, const ken_search_opts *o)
{
    if (!ken_query__has_words(o))
        return true;
    if (!ken_query__need_text(t))
        return false;
    return count_texts(t->text, &o->phrases, o->is_case_sensitive) == o->phrases.n &&
           !count_texts(ken_query__slice(t, span), &o->excluded, o->is_case_sensitive);
}

size_t ken_query__count_phrases(query_text *t, ken_span span, const ken_search_opts *o)
{
    if (!o->phrases.n || !ken_query__need_text(t))
        return 0;
    return count_texts(ken_query__slice(t, span), &o->phrases, o->is_case_sensitive);
}

// ---- hits --------------------------------------------------------------------------------------

// All definitions of the chunk, when there are several.
static void add_symbols(const query_text *t, uint32_t chunk, ken_arena *arena, ken_hit *hit)
{
    uint32_t symbols[MAX_SYMBOLS],
        n = ken_view_chunk_symbols(&t->facts, chunk, MAX_SYMBOLS, symbols);
    if (n < 2)
        return;
    hit->symbols = KEN_ARENA_ARRAY(arena, ken_hit_symbol, n);
    for (uint32_t i = 0; i < n; i++) {
        const ken_symbol *s = &t->facts.symbols[symbols[i]];
        hit->symbols[hit->n_symbols++] =
            (ken_hit_symbol){ ken_view_qualified(arena, &t->facts, symbols[i]), s->kind,
                              s->first_line, s->last_line };
    }
}

void ken_query__fill_hit(ken_snapshot *s, uint32_t file, query_text *t, uint32_t chunk,
                         const query_centre *centre, const ken_search_opts *o, ken_arena *arena,
                         ken_hit *hit)
{
    hit->path = s->rows[file].path;
    hit->language = ken_str_c(ken_lang_name((ken_lang_id)t->facts.lang));
    hit->chunk_index = chunk;
    hit->n_chunks = t->facts.n_chunks;
    hit->chunk_id = ken_uuid_of_chunk(hit->path, chunk);
    hit->first_line = centre->first_line;
    hit->last_line = centre->last_line;
    hit->span = centre->span;
    hit->chunk_type = t->facts.chunks[chunk].type;
    hit->is_refreshed = t->is_refreshed;
    hit->symbol_index = centre->symbol;
    if (centre->symbol >= 0) {
        hit->kind = t->facts.symbols[centre->symbol].kind;
        hit->symbol = ken_view_qualified(arena, &t->facts, (uint32_t)centre->symbol);
        hit->signature = ken_query__signature(t, (uint32_t)centre->symbol);
    }
    if (o->wants_content) {
        hit->content = ken_query__slice(t, centre->span);
        add_symbols(t, chunk, arena, hit);
    }
    if (o->context_lines) {
        hit->context_before = ken_query__lines_before(t, centre->span.start, o->context_lines);
        hit->context_after = ken_query__lines_after(t, centre->span.end, o->context_lines);
    }
}
