// SPDX-License-Identifier: MIT
// What is put in is found by its words and by what it means, and what was taken out never is.
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "ktest.h"
#include "recall/recall.h"

typedef struct lab {
    ken_recall *r;
    ken_arena arena;
    ken_recall_hit *hits;
    size_t n;
} lab;

static void start(lab *l)
{
    *l = (lab){ .r = ken_recall_new() };
    ken_arena_init(&l->arena, 0);
}

static void end(lab *l)
{
    ken_recall_free(l->r);
    ken_arena_release(&l->arena);
}

static void put(lab *l, int64_t id, const char *title, const char *body)
{
    ken_recall_put(l->r, id, ken_str_c(title), ken_str_c(body));
}

static size_t ask(lab *l, const char *query, size_t limit)
{
    l->n = ken_recall_search(l->r, ken_str_c(query), NULL, limit, &l->arena, &l->hits);
    return l->n;
}

// The place of an id in the answer, from 1; 0 when it is not there.
static size_t place_of(const lab *l, int64_t id)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->hits[i].id == id)
            return i + 1;
    return 0;
}

static void put_tasks(lab *l)
{
    put(l, 1, "Rotate the signing keys", "Keys are older than a year; rotate them every quarter.");
    put(l, 2, "Login fails after a password reset",
        "Users who reset their password cannot sign in until the session expires.");
    put(l, 3, "Make uploads of large images faster",
        "Resize pictures in a worker, not in the request.");
    put(l, 4, "Document the retry policy",
        "How often requests are tried again, and how long we wait.");
    put(l, 5, "Remove the deprecated JsonConverter", "Nothing uses convertToJson any more.");
    put(l, 6, "Dark colours for the settings page", "Buttons and links are hard to see at night.");
}

// ---- words and meaning -------------------------------------------------------------------------

KEN_TEST(words_of_a_text_find_it)
{
    lab l;
    start(&l);
    put_tasks(&l);
    kt_true(ask(&l, "password reset", 3) > 0);
    kt_eq_i(l.hits[0].id, 2);
    kt_true(ask(&l, "retrying requests", 3) > 0); // stems
    kt_eq_i(l.hits[0].id, 4);
    kt_true(ask(&l, "json converter", 3) > 0); // parts of an identifier
    kt_eq_i(l.hits[0].id, 5);
    kt_true(ask(&l, "JSONCONVERTER", 3) > 0);
    kt_eq_i(l.hits[0].id, 5);
    end(&l);
}

KEN_TEST(other_words_of_the_same_meaning_find_it)
{
    lab l;
    start(&l);
    put_tasks(&l);
    kt_true(ask(&l, "authentication credentials", 6) > 0);
    kt_eq_i(l.hits[0].id, 2);
    kt_true(l.hits[0].words == 0 && l.hits[0].meaning > 0);
    kt_true(ask(&l, "backoff", 6) > 0);
    kt_eq_i(l.hits[0].id, 4);
    kt_true(ask(&l, "photo thumbnails performance", 6) > 0);
    kt_eq_i(l.hits[0].id, 3);
    end(&l);
}

KEN_TEST(a_title_counts_more_than_a_body)
{
    lab l;
    start(&l);
    put(&l, 1, "Something else", "about the scheduler of the queue");
    put(&l, 2, "About the scheduler", "of something else or the queue");
    put(&l, 3, "Unrelated", "colours of a button");
    kt_eq_u(ask(&l, "scheduler", 2), 2);
    kt_eq_i(l.hits[0].id, 2);
    kt_true(l.hits[0].words > l.hits[1].words);
    end(&l);
}

KEN_TEST(the_title_itself_comes_first)
{
    lab l;
    start(&l);
    ken_buf body = KEN_BUF_INIT(1 << 16);
    for (int i = 0; i < 50; i++)
        ken_buf_printf(&body, "cache the index of the cache; ");
    for (int64_t id = 10; id < 400; id++)
        ken_recall_put(l.r, id, KEN_STR("The cache of the index is the cache"), ken_buf_str(&body));
    put(&l, 3, "Cache the index",
        "Nothing else is said of it, in a great many other words instead.");
    kt_eq_u(ask(&l, "  cache THE index! ", 5), 5);
    kt_eq_i(l.hits[0].id, 3);
    kt_near(l.hits[0].score, 1, 0);
    kt_true(l.hits[1].score < 1);
    ken_buf_release(&body);
    end(&l);
}

