// SPDX-License-Identifier: MIT
// Getting a model's files: into <file>.part first, checked, then renamed. What has come stays when
// a try fails, unless its checksum says that it is wrong.
#include <unistd.h>

#include "app/app_model_priv.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/utf8.h"
#include "embed/embed_token.h"
#include "httpc/httpc.h"

enum {
    PIECE_BYTES = 1 << 20
};

typedef struct job {
    ken_app *app;
    ken_app_bytes_fn *progress;
    void *ctx;
    const ken_cancel *cancel;
    ken_arena *arena;
    ken_httpc *http;
} job;

// ---- sources ---------------------------------------------------------------------------------

// The path of a file: URI or of an absolute path; empty for anything else.
static ken_str local_path(ken_str source)
{
    if (ken_str_starts(source, KEN_STR("file://")))
        source = ken_str_sub(source, 7, source.len);
    return source.len && source.ptr[0] == '/' ? source : KEN_STR("");
}

static bool is_web(ken_str source)
{
    return ken_str_starts(source, KEN_STR("https://")) ||
           ken_str_starts(source, KEN_STR("http://"));
}

ken_status ken_app__check_source(const char *field, ken_str source, ken_err *err)
{
    if (local_path(source).len || !ken_httpc_check_url(source, NULL))
        return KEN_OK;
    if (!is_web(source))
        return KEN_FAIL(err, KEN_EINVAL,
                        "%s: must be an https:, http: or file:///… URI or an absolute path, not "
                        "'" KEN_STR_FMT "'",
                        field, KEN_STR_ARG(ken_utf8_clip(source, 120)));
    ken_status st = ken_httpc_check_url(source, err); // which quotes no password
    if (st)
        (void)ken_err_wrap(err, "%s", field);
    return st;
}

static ken_status copy_file(const job *j, const char *from, const char *to, ken_err *err)
{
    int in = -1, out = -1;
    ken_fs_info info = { 0 };
    char *piece = ken_alloc(PIECE_BYTES);
    ken_status st = ken_fs_open_own(from, &in, err);
    if (!st)
        st = ken_fs_stat(KEN_FS_CWD, from, &info, err);
    if (!st)
        st = ken_fs_open_append(to, true, &out, NULL, err);
    for (uint64_t at = 0; !st;) {
        size_t n = ken_fs_read_at(in, at, piece, PIECE_BYTES);
        if (!n)
            break;
        at += n;
        st = ken_cancel_check(j->cancel, err);
        if (!st)
            st = ken_fs_append(out, ken_str_n(piece, n), err);
        if (!st && j->progress)
            j->progress(j->ctx, at, info.stamp.size);
    }
    if (!st)
        st = ken_fs_sync(out, err);
    if (out >= 0)
        ken_fs_close(out);
    if (in >= 0)
        ken_fs_close(in);
    ken_free(piece);
    return st;
}

static ken_status fetch_from(const job *j, ken_str source, const char *to, ken_err *err)
{
    return ken_httpc_fetch(j->http,
                           &(ken_httpc_download){ .url = ken_arena_dup(j->arena, source).ptr,
                                                  .path = to,
                                                  .progress = j->progress,
                                                  .ctx = j->ctx,
                                                  .cancel = j->cancel },
                           NULL, err);
}

// Where a mirror has it: empty when it has other addresses. KEN_EINVAL for one that is none.
static ken_status mirror_of(const job *j, ken_str mirror, ken_str source, ken_str *out,
                            ken_err *err)
{
    size_t at = ken_str_find_char(mirror, '=');
    ken_str from = ken_str_trim(ken_str_sub(mirror, 0, at));
    ken_str to =
        at == SIZE_MAX ? KEN_STR("") : ken_str_trim(ken_str_sub(mirror, at + 1, mirror.len));
    if (!from.len || ken_httpc_check_url(to, NULL))
        return KEN_FAIL(err, KEN_EINVAL,
                        "'embedding.mirrors' has '" KEN_STR_FMT "', which is not FROM=TO with an "
                        "http: or https: address",
                        KEN_STR_ARG(ken_str_sub(mirror, 0, 120)));
    *out = KEN_STR("");
    if (ken_str_starts(source, from))
        *out = ken_arena_printf(j->arena, KEN_STR_FMT KEN_STR_FMT, KEN_STR_ARG(to),
                                KEN_STR_ARG(ken_str_sub(source, from.len, source.len)));
    return KEN_OK;
}

