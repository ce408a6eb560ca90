// SPDX-License-Identifier: MIT
// Words in file names and folders: each case by itself, then every array against a plain search.
#include <math.h>
#include <string.h>

#include "base/path.h"
#include "base/quota.h"
#include "ktest.h"
#include "lexical/lexical_path.h"
#include "unit/lexical/lexical_lab.h"

static ken_path_index *new_index(const ken_str *paths, size_t n)
{
    ken_path_index *p = NULL;
    kt_ok(ken_path_index_new(paths, n, &p, NULL));
    return p;
}

static ken_path_index *index_of(const char *const *paths, size_t n)
{
    ken_str *s = ken_alloc(n * sizeof *s + 1);
    for (size_t i = 0; i < n; i++)
        s[i] = ken_str_c(paths[i]);
    ken_path_index *p = new_index(s, n);
    ken_free(s);
    return p;
}

static ken_lex_query q;
static ken_path_match m;

static void match(const ken_path_index *p, const char *text)
{
    double weights[KEN_QUERY_TERMS];
    ken_lex_query_parse(ken_str_c(text), &q);
    for (int i = 0; i < KEN_QUERY_TERMS; i++)
        weights[i] = 1;
    ken_path_index_match(p, &q, &m);
    ken_path_match_weigh(&m, &q, weights);
}

static double at(float *const *array, uint32_t term, uint32_t file)
{
    return array[term] ? (double)array[term][file] : 0;
}

static double precision(uint32_t file)
{
    return (double)m.name_precision[file];
}

static double name_fit(uint32_t file)
{
    return (double)m.name_fit[file];
}

static double folder_fit(uint32_t file)
{
    return (double)m.folder_fit[file];
}

// ---- one case each -----------------------------------------------------------------------------

static const char *const paths[] = {
    "worker/retry_policy.py",    // 0
    "worker/retries.py",         // 1
    "web/src/clientSession.ts",  // 2
    "web/src/client_session.ts", // 3
    "web/src/clientsession.ts",  // 4
    "docs/http/server.md",       // 5
    "main.c",                    // 6
    "src/HTTPServer/handler.go", // 7
    "a/b/c/deep/folder/file.rs", // 8
    "Makefile",                  // 9
    "src/ret.c",                 // 10
};
enum {
    N_PATHS = sizeof paths / sizeof *paths
};

KEN_TEST(a_word_finds_the_file_names_that_hold_it)
{
    ken_path_index *p = index_of(paths, N_PATHS);
    match(p, "retry");
    kt_near(at(m.file_name, 0, 0), 1, 1e-6);
    kt_near(at(m.file_name, 0, 1), 1, 1e-6); // the same stem
    kt_near(at(m.file_name, 0, 6), 0, 1e-6);
    kt_near(at(m.file_name, 0, 10), 0.5, 1e-6); // three letters that begin it
    kt_near(precision(1), 1, 1e-6);
    kt_true(precision(0) > 0 && precision(0) < 1);
    kt_true(name_fit(1) > name_fit(0));
    kt_near(name_fit(6), 0, 1e-6);
    ken_path_match_release(&m);
    ken_path_index_free(p);
}

KEN_TEST(all_words_of_a_name_fit_wholly)
{
    ken_path_index *p = index_of(paths, N_PATHS);
    match(p, "retry policy");
    kt_near(precision(0), 1, 1e-6);
    kt_near(name_fit(0), 1, 1e-6);
    for (uint32_t f = 1; f < N_PATHS; f++)
        kt_true(name_fit(f) < name_fit(0));
    ken_path_match_release(&m);
    ken_path_index_free(p);
}

KEN_TEST(a_compound_is_found_however_it_is_written)
{
    static const char *const asked[] = { "ClientSession", "client session", "client_session",
                                         "clientsession" };
    ken_path_index *p = index_of(paths, N_PATHS);
    for (int i = 0; i < 4; i++) {
        match(p, asked[i]);
        for (uint32_t f = 2; f <= 4; f++) {
            kt_near(precision(f), 1, 1e-6);
            kt_true(name_fit(f) > 0.5);
        }
        kt_near(precision(6), 0, 1e-6);
    }
    ken_path_match_release(&m);
    ken_path_index_free(p);
}

