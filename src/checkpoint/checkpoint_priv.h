// SPDX-License-Identifier: MIT
// checkpoint_priv.h -- what the files of this folder share.
#ifndef KEN_CHECKPOINT_CHECKPOINT_PRIV_H
#define KEN_CHECKPOINT_CHECKPOINT_PRIV_H

#include "base/map.h"
#include "base/vec.h"
#include "checkpoint/checkpoint.h"
#include "recall/recall.h"

// ---- checkpoint_memory.c -----------------------------------------------------------------------
typedef struct checkpoint_mark {
    int64_t id; // 0 = it was replaced by a later one, or removed
    ken_uuid uuid;
    uint32_t first_tag, n_tags; // in `tags`
} checkpoint_mark;

enum {
    CHECKPOINT_MASK_TAGS = 64 // the first tags there were have a bit each
};

// What is held of all checkpoints, in the order they were last written.
typedef struct checkpoint_memory {
    bool is_loaded;
    uint64_t rev; // of what is held
    size_t n;     // that are not replaced or removed
    KEN_VEC(checkpoint_mark) marks;
    KEN_VEC(uint64_t) masks;  // by mark: its tags that have a bit
    KEN_VEC(uint32_t) tags;   // numbers
    ken_map numbers;          // tag -> number, from 0
    KEN_VEC(uint32_t) places; // by id: index in `marks`, plus 1
    ken_recall *recall;       // NULL until texts are asked for
} checkpoint_memory;

void ken_checkpoint__memory_init(checkpoint_memory *m);
void ken_checkpoint__memory_release(checkpoint_memory *m);
// Brings it up to what the store has; with texts when `wants_texts`, or when it has some. A read
// transaction of `store` is open.
ken_status ken_checkpoint__memory_sync(checkpoint_memory *m, ken_store *store, bool wants_texts,
                                       ken_err *err) KEN_MUST_USE;
// What we wrote ourselves, when nobody else wrote before: the next sync then has nothing to do.
void ken_checkpoint__memory_put(checkpoint_memory *m, const ken_checkpoint_row *row);
void ken_checkpoint__memory_remove(checkpoint_memory *m, int64_t id, uint64_t rev);

// The mark of an id; NULL when there is none.
const checkpoint_mark *ken_checkpoint__memory_find(const checkpoint_memory *m, int64_t id);

// A filter with tags as numbers. Nearly all there is to look at is one word a checkpoint.
typedef struct checkpoint_tags {
    uint64_t mask;
    uint32_t rare[KEN_CHECKPOINT_TAGS]; // those without a bit
    size_t n_rare;
} checkpoint_tags;

typedef struct checkpoint_sieve {
    const checkpoint_memory *memory;
    checkpoint_tags all, any, none;
    bool has_any;   // it asks for one of some
    bool is_closed; // it asks for a tag that nothing has
} checkpoint_sieve;

checkpoint_sieve ken_checkpoint__sieve_of(const checkpoint_memory *m,
                                          const ken_checkpoint_filter *f);
bool ken_checkpoint__sieve_passes(const checkpoint_sieve *s, size_t mark); // index in `marks`
// The same as a question to the texts asks for it; what it has is in the arena.
ken_recall_filter ken_checkpoint__recall_filter(const checkpoint_memory *m,
                                                const ken_checkpoint_filter *f, ken_arena *arena);

// ---- checkpoint_check.c ------------------------------------------------------------------------
// The tags of a list whose items may hold several: each once, in byte order, in the arena.
ken_status ken_checkpoint__check_tags(const char *field, const ken_str *in, size_t n_in,
                                      ken_arena *arena, const ken_str **out, size_t *out_n,
                                      ken_err *err) KEN_MUST_USE;
// The filter with its '!' sorted out.
ken_status ken_checkpoint__check_filter(const ken_checkpoint_filter *in, ken_arena *arena,
                                        ken_checkpoint_filter *out, ken_err *err) KEN_MUST_USE;
// Texts of a draft that are there.
ken_status ken_checkpoint__check_draft(const ken_checkpoint_draft *d, ken_err *err) KEN_MUST_USE;

// ---- checkpoint_file.c: files as checkpoints ---------------------------------------------------
bool ken_checkpoint__file_passes(ken_str path, const ken_checkpoint_filter *f);
// Without description.
ken_checkpoint ken_checkpoint__of_file(const ken_file_row *file, ken_arena *arena);
// Ids of all files of one generation, worked out when the first is asked for.
typedef struct checkpoint_files {
    uint64_t generation; // 0 = of none
    ken_map numbers;     // id -> number of the file
} checkpoint_files;

void ken_checkpoint__files_release(checkpoint_files *f);
// NULL when no file has the id.
const ken_file_row *ken_checkpoint__find_file(checkpoint_files *f, ken_snapshot *snap, ken_uuid id);
ken_status ken_checkpoint__load_file(ken_snapshot *snap, const ken_file_row *file, ken_arena *arena,
                                     ken_checkpoint *out, ken_err *err) KEN_MUST_USE;

// ---- checkpoint.c ------------------------------------------------------------------------------
struct ken_checkpoints {
    ken_checkpoints_opts opts;
    checkpoint_memory memory;
    checkpoint_files files;
};

ken_checkpoint ken_checkpoint__of_row(const ken_checkpoint_row *row);
// Rows of the marks, in their order, in one read transaction that is open.
ken_status ken_checkpoint__load_rows(ken_checkpoints *c, const ken_uuid *ids, size_t n,
                                     size_t n_description, ken_arena *arena, ken_checkpoint *out,
                                     size_t *out_n, ken_err *err) KEN_MUST_USE;

#endif
