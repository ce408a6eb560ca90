// SPDX-License-Identifier: MIT
// Sums of what places hold.
#include "move/move.h"

#include <string.h>

#include "base/utf8.h"
#include "move/move_priv.h"

enum {
    ROW_MAX = 1 << 30,
    TOLD_EVERY = 64,
};

const char *ken_move_word(ken_move_part part)
{
    static const char *const words[] = {
#define X(id, word, one) word,
        KEN_MOVE_PARTS(X)
#undef X
    };
    return part < KEN_MOVE_PART_COUNT ? words[part] : "";
}

const char *ken_move_word_of(ken_move_part part, uint64_t n)
{
    static const char *const words[] = {
#define X(id, word, one) one,
        KEN_MOVE_PARTS(X)
#undef X
    };
    return n == 1 && part < KEN_MOVE_PART_COUNT ? words[part] : ken_move_word(part);
}

// ---- rows --------------------------------------------------------------------------------------

void ken_move__begin(move_row *r, ken_move_sum *sum)
{
    *r = (move_row){ .sum = sum, .bytes = KEN_BUF_INIT(ROW_MAX) };
    ken_buf_put(&r->bytes, sum->hash.bytes, sizeof sum->hash.bytes);
}

void ken_move__number(move_row *r, uint64_t v)
{
    ken_buf_put_varint(&r->bytes, v);
}

void ken_move__bytes(move_row *r, ken_str s)
{
    ken_buf_put_varint(&r->bytes, s.len);
    ken_buf_put_str(&r->bytes, s);
}

void ken_move__text(move_row *r, ken_str s)
{
    ken_buf kept = KEN_BUF_INIT(ROW_MAX);
    ken_utf8_put_plain(&kept, s);
    ken_move__bytes(r, ken_buf_str(&kept));
    ken_buf_release(&kept);
}

void ken_move__uuid(move_row *r, ken_uuid id)
{
    ken_buf_put(&r->bytes, id.bytes, sizeof id.bytes);
}

void ken_move__end(move_row *r)
{
    r->sum->n++;
    r->sum->n_bytes += r->bytes.len - sizeof r->sum->hash.bytes;
    r->sum->hash = ken_sha256_of(r->bytes.ptr, r->bytes.len);
    ken_buf_release(&r->bytes);
}

ken_status ken_move__tell(const ken_move_job *job, uint64_t done, uint64_t total, ken_err *err)
{
    if (done % TOLD_EVERY)
        return KEN_OK;
    if (job->on_progress)
        job->on_progress(job->ctx, done, total);
    return ken_cancel_check(job->cancel, err);
}

// ---- sums --------------------------------------------------------------------------------------

void ken_move_join(ken_move_sums *sums, const ken_move_sums *more)
{
    for (int i = 0; i < KEN_MOVE_PART_COUNT; i++) {
        ken_move_sum *a = &sums->parts[i];
        const ken_move_sum *b = &more->parts[i];
        uint8_t both[2 * sizeof a->hash.bytes];
        memcpy(both, a->hash.bytes, sizeof a->hash.bytes);
        memcpy(both + sizeof a->hash.bytes, b->hash.bytes, sizeof b->hash.bytes);
        if (!b->n)
            continue;
        a->hash = ken_sha256_of(both, sizeof both);
        a->n += b->n;
        a->n_bytes += b->n_bytes;
    }
}

ken_move_part ken_move_compare(const ken_move_sums *a, const ken_move_sums *b)
{
    int i = 0;
    while (i < KEN_MOVE_PART_COUNT && a->parts[i].n == b->parts[i].n &&
           !memcmp(a->parts[i].hash.bytes, b->parts[i].hash.bytes, sizeof b->parts[i].hash.bytes))
        i++;
    return (ken_move_part)i;
}

ken_sha256 ken_move_digest(const ken_move_sums *sums)
{
    ken_hasher *h = ken_hasher_new();
    for (int i = 0; i < KEN_MOVE_PART_COUNT; i++) {
        ken_hasher_add(h, &sums->parts[i].n, sizeof sums->parts[i].n);
        ken_hasher_add(h, sums->parts[i].hash.bytes, sizeof sums->parts[i].hash.bytes);
    }
    return ken_hasher_end(h);
}
