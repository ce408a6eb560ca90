// SPDX-License-Identifier: MIT
// What an indexing of the rules saw, kept in the project's index; and how the whole stands.
#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/path.h"
#include "rulebook/rulebook_priv.h"

static const ken_str counts_key = { "rules.indexed", 13 };

#define DAY_MS (24 * 60 * 60 * INT64_C(1000))

// ---- what was seen -----------------------------------------------------------------------------

typedef struct kept_rows {
    const ken_rule_document_row *rows;
    size_t n;
    ken_str counts;
} kept_rows;

static ken_status put_rows(ken_store *writable, void *ctx, ken_err *err)
{
    const kept_rows *k = ctx;
    ken_status st = ken_store_replace_rule_documents(writable, k->rows, k->n, err);
    return st ? st : ken_store_put_value(writable, counts_key, k->counts, err);
}

static ken_status write_rows(ken_rulebook *b, ken_store *writable, int64_t now_ms,
                             uint64_t n_chunks, ken_err *err)
{
    char value[64];
    ken_rule_document_row *rows = ken_zalloc(ken_mul_size(b->docs.len + 1, sizeof *rows));
    size_t n_rows = 0;
    for (size_t i = 0; i < b->docs.len; i++) {
        const ken_rulebook_document *d = &b->docs.ptr[i];
        if (d->kind == KEN_RULE_NONE) // a folder that could not be listed
            continue;
        rows[n_rows++] =
            (ken_rule_document_row){ d->path,   d->kind, d->sha,   d->n_bytes, d->mtime_ns,
                                     d->weight, now_ms,  d->rules, d->n_rules };
    }
    snprintf(value, sizeof value, "%lld %llu", (long long)now_ms, (unsigned long long)n_chunks);
    ken_status st =
        ken_store_write(writable, put_rows, &(kept_rows){ rows, n_rows, ken_str_c(value) }, err);
    ken_free(rows);
    return st;
}

// Readers of the file learn the time; a folder that is not there is nobody's wish for it.
static ken_status write_time(ken_rulebook *b, int64_t now_ms, ken_err *err)
{
    if (!b->config.has_folder)
        return KEN_OK;
    json_t *changes = json_object();
    ken_json_set_time_ms(changes, "lastIndexedAt", now_ms);
    ken_status st = ken_rulebook_write_config(b->root, changes, err);
    json_decref(changes);
    return st;
}

// "<ms> <chunks of code>"; anything else reads as never.
static void parse_seen(ken_str value, int64_t *out_ms, uint64_t *out_chunks)
{
    ken_str first;
    uint64_t ms = 0, chunks = 0;
    if (ken_str_split_next(&value, ' ', &first) && ken_str_parse_u64(first, &ms) &&
        ken_str_parse_u64(value, &chunks) && ms < INT64_MAX) {
        *out_ms = (int64_t)ms;
        *out_chunks = chunks;
    }
}

static ken_status load_counts(ken_rulebook *b, ken_store *store, ken_rulebook_counts *out,
                              ken_err *err)
{
    ken_rulebook_counts counts = { 0 };
    ken_rule_document_row *rows = NULL;
    ken_snapshot_stats stats = { 0 };
    ken_str value = KEN_STR("");
    size_t n = 0;
    ken_arena scratch;
    ken_arena_init(&scratch, 4096);
    ken_status st =
        store ? ken_store_load_value(store, counts_key, &scratch, &value, err) : KEN_ENOTFOUND;
    if (!st)
        parse_seen(value, &counts.indexed_at_ms, &counts.codebase);
    if (st == KEN_ENOTFOUND)
        st = KEN_OK;
    if (!st && store)
        st = ken_store_load_rule_documents(store, &scratch, &rows, &n, err);
    if (!st)
        st = ken_snapshot_get_stats(b->snapshot, &scratch, &stats, err);
    for (size_t i = 0; !st && i < n; i++)
        *(rows[i].kind == KEN_RULE_PATTERN ? &counts.patterns : &counts.constraints) +=
            rows[i].n_rules;
    if (!counts.indexed_at_ms)
        counts.codebase = stats.n_chunks;
    if (!st)
        *out = counts;
    ken_arena_release(&scratch);
    return st;
}

ken_status ken_rulebook_index(ken_rulebook *b, ken_store *writable, ken_rulebook_counts *out,
                              ken_err *err)
{
    int64_t now_ms = ken_clock_wall_ms();
    b->has_config = false;
    for (size_t i = 0; i < b->entries.len; i++)
        b->entries.ptr[i]->is_settled = false; // read it again
    uint64_t n_chunks = 0, n_files = 0;
    ken_status st = ken_rulebook_refresh(b, err);
    if (!st)
        st = ken_rulebook__count_code(b, &n_files, &n_chunks, err);
    if (!st)
        st = write_rows(b, writable, now_ms, n_chunks, err);
    if (!st)
        st = write_time(b, now_ms, err);
    if (!st)
        st = load_counts(b, writable, out, err);
    for (size_t i = 0; !st && i < b->docs.len; i++)
        n_files += b->docs.ptr[i].kind != KEN_RULE_NONE;
    if (!st)
        out->n_files = n_files;
    return st;
}

ken_status ken_rulebook_get_counts(ken_rulebook *b, ken_rulebook_counts *out, ken_err *err)
{
    return load_counts(b, b->store, out, err);
}

