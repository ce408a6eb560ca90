// SPDX-License-Identifier: MIT
// What a proxy in front says of its client, when it is one of server.trusted_proxies.
#include <arpa/inet.h>
#include <string.h>

#include "web/web_priv.h"

enum {
    V6_BYTES = 16
};

// As IPv6; an IPv4 address in the form ::ffff:a.b.c.d.
static bool parse_address(ken_str text, uint8_t out[V6_BYTES])
{
    char copy[INET6_ADDRSTRLEN];
    if (text.len >= sizeof copy)
        return false;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    memset(out, 0, V6_BYTES);
    if (inet_pton(AF_INET6, copy, out) == 1)
        return true;
    out[10] = out[11] = 0xff;
    return inet_pton(AF_INET, copy, out + 12) == 1;
}

// "10.0.0.0/8", "::1": whether the address lies in it.
static bool is_in(const uint8_t address[V6_BYTES], ken_str network)
{
    uint8_t base[V6_BYTES];
    uint64_t n_bits = 128;
    size_t slash = ken_str_find_char(network, '/');
    ken_str host = ken_str_sub(network, 0, slash == SIZE_MAX ? network.len : slash);
    if (!parse_address(host, base))
        return false;
    bool is_v4 = ken_str_find_char(host, ':') == SIZE_MAX;
    if (slash != SIZE_MAX) {
        if (!ken_str_parse_u64(ken_str_sub(network, slash + 1, network.len), &n_bits) ||
            n_bits > (is_v4 ? 32U : 128U))
            return false;
        n_bits += is_v4 ? 96 : 0;
    }
    for (size_t i = 0; i < n_bits; i++) {
        uint8_t bit = (uint8_t)(0x80U >> (i % 8));
        if ((address[i / 8] & bit) != (base[i / 8] & bit))
            return false;
    }
    return true;
}

static bool is_trusted(const ken_web *w, ken_str peer)
{
    const ken_str *networks;
    uint8_t address[V6_BYTES];
    size_t n = ken_config_list(w->config, KEN_CFG_SERVER_TRUSTED_PROXIES, &networks);
    if (!n || !parse_address(peer, address))
        return false;
    for (size_t i = 0; i < n; i++)
        if (is_in(address, networks[i]))
            return true;
    return false;
}

void ken_web__read_proxy(const ken_web *w, const ken_httpd_request *r, web_request *q)
{
    uint8_t address[V6_BYTES];
    int64_t uid;
    q->peer = ken_httpd_peer(r, &uid);
    q->is_tls = ken_httpd_is_tls(r);
    if (!is_trusted(w, q->peer))
        return;
    // The last one that no trusted proxy has added itself: what stands before it anybody may have written.
    ken_str rest = ken_httpd_header(r, "X-Forwarded-For"), item, proto;
    while (rest.len) {
        size_t comma = rest.len;
        while (comma && rest.ptr[comma - 1] != ',')
            comma--;
        item = ken_str_trim(ken_str_sub(rest, comma, rest.len));
        if (!parse_address(item, address))
            break;
        q->peer = item;
        if (!is_trusted(w, item))
            break;
        rest = ken_str_sub(rest, 0, comma ? comma - 1 : 0);
    }
    proto = ken_str_trim(ken_httpd_header(r, "X-Forwarded-Proto"));
    if (proto.len)
        q->is_tls = ken_str_eq_fold(proto, KEN_STR("https"));
}
