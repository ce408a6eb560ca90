// SPDX-License-Identifier: MIT
// What the checks of rules find in the tree, kept as long as the generation is shown and neither a
// document nor a file that is shown as breaking a rule changes, so that whoever asks about a change
// again waits for nothing.
#include <stdio.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "rulebook/rulebook_priv.h"
#include "rulebook/rulebook_verify.h"

// With how the files of its first violations were when they were looked at.
typedef struct kept_finding {
    ken_rule_finding seen;
    ken_fs_stamp stamps[KEN_FINDING_FIRST];
} kept_finding;

struct rulebook_kept {
    uint64_t generation, documents; // what the findings are of
    ken_arena arena;
    KEN_VEC(kept_finding *) findings;
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

// ---- files that change before they are indexed --------------------------------------------------

static ken_fs_stamp stamp_of(const ken_roots *roots, ken_str path)
{
    char name[4096];
    ken_fs_info info = { 0 };
    int root_fd = ken_roots_at(roots, &path);
    int n = snprintf(name, sizeof name, KEN_STR_FMT, KEN_STR_ARG(path));
    if (n < 0 || (size_t)n >= sizeof name || ken_fs_stat(root_fd, name, &info, NULL))
        return (ken_fs_stamp){ 0 };
    return info.stamp;
}

// What was mended a moment ago must not be shown as broken.
static bool is_true(const kept_finding *f, const ken_roots *roots)
{
    for (uint32_t i = 0; i < f->seen.n_first; i++)
        if (!ken_fs_stamp_eq(f->stamps[i], stamp_of(roots, f->seen.first[i].path)))
            return false;
    return true;
}

static bool are_true(const struct rulebook_kept *k, const ken_roots *roots)
{
    for (size_t i = 0; i < k->findings.len; i++)
        if (!is_true(k->findings.ptr[i], roots))
            return false;
    return true;
}

// ---- findings ----------------------------------------------------------------------------------

static struct rulebook_kept *kept_of(ken_rulebook *b, const ken_roots *roots)
{
    uint64_t generation = ken_snapshot_generation(b->snapshot), documents = key_of_documents(b);
    if (!b->kept) {
        b->kept = ken_zalloc(sizeof *b->kept);
        ken_arena_init(&b->kept->arena, 0);
    }
    struct rulebook_kept *k = b->kept;
    if (k->generation != generation || k->documents != documents || !are_true(k, roots)) {
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
        if (k->findings.ptr[i]->seen.rule == rule)
            return &k->findings.ptr[i]->seen;
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

static void keep(struct rulebook_kept *k, const ken_roots *roots, const ken_rule *const *rules,
                 size_t n, const ken_verification *found)
{
    size_t first = k->findings.len;
    for (size_t i = 0; i < n; i++) {
        kept_finding *f = KEN_ARENA_NEW(&k->arena, kept_finding);
        f->seen.rule = rules[i];
        f->seen.outcome = found->outcomes[i];
        f->seen.outcome.note = ken_arena_dup(&k->arena, f->seen.outcome.note);
        ken_vec_push(&k->findings, f);
    }
    for (size_t i = 0; i < found->n; i++) {
        const ken_violation *v = &found->violations[i];
        kept_finding *f = k->findings.ptr[first + v->rule];
        if (f->seen.n_first == KEN_FINDING_FIRST)
            continue;
        f->stamps[f->seen.n_first] = stamp_of(roots, v->path);
        f->seen.first[f->seen.n_first++] = copy_violation(&k->arena, v);
    }
}

// Does the checks of those that were not asked about yet.
static ken_status complete(ken_rulebook *b, const ken_roots *roots, const ken_rule *const *rules,
                           size_t n, const ken_cancel *cancel, ken_arena *scratch, ken_err *err)
{
    struct rulebook_kept *k = kept_of(b, roots);
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
        keep(k, roots, missing, n_missing, &found);
    return st;
}

ken_status ken_rulebook_find_violations(ken_rulebook *b, const ken_rule *const *rules, size_t n,
                                        const ken_cancel *cancel, ken_arena *arena,
                                        const ken_rule_finding ***out, ken_err *err)
{
    ken_arena scratch;
    ken_arena_init(&scratch, 0);
    ken_roots roots = *ken_snapshot_roots(b->snapshot);
    ken_status st = ken_fs_open_dir(b->root.ptr, &roots.fd, err);
    if (!st) {
        st = complete(b, &roots, rules, n, cancel, &scratch, err);
        ken_fs_close(roots.fd);
    }
    ken_arena_release(&scratch);
    if (st)
        return st;
    *out = KEN_ARENA_ARRAY(arena, const ken_rule_finding *, n + 1);
    for (size_t i = 0; i < n; i++)
        (*out)[i] = find(b->kept, rules[i]);
    return KEN_OK;
}
