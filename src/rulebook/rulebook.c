// SPDX-License-Identifier: MIT
// A rulebook and its documents: each is read once, and again when it changes.
#include "rulebook/rulebook.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "rulebook/rulebook_priv.h"
#include "secret/secret.h"

enum {
    SETTLED_NS = 2000000000 // a file may be written again within its own time stamp
};

void ken_rulebook_new(ken_store *store, ken_snapshot *snapshot, ken_str root, ken_rulebook **out)
{
    ken_rulebook *b = ken_zalloc(sizeof *b);
    b->store = store;
    b->snapshot = snapshot;
    ken_arena_init(&b->arena, 1024);
    ken_arena_init(&b->nested_arena, 1024);
    ken_arena_init(&b->config_arena, 1024);
    b->root = ken_arena_dup(&b->arena, root);
    *out = b;
}

void ken_rulebook_set_store(ken_rulebook *b, ken_store *store)
{
    b->store = store;
}

static void free_entry(rulebook_entry *e)
{
    ken_arena_release(&e->arena);
    ken_free(e);
}

void ken_rulebook_free(ken_rulebook *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->entries.len; i++)
        free_entry(b->entries.ptr[i]);
    ken_vec_release(&b->entries);
    ken_vec_release(&b->docs);
    ken_rulebook__free_ranker(b->ranker);
    ken_rulebook__free_kept(b->kept);
    ken_arena_release(&b->config_arena);
    ken_arena_release(&b->nested_arena);
    ken_arena_release(&b->arena);
    ken_free(b);
}

// ---- one document ------------------------------------------------------------------------------

static void parse_entry(rulebook_entry *e, ken_str text)
{
    ken_err why = { 0 };
    ken_rules_doc doc = { 0 };
    ken_str path = e->doc.path;
    if (ken_rules_parse(path, text, &e->arena, &doc, &why))
        e->doc.error = ken_arena_dup(&e->arena, ken_str_c(why.msg));
    e->doc.rules = doc.rules;
    e->doc.n_rules = doc.n_rules;
    e->doc.issues = doc.issues;
    e->doc.n_issues = doc.n_issues;
}

// Forgets what the document said, but not which one it is.
static void clear_entry(rulebook_entry *e)
{
    ken_arena fresh;
    ken_arena_init(&fresh, 4096);
    ken_rulebook_document doc = { .path = ken_arena_dup(&fresh, e->doc.path), .kind = e->doc.kind };
    ken_arena_release(&e->arena);
    e->arena = fresh;
    e->doc = doc;
    e->rev++;
}

// Reads the document when its stamp says that it may have changed.
static void read_entry(rulebook_entry *e, int root_fd, ken_fs_stamp stamp)
{
    if (e->is_settled && ken_fs_stamp_eq(stamp, e->stamp))
        return;
    ken_buf text = KEN_BUF_INIT(KEN_RULES_DOCUMENT_MAX + 2);
    ken_err why = { 0 };
    ken_fs_stamp read_stamp = stamp;
    ken_status st =
        ken_fs_read_under(root_fd, e->doc.path, KEN_RULES_DOCUMENT_MAX, &text, &read_stamp, &why);
    ken_sha256 sha = ken_sha256_of(text.ptr ? text.ptr : "", text.len);
    bool is_same = e->rev && !st && !e->doc.error.len && !memcmp(&sha, &e->doc.sha, sizeof sha);
    if (!is_same) {
        clear_entry(e);
        e->doc.sha = sha;
        if (st)
            e->doc.error = ken_arena_dup(&e->arena, ken_str_c(why.msg));
        else if (text.len)
            (void)ken_secret_mask(text.ptr, text.len);
        if (!st)
            parse_entry(e, ken_buf_str(&text));
    }
    e->stamp = read_stamp;
    e->doc.n_bytes = read_stamp.size;
    e->doc.mtime_ns = read_stamp.mtime_ns;
    e->is_settled = ken_clock_wall_ms() * 1000000 - read_stamp.mtime_ns > SETTLED_NS;
    ken_buf_release(&text);
}

// ---- all of them -------------------------------------------------------------------------------

typedef struct refresh {
    ken_rulebook *b;
    int root_fd;
} refresh;

static rulebook_entry *find_entry(const ken_rulebook *b, ken_str path)
{
    for (size_t i = 0; i < b->entries.len; i++)
        if (ken_str_eq(b->entries.ptr[i]->doc.path, path))
            return b->entries.ptr[i];
    return NULL;
}

// NULL when there are as many as are read.
static rulebook_entry *find_or_add(ken_rulebook *b, ken_str path)
{
    rulebook_entry *e = find_entry(b, path);
    if (e)
        return e;
    if (b->entries.len == RULEBOOK_DOCUMENTS_MAX) {
        b->is_full = true;
        return NULL;
    }
    e = ken_zalloc(sizeof *e);
    ken_arena_init(&e->arena, 4096);
    e->doc.path = ken_arena_dup(&e->arena, path);
    e->doc.kind = ken_rules_kind_of(path, NULL);
    e->slot = b->next_slot++;
    ken_vec_push(&b->entries, e);
    return e;
}

// What cannot be looked at may be there: it is a document with an error, not one that is gone.
static void set_unread(rulebook_entry *e, const ken_err *why)
{
    clear_entry(e);
    e->doc.error = ken_arena_dup(&e->arena, ken_str_c(why->msg));
    e->stamp = (ken_fs_stamp){ 0 };
    e->is_settled = false;
}

