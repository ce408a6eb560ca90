// SPDX-License-Identifier: MIT
// Which rules a planned change is about: by words and meaning over all rules of one kind, nudged by
// the weight of their documents and by how narrowly a rule is meant for the code that the change is
// about.
#include <math.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/path.h"
#include "query/query_facts.h"
#include "recall/recall.h"
#include "rulebook/rulebook_priv.h"

enum {
    SLOT_SHIFT = 12,    // rules of a document have numbers below 1 << 12
    CANDIDATES = 1000,  // asked for before weights count: of most projects all rules
    MENTION_MAX = 4096, // bytes of a rule that are put together
    SAMPLE_PATHS = 500, // files that tell how narrow a glob is
};

// What a document of weight 10 is worth more than one of weight 1, on a scale of 0 to 1.
#define WEIGHT_POINTS 0.1
// What a rule for one folder is worth less when the change does not name that folder.
#define SCOPE_POINTS 0.15
// What globs are worth that mean all the code that the change is about, and next to no other.
#define NARROW_POINTS 0.1

typedef struct known_slot {
    uint32_t rev, n_rules;
    float *narrow; // by rule, 0 to 1; negative when not known yet
} known_slot;

struct rulebook_ranker {
    ken_recall *recall;
    KEN_VEC(known_slot) slots; // by slot: what of the document is in it
    ken_arena arena;           // of the sample
    ken_str *sample;           // paths of files, spread over the tree
    size_t n_sample;
    uint64_t generation; // that the sample is of; 0 = none
};

// A planned change, as rules are compared with it.
typedef struct planned {
    ken_str text;
    const ken_hit *code; // what it is about
    size_t n_code;
} planned;

void ken_rulebook__free_ranker(struct rulebook_ranker *r)
{
    if (!r)
        return;
    ken_recall_free(r->recall);
    for (size_t i = 0; i < r->slots.len; i++)
        ken_free(r->slots.ptr[i].narrow);
    ken_vec_release(&r->slots);
    ken_arena_release(&r->arena);
    ken_free(r);
}

static int64_t id_of(uint32_t slot, uint32_t rule)
{
    return ((int64_t)slot << SLOT_SHIFT) | rule;
}

// What is written with a hyphen is written solid as well: "email" for "e-mail", "frontend" for
// "front-end". Both are looked for.
static void put_solid(ken_buf *out, ken_str text)
{
    for (size_t i = 1; i + 1 < text.len; i++) {
        if (text.ptr[i] != '-' || !ken_is_alpha(text.ptr[i - 1]) || !ken_is_alpha(text.ptr[i + 1]))
            continue;
        size_t from = i, to = i + 1;
        while (from && ken_is_alpha(text.ptr[from - 1]))
            from--;
        while (to < text.len && ken_is_alpha(text.ptr[to]))
            to++;
        if ((from && text.ptr[from - 1] == '-') || (to < text.len && text.ptr[to] == '-'))
            continue; // `--diff-filter`, "state-of-the-art": no word
        ken_buf_putc(out, '\n');
        ken_buf_put_str(out, ken_str_sub(text, from, i));
        ken_buf_put_str(out, ken_str_sub(text, i + 1, to));
    }
}

// An id is a rule's own name; the headings above it are shared with its neighbours.
static void put_title(ken_buf *out, const ken_rule *rule)
{
    ken_buf_put_str(out, rule->id.len ? rule->id : rule->heading);
    for (size_t i = 0; rule->id.len && i < out->len; i++)
        if (memchr(".-_", out->ptr[i], 3))
            out->ptr[i] = ' ';
}

static void put_rule(struct rulebook_ranker *r, uint32_t slot, const ken_rule *rule)
{
    ken_buf body = KEN_BUF_INIT(2 * MENTION_MAX);
    ken_buf_put_str(&body, rule->text);
    put_solid(&body, rule->text);
    for (size_t i = 0; i < rule->globs.n; i++) {
        ken_buf_putc(&body, '\n');
        ken_buf_put_str(&body, rule->globs.items[i]);
    }
    if (rule->scope.len) {
        ken_buf_putc(&body, '\n');
        ken_buf_put_str(&body, rule->scope);
    }
    ken_buf title = KEN_BUF_INIT(2 * MENTION_MAX);
    put_title(&title, rule);
    ken_recall_put(r->recall, id_of(slot, rule->index), ken_buf_str(&title), ken_buf_str(&body));
    ken_buf_release(&title);
    ken_recall_mark(r->recall, id_of(slot, rule->index), rule->kind);
    ken_buf_release(&body);
}

static void empty_slot(struct rulebook_ranker *r, uint32_t slot)
{
    for (uint32_t i = 0; i < r->slots.ptr[slot].n_rules; i++)
        ken_recall_remove(r->recall, id_of(slot, i));
    ken_free(r->slots.ptr[slot].narrow);
    r->slots.ptr[slot] = (known_slot){ 0 };
}

static void fill_slot(struct rulebook_ranker *r, const rulebook_entry *e)
{
    known_slot *known = &r->slots.ptr[e->slot];
    if (known->rev == e->rev)
        return;
    empty_slot(r, e->slot);
    for (size_t i = 0; i < e->doc.n_rules; i++)
        put_rule(r, e->slot, &e->doc.rules[i]);
    *known = (known_slot){ e->rev, (uint32_t)e->doc.n_rules, NULL };
}

