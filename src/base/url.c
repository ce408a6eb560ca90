// SPDX-License-Identifier: MIT
#include "base/url.h"

static bool is_protocol(ken_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!ken_is_alpha(s.ptr[i]) && !ken_is_digit(s.ptr[i]))
            return false;
    return s.len > 0;
}

static void split_authority(ken_str authority, ken_url *out)
{
    size_t at = ken_str_rfind_char(authority, '@');
    ken_str host = at == SIZE_MAX ? authority : ken_str_sub(authority, at + 1, authority.len);
    out->user = at == SIZE_MAX ? KEN_STR("") : ken_str_sub(authority, 0, at);
    size_t bracket = ken_str_rfind_char(host, ']'); // of an IPv6 address
    size_t colon = ken_str_rfind_char(host, ':');
    bool has_port = colon != SIZE_MAX && (bracket == SIZE_MAX || colon > bracket);
    out->port = has_port ? ken_str_sub(host, colon + 1, host.len) : KEN_STR("");
    out->host = has_port ? ken_str_sub(host, 0, colon) : host;
}

// "git@host:path": a colon before any slash, and no "::", which chooses a helper program.
static size_t scp_colon(ken_str url)
{
    size_t colon = ken_str_find_char(url, ':'), slash = ken_str_find_char(url, '/');
    bool is_it = colon != SIZE_MAX && colon > 0 && (slash == SIZE_MAX || colon < slash) &&
                 colon + 1 < url.len && url.ptr[colon + 1] != ':';
    return is_it ? colon : SIZE_MAX;
}

bool ken_url_parse(ken_str text, ken_url *out)
{
    *out = (ken_url){ .protocol = { NULL, 0 } };
    size_t at = ken_str_find(text, KEN_STR("://")), colon = scp_colon(text);
    if (at != SIZE_MAX && at > 0) {
        ken_str rest = ken_str_sub(text, at + 3, text.len);
        size_t slash = ken_str_find_char(rest, '/'), end = slash == SIZE_MAX ? rest.len : slash;
        out->protocol = ken_str_sub(text, 0, at);
        out->path = ken_str_sub(rest, end, rest.len);
        split_authority(ken_str_sub(rest, 0, end), out);
        return is_protocol(out->protocol);
    }
    if (text.len && text.ptr[0] == '/') {
        out->protocol = KEN_STR("file");
        out->path = text;
        return true;
    }
    if (colon == SIZE_MAX)
        return false;
    out->protocol = KEN_STR("ssh");
    out->path = ken_str_sub(text, colon + 1, text.len);
    split_authority(ken_str_sub(text, 0, colon), out);
    return true;
}

static ken_str without_slashes(ken_str s)
{
    while (s.len && s.ptr[s.len - 1] == '/')
        s.len--;
    return s;
}

ken_str ken_url_repository(ken_str path)
{
    ken_str s = without_slashes(path);
    if (ken_str_ends(s, KEN_STR(".git")))
        s = without_slashes(ken_str_sub(s, 0, s.len - 4));
    while (s.len && s.ptr[0] == '/')
        s = ken_str_sub(s, 1, s.len);
    return s;
}

void ken_url_mask_users(char *text, size_t n)
{
    char *end = text + n, *p = text;
    while (n && (p = memmem(p, (size_t)(end - p), "://", 3)) != NULL) {
        p += 3;
        char *at = NULL;
        for (char *to = p; to < end && !strchr("/?#", *to) && !ken_is_space(*to); to++)
            if (*to == '@')
                at = to;
        if (at)
            memset(p, '*', (size_t)(at - p));
    }
}

ken_str ken_url_masked(ken_str text, ken_arena *arena)
{
    char *copy = ken_arena_alloc(arena, text.len + 1);
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    ken_url_mask_users(copy, text.len);
    return ken_str_n(copy, text.len);
}
