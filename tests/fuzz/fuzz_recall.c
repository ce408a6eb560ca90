// SPDX-License-Identifier: MIT
// fuzz_recall -- any bytes as a list of changes and questions: texts put, replaced, removed, asked
// for. What was removed never comes back, an answer is in order, has each text once, and figures
// within their bounds.
#include <stdint.h>

#include "base/assert.h"
#include "recall/recall.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    N_IDS = 16,
    LIMIT = 5
};

typedef struct state {
    ken_recall *recall;
    ken_arena arena;
    bool is_there[N_IDS];
    size_t n;
} state;

enum {
    EVEN = 3 // a facet
};

static void check_hits(const state *s, const ken_recall_hit *hits, size_t n, bool only_even)
{
    bool is_met[N_IDS] = { 0 };
    KEN_ASSERT(n <= LIMIT && n <= s->n);
    for (size_t i = 0; i < n; i++) {
        const ken_recall_hit *h = &hits[i];
        KEN_ASSERT(h->id >= 0 && h->id < N_IDS && s->is_there[h->id] && !is_met[h->id]);
        KEN_ASSERT(!only_even || h->id % 2 == 0);
        KEN_ASSERT(h->score > 0 && h->score <= 1 && h->words >= 0 && h->words <= 1);
        KEN_ASSERT(!i || h->score <= h[-1].score);
        is_met[h->id] = true;
    }
}

static void ask(state *s, ken_str query, bool only_even)
{
    ken_recall_hit *hits;
    const uint32_t even = EVEN;
    const ken_recall_filter filter = { .all = &even, .n_all = 1 };
    size_t n =
        ken_recall_search(s->recall, query, only_even ? &filter : NULL, LIMIT, &s->arena, &hits);
    check_hits(s, hits, n, only_even);
}

static void change(state *s, int64_t id, ken_str text, bool is_put)
{
    if (is_put)
        ken_recall_put(s->recall, id, ken_str_sub(text, 0, text.len / 4), text);
    else
        ken_recall_remove(s->recall, id);
    if (is_put && id % 2 == 0)
        ken_recall_mark(s->recall, id, EVEN);
    s->n = s->n + is_put - s->is_there[id];
    s->is_there[id] = is_put;
    KEN_ASSERT(ken_recall_count(s->recall) == s->n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ken_str rest = ken_str_n((const char *)data, size), line;
    state s = { .recall = ken_recall_new() };
    ken_arena_init(&s.arena, 0);
    while (ken_str_split_next(&rest, '\x1e', &line)) { // first byte: what, and which text
        uint8_t first = line.len ? (uint8_t)line.ptr[0] : 0;
        ken_str text = ken_str_sub(line, 1, line.len);
        if (first & 0x40)
            change(&s, first % N_IDS, text, !(first & 0x20));
        else
            ask(&s, text, first & 0x20);
        ken_arena_reset(&s.arena);
    }
    ken_recall_free(s.recall);
    ken_arena_release(&s.arena);
    return 0;
}