static const rulebook_entry *entry_of(const ken_rulebook *b, uint32_t slot)
{
    for (size_t i = 0; i < b->entries.len; i++)
        if (b->entries.ptr[i]->slot == slot)
            return b->entries.ptr[i];
    return NULL;
}

// Takes over what the last refresh found.
static struct rulebook_ranker *ranker_of(ken_rulebook *b)
{
    if (!b->ranker) {
        b->ranker = ken_zalloc(sizeof *b->ranker);
        b->ranker->recall = ken_recall_new();
        ken_arena_init(&b->ranker->arena, 0);
    }
    struct rulebook_ranker *r = b->ranker;
    while (r->slots.len < b->next_slot)
        ken_vec_push(&r->slots, (known_slot){ 0 });
    for (uint32_t slot = 0; slot < r->slots.len; slot++)
        if (r->slots.ptr[slot].rev && !entry_of(b, slot))
            empty_slot(r, slot);
    for (size_t i = 0; i < b->entries.len; i++)
        fill_slot(r, b->entries.ptr[i]);
    return r;
}

// ---- points ------------------------------------------------------------------------------------

static double scope_points(const ken_rule *rule, const planned *p)
{
    bool is_meant =
        !rule->scope.len || ken_str_find(p->text, ken_path_base(rule->scope)) != SIZE_MAX;
    return is_meant ? 0 : -SCOPE_POINTS;
}

// Files of the tree, every so many of them.
static void take_sample(ken_rulebook *b, struct rulebook_ranker *r)
{
    uint64_t generation = ken_snapshot_generation(b->snapshot);
    ken_facts_scope all = { .with_generated = true };
    ken_str *paths = NULL;
    size_t n = 0;
    if (r->generation == generation)
        return;
    for (size_t i = 0; i < r->slots.len; i++) {
        ken_free(r->slots.ptr[i].narrow);
        r->slots.ptr[i].narrow = NULL;
    }
    ken_arena_reset(&r->arena);
    r->n_sample = 0;
    r->generation = generation;
    if (ken_list_paths(b->snapshot, &all, &r->arena, &paths, &n, NULL))
        return;
    size_t step = n / SAMPLE_PATHS + 1;
    for (size_t i = step / 2; i < n; i += step)
        paths[r->n_sample++] = paths[i];
    r->sample = paths;
}

// 1 for globs that mean one file of many, 0 for those that mean every one.
static float narrowness(const struct rulebook_ranker *r, const ken_rule *rule)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_sample; i++)
        n += ken_globs_match(&rule->globs, r->sample[i]);
    double all = (double)r->n_sample + 1;
    return (float)(log(all / ((double)n + 1)) / log(all + 1));
}

static double narrow_points(struct rulebook_ranker *r, int64_t id, const ken_rule *rule,
                            const planned *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_code; i++)
        n += ken_globs_match(&rule->globs, p->code[i].path);
    if (!n)
        return 0;
    known_slot *known = &r->slots.ptr[id >> SLOT_SHIFT];
    if (!known->narrow) {
        known->narrow = ken_alloc(ken_mul_size(known->n_rules, sizeof *known->narrow));
        for (uint32_t i = 0; i < known->n_rules; i++)
            known->narrow[i] = -1;
    }
    float *narrow = &known->narrow[id & ((1 << SLOT_SHIFT) - 1)];
    *narrow = *narrow < 0 ? narrowness(r, rule) : *narrow;
    return NARROW_POINTS * (double)n / (double)p->n_code * (double)*narrow;
}

size_t ken_rulebook__rank(ken_rulebook *b, ken_str description, ken_rule_kind kind,
                          const ken_hit *code, size_t n_code, size_t limit, ken_arena *arena,
                          ken_rulebook_found **out)
{
    struct rulebook_ranker *r = ranker_of(b);
    uint32_t facet = kind;
    ken_recall_filter filter = { .all = &facet, .n_all = 1 };
    ken_recall_hit *hits = NULL;
    planned change = { .text = description, .code = code, .n_code = n_code };
    ken_buf question = KEN_BUF_INIT(2 * MENTION_MAX);
    take_sample(b, r);
    ken_buf_put_str(&question, description);
    put_solid(&question, description);
    size_t n =
        ken_recall_search(r->recall, ken_buf_str(&question), &filter, CANDIDATES, arena, &hits);
    ken_buf_release(&question);
    ken_rulebook_found *found = KEN_ARENA_ARRAY(arena, ken_rulebook_found, n + 1);
    for (size_t i = 0; i < n; i++) {
        const rulebook_entry *e = entry_of(b, (uint32_t)(hits[i].id >> SLOT_SHIFT));
        KEN_ASSERT(e); // the filter has let it pass
        const ken_rule *rule = &e->doc.rules[hits[i].id & ((1 << SLOT_SHIFT) - 1)];
        double points = WEIGHT_POINTS * log10(1 + e->doc.weight) + scope_points(rule, &change) +
                        narrow_points(r, hits[i].id, rule, &change);
        ken_rulebook_found it = { rule, hits[i].score + points,
                                  ken_recall_relevance(hits[i].meaning) };
        size_t at = i;
        for (; at && found[at - 1].score < it.score; at--) // nearly in order
            found[at] = found[at - 1];
        found[at] = it;
    }
    *out = found;
    return n < limit ? n : limit;
}