static void look_at(void *ctx, ken_str path, const ken_err *why)
{
    refresh *r = ctx;
    ken_fs_info info = { 0 };
    ken_err unread = { 0 };
    char name[4096];
    if (path.len >= sizeof name)
        return;
    memcpy(name, path.ptr, path.len);
    name[path.len] = 0;
    ken_status st = why ? why->status : ken_fs_stat(r->root_fd, name, &info, &unread);
    // A link shows another file, which is a document of its own when it lies in the tree.
    if (st == KEN_ENOTFOUND || (!st && info.kind != KEN_FS_FILE))
        return;
    rulebook_entry *e = find_or_add(r->b, path);
    if (!e || e->is_seen)
        return;
    e->is_seen = true;
    if (st)
        set_unread(e, why ? why : &unread);
    else
        read_entry(e, r->root_fd, info.stamp);
}

static void drop_unseen(ken_rulebook *b)
{
    size_t kept = 0;
    for (size_t i = 0; i < b->entries.len; i++) {
        if (b->entries.ptr[i]->is_seen)
            b->entries.ptr[kept++] = b->entries.ptr[i];
        else
            free_entry(b->entries.ptr[i]);
    }
    b->entries.len = kept;
}

static int by_path(const void *a, const void *b)
{
    return ken_str_cmp((*(rulebook_entry *const *)a)->doc.path,
                       (*(rulebook_entry *const *)b)->doc.path);
}

// The weights of .rag/config.json, read again when it changes; a bad file leaves the defaults.
static void refresh_config(ken_rulebook *b, int root_fd)
{
    ken_fs_info info = { 0 };
    if (ken_fs_stat(root_fd, ".rag/config.json", &info, NULL))
        info = (ken_fs_info){ 0 };
    if (b->has_config && ken_fs_stamp_eq(info.stamp, b->config_stamp))
        return;
    ken_arena_reset(&b->config_arena);
    b->config_err = (ken_err){ 0 };
    b->config_err.status =
        ken_rulebook_read_config(b->root, &b->config_arena, &b->config, &b->config_err);
    b->config_stamp = info.stamp;
    b->has_config = true;
}

// Rules carry the weight of their document.
static void weigh(ken_rulebook *b)
{
    ken_vec_clear(&b->docs);
    for (size_t i = 0; i < b->entries.len; i++) {
        rulebook_entry *e = b->entries.ptr[i];
        e->doc.weight = ken_rules_weight_of(e->doc.path, b->config.weights, b->config.n_weights);
        ken_vec_push(&b->docs, e->doc);
    }
}

ken_status ken_rulebook_refresh(ken_rulebook *b, ken_err *err)
{
    refresh r = { .b = b };
    ken_err why = { 0 };
    if (ken_fs_open_dir(b->root.ptr, &r.root_fd, &why))
        return KEN_FAIL(err, KEN_ENOTFOUND, "the project's folder '" KEN_STR_FMT "' is gone",
                        KEN_STR_ARG(b->root));
    b->is_full = false;
    for (size_t i = 0; i < b->entries.len; i++)
        b->entries.ptr[i]->is_seen = false;
    ken_status st = ken_rulebook__find(b, r.root_fd, look_at, &r, err);
    if (!st) {
        drop_unseen(b);
        if (b->entries.len)
            qsort(b->entries.ptr, b->entries.len, sizeof *b->entries.ptr, by_path);
        refresh_config(b, r.root_fd);
        weigh(b);
    }
    ken_fs_close(r.root_fd);
    return st;
}

const ken_rulebook_document *ken_rulebook_documents(const ken_rulebook *b, size_t *out_n)
{
    *out_n = b->docs.len;
    return b->docs.ptr;
}

// ---- rules of a file ---------------------------------------------------------------------------

typedef struct rule_place {
    const ken_rule *rule;
    double weight;
    size_t at; // order of documents and rules
} rule_place;

static int nearest_first(const void *x, const void *y)
{
    const rule_place *a = x, *b = y;
    if (a->rule->scope.len != b->rule->scope.len)
        return a->rule->scope.len > b->rule->scope.len ? -1 : 1;
    if (a->weight < b->weight || a->weight > b->weight)
        return a->weight > b->weight ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

ken_status ken_rulebook_list_for_file(ken_rulebook *b, ken_str path, size_t limit, ken_arena *arena,
                                      const ken_rule ***out, size_t *out_n, ken_err *err)
{
    KEN_VEC(rule_place) found = { 0 };
    ken_status st = ken_rulebook_refresh(b, err);
    if (st)
        return st;
    for (size_t d = 0; d < b->docs.len; d++) {
        const ken_rulebook_document *doc = &b->docs.ptr[d];
        for (size_t i = 0; i < doc->n_rules; i++) {
            const ken_rule *rule = &doc->rules[i];
            rule_place place = { rule, doc->weight, found.len };
            if ((rule->scope.len || rule->globs.n) && ken_rules_applies_to(rule, path))
                ken_vec_push(&found, place);
        }
    }
    if (found.len)
        qsort(found.ptr, found.len, sizeof *found.ptr, nearest_first);
    *out_n = found.len < limit ? found.len : limit;
    *out = KEN_ARENA_ARRAY(arena, const ken_rule *, *out_n + 1);
    for (size_t i = 0; i < *out_n; i++)
        (*out)[i] = found.ptr[i].rule;
    ken_vec_release(&found);
    return KEN_OK;
}
