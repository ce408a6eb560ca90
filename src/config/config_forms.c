// SPDX-License-Identifier: MIT
// Settings whose texts must have a form, so that a wrong one is told where it stands.
#include "base/net.h"
#include "base/url.h"
#include "config/config_priv.h"

static bool is_address(ken_str s)
{
    ken_net n;
    return ken_str_find_char(s, '/') == SIZE_MAX && ken_net_parse(s, &n);
}

static bool is_network(ken_str s)
{
    ken_net n;
    return ken_net_parse(s, &n);
}

// A name or an address, with or without a port: what the header Host has.
static bool is_host(ken_str s)
{
    size_t close = ken_str_starts(s, KEN_STR("[")) ? ken_str_find_char(s, ']') : SIZE_MAX;
    size_t from = close == SIZE_MAX ? 0 : close + 1;
    size_t at = ken_str_find_char(ken_str_sub(s, from, s.len), ':');
    ken_str name = at == SIZE_MAX ? s : ken_str_sub(s, 0, from + at);
    uint64_t port = 1;
    if (at != SIZE_MAX && !ken_str_parse_u64(ken_str_sub(s, from + at + 1, s.len), &port))
        return false;
    if (port < 1 || port > UINT16_MAX)
        return false;
    if (close != SIZE_MAX)
        return is_address(name);
    for (size_t i = 0; i < name.len; i++)
        if (!ken_is_word(name.ptr[i]) && name.ptr[i] != '-' && name.ptr[i] != '.')
            return false;
    return name.len && name.len <= 253;
}

static bool is_origin(ken_str s)
{
    ken_str http = KEN_STR("http://"), https = KEN_STR("https://");
    size_t n = ken_str_starts(s, https) ? https.len : ken_str_starts(s, http) ? http.len : 0;
    return n && is_host(ken_str_sub(s, n, s.len));
}

// "git.example.com=gitlab". The words are those of tool_link.c.
static bool is_host_of_kind(ken_str s)
{
    static const char *const kinds[] = { "github", "gitlab", "gitea", "bitbucket" };
    ken_str name;
    if (!ken_str_split_next(&s, '=', &name) || !s.ptr || !is_host(ken_str_trim(name)))
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (ken_str_eq_c(ken_str_trim(s), kinds[i]))
            return true;
    return false;
}

static bool is_url_without_secret(ken_str s)
{
    ken_url u;
    return !ken_url_parse(s, &u) || (ken_str_find_char(u.user, ':') == SIZE_MAX &&
                                     !(u.user.len && u.protocol.ptr[0] == 'h'));
}

// Others write the driver of their language behind the protocol: postgresql+asyncpg://…
static bool is_database(ken_str s)
{
    size_t at = ken_str_find(s, KEN_STR("://"));
    ken_str protocol = ken_str_sub(s, 0, at == SIZE_MAX ? 0 : at), name = protocol;
    (void)ken_str_split_next(&protocol, '+', &name);
    return !s.len || ken_str_eq_c(s, "none") || ken_str_eq_c(name, "postgres") ||
           ken_str_eq_c(name, "postgresql");
}

static const struct {
    ken_config_key key;
    bool (*is_right)(ken_str s);
    const char *rule;
} forms[] = {
    { KEN_CFG_REPO_URL, is_url_without_secret,
      "a URL without user and password; give those by git's credential helper or as "
      "KEN_GIT_TOKEN_<HOST>" },
    { KEN_CFG_REPO_HOSTS, is_host_of_kind,
      "HOST=KIND such as git.example.com=gitlab; KIND is github, gitlab, gitea or bitbucket" },
    { KEN_CFG_DATABASE_URL, is_database,
      "a URL such as postgres://user:password@host:5432/database, or none" },
    { KEN_CFG_SERVER_HOST, is_address, "an IP address; 0.0.0.0 and :: are all of the machine" },
    { KEN_CFG_SERVER_TRUSTED_PROXIES, is_network, "an IP address or a network such as 10.0.0.0/8" },
    { KEN_CFG_SERVER_ALLOWED_HOSTS, is_host, "a host such as ken.example.com or ken:7420" },
    { KEN_CFG_SERVER_ALLOWED_ORIGINS, is_origin,
      "an origin such as https://app.example.com, without a path" },
};

const char *ken_config__find_broken_form(ken_config_key key, ken_str s)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].key == key && !forms[i].is_right(s))
            return forms[i].rule;
    return NULL;
}
