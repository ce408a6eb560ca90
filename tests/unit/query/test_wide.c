// SPDX-License-Identifier: MIT
// A question to several indexes is answered as by one index of all their files: the sample in three parts, and the
// same in one folder, where each part lies in a folder whose name is no word.
#include <ftw.h>
#include <math.h>

#include "base/quota.h"
#include "query/query_wide.h"
#include "unit/index/index_lab.h"

enum {
    N_PARTS = 3
};

static const char *const part_names[N_PARTS] = { "x", "y", "z" };
static index_lab parts[N_PARTS], whole;
static ken_snapshot *all;
static const char *sample;
static size_t n_opened[N_PARTS];
static ken_status refused[N_PARTS]; // what opening a part fails with

static size_t part_of(const char *path)
{
    static const char *const first[] = { "server/", "web/" }, *const second[] = { "worker/",
                                                                                  "billing/" };
    for (size_t i = 0; i < 2; i++) {
        if (!strncmp(path, first[i], strlen(first[i])))
            return 0;
        if (!strncmp(path, second[i], strlen(second[i])))
            return 1;
    }
    return 2;
}

static int copy(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)at;
    if (type != FTW_F)
        return 0;
    ken_str text = ktest_read(path);
    const char *rel = path + strlen(sample) + 1;
    char below[4096];
    size_t part = part_of(rel);
    snprintf(below, sizeof below, "%s/%s", part_names[part], rel);
    lab_write_n(&parts[part], rel, text.ptr, text.len);
    lab_write_n(&whole, below, text.ptr, text.len);
    return 0;
}

static void start(void)
{
    static const char *const names[N_PARTS] = { "one", "two", "three" };
    sample = ktest_data("sample");
    lab_start_named(&whole, "whole");
    for (size_t i = 0; i < N_PARTS; i++) {
        lab_start_named(&parts[i], names[i]);
        n_opened[i] = 0;
        refused[i] = KEN_OK;
    }
    kt_eq_i(nftw(sample, copy, 20, FTW_PHYS), 0);
    lab_run(&whole);
    for (size_t i = 0; i < N_PARTS; i++)
        lab_run(&parts[i]);
    all = lab_open(&whole);
}

static void end(void)
{
    lab_close(all);
    lab_end(&whole);
    for (size_t i = 0; i < N_PARTS; i++)
        lab_end(&parts[i]);
}

static ken_status open_part(void *ctx, size_t i, ken_snapshot **out, ken_err *err)
{
    (void)ctx;
    if (refused[i])
        return KEN_FAIL(err, refused[i], "not today");
    n_opened[i]++;
    *out = lab_open(&parts[i]);
    return KEN_OK;
}

static void close_part(void *ctx, size_t i, ken_snapshot *s)
{
    (void)ctx, (void)i;
    lab_close(s);
}

static void each(void *ctx, size_t n, ken_wide_job *job, void *arg)
{
    (void)ctx;
    while (n > 0) // the order says nothing
        job(arg, --n);
}

static ken_wide_host host_of(size_t max_open)
{
    return (ken_wide_host){
        .n = N_PARTS, .max_open = max_open, .open = open_part, .close = close_part, .each = each
    };
}

static ken_search_result ask_parts(const ken_wide_host *host, ken_wide **w, const char *query,
                                   ken_search_opts o)
{
    ken_search_result r = { 0 };
    *w = ken_wide_new(host);
    kt_ok_err(ken_wide_search(*w, ken_str_c(query), &o, NULL, &whole.arena, &r, &whole.err),
              &whole.err);
    return r;
}

static ken_search_result ask_whole(const char *query, ken_search_opts o)
{
    ken_search_result r = { 0 };
    kt_ok_err(ken_search(all, ken_str_c(query), &o, NULL, &whole.arena, &r, &whole.err),
              &whole.err);
    return r;
}

