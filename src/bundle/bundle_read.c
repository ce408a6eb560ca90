// SPDX-License-Identifier: MIT
// Reading what may be anybody's: each size is compared with what it may be before anything is taken for it, and
// a block is looked at by its sum before it is unpacked.
#include <inttypes.h>
#include <stdio.h>
#include <sys/statvfs.h>

#include <zstd.h>

#include "base/alloc.h"
#include "base/fs.h"
#include "bundle/bundle_priv.h"

struct ken_bundle {
    ken_arena arena;
    ken_str path;
    int fd;
    uint64_t n_bytes;  // of the file
    uint64_t first_at; // of its first block
    ken_bundle_info info;
};

static ken_status fail_at(const ken_bundle *b, ken_status st, ken_err *err)
{
    (void)ken_err_wrap(err, "'" KEN_STR_FMT "'", KEN_STR_ARG(ken_str_sub(b->path, 0, 300)));
    return st;
}

// ---- opening -------------------------------------------------------------------------------------

static ken_status read_header(ken_bundle *b, size_t line_len, const bundle_line *line, ken_err *err)
{
    char sum[17];
    char *text = ken_arena_alloc(&b->arena, (size_t)line->len + 1);
    size_t n = ken_fs_read_at(b->fd, line_len + 1, text, (size_t)line->len + 1);
    if (n < line->len + 1)
        return KEN_FAIL(err, KEN_ECORRUPT, "it is cut off inside its header: get it again");
    ken_str header = ken_str_n(text, (size_t)line->len);
    snprintf(sum, sizeof sum, "%016" PRIx64, ken_hash_str(header));
    if (!ken_str_eq_c(line->sum, sum) || text[line->len] != '\n')
        return KEN_FAIL(err, KEN_ECORRUPT, "its header is not as it was written: get it again");
    b->first_at = line_len + 1 + line->len + 1;
    return ken_bundle__read_header(header, &b->arena, &b->info, err);
}

static ken_status read_front(ken_bundle *b, ken_err *err)
{
    char front[BUNDLE_LINE_MAX];
    bundle_line line = { 0 };
    ken_str text = ken_str_n(front, ken_fs_read_at(b->fd, 0, front, sizeof front));
    size_t end = ken_str_find_char(text, '\n');
    ken_status st = ken_bundle__read_line(ken_str_sub(text, 0, end), &line, err);
    if (!st && end == SIZE_MAX)
        st = KEN_FAIL(err, KEN_ECORRUPT, "it is cut off inside its first line: get it again");
    if (!st)
        st = read_header(b, end, &line, err);
    if (!st && b->info.n_bytes / KEN_BUNDLE_MAX_RATIO > b->n_bytes)
        st = KEN_FAIL(err, KEN_ELIMIT,
                      "it claims to hold %" PRIu64 " bytes in %" PRIu64
                      ", more than %d times as much: it was cut off, or is no index",
                      b->info.n_bytes, b->n_bytes, KEN_BUNDLE_MAX_RATIO);
    return st;
}

ken_status ken_bundle_open(const char *path, ken_bundle **out, ken_err *err)
{
    ken_fs_info info = { 0 };
    ken_bundle *b = ken_zalloc(sizeof *b);
    b->fd = -1;
    ken_arena_init(&b->arena, 0);
    b->path = ken_arena_dup(&b->arena, ken_str_c(path));
    ken_status st = ken_fs_open_own(path, &b->fd, err);
    if (!st)
        st = ken_fs_stat_target(path, &info, err);
    b->n_bytes = info.stamp.size;
    if (!st) {
        st = read_front(b, err);
        st = st ? fail_at(b, st, err) : KEN_OK;
    }
    if (st) {
        ken_bundle_close(b);
        return st;
    }
    *out = b;
    return KEN_OK;
}

void ken_bundle_close(ken_bundle *b)
{
    if (!b)
        return;
    ken_fs_close(b->fd);
    ken_arena_release(&b->arena);
    ken_free(b);
}

const ken_bundle_info *ken_bundle_info_of(const ken_bundle *b)
{
    return &b->info;
}

uint64_t ken_bundle_bytes(const ken_bundle *b)
{
    return b->n_bytes;
}

// ---- unpacking -----------------------------------------------------------------------------------

typedef struct unpacking {
    ken_bundle *b;
    const ken_bundle_job *job;
    int out;
    uint64_t at, block;
    char *packed, *plain;
    size_t packed_bytes;
    ZSTD_DCtx *zip;
    ken_hasher *hash;
} unpacking;

