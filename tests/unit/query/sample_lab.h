// SPDX-License-Identifier: MIT
// sample_lab.h -- tests/data/sample in a folder of the test's own, indexed, and short ways to ask.
#ifndef KEN_TESTS_SAMPLE_LAB_H
#define KEN_TESTS_SAMPLE_LAB_H

#include <ftw.h>

#include "unit/index/index_lab.h"

static index_lab l;
static ken_snapshot *snap;

static const char *sample_from;

static inline int sample_copy(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)at;
    if (type == FTW_F) {
        ken_str text = ktest_read(path);
        lab_write_n(&l, path + strlen(sample_from) + 1, text.ptr, text.len);
    }
    return 0;
}

// The sample, not indexed yet.
static inline void sample_make(void)
{
    lab_start(&l);
    snap = NULL;
    sample_from = ktest_data("sample");
    kt_eq_i(nftw(sample_from, sample_copy, 20, FTW_PHYS), 0);
}

static inline void sample_index(void)
{
    lab_run(&l);
    if (snap) {
        lab_again(&l, snap);
        return;
    }
    snap = lab_open(&l);
}

static inline void sample_start(void)
{
    sample_make();
    sample_index();
}

static inline void sample_end(void)
{
    lab_close(snap);
    snap = NULL;
    lab_end(&l);
}

// ---- asking ------------------------------------------------------------------------------------

static inline ken_status try_ask(const char *query, const ken_search_opts *o,
                                 ken_search_result *out)
{
    l.err = (ken_err){ 0 };
    *out = (ken_search_result){ 0 };
    return ken_search(snap, ken_str_c(query), o, NULL, &l.arena, out, &l.err);
}

static inline ken_search_result ask_with(const char *query, ken_search_opts o)
{
    ken_search_result r;
    kt_ok_err(try_ask(query, &o, &r), &l.err);
    kt_true(r.n_hits <= (o.limit ? o.limit : 10));
    return r;
}

static inline ken_search_result ask(const char *query)
{
    return ask_with(query, (ken_search_opts){ .wants_content = true });
}

static inline ken_search_result ask_symbol(const char *query)
{
    return ask_with(query, (ken_search_opts){ .mode = KEN_SEARCH_SYMBOL, .wants_content = true });
}

static inline ken_search_result ask_text(const char *query)
{
    return ask_with(query, (ken_search_opts){ .mode = KEN_SEARCH_TEXT, .wants_content = true });
}

static inline ken_search_result ask_regex(const char *query)
{
    return ask_with(query, (ken_search_opts){ .mode = KEN_SEARCH_REGEX, .wants_content = true });
}

// ---- looking at answers ------------------------------------------------------------------------

// Place of `path` among the hits, from 0; -1 when it is not there.
static inline int place_of(const ken_search_result *r, const char *path)
{
    for (size_t i = 0; i < r->n_hits; i++)
        if (ken_str_eq_c(r->hits[i].path, path))
            return (int)i;
    return -1;
}

static inline void first_is(const char *query, const char *path)
{
    ken_search_result r = ask(query);
    if (!r.n_hits)
        kt_fail("'%s' found nothing", query);
    if (!ken_str_eq_c(r.hits[0].path, path))
        kt_fail("'%s' found " KEN_STR_FMT " first, not %s (place %d)", query,
                KEN_STR_ARG(r.hits[0].path), path, place_of(&r, path));
}

// "a.py:3 Parser.parse, b.c:1 parse": the hits in order, lines from 1.
static inline const char *hits_text(const ken_search_result *r)
{
    static char text[8000];
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < r->n_hits; i++)
        n +=
            (size_t)snprintf(text + n, sizeof text - n, "%s" KEN_STR_FMT ":%u%s" KEN_STR_FMT,
                             i ? ", " : "", KEN_STR_ARG(r->hits[i].path), r->hits[i].first_line + 1,
                             r->hits[i].symbol.len ? " " : "", KEN_STR_ARG(r->hits[i].symbol));
    return text;
}

static inline void hits_are(const ken_search_result *r, const char *want)
{
    kt_eq_str(hits_text(r), want);
}

// The file as it is on disk now.
static inline ken_str disk(ken_str path)
{
    char rel[4096];
    snprintf(rel, sizeof rel, KEN_STR_FMT, KEN_STR_ARG(path));
    return lab_read(&l, rel);
}

static inline uint32_t line_at(ken_str text, uint32_t byte)
{
    kt_not_null(text.ptr);
    uint32_t n = 0;
    for (uint32_t i = 0; i < byte; i++)
        n += text.ptr[i] == '\n';
    return n;
}

// What must hold of any hit: it quotes what is on the disk, where it says it stands.
static inline void check_hit(const ken_hit *h, bool has_content)
{
    ken_str text = disk(h->path);
    kt_not_null(text.ptr);
    kt_true(h->span.start <= h->span.end && h->span.end <= text.len);
    kt_eq_u(h->first_line, line_at(text, h->span.start));
    kt_true(h->last_line >= h->first_line);
    if (has_content)
        kt_eq_mem(h->content.ptr, h->content.len, text.ptr + h->span.start,
                  h->span.end - h->span.start);
    kt_true(h->similarity >= 0 && h->similarity <= 1);
    kt_true(ken_uuid_eq(h->chunk_id, ken_uuid_of_chunk(h->path, h->chunk_index)));
    kt_true(h->language.len > 0);
}

static inline void check_result(const ken_search_result *r)
{
    for (size_t i = 0; i < r->n_hits; i++) {
        check_hit(&r->hits[i], true);
        kt_true(i == 0 || r->hits[i].score <= r->hits[i - 1].score);
    }
    kt_true(r->strategy != NULL);
}

#endif