// What a mirror cannot help with: the person stopped it, or this machine is in the way.
static bool is_final(ken_status st)
{
    return !st || st == KEN_ECANCELLED || st == KEN_ENOSPC || st == KEN_ENOMEM;
}

// Not a beginning of the one goes on with the other: what a mirror has may be another version.
static ken_status drop_beginning(const job *j, const char *to, ken_err *err)
{
    ken_status st = ken_fs_remove(to, err);
    return st ? st : ken_fs_remove(ken_arena_printf(j->arena, "%s.tag", to).ptr, err);
}

static ken_status fetch(const job *j, ken_str source, const char *to, ken_err *err)
{
    ken_str path = local_path(source), there = { "", 0 };
    if (path.len)
        return copy_file(j, ken_arena_dup(j->arena, path).ptr, to, err);
    const ken_str *mirrors;
    size_t n = ken_config_list(j->app->config, KEN_CFG_EMBED_MIRRORS, &mirrors);
    ken_status st = fetch_from(j, source, to, err);
    for (size_t i = 0; i < n && !is_final(st); i++) {
        ken_status wrong = mirror_of(j, mirrors[i], source, &there, err);
        if (wrong)
            return wrong;
        if (!there.len)
            continue;
        wrong = drop_beginning(j, to, err);
        if (wrong)
            return wrong;
        st = fetch_from(j, there, to, err);
    }
    return st;
}

// ---- checks ----------------------------------------------------------------------------------

static ken_status hash_file(const job *j, const char *path, ken_str *out_hex, uint64_t *out_size,
                            ken_err *err)
{
    int fd = -1;
    char hex[65];
    ken_status st = ken_fs_open_own(path, &fd, err);
    if (st)
        return st;
    char *piece = ken_alloc(PIECE_BYTES);
    ken_hasher *h = ken_hasher_new();
    uint64_t at = 0;
    for (size_t n; (n = ken_fs_read_at(fd, at, piece, PIECE_BYTES)) > 0; at += n)
        ken_hasher_add(h, piece, n);
    ken_sha256 hash = ken_hasher_end(h);
    ken_free(piece);
    ken_fs_close(fd);
    ken_hex_into(hash.bytes, sizeof hash.bytes, hex);
    *out_hex = ken_arena_dup(j->arena, ken_str_c(hex));
    *out_size = at;
    return KEN_OK;
}

// A file that went on from an older one may be a mixture: it is fetched whole then.
static ken_status fetch_model(const job *j, ken_model_record *m, ken_err *err)
{
    const char *part = ken_arena_printf(j->arena, "%s.part", m->path.ptr).ptr;
    bool was_begun = ken_fs_exists(part), is_right = false;
    ken_str hex;
    for (int i = 0; i < 2 && !is_right; i++) {
        uint64_t size = 0;
        ken_status st = fetch(j, m->source, part, err);
        if (!st)
            st = hash_file(j, part, &hex, &size, err);
        if (st)
            return st;
        is_right = size && (!m->sha256.len || ken_str_eq_fold(hex, m->sha256));
        if (is_right) {
            m->sha256 = hex;
            m->size_bytes = size;
            return ken_fs_rename(part, m->path.ptr, err);
        }
        st = ken_fs_remove(part, err);
        if (st || !was_begun)
            break;
    }
    return KEN_FAIL(
        err, KEN_ECORRUPT,
        "what came from '" KEN_STR_FMT "' is not the model: its SHA-256 is " KEN_STR_FMT
        ", not " KEN_STR_FMT,
        KEN_STR_ARG(ken_str_sub(m->source, 0, 120)), KEN_STR_ARG(hex),
        KEN_STR_ARG(m->sha256.len ? m->sha256 : KEN_STR("that of a file with content")));
}

