// SPDX-License-Identifier: MIT
// What git may be given as a source. A URL is somebody's text: it must not be an option, not choose a
// transport that runs a program, and not carry a secret that would be kept with it.
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

// What stands before the first "/" of `rest`.
static ken_str authority_of(ken_str rest)
{
    size_t end = ken_str_find_char(rest, '/');
    return ken_str_sub(rest, 0, end == SIZE_MAX ? rest.len : end);
}

// "git@host:path": a colon before any slash, and no "::", which chooses a helper program.
static bool is_scp(ken_str url)
{
    size_t colon = ken_str_find_char(url, ':');
    size_t slash = ken_str_find_char(url, '/');
    return colon != SIZE_MAX && colon > 0 && (slash == SIZE_MAX || colon < slash) &&
           colon + 1 < url.len && url.ptr[colon + 1] != ':';
}

bool ken_sync__parse_url(ken_str url, sync_url *out)
{
    *out = (sync_url){ .protocol = { NULL, 0 } };
    size_t at = ken_str_find(url, KEN_STR("://"));
    if (at != SIZE_MAX && at > 0) {
        ken_str rest = ken_str_sub(url, at + 3, url.len);
        out->protocol = ken_str_sub(url, 0, at);
        for (size_t i = 0; i < at; i++)
            if (!ken_is_alpha(url.ptr[i]) && !ken_is_digit(url.ptr[i]))
                return false;
        out->authority = authority_of(rest);
        out->path = ken_str_sub(rest, out->authority.len, rest.len);
    } else if (url.len && url.ptr[0] == '/') {
        out->protocol = KEN_STR("file");
        out->path = url;
    } else if (is_scp(url)) {
        size_t colon = ken_str_find_char(url, ':');
        out->protocol = KEN_STR("ssh");
        out->authority = ken_str_sub(url, 0, colon);
        out->path = ken_str_sub(url, colon + 1, url.len);
    } else {
        return false;
    }
    size_t user_end = ken_str_rfind_char(out->authority, '@');
    out->user = user_end == SIZE_MAX ? KEN_STR("") : ken_str_sub(out->authority, 0, user_end);
    out->host = user_end == SIZE_MAX
                    ? out->authority
                    : ken_str_sub(out->authority, user_end + 1, out->authority.len);
    return true;
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
    sync_url u;
    if (!ken_sync__parse_url(url, &u) || !u.user.len)
        return ken_arena_dup(arena, url);
    size_t before = (size_t)(u.user.ptr - url.ptr);
    return ken_arena_printf(arena, "%.*s***" KEN_STR_FMT, (int)before, url.ptr,
                            KEN_STR_ARG(ken_str_sub(url, before + u.user.len, url.len)));
}

static ken_status check_url(const ken_sync_source *s, ken_err *err)
{
    sync_url u;
    if (!s->url.len || s->url.len > KEN_SYNC_URL_MAX)
        return KEN_FAIL(err, KEN_EINVAL, "url: expected 1 to %d bytes, got %zu", KEN_SYNC_URL_MAX,
                        s->url.len);
    if (s->url.ptr[0] == '-' || has_odd_bytes(s->url) || !ken_sync__parse_url(s->url, &u))
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
    while (url.len && url.ptr[url.len - 1] == '/')
        url.len--;
    if (ken_str_ends(url, KEN_STR(".git")))
        url.len -= 4;
    while (url.len && url.ptr[url.len - 1] == '/')
        url.len--;
    size_t start = url.len;
    while (start && url.ptr[start - 1] != '/' && url.ptr[start - 1] != ':')
        start--;
    return ken_str_sub(url, start, url.len);
}
