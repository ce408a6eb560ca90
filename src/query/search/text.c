// SPDX-License-Identifier: MIT
// Literal and regular-expression search over the indexed files as they are on disk now. PCRE2 with
// its JIT, a match limit and a limit on depth: a pattern that explodes is an error, not a hang.
// Files come in the order of their paths, ordinary code first.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <stdlib.h>

#include <pcre2.h>

#include "base/fs.h"
#include "base/utf8.h"
#include "query/query_priv.h"
#include "secret/secret.h"

enum {
    MAX_FILE_BYTES = 10 << 20,
    MATCH_LIMIT = 2000000,
    DEPTH_LIMIT = 20000,
    FOUND_PER_FILE = 400, // that are looked at when chunks are filtered
    AHEAD_FILES = 128,    // of a database, that are read together
    AHEAD_BYTES = 2 << 20,
    LINE_MAX_SHOWN = 300,
    LINE_BEFORE = 100,              // of a long line, before what matched
    MARKS_MAX = LINE_MAX_SHOWN / 2, // as many as have something between them
};

typedef struct text_search {
    ken_snapshot *s;
    const ken_search_opts *o;
    ken_arena *arena;
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *limits;
    ken_buf buf;
    query_ahead ahead;
    uint32_t ahead_end; // of the order: so far they were read
} text_search;

static ken_status compile(text_search *x, ken_str query, ken_err *err)
{
    uint32_t flags = PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
    if (x->o->mode == KEN_SEARCH_TEXT)
        flags = PCRE2_LITERAL;
    flags |= PCRE2_UTF | PCRE2_MATCH_INVALID_UTF; // broken bytes in a file match nothing
    if (!x->o->is_case_sensitive)
        flags |= PCRE2_CASELESS;
    int code = 0;
    PCRE2_SIZE at = 0;
    pcre2_compile_context *cc = pcre2_compile_context_create(NULL);
    if (cc) {
        pcre2_set_max_pattern_length(cc, 10000);
        pcre2_set_parens_nest_limit(cc, 100);
    }
    x->code = pcre2_compile((PCRE2_SPTR)query.ptr, query.len, flags, &code, &at, cc);
    pcre2_compile_context_free(cc);
    if (!x->code) {
        PCRE2_UCHAR text[120];
        pcre2_get_error_message(code, text, sizeof text);
        return KEN_FAIL(err, KEN_EINVAL, "query: not a regular expression, at byte %zu: %s", at,
                        (const char *)text);
    }
    (void)pcre2_jit_compile(x->code, PCRE2_JIT_COMPLETE); // without a JIT it is slower, not wrong
    x->match = pcre2_match_data_create_from_pattern(x->code, NULL);
    x->limits = pcre2_match_context_create(NULL);
    if (!x->match || !x->limits)
        return KEN_FAIL(err, KEN_ENOMEM, "preparing the search");
    pcre2_set_match_limit(x->limits, MATCH_LIMIT);
    pcre2_set_depth_limit(x->limits, DEPTH_LIMIT);
    return KEN_OK;
}

// Offset of the next match at or after `from`, SIZE_MAX when there is none.
static ken_status next_match(text_search *x, ken_str text, size_t from, size_t *out_at,
                             size_t *out_end, ken_err *err)
{
    int rc = pcre2_match(x->code, (PCRE2_SPTR)text.ptr, text.len, from, 0, x->match, x->limits);
    if (rc == PCRE2_ERROR_NOMATCH) {
        *out_at = SIZE_MAX;
        return KEN_OK;
    }
    if (rc < 0) {
        PCRE2_UCHAR message[120];
        pcre2_get_error_message(rc, message, sizeof message);
        return KEN_FAIL(err, KEN_ELIMIT, "query: the expression is too costly: %s",
                        (const char *)message);
    }
    const PCRE2_SIZE *v = pcre2_get_ovector_pointer(x->match);
    *out_at = v[0];
    *out_end = v[1];
    return KEN_OK;
}