static ken_status fail_block(const unpacking *u, const char *what, ken_err *err)
{
    return KEN_FAIL(err, KEN_ECORRUPT, "block %" PRIu64 " of %" PRIu64 " %s: get the bundle again",
                    u->block + 1, ken_bundle__n_blocks(&u->b->info), what);
}

static ken_status take_block(unpacking *u, ken_err *err)
{
    uint8_t head[BUNDLE_HEAD];
    uint64_t left = u->b->info.n_bytes - u->block * KEN_BUNDLE_BLOCK;
    size_t want = left < KEN_BUNDLE_BLOCK ? (size_t)left : KEN_BUNDLE_BLOCK;
    if (ken_fs_read_at(u->b->fd, u->at, head, sizeof head) != sizeof head)
        return fail_block(u, "is cut off", err);
    size_t n_plain = ken_get32(head), n_packed = ken_get32(head + 4);
    if (n_plain != want || !n_packed || n_packed > u->packed_bytes)
        return fail_block(u, "has a wrong size", err);
    if (ken_fs_read_at(u->b->fd, u->at + sizeof head, u->packed, n_packed) != n_packed)
        return fail_block(u, "is cut off", err);
    if (ken_hash64(u->packed, n_packed) != ken_get64(head + 8))
        return fail_block(u, "is not as it was written", err);
    if (ZSTD_decompressDCtx(u->zip, u->plain, want, u->packed, n_packed) != want)
        return fail_block(u, "cannot be unpacked", err);
    ken_hasher_add(u->hash, u->plain, want);
    u->at += sizeof head + n_packed;
    u->block++;
    return ken_fs_append(u->out, ken_str_n(u->plain, want), err);
}

static ken_status take_all(unpacking *u, ken_err *err)
{
    const ken_bundle_info *info = &u->b->info;
    ken_status st = KEN_OK;
    u->at = u->b->first_at;
    while (!st && u->block * KEN_BUNDLE_BLOCK < info->n_bytes) {
        if (u->job->on_progress)
            u->job->on_progress(u->job->progress_ctx, u->block * KEN_BUNDLE_BLOCK, info->n_bytes);
        st = take_block(u, err);
        if (!st)
            st = ken_cancel_check(u->job->cancel, err);
    }
    ken_sha256 sha = ken_hasher_end(u->hash);
    if (!st && u->at != u->b->n_bytes)
        st = KEN_FAIL(err, KEN_ECORRUPT, "%" PRIu64 " bytes follow its last block: get it again",
                      u->b->n_bytes - u->at);
    if (!st && memcmp(sha.bytes, info->sha.bytes, sizeof sha.bytes) != 0)
        st = KEN_FAIL(err, KEN_ECORRUPT,
                      "what is in it has not the SHA-256 of its header: get it again");
    return st ? st : ken_fs_sync(u->out, err);
}

// So that a full disk is told before it is full. A file system that cannot be asked is written to.
static ken_status check_room(const ken_bundle *b, const char *path, ken_err *err)
{
    struct statvfs v;
    if (statvfs(path, &v) || !v.f_frsize || v.f_bavail > b->info.n_bytes / v.f_frsize)
        return KEN_OK;
    return KEN_FAIL(err, KEN_ENOSPC,
                    "no space for it: unpacked it has %" PRIu64 " MiB, and %" PRIu64
                    " MiB are free where '%s' is",
                    b->info.n_bytes >> 20, (uint64_t)v.f_bavail * v.f_frsize >> 20, path);
}

ken_status ken_bundle_unpack(ken_bundle *b, const char *path, const ken_bundle_job *job,
                             ken_err *err)
{
    unpacking u = { .b = b, .job = job, .out = -1 };
    ken_status st = ken_fs_remove(path, err);
    if (!st)
        st = ken_fs_create_own(path, &u.out, err);
    if (st)
        return st;
    u.packed_bytes = ZSTD_compressBound(KEN_BUNDLE_BLOCK);
    u.packed = ken_alloc(u.packed_bytes);
    u.plain = ken_alloc(KEN_BUNDLE_BLOCK);
    u.zip = ZSTD_createDCtx();
    u.hash = ken_hasher_new();
    st = check_room(b, path, err);
    if (!st && !u.zip)
        st = KEN_FAIL(err, KEN_ENOMEM, "unpacking");
    if (!st)
        st = take_all(&u, err);
    else
        (void)ken_hasher_end(u.hash);
    ZSTD_freeDCtx(u.zip);
    ken_free(u.packed);
    ken_free(u.plain);
    ken_fs_close(u.out);
    if (!st)
        return KEN_OK;
    bool is_left = ken_fs_remove(path, NULL) != KEN_OK;
    (void)is_left;
    return fail_at(b, st, err);
}
