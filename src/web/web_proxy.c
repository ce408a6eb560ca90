// SPDX-License-Identifier: MIT
// What a proxy in front says of its client, when it is one of server.trusted_proxies.
#include "base/net.h"
#include "web/web_priv.h"

static bool is_trusted(const ken_web *w, ken_str peer)
{
    const ken_str *networks;
    ken_net network;
    size_t n = ken_config_list(w->config, KEN_CFG_SERVER_TRUSTED_PROXIES, &networks);
    for (size_t i = 0; i < n; i++)
        if (ken_net_parse(networks[i], &network) && ken_net_has(&network, peer))
            return true;
    return false;
}

void ken_web__read_proxy(const ken_web *w, const ken_httpd_request *r, web_request *q)
{
    ken_net address;
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
        if (!ken_net_parse(item, &address) || address.n_bits != 128)
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
