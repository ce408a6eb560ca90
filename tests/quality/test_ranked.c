// SPDX-License-Identifier: MIT
// Quality is a test too: questions with the files that a person wants, and how far up they come. A
// file counts once; NDCG@10 and the mean reciprocal rank of the first wanted file are compared with
// a floor a little below what was measured, so that a change that makes ranking worse is noticed.
// What did not come first is printed.
#include <math.h>

#include "unit/index/index_lab.h"

static index_lab l;

typedef struct quality {
    double ndcg, mrr;
    size_t n;
} quality;

static double gain(size_t place)
{
    return 1 / log2((double)place + 2);
}

// Place of each wanted file adds its gain; the ideal has them all on top.
static void add_question(quality *q, ken_snapshot *s, ken_str question, ken_str wanted)
{
    ken_search_opts o = { .limit = 10 };
    ken_search_result r;
    l.err = (ken_err){ 0 };
    kt_ok_err(ken_search(s, question, &o, NULL, &l.arena, &r, &l.err), &l.err);
    double dcg = 0, ideal = 0, first = 0;
    ken_str rest = wanted, path;
    for (size_t k = 0; ken_str_split_next(&rest, ' ', &path); k++) {
        ideal += gain(k);
        ken_file_view view;
        kt_ok_err(ken_view_file(s, path, &l.arena, &view, &l.err), &l.err); // is it spelt right?
        for (size_t i = 0; i < r.n_hits; i++) {
            if (!ken_str_eq(r.hits[i].path, path))
                continue;
            dcg += gain(i);
            first = fmax(first, 1 / (double)(i + 1));
        }
    }
    q->ndcg += dcg / ideal;
    q->mrr += first;
    q->n++;
    if (first < 1)
        printf("  %.2f " KEN_STR_FMT ": first is " KEN_STR_FMT "\n", first, KEN_STR_ARG(question),
               KEN_STR_ARG(r.n_hits ? r.hits[0].path : KEN_STR("nothing")));
}

static quality measure(const char *questions)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/quality/%s", KEN_TEST_SOURCE_DIR, questions);
    ken_str rest = ktest_read(path), line;
    kt_not_null(rest.ptr);
    quality q = { 0 };
    ken_snapshot *s = lab_open(&l);
    while (ken_str_line_next(&rest, &line)) {
        size_t tab = ken_str_find_char(line, '\t');
        if (!line.len || line.ptr[0] == '#' || tab == SIZE_MAX)
            continue;
        add_question(&q, s, ken_str_sub(line, 0, tab), ken_str_sub(line, tab + 1, line.len));
    }
    lab_close(s);
    q.ndcg /= (double)q.n;
    q.mrr /= (double)q.n;
    printf("%s: %zu questions, NDCG@10 %.3f, MRR@10 %.3f\n", questions, q.n, q.ndcg, q.mrr);
    return q;
}

static void index_folder(const char *root)
{
    ken_str real;
    kt_ok(ken_path_real(&l.arena, ken_str_c(root), &real, &l.err));
    l.root = real.ptr;
    lab_run(&l);
}

KEN_TEST(questions_to_the_sample)
{
    lab_start(&l);
    index_folder(ktest_data("sample"));
    quality q = measure("ranked_sample.txt");
    kt_true(q.n >= 30);
    kt_true(q.ndcg >= 0.90);
    kt_true(q.mrr >= 0.90);
    lab_end(&l);
}

// The question with which ARCHITECTURE.md explains a search, and ./dev quickstart shows one.
static void files_are_discovered_by_scan(void)
{
    ken_search_opts o = { .limit = 1 };
    ken_search_result r;
    ken_snapshot *s = lab_open(&l);
    kt_ok_err(ken_search(s, KEN_STR("where are files discovered"), &o, NULL, &l.arena, &r, &l.err),
              &l.err);
    kt_eq_u(r.n_hits, 1);
    if (!ken_str_starts(r.hits[0].path, KEN_STR("scan/")))
        kt_fail("files are discovered in " KEN_STR_FMT, KEN_STR_ARG(r.hits[0].path));
    lab_close(s);
}

KEN_TEST(questions_to_ken_itself)
{
    lab_start(&l);
    index_folder(KEN_TEST_SOURCE_DIR "/../src");
    files_are_discovered_by_scan();
    quality q = measure("ranked_ken.txt");
    kt_true(q.n >= 40);
    kt_true(q.ndcg >= 0.78);
    kt_true(q.mrr >= 0.75);
    lab_end(&l);
}