KEN_TEST(folders_count_for_all_their_files)
{
    ken_path_index *p = index_of(paths, N_PATHS);
    match(p, "http server");
    kt_near(at(m.folder, 0, 5), 1, 1e-6);
    kt_near(at(m.folder, 0, 7), 1, 1e-6);
    kt_near(at(m.folder, 1, 7), 1, 1e-6);
    kt_near(at(m.file_name, 1, 5), 1, 1e-6);
    kt_near(at(m.file_name, 1, 7), 0, 1e-6);
    kt_near(folder_fit(7), 2.0 / 3, 1e-6); // "src HTTP Server", two of three
    kt_near(folder_fit(5), 1.0 / 2, 1e-6); // "docs http"
    kt_near(folder_fit(6), 0, 1e-6);
    match(p, "a deep b"); // folders far above count for a word, not for the fit
    kt_near(at(m.folder, 0, 8), 1, 1e-6);
    kt_near(folder_fit(8), 0.5, 1e-6); // "deep folder"
    ken_path_match_release(&m);
    ken_path_index_free(p);
}

// A prefix needs three letters, and says less than the word.
KEN_TEST(beginnings_fit_less)
{
    ken_path_index *p = index_of(paths, N_PATHS);
    match(p, "retriever"); // "ret" begins it; "retri" does as well
    kt_near(at(m.file_name, 0, 1), 0.8, 1e-6);
    kt_near(at(m.file_name, 0, 10), 0.5, 1e-6);
    match(p, "hand");
    kt_near(at(m.file_name, 0, 7), 0.8, 1e-6);
    match(p, "ma");
    kt_near(at(m.file_name, 0, 6), 0, 1e-6);
    kt_near(at(m.file_name, 0, 9), 0, 1e-6);
    match(p, "make");
    kt_near(at(m.file_name, 0, 9), 0.8, 1e-6);
    ken_path_match_release(&m);
    ken_path_index_free(p);
}

KEN_TEST(early_words_of_a_question_fit_a_name_better)
{
    static const char *const two[] = { "alpha.c", "omega.c" };
    ken_path_index *p = index_of(two, 2);
    match(p, "alpha omega");
    kt_true(name_fit(0) > name_fit(1));
    match(p, "omega alpha");
    kt_true(name_fit(1) > name_fit(0));
    ken_path_match_release(&m);
    ken_path_index_free(p);
}

KEN_TEST(no_files_and_odd_names)
{
    ken_path_index *p = new_index(NULL, 0);
    match(p, "anything");
    kt_eq_u(m.files.len, 0);
    ken_path_match_release(&m);
    ken_path_index_free(p);
    static const char *const odd[] = { ".gitignore", "..",         "a",
                                       "_",          "x/.env.d/1", "\xff\xfe",
                                       "",           "no/ext/",    "v1/v2/v3.0.tar.gz" };
    p = index_of(odd, 9);
    match(p, "gitignore env v3 tar 1 ext");
    for (uint32_t f = 0; f < 9; f++)
        kt_true(name_fit(f) >= 0 && name_fit(f) <= 1 && folder_fit(f) <= 1);
    ken_path_match_release(&m);
    ken_path_index_free(p);
}

// ---- against a plain search --------------------------------------------------------------------

static const char *const words[] = { "client",  "session", "ret",    "retry", "retries",
                                     "http",    "server",  "serve",  "a",     "main",
                                     "handler", "cl",      "clients" };
enum {
    N_WORDS = sizeof words / sizeof *words
};

static void put_name(ken_buf *b)
{
    for (uint32_t n = 1 + lab_pick(3), i = 0; i < n; i++) {
        size_t from = b->len + (i > 0);
        ken_buf_printf(b, "%s%s", i && lab_pick(2) ? "_" : "", words[lab_pick(N_WORDS)]);
        if (from < b->len && lab_pick(2))
            b->ptr[from] = (char)(b->ptr[from] >= 'a' ? b->ptr[from] - 0x20 : b->ptr[from]);
    }
}

static double plain_fuzzy(ken_str a, ken_str b)
{
    if (ken_str_eq(a, b))
        return 1;
    size_t n = a.len < b.len ? a.len : b.len;
    if (n < 3 || memcmp(a.ptr, b.ptr, n) != 0)
        return 0;
    return n > 3 ? 0.8 : 0.5;
}

// The best fit of `term` to any token of `name`.
static double plain_fit(ken_str term, ken_str name)
{
    double best = 0;
    ken_str token;
    while (ken_token_next(&name, &token)) {
        ken_token_parts parts;
        ken_token_split(token, &parts);
        for (uint32_t i = 0; i < parts.n_parts; i++) {
            char word[KEN_TOKEN_MAX + 2];
            memcpy(word, parts.text + parts.part[i].start, parts.part[i].len);
            double fit = plain_fuzzy(term, ken_str_n(word, ken_stem(word, parts.part[i].len)));
            best = fit > best ? fit : best;
        }
    }
    return best;
}