KEN_TEST(stop_words_alone_are_answered)
{
    lab l;
    start(&l);
    put_tasks(&l);
    kt_true(ask(&l, "how does it", 3) > 0);
    kt_true(ask(&l, "what is this?", 3) > 0);
    end(&l);
}

KEN_TEST(equal_texts_come_with_the_newest_id_first)
{
    lab l;
    start(&l);
    for (int64_t id = 1; id <= 300; id++)
        put(&l, id * 8 % 301, "Same title", "same body of every text");
    kt_eq_u(ask(&l, "same body", 10), 10);
    for (int64_t i = 0; i < 10; i++)
        kt_eq_i(l.hits[i].id, 300 - i);
    kt_eq_u(ask(&l, "same title", 10), 10);
    for (int64_t i = 0; i < 10; i++)
        kt_eq_i(l.hits[i].id, 300 - i);
    end(&l);
}

KEN_TEST(scores_are_shares)
{
    lab l;
    start(&l);
    put_tasks(&l);
    ask(&l, "signing keys that are rotated every quarter", 6);
    for (size_t i = 0; i < l.n; i++) {
        const ken_recall_hit *h = &l.hits[i];
        kt_true(h->score > 0 && h->score <= 1 && h->words >= 0 && h->words <= 1);
        kt_true(h->meaning >= -1.001 && h->meaning <= 1.001);
        kt_true(!i || h->score <= h[-1].score);
    }
    kt_near(ken_recall_relevance(1), 1, 1e-12);
    kt_near(ken_recall_relevance(0.5), 0.75, 1e-12);
    kt_near(ken_recall_relevance(-1), 0, 1e-12);
    kt_near(ken_recall_relevance(-3), 0, 1e-12);
    end(&l);
}

// ---- what changes ------------------------------------------------------------------------------

KEN_TEST(replaced_and_removed_texts_do_not_come_back)
{
    lab l;
    start(&l);
    put_tasks(&l);
    put(&l, 2, "Translate the start page", "Into four languages.");
    kt_eq_u(ken_recall_count(l.r), 6);
    ask(&l, "password reset login", 10);
    for (size_t i = 0; i < l.n; i++)
        kt_true(l.hits[i].words == 0);
    kt_true(ask(&l, "Login fails after a password reset", 10) == 0 || l.hits[0].score < 1);
    kt_true(ask(&l, "translate languages", 10) > 0);
    kt_eq_i(l.hits[0].id, 2);
    ken_recall_remove(l.r, 2);
    ken_recall_remove(l.r, 2);
    ken_recall_remove(l.r, 77);
    kt_eq_u(ken_recall_count(l.r), 5);
    ask(&l, "Translate the start page", 10);
    kt_eq_u(place_of(&l, 2), 0);
    put(&l, 2, "Translate the start page", "");
    ask(&l, "Translate the start page", 10);
    kt_eq_u(place_of(&l, 2), 1);
    end(&l);
}

KEN_TEST(an_empty_recall_answers_nothing)
{
    lab l;
    start(&l);
    kt_eq_u(ask(&l, "anything", 10), 0);
    put(&l, 1, "anything", "");
    kt_eq_u(ask(&l, "anything", 0), 0);
    kt_eq_u(ask(&l, "anything", SIZE_MAX), 1);
    ken_recall_remove(l.r, 1);
    kt_eq_u(ask(&l, "anything", 10), 0);
    end(&l);
}

// ---- filters -----------------------------------------------------------------------------------

// Facets of the number n: each of `steps` it can be divided by.
static const uint32_t steps[] = { 2, 3, 500, 2999 };

enum {
    N_STEPS = sizeof steps / sizeof *steps
};

static void mark_multiples(lab *l, int64_t id)
{
    for (size_t i = 0; i < N_STEPS; i++)
        if (id % steps[i] == 0)
            ken_recall_mark(l->r, id, steps[i]);
}

static void put_workers(lab *l, int64_t n)
{
    for (int64_t id = 1; id <= n; id++) {
        ken_str body =
            ken_arena_printf(&l->arena, "The worker number %d reads a queue of messages.", (int)id);
        ken_recall_put(l->r, id, KEN_STR("Message worker"), body);
        mark_multiples(l, id);
    }
}

static size_t ask_with(lab *l, const char *query, const ken_recall_filter *f, size_t limit)
{
    l->n = ken_recall_search(l->r, ken_str_c(query), f, limit, &l->arena, &l->hits);
    return l->n;
}

