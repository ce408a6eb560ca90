// SPDX-License-Identifier: MIT
// What git may be given as a source. A URL is somebody's text: it must not be an option, not choose a
// transport that runs a program, and not carry a secret that would be kept with it.
#include "base/url.h"
#include "sync/sync_priv.h"

enum {
    SPARSE_LINES_MAX = 1000,
};

static bool has_odd_bytes(ken_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.ptr[i] <= ' ' || s.ptr[i] == 0x7f)
            return true;
    return false;
}

static bool is_listed(ken_str list, ken_str word)
{
    ken_str part;
    while (ken_str_split_next(&list, ',', &part))
        if (ken_str_eq(ken_str_trim(part), word))
            return true;
    return false;
}

ken_str ken_sync_show(ken_str url, ken_arena *arena)
{
    ken_url u;
    if (!ken_url_parse(url, &u) || !u.user.len)
        return ken_arena_dup(arena, url);
    size_t before = (size_t)(u.user.ptr - url.ptr);
    return ken_arena_printf(arena, "%.*s***" KEN_STR_FMT, (int)before, url.ptr,
                            KEN_STR_ARG(ken_str_sub(url, before + u.user.len, url.len)));
}

static ken_status check_url(const ken_sync_source *s, ken_err *err)
{
    ken_url u;
    if (!s->url.len || s->url.len > KEN_SYNC_URL_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "url: expected 1 to %d bytes, got %zu", KEN_SYNC_URL_MAX,
                        s->url.len);
    if (s->url.ptr[0] == '-' || has_odd_bytes(s->url) || !ken_url_parse(s->url, &u))
        return KEN_FAIL(err, KEN_EINVAL,
                        "url: expected https://host/path, ssh://user@host/path or user@host:path");
    // No message shows the user: it may be a token.
    if (ken_str_find_char(u.user, ':') != SIZE_MAX || (u.user.len && u.protocol.ptr[0] == 'h'))
        return KEN_FAIL(
            err, KEN_EINVAL,
            "url: has a user or a password before '@', which would be kept with it; give "
            "the URL without, and the secret by git's credential helper or in the "
            "environment (KEN_GIT_TOKEN_<HOST>)");
    if (ken_str_find_char(u.path, '?') != SIZE_MAX || ken_str_find_char(u.path, '#') != SIZE_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "url: has a query or a fragment; give it without");
    if (!is_listed(s->protocols, u.protocol))
        return KEN_FAIL(err, KEN_EPERM,
                        "url: '" KEN_STR_FMT "' is not among the protocols that sync.protocols "
                        "allows: " KEN_STR_FMT,
                        KEN_STR_ARG(u.protocol), KEN_STR_ARG(s->protocols));
    bool is_local = ken_str_eq_c(u.protocol, "file");
    if (!u.path.len || (!is_local && (!u.host.len || u.host.ptr[0] == '-')) || u.path.ptr[0] == '-')
        return KEN_FAIL(err, KEN_EINVAL, "url: lacks a host or a path: '" KEN_STR_FMT "'",
                        KEN_STR_ARG(s->url));
    return KEN_OK;
}

// The rules of git check-ref-format for what stands behind refs/heads/.
static bool is_branch(ken_str b)
{
    static const char odd[] = "~^:?*[\\";
    if (b.ptr[0] == '-' || b.ptr[0] == '/' || b.ptr[0] == '.' || b.ptr[b.len - 1] == '/' ||
        b.ptr[b.len - 1] == '.' || has_odd_bytes(b) || ken_str_ends(b, KEN_STR(".lock")))
        return false;
    for (size_t i = 0; i < b.len; i++)
        if (strchr(odd, b.ptr[i]))
            return false;
    static const char *const odd_pairs[] = { "..", "@{", "//", "/.", ".lock/" };
    for (size_t i = 0; i < sizeof odd_pairs / sizeof *odd_pairs; i++)
        if (ken_str_find(b, ken_str_c(odd_pairs[i])) != SIZE_MAX)
            return false;
    return !ken_str_eq_c(b, "@");
}

static ken_status check_sparse(ken_str sparse, ken_err *err)
{
    if (sparse.len > KEN_SYNC_SPARSE_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "sparse: %zu bytes are over %d", sparse.len,
                        KEN_SYNC_SPARSE_MAX);
    ken_str rest = sparse, line;
    size_t n = 0;
    while (ken_str_line_next(&rest, &line)) {
        for (size_t i = 0; i < line.len; i++)
            if ((unsigned char)line.ptr[i] < ' ')
                return KEN_FAIL(err, KEN_EINVAL, "sparse: line %zu has a control character", n + 1);
        if (++n > SPARSE_LINES_MAX)
            return KEN_FAIL(err, KEN_EINVAL, "sparse: more than %d lines", SPARSE_LINES_MAX);
    }
    return KEN_OK;
}

ken_status ken_sync_check(const ken_sync_source *s, ken_err *err)
{
    ken_status st = check_url(s, err);
    if (!st && s->branch.len > KEN_SYNC_BRANCH_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "branch: %zu bytes are over %d", s->branch.len,
                        KEN_SYNC_BRANCH_MAX);
    if (!st && s->branch.len && !is_branch(s->branch))
        return KEN_FAIL(err, KEN_EINVAL, "branch: '" KEN_STR_FMT "' is no name that git allows",
                        KEN_STR_ARG(s->branch));
    if (!st && s->depth > SYNC_DEPTH_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "depth: expected 0 to %d, got %u", SYNC_DEPTH_MAX,
                        s->depth);
    return st ? st : check_sparse(s->sparse, err);
}

ken_str ken_sync_name_of(ken_str url)
{
    ken_str path = ken_url_repository(url);
    size_t start = path.len;
    while (start && path.ptr[start - 1] != '/' && path.ptr[start - 1] != ':')
        start--;
    return ken_str_sub(path, start, path.len);
}