static ken_str line_around(ken_str text, size_t at, size_t *out_start, size_t *out_end)
{
    size_t start = ken_str_rfind_char(ken_str_sub(text, 0, at), '\n');
    size_t len = ken_str_find_char(ken_str_sub(text, at, text.len), '\n');
    *out_start = start == SIZE_MAX ? 0 : start + 1;
    *out_end = len == SIZE_MAX ? text.len : at + len;
    return ken_str_sub(text, *out_start, *out_end);
}

static uint32_t count_lines(ken_str text, size_t from, size_t to)
{
    uint32_t n = 0;
    for (size_t i = from; i < to; i++)
        n += text.ptr[i] == '\n';
    return n;
}

typedef struct text_place {
    size_t at;
    uint32_t line;
} text_place;

static bool is_inside_char(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

// What is shown of a line: all of it, or of a long one the part around `at`, whole characters.
static ken_str part_around(ken_str line, size_t at)
{
    if (line.len <= LINE_MAX_SHOWN)
        return line;
    size_t start = at > LINE_BEFORE ? at - LINE_BEFORE : 0;
    if (start > line.len - LINE_MAX_SHOWN)
        start = line.len - LINE_MAX_SHOWN;
    for (int i = 0; i < 3 && start && is_inside_char(line.ptr[start]); i++)
        start++;
    return ken_utf8_clip(ken_str_sub(line, start, line.len), LINE_MAX_SHOWN);
}

// Characters of what `text` is shown as.
static uint32_t count_chars(ken_arena *arena, ken_str text)
{
    return (uint32_t)ken_utf8_count(ken_query__repaired(arena, text));
}

// What matched of the part that is shown of a line, from `at` on: as far as it stands in that part.
static void mark(text_search *x, ken_str text, size_t at, ken_str part, ken_place *place)
{
    size_t first = (size_t)(part.ptr - text.ptr), last = first + part.len, counted = first;
    size_t end = 0, n = 0;
    uint32_t marks[2 * MARKS_MAX], n_chars = 0, n_shown = (uint32_t)ken_utf8_count(place->text);
    while (!next_match(x, text, at, &at, &end, NULL) && at < last) {
        size_t to = end < last ? end : last;
        bool is_next = n && at == counted; // touches the one before it, and is one with it
        if (at >= counted && to > at && (is_next || n < MARKS_MAX)) {
            n_chars += count_chars(x->arena, ken_str_sub(text, counted, at));
            if (n_chars >= n_shown)
                break;
            if (!is_next)
                marks[2 * n++] = n_chars;
            n_chars += count_chars(x->arena, ken_str_sub(text, at, to));
            marks[2 * n - 1] = n_chars < n_shown ? n_chars : n_shown;
            counted = to;
        }
        bool is_empty = end <= at;
        at = end;
        while (is_empty && ++at < text.len && is_inside_char(text.ptr[at]))
            continue;
    }
    place->marks = ken_arena_copy(x->arena, marks, 2 * n, sizeof *marks);
    place->n_marks = n;
}

static bool has_chunk_filter(const ken_search_opts *o)
{
    return o->kind || o->chunk_types || o->phrases.n || o->excluded.n;
}

// Lines of the file that match, as many as are wanted; one place a line.
static ken_status find_places(text_search *x, ken_str text, text_place *out, size_t *out_n,
                              ken_err *err)
{
    size_t from = 0, counted = 0, n = 0,
           most = has_chunk_filter(x->o) ? FOUND_PER_FILE : KEN_LINES_MAX;
    uint32_t line = 0;
    while (n < most && from <= text.len) {
        size_t at = SIZE_MAX, end = 0, line_start, line_end;
        ken_status st = next_match(x, text, from, &at, &end, err);
        if (st)
            return st;
        if (at == SIZE_MAX)
            break;
        line += count_lines(text, counted, at);
        counted = at;
        out[n++] = (text_place){ at, line };
        line_around(text, at, &line_start, &line_end);
        from = line_end + 1;
    }
    *out_n = n;
    return KEN_OK;
}

static uint32_t chunk_at(const ken_facts *facts, size_t byte)
{
    uint32_t best = 0;
    for (uint32_t i = 0; i < facts->n_chunks; i++)
        if (facts->chunks[i].span.start <= byte)
            best = i;
    return best;
}

// Whether a byte stands in a definition of the kind that is asked for.
static bool is_in_kind(const text_search *x, const ken_facts *facts, size_t byte)
{
    int64_t at = x->o->kind ? ken_query__definition_at(facts, (uint32_t)byte) : -1;
    while (at >= 0 && facts->symbols[at].kind != x->o->kind)
        at = facts->symbols[at].parent;
    return !x->o->kind || at >= 0;
}

// Leaves the places whose chunks and definitions pass.
static size_t filter_places(text_search *x, query_text *t, text_place *found, size_t n)
{
    size_t kept = 0;
    uint32_t last = UINT32_MAX;
    bool is_passing = false;
    for (size_t i = 0; i < n && kept < KEN_LINES_MAX && t->facts.n_chunks; i++) {
        uint32_t chunk = chunk_at(&t->facts, found[i].at);
        if (chunk != last)
            is_passing = ken_query__chunk_passes(&t->facts, chunk, x->o) &&
                         ken_query__words_pass(t, t->facts.chunks[chunk].span, x->o);
        last = chunk;
        if (is_passing && is_in_kind(x, &t->facts, found[i].at))
            found[kept++] = found[i];
    }
    return kept;
}

// Each line is told with the definition that it stands in.
static void fill(text_search *x, uint32_t file, query_text *t, const text_place *found, size_t n,
                 ken_hit *hit)
{
    uint32_t chunk = chunk_at(&t->facts, found[0].at);
    *hit = (ken_hit){ .score = 1, .similarity = 1 };
    query_centre centre;
    ken_query__centre_chunk(t, chunk, x->o->kind, &centre);
    ken_query__fill_hit(x->s, file, t, chunk, &centre, x->o, x->arena, hit);
    hit->places = KEN_ARENA_ARRAY(x->arena, ken_place, n);
    for (size_t i = 0; i < n; i++) {
        size_t start, end;
        ken_str text = ken_buf_str(&x->buf);
        ken_str line = line_around(text, found[i].at, &start, &end);
        line = part_around(line, found[i].at - start);
        int64_t symbol = ken_query__definition_at(&t->facts, (uint32_t)found[i].at);
        ken_place *place = &hit->places[hit->n_places++];
        *place = (ken_place){
            .first_line = found[i].line,
            .last_line = found[i].line,
            .symbol = symbol < 0 ? KEN_STR("")
                                 : ken_view_qualified(x->arena, &t->facts, (uint32_t)symbol),
            .text = ken_utf8_clip(ken_query__repaired(x->arena, ken_arena_dup(x->arena, line)),
                                  LINE_MAX_SHOWN), // broken bytes are longer when repaired
        };
        mark(x, text, found[i].at, line, place);
    }
}

// The lines come from the text that was searched; chunk and symbol from the file's facts.
static bool show(text_search *x, uint32_t file, text_place *found, size_t n, ken_hit *hit)
{
    query_text t;
    if (ken_query__load_text(x->s, file, x->arena, &t, NULL))
        return false;
    n = filter_places(x, &t, found, n);
    if (n)
        fill(x, file, &t, found, n, hit);
    ken_query__close_text(&t);
    return n > 0;
}

// Tests, examples, generated code, prose and data come after ordinary code.
static bool is_noise(const text_search *x, uint32_t file)
{
    uint32_t noise =
        KEN_PATH_TEST | KEN_PATH_EXAMPLE | KEN_PATH_COMPAT | KEN_PATH_DOC | KEN_PATH_DATA;
    return (x->s->path_bits[file] & noise) != 0;
}

// Reads one file as it is now; *out_n = 0 when it is gone or nothing in it matches.
static ken_status search_file(text_search *x, uint32_t file, text_place *found, size_t *out_n,
                              ken_err *err)
{
    *out_n = 0;
    ken_err e = { 0 };
    ken_str path = x->s->rows[file].path;
    if (!ken_query__has_files(x->s, path) ||
        ken_query__read_file(x->s, path, MAX_FILE_BYTES, &x->buf, &e)) {
        ken_query__set_unread(x->s, x->s->rows[file].path, &e);
        return KEN_OK;
    }
    ken_status st = find_places(x, ken_buf_str(&x->buf), found, out_n, err);
    if (st || !*out_n || !ken_secret_mask(x->buf.ptr, x->buf.len))
        return st;
    *out_n = 0; // what was found may have been a secret
    return find_places(x, ken_buf_str(&x->buf), found, out_n, err);
}

// The place `i` of the order: ordinary files, then the others.
static bool is_due(const text_search *x, uint32_t i, uint32_t *out_file)
{
    uint32_t n_files = x->s->n_files;
    *out_file = i < n_files ? i : i - n_files;
    return is_noise(x, *out_file) == (i >= n_files) &&
           ken_query__file_passes(x->s, *out_file, x->o);
}

// A server without the folder asks its database once for many files.
static ken_status read_ahead(text_search *x, uint32_t i, ken_err *err)
{
    int64_t contents[AHEAD_FILES];
    size_t n = 0, n_bytes = 0;
    uint32_t file;
    if (i < x->ahead_end)
        return KEN_OK;
    for (; i < 2 * x->s->n_files && n < AHEAD_FILES && n_bytes < AHEAD_BYTES; i++) {
        if (!is_due(x, i, &file) || !ken_query__is_stored(x->s, x->s->rows[file].path))
            continue;
        contents[n++] = x->s->rows[file].content;
        n_bytes += x->s->rows[file].stamp.size;
    }
    x->ahead_end = i;
    return ken_query__read_ahead(x->s, contents, n, &x->ahead, err);
}

static ken_status search_files(text_search *x, const ken_cancel *cancel, ken_search_result *out,
                               ken_err *err)
{
    uint32_t limit = ken_query__limit(x->o), passed = 0, n_files = x->s->n_files;
    for (uint32_t i = 0; i < 2 * n_files && !out->is_truncated; i++) {
        uint32_t f;
        ken_status st = ken_cancel_check(cancel, err);
        if (st)
            return st;
        if (!is_due(x, i, &f))
            continue;
        text_place found[FOUND_PER_FILE];
        size_t n = 0;
        st = x->s->is_stored ? read_ahead(x, i, err) : KEN_OK;
        if (!st)
            st = search_file(x, f, found, &n, err);
        if (st)
            return st;
        if (!n)
            continue;
        ken_hit hit;
        if (!show(x, f, found, n, &hit))
            continue;
        out->n_total++;
        out->is_truncated = out->is_at_least = out->n_hits == limit;
        if (out->is_truncated)
            break;
        if (passed++ >= x->o->offset)
            out->hits[out->n_hits++] = hit;
        ken_quota_say("%u of %u files were looked at", i < n_files ? i + 1 : n_files, n_files);
    }
    return KEN_OK;
}

ken_status ken_query__text_search(ken_snapshot *s, ken_str query, const ken_search_opts *o,
                                  const ken_cancel *cancel, ken_arena *arena,
                                  ken_search_result *out, ken_err *err)
{
    text_search x = { .s = s, .o = o, .arena = arena, .buf = KEN_BUF_INIT(MAX_FILE_BYTES + 1) };
    *out = (ken_search_result){ .hits = KEN_ARENA_ARRAY(arena, ken_hit, ken_query__limit(o)),
                                .strategy = o->mode == KEN_SEARCH_TEXT ? "text" : "regex" };
    ken_arena_init(&x.ahead.arena, 0);
    s->ahead = &x.ahead;
    ken_status st = compile(&x, query, err);
    if (!st)
        st = ken_query__settle_search(search_files(&x, cancel, out, err), out, err);
    pcre2_match_context_free(x.limits);
    pcre2_match_data_free(x.match);
    pcre2_code_free(x.code);
    ken_buf_release(&x.buf);
    s->ahead = NULL;
    ken_arena_release(&x.ahead.arena);
    return st;
}