static const char *const questions[] = {
    "where are requests limited",
    "how do sessions expire",
    "retry policy",
    "exponential backoff with jitter",
    "format a date",
    "barcode check digit",
    "tax on an invoice",
    "amounts of different currencies",
    "dead letters",
    "table of parcels with sorting",
    "bearer token of a request",
    "RetryPolicy",
    "SessionStore",
    "what does pop_due return",
    "parse",
    "which tests cover the rate limiter",
    "configuration of the database",
    "send mail",
    "lang:go limit",
};

// The path in the whole, of a hit of a part.
static ken_str path_of(const ken_hit *h)
{
    return ken_arena_printf(&whole.arena, "%s/" KEN_STR_FMT, part_names[h->member],
                            KEN_STR_ARG(h->path));
}

static const ken_hit *find_hit(const ken_search_result *r, ken_str path)
{
    for (size_t i = 0; i < r->n_hits; i++)
        if (ken_str_eq(r->hits[i].path, path))
            return &r->hits[i];
    return NULL;
}

// What is a project's own counts for that project: which folder holds all of its code (here `native`, of the third
// part), and how rare the words of file names are in it.
static bool is_alike(ken_str path, double a, double b)
{
    bool is_own = ken_str_starts(path, KEN_STR("z/native/"));
    return is_own || fabs(a - b) < 0.15;
}

// How many of the hits of one answer are in the other, whose scores are alike.
static size_t count_shared(const ken_search_result *a, const ken_search_result *b)
{
    size_t n = 0;
    for (size_t i = 0; i < a->n_hits; i++) {
        ken_str path = path_of(&a->hits[i]);
        const ken_hit *h = find_hit(b, path);
        n += h != NULL;
        if (h && !is_alike(path, a->hits[i].score, h->score))
            kt_fail(KEN_STR_FMT ": %f in parts, %f in the whole", KEN_STR_ARG(path),
                    a->hits[i].score, h->score);
    }
    return n;
}

KEN_TEST(several_indexes_answer_like_one)
{
    static const ken_search_mode modes[] = { KEN_SEARCH_AUTO, KEN_SEARCH_LEXICAL,
                                             KEN_SEARCH_SEMANTIC };
    start();
    const ken_wide_host host = host_of(N_PARTS);
    size_t n = 0, n_hits = 0, n_shared = 0, n_first = 0;
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        for (size_t i = 0; i < sizeof questions / sizeof *questions; i++, n++) {
            ken_wide *w;
            const ken_search_opts o = { .mode = modes[m], .wants_content = true };
            ken_search_result a = ask_parts(&host, &w, questions[i], o),
                              b = ask_whole(questions[i], o);
            n_shared += count_shared(&a, &b);
            n_hits += b.n_hits;
            n_first += b.n_hits ? ken_str_eq(path_of(&a.hits[0]), b.hits[0].path) : !a.n_hits;
            kt_eq_str(a.strategy, b.strategy);
            kt_eq_i(a.has_confidence, b.has_confidence);
            kt_true(fabs(a.confidence - b.confidence) < 0.01);
            ken_wide_free(w);
        }
    }
    kt_true(n_shared * 100 >= n_hits * 97);
    kt_true(n_first + 2 >= n); // the tests of the rate limiter come just before it in the whole
    end();
}

static void same_hits(const ken_search_result *a, const ken_search_result *b)
{
    kt_eq_u(a->n_hits, b->n_hits);
    kt_eq_u(a->n_total, b->n_total);
    for (size_t i = 0; i < a->n_hits; i++) {
        kt_true(ken_str_eq(a->hits[i].path, b->hits[i].path));
        kt_eq_u(a->hits[i].member, b->hits[i].member);
        kt_eq_u(a->hits[i].first_line, b->hits[i].first_line);
        kt_near(a->hits[i].score, b->hits[i].score, 1e-9);
        kt_true(ken_str_eq(a->hits[i].content, b->hits[i].content));
    }
}

