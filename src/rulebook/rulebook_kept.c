// SPDX-License-Identifier: MIT
// What the checks of rules find in the tree, kept as long as the generation is shown and no
// document changes, so that whoever asks about a change again waits for nothing.
#include "base/alloc.h"
#include "base/hash.h"
#include "rulebook/rulebook_priv.h"
#include "rulebook/rulebook_verify.h"

struct rulebook_kept {
    uint64_t generation, documents; // what the findings are of
    ken_arena arena;
    KEN_VEC(ken_rule_finding *) findings;
};

void ken_rulebook__free_kept(struct rulebook_kept *k)
{
    if (!k)
        return;
    ken_vec_release(&k->findings);
    ken_arena_release(&k->arena);
    ken_free(k);
}

// Which reading of which documents.
static uint64_t key_of_documents(const ken_rulebook *b)
{
    uint64_t key = b->entries.len;
    for (size_t i = 0; i < b->entries.len; i++) {
        uint64_t part[3] = { key, b->entries.ptr[i]->slot, b->entries.ptr[i]->rev };
        key = ken_hash64(part, sizeof part);
    }
    return key;
}

static struct rulebook_kept *kept_of(ken_rulebook *b)
{
    uint64_t generation = ken_snapshot_generation(b->snapshot), documents = key_of_documents(b);
    if (!b->kept) {
        b->kept = ken_zalloc(sizeof *b->kept);
        ken_arena_init(&b->kept->arena, 0);
    }
    struct rulebook_kept *k = b->kept;
    if (k->generation != generation || k->documents != documents) {
        ken_vec_clear(&k->findings);
        ken_arena_reset(&k->arena);
        k->generation = generation;
        k->documents = documents;
    }
    return k;
}

static const ken_rule_finding *find(const struct rulebook_kept *k, const ken_rule *rule)
{
    for (size_t i = 0; i < k->findings.len; i++)
        if (k->findings.ptr[i]->rule == rule)
            return k->findings.ptr[i];
    return NULL;
}

static ken_violation copy_violation(ken_arena *arena, const ken_violation *v)
{
    ken_violation copy = *v;
    copy.path = ken_arena_dup(arena, v->path);
    copy.symbol = ken_arena_dup(arena, v->symbol);
    copy.message = ken_arena_dup(arena, v->message);
    copy.example.path = ken_arena_dup(arena, v->example.path);
    copy.example.symbol = ken_arena_dup(arena, v->example.symbol);
    return copy;
}

static void keep(struct rulebook_kept *k, const ken_rule *const *rules, size_t n,
                 const ken_verification *found)
{
    size_t first = k->findings.len;
    for (size_t i = 0; i < n; i++) {
        ken_rule_finding *f = KEN_ARENA_NEW(&k->arena, ken_rule_finding);
        f->rule = rules[i];
        f->outcome = found->outcomes[i];
        f->outcome.note = ken_arena_dup(&k->arena, f->outcome.note);
        ken_vec_push(&k->findings, f);
    }
    for (size_t i = 0; i < found->n; i++) {
        ken_rule_finding *f = k->findings.ptr[first + found->violations[i].rule];
        if (f->n_first < KEN_FINDING_FIRST)
            f->first[f->n_first++] = copy_violation(&k->arena, &found->violations[i]);
    }
}

// Does the checks of those that were not asked about yet.
static ken_status complete(ken_rulebook *b, struct rulebook_kept *k, const ken_rule *const *rules,
                           size_t n, const ken_cancel *cancel, ken_arena *scratch, ken_err *err)
{
    ken_verification found;
    ken_verify_opts o = { .max = KEN_VIOLATIONS_MAX };
    const ken_rule **missing = KEN_ARENA_ARRAY(scratch, const ken_rule *, n + 1);
    ken_rule *copies = KEN_ARENA_ARRAY(scratch, ken_rule, n + 1);
    size_t n_missing = 0;
    for (size_t i = 0; i < n; i++) {
        if (rules[i]->check.kind == KEN_CHECK_NONE || find(k, rules[i]))
            continue;
        copies[n_missing] = *rules[i];
        missing[n_missing++] = rules[i];
    }
    if (!n_missing)
        return KEN_OK;
    ken_status st =
        ken_verify_rules(b->snapshot, copies, n_missing, &o, cancel, scratch, &found, err);
    if (!st)
        keep(k, missing, n_missing, &found);
    return st;
}

ken_status ken_rulebook_find_violations(ken_rulebook *b, const ken_rule *const *rules, size_t n,
                                        const ken_cancel *cancel, ken_arena *arena,
                                        const ken_rule_finding ***out, ken_err *err)
{
    struct rulebook_kept *k = kept_of(b);
    ken_arena scratch;
    ken_arena_init(&scratch, 0);
    ken_status st = complete(b, k, rules, n, cancel, &scratch, err);
    ken_arena_release(&scratch);
    if (st)
        return st;
    *out = KEN_ARENA_ARRAY(arena, const ken_rule_finding *, n + 1);
    for (size_t i = 0; i < n; i++)
        (*out)[i] = find(k, rules[i]);
    return KEN_OK;
}