static ken_status fetch_tokenizer(const job *j, const ken_model_record *m, ken_err *err)
{
    const char *part = ken_arena_printf(j->arena, "%s.part", m->tokenizer_path.ptr).ptr;
    job quiet = *j;
    ken_wordpiece *t = NULL;
    quiet.progress = NULL;
    ken_status st = ken_fs_remove(part, err);
    if (!st)
        st = fetch(&quiet, m->tokenizer_source, part, err);
    if (!st)
        st = ken_wordpiece_load(part, &t, err);
    ken_wordpiece_free(t);
    return st ? st : ken_fs_rename(part, m->tokenizer_path.ptr, err);
}

// ---- the whole -------------------------------------------------------------------------------

static ken_status lock_model(const ken_model_record *m, ken_arena *arena, int *out, ken_err *err)
{
    ken_str dir = ken_arena_dup(arena, ken_path_dir(m->path));
    ken_status st = ken_fs_make_dirs(dir.ptr, 0700, err);
    if (!st)
        st = ken_fs_lock(ken_path_join(arena, dir, KEN_STR(".lock")).ptr, out, err);
    if (st == KEN_EBUSY)
        return KEN_FAIL(err, st, "another process is downloading '" KEN_STR_FMT "'",
                        KEN_STR_ARG(m->id));
    return st;
}

static ken_status run_locked(const job *j, ken_model_record *m, ken_err *err)
{
    m->status = KEN_MODEL_DOWNLOADING;
    ken_status st = ken_app__put_model(j->app, m, err);
    if (st)
        return st;
    st = fetch_tokenizer(j, m, err);
    if (!st)
        st = fetch_model(j, m, err);
    m->status = !st                                          ? KEN_MODEL_READY
                : st == KEN_ECANCELLED || st == KEN_ETIMEOUT ? KEN_MODEL_PENDING
                                                             : KEN_MODEL_ERROR;
    ken_status written = ken_app__put_model(j->app, m, st ? NULL : err);
    return st ? st : written;
}

ken_status ken_app_download_model(ken_app *app, ken_str id, ken_app_bytes_fn *progress, void *ctx,
                                  const ken_cancel *cancel, ken_arena *arena, ken_model_record *out,
                                  ken_err *err)
{
    ken_model_record m;
    int lock = -1;
    ken_status st = ken_app_find_model(app, id, arena, &m, err);
    if (!st && !m.path.len)
        st = KEN_FAIL(err, KEN_EINVAL, "the model '" KEN_STR_FMT "' is a part of ken",
                      KEN_STR_ARG(id));
    if (!st)
        st = lock_model(&m, arena, &lock, err);
    if (st)
        return st;
    job j = { app, progress, ctx, cancel, arena, ken_httpc_new() };
    st = run_locked(&j, &m, err);
    ken_httpc_free(j.http);
    ken_fs_unlock(lock);
    if (!st)
        *out = m;
    return st;
}

ken_status ken_app__remove_files(const ken_model_record *m, ken_arena *arena, ken_err *err)
{
    static const char *const names[] = { "model.onnx",          "model.onnx.part",
                                         "tokenizer.json",      "tokenizer.json.part",
                                         "vocab.txt",           "vocab.txt.part",
                                         "model.onnx.part.tag", "tokenizer.json.part.tag",
                                         "vocab.txt.part.tag",  ".lock" };
    int lock = -1;
    ken_str dir = ken_arena_dup(arena, ken_path_dir(m->path));
    ken_status st = lock_model(m, arena, &lock, err);
    for (size_t i = 0; i < sizeof names / sizeof *names && !st; i++)
        st = ken_fs_remove(ken_path_join(arena, dir, ken_str_c(names[i])).ptr, err);
    ken_fs_unlock(lock);
    (void)rmdir(dir.ptr); // what a person put there stays
    return st;
}