KEN_TEST(with_one_open_at_a_time_the_answer_is_the_same)
{
    static const struct {
        const char *query;
        ken_search_opts o;
    } asked[] = {
        { "where are requests limited", { .wants_content = true } },
        { "RetryPolicy", { .wants_content = true, .limit = 3, .offset = 1 } },
        { "parcel", { .wants_content = true, .wants_chunks = true, .limit = 20 } },
        { "\"jitter\" backoff", { .wants_content = true } },
        { "limit", { .mode = KEN_SEARCH_SYMBOL, .wants_content = true } },
        { "return", { .mode = KEN_SEARCH_TEXT, .wants_content = true, .limit = 7, .offset = 2 } },
    };
    start();
    const ken_wide_host wide = host_of(N_PARTS), narrow = host_of(1);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        ken_wide *w, *v;
        ken_search_result a = ask_parts(&wide, &w, asked[i].query, asked[i].o);
        kt_true(a.n_hits > 0);
        ken_search_result b = ask_parts(&narrow, &v, asked[i].query, asked[i].o);
        same_hits(&a, &b);
        ken_wide_free(v);
        ken_wide_free(w);
    }
    kt_true(n_opened[0] > 12); // for each step anew
    end();
}

KEN_TEST(one_that_cannot_be_opened_is_left_out_with_its_reason)
{
    start();
    refused[1] = KEN_ECORRUPT;
    const ken_wide_host host = host_of(N_PARTS);
    ken_wide *w;
    ken_search_result r = ask_parts(&host, &w, "retry policy", (ken_search_opts){ 0 });
    kt_true(r.n_hits > 0);
    for (size_t i = 0; i < r.n_hits; i++)
        kt_true(r.hits[i].member != 1);
    kt_eq_i(ken_wide_failure(w, 1)->status, KEN_ECORRUPT);
    kt_has_str(ken_wide_failure(w, 1)->msg, "not today");
    kt_eq_i(ken_wide_failure(w, 0)->status, KEN_OK);
    ken_wide_free(w);
    end();
}

// Puts the question under a limit of memory; what it took at most.
static size_t ask_under(uint64_t bytes, ken_wide **w, ken_search_result *out, ken_err *failure)
{
    static ken_wide_host host;
    ken_quota quota;
    host = host_of(N_PARTS);
    *w = ken_wide_new(&host);
    ken_quota_begin(&quota, &(ken_quota_limits){ .bytes = bytes }, NULL);
    ken_status st = ken_wide_search(*w, KEN_STR("retry policy"), &(ken_search_opts){ 0 }, NULL,
                                    &whole.arena, out, failure);
    (void)st; // and its message
    ken_quota_end(&quota);
    return quota.account.peak_bytes;
}

// A part alone would be within the limit.
KEN_TEST(all_parts_have_one_limit_of_memory)
{
    start();
    ken_wide *w;
    ken_search_result r = { 0 };
    ken_err failure = { 0 };
    size_t needed = ask_under(1 << 30, &w, &r, &failure);
    kt_eq_i(failure.status, KEN_OK);
    kt_true(r.n_hits > 0);
    ken_wide_free(w);
    failure = (ken_err){ 0 };
    size_t taken = ask_under(needed * 3 / 4, &w, &r, &failure);
    size_t n_left_out = 0;
    for (size_t i = 0; i < N_PARTS; i++)
        n_left_out += ken_wide_failure(w, i)->status == KEN_ELIMIT;
    kt_true(taken <= needed * 3 / 4);
    kt_true(n_left_out || failure.status == KEN_ELIMIT);
    ken_wide_free(w);
    end();
}

KEN_TEST(what_is_similar_is_asked_of_one_project)
{
    start();
    const ken_wide_host host = host_of(N_PARTS);
    ken_wide *w = ken_wide_new(&host);
    ken_search_result r;
    ken_err err = { 0 };
    kt_status(ken_wide_search(w, KEN_STR("server/router.go:10"),
                              &(ken_search_opts){ .mode = KEN_SEARCH_SIMILAR }, NULL, &whole.arena,
                              &r, &err),
              KEN_EINVAL);
    kt_has_str(err.msg, "one project");
    kt_eq_u(n_opened[0], 0);
    ken_wide_free(w);
    end();
}
