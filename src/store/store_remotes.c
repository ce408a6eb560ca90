// SPDX-License-Identifier: MIT
// The checked door to the remotes of a catalog. Which transports and hosts are allowed is the matter of
// who clones; here is what no row may have.
#include "base/arena.h"
#include "base/url.h"
#include "base/utf8.h"
#include "secret/secret.h"
#include "store/store_ops.h"

// `breaks`: whether lines may end.
static ken_status check_text(const char *field, ken_str s, size_t max, bool breaks, ken_err *err)
{
    if (s.len > max)
        return KEN_FAIL(err, KEN_ELIMIT, "'%s' of a remote has %zu bytes, at most %zu", field,
                        s.len, max);
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if ((c < ' ' && !(breaks && c == '\n')) || c == 0x7f)
            return KEN_FAIL(err, KEN_EINVAL, "'%s' of a remote has the control character 0x%02x",
                            field, c);
    }
    if (s.len && s.ptr[0] == '-') // git would take it for an option
        return KEN_FAIL(err, KEN_EINVAL,
                        "'%s' of a remote may not begin with '-': '" KEN_STR_FMT "'", field,
                        KEN_STR_ARG(ken_utf8_clip(s, 80)));
    return KEN_OK;
}

static ken_str mask(ken_str text, ken_arena *arena, size_t *out_n)
{
    ken_str kept = ken_arena_dup(arena, text);
    *out_n = ken_secret_mask((char *)(uintptr_t)kept.ptr, kept.len); // it is in the arena, ours
    return kept;
}

static bool has_secret(ken_str url)
{
    size_t n = 0;
    ken_arena a;
    ken_arena_init(&a, 0);
    (void)mask(url, &a, &n);
    ken_arena_release(&a);
    return n > 0;
}

static ken_status check_url(ken_str url, ken_err *err)
{
    if (!url.len)
        return KEN_FAIL(err, KEN_EINVAL, "'url' of a remote is empty");
    ken_status st = check_text("url", url, KEN_REMOTE_URL_MAX, false, err);
    if (st)
        return st;
    ken_url u;
    bool has_password = ken_url_parse(url, &u) && ken_str_find_char(u.user, ':') != SIZE_MAX;
    if (has_password || has_secret(url))
        return KEN_FAIL(err, KEN_EINVAL,
                        "'url' of a remote has a password or token in it, which is never kept: "
                        "leave it out, and let a credential helper of git give it");
    return KEN_OK;
}

static ken_status check_sparse(ken_str sparse, ken_err *err)
{
    ken_status st = check_text("sparse", sparse, KEN_REMOTE_SPARSE_MAX, true, err);
    ken_str rest = sparse, line;
    for (size_t n = 1; !st && sparse.len && ken_str_split_next(&rest, '\n', &line); n++)
        if (!line.len)
            st = KEN_FAIL(err, KEN_EINVAL, "'sparse' of a remote: line %zu has no path", n);
    return st;
}

ken_status ken_catalog_put_remote(ken_catalog *c, const ken_remote *r, ken_err *err)
{
    ken_status st = check_url(r->url, err);
    if (!st)
        st = check_text("branch", r->branch, KEN_REMOTE_BRANCH_MAX, false, err);
    if (!st)
        st = check_sparse(r->sparse, err);
    ken_catalog_backend *b = ken_catalog__backend(c);
    return st ? st : b->ops->put_remote(b, r, err);
}

static ken_status check_synced(const ken_remote *r, ken_err *err)
{
    if (r->commit.len && !ken_is_object_id(r->commit))
        return KEN_FAIL(err, KEN_EINVAL,
                        "'commit' of a remote is nothing, or 40 or 64 hexadecimal digits in small "
                        "letters, not '" KEN_STR_FMT "'",
                        KEN_STR_ARG(ken_utf8_clip(r->commit, 80)));
    if (r->synced_at_ms < 0 || r->tried_at_ms < 0)
        return KEN_FAIL(err, KEN_EINVAL, "a time of a remote is before 1970: %lld",
                        (long long)(r->synced_at_ms < 0 ? r->synced_at_ms : r->tried_at_ms));
    return check_text("branch", r->branch, KEN_REMOTE_BRANCH_MAX, false, err);
}

ken_status ken_catalog_set_remote_synced(ken_catalog *c, const ken_remote *r, ken_err *err)
{
    ken_status st = check_synced(r, err);
    if (st)
        return st;
    size_t n_masked = 0;
    ken_arena a;
    ken_arena_init(&a, 0);
    ken_remote kept = *r;
    kept.error = ken_utf8_clip(mask(r->error, &a, &n_masked), KEN_REMOTE_ERROR_MAX);
    ken_catalog_backend *b = ken_catalog__backend(c);
    st = b->ops->set_remote_synced(b, &kept, err);
    ken_arena_release(&a);
    return st;
}