KEN_TEST(a_filter_leaves_the_answer_full)
{
    lab l;
    start(&l);
    put_workers(&l, 3000);
    const uint32_t ask_for[] = { 2, 500, 2999, 5000 };
    const size_t want[] = { 4, 4, 1, 0 };
    const char *const queries[] = { "queue worker", "thread", "message worker" };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        for (size_t k = 0; k < 3; k++) { // by words; by meaning alone; by title
            ken_recall_filter f = { .all = &ask_for[i], .n_all = 1 };
            kt_eq_u(ask_with(&l, queries[k], &f, 4), want[i]);
            for (size_t h = 0; h < l.n; h++)
                kt_true(l.hits[h].id % ask_for[i] == 0);
        }
    }
    end(&l);
}

KEN_TEST(a_filter_of_many_texts_leaves_the_answer_full)
{
    lab l;
    start(&l);
    put_workers(&l, 20000);
    ken_recall_filter half = { .all = &steps[0], .n_all = 1 },
                      rare = { .all = &steps[3], .n_all = 1 };
    kt_eq_u(ask_with(&l, "thread", &half, 4), 4);
    for (size_t h = 0; h < l.n; h++)
        kt_true(l.hits[h].id % 2 == 0);
    kt_eq_u(ask_with(&l, "thread", &rare, 10), 6);
    end(&l);
}

KEN_TEST(facets_are_asked_for_together)
{
    lab l;
    start(&l);
    put_workers(&l, 30);
    ken_recall_filter f = { .all = steps, .n_all = 2 };
    kt_eq_u(ask_with(&l, "worker", &f, 50), 5); // 6, 12, …
    f = (ken_recall_filter){ .any = steps, .n_any = 2 };
    kt_eq_u(ask_with(&l, "worker", &f, 50), 20);
    f = (ken_recall_filter){ .none = steps, .n_none = 2 };
    kt_eq_u(ask_with(&l, "worker", &f, 50), 10);
    f = (ken_recall_filter){ .all = steps, .n_all = 1, .none = &steps[1], .n_none = 1 };
    kt_eq_u(ask_with(&l, "worker", &f, 50), 10);
    const uint32_t twice[] = { 2, 2 };
    f = (ken_recall_filter){ .all = twice, .n_all = 2 };
    kt_eq_u(ask_with(&l, "worker", &f, 50), 15);
    end(&l);
}

KEN_TEST(a_text_that_is_put_in_again_has_its_new_facets)
{
    lab l;
    start(&l);
    put_workers(&l, 10);
    ken_recall_filter even = { .all = steps, .n_all = 1 };
    for (int64_t id = 1; id <= 10; id++) {
        ken_recall_put(l.r, id, KEN_STR("Message worker"), KEN_STR("again"));
        if (id > 8)
            ken_recall_mark(l.r, id, 2);
    }
    ken_recall_mark(l.r, 77, 2); // which is not there
    kt_eq_u(ask_with(&l, "worker", &even, 50), 2);
    kt_true(l.hits[0].id > 8 && l.hits[1].id > 8);
    ken_recall_remove(l.r, 10);
    kt_eq_u(ask_with(&l, "worker", &even, 50), 1);
    for (int i = 0; i < 500; i++) // rows close up
        ken_recall_put(l.r, 1, KEN_STR("Message worker"), KEN_STR("again"));
    kt_eq_u(ask_with(&l, "worker", &even, 50), 1);
    kt_eq_i(l.hits[0].id, 9);
    end(&l);
}

// ---- against plain comparison ------------------------------------------------------------------

enum {
    N_WORDS = 40,
    N_IDS = 500
};

static const char *const words[N_WORDS] = {
    "apple",  "bridge", "candle", "desert",  "engine", "forest", "garden", "hammer",
    "island", "jacket", "kettle", "lantern", "market", "needle", "orange", "pencil",
    "quartz", "ribbon", "saddle", "tunnel",  "umbrel", "violin", "window", "yellow",
    "zipper", "anchor", "basket", "copper",  "dragon", "falcon", "goblet", "helmet",
    "insect", "jungle", "kitten", "lemon",   "mirror", "napkin", "oxygen", "parrot",
};

// A text as numbers of words.
typedef struct plain {
    bool is_there;
    size_t n[2]; // in title, in body
    uint8_t word[2][24];
} plain;

static plain texts[N_IDS];

static ken_str text_of(lab *l, const plain *p, int field)
{
    ken_buf b = KEN_BUF_INIT(4096);
    for (size_t i = 0; i < p->n[field]; i++)
        ken_buf_printf(&b, "%s ", words[p->word[field][i]]);
    ken_str s = ken_arena_dup(&l->arena, ken_buf_str(&b));
    ken_buf_release(&b);
    return s;
}