// ---- health ------------------------------------------------------------------------------------

typedef struct notes {
    ken_arena *arena;
    KEN_VEC(ken_str) issues, warnings;
} notes;

#define ISSUE(x, ...)   ken_vec_push(&(x)->issues, ken_arena_printf((x)->arena, __VA_ARGS__))
#define WARNING(x, ...) ken_vec_push(&(x)->warnings, ken_arena_printf((x)->arena, __VA_ARGS__))

static void check_collections(const ken_rulebook_health *h, notes *x)
{
    const struct {
        const char *name;
        bool exists;
        uint64_t n;
    } all[] = { { "codebase", h->has_codebase, h->counts.codebase },
                { "constraints", h->has_constraints, h->counts.constraints },
                { "patterns", h->has_patterns, h->counts.patterns } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!all[i].exists)
            ISSUE(x, "Collection '%s' does not exist. Run rag_index first.", all[i].name);
        else if (!all[i].n && !i)
            ISSUE(x, "Collection '%s' is empty. Run rag_index to populate it.", all[i].name);
        else if (!all[i].n)
            WARNING(x, "Collection '%s' is empty.", all[i].name);
    }
}

static bool has_document(const ken_rulebook *b, const char *path)
{
    for (size_t i = 0; i < b->docs.len; i++)
        if (ken_str_eq_c(b->docs.ptr[i].path, path))
            return true;
    return false;
}

static void check_documents(ken_rulebook *b, ken_rulebook_health *h, notes *x)
{
    h->has_architecture =
        has_document(b, "ARCHITECTURE.yml") || has_document(b, "ARCHITECTURE.yaml");
    h->has_constraints_file = has_document(b, "CONSTRAINTS.md");
    h->has_claude = has_document(b, "CLAUDE.md");
    if (!h->has_architecture)
        WARNING(x, "Missing constraint file: ARCHITECTURE.yml");
    if (!h->has_constraints_file)
        WARNING(x, "Missing constraint file: CONSTRAINTS.md");
    for (size_t i = 0; i < b->docs.len; i++) {
        const ken_rulebook_document *d = &b->docs.ptr[i];
        if (d->error.len)
            ISSUE(x, KEN_STR_FMT, KEN_STR_ARG(d->error));
        for (size_t k = 0; k < d->n_issues; k++)
            ISSUE(x, KEN_STR_FMT, KEN_STR_ARG(d->issues[k].message));
    }
    if (b->is_full)
        WARNING(x, "There are more than %d documents of rules; the rest is not read.",
                RULEBOOK_DOCUMENTS_MAX);
    if (b->config_err.status)
        ISSUE(x, "%s", b->config_err.msg);
}

static void test_query(ken_rulebook *b, const ken_cancel *cancel, ken_rulebook_health *h, notes *x)
{
    ken_search_result found = { 0 };
    ken_err why = { 0 };
    ken_search_opts opts = { .mode = KEN_SEARCH_SEMANTIC, .limit = 1 };
    ken_status st =
        ken_search(b->snapshot, KEN_STR("function"), &opts, cancel, x->arena, &found, &why);
    if (!st && found.n_hits) {
        h->query_test = KEN_STR("passed");
        return;
    }
    h->query_test =
        st ? ken_arena_printf(x->arena, "failed: %s", why.msg) : KEN_STR("failed: no results");
    ISSUE(x, "Test query " KEN_STR_FMT, KEN_STR_ARG(h->query_test));
}

static void check_age(const ken_rulebook_health *h, int64_t now_ms, notes *x)
{
    int64_t days = (now_ms - h->counts.indexed_at_ms) / DAY_MS;
    if (h->counts.indexed_at_ms && days >= KEN_RULEBOOK_STALE_DAYS &&
        now_ms - h->counts.indexed_at_ms > KEN_RULEBOOK_STALE_DAYS * DAY_MS)
        WARNING(x, "Index is %lld days old. Run rag_index to refresh it.", (long long)days);
}

ken_status ken_rulebook_check_health(ken_rulebook *b, int64_t now_ms, const ken_cancel *cancel,
                                     ken_arena *arena, ken_rulebook_health *out, ken_err *err)
{
    ken_rulebook_health h = { 0 };
    notes x = { .arena = arena };
    b->has_config = false; // looked at anew, too
    ken_status st = ken_rulebook_refresh(b, err);
    if (!st)
        st = ken_rulebook_get_counts(b, &h.counts, err);
    if (st)
        return st;
    h.has_codebase = ken_snapshot_generation(b->snapshot) > 0;
    h.has_constraints = h.has_patterns = h.counts.indexed_at_ms > 0;
    check_collections(&h, &x);
    check_documents(b, &h, &x);
    test_query(b, cancel, &h, &x);
    check_age(&h, now_ms, &x);
    h.issues = ken_arena_copy(arena, x.issues.ptr, x.issues.len, sizeof *x.issues.ptr);
    h.n_issues = x.issues.len;
    h.warnings = ken_arena_copy(arena, x.warnings.ptr, x.warnings.len, sizeof *x.warnings.ptr);
    h.n_warnings = x.warnings.len;
    h.is_healthy = !h.n_issues;
    ken_vec_release(&x.issues);
    ken_vec_release(&x.warnings);
    *out = h;
    return KEN_OK;
}