// The name without its marks.
static double plain_whole(const ken_query_term *t, ken_str term, ken_str stem)
{
    char whole[300];
    size_t n = 0;
    for (size_t i = 0; i < stem.len; i++)
        if (ken_is_alpha(stem.ptr[i]) || ken_is_digit(stem.ptr[i]))
            whole[n++] = ken_lower(stem.ptr[i]);
    if (!n || (!t->is_whole && term.len <= 3))
        return 0;
    double fit = plain_fuzzy(term, ken_str_n(whole, n));
    return t->is_whole && fit < 1 ? 0 : fit;
}

static void check_file(uint32_t file, ken_str path)
{
    for (uint32_t i = 0; i < q.n_terms; i++) {
        const ken_query_term *t = &q.terms[i];
        ken_str term = ken_str_n(t->text, t->len);
        double stem = t->is_whole ? 0 : plain_fit(term, ken_path_stem(path));
        double whole = plain_whole(t, term, ken_path_stem(path));
        kt_near(at(m.file_name, i, file), stem > whole ? stem : whole, 1e-6);
        kt_near(at(m.folder, i, file), t->is_whole ? 0 : plain_fit(term, ken_path_dir(path)), 1e-6);
    }
}

static bool is_listed(uint32_t file)
{
    for (size_t i = 0; i < m.files.len; i++)
        if (m.files.ptr[i] == file)
            return true;
    return false;
}

KEN_TEST(every_fit_equals_a_plain_search)
{
    enum {
        MOST = 60
    };
    for (uint64_t seed = 1; seed <= 25; seed++) {
        lab_seed(seed);
        ken_arena arena;
        ken_arena_init(&arena, 0);
        ken_str list[MOST];
        uint32_t n = 1 + lab_pick(MOST);
        for (uint32_t i = 0; i < n; i++) {
            ken_buf b = KEN_BUF_INIT(0);
            for (uint32_t d = lab_pick(4); d; d--) {
                put_name(&b);
                ken_buf_putc(&b, '/');
            }
            put_name(&b);
            ken_buf_puts(&b, lab_pick(2) ? ".c" : "");
            list[i] = ken_arena_dup(&arena, ken_buf_str(&b));
            ken_buf_release(&b);
        }
        ken_path_index *p = new_index(list, n);
        for (int round = 0; round < 15; round++) { // one match for all: nothing stays from before
            ken_buf b = KEN_BUF_INIT(0);
            for (uint32_t k = 1 + lab_pick(4); k; k--) {
                put_name(&b);
                ken_buf_putc(&b, ' ');
            }
            match(p, b.ptr);
            for (uint32_t f = 0; f < n; f++) {
                check_file(f, list[f]);
                bool is_met = precision(f) > 0 || name_fit(f) > 0 || folder_fit(f) > 0;
                for (uint32_t t = 0; t < q.n_terms; t++)
                    is_met = is_met || at(m.file_name, t, f) > 0 || at(m.folder, t, f) > 0;
                kt_true(is_met == is_listed(f));
                kt_true(name_fit(f) <= 1.0001 && folder_fit(f) <= 1.0001);
            }
            ken_buf_release(&b);
        }
        ken_path_index_free(p);
        ken_arena_release(&arena); // the match goes on with the next index
    }
    ken_path_match_release(&m);
}

// 100,000 paths take a tenth of a second: it can be stopped on the way.
KEN_TEST(x4_making_an_index_of_paths_can_be_stopped)
{
    enum {
        N = 1000
    };
    static ken_str list[N];
    ken_arena arena;
    ken_arena_init(&arena, 0);
    for (int i = 0; i < N; i++)
        list[i] = ken_arena_printf(&arena, "folder_%d/name_of_%d.c", i % 50, i);
    ken_quota quota;
    ken_err err = { 0 };
    ken_path_index *p = NULL;
    ken_quota_begin(&quota, &(ken_quota_limits){ 0 }, NULL);
    kt_ok(ken_path_index_new(list, N, &p, &err));
    ken_quota_end(&quota);
    ken_path_index_free(p);
    uint64_t n_steps = quota.n_steps;
    kt_true(n_steps >= N / 64 + 3); // the paths, and each sorting
    for (uint64_t at = 1; at <= n_steps; at++) {
        p = NULL;
        ken_quota_begin(&quota, &(ken_quota_limits){ 0 }, NULL);
        quota.cancel_at = at;
        kt_status(ken_path_index_new(list, N, &p, &err), KEN_ECANCELLED);
        ken_quota_end(&quota);
        kt_true(p == NULL);
    }
    ken_arena_release(&arena);
}