static void make_text(plain *p)
{
    p->is_there = true;
    for (int field = 0; field < 2; field++) {
        p->n[field] = (size_t)(rand() % (field ? 24 : 5));
        for (size_t i = 0; i < p->n[field]; i++) // some words are rare
            p->word[field][i] = (uint8_t)((rand() % N_WORDS) * (rand() % N_WORDS) / N_WORDS);
    }
}

static size_t count_in(const plain *p, int field, int word)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n[field]; i++)
        n += p->word[field][i] == word;
    return n;
}

static double norm(double len, double average, double b)
{
    return 1 / (1 - b + b * (average > 0 ? len / average : 1));
}

// The share of `asked` (each once) that a text has, by the formula alone.
static double plain_words(const plain *p, const int *asked, size_t n_asked)
{
    double n_live = 0, len[2] = { 0, 0 }, sum = 0, best = 0, position = 1;
    for (int i = 0; i < N_IDS; i++)
        for (int field = 0; field < 2 && texts[i].is_there; field++) {
            n_live += field;
            len[field] += (double)texts[i].n[field];
        }
    double title = 3 * norm((double)p->n[0], len[0] / n_live, 0.5),
           body = norm((double)p->n[1], len[1] / n_live, 0.6);
    for (size_t k = 0; k < n_asked; k++, position = fmax(0.5, position * 0.9)) {
        double df = 0, t = title * (double)count_in(p, 0, asked[k]) +
                           body * (double)count_in(p, 1, asked[k]);
        for (int i = 0; i < N_IDS; i++)
            df += texts[i].is_there &&
                  count_in(&texts[i], 0, asked[k]) + count_in(&texts[i], 1, asked[k]);
        double weight = position * log(1 + (n_live - df + 0.5) / (df + 0.5));
        sum += weight * t / (t + 1.2);
        best += weight;
    }
    return sum / best;
}

static void compare(lab *l)
{
    int asked[4];
    ken_buf query = KEN_BUF_INIT(4096);
    for (int k = 0; k < 4; k++) { // four different words, none of them a weak one
        asked[k] = k * 10 + rand() % 10;
        ken_buf_printf(&query, "%s ", words[asked[k]]);
    }
    l->n = ken_recall_search(l->r, ken_buf_str(&query), NULL, N_IDS, &l->arena, &l->hits);
    size_t n_with = 0;
    for (int id = 0; id < N_IDS; id++) {
        double want = texts[id].is_there ? plain_words(&texts[id], asked, 4) : 0;
        size_t place = place_of(l, id);
        n_with += place != 0;
        kt_true(texts[id].is_there || !place);
        kt_true(want == 0 || place);
        if (place && l->hits[place - 1].score < 1)
            kt_near(l->hits[place - 1].words, want, 1e-5);
    }
    kt_eq_u(l->n, n_with);
    ken_buf_release(&query);
}

// The same texts, put in order into a recall that never held others.
static void compare_with_new(lab *l)
{
    ken_recall *r = ken_recall_new();
    for (int id = 0; id < N_IDS; id++)
        if (texts[id].is_there)
            ken_recall_put(r, id, text_of(l, &texts[id], 0), text_of(l, &texts[id], 1));
    kt_eq_u(ken_recall_count(r), ken_recall_count(l->r));
    ken_recall_hit *hits;
    size_t n = ken_recall_search(r, KEN_STR("yellow bridge or market"), NULL, 50, &l->arena, &hits);
    l->n =
        ken_recall_search(l->r, KEN_STR("yellow bridge or market"), NULL, 50, &l->arena, &l->hits);
    kt_eq_mem(l->hits, l->n * sizeof *hits, hits, n * sizeof *hits);
    ken_recall_free(r);
}

KEN_TEST(many_changes_leave_what_a_plain_comparison_finds)
{
    lab l;
    start(&l);
    memset(texts, 0, sizeof texts);
    srand(11);
    for (int step = 1; step <= 6000; step++) {
        int id = rand() % N_IDS;
        if (rand() % 3) {
            make_text(&texts[id]);
            ken_recall_put(l.r, id, text_of(&l, &texts[id], 0), text_of(&l, &texts[id], 1));
        } else {
            texts[id].is_there = false;
            ken_recall_remove(l.r, id);
        }
        if (step % 500 == 0) {
            compare(&l);
            compare_with_new(&l);
            ken_arena_reset(&l.arena);
        }
    }
    end(&l);
}

