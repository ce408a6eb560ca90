// SPDX-License-Identifier: MIT
// rulebook_priv.h -- a rulebook from the inside.
#ifndef KEN_RULEBOOK_RULEBOOK_PRIV_H
#define KEN_RULEBOOK_RULEBOOK_PRIV_H

#include "base/fs.h"
#include "base/vec.h"
#include "rulebook/rulebook.h"
#include "rulebook/rulebook_config.h"

enum {
    RULEBOOK_DOCUMENTS_MAX = 200
};

// One document, with all that it says in its arena.
typedef struct rulebook_entry {
    ken_rulebook_document doc;
    ken_fs_stamp stamp;
    ken_arena arena;
    uint32_t slot;   // a number of its own as long as it is there
    uint32_t rev;    // raised by each reading that made it new
    bool is_settled; // its stamp is old enough to tell the next change
    bool is_seen;    // by the refresh that goes on
} rulebook_entry;

struct ken_rulebook {
    ken_store *store;       // borrowed
    ken_snapshot *snapshot; // borrowed
    ken_arena arena;        // of the root
    ken_str root;
    ken_arena nested_arena;
    ken_str *nested; // documents in folders of their own, by the index
    size_t n_nested;
    uint64_t nested_generation;          // that `nested` is of; 0 = none
    KEN_VEC(rulebook_entry *) entries;   // by path
    KEN_VEC(ken_rulebook_document) docs; // the same, for callers
    bool is_full;                        // there are more documents than are read
    uint32_t next_slot;
    struct rulebook_ranker *ranker; // rulebook_rank.c; NULL until a question needs it
    struct rulebook_kept *kept;     // rulebook_kept.c; the same
    ken_rulebook_config config;
    ken_arena config_arena;
    ken_fs_stamp config_stamp;
    bool has_config;    // was looked at
    ken_err config_err; // of the last reading
};

// ---- rulebook_find.c ---------------------------------------------------------------------------
// `why`: what keeps the document, or the folder, from being looked at; NULL = nothing.
typedef void rulebook_path_fn(void *ctx, ken_str path, const ken_err *why);
// Paths of documents that are on the disk in the folders that hold them, and those of the index; and
// folders that are there and cannot be listed.
ken_status ken_rulebook__find(ken_rulebook *b, int root_fd, rulebook_path_fn *fn, void *ctx,
                              ken_err *err);

// ---- rulebook_rank.c ---------------------------------------------------------------------------
// The best rules of one kind for a planned change, best first. `code`: what the change is about, by
// a search; rules that are meant for it gain.
size_t ken_rulebook__rank(ken_rulebook *b, ken_str description, ken_rule_kind kind,
                          const ken_hit *code, size_t n_code, size_t limit, ken_arena *arena,
                          ken_rulebook_found **out);
void ken_rulebook__free_ranker(struct rulebook_ranker *r);

// ---- rulebook_codebase.c -----------------------------------------------------------------------
// Whether a file of the index, in that language, is code that may be shown as an example.
bool ken_rulebook__is_in_codebase(const ken_rulebook_config *c, ken_str path, ken_str language);
ken_status ken_rulebook__count_code(ken_rulebook *b, uint64_t *out_files, uint64_t *out_chunks,
                                    ken_err *err);

// ---- rulebook_kept.c ---------------------------------------------------------------------------
void ken_rulebook__free_kept(struct rulebook_kept *k);

#endif