KEN_TEST(changes_without_end_need_bounded_memory)
{
    lab l;
    start(&l);
    size_t early = 0;
    for (int i = 0; i < 30000; i++) {
        ken_str title = ken_arena_printf(&l.arena, "word%d and other%d", i, i * 7);
        ken_recall_put(l.r, i % 100 + (i >= 15000 ? 1000 : 0), title, KEN_STR("of a text"));
        if (i >= 15000)
            ken_recall_remove(l.r, i % 100);
        if (i == 5000)
            early = ken_recall_bytes(l.r);
        ken_arena_reset(&l.arena);
    }
    kt_eq_u(ken_recall_count(l.r), 100);
    kt_true(ken_recall_bytes(l.r) < 2 * early);
    end(&l);
}

// Of many texts the far ones are passed over by the signs of their vectors; asking for all of them
// compares every one.
KEN_TEST(the_best_of_many_are_the_best_of_all)
{
    lab l;
    start(&l);
    size_t n_met = 0, n_asked = 0;
    srand(3);
    for (int64_t id = 0; id < 12000; id++) {
        plain p;
        make_text(&p);
        for (size_t i = 0; i < p.n[1]; i++) // each is about something
            p.word[1][i] = (uint8_t)((id + p.word[1][i] % 5) % N_WORDS);
        ken_recall_put(l.r, id, text_of(&l, &p, 0), text_of(&l, &p, 1));
        if (id % 1000 == 0)
            ken_arena_reset(&l.arena);
    }
    for (int i = 0; i < 20; i++) {
        ken_recall_hit *all;
        ken_str query =
            ken_arena_printf(&l.arena, "%s and %s near the lake", words[i], words[i + 9]);
        size_t n = ken_recall_search(l.r, query, NULL, SIZE_MAX, &l.arena, &all);
        l.n = ken_recall_search(l.r, query, NULL, 10, &l.arena, &l.hits);
        kt_true(n > 10 && l.n == 10);
        for (size_t k = 0; k < 10; k++, n_asked++)
            n_met += l.hits[k].score >= all[9].score;
    }
    kt_true(n_met * 100 >= n_asked * 99);
    end(&l);
}

// ---- any bytes ---------------------------------------------------------------------------------

KEN_TEST(any_bytes_are_a_text)
{
    lab l;
    start(&l);
    ken_recall_put(l.r, -5, (ken_str){ 0 }, (ken_str){ 0 });
    ken_recall_put(l.r, INT64_MIN, KEN_STR("\xff\xfe\x80"), KEN_STR("a\0b\0 \xc3 hidden \xe2\x82"));
    ken_recall_put(l.r, INT64_MAX, KEN_STR("\n\t "), KEN_STR("!?,"));
    kt_eq_u(ken_recall_count(l.r), 3);
    kt_true(ask(&l, "hidden", 5) > 0);
    kt_true(l.hits[0].id == INT64_MIN);
    (void)ask(&l, "\xff\xfe\x80", 5);
    kt_eq_u(place_of(&l, INT64_MIN), 1);
    kt_eq_u(ask(&l, "", 5), 0);
    kt_eq_u(ask(&l, "?!", 5), 0);
    end(&l);
}

KEN_TEST(long_texts_are_read_to_their_bound)
{
    lab l;
    start(&l);
    ken_buf one_line = KEN_BUF_INIT(1 << 20);
    while (one_line.len < 40000)
        ken_buf_printf(&one_line, "some ordinary words ");
    ken_buf_printf(&one_line, "marmalade ");
    while (one_line.len < KEN_RECALL_TEXT_MAX)
        ken_buf_printf(&one_line, "some ordinary words ");
    ken_buf_printf(&one_line, "zeppelin");
    ken_recall_put(l.r, 1, KEN_STR("long"), ken_buf_str(&one_line));
    put(&l, 2, "short", "some words");
    ask(&l, "marmalade", 5);
    kt_true(place_of(&l, 1) == 1 && l.hits[0].words > 0);
    ask(&l, "zeppelin", 5);
    kt_true(!place_of(&l, 1) || l.hits[place_of(&l, 1) - 1].words == 0);
    ken_str text = ken_buf_str(&one_line); // as a question: its first 2,000 bytes
    kt_true(ken_recall_search(l.r, text, NULL, 5, &l.arena, &l.hits) > 0);
    ken_buf_release(&one_line);
    end(&l);
}
